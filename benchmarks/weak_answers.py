#!/usr/bin/env python3
"""Print how many answers are said to be weak, at several thresholds: of questions that are answered, and of others.

    .venv/bin/python benchmarks/weak_answers.py --notes memories.json --questions questions.json
    .venv/bin/python benchmarks/weak_answers.py --data locomo.json [--most 300]

Notes and questions are those of `retrieval.py --notes`. A question counts as answered where a memory with an answer is
among the first five results. Not answered are those of kind `negative`; those whose lines with an answer were taken
out of the memories; and those whose memories with one were taken out. On LoCoMo, a speaker whom the question names is
put in place of one of another conversation.

With --halves N, the threshold is chosen N times on a half of the answered questions, as the highest at which at most
8 % of them are weak, and printed is what holds of the other half.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import memstore
from memstore.files.draft import new_file
from memstore.search import ranking

sys.path.insert(0, str(Path(__file__).parent))
from retrieval import iso

if TYPE_CHECKING:
    from collections.abc import Iterable

THRESHOLDS = (3.2, 3.3, 3.4, 3.5, 3.6, 3.7)
FIRST = 5
ANSWERED = "answered"
SHARE = 0.08
_ABOVE_ALL = 99.0
_told: list[float] = []


def _noted(relevance: float, names: float, evidence: float, *, similarity: float | None = None) -> bool:  # noqa: ARG001
    """Note what a threshold is held against; stands in for `ranking.is_weak`."""
    _told.append(evidence + ranking.RELEVANCE_SHARE * relevance + ranking.NAMES_SHARE * names)
    return False


def strength(vault: memstore.Vault, question: str, right: Iterable[str]) -> tuple[float, bool]:
    """Return what a threshold is held against, and whether one of the files is among the first five results.

    It is above every threshold where an answer is never weak, and below where it always is.
    """
    _told.clear()
    found = vault.search(question, limit=10)
    is_right = not {hit.path for hit in found[:FIRST]}.isdisjoint(right)
    if found.weak or not found:  # it lacks the kind of answer that is asked for
        return -_ABOVE_ALL, is_right
    return (_told[-1] if _told else _ABOVE_ALL), is_right


def note_bytes(note: dict[str, Any], without: Iterable[int] = ()) -> bytes:
    """Return the file of a note, without some lines of its body."""
    dropped = {*without}
    body = "\n".join(line for number, line in enumerate(note["body"].split("\n"), 1) if number not in dropped)
    date = note["date"] if "T" in note["date"] else f"{note['date']}T12:00:00Z"
    keys = {"type": note["type"], "id": f"m_{note['id']}", "title": note["title"], "created_at": date}
    return new_file({key: value for key, value in keys.items() if value}, body)


def made(folder: Path, files: dict[str, bytes]) -> memstore.Vault:
    """Return a new vault with these files."""
    (folder / ".memstore").mkdir(parents=True)
    (folder / ".memstore/config.toml").write_text('format = 1\nowner = "human:reader"\n')
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return memstore.open_vault(folder, entity="human:reader")


def of_notes(folder: Path, notes: list[dict[str, Any]], questions: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Return the strengths of answers by group."""
    groups: dict[str, list[float]] = {ANSWERED: [], "negative": [], "lines taken out": [], "memories taken out": []}
    by_file = {f"{note['id']}.md": note for note in notes}
    vault = made(folder, {name: note_bytes(note) for name, note in by_file.items()})
    for question in questions:
        lines: dict[str, list[int]] = {}
        for answer in question["answers"]:
            lines.setdefault(f"{answer['id']}.md", []).append(answer["line"])
        found, is_right = strength(vault, question["q"], lines)
        if not lines:
            groups["negative"].append(found)
        if not is_right:
            continue
        groups[ANSWERED].append(found)
        for name, numbers in lines.items():
            (folder / name).write_bytes(note_bytes(by_file[name], numbers))
        groups["lines taken out"].append(strength(vault, question["q"], ())[0])
        for name in lines:
            (folder / name).unlink()
        groups["memories taken out"].append(strength(vault, question["q"], ())[0])
        for name in lines:
            (folder / name).write_bytes(note_bytes(by_file[name]))
    return groups


def of_conversations(folder: Path, conversations: list[dict[str, Any]], most: int) -> dict[str, list[float]]:
    """Return the strengths of answers by group."""
    files: dict[str, bytes] = {}
    where: dict[tuple[int, str], str] = {}
    people: dict[int, list[str]] = {}
    for conversation in conversations:
        number = conversation["conversation"]
        people[number] = sorted({turn[1] for session in conversation["sessions"] for turn in session["turns"]})
        for session in conversation["sessions"]:
            name = f"{number}-{session['session']}.md"
            where |= {(number, turn[0]): name for turn in session["turns"]}
            body = "".join(f"- {turn[1]}: {' '.join(turn[2].split())}\n" for turn in session["turns"])
            keys = {"type": "episode", "id": f"m_{number}s{session['session']}", "created_at": iso(session["date"])}
            files[name] = new_file(keys, body)
    vault = made(folder, files)
    groups: dict[str, list[float]] = {ANSWERED: [], "names exchanged": []}
    others = cycle(sorted({name for names in people.values() for name in names}))
    asked = [(c["conversation"], question) for c in conversations for question in c["questions"]]
    for number, question in random.Random(1).sample(asked, min(most, len(asked))):  # noqa: S311 -- no secret
        text = question["question"].replace('"', "")
        right = {where[number, turn] for turn in question["evidence"] if (number, turn) in where}
        found, is_right = strength(vault, text, right)
        if is_right:
            groups[ANSWERED].append(found)
        named = [name for name in people[number] if name in text]
        if len(named) == 1:
            other = next(name for name in others if name not in people[number])
            groups["names exchanged"].append(strength(vault, text.replace(named[0], other), ())[0])
    return groups


def share(values: list[float], below: float) -> float:
    """Return the share of values below a threshold."""
    return sum(value < below for value in values) / len(values)


def halves(groups: dict[str, list[float]], times: int) -> None:
    """Print what holds of one half where the threshold was chosen on the other."""
    total = dict.fromkeys(groups, 0.0)
    for seed in range(times):
        answered = sorted(groups[ANSWERED])
        random.Random(seed).shuffle(answered)  # noqa: S311
        chosen_on, other = sorted(answered[::2]), answered[1::2]
        below = chosen_on[int(SHARE * len(chosen_on))]
        for name, values in {**groups, ANSWERED: other}.items():
            total[name] += share(values, below) / times
    print("other half", "  ".join(f"{name} {value:.2f}" for name, value in total.items()))


def main() -> None:
    """Build the vault, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("--halves", type=int, default=0)
    given = parser.parse_args()
    ranking.is_weak = _noted
    with tempfile.TemporaryDirectory() as folder:
        if given.data:
            groups = of_conversations(Path(folder, "v"), json.loads(given.data.read_text()), given.most)
        else:
            groups = of_notes(
                Path(folder, "v"), json.loads(given.notes.read_text()), json.loads(given.questions.read_text())
            )
    print("below  ", "  ".join(f"{name} ({len(values)})" for name, values in groups.items()))
    for below in THRESHOLDS:
        print(f"{below:.1f}    ", "  ".join(f"{share(values, below):.2f}" for values in groups.values()))
    if given.halves:
        halves(groups, given.halves)


if __name__ == "__main__":
    main()
