"""The one way from a value to its JSON document: what a document has of a value is declared, and the rest follows.

A `Form` declares the members of one kind of value. `poe schemas` makes the published schemas of the same declarations,
with the types that the value's own class states.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import Enum
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from textwrap import dedent
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from memstore import documents
from memstore.core.ids import MemoryRef
from memstore.core.times import instant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

V = TypeVar("V")

_MEMBER = re.compile(
    r"(?P<spread>\*)?(?P<name>[$\w]+)(?P<whole>{}|#)?(?:=(?P<path>\.|\w+(?:\.(?:\w+|\*))*))?(?P<empty>~|\?\w*)?(?:\[(?P<limits>[^]]+)])?"
)
_ROUNDED = re.compile(r"\.(\d)(?: |$)")
# Where the forms of a package's values are declared, if not in the module of its name.
_MODULES = {"core": "documents.parts", "agents": "documents.program", "report": "report.page"}
_FORMS: dict[str, Form[Any]] = {}


class FormMember(NamedTuple):
    """One member of a document.

    `path` are the attributes that lead to its value; none means the value itself. `whole` is "{}" if pairs are written
    as an object, "#" if their number is. `empty` says what becomes of an empty value: "~" null, "?" and "?word"
    nothing, "" it stands as it is. `limits` and `about` are for the schema.
    """

    name: str
    path: tuple[str, ...]
    spread: bool
    whole: str
    empty: str
    digits: int | None
    limits: str
    about: str


class Form(Generic[V]):
    """How the values of a class are written as JSON: called with a value, it returns its document.

    Args:
        text: the annotation of the values, then the members in their order. The first form of a class is also that of
            its values within other documents. A line `@verb: title` publishes the document under a verb; the title
            stands once, where several forms are a verb's. Any other line has one member with its description after a
            colon, continued on indented lines, or several without one. A member is written

            - `name` for the attribute of that name, `name=a.b` for another, `name=a.*.b` for that of each in a list,
              `name=.` for the value itself;
            - `name~` if what is empty is null, `name?` if it is left out; `name?word` is left out unless `word` was
              said, or holds of the value;
            - `name{}` for pairs that are an object, `name#` for how many they are;
            - `*name` if it is no member, but has members that stand in this place;
            - with limits in brackets: `[.4 0..1]` for digits and a range, `[a|b]` for choices, `[blob]` for a pattern.
        members: the same, if all are on one line and `text` is the annotation alone.
        definition: the name in the schemas, if it isn't the class's.
        meaning: what the whole is, for the schema.
        given: where members come from that are no attribute: a function of the value, or of the value and what was
            said; a type or annotation, if the caller says them; a form for values that aren't written in their own.
    """

    declared: ClassVar[list[Form[Any]]] = []

    def __init__(
        self,
        text: str,
        members: str = "",
        /,
        *,
        definition: str = "",
        meaning: str = "",
        **given: Callable[..., Any] | Form[Any] | str,
    ) -> None:
        self.of, _, lines = text.partition("\n")
        self.definition, self.meaning, self.given = definition, meaning, given
        self._text = lines or members
        self.declared.append(self)
        _FORMS.setdefault(self.of, self)

    @cached_property
    def _lines(self) -> list[str]:
        return re.sub(r"\n +", " ", dedent(self._text).strip()).splitlines()

    @property
    def verbs(self) -> dict[str, str]:
        """Titles of the published documents by verb; empty if another form of the verb has it."""
        said = (line[1:].partition(": ") for line in self._lines if line.startswith("@"))
        return {verb: title for verb, _, title in said}

    def publishes(self, verb: str) -> bool:
        """Whether documents in this form are published under a verb."""
        return f"@{verb}" in self._text and verb in self.verbs

    @cached_property
    def members(self) -> tuple[FormMember, ...]:
        """What a document has, in order."""
        return tuple(member for line in self._lines if not line.startswith("@") for member in _members(line))

    def __call__(self, value: V, /, **said: Any) -> dict[str, Any]:
        """Return the document of a value; `said` is what it needs besides, for itself and for all within it.

        What is within is also said the value itself, by the annotation of this form.
        """
        document: dict[str, Any] = {}
        within = {**said, self.of: value}
        for member in self.members:
            word = member.empty[1:]
            if word and not said.get(word, getattr(value, word, None)):
                continue
            raw = self._raw(member, value, said)
            if not raw and member.empty == "?":
                continue
            form = self.given.get(member.name)
            written = plain(_as_declared(raw, member), within, form if isinstance(form, Form) else None)
            document |= written if member.spread else {member.name: written}
        return document

    def _raw(self, member: FormMember, value: V, said: Mapping[str, Any]) -> Any:
        given = self.given.get(member.name)
        if given is None or isinstance(given, Form):
            raw = _followed(value, member.path)
        elif isinstance(given, type | str):
            raw = said.get(member.name)
        else:
            raw = given(value, said) if given.__code__.co_argcount > 1 else given(value)
        return (raw or None) if member.empty == "~" else raw


def plain(value: Any, said: Mapping[str, Any] | None = None, form: Form[Any] | None = None) -> Any:
    """Return a value as JSON has it, in this form, or in that of its class."""
    match value:
        case Enum():
            written = value.value
        case None | bool() | int() | float() | str():
            written = value
        case datetime():
            written = instant(value)
        case MemoryRef():
            written = str(value)
        case Mapping():
            written = {key: plain(item, said, form) for key, item in value.items()}
        case Iterable() if not hasattr(value, "_fields"):
            written = [plain(item, said, form) for item in value]
        case _ if hasattr(value, "__fspath__"):
            written = str(value)
        case _:
            written = (form or form_of(type(value)))(value, **(said or {}))
    return written


def form_of(kind: type) -> Form[Any]:
    """Return the form of a class, or of the next of its bases that has one; its package's forms are in that module."""
    if kind.__name__ not in _FORMS:
        import_module(module_of(kind))
    return next(_FORMS[one.__name__] for one in kind.__mro__ if one.__name__ in _FORMS)


def module_of(kind: type) -> str:
    """Return the module in which the form of a class is looked for."""
    package = kind.__module__.split(".")[1]
    return f"memstore.{_MODULES.get(package, f'documents.{package}')}"


def form_of_verb(verb: str, value: object) -> Form[Any]:
    """Return the form in which a value is published under a verb; where several are, that of the value's class."""
    of = "None" if value is None else type(value).__name__
    for module in _modules_for(value):
        import_module(module)
        if forms := [form for form in Form.declared if form.publishes(verb)]:
            return next((form for form in forms if form.of == of), forms[0])
    raise LookupError(f"no form is published as {verb}")


def _modules_for(value: object) -> Iterator[str]:
    """Yield where a value's form may be: first where the form of its class is, or of the first of several values."""
    one = value[0] if isinstance(value, list | tuple) and value and not hasattr(value, "_fields") else value
    if type(one).__module__.startswith("memstore."):
        yield module_of(type(one))
    yield from modules()


def modules() -> list[str]:
    """Return the names of the modules that declare forms."""
    here = documents.__path__
    return [found.name for found in iter_modules(here, f"{documents.__name__}.")] + ["memstore.report.page"]


def published(verb: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with the name of the schema that it follows, `schemas/output/<verb>.schema.json`."""
    return {"schema": f"memstore.{verb}/1", **document}


def _followed(value: Any, path: tuple[str, ...]) -> Any:
    for number, name in enumerate(path):
        if name == "*":
            return [_followed(item, path[number + 1 :]) for item in value]
        value = None if value is None else getattr(value, name)
    return value


def _as_declared(raw: Any, member: FormMember) -> Any:
    if member.whole:
        return dict(raw) if member.whole == "{}" else len(raw)
    return raw if raw is None or member.digits is None else round(raw, member.digits)


def _members(line: str) -> Iterator[FormMember]:
    names, _, about = line.partition(": ")
    for found in _MEMBER.finditer(names):
        limits = found["limits"] or ""
        rounded = _ROUNDED.match(limits)
        yield FormMember(
            name=found["name"],
            path=() if found["path"] == "." else tuple((found["path"] or found["name"]).split(".")),
            spread=bool(found["spread"]),
            whole=found["whole"] or "",
            empty=found["empty"] or "",
            digits=int(rounded[1]) if rounded else None,
            limits=limits[rounded.end() :] if rounded else limits,
            about=about,
        )
