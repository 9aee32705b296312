"""Decisions that an older memstore cached are not taken for those of today's rules."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from memstore.access import local_state
from memstore.access.local_state import VERDICTS_VERSION, AccessVerdict, VerdictCache
from tests.installed import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

# What decides who sees which row; the labels' columns are of the index, which has a version of its own.
DECIDING = (
    *("access/consent", "access/policy", "access/registry", "access/registry_world", "access/stack", "access/world"),
    "vault/sight",
)


def test_whoever_changes_a_rule_of_who_may_see_counts_the_version_up() -> None:
    rules = b"".join((ROOT / "memstore" / f"{name}.py").read_bytes() for name in DECIDING)

    assert (VERDICTS_VERSION, sha256(rules).hexdigest()[:8]) == (2, "3dfabd0d")


def test_decisions_under_older_rules_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = VerdictCache(tmp_path / "cache")
    cache.keep("ai:ash", AccessVerdict("state", 0.0, None, (1, 2)))
    assert cache.last("ai:ash") is not None

    monkeypatch.setattr(local_state, "VERDICTS_VERSION", VERDICTS_VERSION + 1)

    assert cache.last("ai:ash") is None
