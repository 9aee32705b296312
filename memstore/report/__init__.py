"""How does a person look at a whole vault? One page, and drawings.

Nothing in the page can run, load or send anything: what a memory says is text there, whatever it contains.
"""
