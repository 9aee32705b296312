"""Queries to ranked hits that cite lines; the index on disk, which is never stale.

Enter at `query.parse`, `ranker.Ranker`, `reranker.HitReader`, `citations.cite`; the whole search with conflicts
and trust is `memstore.memories.search`.

A query runs like this: `filters.narrowed` leaves the rows that may match, `ranker` scores them by an index
alone, `reranker` reads the best files, scores their passages (`ranking`) and cites from these bytes. Below the view,
`disk_library` compares the folder with the index (`index_store`) and lays over it what has changed since.
"""
