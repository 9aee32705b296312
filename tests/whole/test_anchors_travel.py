"""Anchors between clones of a bare repository: what each side sees after rebase, squash, force push, prune and gc."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.installed import validated
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.soak(3, together=True)

PUSH = "refs/memstore/anchors/*"


class Side(InProcess):
    """One of two people with a clone each."""

    def anchors(self, ref: str) -> list[str]:
        return [anchor["status"] for anchor in self.trust(ref)["anchors"]]

    def hints(self, ref: str) -> list[str]:
        return [anchor["hint"] or "" for anchor in self.trust(ref)["anchors"]]

    def trust(self, ref: str) -> dict[str, list[dict[str, str]]]:
        return validated(self.ok("--json", "trust", ref))

    def commit(self, *words: str) -> None:
        self.git("add", "-A")
        self.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", *words)

    def collect(self) -> None:
        self.git("reflog", "expire", "--expire=now", "--all")
        self.git("gc", "-q", "--prune=now")


@pytest.fixture(params=["sha1", "sha256"])
def sides(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Side, Side, str]:
    """Return two clones, and a memory that the first one has committed and pushed."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one, two = Side(tmp_path / "one"), Side(tmp_path / "two")
    one.vault.mkdir()
    one.git("init", "-q", f"--object-format={request.param}")
    one.ok("init", ".", "--owner", "human:tester")
    ref, _ = one.add("Synthesis is the hard problem.")
    one.ok("config", "remotes.origin", "owner")
    one.ok("commit", "-q")
    one.git("init", "-q", "--bare", f"--object-format={request.param}", str(tmp_path / "bare"))
    one.git("remote", "add", "origin", str(tmp_path / "bare"))
    one.git("push", "-q", "-u", "origin", "HEAD:main")
    return one, two, ref


def cloned(one: Side, two: Side) -> None:
    one.git("clone", "-q", f"file://{one.git('remote', 'get-url', 'origin').strip()}", str(two.vault))


def test_an_anchor_is_valid_on_the_other_side_whatever_becomes_of_the_branch(sides: tuple[Side, Side, str]) -> None:
    one, two, ref = sides
    said = one.run("trust", "anchor", ref).stderr
    assert f"git push origin '{PUSH}'" in said
    assert "git fetch origin fetches its anchors, too" in said
    one.commit("-m", "Anchored")
    one.git("push", "-q", "origin", PUSH)
    one.git("push", "-q", "origin", "HEAD:main")
    cloned(one, two)
    two.git("fetch", "-q", "origin", f"+{PUSH}:refs/memstore/remotes/origin/anchors/*")
    assert two.anchors(ref) == ["valid"]
    # The history is written anew without the commit, pushed by force, and all that no ref holds is dropped.
    tree = one.git("rev-parse", "HEAD^{tree}").strip()
    fresh = one.git("commit-tree", "-m", "All new", tree).strip()
    one.git("reset", "-q", "--hard", fresh)
    one.git("push", "-q", "--force", "origin", "HEAD:main")
    for side in (one, two):
        side.git("fetch", "-q", "--prune")
        side.git("reset", "-q", "--hard", "origin/main")
        side.collect()
        assert side.anchors(ref) == ["valid"]


def test_a_plain_push_and_a_prune_do_what_they_did(sides: tuple[Side, Side, str]) -> None:
    one, _, ref = sides
    one.ok("trust", "anchor", ref)
    one.git("config", "push.default", "upstream")
    one.git("branch", "-q", "-u", "origin/main")
    one.commit("-m", "Anchored")
    one.git("push", "-q")
    assert one.git("rev-parse", "HEAD") == one.git("rev-parse", "origin/main")
    assert "refs/memstore" not in one.git("ls-remote", "origin")
    one.git("fetch", "-q", "--prune")
    one.collect()
    assert one.anchors(ref) == ["valid"]
    assert len(one.git("config", "--get-all", "remote.origin.fetch").split()) == 2


def test_refspecs_are_added_once_and_not_in_a_dry_run(sides: tuple[Side, Side, str]) -> None:
    one, _, ref = sides
    one.ok("trust", "anchor", ref, "--dry-run")
    assert len(one.git("config", "--get-all", "remote.origin.fetch").split()) == 1
    one.ok("trust", "anchor", ref)
    other, _ = one.add("Another one.")
    one.ok("commit", "-q")
    said = one.run("trust", "anchor", other).stderr
    assert "from now on" not in said
    assert f"git push origin '{PUSH}'" in said
    assert len(one.git("config", "--get-all", "remote.origin.fetch").split()) == 2


def test_two_who_anchor_at_the_same_time_push_both(sides: tuple[Side, Side, str]) -> None:
    one, two, ref = sides
    cloned(one, two)
    two.commit("-m", "Elsewhere")
    for side in (one, two):
        side.ok("trust", "anchor", ref)
        side.git("push", "-q", "origin", PUSH)
    assert one.git("ls-remote", "origin", PUSH).count("refs/memstore/anchors/") == 2


def test_who_has_not_fetched_the_anchor_is_told_how(sides: tuple[Side, Side, str]) -> None:
    one, two, ref = sides
    path = one.ok("show", "--path", ref).strip()
    memory = (one.vault / path).read_text()
    one.ok("trust", "anchor", ref)
    one.git("push", "-q", "origin", PUSH)
    (one.vault / path).write_text((one.vault / path).read_text() + "\n")
    one.git("checkout", "-q", "--orphan", "other")
    one.commit("-m", "All new")
    one.git("push", "-q", "--force", "origin", "HEAD:main")
    cloned(one, two)
    assert memory != (two.vault / path).read_text()
    assert two.anchors(ref) == ["missing"]
    command = "git fetch origin 'refs/memstore/anchors/*:refs/memstore/remotes/origin/anchors/*'"
    assert command in two.hints(ref)[0]
    two.git("fetch", "-q", "origin", "refs/memstore/anchors/*:refs/memstore/remotes/origin/anchors/*")
    assert two.anchors(ref) == ["valid"]


def test_a_squash_and_a_rebase_move_what_no_anchor_ref_holds(sides: tuple[Side, Side, str]) -> None:
    one, _, ref = sides
    one.commit("-m", "Base")
    base = one.git("rev-parse", "HEAD").strip()
    one.git("checkout", "-q", "-b", "topic")
    other, path = one.add("Said on a branch.")
    one.commit("-m", "Said")
    one.ok("trust", "anchor", other)
    said = path.read_text()
    one.commit("-m", "Anchored")
    one.git("checkout", "-q", "--detach", base)
    one.commit("-m", "Elsewhere")
    # As a rebase does: the same file in another commit, on another one.
    one.git("cherry-pick", "--allow-empty", "topic~1")
    one.git("branch", "-f", "rebased", "HEAD")
    one.git("checkout", "-q", "--detach", base)
    one.git("merge", "-q", "--squash", "topic~1")
    one.commit("-m", "Squashed")
    one.git("branch", "-f", "squashed", "HEAD")
    one.git("branch", "-q", "-D", "topic")
    for name in one.git("for-each-ref", "--format=%(refname)", "refs/memstore").split():
        one.git("update-ref", "-d", name)
    one.collect()
    for branch in ("rebased", "squashed"):
        one.git("checkout", "-q", branch)
        path.write_text(said)
        assert one.anchors(other) == ["moved"]
        one.git("checkout", "-q", "--", ".")
    assert one.anchors(ref) == []


def test_a_shallow_clone_says_what_to_fetch_and_then_has_it(sides: tuple[Side, Side, str]) -> None:
    one, two, ref = sides
    one.ok("trust", "anchor", ref)
    one.commit("-m", "Anchored")
    one.git("push", "-q", "origin", "HEAD:main")
    url = f"file://{one.git('remote', 'get-url', 'origin').strip()}"
    one.git("clone", "-q", "--depth=1", url, str(two.vault))
    assert two.anchors(ref) == ["missing"]
    assert "git fetch --unshallow" in two.hints(ref)[0]
    two.git("fetch", "-q", "--unshallow")
    assert two.anchors(ref) == ["valid"]


def test_what_no_ref_holds_dangles_and_is_missing_once_it_is_collected(sides: tuple[Side, Side, str]) -> None:
    one, _, ref = sides
    other, path = one.add("Said on a branch.")
    one.commit("-m", "Said")
    one.ok("trust", "anchor", other)
    said = path.read_text()
    one.git("reset", "-q", "--hard", "HEAD~1")
    path.write_text(said)
    assert one.anchors(other) == ["valid"]
    for name in one.git("for-each-ref", "--format=%(refname)", "refs/memstore").split():
        one.git("update-ref", "-d", name)
    assert (one.anchors(other), "anchors it again" in one.hints(other)[0]) == (["dangling"], True)
    one.collect()
    assert (one.anchors(other), "git fetch" in one.hints(other)[0]) == (["missing"], True)
    assert one.anchors(ref) == []
