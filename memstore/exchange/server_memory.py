"""The file of the reference MCP memory server: entities with observations, and relations between them, as JSONL.

Source: docs/references.md, "formats of other programs".
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from memstore.core.change import Skipped
from memstore.core.errors import FormatError
from memstore.exchange.draft import CitedLines, Draft, Original, clean, key_of, one_line, plain, words
from memstore.files.json_stream import items

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.exchange.source import ImportSource
    from memstore.files.json_stream import Item

_ENTITY = frozenset({"type", "name", "entityType", "observations"})
_RELATION = frozenset({"type", "from", "to", "relationType"})


def read(source: ImportSource) -> Iterator[Draft | Skipped]:
    """Yield a note for each entity, with its observations and the relations that start from it."""
    name = _file(source)
    data = source.data(name)
    original = Original(name, data)
    entities: dict[str, list[Item]] = {}
    relations: dict[str, list[Item]] = {}
    for item in items(io.BytesIO(data)):
        match item.value:
            case _ if item.why:
                yield Skipped(source.where(name, item.line), item.why, broken=True)
            case {"type": "entity", "name": str(called), "entityType": str(), "observations": list()}:
                entities.setdefault(called, []).append(item)
            case {"type": "relation", "from": str(start), "to": str(), "relationType": str()}:
                relations.setdefault(start, []).append(item)
            case {"type": str(kind)} if kind not in ("entity", "relation"):
                yield Skipped(
                    source.where(name, item.line), f"its type is {one_line(kind, 40)!r}, which the server ignores"
                )
            case _:
                yield Skipped(source.where(name, item.line), "this is neither an entity nor a relation", broken=True)
    for called, found in entities.items():
        yield _draft(source, original, called, found, relations.get(called, []))
    for start in relations.keys() - entities.keys():
        for item in relations[start]:
            yield Skipped(source.where(name, item.line), f"its relation starts from {start}, which is not in the file")


def _file(source: ImportSource) -> str:
    names = source.matching(r"(?:.*/)?memory\.jsonl?") if source.is_folder else source.names
    if len(names) != 1:
        raise FormatError(f"there is no memory.jsonl in {source.name}", hint="name the file itself")
    return names[0]


def _draft(source: ImportSource, original: Original, called: str, found: list[Item], relations: list[Item]) -> Draft:
    kind = one_line(found[0].value["entityType"])
    observations = [text for item in found for text in item.value["observations"]]
    lines = [f"{one_line(called)} ({kind})" if kind else one_line(called)]
    if observations:
        lines += ["", *(f"- {_listed(text)}" for text in observations)]
    if relations:
        lines += [
            "",
            *(f"- {one_line(item.value['relationType'])} [[{_target(item.value['to'])}]]" for item in relations),
        ]
    known = [(item, _ENTITY) for item in found] + [(item, _RELATION) for item in relations]
    rest = [extra for item, names in known if (extra := _others(item.value, names))]
    body = "\n".join(lines)
    return Draft(
        key=key_of(called, body.encode("utf-8", "surrogatepass")),
        where=source.where(original.name, found[0].line),
        type="note",
        title=called,
        body=body,
        source=f"the memory server's {original.name.rpartition('/')[2]}",
        source_type="told_by_agent",
        cites=tuple(CitedLines(original, item.line, item.line) for item in (*found, *relations)),
        values={"tags": words([kind]), **({"server_memory": plain(rest)} if rest else {})},
    )


def _others(value: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name not in known}


def _listed(text: object) -> str:
    """Return an observation as the text of a list item, with further lines indented."""
    return clean(str(text)).strip().replace("\n", "\n  ")


def _target(name: object) -> str:
    return one_line(name).replace("[", "(").replace("]", ")")
