"""Where the history of a shallow clone ends, nobody is said to have made what was there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import memory_text
from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess

TEA = "m_tea0000001"
QUIETLY = ("-c", "core.hooksPath=/dev/null")


@pytest.fixture
def vault(tmp_path: Path) -> InProcess:
    program = Program(tmp_path).in_process()
    program.init()
    return program


def commit(vault: InProcess, subject: str, body: str, name: str = "tea") -> None:
    (vault.vault / f"{name}.md").write_bytes(memory_text(body, id=f"m_{name}0000001"))
    vault.git("add", "-A")
    vault.git(*QUIETLY, "commit", "-q", "-m", subject)


def told(vault: InProcess, depth: int, *words: str) -> tuple[list[str], list[str], str]:
    """Return verbs and cut commits that a clone of this depth shows, and what it tells a person."""
    clone = vault.vault.parent / f"clone-{depth}-{len(words)}"
    if not clone.exists():
        vault.git("clone", "-q", "--depth", str(depth), f"file://{vault.vault}", str(clone))
    found = vault.json("--vault", str(clone), *words)
    verbs = [one["verb"] for one in found.get("entries", ())]
    return verbs, found.get("cut_off", []), vault.run("--vault", str(clone), *words).stderr


@pytest.mark.parametrize("words", [["log"], ["log", TEA]])
def test_what_was_there_before_is_found_and_not_added(vault: InProcess, words: list[str]) -> None:
    for number in range(3):
        commit(vault, f"tea {number}", f"Green tea {number}.\n")
    cut = vault.git("rev-parse", "HEAD~1").strip()
    assert told(vault, 2, *words) == (
        ["edit", "found"],
        [cut],
        f"this clone's history ends at {cut[:10]}\n  hint: git fetch --unshallow\n",
    )
    assert told(vault, 10, *words) == (["edit", "edit", "add"], [], "")


def test_a_line_may_be_older_than_where_the_history_ends(vault: InProcess) -> None:
    commit(vault, "one", "Green tea.\n")
    commit(vault, "two", "Green tea.\nBlack tea.\n")
    commit(vault, "three", "Green tea.\nBlack tea.\nWhite tea.\n")
    cut = vault.git("rev-parse", "HEAD~1").strip()
    assert told(vault, 2, "blame", TEA) == (
        [],
        [cut],
        f"this clone's history ends at {cut[:10]}\n  hint: git fetch --unshallow\n",
    )
    assert told(vault, 10, "blame", TEA)[1:] == ([], "")


@pytest.mark.parametrize("subject", ["merged", "both are merged here", "(from the mountains) tea"])
def test_a_history_may_end_at_a_merge(vault: InProcess, subject: str) -> None:
    commit(vault, "one", "Green tea.\n")
    vault.git(*QUIETLY, "checkout", "-q", "-b", "side")
    commit(vault, "side", "Salt.\n", "sal")
    vault.git("checkout", "-q", "-")
    commit(vault, "two", "Black tea.\n")
    vault.git(*QUIETLY, "merge", "-q", "--no-ff", "-m", subject, "side")
    cut = vault.git("rev-parse", "HEAD").strip()
    commit(vault, "three", "White tea.\n")
    verbs, ends, _ = told(vault, 2, "log")
    assert (verbs, ends) == (["edit", "found", "found"], [cut])
    assert told(vault, 2, "log", TEA)[:2] == (["edit", "found"], [cut])
