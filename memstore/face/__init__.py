"""The Python face: `memstore.open_vault` returns a `Vault`, with one attribute per capability.

Start at `vault.open_vault` and `vault.Vault`. `access`, `beliefs`, `lineage` and `trust` hold the classes of its
attributes, whose methods are use cases (`forward.Forward`); `batch` writes many memories at once.

A call runs like this: `forward` checks the arguments, or `given` turns words, filters and keys into what the use case
takes; `Vault.view` takes a new view, with every check that the program makes when it starts; one use case does the
work; its result is returned unchanged.
"""
