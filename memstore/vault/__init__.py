"""The vault as a whole: what one principal may see of it, and the only way to write it."""
