"""The keys of people's own in the files that a viewer sees, and their values: all keys of a plain note, too."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from memstore.core.catalog import Field
from memstore.core.keys import KEY_BY_NAME
from memstore.search import INDEX

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from memstore.core.view import View


class OwnKeys:
    """The keys that the visible files have, as the index knows them; values are read from the files, each once.

    Args:
        then: the vault at the time in question.
    """

    def __init__(self, then: View) -> None:
        self._then = then
        self._read: dict[int, Mapping[str, Any]] = {}

    @cached_property
    def names(self) -> Collection[str]:
        """All keys that memstore doesn't define, folded."""
        from memstore.search.index import KEY_MARK

        found = [term.removeprefix(KEY_MARK) for term in self._then.of(INDEX).terms(KEY_MARK)]
        return [name for name in found if name not in KEY_BY_NAME and self.holders(name)]

    def holders(self, key: str) -> Collection[int]:
        """Return the rows of the files in which a key, or the map that a dotted one is in, is a person's own."""
        from memstore.search.index import key_term

        return frozenset(self._then.holding(Field.HEAD, key_term(key.partition(".")[0])))

    def values(self, row: int) -> Mapping[str, Any]:
        """Return the frontmatter of a row's file; empty if it can't be read any more, or the viewer may not see it."""
        if row not in self._read:
            from memstore.files.memory_file import PlainFile

            file = self._then.text(self._then.entry(row).path)
            front = file.front.values if file and not isinstance(file, PlainFile) else file.values if file else {}
            self._read[row] = front
        return self._read[row]

    def texts(self, row: int, key: str) -> list[str]:
        """Return the values of a key in a row's file as texts; see `texts_at`."""
        return texts_at(self.values(row), key)


def texts_at(values: Mapping[str, Any], key: str) -> list[str]:
    """Return the values of a key as texts, however it is written: `origin.session_id` is one of a map, or of several.

    A key that is written just so comes before others that are the same but for capitals.
    """
    found: list[Any] = [values]
    for name in key.split("."):
        found = [_at(item, name) for item in found if isinstance(item, dict)]
        found = [part for item in found for part in (item if isinstance(item, list) else [item])]
    return [_text(item) for item in found if item is not None and item not in ("", {})]


def _at(values: Mapping[str, Any], name: str) -> Any:
    if name in values:
        return values[name]
    from memstore.files.strict_yaml import folded_key

    folded = folded_key(name)
    return next((value for key, value in values.items() if isinstance(key, str) and folded_key(key) == folded), None)


def _text(value: object) -> str:
    """Return a value as it is written in the file."""
    return str(value).lower() if isinstance(value, bool) else str(value)
