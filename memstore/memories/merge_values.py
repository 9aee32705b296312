"""Values of a frontmatter merged three ways: what each side changed against the base holds, or they collide.

Lists are sets of items, and histories and the like sets of entries: what either side added is in, what either side took
out is not, so that a grant that was revoked on one side is revoked (docs/merging.md).
"""

from __future__ import annotations

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
    """What a file, or a part of it, was where two branches parted, and what it is on each of them."""

    base: T
    ours: T
    theirs: T

    def map(self, function: Callable[[T], U]) -> Three[U]:
        """Return what a function makes of each."""
        return Three(function(self.base), function(self.ours), function(self.theirs))


class CollisionError(Exception):
    """Both sides changed the same thing, and not to the same."""


def _are_equal(one: object, other: object) -> bool:
    return one == other


def one_of(three: Three[T], *, same: Callable[[T, T], bool] = _are_equal) -> T:
    """Return the side that changed, or ours where neither did or both alike.

    Raises:
        CollisionError: both changed, to different things.
    """
    if same(three.ours, three.theirs) or same(three.base, three.theirs):
        return three.ours
    if same(three.base, three.ours):
        return three.theirs
    raise CollisionError


class MergedValues(NamedTuple):
    """The values of all keys of either side, and the keys of which both sides made something different."""

    values: dict[str, Any]
    collisions: frozenset[str]


def merged_values(three: Three[Mapping[str, Any]]) -> MergedValues:
    """Return the values by key; a key that says nothing, or is missing, is None."""
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
        CollisionError: both sides changed it, and what they made of it can't both hold.
    """
    try:
        return one_of(three, same=says_the_same)
    except CollisionError:
        key = KEY_BY_NAME.get(name)
        if key is None or not (key.shape in _SETS or key.name in _NAMED_BY) or key.name in _IN_ORDER:
            raise
        return _united(key, three)


def says_the_same(one: Any, other: Any) -> bool:
    """Whether two values of a key mean the same: all that say nothing do."""
    return same_value(one, other) or (is_absent(one) and is_absent(other))


# -- sets ------------------------------------------------------------------------------------------


_SETS = frozenset(
    {Shape.LINES, Shape.WORDS, Shape.ENTITIES, Shape.GRANTS, Shape.GRANT_LISTS, Shape.REFS, Shape.SOURCES, Shape.HEIRS}
)
_IN_ORDER = frozenset({"source_chain"})  # nearest first
# What two entries have in common that are about the same event, and can't both be right.
_NAMED_BY = {
    "confidence_history": ("timestamp", "op", "evidence_source"),
    "claims": ("subject", "attribute"),
    "resolved_conflicts": ("with", "conflict_type"),
    "witnesses": ("agent_id", "witnessed_at"),
    "anchors": ("type", "reference"),
    "resolutions": ("by", "at"),
}


def same_items(name: str, one: Any, other: Any) -> bool:
    """Whether two values of a key mean the same, the order of a set's items aside."""
    key = KEY_BY_NAME.get(name)
    if key is None or key.name in _IN_ORDER or not (key.shape in _SETS or key.name in _NAMED_BY):
        return says_the_same(one, other)
    mine, others = _by_name(key, one), _by_name(key, other)
    return mine.keys() == others.keys() and all(_mean_the_same(mine[item], others[item]) for item in mine)


def _united(key: Key, three: Three[Any]) -> Any:
    """Return what either side added, and of the base what neither took out."""
    sides = three.map(lambda value: _by_name(key, value))
    kept: list[Any] = []
    for name in dict.fromkeys([*sides.ours, *sides.theirs]):
        kept += _kept(name, sides)
    if key.name == "confidence_history" and all(_is_by_time(items) for items in (three.ours, three.theirs)):
        kept.sort(key=_when)
    return kept[0] if isinstance(three.ours, str) and len(kept) == 1 else kept


def _kept(name: Hashable, sides: Three[dict[Hashable, list[Any]]]) -> list[Any]:
    return one_of(sides.map(lambda items: items.get(name, [])), same=_mean_the_same)


def _by_name(key: Key, value: Any) -> dict[Hashable, list[Any]]:
    """Return the items of a list by what tells them apart; those of one name in their order."""
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
    """Whether items of one name are the same: texts are by their name, entries whatever the order of their keys."""
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
