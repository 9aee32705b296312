"""Measure a vault's index on PostgreSQL beside the local one.

    python benchmarks/engine.py URL --memories 10000

URL is an empty database on this machine, of which the processes are measured, too. Times are of the processor, client
and server together, in milliseconds, unless they are said to be of the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from corpus import Corpus

from memstore.engines import database
from memstore.engines.tickets import broker
from memstore.engines.vault_indexing import index_vault
from memstore.files.local_state import Environment
from memstore.search import INDEX
from memstore.search.query import parse
from memstore.vault.composition import open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memstore.core.view import View
    from memstore.vault.workspace import Workspace

NAME, OWNER = "bench", "human:sean"
ROUNDS = 9


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--narrow", default="org:rspca", help="somebody who sees little")
    parser.add_argument(
        "--audiences", type=int, help="as many sets of viewers, instead of the corpus's; a tenth has NARROW"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), given.url, given.memories, given.narrow, given.audiences)


def measure(folder: Path, url: str, count: int, narrow: str, audiences: int | None) -> None:
    """Print the costs of a vault with so many memories."""
    os.environ |= {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_STATE_HOME": str(folder / "state")}
    vault, corpus = folder / "vault", Corpus(seed=1)
    written(vault, corpus, count, partial(shown_to, narrow, audiences) if audiences else None)
    ws = open_workspace(Environment.of_process(), vault=str(vault), entity=OWNER)
    database.init(url)
    with timed("first index", url, per=count):
        index_vault(ws.view(), url, name=NAME)
    place = vault / corpus.path(count // 2)
    place.write_text(place.read_text(encoding="utf-8") + "\nQuetzalcoatl.\n", encoding="utf-8")
    committed(vault)
    with timed("one changed memory", url):
        index_vault(ws.view(), url, name=NAME)
    with timed("first local index", url, per=count):
        view = ws.view()
        ranked(view, ["tea"])
    queries = three_words(corpus, count)
    for who in (OWNER, narrow):
        theirs = open_workspace(Environment.of_process(), vault=str(vault), entity=who)
        with timed(f"{who}: a view of the database", url), on_database(theirs, url) as view:
            ranked(view, queries[:1])
        with on_database(theirs, url) as view:
            ranked(view, queries[:1])
            print(f"{who}: sees {len(view.texts)}")
            print(f"{who}: three words, by the database: {cost(view, queries[1:], url):.1f}")
        view = theirs.view()
        ranked(view, queries[:1])
        print(f"{who}: three words, by the local index: {cost(view, queries[1:], url):.1f}")


def written(vault: Path, corpus: Corpus, count: int, shown: Callable[[int, str], str] | None = None) -> None:
    """Write a vault, and commit it; `shown` says otherwise who sees a memory."""
    for number in range(count):
        place = vault / corpus.path(number)
        place.parent.mkdir(parents=True, exist_ok=True)
        text = corpus.text(number)
        place.write_text(shown(number, text) if shown else text, encoding="utf-8")
    (vault / ".memstore").mkdir()
    (vault / ".memstore" / "config.toml").write_text(f'format = 1\nowner = "{OWNER}"\n', encoding="utf-8")
    subprocess.run(["git", "init", "-q", "-b", "main", str(vault)], check=True)
    committed(vault)


def shown_to(narrow: str, audiences: int, number: int, text: str) -> str:
    """Return a memory that one of so many people sees; of each tenth of them, somebody else does, too."""
    head, _, body = text.removeprefix("---\n").partition("\n---\n")
    kept = [
        line for line in head.split("\n") if line.partition(":")[0] in ("type", "id", "title", "created_at", "tags")
    ]
    who = number % audiences
    grants = [f"human:p{who}", *([narrow] if who % 10 == 0 else [])]
    return "\n".join(("---", *kept, f"access_grants: {json.dumps(grants)}", "---", body))


def committed(vault: Path) -> None:
    """Commit everything."""
    names = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "gc.auto=0")
    subprocess.run(["git", "-C", str(vault), "add", "-A"], check=True)
    subprocess.run(["git", "-C", str(vault), *names, "commit", "-q", "-m", "x"], check=True)


def three_words(corpus: Corpus, count: int) -> list[str]:
    """Return queries of three words that occur together in some memory."""
    words = (
        [word for word in dict.fromkeys(corpus.text(at).split("\n---\n")[1].split()) if word.isalpha() and word[3:]]
        for at in range(0, count, max(1, count // (ROUNDS + 1)))
    )
    return [" ".join(some[3:6]) for some in words][: ROUNDS + 1]


@contextmanager
def on_database(ws: Workspace, url: str) -> Iterator[View]:
    """Yield a view of the vault as the database has it."""
    with broker(url, NAME) as deciding, deciding.view(ws) as view:
        yield view


def ranked(view: View, queries: Sequence[str]) -> None:
    """Rank the memories for queries."""
    for query in queries:
        view.of(INDEX).ranker.rank(parse(query).clauses, view, 20, text=query)


def cost(view: View, queries: Sequence[str], url: str) -> float:
    """Return the mean cost of ranking the memories for a query in a view that has ranked before."""
    began = spent(url)
    ranked(view, queries)
    return (spent(url) - began) / len(queries)


@contextmanager
def timed(what: str, url: str, *, per: int = 0) -> Iterator[None]:
    """Print what something costs."""
    began, clock = spent(url), time.perf_counter()
    yield
    took, clock = spent(url) - began, (time.perf_counter() - clock) * 1000
    rate = f", {per / took * 1000:.0f} memories a second of it" if per else ""
    print(f"{what}: {took:.0f} ({clock:.0f} by the clock){rate}")


@cache
def _postmaster(url: str) -> int:
    with database.session(url) as opened:
        row = opened.execute("SELECT pg_read_file('postmaster.pid', 0, 20)").fetchone()
    return int(str(row and row[0]).split()[0])


def spent(url: str) -> float:
    """Return the milliseconds that processors worked for this process and for the server, with their children."""
    mine = sum(os.times()[:4])
    ticks = sum(_ticks(pid) for pid in _family(_postmaster(url))) / os.sysconf("SC_CLK_TCK")
    return (mine + ticks) * 1000


def _family(parent: int) -> list[int]:
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii").split()
    return [parent, *map(int, children)]


def _ticks(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except FileNotFoundError:  # it has ended, and its parent has its ticks
        return 0
    return sum(map(int, fields[11:15]))  # with those of children that have ended


if __name__ == "__main__":
    main()
