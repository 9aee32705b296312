"""Vaults that live for a while, and whether the machine that watches them sees what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from memstore.vault.view import VaultView
from tests.support import examples, memory_text
from tests.whole.living import VIEWERS, Living, World, run

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def test_a_source_that_the_owner_may_not_see_is_where_lineage_ends() -> None:
    links = {"id": "m_e000000000", "owner": VIEWERS[0], "derived_from": "[note:m_f000000000]"}
    files = {
        "h/two.md": memory_text("\nMost of zebra.\n", id="m_a000000000", derived_from="[note:m_e000000000]"),
        "h/one.md": memory_text("\nMost of zebra.\n", **links),
        "three.md": memory_text("\nMost of violin.\n", id="m_f000000000"),
    }
    Living.world = World()
    try:
        state = Living()
        state.begin(kind="own")
        for place, data in files.items():
            state.write(place, data)
            state.what_is_told_agrees_with_the_files()
    finally:
        Living.world.close()


def all_rows(view: Any) -> Sequence[int]:
    rows: Sequence[int] = view.snapshot.catalog.memories
    return rows


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "leak"),
    [
        ("rows", property(all_rows)),
        ("texts", property(lambda view: view.snapshot.catalog.texts[1:])),
    ],
)
def test_a_vault_that_tells_too_much_or_too_little_is_seen(
    name: str, leak: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VaultView, name, leak)
    with pytest.raises(AssertionError):
        run(examples=10, steps=8, like=settings(FEW, phases=(Phase.generate,), derandomize=True, database=None))
