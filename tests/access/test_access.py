from __future__ import annotations

import pytest

from memstore.access.policy import may_see


@pytest.mark.parametrize(
    ("owner", "viewer", "sees"),
    [
        ("", "human:sean", True),
        ("", "human:claire", False),
        ("human:claire", "human:claire", True),
        ("human:claire", "human:sean", False),
        ("", "", False),
    ],
)
def test_only_the_owner_sees(owner: str, viewer: str, *, sees: bool) -> None:
    assert may_see(owner, viewer, "human:sean") is sees


def test_nobody_is_not_the_owner_of_an_unowned_vault() -> None:
    assert not may_see("", "", "")
