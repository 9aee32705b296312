"""The daily note: one memory per day, to which lines are added as the day goes by."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memstore.core.change import Edit
from memstore.core.errors import UsageError
from memstore.core.times import instant
from memstore.core.transaction import again_where_changed, save, unchanged
from memstore.memories.add import write_new

if TYPE_CHECKING:
    from memstore.core.change import Saved
    from memstore.core.view import View
    from memstore.files.fence import FencedText


TAG = "daily"
_ITEM = re.compile(r"\s*[-*+] ")


@again_where_changed
def note_today(view: View, line: str | None = None, *, dry_run: bool = False, commit: bool = False) -> Saved:
    """Append a line to the actor's note of this day (UTC); the note is begun if there is none yet.

    A note belongs to the context in which it was begun: what is said in private is never added to a note that a context
    shares.

    Args:
        view: the vault.
        line: the text to add, as an item of a list; None only begins the note.
        dry_run: write nothing; return what would be written.
        commit: commit it, too.

    Raises:
        UsageError: the line is empty.
        RefusedError: the active context has expired, or is not a single context.
    """
    if line is not None and not line.strip():
        raise UsageError("there is no text to add", hint='memstore today "what happened"')
    day = instant(view.clock.now())[:10]
    if dry_run or path_of_day(view, day):
        return _put_down(view, day, line, dry_run=dry_run, commit=commit)
    with view.locked():  # two people who begin the day at once begin one note
        return _put_down(view.again(), day, line, dry_run=dry_run, commit=commit)


def path_of_day(view: View, day: str) -> str | None:
    """Return the path of the actor's own daily note of a day, YYYY-MM-DD, in this context; the first of several."""
    context = view.session.context
    titles = view.column("title")
    entries = (view.entry(row) for row in view.rows if titles[row].split(maxsplit=1)[:1] == [day])
    found = sorted(
        (entry.created_at, entry.path)
        for entry in entries
        if entry.type == "note"
        and TAG in entry.tags
        and (entry.status or "active") == "active"
        and (entry.owner or view.config.owner) == view.actor
        and entry.context == (context.id if context else "")
    )
    return found[0][1] if found else None


def _put_down(view: View, day: str, line: str | None, *, dry_run: bool, commit: bool) -> Saved:
    path = path_of_day(view, day)
    if path is None:
        body = f"# {day}\n" if line is None else f"# {day}\n\n{_item(line)}\n"
        return write_new(view, {"title": day, "tags": [TAG]}, body, verb="today", dry_run=dry_run, commit=commit)
    file = view.original(path)
    if line is None:
        return unchanged(file)
    text = with_item(file.text, line)
    edit = Edit(path=file.path, before=file, after=text.joined(text.head))
    return save(view, edit, verb="today", dry_run=dry_run, commit=commit)


def with_item(text: FencedText, line: str) -> FencedText:
    """Return a file's text with a list item appended; existing text stays unchanged, byte for byte."""
    newline = text.newline
    body = text.body
    if body and not body.endswith("\n"):
        body += newline
    last = next((one for one in reversed(body.splitlines()) if one.strip()), "")
    in_list = _ITEM.match(last) is not None or (last[:1] in " \t" and bool(last))
    if not (in_list or body.endswith((newline * 2, "\n\n"))) and body != newline:
        body += newline
    return text._replace(body=body + _item(line).replace("\n", newline) + newline)


def _item(line: str) -> str:
    """Return a text as a Markdown list item, with its further lines indented."""
    first, *others = line.replace("\r\n", "\n").strip().split("\n")
    return "\n".join([f"- {first}", *(f"  {other}".rstrip() for other in others)])
