"""The schemas of outputs, made of the forms in `memstore.documents` and of the types that their values state.

A form states what a document has of a value, the value's class what each of that is. A class whose form occurs twice is
a definition: in the file that refers to it, or in `defs.schema.json` if several files do.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from enum import Enum
from functools import cache, cached_property
from importlib import import_module
from inspect import get_annotations
from pathlib import Path, PurePath
from textwrap import dedent
from types import GenericAlias, SimpleNamespace, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NotRequired,
    Optional,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from memstore.core.ids import MemoryRef
from memstore.documents.form import Form, form_of, module_of, modules
from memstore.mcp.fitting import SHORTENED
from tests.installed import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.documents.form import FormMember

DIALECT = "https://json-schema.org/draft/2020-12/schema"
BASE = "https://memstore.dev/schemas/output"
SHARED = "output-defs-v1.json"
_PATTERNS = {"blob": "^([0-9a-f]{40}|[0-9a-f]{64})$", "sha256": "^[0-9a-f]{64}$", "fingerprint": "^SHA256:"}
_DEFINED = "definition of "
Schema = dict[str, Any]


def schemas() -> dict[str, Schema]:
    """Return the schemas of outputs by file name."""
    files = {verb: _of_verb(verb, forms) for verb, forms in sorted(published().items())}
    return {f"{verb}.schema.json": schema for verb, schema in _with_definitions(files).items()}


def published() -> dict[str, list[Form[Any]]]:
    """Return the forms of each verb; the first one states the title."""
    found: dict[str, list[Form[Any]]] = {}
    for form in forms():
        for verb in form.verbs:
            found.setdefault(verb, []).append(form)
    return {verb: sorted(of, key=lambda form: not form.verbs[verb]) for verb, of in found.items()}


def forms() -> list[Form[Any]]:
    """Return all forms, in the order in which they are declared."""
    for module in modules():
        import_module(module)
    return list(Form.declared)


# -- what classes say ----------------------------------------------------------------------------


@cache
def _modules() -> dict[str, str]:
    """Return the modules of classes by their names, of which each is one class's alone."""
    return {
        name: ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in sorted((ROOT / "memstore").rglob("*.py"))
        for name in re.findall(
            r"^(?:class )?(\w+)(?:[:(]| = TypedDict\()", path.read_text(encoding="utf-8"), re.MULTILINE
        )
    }


class _Names(dict[str, Any]):
    """What an annotation may name: classes of any package, and what collections are called."""

    def __missing__(self, name: str) -> Any:
        for module in ("builtins", "typing", "collections.abc", "datetime", _modules().get(name, "builtins")):
            if hasattr(import_module(module), name):
                self[name] = getattr(import_module(module), name)
                return self[name]
        raise KeyError(name)


_NAMES = _Names()


@cache
def _evaluated(annotation: str) -> Any:
    return eval(annotation, {}, _NAMES)  # noqa: S307 - our own declarations


@cache
def _names_in(module: str) -> dict[str, Any]:
    """Return what a module's annotations may name, for type checkers alone too."""
    names = dict(vars(sys.modules[module]))
    source = Path(str(sys.modules[module].__file__)).read_text(encoding="utf-8")
    for block in re.findall(r"^if TYPE_CHECKING:\n((?:    .*\n|\n)+)", source, re.MULTILINE):
        for imported in re.split(r"\n(?=\S)", dedent(block)):
            with suppress(ImportError):  # what that module has for type checkers alone
                exec(imported, names)  # noqa: S102
    return names


def _returned(function: Any) -> Any:
    return get_type_hints(function, _names_in(function.__module__))["return"]


def _attribute(owner: type, name: str) -> Any:
    """Return the annotation of an attribute: of a field, of a property, or of a key."""
    for kind in owner.__mro__ if not is_typeddict(owner) else (owner,):
        if name in get_annotations(kind):
            of_one = SimpleNamespace(__annotations__={name: get_annotations(kind)[name]})
            return get_type_hints(of_one, _names_in(kind.__module__), include_extras=True)[name]
        found = vars(kind).get(name)
        if isinstance(found, property):
            return _returned(found.fget)
        if isinstance(found, cached_property):
            return _returned(found.func)
    raise LookupError(f"{owner.__name__} has no attribute {name!r}")


def _split(annotation: Any) -> tuple[list[Any], bool]:
    """Return the alternatives of an annotation other than None, and whether None is one."""
    if get_origin(annotation) is NotRequired:
        return _split(get_args(annotation)[0])
    if get_origin(annotation) not in (Union, UnionType):
        return ([], True) if annotation in (None, type(None)) else ([annotation], False)
    parts = get_args(annotation)
    return [part for part in parts if part is not type(None)], type(None) in parts


def _followed(annotation: Any, path: tuple[str, ...]) -> Any:
    for number, name in enumerate(path):
        if name == "*":
            return GenericAlias(tuple, (_followed(get_args(annotation)[0], path[number + 1 :]), ...))
        parts, empty = _split(annotation)
        annotation = _attribute(parts[0], name) if parts else None
        annotation = Optional[annotation] if empty else annotation  # noqa: UP045 - also of None
    return annotation


# -- what forms make of it -----------------------------------------------------------------------


def _annotation(form: Form[Any], member: FormMember) -> Any:
    given = form.given.get(member.name)
    if isinstance(given, str):
        found = _evaluated(given)
    elif given is None or isinstance(given, Form):
        found = _followed(_evaluated(form.of), member.path)
    else:
        found = given if isinstance(given, type) else _returned(given)
    return Optional[found] if member.empty == "~" else found  # noqa: UP045 - likewise


def _of_form(form: Form[Any], *, describe: bool = True) -> Schema:
    """Return the schema of an object; what it spreads is among its own members."""
    made: Schema = {"type": "object", "properties": {}, "required": []}
    if form.meaning and describe:
        made["description"] = form.meaning
    for member in form.members:
        given = form.given.get(member.name)
        annotation = _annotation(form, member)
        if member.spread:
            parts, _ = _split(annotation)
            if get_origin(parts[0]) is Mapping:
                made["additionalProperties"] = True
                continue
            part = _of_form(given if isinstance(given, Form) else form_of(parts[0]), describe=False)
            made["properties"] |= part["properties"]
            made["required"] += part["required"]
            made |= {key: part[key] for key in part.keys() & {"additionalProperties"}}
        else:
            made["properties"][member.name] = _of_member(member, annotation, given if isinstance(given, Form) else None)
            made["required"] += [member.name] * (not member.empty.startswith("?"))
    made["required"] = list(dict.fromkeys(made["required"]))
    return made


def _of_member(member: FormMember, annotation: Any, form: Form[Any] | None) -> Schema:
    parts, empty = _split(annotation)
    if member.whole == "{}":
        parts = [GenericAlias(Mapping, (str, get_args(get_args(parts[0])[0])[1]))]
    if member.whole == "#":
        parts = [int]
    alternatives = [_of_type(part, member.limits, form) for part in parts]
    if member.empty == "?":
        empty = False
        alternatives = [{"const": True} if one == {"type": "boolean"} else one for one in alternatives]
    made = _nullable(_either(alternatives)) if empty else _either(alternatives)
    return {**made, "description": member.about} if member.about else made


def _of_type(kind: Any, limits: str, form: Form[Any] | None) -> Schema:  # noqa: PLR0911 - one for each kind
    """Return the schema of a type, within limits; these are of the number of items in a list, else of each value."""
    origin = get_origin(kind) or kind
    if kind is Any or kind is object:
        return {}
    if origin is Literal:
        return _choices(list(get_args(kind)))
    if form is None and isinstance(origin, type) and issubclass(origin, PurePath | MemoryRef | datetime | str | Enum):
        return _of_text(origin, limits)
    if origin in (bool, int, float):
        return _of_number(origin, limits)
    if isinstance(origin, type) and issubclass(origin, Mapping) and not is_typeddict(origin):
        inner = get_args(kind)[1] if get_args(kind) else Any
        values = _of_types(inner, limits, form)
        return {"type": "object", **({"additionalProperties": values} if values else {})}
    if isinstance(origin, type) and issubclass(origin, Iterable) and not hasattr(origin, "_fields") and get_args(kind):
        first, last = _range(limits)
        items = _of_types(get_args(kind)[0], limits if limits and ".." not in limits else "", form)
        bounds = {"minItems": first and int(first[1:]), "maxItems": last and int(last[:-1])}
        return {"type": "array", "items": items, **{key: bound for key, bound in bounds.items() if bound}}
    return {"$ref": _DEFINED + str(id(form or form_of(origin)))}


def _of_types(annotation: Any, limits: str, form: Form[Any] | None) -> Schema:
    parts, empty = _split(annotation)
    made = _either([_of_type(part, limits, form) for part in parts])
    return _nullable(made) if empty else made


def _of_text(kind: type, limits: str) -> Schema:
    if issubclass(kind, Enum) and not limits:
        return _choices([one.value for one in kind])
    if limits in _PATTERNS:
        return {"type": "string", "pattern": _PATTERNS[limits]}
    if limits == "date-time":
        return {"type": "string", "format": limits}
    return _choices(limits.split("|")) if limits else {"type": "string"}


def _choices(values: list[Any]) -> Schema:
    return {"enum": values} if len(values) > 1 else {"const": values[0]}


def _of_number(kind: type, limits: str) -> Schema:
    if kind is bool:
        return {"type": "boolean"}
    made: Schema = {"type": "integer", "minimum": 0} if kind is int else {"type": "number"}
    first, last = _range(limits)
    if first:
        made["exclusiveMinimum" if first[0] == "(" else "minimum"] = _number(first[1:])
    if last:
        made["exclusiveMaximum" if last[-1] == ")" else "maximum"] = _number(last[:-1])
    return made


def _range(limits: str) -> tuple[str, str]:
    """Return both ends of a range, each with its sign; an end without a number is empty."""
    first, dots, last = limits.partition("..")
    first = first if first.startswith("(") else f"[{first}"
    last = last if last.endswith(")") else f"{last}]"
    return (first if dots and first[1:] else "", last if dots and last[:-1] else "")


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)


def _either(alternatives: list[Schema]) -> Schema:
    if not alternatives:
        return {"type": "null"}
    return alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}


def _nullable(schema: Schema) -> Schema:
    if not schema or "null" in schema.get("type", ()):
        return schema
    if "enum" in schema:
        return {"enum": [*schema["enum"], None]}
    if "type" in schema:
        return schema | {"type": [schema["type"], "null"]}
    return {"anyOf": [*schema.get("anyOf", [schema]), {"type": "null"}]}


# -- files ---------------------------------------------------------------------------------------


def _of_verb(verb: str, of: list[Form[Any]]) -> Schema:
    parts = [_of_form(form) for form in of]
    properties: Schema = {}
    for part in parts:
        for name, schema in part["properties"].items():
            properties[name] = _both(properties[name], schema) if name in properties else schema
    own = {"schema": {"const": f"memstore.{verb}/1"}, SHORTENED: {"const": True, "description": _SHORTENED}}
    required = [name for name in parts[0]["required"] if all(name in part["required"] for part in parts)]
    made = {"title": of[0].verbs[verb]} | parts[0] | {"properties": own | properties, "required": ["schema", *required]}
    if not required and len(parts) > 1:
        made["oneOf"] = [{"required": part["required"]} for part in parts]
    return made


_SHORTENED = "The document was too long for an agent, so its lists and texts end early."


def _both(one: Schema, other: Schema) -> Schema:
    """Return the schema of a member that two forms of a document have."""
    described = {key: schema["description"] for schema in (other, one) for key in ("description",) if key in schema}
    types = [{key: part for key, part in schema.items() if key != "description"} for schema in (one, other)]
    if types[1] == {"type": "null"}:
        return _nullable(types[0]) | described
    assert types[0] == types[1], (one, other)
    return types[0] | described


def _with_definitions(files: dict[str, Schema]) -> dict[str, Schema]:
    """Put definitions in the place of what stands for them: in the files that refer to them, or in one for all."""
    by_id = {str(id(form)): form for form in forms() if form.of in _modules()}
    bodies = {key: _of_form(form) for key, form in by_id.items()}
    uses = {key: [*_uses(body)] for key, body in bodies.items()}
    reached = {verb: _reached([*_uses(schema)], uses) for verb, schema in files.items()}
    used = set().union(*reached.values())
    counted = Counter(key for schema in files.values() for key in _uses(schema))
    counted.update(key for of in used for key in uses[of])
    places: dict[str, str] = {}
    definitions: dict[str, dict[str, str]] = {}
    for key in sorted((key for key in used if counted[key] > 1), key=lambda key: _definition(by_id[key])):
        users = [verb for verb in files if key in reached[verb]]
        home, name = users[0] if len(users) == 1 else "defs", _definition(by_id[key])
        definitions.setdefault(home, {})[name] = key
        places[key] = f"{SHARED if home == 'defs' else ''}#/$defs/{name}"
    of_all = files | {"defs": {"title": "definitions that several outputs share"}}
    return {
        verb: {"$schema": DIALECT, "$id": f"{BASE}-{verb}-v1.json"}
        | _filled(schema, bodies, places)
        | (
            {"$defs": {name: _filled(bodies[key], bodies, places) for name, key in definitions[verb].items()}}
            if verb in definitions
            else {}
        )
        for verb, schema in of_all.items()
    }


def _definition(form: Form[Any]) -> str:
    return form.definition or re.sub(r"(?<!^)(?=[A-Z])", "_", form.of).lower()


def _uses(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if str(schema.get("$ref", "")).startswith(_DEFINED):
            yield schema["$ref"].removeprefix(_DEFINED)
        for part in schema.values():
            yield from _uses(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _uses(part)


def _reached(waiting: list[str], uses: Mapping[str, list[str]]) -> set[str]:
    found: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key not in found:
            found.add(key)
            waiting += uses[key]
    return found


def _filled(schema: Any, bodies: Mapping[str, Schema], places: Mapping[str, str]) -> Any:
    """Return a schema with definitions, or their places, for what refers to them; what is beside a reference wins."""
    if isinstance(schema, list):
        return [_filled(part, bodies, places) for part in schema]
    if not isinstance(schema, dict):
        return schema
    key = str(schema.get("$ref", "")).removeprefix(_DEFINED)
    made = {name: _filled(part, bodies, places) for name, part in schema.items() if not key or name != "$ref"}
    if not key:
        return made
    return ({"$ref": places[key]} if key in places else _filled(bodies[key], bodies, places)) | made


def misplaced() -> list[str]:
    """Return which values within documents have forms that a program might not find."""
    homes: dict[str, set[str]] = {}
    for path in (ROOT / "memstore" / "documents").glob("*.py"):
        for of in {*re.findall(r'Form(?:\[object])?\(\s*f?"+([^"\n]+)', path.read_text(encoding="utf-8"))}:
            homes.setdefault(of, set()).add(f"memstore.documents.{path.stem}")
    by_id = {str(id(form)): form.of for form in forms()}
    return [
        f"{of} in {outer.of}"
        for outer in forms()
        for member in outer.members
        for of in _within(outer, member, by_id)
        if homes[of].isdisjoint({module_of(_evaluated(of)), *homes.get(outer.of, ())})
    ]


def _within(outer: Form[Any], member: FormMember, by_id: Mapping[str, str]) -> set[str]:
    """Return the classes of a member's values whose forms aren't named beside it."""
    if isinstance(outer.given.get(member.name), Form):
        return set()
    parts, _ = _split(_annotation(outer, member))
    if member.spread:
        return {part.__name__ for part in parts if isinstance(part, type)}
    return {by_id[key] for part in parts for key in _uses(_of_member(member, part, None))}
