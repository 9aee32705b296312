"""The published schemas: up to date, and of one mind with the checks that decide at run time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from memstore.access.registry import CONSENT_KEYS, CONTEXT_KEYS, ENTITY_KEYS, GROUP_KEYS, RegistryFile
from memstore.access.registry import read as read_registry
from memstore.core.keys import KEYS, Key, Shape
from memstore.core.places import kind_of
from memstore.files import shapes
from memstore.files.memory_file import MemoryFile
from memstore.files.memory_file import read as read_memory
from memstore.files.strict_yaml import Frontmatter
from tests.installed import PUBLISHED, ROOT, SCHEMAS
from tests.schemas import generate, outputs
from tests.support import examples

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLE = ROOT / "sample-vault"
TABLES = {"memory": KEYS, "entity": ENTITY_KEYS, "group": GROUP_KEYS, "context": CONTEXT_KEYS, "consent": CONSENT_KEYS}


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((generate.FOLDER / f"{name}.schema.json").read_text(encoding="utf-8")))


VALIDATORS = {name: validator(name) for name in TABLES}


def test_the_files_are_what_the_code_says() -> None:
    wanted = {name: generate.as_text(schema) for name, schema in generate.schemas().items()}
    found = {name: (generate.FOLDER / name).read_text(encoding="utf-8") for name in ALL}
    assert [name for name in wanted if wanted[name] != found.get(name)] == [], "run `poe schemas`"
    assert [*found.keys() - wanted.keys()] == [*BY_HAND]


# A file in `audit/` is written by the program alone, from no table.
BY_HAND = {"audit-event.schema.json"}
ALL = sorted(path.relative_to(generate.FOLDER).as_posix() for path in generate.FOLDER.rglob("*.json"))


@pytest.mark.soak(3)
@pytest.mark.parametrize("name", ALL)
def test_every_schema_is_one_and_says_its_version(name: str) -> None:
    schema = json.loads((generate.FOLDER / name).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    stem = name.removesuffix(".schema.json").replace("/", "-")
    assert schema["$schema"] == generate.DIALECT
    assert schema["$id"] == f"https://memstore.dev/schemas/{stem}-v1.json"
    assert schema["title"]


def test_what_is_within_a_document_is_found_by_its_package() -> None:
    """A form is declared where a value's package or the form around it is, so that no import can be forgotten."""
    assert outputs.misplaced() == []


def test_the_list_of_schemas_is_whole() -> None:
    listed = (generate.FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in ALL if f"]({name})" not in listed] == []


# -- what several outputs have in common -----------------------------------------------------------------------------

OUTPUTS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(SCHEMAS.glob("*.json"))}
SHARED = "output-defs-v1.json#/$defs/"


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every map in a schema, itself first."""
    if isinstance(schema, dict):
        yield schema
    if isinstance(schema, dict | list):
        for part in schema.values() if isinstance(schema, dict) else schema:
            yield from parts(part)


def places(name: str) -> set[str]:
    """Return what the references of a schema say."""
    return {part["$ref"] for part in parts(OUTPUTS[name]) if isinstance(part.get("$ref"), str)}


def test_no_definition_stands_in_two_files() -> None:
    found: dict[str, set[str]] = {}
    for name, schema in OUTPUTS.items():
        named = [*schema.get("$defs", {}).values()]
        for part in parts(schema):
            if part in named or (part.get("type") == "object" and "properties" in part):
                found.setdefault(json.dumps(part, sort_keys=True), set()).add(name)
    assert [names for names in found.values() if len(names) > 1] == []


def test_what_is_shared_is_used_by_two_files_at_least() -> None:
    uses = [place.removeprefix(SHARED) for name in OUTPUTS for place in places(name) if place.startswith(SHARED)]
    assert {name for name in uses if uses.count(name) > 1} == OUTPUTS["defs.schema.json"]["$defs"].keys()


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_reference_leads_somewhere_without_the_network(name: str) -> None:
    resolver = PUBLISHED.resolver(OUTPUTS[name]["$id"])
    for place in places(name):
        assert resolver.lookup(place).contents["type"] == "object", place


PROGRAM = re.findall(r"^```python\n(.*?)^```$", (generate.FOLDER / "README.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("line", "code"), [(1, 0), ("1", 1)])
def test_the_program_in_the_readme_validates_an_answer(line: object, code: int) -> None:
    place = {"path": "tea.md", "line": line, "column": 1}
    finding = {"code": "no", "severity": "error", "text": "no", "hint": None, "mended": None} | place
    answer = {"schema": "memstore.audit-verify/1", "events": 1, "findings": [finding]}
    (program,) = PROGRAM
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, input=json.dumps(answer), capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert ("'1' is not of type 'integer'" in done.stderr) == bool(code)


# -- the same judgement ----------------------------------------------------------------------------------------------

odd: st.SearchStrategy[Any] = st.sampled_from(
    [None, "", [], {}, True, 0, 1, 0.5, 2, -1, "x", "*", "a\nb", "a\n", [None], [""], ["x"], [["x"]], [{}]]
)
entity = st.sampled_from(["human:sean", "vet:dr_smith", "Human:Sean", "sean", "ctx:care", "*", "public", "a:b - c:d"])
ref = st.sampled_from(["note:abc", "belief:m_7f3k9q2x1c", "note:ab", "diary:abc", "context:a walk", "file:a#L1", "x"])
time = st.sampled_from(
    ["2026-02-01", "2026-02-01T18:04:11Z", "2026-02-01T18:04:11.5Z", "2026-2-1", "2026-02-01T18:04", ""]
)
_TEXTS = {
    Shape.ENTITY: entity, Shape.GRANTEE: entity, Shape.ENTITIES: entity,
    Shape.GRANTS: entity, Shape.GRANT_LISTS: entity,
    Shape.CONTEXT: entity,
    Shape.REF: ref, Shape.REFS: ref, Shape.HEIRS: ref, Shape.SOURCES: ref, Shape.INSTANT: time, Shape.DAY: time,
    Shape.MEMORY_ID: st.sampled_from(["m_7f3k9q2x1c", "abc", "ab", "_ab", "ABC", "a" * 64, "a" * 65]),
    Shape.SCOPE: st.sampled_from(["global", "project:x", "project:", "team"]),
    Shape.SAY_SCOPE: st.sampled_from(
        ["mem:abc", "abc", "note:abc", "ab", "mem:ab", "diary:abc", "mem:note:abc", "ctx:care", "ctx:", "CTX:care", "*",
         "subject:dog:bella", "source:human:sean", "subject:bella", "subject: dog:bella", "subject:dog:bella ", "all"]
    ),
}  # fmt: skip
_NUMBERS = (Shape.FRACTION, Shape.NUMBER, Shape.COUNT)


@cache
def values(key: Key) -> st.SearchStrategy[Any]:
    """Return values for a key: mostly of its kind, right and nearly right, and now and then of another."""
    text = _TEXTS.get(key.shape, st.text(max_size=4))
    if key.choices:
        text = st.sampled_from([*key.choices, "other", key.choices[0].upper()])
    return st.one_of(_of_shape(key, text), odd)


def _of_shape(key: Key, text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    if key.entry:
        return maps(key.entry) if key.shape is Shape.ENTRY else st.lists(maps(key.entry), max_size=2)
    if "list" in key.shape.value and key.shape not in (Shape.GRANT_LISTS, Shape.ROLES):
        text_or_list: st.SearchStrategy[Any] = st.lists(text, max_size=3) | text
        return text_or_list
    made: dict[Shape, st.SearchStrategy[Any]] = {
        Shape.FLAG: st.booleans(),
        Shape.GRANT_LISTS: st.lists(st.lists(text, max_size=2), max_size=2),
        Shape.ROLES: st.dictionaries(entity, st.lists(entity, max_size=2), max_size=2),
        **dict.fromkeys(_NUMBERS, st.sampled_from([0, 1, 0.5, 1.5, 7, -0.5, True, "0.5"])),
    }
    return made.get(key.shape, text)


@cache
def maps(keys: tuple[Key, ...]) -> st.SearchStrategy[dict[str, Any]]:
    """Return maps with some of these keys, the required ones mostly among them, and now and then one more."""
    required = {key.name: values(key) for key in keys if key.required}
    optional = {key.name: values(key) for key in keys}
    sparse = st.fixed_dictionaries({}, optional=dict(list(optional.items())[:40])).map(
        lambda made: dict(list(made.items())[:5])
    )
    own: st.SearchStrategy[dict[str, Any]] = st.just({}) | st.just({"own": 1})
    return st.builds(lambda a, b, c: a | b | c, sparse, st.fixed_dictionaries(required) | st.just({}), own)


@pytest.mark.parametrize("name", TABLES)
@settings(max_examples=examples(150))
@given(data=st.data())
def test_the_schema_and_the_reader_judge_alike(name: str, data: st.DataObject) -> None:
    said = data.draw(maps(TABLES[name]))
    accepted = not shapes.check(Frontmatter(values=said), TABLES[name])
    assert VALIDATORS[name].is_valid(said) == accepted


@pytest.mark.soak(2)
@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
@settings(max_examples=examples(30))
@given(data=st.data())
def test_each_key_is_judged_alike(key: Key, data: st.DataObject) -> None:
    said = {"type": "note", key.name: data.draw(values(key))}
    accepted = not shapes.check(Frontmatter(values=said), KEYS)
    assert VALIDATORS["memory"].is_valid(said) == accepted


def test_the_sample_vault_is_valid() -> None:
    validated = set()
    for path in sorted(SAMPLE.rglob("*.md")) + sorted(SAMPLE.rglob("*.yaml")):
        relative = path.relative_to(SAMPLE).as_posix()
        kind = kind_of(relative)
        if kind is None:
            file = read_memory(relative, path.read_bytes())
            if isinstance(file, MemoryFile):
                VALIDATORS["memory"].validate(file.front.values)
                validated.add("memory")
        elif kind.name.lower() in VALIDATORS:
            registered = read_registry(relative, kind, path.read_bytes())
            assert isinstance(registered, RegistryFile)
            VALIDATORS[kind.name.lower()].validate(registered.values)
            validated.add(kind.name.lower())
    assert validated == {"memory", "entity", "group", "context", "consent"}
