"""Filters that restrict a list or a search. An invalid filter is an error; it never widens the result.

Filters are applied to the catalogue; for keys that it does not have, the remaining files are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, time
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from memstore.access import SHARED
from memstore.core import terms as analysis
from memstore.core import times
from memstore.core.catalog import ITEM_SEPARATOR, Entry, filled
from memstore.core.config import GLOBAL_SCOPE
from memstore.core.errors import UsageError
from memstore.core.ids import MEMORY_TYPES, is_entity_id
from memstore.core.keys import EXTERNAL, KEY_BY_NAME, SOURCE_TYPES, STATUSES, TRUST_LEVELS, Shape
from memstore.core.times import instant
from memstore.search import INDEX
from memstore.search.clauses import Filters, Operator, Where
from memstore.search.own_keys import OwnKeys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Column = Callable[[str], Sequence[str]]
    Test = Callable[[str], bool]
    # What a file's own values for a key make of the verdict on the catalogue's.
    OfFile = Callable[[bool, Sequence[str]], bool]

    from memstore.core.view import View


# Filters whose key other programs use in their own way: a file may have any value for it.
MAY_BE_FOREIGN = ("type", "author")
# Keys whose column says of a plain note all that its file does.
_OF_NOTES = frozenset({"title", "aliases", "tags", "created_at"})

EVERY_STATUS = "all"
DEFAULT_STATUS = ("active",)
# Memories that are no longer current; they are left out unless asked for.
PAST_STATUS = ("superseded", "archived")

# Filter -> the catalogue's column.
FILTER_COLUMNS = {
    "type": "type",
    "tag": "tags",
    "status": "status",
    "scope": "scope",
    "subject": "subject_ids",
    "source_type": "source_type",
    "author": "author",
    "id": "id",
}
FIELDS = tuple(name for name in FILTER_COLUMNS if name != "id")
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "type": MEMORY_TYPES,
    "status": (*STATUSES, EVERY_STATUS),
    "source_type": SOURCE_TYPES,
    "level": TRUST_LEVELS,
}
# The meaning of an absent key (2-format.md).
_DEFAULTS = {"status": "active", "scope": GLOBAL_SCOPE}

# Keys of frontmatter that are columns of the catalogue, but for those that decide who may see a memory.
KNOWN_KEYS = KEY_BY_NAME.keys() & {*Entry._fields} - {
    "source_chain", "access_grants", "access_denies", "consent_grants", "upstream_grants", "generalization"
}  # fmt: skip

_DATED = r"\d{4}(-|$)"
# A date or a time in UTC, as in frontmatter; compared as text, to the precision that is given.
_TIME = r"(?a:\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?Z?)?)?)?)"
_WHERE = (
    r"\s*(?P<key>[\w-]+(?:\.[\w-]+)*)\s*"
    r"(?:(?P<operator>!=|<=|>=|!~|=|<|>|~)\s*(?P<value>[^\s=].*?)|\s(?P<bare>exists|missing))\s*"
)


class Which(TypedDict, total=False):
    """Filters for memories as they are given, named as the options of `memstore list`; several values are alternatives.

    Without `status` only active memories match. `since` and `until` are dates like "2026-02" or "3d", or times with a
    zone; `level` is the lowest level of trust; `where` is a condition like "confidence >= 0.8", or several that must
    all hold.
    """

    type: str | Sequence[str]
    tag: str | Sequence[str]
    status: str | Sequence[str]
    scope: str | Sequence[str]
    subject: str | Sequence[str]
    source_type: str | Sequence[str]
    author: str | Sequence[str]
    since: str | datetime
    until: str | datetime
    min_confidence: str | float
    min_trust: str | float
    level: str
    where: str | Where | Sequence[str | Where]


def filters_of(which: Which, *, now: datetime) -> Filters:
    """Return the filters as they are applied.

    Args:
        which: the filters as they are given.
        now: what "3d" is counted from.

    Raises:
        UsageError: a filter is invalid.
        TypeError: a time has no zone.
    """
    least, trust, level = which.get("min_confidence"), which.get("min_trust"), which.get("level")
    values: dict[str, Any] = {
        name: tuple(stated(name, value) for value in _texts(name, given))
        for name, given in which.items()
        if name in FIELDS
    }
    return Filters(
        **values,
        since=_moment("since", which.get("since"), now, "start"),
        until=_moment("until", which.get("until"), now, "end"),
        min_confidence=None if least is None else checked_fraction(least),
        min_trust=None if trust is None else checked_fraction(trust, "trust"),
        level=None if level is None else checked("level", level),
        where=tuple(
            one if isinstance(one, Where) else parse_where(one)
            for one in _texts("where", which.get("where", ()), Where)
        ),
    )


def _texts(name: str, given: Any, *more: type) -> list[Any]:
    """Return the texts of a filter, one or several; raise `UsageError` for anything else."""
    found = list(given) if isinstance(given, Iterable) and not isinstance(given, (str, *more)) else [given]
    for one in found:
        if not isinstance(one, (str, *more)):
            raise UsageError(f"{name} has {one!r}, which is not a text", hint=f'write it like {name}="…"')
    return found


def _moment(name: str, given: str | datetime | None, now: datetime, side: str) -> datetime | None:
    if isinstance(given, datetime):
        if given.tzinfo is None:
            raise TypeError("a time needs a time zone: datetime.now(UTC), not datetime.now()")
        return given
    if given is not None and not isinstance(given, str):
        raise UsageError(f"{name} is {given!r}, not a date", hint=f"write it like {times.FORMS}, or give a datetime")
    found: datetime | None = None if given is None else getattr(times.period(given, now=now), side)
    return found


def choices(name: str) -> tuple[str, ...]:
    """Return the values that a filter accepts; empty if it accepts any."""
    return _CHOICES.get(name, ())


def checked(name: str, text: str) -> str:
    """Return the value of a filter, checked and stripped of white space.

    Raises:
        UsageError: no memory can have this value.
    """
    value = text.strip()
    known = choices(name)
    if known and value not in known:
        from memstore.core.errors import did_you_mean

        hint = did_you_mean(value, known, otherwise=f"choose one of {', '.join(known)}")
        raise UsageError(f"`{text}` is not a valid {name.replace('_', ' ')}", hint=hint)
    if not value:
        raise UsageError(f"the filter {name.replace('_', ' ')} has no value", hint="give one, or leave the filter out")
    form = FORMS.get(name)
    if form and not form.holds(value):
        raise UsageError(f"`{text}` is not a valid {name}", hint=form.hint)
    return value


def stated(name: str, text: str) -> str:
    """Return the value of a filter, stripped of white space; `narrowed` checks one that files of others may have.

    Raises:
        UsageError: no file can have this value.
    """
    return text.strip() if name in MAY_BE_FOREIGN and text.strip() else checked(name, text)


class _Form(NamedTuple):
    """The form that a filter's value must have; any other can't match a memory, so it is a mistake."""

    holds: Callable[[str], object]
    hint: str


_ENTITY = _Form(is_entity_id, "an entity id looks like human:sean or si:ash")


def _is_scope(value: str) -> bool:
    return re.fullmatch(r"global|project:.+", value) is not None


FORMS = {
    "author": _ENTITY,
    "subject": _ENTITY,
    "scope": _Form(_is_scope, "write global, or project:NAME"),
}


def parse_where(text: str) -> Where:
    """Parse a condition of the form `key op value`, `key exists` or `key missing`; `narrowed` checks if it can be met.

    Raises:
        UsageError: the text is not a condition.
    """
    found = re.fullmatch(_WHERE, text, re.DOTALL)
    if found is None:
        raise UsageError(
            f"`{text}` is not a condition",
            hint="write `key op value` with = != < <= > >= ~ !~, like `confidence >= 0.8`; or `key exists`",
        )
    if found["bare"]:
        return Where(found["key"], Operator(found["bare"]))
    return Where(found["key"], Operator(found["operator"]), _unquoted(found["value"]))


def checked_where(where: Where) -> Where:
    """Return the condition, after checking that its value can be compared with those of its key.

    Raises:
        UsageError: the key needs a number, a time or one of a few words, and the value is something else.
    """
    key = KEY_BY_NAME.get(where.key)
    if key is None or where.operator in _OF_PARTS:
        return where
    if key.choices and where.operator in (Operator.EQUAL, Operator.UNEQUAL) and where.value not in key.choices:
        raise UsageError(f"`{where.value}` is not a valid {key.name}", hint=f"choose one of {', '.join(key.choices)}")
    if key.shape in _NUMBERS and _number(where.value) is None:
        raise UsageError(f"{key.name} needs a number, not `{where.value}`", hint=f"{key.name} >= 0.8")
    if key.shape in _TIMES and not re.fullmatch(_TIME, where.value):
        hint = f"{key.name} >= 2026-02-01, or a year, a month, a minute in UTC"
        raise UsageError(f"{key.name} needs a time, not `{where.value}`", hint=hint)
    return where


_OF_PARTS = frozenset({Operator.CONTAINS, Operator.LACKS})
_NUMBERS = frozenset({Shape.FRACTION, Shape.NUMBER, Shape.COUNT})
_TIMES = frozenset({Shape.INSTANT, Shape.DAY})


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def checked_fraction(text: str | float, name: str = "confidence") -> float:
    """Return a number from 0 to 1, called `name` in messages; raise `UsageError` for anything else."""
    value = _number(str(text))
    if value is None or not 0 <= value <= 1:
        raise UsageError(f"`{text}` is not a valid {name}", hint="give a number from 0 to 1, like 0.8")
    return value


# -- applying them -------------------------------------------------------------------------------


def matching(
    rows: Sequence[int], filters: Iterable[Filters], column: Column, own: OwnKeys | None = None
) -> Sequence[int]:
    """Return those of `rows` that pass all filters on the catalogue's columns, or by what a file has for that key.

    `min_confidence` and conditions on keys that are not in the catalogue are left to the caller.
    """
    asked = list(filters)
    for tested, test, of_file in _tests(asked):
        values = column(tested)
        # A column has few distinct values: each is tested once.
        verdicts = _Verdicts(test)
        holders = own.holders(tested) if own and of_file else ()
        if own is None or of_file is None or not holders:
            rows = [row for row in rows if verdicts[values[row]]]
        else:
            rows = [
                row
                for row in rows
                if (of_file(verdicts[values[row]], own.texts(row, tested)) if row in holders else verdicts[values[row]])
            ]
    return rows


class _Verdicts(dict[str, bool]):
    """Whether a cell passes a test; each distinct cell is tested once."""

    def __init__(self, test: Test) -> None:
        super().__init__()
        self._test = test

    def __missing__(self, cell: str) -> bool:
        self[cell] = verdict = self._test(cell)
        return verdict


def unknown_keys(filters: Iterable[Filters]) -> list[Where]:
    """Return the conditions that can only be tested by reading the files."""
    return [where for asked in filters for where in asked.where if where.key not in KNOWN_KEYS]


def need_files(*filters: Filters) -> bool:
    """Whether filters can only be tested by reading files."""
    return bool(unknown_keys(filters)) or any(asked.min_trust or asked.level for asked in filters)


def _tests(filters: list[Filters]) -> list[tuple[str, Test, OfFile | None]]:
    """Return the tests, each with its column; without a filter on status, only active memories pass.

    Where a file may have a value of its owner's for that key, the last part says what that makes of the verdict.
    """
    tests: list[tuple[str, Test, OfFile | None]] = []
    if not any(asked.status or asked.id or _names_status(asked) for asked in filters):
        tests.append(("status", _any_of("status", DEFAULT_STATUS), None))
    for asked in filters:
        for name, column in FILTER_COLUMNS.items():
            wanted: tuple[str, ...] = getattr(asked, name)
            if wanted and not (name == "status" and EVERY_STATUS in wanted):
                tests.append((column, _any_of(name, wanted), _or_any_of(wanted) if name in MAY_BE_FOREIGN else None))
        if asked.title:
            tests.append(("title", _title_test(asked.title), None))
        tests += [(column, test, None) for column, test in _time_tests(asked.since, asked.until)]
        known = (where for where in asked.where if where.key in KNOWN_KEYS)
        tests += [(one.key, _where_test(one), None if one.key in _OF_NOTES else _instead(one)) for one in known]
    return tests


def _or_any_of(wanted: Sequence[str]) -> OfFile:
    folded = {analysis.fold(value) for value in wanted}
    return lambda verdict, values: verdict or not folded.isdisjoint(map(analysis.fold, values))


def _instead(where: Where) -> OfFile:
    return lambda _, values: holds(where, values)


def _names_status(asked: Filters) -> bool:
    return any(where.key == "status" and where.operator is not Operator.UNEQUAL for where in asked.where)


def _any_of(name: str, wanted: Sequence[str]) -> Test:
    folded = {analysis.fold(value) for value in wanted}
    if name == "tag":
        return lambda cell: any(is_tagged(tag, folded) for tag in analysis.fold(cell).split(ITEM_SEPARATOR))
    default = _DEFAULTS.get(name, "")

    def test(cell: str) -> bool:
        return not folded.isdisjoint(analysis.fold(cell or default).split(ITEM_SEPARATOR))

    return test


def is_tagged(tag: str, wanted: Iterable[str]) -> bool:
    """Whether a tag is one of those that are wanted, or nested in one: `project/alpha` is in `project`."""
    return any(tag == one or tag.startswith(f"{one}/") for one in wanted)


def _title_test(wanted: Sequence[tuple[str, ...]]) -> Test:
    def test(cell: str) -> bool:
        terms = analysis.terms(cell)
        return any(_has_run(terms, run) for run in wanted)

    return test


def _has_run(terms: list[str], run: tuple[str, ...]) -> bool:
    return any(tuple(terms[i : i + len(run)]) == run for i in range(len(terms) - len(run) + 1))


def _time_tests(since: datetime | None, until: datetime | None) -> list[tuple[str, Test]]:
    """Return tests of the creation time, compared as text: all times are in UTC, in one form.

    A day without a clock, which is kept as midnight in UTC, is in a period of days if it is one of them, in whatever
    time zone they are meant. A memory without a date is in no period.
    """
    seconds = len("2026-02-01T18:04:11")
    tests: list[tuple[str, Test]] = []
    if since is not None:
        first = times.instant(since)[:seconds]
        of_day = _day_begins(since) if since.time() == time() else first
        tests.append(("created_at", lambda cell: cell[:seconds] >= (of_day if _is_day(cell) else first)))
    if until is not None:
        last = times.instant(until)[:seconds]
        of_last = _day_begins(until) if until.time() == time(23, 59, 59) else last
        tests.append(("created_at", lambda cell: "" < cell[:seconds] <= (of_last if _is_day(cell) else last)))
    return tests


def _day_begins(at: datetime) -> str:
    return f"{at.date().isoformat()}T00:00:00"


def _is_day(cell: str) -> bool:
    return cell.endswith("T00:00:00Z")


def _where_test(where: Where) -> Test:
    if where.key == "tags" and where.operator in (Operator.EQUAL, Operator.UNEQUAL):
        has_tag, is_wanted = _any_of("tag", (where.value,)), where.operator is Operator.EQUAL
        return lambda cell: has_tag(cell) == is_wanted

    def test(cell: str) -> bool:
        cell = cell or _DEFAULTS.get(where.key, "")
        return holds(where, [item for item in cell.split(ITEM_SEPARATOR) if item])

    return test


def holds(where: Where, values: Sequence[str]) -> bool:
    """Whether a condition holds for a key's values: one item of a list is enough; an absent key has no values."""
    match where.operator:
        case Operator.EXISTS | Operator.MISSING:
            return bool(values) == (where.operator is Operator.EXISTS)
        case Operator.CONTAINS | Operator.LACKS:
            part = analysis.fold(where.value)
            return any(part in analysis.fold(value) for value in values) == (where.operator is Operator.CONTAINS)
        case Operator.UNEQUAL:
            return all(_order(value, where.value) != 0 for value in values)
        case _:
            return any(_compares(where.operator, _order(value, where.value)) for value in values)


def _compares(operator: Operator, order: int | None) -> bool:
    if order is None:
        return False
    match operator:
        case Operator.EQUAL:
            return order == 0
        case Operator.LESS:
            return order < 0
        case Operator.AT_MOST:
            return order <= 0
        case Operator.GREATER:
            return order > 0
        case _:
            return order >= 0


def _order(value: str, other: str) -> int | None:
    """Return -1, 0 or 1 if `value` is less than, equal to or greater than `other`; None for a number and a word.

    Numbers are compared as numbers, times and words as text: all times are in UTC, in one form. A time within the
    year, month, day or minute that it is compared with is equal to it.
    """
    if re.fullmatch(_TIME, value) and re.fullmatch(_TIME, other):
        value, other = value.removesuffix("Z"), other.removesuffix("Z")
        value = value[: len(other)]
        return (value > other) - (value < other)
    mine, theirs = _number(value), _number(other)
    if mine is not None and theirs is not None:
        return (mine > theirs) - (mine < theirs)
    if (mine is None) != (theirs is None) and not (re.match(_DATED, value) and re.match(_DATED, other)):
        return None
    return (value > other) - (value < other)


def _number(text: str) -> float | None:
    """Return the number in a text, or None; `nan` and `1_0`, which Python accepts, are not numbers here."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) and "_" not in text else None


# -- on a view -------------------------------------------------------------------------------------


def narrowed(then: View, rows: Sequence[int], *filters: Filters) -> Sequence[int]:
    """Return those of `rows` that pass all the filters, ascending; only active memories unless a filter names a status.

    `min_confidence` is left to the caller: a list compares the stored confidence, a search the quality of its results.

    Args:
        then: the vault at the time in question.
        rows: the rows that the viewer may see.
        filters: a row must pass all of them.

    Raises:
        UsageError: no file can have a value that is asked for.
    """
    own = OwnKeys(then)
    try:
        for asked in filters:
            _require_possible(own, asked)
    except UsageError:
        if not then.of(SHARED).manifest:  # what one's own vault has, a stack beside it need not have
            raise
    left = _trusted(then, matching(rows, filters, then.column, own), filters)
    for one in unknown_keys(filters):
        if one.key.partition(".")[0] in KEY_BY_NAME:
            left = [row for row in left if holds(one, own.texts(row, one.key))]
        else:
            holders = own.holders(one.key)
            left = [row for row in left if holds(one, own.texts(row, one.key) if row in holders else ())]
    return left


def _require_possible(own: OwnKeys, asked: Filters) -> None:
    for name in MAY_BE_FOREIGN:
        for value in getattr(asked, name):
            try:
                checked(name, value)
            except UsageError:
                if not _has_value(own, name, value):
                    raise
    for where in asked.where:
        try:
            checked_where(where)
        except UsageError:
            of_one = where.operator in (Operator.EQUAL, Operator.UNEQUAL)
            if not (_has_value(own, where.key, where.value) if of_one else own.holders(where.key)):
                raise


def _has_value(own: OwnKeys, key: str, value: str) -> bool:
    folded = analysis.fold(value)
    return any(folded in map(analysis.fold, own.texts(row, key)) for row in own.holders(key))


def asks_status(given: Filters) -> bool:
    """Whether filters name a status, in the status filter or in a condition."""
    return bool(given.status) or any(one.key == "status" for one in given.where)


class PastRows:
    """Finds visible memories that are past, even if their status is active.

    An active memory supersedes them (stated in either of the two files), or their validity has ended. An external
    memory supersedes nothing by its own word.

    Args:
        then: the vault at the time in question.
        now: the current time, in UTC.
    """

    def __init__(self, then: View, now: datetime) -> None:
        self._then, self._today = then, instant(now)

    def among(self, rows: Sequence[int]) -> frozenset[int]:
        """Return those of some visible rows that are past."""
        then, today, replaced = self._then, self._today, self._replaced
        heirs, until = map(then.column, ("superseded_by", "valid_until"))
        ids = then.column("id") if replaced else ()
        return frozenset(
            row
            for row in ({*rows}.intersection(then.rows) if then.plain else rows)
            if heirs[row]
            or (until[row] and until[row] < today[: len(until[row])])
            or (replaced and ids[row] in replaced)
        )

    def heirs(self, current: Sequence[int]) -> dict[int, int]:
        """Return, for rows of superseded memories, which of some rows holds in their place, over any number of links.

        If two supersede one memory, the first counts. An external memory supersedes nothing by its own word.
        """
        after = self._successors()
        holding = {*current}
        found: dict[int, int | None] = {row: row for row in after if row in holding}
        for row in after:
            way: dict[int, None] = {}
            while row in after and row not in found and row not in way:
                way[row] = None
                row = after[row]  # noqa: PLW2901 -- along the chain
            found.update(dict.fromkeys(way, row if row in holding else found.get(row)))
        return {row: heir for row, heir in found.items() if heir is not None and row != heir}

    def _successors(self) -> dict[int, int]:
        """Return what supersedes a memory directly, by rows, as stated in either of the two files."""
        then = self._then
        supersedes, heirs = map(then.column, ("supersedes", "superseded_by"))
        newer, older = [*filled(then.rows, supersedes)], [*filled(then.rows, heirs)]
        if not (newer or older):
            return {}
        ids, kinds = map(then.column, ("id", "source_type"))
        row_of = {ids[row]: row for row in then.rows if ids[row]}
        links: list[tuple[str, int | None]] = [
            (old, row) for row in newer if kinds[row] != EXTERNAL for old in supersedes[row].split(ITEM_SEPARATOR)
        ]
        links += [
            (ids[row], row_of.get(heir.partition(":")[2])) for row in older for heir in heirs[row].split(ITEM_SEPARATOR)
        ]
        after: dict[int, int] = {}
        for ref, heir in links:
            row = row_of.get(ref.rpartition(":")[2])
            if row is not None and heir is not None:
                after.setdefault(row, heir)
        return after

    @cached_property
    def _replaced(self) -> frozenset[str]:
        """The ids of the memories that an active one says to supersede."""
        then = self._then
        statuses, supersedes = map(then.column, ("status", "supersedes"))
        heads = [row for row in filled(then.rows, supersedes) if statuses[row] in DEFAULT_STATUS]
        kinds = then.column("source_type") if heads else ()
        return frozenset(
            ref.partition(":")[2]
            for row in heads
            if kinds[row] != EXTERNAL
            for ref in supersedes[row].split(ITEM_SEPARATOR)
        )


def _trusted(then: View, rows: Sequence[int], filters: Sequence[Filters]) -> Sequence[int]:
    """Return the rows with the trust that the filters require; only files with attestations are verified."""
    least = max((asked.min_trust or 0.0 for asked in filters), default=0.0)
    levels = {asked.level for asked in filters if asked.level}
    if not least and not levels:
        return rows
    return then.of(INDEX).vouched_for(rows, least=least, levels=levels)
