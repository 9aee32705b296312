"""Whoever writes a memory is told what may concern it, in few words; what they left comes back once, in a brief."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memstore.conflicts import open_pairs
from memstore.core.errors import FormatError
from memstore.mcp import concerns
from tests.installed import validated
from tests.mcp.serving import OWNER, answered, served
from tests.support import memory_text
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from memstore.mcp.server import Server

BRASS, PAPER = "The lamp in the hall is made of brass.", "The lamp in the hall is made of paper."
NOT_JUDGED = "## Not judged yet"


@pytest.fixture
def program(tmp_path: Path) -> InProcess:
    program = InProcess(tmp_path)
    program.init(OWNER)
    for name, keys in (("old", {}), ("hidden", {"owner": "human:sean", "access_grants": "[]"})):
        text = f"{PAPER if name == 'old' else 'The lamp in the hall is made of gold.'}\n"
        (program.vault / f"{name}.md").write_bytes(memory_text(text, id=f"m_{name}", **keys))
    return program


def brief(server: Server) -> str:
    from memstore.mcp.resources import BRIEF, read

    return read(server, BRIEF).text


def test_what_may_concern_a_new_memory_is_told_with_its_place(program: InProcess) -> None:
    server = served(program)
    added = answered(server, "memory_add", text=BRASS)
    (told,) = added.document["may_concern"]
    assert (told["ref"], told["place"], told["text"]) == ("note:m_old", "old.md:5", PAPER)
    assert f"{concerns.HOW_TO_JUDGE}:" in added.notes
    assert "m_hidden" not in added.text
    assert "m_hidden" not in str(added.document)
    ref = added.document["ref"]
    assert "may_concern" not in answered(server, "memory_add", text="Rent is due in May.").document
    assert "may_concern" in answered(server, "memory_edit", ref=ref, old="brass", new="tin").document
    assert (
        "may_concern" in answered(server, "memory_supersede", ref=ref, text="The hall lamp is made of zinc.").document
    )


def test_what_is_told_is_short_however_long_the_statements_are(program: InProcess) -> None:
    for at in range(9):
        text = f"The lamp in the hall is made of {' and '.join(['glass'] * (30 + at))}.\n"
        (program.vault / f"{'long' * 20}{at}.md").write_bytes(memory_text(text, id=f"m_long{at}"))
    added = answered(
        served(program), "memory_add", text=f"The lamp in the hall is made of {' and '.join(['glass'] * 20)}."
    )
    assert len(added.document["may_concern"]) == 3
    assert len("\n".join(added.notes)) < 1200


def test_what_was_left_comes_back_once_and_what_was_judged_does_not(program: InProcess) -> None:
    server = served(program)
    first = answered(server, "memory_add", text=BRASS).document["ref"]
    assert f"{first} and note:m_old" in brief(server)
    assert NOT_JUDGED not in brief(server)

    second = answered(server, "memory_add", text="The lamp in the hall is made of copper.").document["ref"]
    others = [one["ref"] for one in validated(program.ok("--json", "conflicts", "--candidates", second))["candidates"]]
    judged = answered(
        server, "memory_conflicts", action="judge", ref=second, others=others, verdict="unrelated", reason="two lamps"
    )
    assert judged.document["written"] == len(others) == 2
    assert NOT_JUDGED not in brief(server)
    again = answered(server, "memory_conflicts", action="judge", ref=second, others=others, verdict="unrelated")
    assert again.document["written"] == 0


def test_what_was_left_lapses_and_is_nobody_elses(program: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    answered(served(program), "memory_add", text=BRASS, access_grants=["si:bot"])
    assert NOT_JUDGED not in brief(served(program, entity="si:bot"))
    monkeypatch.setattr(open_pairs, "LAPSE", -timedelta(days=1))
    assert NOT_JUDGED not in brief(served(program))


def test_a_failure_to_find_it_never_fails_the_write(program: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise RecursionError

    monkeypatch.setattr(concerns, "candidates", fails)
    assert "may_concern" not in answered(served(program), "memory_add", text=BRASS).document
    assert program.found("brass")


def test_a_failure_to_find_what_was_left_never_costs_the_brief(
    program: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    server = served(program)
    (program.vault / "pin.md").write_bytes(memory_text("Lamps are off at night.\n", id="m_pin", importance="pinned"))
    assert "m_pin" in brief(server)
    answered(server, "memory_add", text=BRASS)
    monkeypatch.setattr(open_pairs, "candidates", fails)
    assert "m_pin" in brief(server)
    assert "- memstore: no space left on device" in brief(server)


def test_a_vault_that_can_not_be_opened_again_never_fails_the_write(
    program: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = served(program)
    opened = server.view

    def fails(*_: Any, **__: Any) -> None:
        raise FormatError("the settings were broken meanwhile")

    def once(*words: Any, **more: Any) -> Any:
        monkeypatch.setattr(server, "view", fails)
        return opened(*words, **more)

    monkeypatch.setattr(server, "view", once)
    assert "may_concern" not in answered(server, "memory_add", text=BRASS).document
    assert program.found("brass")
