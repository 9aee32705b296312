"""Beliefs: how sure somebody is and why, by ledgers of evidence; consolidation of memories; and recall.

Start at `ledger.replay` for how a confidence is computed; `reinforce`, `revise`, `propagation` and `recompute` for how
it changes; `recall` for what comes to mind; `consolidate` and `graduate` for what is derived from many memories.

Evidence is processed like this: `evidence` finds its independent roots, `next_lines` makes the new lines of the ledger,
and `ledger` computes the confidence from the lines alone. `consolidate` reads the `pool`, finds patterns (`clustering`,
`consolidation`), and writes suggestions (`suggestion_file`) that a person decides on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.facet import Facet

if TYPE_CHECKING:
    from memstore.beliefs.run_record import RunRecord

RUNS: Facet[RunRecord] = Facet("runs")
