"""The vault in git: commits, revisions of a memory, what changed between two states."""
