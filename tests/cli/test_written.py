from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.cli.session import CliSession
from memstore.cli.written import in_vault
from memstore.core.errors import UsageError
from tests.git_repositories import vault_in

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = vault_in(tmp_path / "vault").root
    (root / "notes").mkdir()
    (root / "linked").symlink_to("notes")
    return root


@pytest.mark.parametrize(
    ("folder", "typed", "meant"),
    [
        ("vault", "notes/a.md", "notes/a.md"),
        ("vault/notes", "a.md", "notes/a.md"),
        ("vault/notes", "..", "."),
        ("vault/linked", "a.md", "notes/a.md"),
        (".", "vault/notes/a.md", "notes/a.md"),
        (".", "notes/a.md", "notes/a.md"),
    ],
)
def test_a_path_is_given_from_here_or_from_the_vault(
    vault: Path, monkeypatch: pytest.MonkeyPatch, folder: str, typed: str, meant: str
) -> None:
    monkeypatch.chdir(vault.parent / folder)
    session = CliSession()
    session.choices.vault = str(vault)
    assert in_vault(session, typed) == meant
    assert in_vault(session, str(vault / meant)) == meant


def test_outside_the_vault_nothing_is_named(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(vault)
    for typed in ("../a.md", str(vault.parent / "a.md")):
        with pytest.raises(UsageError, match="outside"):
            in_vault(CliSession(), typed)
