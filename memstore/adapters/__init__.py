"""The world: disk, git, Whoosh, clock, chance."""
