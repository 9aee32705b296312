"""The vault in git: commits, revisions of a memory, and changes between two states.

Start with `history.History`, which defines what the project needs of git. `log`, `revisions` (who wrote which line) and
`diff` are use cases on a view.

A use case calls `git_history.GitHistory`, which calls `git_process`: one plain git process that executes nothing a
repository's configuration names. Objects are checked against their names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.facet import Facet

if TYPE_CHECKING:
    from memstore.history.facets import WorkTree
    from memstore.history.git_history import GitHistory

HISTORY: Facet[GitHistory] = Facet("history")
WORK_TREE: Facet[WorkTree] = Facet("work tree")
