"""Begin a vault of a group with what the whole group may see of a private vault, which stays as it is.

A clone has a history, and so has whoever clones: what only one person could see must never have been in it. So the
shared vault is a new repository with one commit, searched for the names of what stays before anybody gets it. Nobody
sees more than before; grants, consents, contexts and earlier versions stay where they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from memstore.access import RIGHTS, audit
from memstore.access.audience import Readers, in_a_sentence
from memstore.access.audit import AUDIT_HEAD
from memstore.access.entities import first_charter, joining
from memstore.access.stack import Stack, sight_ends
from memstore.core.change import Act
from memstore.core.config import CONFIG_PATH
from memstore.core.errors import FormatError, RefusedError, UsageError
from memstore.core.ids import is_group
from memstore.core.places import is_sealed_path
from memstore.core.short_repr import short_repr
from memstore.core.times import instant
from memstore.exchange.disclosure import HiddenNames, disclosures
from memstore.exchange.sharing import keys_of, masked
from memstore.files import FILES, memory_file
from memstore.files.memory_file import MemoryFile
from memstore.history import HISTORY
from memstore.trust.statement import digests
from memstore.vault.init import (
    ATTRIBUTES_LINE,
    ATTRIBUTES_PATH,
    IGNORE_PATH,
    IGNORE_TEXT,
    MIXED_ATTRIBUTES_LINE,
    config_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memstore.access.entities import Joining
    from memstore.access.world import Decision
    from memstore.core.view import View
    from memstore.vault.stack_place import StackPlace, UnfinishedStack

EVENT = "init"
# What vouches for a memory as it stood, refs to other memories among it.
_VOUCHING = ("signature", "witnesses", "resolutions", "anchors")


class LeftBehind(NamedTuple):
    """What a shared vault doesn't get: a file of the private vault, or a part of one that it gets, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedVault:
    """A vault of a group that began with what the group may see of a private one, or would.

    `source` is the folder of the private vault. `taken` are the paths that it has of it, `without` what these lack
    there, and `stays` what is left out as a whole. `obstacles` say why it can't begin like this; there are none if it
    did. `members` are those of the group now, with their git addresses.
    """

    folder: str
    source: str
    group: str
    keepers: tuple[str, ...]
    members: tuple[Joining, ...]
    taken: tuple[str, ...]
    without: tuple[LeftBehind, ...]
    stays: tuple[LeftBehind, ...]
    obstacles: tuple[str, ...]
    commit: str | None = None

    __repr__ = short_repr


class _Plan(NamedTuple):
    made: SharedVault
    ids: list[str]
    memories: Mapping[str, bytes]
    files: Mapping[str, bytes]
    saved: Mapping[str, datetime]
    head: str
    known_by: str
    address: str


def begin_shared(
    view: View, place: StackPlace, *, group: str, acknowledge: bool = False, dry_run: bool = False
) -> SharedVault:
    """Write a new vault of a group with what the whole group may see of a private one, and record that.

    Args:
        view: the private vault.
        place: where; a folder that is empty or doesn't exist.
        group: the group; its members are those whom the private vault knows.
        acknowledge: whether titles and aliases of what stays may occur in its texts; ids and paths never may.
        dry_run: only say what it would have.

    Raises:
        RefusedError: somebody other than the vault's owner asks, or others listen; the folder is not empty; a group
            owns the private vault already; or something is in the way, as the plan says.
        UsageError: it is no group.
        GitError: git does not know who commits.
    """
    view.require_owner("begin a shared vault with what is in it")
    audit.entity_id(group, "--owner", view)
    if not is_group(group):
        raise UsageError(f"{group} is no group", hint="name one that is to own the new vault: --owner group:ops")
    if is_group(view.config.owner):
        raise RefusedError(
            f"{view.root} is a vault of {view.config.owner}: its members share it already",
            hint="git clone copies it; memstore --as ENTITY init there says who one is",
        )
    place.require_free()
    plan = _plan(view, str(place.folder), group, acknowledge=acknowledge)
    if dry_run:
        return plan.made
    _stop_at(plan.made.obstacles)
    with place.draft() as draft:
        at = view.clock.now()
        message = f"vault: begin that of {group}\n\n{AUDIT_HEAD}: {plan.head}\n"
        commit = draft.write(plan.files, message, by=plan.known_by, at=at, saved=plan.saved, address=plan.address)
        _stop_at(_named(view, plan.memories, draft.contents(), acknowledge=acknowledge))
        draft.sync()
        with view.locked():
            act = Act(lambda: _finish(draft), place.folder / CONFIG_PATH)
            audit.append(view, EVENT, act, group=group, ids=plan.ids)
    return replace(plan.made, commit=commit)


def _finish(draft: UnfinishedStack) -> None:
    draft.finish(replaces=False)


def _stop_at(obstacles: Iterable[str]) -> None:
    if lines := [f"  {one}" for one in obstacles]:
        raise RefusedError(
            "\n".join(["the shared vault can't begin like this; nothing was written:", *lines]),
            hint="memstore init … --dry-run shows the whole plan",
        )


# -- the plan --------------------------------------------------------------------------------------


def _plan(view: View, folder: str, group: str, *, acknowledge: bool) -> _Plan:
    known_by, _, address = view.of(HISTORY).identity().rstrip(">").rpartition(" <")
    members = joining(view, group, address=address)
    chosen = _Choice(view, group, members)
    charter = first_charter(view, group, members, chosen.authors)
    attributes = MIXED_ATTRIBUTES_LINE if view.config.mixed else ATTRIBUTES_LINE
    own = {
        CONFIG_PATH: config_text(group, view.config.notes, like=view.config).encode(),
        IGNORE_PATH: IGNORE_TEXT.encode(),
        ATTRIBUTES_PATH: f"{attributes}\n".encode(),
        **{file.path: file.after or b"" for file in charter.files},
        **keys_of(view, charter.people),
    }
    made = SharedVault(
        folder=folder,
        source=str(view.root),
        group=group,
        keepers=charter.keepers,
        members=members,
        taken=tuple(sorted(chosen.files)),
        without=tuple(sorted(chosen.without)),
        stays=tuple(sorted(chosen.stays)),
        obstacles=(
            *_of_members(members),
            *_of_choice(chosen, group),
            *_named(view, chosen.files, _as_contents(chosen.files), acknowledge=acknowledge),
        ),
    )
    return _Plan(made, chosen.ids, chosen.files, {**chosen.files, **own}, chosen.saved, charter.head, known_by, address)


class _Choice:
    """What of a private vault all of a group may see, now and later: its files as the group gets them, by path."""

    def __init__(self, view: View, group: str, members: Sequence[Joining]) -> None:
        now = view.clock.now()
        self._view, self._group = view, group
        self.files: dict[str, bytes] = {}
        self.saved: dict[str, datetime] = {}
        self.ids: list[str] = []
        self.authors: set[str] = set()
        self.stays: list[LeftBehind] = []
        self.without: list[LeftBehind] = []
        self._inside = {group, view.config.owner, *(one.id for one in members)}
        rights = view.of(RIGHTS)
        # As the group, too, so that what only those are granted who are in it today isn't for whoever joins it.
        seen = rights.seen_by([*(one.id for one in members if one.id != view.config.owner), group])
        ids = [seen.column("id")[row] for row in seen.rows]
        forever = Stack(id="", name="", by=view.config.owner, to=group, at=instant(now))
        ends = sight_ends(rights.policy, forever, filter(None, ids), now)
        for row in seen.rows:
            self._take(seen, seen.entry(row).path, ends)
        taken = {seen.entry(row).path for row in seen.rows}
        readers = Readers(rights.policy, [group], now)
        for row in view.whole.rows:
            if (path := view.entry(row).path) not in taken:
                self.stays.append(LeftBehind(path, _why(readers.denial(rights.labels(row)))))
        for row in view.plain:
            path = view.entry(row).path
            if group not in view.config.notes_for:
                self.stays.append(LeftBehind(path, f"it is a plain note, which notes_for doesn't show to {group}"))
            elif self._is_here(path):
                self.files[path] = view.whole.read(path)
        self.stays += [LeftBehind(view.entry(row).path, "it can't be read") for row in view.broken]

    def _take(self, seen: View, path: str, ends: Mapping[str, datetime]) -> None:
        whole, shown = self._view.whole.read_file(path), seen.read(path)
        if not isinstance(whole, MemoryFile) or shown is None:
            return  # it has just changed
        if why := self._why_it_stays(whole, ends):
            self.stays.append(LeftBehind(path, why))
            return
        if not self._is_here(path):
            return
        self.files[path] = self._as_taken(whole, shown)
        self.ids.append(whole.memory.id or "")
        self.authors |= {author for author in [whole.memory.author] if author}

    def _is_here(self, path: str) -> bool:
        """Note when a file was saved; one in a vault within this one is not for its owner to give, and stays."""
        try:
            saved = self._view.of(FILES).saved_at(self._view.root / path)
        except FileNotFoundError:
            self.stays.append(LeftBehind(path, "it lies in another vault"))
            return False
        self.saved |= {path: saved} if saved else {}
        return True

    def _why_it_stays(self, file: MemoryFile, ends: Mapping[str, datetime]) -> str | None:
        memory = file.memory
        if memory.id is None:
            return "it has no id; memstore check --fix gives it one"
        if memory.owner not in (None, self._view.config.owner):
            return f"it is {memory.owner}'s own"
        if memory.access_denies:
            return f"it is denied to {', '.join(memory.access_denies)}, and a shared vault is for all its members"
        if is_sealed_path(file.path):
            return "it is sealed; memstore privacy unseal stores it as plain text"
        if memory.id in ends:
            return f"{self._group} may see it until {instant(ends[memory.id])} alone"
        return None

    def _as_taken(self, whole: MemoryFile, shown: MemoryFile) -> bytes:
        """Return a memory as its group's: with no ref to what stays, nor grant or consent of others."""
        values = dict(shown.front.values)
        left = ["refs to what stays"] if shown.memory.original is not None else []
        if others := [name for name in whole.memory.access_grants if name not in self._inside]:
            values["access_grants"] = [name for name in whole.memory.access_grants if name in self._inside]
            left.append(f"the grants to {', '.join(others)}")
        values.pop("owner", None)
        values.pop("consent_grants", None)
        data = whole.data if values == whole.front.values else masked(whole, values, mixed=self._view.config.mixed)
        if any(name in values for name in _VOUCHING) and not _says_the_same(whole, data):
            values = {name: value for name, value in values.items() if name not in _VOUCHING}
            data = masked(whole, values, mixed=self._view.config.mixed)
            left.append("what vouched for it with these refs")
        self.without += [LeftBehind(whole.path, ", ".join(left))] if left else []
        return data


def _says_the_same(whole: MemoryFile, data: bytes) -> bool:
    """Whether a copy of a memory has what was signed: its content and its provenance."""
    copy = memory_file.read(whole.path, data)
    try:
        return isinstance(copy, MemoryFile) and digests(copy.memory) == digests(whole.memory)
    except FormatError:
        return True  # nobody can have signed it


def _why(denial: Decision | None) -> str:
    if denial is None:
        return "not all members may see it"
    return f"{in_a_sentence(denial.who) or 'nobody else'} may not see it [{denial.code}]"


# -- what is in the way ----------------------------------------------------------------------------


def _of_members(members: Sequence[Joining]) -> Iterator[str]:
    """Yield the git addresses that several members have: it would be nobody's."""
    first: dict[str, str] = {}
    for one in members:
        other = first.setdefault(one.email.casefold(), one.id) if one.email else one.id
        if other != one.id:
            yield f"{other} and {one.id} have the same git address, {one.email}: it says of neither who commits"


def _of_choice(chosen: _Choice, group: str) -> Iterator[str]:
    if not chosen.files:
        yield f"{group} may see nothing here: memstore privacy grant REF --to {group} lets it see a memory"


def _as_contents(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    for path, data in files.items():
        yield path, path.encode(errors="surrogateescape")
        yield path, data


def _named(
    view: View, files: Mapping[str, bytes], contents: Iterable[tuple[str, bytes]], *, acknowledge: bool
) -> Iterator[str]:
    """Yield where contents name what stays, which would tell all members of it."""
    for found in disclosures(HiddenNames(view, {*files}, files), contents) if files else ():
        if found.name.is_exact or not acknowledge:
            rest = "" if found.name.is_exact else "; where the words say nothing of it: --acknowledge"
            yield f"{found.place} has the {found.name.kind} of {found.name.path}, which stays: {found.name.text}{rest}"
