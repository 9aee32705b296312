"""Frames: what a sentence is about, independent of word order, with its denials, numbers and dates.

Two sentences that can't be aligned word by word may still be about the same thing: `The board did not approve the
report` and `The report was approved by the board on Friday`. A frame has the content words of one clause and the
position of its verb: the subject comes before it.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts import lexicon
from memstore.conflicts.quantities import MONTHS, Quantity, Scale
from memstore.conflicts.statements import (
    EMPTY,
    GRAMMAR,
    LEADS_TO_WHEN,
    NEGATORS,
    WHEN,
    Token,
    is_date,
    is_past,
    tokens,
    with_leads,
)
from memstore.core.terms import fold, term_of
from memstore.core.word_lists import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


# A rule that forbids something denies it.
FORBIDDEN = listed(
    "forbidden prohibited banned disallowed forbids prohibits bans disallows outlaws forbid prohibit disallow"
)
DENIALS = (
    NEGATORS | FORBIDDEN | listed("nobody no_one none nothing nowhere without lack lacks lacked avoids avoid abstains")
)
# Denials with these words allow no exception.
DENY_ALL = listed("nobody no_one none nothing nowhere never no neither without lack lacks free")
ALL = listed("""
    all every each everyone everybody everything everywhere always both either any anyone anybody anything whole
    entire
    """)
ALWAYS = listed("always invariably everywhere without_exception")
ONLY = listed("only solely exclusively")
# A statement about a part neither denies nor affirms anything about the rest.
IN_PART = listed("""
    some somebody someone few fewer half most many several almost nearly hardly barely scarcely partly mostly
    sometimes often usually rarely seldom generally occasionally
    """)
# Suppositions, wishes and exceptions are not statements.
HEDGES = listed("""
    if unless whether maybe perhaps probably possibly likely unlikely might could would think thinks thought believe
    believes believed guess suppose supposes supposed hope hopes hoped planned want wants wanted wish wishes wished
    intend intends intended expect expects expected expecting doubt doubts seem seems seemed apparently allegedly
    except apart excluding exception besides unlike instead or claimed suspect suspects try tries tried trying
    rumour consider considers considered considering offered dreamt dreamed pretend pretends promise promised
    promises meant scheduled how next another other others
    """)
# `In the story`, everything may be so.
_FICTION = listed("story tale fable legend myth novel film play dream joke game poem song fairytale fairy")
# A sentence that ends with one of these refers to something outside it.
_POINTERS = listed("this that it these those so")
_MAY_BE_NOUNS = listed(
    "possible conceivable probable plan plans offer offers claim claims guess wish wishes hope hopes dream dreams"
)
# Saying what somebody should do does not mean that they do it.
NORMS = listed("must should shall ought please")
# Words that tell of a change; they are not what a sentence is about.
CHANGES = listed("""
    elected appointed upgraded downgraded migrated
    rise rises rose risen raised raise increased increase went gone go goes up fell fallen fall falls dropped drop
    reduced lowered grew grown new changed change changes switched moved become became again meanwhile already only now
    forward earlier later currently nowadays formerly still anymore longer further more less here since then previously
    today postponed renamed rewritten again changed
    """)
# Words that may replace `be` or `have`, or mean nothing.
_LIGHT = listed("""
    kind kinds sort sorts type types way part piece number amount ever once exactly about around
    approximately roughly yet total altogether just at_all whole entire own call called named stay stays stayed remain
    remains remained switch switched turn turned up over after before through against both us itself himself herself
    themselves only within among per using via under twice thrice times days hour hours life whatsoever
    past across along round towards toward among beyond put puts down out between stand stands stood anywhere somewhere
    somehow
    """)
# Before `of`, these only say how much of a thing there is.
_MEASURES = listed("""
    cup cups glass glasses mug mugs bottle bottles pot pots bowl bowls plate plates pint pints slice slices spoon spoons
    teaspoon teaspoons tablespoon tablespoons pinch drop drops member members
    """)
_NO_CONTENT = (EMPTY | GRAMMAR | DENIALS | ALL | IN_PART | LEADS_TO_WHEN | _LIGHT) - {"well"}
PREPOSITIONS = listed("""
    in on at from under with by to since after before during for of near over inside outside behind beneath below
    above beside between through onto into along past across round towards toward against among beyond
    """)
_AUXILIARIES = listed("""
    am is are was were be been has have had do does did can will may must should shall would could might
    """)
KNOWN = listed("the my our your his her its their this that these those")  # before a thing that is known
DETERMINERS = KNOWN | listed("a an no every each all some any")

SAYS = "says?|said|states?|stated|insists?|insisted|notes?|noted|writes|wrote|tells|told|confirms?|confirmed"
_MARKS = re.compile(r"\([^()]*\)|[\"“”«»*_`]")
# `Marek is our goalkeeper`: our goalkeeper is Marek.
_IS_OUR = re.compile(
    r"^((?:(?:Mr|Mrs|Ms|Dr)\.? )?[A-Z][\w/]*(?: [A-Z]\w+)?(?: \d+(?:\.\d+)*)?|[A-Z] \w+) (is|was)"
    r" ((?:the|our|my|his|her|their|[A-Z]\w+['’]s) [\w -]{3,40}?)(?=[,;.]|$)(.*)$",
    re.DOTALL,
)
# Additions to the main clause: reasons, and further predicates.
_TAIL = re.compile(
    r" (?:because|so that|now that|although|though|whereas|while) | since (?:he|she|it|they|we|i|the|his|her|our) \w+ "
    r"| and (?:(?:always|still|now) )?"
    r"(?:(?:has|have|is|are|was|were|had|wo|ca|do|does|did)(?:n['’]t)?|no longer|now|\w+ed"
    r"|expires|runs|costs|takes|opens|closes|starts|ends|lives|works|stands|lies|sits|sleeps|plays|speaks|pays|keeps|owns"
    r"|eats|drinks|drives|teaches|leads|goes|comes|uses|needs|weighs|holds|gets|makes|gives|sees|knows|wears|answers|says|wants|likes"
    r"|will|can|never)\b"
    r" | (?:until|till|as long as) (?:the|our|my|his|her|their|its|it|he|she|we|they)"
    r" | to (?:save|make|let|get|keep|avoid|help) ",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r",? (?:(?:who|which)\b|(?=aged \d)) ?([^,.;:]+)", re.IGNORECASE)
_LEARNS = (
    r"learns?|learnt|learned|finds?|found|hears?|heard|sees?|saw|reads?|notices?|noticed|discovers?|discovered|proves?|proved"
    r"|realises?|realised|explains?|explained|admits?|admitted|announces?|announced|assures?|assured|mentions?|mentioned"
    r"|turns? out|turned out|sure|certain|a fact|true|clear"
)
_TOLD = re.compile(
    rf"^[^,;:]{{0,60}}?\b(?:(?:{SAYS}|{_LEARNS}|finds?|knows?|means?|shows?|showed|reports?|reported|remember|told)"
    rf"(?: (?:[\w' ]{{1,30}} )?that|,|:)|(?:{SAYS}|told)(?: (?:me|us|him|her|them|you))?"
    r"(?= (?:the|a|an|my|our|his|her|its|their|there|he|she|it|we|they|nobody|no)\b| (?-i:[A-Z]))) ",
    re.IGNORECASE,
)
# Phrases at the beginning that name a source, or say nothing.
_ACCORDING = re.compile(
    r"^(?:By (?:a|an) (?:hand|mile|head|whisker|long way|good \w+|year)\b,?"
    r"|According to (?:the|our|my|his|her|their)(?: (?-i:[a-z][\w-]*)){1,3}(?= (?-i:[A-Z]))"
    r"|As (?:the|our|my|his|her|their) [\w' -]{2,30}? (?:says|shows|states|puts it|has it)"
    r"(?: (?:on|in|at) [\w ]{2,20})?,"
    r"|By [\w-]+ votes? to [\w-]+,?|By (?:a|an) (?:\w+ )?majority,?"
    r"|According to \w+ \d+ of (?:the|our|my) \w+,?"
    r"|According to (?:(?:the|our|my|his|her|their) )?\w+,?|From (?:the |our |my )?[\w' ]{2,30}:|To (?:my|our) \w+,?"
    r"|(?:If you ask me|Of course|After all|By the way|By and large|All in all|Above all|Mind you|Needless to say"
    r"|Believe it or not|Strictly speaking|Generally speaking|For once|For the record|For what it['’]s worth"
    r"|In (?:fact|the end|general|short|brief|reality|truth|any case|other words|my (?:opinion|view|experience))"
    r"|On (?:the whole|balance|second thoughts)|At (?:last|least|any rate)"
    r"|To be (?:fair|honest|precise|exact|clear|frank)"
    r"|As (?:it happens|it turns out|usual|always|ever|a rule|mentioned|I said|you (?:may )?know"
    r"|far as (?:I|we) (?:know|remember|recall|can tell|can see))|The (?:fact|truth|point|thing|trouble) is(?: that)?"
    r"|Actually|Anyway|Basically|Certainly|Clearly|Curiously|Fortunately|Frankly|Honestly|Incidentally|Indeed"
    r"|Interestingly|Luckily|Naturally|Obviously|Oddly|Regrettably|Sadly|Strangely|Surely|Surprisingly|Thankfully"
    r"|Unfortunately|Well),?:?) ",
    re.IGNORECASE,
)
# `Since March Bea leads the team`: the time comes last, so that the subject comes first.
_TIME_FIRST = re.compile(
    r"^((?:(?:Since|In|On|From|Until|By|As of|Last|This|Next) )+(?:the )?(?:\d{1,2} )?"
    rf"(?:{'|'.join(MONTHS)}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|spring|summer|autumn|winter|week|month|year"
    r"|(?:19|20)\d\d)(?: (?:19|20)\d\d)?(?: on)?)(,?) ([^:]+?)[.!]?$",
    re.IGNORECASE | re.DOTALL,
)
_ASKS_TO = listed("remember note know recall please say tell")
_AS_KNOWN = re.compile(
    r",? as (?:you|we|everybody|everyone) (?:all )?(?:knows?|saw|see|remember)\b"
    r"|,? (?:if (?:I (?:remember|recall)(?: (?:rightly|correctly|right))?|I['’]m not mistaken|memory serves(?: me)?)"
    r"|(?:as )?far as (?:I|we) (?:know|remember|can tell|can see)|to the best of my knowledge)(?=[,.;]|$)",
    re.IGNORECASE,
)
_SAID_BY = re.compile(rf"[,\"”]* +(?:{SAYS}) ([A-Z][\w]+)\W*$")
_IN_VIEW = re.compile(r"^(?:In|To) ([A-Z]\w+)['’]s (?:opinion|view|eyes|mind|ears) ")
_TELLER = re.compile(rf"(?:^|\b)([A-Z][a-z]+),? (?:{SAYS}|{_LEARNS}|knows?|means?|shows?|showed|reports?|reported)\b")
_TELLER_OF = re.compile(r"([A-Z][a-z]+)")
_I = re.compile(r"\bI\b")
_PARTED = re.compile(r"[,:] | [-–—] ")
# What is said of none is not said of those who are described: none of the people who were invited stayed away.
_NONE_OF = re.compile(r"(?:None|Not one|Neither|Nobody|No one|No|Nothing|Few|Hardly any)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"^ *(?:(?:so|and|then) )?(she|he|it)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|never|no)\b|n['’]t\b", re.IGNORECASE)
_EXCEPT = re.compile(
    r"In (?:the|his|her|this|that|a|their|our|my) (?:story|tale|fable|legend|myth|novel|film|dream|joke|fairy tale)\b"
    r"|(?:Except|Apart from|Aside from|Other than|With the exception of|Save for|Barring)\b"
)
_IF = re.compile(r"\b(?:if|unless|whether)\b", re.IGNORECASE)
_HERS = re.compile(r"^ *(her|his|its)\b", re.IGNORECASE)
_POSSESSOR = re.compile(r"\b(\w+?)(?:['’]s\b|s['’](?= ))")
_NAME = re.compile(r"\b[^\W_]++(?:-[^\W_]++)*")


class Frame(NamedTuple):
    """One clause: `content` has the position in `tokens` of each content word, by its root.

    `verb` is the position of the first verb, or None if none is found. `names` has the words, folded, that are written
    like names, `possessors` those in the possessive case; `terms` has the stems of all words in order.
    """

    tokens: tuple[Token, ...]
    content: Mapping[str, int]
    numbers: tuple[int, ...]
    denials: tuple[int, ...]
    when: tuple[Token, ...]
    verb: int | None
    names: frozenset[str]
    possessors: frozenset[str]
    words: frozenset[str]
    terms: tuple[str, ...]

    @property
    def denied(self) -> bool:
        """Whether it denies something."""
        return bool(self.denials)

    @property
    def is_past(self) -> bool:
        """Whether its first verb is in the past tense."""
        return self.verb is not None and _over(self.tokens[self.verb].word)

    @property
    def is_perfect(self) -> bool:
        """Whether it says what has happened up to now: `has never been stung`."""
        after = self.tokens[self.verb + 1 : self.verb + 4] if self.verb is not None else ()
        return (
            self.verb is not None
            and self.tokens[self.verb].word in ("has", "have")
            and any(_over(token.word) or token.word == "been" for token in after)
        )

    def word(self, key: str) -> str:
        """Return the word of a content key as it was written, folded."""
        return self.tokens[self.content[key]].word


@lru_cache(maxsize=4096)
def frames(text: str, about: str = "") -> tuple[Frame, ...]:
    """Return the frames of a sentence: of each clause with a verb, the main clause first, and of the whole sentence.

    Args:
        text: the sentence.
        about: the name that a pronoun at its beginning stands for.
    """
    found: list[str] = []
    whole = _MARKS.sub(" ", text)
    bare = _IS_OUR.sub(r"\3 \2 \1\4", whole)
    if said_by := _SAID_BY.search(bare):
        bare = _I.sub(said_by[1], bare[: said_by.start()])
    if (relative := _RELATIVE.search(bare)) and not _NONE_OF.match(bare):
        found.append(f"{_PARTED.split(bare[: relative.start()])[-1]} {relative[1]}")
        bare = f"{bare[: relative.start()]} {bare[relative.end() :].lstrip(', ')}"
    bare = _AS_KNOWN.sub("", _ACCORDING.sub("", bare))
    bare = _TIME_FIRST.sub(r"\3 \1", bare)
    if (told := _TOLD.match(bare)) and not (_NOT.search(told[0]) or _EXCEPT.match(told[0])):
        teller = _TELLER.search(told[0]) or _TELLER_OF.match(told[0])
        about = teller[1] if teller and teller[1].casefold() not in _ASKS_TO else about
        bare = bare[told.end() :]
    found = [*[*_clauses(bare), *found][:MOST_CLAUSES], whole]
    by_tokens = {each.tokens: each for each in (frame(named(clause, about)) for clause in found)}
    return tuple(by_tokens.values())


def says_who(text: str) -> bool:
    """Whether a sentence says who or what has an office or a name: `Marek is our goalkeeper`."""
    return _IS_OUR.match(text) is not None


def told_by(text: str) -> str:
    """Return the name of the person whose words a sentence reports; empty if it names none."""
    told = _TOLD.match(text)
    name = _FIRST_NAME.match(text) if told else None
    if name is None and (said_by := _SAID_BY.search(text) or _IN_VIEW.match(text)):
        return str(said_by[1])
    return name[0] if name and name[0].casefold() not in _ASKS_TO | DETERMINERS | _NOBODY else ""


_NOBODY = listed("everybody everyone nobody i we he she they it according")


MOST_CLAUSES = 5
_FIRST_NAME = re.compile(r"^[A-Z][a-z]+")


def named(clause: str, about: str) -> str:
    """Return a clause with a pronoun at its beginning replaced by the name that it stands for."""
    return _HERS.sub(f"{about}'s", _PRONOUN.sub(about, clause)) if about else clause


def _clauses(text: str) -> list[str]:
    """Return the clauses of a sentence, the main clause first, without reasons and additions after commas."""
    if _IF.search(text) or _EXCEPT.match(text):
        return [text]  # a conditional clause is not a statement, nor what holds with an exception or in a story
    tail = _TAIL.search(text, 8)
    if tail and tail[0].split()[0] in ("because", "until", "till") and _NOT.search(text, 0, tail.start()):
        return [text]  # perhaps only the cause is denied
    main, *others = _parts(text[: tail.start()] if tail else text)
    told = frame(main)
    if tail and tail[0].startswith((" since", " now")) and (told.is_perfect or not told.is_past):
        main = f"{main} now"
    subject = _subject(main)
    if tail and tail[0].startswith(" and ") and subject:
        others.append(_parts(f"{subject} {text[tail.start() + len(' and ') :]}")[0])
    name = next(iter(_FIRST_NAME.findall(main)), "")
    name = subject if name.casefold() in DETERMINERS else name
    if _TOLD_TO.match(main) and len(asked := set(_NAME_INSIDE.findall(main))) == 1:
        name = asked.pop()  # `Ask Ida, she knows`
    return [main, *(named(other, name) for other in others)]


_TOLD_TO = re.compile(r"(?:Don['’]t |Please )?(?:ask|tell|write to|ring|call|see|trust|let)\b", re.IGNORECASE)
_NAME_INSIDE = re.compile(r"(?<=[a-z] )[A-Z][a-z]+\b")


def _parts(text: str) -> list[str]:
    """Return each part of a clause that has a verb, together with its leading phrase or its subject."""
    parts = _PARTED.split(text)
    before = parts[0] if len(parts) > 1 else ""
    leads = before.split(" ", 1)[0].casefold() in PREPOSITIONS
    found: list[str] = []
    for at, part in enumerate(parts):
        verb = frame(part).verb
        if verb is None or _ASIDE.match(part):
            continue
        # `Gisela, the one from the bank, has no children`: the part with the verb lacks its subject.
        found.append(f"{before} {part}" if at and before and (verb == 0 or (leads and not found)) else part)
    tag = " ".join(list(takewhile(lambda part: frame(part).verb is None, parts))) if found else ""
    if any(map(str.isdigit, tag)):
        found.append(tag)  # `Haircut: 26, he apologised`
    # Text without a verb may follow a heading: `Price list: rye 5.40`.
    return found or [text, *parts[-1:]]


_ASIDE = re.compile(r"not (?:even|that|just|only|because)\b")


def _subject(clause: str) -> str:
    verb = frame(clause).verb
    return " ".join(clause.split()[:verb]) if verb else ""


@lru_cache(maxsize=4096)
def frame(clause: str) -> Frame:
    """Return the frame of one clause."""
    found = tuple(with_clocks(tokens(clause)))
    marks = _whens(found)
    content: dict[str, int] = {}
    for at, token in enumerate(found):
        is_content = (
            token.word not in _NO_CONTENT
            and token.word not in _TIMES
            and not _is_denial(found, at)
            and not (token.word == "bit" and found[at - 1].word in ("a", "little"))
            and not (token.word in _MEASURES and found[at + 1 : at + 2] and found[at + 1].word == "of")
        )
        if token.value is None and not marks[at] and is_content:
            content.setdefault(root_of(token.word), at)
    names, possessors = _names_in(clause)
    return Frame(
        tokens=found,
        content=content,
        numbers=tuple(at for at, token in enumerate(found) if token.value and not marks[at]),
        denials=tuple(at for at in range(len(found)) if _is_denial(found, at)),
        when=tuple(token for token, mark in zip(found, marks, strict=True) if mark and token.word not in LEADS_TO_WHEN),
        verb=_verb(found, possessors),
        names=names,
        possessors=possessors,
        words=frozenset(token.word for token in found),
        terms=tuple(term_of(token.word) for token in found),
    )


_CLOCK_AFTER = listed("at until till from by past")
_CLOCKS = {"noon": 12.0, "midnight": 0.0}
_HALF_A_DAY = 12


def with_clocks(found: Sequence[Token]) -> Iterator[Token]:
    """Yield tokens with times of day in words turned into quantities: `at eight`, `until noon`, `half past nine`."""
    skip = 0
    for at, token in enumerate(found):
        part = _PARTS_OF_AN_HOUR.get((token.word, found[at + 1].word if at + 1 < len(found) else ""))
        if skip:
            skip -= 1
        elif part is not None and at + 2 < len(found):
            yield _clock((_hour(found[at + 2]) or 0.0) + part)
            skip = 2
        elif _follows_a_clock_word(found, at) and _hour(token) is not None and _ends_a_clock(found, at + 1):
            yield _clock(_hour(token) or 0.0)
        else:
            yield token


def _follows_a_clock_word(found: Sequence[Token], at: int) -> bool:
    """Whether an hour may stand here: `until six`, `open from ten to six`; not `from ten to six boats`."""
    opens = at > _TO_FROM and found[at - 1].word == "to" and found[at - _TO_FROM].word == "from"
    return bool(at) and (
        found[at - 1].word in _CLOCK_AFTER or (opens and found[at - _TO_FROM - 1].word in ("open", "closed"))
    )


# In `from ten to six`, `from` is so many words before `six`.
_TO_FROM = 3
_PARTS_OF_AN_HOUR = {("half", "past"): 0.5, ("quarter", "past"): 0.25, ("quarter", "to"): -0.25}


def _hour(token: Token) -> float | None:
    value = token.value
    hour = value.parts[0] if value and value.scale is Scale.CARDINAL else _CLOCKS.get(token.word)
    return hour if hour is not None and hour <= _HALF_A_DAY and hour == int(hour) else None


def _clock(hour: float) -> Token:
    return Token(f"clock {hour}", "", Quantity(Scale.CLOCK, (60.0 * hour,)))


def _ends_a_clock(found: Sequence[Token], at: int) -> bool:
    return at >= len(found) or found[at].word in _AFTER_A_CLOCK


def names_in(text: str) -> frozenset[str]:
    """Return the words of a text, folded, that are written like names, except the first word."""
    return _names_in(text)[0]


def _names_in(clause: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words that are written like names, except the first word, and those in the possessive case."""
    first = next(iter(re.findall(r"\w+", clause)), "")
    names = [fold(word) for word in _NAME.findall(clause) if word[0].isupper() or _is_label(word)]
    inside = names[1:] if names and names[0] == fold(first) else names
    owners = (fold(found) for found in _POSSESSOR.findall(clause))
    return frozenset(inside), frozenset(owners) - listed("it that there what who he she let")


def _is_label(word: str) -> bool:
    return "-" in word and any(sign.isdigit() for sign in word)


@cache
def root_of(word: str) -> str:
    """Return the key for comparing a content word: the stem of its plain form (`stung` and `sting` are equal)."""
    if word in _TITLES:
        return word
    if word.endswith("ies") and len(word) <= _LONGEST_IN_IE:
        word = word[:-1]  # ties, lies
    found = lexicon.family_of(word)
    return term_of(lexicon.doing_of(found) if found == word else found)


_TITLES = listed("mr mrs ms")


_LONGEST_IN_IE = 4


def _over(word: str) -> bool:
    is_over = is_past(word) or lexicon.plain_form(word) != word
    return word in ("did", "had") or (is_over and word not in _EITHER)


# Verbs with the same form in the present and the past.
_EITHER = listed("lay read put cut set let hit hurt shut spread cost")


def _verb(found: Sequence[Token], possessors: frozenset[str]) -> int | None:
    """Return the position of the first verb: an auxiliary, a past form, a common verb, or a word in -s after a name."""
    told = next((at for at in range(len(found)) if _is_verb(found, at, possessors)), None)
    return _likely_verb(found, possessors) if told is None else told


def _likely_verb(found: Sequence[Token], possessors: frozenset[str]) -> int | None:
    """Return the position of a word in -s that follows `the` and a noun, or a name: `The API returns JSON`."""
    at = 2 if found and found[0].word in DETERMINERS else 1
    if len(found) <= at + 1 or any(token.value is not None for token in found[at - 1 : at + 2]):
        return None
    words = [token.word for token in found[: at + 1]]
    starts = words[0] in DETERMINERS or not lexicon.has_role(words[0], lexicon.Role.STANDING)
    one, many = (word.endswith("s") and not word.endswith("ss") for word in (words[at], words[at - 1]))
    is_verb = one and not many if found[at + 1].word not in _BEFORE_A_NOUN else one != many
    is_verb = is_verb and (words[at] not in _NO_CONTENT or words[at] in _GO)
    return at if starts and is_verb and words[at - 1] not in possessors else None


_BEFORE_A_NOUN = DETERMINERS | PREPOSITIONS


def is_certain_verb(word: str) -> bool:
    """Whether a word is a verb wherever it stands: an auxiliary, a past form, or one of the common verbs."""
    return word in _AUXILIARIES or word in _GO or _over(word) or lexicon.stands(word)


def _is_verb(found: Sequence[Token], at: int, possessors: frozenset[str]) -> bool:
    word, before = found[at].word, found[at - 1].word if at else ""
    if word == "may" and before in _BEFORE_A_MONTH:
        return False
    if word in _AUXILIARIES or _over(word) or (word not in _ADVERBS and _follows_a_subject(found, at)):
        return True
    follows_many = before in _PLURALS or before.endswith("s")
    if before in DETERMINERS | PREPOSITIONS or before in possessors or len(word) < _SHORTEST_VERB:
        return word in _GO and follows_many and before not in possessors
    stands = lexicon.stands(word)
    if word.endswith("s") and not word.endswith(("ss", "ings")):
        after = found[at + 1] if at + 1 < len(found) else None
        if not at and after and (after.word in _AUXILIARIES or after.word in _GO or lexicon.stands(after.word)):
            return False  # `Builds run on Linux`
        return stands or (
            at > 0
            and found[at - 1].value is None
            and (after is None or after.value is not None or after.word in _AFTER_A_VERB)
        )
    return stands and follows_many


def _follows_a_subject(found: Sequence[Token], at: int) -> bool:
    """Whether a pronoun comes before a word, with nothing but a few adverbs between them."""
    between = found[max(0, at - _MOST_ADVERBS) : at]
    return next((token.word for token in reversed(between) if token.word not in _BETWEEN), "") in _SUBJECTS


_SHORTEST_VERB = 3
_GO = listed("go come get have")
_BEFORE_A_MONTH = listed("in since from until till by of last next this on for to")
# A word after one of these is a verb, if it isn't one of the adverbs.
_SUBJECTS = listed("i we they you")
_ADVERBS = listed("""
    all both each also always never still now only just usually often mostly rarely seldom sometimes hardly even then
    too so and or the a an my our your his her their not no in on at of to for from with who that two three four five
    """)
_BETWEEN = _ADVERBS - DETERMINERS
_MOST_ADVERBS = 8
_PLURALS = listed("i we you they who to also always never only still now both")
_AFTER_A_VERB = DETERMINERS | PREPOSITIONS | DENIALS | listed("out up down off about")


def _is_denial(found: Sequence[Token], at: int) -> bool:
    """Whether a word denies: `no`, `lacks`, `free of`."""
    word = found[at].word
    if word in _REFUSES:
        return at + 1 < len(found) and found[at + 1].word == "to"
    if word == "out":
        return at + 2 < len(found) and found[at + 1].word == "of" and found[at + 2].word not in DETERMINERS
    if word in _STOPS:
        return at + 1 < len(found) and found[at + 1].word.endswith("ing")
    return word in DENIALS or (word == "free" and at + 1 < len(found) and found[at + 1].word in ("of", "from"))


_STOPS = listed("stopped quit ceased stops")
_REFUSES = listed("fails fail refuses refuse refused declines")


def _whens(found: Sequence[Token]) -> list[bool]:
    """Return for each token whether it says when something is; not how often: `twice a week`."""
    return with_leads([_is_when(found, at) for at in range(len(found))], found)


def _is_when(found: Sequence[Token], at: int) -> bool:
    token, before = found[at], found[at - 1].word if at else ""
    if token.value is not None:
        ago = at + 1 < len(found) and found[at + 1].word == "ago"
        return (
            is_date(token)
            or ago
            or before == "since"
            or (before in _RELEASES and (at == 1 or found[at - 2].word in _BEFORE_A_RELEASE))
        )
    if token.word in ("may", "ago"):
        return token.word == "ago" or before in _BEFORE_A_MONTH
    return token.word in _TIMES and (before not in _RATES or (token.word in _DAYS and found[at - 2].word == "on"))


_RATES = listed("a an per each every")
_RELEASES = listed("version release v")
_BEFORE_A_RELEASE = listed("the in since from until before after with by our")
_SEASONS = listed("""
    spring summer autumn winter christmas easter morning afternoon evening night noon midnight weekday weekdays weekend
    weekends season semester first-half second-half q1 q2 q3 q4
    """)
_DAYS = frozenset(day for day in WHEN if day.endswith("day"))
_TIMES = WHEN | _SEASONS | {f"{day}s" for day in _DAYS}
_AFTER_A_CLOCK = PREPOSITIONS | DETERMINERS | _TIMES | listed("and or now so each sharp prompt exactly because")


# -- comparing two frames ------------------------------------------------------------------------------


def unmatched(one: Frame, other: Frame) -> list[str]:
    """Return the content that the other frame lacks, without synonyms and words that only tell of a change."""
    lacking = [key for key in one.content if key not in other.content]
    spare = [other.word(key) for key in other.content if key not in one.content]
    return [
        key
        for key in lacking
        if one.word(key) not in CHANGES and not any(lexicon.same(one.word(key), word) for word in spare)
    ]


def speaks_of(one: Frame, at: int, shared: frozenset[str]) -> bool:
    """Whether a position belongs to the subject: before the verb, and not in a leading phrase."""
    if one.verb is None or at >= one.verb:
        return False
    leads = bool(one.tokens) and one.tokens[0].word in PREPOSITIONS
    return not leads or any(one.content[key] < at for key in shared if key in one.content)


def shared_of(one: Frame, other: Frame) -> frozenset[str]:
    """Return the content that both frames have."""
    return frozenset(one.content.keys() & other.content.keys())


def states(one: Frame, *, permits: bool = False) -> bool:
    """Whether a frame is a statement, without a hedge.

    Args:
        one: the frame.
        permits: whether `may be` gives leave, because it is compared with what is forbidden.
    """
    if not one.tokens or any(token.word == "but" for token in one.tokens[1:]):
        return False
    if [token.word for token in one.tokens[:1]] == ["in"] and not _FICTION.isdisjoint(
        token.word for token in one.tokens[1:4]
    ):
        return False
    if one.tokens[-1].word in _POINTERS and one.tokens[-2:][0].word not in PREPOSITIONS:
        return False
    return one.words.isdisjoint(HEDGES - _firm_in(one)) and not any(
        _supposes(this, after) and not (permits and this.word == "may") for this, after in _pairs(one.tokens)
    )


def _firm_in(one: Frame) -> frozenset[str]:
    """Return the words of a frame that are no hedge there: next to the door, not next week; can't read or write."""
    words = [token.word for token in one.tokens]
    is_beside = all(after in _PLACES_BESIDE for this, after in pairwise([*words, ""]) if this == "next")
    denies_both = bool(one.denials) and "or" in words and one.denials[0] < words.index("or")
    return frozenset(word for word, is_firm in (("next", is_beside), ("or", denies_both)) if is_firm)


_PLACES_BESIDE = listed("to room door table house street village bed desk")


def _supposes(this: Token, after: Token) -> bool:
    """Whether two words express a supposition: `may be`, `plan to`; not `the plan`. Nor is `not half bad` a denial."""
    if this.word == "not" and after.word == "half":
        return True
    if this.word == "may":
        return after.word in ("be", "have", "well")
    return this.word in _MAY_BE_NOUNS | {"said"} and after.word in ("to", "that")


def _pairs(found: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    return pairwise(found)
