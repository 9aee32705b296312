"""Search what goes to somebody else for names of memories that they may not see: ids, paths, titles, aliases, links."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.catalog import ITEM_SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from memstore.core.view import View

_WORDS = re.compile(r"[^\W_]+")
_TOKENS = re.compile(r"\w+")  # in which an id is whole: `my_tea` is not `my tea`
_LINKS = re.compile(r"\[\[([^\[\]|#\n]+)")
# A word that so many of the shared memories use is known to their reader anyway.
KNOWN_BY = 3


class HiddenName(NamedTuple):
    """What must not be found, with the path of the memory it belongs to.

    `kind` is `id`, `path`, `title`, `alias`, or `link`: the file's name without its ending, which many texts have by
    chance, and which is found in links alone.
    """

    kind: str
    text: str
    path: str

    @property
    def is_exact(self) -> bool:
        """Whether it can't occur by chance, as the words of a title can."""
        return self.kind in ("id", "path")


class Disclosure(NamedTuple):
    """A hidden name, and where it was found."""

    name: HiddenName
    place: str


class HiddenNames:
    """Finds names by their words, whatever is between these, in one pass over a text, however many names there are.

    Args:
        names: the names.
    """

    def __init__(self, names: Iterable[HiddenName]) -> None:
        self._exact = _Runs()
        self._told = _Runs()
        self._unspaced: dict[str, HiddenName] = {}
        self._linked: dict[str, HiddenName] = {}
        for name in names:
            if name.kind == "link":
                self._linked[folded(name.text)] = name
                continue
            self._exact.add(_TOKENS, name) if name.is_exact else self._told.add(_WORDS, name)
            if not folded(name.text).isascii():  # a script may have no spaces between words
                self._unspaced[folded(name.text)] = name

    def found_in(self, data: bytes) -> Iterator[HiddenName]:
        """Yield the names that occur in some bytes, each once."""
        text = folded(data.decode("utf-8", "replace"))
        found = dict.fromkeys(
            [*self._exact.found_in(_TOKENS.findall(text)), *self._told.found_in(_WORDS.findall(text))]
        )
        targets = (target.strip().removesuffix(".md").rpartition("/")[2] for target in _LINKS.findall(text))
        found.update((self._linked[target], None) for target in targets if target in self._linked)
        found.update((name, None) for wanted, name in self._unspaced.items() if wanted in text)
        yield from found


class _Runs:
    """Names, each as a run of words."""

    def __init__(self) -> None:
        self._starts: defaultdict[str, list[tuple[tuple[str, ...], HiddenName]]] = defaultdict(list)

    def add(self, form: re.Pattern[str], name: HiddenName) -> None:
        """Look for a name by its words of this form."""
        if words := tuple(form.findall(folded(name.text))):
            self._starts[words[0]].append((words, name))

    def found_in(self, words: Sequence[str]) -> Iterator[HiddenName]:
        """Yield the names that are among these words, as often as they are."""
        for at, word in enumerate(words):
            for wanted, name in self._starts.get(word, ()):
                if tuple(words[at : at + len(wanted)]) == wanted:
                    yield name


def folded(text: str) -> str:
    """Return a text as names are compared: no matter how it is composed, or in which case."""
    return unicodedata.normalize("NFKC", text).casefold()


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORDS.findall(folded(text)))


def hidden_names(view: View, shared: Collection[str], texts: Mapping[str, bytes]) -> HiddenNames:
    """Return the names of everything in a vault that is not shared.

    A name that a shared memory has, too, tells nothing; neither does a single word that several of their texts have.

    Args:
        view: the vault, as its owner sees it.
        shared: the paths of what is shared.
        texts: the shared files, by path.
    """
    columns = {name: view.column(name) for name in ("path", "id", "title", "aliases")}
    rows = sorted({*view.whole.rows, *view.plain, *view.broken})
    names = {row: list(_names_of({name: column[row] for name, column in columns.items()})) for row in rows}
    open_rows = [row for row in rows if columns["path"][row] in shared]
    known = {_words(name.text) for row in open_rows for name in names[row]}
    used: defaultdict[str, int] = defaultdict(int)
    for data in texts.values():
        for word in {*_words(data.decode("utf-8", "replace"))}:
            used[word] += 1
    common = {(word,) for word, times in used.items() if times >= KNOWN_BY}
    closed = (name for row in rows if columns["path"][row] not in shared for name in names[row])
    return HiddenNames(
        name for name in closed if (words := _words(name.text)) not in known and (name.is_exact or words not in common)
    )


def _names_of(cells: Mapping[str, str]) -> Iterator[HiddenName]:
    path = cells["path"]
    yield HiddenName("path", path, path)
    file = path.rpartition("/")[2]
    yield HiddenName("path", file, path)
    if stem := file.rpartition(".")[0]:
        yield HiddenName("link", stem, path)
    if cells["id"]:
        yield HiddenName("id", cells["id"], path)
    if cells["title"]:
        yield HiddenName("title", cells["title"], path)
    for alias in filter(None, cells["aliases"].split(ITEM_SEPARATOR)):
        yield HiddenName("alias", alias, path)


def disclosures(names: HiddenNames, contents: Iterable[tuple[str, bytes]]) -> tuple[Disclosure, ...]:
    """Return the hidden names in some contents, each with the first place where it is."""
    found: dict[HiddenName, str] = {}
    for place, data in contents:
        for name in names.found_in(data):
            found.setdefault(name, place)
    return tuple(Disclosure(name, place) for name, place in found.items())
