"""Many programs that write one vault at the same time, and a person who saves the same files in an editor.

What was acknowledged is there in the end, and so is every line that the person saved.
"""

from __future__ import annotations

import json
import os
import random
import select
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from acts import memory
from sandbox import MEMSTORE, Done

from memstore.core.errors import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandbox import Sandbox

SHARED = ("kettle", "tram", "coast", "violin")
MOST_REFUSED = 0.05
_PAUSE_SECONDS = (0.02, 0.15)


class Write(NamedTuple):
    """What one writer asked for, and what must be found afterwards where it was acknowledged.

    `sign` is a piece of text that nothing else contains, `path` the file that must have it; None for any file.
    """

    words: tuple[str, ...]
    sign: str
    path: str | None


class Told(NamedTuple):
    """What the program said to a write."""

    write: Write
    done: Done


class Crowd(NamedTuple):
    """How it came out: how many writes there were, the refused ones' words, what is missing of writes and of saves."""

    writes: int
    refused: Counter[str]
    saves: int
    lost_writes: tuple[str, ...]
    lost_saves: tuple[str, ...]
    unsound: str

    @property
    def wrong(self) -> tuple[str, ...]:
        """What is not as promised; empty where all is."""
        refused = self.refused.total()
        too_many = (f"{refused} of {self.writes} refused: {dict(self.refused)}",) if self.is_refused_too_often else ()
        return (*too_many, *self.lost_writes, *self.lost_saves, *((self.unsound,) if self.unsound else ()))

    @property
    def is_refused_too_often(self) -> bool:
        """Whether more writes were refused than may be."""
        return self.refused.total() > MOST_REFUSED * self.writes


class Hand:
    """A person who saves files, in place and by a rename in turn, with a line or a key more each time.

    A file is read just before it is saved: what is shown here is what memstore loses, and not what an editor would that
    has had the file open for an hour. Nobody else works in the person's process, so that it really is just before.
    """

    def __init__(self, paths: list[Path], seed: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(seed), *map(str, paths)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.saved: list[tuple[Path, str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        told, _nothing = self._process.communicate()  # which closes its input: that is when it ends
        self.saved += [(Path(path), sign) for path, sign in map(json.loads, told.splitlines())]


def _save_by_hand(seed: int, paths: list[Path]) -> None:
    """Save files until standard input ends, and tell of each save when it is done."""
    chance = random.Random(seed)  # noqa: S311 -- no secret
    for number in count():
        if select.select([sys.stdin], [], [], chance.uniform(*_PAUSE_SECONDS))[0]:
            break
        path = chance.choice(paths)
        in_body, in_place = chance.choice((True, False)), chance.choice((True, False))
        sign = f"By hand, number {number}." if in_body else f"hand_{number}: here"
        while not _saved(path, sign, in_body=in_body, in_place=in_place):
            pass
        print(json.dumps([str(path), sign]), flush=True)


def _saved(path: Path, sign: str, *, in_body: bool, in_place: bool) -> bool:
    """Save a file with one sign more; False where somebody else saved it since it was read."""
    beside = path.with_name(f".{path.name}.swp")
    with path.open("r+b", buffering=0) as file, beside.open("wb", buffering=0) as other:
        text = _edited(file.read(), sign, in_body=in_body)
        as_read = _version(os.fstat(file.fileno()))
        if in_place:
            file.seek(0)
        else:
            other.write(text)
        if _version(path.stat()) != as_read:
            return False
        if in_place:
            file.write(text)  # it only grows: no reader finds half of it
        else:
            beside.replace(path)
    return True


def _version(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_mtime_ns, status.st_size


def _edited(text: bytes, sign: str, *, in_body: bool) -> bytes:
    if in_body:
        return text.rstrip(b"\n") + f"\n\n{sign}\n".encode()
    return text.replace(b"\nsource: ", f"\n{sign}\nsource: ".encode(), 1)


class Client:
    """A client of a server of its own, which writes by its tools; to be used as a context."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._process = subprocess.Popen(
            [str(MEMSTORE), "--self", "mcp"],
            cwd=sandbox.vault,
            env=sandbox.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        self._asked("initialize", about)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def add(self, sign: str) -> Told:
        """Add a memory with a sign."""
        text = f"A thought called {sign}"
        answer = self._asked("tools/call", {"name": "memory_add", "arguments": {"text": text}})
        failed = "error" in answer or answer["result"].get("isError", False)
        return Told(Write(("memory_add", text), f"called {sign}", None), Done(int(failed), json.dumps(answer), ""))

    def _asked(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        while "id" not in (answer := json.loads(self._process.stdout.readline())):
            pass
        told: dict[str, Any] = answer
        return told


@contextmanager
def _tidied(sandbox: Sandbox, *, is_asked: bool) -> Iterator[None]:
    """Let git pack the repository again and again."""
    is_over = Event()

    def tidy() -> None:
        while not is_over.wait(_PAUSE_SECONDS[1]):
            command = ["git", "gc", "--quiet"]
            subprocess.run(command, cwd=sandbox.vault, env=sandbox.environment, capture_output=True, check=False)

    worker = Thread(target=tidy)
    if is_asked:
        worker.start()
    yield
    is_over.set()
    if is_asked:
        worker.join()


def gather(
    sandbox: Sandbox, *, writers: int, writes: int, seed: int, servers: int = 0, tidied: bool = False, tries: int = 1
) -> Crowd:
    """Let so many programs at a time make so many writes each, while somebody saves files by hand.

    Args:
        sandbox: with a vault (`acts.furnish`); what it holds stays in it.
        writers: how many write at the same time.
        writes: how many writes each of them makes, one after the other.
        seed: of chance.
        servers: how many servers there are besides, whose clients make as many writes each.
        tidied: whether git tidies the repository all the while; then each second write is committed.
        tries: how often a writer asks for a write, as a person does if somebody else was quicker.
    """
    _put_down(sandbox, writers, writes)
    plans = [list(_plan(number, writes, random.Random(seed + number + 1))) for number in range(writers)]  # noqa: S311
    if tidied:
        plans = [
            [one._replace(words=(*one.words, "-c")) if n % 2 else one for n, one in enumerate(plan)] for plan in plans
        ]
    shared = [sandbox.vault / f"{name}.md" for name in SHARED]
    with (
        Hand(shared, seed) as hand,
        _tidied(sandbox, is_asked=tidied),
        ThreadPoolExecutor(writers + servers) as pool,
    ):
        served = [pool.submit(_serve, sandbox, number, writes) for number in range(servers)]
        told = [one for several in pool.map(lambda plan: _write(sandbox, plan, tries), plans) for one in several]
        told += [one for future in served for one in future.result()]
    return _compared(sandbox, told, hand.saved)


def _put_down(sandbox: Sandbox, writers: int, writes: int) -> None:
    """Make the memories that all write to, one for each writer, and what they will name as evidence."""
    texts = {f"{name}.md": memory("belief", name, f"About the {name}.", confidence="0.6") for name in SHARED}
    for writer in range(writers):
        texts[f"own{writer}.md"] = memory("belief", f"own{writer}", f"Of writer {writer} alone.", confidence="0.6")
        for number in range(writes):
            seen = f"seen{writer}x{number}x"
            texts[f"seen/{seen}.md"] = memory("raw", seen, f"Seen, the {writer}th's {number}th.", origin=_session(seen))
    sandbox.furnish({f"vault/{path}": text for path, text in texts.items()})


def _session(name: str) -> str:
    return f"{{session_id: {name}}}"


def _plan(writer: int, writes: int, chance: random.Random) -> Iterator[Write]:
    """Yield a writer's writes: half of them to what all write to."""
    for number in range(writes):
        name = chance.choice((*SHARED, *[f"own{writer}"] * len(SHARED)))
        ref, path = f"m_{name}", f"{name}.md"
        sign = f"w{writer}x{number}x"
        match chance.choice(("add", "set", "tag", "reinforce")):
            case "add":
                yield Write(("add", f"A thought called {sign}"), f"called {sign}", None)
            case "set":
                yield Write(("set", ref, f"{sign}=there"), f"{sign}: there", path)
            case "tag":
                yield Write(("tag", ref, f"+{sign}"), sign, path)
            case _:
                seen = f"m_seen{writer}x{number}x"
                yield Write(("reinforce", ref, "--evidence", seen), seen, path)


def _write(sandbox: Sandbox, plan: list[Write], tries: int) -> list[Told]:
    return [Told(write, _answer(sandbox, write, tries)) for write in plan]


def _answer(sandbox: Sandbox, write: Write, tries: int) -> Done:
    """Return the first answer but for those that somebody else was quicker, or the last of these."""
    done = sandbox.run("--json", *write.words)
    return _answer(sandbox, write, tries - 1) if done.code == Exit.LOCKED and tries > 1 else done


def _serve(sandbox: Sandbox, number: int, writes: int) -> list[Told]:
    with Client(sandbox) as client:
        return [client.add(f"s{number}x{at}x") for at in range(writes)]


def _compared(sandbox: Sandbox, told: list[Told], saved: list[tuple[Path, str]]) -> Crowd:
    files = {path: data.decode() for path, data in sandbox.files().items()}
    done = [one.write for one in told if one.done.code == 0]
    check = sandbox.run("check")
    return Crowd(
        writes=len(told),
        refused=Counter(_refusal(one.done) for one in told if one.done.code),
        saves=len(saved),
        lost_writes=tuple(f"lost: {' '.join(write.words)}" for write in done if not _is_there(files, write)),
        lost_saves=tuple(f"lost: {sign!r} in {place.name}" for place, sign in saved if sign not in files[place.name]),
        unsound=check.out if check.code else "",
    )


def _is_there(files: dict[str, str], write: Write) -> bool:
    if write.path is None:
        return any(write.sign in text for path, text in files.items() if path.startswith("notes/"))
    return write.sign in files[write.path]


def _refusal(done: Done) -> str:
    """Return a refusal as it is told, without the name of the file."""
    try:
        message = json.loads(done.out)["error"]["message"]
    except (ValueError, KeyError):
        message = done.err or done.out
    for name in SHARED:
        message = message.replace(f"{name}.md", "FILE").replace(f"belief:m_{name}", "REF")
    return str(message).strip()


if __name__ == "__main__":
    _save_by_hand(int(sys.argv[1]), [Path(path) for path in sys.argv[2:]])
