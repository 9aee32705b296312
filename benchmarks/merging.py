#!/usr/bin/env python3
"""Merge random edits of one memory, made on two branches, both ways, and count what must not be.

    .venv/bin/python benchmarks/merging.py [--pairs 1000] [--seed 1]

Each side makes one to three edits: of a key, a ledger, a grant, a list, a link, or of a paragraph that the other side
leaves alone; some by the program, some as a hand would. As many pairs again change who sees the memory, and
nothing else, where sides collide more often. What has to come of them is worked out here from what PyYAML
reads in the three versions, and who may see them by the rules of access with and without recorded consents.

Prints how many pairs collided, and for what must not happen how often it did: an edit that is lost without a conflict,
frontmatter that can't be read without one, a grant that one side took away, somebody who sees what neither side showed
them, two ways that don't mean the same. Exits with 1 where any of these happened, or where more than 8 % collided.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import yaml

from memstore.access.policy import Judge, labels_of
from memstore.access.world import Consent, Session, World
from memstore.beliefs.next_lines import replayed
from memstore.files import memory_file, splice
from memstore.files.memory_file import MemoryFile
from memstore.memories.merge_values import Three
from memstore.memories.merging import Merged, merged

if TYPE_CHECKING:
    from collections.abc import Iterator

PATH = "notes/2026/tea-7f3k.md"
OWNER = "si:ash"
PEOPLE = ("human:sean", "human:bella", "human:ina", "human:otto", "si:claire")
NOW = datetime(2026, 3, 1, tzinfo=UTC)
MOST_COLLISIONS = 0.08
PARAGRAPHS = 9


def by_lines(texts: Three[bytes]) -> Merged:
    """Merge texts as git does."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts._asdict().items():
            Path(folder, name).write_bytes(text)
        names = [str(Path(folder, name)) for name in ("ours", "base", "theirs")]
        command = ["git", "merge-file", "-p", "-q", "-L", "ours", "-L", "base", "-L", "theirs", *names]
        done = subprocess.run(command, capture_output=True, check=False)
    return Merged(done.stdout, has_conflicts=done.returncode > 0)


# -- a memory, in somebody's style -----------------------------------------------------------------


def new_memory(chance: Random) -> bytes:
    """Return a memory with a few of everything."""

    def some(names: tuple[str, ...], most: int) -> list[str]:
        return chance.sample(names, chance.randint(0, most))

    def listed(name: str, items: list[str]) -> str:
        if not items:
            return chance.choice(("", f"{name}: []\n"))
        if chance.choice((True, False)):
            return f"{name}: [{', '.join(items)}]\n"
        indent = chance.choice(("", "  ", "    "))
        return f"{name}:\n" + "".join(f"{indent}- {item}{chance.choice(('', '', '  # as told'))}\n" for item in items)

    at, lines, confidence = NOW - timedelta(days=40), [], 0.8
    for number in range(chance.randint(1, 4)):
        op = "assert" if number == 0 else "support"
        lines.append(event(chance, at + timedelta(days=number), op, f"episode:m_base{number}00000"))
    front = [
        "type: belief\n",
        "id: m_7f3k9q2x1c\n",
        chance.choice(("title: Tea with Sean\n", 'title: "Tea with Sean"  # for now\n')),
        listed("tags", some(("tea", "dog", "walk", "vet"), 3)),
        listed("aliases", some(("teatime", "five o'clock"), 2)) if chance.choice((True, False)) else "",
        'created_at: "2026-01-01T10:00:00Z"\n',
        chance.choice(("", "# where it was said\n")) + "source: the kitchen\n",
        chance.choice(("", f"source_entity: {chance.choice(PEOPLE)}\n")),
        listed("derived_from", some(("episode:m_aaaaaaaaaa", "url:https://example.org/a", "episode:m_bbbbbbbbbb"), 2)),
        listed("relates_to", some(("note:m_cccccccccc", "note:m_dddddddddd"), 2)),
        listed("subject_ids", some(("human:otto", "dog:rex"), 1)),
        listed("access_grants", some(PEOPLE, 3)),
        listed("access_denies", some(PEOPLE, 1)),
        listed("consent_grants", some(PEOPLE, 2)),
        chance.choice(("", "importance: high\n")),
        f"confidence: {confidence}\n",
        "confidence_history:\n" + "".join(f"  - {line}\n" for line in lines),
        chance.choice(("", "rating: 4  # mine\n")),
    ]
    body = "\n\n".join(f"Paragraph {number} as it was." for number in range(PARAGRAPHS))
    return f"---\n{''.join(front)}---\n\n{body}\n".encode()


def event(chance: Random, at: datetime, op: str, evidence: str) -> str:
    """Return a line of a ledger."""
    new = chance.choice((0.8, 0.82, 0.9))
    return (
        f'{{timestamp: "{at:%Y-%m-%dT%H:%M:%SZ}", op: {op}, old: null, new: {new}, evidence_source: "{evidence}", '
        f'weight: 0.85, by: "{OWNER}"}}'
    )


# -- edits -----------------------------------------------------------------------------------------


KEYS = ("title", "importance", "valid_from", "valid_until", "platform", "source", "scope", "rating", "mood", "weather")
VALUES: dict[str, tuple[Any, ...]] = {
    "importance": ("low", "normal", "pinned"),
    "valid_from": ("2026-01-01", "2026-01-02", "2026-01-03"),
    "valid_until": ("2027-01-01", "2027-01-02", "2027-01-03"),
    "scope": ("global", "project:tea", "project:dogs"),
}
LISTS = ("tags", "aliases", "entities")


class Branch:
    """One side: a memory, and edits of it.

    Args:
        data: the memory as it was.
        name: the side, in whose words new texts are.
        chance: the dice.
    """

    def __init__(self, data: bytes, name: str, chance: Random) -> None:
        self.data, self.name, self.chance = data, name, chance
        self.comments: list[str] = []

    def edit(self, *, of_sight: bool) -> None:
        """Make one edit, of any kind or of what decides who sees it."""
        kinds = (self._key, self._ledger, self._grant, self._list, self._link, self._paragraph)
        self.chance.choice((self._grant, self._bound) if of_sight else kinds)()

    def _splice(self, *edits: splice.Edit) -> None:
        file = memory_file.read(PATH, self.data)
        assert isinstance(file, MemoryFile), file
        self.data = splice.apply(file, edits)

    def _key(self) -> None:
        name = self.chance.choice(KEYS)
        if self.chance.randrange(10) in range(3):
            self._comment()
        elif self.chance.randrange(10) in range(2) and name != "title":
            self._splice(splice.RemoveKey(name))
        else:
            value = self.chance.choice(VALUES.get(name, (f"{name} of {self.name}", f"a {name}", f"the {name}")))
            self._splice(splice.SetValue(name, value))

    def _comment(self) -> None:
        """Write a comment above a key, as a hand does."""
        lines = self.data.decode().split("\n")
        keys = [i for i in range(1, lines.index("---", 1)) if lines[i][0].isalpha()]
        comment = f"# {self.name} says: {self.chance.randrange(10**6)}"
        lines.insert(self.chance.choice(keys), comment)
        self.comments.append(comment)
        self.data = "\n".join(lines).encode()

    def _ledger(self) -> None:
        """Add evidence, and have the number follow."""
        at = NOW - timedelta(days=20) + timedelta(minutes=self.chance.randrange(20_000))
        op = self.chance.choice(("support", "contradict", "partial"))
        source = f"episode:m_{self.chance.randrange(10**9):010}"
        line = yaml.safe_load(event(self.chance, at, op, source))
        self._splice(splice.AppendEntry("confidence_history", line))
        file = memory_file.read(PATH, self.data)
        assert isinstance(file, MemoryFile)
        self._splice(splice.SetValue("confidence", replayed(file.memory.confidence_history)))

    def _grant(self) -> None:
        key = self.chance.choice(("access_grants", "access_grants", "access_grants", "consent_grants", "access_denies"))
        name = self.chance.choice(PEOPLE)
        gone = self.chance.choice((True, False))
        self._splice(splice.RemoveItems(key, (name,)) if gone else splice.AppendItems(key, (name,)))

    def _bound(self) -> None:
        """Change whose say it is, or what it was made of."""
        key, names = self.chance.choice((
            ("subject_ids", PEOPLE), ("source_entity", PEOPLE), ("source_chain", PEOPLE), ("owner", PEOPLE),
            ("derived_from", ("episode:m_aaaaaaaaaa", "episode:m_bbbbbbbbbb")),
        ))  # fmt: skip
        name = self.chance.choice(names)
        if key in ("source_entity", "owner"):
            self._splice(self.chance.choice((splice.SetValue(key, name), splice.RemoveKey(key))))
        else:
            self._splice(self.chance.choice((splice.AppendItems(key, (name,)), splice.RemoveItems(key, (name,)))))

    def _list(self) -> None:
        key = self.chance.choice(LISTS)
        if self.chance.randrange(10) in range(4):
            self._splice(splice.RemoveItems(key, (self.chance.choice(("tea", "dog", "walk", "vet", "teatime")),)))
        else:
            word = self.chance.choice((f"{self.name} {self.chance.randrange(99)}", "shared", "dog"))
            self._splice(splice.AppendItems(key, (word,)))

    def _link(self) -> None:
        key = self.chance.choice(("relates_to", "derived_from", "subject_ids", "witnesses", "claims"))
        number = f"{self.chance.randrange(10**9):010}"
        if key == "witnesses":
            entry = {"agent_id": self.chance.choice(PEOPLE), "attestation": "confirm"}
            at = NOW - timedelta(minutes=self.chance.randrange(10**5))
            self._splice(splice.AppendEntry(key, {**entry, "witnessed_at": f"{at:%Y-%m-%dT%H:%M:%SZ}"}))
        elif key == "claims":
            attribute = self.chance.choice(("drinks", "eats", "walks", "sleeps", "sings", "reads"))
            self._splice(splice.AppendEntry(key, {"subject": "Sean", "attribute": attribute, "value": self.name}))
        elif key == "subject_ids":
            self._splice(splice.AppendItems(key, (self.chance.choice(("human:otto", "dog:rex", "human:ina")),)))
        else:
            self._splice(splice.AppendItems(key, (f"note:m_{number}",)))

    def _paragraph(self) -> None:
        """Change, add or take out a paragraph: every fourth is this side's."""
        own = [number for number in range(PARAGRAPHS) if number % 4 == (0 if self.name == "ours" else 2)]
        text = f"Paragraph {self.chance.choice(own)} as it was."
        new = self.chance.choice((f"{self.name} wrote {self.chance.randrange(10**6)}.", ""))
        if new and self.chance.choice((True, False)):
            new = f"{text}\n\n{new}"
        self.data = self.data.replace(text.encode(), new.encode())


# -- what has to come of it ------------------------------------------------------------------------


def parts(data: bytes) -> tuple[dict[str, Any], str, list[str]]:
    """Return what a file says by PyYAML, its body and its comments."""
    _, head, body = data.decode().split("---\n", 2)
    comments = [line for line in head.split("\n") if line.startswith("#")]
    return {name: value for name, value in yaml.safe_load(head).items() if value not in (None, "", [])}, body, comments


def as_set(value: Any) -> Any:
    """Return a value that compares as it is meant: the order of a list aside."""
    if isinstance(value, list):
        return frozenset(repr(sorted(item.items())) if isinstance(item, dict) else item for item in value)
    return value


@dataclass
class Pair:
    """Three versions of a memory."""

    files: Three[bytes]

    def collisions(self) -> set[str]:
        """Return the keys that both sides changed to something different, sets and what follows from them aside."""
        base, ours, theirs = (parts(data)[0] for data in self.files)
        return {
            name
            for name in {*ours, *theirs, *base}
            if not any(isinstance(side.get(name), list) for side in (base, ours, theirs))
            and len({repr(side.get(name)) for side in (base, ours, theirs)}) == 3  # noqa: PLR2004
            and name != "confidence"
        }

    def lost(self, data: bytes) -> Iterator[str]:
        """Yield what is not in a merged file as it has to be."""
        (base, _, old_comments), (ours, _, ours_comments), (theirs, _, their_comments) = map(parts, self.files)
        now, body, comments = parts(data)
        for name in {*base, *ours, *theirs, *now}:
            three = [as_set(side.get(name)) for side in (base, ours, theirs)]
            if name == "confidence" and ours["confidence_history"] != theirs["confidence_history"]:
                continue
            if any(isinstance(one, frozenset) for one in three) and name != "source_chain":
                b, o, t = (one or frozenset() for one in three)
                wanted = (b & o & t) | (o - b) | (t - b)
                if (as_set(now.get(name)) or frozenset()) != wanted:
                    yield f"{name}: {now.get(name)} for {wanted}"
            elif as_set(now.get(name)) != (three[2] if three[0] == three[1] else three[1]):
                yield f"{name}: {now.get(name)}"
        yield from (f"comment {one}" for one in {*ours_comments, *their_comments} - {*old_comments} - {*comments})
        was, mine, others = ({*parts(one)[1].split("\n")} for one in self.files)
        wanted_lines = (was & mine & others) | (mine - was) | (others - was)
        if {*body.split("\n")} != wanted_lines:
            yield f"body: {body}"


def sees(data: bytes, world: World) -> set[str]:
    """Return who is shown a memory; nobody is shown what can't be read."""
    file = memory_file.read(PATH, data)
    if not isinstance(file, MemoryFile):
        return set()
    labels = labels_of(file.memory)
    at = NOW + timedelta(days=1)
    return {name for name in PEOPLE if Judge(world, Session(viewer=name, at=at)).admits(labels)}


def worlds(chance: Random) -> Iterator[World]:
    """Yield worlds without recorded consents, and with some."""
    memories = {}
    for name in ("m_aaaaaaaaaa", "m_bbbbbbbbbb"):
        file = memory_file.read(PATH, f"---\ntype: note\nid: {name}\naccess_grants: ['*']\n---\nx\n".encode())
        assert isinstance(file, MemoryFile)
        memories[name] = labels_of(file.memory)
    yield World(owner=OWNER, memories=memories)
    records = tuple(
        Consent(id=f"con_{number}", grantor=chance.choice(PEOPLE), grantee=chance.choice(PEOPLE),
                scope="mem:m_7f3k9q2x1c", granted_at=NOW - timedelta(days=9))
        for number in range(6)
    )  # fmt: skip
    yield World(owner=OWNER, memories=memories, consents=records)


def pair_of(seed: int, *, of_sight: bool = False) -> Pair:
    """Return two branches of a memory, the same for the same seed."""
    chance = Random(seed)  # noqa: S311 - the same for the same seed
    base = new_memory(chance)
    sides = [Branch(base, name, chance) for name in ("ours", "theirs")]
    for side in sides:
        for _ in range(chance.randint(1, 3)):
            side.edit(of_sight=of_sight)
    return Pair(Three(base, sides[0].data, sides[1].data))


def wrongs(seed: int, *, of_sight: bool = False) -> tuple[bool, list[str]]:
    """Return whether a pair collided, and what came of it that must not."""
    pair = pair_of(seed, of_sight=of_sight)
    base, ours, theirs = pair.files
    one = merged(PATH, pair.files, by_lines, mixed=False)
    other = merged(PATH, Three(base, theirs, ours), by_lines, mixed=False)
    found = [what for done in (one, other) for what in (*wrong_values(pair, done), *wrong_sight(pair, done, seed))]
    if one.has_conflicts != other.has_conflicts:
        found.append("different: a conflict one way only")
    elif not one.has_conflicts and not found:
        (mine, body, _), (others, other_body, _) = parts(one.data), parts(other.data)
        same = {k: as_set(v) for k, v in mine.items()} == {k: as_set(v) for k, v in others.items()}
        found += [] if same and body == other_body else ["different the other way"]
    return one.has_conflicts, found


def wrong_values(pair: Pair, done: Merged) -> Iterator[str]:
    """Yield what a merged file does not say as it has to."""
    file = memory_file.read(PATH, done.data)
    if done.has_conflicts:
        if isinstance(file, MemoryFile) and "<<<<<<< " not in file.text.body:
            yield "unmarked conflict"
    elif not isinstance(file, MemoryFile):
        yield "unreadable"
    else:
        yield from (f"lost {what}" for what in pair.lost(done.data))
        if collisions := pair.collisions():
            yield f"lost a side of {collisions}"


def wrong_sight(pair: Pair, done: Merged, seed: int) -> Iterator[str]:
    """Yield what a merged file gives back, or shows, to somebody."""
    base, ours, theirs = pair.files
    if regained := {*grants(done.data)} & ({*grants(base)} - ({*grants(ours)} & {*grants(theirs)})):
        yield f"regained {regained}"
    for world in worlds(Random(seed)):  # noqa: S311 - the same for the same seed
        if wider := sees(done.data, world) - sees(ours, world) - sees(theirs, world):
            yield f"wider by {wider}"


def grants(data: bytes) -> tuple[str, ...]:
    """Return the grants of a memory, none of one that can't be read."""
    file = memory_file.read(PATH, data)
    return file.memory.access_grants if isinstance(file, MemoryFile) else ()


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    first, bad = options.seed * 10**6, Counter[str]()
    shares = []
    for of_sight in (False, True):
        collided = 0
        for seed in range(first, first + options.pairs):
            has_conflicts, found = wrongs(seed, of_sight=of_sight)
            collided += has_conflicts
            for what in found:
                print(f"{seed}: {what}")
                bad[what.split()[0]] += 1
        shares.append(collided / options.pairs)
    print(f"{options.pairs} pairs of any edits, merged both ways: {shares[0]:.1%} collide")
    print(f"{options.pairs} pairs of edits of who sees it: {shares[1]:.1%} collide")
    print(dict(bad) or "nothing lost, unreadable, regained, wider, or different the other way")
    return 1 if bad or shares[0] > MOST_COLLISIONS else 0


if __name__ == "__main__":
    sys.exit(main())
