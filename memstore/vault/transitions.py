"""How a memory may change: checks of an old state against a new one.

Only problems that are certain from the two states are found here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.beliefs.ledger import as_counted
from memstore.beliefs.next_lines import accounts_for
from memstore.core.finding import Finding, Position, in_order
from memstore.core.finding_codes import Checked, finding_of
from memstore.core.keys import EXTERNAL
from memstore.core.places import is_sealed_path
from memstore.files.memory_file import MemoryFile, PlainFile
from memstore.vault import checks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memstore.core.memory import Memory
    from memstore.files.memory_file import ReadFile


def check(before: Memory, after: Checked) -> list[Finding]:
    """Return the problems of a step from one state of a memory to the next."""
    return [finding for rule in _RULES for finding in rule(before, after.memory, after)]


def duplicates(paths_of_ids: Mapping[str, Sequence[str]], introduced: Mapping[str, Position]) -> Iterator[Finding]:
    """Yield an error for each file that introduces an id which another file has.

    Args:
        paths_of_ids: all files by their id.
        introduced: the files that are new or have a new id, and the position of the id in each.
    """
    for memory_id, paths in paths_of_ids.items():
        for path in paths:
            others = sorted(other for other in paths if other != path)
            if others and path in introduced:
                text = f"the id {memory_id} is already that of {others[0]}"
                yield finding_of("id-duplicate", path, text, hint_for_copies(paths), introduced[path], key="id")


def hint_for_copies(paths: Iterable[str]) -> str:
    """Return what to do about several files with one id; what is sealed has no line to delete."""
    if sealed := next(filter(is_sealed_path, paths), None):
        return f"they are one memory: compare them with memstore show {sealed}, keep the right file, delete the other"
    return "delete the line `id:` of the copy and run memstore adopt, which gives it an id of its own"


def _same_id(before: Memory, after: Memory, file: Checked) -> Iterator[Finding]:
    if before.id and before.id != after.id:
        now = f"is now {after.id}" if after.id else "is gone"
        text = f"the id was {before.id} and {now}; refs to it would lead nowhere"
        yield file.finding("id-changed", text, f"put back: id: {before.id}", "id")


def _same_type(before: Memory, after: Memory, file: Checked) -> Iterator[Finding]:
    if before.type != after.type:
        text = f"the type was {before.type} and is now {after.type}"
        hint = f"refs written {before.type}:{after.id} now name the wrong type; put it back, or correct them"
        yield file.finding("type-changed", text, hint, "type")


def _same_creation(before: Memory, after: Memory, file: Checked) -> Iterator[Finding]:
    if before.created_at and before.created_at != after.created_at and not _is_tombstone(after):
        text = f"created_at was {before.created_at} and is now {after.created_at or 'absent'}"
        hint = f'put back: created_at: "{before.created_at}"; valid_from and valid_until say when something was true'
        yield file.finding("created-at-changed", text, hint, "created_at")


def _same_outside(before: Memory, after: Memory, file: Checked) -> Iterator[Finding]:
    if before.source_type == EXTERNAL != after.source_type and not _is_tombstone(after):
        text = f"it was taken in from outside, and is now {after.source_type or 'without source_type'}"
        hint = f"put back: source_type: {EXTERNAL}; memstore trust witness {after.ref} --attest confirm vouches for it"
        yield file.finding("external-relabelled", text, hint, "source_type")


def _whole_history(before: Memory, after: Memory, file: Checked) -> Iterator[Finding]:
    # A history is a set: a line that was repeated and now occurs once is not lost.
    there = set(map(as_counted, after.confidence_history))
    lost = {line for line in before.confidence_history if as_counted(line) not in there}
    added = {*after.confidence_history} - {*before.confidence_history}
    for line in sorted(lost, key=lambda line: (line.timestamp, line.op)) if not _is_tombstone(after) else ():
        if not accounts_for(line, added):
            text = f"the history line of {line.timestamp} ({line.op}) was changed or removed"
            hint = "put the line back, or record with memstore check --fix that its evidence is retracted"
            yield file.finding("history-lost", text, hint, "confidence_history")


def _recorded_confidence(before: Memory, after: Memory, file: Checked) -> Iterator[Finding]:
    is_same_history = {*before.confidence_history} == {*after.confidence_history}
    # Without any line, the confidence itself is the statement.
    if before.confidence != after.confidence and after.confidence_history and is_same_history:
        numbers = f"from {_number(before.confidence)} to {_number(after.confidence)}"
        text, hint = f"confidence went {numbers} without a history line", "memstore check --fix records it as an edit"
        yield file.finding("confidence-unrecorded", text, hint, "confidence")


def _stays_forgotten(before: Memory, after: Memory, file: Checked) -> Iterator[Finding]:
    if _is_tombstone(before) and not _is_tombstone(after):
        text = f"the memory was forgotten, and its status is now {after.status}"
        hint = "put back: status: forgotten; write a new memory to remember it again"
        yield file.finding("forgotten-revived", text, hint, "status")


def _is_tombstone(memory: Memory) -> bool:
    """Whether a memory was forgotten, so that nothing that it once said has to be there."""
    return memory.status == "forgotten"


def _number(confidence: float | None) -> str:
    return "unstated" if confidence is None else f"{confidence:g}"


_RULES: tuple[Callable[[Memory, Memory, Checked], Iterator[Finding]], ...] = (
    _same_id,
    _same_type,
    _same_creation,
    _same_outside,
    _whole_history,
    _recorded_confidence,
    _stays_forgotten,
)


def findings_between(before: ReadFile | None, after: MemoryFile) -> tuple[Finding, ...]:
    """Return the problems of a step from one state of a file to the next, with probable mistakes in new keys.

    A text with a conflict that a merge left stays as it is until a person has decided: no step but that one is sound.
    """
    known = before.memory.extra if isinstance(before, MemoryFile) else ()
    checked = checks.as_checked(after)
    findings = [*checks.unread_keys(checked, but=known), *_new_nul(before, after)]
    if isinstance(before, MemoryFile):
        findings += check(before.memory, checked)
    if isinstance(before, MemoryFile | PlainFile) and any(checks.conflict_marker(checked)):
        was = Checked(before.path, before.memory, lambda *_: Position(1), before.text.body_line)
        findings += checks.conflict_marker(was)  # by the lines of the file as it is
    return in_order(findings)


def _new_nul(before: ReadFile | None, after: MemoryFile) -> Iterator[Finding]:
    """Yield a finding for the first U+0000 of a text, unless the file already had one: that one stays as it is."""
    at = after.data.find(b"\0")
    if at >= 0 and (before is None or b"\0" not in before.data):
        line = after.data.count(b"\n", 0, at) + 1
        text, hint = "the text has U+0000, which ends it in many programs", "leave out U+0000; UTF-16 is saved as UTF-8"
        yield finding_of("body-nul", after.path, text, hint, Position(line))
