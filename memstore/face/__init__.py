"""The Python face: `memstore.open_vault` gives a `Vault`, with an attribute for each capability."""
