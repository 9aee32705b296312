"""The vault in git: commits, revisions of a memory, what changed between two states.

Enter at `history.History`, what the project needs of git; `log`, `revisions` (who wrote which line) and `diff` are
use cases on a view.

A call runs from a use case to `git_history.GitHistory`, from there to `git_process`: one plain git process, in which
nothing that a repository's configuration names is executed. Objects are checked against their names.
"""
