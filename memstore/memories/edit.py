"""Change an existing memory: single keys, tags, the whole file in an editor, its path, its layout.

A memory whose file is renamed stays the same: its id identifies it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Unpack

from memstore.access.audit import WHOLLY, recorded
from memstore.access.grants import stop_outside, tellers
from memstore.access.widening import unconsented
from memstore.beliefs.next_lines import next_time
from memstore.core.change import Edit, Saved, Written
from memstore.core.errors import ChangedMeanwhileError, PlainNoteError, RefusedError, UsageError
from memstore.core.finding import Position, Problem, Severity, in_order
from memstore.core.keys import EXTERNAL
from memstore.core.named import refs_of
from memstore.core.places import (
    MEMORY_SUFFIX,
    MOST_NAME_BYTES,
    id_endings,
    is_memory_path,
    is_name_on_one_line,
    is_sealed_path,
    stem_of,
)
from memstore.core.provenance import LIVED, teller_of
from memstore.core.times import instant
from memstore.core.transaction import (
    Saving,
    again_where_changed,
    hint,
    refuse_as_not_owner,
    save_all,
    shown,
    unified_diff,
)
from memstore.files import memory_file, render, splice
from memstore.files.memory_file import MemoryFile, PlainFile
from memstore.files.shapes import is_absent
from memstore.files.tidy import tidied
from memstore.lineage.refs import whole_refs
from memstore.memories.add import refuse_by_hand
from memstore.memories.links import relinked
from memstore.memories.plain_notes import note_of, set_note_keys, tag_note
from memstore.vault.references import wrong_links
from memstore.vault.transitions import findings_between

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.core.finding import Finding
    from memstore.core.memory import LedgerLine
    from memstore.core.named import Named, Names
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.files.render import Plain
    from memstore.memories.links import LeftLink


# -- keys ----------------------------------------------------------------------------------------


@again_where_changed
def set_keys(view: View, memory: Named, texts: Mapping[str, Sequence[str]], **saving: Unpack[Saving]) -> Saved:
    """Set keys of a memory, as typed by a person; an empty value removes the key.

    Args:
        view: the vault.
        memory: the memory.
        texts: what was typed for each key; lists are separated by commas.
        saving: dry_run, commit.

    Raises:
        UsageError: a text can't be the key's value.
        RefusedError: a key is kept by the program, or by a command of its own.
        NotFoundError: the memory, or one that a value names, does not exist.
    """
    for name, typed_texts in texts.items():
        refuse_by_hand(name, typed_texts[-1] if typed_texts else "")
    values = {name: _typed(name, given) for name, given in texts.items()}
    try:
        file = view.original(memory, by_name=True)
    except PlainNoteError as error:
        return set_note_keys(view, error, values, **saving)
    if file.memory.source_type == EXTERNAL != values.get("source_type", EXTERNAL):
        which = file.memory.ref or file.path
        raise RefusedError(
            f"{which} is what somebody else wrote, and stays that",
            hint=f"memstore trust witness {which} --attest confirm vouches for it; what you conclude from it is a "
            f"memory of its own: memstore add TEXT --derived-from {which}",
        )
    values |= whole_refs(view, values, of=file.path)
    teller = teller_of(values)
    if teller and "source_type" not in values and file.memory.source_type in LIVED:
        values["source_type"] = tellers(view)(teller)
    edits: list[splice.Edit] = []
    for name, value in values.items():
        edits += _edits(view, file, name, value)
    return _save(view, file, edits, verb="set", **saving)


def _typed(name: str, texts: Sequence[str]) -> Plain:
    return None if not any(text.strip() for text in texts) else render.parse(name, texts, split=True)


def _edits(view: View, file: MemoryFile, name: str, value: Plain) -> list[splice.Edit]:
    if is_absent(value):
        return [splice.RemoveKey(name)]
    edits: list[splice.Edit] = [splice.SetValue(name, value)]
    old = file.memory.confidence
    if name == "confidence" and file.memory.confidence_history and not splice.same_value(old, value):
        edits.append(
            splice.AppendEntry("confidence_history", _edit_line(view, file.memory.confidence_history, old, value))
        )
    return edits


def _edit_line(view: View, history: Sequence[LedgerLine], old: float | None, new: Plain) -> dict[str, Plain]:
    """Return the ledger line of a confidence set by hand; its time is after all lines before it."""
    at = instant(next_time(history, view.clock.now()))
    return {"timestamp": at, "op": "edit", "old": old, "new": new, "by": view.actor}


@again_where_changed
def tag(
    view: View, memory: Named, *, add: Sequence[str] = (), remove: Sequence[str] = (), **saving: Unpack[Saving]
) -> Saved:
    """Add tags to a memory, and remove others.

    Raises:
        NotFoundError: there is no such memory.
        UsageError: a tag is not a word, or is both added and removed.
    """
    both = set(add) & set(remove)
    if both:
        raise UsageError(f"`{min(both)}` is both added and removed")
    adding = render.parse("tags", add) if add else []
    removing = render.parse("tags", remove) if remove else []
    try:
        file = view.original(memory, by_name=True)
    except PlainNoteError as error:
        return tag_note(view, error, add=_items(adding), remove=_items(removing), **saving)
    edits: list[splice.Edit] = [
        splice.RemoveItems("tags", _items(removing)),
        splice.AppendItems("tags", _items(adding)),
    ]
    return _save(view, file, edits, verb="tag", **saving)


def _items(value: Plain) -> tuple[Plain, ...]:
    return tuple(value) if isinstance(value, list) else ()


def _save(view: View, file: MemoryFile, edits: Sequence[splice.Edit], *, verb: str, **saving: Unpack[Saving]) -> Saved:
    if file.memory.status == "forgotten":
        raise RefusedError(f"{file.memory.ref} was forgotten: a tombstone has no tags, and says nothing else")
    data = splice.apply(file, edits)
    after = memory_file.read(file.path, data, mixed=view.config.mixed)
    if isinstance(after, memory_file.BrokenFile):
        # The file was readable, so the problem is in the new values.
        raise UsageError(shown(after.findings), hint=hint(after.findings))
    if isinstance(after, MemoryFile) and (widened := unconsented(view, file, after)):
        raise RefusedError(f"nothing was written:\n{shown(widened)}", hint=hint(widened))
    if isinstance(after, MemoryFile):
        stop_outside(view, file.memory, after.memory.access_grants)
    edit = Edit(path=file.path, before=file, after=data)
    return save_all(view, [edit], verb=verb, own=_shared(view, file, after), **saving)[0]


def _shared(view: View, before: MemoryFile, after: ReadFile) -> tuple[Written, ...]:
    """Return the audit event of a change in who may see a memory; empty if there is no such change."""
    if not isinstance(after, MemoryFile) or not view.owns(before.memory):
        return ()
    old, new = before.memory, after.memory
    if old.sharing == new.sharing:
        return ()

    about = {"to": [*new.access_grants], "denied": [*new.access_denies]}
    return (recorded(view, WHOLLY, memory=new.id or before.path, owner=new.owner, **about),)


# -- the whole file, in an editor ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rejected:
    """A draft that can't become the memory, and why."""

    findings: tuple[Finding, ...]


@again_where_changed
def accept(view: View, before: MemoryFile, draft: bytes, **saving: Unpack[Saving]) -> Saved | Rejected:
    """Save a draft of the file `before` as that file; a draft with errors is returned.

    If somebody else saved the file meanwhile, and the changes don't overlap, both are kept. New refs in the draft must
    meet the rules of every command: the memory exists, is another one, and was not made from this one.

    Raises:
        ChangedMeanwhileError: somebody else changed the same lines meanwhile, or the file is gone.
    """
    now = view.original(before.memory.id or before.path)
    if now.data != before.data:
        both = merged(before.data, draft, now.data)
        if both is None or now.path != before.path:
            raise ChangedMeanwhileError(
                f"{before.path}: somebody else changed the same lines in the meantime; nothing was written",
                hint="merge the draft with the file as it is now",
            )
        draft = both
    findings = _wrong_with(view, now, draft)
    if findings:
        return Rejected(findings)
    edit = Edit(path=now.path, before=now, after=draft)
    own = _shared(view, now, memory_file.read(now.path, draft, mixed=view.config.mixed))
    return save_all(view, [edit], verb="edit", own=own, **saving)[0]


def _wrong_with(view: View, before: MemoryFile, draft: bytes) -> tuple[Finding, ...]:
    """Return the errors of a draft; empty if it can be written."""
    match memory_file.read(before.path, draft, mixed=view.config.mixed):
        case memory_file.BrokenFile(findings=findings):
            return findings
        case MemoryFile() as after:
            errors = [finding for finding in findings_between(before, after) if finding.is_error]
            errors += unconsented(view, before, after)
            # In an existing file, a dangling ref is a warning; no command writes one.
            links = [finding._replace(severity=Severity.ERROR) for finding in wrong_links(view, before, after)]
            return in_order([*errors, *links])
        case _:
            lost = Problem("fence-opening", Position(1), "the frontmatter is gone", "begin with a line ---")
            return (lost.found_in(before.path),)


# -- merging two changes of one text ---------------------------------------------------------------


# A comparison takes the product of the lines between the common start and end on each side; beyond this it is not
# tried.
MOST_COMPARED = 4_000_000


def merged(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Return a text with both sides' changes; None if they change the same line, or adjacent lines."""
    old = base.splitlines(keepends=True)
    mine, other = (_changes(old, side.splitlines(keepends=True)) for side in (ours, theirs))
    if mine is None or other is None:
        return None
    out: list[bytes] = []
    at = 0
    changes = sorted([*mine, *other])
    for number, (start, end, lines) in enumerate(changes):
        if number and (start, end, lines) == changes[number - 1]:
            continue  # both sides made the same change
        if number and start <= changes[number - 1][1]:
            return None
        out += [*old[at:start], *lines]
        at = end
    return b"".join([*out, *old[at:]])


def _changes(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int, list[bytes]]] | None:
    """Return the changed line ranges of `old`, each with its new lines; None if the comparison would take too long."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    left, right = old[first : len(old) - last], new[first : len(new) - last]
    if len(left) * len(right) > MOST_COMPARED:
        return None
    steps = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return [(first + i1, first + i2, [*right[j1:j2]]) for tag, i1, i2, j1, j2 in steps if tag != "equal"]


# -- another path ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A memory whose file has, or would have, another path.

    `diffs` are the changes of links, actual or planned, by the path of the file before the move; `left` are links that
    now lead elsewhere, or nowhere, because their file may not be changed.
    """

    ref: str | None
    path_before: str
    path: str
    commit: str | None = None
    diffs: Mapping[str, str] = field(default_factory=dict)
    left: tuple[LeftLink, ...] = ()


@again_where_changed
def move(view: View, memory: Named, to: str, **saving: Unpack[Saving]) -> Moved:
    """Move the file of a memory within the vault; links in this file and to it keep their targets.

    Args:
        view: the vault.
        memory: the memory.
        to: its new path, relative to the vault; if it ends with a slash, it is a folder, and the name stays.
        saving: dry_run, commit.

    Raises:
        NotFoundError: there is no such memory.
        UsageError: a memory can't be at that path.
        ChangedMeanwhileError: there is already a file.
    """
    file: MemoryFile | PlainFile
    try:
        file = view.original(memory, by_name=True)
    except PlainNoteError as error:
        file = note_of(view, error)
    path = path_after_move(view, file, to)
    moved = Moved(ref=str(file.memory.ref) if file.memory.ref else None, path_before=file.path, path=path)
    if path == file.path:
        return moved
    links = relinked(view, file, path)
    with view.transaction("mv", **saving) as change:
        if isinstance(file, MemoryFile):
            change.move(file, path, links.moved)
        else:
            change.put(Written(file.path, file.data, None), Written(path, None, links.moved))
        change.edit(*links.edits)
        change.put(*links.plain)
    edited = [Written(each.path, each.before.data, each.after) for each in links.edits if each.before]
    written = [Written(file.path, file.data, links.moved), *edited, *links.plain]
    diffs = {each.path: unified_diff(each.path, each.before, each.after) for each in written}
    return replace(
        moved, commit=change.commit, diffs={path: diff for path, diff in diffs.items() if diff}, left=links.left
    )


def path_after_move(view: View, file: MemoryFile | PlainFile, to: str) -> str:
    """Return the path of a file after a move to `to`, which may be a folder; raises as `move`."""
    if isinstance(file, MemoryFile) and not view.owns(file.memory):
        refuse_as_not_owner(view, file)
    path = _target(file, to)
    folders, _, name = path.rpartition("/")
    if path == file.path or isinstance(file, PlainFile) or view.is_owners:
        return path
    if not _has_id(name, file) or MEMORY_SUFFIX in folders:
        # Any other name, also that of a folder, may be taken by a memory that they may not know of.
        raise RefusedError(
            f"only {view.config.owner} may choose names of files freely here",
            hint="keep the memory's id in the name, or give a folder: memstore mv REF folder/",
        )
    return path


def _has_id(name: str, file: MemoryFile) -> bool:
    """Whether a file's name was not chosen freely: it contains the memory's id, or the program gave it that name."""
    memory_id = file.memory.id or "/"
    kept = name == file.path.rpartition("/")[2] and stem_of(name).rpartition("-")[2] in id_endings(memory_id)
    return kept or memory_id in name


def _target(file: MemoryFile | PlainFile, to: str) -> str:
    name = file.path.rpartition("/")[2]
    whole = f"{to}/{name}" if to.endswith("/") or to in (".", "") else to
    parts = [part for part in whole.split("/") if part not in ("", ".")]
    path = "/".join(parts)
    if ".." in parts:
        raise UsageError(f"{to} may be outside the vault", hint="give a path below the vault's folder")
    # A folder that is there already, and the name that the file has, stay usable.
    if odd := next(
        (part for part in parts if not is_name_on_one_line(part) and part not in file.path.split("/")), None
    ):
        raise UsageError(
            f"the name {odd!a} has a line break, or another control character",
            hint="names of files are one line of UTF-8 without control characters",
        )
    if too_long := next((part for part in parts if len(part.encode()) > MOST_NAME_BYTES), None):
        raise UsageError(
            f"the name {too_long} has {len(too_long.encode()):,} bytes, more than a file system takes",
            hint=f"give a name of at most {MOST_NAME_BYTES} bytes",
        )
    if is_sealed_path(path) != is_sealed_path(file.path):
        raise UsageError(
            f"{path} would be {'the name of a sealed file' if is_sealed_path(path) else 'a plain file'}",
            hint="memstore privacy seal and memstore privacy unseal do that; mv keeps the ending of a name",
        )
    if not is_memory_path(path, mixed=False):
        raise UsageError(
            f"{path or to} can't be the path of a memory",
            hint=(
                f"end the name with {MEMORY_SUFFIX}, or a folder's with /; hidden and reserved names are not used for "
                "memories"
            ),
        )
    return path


# -- a tidy layout ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatted:
    """The memories whose layout changes, or would; how many were checked, and how many can't be read."""

    saved: tuple[Saved, ...]
    total: int
    left_out: int


@again_where_changed
def fmt(view: View, memories: Names = (), **saving: Unpack[Saving]) -> Formatted:
    """Tidy the layout of memories: of those that `memories` name, or of all of the actor's own.

    Raises:
        NotFoundError: a ref names no memory that the actor may see.
        ChangedMeanwhileError: somebody else saved a file meanwhile; nothing was written.
    """
    left_out = 0
    if memories:
        files = list({file.path: file for file in (view.original(ref) for ref in refs_of(memories))}.values())
    else:
        files = [file for file in view.memories() if view.owns(file.memory)]
        left_out = len(view.broken) if view.is_owners else 0
    edits = [
        Edit(path=file.path, before=file, after=tidied(file))
        for file in view.with_progress("laying out memories", files)
    ]
    uneven = [edit for edit in edits if edit.before is None or edit.after != edit.before.data]
    saved = save_all(view, uneven, verb="fmt", **saving)
    return Formatted(saved=saved, total=len(files), left_out=left_out)
