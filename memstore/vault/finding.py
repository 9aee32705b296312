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
    from collections.abc import Iterable, Mapping, Sequence

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
    root, here = str(view.root), view.of(LOOK).ws.here
    from_here = [posixpath.relpath(f"{root}/{here}/{asked}", root)] if here else []
    return [*from_here, posixpath.normpath(asked)]


def _unknown(view: View, asked: str, memory_id: str, *, by_name: bool) -> NotFoundError:
    for path in _paths_meant(view, asked):
        if why := _no_memory(view, path, posixpath.normpath(asked)):
            return why
    if why := (_note_called(view, asked) if by_name else _only_named(view, asked)):
        return why
    if why := _in_stack(view, asked, by_name=by_name):
        return why
    return NotFoundError(f"no memory matches `{asked}`", hint=_hint(view, memory_id, by_name=by_name))


def _only_named(view: View, asked: str) -> NotFoundError | None:
    """Return the error for a name that is not enough, since the command takes an id or a path; None if none has it."""
    from memstore.vault.note_names import NoteNames, notes_of

    rows = NoteNames(notes_of(view, view.rows)).called(asked, here=view.of(LOOK).ws.here)
    if not rows:
        return _note_called(view, asked)
    if len(rows) > 1:
        return _ambiguous(asked, [view.entry(row) for row in rows])
    entry = view.entry(rows[0])
    return NotFoundError(
        f"`{asked}` is a name, and this takes an id or a path", hint=f"write {entry.ref or shlex.quote(entry.path)}"
    )


def _hint(view: View, memory_id: str, *, by_name: bool) -> str:
    """Return what to write instead of what nothing matches: the nearest id or title, else three titles like it.

    The titles of external memories are not repeated as advice.
    """
    from textwrap import shorten

    if memory_id.startswith(ID_OF_PROPOSAL):
        return "memstore beliefs suggestions list shows what waits for a decision"
    ids, titles, kinds = (view.column(name) for name in ("id", "title", "source_type"))
    rows = [row for row in view.rows if kinds[row] != EXTERNAL]
    known = sorted({column[row] for column in ((ids, titles) if by_name else (ids,)) for row in rows})
    otherwise = "memstore list shows what there is; memstore search finds by words"
    if not by_name:
        otherwise = "give an id or a path; memstore list shows ids, memstore search shows paths"
    if alike := _alike(memory_id, {row: titles[row] for row in rows if ids[row]}):
        named = (f"{view.entry(row).ref} ({shorten(titles[row], MOST_LETTERS, placeholder='…')})" for row in alike)
        otherwise = f"the nearest by title: {', '.join(named)}"
    return did_you_mean(memory_id, known, otherwise=otherwise, similar=0.8)


MOST_ALIKE = 3
MOST_LETTERS = 50
_LEAST_ALIKE = 0.4


def _alike(asked: str, titles: Mapping[int, str]) -> list[int]:
    """Return the rows of the titles that share most runs of three letters with a name, and two fifths of them."""

    def runs(text: str) -> set[str]:
        folded = f" {' '.join(text.casefold().split())} "
        return {folded[at : at + 3] for at in range(len(folded) - 2)}

    wanted = runs(asked)
    shared = {row: (len(wanted & (of := runs(title))), -len(of)) for row, title in titles.items()}
    near = [row for row, (count, _) in shared.items() if count >= _LEAST_ALIKE * len(wanted)]
    return sorted(near, key=lambda row: (*(-each for each in shared[row]), titles[row], row))[:MOST_ALIKE]


def _in_stack(view: View, asked: str, *, by_name: bool) -> InStackError | None:
    """Return the error for a memory in a stack that is loaded beside the vault; None if it is in none."""
    path = posixpath.normpath(f"{view.root}/{view.of(LOOK).ws.here}/{asked}") if asked.startswith("../") else asked
    stack, _, named = asked.removeprefix(STACK_MARK).partition("/") if asked.startswith(STACK_MARK) else ("", "", "")
    for mount in view.of(SHARED).beside:
        inside = mount.view
        if stack:
            path, inside = named, inside if stack == mount.name else None
        try:
            entry = inside and (inside.named(path, notes=True) if by_name else inside.find(path))
        except NotFoundError:
            continue
        if entry:
            name = shlex.quote(mount.path(entry.path))
            what = (
                "in your own vault, which is only read here"
                if mount.is_own
                else (f"in the loaded stack {mount.name}, which is only read")
            )
            return InStackError(
                f"`{asked}` is {what}",
                hint=f"memstore show {name}; memstore show --cite {name}",
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
    paths = [view.column("path")[row] for row in rows]
    if len(paths) > 1:
        text = f"`{asked}` may mean {len(paths)} plain notes: {', '.join(sorted(paths)[:3])}"
        return NotFoundError(text, hint="name one by its path")
    hint = f"memstore adopt {shlex.quote(paths[0])} makes it one"
    return PlainNoteError(f"`{asked}` is a plain note, not a memory: {paths[0]}", path=paths[0], hint=hint)


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
    if not any(entry.ref for entry in found):
        what, hint = "notes", "name one by its path"
    elif len({entry.ref or entry.path for entry in found}) == 1:
        what, hint = "memories", "these files have the same id: name one by its path"
    else:
        what, hint = "memories", "write more of the id, or the path"
    return NotFoundError("\n".join([f"`{asked}` may mean {len(found)} {what}:", *lines, *more]), hint=hint)
