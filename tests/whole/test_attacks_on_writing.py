"""What somebody puts in the way of who writes: links, pipes, names, a journal. Nothing outside is touched."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import stat
from typing import TYPE_CHECKING

import pytest

from memstore.files.local_state import BEGUN_OPERATION
from tests.whole.attacked import Victim, victims

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.whole.program import Done

SECONDS = 10
INTERRUPTED = 130


@pytest.fixture(scope="module")
def copied() -> Callable[[Path], Victim]:
    return victims()


@pytest.fixture
def vault(copied: Callable[[Path], Victim], tmp_path: Path) -> Victim:
    return copied(tmp_path / "home")


@pytest.fixture
def outside(vault: Victim) -> Path:
    """Return a file beside the vault that nobody may touch."""
    place = vault.home / "outside" / "precious.md"
    place.parent.mkdir()
    place.write_text("---\ntype: note\nid: m_precious000\n---\nPrecious.\n")
    return place


def ends(vault: Victim, *words: str) -> Done:
    """Run memstore, which must come to an end, and not by a defect."""
    signal.signal(signal.SIGALRM, _too_late)
    signal.alarm(SECONDS)
    try:
        done = vault.run(*words)
    finally:
        signal.alarm(0)
    assert done.returncode != INTERRUPTED, words
    assert "Traceback" not in done.stderr, done.stderr
    assert "this is a bug" not in done.stderr, done.stderr
    return done


def _too_late(*_: object) -> None:
    raise KeyboardInterrupt


def state_of(vault: Victim) -> Path:
    """Return the folder of the vault's local state."""
    vault.ok("tag", vault.plain, "+state")
    return max((vault.vault / ".git/memstore").iterdir(), key=lambda place: place.stat().st_mtime_ns)


def untouched(outside: Path) -> bool:
    """Whether nothing was written beside the vault."""
    return [*outside.parent.iterdir()] == [outside] and outside.read_text().endswith("\nPrecious.\n")


# -- links -------------------------------------------------------------------------------------------


def test_a_linked_memory_is_not_written_through(vault: Victim, outside: Path) -> None:
    (vault.vault / "linked.md").symlink_to(outside)
    for words in (
        ("tag", "linked.md", "+x"),
        ("edit", "m_precious000", "Gone."),
        ("mv", "linked.md", "b.md"),
        ("undo",),
    ):
        ends(vault, *words)
        assert untouched(outside), words


def test_a_linked_folder_is_not_written_into(vault: Victim, outside: Path) -> None:
    (vault.vault / "raw").symlink_to(outside.parent)
    (vault.vault / "moved").symlink_to(outside.parent)
    for words in (("raw", "New."), ("mv", vault.plain, "moved/x.md"), ("add", "New.", "-t", "raw")):
        ends(vault, *words)
        assert untouched(outside), words


def test_a_memory_that_becomes_a_link_is_not_written_through(vault: Victim, outside: Path) -> None:
    place = vault.vault / vault.plain
    ref = vault.id_of(vault.plain)
    place.unlink()
    place.symlink_to(outside)
    for words in (
        ("tag", ref, "+x"),
        ("set", vault.plain, "title=x"),
        ("check", "--fix"),
        ("check", "fmt"),
        ("adopt", "--all"),
    ):
        ends(vault, *words)
        assert untouched(outside), words


def test_a_hard_link_is_let_go(vault: Victim, outside: Path) -> None:
    other = outside.with_name("hard.md")
    os.link(vault.vault / vault.plain, other)
    before = other.read_text()
    vault.ok("tag", vault.plain, "+x")
    assert other.read_text() == before


@pytest.mark.parametrize(
    "path", [".memstore/config.toml", ".memstore/allowed_signers", "entities/dog/bella.md", "groups/a.yaml"]
)
def test_a_linked_file_of_the_vaults_own_is_not_written_through(path: str, vault: Victim, outside: Path) -> None:
    place = vault.vault / path
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(outside)
    for words in (
        ("config", "filenames", "id"),
        ("privacy", "entity", "alias", "dog:bella", "B"),
        ("privacy", "entity", "add", "dog:bella"),
        ("privacy", "group", "add", "group:a", "si:ash"),
        ("trust", "keys", "revoke", "si:ash"),
    ):
        ends(vault, *words)
        assert untouched(outside), words


def test_local_state_that_is_linked_away_harms_nothing(vault: Victim, outside: Path) -> None:
    folder = state_of(vault)
    for name in ("write.lock", BEGUN_OPERATION, *(place.name for place in folder.glob("last-operation*"))):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(outside)
    for words in (("tag", vault.plain, "+x"), ("undo",), ("list",), ("context", "enter", "ctx:x"), ("doctor", "--fix")):
        ends(vault, *words)
        assert outside.read_text().endswith("\nPrecious.\n"), words


# -- a journal that somebody else wrote ---------------------------------------------------------------


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    "path",
    ["../outside/precious.md", "../outside/new.md", ".git/hooks/pre-push", ".git/config", "notes/../.git/config"],
)
@pytest.mark.parametrize("kind", [BEGUN_OPERATION, "last-operation.json"])
def test_a_forged_journal_takes_nothing_back_that_is_no_file_of_the_vault(
    kind: str, path: str, vault: Victim, outside: Path
) -> None:
    folder = state_of(vault)
    for place in folder.glob("*.json"):
        place.unlink()
    target = vault.vault / path
    now = target.read_bytes() if target.exists() else None
    files = [[path.encode().hex(), _in(b"#!/bin/sh\necho owned\n"), _in(now)]]
    said = {"version": 1, "verb": "add", "at": "2026-01-01T00:00:00Z", "by": "human:sean", "mark": "0", "files": files}
    (folder / kind).write_text(json.dumps(said))
    for words in (("list",), ("undo",), ("tag", vault.plain, "+y")):
        ends(vault, *words)
        assert (target.read_bytes() if target.exists() else None) == now, words


def _in(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def test_the_forged_journal_is_one_that_counts(vault: Victim) -> None:
    folder = state_of(vault)
    for place in folder.glob("*.json"):
        place.unlink()
    now = (vault.vault / vault.plain).read_bytes()
    files = [[vault.plain.encode().hex(), _in(now + b"Before.\n"), _in(now)]]
    said = {"version": 1, "verb": "add", "at": "2026-01-01T00:00:00Z", "by": "human:sean", "mark": "0", "files": files}
    (folder / BEGUN_OPERATION).write_text(json.dumps(said))
    ends(vault, "list")
    assert (vault.vault / vault.plain).read_bytes() == now + b"Before.\n"


# -- what is no file ----------------------------------------------------------------------------------


@pytest.mark.soak(2)
@pytest.mark.parametrize(
    "path",
    [
        "pipe.md",
        "notes/2026/pipe.md",
        ".memstore/config.toml",
        ".memstoreignore",
        ".memstore/allowed_signers",
        "entities/human/pipe.md",
        "groups/pipe.yaml",
        "consents/2026/con_pipe.md",
        "audit/human/sean/2026/pipe.json",
        ".gitattributes",
        ".git/memstore",
    ],
)
def test_nobody_waits_at_a_pipe(path: str, vault: Victim) -> None:
    place = vault.vault / path
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    for words in (("list",), ("check",), ("add", "More."), ("privacy", "log", "verify"), ("status",)):
        ends(vault, *words)


def test_nobody_waits_at_a_pipe_in_local_state(vault: Victim) -> None:
    folder = state_of(vault)
    for name in ("write.lock", BEGUN_OPERATION, "last-operation.json"):
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)
    for words in (("list",), ("add", "More."), ("undo",), ("status",)):
        ends(vault, *words)


def test_an_index_of_links_and_garbage_is_built_anew(vault: Victim, outside: Path) -> None:
    vault.ok("search", "walks")
    files = [place for place in (vault.home / "cache" / "memstore").rglob("*") if place.is_file()]
    for number, place in enumerate(files):
        place.unlink()
        if number % 2:
            place.symlink_to(outside)
        else:
            place.write_bytes(b"\xff" * 4096)
    done = ends(vault, "search", "walks")
    assert vault.plain in done.stdout
    assert untouched(outside)


@pytest.mark.soak(2)
@pytest.mark.parametrize(
    "words", [("add", "-F", "/dev/zero"), ("search", "--queries", "/dev/zero"), ("import", "seeds", "/dev/zero")]
)
def test_an_endless_file_is_refused(words: tuple[str, ...], vault: Victim) -> None:
    assert ends(vault, *words).returncode not in (0, 1)


def test_a_file_of_gigabytes_is_not_read(vault: Victim) -> None:
    with (vault.vault / "huge.md").open("wb") as file:
        file.truncate(5 * 2**30)
    assert "huge.md" in ends(vault, "check").stdout
    assert ends(vault, "list").returncode == 0


# -- names --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "to",
    [
        "../x.md",
        "/x.md",
        ".git/x.md",
        ".memstore/x.md",
        "entities/human/x.md",
        "audit/x.md",
        "a/../../x.md",
        ".x.md",
        "x",
    ],
)
def test_no_memory_is_moved_where_none_can_lie(to: str, vault: Victim) -> None:
    done = ends(vault, "mv", vault.plain, to)
    moved = [path for path in vault.seen_by("human:sean") if path not in (vault.plain, vault.told, vault.shown)]
    assert (vault.vault / vault.plain).exists() or moved, done
    assert all((vault.vault / path).resolve().is_relative_to(vault.vault) for path in moved)
    assert not (vault.home / "x.md").exists()


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    "title", ["../../up", "a/b/c", "..", ".", "\x1b[2J", "con", "x" * 5000, "-rf", "é" * 300, "a\tb", "$(touch x)"]
)
def test_a_title_names_a_file_of_the_vault(title: str, vault: Victim) -> None:
    done = ends(vault, "add", "Text.", "--title", title)
    if done.returncode == 0:
        new = vault.seen_by("human:sean") - {vault.plain, vault.told, vault.shown}
        assert [path.startswith("notes/") and path.count("/") == 2 for path in new] == [True]


@pytest.mark.parametrize(
    "memory_id", ["../x", "m_../../x", "m_x\ny", "", "m_" + "x" * 5000, "-x", "m_x/y", "human:sean"]
)
def test_an_id_is_no_path(memory_id: str, vault: Victim) -> None:
    ends(vault, "config", "filenames", "id")
    ends(vault, "add", "Text.", "--id", memory_id)
    assert all(path.startswith("notes/") for path in vault.seen_by("human:sean"))
    assert {place.name for place in vault.home.iterdir()} <= {"cache", "config", "state", "vault", "gitconfig", "data"}


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    "name", ["-rf.md", "--output=x.md", "a\nb.md", "\x1b[2J.md", "%s%n.md", "a b'\"$(id).md", ":(top)x.md"]
)
def test_any_name_of_a_file_is_only_a_name(name: str, vault: Victim) -> None:
    place = vault.vault / name
    place.write_text("---\ntype: note\nid: m_oddname000\n---\nOdd.\n")
    ends(vault, "commit", "-m", "odd")
    assert "Odd." in vault.git("show", f"HEAD:./{name}")
    place.write_text(place.read_text() + "More.\n")
    for words in (("diff",), ("log", "m_oddname000"), ("tag", "m_oddname000", "+x"), ("blame", "m_oddname000")):
        done = ends(vault, *words)
        assert done.returncode == 0, done
        assert "\x1b[2J" not in done.stdout


@pytest.mark.parametrize(
    "revision", ["--output=pwned", "--exec=touch pwned", "-O../pwned", "HEAD --output=pwned", "@{u}"]
)
def test_a_revision_is_no_option_of_gits(revision: str, vault: Victim) -> None:
    for words in (
        ("show", vault.plain, f"--at={revision}"),
        ("check", f"--against={revision}"),
        ("diff", vault.plain, revision),
        ("privacy", "diff", "--", revision),
        ("review", f"--against={revision}"),
    ):
        assert ends(vault, *words).returncode != 0, words
    assert not [place for place in (*vault.vault.iterdir(), *vault.home.iterdir()) if place.name.endswith("pwned")]


# -- rights -------------------------------------------------------------------------------------------


def test_what_was_private_stays_private(vault: Victim) -> None:
    place = vault.vault / vault.plain
    place.chmod(0o600)
    vault.ok("tag", vault.plain, "+x")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    vault.ok("mv", vault.plain, "moved/here.md")
    assert stat.S_IMODE((vault.vault / "moved/here.md").stat().st_mode) == 0o600


def test_local_state_is_its_owners_alone(vault: Victim) -> None:
    folder = state_of(vault)
    assert stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0
    cache = vault.home / "cache" / "memstore"
    assert all(stat.S_IMODE(place.stat().st_mode) & 0o077 == 0 for place in cache.iterdir())


def test_another_index_of_gits_is_left_alone(vault: Victim) -> None:
    other = vault.home / "index"
    other.write_bytes((vault.vault / ".git/index").read_bytes())
    before = other.read_bytes()
    (vault.vault / vault.plain).write_text(vault.text(vault.plain) + "More.\n")
    vault.ok("commit", "-m", "more", GIT_INDEX_FILE=str(other))
    assert other.read_bytes() == before
    assert vault.git("status", "--porcelain") == ""
