"""Find the memory that a person's text names."""

from __future__ import annotations

import posixpath
import re
import shlex
from typing import TYPE_CHECKING

from memstore.access import ACCESS_LOG, CONTEXTS, SHARED
from memstore.access.local_state import Access
from memstore.core.errors import InStackError, NotFoundError, PlainNoteError, did_you_mean
from memstore.core.ids import ID_OF_PROPOSAL, MEMORY_TYPES, SHORTEST_PREFIX
from memstore.core.keys import EXTERNAL
from memstore.core.memory import STACK_MARK
from memstore.core.places import NOTE_SUFFIXES, SEALED_SUFFIX
from memstore.core.quotation import shown_title
from memstore.vault.look import LOOK

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memstore.core.catalog import Entry
    from memstore.core.view import View


MOST_CANDIDATES = 10


def find(view: View, text: str, *, by_name: bool = False, notes: bool = False) -> Entry:
    """Return the memory, or one of the `notes`, that `text` names; see `View.find` and, with `by_name`, `View.named`.

    Paths are relative to the person's current folder, or to the vault's.
    """
    asked = text.strip().removeprefix("[[").removesuffix("]]")
    if by_name and asked != text.strip():
        asked = re.split(r"[|#]", asked)[0].strip()  # `[[Note#Heading|text]]`
    kind, colon, memory_id = asked.partition(":")
    if not colon or kind not in MEMORY_TYPES:
        kind, memory_id = "", asked
    found = _candidates(view, asked, memory_id, view.texts if notes else view.rows, by_name=by_name)
    if not found:
        _note_denied(view, memory_id)
        raise _unknown(view, asked, memory_id, by_name=by_name)
    # A title may also begin with a word that is a type.
    of_kind = [entry for entry in found if kind in ("", entry.type) or not entry.id.startswith(memory_id)]
    if not of_kind:
        raise _other_type(asked, kind, found)
    if len(of_kind) > 1:
        # Somebody else may have taken an id that is in use: the actor's own memory still answers to it.
        of_kind = [entry for entry in of_kind if view.of(LOOK).is_own(entry)] or of_kind
    if len(of_kind) > 1:
        raise _ambiguous(asked, of_kind)
    view.note_shown("named", [of_kind[0].id])
    return of_kind[0]


def note_shown(view: View, how: str, memory_ids: Iterable[str]) -> None:
    """Record which memories anybody but the owner was shown; for the owner alone nothing is recorded."""
    if not view.is_owners:
        view.of(ACCESS_LOG).record(
            _access(view, how)._replace(shown=tuple(dict.fromkeys(one for one in memory_ids if one)))
        )


def _note_denied(view: View, memory_id: str) -> None:
    """Record that somebody else asked by id for an existing memory that they may not see."""
    if not view.is_owners and view.of(LOOK).is_hidden(memory_id):
        view.of(ACCESS_LOG).record(_access(view, "named")._replace(denied=(memory_id,)))


def _access(view: View, how: str) -> Access:
    context = view.of(CONTEXTS).current()
    return Access(view.clock.now(), view.actor, context.id if context else None, how)


def _candidates(view: View, asked: str, memory_id: str, among: Sequence[int], *, by_name: bool) -> list[Entry]:
    """Return the visible memories that `asked` may name: by id, else by path, else by a prefix of the id.

    With `by_name` a title, an alias or a file stem counts as much as a prefix of the id.
    """
    if same_id := view.rows_of_id(memory_id):
        return [view.entry(row) for row in same_id]
    paths = view.column("path")
    for path in _paths_meant(view, asked):
        same_path = [row for row in among if paths[row] == path]
        if same_path:
            return [view.entry(row) for row in same_path]
    rows: list[int] = []
    if len(memory_id) >= SHORTEST_PREFIX:
        ids = view.column("id")
        rows = [row for row in view.rows if ids[row].startswith(memory_id)]
    if by_name:
        from memstore.vault.note_names import NoteNames, notes_of

        rows += NoteNames(notes_of(view, among)).called(asked, here=view.of(LOOK).ws.here)
    return [view.entry(row) for row in dict.fromkeys(rows)]


# The lines of a hit, as they are printed behind its path.
_LINES = re.compile(r":\d+(?:-\d+)?:?$")


def _paths_meant(view: View, asked: str) -> list[str]:
    """Return the paths in the vault that `asked` may mean: from the current folder, from the vault's, or absolute.

    The lines of a citation may stand behind it.
    """
    asked = _LINES.sub("", asked)
    if not asked.lower().endswith((*NOTE_SUFFIXES, SEALED_SUFFIX)):
        return []
    if asked.startswith("/"):
        return [asked.removeprefix(f"{view.root}/")]
    from_here = [posixpath.normpath(f"{view.of(LOOK).ws.here}/{asked}")] if view.of(LOOK).ws.here else []
    return [*from_here, posixpath.normpath(asked)]


def _unknown(view: View, asked: str, memory_id: str, *, by_name: bool) -> NotFoundError:
    for path in _paths_meant(view, asked):
        if why := _no_memory(view, path, posixpath.normpath(asked)):
            return why
    if by_name and (why := _note_called(view, asked)):
        return why
    if why := _in_stack(view, asked, by_name=by_name):
        return why
    columns = [view.column(name) for name in (("id", "title") if by_name else ("id",))]
    kinds = view.column("source_type")  # the title of an external memory is not repeated as advice
    known = sorted({column[row] for column in columns for row in view.rows if kinds[row] != EXTERNAL})
    otherwise = "memstore list shows what there is; memstore search finds by words"
    if not by_name:
        otherwise = "give an id or a path; memstore list shows ids, memstore search shows paths"
    if memory_id.startswith(ID_OF_PROPOSAL):
        otherwise = "memstore suggestions list shows what waits for a decision"
    hint = did_you_mean(memory_id, known, otherwise=otherwise, similar=0.8)
    return NotFoundError(f"no memory matches `{asked}`", hint=hint)


def _in_stack(view: View, asked: str, *, by_name: bool) -> InStackError | None:
    """Return the error for a memory in a stack that is loaded beside the vault; None if it is in none."""
    path = posixpath.normpath(f"{view.root}/{view.of(LOOK).ws.here}/{asked}") if asked.startswith("../") else asked
    stack, _, named = asked.removeprefix(STACK_MARK).partition("/") if asked.startswith(STACK_MARK) else ("", "", "")
    for mount in view.of(SHARED).mounted:
        inside = mount.view
        if stack:
            path, inside = named, inside if stack == mount.name else None
        try:
            entry = inside and (inside.named(path, notes=True) if by_name else inside.find(path))
        except NotFoundError:
            continue
        if entry:
            name = shlex.quote(mount.path(entry.path))
            return InStackError(
                f"`{asked}` is in the loaded stack {mount.name}, which is only read",
                hint=f"memstore show {name}; memstore cite {name}",
                stack=mount.name,
                path=entry.path,
            )
    return None


def _no_memory(view: View, path: str, asked: str) -> NotFoundError | None:
    """Return the error for a path, named as `asked`, whose file is not a memory; None if there is no file."""
    paths = view.column("path")
    if any(paths[row] == path for row in view.broken):
        return NotFoundError(f"`{asked}` can't be read as a memory", hint=f"memstore check {shlex.quote(asked)}")
    if any(paths[row] == path for row in view.plain):
        return PlainNoteError(
            f"`{asked}` is a plain note, not a memory",
            path=path,
            hint=f"memstore adopt {shlex.quote(asked)} makes it one",
        )
    return None


def _note_called(view: View, asked: str) -> NotFoundError | None:
    """Return the error for a title, alias or file stem that plain notes have; None if none has it."""
    from memstore.vault.note_names import NoteNames, notes_of

    rows = NoteNames(notes_of(view, view.plain)).called(asked, here=view.of(LOOK).ws.here)
    if not rows:
        return None
    path = view.column("path")[rows[0]]
    return NotFoundError(
        f"`{asked}` is a plain note, not a memory: {path}", hint=f"memstore adopt {shlex.quote(path)} makes it one"
    )


def _first_of(found: list[Entry]) -> list[Entry]:
    """Return the first of some memories, in an order that hidden files don't change."""
    return sorted(found, key=lambda entry: (entry.ref or "", entry.path))[:MOST_CANDIDATES]


def _other_type(asked: str, kind: str, found: list[Entry]) -> NotFoundError:
    refs = " or ".join(entry.ref or entry.path for entry in _first_of(found))
    return NotFoundError(f"`{asked}` is not of type {kind}: that memory is {refs}", hint=f"write {refs}")


def _ambiguous(asked: str, found: list[Entry]) -> NotFoundError:
    shown = _first_of(found)
    titles = [shown_title(entry.title, entry.source_type) for entry in shown]
    lines = [f"  {entry.ref or entry.type}  {title}  {entry.path}" for entry, title in zip(shown, titles, strict=True)]
    more = [f"  … and {len(found) - len(shown)} more"] if len(found) > len(shown) else []
    is_one_id = len({entry.ref or entry.path for entry in found}) == 1
    return NotFoundError(
        "\n".join([f"`{asked}` may mean {len(found)} memories:", *lines, *more]),
        hint="these files have the same id: name one by its path" if is_one_id else "write more of the id, or the path",
    )
