"""Generalization: whether a text says what was learnt without giving away from whom (design: "Generalize").

The check knows words, not meanings: it blocks names, warns of details that may identify somebody, and leaves the rest
to judgement.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from memstore.access.names import fold, named_in, names_of
from memstore.core import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_MOST_OF_THE_WORDS = 0.5
_PHRASE = 4
_FEWEST_WORDS_OF_A_PHRASE = 2

ENTITY_NAME = "entity-name"


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizationVerdict:
    """The result of the check: `safe`, or why not. `spells_id`: what it blocks has the id of an entity in full."""

    warnings: tuple[str, ...] = ()
    blocked_reason: str | None = None
    checks: tuple[str, ...] = ()
    spells_id: bool = False

    @property
    def verdict(self) -> str:
        """The verdict as a word: `safe`, `warn` or `blocked`."""
        return "blocked" if self.blocked_reason else "warn" if self.warnings else "safe"

    @property
    def warned(self) -> tuple[str, ...]:
        """The names of the checks that warn, each at the place of its warning."""
        return tuple(name for name in self.checks if name != ENTITY_NAME or not self.blocked_reason)

    @property
    def safe(self) -> bool:
        """Whether there is no objection."""
        return self.verdict == "safe"


def check(text: str, sources: Sequence[str], subjects: Mapping[str, Sequence[str]]) -> GeneralizationVerdict:
    """Return whether `text` may be shown to people who may not see its sources.

    Args:
        text: the text to check.
        sources: the texts it was learnt from.
        subjects: whom the sources are about, without topics, each with its aliases.
    """
    names = names_of(subjects)
    named, near = named_in(text, names)
    unnamed = _names_removed({word for name in names for word in name.words}, text)
    warnings = {check: told for check, rule in _RULES.items() if (told := rule(unnamed, sources))}
    if near and not named:
        warnings[ENTITY_NAME] = f"a word is close to the name {near!r}"
    checks = {*warnings, ENTITY_NAME} if named else {*warnings}
    return GeneralizationVerdict(
        warnings=tuple(warnings[check] for check in sorted(warnings)),
        blocked_reason=f"Text contains subject entity name {named!r}" if named else None,
        checks=tuple(sorted(checks)),
        spells_id=any(fold(entity) in fold(text) for entity in subjects),
    )


def no_name_in(text: str) -> str:
    """Return how the vault's owner's word that no word of this text is meant as a name is recorded among its checks.

    It counts for this text alone, and says to nobody which word it is about.
    """
    words = " ".join(fold(text).split())
    return f"{ENTITY_NAME}@{hashlib.blake2b(words.encode(errors='surrogateescape'), digest_size=6).hexdigest()}"


def _names_removed(names: set[str], text: str) -> str:
    """Return a text without the names in it, so that other rules don't report them again."""
    return _PROPER.sub(lambda found: "…" if fold(re.sub(r"['’]s?$", "", found[0])) in names else found[0], text)


# -- what may identify somebody: each rule returns a sentence, or None --------------------------------

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_ISO = re.compile(r"\b(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?\b")
_SLASHED = re.compile(r"\b(\d{1,2})[/.](\d{1,2})[/.](\d{4}|\d{2})\b")
_DAY_MONTH = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?({_MONTH})\b(?:\.? (\d{{1,2}})(?!\d))?", re.IGNORECASE
)
_WEEKDAY = re.compile(r"\b(mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)days?\b", re.IGNORECASE)
# Months that in lower case are also everyday words.
_AMBIGUOUS = frozenset({"may", "march", "mar", "august", "jan", "sep", "dec"})


class _Moment(NamedTuple):
    """A date as far as a text gives it; missing parts are None. Months count from 1, weekdays from 0."""

    month: int | None = None
    day: int | None = None
    weekday: int | None = None


def _dates(text: str, sources: Sequence[str]) -> str | None:
    known = [moment for source in sources for moment in _moments(source)]
    shared = any(_may_be_one(one, other) for one in _moments(text) for other in known)
    return "it gives a date that its source gives" if shared else None


def _moments(text: str) -> list[_Moment]:
    found = [_numeric(int(y), int(m), int(d) if d else None) for y, m, d in _ISO.findall(text)]
    for first, second, year in _SLASHED.findall(text):
        century = 2000 if len(year) < len("2000") else 0
        found += [
            _numeric(int(year) + century, int(a), int(b))
            for a, b in ((first, second), (second, first))
            if int(a) <= 12  # noqa: PLR2004
        ]
    for before, name, after in _DAY_MONTH.findall(text):
        if before or after or name not in _AMBIGUOUS:
            found.append(
                _Moment(_MONTHS.index(name[:3].lower()) + 1, int(before or after) if before or after else None)
            )
    return found + [_Moment(weekday=_DAYS.index(name[:3].lower())) for name in _WEEKDAY.findall(text)]


def _numeric(year: int, month: int, day: int | None) -> _Moment:
    try:
        return _Moment(month, day, date(year, month, day).weekday() if day else None)
    except ValueError:
        return _Moment(month, day)


def _may_be_one(one: _Moment, other: _Moment) -> bool:
    """Whether two dates agree in all parts that both give, of which there is at least one."""
    both = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    return bool(both) and all(a == b for a, b in both)


_NUMBER = re.compile(r"\d+(?:[.,/:]\d+)*")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TEENS = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TENS_AND_UNITS = re.compile(rf"\b({'|'.join(_TENS)})(?:[- ]({'|'.join(_UNITS)}))?\b|\b({'|'.join(_TEENS)})\b")


def _numbers(text: str, sources: Sequence[str]) -> str | None:
    shared = _told_numbers(text) & {number for source in sources for number in _told_numbers(source)}
    return f"it gives a number that its source gives: {min(shared)}" if shared else None


def _told_numbers(text: str) -> set[str]:
    """Return the numbers in a text, as digits; number words count from ten on, since `one` and `two` are too common."""
    folded = fold(text)
    found = {number.lstrip("0") or "0" for number in _NUMBER.findall(folded)}
    for tens, units, teen in _TENS_AND_UNITS.findall(folded):
        value = (
            _TEENS.index(teen) + 10
            if teen
            else (_TENS.index(tens) + 2) * 10 + (_UNITS.index(units) + 1 if units else 0)
        )
        found.add(str(value))
    return found


_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:https?://|www\.)[^\s<>()]+|(?<!\w)@\w+")
_TELEPHONE = re.compile(r"\+?\d(?:[\s().-]*\d){6,}")


def _contacts(text: str, sources: Sequence[str]) -> str | None:
    shared = _told_contacts(text) & {contact for source in sources for contact in _told_contacts(source)}
    return "it gives an address or a contact number that its source gives" if shared else None


def _told_contacts(text: str) -> set[str]:
    addresses = {address.casefold().rstrip(".,;:/") for address in _ADDRESS.findall(text)}
    return addresses | {"".join(filter(str.isdigit, number)) for number in _TELEPHONE.findall(text)}


_SOMEBODY = (
    r"(?:patient|client|customer|student|pupil|son|daughter|child|kid|baby|toddler|boy|girl|man|woman|friend|neighbou?r"
    r"|colleague|boss|wife|husband|partner|boyfriend|girlfriend|mother|father|mum|mom|dad|sister|brother|aunt|uncle"
    r"|nephew|niece|cousin|grand\w+|owner|teacher|tutor|vet|doctor|therapist|agent|user|human|person|family|class"
    r"|dog|puppy|cat|kitten|pet|animal|horse|bird|rabbit)"
)
_SEVERAL = rf"(?:{_SOMEBODY}e?s|children|men|women|wives|babies|puppies|families)"
# Of these there are many whom nobody knows; with `my`, `our` or a place near the holder, it is one of them.
_KNOWN = (
    r"(?:somebody|someone|parent|relative|couple|guy|lady|lad|teenager|gentleman|stranger|landlord|landlady|tenant|lodger"
    r"|(?:room|flat|house|team|class|school|work)mate|co-?worker|cleaner|nanny|carer|nurse|dentist|manager|supervisor"
    r"|employee|employer|intern|apprentice|trainee|assistant|coach|trainer|mentor|guest|host|visitor|member|supplier)"
)
_ONE_KNOWN = rf"(?:(?:an?|one|another|some|the|this) (?:\w+ ){{0,2}}(?:{_SOMEBODY}|{_KNOWN})|somebody|someone)"
_INDIVIDUAL = re.compile(
    rf"\b(?:my|our|this|that|his|her|their|(?:a|one) (?:certain|particular|specific)|someone's"
    rf"|somebody's) (?:\w+ )?{_SOMEBODY}\b|\bone of (?:my|our) (?:\w+ )?{_SEVERAL}\b"
    rf"|\b{_SOMEBODY} (?:of mine|of ours|i (?:know|met|look after|work with))\b"
    rf"|\b(?:my|our) (?:\w+ )?{_KNOWN}\b"
    rf"|\b(?:{_ONE_KNOWN}|one of the {_SEVERAL})"
    r" (?:(?:at|from|in|near|next to|of|on|opposite) (?:my|our)|of (?:mine|ours))\b"
    rf"|\b{_ONE_KNOWN} (?:(?:who|whom|that) )?(?:i|we (?:care for|know|live with|look after|met|saw|taught|teach"
    r"|treat|treated|visit|walk|work with))\b"
    rf"|\b{_ONE_KNOWN} (?:upstairs|downstairs|next door|opposite|(?:across|down|over) the (?:road|street|hall))\b"
)
_PROPER = re.compile(r"[^\W\d_][\w'’]*")
# What may stand between the end of a sentence or line and the first word of the next.
_LEADS = " \t\r\n\f\v\u00a0\u2028\u2029\u3000\"'“”‘’)*#>-"
_ENDS = (".", "!", "?", ":", ";")


def _individuals(text: str, sources: Sequence[str]) -> str | None:
    if found := _INDIVIDUAL.search(fold(text).replace("’", "'")):
        return f"it speaks of one of them: {found[0]!r}"
    inside, anywhere = _proper(text)
    for source in sources:
        inside_source, anywhere_source = _proper(source)
        if shared := (inside & anywhere_source) | (anywhere & inside_source):
            return f"it gives a name that its source gives: {min(shared)!r}"
    return None


def _proper(text: str) -> tuple[set[str], set[str]]:
    """Return the capitalized words inside sentences, and those anywhere, without days and months."""
    inside, anywhere = set(), set()
    end = 0
    for found in _PROPER.finditer(text):
        before, end = text[end : found.start()], found.end()
        is_first = end == len(found[0]) + len(before)
        word = re.sub(r"['’]s?$", "", found[0])
        if not word[0].isupper() or fold(word) in terms.stop_words() or _WEEKDAY.match(word) or _DAY_MONTH.match(word):
            continue
        anywhere.add(fold(word))
        if not _begins(before, is_first=is_first):
            inside.add(fold(word))
    return inside, anywhere


def _begins(before: str, *, is_first: bool) -> bool:
    """Whether a sentence or a line begins after `before`, which follows the last word, or the text's beginning."""
    rest = before.rstrip(_LEADS)
    return (is_first and not rest) or rest.endswith(_ENDS) or "\n" in before[len(rest) :]


def _shared_phrases(text: str, sources: Sequence[str]) -> str | None:
    known = {phrase for source in sources for phrase in _phrases(source)}
    shared = next((phrase for phrase in _phrases(text) if phrase in known), None)
    return f"it has these words in common with its source: {' '.join(shared)!r}" if shared else None


def _phrases(text: str) -> list[tuple[str, ...]]:
    """Return runs of words in which at least two are not stop words."""
    words = terms.words(fold(text))
    runs = [tuple(words[i : i + _PHRASE]) for i in range(len(words) - _PHRASE + 1)]
    return [run for run in runs if sum(word not in terms.stop_words() for word in run) >= _FEWEST_WORDS_OF_A_PHRASE]


def _coverage(text: str, sources: Sequence[str]) -> str | None:
    return "at least half of its words are its source's" if _is_covered(text, sources) else None


def covers(text: str, other: str) -> bool:
    """Return whether another text has at least half of a text's content words."""
    return _is_covered(text, [other])


def _is_covered(text: str, texts: Iterable[str]) -> bool:
    """Whether at least half of a text's content words also occur in other texts, compared by stem."""
    said = _stems(text)
    known = {stem for other in texts for stem in _stems(other)}
    return bool(said) and len(said & known) >= _MOST_OF_THE_WORDS * len(said)


def _stems(text: str) -> set[str]:
    folded = fold(text)
    dates = {f"{y}-{m}-{d}" for y, m, d in _ISO.findall(folded)}
    words = terms.words(_ISO.sub(" ", folded))
    return dates | {terms.term_of(word) for word in words if word == "all" or word not in terms.stop_words()}


_UNIQUE = re.compile(
    rf"\bthe (?:one and )?(?:only|sole|single|unique)\b|\bunique(?:ly)?\b|\bone of a kind\b|\bone and only\b"
    rf"|\b(?:no other|nobody else|no one else|none other)\b|\bthe (?:very )?first ever\b"
    rf"|\bthe (?:one|{_SOMEBODY}) (?:who|that|whose)\b|\bthe \w{{3,}}est {_SOMEBODY}\b"
)


def _uniqueness(text: str, sources: Sequence[str]) -> str | None:  # noqa: ARG001 - all rules have the same arguments
    found = _UNIQUE.search(fold(text))
    return f"it is about one individual alone: {found[0]!r}" if found else None


_RULES = {
    "date": _dates,
    "number": _numbers,
    "contact": _contacts,
    "individual": _individuals,
    "shared-phrase": _shared_phrases,
    "coverage": _coverage,
    "uniqueness": _uniqueness,
}
