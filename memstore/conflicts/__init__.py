"""Whether two memories can both be right: statements laid side by side."""
