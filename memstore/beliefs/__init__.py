"""How sure one is and why: the ledger, evidence, what follows from it; consolidation and recall.

Enter at `ledger.replay` for the number, `reinforce`, `revise`, `propagation` and `recompute` to change it, `recall`
for what comes to mind, `consolidate` and `graduate` for what is made of many memories.

Evidence runs like this: `evidence` finds the independent roots, `next_lines` says which lines the ledger gains, and
`ledger` what number follows; it is computed from the lines alone. `consolidate` looks at a `pool`, finds patterns
(`clustering`, `consolidation`), and writes suggestions (`suggestion_file`) that a person decides on.
"""
