"""`vault.trust`: who vouches for a memory, with which key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.face import given
from memstore.face.brief import brief
from memstore.face.forward import Forward, Part
from memstore.memories.memory_v01 import export_memories
from memstore.trust.anchor import anchor
from memstore.trust.keys import add_key, list_keys, revoke_key
from memstore.trust.pin import pin, unpin
from memstore.trust.rotate import rotate_key
from memstore.trust.score import TrustProfile
from memstore.trust.sign import resolve, sign, witness
from memstore.trust.trust import trust_of
from memstore.trust.witness_request import accept_answer, request_witness

if TYPE_CHECKING:
    from memstore.core.named import Named
    from memstore.trust.trust import Trusted


@brief
class VaultTrust(Part):
    """Signatures, witnesses and anchors: `vault.trust.sign(note)`, `vault.trust.of(note).trust.score`."""

    sign = Forward(sign)
    witness = Forward(witness)
    resolve = Forward(resolve)
    request_witness = Forward(request_witness)
    accept_answer = Forward(accept_answer)
    anchor = Forward(anchor)
    export = Forward(export_memories)
    keys = Forward(list_keys)
    add_key = Forward(add_key)
    rotate_key = Forward(rotate_key)
    revoke_key = Forward(revoke_key)
    pin = Forward(pin)
    unpin = Forward(unpin)

    def of(self, memory: Named, *, profile: str = "isnad-0.1") -> Trusted:
        """Return how far others vouch for a memory, as verified now.

        Args:
            memory: the memory.
            profile: "isnad-0.1"; "isnad-0.1-literal" takes the file at its word; "beta-1" weighs each attestation.
        """
        return trust_of(self._view(), memory, profile=given.choice(TrustProfile, profile))
