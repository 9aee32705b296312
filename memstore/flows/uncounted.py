"""What a pinned keyring's files say and does not count, or no longer say and still counts, as findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.codec.allowed_signers import revoked_of
from memstore.model.finding import Finding, Position
from memstore.model.finding_codes import CODES
from memstore.model.keyring import ALLOWED_SIGNERS, REVOKED_KEYS, PublicKey

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from memstore.errors import GitError
    from memstore.model.keyring import Signer

_CAME, _WENT = "came without a keeper's signature", "was taken out without a keeper's signature, and still counts"
_HINT = "git log -p .memstore/ tells who did; a keeper makes it again, or undoes it"


def pin_lost(error: GitError) -> Finding:
    """Return the finding that the pinned commit can't be reached."""
    return _finding("pin-lost", ALLOWED_SIGNERS, 1, str(error), error.hint or "memstore keys pin")


def of_keys(uncounted: Iterable[Signer], counting: Iterable[Signer]) -> Iterator[Finding]:
    """Yield the lines of allowed_signers that count for nothing, and those that count and are no longer there."""
    for one in uncounted:
        yield _finding("key-uncounted", ALLOWED_SIGNERS, one.line, f"the key of {_names(one)} {_CAME}", _HINT)
    for one in counting:
        if not one.line:
            yield _finding("key-uncounted", ALLOWED_SIGNERS, 1, f"the key of {_names(one)} {_WENT}", _HINT)


def of_revocations(counting: Collection[str], written: Sequence[tuple[int, str]]) -> Iterator[Finding]:
    """Yield the same of revoked_keys, by the lines that count and those that stand there with their numbers."""
    for number, line in written:
        if line not in counting:
            yield _finding("key-uncounted", REVOKED_KEYS, number, f"the revocation of {_key(line)} {_CAME}", _HINT)
    for line in sorted(set(counting) - {line for _, line in written}):
        yield _finding("key-uncounted", REVOKED_KEYS, 1, f"the revocation of {_key(line)} {_WENT}", _HINT)


def _names(signer: Signer) -> str:
    return f"{','.join(signer.principals)} {signer.key.fingerprint}"


def _key(line: str) -> str:
    """Return the fingerprint of the key in a line of revoked_keys."""
    keys, _ = revoked_of([(1, line)])
    return next((PublicKey("", blob).fingerprint for blob in keys), "what is no key")


def _finding(code: str, path: str, line: int, text: str, hint: str) -> Finding:
    severity = CODES[code].severity
    return Finding(code=code, severity=severity, path=path, at=Position(line), text=text, hint=hint)
