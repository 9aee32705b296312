from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memstore.access.local_state import ContextFile
from memstore.access.world import ActiveContext

if TYPE_CHECKING:
    from pathlib import Path

PARK = ActiveContext(
    id="ctx:park",
    participants=("si:max_agent", "si:luna_agent"),
    expires_at=datetime(2026, 3, 1, tzinfo=UTC),
    role="role:friend",
)


def test_what_was_entered_is_known_until_it_is_left(tmp_path: Path) -> None:
    contexts = ContextFile(tmp_path / "state", entity="si:ash")
    assert contexts.current() is None
    contexts.enter(PARK)
    assert ContextFile(tmp_path / "state", entity="si:ash").current() == PARK
    contexts.leave()
    contexts.leave()
    assert contexts.current() is None


def test_every_entity_and_session_has_a_context_of_its_own(tmp_path: Path) -> None:
    ContextFile(tmp_path, entity="si:ash", session="1").enter(PARK)
    for entity, session in (("si:ash", ""), ("si:ash", "2"), ("si:ash1", ""), ("si:claire", "1")):
        assert ContextFile(tmp_path, entity=entity, session=session).current() is None


def test_nobody_else_reads_it(tmp_path: Path) -> None:
    ContextFile(tmp_path / "state", entity="si:ash").enter(PARK)
    places = list((tmp_path / "state").rglob("*"))
    assert len(places) == 2
    assert all(not place.stat().st_mode & 0o077 for place in places)


def test_one_that_never_ends_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expire"):
        ContextFile(tmp_path, entity="si:ash").enter(ActiveContext(id="ctx:park"))


GOOD: dict[str, object] = {
    "version": 1,
    "context": "ctx:park",
    "participants": [],
    "role": None,
    "expires_at": "2999-01-01T00:00:00Z",
}
DAMAGED: list[dict[str, object]] = [
    {"version": 2},
    {"participants": "si:a"},
    {"context": ["ctx:park"]},
    {"expires_at": None},
    {"expires_at": "2999-01-01T00:00:00"},
]


@pytest.mark.parametrize(
    "damaged",
    [b"", b"{}", b"null", b'["version"]', b"\xff", *(json.dumps(GOOD | change).encode() for change in DAMAGED)],
)
def test_what_can_not_be_read_is_ambiguous_and_never_no_context(tmp_path: Path, damaged: bytes) -> None:
    contexts = ContextFile(tmp_path, entity="si:ash")
    contexts.enter(PARK)
    next((tmp_path / "contexts").iterdir()).write_bytes(damaged)
    found = contexts.current()
    assert found is not None
    assert found.ambiguous


def test_a_context_that_was_declared_stands_before_the_one_that_was_entered(tmp_path: Path) -> None:
    ContextFile(tmp_path, entity="si:ash").enter(PARK)
    declared = ContextFile(tmp_path, entity="si:ash", declared="ctx:home").current()
    assert declared == ActiveContext(id="ctx:home")
