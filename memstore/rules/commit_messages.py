"""Commit messages: computed from what changed, with trailers that name the memories.

A message is read by whoever has the repository, and outlives a memory that is forgotten: it holds refs, verbs and
numbers, never a title or another text.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memstore.rules.differences import confidence_step, new_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memstore.model.change import MemoryChange

MEMORY_ID = "Memory-Id"
EVIDENCE = "Evidence"
# A commit of a whole archive names its memories by their files; a page of trailers would tell nobody anything.
MOST_NAMED = 100

_STATUS_VERBS = {"superseded": "supersede", "archived": "archive", "forgotten": "forget", "active": "restore"}
_LEDGER_VERBS = {"support": "reinforce", "partial": "reinforce", "contradict": "contradict", "retract": "retract"}
_PAST = {
    "add": "added", "edit": "edited", "move": "moved", "delete": "deleted", "supersede": "superseded",
    "archive": "archived", "forget": "forgotten", "restore": "restored", "reinforce": "reinforced",
    "contradict": "contradicted", "retract": "retracted",
}  # fmt: skip


def message(changes: Sequence[MemoryChange], text: str | None = None) -> str:
    """Return the message for a commit of these changes.

    Args:
        changes: at least one.
        text: what the person says; then only the trailers are computed.
    """
    lines = [_line(change) for change in changes[:MOST_NAMED]]
    if text is None:
        text = lines[0] if len(changes) == 1 else "\n".join([_summary(changes), "", *lines])
        if len(changes) > MOST_NAMED:
            text += f"\nand {len(changes) - MOST_NAMED} more"
    return with_trailers(text, trailers(changes))


def trailers(changes: Sequence[MemoryChange]) -> list[str]:
    """Return the trailer lines for these changes: the ids, and the evidence that came in; none for very many."""
    if len(changes) > MOST_NAMED:
        return []
    ids = [f"{MEMORY_ID}: {change.memory.id}" for change in changes if change.memory.id]
    evidence = [
        f"{EVIDENCE}: {line.evidence_source}"
        for change in changes
        for line in new_lines(change.before, change.after)
        if line.evidence_source
    ]
    return list(dict.fromkeys(ids + evidence))


def with_trailers(text: str, lines: Iterable[str]) -> str:
    """Return a message with trailers at its end, none of them twice."""
    body = text.rstrip()
    paragraphs = body.rsplit("\n\n", 1)
    last = paragraphs[-1].split("\n") if len(paragraphs) > 1 else []
    missing = [line for line in lines if line not in last]
    if not missing:
        return body + "\n"
    gap = "\n" if last and all(_is_trailer(line) for line in last) else "\n\n"
    return body + gap + "\n".join(missing) + "\n"


def verb(change: MemoryChange) -> str:
    """Return what was done to a memory, in one word."""
    before, after = change.before, change.after
    if before is None:
        return "add"
    if after is None:
        return "delete"
    if before.status != after.status:
        return _STATUS_VERBS.get(after.status, "edit")
    if before == after:
        return "move" if change.is_move else "edit"
    ops = [line.op for line in new_lines(before, after)]
    return _LEDGER_VERBS.get(ops[-1], "edit") if ops else "edit"


def _line(change: MemoryChange) -> str:
    step = confidence_step(change.before, change.after) if change.before and change.after else None
    return f"{verb(change)} {change.name}" + (f" ({step})" if step else "")


def _summary(changes: Sequence[MemoryChange]) -> str:
    counted = Counter(verb(change) for change in changes)
    parts = ", ".join(f"{count} {_PAST[word]}" for word, count in counted.most_common())
    return f"{len(changes)} memories: {parts}"


def _is_trailer(line: str) -> bool:
    token, colon, value = line.partition(": ")
    return bool(colon and value) and token.replace("-", "").isalnum()
