"""Everyday use cases that need several capabilities: add, edit, show, search, promote, split, adopt, import.

Start at the function named like the command: `add.add_memory`, `edit.set_keys`, `show`, `search.search`, `why`,
`promote`, `adopt`.

A call runs like this: read through the view; let the capabilities decide (`access.grants` what a new memory inherits,
`beliefs` its confidence, `conflicts` and `trust` how a hit is rated); write through `core.transaction.save`; return a
value. Nothing here knows of the command line or of JSON.
"""
