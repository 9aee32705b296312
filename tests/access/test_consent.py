"""Consent by example: who may speak for whom, for how long, about what; and what a listener's standing is."""

from __future__ import annotations

from typing import Any

import pytest

from memstore.access.consent import ConsentBook
from memstore.access.policy import Judge, decide, known_contexts, labels_of
from memstore.access.world import (
    ActiveContext,
    Consent,
    Delegation,
    Effect,
    Entity,
    Kind,
    Labels,
    Member,
    RegisteredContext,
    Revocation,
)
from memstore.core.memory import Generalization, Memory
from tests.access_cases import DAY, NOW, OWNER, by, labels_from, vault, with_memory

TOLD = Labels(id="m_1", source_entity="human:sean", access_grants=("*",))
PERMITTED = TOLD._replace(consent_grants=("human:sean",))


def consent(**changes: Any) -> Consent:
    record = Consent(id="c", grantor="human:sean", grantee="*", scope="m_1", granted_at=NOW - DAY)
    return record._replace(**changes)


def refusal(**changes: Any) -> Consent:
    return consent(effect=Effect.REFUSE, **changes)


# -- who may speak --------------------------------------------------------------------------------


def test_a_kind_in_the_registry_overrides_the_namespace() -> None:
    about = Labels(id="m_1", subject_ids=("robot:r2",), access_grants=("*",))
    assert decide(vault(about), by("human:bob"), "m_1").code == "consent-missing"
    tool = vault(about, entities={"robot:r2": Entity(kind=Kind.ARTEFACT)})
    assert decide(tool, by("human:bob"), "m_1").code == "granted"


@pytest.mark.parametrize(
    ("grantor", "code"),
    [
        ("human:eve", "granted"),
        ("robot:r2", "consent-missing"),
        ("si:claire", "consent-missing"),
        ("dog:rex", "consent-missing"),
    ],
)
def test_for_a_ward_without_guardian_a_known_person_speaks(grantor: str, code: str) -> None:
    memory = Labels(id="m_1", subject_ids=("dog:rex",), access_grants=("*",), consent_grants=(grantor,))
    assert decide(vault(memory), by("human:bob"), "m_1").code == code


def test_the_vaults_owner_does_not_speak_for_a_ward_in_their_own_memories() -> None:
    memory = Labels(id="m_1", subject_ids=("dog:rex",), access_grants=("*",), consent_grants=("human:eve",))
    for owner, code in ((None, "consent-missing"), ("human:eve", "consent-missing"), ("human:carol", "granted")):
        world = vault(memory._replace(owner=owner))._replace(owner="human:eve")
        assert decide(world, by("human:bob"), "m_1").code == code


def test_a_guardian_speaks_in_place_of_who_is_guarded() -> None:
    memory = Labels(id="m_1", subject_ids=("human:kid",), access_grants=("*",), consent_grants=("human:kid",))
    assert decide(vault(memory), by("human:bob"), "m_1").code == "granted"
    world = vault(memory, entities={"human:kid": Entity(guardians=("human:mum", "human:dad"))})
    decision = decide(world, by("human:bob"), "m_1")
    assert (decision.code, decision.rule) == ("consent-missing", "3")
    assert (
        decision.fix == "memstore privacy consent grant --from human:dad --to human:bob --scope mem:m_1 --for human:kid"
    )
    assert decide(world, by("human:mum"), "m_1").code == "granted"


def test_a_guardian_may_refuse_the_other_but_hides_nothing_from_themselves() -> None:
    memory = Labels(id="m_1", subject_ids=("human:kid",), access_grants=("*",))
    guarded = {"human:kid": Entity(guardians=("human:mum", "human:dad"))}
    refused = vault(memory, entities=guarded, consents=(refusal(grantor="human:dad", scope="subject:human:kid"),))
    assert decide(refused, by("human:mum"), "m_1").code == "consent-refused"
    assert decide(refused, by("human:dad"), "m_1").code == "granted"


@pytest.mark.parametrize(
    ("on_behalf_of", "grantor", "code"),
    [
        ("dog:bella", "human:sean", "granted"),
        (None, "human:sean", "granted"),
        ("human:eve", "human:sean", "consent-missing"),
        ("dog:bella", "si:claire", "granted"),
        ("human:sean", "si:claire", "granted"),
        (None, "si:claire", "consent-missing"),
        ("human:sean", "si:dan", "delegation-invalid"),
    ],
)
def test_a_record_says_for_whom_it_speaks(on_behalf_of: str | None, grantor: str, code: str) -> None:
    delegation = Delegation(
        id="d", grantor="human:sean", delegate="si:claire", scope="subject:dog:bella", granted_at=NOW - 2 * DAY
    )
    world = vault(
        Labels(id="m_1", subject_ids=("dog:bella",), access_grants=("human:bob",)),
        entities={"dog:bella": Entity(guardians=("human:sean",))},
        consents=(consent(grantor=grantor, on_behalf_of=on_behalf_of),),
        delegations=(delegation,),
    )
    assert decide(world, by("human:bob"), "m_1").code == code


def test_a_delegates_refusal_counts_while_the_delegation_lives() -> None:
    refused = refusal(grantor="si:claire", on_behalf_of="human:sean")
    delegation = Delegation(id="d", grantor="human:sean", delegate="si:claire", scope="m_1", granted_at=NOW - 2 * DAY)
    world = vault(PERMITTED, consents=(refused,), delegations=(delegation,))
    assert decide(world, by("human:bob"), "m_1").code == "consent-refused"
    assert decide(world._replace(delegations=()), by("human:bob"), "m_1").code == "granted"


# -- how long -------------------------------------------------------------------------------------


def test_a_consent_given_before_the_delegation_counts_for_nothing() -> None:
    record = consent(grantor="si:claire", on_behalf_of="human:sean", granted_at=NOW - 2 * DAY)
    delegation = Delegation(id="d", grantor="human:sean", delegate="si:claire", scope="m_1", granted_at=NOW - DAY)
    world = vault(TOLD, consents=(record,), delegations=(delegation,))
    assert decide(world, by("human:bob"), "m_1").code == "delegation-invalid"


@pytest.mark.parametrize(
    ("days_to_expiry", "code"), [(-0.5, "consent-expired"), (0, "consent-expired"), (1, "granted"), (None, "granted")]
)
def test_a_consent_ends_just_before_it_expires(days_to_expiry: float | None, code: str) -> None:
    expires_at = None if days_to_expiry is None else NOW + days_to_expiry * DAY
    assert decide(vault(TOLD, consents=(consent(expires_at=expires_at),)), by("human:bob"), "m_1").code == code


@pytest.mark.parametrize(("revoker", "withdrawn"), [("human:sean", True), ("human:mum", False), ("human:bob", False)])
def test_a_refusal_is_withdrawn_by_who_gave_it(revoker: str, *, withdrawn: bool) -> None:
    revoked = (Revocation(revokes="c", by=revoker, at=NOW),)
    world = vault(PERMITTED, consents=(refusal(),), revocations=revoked)
    assert decide(world, by("human:bob"), "m_1").allowed == withdrawn


def test_another_guardian_revokes_a_consent_and_no_refusal() -> None:
    memory = Labels(id="m_1", subject_ids=("human:kid",), access_grants=("*",), consent_grants=("human:mum",))
    guarded = {"human:kid": Entity(guardians=("human:mum", "human:dad"))}
    revoked = (Revocation(revokes="c", by="human:dad", at=NOW),)
    permitted = memory._replace(consent_grants=())
    given = vault(permitted, entities=guarded, consents=(consent(grantor="human:mum"),), revocations=revoked)
    assert decide(given, by("human:bob"), "m_1").code == "consent-revoked"
    refused = vault(memory, entities=guarded, consents=(refusal(grantor="human:mum"),), revocations=revoked)
    assert decide(refused, by("human:bob"), "m_1").code == "consent-refused"


def test_a_refusal_ends_when_it_expires() -> None:
    codes = [
        decide(vault(PERMITTED, consents=(refusal(expires_at=NOW + days * DAY),)), by("human:bob"), "m_1").code
        for days in (-1, 0, 1)
    ]
    assert codes == ["granted", "granted", "consent-refused"]


def test_what_is_taken_back_is_what_somebody_who_may_has_revoked_by_now() -> None:
    records = [consent(id=name) for name in ("kept", "back", "by another", "later")]
    delegation = Delegation(id="d", grantor="human:sean", delegate="si:claire", scope="m_1", granted_at=NOW - DAY)
    revocations = [
        Revocation(revokes="back", by="human:sean", at=NOW),
        Revocation(revokes="by another", by="human:eve", at=NOW),
        Revocation(revokes="later", by="human:sean", at=NOW + DAY),
        Revocation(revokes="d", by="human:sean", at=NOW),
    ]
    world = vault(
        TOLD, consents=(*records, refusal(id="no")), delegations=(delegation,), revocations=tuple(revocations)
    )
    assert ConsentBook(world, NOW).taken_back() == {"back", "d"}


@pytest.mark.parametrize(
    ("owner", "subject", "code"),
    [
        (None, OWNER, "granted"),
        ("human:tom", "human:tom", "granted"),
        ("human:tom", OWNER, "consent-missing"),
        (None, "human:tom", "consent-missing"),
    ],
)
def test_who_owns_a_memory_is_not_asked_about_themselves(owner: str | None, subject: str, code: str) -> None:
    memory = Labels(id="m_1", owner=owner, subject_ids=(subject,), access_grants=("*",))
    assert decide(vault(memory), by("human:bob"), "m_1").code == code


# -- about what -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subjects", "code"),
    [
        (("dog:bella",), "granted"),
        (("dog:bella", "topic:hearts"), "granted"),
        (("dog:bella", "dog:max"), "consent-missing"),
        ((), "consent-missing"),
    ],
)
def test_a_subjects_consent_covers_its_being_told_where_nobody_else_is_spoken_of(
    subjects: tuple[str, ...], code: str
) -> None:
    guardians = {name: Entity(guardians=("human:sean",)) for name in ("dog:bella", "dog:max")}
    world = vault(
        TOLD._replace(subject_ids=subjects), entities=guardians, consents=(consent(scope="subject:dog:bella"),)
    )
    assert decide(world, by("human:bob"), "m_1").code == code


def test_a_consent_for_a_context_needs_a_memory_made_there() -> None:
    record = consent(scope="ctx:work")
    made = {
        "there": TOLD._replace(context="ctx:work"),
        "elsewhere": TOLD._replace(context="ctx:home", access_grants=("*", "ctx:work")),
        "by its grants there": TOLD._replace(access_grants=("*", "ctx:work")),
        "nobody knows where": TOLD,
    }
    allowed = [
        where for where, one in made.items() if decide(vault(one, consents=(record,)), by("si:x"), "m_1").allowed
    ]
    assert allowed == ["there", "by its grants there"]


def test_a_refusal_for_a_context_reaches_what_does_not_say_where_it_was_made() -> None:
    codes = [
        decide(
            vault(PERMITTED._replace(context=context), consents=(refusal(scope="ctx:work"),)), by("si:x"), "m_1"
        ).code
        for context in (None, "ctx:work", "ctx:home")
    ]
    assert codes == ["consent-refused", "consent-refused", "granted"]


def test_no_scope_means_a_memory_without_an_id() -> None:
    nameless = TOLD._replace(id="")
    for scope in ("", "mem:"):
        records = (consent(scope=scope), refusal(scope=scope))
        assert Judge(vault(consents=records), by("human:bob")).decide_on(nameless).code == "consent-missing"


# -- who listens ----------------------------------------------------------------------------------


def test_circles_of_groups_and_of_lineage_end() -> None:
    chain = [
        Labels(id=f"m_{i}", access_grants=("group:a",), derived_from=(f"note:m_{(i + 1) % 3000}",)) for i in range(3000)
    ]
    groups = {"group:a": (Member(id="group:b"),), "group:b": (Member(id="group:a"), Member(id="human:bob"))}
    world = vault(*chain, groups=groups)
    assert decide(world, by("human:bob"), "m_0").code == "granted"
    judge = Judge(with_memory(world, chain[1500]._replace(access_grants=())), by("human:bob"))
    assert {judge.decide(one.id).code for one in chain} == {"lineage", "self-only"}


def test_whose_a_source_is_sees_what_was_made_of_it_whatever_that_was_made_of() -> None:
    made = Labels(id="m_1", access_grants=("human:bob",), derived_from=("note:m_2",))
    source = Labels(id="m_2", owner="human:bob", derived_from=("note:m_3",))
    world = vault(made, source, Labels(id="m_3"))
    assert decide(world, by("human:bob"), "m_1").code == "granted"
    assert decide(with_memory(world, source._replace(owner="human:eve")), by("human:bob"), "m_1").code == "lineage"


WORK = ActiveContext(id="ctx:work", participants=(OWNER, "human:bob"))


@pytest.mark.parametrize(
    ("viewer", "context", "alone", "hears"),
    [
        (OWNER, None, False, True),
        (OWNER, WORK._replace(participants=(OWNER,)), False, True),
        (OWNER, WORK, False, False),
        (OWNER, WORK, True, True),
        (OWNER, WORK._replace(expires_at=NOW), True, False),
        (OWNER, WORK._replace(ambiguous=True), True, False),
        (OWNER, ActiveContext(id="ctx:nowhere"), False, False),
        ("human:bob", None, False, False),
        ("human:bob", WORK._replace(participants=()), True, False),
    ],
)
def test_an_owner_is_shown_all_that_is_theirs_where_nobody_else_listens(
    viewer: str, context: ActiveContext | None, *, alone: bool, hears: bool
) -> None:
    judge = Judge(vault(Labels(id="m_1")), by(viewer, context)._replace(alone=alone))
    assert (judge.hears_only(OWNER), judge.decide("m_1").code == "owner-alone") == (hears, hears)


def test_an_owner_needs_no_grant_among_others_who_have_one() -> None:
    judge = Judge(vault(Labels(id="m_1", access_grants=("human:bob",)), Labels(id="m_2")), by(OWNER, WORK))
    for memory_id, allowed in (("m_1", True), ("m_2", False)):
        assert (judge.decide(memory_id).allowed, judge.allows(memory_id)) == (allowed, allowed)


def test_an_empty_registry_shows_strangers_only_what_is_public() -> None:
    grants = {"m_1": ("*",), "m_2": ("group:a", "role:x", "ctx:y")}
    world = vault(*(Labels(id=name, access_grants=names) for name, names in grants.items()))
    judge = Judge(world, by("human:bob", ActiveContext(id="ctx:y", participants=("human:bob",))))
    assert [judge.decide(one).code for one in grants] == ["granted", "no-grant"]


def test_roles_count_from_the_registry_and_in_the_active_context_alone() -> None:
    contexts = {"ctx:class": RegisteredContext(roster=("human:bob",), roles={"human:bob": ("role:tutor",)})}
    world = vault(Labels(id="m_1", access_grants=("role:tutor",)), contexts=contexts)
    assert decide(world, by("human:bob"), "m_1").code == "no-grant"
    inside = ActiveContext(id="ctx:class", participants=("human:bob",))
    assert decide(world, by("human:bob", inside), "m_1").code == "granted"
    assert decide(world, by("human:eve", inside._replace(participants=("human:eve",))), "m_1").code == "no-grant"


def test_the_roster_listens_where_nobody_is_named() -> None:
    both = Labels(id="m_2", access_grants=("human:bob", "human:eve"))
    roster = ("human:bob", "human:eve", OWNER)
    world = vault(
        Labels(id="m_1", access_grants=("human:bob",)), both, contexts={"ctx:work": RegisteredContext(roster=roster)}
    )
    at_work = by(OWNER, ActiveContext(id="ctx:work"))
    assert decide(world, at_work, "m_2").allowed
    assert decide(world, at_work, "m_1").who == ("human:eve",)


def test_anybody_knows_open_contexts_and_only_who_is_on_the_roster_knows_of_a_closed_one() -> None:
    contexts = {
        "ctx:fair": RegisteredContext(roster=("human:carol",), open=True),
        "ctx:club": RegisteredContext(roster=("human:bob",)),
        "ctx:board": RegisteredContext(roster=("human:carol",)),
    }
    world = vault(contexts=contexts)
    told = known_contexts(world, by("human:bob")).contexts
    assert told == {"ctx:fair": RegisteredContext(open=True), "ctx:club": contexts["ctx:club"]}
    assert known_contexts(world, by(OWNER)).contexts == contexts


def test_denials_count_however_somebody_comes() -> None:
    world = vault(
        Labels(id="m_1", access_grants=("*",), access_denies=("ctx:work",)),
        contexts={"ctx:work": RegisteredContext(roster=("human:bob",))},
    )
    assert decide(world, by("human:bob"), "m_1").code == "excluded"
    assert decide(world, by("human:eve"), "m_1").code == "granted"
    inside = ActiveContext(id="ctx:work", participants=("human:eve",))
    assert decide(world, by("human:eve", inside), "m_1").code == "excluded"


@pytest.mark.parametrize(
    ("doubtful", "denied", "code"),
    [
        (set(), "role:tutor", "granted"),
        ({"human:bob"}, "role:tutor", "excluded"),
        ({"ctx:work"}, "role:tutor", "excluded"),
        ({"human:eve"}, "role:tutor", "granted"),
        ({"human:bob"}, "human:eve", "granted"),
    ],
)
def test_who_may_have_any_role_is_meant_by_a_denial_to_one(doubtful: set[str], denied: str, code: str) -> None:
    memory = Labels(id="m_1", access_grants=("*",), access_denies=(denied,))
    world = vault(memory, contexts={"ctx:work": RegisteredContext(roster=("human:bob",))}, doubtful=frozenset(doubtful))
    inside = ActiveContext(id="ctx:work", participants=("human:bob",))
    assert decide(world, by("human:bob", inside), "m_1").code == code


def test_a_member_is_one_from_the_instant_they_join_to_just_before_they_leave() -> None:
    members = (
        Member(id="human:now", since=NOW),
        Member(id="human:later", since=NOW + DAY),
        Member(id="human:gone", until=NOW),
        Member(id="human:still", until=NOW + DAY),
    )
    world = vault(Labels(id="m_1", access_grants=("group:a",)), groups={"group:a": members})
    seen = [one.id for one in members if decide(world, by(one.id), "m_1").allowed]
    assert seen == ["human:now", "human:still"]


# -- answers --------------------------------------------------------------------------------------


def test_several_reasons_give_the_earliest_step_and_all_who_fail_at_it() -> None:
    world = vault(Labels(id="m_1", access_grants=("human:bob", "human:eve"), access_denies=("human:eve", "human:dan")))
    room = ActiveContext(id="ctx:work", participants=("human:eve", "human:bob", "human:carol", "human:dan"))
    decision = decide(world, by(OWNER, room), "m_1")
    assert (decision.code, decision.who) == ("excluded", ("human:dan", "human:eve"))


@pytest.mark.parametrize(
    ("labels", "rule", "fix"),
    [
        (Labels(id="m_1"), "1", "memstore privacy grant m_1 --to human:bob"),
        (TOLD, "2", "memstore privacy consent grant --from human:sean --to human:bob --scope mem:m_1"),
        (TOLD._replace(malformed=True), "1", "memstore check"),
        (Labels(id="m_1", access_grants=("*",), derived_from=("note:m_2",)), "5", "memstore check orphans"),
        (
            Labels(id="m_1", access_grants=("*",), derived_from=("note:m_p",)),
            "5",
            "memstore privacy generalize m_p --text TEXT --access human:bob",
        ),
        (Labels(id="m_1", access_grants=("*",), upstream_grants=((),)), "5", None),
    ],
)
def test_a_denial_names_its_rule_and_what_could_be_done(labels: Labels, rule: str, fix: str | None) -> None:
    decision = decide(vault(labels, Labels(id="m_p")), by("human:bob"), "m_1")
    assert (decision.rule, decision.fix) == (rule, fix)


def test_for_who_is_unknown_the_fix_is_for_everybody() -> None:
    decision = decide(vault(Labels(id="m_1")), by(OWNER, ActiveContext(id="ctx:street")), "m_1")
    assert decision.fix == "memstore privacy grant m_1 --to '*'"


def test_a_memory_is_decided_on_as_it_stands_now() -> None:
    was = Labels(id="m_1", access_grants=("human:bob",))
    judge = Judge(vault(was), by("human:bob"))
    assert judge.decide("m_1").allowed
    assert not judge.decide_on(was._replace(access_grants=())).allowed
    assert judge.decide_on(was._replace(id="")).allowed


# -- labels ---------------------------------------------------------------------------------------


def test_all_labels_of_a_memory_reach_the_decision() -> None:
    values: dict[str, Any] = {
        "owner": "si:claire",
        "status": "draft",
        "source_entity": "human:sean",
        "source_chain": ("human:eve",),
        "subject_ids": ("dog:bella",),
        "context": "ctx:work",
        "access_grants": ("*",),
        "access_denies": ("human:bob",),
        "consent_grants": ("human:eve",),
        "upstream_grants": (("*",),),
        "derived_from": ("note:m_2",),
        "generalized": True,
        "generalization": Generalization(verdict="safe"),
    }
    assert labels_of(Memory(type="note", id="m_1", **values)) == Labels(id="m_1", **values)
    assert labels_of(Memory(type="note")).id == ""


def test_a_scalar_where_a_list_belongs_is_never_iterated() -> None:
    assert labels_from("m_1", {"access_grants": "*"}) == Labels(id="m_1", malformed=True)
