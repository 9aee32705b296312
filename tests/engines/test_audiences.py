"""Memories are of one class if and only if the same people may see them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memstore.access.world import Consent, Effect, Member, World
from memstore.core.digests import blob_id
from memstore.engines.audiences import Audiences, state_of, steady_until
from memstore.search.memory_snapshot import snapshot_of_files
from memstore.vault.sight import CatalogLabels
from tests.support import memory_text

if TYPE_CHECKING:
    from collections.abc import Mapping

NOW, LATER = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
SEAN, BOB, DAVE = "human:sean", "human:bob", "human:dave"
TO_ALL = {"access_grants": '["*"]'}
TO_BOB = {"access_grants": f'["{BOB}"]'}


def classes(files: Mapping[str, bytes], world: World | None = None) -> dict[str, bytes]:
    """Return the class of each memory, by its file's name without extension."""
    catalog = snapshot_of_files(((f"{name}.md", data) for name, data in files.items()), blob_id=blob_id).catalog
    audiences = Audiences(CatalogLabels(catalog), world or World(SEAN), NOW)
    digests = {row: audiences.digest(row, catalog.entry(row)) for row in catalog.memories}
    found = audiences.classes({digest: row for row, digest in digests.items()})
    return {catalog.entry(row).path.removesuffix(".md"): found[digest] for row, digest in digests.items()}


def test_labels_that_open_to_the_same_people_are_one_class() -> None:
    found = classes({
        "all": memory_text(id="m_1", **TO_ALL),
        "about tea": memory_text(id="m_2", subject_ids='["topic:tea"]', **TO_ALL),
        "private": memory_text(id="m_3"),
        "about bob": memory_text(id="m_4", subject_ids=f'["{DAVE}"]', **TO_BOB),
        "bob": memory_text(id="m_5", **TO_BOB),
    })  # fmt: skip
    assert found["all"] == found["about tea"]
    assert found["private"] == found["about bob"]  # nobody asked Dave
    assert len({*found.values()}) == 3


def test_what_was_made_from_other_memories_is_seen_as_they_are() -> None:
    made = {"derived_from": '["note:m_1"]', **TO_ALL}
    found = classes({
        "source": memory_text(id="m_1", **TO_BOB),
        "made": memory_text(id="m_2", **made),
        "of that": memory_text(id="m_3", derived_from='["note:m_2"]', **TO_ALL),
        "alone": memory_text(id="m_4", **TO_ALL),
        "of none": memory_text(id="m_5", derived_from='["note:m_9"]', **TO_ALL),
        "passed": memory_text(id="m_6", generalized="true", generalization="{verdict: safe}", **made),
        "round": memory_text(id="m_7", derived_from='["note:m_8"]', **TO_ALL),
        "and round": memory_text(id="m_8", derived_from='["note:m_7"]', **TO_ALL),
    })  # fmt: skip
    assert found["made"] == found["of that"] == found["source"]
    assert found["passed"] == found["alone"] == found["round"] == found["and round"]
    assert len({found["made"], found["alone"], found["of none"]}) == 3


def test_copies_are_seen_by_those_who_may_see_both() -> None:
    copies = {"one": memory_text(id="m_1", **TO_ALL), "two": memory_text(id="m_1", **TO_BOB)}
    found = classes(copies | {"all": memory_text(id="m_2", **TO_ALL)})
    assert found["one"] != found["all"]
    of_others = {"one": copies["one"], "two": memory_text(id="m_1", owner=BOB)}
    found = classes(of_others | {"all": memory_text(id="m_2", **TO_ALL)})
    assert found["one"] == found["all"]


def test_a_consent_for_one_memory_sets_it_apart() -> None:
    told = {"source_entity": DAVE, **TO_ALL}
    files = {"one": memory_text(id="m_1", **told), "other": memory_text(id="m_2", **told)}
    assert len({*classes(files).values()}) == 1
    consent = Consent("con_1", DAVE, "*", "mem:m_1", NOW, effect=Effect.PERMIT)
    assert len({*classes(files, World(SEAN, consents=(consent,))).values()}) == 2


def test_owners_denials_and_what_is_forgotten_set_apart() -> None:
    found = classes({
        "his": memory_text(id="m_1"),
        "bobs": memory_text(id="m_2", owner=BOB),
        "forgotten": memory_text(id="m_3", status="forgotten"),
        "not in the park": memory_text(id="m_4", access_denies='["ctx:park"]', **TO_ALL),
        "all": memory_text(id="m_5", **TO_ALL),
        "not dave": memory_text(id="m_6", access_denies=f'["{DAVE}"]', **TO_ALL),
    })  # fmt: skip
    assert len({*found.values()}) == len(found)


def test_what_is_decided_stands_as_long_as_registries_and_memberships() -> None:
    world = World(SEAN, groups={"group:club": (Member(BOB, until=LATER),)})
    assert steady_until(world, NOW) == LATER
    assert steady_until(world, LATER) is None
    assert state_of(world) == state_of(World(SEAN, groups={"group:club": (Member(BOB, until=LATER),)}))
    assert state_of(world) != state_of(World(SEAN))
    assert state_of(World(SEAN, doubtful=frozenset("ab"))) == state_of(World(SEAN, doubtful=frozenset("ba")))
