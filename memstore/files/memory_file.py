"""Memory files: from bytes to a `Memory`, or to the findings that say why it can't be read."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.core.finding import Position, Problem
from memstore.core.keys import KEY_BY_NAME, KEYS, Key, Shape
from memstore.core.memory import (
    EVERYBODY,
    EVERYBODY_SPELLED,
    Anchor,
    Claim,
    CompressedFrom,
    Generalization,
    LedgerLine,
    Memory,
    Origin,
    Quarantine,
    Resolution,
    ResolvedConflict,
    Signature,
    Witness,
)
from memstore.core.places import MEMORY_SUFFIX, SEALED_SUFFIX, is_sealed_path
from memstore.files import fence, plain_lines, plain_note, shapes, strict_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstore.core.errors import SealedError
    from memstore.core.finding import Finding
    from memstore.files.fence import FencedText
    from memstore.files.strict_yaml import Frontmatter

_ENTRY_CLASSES: dict[str, type] = {
    "origin": Origin,
    "quarantine": Quarantine,
    "generalization": Generalization,
    "confidence_history": LedgerLine,
    "claims": Claim,
    "resolved_conflicts": ResolvedConflict,
    "compressed_from": CompressedFrom,
    "signature": Signature,
    "witnesses": Witness,
    "anchors": Anchor,
    "resolutions": Resolution,
}


# Other programs use these keys differently: in a vault with their notes they belong to the person, and hide nothing.
_FOREIGN_KEYS = frozenset({"type", "author", "status"})
# Keys of memstore's in which people, and the programs that they use, say something in their own words.
_SAID = frozenset({"source", "entities", "context_tags", "status_reason", "origin"})


class MemoryFile(NamedTuple):
    """A memory file that was read: its bytes, its parts, and the memory in it."""

    path: str
    data: bytes
    text: FencedText
    front: Frontmatter
    memory: Memory


class BrokenFile(NamedTuple):
    """A file that is meant to be a memory but can't be read; it is reported, and denied to others."""

    path: str
    data: bytes
    findings: tuple[Finding, ...]

    @property
    def lacks_only_its_type(self) -> bool:
        """Whether only a type is missing to make it a memory; then it is most likely another program's note."""
        return {finding.code for finding in self.findings} == {"type-missing"}


class PlainFile(NamedTuple):
    """A Markdown file that isn't a memory, until it is adopted; `memory` has what is known of it anyway.

    `values` are those of its front matter, where every scalar of YAML is a text.
    """

    path: str
    data: bytes
    text: FencedText
    memory: Memory
    values: Mapping[str, Any]


class SealedFile(NamedTuple):
    """A sealed memory that no key here opens: nothing is known of it but that it is there."""

    path: str
    data: bytes


# How a sealed file begins (`age_file.MAGIC`, and its first recipient); a text about the format has nothing like it.
_SEALED = b"age-encryption.org/v1\n-> "

# How files begin that are as git stores them and not as they are read: what encrypted it, or left a pointer; and what
# brings the text.
_STORED = {
    b"\0GITCRYPT\0": ("it is encrypted by git-crypt, and not unlocked here", "git-crypt unlock decrypts it"),
    b"version https://git-lfs.github.com/spec/": ("git-lfs left a pointer to its text here", "git lfs pull fetches it"),
}
_STORED_STARTS = tuple(_STORED)

ReadFile = MemoryFile | BrokenFile | PlainFile | SealedFile


def read(path: str, data: bytes, *, mixed: bool = False) -> ReadFile:
    """Return the content of the file at `path` with the bytes `data`.

    Args:
        path: the file.
        data: its bytes.
        mixed: whether the vault holds notes of other programs (`core.config.Config.mixed`).
    """
    if len(data) > fence.MOST_BYTES:
        return read_too_large(path, data, size=len(data), mixed=mixed)
    if is_stored_form(data):
        return _not_checked_out(path, data)
    if is_sealed_path(path):
        return _read_sealed(path, data, mixed=mixed)
    if not mixed and data.startswith(_SEALED):
        return BrokenFile(path, data, (sealed_under_plain_name(path),))
    return _well_advised(_read(path, data, mixed=mixed), mixed=mixed)


def is_stored_form(data: bytes) -> bool:
    """Return whether bytes are what git stores of a text that was not checked out: encrypted, or a pointer."""
    return data.startswith(_STORED_STARTS)


def _not_checked_out(path: str, data: bytes) -> BrokenFile:
    from memstore.core.finding_codes import finding_of

    text, hint = next(said for start, said in _STORED.items() if data.startswith(start))
    return BrokenFile(path, data, (finding_of("not-checked-out", path, text, hint),))


def sealed_under_plain_name(path: str) -> Finding:
    """Return the finding for a sealed file at a path that does not say so: nothing opens it there."""
    text = f"{path} is sealed, and its name does not end with {SEALED_SUFFIX}"
    hint = f"git mv {path} {path.removesuffix(MEMORY_SUFFIX)}{SEALED_SUFFIX}, or restore the name that it had"
    return Problem("sealed-damaged", Position(1), text, hint=hint).found_in(path)


def sealed_under_other_name(path: str, was: str) -> Finding:
    """Return the finding for a sealed file, once at `was`, whose name no memory has: it counts as deleted."""
    text = f"it is the sealed memory {was}, and its name does not end with {SEALED_SUFFIX}"
    return Problem("sealed-damaged", Position(1), text, hint=f"restore its name: git mv {path} {was}").found_in(path)


def _read_sealed(path: str, data: bytes, *, mixed: bool) -> ReadFile:
    """Return what was sealed at `path`, if `data` are the opened bytes; nothing but a memory is ever sealed."""
    from memstore.files.age_file import is_sealed

    if is_sealed(data):
        return SealedFile(path, data)
    file = _well_advised(_read(path, data, mixed=mixed), mixed=mixed)
    if isinstance(file, PlainFile) and not mixed:
        return _broken(path, "sealed-no-memory", "what was sealed in it is not a memory", "memstore log finds who did")
    return file


def unopened(path: str, error: SealedError, *, mixed: bool) -> BrokenFile | SealedFile:
    """Return the file at `path`, which could not be opened: damaged, or for other keys than those here.

    In a mixed vault, a file that is not sealed although it is called so is another program's.
    """
    if not error.is_damaged or (mixed and error.is_other):
        return SealedFile(path, b"")
    return _broken(
        path, "sealed-damaged", error.message, error.hint or "git checkout brings back its committed version"
    )


def _broken(path: str, code: str, text: str, hint: str) -> BrokenFile:
    return BrokenFile(path, b"", (Problem(code, Position(1), text, hint=hint).found_in(path),))


def _read(path: str, data: bytes, *, mixed: bool) -> MemoryFile | BrokenFile | PlainFile:
    if mixed and (plain_note.is_registry(path, data) or not plain_note.means_to_be_memory(data)):
        return PlainFile(path, data, *plain_note.note(path, data))
    text = fence.split(data)
    if text is None:
        return PlainFile(path, data, *plain_note.note(path, data))
    if isinstance(text, Problem):
        return BrokenFile(path, data, (text.found_in(path),))
    front = plain_lines.read(text.head, first_line=text.head_line)
    if front is None:
        front = strict_yaml.read(text.head, first_line=text.head_line)
    problems = front.problems or shapes.check(front, KEYS)
    values = front.values
    # Foreign keys are only dropped if all of the YAML was read: in unsound YAML a grant or a denial may be missing.
    if mixed and not front.problems and (foreign := {problem.key for problem in problems} & _FOREIGN_KEYS):
        problems = [problem for problem in problems if problem.key not in foreign]
        values = {"type": plain_note.NOTE_TYPE} | {name: value for name, value in values.items() if name not in foreign}
    if problems:
        return BrokenFile(path, data, tuple(problem.found_in(path) for problem in problems))
    return MemoryFile(path, data, text, front, memory_of(values, text.body))


def _well_advised(
    file: MemoryFile | BrokenFile | PlainFile, *, mixed: bool, rounds: int = 3
) -> MemoryFile | BrokenFile | PlainFile:
    """Return a file without corrections after which the same line is wrong again, and can't be corrected.

    Whoever reads YAML doesn't know the key, and would quote `.nan` also where a number must be. Such a finding gets the
    hint of the one that would follow.
    """
    if not isinstance(file, BrokenFile):
        return file
    corrected = [one for one in file.findings if one.mended is not None]
    after = _with_lines(file.data, corrected)
    if after == file.data:
        return file
    now = _read(file.path, after, mixed=mixed)
    if rounds > 1:
        now = _well_advised(now, mixed=mixed, rounds=rounds - 1)
    following = {one.at.line: one for one in reversed(now.findings)} if isinstance(now, BrokenFile) else {}
    return file._replace(findings=tuple(_advice(one, following.get(one.at.line)) for one in file.findings))


def _advice(finding: Finding, following: Finding | None) -> Finding:
    if finding.mended is None or following is None or following.mended is not None:
        return finding
    return finding._replace(mended=None, meant=None, hint=following.hint or following.text)


# Where keys that other programs use differently are kept if a memory leaves the vault with their notes.
SET_ASIDE = "markdown"


def values_for_any_vault(file: MemoryFile) -> dict[str, Any]:
    """Return a memory's frontmatter as every vault reads it.

    A `type`, `author` or `status` of another program's form is put under `markdown`, since only a vault with other
    programs' notes takes it.
    """
    values = dict(file.front.values)
    foreign = {problem.key for problem in shapes.check(file.front, KEYS)} & _FOREIGN_KEYS
    if not foreign:
        return values
    there = values.get(SET_ASIDE)
    if there is not None and not isinstance(there, dict):
        there = {SET_ASIDE: there}
    aside = {**(there or {}), **{name: values.pop(name) for name in (*values,) if name in foreign}}
    return {"type": file.memory.type, **values, SET_ASIDE: aside}


def mended(file: BrokenFile, *, mixed: bool) -> tuple[MemoryFile, tuple[Finding, ...]] | None:
    """Return a file in which every line is replaced that its findings correct, and these findings.

    Nothing else changes. None if the file could still not be read as a memory. Where the YAML can't be read, a line
    that may decide who sees the memory is not replaced: the correction is a guess, though a likely one.
    """
    data, findings = file.data, file.findings
    done: list[Finding] = []
    for _ in range(_MOST_ROUNDS):
        lines = data.split(b"\n")
        usable = [one for one in findings if one.mended is not None and not _is_guess(one, lines)]
        after = _with_lines(data, usable)
        if after == data:
            return None
        data, done = after, [*done, *usable]
        now = read(file.path, data, mixed=mixed)
        if not isinstance(now, BrokenFile):
            return (now, tuple(done)) if isinstance(now, MemoryFile) else None
        findings = now.findings
    return None


# A line may hide the next slip; each round reads the file once more.
_MOST_ROUNDS = 20
# A YAML parser ends lines at these as well, so that its line numbers would be others.
_OTHER_LINE_ENDS = re.compile(rb"\r(?!\n)|\xc2\x85|\xe2\x80[\xa8\xa9]")
_OUTER_KEY = re.compile(rb"(?:\xef\xbb\xbf)?([\w-]+)")
# The keys of `access.world.Labels` by which a memory may be seen by more or by fewer.
_DECIDE_WHO_SEES = frozenset({
    "owner", "source_entity", "source_chain", "subject_ids", "context", "access_grants", "access_denies",
    "consent_grants", "upstream_grants", "derived_from", "generalized", "generalization",
})  # fmt: skip


def _with_lines(data: bytes, findings: list[Finding]) -> bytes:
    lines = data.split(b"\n")
    last = max((one.at.line for one in findings), default=0)
    if _OTHER_LINE_ENDS.search(b"\n".join([*lines[:last], b""])):
        return data
    for line, text in {one.at.line: one.mended or "" for one in findings}.items():
        lines[line - 1] = text.encode() + (b"\r" if lines[line - 1].endswith(b"\r") else b"")
    return b"\n".join(lines)


def _is_guess(finding: Finding, lines: list[bytes]) -> bool:
    """Whether a correction of YAML that can't be read is about who sees the memory."""
    if not finding.code.startswith("yaml-"):
        return False
    above = (_OUTER_KEY.match(line) for line in reversed(lines[: finding.at.line]))
    key = next((found[1].decode(errors="replace") for found in above if found), "")
    return key in _DECIDE_WHO_SEES


def as_if_adopted(note: PlainFile) -> MemoryFile:
    """Return a plain note as the memory it would be, for display; none of its frontmatter counts as our keys."""
    known = note.memory
    values: dict[str, Any] = {"type": known.type, "title": known.title, "created_at": known.created_at}
    values |= {"tags": list(known.tags), "aliases": list(known.aliases)}
    front = strict_yaml.Frontmatter(values={name: value for name, value in values.items() if value})
    return MemoryFile(note.path, note.data, note.text, front, known)


def own_lines(file: MemoryFile) -> list[tuple[int, str]]:
    """Return the lines of a memory's frontmatter that say what people put there, with their file lines.

    They are those of the keys that memstore doesn't define, of those that hold people's words, like the source, and of
    a `type`, `author` or `status` that is the person's own. No line has a part of another key, nor is it a comment.
    """
    front = file.front
    own = {front.line_of(name) for name, value in front.values.items() if _is_own(file.memory, name, value)}
    if not own:
        return []
    keys = Counter(front.lines_of_keys)  # also of a key that is left out of the values that others are shown
    starts = sorted(keys)
    ends = [*starts[1:], front.first_line + len(front.lines)]
    found = []
    for start, end in zip(starts, ends, strict=True):
        is_own = start in own and keys[start] == 1  # a map in {} may have others on the same line
        lines = front.lines[start - front.first_line : end - front.first_line] if is_own else ()
        found += [(at, line) for at, line in enumerate(lines, start) if line.strip() and not line.startswith("#")]
    return found


def _is_own(memory: Memory, name: str, value: Any) -> bool:
    if shapes.is_absent(value):
        return False
    if name in _FOREIGN_KEYS:
        return bool(getattr(memory, name) != value)
    return name in _SAID or name not in KEY_BY_NAME


def own_keys(file: MemoryFile | PlainFile) -> list[str]:
    """Return the keys of a file that are the person's own, or have a value of theirs; of a plain note, all keys."""
    if isinstance(file, PlainFile):
        return [*file.values]
    own = ((name, _is_own(file.memory, name, value)) for name, value in file.front.values.items() if name not in _SAID)
    return [name for name, is_own in own if is_own]


def read_too_large(path: str, beginning: bytes, *, size: int, mixed: bool) -> BrokenFile | PlainFile:
    """Return a file larger than a memory may be: in a mixed vault a note known by name only, else a broken file.

    Args:
        path: the file.
        beginning: its first bytes, `fence.MOST_BYTES` of them or more.
        size: its size in bytes.
        mixed: whether the vault holds notes of other programs.
    """
    if mixed and not plain_note.means_to_be_memory(beginning):
        return PlainFile(path, b"", *plain_note.note(path, b""))
    found = Problem(
        "file-too-large",
        Position(1),
        f"{size:,} bytes; a memory has at most {fence.MOST_BYTES:,}",
        hint="keep it elsewhere and cite it, or name it in .memstoreignore",
    )
    return BrokenFile(path, b"", (found.found_in(path),))


def unreadable(path: str, why: str) -> BrokenFile:
    """Return a broken file for one that exists but can't be read at all."""
    found = Problem("file-unreadable", Position(1), why, hint="check its permissions").found_in(path)
    return BrokenFile(path, b"", (found,))


def memory_of(values: dict[str, Any], body: str) -> Memory:
    """Return the memory with these values, whose shapes have been checked."""
    fields: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for name, value in values.items():
        key = KEY_BY_NAME.get(name)
        if key is None:
            extra[name] = value
        elif value or not shapes.is_absent(value):
            fields[name] = _value(key, value)
    return Memory(**fields, extra=extra, body=body)


def _value(key: Key, value: Any) -> Any:
    if isinstance(value, str):
        return (value,) if key.shape in (Shape.HEIRS, Shape.WORDS) else value
    if isinstance(value, list):
        item_of = _ITEMS.get(key.shape)
        return tuple([item_of(key, item) for item in value]) if item_of else tuple(value)
    if key.shape is Shape.ENTRY:
        return _entry(key, value)
    return float(value) if key.shape in (Shape.FRACTION, Shape.NUMBER) else value


def _entry(key: Key, value: dict[str, Any]) -> Any:
    """Return the frozen value of one map."""
    parts = _PARTS[key.name]
    fields = {
        _FIELDS.get(name, name): _value(parts[name], item)
        for name, item in value.items()
        if item or not shapes.is_absent(item)
    }
    return _ENTRY_CLASSES[key.name](**fields)


def _grant(_key: Key, text: str) -> str:
    return EVERYBODY if text == EVERYBODY_SPELLED else text


def _grants(key: Key, texts: list[str]) -> tuple[str, ...]:
    return tuple([_grant(key, text) for text in texts])


# How an item of a list is converted, by shape; other items stay as they are.
_ITEMS: dict[Shape, Callable[[Key, Any], Any]] = {
    Shape.ENTRIES: _entry,
    Shape.GRANTS: _grant,
    Shape.GRANT_LISTS: _grants,
}
_PARTS = {key.name: {part.name: part for part in key.entry} for key in KEYS}
_FIELDS = {"with": "with_"}  # a Python keyword
