"""Updates: decide whether one statement says that something has changed, and the other what was so until then.

The new value may be put in quite other words: `Mei and Duncan split up, her boyfriend is Anselm now` ends `Mei is going
out with Duncan`. So the words need not match one by one. It is enough that one of two statements tells of a change, and
that it names the subject and half of the content of the other, which describes the present.
"""

from __future__ import annotations

import re
from itertools import pairwise, product
from typing import TYPE_CHECKING

from memstore.conflicts.frames import DETERMINERS, HEDGES, states
from memstore.conflicts.guards import (
    are_numbered_apart,
    are_two,
    first_of,
    goes_up,
    is_of_its_own,
    named_by,
    points,
    same_dates,
    tells_change,
)
from memstore.conflicts.quantities import Quantity, Scale, comparable, equal
from memstore.conflicts.statements import FIRST_PERSON, TITLES, Token
from memstore.conflicts.values import main_verb
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.conflicts.frames import Frame

# The part of what was so that the other must name, and the fewest content words.
_NAMED, _FEWEST = 0.5, 2
# A longer statement says more than one thing.
_MOST_WORDS = 40
# In words as `tokens` spells them out: `no longer` is `now not`.
_ADVERBS = re.compile(
    r"\b(?:now(?! not)|nowadays|these days|as (?:of|from)|until (?:recently|then|last)|rose to|fell to|went to"
    r"|split_up|split up|broke_up|broke up|(?:has|have|got) a new)\b"
)
# Their object, or else their subject, is what has changed: `changed teachers`, `the stop was moved`.
_VERBS = listed("""
    lifted bumped updated moved moves switched switches changed changes swapped replaced replaces dropped stopped quit
    gave_up given_up upgraded promoted demoted raised cut reduced grown sold retired elected appointed becomes became
    succeeds succeeded shifted merged renamed migrated extended shortened lowered increased doubled halved outgrew
    resigned took taken hands handed passed put went gone gave come came turned closed reset repainted relocated
    converted rescheduled rotated revised adjusted amended repriced rolled tagged traded pushed
    brought broke broken
    """)
_NOUNS = listed("moves switches changes replaces hands")
# Some of them only together with another word: `took over`, `came off`.
_TOGETHER = {
    "took": listed("over"),
    "taken": listed("over to"),
    "handed": listed("over"),
    "hands": listed("over"),
    "passed": listed("to from on"),
    "put": listed("up down on off back forward"),
    "went": listed("up down over"),
    "gone": listed("over"),
    "gave": listed("up away"),
    "come": listed("off"),
    "came": listed("off"),
    "turned": listed("on off"),
    "closed": listed("down"),
    "rolled": listed("out"),
    "traded": listed("in"),
    "pushed": listed("back"),
    "brought": listed("forward back"),
    "broke": listed("off up"),
    "broken": listed("off up"),
}
_ASIDE = listed("to into from over up down out off on by away since")
_FARTHEST, _WITH_OF = 4, 7
_THE = listed("the our my his her their its")
# Whoever or whatever takes over need not be named before: `Colin took over from Gwen`.
_TAKES_OVER = re.compile(
    r"\b(?:over|from|succe\w+|elected|replace[sd]|instead|place|sold|retired|promoted|put|new|changed|switched|swapped"
    r"|stopped|dropped|moved|rolled|released|installed|upgraded|since|now|nowadays|formerly)\b"
)
# Possibilities, instructions and what is so at times tell of no change.
_UNSURE = (HEDGES - listed("instead next another other others how apart try tries tried trying")) | listed(
    "you your can could will would shall should may must when whenever"
)


def updated(one: Frame, other: Frame) -> bool:
    """Whether one statement says what is so, and the other that this has changed."""
    return any(_updates(was, then) for was, then in ((one, other), (other, one)))


def tells_update(frame: Frame) -> bool:
    """Whether a statement tells of a change of anything."""
    return (
        not frame.words.isdisjoint(("now", "formerly", "instead", "place"))
        or _says_now(frame)
        or "new" in frame.words
        or any(_TOGETHER.get(verb, frame.words) & frame.words for verb in frame.words & _VERBS)
    )


def _says_now(frame: Frame) -> bool:
    return _ADVERBS.search(frame.spoken) is not None or goes_up(frame) or _since(frame) or _starts(frame)


def _starts(frame: Frame) -> bool:
    """Whether it begins by saying from when on something is so: from Monday."""
    lead = frame.tokens[: 1 + _FARTHEST]
    return [token.word for token in lead[:1]] == ["from"] and any(token in frame.when for token in lead[1:])


def _since(frame: Frame) -> bool:
    """Whether it says since when something is so, or has been; not `since it rains`."""
    has_been = "since" in frame.words and not frame.words.isdisjoint(("has", "have"))
    begins = DETERMINERS | (frozenset() if frame.is_past else TITLES | frame.names)
    return has_been or any(
        this.word == "since" and (after in frame.when or after.word in begins or after.value is not None)
        for this, after in pairwise(frame.tokens)
    )


def _says_no_more(frame: Frame, places: Sequence[int]) -> bool:
    """Whether it says that something named is no longer so, or that another takes its place."""
    ends = [
        at + 2
        for at, (this, after) in enumerate(pairwise(frame.tokens))
        if (this.word, after.word) in (("now", "not"), ("instead", "of"), ("place", "of"))
    ]
    return any(end <= place < end + _FARTHEST for end in ends for place in (*places, *frame.numbers))


def _tells_of(then: Frame, named: frozenset[str]) -> bool:
    """Whether a statement says that something that it has in common with another has changed."""
    places = [then.content[key] for key in named if key in then.content]
    return (
        _says_now(then)
        or "formerly" in then.words
        or _says_no_more(then, places)
        or any(
            _has_changed(then, at, places) if token.word in _VERBS else _is_new(then, at, places)
            for at, token in enumerate(then.tokens)
        )
    )


def _is_new(then: Frame, at: int, places: Sequence[int]) -> bool:
    """Whether one of these words is called new: the new engine; not `she bought new strings`."""
    return then.tokens[at].word == "new" and at + 1 in places and at > 0 and then.tokens[at - 1].word in _THE


def _has_changed(then: Frame, at: int, places: Sequence[int]) -> bool:
    """Whether a verb of change has one of these words as its object, or else as its subject."""
    verb, before = then.tokens[at].word, then.tokens[at - 1] if at else Token("", "")
    after = [token.word for token in then.tokens[at + 1 : at + 1 + _FARTHEST]]
    together = _TOGETHER.get(verb, frozenset())
    if not after or after[0] in {"in", "into"} - together or (together and together.isdisjoint(after)):
        return False  # the rain has stopped; who moved into a house may have lived in the town before
    if (verb in _NOUNS and at != main_verb(then)) or before.word in ("is", "are", "be"):
        return False  # the history of all changes; deleted files are moved to the bin
    end = at + (_WITH_OF if "of" in after else _FARTHEST)
    is_passive = before.key in ("be", "get")
    if not (is_passive or after[0] in _ASIDE) and any(at < place <= end for place in then.content.values()):
        return any(at < place <= end for place in places)
    rest = (token.word for token in then.tokens[at:])
    is_for_it = after[0] == "to" and "for" in rest  # changed to oil for the heating
    return any(place < at or bool(together) or is_for_it or verb in _TO_AN_OFFICE for place in places)


_TO_AN_OFFICE = listed("elected appointed promoted")


def _updates(was: Frame, then: Frame) -> bool:
    """Whether one statement says what is so, and the other that this is no more so."""
    if not _holds(was) or not _tells_news(then) or not _are_comparable(was, then):
        return False
    content = [key for key in was.content if len(key) > 1 and was.word(key) not in TITLES]
    named = named_by(was, _before(then, _REASONS)).intersection(content)
    if not named or not _speaks_of_it(was, named) or not _tells_of(then, named) or _keeps_its_number(was, then):
        return False
    count = len(named) + _has_same_number(was, then) + _has_other_number(was, then)
    # What used to be so ends all of it: who used to live in Turin may live in Padua.
    least = 1.0 if "formerly" in then.words and not _says_now(then) else _NAMED
    return count >= max(_FEWEST, least * len(content)) and _is_of_one(was, then, named) and not _agrees(was, then)


def _holds(was: Frame) -> bool:
    """Whether a statement says what is so: it has a subject and a verb, or gives a number: `speed limit: 30`."""
    if was.is_past or was.denied or tells_change(was) or tells_update(was) or not states(was) or points(was):
        return False
    return was.words.isdisjoint(_YOU) if was.verb else was.verb is None and bool(was.numbers)


def _tells_news(then: Frame) -> bool:
    """Whether a statement tells of a change, and not of a possible one; after `when`, of the past, it tells of none."""
    end = _end_of(then, _WHEN) if then.is_past or then.is_perfect else len(then.tokens)
    is_sure = _UNSURE.isdisjoint(token.word for token in then.tokens[:end])
    is_of_something = not points(then) or then.tokens[0].word == "they"  # whoever moved it
    return is_sure and tells_update(then) and is_of_something


def _are_comparable(was: Frame, then: Frame) -> bool:
    if max(len(was.tokens), len(then.tokens)) > _MOST_WORDS or not same_dates(was, then):
        return False
    if are_two(was.words, then.words) or are_two(then.words, was.words):
        return False
    if was.verb is None and not _differ_in_a_number(was, then):
        return False
    # Who did it before may be named after `since`, as in `Ida cooks since Tom left`, but what is done is named before.
    if "since" not in then.words:
        return True
    before = named_by(was, _before(then, _SINCE))
    return len(before) >= _FEWEST or any(was.word(key) in then.names for key in named_by(was, then) - before)


def _before(then: Frame, words: frozenset[str]) -> Frame:
    """Return a frame without the content after one of these words, unless it begins with it."""
    end = _end_of(then, words)
    return then._replace(content={key: at for key, at in then.content.items() if at < end})


def _end_of(frame: Frame, words: frozenset[str]) -> int:
    """Return where the clause before one of these words ends, unless the frame begins with it."""
    return next((at for at, token in enumerate(frame.tokens) if at > 1 and token.word in words), len(frame.tokens))


_REASONS = listed("because although though while whereas so")
_WHEN, _SINCE, _YOU = listed("when"), listed("since"), listed("you your")


def _agrees(was: Frame, then: Frame) -> bool:
    """Whether a move went to where the other says that it is now: moved from Rome to Bari, lives in Bari."""
    to = next((at for at, token in enumerate(then.tokens) if token.word in ("to", "into")), None)
    is_numbered = to is not None and any(token.value for token in then.tokens[to + 2 : to + 3])
    after = [key for key, at in then.content.items() if to is not None and at == to + 1 and not is_numbered]
    return bool(after) and after[0] in was.content and was.content[after[0]] > (was.verb or 0)


def _speaks_of_it(was: Frame, named: frozenset[str]) -> bool:
    """Whether these words name the subject: the first of its words, or one of them and more."""
    subject = _subject(was)
    return min(subject, key=was.content.__getitem__) in named or (bool(subject & named) and len(named) >= _FEWEST)


def _keeps_its_number(was: Frame, then: Frame) -> bool:
    """Whether the only numbers of both are the same, so that it stays at it."""
    numbers = [{value.parts for value in _values(frame)} for frame in (was, then)]
    return bool(numbers[0]) and numbers[0] == numbers[1] and not then.denied


def _subject(was: Frame) -> frozenset[str]:
    """Return the content before the verb; all of it if there is no verb, or nothing before it."""
    return frozenset(key for key, at in was.content.items() if at < (was.verb or 0)) or frozenset(was.content)


def _values(frame: Frame) -> list[Quantity]:
    return [value for at in frame.numbers if (value := frame.tokens[at].value)]


def _has_same_number(was: Frame, then: Frame) -> bool:
    return any(comparable(this, that) and equal(this, that) for this, that in product(_values(was), _values(then)))


def _differ_in_a_number(was: Frame, then: Frame) -> bool:
    pairs = product(_values(was), _values(then))
    return any(comparable(this, that) for this, that in pairs) and not _has_same_number(was, then)


def _has_other_number(was: Frame, then: Frame) -> bool:
    """Whether each gives a measure in the same unit, and not the same one."""
    measures = ([value for value in _values(frame) if value.scale in _MEASURED] for frame in (was, then))
    return not _has_same_number(was, then) and any(comparable(this, that) for this, that in product(*measures))


_MEASURED = (Scale.MEASURE, Scale.CLOCK)


def _is_of_one(was: Frame, then: Frame, named: frozenset[str]) -> bool:
    """Whether both are about one subject."""
    own = any(is_of_its_own(was, then, key) for key in named & _subject(was)) and not _has_other_number(was, then)
    if own or (are_numbered_apart(was, then, named) and not _gives_another_version(was, then)):
        return False
    lead, begins = first_of(was), first_of(then)
    is_another = begins not in was.content and then.word(begins) in _names(then)
    return not (is_another and was.word(lead) in _names(was)) or _TAKES_OVER.search(then.spoken) is not None


def _gives_another_version(was: Frame, then: Frame) -> bool:
    """Whether one tells that another version is out or in use: 2.1 and 2.4 of one program, not servers 3 and 4."""
    numbers = [value.parts[0] or 0.0 for frame in (was, then) for value in _values(frame)]
    is_version = any(number % 1 for number in numbers) or "version" in was.words & then.words
    return is_version and not then.words.isdisjoint(_RELEASES)


_RELEASES = listed("rolled tagged released installed upgraded updated bumped migrated moved switched put")


def _names(frame: Frame) -> frozenset[str]:
    first = frame.tokens[0].word
    return frame.names | frame.possessors | ({first} if first in frame.words - DETERMINERS - FIRST_PERSON else set())
