"""Changes of memories between two states of the vault, matched by id rather than path; and how to word them."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from memstore.core.change import Changes, MemoryChange
from memstore.core.keys import EXTERNAL
from memstore.core.memory import Memory
from memstore.core.quotation import quoted
from memstore.files.memory_file import BrokenFile, MemoryFile, PlainFile
from memstore.history.renames import renamed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memstore.core.finding import Position
    from memstore.core.memory import LedgerLine
    from memstore.files.memory_file import ReadFile


def changes_between(before: Mapping[str, ReadFile], after: Mapping[str, ReadFile]) -> Changes:
    """Return the changes between two states, each given by the files that differ, by path.

    A memory is the same as long as its id is; if its id is gone altogether, as long as its path is. A plain note is the
    same as long as its path is, or was renamed. One that becomes a memory where it is, is only reported as a memory.
    """
    old, new = _memories(before), _memories(after)
    pairs = _pairs(old, new)
    broken = tuple(file for _, file in sorted(after.items()) if isinstance(file, BrokenFile))
    unreadable = {file.path for file in broken}
    changes = [
        MemoryChange(before=old.get(was), after=new.get(now), path_before=was or None, path_after=now or None)
        for was, now in pairs
        if was not in unreadable or now
    ]
    found = Changes(tuple(changes), broken).all
    return Changes(found, broken, Changes(tuple(_note_changes(before, after)), ()).all)


def _note_changes(before: Mapping[str, ReadFile], after: Mapping[str, ReadFile]) -> Iterator[MemoryChange]:
    old, new = ({path: f for path, f in files.items() if isinstance(f, PlainFile)} for files in (before, after))
    gone = {path: file for path, file in old.items() if path not in after}
    fresh = {path: file for path, file in new.items() if path not in before}
    earlier = renamed({path: f.data for path, f in gone.items()}, {path: f.data for path, f in fresh.items()})
    for path, file in new.items():
        was = old.get(earlier.get(path, path))
        yield note_change(was, file)
    yield from (note_change(file, None) for path, file in gone.items() if path not in earlier.values())


def note_change(before: PlainFile | None, after: PlainFile | None) -> MemoryChange:
    """Return the change of a plain note; one that was only moved is the same, though its name may be its title."""
    is_same = before is not None and after is not None and before.data == after.data
    return MemoryChange(
        before=after.memory if after and is_same else before.memory if before else None,
        after=after.memory if after else None,
        path_before=before.path if before else None,
        path_after=after.path if after else None,
        is_note=True,
    )


def introduced_ids(changes: Changes, after: Mapping[str, ReadFile]) -> dict[str, tuple[str, Position]]:
    """Return the ids that are new in files, with their positions, by path."""
    found: dict[str, tuple[str, Position]] = {}
    for change in changes.memories:
        memory, path = change.after, change.path_after
        if memory is None or path is None or memory.id is None:
            continue
        known = change.before is not None and change.before.id == memory.id
        file = after[path]
        if not known and isinstance(file, MemoryFile):
            found[path] = (memory.id, file.front.position("id"))
    return found


def _memories(files: Mapping[str, ReadFile]) -> dict[str, Memory]:
    return {path: file.memory for path, file in files.items() if isinstance(file, MemoryFile)}


def _pairs(old: Mapping[str, Memory], new: Mapping[str, Memory]) -> list[tuple[str, str]]:
    """Return old and new path of each memory; empty for the side where it does not exist."""
    old_ids = {memory.id: path for path, memory in old.items() if memory.id}
    new_ids = {memory.id: path for path, memory in new.items() if memory.id}
    pairs: list[tuple[str, str]] = []
    matched: set[str] = set()
    for path, memory in new.items():
        was = _earlier(path, memory, old, old_ids, new_ids)
        if was in matched:  # a copy counts as a new memory with an id already in use
            was = ""
        matched.add(was)
        pairs.append((was, path))
    return pairs + [(path, "") for path in old if path not in matched]


def _earlier(
    path: str,
    memory: Memory,
    old: Mapping[str, Memory],
    old_ids: Mapping[str, str],
    new_ids: Mapping[str, str],
) -> str:
    """Return the earlier path of a memory; empty if it had none."""
    here = old.get(path)
    if here is not None and here.id == memory.id:
        return path
    if memory.id and memory.id in old_ids:
        return old_ids[memory.id]
    # The same path with another id: the same memory, unless the one that was here has moved.
    return path if here is not None and (here.id or "") not in new_ids else ""


# -- in words --------------------------------------------------------------------------------------


_TOLD_APART = frozenset({"confidence", "confidence_history", "extra", "body"})
# What an external memory says in these is one of a few words, or an id, and no sentence.
_WORDS_OF_THE_PROGRAM = frozenset({"id", "type", "status", "source_type", "importance", "created_at", "updated_at"})
_FEWEST_DECIMALS = 2


def differences(before: Memory, after: Memory) -> tuple[str, ...]:
    """Return the changes, one statement each, in the order of the frontmatter; the body comes last.

    What an external memory says, in one of the two states, is quoted, and so are names of keys of its own.
    """
    says: Callable[[str], str] = quoted if EXTERNAL in (before.source_type, after.source_type) else str
    return (
        *_of_confidence(before, after),
        *_of_keys(before, after, says),
        *_of_own_keys(before, after, says),
        *_of_body(before.body, after.body),
    )


def confidence_step(before: Memory, after: Memory) -> str | None:
    """Return "confidence 0.80 → 0.86", or None if it did not change."""
    if before.confidence == after.confidence:
        return None
    return f"confidence {number(before.confidence)} → {number(after.confidence)}"


def new_lines(before: Memory | None, after: Memory | None) -> list[LedgerLine]:
    """Return the ledger lines that were added, in file order."""
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
    """Return a confidence as people write it: at least two decimals, and no more than needed."""
    if value is None:
        return "unstated"
    whole, _, decimals = f"{value:.4f}".rstrip("0").partition(".")
    return f"{whole}.{decimals:0<{_FEWEST_DECIMALS}}"


def changed_lines(before: str, after: str) -> int:
    """Return how many lines of a text were added, removed or changed; a changed line counts once."""
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


def _of_keys(before: Memory, after: Memory, says: Callable[[str], str]) -> Iterator[str]:
    for field in fields(Memory):
        if field.name not in _TOLD_APART:
            words = str if field.name in _WORDS_OF_THE_PROGRAM else says
            yield from key_change(field.name, getattr(before, field.name), getattr(after, field.name), words)


def key_change(name: str, old: Any, new: Any, says: Callable[[str], str] = str) -> Iterator[str]:
    """Yield a description of the change to one key's value, if any; lists are given as tuples.

    Args:
        name: the key.
        old: its value before.
        new: its value now.
        says: returns a text of the memory as it is to be shown.
    """
    if old == new:
        return
    if type(old) is not tuple:  # one value, perhaps with several parts
        yield f"{name} {_word(old, says)} → {_word(new, says)}"
        return
    if not all(isinstance(item, str) for item in (*old, *new)):
        yield f"{name} changed ({len(old)} → {len(new)} entries)"
        return
    gained = [f"+{says(item)}" for item in new if item not in old]
    lost = [f"−{says(item)}" for item in old if item not in new]
    yield f"{name} {' '.join(gained + lost) or 'in a different order'}"


def _of_own_keys(before: Memory, after: Memory, says: Callable[[str], str]) -> Iterator[str]:
    for name in sorted({*before.extra, *after.extra}):
        if name not in before.extra:
            yield f"{says(name)} added"
        elif name not in after.extra:
            yield f"{says(name)} removed"
        elif before.extra[name] != after.extra[name]:
            yield f"{says(name)} changed"


def _of_body(before: str, after: str) -> Iterator[str]:
    if before == after:
        return
    count = changed_lines(before, after)
    yield f"body: {_lines(count)} changed" if count else "body: line ends changed"


def _lines(count: int) -> str:
    return f"{count} line" if count == 1 else f"{count} lines"


def _word(value: object, says: Callable[[str], str]) -> str:
    match value:
        case None | "":
            return "(none)"
        case bool():
            return str(value).lower()
        case str() if says is not str:
            return says(value)
        case str() if " " in value:
            return f'"{value}"'
        case str() | int() | float():
            return str(value)
        case _:
            return "(changed)"
