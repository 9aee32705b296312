from __future__ import annotations

import pytest

from memstore.core.places import is_memory_path, is_own_path, summary_of


@pytest.mark.parametrize(
    "path", [".memstoreignore", ".gitattributes", ".memstore/config.toml", "entities/human/sean.md", "audit/2026.jsonl"]
)
def test_files_of_the_vault_itself(path: str) -> None:
    assert is_own_path(path)
    assert not is_memory_path(path, mixed=False)


@pytest.mark.parametrize(
    "path",
    ["a.md", ".gitignore", "x/.gitattributes", "notes/entities/a.md", "entities/.tmp.md", ".memstore/.tmp", "audit"],
)
def test_files_that_are_not_the_vaults_own(path: str) -> None:
    assert not is_own_path(path)


def test_a_message_names_settings_and_counts_the_rest() -> None:
    assert summary_of(
        ["entities/human/sean.md", ".memstore/config.toml", "entities/dog/bella.md", "consents/c.md"]
    ) == (".memstore/config.toml, 1 in consents, 2 in entities")
