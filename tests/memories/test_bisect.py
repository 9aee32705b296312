"""Which commit made an answer what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import memory_text
from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess

TEA = "m_tea0000001"


@pytest.fixture
def vault(tmp_path: Path) -> InProcess:
    program = Program(tmp_path).in_process()
    program.init()
    return program


def commit(vault: InProcess, subject: str, **files: bytes) -> str:
    for name, data in files.items():
        (vault.vault / f"{name}.md").write_bytes(data)
    vault.git("add", "-A")
    vault.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", subject)
    return vault.git("rev-parse", "HEAD").strip()


def noise(vault: InProcess, count: int, *, start: int = 0) -> None:
    for one in range(start, start + count):
        commit(vault, f"noise {one}", **{f"n{one}": memory_text(f"Noise {one} of the tram.\n", id=f"m_n{one:09}")})


def test_it_names_the_commit_that_changed_the_best_answer(vault: InProcess) -> None:
    noise(vault, 5)
    commit(vault, "tea at eighty", tea=memory_text("Green tea wants eighty degrees.\n", id=TEA))
    noise(vault, 6, start=5)
    changed = commit(vault, "tea at seventy", tea=memory_text("Green tea wants seventy degrees.\n", id=TEA))
    noise(vault, 7, start=11)
    before = (vault.git("status", "--short"), vault.git("rev-parse", "HEAD"), (vault.vault / "tea.md").read_bytes())
    found = vault.json("search", "--bisect", "how hot should green tea be")
    assert (found["commit"], found["subject"]) == (changed, "tea at seventy")
    assert [one["text"] for one in found["before"]] == ["Green tea wants eighty degrees."]
    assert [one["text"] for one in found["since"]] == ["Green tea wants seventy degrees."]
    assert found["looked_at"] <= 9 < found["commits"] / 2
    assert before == (
        vault.git("status", "--short"), vault.git("rev-parse", "HEAD"), (vault.vault / "tea.md").read_bytes(),
    )  # fmt: skip
    assert vault.ok("search", "--bisect", "how hot should green tea be").splitlines()[1:] == [
        f"before: tea.md:5 note:{TEA}", "    Green tea wants eighty degrees.",
        f"since: tea.md:5 note:{TEA}", "    Green tea wants seventy degrees.",
    ]  # fmt: skip


def test_it_names_the_commit_in_which_an_answer_appeared(vault: InProcess) -> None:
    noise(vault, 3)
    made = commit(vault, "tea", tea=memory_text("Green tea wants eighty degrees.\n", id=TEA))
    noise(vault, 9, start=3)
    for words in (("eighty degrees",), ("--ref", TEA), ("green", "--ref", TEA)):
        found = vault.json("search", "--bisect", *words)
        assert (found["commit"], found["before"]) == (made, [])


def test_it_names_the_commit_since_which_a_memory_is_no_longer_found(vault: InProcess) -> None:
    commit(vault, "tea", tea=memory_text("Green tea wants eighty degrees.\n", id=TEA))
    noise(vault, 4)
    lost = commit(vault, "archive", tea=memory_text("Green tea wants eighty degrees.\n", id=TEA, status="archived"))
    noise(vault, 4, start=4)
    found = vault.json("search", "--bisect", "eighty degrees", "--ref", TEA)
    assert (found["commit"], found["since"]) == (lost, [])
    assert [one["ref"] for one in found["before"]] == [f"note:{TEA}"]


def test_it_names_the_commit_that_deleted_a_memory(vault: InProcess) -> None:
    commit(vault, "tea", tea=memory_text("Green tea wants eighty degrees.\n", id=TEA))
    noise(vault, 4)
    (vault.vault / "tea.md").unlink()
    gone = commit(vault, "gone")
    noise(vault, 4, start=4)
    for words in (("--ref", TEA), ("--ref", f"note:{TEA}"), ("eighty", "--ref", TEA)):
        found = vault.json("search", "--bisect", *words)
        assert (found["commit"], found["since"]) == (gone, [])
        assert [one["ref"] for one in found["before"]] == [f"note:{TEA}"]


def test_what_never_had_an_answer_is_said_to_have_none(vault: InProcess) -> None:
    noise(vault, 4)
    assert (
        vault.ok("search", "--bisect", "zebra")
        == "there is no answer now, and there was none at any commit that was looked at\n"
    )


def test_a_change_on_a_branch_is_named_and_not_the_merge(vault: InProcess) -> None:
    commit(vault, "tea", tea=memory_text("Green tea wants eighty degrees.\n", id=TEA))
    main = vault.git("branch", "--show-current").strip()
    vault.git("switch", "-q", "-c", "work")
    changed = commit(vault, "seventy", tea=memory_text("Green tea wants seventy degrees.\n", id=TEA))
    vault.git("switch", "-q", main)
    noise(vault, 5)
    vault.git("-c", "core.hooksPath=/dev/null", "merge", "-q", "--no-edit", "work")
    noise(vault, 2, start=5)
    assert vault.json("search", "--bisect", "green tea")["commit"] == changed
    assert vault.json("search", "--bisect", "--ref", TEA)["commit"] == changed


def test_what_is_not_committed_is_said_to_be_so(vault: InProcess) -> None:
    commit(vault, "tea", tea=memory_text("Green tea wants eighty degrees.\n", id=TEA))
    (vault.vault / "tea.md").write_bytes(memory_text("Green tea wants ninety degrees.\n", id=TEA))
    found = vault.json("search", "--bisect", "green tea")
    assert (found["commit"], found["before"][0]["text"]) == (None, "Green tea wants eighty degrees.")
    assert vault.ok("search", "--bisect", "green tea").startswith("by changes that are not committed yet\n")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 2),
        (("--ref", "m_nothere001"), 3),
        (("--as", "human:eve", "tea"), 4),
        (("--as", "human:eve", "--ref", TEA), 4),
    ],
)
def test_what_can_not_be_asked_is_refused(vault: InProcess, words: tuple[str, ...], code: int) -> None:
    commit(vault, "tea", tea=memory_text("Green tea.\n", id=TEA))
    assert vault.run("search", "--bisect", *words).returncode == code


def test_where_a_shallow_clone_ends_nothing_is_named(vault: InProcess) -> None:
    commit(vault, "tea", tea=memory_text("Green tea wants eighty degrees.\n", id=TEA))
    noise(vault, 2)
    vault.git("clone", "-q", "--depth", "2", f"file://{vault.vault}", str(vault.vault.parent / "shallow"))
    for words in (["how hot should green tea be"], ["--ref", TEA]):
        done = vault.run("--vault", str(vault.vault.parent / "shallow"), "search", "--bisect", *words)
        assert (done.returncode, done.stdout) == (3, "")
        assert "where this clone's history ends" in done.stderr
        assert "hint: git fetch --unshallow" in done.stderr
        assert vault.json("search", "--bisect", *words)["subject"] == "tea"


def test_a_commit_from_before_the_vault_is_known_to_say_nothing(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.vault.mkdir(exist_ok=True)
    program.git("init", "-q")
    commit(program, "a list", list=b"Eggs.\n")
    program.ok("init", ".", "--owner", "human:sam")
    first = commit(program, "tea", tea=memory_text("Green tea wants eighty degrees.\n", id=TEA))
    found = program.json("search", "--bisect", "--ref", TEA)
    assert (found["commit"], found["before"]) == (first, [])
