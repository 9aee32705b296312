"""A Model Context Protocol (MCP) server for agents: `memstore mcp`.

Messages arrive as lines on standard input (`stdio.py`), or over HTTP through the official SDK (`http.py`).
`protocol.py` implements the methods, in both eras of the protocol; `server.py` holds who is served and which contexts
were entered. A tool runs one or more commands of the command line (`tools.py`) in a session that collects their output
(`call.py`), so a tool shows, refuses and reports exactly what its command does.
"""
