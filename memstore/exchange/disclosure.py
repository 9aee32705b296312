"""Search what goes to somebody else for names of memories that they may not see: ids, paths, titles, aliases, links."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.access.hidden_names import KNOWN_BY, Finder, HiddenName, hidden_name_of, words_of
from memstore.files import memory_file, plain_note
from memstore.files.catalog_entry import entry_of, links_of_items
from memstore.files.memory_file import MemoryFile, PlainFile
from memstore.vault.note_names import NoteNames, notes_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile


class Disclosure(NamedTuple):
    """A hidden name, and where it was found."""

    name: HiddenName
    place: str


class HiddenNames:
    """The names of everything in a vault that is not shared.

    A name that a shared memory has, too, tells nothing, unless it is the title of one and only an alias of the other;
    nor does a word that several of the shared texts have.

    Args:
        view: the vault, as its owner sees it.
        shared: the paths of what is shared.
        texts: the shared files, by path.
    """

    def __init__(self, view: View, shared: Collection[str], texts: Mapping[str, bytes]) -> None:
        self._mixed = view.config.mixed
        self._shared = shared
        notes = notes_of(view, sorted({*view.whole.rows, *view.plain, *view.broken}))
        self._notes = NoteNames(notes)
        names = {note.path: [*hidden_name_of(note.path, note.id, note.title, note.aliases)] for note in notes}
        open_names = [name for path in names.keys() & {*shared} for name in names[path]]
        known = {words_of(name.text) for name in open_names if name.kind != "alias"}
        known_aliases = {words_of(name.text) for name in open_names if name.kind == "alias"}
        used = Counter(word for data in texts.values() for word in {*words_of(data.decode("utf-8", "replace"))})
        closed = (name for path in names.keys() - {*shared} for name in names[path])
        told = (
            name
            for name in closed
            if words_of(name.text) not in (known | known_aliases if name.kind == "alias" else known)
        )
        self._finder = Finder(sorted(told), is_known=lambda word: used[word] >= KNOWN_BY)

    def found_in(self, place: str, data: bytes) -> Iterator[HiddenName]:
        """Yield the names in a file: in its text, in the values of its keys, and where its links lead.

        Args:
            place: the file's path, or what else it is.
            data: its bytes, or those of its path.
        """
        if data == place.encode(errors="surrogateescape"):
            yield from self._finder.in_path(place)
            return
        yield from self._finder.in_text(data.decode("utf-8", "replace"))
        if place not in self._shared:
            return
        file = memory_file.read(place, data, mixed=self._mixed)
        yield from self._finder.in_text("\n".join(_texts_in(_values(file))))
        for _, link in links_of_items(entry_of(file, "").links):
            if (rows := self._notes.led_to(link, of=place)) and (path := self._notes[rows[0]].path) not in self._shared:
                yield HiddenName("link", link.written, path)


def _values(file: ReadFile) -> Any:
    if isinstance(file, MemoryFile):
        return file.front.values
    return plain_note.read(file.data)[1] if isinstance(file, PlainFile) else None


def _texts_in(value: Any) -> Iterator[str]:
    """Yield every text in a value, keys included."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _texts_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts_in(item)
    elif value is not None:
        yield str(value)


def disclosures(names: HiddenNames, contents: Iterable[tuple[str, bytes]]) -> tuple[Disclosure, ...]:
    """Return the hidden names in some contents, each with the first place where it is."""
    found: dict[HiddenName, str] = {}
    for place, data in contents:
        for name in names.found_in(place, data):
            found.setdefault(name, place)
    return tuple(Disclosure(name, place) for name, place in found.items())
