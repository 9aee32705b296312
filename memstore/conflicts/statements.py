"""Statements: a text split into sentences, each with its topic, its negations, and its time.

The words and numbers of a sentence become tokens that can be aligned with those of another sentence. Empty words,
negations and time words are separated from them.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts import lexicon, quantities
from memstore.conflicts.gists import FEWEST_WORDS, SHARED_ANYHOW
from memstore.conflicts.quantities import SCALES, Quantity, Scale
from memstore.core.full_stops import ends_sentence
from memstore.core.terms import fold, term_of
from memstore.core.word_lists import listed
from memstore.search.aliases import NO_ALIASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.search.aliases import Aliases

_NUMBERED = (
    "pr|issue|ticket|note|chapter|page|section|line|step|room|phase|part|test|case|figure|table|item|appendix|episode|season"
    "|session|route|gate|number|platform|sprint|lesson|exercise|question|level|seed|build|attempt|round|option|slide|volume"
)
# A pattern is used only if the text contains its first field: compiling all of them takes longer than most searches.
_CONTRACTIONS = (
    ("can", r"\bcannot\b|\bcan't\b", "can not"),
    ("'", r"\bwon't\b", "will not"),
    ("'", r"\bain't\b", "is not"),
    ("'", r"\b(is|are|was|were|do|does|did|has|have|had|would|could|should|must|might|need)n't\b", r"\1 not"),
    ("'", r"\b(i|you|we|they)'ve\b", r"\1 have"),
    ("'", r"\b(i|you|he|she|it|we|they)'ll\b", r"\1 will"),
    ("'", r"\bi'm\b", "i am"),
    ("'", r"\b(you|we|they)'re\b", r"\1 are"),
    ("'", r"\b(he|she|it|that|there)'s\b", r"\1 is"),
    ("ce ", r"\btwice (?=an? |per |every |each |daily)", "2 times "),
    ("ce ", r"\b(?<!at )once (?=an? |per |every |each |daily)", "1 times "),
    ("every", r"\bevery hour\b", "hourly"),
    ("every", r"\bevery (week|month|quarter|year)\b", r"\1ly"),
    ("longer", r"\bno longer\b", "now not"),
    ("more", r"\bnot\b(.*)\bany ?more\b", r"now not\1"),
    ("blood", r"\b(?:0|zero) (?=(?:positive|negative)\b)", "o "),
    ("unable", r"\b(?:am |is |are )?unable to\b", "can not"),
    ("able", r"\b(?:am|is|are) (not )?able to\b", r"can \1"),
    ("how to", r"\b(learn(?:ed|t|s)?|know|knows|knew) how to\b", r"\1 to"),
    ("other", r"\beach other\b", "together"),
    ("anything but", r"\banything but\b", "not"),
    ("far from", r"\bfar from (?=[a-z]+(?:[.,;!]|$| for\b| to\b))", "not "),
    ("means", r"\bby no means\b", "not"),
    ("in no way", r"\bin no way\b", "not"),
    ("not in the least", r"\bnot in the least\b", "not"),
    ("without exception", r"\bwithout exception\b", "always"),
    ("no", r"\b(?:under no circumstances|on no account)\b", "never"),
    ("half", r"\b(?:in )?the (first|second) half of (?:the )?(?=year|(?:19|20)\d\d)", r"in \1-half "),
    ("place", r"\btakes? place\b", "happens"),
    ("place", r"\b(?:took|taken) place\b", "happened"),
    ("-free", r"\b([a-z]+)-free\b", r"free of \1"),
    ("used", r"\b(?<!is )(?<!are )(?<!was )(?<!were )used to\b", "formerly"),
    ("'", r"'s (?=(?:on|in|at|under|over|behind|out|back|not|never|always|still|now) )", " is "),
    ("'", r"'s been\b", " has been"),
    ("'", r"'s\b|s'(?=\s)", ""),
    # A number in a name is not a count: PR #38 and PR #52 are two things.
    ("#", r"#(?=\d)", "nr"),
)
_NUMBERED_ONE = rf"\b({_NUMBERED}) (?=\d)"
# `A twenty-minute walk` takes twenty minutes, and a third-floor flat is on the third floor.
_SPELLED_UNIT = (
    rf"\b((?:{'|'.join(quantities.ORDINALS)})(?=-floor\b)|{'|'.join(quantities.CARDINALS)})-"
    r"(?=(?:second|minute|hour|day|night|week|month|year|mile|metre|meter|kilo|kilometre|kilometer|litre|liter|gram|pound|euro|dollar|floor)s?\b)"
)
# These look like negations, but deny nothing, or not what follows.
_NO_NEGATION = (
    r"\bnot (?:only|just|to mention|sure|surprised|surprising)\b|\bno (?:doubt|problem|worries|wonder|matter|way)\b"
    r"|\b(?:why|if|or) not\b|\bno\.? (?=\d)|^no,"
    r"|\bcan not (?:wait (?=to\b|for\b)|help\b|(?=[^.;]*\benough\b))|\bin no time\b|\bdo(?:ing)? nothing\b"
    r"|\bwithout (?:a |any )?(?:shadow of a )?(?:doubt|question|fail|trouble|problems?|difficulty|delay|hesitation)\b"
)
_NOISE = re.compile(r"\[\[[^\[\]]*+\]\]|\[\^[^\[\]]*+\]|(?<=\])\([^()\s]*+\)|https?://\S+|[`*_\"“”]")
_WORD = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+|[^\W\d_]+(?:['-][^\W_]+)*(?:\+\+|#)?|[^\W_]+(?:\.\d+)*")

# At most this many words after the first one of a number are read.
_MOST_NUMBER_WORDS = 12
# After one of these, a number is a bound or an estimate, which another number may agree with.
_VAGUE = listed("about around approximately approx ca circa roughly nearly almost over under than least most to some")
# After or before these words, `one` is not a number.
_ONE_AFTER = listed("the this that any every each another which")
_ONE_BEFORE = listed("of another day in who that thing")
# After these, `an hour` is a duration of one hour, not a rate.
_LASTING = listed("take takes took last lasts lasted taken need needs is was than under over about within in")
_BEFORE_A_YEAR = listed("in since until till by of from during before after year and to")

PAST_BE = frozenset({"was", "were"})
_BE = listed("am is are was were be been being")
_HAVE = frozenset({"have", "has", "had", "having"})
# Past forms that don't end in -ed, and words in -ed that are not past forms.
_PAST = listed("""
    was were had did went came got gave took made saw met told said wrote read bought sold began left lost won sat
    stood ran rose fell taught threw caught spent woke slept built ate drank found felt heard kept knew thought flew
    drove grew sang swam wore chose hid bit rode shook stole tore brought sent paid held spoke
    """)
_NOT_PAST = listed("""
    shed sled need red bed feed seed speed weed breed indeed hundred sacred deed reed steed greed creed exceed proceed
    succeed wicked naked rugged ragged crooked kindred biped infrared
    """)


class Token(NamedTuple):
    """A word or number: `key` is compared; `word` is the folded word, or the words of a phrase joined by `_`.

    `value` is set for numbers; `vague` means that the number is a limit or an estimate.
    """

    key: str
    word: str
    value: Quantity | None = None
    vague: bool = False


@lru_cache(maxsize=256)
def tokens(sentence: str) -> Sequence[Token]:
    """Return a sentence's words and numbers in order; phrases of the lexicon and numbers with units are one each."""
    return [_token(piece, before) for piece, before in _with_before(_merged(_pieces(_plain(sentence))))]


def _plain(sentence: str) -> str:
    """Return a sentence folded, without markup, its contractions spelled out."""
    text = " ".join(_NOISE.sub(" ", fold(sentence)).split())
    for sign, pattern, whole in _CONTRACTIONS:
        if sign in text:
            text = re.sub(pattern, whole, text)
    if "-" in text:
        text = re.sub(_SPELLED_UNIT, r"\1 ", text)
    if quantities.has_digit(text):
        text = re.sub(_NUMBERED_ONE, r"\1 nr", text)
    return re.sub(_NO_NEGATION, " ", text) if "no" in text or "without" in text else text


def _pieces(text: str) -> list[str | Quantity]:
    """Return the words of a text, and the quantities that are written with digits."""
    pieces: list[str | Quantity] = []
    at = 0
    for value, start, end in quantities.found_in(text):
        pieces += _WORD.findall(text[at:start])
        pieces.append(value)
        at = end
    return pieces + _WORD.findall(text[at:])


def _merged(pieces: list[str | Quantity]) -> Iterator[str | Quantity]:
    """Yield the pieces, with those that belong together joined: `living room`, `two miles`, `in 2023`."""
    at = 0
    before: str | Quantity = ""
    while at < len(pieces):
        joined, width = _joined(pieces, at, before)
        yield joined
        before = joined
        at += width


def _joined(pieces: list[str | Quantity], at: int, before: str | Quantity) -> tuple[str | Quantity, int]:
    """Return the phrase, quantity or word that begins at a position, and the number of pieces in it."""
    piece, after = pieces[at], pieces[at + 1] if at + 1 < len(pieces) else ""
    for phrase in lexicon.phrases(piece) if isinstance(piece, str) else ():
        if tuple(pieces[at : at + len(phrase)]) == phrase:
            return "_".join(phrase), len(phrase)
    is_pronoun = piece == "one" and _is_pronoun(before, after) and after not in SCALES
    if piece in ("a", "an") and before in _LASTING and (one_of := quantities.one_of(after)):
        return one_of, 2
    last = pieces[at + 2] if at + 2 < len(pieces) else ""
    width = 3 if after in ("a", "an") else 2  # half an hour, half hour
    if piece == "half" and (one_of := quantities.one_of(last if width > 2 else after)) and one_of.parts[0]:  # noqa: PLR2004
        return one_of._replace(parts=(one_of.parts[0] / 2,)), width
    found = None if is_pronoun else quantities.of_words(piece, pieces[at + 1 : at + 1 + _MOST_NUMBER_WORDS])
    if found is None:
        return piece, 1
    value, more = found
    after = pieces[at + more + 1] if at + more + 1 < len(pieces) else ""
    if isinstance(after, str) and after and (measure := quantities.measured(value, after)):
        return measure, more + 2
    first = 1700 if before in ("in", "since") else 1900
    year = quantities.as_year(value, first) if before in _BEFORE_A_YEAR else None
    return year or value, more + 1


def _is_pronoun(before: str | Quantity, after: str | Quantity) -> bool:
    """Whether `one` between two pieces is not a number: `the one`, `one of them`, `a cheap one`."""
    if before in _ONE_AFTER or after in _ONE_BEFORE:
        return True
    follows = isinstance(before, str) and before not in GRAMMAR | EMPTY | NEGATORS
    return follows and before != "" and (not after or after in GRAMMAR)


def _with_before(pieces: Iterator[str | Quantity]) -> Iterator[tuple[str | Quantity, str | Quantity]]:
    before: str | Quantity = ""
    for piece in pieces:
        yield piece, before
        before = piece


def _token(piece: str | Quantity, before: str | Quantity) -> Token:
    if isinstance(piece, Quantity):
        return Token(f"{piece.scale.value} {piece.of} {piece.parts}", "", piece, vague=before in _VAGUE)
    return Token(key_of(piece), piece)


# Porter's stemmer takes `mrs` for the plural of `mr`.
TITLES = listed("mr mrs ms")


@cache
def key_of(word: str) -> str:
    """Return the key for comparing a word: its stem; all forms of `be` have the same key, and so do those of `have`."""
    if word in _BE:
        return "be"
    if word in TITLES:
        return word
    return "have" if word in _HAVE else term_of(word)


def is_date(token: Token) -> bool:
    """Whether a token is a date, or part of one."""
    return token.value is not None and token.value.scale is Scale.DATE


def is_past(word: str) -> bool:
    """Whether a word is a past form: `moved`, `went`; not `bike-shed`."""
    return word in _PAST or (word.endswith("ed") and word.rpartition("-")[2] not in _NOT_PAST)


# -- statements ------------------------------------------------------------------------------------


FIRST_PERSON = listed("i me my mine we us our ours you your yours")


class Statement(NamedTuple):
    """A sentence that makes a statement.

    `negations` has the positions in `tokens` that a negation came before, `topic` the keys of the topic words, and
    `when` the time words. `about` is what `she` or `it` may mean: the beginning of an earlier sentence;
    `by_name` what it says of its speaker, as if another person said it. `written` is the sentence as it stands in the
    text, if aliases in it were replaced by the one name; else it is empty. Lines are counted from 0 at the beginning of
    the text.
    """

    text: str
    tokens: tuple[Token, ...]
    negations: tuple[int, ...]
    topic: frozenset[str]
    when: tuple[Token, ...]
    line_start: int
    line_end: int
    about: str = ""
    by_name: str = ""
    written: str = ""

    @property
    def of_speaker(self) -> bool:
        """Whether it is about the speaker or the listener."""
        return any(token.word in FIRST_PERSON for token in self.tokens)


# The statements of recent passages are cached, because a session returns to the same ones.
@lru_cache(maxsize=1024)
def statements(text: str) -> tuple[Statement, ...]:
    """Return the statements of a text, one per sentence; questions, headings, rows and markup are not statements."""
    return tuple(each_statement(text))


def each_statement(
    text: str, lines: range | None = None, says: Callable[[str], bool] = bool, aliases: Aliases = NO_ALIASES
) -> Iterator[Statement]:
    """Yield the statements of a text, or of some of its lines, for a caller that needs only the first ones.

    Args:
        text: the text.
        lines: its lines, from 0; None for all.
        says: whether a sentence counts; others are not parsed.
        aliases: the names that stand for one another.
    """
    about, line, counted = "", 0, 0
    for start, end in sentences(text):
        line, counted = line + text.count("\n", counted, start), start
        last = line + text.count("\n", start, end)
        is_inside = lines is None or (line < lines.stop and last >= lines.start)
        written = text[start:end]
        said = aliases.as_one(written)
        if is_inside and not _NO_STATEMENT.search(written) and says(written):
            statement = statement_of(said, about, "" if said == written else written)
            if statement.topic:
                yield statement._replace(line_start=line, line_end=last)
        about = _spoken_of(said, about)


@lru_cache(maxsize=1024)
def statement_of(sentence: str, about: str = "", written: str = "") -> Statement:
    """Return the statement of a sentence; `about` is the meaning of a pronoun at its beginning."""
    said, negations, when = _sorted_out(tokens(sentence))
    words = [token.word for token in said if token.value is None and token.word not in GRAMMAR]
    families = ((word, lexicon.family_of(word)) for word in words)
    topic = frozenset([*map(key_of, words), *(term_of(family) for word, family in families if family != word)])
    if about and said and said[0].word in _STANDS_FOR:
        topic |= frozenset(map(key_of, fold(about).split()))
    return Statement(sentence, said, negations, topic, when, 0, 0, about, in_third_person(sentence) or "", written)


# Names for whoever says `I` or `we`: what two sentences say of their speaker is compared like what they say of others.
_I, _WE = "Ego", "Nos"
_OF_SPEAKER = re.compile(r"[^\w'’-]*+(?:(?:[\w'’-]++,? ){0,4}(?:I\b|(?i:we)\b)|(?:My|Our) )")
_QUOTED = re.compile(r"[\"“”„«»]|(?<!\w)'\w")
_IN_THIRD_PERSON = tuple(
    (re.compile(rf"\b(?:{said})\b", re.IGNORECASE), told)
    for said, told in (
        (r"I am|I['’]m", f"{_I} is"),
        (r"we are|we['’]re", f"{_WE} is"),
        (r"I have|I['’]ve", f"{_I} has"),
        (r"we have|we['’]ve", f"{_WE} has"),
        (r"I haven['’]t", f"{_I} has not"),
        (r"we haven['’]t", f"{_WE} has not"),
        (r"I do not|I don['’]t", f"{_I} does not"),
        (r"we do not|we don['’]t", f"{_WE} does not"),
        (r"my", f"{_I}'s"),
        (r"ours?", f"{_WE}'s"),
        (r"I|me|myself", _I),
        (r"we|(?-i:us)|ourselves", _WE),
    )
)


def in_third_person(text: str) -> str | None:
    """Return what a sentence says of its speaker as if another person said it: `I am` as `Ego is`.

    None if it does not begin with the speaker, after a few words at most, or has a quotation.
    """
    if not _OF_SPEAKER.match(text) or _QUOTED.search(text):
        return None
    for said, told in _IN_THIRD_PERSON:
        text = said.sub(told, text)
    return text


def topic_of(statement: Statement) -> frozenset[str]:
    """Return the topic of a statement; if it is about the speaker, with `i` or `we`."""
    return statement.topic | {said for said, name in (("i", _I), ("we", _WE)) if name in statement.by_name}


def topics_in(text: str) -> list[frozenset[str]]:
    """Return what the lines of a text are about, nearly as their statements' topics, which take much longer."""
    lines = (_LETTERS.findall(line) for line in text.casefold().splitlines())
    topics = (frozenset(key_of(word) for word in line if word not in GRAMMAR) for line in lines)
    return [topic for topic in topics if len(topic) >= FEWEST_WORDS]


_LETTERS = re.compile(r"[^\W\d_]+")
# A heading, a table row that is more than a name and a number, a link target or property, an introduction to a list, an
# image, a tag, a place to fill in.
_NO_STATEMENT = re.compile(
    r"\A(?:#+ [^\n]*\Z|\|(?![^|\n]+\|[^|\n]*\d[^|\n]*\|\s*\Z)|\[[^\]]*\]:|[\w-]+:: )"
    r"|:[\s*_]*\Z|!\[|\{[%{:]|\{[a-z ]+|#\+\w|</?(?:[a-z]+\d?)\b[^<>]*>",
    re.IGNORECASE,
)
_STANDS_FOR = listed("he she it")
# If a sentence begins with a name, or with an article and a noun before its verb, that is what it is about.
_FIRST_THING = re.compile(
    r"(?:The|Our|My) [a-z-]+(?: [a-z-]+)??"
    r"(?= (?:is|was|has|had|can|could|will|would|must|may|should|does|did|in|on|of|at|[a-z]+ed|[a-z]+[^s\W]s)\b)"
)
_FIRST_NAME = re.compile(r"([A-Z][a-z]+)\b(?: [A-Z][a-z]+)?(?=[ ,])")


def _sorted_out(found: Sequence[Token]) -> tuple[tuple[Token, ...], tuple[int, ...], tuple[Token, ...]]:
    """Return the significant tokens of a sentence, the positions of negations, and the time words."""
    said: list[Token] = []
    negations: list[int] = []
    when: list[Token] = []
    for token, is_when in zip(found, _whens(found), strict=True):
        if is_when:
            when.append(token)
        elif token.word in NEGATORS:
            negations.append(len(said))
        elif token.word not in EMPTY:
            said.append(token)
    return tuple(said), tuple(negations), tuple(token for token in when if token.word not in LEADS_TO_WHEN)


def _whens(found: Sequence[Token]) -> list[bool]:
    """Return for each token whether it is a date or time word, or leads to one (`since last week`)."""
    before = ["", *(token.word for token in found)]
    marks = [
        is_date(token) or (token.word in WHEN and not (token.word in _PERIODS and lead in ("a", "per")))
        for token, lead in zip(found, before, strict=False)
    ]
    return with_leads(marks, found)


def with_leads(marks: list[bool], found: Sequence[Token]) -> list[bool]:
    """Return the marks of time words, extended to the words that lead to them: `since last week`."""
    for at in range(len(found) - 2, -1, -1):
        marks[at] = marks[at] or (marks[at + 1] and found[at].word in LEADS_TO_WHEN)
    return marks


# -- where sentences end ---------------------------------------------------------------------------


_OTHER_NAME = re.compile(r" ([A-Z][a-z]+)")


def _spoken_of(sentence: str, before: str) -> str:
    """Return what a pronoun in the next sentence may mean; empty if it is ambiguous."""
    found = _FIRST_NAME.match(sentence)
    if not found or found[1].casefold() in _NO_NAMES or _is_told_to_do(found[0]):
        found = _FIRST_THING.match(sentence)
    others = _OTHER_NAME.finditer(sentence, found.end() if found else 0)
    if any(other[1].casefold() not in _NO_NAMES for other in others):
        return ""
    return found[0] if found else before


def _is_told_to_do(name: str) -> bool:
    """Whether what looks like a name begins with a verb: `Pay Wilf`."""
    return " " in name and lexicon.stands(name.split(" ", 1)[0].casefold())


# Words without a meaning of their own; sentences that differ only in these don't differ.
EMPTY = listed("""
    a an the very really so quite truly just also too actually definitely indeed still even simply that there do does
    did rather absolutely extremely certainly surely obviously clearly undoubtedly truly then well oh wow yeah yes
    """)
# Function words: they count when sentences are aligned, but are not part of a topic.
GRAMMAR = listed("""
    am is are was were be been being have has had having will would can could should may might must shall to of in on
    at by for from with into onto about as and or but if than it its this these those he she they him her his their
    them who which what some any every each all i me my mine we us our you your when while where because during since
    until one thing things more most much many lot lots get got go goes going make made way time
    """)
NEGATORS = frozenset({"not", "never", "no", "neither", "nor"})

# Time words; and words that may lead to a date or time word.
WHEN = listed("""
    now currently nowadays today formerly previously recently yesterday tomorrow tonight week weekend month year january
    february march april june july august september october november december monday tuesday wednesday thursday friday
    saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
    """)
# After `a`, how often something is, not when: `120 a year`.
_PERIODS = frozenset({"week", "month", "year"})
LEADS_TO_WHEN = listed("in on since from until till by as of during before after last next this")
_NO_NAMES = GRAMMAR | EMPTY | WHEN | LEADS_TO_WHEN
# The first words of phrases that only add to a statement.
ADDS = listed("""
    in on at with for from by during because since while when as near under over inside outside without
    every each always again
    """)
# Words for how often: adding one makes no difference, and denying one does not deny the rest.
OFTEN = frozenset({"always", "constantly", "usually", "often", "ever", "regularly", "all"})

# Two sentences are aligned only if each has at most this many topic words that the other lacks.
MOST_OTHER_WORDS = 6

# The end of a sentence, list item, table row, property or paragraph; `but` before an exception (`every day but Monday`)
# is none.
_END = re.compile(
    r"(?<=[.!?…;])[\"')*_]*\s+"
    r"|(?<!nobody)(?<!no one)(?<!nothing)(?<!anything),? (?=but (?!\w+[.;!?]|\w+ \w+[.;!?])|however (?!\w+[,.;]))"
    r"|\n(?=\s*(?:[-*+|>]|[\w-]+:: ))|\n\s*\n|\s(?=[•✅✓✔❌✗✘])",
    re.IGNORECASE,
)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence that is not a question, without surrounding white space."""
    start = 0
    ends = (found.span() for found in _END.finditer(text) if ends_sentence(text, *found.span()))
    for end, after in [*ends, (len(text), len(text))]:
        part = text[start:end]
        if part.strip() and not part.rstrip("\"')*_ \n").endswith("?"):
            yield start + len(part) - len(part.lstrip()), start + len(part.rstrip())
        start = after


# Aligning two sentences takes quadratic time, and a longer sentence does not make a single statement.
MOST_TOKENS = 100
# Everything has a default, and each a different one.
_OF_ANYTHING = frozenset(map(term_of, listed("default defaults value values option options example examples")))


def near_in_any_order(one: Statement, other: Statement) -> bool:
    """Whether two statements share enough of the shorter one's topic (`SHARED_ANYHOW`), and are short enough.

    Whoever speaks counts like a word that both have.
    """
    shared, of_speaker = one.topic & other.topic, bool(one.by_name and other.by_name)
    if (shared <= _OF_ANYTHING and not of_speaker) or max(len(one.tokens), len(other.tokens)) > MOST_TOKENS:
        return False
    return len(shared) + of_speaker >= SHARED_ANYHOW * min(len(one.topic), len(other.topic))
