"""Two files with one id show what both would show, and time alone changes what was decided at known moments."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memstore.access.policy import Judge, both, steady_until
from memstore.access.world import Consent, Labels, Member, Session
from memstore.core.memory import Generalization
from tests.access_cases import DAY, NOW, OWNER, by, vault

NAMES = ("human:bob", "human:carol", "group:club", "*")
some = st.lists(st.sampled_from(NAMES), max_size=2).map(tuple)
labels = st.builds(
    Labels,
    id=st.just("m_1"),
    owner=st.sampled_from([None, OWNER, "human:bob"]),
    status=st.sampled_from(["active", "forgotten"]),
    source_entity=st.sampled_from([None, "human:carol"]),
    subject_ids=st.sampled_from([(), ("human:carol",)]),
    context=st.sampled_from([None, "ctx:park"]),
    access_grants=some,
    access_denies=st.sampled_from([(), ("human:bob",)]),
    consent_grants=st.sampled_from([(), ("human:carol",)]),
    derived_from=st.sampled_from([(), ("note:m_src",)]),
    generalized=st.booleans(),
    generalization=st.just(Generalization(verdict="safe")),
)
CONSENT = Consent(id="c", grantor="human:carol", grantee="human:bob", scope="ctx:park", granted_at=NOW - DAY)


@given(labels, labels, st.sampled_from(["human:bob", "human:carol", "human:dave", OWNER, "?"]), st.booleans())
def test_both_show_nothing_that_either_hides(one: Labels, other: Labels, viewer: str, is_open: bool) -> None:  # noqa: FBT001 - hypothesis gives it
    source = Labels(id="m_src", access_grants=("*",) if is_open else ())
    world = vault(source, consents=(CONSENT,), groups={"group:club": (Member(id="human:dave"),)})
    judge = Judge(world, by(viewer))
    together = both(one, other)
    assert together == both(other, one)
    if judge.admits(together):
        assert judge.admits(one)
        assert judge.admits(other)


def test_two_of_the_same_show_the_same() -> None:
    same = Labels(id="m_1", access_grants=("human:bob",), subject_ids=("human:bob",))
    assert Judge(vault(), by("human:bob")).admits(both(same, same))


def test_copies_that_were_generalized_in_two_ways_count_as_not_generalized() -> None:
    one = Labels(id="m_1", generalized=True, generalization=Generalization(verdict="safe"))
    assert both(one, one).generalized
    assert not both(one, one._replace(generalization=Generalization(verdict="warn"))).generalized
    assert not both(one, one._replace(generalized=False)).generalized


def test_what_was_decided_holds_until_something_begins_or_ends() -> None:
    session = Session(viewer="human:bob", at=NOW)
    assert steady_until(vault(), session) is None
    until = CONSENT._replace(expires_at=NOW + 3 * DAY)
    assert steady_until(vault(consents=(until,)), session) == NOW + 3 * DAY
    joins = {"group:club": (Member(id="human:bob", since=NOW + DAY, until=NOW + 9 * DAY),)}
    assert steady_until(vault(consents=(until,), groups=joins), session) == NOW + DAY
    assert steady_until(vault(groups=joins), session._replace(at=NOW + DAY)) == NOW + 9 * DAY
