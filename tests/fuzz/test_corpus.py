"""What fuzzing has found, replayed; and the same targets on inputs that are made from it, by chance."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
INPUTS = sorted(CORPUS.glob("*/*"))
# What turns one meaning into another, where a slip of the hand seldom does.
TOKENS = (
    *(b"---\n", b"+++\n", b"\n%%\n", b"\r\n", b"\t", b"\0", b"\xff", b"\xef\xbb\xbf", b": ", b"- ", b"[", b"]"),
    *(b"{", b"}", b'"', b"'", b"#", b"&a ", b"*a", b"!!x ", b"|\n", b">-\n", b"id: m_", b"owner: human:sean\n"),
    *(b"access_grants: ['*']\n", b"1e999", b"null", b"<<<<<<< ours\n", b"=======\n", b"\xe2\x80\xa8", b"\\ud800"),
)


def test_the_corpus_is_small_and_each_target_has_some() -> None:
    assert {place.parent.name for place in INPUTS} == {*TARGETS}
    assert len(INPUTS) < 300
    assert sum(place.stat().st_size for place in INPUTS) < 300_000


@pytest.mark.parametrize("name", TARGETS)
def test_what_was_found_before_holds(name: str) -> None:
    for place in CORPUS.glob(f"{name}/*"):
        TARGETS[name](place.read_bytes())


@st.composite
def mangled(draw: st.DrawFn, name: str) -> bytes:
    """Return an input of the corpus with a few slips, and pieces of others."""
    places = [place for place in INPUTS if place.parent.name == name]
    data = bytearray(draw(st.sampled_from(places)).read_bytes())
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        match draw(st.integers(0, 4)):
            case 0:
                data[at:at] = draw(st.sampled_from(TOKENS))
            case 1:
                del data[at : at + draw(st.integers(1, 40))]
            case 2 if data:
                data[at % len(data)] ^= 1 << draw(st.integers(0, 7))
            case 3:
                other = draw(st.sampled_from(places)).read_bytes()
                start = draw(st.integers(0, len(other)))
                data[at:at] = other[start : start + draw(st.integers(1, 80))]
            case _:
                data[at:at] = data[at : at + draw(st.integers(1, 80))]
    return bytes(data)


@pytest.mark.soak(2)
@pytest.mark.parametrize("name", TARGETS)
@settings(suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_is_made_of_it_holds(name: str, data: st.DataObject) -> None:
    TARGETS[name](data.draw(mangled(name)))
