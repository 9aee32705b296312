"""A vault made where notes lie: they stay what they are, are found by every word, and by nobody but their owner."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memstore.search.disk_library import MOST_LAID_OVER
from tests.installed import ROOT
from tests.support import examples
from tests.whole.program import InProcess

pytestmark = pytest.mark.soak(14, together=True)

NOTES = {
    "Sourdough.md": (
        "# Sourdough starter\n\nFeed it daily, says [[Bella]].\n\n| flour | grams |\n|---|---|\n| rye | 100 |\n"
    ),
    "people/Bella.md": (
        "---\ntype: person\nauthor: Sean\nstatus: draft\ntags: [pets/dog]\naliases: [Bells]\nid: 7\n---\n"
        "Eats at eight.\n"
    ),
    "people/Tom.md": "He likes to be in, not out.\n",
    "sub/visits.md": "Ines came by.\n",
    "posts/2016-04-26-zettel.markdown": "---\n{{ broken: [\n---\nWritten by hand, #gardening.\n",
    "toml.md": '+++\ntitle = "Kettle"\n+++\nBoils.\n',
    "README.md": "# Readme of the quokkas\n",
    "latin1.md": "Caf\udce9 umlaut\n",
}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> InProcess:
    program = InProcess(tmp_path_factory.mktemp("mixed"))
    program.vault.mkdir()
    lay_out(program.vault, NOTES)
    lay_out(program.vault, {".gitignore": "build/\n", "build/x.md": "wombat\n", "node_modules/a/README.md": "wombat\n"})
    program.git("init", "-q")
    program.git("add", "-A")
    program.git("commit", "-qm", "before memstore")
    made = program.json("init", ".", "--owner", "human:sean")
    assert (made["notes"], made["mixed"]) == (len(NOTES), True)
    program.git("add", "-A")
    program.git("commit", "-qm", "a vault")
    return program.in_process()


def lay_out(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode("utf-8", "surrogateescape"))


def first_hit(program: InProcess, *words: str) -> tuple[str, int] | None:
    results = program.json("search", *words)["results"]
    return (results[0]["path"], results[0]["citation"]["line_start"]) if results else None


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("sourdough", ("Sourdough.md", 1)),
        ("rye", ("Sourdough.md", 7)),
        ("bells", ("people/Bella.md", 6)),
        ("pets", ("people/Bella.md", 5)),
        ("Ines", ("sub/visits.md", 1)),
        ("+Ines", ("sub/visits.md", 1)),
        ('"Ines"', ("sub/visits.md", 1)),
        ("who is Tom", ("people/Tom.md", 1)),
        ("kettle", ("toml.md", 2)),
        ("gardening", ("posts/2016-04-26-zettel.markdown", 2)),
        ("quokkas", ("README.md", 1)),
        ("umlaut", ("latin1.md", 1)),
        ("wombat", None),
    ],
)
def test_a_note_is_found_by_what_it_says(notes: InProcess, words: str, place: tuple[str, int] | None) -> None:
    assert first_hit(notes, "--", words) == place


@pytest.mark.parametrize("fence", ["---\n", "+++\n", "---\r\n"])
def test_a_hit_by_a_files_name_shows_the_name(tmp_path: Path, fence: str) -> None:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    lay_out(program.vault, {"Fushimi Inari.md": f"{fence}{fence}", "Tea.md": "Hot.\n"})
    program.ok("init", ".", "--owner", "human:sean")
    assert program.ok("search", "inari").startswith("Fushimi Inari.md:1: Fushimi Inari [note")


def test_nothing_is_wrong_with_notes_and_git_commits_them(notes: InProcess) -> None:
    assert (notes.json("check")["errors"], notes.run("check").returncode) == (0, 0)
    file = notes.vault / "people/Bella.md"
    before = file.read_bytes()
    file.write_bytes(before + b"And naps.\n")
    notes.git("commit", "-qam", "by hand")
    assert notes.git("status", "--porcelain") == ""
    file.write_bytes(before)
    notes.git("commit", "-qam", "by hand, back")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("check",), f"{len(NOTES)} notes, 0 errors, 0 warnings; no link leads nowhere; no memories yet"),
        (("list", "--stats"), f"     {len(NOTES)}  notes"),
        (("status",), f"{len(NOTES)} notes, on branch main at HEAD, all committed"),
        (("diff",), "no difference"),
        (("log", "toml.md"), "add Kettle  toml.md  Tester"),
        (("blame", "toml.md"), '   2  title = "Kettle"'),
    ],
)
def test_where_all_are_notes_each_command_is_about_them(notes: InProcess, words: tuple[str, ...], told: str) -> None:
    head = notes.git("rev-parse", "--short=10", "HEAD").strip()
    done = notes.run(*words)
    assert told.replace("HEAD", head) in done.stdout + done.stderr
    hidden = notes.run("--as", "human:claire", *words)
    assert not any(word in hidden.stdout + hidden.stderr for word in ("note", "Kettle", "8"))


def test_a_note_with_lower_headings_alone_is_called_by_its_files_name(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    lay_out(program.vault, {"Kettle.md": "Boil.\n\n## Care\n\nClean it.\n", "a.md": "[[Kettle]], [[Care]]\n"})
    program.ok("init", ".", "--owner", "human:sean")

    def titles() -> set[str]:
        listed = {one["title"] for one in program.json("list")["memories"]}
        found = program.json("search", "clean")["results"][0]["title"]
        assert [link["to"] and link["to"]["title"] for link in program.json("links", "a.md")["outgoing"]] == [
            found,
            None,
        ]
        return listed & {found}

    assert titles() == {"Kettle"}
    program.ok("adopt", "Kettle.md")
    assert titles() == {"Kettle"}


PROPERTIES = """---
related: "[[Tea]]"   # and more
up: [[Tea#Pot]]
flow: ['[[tea|the tea]]', "[[gone]]"]
said: of [[Tea]]
---
[[Tea]]
"""


def test_links_in_properties_are_known_and_follow_a_file_that_moves(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    lay_out(
        program.vault, {"Tea.md": "Hot.\n", "a.md": PROPERTIES, "latin1.md": "---\nup: x\n---\n[[Tea]] Caf\udce9\n"}
    )
    program.ok("init", ".", "--owner", "human:sean")
    incoming = program.json("links", "Tea")["incoming"]
    assert [link["line"] for link in incoming if link["from"]["path"] == "a.md"] == [2, 3, 4, 5, 7]
    assert "a.md:4:1: notice: [[gone]] leads to no note" in program.run("check", "--strict").stdout
    # YAML would read an unquoted name with a comma otherwise, and what isn't UTF-8 can't be written back.
    moved = program.run("mv", "Tea.md", "Tea, green.md")
    for left in ("a.md:3: [[Tea#Pot]]", "a.md:5: [[Tea]]", "latin1.md:4: [[Tea]]"):
        assert left in moved.stdout + moved.stderr
    partly = PROPERTIES.replace('"[[Tea]]"', '"[[Tea, green]]"').replace("tea|", "Tea, green|")
    assert (program.vault / "a.md").read_text() == partly.replace("---\n[[Tea", "---\n[[Tea, green")
    assert (program.vault / "latin1.md").read_bytes() == b"---\nup: x\n---\n[[Tea]] Caf\xe9\n"
    program.ok("undo")
    program.ok("mv", "Tea.md", "b/Green tea.md")
    assert (program.vault / "a.md").read_text() == PROPERTIES.replace("[[Tea", "[[Green tea").replace(
        "[[tea|", "[[Green tea|"
    )


def test_a_note_is_shown_linked_and_cited_by_its_names(notes: InProcess) -> None:
    assert "Feed it daily" in notes.run("show", "Sourdough starter").stdout
    assert notes.run("show", "--path", "Bells").stdout.strip().endswith("people/Bella.md")
    links = notes.json("links", "people/Bella.md")
    assert [one["from"]["path"] for one in links["incoming"]] == ["Sourdough.md"]
    assert notes.json("show", "--cite", "Sourdough.md#L3")["citation"]["excerpt"].startswith("Feed it daily")


@pytest.mark.parametrize("command", ["log", "blame", "diff"])
def test_the_history_of_a_hidden_note_is_that_of_a_missing_one(notes: InProcess, command: str) -> None:
    for named in ("Sourdough starter", "bells", "toml.md"):
        assert notes.run(command, named).returncode == 0
        assert notes.run("--as", "human:claire", command, named).stderr == notes.run(
            "--as", "human:claire", command, "no such name"
        ).stderr.replace("no such name", named)


@pytest.mark.parametrize("command", ["trace", "trust"])
def test_a_note_named_to_a_command_for_memories_is_told_to_be_one(notes: InProcess, command: str) -> None:
    for named, path in (("Sourdough starter", "Sourdough.md"), ("bells", "people/Bella.md")):
        done = notes.run(command, named)
        assert done.returncode == 3
        assert (
            f"`{named}` is a plain note, not a memory: {path}\nhint: memstore adopt {path} makes it one" in done.stderr
        )
        assert notes.run("--as", "human:claire", command, named).stderr == notes.run(
            "--as", "human:claire", command, "no such name"
        ).stderr.replace("no such name", named)


def test_an_adoption_that_is_advised_can_be_typed_as_it_stands(notes: InProcess) -> None:
    path = "to be typed.md"
    lay_out(notes.vault, {path: "Boils.\n"})
    assert "hint: memstore adopt 'to be typed.md' makes it one\n" in notes.run("trace", path).stderr
    (notes.vault / path).unlink()


@pytest.mark.parametrize(
    "words",
    [
        ("search", "sourdough"), ("list",), ("show", "Sourdough.md"), ("show", "Sourdough starter"),
        ("show", "--cite", "Sourdough.md#L1"), ("links", "people/Bella.md"), ("show", "--path", "Bells"),
        ("recall", "sourdough"),
        ("list", "--stats"), ("conflicts",), ("trace", "Sourdough.md"), ("search", "sourdou*"),
        ("search", "--by", "passage", "eight"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("who", [("--as", "si:ash"), ("--context", "ctx:park")])
def test_for_others_there_are_no_notes(notes: InProcess, words: tuple[str, ...], who: tuple[str, ...]) -> None:
    assert notes.run(*who, *words).returncode in (0, 3)
    seen = notes.run(*who, *words)
    for path in NOTES:
        (notes.vault / path).rename(notes.vault / f"{path}.hidden")
    try:
        without = notes.run(*who, *words)
    finally:
        for path in NOTES:
            (notes.vault / f"{path}.hidden").rename(notes.vault / path)
    assert (seen.returncode, seen.stdout, seen.stderr) == (without.returncode, without.stdout, without.stderr)


def test_a_note_is_as_old_as_it_says_or_as_its_first_commit_or_its_file(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    lay_out(
        program.vault, {"said.md": "---\ncreated: 2020-01-02\n---\nx\n", "2021-02-03 named.md": "x\n", "old.md": "x\n"}
    )
    program.git("init", "-q")
    program.git("add", "-A")
    program.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "x", "--date", "2019-01-01T00:00:00Z")
    program.ok("init", ".")
    lay_out(program.vault, {"new.md": "x\n"})
    os.utime(program.vault / "new.md", (1_600_000_000, 1_600_000_000))
    os.utime(program.vault / "old.md", (1_600_000_000, 1_600_000_000))
    made = {one["path"]: one["created_at"] for one in program.json("list")["memories"]}
    assert made["said.md"] == "2020-01-02T00:00:00Z"
    assert made["2021-02-03 named.md"] == "2021-02-03T00:00:00Z"
    assert made["old.md"] == "2019-01-01T00:00:00Z"
    assert made["new.md"] == "2020-09-13T12:26:40Z"
    pulled = [f"pulled {number}.md" for number in range(MOST_LAID_OVER)]
    lay_out(program.vault, dict.fromkeys(pulled, "x\n"))
    program.git("add", "-A")
    program.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "x", "--date", "2022-03-04T05:06:07Z")
    for path in (*pulled, "new.md"):
        os.utime(program.vault / path, (1_600_000_000, 1_600_000_001))
    made = {one["path"]: one["created_at"] for one in program.json("list")["memories"]}
    assert {made[path] for path in pulled} == {"2022-03-04T05:06:07Z"}


def test_the_settings_may_name_who_else_sees_notes(notes: InProcess) -> None:
    settings_file = notes.vault / ".memstore/config.toml"
    before = settings_file.read_text()
    settings_file.write_text(before + 'notes_for = ["si:ash"]\n')
    try:
        assert first_hit(notes, "--as", "si:ash", "sourdough") == ("Sourdough.md", 1)
        assert first_hit(notes, "--as", "si:pith", "sourdough") is None
        assert first_hit(notes, "--as", "si:ash", "--context", "ctx:park", "sourdough") is None
    finally:
        settings_file.write_text(before)


def test_adopted_notes_gain_lines_and_lose_none(notes: InProcess) -> None:
    files = {path: (notes.vault / path).read_bytes() for path in NOTES}
    done = notes.run("adopt", "--all")
    assert done.returncode == 1
    for why in ("its front matter is TOML", "its `id` is another program's", "not UTF-8"):
        assert why in done.stderr
    changed = {path for path, data in files.items() if (notes.vault / path).read_bytes() != data}
    assert changed == {"Sourdough.md", "people/Tom.md", "sub/visits.md", "README.md"}
    for path in changed:
        lines = iter((notes.vault / path).read_bytes().splitlines())
        assert all(line in lines for line in files[path].splitlines())
    assert notes.json("check")["errors"] == 0
    notes.ok("undo")
    assert {path: (notes.vault / path).read_bytes() for path in NOTES} == files


def test_an_adopted_note_keeps_its_names(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    pages = {
        "Albums.md": "---\ntags: [music]\n---\n\n![[Albums.base]]\n",
        "pages/a___block.md": "alias:: Brick, [[Piece]]\n\n- ## Usage\n",
        "journals/2026_02_01.md": "- It rained.\n",
        "Kettle.md": "---\nalias: [Boiler]\n---\n# The *old* kettle\n",
        "links.md": "[[Albums]] [[a/block]] [[Brick]] [[Piece]] [[2026-02-01]] [[The *old* kettle]] [[boiler]]\n",
    }
    program.vault.mkdir()
    lay_out(program.vault, pages)
    program.ok("init", ".", "--owner", "human:sean")
    lacks = {one["path"]: one["lacks"] for one in program.json("adopt")["adoptable"]}
    assert lacks["Albums.md"] == ["type", "id", "title", "created_at", "source_type"]
    program.ok("adopt", "--all")
    assert [one for one in program.json("check")["findings"] if one["code"] == "link-dangling"] == []
    titles = {one["path"]: one["title"] for one in program.json("list")["memories"]}
    assert titles == {
        "Albums.md": "Albums",
        "pages/a___block.md": "a/block",
        "journals/2026_02_01.md": "It rained.",
        "Kettle.md": "The old kettle",
        "links.md": "links",
    }
    assert b"\ntitle:" not in (program.vault / "Kettle.md").read_bytes()


def test_an_adopted_note_keeps_its_tags_and_what_it_came_with_is_no_slip(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    pages = {
        "obsidian.md": "---\ntag: tea\nalias: Chai\ncreated: 2020-01-02\n---\nOne.\n",
        "hugo.md": "---\nkeywords: [tea, green pot]\n---\nTwo #kitchen.\n",
        "logseq.md": "tags:: tea, [[Bella]]\n\nThree.\n",
        "usual.md": "---\ntags: [tea]\n---\nFour.\n",
    }
    program.vault.mkdir()
    lay_out(program.vault, pages)
    program.ok("init", ".", "--owner", "human:sean")

    def tagged(tag: str) -> set[str]:
        return {one["path"] for one in program.json("list", "--tag", tag)["memories"]}

    before = {tag: tagged(tag) for tag in ("tea", "green pot", "kitchen", "Bella")}
    assert before["tea"] == {*pages}
    program.ok("adopt", "--all")
    assert {tag: tagged(tag) for tag in before} == before
    assert (program.vault / "usual.md").read_text().count("tags") == 1
    assert program.json("check")["findings"] == []


def test_a_note_that_cannot_be_adopted_is_reported_with_its_own_lines(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    pages = {
        "owned.md": b"---\ntype: Project\nowner: Jane\n---\nText.\n",
        "latin.md": b"# Tea\n\nCaf\xe9\n",
        "tagged.md": b"---\nby: me\ntags: [a, 1]\n---\nText.\n",
    }
    program.vault.mkdir()
    for path, data in pages.items():
        (program.vault / path).write_bytes(data)
    program.ok("init", ".", "--owner", "human:sean")
    done = program.run("adopt", "--all")
    assert done.returncode == 1
    for place in ("owned.md:3:1: ", "latin.md:3:4: ", "tagged.md:3:11: "):
        assert place in done.stderr


def test_front_matter_in_json_stays_first(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    page = b'{\n  "title": "Squids of the north",\n  "draft": true\n}\n\nTen arms.\n'
    texts = {"brace.md": b"{% include tea.html %}\n\nTea.\n", "json.md": b'{"a": 1}\n'}
    program.vault.mkdir()
    for path, data in {"squids.md": page, **texts}.items():
        (program.vault / path).write_bytes(data)
    program.ok("init", ".", "--owner", "human:sean")
    done = program.run("adopt", "--all")
    assert (done.returncode, "its front matter is JSON" in done.stderr) == (1, True)
    assert (program.vault / "squids.md").read_bytes() == page
    assert all((program.vault / path).read_bytes() != data for path, data in texts.items())


def test_a_note_that_is_to_be_changed_becomes_a_memory_on_the_way(notes: InProcess) -> None:
    before = (notes.vault / "people/Tom.md").read_bytes()
    done = notes.run("set", "people/Tom.md", "importance=high")
    assert (done.returncode, "adopted people/Tom.md" in done.stderr) == (0, True), done
    data = (notes.vault / "people/Tom.md").read_bytes()
    assert data.endswith(before)
    assert b"importance: high" in data
    (notes.vault / "people/Tom.md").write_bytes(before)
    assert notes.run("set", "people/Tom.md", "importance=high", "--dry-run").returncode == 3


@pytest.mark.parametrize("words", [("edit", "{}", "Bella sleeps."), ("set", "{}", "importance=high")])
def test_the_name_of_a_note_that_is_adopted_on_the_way_does_nothing_to_a_terminal(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    name = "a\x1b[8m\nb.md"
    lay_out(program.vault, {name: "Bella barks.\n"})
    program.ok("init", ".", "--owner", "human:sean")
    done = program.run(*(word.format(name) for word in words))
    assert "a<U+001B>[8m b.md" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_a_note_that_is_saved_while_it_is_edited_keeps_both_texts(notes: InProcess) -> None:
    path = notes.vault / "people/Tom.md"
    before = path.read_bytes()
    editor = notes.home / "editor"
    editor.write_text(f"#!/bin/sh\necho autosaved >> {path}\necho written >> $1\n")
    editor.chmod(0o755)
    done = notes.run("edit", "people/Tom.md", EDITOR=str(editor))
    assert (done.returncode, "changed the same lines in the meantime" in done.stderr) == (6, True), done
    assert "stays a plain note" not in done.stderr
    assert "adopted people/Tom.md: note:m_" in done.stderr
    draft = Path(done.stderr.partition("the draft is kept in ")[2].partition("\n")[0])
    assert draft.read_bytes().endswith(b"written\n")
    assert path.read_bytes().endswith(before + b"autosaved\n")
    path.write_bytes(before)


def test_a_note_that_cannot_be_adopted_on_the_way_is_told_why(notes: InProcess) -> None:
    (notes.vault / "post.md").write_bytes(page := b"+++\ntitle = 'Tea'\n+++\nHot.\n")
    for words in (("tag", "post.md", "x"), ("set", "post.md", "mood=calm"), ("edit", "post.md", "Cold.")):
        done = notes.run(*words)
        assert done.returncode == 3
        assert "post.md:1:1: its front matter is TOML, and nothing may be put before it" in done.stderr
        assert "makes it one" not in done.stderr
    assert (notes.vault / "post.md").read_bytes() == page
    notes.ok("mv", "post.md", "tea.md")  # which needs nothing of it
    assert (notes.vault / "tea.md").read_bytes() == page
    (notes.vault / "tea.md").unlink()


@pytest.mark.parametrize(
    ("exit_code", "args"),
    [
        pytest.param(3, ["check", "fmt", "--check", "people/Tom.md"], id="only-a-check"),
        pytest.param(3, ["beliefs", "recompute", "--check", "people/Tom.md"], id="only-a-check-of-numbers"),
        pytest.param(0, ["set", "people/Tom.md", "salience="], id="nothing-to-do"),
        pytest.param(6, ["mv", "people/Tom.md", "people/Bella.md"], id="fails"),
        pytest.param(3, ["conflicts", "merge", "people/Tom.md", "sub/visits.md", "m_0000000000"], id="second-fails"),
        pytest.param(2, ["reinforce", "people/Tom.md", "--evidence", "sub/visits.md"], id="no-confidence"),
    ],
)
def test_a_command_that_changes_nothing_leaves_the_note_a_note(
    notes: InProcess, exit_code: int, args: list[str]
) -> None:
    before = {path: (notes.vault / path).read_bytes() for path in NOTES}
    done = notes.run(*args)
    assert {path: (notes.vault / path).read_bytes() for path in NOTES} == before
    assert (done.returncode, "adopted" in done.stderr) == (exit_code, False), done
    assert exit_code in (0, 3) or args[0] == "mv" or "stays a plain note" in done.stderr


def test_a_note_larger_than_a_memory_may_be_stops_nothing(notes: InProcess) -> None:
    """It is a note by its name; one that claims to be a memory is a broken one, which only its owner knows of."""
    log = notes.vault / "wallaby-log.md"
    log.write_bytes(b"# Log\n" + b"a line of it\n" * 700_000)
    assert notes.json("check")["errors"] == 0
    assert [hit["path"] for hit in notes.json("search", "wallaby")["results"]] == ["wallaby-log.md"]
    assert "wallaby-log" in notes.ok("show", "wallaby-log.md")
    assert "same: wallaby-log.md:1\n" in notes.ok("show", "--cite", "wallaby-log.md")
    notes.git("add", "-A")
    notes.git("commit", "-qm", "a log")
    log.write_bytes(b"---\nowner: si:ash\n---\n" + log.read_bytes())
    done = notes.run("check")
    assert (done.returncode, "file-too-large" in done.stdout) == (1, True), done
    log.unlink()
    notes.git("commit", "-qam", "no log")


def test_lines_of_an_earlier_revision_are_followed(notes: InProcess) -> None:
    path = notes.vault / "sub/visits.md"
    before = path.read_bytes()
    cited = notes.ok("show", "--cite", "sub/visits.md:L1").splitlines()[0]
    path.write_bytes(b"At noon.\n" + before)
    assert "moved: sub/visits.md:2" in notes.ok("show", "--cite", cited)
    notes.ok("adopt", "sub/visits.md")
    assert "moved: sub/visits.md:" in notes.ok("show", "--cite", cited)
    path.write_bytes(before)


def test_a_note_or_memory_that_a_commit_deleted_has_a_log_by_its_path(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    lay_out(program.vault, {"one.md": "# One\n\nFirst.\n", "two.md": "# Two\n\nSecond.\n"})
    program.git("init", "-q")
    program.json("init", ".", "--owner", "human:sean")
    memory = program.json("add", "Tea is hot", "-c")["path"]
    program.git("add", "-A")
    program.git("commit", "-qm", "notes")
    program.git("rm", "-q", "one.md", memory)
    program.git("commit", "-qm", "gone")

    def verbs(path: str) -> list[str]:
        return [line["verb"] for line in program.json("log", path)["entries"]]

    assert verbs("one.md") == verbs(memory) == ["delete", "add"]
    below = program.vault / "below"
    below.mkdir()
    for folder, path in ((below, "../one.md"), (below, "one.md"), (program.vault, "./one.md")):
        assert "delete One" in program.ok("log", path, cwd=folder), path
    for path in ("none.md", "../one.md", "/one.md", str(program.vault / "none.md")):
        assert program.run("log", path).returncode == 3


def test_an_empty_note_is_found_by_its_name(notes: InProcess) -> None:
    (notes.vault / "Empty Numbat.md").write_bytes(b"")
    assert notes.ok("search", "numbat").startswith("Empty Numbat.md:1: ")
    cited = notes.ok("show", "--cite", "Empty Numbat.md").splitlines()[0]
    assert cited.startswith("[[Empty Numbat.md#L1@")
    assert "same: " in notes.ok("show", "--cite", cited)
    (notes.vault / "Empty Numbat.md").unlink()


WORD = st.text("abcdefghijklmnopqrstuvwxyzäéñ", min_size=4, max_size=9)


@settings(max_examples=examples(15), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_every_word_of_a_note_finds_its_file(notes: InProcess, data: st.DataObject) -> None:
    words = data.draw(st.lists(WORD, min_size=8, max_size=8, unique=True))
    kinds = ("hea", "tit", "tag", "ali", "row", "cod", "txt", "nam")  # no two words are a slip of the pen apart
    heading, title, tag, alias, row, code, text, name = (
        f"{kind * 2}{word}" for kind, word in zip(kinds, words, strict=True)
    )
    path = f"drawn/{name}.md"
    note = (
        f"---\ntitle: {title}\ntags: [{tag}]\naliases: [{alias}]\n---\n"
        f"# {heading}\n\n| a |\n|---|\n| {row} |\n\n```\n{code}\n```\n\n- {text}\n"
    )
    lay_out(notes.vault, {path: note})
    try:
        for word in (heading, title, tag, alias, row, code, text):
            found = first_hit(notes, word)
            assert found is not None
            assert found[0] == path
            result = notes.json("search", word)["results"][0]
            assert word in result["citation"]["excerpt"]
        assert first_hit(notes, name) == (path, 6)
    finally:
        (notes.vault / path).unlink()


def test_a_heading_and_the_tags_of_each_file_of_the_sample_vault_find_it(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    shutil.copytree(ROOT / "sample-vault", program.vault)
    inside = program.in_process()
    asked = 0
    for file in sorted(program.vault.glob("memories/**/*.md")):
        text = file.read_text()
        tags = re.findall(r"^tags: \[([^,\]]+)", text, re.MULTILINE)
        for words in (*re.findall(r"^#+ (.+)$", text, re.MULTILINE)[:1], *(f"{tag} {file.stem}" for tag in tags)):
            found = inside.json("search", "--where", "status exists", "-n", "30", "--", words.replace(":", " "))[
                "results"
            ]
            assert file.relative_to(program.vault).as_posix() in [one["path"] for one in found], words
            asked += 1
    assert asked > 50


def test_what_a_folder_leaves_out_of_git_is_left_out_as_soon_as_it_says_so(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    lay_out(
        program.vault,
        {"a.md": "numbat\n", "sub/deep/b.md": "numbat\n", "venv/c.md": "numbat\n", "venv/.gitignore": "*\n"},
    )
    program.git("init", "-q")
    program.json("init", ".", "--owner", "human:sean")

    def found() -> set[str]:
        return {hit["path"] for hit in program.json("search", "numbat")["results"]}

    assert found() == {"a.md", "sub/deep/b.md"}
    lay_out(program.vault, {"sub/.gitignore": "deep/\n"})
    assert found() == {"a.md"}
    lay_out(program.vault, {"sub/.gitignore": "other/\n"})
    assert found() == {"a.md", "sub/deep/b.md"}
    (program.vault / "venv" / ".gitignore").unlink()
    assert found() == {"a.md", "sub/deep/b.md", "venv/c.md"}


def test_one_word_may_stand_where_a_list_of_tags_belongs(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    lay_out(program.vault, {"a.md": "---\ntags: cooking\naliases: Broth\n---\n# Soup\n\nHot.\n"})
    program.json("init", ".", "--owner", "human:sean")
    program.json("adopt", "--all")
    ref = program.json("list")["memories"][0]["ref"]
    assert program.json("check")["findings"] == []
    assert (shown := program.json("show", "Broth"))["tags"] == ["cooking"]
    assert shown["aliases"] == ["Broth"]
    assert [hit["ref"] for hit in program.json("search", "tag:cooking")["results"]] == [ref]
    program.json("tag", ref, "+winter")
    assert "\ntags: [cooking, winter]\n" in (program.vault / "a.md").read_text()
    program.json("tag", ref, "--", "-winter")
    (program.vault / "a.md").write_text((program.vault / "a.md").read_text().replace("[cooking]", "cooking"))
    raw = program.json("add", "-t", "raw", "Soup is hot.")
    (program.vault / raw["path"]).write_text(
        (program.vault / raw["path"]).read_text().replace("type: raw", "type: raw\ntags: hot")
    )
    promoted = program.json("raw", "promote", raw["ref"], "--to", "belief")
    assert program.json("show", promoted["ref"])["tags"] == ["hot", "promoted"]


FOLDERS_OF_OURS = {
    "entities/Sean.md": "# Sean\n\nA zebrafinch.\n",
    "entities/people/ann.md": "---\ntype: entity\nid: 4711\n---\nA quokka.\n",
    "groups/team.md": "A wombat.\n",
    "groups/animals.yaml": "kinds: [wombat]\n",
    "contexts/work.md": "---\ntype: context\n---\nA kiwi.\n",
    "consents/form.md": "A dingo.\n",
    "requests/features.md": "- a numbat\n",
    "audit/2024.md": "A bilby.\n",
    "note.md": "A cassowary.\n",
}


def test_folders_that_are_called_as_memstores_own_hold_notes_where_notes_were_before(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    lay_out(program.vault, FOLDERS_OF_OURS)
    program.git("init", "-q")
    program.git("add", "-A")
    program.git("commit", "-qm", "before memstore")
    assert program.json("init", ".", "--owner", "human:sean")["notes"] == 8
    for path, text in FOLDERS_OF_OURS.items():
        if path.endswith(".md"):
            word = re.findall(r"\w+", text)[-1]
            assert [hit["path"] for hit in program.json("search", word)["results"]] == [path]
    program.json("privacy", "entity", "add", "dog:bella", "--guardian", "human:sean")
    for path in FOLDERS_OF_OURS:
        (program.vault / path).write_text((program.vault / path).read_text() + "\nmore: of it\n")
    assert [one["code"] for one in program.json("check")["findings"]] == ["vault-uncommitted"]
    program.git("add", "-A")
    program.git("commit", "-qm", "the hooks say nothing")
    assert program.json("check", "--against", "HEAD~1")["findings"] == []
    assert [one["id"] for one in program.json("privacy", "entity", "list")["entities"]] == ["dog:bella"]
    assert program.json("search", "guardian bella")["results"] == []
    program.json("adopt", "entities/Sean.md", "groups/team.md")
    program.json("commit")
    assert program.git("status", "--porcelain") == ""


def test_a_file_of_the_vaults_own_that_is_mangled_beyond_recognition_counts_as_removed(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    lay_out(program.vault, {"note.md": "A kiwi.\n"})
    program.git("init", "-q")
    program.json("init", ".", "--owner", "human:sean")
    program.json("privacy", "entity", "add", "dog:bella", "--guardian", "human:ina")
    program.json("add", "Bella is ill.", "--subject", "dog:bella")
    program.json("commit")
    (program.vault / "entities" / "dog" / "bella.md").write_text("Bella.\n")
    program.git("add", "-A")
    done = program.attempt_git("commit", "-qm", "opened by hand")
    assert done.returncode == 1
    assert "would no longer have a say for dog:bella" in done.stderr


def test_a_registry_file_is_no_note_and_no_memory_whatever_its_id(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    note, consent = "entities/people/ann.md", "consents/2026/m_abc1234567.md"
    lay_out(program.vault, {note: "A quokka.\n"})
    program.git("init", "-q")
    program.json("init", ".", "--owner", "human:sean")
    program.json("config", "notes_for", "human:bob, si:ash")
    said = "type: consent\nid: m_abc1234567\ngrantor: human:ina\ngrantee: human:bob\nscope: subject:dog:bella\n"
    lay_out(program.vault, {consent: f'---\n{said}granted_at: "2026-02-01T18:04:11Z"\n---\nA numbat.\n'})
    assert program.found("numbat") == set()
    program.git("add", "-A")
    program.git("commit", "-qm", "judged as a consent alone")
    assert program.found("quokka") == {note}
    (program.vault / note).write_text("---\ntype: entity\nid: people:ann\n---\nA wombat.\n")  # in place
    assert program.found("wombat") == set()
    assert program.json("search", "wombat", "--as", "human:bob")["results"] == []


def test_what_is_understood_in_part_is_told_by_kind_and_count(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    odd = {f"s{n}.md": f"---\ntags: [kitchen]\ntitle: Soup: no {n}\n---\nBody.\n" for n in range(5)}
    lay_out(
        program.vault, {**odd, "latin1.md": "One.\nCaf\udce9\n", "when.md": "---\ndate: soon\n---\n", "a.md": "a\n"}
    )
    (program.vault / "link.md").symlink_to("a.md")
    program.git("init", "-q")
    program.ok("init", ".", "--owner", "human:sean")
    told = program.ok("check")
    assert "5 notices [note-frontmatter]: a plain note's front matter can't be read\ns0.md:3:1: notice: " in told
    assert "s2.md" in told
    assert "s3.md" not in told
    assert "  … and 2 more; memstore check --strict lists them" in told
    assert "latin1.md:2:1: notice: byte 0xe9 is no UTF-8 [note-encoding]" in told
    assert "when.md:1:1: warning: `date` is no date: `soon` [note-date]" in told
    assert "link.md:1:1: notice: it is a symbolic link [file-left-out]" in told
    assert "s4.md:3:1: notice: " in program.run("check", "--strict").stdout


def test_an_own_vault_says_which_pages_it_leaves_out(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    program.git("init", "-q")
    program.ok("init", ".", "--owner", "human:sean", "--notes", "own")
    lay_out(program.vault, {"NOTE.MD": "x\n", "n.markdown": "x\n", "README.md": "x\n", "a.txt": "x\n"})
    told = program.json("check")["notices"]
    assert [one["path"] for one in told if one["code"] == "file-left-out"] == ["NOTE.MD", "n.markdown"]


def test_check_tells_a_slip_in_the_type_of_a_memory_and_leaves_notes_of_others(
    notes: InProcess, tmp_path: Path
) -> None:
    program = notes.copied(tmp_path)
    text = "---\ntype: belif\n{id}source: human:sean\n---\nTea is hot.\n"
    lay_out(program.vault, {"slip.md": text.format(id="id: m_0123456789\n"), "other.md": text.format(id="")})
    told = program.ok("check")
    assert "slip.md:2:1: warning: memstore knows no type `belif`, so this is read as a note [type-unknown]" in told
    assert "did you mean belief?" in told
    assert "other.md" not in told
