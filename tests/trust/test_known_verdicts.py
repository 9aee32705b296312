"""Verdicts that are kept by blob: the same answers as without, whatever changes; and what is not kept at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pytest

from memstore.memories.listing import list_memories
from memstore.search import DERIVED
from memstore.search.clauses import Filters
from memstore.trust import SIGNATURES
from memstore.trust.keyring import ALLOWED_SIGNERS, ATTEST_NAMESPACE, REVOKED_KEYS
from memstore.trust.sign import sign
from memstore.trust.verification import KnownVerdicts, Voucher
from memstore.vault.check import check
from tests.attested_vault import BABEL, PATH, PITH, babels_vault, edit, make_keys, witnessed
from tests.memory_workspace import files_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memstore.search.local_state import DerivedCache, Kept
    from memstore.trust.signatures import Signatures
    from memstore.trust.sshsig import SshSignature
    from memstore.vault.workspace import Workspace


@dataclass
class KeptInMemory:
    """A cache in a dict."""

    kept: dict[str, tuple[str, Kept]] = field(default_factory=dict)

    def last(self, name: str, state: str) -> Kept:
        known, found = self.kept.get(name, ("", {}))
        return found if known == state else {}

    def keep(self, name: str, state: str, found: Kept) -> None:
        self.kept[name] = state, dict(found)


@dataclass
class Counting:
    """Signatures that count how often they are checked."""

    signatures: Signatures
    checked: int = 0
    own_key: str | None = None

    def holds(self, signature: SshSignature, message: bytes) -> bool:
        self.checked += 1
        return self.signatures.holds(signature, message)

    def public_key(self, key: str) -> object:
        return self.signatures.public_key(key)

    def sign(self, message: bytes, *, namespace: str, key: str) -> str:
        return self.signatures.sign(message, namespace=namespace, key=key)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture
def vault(keys: Path) -> Workspace:
    ws = babels_vault(keys)
    sign(ws.view(), PATH, key=str(keys / "babel"))
    witnessed(ws, keys, PITH)
    ws = ws.having(DERIVED, cast("DerivedCache", KeptInMemory()))
    return ws.having(SIGNATURES, cast("Signatures", Counting(ws.of(SIGNATURES))))


def trusted(ws: Workspace, least: float = 0.5) -> list[str]:
    return [entry.path for entry in list_memories(ws.view(), Filters(min_trust=least)).entries]


def checked(ws: Workspace) -> int:
    return ws.of(SIGNATURES).checked  # type: ignore[attr-defined, no-any-return]


def test_what_was_verified_once_is_not_verified_again(vault: Workspace) -> None:
    assert trusted(vault) == [PATH]
    assert checked(vault) == 2
    assert trusted(vault) == [PATH]
    assert [one for one in check(vault.view()).findings if one.path == PATH] == []
    assert checked(vault) == 2


def expire(ws: Workspace) -> None:
    namespaces = f'namespaces="{ATTEST_NAMESPACE}"'
    edit(ws, f"si:babel {namespaces}", f'si:babel {namespaces},valid-before="20260201130000Z"', ALLOWED_SIGNERS)
    trusted(ws)
    for _ in range(90):
        ws.clock.now()


def revoke(ws: Workspace) -> None:
    key = files_of(ws)[ALLOWED_SIGNERS].decode().splitlines()[1].split(" ", 2)[2]
    files_of(ws)[REVOKED_KEYS] = f"{key}\n".encode()


def persona(ws: Workspace) -> None:
    files_of(ws)["entities/si/pith.md"] = b"---\ntype: entity\nid: si:pith\ncontroller: si:babel\n---\n"


@pytest.mark.parametrize(
    "change",
    [
        expire,
        revoke,
        persona,
        lambda ws: edit(ws, "isn't", "is"),
        lambda ws: edit(ws, "attestation: confirm", "attestation: dispute"),
        lambda ws: edit(ws, "si:pith namespaces", "si:else namespaces", ALLOWED_SIGNERS),
    ],
)
def test_whatever_it_depends_on_changes_the_verdict_at_once(
    vault: Workspace, change: Callable[[Workspace], None]
) -> None:
    assert trusted(vault) == [PATH]
    change(vault)
    assert trusted(vault) == []


def test_what_depends_on_more_than_the_file_is_not_kept(vault: Workspace, keys: Path) -> None:
    witnessed(vault, keys, "human:claire", notes="I saw [[insight:m_0ther0000x]]")
    assert trusted(vault) == [PATH]
    assert KnownVerdicts(vault.view(), Voucher(vault.view())).of(vault.library.snapshot().catalog.entry(0).blob) is None
    before = checked(vault)
    trusted(vault)
    assert checked(vault) > before


def test_findings_come_again(vault: Workspace) -> None:
    edit(vault, "isn't", "is")
    found = check(vault.view()).findings
    assert "attestation-stale" in [one.code for one in found]
    assert check(vault.view()).findings == found


def test_the_author_is_not_in_the_cache(vault: Workspace) -> None:
    trusted(vault)
    kept = vault.of(DERIVED).kept["attestations"][1]  # type: ignore[attr-defined]
    assert BABEL not in repr(kept)
    assert list(kept.values()) == [("1", "1", "0", "1", "0")]
