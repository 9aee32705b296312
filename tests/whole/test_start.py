"""What a command loads decides how long it takes: no rules that nobody asks, nothing that writes."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

WRITERS = {
    "memstore.access.audit", "memstore.core.change", "memstore.core.transaction", "memstore.files.draft",
    "memstore.files.layout", "memstore.files.render", "memstore.files.splice", "memstore.vault.transaction",
}  # fmt: skip
ACCESS = {"memstore.access.consent", "memstore.access.policy", "memstore.access.world", "memstore.vault.registries"}
COMPARING = {"memstore.beliefs.consolidation", "memstore.conflicts.contradiction", "memstore.conflicts.statements"}
READERS = {"memstore.files.memory_file", "memstore.files.strict_yaml", "memstore.vault.mounts"}
FOREIGN = {"git", "ruamel", "whoosh.index", "whoosh.qparser", "wn", "yaml", "subprocess", "numpy", "onnxruntime"}


@pytest.fixture
def vault(tmp_path: Path) -> Program:
    program = Program(tmp_path)
    program.vault.mkdir()
    program.ok("init", ".", "--owner", "human:ann")
    program.ok("add", "Bella eats at eight in the morning.", "--tag", "dog")
    program.ok("add", "Bella walks at nine in the morning.", "--tag", "dog")
    program.ok("add", "The gate of the garden squeaks.")
    program.ok("index", "rebuild")
    return program


@pytest.mark.parametrize(
    ("words", "spared"),
    [
        (["search", "Bella in the morning"], WRITERS | ACCESS | COMPARING | READERS),
        (["list", "--type", "note"], WRITERS | ACCESS | COMPARING),
        (["show", "--help"], WRITERS | ACCESS | COMPARING | READERS),
    ],
)
def test_the_second_time_a_command_loads_what_it_needs(vault: Program, words: list[str], spared: set[str]) -> None:
    code = f"import sys; from memstore.cli.main import main; main({words!r}); print('LOADED', *sorted(sys.modules))"
    for _ in range(2):
        command = [sys.executable, "-c", code]
        done = subprocess.run(
            command, cwd=vault.vault, env=vault.environment, capture_output=True, text=True, check=True
        )
    loaded = {*done.stdout.rpartition("LOADED ")[2].split()}
    assert loaded & (spared | FOREIGN) == set()
