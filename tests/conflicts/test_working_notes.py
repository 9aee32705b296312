"""Manuals, templates, changelogs and outlines are full of sentences that are alike and contradict nothing."""

from __future__ import annotations

import pytest

from memstore.conflicts.contradiction import CONFLICTS, compare
from memstore.conflicts.statements import statements

SILENT = [
    # What a page says of itself.
    ("This recipe has no options.", "This recipe accepts the following options."),
    ("By default, this shelf is empty.", "See the full shelf of jars in the hall."),
    ("In the example above, the oven is on.", "The oven is off."),
    # Headings, rows, properties, templates, tags.
    ("## Pros and cons of the stoves", "The stove was given up."),
    ("| Kettle | open |", "The kettle is closed."),
    ("open:: true", "The kettle is not open:: true"),
    ("{first reason, e.g. 1 pan}", "{second reason, e.g. 2 pans}"),
    ("![pan 1](pan_2041.png)", "![pan 1](pan_2042.png)"),
    ("<td>The lid is open</td>", "The lid is closed."),
    ("#+BEGIN_TIP", "#+END_TIP"),
    ("The lid is open:", "The lid is closed:"),
    # Each setting has a default of its own.
    ("Defaults to `true`.", "Default is false."),
    ("The default value is 50.", "The default value is 30."),
    # Nobody knows what a pronoun stands for whose noun is elsewhere.
    ("For now, it only supports gas and wood.", "The stove supports coal, too."),
    ("It can't take any letters because it is full.", "The blue box in the hall can take all letters."),
    # A part of a list or of a manual is no statement about the rest.
    ("You only need to oil it once, not every time you cook.", "You need to oil the new pan before you cook."),
    ("Heating the pans only as they are needed speeds up the kitchen.", "The timer speeds up the kitchen."),
    ("The only change is to the lid of the kettle.", "The kettle is a pot with a lid and a spout."),
    ("List only clean pans.", "The shelf shows a list of pans."),
    ("As we won't be using Harbour Gas, we'll need a cylinder.", "Cookers run on Harbour Gas, wood or coal."),
    # News.
    ("We are happy to announce a new version of the stove, 1.26.", "We are happy to announce a new version, 1.30."),
    # Both say it.
    ("✅ **No outside help**: all work in the kitchen", "✅ **No outside help**: all work in one kitchen"),
    # What is given to somebody, dropped into something or left as it is has not come to an end.
    ("The lids are in the drawer.", "Lids are given as a second present to the guests in the drawer."),
    ("The stove has a grate.", "When you clean a stove, its ash needs to be replaced by sand."),
    ("The label of the jar is a slip of paper.", "Any slip in the label of the jar is left untouched."),
    ("Turning the key drops you into the cellar.", "When you turn the key, you'll be dropped into the cellar."),
    # Rules for English say nothing of other languages.
    ("更新 kettle/lid.txt", "运行 kettle/pan.txt"),
]


@pytest.mark.parametrize(("one", "other"), SILENT, ids=[one for one, _ in SILENT])
def test_nothing_is_reported(one: str, other: str) -> None:
    assert compare(one, other).verdict not in CONFLICTS
    assert compare(other, one).verdict not in CONFLICTS


FOUND = [
    ("This season Ane leads the choir.", "This season Ismael leads the choir."),
    ("These pans are not dishwasher-safe.", "These pans are dishwasher-safe."),
    ("| Locker fee | 4 |", "| Locker fee | 5 |"),
    ("# Lockers\nFrom Monday a locker costs 4 euros.", "A locker costs 5 euros."),
    ("The mill was built in 1790.", "The mill was built in 1792."),
    ("The mill no longer grinds rye.", "The mill grinds rye."),
]


@pytest.mark.parametrize(("one", "other"), FOUND, ids=[one for one, _ in FOUND])
def test_what_is_said_is_still_found(one: str, other: str) -> None:
    assert compare(one, other).verdict in CONFLICTS
    assert compare(other, one).verdict in CONFLICTS


def test_markup_is_no_statement() -> None:
    text = """\
        # The stove

        The stove is hot. Its parts are:
        - a grate
          kind:: iron
        | part | place |
        [grate]: https://example.org/grate
        ✅ It heats ✅ It lasts
        """
    said = [" ".join(one.text.split()) for one in statements("\n".join(map(str.strip, text.splitlines())))]

    assert said == ["The stove is hot.", "- a grate", "✅ It heats", "✅ It lasts"]


@pytest.mark.parametrize("job", ['""', "`` ``", "''"])
def test_a_job_without_a_word_is_none(job: str) -> None:
    assert compare(f"Ida works as {job}", "Ida is a baker").verdict not in CONFLICTS
