"""The query language: words are alternatives, ranked; `"phrase"`, `+must`, `-not`, `prefix*`, `field:value`.

A query that means nothing is refused. It is never read as a wider one. Where it finds nothing, one that does is
suggested, from the words of the memories that the viewer may see.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core import terms
from memstore.core.catalog import Field
from memstore.core.errors import UsageError
from memstore.core.ids import MEMORY_TYPES
from memstore.core.keys import KEY_BY_NAME
from memstore.search import filters
from memstore.search.matching import within_edits
from memstore.search.retrieval import Clause, Filters, Need, Operator, Phrase, Prefix, Query, Where, Word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.search.ranker import Audience


# One part of a query: its sign, its field, and a text that is quoted or not. A backslash takes the next character
# as it is; a quote between letters is none.
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
_NEEDS = {"+": Need.MUST, "-": Need.MUST_NOT, None: Need.MAY}

# How people spell an umlaut that their keyboard does not have, in both directions.
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_SPELT_UMLAUT = re.compile("(?<![aeiouq])([aou])e")

_SYNONYMS = {"tags": "tag", "subject_ids": "subject"}
KEYS = {"tag": "tags", "subject": "subject_ids"}
# What is asked for by an option alone.
_OPTIONS = frozenset({"since", "until", "min_confidence", "min_trust", "level", "where", "at", "by", "sort", "limit"})
FIELDS = (*filters.FIELDS, "title", "id")


class _Part(NamedTuple):
    """One part of a query, as it was typed."""

    sign: str | None
    field: str | None
    text: str
    is_quoted: bool


def parse(text: str) -> Query:
    """Take a query apart.

    Raises:
        UsageError: a quote is not closed, a field unknown, or nothing is asked for.
    """
    wanted = Filters()
    clauses: list[Clause] = []
    hollow: list[Clause] = []  # of stop words: wanted only where nothing else is
    for part in _parts(text):
        if part.field:
            wanted = _with_field(wanted, part, part.field)
        elif part.sign is None and not part.is_quoted:
            for clause, is_hollow in _words(part.text):
                (hollow if is_hollow else clauses).append(clause)
        else:
            clauses += _exact(part)
    if wanted == Filters() and all(clause.need is Need.MUST_NOT for clause in clauses):
        clauses += hollow
        if not hollow:
            raise UsageError(
                f"the query `{text}` asks for nothing",
                hint="name at least one word to look for; `memstore list` shows all memories",
            )
    return Query(text=text, clauses=_each_once(clauses), filters=wanted)


def _each_once(clauses: Iterable[Clause]) -> tuple[Clause, ...]:
    """Return the clauses, each once: `dogs dog` asks for one word, as it is typed first."""
    found: dict[Clause, Clause] = {}
    for clause in clauses:
        asked = clause.asked._replace(typed="") if isinstance(clause.asked, Word) else clause.asked
        found.setdefault(clause._replace(asked=asked), clause)
    return tuple(found.values())


def said(text: str) -> str:
    """Return what a query says as a text: without its fields, its signs, and what must not be found."""
    return " ".join(part.text for part in _parts(text) if not part.field and part.sign != "-")


def _parts(text: str) -> list[_Part]:
    parts = []
    for found in _PART.finditer(text):
        if found["open"]:
            raise UsageError(
                f"a quote is not closed in the query `{text}`",
                hint='close the phrase, "like this", or write \\" for the sign itself',
            )
        is_quoted = found["quoted"] is not None
        raw = found["quoted"] if is_quoted else found["bare"]
        parts.append(_Part(found["sign"], found["field"], _ESCAPED.sub(r"\1", raw), is_quoted))
    return parts


# -- words ---------------------------------------------------------------------------------------


def _words(text: str) -> list[tuple[Clause, bool]]:
    """Return the clauses of plain text without blanks, several for `re-use`, and whether each is a stop word's."""
    if _PREFIX.fullmatch(text):
        return [(Clause(Prefix(terms.fold(text[:-1]))), False)]
    words = terms.words(text)
    typed = text if len(words) == 1 else None
    return [(Clause(_word(word, typed or word)), word in terms.stop_words()) for word in words]


def _exact(part: _Part) -> list[Clause]:
    """Return the clause of a quoted or signed part: its words side by side."""
    need = _NEEDS[part.sign]
    if not part.is_quoted and _PREFIX.fullmatch(part.text):
        return [Clause(Prefix(terms.fold(part.text[:-1])), need)]
    words = terms.words(part.text)
    match words:
        case []:
            return []
        case [word]:
            return [Clause(_word(word, part.text), need)]
        case _:
            return [Clause(Phrase(tuple(map(terms.term_of, words))), need)]


def _word(word: str, typed: str) -> Word:
    """Return a word with its other spellings: `Müller` may stand as Mueller, `Mueller` as Müller."""
    with_e = terms.words(typed.lower().translate(_UMLAUTS))
    others = {*(with_e if len(with_e) == 1 else ()), _SPELT_UMLAUT.sub(r"\1", word)}
    term = terms.term_of(word)
    return Word(term, tuple(sorted({terms.term_of(other) for other in others} - {term})), word)


# -- fields --------------------------------------------------------------------------------------


def _with_field(wanted: Filters, part: _Part, field: str) -> Filters:
    """Return the filters with one more `field:value`."""
    name = field.lower().replace("-", "_")
    name = _SYNONYMS.get(name, name)
    if name in MEMORY_TYPES:  # a ref, `belief:m_7f3k9q2x1c`
        wanted, name = wanted._replace(type=(*wanted.type, name)), "id"
    if name not in FIELDS and name not in KEY_BY_NAME:
        raise UsageError(
            f"`{field}:` is no field to search in",
            hint=f'{_instead(name, part.text)}; to look for the text, quote it: "{field}:{part.text}"',
        )
    value = filters.checked(name, part.text)
    if part.sign == "-":
        operator = Operator.LACKS if name == "title" else Operator.UNEQUAL
        return wanted._replace(
            where=(*wanted.where, filters.checked_where(Where(KEYS.get(name, name), operator, value)))
        )
    if name == "title":
        return wanted._replace(title=(*wanted.title, tuple(terms.terms(value))))
    if name in FIELDS:
        return _with_value(wanted, name, value)
    return wanted._replace(where=(*wanted.where, filters.checked_where(Where(name, Operator.EQUAL, value))))


def _with_value(wanted: Filters, name: str, value: str) -> Filters:
    changed: dict[str, Any] = {name: (*getattr(wanted, name), value)}
    return wanted._replace(**changed)


def _instead(name: str, value: str) -> str:
    if name in _OPTIONS:
        return f"it is an option: --{name.replace('_', '-')} {value}"
    from memstore.core.errors import nearest

    near = nearest(name, [*FIELDS, *KEY_BY_NAME])
    return f"did you mean `{near}:`?" if near else f"fields are {', '.join(FIELDS)}"


# -- prompts -------------------------------------------------------------------------------------

# A prompt of pages is about what most of it says; its first words are what it is about.
MOST_WORDS = 48


def of_prompt(text: str) -> Query:
    """Return the query that any text is: its words alone, without signs, fields and stop words, the first 48 of them.

    It asks for nothing where there are no such words.
    """
    words = dict.fromkeys(word for word in terms.words(text) if word not in terms.stop_words())
    return Query(text=text, clauses=tuple(Clause(_word(word, word)) for word in [*words][:MOST_WORDS]))


# -- did you mean ----------------------------------------------------------------------------------


SHORTEST_CORRECTED = 4
LETTERS_FOR_TWO_SLIPS = 8


def suggestion(audience: Audience, asked: Query) -> str | None:
    """Return the query with each word that stands nowhere replaced by the nearest one that does; None without any."""
    text = asked.text
    for clause in asked.clauses:
        if isinstance(clause.asked, Word) and not _rows_holding(audience, clause.asked.term):
            typed = next((word for word in terms.words(asked.text) if terms.term_of(word) == clause.asked.term), "")
            word = _nearest_word(audience, typed)
            if word:
                text = re.sub(rf"(?i)(?<!\w){re.escape(typed)}(?!\w)", word, text)
    return text if text != asked.text else None


def _nearest_word(audience: Audience, typed: str) -> str | None:
    """Return the word nearest to one that stands nowhere, as a memory spells it."""
    if len(typed) < SHORTEST_CORRECTED:
        return None
    most = 2 if len(typed) >= LETTERS_FOR_TWO_SLIPS else 1
    term = terms.term_of(typed)
    for edits in range(1, most + 1):
        near = [known for known in audience.then.terms("") if within_edits(term, known, edits)]
        counted = [(-_rows_holding(audience, known), known) for known in near]
        for count, known in sorted(counted):
            if count and (word := _spelt(audience, known)):
                return word
    return None


def _rows_holding(audience: Audience, term: str) -> int:
    return sum(len(audience.then.holding(field, term)) for field in Field)


def _spelt(audience: Audience, term: str) -> str | None:
    """Return a word of which `term` is the stem, from a memory that has it."""
    for field in Field:
        # The first by name: rows stand as files came, hidden ones among them.
        rows = audience.then.holding(field, term)
        for row in sorted(rows, key=audience.names(rows))[:1]:
            file = audience.then.opened(row)
            if file is None:
                continue
            entry = file.entry
            words = terms.words(" ".join((file.text.body, entry.title, *entry.aliases)))
            found = sorted((word for word in set(words) if terms.term_of(word) == term), key=lambda w: (len(w), w))
            if found:
                return found[0]
    return None
