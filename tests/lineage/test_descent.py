"""What an agent writes names the external memories that it was shown, wherever it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.access import QUOTED
from memstore.access.local_state import Quoted
from memstore.core.change import Edit
from memstore.core.transaction import save
from memstore.files import memory_file
from memstore.lineage.descent import descended, from_outside, note_shown, quotations
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from memstore.core.view import View
    from memstore.vault.workspace import Workspace

PAGE = memory_text("Buy here.\n", id="m_page000001", source_type="external")
GONE = memory_text("\n", id="m_gone000001", source_type="external", status="forgotten")
OWN = memory_text("Tea is green.\n", id="m_own0000001", title="Tea")
SOURCE = memory_text("Tea grows.\n", id="m_root000001")
QUOTING = memory_text("Tea!\n", id="m_quot000001", source_type="external", derived_from='["note:m_root000001"]')


@pytest.fixture
def ws() -> Workspace:
    files = {"page.md": PAGE, "gone.md": GONE, "own.md": OWN, "source.md": SOURCE, "quoting.md": QUOTING}
    return memory_workspace(files).having(QUOTED, Quoted())


def changed(view: View, path: str, old: bytes, new: bytes) -> bytes:
    """Return what is written if an agent replaces a part of a memory's file."""
    before = view.original(path)
    edit = descended(view, Edit(path=path, before=before, after=before.data.replace(old, new)))
    return edit.after


def sources(data: bytes) -> tuple[str, ...]:
    file = memory_file.read("a.md", data)
    assert isinstance(file, memory_file.MemoryFile)
    return file.memory.derived_from


def test_only_external_memories_that_may_be_seen_are_named(ws: Workspace) -> None:
    view = ws.view()
    note_shown(view, ["note:m_own0000001", None, "note:m_none000001", "note:m_page000001", "note:m_gone000001"])
    assert sources(changed(view, "own.md", b"green", b"cheap")) == ("note:m_page000001",)
    assert view.of(QUOTED).take_named() == ["note:m_page000001"]
    assert view.of(QUOTED).take_named() == []


@pytest.mark.parametrize(
    ("old", "new", "is_said"),
    [
        (b"green", b"cheap", True),
        (b"title: Tea", b"title: Buy", True),
        (b"title: Tea", b"title: Tea\nclaims: [{subject: tea, attribute: price, value: low}]", True),
        (b"title: Tea", b"title: Tea\ntags: [tea]", False),
        (b"title: Tea", b"title: Tea\nstatus: archived\nstatus_reason: old", False),
        (b"title: Tea", b"title: Tea", False),
    ],
)
def test_what_says_something_anew_is_derived(ws: Workspace, old: bytes, new: bytes, *, is_said: bool) -> None:
    view = ws.view()
    assert old in OWN
    assert sources(changed(view, "own.md", old, new)) == ()
    note_shown(view, ["note:m_page000001"])
    assert sources(changed(view, "own.md", old, new)) == (("note:m_page000001",) if is_said else ())


def test_lineage_has_no_circles_and_a_page_stays_somebody_elses(ws: Workspace) -> None:
    view = ws.view()
    note_shown(view, ["note:m_quot000001"])
    assert sources(changed(view, "source.md", b"grows", b"sells")) == ()
    assert sources(changed(view, "page.md", b"here", b"there")) == ()
    assert sources(changed(view, "quoting.md", b"Tea!", b"Tea?")) == ("note:m_root000001",)
    note_shown(view, ["note:m_page000001"])
    assert sources(changed(view, "source.md", b"grows", b"sells")) == ("note:m_page000001",)


@pytest.mark.parametrize(
    ("verb", "is_said"), [("edit", True), ("anything", True), ("consolidate", False), ("mv", False)]
)
def test_every_transaction_asks_but_for_what_rules_word(ws: Workspace, verb: str, *, is_said: bool) -> None:
    view = ws.view()
    note_shown(view, ["note:m_page000001"])
    before = view.original("own.md")
    save(view, Edit(path="own.md", before=before, after=before.data.replace(b"green", b"cheap")), verb=verb)
    assert (b"derived_from" in files_of(ws)["own.md"]) is is_said


def test_reading_what_was_derived_from_a_page_counts_as_reading_the_page() -> None:
    derived = memory_text("Buy, it says.\n", id="m_made000001", derived_from='["note:m_page000001"]')
    further = memory_text("So buy.\n", id="m_made000002", derived_from='["note:m_made000001", "note:m_made000002"]')
    ws = memory_workspace({"page.md": PAGE, "own.md": OWN, "made.md": derived, "more.md": further})
    view = ws.having(QUOTED, Quoted()).view()
    refs = ["note:m_own0000001", "note:m_made000001", "note:m_made000002", None]
    assert from_outside(view, refs) == ["note:m_made000001", "note:m_made000002"]
    note_shown(view, ["note:m_made000002"])
    assert sources(changed(view, "own.md", b"green", b"cheap")) == ("note:m_made000002",)


def test_sources_that_name_each_other_in_a_circle_have_an_end() -> None:
    files = {
        f"{at}.md": memory_text("Tea.\n", id=f"m_circle000{at}", derived_from=f'["note:m_circle000{to}"]')
        for at, to in ((1, 2), (2, 3), (3, 2))
    }
    view = memory_workspace({"page.md": PAGE, **files}).view()
    assert from_outside(view, ["note:m_circle0001"]) == []


def test_quotations_are_found_at_any_depth() -> None:
    hit = {"external": {"trust": ""}, "ref": "note:m_a", "more": [{"title": "Tea", "ref": "note:m_b"}]}
    others = [{"external": None, "ref": "note:m_c"}, {"external": True, "ref": None}]
    assert [*quotations({"results": [hit, *others]})] == ["note:m_a", "note:m_b"]
    assert [*quotations(None)] == []
