"""The vault as a whole: what one principal may see of it, and the only way to write it.

`Workspace` holds the files, the history, the index and the machine's own state; nothing but this package sees them.
`Workspace.view()` gives a use case all that its principal may see (`view.py`); `view.transaction(...)` writes
(`transaction.py`): check, lock, compare, journal, files, commit.
"""
