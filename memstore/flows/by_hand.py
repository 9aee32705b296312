"""What a person or program may give a memory by itself, and what only the program keeps."""

from __future__ import annotations

from memstore.errors import RefusedError, UsageError
from memstore.rules.not_by_hand import why_not


def refuse_by_hand(key: str, value: object) -> None:
    """Stop where a key is not to be given this value by hand.

    Raises:
        RefusedError: the program keeps the key, or another command sets it.
        UsageError: it is no key.
    """
    if not key.strip():
        raise UsageError("a key needs a name", hint="write KEY=VALUE")
    refusal = why_not(key, str(value))
    if refusal is not None:
        raise RefusedError(f"`{key}` is not set by hand: {refusal.why}", hint=refusal.instead)
