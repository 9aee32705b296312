"""Who gained or lost sight of what between two states, each judged by its own registries and owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.access.privacy import grant_access
from memstore.access.report import sight_diff
from tests.git_repositories import OWNER, memory, vault_in

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.vault.workspace import Workspace


def _gains(ws: Workspace, old: str) -> dict[str, tuple[list[str], list[str]]]:
    changes = sight_diff(ws.view(), old)
    return {one.path: ([seer.entity for seer in one.gained], [seer.entity for seer in one.lost]) for one in changes}


def test_everybody_an_unknown_entity_and_a_new_owner_gain_sight(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    vault.write("tea.md", memory("m_tea", "Tea.\n"))
    vault.write("milk.md", memory("m_milk", "Milk.\n"))
    vault.commit("first", "2026-01-01T00:00:00Z")
    ws = vault.open()
    grant_access(ws.view(), "m_tea", ["*"], [])
    grant_access(ws.view(), "m_milk", ["human:nobody_knows"], [])
    assert _gains(ws, "HEAD") == {"milk.md": (["human:nobody_knows"], []), "tea.md": (["*"], [])}
    vault.commit("granted", "2026-01-02T00:00:00Z")
    config = vault.root / ".memstore/config.toml"
    config.write_text(config.read_text().replace(ws.config.owner, "human:heir"))
    heir = vault.open("human:heir")._replace(config=ws.config._replace(owner="human:heir"))
    gained, lost = _gains(heir, "HEAD")["milk.md"]
    assert (gained, lost) == (["human:heir"], [OWNER])
