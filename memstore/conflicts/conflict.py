"""Conflicts between two memories: the kind, the rule that found it, the penalty, and the command that settles it.

Claims are compared before sentences. If the two sides name different times, the conflict is temporal, and the later
one probably holds now: `contradiction` finds that in sentences; for claims, `since` decides; for other values, the
days of the memories.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from memstore.conflicts.contradiction import (
    CONFLICTS,
    Comparison,
    Difference,
    TextVerdict,
    are_over,
    compare_statements,
    difference,
    newer,
)
from memstore.conflicts.statements import EMPTY, tokens
from memstore.core.conflict import BY_VERDICT, CLAIMS, PENALTY, Conflict, ConflictType, Lines
from memstore.core.keys import EXTERNAL
from memstore.core.word_lists import word_lists
from memstore.search.index import claim_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.conflicts.lexicon import Opposes
    from memstore.conflicts.sides import Side
    from memstore.conflicts.statements import Token
    from memstore.core.memory import Claim, Memory

# A path in free text: the file that a memory comes from.
_PATH = re.compile(r"\S*[/\\]\S+\.\w+|\S+\.(?:md|txt|org|jsonl?)")


def conflict(
    one: Side, other: Side, *, opposes: Opposes | None = None, pairs: Sequence[tuple[int, int]] | None = None
) -> Conflict | None:
    """Return the strongest open conflict between two memories, from the first one's view, or None.

    Args:
        one: a memory.
        other: another memory.
        opposes: recognizes opposites that are not in the built-in list.
        pairs: which of their statements to compare, by their places; None for any with any.
    """
    if may_differ(one.memory, other.memory) or decided(one, other):
        return None
    found = _of_claims(one, other, opposes) or _of_statements(one, other, opposes, pairs)
    if found is None:
        return None
    return _reported(one, other, found)


# A memory of this type says what is so instead of what another says.
CORRECTION = "correction"
# In place of a rule, where an NLI model says that two sentences contradict each other.
BY_MODEL = "model"


def by_verdict(one: Side, other: Side, mine: Lines, theirs: Lines, newer: Side | None) -> Conflict:
    """Return the conflict of two memories, from the first one's view, that somebody judged; `newer` holds now."""
    kind = ConflictType.TEMPORAL if newer else ConflictType.CONTRADICTION
    found = _reported(one, other, (kind, BY_VERDICT, mine, theirs, None))
    if newer is None:
        return found
    return found._replace(current=newer.ref, command=_command(kind, one, other, newer))


def by_model(one: Side, other: Side, mine: Lines, theirs: Lines) -> Conflict:
    """Return the conflict of two memories, from the first one's view, that an NLI model found between these lines."""
    return _reported(one, other, (ConflictType.CONTRADICTION, BY_MODEL, mine, theirs, None))


def _reported(one: Side, other: Side, found: _Found) -> Conflict:
    kind, rule, mine, theirs, told = found
    current = _current(kind, one, other, told)
    counts = is_right(rule) and not is_from_outside(one, other)
    return Conflict(
        conflict_type=kind,
        penalty=penalty(kind, one.memory.confidence, other.memory.confidence) if counts else 0.0,
        refs=(one.ref, other.ref),
        titles=(one.title, other.title),
        lines=(mine, theirs),
        rule=rule,
        command=_command(kind, one, other, current),
        current=current.ref if current else None,
    )


def between(one: Side, other: Side, *, opposes: Opposes | None = None) -> ConflictType | None:
    """Return the kind of conflict between two memories' contents, ignoring earlier decisions and their status."""
    found = _of_claims(one, other, opposes) or _of_statements(one, other, opposes)
    return found[0] if found else None


def may_be_one(one: Memory, other: Memory) -> bool:
    """Whether two memories may be copies: equal type, status, owner, scope, subjects; neither supersedes the other."""
    kinds = ((each.type, each.status, each.owner, each.scope, frozenset(each.subject_ids)) for each in (one, other))
    return len(set(kinds)) == 1 and one.id != other.id and not _replaces(one, other) and not _replaces(other, one)


def is_from_outside(one: Side, other: Side) -> bool:
    """Whether only the other side is external: then it takes nothing from the first one's quality."""
    return other.memory.source_type == EXTERNAL != one.memory.source_type


# What a ground reports of pairs that may both be right, in a hundred, so that it still lowers a quality.
MOST_ALARMS = 3.0


def is_right(rule: str) -> bool:
    """Whether a ground of conflict raises few enough false alarms for a quality to depend on it.

    Claims leave nothing to guess. `alarms.toml` has what was measured of the others; it does not have a model.
    """
    alarms: dict[str, float] = word_lists("conflicts", "alarms")["in_a_hundred"]
    return rule == CLAIMS or alarms.get(rule, MOST_ALARMS + 1) <= MOST_ALARMS


def penalty(kind: ConflictType, own: float | None, others: float | None) -> float:
    """Return the penalty of a conflict for a memory; halved if its confidence is higher than the other's."""
    return PENALTY[kind] / 2 if (own or 0.0) > (others or 0.0) else PENALTY[kind]


# -- pairs that are never in conflict ------------------------------------------------------------


def may_differ(one: Memory, other: Memory) -> bool:
    """Whether two memories may say different things without a conflict."""
    return (
        one.status != "active"
        or other.status != "active"
        or (one.id is not None and one.id == other.id)
        or _text(one) == _text(other)
        or _apart(one.subject_ids, other.subject_ids)
        or (one.scope != other.scope and "global" not in {one.scope, other.scope})
        or not _paths(one).isdisjoint(_paths(other))
        or _replaces(one, other)
        or _replaces(other, one)
        or _ends_before(one, other)
        or _ends_before(other, one)
    )


def decided(one: Side, other: Side) -> bool:
    """Whether a conflict of the two has already been decided, so that it is not raised again."""
    return any(
        resolved.with_ == there.ref
        for here, there in ((one, other), (other, one))
        for resolved in here.memory.resolved_conflicts
    )


def _text(memory: Memory) -> tuple[str, tuple[Claim, ...]]:
    return " ".join(memory.body.casefold().split()), memory.claims


def _apart(ones: Sequence[str], others: Sequence[str]) -> bool:
    return bool(ones and others) and set(ones).isdisjoint(others)


def _paths(memory: Memory) -> set[str]:
    """Return the paths of the files that a memory names as its source."""
    said = [memory.source or "", *memory.derived_from]
    texts = [text.partition(":")[2] if text.startswith(("file:", "context:")) else text for text in said]
    bare = (re.split(r"[#@]|:L?\d", text, maxsplit=1)[0].removeprefix("./") for text in texts)
    return {path for path in bare if _PATH.fullmatch(path)}


def _replaces(one: Memory, other: Memory) -> bool:
    return str(other.ref) in one.supersedes


def _ends_before(one: Memory, other: Memory) -> bool:
    """Whether one memory's validity ends before the other's begins, so that both hold, each in its time."""
    return bool(one.valid_until and other.valid_from) and str(one.valid_until)[:10] <= str(other.valid_from)[:10]


# -- comparing contents --------------------------------------------------------------------------

# The kind, the rule, the lines of both, and the comparison, which is None for claims.
_Found = tuple[ConflictType, str, Lines, Lines, Comparison | None]


def _of_claims(one: Side, other: Side, opposes: Opposes | None) -> _Found | None:
    for mine, my_lines in one.claims:
        for theirs, their_lines in other.claims:
            if claim_key(mine) != claim_key(theirs):
                continue
            told = _values_differ(mine.value, theirs.value, opposes)
            if told:
                times = (mine.since or _time(one.memory))[:10], (theirs.since or _time(other.memory))[:10]
                return (ConflictType.TEMPORAL if times[0] != times[1] else told), CLAIMS, my_lines, their_lines, None
    return None


def _values_differ(one: str, other: str, opposes: Opposes | None) -> ConflictType | None:
    """Return the kind of conflict between two values of one attribute; None if they are the same."""
    ones, others = _said(one), _said(other)
    if [token.key for token in ones] == [token.key for token in others]:
        return None
    if len(ones) == len(others) == 1:
        found, _ = difference(ones[0], others[0], opposes)
        if found is Difference.NOTHING:
            return None
        yes_and_no = {ones[0].word, others[0].word} in ({"yes", "no"}, {"true", "false"}, {"on", "off"})
        if found is Difference.OPPOSITE or yes_and_no:
            return ConflictType.CONTRADICTION
    return ConflictType.SEMANTIC


def _said(value: str) -> Sequence[Token]:
    """Return the words of a value, without empty ones: `the park` is `park`."""
    found = tokens(value)
    return [token for token in found if token.word not in EMPTY] or found


def _time(memory: Memory) -> str:
    return memory.valid_from or memory.created_at or ""


def _of_statements(
    one: Side, other: Side, opposes: Opposes | None, pairs: Sequence[tuple[int, int]] | None = None
) -> _Found | None:
    found = compare_statements(
        [statement for statement, _ in one.statements],
        [statement for statement, _ in other.statements],
        opposes=opposes,
        same_speaker=have_one_speaker(one, other),
        days_apart=are_days_apart(one, other),
        pairs=pairs,
    )
    if found.verdict not in CONFLICTS:
        return None
    mine = next(lines for statement, lines in one.statements if statement is found.left)
    theirs = next(lines for statement, lines in other.statements if statement is found.right)
    kind = _kind(found, one.memory, other.memory)
    return kind, found.rule, mine, theirs, found


def have_one_speaker(one: Side, other: Side) -> bool:
    """Whether `I` and `you` mean the same people in both memories.

    A memory that names nobody may be anybody's, unless it comes from outside and the other does not.
    """
    speakers = {side.memory.source_entity or side.memory.author for side in (one, other)}
    from_outside = {side.memory.source_type == EXTERNAL for side in (one, other)}
    return len(speakers) == 1 or (None in speakers and len(from_outside) == 1)


def are_days_apart(one: Side, other: Side) -> bool:
    """Whether two memories are of different days, and may be about different events."""
    return _time(one.memory)[:10] != _time(other.memory)[:10]


def _kind(found: Comparison, one: Memory, other: Memory) -> ConflictType:
    if found.at_other_times or (one.type == CORRECTION) != (other.type == CORRECTION):
        return ConflictType.TEMPORAL
    if found.verdict is TextVerdict.CONTRADICTS:
        return ConflictType.CONTRADICTION
    return ConflictType.SEMANTIC if _time(one)[:10] == _time(other)[:10] else ConflictType.TEMPORAL


# -- settling a conflict -------------------------------------------------------------------------


def _current(kind: ConflictType, one: Side, other: Side, told: Comparison | None) -> Side | None:
    """Return the side that probably holds now: the one whose statement says so, or else the later one.

    None if the conflict is not temporal, or if both sides describe the past.
    """
    if kind is not ConflictType.TEMPORAL or (told and are_over(told)):
        return None
    correction, corrected = sorted((one, other), key=lambda side: side.memory.type != CORRECTION)
    is_later = _time(correction.memory)[:10] >= _time(corrected.memory)[:10]
    if correction.memory.type == CORRECTION != corrected.memory.type and is_later:
        return correction
    if told and (says := newer(told, (_time(one.memory)[:10], _time(other.memory)[:10]))) is not None:
        return one if says is told.left else other
    return max(one, other, key=lambda side: (_time(side.memory), side.ref))


def _command(kind: ConflictType, one: Side, other: Side, current: Side | None) -> str:
    """Return the command that settles a conflict in the suggested way."""
    pair = shlex.join((one.ref, other.ref))  # a memory without an id is named by its path, which may have blanks
    if kind is ConflictType.TEMPORAL:
        kept = current.ref if current else "both"
    else:
        kept = max(one, other, key=lambda side: (_held(side), _time(side.memory), side.ref)).ref
    return f"memstore conflicts resolve {pair} --keep {shlex.quote(kept)}"


def _held(side: Side) -> str:
    return f"{side.memory.confidence or 0.0:.6f}"
