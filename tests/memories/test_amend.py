from __future__ import annotations

import pytest

from memstore.access.privacy import grant_access
from memstore.beliefs.reinforce import reinforce
from memstore.core.change import Edit, Saved
from memstore.core.errors import ChangedMeanwhileError, FormatError, NotFoundError, RefusedError, UsageError
from memstore.core.transaction import save
from memstore.memories.edit import Rejected, accept, set_keys, tag
from memstore.vault.check import fix
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

STYLED = b"""\
---
type: belief   # of mine
id: 'm_7f3k9q2x1c'
tags:
- dog
confidence: 0.80
confidence_history:
- {timestamp: "2026-02-01T12:30:00Z", op: assert, old: null, new: 0.8}
---
Text.
"""
OTHER = memory_text(id="m_other", type="episode")
PATH = "memories/tea.md"


@pytest.mark.parametrize(
    ("texts", "old", "new"),
    [
        ({"title": ["Tea: hot"]}, b"tags:", b'title: "Tea: hot"\ntags:'),
        ({"tags": ["dog,cat"]}, b"- dog\n", b"- dog\n- cat\n"),
        ({"tags": [""]}, b"tags:\n- dog\n", b""),
        ({"mine": ["0.5"]}, b"new: 0.8}\n", b"new: 0.8}\nmine: 0.5\n"),
        ({"relates_to": ["m_oth"]}, b"confidence: 0.80\n", b"confidence: 0.80\n"),
        ({"type": ["belief"]}, b"", b""),
        ({"confidence": ["0.8"]}, b"", b""),
    ],
)
def test_a_key_changes_and_nothing_else(texts: dict[str, list[str]], old: bytes, new: bytes) -> None:
    ws = memory_workspace({PATH: STYLED, "memories/other.md": OTHER})
    saved = set_keys(ws.view(), "m_7f3", texts)
    expected = STYLED.replace(old, new, 1)
    if "relates_to" in texts:
        expected = STYLED.replace(b"- dog\n", b"- dog\nrelates_to: [episode:m_other]\n")
    assert files_of(ws)[PATH] == expected
    assert saved.changed == (expected != STYLED)


@pytest.mark.parametrize(
    ("before", "texts", "after"),
    [
        ("direct_experience", {"source_entity": ["vet:dr_smith"]}, "told_by_human"),
        ("direct_experience", {"source": ["si:claire"]}, "told_by_agent"),
        ("unknown", {"source": ["vet:dr_smith"]}, "told_by_human"),
        ("direct_experience", {"source": ["a walk"]}, "direct_experience"),
        ("inference", {"source_entity": ["vet:dr_smith"]}, "inference"),
        ("unknown", {"source": ["vet:dr_smith"], "source_type": ["observation"]}, "observation"),
    ],
)
def test_whoever_names_a_teller_says_how_it_is_known(before: str, texts: dict[str, list[str]], after: str) -> None:
    ws = memory_workspace({PATH: memory_text(id="m_7f3k9q2x1c", type="note", source_type=before)})
    set_keys(ws.view(), "m_7f3", texts)
    assert f"source_type: {after}\n" in files_of(ws)[PATH].decode()


def test_a_confidence_that_is_set_is_recorded() -> None:
    ws = memory_workspace({PATH: STYLED})
    set_keys(ws.view(), "m_7f3", {"confidence": ["0.9"]})
    assert files_of(ws)[PATH] == STYLED.replace(b"0.80", b"0.9").replace(
        b"new: 0.8}\n",
        b'new: 0.8}\n- {timestamp: "2026-02-01T12:30:01Z", op: edit, old: 0.8, new: 0.9, by: "human:sean"}\n',
    )


@pytest.mark.parametrize(
    ("key", "text", "error"),
    [
        ("id", "m_0000000009", RefusedError),
        ("status", "superseded", RefusedError),
        ("witnesses", "x", RefusedError),
        ("status", "activ", UsageError),
        ("confidence", "high", UsageError),
        ("confidence", "1.2", UsageError),
        ("access_grants", "everybody", UsageError),
        ("type", "", UsageError),
        ("relates_to", "m_gone", NotFoundError),
        ("relates_to+", "m_gone", UsageError),
        ("tags-", "dog", UsageError),
        ("relates_to", "m_7f3k9q2x1c", UsageError),
    ],
)
def test_what_cannot_be_set_is_refused(key: str, text: str, error: type[Exception]) -> None:
    ws = memory_workspace({PATH: STYLED})
    with pytest.raises(error) as raised:
        set_keys(ws.view(), "m_7f3", {key: [text]})
    assert getattr(raised.value, "hint", None)
    assert files_of(ws)[PATH] == STYLED


def test_tags_come_and_go() -> None:
    ws = memory_workspace({PATH: STYLED})
    saved = tag(ws.view(), "m_7f3", add=["cat", "bird"], remove=["dog"])
    assert files_of(ws)[PATH] == STYLED.replace(b"tags:\n- dog\n", b"tags: [cat, bird]\n")
    assert saved.diff.count("\n+") == 2
    with pytest.raises(UsageError):
        tag(ws.view(), "m_7f3", add=["x"], remove=["x"])


def test_a_memory_of_somebody_else_is_not_there() -> None:
    ws = memory_workspace({PATH: STYLED}, actor="si:ash")
    with pytest.raises(NotFoundError):
        set_keys(ws.view(), "m_7f3k9q2x1c", {"title": ["x"]})


def test_a_draft_becomes_the_file() -> None:
    ws = memory_workspace({PATH: STYLED})
    before = ws.view().original("m_7f3")
    saved = accept(ws.view(), before, STYLED.replace(b"Text.", b"Other text."))
    assert isinstance(saved, Saved)
    assert b"Other text." in files_of(ws)[PATH]


@pytest.mark.parametrize(
    ("draft", "code"),
    [
        (b"Text.\n", "fence-opening"),
        (STYLED.replace(b"0.80", b"high"), "value-shape"),
        (STYLED.replace(b"m_7f3k9q2x1c", b"m_aaaaaaaaaa"), "id-changed"),
    ],
)
def test_a_bad_draft_is_handed_back(draft: bytes, code: str) -> None:
    ws = memory_workspace({PATH: STYLED})
    rejected = accept(ws.view(), ws.view().original("m_7f3"), draft)
    assert isinstance(rejected, Rejected)
    assert [finding.code for finding in rejected.findings] == [code]
    assert files_of(ws)[PATH] == STYLED


LINKED = {
    "a.md": memory_text(id="m_aaa"),
    "b.md": memory_text(id="m_bbb", derived_from="[note:m_aaa]"),
    "c.md": memory_text(id="m_ccc", derived_from="[note:m_bbb]", relates_to="[note:m_gone]"),
    "claire.md": memory_text(id="m_claire", owner="si:claire"),
}


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({"derived_from": "[note:m_ccc]"}, "lineage-cycle"),
        ({"derived_from": "[note:m_aaa]"}, "lineage-cycle"),
        ({"relates_to": "[note:m_aaa]"}, "lineage-cycle"),
        ({"derived_from": "[raw:m_nothing]"}, "ref-dangling"),
        ({"relates_to": "[note:m_claire]"}, "ref-dangling"),
        ({"relates_to": "[raw:m_bbb]"}, "ref-type"),
        ({"derived_from": "[nonsense]"}, "ref-form"),
    ],
)
def test_the_editor_takes_no_ref_that_a_command_would_refuse(keys: dict[str, str], code: str) -> None:
    ws = memory_workspace(LINKED)
    rejected = accept(ws.view(), ws.view().original("m_aaa"), memory_text(id="m_aaa", **keys))
    assert isinstance(rejected, Rejected)
    assert [(finding.code, finding.is_error) for finding in rejected.findings] == [(code, True)]
    assert files_of(ws) == LINKED


def test_the_editor_does_not_ask_for_what_was_wrong_before() -> None:
    ws = memory_workspace(LINKED)
    draft = LINKED["c.md"].replace(b"[note:m_bbb]", b"[note:m_aaa, note:m_bbb]")
    assert isinstance(accept(ws.view(), ws.view().original("m_ccc"), draft), Saved)
    assert files_of(ws)["c.md"] == draft


def test_a_save_in_between_wins() -> None:
    ws = memory_workspace({PATH: STYLED})
    before = ws.view().original("m_7f3")
    files_of(ws)[PATH] = STYLED + b"More.\n"
    with pytest.raises(ChangedMeanwhileError):
        accept(ws.view(), before, STYLED.replace(b"Text.", b"Other text."))
    assert files_of(ws)[PATH] == STYLED + b"More.\n"


def test_a_file_that_would_be_broken_is_never_written() -> None:
    ws = memory_workspace({PATH: STYLED})
    before = ws.view().original("m_7f3")
    with pytest.raises(FormatError):
        save(ws.view(), Edit(path=PATH, before=before, after=b"---\ntype: [\n---\n"), verb="set")
    with pytest.raises(RefusedError):
        save(ws.view(), Edit(path=PATH, before=before, after=memory_text()), verb="set")
    assert files_of(ws)[PATH] == STYLED


def test_a_broken_file_is_never_rewritten() -> None:
    from memstore.files import memory_file

    broken = memory_file.read(PATH, b"---\ntype: [\n---\n")
    ws = memory_workspace({PATH: broken.data})
    with pytest.raises(FormatError):
        save(ws.view(), Edit(path=PATH, before=broken, after=STYLED), verb="set")
    assert files_of(ws)[PATH] == broken.data


@pytest.mark.parametrize(("ref", "value"), [("m_c", "note:m_a"), ("m_b", "m_a"), ("raw.md", "m_a"), ("m_a", "m_a")])
def test_a_circle_of_any_length_is_refused(ref: str, value: str) -> None:
    files = {
        "a.md": memory_text(id="m_a", derived_from="[note:m_b, raw:m_raw]"),
        "b.md": memory_text(id="m_b", derived_from="[note:m_c]"),
        "c.md": memory_text(id="m_c"),
        "raw.md": memory_text(type="raw", id="m_raw"),
    }
    ws = memory_workspace(files)
    with pytest.raises((RefusedError, UsageError), match=r"circle|itself"):
        set_keys(ws.view(), ref, {"derived_from": [value]})
    assert files_of(ws) == files


def test_a_slip_in_a_new_key_is_told_when_it_is_written_and_not_again() -> None:
    ws = memory_workspace({"a.md": memory_text(id="m_known", tgs="x")})
    first = set_keys(ws.view(), "m_known", {"acess_grants": ["human:claire"], "mine": ["y"]})
    assert [(finding.code, finding.at.line) for finding in first.findings] == [("key-unknown", 5)]
    assert set_keys(ws.view(), "m_known", {"title": ["T"]}).findings == ()


MARKED = STYLED + b"\n<<<<<<< HEAD\nHot.\n=======\nCold.\n>>>>>>> other\n"


def test_an_unfinished_merge_is_decided_by_a_person_first() -> None:
    files = {PATH: MARKED, "memories/other.md": memory_text(id="m_other", type="episode", source_type="observation")}
    ws = memory_workspace(files)
    line = MARKED.split(b"\n").index(b"<<<<<<< HEAD") + 1
    for command in (
        lambda: tag(ws.view(), "m_7f3", add=["cat"]),
        lambda: set_keys(ws.view(), "m_7f3", {"title": ["Tea"]}),
        lambda: grant_access(ws.view(), "m_7f3", ["*"]),
        lambda: reinforce(ws.view(), "m_7f3", "m_other"),
    ):
        with pytest.raises(RefusedError, match=f"{PATH}:{line}:1: error: a conflict marker of an unfinished merge"):
            command()
    assert files_of(ws) == files
    assert not isinstance(accept(ws.view(), ws.view().original("m_7f3"), STYLED + b"\nHot.\n"), Rejected)
    tag(ws.view(), "m_7f3", add=["cat"])


def test_check_fix_leaves_an_unfinished_merge_alone() -> None:
    ws = memory_workspace({PATH: MARKED.replace(b"- dog\n", b"- dog\n- dog\n")})
    before = files_of(ws)[PATH]
    assert [finding.code for finding in fix(ws.view()).findings if finding.is_error] == ["conflict-marker"]
    assert files_of(ws)[PATH] == before
