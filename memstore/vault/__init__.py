"""The vault as a whole: what one principal may see of it, and the only way to write it.

Start at `composition.open_workspace`, then `Workspace.view()`; `check`, `doctor`, `status`, `init` are use cases.

Reading goes through `view.VaultView`: one snapshot, the rows that `sight` admits, files without refs to hidden memories
(`finding`). Writing goes through `transaction.VaultTransaction`: collect, check everything, compare under the lock,
journal, write (`writing`), commit (`committing`); `undoing` takes it back. Use cases get the protocols of
`memstore.core` and may import neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.facet import Facet

if TYPE_CHECKING:
    from memstore.vault.gate import Gate

# The gate before anything is written, for those who take in texts of others (docs/adr/0047).
GATE: Facet[Gate] = Facet("gate")
