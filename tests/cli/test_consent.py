"""`memstore privacy consent`, as a person meets it."""

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
        program.json("privacy", "consent", *words)["id"]
        for words in (["grant", *SAID], ["grant", *SAID], ["refuse", *SAID])
    )  # fmt: skip
    done = program.run("privacy", "consent", "revoke", first, "--by", "human:sean")
    assert done.returncode == 0
    assert (
        f"{second} says the same, and is still in force\n"
        f"  hint: memstore privacy consent revoke {second} --by human:sean\n" in (done.stderr)
    )
    assert other not in done.stderr
    assert "still in force" not in program.run("privacy", "consent", "revoke", second, "--by", "human:sean").stderr


def test_what_was_said_already_is_named(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.init()
    for words in (
        ["privacy", "consent", "grant"],
        ["privacy", "consent", "refuse"],
        ["privacy", "consent", "request"],
        ["privacy", "delegate"],
    ):
        until = ["--expires", "2099-01-01"] if words == ["privacy", "delegate"] else []
        assert "already" not in program.run(*words, *SAID, *until).stderr
        state = "unanswered" if "request" in words else "in force"
        told = f" says the same already, and is {state}{' until 2099-01-01T00:00:00Z' if until else ''}\n"
        for again in (["--dry-run"], []):
            done = program.run(*words, *SAID, *until, *again)
            assert done.returncode == 0
            assert done.stderr.endswith(told)
            assert done.stderr.count("already") == 1
    first = program.json("privacy", "consent", "list")["consents"][0]["id"]
    assert "already" not in program.run("privacy", "consent", "grant", *SAID, "--for", "dog:bella").stderr
    program.run("privacy", "consent", "revoke", first, "--by", "human:sean")
    assert first not in program.run("privacy", "consent", "grant", *SAID).stderr
