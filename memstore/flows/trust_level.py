"""Trust beside other numbers of a memory: only one with attestations is verified, and waits for what that loads."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from memstore.errors import VaultError
from memstore.rules import trust

if TYPE_CHECKING:
    from memstore.flows.audience import View
    from memstore.flows.opened import Opened
    from memstore.flows.reputation import Reputations
    from memstore.flows.vouch import Voucher
    from memstore.model.memory import Memory
    from memstore.ports.search_index import Snapshot
    from memstore.rules.trust import Trust

# Any file whose frontmatter has a signature of anybody, or anchors, holds such bytes; in the others nothing counts.
_ATTESTED = re.compile(rb"""(?:\bsig|anchors)["']?[ \t]*:""")
UNATTESTED = trust.trust(trust.Grounds())


class TrustReader:
    """Tells how far others vouch for memories, by the keys as they are now; made once for many.

    Args:
        then: the vault at the time in question.
    """

    def __init__(self, then: View) -> None:
        self._ws = then.ws
        self._then = then

    def of(self, memory: Memory) -> Trust:
        """Return the trust of a memory that the viewer may see; 0, unverified, where it has no attestation."""
        if not (memory.signature or memory.witnesses or memory.anchors):
            return UNATTESTED
        found = self._voucher.of(memory)
        reputation = self._reputations.of(memory.author).value if found.signature.counts else trust.NEW_AUTHOR
        return trust.trust(found.grounds(reputation=reputation))

    def of_file(self, file: Opened) -> Trust:
        """Return the trust of the memory in a file that the viewer may see."""
        if not _ATTESTED.search(file.data):
            return UNATTESTED
        from memstore.codec.memory_file import MemoryFile

        return self.of(file.file.memory) if isinstance(file.file, MemoryFile) else UNATTESTED

    def at(self, path: str) -> Trust:
        """Return the trust of the memory at a path; 0 where there is none that the viewer may see."""
        from memstore.flows.visible import sees

        try:
            data = self._then.read(path)
        except VaultError:
            return UNATTESTED
        if not _ATTESTED.search(data):
            return UNATTESTED
        from memstore.codec.memory_file import MemoryFile, read

        file = read(path, data)
        return self.of(file.memory) if isinstance(file, MemoryFile) and sees(self._ws, file.memory) else UNATTESTED

    @cached_property
    def _voucher(self) -> Voucher:
        from memstore.flows.vouch import Voucher

        return Voucher(self._ws, self._snapshot, is_past=self._then.is_past)

    @cached_property
    def _reputations(self) -> Reputations:
        from memstore.flows.reputation import Reputations
        from memstore.flows.vouch import Voucher

        voucher = Voucher(self._ws) if self._then.is_past else self._voucher
        return Reputations(self._ws, voucher, self._snapshot)

    @property
    def _snapshot(self) -> Snapshot | None:
        """The vault's memories as they are now, where they were read for that anyway."""
        return None if self._then.is_past else self._then.snapshot
