"""Suggestions: list those that wait for a decision, and decide on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from memstore.beliefs.archive import reasons
from memstore.beliefs.consolidation import REJECTED, Action
from memstore.beliefs.evidence import as_evidence, hearsay
from memstore.beliefs.next_lines import weigh
from memstore.beliefs.pool import target_of
from memstore.beliefs.reinforce import edit_of_evidence, no_evidence
from memstore.beliefs.suggestion_file import EVIDENCE, SOURCE, STANCES, edit_of
from memstore.core.change import Edit
from memstore.core.errors import NotFoundError, RefusedError
from memstore.core.ids import MemoryRef
from memstore.core.places import SUGGESTIONS
from memstore.core.short_repr import short_repr
from memstore.core.titles import title_of
from memstore.core.transaction import Saving, again_where_changed, save, save_all
from memstore.files import splice
from memstore.lineage.refs import loader
from memstore.memories.promote import Linked, edits_of_superseding, promote, ref_of_new, sources_gone, with_findings
from memstore.search.uses import record_use

if TYPE_CHECKING:
    from memstore.core.change import Saved
    from memstore.core.memory import Memory
    from memstore.core.named import Named
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A suggestion that nobody has decided on; `target` is the belief that it is about, None for a new one."""

    file: MemoryFile
    action: Action
    target: str | None
    evidence: tuple[str, ...]

    __repr__ = short_repr

    @property
    def ref(self) -> MemoryRef | None:
        """The memory's ref; None if it has no id."""
        return self.file.memory.ref

    @property
    def memory(self) -> Memory:
        """The suggested memory."""
        return self.file.memory


def list_suggestions(view: View) -> tuple[Waiting, ...]:
    """Return the suggestions that wait for a decision, oldest first.

    >>> [waiting.action.value for waiting in list_suggestions(ws.view())]
    []
    """
    statuses, paths = view.column("status"), view.column("path")
    drafts = [paths[row] for row in view.rows if statuses[row] == "draft"]
    files = [file for path in drafts if path.startswith(SUGGESTIONS) and (file := view.read(path))]
    return tuple(sorted(map(_waiting_suggestion, files), key=lambda one: (one.memory.created_at or "", one.file.path)))


def show_suggestion(view: View, suggestion: Named) -> Waiting:
    """Return one suggestion.

    Raises:
        NotFoundError: there is no such memory, or it is not a suggestion.
    """
    return _waiting_suggestion(_open_suggestion(view, suggestion))


@again_where_changed
def accept_suggestion(view: View, suggestion: Named, *, dry_run: bool = False, commit: bool = False) -> Linked:
    """Carry out a suggestion: write the belief, or record the evidence. The suggestion is archived.

    Args:
        view: the vault.
        suggestion: the suggestion.
        dry_run: write nothing; return what would be written.
        commit: commit it, too.

    Raises:
        NotFoundError: there is no such suggestion, or its target is gone.
        RefusedError: it was already decided on, or its evidence is gone.
    """
    one = _waiting_suggestion(_open_suggestion(view, suggestion))
    if one.target is None and one.action in (Action.CREATE, Action.SUPERSEDE):
        draft = one.memory
        values = {"source": draft.source or SOURCE, "source_type": draft.source_type or SOURCE, "title": draft.title}
        values |= {"valid_from": draft.valid_from} if draft.valid_from else {}
        linked = promote(
            view, one.file.path, None, values, text=_suggestion_text(draft), dry_run=dry_run, commit=commit
        )
        _count_use(view, linked.saved.ref, dry_run=dry_run)
        return linked
    if one.action is Action.SUPERSEDE:
        return _replace(view, one, dry_run=dry_run, commit=commit)
    gone = () if one.action in (Action.ARCHIVE, Action.REVISE) else sources_gone(view, one.file)
    edits = [_recorded(view, one), _archived(one.file)]
    saved = save_all(view, edits, verb="suggestions accept", dry_run=dry_run, commit=commit)
    _count_use(view, one.target, dry_run=dry_run)
    return Linked(saved=with_findings(saved[0], gone), others=saved[1:])


@again_where_changed
def reject_suggestion(view: View, suggestion: Named, *, reason: str | None = None, **saving: Unpack[Saving]) -> Saved:
    """Reject a suggestion; it is not suggested again until three more memories support it.

    Args and errors as for `accept_suggestion`; the suggestion keeps the reason in `status_reason`.
    """
    file = _open_suggestion(view, suggestion)
    edit = _archived(file, splice.AppendItems("tags", (REJECTED,)), *reasons(reason))
    return save(view, edit, verb="suggestions reject", **saving)


def _open_suggestion(view: View, suggestion: Named) -> MemoryFile:
    file = view.original(suggestion)
    name = file.memory.ref or file.path
    if file.memory.status == "draft":
        return file
    if not file.path.startswith(SUGGESTIONS):
        raise NotFoundError(f"{name} is not a suggestion", hint="memstore beliefs suggestions list")
    heirs = ", ".join(file.memory.processed_into)
    was = f"accepted: {heirs}" if heirs else REJECTED if REJECTED in file.memory.tags else "decided on"
    raise RefusedError(f"{name} was {was}", hint=None if heirs else f"memstore set {name} status=draft reopens it")


def _waiting_suggestion(file: MemoryFile) -> Waiting:
    memory = file.memory
    action = Action(memory.proposes or Action.CREATE)
    return Waiting(
        file=file,
        action=action,
        target=target_of(memory),
        evidence=tuple(ref for ref in memory.derived_from if MemoryRef.parse(ref)),
    )


def _count_use(view: View, ref: str | None, *, dry_run: bool) -> None:
    named = MemoryRef.parse(ref or "")
    if named and not dry_run:
        record_use(view, named.id, "accept")


def _suggestion_text(draft: Memory) -> str:
    """Return the text of a suggestion without what is there for the decision alone."""
    return draft.body.replace("\r\n", "\n").partition(f"\n{EVIDENCE}\n")[0].rstrip("\n") + "\n"


def _replace(view: View, one: Waiting, *, dry_run: bool, commit: bool) -> Linked:
    """Write the belief that takes the place of the one that a suggestion is about."""
    draft, name = one.memory, one.memory.ref or one.file.path
    gone = sources_gone(view, one.file)
    evidence = [ref for ref in draft.relates_to if ref != one.target]
    values: dict[str, Any] = {
        "title": draft.title, "source": draft.source or SOURCE, "source_type": draft.source_type or SOURCE,
        "confidence": draft.confidence, "relates_to": evidence, "derived_from": [str(name)],
    }  # fmt: skip
    edits = edits_of_superseding(
        view, str(one.target), _suggestion_text(draft), values, reason=f"Accepted {name}", since=draft.valid_from
    )
    link = splice.AppendItems("processed_into", (ref_of_new(edits[0]),))
    edits.append(_archived(one.file, link))
    saved = save_all(view, edits, verb="suggestions accept", dry_run=dry_run, commit=commit)
    _count_use(view, saved[0].ref, dry_run=dry_run)
    return Linked(saved=with_findings(saved[0], gone), others=saved[1:])


def _recorded(view: View, one: Waiting) -> Edit:
    """Return the edit that a suggestion makes to its target: it adds evidence, or archives it."""
    name = one.memory.ref or one.file.path
    if one.target is None:
        raise RefusedError(f"{name} does not say which belief it is about", hint="add the belief to relates_to")
    if one.action in (Action.ARCHIVE, Action.REVISE):
        return edit_of(one.action, view.original(one.target), title_of(one.memory), str(name))
    load = loader(view)
    known = [memory for ref in one.evidence if (memory := load(ref)) is not None]
    if not known:
        raise RefusedError(f"the evidence of {name} is gone", hint=f"memstore beliefs suggestions reject {name}")
    for memory in known:
        if doubtful := hearsay(memory, load, view.is_vouched):
            raise no_evidence(view, memory, doubtful)
    target, stance = view.original(one.target), STANCES[one.action]
    evidence = [as_evidence(memory, load) for memory in known]
    weighed = weigh(target.memory, evidence, stance, now=view.clock.now(), by=view.actor, reason=f"Accepted {name}")
    return edit_of_evidence(target, evidence, stance, weighed)


def _archived(file: MemoryFile, *more: splice.Edit) -> Edit:
    after = splice.apply(file, [splice.SetValue("status", "archived"), *more])
    return Edit(path=file.path, before=file, after=after)
