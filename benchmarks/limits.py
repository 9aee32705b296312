#!/usr/bin/env python3
"""Measure what large things cost, and what happens beyond what is read: print the table of docs/limits.md.

    .venv/bin/python benchmarks/limits.py [--only WORD ...]

Each row is a vault of its own, and one command in it, run twice: at first, and with its index. CPU seconds are those of
the whole process.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from sandbox import MEMSTORE, OWNER, Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable

MIB = 1 << 20
OTHER = "human:bob"
HEAD = "---\ntype: note\nid: m_0000000001\n"
GRANTED = f"{HEAD}access_grants: ['{OTHER}']\n---\nWalks at eight.\n"


class Row(NamedTuple):
    """What is large, how large, what makes it (files by path), the command, and a word of what it must say."""

    what: str
    size: str
    files: Callable[[], dict[str, str]]
    words: tuple[str, ...]
    says: str = ""
    code: int = 0


def memory(number: int, body: str = "Walks.", **keys: str) -> str:
    """Return a memory with that number for its id."""
    lines = "".join(f"{name}: {value}\n" for name, value in keys.items())
    return f"---\ntype: note\nid: m_{number:010d}\n{lines}---\n{body}\n"


def sized(size: int, filling: str) -> str:
    """Return a memory of exactly so many bytes."""
    start = f"{HEAD}---\nwalks "
    return start + (filling * (size // len(filling) + 1))[: size - len(start)]


def chain(length: int) -> dict[str, str]:
    """Return memories each of which was made of the one before, all granted to somebody."""
    granted = {"access_grants": f"['{OTHER}']"}
    return {
        f"c/{n}.md": memory(n, derived_from=f"['note:m_{n - 1:010d}']", **granted) if n else memory(n, **granted)
        for n in range(length)
    }


def entities(count: int) -> dict[str, str]:
    """Return a granted memory, and so many entities."""
    files = {f"entities/human/e{n}.md": f"---\ntype: entity\nid: human:e{n}\n---\n" for n in range(count)}
    return files | {"a.md": GRANTED}


def consents(count: int) -> dict[str, str]:
    """Return a memory about somebody, and so many consents to show it."""
    text = GRANTED.replace("access_grants", "subject_ids: [human:claire]\naccess_grants")
    said = "type: consent\ngrantor: human:claire\nscope: subject:human:claire\ngranted_at: '2026-01-01T00:00:00Z'\n"
    names = [OTHER, *(f"human:e{n}" for n in range(count - 1))]
    return {"a.md": text} | {
        f"consents/2026/con_{n}.md": f"---\nid: con_{n}\n{said}grantee: {name}\n---\n" for n, name in enumerate(names)
    }


def groups(depth: int) -> dict[str, str]:
    """Return groups that lie in each other, the innermost with a member."""
    inner = {f"groups/g{n}.yaml": f"id: group:g{n}\nmembers: [{{id: 'group:g{n + 1}'}}]\n" for n in range(depth - 1)}
    last = f"id: group:g{depth - 1}\nmembers: [{{id: '{OTHER}'}}]\n"
    return inner | {f"groups/g{depth - 1}.yaml": last, "a.md": GRANTED.replace(OTHER, "group:g0")}


def ledger(lines: int) -> str:
    """Return a belief with so many lines of evidence."""
    head = '  - {timestamp: "2026-01-01T00:00:00Z", op: assert, old: null, new: 0.8}\n'
    said = 'op: support, old: 0.8, new: 0.8, evidence_source: "note:m_{:010d}", weight: 0.1'
    more = "".join(f'  - {{timestamp: "2026-01-02T00:00:00Z", {said.format(n)}}}\n' for n in range(2, lines + 1))
    return f"---\ntype: belief\nid: m_0000000001\nconfidence: 0.8\nconfidence_history:\n{head}{more}---\nWalks.\n"


AS_OTHER = ("--as", OTHER, "list")
ROWS = (
    Row("a memory's bytes", "8 MiB", lambda: {"a.md": sized(8 * MIB, "word \n")}, ("search", "walks"), "a.md"),
    Row("", "8 MiB and one", lambda: {"a.md": sized(8 * MIB + 1, "word \n")}, ("check",), "file-too-large", 1),
    Row("one line", "8 MiB", lambda: {"a.md": sized(8 * MIB, "word ")}, ("search", "walks"), "a.md"),
    Row("one word", "1 MiB", lambda: {"a.md": sized(MIB, "w")}, ("search", "walks"), "a.md"),
    Row("tags", "10,000", lambda: {"a.md": memory(1, tags=str([f"t{n}" for n in range(10_000)]))}, ("list",), "a.md"),
    Row("", "25,000", lambda: {"a.md": memory(1, tags=str([f"t{n}" for n in range(25_000)]))}, ("check",), "yaml", 1),
    Row("lists in lists", "17", lambda: {"a.md": memory(1, mood="[" * 17 + "]" * 17)}, ("check",), "yaml", 1),
    Row("lines of evidence", "2,000", lambda: {"a.md": ledger(2000)}, ("list",), "a.md"),
    Row("grants of a memory", "5,000",
        lambda: {"a.md": memory(1, access_grants=str([OTHER, *(f"human:e{n}" for n in range(4999))]))}, AS_OTHER,
        "a.md"),
    Row("entities", "5,000", lambda: entities(5000), AS_OTHER, "a.md"),
    Row("consents", "5,000", lambda: consents(5000), AS_OTHER, "a.md"),
    Row("groups in groups", "500", lambda: groups(500), AS_OTHER, "a.md"),
    Row("depth of lineage", "5,000", lambda: chain(5000), ("trace", "m_0000004999"), "m_0000004000"),
    Row("", "5,000", lambda: chain(5000), AS_OTHER, "c/4999.md"),
    Row("files with one id", "500", lambda: {f"{n}.md": memory(1) for n in range(500)}, ("check",), "id-duplicate", 1),
    Row("links of a note", "20,000", lambda: {"a.md": memory(1, "[[b]] " * 20_000), "b.md": memory(2)},
        ("links", "b.md"), "a.md"),
    Row("bytes of a name", "255", lambda: {"n" * 252 + ".md": memory(1)}, ("list",), "nnn"),
    Row("folders in folders", "500", lambda: {"f/" * 500 + "a.md": memory(1)}, ("list",), "f/f/f/"),
    Row("memories", "20,000", lambda: {f"m/{n}.md": memory(n) for n in range(20_000)}, ("search", "walks"), "m/"),
)  # fmt: skip


def measured(sandbox: Sandbox, row: Row) -> tuple[list[float], int, str]:
    """Return the CPU seconds of both runs, the peak of memory in MB, and what is not as it should be."""
    shutil.rmtree(sandbox.home / "cache", ignore_errors=True)
    sandbox.restore("base")
    for path, text in row.files().items():
        place = sandbox.vault / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    seconds, peak, wrong = [], 0, ""
    for _ in range(2):
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen(
                [str(MEMSTORE), *row.words], cwd=sandbox.vault, env=sandbox.environment, stdout=out, stderr=out
            )
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            said = out.read().decode(errors="replace")
        seconds.append(used.ru_utime + used.ru_stime)
        peak = max(peak, used.ru_maxrss // 1024)
        if process.returncode != row.code or row.says not in said:
            wrong = f"exit {process.returncode}: {said[:200]!r}"
    return seconds, peak, wrong


def main() -> int:
    """Print the table, and return 1 where something did not go as it should."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    only = parser.parse_args().only
    folder = Path(tempfile.mkdtemp(prefix="memstore-limits-"))
    (folder / "home").mkdir()
    sandbox = Sandbox(folder / "home")
    sandbox.furnish({})
    sandbox.vault.mkdir()
    sandbox.run("init", ".", "--owner", OWNER)
    sandbox.keep("base")
    failed = False
    print("| what | how many | command | first, CPU s | again, CPU s | peak MB |\n|---|---:|---|---:|---:|---:|")
    for row in ROWS:
        if only and not any(word in row.what for word in only):
            continue
        seconds, peak, wrong = measured(sandbox, row)
        first, again = seconds
        code = f" [{row.says}]" if row.code else ""
        print(
            f"| {row.what} | {row.size} | `{' '.join(row.words)}`{code} | {first:.2f} | {again:.2f} | {peak} |",
            flush=True,
        )
        if wrong:
            print(f"  WRONG: {wrong}", flush=True)
            failed = True
    shutil.rmtree(folder)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
