"""What is so on every occasion, or of all of a kind, and an occasion on which, or one of which, it is not so."""

from __future__ import annotations

import pytest

from memstore.conflicts.contradiction import CONFLICTS, compare_statements
from memstore.conflicts.gisting import gist
from memstore.conflicts.gists import may_conflict
from memstore.conflicts.statements import statements

# Even if they were written on different days.
FOUND: list[tuple[str, str, str]] = [
    ("All our vans are diesel.", "The newest of our vans is electric.", "states"),
    ("Every member of the choir reads music.", "Sally from the choir cannot read music.", "negation"),
    ("All of the chairs in the hall are wooden.", "The chairs in the hall are plastic.", "names"),
    ("Every key on the ring is labelled.", "One key on the ring has no label.", "negation"),
    ("Each cabin has its own stove.", "Cabin 4 has no stove.", "negation"),
    ("Only two people know the code.", "Four people know the code.", "numbers"),
    ("All calls are recorded.", "Calls to the night desk are not recorded.", "negation"),
    ("Each table has four chairs.", "The round table has six chairs.", "numbers"),
    ("Every apartment has a balcony.", "Apartment 3 has no balcony.", "negation"),
]

# One case weakens a habit, and contradicts none.
ONCE: list[tuple[str, str]] = [
    ("The side gate is always locked.", "The side gate stood open on Sunday evening."),
    ("Deliveries always come to the back door.", "Tuesday's delivery came to the front door."),
    ("The meeting is always chaired by Ruth.", "Omar chaired the meeting in March."),
    ("Standup is always at 9:15.", "Wednesday's standup began at 10."),
    ("Milo always sleeps in the kitchen.", "Milo slept on the landing last night."),
    ("The soup at Lena's is always vegetarian.", "Lena's soup on Thursday had bacon in it."),
    ("The cat never goes upstairs.", "The cat was asleep upstairs."),
    ("Tea is always served at four.", "Tea was served at half past five on Monday."),
    ("Releases are always cut from main.", "Release 4.1 was cut from a feature branch."),
    ("The heating always comes on at six.", "The heating came on at eight this morning."),
    ("Ola always does the school run.", "Hanne did the school run on Thursday."),
    ("The bins are always emptied on Mondays.", "The bins were emptied on Wednesday this week."),
    ("Our invoices are always paid within two weeks.", "The invoice of 3 May was paid after six weeks."),
    ("The night shift always has three people.", "On Saturday the night shift had two people."),
    ("We always hold the retrospective on Fridays.", "The last retrospective was held on a Tuesday."),
    ("The dog is always fed at six.", "On Sunday the dog was fed at nine."),
    ("The library is always quiet.", "The library was noisy on Thursday."),
    ("The water in the bay is always cold.", "The water in the bay was warm in August."),
    ("The alarm is always switched on at night.", "The alarm was switched off last night."),
    ("The guide dog is always on a harness.", "The guide dog was walking without a harness."),
    ("The museum is always closed on Mondays.", "The museum was open last Monday."),
]

SILENT: list[tuple[str, str]] = [
    ("The bus always stops at the mill.", "The bus stopped at the school for an hour."),
    ("Joan always takes the bus to work.", "Joan took the bus to work on Friday."),
    ("The side gate is always locked.", "The front gate stood open on Sunday evening."),
    ("Deliveries always come to the back door.", "A letter came to the front door."),
    ("Peter always pays cash.", "Paula paid for the tyres by card."),
    ("The meeting is always chaired by Ruth.", "Omar took the minutes of the meeting in March."),
    ("We always print on recycled paper.", "The banner was printed on cloth."),
    ("Standup is always at 9:15.", "The review began at 10 on Wednesday."),
    ("Milo always sleeps in the kitchen.", "Milo slept until nine last night."),
    ("All our vans are diesel.", "Petra's own car is electric."),
    ("All the rooms on the second floor have a bath.", "Room 114 on the first floor has only a shower."),
    ("Every ticket is answered within a day.", "The letter from Harlow waited four days for an answer."),
    ("Only Dana has a key to the archive.", "Tom has a key to the workshop."),
    ("Only the head nurse opens the cabinet.", "The trainee cleaned the cabinet yesterday."),
    ("Only cash is accepted at the kiosk.", "You can pay by card at the main desk."),
    ("Our backups always run at night.", "Monday's backup took an hour."),
    ("Invoices are always sent as PDF.", "The June offer went out as a Word file."),
    ("Grandpa always wears a tie to church.", "Grandpa came to dinner without a tie."),
    ("Every key on the ring is labelled.", "The key in the drawer has no label."),
    ("Each cabin has its own stove.", "Cabin 4 has a stove and a bath."),
    ("The whole fence is painted white.", "The gate is painted green."),
    ("The printer only prints in black and white.", "The printer in the library prints in colour."),
    ("The shop only opens on weekdays.", "The shop opens at eight."),
    ("Ben only eats fish on Fridays.", "Ben had pasta on Tuesday."),
    ("Tea is always served at four.", "Dinner was served at half past five on Monday."),
    ("The key is always under the mat.", "The umbrella hangs in the shed."),
    ("Everyone on the team speaks Spanish.", "Kurt from the team also speaks German."),
    ("Every release is signed by Nadia.", "Release 3.2 was announced by Paul."),
    ("Releases are always cut from main.", "The blog was built from a feature branch."),
    ("The heating always comes on at six.", "The heating went off at eight this morning."),
    ("Ola always does the school run.", "Hanne did the shopping on Thursday."),
    ("The bins are always emptied on Mondays.", "The mailbox was emptied on Wednesday this week."),
    ("Rex always walks on a lead.", "Bo ran off the lead in the park."),
    ("All the eggs come from our own hens.", "The milk comes from the supermarket."),
    ("All calls are recorded.", "Calls are charged by the minute."),
    ("Milo always sleeps in the kitchen.", "Milo ate in the garden on Sunday."),
    ("Anna always brings cake to the meeting.", "Anna brought a lemon cake and a thermos to the meeting in May."),
    ("Every apprentice gets a toolbox.", "Ines, an apprentice, got a red toolbox."),
    ("All the windows face south.", "The front door faces north."),
    ("Only members vote at the annual meeting.", "Guests ate lunch at the annual meeting."),
    ("The choir always rehearses on Thursdays.", "The choir sang in Leeds on Sunday."),
    ("Sven always orders the soup.", "Sven ordered the soup and a beer."),
    ("We always leave at seven.", "We arrived at nine."),
    ("The pool is always heated.", "The pool is cleaned in spring."),
    ("Every box has a lid.", "The blue box has a lid and a handle."),
    ("Everyone in the band reads sheet music.", "The drummer of the band bought new sheet music."),
    ("Our invoices are always paid within two weeks.", "The invoice of 3 May was paid after six days."),
    ("Wim only drinks decaf.", "Wilma drank a double espresso after lunch."),
    ("The clinic only takes patients by appointment.", "The clinic took on two nurses on Friday."),
    ("Every shelf in the pantry is full.", "The top shelf in the study is empty."),
    ("Each table has four chairs.", "The round table has four blue chairs."),
    ("We always hold the retrospective on Fridays.", "The planning was held on a Tuesday."),
    ("The dog is always fed at six.", "On Sunday the cat was fed at nine."),
    ("The dog is always fed at six.", "The dog was walked at nine."),
    ("Nora always wins the chess evening.", "Leo won the raffle in April."),
    ("The library is always quiet.", "The street was noisy on Thursday."),
    ("All staff wear a badge.", "Visitors wear no badge."),
    ("Every contract is kept for ten years.", "The old chairs were kept for two years."),
    ("The whole house is heated with wood.", "The church is heated with gas."),
    ("The alarm is always switched on at night.", "The radio was switched off last night."),
    ("Amir always drives the van.", "Joris drove the tractor to Ghent."),
    ("Only Petra may sign cheques.", "Mark signed a petition last week."),
    ("Only the director signs contracts.", "The secretary signed the guest book."),
    ("All the doors are painted blue.", "The garden wall is painted grey."),
    ("The museum is always closed on Mondays.", "The museum was open last Tuesday."),
    ("The soup is always made by Fran.", "The salad was made by Will on Sunday."),
    ("We always walk to the lake.", "We walked around the lake and along the river."),
    ("Tim always sits by the window.", "Tim sat by the window with Ann."),
    ("The team always meets in room 4.", "The team met a client in Ghent."),
    ("All our hens lay brown eggs.", "One hen hid four eggs under the hedge."),
    ("Every child in the class has a laptop.", "Every child in the class got a book in June."),
    ("The parcels are always left with the neighbour.", "The parcel from Delft was left with the neighbour at noon."),
    ("Sara always calls on Sundays.", "Sara called from the airport."),
    ("The whole choir wears black.", "The conductor wears a red scarf."),
    ("We only use the car for long trips.", "We used the car for a trip to Spain."),
    ("All our bikes are kept in the cellar.", "The helmets are kept in the hall."),
    ("The backup always runs at two.", "The backup ran for an hour."),
    ("Hans always has lunch at noon.", "Hans had soup for lunch."),
]


@pytest.mark.parametrize(("one", "other", "rule"), FOUND)
def test_it_is_found_on_whatever_day(one: str, other: str, rule: str) -> None:
    for these, those in ((one, other), (other, one)):
        for days_apart in (False, True):
            found = compare_statements(statements(these), statements(those), days_apart=days_apart)
            assert found.verdict in CONFLICTS
            assert found.rule == rule or {found.rule, rule} == {"numbers", "times of day"}
    assert may_conflict(gist(statements(one)[0]), gist(statements(other)[0]))


@pytest.mark.parametrize(("one", "other"), [*SILENT, *ONCE])
def test_both_may_be_so(one: str, other: str) -> None:
    for these, those in ((one, other), (other, one)):
        for days_apart in (False, True):
            found = compare_statements(statements(these), statements(those), days_apart=days_apart)
            assert found.verdict not in CONFLICTS
