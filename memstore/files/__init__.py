"""Bytes and disk: memory files are read strictly and edited by splicing; the vault's folder, its lock and journal.

Start with `memory_file.read` for a file's value or its findings, `splice.apply` for an edit, and
`disk_vault.DiskVault`.

Reading goes through `fence`, `plain_lines` or `strict_yaml`, and `shapes`; `advice` explains what can't be read. For
writing, `splice` changes only the text it must, reads the result again, and compares. `disk_vault` puts it in place
atomically, under `write_lock`, if the file is still the one that was read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.core.facet import Facet

if TYPE_CHECKING:
    from memstore.files.facets import NamedFiles

FILES: Facet[NamedFiles] = Facet("named files")
