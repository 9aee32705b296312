"""What is kept in the cache comes back in the same state alone, and whatever is wrong with it is as good as nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.search.local_state import DerivedCache, _read, _record_bytes, drop_derived

if TYPE_CHECKING:
    from pathlib import Path

FOUND = {"a" * 40: ["1", "0"], "b" * 40: []}


@pytest.fixture
def cache(tmp_path: Path) -> DerivedCache:
    return DerivedCache(tmp_path / "cache")


def test_what_is_kept_comes_back_in_the_same_state(cache: DerivedCache) -> None:
    assert cache.last("one", "state") == {}
    cache.keep("one", "state", FOUND)
    assert cache.last("one", "state") == FOUND
    assert cache.last("one", "another state") == {}
    assert cache.last("two", "state") == {}


def test_nobody_else_may_look_and_what_others_could_have_written_is_not_read(
    cache: DerivedCache, tmp_path: Path
) -> None:
    cache.keep("one", "state", FOUND)
    folder = tmp_path / "cache/derived"
    assert [place.stat().st_mode & 0o777 for place in (folder / "one", folder)] == [0o600, 0o700]
    folder.chmod(0o777)
    assert cache.last("one", "state") == {}


def test_a_file_that_was_changed_is_dropped(cache: DerivedCache, tmp_path: Path) -> None:
    cache.keep("one", "state", FOUND)
    place = tmp_path / "cache/derived/one"
    place.write_bytes(place.read_bytes().replace(b'"1"', b'"2"'))
    assert cache.last("one", "state") == {}
    drop_derived(tmp_path / "cache")
    assert not place.exists()
    drop_derived(tmp_path / "cache")


@given(st.binary(max_size=40), st.integers(0, 120))
def test_no_bytes_break_the_reader(put: bytes, at: int) -> None:
    data = _record_bytes("state", FOUND)
    try:
        found = _read(data[:at] + put + data[at + len(put) :], "state")
    except (ValueError, KeyError, TypeError):
        return
    assert found in ({}, FOUND)
