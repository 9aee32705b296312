"""What a memory says of a belief: the same, the opposite, much the same, or nothing."""

from __future__ import annotations

import pytest

from memstore.beliefs.consolidate import side_of
from memstore.beliefs.consolidation import Polarity

SAYS = "The old bridge is closed in winter."


@pytest.mark.parametrize(
    ("other", "side"),
    [
        ("We walked. The old bridge is closed in winter.", Polarity.SAME),
        ("The old bridge is not closed in winter.", Polarity.OPPOSED),
        ("The old bridge is open in winter.", Polarity.OPPOSED),
        ("In winter the old bridge is mostly closed, they say.", Polarity.ALIKE),
        ("Is the old bridge closed in winter?", None),
        ("The old bridge is open in winter again, they say.", None),
        ("The ferry runs in summer.", None),
    ],
)
def test_the_side_that_a_text_takes(other: str, side: Polarity | None) -> None:
    assert side_of(SAYS, other) is side
