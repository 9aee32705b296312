"""Two people, a keeper and a member, with branches on one remote: pushed, reviewed, merged, in conflict, taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.team import ANN, BEN, EVE, OPS, Team, begin

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.soak(2, together=True)

QUIET = ("git", "-c", "core.editor=true")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Team:
    return begin(tmp_path_factory.mktemp("team"))


@pytest.fixture
def team(begun: Team, tmp_path: Path) -> Team:
    return begun.copied(tmp_path)


def pager(team: Team, who: str) -> str:
    [path] = (team.clone(who) / "notes").rglob("pager*.md")
    return path.read_text()


def proposed(team: Team) -> None:
    """Ben pushes a branch that changes a memory and adds one, while Ann changes the same memory on main."""
    team.ok(BEN, "git", "switch", "-q", "-c", "volume")
    team.memstore(BEN, "tag", "Pager", "+loud", "-c")
    team.memstore(BEN, "add", "The pager has a volume.", "-c")
    team.passes(BEN, "origin", "volume")
    team.memstore(ANN, "tag", "Pager", "+night", "-c")
    team.passes(ANN)
    team.ok(ANN, "git", "fetch", "-q")


def test_a_branch_is_reviewed_by_members_and_by_nobody_else(team: Team) -> None:
    proposed(team)
    of_ann, of_ben = team.memstore(ANN, "review", "origin/volume"), team.memstore(BEN, "review", "volume")
    assert "The pager has a volume." in of_ann
    assert "tags +loud" in of_ann
    assert "The pager has a volume." in team.memstore(BEN, "review", "--against", "origin/main")
    assert "who sees more or less" not in of_ann + of_ben
    team.ok(EVE, "git", "fetch", "-q")
    told = {(done.returncode, done.stdout, done.stderr) for name in ("origin/volume", "origin/none", "main")
            if (done := team.run(EVE, "memstore", "review", name))}  # fmt: skip
    assert [code for code, *_ in told] == [4]


def test_the_driver_merges_it_and_it_is_taken_back(team: Team) -> None:
    proposed(team)
    team.ok(ANN, "git", "merge", "-q", "--no-ff", "-m", "take the volume", "origin/volume")
    assert {"loud", "night"} <= {*pager(team, ANN).replace("[", " ").replace("]", " ").replace(",", " ").split()}
    team.memstore(ANN, "check", "--against", "HEAD^1")
    team.passes(ANN)
    team.ok(ANN, *QUIET, "revert", "-m", "1", "--no-edit", "HEAD")
    team.passes(ANN)
    assert "loud" not in pager(team, ANN)
    assert "night" in pager(team, ANN)
    assert "volume" not in team.memstore(ANN, "list")
    team.memstore(ANN, "privacy", "log", "verify")


def test_a_conflict_is_resolved_by_hand_and_a_branch_is_rebased(team: Team) -> None:
    team.ok(BEN, "git", "switch", "-q", "-c", "title")
    team.memstore(BEN, "set", "Pager", "title=The loud pager", "-c")
    team.memstore(ANN, "set", "Pager", "title=The night pager", "-c")
    team.passes(ANN)
    team.passes(BEN, "origin", "title")
    team.ok(BEN, "git", "fetch", "-q")
    done = team.run(BEN, *QUIET, "rebase", "-q", "origin/main")
    assert done.returncode != 0
    [path] = (team.clone(BEN) / "notes").rglob("*pager*.md")
    assert "<<<<<<<" in path.read_text()
    assert team.run(BEN, "memstore", "check").returncode == 1
    mine = team.ok(BEN, "git", "show", f"ORIG_HEAD:{path.relative_to(team.clone(BEN))}")
    path.write_text(mine)
    team.ok(BEN, "git", "add", "-A")
    team.ok(BEN, *QUIET, "rebase", "--continue")
    team.passes(BEN)
    assert "The loud pager" in team.memstore(BEN, "list")


def test_a_fork_without_hooks_is_caught_where_it_is_merged(team: Team) -> None:
    charter = team.clone(EVE) / "groups/ops.yaml"
    charter.write_text(f'{charter.read_text()}  - {{id: "{EVE}", from: "2020-01-01T00:00:00Z"}}\n')
    team.commit(EVE, "a fork's")
    team.ok(ANN, "git", "fetch", "-q", "../eve", "main")
    assert f"this change by hand would make {EVE} a member of {OPS}" in (
        team.run(ANN, "git", "merge", "-q", "--no-ff", "-m", "m", "FETCH_HEAD").stderr
    )
    team.run(ANN, "git", "merge", "--abort")
    team.ok(ANN, "git", "-c", "core.hooksPath=/dev/null", "merge", "-q", "--no-ff", "-m", "m", "FETCH_HEAD")
    done = team.run(ANN, "memstore", "check", "--against", "HEAD^1")
    assert done.returncode == 1
    assert f"this change by hand would make {EVE} a member of {OPS}" in done.stdout
