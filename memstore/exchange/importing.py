"""Import memories from another program: write new files, with ids derived from their source, and the originals."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from memstore.access import RIGHTS
from memstore.core.change import Edit, Saved, Skipped, Written
from memstore.core.digests import blob_id
from memstore.core.errors import FormatError, UsageError
from memstore.core.file_names import path_of_new, slug
from memstore.core.ids import MemoryRef, is_entity_id
from memstore.core.times import instant
from memstore.core.transaction import Saving, again_where_changed
from memstore.exchange.draft import FORGOTTEN_THERE, Draft, clean, one_line
from memstore.exchange.originals import marks, parts
from memstore.exchange.records import restored
from memstore.exchange.source import ImportSource
from memstore.files import FILES
from memstore.history import HISTORY
from memstore.lineage.refs import loader
from memstore.memories.incoming import Imported, made, refuse_unread
from memstore.trust import statement
from memstore.trust.formats.memory_v01 import id_for
from memstore.vault import GATE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.exchange.draft import Importer, Original
    from memstore.exchange.originals import StoredPart
    from memstore.files.memory_file import MemoryFile
    from memstore.files.render import Plain

# The most bytes of memories and originals in one transaction; the journal, and so `undo`, has the same limit.
MOST_AT_ONCE = 12 * 1024 * 1024


@again_where_changed
def import_from(
    view: View,
    name: str,
    importer: Importer,
    source: ImportSource,
    *,
    own: bool = False,
    user: str | None = None,
    strict: bool = False,
    **saving: Unpack[Saving],
) -> Imported:
    """Write those memories of a source that were not imported before; existing memories are not changed.

    A record that can't be read is left out and named, and the others come in. The whole source is read and checked
    before anything is written. If it does not fit into one transaction, it is read again and written in several; if the
    import is interrupted between two of them, repeating it continues from there.

    Args:
        view: the vault.
        name: the format's name.
        importer: reads the source.
        source: the source to import.
        own: what memstore exported there was the owner's: it becomes the same memories again. Otherwise it is imported
            like anything else, unless the same memory is here; anybody can write that memstore exported something.
        user: the one user of the source whose memories come in, as the vault's owner's own. Otherwise all do, and each
            user is a subject of theirs.
        strict: if any record can't be read, write nothing.
        saving: dry_run, commit.

    Raises:
        RefusedError: the actor is not the vault's owner, for whom the originals are kept.
        FormatError: nothing in the source can be read, or not all of it with `strict`; nothing was written.
        UsageError: nothing in the source is about `user`.
    """
    view.require_owner("import from other programs")
    reading = _Reading(view, name, own=own, user=user)
    held: list[_New] = []
    size = 0
    for new in reading.new(importer, source):
        size += new.size
        held.append(new)
        if size > MOST_AT_ONCE:
            held.clear()  # only checked, this time
    reading.check(source.name, strict=strict)
    if size <= MOST_AT_ONCE:
        return reading.result(_import_drafts(view, name, held, **saving))
    reading = _Reading(view, name, own=own, user=user)
    saved: list[Saved] = []
    for batch in _batches(reading.new(importer, source)):
        done = _import_drafts(view, name, batch, **saving)
        saved += (replace(one, diff="") for one in done)
    return reading.result(saved, in_parts=True)


def open_source(view: View, path: Path, name: str) -> ImportSource:
    """Open the source of an import.

    Raises the errors of `ImportSource`; `RefusedError` as in `import_from`, before any file is looked for; and
    `UsageError` for a folder that is inside the vault or contains it.

    Args:
        view: the vault.
        path: the absolute path.
        name: the path as the person gave it.
    """
    view.require_owner("import from other programs")
    source = ImportSource(view, path, name)
    here, root = path.resolve(), view.root.resolve()
    if source.is_folder and (here.is_relative_to(root) or root.is_relative_to(here)) and not here.is_file():
        source.close()
        raise UsageError(
            f"{name} and this vault lie in each other", hint="memstore adopt makes notes memories where they are"
        )
    return source


class _New(NamedTuple):
    """A new memory before it is written, and the files of originals that it is the first to cite."""

    edit: Edit
    kept: tuple[StoredPart, ...]
    size: int


_REGISTRY = "it is a vault's registry file, and no memory"


class _Reading:
    """One reading of a source."""

    def __init__(self, view: View, name: str, *, own: bool, user: str | None) -> None:
        self._view, self._name, self._own, self._user = view, name, own, user
        self._now = instant(view.clock.now())
        self._latest = instant(view.clock.now() + timedelta(days=1))
        self._load = loader(view)
        self._person = view.config.owner if view.config.owner.startswith("human:") else None
        self._ids: set[str] = set()
        self._paths: set[str] = set()
        self._known: list[str] = []
        self._different: list[str] = []
        self._left_out: list[Skipped] = []
        self._undated: list[Skipped] = []
        self._users: dict[str, None] = {}
        self._called: dict[str, str] = {}
        self._kept: dict[str, None] = {}
        self._exported = 0
        self._same: dict[str, str] = {}
        self._cited: tuple[Original, tuple[StoredPart, ...]] | None = None

    def new(self, importer: Importer, source: ImportSource) -> Iterator[_New]:
        """Yield the memories that are not in the vault yet."""
        self._left_out += [Skipped(source.where(name), _REGISTRY) for name in source.registries]
        for found in importer(source):
            if not isinstance(found, Draft):
                self._left_out.append(found)
                continue
            if found.user:
                self._users[found.user] = None
                self._subject(found.user)
            if self._user is not None and found.user != self._user:
                whose = f"it is {found.user}'s" if found.user else "it doesn't say whose it is"
                self._left_out.append(Skipped(found.where, whose))
                continue
            try:
                yield from self._made(found)
            except FormatError as error:
                self._left_out.append(Skipped.unread(found.where, error))

    def _made(self, found: Draft) -> Iterator[_New]:
        """Yield the memory of a draft if it is not in the vault yet."""
        same = self._restored(found)
        if same is None and found.exported is not None and found.exported.was_forgotten:
            self._left_out.append(Skipped(found.where, FORGOTTEN_THERE))
            return
        memory_id = (same.memory.id if same else None) or self._id_of(found.key)
        if memory_id in self._ids:
            self._left_out.append(Skipped(found.where, "it stands in the source twice"))
            return
        self._ids.add(memory_id)
        if same:
            self._same[found.key] = memory_id
        if ref := self._ref_of(memory_id):
            self._known.append(ref)
            if _differs(self._load(ref), self._view.of(GATE).taken_in(_body(found)), same):
                self._different.append(ref)
            return
        yield _moved(same) if same else self._composed(found, memory_id)
        if unread := found.made.unread:
            self._undated.append(Skipped(found.where, f"its time can't be read, so it has none: {unread}"))
        elif not self._may_be(found.made.at):
            self._undated.append(Skipped(found.where, f"its time lies in the future, so it has none: {found.made.at}"))

    def _may_be(self, at: str | None) -> bool:
        """Whether something can have been said at a time; clocks and zones differ by a day."""
        return at is None or at <= self._latest

    def check(self, name: str, *, strict: bool) -> None:
        """Raise if what was read must not be written."""
        refuse_unread(self._left_out, has_others=bool(self._ids or self._users), strict=strict)
        if self._user is not None and self._user not in self._users:
            there = ", ".join(self._users) or "it names none"
            raise UsageError(f"nothing in {name} is {self._user}'s", hint=f"its users: {there}")

    def _ref_of(self, memory_id: str) -> str | None:
        """Return the ref of the memory that has this id; None if it is free."""
        rows = self._view.rows_of_id(memory_id)
        return self._view.entry(rows[0]).ref or memory_id if rows else None

    def _restored(self, draft: Draft) -> MemoryFile | None:
        """Return the memory that memstore exported, if it is to become the same one again.

        Without `own`, only if it is here unchanged, or was forgotten here.
        """
        if draft.exported is None:
            return None
        if self._own:
            file = restored(self._view, draft.where, draft.exported, self._paths)
            self._paths.add(file.path)
            return file
        with suppress(FormatError):
            file = restored(self._view, draft.where, draft.exported, ())
            ref = self._ref_of(file.memory.id or "")
            there = self._load(ref or "")
            if ref and (there is None or statement.digests(there) == statement.digests(file.memory)):
                return file
        return None

    def result(self, saved: Sequence[Saved], *, in_parts: bool = False) -> Imported:
        """Return the result of the import, with `saved` as the memories that were written."""
        copies = [one.ref or one.path for one in saved if one.is_first]
        return Imported(
            saved=tuple(one for one in saved if not one.is_first),
            known=(*self._known, *copies),
            different=tuple(self._different),
            left_out=tuple(self._left_out),
            undated=tuple(self._undated),
            users=tuple(self._users),
            originals=tuple(self._kept),
            exported=self._exported,
            in_parts=in_parts,
        )

    def _id_of(self, key: str) -> str:
        spelt = key.encode("utf-8", "backslashreplace").decode()  # JSON and names of files can have lone surrogates
        return id_for(self._view.actor, f"{self._name}\n{spelt}")

    def _composed(self, draft: Draft, memory_id: str) -> _New:
        cited = [(self._parts_of(one.original), one) for one in draft.cites]
        places = [mark for kept, one in cited for mark in marks(kept, one.first, one.last)]
        sources = [str(MemoryRef(kind, self._same.get(key) or self._id_of(key))) for key, kind in draft.derived_from]
        values = self._values(draft, memory_id, [*dict.fromkeys((*sources, *draft.marks, *places))])
        file = made(draft.where, values, _body(draft))
        self._exported += draft.exported is not None
        path = self._path(draft, file)
        new = {part.path: part for kept, _ in cited for part in kept if part.path not in self._kept}
        kept = tuple(part for part in new.values() if self._view.of(FILES).cited(part.path) is None)
        self._kept.update(dict.fromkeys(new))
        size = len(file.data) + sum(len(part.data) for part in kept)
        is_dated = file.memory.created_at is not None
        edit = Edit(path=path, before=None, after=file.data, made=file._replace(path=path), is_dated=is_dated)
        return _New(edit, kept, size)

    def _path(self, draft: Draft, file: MemoryFile) -> str:
        """Return the path of the file: the draft's own path if it is free, else the usual path of a new memory."""
        if draft.path and draft.path.casefold() not in self._paths and self._view.of(FILES).cited(draft.path) is None:
            self._paths.add(draft.path.casefold())
            return draft.path
        return path_of_new(file.memory, self._view.config.filenames, at=self._now)

    def _parts_of(self, original: Original) -> tuple[StoredPart, ...]:
        """Return the files of an original; only the last one is cached, as drafts that share one come in a row."""
        if self._cited is None or self._cited[0] is not original:
            blob_id = self._view.of(HISTORY).blob_id
            kept = self._view.of(GATE).taken_in_bytes(original.data)
            self._cited = original, parts(self._name, original.name, kept, blob_id=blob_id)
        return self._cited[1]

    def _values(self, draft: Draft, memory_id: str, sources: Sequence[str]) -> dict[str, Plain]:
        made = draft.made.at if self._may_be(draft.made.at) else None
        subject = self._subject(draft.user)
        values: dict[str, Any] = {
            "type": draft.type,
            "id": memory_id,
            "title": one_line(draft.title),
            "created_at": made and min(made, self._now),
            "author": (subject or self._person) if draft.by_person else draft.author,
            "source": one_line(draft.source),
            "source_type": draft.source_type,
            "derived_from": [*sources],
            **({"subject_ids": [subject]} if subject else {}),
            **draft.values,
        }
        if draft.type == "belief" and draft.values.get("confidence") is not None:
            values["confidence_history"] = [
                {
                    "timestamp": values["created_at"] or self._now,
                    "op": "assert",
                    "new": draft.values["confidence"],
                    "evidence_source": sources[-1],
                    "reason": f"imported from {self._name}",
                    "by": self._view.actor,
                }
            ]
        return values

    def _subject(self, user: str) -> str | None:
        """Return the entity that a user of the source is here: by an id or an alias, else a person of that name."""
        if not user or user == self._user:
            return None
        entities = self._view.of(RIGHTS).registries.entities
        named = [one for one, known in entities.items() if user.casefold() in map(str.casefold, known.aliases)]
        found = (
            user
            if is_entity_id(user)
            else named[0]
            if len(named) == 1
            else f"human:{slug(user, 60) or blob_id(user.encode())[:10]}"
        )
        if self._called.setdefault(found, user) != user and found not in (user, *named):
            found = f"{found}-{blob_id(user.encode())[:6]}"  # two users of the source are not made one
        return None if found == self._view.config.owner else found


def _moved(file: MemoryFile) -> _New:
    return _New(Edit(path=file.path, before=None, after=file.data, made=file, is_same=True), (), len(file.data))


def _differs(there: Memory | None, body: str, same: MemoryFile | None) -> bool:
    """Return whether a memory that is here says something else than the source, or can't be read."""
    if there is None:
        return True
    if same:
        return statement.digests(there) != statement.digests(same.memory)
    return there.body.strip() != body.strip()


def _body(draft: Draft) -> str:
    return clean(draft.body)


def _batches(new: Iterator[_New]) -> Iterator[list[_New]]:
    batch: list[_New] = []
    size = 0
    for one in new:
        if batch and size + one.size > MOST_AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += one.size
    if batch:
        yield batch


def _import_drafts(view: View, name: str, new: Sequence[_New], **saving: Unpack[Saving]) -> tuple[Saved, ...]:
    with view.transaction(f"import {name}", **saving) as change:
        change.edit(*(one.edit for one in new))
        change.put(*(Written(part.path, None, part.data) for one in new for part in one.kept))
    return change.saved
