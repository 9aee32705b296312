"""`memstore check` as people, editors and build servers call it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memstore.core.finding_codes import CODES
from tests.installed import validated, verb_of

if TYPE_CHECKING:
    from tests.whole.program import Program

WARNED = """---
type: note
source: a walk
title:  Tea   time
tags: [a, b, a] # twice
acess_grants: [human:sean]
---
Hot.
"""


@pytest.fixture
def warned(program: Program) -> Program:
    (program.vault / "notes").mkdir()
    (program.vault / "notes" / "tea.md").write_text(WARNED)
    return program


def valid(verb: str, text: str) -> dict[str, object]:
    document = validated(text)
    assert verb_of(document) == verb
    return document


def test_a_sound_vault_passes(program: Program) -> None:
    program.add("Bella eats at eight")
    done = program.run("check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "1 file, 0 errors, 0 warnings\n")


def test_warnings_pass_unless_strict(warned: Program) -> None:
    assert warned.run("check").returncode == 0
    assert warned.run("check", "--strict").returncode == 1
    found = json.loads(warned.ok("check", "--json"))["findings"]
    assert {(one["code"], one["severity"]) for one in found} == {
        (code, "warning") for code in ("id-missing", "item-repeated", "key-unknown", "title-blanks")
    }


def test_findings_are_grouped_by_code_errors_first_and_a_shared_hint_stands_once(program: Program) -> None:
    memory = "---\ntype: note\nid: m_{0}\nsource_type: {2}\nsource: a walk\ntitle: {1}\n---\nHot {0}.\n"
    files = (("aaa1", "a  a", "seed"), ("bbb1", "B", "lore"), ("ccc1", "C", "lore"), ("ddd1", "d  d", "seed"))
    for name, title, source in files:
        (program.vault / f"{name}.md").write_text(memory.format(name, title, source))
    (program.vault / "eee1.md").write_text("---\ntype: note\nid: m_eee1\ntitle: E: f\n---\nText.\n")
    lines = program.run("check").stdout.splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        "2 errors [value-choice]", "bbb1.md:4:1", "ccc1.md:4:1", "  hint", "",
        "eee1.md:4:8", "  hint", "  should read", "",
        "2 warnings [title-blanks]", "aaa1.md:6:1", "ddd1.md:6:1", "  hint",
    ]  # fmt: skip
    told = json.loads(program.run("check", "--json").stdout)["findings"]
    assert [one["path"] for one in told] == ["aaa1.md", "bbb1.md", "ccc1.md", "ddd1.md", "eee1.md"]


def test_that_nothing_says_where_a_memory_comes_from_is_told_to_the_strict(program: Program) -> None:
    (program.vault / "tea.md").write_text("---\ntype: note\nid: m_tea\n---\nHot.\n")
    assert program.run("check").stderr == "1 file, 0 errors, 0 warnings\n"
    assert json.loads(program.ok("check", "--json"))["findings"] == []
    done = program.run("check", "--strict")
    assert (done.returncode, "[source-missing]" in done.stdout) == (1, True)


def test_fix_names_what_else_mends(program: Program) -> None:
    raw, _ = program.add("Bella limps", "-t", "raw")
    (program.vault / "tea.md").write_text(f"---\ntype: note   \nid: m_tea\nderived_from: [{raw}]\n---\nHot.\n")
    told = program.run("check", "--fix").stderr
    assert "1 more can get their missing sources: memstore check fix-provenance" in told
    assert "1 more can be formatted: memstore check fmt" in told
    program.ok("check", "fix-provenance")
    program.ok("check", "fmt")
    assert "more can" not in program.run("check", "--fix").stderr


def test_fix_mends_what_needs_no_judgement_and_undo_takes_it_back(warned: Program) -> None:
    done = warned.run("check", "--fix")
    text = (warned.vault / "notes" / "tea.md").read_text()
    assert "fixed notes/tea.md" in done.stdout
    assert "[key-unknown]" in done.stdout
    assert "id: m_" in text
    assert "title:  Tea time\ntags: [a, b] # twice\nacess_grants: [human:sean]\n---\nHot.\n" in text
    assert warned.run("check", "--fix").stdout.count("fixed") == 0
    warned.ok("undo")
    assert (warned.vault / "notes" / "tea.md").read_text() == WARNED


def test_paths_confine_what_is_told(warned: Program) -> None:
    (warned.vault / "other.md").write_text("---\ntype: nonsense\n---\n")
    assert "other.md" not in warned.ok("check", "notes")
    assert "tea.md" in warned.ok("check", "tea.md", cwd=warned.vault / "notes")
    assert warned.run("check", "other.md").returncode == 1
    assert warned.run("check", "nowhere").returncode == 3


def test_others_get_one_refusal_whatever_they_name(warned: Program) -> None:
    said = {
        (done.returncode, done.stdout, done.stderr)
        for words in (["check"], ["check", "notes"], ["check", "nowhere"], ["check", "--staged"], ["check", "--fix"])
        if (done := warned.run("--as", "human:sean", *words))
    }
    assert len(said) == 1
    assert said.pop()[0] == 4


def test_json_follows_its_schema(warned: Program) -> None:
    assert valid("check", warned.ok("check", "--json"))["warnings"]
    assert valid("check", warned.ok("check", "--output-format", "json"))["errors"] == 0
    assert valid("check-code", warned.ok("check", "--explain", "yaml-tab", "--json"))["severity"] == "error"
    valid("error", warned.run("check", "nowhere", "--json").stdout)


def test_github_gets_commands(warned: Program) -> None:
    (warned.vault / "notes" / "a,b.md").write_text("---\ntype: note\ntags: [no]\n---\n")
    done = warned.run("check", "--output-format", "github")
    assert (
        "::error file=notes/a%2Cb.md,line=3,col=8,title=yaml-ambiguous::"
        "`no` means different things to different readers"
        '%0Ahint: quote it: "no", or write false%0Ashould read: tags: ["no"]\n'
    ) in done.stdout


def test_sarif_names_rules_and_places(warned: Program) -> None:
    document = json.loads(warned.ok("check", "--output-format", "sarif"))
    run = document["runs"][0]
    assert document["version"] == "2.1.0"
    assert (
        {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {r["ruleId"] for r in run["results"]} <= set(CODES)
    )
    places = [r["locations"][0]["physicalLocation"] for r in run["results"]]
    assert {p["artifactLocation"]["uri"] for p in places} == {"notes/tea.md"}


@pytest.mark.parametrize("form", ["github", "sarif"])
def test_json_goes_before_the_forms_of_build_servers(warned: Program, form: str) -> None:
    assert valid("check", warned.ok("check", "--output-format", form, "--json"))["warnings"]
    lines = warned.ok("check", "--output-format", form, "--jsonl").splitlines()
    assert {json.loads(line)["severity"] for line in lines} == {"warning"}


def test_a_code_is_explained(program: Program) -> None:
    assert program.ok("check", "--explain", "yaml-ambiguous").startswith("yaml-ambiguous (error): ")
    done = program.run("check", "--explain", "yaml-ambigous")
    assert (done.returncode, "did you mean yaml-ambiguous?" in done.stderr) == (2, True)


def test_refs_and_registry_files_are_checked(program: Program) -> None:
    for name, text in {
        "a.md": "---\ntype: note\nid: m_aaaaaaaaaa\nderived_from: [note:m_bbbbbbbbbb]\n---\nx\n",
        "b.md": "---\ntype: note\nid: m_bbbbbbbbbb\nderived_from: [note:m_aaaaaaaaaa, raw:m_zzzzzzzzzz]\n---\nx\n",
        "entities/human/sean.md": "---\ntype: entity\nid: human:tom\n---\n",
        "groups/tutors.yaml": "id: group:tutors\nmembers: [human:tom]\n",
        "groups/zoo.yaml": "id: org:zoo\nmembers: [{id: human:tom}]\n",
        "contexts/care.yaml": "id: ctx:care\nroles: {human:tom: role:tutor}\n",
        "consents/2026/con_1.md": "no fence\n",
    }.items():
        path = program.vault / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = json.loads(program.run("check", "--json").stdout)["findings"]
    assert [(f["path"], f["line"], f["code"]) for f in found] == [
        ("a.md", 4, "lineage-cycle"),
        ("b.md", 4, "lineage-cycle"),
        ("b.md", 4, "ref-dangling"),
        ("consents/2026/con_1.md", 1, "fence-opening"),
        ("contexts/care.yaml", 2, "value-shape"),
        ("entities/human/sean.md", 3, "registry-name"),
        ("groups/tutors.yaml", 2, "value-shape"),
    ]


def test_two_registry_files_with_one_id_are_an_error(program: Program) -> None:
    (program.vault / "groups").mkdir()
    for name in ("a", "b"):
        (program.vault / "groups" / f"{name}.yaml").write_text("id: group:a\n")
    found = json.loads(program.run("check", "--json").stdout)["findings"]
    assert [(f["path"], f["code"]) for f in found] == [
        ("groups/b.yaml", "registry-duplicate"),
        ("groups/b.yaml", "registry-name"),
    ]


def test_links_that_lead_nowhere_are_notices_and_fail_nothing(program: Program) -> None:
    program.add("See [[Nowhere]], [t](gone.md), ![[picture.png]], [site](https://e.org/x.md) and `[[code]]`.")
    done = program.run("check", "--strict")
    assert (done.returncode, done.stderr) == (0, "1 file, 0 errors, 0 warnings\n")
    assert [line.partition(": ")[2] for line in done.stdout.splitlines() if ": notice: " in line] == [
        "notice: ![[picture.png]] leads to no file [link-dangling]",
        "notice: (gone.md) leads to no note [link-dangling]",
        "notice: [[Nowhere]] leads to no note [link-dangling]",
    ]
    assert program.ok("check") == done.stdout
    document = valid("check", program.ok("check", "--json"))
    assert (document["findings"], document["errors"], document["warnings"]) == ([], 0, 0)
    assert "::notice " in program.ok("check", "--strict", "--output-format", "github")
    assert '"level":"note"' in program.ok("check", "--strict", "--output-format", "sarif").replace(" ", "")


def test_what_was_told_and_says_that_it_was_lived_is_said_once(program: Program) -> None:
    _, place = program.add("Bella limps", "--source", "vet:dr_smith")
    place.write_text(place.read_text().replace("told_by_human", "direct_experience"))
    said = "direct_experience in spite of a teller: 1 memory [told-as-lived]"
    assert said in program.run("check").stdout
    assert said not in program.run("check").stdout
    assert "source_type: told_by_human  it names vet:dr_smith as who told it" in program.ok("check", "fix-provenance")
    assert "source_type: told_by_human" in place.read_text()


def test_many_notices_are_counted_and_listed_for_who_asks(program: Program) -> None:
    program.add(" ".join(f"[[Nowhere {number}]]" for number in range(50)))
    done = program.run("check")
    assert done.stdout == ""
    assert done.stderr.splitlines()[0] == (
        "50 notices about links that lead nowhere; memstore check --strict lists them"
    )
    assert program.ok("check", "--strict").count(": notice: ") == 50


def test_against_a_commit_registry_files_that_changed_are_checked_too(program: Program) -> None:
    program.ok("privacy", "entity", "add", "dog:bella", "--guardian", "human:claire")
    program.ok("privacy", "entity", "add", "dog:rex")
    (program.vault / "entities" / "dog" / "rex.md").write_text("---\ntype: entity\nid: dog:max\n---\n")
    program.git("add", "-A")
    program.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "one wrong name")
    assert program.run("check", "--against", "HEAD").returncode == 0
    bella = program.vault / "entities" / "dog" / "bella.md"
    bella.write_text(bella.read_text().replace("human:claire", "{claire"))
    done = program.run("check", "--against", "HEAD", "--json")
    assert done.returncode == 1
    found = valid("check", done.stdout)
    assert [one["path"] for one in json.loads(done.stdout)["findings"]] == ["entities/dog/bella.md"]
    assert (found["files"], found["errors"]) == (1, 1)


def test_a_file_that_git_could_not_merge_is_named_without_markers_in_it_too(program: Program) -> None:
    _, place = program.add("Bella eats at eight")
    path = place.relative_to(program.vault).as_posix()
    program.ok("commit")
    program.git("checkout", "-q", "-b", "other")
    place.write_text(place.read_text().replace("eight", "nine"))
    program.git("commit", "-q", "-a", "-m", "later")
    program.git("checkout", "-q", "-")
    program.git("rm", "-q", path)
    program.git("commit", "-q", "-m", "gone")
    assert program.attempt_git("merge", "-q", "other").returncode != 0
    assert program.json("status")["unmerged"] == [path]
    done = program.run("check", "--json")
    assert done.returncode == 1
    assert (path, "unmerged") in {(one["path"], one["code"]) for one in valid("check", done.stdout)["findings"]}  # type: ignore[attr-defined]
    program.git("add", path)
    program.ok("check")


@pytest.mark.parametrize("slip", ["id: Kettle", 'id: "ket\x07tle"'])
def test_fix_gives_no_file_the_id_of_another(program: Program, slip: str) -> None:
    (program.vault / "kettle.md").write_text("---\ntype: note\nid: kettle\n---\nHot.\n")
    (program.vault / "other.md").write_text(text := f"---\ntype: note\n{slip}\ntitle:  A   kettle\n---\nCold.\n")
    for options in (["--dry-run"], []):
        done = program.run("check", "--fix", *options)
        assert "other.md" not in "".join(line for line in done.stdout.splitlines() if "fix" in line)
    assert (program.vault / "other.md").read_text() == text
    told = program.run("check", "other.md").stdout
    assert "should read" not in told
    assert "hint: kettle.md has the id kettle: delete this line, then memstore adopt" in told
    (program.vault / "other.md").write_text(text.replace(f"{slip}\n", ""))
    program.ok("adopt", "other.md")
    program.ok("show", "kettle")
    program.ok("check")


def test_fix_gives_no_two_files_the_same_id(program: Program) -> None:
    for name in ("a", "b"):
        (program.vault / f"{name}.md").write_text("---\ntype: note\nid: Kettle\n---\nHot.\n")
    program.run("check", "--fix")
    assert [(program.vault / f"{name}.md").read_text().count("Kettle") for name in ("a", "b")] == [1, 1]
