from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.memories.edit import merged

BASE = b"a\nb\nc\nd\ne\n"
LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"d\r\n"]), max_size=12)


@pytest.mark.parametrize(
    ("ours", "theirs", "both"),
    [
        (b"A\nb\nc\nd\ne\n", b"a\nb\nc\nd\nE\n", b"A\nb\nc\nd\nE\n"),
        (b"a\nb\nc\nd\ne\nf\n", b"new\na\nb\nc\nd\ne\n", b"new\na\nb\nc\nd\ne\nf\n"),
        (b"a\nc\nd\ne\n", b"a\nb\nc\nd\n", b"a\nc\nd\n"),
        (BASE, b"a\n", b"a\n"),
        (b"A\nb\nc\nd\ne\n", b"A\nb\nc\nd\ne\n", b"A\nb\nc\nd\ne\n"),
        (b"A\nb\nc\nd\ne\n", b"B\nb\nc\nd\ne\n", None),
        (b"A\nb\nc\nd\ne\n", b"a\nB\nc\nd\ne\n", None),  # next to each other: nobody knows whether they belong together
        (b"a\nb\nc\nd\ne\nf\n", b"a\nb\nc\nd\ne\ng\n", None),
        (b"a\nb\nc\nd\ne", b"A\nb\nc\nd\ne\n", b"A\nb\nc\nd\ne"),
    ],
)
def test_what_both_sides_make_of_a_text(ours: bytes, theirs: bytes, both: bytes | None) -> None:
    assert merged(BASE, ours, theirs) == both


@given(LINES, LINES)
def test_a_side_that_changed_nothing_gives_way(base: list[bytes], side: list[bytes]) -> None:
    one, other = b"".join(base), b"".join(side)
    assert merged(one, other, one) == merged(one, one, other) == other
    assert merged(one, other, other) == other


@given(LINES, LINES, LINES)
def test_it_does_not_matter_who_is_who(base: list[bytes], ours: list[bytes], theirs: list[bytes]) -> None:
    one, mine, other = (b"".join(lines) for lines in (base, ours, theirs))
    assert merged(one, mine, other) == merged(one, other, mine)


def test_what_would_take_long_is_not_tried() -> None:
    base = b"".join(b"%d\n" % number for number in range(3000))
    assert merged(base, b"x\n" * 3000, base + b"y\n") is None
