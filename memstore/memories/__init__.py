"""Everyday use cases that need several capabilities: add, edit, show, search, promote, adopt."""
