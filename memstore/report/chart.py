"""Draws how a confidence came about over time: as a line beside a title, and as a chart with dates."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from memstore.report.markup import Markup, element

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.memory import Memory

SPARK_WIDTH, SPARK_HEIGHT = 84, 20
CHART_WIDTH, CHART_HEIGHT = 360, 120
# The margins of a chart: for the numbers on the left, and for the dates below.
LEFT, TOP, BOTTOM, RIGHT = 28, 8, 20, 8


class HeldLevel(NamedTuple):
    """A confidence in [0, 1] that was held from a time on, in UTC."""

    at: datetime
    value: float


def levels(memory: Memory) -> list[HeldLevel]:
    """Return the confidences that a memory was held with, oldest first; empty without a history."""
    found = [
        HeldLevel(datetime.fromisoformat(line.timestamp), line.new)
        for line in memory.confidence_history
        if line.new is not None
    ]
    return sorted(found, key=lambda level: level.at)


def sparkline(held: Sequence[HeldLevel], today: float, now: datetime) -> Markup:
    """Return a small line of a confidence up to now; words beside it must say what it shows."""
    width, height = SPARK_WIDTH - 4, SPARK_HEIGHT - 4
    place = _Scale(held, now, width, height)
    return element(
        "svg",
        element("path", d=_steps(held, place, now), transform="translate(2 2)"),
        element("circle", cx=width + 2, cy=round(2 + height * (1 - today), 1), r=2),
        viewBox=f"0 0 {SPARK_WIDTH} {SPARK_HEIGHT}",
        width=SPARK_WIDTH,
        height=SPARK_HEIGHT,
        class_="spark",
        aria_hidden="true",
    )


def chart(held: Sequence[HeldLevel], today: float, now: datetime) -> Markup:
    """Return a chart of a confidence from 0 to 1 up to now; a dashed line shows how it has faded since the last."""
    width, height = CHART_WIDTH - LEFT - RIGHT, CHART_HEIGHT - TOP - BOTTOM
    place = _Scale(held, now, width, height)
    last_x, last_y = place(held[-1])
    name = f"Confidence from {held[0].at:%Y-%m-%d} to {now:%Y-%m-%d}: {', '.join(f'{one.value:g}' for one in held)}"
    return element(
        "svg",
        element("title", name),
        (_line_across(value, width, height) for value in (0.0, 0.5, 1.0)),
        element("path", d=_steps(held, place, None), class_="held", transform=f"translate({LEFT} {TOP})"),
        element(
            "path",
            d=f"M{last_x} {last_y}L{width} {round(height * (1 - today), 1)}",
            class_="faded",
            transform=f"translate({LEFT} {TOP})",
        ),
        (_dot(level, place(level)) for level in held),
        element("text", f"{held[0].at:%Y-%m-%d}", x=LEFT, y=CHART_HEIGHT - 5),
        element("text", f"{now:%Y-%m-%d}", x=CHART_WIDTH - RIGHT, y=CHART_HEIGHT - 5, text_anchor="end"),
        viewBox=f"0 0 {CHART_WIDTH} {CHART_HEIGHT}",
        width=CHART_WIDTH,
        height=CHART_HEIGHT,
        class_="chart",
        role="img",
        aria_label=name,
    )


def _line_across(value: float, width: int, height: int) -> Markup:
    y = TOP + height * (1 - value)
    return element(
        "g",
        element("line", x1=LEFT, x2=LEFT + width, y1=y, y2=y),
        element("text", f"{value:g}", x=LEFT - 6, y=y + 4, text_anchor="end"),
    )


def _dot(level: HeldLevel, place: tuple[float, float]) -> Markup:
    x, y = place
    said = element("title", f"{level.value:g} from {level.at:%Y-%m-%d}")
    return element("circle", said, cx=round(LEFT + x, 1), cy=round(TOP + y, 1), r=3)


class _Scale:
    """Gives the place of a level in a field of this size; time goes to the right, up to now."""

    def __init__(self, held: Sequence[HeldLevel], now: datetime, width: int, height: int) -> None:
        self._first, self._width, self._height = held[0].at, width, height
        self._whole = max(now - self._first, timedelta(seconds=1))

    def __call__(self, level: HeldLevel) -> tuple[float, float]:
        part = min(1.0, (level.at - self._first) / self._whole)
        return round(part * self._width, 1), round(self._height * (1 - level.value), 1)

    def end(self, now: datetime) -> float:
        return self(HeldLevel(now, 0.0))[0]


def _steps(held: Sequence[HeldLevel], place: _Scale, now: datetime | None) -> str:
    """Return the path of a line that stays at each level until the next; up to now, if that is given."""
    x, y = place(held[0])
    path = f"M{x} {y}"
    for level in held[1:]:
        x, y = place(level)
        path += f"H{x}V{y}"
    return path + (f"H{place.end(now)}" if now else "")
