"""Memories that come in from elsewhere: what becomes of each, and those that come under their own ids."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from memstore.core.change import Edit, Saved
from memstore.core.errors import FormatError
from memstore.core.transaction import Saving, hint, save_all
from memstore.files import memory_file
from memstore.files.draft import new_file
from memstore.files.memory_file import MemoryFile
from memstore.lineage.refs import loader
from memstore.trust import statement
from memstore.vault.transitions import findings_between

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstore.core.change import Skipped
    from memstore.core.memory import Memory
    from memstore.core.view import View

# An error names so many records that can't be read.
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of an import.

    `known` are the refs of memories that were imported before, and `different` those among them that say something
    else here. `left_out` are what makes no memory here, and `undated` those memories whose stated time can't be
    read, each with the reason. `unknown` are those with members that the format does not have, which are kept.
    `users` are those whom the memories are about, as the source calls them. `originals` are the paths of the
    originals that were kept. `exported` counts the new memories of which the source says that memstore exported
    them, and which became others here. `in_parts` means that the import was too large for one transaction, and so
    for `undo`; then `saved` has no diffs.
    """

    saved: tuple[Saved, ...]
    known: tuple[str, ...] = ()
    different: tuple[str, ...] = ()
    left_out: tuple[Skipped, ...] = ()
    originals: tuple[str, ...] = ()
    undated: tuple[Skipped, ...] = ()
    unknown: tuple[Skipped, ...] = ()
    users: tuple[str, ...] = ()
    exported: int = 0
    in_parts: bool = False


def refuse_unread(left_out: Sequence[Skipped], *, has_others: bool, strict: bool) -> None:
    """Raise `FormatError` if records can't be read, and all should be (`strict`) or there are no others."""
    unread = [one for one in left_out if one.broken]
    if unread and (strict or not has_others):
        raise FormatError("\n".join(f"{one.where}: {one.why}" for one in unread[:MOST_SHOWN]))


def made(
    where: str, values: Mapping[str, Any], body: str, *, laid_out: Callable[[Mapping[str, Any], str], bytes] = new_file
) -> MemoryFile:
    """Return the file of a memory that comes in; its path is `where` it comes from.

    Args:
        where: the place in the source.
        values: its frontmatter.
        body: its text.
        laid_out: makes the bytes of both.

    Raises:
        FormatError: these values and this text make no memory.
    """
    try:
        json.dumps(values, ensure_ascii=False, allow_nan=False).encode()  # a lone surrogate can't be in a file
        data = laid_out(values, body)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this can't be written to a file: {error}", where=where) from error
    file = memory_file.read(where, data)
    findings = getattr(file, "findings", ())
    if isinstance(file, MemoryFile):
        findings = [finding for finding in findings_between(None, file) if finding.is_error]
    if findings or not isinstance(file, MemoryFile):
        why = "; ".join(f"{finding.text} [{finding.code}]" for finding in findings)
        raise FormatError(f"it can't become a memory: {why}", where=where, hint=hint(findings))
    return file


class Incoming:
    """Collects the files of memories that come in, and writes those whose ids are new.

    Args:
        view: the vault.

    Attributes:
        paths: those that will be written.
        left_out: what makes no memory.
    """

    def __init__(self, view: View) -> None:
        self.paths: set[str] = set()
        self.left_out: list[Skipped] = []
        self._view = view
        self._load = loader(view)
        self._edits: list[Edit] = []
        self._new: dict[str, Memory] = {}
        self._known: list[str] = []
        self._different: list[str] = []

    def add(self, file: MemoryFile, *, is_same: bool = False) -> None:
        """Add a memory with an id; the first one of each id counts. `is_same`: it was a memory of that id elsewhere."""
        memory = file.memory
        memory_id = memory.id or ""
        rows = self._view.rows_of_id(memory_id)
        if not rows and memory_id not in self._new:
            self._edits.append(Edit(path=file.path, before=None, after=file.data, is_same=is_same))
            self._new[memory_id] = memory
            self.paths.add(file.path)
            return
        ref = self._view.entry(rows[0]).ref if rows else None
        self._known.append(ref or str(memory.ref))
        there = self._load(ref or "") or self._new.get(memory_id)  # neither: it was forgotten here, and stays so
        if there is None or statement.digests(there) != statement.digests(memory):
            self._different.append(self._known[-1])

    def save(self, verb: str, *, strict: bool, **saving: Unpack[Saving]) -> Imported:
        """Write the new memories as one operation; raises as `refuse_unread` and `save_all`."""
        refuse_unread(self.left_out, has_others=bool(self._edits or self._known), strict=strict)
        saved = save_all(self._view, self._edits, verb=verb, **saving)
        return Imported(
            saved=tuple(one for one in saved if not one.is_first),
            known=(*self._known, *(one.ref or one.path for one in saved if one.is_first)),
            different=tuple(self._different),
            left_out=tuple(self.left_out),
        )
