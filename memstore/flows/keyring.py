"""Whose keys count in a vault: by its files and, where the user pinned a commit, its keepers (docs/adr/0016)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memstore.codec import allowed_signers, git_object, sshsig
from memstore.codec.allowed_signers import keyring_of, lines_of, signers_of
from memstore.codec.git_blob import format_of
from memstore.errors import FormatError, GitError
from memstore.flows.objects_at import bytes_at, true_objects
from memstore.flows.uncounted import of_keys, of_revocations, pin_lost
from memstore.model.keyring import ALLOWED_SIGNERS, COMMIT_NAMESPACE, REVOKED_KEYS, Keyring
from memstore.rules import keepers
from memstore.rules.keepers import Counting, KeyringChange, KeyringFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memstore.codec.git_object import GitObject
    from memstore.codec.sshsig import SshSignature
    from memstore.core.view import View
    from memstore.model.finding import Finding

KEYRING_FILES = (ALLOWED_SIGNERS, REVOKED_KEYS)


def read_keyring(view: View) -> tuple[Keyring, tuple[Finding, ...]]:
    """Return whose keys count in this vault, and what is wrong with the files that say so."""
    pin = view.pins.commit
    now = own_bytes(view, ALLOWED_SIGNERS), own_bytes(view, REVOKED_KEYS)
    if pin is None:
        return allowed_signers.read(*now)
    try:
        counts, committed = _counting(view, pin)
    except GitError as error:
        return _lost(pin, error, now[0] or b"")
    files = _files(*now)
    pinned = counts
    if not view.history.is_taking_in():  # what comes with others' commits is the change under review
        counts = keepers.uncommitted(counts, committed, files)
    keyring, findings = _keyring(pin, counts, pinned, now[0] or b"")
    return keyring, (*findings, *of_revocations(counts.revoked, lines_of(now[1] or b"")))


def keeper_signature(view: View) -> Callable[[bytes], str] | None:
    """Return what signs a commit that changes the keyring of a pinned vault; None where no key is at hand for it."""
    key = view.signatures.own_key
    if view.pins.commit is None or key is None:
        return None

    def sign(data: bytes) -> str:
        return sshsig.armoured(view.signatures.sign(data, namespace=COMMIT_NAMESPACE, key=key))

    return sign


def own_bytes(view: View, path: str) -> bytes | None:
    """Return the bytes of a file of the vault's own; None where there is none.

    Raises:
        VaultError: there is one, and it can't be read.
    """
    return view.own_file(path)


def _lost(pin: str, error: GitError, signers: bytes) -> tuple[Keyring, tuple[Finding, ...]]:
    """Return a keyring that vouches for nobody."""
    return Keyring(unreadable=str(error), pin=pin, uncounted=signers_of(lines_of(signers))[0]), (pin_lost(error),)


def _keyring(pin: str, counts: Counting, pinned: Counting, now: bytes) -> tuple[Keyring, tuple[Finding, ...]]:
    """Return the keyring of the lines that count, with the numbers that they have in the file."""
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
    """Return what counts as of the current commit, and what the files are in it.

    Raises:
        GitError: the pinned commit is not in its history, or an object is missing or damaged.
    """
    head = view.history.head()
    walked = None if head is None else view.history.touching(KEYRING_FILES, since=pin, until=head)
    if head is None or walked is None:
        raise GitError(
            f"no key counts: the pinned commit {pin[:10]} is not in the history of the current one",
            hint="git fetch --unshallow, if the clone is shallow; else compare the keys, and memstore keys pin again",
        )
    first = true_objects(view, [pin, head, *(commit for commit, _ in walked)])
    above = {parent for commit, _ in walked for parent in git_object.parents_of(first[commit])}
    commits = {**first, **true_objects(view, above - set(first))}
    read = bytes_at(view, commits, KEYRING_FILES)
    files = {commit: _files(*(read[commit, path] for path in KEYRING_FILES)) for commit in commits}
    counts = keepers.counting(
        files[pin],
        _made_at(first[pin]),
        [_change(commit, follows, first[commit], files) for commit, follows in walked],
        is_by_keeper=lambda change, before: _is_by_keeper(view, first[change.commit], change, before),
    )
    return counts, files[head]


def _files(signers: bytes | None, revoked: bytes | None) -> KeyringFiles:
    return KeyringFiles(
        *(tuple(line for _, line in allowed_signers.lines_of(data or b"")) for data in (signers, revoked))
    )


def _change(commit: str, follows: tuple[str, ...], data: GitObject, files: Mapping[str, KeyringFiles]) -> KeyringChange:
    parents = git_object.parents_of(data)
    before = tuple(files[parent] for parent in parents) if all(parent in files for parent in parents) else None
    return KeyringChange(commit, follows, before, files[commit], _made_at(data))


def _made_at(commit: GitObject) -> datetime:
    return datetime.fromtimestamp(git_object.committed_at(commit) or 0, UTC)


def _is_by_keeper(view: View, commit: GitObject, change: KeyringChange, before: Counting) -> bool:
    """Whether somebody signed a commit who was a keeper before it; natively, since git would run a program."""
    made = commit_signature(view, commit, object_format=format_of(change.commit))
    if made is None or change.before is None:
        return False
    keyring, _ = allowed_signers.keyring_of(
        *(((0, line) for line in lines) for lines in (before.signers, before.revoked))
    )
    return keepers.is_keeper(keyring, made.key, made.certificate, at=change.at, since=before.at)


def commit_signature(view: View, commit: GitObject, *, object_format: str) -> SshSignature | None:
    """Return the signature of a commit; None where there is none, or none that holds."""
    part = git_object.signed_part(commit, object_format=object_format)
    if part is None:
        return None
    try:
        signature = sshsig.read(sshsig.from_armour(part[1]), namespace=COMMIT_NAMESPACE)
    except FormatError:
        return None
    return signature if view.signatures.holds(signature, part[0]) else None
