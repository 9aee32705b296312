from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import GitError, NotFoundError, UsageError
from memstore.files.local_state import Environment
from memstore.memories.listing import list_memories
from memstore.memories.search import search
from memstore.memories.show import path_of, show_memory
from memstore.search.clauses import Filters, Operator, Where
from memstore.search.retrieval import Sort
from memstore.vault import composition
from tests.support import memory_text

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.vault.workspace import Workspace

FILES = {
    "a.md": memory_text(id="m_aaa", title="Beta", created_at='"2026-01-01T00:00:00Z"', confidence="0.50", mood="calm"),
    "b.md": memory_text(id="m_bbb", title="alpha", created_at='"2026-03-01T00:00:00Z"', confidence="0.9"),
    "c.md": memory_text(id="m_ccc", title="Gamma", type="belief", created_at='"2026-02-01T00:00:00Z"', mood="wild"),
    "d.md": memory_text(id="m_ddd", title="Old", status="archived"),
    "e.md": memory_text(id="m_eee", title="Ash's", owner="si:ash"),
    "f.md": memory_text("Only a body. And more.\n"),
    "broken.md": b"---\ntype: note\n",
}


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / ".memstore").mkdir()
    (tmp_path / ".memstore/config.toml").write_text('owner = "human:sean"\n')
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def _open(vault: Path, entity: str | None = None) -> Workspace:
    return composition.open_workspace(Environment.of_process(), vault=str(vault), entity=entity)


def _paths(vault: Path, filters: Filters | None = None, *, sort: Sort = Sort.PATH, limit: int | None = None) -> str:
    listed = list_memories(_open(vault).view(), filters, sort=sort, limit=limit)
    return "".join(entry.path[0] for entry in listed.entries)


def test_active_memories_that_the_viewer_may_see_are_listed(vault: Path) -> None:
    assert _paths(vault) == "abcf"
    listed = list_memories(_open(vault, "si:ash").view())
    assert [entry.path for entry in listed.entries] == ["e.md"]
    assert list_memories(_open(vault, "human:stranger").view()).entries == ()


def test_only_the_owner_hears_of_files_that_cannot_be_read(vault: Path) -> None:
    assert list_memories(_open(vault).view()).left_out == 1
    assert list_memories(_open(vault, "si:ash").view()).left_out == 0


@pytest.mark.parametrize(
    ("sort", "paths"), [(Sort.CREATED, "bcaf"), (Sort.TITLE, "bacf"), (Sort.CONFIDENCE, "bacf"), (Sort.PATH, "abcf")]
)
def test_every_order_is_total(vault: Path, sort: Sort, paths: str) -> None:
    listed = _paths(vault, sort=sort)
    assert sorted(listed) == sorted(paths)
    assert listed.replace("f", "") == paths.replace("f", "")


def test_a_limit_cuts_and_the_total_stays(vault: Path) -> None:
    listed = list_memories(_open(vault).view(), limit=2)
    assert (len(listed.entries), listed.total) == (2, 4)
    assert list_memories(_open(vault).view(), limit=0).entries == ()


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        (Filters(type=("belief",)), "c"),
        (Filters(status=("archived",)), "d"),
        (Filters(min_confidence=0.5), "ab"),
        (Filters(min_confidence=0.51), "b"),
        (Filters(where=(Where("mood", Operator.EQUAL, "calm"),)), "a"),
        (Filters(where=(Where("mood", Operator.EXISTS),)), "ac"),
        (Filters(type=("belief",), where=(Where("mood", Operator.EQUAL, "calm"),)), ""),
    ],
)
def test_filters_hold_together(vault: Path, filters: Filters, paths: str) -> None:
    assert _paths(vault, filters) == paths


def test_a_list_has_no_relevance(vault: Path) -> None:
    with pytest.raises(UsageError, match="relevance"):
        list_memories(_open(vault).view(), sort=Sort.RELEVANCE)


def test_the_past_needs_a_history(vault: Path) -> None:
    with pytest.raises(GitError):
        list_memories(_open(vault).view(), at="2026-01")


def test_the_past_is_as_it_was(vault: Path) -> None:
    _git(vault, "init", "-q")
    _git(vault, "add", "a.md", "b.md")
    _git(vault, "commit", "-qm", "two")
    (vault / "a.md").unlink()
    (vault / "b.md").write_bytes(memory_text("Other text.\n", id="m_bbb", title="changed"))
    ws = _open(vault)
    then = list_memories(ws.view(), at="HEAD", sort=Sort.PATH)
    assert [entry.title for entry in then.entries] == ["Beta", "alpha"]
    assert show_memory(ws.view(), "m_aaa", at="HEAD").memory.title == "Beta"
    assert show_memory(ws.view(), "m_bbb").memory.title == "changed"
    assert show_memory(ws.view(), "m_bbb", at="HEAD").memory.body == "Some text.\n"
    with pytest.raises(NotFoundError):
        show_memory(ws.view(), "m_aaa")


def test_show_gives_the_file_as_it_stands(vault: Path) -> None:
    shown = show_memory(_open(vault).view(), "m_aaa")
    assert shown.values["mood"] == "calm"
    assert shown.values["confidence"] == pytest.approx(0.5)
    done = subprocess.run(["git", "hash-object", "a.md"], cwd=vault, capture_output=True, text=True, check=True)
    assert shown.revision == done.stdout.strip()
    assert path_of(_open(vault).view(), "m_aaa").path == "a.md"


def test_show_tells_what_a_search_would_call_quality_and_what_fading_leaves_of_the_confidence(vault: Path) -> None:
    (vault / "a.md").write_bytes(
        memory_text("Bella.\n", id="m_aaa", confidence="0.9", created_at='"2020-01-01T00:00:00Z"', importance="low")
    )
    ws = _open(vault)
    hit, shown = search(ws.view(), "Bella").hits[0], show_memory(ws.view(), "m_aaa")  # being shown makes it stronger
    assert shown.quality == pytest.approx(hit.quality, abs=1e-6)
    assert shown.confidence_now == pytest.approx(0.5, abs=0.01)
    assert show_memory(ws.view(), "m_ccc").confidence_now == pytest.approx(0.8, abs=0.2)
    assert show_memory(ws.view(), "f.md").confidence_now is None


def test_what_may_not_be_seen_is_not_there(vault: Path) -> None:
    for ref in ("m_eee", "note:m_eee", "e.md"):
        with pytest.raises(NotFoundError) as hidden:
            show_memory(_open(vault).view(), ref)
        with pytest.raises(NotFoundError) as missing:
            show_memory(_open(vault).view(), ref.replace("e", "x"))
        assert str(hidden.value) == str(missing.value).replace("x", "e")
        assert hidden.value.hint == missing.value.hint
