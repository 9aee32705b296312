"""What is said to whoever just wrote a memory, for them to judge; what they left comes back once, and lapses."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from memstore.conflicts.candidates import candidates
from memstore.core.errors import NotFoundError
from memstore.core.times import instant
from memstore.search import DERIVED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memstore.conflicts.candidates import Candidate
    from memstore.core.view import View

# Characters of all that is said at once: about 250 tokens, of which a statement has at least 40 characters.
MOST_CHARACTERS, FEWEST = 900, 40
LAPSE = timedelta(days=14)
# Characters of a word that both say.
_LONGEST_WORD = 30
# So many pairs are remembered, the latest ones.
MOST_KEPT = 200
_NAME, _STATE, _BETWEEN = "open-pairs", "1", "\t"


class Concern(NamedTuple):
    """A statement that may concern a memory, in few words; `place` is `path:line`, `concerns` the memory's ref."""

    ref: str
    place: str
    day: str | None
    text: str
    why: str
    concerns: str


def concerns(found: Sequence[Candidate]) -> list[Concern]:
    """Return candidates in few words; the more there are, and the longer their paths, the shorter are their texts."""
    room = MOST_CHARACTERS // len(found) if found else 0
    return [_concern(one, room - 100 - len(one.path)) for one in found]


def _concern(one: Candidate, room: int) -> Concern:
    room = max(room, FEWEST)
    text = one.text if len(one.text) <= room else f"{one.text[: room - 1]}…"
    return Concern(
        ref=one.ref,
        place=f"{one.path}:{one.line_start}",
        day=(one.created_at or "")[:10] or None,
        text=one.external.framed(text) if one.external else text,
        why=because([word[:_LONGEST_WORD] for word in one.why[:5]]),
        concerns=one.concerns.ref,
    )


def because(shared: Sequence[str]) -> str:
    """Return why a statement is a candidate, by the words that it shares."""
    return f"both say {', '.join(shared)}" if shared else "close in meaning"


def note_shown(view: View, shown: Sequence[Candidate]) -> None:
    """Remember that the actor was shown these candidates."""
    kept = dict(view.of(DERIVED).last(_NAME, _STATE))
    now = instant(view.clock.now())
    kept |= {_BETWEEN.join((view.actor, one.concerns.ref, one.ref)): [now] for one in shown}
    view.of(DERIVED).keep(_NAME, _STATE, dict([*kept.items()][-MOST_KEPT:]))


def taken(view: View, is_in: Callable[..., bool] = lambda *_: True) -> tuple[Candidate, ...]:
    """Return the candidates that the actor was shown in the last days and has not judged; they don't come again.

    Args:
        view: the vault.
        is_in: whether a pair, by its refs, is of what is asked for; the others stay for later.
    """
    kept = dict(view.of(DERIVED).last(_NAME, _STATE))
    since = view.clock.now() - LAPSE
    pairs: dict[str, set[str]] = {}
    mine = {}
    for key, at in kept.items():
        by, *refs = key.split(_BETWEEN)
        if by == view.actor and is_in(*refs):
            mine[key] = at
    for key, (at, *_) in mine.items():
        _, ref, other = key.split(_BETWEEN)
        if datetime.fromisoformat(at) >= since:
            pairs.setdefault(ref, set()).add(other)
    found: list[Candidate] = []
    for ref, others in pairs.items():
        with suppress(NotFoundError):  # it is gone, or not to be seen from here
            found += [one for one in candidates(view, ref) if one.ref in others]
    if mine:
        view.of(DERIVED).keep(_NAME, _STATE, {key: at for key, at in kept.items() if key not in mine})
    return tuple(found)
