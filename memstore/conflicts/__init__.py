"""Whether two memories can both be right: statements laid side by side, without a language model.

Enter at `conflict.conflict` for two memories, `compare.conflicts` for a vault, `among.Among` for the hits of one
search, `resolve.resolve_conflict` to decide, `duplicates.dedupe` for what says nearly the same.

A call runs like this: `compare.Comparer` finds what is alike by the index, or `gists`, made by `gisting` and kept,
tell which hits of a search can't be in conflict; `statements` cuts texts into sentences and tokens; `contradiction`
lays two sentences side by side and judges what differs, by `lexicon` and `quantities`; where the order of their words
differs, `frames` says what each is about, and `denials`, `opposites`, `states` and `values` judge, each with its
`guards`; `conflict` names the kind, the cost and the command that settles it.
"""
