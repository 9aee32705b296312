"""A vault for the adapters, with something in it for everybody and something for its owner alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import memstore
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

    from memstore import Vault

OWNER, OTHER = "si:ash", "si:max"


def made(home: Path) -> InProcess:
    """Return the program with an empty vault."""
    program = InProcess(home)
    program.vault.mkdir()
    program.ok("init", ".", "--owner", OWNER)
    return program


def opened(program: InProcess, entity: str = OWNER) -> Vault:
    """Return the vault as an entity sees it."""
    return memstore.open_vault(program.vault, entity=entity, track=False)
