"""What a command loads decides how long it takes: no rules that nobody asks, nothing that writes."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tests.whole.program import Program

WRITERS = {
    "memstore.access.audit", "memstore.core.change", "memstore.core.transaction", "memstore.files.draft",
    "memstore.files.layout", "memstore.files.render", "memstore.files.splice", "memstore.vault.transaction",
}  # fmt: skip
ACCESS = {"memstore.access.consent", "memstore.access.policy", "memstore.access.world", "memstore.vault.registries"}
COMPARING = {"memstore.beliefs.consolidation", "memstore.conflicts.contradiction", "memstore.conflicts.statements"}
REGISTERING = {"memstore.access.audit", "memstore.access.contexts", "memstore.access.entities", "memstore.cli.help"}
READERS = {"memstore.files.memory_file", "memstore.files.strict_yaml", "memstore.vault.mounts"}
FOREIGN = {"git", "ruamel", "whoosh.index", "whoosh.qparser", "wn", "yaml", "subprocess", "numpy", "onnxruntime"}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Program:
    program = Program(tmp_path_factory.mktemp("ann"))
    program.vault.mkdir()
    program.ok("init", ".", "--owner", "human:ann")
    program.ok("add", "Bella eats at eight in the morning.", "--tag", "dog")
    program.ok("add", "Bella walks at nine in the morning.", "--tag", "dog")
    program.ok("add", "The gate of the garden squeaks.")
    time.sleep(2.1)  # of files as young as that, times prove nothing: they are read again
    program.ok("index", "rebuild")
    return program


def loaded_by(vault: Program, words: list[str]) -> set[str]:
    """Return the modules that are loaded when a command ends that was given once before."""
    code = f"import sys; from memstore.cli.main import main; main({words!r}); print('LOADED', *sorted(sys.modules))"
    for _ in range(2):
        command = [sys.executable, "-c", code]
        done = subprocess.run(
            command, cwd=vault.vault, env=vault.environment, capture_output=True, text=True, check=True
        )
    return {*done.stdout.rpartition("LOADED ")[2].split()}


@pytest.mark.soak
@pytest.mark.parametrize(
    ("words", "spared"),
    [
        (["search", "Bella in the morning"], WRITERS | ACCESS | COMPARING | READERS | {"memstore.trust.score"}),
        (["list", "--type", "note"], WRITERS | ACCESS | COMPARING),
        (["trace", "The gate of the garden squeaks."], WRITERS | ACCESS | COMPARING | {"memstore.vault.redaction"}),
        (["add", "--dry-run", "The gate of the garden is green."], REGISTERING | {"memstore.documents.parts"}),
        (["show", "--help"], WRITERS | ACCESS | COMPARING | READERS),
    ],
)
def test_the_second_time_a_command_loads_what_it_needs(vault: Program, words: list[str], spared: set[str]) -> None:
    assert loaded_by(vault, words) & (spared | FOREIGN) == set()


def test_a_plain_status_loads_nothing_that_verifies_searches_or_compares(vault: Program) -> None:
    spared = {"memstore.trust.keyring", "memstore.trust.read_keyring", "memstore.vault.sealing"}
    assert loaded_by(vault, ["status"]) & (spared | COMPARING | {"memstore.search.query"}) == set()
