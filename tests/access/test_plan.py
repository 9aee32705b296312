"""A plan lists all that stands between a memory and somebody; what it does opens the memory to nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.access import CONTEXTS
from memstore.access.consents import consents, grant_consent, refuse_consent
from memstore.access.contexts import add_context, contexts, enter_context, leave_context
from memstore.access.entities import add_entity, entities
from memstore.access.local_state import CallContext
from memstore.access.plan import AccessPlan, plan_access
from memstore.access.privacy import explain_access
from memstore.core.config import Config
from memstore.core.errors import RefusedError, UsageError
from memstore.memories.create import raw
from memstore.memories.edit import set_keys
from memstore.vault.status import undo
from tests.memory_workspace import files_of, memory_workspace

if TYPE_CHECKING:
    from memstore.vault.workspace import Workspace

OWNER, PARENT, PUPIL, OTHER = "si:school_agent", "human:parent_456", "human:student_123", "si:reading_specialist"


@pytest.fixture
def ws() -> Workspace:
    return memory_workspace(actor=OWNER, config=Config(owner=OWNER)).having(CONTEXTS, CallContext())


def steps(plan: AccessPlan) -> list[tuple[str, str]]:
    return [(step.kind, step.state) for step in plan.steps]


def sees(ws: Workspace, ref: str, who: str) -> bool:
    return explain_access(ws.view(), ref, who).allowed


def test_the_school_of_seed_001_takes_three_commands(ws: Workspace) -> None:
    enter_context(ws.view(), "ctx:student_123_academic", participants=[PARENT, OWNER], role="tutor")
    ref = raw(ws.view(), "Fractions are hard today", subject_ids=[PUPIL]).ref or ""
    leave_context(ws.view())
    before = dict(files_of(ws))
    stated: dict[str, Any] = {"guardians": {PUPIL: [PARENT]}, "consent": [PARENT]}
    plan = plan_access(ws.view(), ref, OTHER, **stated)
    assert steps(plan) == [("guardian", "ready"), ("consent", "ready"), ("grant", "ready")]
    assert files_of(ws) == before
    done = plan_access(ws.view(), ref, OTHER, **stated, apply=True)
    assert (done.sees, {state for _, state in steps(done)}) == (True, {"done"})
    assert sees(ws, ref, OTHER)
    assert not sees(ws, ref, "si:other")
    assert plan_access(ws.view(), ref, OTHER).steps == ()
    undo(ws.view())
    assert {name: data for name, data in files_of(ws).items() if not name.startswith("audit/")} == {
        name: data for name, data in before.items() if not name.startswith("audit/")
    }


def test_whoever_has_not_said_anything_is_asked_once(ws: Workspace) -> None:
    add_entity(ws.view(), PUPIL, guardians=[PARENT])
    ref = raw(ws.view(), "Fractions are hard", subject_ids=[PUPIL], source_entity="human:tutor").ref or ""
    for _ in range(2):
        plan = plan_access(ws.view(), ref, OTHER, apply=True)
        assert steps(plan) == [("consent", "asked"), ("consent", "asked"), ("grant", "open")]
        assert all(step.path in files_of(ws) for step in plan.steps[:2])
    asked = [(one.kind, one.grantor, one.on_behalf_of, one.grantee) for one in consents(ws.view())]
    assert sorted(asked, key=str) == [
        ("request", PARENT, PUPIL, OTHER),
        ("request", "human:tutor", None, OTHER),
    ]
    grant_consent(ws.view(), PARENT, OTHER, f"subject:{PUPIL}", on_behalf_of=PUPIL)
    assert steps(plan_access(ws.view(), ref, OTHER, apply=True)) == [("consent", "asked"), ("grant", "open")]
    assert steps(plan_access(ws.view(), ref, OTHER, consent=["human:tutor"], apply=True)) == [
        ("consent", "done"),
        ("grant", "done"),
    ]
    assert sees(ws, ref, OTHER)


def test_what_only_others_can_do_stays_open_and_all_of_it_is_listed(ws: Workspace) -> None:
    source = raw(ws.view(), "Bella limps", subject_ids=["dog:bella"]).ref or ""
    ref = raw(ws.view(), "Old dogs limp", subject_ids=["dog:bella", PUPIL], derived_from=[source]).ref or ""
    plan = plan_access(ws.view(), ref, OTHER)
    assert steps(plan)[:3] == [("source", "open"), ("guardian", "open"), ("consent", "open")]
    add_entity(ws.view(), "dog:bella", guardians=[PARENT])
    set_keys(ws.view(), ref, {"access_denies": [OTHER, "group:tutors"]})
    refuse_consent(ws.view(), PUPIL, OTHER, f"subject:{PUPIL}")
    plan = plan_access(ws.view(), ref, OTHER, apply=True)
    assert steps(plan) == [
        ("denial", "open"),
        ("source", "open"),
        ("consent", "asked"),
        ("consent", "open"),
        ("grant", "open"),
    ]
    assert plan.steps[1].command == f"memstore privacy plan {source.partition(':')[2]} --to {OTHER}"
    assert not sees(ws, ref, OTHER)


def test_a_context_gets_the_roster_of_those_who_are_in_it(ws: Workspace) -> None:
    ref = raw(ws.view(), "Dogs love fetch").ref or ""
    assert steps(plan_access(ws.view(), ref, "ctx:park")) == [("roster", "open"), ("grant", "open")]
    assert steps(plan_access(ws.view(), ref, "group:vets"))[0] == ("roster", "open")
    enter_context(ws.view(), "ctx:park", participants=[OWNER, PARENT])
    assert steps(plan_access(ws._replace(alone=True).view(), ref, "ctx:park", apply=True)) == [
        ("roster", "done"), ("grant", "done"),
    ]  # fmt: skip
    (known,) = contexts(ws.view())
    assert known.roster == (OWNER, PARENT)


def test_who_has_no_say_is_not_recorded(ws: Workspace) -> None:
    ref = raw(ws.view(), "Fractions are hard", subject_ids=[PUPIL]).ref or ""
    plan = plan_access(ws.view(), ref, OTHER, consent=[PARENT], apply=True)
    assert f"{PARENT} has no say here that is missing: nothing is recorded for them" in plan.notes
    assert f"if somebody speaks for {PUPIL}: --guardian {PUPIL}=PERSON" in plan.notes
    assert [one.kind for one in consents(ws.view())] == ["request"]


def test_who_may_plan(ws: Workspace) -> None:
    ref = raw(ws.view(), "Dogs love fetch", access_grants=["*"]).ref or ""
    assert plan_access(ws.view(), ref, OTHER).sees is False
    with pytest.raises(UsageError, match="is si:school_agent's own"):
        plan_access(ws.view(), ref, OWNER)
    with pytest.raises(UsageError, match="needs no guardian"):
        plan_access(ws.view(), ref, OTHER, guardians={PUPIL: [PUPIL]})
    with pytest.raises(RefusedError):
        plan_access(ws._replace(actor=PARENT).view(), ref, OTHER)


PEOPLE = st.sampled_from([PARENT, PUPIL, "dog:bella", "vet:smith", "topic:tea", "human:ann", OWNER])


@settings(max_examples=25)
@given(data=st.data())
def test_a_plan_says_somebody_sees_it_where_they_do_and_opens_it_to_nobody_else(data: st.DataObject) -> None:
    ws = memory_workspace(actor=OWNER, config=Config(owner=OWNER)).having(CONTEXTS, CallContext())
    draw = data.draw
    add_context(ws.view(), "ctx:care", roster=["human:ann"])
    for ward in draw(st.sets(st.sampled_from([PUPIL, "dog:bella"]))):
        add_entity(ws.view(), ward, guardians=[PARENT])
    subjects = st.lists(PEOPLE, max_size=2, unique=True)
    grants = draw(st.sampled_from([[], ["*"], [OTHER]]))
    source = raw(ws.view(), "One", subject_ids=draw(subjects), access_grants=grants).ref or ""
    made = raw(
        ws.view(),
        "Two",
        subject_ids=draw(subjects),
        source_entity=draw(PEOPLE | st.just("")),
        derived_from=[source] if draw(st.booleans()) else [],
        access_grants=[],
    )
    ref = made.ref or ""
    if draw(st.booleans()):
        refuse_consent(ws.view(), PUPIL, OTHER, f"subject:{PUPIL}")
    before = {who: sees(ws, ref, who) for who in ("si:other", "human:ann", "human:nobody")}
    plan = plan_access(
        ws.view(), ref, OTHER, apply=True,
        guardians={"dog:bella": ["human:ann"]} if draw(st.booleans()) else {},
        consent=sorted(draw(st.sets(st.sampled_from([PARENT, PUPIL, "human:ann", "vet:smith"])))),
    )  # fmt: skip
    assert plan.sees == sees(ws, ref, OTHER)
    assert {who: sees(ws, ref, who) for who in before} == before
    again = plan_access(ws.view(), ref, OTHER)
    assert [step.state for step in again.steps if step.state == "ready"] == []
    assert {one.id for one in entities(ws.view())} <= {PUPIL, "dog:bella"}
