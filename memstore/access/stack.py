"""A shared stack: a copy of what one entity or group may see of a vault; its manifest says whose, for whom, and what.

The manifest is the label of everything in the stack: it decides who sees it. Registries, consents and audit stay with
the vault's owner, so nothing in the copy could decide that anew. It names nothing that was left out, nor how much.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.access.policy import Judge, moments
from memstore.access.world import Member, Session, World
from memstore.core.config import FORMAT_VERSION, LANGUAGES, NOTES
from memstore.core.digests import digest_of
from memstore.core.errors import FormatError
from memstore.core.ids import is_entity_id
from memstore.core.memory import EVERYBODY, STACK_MARK, UNKNOWN_LISTENER
from memstore.core.places import MANIFEST, is_sealed_path
from memstore.core.times import instant

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from memstore.access.world import Labels
    from memstore.core.view import View

FORMAT = "memstore.stack/1"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_ID = re.compile(r"stk_[0-9a-z]{1,40}")
MOST_MEMBERS = 10_000
_LONGEST = 4096  # no file system has longer paths
_WHAT_IT_IS = "a shared stack is made by `memstore share`; ask whoever gave it to you for a new copy"


def is_stack_name(text: str) -> bool:
    """Return whether a text can be the name of a stack."""
    return _NAME.fullmatch(text) is not None


class StackMemory(NamedTuple):
    """One memory of a stack; a plain note has no id.

    `file` is the digest of its bytes here. `until` is when the recipients' sight of it ends, if that is known.
    `content` and `provenance` are the digests of the original; `withheld` says that refs to what the recipients may not
    see were left out of the copy.
    """

    path: str
    file: str
    id: str = ""
    until: str | None = None
    content: str | None = None
    provenance: str | None = None
    withheld: bool = False


@dataclass(frozen=True, kw_only=True)
class Stack:
    """What a manifest says.

    `by` is the vault's owner, `to` the recipient: an entity, a group with its `members`, or everybody. `at` is when it
    was shared, `commit` a digest of the vault's commit then. `notes` and `languages` are the vault's settings by which
    its files are read. `signature` is its sender's, over everything else in the manifest.
    """

    id: str
    name: str
    by: str
    to: str
    at: str
    commit: str | None = None
    members: tuple[Member, ...] = ()
    notes: str = "own"
    languages: tuple[str, ...] = ()
    memories: tuple[StackMemory, ...] = ()
    signature: str | None = None

    @property
    def digest(self) -> str:
        """A digest of everything in it except when it was shared, from which commit, and its signature."""
        return digest_of(written(replace(self, at="", commit=None, signature=None)))

    def world(self) -> World:
        """Return the world by which it is decided who sees the stack, without its memories."""
        groups = {self.to: self.members} if self.members else {}
        return World(owner=self.by, groups=groups)

    def is_for(self, entity: str, at: datetime) -> bool:
        """Return whether somebody may see what is in it: its recipient, or whoever shared it."""
        if entity == self.by or self.to == EVERYBODY or (entity == self.to and not self.members):
            return True
        return any(entity == member.id and _is_in(member, at) for member in self.members)

    def label(self, labels: Labels, at: datetime) -> Labels:
        """Return a memory's labels as the manifest has them; one that is not in it is opened to nobody."""
        known = self._by_id.get(labels.id)
        is_open = known is not None and (known.until is None or at < datetime.fromisoformat(known.until))
        return type(labels)(
            id=labels.id,
            owner=labels.owner,
            status=labels.status,
            access_grants=(self.to,) if is_open else (),
            malformed=labels.malformed,
        )

    def ends(self) -> list[datetime]:
        """Return the times at which sight of a memory ends."""
        return sorted({datetime.fromisoformat(one.until) for one in self.memories if one.until})

    def memory(self, memory_id: str) -> StackMemory | None:
        """Return what the manifest says of a memory; None if it is not in it."""
        return self._by_id.get(memory_id)

    @cached_property
    def _by_id(self) -> Mapping[str, StackMemory]:
        return {one.id: one for one in self.memories if one.id}


class Mount(NamedTuple):
    """A shared stack that is mounted beside a vault: its name there, its folder, and what is in it.

    `view` is what the actor may see of it, None if it can't be used now; `problem` then says why. `replaced` is the
    folder from which the name was loaded before, if there is no stack any more. `key` is the fingerprint of its
    sender's key, if that signed it; without one, only the manifest itself says who it is from. `is_new_key` says that
    nobody here knew the key until now.
    """

    name: str
    folder: str
    stack: Stack | None = None
    view: View | None = None
    problem: str | None = None
    replaced: str | None = None
    key: str | None = None
    is_new_key: bool = False

    @property
    def is_own(self) -> bool:
        """Whether it is a vault of the actor's, beside another one, and no stack."""
        return self.stack is None and self.view is not None

    def path(self, path: str) -> str:
        """Return a path in it as people and agents are shown it, which says nothing about this machine's folders."""
        return f"{STACK_MARK}{self.name}/{path}"


# What a manifest that can't be read stands for: a stack in which nobody but the owner sees anything.
CLOSED = Stack(id="stk_0", name="unreadable", by="?", to="?", at="1970-01-01T00:00:00Z")


def _is_in(member: Member, at: datetime) -> bool:
    return (member.since is None or member.since <= at) and (member.until is None or at < member.until)


# -- its other files -------------------------------------------------------------------------------


def settings_file(stack: Stack, quality_profile: str) -> bytes:
    """Return the settings of a stack, by which its files are read."""
    lines = [
        f"# A shared stack, to be read: {MANIFEST} says what of, and for whom.",
        f"format = {FORMAT_VERSION}",
        f'owner = "{stack.by}"',
        f'notes = "{stack.notes}"',
        f'quality_profile = "{quality_profile}"',
    ]
    if any(not one.id for one in stack.memories):
        lines.append(f"notes_for = {json.dumps([stack.to, *(member.id for member in stack.members)])}")
    if stack.languages:
        lines += ["", "[search]", f"languages = {json.dumps([*stack.languages])}"]
    return ("\n".join(lines) + "\n").encode()


def attributes_file(stack: Stack) -> bytes:
    """Return git's attributes of a stack, whose files stay as they are."""
    is_sealed = any(is_sealed_path(one.path) for one in stack.memories)
    return b"*.md -text\n" + b"*.md.age -text\n" * is_sealed


# -- the manifest as bytes -------------------------------------------------------------------------


def written(stack: Stack) -> bytes:
    """Return the bytes of a manifest."""
    said: dict[str, Any] = {
        "format": FORMAT,
        "id": stack.id,
        "name": stack.name,
        "by": stack.by,
        "to": stack.to,
        "members": [_member_document(one) for one in stack.members],
        "at": stack.at,
        "commit": stack.commit,
        "notes": stack.notes,
        "languages": [*stack.languages],
        "memories": [_memory_document(one) for one in stack.memories],
        **({} if stack.signature is None else {"signature": stack.signature}),
    }
    return (json.dumps(said, ensure_ascii=False, indent=1) + "\n").encode()


def _memory_document(one: StackMemory) -> dict[str, Any]:
    return {"path": one.path, "file": one.file, **{name: value for name, value in one._asdict().items() if value}}


def _member_document(member: Member) -> dict[str, str]:
    times = {"from": member.since, "until": member.until}
    return {"id": member.id, **{name: instant(at) for name, at in times.items() if at}}


_KEYS = {"format", *(field.name for field in fields(Stack))}
_MEMBER_KEYS = {"id", "from", "until"}


def read(data: bytes) -> Stack:
    """Return what a manifest says; nothing of it is trusted to be well-formed.

    Raises:
        FormatError: it is none, or says something impossible.
    """
    try:
        said = json.loads(data.decode(), object_pairs_hook=_object, parse_constant=_no_number)
    except RecursionError as error:
        raise _malformed("it is nested too deep") from error
    except ValueError as error:
        raise _malformed(f"it can't be read as JSON: {error}") from error
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise _malformed(f"its format is not {FORMAT}")
    try:
        found = _stack(said)
        _time(found.at)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _malformed("a key is missing, or has a value of the wrong kind") from error
    if problem := _problem(found):
        raise _malformed(problem)
    return found


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)[:40]!r} is there twice")
    return made


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is not a number")


def _stack(said: Mapping[str, Any]) -> Stack:
    _refuse_other_keys(said, _KEYS)
    return Stack(
        **{name: _text(said[name]) for name in ("id", "name", "by", "to", "at", "notes")},
        commit=None if said["commit"] is None else _text(said["commit"]),
        members=tuple(_member(one) for one in _list(said["members"], most=MOST_MEMBERS)),
        languages=tuple(map(_text, _list(said["languages"]))),
        memories=tuple(_memory(one) for one in _list(said["memories"])),
        signature=None if said.get("signature") is None else _text(said["signature"]),
    )


def _refuse_other_keys(said: Mapping[str, Any], keys: Collection[str]) -> None:
    """Raise for a key that the format lacks: no signature is over it, and a later format has another number."""
    if unknown := next((key for key in said if key not in keys), None):
        raise _malformed(f"{FORMAT} has no key {unknown[:40]!r}")


def _member(said: Mapping[str, Any]) -> Member:
    _refuse_other_keys(said, _MEMBER_KEYS)
    times = {name: said.get(name) for name in ("from", "until")}
    since, until = (None if at is None else _time(at) for at in times.values())
    return Member(id=_text(said["id"]), since=since, until=until)


def _memory(said: Mapping[str, Any]) -> StackMemory:
    _refuse_other_keys(said, StackMemory._fields)
    optional = {name: _text(said[name]) for name in ("until", "content", "provenance") if said.get(name) is not None}
    if "until" in optional:
        _time(optional["until"])
    withheld = said.get("withheld", False)
    if not isinstance(withheld, bool):
        raise TypeError(withheld)
    return StackMemory(
        path=_text(said["path"]), file=_text(said["file"]), id=_text(said.get("id", "")), withheld=withheld, **optional
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    if len(value.encode()) > _LONGEST:  # half a character can't be encoded, which is a `ValueError`, too
        raise ValueError(value[:40])
    return value


def _list(value: object, *, most: int | None = None) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    if most is not None and len(value) > most:
        raise ValueError(value[:1])
    return value


def _time(value: object) -> datetime:
    found = datetime.fromisoformat(_text(value))
    if found.tzinfo is None:
        raise ValueError(value)
    return found


def _problem(stack: Stack) -> str | None:
    """Return what is impossible in a manifest; None if nothing is."""
    if not is_stack_name(stack.name):
        return f"{stack.name[:40]!r} is not a name of a stack"
    if not _ID.fullmatch(stack.id):
        return f"{stack.id[:40]!r} is not an id of a stack"
    people = [stack.by, *(member.id for member in stack.members), *([] if stack.to == EVERYBODY else [stack.to])]
    if strange := [name for name in people if not is_entity_id(name)]:
        return f"{strange[0][:40]!r} is not an entity id"
    if stack.notes not in NOTES or not {*stack.languages} <= {*LANGUAGES}:
        return "its settings are not those of a vault"
    paths = [one.path for one in stack.memories]
    if bad := [path for path in paths if not _is_inside(path)]:
        return f"the path {bad[0][:80]!r} leads out of the stack"
    return "two memories have the same path" if len({*paths}) < len(paths) else None


def _is_inside(path: str) -> bool:
    """Return whether a path stays below its folder, in none that programs keep for themselves."""
    parts = path.split("/")
    return all(part and not part.startswith(".") and "\0" not in part and "\\" not in part for part in parts)


def _malformed(why: str) -> FormatError:
    return FormatError(f"{MANIFEST} is not the manifest of a shared stack: {why}", hint=_WHAT_IT_IS)


# -- for whom, and until when ----------------------------------------------------------------------


def members_now(world: World, group: str, at: datetime) -> tuple[Member, ...]:
    """Return the entities in a group at a time, also through groups in it, each with when they leave, by id."""
    found: dict[str, datetime | None] = {}
    _collect(world, group, at, None, found, frozenset())
    return tuple(Member(id=name, since=None, until=until) for name, until in sorted(found.items()))


def _collect(
    world: World,
    group: str,
    at: datetime,
    ends: datetime | None,
    found: dict[str, datetime | None],
    on_way: Collection[str],
) -> None:
    for member in world.groups.get(group, ()):
        if not _is_in(member, at) or member.id in on_way:
            continue
        until = min((end for end in (ends, member.until) if end), default=None)
        if member.id in world.groups:
            _collect(world, member.id, at, until, found, {*on_way, group})
        elif member.id not in found:
            found[member.id] = until
        else:  # they stay for as long as one of the ways is open
            other = found[member.id]
            found[member.id] = None if until is None or other is None else max(until, other)


def sight_ends(world: World, stack: Stack, ids: Iterable[str], at: datetime) -> dict[str, datetime]:
    """Return when the recipients' sight of memories ends by itself, by the memories' ids; others stay visible.

    Args:
        world: the vault's registries and the labels of all its memories.
        stack: for whom.
        ids: the memories, all visible at `at`.
        at: now, UTC.
    """
    ends: dict[str, datetime] = {}
    standing = set(ids)
    for moment in sorted({one for one in moments(world) if one > at}):
        judges = [Judge(world, Session(viewer=name, at=moment)) for name in viewers(stack, moment)]
        gone = {one for one in standing if not all(judge.allows(one) for judge in judges)}
        ends.update(dict.fromkeys(gone, moment))
        standing -= gone
    return ends


def viewers(stack: Stack, at: datetime) -> Sequence[str]:
    """Return the entities who must all be allowed to see what is in a stack; for everybody, somebody unknown."""
    if stack.to == EVERYBODY:
        return [UNKNOWN_LISTENER]
    return [member.id for member in stack.members if _is_in(member, at)] if stack.members else [stack.to]


def commit_digest(commit: str | None) -> str | None:
    """Return the digest by which a manifest names the commit of the vault that it was made from."""
    return None if commit is None else digest_of(f"memstore stack\0{commit}".encode())
