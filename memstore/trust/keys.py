"""The rotations that a vault knows of, each verified: both keys must have signed that one takes the other's place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.codec import rotation, sshsig
from memstore.errors import FormatError
from memstore.flows.keyring import own_bytes
from memstore.model.finding import Finding, Position
from memstore.model.finding_codes import CODES
from memstore.model.keyring import ATTEST_NAMESPACE, ROTATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.codec.rotation import Rotation, SignedRotation
    from memstore.core.view import View
    from memstore.ports.signatures import Signatures


class Rotated(NamedTuple):
    """A line of the rotations' file: what it says, None where it can't be read; why it proves nothing, else empty."""

    line: int
    rotation: Rotation | None
    problem: str


def rotations(view: View) -> tuple[Rotated, ...]:
    """Return all rotations that the vault knows of, in the file's order."""
    return tuple(
        _verified(view, number, found) for number, found in rotation.lines_of(own_bytes(view, ROTATIONS) or b"")
    )


def rotation_findings(view: View) -> Iterator[Finding]:
    """Yield what is wrong with the statements of rotations."""
    code = CODES["rotation-invalid"]
    for one in rotations(view):
        if one.problem:
            yield Finding(
                code=code.name, severity=code.severity, path=ROTATIONS, at=Position(one.line), text=one.problem,
                hint="git log -p tells who wrote the line; take it out",
            )  # fmt: skip


def problem_of(signatures: Signatures, found: SignedRotation) -> str:
    """Return why a statement proves nothing; empty where both keys signed it."""
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
    return Rotated(number, found.rotation, problem_of(view.signatures, found))
