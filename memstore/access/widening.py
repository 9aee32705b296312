"""Widening by hand: whether a change of a memory lets somebody see it without everybody's consent who has a say.

Beside that rule stand the checks of what is committed that need the registries: grants that were widened by hand, and
generalizations that give away whom they were learnt from.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memstore.access.consent import ConsentBook, who_may_permit
from memstore.access.policy import Hearing, labels_of
from memstore.access.reasons import verdict
from memstore.access.world import Standings, needs_consent
from memstore.core.change import MemoryChange
from memstore.core.finding_codes import finding_of
from memstore.core.ids import MemoryRef
from memstore.files.memory_file import MemoryFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.access.world import Decision, Labels, World
    from memstore.core.finding import Finding
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile


class Widening(NamedTuple):
    """That `grantee` gained a grant, or sight, for which something is missing; `decision` says what."""

    grantee: str
    decision: Decision


def widenings(world: World, before: Labels, after: Labels, at: datetime) -> Iterator[Widening]:
    """Yield who gained a grant, or sight by a grant they had, without all that a new grant needs.

    Consents count by records alone, as for `privacy grant`; who had a say before still has it, and so has what the
    memory was made of.

    Args:
        world: the registries and consents as they are now, and the memories that this one was made of.
        before: the old labels.
        after: the new labels.
        at: the time, UTC.
    """
    standings, book = Standings(world, at, None), ConsentBook(world, at)
    judged = _with_all_says(before, after)
    if (owner := after.owner or world.owner) != (before.owner or world.owner):
        # Who owns a memory sees it: to give it away is to grant it.
        given = replace(judged, access_grants=(owner,))
        if denial := Hearing(world, book, standings.grantee(owner)).denial(given):
            yield Widening(owner, verdict(world, given, {owner: denial}))
    for name in after.access_grants:
        if name == (after.owner or world.owner):
            continue
        hearing = Hearing(world, book, standings.grantee(name))
        had = name in before.access_grants
        if had and (hearing.denial(before) is None or hearing.denial(after) is not None):
            continue
        if denial := hearing.denial(judged):
            yield Widening(name, verdict(world, judged, {name: denial}))


def dropped(world: World, before: Labels, after: Labels, at: datetime) -> tuple[str, ...]:
    """Return what a memory that others may be shown no longer says of those it binds, like `subject:dog:bella`.

    Who had a say and is named no more would be asked nothing by the next grant. A memory that is granted to nobody else
    may be put right freely.

    Args:
        world: the registries.
        before: the old labels.
        after: the new labels.
        at: the time, UTC.
    """
    if not drops_names(before, after) or not {*after.access_grants} - {after.owner or world.owner}:
        return ()
    book = ConsentBook(world, at)
    says = {str(say) for say in book.says(before)} - {str(say) for say in book.says(after)}
    labels = {" ".join(label) for label in before.upstream_grants} - {
        " ".join(label) for label in after.upstream_grants
    }
    return tuple(sorted({*says, *(f"upstream:[{label}]" for label in labels)}))


def drops_names(before: Labels, after: Labels) -> bool:
    """Whether a name or a label that may bind is gone; the cheap question first."""
    return any(
        {*old} - {*new}
        for old, new in (
            (before.subject_ids, after.subject_ids),
            (_told_by(before), _told_by(after)),
            (before.upstream_grants, after.upstream_grants),
        )
    )


def _told_by(labels: Labels) -> tuple[str, ...]:
    return (*labels.source_chain, labels.source_entity) if labels.source_entity else labels.source_chain


def may_widen(before: Labels, after: Labels) -> bool:
    """Whether the labels differ in anything that could let more people see a memory; the cheap question first."""
    if before.owner != after.owner:
        return True
    return bool(after.access_grants) and replace(before, status="") != replace(after, status="")


def _with_all_says(before: Labels, after: Labels) -> Labels:
    """Return the new labels with everybody's say and every source from before, and without consents told by hand."""
    chain = (*after.source_chain, *_told_by(before))
    return replace(
        after,
        subject_ids=_united(after.subject_ids, before.subject_ids),
        source_entity=after.source_entity or before.source_entity,
        source_chain=_united(chain, ()),
        derived_from=_united(after.derived_from, before.derived_from),
        upstream_grants=(*after.upstream_grants, *(one for one in before.upstream_grants if one)),
        consent_grants=(),
        access_denies=(),
    )


def _united(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


# -- checks of what is committed -------------------------------------------------------------------


# A generalization is checked when it is committed: until then its text is being written.
_OF_CONSENT = frozenset({"grants-widened", "say-removed"})


class WideningContext(NamedTuple):
    """What a commit's memories are judged by: the registries, and the memories that they were made of, by id."""

    world: World
    memories: Mapping[str, Memory]


def surroundings(view: View, ids: frozenset[str]) -> WideningContext:
    """Return the registries and the memories as they are, as far as one may know them.

    Those with these ids, and all that they were made of, are there in full.
    """
    _catalog, world = view, view.policy
    memories: dict[str, Memory] = {}
    waiting = set(ids)
    while waiting:
        rows = [row for name in sorted(waiting) if name in world.memories for row in view.rows_of_id(name)]
        read = [view.read(view.entry(row).path) for row in rows]
        new = {file.memory.id: file.memory for file in read if isinstance(file, MemoryFile) and file.memory.id}
        waiting = {name for memory in new.values() for name in _made_of(memory)} - memories.keys() - new.keys()
        memories |= new
    return WideningContext(world, memories)


def unconsented(view: View, before: MemoryFile, after: MemoryFile) -> list[Finding]:
    """Return what in its owner's change of a memory would let somebody see more of it than was consented to."""
    if not view.owns(before.memory):
        return []  # who does not own it changes nothing
    change = MemoryChange(before=before.memory, after=after.memory, path_before=before.path, path_after=after.path)
    found = check_widening([change], {after.path: after}, lambda ids: surroundings(view, ids), view.clock.now())
    return [finding for finding in found if finding.code in _OF_CONSENT]


def check_widening(
    changes: Iterable[MemoryChange],
    files: Mapping[str, ReadFile],
    surroundings: Callable[[frozenset[str]], WideningContext],
    now: datetime,
) -> Iterator[Finding]:
    """Yield what lets somebody see more than was consented to.

    Args:
        changes: what is to be committed.
        files: the files that hold it, by path.
        surroundings: gives what it is judged by, for the ids of memories whose sources count; called only if needed.
        now: the time, UTC.
    """
    asked = [change for change in changes if change.after and change.path_after and _is_asked(change)]
    if not asked:
        return
    around = surroundings(frozenset(source for change in asked for source in _sources(change)))
    for change in asked:
        file = files.get(change.path_after or "")
        if isinstance(file, MemoryFile):
            yield from _widened(change, file, around.world, now)
            yield from _dropped(change, file, around.world, now)
            yield from _generalized(file, around)


def _is_asked(change: MemoryChange) -> bool:

    if change.after is None:
        return False
    if change.after.generalized:
        return True
    return change.before is not None and may_widen(labels_of(change.before), labels_of(change.after))


def _sources(change: MemoryChange) -> set[str]:
    return {name for memory in (change.before, change.after) if memory for name in _made_of(memory)}


def _widened(change: MemoryChange, file: MemoryFile, world: World, now: datetime) -> Iterator[Finding]:

    if change.before is None:
        return
    before, after = labels_of(change.before), labels_of(file.memory)
    for name, decision in widenings(world, before, after, now):
        key, gained = _gained(world, before, after, name)
        yield _finding("grants-widened", file, key, f"{gained} {_lacking(decision.missing, decision.code)}",
                       _hint(world, after, name, decision.missing))  # fmt: skip


def _gained(world: World, before: Labels, after: Labels, name: str) -> tuple[str, str]:
    """Return the key by which somebody sees a memory who did not, and that in words."""
    if name == (after.owner or world.owner):
        return "owner", f"{name} became the owner"
    if name not in before.access_grants:
        return "access_grants", f'access_grants gained "{name}"'
    return "access_grants", f"{name} can now see it"


def _dropped(change: MemoryChange, file: MemoryFile, world: World, now: datetime) -> Iterator[Finding]:

    if change.before is None or file.memory.status == "forgotten":
        return
    for one in dropped(world, labels_of(change.before), labels_of(file.memory), now):
        role, _, who = one.partition(":")
        hint = "put it back; or first commit the memory without its access_grants, then grant it again"
        key = {"subject": "subject_ids", "source": "source_entity"}.get(role, "upstream_grants")
        yield _finding(
            "say-removed", file, key, f"{who} has a say in who sees the memory, and is no longer named in it", hint
        )


def _lacking(missing: tuple[str, ...], code: str) -> str:
    if code.startswith("lineage"):
        return f"past its source {', '.join(missing)}"
    who = dict.fromkeys(one.partition(":")[2] for one in missing)
    return f"without consent of {', '.join(who)}" if who else f"({code})"


def _hint(world: World, labels: Labels, name: str, missing: tuple[str, ...]) -> str:

    grantors = [min(who_may_permit(world, one.partition(":")[2]), default="PERSON") for one in missing if ":" in one]
    to = "'*'" if name == "*" else name
    if not grantors:
        return "remove the line"
    given = " ".join(dict.fromkeys(grantors))
    return f"remove the line; memstore privacy grant {labels.id} --to {to} --consent {given} records who consented"


def _generalized(file: MemoryFile, around: WideningContext) -> Iterator[Finding]:
    """Yield what the check of a generalization says now, whatever the file says that it said."""
    from memstore.access.generalization import check

    memory = file.memory
    if not memory.generalized:
        return
    named = [ref for text in memory.derived_from if (ref := MemoryRef.parse(text))]
    sources = [around.memories[ref.id] for ref in named if ref.id in around.memories]
    gone = [str(ref) for ref in named if ref.id not in around.memories]
    subjects = {
        name: around.world.entities[name].aliases if name in around.world.entities else ()
        for source in _above(around.memories, [ref.id for ref in named])
        for name in source.subject_ids
        if needs_consent(around.world, name)
    }
    found = check(_text(memory), [_text(source) for source in sources], subjects)
    acknowledged = memory.generalization is not None and memory.generalization.acknowledged_by
    if blocked := found.blocked_reason or check(_beside(memory), (), subjects).blocked_reason:
        yield _finding("generalization-blocked", file, "generalized", blocked, "say it without the name")
    elif (warnings := [*found.warnings, *_uncompared(gone)]) and not acknowledged:
        text = "; ".join(warnings)
        hint = "say it another way, or write generalization: {verdict: warn, acknowledged_by: YOU}"
        yield _finding("generalization-unacknowledged", file, "generalized", text, hint)


def _above(memories: Mapping[str, Memory], ids: Iterable[str]) -> Iterator[Memory]:
    """Yield memories and all that they were made of: of whom they tell may stand in any of these alone."""
    waiting, seen = list(ids), set[str]()
    while waiting:
        memory_id = waiting.pop()
        if memory_id in memories and memory_id not in seen:
            seen.add(memory_id)
            yield memories[memory_id]
            waiting += _made_of(memories[memory_id])


def _made_of(memory: Memory) -> list[str]:

    return [ref.id for text in memory.derived_from if (ref := MemoryRef.parse(text))]


def _uncompared(gone: Sequence[str]) -> Iterator[str]:
    if gone:
        yield f"its source {', '.join(gone)} does not exist, so it can't be compared"


def _beside(memory: Memory) -> str:
    """Return what a memory says beside its text, to all who see it."""
    claims = (part for claim in memory.claims for part in (claim.subject, claim.attribute, str(claim.value)))
    words = (*memory.tags, *memory.aliases, *memory.context_tags, *memory.entities, *claims, memory.source or "")
    return "\n".join(words)


def _text(memory: Memory) -> str:
    return "\n".join(part for part in (memory.title, memory.body) if part)


def _finding(code: str, file: MemoryFile, key: str, text: str, hint: str) -> Finding:
    return finding_of(code, file.path, text, hint, file.front.position(key), key=key)
