"""The query language: words are ranked alternatives; also `"phrase"`, `+must`, `-not`, `prefix*`, `field:value`.

A query made of words is never an error: an unclosed quote or unknown field is read as words, with a note. A filter
that no memory can match is an error; it is never widened. If a query finds nothing, one that does is suggested, using
words of memories that the viewer may see.
"""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core import terms
from memstore.core.catalog import Field
from memstore.core.errors import UsageError
from memstore.core.ids import MEMORY_TYPES, is_memory_id
from memstore.core.keys import KEY_BY_NAME
from memstore.core.languages import ENGLISH, language_of, stemmer, stop_words
from memstore.search import INDEX, filters
from memstore.search.clauses import Clause, Filters, Need, Operator, Phrase, Prefix, Query, Where, Word
from memstore.search.index import name_words
from memstore.search.matching import all_terms, within_edits

if TYPE_CHECKING:
    from memstore.search.own_keys import OwnKeys
    from memstore.search.ranker import Audience


# One part of a query: a sign, a field, and a quoted or bare text. A backslash escapes the next character; a quote
# between letters does not count as one.
_PART = re.compile(
    r"""
      (?P<sign>[+-](?=[^\s+-]))?
      (?:(?P<field>[A-Za-z_][A-Za-z0-9_-]*):(?=[^\s:/]))?
      (?: "(?P<quoted>(?:[^"\\]|\\.)*)" | (?P<open>") | (?P<bare>(?:\\.|[^\s"\\]|(?<=\w)"(?=\w)|\\\Z)+) )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_PREFIX = re.compile(r"\w\w+\*")
# An ISO date by itself, or with punctuation around it.
_DAY = re.compile(r"\W*(\d{4}-\d\d-\d\d)\W*", re.ASCII)
# `Wi-Fi` is `wifi`, `wi` and `fi`.
_WORDS_OF_JOINED = 3
_NEEDS = {"+": Need.MUST, "-": Need.MUST_NOT, None: Need.MAY}

# The spelling of umlauts without umlaut keys, in both directions.
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_SPELT_UMLAUT = re.compile("(?<![aeiouq])([aou])e")

_SYNONYMS = {"tags": "tag", "subject_ids": "subject"}
KEYS = {"tag": "tags", "subject": "subject_ids"}
# Available only as options.
_OPTIONS = frozenset({"since", "until", "min_confidence", "min_trust", "level", "where", "at", "by", "sort", "limit"})
FIELDS = (*filters.FIELDS, "title", "id")


class _Part(NamedTuple):
    """One part of a query, as it was typed."""

    sign: str | None
    field: str | None
    text: str
    is_quoted: bool = False
    is_open: bool = False  # a quote that nothing closes


def parse(text: str, own: "OwnKeys | None" = None, *, also: Sequence[str] = ()) -> Query:
    """Parse a query.

    Args:
        text: as a person types it.
        own: the keys of people's own in the files that are searched, which are fields, too.
        also: words and short phrases in which a memory may have said it; see `with_also`.

    Raises:
        UsageError: a field can't have the given value, the query is empty, or `also` is out of bounds.
    """
    wanted = Filters()
    notes: list[str] = []
    clauses: list[Clause] = []
    hollow: list[Clause] = []  # of stop words: used only if there is nothing else
    for part in _parts(text):
        if part.is_open:
            notes.append('a quote is not closed; what follows is read as words ("like this" is a phrase)')
        elif part.field and (name := _field_of(part.field, part.text)):
            wanted = _with_field(wanted, part, name)
        elif part.field and own and part.field not in MEMORY_TYPES and own.holders(part.field):
            operator = Operator.UNEQUAL if part.sign == "-" else Operator.EQUAL
            wanted = wanted._replace(where=(*wanted.where, Where(part.field, operator, part.text.strip())))
        elif part.field:
            notes.append(_instead(part.field, part.text, own.names if own else ()))
            clauses += _of_no_field(part, part.field)
        elif part.sign is None and not part.is_quoted:
            for clause, is_hollow in _words(part.text):
                (hollow if is_hollow else clauses).append(clause)
        else:
            clauses += _exact(part)
    if not also and wanted == Filters() and all(clause.need is Need.MUST_NOT for clause in clauses):
        clauses += hollow
        if not hollow:
            raise UsageError(
                f"the query `{text}` asks for nothing",
                hint="name at least one word to look for; `memstore list` shows all memories",
            )
    asked = Query(text=text, clauses=_each_once(clauses), filters=wanted, notes=tuple(dict.fromkeys(notes)))
    return with_also(asked, also)


def _each_once(clauses: Iterable[Clause]) -> tuple[Clause, ...]:
    """Return the clauses without duplicates: `dogs dog` asks for one word, in the form typed first."""
    found: dict[Clause, Clause] = {}
    for clause in clauses:
        found.setdefault(_without_spelling(clause), clause)
    return tuple(found.values())


def _without_spelling(clause: Clause) -> Clause:
    """Return a clause as the same for all forms of a word."""
    asked = clause.asked._replace(typed="", spelt=()) if isinstance(clause.asked, Word) else clause.asked
    return Clause(asked, clause.need)


# -- other words ---------------------------------------------------------------------------------

FEWEST_ALSO, MOST_ALSO = 2, 12
LONGEST_ALSO = 80
# What a word of the query counts beside other words for it; benchmarks/other_words.py, docs/search.md, "Other words".
ASKED_SHARE = 0.5


def with_also(asked: Query, also: Sequence[str]) -> Query:
    """Return a query that also looks for other words, in which a memory may have said what is asked for.

    They count more than the query's own. Operators mean nothing in them, and their stop words are left out.

    Args:
        asked: the query.
        also: words and short phrases; none for the query as it is.

    Raises:
        UsageError: there are too few or too many, or one has no word or is too long.
    """
    if not also:
        return asked
    if not FEWEST_ALSO <= len(also) <= MOST_ALSO:
        raise UsageError(
            f"`also` has {len(also)} {'entry' if len(also) == 1 else 'entries'}",
            hint=f"give {FEWEST_ALSO} to {MOST_ALSO} words or short phrases in which a memory may have said it",
        )
    for place, one in enumerate(also, 1):
        if len(one) > LONGEST_ALSO or not terms.words(one):
            wrong = f"has {len(one)} characters" if len(one) > LONGEST_ALSO else f"is `{one}`, which has no word"
            raise UsageError(
                f"entry {place} of `also` {wrong}",
                hint=f"an entry is a word or a short phrase of at most {LONGEST_ALSO} characters",
            )
    own = {_without_spelling(clause): clause._replace(weight=ASKED_SHARE) for clause in asked.clauses}
    for word in (word for one in also for word in terms.words(one) if word not in terms.stop_words()):
        clause = Clause(_word(word, word), is_also=True)
        key = _without_spelling(clause)
        own[key] = own[key]._replace(weight=1.0) if key in own else clause
    return asked._replace(clauses=tuple(own.values()), also=tuple(also))


def with_names(asked: Query, others: Mapping[str, Iterable[str]]) -> Query:
    """Return a query in which whoever is named may have other names, too.

    Args:
        asked: the query.
        others: for folded words of names, the words of the other names (`search.aliases`).
    """

    def named(clause: Clause) -> Clause:
        word = clause.asked
        if not isinstance(word, Word) or word.whole or word.typed not in others:
            return clause
        return clause._replace(asked=word._replace(names=tuple(sorted(others[word.typed]))))

    return asked._replace(clauses=tuple(map(named, asked.clauses))) if others else asked


def in_languages(asked: Query, others: Iterable[str]) -> Query:
    """Return a query without the stop words of its language, if that is one of `others` and not English.

    They are kept if the query has no other words.
    """
    among = (ENGLISH, *others)
    language = language_of(terms.words(plain_text(asked.text)), among, fewest=1)
    if language == ENGLISH:
        return asked
    hollow = stop_words(language)
    kept = tuple(
        clause
        for clause in asked.clauses
        if clause.need is not Need.MAY or not isinstance(clause.asked, Word) or clause.asked.typed not in hollow
    )
    return asked._replace(clauses=kept) if any(clause.need is not Need.MUST_NOT for clause in kept) else asked


def plain_text(text: str) -> str:
    """Return the plain text of a query: without filters, signs and excluded words."""
    return " ".join(part.text for part in _parts(text) if part.text and part.sign != "-" and not _is_filter(part))


def _is_filter(part: _Part) -> bool:
    return part.field is not None and _field_of(part.field, part.text) is not None


def _parts(text: str) -> list[_Part]:
    parts = []
    for found in _PART.finditer(text):
        if found["open"]:
            parts.append(_Part(None, None, "", is_open=True))
            continue
        is_quoted = found["quoted"] is not None
        raw = found["quoted"] if is_quoted else found["bare"]
        parts.append(_Part(found["sign"], found["field"], _ESCAPED.sub(r"\1", raw), is_quoted))
    return parts


# -- words ---------------------------------------------------------------------------------------


def _words(text: str) -> list[tuple[Clause, bool]]:
    """Return the clauses of text without spaces (several for `re-use`), each with whether it is a stop word."""
    if _PREFIX.fullmatch(text):
        return [(Clause(Prefix(terms.fold(text[:-1]))), False)]
    if day := _day(text):
        return [(Clause(day), False)]
    words = terms.words(text)
    typed = text if len(words) == 1 else None
    return [(Clause(_word(word, typed or word)), word in terms.stop_words()) for word in words]


def _exact(part: _Part) -> list[Clause]:
    """Return the clause of a quoted or signed part: its words adjacent, letter by letter."""
    need = _NEEDS[part.sign]
    if not part.is_quoted and _PREFIX.fullmatch(part.text):
        return [Clause(Prefix(terms.fold(part.text[:-1])), need)]
    if not part.is_quoted and (day := _day(part.text)):
        return [Clause(day, need)]
    words = terms.words(part.text)
    match words:
        case []:
            return []
        case [word]:
            # An excluded word is excluded in all its forms.
            return [Clause(_word(word, part.text, is_whole=need is not Need.MUST_NOT), need)]
        case _:
            # Of `re-use`: as text has it, then `re use` and `reuse`.
            apart = tuple(terms.words(part.text.replace("-", " ")))
            is_joined = len(apart) < len(words) == _WORDS_OF_JOINED
            others = (apart, *([tuple(words[:1])] if is_joined else ())) if len(apart) < len(words) else ()
            return [Clause(Phrase(tuple(words), others), need)]


def _word(word: str, typed: str, *, is_whole: bool = False) -> Word:
    """Return a word with its other spellings: `Müller` may be written Mueller, and `Mueller` Müller."""
    with_e = terms.words(typed.lower().translate(_UMLAUTS))
    others = {*(with_e if len(with_e) == 1 else ()), _SPELT_UMLAUT.sub(r"\1", word)}
    term = terms.term_of(word)
    whole = tuple(sorted({word, *others})) if is_whole else ()
    spellings = tuple(sorted({terms.term_of(other) for other in others} - {term}))
    return Word(term, spellings, word, whole, tuple(sorted(others - {word})))


def _day(text: str) -> Phrase | None:
    """Return an ISO date, such as `2026-05-08`, in all forms that memories have it in; None if it is not a date."""
    found = _DAY.fullmatch(text)
    try:
        day = date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None
    if day is None:
        return None
    year, month, number = str(day.year), f"{day:%B}".lower(), str(day.day)
    iso = tuple(day.isoformat().split("-"))
    return Phrase(iso, ((number, month, year), (month, number, year)))


# -- fields --------------------------------------------------------------------------------------


def _field_of(field: str, value: str) -> str | None:
    """Return the name of the filter in `field:value`; None if the part is words, like `todo:` or `note:milk`."""
    name = field.lower().replace("-", "_")
    name = _SYNONYMS.get(name, name)
    if name in MEMORY_TYPES:
        return name if value.startswith("m_") and is_memory_id(value) else None
    return name if name in FIELDS or name in KEY_BY_NAME else None


def _of_no_field(part: _Part, field: str) -> list[Clause]:
    """Return the clauses of a part that looks like a field but is not one."""
    need = _NEEDS[part.sign]
    if need is Need.MAY and not part.is_quoted:
        return [clause for clause, _ in _words(f"{field}:{part.text}")]
    return _exact(part._replace(text=f"{field}:{part.text}", is_quoted=True))


def _with_field(wanted: Filters, part: _Part, name: str) -> Filters:
    """Return the filters with a `field:value` added."""
    if name in MEMORY_TYPES:  # a ref, `belief:m_7f3k9q2x1c`
        wanted, name = wanted._replace(type=(*wanted.type, name)), "id"
    value = filters.stated(name, part.text)
    if part.sign == "-":
        operator = Operator.LACKS if name == "title" else Operator.UNEQUAL
        return wanted._replace(where=(*wanted.where, Where(KEYS.get(name, name), operator, value)))
    if name == "title":
        return wanted._replace(title=(*wanted.title, tuple(terms.terms(value))))
    if name in FIELDS:
        return _with_value(wanted, name, value)
    return wanted._replace(where=(*wanted.where, Where(name, Operator.EQUAL, value)))


def _with_value(wanted: Filters, name: str, value: str) -> Filters:
    changed: dict[str, Any] = {name: (*getattr(wanted, name), value)}
    return wanted._replace(**changed)


def _instead(field: str, value: str, own: Iterable[str]) -> str:
    """Return the note that a field does not exist, with a suggestion."""
    name = field.lower().replace("-", "_")
    words = f"`{field}:{value}` is read as words"
    if name in _OPTIONS:
        return f"{words}; --{name.replace('_', '-')} {value} is an option"
    from memstore.core.errors import nearest

    near = nearest(name, [*FIELDS, *KEY_BY_NAME, *own])
    return f"{words}: `{field}:` is not a field to search in" + (f"; did you mean `{near}:`?" if near else "")


# -- prompts -------------------------------------------------------------------------------------

# For a prompt of several pages, its first words say what it is about.
MOST_WORDS = 48


def of_prompt(text: str, *, also: Sequence[str] = ()) -> Query:
    """Return any text as a query: its first 48 distinct words, without stop words; signs and fields have no meaning.

    The query has no clauses if there are no such words, and no other words (`also`; see `with_also`).
    """
    words = dict.fromkeys(word for word in terms.words(text) if word not in terms.stop_words())
    asked = Query(text=text, clauses=tuple(Clause(_word(word, word)) for word in [*words][:MOST_WORDS]))
    return with_also(asked, also)


# -- did you mean ----------------------------------------------------------------------------------


SHORTEST_CORRECTED = 4
LETTERS_FOR_TWO_SLIPS = 8


def suggestion(audience: "Audience", asked: Query) -> str | None:
    """Return the query with each unknown word replaced by the nearest known one; None if nothing was replaced."""
    text = asked.text
    for clause in asked.clauses:
        if isinstance(clause.asked, Word) and not _stands(audience, clause.asked):
            typed = next((word for word in terms.words(asked.text) if terms.term_of(word) == clause.asked.term), "")
            word = _nearest_word(audience, typed)
            if word:
                text = re.sub(rf"(?i)(?<!\w){re.escape(typed)}(?!\w)", word, text)
    return text if text != asked.text else None


def _stands(audience: "Audience", word: Word) -> bool:
    """Whether a word occurs in any visible memory; in memories in other languages, with their stems."""
    if _rows_holding(audience, word.term):
        return True
    return any(
        audience.language_of(row) == language
        for language in audience.languages
        for field in Field
        for row in audience.then.holding(field, all_terms(word, language)[0])
    )


def _nearest_word(audience: "Audience", typed: str) -> str | None:
    """Return the known word that is nearest to an unknown one, as a memory spells it."""
    if len(typed) < SHORTEST_CORRECTED:
        return None
    most = 2 if len(typed) >= LETTERS_FOR_TWO_SLIPS else 1
    term = terms.term_of(typed)
    for edits in range(1, most + 1):
        alike = (known for known in audience.then.of(INDEX).terms("") if abs(len(known) - len(term)) <= edits)
        near = [known for known in alike if within_edits(term, known, edits)]
        counted = [(-_rows_holding(audience, known), known) for known in near]
        for count, known in sorted(counted):
            if count and (word := _spelling_of(audience, known)):
                return word
    return None


def _rows_holding(audience: "Audience", term: str) -> int:
    return sum(len(audience.then.holding(field, term)) for field in Field)


def _spelling_of(audience: "Audience", term: str) -> str | None:
    """Return a word with the stem `term`, as a memory spells it; preferably in lower case."""
    for field in Field:
        # The first by name: the order of rows depends on when files came, including hidden ones.
        rows = audience.then.holding(field, term)
        for row in sorted(rows, key=audience.names(rows))[:1]:
            file = audience.then.of(INDEX).opened(row)
            if file is None:
                continue
            entry, stem = file.entry, stemmer(audience.language_of(row))
            text = " ".join(
                (file.text.body, entry.title, *entry.aliases, *entry.tags, name_words(entry.path, entry.id))
            )
            spelt = {found[0] for found in terms.word_pattern(text).finditer(text)}
            near = [(word, whole) for word in spelt if len(whole := terms.words(word)) == 1]
            found = [word for word, (whole,) in near if stem(whole) == term]
            if found:
                return min(found, key=lambda word: (len(word), word != word.lower(), word))
    return None
