#!/usr/bin/env python3
"""Compare sorting by relevance alone with sorting by relevance x quality, on LoCoMo conversations.

    .venv/bin/python benchmarks/sorting.py --data locomo.json

Quality fades with age, so the clock stands at the end of the newest conversation. Prints recall@5 and MRR of sessions,
all conversations in one vault, for both orders.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memstore.documents.search import answer_document
from memstore.files.local_state import Environment
from memstore.memories.search import Searcher, Wish
from memstore.search import query as language
from memstore.search.retrieval import Sort
from memstore.vault.composition import open_workspace

sys.path.insert(0, str(Path(__file__).parent))
from retrieval import evaluate, iso, one_line, write_vault

if TYPE_CHECKING:
    from memstore.vault.workspace import Workspace

MOST_RESULTS = 40


class StoppedClock:
    """Tells one time for ever."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def here(self) -> datetime:
        """Return that time."""
        return self.at

    def now(self) -> datetime:
        """Return that time."""
        return self.at


def answers(ws: Workspace, questions: list[dict[str, Any]], sort: Sort) -> list[dict[str, Any]]:
    """Return the answers to all questions in one order."""
    searcher = Searcher(ws.view())
    wish = Wish(limit=MOST_RESULTS, sort=sort)
    texts = [
        one_line(q["question"]).replace('"', "") for q in questions
    ]  # one of them has a quote that is never closed
    return [answer_document(searcher.answer(language.parse(text), wish)) for text in texts]


def main() -> None:
    """Build the vault, ask everything twice, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    arguments = parser.parse_args()
    conversations = json.loads(Path(arguments.data).read_text(encoding="utf-8"))
    newest = max(iso(session["date"]) for c in conversations for session in c["sessions"])
    with tempfile.TemporaryDirectory() as folder:
        where = write_vault(Path(folder), conversations, [str(Path(sys.executable).parent / "memstore")])
        stopped = StoppedClock(datetime.fromisoformat(newest))
        ws = open_workspace(Environment.of_process(), vault=str(folder))._replace(clock=stopped)
        asked = [(c["conversation"], q) for c in conversations for q in c["questions"]]
        for sort in (Sort.RELEVANCE, Sort.QUALITY):
            found = evaluate(answers(ws, [q for _, q in asked], sort), asked, where, "session")
            print(f"{sort.value:<10} recall@5 {found['recall@5']:.3f}  MRR {found['mrr']:.3f}")


if __name__ == "__main__":
    main()
