"""What has room for one thing, what has come to an end, what is said of all or of some, and how sentences begin."""

from __future__ import annotations

import pytest

from memstore.conflicts.contradiction import CONFLICTS, compare_statements
from memstore.conflicts.gisting import gist
from memstore.conflicts.gists import may_conflict
from memstore.conflicts.statements import statements

FOUND: list[tuple[str, str, str]] = [
    ("Every cabin on the deck has a porthole.", "Some cabins on the deck have no porthole.", "negation"),
    ("It turns out that the crane doesn't rotate.", "The crane rotates.", "negation"),
    ("We learnt from Ada that the ferry doesn't take dogs.", "The ferry takes dogs.", "negation"),
    ("The name of the barge is Otter.", "The barge's name is Heron.", "names"),
    ("The clerk speaks no Finnish.", "In fact the clerk speaks Finnish.", "negation"),
]
FOUND += [
    ("Marek is our goalkeeper.", "Our goalkeeper is Tadek.", "names"),
    ("Ylva can't swim.", "Ylva has learnt to swim.", "negation"),
]
FOUND += [
    ("The hut bans dogs.", "Dogs are welcome in the hut.", "negation"),
    ("Ylva is unable to swim.", "Ylva can swim.", "negation"),
    ("Runa never drinks cocoa.", "Runa has a cup of cocoa every morning.", "negation"),
    ("The deed is overwritten by the clerk.", "The clerk never overwrites the deed.", "negation"),
    ("The crew meets on Mondays.", "The crew meets on Thursdays.", "weekdays"),
    ("Arvid has never been bitten by a goat.", "A goat bit Arvid in the leg last summer.", "negation"),
    ("Runa has no children.", "Runa has three kids.", "negation"),
    ("The lease may be cancelled at any time.", "The lease cannot be cancelled.", "negation"),
    ("For the record: nobody has a key to the loft.", "Anna has a key to the loft.", "negation"),
    ("Kasimir's blood group is 0 negative.", "Kasimir's blood group is A positive.", "values"),
]
CHANGED: list[tuple[str, str, str]] = [
    ("Ebba plays the recorder.", "Ebba has switched from the recorder to the bassoon.", "change"),
    ("You can ring the hut on 0555 120 331.", "You can ring the hut on 0555 120 964.", "numbers"),
    ("Internet at the mill: 16 Mbit.", "Internet at the mill: 250 Mbit.", "units"),
    ("A ticket to the caves is 14 euros.", "A ticket to the caves is 16.50.", "units"),
    ("Uptime of the relay is 99.5 percent.", "Uptime of the relay is 99.9 percent.", "units"),
    ("Ulf leads the crew.", "Since March Bea leads the crew.", "names"),
    ("The newsletter goes out every week.", "The newsletter goes out every month now.", "values"),
    ("The nursery fee is 210 a month.", "From September we pay 240 a month for the nursery.", "numbers"),
    ("Vaccination is due in May.", "Vaccination is due in November.", "dates"),
    ("Payments go through Klario.", "Payments go through Strype since April.", "names"),
]
CHANGED += []
BOTH_RIGHT: list[tuple[str, str]] = [
    ("Ida never cleans the kitchen.", "Ida paints the kitchen."),
    ("Rita never waters the roses.", "Rita loves the roses."),
    ("Jo has never visited the museum.", "Jo works at the museum."),
    ("Ann has no time for the garden.", "Ann has a garden."),
    ("Kofi likes the new logo.", "Ines hates the new logo."),
    ("I do not own the sledge.", "My brother owns the sledge."),
    ("The sledge is not mine.", "The sledge belongs to my brother."),
    ("No window is unlocked.", "All windows are locked."),
    ("No window in the attic is locked.", "All windows in the hall are locked."),
    ("The large oven takes 20 minutes to heat up.", "The small oven takes 8 minutes to heat up."),
    ("The bakery closes at 18:30, on Saturdays at 14:00.", "On Saturdays the bakery closes at 14:00."),
    ("The permit costs 120 a year.", "The permit costs 10 a month."),
    ("It takes half an hour by bus.", "It takes ten minutes by car."),
    ("The museum shop is open on Mondays.", "The museum is closed on Mondays."),
    ("Can't wait to see the play!", "See the play!"),
    ("Mads is allergic to cats.", "Mads suffers from an allergy to cats."),
    ("Almost everything in the shop is vegan.", "The shop sells cheese."),
    ("The heating is paid for by the owner, not by the tenant.", "The owner pays for the heating."),
    ("The bench stands under the lime.", "The bench stands by the pond."),
    ("The key is in the kitchen.", "The key is in a drawer."),
    ("The bus runs on Sundays.", "The bus runs on diesel."),
    ("The road leads to the mill.", "The road leads to trouble."),
    ("Mara lives with her aunt.", "Mara lives with a chronic illness."),
    ("The report was written in May.", "The report was written in English."),
    ("Only the front door has a bell.", "The back door has a lock."),
    ("Only Ines sings.", "Only Otto dances."),
    ("Only Marta has a key to the loft.", "Marta has a key to the loft."),
    ("Both brothers play chess.", "Only one of the brothers plays tennis."),
    ("Some windows have no glass.", "The windows have wooden frames."),
    ("A pane was broken.", "A pane was not broken."),
    ("Don't open the hatch.", "The hatch is open."),
    ("Last year the harvest was good.", "This year the harvest was bad."),
    ("Members under 18 may not vote.", "Members over 18 may vote."),
    ("Ines says that Otto is lazy.", "Otto says that he is not lazy."),
    ("The concert was cancelled in May.", "The concert is in June."),
    ("They moved from Rome to Bari.", "They live in Bari."),
    ("The last bus on Saturdays is at 23:40.", "The last bus on Fridays is at 0:30."),
    ("Synthesis is the hard problem, not storage.", "Synthesis is the hard problem."),
    ("The log server runs PostgreSQL 16, as agreed.", "The log server, it says here, runs PostgreSQL 16.1."),
    ("It is not true that the shop has closed.", "The shop is open."),
    ("Ring me on 0555 120 331.", "Ring Karl on 0555 880 219."),
    ("The logs are sent to the collector.", "The logs are sent to the archive as well."),
    ("Sharing these quiet choir evenings is why singing is great.", "Walking and choir evenings are so quiet."),
    ("Jon always gives lessons.", "Jon took a lesson."),
    ("We went to a Marlow exhibition in Ghent, and it was crowded.", "Marlow is my favourite painter."),
    ("Not surprised at all that your work paid off.", "Your work really paid off."),
]


@pytest.mark.parametrize(("one", "other", "rule"), FOUND)
def test_on_one_day_only_one_is_right(one: str, other: str, rule: str) -> None:
    assert _rules_of(one, other, days_apart=False) == [rule, rule]


@pytest.mark.parametrize(("one", "other", "rule"), CHANGED)
def test_what_has_changed_since_is_found(one: str, other: str, rule: str) -> None:
    assert _rules_of(one, other, days_apart=True) == [rule, rule]


@pytest.mark.parametrize(("one", "other"), BOTH_RIGHT)
def test_both_may_be_right(one: str, other: str) -> None:
    assert _rules_of(one, other, days_apart=False) == ["", ""]
    assert _rules_of(one, other, days_apart=True) == ["", ""]


@pytest.mark.parametrize(("one", "other", "rule"), [*FOUND, *CHANGED])
def test_gists_do_not_rule_it_out(one: str, other: str, rule: str) -> None:
    assert rule
    assert any(may_conflict(gist(this), gist(that)) for this in statements(one) for that in statements(other))


def _rules_of(one: str, other: str, *, days_apart: bool) -> list[str]:
    """Return the rules by which two texts are in conflict, compared in both orders; an empty one for none."""
    pairs = [(statements(one), statements(other)), (statements(other), statements(one))]
    found = [compare_statements(*pair, days_apart=days_apart) for pair in pairs]
    return [each.rule if each.verdict in CONFLICTS else "" for each in found]
