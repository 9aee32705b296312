"""Changes: decide whether one frame says that what the other says has come to an end: given up, replaced, moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts import lexicon
from memstore.conflicts.frames import PREPOSITIONS, root_of, states
from memstore.conflicts.guards import same_numbers, weekdays
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
_PLACED = listed("be is are live work run host keep store base stand hang moor park locat situat studi us deploi")
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
    return any(
        _ends(was, then) or _turns(was, then) or _is_done_by_now(was, then)
        for was, then in ((one, other), (other, one))
    )


def _is_done_by_now(was: Frame, then: Frame) -> bool:
    """Whether one says that something has not happened yet, and the other that it did: not sent yet, sent."""
    waits = len(was.denials) == 1 and was.is_perfect and not was.words.isdisjoint(("yet", "still"))
    if not waits or then.denied or not (then.is_past or then.is_perfect) or not (states(was) and states(then)):
        return False
    subject = [key for key, at in then.content.items() if at < (then.verb or 0)]
    return (
        len(was.content) > 1
        and _names(then, list(was.content))
        and all(key in was.content for key in subject)
        and same_numbers(was, then)
    )


def _turns(was: Frame, then: Frame) -> bool:
    """Whether one is about a state, and the other about what ends it: is for sale, has been sold."""
    happened = then.is_past or then.is_perfect or not then.words.isdisjoint(("now", "again"))
    if not happened or not _may_end(was, then) or not then.words.isdisjoint(_UNTIL_THEN):
        return False
    if weekdays(was):
        return False  # what is closed on Mondays has not been so since the last one
    return any(
        was.terms[at : at + len(state.said)] == state.said
        and _has(then, state.ends)
        and _is_of_that(was, then, range(at, at + len(state.said)))
        for at, term in enumerate(was.terms[was.verb or 0 :], was.verb or 0)
        for state in lexicon.ended_states(term)
    )


_UNTIL_THEN = listed("before until till formerly")


def _has(then: Frame, phrases: Sequence[tuple[str, ...]]) -> bool:
    return any(then.terms[at : at + len(each)] == each for each in phrases for at in range(len(then.terms)))


def _is_of_that(was: Frame, then: Frame, state: range) -> bool:
    """Whether both are about one subject: all that is said of it but the state, and nobody else's."""
    told = [key for key, at in was.content.items() if at not in state]
    subject = [key for key, at in then.content.items() if at < (then.verb or 0)]
    spoken = bool(told) or _both_speak(was, then)
    return spoken and _names(then, told) and all(key in was.content for key in subject)


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
    return any(
        rule(change)
        for rule in (
            _is_no_longer_done,
            _is_handed_over,
            _is_moved_away,
            _is_changed_for_another,
            _is_let_go,
            _is_given_up,
        )
    )


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
    if [token.word for token in then.tokens[at : at + 2]] == ["moved", "out"]:
        lives = root_of(was.tokens[main_verb(was)].word) == "live"
        named = [key for key, place in then.content.items() if place > at]
        return lives and _names(then, before) and (not named or not set(after).isdisjoint(named))
    to = [token.word for token in then.tokens[at + 1 : at + 2]] in (["to"], ["into"])
    if not to or then.tokens[at].word not in _MOVES or was.numbers or then.numbers:
        return False
    if then.tokens[at].word in _GOES and any(then.content.get(key, at) > at for key in before):
        return False  # somebody went there, not the thing that it is about
    placed = root_of(was.tokens[main_verb(was)].word) in _PLACED
    return placed and bool(before) and _names(then, before) and _is_elsewhere(change)


def _is_elsewhere(change: _Change) -> bool:
    """Whether the place is another: the legal department, not the accounts department; not a room of the same house."""
    was, then, at, _, after = change
    there = [key for key in after if key not in then.content]
    new = [key for key, place in then.content.items() if place > at and key not in was.content]
    if then.tokens[at + 1].word == "into":
        return "with" in was.words
    return len(there) == len(after) or (bool(there) and bool(new) and then.content[new[0]] == at + _AFTER_TO_THE)


# In `moved to the legal department`, `legal` is so many words after `moved`.
_AFTER_TO_THE = 3


def _is_changed_for_another(change: _Change) -> bool:
    """Whether one names who holds an office for somebody, and the other says that this was changed: changed doctors."""
    was, then, at, *_ = change
    if then.tokens[at].word not in ("changed", "switched"):
        return False
    offices = [key for key in was.content if lexicon.has_role(was.word(key), lexicon.Role.HOLDER)]
    owners = [key for key in was.content if was.word(key) in was.possessors]
    of_one = _names(then, owners) if owners else _both_speak(was, then)
    return of_one and any(then.content.get(key) == at + 1 for key in offices)


def _is_no_longer_done(change: _Change) -> bool:
    """Whether one gave up doing what the other says that they do, all of it: `gave up smoking`."""
    was, then, at, before, _ = change
    doing = [token.word for token in then.tokens[at + 1 : at + 3] if token.word.endswith("ing")]
    does = root_of(was.tokens[main_verb(was)].word)
    of_one = _names(then, before) if before else _both_speak(was, then)
    return of_one and any(root_of(word) == does for word in doing)


def _is_let_go(change: _Change) -> bool:
    """Whether who had something sold it: `the bakery is run by the Hoffmanns`, `the Hoffmanns sold the bakery`."""
    was, then, at, *_ = change
    if then.tokens[at].word != "sold" or _is_passive(then, at):
        return False
    holds = [key for key in was.content if key in _HOLDS]
    told = [key for key in was.content if key not in _HOLDS]
    return bool(holds) and len(told) > 1 and _names(then, told)


def _is_given_up(change: _Change) -> bool:
    """Whether somebody no longer has or does something: gave up the lease, switched from the recorder."""
    was, then, at, before, after = change
    left = then.tokens[at].word == "left" and root_of(was.tokens[was.verb or 0].word) not in _BELONGS
    of_one = _names(then, before) if before else _both_speak(was, then)
    return (
        of_one
        and not left
        and not _is_passive(then, at)
        and any(_is_object(then, at, key) for key in after)
        and all(_is_object(then, at, key) or (_is_from(then, at) and key in then.content) for key in after)
    )


def _is_from(then: Frame, at: int) -> bool:
    """Whether something is moved from one thing to another: `moved the tests from Jenkins to Buildkite`."""
    return then.tokens[at].word in _MOVES and any(token.word == "from" for token in then.tokens[at:])


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
