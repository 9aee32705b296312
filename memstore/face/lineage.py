"""`vault.lineage` and `vault.history`: where a memory comes from, and how it changed over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.named import refs_of
from memstore.face import given
from memstore.face.brief import brief
from memstore.face.forward import Forward, Part
from memstore.history.diff import diff
from memstore.history.log import log
from memstore.history.revisions import blame
from memstore.lineage.orphans import find_orphans
from memstore.lineage.repair import fix_provenance
from memstore.lineage.trace import impact_of, trace_memory
from memstore.memories.show import expand

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.core.named import Names
    from memstore.history.purging import Purged


class VaultLineage(Part):
    """What a memory was made from, and what was made from it: `vault.lineage.trace(note)`."""

    trace = Forward(trace_memory)
    impact = Forward(impact_of)
    expand = Forward(expand)
    orphans = Forward(find_orphans)
    fix = Forward(fix_provenance)


@brief
class VaultHistory(Part):
    """What happened, according to git; for the vault's owner alone: `vault.history.log(note)`."""

    log = Forward(log)
    blame = Forward(blame)
    diff = Forward(diff)

    def purge(self, memories: Names, folder: str | Path) -> Purged:
        """Write a clone of the repository whose history never held what was forgotten; needs git-filter-repo.

        Args:
            memories: forgotten memories, and sealed ones, of which the plain text goes; committed as such.
            folder: where the clone goes; the repository itself stays as it is.
        """
        from memstore.memories.forget import purge

        return purge(self._view(), refs_of(memories), given.place(folder))
