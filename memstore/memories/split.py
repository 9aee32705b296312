"""Make two memories of one that said two things; each piece of evidence goes to one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.codec import splice
from memstore.codec.ledger import entry_of
from memstore.core.again import again_where_changed
from memstore.core.change import Edit
from memstore.errors import UsageError
from memstore.flows.add import new_memory
from memstore.flows.archive import reasons
from memstore.flows.promote import Linked, ref_of_new
from memstore.flows.save import refuse_as_not_owner, save_all
from memstore.flows.supersede import supersedable
from memstore.rules import inheritance, rearranging
from memstore.rules.beliefs import replayed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.codec.memory_file import MemoryFile
    from memstore.core.view import View
    from memstore.model.confidence import LedgerLine

_EVEN = 0.5


@again_where_changed
def split(
    view: View,
    ref: str,
    texts: tuple[str, str],
    *,
    first: Sequence[str] = (),
    second: Sequence[str] = (),
    reason: str | None = None,
    dry_run: bool = False,
    commit: bool = False,
) -> Linked:
    """Write two memories that take the place of one; the old one keeps its confidence and names both.

    Each states what the old one stated, and has the evidence that is given to it. What spoke for the old one only in
    part counts half for each, unless it is given to one of them.

    >>> held = belief(ws.view(), "Bella limps on stairs and in the cold.")
    >>> seen = episode(ws.view(), "The stairs", "she limped again")
    >>> reinforce(ws.view(), held.ref, seen.ref).new
    0.8248
    >>> done = split(ws.view(), held.ref, ("Stairs make Bella limp.", "Cold makes Bella limp."), first=[seen.ref])
    >>> [show_memory(ws.view(), one.ref).memory.confidence for one in (done.saved, done.others[0])]
    [0.8248, 0.8]

    Args:
        view: the vault.
        ref: the memory.
        texts: what each of the two says.
        first: the evidence that goes to the first.
        second: the evidence that goes to the second.
        reason: why; what is superseded keeps it in `status_reason`, and the commit's message says it, too.
        dry_run: write nothing, and return what would be.
        commit: commit all three, too.

    Raises:
        NotFoundError: there is no such memory, or no such evidence.
        RefusedError: it is somebody else's, is superseded already, or was forgotten.
        UsageError: a piece of evidence is given to neither or both, or is none of its evidence.
    """
    file = view.original(ref)
    if not view.owns(file.memory):  # before its evidence is named, which not everybody may see who sees the memory
        refuse_as_not_owner(view, file)
    old = supersedable(view, file)
    ledger = rearranging.whole(file.memory, view.clock.now(), view.actor)
    given = [_named(view, file, ledger, refs) for refs in (first, second)]
    shares = _shares(ledger, *given)
    parts = [rearranging.part(ledger, share, of=old, by=view.actor) for share in shares]
    # What rests on neither side's evidence alone is what both rest on.
    others = [{source for source, share in shares[1 - i].items() if share == 1} for i in range(2)]
    new = [
        new_memory(view, _values(file, old, lines, other), text)
        for lines, other, text in zip(parts, others, texts, strict=True)
    ]
    heirs: list[Any] = [ref_of_new(edit) for edit in new]
    links = [splice.SetValue("superseded_by", heirs), splice.SetValue("status", "superseded"), *reasons(reason)]
    edits = [*new, Edit(path=file.path, before=file, after=splice.apply(file, links))]
    saved = save_all(view, edits, verb="split", dry_run=dry_run, commit=commit, message=reason)
    return Linked(saved=saved[0], others=saved[1:])


def _values(file: MemoryFile, old: str, lines: Sequence[LedgerLine], others: set[str]) -> dict[str, Any]:
    """Return the keys of a part."""
    held = {"confidence": replayed(lines), "confidence_history": [entry_of(line) for line in lines]} if lines else {}
    return {
        **inheritance.superseding(file.front.values, {}),
        **held,
        "type": file.memory.type,
        "source_type": "inference",
        "derived_from": [old],
        "relates_to": [ref for ref in file.memory.relates_to if ref not in others],
        "supersedes": old,
    }


# -- which evidence goes where -------------------------------------------------------------------


def _named(view: View, file: MemoryFile, ledger: Sequence[LedgerLine], refs: Sequence[str]) -> frozenset[str]:
    """Return the sources that refs name; they must be evidence of the memory."""
    known = rearranging.standing(ledger)
    found = {text if text in known else view.find(text).ref or text for text in refs}
    strange = sorted(found - known.keys())
    if strange:
        listed = ", ".join(known) or "it has none"
        raise UsageError(f"{strange[0]} is no evidence of {file.memory.ref}", hint=f"its evidence: {listed}")
    return frozenset(found)


def _shares(
    ledger: Sequence[LedgerLine], first: frozenset[str], second: frozenset[str]
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Return how much of each source goes to either side."""
    if first & second:
        raise UsageError(
            f"{min(first & second)} is given to both", hint="each piece of evidence goes to one of the two"
        )
    known = rearranging.standing(ledger)
    halved = {source for source, said in known.items() if said[0].op == "partial" or not said[0].evidence_source}
    lacking = sorted(known.keys() - first - second - halved)
    if lacking:
        raise UsageError(
            f"nothing says which of the two has this evidence: {', '.join(lacking)}",
            hint="--first REF… and --second REF… name what goes to each",
        )
    sides = [{**dict.fromkeys(halved - first - second, _EVEN), **dict.fromkeys(side, 1.0)} for side in (first, second)]
    return sides[0], sides[1]
