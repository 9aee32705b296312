"""Denials: decide whether one frame denies what the other says."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from memstore.conflicts import lexicon
from memstore.conflicts.frames import (
    ALL,
    DENY_ALL,
    IN_PART,
    root_of,
    shared_of,
    speaks_of,
    unmatched,
)
from memstore.conflicts.guards import (
    FEWEST_SHARED,
    adds,
    comparable,
    is_permission,
    same_numbers,
    same_tense,
    same_times,
    tells_change,
)
from memstore.conflicts.statements import FIRST_PERSON
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Collection

    from memstore.conflicts.frames import Frame

# `not` before one of these denies only a part, a cause or a limit, or nothing at all.
_NOT_SO = listed("""
    because until only more less fewer later longer yet half little so sooner bad just before after as too enough
    quite time way entirely completely fully necessarily alone merely simply exactly far very
    """)
# Words that deny by their meaning: something missing from the box is not in it.
NEGATIVE = listed("""
    missing absent gone lost away elsewhere empty vanished disappeared failed fails missed skipped forgot forgotten
    declined refused rejected wrong false impossible forbidden banned prohibited unable off closed dead stolen
    broken stopped abandoned cancelled dropped removed deleted otherwise different other forget forgets miss misses
    fail neglect neglects omit omits skip skips avoid avoids lose loses stop stops refuse refuses late doubt doubts
    deny denies against lack lacks hesitate hesitates object objects mind exception else instead gave give given former
    formerly ex retired resigned ended expired died sold left quit cancels rid
    """)
# Words that limit a denial to a time or a cause, or make exceptions.
_NARROWS = listed("until till because only yet before after than")
# Words that may mean that somebody has something, as `there is` does.
_HAVING = listed("""
    own owns owned possess possesses hold holds held keep keeps kept contain contains include includes exist exists take
    takes taken carry carries carried accept accepts accepted offer offers offered provide provides provided serve
    serves served sell sells sold stock stocks stocked charge charges charged
    """)
_WHOM = listed("me him her us them you")
_WHOSE = listed("mine ours yours hers theirs myself")
_ANY = listed("any anyone anybody anything")
_HARDLY = listed("few fewer almost nearly hardly barely scarcely rarely seldom")


def says_all(frame: Frame) -> bool:
    """Whether a frame says something of all, and not of nearly all."""
    return not frame.words.isdisjoint(_ALL) and frame.words.isdisjoint(IN_PART)


_ALL = listed("all every each everyone everybody everything both whole entire")


def denied(one: Frame, other: Frame, *, days_apart: bool) -> bool:
    """Whether one of two frames denies what the other says; the other must state all of what is denied."""
    one, other = _but_without(one, other), _but_without(other, one)
    if one.denied == other.denied:
        return False
    no, yes = (one, other) if one.denied else (other, one)
    if len(no.denials) != 1 or no.verb is None or yes.verb is None or not comparable(no, yes):
        return False
    if _is_too(yes) or ("formerly" in yes.words and "now" in no.words):
        return False  # too steep for prams; used to smoke, does not smoke any more
    if _is_presupposed(no, yes) and not (days_apart and yes.is_past):
        return True
    return (
        _is_whole(no, yes)
        and _covers(no, yes)
        and _of_one_time(no, yes, days_apart=days_apart)
        and (_says_all(yes) or same_numbers(no, yes))
        and _of_the_same(no, yes)
    )


def _but_without(one: Frame, other: Frame) -> Frame:
    """Return a frame without the denials of what both are without: valid without a stamp, or not valid without one."""
    kept = [at for at in one.denials if one.tokens[at].word != "without" or "without" not in other.words]
    return one if len(kept) == len(one.denials) else one._replace(denials=tuple(kept))


def _is_too(frame: Frame) -> bool:
    """Whether something is too much of something, which denies by its meaning: too steep; not `I swim, too`."""
    return "too" in (token.word for token in frame.tokens[:-1])


def denied_in(frame: Frame) -> set[str]:
    """Return the roots of the words that denials, but for `without`, come directly before."""
    denials = (at for at in frame.denials if frame.tokens[at].word != "without")
    return {root_of(frame.tokens[at + 1].word) for at in denials if at + 1 < len(frame.tokens)}


def _is_presupposed(no: Frame, yes: Frame) -> bool:
    """Whether one says that somebody does not have something that the other presupposes: no balcony, our balcony."""
    at = no.denials[0] + 1
    if _denial(no) != "no" or no.verb is None or no.tokens[no.verb].key != "have" or at >= len(no.tokens):
        return False
    key = root_of(no.tokens[at].word)
    if at not in no.content.values() or key not in yes.content or at + 1 < len(no.tokens) or no.is_past:
        return False
    owner = yes.tokens[yes.content[key] - 1].word if yes.content[key] else ""
    if owner in ("our", "my"):
        return not no.words.isdisjoint(("we", "i", "our", "my"))
    return owner in yes.possessors and root_of(owner) in no.content


def _denial(no: Frame) -> str:
    return no.tokens[no.denials[0]].word


def _after(no: Frame) -> str:
    """Return the word that follows the denial."""
    at = no.denials[0] + 1
    return no.tokens[at].word if at < len(no.tokens) else ""


def _denies_all(no: Frame) -> bool:
    """Whether a denial leaves no room for an exception: `nobody`, `not one`, `not by anyone`."""
    return _denial(no) in DENY_ALL or _after(no) == "one" or not no.words.isdisjoint(_ANY)


def _says_all(yes: Frame) -> bool:
    return not yes.words.isdisjoint(ALL)


def _is_whole(no: Frame, yes: Frame) -> bool:
    """Whether the whole statement is denied, not just a part, a cause, or that it holds for all."""
    if any(this.word == "for" and that.word in _WHOM for this, that in pairwise(no.tokens)):
        return False
    whose = {that.word for this, that in pairwise(no.tokens[no.denials[0] :]) if this.word != "of"}
    if not whose & (_WHOM | _WHOSE) <= yes.words:
        return False  # what is not mine may be yours
    if _after(no) in _NOT_SO or (not no.words.isdisjoint(IN_PART) and not (says_all(yes) and _is_of_some(no))):
        return False
    if not no.words.isdisjoint(_NARROWS) and not (_says_all(yes) and _denies_all(no)):
        return False
    partly = not yes.words.isdisjoint(_HARDLY if _denies_all(no) else IN_PART)
    habit = not (no.is_past or yes.is_past or no.numbers)
    if partly and not (_denies_all(no) or habit):
        return False
    return _after(no) not in ALL or _denies_all(no) or _says_all(yes)


def _is_of_some(no: Frame) -> bool:
    """Whether something is denied of some: `some windows have no bars`."""
    is_counted = no.tokens[0].value is not None and no.tokens[1:2] and no.tokens[1].word == "of"
    return no.tokens[0].word in _SOME or bool(is_counted)


_SOME = listed("some several few many most half")


def _covers(no: Frame, yes: Frame) -> bool:
    """Whether one says everything that the other denies, or the other denies a part of what is said of all."""
    told = [frame.word(key) for frame, that in ((yes, no), (no, yes)) for key in unmatched(frame, that)]
    if not NEGATIVE.isdisjoint(told):
        return False
    if any(
        lexicon.opposite(no.word(key), yes.word(other)) for key in unmatched(no, yes) for other in unmatched(yes, no)
    ):
        return False  # no window is unlocked: all are locked
    having = _HAVING | (_PERMITTED if is_permission(no) and is_permission(yes) else frozenset())
    missing = [key for key in unmatched(no, yes) if no.word(key) not in having and not _is_had(no, yes, key)]
    added = [key for key in unmatched(yes, no) if yes.word(key) not in having]
    of_kind = sum(_is_had(no, yes, key) for key in no.content)
    alike = sum(key not in yes.content for key in no.content) - len(unmatched(no, yes))
    at_one_time = bool(no.when and yes.when)
    if _things(no, shared_of(no, yes)) + of_kind + alike + _of_speaker(no, yes) + at_one_time < FEWEST_SHARED:
        return False
    if not missing:
        return True
    most = int(_denial(no) == "no" and no.denials[0] > 0 and not any(yes.word(key) in yes.names for key in added))
    return _says_all(yes) and len(added) <= most


def _things(no: Frame, shared: Collection[str]) -> int:
    """Return how many words two frames share; a name of several words counts once."""
    ends = {no.content[key] + 1 for key in shared if no.word(key) in no.names}
    return sum(no.word(key) not in no.names or no.content[key] not in ends for key in shared)


# Words that may be missing in statements about what is allowed.
_PERMITTED = listed("""
    allow allows permit permits allowed permitted welcome bring brings bringing admit admits admitted accept accepts
    enter enters stay let lets tolerate tolerates tolerated use uses used using people person persons anyone anybody
    everyone everybody members member visitors visitor guests guest customers customer patients patient staff pupils
    students children tenants
    """)


def _is_had(no: Frame, yes: Frame, key: str) -> bool:
    """Whether a kind is denied, and one of its members affirmed: no instrument, the violin."""
    return any(lexicon.is_member(yes.word(other), no.word(key)) for other in yes.content)


def _of_speaker(no: Frame, yes: Frame) -> bool:
    """Whether both are about something of the speaker's: `I have no`, `of mine`."""
    return _denial(no) == "no" and all(not frame.words.isdisjoint(FIRST_PERSON) for frame in (no, yes))


def _of_the_same(no: Frame, yes: Frame) -> bool:
    """Whether both are still about the same thing, despite additional words; a denial of all covers anything."""
    shared = shared_of(no, yes)
    places = {yes.content[key] for key in shared}
    if not _denies_all(no) and any(speaks_of(yes, at, shared) and at - 1 in places for at in yes.numbers):
        return False  # Lift 2 is not the lift.
    if _is_of_any(no) and _is_of_any(yes):
        return False
    of_us = no.tokens[0].word in ("i", "we") and yes.words.isdisjoint(FIRST_PERSON - {"my", "your"})
    if of_us and unmatched(yes, no):
        return False  # What I don't own my brother may own.
    first = min(no.content.values(), default=0)
    of_nobody = _denies_all(no) and (no.denials[0] < first or "by" in no.words or _denial(no) in _NOTHING)
    added = unmatched(yes, no)
    if is_permission(no) and is_permission(yes):
        added = [key for key in added if yes.word(key) not in _PERMITTED]
    return of_nobody or _of_speaker(no, yes) or adds(yes, added, shared)


_NOTHING = listed("nobody nothing no_one none")


def _is_of_any(frame: Frame) -> bool:
    """Whether the subject is anything of its kind: `a window`."""
    return frame.tokens[0].word in ("a", "an", "one", "another")


def _of_one_time(no: Frame, yes: Frame, *, days_apart: bool) -> bool:
    if "now" in no.words and (yes.is_past or yes.is_perfect):
        return False
    if "formerly" in yes.words and not (no.is_past or _denial(no) == "never"):
        return False
    named = [token for token in no.when if token.word != "now"]  # `no longer` is as much as `now not`
    if not same_times(no, yes) or (named and not yes.when and not _says_all(yes)):
        return False
    if _denial(no) == "never" or "always" in yes.words:
        return True
    if (
        not {token.word for token in yes.when} <= _PARTS_OF_A_DAY
        and not no.when
        and _denial(no) not in DENY_ALL
        and not (no.is_past or no.is_perfect or _is_habit(yes) or tells_change(yes))
    ):
        return False
    return same_tense(no, yes, days_apart=days_apart)


# What is never done is done neither in the morning nor at night.
_PARTS_OF_A_DAY = listed("morning mornings noon afternoon afternoons evening evenings night nights midnight")


def _is_habit(yes: Frame) -> bool:
    """Whether a frame says what is so all night or every Monday."""
    return not yes.is_past and not yes.words.isdisjoint(("all", "every", "each"))
