"""Who sees what, and who gained or lost sight: a table of changes, and laws that hold for any vault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.access.policy import Judge
from memstore.access.sight import Seen, Seer, in_short, listeners, seers, sight_changes
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
    Session,
    World,
)
from memstore.files.config_file import owner_of
from tests.access.test_access_decisions import CONTEXTS, MEMORIES, PEOPLE, one_memory, seeds, worlds
from tests.access_cases import DAY, NOW, OWNER, vault, with_memory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.access.sight import SightChange

ALL = Seer("*")
PLAIN = Labels(id="m_1")
ABOUT_BELLA = Labels(id="m_1", subject_ids=("dog:bella",), access_grants=("vet:smith",))
BELLA = {"dog:bella": Entity(guardians=("human:sean",))}
YES = Consent(id="c_1", grantor="human:sean", grantee="vet:smith", scope="subject:dog:bella", granted_at=NOW - DAY)
NO_MORE = Revocation(revokes="c_1", by="human:sean", at=NOW)
B = RegisteredContext(roster=("si:x",))
TEAM = {"group:team": (Member(id="si:x"), Member(id="group:more")), "group:more": (Member(id="si:y"),)}


def changes(before: World, after: World) -> tuple[SightChange, ...]:
    places = [{one: (f"note:{one}", f"{one}.md") for one in world.memories} for world in (before, after)]
    return sight_changes(before, places[0], after, places[1], NOW)


def granted(*names: str, **more: object) -> Labels:
    return PLAIN._replace(access_grants=names, **more)  # type: ignore[arg-type]


def in_words(seen: Iterable[Seer]) -> str:
    return " ".join(f"{entity}@{context}" if context else entity for entity, context in seen)


# -- who may look ---------------------------------------------------------------------------------


def test_whoever_is_named_anywhere_may_look() -> None:
    world = World(
        owner=OWNER,
        entities={
            "human:registered": Entity(),
            "dog:bella": Entity(guardians=("human:guardian",)),
            "cat:talks": Entity(kind=Kind.AGENT),
        },
        groups={"group:team": (Member(id="si:member"), Member(id="org:firm")), "org:firm": (Member(id="si:clerk"),)},
        contexts={
            "ctx:work": RegisteredContext(
                roster=("si:listed",), roles={"si:in_role": ("role:tutor",)}, default_access=("si:default",)
            )
        },
        consents=(YES._replace(grantor="human:a", on_behalf_of="human:b", grantee="human:c"),),
        delegations=(Delegation(id="d", grantor="human:d", delegate="human:e", scope="", granted_at=NOW),),
        revocations=(Revocation(revokes="c", by="human:f", at=NOW),),
        memories={
            "m_1": Labels(
                id="m_1",
                owner="human:owner",
                source_entity="human:source",
                source_chain=("human:chain",),
                subject_ids=("human:subject", "topic:tea"),
                access_grants=("si:grantee", "org:elsewhere", "group:team", "ctx:work", "*", "HUMAN:SEAN", "human:"),
                access_denies=("si:denied", "dog:rex"),
                consent_grants=("human:consented",),
                upstream_grants=(("si:upstream",),),
            )
        },
    )  # fmt: skip
    assert listeners(world) == [
        "*", "cat:talks", "human:a", "human:b", "human:c", "human:chain", "human:consented", "human:d", "human:e",
        "human:f", "human:guardian", "human:owner", "human:registered", "human:source", "human:subject",
        "org:elsewhere", OWNER, "si:clerk", "si:default", "si:denied", "si:grantee", "si:in_role", "si:listed",
        "si:member", "si:upstream",
    ]  # fmt: skip


def test_no_stand_in_for_everybody_is_somebody_who_is_named() -> None:
    names = ("anon:everybody-1", "anon:everybody-2")
    world = vault(granted("*", access_denies=names), granted(*names)._replace(id="m_2"))
    seen = seers(world, NOW, [*listeners(world), "human:new"], world.memories)
    assert ALL in seen["m_1"]
    assert seen["m_1"].isdisjoint(map(Seer, names))
    assert seen["m_2"] == {Seer(name) for name in names}


# -- who sees a memory ----------------------------------------------------------------------------

CONTEXTS_OF_TEAM = {
    "ctx:closed": RegisteredContext(roster=("si:x", "group:team", OWNER)),
    "ctx:open": RegisteredContext(open=True),
    "ctx:roles": RegisteredContext(roles={"si:tutor": ("role:tutor",)}),
}


@pytest.mark.parametrize(
    ("memory", "by", "but"),
    [
        (PLAIN, "", ""),
        (granted("human:nobody_registered"), "human:nobody_registered", ""),
        (granted("human:sean", OWNER), "human:sean", ""),
        (granted("*"), "*", ""),
        (granted("*", "human:sean"), "*", ""),
        (granted("*", access_denies=("human:sean",)), "*", "human:sean"),
        (granted("*", access_denies=("group:team",)), "*", "si:x si:y"),
        (granted("*", access_denies=("group:gone",)), "", ""),
        (granted("*", source_entity="human:unregistered"), "human:unregistered", ""),
        (granted("*", owner="human:claire"), "*", ""),
        (granted("*", owner="human:claire", access_denies=("human:claire", OWNER)), "*", OWNER),
        (granted("group:team"), "si:x si:y", ""),
        (granted("ctx:closed"), "si:x@ctx:closed si:y@ctx:closed", ""),
        (granted("ctx:closed", "si:x"), "si:x si:y@ctx:closed", ""),
        (granted("ctx:open"), "*@ctx:open", ""),
        (granted("ctx:open", "si:x", access_denies=("si:y",)), "*@ctx:open si:x", "si:y@ctx:open"),
        (granted("role:tutor"), "si:tutor@ctx:roles", ""),
        (granted("si:x", upstream_grants=(("ctx:closed",),)), "si:x@ctx:closed", ""),
        (granted("si:tutor", subject_ids=("dog:bella",)), "si:tutor@ctx:roles", ""),
        (granted("*", derived_from=("note:m_private",)), "human:eve", ""),
        (granted("si:x", derived_from=("note:m_teams",)), "si:x@ctx:closed", ""),
        (granted("*", status="forgotten"), "", ""),
        (granted("*", malformed=True), "", ""),
    ],
)
def test_who_sees_it(memory: Labels, by: str, but: str) -> None:
    sources = granted("human:eve", id="m_private"), granted("ctx:closed", id="m_teams")
    yes = YES._replace(grantee="role:tutor")
    world = vault(memory, *sources, entities=BELLA, groups=TEAM, contexts=CONTEXTS_OF_TEAM, consents=(yes,))
    known = [name for name in listeners(world) if name != (memory.owner or OWNER)]
    seen = in_short(seers(world, NOW, known, world.memories)["m_1"], known)
    assert (in_words(seen.by), in_words(seen.but)) == (by, but)


def test_memories_that_are_not_in_the_world_can_be_asked_about() -> None:
    world = vault(groups=TEAM)
    assert seers(world, NOW, ["si:x", "*"], {7: granted("group:team")._replace(id="")}) == {7: {Seer("si:x")}}


# -- who gained, who lost -------------------------------------------------------------------------

PUBLIC, SEANS = vault(granted("*")), vault(granted("human:sean"))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(vault(PLAIN), PUBLIC, "+ *", id="granted to everybody"),
        pytest.param(SEANS, PUBLIC, "+ *", id="one saw it before everybody did"),
        pytest.param(
            vault(PLAIN), vault(granted("*", access_denies=("si:x",))), "+ * but si:x", id="everybody but one"
        ),
        pytest.param(vault(PLAIN), vault(granted("human:new")), "+ human:new", id="granted to nobody we know"),
        pytest.param(PUBLIC, vault(granted("*", "human:sean")), "", id="who saw it since everybody did"),
        pytest.param(PUBLIC, SEANS, "- * still human:sean", id="from everybody to one"),
        pytest.param(PUBLIC, vault(granted("*", access_denies=("si:x",))), "- si:x", id="one of everybody denied"),
        pytest.param(vault(granted("*", access_denies=("si:x",))), PUBLIC, "+ si:x", id="a denial taken back"),
        pytest.param(
            vault(granted("si:x")),
            vault(granted("*", access_denies=("si:x",))),
            "+ * - si:x but si:x",
            id="everybody but who saw it",
        ),
        pytest.param(
            vault(granted("group:team"), groups={"group:team": ()}),
            vault(granted("group:team"), groups=TEAM),
            "+ si:x si:y",
            id="members of a group",
        ),
        pytest.param(
            vault(granted("ctx:a"), contexts={"ctx:a": RegisteredContext(roster=("si:x",))}),
            vault(granted("ctx:a"), contexts={"ctx:a": RegisteredContext(roster=("si:y",))}),
            "+ si:y@ctx:a - si:x@ctx:a",
            id="the roster of a context",
        ),
        pytest.param(
            vault(granted("ctx:a"), contexts={"ctx:a": RegisteredContext(roster=("si:x",))}),
            vault(granted("ctx:a"), contexts={"ctx:a": RegisteredContext(roster=("si:x",), open=True)}),
            "+ *@ctx:a",
            id="a context that opened",
        ),
        pytest.param(
            vault(granted("ctx:a", "ctx:b", "si:y"), contexts={"ctx:a": RegisteredContext(open=True), "ctx:b": B}),
            vault(granted("ctx:a", "ctx:b", "si:y"), contexts={"ctx:a": RegisteredContext(), "ctx:b": B}),
            "- *@ctx:a still si:y",
            id="a context that closed",
        ),
        pytest.param(
            vault(granted("si:x", "ctx:a"), contexts={"ctx:a": RegisteredContext(roster=("si:x",))}),
            vault(granted("ctx:a"), contexts={"ctx:a": RegisteredContext(roster=("si:x",))}),
            "- si:x still si:x@ctx:a",
            id="lost except in a context",
        ),
        pytest.param(
            vault(granted("ctx:a"), contexts={"ctx:a": RegisteredContext(roster=("si:x",))}),
            vault(granted("si:x", "ctx:a"), contexts={"ctx:a": RegisteredContext(roster=("si:x",))}),
            "+ si:x",
            id="no more in a context alone",
        ),
        pytest.param(
            vault(PLAIN), vault(PLAIN._replace(owner="si:x")), f"+ si:x - {OWNER}", id="another owner of a memory"
        ),
        pytest.param(vault(PLAIN), vault(PLAIN._replace(owner=OWNER)), "", id="the same owner, named"),
        pytest.param(SEANS, SEANS._replace(owner="si:x"), f"+ si:x - {OWNER}", id="another owner of the vault"),
        pytest.param(
            vault(PLAIN._replace(owner="human:sean")),
            vault(PLAIN._replace(owner="human:sean"))._replace(owner="si:x"),
            "",
            id="another owner of the vault, not of the memory",
        ),
        pytest.param(vault(PLAIN)._replace(owner="?"), vault(PLAIN), f"+ {OWNER}", id="nobody knew whose it was"),
        pytest.param(vault(granted("*")), vault(granted("*", owner="si:x")), "", id="given away, seen by everybody"),
        pytest.param(
            vault(granted("*", subject_ids=("dog:bella",), consent_grants=("human:sean",)), entities=BELLA),
            vault(granted("*", subject_ids=("dog:bella",), consent_grants=("human:sean",))),
            "",
            id="a person may consent for a ward without a guardian",
        ),
        pytest.param(
            vault(granted("*", subject_ids=("dog:bella",), consent_grants=("human:eve",)), entities=BELLA),
            vault(granted("*", subject_ids=("dog:bella",), consent_grants=("human:eve",))),
            "+ *",
            id="the file about a ward is gone",
        ),
        pytest.param(
            vault(granted("group:team"), groups=TEAM), vault(granted("group:team")), "- si:x si:y", id="a group is gone"
        ),
        pytest.param(
            vault(ABOUT_BELLA, entities=BELLA, consents=(YES,)),
            vault(ABOUT_BELLA, entities=BELLA, consents=(YES,), revocations=(NO_MORE,)),
            "- vet:smith",
            id="a consent withdrawn",
        ),
        pytest.param(vault(), PUBLIC, "+ *", id="a new memory"),
        pytest.param(vault(), vault(PLAIN), "", id="a new memory of the owner's"),
        pytest.param(vault(), vault(PLAIN._replace(owner="si:x")), "+ si:x", id="a new memory of somebody else"),
        pytest.param(SEANS, vault(), "- human:sean", id="a memory deleted"),
        pytest.param(SEANS, vault(PLAIN._replace(status="forgotten")), "- human:sean", id="a memory forgotten"),
        pytest.param(vault(PLAIN), vault(), "", id="a memory of the owner's deleted"),
        pytest.param(
            vault(granted("si:x", derived_from=("note:m_2",)), Labels(id="m_2")),
            vault(granted("si:x", derived_from=("note:m_2",)), Labels(id="m_2", access_grants=("si:x",))),
            "+ si:x",
            id="what it was made of was granted",
        ),
    ],
)  # fmt: skip
def test_who_gained_and_who_lost(before: World, after: World, expected: str) -> None:
    found = [one for one in changes(before, after) if one.ref == "note:m_1"]
    told = [
        f"{mark} {in_words(seen)}"
        for one in found
        for mark, seen in (("+", one.gained), ("-", one.lost), ("but", one.but), ("still", one.still))
        if seen
    ]
    assert " ".join(told) == expected


def test_changes_are_told_by_path_as_it_is_now() -> None:
    before = {"m_1": ("note:m_1", "b.md"), "m_2": ("note:m_2", "old.md")}
    two = [vault(Labels(id="m_1"), granted("*", id="m_2")), vault(granted("*"), Labels(id="m_2"))]
    found = sight_changes(two[0], before, two[1], {**before, "m_2": ("belief:m_2", "a.md")}, NOW)
    assert [(one.ref, one.path) for one in found] == [("belief:m_2", "a.md"), ("note:m_1", "b.md")]
    assert [one.path for one in sight_changes(two[0], before, vault(), {}, NOW)] == ["old.md"]


# -- laws -----------------------------------------------------------------------------------------

NOBODY_KNOWS = "human:nobody_knows"
LOOKING = (*PEOPLE, "org:three", "dog:bella", NOBODY_KNOWS)


def judged(world: World, viewer: str) -> dict[str, set[str | None]]:
    """Return where somebody sees each memory, asking for each by itself; None is everywhere, as it is for its owner."""
    found: dict[str, set[str | None]] = {one: set() for one in world.memories}
    for context in (None, *world.contexts):
        active = ActiveContext(id=context, participants=(viewer,)) if context else None
        judge = Judge(world, Session(viewer=viewer, at=NOW, context=active))
        for one, labels in world.memories.items():
            if judge.decide(one).allowed or viewer == (labels.owner or world.owner):
                found[one].add(context)
    return {one: {None} if None in where else where for one, where in found.items()}


def told(seen: Seen, viewer: str) -> set[str | None]:
    """Return where somebody sees a memory, by what is told of it in short; whoever isn't named is like everybody."""
    where = {seer.context for seer in seen.by if seer.entity == viewer}
    where |= {seer.context for seer in seen.by if seer.entity == "*" and Seer(viewer, seer.context) not in seen.but}
    return {None} if None in where else where


@given(worlds)
def test_what_is_told_agrees_with_the_judge(world: World) -> None:
    known = sorted({*listeners(world), *LOOKING} - {NOBODY_KNOWS})
    seen = seers(world, NOW, known, world.memories)
    for viewer in LOOKING:
        where = judged(world, viewer)
        for one, labels in world.memories.items():
            if viewer != (owner := labels.owner or world.owner):
                assert told(in_short(seen[one], [name for name in known if name != owner]), viewer) == where[one]


@given(worlds, worlds)
def test_who_gained_sees_it_now_and_did_not_before(before: World, after: World) -> None:
    found = {one.ref: one for one in changes(before, after)}
    for viewer in {*listeners(before), *listeners(after), NOBODY_KNOWS} - {"*"}:
        saw, sees = judged(before, viewer), judged(after, viewer)
        for one in MEMORIES:
            change = found.get(f"note:{one}")
            assert_told(viewer, saw[one], sees[one], change.gained if change else ())
            assert_told(viewer, sees[one], saw[one], change.lost if change else ())


def assert_told(viewer: str, saw: set[str | None], sees: set[str | None], gained: tuple[Seer, ...]) -> None:
    """Check that somebody who sees more than they saw is told of, by name or as one of everybody, and nobody else."""
    more = frozenset() if None in saw else sees - saw
    by_name = {seer.context for seer in gained if seer.entity == viewer}
    as_everybody = {seer.context for seer in gained if seer.entity == "*"}
    assert by_name <= more
    assert more <= by_name | as_everybody or None in as_everybody


@given(worlds, worlds)
def test_the_other_way_round_who_gained_has_lost(before: World, after: World) -> None:
    there, back = changes(before, after), changes(after, before)
    assert [(one.ref, one.gained, one.lost) for one in there] == [(one.ref, one.lost, one.gained) for one in back]


@given(worlds, one_memory, st.sampled_from(("*", *PEOPLE, "human:new", "group:one", "role:tutor")))
def test_a_grant_more_takes_sight_from_nobody(world: World, one: str, name: str) -> None:
    memory = world.memories[one]
    after = with_memory(world, memory._replace(access_grants=(*memory.access_grants, name)))
    assert not any(change.lost for change in changes(world, after))


@given(worlds)
def test_no_change_shows_nobody_more_or_less(world: World) -> None:
    assert changes(world, world) == ()
    assert changes(world, world._replace(entities={**world.entities, "human:new": Entity()})) == ()


@given(worlds, st.sampled_from(CONTEXTS[:2]), seeds)
def test_memories_that_say_the_same_are_seen_alike_unless_a_consent_names_one(
    world: World, context: str, seed: int
) -> None:
    memory = world.memories[MEMORIES[seed % len(MEMORIES)]]
    scope = f"mem:{memory.id}"
    no = Consent(id="c_no", grantor="human:sean", grantee="*", scope=scope, granted_at=NOW, effect=Effect.REFUSE)
    plain = granted("*", context, id="m_a", subject_ids=("human:sean",), consent_grants=("human:sean",))
    labels = {"a": plain, "b": plain._replace(id="m_b"), "refused": plain._replace(id=memory.id)}
    world = world._replace(consents=(no,), revocations=())
    seen = seers(world, NOW, ["si:x", "*"], labels)
    assert seen["a"] == seen["b"] == {Seer("si:x"), ALL}
    assert seen["refused"] == frozenset()


# -- whose a vault was ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (None, "si:default"),
        (b"", "si:default"),
        (b"# mine\nauto_commit = true\n", "si:default"),
        (b'format = 1\nowner = "human:sean"\r\n', "human:sean"),
        (b'format = 2\nowner = "human:sean"\n', "?"),
        (b'owner = "Sean"', "?"),
        (b"owner = 7", "?"),
        (b'owner = "human:sean"\nowner = "si:x"', "?"),
        (b'owner = "human:sean', "?"),
        (b'owner = "human:\xff"', "?"),
        ('\ufeffowner = "human:sean"'.encode(), "?"),
    ],
)
def test_whose_a_vault_was(config: bytes | None, expected: str) -> None:
    assert owner_of(config, default="si:default") == expected
