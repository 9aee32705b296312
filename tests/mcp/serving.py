"""A vault, and servers of it: in this process, and as a client starts them."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, Self

from memstore.files.local_state import Environment
from memstore.mcp import tools
from memstore.mcp.server import Identity, Server, WriteRules
from tests.installed import MEMSTORE, ROOT
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memstore.mcp.call import ToolAnswer

OWNER = "si:ash"
VERSION = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
}


def sample(home: Path) -> InProcess:
    """Return the program with a copy of the sample vault, in a repository of its own, packed: it is copied often."""
    program = InProcess(home)
    shutil.copytree(ROOT / "sample-vault", program.vault)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "As it came"], ["repack", "-adq"]):
        program.git(*words)
    return program


FREE = WriteRules()


def served(
    program: InProcess, *, entity: str = OWNER, rules: WriteRules = FREE, offered: str = "usual", **who: Any
) -> Server:
    """Return a server in this process; its owner is alone with it unless something else is said."""
    env = Environment(program.environment, program.vault, program.home, "tester")
    identity = Identity(folder=str(program.vault), entity=entity, **({"alone": True} | who))
    return Server(env, identity, rules, tools.CHOICES[offered])


def answered(server: Server, tool: str, **arguments: object) -> ToolAnswer:
    """Return what a tool answers, which must be no failure."""
    answer = server.call(tool, arguments)
    assert not answer.failed, answer.text
    return answer


class Wire:
    """The installed `memstore mcp`, at whose pipe a client sits that knows nothing but lines of JSON.

    Args:
        program: memstore and its vault.
        words: options of `memstore mcp`, and of every command.
        modern: whether the client speaks 2026-07-28; else it begins with `initialize`.
    """

    def __init__(self, program: InProcess, *words: str, modern: bool = True) -> None:
        self._modern, self._number = modern, 0
        self.process = subprocess.Popen(
            [str(MEMSTORE), "mcp", *words],
            cwd=program.vault,
            env=program.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin
        assert self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        if not modern:
            self.asked("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None and not self.stdin.closed:
            self.stdin.close()
        try:
            self.process.wait(20)
        finally:
            self.process.kill()
            for stream in (self.stdin, self.stdout, self.process.stderr):
                if stream:
                    stream.close()

    def send(self, message: object) -> None:
        """Send a message, or bytes as they are."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.stdin.write(line)
        self.stdin.flush()

    def received(self) -> Any:
        """Return the next message of the server."""
        return json.loads(self.stdout.readline())

    def request(self, method: str, **params: object) -> dict[str, Any]:
        """Return a new request, as this client's era has it."""
        self._number += 1
        meta = {"_meta": ENVELOPE} if self._modern else {}
        return {"jsonrpc": "2.0", "id": self._number, "method": method, "params": {**params, **meta}}

    def asked(self, method: str, **params: object) -> dict[str, Any]:
        """Return the answer to a request, whole."""
        request = self.request(method, **params)
        self.send(request)
        answer: dict[str, Any] = self.received()
        assert answer["id"] == request["id"]
        return answer

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Return the result of a tool."""
        result: dict[str, Any] = self.asked("tools/call", name=tool, arguments=arguments)["result"]
        return result


def words_of(result: dict[str, Any]) -> str:
    """Return the text of a result."""
    parts: Sequence[dict[str, str]] = result["content"]
    return "\n".join(part["text"] for part in parts)
