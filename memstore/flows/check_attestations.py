"""What is wrong with signatures, witnesses, anchors and the keyring, as findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.flows.vouch import Voucher
from memstore.rules.anchors import AnchorStatus
from memstore.rules.vouching import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.model.finding import Finding
    from memstore.ports.workspace import Workspace
    from memstore.rules.anchors import Anchored
    from memstore.rules.checks import Checked
    from memstore.rules.vouching import Verdict

_CODES = {
    State.INVALID: "attestation-invalid",
    State.STALE: "attestation-stale",
    State.UNTRUSTED: "attestation-untrusted",
    State.UNPROVEN_TIME: "attestation-untrusted",
}
_HINTS = {
    "attestation-invalid": "git log -p on the file shows who changed the line; what was not signed so has to go",
    "attestation-stale": "sign it again, or take back what changed: memstore log",
    "attestation-untrusted": "memstore keys list tells whose keys count; memstore keys add enrols one",
}
_LOST = frozenset({AnchorStatus.ALTERED, AnchorStatus.DANGLING, AnchorStatus.MISSING})


class AttestationCheck:
    """Checks the attestations of many memories; the keyring is read with the first one that has any."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._voucher: Voucher | None = None

    def keyring(self) -> tuple[Finding, ...]:
        """Return what is wrong with the keyring."""
        return self._voucher_made().findings

    def of(self, checked: Checked) -> Iterator[Finding]:
        """Yield what is wrong with the attestations of one memory; unsigned ones are nothing wrong."""
        memory = checked.memory
        if not (memory.signature or memory.witnesses or memory.anchors or memory.resolutions):
            return
        found = self._voucher_made().of(memory)
        yield from _attestation(checked, found.signature, "the author's signature", "signature")
        for i, one in enumerate(found.witnesses):
            yield from _attestation(checked, one.verdict, f"the word of {one.witness.agent_id}", "witnesses", i)
        for i, verdict in enumerate(found.resolutions):
            yield from _attestation(checked, verdict, "the resolution", "resolutions", i)
        for i, anchored in enumerate(found.anchors):
            yield from _anchor(checked, anchored, i)

    def _voucher_made(self) -> Voucher:
        if self._voucher is None:
            self._voucher = Voucher(self._ws)
        return self._voucher


def _attestation(checked: Checked, verdict: Verdict, what: str, *at: str | int) -> Iterator[Finding]:
    if code := _CODES.get(verdict.state):
        yield checked.finding(code, f"{what} counts for nothing: {verdict.reason}", _HINTS[code], *at)


def _anchor(checked: Checked, anchored: Anchored, i: int) -> Iterator[Finding]:
    if anchored.status in _LOST:
        text = f"the anchor is {anchored.status.value}: {anchored.reason}"
        yield checked.finding("anchor-lost", text, anchored.hint or "memstore trust explains it", "anchors", i)
