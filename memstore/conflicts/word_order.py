"""Word order: a sentence put as it is usually said, with the subject first and nothing told on the side.

`It was on a Monday that we met, as you know` says that we met on a Monday. The rules for frames look for the subject
before the verb, and for what is said of it after the verb.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SAYS = "says?|said|states?|stated|insists?|insisted|notes?|noted|writes|wrote|tells|told|confirms?|confirmed"
_THE = "the|our|my|his|her|their"
_MARKS = re.compile(r"\([^()]*\)|[\"“”«»*_`]")
_CODE = re.compile(r"`([a-z]\w*)`")
_CLEFT = re.compile(
    rf"\bit(?:['’]s| is| was) (?:((?:the |our |my )?[\w' ]{{2,30}}?),? who|((?:{_THE}) [\w']+|(?-i:[A-Z]\w+)) that) ",
    re.IGNORECASE,
)
_NOBODY_BUT = re.compile(
    r"\b(?:nobody|no one|none|nothing) (?:but|except(?: for)?|other than|apart from|besides|save) ", re.IGNORECASE
)
# `Marek is our goalkeeper`: our goalkeeper is Marek.
_IS_OUR = re.compile(
    r"^((?:(?:Mr|Mrs|Ms|Dr)\.? )?[A-Z][\w/]*(?: [A-Z]\w+)?(?: \d+(?:\.\d+)*)?|[A-Z] \w+) (is|was)"
    rf" ((?:{_THE}|[A-Z]\w+['’]s) [\w -]{{3,40}}?)(?=[,;.]|$)(.*)$",
    re.DOTALL,
)
_BUT_INSTEAD = re.compile(r"(\bnot\b|n['’]t\b)([^,;:]{3,60}?),? but [^,;:.]+")
_ON_SIDE = (
    "in",
    "on",
    "at",
    "under",
    "behind",
    "above",
    "over",
    "below",
    "beside",
    "between",
    "inside",
    "outside",
    "by",
)


def _place_last(found: re.Match[str]) -> str:
    place, told, is_there = found.groups("")
    if place.split()[0].casefold() not in _ON_SIDE:
        return found[0]
    return f"{told}{is_there} {place[0].lower()}{place[1:]}"


def _where(found: re.Match[str]) -> str:
    place, told, rest = found.groups("")
    leads = told.rpartition(" ")[2] in ("in", "at", "from", "on", "to", "under")
    return f"{told} {place}{rest}" if leads else f"{told} in {place}{rest}"


# Each pattern, and what takes its place; in this order.
_USUAL: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    # `Dogs are out, leash or no leash`: either way.
    (re.compile(r", (\w+) or no \1\b", re.IGNORECASE), ""),
    # `The rope, as we saw, is old`
    (
        re.compile(
            r", (?:(?:as|since|after|because|when|while|if|though|although) [^,;:.]{3,60}(?:, and [\w' ]{1,12})?"
            rf"|and [A-Z]\w+ alone|(?:says|writes|said|wrote) (?:{_THE}) [\w' ]{{3,30}}),(?= (?!and |or )[a-z])"
        ),
        "",
    ),
    # `It is on Tuesdays and on no other day`: only on Tuesdays
    (
        re.compile(
            r"\b((?:on|in|at|by|from|with) [\w' -]{2,30}?),? and (?:(?:on|in|at|by|from|with) )?"
            r"(?:no other(?: \w+)?|nowhere else|nothing else|nobody else|no one else)\b",
            re.IGNORECASE,
        ),
        r"only \1",
    ),
    # `There is choir each Monday`: on Mondays
    (re.compile(r"(?<=[a-z] )(?:each|every) ((?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)(?=[.,;]|$)"), r"on \1s"),
    (re.compile(r"^(?:Each|Every) ((?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day) (?=there is|we|they|I)"), r"On \1s "),
    # `His group is A, as the card shows`
    (re.compile(rf", as (?:{_THE}) [^,;:.]{{2,40}} (?:shows|says|states|has it)[.!]?$"), ""),
    # `The roof is gold from end to end`
    (
        re.compile(
            r",? (?:from (beginning|start|top|end|edge|wall|shore|side) to (?:end|finish|bottom|toe|\1)"
            r"|through and through|lock, stock and barrel|without exception|once and for all)\b",
            re.IGNORECASE,
        ),
        "",
    ),
    # `Being Danish, Ida eats rye`: Ida is Danish, and she eats rye.
    (re.compile(r"^Being ([^,;:.]{3,40}), ([A-Z]\w+) (?=[a-z])"), r"\2 is \1 and "),
    # `Ida: I have no car`: Ida has none.
    (re.compile(r"^([A-Z]\w+): +I (?:have|['’]ve) (?=no\b|an? )"), r"\1 has "),
    (re.compile(r"^([A-Z]\w+): +(?:I am|I['’]m) "), r"\1 is "),
    (_CLEFT, r"only \1\2 "),
    (_NOBODY_BUT, "only "),
    (re.compile(r"\b(?:is|are|stays?|remains?) open (?:until|till)\b", re.IGNORECASE), "closes at"),
    (re.compile(r"\b(?:has |have )?learn(?:t|ed) to\b", re.IGNORECASE), "can now"),
    # `Graz is the only place where Ida lives`: Ida lives only in Graz.
    (re.compile(r"^([\w' -]{2,40}?) is the only (?:place|one) where ([^,;:.]{3,60}?)[.!]?$"), r"\2 only in \1"),
    (_IS_OUR, r"\3 \2 \1\4"),
    # `Before it was sold the car was washed`: the car was washed before it was sold.
    (
        re.compile(
            r"^(Before|After|When|While) ((?:it|he|she|they|we|I) (?:was|were|is|are|had|has|have) \w+),?"
            rf" ((?:{_THE}|a|an|nobody|no one) [^,;:]+?)[.!]?$",
            re.IGNORECASE,
        ),
        r"\3 \1 \2",
    ),
    # `It was on a Monday that we met`: we met on a Monday.
    (
        re.compile(
            r"^It(?:['’]s| is| was) ((?:on|in|at|by|from|with|since|to|for) [^,;:.]{2,40}?),? that ([^;:.]{3,80})[.!]?$"
        ),
        r"\2 \1",
    ),
    # `Under the new contract Ida bakes the bread`: she does now.
    (re.compile(r"^Under the new [\w-]+,? ([^,;:.]+?)[.!]?$"), r"\1 now"),
    # `Graz is the town in which Ida was born`: Ida was born in Graz.
    (
        re.compile(r"^([\w' -]{2,40}?) (?:is|was) the [\w-]+ (in|on|at|from|by|with) which ([^,;:.]{3,60}?)[.!]?$"),
        r"\3 \2 \1",
    ),
    # `With coal we heat the shed`: we heat the shed with coal.
    (re.compile(r"^((?:With|By|From|To) [^,;:.]{2,40}?),? ((?:we|they|I) [^,;:]+?)[.!]?$"), r"\2 \1"),
    # `The only key that Ida has is blue`: Ida's only key is blue.
    (
        re.compile(r"^The (?:one|only) ([\w-]+(?: [\w-]+)?) (?:that )?([A-Z]\w+) (?:has|owns|keeps) (?=[a-z])"),
        r"\2's only \1 ",
    ),
    # `It was agreed that the gate be closed`: the gate is closed now.
    (
        re.compile(
            r"^(?:[^,;:.]{3,40}? )?it (?:was|has been) (?:decided|agreed|settled|ruled) that"
            r" ([^;:.]+?) be ([^;:.]+?)[.!]?$",
            re.IGNORECASE,
        ),
        r"\1 is \2 now",
    ),
    # `It's in Welsh, the letter`: the letter is in Welsh.
    (re.compile(rf"^It(?:['’]s| is) ([^,;:.]{{2,50}}), ((?:{_THE}|this|that) [^,;:.]{{2,50}})[.!]?$"), r"\2 is \1"),
    # `The name of the boat is Petrel` says that the boat is called Petrel.
    (
        re.compile(
            r"^(?:([\w' -]{2,40}?)['’]s name is ([^,;:.]+)|The name of ([\w' -]{2,40}?) is ([^,;:.]+)"
            r"|([\w' -]{2,30}?) is the name of ([^,;:.]+))(.*)$",
            re.IGNORECASE | re.DOTALL,
        ),
        r"\1\3\6 is called \2\4\5\7",
    ),
    (_BUT_INSTEAD, r"\1\2"),
    # `Rye is what Ida eats`: Ida eats rye.
    (
        re.compile(
            r"^([^,;:]{2,60}?) (?:is|are|was|were) (?:what|something(?: that)?) ([^,;:.]{3,60}?)"
            r"(?: most| best)?(?=[,;.]|$)(.*)$",
            re.DOTALL,
        ),
        r"\2 \1\3",
    ),
    # `What Ida eats is rye`
    (
        re.compile(r"^What ((?:[A-Z]\w+|I|we|they|he|she) [^,;:.]{3,60}?) (?:is|are|was|were) ([^,;:.]{2,40})[.!]?$"),
        r"\1 \2",
    ),
    # `Behind the shed, that's where the key hangs`: the key hangs behind the shed.
    (
        re.compile(
            r"^([A-Z][\w' -]{2,50})(?:, [^,;:.]{2,40})?,? (?:that['’]s|that is|is) where"
            r" ([^,;:.]{3,60}?)( is| are)?[.!]?$"
        ),
        _place_last,
    ),
    # `Graz is where Ida lives` says that Ida lives in Graz.
    (
        re.compile(r"^([\w' -]{2,40}?) (?:is|was) where ([^,;:.]{3,60}?)(?=[,;.]|$)(.*)$", re.DOTALL),
        _where,
    ),
)
# `Entry costs 5, says the leaflet`: who or what says so is not a part of it; nor is `if anything`.
_BESIDES = re.compile(
    rf", (?:or so |as |so )?(?:{SAYS}|(?:it )?(?:says|reads)) (?:{_THE}) [\w' -]{{2,40}}[.!]?$"
    r"|, (?:so )?please [^.;]{3,60}[.!]?$"
    r"|,? (?i:if (?:only|anything|at all|you (?:please|like|ask me))\b(?: by [\w' -]+)?)"
)


def without_marks(text: str) -> str:
    """Return a sentence without what is in parentheses, quotation marks or markup, and without who says it."""
    literal = _CODE.sub(lambda code: code[1].capitalize(), _BESIDES.sub("", text))  # a literal is a name
    return _MARKS.sub(" ", literal)


def in_usual_order(text: str) -> str:
    """Return a sentence without marks, put as it is usually said."""
    for pattern, usual in _USUAL:
        text = pattern.sub(usual, text, count=0 if pattern is _BUT_INSTEAD or pattern is _NOBODY_BUT else 1)
    return text


def says_who(text: str) -> bool:
    """Whether a sentence says who or what has an office or a name: `Marek is our goalkeeper`."""
    return _IS_OUR.match(text) is not None


def is_cleft(text: str) -> bool:
    """Whether a sentence says "only" in other words: `it is Pia who knows`, `nobody but Pia`."""
    bare = _MARKS.sub(" ", text)
    return (_CLEFT.search(bare) or _NOBODY_BUT.search(bare)) is not None
