"""Lineage: what memories are derived from, and what is derived from them.

Start with `trace.trace_memory`, `trace.impact_of` and `orphans.find_orphans`; `repair` fills in sources that can be
inferred.

`graph.graph_of` takes the edges from the view, as numbers (`edges`), without what the viewer may not see. `walk`
traverses them level by level, visiting each node once, whatever cycles there are. Names are read last, only for what is
shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.facet import Facet

if TYPE_CHECKING:
    from collections.abc import Collection

    from memstore.lineage.edges import EdgeTable

# None if the edges can't be walked over visible rows alone.
EDGES: Facet[EdgeTable | None] = Facet("edges")
# The ids of memories that git has, and that a sparse checkout leaves out of the work tree.
LEFT_OUT: Facet[Collection[str]] = Facet("left out")
