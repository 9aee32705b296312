"""What the log of deliberate uses of memories has: local for this user on this machine, never in the repository."""

# Not `from __future__ import annotations`: every annotation of a named tuple would be a text that Python compiles
# (docs/adr/0029).

from datetime import datetime
from typing import Literal, NamedTuple

# The kinds of use. Being listed, found or surfaced is not a use.
How = Literal["show", "expand", "cite", "accept"]


class Use(NamedTuple):
    """One use of a memory: the time in UTC, the entity, and the kind (`How`; other versions may have other kinds)."""

    memory_id: str
    at: datetime
    by: str
    how: str
