"""An author's reputation, from what was decided about real signatures, as the one who looks may see it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from memstore.core.config import Config
from memstore.memories.show import show_memory
from memstore.trust.score import TrustProfile
from memstore.trust.sign import sign
from memstore.trust.trust import trust_of
from tests.attested_vault import (
    BABEL,
    CLAIRE,
    MEMORY,
    PATH,
    PITH,
    babels_vault,
    edit,
    make_keys,
    resolved,
    witnessed,
)  # fmt: skip
from tests.memory_workspace import files_of

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.files.vault import VaultFiles
    from memstore.search.library import Library
    from memstore.vault.workspace import Workspace

CORRECTION = (
    MEMORY.replace("m_1snad0000x", "m_c0rrect000")
    .replace("type: insight", "type: correction\nsupersedes: [insight:m_1snad0000x]")
    .replace("isn't", "is")
)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture
def vault(keys: Path) -> Workspace:
    """Return the vault with two signed memories, the first of which Pith disputes."""
    ws = babels_vault(keys)
    for path in (PATH, "other.md"):
        sign(ws.view(), path, key=str(keys / "babel"))
    witnessed(ws, keys, PITH, "dispute")
    return ws


def reputation(ws: Workspace, path: str = "other.md") -> float:
    return trust_of(ws.view(), path).reputation.value


def corrected(ws: Workspace, keys: Path, who: str = BABEL) -> None:
    ws.vault.create("correction.md", CORRECTION.replace("si:babel", who).encode())
    key = str(keys / who.partition(":")[2])
    sign(ws._replace(actor=who, config=Config(owner=who)).view(), "correction.md", key=key)


def test_a_new_author_has_a_half(vault: Workspace) -> None:
    found = trust_of(vault.view(), "other.md")
    assert (found.reputation.value, found.reputation.outcomes) == (0.5, ())
    assert found.trust.score == 0.3


@pytest.mark.parametrize(("outcome", "value", "score"), [("upheld", 2 / 3, 0.333), ("overturned", 1 / 3, 0.267)])
def test_a_resolved_dispute_moves_it_everywhere(
    vault: Workspace, keys: Path, outcome: str, value: float, score: float
) -> None:
    resolved(vault, keys, CLAIRE, outcome)
    found = trust_of(vault.view(), "other.md")
    assert (found.reputation.value, found.trust.score) == (value, score)
    (one,) = found.reputation.outcomes
    assert (one.ref, one.said, one.by) == ("insight:m_1snad0000x", "author", CLAIRE)
    assert show_memory(vault.view(), "other.md").trust == found.trust
    edit(vault, f"outcome: {outcome}", "outcome: partial")  # no longer what was signed
    assert reputation(vault) == 0.5


def test_whoever_took_a_side_decides_nothing(vault: Workspace, keys: Path) -> None:
    resolved(vault, keys, PITH, "overturned")
    assert reputation(vault) == 0.5
    witnessed(vault, keys, CLAIRE, "confirm")
    resolved(vault, keys, CLAIRE, "upheld")
    assert reputation(vault) == 0.5


def test_what_somebody_witnessed_counts_like_what_they_wrote(vault: Workspace, keys: Path) -> None:
    resolved(vault, keys, CLAIRE, "overturned")
    edit(vault, "author: si:babel", "author: si:pith", "other.md")
    (one,) = trust_of(vault.view(), "other.md").reputation.outcomes
    assert (one.said, one.was_right) == ("dispute", True)


def test_an_authors_own_correction_counts_and_nobody_elses(vault: Workspace, keys: Path) -> None:
    corrected(vault, keys, PITH)
    assert reputation(vault) == 0.5
    del files_of(vault)["correction.md"]
    vault = babels_vault(keys)
    for path in (PATH, "other.md"):
        sign(vault.view(), path, key=str(keys / "babel"))
    vault.vault.create("correction.md", CORRECTION.encode())
    assert reputation(vault) == 0.5  # nobody signed it
    sign(vault.view(), "correction.md", key=str(keys / "babel"))
    assert reputation(vault) == 1 / 3
    assert trust_of(vault.view(), "other.md").reputation.outcomes[0].by == "correction:m_c0rrect000"


def test_a_reputation_in_a_file_is_ignored(vault: Workspace) -> None:
    edit(vault, "confidence: 0.9", "confidence: 0.9\nauthor_reputation: 1.0\nreputation: 1.0", "other.md")
    assert reputation(vault) == 0.5


def test_it_does_not_depend_on_what_the_viewer_may_not_see(vault: Workspace, keys: Path) -> None:
    resolved(vault, keys, CLAIRE, "overturned")
    edit(vault, "confidence: 0.9", "confidence: 0.9\naccess_grants: [human:claire]", "other.md")
    claire = vault._replace(actor=CLAIRE)
    assert reputation(vault) == 1 / 3
    assert reputation(claire) == 0.5
    assert show_memory(claire.view(), "m_0ther0000x").trust.score == 0.3
    edit(vault, "confidence: 0.9", "confidence: 0.9\naccess_grants: [human:claire]")
    assert reputation(claire) == 1 / 3


def test_only_files_that_something_was_decided_about_are_read(vault: Workspace, keys: Path) -> None:
    for i in range(20):
        vault.vault.create(f"more-{i}.md", MEMORY.replace("m_1snad0000x", f"m_m0re{i:05}x").encode())
    resolved(vault, keys, CLAIRE, "upheld")
    snapshot = vault.library.snapshot()
    read: list[str] = []

    def noted(path: str) -> bytes:
        read.append(path)
        return vault.vault.read(path)

    ws = vault._replace(
        library=cast("Library", SimpleNamespace(snapshot=lambda: snapshot)),
        vault=cast(
            "VaultFiles", SimpleNamespace(root=vault.vault.root, read=noted, registry_files=vault.vault.registry_files)
        ),
    )
    assert reputation(ws) == 2 / 3
    assert {path for path in read if path.endswith(".md")} == {PATH, "other.md"}


# -- beta-1 --------------------------------------------------------------------------------------


def weights(ws: Workspace, path: str = PATH) -> dict[str, float]:
    found = trust_of(ws.view(), path, profile=TrustProfile.BETA).beta
    assert found is not None
    return {voice.entity: round(voice.worth.weight, 3) for voice in found.voices}


def sponsored(ws: Workspace, entity: str, by: str) -> None:
    path = f"entities/{entity.replace(':', '/')}.md"
    ws.vault.create(path, f"---\ntype: entity\nid: {entity}\nsponsor: {by}\n---\n".encode())


def test_a_new_witness_weighs_nothing_until_somebody_sponsors_them(vault: Workspace) -> None:
    assert weights(vault) == {BABEL: 0.429, PITH: 0.0}  # the owner of the vault needs no sponsor
    before = trust_of(vault.view(), PATH, profile=TrustProfile.BETA).trust
    assert not before.contested
    sponsored(vault, PITH, CLAIRE)
    assert weights(vault)[PITH] == 0.0  # nobody sponsors Claire
    sponsored(vault, CLAIRE, BABEL)
    assert weights(vault)[PITH] == 0.429
    after = trust_of(vault.view(), PATH, profile=TrustProfile.BETA).trust
    assert after.contested
    assert after.score < before.score
    assert after.level is trust_of(vault.view(), PATH).trust.level


def test_what_was_decided_gives_a_witness_weight(vault: Workspace, keys: Path) -> None:
    resolved(vault, keys, CLAIRE, "overturned")
    assert weights(vault)[PITH] == round(1 / 3, 3)
    found = trust_of(vault.view(), PATH, profile=TrustProfile.BETA)
    assert found.integrity == "valid"
    assert found.trust.terms[0].because.startswith("si:babel: sponsored by si:babel, 4.0 right, 2.0 wrong")


def test_an_unsigned_dispute_has_no_voice(vault: Workspace) -> None:
    sponsored(vault, CLAIRE, BABEL)
    before = trust_of(vault.view(), PATH, profile=TrustProfile.BETA).trust
    entry = '  - {agent_id: "human:claire", attestation: dispute, witnessed_at: "2026-03-01T00:00:00Z"}'
    edit(vault, "witnesses:", f"witnesses:\n{entry}")
    assert trust_of(vault.view(), PATH, profile=TrustProfile.BETA).trust == before
