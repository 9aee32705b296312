"""`memstore engine up`: a server of one's own, for whoever runs it alone."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memstore.engines import own_server
from memstore.engines.database import indexed_vaults
from tests.engines.test_engine_commands import made
from tests.installed import validated
from tests.postgres import PLACES, other_user
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["made"]


@pytest.fixture
def home() -> Iterator[Path]:
    """A short home, of somebody whom PostgreSQL takes."""
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    if shutil.which("initdb", path=PLACES) is None:
        pytest.skip("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="memstore-", dir="/tmp"))
    if os.getuid() == 0:
        os.chown(folder, other_user().pw_uid, other_user().pw_gid)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def as_another(program: InProcess, *words: str) -> Any:
    """Return what a command answers when somebody runs it who isn't root."""
    for name in ("psycopg", "memstore.cli.engine", "memstore.vault.status", "memstore.vault.composition"):
        importlib.import_module(name)  # another user may not be let see where these are
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(other_user().pw_gid)
                os.setuid(other_user().pw_uid)
            done = program.run("--json", *words, cwd=program.home)
            os.write(writing, (done.stdout or json.dumps(done.stderr)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        answer = told.read()
    os.waitpid(child, 0)
    return json.loads(answer)


def test_a_server_is_made_started_and_used_by_one_command(home: Path, made: InProcess) -> None:
    program = InProcess(home)
    first = as_another(program, "engine", "up")
    try:
        validated(json.dumps(first))
        assert (first["is_new"], first["was_started"]) == (True, True)
        again = as_another(program, "engine", "up")
        assert again == {**first, "is_new": False, "was_started": False}
        settings = home / "config" / "memstore" / "config.toml"
        assert tomllib.loads(settings.read_text())["engine"]["url"] == first["url"]
        assert (settings.stat().st_mode & 0o777, Path(first["folder"]).stat().st_mode & 0o777) == (0o600, 0o700)
        told = made.run("engine", "index")
        assert (told.returncode, "no database is named" in told.stderr) == (2, True)
        made.ok("config", "--user", "engine.url", "-", stdin=first["url"] + "\n")
        made.ok("engine", "index")
        assert first["folder"] not in made.ok("engine", "status")
        assert [one.name for one in indexed_vaults(first["url"])] == [made.vault.name]
    finally:
        ended(first["stop"])
    assert as_another(program, "engine", "up")["was_started"]
    ended(first["stop"])
    assert [one.name for one in indexed_at_rest(program, first)] == [made.vault.name]


def indexed_at_rest(program: InProcess, first: dict[str, Any]) -> Any:
    as_another(program, "engine", "up")
    try:
        return indexed_vaults(first["url"])
    finally:
        ended(first["stop"])


def ended(stop: list[str]) -> None:
    """Stop a server as its user."""
    how = {"user": other_user().pw_uid, "group": other_user().pw_gid} if os.getuid() == 0 else {}
    subprocess.run([*stop, "-m", "immediate"], check=True, capture_output=True, cwd="/", **how)  # type: ignore[call-overload]


def test_who_uses_another_database_goes_on_using_it(home: Path) -> None:
    program = InProcess(home)
    other = "postgresql://db.example.org/memories"
    settings = home / "config" / "memstore" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[engine]\nurl = "{other}"\n')
    for place in (settings, settings.parent, settings.parent.parent):
        place.chmod(0o700 if place.is_dir() else 0o600)
        if os.getuid() == 0:
            os.chown(place, other_user().pw_uid, other_user().pw_gid)
    ended(as_another(program, "engine", "up")["stop"])
    assert tomllib.loads(settings.read_text())["engine"]["url"] == other


@pytest.mark.skipif(os.getuid() != 0, reason="whoever isn't root can't be told what root is")
def test_root_is_told_to_be_somebody_else(tmp_path: Path) -> None:
    done = InProcess(tmp_path).run("engine", "up", cwd=tmp_path)
    assert (done.returncode, "PostgreSQL doesn't run as root" in done.stderr) == (4, True)


def test_without_a_server_installed_it_is_said_what_to_install(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_server, "_DEBIAN", home / "nothing")
    program = InProcess(home)
    program.environment |= {"PATH": "/nowhere"}
    assert "apt install postgresql" in as_another(program, "engine", "up")["error"]["hint"]


def test_a_folder_that_is_too_long_for_a_socket_is_refused(home: Path) -> None:
    program = InProcess(home)
    program.environment |= {"XDG_DATA_HOME": f"{home}/{'x' * 100}"}
    assert "too long for a socket" in as_another(program, "engine", "up")["error"]["message"]
