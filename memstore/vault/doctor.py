"""Check that everything a vault relies on works, and fix what needs no judgement."""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from memstore.access import RIGHTS
from memstore.access.audience import members_of
from memstore.core.config import how_to_declare
from memstore.core.errors import GitError, MemstoreError, RefusedError
from memstore.core.ids import is_group
from memstore.core.places import RegistryKind, is_sealed_path
from memstore.core.times import instant
from memstore.files.draft import without_notes
from memstore.history import HISTORY, WORK_TREE
from memstore.history.git_hooks import DRIVER
from memstore.history.history import HookState
from memstore.search import USAGE
from memstore.trust import PINS, SEAL_KEYS, SIGNATURES
from memstore.trust.keyring import ALLOWED_SIGNERS, COMMIT_NAMESPACE
from memstore.vault.init import (
    ATTRIBUTES_LINE,
    ATTRIBUTES_PATH,
    FORMER_ATTRIBUTES,
    MIXED_ATTRIBUTES_LINE,
    UNKEPT_HINT,
    unkept_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from memstore.core.view import View
    from memstore.trust.keyring import Keyring, Signer
    from memstore.vault.surroundings import Machine

OLDEST_PYTHON = (3, 11)
OLDEST_GIT = (2, 31)  # the first that takes its configuration from the environment (GIT_CONFIG_COUNT)
# Clocks of machines that share a disk differ slightly.
TOLERATED_SECONDS = 120


class DoctorVerdict(Enum):
    """The result of one check."""

    OK = "ok"
    FIXED = "fixed"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Check:
    """One check: what was found, and what to do about it."""

    name: str
    verdict: DoctorVerdict
    text: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All checks."""

    checks: tuple[Check, ...]

    @property
    def is_well(self) -> bool:
        """Whether there are no errors."""
        return all(check.verdict is not DoctorVerdict.ERROR for check in self.checks)


def doctor(around: Machine, open_vault: Callable[[], View], *, fix: bool) -> Diagnosis:
    """Return the state of the vault and its surroundings.

    Args:
        around: the machine.
        open_vault: opens the vault; if it fails, that is reported, too.
        fix: fix what needs no judgement.
    """
    checks = [_python(around), *_other_memstore(around), _git(around), _settings(around)]
    if checks[-1].verdict is DoctorVerdict.ERROR:
        return Diagnosis(tuple(checks))  # the settings may say which vault, and who looks
    try:
        view = open_vault()
    except MemstoreError as error:
        return Diagnosis((*checks, Check("vault", DoctorVerdict.ERROR, str(error), error.hint)))
    checks.append(Check("vault", DoctorVerdict.OK, f"{view.root}, of {view.config.owner}, seen by {view.actor}"))
    checks += _group_owner(view)
    if view.of(HISTORY).repository is not None:
        checks += [_repository(view), _identity(view), *hook_checks(view, fix=fix), *_remotes(view)]
        checks += _guards(view)
        checks += _unkept(view)
        checks.append(_attributes(around, mixed=view.config.mixed, fix=fix))
    else:
        hint = f"memstore init {view.root}"
        checks.append(Check("repository", DoctorVerdict.ERROR, "the vault is not in a git repository", hint))
    checks += [_index(view), _cache(around, fix=fix), _usage(view)]
    checks += _signing_key(view)
    if view.is_owners:  # the following checks name files regardless of their owner
        checks += [_keyring(view), _clocks(view), *_sealing_keys(view), *_drafts(view, around, fix=fix)]
        checks.append(_left_behind(around, fix=fix))
    return Diagnosis(tuple(checks))


def _python(around: Machine) -> Check:
    version = ".".join(map(str, around.python))
    if around.python < OLDEST_PYTHON:
        return Check("python", DoctorVerdict.ERROR, f"{version} is too old", "install Python 3.11 or later")
    return Check("python", DoctorVerdict.OK, version)


def _other_memstore(around: Machine) -> Iterator[Check]:
    """Yield a warning if another project's `memstore`, which uses the same command and package, is installed."""
    version = around.other_memstore()
    if version is not None:
        text = f"memstore {version} is also installed, and is another project: this one is memstore-vault"
        hint = "pip uninstall memstore; pip install --force-reinstall memstore-vault"
        yield Check("distribution", DoctorVerdict.WARNING, text, hint)


def _git(around: Machine) -> Check:
    version = around.git()
    if version is None:
        return Check("git", DoctorVerdict.ERROR, "git is not installed, or does not run", "install git 2.31 or later")
    shown = ".".join(map(str, version))
    if version < OLDEST_GIT:
        return Check("git", DoctorVerdict.ERROR, f"{shown} is too old", "install git 2.31 or later")
    return Check("git", DoctorVerdict.OK, shown)


def _settings(around: Machine) -> Check:
    try:
        file = around.settings()
    except MemstoreError as error:
        return Check("settings", DoctorVerdict.ERROR, str(error), error.hint)
    for name, place in around.settings_astray().items():
        hint = f"memstore config --user {name} FILE sets another; memstore config --user --unset {name} removes it"
        return Check("settings", DoctorVerdict.WARNING, f"{file}: {name} is {place}, which does not exist", hint)
    return Check("settings", DoctorVerdict.OK, str(file) if file else "no user settings")


def _repository(view: View) -> Check:
    repository = view.of(HISTORY).require()
    where = f"{repository.root}, {repository.branch or 'no branch'}"
    if not view.is_owners:
        return Check(
            "repository", DoctorVerdict.OK, where
        )  # the commit's id changes with memories that they may not see
    if repository.head is None:
        return Check("repository", DoctorVerdict.OK, f"{where}, no commit yet")
    return Check("repository", DoctorVerdict.OK, f"{where} at {repository.head[:10]}")


def _unkept(view: View) -> Iterator[Check]:
    """Yield that no commit has the vault's settings, or the files that go with them."""
    if own := view.of(WORK_TREE).unkept():
        yield Check("own files", DoctorVerdict.WARNING, unkept_text(own), UNKEPT_HINT)


def _identity(view: View) -> Check:
    try:
        return Check("identity", DoctorVerdict.OK, view.of(HISTORY).identity())
    except GitError as error:
        return Check("identity", DoctorVerdict.WARNING, f"{error}; commits will fail", error.hint)


def hook_checks(view: View, *, fix: bool) -> Iterator[Check]:
    """Yield whether each of memstore's hooks is there or called, after installing it if that is to be fixed."""
    hooks = view.of(HISTORY).hooks
    for name, state in hooks.states().items():
        label = f"hook {name}"
        if state in (HookState.OURS, HookState.CALLING):
            yield Check(label, DoctorVerdict.OK, state.value)
        elif state is HookState.ABSENT and not fix and (name == DRIVER or not hooks.are_shared):
            yield Check(label, DoctorVerdict.WARNING, state.value, "memstore hooks install")
        else:
            try:
                hooks.install(name)
                yield Check(label, DoctorVerdict.FIXED, "installed now")
            except RefusedError as error:
                yield Check(label, DoctorVerdict.WARNING, str(error), error.hint)


def _group_owner(view: View) -> Iterator[Check]:
    """Yield who keeps a vault that a group owns, or that nobody does."""
    owner, world = view.config.owner, view.of(RIGHTS).registries
    if not is_group(owner) or (world.keepers and not view.is_owners):
        return
    if world.keepers:
        members = members_of(world, [owner], view.clock.now())
        count = f"{len(members)} member{'s' * (len(members) != 1)}"
        text = f"{owner}, with {count}; kept by {', '.join(sorted(world.keepers))}"
        yield Check("owner", DoctorVerdict.OK, text)
    else:
        text = (
            f"{owner} is a group without keepers: its members see what is granted to them, and nobody changes settings"
        )
        yield Check("owner", DoctorVerdict.WARNING, text, "memstore --as ENTITY init makes a member its keeper")


def _remotes(view: View) -> Iterator[Check]:
    """Yield whether it is declared who reads each remote: the pre-push hook refuses to push to any other."""
    if not view.is_owners:
        return
    for name, urls in sorted(view.of(HISTORY).push_urls().items()):
        label = f"remote {name}"
        declared = [view.config.declared(name, url) for url in urls or (name,)]
        if all(declared):
            who = {word for names in declared for known in names for word in view.config.remotes[known]}
            yield Check(label, DoctorVerdict.OK, f"read by {', '.join(sorted(who))}")
        else:
            what = "memories and the vault's own files can't" if view.config.mixed else "nothing can"
            text = f"it isn't known who can read it, so {what} be pushed there"
            yield Check(label, DoctorVerdict.WARNING, text, how_to_declare(name, view.config.owner))


def _guards(view: View) -> Iterator[Check]:
    """Yield what judges the commits of a vault that several people push to: it holds if any of these does."""
    remotes = sorted(view.of(HISTORY).push_urls())
    if not (is_group(view.config.owner) and view.of(RIGHTS).registries.keepers and view.is_owners and remotes):
        return
    states = view.of(HISTORY).hooks.states()
    there = (HookState.OURS, HookState.CALLING)
    lacking = [name for name, state in states.items() if name != DRIVER and state not in there]
    if lacking:
        text = f"this clone lacks {', '.join(lacking)}, so not all that leaves it is judged here"
        yield Check("guard here", DoctorVerdict.WARNING, text, "memstore hooks install")
    else:
        yield Check(
            "guard here", DoctorVerdict.OK, "this clone's hooks judge what it commits and pushes, if not skipped"
        )
    branch = view.of(HISTORY).require().branch or "main"
    for name in remotes:
        text = "whether memstore's pre-receive judges what others push can't be seen from a clone"
        hint = "on the server: memstore hooks install --pre-receive REPOSITORY"
        yield Check(f"guard of {name}", DoctorVerdict.OK, text, hint)
        text = "without that hook, only a check that a protected branch requires judges what others push"
        hint = f"in a pull request's checks: memstore check --against {name}/{branch}"
        yield Check(f"checks of {name}", DoctorVerdict.OK, text, hint)


def _attributes(around: Machine, *, mixed: bool, fix: bool) -> Check:
    """Check that git merges memories by key, leaves line ends alone, and does not restore removed lines.

    In a vault with notes of other programs, git may handle line ends.
    """
    lines = [line.split() for line in around.attributes().splitlines()]
    if any("merge=union" in words for words in lines):
        return Check(
            "attributes",
            DoctorVerdict.ERROR,
            f"merge=union in {ATTRIBUTES_PATH} brings back grants that were revoked",
            "remove it",
        )
    line = MIXED_ATTRIBUTES_LINE if mixed else ATTRIBUTES_LINE
    missing = [word for word in line.split() if not any(words[:1] == ["*.md"] and word in words for words in lines)]
    if not missing:
        text = "merges memories by key" if mixed else "merges memories by key, and keeps line ends as they are"
        return Check("attributes", DoctorVerdict.OK, f"{ATTRIBUTES_PATH} {text}")
    if not fix:
        hint = f"memstore doctor --fix adds the line {line}"
        return Check("attributes", DoctorVerdict.WARNING, f"{ATTRIBUTES_PATH} lacks {' '.join(missing)}", hint)
    around.add_attribute(line, instead_of=FORMER_ATTRIBUTES)
    return Check("attributes", DoctorVerdict.FIXED, f"added {line} to {ATTRIBUTES_PATH}")


def _index(view: View) -> Check:
    try:
        count = len(view.rows)
    except MemstoreError as error:
        return Check("index", DoctorVerdict.ERROR, str(error), error.hint or "memstore index rebuild")
    found = f"{count} {'memory' if count == 1 else 'memories'}"
    broken = len(view.broken) if view.is_owners else 0
    if broken:
        return Check(
            "index",
            DoctorVerdict.WARNING,
            f"{found}, {broken} {'file' if broken == 1 else 'files'} left out",
            "memstore check",
        )
    return Check("index", DoctorVerdict.OK, found)


def _cache(around: Machine, *, fix: bool) -> Check:
    shown = str(around.cache)
    if around.cache_is_private():
        return Check("cache", DoctorVerdict.OK, shown)
    if fix and around.make_cache_private():
        return Check("cache", DoctorVerdict.FIXED, f"others could write to {shown}; now they can't")
    return Check(
        "cache", DoctorVerdict.WARNING, f"others can write to {shown}, so it is not used", f"chmod 700 {shown}"
    )


def _usage(view: View) -> Check:
    """Report where uses are recorded: a person may want to read this file, or delete it."""
    path = view.of(USAGE).path
    there = path is not None and path.exists()
    return Check("usage", DoctorVerdict.OK, f"{path or 'nowhere'}{'' if there else ', nothing in it yet'}")


def _keyring(view: View) -> Check:
    """Report which keyring the user pinned and where, and whether the keys that count now derive from it."""
    from memstore.trust.read_keyring import read_keyring

    pin = view.of(PINS).commit
    told = f"pinned at {pin[:10]} in {view.of(PINS).place}" if pin else "unpinned"
    try:
        keyring, findings = read_keyring(view)
    except MemstoreError as error:
        return Check("keyring", DoctorVerdict.ERROR, f"{told}; {error}", error.hint)
    if keyring.unreadable:
        return Check("keyring", DoctorVerdict.ERROR, f"{told}; {findings[0].text}", findings[0].hint)
    if findings:
        more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
        return Check("keyring", DoctorVerdict.WARNING, f"{told}; {findings[0].text}{more}", "memstore trust keys list")
    if pin is None:
        return _unpinned(view, keyring)
    return _pinned(told, keyring, view.clock.now())


def _unpinned(view: View, keyring: Keyring) -> Check:
    for folder, commit in view.of(PINS).astray().items():
        with suppress(MemstoreError):  # the pin is another vault's, which is gone
            view.of(HISTORY).resolve(commit)
            text = f"unpinned; but a commit of this history is pinned for {folder}, which does not exist"
            return Check(
                "keyring", DoctorVerdict.WARNING, text, f"memstore trust keys pin {commit[:10]}, if you moved the vault"
            )
    if not keyring.signers:
        return Check("keyring", DoctorVerdict.OK, "no key counts here yet")
    keys = _keys(_valid_keys(keyring), view.clock.now())
    text = f"{keys}, unpinned: whoever can write {ALLOWED_SIGNERS} decides whose count"
    return Check(
        "keyring", DoctorVerdict.OK, text, "compare the fingerprints with their holders, then memstore trust keys pin"
    )


def _pinned(told: str, keyring: Keyring, now: datetime) -> Check:
    held = _valid_keys(keyring)
    text = f"{told}; {_keys([one for one in held if one.pinned], now)}"
    if loose := sum(not one.pinned for one in held):
        text += f", {loose} not committed yet"
    if any(COMMIT_NAMESPACE in one.namespaces for one in held if one.pinned):
        return Check("keyring", DoctorVerdict.OK, text)
    hint = "memstore trust keys add ENTITY FILE.pub --keeper -c, then memstore trust keys pin"
    return Check("keyring", DoctorVerdict.WARNING, f"{text}; there is no keeper, so no change to it will count", hint)


def _valid_keys(keyring: Keyring) -> list[Signer]:
    return [one for one in keyring.signers if one.key.blob not in keyring.revoked]


def _keys(held: Sequence[Signer], now: datetime) -> str:
    """Say how many of these keys count now; one that is over counts for what is proved to be older."""
    count = sum(one.is_valid_at(now) for one in held)
    over = sum(one.valid_before is not None and one.valid_before <= now for one in held)
    text = f"{count} key{'' if count == 1 else 's'} count{'s' if count == 1 else ''}"
    text += f", {over} {'has' if over == 1 else 'have'} expired" if over else ""
    return text + (f", {early} not valid yet" if (early := len(held) - count - over) else "")


def _signing_key(view: View) -> Iterator[Check]:
    """Report that the key that the user signs with no longer counts here; whether it is there, the settings say."""
    from memstore.trust.read_keyring import read_keyring

    try:
        named = view.of(SIGNATURES).own_key
        if named is None:
            return
        key = view.of(SIGNATURES).public_key(named)
        keyring, _ = read_keyring(view)
    except MemstoreError:
        return
    now = view.clock.now()
    ends = [one.valid_before for one in keyring.signers if one.key == key and not one.authority]
    if keyring.is_revoked(key):
        why = "was revoked, so nothing that it signs counts"
    elif ends and all(end is not None and end <= now for end in ends):
        why = f"was retired, or has expired, on {instant(max(filter(None, ends)))}: what it signs now does not count"
    else:
        return
    hint = (
        f"memstore config --user signing_key FILE names another, signing_keys.{view.actor} one for {view.actor} alone"
    )
    yield Check("signing key", DoctorVerdict.WARNING, f"{named} {why}", hint)


def _clocks(view: View) -> Check:
    """Check that no file is dated in the future: later edits could go unnoticed, and dates would be wrong."""
    latest = (view.clock.now().timestamp() + TOLERATED_SECONDS) * 1e9
    ahead = sorted(stat.path for stat in view.whole.memory_files() if stat.mtime_ns > latest)
    if not ahead:
        return Check("clock", DoctorVerdict.OK, "no file is dated in the future")
    hint = "set the clock of the machine that wrote it, then `touch` the file"
    told = f"{len(ahead)} files are" if len(ahead) > 1 else "a file is"
    return Check("clock", DoctorVerdict.WARNING, f"{told} dated in the future, like {ahead[0]}", hint)


def _sealing_keys(view: View) -> Iterator[Check]:
    """Yield which contexts have no key here, and which keys here were made for a context that names another."""
    for file in view.of(RIGHTS).registry(RegistryKind.CONTEXT).values():
        if file is None:
            continue
        context, named = file.values["id"], file.values.get("sealing_key")
        if named and not view.of(SEAL_KEYS).has_context_key(named):
            text = f"{context} has the key {named}, which is not here: nothing that is sealed for it can be read here"
            hint = f"copy it to {view.of(SEAL_KEYS).context_place(named)}, or: memstore forget --shred {context}"
            yield Check("sealing keys", DoctorVerdict.WARNING, text, hint)
        for key in view.of(SEAL_KEYS).of_context(context):
            if key != named:
                place = view.of(SEAL_KEYS).context_place(key)
                text = f"{place} was made for {context}, which names {'another' if named else 'none'} in this vault"
                hint = f"if no other vault or copy needs it: rm {shlex.quote(str(place))}"
                yield Check("sealing keys", DoctorVerdict.WARNING, text, hint)


def _drafts(view: View, around: Machine, *, fix: bool) -> Iterator[Check]:
    """Yield which texts an editor left, above all the plain text of what is sealed by now."""
    ids, paths = view.column("id"), view.column("path")
    sealed = {ids[row]: paths[row] for row in view.rows if is_sealed_path(paths[row])}
    for place, data in around.drafts().items():
        found = re.search(rb"^id: *[\"']?([^\"'\s]+)", data, re.MULTILINE)
        memory_id = found[1].decode() if found else ""
        file = view.read(sealed[memory_id]) if memory_id in sealed else None
        if fix and file is not None and without_notes(data) == file.data:
            around.remove(place)
            yield Check("drafts", DoctorVerdict.FIXED, f"deleted {place}, which said nothing but {sealed[memory_id]}")
            continue
        what = f", and is the plain text of {sealed[memory_id]}, which is sealed" if memory_id in sealed else ""
        text = f"{place} is a draft that an editor left{what}"
        hint = f"take what you need of it, then: rm {shlex.quote(place)}"
        yield Check("drafts", DoctorVerdict.WARNING, text, hint)


def _left_behind(around: Machine, *, fix: bool) -> Check:
    found = around.left_behind()
    if not found:
        return Check("leftovers", DoctorVerdict.OK, "none")
    if not fix:
        text = f"{len(found)} temporary files of programs that were killed, like {found[0]}"
        return Check("leftovers", DoctorVerdict.WARNING, text, "memstore doctor --fix deletes them")
    for path in found:
        around.remove(path)
    return Check("leftovers", DoctorVerdict.FIXED, f"deleted {', '.join(found)}")
