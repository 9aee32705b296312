"""Decisions and labels that an older memstore cached are not taken for those of today's rules."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from memstore.access import local_state
from memstore.access.label_reader import LabelReader, document_of
from memstore.access.local_state import LABELS_VERSION, VERDICTS_VERSION, AccessVerdict, LabelsCache, VerdictCache
from memstore.access.world import Labels
from memstore.core.catalog import FileKind
from tests.installed import ROOT
from tests.kept_files import KEPT_FILES, digest

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

    assert (VERDICTS_VERSION, sha256(rules).hexdigest()[:8]) == (9, "68a94b97")


def test_decisions_under_older_rules_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = VerdictCache(tmp_path / "cache")
    cache.keep("ai:ash", AccessVerdict("state", 0.0, None, (1, 2)))
    assert cache.last("ai:ash") is not None

    monkeypatch.setattr(local_state, "VERDICTS_VERSION", VERDICTS_VERSION + 1)

    assert cache.last("ai:ash") is None


def test_whoever_changes_what_a_file_says_of_who_may_see_it_counts_the_version_up() -> None:
    """Where this fails, blobs are read otherwise than before: raise LABELS_VERSION, and put both in here."""
    found = [
        (f"{mixed} {path}", LabelReader(mixed=mixed).read(path, data))
        for mixed in (False, True)
        for path, data in KEPT_FILES.items()
    ]
    labels = [one.labels for _, one in found if one.labels]

    assert {one.kind for _, one in found} == {*FileKind}
    assert [name for name in Labels._fields if len({str(getattr(one, name)) for one in labels}) == 1] == []
    assert (LABELS_VERSION, digest(document_of(found).items())) == (4, "229564a3a480")


def test_labels_read_by_older_rules_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, found = LabelsCache(tmp_path / "cache"), LabelReader(mixed=False).read("a.md", KEPT_FILES["grants.md"])
    cache.keep({"blob": found})
    assert cache.load() == {"blob": found}

    monkeypatch.setattr(local_state, "LABELS_VERSION", LABELS_VERSION + 1)

    assert cache.load() == {}
