"""A vault as LangGraph's store: `VaultStore` is a `langgraph.store.base.BaseStore`.

An item is a memory whose text is the item's value as JSON, and whose alias is its namespace and key. Memories that
LangGraph did not write are items, too, below the namespace `("memstore", TYPE)`: they can be read and found there, and
not be written. So are external ones, whatever their aliases: their texts are framed as quotations, and have `external`
beside them.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
)

from memstore.core.keys import EXTERNAL
from memstore.core.quotation import quoted
from memstore.core.times import moment
from memstore.documents.parts import external_document
from memstore.face.given import opened
from memstore.lineage.descent import note_shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memstore.core.catalog import Entry
    from memstore.core.quotation import External
    from memstore.face.vault import Vault

_MARK = "langgraph:"
_OURS = "memstore"
_MOST_HITS = 1000
_FENCED = re.compile(r"\s*```json\n(.*)\n```\s*", re.DOTALL)


class _Place(NamedTuple):
    namespace: tuple[str, ...]
    key: str

    @property
    def alias(self) -> str:
        return _MARK + json.dumps([*self.namespace, self.key], ensure_ascii=False)


class VaultStore(BaseStore):
    """A store that keeps its items in a vault.

        store = VaultStore(memstore.open_vault("~/notes", entity="si:ash"))
        graph = builder.compile(store=store)

    Items may be seen by whoever may see the memories; deleting one archives it. A vault belongs to the thread that
    opened it, so the asynchronous methods run where they are called.

    Args:
        vault: the vault, opened as the entity whose memories these are.
        commit: commit each change.
    """

    supports_ttl = False

    def __init__(self, vault: Vault, *, commit: bool = False) -> None:
        super().__init__()
        self._vault, self._commit = opened(vault).signing(), commit

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Run operations: those that read first, then those that write; of two that write one item, the last."""
        asked = list(ops)
        results: list[Any] = [None] * len(asked)
        known = self._known()
        writes: dict[_Place, PutOp] = {}
        for at, op in enumerate(asked):
            match op:
                case GetOp():
                    place = _Place(op.namespace, op.key)
                    results[at] = self._item(place, known[place]) if place in known else None
                case SearchOp():
                    results[at] = self._found(op, known)
                case ListNamespacesOp():
                    results[at] = _namespaces(op, known)
                case PutOp():
                    writes[_Place(op.namespace, op.key)] = op
        self._note_shown(results, known)
        for place, op in writes.items():
            self._put(place, op.value, known.get(place))
        return results

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """Run operations as `batch` does."""
        return self.batch(ops)

    def _note_shown(self, results: Iterable[Any], known: dict[_Place, Entry]) -> None:
        """Note which items are handed out: what is put from now on is derived from the external ones."""
        items = [item for one in results for item in (one if isinstance(one, list) else [one])]
        shown = (known[_Place(item.namespace, item.key)] for item in items if isinstance(item, Item))
        note_shown(self._vault.view(), [entry.ref for entry in shown])

    # -- items -----------------------------------------------------------------------------------------

    def _known(self) -> dict[_Place, Entry]:
        """Return the memories that may be seen, by namespace and key."""
        known: dict[_Place, Entry] = {}
        for entry in sorted(self._vault.list(), key=lambda one: one.path):
            known.setdefault(_place_of(entry), entry)
        return known

    def _item(self, place: _Place, entry: Entry, conditions: Mapping[str, Any] | None = None) -> Item | None:
        view = self._vault.view()
        file = view.read(entry.path)
        if file is None:
            return None
        value = _value(entry, file.memory.body)
        if not _passes(value, conditions or {}):
            return None
        made = _time(entry.created_at)
        changed = max([made, *(_time(event.timestamp) for event in file.memory.confidence_history)])
        outside = view.external(file.memory)
        shown = value if outside is None else _framed(value, outside)
        return Item(value=shown, key=place.key, namespace=place.namespace, created_at=made, updated_at=changed)

    def _found(self, op: SearchOp, known: dict[_Place, Entry]) -> list[SearchItem]:
        prefix = op.namespace_prefix
        below = {place: entry for place, entry in known.items() if place.namespace[: len(prefix)] == prefix}
        scores = self._scores(op.query) if op.query else None
        if scores is not None:
            below = {place: entry for place, entry in below.items() if entry.path in scores}
            ranks = {path: rank for rank, path in enumerate(scores)}
            below = dict(sorted(below.items(), key=lambda one: ranks[one[1].path]))
        items = []
        for place, entry in below.items():
            item = self._item(place, entry, op.filter)
            if item is not None:
                score = None if scores is None else scores[entry.path]
                items.append(
                    SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score=score)
                )
        return items[op.offset : op.offset + op.limit]

    def _scores(self, query: str) -> dict[str, float]:
        """Return how relevant each memory is to a query, in which only words count, by path, best first.

        The order is that of a search: external memories come last, whatever their relevance.
        """
        words = " ".join(re.findall(r"\w+", query.lower()))
        if not words:
            return {}
        scores: dict[str, float] = {}
        refs = {f"{one.type}:{one.id}": one.path for one in self._vault.list()}
        for hit in self._vault.search(words, limit=_MOST_HITS):
            for path in (hit.path, *(refs.get(name, name) for name in hit.also)):
                scores.setdefault(path, hit.relevance)
        return scores

    def _put(self, place: _Place, value: Mapping[str, Any] | None, entry: Entry | None) -> None:
        if place.namespace[:1] == (_OURS,):
            raise InvalidNamespaceError(f'The namespace "{_OURS}" can only be read. Got: {place.namespace}')
        if value is None:
            if entry is not None:
                self._vault.archive(entry.id, commit=self._commit)
            return
        text = f"```json\n{json.dumps(value, ensure_ascii=False, indent=2)}\n```"
        if entry is None:
            self._vault.add(text, title=_line(place.key), aliases=[place.alias], commit=self._commit)
        else:
            self._vault.edit(entry.id, text, commit=self._commit)


def _place_of(entry: Entry) -> _Place:
    for name in () if entry.source_type == EXTERNAL else entry.aliases:
        if name.startswith(_MARK):
            try:
                *namespace, key = json.loads(name.removeprefix(_MARK))
            except (ValueError, TypeError):
                continue
            if namespace and all(isinstance(part, str) for part in (*namespace, key)):
                return _Place(tuple(namespace), key)
    return _Place((_OURS, entry.type or "note"), entry.id or entry.path)


def _value(entry: Entry, body: str) -> dict[str, Any]:
    found = _FENCED.fullmatch(body) if _place_of(entry).namespace[0] != _OURS else None
    try:
        value = json.loads(found[1]) if found else None
    except ValueError:  # somebody has edited it by hand
        value = None
    return value if isinstance(value, dict) else {"text": body.strip(), "title": entry.title, "source": entry.source}


def _framed(value: Mapping[str, Any], outside: External) -> dict[str, Any]:
    """Return the value of an external memory's item with its words as quotations."""
    words = {"text": outside.block(value["text"]), "title": quoted(value["title"]), "source": quoted(value["source"])}
    return words | external_document(outside)


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:  # none, or one that somebody has written by hand
        return moment(0)


def _line(text: str) -> str:
    """Return a text as a title: one printable line."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split()) or "item"


# -- conditions ------------------------------------------------------------------------------------


def _passes(value: Mapping[str, Any], conditions: Mapping[str, Any]) -> bool:
    return all(_equals(value.get(key), wanted) for key, wanted in conditions.items())


_OPERATORS: dict[str, Any] = {
    "$eq": lambda one, other: one == other,
    "$ne": lambda one, other: one != other,
    "$gt": lambda one, other: one > other,
    "$gte": lambda one, other: one >= other,
    "$lt": lambda one, other: one < other,
    "$lte": lambda one, other: one <= other,
}


def _equals(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        if any(key.startswith("$") for key in wanted):
            return all(_compares(value, name, other) for name, other in wanted.items())
        return isinstance(value, dict) and all(_equals(value.get(key), other) for key, other in wanted.items())
    return bool(value == wanted)


def _compares(value: Any, name: str, other: Any) -> bool:
    if name not in _OPERATORS:
        raise ValueError(f"Unsupported operator: {name}")
    if name not in {"$eq", "$ne"}:
        try:
            value, other = float(value), float(other)
        except (TypeError, ValueError):
            return False
    return bool(_OPERATORS[name](value, other))


def _namespaces(op: ListNamespacesOp, known: Iterable[_Place]) -> list[tuple[str, ...]]:
    found = {place.namespace for place in known}
    if op.match_conditions:
        found = {one for one in found if all(_matches(condition, one) for condition in op.match_conditions)}
    if op.max_depth is not None:
        found = {one[: op.max_depth] for one in found}
    return sorted(found)[op.offset : op.offset + op.limit]


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = tuple(condition.path)
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :] if path else ()
    return len(part) == len(path) and all(wanted in {"*", name} for name, wanted in zip(part, path, strict=True))
