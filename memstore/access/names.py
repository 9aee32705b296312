"""Names in a text, however they are written: in capitals, in look-alike letters, in part, spaced out, in a handle.

A name in Cyrillic or Greek letters is also looked for in Latin ones, and the other way round. In scripts without spaces
a name may stand anywhere in a run of signs.
"""

from __future__ import annotations

import html
import re
import sys
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from memstore.core.terms import stop_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

# Letters that look like Latin ones. Source: Unicode Technical Standard 39, confusables.txt (an excerpt).
_LOOK_ALIKES = str.maketrans(
    "авсԁеһіјкмнорԛѕтухѵԝАВСЕНІЈКМОРЅТУХαβγεηικμνορτυχωϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧıȷɑɡɩłøđʟʙᴀᴄᴅᴇꜰɢʜɪᴊᴋᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏ",
    "abcdehijkmhopqstyxvwABCEHIJKMOPSTYXabyenikuvoptuxwcjABEZHIKMNOPTYXijagilodlbacdefghijkmnoprstuvwy",
)
# Letters in circles and squares, and those of flags, that normalization leaves unchanged.
_FRAMED = {first + i: chr(ord("a") + i) for first in (0x1F150, 0x1F170, 0x1F1E6) for i in range(26)}
_LEET = str.maketrans("01!|l34@5$7+8962", "oiiiieaassttbggz")
# How Cyrillic and Greek letters are usually written in Latin ones.
_LATIN = str.maketrans(
    dict(zip("абвгдезийклмнопрстуфыэіїєґў", "abvgdeziyklmnoprstufyeiieguu", strict=False))
    | dict(zip("αβγδεζηικλμνξοπρσςτυφω", "avgdeziiklmnxoprsstyfo", strict=True))
    | {"ё": "e", "ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ь": "", "ю": "yu",
       "я": "ya", "θ": "th", "χ": "ch", "ψ": "ps"}
)  # fmt: skip
_FOREIGN = re.compile(r"[\u0370-\u03ff\u0400-\u04ff\u0300-\u036f]+")
# Scripts that put no spaces between words, as they are after folding: kana, Han, Hangul in parts and whole, Thai and
# its neighbours.
_SIGN = (
    r"[\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff\u1100-\u11ff\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f"
    r"\u1780-\u17ff]"
)
_UNSPACED = re.compile(f"{_SIGN}+")
_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]+")
_KANA = re.compile(r"[\u3040-\u30ff]")
# What people put between the signs of a name; the stops of a sentence do not belong to it.
_GAP = re.compile(rf"(?<={_SIGN})[\s.\-_*·・‧•~`\\|/]{{1,3}}(?={_SIGN})")
_HONORIFICS = (
    "さん|さま|様|氏|くん|君|ちゃん|たん|殿|先生|先輩|社長|部長|課長|店長|院長|教授|博士|医生|大夫|老师|老師|同学|女士"
    "|小姐|太太|夫人|师傅|经理|总|哥|姐|씨|님|군|양|선생"
)
_FAMILIAR = frozenset("小老阿大")  # comes before a part of a name, and is none
_LONGEST_FAMILIAR = 3  # signs of a name that is used with one of these
_INITIALS = re.compile(
    r"(?<![\w.])(?:(?:[^\W\d_]\.[ \u00a0]?[-\u2010\u2011]?){1,3}[^\W\d_](?!\w)\.?|[^\W\d_]{2,4}(?![\w.]))"
)
_MOST_INITIALS = 4
# Abbreviations that are usually written with dots in lower case.
_ABBREVIATIONS = frozenset(
    "ad am ao bc cf dh dr eg eu ia idr ie me nb ok pa pm ps sa so su ua uk us usw va zb zt".split()  # noqa: SIM905 - likewise
)
# Those that are also written with dots in capitals, and so are not necessarily meant as initials.
_IN_CAPITALS = frozenset(
    """
    ac ad ba bc ca cd cv dc dj eu hq id iq la ma md mp mr ms ny os pc ph pr ps qa ra sa sf tv uk un us usa vip wc
    """.split()  # noqa: SIM905 - likewise
)
_MARKUP = re.compile(r"[*_~`\\]|</?\w[^<>]*>|<!--(?:(?!-->|<!--).)*-->|\]\([^()]*\)|[\[\]]", re.DOTALL)
_PERCENTS = re.compile(r"(?:%[0-9A-Fa-f]{2})+")  # how addresses spell signs
_ESCAPES = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")  # how YAML and JSON do
_SPELLED = re.compile(r"[&%\\]")
_MOST_SPELLINGS = 3  # an escape that spells an escape: `%2520`, `&amp;eacute;`
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # where the next word begins in oneWord
_TAG = re.compile(r"#(\w+)")
_WORD = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile("['’ʹʻʼʽˈꞌ]")  # those after the first two are letters to Unicode
_TITLES = frozenset("dr mr mrs ms miss mx prof sir the of de la von van and".split())  # noqa: SIM905 - a list of words reads best as words
# Parts of ids and names that say what somebody is, not who.
_NO_NAMES = _TITLES | frozenset(
    """
    agent animal assistant bot cat child client customer doctor dog family friend guardian helper human kid owner
    parent patient person pet professional pupil school son specialist student teacher team therapist tutor user vet
    """.split()  # noqa: SIM905 - likewise
)
# Parts of names that are also everyday words: in lower case they are not necessarily meant as names.
_EVERYDAY = frozenset(
    """
    art baker bell bill bishop brook brown carol carpenter chase church clay cliff cook cross dale dawn day dean drew
    earl faith field fisher ford forest fox frank gene glen gold grace grant gray green guy hall harmony heath hill hope
    hunter iris ivy jack jade jay jewel joy june king lake lane lee lily long love major may mark marsh mason max miles
    mill miller moon moss nick north olive page park parker pat pearl penny piper pool potter price prince ray reed
    reading rich river rob robin rock rose ruby rush sandy shepherd short singer skip sky smith spring star stone
    summer sunny taylor temple terry violet walker ward waters west white will win winter wolf wood young
    """.split()  # noqa: SIM905 - likewise
)
_SHORTEST_NEAR = 4  # for shorter names, too many words are one letter away
_SHORTEST_SPLIT = 5
_SHORTEST_IN_HANDLE = 4
_SHORTEST_IN_DIGITS = 5  # shorter numbers, such as years, are too many
_SHORTEST = 2


@dataclass(frozen=True, slots=True)
class Name:
    """One spelling of a name: as given, as folded words, and whether it is an everyday word, too, or initials alone."""

    told: str
    words: tuple[str, ...]
    everyday: bool = False
    initials: bool = False

    @property
    def is_unspaced(self) -> bool:
        """Whether it is in a script that puts no spaces between words."""
        return _UNSPACED.fullmatch(self.joined) is not None

    @property
    def joined(self) -> str:
        """The words without spaces."""
        return "".join(self.words)


def names_of(entities: Mapping[str, Sequence[str]]) -> tuple[Name, ...]:
    """Return the names of entities: their aliases, the names in their ids, and the parts of both.

    Args:
        entities: the aliases of each entity, by its id.
    """
    found: dict[tuple[str, ...], Name] = {}
    for entity, aliases in entities.items():
        own = entity.partition(":")[2]
        spellings = [
            (told, spelling)
            for told in (*aliases, own)
            for spelling in dict.fromkeys((told, _APOSTROPHE.sub("", told), _latin(told), _apart(told)))
        ]
        for told, spelling in spellings:
            words = _words(spelling)
            if words and (told != own or _is_a_name("".join(words))):
                found[words] = Name(found[words].told if words in found else told, words)
            for word in words if len(words) > 1 else ():
                if _is_a_name(word):
                    found.setdefault((word,), Name(told, (word,), everyday=word in _EVERYDAY))
    return (*found.values(), *_initials_of(entities))


def _initials_of(entities: Mapping[str, Sequence[str]]) -> Iterator[Name]:
    """Yield the initials of names of several words, and names that are initials themselves."""
    for entity, aliases in entities.items():
        own = entity.partition(":")[2]
        is_name = all(map(_is_a_name, _words(own)))
        for told in dict.fromkeys((*aliases, *([own] if is_name else ()))):
            spellings = dict.fromkeys((told, _latin(told), _APOSTROPHE.sub("", told)))
            for letters in dict.fromkeys(each for spelling in spellings for each in _initials_by(spelling)):
                yield Name(told, (letters,), initials=True)


def _initials_by(told: str) -> Iterator[str]:
    """Yield the initials of one name: of all of its words, of the first and the last, of words with a hyphen."""
    words = [word for word in _words(told) if word not in _TITLES]
    if told.isupper() and len(words) == 1 and _SHORTEST <= len(told) <= _MOST_INITIALS:
        yield words[0]
    if not words or any(map(_UNSPACED.match, words)):
        return
    for some in (words, [words[0], words[-1]], *(_words(part) for part in told.split() if "-" in part)):
        if _SHORTEST <= len(some) <= _MOST_INITIALS and len(words) > 1:
            yield "".join(word[0] for word in some)


def is_everyday(word: str) -> bool:
    """Whether a folded name is an everyday word, too: `rose`, `will`."""
    return word in _EVERYDAY


def _is_a_name(word: str) -> bool:
    """Whether a part of an id or a name says who somebody is: not a description, a number or an initial."""
    if _UNSPACED.fullmatch(word):
        return not _HONORIFIC.fullmatch(word)
    return len(word) > _SHORTEST and not word.isdigit() and word not in _NO_NAMES


def named_in(text: str, names: Iterable[Name]) -> tuple[str | None, str | None]:
    """Return the first name that occurs in a text, and the first that a word in the text comes close to."""
    page = _Page(text)
    found = near = None
    for name in names:
        if page.has(name):
            found = found or name.told
        elif page.comes_close_to(name):
            near = near or name.told
    return found, None if found else near


def _latin(text: str) -> str:
    """Return a text with words in Cyrillic or Greek letters written in Latin ones; mixed words stay."""
    plain = unicodedata.normalize("NFC", text)
    return re.sub(
        r"[^\W\d_]+",
        lambda word: _bare(word[0]).casefold().translate(_LATIN) if _FOREIGN.fullmatch(word[0]) else word[0],
        plain,
    )


def _bare(text: str) -> str:
    if text.isascii():
        return text
    return "".join(sign for sign in unicodedata.normalize("NFKD", text) if unicodedata.category(sign) not in _UNSEEN)


def is_unspaced(text: str) -> bool:
    """Return whether a folded text has signs of a script that puts no spaces between words."""
    return not text.isascii() and _UNSPACED.search(text) is not None


def readings(text: str) -> tuple[str, ...]:
    """Return the forms in which a text is read: as it stands, without its escapes, without markup, oneWord in parts."""
    whole = _unescaped(text)
    bare = _MARKUP.sub("", whole)
    return tuple(dict.fromkeys((text, whole, bare, *(_HUMP.sub(" ", _bare(form)) for form in (whole, bare)))))


def _unescaped(text: str) -> str:
    """Return a text with the signs that entities, percent signs and escapes of YAML and JSON stand for."""
    for _ in range(_MOST_SPELLINGS if _SPELLED.search(text) else 0):
        plain = _PERCENTS.sub(lambda found: _percents(found[0]), html.unescape(text))
        plain = _ESCAPES.sub(_escape, plain)
        if plain == text:
            break
        text = plain
    return text


def _percents(spelled: str) -> str:
    return bytes.fromhex(spelled.replace("%", "")).decode(errors="replace")


def _escape(found: re.Match[str]) -> str:
    number = int(found[1] or found[2] or found[3], 16)
    return chr(number) if number <= sys.maxunicode and not 0xD800 <= number < 0xE000 else found[0]  # noqa: PLR2004 - surrogates


def fold(text: str) -> str:
    """Return a text without marks, case and look-alikes, so that spellings that people read as the same are equal."""
    if text.isascii():
        return text.casefold()
    return _APOSTROPHE.sub("'", _bare(text)).translate(_FRAMED).translate(_LOOK_ALIKES).casefold()


_UNSEEN = frozenset({"Mn", "Me", "Cf"})
_HONORIFIC = re.compile(fold(_HONORIFICS))


def _apart(text: str) -> str:
    """Return a text with spaces around runs of signs that need none, so that a word in letters among them is one."""
    return _UNSPACED.sub(r" \g<0> ", unicodedata.normalize("NFKC", text)) if _UNSPACED.search(text) else text


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(fold(text)))


class _Page:
    """A text in all the forms in which names are looked for."""

    def __init__(self, text: str) -> None:
        plain = _apart(html.unescape(text))
        read = readings(text)
        forms = (*read, plain, *map(_apart, read), _latin(plain))
        self._runs = [*dict.fromkeys(fold(form) for form in forms)]
        self._closed = [_GAP.sub("", run) for run in self._runs]
        self._initials = dict(_initials_in(unicodedata.normalize("NFKC", plain)))
        self._tokens = [_WORD.findall(run) for run in self._runs]
        pieces = [piece for run in self._runs for piece in run.split()]
        self._joined = {"".join(_WORD.findall(piece)) for piece in pieces}
        # bella2019: a name with digits because the name alone was taken.
        numbered = (word for tokens in self._tokens for word in tokens if word[-1].isdigit())
        self._numbered = {word.rstrip("0123456789") for word in numbered}
        self._letters = "\n".join(run for tokens in self._tokens for run in _spaced_out(tokens))
        self._handles = [
            "".join(_WORD.findall(piece)) for piece in pieces if "@" in piece or "://" in piece or "www." in piece
        ]
        self._tags = {tag.replace("_", "") for run in self._runs for tag in _TAG.findall(run)}
        self._leet = {_skeleton(part) for piece in pieces for part in _leet_parts(piece)}
        self._capital = {word for raw in _WORD.findall(plain) if not raw.islower() for word in _words(raw)}

    def has(self, name: Name) -> bool:
        """Whether the name itself occurs."""
        joined = name.joined
        if name.initials:
            return self._initials.get(joined, False)
        if name.is_unspaced:
            titled = re.compile(rf"{re.escape(joined)}(?:{_HONORIFIC.pattern})") if len(joined) < _SHORTEST else None
            if any(titled.search(run) if titled else joined in run for run in self._runs):
                return True
        if name.everyday:
            return joined in self._capital
        return (
            any(_has_run(tokens, name.words) for tokens in self._tokens)
            or not self._joined.isdisjoint({joined, joined + "s"})
            or (len(joined) > _SHORTEST and joined in self._numbered)
            or (len(joined) > _SHORTEST and joined in self._letters)
            or (len(joined) >= _SHORTEST_IN_HANDLE and any(joined in handle for handle in self._handles))
            or not self._leet.isdisjoint({_skeleton(joined), _skeleton(joined + "s")})
        )

    def comes_close_to(self, name: Name) -> bool:
        """Whether a word is one slip away from a name or is its everyday word, or two words joined make it."""
        if name.initials:
            return name.joined in self._initials
        if name.is_unspaced:
            near = _unspaced_near(name.joined)
            return any(near.search(run) for run in self._closed)
        words = {word for tokens in self._tokens for word in tokens}
        back = name.joined[::-1]
        if len(back) >= _SHORTEST_NEAR and back in words - stop_words():
            return True
        if name.joined in words if name.everyday else self._has_in_a_tag(name.joined):
            return True
        if len(name.joined) >= _SHORTEST_SPLIT and any(name.joined in _pairs(tokens) for tokens in self._tokens):
            return True
        return len(name.joined) >= _SHORTEST_NEAR and any(
            word not in stop_words() and is_one_slip_away(word, name.joined) for word in words | self._joined
        )

    def _has_in_a_tag(self, joined: str) -> bool:
        is_long = len(joined) >= _SHORTEST_IN_HANDLE
        return is_long and any(tag.startswith(joined) or tag.endswith(joined) for tag in self._tags)


def _unspaced_near(joined: str) -> re.Pattern[str]:
    """Return what comes close to a name without spaces: itself, backwards, or a part of it as people call somebody."""
    signs = unicodedata.normalize("NFC", joined)  # Hangul is cut between its syllables
    last = len(signs) - 1
    parts = {part for i in range(1, len(signs)) for part in (signs[:i], signs[i:])} - _FAMILIAR
    parts = {part for part in parts if len(part) >= _SHORTEST or not _KANA.match(part)}
    near = {joined} | ({joined[::-1]} if last >= _SHORTEST else set())
    if 0 < last < _LONGEST_FAMILIAR and _HAN.fullmatch(signs):
        near |= {f"小{signs[0]}", f"老{signs[0]}", f"阿{signs[last]}"}
    titled = "|".join(re.escape(unicodedata.normalize("NFKD", part)) for part in sorted(parts))
    either = "|".join(re.escape(one) for one in sorted(near))
    return re.compile(rf"{either}|(?:{titled})\s?(?:{_HONORIFIC.pattern})" if titled else either)


def _initials_in(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the initials that a text may give, those that can be nothing else last, and whether they are such.

    They are capitals, or letters with their dots that abbreviate nothing usual. Two that a sentence may end and begin
    with, as in "vitamin A. B vitamins", may be something else, and so may capitals without dots.
    """
    sure = set[str]()
    for found in _INITIALS.finditer(text):
        letters = "".join(_WORD.findall(found[0]))
        folded, has_dots = fold(letters), "." in found[0]
        if not letters.isupper() and (not has_dots or letters.casefold() in _ABBREVIATIONS):
            continue
        is_closed = has_dots and (found[0].endswith(".") or not re.search(r"\s", found[0]))
        if is_closed and letters.casefold() not in _IN_CAPITALS:
            sure.add(folded)
        yield folded, False
    yield from ((letters, True) for letters in sure)


def _has_run(tokens: Sequence[str], words: tuple[str, ...]) -> bool:
    """Whether words occur in sequence; the last may be a plural or a possessive without its apostrophe."""
    last = {words[-1], words[-1] + "s"}
    size = len(words)
    return any(
        tuple(tokens[i : i + size - 1]) == words[:-1] and tokens[i + size - 1] in last
        for i in range(len(tokens) - size + 1)
    )


def _pairs(tokens: Sequence[str]) -> set[str]:
    return {first + second for first, second in pairwise(tokens)}


def _spaced_out(tokens: Sequence[str]) -> Iterator[str]:
    """Yield what runs of single letters spell."""
    run = ""
    for token in (*tokens, "  "):
        if len(token) == 1:
            run += token
            continue
        yield run
        run = ""


def _leet_parts(piece: str) -> Iterator[str]:
    """Yield the parts of a text that mix letters with digits or signs that stand for letters, or are a long number."""
    for part in re.findall(r"(?:[^\W_]|[@$!|+])+", piece):
        is_mixed = any(sign.isalpha() for sign in part) and not part.isalpha()
        if is_mixed or (part.isdigit() and len(part) >= _SHORTEST_IN_DIGITS):
            yield from {part, part.rstrip("!|+")}


def _skeleton(word: str) -> str:
    return word.translate(_LEET)


def is_one_slip_away(word: str, other: str) -> bool:
    """Whether two words differ by one letter added, removed or replaced, or by two swapped; False if they are equal."""
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    rest, other_rest = word[start:], other[start:]
    return (
        rest[1:] == other_rest[1:]
        or rest[1:] == other_rest
        or rest == other_rest[1:]
        or (rest[1::-1] == other_rest[:2] and rest[2:] == other_rest[2:])
    )
