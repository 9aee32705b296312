"""The programs that git calls: they check staged files and commit messages, without click, Whoosh or GitPython.

Start with `pre_commit.main` and `commit_msg.main`; `history.git_hooks` installs the shims that call them.

`repository` finds the vaults that a commit touches, `vault.staged` reads what is staged and checks it as a successor of
what is committed, and the exit code stops the commit or lets it pass.
"""
