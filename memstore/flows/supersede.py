"""Put another memory in the place of one: seed 000's gold standard, section 2.3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.codec import memory_file, splice
from memstore.codec.memory_file import MemoryFile
from memstore.core.again import again_where_changed
from memstore.core.change import Edit
from memstore.errors import RefusedError, UsageError
from memstore.flows.add import new_memory
from memstore.flows.archive import reasons
from memstore.flows.lineage import graph_of
from memstore.flows.promote import Linked, given_keys, ref_of_new
from memstore.flows.reinforce import edit_of_evidence
from memstore.flows.save import save_all
from memstore.model.catalog import EdgeKind
from memstore.rules import inheritance
from memstore.rules.beliefs import Stance, held, weigh
from memstore.rules.evidence import against

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.codec.render import Plain
    from memstore.core.view import View
    from memstore.model.memory import Memory

_HEIRS = frozenset({EdgeKind.SUPERSEDES, EdgeKind.SUPERSEDED_BY})


@again_where_changed
def supersede(
    view: View,
    ref: str,
    text: str,
    values: Mapping[str, Plain] | None = None,
    *,
    reason: str | None = None,
    since: str | None = None,
    dry_run: bool = False,
    commit: bool = False,
) -> Linked:
    """Write a memory that takes the place of another; both name each other, and the old one keeps its confidence.

    The heir is of the same type, made of the old one (`derived_from`), and rests on what that rested on
    (`relates_to`); how sure its holder is, is stated anew, and what contradicted the old one is evidence for it.

    >>> old = belief(ws.view(), "Tea is best at ninety degrees.")
    >>> new = supersede(ws.view(), old.ref, "Green tea is best at eighty degrees.").saved
    >>> show_memory(ws.view(), new.ref).memory.confidence_history[0].reason == f"Superseded {old.ref.replace(':', ' ')}"
    True

    Args:
        view: the vault.
        ref: what is superseded.
        text: what the heir says.
        values: more keys of the heir, or others than those it would take over; refs may be abbreviated.
        reason: why; the heir's ledger says it, and the `status_reason` of what is superseded.
        since: where the world changed, the day or time until which the old one was true and since when the heir is.
        dry_run: write nothing, and return what would be.
        commit: commit both, too.

    Raises:
        NotFoundError: there is no such memory, or a ref names none.
        RefusedError: it has an heir already, or was forgotten.
        UsageError: a value has not the shape of its key, or there is no text.
    """
    given = given_keys(view, values)
    file = view.original(ref)
    old = supersedable(view, file)
    memory = file.memory
    made = {
        "source_type": "inference",
        **inheritance.superseding(file.front.values, given),
        **given,
        "type": memory.type,
        "derived_from": list(dict.fromkeys([old, *given.get("derived_from", ())])),
        "relates_to": list(dict.fromkeys([*memory.relates_to, *given.get("relates_to", ())])),
        "supersedes": old,
    }
    if since:
        made.setdefault("valid_from", since)
    ground: dict[str, Plain] = {"evidence_source": old, "reason": reason or f"Superseded {memory.type} {memory.id}"}
    new = _with_evidence(view, new_memory(view, made, text, ground=ground), memory)
    links = [splice.SetValue("superseded_by", ref_of_new(new)), splice.SetValue("status", "superseded")]
    links += reasons(reason)
    links += [splice.SetValue("valid_until", since)] if since else []
    after = splice.apply(file, links)
    # The heir comes first. After a crash in between it names what it supersedes: `check` says that the link is
    # one-sided, and `fix-provenance` completes it.
    edits = [new, Edit(path=file.path, before=file, after=after)]
    saved = save_all(view, edits, verb="supersede", dry_run=dry_run, commit=commit)
    return Linked(saved=saved[0], others=saved[1:])


def _with_evidence(view: View, new: Edit, old: Memory) -> Edit:
    """Return the heir's file with its evidence: what speaks against the old memory speaks for the new one."""
    evidence = against(old)
    heir = memory_file.read(new.path, new.after)
    if not evidence or not isinstance(heir, MemoryFile) or held(heir.memory) is None:
        return new
    reason = f"Contradicted {old.ref}"
    weighed = weigh(heir.memory, evidence, Stance.SUPPORT, now=view.clock.now(), by=view.actor, reason=reason)
    edit = edit_of_evidence(heir, evidence, Stance.SUPPORT, weighed)
    return Edit(path=new.path, before=None, after=edit.after)


def supersedable(view: View, file: MemoryFile) -> str:
    """Return the ref of what may be superseded."""
    memory = file.memory
    if memory.ref is None:
        raise UsageError(f"{file.path} has no id to refer to it by", hint=f"memstore adopt {file.path}")
    if memory.status == "forgotten":
        raise RefusedError(f"{memory.ref} was forgotten", hint="memstore add writes a new memory")
    heir = _heir(view, file)
    if heir:
        raise RefusedError(
            f"{memory.ref} is superseded already, by {heir}", hint=f"memstore supersede {heir} TEXT goes on from there"
        )
    if memory.status == "superseded" or memory.superseded_by:
        raise RefusedError(
            f"{memory.ref} is superseded already, by what is not there any more",
            hint=f"take status and superseded_by out of {file.path} to supersede it again",
        )
    return str(memory.ref)


def _heir(view: View, file: MemoryFile) -> str | None:
    """Return the first heir that is there, whichever of the two memories names the other."""
    graph = graph_of(view)
    row = graph.row_at(file.path, file.memory.id or "")
    links = graph.dependents(row, kinds=_HEIRS) if row is not None else ()
    return next((graph.name(link.key) for link in links if link.key >= 0), None)
