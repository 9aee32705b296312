"""The vault as a whole: what one principal may see of it, and the only way to write it.

Start at `composition.open_workspace`, then `Workspace.view()`; `check`, `doctor`, `status`, `init` are use cases.

Reading goes through `view.VaultView`: one snapshot, the rows that `sight` admits, files without refs to hidden memories
(`finding`). Writing goes through `transaction.VaultTransaction`: collect, check everything, compare under the lock,
journal, write (`writing`), commit (`committing`); `undoing` takes it back. Use cases get the protocols of
`memstore.core` and may import neither.
"""
