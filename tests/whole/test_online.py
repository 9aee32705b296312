"""Nothing opens a connection without `--online`; with it pages are fetched, within bounds."""

from __future__ import annotations

import hashlib
import json
import shutil
import ssl
import subprocess
import sys
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID

from memstore.core.errors import UsageError, VaultError
from memstore.trust import pages
from memstore.trust.pages import WebPages
from tests.installed import ROOT, validated
from tests.whole.program import Program
from tests.whole.test_outputs import REF

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The program, many times in one process in which whoever opens a connection is noted.
NO_SOCKETS = """\
import contextlib, io, json, socket, sys
opened = []
def refuse(*words, **named):
    opened.append(asked)
    raise OSError("no connection is opened here")
for name in ("connect", "connect_ex", "bind", "listen", "sendto"):
    setattr(socket.socket, name, refuse)
socket.getaddrinfo = socket.create_connection = refuse
from memstore.cli.main import main
for asked in json.load(sys.stdin):
    out = io.TextIOWrapper(io.BytesIO())
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        main(asked)
print(json.dumps(opened))
"""


class Site(BaseHTTPRequestHandler):
    """A few pages."""

    page = b"<p>Synthesis is hard.</p>"

    def do_GET(self) -> None:
        leads = {"/moved": "/page", "/file": "file:///etc/passwd", "/ftp": "ftp://e.org/x", "/loop": "/loop"}
        if self.path in leads:
            self.send_response(302)
            self.send_header("Location", leads[self.path])
            self.end_headers()
        elif self.path == "/page":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(self.page)
        elif self.path == "/large":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(bytes(2 << 16))
        elif self.path == "/short":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"cut")
        else:
            self.send_error(404)

    def log_message(self, *words: object) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def site() -> Iterator[str]:
    with served() as address:
        yield address


def opened_by(home: Path, commands: list[list[str]]) -> list[list[str]]:
    """Return which commands open a connection, in a copy of the sample vault."""
    program = Program(home)
    shutil.copytree(ROOT / "sample-vault", program.vault)
    done = subprocess.run(
        [sys.executable, "-c", NO_SOCKETS],
        cwd=program.vault,
        env=program.environment | {"MEMSTORE_EDITOR": "true"},
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[list[str]] = json.loads(done.stdout)
    return found


# All that has to do with anchors and keys; the same of one of every command: `tests/documents/test_documents.py`.
ATTESTING = [
    ["trust", "keys", "list"], ["trust", "keys", "pin", "--dry-run"], ["trust", REF], ["trust", "m_3467as21ns"],
    ["trust", "attest", "digest", REF], ["trust", "anchor", REF],
    ["trust", "anchor", REF, "--type", "blockchain", "--reference", "btc:1"],
    ["trust", "anchor", REF, "--type", "url", "--reference", "https://e.org", "--snapshot", "README.md"],
    ["search", "Bella", "--min-trust", "0.1"], ["check"],
]  # fmt: skip


def test_no_command_opens_a_connection_by_itself(tmp_path: Path) -> None:
    assert opened_by(tmp_path, ATTESTING) == []


def test_with_online_a_connection_is_opened(tmp_path: Path) -> None:
    without = ["trust", "anchor", REF, "--type", "url", "--reference", "https://e.org"]
    assert opened_by(tmp_path, [without, [*without, "--online"]]) == [[*without, "--online"]]


def test_a_page_is_fetched_to_anchor_and_again_to_compare(site: str, tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.init()
    ref, _ = program.add("Synthesis is hard.")
    url = f"{site}/page"
    made = validated(program.ok("--json", "trust", "anchor", ref, "--type", "url", "--reference", url, "--online"))[
        "anchor"
    ]
    assert (made["status"], made["reason"]) == ("valid", "it shows a source, and proves nothing")
    kept = program.vault / ".memstore/snapshots" / hashlib.sha256(Site.page).hexdigest()
    assert kept.read_bytes() == Site.page
    assert "online" not in validated(program.ok("--json", "trust", ref))
    asked = ("--json", "trust", ref, "--online")
    assert validated(program.ok(*asked))["online"] == [{"reference": url, "status": "fetched-same", "reason": None}]
    kept_page, Site.page = Site.page, b"edited"
    try:
        (found,) = validated(program.ok(*asked))["online"]
        assert found["status"] == "changed"
        assert f"page       changed: {found['reason']}  {url}" in program.ok("trust", ref, "--online")
        assert validated(program.ok(*asked))["anchors"][0]["status"] == "valid"  # the copy is what was anchored
    finally:
        Site.page = kept_page
    path = next(path for path in program.vault.rglob("*.md") if url in path.read_text())
    path.write_text(path.read_text().replace(url, f"{site}/gone"))
    (found,) = validated(program.ok(*asked))["online"]
    assert (found["status"], "Not Found" in found["reason"]) == ("unreachable", True)


@contextmanager
def served_by_tls(folder: Path) -> Iterator[int]:
    """Serve the same pages from https://localhost with a certificate in `folder/cert.pem`; give the port."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    (folder / "cert.pem").write_bytes(made.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM))
    (folder / "tls.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "tls.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def test_a_page_that_was_fetched_from_anothers_host_proves_when(site: str, tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.init()
    ref, _ = program.add("Synthesis is hard.")
    key = Ed25519PrivateKey.generate()
    (tmp_path / "key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    (tmp_path / "key.pub").write_bytes(key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))
    who = program.json("config", "owner")["settings"][0]["value"]
    program.ok("trust", "keys", "add", who, str(tmp_path / "key.pub"))
    program.ok("trust", "sign", ref, "--key", str(tmp_path / "key"))
    saved, Site.page = Site.page, program.ok("trust", "attest", "digest", ref).encode()
    try:
        with served_by_tls(tmp_path) as port:
            program.environment |= {"SSL_CERT_FILE": str(tmp_path / "cert.pem"), "NO_PROXY": "localhost"}
            pages = [f"{site}/page", f"https://localhost:{port}/page"]
            for url in pages:
                program.ok("trust", "anchor", ref, "--type", "url", "--reference", url, "--online")
            reasons = [one["reason"] for one in program.json("trust", ref)["anchors"]]
            # By http somebody between may have said it; and nobody knows yet whose the other host is.
            assert reasons == ["a copy that you did not fetch yourself", "you have not said whom localhost belongs to"]
            for holder, level in ((who, "unverified"), ("human:claire", "attested")):
                pinned = validated(program.ok("--json", "trust", "keys", "pin", "--host", "localhost", holder))
                assert (pinned["host"], pinned["entity"]) == ("localhost", holder)
                assert program.json("trust", ref)["trust"]["level"] == level
            shutil.rmtree(tmp_path / "cache", ignore_errors=True)
            for folder in program.home.rglob("derived"):
                shutil.rmtree(folder)
            assert program.json("trust", ref)["trust"]["level"] == "unverified"  # what was had is in no vault
            found = program.json("trust", ref, "--online")
            assert (found["trust"]["level"], found["anchors"][1]["timed"]) == ("attested", True)
    finally:
        Site.page = saved
    for words in (("LOCALHOST", "human:claire"), ("e.org/x", "human:claire"), ("e.org", "Claire")):
        assert program.run("trust", "keys", "pin", "--host", *words).returncode == 2


def test_a_redirection_to_a_page_is_followed(site: str) -> None:
    assert WebPages().fetch(f"{site}/moved") == Site.page


@pytest.mark.parametrize("path", ["/file", "/ftp", "/loop", "/gone", "/short"])
def test_what_is_no_page_is_not_had(path: str, site: str) -> None:
    with pytest.raises(VaultError) as refused:
        WebPages().fetch(site + path)
    assert "--snapshot" in (refused.value.hint or "")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://e.org/x", "data:,x", "/etc/passwd", "javascript:1", ""])
def test_nothing_but_http_is_fetched(url: str) -> None:
    with pytest.raises(UsageError, match="not a page"):
        WebPages().fetch(url)


def test_a_page_is_bounded_in_size_and_time(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_MOST_BYTES", 1 << 16)
    with pytest.raises(VaultError, match="has more than"):
        WebPages().fetch(f"{site}/large")
    monkeypatch.setattr(pages, "_MOST_BYTES", 1 << 20)
    monkeypatch.setattr(pages, "_WHOLE_SECONDS", -1.0)
    with pytest.raises(VaultError, match="takes longer"):
        WebPages().fetch(f"{site}/large")


def test_who_does_not_answer_is_told(site: str) -> None:
    with served() as gone:
        pass
    with pytest.raises(VaultError, match="can't be fetched"):
        WebPages().fetch(f"{gone}/page")
