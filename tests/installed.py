"""The installed program: where it lies, a home of its own for it, and the schemas that its JSON follows."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

ROOT = Path(__file__).parents[1]
PROGRAMS = Path(sys.executable).parent
MEMSTORE = PROGRAMS / "memstore"
SCHEMAS = ROOT / "schemas" / "output"
_OUTPUTS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(SCHEMAS.glob("*.json"))}
# What the schemas refer to is read from these files: an empty registry, to which they are added, fetches nothing.
PUBLISHED: Registry[Any] = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in _OUTPUTS.values()
)


def _closed(schema: Any, *, is_part: bool = False) -> Any:
    """Return a schema by which no value has a key that the schema does not describe; published ones allow any."""
    if isinstance(schema, list):
        return [_closed(one, is_part=is_part) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {
        name: {key: _closed(one, is_part=name == "$defs") for key, one in value.items()}
        if name in ("properties", "$defs")
        else _closed(value, is_part=name in ("allOf", "anyOf", "oneOf"))
        for name, value in schema.items()
    }
    is_object = not {"properties", "$ref", "allOf", "anyOf", "oneOf"}.isdisjoint(schema)
    return closed | {"unevaluatedProperties": False} if is_object and not is_part else closed


_STRICT = {name: _closed(schema) for name, schema in _OUTPUTS.items()}
_STRICT_PARTS: Registry[Any] = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in _STRICT.values()
)
GIT_CONFIG = "[user]\n\tname = Tester\n\temail = tester@example.org\n[init]\n\tdefaultBranch = main\n"


def at_home(home: Path) -> dict[str, str]:
    """Return an environment in which git and memstore keep to `home`, and depend on nobody's settings."""
    (home / "gitconfig").write_text(GIT_CONFIG)
    return {
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_DATA_HOME": str(home / "data"),
        "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        "LOGNAME": "tester",
        "TZ": "UTC",
    }


def validated(text: str) -> dict[str, Any]:
    """Return a JSON answer, which must follow the schema that it names, and have no key that it does not describe."""
    document: dict[str, Any] = json.loads(text)
    schema = _STRICT[f"{verb_of(document)}.schema.json"]
    Draft202012Validator(schema, registry=_STRICT_PARTS).validate(document)
    return document


def verb_of(document: dict[str, Any]) -> str:
    """Return the verb in `memstore.<verb>/1`."""
    verb: str = document["schema"].removeprefix("memstore.").removesuffix("/1")
    return verb
