"""The audience of a remote: who reads what is pushed there, and whether all of them may see a memory."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from memstore.access.policy import Judge
from memstore.access.sight import listeners, stranger
from memstore.access.world import Labels, Session, ids_in_scopes
from memstore.core.config import OWNER_ALONE, PUBLIC
from memstore.core.ids import is_group
from memstore.files.config_file import NOBODY

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memstore.access.world import Decision, World

_PARTS = attrgetter(*(name for name in Labels._fields if name != "id"))


def is_owner_alone(audience: Iterable[str], owner: str) -> bool:
    """Whether nobody but a vault's owner reads for an audience; a group that owns one is several people."""
    return {*audience} <= {OWNER_ALONE, owner} and not is_group(owner)


def readers(world: World, audience: Iterable[str], at: datetime) -> tuple[str, ...]:
    """Return everybody who reads for an audience, except the vault's owner, who may read everything anyway.

    A group reads by its name and by everyone who is in it or will be, since what was pushed stays. The public is
    everyone known to the vault and somebody who is not. The owner is left out only if it is one person: of a group that
    owns a vault, each member reads for himself.
    """
    named = [world.owner if name == OWNER_ALONE and is_group(world.owner) else name for name in audience]
    if PUBLIC in named:
        found = {stranger(world, ()), *listeners(world)[1:]}
    else:
        found = {name for name in named if name != OWNER_ALONE}
        found |= members_of(world, found, at)
    return tuple(sorted(found if is_group(world.owner) else found - {world.owner}))


def members_of(world: World, names: Iterable[str], at: datetime) -> set[str]:
    """Return who is in one of some groups or will be, directly or through other groups; with those groups."""
    found, waiting = set[str](), [*names]
    while waiting:
        members = world.groups.get(waiting.pop(), ())
        new = {one.id for one in members if one.until is None or at < one.until} - found
        found |= new
        waiting.extend(new)
    return found


def outsiders(world: World, names: Iterable[str], at: datetime) -> set[str]:
    """Return who of these is none of a shared vault's own: its group, its members, contexts of members alone."""
    inside = {world.owner, *members_of(world, [world.owner], at)}
    inside |= {name for name, one in world.contexts.items() if not one.open and {*one.roster} <= inside}
    return {*names} - inside


def in_a_sentence(who: Iterable[str]) -> str:
    """Return readers as a sentence names them: whoever the vault does not know is "anybody else"; empty for nobody."""
    return ", ".join(dict.fromkeys("anybody else" if name.startswith("anon:") else name for name in who))


class Readers:
    """What the readers of an audience may see by one state of a vault; equal labels are decided once.

    Args:
        world: the registries, and the memories that others may have been made from.
        audience: who reads, as in the vault's settings.
        at: the time, UTC.
    """

    def __init__(self, world: World, audience: Iterable[str], at: datetime) -> None:
        self.names = readers(world, audience, at)
        if is_group(world.owner) and not world.keepers:  # a member is not the owner, and neither is who joins later
            world = world._replace(owner=NOBODY)
        if world.keepers and world.owner in self.names:  # the group reads, and so will who joins it later
            later = {one.id for one in world.groups.get(world.owner, ()) if one.since and one.since > at}
            self.names = tuple(name for name in self.names if name not in later)
        self._judges = [Judge(world, Session(viewer=name, at=at)) for name in self.names]
        self._named = ids_in_scopes(world)
        self._decided: dict[tuple[object, ...], Decision | None] = {}
        self._asked: dict[int, tuple[Labels, Decision | None]] = {}  # by identity: hashing labels takes time

    def denial(self, labels: Labels) -> Decision | None:
        """Return the first decision against showing a memory to all of them; None if all may see it."""
        if id(labels) not in self._asked:
            self._asked[id(labels)] = labels, self._denial(labels)
        return self._asked[id(labels)][1]

    def _denial(self, labels: Labels) -> Decision | None:
        # Equal labels are decided once, except for those that a consent names.
        alike = (labels.id if labels.id in self._named else "", *_PARTS(labels))
        if alike not in self._decided:
            answers = (judge.decide_on(labels) for judge in self._judges)
            self._decided[alike] = next((answer for answer in answers if not answer.allowed), None)
        return self._decided[alike]
