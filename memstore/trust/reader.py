"""The trust of memories, read only as far as it is not known already.

Only a memory with attestations is verified, so only then is the code for that loaded.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

from memstore.core import digests
from memstore.trust.score import NEW_AUTHOR, UNATTESTED, Trust, trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.core.memory import Memory
    from memstore.core.view import View
    from memstore.files.memory_file import MemoryFile
    from memstore.search.opened import Opened
    from memstore.trust.reputation import Reputations
    from memstore.trust.verification import KnownVerdicts, Vouched, Voucher


class TrustReader:
    """Reads how far others vouch for memories, according to the current keys; one reader serves many memories.

    Args:
        then: the vault at the time in question.
    """

    def __init__(self, then: View) -> None:
        self._then = then

    def of(self, memory: Memory) -> Trust:
        """Return the trust of a memory that the viewer may see; 0, unverified, if it has no attestation."""
        if not (memory.signature or memory.witnesses or memory.anchors):
            return UNATTESTED
        return self._of(memory, self._voucher.of(memory))

    def of_file(self, file: Opened) -> Trust:
        """Return the trust of the memory in a file that the viewer may see."""
        if not file.may_be_attested:
            return UNATTESTED
        return self.of(cast("MemoryFile", file.file).memory)  # as its entry says

    def of_row(self, row: int) -> Trust:
        """Return the trust of the memory in a row of the catalogue that the viewer may see; usually no file is read.

        A file that has changed by now, or that the viewer may not see, counts for nothing.
        """
        path, blob, memory_id, author, attested = (column[row] for column in self._columns)
        if not attested:
            return UNATTESTED
        if not self._then.is_past and (known := self._known.of(blob)) and not self._voucher.has_past(memory_id):
            return trust(known.grounds(reputation=self._reputation(author, is_signed=known.signed)))
        file = self._then.read(path)
        if file is None:
            return UNATTESTED
        found = self._voucher.of(file.memory)
        if not self._then.is_past and digests.blob_id(file.data, digests.format_of(blob)) == blob:
            self._known.put(blob, file.memory, found)
        return self._of(file.memory, found)

    def keep(self) -> None:
        """Store what was verified, for the next time."""
        if not self._then.is_past:
            self._known.keep()

    def _of(self, memory: Memory, found: Vouched) -> Trust:
        reputation = self._reputation(memory.author or "", is_signed=found.signature.counts)
        return trust(found.grounds(reputation=reputation))

    def _reputation(self, author: str, *, is_signed: bool) -> float:
        return self._reputations.of(author).value if is_signed else NEW_AUTHOR

    @cached_property
    def _columns(self) -> Sequence[Sequence[str]]:
        column = self._then.column
        return [column(name) for name in ("path", "blob", "id", "author", "attested")]

    @cached_property
    def _known(self) -> KnownVerdicts:
        from memstore.trust.verification import KnownVerdicts

        return KnownVerdicts(self._then, self._voucher)

    @cached_property
    def _voucher(self) -> Voucher:
        from memstore.trust.verification import Voucher

        return Voucher(self._then)

    @cached_property
    def _reputations(self) -> Reputations:
        from memstore.trust.reputation import Reputations
        from memstore.trust.verification import Voucher

        now = self._then.again() if self._then.is_past else self._then
        return Reputations(now, Voucher(now) if self._then.is_past else self._voucher)
