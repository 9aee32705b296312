"""Share a copy of what somebody may see of a vault: as a repository of its own, searched before anybody gets it.

A stack holds the files that its recipients may see, without refs to hidden memories, and a manifest. Each line stays
where it was, so that a citation means the same there. Before a stack is put into place, everything in it, git's own
files and all objects, is searched for the names of what is hidden.
"""

from __future__ import annotations

import difflib
import shlex
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.access import RIGHTS, STACK_FOLDERS, audit, stack
from memstore.access.audit_events import texts_of
from memstore.access.privacy import unknown_grantees
from memstore.access.stack import Stack, StackMemory, is_stack_name, members_now, sight_ends, viewers
from memstore.access.world import can_listen
from memstore.core.change import Act
from memstore.core.config import CONFIG_PATH
from memstore.core.digests import digest_of
from memstore.core.errors import FormatError, LockedError, NotFoundError, RefusedError, UsageError
from memstore.core.memory import EVERYBODY, EVERYBODY_SPELLED
from memstore.core.places import ATTRIBUTES, MANIFEST, is_sealed_path
from memstore.core.times import instant
from memstore.exchange.disclosure import HiddenNames, disclosures
from memstore.files import FILES, memory_file, splice
from memstore.files.draft import new_file
from memstore.files.memory_file import MemoryFile
from memstore.files.shapes import whole_entries
from memstore.history import HISTORY
from memstore.trust import SIGNATURES, senders
from memstore.trust.allowed_signers import lines_of
from memstore.trust.keyring import ALLOWED_SIGNERS, REVOKED_KEYS
from memstore.trust.statement import digests

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from memstore.access.audit_events import AuditEvent
    from memstore.access.world import Member
    from memstore.core.view import View
    from memstore.exchange.disclosure import Disclosure
    from memstore.vault.stack_place import StackPlace, UnfinishedStack

EVENT = "privacy share"


class SharedStack(NamedTuple):
    """A stack that was shared, or would be: `new`, `changed` and `withdrawn` are paths, compared with what was there.

    `differs` is false if nothing changed, not even who is in a group. `commit` is its commit, None in a dry run and
    where nothing changed. `rewritten` says that its history began anew, because something was withdrawn. `nameless` are
    memories that were left out because they have no id, `sealed` those that are sealed with refs to hidden ones.
    `notes` are remarks for the person.
    """

    stack: Stack
    folder: str
    commit: str | None
    new: tuple[str, ...]
    changed: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    rewritten: bool = False
    differs: bool = True
    nameless: tuple[str, ...] = ()
    sealed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class SharedState(NamedTuple):
    """A stack that was shared: by which name, with whom, when last, where if that is known, and whether it is current.

    `new` are the ids of memories that its recipients may see by now, `withdrawn` of those that they may see no longer;
    `changed` says that something in it would be different, `is_missing` that its folder is gone.
    """

    name: str
    to: str
    at: str
    folder: str | None
    new: tuple[str, ...]
    withdrawn: tuple[str, ...]
    changed: bool
    is_missing: bool = False

    @property
    def is_current(self) -> bool:
        """Whether `share --update` would change nothing."""
        return not (self.new or self.withdrawn or self.changed or self.is_missing)


# -- what a stack holds ----------------------------------------------------------------------------


class _Plan(NamedTuple):
    stack: Stack
    files: Mapping[str, bytes]
    saved: Mapping[str, datetime]
    nameless: tuple[str, ...]
    sealed: tuple[str, ...]

    @property
    def all_files(self) -> dict[str, bytes]:
        return {**self.files, MANIFEST: stack.written(self.stack)}


def _plan(view: View, stack_id: str, name: str, to: str) -> _Plan:
    """Return the stack of what somebody may see now."""
    now = view.clock.now()
    begun = Stack(
        id=stack_id,
        name=name,
        by=view.config.owner,
        to=to,
        at=instant(now),
        commit=stack.commit_digest(view.of(HISTORY).head() if view.of(HISTORY).repository else None),
        members=_recipients(view, to, now),
        notes=view.config.notes,
        languages=view.config.languages,
    )
    seen = view.of(RIGHTS).seen_by(viewers(begun, now))
    files: dict[str, bytes] = {}
    memories: list[StackMemory] = []
    nameless: list[str] = []
    sealed: list[str] = []
    for row in seen.rows:
        path = seen.entry(row).path
        whole, shown = view.whole.read_file(path), seen.read(path)
        if not isinstance(whole, MemoryFile) or shown is None:
            continue  # it has just changed
        if whole.memory.id is None:
            nameless.append(path)
            continue
        if is_sealed_path(path):
            # It goes as it is, for those who may open it; nothing can be left out of it for some of them.
            if shown.memory.original is not None:
                sealed.append(path)
                continue
            files[path] = view.whole.stored(path)
            memories.append(_stack_memory(whole, whole.data)._replace(file=digest_of(files[path])))
            continue
        is_masked = shown.memory.original is not None
        files[path] = masked(whole, shown.front.values, mixed=view.config.mixed) if is_masked else whole.data
        memories.append(_stack_memory(whole, files[path]))
    for row in seen.plain:
        path = seen.entry(row).path
        files[path] = view.whole.read(path)
        memories.append(StackMemory(path, digest_of(files[path])))
    rights = seen.of(RIGHTS)  # by what they see: a hidden file may have the same id
    world = rights.policy._replace(memories={seen.entry(row).id: rights.labels(row) for row in seen.rows})
    ends = sight_ends(world, begun, [one.id for one in memories if one.id], now)
    told = tuple(one._replace(until=instant(ends[one.id])) if one.id in ends else one for one in memories)
    made = replace(begun, memories=tuple(sorted(told, key=lambda one: one.path)))
    saved = {path: at for path in files if (at := view.of(FILES).saved_at(view.root / path))}
    return _Plan(made, {**files, **_own_files(view, made, seen)}, saved, tuple(nameless), tuple(sealed))


def _recipients(view: View, to: str, now: datetime) -> tuple[Member, ...]:
    """Return the members of the group that a stack is for, without the owner; empty for anybody else.

    Raises:
        UsageError: it is for nobody who could be shared with.
    """
    world = view.of(RIGHTS).registries
    if to == EVERYBODY:
        return ()
    audit.entity_id(to, "--to", view)
    if to == view.config.owner:
        raise UsageError(f"{to} owns this vault and has all of it", hint="git clone copies a vault")
    if to in world.groups or to.startswith("group:"):
        members = tuple(one for one in members_now(world, to, now) if one.id != view.config.owner)
        if not members:
            raise UsageError(f"nobody is in {to} now", hint="memstore privacy group add names members")
        return members
    if to.startswith(("ctx:", "role:")) or not can_listen(world, to):
        raise UsageError(f"{to} can't read a stack", hint="name a person, an agent, an organisation or a group")
    return ()


def _stack_memory(whole: MemoryFile, data: bytes) -> StackMemory:
    """Return what the manifest says of a memory."""
    made = StackMemory(whole.path, digest_of(data), id=whole.memory.id or "", withheld=data != whole.data)
    try:
        found = digests(whole.memory)
    except FormatError:
        return made  # nobody can have signed it
    return made._replace(content=found.content, provenance=found.provenance)


def _own_files(view: View, made: Stack, seen: View) -> dict[str, bytes]:
    """Return the settings of a stack, and the keys of those who vouch for what is in it."""
    settings = stack.settings_file(made, view.config.quality_profile)
    files = {CONFIG_PATH: settings, ATTRIBUTES: stack.attributes_file(made)}
    names = {name for row in seen.rows for name in _signers(seen, row)}
    return files | keys_of(view, names)


def keys_of(view: View, names: Collection[str]) -> dict[str, bytes]:
    """Return the vault's keyring as far as it is about some entities, and their revoked keys; nothing if it isn't."""
    signers = [line for _, line in lines_of(view.own_file(ALLOWED_SIGNERS) or b"")]
    # A line may name several; one of somebody who vouches for nothing there would name a stranger.
    kept = [line for line in signers if (named := {*_principals(line)}) and named <= {*names}]
    if not kept:
        return {}
    files = {ALLOWED_SIGNERS: "".join(f"{line}\n" for line in kept).encode()}
    if revoked := view.own_file(REVOKED_KEYS):
        files[REVOKED_KEYS] = "".join(f"{' '.join(line.split()[:2])}\n" for _, line in lines_of(revoked)).encode()
    return files


def _signers(seen: View, row: int) -> set[str]:
    """Return who signed, witnessed or resolved a memory."""
    file = seen.read(seen.entry(row).path)
    if file is None:
        return set()
    memory = file.memory
    named = {one.agent_id for one in memory.witnesses} | {one.by for one in memory.resolutions}
    return named | ({memory.signature.by} if memory.signature else set())


def _principals(line: str) -> list[str]:
    return line.split(maxsplit=1)[0].split(",") if line.split() else []


# -- without refs to what is hidden ----------------------------------------------------------------


def masked(whole: MemoryFile, shown: Mapping[str, Any], *, mixed: bool) -> bytes:
    """Return a file's bytes with the values that its recipients may see, each line of its body where it was."""
    values = {name: whole_entries(name, value) for name, value in shown.items()}
    edits = [_edit(name, whole.front.values[name], value) for name, value in values.items()
             if value != whole.front.values[name]]  # fmt: skip
    edits += [splice.RemoveKey(name) for name in whole.front.values if name not in values]
    try:
        data = splice.apply(whole, edits)
    except FormatError:
        data = new_file({name: value for name, value in values.items() if value is not None}, "")
        data += whole.text.body.encode()
    for filled in (_with_gaps(whole.data, data), data):
        file = memory_file.read(whole.path, filled, mixed=mixed)
        if isinstance(file, MemoryFile) and file.text.body == whole.text.body:
            return filled
    raise FormatError(
        f"{whole.path} names memories that are hidden from its recipients, and can't be written without these names",
        hint=f"memstore check fmt {shlex.quote(whole.path)} writes its frontmatter in the usual way",
    )


def _edit(name: str, before: Any, after: Any) -> splice.Edit:
    if isinstance(before, list) and isinstance(after, list) and all(isinstance(one, str) for one in before):
        return splice.RemoveItems(name, tuple(one for one in before if one not in after))
    return splice.RemoveKey(name) if after in (None, []) else splice.SetValue(name, after)


def _with_gaps(before: bytes, after: bytes) -> bytes:
    """Return a file with empty lines in place of those that were removed, so that the others keep their numbers."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    made: list[bytes] = []
    for _, start, end, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        made += new[first:last] + [b"\n"] * max(0, (end - start) - (last - first))
    return b"".join(made)


# -- share -----------------------------------------------------------------------------------------


def share(
    view: View,
    place: StackPlace,
    *,
    to: str,
    name: str | None = None,
    acknowledge: bool = False,
    dry_run: bool = False,
) -> SharedStack:
    """Write a new repository of what somebody may see of the vault, and record that.

    Args:
        view: the vault.
        place: where; a folder that is empty or doesn't exist.
        to: an entity, a group, or `*` for everybody.
        name: what the stack is called; None takes the folder's name.
        acknowledge: whether titles and aliases of hidden memories may occur in its texts; ids and paths never may.
        dry_run: only say what would be shared.

    Raises:
        LockedError: somebody else has shared under this name in the meantime.
        RefusedError: somebody other than the vault's owner asks, the folder is not empty, the recipient may see
            nothing, or the copy would name something hidden.
        UsageError: the recipient can't read, or the name is none or taken.
    """
    view.require_owner()
    place.require_free()
    to = EVERYBODY if to == EVERYBODY_SPELLED else to
    name = name or place.folder.name
    if not is_stack_name(name):
        raise UsageError(
            f"{name!r} can't be the name of a stack",
            hint="--name NAME: letters from a to z, digits, dots, dashes, underscores",
        )
    known = _latest(view).get(name)
    plan = _plan(view, _id_for(view, name, to, known), name, to)
    _require_something(plan)
    notes = tuple("; ".join(filter(None, note)) for note in unknown_grantees(view, view.of(RIGHTS).registries, [to]))
    if dry_run:
        return _result(plan, place, None)._replace(notes=notes)
    commit = _write(view, place, plan, known, acknowledge=acknowledge)
    return _result(plan, place, commit)._replace(notes=notes)


def _id_for(view: View, name: str, to: str, known: AuditEvent | None) -> str:
    """Return the id of a new stack; one that was recorded, and is nowhere on this machine, keeps its id.

    Raises:
        UsageError: another stack has this name.
    """
    if known is None:
        return audit.new_id(view, "stk_")
    if to not in texts_of(known.about.get("to")) or name in view.of(STACK_FOLDERS).shared():
        raise UsageError(
            f"a stack was shared as {name} before", hint=f"memstore share --update {name}, or --name another"
        )
    return texts_of(known.about.get("stack"))[0]


def _require_something(plan: _Plan) -> None:
    if not plan.stack.memories:
        raise RefusedError(
            f"{plan.stack.to} may see nothing in this vault",
            hint=f"memstore privacy grant REF --to {plan.stack.to}, or memstore privacy audit --entity {plan.stack.to}",
        )


def _result(plan: _Plan, place: StackPlace, commit: str | None, *, before: Stack | None = None) -> SharedStack:
    now = {one.path: one.file for one in plan.stack.memories}
    old = {one.path: one.file for one in before.memories} if before else {}
    return SharedStack(
        plan.stack,
        str(place.folder),
        commit,
        new=tuple(sorted(now.keys() - old.keys())),
        changed=tuple(sorted(path for path in now.keys() & old.keys() if now[path] != old[path])),
        withdrawn=tuple(sorted(old.keys() - now.keys())),
        nameless=plan.nameless,
        sealed=plan.sealed,
    )


def _write(
    view: View,
    place: StackPlace,
    plan: _Plan,
    known: AuditEvent | None,
    *,
    acknowledge: bool,
    follows: bool = False,
) -> str:
    """Make the stack beside its place, search all of it, record that it is shared, and put it into its place.

    Args:
        view: the vault.
        place: where.
        plan: what is in it.
        known: the last event of its name when it was planned.
        acknowledge: as for `share`.
        follows: whether it is one more commit of the stack that is there.

    Raises:
        LockedError: that is no longer the last event.
    """
    plan = plan._replace(stack=senders.signed(plan.stack, view.of(SIGNATURES)))
    with place.draft(follows=follows) as draft:
        commit = _drafted(draft, plan)
        overridden = _require_discretion(view, plan, draft, acknowledge=acknowledge)
        draft.sync()
        with view.locked():
            if _latest(view).get(plan.stack.name) != known:
                raise LockedError(
                    f"somebody else has just shared {plan.stack.name}; nothing was shared",
                    hint="memstore share --list shows what was",
                )
            _record(view, plan, known, overridden, _handing_out(view, place, draft, plan.stack.name))
    return commit


def _handing_out(view: View, place: StackPlace, draft: UnfinishedStack, name: str) -> Act:
    """Return the act that puts a stack into its place, and notes on this machine where that is."""

    def hand_out() -> None:
        view.of(STACK_FOLDERS).share(name, str(place.folder))
        draft.finish()

    return Act(hand_out, draft.manifest, keeps=(view.of(STACK_FOLDERS).place,))


def _drafted(draft: UnfinishedStack, plan: _Plan) -> str:
    made = plan.stack
    at = datetime.fromisoformat(made.at)
    return draft.write(plan.all_files, f"Share {made.name}\n", by=made.by, at=at, saved=plan.saved)


def _record(view: View, plan: _Plan, before: AuditEvent | None, overridden: Sequence[Disclosure], act: Act) -> None:
    made = plan.stack
    ids = [one.id for one in made.memories if one.id]
    replaces = before and texts_of(before.about.get("digest"))
    audit.append(
        view,
        EVENT,
        act,
        stack=made.id,
        name=made.name,
        to=made.to,
        ids=ids,
        digest=made.digest,
        replaces=replaces or None,
        acknowledged=_ids_of(view, {one.name.path for one in overridden}),
    )


def _ids_of(view: View, paths: set[str]) -> list[str]:
    """Return the ids of memories, and the paths of what has none."""
    rows = (row for row in view.whole.rows if paths)
    ids = {view.column("path")[row]: view.column("id")[row] for row in rows}
    return sorted(ids.get(path) or path for path in paths)


def _require_discretion(
    view: View, plan: _Plan, draft: UnfinishedStack, *, acknowledge: bool
) -> tuple[Disclosure, ...]:
    """Raise if anything in a finished stack names something hidden; return what the owner acknowledges."""
    disclosed = _disclosed(view, plan, draft)
    found = tuple(one for one in disclosed if one.name.is_exact or not acknowledge)
    if not found:
        return disclosed
    named = [f"  {one.place} has the {one.name.kind} of {one.name.path}: {one.name.text}" for one in found[:10]]
    more = [f"  … and {len(found) - 10} more"] if len(found) > 10 else []  # noqa: PLR2004 -- as many as are shown
    exact = any(one.name.is_exact for one in found)
    raise RefusedError(
        "\n".join(
            [f"nothing was shared: the copy for {plan.stack.to} would name what they may not see:", *named, *more]
        ),
        hint="reword these memories, or don't share them"
        + ("" if exact else "; where the words say nothing about the hidden ones: --acknowledge"),
    )


def _disclosed(view: View, plan: _Plan, draft: UnfinishedStack) -> tuple[Disclosure, ...]:
    paths = {one.path for one in plan.stack.memories}
    texts = {path: data for path, data in plan.files.items() if path in paths}
    opened = ((path, view.whole.read(path)) for path in sorted(paths) if is_sealed_path(path))
    return disclosures(HiddenNames(view, paths, texts), chain(draft.contents(), opened))


# -- what was shared -------------------------------------------------------------------------------


def _latest(view: View) -> dict[str, AuditEvent]:
    """Return the last event of each stack, by its name; within a second, the one that no other replaces."""
    found: dict[str, list[AuditEvent]] = {}
    for event in audit.audit_trail(view):
        if event.event == EVENT and (names := texts_of(event.about.get("name"))):
            found.setdefault(names[0], []).append(event)
    return {name: _last(events) for name, events in found.items()}


def _last(events: Sequence[AuditEvent]) -> AuditEvent:
    at_once = [event for event in events if event.at == events[0].at]
    replaced = {digest for event in at_once for digest in texts_of(event.about.get("replaces"))}
    return next((one for one in at_once if replaced.isdisjoint(texts_of(one.about.get("digest")))), events[0])


def shared_stacks(view: View) -> tuple[SharedState, ...]:
    """Return the stacks that were shared from the vault, by name, each compared with what its recipients may see now.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
    """
    view.require_owner()
    return tuple(_state(view, name, event) for name, event in sorted(_latest(view).items()))


def withdrawn(view: View) -> dict[str, int]:
    """Return how many memories of stacks on this machine their recipients may see no longer, by the stacks' names.

    This is cheap enough for every `status`: no file is opened. For anybody but the vault's owner it is empty.
    """
    here = view.of(STACK_FOLDERS).shared() if view.is_owners else {}
    found: dict[str, int] = {}
    for name, event in (_latest(view) if here else {}).items():
        if name in here and (gone := {*texts_of(event.about.get("ids"))} - _seen_ids(view, event)):
            found[name] = len(gone)
    return found


def _seen_ids(view: View, event: AuditEvent) -> set[str]:
    """Return the ids of all memories that the recipients of a stack may see now."""
    to = "".join(texts_of(event.about.get("to")))
    now = view.clock.now()
    try:
        members = _recipients(view, to, now)
    except UsageError:
        return set()
    seen = view.of(RIGHTS).seen_by(
        [member.id for member in members] or viewers(Stack(id="", name="", by="", to=to, at=""), now)
    )
    ids = seen.column("id")
    return {ids[row] for row in seen.rows}


def _state(view: View, name: str, event: AuditEvent) -> SharedState:
    def text(key: str) -> str:
        return next(iter(texts_of(event.about.get(key))), "")

    before = {*texts_of(event.about.get("ids"))}
    try:
        made = _plan(view, text("stack"), name, text("to")).stack
    except UsageError:  # nobody is left in the group
        now, is_same = set[str](), False
    else:
        now, is_same = {one.id for one in made.memories if one.id}, made.digest == text("digest")
    folder = view.of(STACK_FOLDERS).shared().get(name)
    return SharedState(
        name,
        text("to"),
        event.at,
        folder,
        new=tuple(sorted(now - before)),
        withdrawn=tuple(sorted(before - now)),
        changed=not is_same and now == before,
        is_missing=view.of(STACK_FOLDERS).is_gone(name),
    )


def update(
    view: View,
    target: str,
    open_place: Callable[[str], StackPlace],
    *,
    acknowledge: bool = False,
    dry_run: bool = False,
) -> SharedStack:
    """Bring a shared stack up to date: one more commit, or where something was withdrawn, a new history.

    Args:
        view: the vault.
        target: the stack's name, or its folder.
        open_place: returns the place of a folder.
        acknowledge: as for `share`.
        dry_run: only say what would change.

    Raises:
        NotFoundError: no stack of this name was shared from here.
        RefusedError: as for `share`, or the folder's stack is another vault's.
    """
    view.require_owner()
    place = open_place(_folder_of(view, target))
    if is_stack_name(target) and target not in _latest(view) and not place.folder.exists():
        raise NotFoundError(f"no stack was shared as {target}", hint="memstore share --list shows what was")
    name = _name_of_missing(view, place)
    if name is not None:
        return _made_anew(view, place, name, acknowledge=acknowledge, dry_run=dry_run)
    before = place.stack()
    known = _latest(view).get(before.name)
    if known is None or before.id not in texts_of(known.about.get("stack")):
        raise RefusedError(
            f"{place.folder} was not shared from this vault", hint="memstore share --list shows what was"
        )
    plan = _plan(view, before.id, before.name, before.to)
    differs = plan.stack.digest != before.digest or senders.needs_signature(before, view.of(SIGNATURES))
    found = _result(plan, place, None, before=before)._replace(differs=differs)
    if dry_run:
        return found
    if not found.differs:
        view.of(STACK_FOLDERS).share(before.name, str(place.folder))  # somebody may have moved it
        return found
    masked = {one.path for one in before.memories if one.withheld}
    is_narrower = bool(found.withdrawn) or any(one.withheld and one.path not in masked for one in plan.stack.memories)
    rewritten = is_narrower or not _may_follow(view, place, plan)
    commit = _write(view, place, plan, known, acknowledge=acknowledge, follows=not rewritten)
    return found._replace(commit=commit, rewritten=rewritten)


def _name_of_missing(view: View, place: StackPlace) -> str | None:
    """Return the name of the stack that was shared into a folder which is gone; None if it is there, or none was.

    Somebody deleted it, or an update was killed where the file system can't exchange two folders in one step.
    """
    shared = view.of(STACK_FOLDERS).shared() if not place.folder.exists() else {}
    return next(
        (name for name, folder in shared.items() if folder == str(place.folder) and name in _latest(view)), None
    )


def _made_anew(view: View, place: StackPlace, name: str, *, acknowledge: bool, dry_run: bool) -> SharedStack:
    """Write a stack again whose folder is gone."""
    known = _latest(view)[name]
    about = known.about
    plan = _plan(view, texts_of(about.get("stack"))[0], name, texts_of(about.get("to"))[0])
    if dry_run:
        return _result(plan, place, None)
    place.require_free()
    commit = _write(view, place, plan, known, acknowledge=acknowledge)
    return _result(plan, place, commit)._replace(rewritten=True)


def _may_follow(view: View, place: StackPlace, plan: _Plan) -> bool:
    """Whether one more commit leaves nothing hidden in the history of a stack."""
    with place.draft(follows=True) as draft:
        return not any(one.name.is_exact for one in _disclosed(view, plan, draft))


def _folder_of(view: View, target: str) -> str:
    known = view.of(STACK_FOLDERS).shared()
    if target in known:
        return known[target]
    if is_stack_name(target) and target in _latest(view):
        raise NotFoundError(
            f"where the stack {target} is, is not known on this machine", hint="memstore share --update DIR"
        )
    return target
