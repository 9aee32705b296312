"""Change keys of a plain note, or move it, and leave it a plain note: only the lines change that are asked for."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Unpack

from memstore.core.change import Saved, Written
from memstore.core.keys import KEY_BY_NAME
from memstore.core.transaction import Saving, unified_diff
from memstore.files import memory_file, plain_note, splice
from memstore.files.draft import new_file
from memstore.files.fence import BOM, FencedText
from memstore.files.memory_file import PlainFile
from memstore.files.shapes import is_absent
from memstore.files.strict_yaml import folded_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.core.errors import PlainNoteError
    from memstore.core.finding import Problem
    from memstore.core.view import View
    from memstore.files.memory_file import ReadFile
    from memstore.files.render import Plain

_TOML_FENCE = b"+++"
_JSON_FENCE = re.compile(r"\{[ \t]*\r?\n")
# The keys that a plain note is read by; any other of memstore's is a memory's.
_READ = frozenset({"title", "aliases", "tags"})
_TAGS = ("tags", "tag", "keywords", "categories")


def note_of(view: View, error: PlainNoteError) -> PlainFile:
    """Return the plain note that was named where a memory is due, if its owner acts; else raise the error again."""
    note = view.text(error.path) if view.is_owners else None
    if not isinstance(note, PlainFile):
        raise error
    return note


def set_note_keys(view: View, error: PlainNoteError, values: Mapping[str, Plain], **saving: Unpack[Saving]) -> Saved:
    """Set keys of a plain note that are the person's own, or its title, aliases and tags; None removes one.

    Raises:
        PlainNoteError: a key is one that only memories have, or the note would be read as a memory.
        FormatError: its front matter can't be changed in these lines alone.
    """
    note = note_of(view, error)
    if any(name in KEY_BY_NAME and name not in _READ for name in values):
        raise error
    spelt = {folded_key(name): name for name in plain_note.read(note.data)[1]}
    named = {spelt.get(folded_key(name), name): value for name, value in values.items()}
    edits = [
        splice.RemoveKey(name) if is_absent(value) else splice.SetValue(name, value) for name, value in named.items()
    ]
    return _saved(view, error, note, _edited(error, note, edits, named), "set", **saving)


def tag_note(
    view: View, error: PlainNoteError, *, add: Sequence[Plain], remove: Sequence[Plain], **saving: Unpack[Saving]
) -> Saved:
    """Add tags to a plain note's front matter, and remove others, under the keys that it has for them.

    Raises:
        PlainNoteError, FormatError: as `set_note_keys`.
    """
    note = note_of(view, error)
    values = plain_note.read(note.data)[1]
    spelt = {folded_key(name): name for name in values if folded_key(name) in _TAGS}
    edits: list[splice.Edit] = []
    for key in {**dict.fromkeys(spelt), "tags": None}:
        name, adding = spelt.get(key, key), add if key == "tags" else ()
        if isinstance(said := values.get(name), str) and said.strip():
            there = re.findall(r"[^,\s]+", said)
            words = [word for word in there if word not in remove]
            words += [str(word) for word in adding if word not in words]
            edits.append(splice.SetValue(name, (" " if len(there) > 1 and "," not in said else ", ").join(words)))
        else:
            edits += [splice.RemoveItems(name, (*remove,)), splice.AppendItems(name, (*adding,))]
    return _saved(view, error, note, _edited(error, note, edits, {"tags": [*add]}), "tag", **saving)


def _edited(error: PlainNoteError, note: PlainFile, edits: Sequence[splice.Edit], new: Mapping[str, Plain]) -> bytes:
    """Return a note's bytes after the edits; a note without front matter gets one with what is `new`."""
    if front_matter_of_others(note.data.removeprefix(BOM)):
        raise error
    if note.text.head:
        return splice.apply_to_text(note.path, note.text, edits)
    there = {name: value for name, value in new.items() if not is_absent(value)}
    return with_keys(note, None, there) if there else note.data


def _saved(
    view: View, error: PlainNoteError, note: PlainFile, after: bytes, verb: str, **saving: Unpack[Saving]
) -> Saved:
    if not isinstance(memory_file.read(note.path, after, mixed=view.config.mixed), PlainFile):
        raise error  # here a fence alone makes a memory
    commit = None
    if after != note.data:
        with view.transaction(verb, **saving) as change:
            change.put(Written(note.path, note.data, after))
        commit = change.commit
    diff = unified_diff(note.path, note.data, after)
    return Saved(ref=None, path=note.path, title=note.memory.title or note.path, diff=diff, commit=commit)


def with_keys(file: ReadFile, text: FencedText | Problem | None, added: Mapping[str, Plain]) -> bytes:
    """Return a file's bytes with keys added; all existing bytes stay the same."""
    if isinstance(text, FencedText):
        return splice.apply_to_text(file.path, text, [splice.SetValue(name, value) for name, value in added.items()])
    newline = b"\r\n" if file.data.partition(b"\n")[0].endswith(b"\r") else b"\n"
    mark = BOM if file.data.startswith(BOM) else b""
    return mark + new_file(added, "").replace(b"\n", newline) + file.data.removeprefix(BOM)


def front_matter_of_others(data: bytes) -> str | None:
    """Return the language of front matter that isn't YAML, as Hugo reads it; None if there is none."""
    if data.startswith(_TOML_FENCE):
        return "TOML"
    text = data.decode(errors="replace")
    if not _JSON_FENCE.match(text):
        return None
    try:
        json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return "JSON"
