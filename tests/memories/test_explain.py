from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.core.errors import NotFoundError
from memstore.memories.search import Wish, search
from memstore.search import EMBEDDER, VECTORS
from memstore.search.clauses import Filters
from memstore.search.retrieval import Sort, Unit
from tests.embedders import HashedTrigrams
from tests.memories.test_search import FILES
from tests.memory_state import KeptVectors
from tests.memory_workspace import OWNER, memory_workspace
from tests.support import examples, memory_text

if TYPE_CHECKING:
    from memstore.search.explanation import ScorePart, WhyNot
    from memstore.search.retrieval import Answer
    from memstore.vault.workspace import Workspace

MORE = {
    "heir.md": memory_text("The heart of it, said better.\n", id="m_heir", supersedes="[note:m_heirless]"),
    "heirless.md": memory_text("The heart of it.\n", id="m_heirless"),
    "over.md": memory_text("Her heart beats for winter.\n", id="m_over", valid_until="2020-01-01"),
    "one.md": memory_text("Rex buried five bones under the old pear tree.\n", id="m_one"),
    "two.md": memory_text("Rex buried five bones under the old pear tree.\n", id="m_two"),
    "draft.md": memory_text("A heart in pencil.\n", id="m_draft", status="draft"),
}


@pytest.fixture(scope="module")
def ws() -> Workspace:
    return memory_workspace(FILES | MORE)


def explained(ws: Workspace, text: str, **wish: object) -> Answer:
    return search(ws.view(), text, Wish(explain=True, **wish))  # type: ignore[arg-type]


def parts(ws: Workspace, text: str, ref: str, **wish: object) -> list[ScorePart]:
    hit = next(hit for hit in explained(ws, text, **wish).hits if hit.ref == ref)
    assert hit.explanation is not None
    return [*hit.explanation.parts, *hit.explanation.chosen]


def why_not(ws: Workspace, text: str, about: str, **wish: object) -> WhyNot:
    found = search(ws.view(), text, Wish(**wish), about=about).why_not  # type: ignore[arg-type]
    assert found is not None
    return found


def codes(ws: Workspace, text: str, about: str, **wish: object) -> list[str]:
    return [reason.code for reason in why_not(ws, text, about, **wish).reasons]


def sums_up(answer: Answer) -> bool:
    """Whether the parts of each score sum up to it, and nothing is cut off but above 1 or the result before."""
    before = 1.0
    for hit in answer.hits:
        assert hit.explanation is not None
        cut = [part for part in hit.explanation.parts if part.kind == "order"]
        assert sum(part.points for part in hit.explanation.parts) == pytest.approx(hit.relevance, abs=1e-4)
        assert all(part.points < 0 and hit.relevance == pytest.approx(before) for part in cut)
        before = hit.relevance
    return True


# -- what a score is made of ---------------------------------------------------------------------


WORDS = st.sampled_from(
    ["heart", "Bella", "murm*", "+bella", '"heart murmur"', "tag:bella", "vet", "tea", "mornign ritual",
     "2026-01-20", "what does Sean say?", "bella heart murmur", "The vet on Bella", "小", "東京"]
)  # fmt: skip
QUERIES = st.builds("{} {}".format, WORDS, st.lists(WORDS | st.just("-park"), max_size=3).map(" ".join))


@given(QUERIES, st.sampled_from(Unit), st.sampled_from(Sort))
@settings(max_examples=examples(60), deadline=None)
def test_the_parts_of_a_score_sum_up_to_it(ws: Workspace, text: str, by: Unit, sort: Sort) -> None:
    plain = search(ws.view(), text, Wish(by=by, sort=sort, limit=30))
    asked = explained(ws, text, by=by, sort=sort, limit=30)
    assert [(hit.ref, hit.citation, hit.more) for hit in asked.hits] == [
        (hit.ref, hit.citation, hit.more) for hit in plain.hits
    ]
    assert sort is not Sort.RELEVANCE or sums_up(asked)
    for hit in asked.hits:
        assert hit.explanation is not None
        assert hit.explanation.quality is not None
        assert hit.explanation.quality.total == pytest.approx(hit.quality, abs=1e-3)


@pytest.mark.parametrize("by", list(Unit))
def test_they_do_so_with_meaning_beside_the_words(by: Unit) -> None:
    ws = memory_workspace(FILES).having(EMBEDDER, HashedTrigrams()).having(VECTORS, KeptVectors())
    answer = explained(ws, "heart murmur of the dog", by=by)
    assert sums_up(answer)
    for hit in answer.hits:
        assert hit.explanation is not None
        assert any(part.kind == "meaning" for part in hit.explanation.parts)


def test_they_do_so_beyond_the_files_that_are_read_at_once() -> None:
    def of(number: int) -> bytes:
        body = "kites, one of many that were seen that day" if number > 20 else "a kite, kite, kite"
        return memory_text(f"Number {number} is {body}.\n", id=f"m_kite{number}")

    answer = explained(memory_workspace({f"{n}.md": of(n) for n in range(40)}), "+kites", limit=5)
    assert len(answer.hits) == 5
    assert sums_up(answer)
    for hit in answer.hits:
        assert hit.explanation is not None
        assert [part.points > 0 for part in hit.explanation.parts if part.kind == "memory"] == [True]


def test_a_term_is_told_with_the_places_where_it_matched(ws: Workspace) -> None:
    found = {(part.kind, part.term): dict(part.places) for part in parts(ws, "vet bella heart", "note:m_heart")}
    assert found["memory", "bella"] == {"text": 1, "title": 1, "tag": 1}
    assert found["memory", "heart"] == {"text": 1, "name": 1}
    assert found["line", "vet"]["title"] == 1
    assert dict(parts(ws, "heart", "note:m_walk")[1].places) == {"line": 1}


@pytest.mark.parametrize(
    ("text", "ref", "kind"),
    [
        ("heart murmur", "note:m_heart", "pair"),
        ("murmur", "note:m_heart", "typed"),
        ("all of The vet on Bella", "note:m_heart", "named"),
        ("bella vet", "note:m_heart", "named"),
        ("mornign ritual", "value:m_tea", "alias"),
        ("when was Bella walked in the park", "note:m_walk", "recent"),
        ("what does Dr Smith say of a murmur", "note:m_heart", "speaker"),
        ("how many bones did Rex bury", "note:m_one", "answer"),
        ("tag:health", "note:m_heart", "filter"),
    ],
)
def test_what_else_adds_to_a_score_is_told(ws: Workspace, text: str, ref: str, kind: str) -> None:
    assert kind in [part.kind for part in parts(ws, text, ref)]


def test_without_explain_nothing_is_explained(ws: Workspace) -> None:
    answer = search(ws.view(), "heart")
    assert [hit.explanation for hit in answer.hits] == [None] * len(answer.hits)
    assert answer.why_not is None


# -- why a memory is not among the results -------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "about", "wish", "reasons"),
    [
        ("heart", "m_heart", {}, []),
        ("dragonfly", "m_heart", {}, ["no_words"]),
        ("heart +tea", "m_heart", {}, ["must"]),
        ("heart -bella", "m_heart", {}, ["must_not"]),
        ('heart +"bella is dog"', "m_heart", {}, ["must"]),
        ("+hearts bella", "m_heart", {}, ["letters"]),
        ("heart", "m_old", {}, ["past"]),
        ("heart", "m_heirless", {}, ["past"]),
        ("heart", "m_over", {}, ["past"]),
        ("dragonfly", "m_over", {}, ["past", "no_words"]),
        ("heart", "m_draft", {}, ["filtered"]),
        ("heart type:belief", "m_heart", {}, ["filtered"]),
        ("heart", "m_heart", {"filters": Filters(type=("belief",), tag=("health",))}, ["filtered"]),
        ("heart", "m_heart", {"filters": Filters(status=("archived",))}, ["filtered"]),
        ("heart", "m_walk", {"filters": Filters(min_confidence=0.6)}, ["filtered"]),
        ("bella", "m_walk", {"limit": 1}, ["limit"]),
        ("bella", "m_walk", {"limit": 1, "by": Unit.PASSAGE}, ["limit"]),
        ("bella", "m_walk", {"limit": 1, "sort": Sort.CREATED}, ["limit"]),
        ("bones", "m_two", {}, ["folded"]),
    ],
)  # fmt: skip
def test_why_a_memory_is_not_among_the_results(
    ws: Workspace, text: str, about: str, wish: dict[str, object], reasons: list[str]
) -> None:
    assert codes(ws, text, about, **wish) == reasons
    shown = search(ws.view(), text, Wish(**wish)).hits  # type: ignore[arg-type]
    is_shown = about in [(hit.ref or "").partition(":")[2] for hit in shown]
    assert is_shown == (not reasons)


def test_the_reason_names_what_is_lacking_and_what_would_help(ws: Workspace) -> None:
    found = why_not(ws, "dragonfly heart", "m_heart")
    assert [(one.term, bool(one.places)) for one in found.sought] == [("dragonfly", False), ("heart", True)]
    assert "note:m_heir" in why_not(ws, "heart", "m_heirless").reasons[0].text
    assert "2020-01-01" in why_not(ws, "heart", "m_over").reasons[0].text
    (filtered,) = why_not(ws, "heart", "m_heart", filters=Filters(type=("belief",), tag=("health",))).reasons
    assert filtered.text == "--type belief leaves it out"
    (limit,) = why_not(ws, "bella", "m_walk", limit=1).reasons
    assert (limit.text, limit.hint) == ("it is result 2, and 1 are shown", "-n 2 shows it")


@given(QUERIES, st.sampled_from(Unit))
@settings(max_examples=examples(40), deadline=None)
def test_the_place_is_the_one_in_a_longer_list(ws: Workspace, text: str, by: Unit) -> None:
    hits = search(ws.view(), text, Wish(by=by, limit=1000)).hits
    firsts: dict[str, int] = {}
    for place, hit in enumerate(hits, 1):
        firsts.setdefault(hit.path, place)
    for path, place in firsts.items():
        assert why_not(ws, text, path, by=by, limit=1).place == place


def test_a_plain_note_is_explained_to_the_owner_alone() -> None:
    notes = {"birds.md": b"# Birds\n\nA heron stood in the pond.\n"}
    mine, theirs = (memory_workspace(FILES | notes, actor=actor) for actor in (OWNER, "human:claire"))
    assert codes(mine, "dragonfly", "birds.md") == ["no_words"]
    assert why_not(mine, "heron", "birds.md").place == 1
    (hit,) = explained(mine, "heron").hits
    assert hit.explanation is not None
    assert [part.kind for part in hit.explanation.parts][:2] == ["memory", "line"]
    with pytest.raises(NotFoundError, match=r"no memory matches `birds\.md`"):
        why_not(theirs, "heron", "birds.md")


@pytest.mark.parametrize("about", ["m_zz9", "note:m_zz9", "secret.md", "A heart of stone"])
def test_what_is_hidden_reads_as_if_it_were_not_there(about: str) -> None:
    secret = {"secret.md": memory_text("A heart of stone.\n", id="m_zz9", owner="si:ash", title="A heart of stone")}
    told = []
    for files in (FILES | secret, FILES):
        with pytest.raises(NotFoundError) as caught:
            why_not(memory_workspace(files), "heart", about)
        told.append((str(caught.value), caught.value.hint))
    assert told[0] == told[1]


def test_a_hidden_heir_is_not_named() -> None:
    heir = {"heir.md": memory_text("A new heart.\n", id="m_new", owner="si:ash", supersedes="[note:m_past]")}
    past = memory_text(
        "The heart.\n", id="m_past", owner="human:claire", status="superseded", superseded_by="[note:m_new]"
    )
    theirs = memory_workspace(heir | {"past.md": past}, actor="human:claire")
    (reason,) = why_not(theirs, "heart", "m_past").reasons
    assert reason.text == "its status is superseded"
