"""Full-text search: turn queries into ranked hits that cite lines, and keep an index on disk that is never stale.

Entry points: `query.parse`, `ranker.Ranker`, `reranker.HitReader`, `citations.cite`. The complete search, with
conflicts and trust, is in `memstore.memories.search`.

A query runs in three steps: `filters.narrowed` keeps the rows that may match; `ranker` scores them from the index
alone; `reranker` reads the best files, scores their passages (`ranking`) and cites from the bytes it read. Below the
view, `disk_library` compares the folder with the index (`index_store`) and overlays the files that have changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.facet import Facet

if TYPE_CHECKING:
    from memstore.search.facets import Embedder, UsageLog, VectorStore, VisibleIndex
    from memstore.search.local_state import DerivedCache

USAGE: Facet[UsageLog] = Facet("usage")
DERIVED: Facet[DerivedCache] = Facet("derived")
EMBEDDER: Facet[Embedder | None] = Facet("embedder")
VECTORS: Facet[VectorStore] = Facet("vectors")
INDEX: Facet[VisibleIndex] = Facet("index")
