"""Widening by example: who may grant, what a new memory inherits, what grants amount to."""

from __future__ import annotations

import pytest

from memstore.access.grants import inherited_grants, may_change, may_grant, scope_of
from memstore.access.world import ActiveContext, Consent, Effect, Labels, Member, RegisteredContext
from memstore.core.memory import Generalization
from tests.access_cases import NOW, OWNER, by, vault, with_memory


def test_only_the_owner_changes_a_memory() -> None:
    world = vault(Labels(id="m_1"), Labels(id="m_2", owner="si:claire"), Labels(id="m_3", status="forgotten"))
    codes = [may_change(world, by(OWNER), one).code for one in ("m_1", "m_2", "m_3", "m_none")]
    assert codes == ["owner", "not-owner", "forgotten", "not-found"]
    assert may_change(world, by("human:bob"), "m_1").code == "not-owner"
    assert may_change(world._replace(owner=""), by(""), "m_1").code == "not-owner"


def test_a_grant_does_not_go_past_a_source_but_past_what_was_generalized() -> None:
    child = Labels(id="m_2", derived_from=("note:m_1",))
    safe = child._replace(id="m_3", generalized=True, generalization=Generalization(verdict="safe"))
    world = vault(Labels(id="m_1", access_grants=("human:bob",)), child, safe)
    assert may_grant(world, by(OWNER), "m_2", "human:bob").code == "granted"
    refused = may_grant(world, by(OWNER), "m_2", "human:eve")
    assert (refused.code, refused.missing) == ("lineage", ("m_1",))
    assert may_grant(world, by(OWNER), "m_3", "human:eve").code == "granted"


def test_a_memory_in_a_circle_with_itself_may_be_granted() -> None:
    world = vault(Labels(id="m_1", derived_from=("note:m_1",)))
    assert may_grant(world, by(OWNER), "m_1", "human:bob").code == "granted"


@pytest.mark.parametrize(
    ("consented_to", "to", "code"),
    [
        ("human:eve", "human:eve", "granted"),
        ("human:bob", "human:eve", "consent-missing"),
        ("group:a", "human:eve", "granted"),
        ("*", "human:eve", "granted"),
        ("human:eve", "*", "consent-missing"),
        ("human:eve", "group:a", "consent-missing"),
        ("group:a", "group:a", "granted"),
        ("*", "group:a", "granted"),
        ("ctx:work", "ctx:work", "granted"),
        ("human:eve", "ctx:work", "consent-missing"),
        ("*", "role:tutor", "granted"),
    ],
)
def test_consent_is_for_the_new_grantee_by_a_record(consented_to: str, to: str, code: str) -> None:
    told = Labels(id="m_1", source_entity="human:sean", access_grants=("human:bob",), consent_grants=("human:sean",))
    record = Consent(id="c", grantor="human:sean", grantee=consented_to, scope="source:human:sean", granted_at=NOW)
    world = vault(told, groups={"group:a": (Member(id="human:eve"),)}, consents=(record,))
    assert may_grant(world, by(OWNER), "m_1", to).code == code
    assert may_grant(world._replace(consents=()), by(OWNER), "m_1", to).code == "consent-missing"
    assert may_grant(world._replace(consents=()), by(OWNER), "m_1", to, ("human:sean",)).code == "granted"


def test_granting_again_what_is_granted_needs_nothing_new() -> None:
    told = Labels(id="m_1", source_entity="human:sean", access_grants=("human:bob",), consent_grants=("human:sean",))
    assert may_grant(vault(told), by(OWNER), "m_1", "human:bob").code == "granted"


def test_a_malformed_consent_is_no_consent() -> None:
    assert may_grant(vault(Labels(id="m_1")), by(OWNER), "m_1", "human:bob", ("Sean",)).code == "malformed"
    assert may_grant(vault(Labels(id="m_1")), by(OWNER), "m_1", "Bob").code == "malformed"


def test_a_grant_by_name_lifts_a_denial_by_the_same_name_only() -> None:
    groups = {"group:a": (Member(id="human:eve"),)}
    world = vault(Labels(id="m_1", access_denies=("human:eve",)), groups=groups)
    assert may_grant(world, by(OWNER), "m_1", "human:eve").code == "granted"
    grouped = with_memory(world, Labels(id="m_1", access_denies=("group:a",)))
    assert may_grant(grouped, by(OWNER), "m_1", "human:eve").code == "excluded"


def test_a_denial_or_refusal_of_a_context_counts_for_a_grantee_on_its_roster() -> None:
    on_roster = {"ctx:work": RegisteredContext(roster=("human:eve", "group:a"))}
    for to in ("human:eve", "group:a"):
        world = vault(Labels(id="m_1", access_denies=("ctx:work",)), contexts=on_roster)
        assert may_grant(world, by(OWNER), "m_1", to).code == "excluded"
        assert may_grant(world._replace(contexts={}), by(OWNER), "m_1", to).code == "granted"
    no = Consent(
        id="c_1", grantor="human:sean", grantee="ctx:work", scope="mem:m_1", granted_at=NOW, effect=Effect.REFUSE
    )
    world = vault(Labels(id="m_1", subject_ids=("human:sean",)), contexts=on_roster, consents=(no,))
    assert may_grant(world, by(OWNER), "m_1", "human:eve", ("human:sean",)).code == "consent-refused"
    assert may_grant(world._replace(contexts={}), by(OWNER), "m_1", "human:eve", ("human:sean",)).code == "granted"


def test_a_denial_of_a_group_that_cannot_be_read_counts_for_every_grantee() -> None:
    world = vault(Labels(id="m_1", access_denies=("group:a",)), groups={"group:a": ()})
    assert may_grant(world, by(OWNER), "m_1", "human:eve").code == "granted"
    assert may_grant(world._replace(doubtful=frozenset({"group:a"})), by(OWNER), "m_1", "human:eve").code == "excluded"


def test_what_is_made_in_a_context_gets_its_default_access() -> None:
    world = vault(contexts={"ctx:work": RegisteredContext(roster=(OWNER, "human:bob"), default_access=("group:a",))})
    inside = by(OWNER, ActiveContext(id="ctx:work"))
    assert inherited_grants(world, inside, source_entity=None) == ("ctx:work", "group:a")
    assert inherited_grants(world, inside, source_entity="human:bob") == ("human:bob", "ctx:work", "group:a")
    assert inherited_grants(world, inside, source_entity="human:bob", explicit=["*", "*"]) == ("*",)


def test_who_is_unknown_or_can_not_listen_is_granted_nothing() -> None:
    world = vault(contexts={"ctx:open": RegisteredContext(open=True)})
    room = ActiveContext(id="ctx:open", participants=("dog:bella", "human:bob", "sean"))
    assert inherited_grants(world, by(OWNER, room), source_entity="human:bob") == ("human:bob", "ctx:open")
    unknown = by(OWNER, ActiveContext(id="ctx:open"))
    assert inherited_grants(world, unknown, source_entity="human:bob") == ("ctx:open",)
    assert inherited_grants(world, by(OWNER), source_entity="doc:handbook") == ()
    assert inherited_grants(world, by(OWNER), source_entity=OWNER) == ()


@pytest.mark.parametrize(
    ("grants", "scope"),
    [
        ((), "self-only"),
        (("human:sean",), "private(human:sean)"),
        (("si:ash", "human:sean"), "private(human:sean, si:ash)"),
        (("human:sean", "ctx:work"), "contextual"),
        (("ctx:work", "group:a"), "group"),
        (("org:a",), "group"),
        (("role:tutor",), "group"),
        (("group:a", "*"), "public"),
    ],
)
def test_grants_amount_to_a_scope(grants: tuple[str, ...], scope: str) -> None:
    assert scope_of(vault(), grants) == scope
