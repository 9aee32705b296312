"""`memstore list`, `memstore show`, `memstore path`.

The form that every command module has: a decorated function that parses nothing itself, calls one flow, and emits
its value with one function for the JSON document and one for the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.cli.options import command, ref_argument

if TYPE_CHECKING:
    from memstore.cli.session import Session


@command("path", examples=("memstore path m_7f3k9q2x1c", "$EDITOR $(memstore path belief:m_7f3)"))
@ref_argument()
def path(session: Session, ref: str) -> None:
    """Print the path of a memory's file, relative to the vault."""
    from memstore.flows.show import show_memory

    found = show_memory(session.workspace(), ref)
    session.emit(
        "path",
        document=lambda: {"ref": found.entry.ref, "path": found.entry.path},
        lines=lambda: (found.entry.path,),
    )
