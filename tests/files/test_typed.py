from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import UsageError
from memstore.files.render import parse

if TYPE_CHECKING:
    from memstore.files.render import Plain


@pytest.mark.parametrize(
    ("name", "texts", "value"),
    [
        ("title", ["one", " two "], "two"),
        ("tags", ["a, b", "c", "a"], ["a", "b", "c"]),
        ("aliases", ["Bella, the dog", "Bel"], ["Bella, the dog", "Bel"]),
        ("access_grants", ["human:sean,si:ash"], ["human:sean", "si:ash"]),
        ("access_grants", ["none"], []),
        ("derived_from", ["context:a, b"], ["context:a, b"]),
        ("confidence", ["0.86864"], 0.8686),
        ("foundational", ["true"], True),
        ("origin", ["session_id=42,trigger=heartbeat"], {"session_id": "42", "trigger": "heartbeat"}),
        ("claims", ["dog:bella; weight; 12 kg"], [{"subject": "dog:bella", "attribute": "weight", "value": "12 kg"}]),
        ("claims", ["a; b; c; 2026"], [{"subject": "a", "attribute": "b", "value": "c", "since": "2026"}]),
        ("my key", ["0.5"], 0.5),
        ("my key", ["12:30"], "12:30"),
        ("my key", ["true"], True),
        ("my key", ["no"], "no"),
    ],
)
def test_what_is_typed_becomes_a_value(name: str, texts: list[str], value: Plain) -> None:
    assert parse(name, texts) == value


def test_commas_part_every_list_where_asked_for() -> None:
    assert parse("aliases", ['Bel, "Bella, the dog"', ""], split=True) == ["Bel", "Bella, the dog"]
    assert parse("tags", ["[dog, food]"], split=True) == ["dog", "food"]
    assert parse("tags", ["[]"], split=True) == []
    assert parse("derived_from", ["[[raw:m_f70cefb6ab]]"], split=True) == ["[[raw:m_f70cefb6ab]]"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("title", "two\nlines"),
        ("confidence", "much"),
        ("confidence", "nan"),
        ("confidence", "inf"),
        ("confidence", "0_1"),
        ("foundational", "yes"),
        ("origin", "session"),
        ("claims", "too; few"),
        ("claims", "a; b; c; d; e"),
        ("access_grants", "none,human:sean"),
        ("my key", "bell\x07"),
    ],
)
def test_what_cannot_be_a_value_is_refused_with_a_hint(name: str, text: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse(name, [text])
    assert raised.value.hint
