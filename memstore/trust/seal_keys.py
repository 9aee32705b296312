"""The keys that open sealed memories on this machine, and sealing: the age format, by the library pyrage.

A memory is sealed for the SSH keys of people, or for the key of a context alone. A context's key lies in the user's
settings folder, never in a vault: whoever destroys all copies of it makes every copy of these memories unreadable.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from memstore.core.errors import FormatError, SealedError, VaultError
from memstore.files.age_file import Recipients, is_cut_off, is_sealed, recipients, tag_of
from memstore.files.config_file import read_user_config
from memstore.files.local_state import make_private, regular_bytes, sync_folder, write_whole
from memstore.trust.allowed_signers import lines_of, signers_of
from memstore.trust.keyring import ALLOWED_SIGNERS, ED25519
from memstore.trust.ssh_wire import Reader, unarmoured

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from memstore.files.local_state import Environment
    from memstore.trust.keyring import PublicKey

EXTRA = "pip install 'memstore-vault[seal]'"
# Below the folder of the user's settings.
FOLDER = "sealing-keys"
_SUFFIX = ".key"
_CONTEXT_KEYS = f"age1*{_SUFFIX}"
_MOST_KEY_BYTES = 1 << 20
_ARMOUR = "OPENSSH PRIVATE KEY-----"
_AUTH = b"openssh-key-v1\0"
_REMARK = "# The sealing key of "
# In the place of a key's text where one waits that is going.
_TO_BE_DESTROYED = "# To be destroyed.\n"
_FOR_OTHERS = "No matching keys"


class _OwnKey(NamedTuple):
    """An SSH key of the user: its file, its bytes, and its tag in sealed files."""

    path: Path
    data: bytes
    tag: str
    is_protected: bool


class SealKeys:
    """The keys of this machine's user.

    Args:
        folder: where keys of contexts are kept, and former keys of the user; created when first needed.
        home: the person's folder, for `~` in the name of a key.
        own_keys: returns the key files that the user's settings name: their own, if they name one, before those of
            others who sign here, such as agents.
    """

    def __init__(self, folder: Path, *, home: Path, own_keys: Callable[[], Sequence[str]]) -> None:
        self._folder, self._home, self._named = folder, home, own_keys
        self._made: dict[str, str] = {}  # keys of contexts that are in no file yet, by their public parts

    @classmethod
    def of(cls, env: Environment) -> Self:
        """Return the keys of a process's user."""
        settings = env.config_file
        return cls(settings.parent / FOLDER, home=env.home, own_keys=lambda: read_user_config(settings).key_files)

    @property
    def state(self) -> str:
        """A digest of the keys that there are; see the protocol `Opener`."""
        digest = hashlib.sha256(b"1" if importlib.util.find_spec("pyrage") else b"0")
        for own in self._own:
            digest.update(own.data)
        digest.update("\0".join(sorted(place.name for place in self._context_places())).encode())
        return digest.hexdigest()

    # -- opening -----------------------------------------------------------------------------------

    def opened(self, path: str, data: bytes) -> bytes:
        """Return what was sealed; see the protocol `Opener`."""
        if not is_sealed(data):
            raise SealedError(
                f"{path} is not sealed, although it is called so",
                is_damaged=True,
                is_other=True,
                hint="git checkout brings back its committed version; unsealed, its name ends with .md alone",
            )
        if is_cut_off(data):
            raise _damaged(path)
        return self._opened(path, data, recipients(data))

    def _opened(self, path: str, data: bytes, of: Recipients) -> bytes:
        if of.is_context:
            return self._opened_by_context(path, data)[1]
        if not self._own:
            raise SealedError(f"{path} is sealed, and no key of yours is known here", hint=self.in_the_way)
        fitting = [own for own in self._own if own.tag in of.tags]
        own = next((own for own in fitting if not own.is_protected), None)
        if own is None and fitting:
            raise SealedError(
                f"{path} is sealed for your key {fitting[0].path}, which is protected by a passphrase",
                hint=_unprotected(fitting[0].path),
            )
        if own is None:
            raise SealedError(
                f"{path} is sealed, and not for your key {self._own[0].path}",
                hint=f"ask its owner to seal it anew; a former key of yours is tried if it lies in {self._folder}",
            )
        pyrage = _library()
        try:
            identity = pyrage.ssh.Identity.from_buffer(own.data)
        except pyrage.IdentityError as error:
            raise SealedError(f"{path} is sealed, and your key {own.path} can't be used: {error}") from error
        try:
            opened: bytes = pyrage.decrypt(data, [identity])
        except pyrage.DecryptError as error:
            raise _damaged(path) from error
        return opened

    def _opened_by_context(self, path: str, data: bytes) -> tuple[str, bytes]:
        """Return which context's key opens a file, by its public part, and what was sealed."""
        places = {place.name.removesuffix(_SUFFIX): place for place in self._context_places()}
        pyrage: Any = _library() if places or self._made else None
        for key in (*self._made, *places):
            try:
                identity = pyrage.x25519.Identity.from_str(_secret(self._made.get(key) or _text_of(places[key])))
                return key, pyrage.decrypt(data, [identity])
            except pyrage.DecryptError as error:
                if _FOR_OTHERS not in str(error):
                    raise _damaged(path) from error
            except (pyrage.IdentityError, OSError, ValueError):
                continue  # `state` and `check` go on without a key that can't be read
        raise SealedError(
            f"{path} is sealed for a context, and its key is not here",
            hint=f"whoever has the key's file can copy it into {self._folder}",
        )

    def context_of(self, path: str, data: bytes) -> str | None:
        """Return the public part of the context's key that a file is sealed for; None if it is sealed for people.

        Raises:
            SealedError: it is sealed for a context, and its key is not here.
        """
        return self._opened_by_context(path, data)[0] if recipients(data).is_context else None

    @property
    def in_the_way(self) -> str | None:
        """Why the key that the settings name opens nothing, and what to do; None if it opens what is sealed for it."""
        if importlib.util.find_spec("pyrage") is None:
            return EXTRA
        if not (places := self._named_places):
            return "memstore config --user signing_key FILE names your SSH key"
        place = places[0]
        trouble = _trouble_with(place)
        return trouble and f"your settings name the key {place}, {trouble}"

    @cached_property
    def _own(self) -> tuple[_OwnKey, ...]:
        """The keys that the settings name, and former ones, which lie beside the keys of contexts."""
        places = sorted(place for place in self._folder.glob("*") if not place.match(_CONTEXT_KEYS))
        return tuple(filter(None, map(_own_key, (*self._named_places, *places))))

    @property
    def _named_places(self) -> tuple[Path, ...]:
        """The files of the private keys that the settings name, perhaps by their public parts."""
        return tuple(map(self._place_of, self._named()))

    def _place_of(self, named: str) -> Path:
        path = self._home / named[2:] if named.startswith("~/") else self._home / named
        return path.with_name(path.name.removesuffix("-cert.pub").removesuffix(".pub"))

    # -- sealing -----------------------------------------------------------------------------------

    def sealed(self, path: str, data: bytes, keys: Sequence[PublicKey]) -> bytes:
        """Return bytes sealed for the holders of SSH keys.

        Raises:
            VaultError: pyrage is not installed, or this machine could not open the result again.
        """
        pyrage = _library()
        to = [pyrage.ssh.Recipient.from_str(f"{key.type} {key.base64}") for key in keys]
        return self._checked(path, data, pyrage.encrypt(data, to))

    def sealed_for_context(self, path: str, data: bytes, key: str) -> bytes:
        """Return bytes sealed for a context's key alone, given by its public part; raises as `sealed` does."""
        pyrage = _library()
        return self._checked(path, data, pyrage.encrypt(data, [pyrage.x25519.Recipient.from_str(key)]))

    def _checked(self, path: str, data: bytes, made: bytes) -> bytes:
        try:
            is_same = self.opened(path, made) == data
        except SealedError as error:
            raise VaultError(
                f"{path} could not be decrypted again with the keys here, and nothing was written: {error.message}",
                hint=error.hint,
            ) from error
        if not is_same:
            raise VaultError(f"{path} would not be the same when it is opened; nothing was written")
        return made

    # -- keys of contexts --------------------------------------------------------------------------

    def has_context_key(self, key: str) -> bool:
        """Return whether the key of a context with this public part is here."""
        return self.context_place(key).is_file()

    def context_place(self, key: str) -> Path:
        """Return the file of a context's key, given by its public part."""
        return self._folder / f"{key}{_SUFFIX}"

    def new_context_key(self, context: str) -> str:
        """Make a key for a context, and return its public part; it is in no file before `begin`."""
        pyrage = _library()
        made = pyrage.x25519.Identity.generate()
        key = str(made.to_public())
        self._made[key] = f"{_REMARK}{context}: whoever has it reads what was sealed for that context.\n{made}\n"
        return key

    def begin(self, pending: Path, *, new: AbstractSet[str], going: AbstractSet[str]) -> None:
        """Put new keys in their places, and note in the vault's local state that they wait, or are to be destroyed.

        Args:
            pending: a folder of the vault's local state, for `settle`.
            new: keys, by their public parts, for which something is about to be sealed; those that were there stay.
            going: keys that no file of the vault is about to name any more.

        Raises:
            VaultError: a new key can't be written, or one that is going could not be destroyed.
        """
        for key in sorted(going):
            place = self.context_place(key)
            try:
                place.open("r+b").close()
                _create(pending, place.name, _TO_BE_DESTROYED)
            except OSError as error:
                raise VaultError(
                    f"the key {place} can't be destroyed: {error.strerror}; nothing was written",
                    hint=f"let it be written to: {place}",
                ) from error
        for key in sorted(new & self._made.keys()):
            place = self.context_place(key)
            try:
                _create(pending, place.name, self._made[key])
                _create(self._folder, place.name, self._made[key])
            except OSError as error:
                raise VaultError(
                    f"the key {place} can't be written: {error.strerror}; nothing was written",
                    hint="make room there, or fix the permissions",
                ) from error

    def settle(self, pending: Path, contexts: Path) -> None:
        """Keep those keys that a file of a context names, which is then written; destroy the others that wait.

        The vault must be locked, and nothing in it begun.

        Args:
            pending: the folder in which they wait.
            contexts: the folder with the vault's contexts.

        Raises:
            VaultError: a key could not be destroyed; it goes on waiting.
            OSError: it can't be seen or noted what became of them; they go on waiting.
        """
        waiting = sorted(pending.glob(_CONTEXT_KEYS))
        named = b"\n".join(path.read_bytes() for path in contexts.rglob("*.yaml")) if waiting else b""
        for place in waiting:
            key = place.name.removesuffix(_SUFFIX)
            is_here, text = self.has_context_key(key), _text_of(place)
            if key.encode() not in named and is_here:
                self.destroy_context_key(key)
            elif key.encode() in named and not is_here and _secret(text):
                _create(self._folder, place.name, text)
            place.unlink()
            self._made.pop(key, None)
        for cut_off in (
            *pending.glob(".*.tmp"),
            *(one for key in waiting for one in self._folder.glob(f".{key.name}.*")),
        ):
            cut_off.unlink(missing_ok=True)
        with suppress(OSError):
            pending.rmdir()

    def of_context(self, context: str) -> list[str]:
        """Return the keys here, by their public parts, that were made for a context of this name, in whatever vault."""
        begun = f"{_REMARK}{context}:"
        return [place.name.removesuffix(_SUFFIX) for place in self._context_places() if begun in _text_of(place)]

    def destroy_context_key(self, key: str) -> None:
        """Overwrite and delete the key of a context; a disk or file system may still keep old blocks of it.

        Raises:
            VaultError: it could not be deleted.
        """
        place = self.context_place(key)
        try:
            with place.open("r+b") as file:
                blank = [_blank(line) for line in file.readlines()]
                file.seek(0)
                file.writelines(blank)
                file.flush()
                os.fsync(file.fileno())
            place.unlink()
            sync_folder(self._folder)
        except OSError as error:
            raise VaultError(
                f"the key {place} could not be destroyed: {error.strerror}", hint=f"delete it: {place}"
            ) from error

    def _context_places(self) -> list[Path]:
        return sorted(self._folder.glob(_CONTEXT_KEYS))


def _trouble_with(place: Path) -> str | None:
    """Return why a private key can't open what is sealed for it; None if it can."""
    try:
        public, is_protected = _public_in(regular_bytes(place, most=_MOST_KEY_BYTES))
    except OSError as error:
        return f"which can't be read: {error.strerror}"
    if not public:
        return "which is not a private key in OpenSSH's format"
    if (kind := Reader(public).text()) != ED25519:
        return f"a key of the type {kind}; only {ED25519} can open"
    return f"which is protected by a passphrase: {_unprotected(place)}" if is_protected else None


def _unprotected(place: Path) -> str:
    return f"ssh-keygen -p -N '' -f {place} takes it off, if your disk is encrypted"


def _blank(line: bytes) -> bytes:
    """Return a line of a key's file without what it says; a remark stays, so that `of_context` finds it."""
    said = line.removesuffix(b"\n")
    return line if line.startswith(b"#") else b"\0" * len(said) + line[len(said) :]


def _own_key(path: Path) -> _OwnKey | None:
    try:
        data = regular_bytes(path, most=_MOST_KEY_BYTES)
    except OSError:
        return None
    public, is_protected = _public_in(data)
    return _OwnKey(path, data, tag_of(public), is_protected) if public else None


def sealed_as_merged(
    keys: SealKeys, vault: Path, path: str, data: bytes, versions: tuple[bytes, bytes, bytes]
) -> bytes:
    """Return a merged text, sealed for those keys that both sides kept, or that one added, by the vault's keyring.

    Args:
        keys: those of this machine.
        vault: the vault's folder, with the keyring.
        path: the file.
        data: the merged text.
        versions: the sealed files: base, ours and theirs.

    Raises:
        SealedError: one side is for a context and the other is not, or a key is not in the keyring.
    """
    base, ours, theirs = (recipients(version) for version in versions)
    if ours.is_context or theirs.is_context:
        known = {keys.context_of(path, version) for version in versions[1:]}
        key = known.pop()
        if known or key is None:
            raise SealedError(f"{path} is sealed for a context on one side only")
        return keys.sealed_for_context(path, data, key)
    wanted = ours.tags & theirs.tags
    if is_sealed(versions[0]):
        wanted |= (ours.tags | theirs.tags) - base.tags
    try:
        lines = lines_of(regular_bytes(vault / ALLOWED_SIGNERS))
    except OSError:
        lines = []
    signers = signers_of(lines)[0]
    found = {tag_of(one.key.blob): one.key for one in signers if tag_of(one.key.blob) in wanted}
    if found.keys() != wanted:
        raise SealedError(f"{path} is sealed for a key that is not in {ALLOWED_SIGNERS}")
    return keys.sealed(path, data, [found[tag] for tag in sorted(wanted)])


def _library() -> Any:
    try:
        import pyrage
        import pyrage.ssh
        import pyrage.x25519
    except ImportError as error:
        raise SealedError("sealed memories need the library pyrage, which is not installed", hint=EXTRA) from error
    return pyrage


def _damaged(path: str) -> SealedError:
    return SealedError(
        f"{path} is sealed, and damaged: it was cut off, or changed after it was sealed",
        is_damaged=True,
        hint="git checkout brings back its committed version",
    )


def _create(folder: Path, name: str, text: str) -> None:
    """Write a new private file that lasts; what a killed program left half-written there is replaced."""
    make_private(folder)
    write_whole(folder / name, text.encode("ascii", "replace"), mode=0o600)


def _text_of(place: Path) -> str:
    return regular_bytes(place, most=_MOST_KEY_BYTES).decode("ascii", "replace")


def _secret(text: str) -> str:
    return next((line.strip() for line in text.split("\n") if line.startswith("AGE-SECRET-KEY-")), "")


def _public_in(data: bytes) -> tuple[bytes, bool]:
    """Return the public part in the file of a private SSH key, and whether the private part needs a passphrase.

    Source: OpenSSH's PROTOCOL.key. The public part is empty if this is no such file.
    """
    text = data.decode("ascii", "replace")
    begin, _, rest = text.partition(_ARMOUR)
    body, end, _ = rest.partition("-----END")
    if not begin.strip() or not end:
        return b"", False
    try:
        reader = Reader(unarmoured("".join(body.split())))
        if reader.take(len(_AUTH)) != _AUTH:
            return b"", False
        cipher = reader.text()
        reader.string()
        reader.string()
        if reader.number() != 1:
            return b"", False
        return reader.string(), cipher != "none"
    except FormatError:
        return b"", False
