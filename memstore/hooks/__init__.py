"""What git calls: checks of staged files and of commit messages, without click, Whoosh or GitPython.

Enter at `pre_commit.main` and `commit_msg.main`; the shims in a repository are those of `history.git_hooks`.

A call runs like this: `repository` finds the vaults that a commit touches, `vault.staged` reads what is staged and
checks it as a successor of what is committed, and the exit code stops the commit or lets it pass.
"""
