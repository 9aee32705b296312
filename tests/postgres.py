"""A real PostgreSQL for tests: a server of its own in a temporary folder, on a socket there, ended by its id."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.engine_vaults import Engine

# Debian keeps the server's programs beside the path.
PLACES = os.pathsep.join([os.environ.get("PATH", ""), *map(str, Path("/usr/lib/postgresql").glob("*/bin"))])
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "64MB",
}
_PATIENCE_SECONDS = 60
# The server ends, by its id, with whoever started it: even one who is killed closes what the shell reads from.
_UNTIL_THE_END = '"$@" & read -r _; kill -INT $!; wait'


class Postgres:
    """A running server; each test has a database of its own in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count()

    def url(self, database: str = "postgres", *, user: str = "admin") -> str:
        return f"postgresql://{user}@/{database}?host={self._folder}"

    @contextmanager
    def database(self) -> Iterator[str]:
        """Yield the URL of an empty database, which is dropped afterwards."""
        import psycopg

        name = f"test_{next(self._numbers)}"
        with psycopg.connect(self.url(), autocommit=True) as session:
            session.execute(f"CREATE DATABASE {name}")
            yield self.url(name)
            session.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server for all tests of one process."""
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    programs = [shutil.which(name, path=PLACES) for name in ("initdb", "postgres")]
    if None in programs:
        pytest.skip("PostgreSQL is not installed")
    initdb, server = map(str, programs)
    # The server refuses to run as root, and another user doesn't get into root's own temporary folders.
    user = other_user() if os.getuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="memstore-", dir="/tmp" if user else None))  # noqa: S108 - a new folder
    if user:
        os.chown(folder, user.pw_uid, user.pw_gid)
    how = {"cwd": folder, "user": user.pw_uid if user else None, "group": user.pw_gid if user else None}
    data = str(folder / "data")
    try:
        made = [initdb, "-D", data, "-U", "admin", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        subprocess.run(made, check=True, capture_output=True, **how)  # type: ignore[call-overload]
        settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
        with (folder / "log").open("wb") as log:
            words = ["sh", "-c", _UNTIL_THE_END, "sh", server, "-D", data, "-k", str(folder), *settings]
            process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=log, stderr=log, **how)  # type: ignore[call-overload]
        try:
            yield _answering(Postgres(folder), process, folder / "log")
        finally:
            process.stdin.close()
            process.wait(_PATIENCE_SECONDS)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(postgres: Postgres) -> Iterator[str]:
    """The URL of an empty database."""
    with postgres.database() as url:
        yield url


@pytest.fixture(scope="session")
def engine(postgres: Postgres) -> Iterator[Engine]:
    """A database with the schema in it, for all tests of one process; each vault in it has a name of its own."""
    from tests.engine_vaults import Engine

    with postgres.database() as url:
        yield Engine.begun(url)


def other_user() -> pwd.struct_passwd:
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def _answering(found: Postgres, process: subprocess.Popen[bytes], log: Path) -> Postgres:
    """Return a server as soon as it answers."""
    import psycopg

    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            psycopg.connect(found.url()).close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > end:
                pytest.fail(f"PostgreSQL did not start: {log.read_text(encoding='utf-8', errors='replace')}")
            time.sleep(0.05)
        else:
            return found
