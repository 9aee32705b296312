"""Grants given and taken back, what new memories inherit, who sees what; on a vault in memory."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memstore.access import CONTEXTS
from memstore.access.audit import audit_trail
from memstore.access.consents import consents, grant_consent, refuse_consent, revoke_consent
from memstore.access.contexts import (
    add_context,
    contexts,
    enter_context,
    leave_context,
    present_context,
    suggest_context,
)
from memstore.access.entities import add_entity, add_members
from memstore.access.local_state import CallContext
from memstore.access.privacy import explain_access, grant_access, revoke_access, set_access
from memstore.access.report import audit_sight, sight_report
from memstore.access.world import ActiveContext
from memstore.core.config import Config
from memstore.core.errors import NotFoundError, RefusedError, UsageError
from memstore.files import memory_file
from memstore.memories.create import note as add_note
from memstore.memories.create import raw as add_raw
from memstore.memories.search import search
from memstore.vault.status import undo
from tests.memory_workspace import files_of, memory_workspace

if TYPE_CHECKING:
    from memstore.core.change import Saved
    from memstore.core.memory import Memory
    from memstore.vault.workspace import Workspace

OWNER = "si:bella_agent"


@pytest.fixture
def ws() -> Workspace:
    ws = memory_workspace(actor=OWNER, config=Config(owner=OWNER)).having(CONTEXTS, CallContext())
    add_entity(ws.view(), "dog:bella", aliases=["Bella"], guardians=["human:sean"])
    add_context(ws.view(), "ctx:bella_health", roster=["human:sean", OWNER])
    add_context(ws.view(), "ctx:park", roster=["si:max", "si:luna"])
    return ws


def murmur(ws: Workspace) -> Saved:
    return add_raw(
        ws.view(), "Bella has a heart murmur", source_entity="vet:dr_smith", subject_ids=["dog:bella"],
        access_grants=["human:sean", OWNER], consent_grants=["human:sean"],
    )  # fmt: skip


def memory(ws: Workspace, saved: Saved) -> Memory:
    read = memory_file.read(saved.path, files_of(ws)[saved.path])
    assert isinstance(read, memory_file.MemoryFile)
    return read.memory


def seen_by(ws: Workspace, ref: str | None) -> list[tuple[str, str | None]]:
    return [(seer.entity, seer.context) for one in audit_sight(ws.view(), memory=ref or "") for seer in one.seen_by]


def test_contexts_are_listed_to_those_who_belong_to_them(ws: Workspace) -> None:
    def listed(ws: Workspace) -> list[str]:
        return [one.id for one in contexts(ws.view())]

    assert listed(ws) == ["ctx:bella_health", "ctx:park"]
    assert listed(ws._replace(actor="human:sean")) == ["ctx:bella_health"]
    assert listed(ws._replace(actor="human:tom")) == []
    enter_context(ws.view(), "ctx:park")
    assert listed(ws) == ["ctx:park"]
    enter_context(ws.view(), "ctx:nowhere")
    assert listed(ws) == []
    enter_context(ws.view(), "ctx:nowhere", participants=[OWNER])
    assert listed(ws) == ["ctx:bella_health", "ctx:park"]


# -- what a new memory inherits --------------------------------------------------------------------


def test_without_a_context_what_was_told_is_for_who_told_it(ws: Workspace) -> None:
    assert memory(ws, add_raw(ws.view(), "I am late", source_entity="human:sean")).access_grants == ("human:sean",)
    assert memory(ws, add_raw(ws.view(), "It rains")).access_grants == ()
    assert memory(ws, add_raw(ws.view(), "I am late", source_entity="human:sean", access_grants=[])).access_grants == ()


def test_in_a_context_told_ones_are_for_who_listens_and_observed_ones_for_the_context(ws: Workspace) -> None:
    enter_context(ws.view(), "ctx:bella_health", participants=["human:sean", OWNER], role="care_agent")
    told = memory(ws, add_raw(ws.view(), "Bella takes pimobendan", source_entity="human:sean"))
    seen = memory(ws, add_raw(ws.view(), "Bella seemed sad"))
    assert told.access_grants == ("human:sean", "ctx:bella_health")
    assert (seen.access_grants, seen.context) == (("ctx:bella_health",), "ctx:bella_health")


def test_what_belongs_elsewhere_is_asked_about(ws: Workspace) -> None:
    enter_context(ws.view(), "ctx:park")
    saved = add_raw(ws.view(), "Her heart is weak", subject_ids=["dog:bella"])
    closed, finding = saved.findings
    assert (finding.code, closed.code) == ("shared-elsewhere", "grant-closed")
    assert "did you mean to share that?" in finding.text
    assert memory(ws, saved).access_grants == ("ctx:park",)
    assert add_raw(ws.view(), "Her heart", subject_ids=["dog:bella"], access_grants=[]).findings == ()


def test_an_expired_context_lets_nothing_be_written(ws: Workspace) -> None:
    ws.of(CONTEXTS).enter(ActiveContext(id="ctx:park", expires_at=ws.clock.now() - timedelta(hours=1)))
    with pytest.raises(RefusedError, match="expired"):
        add_raw(ws.view(), "Anything")


# -- grants ----------------------------------------------------------------------------------------


def test_a_grant_needs_consent_for_the_new_grantee(ws: Workspace) -> None:
    saved = murmur(ws)
    before = dict(files_of(ws))
    with pytest.raises(RefusedError, match="subject:dog:bella") as error:
        grant_access(ws.view(), saved.ref or "", ["si:new_vet"])
    assert error.value.hint == f"memstore privacy grant {memory(ws, saved).id} --to si:new_vet --consent human:sean"
    assert files_of(ws) == before
    done = grant_access(ws.view(), saved.ref or "", ["si:new_vet"], ["human:sean"])
    assert [(one.grantor, one.grantee, one.scope) for one in consents(ws.view())] == [
        ("human:sean", "si:new_vet", f"mem:{memory(ws, saved).id}")
    ]
    assert done.grants == ("human:sean", OWNER, "si:new_vet")
    assert seen_by(ws, saved.ref) == [("human:sean", None), ("si:new_vet", None)]


def test_a_consent_that_is_taken_back_closes_at_once(ws: Workspace) -> None:
    saved = murmur(ws)
    done = grant_access(ws.view(), saved.ref or "", ["si:new_vet"], ["human:sean"])
    revoke_consent(ws.view(), done.consents[0], by="human:sean")
    assert seen_by(ws, saved.ref) == [("human:sean", None)]
    assert explain_access(ws.view(), saved.ref or "", "si:new_vet").code == "consent-revoked"


def test_nothing_is_granted_past_a_source_that_is_closed(ws: Workspace) -> None:
    source = add_raw(ws.view(), "It rained on us")
    made = add_note(ws.view(), "Rain is likely", derived_from=[source.ref or ""])
    with pytest.raises(RefusedError, match="closed to"):
        grant_access(ws.view(), made.ref or "", ["*"])


def test_whom_a_group_still_admits_is_denied_by_name(ws: Workspace) -> None:
    add_members(ws.view(), "group:team", ["si:max", "si:luna"])
    saved = add_raw(ws.view(), "Dogs love fetch", access_grants=["group:team", "si:max"])
    assert revoke_access(ws.view(), saved.ref or "", ["si:max"]).denies == ("si:max",)
    assert seen_by(ws, saved.ref) == [("si:luna", None)]
    assert grant_access(ws.view(), saved.ref or "", ["si:max"]).denies == ()
    assert revoke_access(ws.view(), saved.ref or "", ["group:team"]).denies == ()
    assert seen_by(ws, saved.ref) == [("si:max", None)]


@pytest.mark.parametrize("grantee", ["HUMAN:SEAN", "sean", "%", "_", '["human:sean"]', "human:sean,si:x"])
def test_a_grantee_is_an_id(ws: Workspace, grantee: str) -> None:
    saved = add_raw(ws.view(), "Dogs love fetch")
    with pytest.raises(UsageError):
        grant_access(ws.view(), saved.ref or "", [grantee])


def test_undo_takes_a_grant_back_with_its_consents(ws: Workspace) -> None:
    saved = murmur(ws)
    grant_access(ws.view(), saved.ref or "", ["si:new_vet"], ["human:sean"])
    undo(ws.view())
    assert memory(ws, saved).access_grants == ("human:sean", OWNER)
    assert consents(ws.view()) == ()
    assert [event.event for event in audit_trail(ws.view())][:2] == ["undo", "privacy grant"]


def test_a_dry_run_writes_nothing(ws: Workspace) -> None:
    saved = add_raw(ws.view(), "Dogs love fetch")
    before = dict(files_of(ws))
    assert "access_grants" in grant_access(ws.view(), saved.ref or "", ["*"], dry_run=True).saved.diff
    assert files_of(ws) == before


# -- who sees what ---------------------------------------------------------------------------------


def test_to_outsiders_a_hidden_memory_is_an_unknown_one(ws: Workspace) -> None:
    saved = murmur(ws)
    other = memory_workspace(files_of(ws), actor="si:max", config=Config(owner=OWNER))
    told = []
    for ref in (saved.ref or "", "raw:m_nothing000"):
        for act in (
            lambda ref=ref: explain_access(other.view(), ref, "si:max"),
            lambda ref=ref: grant_access(other.view(), ref, ["si:max"]),
            lambda ref=ref: revoke_access(other.view(), ref, ["human:sean"]),
            lambda ref=ref: audit_sight(other.view(), memory=ref),
        ):
            with pytest.raises(NotFoundError) as error:
                act()
            told.append((str(error.value).replace(ref, "…"), error.value.hint))
    assert len(set(told)) == 1
    assert audit_sight(other.view(), subject="dog:bella") == ()
    with pytest.raises(RefusedError):
        sight_report(other.view())


def test_sight_in_a_context_is_told_apart(ws: Workspace) -> None:
    saved = add_raw(ws.view(), "Dogs love fetch", access_grants=["ctx:park"])
    assert seen_by(ws, saved.ref) == [("si:luna", "ctx:park"), ("si:max", "ctx:park")]
    assert [one.ref for one in sight_report(ws.view())["si:max"]] == [saved.ref]
    assert audit_sight(ws.view(), entity="human:sean") == ()


# -- contexts --------------------------------------------------------------------------------------


def test_entering_switches_and_leaving_returns_to_none(ws: Workspace) -> None:
    enter_context(ws.view(), "ctx:park")
    present = enter_context(ws.view(), "ctx:bella_health")
    assert (present.registered, present.listeners) == (True, ("human:sean",))
    assert leave_context(ws.view()) == "ctx:bella_health"
    assert present_context(ws.view()).context is None
    assert not enter_context(ws.view(), "ctx:unknown").registered
    with pytest.raises(UsageError, match="role"):
        enter_context(ws.view(), "ctx:park", participants=["role:tutor"])


def test_a_context_is_suggested_and_not_entered(ws: Workspace) -> None:
    add_raw(ws.view(), "Heart murmurs", subject_ids=["dog:bella"], access_grants=["ctx:bella_health"])
    assert [one.context for one in suggest_context(ws.view(), "How is Bella's heart?")] == ["ctx:bella_health"]
    assert suggest_context(ws.view(), "The weather") == ()
    assert present_context(ws.view()).context is None


# -- seed 001's calls ----------------------------------------------------------------------------


def seen(ws: Workspace, query: str) -> list[str]:
    return [hit.content for hit in search(ws.view(), query).hits]


def test_seed_001_the_dog_agent(ws: Workspace) -> None:
    enter_context(ws.view(), "ctx:bella_care", participants=["human:sean", OWNER, "dog:bella"], role="role:care_agent")
    add_raw(
        ws.view(),
        "Bella has grade 2 heart murmur",
        source_entity="vet:dr_smith",
        subject_ids=["dog:bella", "condition:cardiac"],
        access_grants=["human:sean", "ctx:bella_care"],
        consent_grants=["human:sean", "vet:dr_smith"],
    )
    assert seen(ws, "heart murmur") == ["Bella has grade 2 heart murmur"]
    leave_context(ws.view())
    add_raw(ws.view(), "Dogs love fetch", access_grants=["*"])
    enter_context(ws.view(), "ctx:dog_park_social", participants=["si:max_agent", "si:luna_agent"])
    assert seen(ws, "heart murmur") == []
    assert seen(ws, "dogs fetch") == ["Dogs love fetch"]


def test_seed_001_the_school_agent() -> None:
    here = CallContext()
    ws = memory_workspace(actor="si:school_agent", config=Config(owner="si:school_agent")).having(CONTEXTS, here)
    add_entity(ws.view(), "human:student_123", guardians=["human:parent_456"])
    add_context(ws.view(), "ctx:student_123_academic", roster=["human:parent_456", "si:school_agent"])
    enter_context(
        ws.view(), "ctx:student_123_academic", participants=["human:parent_456", "si:school_agent"], role="role:tutor"
    )
    saved = add_raw(ws.view(), "The student struggles with fractions", subject_ids=["human:student_123"])
    assert seen(ws, "fractions") == ["The student struggles with fractions"]
    enter_context(ws.view(), "ctx:social")
    assert seen(ws, "fractions") == []
    leave_context(ws.view())
    with pytest.raises(RefusedError, match="needs the consent"):
        grant_access(ws.view(), saved.path, ["si:reading_specialist"])
    grant_consent(
        ws.view(),
        grantor="human:parent_456",
        on_behalf_of="human:student_123",
        grantee="si:reading_specialist",
        scope="ctx:student_123_academic",
    )
    grant_access(ws.view(), saved.path, ["si:reading_specialist"])
    assert seen(ws._replace(actor="si:reading_specialist"), "fractions") == ["The student struggles with fractions"]
    assert seen(ws._replace(actor="si:tutor_b"), "fractions") == []


# -- records that are gone -------------------------------------------------------------------------


def test_a_refusal_whose_file_was_deleted_never_widens(ws: Workspace) -> None:
    add_raw(
        ws.view(),
        "Bella eats at nine",
        subject_ids=["dog:bella"],
        access_grants=["si:max"],
        consent_grants=["human:sean"],
    )
    max_ = ws._replace(actor="si:max")
    assert seen(max_, "nine") == ["Bella eats at nine"]
    refused = refuse_consent(
        ws.view(), grantor="human:sean", on_behalf_of="dog:bella", grantee="si:max", scope="subject:dog:bella"
    )
    assert seen(max_, "nine") == []
    del files_of(ws)[refused.path]
    assert seen(max_, "nine") == []


def test_a_refusal_that_was_undone_is_none(ws: Workspace) -> None:
    add_raw(
        ws.view(),
        "Bella eats at nine",
        subject_ids=["dog:bella"],
        access_grants=["si:max"],
        consent_grants=["human:sean"],
    )
    refuse_consent(
        ws.view(), grantor="human:sean", on_behalf_of="dog:bella", grantee="si:max", scope="subject:dog:bella"
    )
    undo(ws.view())
    assert seen(ws._replace(actor="si:max"), "nine") == ["Bella eats at nine"]


def test_a_whole_list_replaces_the_grants(ws: Workspace) -> None:
    add_members(ws.view(), "group:pack", ["si:max"])
    saved = add_note(ws.view(), "Dogs love fetch.", access_grants=["human:sean", "si:luna"])
    done = set_access(ws.view(), saved.ref or "", ["human:sean", "group:pack"])
    assert done.grants == ("human:sean", "group:pack")
    assert "si:luna" not in [entity for entity, _ in seen_by(ws, saved.ref)]
    assert {event.event for event in audit_trail(ws.view())[:2]} == {"privacy grant", "privacy revoke"}
    # A list that names somebody opens it again to whom it was denied, and denies nobody whom a group in it admits.
    revoke_access(ws.view(), saved.ref or "", ["si:max"])
    assert set_access(ws.view(), saved.ref or "", ["group:pack", "si:max"]).denies == ()
    assert set_access(ws.view(), saved.ref or "", ["group:pack"]).denies == ()
    assert set_access(ws.view(), saved.ref or "", []).grants == ()
    assert seen_by(ws, saved.ref) == []
    before = files_of(ws)
    set_access(ws.view(), saved.ref or "", [])
    assert files_of(ws) == before


def test_a_list_that_lacks_a_consent_changes_nothing(ws: Workspace) -> None:
    saved = murmur(ws)
    before = files_of(ws)
    with pytest.raises(RefusedError, match="it needs the consent of"):
        set_access(ws.view(), saved.ref or "", ["si:max"])
    assert files_of(ws) == before


@pytest.mark.parametrize(
    ("about", "consents", "told"),
    [
        (["human:kid"], ["human:tom"], ["it stays closed to si:max: it needs the consent of subject:human:kid"]),
        (["dog:bella"], [], ["it stays closed to si:max: it needs the consent of subject:dog:bella"]),
        (["dog:bella"], ["human:sean"], []),
        ([], [], []),
    ],
)
def test_a_new_memory_that_stays_closed_to_its_grantee_says_why(
    ws: Workspace, about: list[str], consents: list[str], told: list[str]
) -> None:
    saved = add_raw(ws.view(), "A remark", subject_ids=about, access_grants=["si:max"], consent_grants=consents)
    found = [finding for finding in saved.findings if finding.code == "grant-closed"]
    assert [finding.text.partition(" (")[0] for finding in found] == told
    for finding in found:
        words = (finding.hint or "").split()
        grant_access(ws.view(), words[3], [words[5]], [words[7]])
        assert "si:max" in [entity for entity, _ in seen_by(ws, saved.ref)]
