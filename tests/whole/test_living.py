"""Vaults that live for a while, and whether the machine that watches them sees what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from memstore.vault.view import VaultView
from tests.support import examples, memory_text
from tests.whole.living import VIEWERS, Living, World

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FEW = settings(max_examples=examples(4), stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck))


class TestLiving(Living.TestCase):  # type: ignore[valid-type, misc]
    """As often as there is time for; `python -m tests.whole.living` does it for longer."""

    settings = FEW

    @classmethod
    def setUpClass(cls) -> None:
        Living.world = World()

    @classmethod
    def tearDownClass(cls) -> None:
        Living.world.close()


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


@pytest.fixture
def living(world: World) -> Living:
    """Return a machine whose vault has just begun."""
    Living.world = world
    state = Living()
    state.begin(kind="own")
    return state


def test_a_source_that_the_owner_may_not_see_is_where_lineage_ends(living: Living) -> None:
    links = {"id": "m_e000000000", "owner": VIEWERS[0], "derived_from": "[note:m_f000000000]"}
    files = {
        "h/two.md": memory_text("\nMost of zebra.\n", id="m_a000000000", derived_from="[note:m_e000000000]"),
        "h/one.md": memory_text("\nMost of zebra.\n", **links),
        "three.md": memory_text("\nMost of violin.\n", id="m_f000000000"),
    }
    for place, data in files.items():
        living.write(place, data)
        living.what_is_told_agrees_with_the_files()


def all_rows(view: Any) -> Sequence[int]:
    rows: Sequence[int] = view.snapshot.catalog.memories
    return rows


@pytest.mark.parametrize(
    ("name", "leak"),
    [
        ("rows", property(all_rows)),
        ("texts", property(lambda view: view.snapshot.catalog.texts[1:])),
    ],
)
def test_a_vault_that_tells_too_much_or_too_little_is_seen(
    living: Living, name: str, leak: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    living.write("three.md", memory_text("\nMost of violin.\n", id="m_f000000000"))
    living.what_is_told_agrees_with_the_files()
    monkeypatch.setattr(VaultView, name, leak)
    with pytest.raises(AssertionError):
        living.what_is_told_agrees_with_the_files()
