"""What changed between two states of a memory, in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from memstore.model.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.model.confidence import LedgerLine

_TOLD_APART = frozenset({"confidence", "confidence_history", "extra", "body"})
_FEWEST_DECIMALS = 2


def differences(before: Memory, after: Memory) -> tuple[str, ...]:
    """Return what changed, one statement each, in the order of the frontmatter; the body last."""
    return (
        *_of_confidence(before, after),
        *_of_keys(before, after),
        *_of_own_keys(before, after),
        *_of_body(before.body, after.body),
    )


def confidence_step(before: Memory, after: Memory) -> str | None:
    """Return "confidence 0.80 → 0.86", or None where it is the same."""
    if before.confidence == after.confidence:
        return None
    return f"confidence {number(before.confidence)} → {number(after.confidence)}"


def new_lines(before: Memory | None, after: Memory | None) -> list[LedgerLine]:
    """Return the history lines that came in, in the file's order."""
    if after is None:
        return []
    known = Counter(before.confidence_history if before else ())
    added: list[LedgerLine] = []
    for line in after.confidence_history:
        known[line] -= 1
        if known[line] < 0:
            added.append(line)
    return added


def number(value: float | None) -> str:
    """Return a confidence as people write it: at least two decimals, no more than needed."""
    if value is None:
        return "unstated"
    whole, _, decimals = f"{value:.4f}".rstrip("0").partition(".")
    return f"{whole}.{decimals:0<{_FEWEST_DECIMALS}}"


def changed_lines(before: str, after: str) -> int:
    """Return how many lines of a text were added, taken out or altered; an altered line counts once."""
    matcher = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    return sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal")


def _of_confidence(before: Memory, after: Memory) -> Iterator[str]:
    added = new_lines(before, after)
    evidence = ", ".join(dict.fromkeys(line.evidence_source for line in added if line.evidence_source))
    step = confidence_step(before, after)
    if step:
        yield f"{step} because {evidence}" if evidence else step
    lost = len(new_lines(after, before))
    if added and not (step and evidence):
        yield f"confidence_history +{_lines(len(added))}"
    if lost:
        yield f"confidence_history −{_lines(lost)}"


def _of_keys(before: Memory, after: Memory) -> Iterator[str]:
    for field in fields(Memory):
        if field.name not in _TOLD_APART:
            yield from _of_key(field.name, getattr(before, field.name), getattr(after, field.name))


def _of_key(name: str, old: Any, new: Any) -> Iterator[str]:
    if old == new:
        return
    if not isinstance(old, tuple):
        yield f"{name} {_word(old)} → {_word(new)}"
        return
    if not all(isinstance(item, str) for item in (*old, *new)):
        yield f"{name} changed ({len(old)} → {len(new)} entries)"
        return
    gained = [f"+{item}" for item in new if item not in old]
    lost = [f"−{item}" for item in old if item not in new]
    yield f"{name} {' '.join(gained + lost) or 'in another order'}"


def _of_own_keys(before: Memory, after: Memory) -> Iterator[str]:
    for name in sorted({*before.extra, *after.extra}):
        if name not in before.extra:
            yield f"{name} added"
        elif name not in after.extra:
            yield f"{name} taken out"
        elif before.extra[name] != after.extra[name]:
            yield f"{name} changed"


def _of_body(before: str, after: str) -> Iterator[str]:
    if before == after:
        return
    count = changed_lines(before, after)
    yield f"body: {_lines(count)} changed" if count else "body: line ends changed"


def _lines(count: int) -> str:
    return f"{count} line" if count == 1 else f"{count} lines"


def _word(value: object) -> str:
    match value:
        case None | "":
            return "(none)"
        case bool():
            return str(value).lower()
        case str() if " " in value:
            return f'"{value}"'
        case str() | int() | float():
            return str(value)
        case _:
            return "(changed)"
