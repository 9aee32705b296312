"""Merge values of a frontmatter three ways: a change on one side is kept; different changes on both sides collide.

Lists are merged as sets of items, histories and the like as sets of entries: additions of either side are kept, and
removals of either side are applied, so that a grant revoked on one side stays revoked (docs/merging.md).
"""

from __future__ import annotations

import operator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from memstore.core.keys import KEY_BY_NAME, Shape
from memstore.core.memory import EVERYBODY, EVERYBODY_SPELLED
from memstore.files.shapes import is_absent, listed
from memstore.files.splice import same_value

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from memstore.core.keys import Key

T = TypeVar("T")
U = TypeVar("U")


class Three(NamedTuple, Generic[T]):
    """A file, or a part of it, at the point where two branches diverged, and on each of them."""

    base: T
    ours: T
    theirs: T

    def map(self, function: Callable[[T], U]) -> Three[U]:
        """Return the results of a function for all three."""
        return Three(function(self.base), function(self.ours), function(self.theirs))


class CollisionError(Exception):
    """Both sides changed the same thing differently."""


def one_of(three: Three[T], *, same: Callable[[T, T], bool] = operator.eq) -> T:
    """Return the side that changed; ours if neither did, or if both made the same change.

    Raises:
        CollisionError: the sides changed it differently.
    """
    if same(three.ours, three.theirs) or same(three.base, three.theirs):
        return three.ours
    if same(three.base, three.ours):
        return three.theirs
    raise CollisionError


class MergedValues(NamedTuple):
    """The values of all keys of either side, and the keys that both sides changed differently."""

    values: dict[str, Any]
    collisions: frozenset[str]


def merged_values(three: Three[Mapping[str, Any]]) -> MergedValues:
    """Return the values by key; an empty or missing key is None."""
    values: dict[str, Any] = {}
    collisions = set()
    for name in dict.fromkeys([*three.ours, *three.theirs]):
        try:
            values[name] = merged_value(name, Three(*(side.get(name) for side in three)))
        except CollisionError:
            collisions.add(name)
    return MergedValues(values, frozenset(collisions))


def merged_value(name: str, three: Three[Any]) -> Any:
    """Return the value of one key.

    Raises:
        CollisionError: both sides changed it, and both changes can't hold at once.
    """
    try:
        return one_of(three, same=says_the_same)
    except CollisionError:
        key = KEY_BY_NAME.get(name)
        if key is None or not (key.shape in _SETS or key.name in _NAMED_BY) or key.name in _IN_ORDER:
            raise
        return _united(key, three)


def says_the_same(one: Any, other: Any) -> bool:
    """Whether two values of a key mean the same; all absent values do."""
    return same_value(one, other) or (is_absent(one) and is_absent(other))


# -- sets ------------------------------------------------------------------------------------------


_SETS = frozenset(
    {Shape.LINES, Shape.WORDS, Shape.ENTITIES, Shape.GRANTS, Shape.GRANT_LISTS, Shape.REFS, Shape.SOURCES, Shape.HEIRS}
)
_IN_ORDER = frozenset({"source_chain"})  # nearest first
# The parts of an entry that identify its event: two different entries with equal parts can't both be right.
_NAMED_BY = {
    "confidence_history": ("timestamp", "op", "evidence_source"),
    "claims": ("subject", "attribute"),
    "resolved_conflicts": ("with", "conflict_type"),
    "witnesses": ("agent_id", "witnessed_at"),
    "anchors": ("type", "reference"),
    "resolutions": ("by", "at"),
}


def same_items(name: str, one: Any, other: Any) -> bool:
    """Whether two values of a key mean the same, regardless of the order of a set's items."""
    key = KEY_BY_NAME.get(name)
    if key is None or key.name in _IN_ORDER or not (key.shape in _SETS or key.name in _NAMED_BY):
        return says_the_same(one, other)
    mine, others = _by_name(key, one), _by_name(key, other)
    return mine.keys() == others.keys() and all(_mean_the_same(mine[item], others[item]) for item in mine)


def _united(key: Key, three: Three[Any]) -> Any:
    """Return the items that either side added, and those of the base that neither removed."""
    sides = three.map(lambda value: _by_name(key, value))
    kept: list[Any] = []
    for name in dict.fromkeys([*sides.ours, *sides.theirs]):
        kept += _merged_list(name, sides)
    if key.name == "confidence_history" and all(_is_by_time(items) for items in (three.ours, three.theirs)):
        kept.sort(key=_when)
    return kept[0] if isinstance(three.ours, str) and len(kept) == 1 else kept


def _merged_list(name: Hashable, sides: Three[dict[Hashable, list[Any]]]) -> list[Any]:
    return one_of(sides.map(lambda items: items.get(name, [])), same=_mean_the_same)


def _by_name(key: Key, value: Any) -> dict[Hashable, list[Any]]:
    """Return the items of a list by what distinguishes them; items with equal names in their order."""
    found: dict[Hashable, list[Any]] = {}
    for item in listed(value):
        found.setdefault(_name_of(key, item), []).append(item)
    return found


def _name_of(key: Key, item: Any) -> Hashable:
    if isinstance(item, dict):
        return tuple(item.get(part) for part in _NAMED_BY[key.name])
    if isinstance(item, list):
        return tuple(sorted({EVERYBODY if name == EVERYBODY_SPELLED else name for name in item}))
    return EVERYBODY if key.shape is Shape.GRANTS and item == EVERYBODY_SPELLED else item


def _mean_the_same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether items with equal names are equal: texts always are, entries regardless of the order of their keys."""
    if not (one and other):
        return not one and not other
    if not isinstance(one[0], dict):
        return True
    return same_value([_sorted(entry) for entry in one], [_sorted(entry) for entry in other])


def _sorted(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: entry[name] for name in sorted(entry) if not is_absent(entry[name])}


def _is_by_time(items: Any) -> bool:
    times = [_when(item) for item in items or ()]
    return times == sorted(times)


def _when(entry: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(entry["timestamp"])
