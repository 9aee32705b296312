"""The memories of a snapshot by their ids and refs, for the rules that check them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.model.catalog import ITEM_SEPARATOR
from memstore.model.checked import Checked
from memstore.rules import references
from memstore.rules.references import REF_KEYS, Directory, Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memstore.codec.memory_file import MemoryFile
    from memstore.core.view import View
    from memstore.model.finding import Finding

_OF_LINKS = frozenset({"lineage-cycle", "ref-dangling", "ref-type"})


def directory_of(view: View, rows: Iterable[int]) -> Directory:
    """Return the directory of these memories."""
    return Directory.of(_nodes(view, rows))


def wrong_links(view: View, before: MemoryFile, after: MemoryFile) -> list[Finding]:
    """Return what is wrong with refs that `before` did not name: they lead nowhere, to another type, or in a circle."""
    if _refs(before) == _refs(after) and before.memory.confidence_history == after.memory.confidence_history:
        return []
    others = [node for node in _nodes(view, view.rows) if node.path != before.path]
    known = {(finding.code, finding.text) for finding in _links(before, others)}
    return [finding for finding in _links(after, others) if (finding.code, finding.text) not in known]


def _links(file: MemoryFile, others: Sequence[Node]) -> list[Finding]:
    memory = file.memory
    own = [Node(file.path, memory.type, memory.id, _refs(file))] if memory.id else []
    checked = Checked(file.path, memory, file.front.position, file.text.body_line)
    found = references.of_memory(checked, Directory.of([*others, *own]))
    return [finding for finding in found if finding.code in _OF_LINKS]


def _refs(file: MemoryFile) -> dict[str, tuple[str, ...]]:
    return {key: getattr(file.memory, key) for key in REF_KEYS}


def _nodes(view: View, rows: Iterable[int]) -> Iterator[Node]:
    """Yield what is known of each memory that has an id."""
    ids, paths, types = view.column("id"), view.column("path"), view.column("type")
    columns = {key: view.column(key) for key in REF_KEYS}
    for row in rows:
        if ids[row]:
            refs = {key: tuple(column[row].split(ITEM_SEPARATOR)) for key, column in columns.items() if column[row]}
            yield Node(paths[row], types[row], ids[row], refs)
