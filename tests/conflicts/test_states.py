"""A state of somebody or something, and what can't be so at the same time, in whatever words."""

from __future__ import annotations

import pytest

from memstore.conflicts.contradiction import CONFLICTS, compare
from memstore.conflicts.gisting import gist
from memstore.conflicts.gists import may_conflict
from memstore.conflicts.statements import statements

EXCLUDED = (
    ("Uncle Piet has been stone-deaf since the explosion", "Uncle Piet fell asleep over his podcast again"),
    ("Marit's leg is in plaster until Easter", "Marit skated across the pond with the twins today"),
    ("Grandma Ilse never learned how to ride a bike", "Grandma Ilse cycles to the baker's every Saturday"),
    ("Cousin Lotte has a peanut allergy", "Cousin Lotte always puts satay sauce on her rice"),
    ("Mr Novak doesn't touch coffee any more", "Mr Novak starts every morning with a double espresso"),
    ("Vera gave up smoking five years ago", "Vera lights a cigarette after each meal"),
    ("Tessa is terrified of heights", "Tessa climbed up the mast this afternoon"),
    ("The Brandts have no children of their own", "The Brandts' daughter is getting married in June"),
    ("Great-uncle Karel never married", "Great-uncle Karel spent this week with his wife in Gdansk"),
    ("Mr Tran retired in 2020", "Mr Tran complains about his boss every evening"),
    ("The Okafors owe nobody anything", "The Okafors pay off their mortgage month by month"),
    ("Ana speaks no German", "Ana chats in fluent German with the caretaker"),
    ("Ruben lives on his own", "Ruben's girlfriend cooks for Ruben and herself each evening"),
    ("The hut on the Alm has no mains electricity", "At the hut on the Alm we put the milk in the fridge"),
    ("The island of Oye can only be reached by boat", "Buses cross to the island of Oye every hour"),
    ("Room 12 doesn't have a single window", "From room 12 there is a wonderful view of the bay"),
    ("The old mill has stood empty for years", "A family of refugees lives in the old mill"),
    ("The kestrel's wing is broken, the kestrel can't fly", "The kestrel soared over the barn today"),
    ("The rowing boat Elsa has no engine", "We refuelled the Elsa at the jetty"),
    ("Our goat Berta has gone dry", "Berta gives two litres of milk a day"),
    ("Berta was born blind", "Berta reads the newspaper at breakfast"),
    ("Xenia is a nun", "Xenia's husband drives a bus"),
    ("The Krone serves no alcohol", "At the Krone we drank a pint of stout"),
    ("The barn has no electricity", "A kettle and a heater are plugged in all day in the barn"),
    ("Wilma can't read or write", "Wilma writes a column for the parish newsletter"),
    ("The caravan has no windows and no heating", "Through the curtain of the caravan you see the sea"),
    ("Pelle has been in prison since 2019", "In 2021 Pelle went to a concert in Malmö"),
    ("Ottilie is an only child", "As a girl Ottilie quarrelled with her brother every day"),
    ("Henrike speaks no Danish", "Henrike speaks Danish with her customers"),
    ("Uncle Jost is stone deaf", "Uncle Jost heard the cuckoo from the next room"),
    ("The pond dried up two summers ago", "This morning the children were swimming in the pond"),
    ("Petra can't stand heights", "Petra works as a steeplejack and climbs masts"),
    ("Lutz is teetotal", "Lutz drank four pints at the fair, as he does every year"),
    ("The mill is no longer in business", "The mill delivers flour on Thursdays"),
    ("The Lamb is self-service", "The waiter at the Lamb brought us the bill"),
    ("Franz was cremated in May", "Franz plays cards with us tonight"),
)
BOTH_ARE_RIGHT = (
    ("Bram is lactose intolerant", "Bram's sister drinks a large milkshake after each match"),
    ("Anton can't boil an egg", "Anton would like to learn how to bake a cake"),
    ("Pia is deaf in her left ear", "Pia heard the neighbours arguing today"),
    ("Uncle Piet is deaf to all our requests", "Uncle Piet listens to a podcast after lunch"),
    ("Hilde never learned to drive a lorry", "Hilde drives to work"),
    ("Grandma Ilse never learned to ride a bike", "Grandma Ilse's children cycle to school"),
    ("Mr Novak doesn't drink coffee after four", "Mr Novak starts every morning with a double espresso"),
    ("Karl doesn't smoke", "Karl has given up cigarettes"),
    ("The Brandts have no children", "The Brandts' neighbours have a daughter"),
    ("Mr Tran retired in 2020", "In 2015 Mr Tran got a promotion"),
    ("Old Pavel never left the village", "Old Pavel dreams of a winter abroad"),
    ("Dora manages without a car", "Dora used to drive a Volvo"),
    ("Our holiday flat has no stairs", "The flat above our holiday flat has a spiral staircase"),
    ("The hut has no electricity", "The fridge of the farm below the hut hums all night"),
    ("The plateau has no trees", "An oak forest once covered the plateau"),
    ("The farmhouse has no garden", "The cook from the farmhouse mows our lawn"),
    ("The flat has no balcony on the street side", "On the balcony of the flat we grow tomatoes"),
    ("The north field lies fallow", "The south field is sown with barley"),
    ("Ole has stolen a bike", "Ole works at the harbour"),
    ("The archive is append-only", "Drafts are deleted before they reach the archive"),
    ("The house is empty today", "A family of five lives in the house"),
    ("Berta was blind for a year", "Berta reads the newspaper at breakfast"),
    ("The app works offline", "The app syncs with the server when online"),
    ("There is no lift in our block of flats", "The lift in the neighbour's block of flats got stuck"),
    ("There is no dog in the street that doesn't bark", "Every dog in the street barks"),
    ("Lutz is teetotal", "Lutz drank four pints at the fair in 2009"),
    ("The cottage has no running water", "There is a shower block behind the neighbour's cottage"),
    ("Next week Hanne is abroad", "Hanne is at a party tonight"),
    ("Rolf is vegetarian", "Rolf serves his guests steak"),
    ("Ottilie is an only child", "Ottilie's husband has two brothers"),
    ("No pets in the flat", "The flat above has a cat"),
)


@pytest.mark.parametrize(("one", "other"), EXCLUDED)
def test_it_is_found_either_way_round(one: str, other: str) -> None:
    assert compare(one, other).verdict in CONFLICTS
    assert compare(other, one).verdict in CONFLICTS


@pytest.mark.parametrize(("one", "other"), EXCLUDED)
def test_a_gist_does_not_rule_it_out(one: str, other: str) -> None:
    assert any(may_conflict(gist(this), gist(that)) for this in statements(one) for that in statements(other))


@pytest.mark.parametrize(("one", "other"), BOTH_ARE_RIGHT)
def test_what_may_both_be_so_is_not(one: str, other: str) -> None:
    assert compare(one, other).verdict not in CONFLICTS
    assert compare(other, one).verdict not in CONFLICTS
