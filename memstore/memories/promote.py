"""Promote a raw memory or a suggestion, and supersede one memory by another.

Both sides of a link are written in one operation. Source: seed 000's gold standard, section 2.3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from memstore.access import grants
from memstore.beliefs.archive import reasons
from memstore.beliefs.evidence import against
from memstore.beliefs.next_lines import PROMOTED_BELIEF_CONFIDENCE, Stance, brought_up_to_date, held, weigh
from memstore.beliefs.reinforce import edit_of_evidence
from memstore.core.catalog import EdgeKind
from memstore.core.change import Edit, SavedOne
from memstore.core.errors import NoIdError, RefusedError, UsageError
from memstore.core.finding_codes import finding_of
from memstore.core.ids import MEMORY_TYPES, MemoryRef
from memstore.core.provenance import teller_of
from memstore.core.short_repr import short_repr
from memstore.core.titles import default_title, in_a_key
from memstore.core.transaction import Saving, again_where_changed, save_all
from memstore.files import memory_file, splice
from memstore.files.draft import Account
from memstore.files.memory_file import MemoryFile
from memstore.files.render import entry_of
from memstore.files.shapes import is_absent, listed
from memstore.lineage.graph import graph_of
from memstore.lineage.refs import ceiling, entries, loader, whole_refs
from memstore.memories.add import new_memory, refuse_by_hand

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.core.change import Saved
    from memstore.core.finding import Finding
    from memstore.core.memory import Memory
    from memstore.core.named import Named
    from memstore.core.view import View
    from memstore.files.render import Plain


BY_COMMAND = "cli-promote"  # seed 000, 3.3
BY_FUNCTION = "raw-processing"  # seed 000, 3.2
TAG = "promoted"
_MADE_OF = frozenset({EdgeKind.DERIVED_FROM})


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked(SavedOne):
    """A new memory, and the source memories in which it was recorded."""

    others: tuple[Saved, ...]

    __repr__ = short_repr


@again_where_changed
def promote(
    view: View,
    memory: Named,
    kind: str | None,
    values: Mapping[str, Plain] | None = None,
    *,
    text: str | None = None,
    account: Account | None = None,
    **saving: Unpack[Saving],
) -> Linked:
    """Make a memory from a raw memory or a suggestion.

    The new memory names its source (`derived_from`), and the source names it (`processed_into`). It takes over how its
    source is known, whom it is about and who may see it. It keeps a suggestion's own sources, and the suggestion is
    archived.

    Args:
        view: the vault.
        memory: the memory to promote.
        kind: the type of the new memory; None keeps a suggestion's type.
        values: additional keys, or replacements for keys that it would take over; refs may be abbreviated.
        text: what it says; by default the words of its source.
        account: what an episode tells besides its text.
        saving: dry_run, commit.

    Raises:
        NotFoundError: there is no such memory, or a ref names none.
        RefusedError: it was already promoted, can't be promoted, the new memory would have a higher confidence, or all
            sources of a suggestion are gone.
        UsageError: a value does not have the shape of its key, or does not fit the type.
    """
    given = given_keys(view, values)
    file = view.original(memory)
    source = _promotable(file)
    kind = _checked_kind(file.memory, kind, account)
    _refuse_second(view, file, source)
    gone = sources_gone(view, file) if file.memory.status == "draft" else ()
    made = {**_taken_over(view, file, source, given, whole=text is None), "type": kind}
    if account:
        made["title"] = _title(given, account) or made.get("title") or in_a_key(default_title(text or file.memory.body))
    ground = _state_confidence(view, file.memory, source, made, given)
    body = file.memory.body.replace("\r\n", "\n") if text is None else text
    if account:
        body = account.as_text(body)
    new = new_memory(view, made, body, ground=ground)
    # The new memory comes first. After a crash in between, it names its source; this is enough for `fix-provenance` to
    # complete the link, and prevents a second promotion of the source.
    saved = save_all(view, [new, *_back_links(view, file, new, made)], verb="promote", **saving)
    return Linked(saved=with_findings(saved[0], gone), others=saved[1:])


def sources_gone(view: View, file: MemoryFile) -> tuple[Finding, ...]:
    """Return a warning for each source of a suggestion that does not exist any more, as far as the actor may know.

    Raises:
        RefusedError: none of its sources exists.
    """
    load, name = loader(view), file.memory.ref or file.path
    sources = [ref for ref in file.memory.derived_from if MemoryRef.parse(ref)]
    gone = [ref for ref in sources if load(ref) is None]
    if gone and gone == sources:
        raise RefusedError(f"the evidence of {name} is gone", hint=f"memstore beliefs suggestions reject {name}")
    at, hint = file.front.position("derived_from"), "memstore undo takes it back, if what is left does not say so"
    texts = (f"it was suggested because of {ref}, which does not exist any more" for ref in gone)
    return tuple(finding_of("ref-dangling", file.path, text, hint, at, key="derived_from") for text in texts)


def with_findings(saved: Saved, findings: tuple[Finding, ...]) -> Saved:
    """Return a result with more findings."""
    return replace(saved, findings=(*saved.findings, *findings)) if findings else saved


def process_raw(view: View, raw: str, as_type: str, values: Mapping[str, Plain] | None = None, **settings: Any) -> str:
    """Make a memory from a raw memory and return its ref: seed 000's name for `promote`, and its `source`.

    >>> raw = raw(ws.view(), "We merged Claire's branch.", session_id="42")
    >>> ref = process_raw(ws.view(), raw.ref, "episode", outcome="merged", lessons=["ask early"])
    >>> show_memory(ws.view(), ref).memory.derived_from == (raw.ref,)
    True

    Args:
        view: the vault.
        raw: the raw memory.
        as_type: the type of the new memory.
        values: as for `promote`.
        settings: `objective`, `outcome` and `lessons` of an episode; everything else as for `promote`.
    """
    told = {name: settings.pop(name) for name in ("objective", "outcome") if name in settings}
    account = Account(**told, lessons=tuple(settings.pop("lessons", ())))
    made = promote(view, raw, as_type, {"source": BY_FUNCTION, **(values or {})}, account=account, **settings)
    return made.saved.ref or ""


def given_keys(view: View, values: Mapping[str, Plain] | None) -> dict[str, Any]:
    """Return the keys given for a new memory, with whole refs; raise for keys that the program keeps."""
    given = {name: value for name, value in (values or {}).items() if not is_absent(value)}
    for name, value in given.items():
        refuse_by_hand(name, value)
    return {**given, **whole_refs(view, given)}


def ref_of_new(new: Edit) -> str:
    """Return the ref of a memory that is about to be written."""
    file = memory_file.read(new.path, new.after)
    if not isinstance(file, MemoryFile) or file.memory.ref is None:
        raise ValueError(f"{new.path} does not hold a memory with an id")
    return str(file.memory.ref)


# -- may it be promoted? -------------------------------------------------------------------------


def _promotable(file: MemoryFile) -> str:
    """Return the ref of a memory that can be promoted; raise if it can't."""
    memory = file.memory
    if memory.ref is None:
        raise NoIdError(file.path)
    if memory.status == "forgotten":
        raise RefusedError(f"{memory.ref} was forgotten: nothing is left to promote")
    if memory.type != "raw" and memory.status != "draft":
        raise RefusedError(
            f"{memory.ref} is not raw, and only raw memories and suggestions can be promoted",
            hint=f"memstore supersede {memory.ref} TEXT replaces it",
        )
    return str(memory.ref)


def _checked_kind(memory: Memory, kind: str | None, account: Account | None) -> str:
    kind = kind or (memory.type if memory.status == "draft" else None)
    kinds = [name for name in MEMORY_TYPES if name != "raw"]
    if kind not in kinds:
        raise UsageError(
            f"a raw memory can't be promoted to {kind}" if kind else "--to is missing",
            hint=f"give --to with one of {', '.join(kinds)}",
        )
    if account and kind != "episode":
        raise UsageError(
            f"--objective, --outcome and --lesson are for episodes, not for the type {kind}", hint="--to episode"
        )
    return kind


def _refuse_second(view: View, file: MemoryFile, source: str) -> None:
    """Raise if a memory was already made from it, even if a crash prevented recording that here."""
    results = [entry.ref for entry in entries(view, file.memory.processed_into) if entry.ref]
    if results:
        hint = f"memstore supersede {results[0]} TEXT replaces that"
        raise RefusedError(f"{source} was already promoted: {results[0]}", hint=hint)
    if file.memory.processed_into:
        hint = f"remove processed_into from {file.path} to promote it again"
        raise RefusedError(f"{source} was already promoted, to a memory that no longer exists", hint=hint)
    graph = graph_of(view)
    row = graph.row_at(file.path, file.memory.id or "")
    for link in graph.dependents(row, kinds=_MADE_OF) if row is not None else ():
        if link.key >= 0 and graph.column("source")[link.key] in (BY_COMMAND, BY_FUNCTION):
            made = graph.name(link.key)
            raise RefusedError(
                f"{source} was already promoted: {made}", hint="memstore check fix-provenance links the two"
            )


# -- the new memory ------------------------------------------------------------------------------


def _taken_over(view: View, file: MemoryFile, source: str, given: Mapping[str, Any], *, whole: bool) -> dict[str, Any]:
    """Return the keys of the new memory: those given, and those that it takes over.

    Args:
        view: the vault.
        file: the memory to promote.
        source: its ref.
        given: the keys that are given.
        whole: whether it keeps its text, and therefore the title.
    """
    memory = file.memory
    is_draft = memory.status == "draft"
    made = {"source": BY_COMMAND, **grants.promoted(view, file.front.values, given), **given}
    if whole and memory.title:
        made.setdefault("title", memory.title)
    made["tags"] = _joined(listed(made.get("tags")), (TAG,))
    made["derived_from"] = _joined(memory.derived_from if is_draft else (), (source,), given.get("derived_from", ()))
    made["relates_to"] = _joined(memory.relates_to, given.get("relates_to", ()))
    return made


def _joined(*lists: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(item for items in lists for item in items))


def _title(given: Mapping[str, Any], account: Account) -> str:
    """Return the given title, either as such or as the objective."""
    title: str = given.get("title", "")
    if title and account.title:
        raise UsageError("--objective and --title both set an episode's title", hint="leave one out")
    return title or account.title


def _state_confidence(
    view: View, memory: Memory, source: str, made: dict[str, Any], given: Mapping[str, Any]
) -> dict[str, Plain] | None:
    """Set the new memory's confidence, never above its sources', and return the reason for the ledger."""
    least = ceiling(entries(view, made["derived_from"]))
    stated = given.get("confidence")
    if stated is None and memory.status == "draft" and memory.confidence_history:
        # The ledger that a suggestion was computed from becomes the new memory's ledger.
        number = held(memory)
        changed = [] if number is None else brought_up_to_date(memory, number, view.clock.now(), view.actor)
        ledger = [*memory.confidence_history, *changed]
        made |= {"confidence": number, "confidence_history": [entry_of(line) for line in ledger]}
        return None
    if stated is None:
        usual = PROMOTED_BELIEF_CONFIDENCE if made["type"] == "belief" else None
        own = memory.confidence if memory.status == "draft" and memory.confidence is not None else usual
        if own is None:
            return None
        made["confidence"] = own if least is None else min(own, least)
    elif least is not None and isinstance(stated, int | float) and stated > least:
        raise RefusedError(
            f"the confidence {stated:g} is above {least:g}, that of what it is derived from",
            hint=f"leave it out; then record that you are surer with memstore set REF confidence={stated:g}",
        )
    return {"evidence_source": source, "reason": f"Promoted from {source}"}


# -- the other side ------------------------------------------------------------------------------


def _back_links(view: View, file: MemoryFile, new: Edit, made: Mapping[str, Any]) -> list[Edit]:
    """Return edits that record the new memory in the promoted one, and in raw memories among its sources."""
    made_of = entries(view, made["derived_from"])
    own = [entry for entry in made_of if view.owns_as(entry.owner) and entry.ref]
    paths = [entry.path for entry in own if entry.type == "raw" and entry.path != file.path]
    link = splice.AppendItems("processed_into", (ref_of_new(new),))
    files = [
        *([file] if view.owns(file.memory) else []),
        *(view.original(path) for path in dict.fromkeys(paths)),
    ]
    return [_edit(one, [link, *_archiving(one)]) for one in files]


def _archiving(file: MemoryFile) -> list[splice.Edit]:
    return [splice.SetValue("status", "archived")] if file.memory.status == "draft" else []


def _edit(file: MemoryFile, edits: Sequence[splice.Edit]) -> Edit:
    return Edit(path=file.path, before=file, after=splice.apply(file, edits))


# -- supersede -------------------------------------------------------------------------------------


_HEIRS = frozenset({EdgeKind.SUPERSEDES, EdgeKind.SUPERSEDED_BY})


@again_where_changed
def supersede(
    view: View,
    memory: Named,
    text: str,
    values: Mapping[str, Plain] | None = None,
    *,
    reason: str | None = None,
    since: str | None = None,
    **saving: Unpack[Saving],
) -> Linked:
    """Write a memory that takes the place of another; both name each other, and the old one keeps its confidence.

    The heir has the same type, is made from the old memory (`derived_from`), and rests on the same memories
    (`relates_to`). Its confidence is stated anew, and what contradicted the old memory is evidence for it.

    >>> old = belief(ws.view(), "Tea is best at ninety degrees.")
    >>> new = supersede(ws.view(), old.ref, "Green tea is best at eighty degrees.").saved
    >>> show_memory(ws.view(), new.ref).memory.confidence_history[0].reason == f"Superseded {old.ref.replace(':', ' ')}"
    True

    Args:
        view: the vault.
        memory: the memory to supersede.
        text: what the heir says.
        values: additional keys of the heir, or replacements for keys that it would take over; refs may be abbreviated.
        reason: why; it goes into the heir's ledger, and into the old memory's `status_reason`.
        since: if the world changed, the day or time until which the old memory was true and since which the heir is.
        saving: dry_run, commit.

    Raises:
        NotFoundError: there is no such memory, or a ref names none.
        RefusedError: it already has an heir, or was forgotten.
        UsageError: a value does not have the shape of its key, or there is no text.
    """
    edits = edits_of_superseding(view, memory, text, values, reason=reason, since=since)
    saved = save_all(view, edits, verb="supersede", **saving)
    return Linked(saved=saved[0], others=saved[1:])


def edits_of_superseding(
    view: View,
    ref: Named,
    text: str,
    values: Mapping[str, Plain] | None = None,
    *,
    reason: str | None = None,
    since: str | None = None,
) -> list[Edit]:
    """Return what `supersede` writes, the heir first; arguments and errors are its."""
    given = given_keys(view, values)
    file = view.original(ref)
    old = supersedable(view, file)
    memory = file.memory
    made = {
        **({} if teller_of(given) else {"source_type": "inference"}),
        **grants.superseding(file.front.values, given),
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
    # The heir comes first. After a crash in between it names what it supersedes: `check` reports a one-sided link, and
    # `fix-provenance` completes it.
    return [new, Edit(path=file.path, before=file, after=after)]


def _with_evidence(view: View, new: Edit, old: Memory) -> Edit:
    """Return the heir's file with its evidence: evidence against the old memory is evidence for the new one."""
    evidence = against(old)
    heir = memory_file.read(new.path, new.after)
    if not evidence or not isinstance(heir, MemoryFile) or held(heir.memory) is None:
        return new
    reason = f"Contradicted {old.ref}"
    weighed = weigh(heir.memory, evidence, Stance.SUPPORT, now=view.clock.now(), by=view.actor, reason=reason)
    edit = edit_of_evidence(heir, evidence, Stance.SUPPORT, weighed)
    return Edit(path=new.path, before=None, after=edit.after)


def supersedable(view: View, file: MemoryFile) -> str:
    """Return the ref of a memory that can be superseded; raise if it can't."""
    memory = file.memory
    if memory.ref is None:
        raise NoIdError(file.path)
    if memory.status == "forgotten":
        raise RefusedError(f"{memory.ref} was forgotten", hint="memstore add writes a new memory")
    heir = _heir(view, file)
    if heir:
        raise RefusedError(
            f"{memory.ref} is already superseded, by {heir}", hint=f"memstore supersede {heir} TEXT replaces that one"
        )
    if memory.status == "superseded" or memory.superseded_by:
        raise RefusedError(
            f"{memory.ref} is already superseded, by a memory that no longer exists",
            hint=f"remove status and superseded_by from {file.path} to supersede it again",
        )
    return str(memory.ref)


def _heir(view: View, file: MemoryFile) -> str | None:
    """Return the first existing heir, whichever of the two memories names the other."""
    graph = graph_of(view)
    row = graph.row_at(file.path, file.memory.id or "")
    links = graph.dependents(row, kinds=_HEIRS) if row is not None else ()
    return next((graph.name(link.key) for link in links if link.key >= 0), None)
