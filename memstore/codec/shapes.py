"""Typed checks: whether a key's value has the shape that the table of keys promises."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memstore.codec.problem import Problem
from memstore.model.ids import MEMORY_TYPES, MemoryRef, is_entity_id, is_memory_id
from memstore.model.memory import Key, Shape
from memstore.model.provenance import is_external_mark
from memstore.model.sharing import EVERYBODY, EVERYBODY_SPELLED

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.codec.strict_yaml import Frontmatter, KeyPath

INSTANT = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z")
DAY = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
_SCOPE = re.compile(r"global|project:[A-Za-z0-9][A-Za-z0-9._-]*")


def check(front: Frontmatter, keys: tuple[Key, ...]) -> list[Problem]:
    """Return what is wrong with the values of `front` by the table `keys`; unknown keys are the person's own."""
    checker = _ShapeCheck(front)
    checker.keys(front.values, keys, ())
    return checker.problems


def is_absent(value: object) -> bool:
    """Whether a value says nothing: absent, null, empty text and empty list mean the same."""
    return value is None or value in ("", [])


def suggestion(word: str, choices: tuple[str, ...]) -> str | None:
    """Return the choice that `word` was probably meant to be."""
    import difflib

    close = difflib.get_close_matches(word, choices, n=1)
    return close[0] if close else None


class _ShapeCheck:
    """Collects problems while walking a frontmatter; one use."""

    def __init__(self, front: Frontmatter) -> None:
        self.front = front
        self.problems: list[Problem] = []

    def keys(self, values: dict[str, Any], keys: tuple[Key, ...], path: KeyPath) -> None:
        for key in keys:
            value = values.get(key.name)
            if is_absent(value):
                if key.required:
                    what = "type-missing" if key.name == "type" and not path else "value-missing"
                    self.report(what, path, f"`{key.name}` is missing", self._hint_for(key))
            else:
                self.value(key, value, (*path, key.name))

    def value(self, key: Key, value: object, path: KeyPath) -> None:
        if key.shape is Shape.ENTRY:
            self.entry(key, value, path)
        elif key.shape is Shape.ENTRIES:
            for i, item in enumerate(self.items(key, value, path)):
                self.entry(key, item, (*path, i))
        elif key.shape is Shape.GRANT_LISTS:
            for i, item in enumerate(self.items(key, value, path)):
                for j, text in enumerate(self.items(key, item, (*path, i))):
                    self.text(key, text, (*path, i, j))
        elif key.shape in _LISTS:
            for i, item in enumerate(self.items(key, value, path)):
                self.text(key, item, (*path, i))
        elif key.shape is Shape.HEIRS and isinstance(value, list):
            for i, item in enumerate(value):
                self.text(key, item, (*path, i))
        elif key.shape in _NUMBERS:
            self.number(key, value, path)
        elif key.shape is Shape.FLAG:
            if not isinstance(value, bool):
                self.report("value-shape", path, f"`{key.name}` must be true or false", "write true or false")
        else:
            self.text(key, value, path)

    def items(self, key: Key, value: object, path: KeyPath) -> list[Any]:
        """Return the items of a list; a single value where a list belongs is reported, never iterated."""
        if isinstance(value, list):
            return value
        mended = f"{key.name}: [{value}]" if isinstance(value, str) and len(path) == 1 and "," not in value else None
        self.report(
            "value-shape", path, f"`{key.name}` must be {key.shape.value}, and is {kind_of(value)}",
            f"write {key.name}: [one, two]", mended=mended,
        )  # fmt: skip
        return []

    def entry(self, key: Key, value: object, path: KeyPath) -> None:
        if not isinstance(value, dict):
            self.report(
                "value-shape", path, f"an entry of `{key.name}` must be a map, and is {kind_of(value)}",
                "write {key: value, key: value}",
            )  # fmt: skip
            return
        known = tuple(k.name for k in key.entry)
        for name in value:
            if name not in known:
                close = suggestion(name, known)
                hint = f"did you mean {close}?" if close else f"an entry of `{key.name}` has: {', '.join(known)}"
                self.report("entry-key", (*path, name), f"unknown key `{name}` in an entry of `{key.name}`", hint)
        self.keys(value, key.entry, path)

    def number(self, key: Key, value: object, path: KeyPath) -> None:
        whole = key.shape is Shape.COUNT
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            hint = "write a number like 0.85" if key.shape is Shape.FRACTION else "write a number without quotes"
            self.report("value-shape", path, f"`{key.name}` must be {key.shape.value}, and is {kind_of(value)}", hint)
        elif value < 0 or (key.shape is Shape.FRACTION and value > 1) or value == float("inf"):
            self.report(
                "value-range", path, f"`{key.name}` must be {key.shape.value}, and is {value}", "mend the number"
            )

    def text(self, key: Key, value: object, path: KeyPath) -> None:
        if not isinstance(value, str):
            self.report(
                "value-shape", path, f"`{key.name}` must be {key.shape.value}, and is {kind_of(value)}",
                f'quote it: "{value}"' if isinstance(value, int | float) else f"write {key.shape.value}",
            )  # fmt: skip
            return
        if "\n" in value:
            self.report("line-break", path, f"`{key.name}` must be one line", "put the rest into the text below")
            return
        code, holds = _FORMS.get(key.shape, _ANY_LINE)
        if key.choices:
            code, holds = "value-choice", key.choices.__contains__
        if value and not holds(value):
            self.report(
                code, path, f"`{key.name}` must be {self._what(key)}, and is `{value}`", self._close(key, value)
            )

    def report(
        self, code: str, path: KeyPath, text: str, hint: str | None = None, *, mended: str | None = None
    ) -> None:
        self.problems.append(Problem(code, self.front.position(*path), text, hint, mended))

    def _what(self, key: Key) -> str:
        return f"one of {', '.join(key.choices)}" if key.choices else key.shape.value

    def _hint_for(self, key: Key) -> str:
        return (
            f"add a line `{key.name}: …` with one of {', '.join(key.choices)}" if key.choices else f"add `{key.name}`"
        )

    def _close(self, key: Key, value: str) -> str:
        if key.choices:
            close = suggestion(value, key.choices)
            return f"did you mean {close}?" if close else f"choose one of {', '.join(key.choices)}"
        return _EXAMPLES.get(key.shape, "mend the value")


def kind_of(value: object) -> str:
    """Return what a value is, for people."""
    match value:
        case None:
            return "nothing"
        case bool():
            return f"{str(value).lower()}"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text `{value}`"
        case list():
            return "a list"
        case _:
            return "a map"


def _is_grant(text: str) -> bool:
    return text in (EVERYBODY, EVERYBODY_SPELLED) or is_entity_id(text)


def _is_ref(text: str) -> bool:
    return MemoryRef.parse(text) is not None


def _is_source(text: str) -> bool:
    return _is_ref(text) or is_external_mark(text)


_LISTS = frozenset({Shape.LINES, Shape.ENTITIES, Shape.GRANTS, Shape.REFS, Shape.SOURCES})
_NUMBERS = frozenset({Shape.FRACTION, Shape.NUMBER, Shape.COUNT})
_ANY_LINE: tuple[str, Callable[[str], bool]] = ("value-shape", lambda _: True)
_FORMS: dict[Shape, tuple[str, Callable[[str], bool]]] = {
    Shape.MEMORY_ID: ("id-form", lambda text: is_memory_id(text)),
    Shape.ENTITY: ("entity-id", is_entity_id),
    Shape.ENTITIES: ("entity-id", is_entity_id),
    Shape.GRANTS: ("entity-id", _is_grant),
    Shape.GRANT_LISTS: ("entity-id", _is_grant),
    Shape.CONTEXT: ("entity-id", lambda text: is_entity_id(text) and text.startswith("ctx:")),
    Shape.SCOPE: ("scope-form", lambda text: _SCOPE.fullmatch(text) is not None),
    Shape.REF: ("ref-form", _is_ref),
    Shape.REFS: ("ref-form", _is_ref),
    Shape.HEIRS: ("ref-form", _is_ref),
    Shape.SOURCES: ("ref-form", _is_source),
    Shape.INSTANT: ("instant-form", lambda text: INSTANT.fullmatch(text) is not None),
    Shape.DAY: ("instant-form", lambda text: (DAY.fullmatch(text) or INSTANT.fullmatch(text)) is not None),
}
_EXAMPLES = {
    Shape.MEMORY_ID: "lower-case letters, digits, - and _, 3 to 64 of them, like m_7f3k9q2x1c",
    Shape.ENTITY: "write kind:name in lower case, like human:sean",
    Shape.ENTITIES: "write one kind:name an item, like human:sean; look for a missing dash or indent",
    Shape.GRANTS: 'write one kind:name an item, like human:sean, or "*"; look for a missing dash or indent',
    Shape.GRANT_LISTS: 'write one kind:name an item, like human:sean, or "*"',
    Shape.CONTEXT: "write ctx:name; free text belongs into context_tags",
    Shape.SCOPE: "write global or project:name",
    Shape.REF: f"write type:id, with a type of {', '.join(MEMORY_TYPES)}",
    Shape.REFS: f"write type:id, with a type of {', '.join(MEMORY_TYPES)}",
    Shape.HEIRS: f"write type:id, with a type of {', '.join(MEMORY_TYPES)}",
    Shape.SOURCES: "write type:id, or context:…, url:…, file:…, consolidation:…, kernle:…",
    Shape.INSTANT: 'write a UTC time in quotes, like "2026-02-01T18:04:11Z"',
    Shape.DAY: 'write a date or UTC time in quotes, like "2026-02-01"',
}
