"""The keeper rule as laws, over histories with branches and merges of any shape."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from memstore.rules.keepers import Counting, KeyringChange, KeyringFiles, counting, uncommitted

if TYPE_CHECKING:
    from collections.abc import Sequence

START = datetime(2026, 2, 1, tzinfo=UTC)
LINES = ("ash", "babel", "claire", "dan")


def files() -> st.SearchStrategy[KeyringFiles]:
    lines = st.lists(st.sampled_from(LINES), max_size=4).map(tuple)
    return st.builds(KeyringFiles, lines, lines)


@st.composite
def histories(draw: st.DrawFn) -> tuple[KeyringFiles, list[KeyringChange]]:
    """Return what was pinned, and changes since, each after one or two of those before it."""
    pinned = draw(files())
    states, changes = [pinned], []
    for i in range(draw(st.integers(0, 6))):
        above = draw(st.lists(st.integers(0, i), min_size=1, max_size=2, unique=True))
        before, after = tuple(states[n] for n in above), draw(st.one_of(st.sampled_from(states), files()))
        follows = tuple(f"c{n}" for n in above)  # c0 is the pin, which is none of the changes
        changes.append(KeyringChange(f"c{i + 1}", follows, before, after, START + timedelta(minutes=i + 1)))
        states.append(after)
    return pinned, changes


def counts(pinned: KeyringFiles, changes: Sequence[KeyringChange], signed: frozenset[str] | None = None) -> Counting:
    return counting(pinned, START, changes, is_by_keeper=lambda change, _: signed is None or change.commit in signed)


@given(histories())
def test_what_nobody_signed_changes_nothing(history: tuple[KeyringFiles, list[KeyringChange]]) -> None:
    pinned, changes = history
    found = counts(pinned, changes, frozenset())
    assert (found.signers, found.revoked) == (frozenset(pinned.signers), frozenset(pinned.revoked))


@given(histories())
def test_where_all_is_signed_a_line_of_commits_says_what_its_last_one_says(
    history: tuple[KeyringFiles, list[KeyringChange]],
) -> None:
    pinned, changes = history
    states = [pinned, *(change.after for change in changes)]
    straight = [
        KeyringChange(f"c{i + 1}", (f"c{i}",), (states[i],), states[i + 1], change.at)
        for i, change in enumerate(changes)
    ]
    found = counts(pinned, straight)
    assert (found.signers, found.revoked) == (frozenset(states[-1].signers), frozenset(states[-1].revoked))


@given(histories(), st.frozensets(st.integers(1, 6).map(lambda n: f"c{n}")))
def test_only_a_signed_change_brings_a_line(
    history: tuple[KeyringFiles, list[KeyringChange]], signed: frozenset[str]
) -> None:
    pinned, changes = history
    said = [change.after for change in changes if change.commit in signed]
    found = counts(pinned, changes, signed)
    assert found.signers <= set(pinned.signers).union(*(files.signers for files in said))
    assert found.revoked <= set(pinned.revoked).union(*(files.revoked for files in said))
    assert not found.signers & found.ended


@given(histories(), st.frozensets(st.integers(1, 6).map(lambda n: f"c{n}")))
def test_a_merge_takes_no_revocation_back(
    history: tuple[KeyringFiles, list[KeyringChange]], signed: frozenset[str]
) -> None:
    pinned, changes = history
    if len(changes) > 1:
        one, other = (counts(pinned, _up_to(changes, change), signed) for change in changes[-2:])
        ends = tuple(change.commit for change in changes[-2:])
        joined = KeyringChange("m", ends, (changes[-2].after, changes[-1].after), KeyringFiles(), START)
        found = counts(pinned, [*changes, joined], signed)
        assert found.revoked == one.revoked | other.revoked
        assert found.signers <= (one.signers | other.signers) - one.ended - other.ended


def _up_to(changes: Sequence[KeyringChange], last: KeyringChange) -> list[KeyringChange]:
    """Return the changes before and with one, which stays the last."""
    return [*changes[: changes.index(last)], last]


@given(files(), files(), files())
def test_what_is_not_committed_is_as_it_stands(pinned: KeyringFiles, head: KeyringFiles, now: KeyringFiles) -> None:
    found = uncommitted(Counting(frozenset(pinned.signers), frozenset(pinned.revoked)), pinned, pinned)
    assert (found.signers, found.revoked) == (frozenset(pinned.signers), frozenset(pinned.revoked))
    found = uncommitted(Counting(frozenset(head.signers), frozenset(head.revoked)), head, now)
    assert (found.signers, found.revoked) == (frozenset(now.signers), frozenset(now.revoked))
