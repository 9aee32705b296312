from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.errors import UsageError
from memstore.search.query import parse, said
from memstore.search.retrieval import Clause, Filters, Need, Operator, Phrase, Prefix, Where, Word


def shown(clause: Clause) -> str:
    sign = {Need.MAY: "", Need.MUST: "+", Need.MUST_NOT: "-"}[clause.need]
    match clause.asked:
        case Word(term=term):
            return sign + term
        case Prefix(start):
            return f"{sign}{start}*"
        case Phrase(run):
            return f'{sign}"{" ".join(run)}"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did the vet say about Bella's heart?", ["vet", "bella", "heart"]),
        ("dogs dog DOG", ["dog"]),
        ("what is the", ["what", "is", "the"]),
        ("is it -bad", ["-bad", "is", "it"]),
        ('"heart murmur" bella', ['"heart murmur"', "bella"]),
        ('"the who"', ['"the who"']),
        ('"bella"', ["bella"]),
        ("+bella -park -re-use", ["+bella", "-park", '-"re us"']),
        ('+"a walk" -"bad idea"', ['+"a walk"', '-"bad idea"']),
        ("authentic* +confid*", ["authentic*", "+confid*"]),
        ('"authentic*" +"confid*"', ["authent", "+confid"]),
        ("3:30 v1.2 http://example.org/x note: milk", ["3:30", "v1.2", "http", "exampl", "org", "x", "note", "milk"]),
        (r"\"x \-y \+z title\:w", ["x", "y", "z", "titl", "w"]),
        ("rock'n'roll o'brien 6'2", ["rock'n'roll", "o'brien", "6'2"]),
        ("C* ** -- * - + vet", ["c", "vet"]),
        ("東京", ["東", "京"]),
    ],
)
def test_a_query_taken_apart(text: str, expected: list[str]) -> None:
    assert [shown(clause) for clause in parse(text).clauses] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did the vet say?", "What did the vet say?"),
        ('+vet -park tag:dog "heart murmur" -"bad idea"', "vet heart murmur"),
        ("-park", ""),
    ],
)
def test_what_a_query_says_as_a_text_is_what_it_looks_for(text: str, expected: str) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tag:dog tag:cat", Filters(tag=("dog", "cat"))),
        ("type:note status:archived", Filters(type=("note",), status=("archived",))),
        ("source-type:seed", Filters(source_type=("seed",))),
        ('title:"The Vets" x', Filters(title=(("the", "vet"),))),
        ("author:si:ash", Filters(author=("si:ash",))),
        ("belief:m_7f3k9q2x1c", Filters(type=("belief",), id=("m_7f3k9q2x1c",))),
        ("-tag:dog x", Filters(where=(Where("tags", Operator.UNEQUAL, "dog"),))),
        ("-title:dog x", Filters(where=(Where("title", Operator.LACKS, "dog"),))),
        ("importance:high", Filters(where=(Where("importance", Operator.EQUAL, "high"),))),
    ],
)
def test_fields_are_filters(text: str, expected: Filters) -> None:
    assert parse(text).filters == expected


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('"heart murmur', "a quote is not closed", '\\"'),
        ('bella "', "a quote is not closed", "close the phrase"),
        ("since:3d tea", "`since:` is no field", "it is an option: --since 3d;"),
        ("tagg:dog", "`tagg:` is no field", "did you mean `tag:`?"),
        ("human:sean", "`human:` is no field", 'quote it: "human:sean"'),
        ("type:nte", "`nte` is no type", "did you mean note?"),
        ("status:done x", "`done` is no status", "choose one of"),
        ("", "asks for nothing", "at least one word"),
        ("?!", "asks for nothing", "at least one word"),
        ("-bella", "asks for nothing", "at least one word"),
    ],
)
def test_a_query_that_means_nothing_is_refused(text: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        parse(text)
    assert message in str(error.value)
    assert hint in (error.value.hint or "")


def test_umlauts_may_be_spelt_out() -> None:
    mueller, muller = parse("Mueller").clauses[0].asked, parse("Müller").clauses[0].asked
    assert mueller == Word("mueller", ("muller",), "mueller")
    assert muller == Word("muller", ("mueller",), "muller")


@given(st.text(st.sampled_from("ab \"+-:*\\?' é日"), max_size=20))
def test_any_text_is_a_query_or_refused(text: str) -> None:
    try:
        query = parse(text)
    except UsageError:
        return
    assert query.clauses or query.filters != Filters()


@given(
    st.lists(st.sampled_from(["bella", "vet's", "heart?", "3:30", "re-use", "o'clock", "(soft)", "50%"]), min_size=1)
)
def test_a_natural_question_is_a_query(words: list[str]) -> None:
    assert parse(" ".join(words)).clauses
