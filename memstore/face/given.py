"""Turn the arguments of Python callers into what use cases take: words, lists, keys.

`Hits`, the result of a search, is here as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from memstore.core.errors import UsageError, nearest
from memstore.core.keys import KEY_BY_NAME, Shape
from memstore.core.named import Named, ref_of
from memstore.files import render
from memstore.files.draft import Account
from memstore.memories.create import OptionalKeys, values_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memstore.files.render import Plain
    from memstore.search.explanation import WhyNot
    from memstore.search.retrieval import Answer, Hit


E = TypeVar("E", bound=Enum)
V = TypeVar("V")


class Keys(OptionalKeys, total=False):
    """The optional keys of a new memory, named as in the file's frontmatter.

    Keys that hold lists take lists. Memories in `derived_from` and `relates_to` may be named by values that have a
    `ref`.
    `session_id` and `trigger` are the memory's `origin`; `objective`, `outcome` and `lessons` make an episode's text;
    `keys` holds keys of your own.
    """

    derived_from: Sequence[Named]
    relates_to: Sequence[Named]
    aliases: Sequence[str]
    claims: Sequence[Mapping[str, str]]
    created_at: str
    valid_from: str
    valid_until: str
    status: str
    owner: str
    platform: str
    entities: Sequence[str]
    access_denies: Sequence[str]
    confidence: float
    belief_type: str
    foundational: bool
    objective: str
    outcome: str
    lessons: Sequence[str]
    keys: Mapping[str, Any]


# -- places, texts and lists ---------------------------------------------------------------------


def place(path: str | Path) -> Path:
    """Return a path as a caller wrote it, with `~` for the home folder, relative to the working folder."""
    from memstore.files.local_state import Environment

    return Environment.of_process().expanded(str(path))


def text_of(name: str, given: object) -> str:
    """Return a text; raise `TypeError` for anything else, as a program hands over None where nothing was found."""
    if not isinstance(given, str):
        raise TypeError(f"{name} is a text, not {'None' if given is None else type(given).__name__}")
    return given


def text_or_none(name: str, given: object) -> str | None:
    """Return a text or None; raise `TypeError` for anything else."""
    return None if given is None else text_of(name, given)


def count(name: str, given: object, *, least: int = 1) -> int:
    """Return a whole number; raise `UsageError` for anything else, and for one below `least`."""
    if not isinstance(given, int) or isinstance(given, bool) or given < least:
        raise UsageError(
            f"{name} is {given!r}, not a whole number from {least} on", hint=f"write it like {name}={max(least, 5)}"
        )
    return given


def most(name: str, given: object, *, least: int = 0) -> int | None:
    """Return a whole number like `count`; None, which stands for no limit, is returned as such."""
    return None if given is None else count(name, given, least=least)


def when(name: str, given: object) -> str | None:
    """Return a commit or a date as it was written, or None; raise `UsageError` for anything that is not a text."""
    if given is not None and not isinstance(given, str):
        raise UsageError(f"{name} is {given!r}, not a text", hint=f'write it like {name}="2026-02-01"')
    return given


def items(name: str, given: Iterable[str]) -> list[str]:
    """Return a list; raise `TypeError` for a string, since its letters are hardly meant as items."""
    if isinstance(given, str):
        raise TypeError(f"{name} is a list: write {name}=[{given!r}]")
    return list(given)


def one_or_more(_: str, given: str | Iterable[str]) -> list[str]:
    """Return one item or several as a list."""
    return [given] if isinstance(given, str) else list(given)


def choice(kind: type[E], word: str) -> E:
    """Return the enum member for a word; raise `UsageError` for an unknown word."""
    words = [str(one.value) for one in kind]
    if word not in words:
        raise UsageError(f"`{word}` is not one of {', '.join(words)}", hint=f"choose one of {', '.join(words)}")
    return kind(word)


def opened(vault: V) -> V:
    """Return an opened vault unchanged.

    Raises:
        TypeError: it is something else, like the path of a vault that is not opened yet.
    """
    if not hasattr(vault, "view"):
        raise TypeError(f"{vault!r} is not an opened vault; memstore.open_vault(PATH) opens one")
    return vault


def only(given: Iterable[str], known: Iterable[str], function: str) -> None:
    """Raise `TypeError`, as Python does, for a keyword argument that the function does not know."""
    for name in given:
        if name not in known:
            near = nearest(name, known)
            meant = f"; did you mean {near}?" if near else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{meant}")


# -- keys of a memory -----------------------------------------------------------------------------

_OF_REFS = frozenset({Shape.REFS, Shape.SOURCES})


def new_memory(text: str, kind: str, keys: Keys, *, function: str) -> tuple[dict[str, Plain], str]:
    """Return the keys of a new memory and its body.

    Raises:
        TypeError: a name is not a key's, a text is given where a list belongs, something else as the text, or a
            `datetime` as a time, which files have as texts.
    """
    only(keys, Keys.__annotations__, function)
    text_of("text", text)
    said = {name: _checked(name, value) for name, value in keys.items()}
    own = said.pop("keys", {})
    account = _account(said)
    if account.title:
        said.setdefault("title", account.title)
    values = {**values_of(cast("OptionalKeys", said)), **own, "type": kind}
    return values, account.as_text(text) if account else text


def _checked(name: str, value: Any) -> Any:
    key = KEY_BY_NAME.get(name)
    if key and isinstance(value, date):
        raise TypeError(f"{name} is a text like '2026-02-01T00:00:00Z', not a {type(value).__name__}")
    if value is None or key is None or key.shape not in render.LISTS:
        return items(name, value) if name == "lessons" else value
    if key.shape in _OF_REFS and not isinstance(value, str):
        return [ref_of(memory) for memory in value]
    return items(name, value)


def promoted(keys: Keys) -> tuple[dict[str, Plain], Account]:
    """Return the keys given for a promotion, and the account of an episode; errors as for `new_memory`."""
    only(keys, Keys.__annotations__, "promote")
    said = {name: _checked(name, value) for name, value in keys.items()}
    account = _account(said)
    own = said.pop("keys", {})
    return {**values_of(cast("OptionalKeys", said)), **own}, account


def _account(said: dict[str, Any]) -> Account:
    """Remove the account of an episode from the keys given, and return it."""
    told = {name: said.pop(name, "") for name in ("objective", "outcome")}
    return Account(**told, lessons=tuple(said.pop("lessons", ())))


def as_typed(keys: Mapping[str, object]) -> dict[str, list[str]]:
    """Return values of keys as a person would type them, for `set`; None and an empty list remove a key."""
    return {name: _typed(name, _checked(name, value)) for name, value in keys.items()}


def _typed(name: str, value: Any) -> list[str]:
    if value is None:
        return [""]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, list | tuple):
        return [quoted(str(item)) for item in value] if name in KEY_BY_NAME else [str(item) for item in value]
    return [str(value)]


def quoted(item: str) -> str:
    """Return an item of a comma-separated list, quoted if necessary."""
    return '"' + item.replace('"', '""') + '"' if set(item) & {",", '"'} else item


# -- hits ------------------------------------------------------------------------------------------


class Hits(Sequence["Hit"]):
    """The hits of a search, best first.

    Args:
        answer: the whole answer.
    """

    __slots__ = ("answer",)

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def __len__(self) -> int:
        return len(self.answer.hits)

    @overload
    def __getitem__(self, at: int) -> Hit: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, at: int | slice) -> Hit | tuple[Hit, ...]:
        return self.answer.hits[at]

    def __repr__(self) -> str:
        return f"<{len(self)} of {self.total} hits for {self.answer.query.text[:60]!r}>"

    @property
    def total(self) -> int:
        """How many memories match."""
        return self.answer.total

    @property
    def left_out(self) -> int:
        """How many files could not be read, so that it is not known whether they match."""
        return self.answer.left_out

    @property
    def why_not(self) -> WhyNot | None:
        """Why the memory that was asked about is not among the hits, or where it is; None where none was."""
        return self.answer.why_not

    @property
    def fallback(self) -> str | None:
        """Why hits below the requested quality are given; None if none are."""
        return self.answer.fallback

    @property
    def weak(self) -> bool:
        """Whether even the best hit may well not answer the query."""
        return self.answer.weak

    @property
    def facets(self) -> dict[str, dict[str, int]]:
        """How many matching memories have each value of the requested keys, most frequent first."""
        return {key: dict(counts) for key, counts in self.answer.facets}

    @property
    def suggestion(self) -> str | None:
        """A query that finds something, if this one found nothing."""
        return self.answer.suggestion
