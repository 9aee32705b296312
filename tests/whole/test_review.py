"""`memstore review`: what a branch changes, as whoever decides about a pull request reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.installed import ROOT, validated, verb_of
from tests.support import memory_text
from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess

TEA = memory_text("Sean likes tea.\n", id="m_tea0000001", type="belief", confidence="0.8", title="Tea")
CUPS = memory_text("Sean drank three cups at the lake.\n", id="m_cups000001", type="episode", title="Three cups")
VET = memory_text("The vet is open on Mondays.\n\nShe is kind.\n", id="m_vet0000001", title="The vet")
RAIN = memory_text("Rain falls.\n", id="m_rain000001", title="Rain")
AGE = memory_text("Bella is old.\n", id="m_age0000001", title="Bella's age", subject_ids='["dog:bella"]')
BELLA = "---\ntype: entity\nid: dog:bella\nguardians: ['human:claire']\n---\n"
BASE = {
    "tea.md": TEA, "cups.md": CUPS, "vet.md": VET, "rain.md": RAIN, "age.md": AGE,
    "plain.md": b"# A page\n\nOne.\n", "gone.md": b"# A page that goes\n",
    "entities/dog/bella.md": BELLA.encode(),
}  # fmt: skip


@pytest.fixture
def program(tmp_path: Path) -> InProcess:
    """Return the program with a vault on `main`, committed, and the branch `work` checked out."""
    made = Program(tmp_path).in_process()
    made.init()
    write(made, BASE)
    commit(made)
    made.git("switch", "-q", "-c", "work")
    return made


def write(program: Program, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        place = program.vault / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def commit(program: Program) -> str:
    """Commit all there is, as somebody without hooks does; return the commit."""
    program.git("add", "-A")
    program.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "work")
    return program.git("rev-parse", "HEAD").strip()


def reviewed(program: Program, *words: str, code: int = 0) -> dict[str, Any]:
    done = program.run("review", "--json", *words)
    assert done.returncode == code, (done.stdout, done.stderr)
    document = validated(done.stdout)
    assert verb_of(document) == "review"
    return document


def nothing_but(document: dict[str, Any], *parts: str) -> None:
    """Assert that these parts of a review hold something, and no others."""
    lists = {name for name, value in document.items() if isinstance(value, list) and value}
    assert lists == set(parts)


def paths(document: dict[str, Any], part: str) -> list[str]:
    return [one["path"] for one in document[part]]


# -- memories and notes --------------------------------------------------------------------------


def test_memories_that_came_changed_went_and_moved(program: InProcess) -> None:
    write(program, {"bone.md": memory_text("Bella has a bone.\n", id="m_bone000001", title="A bone")})
    (program.vault / "vet.md").write_bytes(VET.replace(b"Mondays", b"Fridays").replace(b"The vet\n", b"Our vet\n"))
    program.git("rm", "-q", "rain.md")
    program.git("mv", "cups.md", "three.md")
    commit(program)
    document = reviewed(program)
    nothing_but(document, "added", "changed", "removed", "moved")
    bone = {"kind": "memory", "ref": "note:m_bone000001", "title": "A bone", "path": "bone.md"}
    assert document["added"] == [bone]
    assert document["changed"] == [
        {
            "kind": "memory",
            "ref": "note:m_vet0000001",
            "title": "Our vet",
            "path": "vet.md",
            "changes": ['title "The vet" → "Our vet"', "body: 1 line changed"],
        }
    ]
    assert (paths(document, "removed"), document["removed"][0]["title"]) == (["rain.md"], "Rain")
    assert [(one["path_before"], one["path"]) for one in document["moved"]] == [("cups.md", "three.md")]
    main = program.git("rev-parse", "main").strip()
    head = program.git("rev-parse", "work").strip()
    assert [document[key] for key in ("branch", "head", "against", "base")] == ["work", head, "main", main]


def test_a_memory_that_moved_and_changed_is_told_as_both(program: InProcess) -> None:
    program.git("mv", "vet.md", "doctor.md")
    (program.vault / "doctor.md").write_bytes(VET.replace(b"kind", b"calm"))
    commit(program)
    document = reviewed(program)
    nothing_but(document, "changed", "moved")
    assert paths(document, "changed") == paths(document, "moved") == ["doctor.md"]


def test_what_differs_in_its_layout_alone_is_told_so(program: InProcess) -> None:
    (program.vault / "vet.md").write_bytes(VET.replace(b"title: The vet", b"title:   The vet"))
    commit(program)
    (changed,) = reviewed(program)["changed"]
    assert changed["changes"] == ["its layout only"]


def test_a_file_that_was_broken_and_is_mended_is_not_a_memory_that_came(program: InProcess) -> None:
    write(program, {"vet.md": VET.replace(b"title: The vet", b"title: The vet\ntitle: Again")})
    commit(program)
    nothing_but(reviewed(program, code=1), "findings")
    write(program, {"vet.md": VET})
    commit(program)
    document = reviewed(program, "--against", "HEAD~1")
    nothing_but(document, "changed")
    assert [(one["path"], one["changes"]) for one in document["changed"]] == [
        ("vet.md", ["its file could not be read"])
    ]


def test_plain_notes_are_told_as_notes(program: InProcess) -> None:
    write(program, {"plain.md": b"# A page\n\nTwo.\n", "new.md": b"# Another\n"})
    program.git("mv", "gone.md", "went.md")
    commit(program)
    document = reviewed(program)
    nothing_but(document, "added", "changed", "moved")
    assert {(one["kind"], one["ref"]) for part in ("added", "changed", "moved") for one in document[part]} == {
        ("note", None)
    }
    assert document["changed"][0]["changes"] == ["body: 1 line changed"]
    assert [(one["path_before"], one["path"]) for one in document["moved"]] == [("gone.md", "went.md")]
    (program.vault / "went.md").unlink()
    write(program, {"plain.md": memory_text("Two.\n", id="m_page000001", title="A page")})
    commit(program)
    document = reviewed(program)
    assert [(one["kind"], one["path"]) for one in document["added"]] == [("note", "new.md"), ("memory", "plain.md")]
    assert [(one["kind"], one["path"]) for one in document["removed"]] == [("note", "gone.md")]


# -- numbers and conflicts -----------------------------------------------------------------------


def test_a_number_that_evidence_moved_says_why_and_is_told_once(program: InProcess) -> None:
    program.ok("reinforce", "m_tea0000001", "--evidence", "m_cups000001", "--reason", "three cups in a row")
    commit(program)
    document = reviewed(program)
    (number,) = document["numbers"]
    assert (number["key"], number["before"], number["ref"]) == ("confidence", 0.8, "belief:m_tea0000001")
    assert number["after"] > 0.8
    line = (program.vault / "tea.md").read_text().splitlines()[number["line"] - 1]
    assert line.startswith("confidence: ")
    assert (number["because"]["op"], number["because"]["evidence_source"]) == ("support", "episode:m_cups000001")
    assert number["because"]["reason"] == "three cups in a row"
    assert not any("confidence" in change for one in document["changed"] for change in one["changes"])
    said = program.ok("review")
    assert f"0.80 → {number['after']:g} because episode:m_cups000001 (support): three cups in a row\n" in said


def test_numbers_changed_by_hand_are_told_too(program: InProcess) -> None:
    mood = TEA.replace(b"title: Tea", b"title: Tea\nmood: 3")
    (program.vault / "tea.md").write_bytes(mood)
    commit(program)
    assert reviewed(program)["changed"][0]["changes"] == ["mood added"]
    changed = mood.replace(b"mood: 3", b"mood: 5").replace(b"confidence: 0.8", b"confidence: 0.3")
    (program.vault / "tea.md").write_bytes(changed)
    commit(program)
    document = reviewed(program, "--against", "HEAD~1")
    nothing_but(document, "numbers")
    assert [(one["key"], one["before"], one["after"], one["because"]) for one in document["numbers"]] == [
        ("confidence", 0.8, 0.3, None),
        ("mood", 3, 5, None),
    ]
    said = program.ok("review", "--against", "HEAD~1")
    assert "    confidence 0.80 → 0.30, and its history does not say why\n" in said
    assert "    mood 3 → 5\n" in said


def test_only_conflicts_that_were_none_before_are_raised(program: InProcess) -> None:
    write(
        program,
        {"no.md": memory_text("Sean dislikes tea.\n", id="m_notea00001", type="belief", title="What Sean leaves")},
    )
    first = commit(program)
    document = reviewed(program)
    (found,) = document["conflicts"]
    assert sorted(found["refs"]) == ["belief:m_notea00001", "belief:m_tea0000001"]
    assert {(one["path"], one["excerpt"]) for one in found["lines"]} == {
        ("no.md", "Sean dislikes tea."),
        ("tea.md", "Sean likes tea."),
    }
    said = program.ok("review")
    for one in found["lines"]:
        assert f"    {one['path']}:{one['line_start']}: {one['excerpt']}\n" in said
    # The same pair is no news to a branch that changes one of them, or gives its file another name.
    program.git("mv", "no.md", "nay.md")
    (program.vault / "nay.md").write_bytes((program.vault / "nay.md").read_bytes().replace(b"dislikes", b"hates"))
    commit(program)
    assert len(program.json("conflicts")["conflicts"]) == 1
    document = reviewed(program, "--against", first)
    nothing_but(document, "changed", "moved")


# -- who sees what -------------------------------------------------------------------------------


def test_who_gains_and_who_loses_sight_one_by_one(program: InProcess) -> None:
    granted = VET.replace(b"title: The vet", b'title: The vet\naccess_grants: ["human:eve", "human:bob"]')
    write(program, {"vet.md": granted})
    first = commit(program)
    write(
        program,
        {
            "vet.md": granted.replace(b'"human:eve"', b'"*"').replace(b', "human:bob"', b""),
            "rain.md": RAIN.replace(b"title: Rain", b'title: Rain\naccess_grants: ["si:nobody_knows"]'),
        },
    )
    commit(program)
    document = reviewed(program, "--against", first)
    by_path = {one["path"]: one for one in document["sight"]}
    assert set(by_path) == {"vet.md", "rain.md"}
    assert by_path["vet.md"]["gained"] == [{"entity": "*", "context": None}]
    assert by_path["rain.md"]["gained"] == [{"entity": "si:nobody_knows", "context": None}]
    said = program.ok("review", "--against", first)
    assert "  everybody can now see\n    The vet  note:m_vet0000001  vet.md:" in said
    assert "  si:nobody_knows can now see\n    Rain  note:m_rain000001  rain.md:" in said
    program.git("revert", "--no-edit", "HEAD")
    said = program.ok("review", "--against", "HEAD~1")
    assert "  everybody can no longer see\n" in said
    assert "; but for human:bob, human:eve\n" in said
    program.git("rm", "-q", "vet.md")
    commit(program)
    said = program.ok("review", "--against", "HEAD~1").split("who sees more or less\n")[1]
    gone = "can no longer see\n    The vet  note:m_vet0000001  vet.md\n"
    assert said == f"  human:bob {gone}  human:eve {gone}"


def test_a_memory_without_an_id_is_no_way_past_it(program: InProcess) -> None:
    write(program, {"bare.md": b"---\ntype: note\naccess_grants: ['*']\n---\nTea is hot.\n"})
    commit(program)
    document = reviewed(program)
    nothing_but(document, "added", "sight", "findings")
    assert [one["code"] for one in document["findings"]] == ["grant-unrecorded"]
    (seen,) = document["sight"]
    assert (seen["ref"], seen["path"], seen["gained"]) == (None, "bare.md", [{"entity": "*", "context": None}])
    (changed,) = program.json("privacy", "diff", "main", "work")["changes"]
    assert (changed["path"], changed["gained"]) == ("bare.md", [{"entity": "*", "context": None}])
    assert "  everybody can now see\n    Tea is hot.  bare.md:3\n" in program.ok("review")


def test_a_guardian_changed_by_hand_shows_with_what_it_opens(program: InProcess) -> None:
    told = AGE.replace(b"title: Bella's age", b'title: Bella\'s age\naccess_grants: ["human:eve"]')
    write(program, {"age.md": told})
    first = commit(program)
    assert reviewed(program, code=1)["sight"] == []
    write(program, {"entities/dog/bella.md": BELLA.replace("human:claire", "human:eve").encode()})
    program.ok("privacy", "consent", "grant", "--from", "human:eve", "--for", "dog:bella", "--to", "human:max",
               "--scope", "m_age0000001", "--reason", "he walks her")  # fmt: skip
    commit(program)
    document = reviewed(program, "--against", first, code=1)
    nothing_but(document, "sight", "own_files", "findings")
    assert {one["code"] for one in document["findings"]} == {"registry-widened"}
    assert [(one["path"], one["gained"]) for one in document["sight"]] == [
        ("age.md", [{"entity": "human:eve", "context": None}])
    ]
    consent, entity = document["own_files"]
    assert consent["kind"] == "consent"
    assert consent["text"] == "human:eve for dog:bella lets human:max see mem:m_age0000001: he walks her"
    assert (entity["kind"], entity["id"], entity["done"]) == ("entity", "dog:bella", "changed")
    assert entity["text"] == "guardians +human:eve −human:claire"


def test_another_owner_shows_in_settings_and_in_who_sees_what(program: InProcess) -> None:
    settings = program.vault / ".memstore" / "config.toml"
    settings.write_text(settings.read_text().replace("human:tester", "human:eve"))
    commit(program)
    program.git("switch", "-q", "main")
    document = reviewed(program, "work", code=1)
    assert [one["code"] for one in document["findings"]] == ["owner-changed"]
    assert [(one["path"], one["text"]) for one in document["own_files"]] == [
        (".memstore/config.toml", "owner human:tester → human:eve")
    ]
    assert {seer["entity"] for one in document["sight"] for seer in one["gained"]} == {"human:eve"}
    assert {seer["entity"] for one in document["sight"] for seer in one["lost"]} == {"human:tester"}


def test_a_grant_that_is_regained_without_consent_is_an_error(program: InProcess) -> None:
    ref, path = program.add("Bella limps.", "--subject", "dog:bella")
    commit(program)
    path.write_text(path.read_text().replace("type: note", 'type: note\naccess_grants: ["human:eve"]'))
    commit(program)
    document = reviewed(program, "--against", "HEAD~1", code=1)
    assert (document["errors"], [one["code"] for one in document["findings"]]) == (
        1,
        ["grant-unrecorded", "grants-widened"],
    )
    assert ref == document["changed"][0]["ref"]
    assert document["changed"][0]["changes"] == ["access_grants +human:eve"]


# -- what is wrong with it ------------------------------------------------------------------------


def test_findings_are_those_of_check_against(program: InProcess) -> None:
    write(
        program,
        {
            "broken.md": b"---\ntype: note\nid: m_b\nid: m_b\n---\nx\n",
            "copy.md": VET,
            "rain.md": RAIN.replace(b"type: note", b"type: belief"),
        },
    )
    commit(program)
    document = reviewed(program, code=1)
    checked = validated(program.run("check", "--against", "main", "--json").stdout)
    assert document["findings"] == checked["findings"]
    assert {one["code"] for one in document["findings"]} == {"yaml-duplicate-key", "id-duplicate", "type-changed"}
    assert (document["errors"], document["warnings"]) == (2, 1)
    write(program, {"entities/dog/bella.md": b"---\ntype: entity\nid: dog:bella\nguardians: human:eve\n---\n"})
    commit(program)
    document = reviewed(program, "--against", "HEAD~1", code=1)
    assert {one["path"] for one in document["findings"]} == {"entities/dog/bella.md"}
    checked = validated(program.run("check", "--against", "HEAD~1", "--json").stdout)
    assert document["findings"] == checked["findings"]
    assert [(one["kind"], one["text"]) for one in document["own_files"]] == [("entity", "can't be read")]


def test_the_audit_of_the_branch_counts_wherever_one_stands(program: InProcess) -> None:
    program.ok("privacy", "grant", "tea.md", "--to", "si:pith", "-c")
    assert reviewed(program, "--against", "main")["findings"] == []
    program.git("switch", "-q", "main")
    assert not [*program.vault.glob("audit/**/*.json")]
    assert reviewed(program, "work")["findings"] == []
    # What is recorded here alone is not recorded there.
    program.ok("privacy", "grant", "vet.md", "--to", "human:bob", "-c")
    program.git("switch", "-q", "-c", "by-hand", "HEAD~1")
    write(program, {"vet.md": memory_text("Tea.\n", id="m_vet0000001", title="The vet", access_grants="['human:bob']")})
    commit(program)
    program.git("switch", "-q", "main")
    assert [one["code"] for one in reviewed(program, "by-hand")["findings"]] == ["grant-unrecorded"]


def test_lines_that_are_cited_and_that_the_branch_changes_are_told(program: InProcess) -> None:
    write(program, {"src.py": b"one = 1\ntwo = 2\nthree = 3\n", "old.py": b"".join(b"x = %d\n" % n for n in range(20))})
    commit(program)
    refs = [program.json("add", f"It is {name}.", "--cite", name, "-c")["ref"] for name in ("src.py:L2", "old.py:L3")]
    base = program.git("rev-parse", "HEAD").strip()
    program.git("mv", "old.py", "new.py")
    write(program, {"src.py": b"zero = 0\none = 1\ntwo = 2\nthree = 3\n"})
    commit(program)
    assert reviewed(program, "--against", base)["notices"] == []  # they only moved
    write(program, {"src.py": b"one = 1\ntwo = 22\nthree = 3\n"})
    changed = commit(program)
    program.git("switch", "-q", "main")
    document = reviewed(program, "work", "--against", base)
    (notice,) = document["notices"]
    assert (notice["code"], notice["path"], notice["line"]) == ("citation-changed", "src.py", 2)
    assert notice["text"].startswith(f"{refs[0]} cites line 2 of revision ")
    assert (document["errors"], document["warnings"]) == (0, 0)
    told = program.ok("review", "work", "--against", base)
    assert "1 citation outdated\n" in told
    assert "cited lines that change\n  src.py:2:1: notice: " in told
    assert "::notice file=src.py,line=2" in program.ok("review", "work", "--against", base, "--output-format", "github")
    program.git("switch", "-q", "work")
    program.git("rm", "-q", "src.py")
    commit(program)
    assert [one["text"][-14:] for one in reviewed(program, "--against", base)["notices"]] == [" which is gone"]
    assert reviewed(program, "--against", changed)["notices"] == []  # it was so before


def test_a_consent_whose_file_is_gone_is_an_error(program: InProcess) -> None:
    program.ok("privacy", "consent", "refuse", "--from", "human:claire", "--to", "*", "--scope", "subject:dog:bella")
    commit(program)
    next(program.vault.glob("consents/*/*.md")).unlink()
    commit(program)
    document = reviewed(program, "--against", "HEAD~1", code=1)
    assert [one["code"] for one in document["findings"]] == ["consent-deleted"]
    assert document["own_files"][0]["text"] == "human:claire refuses everybody subject:dog:bella"


def test_github_gets_a_line_for_each_at_its_place_in_the_repository(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    repository, program.vault = tmp_path / "vault", tmp_path / "vault" / "notes" / "own"
    program.vault.mkdir(parents=True)
    program.ok("init", ".", "--owner", "human:tester")
    write(program, BASE)
    (repository / "code.py").write_text("x = 1\n")
    if not (repository / ".git").exists():
        program.git("-C", "../..", "init", "-q")
    commit(program)
    program.git("switch", "-q", "-c", "work")
    (repository / "code.py").write_text("x = 2\n")
    program.ok("reinforce", "m_tea0000001", "--evidence", "m_cups000001")
    write(
        program,
        {
            "no.md": memory_text("Sean dislikes tea.\n", id="m_notea00001", type="belief"),
            "vet.md": VET.replace(b"title: The vet", b'title: The vet\naccess_grants: ["*"]'),
            "broken.md": b"---\ntype: note\nid: m_b\nid: m_b\n---\nx\n",
        },
    )
    commit(program)
    prefix = program.git("rev-parse", "--show-prefix").strip()
    done = program.run("review", "--output-format", "github")
    assert done.returncode == 1
    kinds = {line.split(" ")[0]: line for line in done.stdout.splitlines()}
    assert set(kinds) == {"::error", "::warning", "::notice"}
    assert kinds["::error"].startswith(f"::error file={prefix}broken.md,line=4,")
    said = done.stdout
    assert f"::warning file={prefix}no.md,line=" in said
    assert f"title=conflict raised::Sean dislikes tea.%0A{prefix}tea.md:" in said
    assert f"::warning file={prefix}vet.md,line=5,col=1,title=access gained::The vet: now seen by everybody\n" in said
    assert kinds["::notice"].startswith(f"::notice file={prefix}tea.md,line=")
    assert "title=number moved::Tea: confidence 0.80 → " in kinds["::notice"]
    assert [one["path"] for one in reviewed(program, code=1)["added"]] == ["no.md"]


def test_what_is_not_committed_is_no_part_of_it(program: InProcess) -> None:
    (program.vault / "vet.md").write_bytes(VET.replace(b"Mondays", b"Fridays"))
    done = program.run("review")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "nothing to review: main has all that is committed on work\n"
        "1 file is not committed, and not part of this; see memstore status\n"
    )
    commit(program)
    program.ok("privacy", "entity", "add", "dog:rex")
    (program.vault / "vet.md").write_bytes(VET)
    assert program.run("review").stderr == "3 files are not committed, and not part of this; see memstore status\n"
    assert program.run("review", "main", "--against", "work").stderr == ""
    assert program.run("--quiet", "review").stderr == ""


def test_the_first_line_counts_and_parts_without_anything_are_left_out(program: InProcess) -> None:
    write(program, {"new.md": b"# Another\n", "bone.md": memory_text("Bone.\n", id="m_bone000001")})
    program.git("rm", "-q", "rain.md")
    commit(program)
    base = program.git("rev-parse", "--short=10", "main").strip()
    assert program.ok("review").splitlines() == [
        f"work against main ({base}): 1 memory added, 1 removed; 1 note added",
        "",
        "added",
        "  Bone.  note:m_bone000001  bone.md",
        "  Another  plain note  new.md",
        "",
        "removed",
        "  Rain  note:m_rain000001  rain.md",
    ]


# -- which commits --------------------------------------------------------------------------------


def test_another_branch_is_compared_with_where_it_left_this_one(program: InProcess) -> None:
    write(program, {"bone.md": memory_text("Bone.\n", id="m_bone000001")})
    commit(program)
    program.git("switch", "-q", "main")
    write(program, {"later.md": memory_text("Later.\n", id="m_later00001")})
    commit(program)
    document = reviewed(program, "work")
    assert (document["against"], paths(document, "added"), document["removed"]) == ("main", ["bone.md"], [])
    outright = reviewed(program, "work", "--against", "main")
    assert (paths(outright, "added"), paths(outright, "removed")) == (["bone.md"], ["later.md"])
    program.git("switch", "-q", "work")
    assert reviewed(program, "work") == reviewed(program)
    program.git("switch", "-q", "--detach", "work")
    detached = reviewed(program)
    assert (detached["branch"], detached["against"]) == (document["head"][:10], "main")
    assert paths(detached, "added") == ["bone.md"]


def test_a_merged_branch_and_the_default_one_have_nothing_to_review(program: InProcess) -> None:
    write(program, {"bone.md": memory_text("Bone.\n", id="m_bone000001")})
    commit(program)
    program.git("switch", "-q", "main")
    program.git("merge", "-q", "--no-ff", "--no-edit", "work")
    done = program.run("review", "work")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "nothing to review: main has all that is committed on work\n"
    done = program.run("review")
    assert "main is the default branch; memstore review BRANCH reviews another" in done.stderr
    nothing_but(reviewed(program, "work"))


def test_the_remotes_default_branch_comes_before_one_of_this_clone(program: InProcess) -> None:
    write(program, {"bone.md": memory_text("Bone.\n", id="m_bone000001")})
    first = commit(program)
    program.git("branch", "trunk")
    write(program, {"more.md": memory_text("More.\n", id="m_more000001")})
    commit(program)
    program.git("update-ref", "refs/remotes/origin/trunk", first)
    assert reviewed(program)["against"] == "main"
    program.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    document = reviewed(program)
    assert (document["against"], paths(document, "added")) == ("origin/trunk", ["more.md"])
    # A branch that only the remote has goes by its name, as for git switch.
    program.git("branch", "-D", "trunk")
    assert reviewed(program, "--against", "trunk")["against"] == "origin/trunk"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("review", "nowhere"), "there is no branch or commit `nowhere`\nhint: git branch --all"),
        (("review", "--", "--all"), "there is no branch or commit `--all`"),
        (("review", "--against", "nowhere"), "there is no branch or commit `nowhere`"),
        (("review", "--against", ""), "there is no branch or commit ``"),
    ],
)
def test_a_branch_that_is_not_there(program: InProcess, words: tuple[str, ...], said: str) -> None:
    done = program.run(*words)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"memstore: {said}")


def test_where_it_began_can_not_be_told(program: InProcess) -> None:
    program.git("branch", "-D", "main")
    done = program.run("review")
    assert done.returncode == 3
    assert "there is no origin/HEAD, main or master\nhint: memstore review --against REV" in done.stderr
    assert program.run("review", "--against", "HEAD").returncode == 0
    program.git("checkout", "-q", "--orphan", "empty")
    done = program.run("review")
    assert (done.returncode, "nothing is committed on empty yet" in done.stderr) == (3, True)


def test_no_commit_in_common_and_no_commit_at_all(program: InProcess) -> None:
    program.git("switch", "-q", "--orphan", "empty")
    assert "is a vault on the branch main" in program.run("init", ".", "--owner", "human:tester").stderr
    program.git("checkout", "main", "--", ".memstore")
    done = program.run("review", "main")
    assert (done.returncode, "hint: memstore review main --against REV" in done.stderr) == (3, True)
    commit(program)
    done = program.run("review", "main")
    assert (done.returncode, "main and empty have no commit in common" in done.stderr) == (3, True)
    assert len(reviewed(program, "main", "--against", "empty")["added"]) == 7


def test_without_a_repository(program: InProcess) -> None:
    (program.vault / ".git").rename(program.home / "elsewhere")
    done = program.run("review")
    assert (done.returncode, done.stdout) == (5, "")
    assert "is not in a git repository" in done.stderr


def test_it_is_the_owners_alone(program: InProcess) -> None:
    commit(program)
    for words in (("review",), ("review", "nowhere"), ("review", "work", "--against", "main")):
        told = program.run("--as", "human:bob", *words)
        assert (told.returncode, told.stdout) == (4, "")
        assert told.stderr == program.run("--as", "human:bob", "log").stderr


def test_the_installed_program_writes_nothing(program: InProcess) -> None:
    write(program, {"bone.md": memory_text("Bone.\n", id="m_bone000001")})
    commit(program)
    installed = Program(program.home)
    before = {place: place.read_bytes() for place in installed.vault.rglob("*") if place.is_file()}
    assert installed.ok("review").splitlines()[0].endswith("1 memory added")
    assert {place: place.read_bytes() for place in installed.vault.rglob("*") if place.is_file()} == before
    assert len(installed.ok("--jsonl", "review").splitlines()) == 1


# -- in a pull request ----------------------------------------------------------------------------


def test_the_workflow_of_the_documents_says_what_the_branch_brings(program: InProcess) -> None:
    page = (ROOT / "docs" / "review.md").read_text(encoding="utf-8")
    block, _ = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    steps = yaml.safe_load(block)["jobs"]["review"]["steps"]
    calls = [words[1:] for step in steps if (words := step.get("run", "").split())[:1] == ["memstore"]]
    assert [words[0] for words in calls] == ["check", "review"]
    write(program, {"broken.md": b"---\ntype: note\nid: m_b\nid: m_b\n---\nx\n"})
    commit(program)
    program.git("switch", "-q", "main")
    write(program, {"later.md": memory_text("Later.\n", id="m_later00001")})
    commit(program)
    # As GitHub checks a pull request out: merged, on no branch, with no branch of this clone and no origin/HEAD.
    program.git("switch", "-q", "--detach")
    program.git("-c", "core.hooksPath=/dev/null", "merge", "-q", "--no-ff", "--no-edit", "work")
    program.git("update-ref", "refs/remotes/origin/main", "main")
    program.git("branch", "-D", "main", "work")
    checked, done = (program.run(*words) for words in calls)
    assert (checked.returncode, done.returncode) == (1, 1)
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == ["::error file=broken.md"]
    assert reviewed(program, code=1)["against"] == "origin/main"
