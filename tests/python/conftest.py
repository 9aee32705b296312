"""A home of their own for tests that open vaults in this process."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

import memstore
from tests.installed import at_home
from tests.whole.program import made_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memstore import Vault

OWNER = "human:sean"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with Sean's vault `notes`, to which this process keeps."""
    for name in [name for name in os.environ if name.startswith(("MEMSTORE", "XDG", "GIT"))]:
        monkeypatch.delenv(name)
    for name, value in at_home(tmp_path).items():
        monkeypatch.setenv(name, value)
    shutil.copytree(made_for(OWNER), tmp_path / "notes", symlinks=True)
    return tmp_path


@pytest.fixture
def vault(home: Path) -> Iterator[Vault]:
    """Return Sean's vault, opened."""
    with memstore.open_vault(home / "notes", entity=OWNER) as opened:
        yield opened


@pytest.fixture
def key(home: Path) -> Path:
    """Return the file of a key of Sean's, with its public half beside it."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    made = Ed25519PrivateKey.generate()
    (home / "sean").write_bytes(made.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    (home / "sean.pub").write_bytes(made.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH) + b"\n")
    (home / "sean").chmod(0o600)
    return home / "sean"
