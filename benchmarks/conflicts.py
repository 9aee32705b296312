"""How many conflicts between sentences are found, and how many are false alarms.

    python benchmarks/conflicts.py DIR
    python benchmarks/conflicts.py PAIRS.json [0|1]
    python benchmarks/conflicts.py --alarms PAIRS.json > memstore/conflicts/alarms.toml
    python benchmarks/conflicts.py --candidates PAIRS.json MEMORIES.json
    python benchmarks/conflicts.py --judged PAIRS.json

DIR has `breaking_nli_dev.tsv` (pairs of sentences with one word exchanged; contradiction or other) and
`locomo_dev.json` (conversations; pairs of lines that are alike, which hardly ever are in conflict).

PAIRS.json is a list of pairs of memories: `a` and `b`, what each says; `label`, `none` where both may be right; `why`,
which for these begins with the kind and a colon; and for some `a_date` and `b_date`. Figures are printed for each label
and kind. Of the two halves into which a hash of the texts parts them, `0` or `1` chooses one: on the one rules may be
written, on the other they are measured. With `--alarms`, the share of false alarms of each ground is printed: no
quality depends on a ground with many.

MEMORIES.json is a list of memories, `id` and `body`, of two worlds that have nothing to do with each other, told apart
by the first letter of `id`. With `--candidates`, each `a` of a pair in conflict is written into a vault of all memories
and every `b`, to see whether its own is among its candidates; and each memory into a vault of the other world, without
and with every `b`, where every candidate is one too many.

With `--judged`, an agent writes each `a` by MCP into a vault of every `b`, and judges by the labels what it is told may
concern it; then what is listed as a conflict is counted, of rules and judge together. So it is with a judge that is
always wrong, and what its verdicts take from qualities is printed.
"""

from __future__ import annotations

import heapq
import json
import os
import sys
import tempfile
from collections import Counter, defaultdict
from hashlib import sha256
from itertools import product
from math import log, sqrt
from pathlib import Path
from typing import NamedTuple

import memstore
from memstore.conflicts.contradiction import CONFLICTS, Comparison, compare, compare_statements
from memstore.conflicts.gisting import gist
from memstore.conflicts.gists import is_worth_comparing
from memstore.conflicts.prose import is_claim
from memstore.conflicts.quantities import Scale
from memstore.conflicts.statements import Statement, statements
from memstore.core import terms
from memstore.core.conflict import BY_VERDICT
from memstore.files.draft import new_file
from memstore.files.local_state import Environment
from memstore.mcp import tools
from memstore.mcp.server import Identity, Server, WriteRules

PAIRS = 2000
MOST_FOR_A_LINE = 10
# A word of more lines than this tells nothing of what a line is about.
MOST_LINES_OF_A_WORD = 400


class Line(NamedTuple):
    """A line of a conversation."""

    speaker: str
    text: str


def of_pairs(path: Path, half: int | None) -> None:
    """Print for each label and kind how many pairs are found to be in conflict."""
    found: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for pair in json.loads(path.read_text()):
        if half is not None and half_of(pair) != half:
            continue
        is_found = compared(pair).verdict in CONFLICTS
        names = [pair["label"]]
        if pair["label"] == "none":
            names.append(f"none, {pair['why'].partition(':')[0]}")
        asked.update(names)
        found.update(names if is_found else ())
    for name in sorted(asked):
        print(f"{name}: {found[name]} of {asked[name]}, {found[name] / asked[name]:.3f}")


GROUNDS = (
    *("negation", "antonyms", "states", "names", "values", "change", "weekdays"),
    *(scale.value for scale in Scale),
)


def alarms(path: Path) -> None:
    """Print how many of a hundred pairs that may both be right each ground finds to be in conflict."""
    pairs = [pair for pair in json.loads(path.read_text()) if pair["label"] == "none"]
    found = Counter(compared(pair).rule for pair in pairs if compared(pair).verdict in CONFLICTS)
    print("# False alarms of each ground in a hundred pairs that may both be right; by benchmarks/conflicts.py.")
    print(f'set = "{len(pairs)} pairs of everyday sentences"\n\n[in_a_hundred]')
    for ground in GROUNDS:
        key = ground if ground.isidentifier() else f'"{ground}"'
        print(f"{key} = {100 * found[ground] / len(pairs):.2f}")


def candidates(pairs: Path, memories: Path) -> None:
    """Print how often the other side of a pair is a candidate, and how many candidates unrelated memories have."""
    bodies = {memory["id"]: memory["body"] for memory in json.loads(memories.read_text())}
    conflicting = [pair for pair in json.loads(pairs.read_text()) if pair["label"] != "none"]
    others = {f"b{at}": pair["b"] for at, pair in enumerate(json.loads(pairs.read_text()))}
    place = {text: name for name, text in others.items()}
    found = shown_to(bodies | others, [pair["a"] for pair in conflicting])
    shown_for = [f"{place[pair['b']]}.md" in paths for pair, paths in zip(conflicting, found, strict=True)]
    for half in (0, 1):
        of_half = [is_shown for pair, is_shown in zip(conflicting, shown_for, strict=True) if half_of(pair) == half]
        print(f"pairs of half {half} in conflict: the other side is shown for {sum(of_half)} of {len(of_half)}")
    for world in sorted({name[0] for name in bodies}):
        asked = [body for name, body in bodies.items() if name[0] != world]
        one = {name: body for name, body in bodies.items() if name[0] == world}
        for vault in (one, one | others):
            shown = sum(map(len, shown_to(vault, asked)))
            print(
                f"unrelated to world {world}, in a vault of {len(vault)}: {shown} candidates of {len(asked)} memories"
            )


def shown_to(vault: dict[str, str], asked: list[str]) -> list[list[str]]:
    """Return the paths of the candidates that each text has, when it alone is added to a vault of others."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / ".memstore").mkdir()
        (folder / ".memstore/config.toml").write_text('format = 1\nowner = "human:reader"\n')
        for name, text in vault.items():
            (folder / f"{name}.md").write_bytes(new_file({"type": "note", "id": f"m_{name}"}, f"{text}\n"))
        found = []
        with memstore.open_vault(folder, entity="human:reader", track=False) as opened:
            for text in asked:
                (folder / "asked.md").write_bytes(new_file({"type": "note", "id": "m_asked"}, f"{text}\n"))
                found.append([one.path for one in opened.conflicts.candidates("asked.md")])
    return found


def judged(path: Path) -> None:
    """Print what is listed if an agent judges whatever may concern what it writes, and is right, or wrong."""
    pairs = json.loads(path.read_text(encoding="utf-8"))
    for is_right in (True, False):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            (folder / ".memstore").mkdir()
            settings = 'format = 1\nowner = "si:judge"\n[conflicts]\njudges = ["si:judge"]\n'
            (folder / ".memstore/config.toml").write_text(settings)
            for at, pair in enumerate(pairs):
                (folder / f"b{at}.md").write_bytes(new_file({"type": "note", "id": f"m_b{at}"}, f"{pair['b']}\n"))
            env = Environment(dict(os.environ), folder, folder, "judge")
            server = Server(env, Identity(scratch, "si:judge", alone=True, track=False), WriteRules(), tools.USUAL)
            refs = [_added_and_judged(server, at, pair, is_right=is_right) for at, pair in enumerate(pairs)]
            with memstore.open_vault(folder, entity="si:judge", track=False) as vault:
                listed = vault.conflicts.open()
        found = {frozenset(one.refs) for one in listed}
        told = [frozenset((ref, f"note:m_b{at}")) in found for at, ref in enumerate(refs)]
        right = sum(is_told and pair["label"] != "none" for is_told, pair in zip(told, pairs, strict=True))
        score = 2 * right / (sum(told) + sum(pair["label"] != "none" for pair in pairs))
        taken = sum(one.penalty for one in listed if one.rule == BY_VERDICT)
        kind = "right" if is_right else "wrong"
        print(
            f"a judge that is {kind}: {right} in conflict and {sum(told) - right} others listed, F1 {score:.2f}; ",
            end="",
        )
        print(f"{len(found) - sum(told)} pairs of other memories; its verdicts take {taken:.2f} from qualities")


def _added_and_judged(server: Server, at: int, pair: dict[str, str], *, is_right: bool) -> str:
    """Write one side of a pair, judge what may concern it by the label, and return its ref."""
    answer = server.call("memory_add", {"text": pair["a"]}).document
    for other in {one["ref"] for one in answer.get("may_concern", ())}:
        is_conflict = other == f"note:m_b{at}" and pair["label"] != "none"
        verdict = "contradicts" if is_conflict == is_right else "unrelated"
        judgement = {"action": "judge", "ref": answer["ref"], "others": [other], "verdict": verdict}
        server.call("memory_conflicts", judgement)
    return str(answer["ref"])


def compared(pair: dict[str, str]) -> Comparison:
    """Return the result of comparing a pair, each side with its date, if it has one."""
    days = [(pair.get(f"{side}_date") or "")[:10] for side in "ab"]
    one, other = (claims_in(pair[side]) for side in "ab")
    gists = [[gist(each) for each in statements] for statements in (one, other)]
    places = product(range(len(one)), range(len(other)))
    near = [(at, to) for at, to in places if is_worth_comparing(gists[0][at], gists[1][to])]
    return compare_statements(one, other, days_apart=days[0] != days[1], pairs=near)


def claims_in(text: str) -> list[Statement]:
    """Return the statements of a text that are compared."""
    return [each for each in statements(text) if is_claim(each.text)]


def half_of(pair: dict[str, str]) -> int:
    """Return in which half a pair is, 0 or 1."""
    return sha256(f"{pair['a']}\0{pair['b']}".encode()).digest()[-1] % 2


def main(folder: Path) -> None:
    """Print the table."""
    told = [row.split("\t") for row in (folder / "breaking_nli_dev.tsv").read_text().splitlines()]
    found = [compare(one, other).verdict in CONFLICTS for one, other, *_ in told]
    true = sum(hit and row[2] == "contradiction" for hit, row in zip(found, told, strict=True))
    recall, precision = true / sum(row[2] == "contradiction" for row in told), true / sum(found)
    print(f"breaking NLI, {len(told)} pairs: recall {recall:.3f}, precision {precision:.3f}")
    lines = _lines(folder / "locomo_dev.json")
    pairs = alike(lines)[:PAIRS]
    for known in (True, False):
        same = (known and one.speaker != other.speaker for one, other in pairs)
        alarms = sum(
            compare(one.text, other.text, same_speaker=not differ).verdict in CONFLICTS
            for (one, other), differ in zip(pairs, same, strict=True)
        )
        who = "speakers known" if known else "speakers unknown"
        print(
            f"LoCoMo, {len(pairs)} pairs of lines most alike, {who}: {1000 * alarms / len(pairs):.1f} alarms in 1,000"
        )


def _lines(path: Path) -> list[Line]:
    conversations = json.loads(path.read_text())
    return [
        Line(f"{one['conversation']} {speaker}", text)
        for one in conversations
        for session in one["sessions"]
        for _, speaker, text in session["turns"]
    ]


def alike(lines: list[Line]) -> list[tuple[Line, Line]]:
    """Return pairs of different lines, the most alike first: cosine of tf-idf, up to ten for a line."""
    bags = [Counter(set(terms.terms(line.text)) - terms.stop_words()) for line in lines]
    holding = Counter(term for bag in bags for term in bag)
    weights = [{term: log(len(lines) / holding[term]) for term in bag} for bag in bags]
    lengths = [sqrt(sum(weight**2 for weight in bag.values())) or 1.0 for bag in weights]
    places: defaultdict[str, list[int]] = defaultdict(list)
    found: list[tuple[float, int, int]] = []
    for at, bag in enumerate(weights):
        scores: defaultdict[int, float] = defaultdict(float)
        for term, weight in bag.items():
            for before in places[term] if holding[term] < MOST_LINES_OF_A_WORD else ():
                scores[before] += weight**2 / (lengths[at] * lengths[before])
            places[term].append(at)
        best = heapq.nlargest(MOST_FOR_A_LINE, scores.items(), key=lambda item: item[1])
        found += [(score, before, at) for before, score in best if lines[before].text != lines[at].text]
    return [(lines[one], lines[other]) for _, one, other in sorted(found, reverse=True)]


if __name__ == "__main__":
    if sys.argv[1] == "--alarms":
        alarms(Path(sys.argv[2]))
    elif sys.argv[1] == "--candidates":
        candidates(*map(Path, sys.argv[2:4]))
    elif sys.argv[1] == "--judged":
        judged(Path(sys.argv[2]))
    elif sys.argv[1].endswith(".json"):
        of_pairs(Path(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else None)
    else:
        main(Path(sys.argv[1]))
