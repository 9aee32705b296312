"""Who sees what of a vault, through the one place where every flow asks."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memstore.access import CONTEXTS
from memstore.access.world import ActiveContext
from memstore.beliefs.reinforce import reinforce
from memstore.core.errors import NotFoundError, RefusedError
from memstore.memories.edit import fmt, move, set_keys, tag
from memstore.memories.listing import list_memories
from memstore.memories.promote import supersede
from memstore.memories.search import search
from memstore.memories.show import show_memory
from tests.absent import NoContext
from tests.memory_workspace import OWNER, files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.vault.workspace import Workspace

PERMIT = b"""---
type: consent
id: con_1
grantor: human:claire
grantee: human:bob
scope: mem:m_claire
granted_at: "2026-01-01T00:00:00Z"
---
"""
REVOKED = b"""---
type: revocation
id: con_2
grantor: human:claire
revokes: con_1
granted_at: "2026-01-02T00:00:00Z"
---
"""
FILES = {
    "private.md": memory_text("Tea, private.\n", id="m_private"),
    "public.md": memory_text("Tea, public.\n", id="m_public", access_grants='["*"]'),
    "bob.md": memory_text("Tea, for Bob.\n", id="m_bob", confidence="0.5", access_grants='["human:bob"]'),
    "club.md": memory_text("Tea, for the club.\n", id="m_club", access_grants='["group:club"]'),
    "park.md": memory_text("Tea, in the park.\n", id="m_park", access_grants='["ctx:park"]'),
    "claire.md": memory_text("Tea.\n", id="m_claire", access_grants='["human:bob"]', subject_ids='["human:claire"]'),
    "bobs.md": memory_text("Tea, Bob's own.\n", id="m_bobs", owner='"human:bob"'),
    "broken.md": b"---\ntype: note\nid: m_x\nid: m_x\naccess_grants: ['*']\n---\nTea.\n",
    "groups/club.yaml": b"id: group:club\nmembers: [{id: 'human:dave'}]\n",
    "contexts/park.yaml": b"id: ctx:park\nroster: ['human:bob', 'human:dave', 'human:sean']\n",
}  # fmt: skip


class InContext(NoContext):
    """Somebody is in this context."""

    def __init__(self, context: ActiveContext) -> None:
        self._context = context

    def current(self) -> ActiveContext:  # type: ignore[override]
        return self._context


def looking(
    actor: str, context: ActiveContext | None = None, *, alone: bool = False, files: dict[str, bytes] | None = None
) -> Workspace:
    ws = memory_workspace(FILES | (files or {}), actor=actor)
    return ws._replace(alone=alone).having(CONTEXTS, InContext(context)) if context else ws


def seen(ws: Workspace) -> set[str]:
    found = {entry.path.removesuffix(".md") for entry in list_memories(ws.view()).entries}
    assert {hit.path.removesuffix(".md") for hit in search(ws.view(), "tea").hits} == found
    for path in FILES:
        if path.endswith(".md") and path.removesuffix(".md") not in found:
            with pytest.raises(NotFoundError):
                show_memory(ws.view(), path)
    return found


PARK = ActiveContext(id="ctx:park")
OWNERS = {"private", "public", "bob", "club", "park", "claire"}


@pytest.mark.parametrize(
    ("actor", "context", "expected"),
    [
        (OWNER, None, OWNERS),
        ("human:bob", None, {"public", "bob", "bobs"}),
        ("human:dave", None, {"public", "club"}),
        ("human:eve", None, {"public"}),
        ("dog:bella", None, set()),
        (OWNER, PARK, {"public", "park"}),
        ("human:bob", PARK, {"public", "park"}),
        (OWNER, ActiveContext(id="ctx:unknown"), {"public"}),
        (OWNER, ActiveContext(id="ctx:park", participants=("human:dave",)), {"public", "park", "club"}),
        (OWNER, ActiveContext(id="ctx:park", participants=(OWNER,)), OWNERS),
    ],
)  # fmt: skip
def test_everybody_who_listens_must_be_allowed(actor: str, context: ActiveContext | None, expected: set[str]) -> None:
    assert seen(looking(actor, context)) == expected


def test_the_owner_may_say_that_nobody_else_listens() -> None:
    assert seen(looking(OWNER, PARK, alone=True)) == seen(looking(OWNER))
    assert seen(looking("human:eve", PARK, alone=True)) == seen(looking("human:eve", PARK))


def test_a_consent_opens_and_its_revocation_closes_at_once() -> None:
    ws = looking("human:bob", files={"consents/2026/con_1.md": PERMIT})
    assert "claire" in seen(ws)
    files_of(ws)["consents/2026/con_2.md"] = REVOKED
    assert "claire" not in seen(ws)


def test_a_refusal_that_can_not_be_read_is_not_overlooked() -> None:
    assert "claire" not in seen(
        looking("human:bob", files={"consents/2026/con_1.md": PERMIT, "consents/con_2.md": b"?"})
    )


def test_of_two_copies_both_must_be_open() -> None:
    copy = memory_text("Tea, a copy.\n", id="m_public")
    assert seen(looking("human:eve", files={"copy.md": copy})) == set()
    assert {"public", "copy"} <= seen(looking(OWNER, files={"copy.md": copy}))
    assert seen(looking("human:eve", files={"copy.md": FILES["public.md"]})) == {"public", "copy"}
    made = memory_text("Tea, made of it.\n", id="m_made", access_grants='["*"]', derived_from="[note:m_public]")
    assert "made" not in seen(looking("human:eve", files={"copy.md": copy, "made.md": made}))
    assert "made" in seen(looking("human:eve", files={"made.md": made}))


def test_a_copy_of_somebody_elses_does_not_hide_a_memory_from_its_owner() -> None:
    ws = looking("human:bob", files={"copy.md": memory_text("Tea.\n", id="m_bobs")})
    assert "bobs" in seen(ws)
    assert "copy" not in seen(ws)


@pytest.mark.parametrize(
    ("actor", "context", "alone", "expected"),
    [
        (OWNER, None, False, True),
        (OWNER, PARK, False, False),
        (OWNER, PARK, True, True),
        (OWNER, ActiveContext(id="ctx:park", participants=(OWNER, "dog:bella")), False, True),
        ("human:bob", None, False, False),
        ("human:bob", PARK, True, False),
    ],
)
def test_the_past_and_broken_files_are_the_owners_alone(
    actor: str, context: ActiveContext | None, *, alone: bool, expected: bool
) -> None:
    ws = looking(actor, context, alone=alone)
    assert ws.view().is_owners is expected
    assert list_memories(ws.view()).left_out == expected
    if not expected:
        with pytest.raises(RefusedError):
            ws.view().require_owner()


@pytest.mark.parametrize("alone", [True, False])
def test_a_context_that_can_not_be_relied_on_is_an_error_everywhere(*, alone: bool) -> None:
    now = memory_workspace().clock.now()
    for context in (ActiveContext(id="ctx:park", expires_at=now), ActiveContext(id="", ambiguous=True)):
        ws = looking(OWNER, context, alone=alone)
        for ask in (
            list_memories,
            lambda view: view.is_owners,
            lambda view: search(view, "tea"),
            lambda view: show_memory(view, "m_bob"),
        ):
            with pytest.raises(RefusedError, match="context"):
                ask(ws.view())
    assert seen(looking(OWNER, PARK._replace(expires_at=now + timedelta(days=1)))) == {"public", "park"}


# -- what may be seen may not be changed ----------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda ws: set_keys(ws.view(), "m_bob", {"title": ["Mine"]}),
        lambda ws: tag(ws.view(), "m_bob", add=["mine"]),
        lambda ws: move(ws.view(), "m_bob", "mine/"),
        lambda ws: reinforce(ws.view(), "m_bob", "m_public"),
        lambda ws: supersede(ws.view(), "m_bob", "Better."),
    ],
)
def test_only_its_owner_changes_a_memory(change: Callable[[Workspace], object]) -> None:
    ws = looking("human:bob")
    before = dict(files_of(ws))
    with pytest.raises(RefusedError, match="only its owner may change it"):
        change(ws)
    assert files_of(ws) == before
    with pytest.raises(NotFoundError):
        set_keys(ws.view(), "m_private", {"title": ["Mine"]})


def test_fmt_leaves_alone_what_is_somebody_elses() -> None:
    assert (fmt(looking("human:bob").view()).total, fmt(looking("human:eve").view()).total) == (1, 0)


def test_a_name_that_may_be_taken_by_a_hidden_file_is_not_given() -> None:
    ws = looking("human:bob")
    for to in ("private.md", "free.md"):
        with pytest.raises(RefusedError, match="may choose names of files freely"):
            move(ws.view(), "m_bobs", to)
    assert move(ws.view(), "m_bobs", "tea/green-m_bobs.md").path == "tea/green-m_bobs.md"
