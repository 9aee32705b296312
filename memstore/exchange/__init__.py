"""Import and export: memories of other programs, and memories for them.

`importing.py::import_from` is where one enters. An importer, one of `formats.py::IMPORTERS`, reads a `Source` and gives
a `Draft` for each memory, in order and without keeping what it has given. `importing.py` turns drafts into new files,
leaves out those that were imported before, and writes the rest with the originals that they cite; `originals.py` says
where originals are kept. `exporting.py` goes the other way, through the view alone, and `records.py` reads again what
it wrote as JSONL.
"""
