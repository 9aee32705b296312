"""Problems of signatures, witnesses, anchors and the keyring, as findings."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memstore.core import digests
from memstore.trust.anchors import AnchorStatus
from memstore.trust.keys import rotation_findings
from memstore.trust.verification import KnownVerdicts, Voucher
from memstore.trust.vouching import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.core.finding import Finding
    from memstore.core.finding_codes import Checked
    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.trust.anchors import Anchored
    from memstore.trust.tampering import Tampered
    from memstore.trust.vouching import Verdict

_CODES = {
    State.INVALID: "attestation-invalid",
    State.STALE: "attestation-stale",
    State.UNTRUSTED: "attestation-untrusted",
    State.UNPROVEN_TIME: "attestation-untrusted",
}
_HINTS = {
    "attestation-invalid": "git log -p on the file shows who changed the line; remove what was not signed",
    "attestation-stale": "sign it again, or undo the change: memstore log shows it",
    "attestation-untrusted": "memstore trust keys list shows whose keys count; memstore trust keys add enrols one",
    "attestation-withheld": "git log -p on the file shows who removed it: put the line back, or ask whoever signed it",
    "attestation-rollback": "git log -p on the file shows the later one: put it back, or ask for a new one",
}
_LOST = frozenset({AnchorStatus.ALTERED, AnchorStatus.DANGLING, AnchorStatus.MISSING})


class AttestationCheck:
    """Checks the attestations of many memories; the keyring is read for the first one that has any."""

    def __init__(self, view: View) -> None:
        self._view = view

    def keyring(self) -> tuple[Finding, ...]:
        """Return the problems of the keyring."""
        return (*self._voucher.findings, *rotation_findings(self._view))

    def of(self, checked: Checked, data: bytes) -> Iterator[Finding]:
        """Yield the problems of the attestations in a file's bytes; unsigned ones are not a problem."""
        voucher = self._voucher
        if not voucher.knows_of(checked.memory):
            return
        blob = digests.blob_id(data, self._object_format)
        known = self._known.of(blob)
        if known and known.is_sound and not voucher.has_past(checked.memory.id or ""):
            return
        found = voucher.of(checked.memory)
        self._known.put(blob, checked.memory, found)
        yield from _attestation(checked, found.signature, "the author's signature", "signature")
        for i, one in enumerate(found.witnesses):
            yield from _attestation(checked, one.verdict, f"the attestation by {one.witness.agent_id}", "witnesses", i)
        for i, verdict in enumerate(found.resolutions):
            yield from _attestation(checked, verdict, "the resolution", "resolutions", i)
        for i, anchored in enumerate(found.anchors):
            yield from _anchor(checked, anchored, i)
        for tampered in found.tampered:
            code = f"attestation-{tampered.kind.value}"
            yield checked.finding(code, tampered.reason, _HINTS[code], *_place_of(tampered, checked.memory))

    def keep(self) -> None:
        """Store what was verified, for the next time."""
        self._known.keep()

    @cached_property
    def _voucher(self) -> Voucher:
        return Voucher(self._view)

    @cached_property
    def _known(self) -> KnownVerdicts:
        return KnownVerdicts(self._view, self._voucher)

    @cached_property
    def _object_format(self) -> str:
        return digests.format_of(next(filter(None, self._view.column("blob")), ""))


def _attestation(checked: Checked, verdict: Verdict, what: str, *at: str | int) -> Iterator[Finding]:
    if code := _CODES.get(verdict.state):
        yield checked.finding(code, f"{what} counts for nothing: {verdict.reason}", _HINTS[code], *at)


def _anchor(checked: Checked, anchored: Anchored, i: int) -> Iterator[Finding]:
    if anchored.status in _LOST:
        text = f"the anchor is {anchored.status.value}: {anchored.reason}"
        yield checked.finding("anchor-lost", text, anchored.hint or "memstore trust explains it", "anchors", i)


def _place_of(tampered: Tampered, memory: Memory) -> tuple[str | int, ...]:
    """Return the place of the entry of the agent whose attestation was rolled back; the whole file if it is gone."""
    if memory.signature is not None and memory.signature.by == tampered.agent:
        return ("signature",)
    named = [i for i, witness in enumerate(memory.witnesses) if witness.agent_id == tampered.agent]
    return ("witnesses", named[-1]) if named else ()
