from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.access.entities import add_entity
from memstore.core.config import Config
from memstore.core.errors import NotFoundError, RefusedError, UsageError
from memstore.core.file_names import slug
from memstore.memories.add import add_draft, add_memory
from memstore.vault.status import undo
from tests.memory_workspace import OWNER, files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from memstore.core.change import Saved
    from memstore.files.render import Plain

RAW = memory_text(id="m_7f3k9q2x1c", type="raw")


def test_a_note_gets_what_its_writer_left_out() -> None:
    ws = memory_workspace()
    saved = add_memory(ws.view(), {}, "Bella eats at eight.")
    assert saved.ref == "note:m_0000000001"
    assert saved.path == "notes/2026/bella-eats-at-eight-0000.md"
    assert (
        files_of(ws)[saved.path].decode()
        == """\
---
type: note
id: m_0000000001
created_at: "2026-02-01T12:00:00Z"
author: human:sean
source_type: direct_experience
---

Bella eats at eight.
"""
    )


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("2021-05-05", "2021-05-05T00:00:00Z"),
        ("2021-05", "2021-05-01T00:00:00Z"),
        ("2021-05-05T10:00+02:00", "2021-05-05T08:00:00Z"),
        ("2021-05-05T10:00:07Z", "2021-05-05T10:00:07Z"),
    ],
)
def test_a_stated_time_may_be_typed_like_any_date(given: str, stored: str) -> None:
    ws = memory_workspace({})
    saved = add_memory(ws.view(), {"created_at": given}, "Bella eats at eight.")
    drafted = add_draft(ws.view(), b"---\ntype: note\n---\nShe naps.\n", {"created_at": given})
    texts = files_of(ws)
    assert all(f'created_at: "{stored}"'.encode() in texts[one.path] for one in (saved, drafted))
    with pytest.raises(UsageError, match="created_at"):
        add_memory(ws.view(), {"created_at": "some day"}, "Bella eats at nine.")


def test_a_belief_states_its_confidence() -> None:
    ws = memory_workspace()
    saved = add_memory(ws.view(), {"type": "belief", "title": "Ünïted: we stand!", "tags": ["a"]}, "x")
    assert saved.path == "beliefs/2026/united-we-stand-0000.md"
    head = files_of(ws)[saved.path].decode()
    assert (
        "confidence: 0.8\n"
        "confidence_history:\n"
        '  - {timestamp: "2026-02-01T12:00:00Z", op: assert, old: null, new: 0.8, by: "human:sean"}\n'
    ) in head


def test_an_entity_in_the_source_grants_nothing() -> None:
    ws = memory_workspace(actor="si:ash", config=Config(owner=OWNER, filenames="id"))
    saved = add_memory(ws.view(), {"type": "raw", "source": "human:claire"}, "We met.")
    text = files_of(ws)[saved.path].decode()
    assert "source_type: told_by_human" in text
    assert "source_entity" not in text
    assert "access_grants" not in text


@pytest.mark.parametrize("draft", [False, True])
def test_a_teller_in_the_source_was_heard_and_has_no_say_until_named(*, draft: bool) -> None:
    ws = memory_workspace()

    def written(**values: Plain) -> Saved:
        if draft:
            return add_draft(ws.view(), b"---\nsource: vet:dr_smith\n---\nBella limps.\n", values)
        return add_memory(ws.view(), {"source": "vet:dr_smith", **values}, "Bella limps.")

    saved = written()
    assert "source_type: told_by_human" in files_of(ws)[saved.path].decode()
    (finding,) = saved.findings
    assert finding.code == "source-names-teller"
    assert finding.hint == (
        f"--source-entity vet:dr_smith names who told it; here: memstore set {saved.ref} source_entity=vet:dr_smith"
    )
    assert written(source_entity="vet:dr_smith").findings == ()
    assert written(source_type="observation").findings == ()


def test_the_registry_says_whether_a_teller_is_an_agent() -> None:
    ws = memory_workspace()
    add_entity(ws.view(), "bird:polly", kind="agent")
    for values in ({"source_entity": "bird:polly"}, {"source": "bird:polly"}):
        saved = add_memory(ws.view(), {**values}, "Polly says hello.")
        assert "source_type: told_by_agent" in files_of(ws)[saved.path].decode()


def test_anothers_memory_is_their_own() -> None:
    ws = memory_workspace(actor="si:ash", config=Config(owner=OWNER, filenames="id"))
    saved = add_memory(
        ws.view(), {"type": "episode", "source": "human:claire", "source_entity": "human:claire"}, "We met."
    )
    assert saved.path == "memories/episode/2026/02/m_0000000001.md"
    text = files_of(ws)[saved.path].decode()
    for line in (
        "owner: si:ash",
        "author: si:ash",
        "source_entity: human:claire",
        "source_type: told_by_human",
        'derived_from: ["context:human:claire"]'.replace('"', ""),
    ):
        assert line in text


def test_refs_are_written_in_whole() -> None:
    ws = memory_workspace({"memories/a.md": RAW})
    values: dict[str, Plain] = {
        "derived_from": ["m_7f3", "url:https://example.org"],
        "relates_to": ["raw:m_7f3k9q2x1c"],
    }
    text = files_of(ws)[add_memory(ws.view(), values, "x").path].decode()
    assert "derived_from: [raw:m_7f3k9q2x1c, url:https://example.org]" in text
    assert "relates_to: [raw:m_7f3k9q2x1c]" in text


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"derived_from": ["m_gone"]}, NotFoundError),
        ({"derived_from": ["note:m_7f3k9q2x1c"]}, NotFoundError),
        ({"relates_to": ["context:tea"]}, UsageError),
        ({"relates_to": ["memories/b.md"]}, UsageError),
        ({"type": "notes"}, UsageError),
        ({"confidence": 1.5}, UsageError),
        ({"access_grants": ["everybody"]}, UsageError),
        ({"id": "m_0000000009"}, RefusedError),
        ({"supersedes": ["raw:m_7f3k9q2x1c"]}, RefusedError),
        ({"status": "forgotten"}, RefusedError),
        ({" ": "x"}, UsageError),
    ],
)
def test_what_is_wrong_stops_it_and_nothing_is_written(values: dict[str, Plain], error: type[Exception]) -> None:
    ws = memory_workspace({"memories/a.md": RAW, "memories/b.md": memory_text()})
    with pytest.raises(error):
        add_memory(ws.view(), values, "x")
    assert list(files_of(ws)) == ["memories/a.md", "memories/b.md"]


def test_a_memory_of_somebody_else_is_not_there() -> None:
    ws = memory_workspace({"memories/a.md": RAW}, actor="si:ash")
    with pytest.raises(NotFoundError):
        add_memory(ws.view(), {"derived_from": ["m_7f3"]}, "x")


def test_a_memory_needs_a_text() -> None:
    with pytest.raises(UsageError):
        add_memory(memory_workspace().view(), {}, " \n")


def test_a_dry_run_shows_the_file_and_writes_nothing() -> None:
    ws = memory_workspace()
    saved = add_memory(ws.view(), {}, "Tea", dry_run=True)
    assert saved.diff.startswith(f"--- /dev/null\n+++ b/{saved.path}\n@@ -0,0 +1,9 @@\n+---\n+type: note\n")
    assert files_of(ws) == {}
    assert ws.journal.last() is None


def test_what_was_added_can_be_undone() -> None:
    ws = memory_workspace()
    add_memory(ws.view(), {}, "Tea")
    undo(ws.view())
    assert files_of(ws) == {}


def test_no_file_is_overwritten() -> None:
    first = memory_workspace()
    path = add_memory(first.view(), {}, "Tea").path
    ws = memory_workspace({path: b"mine"})
    other = add_memory(ws.view(), {}, "Tea").path  # another id makes another name
    assert other != path
    assert files_of(ws).keys() == {path, other}
    assert files_of(ws)[path] == b"mine"


def test_a_draft_keeps_its_style() -> None:
    ws = memory_workspace()
    saved = add_draft(ws.view(), b"---\r\ntitle: 'Tea' # mine\r\ntype: note\r\n---\r\nText.\r\n", {})
    assert files_of(ws)[saved.path].decode() == (
        "---\r\ntitle: 'Tea' # mine\r\n"
        'created_at: "2026-02-01T12:00:00Z"\r\nauthor: human:sean\r\nsource_type: direct_experience\r\n'
        "type: note\r\nid: m_0000000001\r\n---\r\nText.\r\n"
    )


@pytest.mark.parametrize("draft", [b"no fence", b"---\ntype: nothing\n---\nx\n", b"---\ntype: note\n---\n \n"])
def test_a_bad_draft_is_refused(draft: bytes) -> None:
    with pytest.raises(UsageError):
        add_draft(memory_workspace().view(), draft, {})


def test_a_draft_has_no_id() -> None:
    with pytest.raises(RefusedError):
        add_draft(memory_workspace().view(), memory_text(id="m_0000000009"), {})


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Tea at 8", "tea-at-8"),
        ("Straße & Œuvre", "strasse-oeuvre"),
        ("語", ""),
        ("../../etc/passwd", "etc-passwd"),
        ("x" * 70, "x" * 40),
        ("word " * 20, "word-word-word-word-word-word-word-word"),
    ],
)
def test_slugs(title: str, expected: str) -> None:
    assert slug(title) == expected


def test_a_draft_may_leave_its_type_out_and_options_win() -> None:
    ws = memory_workspace()
    saved = add_draft(ws.view(), b"---\ntitle: Tea\ntags: [a]\nid:\n---\nText.\n", {"tags": ["b"]})
    assert saved.ref == "note:m_0000000001"
    assert b"tags: [b]\n" in files_of(ws)[saved.path]


def test_a_value_that_was_given_alone_is_told_of_without_a_place_in_a_file() -> None:
    with pytest.raises(UsageError) as told:
        add_memory(memory_workspace().view(), {"confidence": 2}, "x")
    assert str(told.value) == "`confidence` must be a number from 0 to 1, and is 2"
