"""A shell's completions for the name of a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.core.errors import MemstoreError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from memstore.cli.session import CliSession

# A shell shows a screenful; more would only be slow.
MOST_REFS = 200


def complete_refs(session: CliSession, incomplete: str, *, by_name: bool = False) -> list[CompletionItem[Any]]:
    """Return the names, beginning with `incomplete`, of memories that the viewer may see; empty without a vault.

    These are refs and ids; with `by_name` a title instead, if it means only this memory. They may begin with `[[`.
    """
    from click.shell_completion import CompletionItem

    from memstore.cli.output import safe_line
    from memstore.vault.note_names import NoteNames, folded, notes_of

    try:
        view = session.view()
        notes = notes_of(view, view.rows)
    except (MemstoreError, OSError):
        return []  # a shell can't show an error
    types = view.column("type")
    names = NoteNames(notes)
    typed = incomplete.removeprefix("[[")
    opening, closing = ("[[", "]]") if typed != incomplete else ("", "")
    found = []
    for note in notes:
        ref = f"{types[note.row]}:{note.id}" if note.id else note.path
        name = next((name for name in (ref, note.id) if name.startswith(typed)), "")
        shown, about = name, safe_line(note.title)
        if by_name and _is_offered(note.title, typed) and list(names.called(note.title)) == [note.row]:
            shown, about = note.title, ref
        if shown:
            found.append(CompletionItem(f"{opening}{shown}{closing}", help=about))
    # Sorted, because the order of rows would reveal hidden ones.
    found.sort(key=lambda item: (folded(str(item.value)), str(item.value), item.help or ""))
    return found[:MOST_REFS]


def _is_offered(title: str, typed: str) -> bool:
    """Whether a title can be typed as it is, and begins with what was typed so far."""
    from memstore.vault.note_names import folded

    return title.isprintable() and not {*title} & {*"[]|#"} and folded(title).startswith(folded(typed))
