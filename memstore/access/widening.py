"""Widening by hand: whether a change lets somebody see a memory without the consent of everybody with a say.

The checks at commit that need the registries are here, too: grants that were widened by hand, and generalizations that
give away whom they were learnt from.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from memstore.access import RIGHTS
from memstore.access.audit_events import folder_of, texts_of
from memstore.access.consent import ConsentBook, who_may_permit
from memstore.access.own_files import events_in
from memstore.access.policy import ListenerAccess, labels_of
from memstore.access.reasons import verdict
from memstore.access.world import Standings, needs_consent
from memstore.core.change import MemoryChange
from memstore.core.finding_codes import finding_of
from memstore.core.ids import MemoryRef
from memstore.files.memory_file import MemoryFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.access.audit_events import AuditEvent
    from memstore.access.generalization import GeneralizationVerdict
    from memstore.access.world import Decision, Labels, World
    from memstore.core.finding import Finding
    from memstore.core.memory import Generalization, Memory
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile


class Widening(NamedTuple):
    """A grantee that gained a grant, or sight, although something is missing; `decision` says what."""

    grantee: str
    decision: Decision


def widenings(world: World, before: Labels, after: Labels, at: datetime) -> Iterator[Widening]:
    """Yield who gained a grant, or sight by an existing grant, without everything that a new grant needs.

    Only consents that are on record count, as for `privacy grant`. Whoever had a say before still has it, and so have
    the memories that this one was made from.

    Args:
        world: the current registries and consents, and the memories that this one was made from.
        before: the old labels.
        after: the new labels.
        at: the time, UTC.
    """
    standings, book = Standings(world, at, None), ConsentBook(world, at)
    judged = _with_all_says(before, after)
    if (owner := after.owner or world.owner) != (before.owner or world.owner):
        # A memory's owner sees it: giving it away means granting it.
        given = judged._replace(access_grants=(owner,))
        if denial := ListenerAccess(world, book, standings.grantee(owner)).denial(given):
            yield Widening(owner, verdict(world, given, {owner: denial}))
    for name in after.access_grants:
        if name == (after.owner or world.owner):
            continue
        access = ListenerAccess(world, book, standings.grantee(name))
        had = name in before.access_grants
        if had and (access.denial(before) is None or access.denial(after) is not None):
            continue
        if denial := access.denial(judged):
            yield Widening(name, verdict(world, judged, {name: denial}))


def dropped(world: World, before: Labels, after: Labels, at: datetime) -> tuple[str, ...]:
    """Return which names that bind a memory were removed from it, although it is granted to others.

    A name is like `subject:dog:bella`. Somebody with a say who is no longer named would not be asked for the next
    grant. A memory that is granted to nobody else may be corrected freely.

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
    """Whether a name or a label that may bind was removed; a cheap check that comes first."""
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
    """Whether the labels differ in anything that could let more people see a memory; a cheap check that comes first."""
    if before.owner != after.owner:
        return True
    return bool(after.access_grants) and before._replace(status="") != after._replace(status="")


def _with_all_says(before: Labels, after: Labels) -> Labels:
    """Return the new labels with all says and sources from before, and without consents written by hand."""
    chain = (*after.source_chain, *_told_by(before))
    return after._replace(
        subject_ids=_union(after.subject_ids, before.subject_ids),
        source_entity=after.source_entity or before.source_entity,
        source_chain=_union(chain, ()),
        derived_from=_union(after.derived_from, before.derived_from),
        upstream_grants=(*after.upstream_grants, *(one for one in before.upstream_grants if one)),
        consent_grants=(),
        access_denies=(),
    )


def _union(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


# -- checks at commit --------------------------------------------------------------------------------


# A generalization is checked only at commit: until then its text is still being written.
_OF_CONSENT = frozenset({"grants-widened", "say-removed"})


class WideningContext(NamedTuple):
    """What a commit's memories are judged by: the registries, and the memories they were made from, by id.

    `events` returns the audit events; called only if needed.
    """

    world: World
    memories: Mapping[str, Memory]
    events: Callable[[], Iterable[AuditEvent]]


def surroundings(view: View, ids: frozenset[str]) -> WideningContext:
    """Return the current registries and memories, as far as the actor may know them.

    The memories with these ids, and all that they were made from, are included in full.
    """
    _catalog, world = view, view.of(RIGHTS).policy
    memories: dict[str, Memory] = {}
    waiting = set(ids)
    while waiting:
        rows = [row for name in sorted(waiting) if name in world.memories for row in view.rows_of_id(name)]
        read = [view.read(view.entry(row).path) for row in rows]
        new = {file.memory.id: file.memory for file in read if isinstance(file, MemoryFile) and file.memory.id}
        waiting = {name for memory in new.values() for name in _made_of(memory)} - memories.keys() - new.keys()
        memories |= new
    return WideningContext(world, memories, partial(events_now, view))


def events_now(view: View) -> Iterable[AuditEvent]:
    """Return the audit events that are there now, unchanged."""
    return events_in({path: view.own_file(path) or b"" for path in view.of(RIGHTS).audit_paths()}).values()


def unconsented(view: View, before: MemoryFile, after: MemoryFile) -> list[Finding]:
    """Return findings for an owner's change that would show somebody more of a memory than was consented to."""
    if not view.owns(before.memory):
        return []  # only the owner can change it
    change = MemoryChange(before=before.memory, after=after.memory, path_before=before.path, path_after=after.path)
    found = check_widening([change], {after.path: after}, lambda ids: surroundings(view, ids), view.clock.now())
    return [finding for finding in found if finding.code in _OF_CONSENT]


def check_widening(
    changes: Iterable[MemoryChange],
    files: Mapping[str, ReadFile],
    surroundings: Callable[[frozenset[str]], WideningContext],
    now: datetime,
) -> Iterator[Finding]:
    """Yield findings for changes that let somebody see more than was consented to.

    Args:
        changes: the changes to be committed.
        files: the files that hold them, by path.
        surroundings: returns the context to judge them by, for the ids of the source memories; called only if needed.
        now: the time, UTC.
    """
    listed = list(changes)
    asked = [change for change in listed if change.after and change.path_after and _is_asked(change)]
    if not asked:
        return
    around = _before_forgetting(surroundings(frozenset(name for one in asked for name in _sources(one))), listed)
    for change in asked:
        file = files.get(change.path_after or "")
        if isinstance(file, MemoryFile):
            yield from _widened(change, file, around.world, now)
            yield from _dropped(change, file, around.world, now)
            yield from _generalized(file, around)


def _before_forgetting(around: WideningContext, changes: Iterable[MemoryChange]) -> WideningContext:
    """Return a context in which what these changes forget still has the label that it had.

    What rested on it is compared with what that label allowed; a tombstone allows nothing, so anything would be wider.
    """
    last = {
        change.before.id: labels_of(change.before)
        for change in changes
        if change.before and change.before.id and change.after and change.after.status == "forgotten"
        if change.before.status != "forgotten"
    }
    return around._replace(world=around.world._replace(memories={**around.world.memories, **last})) if last else around


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
        yield _finding("grants-widened", file, key, f"{gained} {_missing_consents(decision.missing, decision.code)}",
                       _hint(world, after, name, decision.missing))  # fmt: skip


def _gained(world: World, before: Labels, after: Labels, name: str) -> tuple[str, str]:
    """Return the key by which somebody newly sees a memory, and a description in words."""
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


def _missing_consents(missing: tuple[str, ...], code: str) -> str:
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
    """Yield the current result of the generalization check, whatever verdict the file records."""
    from memstore.access.generalization import check

    memory = file.memory
    if not memory.generalized:
        return
    ids = _made_of(memory)
    gone = [text for text in memory.derived_from if (ref := MemoryRef.parse(text)) and ref.id not in around.memories]
    subjects = _subjects(around, ids)
    found = judged(around, _text(memory), ids)
    named = None if found.blocked_reason and _is_no_name(memory, around, found) else found.blocked_reason
    if blocked := named or check(_open_metadata(memory), (), subjects).blocked_reason:
        yield _finding("generalization-blocked", file, "generalized", blocked, "say it without the name")
    elif warnings := _unacknowledged(memory.generalization, found, [*_uncompared(gone)]):
        text = "; ".join(warnings)
        hint = "say it another way, or write generalization: {verdict: warn, acknowledged_by: YOU}"
        yield _finding("generalization-unacknowledged", file, "generalized", text, hint)


def _is_no_name(memory: Memory, around: WideningContext, found: GeneralizationVerdict) -> bool:
    """Whether the vault's owner said that no word of exactly this text is meant as a name, and the audit has it."""
    from memstore.access.generalization import no_name_in

    recorded, owner, mark = memory.generalization, around.world.owner, no_name_in(_text(memory))
    if recorded is None or recorded.acknowledged_by != owner or mark not in recorded.checks or found.spells_id:
        return False
    return any(
        event.event == "generalize"
        and event.by == owner
        and event.path.startswith(folder_of(owner))
        and memory.id in texts_of(event.about.get("memory"))
        and mark in texts_of(event.about.get("acknowledged"))
        for event in around.events()
    )


def _unacknowledged(
    recorded: Generalization | None, found: GeneralizationVerdict, others: Sequence[str]
) -> Sequence[str]:
    """Return the warnings that nobody acknowledged: where checks are recorded, those of other checks are new."""
    if recorded is None or not recorded.acknowledged_by:
        return (*found.warnings, *others)
    told = zip(found.warned, found.warnings, strict=True)
    return [warning for name, warning in told if recorded.checks and name not in recorded.checks]


def judged(around: WideningContext, text: str, ids: Sequence[str]) -> GeneralizationVerdict:
    """Return whether a text gives away whom the memories with these ids are about, or who told them in confidence."""
    from memstore.access.generalization import check

    sources = [_text(around.memories[name]) for name in ids if name in around.memories]
    return check(text, sources, _subjects(around, ids))


def _subjects(around: WideningContext, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the aliases of everybody with a say in memories, or in what they were made from, by their ids."""
    above = [*_above(around.memories, ids)]
    named = [name for one in above for name in (*one.subject_ids, *_told_by(labels_of(one)))]
    entities = around.world.entities
    return {
        name: entities[name].aliases if name in entities else () for name in named if needs_consent(around.world, name)
    }


def _above(memories: Mapping[str, Memory], ids: Iterable[str]) -> Iterator[Memory]:
    """Yield memories and all that they were made from: a subject may be named in any of these alone."""
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


def _open_metadata(memory: Memory) -> str:
    """Return what a memory says outside its text that everybody who sees it can read."""
    claims = (part for claim in memory.claims for part in (claim.subject, claim.attribute, str(claim.value)))
    words = (*memory.tags, *memory.aliases, *memory.context_tags, *memory.entities, *claims, memory.source or "")
    return "\n".join(words)


def _text(memory: Memory) -> str:
    return "\n".join(part for part in (memory.title, memory.body) if part)


def _finding(code: str, file: MemoryFile, key: str, text: str, hint: str) -> Finding:
    return finding_of(code, file.path, text, hint, file.front.position(key), key=key)
