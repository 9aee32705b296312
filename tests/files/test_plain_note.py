"""Plain notes are read loosely: whatever another program wrote is a note, and never an error."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.catalog import FileKind
from memstore.files import memory_file
from memstore.files.catalog_entry import entry_of
from memstore.files.memory_file import BrokenFile, MemoryFile, PlainFile
from memstore.files.plain_note import means_to_be_memory, note, parts


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (b"# Sourdough starter\n\nFeed it.\n", "Sourdough starter"),
        (b"---\ntitle: Tea\n---\n# Other\n", "Tea"),
        (b"Sourdough\n=========\n", "Sourdough"),
        (b"```\n# a comment\n```\n# After the code ##\n", "After the code"),
        (b"Text.\n\n## Section\n", "a-file"),
        (b"## Section\n\n# Later\n", "Later"),
        (b"- ## A block of Logseq\n\t- text\n", "a-file"),
        (b'+++\ntitle = "Rust"\n+++\n# Other\n', "Rust"),
        (b"+++\nnot toml\n+++\n# Heading\n", "Heading"),
        (b"---\n{{template}}: [\n---\n# Heading\n", "Heading"),
        (b"---\ntitle: [a, b]\n---\nText.\n", "a-file"),
        (b"\xff\xfe# x\n", "a-file"),
        (b"", "a-file"),
        (b"title:: Tea\ntags:: a\n\n- text\n", "Tea"),
        (b"- type:: drink\n  title:: Tea\n- text\n", "Tea"),
        (b"---\ntitle: Tea\n---\ntitle:: Coffee\n", "Tea"),
        (b"- text\ntitle:: Tea\n", "a-file"),
    ],
)
def test_a_title_is_the_one_that_people_see(data: bytes, title: str) -> None:
    assert note("notes/a-file.md", data)[1].title == title


@pytest.mark.parametrize(
    ("path", "data", "day"),
    [
        ("x.md", b"---\ncreated: 2024-05-01\ndate: 2023-01-01\n---\n", "2024-05-01T00:00:00Z"),
        ("2016-04-26-jekyll.markdown", b"Text.\n", "2016-04-26T00:00:00Z"),
        ("202102031530 Zettel.md", b"Text.\n", "2021-02-03T00:00:00Z"),
        ("20211333.md", b"Text.\n", None),
        ("x.md", b"+++\ndate = 2020-02-03\n+++\n", "2020-02-03T00:00:00Z"),
        ("x.md", b"---\ndate: 0001-01-01T00:00:00+14:00\n---\n", "0001-01-01T00:00:00Z"),
    ],
)
def test_the_day_is_the_one_that_the_note_says(path: str, data: bytes, day: str | None) -> None:
    assert note(path, data)[1].created_at == day


def test_tags_and_other_names_are_read_in_every_form() -> None:
    memory = note("x.md", b"---\ntags: dog, pets/bella\naliases: Bells\nid: 20211123\nkeywords: [tea]\n---\n")[1]
    assert (memory.tags, memory.aliases) == (("dog", "pets/bella", "tea"), ("Bells", "20211123"))
    assert (memory.type, memory.status, memory.id, memory.access_grants) == ("note", "active", None, ())


@pytest.mark.parametrize(
    ("permalink", "aliases"),
    [
        ("main/green-tea", ("main/green-tea",)),  # basic-memory, whose links name notes so, too
        ("tee", ("tee",)),
        ("/:year/:title/", ()),  # Jekyll: an address
        ("https://example.org/tea", ()),
        ("false", ()),  # Eleventy: none
        ("[a]", ()),
    ],
)
def test_a_permalink_that_is_a_name_is_an_alias(permalink: str, aliases: tuple[str, ...]) -> None:
    assert note("x.md", f"---\npermalink: {permalink}\n---\nText.\n".encode())[1].aliases == aliases


OURS = b"---\nid: m_7f3k9q2x1c\ntype: note\n---\nText.\n"


@pytest.mark.parametrize(
    "data",
    [
        OURS,
        OURS.replace(b"id: m_", b'"id" :  "m_'),
        OURS.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + OURS,
        OURS.replace(b"---\nText", b"--\nText"),  # a fence that is not closed
        b"---\nowner: si:ash\n\x00: [\n---\n",
        b"---\nowner: !!str si:ash\n---\n",
        b"---\n{owner: si:ash}\n---\n",
        b"---\nowner:\n  - si:ash\n---\n",
        b"---\n? owner\n: si:ash\n---\n",
        b"---\ntype: [\nid: m_7f3\n---\n",
    ],
)
def test_what_claims_to_be_a_memory_is_never_a_note(data: bytes) -> None:
    assert means_to_be_memory(data)
    assert not isinstance(memory_file.read("x.md", data, mixed=True), PlainFile)


@pytest.mark.parametrize(
    "data",
    [
        b"id: m_7f3\n",
        b"# A\n---\nid: m_7f3k9q2x1c\n---\n",
        b"---\nid: 2021\nowner: Sean\n---\n",
        b"---\n---\nid: m_7f3\n",
    ],
)
def test_what_only_looks_like_it_is_a_note(data: bytes) -> None:
    assert isinstance(memory_file.read("x.md", data, mixed=True), PlainFile)


def test_keys_of_another_program_hide_nothing_in_a_memory_beside_its_notes() -> None:
    data = b"---\nid: m_7f3k9q2x1c\ntype: BigQuery Table\nauthor: parkr\nstatus: stable\n---\nText.\n"
    assert isinstance(memory_file.read("x.md", data), BrokenFile)
    file = memory_file.read("x.md", data, mixed=True)
    assert isinstance(file, MemoryFile)
    assert (file.memory.type, file.memory.author, file.memory.status) == ("note", None, "active")
    broken = data.replace(b"status: stable", b"access_grants: human:sean")
    assert isinstance(memory_file.read("x.md", broken, mixed=True), BrokenFile)


@pytest.mark.parametrize(
    "line",
    [b"type: note\ntype: belief", b"author: &a x", b"status: yes", b"author: [a", b"status: !!x active", b"author: *a"],
)
@pytest.mark.parametrize(
    "order",
    [b"%b\naccess_grants: ['*']\naccess_denies: [si:ash]", b"access_grants: ['*']\naccess_denies: [si:ash]\n%b"],
)
def test_yaml_that_is_not_sound_is_never_half_a_memory(line: bytes, order: bytes) -> None:
    """A denial that stands below the slip would be lost with it."""
    data = b"---\nid: m_7f3k9q2x1c\n" + order % line + b"\n---\nText.\n"
    assert isinstance(memory_file.read("x.md", data, mixed=True), BrokenFile)


ANY = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(
        st.sampled_from(
            ["---", "+++", "title: a", "tags: [a, b]", "date: 2020-01-01", "# H", "```", "=\n", "x = 1", '"\\ud800": 1',
             "a: &a [*a]", "? [x]", "!!python/object:os.system x", "- - -", "\ud83d", "\x1f", "\0"]
        )
    ).map(lambda lines: "\n".join(lines).encode("utf-8", "surrogatepass")),
)  # fmt: skip


@given(ANY)
def test_whatever_it_holds_is_a_note_with_all_of_its_lines(data: bytes) -> None:
    text = parts(data)
    file = memory_file.read("some/x.md", data, mixed=True)
    if isinstance(file, PlainFile):
        assert (file.text, file.memory.body) == (text, text.body)
        shown = data.decode("utf-8", "replace")
        assert shown.endswith(text.body)
        assert text.body_line == shown.count("\n", 0, len(shown) - len(text.body)) + 1
        entry = entry_of(file, "0" * 40)
        assert entry.kind is FileKind.PLAIN
        for cell in (entry.title, *entry.tags, *entry.aliases):
            assert cell == cell.strip()
            assert not {"\0", "\x1f", "\n"} & set(cell)
            cell.encode()
        if entry.created_at:
            datetime.fromisoformat(entry.created_at)
