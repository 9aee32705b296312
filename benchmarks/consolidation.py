#!/usr/bin/env python3
"""Consolidate conversations and print the figures of docs/consolidation.md, and proposals for a reader to judge.

    .venv/bin/python benchmarks/consolidation.py PATH/locomo_dev.json [--show 30] [--sizes 1000 5000] [--dense]

Each turn of five words or more becomes an episode about its speaker, in a project of its conversation, with its session
as root. The vault is made in a temporary folder. Times are CPU seconds of the whole run, reading included; those for
the sizes put so many sentences into one partition, which is the worst there is.
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
from memstore.beliefs.consolidation import FEWEST_MEMBERS, FEWEST_ROOTS, partitions
from memstore.beliefs.pool import gather
from memstore.files.draft import new_file
from memstore.files.local_state import Environment
from memstore.search.meaning import Dense, unit
from memstore.vault.composition import open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.beliefs.consolidate import Consolidated

FEWEST_WORDS = 5
SEED = 5
NUMBERS = 384


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
        print(f"\n{i}. {one.title}  ({one.new}, {', '.join(one.proposal.terms)})")
        for member in one.proposal.members:
            print(f"     {' '.join(member.memory.body.split())}")
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
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 5_000])
    parser.add_argument("--dense", action="store_true", help="cluster vectors of an embedder's kind, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {"XDG_CACHE_HOME": f"{scratch}/cache", "XDG_STATE_HOME": f"{scratch}/state"}
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
