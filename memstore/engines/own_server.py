"""A PostgreSQL server of one's own: by the system's programs, in a folder among one's data, on a socket there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import RefusedError, UsageError, VaultError
from memstore.engines.database import has_schema, init, session

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_DEBIAN = Path("/usr/lib/postgresql")  # the programs of each version, which are not on the path
_DATABASE, _ADMIN = "memories", "postgres"
# The path of a socket has at most 107 bytes: this is its name there.
_LONGEST_FOLDER = 107 - len("/.s.PGSQL.5432")


class ServerStarted(NamedTuple):
    """A server that runs: the address of its database, its folder, what was done for it, and how it is ended."""

    url: str
    folder: str
    is_new: bool
    was_started: bool
    stop: Sequence[str]


def start(folder: Path, variables: Mapping[str, str]) -> ServerStarted:
    """Start the server in a folder; one that isn't there is made, with a database and memstore's schema in it.

    It listens on a socket in its folder, which is for its user alone, and on no port.

    Args:
        folder: where it is; its parents are made.
        variables: those of the process.

    Raises:
        UsageError: PostgreSQL isn't installed, or the folder's path is too long for a socket.
        RefusedError: whoever asks is root, whom PostgreSQL refuses.
        VaultError: a program of it failed.
    """
    if os.geteuid() == 0:
        raise RefusedError(
            "PostgreSQL doesn't run as root", hint="as another user: su postgres -c 'memstore engine up'"
        )
    if len(os.fsencode(folder)) > _LONGEST_FOLDER:
        raise UsageError(f"{folder} is too long for a socket in it", hint="name a shorter folder in XDG_DATA_HOME")
    pg_ctl, data = _program("pg_ctl", variables), folder / "data"
    is_new = not (data / "PG_VERSION").exists()
    if is_new:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        shutil.rmtree(data, ignore_errors=True)  # of an attempt that ended early: it has no version
        _run(variables, pg_ctl, "init", "-D", str(data), "-o", f"-U {_ADMIN} -A trust -E UTF8 --locale=C")
    was_running = subprocess.run([pg_ctl, "status", "-D", str(data)], capture_output=True, check=False).returncode == 0
    if not was_running:
        settings = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c unix_socket_permissions=0700"
        _run(variables, pg_ctl, "start", "-w", "-D", str(data), "-l", str(folder / "log"), "-o", settings)
    url = f"postgresql://{_ADMIN}@/{{}}?host={folder}"
    with session(url.format("postgres")) as opened:
        there = opened.execute("SELECT FROM pg_database WHERE datname = %s", [_DATABASE]).fetchone()
        if there is None:
            opened.commit()
            opened.autocommit = True
            opened.execute(f"CREATE DATABASE {_DATABASE}".encode())
    made = url.format(_DATABASE)
    if not has_schema(made):
        init(made)
    return ServerStarted(made, str(folder), is_new, not was_running, (pg_ctl, "stop", "-D", str(data)))


def _program(name: str, variables: Mapping[str, str]) -> str:
    """Return where the newest of the system's programs of this name is."""
    versions = sorted(_DEBIAN.glob(f"*/bin/{name}"), key=_version, reverse=True)
    found = [str(versions[0])] if versions else [shutil.which(name, path=variables.get("PATH"))]
    if found[0] is None:
        raise UsageError("PostgreSQL's server is not installed", hint="on Debian: apt install postgresql")
    return found[0]


def _version(place: Path) -> int:
    return int("0" + re.sub(r"\D", "", place.parent.parent.name))


def _run(variables: Mapping[str, str], *words: str) -> None:
    done = subprocess.run(
        words,
        env=dict(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode:
        told = done.stdout.decode(errors="replace").strip().splitlines() or [f"it ended with {done.returncode}"]
        raise VaultError(f"{Path(words[0]).name} {words[1]} failed: {told[-1]}", hint="its log is beside its data")
