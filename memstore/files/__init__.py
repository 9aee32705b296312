"""Bytes and disk: a memory file read strictly and edited by splices; the vault's folder, its lock and journal.

Enter at `memory_file.read` for a file's value or its findings, `splice.apply` for an edit, `disk_vault.DiskVault`.

Reading runs through `fence`, `plain_lines` or `strict_yaml`, and `shapes`; what can't be read is explained by
`advice`. Writing: `splice` changes the text where it must, reads the result again, and compares; `disk_vault` puts
it in place atomically, under `write_lock`, if the file is still the one that was read.
"""
