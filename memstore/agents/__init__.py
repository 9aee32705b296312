"""How memstore is set up in an agent's program, and what that program's hooks get from it."""
