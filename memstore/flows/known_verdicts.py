"""How attestations stood when they were last verified: kept by blob while keys, entities and rules stay the same.

What depends on anything else is not kept: on anchors, which the repository decides; on other memories, which a witness
cites; on a certificate, which ends by itself.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memstore.codec import sshsig
from memstore.codec.canonical import PROFILE
from memstore.errors import FormatError
from memstore.model.keyring import ATTEST_NAMESPACE
from memstore.rules.trust import Grounds
from memstore.rules.vouching import State

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.flows.vouch import Vouched, Voucher
    from memstore.model.memory import Memory

# Raised when the same file, keys and entities are judged in another way.
POLICY = f"1 {PROFILE}"
_NAME = "attestations"
_SOUND = frozenset({State.VALID, State.UNSIGNED, State.EXCLUDED})


class KnownVerdict(NamedTuple):
    """What counted in a file, and whether `check` had nothing to say of it."""

    signed: bool
    confirms: int
    disputes: int
    is_sound: bool

    def grounds(self, *, reputation: float) -> Grounds:
        """Return what trust rests on."""
        return Grounds(self.signed, self.confirms, self.disputes, reputation=reputation)


class KnownVerdicts:
    """Verdicts by blob.

    Args:
        view: the vault.
        voucher: whose keys and entities they depend on.
    """

    def __init__(self, view: View, voucher: Voucher) -> None:
        self._view = view
        self._voucher = voucher
        self._new = False

    def of(self, blob: str) -> KnownVerdict | None:
        """Return how the attestations in a file stand; None where that has to be found out."""
        found = self._known.get(blob)
        if found is None:
            return None
        signed, confirms, disputes, sound = map(int, found)
        return KnownVerdict(bool(signed), confirms, disputes, bool(sound))

    def put(self, blob: str, memory: Memory, found: Vouched) -> None:
        """Remember how the attestations in a file stand, unless that depends on more than the file."""
        if not _is_steady(memory):
            return
        grounds = found.grounds(reputation=0.0)
        verdicts = (found.signature, *(one.verdict for one in found.witnesses), *found.resolutions)
        sound = all(verdict.state in _SOUND for verdict in verdicts)
        self._known[blob] = tuple(str(int(one)) for one in (grounds.signed, grounds.confirms, grounds.disputes, sound))
        self._new = True

    def keep(self) -> None:
        """Write down what was remembered."""
        if self._new:
            self._view.derived.keep(_NAME, self._state, self._known)
            self._new = False

    @cached_property
    def _known(self) -> dict[str, tuple[str, ...]]:
        found = self._view.derived.last(_NAME, self._state)
        return {blob: tuple(values) for blob, values in found.items()}

    @cached_property
    def _state(self) -> str:
        """The digest of all that verdicts depend on beside the files; a key that expires changes it."""
        keyring, now = self._voucher.keyring, self._voucher.now
        expired = [signer.valid_before is not None and now >= signer.valid_before for signer in keyring.signers]
        told = (POLICY, keyring._replace(revoked=frozenset()), sorted(keyring.revoked), expired)
        return hashlib.sha256(repr((told, self._voucher.controllers.told)).encode()).hexdigest()


def _is_steady(memory: Memory) -> bool:
    """Whether how its attestations stand depends on nothing but the file, the keys and the entities."""
    sigs = [one.sig for one in (memory.signature, *memory.witnesses, *memory.resolutions) if one and one.sig]
    cites = any("[[" in (witness.notes or "") for witness in memory.witnesses)
    return not memory.anchors and not cites and not any(map(_has_certificate, sigs))


def _has_certificate(sig: str) -> bool:
    try:
        return sshsig.read(sig, namespace=ATTEST_NAMESPACE).certificate is not None
    except FormatError:
        return False
