"""Write the schemas: of files from the tables of their keys, of outputs from the forms of their values.

Run it with `poe schemas` after a change of a table or a form; a test fails while the files in schemas/ are out of date.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from memstore.access.registry import CONSENT_KEYS, CONTEXT_KEYS, ENTITY_KEYS, GROUP_KEYS
from memstore.core.config import VAULT_SETTINGS, SettingKind
from memstore.core.ids import ENTITY_ID_PATTERN, MEMORY_ID_PATTERN, MEMORY_TYPES
from memstore.core.keys import KEYS, Key, Shape
from memstore.core.memory import EXTERNAL_MARKS
from tests.schemas import outputs

FOLDER = Path(__file__).parents[2] / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
BASE = "https://memstore.dev/schemas"

DAY = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
INSTANT = rf"{DAY}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{{1,9}})?Z"
REF = rf"({'|'.join(MEMORY_TYPES)}):{MEMORY_ID_PATTERN}"
EVERYBODY = r"\*|public"
# The end of the text: `$` alone is, to some programs, also the place before a last line feed.
END = r"$(?!\n)"


def _text(pattern: str) -> dict[str, Any]:
    """Return the schema of one line of text of a form; an empty one says nothing, like an absent one."""
    return {"type": "string", "pattern": f"^({pattern})?{END}"}


LINE = {"type": "string", "pattern": rf"^[^\n]*{END}"}
_TEXTS: dict[Shape, dict[str, Any]] = {
    Shape.LINE: LINE,
    Shape.LINES: LINE,
    Shape.WORDS: {"type": "string", "pattern": rf"^[^ ,\n]*{END}"},
    Shape.MEMORY_ID: _text(MEMORY_ID_PATTERN),
    Shape.ENTITY: _text(ENTITY_ID_PATTERN),
    Shape.ENTITIES: _text(ENTITY_ID_PATTERN),
    Shape.ROLES: _text(ENTITY_ID_PATTERN),
    Shape.GRANTEE: _text(rf"\*|{ENTITY_ID_PATTERN}"),
    Shape.GRANTS: _text(f"{EVERYBODY}|{ENTITY_ID_PATTERN}"),
    Shape.GRANT_LISTS: _text(f"{EVERYBODY}|{ENTITY_ID_PATTERN}"),
    Shape.CONTEXT: _text(r"ctx:[a-z0-9][a-z0-9._-]*"),
    Shape.SCOPE: _text(r"global|project:[A-Za-z0-9][A-Za-z0-9._-]*"),
    Shape.SAY_SCOPE: _text(
        rf"(mem:)?{MEMORY_ID_PATTERN}|{REF}|ctx:[a-z0-9][a-z0-9._-]*|(subject|source):{ENTITY_ID_PATTERN}"
    ),
    Shape.REF: _text(REF),
    Shape.REFS: _text(REF),
    Shape.HEIRS: _text(REF),
    Shape.SOURCES: _text(rf"{REF}|({'|'.join(EXTERNAL_MARKS)})[^\n]*"),
    Shape.INSTANT: _text(INSTANT),
    Shape.DAY: _text(f"{DAY}|{INSTANT}"),
}
_LISTS = (Shape.LINES, Shape.ENTITIES, Shape.GRANTS, Shape.REFS, Shape.SOURCES)
_NUMBERS: dict[Shape, dict[str, Any]] = {
    Shape.FRACTION: {"type": "number", "minimum": 0, "maximum": 1},
    Shape.NUMBER: {"type": "number", "minimum": 0, "maximum": 1_000_000},
    Shape.COUNT: {"type": "integer", "minimum": 0},
}


def of_key(key: Key) -> dict[str, Any]:
    """Return the schema of a key's value; null, empty text and an empty list mean absent for every key."""
    said = _of_value(key)
    if key.required:
        return {"allOf": [said], "not": {"enum": [None, "", []]}, "description": _description(key)}
    return {"anyOf": [said, {"enum": [None, "", []]}], "description": _description(key)}


def _of_value(key: Key) -> dict[str, Any]:
    text = {"enum": [*key.choices, ""]} if key.choices else _TEXTS.get(key.shape, LINE)
    made: dict[Shape, dict[str, Any]] = {
        Shape.FLAG: {"type": "boolean"},
        Shape.GRANT_LISTS: _list(_list(text)),
        Shape.ROLES: {"type": "object", "propertyNames": text, "additionalProperties": _list(text)},
        Shape.HEIRS: {"anyOf": [text, _list(text)]},
        Shape.WORDS: {"anyOf": [text, _list(LINE)]},
        **_NUMBERS,
        **dict.fromkeys(_LISTS, _list(text)),
    }
    if key.entry:
        entry = of_keys(key.entry, closed=True)
        return _list(entry) if key.shape is Shape.ENTRIES else entry
    return made.get(key.shape, text)


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _description(key: Key) -> str:
    return f"{key.shape.value}: {', '.join(key.choices)}" if key.choices else key.shape.value


def of_keys(keys: tuple[Key, ...], *, closed: bool) -> dict[str, Any]:
    """Return the schema of a map with these keys; a closed one has no others."""
    made: dict[str, Any] = {"type": "object", "properties": {key.name: of_key(key) for key in keys}}
    required = [key.name for key in keys if key.required]
    if required:
        made["required"] = required
    if closed:
        made["additionalProperties"] = False
    return made


def _config() -> dict[str, Any]:
    kinds: dict[SettingKind, dict[str, Any]] = {
        SettingKind.WHOLE: {"type": "integer", "minimum": 1},
        SettingKind.SHARE: {"type": "number", "minimum": 0, "maximum": 1},
        SettingKind.FLAG: {"type": "boolean"},
        SettingKind.ZONE: {"type": "string"},
        SettingKind.WORDS: _list({"type": "string"}),
        SettingKind.ENTITY: {"type": "string", "pattern": f"^{ENTITY_ID_PATTERN}{END}"},
        SettingKind.AUDIENCES: {
            "type": "object",
            "additionalProperties": _list({"type": "string"}) | {"minItems": 1},
        },
    }
    properties: dict[str, Any] = {}
    for setting in VAULT_SETTINGS:
        choices = {"enum": [*setting.choices]}
        of_items = _list(choices) if setting.kind is SettingKind.WORDS else choices
        made = (of_items if setting.choices else kinds[setting.kind]) | {"description": setting.meaning}
        section, _, key = setting.name.rpartition(".")
        if section:
            inner = properties.setdefault(section, {"type": "object", "properties": {}, "additionalProperties": False})
            inner["properties"][key] = made
        else:
            properties[key] = made
    return {"type": "object", "properties": properties, "required": ["format", "owner"], "additionalProperties": False}


@cache
def schemas() -> dict[str, dict[str, Any]]:
    """Return the schemas by file name."""
    made = {
        "memory": ("the frontmatter of a memory, as plain values", of_keys(KEYS, closed=False)),
        "entity": ("the frontmatter of a file in entities/", of_keys(ENTITY_KEYS, closed=False)),
        "group": ("a file in groups/", of_keys(GROUP_KEYS, closed=False)),
        "context": ("a file in contexts/", of_keys(CONTEXT_KEYS, closed=False)),
        "consent": ("the frontmatter of a file in consents/", of_keys(CONSENT_KEYS, closed=False)),
        "config": (".memstore/config.toml", _config()),
    }
    of_files = {
        f"{name}.schema.json": {"$schema": DIALECT, "$id": f"{BASE}/{name}-v1.json", "title": title, **schema}
        for name, (title, schema) in made.items()
    }
    return of_files | {f"output/{name}": schema for name, schema in outputs.schemas().items()}


def as_text(schema: dict[str, Any]) -> str:
    """Return a schema as its file has it."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for file_name, content in schemas().items():
        (FOLDER / file_name).write_text(as_text(content), encoding="utf-8")
