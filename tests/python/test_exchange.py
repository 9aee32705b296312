"""Import, export, quarantine and the page, for a Python program."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import memstore
from tests.python.conftest import OWNER

if TYPE_CHECKING:
    from pathlib import Path

    from memstore import Vault


def test_what_is_exported_is_the_same_in_another_vault(vault: Vault, home: Path) -> None:
    note = vault.add("Bella eats at eight.", tags=["dog"])
    vault.add("Sean likes tea.", type="belief", derived_from=[note])
    lines = "".join(json.dumps(one) + "\n" for one in vault.exchange.records())
    (home / "memories.jsonl").write_text(lines)
    (home / "other" / ".memstore").mkdir(parents=True)
    (home / "other" / ".memstore" / "config.toml").write_text(f'owner = "{OWNER}"\n')
    with memstore.open_vault(home / "other", entity=OWNER) as other:
        assert len(other.exchange.import_records(home / "memories.jsonl", dry_run=True).saved) == 2
        assert len(other.list()) == 0
        assert len(other.exchange.import_records(home / "memories.jsonl").saved) == 2
        assert not other.exchange.import_records(home / "memories.jsonl").saved
        assert other.get(note).body == vault.get(note).body
        assert sorted(other.exchange.prov()) == sorted(vault.exchange.prov())
    assert [one["path"] for one in vault.exchange.records(note)] == [
        path for path, _ in vault.exchange.markdown([note])
    ]
    assert "index.md" in dict(vault.exchange.okf())


def test_an_empty_list_of_names_is_not_everything(vault: Vault) -> None:
    vault.add("Bella eats at eight.")
    for export in (vault.exchange.records, vault.exchange.markdown, vault.exchange.okf):
        with pytest.raises(memstore.UsageError, match="no memories to export were named"):
            list(export([]))
    with pytest.raises(memstore.UsageError, match="no memories to export were named"):
        vault.exchange.prov([])


def test_memories_of_other_programs_are_imported_once(vault: Vault, home: Path) -> None:
    (home / "mem0.json").write_text('{"results": [{"id": "1", "memory": "Sean likes tea."}]}')
    with pytest.raises(memstore.UsageError, match="no format `mem9`"):
        vault.exchange.import_from("mem9", home / "mem0.json")
    with pytest.raises(TypeError, match="dryrun"):
        vault.exchange.import_from("mem0", home / "mem0.json", dryrun=True)  # type: ignore[call-arg]
    [saved] = vault.exchange.import_from("mem0", str(home / "mem0.json")).saved
    assert vault.get(saved).body.strip() == "Sean likes tea."
    assert not vault.exchange.import_from("mem0", home / "mem0.json").saved


def test_what_somebody_may_not_see_is_not_exported(vault: Vault, home: Path) -> None:
    vault.add("Sean likes tea.", access_grants=["human:claire"])
    vault.add("A secret.")
    with memstore.open_vault(home / "notes", entity="human:claire") as hers:
        assert [one["body"].strip() for one in hers.exchange.records()] == ["Sean likes tea."]
        assert b"secret" not in hers.report()
        with pytest.raises(memstore.RefusedError):
            hers.exchange.import_from("mem0", home / "none.json")
    assert b"A secret." in vault.report()


def test_quarantine_is_lifted_again(vault: Vault) -> None:
    page = vault.add("Tea cures all.", source_type="external", source="https://tea.example")
    copied = vault.add("Tea is a cure.", derived_from=[page])
    assert len(vault.beliefs.quarantine("https://tea.example", dry_run=True).taken) == 2
    assert vault.get(copied).status == "active"
    vault.beliefs.quarantine(page, reason="made up")
    assert vault.get(copied).status == "quarantined"
    vault.beliefs.lift(page)
    assert vault.get(copied).status == "active"
