"""Say what was learnt without saying from whom: a belief that may be seen more widely than its sources.

The check knows words, not meanings (`access.generalization`): names block, details that may identify somebody need an
acknowledgement, a true paraphrase passes. That a word is no name here, only the vault's owner can say, of one text. The
commit hook checks again, whatever the file says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from memstore.access.audit import recorded
from memstore.access.generalization import covers, no_name_in
from memstore.access.widening import judged, surroundings
from memstore.core.errors import RefusedError, UsageError
from memstore.core.memory import EVERYBODY, EVERYBODY_SPELLED, UNSTATED_BELIEF_CONFIDENCE
from memstore.core.named import refs_of
from memstore.core.short_repr import short_repr
from memstore.core.transaction import Saving, again_where_changed, refuse_as_not_owner
from memstore.lineage.refs import ceiling, entries
from memstore.memories.add import composed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.access.generalization import GeneralizationVerdict
    from memstore.core.change import Saved
    from memstore.core.named import Names, OneOrMore
    from memstore.core.view import View
    from memstore.files.render import Plain

# Fewer subjects than this could be told apart by whoever knows them; a bigger crowd silences no warning.
FEWEST_SUBJECTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizationCheck:
    """The verdict on a text, and `k`: how many subjects have a memory that says most of what it says."""

    verdict: GeneralizationVerdict
    k: int

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True)
class Generalized:
    """A generalization that was written, or would be, and what the check said."""

    saved: Saved
    checked: GeneralizationCheck

    __repr__ = short_repr


def check_generalization(view: View, sources: Names, text: str, *, title: str | None = None) -> GeneralizationCheck:
    """Return whether a text gives away whom its sources are about; nothing is written.

    Args:
        view: the vault.
        sources: the memories that it was learnt from, all of them the actor's.
        text: the text.
        title: its title, which is checked, too.

    Raises:
        NotFoundError: there is no such memory that the actor sees.
        RefusedError: one is somebody else's, or was forgotten, so that nothing can be compared.
        UsageError: there is no text, or no source.
    """
    if not text.strip():
        raise UsageError("there is no text", hint='memstore privacy generalize REF --text "what holds in general"')
    if not sources:
        raise UsageError("there is no source", hint="memstore add writes a memory that comes from no other")
    ids = []
    for ref in refs_of(sources):
        file = view.original(ref)
        if not view.owns(file.memory):
            refuse_as_not_owner(view, file)
        if file.memory.status == "forgotten" or not file.memory.id:
            raise RefusedError(f"{file.memory.ref or file.path} can't be compared with", hint="name another source")
        ids.append(file.memory.id)
    said = _joined_text(title, text)
    around = surroundings(view, frozenset(ids))
    return GeneralizationCheck(verdict=judged(around, said, ids), k=len(_subjects_of(view, said)))


def _subjects_of(view: View, text: str) -> set[str]:
    """Return the subjects of the memories that say most of what a text says."""
    subjects, paths = view.column("subject_ids"), view.column("path")
    files = (view.read(paths[row]) for row in view.rows if subjects[row])
    return {name for file in files if file and covers(text, file.memory.body) for name in file.memory.subject_ids}


@again_where_changed
def generalize(
    view: View,
    sources: Names,
    text: str,
    *,
    access: OneOrMore,
    title: str | None = None,
    confidence: float | None = None,
    note: str | None = None,
    acknowledge: bool = False,
    **saving: Unpack[Saving],
) -> Generalized:
    """Write a belief that its grantees may see although they may not see its sources.

    >>> seen = note(ws.view(), "Bella has a murmur.", subject_ids=["dog:bella"])
    >>> done = generalize(ws.view(), [seen.ref], "Heart murmurs in small breeds need watching", access=["*"])
    >>> done.checked.verdict.verdict
    'safe'

    Args:
        view: the vault.
        sources: the memories that it was learnt from, all of them the actor's.
        text: what was learnt.
        access: who may see it: entities, groups, roles, contexts, or `*`.
        title: its title.
        confidence: in [0, 1]; never above its sources'.
        note: how sure that is, and why.
        acknowledge: the actor has weighed the check's warnings; for the vault's owner, names in it are none.
        saving: whether to write it, `Saving`.

    Raises:
        NotFoundError, RefusedError, UsageError: as `check_generalization`; also if the check blocks it, or warns and
            that is not acknowledged, or nobody is named who may see it.
    """
    if not access:
        raise UsageError("nobody is named who may see it", hint="--access ENTITY; memstore add keeps it to yourself")
    checked = check_generalization(view, sources, text, title=title)
    _stop_unless_allowed(view, checked.verdict, acknowledge=acknowledge)
    grants = [EVERYBODY if name == EVERYBODY_SPELLED else name for name in dict.fromkeys(access)]
    refs = [str(view.original(ref).memory.ref) for ref in dict.fromkeys(refs_of(sources))]
    no_name = [no_name_in(_joined_text(title, text))] if checked.verdict.blocked_reason else []
    verdict: dict[str, Plain] = {
        "verdict": "safe" if checked.verdict.safe else "warn",
        "checks": [*checked.verdict.checks, *no_name] or None,
        "k": checked.k,
        "note": note,
        "acknowledged_by": None if checked.verdict.safe else view.actor,
    }
    values: dict[str, Plain] = {
        "type": "belief",
        "title": title,
        "derived_from": [*refs],
        "access_grants": [*grants],
        "generalized": True,
        "generalization": {name: value for name, value in verdict.items() if value is not None},
        "confidence": _held(view, refs, confidence),
    }
    new = composed(view, values, text)
    made = new.edit.made.memory.id if new.edit.made else None
    overridden = None if checked.verdict.safe else [*checked.verdict.checks, *no_name]
    with view.transaction("generalize", **saving) as change:
        change.edit(new.edit)
        change.put(recorded(view, "generalize", memory=made, to=grants, sources=refs, acknowledged=overridden))
    (saved,) = change.saved
    return Generalized(saved=new.with_remarks(saved), checked=checked)


def _joined_text(title: str | None, text: str) -> str:
    return "\n".join(part for part in (title, text) if part)


def _stop_unless_allowed(view: View, verdict: GeneralizationVerdict, *, acknowledge: bool) -> None:
    may_acknowledge = view.acts_for_owner and not verdict.spells_id
    if verdict.blocked_reason and not (acknowledge and may_acknowledge):
        hint = "say it without the name"
        raise RefusedError(
            f"nothing was written: {verdict.blocked_reason}",
            hint=f"{hint}; where the word is no name: --acknowledge" if may_acknowledge else hint,
        )
    if verdict.warnings and not acknowledge:
        raise RefusedError(
            f"nothing was written: {'; '.join(verdict.warnings)}",
            hint="say it another way; or --acknowledge, if you have weighed that it gives nobody away",
        )


def _held(view: View, refs: Sequence[str], confidence: float | None) -> float:
    """Return the confidence of a generalization: what is stated, but never above its sources'."""
    least = ceiling(entries(view, refs))
    stated = UNSTATED_BELIEF_CONFIDENCE if confidence is None else confidence
    return stated if least is None else min(least, stated)
