"""The daily note: one memory per day, to which lines are added as the day goes by.

Where the vault's owner already keeps daily notes with another program, as `daily/2026-02-01.md` or
`journals/2026_02_01.md`, it is the file of that day there.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from memstore.access import RIGHTS
from memstore.core.change import Edit, Saved
from memstore.core.errors import UsageError
from memstore.core.places import kind_of, stem_of
from memstore.core.transaction import Saving, again_where_changed, save, unchanged
from memstore.files import FILES
from memstore.memories.add import composed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.core.view import View
    from memstore.files.fence import FencedText


TAG = "daily"
_ITEM = re.compile(r"\s*[-*+] ")

# Where Obsidian's core plugin "Daily notes" keeps its settings, and the formats that are understood.
OBSIDIAN_SETTINGS = ".obsidian/daily-notes.json"
_OBSIDIAN_FORMAT = re.compile(r"(?:YYYY|MM|DD|[^A-Za-z\[\]{}])+")
_NAMED_FOR_DAY = re.compile(r"(\d{4})([-_])(\d\d)\2(\d\d)")
# So many of the latest notes named for a day show where the daily ones are; a meeting's notes may be among them.
_LATEST = 10


@again_where_changed
def note_today(view: View, line: str | None = None, *, dry_run: bool = False, commit: bool = False) -> Saved:
    """Append a line to the actor's note of this day; the note is begun if there is none yet.

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
    day = view.clock.here().date().isoformat()
    if dry_run or path_of_day(view, day):
        return _put_down(view, day, line, dry_run=dry_run, commit=commit)
    with view.locked():  # two people who begin the day at once begin one note
        return _put_down(view.again(), day, line, dry_run=dry_run, commit=commit)


def path_of_day(view: View, day: str) -> str | None:
    """Return the path of the actor's own daily note of a day, YYYY-MM-DD, in this context; None if there is none.

    The first of several; one with the tag and the title of daily notes comes before one of another program.
    """
    if tagged := _tagged(view, day):
        return tagged
    usual, paths = _usual_place(view, day), view.column("path")
    return usual if any(paths[row] == usual for row in _own_notes(view)) else None


def _tagged(view: View, day: str) -> str | None:
    context = view.of(RIGHTS).session.context
    titles = view.column("title")
    entries = (view.entry(row) for row in view.rows if titles[row].split(maxsplit=1)[:1] == [day])
    found = sorted(
        (entry.created_at, entry.path)
        for entry in entries
        if entry.type == "note"
        and TAG in entry.tags
        and (entry.status or "active") == "active"
        and view.owns_as(entry.owner)
        and entry.context == (context.id if context else "")
    )
    return found[0][1] if found else None


# -- where other programs keep them ----------------------------------------------------------------


def _usual_place(view: View, day: str) -> str | None:
    """Return the path of a day's note as the owner's other program names it; None if there is no such habit."""
    if not view.is_owners or view.of(RIGHTS).session.context:
        return None
    form = _obsidian_form(view)
    if form is None:
        latest = sorted((kept for kept in _named_for_days(view) if kept[0] <= day), reverse=True)
        forms = Counter(_form_of(path, other) for other, path in latest[:_LATEST])
        form = max(forms, key=lambda one: forms[one], default=None)  # of two as frequent, the one used last
    return form.format(*day.split("-")) if form else None


def _named_for_days(view: View) -> Iterator[tuple[str, str]]:
    """Yield the day, YYYY-MM-DD, of each of the owner's notes whose name is a day, and the note's path."""
    paths = view.column("path")
    for row in _own_notes(view):
        if (named := _NAMED_FOR_DAY.fullmatch(stem_of(paths[row]))) and kind_of(paths[row]) is None:
            yield "-".join(named.group(1, 3, 4)), paths[row]


def _own_notes(view: View) -> Iterator[int]:
    """Yield the rows of the actor's notes that belong to no context, plain ones, too."""
    yield from view.plain
    types, statuses, owners, contexts = map(view.column, ("type", "status", "owner", "context"))
    for row in view.rows:
        is_active_note = types[row] == "note" and statuses[row] in ("", "active") and not contexts[row]
        if is_active_note and view.owns_as(owners[row]):
            yield row


def _form_of(path: str, day: str) -> str:
    """Return the form of a daily note's path, for `str.format` with year, month and day."""
    year, month, _ = day.split("-")
    known = {year: "{0}", month: "{1}", f"{year}-{month}": "{0}-{1}", f"{year}_{month}": "{0}_{1}"}
    *folders, name = path.replace("{", "{{").replace("}", "}}").split("/")
    separator, suffix = name[4], name[len(day) :]
    return "/".join([*(known.get(one, one) for one in folders), f"{{0}}{separator}{{1}}{separator}{{2}}{suffix}"])


def _obsidian_form(view: View) -> str | None:
    """Return where Obsidian puts daily notes; None if its settings don't say so in a form that is understood."""
    settings = None
    with suppress(OSError, ValueError):
        settings = json.loads(view.of(FILES).read(view.root / OBSIDIAN_SETTINGS))
    if not isinstance(settings, dict):
        return None
    folder, name = settings.get("folder") or "", settings.get("format") or "YYYY-MM-DD"
    if not (isinstance(folder, str) and isinstance(name, str) and _OBSIDIAN_FORMAT.fullmatch(name)):
        return None
    for sign, field in (("YYYY", "{0}"), ("MM", "{1}"), ("DD", "{2}")):
        name = name.replace(sign, field)
    folder = folder.replace("{", "{{").replace("}", "}}")
    form = posixpath.normpath(f"{folder.strip('/')}/{name}.md".lstrip("/"))
    is_outside = any(part.startswith(".") for part in form.split("/"))
    return None if is_outside or "{2}" not in form or kind_of(form) else form


# -- writing ---------------------------------------------------------------------------------------


def _put_down(view: View, day: str, line: str | None, **saving: Unpack[Saving]) -> Saved:
    path = path_of_day(view, day)
    if path is None:
        return _begin(view, day, line, **saving)
    paths = view.column("path")
    if line is None and any(paths[row] == path for row in view.plain):
        return Saved(ref=None, path=path, title=day, diff="")  # it stays a plain note until a line is added
    file = view.original(path)
    if line is None:
        return unchanged(file)
    text = with_item(file.text, line)
    edit = Edit(path=file.path, before=file, after=text.joined(text.head))
    return save(view, edit, verb="today", **saving)


def _begin(view: View, day: str, line: str | None, **saving: Unpack[Saving]) -> Saved:
    body = f"# {day}\n" if line is None else f"# {day}\n\n{_item(line)}\n"
    new = composed(view, {"title": day, "tags": [TAG]}, body)
    edit = new.edit
    if path := _usual_place(view, day):
        edit = replace(edit, path=path, made=new.file._replace(path=path))
    return new.with_remarks(save(view, edit, verb="today", **saving))


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
