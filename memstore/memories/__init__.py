"""Everyday use cases that need several capabilities: add, edit, show, search, promote, split, adopt, import.

Enter at the function that the command is called: `add.add_memory`, `edit.set_keys`, `show`, `search.search`, `why`,
`promote`, `adopt`.

A call runs like this: read through the view, let the capabilities decide (`access.grants` what a new memory inherits,
`beliefs` its number, `conflicts` and `trust` what a hit is worth), write through `core.transaction.save`, and return
a value. Nothing here knows of the command line or of JSON.
"""
