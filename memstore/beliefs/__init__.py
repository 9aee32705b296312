"""How sure one is and why: the ledger, evidence, what follows from it; consolidation and recall."""
