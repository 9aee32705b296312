"""Without psycopg, each command of the engine says what to install."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import UsageError
from memstore.engines.database import drop, indexed_vaults, init

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("call", [init, drop, indexed_vaults])
def test_what_is_missing_is_named(call: Callable[[str], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UsageError, match="psycopg is not installed") as told:
        call("postgresql://localhost/none")
    assert told.value.hint == 'pip install "memstore-vault[postgres]"'
