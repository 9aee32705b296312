"""Who vouches for a memory: signatures, witnesses and anchors, each verified now and never believed from a file.

Start with `trust` for one memory, `score.TrustReader` for many, and `sign`, `witness_request`, `anchor` and `keys` to
vouch. `formats` has formats that not every vault uses.

`read_keyring` determines whose keys count, `statement` which parts of a memory are signed, and `signatures` whether a
signature holds. `vouching` determines what each attestation is worth, and `verify_anchors` when the memory existed.
`verification` combines these, and `score` turns them into a number and a level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.facet import Facet

if TYPE_CHECKING:
    from memstore.trust.seal_keys import SealKeys
    from memstore.trust.signatures import Signatures
    from memstore.trust.user_pins import UserPins

SIGNATURES: Facet[Signatures] = Facet("signatures")
PINS: Facet[UserPins] = Facet("pins")
SEAL_KEYS: Facet[SealKeys] = Facet("seal keys")
