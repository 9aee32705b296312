"""The calls from the five documents that memstore grew out of, with their signatures, on an opened vault.

| document | its calls | |
|---|---|---|
| provenance (000), privacy (001) | `kernle.belief(…)`, `kernle.enter_context(…)` | `Kernle(vault)` |
| beliefs (002) | `memory_recall`, `memory_expand`, consolidation | `Engram(vault)` |
| quality (003) | `store.add(…)`, `store.search(…)` | `MemoryStore(vault)` |
| isnad (004) | `create_memory(…)`, `request_witness(…)` | `Isnad(vault)` |

New programs should use `memstore.Vault`.
"""

from memstore.seeds.engram import Engram, destab_threshold, retrieval_strength, spacing_bonus
from memstore.seeds.isnad import Isnad, SeedMemory
from memstore.seeds.kernle import Kernle, resolve_raw_id
from memstore.seeds.quality import MemoryStore, detect_contradiction

__all__ = [
    "Engram",
    "Isnad",
    "Kernle",
    "MemoryStore",
    "SeedMemory",
    "destab_threshold",
    "detect_contradiction",
    "resolve_raw_id",
    "retrieval_strength",
    "spacing_bonus",
]
