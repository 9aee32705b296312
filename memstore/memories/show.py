"""Show a memory, or expand one that came to mind.

An expanded memory comes with everything that is linked to it; a compressed one with its full original bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memstore.access import SHARED
from memstore.beliefs.evidence import hearsay
from memstore.beliefs.next_lines import held_now
from memstore.conflicts.compare import Comparer
from memstore.conflicts.verdicts import verdicts_on
from memstore.core import digests
from memstore.core.config import QualityProfile
from memstore.core.errors import InStackError, NotFoundError, changed_while_read
from memstore.core.ids import MemoryRef
from memstore.core.keys import REF_KEYS
from memstore.core.quotation import shown_title
from memstore.core.short_repr import short_repr
from memstore.files import memory_file
from memstore.files.catalog_entry import entry_of
from memstore.files.memory_file import PlainFile
from memstore.history import WORK_TREE
from memstore.history.revisions import whole_of
from memstore.lineage.refs import entries, loader
from memstore.search import quality
from memstore.search.ranker import Audience
from memstore.search.uses import record_use, uses_of

if TYPE_CHECKING:
    from memstore.access.stack import Mount
    from memstore.beliefs.archive import Prunable
    from memstore.beliefs.reconsolidation import BeliefStanding
    from memstore.core.catalog import Entry
    from memstore.core.conflict import Conflict, PairVerdict
    from memstore.core.memory import Memory
    from memstore.core.named import Named
    from memstore.core.quotation import External
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.search.quality import QualityGrounds
    from memstore.trust.score import Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A memory and its file; `revision` is its git blob id.

    `mount` is the loaded stack that it is in, None if it is the vault's.

    `values` are the frontmatter's, without refs that the viewer may not see.

    `commit` is the commit whose state this is; None: the current file. `confidence_now` is the confidence as evidence
    fades, None if there is none; `quality` is how far the memory may be relied on; both are in [0,1] and of today.
    `grounds` is what the quality is computed from, including the strength that the memory had before this look.
    `conflicts` are today's open ones; a past state has none. `not_compared` is how many alike memories were not
    compared for them, or only in part. `standing` is how firmly it is believed, None without a confidence; `prunable`
    is why it could be archived, None if it could not; `trust` is how far others vouch for it, by today's keys.
    `external` is set if the memory is a quotation, and has to be shown as one; `hearsay` are the memories because of
    which it is no evidence. `verdicts` is what somebody judged of its statements and others', the oldest first. `then`
    is the vault in the state that was read.
    """

    entry: Entry
    file: MemoryFile
    values: dict[str, Any]
    revision: str
    commit: str | None
    confidence_now: float | None
    quality: float
    grounds: QualityGrounds
    standing: BeliefStanding | None
    prunable: Prunable | None
    trust: Trust
    then: View = field(repr=False, compare=False)
    conflicts: tuple[Conflict, ...] = ()
    not_compared: int = 0
    external: External | None = None
    hearsay: tuple[str, ...] = ()
    verdicts: tuple[PairVerdict, ...] = ()
    mount: Mount | None = field(default=None, repr=False)

    __repr__ = short_repr

    @property
    def ref(self) -> str | None:
        """The ref of the memory; None if it has no id."""
        return self.entry.ref

    @property
    def path(self) -> str:
        """The path of its file: in the vault, or in a loaded stack as `Mount.path` has it."""
        return self.mount.path(self.entry.path) if self.mount else self.entry.path

    @property
    def memory(self) -> Memory:
        """The memory in the file."""
        return self.file.memory


def show_memory(view: View, memory: Named, *, at: str | None = None) -> Shown:
    """Return a memory, now or as of a commit or a date; a look at its current state is a use.

    What the vault does not have is looked up in the stacks that are loaded beside it.

    Raises:
        NotFoundError: there is no such memory that the viewer may see.
        UsageError: `at` is neither a date nor a commit.
    """
    shown = glance(view, memory, at=at)
    if shown.commit is None:
        record_use(shown.then, shown.memory.id, "show")
    return shown


def glance(view: View, memory: Named, *, at: str | None = None) -> Shown:
    """Return what `show_memory` does, for use cases that don't count as a use."""
    from memstore.beliefs.archive import prunable
    from memstore.beliefs.reconsolidation import standing
    from memstore.search.opened import Opened
    from memstore.search.reranker import grounds_of
    from memstore.trust.reader import TrustReader

    commit = None if at is None else view.of(WORK_TREE).commit_at(at)
    mount, then, entry = _locate(view.at(at, with_clock=True), memory)
    file = then.text(entry.path)
    if file is None:
        raise changed_while_read(entry.path)
    if isinstance(file, PlainFile):
        file = memory_file.as_if_adopted(file)
    now = then.clock.now()
    blob = digests.blob_id(file.data, digests.format_of(entry.blob))
    opened = Opened(entry_of(file, blob), file.data, file.text, mixed=then.config.mixed)
    made_of = grounds_of(Audience(then), opened, uses_of(view, [entry.id]), now)
    comparer = Comparer(then)
    open_ones = comparer.conflicts(comparer.side_of(file)) if commit is None and file.memory.id else []
    made_of = made_of._replace(penalty=sum(conflict.penalty for conflict in open_ones))
    now_held = held_now(file.memory, now)
    return Shown(
        entry=entry,
        file=file,
        values=file.front.values,
        revision=blob,
        commit=commit,
        confidence_now=now_held,
        standing=None if now_held is None else standing(file.memory, now),
        prunable=prunable(file.memory, now, strength=made_of.strength.retrieval),
        trust=TrustReader(then).of(file.memory),
        grounds=made_of,
        then=then,
        mount=mount,
        conflicts=tuple(open_ones),
        not_compared=comparer.left_out,
        external=then.external(file.memory),
        verdicts=verdicts_on(then, str(file.memory.ref)) if commit is None and file.memory.id else (),
        hearsay=hearsay(file.memory, loader(then), then.is_vouched) if file.memory.id else (),
        quality=round(quality.quality(made_of, QualityProfile(view.config.quality_profile)), quality.DIGITS),
    )


def _locate(view: View, memory: Named) -> tuple[Mount | None, View, Entry]:
    """Return what a ref names, and in which view: in the vault, or else in a stack that is loaded beside it."""
    try:
        return None, view, view.named(memory, notes=True)
    except InStackError as error:
        for mount in view.of(SHARED).beside:
            if mount.view and mount.name == error.stack:
                return mount, mount.view, mount.view.named(error.path, notes=True)
        raise


def path_of(view: View, memory: Named) -> Entry:
    """Return the entry of a memory without opening its file; a loaded stack's path is absolute."""
    mount, _, entry = _locate(view, memory)
    return entry._replace(path=f"{mount.folder}/{entry.path}") if mount else entry


# -- expand ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One link of a memory: the key, the ref, and its target's title and path, None if no target is visible."""

    key: str
    ref: str
    title: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expanded:
    """A memory with its links.

    `file` has the bytes of its file, `whole` those before it was compressed, None if it never was; for a file that
    names hidden memories, only the bytes of its text.
    """

    shown: Shown
    links: tuple[Link, ...]
    file: bytes = b""
    whole: bytes | None = None

    __repr__ = short_repr

    @property
    def ref(self) -> str | None:
        """The ref of the memory; None if it has no id."""
        return self.shown.entry.ref


def expand(view: View, memory: Named, *, full: bool = False) -> Expanded:
    """Return a memory with everything linked to it; this is a use of it.

    >>> first = raw(ws.view(), "Claire yawned at four.")
    >>> held = belief(ws.view(), "Claire tires early.", derived_from=[first.ref])
    >>> [(link.key, link.title) for link in expand(ws.view(), held.ref).links]
    [('derived_from', 'Claire yawned at four.')]

    Args:
        view: the vault.
        memory: the memory.
        full: restore the full text of a compressed memory from the history.

    Raises:
        NotFoundError: there is no such memory that the viewer may see, or the history has lost its bytes.
    """
    shown = glance(view, memory)
    whole = _uncompressed(shown.then, shown.memory) if full else None
    file = _shown_bytes(shown.then, shown.file) if full else b""
    links = tuple(_links(shown.then, shown))
    record_use(shown.then, shown.memory.id, "expand")
    return Expanded(shown=shown, links=links, file=file, whole=whole)


def _links(view: View, shown: Shown) -> list[Link]:

    found = []
    for key in REF_KEYS:
        for ref in getattr(shown.memory, key):
            if MemoryRef.parse(ref):
                entry = next(iter(entries(view, [ref])), None)
                title = entry and shown_title(entry.title, entry.source_type)
                found.append(Link(key=key, ref=ref, title=title, path=entry and entry.path))
            else:
                found.append(Link(key=key, ref=ref))
    return found


def _uncompressed(view: View, memory: Memory) -> bytes | None:
    """Return the file as it was before the memory was compressed; None if it never was."""
    kept = memory.compressed_from
    if kept is None:
        return None
    before = whole_of(view, memory)
    # Decided on the bytes that are shown, which have grants of their own.
    if before is None or not view.sees(before.memory):
        raise NotFoundError(
            f"the history does not have the blob {kept.blob[:10]} that {memory.ref} summarizes",
            hint=f"fetch the history with commit {kept.commit[:10]}",
        )
    return _shown_bytes(view, before)


def _shown_bytes(view: View, file: MemoryFile) -> bytes:
    whole = view.shows_all(file)
    return file.data if whole else file.text.body.encode("utf-8", "surrogateescape")
