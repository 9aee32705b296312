"""The guard of pushes: what would be sent may be read by everybody who reads the remote, or nothing is sent.

Every file that a commit of the push adds is judged by the vault as it is today, and by the registries of its own commit
if that has any: the narrower decision counts. Settings, groups and audit events go where all readers may know what
they name; everything else that is no memory is for the owner alone.
"""

from __future__ import annotations

import re
from functools import partial, reduce
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from memstore.access.audience import Readers, in_a_sentence, is_owner_alone, members_of, outsiders
from memstore.access.audit import SETTING_EVENT
from memstore.access.audit_events import read as audit_event
from memstore.access.audit_events import texts_of
from memstore.access.own_files import OwnFiles, events_in
from memstore.access.policy import both
from memstore.core import digests
from memstore.core.catalog import FileKind
from memstore.core.config import CONFIG_PATH, OWNER_ALONE, PUBLIC
from memstore.core.errors import TooLargeError, VaultError
from memstore.core.ids import is_group
from memstore.core.places import (
    ATTRIBUTES,
    IGNORE_FILE,
    MANIFEST,
    SETTINGS_FOLDER,
    RegistryKind,
    decides,
    is_audit_path,
    is_memory_path,
    is_original_path,
    is_own_path,
    kind_of,
)
from memstore.files.config_file import named_in_settings, words_typed
from memstore.files.plain_note import is_registry
from memstore.files.walk import rules_of
from memstore.history import git_objects
from memstore.history.outgoing import each_object, tree_of_commit
from memstore.trust.keyring import KEYRING_FILES
from memstore.vault.pushed_history import FormerMemories
from memstore.vault.pushed_names import NamedMemory, PushedNames, names_unknown_id, used_in
from memstore.vault.pushed_records import Records, says_no_more

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.access.world import BlobLabels, Decision, Labels, World
    from memstore.core.config import Config
    from memstore.files.disk_vault import DiskVault
    from memstore.files.walk import Rules
    from memstore.history.git_process import GitProcess
    from memstore.history.outgoing import Outgoing, RefUpdate, SentCommit, TreeChange
    from memstore.vault.pushed_blobs import Blobs
    from memstore.vault.pushed_charter import Charter
    from memstore.vault.pushed_names import FoundName
    from memstore.vault.pushed_signatures import Verify
    from memstore.vault.pushed_stacks import PushedStacks


class PushRefusal(NamedTuple):
    """Why something may not be sent: the commit, tag or ref, the file if it is one, the reason, and its code.

    `memory` is the id of the hidden memory that is named, if it is known.
    """

    where: str
    path: str | None
    reason: str
    code: str
    memory: str = ""


class Today(NamedTuple):
    """The vault as it is today: its own files, the blobs of the files that could be memories, and its settings.

    `own_blobs` are the blobs of those own files that decide who may see what. `prefix` is its folder in the repository,
    with a slash at its end; empty at the top. `verify` says whether a signature is one over some bytes.
    """

    own: OwnFiles
    own_blobs: Mapping[str, str]
    files: Mapping[str, str]
    rules: Rules
    config: Config
    verify: Verify
    prefix: str = ""


def on_disk(
    vault: DiskVault, config: Config, blobs: Blobs, object_format: str, verify: Verify, prefix: str = ""
) -> Today:
    """Return a vault as its folder has it now, committed or not; what can't be read is denied."""
    paths = [CONFIG_PATH, *vault.registry_files(), *vault.audit_files()]
    own = {path: _bytes(vault, path) for path in paths}
    own |= {path: data for path in KEYRING_FILES if (data := _bytes(vault, path))}
    files = {}
    for path in [stat.path for stat in vault.memory_files()]:
        data = _bytes(vault, path)
        files[path] = digests.blob_id(data, object_format)
        blobs.give(files[path], path, data)
    rules = rules_of({IGNORE_FILE: _bytes(vault, IGNORE_FILE)}, mixed=False)
    decisive = {path: data for path, data in own.items() if _is_decisive(path)}
    if ignored := _bytes(vault, IGNORE_FILE):
        decisive[IGNORE_FILE] = ignored
    own_blobs = {path: digests.blob_id(data, object_format) for path, data in decisive.items()}
    return Today(OwnFiles(own, config.owner), own_blobs, files, rules, config, verify, prefix)


def _bytes(vault: DiskVault, path: str) -> bytes:
    try:
        return vault.stored(path)
    except TooLargeError as error:
        return error.beginning
    except VaultError:
        return b""


def in_tree(tree: Mapping[str, str], config: Config, blobs: Blobs, verify: Verify, prefix: str) -> Today:
    """Return a vault as a commit has it.

    Args:
        tree: the blobs of the commit's files, by path from the repository's top.
        config: the vault's settings in that commit.
        blobs: where what the memories say is kept.
        verify: whether a signature is one over some bytes.
        prefix: the vault's folder in the repository.
    """
    inside = {path.removeprefix(prefix): blob for path, blob in tree.items() if path.startswith(prefix)}
    rules = rules_of(blobs.bytes_of({IGNORE_FILE: inside.get(IGNORE_FILE, "")}), mixed=False)
    files = {path: blob for path, blob in inside.items() if is_memory_path(path, mixed=config.mixed)}
    files = {path: blob for path, blob in files.items() if not rules.leave_out(path)}
    blobs.read({blob: path for path, blob in files.items()})
    own = blobs.bytes_of({path: blob for path, blob in inside.items() if decides(path) or path in KEYRING_FILES})
    own_blobs = {path: blob for path, blob in inside.items() if _is_decisive(path)}
    return Today(OwnFiles(own, config.owner), own_blobs, files, rules, config, verify, prefix)


# -- the check -------------------------------------------------------------------------------------


def refusals(
    git: GitProcess,
    sent: Outgoing,
    moved: Sequence[RefUpdate],
    today: Today,
    audience: Sequence[str],
    blobs: Blobs,
    now: datetime,
    others: Collection[str] = (),
) -> Iterator[PushRefusal]:
    """Yield why parts of a push may not be sent.

    Args:
        git: the repository.
        sent: what would be sent.
        moved: how refs are moved there.
        today: the vault.
        audience: who reads the remote, as in the vault's settings; empty if nobody has said it: no memory goes.
        blobs: where what files say is kept.
        now: the time, UTC.
        others: the folders of other vaults in the repository, which have guards of their own.
    """
    if audience and is_owner_alone(audience, today.own.owner):
        return
    check = _Check(git, today, audience, blobs, now, others, sent.commits)
    yield from check.others(sent)
    for commit in sent.commits:
        yield from check.files(commit)
    yield from check.charter(sent, moved)
    yield from check.stacks(sent.commits)
    yield from check.texts(sent, [update.ref for update in moved if update.new])


def stack_refusals(
    git: GitProcess, sent: Outgoing, refs: Iterable[str], audience: Sequence[str], now: datetime
) -> Iterator[PushRefusal]:
    """Yield why parts of a push may not be sent from or to a repository of a shared stack, which has no registries.

    Args:
        git: the repository.
        sent: what would be sent.
        refs: the names of the refs that are written there.
        audience: who reads the remote.
        now: the time, UTC.
    """
    for update in sent.others:
        yield PushRefusal(update.ref, None, "it points to no commit", "push-no-memory")
    stacks = _pushed_stacks(git, audience, None, now)
    for commit in sent.commits:
        for change in commit.changes:
            if change.mode not in git_objects.REGULAR_FILES:
                yield PushRefusal(f"commit {commit.id[:10]}", change.path, "it is no file", "push-no-memory")
    yield from _of_stacks(stacks, [commit.id for commit in sent.commits], "")
    people = ((where, person) for person, where in sent.people.items())
    for where, text in [*sent.texts, *people, *((f"the ref {ref}", ref) for ref in refs)]:
        if names_unknown_id(text, stacks.ids):
            yield PushRefusal(where, None, "it names a memory that is not in the stack", "push-name")


def _pushed_stacks(git: GitProcess, audience: Sequence[str], world: World | None, now: datetime) -> PushedStacks:
    from memstore.vault.pushed_stacks import PushedStacks  # few pushes have any

    return PushedStacks(git, audience, world, now)


def _of_stacks(stacks: PushedStacks, commits: Sequence[str], prefix: str) -> Iterator[PushRefusal]:
    for commit in reversed(commits):
        yield from (PushRefusal(f"commit {commit[:10]}", *found) for found in stacks.faults(commit, prefix))


_KINDS = {"120000": "a link", "040000": "a folder without files"}


class _Check:
    """One check of a push, for one vault."""

    def __init__(
        self,
        git: GitProcess,
        today: Today,
        audience: Sequence[str],
        blobs: Blobs,
        now: datetime,
        others: Collection[str],
        commits: Sequence[SentCommit],
    ) -> None:
        self._git, self._today, self._blobs, self._now = git, today, blobs, now
        self._is_asked = bool(audience)
        self._audience = audience = audience or (PUBLIC,)
        self._others = tuple(folder for folder in others if folder != today.prefix)
        self._own: dict[str, Mapping[str, str]] = {}  # by commit
        self._readers_at: dict[frozenset[tuple[str, str]], Readers | None] = {}
        self._charters: dict[frozenset[tuple[str, str]], Charter | None] = {}
        self._left: dict[tuple[str | None, str], bool] = {}
        self._places: dict[str, str | None] = {}  # by path of the repository
        self._decide: dict[str, str | None] = {}
        # By all that decides, labels and own files by identity: most versions of a file have the same.
        self._refusals: dict[tuple[str, str, FileKind, tuple[str, ...], int, int], tuple[str, str] | None] = {}
        pushed = self._pushed = self._read_all(commits)
        held = _common_labels(blobs[blob].labels for blob in today.files.values())
        self._today_ids = held.keys()
        # A memory of the push may have been made from another one that is not in the vault today.
        self._held = _common_labels(blobs[blob].labels for blob in pushed) | held
        self._former = FormerMemories(git, commits, blobs, self._place, _ended(today.own, now))
        self._data = self._own_data(commits)
        world = today.own.world(self._held)
        self._readers = Readers(world, audience, now)
        self._world = world
        named = audience if PUBLIC in audience else (*audience, *self._readers.names)
        self._is_members = bool(world.keepers) and self._is_asked and not outsiders(world, self._readers.names, now)
        self._records = Records(world, frozenset(named) - {PUBLIC}, self._readers) if self._is_asked else None

    def _read_all(self, commits: Sequence[SentCommit]) -> Mapping[str, str]:
        """Read all files of a push that could be memories, and those that they replace; return a path of each blob."""
        wanted: dict[str, str] = {}
        for change in (one for commit in commits for one in chain(commit.since_first, *commit.since_others)):
            if path := self._place(change.path):
                if change.new and change.mode in git_objects.REGULAR_FILES:
                    wanted[change.new] = path
                if change.old:
                    wanted[change.old] = path
        self._blobs.read(wanted)
        return wanted

    # -- files ---------------------------------------------------------------------------------

    def files(self, commit: SentCommit) -> Iterator[PushRefusal]:
        """Yield the files that a commit adds and that not everybody may read."""
        own = self._own[commit.id] = self._own_files(commit)
        for change in commit.changes:
            said = self._blobs[change.new or ""]
            alike = change.path, change.mode, said.kind, said.names, id(said.labels), id(own)
            if alike not in self._refusals:
                is_all = self._today.config.mixed or self._is_members
                refused = self._refused_beside_notes if is_all else self._refused
                self._refusals[alike] = None if self._is_judged_elsewhere(own, change) else refused(commit, change)
            if found := self._refusals[alike]:
                yield PushRefusal(f"commit {commit.id[:10]}", change.path, *found)

    def charter(self, sent: Outgoing, moved: Sequence[RefUpdate]) -> Iterator[PushRefusal]:
        """Yield what in a push the charter of a shared vault doesn't allow to whoever made it."""
        if not self._world.keepers:
            return
        from memstore.vault.pushed_charter import Charter, CharterCheck  # few vaults have one

        check = CharterCheck(
            self._git, sent, moved, Charter(self._today.own, self._now, self._today.verify),
            self._charter_at, self._inside, self._blobs, self._now,
        )  # fmt: skip
        judged = self._judged(sent, moved)
        for commit in sent.commits:
            check.meet(commit)
            if commit.id in judged:
                continue
            for path, reason in check.faults(commit, partial(self._former.last_blob, commit)):
                yield PushRefusal(f"commit {commit.id[:10]}", path, reason, "push-charter")
        for update in moved:
            for path, reason in check.ref_faults(update, partial(tree_of_commit, self._git)):
                yield PushRefusal(update.ref, path, reason, "push-charter")

    def _judged(self, sent: Outgoing, moved: Sequence[RefUpdate]) -> frozenset[str]:
        """Return the commits that are there already, but in proposals: they were judged when they came.

        For new refs, a clone takes its remote branches for what is there, lest its hook refuse a new branch because of
        who has left. The server knows. What is new on a branch that is there is judged in any case.
        """
        new = [update for update in moved if not update.old]
        there = self._listed(*sent.known, *(("--exclude=*/propose/*", "--remotes") if new else ()))
        grown = [name for one in moved if one.old and one.new for name in (one.new, f"^{one.old}")] if new else []
        return there - (self._listed(*grown, *(f"^{one}" for one in sent.known)) if grown else frozenset())

    def _listed(self, *names: str) -> frozenset[str]:
        options = [name for name in names if name.startswith("--")]
        known = "".join(f"{name}\n" for name in names if name not in options)
        return frozenset(
            self._git.attempt("rev-list", "--stdin", *options, data=known.encode()).stdout.decode().split()
        )

    def _charter_at(self, commit: str) -> Charter | None:
        """Return the charter as of a commit; None if it has none of the group that owns the vault today."""
        from memstore.vault.pushed_charter import Charter

        own = self._own_at(commit)
        if (state := frozenset(own.items())) not in self._charters:
            found = Charter(self._read_own(own), self._now, self._today.verify) if CONFIG_PATH in own else None
            is_ours = found and found.world.keepers and found.world.owner == self._world.owner
            self._charters[state] = found if is_ours else None
        return self._charters[state]

    def _own_at(self, commit: str) -> Mapping[str, str]:
        if commit not in self._own:
            self._own[commit] = self._own_in_tree(commit)
        return self._own[commit]

    def _read_own(self, own: Mapping[str, str]) -> OwnFiles:
        return OwnFiles(self._blobs.bytes_of(own), self._today.own.owner)

    def stacks(self, commits: Sequence[SentCommit]) -> Iterator[PushRefusal]:
        """Yield why commits of shared stacks may not be sent, given that their memories may."""
        of_stacks = [commit.id for commit in commits if MANIFEST in self._own[commit.id]]
        if of_stacks:
            stacks = _pushed_stacks(self._git, self._audience, self._world, self._now)
            yield from _of_stacks(stacks, of_stacks, self._today.prefix)

    def others(self, sent: Outgoing) -> Iterator[PushRefusal]:
        """Yield the refs that point to no commit, but to what is no memory, or to one that not everybody may see."""
        for update in sent.others:
            if not self._today.config.mixed:
                reason = "it points to no commit, and what it points to is no memory"
                yield PushRefusal(update.ref, None, reason, "push-no-memory")
                continue
            name = update.new or ""
            listed = self._git.attempt("ls-tree", "-r", "-z", "--full-tree", name)
            paths = {blob: path for path, blob in git_objects.tree_files(listed.stdout)} or {name: "object.md"}
            self._blobs.read({blob: self._place(path) or "object.md" for blob, path in paths.items()})
            for blob, path in paths.items():
                said = self._blobs[blob]
                if said.labels and (found := self._denied(None, said.labels)):
                    yield PushRefusal(update.ref, path, *found)
                elif (
                    said.kind is FileKind.BROKEN or self._inside(path) is None or is_own_path(self._inside(path) or "")
                ):
                    yield PushRefusal(
                        update.ref, path, "it is no plain note, so it is for the owner alone", "push-no-memory"
                    )

    def _refused(self, commit: SentCommit, change: TreeChange) -> tuple[str, str] | None:
        if change.mode not in git_objects.REGULAR_FILES:
            return f"it is {_KINDS.get(change.mode, 'a submodule')}, and no memory", "push-no-memory"
        path = self._place(change.path)
        if path is None or self._left_out(commit, path):
            inside = self._inside(change.path)
            may_go = inside and is_own_path(inside) and not self._is_withheld(inside, change.new or "")
            return None if may_go else ("it is no memory, so it is for the owner alone", "push-no-memory")
        said = self._blobs[change.new or ""]
        if said.kind is FileKind.SEALED:
            return "it is sealed, and no key here opens it, so who may see it is unknown", "push-broken"
        if said.labels is None or said.kind is not FileKind.MEMORY:
            broken = said.kind is FileKind.BROKEN
            if said.kind is FileKind.PLAIN and self._all_see_notes():
                return None
            return (
                ("it can't be read, so who may see it is unknown", "push-broken")
                if broken
                else ("it is a plain note, which is for the owner alone", "push-no-memory")
            )
        return self._denied(commit, said.labels) or self._denied_by_another_id(change.path, said)

    def _refused_beside_notes(self, commit: SentCommit, change: TreeChange) -> tuple[str, str] | None:
        """Return why a file of a mixed vault may not go: plain notes and all other files are the repository's.

        Memories and what records who sees them are the vault's, and so is what was a memory before.
        """
        said = self._blobs.found.get(change.new or "")
        if change.mode in git_objects.REGULAR_FILES:
            if said and said.kind is FileKind.SEALED and not self._is_members:
                return "it is sealed, and no key here opens it, so who may see it is unknown", "push-broken"
            if said and said.kind is FileKind.BROKEN:
                return "it can't be read, so who may see it is unknown", "push-broken"
            if said and said.labels:
                return self._denied(commit, said.labels) or self._denied_by_another_id(change.path, said)
            inside = self._inside(change.path)
            if not inside or self._is_members:
                pass  # what records it is for its members, all of whom have it
            elif self._is_withheld(inside, change.new or "") and self._is_record(inside, change.new or ""):
                return "it is the vault's own, so it is for the owner alone", "push-no-memory"
        former = self._former.last(commit, change.path) if self._place(change.path) else None
        copies = self._former.copied(commit, change.new or "") if self._place(change.path) else ()
        for labels in (*filter(None, [former]), *copies):
            if found := self._denied(commit, labels):
                return f"it was a memory, and {found[0]}", "push-former" if found[1] == "push-hidden" else found[1]
        return None

    def _own_data(self, commits: Sequence[SentCommit]) -> Mapping[str, bytes | None]:
        """Return the bytes of the files of a push at places of the vault's own files, by blob; None if not here."""
        wanted = {
            change.new: inside
            for commit in commits
            for change in commit.changes
            if change.new and (inside := self._inside(change.path)) and is_own_path(inside)
        }
        return dict(self._blobs.texts(wanted))

    def _is_record(self, path: str, blob: str) -> bool:
        """Whether a file of a mixed vault is a record of the vault's, and not the repository's at such a place."""
        data = self._data.get(blob, b"")
        if data is None or path.startswith(f"{SETTINGS_FOLDER}/") or is_original_path(path):
            return True  # without its filter, nobody knows
        return is_registry(path, data) or (is_audit_path(path) and audit_event(path, data) is not None)

    def _is_withheld(self, path: str, blob: str) -> bool:
        """Whether one of the vault's own files names more than those may know who read the remote."""
        data = self._data.get(blob, b"")
        if data is None:  # a filter changed it that is not here
            return True
        if path in (IGNORE_FILE, ATTRIBUTES):
            return False
        if path == CONFIG_PATH:
            return not self._are_readers(named_in_settings(data, default_owner=self._today.own.owner))
        if not self._records:
            return True
        if is_audit_path(path) and (event := audit_event(path, data)) and event.event == SETTING_EVENT:
            words = [event.by, *(word for value in event.about.values() for word in words_typed(str(value)))]
            return not (says_no_more(event) and self._are_readers(words))
        return not self._records.may_go(path, data)

    def _are_readers(self, names: Iterable[str]) -> bool:
        """Whether these are nobody but the owner, those who read the remote, and groups of theirs."""
        known = {self._today.own.owner, OWNER_ALONE, PUBLIC, *self._readers.names, *self._audience}
        others = {*names} - known
        return not others or (self._records is not None and all(map(self._records.may_know, others)))

    def _denied(self, commit: SentCommit | None, labels: Labels) -> tuple[str, str] | None:
        if not self._is_asked:
            return "it is a memory, and it isn't known who can read there", "push-unasked"
        if denial := self._readers.denial(labels):
            return _hidden_from(denial), "push-hidden"
        held = self._held.get(labels.id)
        if held and held is not labels and held != labels and (denial := self._readers.denial(held)):
            where = "as it is today" if labels.id in self._today_ids else "by another of these commits"
            return f"{where}, {_hidden_from(denial)}", "push-hidden"
        readers = self._readers_of(commit) if commit else None
        if readers and (denial := readers.denial(labels)):
            return f"by that commit's registries, {_hidden_from(denial)}", "push-hidden"
        return None

    def _denied_by_another_id(self, path: str, said: BlobLabels) -> tuple[str, str] | None:
        """Return why a memory may not go that has, today, another id: what is at its path, and has one of its names.

        An id that the vault has today is that of a memory that was moved, and something else is at its place.
        """
        here = self._blobs[self._today.files.get(self._place(path) or "", "")]
        if not (said.labels and here.labels) or said.labels.id in self._today_ids or not {*said.names} & {*here.names}:
            return None
        denial = self._readers.denial(here.labels)
        return (f"it has another id today, and {_hidden_from(denial)}", "push-hidden") if denial else None

    def _all_see_notes(self) -> bool:
        """Whether plain notes are for everybody who reads there; a group may be among those whom they are for."""
        named = {*self._today.config.notes_for}
        return {*self._readers.names} <= named | {*members_of(self._world, named, self._now)}

    def _inside(self, path: str) -> str | None:
        """Return a path of the repository from the vault's folder; None if it is outside."""
        prefix = self._today.prefix
        return path[len(prefix) :] if path.startswith(prefix) else None

    def _place(self, path: str) -> str | None:
        """Return a path of the repository from the vault's folder; None if it is no place for memories of the vault."""
        if path not in self._places:
            inside = self._inside(path)
            is_place = inside is not None and is_memory_path(inside, mixed=self._today.config.mixed)
            self._places[path] = inside if is_place else None
        return self._places[path]

    def _is_judged_elsewhere(self, own: Mapping[str, str], change: TreeChange) -> bool:
        """Whether a file is in another vault, or is beside the memories of a stack, whose manifest `stacks` asks."""
        if self._inside(change.path) is None and change.path.startswith(self._others):
            return True
        is_regular = change.mode in git_objects.REGULAR_FILES
        return MANIFEST in own and is_regular and self._place(change.path) is None

    def _left_out(self, commit: SentCommit, path: str) -> bool:
        """Whether the vault's ignore file excludes a path, today's or the commit's."""
        blob = self._own[commit.id].get(IGNORE_FILE)
        if (blob, path) not in self._left:
            rules = [self._today.rules]
            if blob and blob != self._today.own_blobs.get(IGNORE_FILE):
                rules.append(rules_of(self._blobs.bytes_of({IGNORE_FILE: blob}), mixed=False))
            self._left[blob, path] = any(one.leave_out(path) for one in rules)
        return self._left[blob, path]

    # -- the registries of a commit ------------------------------------------------------------

    def _own_files(self, commit: SentCommit) -> Mapping[str, str]:
        """Return the blobs of the vault's own files as of a commit that decide who sees what, by path."""
        first = next(iter(commit.parents), None)
        before = self._own_at(first) if first else {}
        changed = {
            path: change.new if change.mode in git_objects.REGULAR_FILES else None
            for change in commit.since_first
            if (path := self._decisive(change.path))
        }
        if not changed:
            return before
        return {path: blob for path, blob in {**before, **changed}.items() if blob}

    def _decisive(self, path: str) -> str | None:
        """Return a path of the repository from the vault's folder if it decides who sees what; None otherwise."""
        if path not in self._decide:
            inside = self._inside(path)
            self._decide[path] = inside if inside and _is_decisive(inside) else None
        return self._decide[path]

    def _own_in_tree(self, commit: str) -> Mapping[str, str]:
        listed = git_objects.tree_files(self._git.run("ls-tree", "-r", "-z", "--full-tree", commit))
        inside = ((self._inside(path), blob) for path, blob in listed)
        return {path: blob for path, blob in inside if path and _is_decisive(path)}

    def _readers_of(self, commit: SentCommit) -> Readers | None:
        """Return the readers by a commit's registries; None if it has none, as a stack, or today's decide the same."""
        own = self._own[commit.id]
        if CONFIG_PATH not in own or MANIFEST in own or own == self._today.own_blobs:
            return None
        state = frozenset(own.items())
        if state not in self._readers_at:
            world = self._read_own(own).world(self._held)
            # Whoever joined later has the whole history.
            is_same = self._is_members and world.owner == self._world.owner
            self._readers_at[state] = None if is_same else Readers(world, self._audience, self._now)
        return self._readers_at[state]

    # -- texts ---------------------------------------------------------------------------------

    def texts(self, sent: Outgoing, refs: Iterable[str]) -> Iterator[PushRefusal]:
        """Yield the messages, people, refs, notes and paths that name a memory which not everybody may see."""
        names, paths = self._pushed_names(sent), self._new_paths(sent)
        said = [*sent.texts, *self._notes(sent), *((where, person) for person, where in sent.people.items())]
        said += ((f"the ref {ref}", ref) for ref in refs)
        if not names.may_be_in([*(text for _, text in said), *paths]):
            return
        for path, (commit, is_memory) in paths.items():
            if found := names.in_path(path, also_short=is_memory or not self._today.config.mixed):
                yield _named(
                    f"commit {commit[:10]}", "its path reveals a memory that not everyone there may see", found, path
                )
        for where, text in said:
            if found := names.in_text(text):
                yield _named(where, _naming(found), found)

    def _pushed_names(self, sent: Outgoing) -> PushedNames:
        places = {**self._pushed, **{blob: path for path, blob in self._today.files.items()}}
        known = {(path, id(one.labels), one.names): NamedMemory(path, one.names, one.labels)
                 for blob, path in places.items() if (one := self._blobs[blob]).labels}  # fmt: skip
        others = [path for blob, path in places.items() if not self._blobs[blob].labels]
        tip = sent.commits[-1].id if sent.commits else None
        return PushedNames(known.values(), self._is_visible, others, used_in(self._git, tip))

    def _new_paths(self, sent: Outgoing) -> dict[str, tuple[str, bool]]:
        """Return the paths that come with a push, each with its commit and whether a memory is there."""
        return {
            change.path: (commit.id, self._blobs[change.new or ""].labels is not None)
            for commit in sent.commits
            for change in commit.changes
            if change.old is None
        }

    def _notes(self, sent: Outgoing) -> Iterator[tuple[str, str]]:
        """Yield the texts of git's notes, whose files are called by what they are about, of MEMORY.md and verdicts."""
        notes = {
            change.new: f"commit {commit.id[:10]}"
            for commit in sent.commits
            for change in commit.changes
            if change.new and (self._is_text(change.path) or _NOTE.fullmatch(change.path))
        }
        for blob, found in each_object(self._git, notes):
            yield notes[blob], found.data.decode(errors="replace")

    def _is_text(self, path: str) -> bool:
        is_verdict = not self._is_members and kind_of(self._inside(path) or "") is RegistryKind.VERDICT
        return is_verdict or path.endswith(("MEMORY.md", IGNORE_FILE))

    def _is_visible(self, labels: Labels) -> bool:
        held = self._held.get(labels.id, labels)
        return self._readers.denial(labels) is None and self._readers.denial(held) is None


_NOTE = re.compile(r"[0-9a-f]{2}(?:/?[0-9a-f]{2}){19,31}")


def _naming(found: FoundName) -> str:
    what = "it names a memory" if found.is_exact else "it has the title of a memory"
    return f"{what} that not everyone there may see"


def _named(where: str, reason: str, found: FoundName, path: str | None = None) -> PushRefusal:
    return PushRefusal(where, path, reason, "push-name" if found.is_exact else "push-text", found.memory)


def _ended(own: OwnFiles, now: datetime) -> frozenset[str]:
    """Return the ids of memories that their owner has made plain notes again."""
    may_end = {own.owner, *members_of(own.world({}), [own.owner], now)} if is_group(own.owner) else {own.owner}
    events = (event for event in events_in(own.files).values() if event.by in may_end)
    return frozenset(name for event in events for name in texts_of(event.about.get("unadopted")))


def _common_labels(found: Iterable[Labels | None]) -> dict[str, Labels]:
    """Return the labels of each id; of several, only what all of them would show."""
    held: dict[str, dict[Labels, None]] = {}
    for labels in {id(one): one for one in found}.values():  # most versions share them, and hashing takes time
        if labels and labels.id:
            held.setdefault(labels.id, {})[labels] = None
    return {memory_id: reduce(both, copies) for memory_id, copies in held.items()}


def _is_decisive(path: str) -> bool:
    """Whether a file counts for its own commit: settings, registries, manifest, what is no memory; audit is today's."""
    is_other = path in (IGNORE_FILE, MANIFEST, *KEYRING_FILES)
    return is_other or (decides(path) and not is_audit_path(path))


def _hidden_from(denial: Decision) -> str:
    named = in_a_sentence(denial.who)
    return f"{named} may not see it [{denial.code}]" if named else f"nobody else may see it [{denial.code}]"
