"""The keeper rule as laws, over histories with branches and merges of any shape."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.trust.keyring import COMMIT_NAMESPACE, Keyring, PublicKey, Signer
from memstore.trust.read_keyring import Counting, KeyringChange, KeyringFiles, counting, is_keeper, uncommitted

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


ASH, DAN = KeyringFiles(("ash",)), KeyringFiles(("ash", "dan"))
NOBODY = KeyringFiles()


def change(
    commit: str,
    follows: Sequence[str],
    before: tuple[KeyringFiles, ...] | None,
    after: KeyringFiles,
    *,
    minute: int = 1,
) -> KeyringChange:
    return KeyringChange(commit, tuple(follows), before, after, START + timedelta(minutes=minute))


def test_a_line_that_nobody_signed_stays_out_until_a_keeper_writes_it_once_more() -> None:
    came = change("c1", ["c0"], (NOBODY,), ASH)
    beside = change("c2", ["c1"], (ASH,), DAN)
    twice = change("c3", ["c2"], (DAN,), KeyringFiles(("ash", "ash", "dan")))
    assert counts(NOBODY, [came, beside], frozenset({"c2"})).signers == {"dan"}
    assert counts(NOBODY, [came, beside, twice], frozenset({"c2", "c3"})).signers == {"ash", "dan"}


def test_who_was_taken_out_stays_out_where_a_branch_that_has_them_is_joined_later() -> None:
    out = change("c1", ["c0"], (DAN,), ASH)
    more = change("c2", ["c1"], (ASH,), KeyringFiles(("ash", "claire")))
    joined = change("c3", ["c2", "c0"], (more.after, DAN), DAN)
    found = counts(DAN, [out, more, joined], frozenset({"c1", "c2"}))
    assert (found.signers, found.ended) == (frozenset({"ash", "claire"}), frozenset({"dan"}))


def test_where_branches_meet_the_later_of_their_changes_is_the_last() -> None:
    early, late = (change(f"c{n}", ["c0"], (NOBODY,), ASH, minute=n) for n in (1, 9))
    joined = change("m", ["c1", "c9"], (ASH, ASH), ASH, minute=10)
    assert counts(NOBODY, [early, late, joined], frozenset({"c1", "c9"})).at == START + timedelta(minutes=9)


def test_a_first_commit_and_one_whose_parents_are_unknown_bring_all_that_they_say() -> None:
    assert counts(NOBODY, [change("c1", [], (), ASH)]).signers == {"ash"}
    assert counts(ASH, [change("c1", ["c0"], None, DAN)]).signers == {"ash", "dan"}


KEY, OTHER = PublicKey("ssh-ed25519", b"sean"), PublicKey("ssh-ed25519", b"pith")
HOUR = timedelta(hours=1)


def keeper(**changes: Any) -> Signer:
    return Signer(("human:sean",), KEY, (COMMIT_NAMESPACE,))._replace(**changes)


@pytest.mark.parametrize(
    ("keyring", "since", "expected"),
    [
        (Keyring((keeper(),)), START - HOUR, True),
        (Keyring((keeper(),)), START, True),
        (Keyring((keeper(),)), START + HOUR, False),
        (Keyring((keeper(),), unreadable="allowed_signers:1"), START, False),
        (Keyring((keeper(),), revoked=frozenset({KEY.blob})), START, False),
        (Keyring((keeper(),), revoked=frozenset({OTHER.blob})), START, True),
        (Keyring((keeper(key=OTHER),)), START, False),
        (Keyring((keeper(principals=()),)), START, False),
        (Keyring((keeper(namespaces=("other",)),)), START, False),
        (Keyring((keeper(valid_after=START - HOUR, valid_before=START + HOUR),)), START, True),
        (Keyring((keeper(valid_after=START + HOUR),)), START, False),
        (Keyring((keeper(valid_before=START - HOUR),)), START, False),
        (Keyring((keeper(valid_before=START - HOUR), keeper())), START, True),
        (Keyring(()), START, False),
    ],
)
def test_who_may_sign_a_change_is_a_keeper_then_and_not_behind_the_last_change(
    keyring: Keyring, since: datetime, *, expected: bool
) -> None:
    assert is_keeper(keyring, KEY, None, at=START, since=since) is expected


@given(files(), files(), files())
def test_what_is_not_committed_is_as_it_stands_but_takes_no_revocation_back(
    pinned: KeyringFiles, head: KeyringFiles, now: KeyringFiles
) -> None:
    found = uncommitted(Counting(frozenset(pinned.signers), frozenset(pinned.revoked)), pinned, pinned)
    assert (found.signers, found.revoked) == (frozenset(pinned.signers), frozenset(pinned.revoked))
    found = uncommitted(Counting(frozenset(head.signers), frozenset(head.revoked)), head, now)
    assert (found.signers, found.revoked) == (frozenset(now.signers), frozenset(head.revoked + now.revoked))
