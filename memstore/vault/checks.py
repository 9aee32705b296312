"""Checks of a single readable memory, for probable mistakes."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memstore.beliefs import next_lines
from memstore.core import provenance
from memstore.core.errors import nearest
from memstore.core.finding import Position
from memstore.core.finding_codes import Checked, finding_of
from memstore.core.ids import MEMORY_TYPES
from memstore.core.keys import KEYS, RELIABILITY, Shape
from memstore.core.places import SUGGESTIONS, is_sealed_path
from memstore.core.times import instant
from memstore.files.memory_file import MemoryFile, PlainFile, SealedFile
from memstore.files.secret_forms import secrets_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from memstore.core.finding import Finding
    from memstore.files.memory_file import ReadFile


# Similarity by difflib's ratio: `acess_grants` and `tag` are similar to known keys, `source_url` is a key of its own.
NEAR = 0.8

_LIST_SHAPES = frozenset(
    {Shape.LINES, Shape.WORDS, Shape.ENTITIES, Shape.GRANTS, Shape.REFS, Shape.SOURCES, Shape.HEIRS}
)
LIST_KEYS = tuple(key.name for key in KEYS if key.shape in _LIST_SHAPES)
_KEY_NAMES = tuple(key.name for key in KEYS)

# Lines that are added within one second are dated a second apart, so a few may be ahead of the clock.
AHEAD_OF_CLOCK = timedelta(hours=1)

_HEAVIEST = max(RELIABILITY.values())

# An unfinished merge leaves all three; a single one may be a heading's underline or a quotation.
# The markers of a conflict in the order in which they follow each other.
_CONFLICT = [re.compile(marker, re.MULTILINE) for marker in (r"^<{7} ", r"^={7}\r?$", r"^>{7} ")]


def as_checked(file: MemoryFile) -> Checked:
    """Return what is checked of a file: its memory, with the positions of what it says."""
    return Checked(file.path, file.memory, file.front.position, file.text.body_line, file.front.extent)


def of_memory(checked: Checked, *, now: datetime) -> list[Finding]:
    """Return the probable mistakes in one memory; `now` is in UTC."""
    found = [finding for check in _CHECKS for finding in check(checked)]
    return [*found, *_created_in_future(checked, now), *_history_in_future(checked, now)]


def narrower(checked: Checked, owner: str) -> Iterator[Finding]:
    """Yield what keeps a memory from the members of the group that owns a shared vault: an owner, or denials."""
    memory = checked.memory
    for key, is_said in (("owner", memory.owner not in (None, owner)), ("access_denies", bool(memory.access_denies))):
        if is_said:
            text = f"`{key}` makes it narrower than {owner}, whose vault this is"
            hint = "take the line out, or write it to a vault of your own: memstore add --private"
            yield checked.finding("shared-narrower", text, hint, key)


def unseen(checked: Checked, owner: str) -> Iterator[Finding]:
    """Yield that a memory which a member may not see is narrower than the group: its path, and nothing that it says."""
    if any(narrower(checked, owner)):
        hint = "whoever may see it takes that out, or writes it to a vault of their own: memstore add --private"
        yield finding_of("shared-narrower", checked.path, f"it is narrower than {owner}, whose vault this is", hint)


def errors_in(checked: Checked) -> list[Finding]:
    """Return the errors that prevent a commit, without the warnings."""
    return [finding for finding in _body(checked) if finding.is_error]


def _id(checked: Checked) -> Iterator[Finding]:
    if checked.memory.id is None:
        hint = "memstore adopt gives it one, and so does memstore check --fix"
        yield checked.finding("id-missing", "the memory has no id, so nothing can refer to it", hint)


def _body(checked: Checked) -> Iterator[Finding]:
    body, status = checked.memory.body, checked.memory.status
    written = [i for i, line in enumerate(body.split("\n")) if line.strip()]
    if status == "forgotten":
        if len(written) > 1:
            yield checked.finding(
                "forgotten-body", "the memory is forgotten, but its text is still here",
                "leave one line at most", line=checked.body_line + written[1],
            )  # fmt: skip
    elif not written and not checked.memory.extra:  # Obsidian has notes that are properties alone
        yield checked.finding(
            "body-empty",
            "there is no text below the frontmatter",
            "write what is to be remembered",
            line=checked.body_line,
        )
    yield from conflict_marker(checked)


def conflict_marker(checked: Checked) -> Iterator[Finding]:
    """Yield a finding for the first conflict that a merge left in a memory's text, if there is one."""
    body, begin, at = checked.memory.body, -1, 0
    if "<<<<<<< " not in body:
        return
    for marker in _CONFLICT:
        found = marker.search(body, at)
        if found is None:
            return
        begin, at = (found.start() if begin < 0 else begin), found.end()
    yield checked.finding(
        "conflict-marker", "a conflict marker of an unfinished merge", "keep one side, and delete the marker lines",
        line=checked.body_line + body.count("\n", 0, begin),
    )  # fmt: skip


def secrets(file: ReadFile, before: Callable[[], bytes | None] = bytes) -> Iterator[Finding]:
    """Yield a finding for each secret in a file that is not sealed, unless the file before already had it.

    Args:
        file: the file.
        before: returns the bytes of the file before; called only if there is a secret.
    """
    text = file.data.decode("utf-8", "replace")
    found = () if isinstance(file, SealedFile) or is_sealed_path(file.path) else secrets_in(text)
    if not found:
        return
    said = (before() or b"").decode("utf-8", "replace")
    known = {said[one.start : one.end] for one in secrets_in(said)}
    kept = isinstance(file, MemoryFile) and file.memory.keeps_secret
    code = "secret-kept" if kept else "secret-in-note" if isinstance(file, PlainFile) else "secret"
    for one in found:
        if text[one.start : one.end] not in known:
            hint = f"write {one.mask} in its place, and make the secret invalid where it is used"
            yield finding_of(code, file.path, f"what looks like a secret: {one.form}", hint, Position(one.line))


def _title(checked: Checked) -> Iterator[Finding]:
    title = checked.memory.title
    if title and title != " ".join(title.split()):
        yield checked.finding(
            "title-blanks", f"the title begins or ends with spaces, or has several in a row: `{title}`",
            "memstore check --fix removes them", "title",
        )  # fmt: skip


def _lists(checked: Checked) -> Iterator[Finding]:
    for name in LIST_KEYS:
        items = getattr(checked.memory, name)
        if len(set(items)) == len(items):
            continue
        seen = set()
        for i, item in enumerate(items):
            if item in seen:
                yield checked.finding(
                    "item-repeated", f"`{name}` names `{item}` again", "memstore check --fix keeps the first", name, i
                )
            seen.add(item)


def _created_in_future(checked: Checked, now: datetime) -> list[Finding]:
    created = checked.memory.created_at
    if created is None or datetime.fromisoformat(created) <= now:
        return []
    return [
        checked.finding(
            "created-in-future",
            f"created_at is {created}, and it is {instant(now)} now",
            "times are UTC: correct the date or the time zone",
            "created_at",
        )
    ]


def _history_in_future(checked: Checked, now: datetime) -> Iterator[Finding]:
    for i, line in enumerate(checked.memory.confidence_history):
        if datetime.fromisoformat(line.timestamp) > now + AHEAD_OF_CLOCK:
            yield checked.finding(
                "history-in-future",
                f"a line of confidence_history is dated {line.timestamp}, and it is {instant(now)} now",
                "times are UTC: correct the date or the time zone; every new line is dated after it",
                *("confidence_history", i, "timestamp"),
            )


# Other programs' names for keys: what such a line says stands under memstore's own name as well, once it is adopted.
_OF_OTHERS = frozenset({"tag", "alias", "created"})


def unread_keys(checked: Checked, *, but: Collection[str] = ()) -> Iterator[Finding]:
    """Yield a warning for each unknown key, except those in `but`, whose name is similar to a known key."""
    for name in checked.memory.extra:
        meant = None if name in but else nearly(name, _KEY_NAMES)
        if meant and not (name in _OF_OTHERS and getattr(checked.memory, meant)):
            yield checked.finding(
                "key-unknown", f"memstore does not read a key `{name}`",
                f"did you mean {meant}? To keep a key of your own, give it a name that is less similar", name,
                meant=meant, of_key=True,
            )  # fmt: skip


def misspelt_type(file: MemoryFile) -> Iterator[Finding]:
    """Yield a warning for a `type` close to one of memstore's beside an id of memstore's.

    In a vault with notes of other programs, it counts as theirs, and the memory is read as a note.
    """
    said, memory = file.front.values.get("type"), file.memory
    if not isinstance(said, str) or said == memory.type or not (memory.id or "").startswith("m_"):
        return
    meant = nearly(said, MEMORY_TYPES)
    if meant and meant != memory.type:
        yield as_checked(file).finding(
            "type-unknown", f"memstore knows no type `{said}`, so this is read as a {memory.type}",
            f"did you mean {meant}? A type of another program may stay as it is", "type", meant=meant,
        )  # fmt: skip


def nearly(name: str, known: tuple[str, ...]) -> str | None:
    """Return the known name that `name` was probably meant to be."""
    folded = name.strip().casefold().replace("-", "_").replace(" ", "_")
    return nearest(folded, known, similar=NEAR)


def _status(checked: Checked) -> Iterator[Finding]:
    memory = checked.memory
    if memory.status == "superseded" and not memory.superseded_by:
        yield checked.finding(
            "heir-missing", "the memory is superseded, but nothing says by what", "add superseded_by: type:id", "status"
        )
    if memory.status == "draft" and not checked.path.startswith(SUGGESTIONS):
        yield checked.finding(
            "draft-place",
            f"a draft outside {SUGGESTIONS}",
            f"move it into {SUGGESTIONS}, or set status: active",
            "status",
        )


def _source(checked: Checked) -> Iterator[Finding]:
    if checked.memory.status != "forgotten" and not provenance.says_its_source(checked.memory):
        yield checked.finding(
            "source-missing", "nothing says where the memory comes from: an orphan",
            "add a source, source_type, source_entity, derived_from or relates_to", "type",
        )  # fmt: skip


def _confidence(checked: Checked) -> Iterator[Finding]:
    amounts_to = next_lines.drifted(checked.memory)
    if amounts_to is not None:
        held = checked.memory.confidence
        stands = "there is no confidence" if held is None else f"the confidence is {held:g}"
        yield checked.finding(
            "confidence-drift", f"{stands}, and its history amounts to {amounts_to:g}",
            "memstore check --fix records a number changed by hand; memstore beliefs recompute corrects any other",
            "confidence_history" if held is None else "confidence",
        )  # fmt: skip


def _evidence(checked: Checked) -> Iterator[Finding]:
    for i, line in enumerate(checked.memory.confidence_history):
        if line.weight is not None and line.weight > _HEAVIEST:
            yield checked.finding(
                "evidence-heavy", f"evidence weighs {line.weight:g} here, and no source weighs more than {_HEAVIEST:g}",
                "correct the weight, or remove it; memstore beliefs recompute --from-episodes weighs all of it again",
                *("confidence_history", i, "weight"),
            )  # fmt: skip


_CHECKS: tuple[Callable[[Checked], Iterator[Finding]], ...] = (
    _id,
    _title,
    _lists,
    unread_keys,
    _status,
    _source,
    _confidence,
    _evidence,
    _body,
)
