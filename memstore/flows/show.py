"""Show one memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memstore.errors import ChangedMeanwhileError
from memstore.flows.uses import record_use
from memstore.model.one_line import one_line

if TYPE_CHECKING:
    from memstore.codec.memory_file import MemoryFile
    from memstore.core.view import View
    from memstore.model.catalog import Entry
    from memstore.model.conflict import Conflict
    from memstore.model.memory import Memory
    from memstore.rules.pruning import Prunable
    from memstore.rules.quality import Grounds
    from memstore.rules.reconsolidation import Standing
    from memstore.rules.trust import Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A memory and its file; `revision` is its git blob id.

    `values` are the frontmatter's, without refs that are not for the viewer.

    `commit` is the commit of which this is the state; None: the file as it is now. `confidence_now` is the confidence
    as evidence fades, None where none is held; `quality` how far it may be relied on; both in [0,1] and of today.
    `grounds` is what the quality is made of, among it the strength that the memory had before this look. `conflicts`
    are the open ones, of today; a past state has none. `standing` is
    how firmly it is believed, None where no confidence is held; `prunable` why it could be archived, None where not;
    `trust` how far others vouch for what was said, by the keys of today. `then` is the vault as it was when this was
    read.
    """

    entry: Entry
    file: MemoryFile
    values: dict[str, Any]
    revision: str
    commit: str | None
    confidence_now: float | None
    quality: float
    grounds: Grounds
    standing: Standing | None
    prunable: Prunable | None
    trust: Trust
    then: View = field(repr=False, compare=False)
    conflicts: tuple[Conflict, ...] = ()

    __repr__ = one_line

    @property
    def ref(self) -> str | None:
        """The ref of the memory; None where it has no id."""
        return self.entry.ref

    @property
    def memory(self) -> Memory:
        """What the file says."""
        return self.file.memory


def show_memory(view: View, ref: str, *, at: str | None = None) -> Shown:
    """Return the memory that `ref` names, now or as of a commit or a date; a look at it as it is now is a use.

    Raises:
        NotFoundError: there is none that the viewer may see.
        UsageError: `at` is neither a date nor a commit.
    """
    shown = glance(view, ref, at=at)
    if shown.commit is None:
        record_use(view, shown.memory.id, "show")
    return shown


def glance(view: View, ref: str, *, at: str | None = None) -> Shown:
    """Return what `show_memory` does, for flows of which the look is no use."""
    from memstore.codec import git_blob
    from memstore.codec.catalog_entry import entry_of
    from memstore.codec.opened import Opened
    from memstore.flows.audience import Audience
    from memstore.flows.compare import Comparer, side_of
    from memstore.flows.grounds import grounds_of
    from memstore.flows.trust_level import TrustReader
    from memstore.flows.uses import uses_of
    from memstore.model.config import QualityProfile
    from memstore.rules import quality
    from memstore.rules.beliefs import held_now
    from memstore.rules.pruning import prunable
    from memstore.rules.reconsolidation import standing

    commit = None if at is None else view.commit_at(at)
    then = view.at(commit)
    entry = then.find(ref)
    file = then.read(entry.path)
    if file is None:
        raise ChangedMeanwhileError(f"{entry.path} changed while it was read", hint="try again")
    now = view.clock.now()
    blob = git_blob.blob_id(file.data, git_blob.format_of(entry.blob))
    made_of = grounds_of(
        Audience(then), Opened(entry_of(file, blob), file.data, file.text), uses_of(view, [entry.id]), now
    )
    open_ones = Comparer(then).conflicts(side_of(file)) if commit is None else []
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
        conflicts=tuple(open_ones),
        quality=round(quality.quality(made_of, QualityProfile(view.config.quality_profile)), quality.DIGITS),
    )


def path_of(view: View, ref: str) -> Entry:
    """Return the entry of the memory that `ref` names, whose file need not be opened for it."""
    return view.find(ref)
