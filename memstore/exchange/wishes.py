"""What imports and captures leave out: what its speaker asked not to be remembered, and what nobody said.

A wish is a sentence to the listener, about what is being said: `Don't remember this.` A sentence about somebody's own
memory (`I do not remember where it is`) or about a file (`don't save this to disk`) is none. The phrases are in
`words.toml`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from memstore.core.word_lists import word_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NOT_TO_BE_REMEMBERED = "it was asked not to be remembered"

T = TypeVar("T")
# Besides the wish, a turn that says anything else has so many letters.
_FEWEST_LETTERS = 4
_LONGEST_WISH = 160
_SENTENCE = re.compile(r"[^.!?\n:;]+[.!?\n:;]*")
_LEAD = (
    r"\s*(?:[-*>\"'“„(]+\s*)?(?:(?:please|kindly|but|and|so|also|oh|by the way|btw|hey|ok(?:ay)?|note|important|"
    r"bitte|aber|und|s'il te plaît|s'il vous plaît|por favor|per favore|alsjeblieft|пожалуйста)\b[\s,:–—-]*){0,4}"
)
_TAIL = re.compile(r"[\s,.!?:;–—-]*(?:please|okay|ok|thanks|thank you|bitte|danke)?[\s,.!?:;–—-]*")


# Instead of an answer, programs write why there is none.
_ERROR = re.compile(r"API Error: ?(?:\d{3}\b|\{|Connection|Request|Repeated)")


def is_error(answer: str) -> bool:
    """Whether a program wrote an answer itself, because there was none."""
    return _ERROR.match(answer) is not None


@cache
def _wishes() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of wishes about a turn, and about a whole conversation."""
    known = word_lists("exchange")["wishes"]
    found = []
    for kind in ("this", "all"):
        said = "|".join(line for of in known.values() for line in of[kind].splitlines() if line)
        found.append(re.compile(f"{_LEAD}(?:{said})"))
    return found[0], found[1]


def to_be_remembered(turns: Sequence[T], said: Callable[[T], str | None]) -> list[T]:
    """Return the turns that may be remembered, in order.

    With a turn that asks for itself, its answers are left out; with one that only asks, what was said before, too.

    Args:
        turns: in order.
        said: returns what the person said in a turn; None for anybody else's.
    """
    kept: list[T] = []
    last, silent = 0, False  # where what the person said last begins in `kept`; whether the answers are left out
    for turn in turns:
        text = said(turn)
        if text is None:
            kept += [] if silent else [turn]
            continue
        scope = _asked(text)
        if scope == "all":
            return []
        silent = scope != ""
        if scope == "before":
            del kept[last:]
        last = len(kept)
        if not silent:
            kept.append(turn)
    return kept


def _asked(text: str) -> str:
    """Return what a turn asks not to be remembered: `all`, `before` it, `this` turn itself; empty for nothing."""
    this, everything = _wishes()
    rest, asked = 0, False
    for sentence in _SENTENCE.findall(text.casefold().replace("’", "'")):
        if everything.match(sentence, 0, _LONGEST_WISH):
            return "all"
        if found := this.match(sentence, 0, _LONGEST_WISH):
            asked = True
            rest += len(_TAIL.sub("", sentence[found.end() :]))
        else:
            rest += len(_TAIL.sub("", sentence))
    if not asked:
        return ""
    return "this" if rest >= _FEWEST_LETTERS else "before"
