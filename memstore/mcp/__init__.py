"""A server for agents, by the Model Context Protocol: `memstore mcp`.

A message comes in at `stdio.py`, which knows lines, or at `http.py`, where the official SDK speaks; `protocol.py` knows
methods, in both eras of the protocol; `server.py` knows who is served, and the contexts that were entered. A tool is
one or more commands of the command line (`tools.py`), run in a session that keeps what they say (`call.py`): what it
shows, refuses and says is what the command does.
"""
