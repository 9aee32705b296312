"""Compression: what keeps its text, what is left of the others, and that every byte comes back."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.beliefs.compress import compress, summary
from memstore.core.digests import blob_id
from memstore.core.errors import NotFoundError, RefusedError
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.history import HISTORY
from memstore.memories.show import expand
from memstore.search import USAGE
from memstore.search.usage_log import Use
from memstore.vault.check import check
from memstore.vault.status import undo
from tests.git_repositories import memory, vault_in
from tests.memory_workspace import OWNER, files_of, history_that, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.vault.workspace import Workspace

OLD, NEW = '"2025-06-01T12:00:00Z"', '"2026-01-20T12:00:00Z"'
LONG = f"Claire called at noon. She had been to the coast, and it had rained all day.\n\n{'Rain. ' * 40}\n"


def committed(files: dict[str, bytes]) -> Workspace:
    """Return a vault in memory of which git has all files as they are."""
    blobs = {blob_id(data): data for data in files.values()}
    at = {path: blob_id(data) for path, data in files.items()}
    history = history_that(
        repository=True, blob_id=blob_id, require=lambda: True, head=lambda: "c" * 40, files_at=lambda _: at,
        blobs=lambda ids: {one: blobs[one] for one in ids if one in blobs},
    )  # fmt: skip
    return memory_workspace(files).having(HISTORY, history)


def old(memory_id: str, body: str = LONG, **keys: str) -> bytes:
    return memory_text(body, **{"id": memory_id, "created_at": OLD, **keys})


def body(ws: Workspace, path: str) -> str:
    file = memory_file.read(path, files_of(ws)[path])
    assert isinstance(file, MemoryFile)
    return file.memory.body


def test_title_and_first_sentence_are_left() -> None:
    ws = committed({"a.md": old("m_one", title="Claire's call", confidence="0.6")})
    before = files_of(ws)["a.md"]
    done = compress(ws.view())
    assert [saved.ref for saved in done.saved] == ["note:m_one"]
    assert done.sizes[0].before == len(before)
    assert body(ws, "a.md") == "Claire called at noon.\n"
    file = memory_file.read("a.md", files_of(ws)["a.md"])
    assert isinstance(file, MemoryFile)
    kept = file.memory.compressed_from
    assert kept is not None
    assert (kept.commit, kept.blob) == ("c" * 40, blob_id(before))
    assert file.memory.confidence == 0.6
    assert expand(ws.view(), "m_one", full=True).whole == before
    assert compress(ws.view()).saved == ()
    undo(ws.view())
    assert files_of(ws)["a.md"] == before


KEPT = {
    "young.md": old("m_young", created_at=NEW), "high.md": old("m_high", importance="high"),
    "belief.md": old("m_belief", type="belief"), "value.md": old("m_value", type="value"),
    "gone.md": old("m_gone", status="archived"),
    "signed.md": old(
        "m_signed", signature='{profile: memstore-1, by: "human:sean", at: "2025-06-01T12:00:00Z", '
        'content: "sha256:0", provenance: "sha256:0", sig: x}',
    ),
    "cited.md": old("m_cited"), "cites.md": old("m_cites", "See [[note:m_cited#L5-L5@abc]].\n", created_at=NEW),
    "used.md": old("m_used"), "dirty.md": old("m_dirty"), "short.md": old("m_short", "So short.\n"),
    "hers.md": old("m_hers", owner="si:ash"), "lines.md": old("m_lines"),
    "made.md": old("m_made", derived_from='["file:lines.md#L5-L6@abc"]', created_at=NEW),
}  # fmt: skip


def test_what_keeps_its_text() -> None:
    ws = committed(KEPT)
    ws.of(USAGE).record(Use("m_used", ws.clock.now(), OWNER, "show"))
    files_of(ws)["dirty.md"] += b"by hand\n"
    before = dict(files_of(ws))
    assert compress(ws.view()).saved == ()
    assert files_of(ws) == before
    for named, why in (("m_used", "used"), ("m_dirty", "committed"), ("m_cited", "cites"), ("m_high", "important")):
        with pytest.raises(RefusedError, match=why):
            compress(ws.view(), [named])


def test_it_is_the_owners_history() -> None:
    ws = committed({"a.md": old("m_one", owner="si:ash")})
    with pytest.raises(RefusedError):
        compress(ws._replace(actor="si:ash").view())


@given(
    text=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=80, max_size=200),
    eol=st.sampled_from(["\n", "\r\n"]),
    end=st.booleans(),
)
def test_every_byte_comes_back(text: str, eol: str, end: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
    head = f'---\n# by hand\ntype: note\nid:   m_one\ncreated_at: {OLD}\ntitle: "T"\n---\n\nFirst one. {text}\n\nmore'
    data = (head + ("\n" if end else "")).replace("\n", eol).encode()
    ws = committed({"a.md": data})
    if compress(ws.view()).saved:
        assert files_of(ws)["a.md"] != data
        assert b"# by hand" in files_of(ws)["a.md"]
        assert expand(ws.view(), "m_one", full=True).whole == data
    else:
        assert files_of(ws)["a.md"] == data


def test_a_blob_of_something_else_is_not_shown() -> None:
    other = old("m_other")
    mark = f'{{commit: {"c" * 40}, blob: "{blob_id(other)}"}}'
    ws = committed({"other.md": other, "a.md": old("m_one", compressed_from=mark)})
    with pytest.raises(NotFoundError, match="blob"):
        expand(ws.view(), "m_one", full=True)


def test_in_a_real_repository(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    whole = memory("m_one", LONG, created_at=OLD)
    vault.write("a.md", whole)
    vault.commit("a call")
    done = compress(vault.open().view(), ["m_one"], commit=True)
    assert done.saved[0].commit
    assert len((vault.root / "a.md").read_text()) < len(whole) + 100
    assert expand(vault.open().view(), "m_one", full=True).whole == whole.encode()


@pytest.mark.parametrize(
    ("title", "text", "has_title", "left"),
    [
        ("Call", "It rained. Two.", True, "It rained."),
        ("Call", "It rained. Two.", False, "# Call\n\nIt rained."),
        ("One and two…", "One and two and three. Four.", False, "One and two and three."),
        ("T", "no end", True, "no end"),
        ("T", "Dr. Smith came at ten. He left.", True, "Dr. Smith came at ten."),
        ("T", "It costs 3.50 now. More.", True, "It costs 3.50 now."),
    ],
)
def test_summaries(title: str, text: str, *, has_title: bool, left: str) -> None:
    assert summary(title, text, has_title=has_title) == left


def test_check_tells_where_the_whole_is_lost(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    vault.write("a.md", memory("m_one", LONG, created_at=OLD))
    vault.commit("a call")
    compress(vault.open().view(), commit=True)

    def lost() -> list[tuple[str, int]]:
        found = check(vault.open().view()).findings
        return [(one.path, one.at.line) for one in found if one.code == "compressed-lost"]

    assert lost() == []
    said = (vault.root / "a.md").read_text()
    line = said[: said.index("compressed_from")].count("\n") + 1
    vault.write("a.md", said.replace("m_one", "m_two"))  # the blob holds another memory
    assert lost() == [("a.md", line)]
    shutil.rmtree(vault.root / ".git")
    vault.write("a.md", said)
    assert lost() == [("a.md", line)]
