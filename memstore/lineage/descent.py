"""What an agent writes descends from the external memories that it was shown before (docs/adr/0038).

A view has the record of what its agent was shown. The transaction asks `descended` about each file, so no tool, adapter
or command has to. A person's record is empty.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memstore.access import QUOTED, SHARED
from memstore.core.ids import MemoryRef
from memstore.core.keys import EXTERNAL
from memstore.core.memory import STACK_MARK
from memstore.files import memory_file, splice
from memstore.files.memory_file import MemoryFile
from memstore.lineage.graph import graph_of
from memstore.lineage.refs import entries
from memstore.lineage.walk import way_back

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memstore.core.catalog import Entry
    from memstore.core.change import Edit
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile


# The keys of a document whose object shows words of the memory that its `ref` names.
_WORDS = ("external", "content", "body", "text", "title")


def quotations(document: object) -> Iterator[str]:
    """Yield the refs of the memories whose words a document of an answer shows; marks of those in loaded stacks."""
    match document:
        case {"stack": str(stack), "path": str(path), **more} if any(more.get(key) for key in _WORDS):
            ref = more.get("ref")
            yield mark_of(stack, path, ref if isinstance(ref, str) else None)
            return
        case {"path": str(path), "excerpt": str(_)} if path.startswith(STACK_MARK):
            yield path
        case {"ref": str(ref), **more} if any(more.get(key) for key in _WORDS):
            yield ref
    values = document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    for value in values:
        yield from quotations(value)


def mark_of(stack: str, path: str, ref: str | None) -> str:
    """Return the mark of a memory in a loaded stack, which no ref of the vault can name."""
    return f"{STACK_MARK}{stack}/{ref}" if ref else path


def note_shown(view: View, refs: Iterable[str | None]) -> None:
    """Note which memories an agent is shown, as far as they are from outside."""
    view.of(QUOTED).note(from_outside(view, refs), view.clock.now())


def from_outside(view: View, refs: Iterable[str | None]) -> list[str]:
    """Return which refs name external memories, or ones derived from these that nobody vouches for."""
    shown = dict.fromkeys(filter(None, refs))
    marks = [one for one in shown if one.startswith(STACK_MARK)]
    return marks + [
        str(one.ref) for one in entries(view, shown) if one.source_type == EXTERNAL or _rests_on_external(view, one)
    ]


def _rests_on_external(view: View, entry: Entry) -> bool:
    seen: set[str | None] = {entry.id}
    waiting = [entry]
    while waiting:
        one = waiting.pop()
        if one.attested and (file := view.read(one.path)) and view.is_vouched(file.memory):
            continue
        if one.source_type == EXTERNAL or any(ref.startswith(STACK_MARK) for ref in one.derived_from):
            return True
        above = [source for source in entries(view, one.derived_from) if source.id not in seen]
        seen.update(source.id for source in above)
        waiting += above
    return False


def quotable(view: View, refs: Iterable[str]) -> list[str]:
    """Return which refs may be named here as sources: those of memories that the actor may see."""
    named = [*refs]
    stacks = {one.name for one in view.of(SHARED).mounted} if any(ref.startswith(STACK_MARK) for ref in named) else ()
    marks = [ref for ref in named if ref.removeprefix(STACK_MARK).partition("/")[0] in stacks]
    return marks + [str(entry.ref) for entry in entries(view, named) if entry.status != "forgotten"]


def quoted_before(view: View) -> list[str]:
    """Return the refs of the external memories that the agent was shown lately, as far as they may be named here."""
    return [] if view.of(QUOTED).is_empty else quotable(view, view.of(QUOTED).since(view.clock.now()))


def descended(view: View, edit: Edit) -> Edit:
    """Return an edit that says something anew, derived from the external memories that its writer was shown before.

    A memory from which one of them was itself derived doesn't name that one: lineage has no circles. An external memory
    is somebody else's text, whatever its writer has read.
    """
    shown = quoted_before(view)
    if not shown:
        return edit
    after = edit.made or memory_file.read(edit.path, edit.after, mixed=view.config.mixed)
    if not isinstance(after, MemoryFile) or after.memory.source_type == EXTERNAL or not is_reworded(edit.before, after):
        return edit
    sources = [ref for ref in shown if ref not in after.memory.derived_from]
    if edit.before is not None:
        sources = _without_circles(view, sources, edit.path)
    view.of(QUOTED).name([*sources, *(ref for ref in shown if ref in after.memory.derived_from)])
    if not sources:
        return edit
    data = splice.apply(after, [splice.AppendItems("derived_from", tuple(sources))])
    return replace(edit, after=data, made=None)


def is_reworded(before: ReadFile | None, after: MemoryFile) -> bool:
    """Whether a file is new, or its text, title or claims have changed."""
    if not isinstance(before, MemoryFile):
        return True
    was, now = before.memory, after.memory
    return (was.body, was.title, was.claims) != (now.body, now.title, now.claims)


def _without_circles(view: View, refs: Iterable[str], of: str) -> list[str]:
    graph = graph_of(view)
    start = graph.row_at(of, "")

    def is_apart(ref: str) -> bool:
        named = MemoryRef.parse(ref)
        row = graph.row_of(named.id) if named else None
        return row != start and (start is None or row is None or not way_back(graph, start, [row]))

    return [ref for ref in refs if is_apart(ref)]
