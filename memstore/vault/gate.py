"""The one gate before anything is written: for commands, tools, hooks and imports alike (docs/adr/0047).

It looks for secrets, for what was forgotten, and for exact copies of what is there. The transaction asks it about every
edit; whoever takes in texts of others, as captures and imports do, asks it first, so that what is derived from a text
was never anything else.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.access import FORGOTTEN
from memstore.beliefs.evidence import RECALLED
from memstore.core.change import Saved
from memstore.core.errors import RefusedError
from memstore.core.file_names import path_of_new
from memstore.core.finding import Position
from memstore.core.finding_codes import finding_of
from memstore.core.places import NOTE_SUFFIXES, ORIGINALS
from memstore.core.quotation import shown_title
from memstore.core.times import instant
from memstore.core.titles import title_of
from memstore.files import memory_file, splice
from memstore.files.catalog_entry import words_of
from memstore.files.memory_file import MemoryFile
from memstore.files.secret_forms import masked, masks_in, secrets_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from memstore.core.change import Edit, Written
    from memstore.core.finding import Finding
    from memstore.core.view import View
    from memstore.vault.workspace import Workspace

# What writes down what others said; whatever it finds is masked or left out, since nobody could be asked.
CAPTURE, IMPORT = "capture", "import "
# Texts that come from outside, all at once. Others that write do so from memories that are there.
_FROM_OUTSIDE = frozenset({"add", "raw", "edit", "supersede", "today", "split", "merge", "promote", "set"})
# What an answer with the first copy may be given for: nothing else depends on the new memory.
_PLAIN_ADDS = frozenset({"add", "raw", CAPTURE})
# Keys that say nothing of what was written, or that the program has added since.
_NOT_GIVEN = frozenset(
    {
        *("id", "created_at", "signature", "confidence_history", "processed_into", "superseded_by", "witnesses"),
        *("anchors", "resolutions", "resolved_conflicts", "derived_from", "confidence", "upstream_grants"),
    }
)


class Passed(NamedTuple):
    """An edit as it may be written, and what to tell about it.

    If it `is_dropped`, nothing of it is written, and the answer is as if it had been.
    """

    edit: Edit
    findings: tuple[Finding, ...] = ()
    is_dropped: bool = False


class Gate:
    """The gate of a vault, for one actor.

    Args:
        ws: the vault.
    """

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._words: frozenset[str] | None = None

    # -- for those who take in texts ---------------------------------------------------------------

    def taken_in(self, text: str, *, known: str = "") -> str:
        """Return a text of others as it may be kept: secrets masked, without forgotten sentences, with its lines."""
        return masked(self._ws.of(FORGOTTEN).read().without(text, known=known))

    def taken_in_bytes(self, data: bytes) -> bytes:
        """Return the bytes of a file of others as they may be kept; what is no text stays as it is."""
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return data
        kept = self.taken_in(text)
        return data if kept == text else kept.encode()

    def of_session(self, text: str, session_id: str | None, turn_id: str | None) -> str:
        """Return what may be kept of a turn of a session; empty if it was forgotten."""
        digests = self._ws.of(FORGOTTEN).read()
        if session_id is not None and not digests.is_empty:
            if (turn_id and digests.is_turn(f"{session_id}\0{turn_id}")) or digests.is_of_session(session_id, text):
                return ""
            paragraphs = text.split("\n\n")
            text = "\n\n".join(one for one in paragraphs if not digests.is_of_session(session_id, one))
        return masked(digests.without(text)).strip()

    # -- for the transaction -----------------------------------------------------------------------

    def passed(self, edit: Edit, verb: str) -> Passed:
        """Return an edit as it may be written by a command; secrets in what a person writes are refused later."""
        if edit.before is not None and edit.before.data == edit.after:
            return Passed(edit)
        file = _file_after(edit, mixed=self._ws.config.mixed)
        if file is None:
            return Passed(edit)
        is_taken_in = verb == CAPTURE or verb.startswith(IMPORT)
        if is_taken_in:
            edit = self._edited(edit, [*_masked_values(file)], masked(file.text.body))
        elif self._ws.terms.keep_secret and secrets_in(_text(edit.after)):
            edit = self._edited(edit, [splice.SetValue("keeps_secret", value=True)], file.text.body)
        findings = tuple(_masks(edit)) if is_taken_in else ()
        if not (is_taken_in or verb in _FROM_OUTSIDE):
            return Passed(edit, findings)
        return self._without_forgotten(edit, findings, is_taken_in=is_taken_in)

    def _without_forgotten(self, edit: Edit, findings: tuple[Finding, ...], *, is_taken_in: bool) -> Passed:
        digests = self._ws.of(FORGOTTEN).read()
        file = None if digests.is_empty else _file_after(edit, mixed=self._ws.config.mixed)
        if file is None:
            return Passed(edit, findings)
        was = edit.before.memory.body if isinstance(edit.before, MemoryFile) else ""
        said, title = file.text.body, file.memory.title or ""
        body, name = digests.without(said, known=was), digests.without(title, known=was)
        if (body, name) == (said, title):
            return Passed(edit, findings)
        terms = self._ws.terms
        is_told = terms.at_terminal and self._ws.actor == self._ws.config.owner
        if is_told:
            how = "left out" if is_taken_in else "written all the same"
            hint = "memstore add writes it on purpose" if is_taken_in else "memstore undo takes it back"
            text = f"it says what was forgotten here; that is {how}"
            findings = (*findings, finding_of("forgotten-again", edit.path, text, hint))
        is_on_purpose = not is_taken_in and not terms.is_served
        if is_on_purpose and (is_told or self._ws.actor.startswith("human:")):
            return Passed(edit, findings)
        left = body.strip()
        if not left or left == was.strip() or (left.endswith(":") and "\n" not in left):  # what only led up to it
            return Passed(edit, findings, is_dropped=True)
        change = splice.SetValue("title", name.strip()) if name.strip() else splice.RemoveKey("title")
        return Passed(self._edited(edit, [change] if name != title else [], body), findings)

    def _edited(self, edit: Edit, values: Sequence[splice.Edit], body: str) -> Edit:
        """Return an edit with other values and another body; the name of a new file says only what is in it."""
        was = _file_after(edit, mixed=self._ws.config.mixed)
        if was is None:
            return edit
        text = was.text._replace(body=body)
        file = memory_file.read(edit.path, text.joined(text.head), mixed=self._ws.config.mixed)
        if not isinstance(file, MemoryFile) or (data := splice.apply(file, values)) == edit.after:
            return edit
        path, names = edit.path, self._ws.config.filenames
        made = memory_file.read(path, data, mixed=self._ws.config.mixed)
        if edit.before is None and isinstance(made, MemoryFile) and title_of(made.memory) != title_of(was.memory):
            # An import may bring a name of its own along.
            now = instant(self._ws.clock.now())
            is_usual = path == path_of_new(was.memory, names, at=now)
            path = path_of_new(made.memory, names, at=now) if is_usual else masked(path)
        return replace(edit, path=path, after=data, made=None)

    def refuse_secrets(self, files: Sequence[Written], verb: str, message: str | None) -> None:
        """Raise if a file, its name or the commit message gets what looks like a secret, unless it is wanted there.

        What a file said before, or one that goes, may stay: it is found by `check`.
        """
        if self._ws.terms.keep_secret:
            return
        is_person = self._ws.actor.startswith("human:") and not self._ws.terms.is_served and verb in _FROM_OUTSIDE
        if message and (secrets := secrets_in(message)):
            raise _refused(f"the commit message has what looks like a secret: {secrets[0].form}", is_person=False)
        named = {said for file in files if file.before for said in _said_secretly(file.path)}
        known: set[str] | None = None
        for file in files:
            text = "" if file.after is None or file.after == file.before else _text(file.after)
            for one in secrets_in(text) if text and not _keeps(file) else ():
                if known is None:
                    known = {said for each in files if each.before for said in _said_secretly(_text(each.before))}
                if text[one.start : one.end] not in known:
                    # A new name may be made of the secret, in other letters.
                    where = f"line {one.line}" if file.before is None else f"{masked(file.path)}:{one.line}"
                    raise _refused(f"{where}: what looks like a secret: {one.form}", is_person=is_person)
            if file.before is None and file.after is not None and (new := {*_said_secretly(file.path)} - named):
                form = secrets_in(min(new))[0].form
                raise _refused(f"the file's name has what looks like a secret: {form}", is_person=False)

    # -- exact copies ------------------------------------------------------------------------------

    def firsts(self, edits: Sequence[Edit], files: Sequence[MemoryFile], verb: str) -> dict[str, Saved]:
        """Return the first memories that said exactly what new ones say, by the paths of these; the lock is held.

        Whoever may not see the first one writes another, and learns nothing.
        """
        is_plain = verb in _PLAIN_ADDS or verb.startswith(IMPORT)
        if self._ws.terms.again or not is_plain or any(edit.before is not None for edit in edits):
            return {}
        words = [words_of(file.memory.body) for file in files]
        # A file that another process has just written is new in its folder: a glance sees it (docs/adr/0019).
        is_there = not set(words).isdisjoint(self._ws.library.glance().catalog.column("words"))
        if not is_there and len({*words}) == len(words):
            return {}
        there = _by_words(self._ws.view(), {*words}) if is_there else {}
        named = {ref for file in files for ref in (*file.memory.derived_from, *file.memory.supersedes)}
        found: dict[str, Saved] = {}
        for edit, file, said in zip(edits, files, words, strict=True):
            same = [one for one in there.get(said, ()) if not edit.is_same and _is_copy(file, one, edit)]
            if same and str(file.memory.ref) not in named:
                first = min(same, key=lambda one: (one.memory.created_at or "", one.memory.id or ""))
                found[edit.path] = _answer(first)
            else:
                there.setdefault(said, []).append(file)
        return found

    def as_repeated(self, edit: Edit, view: View) -> Edit:
        """Return a new memory's edit, marked as an event of its own if it repeats another one on purpose."""
        if edit.before is not None or not (self._ws.terms.again or edit.is_dated):
            return edit
        if self._words is None:
            self._words = frozenset(view.column("words"))
        file = _file_after(edit, mixed=self._ws.config.mixed)
        if file is None or (words := words_of(file.memory.body)) not in self._words:
            return edit
        there = _by_words(view, {words}).get(words, ())
        is_same_event = not self._ws.terms.again and any(_is_copy(file, one, edit) for one in there)
        if is_same_event or not any(_is_copy(file, one, replace(edit, is_dated=False)) for one in there):
            return edit
        origin: dict[str, Any] = dict(file.front.values.get("origin") or {})
        data = splice.apply(file, [splice.SetValue("origin", {**origin, "repeated": True})])
        return replace(edit, after=data, made=None)


def _by_words(view: View, wanted: Collection[str]) -> dict[str, list[MemoryFile]]:
    """Return the memories that a view shows with one of these digests of their words, by that."""
    found: dict[str, list[MemoryFile]] = {}
    words, paths = view.column("words"), view.column("path")
    for row in view.rows:
        if words[row] in wanted and (file := view.read(paths[row])):
            found.setdefault(words[row], []).append(file)
    return found


def _is_copy(new: MemoryFile, old: MemoryFile, edit: Edit) -> bool:
    """Whether a new memory says exactly what one said that is there: text, author, day, keys; a stated time, too.

    What nobody knows the day of is a copy of what nobody knows it of.
    """
    mine, theirs = new.memory, old.memory
    made, was = mine.created_at or "", theirs.created_at or ""
    return (
        theirs.status == mine.status == "active"
        and mine.author == theirs.author
        and (made == was if edit.is_dated else made[:10] == was[:10])
        and mine.body.split() == theirs.body.split()
        and _given_values(new, old) == _given_values(old, new)
    )


def _given_values(file: MemoryFile, other: MemoryFile) -> Mapping[str, Any]:
    """Return what a writer said of a memory in keys; what it repeats, the other one or more, is found by the program.

    It looks only where the writer named no sources (`beliefs.echo`).
    """
    values, memory = file.front.values, file.memory
    ledger = memory.confidence_history
    is_echo, of_echoes = RECALLED in memory.derived_from, RECALLED in (*memory.derived_from, *other.memory.derived_from)
    sources = {
        one
        for one in (() if is_echo else memory.derived_from)
        if one != str(other.memory.ref) and not one.startswith(f"file:{ORIGINALS}/")
    }
    left_out = {*_NOT_GIVEN, "relates_to"} if of_echoes else _NOT_GIVEN
    return {
        **{name: value for name, value in values.items() if name not in left_out},
        "confidence": ledger[0].new if ledger else memory.confidence,
        "derived_from": sources,
    }


def _answer(first: MemoryFile) -> Saved:
    memory = first.memory
    return Saved(
        ref=str(memory.ref), path=first.path, title=shown_title(title_of(memory), memory.source_type), diff="",
        is_first=True,
    )  # fmt: skip


# -- secrets in files ------------------------------------------------------------------------------


def _masks(edit: Edit) -> Iterator[Finding]:
    for form, line in masks_in(_text(edit.after)):
        hint = "make the secret invalid where it is used: the program that recorded it has it, too"
        yield finding_of("secret-masked", edit.path, f"masked here: {form}", hint, Position(line))


def _refused(what: str, *, is_person: bool) -> RefusedError:
    keep = "; --keep-secret writes it all the same" if is_person else ""
    hint = f"write [secret: …] in its place, and say where it is kept, such as a password manager{keep}"
    return RefusedError(f"{what}; nothing was written", hint=hint)


def _masked_values(file: MemoryFile) -> Iterator[splice.Edit]:
    for name, value in file.front.values.items():
        if (after := _masked(value)) != value:
            yield splice.SetValue(name, after)


def _masked(value: Any) -> Any:
    match value:
        case str():
            return masked(value)
        case list():
            return [_masked(one) for one in value]
        case dict():
            return {name: _masked(one) for name, one in value.items()}
    return value


def _said_secretly(text: str) -> Iterator[str]:
    return (text[one.start : one.end] for one in secrets_in(text))


def _keeps(written: Written) -> bool:
    """Whether a file says that somebody wants to keep the secrets in it."""
    file = memory_file.read(written.path, written.after or b"") if written.path.endswith(NOTE_SUFFIXES) else None
    return isinstance(file, MemoryFile) and file.memory.keeps_secret


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _file_after(edit: Edit, *, mixed: bool) -> MemoryFile | None:
    made = edit.made
    if made is not None and made.data is edit.after and made.path == edit.path:
        return made
    read = memory_file.read(edit.path, edit.after, mixed=mixed)
    return read if isinstance(read, MemoryFile) else None
