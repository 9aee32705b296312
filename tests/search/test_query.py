from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.errors import UsageError
from memstore.search.clauses import Clause, Filters, Need, Operator, Phrase, Prefix, Where, Word
from memstore.search.query import parse, plain_text


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
        ("+bella -park -re-use", ["+bella", "-park", '-"reuse re use"']),
        ('+"a walk" -"bad idea"', ['+"a walk"', '-"bad idea"']),
        ("authentic* +confid*", ["authentic*", "+confid*"]),
        ('"authentic*" +"confid*"', ["authent", "+confid"]),
        (
            "3:30 v1.2 http://example.org/x note: milk",
            ["3:30", "v1.2", "1.2", "http", "exampl", "org", "x", "note", "milk"],
        ),
        (r"\"x \-y \+z title\:w", ["x", "y", "z", "titl", "w"]),
        ("rock'n'roll o'brien 6'2", ["rock'n'roll", "o'brien", "6'2"]),
        ("C* ** -- * - + vet", ["c", "vet"]),
        ("東京", ["東", "京"]),
        ("on 2026-05-08?", ['"2026 05 08"']),
        ("+2026-05-08 2026-13-01", ['+"2026 05 08"', "2026", "13", "01"]),
        ("parse_level", ["parse_level", "pars", "level"]),
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
    assert plain_text(text) == expected


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
        ("status:done x", "`done` is not a valid status", "choose one of"),
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


@pytest.mark.parametrize(
    ("text", "expected", "note"),
    [
        ('"heart murmur', ["heart", "murmur"], "a quote is not closed"),
        ('bella "', ["bella"], "a quote is not closed"),
        ('"a b" 6" pipe', ['"a b"', "6", "pipe"], "a quote is not closed"),
        ("since:3d tea", ["sinc", "3d", "tea"], "--since 3d is an option"),
        ("tagg:dog", ["tagg", "dog"], "did you mean `tag:`?"),
        ("human:sean", ["human", "sean"], "`human:` is not a field"),
        ("todo:buy milk", ["todo", "bui", "milk"], "`todo:buy` is read as words"),
        ("note:milk", ["note", "milk"], "`note:` is not a field"),
        ('+todo:x -who:"the vet" tea', ['+"todo x"', '-"who the vet"', "tea"], "`todo:x`"),
    ],
)
def test_a_query_that_is_words_is_never_refused(text: str, expected: list[str], note: str) -> None:
    query = parse(text)
    assert [shown(clause) for clause in query.clauses] == expected
    assert note in query.notes[0]
    assert query.filters == Filters()


# What people type who know no language of queries: words, with any signs.
PROSE = st.lists(
    st.tuples(
        st.sampled_from(["", '"', "'", "(", "note: ", "todo:", "re:"]),
        st.sampled_from(
            ["bella", "vet's", "heart?", "6'2", "3:30", "http://x.org", "2026-05-08", "parse_level", "a.b"]
        ),
        st.sampled_from(["", '"', "?", ")", ":", "..."]),
    ),
    min_size=1,
)


@given(PROSE)
def test_words_with_any_signs_are_a_query(parts: list[tuple[str, str, str]]) -> None:
    query = parse(" ".join(map("".join, parts)))
    assert query.clauses
    assert query.filters == Filters()


def test_a_day_is_looked_for_as_memories_have_it() -> None:
    (clause,) = parse("2026-05-08").clauses
    assert clause.asked == Phrase(("2026", "05", "08"), (("8", "may", "2026"), ("may", "8", "2026")))


def test_what_must_be_there_is_whole_and_what_must_not_is_any_form() -> None:
    must, must_not = parse("+Müller -dogs").clauses
    assert must.asked == Word("muller", ("mueller",), "muller", ("mueller", "muller"), ("mueller",))
    assert must_not.asked == Word("dog", (), "dogs")


def test_umlauts_may_be_spelt_out() -> None:
    mueller, muller = parse("Mueller").clauses[0].asked, parse("Müller").clauses[0].asked
    assert mueller == Word("mueller", ("muller",), "mueller", spelt=("muller",))
    assert muller == Word("muller", ("mueller",), "muller", spelt=("mueller",))


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
