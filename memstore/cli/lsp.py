"""`memstore lsp`: serve vaults to a text editor, and set it up."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memstore.cli.commands import GROUPS
from memstore.cli.options import command, group

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.cli.session import CliSession
    from memstore.vault.composition import KeptOpen


@group(
    "lsp",
    table=GROUPS["lsp"],
    default="serve",
    examples=(
        "memstore lsp install nvim",
        "memstore lsp                                              # an editor starts it: docs/editors.md",
    ),
)
def lsp() -> None:
    """Serve memories and notes to a text editor, by the Language Server Protocol, and let an editor start that."""


@command("serve", examples=("memstore lsp                              # an editor starts it: docs/editors.md",))
def serve(session: CliSession) -> None:
    """Serve memories and notes to a text editor on standard input and output, by the Language Server Protocol.

    The vaults are those around the files that the editor opens. Who looks is fixed when the server starts, by --as; so
    is the context.
    """
    from memstore.core.errors import UsageError, VaultError

    try:
        from memstore.lsp.open_files import OpenVaults
        from memstore.lsp.server import serve as serve_editor
    except ModuleNotFoundError as error:
        raise VaultError(
            f"a language server needs pygls, and there is no module {error.name}",
            hint='pip install "memstore-vault[lsp]"',
        ) from error
    from memstore.cli.main import stay

    session.stop_at_two_audiences()
    env = session.environment()
    if env.at_terminal:
        raise UsageError(
            "an editor starts this, and talks to it by a pipe", hint="memstore lsp install NAME, or docs/editors.md"
        )
    stay()
    serve_editor(OpenVaults(partial(_opened, session), partial(_root_of, session)))


def _root_of(session: CliSession, file: Path) -> Path | None:
    """Return the vault that --vault names if a file is in it, else the nearest around it; None if there is none."""
    from memstore.files.local_state import vault_around
    from memstore.vault.composition import find_vault

    around = vault_around(file)
    if session.choices.vault is None:
        return around
    named = find_vault(session.environment(), session.choices.vault)
    return named if around == named else None


def _opened(session: CliSession, root: Path) -> KeptOpen:
    from memstore.vault.composition import keep_open

    choices = session.choices
    env = session.environment()._replace(on_progress=None)
    return keep_open(env, root, choices.entity, context=choices.context, alone=choices.alone, track=False)
