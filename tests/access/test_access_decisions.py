"""Who may see what: the published cases, and laws that hold for any vault."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memstore.access.grants import inherited_grants, may_grant
from memstore.access.policy import Judge, decide
from memstore.access.world import (
    ActiveContext,
    Consent,
    Delegation,
    Effect,
    Entity,
    Labels,
    Member,
    RegisteredContext,
    Revocation,
    Session,
    World,
)
from memstore.core.errors import RefusedError
from memstore.core.memory import Generalization
from tests.access_cases import CASES, DAY, NOW, OWNER, context_of, session_of, with_memory, world_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

T = TypeVar("T")


# -- the published cases --------------------------------------------------------------------------


@pytest.mark.parametrize("row", CASES["check"], ids=lambda row: row["id"])
def test_published_decisions(row: dict[str, Any]) -> None:
    decision = decide(world_of(row), session_of(row["session"]), row["memory"])
    found = {
        "decision": "allow" if decision.allowed else "deny",
        "code": decision.code,
        "who": list(decision.who),
        "missing": list(decision.missing),
        "rule": decision.rule,
        "fix": decision.fix,
    }
    assert {key: found[key] for key in row["expect"]} == row["expect"]


@pytest.mark.parametrize("row", CASES["write"], ids=lambda row: row["title"])
def test_published_grants(row: dict[str, Any]) -> None:
    session = Session(viewer=row["viewer"], at=NOW)
    decision = may_grant(world_of(row), session, row["memory"], row["to"], tuple(row["consents"]))
    assert ("allow" if decision.allowed else "deny", decision.code) == (row["expect"], row["code"])


@pytest.mark.parametrize("row", CASES["inherit"], ids=lambda row: row["title"])
def test_published_inheritance(row: dict[str, Any]) -> None:
    world = world_of(row)
    session = Session(viewer=world.owner, at=NOW, context=context_of(row["context"]))
    grants = inherited_grants(world, session, source_entity=row["source"], explicit=row.get("explicit"))
    assert list(grants) == row["expect"]


# -- any vault ------------------------------------------------------------------------------------

PEOPLE = ("human:sean", "human:alice", "human:bob", "human:kid", "si:claire", "vet:smith", OWNER)
GROUPS = ("group:one", "group:two", "org:three")
CONTEXTS = ("ctx:work", "ctx:lobby", "ctx:nowhere")
MEMORIES = ("m_1", "m_2", "m_3", "m_4")
SUBJECTS = (*PEOPLE, "dog:bella", "dog:rex", "topic:tea", "robot:r2")
NAMES = (*PEOPLE, *GROUPS, *CONTEXTS, "role:tutor", "*")
SOURCES = (*(f"note:{one}" for one in MEMORIES), "m_1", "m_gone", "context:x")
SCOPES = (
    *(f"mem:{one}" for one in MEMORIES),
    "m_1",
    *CONTEXTS,
    *(f"{role}:{name}" for role in ("subject", "source") for name in ("human:sean", "human:kid", "dog:bella")),
)
REGISTERED = {
    "dog:bella": Entity(guardians=("human:sean",)),
    "human:kid": Entity(guardians=("human:alice", "human:bob")),
    "human:bob": Entity(roles=("role:tutor",)),
}


class Dice:
    """Makes worlds from a seed: a hundred times faster than drawing each value, and a failing seed says all."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 (nothing secret)

    def one(self, names: Sequence[T]) -> T:
        return self._random.choice(names)

    def some(self, names: Sequence[T], most: int = 3) -> tuple[T, ...]:
        return tuple(self._random.sample(names, self._random.randint(0, most)))

    def maybe(self, value: T) -> T | None:
        return self.one((value, None))

    def time(self) -> datetime:
        return NOW + self._random.randint(-4, 4) * DAY

    def labels(self, memory_id: str) -> Labels:
        verdict, acknowledged_by = self.one((("safe", None), ("warn", None), ("warn", OWNER), ("blocked", OWNER)))
        return Labels(
            id=memory_id,
            owner=self.one((None, None, None, "si:claire")),
            status=self.one(("active",) * 7 + ("forgotten",)),
            source_entity=self.maybe(self.one(PEOPLE)),
            source_chain=self.some(PEOPLE, 1),
            subject_ids=self.some(SUBJECTS, 2),
            context=self.maybe(self.one(CONTEXTS)),
            access_grants=self.one((("*",), ())) + self.some(NAMES[:-1], 4),
            access_denies=self.one(((), self.some(NAMES, 1))),
            consent_grants=self.some((*PEOPLE, "dog:bella"), 5),
            upstream_grants=self.one(((), (), (), (self.some(NAMES),))),
            derived_from=self.one(((), self.some(SOURCES, 2))),
            generalized=self.one((True, False)),
            generalization=self.maybe(Generalization(verdict=verdict, acknowledged_by=acknowledged_by)),
        )

    def consent(self) -> Consent:
        return Consent(
            id=self.one(("c_1", "c_2", "c_3")),
            grantor=self.one(PEOPLE),
            grantee=self.one(NAMES),
            scope=self.one(SCOPES),
            granted_at=self.time(),
            expires_at=self.maybe(self.time()),
            effect=self.one((Effect.PERMIT, Effect.PERMIT, Effect.REFUSE)),
            on_behalf_of=self.one((None, None, "human:sean", "human:kid", "dog:bella")),
        )

    def delegation(self) -> Delegation:
        return Delegation(
            id=self.one(("d_1", "d_2")),
            grantor=self.one(PEOPLE),
            delegate=self.one(PEOPLE),
            scope=self.one(SCOPES),
            granted_at=self.time(),
            expires_at=self.maybe(self.time()),
        )

    def revocation(self) -> Revocation:
        return Revocation(revokes=self.one(("c_1", "c_2", "d_1")), by=self.one(PEOPLE), at=self.time())

    def member(self) -> Member:
        since, until = self.maybe(self.time()), self.maybe(self.time())
        return Member(id=self.one((*PEOPLE, *GROUPS)), since=since, until=until)

    def registered(self) -> RegisteredContext:
        return RegisteredContext(
            roster=self.some((*PEOPLE, *GROUPS, "dog:bella")),
            open=self.one((True, False)),
            roles={self.one(PEOPLE): ("role:tutor",)},
        )

    def times(self, most: int, make: Callable[[], T]) -> tuple[T, ...]:
        return tuple(make() for _ in range(self._random.randint(0, most)))

    def world(self) -> World:
        return World(
            owner=OWNER,
            entities=REGISTERED,
            groups={name: self.times(3, self.member) for name in self.some(GROUPS)},
            contexts={name: self.registered() for name in self.some(CONTEXTS[:2], 2)},
            consents=self.times(6, self.consent),
            delegations=self.times(3, self.delegation),
            revocations=self.times(2, self.revocation),
            memories={name: self.labels(name) for name in MEMORIES},
        )

    def context(self) -> ActiveContext:
        return ActiveContext(id=self.one(CONTEXTS), participants=self.some((*PEOPLE, *GROUPS, "dog:bella", "sean")))

    def session(self) -> Session:
        context = self.maybe(self.context())
        return Session(viewer=self.one(PEOPLE), at=NOW, context=context, alone=self.one((True, False)))


seeds = st.integers(0, 2**32)
worlds = seeds.map(lambda seed: Dice(seed).world())
contexts = seeds.map(lambda seed: Dice(seed).context())
sessions = seeds.map(lambda seed: Dice(seed).session())
several_names = seeds.map(lambda seed: Dice(seed).some(NAMES))
several_people = seeds.map(lambda seed: Dice(seed).some(PEOPLE))
one_memory = st.sampled_from(MEMORIES)


def seen(world: World, session: Session) -> set[str]:
    judge = Judge(world, session)
    return {memory_id for memory_id in world.memories if judge.decide(memory_id).allowed}


@given(worlds, sessions, one_memory, st.integers(0, 3))
def test_taking_a_grant_away_never_shows_more(world: World, session: Session, one: str, which: int) -> None:
    memory = world.memories[one]
    fewer = memory.access_grants[:which] + memory.access_grants[which + 1 :]
    assert seen(with_memory(world, memory._replace(access_grants=fewer)), session) <= seen(world, session)


@given(worlds, sessions, one_memory, st.integers(0, 3))
def test_taking_a_consent_away_never_shows_more(world: World, session: Session, one: str, which: int) -> None:
    memory = world.memories[one]
    inline = memory.consent_grants[:which] + memory.consent_grants[which + 1 :]
    assert seen(with_memory(world, memory._replace(consent_grants=inline)), session) <= seen(world, session)
    permits = [record for record in world.consents if record.effect is Effect.PERMIT]
    fewer = tuple(record for record in world.consents if record not in permits[which : which + 1])
    assert seen(world._replace(consents=fewer), session) <= seen(world, session)


@given(worlds, sessions, one_memory, st.sampled_from(NAMES))
def test_adding_a_denial_never_shows_more(world: World, session: Session, one: str, name: str) -> None:
    memory = world.memories[one]
    more = memory._replace(access_denies=(*memory.access_denies, name))
    assert seen(with_memory(world, more), session) <= seen(world, session)


@given(worlds, sessions, one_memory, several_names)
def test_adding_an_upstream_label_never_shows_more(
    world: World, session: Session, one: str, label: tuple[str, ...]
) -> None:
    memory = world.memories[one]
    more = memory._replace(upstream_grants=(*memory.upstream_grants, label))
    assert seen(with_memory(world, more), session) <= seen(world, session)


@given(worlds, sessions, contexts, st.sampled_from((*PEOPLE, *GROUPS, "anon:unknown", "sean", "%")))
def test_adding_a_listener_never_shows_more(
    world: World, session: Session, context: ActiveContext, listener: str
) -> None:
    # Nobody named means that it is not known who listens, which is not the same as nobody.
    assume(context.participants)
    more = context._replace(participants=(*context.participants, listener))
    heard = seen(world, session._replace(context=more))
    assert heard <= seen(world, session._replace(context=context))


@given(worlds, one_memory, st.sampled_from(("human:sean", "dog:bella")), st.sampled_from(("subject", "source")))
def test_a_refusal_beats_any_consent(world: World, one: str, who: str, role: str) -> None:
    who = "human:sean" if role == "source" else who
    changes: dict[str, Any] = {"subject_ids": (who,)} if role == "subject" else {"source_entity": who}
    memory = world.memories[one]._replace(owner=OWNER, **changes)
    refusal = Consent(
        id="c_no", grantor="human:sean", grantee="*", scope=f"{role}:{who}", granted_at=NOW, effect=Effect.REFUSE
    )
    refused = with_memory(world, memory)._replace(consents=(*world.consents, refusal))
    for viewer in ("vet:smith", "si:claire", "human:bob", "human:kid"):
        assert not decide(refused, Session(viewer=viewer, at=NOW), one).allowed


NEARLY = ("HUMAN:SEAN", "human:sea", "human:seann", "human:%", "%", "_", "*", "", "sean", " human:sean", "SI:ASH")
QUOTED = ('human:x", "human:sean', "human:sean\n", "human:s_an")


@given(worlds, contexts, st.sampled_from(NEARLY + QUOTED))
def test_ids_compare_exactly(world: World, context: ActiveContext, viewer: str) -> None:
    grants = ("human:sean", "human:bob", OWNER, "si:claire")
    named = with_memory(world, Labels(id="m_1", access_grants=grants, consent_grants=("human:sean",)))
    for session in (Session(viewer=viewer, at=NOW), Session(viewer=viewer, at=NOW, context=context, alone=True)):
        assert not decide(named, session, "m_1").allowed


NOBODY = ("", "%", "*", "sean", "SI:ASH", "si:ash ")
CAN_NOT_LISTEN = ("ctx:work", "dog:bella", "topic:tea", "role:tutor", "doc:handbook")


@given(worlds, st.none() | contexts, st.sampled_from(NOBODY + CAN_NOT_LISTEN))
def test_who_is_nobody_or_can_not_listen_sees_nothing(world: World, context: ActiveContext | None, viewer: str) -> None:
    session = Session(viewer=viewer, at=NOW, context=context, alone=True)
    assert seen(world, session) == set()
    if viewer in NOBODY:
        assert seen(world._replace(owner=viewer), session) == set()


@given(worlds, st.none() | contexts)
def test_the_owner_alone_sees_all_they_own(world: World, context: ActiveContext | None) -> None:
    judge = Judge(world, Session(viewer=OWNER, at=NOW, context=context, alone=True))
    owned = {one.id for one in world.memories.values() if one.owner is None and one.status != "forgotten"}
    assert owned == {one for one in world.memories if judge.decide(one).code == "owner-alone"}


@given(worlds, sessions, sessions)
def test_a_session_within_another_shows_what_both_show(world: World, session: Session, bound: Session) -> None:
    bound = bound._replace(viewer=session.viewer)
    within = session._replace(within=bound)
    judge = Judge(world, within)
    assert seen(world, within) == seen(world, session) & seen(world, bound)
    assert {one for one in MEMORIES if judge.allows(one)} == seen(world, within)
    alone = [Judge(world, one).hears_only(session.viewer) for one in (within, session, bound)]
    assert alone[0] == (alone[1] and alone[2])


@given(worlds, st.sampled_from(PEOPLE))
def test_who_may_be_overheard_sees_what_a_stranger_would_too(world: World, viewer: str) -> None:
    overheard = Session(viewer=viewer, at=NOW, overheard=True)
    unknown = Session(viewer="anon:unknown", at=NOW)
    assert seen(world, overheard) == seen(world, Session(viewer=viewer, at=NOW)) & seen(world, unknown)
    assert not Judge(world, overheard).hears_only(viewer)
    assert Judge(world, overheard._replace(alone=True)).hears_only(viewer)


MALFORMED: list[Callable[[Labels], Labels]] = [
    lambda memory: memory._replace(access_grants=(*memory.access_grants, "human:%")),
    lambda memory: memory._replace(access_grants=(*memory.access_grants, 'human:bob", "human:eve')),
    lambda memory: memory._replace(access_denies=("everybody",)),
    lambda memory: memory._replace(consent_grants=("*",)),
    lambda memory: memory._replace(subject_ids=("alice",)),
    lambda memory: memory._replace(source_entity="Sean"),
    lambda memory: memory._replace(source_chain=("human:sean - si:bella",)),
    lambda memory: memory._replace(context="human:sean"),
    lambda memory: memory._replace(upstream_grants=(("",),)),
    lambda memory: memory._replace(malformed=True),
]


@given(worlds, sessions, one_memory, st.sampled_from(MALFORMED))
def test_malformed_labels_deny_others_and_never_the_owner(
    world: World, session: Session, one: str, spoil: Callable[[Labels], Labels]
) -> None:
    memory = world.memories[one]._replace(owner=None, status="active")
    spoilt = with_memory(world, spoil(memory))
    assert decide(spoilt, Session(viewer=OWNER, at=NOW), one).code == "owner-alone"
    decision = decide(spoilt, session, one)
    assert decision.code == ("owner-alone" if decision.allowed else "malformed")


@given(worlds, sessions, contexts, st.sampled_from(("expired", "ambiguous", "work", "human:sean", "")))
def test_a_context_that_can_not_be_relied_on_shows_nothing(
    world: World, session: Session, context: ActiveContext, how: str
) -> None:
    match how:
        case "expired":
            context = context._replace(expires_at=session.at)
        case "ambiguous":
            context = context._replace(ambiguous=True)
        case _:
            context = context._replace(id=how)
    code = "context-expired" if how == "expired" else "context-ambiguous"
    unsound = session._replace(context=context)
    assert {decide(world, unsound, one).code for one in MEMORIES} <= {code, "forgotten"}
    assert may_grant(world, unsound._replace(viewer=OWNER), "m_1", "*").code in (code, "forgotten", "not-owner")
    with pytest.raises(RefusedError, match="context"):
        inherited_grants(world, unsound, source_entity="human:sean")


def turned(world: World) -> World:
    """Return the same world with all lists the other way round."""

    def turned_labels(one: Labels) -> Labels:
        return one._replace(
            source_chain=one.source_chain[::-1],
            subject_ids=one.subject_ids[::-1],
            access_grants=one.access_grants[::-1],
            consent_grants=one.consent_grants[::-1],
            derived_from=one.derived_from[::-1],
        )

    return world._replace(
        groups={name: world.groups[name][::-1] for name in list(world.groups)[::-1]},
        contexts={name: one._replace(roster=one.roster[::-1]) for name, one in list(world.contexts.items())[::-1]},
        consents=world.consents[::-1],
        delegations=world.delegations[::-1],
        revocations=world.revocations[::-1],
        memories={name: turned_labels(one) for name, one in list(world.memories.items())[::-1]},
    )


@given(worlds, sessions)
def test_the_order_of_lists_and_of_questions_does_not_matter(world: World, session: Session) -> None:
    context = session.context
    back = session._replace(context=context._replace(participants=context.participants[::-1]) if context else None)
    there, here = Judge(world, session), Judge(turned(world), back)
    first = {one: there.decide(one) for one in MEMORIES}
    second = {one: here.decide(one) for one in reversed(MEMORIES)}
    assert first == second == {one: decide(world, session, one) for one in MEMORIES}
    assert {one: there.allows(one) for one in MEMORIES} == {one: first[one].allowed for one in MEMORIES}
    assert not there.allows("m_none")


def follows(world: World, viewer: str, one: str, below: frozenset[str] = frozenset()) -> bool:
    """Decide lineage the slow way, following each path to its end or its first repetition."""
    memory = world.memories.get(one)
    if memory is None or memory.status == "forgotten":
        return False
    if one in below or viewer == (memory.owner or world.owner):
        return True
    alone = with_memory(world, memory._replace(derived_from=()))
    if not decide(alone, Session(viewer=viewer, at=NOW), one).allowed:
        return False
    verdict = memory.generalization
    if (
        memory.generalized
        and verdict
        and (verdict.verdict, verdict.acknowledged_by) in (("safe", None), ("warn", OWNER))
    ):
        return True
    sources = [text.rpartition(":")[2] for text in memory.derived_from if not text.startswith("context:")]
    return all(follows(world, viewer, source, below | {one}) for source in sources)


@given(worlds, st.sampled_from(("human:sean", "human:bob", "si:claire", "vet:smith")))
def test_lineage_agrees_with_following_every_path(world: World, viewer: str) -> None:
    opened = {
        name: one._replace(access_grants=one.access_grants or ("*",), subject_ids=(), source_entity=None)
        for name, one in world.memories.items()
    }
    world = world._replace(memories=opened)
    assert seen(world, Session(viewer=viewer, at=NOW)) == {one for one in MEMORIES if follows(world, viewer, one)}


@given(worlds, one_memory, st.sampled_from(("human:sean", "human:bob", "vet:smith")), several_people)
def test_a_grant_that_may_be_given_opens_the_memory_to_its_grantee(
    world: World, one: str, to: str, asserted: tuple[str, ...]
) -> None:
    memory = world.memories[one]._replace(owner=None, access_denies=())
    before = with_memory(world, memory)
    decision = may_grant(before, Session(viewer=OWNER, at=NOW), one, to, asserted)
    assert decision.allowed == (decision.code == "granted")
    scope = f"mem:{one}"
    records = tuple(Consent(id="new", grantor=name, grantee=to, scope=scope, granted_at=NOW) for name in asserted)
    after = with_memory(before, memory._replace(access_grants=(*memory.access_grants, to)))
    after = after._replace(consents=(*world.consents, *records))
    if decision.allowed:
        assert decide(after, Session(viewer=to, at=NOW), one).allowed
