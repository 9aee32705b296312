"""Find conflicts: decide whether two memories can both be right, by comparing statements without a language model.

Entry points: `conflict.conflict` for two memories, `compare.conflicts` for a vault, `among.Among` for the hits of one
search, `resolve.resolve_conflict` to decide a conflict, `duplicates.dedupe` for memories that say nearly the same,
`candidates.candidates` for what may concern a memory and somebody else is to judge.

The steps: `compare.Comparer` finds similar memories with the index; in a search, cached `gists` (made by `gisting`)
rule out hits that can't be in conflict. `statements` splits texts into sentences and tokens. `contradiction` aligns
two sentences and judges the differences with `lexicon` and `quantities`. If the word order differs, `frames` finds
what each sentence is about, and `denials`, `states` and `values` judge, restricted by `guards`; `updates` finds what is
said to have changed, in whatever words.
`conflict` returns the kind, the penalty and the command that settles it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.facet import Facet

if TYPE_CHECKING:
    from memstore.conflicts.inference import Inference
    from memstore.conflicts.lexicon import WordNet

LEXICON: Facet[WordNet] = Facet("lexicon")
INFERENCE: Facet[Inference | None] = Facet("inference")
