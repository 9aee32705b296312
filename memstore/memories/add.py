"""Write a new memory: fill in what its writer left out, choose its path, refuse keys that only the program sets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from memstore.access import RIGHTS
from memstore.access.grants import inherited, tellers
from memstore.core.change import Edit, Saved
from memstore.core.errors import RefusedError, UsageError
from memstore.core.file_names import path_of_new
from memstore.core.ids import is_group
from memstore.core.keys import KEY_BY_NAME, QUARANTINED
from memstore.core.memory import UNSTATED_BELIEF_CONFIDENCE
from memstore.core.provenance import provenance_of_new
from memstore.core.times import as_day, instant, period
from memstore.core.transaction import Saving, again_where_changed, hint, save, shown
from memstore.files import fence, memory_file, splice, strict_yaml
from memstore.files.draft import new_file
from memstore.files.fence import FencedText
from memstore.files.memory_file import BrokenFile, MemoryFile
from memstore.files.shapes import is_absent
from memstore.lineage.descent import quoted_before
from memstore.lineage.refs import ceiling, entries, whole_refs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memstore.access.grants import Inherited
    from memstore.beliefs.echo import Recognised
    from memstore.core.view import View
    from memstore.files.render import Plain


DEFAULT_TYPE = "note"
DRAFT_PATH = "draft.md"


@again_where_changed
def add_memory(view: View, values: Mapping[str, Plain], body: str, **saving: Unpack[Saving]) -> Saved:
    """Write a new memory, and fill in what its writer left out.

    Args:
        view: the vault.
        values: keys of the frontmatter; refs may be abbreviated.
        body: the text.
        saving: dry_run, commit.

    Raises:
        UsageError: a value does not have the shape of its key, there is no text, or no key to sign with.
        NotFoundError: a ref names no memory that the writer may see.
        RefusedError: a key may not be set by its writer.
        VaultError: the key can't be used.
    """
    for name, value in values.items():
        refuse_by_hand(name, value)
    return write_new(view, values, body, verb="add", **saving)


def write_new(view: View, values: Mapping[str, Plain], body: str, *, verb: str, **saving: Unpack[Saving]) -> Saved:
    """Write a new memory for a use case that may set any key; `verb` is the command, otherwise as `add_memory`."""
    new = composed(view, values, body)
    return new.with_remarks(save(view, new.edit, verb=verb, **saving))


class Composed(NamedTuple):
    """A new memory before it is written, and what to tell its writer besides the result."""

    edit: Edit
    heard: Inherited
    repeats: Recognised | None

    @property
    def file(self) -> MemoryFile:
        """The file that will be written."""
        return self.edit.made or _read(self.edit.after)

    def derived_from(self, refs: Iterable[str]) -> Composed:
        """Return the memory derived from more, which may be written along with it."""
        data = splice.apply(self.file, [splice.AppendItems("derived_from", tuple(dict.fromkeys(refs)))])
        return self._replace(edit=replace(self.edit, after=data, made=_read(data)._replace(path=self.edit.path)))

    def undated(self) -> Composed:
        """Return the memory without a time, as nobody knows when its text was said."""
        data = splice.apply(self.file, [splice.RemoveKey("created_at")])
        return self._replace(edit=replace(self.edit, after=data, made=_read(data)._replace(path=self.edit.path)))

    def with_remarks(self, saved: Saved) -> Saved:
        """Return the saved result, with questions and remarks among its findings."""
        warned = self.heard.warned(saved)
        return self.repeats.noted(warned) if self.repeats else warned


def composed(view: View, values: Mapping[str, Plain], body: str) -> Composed:
    """Return a new memory, with what its writer left out filled in; nothing is written."""
    repeats = _repeats(view, values, body)
    edit, heard = prepared(view, {**values, **repeats.values} if repeats else values, body)
    return Composed(edit, heard, repeats)


def _repeats(view: View, values: Mapping[str, Plain], body: str) -> Recognised | None:
    if values.get("type") != "raw":
        return None
    from memstore.beliefs.echo import recognised  # it imports search, which other memories need not wait for

    return recognised(view, values, body)


def prepared(view: View, values: Mapping[str, Plain], body: str) -> tuple[Edit, Inherited]:
    """Return the file of a new memory before it is written, and what it inherits from where it is made."""
    said = {name: value for name, value in values.items() if not is_absent(value)}
    given = {"type": DEFAULT_TYPE, **said}
    if is_group(view.config.owner) and view.acts_for_owner and given.get("owner") == view.config.owner:
        del given["owner"]  # it is the owner's without it
    if (owner := given.get("owner")) not in (None, view.actor):
        raise RefusedError(
            f"{view.actor} can't write a memory that belongs to {owner}",
            hint="leave it out: a memory belongs to whoever writes it; --as says who that is",
        )
    whole = {**given, **whole_refs(view, given)}
    heard = inherited(view, whole, explicit="access_grants" in values)
    return new_memory(view, {**whole, **heard.values, **_unstated(view, whole)}, body), heard


def new_memory(
    view: View, values: Mapping[str, Plain], body: str, *, ground: Mapping[str, Plain] | None = None
) -> Edit:
    """Return the file of a new memory, for operations that write more than one.

    Args:
        view: the vault.
        values: keys of the frontmatter, including `type`; refs are written as they are given.
        body: the text.
        ground: why its first confidence is stated, for the ledger: `evidence_source`, `reason`. With it, a memory of
            any type gets such a line.

    Raises:
        UsageError: a value does not have the shape of its key, or there is no text.
    """
    if not body.strip():
        raise UsageError("a memory needs a text", hint='memstore add "what to remember"')
    values = _dated(view, values)
    data = new_file({**values, **_completing(view, values, ground)}, body)
    file = memory_file.read(DRAFT_PATH, data)
    if isinstance(file, BrokenFile):
        _stop_at_values(new_file(values, body))
    is_dated = not is_absent(values.get("created_at"))
    return _edit_of_new(view, file if isinstance(file, MemoryFile) else _read(data), is_dated=is_dated)


@again_where_changed
def add_draft(view: View, data: bytes, values: Mapping[str, Plain], **saving: Unpack[Saving]) -> Saved:
    """Write a new memory from a file that its writer laid out; only missing keys are added.

    Args:
        view: the vault.
        data: the file; its type may be missing.
        values: keys to set, whatever the file says.
        saving: dry_run, commit.

    Raises:
        UsageError: the draft is not a memory file, or has no text.
        NotFoundError: a ref names no memory that the writer may see.
        RefusedError: a key may not be set by its writer.
    """
    file = _read(_with_values(data, _dated(view, values)))
    if not file.memory.body.strip():
        raise UsageError("the draft has no text", hint="write it below the second ---")
    said: dict[str, Plain] = file.front.values
    for name, value in said.items():
        if not is_absent(value):
            refuse_by_hand(name, value)
    whole = whole_refs(view, said)
    known = {**said, **whole}
    heard = inherited(view, known, explicit="access_grants" in said)
    known |= {**heard.values, **_unstated(view, known)}
    added = {**known, **_completing(view, known)}
    data = splice.apply(file, [splice.SetValue(name, value) for name, value in added.items()])
    new = _edit_of_new(view, _read(data), is_dated=not is_absent(said.get("created_at")))
    return heard.warned(save(view, new, verb="add", **saving))


def _unstated(view: View, values: Mapping[str, Plain]) -> dict[str, Any]:
    """Return a belief's confidence if its writer states none: the default, but never above its sources'."""
    if values["type"] != "belief" or not is_absent(values.get("confidence")):
        return {}
    sources = values.get("derived_from")
    named = map(str, sources) if isinstance(sources, list) else ()
    least = ceiling(entries(view, [*named, *quoted_before(view)]))
    return {} if least is None else {"confidence": min(least, UNSTATED_BELIEF_CONFIDENCE)}


def _with_values(data: bytes, values: Mapping[str, Plain]) -> bytes:
    """Return a draft with keys set; without a type it becomes a note. An unreadable draft stays as it is."""
    text = fence.split(data)
    if not isinstance(text, FencedText):
        return data
    front = strict_yaml.read(text.head, first_line=text.head_line)
    if front.problems:
        return data
    kind: dict[str, Plain] = {} if front.values.get("type") else {"type": DEFAULT_TYPE}
    edits = [splice.SetValue(name, value) for name, value in {**kind, **values}.items()]
    return splice.apply_to_text(DRAFT_PATH, text, edits)


def _read(data: bytes) -> MemoryFile:
    match memory_file.read(DRAFT_PATH, data):
        case MemoryFile() as file:
            return file
        case BrokenFile(findings=findings):
            raise UsageError(shown(findings), hint=hint(findings))
        case _:
            raise UsageError(
                "the draft has no frontmatter", hint="begin it with a line ---, keys, and another line ---"
            )


def _dated(view: View, values: Mapping[str, Plain]) -> Mapping[str, Plain]:
    """Return the values with a time in the form that files have, where it is given as people type dates."""
    given = values.get("created_at")
    if not isinstance(given, str) or is_absent(given):
        return values
    try:
        start, end = period(given.strip(), now=view.clock.here())
        return {**values, "created_at": instant(start if start == end or "T" in given else as_day(start))}
    except UsageError:
        return values  # the checks of the file say what it may be


def _stop_at_values(data: bytes) -> None:
    """Raise if values that were given one by one, not in a file, do not have the shapes of their keys."""
    file = memory_file.read(DRAFT_PATH, data)
    if isinstance(file, BrokenFile):
        raise UsageError("\n".join(finding.text for finding in file.findings), hint=hint(file.findings))


def _completing(view: View, values: Mapping[str, Plain], ground: Mapping[str, Plain] | None = None) -> dict[str, Any]:
    """Return the keys that a new memory gets besides those that its writer gave."""
    now = instant(view.clock.now())
    added: dict[str, Any] = {"id": view.ids.memory_id(), "author": view.actor}
    if is_absent(values.get("created_at")):
        added["created_at"] = now
    if not view.acts_for_owner and is_absent(values.get("owner")):
        added["owner"] = view.actor
    _stop_at_narrower(view, values)
    return {**added, **provenance_of_new(values, tellers(view)), **_stated(view, values, now, ground)}


def _stop_at_narrower(view: View, values: Mapping[str, Plain]) -> None:
    """Raise if a new memory of a shared vault would not be its members': whoever has a clone can read it."""
    owner = view.config.owner
    if not (is_group(owner) and view.of(RIGHTS).registries.keepers):
        return
    if not view.acts_for_owner:
        raise RefusedError(f"only members of {owner} write here", hint="a vault of your own: memstore init DIR")
    if not (is_absent(values.get("owner")) and is_absent(values.get("access_denies"))):
        raise RefusedError(
            f"what lies in the vault of {owner} is for all its members: each clone has it",
            hint="leave out its owner and whom it is denied, or write it to your own vault: memstore add --private",
        )


def _stated(view: View, values: Mapping[str, Plain], now: str, ground: Mapping[str, Plain] | None) -> dict[str, Any]:
    """Return a belief's confidence and the ledger line that states it."""
    is_belief = values["type"] == "belief"
    if not is_belief and ground is None:
        return {}
    confidence = values.get("confidence")
    new = UNSTATED_BELIEF_CONFIDENCE if is_belief and confidence is None else confidence
    if not is_absent(values.get("confidence_history")):
        return {} if confidence is not None else {"confidence": new}
    line = {"timestamp": now, "op": "assert", "old": None, "new": new, **(ground or {}), "by": view.actor}
    return {"confidence": new, "confidence_history": [line]}


def _edit_of_new(view: View, draft: MemoryFile, *, is_dated: bool) -> Edit:
    path = path_of_new(draft.memory, view.config.filenames)
    return Edit(path=path, before=None, after=draft.data, made=draft._replace(path=path), is_dated=is_dated)


# -- keys that `set` and `add` leave alone ---------------------------------------------------------


class Refusal(NamedTuple):
    """Why a key is not set by hand, and what to do instead."""

    why: str
    instead: str


_PAIRED = "both memories name each other"
_GENERALIZE = "memstore privacy generalize REF --text TEXT --access ENTITY"
_REFUSED = {
    "id": Refusal("an id is permanent, since others refer to it", "add a new memory, and supersede this one"),
    "author": Refusal("the author is whoever wrote it", "write it with --as ENTITY"),
    "quarantine": Refusal("it goes with the status", "memstore trust quarantine REF"),
    "proposes": Refusal("only suggestions have it, with their evidence", "memstore beliefs consolidate --apply"),
    "processed_into": Refusal(_PAIRED, "memstore raw promote RAW --to TYPE"),
    "supersedes": Refusal(_PAIRED, "memstore supersede REF TEXT"),
    "superseded_by": Refusal(_PAIRED, "memstore supersede REF TEXT"),
    "resolved_conflicts": Refusal(_PAIRED, "memstore conflicts resolve REF REF"),
    "confidence_history": Refusal(
        "its lines are events", "memstore reinforce REF --evidence REF, or memstore set REF confidence=0.8"
    ),
    "upstream_grants": Refusal("it records what the sources allowed", _GENERALIZE),
    "generalized": Refusal("it records that a check was passed", _GENERALIZE),
    "generalization": Refusal("it records the verdict of a check", _GENERALIZE),
    "compressed_from": Refusal("it records where the whole text is kept", "memstore beliefs compress REF"),
    "keeps_secret": Refusal("it records that a person wants to keep a secret there", "memstore edit, or --keep-secret"),
    "signature": Refusal("only a key makes one", "memstore trust sign REF"),
    "witnesses": Refusal("only witnesses write it", "memstore trust witness REF"),
    "resolutions": Refusal("only a key makes one", "memstore trust resolve REF --outcome upheld"),
    "anchors": Refusal("an anchor must be looked up", "memstore trust anchor REF"),
}
_REFUSED_STATUSES = {
    "superseded": Refusal("the memory that replaces it must name it, too", "memstore supersede REF TEXT"),
    QUARANTINED: Refusal("what was derived from it must go with it", "memstore trust quarantine REF"),
    "forgotten": Refusal("forgetting leaves a tombstone and a record", "memstore forget REF"),
}
KEPT_BY_THE_PROGRAM = frozenset(_REFUSED)


def why_not(key: str, text: str) -> Refusal | None:
    """Return why a key can't be set to this text by hand; None if it can."""
    if key == "status" and text in _REFUSED_STATUSES:
        return _REFUSED_STATUSES[text]
    return _REFUSED.get(key)


# -- what may be set by hand -----------------------------------------------------------------------


def refuse_by_hand(key: str, value: object) -> None:
    """Raise if a key can't be set to this value by hand.

    Raises:
        RefusedError: the program keeps the key, or another command sets it.
        UsageError: it is not a key.
    """
    if not key.strip():
        raise UsageError("a key has no name", hint="write KEY=VALUE")
    if key[-1] in "+-" and key[:-1] in KEY_BY_NAME:
        raise UsageError(
            f"nothing is added to a key or taken from it: `{key}=`",
            hint=f"{key[:-1]}=A,B sets all values of a list; memstore tag REF +A changes single tags",
        )
    refusal = why_not(key, str(value))
    if refusal is not None:
        raise RefusedError(f"`{key}` is not set by hand: {refusal.why}", hint=refusal.instead)
