"""A vault where every file has something wrong: all of it is named, the rest works, and nothing is rewritten."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.broken_vault import AT_ODDS, BROKEN, files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import Program

FINDINGS = BROKEN | AT_ODDS


@pytest.fixture
def slips(program: Program) -> Program:
    for name, data in files().items():
        (program.vault / name).write_bytes(data)
    return program


def on_disk(vault: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in vault.glob("*.md")}


def test_check_names_every_file_with_line_code_hint_and_mended_line(slips: Program) -> None:
    done = slips.run("check")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    for name, broken in FINDINGS.items():
        at = next(i for i, line in enumerate(lines) if line.startswith(f"{name}:{broken.line}:"))
        assert ": error: " in lines[at]
        assert lines[at].endswith(f"[{broken.code}]")
        assert any(line.startswith("  hint: ") for line in lines[at:])  # once for all of a code
        if broken.mended is not None:
            assert f"  should read: {broken.mended}" in lines[at + 1 : at + 3]
    assert done.stderr == (
        f"{len(FINDINGS) + 1} files, 1 note, {len(FINDINGS)} errors, 0 warnings; no link leads nowhere\n"
    )


def test_the_json_says_the_same(slips: Program) -> None:
    done = slips.run("check", "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["schema"]) == (1, "memstore.check/1")
    found = {(f["path"], f["code"], f["line"], f["mended"]) for f in document["findings"]}
    assert found == {(name, b.code, b.line, b.mended) for name, b in FINDINGS.items()}
    assert all(f["hint"] for f in document["findings"])
    assert [f["path"] for f in document["findings"] if f["mended"] and f.get("meant") is None] == []


def test_search_works_on_the_rest_and_says_what_was_left_out(slips: Program) -> None:
    done = slips.run("search", "kettle", "--json")
    document = json.loads(done.stdout)
    paths = {hit["path"] for hit in document["results"]}
    assert "sound.md" in paths
    assert not paths & set(BROKEN)
    assert document["left_out"] == len(BROKEN)


def test_no_command_rewrites_a_broken_file(slips: Program) -> None:
    here = slips.in_process()
    before = {name: broken.data for name, broken in BROKEN.items()}
    for words in (
        ["check", "--fix", "--dry-run"],
        ["adopt", *BROKEN],
        ["check", "fmt"],
        ["check", "fmt", *BROKEN],
        ["status"],
        ["list"],
        ["search", "kettle"],
        ["commit"],
        ["adopt"],
        ["check", "fix-provenance"],
        *([verb, name, *rest] for name in BROKEN for verb, *rest in (["set", "title=x"], ["tag", "+x"])),
    ):
        here.run(*words)
    after = on_disk(slips.vault)
    assert {name: after[name] for name in before} == before


def test_check_fix_writes_the_mended_lines_and_no_others(slips: Program) -> None:
    before = on_disk(slips.vault)
    planned = json.loads(slips.run("check", "--fix", "--dry-run", "--json").stdout)["fixed"]
    assert on_disk(slips.vault) == before
    assert json.loads(slips.run("check", "--fix", "--json").stdout)["fixed"] == planned
    after = on_disk(slips.vault)
    changed = {name for name in BROKEN if after[name] != before[name]}
    assert changed == {found["path"] for found in planned} & set(BROKEN)
    assert len(changed) >= 6
    for name in changed:
        found_here = [found for found in planned if found["path"] == name and found["mended"]]
        now = {found["line"]: found["mended"].encode() for found in found_here}
        lines = before[name].split(b"\n")
        expected = [
            now[at] + b"\r" * line.endswith(b"\r") if at in now else line for at, line in enumerate(lines, start=1)
        ]
        assert after[name] == b"\n".join(expected)
    left = json.loads(slips.run("check", "--json").stdout)["findings"]
    assert not changed & {found["path"] for found in left if found["severity"] == "error"}
    slips.ok("undo")
    assert on_disk(slips.vault) == before


def test_a_guess_about_who_sees_it_is_left_to_a_person(program: Program) -> None:
    head = "---\nid: m_tea1\ntype: note\n"
    files = {
        "a_guess.md": f"{head}access_grants: [human:sean\n---\nTea.\n",
        "in_a_list.md": f"{head}access_denies:\n  - 'human:sean\n---\nTea.\n",
        "an_indent.md": f"{head}access_grants:\n  - human:sean\n    - si:bella\n---\nTea.\n".replace("tea1", "tea5"),
        "one_reading.md": f"{head}access_grants: human:sean\n---\nTea.\n".replace("tea1", "tea2"),
        "two_rounds.md": f"{head}tags: tea\naliases: [cup\ntitle: 'Tea\n---\nTea.\n".replace("tea1", "tea3"),
        "half.md": f"{head}title: 'Tea\nstatus: nonsense\n---\nTea.\n".replace("tea1", "tea4"),
    }
    for name, text in files.items():
        (program.vault / name).write_text(text)
    told = program.run("check", "--fix").stdout
    assert "  now reads: access_grants: [human:sean]\n" in told
    assert "[grant-unrecorded]" in told  # nobody recorded this grant before
    now = {name: (program.vault / name).read_text() for name in files}
    assert now["one_reading.md"] == files["one_reading.md"].replace("human:sean", "[human:sean]")
    assert "aliases: [cup]\ntitle: 'Tea'\n" in now["two_rounds.md"]
    for name in ("a_guess.md", "in_a_list.md", "an_indent.md", "half.md"):
        assert now[name] == files[name]


def test_a_commit_is_refused_while_a_broken_file_is_staged(slips: Program) -> None:
    slips.git("add", "tabs.md", "conflict-in-the-text.md")
    done = slips.run("check", "--staged")
    assert done.returncode == 1
    assert "tabs.md:4:1: error: " in done.stdout
    assert "conflict-in-the-text.md:6:1: error: " in done.stdout
