from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.access import grants
from memstore.access.world import Entity, Kind, World
from memstore.core.ids import ENTITY_ID_PATTERN
from memstore.core.provenance import infer_source_type, provenance_of_new, teller_of


def told_by(entity: str) -> str:
    return grants.told_by(World(owner="si:ash"), entity)


@pytest.mark.parametrize(
    ("source", "entity", "expected"),
    [
        (None, None, "direct_experience"),
        ("a walk", None, "direct_experience"),
        ("Claire told me", None, "told_by_agent"),
        ("Claire told me", "human:sean", "told_by_human"),
        ("seed", "si:claire", "told_by_agent"),
        ("seed", "vet:dr_smith", "told_by_human"),
        ("a walk", "org:clinic", "told_by_human"),
        ("human:sean", "si:claire", "told_by_agent"),
        ("vet:dr_smith", None, "told_by_human"),
        ("vet:dr_seed", None, "told_by_human"),
        ("tool:search", None, "observation"),
        ("si:claire", None, "told_by_agent"),
        ("vet:Dr Smith", None, "direct_experience"),
        ("raw:m_0000000001", None, "direct_experience"),
        ("url:example.org", None, "direct_experience"),
        ("seed:beliefs", None, "seed"),
        ("I HEARD it", None, "told_by_agent"),
        ("untold", None, "direct_experience"),
        ("inferred from notes", None, "inference"),
        ("we concluded so", None, "inference"),
        ("deduced", None, "inference"),
        ("consolidation:2026-02-01", None, "consolidation"),
        ("kernle:seed-beliefs", None, "seed"),
        ("unseeded", None, "direct_experience"),
        ("https://example.org/tea", None, "observation"),
        ("https://example.org/what-he-said", None, "told_by_agent"),
    ],
)
def test_how_a_memory_is_known(source: str | None, entity: str | None, expected: str) -> None:
    values = {"source": source, "source_entity": entity}
    assert infer_source_type(values, told_by) == expected


@pytest.mark.parametrize(
    ("values", "added"),
    [
        ({"type": "belief"}, {"source_type": "direct_experience"}),
        ({"type": "belief", "source_type": "seed"}, {}),
        (
            {"type": "belief", "source": "vet:dr_smith"},
            {"source_type": "told_by_human"},
        ),
        ({"type": "raw", "source": "human:sean"}, {"source_type": "told_by_human"}),
        (
            {"type": "note", "source": "a walk"},
            {"source_type": "direct_experience", "derived_from": ["context:a walk"]},
        ),
        ({"type": "episode", "source": "x", "derived_from": ["raw:abc"], "source_type": "seed"}, {}),
        (
            {"type": "note", "source": "si:ash", "source_entity": "si:claire", "source_type": "seed"},
            {"derived_from": ["context:si:ash"]},
        ),
    ],
)
def test_what_a_new_memory_gets(values: dict[str, Any], added: dict[str, Any]) -> None:
    assert provenance_of_new(values, told_by) == added


@given(st.from_regex(ENTITY_ID_PATTERN, fullmatch=True))
def test_whatever_names_a_teller_was_not_lived(entity: str) -> None:
    for values in ({"source_entity": entity}, {"source": entity}):
        assert teller_of(values) is None or infer_source_type(values, told_by) != "direct_experience"
    assert teller_of({"source_entity": entity, "source": "seed"}) == entity


@pytest.mark.parametrize("kind", Kind)
def test_a_registered_kind_says_how_it_was_told(kind: Kind) -> None:
    known = World(owner="si:ash", entities={"human:x": Entity(kind=kind), "si:x": Entity()})
    expected = {Kind.AGENT: "told_by_agent", Kind.ARTEFACT: "observation"}.get(kind, "told_by_human")
    assert grants.told_by(known, "human:x") == expected
    assert grants.told_by(known, "si:x") == "told_by_agent"
