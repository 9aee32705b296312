"""An editor: it starts the installed `memstore lsp`, and talks to it as the protocol says."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any, Self

from tests.installed import MEMSTORE, at_home

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class ServerError(Exception):
    """The server answered with an error."""


class Editor:
    """An editor that has a language server running, with the files below `folder`.

    Args:
        folder: the vault's folder.
        home: the home of whoever edits.
        options: those of `memstore`, before `lsp`.
        encoding: the units that the editor counts in.
        renames: whether it can rename files.
        name: what it says that it is called.
    """

    def __init__(
        self, folder: Path, home: Path, *options: str, encoding: str = "utf-16", renames: bool = True, name: str = ""
    ) -> None:
        self.folder = folder
        words = [str(MEMSTORE), *options, "lsp"]
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=at_home(home), cwd=folder
        )
        self._number, self._versions = 0, dict[str, int]()
        self.found: dict[str, list[Any]] = {}  # the last diagnostics, by path
        self.messages: list[str] = []
        self.asked: list[str] = []
        self.shown: list[str] = []  # the files that the server opened
        self.answer_with = "Do it"
        self.on_question: Callable[[], object] = bool
        capabilities = {
            "general": {"positionEncodings": [encoding]},
            "workspace": {"workspaceEdit": {"resourceOperations": ["rename"] if renames else []}},
            "window": {"showDocument": {"support": True}},
        }
        said = {"rootUri": folder.as_uri(), "capabilities": capabilities, "clientInfo": {"name": name}}
        started = self.ask("initialize", {"processId": None, **said})
        self.capabilities: dict[str, Any] = started["capabilities"]
        self.tell("initialized", {})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._process.poll() is not None:
                return
            self.ask("shutdown", None)
            self.tell("exit", None)
            assert self._process.stderr
            assert (self._process.wait(timeout=20), self._process.stderr.read()) == (0, b"")
        finally:
            self._process.kill()
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
                if stream:
                    stream.close()

    def interrupted(self) -> int:
        """Interrupt the server, and return its exit code."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(timeout=20)

    # -- messages ----------------------------------------------------------------------------------

    def tell(self, method: str, params: object) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: object) -> Any:
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise ServerError(message["error"]["message"])
                return message.get("result")
            self._take(message)

    def cancelled(self, method: str, params: object) -> None:
        """Ask something, and take the question back before there can be an answer."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        self.tell("$/cancelRequest", {"id": self._number})

    def _take(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params")
        if method == "textDocument/publishDiagnostics" and params:
            self.found[params["uri"].removeprefix(f"{self.folder.as_uri()}/")] = params["diagnostics"]
        elif method == "window/showMessage" and params:
            self.messages.append(params["message"])
        elif method == "window/showMessageRequest" and params:
            self.asked.append(params["message"])
            self.on_question()
            chosen = next((one for one in params["actions"] if one["title"] == self.answer_with), None)
            self._send({"id": message["id"], "result": chosen})
        elif "id" in message:
            if method == "window/showDocument" and params:
                self.shown.append(params["uri"].removeprefix(f"{self.folder.as_uri()}/"))
            self._send({"id": message["id"], "result": None})

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self._process.stdout
        assert stream
        length = 0
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            assert self._process.stderr
            raise EOFError(self._process.stderr.read().decode())
        message: dict[str, Any] = json.loads(stream.read(length))
        return message

    # -- files -------------------------------------------------------------------------------------

    def uri(self, path: str) -> str:
        return (self.folder / path).as_uri()

    def open(self, path: str, text: str | None = None) -> list[Any]:
        """Open a file, and return what is found in it."""
        said = (self.folder / path).read_text(encoding="utf-8") if text is None else text
        self._versions[path] = 1
        item = {"uri": self.uri(path), "languageId": "markdown", "version": 1, "text": said}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return self.findings(path)

    def change(self, path: str, *changes: dict[str, Any]) -> list[Any]:
        """Change an open file, and return what is found in it then."""
        self._versions[path] += 1
        document = {"uri": self.uri(path), "version": self._versions[path]}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})
        return self.findings(path)

    def write(self, path: str, text: str) -> list[Any]:
        return self.change(path, {"text": text})

    def save(self, path: str, text: str) -> list[Any]:
        (self.folder / path).write_text(text, encoding="utf-8", newline="")
        self.tell("textDocument/didSave", {"textDocument": {"uri": self.uri(path)}})
        return self.findings(path)

    def findings(self, path: str) -> list[Any]:
        self.ask("textDocument/foldingRange", {"textDocument": {"uri": self.uri(path)}})  # all before it is answered
        return self.found.get(path, [])

    def found_later(self, path: str, code: str, *, seconds: float = 30) -> list[Any]:
        """Wait until something with this code is found in a file, and return all such."""
        return self._until(path, lambda: [one for one in self.found.get(path, []) if one["code"] == code], seconds)

    def _until(self, path: str, done: Callable[[], list[Any]], seconds: float) -> list[Any]:
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, self.found.get(path)
            time.sleep(0.05)
            self.findings(path)
        return done()

    def at(self, path: str, line: int, character: int, method: str, **more: object) -> Any:
        """Ask something of a place in a file, counted from 0."""
        return self.ask(f"textDocument/{method}", {**self.place(path, line, character), **more})

    def place(self, path: str, line: int, character: int) -> dict[str, Any]:
        """Return a place in a file, counted from 0, as it is asked for."""
        return {"textDocument": {"uri": self.uri(path)}, "position": {"line": line, "character": character}}

    def of(self, path: str, method: str, **more: object) -> Any:
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": self.uri(path)}, **more})

    def run(self, command: str, *given: str) -> Any:
        return self.ask("workspace/executeCommand", {"command": command, "arguments": list(given)})

    def actions(self, path: str, start: tuple[int, int], end: tuple[int, int] | None = None) -> dict[str, Any]:
        """Return the code actions for a selection, by title."""
        first, last = ({"line": line, "character": at} for line, at in (start, end or start))
        found = self.of(path, "codeAction", range={"start": first, "end": last}, context={"diagnostics": []})
        return {one["title"]: one for one in found}


def applied(text: str, edits: list[Any], offset: Callable[[str, dict[str, int]], int]) -> str:
    """Return a text after edits of the protocol, none of which overlap."""
    for edit in sorted(edits, key=lambda one: (one["range"]["start"]["line"], one["range"]["start"]["character"]))[
        ::-1
    ]:
        start, end = offset(text, edit["range"]["start"]), offset(text, edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text
