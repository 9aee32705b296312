"""The log of uses, as the installed program keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.files.local_state import Environment
from memstore.search import USAGE
from memstore.vault import composition

if TYPE_CHECKING:
    from tests.whole.program import Program


def test_the_log_lies_beside_the_vault_and_nobody_is_tracked_against_their_will(program: Program) -> None:
    ref, _ = program.add("Tea first.")
    assert "usage.jsonl, nothing in it yet" in program.ok("doctor")
    program.ok("show", ref, "--no-track")
    program.ok("show", ref, MEMSTORE_NO_USAGE="1")
    program.ok("search", "tea")
    assert program.json("show", ref, "--no-track")["strength"] <= 1
    assert "nothing in it yet" in program.ok("doctor")
    program.ok("show", ref)
    env = Environment.of_process()._replace(variables=program.environment, home=program.home)
    path = composition.open_workspace(env, vault=str(program.vault)).of(USAGE).path
    assert path is not None
    assert path.read_text().count("\n") == 1
    assert f'"id":"{ref.partition(":")[2]}"' in path.read_text()
    assert "used 1 time" in program.ok("show", ref)
    assert "usage" not in program.git("status", "--porcelain", "--ignored")


def test_a_read_only_place_for_the_log_is_no_failure(program: Program) -> None:
    ref, _ = program.add("Tea first.")
    state = next(program.vault.glob(".git/memstore/*"))
    (state / "usage.jsonl").mkdir()
    done = program.run("show", ref)
    assert (done.returncode, done.stderr) == (0, "")
