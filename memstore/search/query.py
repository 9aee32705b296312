"""The query language: words are alternatives, ranked; `"phrase"`, `+must`, `-not`, `prefix*`, `field:value`.

A query that means nothing is refused. It is never read as a wider one.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from memstore.errors import UsageError
from memstore.model.ids import MEMORY_TYPES
from memstore.model.keys import KEY_BY_NAME
from memstore.model.retrieval import Clause, Filters, Need, Operator, Phrase, Prefix, Query, Where, Word
from memstore.rules import analysis, filters

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
    return Query(text=text, clauses=tuple(dict.fromkeys(clauses)), filters=wanted)


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
        return [(Clause(Prefix(analysis.fold(text[:-1]))), False)]
    return [(Clause(_word(word, text)), word in analysis.STOP_WORDS) for word in analysis.words(text)]


def _exact(part: _Part) -> list[Clause]:
    """Return the clause of a quoted or signed part: its words side by side."""
    need = _NEEDS[part.sign]
    if not part.is_quoted and _PREFIX.fullmatch(part.text):
        return [Clause(Prefix(analysis.fold(part.text[:-1])), need)]
    words = analysis.words(part.text)
    match words:
        case []:
            return []
        case [word]:
            return [Clause(_word(word, part.text), need)]
        case _:
            return [Clause(Phrase(tuple(map(analysis.term_of, words))), need)]


def _word(word: str, typed: str) -> Word:
    """Return a word with its other spellings: `Müller` may stand as Mueller, `Mueller` as Müller."""
    with_e = analysis.words(typed.lower().translate(_UMLAUTS))
    others = {*(with_e if len(with_e) == 1 else ()), _SPELT_UMLAUT.sub(r"\1", word)}
    term = analysis.term_of(word)
    return Word(term, tuple(sorted({analysis.term_of(other) for other in others} - {term})))


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
        return wanted._replace(title=(*wanted.title, tuple(analysis.terms(value))))
    if name in FIELDS:
        return _with_value(wanted, name, value)
    return wanted._replace(where=(*wanted.where, filters.checked_where(Where(name, Operator.EQUAL, value))))


def _with_value(wanted: Filters, name: str, value: str) -> Filters:
    changed: dict[str, Any] = {name: (*getattr(wanted, name), value)}
    return wanted._replace(**changed)


def _instead(name: str, value: str) -> str:
    if name in _OPTIONS:
        return f"it is an option: --{name.replace('_', '-')} {value}"
    from memstore.model.nearest import nearest

    near = nearest(name, [*FIELDS, *KEY_BY_NAME])
    return f"did you mean `{near}:`?" if near else f"fields are {', '.join(FIELDS)}"


# -- prompts -------------------------------------------------------------------------------------

# A prompt of pages is about what most of it says; its first words are what it is about.
MOST_WORDS = 48


def of_prompt(text: str) -> Query:
    """Return the query that any text is: its words alone, without signs, fields and stop words, the first 48 of them.

    It asks for nothing where there are no such words.
    """
    words = dict.fromkeys(word for word in analysis.words(text) if word not in analysis.STOP_WORDS)
    return Query(text=text, clauses=tuple(Clause(_word(word, word)) for word in [*words][:MOST_WORDS]))
