from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from memstore.files.local_state import Environment
from memstore.vault import composition
from memstore.vault.doctor import Check, Diagnosis, DoctorVerdict, doctor
from memstore.vault.init import Initialised, init
from memstore.vault.surroundings import Machine
from tests.installed import MEMSTORE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def _made(root: Path) -> Initialised:
    env = Environment.of_process()
    return init(
        composition.place(env, root),
        owner="human:sean",
        default_owner="human:x",
        open_vault=lambda: composition.open_workspace(env, vault=str(root)).view(),
    )


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return _made(tmp_path / "vault").root


def _around(vault: Path) -> Machine:
    return composition.surroundings(Environment.of_process(), str(vault))


def _examine(vault: Path, *, fix: bool = False, entity: str | None = None) -> Diagnosis:
    env = Environment.of_process()
    return doctor(
        _around(vault), lambda: composition.open_workspace(env, vault=str(vault), entity=entity).view(), fix=fix
    )


def _check(diagnosis: Diagnosis, name: str) -> Check:
    return next(check for check in diagnosis.checks if check.name == name)


def test_a_new_vault_is_well(vault: Path) -> None:
    diagnosis = _examine(vault)
    assert diagnosis.is_well
    assert {check.verdict for check in diagnosis.checks} == {DoctorVerdict.OK}


def test_own_files_that_no_commit_has(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path / "vault"], check=True)
    (tmp_path / "vault/.gitattributes").write_text("*.png binary\n")
    made = _made(tmp_path / "vault")
    assert made.uncommitted == (".memstore/config.toml", ".memstoreignore")  # lines of one's own go by one's own hand
    (found,) = [one for one in _examine(tmp_path / "vault").checks if one.verdict is DoctorVerdict.WARNING]
    assert (found.name, "no commit has .memstore/config.toml" in found.text) == ("own files", True)
    subprocess.run(["git", "add", ".memstore", ".memstoreignore"], cwd=tmp_path / "vault", check=True)
    assert _examine(tmp_path / "vault").is_well  # what is staged is about to be committed
    assert "own files" not in {one.name for one in _examine(tmp_path / "vault").checks}


def test_remotes_whose_readers_nobody_declared(vault: Path) -> None:
    for name, url in (("origin", "https://me:secret@example.org/x.git"), ("club", "../club.git")):
        subprocess.run(["git", "remote", "add", name, url], cwd=vault, check=True)
    settings = vault / ".memstore/config.toml"
    settings.write_text(settings.read_text() + '[remotes]\n"https://example.org/x.git" = ["human:bob"]\n')
    found = _examine(vault)
    assert _check(found, "remote origin") == Check("remote origin", DoctorVerdict.OK, "read by human:bob")
    assert _check(found, "remote club").verdict is DoctorVerdict.WARNING
    hint = _check(found, "remote club").hint or ""
    assert hint.startswith("memstore config remotes.club owner, if only the owner does")
    subprocess.run([*hint.partition(",")[0].replace("memstore", str(MEMSTORE), 1).split()], cwd=vault, check=True)
    assert _check(_examine(vault), "remote club").text == "read by owner"
    subprocess.run(["git", "remote", "set-url", "--add", "--push", "origin", "../second"], cwd=vault, check=True)
    assert _check(_examine(vault), "remote origin").verdict is DoctorVerdict.WARNING  # one of two URLs is declared
    assert not [one for one in _examine(vault, entity="human:eve").checks if one.name.startswith("remote ")]


def test_a_vault_from_before_there_was_a_merge_driver_is_mended(vault: Path) -> None:
    attributes = vault / ".gitattributes"
    attributes.write_text("*.png binary\n*.md diff=memstore -text\n*.csv text\n")
    subprocess.run(["git", "config", "--unset", "merge.memstore.driver"], cwd=vault, check=True)
    found = _examine(vault)
    assert _check(found, "attributes").text == ".gitattributes lacks merge=memstore"
    assert _check(found, "hook merge-driver").hint == "memstore hooks install"
    mended = _examine(vault, fix=True)
    assert {_check(mended, name).verdict for name in ("attributes", "hook merge-driver")} == {DoctorVerdict.FIXED}
    assert attributes.read_text() == "*.png binary\n*.md merge=memstore diff=memstore -text\n*.csv text\n"
    assert _examine(vault).is_well


def test_line_ends_of_other_programs_notes_are_gits_business(vault: Path) -> None:
    settings = vault / ".memstore/config.toml"
    settings.write_text(settings.read_text().replace('notes = "own"', 'notes = "mixed"'))
    (vault / ".gitattributes").write_text("*.md diff=memstore\n")
    assert _check(_examine(vault, fix=True), "attributes").verdict is DoctorVerdict.FIXED
    assert (vault / ".gitattributes").read_text() == "*.md merge=memstore diff=memstore\n"


@pytest.mark.parametrize(
    ("program", "told"),
    [
        (
            "memstore.__main__:main",
            "memstore 9.1 is also installed, and is another project: this one is memstore-vault",
        ),
        ("memstore.cli.main:run", None),  # what this one was called before
    ],
)
def test_another_project_of_the_name_is_told_of(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, told: str | None
) -> None:
    folder = tmp_path / "site" / "memstore-9.1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: memstore\nVersion: 9.1\n")
    (folder / "entry_points.txt").write_text(f"[console_scripts]\nmemstore = {program}\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    diagnosis = _examine(vault)
    assert [check.text for check in diagnosis.checks if check.name == "distribution"] == ([told] if told else [])
    assert diagnosis.is_well


def test_no_vault_is_an_error_with_a_hint(tmp_path: Path) -> None:
    diagnosis = _examine(tmp_path)
    assert not diagnosis.is_well
    assert _check(diagnosis, "vault").hint


def test_settings_that_can_not_be_read_are_an_error_and_no_guess_is_made(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    file = Environment.of_process().config_file
    assert _check(_examine(vault), "settings").text == "no user settings"
    file.parent.mkdir(parents=True)
    file.write_text('entity = "si:ash"\n')
    assert _check(_examine(vault), "settings").text == str(file)
    file.write_text(f'embedder = "{tmp_path}"\nsigning_key = "~/none"\n')
    check = _check(_examine(vault), "settings")
    assert (check.verdict, check.text) == (
        DoctorVerdict.WARNING,
        f"{file}: signing_key is ~/none, which does not exist",
    )
    file.write_text('[signing_keys]\n"si:ash" = "~/none"\n')
    assert _check(_examine(vault), "settings").text == f"{file}: signing_keys.si:ash is ~/none, which does not exist"
    file.write_text('entity = "si:ash"\nvault = ~/notes\n')
    last = _examine(vault).checks[-1]
    assert (last.name, last.verdict, last.hint) == (
        "settings",
        DoctorVerdict.ERROR,
        'it should probably read: vault = "~/notes"',
    )
    assert f"{file}:2:9" in last.text


def test_no_repository_is_an_error(vault: Path) -> None:
    shutil.rmtree(vault / ".git")
    assert _check(_examine(vault), "repository").verdict is DoctorVerdict.ERROR


def test_what_needs_no_judgement_is_mended_once(vault: Path) -> None:
    (vault / ".git/hooks/pre-commit").unlink()
    (vault / ".gitattributes").unlink()
    leftover = vault / ".memstore-tmp-123"
    leftover.write_text("half a mem")
    os.utime(leftover, (0, 0))
    cache = _around(vault).cache
    assert cache is not None
    cache.mkdir(parents=True, exist_ok=True)
    cache.chmod(0o777)
    names = {"hook pre-commit", "attributes", "leftovers", "cache"}

    def verdicts(*, fix: bool) -> set[DoctorVerdict]:
        diagnosis = _examine(vault, fix=fix)
        assert diagnosis.is_well
        return {check.verdict for check in diagnosis.checks if check.name in names}

    assert verdicts(fix=False) == {DoctorVerdict.WARNING}
    assert leftover.exists()
    assert verdicts(fix=True) == {DoctorVerdict.FIXED}
    assert not leftover.exists()
    assert verdicts(fix=True) == {DoctorVerdict.OK}


def test_another_programs_hook_is_left_alone(vault: Path) -> None:
    hook = vault / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\n")
    check = _check(_examine(vault, fix=True), "hook pre-commit")
    assert check.verdict is DoctorVerdict.WARNING
    assert "memstore hooks run" in str(check.hint)
    assert hook.read_text() == "#!/bin/sh\n"


def test_a_union_merge_is_an_error(vault: Path) -> None:
    (vault / ".gitattributes").write_text("*.md merge=union diff=memstore -text\n")
    assert _check(_examine(vault), "attributes").verdict is DoctorVerdict.ERROR


def test_files_from_the_future_and_unreadable_ones_are_named(vault: Path) -> None:
    (vault / "late.md").write_text("---\ntype: note\n---\n\nx\n")
    os.utime(vault / "late.md", (4_000_000_000, 4_000_000_000))
    (vault / "broken.md").write_text("---\ntype: note\n")
    diagnosis = _examine(vault)
    assert "late.md" in _check(diagnosis, "clock").text
    assert "1 file left out" in _check(diagnosis, "index").text
    stranger = _examine(vault, entity="human:stranger")
    assert not any("late.md" in check.text for check in stranger.checks)
    assert _check(stranger, "index").text == "0 memories"


def test_git_must_know_who_commits(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    (vault / ".git/config").write_text("[core]\n\trepositoryformatversion = 0\n[user]\n\tuseConfigOnly = true\n")
    check = _check(_examine(vault), "identity")
    assert check.verdict is DoctorVerdict.WARNING
    assert "git config" in str(check.hint)


class _OldMachine(Machine):
    """A machine on which everything is too old."""

    def __init__(self, git: tuple[int, ...] | None) -> None:
        super().__init__(Environment.of_process(), None)
        self._git = git

    @property
    def python(self) -> tuple[int, int, int]:
        return (3, 10, 1)

    def other_memstore(self) -> None:
        return None

    def git(self) -> tuple[int, ...] | None:
        return self._git

    def settings(self) -> None:
        return None

    def settings_astray(self) -> dict[str, str]:
        return {}

    def cache_is_private(self) -> bool:
        return True

    def make_cache_private(self) -> bool:
        return True

    def left_behind(self) -> list[str]:
        return []

    def remove(self, path: str) -> None:
        raise AssertionError(path)

    def attributes(self) -> str:
        return ""

    def add_attribute(self, line: str, *, instead_of: Sequence[str] = ()) -> None:
        raise AssertionError(line, instead_of)


@pytest.mark.parametrize("git", [None, (2, 20, 1)])
def test_what_is_too_old_is_an_error(vault: Path, git: tuple[int, ...] | None) -> None:
    env = Environment.of_process()
    diagnosis = doctor(_OldMachine(git), lambda: composition.open_workspace(env, vault=str(vault)).view(), fix=False)
    assert _check(diagnosis, "python").verdict is DoctorVerdict.ERROR
    assert _check(diagnosis, "git").verdict is DoctorVerdict.ERROR
    assert not diagnosis.is_well
