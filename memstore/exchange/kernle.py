"""Kernle's database: an SQLite file with a table for each kind of memory.

The original of a memory is its row as a line of JSON, in a file with other rows of its table.

Source: docs/references.md, "formats of other programs".
"""

from __future__ import annotations

import json
import sqlite3
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.change import Skipped
from memstore.core.errors import FormatError
from memstore.core.ids import is_entity_id
from memstore.core.keys import BELIEF_TYPES, SOURCE_TYPES
from memstore.exchange.draft import CitedLines, Draft, Original, clean, one_line, plain, sound, when, words
from memstore.files.draft import Account
from memstore.trust.formats.memory_v01 import folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memstore.exchange.source import ImportSource
    from memstore.files.render import Plain

Row = dict[str, Any]
# Rows per original; rows added to a table later change only the last of its originals.
ROWS_PER_ORIGINAL = 200
# Kernle's kinds of notes that are memory types in memstore.
_NOTE_TYPES = {"decision": "decision", "insight": "insight", "observation": "observation", "reflection": "reflection"}
# The tables by the names that `derived_from` uses for their rows.
_NAMES = {
    "episode": "episodes", "belief": "beliefs", "value": "agent_values", "goal": "goals", "note": "notes",
    "drive": "drives", "relationship": "relationships", "raw": "raw_entries", "playbook": "playbooks",
    "summary": "summaries", "self_narrative": "self_narratives", "entity_model": "entity_models", "epoch": "epochs",
}  # fmt: skip
# Tables whose rows become a memory in the simplest way: its type, the column of its title, and those with its text.
_SIMPLE: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "agent_values": ("value", "name", ("statement",)),
    "summaries": ("reflection", "scope", ("content",)),
    "self_narratives": ("reflection", "narrative_type", ("content",)),
    "entity_models": ("observation", "entity_name", ("observation",)),
    "epochs": ("note", "name", ("summary", "trigger_description", "name")),
    "raw_entries": ("raw", "", ("blob", "content")),
}
# Tables with texts that are about memories, and no memories.
_ABOUT_MEMORIES = ("trust_assessments", "relationship_history", "memory_suggestions", "diagnostic_reports")
# Its words for how something is known that memstore has other words for.
_KNOWN_BY = {"processing": "inference", "imported": "unknown"}
# Columns that a memory has keys or a text for, and those in which Kernle keeps its books. Access is never imported.
_TAKEN_OVER = frozenset(
    {
        *("id", "stack_id", "agent_id", "created_at", "captured_at", "timestamp", "source_type", "tags"),
        *("context_tags", "derived_from", "source_episodes", "objective", "outcome", "lessons", "statement"),
        *("belief_type", "name", "title", "description", "content", "blob", "note_type", "drive_type", "focus_areas"),
        *("entity_name", "relationship_type", "notes", "steps", "observation", "summary", "is_active"),
        *("access_grants", "consent_grants", "local_updated_at", "cloud_synced_at", "version", "deleted"),
    }
)


class _RowText(NamedTuple):
    """The content of a row: the type of memory, its title and text, and further keys."""

    type: str
    title: str
    body: str
    values: Mapping[str, Plain]


def read(source: ImportSource) -> Iterator[Draft | Skipped]:
    """Yield a memory for each row of the tables that hold memories, except deleted ones."""
    names = source.matching(r"(?:.*/)?[^/]+\.(?:db|sqlite3?)") if source.is_folder else source.names
    if len(names) != 1:
        raise FormatError(f"there is no single database in {source.name}", hint="name the file itself")
    with source.database(names[0]) as database:
        database.text_factory = lambda data: data.decode(errors="surrogateescape")  # `_draft` refuses such a row alone
        try:
            yield from _memories(source, names[0], database)
        except sqlite3.Error as error:
            raise FormatError(
                f"{source.where(names[0])} can't be read as a database of Kernle: {error}",
                hint="name Kernle's memories.db",
            ) from error


def _memories(source: ImportSource, name: str, database: sqlite3.Connection) -> Iterator[Draft | Skipped]:
    there = {str(row[0]) for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    tables = [table for table in _NAMES.values() if table in there]
    if not tables:
        raise FormatError(f"{source.where(name)} has none of Kernle's tables", hint="name Kernle's memories.db")
    kinds = {
        (table, str(row["id"])): said.type
        for table in tables
        for row in _rows(database, table)
        if not row.get("deleted") and (said := _row_text(table, row))
    }
    for table in sorted(there.intersection(_ABOUT_MEMORIES)):
        if any(not row.get("deleted") for row in _rows(database, table)):
            yield Skipped(f"{source.where(name)}, {table}", "its rows are about memories, and are none")
    for table in tables:
        for at, rows in enumerate(_in_parts(_rows(database, table))):
            lines = (json.dumps(row, ensure_ascii=True, default=str) for row in rows)
            original = Original(f"{table}-{at + 1}.jsonl", "".join(f"{line}\n" for line in lines).encode())
            for line, row in enumerate(rows, 1):
                where = f"{source.where(name)}, {table} {one_line(row.get('id'))}"
                yield from sound(where, partial(_draft, where, table, row, kinds, CitedLines(original, line, line)))


def _rows(database: sqlite3.Connection, table: str) -> Iterator[Row]:
    """Yield the rows of one of the tables named above, oldest first, without binary columns like embeddings."""
    found = database.execute(f"SELECT * FROM {table} ORDER BY rowid")  # noqa: S608 - a name from the tables above
    columns = [column[0] for column in found.description]
    for row in found:
        yield {name: value for name, value in zip(columns, row, strict=True) if not isinstance(value, bytes)}


def _in_parts(rows: Iterator[Row]) -> Iterator[list[Row]]:
    part: list[Row] = []
    for row in rows:
        part.append(row)
        if len(part) == ROWS_PER_ORIGINAL:
            yield part
            part = []
    if part:
        yield part


def _draft(
    where: str, table: str, row: Row, kinds: Mapping[tuple[str, str], str], cited: CitedLines
) -> Iterator[Draft | Skipped]:
    said = None if row.get("deleted") else _row_text(table, row)
    if not all(_is_utf8(value) for value in row.values() if isinstance(value, str)):
        raise FormatError("its text is not UTF-8", where=where)
    if said is None:
        yield Skipped(where, "it was deleted there" if row.get("deleted") else "it has no text")
        return
    stack = _text(row, "stack_id", "agent_id")
    source_type = _text(row, "source_type")
    source_type = _KNOWN_BY.get(source_type, source_type)
    yield Draft(
        key=f"{table}/{row['id']}",
        where=where,
        type=said.type,
        title=said.title,
        body=said.body,
        source=f"Kernle, {stack}" if stack else "Kernle",
        source_type=source_type if source_type in SOURCE_TYPES else "unknown",
        author=folded(stack) if stack else None,
        made=when(*(row.get(name) for name in ("created_at", "captured_at", "timestamp"))),
        cites=(cited,),
        derived_from=tuple(_sources(table, row, kinds)),
        values={
            "platform": "Kernle",
            "tags": words(_listed(row.get("tags"))),
            "context_tags": words(_listed(row.get("context_tags"))),
            "subject_ids": [one for one in _listed(row.get("subject_ids")) if _is_entity(one)],
            **said.values,
            **_forgotten(row),
            "kernle": {"table": table, "id": one_line(row["id"]), **_rest(table, row)},
        },
    )


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _rest(table: str, row: Row) -> dict[str, Plain]:
    """Return the columns of a row that have no key in memories and hold something."""
    taken = _TAKEN_OVER | ({"confidence"} if table == "beliefs" else set())
    rest = {name: _decoded(value) for name, value in row.items() if name not in taken}
    rest["subject_ids"] = [one for one in _listed(row.get("subject_ids")) if not _is_entity(one)]
    return {name: plain(value) for name, value in rest.items() if not _is_nothing(value)}


def _row_text(table: str, row: Row) -> _RowText | None:
    """Return the content of a row; None if it has no text."""
    values: dict[str, Plain] = {}
    kind, title, body = table.removesuffix("s"), "", ""
    match table:
        case "episodes":
            lessons = tuple(map(str, _listed(row.get("lessons"))))
            account = Account(objective=_text(row, "objective"), outcome=_text(row, "outcome"), lessons=lessons)
            title, body = account.title, account.as_text(account.objective)
        case "beliefs":
            body = _text(row, "statement")
            belief_type = _text(row, "belief_type")
            values = {
                "confidence": _fraction(row.get("confidence")),
                "belief_type": belief_type if belief_type in BELIEF_TYPES else None,
                **_archived(row),
            }
        case "goals":
            title = _text(row, "title")
            body = _text(row, "description") or title
            ended = _text(row, "status")
            values = {"status": "archived", "status_reason": ended} if ended in ("completed", "abandoned") else {}
        case "notes":
            kind, body = _NOTE_TYPES.get(_text(row, "note_type"), "note"), _text(row, "content")
        case "drives":
            title = _text(row, "drive_type")
            body = "\n".join([title, *(f"- {one_line(area)}" for area in _listed(row.get("focus_areas")))])
        case "relationships":
            kind, title = "note", _text(row, "entity_name")
            body = "\n\n".join(filter(None, [f"{title}: {_text(row, 'relationship_type')}", _text(row, "notes")]))
            values = {"entities": [one_line(title)] if title else []}
        case "playbooks":
            kind, title = "note", _text(row, "name")
            steps = [
                _text(step, "action") if isinstance(step, dict) else one_line(step)
                for step in _listed(row.get("steps"))
            ]
            body = "\n".join([_text(row, "description"), "", *(f"{at}. {step}" for at, step in enumerate(steps, 1))])
        case _:
            kind, titled, texts = _SIMPLE[table]
            title, body, values = _text(row, titled), _text(row, *texts), _archived(row)
            values |= {"entities": [one_line(title)]} if titled == "entity_name" and title else {}
    return _RowText(kind, one_line(title), body, values) if body.strip() else None


def _archived(row: Row) -> dict[str, Plain]:
    """Return the status of a row that is not active there."""
    return {} if row.get("is_active", 1) else {"status": "archived", "status_reason": "not active in Kernle"}


def _forgotten(row: Row) -> dict[str, Plain]:
    """Return the status of a row that Kernle has forgotten: it keeps such rows, and shows them to nobody."""
    is_forgotten = row.get("is_forgotten") or row.get("strength") == 0
    return {"status": "archived", "status_reason": "forgotten in Kernle"} if is_forgotten else {}


def _sources(table: str, row: Row, kinds: Mapping[tuple[str, str], str]) -> Iterator[tuple[str, str]]:
    """Yield the keys and types of those rows that a row was derived from, if they are imported."""
    named = [("episode", one) for one in _listed(row.get("source_episodes"))]
    named += [(kind, one) for text in _listed(row.get("derived_from")) for kind, _, one in [str(text).partition(":")]]
    for kind, one in dict.fromkeys((kind, str(one)) for kind, one in named):
        place = (_NAMES.get(kind, ""), one.partition(":")[2] if one.startswith(f"{kind}:") else one)
        if place in kinds and place != (table, str(row["id"])):
            yield f"{place[0]}/{place[1]}", kinds[place]


def _text(row: Mapping[str, Any], *names: str) -> str:
    """Return the text of the first of the named columns that holds any; empty if none does."""
    return next(
        (clean(row[name]).strip() for name in names if isinstance(row.get(name), str) and row[name].strip()), ""
    )


def _is_nothing(value: object) -> bool:
    """Whether a column holds nothing, or a count of nothing; a measure of 0.0 says something."""
    return value is None or (isinstance(value, int | str | list | dict) and not value)


def _listed(value: object) -> Sequence[Any]:
    """Return the list in a column of JSON; empty if it holds no list."""
    found = _decoded(value)
    return found if isinstance(found, list) else []


def _decoded(value: object) -> Any:
    """Return the list or map in a column of JSON; anything else as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _is_entity(value: object) -> bool:
    return isinstance(value, str) and is_entity_id(value)


def _fraction(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return round(min(max(float(str(value)), 0.0), 1.0), 4) if is_number else None
