#!/usr/bin/env python3
"""Measure the language server: what a keystroke and what an editor asks cost, and whether its memory grows.

    .venv/bin/python benchmarks/editor.py [--count 10000] [--keys 300] [--edits 5000] [--vault DIR]

CPU milliseconds of the server, from when it is sent something until it has answered; memories are those of
`corpus.py`, of which somebody edits one, or those of a vault of one's own, which is left as it is. Memory is resident
MB after 500 edits and after all. What is found only once somebody stops typing is not waited for.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MEMSTORE = Path(sys.executable).with_name("memstore")
OWNER = "human:tester"
SETTLED = 500
ASKED = 40


class Server:
    """A server in a vault, to which an editor's messages are sent.

    Args:
        vault: the vault's folder.
    """

    def __init__(self, vault: Path) -> None:
        self._number, self.vault = 0, vault
        words = [str(MEMSTORE), "--as", OWNER, "lsp"]
        self.process = subprocess.Popen(words, cwd=vault, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask("initialize", {"processId": None, "rootUri": vault.as_uri(), "capabilities": {}})
        self.tell("initialized", {})

    def cpu(self) -> float:
        """Return the CPU milliseconds so far, of all threads."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6

    def megabytes(self) -> int:
        """Return the resident memory."""
        said = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(said.partition("VmRSS:")[2].split()[0]) // 1024

    def tell(self, method: str, params: object) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: object) -> Any:
        """Send a request, and return its result; diagnostics that come before are read, too."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while (message := self._receive()).get("id") != self._number or "method" in message:
            pass
        return message.get("result")

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self.process.stdout
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return message


class OpenFile:
    """A file that somebody has open and types in.

    Args:
        server: the server.
        path: the file.
        seed: which places they type at.
    """

    def __init__(self, server: Server, path: Path, seed: int) -> None:
        self._server, self._chance, self._version = server, random.Random(seed), 1  # noqa: S311 -- places to type at
        self.lines = path.read_text(encoding="utf-8").split("\n")
        self.document = {"uri": path.as_uri()}
        item = {**self.document, "languageId": "markdown", "version": 1, "text": "\n".join(self.lines)}
        server.tell("textDocument/didOpen", {"textDocument": item})
        self.settle()

    def settle(self) -> None:
        """Wait until all that was sent has been answered."""
        self._server.ask("textDocument/foldingRange", {"textDocument": self.document})

    def press(self) -> None:
        """Type a letter somewhere, or take back the one before, and wait for the diagnostics."""
        is_back = self._version % 2 == 0
        if not is_back:
            line = self._chance.randrange(len(self.lines))
            self._place = (line, self._chance.randint(0, len(self.lines[line])))
        line, at = self._place
        start, end = ({"line": line, "character": one} for one in (at, at + is_back))
        change = {"range": {"start": start, "end": end}, "text": "" if is_back else "x"}
        self._version += 1
        document = {**self.document, "version": self._version}
        self._server.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        self.settle()

    def put(self, text: str) -> dict[str, int]:
        """Put a line at the end, and return the place behind it."""
        self._version += 1
        document = {**self.document, "version": self._version}
        changes = [{"text": "\n".join([*self.lines, text])}]
        self._server.tell("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        self.settle()
        return {"line": len(self.lines), "character": len(text)}


def spent(server: Server, do: Callable[[], object], times: int) -> list[float]:
    """Return the CPU milliseconds of each time."""
    found = []
    for _ in range(times):
        before = server.cpu()
        do()
        found.append(server.cpu() - before)
    return found


def row(name: str, found: Sequence[float]) -> str:
    """Return a row of the table."""
    return f"| {name} | {median(found):.1f} | {quantiles(found, n=20)[-1] if len(found) > 1 else found[0]:.1f} |"


def measured(vault: Path, keys: int, edits: int) -> None:
    """Print what an editor's session in a vault costs."""
    files = sorted(vault.glob("**/*.md"))
    began = time.monotonic()
    server = Server(vault)
    file = OpenFile(server, files[len(files) // 2], seed=1)
    print(f"first diagnostics: {server.cpu():.0f} ms of CPU, {time.monotonic() - began:.2f} s", flush=True)
    print("| what | median | p95 |\n|---|---|---|")
    print(row("a keystroke, until its diagnostics", spent(server, file.press, keys)), flush=True)
    asks = partial(asked, server, file)
    for name, text in (("a link", "[[the"), ("a ref", "belief:m_a"), ("a tag", "#a")):
        print(row(f"completing {name}", asks("textDocument/completion", position=file.put(text))))
    place = {**file.put(f"[[{files[len(files) // 3].stem}]]"), "character": 4}
    print(row("pointing at a link", asks("textDocument/hover", position=place)))
    print(row("going to its note", asks("textDocument/definition", position=place)))
    context = {"includeDeclaration": False}
    print(row("what leads to it", asks("textDocument/references", position=place, context=context)))
    for query in ("market", "the old", "x"):
        print(row(f"workspace symbols, {query!r}", asks("workspace/symbol", query=query)))
    print(row("a save", spent(server, lambda: saved(server, file), ASKED)), flush=True)
    for number in range(edits):
        file.press()
        if number in (SETTLED, edits - 1):
            print(f"memory after {number + 1} edits: {server.megabytes()} MB", flush=True)
    server.process.kill()
    server.process.wait()


def asked(server: Server, file: OpenFile, method: str, **params: object) -> list[float]:
    """Return the CPU milliseconds of a request, each time that it is asked."""
    return spent(server, lambda: server.ask(method, {"textDocument": file.document, **params}), ASKED)


def saved(server: Server, file: OpenFile) -> None:
    """Say that the file was saved, as an editor does; the text on the disk stays as it is."""
    server.tell("textDocument/didSave", {"textDocument": file.document})
    file.settle()


def main() -> None:
    """Lay out a vault, unless one is named, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--keys", type=int, default=300)
    parser.add_argument("--edits", type=int, default=5_000)
    parser.add_argument("--vault", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        vault = given.vault or Path(made)
        if given.vault is None:
            words = [sys.executable, str(Path(__file__).with_name("corpus.py")), made, "--n", str(given.count)]
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
            subprocess.run([str(MEMSTORE), "init", made, "--owner", OWNER], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(
            [str(MEMSTORE), "--as", OWNER, "--vault", vault, "search", "water"], check=True, stdout=subprocess.DEVNULL
        )
        measured(vault, given.keys, given.edits)


if __name__ == "__main__":
    main()
