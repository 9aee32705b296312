"""Wholes: what is said of all is said of each, and what is only so excludes what is otherwise.

All our vans are diesel, and the newest van is electric; only Petra signs cheques, and Mark signed one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.conflicts import lexicon
from memstore.conflicts.frames import ALWAYS, DETERMINERS, IN_PART, ONLY, PREPOSITIONS
from memstore.conflicts.statements import is_past
from memstore.core.terms import term_of
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.conflicts.frames import Frame

_NOW_OF = {"was": "is", "were": "are", "had": "has"}


def is_only(frame: Frame) -> bool:
    """Whether a frame says what is only done by some, or only in one way."""
    does = frame.verb is not None and frame.tokens[frame.verb].key not in ("be", "have")
    return does and not (frame.is_past or frame.denied or frame.words.isdisjoint(ONLY))


def is_occasion(frame: Frame, rule: Frame) -> bool:
    """Whether a frame says what was so on one occasion, without a doubt; who always gives may have taken something."""
    if not frame.is_past or not frame.words.isdisjoint(IN_PART | ALWAYS | _BEFORE):
        return False
    did, does = (each.tokens[each.verb or 0].word for each in (frame, rule))
    return not lexicon.opposite(lexicon.plain_form(did), lexicon.plain_form(does))


_BEFORE = listed("formerly once until till")


def as_rule(occasion: Frame, rule: Frame) -> Frame:
    """Return the frame of an occasion as if it were so as a rule, without the time, unless the rule names one, too."""
    at = occasion.verb
    if at is None:
        return occasion
    verb = occasion.tokens[at]
    tokens = [*occasion.tokens]
    tokens[at] = verb._replace(word=_present(verb.word))
    when = occasion.when if rule.when else ()
    gone = {token.word for token in occasion.when if token not in when} | {verb.word}
    return occasion._replace(tokens=tuple(tokens), when=when, words=(occasion.words - gone) | {tokens[at].word})


def _present(word: str) -> str:
    """Return a verb in the present, as a word or a stem."""
    plain = _NOW_OF.get(word) or lexicon.plain_form(word)
    return term_of(word) if plain == word and is_past(word) else plain


# -- wholes ----------------------------------------------------------------------------------------


_WHOLE = listed("all every each whole entire everyone everybody everything")
_ANYBODY = listed("everyone everybody everything")
_GROUPS = frozenset(
    map(term_of, listed("team family staff class choir crew committee board group club household band office"))
)
_IN = listed("of from in on at")


def is_of_all(frame: Frame) -> bool:
    """Whether a frame says something of all things of a kind, or of a whole."""
    if frame.verb is None:
        return False
    subject = [token.word for token in frame.tokens[: frame.verb]]
    return not _WHOLE.isdisjoint(subject[:2]) and IN_PART.isdisjoint(subject)


def as_whole(part: Frame, whole: Frame) -> Frame | None:
    """Return the frame of something as if it were said of the whole that it belongs to; None if it doesn't."""
    if part.verb is None or whole.verb is None or not part.words.isdisjoint(IN_PART | _OTHER):
        return None
    named = {key for key, at in whole.content.items() if at < whole.verb}
    subject = {key: at for key, at in part.content.items() if at < part.verb}
    if not named or not named <= subject.keys():
        return None
    head = min(named, key=whole.content.__getitem__)
    before = {at + 1 for key, at in subject.items() if key not in named}
    if any(subject[key] in before for key in named - {head}) or not _belongs(part, subject, whole, head):
        return None  # The coast line is not this line.
    return part._replace(
        content={key: at for key, at in part.content.items() if key in named or key not in subject},
        numbers=tuple(at for at in part.numbers if at > part.verb),
    )


_OTHER = listed("other another own")


def _belongs(part: Frame, subject: Mapping[str, int], whole: Frame, head: str) -> bool:
    """Whether the subject of a part is one of the whole: the newest van, somebody from the team."""
    starts = (at for at, token in enumerate(part.tokens[: part.verb]) if at and token.word in PREPOSITIONS)
    end = next(starts, part.verb or 0)
    things = [key for key, at in subject.items() if at < end]
    if things and things[-1] == head:
        return True
    of_people = whole.tokens[0].word in _ANYBODY or head in _GROUPS
    return of_people and part.tokens[subject[head] - 1].word in _IN | DETERMINERS
