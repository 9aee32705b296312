"""Files that are published at the top level of the repository and shipped inside the package."""

from __future__ import annotations

from pathlib import Path

from memstore.errors import VaultError

_PACKAGE = Path(__file__).resolve().parent.parent


def shipped(name: str) -> Path:
    """Return where a file of `hooks/` or `schemas/` lies: in the installed package, or beside it in a checkout.

    Args:
        name: with its folder, like `hooks/pre-commit`.
    """
    for place in (_PACKAGE / "_shipped" / name, _PACKAGE.parent / name):
        if place.is_file():
            return place
    raise VaultError(f"memstore's own file {name} is missing", hint="install memstore again")
