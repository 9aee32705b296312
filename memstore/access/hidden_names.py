"""The finder of hidden names: whether a text, a path or a link names a memory that its readers may not see.

Everything is compared as it is read (`names.readings`, `names.fold`): with its escapes decoded, without markup, case,
accents, look-alikes and unseen signs. An id and a path count wherever they are. A title or an alias counts in a
sentence only if it can be told from what everybody says: it has three words that say something, or a rare one. Any
other counts where it stands as a name: as the target of a link, as the name of a file.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memstore.access.names import fold, is_unspaced, readings
from memstore.core.places import page_names, stem_of
from memstore.core.terms import stop_words, term_of
from memstore.core.titles import as_called
from memstore.core.word_lists import listed, word_lists
from memstore.files.links import links_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"\w+")  # in which an id is whole: `my_tea` is not `my tea`
_FEWEST_WORDS = 3  # that say something; so many in a row are hardly ever somebody else's
_SHORTEST_RARE = 4  # letters; shorter words are abbreviations of many things
_SHORTEST_RUN = 3  # signs of a script without spaces
_SHORTEST_JOINED = 8  # letters of words written as one
_PAIR = 2
# Markup that is open at the end of a text ends here: a comment, a tag, the target of a link.
BETWEEN = "\n\n<!---->()\n\n"
# A word that so many of the files have which the readers get is known to them anyway.
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


def hidden_name_of(path: str, memory_id: str, title: str, aliases: Iterable[str]) -> Iterator[HiddenName]:
    """Yield the names of a memory or note; what it doesn't have is empty."""
    if path:
        yield HiddenName("path", path, path)
        yield HiddenName("path", path.rpartition("/")[2], path)
        yield from (HiddenName("link", name, path) for name in (stem_of(path), *page_names(path)) if name)
    if memory_id:
        yield HiddenName("id", memory_id, path)
    if title:
        yield HiddenName("title", title, path)
    yield from (HiddenName("alias", alias, path) for alias in aliases if alias)


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name, folded."""
    return tuple(_WORD.findall(fold(name)))


@cache
def _everyday() -> frozenset[str]:
    return frozenset(map(term_of, listed(word_lists("access")["everyday"])))


def is_everyday(word: str) -> bool:
    """Whether a folded word is one that everybody uses, whatever they speak of."""
    return len(word) < _SHORTEST_RARE or word.isdigit() or word in stop_words() or term_of(word) in _everyday()


class Finder:
    """Finds names in one pass over a text, however many names there are.

    Args:
        names: the names.
        is_known: whether the readers have a folded word anyway, so that it tells them nothing.
    """

    def __init__(self, names: Iterable[HiddenName], *, is_known: Callable[[str], bool] = lambda _: False) -> None:
        self._is_known = is_known
        self._exact, self._named = _Runs(_TOKEN), _Runs(_WORD)
        self._unspaced: dict[str, HiddenName] = {}
        self._joined: dict[str, HiddenName] = {}
        self._linked: dict[str, HiddenName] = {}
        self._telling: dict[HiddenName, bool] = {}
        for name in names:
            words = words_of(name.text)
            joined = "".join(words)
            if name.is_exact:
                self._exact.add(name)
                continue
            self._linked.setdefault(_as_linked(name.text), name)
            if name.kind == "link" or not words:
                continue
            if is_unspaced(joined):
                self._unspaced[joined] = name
                continue
            self._named.add(name)
            if len(words) > 1 and len(joined) >= _SHORTEST_JOINED:
                self._joined[joined] = name

    def __bool__(self) -> bool:
        return bool(self._exact.starts or self._linked)

    def in_text(self, text: str) -> Iterator[HiddenName]:
        """Yield the names that occur in a text, each once."""
        found: dict[HiddenName, None] = {}
        for form in readings(text):
            folded = fold(form)
            words = _WORD.findall(folded)
            found.update(dict.fromkeys(self._exact.found_in(_TOKEN.findall(folded))))
            found.update((name, None) for name in self._told_in(words) if self._is_telling(name))
        found.update((name, None) for link in links_in(text) if (name := self._led_to(link.link.target)))
        yield from found

    def may_be_in(self, texts: Iterable[str]) -> bool:
        """Whether any name may occur in one of these texts and paths; quicker than asking of each, if none does."""
        if not self:
            return False
        said = [*texts]
        for form in readings(BETWEEN.join(said)):
            folded = fold(form)
            if any(self._exact.found_in(_TOKEN.findall(folded))) or any(self._told_in(_WORD.findall(folded))):
                return True
        return any(self._led_to(link.link.target) for text in said for link in links_in(text))

    def in_path(self, path: str, *, also_short: bool = True) -> Iterator[HiddenName]:
        """Yield the names that a path has: long ones anywhere, those of two words in one part, any as the file's name.

        Args:
            path: the path, or the name of a ref.
            also_short: whether names count that many things have.
        """
        found: dict[HiddenName, None] = {}
        for form in readings(path):
            folded = fold(form)
            found.update(dict.fromkeys(self._exact.found_in(_TOKEN.findall(folded))))
            named = [name for name in self._told_in(_WORD.findall(folded)) if _is_long(words_of(name.text))]
            for part in folded.split("/"):
                named += [name for name in self._told_in(_WORD.findall(part)) if len(words_of(name.text)) == _PAIR]
            stem = folded.rpartition("/")[2]
            for some in as_called(_WORD.findall(stem.rpartition(".")[0] or stem)):
                named += self._named.by_words(tuple(some))
                named += filter(None, [self._unspaced.get("".join(some))])
            found.update(
                (name, None) for name in named if self._is_telling(name) or (also_short and self._is_news(name))
            )
        yield from found

    def in_words(self, words: Sequence[str]) -> Iterator[HiddenName]:
        """Yield the titles and aliases that are among folded words, whether or not they say something there."""
        return self._told_in(words)

    def _told_in(self, words: Sequence[str]) -> Iterator[HiddenName]:
        yield from self._named.found_in(words)
        if self._joined:
            yield from (self._joined[word] for word in words if word in self._joined)
        if self._unspaced:
            text = "".join(words)
            yield from (name for joined, name in self._unspaced.items() if joined in text)

    def _led_to(self, target: str) -> HiddenName | None:
        """Return the name by which a link leads to a hidden memory."""
        return self._linked.get(_as_linked(target)) or self._linked.get(_as_linked(stem_of(target.rstrip("/"))))

    def _is_news(self, name: HiddenName) -> bool:
        """Whether a name is anything but one word that the readers have."""
        words = words_of(name.text)
        return len(words) > 1 or not any(map(self._is_known, words))

    def _is_telling(self, name: HiddenName) -> bool:
        """Whether a name is one in a sentence, too, and not only where names stand."""
        if name not in self._telling:
            words = [word for word in words_of(name.text) if word not in stop_words() and not word.isdigit()]
            self._telling[name] = (
                len(words) >= _FEWEST_WORDS
                or _is_long_run("".join(words))
                or any(not is_everyday(word) and not self._is_known(word) for word in words)
            )
        return self._telling[name]


class _Runs:
    """Names, each as a run of words of a form."""

    def __init__(self, form: re.Pattern[str]) -> None:
        self._form = form
        self.starts: defaultdict[str, list[tuple[tuple[str, ...], HiddenName]]] = defaultdict(list)

    def add(self, name: HiddenName) -> None:
        """Look for a name by its words."""
        if words := tuple(self._form.findall(fold(name.text))):
            self.starts[words[0]].append((words, name))

    def by_words(self, words: tuple[str, ...]) -> list[HiddenName]:
        """Return the names that have just these words."""
        return [name for wanted, name in self.starts.get(words[0], ()) if wanted == words] if words else []

    def found_in(self, words: Sequence[str]) -> Iterator[HiddenName]:
        """Yield the names that are among these words, as often as they are."""
        for at, word in enumerate(words):
            for wanted, name in self.starts.get(word, ()):
                if tuple(words[at : at + len(wanted)]) == wanted:
                    yield name


def _is_long(words: Sequence[str]) -> bool:
    return len(words) > _PAIR or _is_long_run("".join(words))


def _is_long_run(joined: str) -> bool:
    return is_unspaced(joined) and len(unicodedata.normalize("NFC", joined)) >= _SHORTEST_RUN


def _as_linked(name: str) -> str:
    return " ".join(fold(name).split())
