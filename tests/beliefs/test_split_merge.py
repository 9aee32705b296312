"""Two memories of one, and one of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from memstore.beliefs.calibration import calibrate
from memstore.beliefs.recompute import check_confidences
from memstore.beliefs.reinforce import contradict, reinforce
from memstore.core.errors import NotFoundError, RefusedError, UsageError
from memstore.memories.promote import supersede
from memstore.memories.show import show_memory
from memstore.memories.split import merge, split
from memstore.vault.check import check
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from memstore.core.memory import Memory
    from memstore.vault.workspace import Workspace

FILES = {
    "b.md": memory_text("Both.\n", type="belief", id="m_b", confidence="0.6", tags="[dog]", source="me"),
    "c.md": memory_text("Same.\n", type="belief", id="m_c", confidence="0.9", tags="[cat]", derived_from="[raw:m_raw]"),
    **{f"{name}.md": memory_text(type="episode", id=f"m_{name}", source="me") for name in ("one", "two", "half")},
    "raw.md": memory_text(type="raw", id="m_raw", source="me"),
    "tombstone.md": memory_text(type="belief", id="m_t", status="forgotten"),
}


def ws_with_evidence(**changed: bytes) -> Workspace:
    ws = memory_workspace({**FILES, **{f"{name}.md": data for name, data in changed.items()}})
    reinforce(ws.view(), "m_b", ["m_one", "m_two"])
    reinforce(ws.view(), "m_b", "m_half", partial=True)
    return ws


def memory(ws: Workspace, ref: str | None) -> Memory:
    return show_memory(ws.view(), ref or "").memory


def test_each_piece_of_evidence_goes_to_one_part_and_partial_ones_are_halved() -> None:
    ws = ws_with_evidence()
    done = split(ws.view(), "m_b", ("First.", "Second."), first=["m_one"], second=["episode:m_two"])
    first, second, old = (memory(ws, saved.ref) for saved in (done.saved, *done.others))
    assert (old.status, old.superseded_by) == ("superseded", (str(first.ref), str(second.ref)))
    assert old.confidence == memory(ws_with_evidence(), "m_b").confidence
    for part, own in ((first, "episode:m_one"), (second, "episode:m_two")):
        assert (part.supersedes, part.derived_from, part.tags) == (("belief:m_b",), ("belief:m_b",), ("dog",))
        assert part.relates_to == tuple(ref for ref in old.relates_to if ref in (own, "episode:m_half"))
        assert [(line.op, line.evidence_source, line.weight) for line in part.confidence_history] == [
            ("assert", "belief:m_b", None), ("support", own, 0.4), ("partial", "episode:m_half", 0.2),
        ]  # fmt: skip
        assert part.confidence == round((0.6 * 6 + 0.4 + 0.1) / 6.6, 4)
    assert check_confidences(ws.view()).unequal == ()
    assert not check(ws.view()).errors


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"first": ["m_one"]}, "this evidence is given to neither of the two: episode:m_two"),
        ({"first": ["m_one", "m_two"], "second": ["m_two"]}, "episode:m_two is given to both"),
        ({"first": ["m_one", "m_raw"], "second": ["m_two"]}, "raw:m_raw is not evidence for belief:m_b"),
    ],
)
def test_what_is_no_way_to_split(given: dict[str, Any], said: str) -> None:
    ws = ws_with_evidence()
    files = dict(files_of(ws))
    with pytest.raises(UsageError, match=said):
        split(ws.view(), "m_b", ("First.", "Second."), **given)
    assert files_of(ws) == files


@pytest.mark.parametrize("first", [(), ("m_raw",)])
def test_who_is_not_the_owner_is_told_nothing_of_hidden_evidence(first: tuple[str, ...]) -> None:
    shared = FILES["b.md"].replace(b"type: belief\n", b"type: belief\naccess_grants: [si:ash]\n")
    raw = FILES["raw.md"].replace(b"type: raw\n", b"type: raw\naccess_grants: [si:ash]\n")
    files = dict(files_of(ws_with_evidence(b=shared, raw=raw)))
    with pytest.raises(RefusedError, match="only its owner may change it") as refused:
        split(memory_workspace(files, actor="si:ash").view(), "m_b", ("First.", "Second."), first=first)
    assert "m_one" not in f"{refused.value} {refused.value.hint}"


def test_a_note_without_a_number_is_split_without_one() -> None:
    ws = memory_workspace({"n.md": memory_text("Two things.\n", id="m_n")})
    done = split(ws.view(), "m_n", ("One thing.", "Another."), reason="It was two")
    assert memory(ws, "m_n").status_reason == "It was two"
    assert memory(ws, done.saved.ref).confidence_history == ()
    with pytest.raises(RefusedError, match="already superseded"):
        split(ws.view(), "m_n", ("Again.", "And again."))


def test_the_first_takes_the_place_of_the_others_with_what_they_knew() -> None:
    ws = ws_with_evidence()
    reinforce(ws.view(), "m_c", ["m_one", "m_raw"])
    before = memory(ws, "m_b")
    done = merge(ws.view(), ["m_b", "m_c", "b.md"])
    kept, other = memory(ws, done.saved.ref), memory(ws, "m_c")
    assert (kept.supersedes, other.superseded_by, other.status) == (("belief:m_c",), ("belief:m_b",), "superseded")
    assert (kept.tags, kept.aliases, kept.derived_from) == (("dog", "cat"), ("Same.",), ("raw:m_raw",))
    added = kept.confidence_history[len(before.confidence_history) :]
    assert [(line.op, line.evidence_source) for line in added] == [("support", "raw:m_raw")]
    assert (kept.confidence or 0) > (before.confidence or 0)
    assert check_confidences(ws.view()).unequal == ()
    assert other.status_reason is None
    assert merge(
        ws.view(), ["m_b", "m_raw"], reason="The same"
    ).saved.changed  # any type; a list where there are several
    assert memory(ws, "m_b").supersedes == ("belief:m_c", "raw:m_raw")
    assert memory(ws, "m_raw").status_reason == "The same"


def test_nobody_sees_the_one_who_did_not_see_both() -> None:
    granted = memory_text(
        "Same.\n", type="belief", id="m_c", access_grants="[si:ash, si:claire]", access_denies="[x:y]"
    )
    public = memory_text("Both.\n", type="belief", id="m_b", access_grants='["*"]')
    ws = memory_workspace({"b.md": public, "c.md": granted})
    merge(ws.view(), ["m_b", "m_c"])
    assert (memory(ws, "m_b").access_grants, memory(ws, "m_b").access_denies) == (("si:ash", "si:claire"), ("x:y",))
    private = memory_workspace({"b.md": granted, "c.md": memory_text("P.\n", type="belief", id="m_d")})
    merge(private.view(), ["m_c", "m_d"])
    assert memory(private, "m_c").access_grants == ()


def test_who_told_one_of_them_in_confidence_is_asked_about_the_one_that_stays() -> None:
    open_to_bob = {"access_grants": "[human:bob]", "type": "belief"}
    files = {
        "b.md": memory_text(
            "Both.\n", id="m_b", source_entity="human:sean", consent_grants="[human:sean]", **open_to_bob
        ),
        "c.md": memory_text(
            "Alice is ill.\n", id="m_c", source_entity="human:alice", source_chain="[human:sean, si:x]",
            consent_grants="[human:sean]", **open_to_bob,
        ),
    }  # fmt: skip
    ws = memory_workspace(files)
    bob = memory_workspace(files, actor="human:bob")
    assert show_memory(bob.view(), "m_b").memory.id == "m_b"
    with pytest.raises(NotFoundError):
        show_memory(bob.view(), "m_c")
    merge(ws.view(), ["m_b", "m_c"])
    kept = memory(ws, "m_b")
    assert (kept.aliases, kept.source_entity) == (("Alice is ill.",), "human:sean")
    assert kept.source_chain == ("human:alice", "si:x")
    with pytest.raises(NotFoundError):
        show_memory(memory_workspace(files_of(ws), actor="human:bob").view(), "m_b")


def _permit(memory_id: str) -> dict[str, bytes]:
    keys = ("grantor: human:claire", "grantee: human:bob", f"scope: mem:{memory_id}")
    head = "\n".join(("type: consent", f"id: con_{memory_id}", *keys, 'granted_at: "2026-01-01T00:00:00Z"'))
    return {f"consents/2026/con_{memory_id}.md": f"---\n{head}\n---\n".encode()}


def test_a_consent_for_one_of_them_shows_nobody_the_other() -> None:
    told = {"type": "belief", "access_grants": "[human:bob]", "source_entity": "human:claire"}
    files = {
        "b.md": memory_text("Both.\n", id="m_b00000000", **told),
        "c.md": memory_text("Alice is ill.\n", id="m_c00000000", **told),
    } | _permit("m_b00000000")
    ws = memory_workspace(files)
    bob = memory_workspace(files, actor="human:bob")
    assert memory(bob, "m_b00000000").body == "Both.\n"
    with pytest.raises(NotFoundError):
        memory(bob, "m_c00000000")
    with pytest.raises(RefusedError, match="sees only one of them"):
        merge(ws.view(), ["m_b00000000", "m_c00000000"])
    assert {path: files_of(ws)[path] for path in files} == files
    both = memory_workspace(files | _permit("m_c00000000"))
    merge(both.view(), ["m_b00000000", "m_c00000000"])
    assert memory(memory_workspace(files_of(both), actor="human:bob"), "m_b00000000").aliases == ("Alice is ill.",)


@pytest.mark.parametrize(
    ("refs", "error"), [(["m_b"], UsageError), (["m_b", "m_b"], UsageError), (["m_b", "m_t"], RefusedError)]
)
def test_what_can_not_become_one(refs: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        merge(memory_workspace(FILES).view(), refs)


@pytest.mark.parametrize("keys", [{"scope": "project:a"}, {"context": "ctx:vet"}])
def test_scopes_and_contexts_never_mix(keys: dict[str, str]) -> None:
    ws = memory_workspace({**FILES, "c.md": memory_text("Same.\n", type="belief", id="m_c", **keys)})
    with pytest.raises(RefusedError, match="differ in"):
        merge(ws.view(), ["m_b", "m_c"])


def test_no_circle_is_closed() -> None:
    made_of_b = memory_text(type="note", id="m_made", derived_from="[belief:m_b]")
    c = memory_text("Same.\n", type="belief", id="m_c", derived_from="[note:m_made]")
    with pytest.raises(RefusedError, match="circle"):
        merge(memory_workspace({**FILES, "made.md": made_of_b, "c.md": c}).view(), ["m_b", "m_c"])


def test_what_contradicted_the_old_is_evidence_for_the_heir() -> None:
    ws = memory_workspace(FILES)
    reinforce(ws.view(), "m_b", "m_one")
    contradict(ws.view(), "m_b", "m_two")
    old = memory(ws, "m_b")
    done = supersede(ws.view(), "m_b", "Not both.", {"confidence": 0.5}, since="2026-01-01")
    heir, after = memory(ws, done.saved.ref), memory(ws, "m_b")
    assert [(line.op, line.evidence_source) for line in heir.confidence_history] == [
        ("assert", "belief:m_b"), ("support", "episode:m_two"),
    ]  # fmt: skip
    assert heir.confidence == round(3.4 / 6.4, 4)
    assert heir.relates_to == ("episode:m_one", "episode:m_two")
    assert (after.confidence, after.valid_until) == (old.confidence, "2026-01-01")
    assert check_confidences(ws.view()).unequal == ()


def test_a_prediction_that_went_along_with_a_split_is_scored_once() -> None:
    ws = ws_with_evidence()
    before = calibrate(ws.view())
    split(ws.view(), "m_b", ("First.", "Second."), first=["m_one"], second=["m_two"])
    assert before.predictions == 3
    assert calibrate(ws.view()) == before
