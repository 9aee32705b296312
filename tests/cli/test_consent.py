"""`memstore consent`, as a person meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

SAID = ["--from", "human:sean", "--to", "si:luna_agent", "--scope", "subject:dog:bella"]


def test_what_says_the_same_is_named_when_one_record_is_revoked(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.init()
    first, second, other = (
        program.json("consent", *words)["id"]
        for words in (["grant", *SAID], ["grant", *SAID], ["refuse", *SAID])
    )  # fmt: skip
    done = program.run("consent", "revoke", first, "--by", "human:sean")
    assert done.returncode == 0
    assert (
        f"{second} says the same, and is still in force\n  hint: memstore consent revoke {second} --by human:sean\n"
        in (done.stderr)
    )
    assert other not in done.stderr
    assert "still in force" not in program.run("consent", "revoke", second, "--by", "human:sean").stderr
