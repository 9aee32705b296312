"""Proofs of time by OpenTimestamps, as far as the blocks that the user pinned lead; nothing is asked of any network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.codec import bitcoin, opentimestamps
from memstore.errors import FormatError
from memstore.rules.anchors import Stamp

if TYPE_CHECKING:
    from memstore.codec.opentimestamps import TimeProof
    from memstore.core.view import View


def stamp_at(view: View, path: str, digest: bytes) -> Stamp | None:
    """Return what the proof in a file of the vault shows of a digest, SHA-256; None where there is no such file."""
    data = view.own_file(path)
    if data is None:
        return None
    try:
        return _shown(view, read_proof(data, digest))
    except FormatError as error:
        return Stamp(problem=str(error))


def read_proof(data: bytes, digest: bytes) -> TimeProof:
    """Return the proof in some bytes.

    Raises:
        FormatError: it is none, or of something else than what has that digest.
    """
    proof = opentimestamps.read(data)
    if proof.digest != digest:
        raise FormatError(f"the proof is of {proof.digest.hex()[:16]}…, not of {digest.hex()[:16]}…")
    return proof


def _shown(view: View, proof: TimeProof) -> Stamp:
    times, open_heights = [], []
    for height, root in proof.blocks:
        data = view.pins.header(height)
        if data is None:
            open_heights.append(height)
            continue
        header = bitcoin.read(data)
        if header.merkle_root != root:
            return Stamp(problem=f"it leads to another root than the header of block {height} that you pinned has")
        times.append(header.at)
    return Stamp(at=min(times, default=None), heights=tuple(sorted(open_heights)), pending=proof.pending)
