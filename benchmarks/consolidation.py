#!/usr/bin/env python3
"""Consolidate conversations, or a journal, and print the figures of docs/consolidation.md, and proposals to judge.

    .venv/bin/python benchmarks/consolidation.py PATH/locomo_dev.json [--show 30] [--sizes 1000 5000] [--dense]
    .venv/bin/python benchmarks/consolidation.py PATH/journal.json PATH/journal_key.json [--show 30] [--embedder FOLDER]

Each turn of five words or more becomes an episode about its speaker, in a project of its conversation, with its session
as root. The vault is made in a temporary folder. Times are CPU seconds of the whole run, reading included; those for
the sizes put so many sentences into one partition, which is the worst there is.

A journal is a list of {"date", "body"}, each an episode of its own. Its key names what is in it by the episodes' places
in the list: "patterns" [{"members"}], "changes" [{"members_before", "members_after"}], "false_friends" [{"members"}]. A
pattern is found by a proposal of which three members and three fifths are its own; a change by one to supersede or
contradict that quotes both sides; false friends are joined by one that has two of them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import tempfile
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memstore.beliefs.clustering import EMBEDDING_THRESHOLD, TEXT_THRESHOLD, Weights, average_link
from memstore.beliefs.consolidate import consolidate
from memstore.beliefs.consolidation import FEWEST_MEMBERS, FEWEST_ROOTS, Action, partitions
from memstore.beliefs.pool import gather
from memstore.files.draft import new_file
from memstore.files.local_state import Environment
from memstore.search.meaning import Dense, unit
from memstore.vault.composition import open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.beliefs.consolidate import Consolidated
    from memstore.beliefs.pooled import Pooled

FEWEST_WORDS = 5
SEED = 5
NUMBERS = 384
CHANGING = (Action.SUPERSEDE, Action.CONTRADICT)
OWN = 0.6  # of what a proposal has is one pattern's
JOINED = 2


@dataclass(frozen=True)
class Turn:
    """What one person said once."""

    conversation: int
    session: int
    name: str
    speaker: str
    text: str


def turns(path: Path) -> list[Turn]:
    """Return all turns of the conversations in a file."""
    return [
        Turn(talk["conversation"], session["session"], name, speaker, text)
        for talk in json.loads(path.read_text(encoding="utf-8"))
        for session in talk["sessions"]
        for name, speaker, text, *_ in session["turns"]
        if len(text.split()) >= FEWEST_WORDS
    ]


def make_vault(folder: Path, said: Iterable[Turn], *, apart: bool) -> None:
    """Write episodes; `apart` puts each conversation and speaker into a partition of their own."""
    (folder / ".memstore").mkdir(parents=True)
    (folder / ".memstore" / "config.toml").write_text('format = 1\nowner = "human:reader"\n')
    names = set()
    for i, turn in enumerate(said):
        names.add(turn.speaker.lower())
        values: dict[str, Any] = {
            "type": "episode",
            "id": f"m_e{i:06d}",
            "created_at": f"2026-01-01T00:{i // 60 % 60:02d}:{i % 60:02d}Z",
            "source_type": "observation",
            "origin": {"session_id": f"{turn.conversation}-{turn.session}"},
            **(
                {"scope": f"project:c{turn.conversation}", "subject_ids": [f"human:{turn.speaker.lower()}"]}
                if apart
                else {}
            ),
        }
        (folder / f"e{i:06d}.md").write_bytes(new_file(values, turn.text))
    for name in names:
        path = folder / "entities" / "human" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'---\ntype: entity\nid: "human:{name}"\n---\n')


def consolidated(folder: Path) -> tuple[Consolidated, float]:
    """Return what is suggested, and the CPU seconds that it took."""
    ws = open_workspace(Environment.of_process(), vault=str(folder))
    ws.library.snapshot()
    start = time.process_time()
    return consolidate(ws.view()), time.process_time() - start


# -- a journal -------------------------------------------------------------------------------------


def make_journal(folder: Path, notes: Iterable[dict[str, str]]) -> None:
    """Write a journal's notes as episodes, each called by its place."""
    (folder / ".memstore").mkdir(parents=True)
    (folder / ".memstore" / "config.toml").write_text('format = 1\nowner = "human:reader"\n')
    for at, note in enumerate(notes):
        values: dict[str, Any] = {
            "type": "episode", "id": f"m_e{at:06d}", "created_at": note["date"], "source_type": "direct_experience"
        }  # fmt: skip
        (folder / f"e{at:06d}.md").write_bytes(new_file(values, note["body"]))


def places(members: Iterable[Pooled]) -> set[int]:
    """Return the places of episodes in their journal."""
    return {int(str(member.memory.id).removeprefix("m_e")) for member in members}


def found_in(done: Consolidated, key: dict[str, Any]) -> dict[str, list[int]]:
    """Return which patterns and changes of a key were found, and which false friends were joined, by their places."""
    made = [one.proposal for one in done.suggestions]
    both = [(places(one.members), places(one.against)) for one in made if one.action in CHANGING]
    every = [places(one.members) | places(one.against) for one in made]
    return {
        "patterns": [
            at for at, one in enumerate(key["patterns"]) if any(_is_of(set(one["members"]), of) for of in every)
        ],
        "changes": [
            at
            for at, one in enumerate(key["changes"])
            if any(after & set(one["members_after"]) and before & set(one["members_before"]) for after, before in both)
        ],
        "false_friends": [
            at
            for at, one in enumerate(key["false_friends"])
            if any(len(of & set(one["members"])) >= JOINED for of in every)
        ],
    }


def _is_of(pattern: set[int], proposed: set[int]) -> bool:
    return len(pattern & proposed) >= max(FEWEST_MEMBERS, OWN * len(proposed))


def measure_journal(given: argparse.Namespace, scratch: Path) -> None:
    """Print how much of a journal's key is found."""
    if given.embedder:
        settings = scratch / "config" / "memstore" / "config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(f'embedder = "{given.embedder.resolve()}"\n')
    key = json.loads(given.key.read_text(encoding="utf-8"))
    make_journal(scratch / "journal", json.loads(given.path.read_text(encoding="utf-8")))
    done, seconds = consolidated(scratch / "journal")
    for name, found in found_in(done, key).items():
        word = "joined" if name == "false_friends" else "found"
        print(f"{name.replace('_', ' ')} {word}: {len(found)} of {len(key[name])} {found}")
    print(f"episodes {done.pooled}, proposals {len(done.suggestions)}, {seconds:.1f} s")
    show(done, scratch / "journal", given.show)


def gates(folder: Path) -> tuple[int, int]:
    """Return how many clusters have enough members, and how many of these come from enough sessions."""
    found, founded = 0, 0
    for part in partitions(gather(open_workspace(Environment.of_process(), vault=str(folder)).view(), until="9").pool):
        weights = Weights([one.terms for one in part])
        by_ref = {one.ref: one for one in part}
        for cluster in average_link({one.ref: weights.vector(one.terms) for one in part}, TEXT_THRESHOLD):
            if len(cluster) >= FEWEST_MEMBERS:
                found += 1
                founded += len({root for ref in cluster for root in by_ref[ref].roots}) >= FEWEST_ROOTS
    return found, founded


def show(done: Consolidated, folder: Path, count: int) -> None:
    """Print some suggestions with their evidence, chosen by a fixed seed."""
    chosen = random.Random(SEED).sample(done.suggestions, min(count, len(done.suggestions)))  # noqa: S311
    for i, one in enumerate(chosen, 1):
        print(f"\n{i}. {one.proposal.action}: {one.proposal.quote}  ({one.new}, {', '.join(one.proposal.terms)})")
        for sign, members in (("+", one.proposal.members), ("-", one.proposal.against)):
            for member in members:
                print(f"   {sign} {' '.join(member.memory.body.split())}")
    print(f"\nfrom {folder}")


def sentences(said: Iterable[Turn]) -> list[Turn]:
    """Return what was said, cut into sentences."""
    return [
        Turn(turn.conversation, turn.session, turn.name, turn.speaker, sentence)
        for turn in said
        for sentence in re.split(r"(?<=[.!?])\s+", turn.text)
        if len(sentence.split()) >= FEWEST_WORDS
    ]


def dense_seconds(texts: Iterable[str]) -> float:
    """Return the CPU seconds in which vectors of 384 numbers, as embedders make them, are clustered."""
    made = {}
    for at, text in enumerate(texts):
        numbers = [0.0] * NUMBERS
        for word in text.lower().split():
            for first in range(max(len(word) - 2, 1)):
                numbers[zlib.crc32(word[first : first + 3].encode()) % NUMBERS] += 1
        made[f"{at:06d}"] = Dense(unit(numbers))
    start = time.process_time()
    average_link(made, EMBEDDING_THRESHOLD)
    return time.process_time() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("key", type=Path, nargs="?", help="what is in the journal at PATH")
    parser.add_argument("--embedder", type=Path, help="a model's folder, to look at a journal by meaning, too")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 5_000])
    parser.add_argument("--dense", action="store_true", help="cluster vectors of an embedder's kind, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {f"XDG_{name.upper()}_HOME": f"{scratch}/{name}" for name in ("cache", "state", "config")}
        if given.key:
            measure_journal(given, Path(scratch))
            return
        said = turns(given.path)
        folder = Path(scratch) / "talks"
        make_vault(folder, said, apart=True)
        done, seconds = consolidated(folder)
        found, founded = gates(folder)
        print(f"episodes {done.pooled}, proposals {len(done.suggestions)}, {seconds:.1f} s")
        print(f"clusters of 3 or more {found}, of them from 3 sessions {founded} ({founded / max(found, 1):.0%})")
        show(done, folder, given.show)
        for size in given.sizes:
            folder = Path(scratch) / f"{size}"
            make_vault(folder, sentences(said)[:size], apart=False)
            done, seconds = consolidated(folder)
            print(f"one partition of {done.pooled}: {len(done.suggestions)} proposals, {seconds:.1f} s")
            if given.dense:
                spent = dense_seconds(turn.text for turn in sentences(said)[:size])
                print(f"clustering {size} vectors of {NUMBERS} numbers: {spent:.1f} s")


if __name__ == "__main__":
    main()
