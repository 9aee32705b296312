"""Trust beside other numbers of a memory: only one with attestations is verified, and waits for what that loads."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from memstore.codec import git_blob
from memstore.rules import trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.codec.opened import Opened
    from memstore.core.view import View
    from memstore.flows.known_verdicts import KnownVerdicts
    from memstore.flows.reputation import Reputations
    from memstore.flows.vouch import Vouched, Voucher
    from memstore.model.memory import Memory
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
        self._then = then

    def of(self, memory: Memory) -> Trust:
        """Return the trust of a memory that the viewer may see; 0, unverified, where it has no attestation."""
        if not (memory.signature or memory.witnesses or memory.anchors):
            return UNATTESTED
        return self._of(memory, self._voucher.of(memory))

    def of_file(self, file: Opened) -> Trust:
        """Return the trust of the memory in a file that the viewer may see."""
        if not _ATTESTED.search(file.data):
            return UNATTESTED
        from memstore.codec.memory_file import MemoryFile

        return self.of(file.file.memory) if isinstance(file.file, MemoryFile) else UNATTESTED

    def of_row(self, row: int) -> Trust:
        """Return the trust of the memory in a row of the catalogue that the viewer may see; mostly no file is read.

        A file that is another by now, or not the viewer's to see, counts for nothing.
        """
        path, blob, memory_id, author, attested = (column[row] for column in self._columns)
        if not attested:
            return UNATTESTED
        if not self._then.is_past and (known := self._known.of(blob)) and not self._voucher.has_past(memory_id):
            return trust.trust(known.grounds(reputation=self._reputation(author, is_signed=known.signed)))
        file = self._then.read(path)
        if file is None:
            return UNATTESTED
        found = self._voucher.of(file.memory)
        if not self._then.is_past and git_blob.blob_id(file.data, git_blob.format_of(blob)) == blob:
            self._known.put(blob, file.memory, found)
        return self._of(file.memory, found)

    def keep(self) -> None:
        """Keep what was verified, for the next time."""
        if not self._then.is_past:
            self._known.keep()

    def _of(self, memory: Memory, found: Vouched) -> Trust:
        reputation = self._reputation(memory.author or "", is_signed=found.signature.counts)
        return trust.trust(found.grounds(reputation=reputation))

    def _reputation(self, author: str, *, is_signed: bool) -> float:
        return self._reputations.of(author).value if is_signed else trust.NEW_AUTHOR

    @cached_property
    def _columns(self) -> Sequence[Sequence[str]]:
        column = self._then.column
        return [column(name) for name in ("path", "blob", "id", "author", "attested")]

    @cached_property
    def _known(self) -> KnownVerdicts:
        from memstore.flows.known_verdicts import KnownVerdicts

        return KnownVerdicts(self._then, self._voucher)

    @cached_property
    def _voucher(self) -> Voucher:
        from memstore.flows.vouch import Voucher

        return Voucher(self._then)

    @cached_property
    def _reputations(self) -> Reputations:
        from memstore.flows.reputation import Reputations
        from memstore.flows.vouch import Voucher

        now = self._then.again() if self._then.is_past else self._then
        return Reputations(now, Voucher(now) if self._then.is_past else self._voucher)
