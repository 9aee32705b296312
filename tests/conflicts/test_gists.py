"""Gists never rule out what comparing the sentences would find; they are kept with the index, by blob."""

from __future__ import annotations

from hashlib import sha256
from itertools import product
from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

from memstore.conflicts import among, gisting
from memstore.conflicts.contradiction import CONFLICTS, compare
from memstore.conflicts.gisting import gist
from memstore.conflicts.gists import RULES, VERSION, _read, _written, may_conflict
from memstore.conflicts.statements import Statement, statements
from memstore.memories.search import search
from memstore.search import DERIVED
from memstore.search.local_state import DerivedCache
from tests.conflicts.test_any_order import FOUND
from tests.conflicts.test_polarity import CONTRADICT, OTHER_VALUES
from tests.installed import ROOT
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from memstore.conflicts.gists import Gist

# What decides on two statements, and on two memories.
RULES_IN = (
    *(
        "conflict",
        "contradiction",
        "denials",
        "frames",
        "guards",
        "habits",
        "lexicon",
        "moves",
        "prose",
    ),
    *("quantities", "statements", "states", "values"),
)
SUBJECTS = ("Sean", "the gate", "the living room", "Bella's bowl", "the couldn't-care team", "python", "I", "PR #38")
VERBS = (
    *("is", "isn't", "was", "likes", "does not like", "dislikes", "lives in", "costs", "closes at", "can swim to"),
    *("can't swim to", "has", "hasn't", "no longer has", "is unable to find", "used to have", "always eats"),
    *("never eats", "couldn't find", "could find", "won't be", "will be", "prefers", "was not only", "began on"),
)
OBJECTS = (
    *("tea", "coffee", "Paris", "Rome", "New York", "good", "bad", "open", "closed", "two miles", "5 km", "5000 m"),
    *("$20", "9 pm", "21:00", "3 May 2019", "4 May", "the first row", "the third row", "blue", "grey", "gray", "big"),
    *("large", "small", "Monday", "Tuesday", "twelve", "a dozen", "the kitchen", "far away from it", "next to it"),
    *(
        "twenty-one",
        "two hundred and five",
        "205",
        "two and a half km",
        "half a mile",
        "the boss' car",
        "an *odd* co-op",
        "[[note:m_x]] milk",
        "no doubt hot",
        "cold",
        "10 °C",
        "v2",
    ),
)
ADDED = ("", " in the evening", " every day", " with Bella", " since last week", " at all", " really", " always")
ENDS = (".", "!", "?", ";", "\n\n", "\n- ", " but ", "")


@st.composite
def sentences(draw: st.DrawFn) -> str:
    words = (draw(st.sampled_from(part)) for part in (SUBJECTS, VERBS, OBJECTS, ADDED))
    subject, verb, thing, added = words
    return f"{subject} {verb} {thing}{added}"


@st.composite
def alike(draw: st.DrawFn) -> tuple[str, str]:
    """Return two texts with a sentence each that differ in a part or two."""
    ones = [draw(st.sampled_from(part)) for part in (SUBJECTS, VERBS, OBJECTS, ADDED)]
    others = list(ones)
    for at in draw(st.lists(st.integers(0, 3), min_size=1, max_size=2)):
        others[at] = draw(st.sampled_from((SUBJECTS, VERBS, OBJECTS, ADDED)[at]))
    texts = []
    for subject, verb, thing, added in (ones, others):
        around = draw(st.lists(sentences(), max_size=1)), draw(st.sampled_from(ENDS))
        text = f"{subject} {verb} {thing}{added}{around[1]} {''.join(around[0])}"
        texts.append(draw(st.sampled_from((text, text.upper(), text.replace("'", "’")))))
    return texts[0], texts[1]


@given(alike())
@example(("Sean likes tea", "Sean dislikes tea"))
@example(("The small dog ate", "The big dog ate in small hours"))
@example(("He couldn't swim there", "He could swim there"))
@example(("Sean no longer has a boat", "Sean has a boat"))
@example(("Sean is unable to swim", "Sean is able to swim"))
@example(("Sean cannot swim", "Sean can swim"))
@example(("Sean will swim", "Sean won't swim"))
@example(("The run is 5 km long", "The run is three miles long"))
@example(("The house has two hundred and five rooms", "The house has 206 rooms"))
@example(("Why not? Sean likes tea in the morning", "Sean does not like tea"))
@example(("Sean lives in New York", "Sean lives in Rome"))
@example(("Bella was born on 3 May", "Bella was born on the 4th of May"))
@example(("The gate used to have coffee!", "The gate will be coffee;"))
@example(("Bella's bowl used to have $20", "Bella's bowl used to have $20. Sean is 21:00 at all"))
@example(("Sean can swim to small every day? PR #38 always eats v2 really", "PR #38 can swim to large every day"))
def test_no_conflict_is_ruled_out(texts: tuple[str, str]) -> None:
    found = compare(*texts).verdict in CONFLICTS

    assert may_be(*texts) or not found
    assert may_be(*reversed(texts)) == may_be(*texts)


def may_be(one: str, other: str) -> bool:
    return any(may_conflict(gist(this), gist(that)) for this, that in product(statements(one), statements(other)))


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_is_written(one: str, other: str) -> None:
    assert may_be(one, other) or compare(one, other).verdict not in CONFLICTS


def test_nothing_is_ruled_out_by_which_rules_are_tested() -> None:
    for one, other, *_ in (*FOUND, *CONTRADICT, *OTHER_VALUES):
        assert may_be(one, other), (one, other)


def test_most_is_ruled_out() -> None:
    said = "Sean likes tea. The gate closes at nine."

    for other in ("Sean likes tea.", "Bella drinks milk.", "Sean walks to the gate", "The shop closes on Monday", ""):
        assert not may_be(said, other)


@given(alike())
def test_what_is_kept_is_read_as_it_was(texts: tuple[str, str]) -> None:
    made = [gist(statement, at, at + 1) for at, statement in enumerate(statements("\x1f".join(texts)))]

    assert list(_read(tuple(map(_written, made)))) == made


def test_whoever_changes_what_gists_hold_counts_the_version_up() -> None:
    said = " ".join(f"{subject} {verb} {thing}." for subject in SUBJECTS for verb in VERBS for thing in OBJECTS[::7])
    held = "\n".join(_written(gist(statement)) for statement in statements(said))

    assert (VERSION, sha256(held.encode()).hexdigest()[:8]) == (22, "b0a0b813")


def test_whoever_changes_a_rule_counts_the_rules_up() -> None:
    package = ROOT / "memstore" / "conflicts"
    rules = b"".join((package / name).read_bytes() for name in (*(f"{name}.py" for name in RULES_IN), "words.toml"))

    assert (RULES, sha256(rules).hexdigest()[:8]) == (24, "5a7ea2bf")


def test_a_search_takes_each_revision_of_a_memory_apart_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken_apart: list[str] = []

    real = gisting.gist

    def taking(statement: Statement, *lines: int) -> Gist:
        taken_apart.append(statement.text)
        return real(statement, *lines)

    monkeypatch.setattr(gisting, "gist", taking)
    files = {
        "a.md": memory_text("Sean likes tea\n", id="m_aaa"),
        "b.md": memory_text("Sean dislikes tea\n", id="m_bbb"),
    }
    for text, anew in (
        ("Sean dislikes tea", ["Sean dislikes tea", "Sean likes tea"]),
        ("Sean dislikes tea", []),
        ("Sean hates tea", ["Sean hates tea"]),
    ):
        files["b.md"] = memory_text(f"{text}\n", id="m_bbb")
        ws = memory_workspace(files).having(DERIVED, DerivedCache(tmp_path))
        assert [len(hit.conflicts) for hit in search(ws.view(), "tea").hits] == [1, 1]
        assert sorted(taken_apart) == anew
        taken_apart.clear()


def test_two_statements_that_are_not_in_conflict_are_compared_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[str, str]] = []
    real = among._are_in_conflict

    def comparing(one: str, about_one: str, other: str, about_other: str) -> bool:
        compared.append((one, other))
        return real(one, about_one, other, about_other)

    monkeypatch.setattr(among, "_are_in_conflict", comparing)
    files = {
        "a.md": memory_text("The tea for Sean costs 5 euros\n", id="m_aaa"),
        "b.md": memory_text("The tea for Sean weighs 3 grams, not 2\n", id="m_bbb"),
    }
    for text, anew in (
        ("The tea for Sean weighs 3 grams, not 2", 1),
        ("The tea for Sean weighs 3 grams, not 2", 0),
        ("The tea for Sean costs 6 euros", 1),
        ("The tea for Sean costs 6 euros", 1),  # what is in conflict is looked at again: its sides are needed
    ):
        files["b.md"] = memory_text(f"{text}\n", id="m_bbb")
        ws = memory_workspace(files).having(DERIVED, DerivedCache(tmp_path))
        found = [len(hit.conflicts) for hit in search(ws.view(), "tea").hits]
        assert (found, len(compared)) == ([int("6" in text)] * 2, anew)
        compared.clear()


def test_two_memories_that_may_both_be_right_are_compared_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[str, str]] = []
    real = among._are_in_conflict

    def comparing(one: str, about_one: str, other: str, about_other: str) -> bool:
        compared.append((one, other))
        return real(one, about_one, other, about_other)

    monkeypatch.setattr(among, "_are_in_conflict", comparing)
    of_others = {"subject_ids": '["human:omar"]'}
    for values, anew, in_conflict in (
        (of_others, 1, 0),
        (of_others, 0, 0),
        ({}, 1, 1),  # the file has changed
        (of_others, 0, 0),
    ):
        files = {
            "a.md": memory_text("The tea costs 5 euros\n", id="m_aaa", subject_ids='["human:sean"]'),
            "b.md": memory_text("The tea costs 6 euros\n", id="m_bbb", **values),
        }
        ws = memory_workspace(files).having(DERIVED, DerivedCache(tmp_path))
        found = [len(hit.conflicts) for hit in search(ws.view(), "tea").hits]
        assert (found, len(compared)) == ([in_conflict] * 2, anew)
        compared.clear()


def test_damaged_gists_are_made_anew(tmp_path: Path) -> None:
    files = {
        "a.md": memory_text("Sean likes tea\n", id="m_aaa"),
        "b.md": memory_text("Sean dislikes tea\n", id="m_bbb"),
    }
    ws = memory_workspace(files).having(DERIVED, DerivedCache(tmp_path))
    assert [len(hit.conflicts) for hit in search(ws.view(), "tea").hits] == [1, 1]
    kept = [*(tmp_path / "derived").iterdir()]
    assert any(b"like" in place.read_bytes() for place in kept)
    for place in kept:
        place.write_bytes(place.read_bytes().replace(b"like", b"lake"))
    assert [len(hit.conflicts) for hit in search(ws.view(), "tea").hits] == [1, 1]
    assert not any(b"lake" in place.read_bytes() for place in kept)
