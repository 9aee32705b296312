"""Registries as files: what they say, and that what can't be relied on never opens anything."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.access.policy import decide, listeners
from memstore.access.registry import read
from memstore.access.registry_world import world_of
from memstore.access.world import ActiveContext, Consent, Delegation, Effect, Entity, Kind, Labels, Member, Revocation
from memstore.core.places import RegistryKind
from tests.access_cases import OWNER, by, with_memory

SAMPLE = Path(__file__).parents[2] / "sample-vault"


def entity(name: str, **more: str) -> tuple[str, bytes]:
    lines = "".join(f"{key}: {value}\n" for key, value in more.items())
    return f"entities/{name.replace(':', '/')}.md", f"---\ntype: entity\nid: {name}\n{lines}---\n".encode()


def group(name: str, *members: str) -> tuple[str, bytes]:
    return f"groups/{name.partition(':')[2]}.yaml", f"id: {name}\nmembers: [{', '.join(members)}]\n".encode()


def context(name: str, **more: str) -> tuple[str, bytes]:
    lines = "".join(f"{key}: {value}\n" for key, value in more.items())
    return f"contexts/{name.partition(':')[2]}.yaml", f"id: {name}\n{lines}".encode()


def event(name: str, **more: str) -> tuple[str, bytes]:
    values = {"type": "consent", "id": name, "granted_at": "2026-01-01T00:00:00Z"} | more
    lines = "".join(f"{key}: {value}\n" for key, value in values.items())
    return f"consents/2026/{name}.md", f"---\n{lines}---\n".encode()


CONSENT = event("con_1", grantor="human:sean", grantee="human:bob", scope="mem:m_1")
REFUSAL = event("con_2", grantor="human:sean", grantee="human:bob", scope="mem:m_1", effect="deny")


def test_every_file_of_the_sample_vault_is_read() -> None:
    files = [
        (str(place.relative_to(SAMPLE)), place.read_bytes())
        for folder in ("entities", "groups", "contexts", "consents", "requests")
        for place in sorted((SAMPLE / folder).rglob("*"))
        if place.is_file()
    ]
    world = world_of("si:ash", files)
    assert not world.doubtful
    assert not world.consents_in_doubt
    assert world.entities["dog:bella"].guardians == ("human:sean",)
    assert [member.id for member in world.groups["group:tutors"]] == ["si:ash", "si:tutor_a", "si:tutor_b"]
    assert world.contexts["ctx:lobby"].open
    assert world.consents


def test_each_file_says_what_it_says() -> None:
    world = world_of(
        "si:ash",
        [
            entity("dog:bella", aliases="[Bella]", guardians="['human:sean']", kind="ward", roles="['role:pet']"),
            group("group:club", "{id: 'human:sean', from: 2026-01-01, until: '2026-02-01T12:00:00Z'}", "{id: 'si:a'}"),
            group("org:aisd", "{id: 'group:club'}"),
            context("ctx:park", roster="['human:sean']", open="true", roles="{'si:ash': ['role:friend']}"),
            CONSENT,
            event("con_3", type="delegation", grantor="human:sean", grantee="si:claire", scope="ctx:park",
                  expires_at="2026-06-01T00:00:00Z"),
            event("con_4", type="revocation", grantor="human:sean", revokes="con_1"),
            ("requests/req_1.md", b"nonsense"),
        ],
    )  # fmt: skip
    start, end = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, 12, tzinfo=UTC)
    assert world.entities == {
        "dog:bella": Entity(aliases=("Bella",), guardians=("human:sean",), kind=Kind.WARD, roles=("role:pet",))
    }
    assert world.groups["group:club"] == (Member(id="human:sean", since=start, until=end), Member(id="si:a"))
    assert world.groups["org:aisd"] == (Member(id="group:club"),)
    assert world.contexts["ctx:park"].roles == {"si:ash": ("role:friend",)}
    shared: dict[str, Any] = {"grantor": "human:sean", "granted_at": start}
    assert world.consents == (Consent(id="con_1", grantee="human:bob", scope="mem:m_1", **shared),)
    until = datetime(2026, 6, 1, tzinfo=UTC)
    delegation = Delegation(id="con_3", delegate="si:claire", scope="ctx:park", expires_at=until, **shared)
    assert world.delegations == (delegation,)
    assert world.revocations == (Revocation(revokes="con_1", by="human:sean", at=start),)
    assert world_of("si:ash", [REFUSAL]).consents[0].effect is Effect.REFUSE
    assert not world.doubtful
    assert not world.consents_in_doubt


# -- what can't be relied on ----------------------------------------------------------------------

ABOUT_SEAN = Labels(id="m_1", subject_ids=("human:sean",), access_grants=("*",))
DAMAGES = [b"", b"---\n", b"\xff", b"<<<<<<< ours\n", b"---\nid: x\nid: x\n---\n", None]


def sees(files: list[tuple[str, bytes | None]], labels: Labels, viewer: str = "human:bob") -> bool:
    return decide(with_memory(world_of(OWNER, files), labels), by(viewer), labels.id).allowed


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_consent_that_can_not_be_read_may_be_a_refusal(damage: bytes | None) -> None:
    assert sees([CONSENT], ABOUT_SEAN)
    assert not sees([CONSENT, (REFUSAL[0], damage)], ABOUT_SEAN)
    assert sees([("requests/con_2.md", damage), CONSENT], ABOUT_SEAN)
    public = Labels(id="m_1", access_grants=("*",))
    assert sees([CONSENT, (REFUSAL[0], damage)], public)  # nobody has a say about it


@pytest.mark.parametrize(
    "incomplete",
    [
        event("con_5", grantor="human:sean", scope="mem:m_1", effect="deny"),
        event("con_5", grantor="human:sean", grantee="human:bob", effect="deny"),
        event("con_5", type="revocation", grantor="human:sean"),
        event("con_5", type="delegation", grantor="human:sean", grantee="si:claire", scope="mem:m_1"),
    ],
)
def test_a_record_that_lacks_what_makes_it_one_is_not_left_out(incomplete: tuple[str, bytes]) -> None:
    assert not sees([CONSENT, incomplete], ABOUT_SEAN)
    found = read(incomplete[0], RegistryKind.CONSENT, incomplete[1])
    assert isinstance(found, tuple)
    assert [finding.code for finding in found] == ["value-missing"]


@pytest.mark.parametrize(
    "scope",
    ["*", "human:sean", "subject:HUMAN:SEAN", "subject: human:sean", "Subject:human:sean", "subject:human:sean ",
     "subjects:human:sean", "mem:note:m_1", "mem:M_1", "ctx:", "a.md", "subject:human:*"],
)  # fmt: skip
def test_a_refusal_of_what_nobody_understands_may_be_of_anything(scope: str) -> None:
    path, data = event("con_5", grantor="human:sean", grantee='"*"', scope=f'"{scope}"', effect="deny")
    assert not sees([CONSENT, (path, data)], ABOUT_SEAN)
    found = read(path, RegistryKind.CONSENT, data)
    assert isinstance(found, tuple)
    assert [finding.code for finding in found] == ["scope-form"]


@pytest.mark.parametrize("scope", ["mem:m_1", "m_1", "note:m_1", "belief:m_1"])
def test_a_memory_is_named_by_its_id_or_any_ref(scope: str) -> None:
    consent = event("con_5", grantor="human:sean", grantee="human:bob", scope=scope)
    assert sees([consent], ABOUT_SEAN)
    refusal = event("con_6", grantor="human:sean", grantee='"*"', scope=scope, effect="deny")
    assert not sees([CONSENT, refusal], ABOUT_SEAN)


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_entity_that_can_not_be_read_may_have_guardians(damage: bytes | None) -> None:
    assert not sees([CONSENT, (entity("human:sean")[0], damage)], ABOUT_SEAN)
    assert not sees([CONSENT, ("entities/sean.md", damage)], ABOUT_SEAN)
    assert sees([CONSENT, (entity("human:other")[0], damage)], ABOUT_SEAN)
    topic = Labels(id="m_1", subject_ids=("topic:tea",), access_grants=("*",))
    assert sees([], topic)
    assert not sees([(entity("topic:tea")[0], damage)], topic)  # it may be somebody


@pytest.mark.parametrize("damage", DAMAGES)
def test_who_is_in_a_group_that_can_not_be_read_is_nobody_for_a_grant_and_everybody_for_a_denial(
    damage: bytes | None,
) -> None:
    club = group("group:club", "{id: 'human:bob'}")
    around = group("group:around", "{id: 'group:club'}")
    granted = Labels(id="m_1", access_grants=("group:club",))
    assert sees([club], granted)
    assert not sees([(club[0], damage)], granted)
    for denied in ("group:club", "group:around"):
        labels = Labels(id="m_1", access_grants=("*",), access_denies=(denied,))
        assert not sees([around, (club[0], damage)], labels, "human:carol")
        assert sees([around, club], labels, "human:carol")


def test_nobody_knows_who_was_in_a_group_that_is_gone() -> None:
    labels = Labels(id="m_1", access_grants=("*",), access_denies=("group:club",))
    assert not sees([], labels, "human:carol")


def test_somebody_whose_file_can_not_be_read_may_have_any_role() -> None:
    labels = Labels(id="m_1", access_grants=("*",), access_denies=("role:tutor",))
    assert sees([entity("si:bo")], labels, "si:bo")
    assert not sees([(entity("si:bo")[0], b"")], labels, "si:bo")


def test_a_context_that_can_not_be_read_grants_nothing_and_may_be_open() -> None:
    park = context("ctx:park", roster="['human:bob']")
    world = world_of(OWNER, [(park[0], b"")])
    labels = Labels(id="m_1", access_grants=("ctx:park",))
    session = by("human:bob", ActiveContext(id="ctx:park", participants=("human:bob",)))
    assert decide(with_memory(world_of(OWNER, [park]), labels), session, "m_1").allowed
    assert not decide(with_memory(world, labels), session, "m_1").allowed
    assert listeners(world, session) == ("anon:unknown", "human:bob")


@pytest.mark.parametrize("named", ["human:sean", "human:kid"])
def test_neither_of_two_files_for_one_entity_counts(named: str) -> None:
    path, data = entity("human:sean")
    assert sees([CONSENT, (path, data)], ABOUT_SEAN)
    assert not sees([CONSENT, (path, data), (f"entities/{named.replace(':', '/')}.md", data)], ABOUT_SEAN)


def test_an_id_that_the_path_does_not_say_makes_both_doubtful() -> None:
    _, data = entity("human:kid")
    world = world_of(OWNER, [("entities/human/sean.md", data)])
    assert world.doubtful == {"human:sean", "human:kid"}


@given(st.lists(st.sampled_from([CONSENT, REFUSAL, entity("human:sean"), group("group:club")]), unique=True), st.data())
def test_a_file_that_becomes_unreadable_never_shows_more(files: list[tuple[str, bytes | None]], data: Any) -> None:
    which = data.draw(st.integers(0, max(0, len(files) - 1)))
    damaged = [(path, b"broken" if at == which else text) for at, (path, text) in enumerate(files)]
    for labels in (ABOUT_SEAN, Labels(id="m_1", access_grants=("*",), access_denies=("group:club",))):
        assert not sees(damaged, labels) or sees(files, labels)


def test_the_order_of_files_makes_no_difference() -> None:
    files = [CONSENT, REFUSAL, entity("human:sean"), group("group:club", "{id: 'human:bob'}")]
    assert sees(list(files), ABOUT_SEAN) == sees(list(reversed(files)), ABOUT_SEAN)
