"""Commit messages: computed from the changes, with trailers that name the memories.

Anybody who has the repository can read a message, and it outlives a forgotten memory. So it calls a memory by its title
only if nobody but its owner is involved, and otherwise by its ref; it contains no other text (docs/adr/0027).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memstore.core.keys import EXTERNAL
from memstore.core.places import is_sealed_path
from memstore.core.titles import title_of
from memstore.history.changes import confidence_step, new_lines, number

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from memstore.core.change import MemoryChange
    from memstore.core.memory import Memory

MEMORY_ID = "Memory-Id"
EVIDENCE = "Evidence"
# The commit of a whole archive doesn't name each memory in a trailer; a page of trailers would help nobody.
MOST_NAMED = 100

_STATUS_VERBS = {
    "superseded": "supersede", "archived": "archive", "forgotten": "forget", "active": "restore",
    "quarantined": "quarantine",
}  # fmt: skip
_LEDGER_VERBS = {"support": "reinforce", "partial": "reinforce", "contradict": "contradict", "retract": "retract"}
_PAST = {
    "add": "added", "edit": "edited", "move": "moved", "delete": "deleted", "supersede": "superseded",
    "archive": "archived", "forget": "forgotten", "restore": "restored", "reinforce": "reinforced",
    "contradict": "contradicted", "retract": "retracted", "promote": "promoted", "quarantine": "quarantined",
}  # fmt: skip


def message(changes: Sequence[MemoryChange], text: str | None = None, *, hidden: Collection[str] = ()) -> str:
    """Return the message for a commit of these changes.

    Args:
        changes: at least one.
        text: the person's own message; then only the trailers are computed.
        hidden: paths whose text git does not show, as that of encrypted files: the message shows none, either.
    """
    lines = [_line(change, hidden) for change in changes[:MOST_NAMED]]
    if text is None:
        text = lines[0] if len(changes) == 1 else "\n".join([_subject(changes, hidden), "", *lines])
        if len(changes) > MOST_NAMED:
            text += f"\nand {len(changes) - MOST_NAMED} more"
    return with_trailers(text, trailers(changes, hidden=hidden))


def trailers(changes: Sequence[MemoryChange], *, hidden: Collection[str] = ()) -> list[str]:
    """Return the trailer lines for these changes: the ids, and the evidence that was added; none for very many."""
    if len(changes) > MOST_NAMED:
        return []
    ids = [f"{MEMORY_ID}: {change.memory.id}" for change in changes if change.memory.id]
    evidence = [
        f"{EVIDENCE}: {line.evidence_source}"
        for change in changes
        for line in (() if _is_closed(change, hidden) else new_lines(change.before, change.after))
        if line.evidence_source
    ]
    return list(dict.fromkeys(ids + evidence))


def with_trailers(text: str, lines: Iterable[str]) -> str:
    """Return a message with trailers at its end, without duplicates."""
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
    if before.status != after.status and not (before.status == "draft" and after.processed_into):
        return _STATUS_VERBS.get(after.status, "edit")
    if before == after:
        return "move" if change.is_move else "edit"
    if {*after.processed_into} - {*before.processed_into}:
        return "promote"
    ops = [line.op for line in new_lines(before, after)]
    return _LEDGER_VERBS.get(ops[-1], "edit") if ops else "edit"


def _line(change: MemoryChange, hidden: Collection[str]) -> str:
    done, name = verb(change), called(change, hidden=hidden)
    if change.before is None or change.after is None or _is_closed(change, hidden):
        return f"{done} {name}"
    if done in _WITH_EVIDENCE:
        return f"{done} {name} {_weighed(change.before, change.after)}"
    step = confidence_step(change.before, change.after)
    named = _named_anew(change.before, change.after, done)
    return f"{done} {name}" + (f" {named}" if named else "") + (f" ({step})" if step else "")


def _is_closed(change: MemoryChange, hidden: Collection[str]) -> bool:
    """Whether a memory is or was sealed or hidden: its message says no more than that it changed."""
    return any(path and (is_sealed_path(path) or path in hidden) for path in (change.path_before, change.path_after))


# Keys that involve or mention anybody but the vault's owner.
_OF_OTHERS = (
    "owner", "context", "subject_ids", "entities", "source_entity", "source_chain", "access_grants", "access_denies",
    "consent_grants", "upstream_grants",
)  # fmt: skip
_LONGEST_TITLE = 60


def called(change: MemoryChange, *, hidden: Collection[str] = ()) -> str:
    """Return the name of a memory in a message: its title, or its ref if others are involved, or it is deleted."""
    states = [memory for memory in (change.before, change.after) if memory is not None]
    title = in_subject(title_of(states[-1]))
    is_kept_back = (
        change.after is None
        or _is_closed(change, hidden)
        or any(
            memory.type == "raw"
            or memory.status == "forgotten"
            or memory.source_type == EXTERNAL
            or any(getattr(memory, key) for key in _OF_OTHERS)
            for memory in states
        )
    )
    return change.name if is_kept_back or not title else title


def in_subject(title: str) -> str:
    """Return a title as a message's subject has it: on one line, without its period, at most 60 characters."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in title).split()).rstrip(".")
    return line if len(line) <= _LONGEST_TITLE else f"{line[: _LONGEST_TITLE - 1].rstrip()}…"


_WITH_EVIDENCE = frozenset(_LEDGER_VERBS.values())
_LINKS = {"promote": ("to", "processed_into"), "supersede": ("by", "superseded_by")}


def _weighed(before: Memory, after: Memory) -> str:
    """Return "0.85 → 0.8686 (episode:m_…)"; an unchanged number is given once."""
    numbers = list(dict.fromkeys(number(one.confidence) for one in (before, after)))
    evidence = dict.fromkeys(line.evidence_source for line in new_lines(before, after) if line.evidence_source)
    return " → ".join(numbers) + (f" ({', '.join(evidence)})" if evidence else "")


def _named_anew(before: Memory, after: Memory, done: str) -> str:
    """Return what a memory became, or what replaced it: "to belief:m_…"."""
    word, key = _LINKS.get(done, ("", ""))
    refs = [ref for ref in getattr(after, key) if ref not in getattr(before, key)] if key else []
    return f"{word} {', '.join(refs)}" if refs else ""


def _subject(changes: Sequence[MemoryChange], hidden: Collection[str]) -> str:
    """Return the line of the one act that all other changes belong to, or else a summary."""
    acts = [change for change in changes if verb(change) in _LINKS]
    others = [change for change in changes if change not in acts]
    if len(acts) == 1 and len(others) == 1 and others[0].before is None:
        return _line(acts[0], hidden)
    return _summary(changes)


def _summary(changes: Sequence[MemoryChange]) -> str:
    counted = Counter(verb(change) for change in changes)
    parts = ", ".join(f"{count} {_PAST[word]}" for word, count in counted.most_common())
    notes = sum(change.is_note for change in changes)
    return f"{counted_files(len(changes) - notes, notes)}: {parts}"


def counted_files(memories: int, notes: int) -> str:
    """Return "3 memories, 1 note"; plain notes alone are "4 notes", and without any it is "0 memories"."""
    words = [f"{memories:,} {'memory' if memories == 1 else 'memories'}"] if memories or not notes else []
    return ", ".join([*words, *([f"{notes:,} note{'s' * (notes != 1)}"] if notes else [])])


def _is_trailer(line: str) -> bool:
    token, colon, value = line.partition(": ")
    return bool(colon and value) and token.replace("-", "").isalnum()
