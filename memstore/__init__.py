"""memstore: long-term memory in plain text, for agents and the people who work with them."""

__version__ = "0.1.0"
