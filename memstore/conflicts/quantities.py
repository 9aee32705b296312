"""Numbers in words: `ninety`, `twenty-one`, `two hundred and five`, `three thousand`, `two dozen`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen""".split()  # noqa: SIM905 - a list of words reads best as words
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_ORDINALS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split()  # noqa: SIM905
_ROUND_ORDINALS = "thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth".split()  # noqa: SIM905

_HUNDRED, _DOZEN = 100.0, 12.0
SCALES = {"hundred": _HUNDRED, "dozen": _DOZEN, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_TENS_OF = {word: 10.0 * at for at, word in enumerate(_TENS, 2)}
CARDINALS = (
    {word: float(at) for at, word in enumerate(_ONES)}
    | _TENS_OF
    | {f"{ten}-{_ONES[one]}": tens + one for ten, tens in _TENS_OF.items() for one in range(1, 10)}
    | SCALES
)
ORDINALS = (
    {word: float(at) for at, word in enumerate(_ORDINALS, 1)}
    | {word: 10.0 * at for at, word in enumerate(_ROUND_ORDINALS, 3)}
    | {f"{ten}-{_ORDINALS[one - 1]}": tens + one for ten, tens in _TENS_OF.items() for one in range(1, 10)}
)


def joined(first: str, following: Sequence[object]) -> tuple[float, int]:
    """Return the number that begins with a number word, and how many of the words after it belong to it.

    Two numbers side by side that make none stay two: `one two three`, `nine thirty`.
    """
    said = _Spelled(first)
    taken = 0
    while taken < len(following):
        # `and` only before what is left of a hundred or a thousand.
        after_and = following[taken] == "and" and said.room >= _HUNDRED
        at = taken + after_and
        if at >= len(following) or not said.take(str(following[at]), after_and=after_and):
            break
        taken = at + 1
    if tuple(following[taken : taken + 3]) == ("and", "a", "half"):
        return said.value + 0.5, taken + 3
    return said.value, taken


class _Spelled:
    """A number being put together: what is whole thousands and more, the rest, and what may still be added to it."""

    def __init__(self, first: str) -> None:
        self._thousands, self._rest, self._least_scale = 0.0, 0.0, float("inf")
        self.room = float("inf")
        if first in SCALES:  # `a hundred`
            self._rest, self.room = 1.0, 0.0
        self.take(first, after_and=False)

    @property
    def value(self) -> float:
        return self._thousands + self._rest

    def take(self, word: str, *, after_and: bool) -> bool:
        """Take the next word; False where it does not belong to the number."""
        if word in SCALES:
            return not after_and and self._scale(SCALES[word])
        small = CARDINALS.get(word)
        if small is None or small >= self.room or (small == 0 and self.value):
            return False
        self._rest += small
        self.room = 10.0 if word in _TENS_OF else 0.0
        return True

    def _scale(self, scale: float) -> bool:
        if scale <= _HUNDRED:
            fits = 0 < self._rest < _HUNDRED and (scale == _HUNDRED or not self._thousands)
            self._rest *= scale if fits else 1.0
            self.room = _HUNDRED if scale == _HUNDRED else 0.0
            return fits
        if self._rest <= 0 or scale >= self._least_scale:
            return False
        self._thousands += self._rest * scale
        self._rest, self._least_scale, self.room = 0.0, scale, _HUNDRED
        return True
