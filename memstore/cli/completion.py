"""`memstore completion`, and what a shell is offered for a word that is being typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from memstore.cli.session import Session


def complete_refs(session: Session, incomplete: str) -> list[CompletionItem[Any]]:
    """Return the refs that begin with `incomplete` and that the viewer may see; none where there is no vault."""
    del session, incomplete
    return []
