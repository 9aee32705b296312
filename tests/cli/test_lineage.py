from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memstore.cli.commands import FORMER
from memstore.cli.lineage_text import DEEPEST_INDENT, trace_lines
from memstore.cli.main import main
from memstore.cli.output import Palette
from memstore.documents.lineage import dot_lines, mermaid_lines
from memstore.lineage.trace import trace_memory
from tests.installed import validated, verb_of
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.lineage.values import Trace

PLAIN = Palette(colours=False, signs=True)

FILES = {
    "raw.md": memory_text("Cold.\n", type="raw", id="m_raw", source="a walk", processed_into="[note:m_note]"),
    "note.md": memory_text(id="m_note", derived_from="[raw:m_raw, note:m_gone, context:tea]", source_type="inference"),
    "belief.md": memory_text(type="belief", id="m_belief", relates_to="[note:m_note]", superseded_by="belief:m_heir"),
    "heir.md": memory_text(type="belief", id="m_heir", supersedes="belief:m_belief"),
    "orphan.md": memory_text(type="belief", id="m_one", title='"I am not obligated..."'),
}


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("MEMSTORE_ENTITY", raising=False)
    root = tmp_path / "vault"
    (root / ".memstore").mkdir(parents=True)
    (root / ".memstore" / "config.toml").write_text('format = 1\nowner = "human:sean"\n')
    for path, data in FILES.items():
        (root / path).write_bytes(data)
    return root


@pytest.mark.parametrize(
    ("verb", "words"),
    [
        ("trace", ["m_note"]),
        ("trace", ["m_raw", "--reverse", "--depth", "1"]),
        ("trace", ["m_heir", "--format", "json"]),
        ("orphans", []),
        ("impact", ["m_raw"]),
        ("fix-provenance", ["--dry-run"]),
        ("fix-provenance", []),
    ],
)
def test_json_follows_its_schema(vault: Path, capsys: pytest.CaptureFixture[str], verb: str, words: list[str]) -> None:
    assert main(["--vault", str(vault), *FORMER.get(verb, verb).split(), *words, "--json"]) == 0
    document = validated(capsys.readouterr().out)
    assert verb_of(document) == verb
    assert any(document[key] for key in ("nodes", "orphans", "lost", "files") if key in document)


def test_show_with_trace_is_show_and_the_traces(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--vault", str(vault), "show", "m_note", "--trace", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["id"] == "m_note"
    assert document["trace"]["sources"]["nodes"][0]["key"] == "note:m_note"
    assert [edge["dependent"] for edge in document["trace"]["dependents"]["edges"]] == ["belief:m_belief"]


def test_orphans_are_not_sent_to_a_command_that_cannot_help(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--vault", str(vault), "check", "orphans"]) == 0
    assert capsys.readouterr().out.endswith("Fix: memstore check fix-provenance\n")
    assert main(["--vault", str(vault), "check", "fix-provenance"]) == 0
    (vault / "more.md").write_bytes(memory_text(id="m_more"))
    capsys.readouterr()
    assert main(["--vault", str(vault), "check", "orphans"]) == 0
    assert capsys.readouterr().out.endswith(
        'Fix: record where they come from, as in memstore set REF source="a walk"\n'
    )


def traced(files: dict[str, bytes], ref: str) -> Trace:
    return trace_memory(memory_workspace(files).view(), ref)


def test_a_tree_tells_how_each_came_in() -> None:
    assert list(trace_lines(PLAIN, traced(FILES, "m_heir"))) == [
        'belief:m_heir "Some text."',
        '└── supersedes belief:m_belief "Some text."',
        '    └── relates to note:m_note "Some text."',
        "        ├── derived from context:tea",
        "        ├── derived from note:m_gone (missing)",
        '        └── derived from raw:m_raw "Cold."',
        "",
        "Superseded in turn: belief:m_belief → belief:m_heir",
    ]


def test_what_was_split_in_two_stands_side_by_side_in_the_chain() -> None:
    files = {
        "whole.md": memory_text(type="belief", id="m_whole", superseded_by="[belief:m_one, belief:m_two]"),
        "one.md": memory_text(type="belief", id="m_one", supersedes="belief:m_whole"),
        "two.md": memory_text(type="belief", id="m_two", supersedes="belief:m_whole", superseded_by="belief:m_new"),
        "new.md": memory_text(type="belief", id="m_new", supersedes="[belief:m_two, belief:m_old]"),
        "old.md": memory_text(type="belief", id="m_old", superseded_by="belief:m_new"),
    }
    told = "Superseded in turn: belief:m_old, belief:m_whole → belief:m_one, belief:m_two → belief:m_new"
    assert [list(trace_lines(PLAIN, traced(files, ref)))[-1] for ref in ("m_whole", "m_one", "m_new")] == [told] * 3


def test_a_deep_chain_stays_readable() -> None:
    files = {f"{n}.md": memory_text(id=f"m{n:03d}", derived_from=f"[note:m{n + 1:03d}]") for n in range(99)}
    lines = list(trace_lines(PLAIN, traced(files, "m000")))
    assert len(lines) == 102
    assert max(map(len, lines)) < 4 * DEEPEST_INDENT + 60
    assert lines[60].lstrip().startswith("└── (60) derived from note:m060")


def test_drawings_survive_any_title() -> None:
    title = 'Say "x" <b> [y] {z} | ` & \\ #1;'
    files = {"a.md": memory_text(id="m_a", title=json.dumps(title), derived_from="[context:tea]")}
    assert list(dot_lines(traced(files, "m_a")))[2] == (
        '  "note:m_a" [label="note:m_a\\nSay \\"x\\" <b> [y] {z} | ` & \\\\ #1;", shape=box];'
    )
    assert list(mermaid_lines(traced(files, "m_a")))[1] == (
        '  n0["note:m_a<br>Say #34;x#34; #60;b#62; #91;y#93; #123;z#125; #124; #96; #38; #92; #35;1;"]'
    )


# -- no more than people read ----------------------------------------------------------------------


MANY = 1_200


@pytest.fixture
def crowd(vault: Path) -> Path:
    for number in range(MANY):
        text = memory_text(id=f"m_{number:04d}", derived_from="[note:m_root]", source_type="inference")
        (vault / f"{number:04d}.md").write_bytes(text)
    (vault / "root.md").write_bytes(memory_text(id="m_root", source="a walk"))
    return vault


def said(vault: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(["--vault", str(vault), *words]) == 0
    return capsys.readouterr().out


def test_people_are_shown_a_thousand_and_told_how_many_there_are(
    crowd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = said(crowd, capsys, "trace", "m_root", "--reverse").splitlines()
    assert drawn[0].endswith("(more)")
    assert len(drawn) == 1 + 1_000 + 2
    assert drawn[-1] == "1,000 of 1,200 links, the nearest; 200 memories are left out: -n 0 draws all."
    assert len(said(crowd, capsys, "trace", "m_root", "--reverse", "-n", "0").splitlines()) == 1 + MANY
    told = said(crowd, capsys, "impact", "m_root").splitlines()
    assert (len(told), told[-1]) == (2 + 1_000 + 2, "200 more are left out; -n 0 shows all.")
    assert len(said(crowd, capsys, "impact", "m_root", "-n", "0").splitlines()) == 2 + MANY
    card = said(crowd, capsys, "show", "m_root", "--trace").splitlines()
    assert card[-1] == "  └── … and 200 more: memstore trace note:m_root --reverse --depth 1 -n 0"


def test_programs_are_given_all_unless_they_ask_for_less(crowd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = validated(said(crowd, capsys, "trace", "m_root", "--reverse", "--json"))
    assert (len(whole["edges"]), whole["left_out"]) == (MANY, {"memories": 0, "edges": 0})
    part = validated(said(crowd, capsys, "trace", "m_root", "--reverse", "--json", "-n", "3"))
    assert (part["edges"], part["nodes"]) == (whole["edges"][:3], whole["nodes"][:4])
    assert part["left_out"] == {"memories": MANY - 3, "edges": MANY - 3}
    assert len(validated(said(crowd, capsys, "impact", "m_root", "--json"))["lost"]) == MANY
    assert validated(said(crowd, capsys, "impact", "m_root", "--json", "-n", "1"))["left_out"] == MANY - 1
    mermaid = said(crowd, capsys, "trace", "m_root", "--reverse", "--format", "mermaid")
    assert mermaid.count("-->") == MANY


def test_orphans_are_cut_and_counted_too(crowd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (crowd / "root.md").unlink()
    listed = said(crowd, capsys, "orphans")
    assert listed.count(" names ") == 1_000 - listed.count("(no source)")
    assert "  202 more are left out; -n 0 lists all.\n" in listed
    assert said(crowd, capsys, "orphans", "-n", "0").count("note:m_root") == MANY
    part = validated(said(crowd, capsys, "orphans", "--json", "-n", "1"))
    assert (len(part["orphans"]), part["dangling"], part["left_out"]) == (1, [], 1_201)
