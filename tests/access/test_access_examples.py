"""Who may see what, one corner of the decision a row: the worlds of the published cases, asked what they don't ask."""

from __future__ import annotations

from typing import Any

import pytest

from memstore.access.policy import decide
from tests.access_cases import session_of, world_of

AT = "2026-03-01T00:00:00Z"
BEFORE = "2025-12-01T00:00:00Z"
EXPIRED = "2026-02-01T00:00:00Z"
ALICE = "human:alice"
BOB = "human:bob"
CAROL = "human:carol"
ASH = "si:ash"
CLAIRE = "si:claire"


def permit(grantor: str = ALICE, grantee: str = BOB, scope: str = "m_alice", **more: Any) -> dict[str, Any]:
    return {
        "id": "c1", "type": "consent", "grantor": grantor, "grantee": grantee, "scope": scope, "granted_at": BEFORE,
    } | more  # fmt: skip


def refuse(grantor: str = ALICE, grantee: str = BOB, scope: str = "m_alice", **more: Any) -> dict[str, Any]:
    return permit(grantor, grantee, scope, id="r1", effect="deny", **more)


def delegated(
    grantor: str = ALICE, delegate: str = CLAIRE, scope: str = f"source:{ALICE}", **more: Any
) -> dict[str, Any]:
    return {
        "id": "d1", "type": "delegation", "grantor": grantor, "delegate": delegate, "scope": scope,
        "granted_at": BEFORE, "expires_at": "2026-12-01T00:00:00Z",
    } | more  # fmt: skip


def revoked(what: str = "c1", by: str = ALICE, at: str = EXPIRED) -> dict[str, Any]:
    return {"type": "revocation", "revokes": what, "by": by, "at": at}


def in_context(name: str, *participants: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "participants": list(participants), **more}


def code(
    world: str,
    viewer: str,
    memory: str | dict[str, Any],
    *consents: dict[str, Any],
    context: dict[str, Any] | None = None,
    at: str = AT,
    alone: bool = False,
    **patch: Any,
) -> str:
    """Return the code of one decision; a memory is one of the world's, or its labels."""
    labels = {} if isinstance(memory, str) else {"m_new": memory}
    patch["memories"] = patch.get("memories", {}) | labels
    row = {"world": world, "patch": patch, "consents": list(consents), "session": {}}
    session = {"viewer": viewer, "at": at, "context": context, "self": alone}
    return decide(world_of(row), session_of(session), memory if isinstance(memory, str) else "m_new").code


# -- grants ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("world", "viewer", "memory", "expected"),
    [
        ("people", BOB, "m_none", "self-only"),
        ("people", ASH, "m_none", "owner-alone"),
        ("people", BOB, "m_rel", "granted"),
        ("people", BOB, "m_selfsubj", "granted"),
        ("people", "anon:unknown", "m_pub", "granted"),
        ("people", "anon:unknown", "m_bobdirect", "no-grant"),
        ("people", BOB, {"access_grants": ["public"]}, "malformed"),
        ("people", BOB, {"access_grants": [BOB, "public"]}, "malformed"),
        ("people", BOB, {"access_grants": ["**"]}, "malformed"),
        ("people", "*", "m_pub", "no-grant"),
        ("people", "", "m_pub", "no-grant"),
        ("people", "human:", "m_pub", "no-grant"),
        ("people", "human:sea", {"access_grants": ["human:sean"]}, "no-grant"),
        ("people", "HUMAN:BOB", "m_bobdirect", "no-grant"),
        ("people", " human:bob", "m_bobdirect", "no-grant"),
        ("people", "human:bob\n", "m_bobdirect", "no-grant"),
        ("people", "human:b_b", "m_bobdirect", "no-grant"),
        ("people", "dog:bella", {"access_grants": ["dog:bella"]}, "no-grant"),
        ("people", "topic:tea", {"access_grants": ["*"]}, "no-grant"),
        ("people", "doc:a", {"access_grants": ["doc:a"]}, "no-grant"),
        ("people", "ctx:work", "m_work", "no-grant"),
        ("people", "role:tutor", {"access_grants": ["role:tutor"]}, "no-grant"),
        ("people", "robot:r2", {"access_grants": ["robot:r2"]}, "granted"),
        ("people", "org:zoo", {"access_grants": ["org:zoo"]}, "granted"),
        ("people", "vet:smith", {"access_grants": ["vet:smith"]}, "granted"),
        ("stack", "si:tutor_b", "m_other", "no-grant"),
        ("stack", "si:tutor_bb", "m_other", "granted"),
        ("stack", "si:tutor_b", "m_emptygroup", "no-grant"),
        ("stack", "si:tutor_c", "m_loop", "granted"),
        ("stack", "human:head", "m_nested", "granted"),
        ("stack", "human:head", "m_group", "no-grant"),
        ("stack", "si:tutor_c", "m_role", "no-grant"),
        ("stack", "si:claire", "m_claires", "owner-alone"),
        ("stack", "si:tutor_b", "m_claires", "granted"),
        ("stack", "si:tutor_a", "m_nope", "not-found"),
        ("bella", "si:luna_agent", "m_park", "no-grant"),
        ("bella", "si:max_agent", "m_genblock", "lineage"),
        ("school", "si:reading_specialist", "m_vis", "granted"),
    ],
)
def test_a_grant_matches_the_very_id_or_what_its_holder_is(
    world: str, viewer: str, memory: str | dict[str, Any], expected: str
) -> None:
    assert code(world, viewer, memory) == expected


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2024-12-31T23:59:59Z", "no-grant"),
        ("2025-01-01T00:00:00Z", "granted"),
        ("2026-01-31T23:59:59.999999Z", "granted"),
        ("2026-02-01T00:00:00Z", "no-grant"),
        ("2026-02-01T01:00:00+01:00", "no-grant"),
        ("2026-02-01T00:59:59+01:00", "granted"),
    ],
)
def test_a_group_holds_its_member_from_until_just_before(at: str, expected: str) -> None:
    assert code("people", BOB, "m_eng", at=at) == expected


@pytest.mark.parametrize(
    ("until", "expected"), [("2026-03-01T00:00:00Z", "no-grant"), ("2026-03-01T00:00:01Z", "granted")]
)
def test_a_group_in_a_group_ends_with_either_membership(until: str, expected: str) -> None:
    groups = {
        "org:aisd": [{"id": "group:staff", "from": "2026-01-01T00:00:00Z", "until": until}],
        "group:staff": ["group:tutors"],
    }
    assert code("stack", "si:tutor_b", "m_nested", groups=groups) == expected
    inner = {"group:tutors": [{"id": "si:tutor_b", "until": until}]}
    assert code("stack", "si:tutor_b", "m_nested", groups=inner) == expected


@pytest.mark.parametrize(
    ("viewer", "denies", "expected"),
    [
        (BOB, [BOB], "excluded"),
        (BOB, ["*"], "excluded"),
        (CAROL, ["group:eng"], "excluded"),
        (BOB, ["group:eng"], "granted"),
        (CAROL, [BOB], "granted"),
        (ASH, ["*"], "owner-alone"),
        (BOB, ["HUMAN:BOB"], "granted"),
        (BOB, ["bob"], "malformed"),
    ],
)
def test_who_is_denied_is_excluded_whatever_is_granted(viewer: str, denies: list[str], expected: str) -> None:
    assert code("people", viewer, {"access_grants": ["*", BOB], "access_denies": denies}) == expected


# -- contexts -------------------------------------------------------------------------------------

ROLES = {"ctx:work": {"roles": {BOB: "role:lead"}}, "ctx:lobby": {"roles": {ALICE: "role:lead"}}}
LED = {"access_grants": ["role:lead"]}


@pytest.mark.parametrize(
    ("viewer", "memory", "context", "expected"),
    [
        (BOB, "m_work", in_context("ctx:work", BOB), "granted"),
        (BOB, "m_work", in_context("ctx:work"), "granted"),
        (CAROL, "m_work", in_context("ctx:work", CAROL), "no-grant"),
        (BOB, "m_work", in_context("ctx:lobby", BOB), "no-grant"),
        (BOB, "m_work", None, "no-grant"),
        (ASH, "m_work", in_context("ctx:work", ALICE, BOB), "granted"),
        (ASH, "m_work", in_context("ctx:work", ALICE, CAROL), "no-grant"),
        (ASH, "m_priv", in_context("ctx:work", ALICE), "self-only"),
        (ASH, "m_priv", in_context("ctx:work", ASH), "owner-alone"),
        (ASH, "m_priv", in_context("ctx:work", "dog:rex"), "owner-alone"),
        (ASH, "m_priv", in_context("ctx:work", ASH, "broken id"), "self-only"),
        (ASH, "m_bobdirect", in_context("ctx:work", BOB, "dog:rex", "topic:tea"), "granted"),
        (ASH, "m_priv", in_context("ctx:unregistered"), "self-only"),
        (ASH, "m_pub", in_context("ctx:unregistered"), "granted"),
        (ASH, "m_lobby", in_context("ctx:lobby"), "granted"),
        (BOB, "m_lobby", in_context("ctx:lobby"), "granted"),
        ("anon:unknown", "m_lobby", in_context("ctx:lobby"), "granted"),
        ("human:nobody_knows", "m_lobby", in_context("ctx:lobby", "human:nobody_knows"), "granted"),
        (ASH, "m_priv", in_context("ctx:lobby", ASH), "self-only"),
        (BOB, LED, in_context("ctx:work", BOB), "granted"),
        (BOB, LED, in_context("ctx:lobby", BOB), "no-grant"),
        (BOB, LED, None, "no-grant"),
        (ALICE, LED, in_context("ctx:work", ALICE), "no-grant"),
        (ASH, "m_pub", in_context("ctx:work", BOB, expires_at="2026-03-01T00:00:01Z"), "granted"),
        (ASH, "m_pub", in_context("ctx:work", BOB, expires_at=AT), "context-expired"),
        (ASH, "m_pub", in_context("ctx:work", BOB, ambiguous=True), "context-ambiguous"),
        (BOB, "m_pub", in_context("ctx:work", BOB, expires_at=EXPIRED), "context-expired"),
        (ASH, "m_nope", in_context("ctx:work", BOB, expires_at=EXPIRED), "not-found"),
    ],
)
def test_a_context_says_who_listens(
    viewer: str, memory: str | dict[str, Any], context: dict[str, Any] | None, expected: str
) -> None:
    assert code("people", viewer, memory, context=context, contexts=ROLES) == expected


def test_alone_is_the_owners_word_and_helps_no_expired_context() -> None:
    assert code("people", ASH, "m_priv", context=in_context("ctx:work", BOB), alone=True) == "owner-alone"
    assert code("people", BOB, "m_priv", context=in_context("ctx:work", BOB), alone=True) == "self-only"
    gone = in_context("ctx:work", BOB, expires_at=EXPIRED)
    assert code("people", ASH, "m_priv", context=gone, alone=True) == "context-expired"


# -- upstream labels ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([["*"]], "granted"),
        ([["*"], ["group:eng"]], "granted"),
        ([["group:eng"], [BOB]], "upstream"),
        ([["group:eng", BOB], [CAROL]], "granted"),
        ([[]], "upstream"),
        ([["*"], []], "upstream"),
        ([["ctx:work"]], "upstream"),
        ([["eng"]], "malformed"),
    ],
)
def test_each_upstream_label_has_to_allow(labels: list[list[str]], expected: str) -> None:
    assert code("people", CAROL, {"access_grants": ["*"], "upstream_grants": labels}) == expected


# -- who has a say --------------------------------------------------------------------------------

KID = {"human:kid": {"guardians": ["human:mum", "human:dad"]}}
ABOUT_KID = {"subject_ids": ["human:kid"], "access_grants": ["*"]}
ABOUT_REX = {"subject_ids": ["dog:rex"], "access_grants": ["*"]}
ABOUT_ALICE = {"subject_ids": [ALICE], "access_grants": ["*"]}


@pytest.mark.parametrize(
    ("viewer", "memory", "consents", "expected"),
    [
        (BOB, ABOUT_KID, [], "consent-missing"),
        ("human:kid", ABOUT_KID, [], "granted"),
        ("human:mum", ABOUT_KID, [], "granted"),
        (BOB, ABOUT_KID, [permit("human:dad", BOB, "subject:human:kid")], "granted"),
        (BOB, ABOUT_KID, [permit("human:kid", BOB, "subject:human:kid")], "consent-missing"),
        (BOB, ABOUT_KID | {"consent_grants": ["human:dad"]}, [], "granted"),
        (BOB, ABOUT_KID | {"consent_grants": ["human:kid"]}, [], "consent-missing"),
        (
            BOB, ABOUT_KID | {"consent_grants": ["human:dad"]},
            [refuse("human:mum", "*", "subject:human:kid")], "consent-refused",
        ),
        (
            BOB, ABOUT_KID | {"consent_grants": ["human:dad"]},
            [refuse("human:kid", BOB, "subject:human:kid")], "consent-refused",
        ),
        ("human:dad", ABOUT_KID, [refuse("human:mum", "human:dad", "subject:human:kid")], "consent-refused"),
        ("human:mum", ABOUT_KID, [refuse("human:mum", "*", "subject:human:kid")], "granted"),
        (
            BOB, ABOUT_KID | {"consent_grants": ["human:dad"]},
            [refuse("human:mum", CAROL, "subject:human:kid")], "granted",
        ),
        (
            BOB, ABOUT_KID | {"consent_grants": ["human:dad"]},
            [refuse("human:mum", BOB, "subject:human:kid", expires_at=AT)], "granted",
        ),
        # A guardian may stand in for another as their delegate, but not beyond what guardians may say.
        (
            BOB, ABOUT_KID,
            [delegated("human:dad", CLAIRE, "subject:human:kid"),
             permit(CLAIRE, BOB, "subject:human:kid", on_behalf_of="human:dad")],
            "granted",
        ),
        (
            BOB, ABOUT_ALICE,
            [delegated(ALICE, "human:mum", f"subject:{ALICE}"),
             permit("human:mum", BOB, f"subject:{ALICE}", on_behalf_of=ALICE)],
            "granted",
        ),
        (
            BOB, ABOUT_KID,
            [delegated("human:kid", CLAIRE, "subject:human:kid"),
             permit(CLAIRE, BOB, "subject:human:kid", on_behalf_of="human:kid")],
            "delegation-invalid",
        ),
        (BOB, ABOUT_REX, [], "consent-missing"),
        (BOB, ABOUT_REX | {"consent_grants": [CAROL]}, [], "granted"),
        (BOB, ABOUT_REX | {"consent_grants": [CLAIRE]}, [], "consent-missing"),
        (BOB, ABOUT_REX | {"consent_grants": ["vet:smith"]}, [], "consent-missing"),
        (BOB, ABOUT_REX | {"consent_grants": [ASH]}, [], "consent-missing"),
        (BOB, ABOUT_REX, [permit(CAROL, "*", "subject:dog:rex")], "granted"),
        (BOB, ABOUT_REX, [permit(CAROL, BOB, "m_new")], "granted"),
        (
            BOB, ABOUT_REX | {"consent_grants": [CAROL]},
            [refuse("human:dave", BOB, "subject:dog:rex")], "consent-refused",
        ),
        (BOB, {"subject_ids": ["topic:tea", "place:lake", "doc:x", "repo:y"], "access_grants": [BOB]}, [], "granted"),
        (BOB, {"subject_ids": ["org:zoo"], "access_grants": [BOB]}, [], "consent-missing"),
        (BOB, {"subject_ids": ["vet:smith"], "access_grants": [BOB]}, [], "consent-missing"),
        (BOB, {"source_entity": "vet:smith", "access_grants": [BOB]}, [], "granted"),
        (BOB, {"source_entity": "org:zoo", "access_grants": [BOB]}, [], "granted"),
        (BOB, {"source_entity": "doc:manual", "access_grants": [BOB]}, [], "granted"),
        (BOB, {"source_entity": CLAIRE, "access_grants": [BOB]}, [], "consent-missing"),
        (BOB, {"source_entity": ASH, "access_grants": [BOB]}, [], "granted"),
        (BOB, {"source_entity": "robot:r2", "access_grants": [BOB]}, [], "consent-missing"),
        (BOB, {"source_chain": [ALICE], "access_grants": [BOB]}, [], "consent-missing"),
        (BOB, "m_about_bob", [], "no-grant"),
        (CAROL, "m_about_bob", [], "consent-missing"),
        (BOB, "m_sub_alice_pub", [], "consent-missing"),
        (ALICE, "m_sub_alice_pub", [], "granted"),
    ],
)  # fmt: skip
def test_everybody_with_a_say_has_to_agree(
    viewer: str, memory: str | dict[str, Any], consents: list[dict[str, Any]], expected: str
) -> None:
    assert code("people", viewer, memory, *consents, entities=KID) == expected


# -- records --------------------------------------------------------------------------------------

BY_CLAIRE = permit(CLAIRE, BOB, f"source:{ALICE}", on_behalf_of=ALICE, granted_at="2026-01-01T00:00:00Z")
FOR_WORK = {"source_entity": ALICE, "context": "ctx:work", "access_grants": [BOB]}


@pytest.mark.parametrize(
    ("memory", "consents", "expected"),
    [
        ("m_alice", [permit(scope="m_alice")], "granted"),
        ("m_alice", [permit(scope="mem:m_alice")], "granted"),
        ("m_alice", [permit(scope="mem:m_alic")], "consent-missing"),
        ("m_alice", [permit(scope="note:m_alice")], "consent-missing"),
        ("m_alice", [permit(scope="*")], "consent-missing"),
        ("m_alice", [permit(scope="")], "consent-missing"),
        ("m_alice", [permit(scope=f"subject:{ALICE}")], "consent-missing"),
        ("m_alice", [permit(scope="source:human:alic")], "consent-missing"),
        ("m_alice", [permit(grantee="*")], "granted"),
        ("m_alice", [permit(grantee="group:eng")], "consent-missing"),  # he left the group
        ("m_alice", [permit(grantee="HUMAN:BOB")], "consent-missing"),
        ("m_alice", [permit(granted_at=AT)], "granted"),
        ("m_alice", [permit(granted_at="2026-03-01T00:00:01Z")], "consent-pending"),
        ("m_alice", [permit(expires_at=AT)], "consent-expired"),
        ("m_alice", [permit(expires_at="2026-03-01T00:00:01Z")], "granted"),
        ("m_alice", [permit(expires_at=EXPIRED), permit(id="c2")], "granted"),
        ("m_alice", [permit(expires_at=EXPIRED), permit(CAROL, id="c2")], "consent-expired"),
        ("m_alice", [permit(expires_at=EXPIRED), permit(id="c2", granted_at="2026-04-01T00:00:00Z")],
         "consent-expired"),
        ("m_alice_ok", [permit(scope="m_alice_ok", expires_at=EXPIRED)], "granted"),
        (FOR_WORK, [permit(scope="ctx:work")], "granted"),
        (FOR_WORK, [permit(scope="ctx:lobby")], "consent-missing"),
        # -- taken back
        ("m_alice", [permit(), revoked()], "consent-revoked"),
        ("m_alice", [permit(), revoked(at=AT)], "consent-revoked"),
        ("m_alice", [permit(), revoked(at="2026-03-01T00:00:01Z")], "granted"),
        ("m_alice", [permit(), revoked(by=CAROL)], "granted"),
        ("m_alice", [permit(), revoked(by=ASH)], "granted"),
        ("m_alice", [permit(), revoked("c9")], "granted"),
        ("m_alice", [permit(), revoked(), permit(id="c2", granted_at="2026-02-15T00:00:00Z")], "granted"),
        ("m_alice", [permit(expires_at=EXPIRED), revoked()], "consent-revoked"),
        # -- refusals
        ("m_alice", [permit(), refuse()], "consent-refused"),
        ("m_alice", [permit(), refuse(grantee="*")], "consent-refused"),
        ("m_alice", [permit(), refuse(grantee=CAROL)], "granted"),
        ("m_alice", [permit(), refuse(scope=f"source:{ALICE}")], "consent-refused"),
        ("m_alice", [permit(), refuse(CAROL)], "granted"),
        ("m_alice", [permit(), refuse(expires_at=AT)], "granted"),
        ("m_alice", [permit(), refuse(granted_at="2026-03-01T00:00:01Z")], "granted"),
        ("m_alice", [permit(), refuse(), revoked("r1")], "granted"),
        ("m_alice", [permit(), refuse(), revoked("r1", BOB)], "consent-refused"),
        ("m_bobdirect", [refuse(scope="m_bobdirect")], "granted"),  # she has no say in it
        # -- delegates
        ("m_alice", [delegated(), BY_CLAIRE], "granted"),
        ("m_alice", [BY_CLAIRE], "delegation-invalid"),
        ("m_alice", [delegated(expires_at=AT), BY_CLAIRE], "delegation-invalid"),
        ("m_alice", [delegated(expires_at="2026-03-01T00:00:01Z"), BY_CLAIRE], "granted"),
        ("m_alice", [delegated(expires_at="2026-01-01T00:00:00Z"), BY_CLAIRE], "delegation-invalid"),
        ("m_alice", [delegated(granted_at="2026-01-02T00:00:00Z"), BY_CLAIRE], "delegation-invalid"),
        ("m_alice", [delegated(granted_at="2026-01-01T00:00:00Z"), BY_CLAIRE], "granted"),
        ("m_alice", [delegated(), BY_CLAIRE, revoked("d1")], "delegation-invalid"),
        ("m_alice", [delegated(), BY_CLAIRE, revoked("d1", CLAIRE)], "granted"),
        ("m_alice", [delegated(), BY_CLAIRE, revoked("d1", at="2026-03-01T00:00:01Z")], "granted"),
        ("m_alice", [delegated(), BY_CLAIRE, revoked("c1", CLAIRE)], "consent-revoked"),
        ("m_alice", [delegated(), BY_CLAIRE, revoked("c1", ALICE)], "consent-revoked"),
        ("m_alice", [delegated(), BY_CLAIRE, refuse()], "consent-refused"),
        ("m_alice", [delegated(scope="mem:m_alice"), BY_CLAIRE], "granted"),
        ("m_alice", [delegated(scope="m_other"), BY_CLAIRE], "delegation-invalid"),
        ("m_alice", [delegated(CAROL), BY_CLAIRE], "delegation-invalid"),
        ("m_alice", [delegated(delegate=BOB), permit(BOB, BOB, f"source:{ALICE}", on_behalf_of=ALICE)],
         "delegation-self"),
        ("m_alice", [delegated(delegate=BOB), permit(BOB, "*", f"source:{ALICE}", on_behalf_of=ALICE)],
         "delegation-self"),
    ],
)  # fmt: skip
def test_a_record_counts_for_what_it_says_and_while_it_holds(
    memory: str | dict[str, Any], consents: list[dict[str, Any]], expected: str
) -> None:
    assert code("people", BOB, memory, *consents) == expected


# -- lineage --------------------------------------------------------------------------------------

LESSON = {"access_grants": ["*"], "generalized": True, "derived_from": ["m_priv"]}


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        ("m_nonmem", "granted"),
        ("m_cyc2", "granted"),
        ("m_handgen", "lineage"),
        (LESSON, "lineage"),
        (LESSON | {"generalization": {"verdict": "safe"}}, "granted"),
        (LESSON | {"generalization": {"verdict": "warn"}}, "lineage"),
        (LESSON | {"generalization": {"verdict": "warn", "acknowledged_by": ASH}}, "granted"),
        (LESSON | {"generalization": {"verdict": "blocked", "acknowledged_by": ASH}}, "lineage"),
        (LESSON | {"generalization": {"verdict": "safe"}, "generalized": False}, "lineage"),
        ({"access_grants": ["*"], "derived_from": ["m_lesson"]}, "granted"),
        ({"access_grants": ["*"], "derived_from": ["note:m_lesson"]}, "granted"),
        ({"access_grants": ["*"], "derived_from": ["m_lesson", "m_priv"]}, "lineage"),
        ({"access_grants": ["*"], "derived_from": ["m_lesson", "m_gone"]}, "lineage-unresolved"),
        ({"access_grants": ["*"], "derived_from": ["m_priv", "m_gone"]}, "lineage"),
        # Made of a memory that its listener owns.
        ({"access_grants": ["*"], "derived_from": ["m_bobs"]}, "granted"),
        ({"access_grants": ["*"], "derived_from": ["m_bobs_forgotten"]}, "lineage"),
        # A generalization is still judged by its own labels.
        (LESSON | {"generalization": {"verdict": "safe"}, "subject_ids": [ALICE]}, "consent-missing"),
        (LESSON | {"generalization": {"verdict": "safe"}, "access_grants": [CAROL]}, "no-grant"),
    ],
)
def test_what_a_memory_was_made_of_has_to_allow(memory: str | dict[str, Any], expected: str) -> None:
    others = {
        "m_lesson": LESSON | {"generalization": {"verdict": "safe"}},
        "m_bobs": {"owner": BOB},
        "m_bobs_forgotten": {"owner": BOB, "status": "forgotten"},
    }
    assert code("people", BOB, memory, memories=others) == expected


# -- malformed ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "field",
    [
        {"access_grants": ["*", "bob"]},
        {"access_grants": ["*", ""]},
        {"access_grants": ["*", "human:%"]},
        {"access_grants": "*"},
        {"access_denies": ["human:"]},
        {"subject_ids": ["bella"]},
        {"subject_ids": "dog:bella"},
        {"source_entity": "sean"},
        {"source_chain": ["human sean"]},
        {"consent_grants": ["human:sean, human:bob"]},
        {"consent_grants": ["*"]},
        {"upstream_grants": [["bob"]]},
        {"context": "work"},
        {"context": "human:bob"},
    ],
)
def test_malformed_labels_deny_others_and_never_the_owner(field: dict[str, Any]) -> None:
    memory = {"access_grants": ["*"]} | field
    assert code("people", BOB, memory) == "malformed"
    assert code("people", ASH, memory) == "owner-alone"
    assert (
        code("people", BOB, {"access_grants": ["*"], "derived_from": ["m_bad"]}, memories={"m_bad": memory})
        == "lineage"
    )
