"""The broker: answers of commands over HTTP, for whoever brings tokens: `memstore engine serve`.

`answering.py` runs a command for whom a token stands, on the vault that it is for; `http.py` is the door.
"""
