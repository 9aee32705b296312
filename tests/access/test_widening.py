"""Widening by hand: which changes of labels let somebody see a memory who was not consented to."""

from __future__ import annotations

import pytest

from memstore.access.widening import dropped, may_widen, widenings
from memstore.access.world import Consent, Entity, Labels, World
from memstore.core.memory import Generalization
from tests.access_cases import NOW, OWNER

TOLD = Labels(
    id="m_told", source_entity="human:sean", subject_ids=("dog:bella",), access_grants=("human:sean",),
    consent_grants=("human:sean",),
)  # fmt: skip
PLAIN = Labels(id="m_plain")
UNHEARD = TOLD._replace(access_grants=("si:x",), consent_grants=())
YES = tuple(
    Consent(id=f"con_{i}", grantor="human:sean", grantee="si:x", scope=scope, granted_at=NOW)
    for i, scope in enumerate(("subject:dog:bella", "source:human:sean"))
)


def found(before: Labels, after: Labels, **more: object) -> list[tuple[str, str]]:
    world = World(
        owner=OWNER,
        entities={"dog:bella": Entity(guardians=("human:sean",))},
        memories={"m_private": Labels(id="m_private", subject_ids=("dog:bella",))},
        **more,  # type: ignore[arg-type]
    )
    return [(name, decision.code) for name, decision in widenings(world, before, after, NOW)]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (TOLD, TOLD, []),
        (TOLD, TOLD._replace(access_grants=()), []),
        (PLAIN, PLAIN._replace(access_grants=("*",)), []),
        (TOLD, TOLD._replace(access_grants=("human:sean", OWNER)), []),
        (TOLD, TOLD._replace(access_grants=("human:sean", "si:x")), [("si:x", "consent-missing")]),
        (TOLD, TOLD._replace(access_grants=("*",)), [("*", "consent-missing")]),
        (TOLD, TOLD._replace(owner="si:x"), [("si:x", "consent-missing")]),
        (TOLD, TOLD._replace(owner=OWNER), []),
        (PLAIN, PLAIN._replace(owner="si:x"), []),
        (TOLD._replace(owner="si:x"), TOLD._replace(owner="si:x", status="draft"), []),
        (TOLD._replace(owner="si:x"), TOLD, [(OWNER, "consent-missing")]),
        (
            TOLD,
            TOLD._replace(access_grants=("si:x",), consent_grants=("human:sean", "dog:bella")),
            [("si:x", "consent-missing")],
        ),
        (
            TOLD,
            TOLD._replace(access_grants=("si:x",), subject_ids=(), source_entity=None),
            [("si:x", "consent-missing")],
        ),
        (
            PLAIN._replace(derived_from=("note:m_private",)),
            PLAIN._replace(derived_from=("note:m_private",), access_grants=("*",)),
            [("*", "lineage")],
        ),
        (
            PLAIN._replace(derived_from=("note:m_private",)),
            PLAIN._replace(access_grants=("*",)),
            [("*", "lineage")],
        ),
        (
            TOLD._replace(access_grants=("si:x",), consent_grants=()),
            TOLD._replace(access_grants=("si:x",), consent_grants=("human:sean",)),
            [("si:x", "consent-missing")],
        ),
        # Whoever is denied it for now needs what anybody needs for a grant.
        (PLAIN, PLAIN._replace(access_grants=("si:x",), access_denies=("si:x",)), []),
        (
            TOLD,
            TOLD._replace(access_grants=("human:sean", "si:x"), access_denies=("si:x",)),
            [("si:x", "consent-missing")],
        ),
        # A grant that was there widens nothing where it shows what it showed, or still shows nothing.
        (TOLD._replace(access_grants=("si:x",)), TOLD._replace(access_grants=("si:x",), status="draft"), []),
        (UNHEARD, UNHEARD._replace(status="draft"), []),
        (
            PLAIN,
            PLAIN._replace(source_entity="human:sean", access_grants=("si:x",)),
            [("si:x", "consent-missing")],
        ),
    ],
)
def test_what_widens_without_consent(before: Labels, after: Labels, expected: list[tuple[str, str]]) -> None:
    assert found(before, after) == expected


def test_recorded_consents_are_enough() -> None:
    assert found(TOLD, TOLD._replace(access_grants=("human:sean", "si:x")), consents=YES) == []
    assert found(TOLD, TOLD._replace(access_grants=("human:sean", "si:y")), consents=YES) != []


def test_a_passed_generalization_is_left_to_its_own_check() -> None:
    before = PLAIN._replace(derived_from=("note:m_private",))
    after = before._replace(access_grants=("*",), generalized=True, generalization=Generalization(verdict="safe"))
    assert found(before, after) == []


def test_most_changes_need_no_question() -> None:
    assert not may_widen(TOLD, TOLD)
    assert not may_widen(TOLD, TOLD._replace(access_grants=()))
    assert may_widen(TOLD, TOLD._replace(subject_ids=()))
    assert may_widen(PLAIN, PLAIN._replace(owner="si:x"))


SEEN = TOLD._replace(upstream_grants=(("human:sean",),))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (SEEN, SEEN, ()),
        (SEEN, SEEN._replace(subject_ids=()), ("subject:dog:bella",)),
        (SEEN, SEEN._replace(source_entity=None), ("source:human:sean",)),
        (SEEN, SEEN._replace(source_entity=None, source_chain=("human:sean",)), ()),
        (SEEN, SEEN._replace(source_entity="human:tom"), ("source:human:sean",)),
        (SEEN, SEEN._replace(upstream_grants=()), ("upstream:[human:sean]",)),
        (SEEN, SEEN._replace(subject_ids=("dog:bella", "dog:rex")), ()),
        (SEEN._replace(subject_ids=("topic:tea",)), SEEN._replace(subject_ids=()), ()),
        (SEEN._replace(source_entity="vet:smith"), SEEN._replace(source_entity=None), ()),
        (SEEN, SEEN._replace(subject_ids=(), access_grants=()), ()),
        (SEEN, SEEN._replace(subject_ids=(), access_grants=(OWNER,)), ()),
        (SEEN, SEEN._replace(subject_ids=(), access_grants=("si:x",), owner="si:x"), ()),
        (SEEN, SEEN._replace(subject_ids=(), access_grants=(OWNER,), owner="si:x"), ("subject:dog:bella",)),
    ],
)
def test_who_has_a_say_is_not_dropped_while_others_are_granted(
    before: Labels, after: Labels, expected: tuple[str, ...]
) -> None:
    assert dropped(World(owner=OWNER), before, after, NOW) == expected
