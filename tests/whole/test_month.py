"""Two people live with a shared vault for a while: `python -m tests.whole.month` does it for longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.whole.month import live

if TYPE_CHECKING:
    from pathlib import Path


def test_nothing_is_lost_half_or_unrecorded_between_two_people(tmp_path: Path, *, soak: bool) -> None:
    acts, seed = (60, 2) if soak else (25, 6)
    live(tmp_path, acts=acts, seed=seed)
