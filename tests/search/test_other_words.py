"""Other words for what is asked: what they find, how they are told apart, and what they must not change."""

from __future__ import annotations

import pytest

from memstore.beliefs.recall import recall
from memstore.core.errors import UsageError
from memstore.memories.search import search
from memstore.search.query import FEWEST_ALSO, LONGEST_ALSO, MOST_ALSO, of_prompt, parse
from memstore.search.reranker import Wish
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

FILES = {
    "lump.md": memory_text("The vet felt a lump under Bella's ear.\n", id="m_0000000001"),
    "food.md": memory_text("Bella eats twice a day.\n", id="m_0000000002"),
    "hers.md": memory_text("A lump of sugar.\n", id="m_0000000003", owner="human:claire", access="private"),
    "past.md": memory_text("No lump was found.\n", id="m_0000000004", status="archived"),
    "tagged.md": memory_text("The swelling is benign.\n", id="m_0000000005", tags="[dog]"),
}  # fmt: skip


def found(question: str, *also: str) -> list[tuple[str, bool]]:
    hits = search(memory_workspace(FILES).view(), question, also=also).hits
    return [(hit.path.removesuffix(".md"), hit.by_also) for hit in hits]


def test_a_memory_is_found_by_other_words_and_marked_if_by_them_alone() -> None:
    assert found("a growth") == []
    assert found("a growth", "lump", "benign") == [("tagged", True), ("lump", True)]
    assert dict(found("is the growth on Bella dangerous", "lump", "benign")) == {
        "lump": False,
        "tagged": True,
        "food": False,
    }


def test_other_words_count_more_than_those_of_the_question() -> None:
    assert [path for path, _ in found("who eats", "lump", "wart")] == ["lump", "food"]
    assert [path for path, _ in found("who eats lump", "eats", "wart")] == ["food", "lump"]


def test_filters_and_what_must_and_must_not_be_there_hold_for_other_words() -> None:
    assert found("growth tag:dog", "lump", "benign") == [("tagged", True)]
    assert found("tag:dog", "lump", "benign") == [("tagged", True)]
    assert found("growth -vet", "lump", "benign") == [("tagged", True)]
    assert found("+growth", "lump", "benign") == []
    assert found("growth -lump", "lump", "benign") == [("tagged", True)]


def test_signs_mean_nothing_in_other_words_and_stop_words_find_nothing() -> None:
    assert found("growth", "-lump", 'tag:"dog" of the', "+the") == [("tagged", True), ("lump", True)]
    assert found("is it", "lump", "of the") == [("lump", True)]


@pytest.mark.parametrize(
    ("also", "told"),
    [
        (["lump"], "`also` has 1 entry"),
        (["lump"] * (MOST_ALSO + 1), f"`also` has {MOST_ALSO + 1} entries"),
        (["lump", " "], "entry 2 of `also` is ` `, which has no word"),
        (["l" * (LONGEST_ALSO + 1), "lump"], f"entry 1 of `also` has {LONGEST_ALSO + 1} characters"),
    ],
)
def test_other_words_out_of_bounds_are_an_error_that_says_them(also: list[str], told: str) -> None:
    for ask in (parse, of_prompt):
        with pytest.raises(UsageError) as error:
            ask("a growth", also=also)
        assert str(error.value) == told
        assert any(str(bound) in (error.value.hint or "") for bound in (FEWEST_ALSO, LONGEST_ALSO))


def test_the_bounds_themselves_are_taken() -> None:
    assert len(parse("growth", also=["lump"] * FEWEST_ALSO).clauses) == len(["growth", "lump"])
    assert parse("growth", also=["l" * LONGEST_ALSO] * MOST_ALSO).also == ("l" * LONGEST_ALSO,) * MOST_ALSO


def test_the_parts_of_a_score_say_which_came_by_other_words_and_add_up() -> None:
    (hit,) = search(memory_workspace(FILES).view(), "the vet's growth", Wish(explain=True), also=["lump", "wart"]).hits
    assert hit.explanation is not None
    assert {part.term: part.by_also for part in hit.explanation.parts if part.term} == {"vet": False, "lump": True}
    assert sum(part.points for part in hit.explanation.parts) == pytest.approx(hit.relevance)


def test_recall_takes_other_words() -> None:
    view = memory_workspace(FILES).view()
    assert recall(view, "a growth").memories == ()
    recalled = recall(view, "a growth", also=["lump", "benign"])
    assert [(bite.ref, bite.by_also) for bite in recalled.memories] == [
        ("note:m_0000000005", True),
        ("note:m_0000000001", True),
    ]
    assert recalled.also == ("lump", "benign")
