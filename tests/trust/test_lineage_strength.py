"""How strong a lineage is: cases by hand, and laws that hold for all graphs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.memory import Memory, Origin
from memstore.trust.lineage_strength import support, weakest

TRUST = {"a": 0.5, "b": 0.8, "c": 0.3, "d": 0.6, "e": 0.9}


def ref(name: str) -> str:
    return f"note:m_{name * 5}"


class Vault:
    """Notes named by a letter; `made` and `rests` say of which letters each is made, and on which it rests."""

    def __init__(self, made: dict[str, str], rests: dict[str, str], sessions: dict[str, str] | None = None) -> None:
        names = {*"me", *"".join(made.values()), *made, *rests, *"".join(rests.values()), *TRUST}
        self.memories = {
            ref(name): Memory(
                type="note",
                id=f"m_{name * 5}",
                body="",
                derived_from=tuple(map(ref, made.get(name, ""))),
                relates_to=tuple(map(ref, rests.get(name, ""))),
                origin=Origin(session_id=session) if (session := (sessions or {}).get(name)) else None,
            )
            for name in names
            if name != "x"  # whoever names it names nothing
        }

    def trust_of(self, memory: Memory) -> float:
        return TRUST.get((memory.id or "")[-1], 1.0)

    def weakest(self, *, shows_missing: bool = True) -> tuple[str, float] | None:
        found = weakest(self.memories[ref("m")], self.memories.get, self.trust_of, shows_missing=shows_missing)
        return found and (found.ref[-1], found.strength)

    def support(self, *, shows_missing: bool = True) -> tuple[float, int] | None:
        found = support(self.memories[ref("m")], self.memories.get, self.trust_of, shows_missing=shows_missing)
        return found and (round(found.strength, 6), found.groups)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ({}, None),
        ({"m": "a"}, ("a", 0.5)),
        ({"m": "ab", "b": "c"}, ("c", 0.3)),
        ({"m": "bd", "b": "a"}, ("a", 0.5)),
        ({"m": "ax"}, ("x", 0.0)),
        # Loops lend nothing, wherever they are.
        ({"m": "a", "a": "m"}, ("a", 0.0)),
        ({"m": "m"}, ("m", 0.0)),
        ({"m": "a", "a": "b", "b": "a"}, ("a", 0.0)),
    ],
)
def test_a_chain_is_as_strong_as_its_weakest_link(made: dict[str, str], expected: tuple[str, float] | None) -> None:
    assert Vault(made, {}).weakest() == expected


def test_a_link_that_is_not_there_for_the_viewer_does_not_exist() -> None:
    assert Vault({"m": "ax"}, {}).weakest(shows_missing=False) == ("a", 0.5)
    assert Vault({"m": "x"}, {}).weakest(shows_missing=False) is None
    assert Vault({}, {"m": "ax"}).support(shows_missing=False) == (0.5, 1)
    assert Vault({}, {"m": "x"}).support(shows_missing=False) is None
    assert Vault({}, {"m": "x"}).support() == (0.0, 0)


@pytest.mark.parametrize(
    ("rests", "made", "sessions", "expected"),
    [
        ({}, {}, {}, None),
        ({"m": "a"}, {}, {}, (0.5, 1)),
        ({"m": "ab"}, {}, {}, (0.9, 2)),
        ({"m": "abb"}, {}, {}, (0.9, 2)),
        # One session, or one memory that both were made of, is one root: the stronger counts.
        ({"m": "ab"}, {}, {"a": "s1", "b": "s1"}, (0.8, 1)),
        ({"m": "ab"}, {"a": "e", "b": "e"}, {}, (0.8, 1)),
        ({"m": "abd"}, {"a": "e", "d": "e"}, {}, (0.92, 2)),
        # What goes back to two roots joins those who go back to one of them.
        ({"m": "abd"}, {"b": "ad"}, {}, (0.6, 1)),
        # No source lends more than what it was made of.
        ({"m": "b"}, {"b": "c"}, {}, (0.3, 1)),
        # What rests on the memory itself lends it nothing.
        ({"m": "a"}, {"a": "m"}, {}, (0.0, 0)),
        ({"m": "ab"}, {"a": "d", "d": "m"}, {}, (0.8, 1)),
        ({"m": "m"}, {}, {}, (0.0, 0)),
    ],
)
def test_support_adds_up_over_distinct_roots(
    rests: dict[str, str], made: dict[str, str], sessions: dict[str, str], expected: tuple[float, int] | None
) -> None:
    assert Vault(made, rests, sessions).support() == expected


EDGES = st.dictionaries(st.sampled_from("mabcde"), st.text("mabcdex", max_size=4), max_size=6)


@given(EDGES, EDGES)
def test_it_ends_and_is_bounded_on_any_graph(made: dict[str, str], rests: dict[str, str]) -> None:
    vault = Vault(made, rests)
    chain, lent = vault.weakest(), vault.support()
    assert chain is None or 0.0 <= chain[1] <= 1.0
    assert lent is None or 0.0 <= lent[0] <= 1.0


@given(EDGES, st.text("abcde", min_size=1, max_size=4))
def test_no_copy_of_a_source_adds_anything(made: dict[str, str], sources: str) -> None:
    made = {name: refs for name, refs in made.items() if name != "m"}
    once, copied = Vault(made, {"m": sources}), Vault({**made, "z": sources[0]}, {"m": sources + "z"})
    found, more = once.support(), copied.support()
    assert found is not None
    assert more is not None
    assert more[0] <= found[0]
