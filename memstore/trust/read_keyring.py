"""Whose keys count in a vault: according to its files and, if the user pinned a commit, its keepers (docs/adr/0016).

The content of the pinned commit counts. After it, a change counts only in a commit signed by somebody whom the previous
keyring lists as a keeper: a line whose `namespaces=` includes `git`. So no change can admit itself. A line in the files
that doesn't count, or a missing one that still counts, is a finding.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memstore.access import RIGHTS, registry
from memstore.access.registry import RegistryFile
from memstore.core.digests import format_of
from memstore.core.errors import FormatError, GitError, MemstoreError, VaultError
from memstore.core.finding import Finding, Position
from memstore.core.finding_codes import finding_of
from memstore.core.ids import is_group
from memstore.core.places import RegistryKind
from memstore.core.times import moment
from memstore.history import HISTORY, git_objects
from memstore.history.revisions import bytes_at, true_objects
from memstore.trust import PINS, SIGNATURES, allowed_signers, sshsig
from memstore.trust.allowed_signers import keyring_of, lines_of, revoked_of, signers_of
from memstore.trust.keyring import (
    ALLOWED_SIGNERS,
    COMMIT_NAMESPACE,
    COMMIT_NAMESPACES,
    KEYRING_FILES,
    REVOKED_KEYS,
    Keyring,
    PublicKey,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from memstore.core.view import View
    from memstore.history.git_objects import GitObject
    from memstore.trust.keyring import Certificate, Signer
    from memstore.trust.sshsig import SshSignature


# Marks a line about an entity; no line of a file contains a line end.
_FACT = "\n"
FACTS = ("controller", "sponsor")


class KeyringFiles(NamedTuple):
    """The lines of allowed_signers and revoked_keys, without comments, as of one commit or the work tree.

    The signers include the facts about entities, because these count by the same rule.
    """

    signers: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()


class Counting(NamedTuple):
    """The lines that count as of one commit.

    `ended` are lines of allowed_signers that a keeper removed; `at` is when the last change that counts was made.
    """

    signers: frozenset[str] = frozenset()
    revoked: frozenset[str] = frozenset()
    ended: frozenset[str] = frozenset()
    at: datetime = datetime.min.replace(tzinfo=UTC)

    @property
    def facts(self) -> frozenset[str]:
        """The facts about entities that count; see `facts_of`."""
        return frozenset(line for line in self.signers if line.startswith(_FACT))

    @property
    def of_keys(self) -> Counting:
        """The same without the facts about entities."""
        return self._replace(signers=self.signers - self.facts)


class KeyringChange(NamedTuple):
    """One commit that changes the files, or joins branches.

    `follows` are the preceding commits among those that change the files. `before` is the content of the files in each
    of its actual parents, None if unknown; `after` is their content in this commit, and `at` when it was made, in UTC.
    """

    commit: str
    follows: tuple[str, ...]
    before: tuple[KeyringFiles, ...] | None
    after: KeyringFiles
    at: datetime


def counting(
    pinned: KeyringFiles,
    at: datetime,
    changes: Iterable[KeyringChange],
    *,
    is_by_keeper: Callable[[KeyringChange, Counting], bool],
) -> Counting:
    """Return the lines that count as of the last of some changes.

    Args:
        pinned: the files as of the commit that the user pinned.
        at: when that commit was made, in UTC.
        changes: all changes since, each after those that it follows; a commit not among them counts as the pinned one.
        is_by_keeper: whether a keeper signed a change, according to the lines that count before it.
    """
    base = Counting(frozenset(pinned.signers), frozenset(pinned.revoked), at=at)
    known: dict[str, Counting] = {}
    last = base
    for change in changes:
        joined = _merge_branches([known.get(commit, base) for commit in change.follows] or [base])
        last = _changed(joined, change) if is_by_keeper(change, joined) else joined
        known[change.commit] = last
    return last


def is_keeper(
    keyring: Keyring, key: PublicKey, certificate: Certificate | None, *, at: datetime, since: datetime
) -> bool:
    """Return whether a key may sign a change of the keyring.

    Args:
        keyring: what counts before the change.
        key: the key whose signature holds.
        certificate: the certificate that came with it, if any.
        at: when the change was made, according to its commit.
        since: when the last change that counts was made before it; an expired key can't be used to go back before that.
    """
    if keyring.unreadable or keyring.is_revoked(key, certificate) or at < since:
        return False
    lines = keyring.lines_for(key, certificate, COMMIT_NAMESPACE)
    return any(line.principals and line.is_valid_at(at) for line in lines)


def uncommitted(counts: Counting, committed: KeyringFiles, now: KeyringFiles) -> Counting:
    """Return the lines that count for somebody who changed the files and has not committed yet.

    Until a keeper commits it, nobody is let go: what was revoked stays revoked, and whoever had a controller has one.
    """
    new, gone = _difference([committed.signers], now.signers)
    barred, _ = _difference([committed.revoked], now.revoked)
    let_go = {line for line in gone if line.startswith(_FACT) and _fact(line)[1] == "controller"}
    return counts._replace(signers=counts.signers - (gone - let_go) | new, revoked=counts.revoked | barred)


def _merge_branches(branches: Sequence[Counting]) -> Counting:
    """Return what counts where branches are merged: whoever was removed or revoked on one branch stays so."""
    ended = frozenset[str]().union(*(branch.ended for branch in branches))
    return Counting(
        signers=frozenset[str]().union(*(branch.signers for branch in branches)) - ended,
        revoked=frozenset[str]().union(*(branch.revoked for branch in branches)),
        ended=ended,
        at=max(branch.at for branch in branches),
    )


def _changed(counts: Counting, change: KeyringChange) -> Counting:
    before = change.before or ()
    new, gone = _difference([files.signers for files in before], change.after.signers)
    barred, freed = _difference([files.revoked for files in before], change.after.revoked)
    return Counting(
        signers=counts.signers - gone | new,
        revoked=counts.revoked - freed | barred,
        ended=counts.ended - new | gone,
        at=change.at,
    )


def _difference(before: Sequence[Sequence[str]], after: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the lines that are new and those that are gone; a line that occurs more often than before is also new.

    A keeper admits a line that was added without one by writing it once more.
    """
    then = Counter[str]()
    for lines in before:
        then |= Counter(lines)
    now: Mapping[str, int] = Counter(after)
    new = frozenset(line for line, count in now.items() if count > then[line])
    return new, frozenset(line for line in then if line not in now)


# -- the keyring of a view -------------------------------------------------------------------------


# The files and folders whose changes need a keeper's signature to count.
_COUNTED = (*KEYRING_FILES, RegistryKind.ENTITY.value)


def is_counted(path: str) -> bool:
    """Return whether a change of a file needs a keeper's signature to count, if the vault is pinned."""
    return path in KEYRING_FILES or path.startswith(f"{RegistryKind.ENTITY.value}/")


def read_keyring(view: View) -> tuple[Keyring, tuple[Finding, ...]]:
    """Return whose keys count in this vault, and the problems of the files that determine it."""
    pin = view.of(PINS).commit
    (signers, no_signers), (revoked, no_revoked) = (_read(view, path) for path in KEYRING_FILES)
    keyring, findings = _of_files(view, pin, signers, revoked)
    if no_revoked:  # it might exclude somebody
        keyring = keyring._replace(unreadable=no_revoked[0].text)
    return keyring, (*no_signers, *no_revoked, *findings)


def _remembered(view: View, keyring: Keyring, revoked: Iterable[str]) -> Mapping[PublicKey, str]:
    """Remember the keys whose revocation counts; return those whose revocation the history lost, with a message.

    A revocation that a keeper undid in a later commit is not lost: the commit where it was seen is still in the
    history.
    """
    seen, head = view.of(PINS).revocations, view.of(HISTORY).head()
    for blob in revoked_of(_unnumbered(revoked))[0]:
        if (fingerprint := PublicKey("", blob).fingerprint) not in seen and head and not view.is_past:
            with suppress(MemstoreError, OSError):  # settings that can't be written are reported elsewhere
                view.of(PINS).saw_revoked(fingerprint, head)
    lost = [one for one in seen if not view.of(HISTORY).following(seen[one])]
    return {
        one.key: (
            f"{seen[one.key.fingerprint][:10]}, where {one.key.fingerprint} was revoked, is gone from the history: "
            "the revocation still counts"
        )
        for one in keyring.signers
        if one.key.fingerprint in lost and one.key.blob not in keyring.revoked
    }


def _read(view: View, path: str) -> tuple[bytes | None, tuple[Finding, ...]]:
    """Return the bytes of a file of the keyring, None if there are none, and why they can't be read."""
    try:
        return own_bytes(view, path), ()
    except VaultError as error:
        return None, (finding_of("key-unusable", path, str(error), error.hint or "put a plain file in its place"),)


def _of_files(view: View, pin: str | None, *now: bytes | None) -> tuple[Keyring, tuple[Finding, ...]]:
    """Return the keyring from the bytes of both files, None for none; if a commit is pinned, starting from that."""
    if pin is None:
        return allowed_signers.read(*now)
    try:
        counts, committed = _counting(view, pin)
    except GitError as error:
        return _lost(pin, error, now[0] or b"")
    entities = view.of(RIGHTS).registry(RegistryKind.ENTITY)
    files = _files(now, facts_of(entities))
    pinned = counts
    if not view.of(HISTORY).is_taking_in():  # otherwise the incoming commits are what is being reviewed
        counts = uncommitted(counts, committed, files)
    facts, told = counts.facts, tuple(of_facts(counts.facts, entities))
    keyring, findings = _keyring(pin, counts.of_keys, pinned.of_keys, now[0] or b"")
    stuck = _remembered(view, keyring, pinned.revoked)
    keyring = keyring._replace(revoked=keyring.revoked | {key.blob for key in stuck})
    told += tuple(finding_of("key-uncounted", REVOKED_KEYS, text, _BACK_HINT) for text in stuck.values())
    known = frozenset((entity, key, value) for entity, key, value in map(_fact, facts))
    return keyring._replace(facts=known), (*findings, *of_revocations(counts.revoked, lines_of(now[1] or b"")), *told)


def keeper_signature(view: View) -> Callable[[bytes], str] | None:
    """Return a function that signs commits changing a pinned vault's keyring; None if no key is available for it."""
    key = view.of(SIGNATURES).own_key
    return None if view.of(PINS).commit is None or key is None else _signing(view, key)


def member_signature(view: View) -> Callable[[bytes], str] | None:
    """Return a function that signs the actor's commits in a shared vault; None where they have no key for that."""
    key = member_key(view)
    return _signing(view, key) if key else None


def member_key(view: View) -> str | None:
    """Return the key with which the actor signs commits in a shared vault, if its keyring has one of theirs."""
    key = view.of(SIGNATURES).own_key if is_group(view.config.owner) else None
    signers = signers_of(lines_of(own_bytes(view, ALLOWED_SIGNERS) or b""))[0] if key else ()
    is_known = any(view.actor in one.principals and COMMIT_NAMESPACES & {*one.namespaces} for one in signers)
    return key if is_known else None


def _signing(view: View, key: str) -> Callable[[bytes], str]:
    return lambda data: sshsig.armoured(view.of(SIGNATURES).sign(data, namespace=COMMIT_NAMESPACE, key=key))


def own_bytes(view: View, path: str) -> bytes | None:
    """Return the bytes of a file of the vault's own; None if there is none.

    Raises:
        VaultError: the file exists but can't be read.
    """
    return view.own_file(path)


def _lost(pin: str, error: GitError, signers: bytes) -> tuple[Keyring, tuple[Finding, ...]]:
    """Return a keyring that vouches for nobody."""
    return Keyring(unreadable=str(error), pin=pin, uncounted=signers_of(lines_of(signers))[0]), (pin_lost(error),)


def _keyring(pin: str, counts: Counting, pinned: Counting, now: bytes) -> tuple[Keyring, tuple[Finding, ...]]:
    """Return the keyring of the lines that count, with their line numbers in the file."""
    written = lines_of(now)
    there = {line for _, line in written}
    numbered = [(number, line) for number, line in written if line in counts.signers]
    gone = counts.signers - there
    found, findings = keyring_of([*numbered, *_unnumbered(gone)], _unnumbered(counts.revoked))
    sure = {signer._replace(line=0) for signer in signers_of(_unnumbered(pinned.signers))[0]}
    signers = tuple(one._replace(pinned=one._replace(line=0) in sure) for one in found.signers)
    uncounted, _ = signers_of((number, line) for number, line in written if line not in counts.signers)
    told = of_keys(uncounted, signers)
    return found._replace(signers=signers, pin=pin, uncounted=uncounted), (*findings, *told)


def _unnumbered(lines: Iterable[str]) -> list[tuple[int, str]]:
    return [(0, line) for line in sorted(lines)]


# -- the commits since the pin -------------------------------------------------------------------


def _counting(view: View, pin: str) -> tuple[Counting, KeyringFiles]:
    """Return what counts as of the current commit, and the files as of that commit.

    Raises:
        GitError: the pinned commit is not in its history, or an object is missing or damaged.
    """
    head = view.of(HISTORY).head()
    walked = None if head is None else view.of(HISTORY).touching(_COUNTED, since=pin, until=head)
    if head is None or walked is None:
        raise GitError(
            f"the pinned commit {pin[:10]} is not in the history of the current one",
            hint="in a shallow clone run git fetch --unshallow; else compare the keys, then memstore trust keys pin",
        )
    first = true_objects(view, [pin, head, *(commit for commit, _ in walked)])
    above = {parent for commit, _ in walked for parent in git_objects.parents_of(first[commit])}
    commits = {**first, **true_objects(view, above - set(first))}
    read = bytes_at(view, commits, KEYRING_FILES)
    facts = _facts_at(view, commits)
    files = {commit: _files((read[commit, path] for path in KEYRING_FILES), facts[commit]) for commit in commits}
    counts = counting(
        files[pin],
        _made_at(first[pin]),
        [_change(commit, follows, first[commit], files) for commit, follows in walked],
        is_by_keeper=lambda change, before: _is_by_keeper(view, first[change.commit], change, before),
    )
    return counts, files[head]


def _files(data: Iterable[bytes | None], facts: Iterable[str]) -> KeyringFiles:
    said, barred = (tuple(line for _, line in lines_of(one or b"")) for one in data)
    return KeyringFiles((*said, *facts), barred)


def facts_of(entities: Mapping[str, RegistryFile | None]) -> tuple[str, ...]:
    """Return who controls and who sponsors whom, one per line, from the files of entities."""
    known = [file.values for file in entities.values() if file is not None]
    return tuple(f"{_FACT}{one['id']} {key} {one[key]}" for one in known for key in FACTS if one.get(key))


def _facts_at(view: View, commits: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the facts in the files of entities, for each of some commits."""
    folder = f"{RegistryKind.ENTITY.value}/"
    at = {
        commit: {path: blob for path, blob in view.of(HISTORY).own_files_at(commit).items() if path.startswith(folder)}
        for commit in commits
    }
    found = true_objects(view, {blob for files in at.values() for blob in files.values()})
    read = cache(lambda path, blob: registry.read(path, RegistryKind.ENTITY, found[blob].data))
    known = {
        commit: {
            path: file if isinstance(file := read(path, blob), RegistryFile) else None for path, blob in one.items()
        }
        for commit, one in at.items()
    }
    return {commit: facts_of(files) for commit, files in known.items()}


def _fact(line: str) -> tuple[str, str, str]:
    entity, key, value = line.removeprefix(_FACT).split(" ")
    return entity, key, value


def _change(commit: str, follows: tuple[str, ...], data: GitObject, files: Mapping[str, KeyringFiles]) -> KeyringChange:
    parents = git_objects.parents_of(data)
    before = tuple(files[parent] for parent in parents) if all(parent in files for parent in parents) else None
    return KeyringChange(commit, follows, before, files[commit], _made_at(data))


def _made_at(commit: GitObject) -> datetime:
    return moment(git_objects.committed_at(commit) or 0)


def _is_by_keeper(view: View, commit: GitObject, change: KeyringChange, before: Counting) -> bool:
    """Return whether somebody who was a keeper before a commit signed it; verified here, as git would run a program."""
    made = commit_signature(view.of(SIGNATURES).holds, commit, object_format=format_of(change.commit))
    if made is None or change.before is None:
        return False
    keyring, _ = allowed_signers.keyring_of(
        *(((0, line) for line in lines) for lines in (before.of_keys.signers, before.revoked))
    )
    return is_keeper(keyring, made.key, made.certificate, at=change.at, since=before.at)


def commit_signature(
    holds: Callable[[SshSignature, bytes], bool], commit: GitObject, *, object_format: str
) -> SshSignature | None:
    """Return the signature of a commit; None if there is none, or it does not hold."""
    part = git_objects.signed_part(commit, object_format=object_format)
    if part is None:
        return None
    try:
        signature = sshsig.read(sshsig.from_armour(part[1]), namespace=COMMIT_NAMESPACE)
    except FormatError:
        return None
    return signature if holds(signature, part[0]) else None


def followed_at(view: View, keyring: Keyring, now: datetime, commit: str) -> datetime | None:
    """Return when the earliest commit was made that a keeper signed and whose history contains `commit`, in UTC.

    None if no keeper signed one, or the vault is not pinned: anybody can date a commit. The key must belong to a keeper
    now, so that an expired key can't backdate anything.
    """
    signers = tuple(one for one in keyring.signers if one.pinned and one.is_valid_at(now))
    following = view.of(HISTORY).following(commit) if keyring.pin and signers else []
    found = true_objects(view, following)
    for one, data in sorted(found.items(), key=lambda item: (_made_at(item[1]), item[0])):
        at = _made_at(data)
        made = commit_signature(view.of(SIGNATURES).holds, data, object_format=format_of(one))
        known = keyring._replace(signers=signers)
        if (
            made
            and at <= now
            and is_keeper(known, made.key, made.certificate, at=at, since=datetime.min.replace(tzinfo=UTC))
        ):
            return at
    return None


# -- lines that do not count -----------------------------------------------------------------------


_CAME, _WENT = "came without a keeper's signature", "was removed without a keeper's signature, and still counts"
_BACK_HINT = "fetch the newer history; if it was revoked by mistake, remove it from `revocations` in your settings"
_HINT = "git log -p on the file shows who did it; a keeper must make the change again, or undo it"


def pin_lost(error: GitError) -> Finding:
    """Return the finding that the pinned commit can't be reached."""
    return finding_of("pin-lost", ALLOWED_SIGNERS, str(error), error.hint or "memstore trust keys pin")


def of_keys(uncounted: Iterable[Signer], counting: Iterable[Signer]) -> Iterator[Finding]:
    """Yield findings for lines of allowed_signers that don't count, and for lines that count but are gone from it."""
    for one in uncounted:
        yield finding_of(
            "key-uncounted", ALLOWED_SIGNERS, f"the key of {_names(one)} {_CAME}", _HINT, Position(one.line)
        )
    for one in counting:
        if not one.line:
            yield finding_of("key-uncounted", ALLOWED_SIGNERS, f"the key of {_names(one)} {_WENT}", _HINT)


def of_revocations(counting: Collection[str], written: Sequence[tuple[int, str]]) -> Iterator[Finding]:
    """Yield the same for revoked_keys, from the lines that count and the numbered lines of the file."""
    for number, line in written:
        if line not in counting:
            yield finding_of(
                "key-uncounted", REVOKED_KEYS, f"the revocation of {_key(line)} {_CAME}", _HINT, Position(number)
            )
    for line in sorted(set(counting) - {line for _, line in written}):
        yield finding_of("key-uncounted", REVOKED_KEYS, f"the revocation of {_key(line)} {_WENT}", _HINT)


def of_facts(counting: Collection[str], entities: Mapping[str, RegistryFile | None]) -> Iterator[Finding]:
    """Yield the same for who controls and sponsors entities."""
    written = {line: path for path, file in entities.items() for line in facts_of({path: file})}
    for line in sorted({*written, *counting} - (written.keys() & set(counting))):
        entity, key, value = _fact(line)
        how = _WENT if line in counting else _CAME
        path = written.get(line) or f"{RegistryKind.ENTITY.value}/{entity.replace(':', '/')}.md"
        yield finding_of("key-uncounted", path, f"that {value} is the {key} of {entity} {how}", _HINT)


def _names(signer: Signer) -> str:
    return f"{','.join(signer.principals)} {signer.key.fingerprint}"


def _key(line: str) -> str:
    """Return the fingerprint of the key in a line of revoked_keys."""
    keys, _ = revoked_of([(1, line)])
    return next((PublicKey("", blob).fingerprint for blob in keys), "something that is not a key")
