"""A person's own keys say as much in a memory as in a plain note: every word of them is found, at its line."""

from __future__ import annotations

import itertools
import tempfile
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile, own_lines
from memstore.vault.redaction import redacted
from tests.support import examples
from tests.whole.program import InProcess

FORMS = (
    "{key}: {0} {1}\n",
    '{key}: "{0}: {1}"\n',
    "{key}: [{0}, '{1}']\n",
    "{key}:\n  - {0}\n  - {1}\n",
    "{key}:\n- {0}\n- {1}\n",
    "{key}: |\n  {0}\n\n  {1}\n",
    "{key}: >-\n  {0}\n  {1}\n",
    "{key}:\n  part: {0}\n  other: {{deep: {1}}}\n",
    "{key}: {0}\n  {1}\n",
)
NOT_OURS = ("type: {0}\n", "author: {0}\n", "status: {0}\n", "source: {0} {1}\n", "created: 2024-05-01\n")
NAMES = ("title: {0} {1}\n", "aliases: [{0}, {1}]\n", "tags: [{0}, {1}]\n", "Keywords: {0}, {1}\n", "categories: {0}\n")
TEXTS = ("# {0}\n\n{1}\n", "Says #{0} of [[{1}]].\n", "> {0}\n\n```\n{1}\n```\n", "| {0} |\n|---|\n| {1} |\n")
KEYS = ("description", "Project", "date read", "up", "cover-image", "Überschrift")


@st.composite
def fronts(draw: st.DrawFn) -> list[str]:
    """Return the lines of keys as their templates, which take two words each."""
    keys = draw(st.lists(st.sampled_from(KEYS), unique=True, min_size=1, max_size=4))
    own = [draw(st.sampled_from(FORMS)).replace("{key}", key) for key in keys]
    return draw(st.permutations([*own, *draw(st.lists(st.sampled_from(NOT_OURS + NAMES), unique=True, max_size=3))]))


def written(fronts: list[list[str]]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the files, and the path for each word of their values; no two words are the same."""
    numbers = itertools.count()
    files: dict[str, str] = {}
    words: dict[str, str] = {}
    for number, front in enumerate(fronts):
        stem, head = word_of(next(numbers)), ""
        path = f"{stem}.md"
        words[stem] = path
        for template in front:
            two = [word_of(next(numbers)) for _ in range(2)]
            head += template.format(*two)
            words |= {word: path for word in two if word in head}
        two = [word_of(next(numbers)) for _ in range(2)]
        words |= dict.fromkeys(two, path)
        files[path] = f"---\n{head}---\n{TEXTS[number % len(TEXTS)].format(*two)}"
    return files, words


def word_of(number: int) -> str:
    """Return a word that is like no other one, in no language's form."""
    return "".join(chr(ord("a") + byte % 26) for byte in sha256(str(number).encode()).digest()[:9]) + "q"


def lost(program: InProcess, words: dict[str, str], now: dict[str, str]) -> list[str]:
    """Return the words that don't find their file first, cited at a line that has them, if it is a line of the file."""

    def is_found(word: str, path: str) -> bool:
        hits = program.json("search", f"+{word}")["results"]
        text = (program.vault / path).read_text()
        return [hit["path"] for hit in hits[:1]] == [path] and (
            word in hits[0]["citation"]["excerpt"] or word not in text
        )

    return [word for word, path in words.items() if not is_found(word, now[path])]


@settings(max_examples=examples(4), deadline=None, phases=[Phase.generate])  # each is hundreds of searches
@given(st.lists(fronts(), min_size=4, max_size=4))
def test_what_is_found_in_a_note_is_found_after_it_was_adopted_moved_imported(drawn: list[list[str]]) -> None:
    files, words = written(drawn)
    one, other, *_ = files
    with tempfile.TemporaryDirectory() as folder:
        program = InProcess(Path(folder))
        program.vault.mkdir()
        for path, text in files.items():
            (program.vault / path).write_text(text)
        program.ok("init", ".", "--owner", "human:sean", "--notes", "mixed")
        assert lost(program, words, {path: path for path in files}) == []
        now = {path: path for path in files} | {path: f"moved/{path}" for path in (one, other)}
        program.ok("mv", one, now[one])
        program.ok("adopt", *[path for path in files if path != one], now[one])
        program.ok("mv", other, now[other])
        assert lost(program, words, now) == []

        notes = Path(folder) / "notes"
        notes.mkdir()
        for path, text in files.items():
            (notes / path).write_text(text)
        (Path(folder) / "other").mkdir()
        into = InProcess(Path(folder) / "other")
        into.vault.mkdir()
        into.ok("init", ".", "--owner", "human:sean", "--notes", "own")
        into.ok("import", "markdown", str(notes))
        imported = {path.rpartition("/")[2]: path for path in (one["path"] for one in into.json("list")["memories"])}
        assert len(imported) == len(files)
        assert lost(into, words, imported) == []


HIDDEN = """---
type: note
id: m_a000000001
derived_from:
  - note:m_hidden0001 # not for all
# between the keys
mood: calm
quarantine: {of: "note:m_hidden0001", at: "2026-01-01T00:00:00Z",
  reason: wombat}
plan:
  # within it
  - rest
owner: human:sean
---
Text.
"""


QUARANTINE = 'quarantine: {of: "note:m_hidden0001", at: "2026-01-01T00:00:00Z", reason: x}'
OWN = [(7, "mood: calm"), (10, "plan:"), (11, "  # within it"), (12, "  - rest")]


def test_no_line_of_another_key_is_the_persons() -> None:
    assert own_lines(memory(HIDDEN)) == OWN
    assert own_lines(memory("---\n{type: note, derived_from: [note:m_hidden0001], mood: calm}\n---\nText.\n")) == []
    below = f"---\n# a map\n{{type: note,\nmood: calm,\nplan: rest, {QUARANTINE}}}\n---\nText.\n"
    assert own_lines(memory(below)) == [(4, "mood: calm,")]


@pytest.mark.parametrize(
    "text", [HIDDEN, HIDDEN.replace("mood", '"a mood"'), HIDDEN.replace("# between the keys\n", "")]
)
def test_nor_if_that_key_is_left_out_for_the_viewer(text: str) -> None:
    whole = memory(text)
    shown = redacted(whole, lambda _: False)
    assert "quarantine" not in shown.front.values
    assert own_lines(shown) == own_lines(whole)


def test_nor_among_plain_lines() -> None:
    text = f"---\ntype: note\nid: m_a000000001\nmood: calm\n{QUARANTINE}\n---\nText.\n"
    shown = redacted(memory(text), lambda _: False)
    assert shown.front.is_plain
    assert own_lines(shown) == [(4, "mood: calm")]


def memory(text: str) -> MemoryFile:
    file = memory_file.read("a.md", text.encode())
    assert isinstance(file, MemoryFile)
    return file


CLIPPED = {
    "art.md": (
        "---\ntype: article\nauthor: Ann Lee\nstatus: wip\nurl: https://e.org/a\nRating: 4\nqxz: oil\n---\n"
        "# Art\n\nPaint.\n"
    ),
    "song.md": "---\nTYPE: song\nTags: [loud]\nTITLE: Anthem\nDate: 2024/05/01\nrating: 2\n---\nPaint.\n",
    "bare.md": "# Bare\n\nPaint.\n",
}


@pytest.fixture(scope="module")
def clipped(tmp_path_factory: pytest.TempPathFactory) -> InProcess:
    program = InProcess(tmp_path_factory.mktemp("clipped"))
    program.vault.mkdir()
    for path, text in CLIPPED.items():
        (program.vault / path).write_text(text)
    program.ok("init", ".", "--owner", "human:sean")
    program.ok("add", "Paint it blue.", "--title", "Blue", "--set", "rating=5", "--entities", "Ottoline")
    return program


def listed(program: InProcess, *words: str) -> set[str]:
    return {one["title"] for one in program.json(*words)["memories"]}


@pytest.mark.parametrize(
    ("where", "titles"),
    [
        ("url exists", {"Art"}),
        ("URL = https://e.org/a", {"Art"}),
        ("rating >= 4", {"Art", "Blue"}),
        ("rating missing", {"Bare"}),
        ("type = article", {"Art"}),
        ("type = note", {"Bare", "Blue"}),
        ("type != article", {"Anthem", "Bare", "Blue"}),
        ("author ~ ann", {"Art"}),
        ("status = wip", {"Art"}),
        ("tags = loud", {"Anthem"}),
        ("created_at = 2024-05", {"Anthem"}),
        ("entities = Ottoline", {"Blue"}),
    ],
)
def test_conditions_are_about_notes_and_memories_alike(clipped: InProcess, where: str, titles: set[str]) -> None:
    assert listed(clipped, "list", "--where", where) == titles


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("paint type:article", {"Art"}),
        ("paint type:song", {"Anthem"}),
        ("paint rating:5", {"Blue"}),
        ("paint -rating:5", {"Art", "Anthem", "Bare"}),
        ("paint url:https://e.org/a", {"Art"}),
        ("Ottoline", {"Blue"}),
        ("paint tag:loud", {"Anthem"}),
        ("paint type:note", {"Art", "Anthem", "Bare", "Blue"}),
    ],
)
def test_own_keys_are_fields_of_a_query(clipped: InProcess, query: str, titles: set[str]) -> None:
    assert {one["title"] for one in clipped.json("search", query)["results"]} == titles


def test_what_no_file_has_is_told_with_what_is_like_it(clipped: InProcess) -> None:
    slip = clipped.run("list", "--where", "utl exists").stderr
    assert slip == "no memory matches\nhint: no file has the key utl; did you mean url?\n"
    assert "did you mean `rating:`?" in clipped.run("search", "paint ratng:5").stderr
    for words in (("list", "--where", "type = nte"), ("search", "type:nte"), ("list", "--type", "nte")):
        done = clipped.run(*words)
        assert (done.returncode, "`nte` is not a valid type\nhint: " in done.stderr) == (2, True)
    assert listed(clipped, "list", "--type", "article", "--type", "song") == {"Art", "Anthem"}


def test_own_keys_of_what_is_hidden_are_known_to_nobody_else(clipped: InProcess) -> None:
    who = ("--as", "human:claire")
    for one, other in (("url", "xyz"), ("qxz", "xqz")):
        told = [clipped.run(*who, "list", "--where", f"{key} exists") for key in (one, other)]
        assert (told[0].stdout, told[0].stderr) == (told[1].stdout, told[1].stderr)
        told = [clipped.run(*who, "search", f"paint {key}:5") for key in (one, other)]
        assert told[0].stderr.replace(one, other) == told[1].stderr
    types = [clipped.run(*who, "list", "--type", kind).stderr for kind in ("article", "artisle")]
    assert types[0].replace("article", "artisle") == types[1]
