"""Merge three versions of one file: what git's merge driver writes (docs/merging.md, docs/adr/0030).

A memory is merged key by key. If only one side changed a key, its text is taken from that side, with the comments above
it; if both did, it is spliced, read again and compared. Bodies, and files that are not a valid memory in all three
versions, are merged line by line. No result shows a memory to anybody who saw neither side of it.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from memstore.access import registry
from memstore.access.registry import RegistryFile
from memstore.beliefs import next_lines
from memstore.core.errors import FormatError
from memstore.core.keys import KEY_BY_NAME
from memstore.core.places import RegistryKind, is_memory_path, kind_of
from memstore.files import fence, memory_file, splice, strict_yaml
from memstore.files.fence import FencedText
from memstore.files.layout import parts_by_key
from memstore.files.memory_file import BrokenFile, MemoryFile, memory_of
from memstore.files.plain_note import is_foreign
from memstore.memories.merge_values import CollisionError, MergedValues, Three, merged_values, one_of, same_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memstore.core.memory import Memory
    from memstore.files.memory_file import ReadFile

    ByLines: TypeAlias = "Callable[[Three[bytes]], Merged]"
    Read: TypeAlias = Callable[[bytes], ReadFile]


@dataclass(frozen=True, slots=True)
class Merged:
    """The merge of three versions; where they conflict, it has both sides between git's markers.

    `said` is for whoever merges: what the bytes alone don't say.
    """

    data: bytes
    has_conflicts: bool = False
    said: str = ""


def merged(path: str, files: Three[bytes], by_lines: ByLines, *, mixed: bool) -> Merged:
    """Return one file for three versions of it.

    Args:
        path: the path of the file, relative to its vault.
        files: its bytes; empty for a missing base.
        by_lines: merges texts as git does.
        mixed: whether the vault holds notes of other programs.
    """
    kind = None if all(is_foreign(path, data, mixed=mixed) for data in files) else kind_of(path)
    if kind is RegistryKind.CONSENT:
        return _both(files, by_lines)  # each is written once: two that differ are not versions of one
    if kind is not None:
        return _registry(path, kind, files, by_lines)
    if not is_memory_path(path, mixed=mixed):
        return by_lines(files)

    def read(data: bytes) -> ReadFile:
        return memory_file.read(path, data, mixed=mixed)

    found = files.map(read)
    sides = [file.memory for file in (found.ours, found.theirs) if isinstance(file, MemoryFile)]
    if len({memory.id for memory in sides}) > 1:
        return _unreadable(files, by_lines, read)  # two memories at one path
    if len(sides) == 2 and any(memory.status == "forgotten" for memory in sides):  # noqa: PLR2004 - both sides
        return _forgotten(files, Three(*(_is_tombstone(file) for file in found)))
    memories = [file for file in found if isinstance(file, MemoryFile)]
    by_keys = _by_keys(Three(*memories), read, by_lines) if len(memories) == len(found) else None
    return by_keys or _by_lines(files, found, read, by_lines)


def _is_tombstone(file: ReadFile) -> bool:
    return isinstance(file, MemoryFile) and file.memory.status == "forgotten"


def _forgotten(files: Three[bytes], is_tomb: Three[bool]) -> Merged:
    """Return the tombstone of a memory that a side forgot; it is a conflict if the other changed the memory meanwhile.

    What is forgotten must not come back by a merge, not even between markers. With a conflict, git keeps the other
    version for whoever decides, also when a stash is applied.
    """
    if is_tomb.ours and is_tomb.theirs:
        return Merged(min(files.ours, files.theirs))  # either way the same
    tomb, other = (files.ours, files.theirs) if is_tomb.ours else (files.theirs, files.ours)
    if other == files.base:
        return Merged(tomb)
    return Merged(
        tomb,
        has_conflicts=True,
        said="one side forgot this memory, and the other changed it: the tombstone is in its place, and the change "
        "stays in the history of its side; git add keeps the memory forgotten",
    )


# -- line by line ----------------------------------------------------------------------------------


def _by_lines(files: Three[bytes], found: Three[ReadFile], read: Read, by_lines: ByLines) -> Merged:
    """Return the line-by-line merge if it is as valid as both sides and shows no more; else a conflict."""
    done = by_lines(files)
    after = read(done.data)
    if isinstance(after, MemoryFile):
        sides = [side.memory for side in (found.ours, found.theirs) if isinstance(side, MemoryFile)]
        base = found.base.memory if isinstance(found.base, MemoryFile) else None
        is_sound = bool(sides) and not _shows_more(base, (sides[0], sides[-1]), after.memory)
    else:
        in_conflict = done.has_conflicts and isinstance(after, BrokenFile)
        is_sound = in_conflict or type(after) in (type(found.ours), type(found.theirs))
    return done if is_sound else _unreadable(files, by_lines, read)


def _both(files: Three[bytes], by_lines: ByLines) -> Merged:
    """Return a conflict over every line in which the sides differ."""
    return Merged(by_lines(files._replace(base=b"")).data, has_conflicts=files.ours != files.theirs)


def _unreadable(files: Three[bytes], by_lines: ByLines, read: Read) -> Merged:
    """Return a conflict that can't be read as a memory, so that only its owner sees it."""
    done = _both(files, by_lines)
    if isinstance(read(done.data), BrokenFile):
        return done
    # The frontmatters don't differ: put both whole files into the conflict.
    return Merged(_block(files, by_lines), has_conflicts=True)


def _registry(path: str, kind: RegistryKind, files: Three[bytes], by_lines: ByLines) -> Merged:
    """Return a registry file merged line by line; if both sides can be read, so can the result, or it is a conflict."""

    def is_sound(data: bytes) -> bool:
        return isinstance(registry.read(path, kind, data), RegistryFile)

    done = by_lines(files)
    if done.has_conflicts or is_sound(done.data) or not (is_sound(files.ours) and is_sound(files.theirs)):
        return done
    return _both(files, by_lines)


def _block(texts: Three[bytes], by_lines: ByLines, newline: bytes = b"\n") -> bytes:
    """Return texts between git's markers, in its marker size, and with the base if git shows it."""
    names = Three(b"base\n", b"ours\n", b"theirs\n")
    whole = texts.map(lambda text: text if text.endswith(b"\n") or not text else text + newline)
    written = dict(zip(names, whole, strict=True))
    lines = by_lines(names).data.splitlines(keepends=True)
    return b"".join(written.get(line, line.replace(b"\n", newline)) for line in lines)


# -- key by key ------------------------------------------------------------------------------------


def _by_keys(files: Three[MemoryFile], read: Read, by_lines: ByLines) -> Merged | None:
    """Return a memory merged key by key; None if anything is doubtful."""
    parts = files.map(lambda file: parts_by_key(file.front, file.text.head))
    if parts.base is None or parts.ours is None or parts.theirs is None:
        return None
    if len({(file.text.newline, _margin(file)) for file in files}) > 1:
        return None
    keys = _Keys(files.ours.path, Three(parts.base, parts.ours, parts.theirs), files.ours.text.newline, by_lines)
    values, collisions = _values(files)
    texts = {name: keys.text(name, value) for name, value in {**values, "": None}.items()}
    texts |= {name: keys.own_text(name) for name in collisions}
    torn = {name for name, text in texts.items() if text is None}
    if not torn and _shows_more_than(files, memory_of(_typed(files, values), "")):
        torn = {name for name in _SIGHT if not same_items(name, *_sides(files, name))}
    head = "".join(keys.block(name) if name in torn else texts.get(name) or "" for name in keys.order())
    return _whole(files, head, by_lines, read, values=None if torn else values)


def _margin(file: MemoryFile) -> int:
    return file.front.position(next(iter(file.front.values))).column


def _whole(
    files: Three[MemoryFile], head: str, by_lines: ByLines, read: Read, *, values: Mapping[str, Any] | None
) -> Merged | None:
    """Return the file with a merged head if it reads as these values, or, for None, can't be read; else None."""
    try:
        before = one_of(files.map(lambda file: file.text.before))
        between = one_of(files.map(lambda file: file.text.between))
    except CollisionError:
        return None
    body = _body(files, by_lines)
    data = before + head.encode() + between + body.data
    after = read(data)
    if values is None:
        return Merged(data, has_conflicts=True) if isinstance(after, BrokenFile) else None
    if not isinstance(after, MemoryFile) or after.text.body.encode() != body.data:
        return None
    names = {*values, *after.front.values}
    if not all(same_items(name, after.front.values.get(name), values.get(name)) for name in names):
        return None
    return None if _shows_more_than(files, after.memory) else Merged(data, body.has_conflicts)


def _body(files: Three[MemoryFile], by_lines: ByLines) -> Merged:
    bodies = files.map(lambda file: file.text.body.encode())
    try:
        return Merged(one_of(bodies))
    except CollisionError:
        return by_lines(bodies)


def _sides(files: Three[MemoryFile], name: str) -> tuple[Any, Any]:
    return files.ours.front.values.get(name), files.theirs.front.values.get(name)


def _typed(files: Three[MemoryFile], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with a type, which a memory among other programs' notes may lack."""
    return {**values, "type": values.get("type") or files.ours.memory.type}


def _values(files: Three[MemoryFile]) -> MergedValues:
    """Return the values of all keys; if both sides added to the history, it determines the confidence."""
    values, collisions = merged_values(files.map(lambda file: file.front.values))
    united = "confidence_history" in values and not any(
        same_items("confidence_history", values["confidence_history"], side)
        for side in _sides(files, "confidence_history")
    )
    # If a side's confidence was set by hand and no longer follows from its history, a person must decide.
    if united and all(next_lines.drifted(side.memory) is None for side in (files.ours, files.theirs)):
        known = {name: value for name, value in values.items() if name != "confidence"}
        confidence = next_lines.drifted(memory_of(_typed(files, known), ""))
        if confidence is not None:
            return MergedValues({**values, "confidence": confidence}, collisions - {"confidence"})
    return MergedValues(values, collisions)


# A comment, or a quoted text, in which `#` does not begin a comment.
_COMMENT = re.compile(
    r"""(?<![^\s\[{,:])(?:"(?>(?:[^"\\\n]|\\.)*)"|'(?>(?:[^'\n]|'')*)')|(?:^|(?<=\s))(#.*)$""", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class _Keys:
    """The texts of keys in three versions of a frontmatter, and their merge.

    Args:
        path: the file.
        parts: the lines of each key, with the comments above it; comments below the last key under an empty name.
        newline: the line end of all three.
        by_lines: merges texts as git does.
    """

    path: str
    parts: Three[Mapping[str, str]]
    newline: str
    by_lines: ByLines

    def text(self, name: str, value: Any) -> str | None:
        """Return the text of a key with this value; None if there is none that keeps every side's comments."""
        three = self._of(name)
        with suppress(CollisionError):
            text = one_of(three)
            if self._says(name, text, value):
                return text
        kept = _kept_comments(three)
        for text in self._ways(name, three, value):
            if self._says(name, text, value) and kept <= _comments(text):
                return text
        return None

    def own_text(self, name: str) -> str | None:
        """Return the text of a person's own key that both sides changed, if a line merge works."""
        done = self.by_lines(self._of(name).map(str.encode))
        text = done.data.decode()
        is_own = name not in KEY_BY_NAME and not done.has_conflicts
        return text if is_own and [*strict_yaml.read(text, first_line=1).values] == [name] else None

    def block(self, name: str) -> str:
        """Return both texts of a key as a conflict."""
        return _block(self._of(name).map(str.encode), self.by_lines, self.newline.encode()).decode()

    def order(self) -> list[str]:
        """Return the names in the order of the side that changed it, ours if both did; new ones follow the same key."""
        common = {*self.parts.base} & {*self.parts.ours} & {*self.parts.theirs}
        shared = self.parts.map(lambda part: [name for name in part if name in common])
        first, second = self.parts.ours, self.parts.theirs
        if shared.ours == shared.base:
            first, second = second, first
        names, at = list(first), 0
        for name in second:
            if name not in names:
                names.insert(at, name)
            at = names.index(name) + 1
        return names

    def _of(self, name: str) -> Three[str]:
        return self.parts.map(lambda part: part.get(name, ""))

    def _says(self, name: str, text: str, value: Any) -> bool:
        front = strict_yaml.read(text, first_line=1)
        return not front.problems and {*front.values} <= {name} and same_items(name, front.values.get(name), value)

    def _ways(self, name: str, three: Three[str], value: Any) -> Iterator[str]:
        """Yield texts that may have the value, first those that keep most of both sides' texts."""
        above = three.map(_above_key)
        below = Three(*(text.removeprefix(part) for text, part in zip(three, above, strict=True)))
        for comments in self._merged_lines(above):
            yield from (comments + text for text in self._merged_lines(below))
            for text in (below.ours, below.theirs):
                yield from (comments + spliced for spliced in self._spliced(text, name, value))

    def _merged_lines(self, three: Three[str]) -> Iterator[str]:
        """Yield a text with both sides' changes, if a line merge gives one."""
        try:
            yield one_of(three)
        except CollisionError:
            done = self.by_lines(three.map(str.encode))
            if not done.has_conflicts:
                yield done.data.decode()

    def _spliced(self, text: str, name: str, value: Any) -> Iterator[str]:
        """Yield the lines of a key with another value, if they can be written that way."""
        fenced = fence.split(f"---{self.newline}{text}---{self.newline}".encode())
        if not text or not isinstance(fenced, FencedText):
            yield text
            return
        with suppress(FormatError):
            data = splice.apply_to_text(self.path, fenced, [splice.SetValue(name, value)])
            yield data[len(fenced.before) : len(data) - len(fenced.between)].decode()


_ABOVE_KEY = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*")


def _above_key(text: str) -> str:
    """Return the comments and blank lines above a key."""
    found = _ABOVE_KEY.match(text)
    return found[0] if found else ""


def _comments(text: str) -> set[str]:
    return {found for found in _COMMENT.findall(text) if found}


def _kept_comments(three: Three[str]) -> set[str]:
    """Return the comments that neither side removed."""
    base, ours, theirs = three.map(_comments)
    return (ours & theirs) | (ours - base) | (theirs - base)


# -- who sees it -----------------------------------------------------------------------------------


_GRANTED = ("access_grants", "consent_grants")
_BOUND = ("access_denies", "subject_ids", "source_chain", "upstream_grants", "derived_from")
_SIGHT = (*_GRANTED, *_BOUND, "source_entity", "owner", "context", "status", "generalized", "generalization")


def _shows_more_than(files: Three[MemoryFile], after: Memory) -> bool:
    memories = files.map(lambda file: file.memory)
    return _shows_more(memories.base, (memories.ours, memories.theirs), after)


def _shows_more(base: Memory | None, sides: tuple[Memory, Memory], after: Memory) -> bool:
    """Whether a merged memory has a grant that a side revoked, or may be shown to somebody who saw neither side.

    Consents are not looked up: the result depends on the memory alone, whatever they are.
    """
    both = {*sides[0].access_grants} & {*sides[1].access_grants}
    old = {*after.access_grants} if base is None else {*base.access_grants}
    if (old & {*after.access_grants}) - both:
        return True
    if not all(_may_show_more(side, after) for side in sides):
        return False
    # Grantees of one side may see the result only if that side shows them as much.
    per_side = [tuple(name for name in after.access_grants if name in side.access_grants) for side in sides]
    return {*after.access_grants} != {*per_side[0], *per_side[1]} or any(
        _may_show_more(side, replace(after, access_grants=grants)) for side, grants in zip(sides, per_side, strict=True)
    )


def _may_show_more(before: Memory, after: Memory) -> bool:
    """Whether something that opens a memory was added, or something that binds it was removed."""
    if after.status == "forgotten":
        return False
    made = (before.generalized, before.generalization)
    return (
        before.status == "forgotten"
        or any({*getattr(after, name)} - {*getattr(before, name)} for name in _GRANTED)
        or any({*getattr(before, name)} - {*getattr(after, name)} for name in _BOUND)
        or before.source_entity not in (None, after.source_entity)
        or (before.owner, before.context) != (after.owner, after.context)
        or (after.generalized and (after.generalized, after.generalization) != made)
    )
