"""How memstore is set up in an agent's program or a text editor, and what that program's hooks get from it."""
