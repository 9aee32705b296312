#!/usr/bin/env python3
"""Print how often the note that somebody looks for comes first, beside SQLite's FTS5 with titles weighed eightfold.

    .venv/bin/python benchmarks/known_items.py jbranchaud/til=CLONE jekyll/jekyll=CLONE/docs logseq/docs=CLONE

The queries of `known_items.tsv` are what a person types who knows which note it is: words of its title, words of its
text, words with a typing error. A line has the repository, the kind, the query, and the note. The notes are copied;
what is missing from a folder is counted and left out.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import memstore

ITEMS = Path(__file__).with_suffix(".tsv")
FIRST = 10
FEW = 5
_TITLE = re.compile(r"^#\s+(.*)|^title\s*[:=]\s*(.*)", re.MULTILINE)


class Item(NamedTuple):
    """What somebody types to find a note."""

    repository: str
    kind: str
    query: str
    path: str


def places_of(folder: Path, items: list[Item]) -> list[int]:
    """Return the place of each item's note among the results, from 1; 0 if it is not among the first."""
    with tempfile.TemporaryDirectory() as made:
        copy = Path(made) / "notes"
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git"))
        subprocess.run(["git", "init", "--quiet", copy], check=True)
        subprocess.run([Path(sys.executable).with_name("memstore"), "init", copy], check=True, capture_output=True)
        vault = memstore.open_vault(copy)
        found = [[hit.path for hit in vault.search(item.query, limit=FIRST)] for item in items]
    return [_place(item, paths) for item, paths in zip(items, found, strict=True)]


def places_by_fts(folder: Path, items: list[Item]) -> list[int]:
    """Return the same of a full-text search by SQLite."""
    base = sqlite3.connect(":memory:")
    base.execute("create virtual table note using fts5(path unindexed, title, body, tokenize='porter unicode61')")
    for path in sorted(folder.rglob("*.md")):
        body = path.read_text(encoding="utf-8", errors="replace")
        title = _TITLE.search(body)
        named = f"{(title[1] or title[2]) if title else ''} {path.stem}"
        base.execute("insert into note values (?, ?, ?)", (str(path.relative_to(folder)), named, body))
    ask = "select path from note where note match ? order by bm25(note, 0, 8, 1) limit 10"
    asked = (" OR ".join(f'"{word}"' for word in re.findall(r"\w+", item.query)) for item in items)
    return [
        _place(item, [row[0] for row in base.execute(ask, (words,))]) for item, words in zip(items, asked, strict=True)
    ]


def _place(item: Item, paths: list[str]) -> int:
    return paths.index(item.path) + 1 if item.path in paths else 0


def main() -> None:
    """Print a line for each kind of query: how many, and how many come first, among five, and their MRR, of both."""
    known = [Item(*line.split("\t")) for line in ITEMS.read_text(encoding="utf-8").splitlines()]
    places: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for repository, _, folder in (argument.partition("=") for argument in sys.argv[1:]):
        its = [item for item in known if item.repository == repository]
        there = [item for item in its if (Path(folder) / item.path).is_file()]
        print(f"{repository}: {len(there)} of {len(its)} notes are there")
        both = zip(places_of(Path(folder), there), places_by_fts(Path(folder), there), strict=True)
        for item, pair in zip(there, both, strict=True):
            places[item.kind].append(pair)
            places["all"].append(pair)
    for kind, pairs in places.items():
        for name, its_places in zip(("memstore", "FTS5"), zip(*pairs, strict=True), strict=True):
            first, five = sum(at == 1 for at in its_places), sum(0 < at <= FEW for at in its_places)
            mrr = sum(1 / at for at in its_places if at) / len(pairs)
            print(f"{kind:6} {name:9} {len(pairs):4} queries  first {first:4}  among five {five:4}  MRR {mrr:.3f}")


if __name__ == "__main__":
    main()
