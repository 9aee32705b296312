"""Experience: whether what happened once speaks for what happens often, or against it.

`The printer jams often` states a habit, and `the printer jammed again today` is a case of it. A case speaks for a habit
if the same subject did the same, under the habit's condition and within its bound: `when it rains`, `within a day`. It
speaks against the habit if that did not happen, or its opposite did, or the bound was exceeded.

Source: docs/beliefs.md, "What happened once".
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts import lexicon
from memstore.conflicts.frames import DETERMINERS, PREPOSITIONS, frame, root_of
from memstore.conflicts.guards import TIMES
from memstore.conflicts.quantities import MONTHS, Quantity, Scale
from memstore.conflicts.statements import is_past
from memstore.core.word_lists import listed, word_lists

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from memstore.conflicts.frames import Frame
    from memstore.conflicts.statements import Token


class Bearing(NamedTuple):
    """What a case says of a habit: why in a few words, and whether that speaks for it."""

    why: str
    is_for: bool = False


@lru_cache(maxsize=4096)
def bearing(habit: str, case: str) -> Bearing | None:
    """Return what a sentence about one case says of a sentence about a habit; None if it says nothing of it.

    >>> bearing("The printer on floor two jams often.", "The printer on floor two jammed again today.")
    Bearing(why='it happened once more', is_for=True)
    >>> bearing("Claire answers mails within a day.", "Claire took four days to answer my mail.").is_for
    False
    """
    habit, case = _hyphens_as_in(case, habit), _hyphens_as_in(habit, case)
    said = _habit_in(habit)
    found = _outcome(said, case) if said else None
    if said is None or found is None or (not found.is_for and said.is_sometimes):
        return None
    return found._replace(is_for=found.is_for != said.is_seldom)


def _hyphens_as_in(other: str, text: str) -> str:
    """Return a text in which words with a hyphen are one word if another text has them so: `stand-up` and `standup`."""
    if "-" not in text:
        return text
    known = other.casefold()
    return _HYPHENED.sub(
        lambda found: one if (one := found[0].replace("-", "")).casefold() in known else found[0], text
    )


_HYPHENED = re.compile(r"\b[^\W\d_]+-[^\W\d_]+\b")


def first_case(habits: Sequence[str], cases: Sequence[str]) -> tuple[int, int, Bearing] | None:
    """Return the first pair of sentences that are a habit and a case of it, by their places, and what that says."""
    for (at, habit), (there, case) in product(enumerate(habits), enumerate(cases)):
        if found := bearing(habit, case):
            return at, there, found
    return None


def is_one_case(habit: str, case: str) -> bool:
    """Whether one sentence states a habit and the other what happened once, so that both may be right."""
    if bearing(habit, case) is not None:
        return True
    is_of_many = not frame(habit).words.isdisjoint(_OFTEN) and _habit_in(habit) is not None
    return is_of_many and not _is_general(case) and _is_case(frame(_bare(case)))


def _bare(sentence: str) -> str:
    return sentence.strip().rstrip(".!")


# -- habits --------------------------------------------------------------------------------------


_SELDOM = listed("never rarely seldom hardly")
_SOMETIMES = listed("sometimes occasionally")
# By these words a sentence states a habit.
_OFTEN = (
    _SELDOM
    | _SOMETIMES
    | listed("""
    always invariably constantly often usually frequently regularly generally normally typically commonly mostly daily
    weekly hourly
    """)
)
_NOW_AND_THEN = r"now and (?:then|again)|from time to time|once in a while"
_HOW_OFTEN = re.compile(
    rf"\b(?:{_NOW_AND_THEN}|again and again|as a rule|more often than not|(?:most|all) of the time"
    r"|every (?:few|other|single) \w+|(?:most|all|every|each) (?:mornings?|afternoons?|evenings?|nights?|days?|weeks?"
    r"|months?|years?|weekends?|winters?|summers?|times?|\w+days?))\b",
    re.IGNORECASE,
)
_WHEN = r"(?:(?:every|each) time|when(?:ever)?|if|as soon as|after|in|on|during)"
_CONDITION = re.compile(
    rf"^{_WHEN} (?P<first>[^,;]+), (?P<then>.+)$|^(?P<main>.+?),? {_WHEN} (?P<last>[^,;]+)$", re.IGNORECASE | re.DOTALL
)
_SMALL = listed("a an the very so quite too my our his her their its and or that to do does did")
_ANYTHING = listed("something anything somebody anybody somewhere by itself hard")
_WEATHER = listed("weather rain snow frost cold heat storm storms wind fog sun")
# What is done comes after these: `tends to forget`, `keeps losing`.
_LEADS = listed("tend tends keep keeps")
_LASTS = listed("take takes took last lasts lasted run runs ran need needs needed done finished")
_IS_TO_COME = re.compile(r"\bgoing to \w|\bexpected to\b")
_TENDS = listed("tend tends most")
_KEEPS_DOING = re.compile(r"\bkeeps? \w+ing\b")
_LINKS = listed("get gets go goes turn turns become becomes stay stays")
_MOST = listed("within under before by than")
_LEAST = listed("over after above")
_HOURS = 24


@cache
def _times() -> frozenset[str]:
    """Return the roots of the names of times of a day, days, months and seasons."""
    named = frozenset[str]().union(*TIMES[:4]) | listed("lunch breakfast dinner weekend")
    # `May` is a verb more often than a month, and `tonight` is one of them.
    return frozenset(map(root_of, named - {"may", "tonight"}))


@cache
def _aside() -> frozenset[str]:
    """Return the roots of what stands beside what happened, and makes it no other thing."""
    names = """
        again today yesterday tonight still only just even once more another whole long all both first last this that
        already almost own new day days hour hours minute minutes week weeks time
        """
    return frozenset(map(root_of, listed(names)))


class _Habit(NamedTuple):
    """A habit: whose it is, what is done, to what and to how many, under which conditions, and in which time.

    `does` is a word; the others are roots, or keys of numbers. `bound` is a time, with -1 if it is the longest, 1 if it
    is the shortest, and 0 if it is about that time.
    """

    subject: frozenset[str]
    numbers: frozenset[str]
    head: str
    does: str
    rest: frozenset[str]
    amounts: frozenset[str]
    condition: frozenset[str]
    bound: tuple[Quantity, int] | None
    is_seldom: bool
    is_sometimes: bool


@lru_cache(maxsize=4096)
def _habit_in(text: str) -> _Habit | None:
    """Return the habit that a sentence states; None if it states none."""
    how_often = " ".join(_HOW_OFTEN.findall(text))
    conditions, main = _without_condition(_HOW_OFTEN.sub(" ", _bare(text)))
    said = frame(main)
    tokens = said.tokens
    often = [at for at, token in enumerate(tokens) if token.word in _OFTEN]
    at = _place_of_doing(said, often)
    if at is None or _is_no_habit(said, at, main):
        return None
    bound = _bound_in(tokens, at)
    on_days = any(token.word.endswith("days") for token in said.when)
    says_how_often = often or how_often or on_days or not said.words.isdisjoint(_TENDS) or _KEEPS_DOING.search(main)
    if not (says_how_often or conditions or bound):
        return None
    conditions |= _times_in([*(token.word for token in said.when), *how_often.casefold().split()])
    subject = [token for token in tokens[:at] if token.word not in _OFTEN | _LEADS | _LINKS | _SMALL | PREPOSITIONS]
    named = [root_of(token.word) for token in subject if token.value is None and token.key != "be"]
    numbers = frozenset(token.key for token in subject if token.value is not None)
    if not named and not numbers:
        return None
    aside = conditions | {root_of(word) for word in _OFTEN | _MOST | _LEAST | _SMALL}
    return _Habit(
        subject=frozenset(named) - conditions,
        numbers=numbers,
        head=next((root for root in named if root not in conditions), ""),
        does=tokens[at].word,
        rest=frozenset(root for root, place in said.content.items() if place > at and not _is_manner(tokens[place]))
        - aside,
        amounts=_amounts(tokens, at),
        condition=frozenset(conditions),
        bound=bound,
        is_seldom=bool({*(tokens[place].word for place in often)} & _SELDOM) or "not" in said.words,
        is_sometimes=bool(said.words & _SOMETIMES) or re.search(_NOW_AND_THEN, text, re.IGNORECASE) is not None,
    )


def _is_no_habit(said: Frame, at: int, text: str) -> bool:
    """Whether a sentence tells of what is over, or to come, or only may be; `is cancelled` is none of them."""
    verb = said.verb or 0
    is_over = said.is_past or is_past(said.tokens[at].word) if verb == at else said.is_past
    if verb == at and said.tokens[at - 1].word in _LINKS:
        is_over = False  # `gets stuck`
    after = {token.word for token in said.tokens[verb + 1 : verb + 2]}
    has_never = said.tokens[verb].word in ("has", "have") and bool(after & _OFTEN)
    return (
        is_over
        or said.is_perfect
        or has_never
        or not said.words.isdisjoint(_NO_CASE)
        or _IS_TO_COME.search(text) is not None
    )


def _without_condition(text: str) -> tuple[set[str], str]:
    """Return the roots of the condition of a sentence, and the sentence without it."""
    found = _CONDITION.match(text)
    if not found:
        return set(), text
    condition, main = (found["first"], found["then"]) if found["first"] else (found["last"], found["main"])
    said = frame(condition)
    times = _times_in(token.word for token in said.tokens)
    # `On the radiator` says where, and belongs to what is done.
    is_one = times or said.verb is not None or not said.words.isdisjoint(_WEATHER)
    keys = {*said.content} | times
    return (keys, main) if keys and is_one and len(frame(main).content) > 1 else (set(), text)


def _is_manner(token: Token) -> bool:
    """Whether a word adds nothing to what is done: `quickly`, `something`."""
    return token.word.endswith("ly") or token.word in _ANYTHING


def _times_in(said: Iterable[str]) -> set[str]:
    return {root_of(word.removesuffix("s")) for word in said} & _times()


def _place_of_doing(said: Frame, often: Sequence[int]) -> int | None:
    """Return the position of what is done, or of what something is: the verb, beside the word for how often."""
    tokens = said.tokens
    at = said.verb
    if often and often[0]:
        at = often[0] - 1
        if tokens[at].key != "be" and often[0] + 1 < len(tokens):
            after = tokens[often[0] + 1]
            at = at if after.value or after.word in PREPOSITIONS | _SMALL else often[0] + 1
    at = _before_an_object(tokens) if at is None else at
    while at < len(tokens) and (_leads_on(tokens, at) or tokens[at].word in _SMALL | _OFTEN | {"not"}):
        at += 1
    return at if 0 < at < len(tokens) and tokens[at].word else None


def _amounts(tokens: Sequence[Token], at: int) -> frozenset[str]:
    """Return the numbers after a position, but for times."""
    return frozenset(
        token.key
        for place, token in enumerate(tokens)
        if place > at and token.value and token.value.scale is not Scale.DATE and _time_at(tokens, place) is None
    )


def _before_an_object(tokens: Sequence[Token]) -> int:
    """Return the position of the first word that leads on, or is followed by an article: `skip our stop`."""
    for at in range(1, len(tokens)):
        is_verb = at + 1 < len(tokens) and tokens[at + 1].word in DETERMINERS and tokens[at].word not in PREPOSITIONS
        if tokens[at].word and (_leads_on(tokens, at) or (is_verb and tokens[at].word not in _SMALL)):
            return at
    return len(tokens)


def _leads_on(tokens: Sequence[Token], at: int) -> bool:
    """Whether what is done, or how something is, comes after a word: `tends to forget`, `goes sour`, `is late`."""
    after = tokens[at + 1].word if at + 1 < len(tokens) else ""
    is_link = tokens[at].word in _LINKS and after not in PREPOSITIONS | _SMALL and after != ""
    keeps_doing = tokens[at].word in ("keep", "keeps") and after.endswith("ing")
    return is_link or keeps_doing or tokens[at].word in ("tend", "tends") or tokens[at].key == "be"


def _bound_in(tokens: Sequence[Token], start: int) -> tuple[Quantity, int] | None:
    for at in range(start, len(tokens)):
        if (value := _time_at(tokens, at)) is not None:
            before = {token.word for token in tokens[max(start, at - 2) : at]}
            return value, -1 if before & _MOST else 1 if before & _LEAST else 0
    return None


def _time_at(tokens: Sequence[Token], at: int) -> Quantity | None:
    """Return the time that a token is: how long, or an hour of the day."""
    value = tokens[at].value
    if value is None or value.scale is Scale.CLOCK or value.of == "time":
        return value
    hour = value.parts[0]
    is_hour = value.scale is Scale.CARDINAL and at > 0 and tokens[at - 1].word in _BEFORE_AN_HOUR
    return Quantity(Scale.CLOCK, (60.0 * hour,)) if is_hour and hour is not None and hour <= _HOURS else None


_BEFORE_AN_HOUR = listed("before by after at until till past")


# -- cases ---------------------------------------------------------------------------------------


_CLAUSES = re.compile(
    r"[,;] (?:and |but |so )?| (?:and|but) (?=(?:the|our|my|his|her|their|its|it|he|she|we|they|I)\b)", re.IGNORECASE
)
_NO_CASE = listed("if unless whether maybe perhaps probably might could would should will shall must may hopes wants")
_NONE = listed("no nothing nobody")
# What comes after one of these, with two words between at most, did not happen.
_DID_NOT = re.compile(
    r"\b(?:not|never|no|without|nobody|hardly|instead of|rather than|failed to|refused to|forgot to|avoided)"
    r"(?: \w+){0,2}$"
)
_EVERY = re.compile(r"\b(?:every|each|most) ", re.IGNORECASE)
# What ended, or became another, is no case of what is still a habit.
_HAS_CHANGED = re.compile(
    r"\b(?:gave up|given up|quit|stopped|used to|formerly|no longer|any ?more|for good|since|from now on|moved|changed"
    r"|switched to|replaced|extended)\b",
    re.IGNORECASE,
)
_LEFT_UNDONE = re.compile(r"\b(?:skipped|missed|declined|turned down|refused|cancelled|passed on|ignored)\b")
_SPANS = (
    (re.compile(r"\b(?:at once|immediately|straight ?away|right away|in no time)\b", re.IGNORECASE), 60.0),
    (re.compile(r"\bthe same day\b", re.IGNORECASE), 43_200.0),
    (re.compile(r"\bthe next day\b", re.IGNORECASE), 86_400.0),
)
# `About ten minutes` may be a quarter longer, and is wrong for what takes twice as long; times of day in minutes.
_ABOUT, _FAR_FROM, _NEAR_IN_TIME, _FAR_IN_TIME = 1.25, 2.0, 5.0, 15.0


def _outcome(habit: _Habit, text: str) -> Bearing | None:
    """Return whether what a habit says happened in this case; None if the sentence tells of no case of it."""
    if _is_general(text):
        return None
    whole = frame(_bare(text))
    keys = {root_of(word.removesuffix("s")) for word in whole.words if word} | {root_of(word) for word in whole.words}
    keys |= _months_of(whole)
    if not _is_met(habit.condition, keys):
        return None
    for clause in _CLAUSES.split(_bare(text)):
        said = frame(clause)
        start = _after_subject(habit, said)
        if start is not None:
            return _of_clause(habit, said, start, keys, text) if _is_case(said) else None
    return None


def _months_of(said: Frame) -> set[str]:
    """Return the roots of the months of the dates in a sentence."""
    dates = [token.value for token in said.tokens if token.value and token.value.scale is Scale.DATE]
    return {
        root_of(name) for number, name in enumerate(MONTHS, 1) if any(date.parts[1:2] == (number,) for date in dates)
    }


def _is_general(text: str) -> bool:
    """Whether a sentence tells of more than one case, or of what may be, or of a change."""
    said = frame(_bare(text)).words
    not_once = not said.isdisjoint(_NO_CASE | (_OFTEN - {"never"})) or _EVERY.search(text) is not None
    return not_once or _HAS_CHANGED.search(text) is not None


def _is_case(said: Frame) -> bool:
    """Whether a clause tells what happened once: in the past tense, or today."""
    if said.is_perfect:
        return False
    if not said.words.isdisjoint(_TODAY):
        return True
    return any(map(_is_past_form, said.tokens)) if said.verb is None else _is_past_form(said.tokens[said.verb])


def _is_past_form(token: Token) -> bool:
    is_other_form = token.key not in ("be", "have") and lexicon.plain_form(token.word) != token.word
    return is_past(token.word) or (is_other_form and not token.word.endswith("s"))


_TODAY = listed("today again tonight")


def _is_met(condition: Collection[str], keys: Collection[str]) -> bool:
    """Whether a case meets the condition of a habit: at the times that it names, and in half of what else it says."""
    times = {key for key in condition if key in _times()}
    others = {*condition} - times
    return times <= {*keys} and 2 * len(others & {*keys}) >= len(others)


def _after_subject(habit: _Habit, said: Frame) -> int | None:
    """Return the position after the subject of a clause if it is that of the habit, else None."""
    tokens = said.tokens
    at = next((at for at, token in enumerate(tokens) if _is_head(habit, token)), None)
    if at is None:
        return None
    first = at
    while first and not _ends_a_subject(tokens[first - 1]) and tokens[first - 1].word not in PREPOSITIONS:
        first -= 1
    last = at + 1
    while last < len(tokens) and not _ends_a_subject(tokens[last]):
        last += 1
    if last == len(tokens) or (
        any(said.possessors & {token.word} for token in tokens[first:last])
        and not (habit.subject & {root_of(word) for word in said.possessors})
    ):
        return None
    around = [token for token in tokens[first:last] if token.word not in _SMALL | PREPOSITIONS]
    numbers = {token.key for token in around if token.value is not None and token.value.scale is not Scale.CLOCK}
    clocks = {token.key for token in around if token.value is not None and token.value.scale is Scale.CLOCK}
    named = {root_of(token.word) for token in around if token.value is None and token.key != "be"}
    other = {key for key in named if key not in habit.subject | habit.condition | habit.rest | _aside() | _times()}
    if other or not numbers <= habit.numbers or not habit.numbers <= numbers | clocks:
        return None
    return last if 2 * len(named & habit.subject) >= len(habit.subject) else None


def _is_head(habit: _Habit, token: Token) -> bool:
    return token.key in habit.numbers if not habit.head else token.value is None and root_of(token.word) == habit.head


def _ends_a_subject(token: Token) -> bool:
    """Whether a word is a verb, or stands between a subject and its verb."""
    word = token.word
    return _is_past_form(token) or word.endswith("ing") or token.key in ("be", "have") or word in _AFTER_A_SUBJECT


_AFTER_A_SUBJECT = listed("do does did not never no can again still just only today yesterday gets takes needs without")


def _of_clause(habit: _Habit, said: Frame, start: int, keys: Collection[str], text: str) -> Bearing | None:
    tokens = said.tokens
    roots = {root_of(word) for word in ({*_LASTS} if habit.bound and habit.does in _LASTS else {habit.does})}
    at = next((at for at in range(start, len(tokens)) if tokens[at].word and root_of(tokens[at].word) in roots), None)
    before = " ".join(token.word for token in tokens[start - 1 : at])
    if at is None:
        return _otherwise(habit, said, start, keys)
    if not _says_rest(habit, said, at, keys) or not habit.amounts <= _amounts(tokens, at):
        return None
    has_not = _DID_NOT.search(before) is not None or any(token.word in _NONE for token in tokens[at + 1 : at + 2])
    if habit.bound:
        return _by_time(habit.bound, said, text, has_not=has_not)
    return Bearing("it did not happen this time") if has_not else Bearing("it happened once more", is_for=True)


def _says_rest(habit: _Habit, said: Frame, at: int, keys: Collection[str]) -> bool:
    """Whether a case names what a habit's act is done to, or nothing else in its place."""
    if habit.rest <= {*keys}:
        return True
    after = {key for key, place in said.content.items() if place > at} - _aside() - _times()
    return not after and not habit.rest & {*keys}


def _otherwise(habit: _Habit, said: Frame, start: int, keys: Collection[str]) -> Bearing | None:
    """Return what a clause says against a habit without naming what is done: it was otherwise, or was left undone."""
    words = [token.word for token in said.tokens[start - 1 :]]
    spoken = f" {' '.join(words).replace('_', ' ')} "
    has_rest = habit.rest <= {*keys}
    is_opposite = any(lexicon.listed_opposite(habit.does, word) for word in words) or any(
        f" {phrase} " in spoken for phrase in _opposites().get(root_of(habit.does), ())
    )
    if is_opposite and (has_rest or not habit.rest & {*keys}):
        denied = any(word in ("not", "never") for word in words)
        return None if denied else Bearing("it was otherwise this time")
    undone = has_rest and habit.rest and _LEFT_UNDONE.search(spoken)
    return Bearing("it was left undone this time") if undone else None


@cache
def _opposites() -> Mapping[str, Sequence[str]]:
    """Return for the root of what is done the phrases that say that it was otherwise."""
    found: dict[str, list[str]] = {}
    for line in word_lists("conflicts")["otherwise"].strip().splitlines():
        done, _, other = line.partition("|")
        for word in done.split():
            found.setdefault(root_of(word), []).extend(phrase.replace("_", " ") for phrase in other.split())
    return found


def _by_time(bound: tuple[Quantity, int], said: Frame, text: str, *, has_not: bool) -> Bearing | None:
    """Return what the time that something took says of the time that a habit gives it."""
    most, way = bound
    times = [value for at in range(len(said.tokens)) if (value := _time_at(said.tokens, at)) is not None]
    times += [Quantity(Scale.MEASURE, (span,), "time") for pattern, span in _SPANS if pattern.search(text)]
    took = next((one for one in times if (one.scale, one.of) == (most.scale, most.of)), None)
    if took is None or took.parts[0] is None or most.parts[0] is None:
        return None
    this, that = took.parts[0], most.parts[0]
    if has_not:
        return Bearing("it took longer this time") if way < 0 and this >= that else None
    if way:
        is_so = way * this >= way * that
        return _KEPT if is_so else _NOT_KEPT
    if took.scale is Scale.CLOCK:
        near, far = abs(this - that) <= _NEAR_IN_TIME, abs(this - that) >= _FAR_IN_TIME
    else:
        ratio = max(this, that) / max(min(this, that), 1e-9)
        near, far = ratio <= _ABOUT, ratio >= _FAR_FROM
    return _KEPT if near else _NOT_KEPT if far else None


_KEPT, _NOT_KEPT = Bearing("it kept to that time", is_for=True), Bearing("it did not keep to that time")
