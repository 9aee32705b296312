"""How does an editor use it? A language server for memories and notes."""
