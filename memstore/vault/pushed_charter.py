"""Pushes of a shared vault: each commit is judged by who made it, by the charter as it was before.

The committer answers for a commit, and for what others made the keeper who merged it. Their key says who that is, or,
as long as they have none for commits, their git address, as the entities of the vault bind it. Nobody makes himself a
member or a keeper: rights are those of the state that a commit changes, and of the vault as it is today.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from memstore.access import registry
from memstore.access.audience import outsiders
from memstore.access.audit import revoked_grants
from memstore.access.audit_events import read as audit_event
from memstore.access.audit_events import texts_of
from memstore.access.own_files import events_in
from memstore.access.registry import RegistryFile
from memstore.access.world import Kind, Standings, kind_of
from memstore.core.config import CONFIG_PATH
from memstore.core.places import ATTRIBUTES, IGNORE_FILE, SETTINGS_FOLDER, RegistryKind, is_audit_path
from memstore.core.places import kind_of as registry_kind
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.files.plain_note import is_registry
from memstore.history.outgoing import PROPOSALS, TreeChange, objects
from memstore.vault.pushed_signatures import CommitKeys, SignedBy, signature_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.access.own_files import OwnFiles
    from memstore.access.world import Labels
    from memstore.history.git_process import GitProcess
    from memstore.history.outgoing import Outgoing, RefUpdate, SentCommit
    from memstore.vault.pushed_blobs import Blobs
    from memstore.vault.pushed_signatures import Verify

# A path, if it is a file's; and why the commit may not go.
Fault = tuple[str | None, str]

_ADDRESS = r"^%s .*<([^<>\n]*)> -?\d+ [+-]\d+$"
_AUTHOR, _COMMITTER = (re.compile((_ADDRESS % who).encode(), re.MULTILINE) for who in ("author", "committer"))
_KEPT = (RegistryKind.ENTITY, RegistryKind.GROUP, RegistryKind.CONTEXT)
# Records that nobody changes, and the key of whose word each is. Keepers record what others say, too.
_WHOSE = {RegistryKind.VERDICT: "judged_by", RegistryKind.CONSENT: "grantor", RegistryKind.REQUEST: "requested_by"}
_SAID = (RegistryKind.CONSENT, RegistryKind.REQUEST)


def is_kept(path: str) -> bool:
    """Whether keepers alone change the file at a path of the vault."""
    kind = registry_kind(path)
    is_settings = path in (ATTRIBUTES, IGNORE_FILE) or path.startswith(f"{SETTINGS_FOLDER}/")
    return kind in _KEPT or (is_settings and kind is None)


class Charter:
    """The charter in one state: who keeps and who is in the group that owns the vault, and whose addresses are whose.

    Members are in the group directly or through another.

    Args:
        files: the vault's own files in that state.
        at: the time, UTC.
        verify: whether a signature is one over some bytes.
    """

    def __init__(self, files: OwnFiles, at: datetime, verify: Verify) -> None:
        self.world = world = files.world({})
        standings = Standings(world, at, None)
        named = {one.id for members in world.groups.values() for one in members}
        self.members = frozenset(name for name in named if world.owner in standings.listener(name).member_of)
        self.keepers = world.keepers & self.members
        own = files.files.items()
        self.said = frozenset(one for one in own if one[0] == CONFIG_PATH or registry_kind(one[0]) in _KEPT)
        self.keys = CommitKeys(files.files, verify)
        self.addresses: dict[str, str] = {}
        self.controllers: dict[str, str] = {}
        for path, data in files.files.items():
            file = registry.read(path, RegistryKind.ENTITY, data) if registry_kind(path) is RegistryKind.ENTITY else ()
            if isinstance(file, RegistryFile):
                said, name = file.values, str(file.values["id"])
                if address := str(said.get("email") or "").casefold():
                    self.addresses[address] = "" if address in self.addresses else name  # of two, it is nobody's
                if controller := said.get("controller"):
                    self.controllers[name] = str(controller)


class Person(NamedTuple):
    """Who made a commit, as the vault binds addresses and keys; empty for nobody whom it knows, and `problem` why."""

    committer: str
    author: str
    address: str
    problem: str


class _Act(NamedTuple):
    """Who made a commit, by which charter: whose records they make, whose texts; and if a keeper answers for it."""

    charter: Charter
    who: Person
    acting: frozenset[str]
    mine: frozenset[str]
    is_keepers: bool


class CharterCheck:
    """The check of one push.

    Args:
        git: the repository.
        sent: what would be sent.
        moved: where it would be sent to.
        today: the charter of the vault as it is before the push.
        charter_at: returns the charter as of a commit; None if it has none.
        inside: returns a path of the repository from the vault's folder; None outside of it.
        blobs: what files say.
        now: the time, UTC.
    """

    def __init__(
        self,
        git: GitProcess,
        sent: Outgoing,
        moved: Sequence[RefUpdate],
        today: Charter,
        charter_at: Callable[[str], Charter | None],
        inside: Callable[[str], str | None],
        blobs: Blobs,
        now: datetime,
    ) -> None:
        self._git, self._today, self._inside, self._blobs = git, today, inside, blobs
        self._commits, self._known = sent.commits, sent.known
        self._charter_at, self._now = charter_at, now
        self._moved = moved
        self._objects = objects(git, (commit.id for commit in sent.commits))
        self._parents = {commit.id: commit.parents for commit in sent.commits}
        self._charter_of, self._signature_of = cache(self._made), cache(self._signature)
        self._members, self._keepers = today.members, today.keepers
        self._let_in()
        self._vouched = self._merged_by_keepers()
        self._brought: set[tuple[str, str | None]] = set()  # what keepers changed, by path and blob
        self._shared: set[tuple[str | None, str]] = set()  # memories that keepers granted, and to whom

    def meet(self, commit: SentCommit) -> None:
        """Note what a commit changes that its maker may; to be called for each, oldest first, before it is judged."""
        act = self._act(commit)
        if act.is_keepers:
            self._brought |= {(one.path, one.new) for one in (*commit.changes, *commit.since_first)}
            self._shared |= self._granted_in(commit)
        else:
            records = [(one, path) for one in _gone(commit) if (path := self._inside(one.path)) and _is_record(path)]
            self._brought |= {(one.path, None) for one, path in records if not [*self._of_record(one, path, act)]}

    def _act(self, commit: SentCommit) -> _Act:
        charter, who = self._charter_of(commit.id), self._person(commit)
        # The author's address is any word of the committer: it vouches for texts of others, and for no acts of theirs.
        acting = {who.committer}
        mine = acting | ({who.author} if self._is_member(charter, who.author) else set())
        for names in (acting, mine):
            names |= {name for name, controller in charter.controllers.items() if controller in names}
        is_keepers = commit.id in self._vouched or self._is_keeper(charter, who.committer)
        return _Act(charter, who, frozenset(acting), frozenset(mine), is_keepers)

    # -- one commit ----------------------------------------------------------------------------

    def faults(self, commit: SentCommit, blob_before: Callable[[str], str | None]) -> Iterator[Fault]:
        """Yield why a commit may not go; `blob_before` returns that of the last memory that was at a path before."""
        yield from self._of_records(commit)
        act = self._act(commit)
        charter, who = act.charter, act.who
        yield from self._of_vaults(commit, is_keepers=act.is_keepers)
        if commit.id in self._vouched or self._is_of_before(commit):
            return
        if not who.committer:
            yield None, who.problem
        elif not self._is_member(charter, who.committer):
            yield None, f"{who.committer} is no member"
        elif kind_of(charter.world, who.committer) is Kind.AGENT and commit.id not in self._proposed:
            yield None, f"{who.committer} is an agent: it pushes to {PROPOSALS}NAME, and a keeper merges that"
        else:
            yield from self._of_files(commit, act, blob_before)

    def _is_of_before(self, commit: SentCommit) -> bool:
        """Whether a commit is of before the charter, and has nothing of a vault: it is what git could push before.

        Where a charter is already, there is no such commit.
        """
        states = (*commit.parents[:1], commit.id)
        if any(self._charter_at(name) for name in states) or self._is_begun:
            return False
        places = ((self._inside(change.path) or ATTRIBUTES, change.new) for change in commit.changes)
        return not any(
            (is_kept(path) and path != ATTRIBUTES)
            or (new and (self._blobs[new].labels or self._recorded_by(path, new)))
            for path, new in places
        )

    @cached_property
    def _proposed(self) -> frozenset[str]:
        """The commits that would be on proposals alone."""
        elsewhere = [update.new for update in self._moved if update.new and not update.ref.startswith(PROPOSALS)]
        tips = self._git.run("rev-list", "--no-walk", *elsewhere).decode().split() if elsewhere else ()
        return frozenset(self._parents.keys() - self._reached(tips))

    def _reached(self, tips: Iterable[str], but: Collection[str] = ()) -> set[str]:
        """Return the commits of the push that some lead to, but for some and what only they lead to."""
        waiting, found = [*tips], set[str]()
        while waiting:
            if (name := waiting.pop()) in self._parents and name not in found and name not in but:
                found.add(name)
                waiting.extend(self._parents[name])
        return found

    @cached_property
    def _is_begun(self) -> bool:
        """Whether any commit has the charter that is there already."""
        return any(self._charter_at(name) for name in self._known)

    def _of_vaults(self, commit: SentCommit, *, is_keepers: bool) -> Iterator[Fault]:
        """Yield new settings of other vaults: the server would ask each of them about every push."""
        for change in commit.changes:
            inside = self._inside(change.path)
            is_new = change.new and not change.old and inside != CONFIG_PATH
            if is_new and f"/{change.path}".endswith(f"/{CONFIG_PATH}") and (inside or not is_keepers):
                yield change.path, "it would make a folder here a vault of its own, and stop all pushes"

    def _of_records(self, commit: SentCommit) -> Iterator[Fault]:
        """Yield the events, consents and requests that a commit changes or takes away, and verdicts that it changes."""
        for change in commit.since_first:
            inside = self._inside(change.path)
            if not inside or not change.old or change.new == change.old:
                continue
            if is_audit_path(inside):
                yield change.path, "it is a recorded audit event, which nobody changes"
            elif (
                (kind := registry_kind(inside))
                and (change.new or (kind in _SAID and inside not in self._taken_back(commit.since_first)))
                and self._recorded_by(inside, change.old)
            ):
                yield change.path, f"it is a {kind.name.lower()}, which nobody changes"

    def _taken_back(self, changes: Iterable[TreeChange]) -> frozenset[str]:
        """Return the consents that are gone and that whoever gave them took back by an event among the changes."""
        inside = [(path, one) for one in changes if (path := self._inside(one.path))]
        gone = {registry.expected_id(path, RegistryKind.CONSENT): (path, self._recorded_by(path, one.old))
                for path, one in inside if not one.new and registry_kind(path) is RegistryKind.CONSENT}  # fmt: skip
        new = {path: one.new for path, one in inside if gone and one.new and not one.old and is_audit_path(path)}
        back = [(name, event.by) for event in events_in(self._blobs.bytes_of(new)).values()
                for name in texts_of(event.about.get("withdrawn"))]  # fmt: skip
        return frozenset(gone[name][0] for name, by in back if name in gone and gone[name][1] == by)

    def _of_files(self, commit: SentCommit, act: _Act, blob_before: Callable[[str], str | None]) -> Iterator[Fault]:
        before = self._before(commit)
        for change in (*commit.changes, *_gone(commit)):
            inside = self._inside(change.path)
            if inside is None:
                continue
            if is_kept(inside):
                if not act.is_keepers:
                    yield change.path, f"{act.who.committer} is no keeper, and keepers alone change it"
            elif _is_record(inside):
                yield from self._of_record(change, inside, act)
            elif change.new and (labels := self._blobs[change.new].labels):
                here = blob_before(change.path)
                old = before.get(labels.id) or ([(inside, here)] if here and self._id(here) == labels.id else [])
                yield from self._of_memory(change, labels, self._granted(old), act)
                # Whoever begins a vault brings texts of others along.
                author = None if act.is_keepers and not commit.parents else self._author(inside, change.new)
                if author and author not in act.mine and author not in (self._author(*one) for one in old):
                    yield change.path, f"it says that {author} wrote it, and {act.who.address} is {act.who.committer}'s"

    def _of_record(self, change: TreeChange, inside: str, act: _Act) -> Iterator[Fault]:
        """Yield why a record may not be new, or a verdict gone: it is another's."""
        kind = registry_kind(inside)
        is_free = act.is_keepers and (kind in _SAID or not change.new)
        by = self._recorded_by(inside, change.new or (change.old if kind is RegistryKind.VERDICT else None))
        if by and by not in act.acting and not is_free:
            yield change.path, f"it records an act of {by}, and {act.who.address} is {act.who.committer}'s"

    def _before(self, commit: SentCommit) -> Mapping[str | None, Sequence[tuple[str, str]]]:
        """Return the memories that a commit changes as its parents have them, by id: their paths and blobs."""
        found: dict[str | None, list[tuple[str, str]]] = defaultdict(list)
        for change in chain(commit.since_first, *commit.since_others):
            if change.old and (name := self._id(change.old)) and (inside := self._inside(change.path)):
                found[name].append((inside, change.old))
        return found

    def _granted_in(self, commit: SentCommit) -> set[tuple[str | None, str]]:
        """Return the memories that a commit grants to somebody, and to whom."""
        before = self._before(commit)
        found = [labels for one in commit.changes if one.new and (labels := self._blobs[one.new].labels)]
        return {(one.id, name) for one in found for name in {*one.access_grants} - self._granted(before[one.id])}

    def _granted(self, files: Iterable[tuple[str, str]]) -> set[str]:
        return {name for _, blob in files if (found := self._blobs[blob].labels) for name in found.access_grants}

    def _of_memory(self, change: TreeChange, labels: Labels, granted_before: set[str], act: _Act) -> Iterator[Fault]:
        world = act.charter.world
        if labels.owner not in (None, world.owner) or labels.access_denies:
            yield change.path, f"it is narrower than {world.owner}, for whom this vault is"
        granted = outsiders(world, labels.access_grants, self._now) - granted_before
        if granted and not act.is_keepers:
            yield change.path, f"it is granted to {', '.join(sorted(granted))}, and keepers alone share what is here"

    def _author(self, path: str, blob: str) -> str | None:
        return self._said_in(path, blob)

    def _recorded_by(self, path: str, blob: str | None) -> str | None:
        """Return whose act or word a file records, if it records one."""
        return self._said_in(path, blob) if blob and _is_record(path) else None

    def _said_in(self, path: str, blob: str) -> str | None:
        if (path, blob) not in self._names:
            self._names |= self._names_in({blob: {path}})
        return self._names[path, blob]

    @cached_property
    def _names(self) -> dict[tuple[str, str], str | None]:
        """Whom the records and memories of the push name as theirs, all read at once."""
        wanted: dict[str, set[str]] = defaultdict(set)
        for change in (one for commit in self._commits for one in chain(commit.since_first, *commit.since_others)):
            for blob in (change.old, change.new):
                if blob and (path := self._inside(change.path)) and (_is_record(path) or self._blobs[blob].labels):
                    wanted[blob].add(path)
        return self._names_in(wanted)

    def _names_in(self, wanted: Mapping[str, Collection[str]]) -> dict[tuple[str, str], str | None]:
        texts = self._blobs.texts({blob: next(iter(paths)) for blob, paths in wanted.items()})
        found = {(path, blob): _named_in(path, data or b"") for blob, data in texts for path in wanted[blob]}
        return {(path, blob): found.get((path, blob)) for blob, paths in wanted.items() for path in paths}

    def _id(self, blob: str) -> str | None:
        labels = self._blobs[blob].labels
        return labels.id if labels else None

    # -- refs ----------------------------------------------------------------------------------

    def ref_faults(self, update: RefUpdate, own_at: Callable[[str], Mapping[str, str]]) -> Iterator[Fault]:
        """Yield why a ref may not be moved: commits would be taken back, or what only keepers change.

        A merge may take either side's file, so the ends are compared, too.
        """
        if update.old is None or update.ref.startswith(PROPOSALS):
            return
        words = ("merge-base", "--is-ancestor", update.old, update.new or "")
        if update.new is None or self._git.attempt(*words).returncode != 0:
            yield None, "it would take back commits that others have"
            return
        before, after = own_at(update.old), own_at(update.new)
        differ = [path for path in {*before, *after} if before.get(path) != after.get(path)]
        taken_back = self._taken_back([TreeChange(one, "", after.get(one), before.get(one)) for one in differ])
        for path in sorted(differ):
            inside = self._inside(path)
            if inside is None:
                continue
            if shared := ", ".join(sorted(self._shared_again(before.get(path), after.get(path), after))):
                yield path, f"it would be granted to {shared} again, which a keeper took back"
            elif (path, after.get(path)) in self._brought:
                continue
            elif is_kept(inside) or (is_audit_path(inside) and path in before):
                yield path, "it would be as it was before a keeper changed it"
            elif (by := self._recorded_by(inside, before.get(path))) and inside not in taken_back:
                yield path, f"it records an act of {by}, which nobody changes"

    def _shared_again(self, before: str | None, after: str | None, tree: Mapping[str, str]) -> set[str]:
        """Return who is granted a memory in the end, and neither was before nor by a keeper in this push."""
        old, new = (self._blobs[blob].labels if blob else None for blob in (before, after))
        if not (old and new and old.id == new.id):
            return set()
        granted = outsiders(self._today.world, {*new.access_grants} - {*old.access_grants}, self._now)
        revoked = self._revoked(tree).get(new.id or "", set()) if granted else set()
        return {name for name in granted if (new.id, name) not in self._shared or name in revoked}

    def _revoked(self, tree: Mapping[str, str]) -> Mapping[str, set[str]]:
        audit = {path: blob for one, blob in tree.items() if (path := self._inside(one)) and is_audit_path(path)}
        return revoked_grants(events_in(self._blobs.bytes_of(audit)).values())

    # -- who -----------------------------------------------------------------------------------

    def _made(self, commit_id: str) -> Charter:
        """Return the charter of the state that a commit changes: its first parent's, or else today's."""
        parents = self._parents[commit_id]
        return (self._charter_at(parents[0]) if parents else None) or self._today

    def _person(self, commit: SentCommit) -> Person:
        addresses = self._today.addresses | self._charter_of(commit.id).addresses  # who somebody is, not what they may
        head = self._objects[commit.id].data.partition(b"\n\n")[0]
        author, address = (_first(form, head) for form in (_AUTHOR, _COMMITTER))
        committer, problem = self._proven(commit, address, addresses.get(address.casefold(), ""))
        return Person(committer, addresses.get(author.casefold(), ""), address, problem)

    def _proven(self, commit: SentCommit, address: str, named: str) -> tuple[str, str]:
        """Return who made a commit: whose key signed it, or else whose address it has; empty, and why nobody."""
        charter = self._charter_of(commit.id)
        signed, known = self._signature_of(commit.id)
        if not signed.names:
            if named in known:
                return "", f"{address} is {named}'s, who signs their commits, and {signed.problem}"
            return named, "" if named else f"the vault doesn't know whose address {address} is"
        if not named:
            return min(signed.names), ""
        if signed.names & {named, charter.controllers.get(named)}:
            return named, ""
        return "", f"{address} is {named}'s, and a key of {min(signed.names)} signed it"

    def _signature(self, commit_id: str) -> tuple[SignedBy, frozenset[str]]:
        """Return whose key signed a commit, and who signs their commits, by its charter and by those that are there."""
        own = self._charter_of(commit_id).keys
        if not (own.holders or self._today.keys.holders):
            return SignedBy(), frozenset()
        known = own.holders.union(*(keys.holders for keys in self._keys_there))
        return signature_of(self._objects[commit_id], commit_id, own, self._keys_there, self._now), known

    @cached_property
    def _keys_there(self) -> Sequence[CommitKeys]:
        """The keys that the remote has: one that comes with this push says nothing of the commits before it."""
        charters = (self._charter_at(name) for name in self._known)
        return [*{id(one): one.keys for one in charters if one}.values()]

    def _let_in(self) -> None:
        """Count those whom keepers make members and keepers in this push, as if they were so today.

        What a keeper once changed in an older charter brings nobody back.
        """
        said = {self._today.said}
        for commit in self._commits:
            is_changed = any(is_kept(path) for one in commit.since_first if (path := self._inside(one.path)))
            if not (is_changed and self._is_keeper(self._charter_of(commit.id), self._person(commit).committer)):
                continue
            before = next(
                (found for one in commit.parents if (found := self._charter_at(one)) and found.said in said), None
            )
            if before and (after := self._charter_at(commit.id)):
                said.add(after.said)
                self._members |= after.members - before.members
                self._keepers |= after.keepers - before.keepers

    def _is_member(self, charter: Charter, entity: str) -> bool:
        """Whether somebody was a member before a commit, and has not left since."""
        return entity in charter.members and entity in self._members

    def _is_keeper(self, charter: Charter, entity: str) -> bool:
        return self._is_member(charter, entity) and entity in charter.keepers and entity in self._keepers

    def _merged_by_keepers(self) -> frozenset[str]:
        """Return the commits that a keeper merged: he answers for them."""
        found = set[str]()
        for commit in self._commits:
            if len(commit.parents) > 1 and self._is_keeper(self._charter_of(commit.id), self._person(commit).committer):
                found |= self._reached(commit.parents[1:], {*found, commit.parents[0]})
        return frozenset(found)


def _gone(commit: SentCommit) -> list[TreeChange]:
    """Return what a commit deletes; a merge deletes nothing by itself."""
    return [one for one in commit.since_first if one.new is None and len(commit.parents) < 2]  # noqa: PLR2004


def _is_record(path: str) -> bool:
    return is_audit_path(path) or registry_kind(path) in _WHOSE


def _named_in(path: str, data: bytes) -> str | None:
    """Return whose act or word a record is, or who wrote a memory."""
    kind = registry_kind(path)
    if is_audit_path(path):
        event = audit_event(path, data)
        return event.by if event else None
    if kind not in _WHOSE:
        memory = memory_file.read(path, data)
        return memory.memory.author if isinstance(memory, MemoryFile) else None
    file = registry.read(path, kind, data)
    if isinstance(file, RegistryFile):
        return file.values.get(_WHOSE[kind]) or None
    return "nobody who can be read" if is_registry(path, data) else None


def _first(form: re.Pattern[bytes], head: bytes) -> str:
    found = form.search(head)
    return found[1].decode(errors="replace") if found else ""
