"""Who vouches for a memory: signatures, witnesses, anchors, verified now."""
