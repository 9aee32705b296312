"""Refs in values: each must name an existing memory and is written in full. Also loads the memories that refs name."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from memstore.core.errors import InStackError, NoIdError, RefusedError, UsageError
from memstore.core.ids import MemoryRef
from memstore.core.keys import EXTERNAL, REF_KEYS, RELIABILITY
from memstore.core.memory import OWN_VAULT, STACK_MARK, is_external_mark
from memstore.lineage.copies import Copies
from memstore.lineage.graph import graph_of
from memstore.lineage.walk import way_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memstore.core.catalog import Entry
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.render import Plain


def entries(view: View, refs: Iterable[str]) -> list[Entry]:
    """Return the memories that refs name, as far as the actor may see them; anything else is left out."""
    named = [ref.id for text in refs if (ref := MemoryRef.parse(text)) is not None]
    return [view.entry(row) for memory_id in named for row in view.rows_of_id(memory_id)]


def ceiling(found: Iterable[Entry]) -> float | None:
    """Return the lowest confidence among memories; None if none of them states one and none is external."""
    known = [(float(entry.confidence) if entry.confidence else 1.0, entry) for entry in found if _bounds(entry)]
    return min((min(own, RELIABILITY[EXTERNAL]) if _is_external(one) else own for own, one in known), default=None)


def _bounds(entry: Entry) -> bool:
    return bool(entry.confidence) or _is_external(entry)


def _is_external(entry: Entry) -> bool:
    return entry.source_type == EXTERNAL


def loader(view: View) -> Callable[[str], Memory | None]:
    """Return a function from a ref to its memory that reads each file once; None if the actor may not see it.

    A memory that is an exact copy says so (`lineage.copies`).
    """
    copies = Copies(view)

    @cache
    def load(ref: str) -> Memory | None:
        files = (view.read(entry.path) for entry in entries(view, [ref]))
        memory = next((file.memory for file in files if file and file.memory.status != "forgotten"), None)
        return copies.marked(memory) if memory else None

    return load


# -- refs in a new value ---------------------------------------------------------------------------


def whole_refs(view: View, values: Mapping[str, Plain], *, of: str | None = None) -> dict[str, Any]:
    """Return the lists of refs among `values` with each ref written as `type:id`.

    Args:
        view: the vault.
        values: values by key; those without refs are not returned.
        of: the path of the memory that the values are for; None for a new one.

    Raises:
        NotFoundError: a ref names no memory that the actor may see, several, or one of another type.
        UsageError: a ref names the memory itself, or one that has no id.
        RefusedError: the memory would be derived from something derived from it.
    """
    named = {name: value for name in REF_KEYS if (value := values.get(name))}
    if all(is_external_mark(text) for value in named.values() for text in _texts(value)):
        return {}
    whole = {name: _whole(view, name, value, of) for name, value in named.items()}
    if of is not None:
        _refuse_circle(view, _texts(whole.get("derived_from", [])), of)
    return whole


def _refuse_circle(view: View, sources: Sequence[str], of: str) -> None:
    """Refuse a memory derived from something derived from it; a new memory can't be in a cycle."""
    graph = graph_of(view)
    ids = [MemoryRef.parse(source) for source in sources]
    targets = [row for ref in ids if ref is not None and (row := graph.row_of(ref.id)) is not None]
    start = graph.row_at(of, "")
    circle = way_back(graph, start, targets) if start is not None and targets else ()
    if circle:
        raise RefusedError(
            f"`derived_from` would lead in a circle: {' -> '.join(circle)}", hint="remove that ref from the list"
        )


def _texts(value: Plain) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _whole(view: View, name: str, value: Plain, of: str | None) -> Any:
    refs = list(dict.fromkeys(_ref(view, name, text, of) for text in _texts(value)))
    return refs if isinstance(value, list) else refs[0]


def stays_private(named: str, owner: str) -> RefusedError:
    """Return the refusal to name a memory of one's own vault in that of a group."""
    return RefusedError(
        f"{named} is in your own vault, and nothing in the vault of {owner} may name it: each clone has all of that",
        hint="leave that out, or write it to your own vault, too: memstore add --private",
    )


def _ref(view: View, name: str, text: str, of: str | None) -> str:
    if is_external_mark(text):
        if name == "derived_from":
            return text
        raise UsageError(
            f"`{name}` names memories, and `{text}` is not a memory", hint="external marks go into derived_from"
        )
    try:
        entry = view.named(text) if name == "relates_to" else view.find(text)
    except InStackError as error:
        if error.stack == OWN_VAULT:
            raise stays_private(text, view.config.owner) from None
        raise InStackError(
            f"`{name}` names memories of this vault, and `{text}` is in the loaded stack {error.stack}",
            hint=f"derived_from takes {STACK_MARK}{error.stack}/{text}; source says in words where it comes from",
            stack=error.stack,
            path=error.path,
        ) from error
    if entry.path == of:
        raise UsageError(f"`{name}` would name the memory itself", hint="remove that ref")
    if entry.ref is None:
        raise NoIdError(entry.path)
    return entry.ref
