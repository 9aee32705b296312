"""The names of hidden memories in what a push says: messages, people, tags, refs, notes, paths."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memstore.access.hidden_names import BETWEEN, KNOWN_BY, Finder, HiddenName, hidden_name_of, words_of
from memstore.access.names import fold, readings
from memstore.core.ids import ID_ALPHABET, ID_RANDOM_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from memstore.access.world import Labels
    from memstore.history.git_process import GitProcess

_IDS_OF_OURS = re.compile(rf"m_[{ID_ALPHABET}]{{{ID_RANDOM_CHARACTERS}}}")
_LONGEST_TITLE = 59  # in a commit's subject: `history.commit_messages.called`


class NamedMemory(NamedTuple):
    """A version of a memory: its path in the vault, its title and aliases, and its labels."""

    path: str
    names: tuple[str, ...]
    labels: Labels


class FoundName(NamedTuple):
    """A name of a hidden memory that was found; `memory` is its id, empty if it is unknown.

    `is_exact` says that it is an id or a path, which can't occur by chance.
    """

    memory: str
    is_exact: bool


class PushedNames:
    """Finds the names of hidden memories.

    An id of memstore's form that is not known is taken for a hidden one's: what was it, if it is in no commit? A name
    that a visible memory has, too, tells nothing; one within such a name, or a single word of it, only in links.

    Args:
        memories: all versions that are known.
        is_visible: whether all who read may see a memory with these labels.
        others: the paths of files that may go, which are no memories.
        is_known: whether the readers have a folded word anyway.
    """

    def __init__(
        self,
        memories: Collection[NamedMemory],
        is_visible: Callable[[Labels], bool],
        others: Collection[str],
        is_known: Callable[[str], bool],
    ) -> None:
        self._known = {one.labels.id for one in memories}
        visible = {id(one.labels): is_visible(one.labels) for one in memories}
        hidden = [one for one in memories if not visible[id(one.labels)]]
        shown = [one for one in memories if hidden and visible[id(one.labels)]]
        seen = {words_of(_recognizable_part(name)) for one in shown for name in one.names} - {()}
        said = {word for words in seen for word in words}
        open_files = {path.rpartition("/")[2] for path in (*others, *(one.path for one in shown))}
        self._ids: dict[HiddenName, str] = {}
        for one in hidden:
            title, *aliases = map(_recognizable_part, one.names or ("",))
            for name in hidden_name_of(one.path, one.labels.id, title, aliases):
                if name.kind == "path" and name.text.rpartition("/")[2] in open_files:
                    continue
                if name.is_exact or words_of(name.text) not in seen:
                    self._ids.setdefault(name, one.labels.id)
        whole = Finder(self._ids)
        within = {name for words in seen for name in whole.in_words(words)}
        # What is said within other names means this memory only where a link leads to it.
        self._ids |= {name._replace(kind="link"): self._ids[name] for name in within}
        names = (name for name in self._ids if name not in within)
        self._finder = Finder(names, is_known=cache(lambda word: word in said or is_known(word)))

    def may_be_in(self, texts: Sequence[str]) -> bool:
        """Whether any name may occur in these texts and paths; in most pushes none does."""
        return self._of_unknown(BETWEEN.join(texts)) is not None or self._finder.may_be_in(texts)

    def in_text(self, text: str) -> FoundName | None:
        """Return the first name that a text has, an exact one before others; None if it has none."""
        return self._of_unknown(text) or self._first(self._finder.in_text(text))

    def in_path(self, path: str, *, also_short: bool) -> FoundName | None:
        """Return the first name that a path or a ref has; the arguments are those of `Finder.in_path`."""
        return self._of_unknown(path) or self._first(self._finder.in_path(path, also_short=also_short))

    def _of_unknown(self, text: str) -> FoundName | None:
        return FoundName("", is_exact=True) if names_unknown_id(text, self._known) else None

    def _first(self, names: Iterable[HiddenName]) -> FoundName | None:
        found = sorted(names, key=lambda name: not name.is_exact)
        return FoundName(self._ids[found[0]], found[0].is_exact) if found else None


def _recognizable_part(title: str) -> str:
    """Return the part of a title by which it is recognized in a text, where it may be cut."""
    return title if len(title) <= _LONGEST_TITLE else title[:_LONGEST_TITLE].rpartition(" ")[0] or title


def names_unknown_id(text: str, known: Collection[str]) -> bool:
    """Return whether a text has an id of memstore's form that is not known."""
    return any(found not in known for form in readings(text) for found in _IDS_OF_OURS.findall(fold(form)))


def used_in(git: GitProcess, commit: str | None) -> Callable[[str], bool]:
    """Return whether so many files of a commit have a word that its readers know it; they get all of them."""

    def is_known(word: str) -> bool:
        if commit is None:
            return False
        found = git.attempt("grep", "-I", "-l", "-i", "-w", "-F", "-e", word, commit, "--")
        return found.stdout.count(b"\n") >= KNOWN_BY

    return is_known
