"""Import memories from other programs, and export memories for them.

Start at `importing.py::import_from`. An importer, one of `formats.py::IMPORTERS`, reads an `ImportSource` and yields a
`Draft` for each memory, one after another, without keeping them in memory. `importing.py` turns drafts into new files,
leaves out those that were imported before, and writes the rest together with the originals that they cite;
`originals.py` decides where originals are kept. `exporting.py` exports memories through the view, and `records.py`
imports the JSONL that it writes.
"""
