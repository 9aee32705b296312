"""Run the protocol's own conformance tests for servers against `memstore mcp`, over HTTP and over the pipe.

    npm install --prefix FOLDER node@22 @modelcontextprotocol/conformance@0.2.0-alpha.12
    python -m tests.mcp.conformance FOLDER

The tests speak HTTP and know no tokens, so a proxy stands before the server: it adds the token, or hands each message
to the pipe. What they ask of a server that was built for them, with tools of its own, is in `conformance.yml` with the
reason; any other failure, or one of these that passes, is an error.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.installed import MEMSTORE
from tests.mcp.serving import sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

EXPECTED = Path(__file__).with_name("conformance.yml")
# What a published version of the protocol asks for, over HTTP; over the pipe, scenarios that need no HTTP.
REVISIONS = ("2025-11-25", "2026-07-28")
PIPED = (
    "sep-2640-skills-enumeration",
    "sep-2640-skills-manifest",
    "caching",
    "tools-list",
    "sep-2164-resource-not-found",
)
_MODERN = REVISIONS[-1]


class Answer(NamedTuple):
    """What a server answers to a request: status, headers and body."""

    status: int
    headers: Mapping[str, str] = {}
    body: bytes = b""


def node(folder: Path) -> str | None:
    """Return the program Node, at least 22: the one that was installed in a folder, or the machine's; None without."""
    places = os.pathsep.join((str(folder / "node_modules" / ".bin"), os.environ.get("PATH", "")))
    found = shutil.which("node", path=places)
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout if found else ""
    version = re.match(r"v(\d+)", said)
    return found if version and int(version[1]) >= 22 else None


@contextmanager
def served(home: Path) -> Iterator[str]:
    """Serve a copy of the sample vault over HTTP, behind a proxy that adds a token; yield the proxy's address."""
    program = sample(home)
    [made] = program.json("--self", "mcp", "token", "add", "si:ash")["tokens"]
    token = Path(made["file"]).read_text(encoding="utf-8").strip()
    process = subprocess.Popen(
        [str(MEMSTORE), "mcp", "--http", "0"],
        cwd=program.vault,
        env=program.environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    found = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", process.stderr.readline())
    assert found
    port = int(found[1])

    def forward(request: BaseHTTPRequestHandler, body: bytes) -> Answer:
        known = f":{request.connection.getsockname()[1]}"
        headers = {name: value.replace(known, f":{port}") for name, value in request.headers.items()}
        server = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        server.putrequest(request.command, request.path, skip_host=True, skip_accept_encoding=True)
        for name, value in {**headers, "Authorization": f"Bearer {token}", "Connection": "close"}.items():
            server.putheader(name, value)
        server.endheaders(body)
        answer = server.getresponse()
        try:
            said = answer.read()
        except http.client.IncompleteRead as cut:  # a stream that was open when the server ended
            said = cut.partial
        return Answer(answer.status, dict(answer.getheaders()), said)

    try:
        with _proxy(forward) as address:
            yield address
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


@contextmanager
def piped(home: Path) -> Iterator[str]:
    """Serve a copy of the sample vault over the pipe, behind a proxy that speaks HTTP; yield the proxy's address."""
    program = sample(home)
    process = subprocess.Popen(
        [str(MEMSTORE), "--as", "si:ash", "--self", "mcp"],
        cwd=program.vault,
        env=program.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    one_at_a_time = threading.Lock()

    def forward(request: BaseHTTPRequestHandler, body: bytes) -> Answer:
        if request.command != "POST":
            return Answer(405)
        message = json.loads(body)
        with one_at_a_time:
            assert process.stdin
            assert process.stdout
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline() if "id" in message else b""
        return Answer(200, {"Content-Type": "application/json"}, answer) if answer else Answer(202)

    try:
        with _proxy(forward) as address:
            yield address
    finally:
        process.communicate()


@contextmanager
def _proxy(forward: Callable[[BaseHTTPRequestHandler, bytes], Answer]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            answer = forward(self, self.rfile.read(int(self.headers.get("Content-Length") or 0)))
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in {"transfer-encoding", "connection", "content-length"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            with suppress(BrokenPipeError):  # the tests have left meanwhile
                self.end_headers()
                self.wfile.write(answer.body)

        do_GET = do_DELETE = do_POST  # noqa: N815 - the base class's names

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{proxy.server_address[1]}/mcp"
    finally:
        proxy.shutdown()
        proxy.server_close()


def over_http(folder: Path, home: Path, revision: str) -> subprocess.CompletedProcess[str]:
    """Run what a version of the protocol asks for, with the tests that are installed in a folder."""
    with served(home) as url:
        return _run(folder, home, url, "--requirements", revision, "--expected-failures", str(EXPECTED))


def over_the_pipe(folder: Path, home: Path) -> Iterator[tuple[str, subprocess.CompletedProcess[str]]]:
    """Run the scenarios that need no HTTP, one after another; yield each with what became of it."""
    with piped(home) as url:
        for one in PIPED:
            yield one, _run(folder, home, url, "--scenario", one, "--spec-version", _MODERN, "--force")


def _run(folder: Path, home: Path, url: str, *words: str) -> subprocess.CompletedProcess[str]:
    program = folder / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    return subprocess.run(
        [str(node(folder)), str(program), "server", "--url", url, *words],
        cwd=home,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def main() -> int:
    """Run the conformance tests of the folder that the command line names, and print what they say."""
    folder = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as home:
        runs = [over_http(folder, Path(home) / revision, revision) for revision in REVISIONS]
        runs += [done for _, done in over_the_pipe(folder, Path(home) / "pipe")]
    for done in runs:
        print(done.stdout + done.stderr)  # noqa: T201
    return max(done.returncode for done in runs)


if __name__ == "__main__":
    sys.exit(main())
