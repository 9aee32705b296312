"""Links of notes: where they lead, what leads to a note, and how they stay valid when a file moves.

Links are for navigation. They don't say what a memory was made from, and they are not evidence.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from memstore.core.change import Edit, Written
from memstore.core.places import page_names, without_suffix
from memstore.core.quotation import shown_title
from memstore.core.short_repr import short_repr
from memstore.files import FILES, memory_file
from memstore.files.links import LinkKind, fits_in_value, links_in, links_in_values
from memstore.files.memory_file import MemoryFile, PlainFile
from memstore.history.sparse import left_out
from memstore.vault.note_names import LinkTable, folded, last_word, names_of
from memstore.vault.transitions import findings_between

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.core.named import Named
    from memstore.core.view import View
    from memstore.files.links import PlacedLink, TextLink
    from memstore.vault.note_names import Note, NoteNames


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedNote:
    """A note at one end of a link: its path, its ref if it has one, and its title or else its file stem."""

    path: str
    ref: str | None
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteLink:
    """A link on line `line` of the file of the note `source`; `written` is the link as written there, without its text.

    `target` is the note that it leads to, None for nowhere; `others` are the paths of notes that have the same name.
    `not_checked_out` is the path of the note that it leads to if a sparse checkout leaves that out of the work tree.
    """

    source: LinkedNote
    line: int
    written: str
    target: LinkedNote | None
    others: tuple[str, ...] = ()
    not_checked_out: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteLinks:
    """The links of a note, `outgoing` by line, and those of others that lead to it, `incoming` by path and line."""

    note: LinkedNote
    outgoing: tuple[NoteLink, ...]
    incoming: tuple[NoteLink, ...]

    __repr__ = short_repr

    @property
    def ref(self) -> str | None:
        """The ref of the note; None if it has no id."""
        return self.note.ref


def links(view: View, memory: Named) -> NoteLinks:
    """Return where the links of a note lead, and which links lead to it, as far as the viewer may see.

    A link to a hidden note leads nowhere, and links in hidden notes are left out.

    Args:
        view: the vault.
        memory: the name of the note.

    Raises:
        NotFoundError: there is no such note that the viewer may see.
    """
    path = view.named(memory, notes=True).path
    table = LinkTable(view)
    own = next(note for note in table.notes if note.path == path)
    outgoing = tuple(_outgoing(view, table, own))
    incoming = tuple(
        NoteLink(source=_end(view, other), line=line, written=link.written, target=_end(view, own))
        for other, line, link in table.leading_to(own.row)
    )
    ends = [*(link.source for link in incoming), *(link.target for link in outgoing)]
    view.note_shown("links", [end.ref.partition(":")[2] for end in ends if end and end.ref])
    return NoteLinks(note=_end(view, own), outgoing=outgoing, incoming=incoming)


def _outgoing(view: View, table: LinkTable, own: Note) -> Iterator[NoteLink]:
    elsewhere: NoteNames | None = None
    for line, link in table.links_of(own.row):
        rows = table.led_to(own.row, link)
        if rows or table.is_lost(own.row, link):
            left: Sequence[int] = ()
            if not rows and view.is_owners:
                elsewhere = elsewhere or names_of(left_out(view))
                left = elsewhere.led_to(link, of=own.path)
            yield NoteLink(
                source=_end(view, own),
                line=line,
                written=link.written,
                target=_end(view, table.names[rows[0]]) if rows else None,
                others=tuple(table.names[row].path for row in rows[1:]),
                not_checked_out=elsewhere[left[0]].path if elsewhere and left else None,
            )


def _end(view: View, note: Note) -> LinkedNote:
    kind = view.column("type")[note.row]
    title = note.title or without_suffix(note.path.rpartition("/")[2])
    title = shown_title(title, view.column("source_type")[note.row])
    return LinkedNote(path=note.path, ref=f"{kind}:{note.id}" if note.id else None, title=title)


# -- when a file moves -----------------------------------------------------------------------------


class LeftLink(NamedTuple):
    """A link that a move would have to change but can't: where it is, and why it stays."""

    path: str
    line: int
    written: str
    why: str


class Relinked(NamedTuple):
    """The effect of a move on links: the moved file's bytes, edits of memories and plain notes, unchanged links."""

    moved: bytes
    edits: tuple[Edit, ...]
    plain: tuple[Written, ...]
    left: tuple[LeftLink, ...]


def relinked(view: View, file: MemoryFile | PlainFile, to: str) -> Relinked:
    """Return the changes of links when a memory's file moves, so that each leads to the same note as before.

    Only the target in a link changes, and only if necessary: a file stem stays one while it leads to the same note, a
    relative path stays relative. Other people's files are left alone, and so are signed ones, whose signature covers
    the text as it is.

    Args:
        view: the vault.
        file: the memory or plain note that moves.
        to: its new path, where no file exists.
    """
    table = LinkTable(view)
    moving = next(note for note in table.notes if note.path == file.path)
    plan = _Plan(view, moving, to, table.names, table.names.moved(moving.row, to))
    moved = file.data
    edits, plain, left = [], [], []
    for note in sorted(table.notes, key=lambda note: note.path):
        # The catalogue has no links to pictures, which are adjusted as well.
        if note != moving and not any(plan.concerns(note, link) for _, link in table.links_of(note.row)):
            continue
        source = _read(view, note)
        if source is None:
            continue
        linked = _linked_text(source)
        changes, stuck = plan.changes(note, linked)
        why = _why_left(view, source, linked, _with_targets(source, linked, changes)) if changes else ""
        changed = [] if why else changes
        stuck += [(placed, why) for placed, _ in changes if why]
        left += [
            LeftLink(note.path, linked.line + linked.text.count("\n", 0, placed.start), placed.link.written, reason)
            for placed, reason in stuck
        ]
        after = _with_targets(source, linked, changed)
        if note == moving:
            moved = after
        elif changed and isinstance(source, MemoryFile):
            edits.append(Edit(path=note.path, before=source, after=after))
        elif changed:
            plain.append(Written(note.path, source.data, after))
    return Relinked(moved, tuple(edits), tuple(plain), tuple(left))


def _read(view: View, note: Note) -> memory_file.ReadFile | None:
    """Return the file of a note, unredacted if the actor may change it; None if it can't be read."""
    if note.row in view.plain:
        return view.text(note.path)
    file = view.read(note.path)
    return view.original(note.path) if file and view.owns(file.memory) else file


class _LinkedText(NamedTuple):
    """A file from line `line` on: its frontmatter, which ends before the offset `body`, its text, and all its links."""

    text: str
    line: int
    body: int
    links: tuple[PlacedLink, ...]


def _linked_text(file: memory_file.ReadFile) -> _LinkedText:
    if not isinstance(file, MemoryFile | PlainFile):
        text = file.data.decode(errors="surrogateescape")
        return _LinkedText(text, 1, 0, tuple(links_in(text)))
    head = file.text.head + file.text.between.decode()
    line = file.text.head_line if head else file.text.body_line
    links = (*links_in_values(file.text), *(placed.shifted(len(head)) for placed in links_in(file.text.body)))
    return _LinkedText(head + file.text.body, line, len(head), links)


def _with_targets(file: memory_file.ReadFile, linked: _LinkedText, changes: Sequence[tuple[PlacedLink, str]]) -> bytes:
    """Return a file's bytes with new targets in its links; everything else stays the same."""
    if not changes:
        return file.data
    text, parts, at = linked.text, [], 0
    for placed, place in sorted(changes, key=lambda change: change[0].place_start):
        parts += [text[at : placed.place_start], place]
        at = placed.place_end
    before = file.data[: len(file.data) - len(text.encode(errors="surrogateescape"))]
    return before + "".join([*parts, text[at:]]).encode(errors="surrogateescape")


def _why_left(view: View, file: memory_file.ReadFile, linked: _LinkedText, after: bytes) -> str:
    """Return why a file is left as it is; empty if it may be changed."""
    if not isinstance(file, MemoryFile):
        return "" if file.data.endswith(linked.text.encode(errors="surrogateescape")) else "it is not in UTF-8"
    if not view.owns(file.memory):
        return f"it is {file.memory.owner or view.config.owner}'s"
    if file.memory.signature or file.memory.witnesses:
        return "it is signed as it is now"
    made = memory_file.read(file.path, after, mixed=view.config.mixed)
    if not isinstance(made, MemoryFile):
        return "it can no longer be read"
    return next((finding.text for finding in findings_between(file, made) if finding.is_error), "")


class _Plan(NamedTuple):
    """A move of the note `moving` to the path `to`, with the names of all notes before and after it."""

    view: View
    moving: Note
    to: str
    before: NoteNames
    after: NoteNames

    def concerns(self, note: Note, link: TextLink) -> bool:
        """Whether a link may have to change: it is in the moving file, or names it by its stem or path."""
        pages = {folded(name) for name in page_names(self.moving.path)}
        names = {last_word(self.moving.path), last_word(self.to)}
        return note == self.moving or last_word(link.target) in names or folded(link.target) in pages

    def changes(
        self, note: Note, linked: _LinkedText
    ) -> tuple[list[tuple[PlacedLink, str]], list[tuple[PlacedLink, str]]]:
        """Return the links of a file with their new targets, and those that can't have one with the reason."""
        changed, stuck = [], []
        for placed in linked.links:
            if placed.link.place and self.concerns(note, placed.link):
                place = self._place(note, placed.link, after=linked.text[placed.place_start - 1])
                if place == placed.link.place:
                    continue
                if place is None:
                    stuck.append((placed, "no link can name the new path"))
                elif placed.end <= linked.body and not fits_in_value(linked.text, placed, place):
                    stuck.append((placed, "YAML would read the new name otherwise"))
                else:
                    changed.append((placed, place))
        return changed, stuck

    def _place(self, note: Note, link: TextLink, *, after: str) -> str | None:
        """Return the target to write in a link after the move, behind the sign `after`; None if none would do."""
        of = self.to if note == self.moving else note.path
        was = self.before.led_to(link, of=note.path)
        if not was:
            target = self._file_beside(note, link)
            return link.place if target is None else _moved_link(_relative(target, of, link), link, after)
        old, new = self.before[was[0]].path, self.after[was[0]].path
        now = self.after.led_to(link, of=of)
        # Other programs don't know titles: a link by file stem stays one, and so does a link by shortest path.
        stem = last_word(link.target)
        was_stem = link.kind is LinkKind.WIKI and stem == last_word(old) != last_word(new)
        was_shortest = link.kind is LinkKind.MARKDOWN and link.place == next(
            _moved_link(path, link, after) for path in _ways(old, old, note.path, link)
        )
        if not (was_stem or was_shortest) and now[:1] == was[:1] and len(now) <= max(len(was), 1):
            return link.place
        for path in _ways(old, new, of, link):
            place = _moved_link(path, link, after)
            if place is not None and [*self.after.led_to(link._replace(place=place), of=of)] == [was[0]]:
                return place
        return None

    def _file_beside(self, note: Note, link: TextLink) -> str | None:
        """Return the path of the picture, folder or other file that a relative link of the moving note leads to."""
        is_relative = link.kind is LinkKind.MARKDOWN or link.target.startswith(("./", "../"))
        if note != self.moving or not is_relative or link.must_name_note or link.place.startswith("/"):
            return None
        path = posixpath.normpath(posixpath.join(posixpath.dirname(note.path), link.target))
        if path.startswith(".."):
            return None
        if not self.view.is_owners:
            return path  # they may not know whether there is such a file
        return path if self.view.of(FILES).has_folder(path) or self.view.of(FILES).cited(path) is not None else None


def _ways(was: str, path: str, of: str, link: TextLink) -> Iterator[str]:
    """Yield paths by which a link in the file `of` could name another file, in the form that it has, or close to it."""
    if without_suffix(link.target) == link.target:
        was, path = without_suffix(was), without_suffix(path)
    if link.target.startswith("/"):
        yield f"/{path}"
        return
    if link.kind is LinkKind.MARKDOWN or link.target.startswith("."):
        yield _relative(path, of, link)
    else:
        parts = path.split("/")
        fewest = len(parts) if folded(link.target) == folded(was) else min(link.target.count("/") + 1, len(parts))
        fewest = fewest if "/" in link.target else 1
        yield from ("/".join(parts[-count:]) for count in range(fewest, len(parts) + 1))
    yield f"/{path}"


def _relative(path: str, of: str, link: TextLink) -> str:
    """Return a path relative to the folder of a file; with a leading `./` if the link has one."""
    relative = posixpath.relpath(path, posixpath.dirname(of) or ".")
    slash = "/" if link.target.endswith("/") else ""
    return f"{'./' if link.target.startswith('./') else ''}{relative}{slash}"


_AS_IT_IS = "/!$&'()*+,;=:@~"
_IN_ATTRIBUTE = "/!$()*+,;=:@~"
_ENCODED = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")  # a non-ASCII character that does not need encoding
_BALANCED = re.compile(r"[^()]*+(?:\([^()]*+\)[^()]*+)*")


def _moved_link(path: str, link: TextLink, after: str) -> str | None:
    """Return a path as written in a link of that kind, behind the sign `after`; None if it can't be written."""
    if link.kind is LinkKind.WIKI:
        return None if re.search(r"[\[\]|#\x00-\x1f]", path) else path
    if after in ('"', "'"):  # an attribute of HTML, where a space may be a space
        safe = _IN_ATTRIBUTE + ("'" if after == '"' else "") + (" " if " " in link.place else "")
        return "".join(sign if not sign.isascii() else quote(sign, safe=safe) for sign in path)
    if after == "<":
        return None if re.search(r"[\x00-\x1f]", path) else re.sub("[%#<>]", lambda sign: quote(sign[0]), path)
    if _ENCODED.search(link.place):
        whole = quote(path, safe=_AS_IT_IS)
    else:
        whole = "".join(
            sign if sign.isprintable() and not sign.isascii() else quote(sign, safe=_AS_IT_IS) for sign in path
        )
    return whole if _BALANCED.fullmatch(whole) else whole.replace("(", "%28").replace(")", "%29")
