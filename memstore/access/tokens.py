"""Bearer tokens: who whoever brings one is. They lie in files that are this user's alone, and on no command line.

A vault's tokens have a folder below the user's state. Of each there are two files: `ID.json` says who it stands for and
has the digest of the secret, `ID.token` is the secret, for the client that is to bring it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import NotFoundError, VaultError
from memstore.files.local_state import is_private, is_secret, make_private, private_bytes, vault_hash, write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memstore.files.local_state import Environment

VERSION = 1


class BearerToken(NamedTuple):
    """Who a token stands for, and what it shows at most; `file` is where its secret lies.

    A token that names a context, and says that nobody else listens, was made by an earlier version. It is refused:
    which of the two was meant is not guessed.
    """

    id: str
    entity: str
    context: str | None
    alone: bool
    digest: str
    file: Path

    @property
    def contradicts_itself(self) -> bool:
        """Whether it says both that others may listen and that nobody does."""
        return self.alone and self.context is not None


class Tokens:
    """The tokens of one vault on this machine.

    Args:
        env: the process's surroundings.
        vault: the vault's folder.
    """

    def __init__(self, env: Environment, vault: Path) -> None:
        self._home = env.state_home / "memstore" / "tokens"
        self._folder = self._home / vault_hash(vault)

    def add(self, entity: str, *, context: str | None, alone: bool) -> BearerToken:
        """Make a token.

        Raises:
            VaultError: its files can't be written, or others can write where they belong.
        """
        secret = f"ms_{secrets.token_urlsafe(32)}"
        name = secrets.token_hex(4)
        token = BearerToken(name, entity, context, alone, _digest(secret), self._folder / f"{name}.token")
        about = {"version": VERSION, "entity": entity, "context": context, "alone": alone, "digest": token.digest}
        try:
            make_private(self._home)
            make_private(self._folder)
            if not (is_private(self._home) and is_private(self._folder)):
                raise VaultError(f"others can write into {self._folder}", hint=f"chmod 700 {self._home} {self._folder}")
            write_whole(token.file, f"{secret}\n".encode(), mode=0o600)
            write_whole(self._about(name), json.dumps(about).encode(), mode=0o600)
        except OSError as error:
            raise VaultError(f"can't store the token in {self._folder}: {error.strerror}") from error
        return token

    def list(self) -> tuple[BearerToken, ...]:
        """Return all tokens, by whom they stand for; what can't be read, or others could have written, is none."""
        if not (is_private(self._home) and is_private(self._folder)):
            return ()
        found = (self._read(path.stem) for path in self._folder.glob("*.json"))
        return tuple(sorted((one for one in found if one), key=lambda one: (one.entity, one.id)))

    def revoke(self, named: str) -> tuple[BearerToken, ...]:
        """Take back the token with that id, or all that stand for that entity; at once, also for a running server.

        Raises:
            NotFoundError: there is none.
        """
        gone = tuple(one for one in self.list() if named in (one.id, one.entity))
        if not gone:
            raise NotFoundError(f"no token is called `{named}` or stands for it", hint="memstore mcp token list")
        for one in gone:
            self._about(one.id).unlink(missing_ok=True)
            one.file.unlink(missing_ok=True)
        return gone

    def brought(self, secret: str) -> BearerToken | None:
        """Return the token whose secret somebody brings; None for nobody's, and for one that is refused.

        Refused is one that others can read, or that contradicts itself.
        """
        digest = _digest(secret)
        found = next((one for one in self.list() if hmac.compare_digest(one.digest, digest)), None)
        return None if found is None or found.contradicts_itself or self.exposed([found]) else found

    def exposed(self, among: Sequence[BearerToken]) -> tuple[Path, ...]:
        """Return the files of tokens that others can read or write, so that they prove nothing."""
        files = (file for one in among for file in (one.file, self._about(one.id)))
        return tuple(file for file in files if not is_secret(file))

    def _about(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _read(self, name: str) -> BearerToken | None:
        with suppress(ValueError, KeyError, TypeError):
            said = json.loads(private_bytes(self._about(name)))
            texts = (said["entity"], said["digest"])
            if said["version"] == VERSION and all(isinstance(text, str) for text in texts):
                file = self._folder / f"{name}.token"
                return BearerToken(name, said["entity"], said["context"], said["alone"] is True, said["digest"], file)
        return None


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="surrogateescape")).hexdigest()
