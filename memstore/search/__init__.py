"""Full-text search: turn queries into ranked hits that cite lines, and keep an index on disk that is never stale.

Entry points: `query.parse`, `ranker.Ranker`, `reranker.HitReader`, `citations.cite`. The complete search, with
conflicts and trust, is in `memstore.memories.search`.

A query runs in three steps: `filters.narrowed` keeps the rows that may match; `ranker` scores them from the index
alone; `reranker` reads the best files, scores their passages (`ranking`) and cites from the bytes it read. Below the
view, `disk_library` compares the folder with the index (`index_store`) and overlays the files that have changed.
"""
