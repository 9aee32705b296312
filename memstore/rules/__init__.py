"""What may be concluded: pure decisions, without I/O, clock or chance."""
