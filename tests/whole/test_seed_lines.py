"""The command lines of the documents that memstore grew from: each runs, or says which one does it here."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess

# Command lines with the name of the program and of memories replaced -> the exit code, and what it says.
LINES = {
    # Provenance of memories.
    "-a ash belief show {belief} --trace": (0, "Tea is good."),
    "belief show {belief} --trace": (0, "Tea is good."),
    "-a ash raw show {raw} --trace": (0, "Claire called."),
    "raw show {raw} --trace": (0, "Claire called."),
    "raw show {raw}": (0, "Claire called."),
    "raw list": (0, "Claire called."),
    "belief list": (0, "Tea is good."),
    "episode list": (0, ""),
    "raw promote {raw}": (2, "--to"),
    "raw promote {raw} --to episode --dry-run": (0, "type: episode"),
    "-a ash meta orphans": (0, "where it comes from"),
    "meta orphans": (0, "where it comes from"),
    "-a ash migrate fix-provenance": (0, "ill in"),
    "migrate fix-provenance": (0, "ill in"),
    "migrate fix-provenance --dry-run": (0, "fix-provenance"),
    "orphans": (0, "where it comes from"),
    "fix-provenance": (0, "ill in"),
    "show {belief} --trace": (0, "Tea is good."),
    "raw show": (2, "REF"),
    "belief": (2, "memstore show REF --trace"),
    "meta": (2, "memstore check orphans"),
    # Privacy of memories.
    "context enter ctx:bella_health --role care_agent --participants human:sean si:bella_agent": (0, "listening"),
    "context show": (0, "ctx:bella_health"),
    "memories --context ctx:bella_health": (0, ""),
    "list --context ctx:bella_health": (0, ""),
    "context leave": (0, ""),
    "privacy grant {raw} --to si:new_vet_agent --consent human:sean": (0, "si:new_vet_agent"),
    "privacy revoke {raw} --from si:new_vet_agent": (0, "self-only"),
    "privacy audit --subject dog:bella": (0, ""),
    "privacy audit --entity si:tutor_b --stack student_123": (3, "student_123"),
}
RAW = (
    'raw "Bella has a heart murmur" --subject dog:bella --access human:sean si:bella_agent --consent human:sean '
    "--source vet:dr_smith"
)


@pytest.fixture
def vault(tmp_path: Path) -> InProcess:
    program = Program(tmp_path).in_process()
    program.init("si:ash")
    return program


def test_every_command_line_runs_or_says_what_does_and_none_writes_by_accident(vault: InProcess) -> None:
    belief = vault.json("add", "Tea is good.", "--type", "belief")["ref"]
    raw = vault.json("raw", "Claire called.")["ref"]
    for line, (code, said) in LINES.items():
        done = vault.run(*shlex.split(line.format(belief=belief, raw=raw)))
        assert (done.returncode, said in done.stdout + done.stderr) == (code, True), (line, done)
    assert vault.json("list")["total"] == 2
    done = vault.run(*shlex.split(RAW))
    assert (done.returncode, "source_entity=vet:dr_smith" in done.stderr) == (0, True), done
    assert vault.json("list")["total"] == 3


@pytest.mark.parametrize("word", ["list", "show", "ls", "process"])
def test_a_word_that_is_meant_as_a_command_is_written_only_if_it_is_said_to_be_a_text(
    vault: InProcess, word: str
) -> None:
    for words in (("raw", "-c", word), ("raw", "add", word), ("--json", "raw", "--tag", "x", "--dry-run", word)):
        done = vault.run(*words)
        assert (done.returncode, f"memstore raw add -- {word}" in done.stdout + done.stderr) == (2, True), done
    assert vault.json("list")["total"] == 0
    assert vault.json("raw", "--", word)["ref"].startswith("raw:m_")
    vault.ok("raw", f"{word} of words")
    assert vault.json("list")["total"] == 2
