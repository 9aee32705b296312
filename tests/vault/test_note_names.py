"""Names lead where a reader of all notes would go, in whichever order they are looked for."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.ids import MemoryRef
from memstore.core.places import page_names, stem_of, without_suffix
from memstore.files.links import LinkKind, TextLink
from memstore.vault.note_names import LinkTable, Note, NoteNames, all_notes, folded
from tests.memory_workspace import memory_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# Few, so that notes meet by all kinds of names; some are the same only when folded.
WORDS = ("tea", "Tea", "Té a", "TE\u0301 A", "a___b", "a%2Fb", "m_aaa", "k9q2-tea", "\u212aelvin", "kelvin", "")
FOLDERS = ("", "x/", "x/tea/", "journals/")
names = st.sampled_from(WORDS)
paths = st.builds(
    "{}{}{}".format, st.sampled_from(FOLDERS), names.filter(bool), st.sampled_from([".md", ".MD", ".mdx"])
)
targets = st.one_of(
    names, paths, st.builds("{}{}".format, st.sampled_from(FOLDERS), names), st.sampled_from(["note:m_aaa", "../tea"])
)
links = st.builds(TextLink, st.sampled_from(LinkKind), targets)


@st.composite
def notes(draw: st.DrawFn) -> list[Note]:
    """Return notes at different paths."""
    found = draw(st.lists(paths, max_size=6, unique=True))
    ids, aliases = st.sampled_from(["", "m_aaa", "tea"]), st.lists(names, max_size=2).map(tuple)
    return [Note(row, path, draw(ids), draw(names), draw(aliases)) for row, path in enumerate(found)]


def led_to(among: Iterable[Note], link: TextLink, of: str) -> Sequence[int]:
    """Return where a link leads, by reading all notes for each kind of name."""
    nearest = sorted(among, key=lambda note: (note.path.count("/"), note.path))

    def named(is_so: Callable[[Note], bool]) -> list[int]:
        return [note.row for note in nearest if is_so(note)]

    def aliases(note: Note) -> set[str]:
        return {folded(alias) for alias in (*note.aliases, *page_names(note.path))} - {""}

    target = folded(link.target)
    for folder in (posixpath.dirname(folded(of)), "") if not target.startswith("/") else ("",):
        place = posixpath.normpath(f"./{folder}/{target}")
        for found in (
            named(lambda note, place=place: folded(note.path) == place),  # type: ignore[misc]
            named(lambda note, place=place: without_suffix(folded(note.path)) == place),  # type: ignore[misc]
        ):
            if found:
                return found
    if link.kind is LinkKind.MARKDOWN:
        return named(lambda note: target.lstrip("./") in aliases(note))
    ref, bare = MemoryRef.parse(link.target), without_suffix(target)
    end = f"/{bare.lstrip('/')}" if "/" in bare else ""
    by_stem = named(lambda note: stem_of(folded(note.path)) == stem_of(bare))
    rows = {note.row: without_suffix(folded(note.path)) for note in nearest}
    return (
        named(lambda note: note.id != "" and note.id == (ref.id if ref else link.target))
        or [row for row in by_stem if rows[row].endswith(end) and not bare.endswith("/")]
        or named(lambda note: target != "" and folded(note.title) == target)
        or named(lambda note: target in aliases(note))
    )


@given(notes(), st.lists(st.tuples(links, paths), max_size=4))
def test_a_link_leads_where_a_reader_of_all_would_go(among: list[Note], asked: list[tuple[TextLink, str]]) -> None:
    together = NoteNames(among)
    for link, of in asked:
        assert [*dict.fromkeys(together.led_to(link, of=of))] == led_to(among, link, of)


@given(notes(), notes(), st.lists(st.tuples(links, paths), min_size=1, max_size=3), st.data())
def test_names_without_some_notes_and_with_others_are_those_of_the_rest(
    among: list[Note], others: list[Note], asked: list[tuple[TextLink, str]], data: st.DataObject
) -> None:
    here = NoteNames(among)
    for link, of in data.draw(st.lists(st.sampled_from(asked), max_size=2)):
        here.led_to(link, of=of)  # some kinds of names have been read, and some not
    gone = data.draw(st.sets(st.sampled_from([note.row for note in among]))) if among else set()
    kept = [note for note in among if note.row not in gone]
    new = [note._replace(row=note.row + 10) for note in others if note.path not in {one.path for one in kept}]
    after = here.replaced(gone, new)
    for link, of in asked:
        assert [*dict.fromkeys(after.led_to(link, of=of))] == led_to([*kept, *new], link, of)
        assert [*dict.fromkeys(here.led_to(link, of=of))] == led_to(among, link, of)


@given(st.dictionaries(paths, st.tuples(names, st.lists(links, max_size=3)), max_size=5))
def test_what_leads_to_a_note_is_found_among_the_links_of_all(drawn: dict[str, tuple[str, list[TextLink]]]) -> None:
    files = {
        path: f'---\ntype: note\ntitle: "{title}"\n---\nTea {" ".join(one.written for one in written)}.\n'.encode()
        for path, (title, written) in drawn.items()
    }
    view = memory_workspace(files).view()
    table, among = LinkTable(view), all_notes(view)
    for row in [note.row for note in among]:
        expected = [
            (other.path, line, link)
            for other in sorted(among, key=lambda note: note.path)
            for line, link in table.links_of(other.row)
            if other.row != row and led_to(among, link, other.path)[:1] == [row]
        ]
        assert [(other.path, line, link) for other, line, link in table.leading_to(row)] == expected


@pytest.mark.parametrize(
    "written",
    ["[t](tea%20time.md)", "[t](TEA%20TIME)", "[[TEA   Time]]", "[[note:m_aaa]]", "[[Té]]", "[[TE\u0301#Cups]]"],
)
def test_a_link_back_is_found_however_it_is_written(written: str) -> None:
    files = {
        "tea time.md": "---\ntype: note\nid: m_aaa\ntitle: té\n---\nTea.\n".encode(),
        "cups.md": f"---\ntype: note\nid: m_bbb\n---\nCups for {written}.\n".encode(),
    }
    table = LinkTable(memory_workspace(files).view())
    row = table.row_of("tea time.md")
    assert row is not None
    assert [other.path for other, _, _ in table.leading_to(row)] == ["cups.md"]


def test_a_link_within_a_note_does_not_lead_to_one_without_a_title() -> None:
    names = NoteNames([Note(0, "x/tea.md", "", "", ()), Note(1, "x/cups.md", "", "", ())])
    assert [*names.led_to(TextLink(LinkKind.WIKI, "", "Cups"), of="x/cups.md")] == []
