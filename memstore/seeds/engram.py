"""The calls of the document on beliefs (002), by the names of its tools and functions, in Python spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.beliefs.reconsolidation import destab_threshold
from memstore.face.given import opened
from memstore.search.quality import retrieval_strength, spacing_bonus

if TYPE_CHECKING:
    from memstore.beliefs.consolidate import Consolidated
    from memstore.beliefs.graduate import Graduated
    from memstore.beliefs.recall import Recalled
    from memstore.core.change import Saved
    from memstore.face.vault import Vault
    from memstore.memories.show import Expanded

__all__ = ["Engram", "destab_threshold", "retrieval_strength", "spacing_bonus"]


class Engram:
    """Recall, and the tasks that run every few hours, on an opened vault.

    Args:
        vault: the vault.
    """

    def __init__(self, vault: Vault) -> None:
        self.vault = opened(vault)

    def write_recollections(self, prompt: str) -> list[str]:
        """Return what comes to mind for a prompt as flashes, by the document's four lists; not a use of them."""
        recalled = self.vault.recall(prompt, profile="seed-002")
        flashes = [f"[Memory flash: {bite.text}]" for bite in recalled.memories]
        return flashes + [f"[Belief: {bite.text}]" for bite in recalled.beliefs]

    def memory_recall(self, query: str) -> Recalled:
        """Return memories and beliefs for a query, by the document's weights: 0.5, 0.3 and 0.2."""
        return self.vault.recall(query, profile="memory-recall")

    def memory_expand(self, memory_id: str) -> Expanded:
        """Return all of a memory; this is a use of it."""
        return self.vault.lineage.expand(memory_id, full=True)

    def run_consolidation(self) -> tuple[tuple[Graduated, ...], tuple[Saved, ...]]:
        """Graduate memories that qualify, compress stale ones, and return the results of both."""
        return self.graduate_episodes(), self.compress_stale_episodes()

    def graduate_episodes(self) -> tuple[Graduated, ...]:
        """Write memories that qualify into MEMORY.md."""
        return self.vault.beliefs.graduate()

    def compress_stale_episodes(self) -> tuple[Saved, ...]:
        """Replace texts that are old and were never used with summaries."""
        return self.vault.beliefs.compress().saved

    def run_belief_consolidation(self) -> Consolidated:
        """Write suggestions of beliefs, and of evidence for and against beliefs, to be accepted or rejected."""
        return self.vault.beliefs.consolidate(apply=True)
