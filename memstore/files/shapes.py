"""Type checks: whether a key's value has the shape that the table of keys requires."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from memstore.core.errors import did_you_mean, nearest
from memstore.core.finding import Problem, worth_showing
from memstore.core.ids import MEMORY_TYPES, MemoryRef, is_entity_id, is_memory_id
from memstore.core.keys import KEY_BY_NAME, KEYS, Key, Shape
from memstore.core.memory import EVERYBODY, EVERYBODY_SPELLED, is_external_mark
from memstore.core.times import EARLIEST, LATEST, as_day, instant, stated, time_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.files.strict_yaml import Frontmatter, KeyPath

INSTANT = re.compile(
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z", re.ASCII
)
DAY = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", re.ASCII)
LONGEST_QUOTED = 200
_MOST = {Shape.FRACTION: 1, Shape.NUMBER: 1_000_000}  # more observations could overflow their sum
_SCOPE = re.compile(r"global|project:[A-Za-z0-9][A-Za-z0-9._-]*")


def check(front: Frontmatter, keys: tuple[Key, ...]) -> list[Problem]:
    """Return the problems of the values of `front` according to the table `keys`; unknown keys are the person's own."""
    checker = _ShapeCheck(front)
    checker.keys(front.values, keys, ())
    return checker.problems


_ABSENT: tuple[object, ...] = (None, "", [])


def is_absent(value: object) -> bool:
    """Return whether a value is empty: absent, null, empty text and empty list mean the same."""
    return not value and value in _ABSENT


def listed(value: object) -> list[Any]:
    """Return the items of a list; a single value counts as a list of one, an empty one as an empty list."""
    if is_absent(value):
        return []
    return value if isinstance(value, list) else [value]


def _spelt_otherwise(name: str, values: dict[str, Any]) -> str | None:
    """Return the key that was probably meant to be `name`."""
    folded = {key.casefold(): key for key in reversed(values) if key not in KEY_BY_NAME}
    near = nearest(name, folded, similar=0.75)
    return folded[near] if near else None


class _ShapeCheck:
    """Collects problems while walking a frontmatter; for one use."""

    def __init__(self, front: Frontmatter) -> None:
        self.front = front
        self.problems: list[Problem] = []

    def keys(self, values: dict[str, Any], keys: tuple[Key, ...], path: KeyPath) -> None:
        for key in keys:
            value = values.get(key.name)
            if not value and value in _ABSENT:  # true for most keys of the table in every file
                if key.required:
                    self.missing(key, values, path)
            elif key.shape in _CHECKS:
                _CHECKS[key.shape](self, key, value, (*path, key.name))
            elif not _is_sound(key, value):
                self.text(key, value, (*path, key.name))

    def missing(self, key: Key, values: dict[str, Any], path: KeyPath) -> None:
        code = "type-missing" if key.name == "type" and not path else "value-missing"
        other = _spelt_otherwise(key.name, values)
        about = str(path[0]) if path else key.name
        if other is None:
            self.report(code, path, f"`{key.name}` is missing", _hint_for(key), about=about)
            return
        here = (*path, other)
        hint = "keys are written in lower case" if other.casefold() == key.name else f"write {key.name}"
        self.report(
            code, here, f"`{key.name}` is missing: `{other}` is another key", hint,
            meant=key.name, is_sure=True, of_key=True, about=about,
        )  # fmt: skip

    def texts(self, key: Key, value: object, path: KeyPath) -> None:
        for i, item in enumerate(self.items(key, value, path)):
            if not _is_sound(key, item):
                self.text(key, item, (*path, i))

    def lists_of_texts(self, key: Key, value: object, path: KeyPath) -> None:
        for i, item in enumerate(self.items(key, value, path)):
            self.texts(key, item, (*path, i))

    def one_or_more(self, key: Key, value: object, path: KeyPath) -> None:
        (self.texts if isinstance(value, list) else self.text)(key, value, path)

    def words(self, key: Key, value: object, path: KeyPath) -> None:
        is_word = isinstance(value, str) and not set(value) & {",", " "}  # a comma or space may join several words
        (self.text if is_word else self.texts)(key, value, path)

    def roles(self, key: Key, value: object, path: KeyPath) -> None:
        if not isinstance(value, dict):
            self.report(
                "value-shape", path, f"`{key.name}` must be {key.shape.value}, and is {kind_of(value)}",
                'write lines like "si:ash": [role:tutor] below it',
            )  # fmt: skip
            return
        for who, roles in value.items():
            self.text(key, who, (*path, who), of_key=True)
            self.texts(key, roles, (*path, who))

    def flag(self, key: Key, value: object, path: KeyPath) -> None:
        if not isinstance(value, bool):
            word = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}.get(
                str(value).lower()
            )
            self.report(
                "value-shape", path, f"`{key.name}` must be true or false, and is {kind_of(value)}",
                "write true or false, without quotes", meant=word, is_sure=True,
            )  # fmt: skip

    def items(self, key: Key, value: object, path: KeyPath) -> list[Any]:
        """Return the items of a list; a single value in place of a list is reported, never iterated."""
        if isinstance(value, list):
            return value
        meant = None
        bare = value.removesuffix("]") if isinstance(value, str) else "["
        if bare and not set(bare) & set("[]{}#\"'"):
            meant = f"[{bare}]" if bare[:1].isalnum() else f'["{bare}"]'
        self.report(
            "value-shape", path, f"`{key.name}` must be {key.shape.value}, and is {kind_of(value)}",
            f"write {key.name}: [one, two]", meant=meant, is_sure=True,
        )  # fmt: skip
        return []

    def entries(self, key: Key, value: object, path: KeyPath) -> None:
        for i, item in enumerate(self.items(key, value, path)):
            self.entry(key, item, (*path, i))

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
                hint = did_you_mean(name, known, otherwise=f"an entry of `{key.name}` may have: {', '.join(known)}")
                text = f"unknown key `{name}` in an entry of `{key.name}`"
                self.report("entry-key", (*path, name), text, hint, meant=nearest(name, known), of_key=True)
        self.keys(value, key.entry, path)

    def number(self, key: Key, value: object, path: KeyPath) -> None:
        whole = key.shape is Shape.COUNT
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            hint = "write a number like 0.85" if key.shape is Shape.FRACTION else "write a number without quotes"
            self.report(
                "value-shape", path, f"`{key.name}` must be {key.shape.value}, and is {kind_of(value)}", hint,
                meant=_number_meant(value) if key.shape is Shape.FRACTION else None, is_sure=True,
            )  # fmt: skip
        elif not 0 <= value <= _MOST.get(key.shape, value):
            self.report(
                "value-range", path, f"`{key.name}` must be {key.shape.value}, and is {value}", "correct the number"
            )

    def text(self, key: Key, value: object, path: KeyPath, *, of_key: bool = False) -> None:
        """Report what is wrong with a value that should be a text; `of_key` if it is the key at the path."""
        if not isinstance(value, str):
            source = self.source(path) if isinstance(value, int | float) else None
            self.report(
                "value-shape", path, f"`{key.name}` must be {key.shape.value}, and is {kind_of(value)}",
                "quote it" if isinstance(value, int | float) else f"write {key.shape.value}",
                meant=f'"{source}"' if source else None, is_sure=True,
            )  # fmt: skip
            return
        if "\n" in value:
            self.report("line-break", path, f"`{key.name}` must be one line", "put the rest into the text below")
            return
        code, holds = _form(key)
        if value and not holds(value):
            meant = _text_meant(key, value)
            self.report(
                code, path, f"`{key.name}` must be {_what(key)}, and is `{_cut(value)}`", _close(key, value),
                meant=meant or _text_likely(key, value), is_sure=meant is not None, of_key=of_key,
            )  # fmt: skip

    def source(self, path: KeyPath) -> str | None:
        """Return the value at `path` as it is written, on one line; None for a value that is in no file."""
        extent = self.front.extent(*path)
        if extent is None:
            return None
        start, end = extent
        return self.front.lines[start.line - self.front.first_line][start.column - 1 : end.column - 1]

    def report(
        self,
        code: str,
        path: KeyPath,
        text: str,
        hint: str | None = None,
        *,
        meant: str | None = None,
        is_sure: bool = False,
        of_key: bool = False,
        about: str = "",
    ) -> None:
        """Record a problem at a place.

        Args:
            code: of the problem.
            path: the place.
            text: what is wrong.
            hint: what to do.
            meant: what was probably meant, as it would stand there.
            is_sure: whether nothing else can have been meant.
            of_key: whether it is about the key at the place, and not about its value.
            about: the key's name if it is not the place's own, as for a missing key.
        """
        at, line, extent = self.front.position(*path), self.front.line(path), self.front.extent(*path, of_key=of_key)
        mended = None
        if is_sure and meant and extent and {extent.start.line, extent.end.line} == {at.line}:
            mended = worth_showing(line[: extent.start.column - 1] + meant + line[extent.end.column - 1 :])
        meant = meant if extent else None
        self.problems.append(Problem(code, at, text, hint, mended, about or str(path[0]), extent, meant))


_REQUIRED = {key.name: {part.name for part in key.entry if part.required} for key in KEYS if key.shape is Shape.ENTRIES}


def whole_entries(name: str, value: Any) -> Any:
    """Return a key's value without entries that lack a required part, as where it named something hidden."""
    if name not in _REQUIRED or not isinstance(value, list):
        return value
    return [item for item in value if isinstance(item, dict) and _REQUIRED[name] <= item.keys()]


def _is_sound(key: Key, value: object) -> bool:
    """Return whether a value is a text of the key's form, as nearly all are; then its position is not needed."""
    return isinstance(value, str) and "\n" not in value and (not value or _form(key)[1](value))


def _form(key: Key) -> tuple[str, Callable[[str], bool]]:
    """Return the finding code for a text that a key does not accept, and the test for those that it does."""
    if key.choices:
        return "value-choice", key.choices.__contains__
    return _FORMS.get(key.shape, _ANY_LINE)


def _what(key: Key) -> str:
    return f"one of {', '.join(key.choices)}" if key.choices else key.shape.value


def _hint_for(key: Key) -> str:
    return f"add a line `{key.name}: …` with one of {', '.join(key.choices)}" if key.choices else f"add `{key.name}`"


def _close(key: Key, value: str) -> str:
    if key.choices:
        return did_you_mean(value, key.choices, otherwise=f"choose one of {', '.join(key.choices)}")
    return _EXAMPLES.get(key.shape, "correct the value")


def _number_meant(value: object) -> str | None:
    """Return the fraction that a text like `0,8`, `80%` or `"0.8"` was meant to be."""
    if not isinstance(value, str):
        return None
    percent = re.fullmatch(r"(100|[0-9]{1,2}) ?%", value)
    if percent:
        return f"{int(percent[1]) / 100:g}"
    text = value.replace(",", ".", 1)
    return text if re.fullmatch(r"0\.[0-9]+|[01]|1\.0+", text) else None


def _text_meant(key: Key, value: str) -> str | None:
    """Return what a text of the wrong form was meant to be, if there is only one answer."""
    if key.choices:
        return value.lower() if value.lower() in key.choices else None
    if key.shape is Shape.INSTANT:
        return _instant_meant(value)
    _, holds = _FORMS[key.shape]
    folded = value.strip().lower().replace(" ", "_")
    return f'"{folded}"' if folded != value and holds(folded) else None


def _text_likely(key: Key, value: str) -> str | None:
    """Return what a text of the wrong form probably was meant to be: the most similar choice, ref or id, or a day."""
    if key.choices:
        return nearest(value, key.choices)
    if key.shape in (Shape.INSTANT, Shape.DAY):
        at = stated(value)
        if at is None or ":" in value or at != as_day(at) or not EARLIEST < at < LATEST:
            return None
        return f'"{instant(at)}"' if key.shape is Shape.INSTANT else f'"{at:%Y-%m-%d}"'
    kind, _, name = (part.strip().lower().replace(" ", "_") for part in value.partition(":"))
    meant = f"{nearest(kind, MEMORY_TYPES) if key.shape in _OF_REFS else kind}:{name}"
    return f'"{meant}"' if _FORMS[key.shape][1](meant) else None


def _instant_meant(value: str) -> str | None:
    """Return the UTC time for a time with a UTC offset; without an offset, only its writer knows."""
    at = time_in(value)
    has_zone = at is not None and datetime.fromisoformat(value.strip()).tzinfo
    return f'"{instant(at)}"' if at and has_zone and EARLIEST < at < LATEST else None


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTED else text[:LONGEST_QUOTED] + "…"


def kind_of(value: object) -> str:
    """Return a description of a value for people."""
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text `{_cut(value)}`"
        case list():
            return "a list"
        case _:
            return "a map"


def is_instant(text: str) -> bool:
    """Return whether a text is a UTC time on a date that exists."""
    return INSTANT.fullmatch(text) is not None and _is_in_calendar(text[:10])


def is_day(text: str) -> bool:
    """Return whether a text is a date that exists."""
    return DAY.fullmatch(text) is not None and _is_in_calendar(text)


def _is_in_calendar(day: str) -> bool:
    try:
        date.fromisoformat(day)
    except ValueError:
        return False
    return True


def _is_grant(text: str) -> bool:
    return text in (EVERYBODY, EVERYBODY_SPELLED) or is_entity_id(text)


def _is_ref(text: str) -> bool:
    return MemoryRef.parse(text) is not None


def _is_say_scope(text: str) -> bool:
    """Return whether a text is a scope of a consent; anything else would make a refusal apply to nothing."""
    kind, _, name = text.partition(":")
    if kind in ("subject", "source"):
        return is_entity_id(name)
    return is_memory_id(name if kind == "mem" else text) or _is_ref(text) or (kind == "ctx" and is_entity_id(text))


def _is_source(text: str) -> bool:
    return _is_ref(text) or is_external_mark(text)


_CHECKS: dict[Shape, Callable[[_ShapeCheck, Key, object, KeyPath], None]] = {
    Shape.ENTRY: _ShapeCheck.entry,
    Shape.ENTRIES: _ShapeCheck.entries,
    Shape.GRANT_LISTS: _ShapeCheck.lists_of_texts,
    Shape.ROLES: _ShapeCheck.roles,
    Shape.LINES: _ShapeCheck.texts,
    Shape.WORDS: _ShapeCheck.words,
    Shape.ENTITIES: _ShapeCheck.texts,
    Shape.GRANTS: _ShapeCheck.texts,
    Shape.REFS: _ShapeCheck.texts,
    Shape.SOURCES: _ShapeCheck.texts,
    Shape.HEIRS: _ShapeCheck.one_or_more,
    Shape.FRACTION: _ShapeCheck.number,
    Shape.NUMBER: _ShapeCheck.number,
    Shape.COUNT: _ShapeCheck.number,
    Shape.FLAG: _ShapeCheck.flag,
}
_ANY_LINE: tuple[str, Callable[[str], bool]] = ("value-shape", lambda _: True)
_FORMS: dict[Shape, tuple[str, Callable[[str], bool]]] = {
    Shape.MEMORY_ID: ("id-form", is_memory_id),
    Shape.ENTITY: ("entity-id", is_entity_id),
    Shape.ENTITIES: ("entity-id", is_entity_id),
    Shape.ROLES: ("entity-id", is_entity_id),
    Shape.GRANTEE: ("entity-id", lambda text: text == EVERYBODY or is_entity_id(text)),
    Shape.GRANTS: ("entity-id", _is_grant),
    Shape.GRANT_LISTS: ("entity-id", _is_grant),
    Shape.CONTEXT: ("entity-id", lambda text: is_entity_id(text) and text.startswith("ctx:")),
    Shape.SCOPE: ("scope-form", lambda text: _SCOPE.fullmatch(text) is not None),
    Shape.SAY_SCOPE: ("scope-form", _is_say_scope),
    Shape.REF: ("ref-form", _is_ref),
    Shape.REFS: ("ref-form", _is_ref),
    Shape.HEIRS: ("ref-form", _is_ref),
    Shape.SOURCES: ("ref-form", _is_source),
    Shape.INSTANT: ("instant-form", is_instant),
    Shape.DAY: ("instant-form", lambda text: is_day(text) or is_instant(text)),
}
_OF_REFS = (Shape.REF, Shape.REFS, Shape.HEIRS, Shape.SOURCES)
_EXAMPLES = {
    Shape.SAY_SCOPE: "write it like mem:m_7f3k9q2x1c, ctx:bella_care, subject:dog:bella or source:human:sean",
    Shape.MEMORY_ID: "use 3 to 64 lower-case letters, digits, - and _, like m_7f3k9q2x1c",
    Shape.ENTITY: "write kind:name in lower case, like human:sean",
    Shape.GRANTEE: 'write kind:name in lower case, like human:sean, or "*"',
    Shape.ENTITIES: "write one kind:name per item, like human:sean; look for a missing dash or indent",
    Shape.GRANTS: 'write one kind:name per item, like human:sean, or "*"; look for a missing dash or indent',
    Shape.GRANT_LISTS: 'write one kind:name per item, like human:sean, or "*"',
    Shape.CONTEXT: "write ctx:name; free text belongs in context_tags",
    Shape.SCOPE: "write global or project:name",
    Shape.REF: f"write type:id, with a type of {', '.join(MEMORY_TYPES)}",
    Shape.REFS: f"write type:id, with a type of {', '.join(MEMORY_TYPES)}",
    Shape.HEIRS: f"write type:id, with a type of {', '.join(MEMORY_TYPES)}",
    Shape.SOURCES: "write type:id, or context:…, url:…, file:…, consolidation:…, kernle:…, stack:…",
    Shape.INSTANT: 'write a UTC time in quotes, like "2026-02-01T18:04:11Z"',
    Shape.DAY: 'write a date or UTC time in quotes, like "2026-02-01"',
}
