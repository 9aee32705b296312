"""Contradiction: decide whether one text contradicts another, agrees with it, or says nothing about it.

Two sentences are aligned, and every difference must be explained. With one negation more on one side, or one pair of
opposites, they contradict each other. With one value replaced by another of its kind (`blue`, `green`; 3, 4), they
conflict. Without differences, they agree. Otherwise, they say nothing about each other, however similar they look.

Source: docs/conflicts.md, "How two sentences are compared".
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from enum import Enum
from functools import lru_cache
from itertools import product, takewhile
from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts import lexicon, quantities
from memstore.conflicts.denials import denied, denied_in
from memstore.conflicts.frames import PREPOSITIONS, frame, frames, named, shared_of, told_by
from memstore.conflicts.guards import (
    are_numbered_apart,
    are_of_two_times,
    same_dates,
    same_numbers,
    same_times,
    same_years,
    tells_change,
    weekdays,
)
from memstore.conflicts.habits import is_one_case
from memstore.conflicts.moves import change_in, is_changed
from memstore.conflicts.quantities import MONTHS, Scale
from memstore.conflicts.statements import (
    ADDS,
    EMPTY,
    GRAMMAR,
    MOST_OTHER_WORDS,
    MOST_TOKENS,
    OFTEN,
    PAST_BE,
    Statement,
    is_past,
    near_in_any_order,
    statement_of,
    statements,
)
from memstore.conflicts.states import excludes
from memstore.conflicts.values import other_value, stays
from memstore.core.terms import term_of
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memstore.conflicts.frames import Frame
    from memstore.conflicts.lexicon import Opposes
    from memstore.conflicts.quantities import Quantity
    from memstore.conflicts.statements import Token


class Difference(Enum):
    """The kind of difference between two statements at one place."""

    NOTHING = "nothing"  # they say the same in other words
    OPPOSITE = "antonyms"
    VALUE = "value"
    MORE_LEFT = "more on the left"  # the left one goes on where the other ends: at what time, where, with whom
    MORE_RIGHT = "more on the right"
    UNKNOWN = "unknown"


class Slot(NamedTuple):
    """One difference: the tokens on both sides, the position of the left ones, the kind, and the rule."""

    left: tuple[Token, ...]
    right: tuple[Token, ...]
    at: int
    difference: Difference
    rule: str = ""


def slots(left: Sequence[Token], right: Sequence[Token], opposes: Opposes | None) -> list[Slot]:
    """Return the differences between two statements; one that occurs twice counts once."""
    matcher = SequenceMatcher(None, [token.key for token in left], [token.key for token in right], autojunk=False)
    found: dict[tuple[str, str], Slot] = {}
    for tag, i, j, m, n in matcher.get_opcodes():
        if tag == "equal":
            continue
        for slot in _slots_at(left, right, (i, j, m, n), opposes):
            key = " ".join(token.key for token in slot.left), " ".join(token.key for token in slot.right)
            found.setdefault(key, slot)
    return list(found.values())


def _slots_at(
    left: Sequence[Token], right: Sequence[Token], span: tuple[int, int, int, int], opposes: Opposes | None
) -> Iterator[Slot]:
    i, j, m, n = span
    if j - i == n - m:
        for at, (one, other) in enumerate(zip(left[i:j], right[m:n], strict=True), i):
            yield Slot((one,), (other,), at, *difference(one, other, opposes))
    else:
        at_end = j == len(left) and n == len(right)
        ones, others = tuple(left[i:j]), tuple(right[m:n])
        yield Slot(ones, others, i, _addition(ones, others, at_end=at_end))


def _addition(ones: tuple[Token, ...], others: tuple[Token, ...], *, at_end: bool) -> Difference:
    """Return the kind of difference if one side has additional words."""
    if ones and others:
        return Difference.UNKNOWN
    more = ones or others
    if all(token.word in OFTEN for token in more):
        return Difference.NOTHING
    if at_end and more[0].word in ADDS:
        return Difference.MORE_LEFT if ones else Difference.MORE_RIGHT
    return Difference.UNKNOWN


def difference(one: Token, other: Token, opposes: Opposes | None = None) -> tuple[Difference, str]:
    """Return the kind of difference between two words, and the rule that found it."""
    if one.value and other.value:
        return _difference_of_values(one.value, other.value, vague=one.vague or other.vague)
    if one.value or other.value:
        return Difference.UNKNOWN, ""
    if lexicon.listed_opposite(one.word, other.word) or (opposes and opposes(one.word, other.word)):
        past_acts = is_past(one.word) and is_past(other.word) and lexicon.is_act(one.word)
        return (Difference.UNKNOWN, "") if past_acts else (Difference.OPPOSITE, "antonyms")
    if lexicon.same(one.word, other.word):
        return Difference.NOTHING, ""
    kind = lexicon.other_value(one.word, other.word)
    return (Difference.VALUE, "values") if kind else (Difference.UNKNOWN, "")


def _difference_of_values(one: Quantity, other: Quantity, *, vague: bool) -> tuple[Difference, str]:
    if not quantities.comparable(one, other):
        return Difference.UNKNOWN, ""
    if quantities.equal(one, other):
        return Difference.NOTHING, ""
    return (Difference.UNKNOWN, "") if vague else (Difference.VALUE, one.scale.value)


# -- contradiction ---------------------------------------------------------------------------------


class TextVerdict(Enum):
    """How two texts relate: they contradict each other, give different values, agree, or are unrelated."""

    CONTRADICTS = "contradicts"
    OTHER_VALUE = "other value"
    AGREES = "agrees"
    SILENT = "silent"


CONFLICTS = (TextVerdict.CONTRADICTS, TextVerdict.OTHER_VALUE)


class Comparison(NamedTuple):
    """The result of comparing two texts: the verdict, the rule, and the two statements.

    `at_other_times` means that they name different times: what held then need not contradict what holds now.
    """

    verdict: TextVerdict
    rule: str = ""
    left: Statement | None = None
    right: Statement | None = None
    at_other_times: bool = False


SILENT = Comparison(TextVerdict.SILENT)
_ORDER = (TextVerdict.CONTRADICTS, TextVerdict.OTHER_VALUE, TextVerdict.AGREES, TextVerdict.SILENT)


def compare(one: str, other: str, *, opposes: Opposes | None = None, same_speaker: bool = True) -> Comparison:
    """Compare two texts; the strongest verdict on two of their sentences counts.

    Args:
        one: a text of any length.
        other: another text.
        opposes: recognizes opposites that are not in the built-in list.
        same_speaker: whether `I` and `you` mean the same people in both.
    """
    return compare_statements(statements(one), statements(other), opposes=opposes, same_speaker=same_speaker)


def compare_statements(
    ones: Sequence[Statement],
    others: Sequence[Statement],
    *,
    opposes: Opposes | None = None,
    same_speaker: bool = True,
    days_apart: bool = False,
    pairs: Iterable[tuple[int, int]] | None = None,
) -> Comparison:
    """Compare two texts, given as statements; see `compare`.

    Args:
        ones: the statements of one text.
        others: the statements of the other.
        opposes: recognizes opposites that are not in the built-in list.
        same_speaker: whether `I` and `you` mean the same people in both.
        days_apart: whether they were written on different days and may be about different events.
        pairs: which of them to compare, by their places; None for any with any.
    """
    found = (
        compare_pair(one, other, opposes=opposes, days_apart=days_apart)
        for one, other in (product(ones, others) if pairs is None else ((ones[at], others[to]) for at, to in pairs))
        if near_in_any_order(one, other) and (same_speaker or not (one.of_speaker or other.of_speaker))
    )
    return min(found, key=lambda comparison: _ORDER.index(comparison.verdict), default=SILENT)


# The part of the shorter sentence's topic that both must share.
SHARED_TOPIC = 0.5
# A sentence with more characters is probably a table or code.
MOST_CHARACTERS = 600


def near_topic(one: Statement, other: Statement) -> bool:
    """Whether two statements are similar and short enough to be aligned."""
    if one.topic.isdisjoint(other.topic) or max(len(one.tokens), len(other.tokens)) > MOST_TOKENS:
        return False
    shared = len(one.topic & other.topic)
    fewest, most = sorted((len(one.topic), len(other.topic)))
    return shared >= SHARED_TOPIC * fewest and most - shared <= MOST_OTHER_WORDS


# What a text calls by its place in it can be found there alone, so `this page` is another on each page, unless both say
# nearly the same of it. And rules for English judge no Chinese, Japanese or Korean.
_POINTS = re.compile(
    r"^\W*(?:(?:by default|on|in|for|to|with|using|note that),? )?(?:this|these|those|here)\b"
    rf"(?! (?:{'|'.join(MONTHS)}|year|quarter|month|week|weekend|time|term|season|spring|summer|autumn|winter|morning"
    r"|afternoon|evening|mon|tues|wednes|thurs|fri|satur|sun))"
    r"|\b(?:the following|the above|as follows)\b"
    r"|\b(?:above|below|following|next|previous) (?:example|section|table|code)\b"
    r"|\b(?:example|section|table|code) (?:above|below)\b"
    r"|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def _points(text: str) -> bool:
    return _POINTS.search(text) is not None


def compare_pair(
    one: Statement,
    other: Statement,
    *,
    opposes: Opposes | None = None,
    days_apart: bool = False,
) -> Comparison:
    """Compare two statements; see `compare_statements`.

    What both say of their speaker is also compared as if it were said of somebody with a name. What happened once may
    weaken a habit, and contradicts none.
    """
    found = _compare_pair(one, other, opposes=opposes, days_apart=days_apart)
    if found.verdict in CONFLICTS and _are_both_so(one, other, found):
        return SILENT
    if found.verdict is not TextVerdict.SILENT or not (one.by_name and other.by_name):
        return found
    this, that = statement_of(one.by_name, one.about), statement_of(other.by_name, other.about)
    # Two acts may be of two days, since what people tell of themselves is mostly a diary.
    apart = days_apart or all(frame(each.text).is_past for each in (this, that))
    by_name = _compare_pair(this, that, opposes=opposes, days_apart=apart)
    # That both have the speaker's name says nothing about the names of others.
    return found if by_name.rule == "names" else by_name._replace(left=one, right=other)


def _are_both_so(one: Statement, other: Statement, found: Comparison) -> bool:
    """Whether two statements may be right together: of a habit and one case of it, or each of a time of its own."""
    if found.at_other_times and found.rule not in _ABOUT_TIMES and are_of_two_times(frame(one.text), frame(other.text)):
        return True
    return is_one_case(one.text, other.text) or is_one_case(other.text, one.text)


# By these rules the times themselves may be what differs, or what was once decides what is so later.
_ABOUT_TIMES = frozenset({"weekdays", "dates", "only", "states", "change"})


def _compare_pair(one: Statement, other: Statement, *, opposes: Opposes | None, days_apart: bool) -> Comparison:
    """Compare two statements in the person in which they are told."""
    points = [_points(each.text) for each in (one, other)]
    if points[0] != points[1] or all(map(_announces, (one, other))):
        return SILENT
    found = _side_by_side(one, other, opposes) if near_topic(one, other) else SILENT
    if found.verdict in CONFLICTS:
        if not _happened(one, other, found.verdict, days_apart=days_apart):
            return found
        found = SILENT
    if found.verdict is not TextVerdict.SILENT or any(points) or max(len(one.text), len(other.text)) > MOST_CHARACTERS:
        return found
    return _by_frames(one, other, days_apart=days_apart)


def _announces(statement: Statement) -> bool:
    """Whether a statement tells a piece of news; the next one doesn't contradict it: `we are happy to announce`."""
    words = {token.word for token in statement.tokens}
    return not words.isdisjoint(_NEWS) or ("new" in words and not words.isdisjoint(_PUBLISHES))


_NEWS = listed("announce announces announced announcing")
_PUBLISHES = listed("publish published publishing release released releasing")


def _happened(one: Statement, other: Statement, verdict: TextVerdict, *, days_apart: bool) -> bool:
    """Whether both statements may be right, because they are about different days, events or past states."""
    this, that = frame(one.text), frame(other.text)
    if verdict is TextVerdict.CONTRADICTS and (_apart(this, that) or any(map(_excepts, (this, that)))):
        return True
    if this.denied != that.denied and all(each.is_past and each.tokens[0].word in ("a", "an") for each in (this, that)):
        return True  # Two windows may be meant.
    if _on_other_days(this, that) and verdict is TextVerdict.OTHER_VALUE and this.numbers:
        return True
    if verdict is TextVerdict.CONTRADICTS:
        return days_apart and any(_is_event(each) or each.verb is None for each in (this, that))
    stay = stays(this, that) and stays(that, this)
    return not stay and (days_apart or (this.verb is None and not same_times(this, that)))


def may_exclude(one: Statement, other: Statement, *, days_apart: bool) -> bool:
    """Whether two statements that no rule decides are about the same subject at the same time, told by one person."""
    this, that = frame(named(one.text, one.about)), frame(named(other.text, other.about))
    tellers = told_by(one.text), told_by(other.text)
    if (all(tellers) and tellers[0] != tellers[1]) or _apart(this, that) or any(map(_excepts, (this, that))):
        return False
    if days_apart and any(map(_is_event, (this, that))):
        return False
    return share_subject(this, that) and compare_pair(one, other).verdict is TextVerdict.SILENT


def share_subject(this: Frame, that: Frame) -> bool:
    """Whether each names something of what comes before the verb of the other, if anything does.

    What is said of everybody, or of nobody, is said of anybody.
    """
    return all(
        not subject or not subject.isdisjoint(other.content) or _is_of_all(other)
        for subject, other in ((_subject_of(this), that), (_subject_of(that), this))
    )


def _is_of_all(frame: Frame) -> bool:
    return any(token.word in _OF_ALL for token in frame.tokens[: frame.verb])


_OF_ALL = listed("nobody no_one none everyone everybody anyone anybody")


def _subject_of(frame: Frame) -> set[str]:
    """Return the roots of the words before the verb; of all words, if there is none."""
    return {root for root, at in frame.content.items() if frame.verb is None or at < frame.verb}


def are_over(found: Comparison) -> bool:
    """Whether both statements describe the past, and neither says that it holds now."""
    told = [frame(statement.text) for statement in (found.left, found.right) if statement]
    return found.at_other_times and all(each.is_past and not tells_change(each) for each in told)


def newer(found: Comparison, days: tuple[str, str]) -> Statement | None:
    """Return the statement that holds now: of the later date that both name, in the present tense, or of the later day.

    Of one day, it is the one that tells of a change; None if neither does.

    Args:
        found: the comparison.
        days: the days of the two memories, as in ISO dates.
    """
    told = [(statement, frame(statement.text)) for statement in (found.left, found.right) if statement]
    named = [max((_date(token) for token in each.when), default=()) for _, each in told]
    changes = [tells_change(each) or change_in(statement) is not None for statement, each in told]
    is_so = [change or not each.is_past for (_, each), change in zip(told, changes, strict=True)]
    by_time = [*zip(named if all(named) else ("", ""), is_so, days if all(days) else ("", ""), changes, strict=True)]
    if by_time[0] == by_time[1]:
        return None
    return found.left if by_time[0] > by_time[1] else found.right


def _date(token: Token) -> tuple[float, ...]:
    """Return a date with a year as a sortable tuple; empty if the token is not one."""
    is_whole = token.value and token.value.scale is Scale.DATE and token.value.parts[0]
    return tuple(part or 0.0 for part in token.value.parts) if token.value and is_whole else ()


def _apart(this: Frame, that: Frame) -> bool:
    """Whether two statements are about different days, or one about the past and the other about the present."""
    if not same_dates(this, that) or _on_other_days(this, that) or not same_years(this, that):
        return True
    both = ((this, that), (that, this))
    if any("now" in no.words and no.denied and (yes.is_past or "formerly" in yes.words) for no, yes in both):
        return True
    words = this.words | that.words
    return ("formerly" in this.words) != ("formerly" in that.words) and words.isdisjoint(_NOW)


def _on_other_days(this: Frame, that: Frame) -> bool:
    """Whether both name weekdays, and none of them is the same."""
    return bool(weekdays(this) and weekdays(that)) and weekdays(this).isdisjoint(weekdays(that))


_NOW = listed("now nowadays currently today")


def _excepts(frame: Frame) -> bool:
    """Whether the frame makes an exception: `every day but Monday`."""
    return any(token.word == "but" for token in frame.tokens[1:])


def _is_event(frame: Frame) -> bool:
    return frame.is_past or "today" in frame.words


def _by_frames(one: Statement, other: Statement, *, days_apart: bool) -> Comparison:
    """Compare two statements independently of word order."""
    tellers = told_by(one.text), told_by(other.text)
    if all(tellers) and tellers[0] != tellers[1]:
        return SILENT  # Two people may be of two minds.
    if is_changed(one, other):
        return Comparison(TextVerdict.OTHER_VALUE, "change", one, other, at_other_times=True)
    mine, theirs = frames(one.text, one.about), frames(other.text, other.about)
    for this, that in product(mine, theirs):
        if _stand_in(this) != _stand_in(that):
            continue  # nobody knows whom or what the one means
        verdict, rule = _of_frames(this, that, days_apart=days_apart)
        has_both = _has_both(mine[-1], that) or _has_both(theirs[-1], this)
        if verdict is TextVerdict.OTHER_VALUE and has_both:
            continue
        if rule == "negation" and denied_in(mine[-1]) & denied_in(theirs[-1]):
            continue  # what a clause of one seems to affirm, another denies
        if verdict is not TextVerdict.SILENT:
            apart = not same_times(this, that) or any(map(tells_change, (this, that)))
            return Comparison(verdict, rule, one, other, at_other_times=apart)
    return SILENT


def _stand_in(frame: Frame) -> str:
    """Return the pronoun that is the subject of a frame, if nothing says what it stands for."""
    verb = frame.verb or 0
    before = (*frame.tokens[:1], *frame.tokens[max(0, verb - 2) : verb])
    takes = {"takes", "took"}.isdisjoint(token.word for token in frame.tokens[1:2])
    return next((token.word for token in before if token.word in _PRONOUNS and (takes or token.word != "it")), "")


_PRONOUNS = listed("he she it they them")


def _has_both(whole: Frame, that: Frame) -> bool:
    """Whether a sentence gives values for several times, one of which is the other's: at six, on Sundays at noon."""
    return len(whole.numbers) > 1 and bool(whole.when and that.numbers) and same_numbers(that, whole)


# If both sides have more words that the other lacks, only the rule for states is applied.
MOST_UNMATCHED = 4


def _of_frames(this: Frame, that: Frame, *, days_apart: bool) -> tuple[TextVerdict, str]:
    shared = shared_of(this, that)
    if not shared or any(are_numbered_apart(*pair, shared) for pair in ((this, that), (that, this))):
        return TextVerdict.SILENT, ""
    many = min(len(this.content), len(that.content)) - len(shared) > MOST_UNMATCHED
    if not many and share_subject(this, that) and denied(this, that, days_apart=days_apart):
        return TextVerdict.CONTRADICTS, "negation"
    if excludes(this, that, days_apart=days_apart):
        return TextVerdict.CONTRADICTS, "states"
    rule = "" if many else other_value(this, that, days_apart=days_apart)
    return (TextVerdict.OTHER_VALUE, rule) if rule else (TextVerdict.SILENT, "")


def _side_by_side(one: Statement, other: Statement, opposes: Opposes | None) -> Comparison:
    """Compare two statements by aligning their words."""
    found = slots(one.tokens, other.tokens, opposes)
    told = [slot for slot in found if slot.difference is not Difference.NOTHING]
    if any(slot.difference is Difference.UNKNOWN for slot in told) or not _share_topic(one, other, found):
        return SILENT
    verdict, rule = _verdict(one, other, told)
    if verdict is TextVerdict.CONTRADICTS and _POSSIBLY.search(one.text):
        return SILENT  # both may be possible
    apart = _times_apart(one, other)
    if verdict is TextVerdict.OTHER_VALUE and apart and any(slot.at == 0 for slot in told):
        return SILENT  # Lunch on Monday and dinner on Tuesday: both happened.
    if verdict is TextVerdict.AGREES and apart:
        verdict, rule = _other_date(one, other)
        apart = False
    return SILENT if verdict is TextVerdict.SILENT else Comparison(verdict, rule, one, other, at_other_times=apart)


_POSSIBLY = re.compile(
    r"\b(?:(?:possible|conceivable|likely|probable) that|maybe|perhaps|possibly|might)\b", re.IGNORECASE
)


def _share_topic(one: Statement, other: Statement, found: Sequence[Slot]) -> bool:
    """Whether the two share a topic word apart from the differences."""
    differing = {token.key for slot in found for token in (*slot.left, *slot.right)}
    return not (one.topic & other.topic) <= differing


def _verdict(one: Statement, other: Statement, told: Sequence[Slot]) -> tuple[TextVerdict, str]:
    """Return the verdict and rule for the significant differences and the negations on both sides."""
    by_kind = {kind: [slot for slot in told if slot.difference is kind] for kind in Difference}
    opposites, values = by_kind[Difference.OPPOSITE], by_kind[Difference.VALUE]
    if not opposites and not values:
        return _without_exchange(one, other, by_kind)
    exchanged, *more = opposites + values
    # Something that is neither hot nor cold may be lukewarm: two denials don't exclude each other.
    if more or one.negations or other.negations or _in_subject(one, exchanged):
        return TextVerdict.SILENT, ""
    if opposites:
        narrower = by_kind[Difference.MORE_LEFT] or by_kind[Difference.MORE_RIGHT]
        # One may have a brother and a sister, and like summer and winter.
        is_kind = lexicon.other_value(exchanged.left[0].word, exchanged.right[0].word) is not None
        both_hold = is_kind and not takes_one(one, exchanged)
        return (TextVerdict.SILENT, "") if narrower or both_hold else (TextVerdict.CONTRADICTS, "antonyms")
    of_some = all(_IN_PART.issuperset([each.tokens[0].word]) and each.tokens[1].word == "of" for each in (one, other))
    if of_some or not takes_one(one, exchanged) or _is_fragment(one, other, exchanged):
        return TextVerdict.SILENT, ""
    return TextVerdict.OTHER_VALUE, exchanged.rule


def _is_fragment(one: Statement, other: Statement, slot: Slot) -> bool:
    """Whether a number only counts something, without a statement about it: eleven lines, two lines."""
    counts = slot.left[0].value is not None
    say_something = all(any(token.key in _VERBS for token in each.tokens) for each in (one, other))
    return counts and len(one.topic & other.topic) == 1 and not say_something


# Words before the date of something that happens only once.
SCHEDULED = listed("be start begin open close end finish expir happen due born built found graduat marri retir di")


def _other_date(one: Statement, other: Statement) -> tuple[TextVerdict, str]:
    """Return the verdict for equal statements with different times; about a one-time event, one is wrong."""
    last = one.tokens[-1].key
    if last not in SCHEDULED or len(one.when) != 1 or len(other.when) != 1 or one.negations:
        return TextVerdict.SILENT, ""
    found = difference(one.when[0], other.when[0])
    return (TextVerdict.OTHER_VALUE, "dates") if found[0] is Difference.VALUE else (TextVerdict.SILENT, "")


def _without_exchange(
    one: Statement, other: Statement, by_kind: dict[Difference, list[Slot]]
) -> tuple[TextVerdict, str]:
    """Return the verdict for statements that differ only in negations and additions."""
    added = by_kind[Difference.MORE_LEFT], by_kind[Difference.MORE_RIGHT]
    denied = len(one.negations) - len(other.negations)
    if abs(denied) == 1:
        if any(token.word in _IN_PART for token in one.tokens) or _denies_all(one, other) or _denies_all(other, one):
            return TextVerdict.SILENT, ""
        # Denying only a part (`not in the evening`) says nothing about the rest.
        return (TextVerdict.SILENT, "") if added[0 if denied > 0 else 1] else (TextVerdict.CONTRADICTS, "negation")
    if one.negations != other.negations or (one.negations and any(added)):
        return TextVerdict.SILENT, ""
    return TextVerdict.AGREES, "same statement"


def _denies_all(one: Statement, other: Statement) -> bool:
    """Whether one denies `all` or `always`, which the other does not mention: not all pass, but this one does."""
    denied = {one.tokens[at].word for at in one.negations if at < len(one.tokens)} & _ALL
    return bool(denied) and denied.isdisjoint(token.word for token in other.tokens)


_ALL = OFTEN - {"ever"}
# Some may pass and some not.
_IN_PART = listed("some sometimes several few")


def _stems_of(text: str) -> frozenset[str]:
    return frozenset(map(term_of, listed(text)))


# These verbs may have many objects at a time, in any form; those in `_HABITS` only if they describe a habit.
_MANY = _stems_of("""
    like love enjoy adore hate dislike know speak understand visit try want need see meet hear remember think talk
    include contain mention discuss recommend suggest support say said ask such example
    """)
_NOUNS = listed("meeting meetings")
_HABITS = _stems_of("""
    play eat drink read write watch buy sell cook make own have cover grow learn study collect wear teach offer serve
    order
    """)
# Verbs for something that happens once, or lasts until it is changed, even in the past tense.
_LASTING = _stems_of("""
    born found name call decide chose agree marry graduate retire set move join base locate live work reside stay weigh
    cost belong prefer own have be
    """)


def takes_one(statement: Statement, slot: Slot) -> bool:
    """Whether there can be only one value at a place, unlike for things that somebody likes or did."""
    before = statement.tokens[: slot.at]
    keys = {token.key for token in before}
    if {token.key for token in before if token.word not in _NOUNS} & _MANY:
        return False
    if any(token.word.endswith("ing") or token.key == "be" for token in before):
        return True
    if keys & _HABITS and slot.left[0].value is None:
        return False
    return not any(is_past(token.word) and token.key not in _LASTING for token in before)


# Words that mean nobody in particular, so that one may replace another.
_WHOSOEVER = listed("""
    everyone everybody someone somebody nobody no_one some_one some_body everything something nothing
    all every each none many numerous few most least
    """)
_BEFORE_A_COUNT = GRAMMAR | EMPTY | listed("only exactly another other both nearly almost") | {""}
_VERBS = listed("be have will can could should would may might must")


def _in_subject(statement: Statement, slot: Slot) -> bool:
    """Whether a word belongs to the subject: the north gate and the south gate are different things."""
    if slot.left[0].word in _WHOSOEVER:
        return False
    said_of = next((at for at, token in enumerate(statement.tokens) if token.key in _VERBS), None)
    verb = _likely_verb(statement) if said_of is None else said_of
    value = slot.left[0].value
    if value is not None and value.scale is not Scale.ORDINAL:
        # `Invoice 77 was paid`: the number is a name.
        before, noun, after = (
            statement.tokens[at].word if 0 <= at < len(statement.tokens) else ""
            for at in (slot.at - 2, slot.at - 1, slot.at + 1)
        )
        is_label = value.scale is Scale.CARDINAL and noun not in _BEFORE_A_COUNT
        # `The kettle of house 4 sings`: so it is after a preposition and a noun, before the verb.
        says = after not in PREPOSITIONS and (is_past(after) or (after.endswith("s") and not after.endswith("ss")))
        return is_label and (slot.at + 1 == verb or (before in PREPOSITIONS and says))
    return slot.at < verb


def _likely_verb(statement: Statement) -> int:
    """Return the position of the verb in a sentence like `The left engine failed` or `The dog sleeps`; 0 if not found.

    Only words before the first one that adds something are considered: `Use tabs for retired projects` has none.
    """
    words = [token.word for token in statement.tokens]
    head = list(takewhile(lambda word: word not in ADDS and word not in ("to", "of"), words))
    past = next((at for at, word in enumerate(head[1:], 1) if is_past(word)), 0)
    second = 2 if len(head) > 1 and not head[1] else 1  # a number has no word
    is_verb = len(head) > second and head[second].endswith("s") and not head[second].endswith("ss")
    return past or (second if is_verb else 0)


def _times_apart(one: Statement, other: Statement) -> bool:
    """Whether two statements name different times, by a date, a word, or their tense."""
    same_when = len(one.when) == len(other.when) and all(
        difference(this, that)[0] is Difference.NOTHING for this, that in zip(one.when, other.when, strict=True)
    )
    words = ({token.word for token in statement.tokens} for statement in (one, other))
    return not same_when or len({bool(said & PAST_BE) for said in words}) > 1
