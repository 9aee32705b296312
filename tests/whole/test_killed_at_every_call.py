"""Every command that writes, interrupted at the calls by which it writes: all is as before, or all as after.

Interruptions in forks of one loaded program, and of the installed one by strace; thousands more are made by
`benchmarks/soak.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.whole.interruptions import ACTS, Interruptions, can_trace, crowded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Those by git's calls, too; above all what does something outside of the vault's tree: 30 times in all.
TRACED = (
    ("supersede", True), ("undo", False), ("privacy grant", True), ("share", False), ("share --update", False),
    ("load", False), ("seal --context", True), ("unseal", True), ("forget --shred", True), ("forget --purge", False),
    ("import seeds", True), ("adopt", True), ("quarantine", True), ("compress", False), ("merge-driver", False),
)  # fmt: skip
EACH_TRACED = 2


@pytest.fixture(scope="module")
def interruptions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Interruptions]:
    made = Interruptions(tmp_path_factory.mktemp("interruptions"))
    yield made
    made.close()


@pytest.mark.soak
@pytest.mark.parametrize("act", ACTS)
def test_killed_or_failed_anywhere_all_is_as_before_or_as_after(interruptions: Interruptions, act: str) -> None:
    # With `-c` where it takes that: then it writes all that it writes without, and commits.
    wrong = list(interruptions.in_forks(act, 1, commit=ACTS[act].commits))
    assert not wrong, "\n".join(wrong)


@pytest.mark.soak
@pytest.mark.skipif(not can_trace(), reason="strace is not installed, or may not trace")
@pytest.mark.parametrize(("act", "commit"), TRACED)
def test_so_does_the_installed_program_and_git(interruptions: Interruptions, act: str, commit: bool) -> None:  # noqa: FBT001 -- a parameter
    wrong = list(interruptions.under_strace(act, EACH_TRACED, commit=commit))
    assert not wrong, "\n".join(wrong)


def test_many_writers_and_a_hand_lose_nothing(tmp_path: Path) -> None:
    """Whoever is refused, since the others and the hand were quicker, asks again."""
    crowd = crowded(tmp_path, writers=4, writes=3, seed=1, tries=3)
    assert crowd.saves
    assert not crowd.wrong, "\n".join(crowd.wrong)


def test_nor_do_servers_and_those_who_commit_while_git_tidies(tmp_path: Path, *, soak: bool) -> None:
    """What was refused, since others kept the vault busy for too long, was not acknowledged."""
    crowd = crowded(tmp_path, writers=12 if soak else 2, writes=10 if soak else 2, seed=1, servers=2)
    assert crowd.saves
    assert crowd.refused.total() < crowd.writes
    assert (crowd.lost_writes, crowd.lost_saves, crowd.unsound) == ((), (), "")
