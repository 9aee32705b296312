"""Whose keys count in this vault: enrols, lists, ends and revokes keys, and verifies the rotations that it knows.

A rotation counts only if both keys signed that one replaces the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Unpack

from memstore.access.audit import entity_id, stop_unless_owner
from memstore.core.change import Written
from memstore.core.errors import FormatError, MemstoreError, NotFoundError, RefusedError, UsageError, VaultError
from memstore.core.finding import Finding, Position
from memstore.core.finding_codes import finding_of
from memstore.core.short_repr import short_repr
from memstore.core.transaction import Saving, again_where_changed, save_own, unified_diff
from memstore.history import HISTORY
from memstore.trust import PINS, SIGNATURES, allowed_signers, sshsig
from memstore.trust.formats import rotation
from memstore.trust.keyring import (
    ALLOWED_SIGNERS,
    ATTEST_NAMESPACE,
    COMMIT_NAMESPACE,
    PLAIN_COMMIT_NAMESPACE,
    REVOKED_KEYS,
    ROTATIONS,
)
from memstore.trust.pin import Pinned, pin
from memstore.trust.read_keyring import own_bytes, read_keyring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memstore.core.view import View
    from memstore.files.config_file import ConfigFile
    from memstore.trust.formats.rotation import Rotation, SignedRotation
    from memstore.trust.keyring import Keyring, PublicKey, Signer
    from memstore.trust.signatures import Signatures


class Rotated(NamedTuple):
    """A line of the rotations' file: its rotation, None if unreadable; and why it proves nothing, else empty."""

    line: int
    rotation: Rotation | None
    problem: str


def rotations(view: View) -> tuple[Rotated, ...]:
    """Return all rotations that the vault knows, in file order."""
    try:
        data = own_bytes(view, ROTATIONS) or b""
    except VaultError as error:
        return (Rotated(1, None, str(error)),)
    return tuple(_verified(view, number, found) for number, found in rotation.lines_of(data))


def rotation_findings(view: View) -> Iterator[Finding]:
    """Yield the problems of the rotation statements."""
    yield from _findings_of(rotations(view))


def _findings_of(told: Sequence[Rotated]) -> Iterator[Finding]:
    for one in told:
        if one.problem:
            hint = "git log -p shows who wrote the line; remove it"
            yield finding_of("rotation-invalid", ROTATIONS, one.problem, hint, Position(one.line))


def problem_of(signatures: Signatures, found: SignedRotation) -> str:
    """Return why a statement proves nothing; empty if both keys signed it."""
    message = rotation.message(found.rotation)
    for name, key in (("old", found.rotation.old), ("new", found.rotation.new)):
        try:
            made = sshsig.read(found.signatures.get(key.fingerprint, ""), namespace=ATTEST_NAMESPACE)
        except FormatError as error:
            return f"the {name} key did not sign it: {error}"
        if made.key != key or made.certificate or not signatures.holds(made, message):
            return f"the {name} key did not sign it"
    return ""


def _verified(view: View, number: int, found: SignedRotation | FormatError) -> Rotated:
    if isinstance(found, FormatError):
        return Rotated(number, None, str(found))
    problem = problem_of(view.of(SIGNATURES), found)
    if not problem and datetime.fromisoformat(found.rotation.at) > view.clock.now():
        problem = f"it is dated {found.rotation.at}, in the future"
    return Rotated(number, found.rotation, problem)


# -- keys ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysChanged:
    """What happened to the keyring, or would: the keys concerned, and the unified diff, empty if nothing changes.

    `pinned` is true if the vault is pinned; then `counts` says whether the change also counts for others.
    """

    entity: str
    keys: tuple[PublicKey, ...]
    path: str
    diff: str
    commit: str | None = None
    pinned: bool = False
    counts: bool = True

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownKey:
    """One line of the keyring, and its standing: `valid`, `revoked`, `expired`, `not yet` or `not counted`.

    `follows` is the fingerprint of the key that it replaced, as signed by both; empty if none.
    """

    signer: Signer
    standing: str
    follows: str = ""

    @property
    def is_good(self) -> bool:
        """Whether it counts for anything at all."""
        return self.standing in ("valid", "expired", "not yet")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownKeys:
    """All keys of a vault, the commit that the user pinned (None: none), and the problems of the files."""

    keys: tuple[KnownKey, ...]
    pin: str | None
    findings: tuple[Finding, ...]

    __repr__ = short_repr


def list_keys(view: View) -> KnownKeys:
    """Return all keys of the vault in file order, followed by those that the file no longer has.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
    """
    stop_unless_owner(view, "see its keys")
    keyring, findings = read_keyring(view)
    now = view.clock.now()
    told = rotations(view)
    followed = _rotation_origins(told)
    known = [
        KnownKey(signer=one, standing=_signer_state(one, keyring, now), follows=_former(one, followed))
        for one in keyring.signers
    ]
    known += [KnownKey(signer=one, standing="not counted") for one in keyring.uncounted]
    known.sort(key=lambda one: (one.signer.line == 0, one.signer.line))
    return KnownKeys(keys=tuple(known), pin=keyring.pin, findings=(*findings, *_findings_of(told)))


@again_where_changed
def add_key(
    view: View,
    entity: str,
    key: str,
    *,
    keeper: bool = False,
    commits: bool = False,
    authority: bool = False,
    **saving: Unpack[Saving],
) -> KeysChanged:
    """Enrol a key: from now on, what it signs counts as the entity's statement.

    Args:
        view: the vault.
        entity: whose key it is.
        key: the file of the key, or its .pub.
        keeper: whether commits that it signs may change the keyring itself.
        commits: whether it signs the entity's commits: a shared vault believes no others. A keeper's key does, too.
        authority: whether it certifies keys for the entity, and signs nothing else.
        saving: dry_run, commit.

    Raises:
        RefusedError: somebody other than the vault's owner acts, or the key was revoked.
        UsageError: `entity` is not an entity id.
        VaultError: there is no such key.
    """
    stop_unless_owner(view, "enrol keys")
    entity_id(entity, "the holder", view)
    public = view.of(SIGNATURES).public_key(key)
    keyring, _ = read_keyring(view)
    if public.blob in keyring.revoked:
        raise RefusedError(
            f"{public.fingerprint} was revoked, and no longer counts", hint="make another one with ssh-keygen"
        )
    asked = {COMMIT_NAMESPACE: keeper, PLAIN_COMMIT_NAMESPACE: commits and not keeper}
    namespaces = [ATTEST_NAMESPACE, *(name for name, holds in asked.items() if holds)]
    lines = keyring.lines_of(entity, ATTEST_NAMESPACE)
    held = [one for one in lines if (one.key, one.authority) == (public, authority)]
    if any(one.valid_before is None and set(namespaces) <= set(one.namespaces) for one in held):
        return KeysChanged(entity=entity, keys=(public,), path=ALLOWED_SIGNERS, diff="")
    before = own_bytes(view, ALLOWED_SIGNERS)
    text = with_line(text_of(before), allowed_signers.signer_line([entity], public, namespaces, authority=authority))
    change = Written(ALLOWED_SIGNERS, before, text.encode("utf-8", "surrogateescape"))
    return changed(view, [change], entity, [public], verb="keys add", **saving)


USUAL_KEY = "~/.ssh/id_ed25519"


def init_keys(open_view: Callable[[], View], settings: ConfigFile, named: str | None) -> tuple[KeysChanged, Pinned]:
    """Make a key the actor's own in one step: their signing key, a keeper's key in the vault, and pinned there.

    Nothing has changed if this fails, but for a commit that could not be pinned.

    Args:
        open_view: opens the vault; called once the user's settings name the key.
        settings: the user's settings.
        named: the file of the key; None for the one that the settings name, or else `USUAL_KEY`.

    A pin that is of another history, as of a vault that was here before, gives way to a new one.

    Raises:
        RefusedError: somebody other than the vault's owner acts, or keys of others count in the vault already.
        UsageError: the settings name another key.
        VaultError: there is no such key, or it can't sign.
        GitError: there is no repository, or git doesn't know who commits.
    """
    before = settings.values().get("signing_key")
    if named and before and named != before:
        raise UsageError(
            f"you sign with {before} already", hint="memstore config --user signing_key FILE chooses another key"
        )
    if before is None:
        settings.set("signing_key", named or USUAL_KEY)
    try:
        view = open_view()
        stop_unless_owner(view, "enrol keys")
        _stop_if_anothers(view)
        done = add_key(view, view.actor, named or before or USUAL_KEY, keeper=True, commit=True)
        held = view.of(PINS).commit
        if held is not None and view.of(HISTORY).following(held):
            return done, Pinned(commit=held, before=held)
        _stop_if_anothers(view.again(), but=done.keys[0])
        return done, pin(view.again())
    except MemstoreError:
        if before is None:
            settings.unset("signing_key")
        raise


def _stop_if_anothers(view: View, *, but: PublicKey | None = None) -> None:
    """Refuse if the vault has keys that are not the actor's: only a comparison of fingerprints shows whose they are.

    Args:
        view: the vault.
        but: the actor's own key, if it is not pinned here: then any other key may be anybody's, whatever its line says.
    """
    keyring, _ = read_keyring(view)
    known = (*keyring.signers, *(keyring.uncounted if but else ()))
    others = {name for one in known for name in one.principals if name != view.actor or (but and one.key != but)}
    mine = [one for one in keyring.signers if view.actor in one.principals and one.pinned]
    if others and (but or not mine):
        raise RefusedError(
            f"keys of {', '.join(sorted(others))} count in this vault already",
            hint="compare their fingerprints with their holders (memstore trust keys list), then memstore trust keys "
            f"pin; memstore trust keys add {view.actor} FILE.pub -c enrols yours",
        )


@again_where_changed
def revoke_key(view: View, named: str, **saving: Unpack[Saving]) -> KeysChanged:
    """Revoke a key, or all keys of an entity: nothing they signed counts any more, whenever it was signed.

    Args:
        view: the vault.
        named: a fingerprint as `keys list` shows it, or an entity id.
        saving: dry_run, commit.

    Raises:
        RefusedError: somebody other than the vault's owner acts.
        NotFoundError: the keyring has no such key.
    """
    stop_unless_owner(view, "revoke keys")
    keyring, _ = read_keyring(view)
    known = (*keyring.signers, *keyring.uncounted)
    found = [one for one in known if named in (one.key.fingerprint, *one.principals)]
    if not found:
        raise NotFoundError(f"no key matches `{named}`", hint="memstore trust keys list shows them")
    keys = list(dict.fromkeys(one.key for one in found if one.key.blob not in keyring.revoked))
    before = own_bytes(view, REVOKED_KEYS)
    text = text_of(before)
    for key in keys:
        text = with_line(text, f"{key.type} {key.base64} {named if named != key.fingerprint else ''}".rstrip())
    change = Written(REVOKED_KEYS, before, text.encode("utf-8", "surrogateescape"))
    return changed(view, [change], found[0].principals[0], keys, verb="keys revoke", **saving)


def _rotation_origins(told: Sequence[Rotated]) -> Mapping[tuple[str, PublicKey], str]:
    """Return, by entity and key, the fingerprint of the first key that it replaced, as signed by both."""
    said = [one.rotation for one in told if one.rotation and not one.problem]
    return {(one.agent, one.new): one.old.fingerprint for one in reversed(said)}


def _former(signer: Signer, followed: Mapping[tuple[str, PublicKey], str]) -> str:
    """Return the fingerprint of the key that a line's key replaced; empty if none."""
    found = (followed.get((who, signer.key)) for who in signer.principals)
    return next(filter(None, found), "")


def _signer_state(signer: Signer, keyring: Keyring, now: datetime) -> str:
    if signer.key.blob in keyring.revoked:
        return "revoked"
    if signer.valid_after is not None and now < signer.valid_after:
        return "not yet"
    return "valid" if signer.is_valid_at(now) else "expired"


def text_of(data: bytes | None) -> str:
    """Return a file's bytes as text, with undecodable ones as surrogates."""
    return (data or b"").decode("utf-8", "surrogateescape")


def with_line(text: str, line: str) -> str:
    """Return a file's text with a line added."""
    return f"{text}\n{line}\n" if text and not text.endswith("\n") else f"{text}{line}\n"


def changed(
    view: View,
    files: Sequence[Written],
    entity: str,
    keys: Sequence[PublicKey],
    *,
    verb: str,
    dry_run: bool = False,
    commit: bool = False,
) -> KeysChanged:
    """Write the files that change the keyring, and return the result, which is about the first of them."""
    diff = "".join(unified_diff(file.path, file.before, file.after) for file in files)
    made = save_own(view, files if diff else [], verb=verb, dry_run=dry_run, commit=commit and bool(diff))
    pinned = view.of(PINS).commit is not None
    return KeysChanged(
        entity=entity,
        keys=tuple(keys),
        path=files[0].path,
        diff=diff,
        commit=made,
        pinned=pinned,
        counts=not pinned or (made is not None and _is_by_keeper(view, files[0].path, entity, keys)),
    )


def _is_by_keeper(view: View, path: str, entity: str, keys: Sequence[PublicKey]) -> bool:
    """Return whether a committed change to some keys counts because a keeper signed it."""
    keyring, _ = read_keyring(view)
    if path == REVOKED_KEYS:
        return all(keyring.is_revoked(key) for key in keys)
    sure = {one.key for one in keyring.signers if one.pinned and entity in one.principals}
    return sure.issuperset(keys)
