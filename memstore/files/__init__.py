"""Bytes and disk: a memory file read strictly and edited by splices, the vault's folder, its lock and journal."""
