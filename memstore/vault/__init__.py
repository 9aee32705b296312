"""The vault as a whole: what one principal may see of it, and the only way to write it.

Enter at `composition.open_workspace`, then `Workspace.view()`; `check`, `doctor`, `status`, `init` are use cases.

Reading runs through `view.VaultView`: one snapshot, the rows that `sight` leaves, files without refs to what is
hidden (`finding`). Writing runs through `transaction.VaultTransaction`: collect, check everything, compare under the
lock, journal, write (`writing`), commit (`committing`); `undoing` takes it back. Use cases get protocols of
`memstore.core` and may import neither.
"""
