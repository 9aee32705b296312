"""Changes: decide whether one frame says that what the other says has come to an end: given up, replaced, moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts.frames import PREPOSITIONS, root_of, states
from memstore.conflicts.statements import FIRST_PERSON
from memstore.conflicts.values import main_verb
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.conflicts.frames import Frame

# Verbs whose object is no longer so, or whose subject in the passive; and verbs for a move from one thing to another.
ENDS = listed("""
    gave given stopped quit cancelled canceled abandoned abolished scrapped discontinued dissolved dropped ditched
    replaced removed retired sold left renamed
    """)
_WITH_UP = listed("gave given")
_MOVES = listed("switched changed moved went gone migrated converted transferred")
_GOES = listed("went gone")
_HANDS_OVER = listed("took handed passed")
MARKS = ENDS | _MOVES | _HANDS_OVER
# An object follows at most this many words after its verb: `gave up the old lease`.
_FARTHEST_OBJECT = 4
# The roots of verbs for taking part in something, which one may leave; for being somewhere or using something, which
# one may change; and for holding an office, which one may hand over.
_BELONGS = listed("be is are work belong plai sing live")
_PLACED = listed("be is are live run host keep store base stand hang moor park locat situat studi us deploi")
_HOLDS = listed("lead own manag run teach be")


class _Change(NamedTuple):
    """What was so, and the statement that tells of a change: `at` is the position of its verb there.

    `before` and `after` have the content of what was so, before and after its verb.
    """

    was: Frame
    then: Frame
    at: int
    before: Sequence[str]
    after: Sequence[str]


def ended(one: Frame, other: Frame) -> bool:
    """Whether one frame says what is so, and the other that this is over."""
    return any(_ends(was, then) for was, then in ((one, other), (other, one)))


def _ends(was: Frame, then: Frame) -> bool:
    at = next((at for at, token in enumerate(then.tokens) if token.word in MARKS and _is_mark(then, at)), None)
    if at is None or not _may_end(was, then):
        return False
    sides = ([key for key, place in was.content.items() if (place > (was.verb or 0)) is late] for late in (False, True))
    verbs = {was.verb, _doing(was)}
    before, after = ([key for key in keys if was.content[key] not in verbs] for keys in sides)
    change = _Change(was, then, at, before, after)
    if _is_ended_itself(change):
        return True
    return _is_handed_over(change) or _is_moved_away(change) or _is_given_up(change)


def _is_mark(then: Frame, at: int) -> bool:
    """Whether a verb tells of an end: what is given up is over, what is only given is not."""
    after = [token.word for token in then.tokens[at + 1 : at + 2]]
    return then.tokens[at].word not in _WITH_UP or not {"up", "away"}.isdisjoint(after)


def _doing(was: Frame) -> int:
    """Return the position of the word in -ing after `is`, or else of the main verb."""
    at = main_verb(was)
    after = was.tokens[at + 1 : at + 2]
    return at + 1 if after and was.tokens[at].key == "be" and after[0].word.endswith("ing") else at


def _may_end(was: Frame, then: Frame) -> bool:
    """Whether one frame is a statement about the present that the other could end."""
    if was.denied or then.denied or (was.when and then.when) or not (states(was) and states(then)):
        return False
    return was.verb is not None and not was.is_past and "formerly" not in was.words and was.words.isdisjoint(MARKS)


def _is_ended_itself(change: _Change) -> bool:
    """Whether the subject comes to an end, in the passive: `the toll has been abolished`; what is sold was owned."""
    was, then, at, before, after = change
    verb = then.tokens[at].word
    if verb not in ENDS or not _is_passive(then, at) or verb == "left" or (verb == "sold" and "own" not in was.content):
        return False
    subject = min(then.content, key=then.content.__getitem__)
    return bool(before) and subject in {*before, *after} and all(then.content.get(key, at) < at for key in before)


def _is_passive(then: Frame, at: int) -> bool:
    return at > 0 and then.tokens[at - 1].key == "be"


def _is_handed_over(change: _Change) -> bool:
    """Whether somebody took an office over from another, or handed it over to another."""
    then, at = change.then, change.at
    words = [token.word for token in then.tokens[at + 1 :]]
    taken = then.tokens[at].word == "took" and words[:2] == ["over", "from"]
    handed = then.tokens[at].word in ("handed", "passed") and "to" in words and not {"over", "on"}.isdisjoint(words)
    told = [key for key in change.was.content if key not in _HOLDS]
    return (taken or handed) and len(change.was.content) > 1 and all(key in then.content for key in told)


def _is_moved_away(change: _Change) -> bool:
    """Whether one says where something is or what is used, and the other that it has moved or changed to another."""
    was, then, at, before, after = change
    to = [token.word for token in then.tokens[at + 1 : at + 2]] == ["to"]
    if not to or then.tokens[at].word not in _MOVES or was.numbers or then.numbers:
        return False
    if then.tokens[at].word in _GOES and any(then.content.get(key, at) > at for key in before):
        return False  # somebody went there, not the thing that it is about
    placed = root_of(was.tokens[main_verb(was)].word) in _PLACED
    return placed and bool(before) and _names(then, before) and not any(key in then.content for key in after)


def _is_given_up(change: _Change) -> bool:
    """Whether somebody no longer has or does something: gave up the lease, switched from the recorder."""
    was, then, at, before, after = change
    left = then.tokens[at].word == "left" and root_of(was.tokens[was.verb or 0].word) not in _BELONGS
    of_one = _names(then, before) if before else _both_speak(was, then)
    return (
        of_one
        and not left
        and not _is_passive(then, at)
        and bool(after)
        and all(_is_object(then, at, key) for key in after)
    )


def _names(then: Frame, keys: Sequence[str]) -> bool:
    return all(key in then.content for key in keys)


def _both_speak(was: Frame, then: Frame) -> bool:
    return was.tokens[0].word in FIRST_PERSON and then.tokens[0].word in FIRST_PERSON


def _is_object(then: Frame, at: int, key: str) -> bool:
    """Whether a word is the object of the verb of change, or follows its `from`."""
    place = then.content.get(key, at)
    between = [token.word for token in then.tokens[at + 1 : place]]
    if not 0 < place - at <= _FARTHEST_OBJECT or then.tokens[at].word in _HANDS_OVER:
        return False
    if then.tokens[at].word in _MOVES:
        return "from" in between and "to" not in between
    return PREPOSITIONS.isdisjoint(between)
