"""Entities, groups and consents, written as files and taken back, on a vault in memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memstore.access import audit_events
from memstore.access.audit import audit_trail, found
from memstore.access.consents import consents, delegate, grant_consent, refuse_consent, request_consent, revoke_consent
from memstore.access.contexts import add_context, contexts
from memstore.access.entities import (
    add_entity,
    add_members,
    entities,
    groups,
    guard_entity,
    name_entity,
    remove_members,
)
from memstore.core.errors import FormatError, NotFoundError, RefusedError, UsageError
from memstore.core.places import RegistryKind
from memstore.history.audit_check import verify_audit
from memstore.memories.create import raw as add_raw
from memstore.vault.status import undo
from tests.memory_workspace import OWNER, files_of, memory_workspace

if TYPE_CHECKING:
    from memstore.vault.workspace import Workspace

BELLA = b'# hers\ntype: entity\nid: "dog:bella"   # small\naliases: [Bella]\n'


@pytest.fixture
def ws() -> Workspace:
    return memory_workspace()


def text(ws: Workspace, path: str) -> str:
    return files_of(ws)[path].decode()


def test_an_entity_is_a_file(ws: Workspace) -> None:
    made = add_entity(ws.view(), "vet:dr_smith", aliases=["Dr. Smith"], roles=["vet"], note="Bella's vet.")
    assert text(ws, made.path) == (
        "---\ntype: entity\nid: vet:dr_smith\naliases: [Dr. Smith]\nroles: [role:vet]\n---\n\nBella's vet.\n"
    )
    assert [one.roles for one in entities(ws.view())] == [("role:vet",)]


def test_what_a_person_wrote_in_it_stays() -> None:
    before = b"---\r\n" + BELLA.replace(b"\n", b"\r\n") + b"---\r\nSmall."
    ws = memory_workspace({"entities/dog/bella.md": before})
    name_entity(ws.view(), "dog:bella", ["Bella Blue"])
    guard_entity(ws.view(), "dog:bella", ["human:sean"])
    after = files_of(ws)["entities/dog/bella.md"]
    assert after == before.replace(b"[Bella]\r\n", b"[Bella, Bella Blue]\r\nguardians: [human:sean]\r\n")
    guard_entity(ws.view(), "dog:bella", ["human:sean"], remove=True)
    assert entities(ws.view())[0].guardians == ()


def test_a_group_without_a_final_line_end_is_joined() -> None:
    before = b'# who teaches\nid: "group:tutors"\nmembers:\n  - {id: "si:ash", from: "2026-01-01"}   # first'
    ws = memory_workspace({"groups/tutors.yaml": before})
    add_members(ws.view(), "group:tutors", ["si:ash", "si:claire"])
    assert files_of(ws)["groups/tutors.yaml"].startswith(before + b"\n  - {id: ")
    assert [member.id for member in groups(ws.view())[0].members] == ["si:ash", "si:claire"]


def test_a_membership_ends_now_and_its_line_stays(ws: Workspace) -> None:
    add_members(ws.view(), "group:tutors", ["si:ash", "si:claire"])
    remove_members(ws.view(), "group:tutors", ["si:ash"])
    ash, claire = groups(ws.view())[0].members
    assert ash.until is not None
    assert claire.until is None
    with pytest.raises(NotFoundError, match="not a member"):
        remove_members(ws.view(), "group:tutors", ["si:ash"])
    add_members(ws.view(), "group:tutors", ["si:ash"])
    assert [member.id for member in groups(ws.view())[0].members] == ["si:ash", "si:claire", "si:ash"]


@pytest.mark.parametrize("entity", ["HUMAN:SEAN", "sean", "human:sean ", "human:%", "*", '["human:sean"]', ""])
def test_an_id_that_is_none_is_refused(ws: Workspace, entity: str) -> None:
    with pytest.raises(UsageError):
        add_entity(ws.view(), entity)
    with pytest.raises(UsageError):
        add_members(ws.view(), "group:x", [entity])
    assert files_of(ws) == {}


def test_only_the_owner_registers_and_learns_of_all() -> None:
    files = {"entities/dog/bella.md": b"---\n" + BELLA + b"---\n"}
    ws = memory_workspace(files, actor="si:max")
    for act in (
        lambda: add_entity(ws.view(), "si:max"),
        lambda: add_members(ws.view(), "group:x", ["si:max"]),
        lambda: add_context(ws.view(), "ctx:x"),
        lambda: grant_consent(ws.view(), "human:sean", "si:max", "subject:dog:bella"),
        lambda: request_consent(ws.view(), "human:sean", "si:max", "subject:dog:bella"),
        lambda: verify_audit(ws.view()),
        lambda: audit_trail(ws.view()),
    ):
        with pytest.raises(RefusedError):
            act()
    assert (
        entities(ws.view()),
        groups(ws.view()),
        consents(ws.view()),
        contexts(ws.view()),
    ) == ((),) * 4


def test_a_broken_file_is_not_touched() -> None:
    ws = memory_workspace({"entities/dog/bella.md": b"---\nid: [\n---\n"})
    with pytest.raises(FormatError, match="can't be read"):
        add_entity(ws.view(), "dog:bella")


# -- consents ------------------------------------------------------------------------------------


def given(ws: Workspace, **more: str) -> str:
    return grant_consent(ws.view(), "human:sean", "si:luna", "subject:dog:bella", **more).id  # type: ignore[arg-type]


def states(ws: Workspace) -> list[tuple[str, str]]:
    return [(one.kind, one.state) for one in consents(ws.view())]


def test_a_consent_is_one_file_that_never_changes(ws: Workspace) -> None:
    consent = given(ws, reason="the lake", on_behalf_of="dog:bella", note="Yes.")
    path = consents(ws.view())[0].path
    before = files_of(ws)[path]
    revoke_consent(ws.view(), consent, by="human:sean")
    assert files_of(ws)[path] == before
    assert states(ws) == [("consent", "revoked")]
    with pytest.raises(RefusedError, match="already"):
        revoke_consent(ws.view(), consent, by="human:sean")


def test_a_delegation_ends_and_is_for_another(ws: Workspace) -> None:
    with pytest.raises(UsageError, match="end"):
        delegate(ws.view(), "human:sean", "si:claire", "source:human:sean")
    with pytest.raises(RefusedError):
        delegate(ws.view(), "human:sean", "human:sean", "source:human:sean", expires="30d")
    delegate(ws.view(), "human:sean", "si:claire", "source:human:sean", expires="30d")
    refuse_consent(ws.view(), "human:sean", "*", "subject:dog:bella")
    request_consent(ws.view(), "human:dana", "si:b", "ctx:school")
    assert states(ws) == [("delegation", "active"), ("refusal", "active"), ("request", "open")]


@pytest.mark.parametrize("end", ["2020-01-01", "yesterday", "now", "soon"])
def test_an_end_lies_ahead(ws: Workspace, end: str) -> None:
    with pytest.raises(UsageError):
        given(ws, expires=end)


@pytest.mark.parametrize("scope", ["dog:bella", "subject:", "subject:BELLA", "ctx:", "%"])
def test_a_scope_names_something(ws: Workspace, scope: str) -> None:
    with pytest.raises((UsageError, NotFoundError)):
        grant_consent(ws.view(), "human:sean", "si:luna", scope)


def test_a_memory_as_scope_may_be_abbreviated(ws: Workspace) -> None:
    saved = add_raw(ws.view(), "A heart murmur")
    grant_consent(ws.view(), "human:dana", "si:luna", (saved.ref or "")[: len("raw:m_0000000001")])
    assert consents(ws.view())[0].scope == "mem:m_0000000001"


@pytest.mark.parametrize(
    ("actor", "by", "allowed"),
    [
        (OWNER, "human:dana", True),
        (OWNER, "dog:bella", True),
        (OWNER, "human:guard", True),
        (OWNER, "human:eve", False),
        (OWNER, None, False),
        ("human:dana", None, True),
        ("human:guard", None, True),
        ("si:luna", None, False),
        ("si:luna", "human:dana", False),
    ],
)
def test_who_may_take_a_consent_back(actor: str, by: str | None, allowed: bool) -> None:  # noqa: FBT001
    ws = memory_workspace()
    add_entity(ws.view(), "dog:bella", guardians=["human:guard"])
    consent = grant_consent(ws.view(), "human:dana", "si:luna", "subject:dog:bella", on_behalf_of="dog:bella").id
    other = memory_workspace(files_of(ws), actor=actor)
    if allowed:
        revoke_consent(other.view(), consent, by=by)
        assert states(memory_workspace(files_of(other))) == [("consent", "revoked")]
        return
    with pytest.raises(RefusedError):
        revoke_consent(other.view(), consent, by=by)


@pytest.mark.parametrize(("by", "at"), [("si:luna", "2026-01-01T00:00:00Z"), ("human:sean", "2099-01-01T00:00:00Z")])
def test_what_takes_nothing_back_is_in_nobodys_way(ws: Workspace, by: str, at: str) -> None:
    consent = given(ws)
    head = f'type: revocation\nid: con_void000001\nrevokes: {consent}\ngrantor: {by}\ngranted_at: "{at}"\n'
    files = files_of(ws) | {"consents/2026/con_void000001.md": f"---\n{head}---\n".encode()}
    other = memory_workspace(files)
    assert states(other) == [("consent", "active")]
    other.ids.memory_id()  # the one that the consent has
    revoke_consent(other.view(), consent, by="human:sean")
    assert states(other) == [("consent", "revoked")]


def test_to_others_a_consent_they_have_no_part_in_is_none_at_all(ws: Workspace) -> None:
    consent = given(ws)
    eve = memory_workspace(files_of(ws), actor="human:eve")
    told = []
    for name in (consent, "con_nothing000"):
        with pytest.raises(NotFoundError) as error:
            revoke_consent(eve.view(), name)
        told.append(str(error.value).replace(name, "…"))
    assert told[0] == told[1]


# -- audit ---------------------------------------------------------------------------------------


def audited(ws: Workspace) -> list[str]:
    return [event.event for event in reversed(audit_trail(ws.view()))]


def audit_paths(ws: Workspace) -> list[str]:
    return sorted(path for path in files_of(ws) if path.startswith("audit/"))


def test_every_act_is_audited_in_ids_alone(ws: Workspace) -> None:
    add_entity(ws.view(), "dog:bella", aliases=["Bella"], note="Loves fetch")
    given(ws, reason="the lake", note="Yes, why not")
    undo(ws.view())
    assert audited(ws) == ["entity add", "consent grant", "undo"]
    assert verify_audit(ws.view()).findings == ()
    assert [one.grantor for one in consents(ws.view())] == []
    told = b"".join(files_of(ws)[path] for path in audit_paths(ws)).decode()
    assert not any(word in told for word in ("Bella", "fetch", "lake", "why"))


def test_dry_runs_and_what_changes_nothing_leave_no_event(ws: Workspace) -> None:
    add_entity(ws.view(), "dog:bella", dry_run=True)
    assert files_of(ws) == {}
    add_entity(ws.view(), "dog:bella", aliases=["Bella"])
    name_entity(ws.view(), "dog:bella", ["Bella"])
    assert audited(ws) == ["entity add"]


@pytest.fixture
def chained() -> Workspace:
    ws = memory_workspace()
    for name in ("dog:bella", "dog:max", "dog:luna"):
        add_entity(ws.view(), name)
    return ws


def codes(ws: Workspace) -> list[str]:
    return [finding.code for finding in verify_audit(ws.view()).findings]


def test_a_changed_event_is_shown(chained: Workspace) -> None:
    path = audit_paths(chained)[-1]
    files_of(chained)[path] = files_of(chained)[path].replace(b"dog:luna", b"dog:lola")
    assert codes(chained) == ["audit-changed"]
    files_of(chained)[path] = b"{}"
    assert codes(chained) == ["audit-unreadable"]


def test_an_event_that_was_changed_and_sealed_anew_is_missed_by_the_next(chained: Workspace) -> None:
    path = audit_paths(chained)[0]
    said = json.loads(files_of(chained)[path]) | {"event_id": "ev_x"}
    forged = audit_events.write(**{key: said[key] for key in ("event_id", "at", "by", "event", "prev")}, about={})
    files_of(chained)[path] = forged[1]
    assert codes(chained) == ["audit-missing"]


def test_a_deleted_event_is_shown(chained: Workspace) -> None:
    del files_of(chained)[audit_paths(chained)[1]]
    assert codes(chained) == ["audit-missing"]


def test_after_a_merge_both_ends_are_followed(chained: Workspace) -> None:
    here, there = memory_workspace(files_of(chained)), memory_workspace(files_of(chained))
    for ws, name in ((here, "human:a"), (there, "human:b")):
        for _ in range(5 if ws is there else 3):
            ws.ids.memory_id()  # two machines make different ids
        add_entity(ws.view(), name)
    merged = memory_workspace(files_of(here) | files_of(there))
    for _ in range(20):
        merged.ids.memory_id()
    add_entity(merged.view(), "human:c")
    assert sorted(map(len, (json.loads(files_of(merged)[path])["prev"] for path in audit_paths(merged)))) == [
        0, 1, 1, 1, 1, 2,
    ]  # fmt: skip
    assert verify_audit(merged.view()).findings == ()


def test_files_are_found_by_the_id_they_hold(ws: Workspace) -> None:
    add_entity(ws.view(), "dog:bella")
    assert found(ws.view(), RegistryKind.ENTITY, "dog:bell") is None
    assert found(ws.view(), RegistryKind.ENTITY, "dog:BELLA") is None
