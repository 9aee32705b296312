"""A vault of Babel's, who wrote something, with real keys: for tests of who vouches for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from memstore.core.config import Config
from memstore.trust import SIGNATURES
from memstore.trust.keyring import ALLOWED_SIGNERS, ATTEST_NAMESPACE
from memstore.trust.sign import resolve, witness
from memstore.trust.signatures import SshSignatures
from memstore.trust.trust import trust_of
from tests.memory_workspace import files_of, memory_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.vault.workspace import Workspace

BABEL, PITH, CLAIRE = "si:babel", "si:pith", "human:claire"
PATH = "isnad.md"
MEMORY = """\
---
type: insight
id: m_1snad0000x
title: Memory synthesis is harder than memory storage
tags: [synthesis, memory]
created_at: "2026-01-04T16:00:00Z"
source: deep thinking
author: si:babel
platform: clawdbot
confidence: 0.9
---

The hard problem isn't where to put memories.
"""
OTHER = MEMORY.replace("m_1snad0000x", "m_0ther0000x")


def make_keys(folder: Path) -> Path:
    """Make a key for each of four, of whom one is in no keyring."""
    for name in ("babel", "pith", "claire", "mallory"):
        key = Ed25519PrivateKey.generate()
        (folder / name).write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    return folder


def keyring_of(keys: Path) -> str:
    """Return the file that says whose keys count: those of three."""
    signatures = SshSignatures(keys, agent="")
    lines = [
        f'{who} namespaces="{ATTEST_NAMESPACE}" {key.type} {key.base64}\n'
        for who, name in ((BABEL, "babel"), (PITH, "pith"), (CLAIRE, "claire"))
        for key in (signatures.public_key(str(keys / name)),)
    ]
    return "".join(lines)


def babels_vault(keys: Path) -> Workspace:
    """Return a vault of Babel's, who knows the keys of three."""
    files = {PATH: MEMORY.encode(), "other.md": OTHER.encode(), ALLOWED_SIGNERS: keyring_of(keys).encode()}
    ws = memory_workspace(files, actor=BABEL, config=Config(owner=BABEL))
    return ws.having(SIGNATURES, SshSignatures(keys, agent=""))


def text(ws: Workspace, path: str = PATH) -> str:
    return files_of(ws)[path].decode()


def put(ws: Workspace, changed: str, path: str = PATH) -> None:
    assert changed != text(ws, path)
    files_of(ws)[path] = changed.encode()


def edit(ws: Workspace, old: str, new: str, path: str = PATH) -> None:
    assert old in text(ws, path)
    put(ws, text(ws, path).replace(old, new), path)


def witnessed(ws: Workspace, keys: Path, who: str, attestation: str = "confirm", notes: str | None = None) -> None:
    # The owner of the vault lets the witness write; the key says who it was.
    name = who.partition(":")[2]
    witness(
        ws._replace(actor=who, config=Config(owner=who)).view(), PATH, attestation, key=str(keys / name), notes=notes
    )


def states(ws: Workspace, path: str = PATH) -> list[str]:
    found = trust_of(ws.view(), path).vouched
    return [found.signature.state.value, *(one.verdict.state.value for one in found.witnesses)]


def resolved(vault: Workspace, keys: Path, who: str, outcome: str = "upheld", path: str = PATH) -> None:
    key = str(keys / who.partition(":")[2])
    resolve(vault._replace(actor=who, config=Config(owner=who)).view(), path, outcome, notes="The log", key=key)
