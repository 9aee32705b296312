"""What a schema promised when it was published, the schema of today keeps: who can read by the one can by the other."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from memstore.cli.commands import FORMER
from tests.schemas import outputs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Files = dict[str, dict[str, Any]]
# All files of `schemas/output/` as they were when the first of them was generated.
PUBLISHED: Files = json.loads(lzma.decompress((Path(__file__).parent / "published-1.json.xz").read_bytes()))
SAME = ("pattern", "format")
LEAST, MOST = ("minimum", "exclusiveMinimum", "minItems"), ("maximum", "exclusiveMaximum", "maxItems")
# What today's schemas say otherwise on purpose.
MEANT = {
    # Suggestions to supersede have been made and accepted, and were valid by no schema.
    "consolidate.suggestions[].action: may be 'supersede'",
    "suggestions-list.suggestions[].action: may be 'supersede'",
    "suggestions-show.action: may be 'supersede'",
    # What can't be checked was called by the word for what was checked in vain.
    "anchor.anchor.status: may be 'unchecked'",
    "trust.anchors[].status: may be 'unchecked'",
    "revise-from.proposals[].stance: may be 'partial'",
    # One's own vault is searched along with one that a group owns.
    (
        'search.results[].stack: described as "The shared stack in which it was found, beside the vault, or own for '
        "the viewer's own vault.\""
    ),
    # Only what changed is listed, and plain notes may have.
    "status: no plain",
    "status: plain may be absent",
    "stats.months: described as 'By YYYY-MM of created_at, of memories and notes.'",
    (
        "status.broken_uncommitted: described as \"those of the files that can't be read, or lack their type, which "
        'differ from the commit"'
    ),
    # Keys that no document had.
    "mv: no compared_in_part", "mv: no diff", "mv: no is_first",
    # One declaration of what several documents have.
    "promote.changed: described as 'the memories that changed with it'",
    "supersede.changed: described as 'the memories that changed with it'",
    (
        "review.sight[].still: described as 'who still sees it, although everybody else lost sight of it, or still "
        "sees it in one context'"
    ),
}  # fmt: skip
# Titles that named a former command, or read like one.
RETITLED = {"agent.schema.json", "dedupe.schema.json"}


class Part(NamedTuple):
    """A part of a schema, with the file that its references start from, and all files."""

    schema: Mapping[str, Any]
    home: str
    files: Files

    def of(self, schema: Mapping[str, Any]) -> Part:
        return self._replace(schema=schema)

    def resolved(self) -> Part:
        """Return it without references; what stands beside one wins."""
        if "allOf" in self.schema:
            parts = [self.of(part).resolved().schema for part in self.schema["allOf"]]
            of_all = {name: one for part in parts for name, one in part["properties"].items()}
            return self.of({"properties": of_all, "required": [name for part in parts for name in part["required"]]})
        if "$ref" not in self.schema:
            return self
        file, _, name = self.schema["$ref"].partition("#/$defs/")
        home = file.removeprefix("output-").removesuffix("-v1.json") + ".schema.json" if file else self.home
        beside = {key: value for key, value in self.schema.items() if key != "$ref"}
        return Part({**self.files[home]["$defs"][name], **beside}, home, self.files).resolved()

    def alternatives(self) -> Iterator[Part]:
        """Yield what it allows, each of one type or one value."""
        whole = self.resolved()
        choices = [of for kind in ("anyOf", "oneOf") if (of := whole.schema.get(kind)) and of[0].keys() != {"required"}]
        if choices:
            for part in choices[0]:
                yield from whole.of(part).alternatives()
        elif isinstance(kinds := whole.schema.get("type"), list):
            for kind in kinds:
                yield whole.of({**whole.schema, "type": kind} if kind != "null" else {"type": kind})
        elif "enum" in whole.schema:
            yield from (
                whole.of({"const": value} if value is not None else {"type": "null"}) for value in whole.schema["enum"]
            )
        else:
            yield whole


def breaches(was: Part, now: Part, at: str) -> Iterator[str]:
    """Yield where something that is valid now was not valid, or is described otherwise."""
    told = was.resolved().schema.get("description"), now.resolved().schema.get("description")
    if told[0] and told[0] != told[1]:
        yield f"{at}: described as {told[1]!r}"
    before = [*was.alternatives()]
    for one in now.alternatives():
        found = [[*_breaches(other, one, at)] for other in before if _is_of(other.schema, one.schema)]
        yield from min(found, key=len) if found else [f"{at}: may be {one.schema.get('const', one.schema)!r}"]


def _is_of(was: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Return whether values of one kind are values of another."""
    if "const" in was:
        return "const" in now and was["const"] == now["const"]
    kind = {"integer": "number"} if was.get("type") == "number" else {}
    types = {str: "string", bool: "boolean"}
    stated = types[type(now["const"])] if "const" in now else now.get("type", "object" if "properties" in now else None)
    return "type" not in was or was["type"] == kind.get(str(stated), stated)


def _breaches(was: Part, now: Part, at: str) -> Iterator[str]:
    for key in (*SAME, *LEAST, *MOST):
        old, new = was.schema.get(key), now.schema.get(key)
        if old is not None and (
            new is None or (key in SAME and old != new) or (key in LEAST and new < old) or (key in MOST and new > old)
        ):
            yield f"{at}: {key} {new}"
    for name, part in was.schema.get("properties", {}).items():
        if name not in now.schema.get("properties", {}):
            yield f"{at}: no {name}"
        else:
            yield from breaches(was.of(part), now.of(now.schema["properties"][name]), f"{at}.{name}")
    yield from (
        f"{at}: {name} may be absent" for name in {*was.schema.get("required", ())} - {*now.schema.get("required", ())}
    )
    inner = [
        (key, was.schema[key]) for key in ("items", "additionalProperties") if isinstance(was.schema.get(key), dict)
    ]
    for key, part in inner:
        yield from breaches(was.of(part), now.of(now.schema.get(key, {})), at + ("[]" if key == "items" else "{}"))


def kept(published: Files, today: Files) -> set[str]:
    """Return all breaches of what was published."""
    return {
        breach
        for name in published.keys() - {"defs.schema.json"}
        for breach in breaches(
            Part(published[name], name, published), Part(today[name], name, today), name.removesuffix(".schema.json")
        )
    }


def test_a_published_schema_stays_true() -> None:
    today = outputs.schemas()
    assert kept(PUBLISHED, today) == MEANT
    others = PUBLISHED.keys() - RETITLED
    assert {name: _today(PUBLISHED[name]["title"]) for name in others} == {
        name: today[name]["title"] for name in others
    }


def _today(title: str) -> str:
    """Return the title of a schema, if it is a command line by what the command is called today."""
    program, _, rest = title.partition(" ")
    word, _, more = rest.partition(" ")
    return f"memstore {FORMER[word]} {more}".rstrip() if program == "memstore" and word in FORMER else title


@pytest.mark.parametrize(
    ("part", "breach"),
    [
        ({"properties": {}, "required": []}, "a: line may be absent"),
        ({"properties": {}, "required": ["line"]}, "a: no line"),
        ({"properties": {"line": {"type": "string"}}}, "a.line: may be {'type': 'string'}"),
        ({"properties": {"line": {"type": ["integer", "null"], "minimum": 1}}}, "a.line: may be"),
        ({"properties": {"line": {"type": "integer", "minimum": 0}}}, "a.line: minimum 0"),
        ({"properties": {"line": {"type": "integer", "minimum": 1, "description": "x"}}}, "a.line: described as 'x'"),
        ({"properties": {"line": {"const": "x"}}}, "a.line: may be 'x'"),
    ],
)
def test_a_breach_would_be_found(part: dict[str, Any], breach: str) -> None:
    line = {"type": "integer", "minimum": 1, "description": "from 1"}
    was = {"a.schema.json": {"type": "object", "properties": {"line": line}, "required": ["line"]}}
    now = {"a.schema.json": {"type": "object", "required": ["line"], **part}}
    assert kept(was, was) == set()
    assert any(found.startswith(breach) for found in kept(was, now))
