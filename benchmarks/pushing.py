"""What the guard of a push costs, beside `git log -p` of the same commits: CPU seconds, medians of one run.

    python benchmarks/pushing.py [COMMITS]

Three repositories, in which every commit writes one memory that all readers may see. In the first, as memstore lays
memories out, four commits of five add a file to `notes/2026/`, and the fifth changes an earlier one. In the second,
the commits go round 500 files in ten folders, where git has least to do. The third is a mixed vault: 300 notes of
another program, adopted, with keys of its own and some pages of text. The guard is measured without and with what it
keeps of blobs. "git and Python" is what no guard could save: git's part of the check, and
`python -c "import click"`.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 7
EMPTY = "0" * 40
CONFIG = 'format = 1\nowner = "human:sean"\n[remotes]\norigin = ["human:bob"]\n'
# Runs the guard, and prints the CPU time of the git processes that it starts.
COUNTED = """
import atexit, resource, runpy
atexit.register(lambda: print(sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])))
runpy.run_module("memstore.hooks.push_guard", run_name="__main__", alter_sys=True)
"""


def usual(i: int) -> tuple[int, str]:
    """Return the number and the path of the memory that a commit of the first repository writes."""
    memory_id = i // 2 if i % 5 == 4 else i  # noqa: PLR2004 - every fifth is a change
    return memory_id, f"notes/2026/a-memory-about-something-{memory_id:05d}.md"


def few(i: int) -> tuple[int, str]:
    """Return the number and the path of the memory that a commit of the second repository writes."""
    return i % 500, f"notes/{i % 500 // 50}/{i % 500}.md"


def mixed(i: int) -> tuple[int, str]:
    """Return the number and the path of the memory that a commit of the third repository writes."""
    number = i * 7 % 300
    return number, f"{('Areas/Health', 'Areas/Home', 'Projects', 'Daily')[number % 4]}/A note about {number}.md"


def note(i: int, number: int) -> str:
    """Return the text of the adopted note that a commit writes."""
    paragraphs = (" ".join(f"word{(i * 7 + j * 13 + k * 3) % 1997}" for k in range(60)) for j in range(8))
    text = "\n\n".join(f"{words} [[A note about {(number + j) % 300}]]." for j, words in enumerate(paragraphs))
    return (
        f"---\naliases:\n  - About {number}\ntags: [area/health, t{number % 9}]\ncssclass: wide\npublish: false\n"
        f'id: m_{number:010d}\ntype: note\ncreated_at: "2026-01-{number % 28 + 1:02d}T00:00:00Z"\n'
        f'access_grants: ["human:bob"]\nrating: {i % 5}\n---\n# A note about {number}\n\n{text}\n'
    )


def memory(i: int, number: int) -> str:
    """Return the text of the memory that a commit writes."""
    words = "\n".join(" ".join(f"word{(i * 7 + j * 13 + k) % 997}" for k in range(12)) for j in range(10))
    return (
        f'---\ntype: note\nid: m_{number:010d}\ntitle: "Memory {number}, version {i}"\n'
        f'created_at: "2026-01-01T00:00:00Z"\naccess_grants: ["human:bob"]\ntags: ["t{i % 9}"]\n---\n{words}\n'
    )


def repository(folder: Path, commits: int, place: Callable[[int], tuple[int, str]]) -> None:
    """Write a repository with this many commits by git fast-import."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    lines: list[str] = []
    for i in range(commits):
        number, path = place(i)
        text, message = (
            (note if place is mixed else memory)(i, number),
            f"edit note:m_{number:010d}\n\nMemory-Id: m_{number:010d}\n",
        )
        lines += [
            "commit refs/heads/main",
            f"committer A <a@example.org> {1_700_000_000 + i} +0000",
            f"data {len(message)}\n{message}",
            f"M 100644 inline {path}\ndata {len(text)}\n{text}",
        ]
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input="\n".join(lines).encode(), check=True)
    subprocess.run(["git", "reset", "-q", "--hard", "main"], cwd=folder, check=True)
    (folder / ".memstore").mkdir()
    (folder / ".memstore/config.toml").write_text(
        CONFIG.replace("[", 'notes = "mixed"\n[', 1) if place is mixed else CONFIG
    )


def cpu_seconds(words: list[str], folder: Path, cache: Path, said: str = "") -> float:
    """Return the CPU time of a command and of what it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = environment(cache)
    subprocess.run(words, cwd=folder, env=env, input=said.encode(), stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def environment(cache: Path) -> dict[str, str]:
    """Return the environment of what is measured; an installed program is compiled, so the guard is, too."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return env | {"XDG_CACHE_HOME": str(cache)}


def gits_part(arguments: list[str], folder: Path, cache: Path, said: str) -> float:
    """Return the CPU time of the git processes that the guard starts."""
    words = [sys.executable, "-P", "-c", COUNTED, *arguments]
    done = subprocess.run(
        words, cwd=folder, env=environment(cache), input=said.encode(), stdout=subprocess.PIPE, check=True
    )
    return float(done.stdout)


def measured(folder: Path, caches: Path) -> dict[str, float]:
    """Return the median CPU seconds of `git log -p`, of git and Python, and of the guard without and with a cache."""
    tip = subprocess.run(["git", "rev-parse", "main"], cwd=folder, capture_output=True, text=True, check=True).stdout
    arguments = ["pre-push", "origin", "../remote.git"]
    guard = [sys.executable, "-P", "-m", "memstore.hooks.push_guard", *arguments]
    click = [sys.executable, "-P", "-c", "import click"]
    said = f"refs/heads/main {tip.strip()} refs/heads/main {EMPTY}\n"
    times: dict[str, list[float]] = {"git log -p": [], "git and Python": [], "guard, cold": [], "guard, warm": []}
    cpu_seconds(guard, folder, caches / "first", said)  # the first run compiles
    for i in range(ROUNDS):
        cache = caches / str(i)
        times["git log -p"].append(cpu_seconds(["git", "log", "-p"], folder, cache))
        least = gits_part(arguments, folder, caches / f"{i}-git", said) + cpu_seconds(click, folder, cache)
        times["git and Python"].append(least)
        times["guard, cold"].append(cpu_seconds(guard, folder, cache, said))
        times["guard, warm"].append(cpu_seconds(guard, folder, cache, said))
    return {what: statistics.median(seconds) for what, seconds in times.items()}


def main() -> None:
    """Measure, and print the medians and their ratios."""
    commits = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    for place in (usual, few, mixed):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "vault"
            repository(folder, commits, place)
            medians = measured(folder, Path(name) / "caches")
        print(f"{commits:,} commits ({place.__name__}), CPU seconds, medians of {ROUNDS}:", flush=True)
        for what, median in medians.items():
            print(f"  {what:<14} {median:6.2f}   {median / medians['git log -p'] / 2:5.2f} of `git log -p` twice")


if __name__ == "__main__":
    main()
