"""The Python face: `memstore.open_vault` gives a `Vault`, with an attribute for each capability.

Enter at `vault.open_vault` and `vault.Vault`; `access`, `beliefs`, `lineage` and `trust` are its attributes, `batch`
is many changes at once.

A call runs like this: `given` makes names, lists and filters into what use cases take, `Vault.view` takes a new view
with all checks that the program makes when it starts, one use case does the work, and its value is returned as it is.
"""
