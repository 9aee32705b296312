"""Run the protocol's own conformance tests for servers against `memstore mcp --http`.

    npm install --prefix FOLDER @modelcontextprotocol/conformance@0.1.16      # needs Node 22
    python -m tests.mcp.conformance FOLDER

The tests know no tokens, so a proxy adds one to each request. Scenarios that test a server built for them, with tools
of its own, are in `conformance.yml` with the reason; any other failure, or one of these that passes, is an error.
"""

from __future__ import annotations

import http.client
import re
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from tests.installed import MEMSTORE
from tests.mcp.serving import sample

if TYPE_CHECKING:
    from collections.abc import Iterator

EXPECTED = Path(__file__).with_name("conformance.yml")


@contextmanager
def served(home: Path) -> Iterator[str]:
    """Serve a copy of the sample vault by a proxy that needs no token; yield its address."""
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
    proxy = _proxy(int(found[1]), token)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{proxy.server_address[1]}/mcp"
    finally:
        proxy.shutdown()
        proxy.server_close()
        process.send_signal(signal.SIGINT)
        process.communicate()


def _proxy(port: int, token: str) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            known = f":{self.connection.getsockname()[1]}"
            headers = {name: value.replace(known, f":{port}") for name, value in self.headers.items()}
            server = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            server.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in {**headers, "Authorization": f"Bearer {token}", "Connection": "close"}.items():
                server.putheader(name, value)
            server.endheaders(body)
            answer = server.getresponse()
            data = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in {"transfer-encoding", "connection", "content-length"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_DELETE = do_POST  # noqa: N815 - the base class's names

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def run(folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Run the conformance tests that are installed in a folder."""
    program = folder / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    with served(home) as url:
        return subprocess.run(
            ["node", str(program), "server", "--url", url, "--expected-failures", str(EXPECTED)],
            cwd=home,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


def main() -> int:
    """Run the conformance tests of the folder that the command line names, and print what they say."""
    with tempfile.TemporaryDirectory() as home:
        done = run(Path(sys.argv[1]), Path(home))
    print(done.stdout + done.stderr)  # noqa: T201
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
