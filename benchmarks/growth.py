#!/usr/bin/env python3
"""Measure how time grows with hostile text: print what takes more than linear time, and what takes longest.

    .venv/bin/python benchmarks/growth.py [--size 20000]

Every reader of a memory's bytes gets texts that repeat one short piece, of `--size` characters and of twice as many.
What takes 2.8 times as long, or longer, is told; so is the slowest of each reader.
"""

from __future__ import annotations

import argparse
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from memstore.conflicts import statements
from memstore.conflicts.prose import is_claim
from memstore.core import terms
from memstore.core.columns import hanging
from memstore.core.errors import MemstoreError
from memstore.files import links, memory_file, passages, plain_note
from memstore.files.catalog_entry import entry_of
from memstore.search import query
from memstore.search.index import searchable
from memstore.search.ranking import linked

if TYPE_CHECKING:
    from collections.abc import Callable

PIECES = (
    "[", "[[", "](", "[a](", "`", "`` ` ", "#", " #a", "> ", "- ", "\n- a", "|", "|a|\n", "*", "_a", "(", '"', "'",
    "a ", "1 ", "1.", "12:", "no ", "not never ", ". ", "Dr. a. ", "\\", "\n", "a\n=\n", "~~~\n", "e\u0301",
    "日本", "and the ", "twenty one hundred ", "-", "x is y is ", "$1,", "1%", "a@b ", "/", ".a", "aA", "1a", " ",
    "\t", "!", "? ", ": ",
)  # fmt: skip
LEAST_SECONDS, MOST_GROWTH = 0.05, 2.8
HEAD = "---\ntype: note\nid: m_0000000001\n---\n"


def _memory(body: str) -> memory_file.ReadFile:
    return memory_file.read("a.md", (HEAD + body).encode())


def _front(key: str, value: str) -> memory_file.ReadFile:
    line = value.replace("\n", " ")
    return memory_file.read("a.md", f"---\ntype: note\n{key}: {line}\n---\nx\n".encode())


READERS: dict[str, Callable[[str], object]] = {
    "body": _memory,
    "plain note": lambda text: plain_note.note("a.md", text.encode()),
    "value": lambda text: _front("title", text),
    "list": lambda text: _front("tags", f"[{text}]"),
    "links and tags": lambda text: (list(links.links_in(text)), links.tags_in(text)),
    "passages": lambda text: list(passages.passages(text, first_line=1)),
    "catalogue": lambda text: entry_of(_memory(text), "a" * 40),
    "terms": terms.terms,
    "index": lambda text: searchable(plain_note.note("a.md", text.encode())[1], "a.md"),
    "query": query.parse,
    "sentences": lambda text: list(statements.sentences(text)),
    "statements": statements.statements,
    "prose": is_claim,
    "share of links": lambda text: linked(f"{text} [[a]] ]("),
    "at a terminal": lambda text: list(hanging(f"{text}x   ", 40)),
}


def main() -> None:
    """Measure each reader on each text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=20_000, metavar="N")
    size = parser.parse_args().size
    print(f"| reader | slowest text | {size:,} characters | {2 * size:,} | growth |\n|---|---|---:|---:|---:|")
    for name, read in READERS.items():
        slowest = max(((seconds(read, piece, size), piece) for piece in PIECES), key=lambda each: each[0])
        for piece in PIECES:
            once = seconds(read, piece, size)
            if once > LEAST_SECONDS and (twice := seconds(read, piece, 2 * size)) > MOST_GROWTH * once:
                print(f"| **{name}** | `{piece!r}` | {once:.2f} s | {twice:.2f} s | **{twice / once:.1f}** |")
        once, piece = slowest
        twice = seconds(read, piece, 2 * size)
        print(f"| {name} | `{piece!r}` | {once:.3f} s | {twice:.3f} s | {twice / max(once, 1e-9):.1f} |", flush=True)


def seconds(read: Callable[[str], object], piece: str, size: int) -> float:
    """Return the CPU time of reading a text of so many characters."""
    text = (piece * (size // len(piece) + 1))[:size]
    before = time.process_time()
    with suppress(MemstoreError):  # what is refused was read
        read(text)
    return time.process_time() - before


if __name__ == "__main__":
    main()
