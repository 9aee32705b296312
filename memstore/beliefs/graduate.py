"""Graduation: which memories have earned a line in the MEMORY.md of their scope, and which have lost it.

The rules come first; the use case writes lines into a block of that page, and removes others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Unpack

from memstore.beliefs.bites import one_line, shortened
from memstore.beliefs.evidence import hearsay, roots
from memstore.beliefs.next_lines import held_now
from memstore.beliefs.suggestion_file import ByHand, PageLines
from memstore.core.change import Written
from memstore.core.places import is_sealed_path
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.core.titles import title_of
from memstore.core.transaction import Saving, again_where_changed, save_all, save_own, unified_diff
from memstore.files import managed_block
from memstore.lineage.refs import loader
from memstore.search.quality import days_since
from memstore.search.uses import uses_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstore.core.change import Edit, Saved
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.managed_block import Page
    from memstore.files.memory_file import MemoryFile


MOST_A_RUN = 10  # seed 002, "Existing Consolidator"; so are the uses and days
MOST_LINES = 200  # of a whole MEMORY.md
FEWEST_USES = 3
FEWEST_DAYS = 14
BELIEF_ENTERS = 0.7  # the confidence today
BELIEF_LEAVES = 0.6
FEWEST_ROOTS = 3
LONGEST_LINE = 200  # characters of a memory's words

_IMPORTANT = ("high", "pinned")


class Record(NamedTuple):
    """The record of a memory: days since it was created, uses; for a belief, its confidence today and its roots."""

    days_old: float = 0.0
    uses: int = 0
    confidence: float = 0.0
    roots: int = 0


def page_of(scope: str) -> str:
    """Return the path of a scope's MEMORY.md: in the vault's root, or in projects/NAME."""
    kind, _, name = scope.partition(":")
    return f"projects/{name}/MEMORY.md" if kind == "project" and name else "MEMORY.md"


def may_stand(memory: Memory, owner: str) -> bool:
    """Whether a memory may be on a page that the vault's owner reads to whoever is present.

    It must be the owner's own, and, unless it was generalized, must not be restricted to a context, denied to somebody,
    or told under somebody's grants.
    """
    if memory.status != "active" or memory.superseded_by or memory.owner not in (None, "", owner):
        return False
    return memory.generalized or not (memory.context or memory.access_denies or memory.upstream_grants)


def has_earned(memory: Memory, record: Record) -> bool:
    """Whether a memory has earned a line."""
    if memory.type == "belief":
        return record.confidence >= BELIEF_ENTERS and record.roots >= FEWEST_ROOTS
    return is_important(memory) and (record.uses >= FEWEST_USES or record.days_old > FEWEST_DAYS)


def has_lost(memory: Memory, record: Record) -> bool:
    """Whether a memory no longer deserves the line that it has."""
    return record.confidence < BELIEF_LEAVES if memory.type == "belief" else not is_important(memory)


def is_important(memory: Memory) -> bool:
    """Whether somebody marked a memory as important; a raw memory never counts, until something is made of it."""
    return memory.importance in _IMPORTANT and memory.type != "raw"


def says_something(text: str) -> bool:
    """Whether a line written by hand states something, unlike a heading, a comment or a horizontal rule."""
    return not text.startswith(("#", "<!--")) and any(letter.isalnum() for letter in text)


def line_of(ref: str, title: str) -> str:
    """Return the line of a memory; its words are escaped, so they can't end the block that contains it."""
    words = one_line(title).replace("<!--", "< !--").replace("-->", "-- >")
    return f"- {shortened(words, LONGEST_LINE)} [[{ref}]]"


# -- the use case ----------------------------------------------------------------------------------


class GraduationProposal(NamedTuple):
    """An undecided change by hand in a block: where it is, its text now, and the memory it is about.

    `ref` is None for a line that was added by hand, `text` is empty for a line that was removed. `suggestion` is the
    ref of the file in suggestions/ that would make the memories say the same.
    """

    path: str
    line: int
    ref: str | None
    text: str
    suggestion: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Graduated:
    """The result for one MEMORY.md, or what it would be: the refs that entered and left, and the changes by hand.

    `suggested` are the files of suggestions that were written for the first time, or would be.
    """

    path: str
    entered: tuple[str, ...]
    left: tuple[str, ...]
    proposals: tuple[GraduationProposal, ...]
    diff: str
    suggested: tuple[Saved, ...] = ()
    commit: str | None = None

    __repr__ = short_repr


@again_where_changed
def graduate(view: View, **saving: Unpack[Saving]) -> tuple[Graduated, ...]:
    """Write the memories that have earned it into the MEMORY.md of their scope, at most ten per run; see `has_earned`.

    >>> tea = note(ws.view(), "Claire drinks green tea.", importance="high")
    >>> looks = [show_memory(ws.view(), tea.ref) for _ in range(3)]
    >>> [(page.path, page.entered == (tea.ref,)) for page in graduate(ws.view())]
    [('MEMORY.md', True)]

    Args:
        view: the vault; its actor must be its owner, whose page it is.
        saving: dry_run, commit.

    Raises:
        RefusedError: the actor isn't the vault's owner, or others listen.
        FormatError: the comments around a block are not exactly one pair.
    """
    view.require_owner()
    found = _Gathered(view)
    room, pages, files = MOST_A_RUN, [], []
    edits: dict[str, list[Edit]] = {}
    for path in found.paths:
        before = view.own_file(path)
        done, after, by_hand = _page(found, path, before, room)
        room -= len(done.entered)
        if done.diff or done.proposals:
            pages.append(done)
            edits[path] = [found.lines.edit(line, found.now) for line in by_hand if found.lines.is_new(line)]
        if done.diff:
            files.append(Written(path, before, after))
    every = {edit.path: edit for part in edits.values() for edit in part}
    saved, made = _save(view, [*every.values()], files, **saving)
    by_path = {one.path: one for one in saved}
    return tuple(
        replace(page, commit=made, suggested=tuple(by_path[edit.path] for edit in edits[page.path])) for page in pages
    )


def _save(
    view: View, edits: Sequence[Edit], files: Sequence[Written], **saving: Unpack[Saving]
) -> tuple[tuple[Saved, ...], str | None]:
    """Write suggestions and pages in one transaction; return the saved suggestions, and the commit."""
    if edits:
        saved = save_all(view, edits, verb="graduate", own=files, **saving)
        return saved, saved[0].commit
    return (), save_own(view, files, verb="graduate", **saving) if files else None


class _Gathered:
    """The memories that may be on a page, by id, and their records."""

    def __init__(self, view: View) -> None:
        self.now = view.clock.now()
        self.lines = PageLines(view)
        self._load: Callable[[str], Memory | None] = loader(view)
        self._uses = uses_of(view)
        scopes = set(view.column("scope")) - {""}
        self.paths = sorted({"MEMORY.md", *map(page_of, scopes)})
        files = [
            file
            for file in view.memories()
            if not is_sealed_path(file.path)  # a page is plain text
            and _is_wanted(file.memory, view.config.owner)
            and not hearsay(file.memory, self._load, view.is_vouched)
        ]
        self.files: Mapping[str, MemoryFile] = {file.memory.id: file for file in files if file.memory.id}
        memories = [file.memory for file in files]
        gone = {ref.partition(":")[2] for memory in memories for ref in memory.supersedes}
        today = instant(self.now)
        self.memories: Mapping[str, Memory] = {
            memory.id: memory
            for memory in sorted(memories, key=lambda one: (one.created_at or "", one.id or ""))
            if memory.id and memory.id not in gone and not _is_past(memory, today)
        }

    def record(self, memory: Memory) -> Record:
        """Return the record of a memory."""
        is_belief = memory.type == "belief"
        return Record(
            days_old=days_since(memory.created_at or "", self.now) or 0.0,
            uses=len(self._uses.get(memory.id or "", ())),
            confidence=(held_now(memory, self.now) or 0.0) if is_belief else 0.0,
            roots=len(roots(memory, self._load)) if is_belief else 0,
        )


def _is_wanted(memory: Memory, owner: str) -> bool:
    return (memory.type == "belief" or is_important(memory)) and may_stand(memory, owner)


def _is_past(memory: Memory, today: str) -> bool:
    return bool(memory.valid_until) and str(memory.valid_until) < today[: len(str(memory.valid_until))]


def _page(found: _Gathered, path: str, before: bytes | None, room: int) -> tuple[Graduated, bytes, list[ByHand]]:
    """Return the result for one page, its new bytes, and the undecided changes by hand in it."""
    page = managed_block.read(path, before)
    stays = {
        memory_id: memory
        for memory_id, memory in found.memories.items()
        if page_of(memory.scope) == path
        and (memory_id in page.written or has_earned(memory, found.record(memory)))
        and not has_lost(memory, found.record(memory))
    }
    kept, left = _page_lines(page, stays)
    free = MOST_LINES - page.user_lines - len(kept) - 2
    new = [stays[one] for one in stays if one not in page.written][: max(0, min(room, free))]
    lines = {memory.id or "": line_of(str(memory.ref), title_of(memory)) for memory in new}
    after = page._replace(lines=(*kept, *lines.values()), written=_line_digests(page, stays, kept, lines))
    same = not page.lines and not after.lines
    data = (before or b"") if same else managed_block.rendered(after)
    by_hand = [(at, one) for at, one in _by_hand(path, page, found) if not found.lines.is_decided(one)]
    done = Graduated(
        path=path,
        entered=tuple(str(memory.ref) for memory in new),
        left=left,
        proposals=tuple(
            GraduationProposal(path, at, str(one.target.memory.ref) if one.target else None, one.text, one.ref)
            for at, one in by_hand
        ),
        diff="" if same else unified_diff(path, before, data),
    )
    return done, data, [one for _, one in by_hand]


def _page_lines(page: Page, stays: Mapping[str, Memory]) -> tuple[list[str], tuple[str, ...]]:
    """Return the lines that stay, updated unless they were changed by hand, and the refs of the lines that go."""
    kept, left = [], []
    for line in page.lines:
        memory_id = managed_block.id_of(line)
        if memory_id is None or page.written.get(memory_id) != managed_block.digest(line):
            kept.append(line)
        elif memory_id in stays:
            memory = stays[memory_id]
            kept.append(line_of(str(memory.ref), title_of(memory)))
        else:
            left.append(line.rpartition("[[")[2].rstrip().removesuffix("]]"))
    return kept, tuple(left)


def _line_digests(
    page: Page, stays: Mapping[str, Memory], kept: Sequence[str], new: Mapping[str, str]
) -> dict[str, str]:
    """Return the digests of the lines that the program wrote, also of those since changed or removed by hand."""
    was = {managed_block.id_of(line): line for line in page.lines}
    now = {managed_block.id_of(line): line for line in kept}
    marks = {}
    for memory_id, mark in page.written.items():
        by_hand = memory_id not in was or managed_block.digest(was[memory_id]) != mark
        if by_hand and (memory_id in stays or memory_id in was):
            line = now.get(memory_id)
            memory = stays.get(memory_id)
            agreed = memory and line == line_of(str(memory.ref), title_of(memory))
            marks[memory_id] = managed_block.digest(line) if agreed and line else mark
        elif memory_id in now:
            marks[memory_id] = managed_block.digest(now[memory_id])
    return {**marks, **{memory_id: managed_block.digest(line) for memory_id, line in new.items()}}


def _by_hand(path: str, page: Page, found: _Gathered) -> list[tuple[int, ByHand]]:
    """Return the changes by hand in a block, each with its line: reworded, added and removed lines."""
    changed, seen = [], set()
    for at, line in enumerate(page.lines, page.first_line):
        memory_id = managed_block.id_of(line)
        seen.add(memory_id)
        memory = found.memories.get(memory_id or "")
        is_ours = memory_id is not None and page.written.get(memory_id) == managed_block.digest(line)
        if is_ours or (memory and line == line_of(str(memory.ref), title_of(memory))):
            continue
        text = line.removeprefix("- ").rpartition(" [[")[0] if memory_id else line.strip().removeprefix("- ")
        if says_something(text):
            changed.append((at, ByHand(path, text, found.files[memory_id or ""] if memory else None)))
    gone = [one for one in page.written if one not in seen and one in found.memories]
    return [*changed, *((page.first_line - 1, ByHand(path, "", found.files[one])) for one in gone)]
