from __future__ import annotations

from typing import Any

import pytest

from memstore.core.provenance import infer_source_type, provenance_of_new


@pytest.mark.parametrize(
    ("source", "entity", "expected"),
    [
        (None, None, "direct_experience"),
        ("a walk", None, "direct_experience"),
        ("Claire told me", None, "told_by_agent"),
        ("Claire told me", "human:sean", "told_by_human"),
        ("seed", "si:claire", "told_by_agent"),
        ("seed", "vet:dr_smith", "seed"),
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
    assert infer_source_type(source, entity) == expected


@pytest.mark.parametrize(
    ("given", "added"),
    [
        ({"type": "belief"}, {"source_type": "direct_experience"}),
        ({"type": "belief", "source_type": "seed"}, {}),
        (
            {"type": "belief", "source": "vet:dr_smith"},
            {"source_type": "direct_experience"},
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
def test_what_a_new_memory_gets(given: dict[str, Any], added: dict[str, Any]) -> None:
    assert provenance_of_new(given) == added
