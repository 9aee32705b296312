"""How an anchor stands: a table of what is found, and that whatever does not count says what to do."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product

import pytest

from memstore.trust.anchors import (
    BLOCKCHAIN,
    REPOSITORY,
    UNCHECKED,
    Anchored,
    AnchorStatus,
    InHistory,
    PageFetch,
    PageSnapshot,
    Stamp,
    dated,
    in_history,
    of_host,
    of_page,
    of_stamp,
    proven_by,
)

EARLY, WRITTEN, LATE, MUCH_LATER = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 2, 3, 4))
HELD = InHistory(is_there=True, is_true=True, held_by_commit=True, is_kept=True, at=LATE, shows=frozenset({"sig"}))
HAD = PageFetch(LATE, "e.org", frozenset({"sig"}))
WHOLE = PageSnapshot(is_there=True, is_true=True, holds_digest=True)


@pytest.mark.parametrize(
    ("found", "status", "counts"),
    [
        (HELD, "valid", True),
        (HELD._replace(at=EARLY), "valid", False),
        (HELD._replace(is_kept=False, elsewhere="a" * 40), "moved", True),
        (HELD._replace(held_by_commit=False, is_kept=False, elsewhere="a" * 40), "moved", True),
        (HELD._replace(is_kept=False), "dangling", False),
        (HELD._replace(changed=("content",)), "altered", False),
        (HELD._replace(is_true=False), "altered", False),
        (InHistory(is_there=False), "missing", False),
        (InHistory(is_there=True, is_true=True, held_by_commit=True), "dangling", False),
        (InHistory(is_there=True, is_true=True, is_kept=True), "dangling", False),
    ],
)
def test_a_commit(found: InHistory, status: str, *, counts: bool) -> None:
    told = in_history(found, written_at=WRITTEN)
    assert (told.status.value, told.counts) == (status, counts)


@pytest.mark.parametrize(
    ("stamp", "status", "counts"),
    [
        (Stamp(at=LATE), "valid", True),
        (Stamp(at=LATE, heights=(9,), pending=("https://a.example",)), "valid", True),
        (Stamp(at=EARLY), "valid", False),
        (Stamp(heights=(9, 10)), "unverifiable", False),
        (Stamp(pending=("https://a.example",)), "unverifiable", False),
        (Stamp(), "unverifiable", False),
        (Stamp(problem="it is none"), "altered", False),
        (None, "missing", False),
    ],
)
def test_a_stamp(stamp: Stamp | None, status: str, *, counts: bool) -> None:
    told = stamped(WHOLE, stamp)
    assert (told.status.value, told.counts) == (status, counts)


def stamped(page: PageSnapshot, stamp: Stamp | None, *, is_commitment: bool = True) -> Anchored:
    shows = frozenset({"sig"})
    return of_stamp(page, stamp, is_commitment=is_commitment, written_at=WRITTEN, shows=shows)


def test_a_stamped_page_is_a_page_first() -> None:
    for page in (PageSnapshot(is_there=False), WHOLE._replace(is_true=False), WHOLE._replace(holds_digest=False)):
        assert stamped(page, Stamp(at=LATE)) == of_page(page, None, is_commitment=True)
    assert not stamped(WHOLE, Stamp(at=LATE), is_commitment=False).counts


@pytest.mark.parametrize(
    ("anchored", "reason", "hint"),
    [
        (in_history(HELD, written_at=WRITTEN), "", ""),
        (in_history(HELD._replace(is_kept=False, elsewhere="0123456789ab"), written_at=WRITTEN),
         "0123456789 has it now", ""),
        (stamped(WHOLE, Stamp(heights=(9, 10))),
         "it is in block 9, whose header is needed", "memstore trust keys pin --block 9 HEADER"),
        (stamped(WHOLE, Stamp(pending=("a.example", "b.example"))),
         "promised by a.example, b.example, but not in a block yet", "ots upgrade FILE.ots, then anchor it again"),
        (stamped(WHOLE, Stamp()),
         "promised by nobody, but not in a block yet", "ots upgrade FILE.ots, then anchor it again"),
        (of_page(WHOLE, HAD, is_commitment=True), "", ""),
        (of_page(WHOLE, None, is_commitment=True),
         "a copy that you did not fetch yourself", "memstore trust REF --online fetches it"),
        (of_page(WHOLE, HAD._replace(problem="it is theirs", hint="another"), is_commitment=True),
         "it is theirs", "another"),
        (of_page(WHOLE, HAD, is_commitment=False), "it shows a source, and proves nothing", ""),
    ],
)  # fmt: skip
def test_what_is_told_of_an_anchor(anchored: Anchored, reason: str, hint: str) -> None:
    assert (anchored.reason, anchored.hint) == (reason, hint)


def test_a_memory_that_does_not_say_when_it_was_written_is_older_than_nothing() -> None:
    told = of_stamp(WHOLE, Stamp(at=EARLY), is_commitment=True, written_at=None, shows=frozenset({"sig"}))
    assert told == Anchored(
        AnchorStatus.VALID, counts=True, at=EARLY, shows=frozenset({"sig"}), place=BLOCKCHAIN, timed=True
    )


def test_whatever_does_not_count_says_what_to_do() -> None:
    flags = (False, True)
    found = [
        InHistory(is_there=a, is_true=b, changed=c, held_by_commit=d, is_kept=e, elsewhere=f, at=at)
        for a, b, c, d, e, f, at in product(
            flags, flags, ((), ("content",)), flags, flags, (None, "a"), (None, EARLY, LATE)
        )
    ]
    pages = [PageSnapshot(a, b, c) for a, b, c in product(flags, repeat=3)]
    pages.append(PageSnapshot(is_there=True, problem="it is a link"))
    stamps = [None, Stamp(), Stamp(at=EARLY), Stamp(at=LATE), Stamp(heights=(1,)), Stamp(problem="no")]
    told = [in_history(one, written_at=WRITTEN) for one in found]
    fetches = [None, HAD, HAD._replace(problem="no", hint="another")]
    told += [of_page(page, fetched, is_commitment=True) for page, fetched in product(pages, fetches)]
    told += [stamped(page, stamp) for page, stamp in product(pages, stamps)]
    told.append(UNCHECKED)
    assert {one.status for one in told} == set(AnchorStatus)
    assert [one for one in told if not one.counts and not (one.hint and one.reason)] == []


def test_an_anchor_proves_the_age_of_the_signatures_that_it_holds() -> None:
    anchors = [stamped(WHOLE, Stamp(at=at)) for at in (LATE, WRITTEN)]
    anchors.append(of_page(WHOLE, HAD, is_commitment=True))
    assert proven_by(anchors, "sig") == WRITTEN
    assert proven_by(anchors, "other") is None
    assert proven_by([stamped(WHOLE._replace(is_true=False), Stamp(at=LATE))], "sig") is None


def test_a_commit_proves_no_time_and_is_kept_in_one_place() -> None:
    told = in_history(HELD._replace(commit="c"), written_at=WRITTEN)
    assert (told.at, told.timed, told.place, told.commit) == (None, False, REPOSITORY, "c")
    assert proven_by([told], "sig") is None


@pytest.mark.parametrize(
    ("holder", "problem"),
    [(None, "whom e.org belongs to"), ("si:babel", "belongs to its author"), ("si:twin", "belongs to its author"),
     ("si:unknown", "belongs to its author"), ("si:pith", "")],
)  # fmt: skip
def test_a_page_of_its_authors_own_host_proves_nothing(holder: str | None, problem: str) -> None:
    controllers = {"si:twin": "si:babel", "si:unknown": ""}
    told, hint = of_host(holder, "e.org", author="si:babel", controller_of=lambda one: controllers.get(one, one))
    assert problem in told
    assert bool(told) == bool(hint) == bool(problem)


@pytest.mark.parametrize(
    ("recorded_at", "counts"), [(None, True), (WRITTEN, True), (LATE, True), (EARLY, False), (MUCH_LATER, False)]
)
def test_an_anchor_that_was_recorded_before_the_memory_or_ahead_of_now_does_not_count(
    recorded_at: datetime | None, *, counts: bool
) -> None:
    told = dated(stamped(WHOLE, Stamp(at=LATE)), recorded_at, written_at=WRITTEN, now=LATE)
    assert told.counts == counts
    ahead = HELD._replace(at=MUCH_LATER)
    assert not dated(in_history(ahead, written_at=WRITTEN), None, written_at=WRITTEN, now=LATE).counts
