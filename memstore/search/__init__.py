"""Queries to ranked hits that cite lines; the index on disk, which is never stale."""
