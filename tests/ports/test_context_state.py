"""Where no context can be kept, entering one is refused like anything else that can't be done."""

from __future__ import annotations

import pytest

from memstore.errors import RefusedError
from memstore.model.world import ActiveContext
from memstore.ports.context_state import NoContext


def test_entering_is_refused_and_says_what_to_do() -> None:
    with pytest.raises(RefusedError) as refused:
        NoContext().enter(ActiveContext(id="ctx:park"))
    assert "ctx:park" in str(refused.value)
    assert refused.value.hint == "--context names it for one command"
