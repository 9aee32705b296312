"""The JSON documents that programs read stay what they are: a change is seen in the recording, or not made."""

from __future__ import annotations

import pytest

from tests.documents.record import RUNS, recorded, recording


@pytest.mark.soak
@pytest.mark.parametrize("run", RUNS)
def test_every_document_is_as_recorded(run: str) -> None:
    before = recorded(run).read_text(encoding="utf-8").splitlines()
    for was, line in zip(before, recording(run), strict=True):
        assert line == was, "run `poe documents` if this is meant"
