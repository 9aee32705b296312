from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.core.digests import blob_id
from memstore.core.errors import UsageError
from memstore.documents.search import answer_document
from memstore.files.passages import LineMap
from memstore.memories.search import Searcher, Wish, search
from memstore.search import query
from memstore.search.clauses import Filters, Operator, Where
from memstore.search.retrieval import Sort, Unit
from memstore.vault.stats import stats
from tests.git_repositories import vault_in
from tests.memory_workspace import OWNER, files_of, memory_workspace
from tests.support import examples, memory_text

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.core.view import View
    from memstore.search.retrieval import Answer
    from memstore.vault.workspace import Workspace

FILES = {
    "heart.md": memory_text(
        "# Visit\n\nBella is a dog.\n\n- Dr Smith: she has a heart murmur, grade two\n- Sean: is it bad?\n",
        id="m_heart", title="The vet on Bella", created_at='"2026-01-20T10:00:00Z"', tags="[bella, health]",
        source_type="told_by_human",
    ),
    "walk.md": memory_text(
        "Bella walked in the park.\n\nThe park was wet, and her heart was light.\n",
        id="m_walk", created_at='"2025-01-20T10:00:00Z"', tags="[bella]", confidence="0.9", mood="good",
    ),
    "tea.md": memory_text("Sean drinks tea before mail.\n", id="m_tea", type="value", aliases="[morning ritual]"),
    "trust.md": memory_text("It takes years.\n", id="m_trust", type="belief", title="Confidence is earned"),
    "old.md": memory_text("The heart of an old memory.\n", id="m_old", status="archived"),
    "noid.md": memory_text("A mürbe cake, 東京で.\n"),
    "ash.md": memory_text("Ash keeps the secret of the heart.\n", id="m_ash", owner="si:ash"),
    "broken.md": b"---\ntype: note\nno closing fence and a heart\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def ws() -> Workspace:
    return memory_workspace(FILES)


def refs(answer: Answer) -> list[str | None]:
    return [hit.ref for hit in answer.hits]


def found(ws: Workspace, text: str, **wish: object) -> list[str | None]:
    return refs(search(ws.view(), text, Wish(**wish)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did the vet say about Bella's heart?", ["note:m_heart", "note:m_walk"]),
        ("hearts murmuring", ["note:m_heart", "note:m_walk"]),
        ("murbe", [None]),
        ("mürbe", [None]),
        ("muerbe", [None]),
        ("東京", [None]),
        ('"heart murmur"', ["note:m_heart"]),
        ('"murmur heart"', []),
        ('"the heart"', []),
        ("bella +park", ["note:m_walk"]),
        ("bella -park", ["note:m_heart"]),
        ('bella -"heart murmur"', ["note:m_walk"]),
        ("murm*", ["note:m_heart"]),
        ("tag:health", ["note:m_heart"]),
        ("heart tag:bella -type:belief", ["note:m_heart", "note:m_walk"]),
        ("note:m_walk", ["note:m_walk"]),
        ("heart status:archived", ["note:m_old"]),
        ("what is a morning ritual", ["value:m_tea"]),
        ("mornign ritual", ["value:m_tea"]),
        ("earned", ["belief:m_trust"]),
        ("20 January 2025", ["note:m_walk", "note:m_heart"]),
        ("nothing of this", []),
    ],
)
def test_what_is_found(ws: Workspace, text: str, expected: list[str | None]) -> None:
    assert found(ws, text) == expected


@pytest.mark.parametrize(
    ("text", "line", "excerpt"),
    [
        ("murmur", 13, "- Dr Smith: she has a heart murmur, grade two"),
        ("earned", 4, "title: Confidence is earned"),
        ("what is a morning ritual", 4, "aliases: [morning ritual]"),
        ("light", 11, "The park was wet, and her heart was light."),
    ],
)
def test_the_line_that_says_it_is_cited(ws: Workspace, text: str, line: int, excerpt: str) -> None:
    cited = search(ws.view(), text).hits[0].citation
    assert (cited.line_start, cited.line_end, cited.excerpt) == (line, line, excerpt)
    assert cited.version_hash == ws.history.blob_id(files_of(ws)[cited.path])


def test_a_heading_is_cited_with_what_follows(ws: Workspace) -> None:
    cited = search(ws.view(), "visit dog").hits[0].citation
    assert cited.excerpt == "# Visit\n\nBella is a dog."


def test_passages_can_be_results(ws: Workspace) -> None:
    hits = search(ws.view(), "heart park", Wish(by=Unit.PASSAGE)).hits
    assert [(hit.path, hit.citation.line_start) for hit in hits][:2] == [("walk.md", 11), ("walk.md", 9)]
    assert found(ws, "heart -park", by=Unit.PASSAGE) == ["note:m_heart"] * 3
    assert [hit.relevance for hit in hits] == sorted((hit.relevance for hit in hits), reverse=True)


def test_a_limit_takes_the_first(ws: Workspace) -> None:
    whole = found(ws, "bella heart sean dog park", limit=10)
    assert [found(ws, "bella heart sean dog park", limit=n) for n in (1, 2)] == [whole[:1], whole[:2]]


def test_sorting(ws: Workspace) -> None:
    assert found(ws, "bella", sort=Sort.CREATED) == ["note:m_heart", "note:m_walk"]
    assert found(ws, "bella", sort=Sort.CONFIDENCE) == ["note:m_walk", "note:m_heart"]
    assert found(ws, "bella", sort=Sort.PATH) == ["note:m_heart", "note:m_walk"]
    assert found(ws, "bella", sort=Sort.TITLE) == ["note:m_walk", "note:m_heart"]
    by_quality = search(ws.view(), "bella", Wish(sort=Sort.QUALITY)).hits
    assert [hit.combined for hit in by_quality] == sorted((hit.combined for hit in by_quality), reverse=True)


def test_conditions_on_keys_that_only_the_file_has(ws: Workspace) -> None:
    good = Filters(where=(Where("mood", Operator.EQUAL, "good"),))
    missing = Filters(where=(Where("mood", Operator.MISSING),))
    assert found(ws, "bella", filters=good) == ["note:m_walk"]
    assert found(ws, "bella", filters=missing) == ["note:m_heart"]


def test_too_low_a_quality_falls_back_and_says_so(ws: Workspace) -> None:
    some = search(ws.view(), "bella", Wish(filters=Filters(min_confidence=0.6)))
    assert (refs(some), some.fallback) == (["note:m_heart"], None)
    none = search(ws.view(), "bella", Wish(filters=Filters(min_confidence=1.0)))
    assert refs(none) == ["note:m_heart", "note:m_walk"]
    assert none.fallback == "no result reaches confidence 1; these are the best below it, up to 0.70"
    assert search(ws.view(), "zebra", Wish(filters=Filters(min_confidence=1.0))).fallback == (
        "nothing matches, whatever its confidence"
    )


def test_facets_count_what_matches_and_not_only_what_is_shown(ws: Workspace) -> None:
    answer = search(ws.view(), "bella", Wish(limit=1, facets=("tags", "mood")))
    assert answer.facets == (("tags", (("bella", 2), ("health", 1))), ("mood", (("good", 1),)))
    assert search(ws.view(), "bella", Wish(facets=("tag",))).facets == (("tag", (("bella", 2), ("health", 1))),)
    assert answer.total == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("smitt", "Smith"),
        ("murmor", "murmur"),
        ("Murmor?", "murmur?"),
        ("drniks", "drinks"),
        ("xyzzy", None),
        ("secrte", None),
    ],
)
def test_did_you_mean(ws: Workspace, text: str, expected: str | None) -> None:
    assert search(ws.view(), text).suggestion == expected


def test_files_that_cannot_be_read_are_counted_for_their_owner(ws: Workspace) -> None:
    assert search(ws.view(), "heart").left_out == 1
    assert search(memory_workspace(FILES, actor="si:ash").view(), "heart").left_out == 0


def test_nobody_sees_or_feels_what_is_not_theirs() -> None:
    without = {path: data for path, data in FILES.items() if path != "ash.md"}
    for text in ("heart", "secret heart", "se*", "secrat", "tag:bella"):
        for wish in (Wish(), Wish(by=Unit.PASSAGE), Wish(facets=("owner", "type"))):
            mine, theirs = (
                search(memory_workspace(files, actor=OWNER).view(), text, wish) for files in (FILES, without)
            )
            assert answer_document(mine) == answer_document(theirs)
    assert refs(search(memory_workspace(FILES, actor="si:ash").view(), "heart")) == ["note:m_ash"]
    assert refs(search(memory_workspace(FILES, actor="si:babel").view(), "heart")) == []
    assert stats(memory_workspace(FILES).view()) == stats(memory_workspace(without).view())


def test_a_file_changed_since_the_snapshot_is_judged_by_what_it_says_now() -> None:
    ws = memory_workspace(FILES)
    searcher = Searcher(ws.view())
    files = files_of(ws)
    files["heart.md"] = FILES["heart.md"].replace(b"type: note\n", b"type: note\nowner: si:ash\n")
    files["walk.md"] = FILES["walk.md"].replace(b"Bella walked", b"New line.\n\nBella walked")
    del files["tea.md"]
    answer = searcher.answer(query.parse("bella tea"), Wish())
    assert refs(answer) == ["note:m_walk"]
    cited = answer.hits[0].citation
    assert cited.excerpt == "Bella walked in the park."
    assert cited.excerpt == LineMap(files["walk.md"]).excerpt(cited.line_start, cited.line_end)
    assert cited.version_hash == ws.history.blob_id(files["walk.md"])


def test_a_memory_that_cites_standing_lines_is_better() -> None:
    cited = memory_text("One line.\n", id="m_cited")
    blob = memory_workspace().history.blob_id(cited)
    files = {
        "cited.md": cited,
        "a.md": memory_text(f"Heart [[note:m_cited#L5@{blob[:10]}]]\n", id="m_aaa"),
        "b.md": memory_text("Heart [[note:m_cited#L5@0123456789]]\n", id="m_bbb"),
        "c.md": memory_text("Heart\n", id="m_ccc", derived_from=f'["file:cited.md#L5@{blob}"]'),
    }
    quality = {hit.ref: round(hit.quality, 4) for hit in search(memory_workspace(files).view(), "heart").hits}
    assert quality == {"note:m_aaa": 0.25, "note:m_bbb": 0.2, "note:m_ccc": 0.25}


OLD = '"2000-01-01T00:00:00Z"'


def test_lines_that_still_stand_in_a_file_that_has_changed_count(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    vault.write("code.py", "one\ntwo\nthree\n")
    vault.write("tea.md", memory_text("Tea.\n", id="m_tea0").decode())
    vault.commit("first")
    code, tea = (blob_id((vault.root / name).read_bytes())[:10] for name in ("code.py", "tea.md"))
    last = len((vault.root / "tea.md").read_text().splitlines())
    cites = {
        "m_moved": f'["file:code.py#L2@{code}"]',
        "m_gone0": f'["file:code.py#L3@{code}"]',
        "m_none0": f'["file:code.py#L9@{code}"]',
        "m_whole": f'["file:tea.md#L{last}@{tea}"]',
    }
    for name, source in cites.items():
        vault.write(f"{name}.md", memory_text("Heart.\n", id=name, created_at=OLD, derived_from=source).decode())
    vault.write("code.py", "zero\none\ntwo\n")
    vault.write("tea.md", memory_text("Hot.\n\nTea.\n", id="m_tea0").decode())
    quality = {hit.ref: round(hit.quality, 4) for hit in search(vault.open().view(), "heart").hits}
    assert quality == {"note:m_moved": 0.25, "note:m_gone0": 0.2, "note:m_none0": 0.2, "note:m_whole": 0.25}


def test_a_query_that_means_nothing_is_refused(ws: Workspace) -> None:
    with pytest.raises(UsageError):
        search(ws.view(), "heart type:nte")


DAY = "2020-01-01"
PAST = {
    "new.md": memory_text("The kettle is red now.\n", id="m_new00", supersedes="[note:m_old01]"),
    "old.md": memory_text("The kettle is blue.\n", id="m_old01"),
    "heir.md": memory_text("The kettle was green.\n", id="m_old02", superseded_by="[note:m_new00]"),
    "over.md": memory_text("The kettle is lent out.\n", id="m_old03", valid_until=f'"{DAY}"'),
    "said.md": memory_text("A kettle of old.\n", id="m_old04", status="superseded"),
    "kept.md": memory_text("Kettles, archived.\n", id="m_old05", status="archived"),
    "plan.md": memory_text("A kettle is planned.\n", id="m_plan0", status="draft"),
    "hers.md": memory_text("Her kettle was old.\n", id="m_hers0", status="archived", owner="si:ash"),
}


def test_what_is_past_is_left_out_counted_and_shown_where_its_status_is_asked_for() -> None:
    view = memory_workspace(PAST).view()
    answer = search(view, "kettle")
    assert (refs(answer), answer.past, answer.total) == (["note:m_new00"], 5, 1)
    assert search(view, "green kettle", Wish(by=Unit.PASSAGE)).past == 5
    assert search(view, "lent").past == 1
    assert search(view, "spoon").past == 0
    every = search(view, "kettle", Wish(filters=Filters(status=("all",)), limit=20))
    assert (len(every.hits), every.past) == (7, 0)
    assert refs(search(view, "kettle status:archived")) == ["note:m_old05"]


def test_nobody_s_heir_that_is_hidden_takes_a_memory_s_place() -> None:
    files = PAST | {"new.md": PAST["new.md"].replace(b"type: note\n", b"type: note\nowner: si:ash\n")}
    assert "note:m_old01" in refs(search(memory_workspace(files).view(), "kettle"))


SAME = {
    "a.md": memory_text("The vet heard a soft murmur on the left side.\n", id="m_aaa0"),
    "b.md": memory_text("Vet heard a soft murmur on left side!\n", id="m_bbb0"),
    "c.md": memory_text("The vet heard no soft murmur on the left side.\n", id="m_ccc0"),
    "d.md": memory_text("The vet heard a soft murmur on the left side.\n\nAnd more.\n", id="m_ddd0"),
    "e.md": memory_text("The vet heard a soft murmur on the left side.\n", id="m_eee0", source_type="inference"),
}


def test_what_says_the_same_in_the_same_words_is_one_result() -> None:
    view = memory_workspace(SAME).view()
    answer = search(view, "murmur")
    shown = {hit.ref: hit.also for hit in answer.hits}
    assert sorted(map(len, shown.values())) == [0, 0, 0, 1]
    assert {name for ref, also in shown.items() for name in (ref, *also)} == {f"note:m_{x}{x}{x}0" for x in "abcde"}
    assert {"note:m_aaa0", "note:m_bbb0"} - {*shown}
    assert answer.total == 5
    assert len(search(view, "murmur", Wish(sort=Sort.PATH)).hits) == 5


TALK = {
    "talk.md": memory_text(
        "- Ann: Did you see the boat race?\n- Ben: The boat race was loud.\n- Ann: Good.\n- Ben: A boat, in 2019.\n",
        id="m_talk0",
    ),
    "list.md": memory_text("- a boat\n\n- a race\n", id="m_list0"),
}


def test_lines_beside_each_other_that_match_are_one_result() -> None:
    hits = search(memory_workspace(TALK).view(), "boat race", Wish(by=Unit.PASSAGE)).hits
    assert hits[0].citation.excerpt == "- Ann: Did you see the boat race?\n- Ben: The boat race was loud."
    assert hits[0].content == "Ann: Did you see the boat race?\nBen: The boat race was loud."
    cited = [
        line
        for hit in hits
        for line in range(hit.citation.line_start, hit.citation.line_end + 1)
        if hit.path == "talk.md"
    ]
    assert len(cited) == len({*cited})


def test_a_passage_is_no_longer_than_forty_lines() -> None:
    body = "".join(f"line {at} boat\n" for at in range(95))
    (hit,) = search(memory_workspace({"long.md": memory_text(body, id="m_long0")}).view(), "boat 60").hits
    assert hit.citation.excerpt.count("\n") == 39
    assert "line 60 boat" in hit.citation.excerpt


def test_what_only_the_title_matches_shows_what_stands_below_it() -> None:
    files = {"t.md": memory_text("Six months, 61 missed.\n\nMore.\n", id="m_title", title="No-shows")}
    (hit,) = search(memory_workspace(files).view(), "what of the no-shows?").hits
    assert hit.citation.excerpt == "title: No-shows"
    assert [more.excerpt for more in hit.more] == ["Six months, 61 missed."]


def test_a_title_that_is_asked_for_as_a_whole_ranks_before_its_words_elsewhere() -> None:
    files = {f"{at}.md": memory_text("Every show has numbers.\n", id=f"m_show{at}") for at in range(3)}
    files["t.md"] = memory_text("Mondays are worst.\n", id="m_title", title="No-shows")
    files["h.md"] = memory_text("# Zoë\n\nStarting pay 34,500.\n", id="m_zoe0")
    view = memory_workspace(files).view()
    assert found_first(view, "On which weekday are no-shows most frequent?") == "note:m_title"
    assert found_first(view, "How much is Zoë paid to show it?") == "note:m_zoe0"


def test_a_note_is_looked_up_by_title_file_name_and_folders_and_an_index_comes_after() -> None:
    texts = {
        "liquid/tags": "# Tags\n\nWhat a template can do.\n",
        "plugins/tags": "# Tags\n\nTags of plugins, liquid tags and others, are liquid classes.\n",
        "sass": "# Stylesheets\n\nIndented or not.\n",
        "assets": "# Assets\n\nSass and more sass.\n\nSass again, as every sass file is an asset.\n",
        "all": "# Everything\n\n- [Boiling an egg](https://example.org/boiling-an-egg)\n- [Poaching](poaching.md)\n",
        "egg": "# Breakfast\n\nBoiling an egg takes six minutes, poaching it takes three.\n",
    }
    files = {f"{name}.md": memory_text(text, id=f"m_{at}note") for at, (name, text) in enumerate(texts.items())}
    view = memory_workspace(files).view()

    def first(text: str) -> str:
        return search(view, text).hits[0].path

    assert first("liquid tags") == "liquid/tags.md"
    assert first("sass") == "sass.md"
    assert first("boiling egg") == "egg.md"
    assert first("what do the liquid tags of plugins do?") == "plugins/tags.md"


def found_first(view: View, text: str) -> str | None:
    return search(view, text).hits[0].ref


@pytest.mark.parametrize(
    ("text", "weak"),
    [
        ("What did the vet say about Bella's heart?", False),
        ("murmur", False),
        ("morning ritual", False),
        ("Which university does Zebedee attend in the park?", True),
        ("What did Zebedee and Quentin cook for Bella on Tuesday evening?", True),
        ("tag:bella", False),
        ("zebra", False),
        ("What was heard of Bella on 20 January 2026?", False),
    ],
)
def test_a_best_result_that_may_well_not_answer_is_said_to_be_weak(ws: Workspace, text: str, *, weak: bool) -> None:
    for by in Unit:
        assert search(ws.view(), text, Wish(by=by)).weak is weak
        assert search(ws.view(), text, Wish(by=by, limit=1)).weak is weak


def test_beside_a_weak_result_stands_what_may_have_been_meant(ws: Workspace) -> None:
    answer = search(ws.view(), "Which Zebedee saw Quentin's murmor in the park on Tuesday?")
    assert answer.weak
    assert answer.suggestion == "Which Zebedee saw Quentin's murmur in the park on Tuesday?"


WHOLE = {
    "one.md": memory_text("An organ plays.\n", id="m_one0", tags="[loud]", created_at='"2026-05-08T10:00:00Z"'),
    "two.md": memory_text("The organization of organs.\n", id="m_two0", tags="[loud]"),
    "three.md": memory_text("Written on 2026-05-08, or 8 May 2026.\n", id="m_three"),
    "four.md": memory_text("May 2026 had an 8 in it: organizations.\n", id="m_four", title="A doe"),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("organ", ["note:m_two0", "note:m_one0", "note:m_four"]),
        ("+organ", ["note:m_one0"]),
        ('"organ"', ["note:m_one0"]),
        ("+Organs", ["note:m_two0"]),
        ('"organ plays"', ["note:m_one0"]),
        ('"organs play"', []),
        ('+"the organization"', ["note:m_two0"]),
        ("organ -organs", []),
        ("tag:loud +organ", ["note:m_one0"]),
        ("+loud +organ", ["note:m_one0"]),
        ("2026-05-08", ["note:m_three", "note:m_one0"]),
        ("+2026-05-08 organ", ["note:m_one0", "note:m_three"]),
        ("does 2026-05-09", []),
        ("doe", ["note:m_four"]),
    ],
)
def test_words_that_are_demanded_or_quoted_are_whole_and_a_date_is_a_day(text: str, expected: list[str]) -> None:
    view = memory_workspace(WHOLE).view()
    answer = search(view, text, Wish(facets=("type",)))
    assert refs(answer) == expected
    assert answer.total == len(expected)
    assert dict(answer.facets[0][1]) == ({"note": len(expected)} if expected else {})


@pytest.mark.parametrize("text", ["how is TypeScript set up", "TYPESCRIPT", "typscript strict", "the typescript one"])
def test_an_alias_that_is_a_name_of_parts_may_be_written_otherwise(text: str) -> None:
    files = {"ts.md": memory_text("Strict mode.\n", id="m_ts000", aliases="[TypeScript]"), **NAMES}
    best = search(memory_workspace(files).view(), text).hits[0]
    assert (best.ref, best.relevance) == ("note:m_ts000", 1.0)


NAMES = {
    "codec.md": memory_text("First line.\n\n- `parse_level()` shifts by four\n", id="m_codec"),
    "camel.md": memory_text("Then getHTTPResponse was slow.\n", id="m_camel"),
    "path.md": memory_text("See src/auth_check.py, and core.wordLists.\n", id="m_path"),
    "title.md": memory_text("Nothing else.\n", id="m_title", title="Why restoreCheck fails"),
}


@pytest.mark.parametrize(
    ("text", "expected", "excerpt"),
    [
        ("parse_level", "note:m_codec", "- `parse_level()` shifts by four"),
        ("parseLevel", "note:m_codec", "- `parse_level()` shifts by four"),
        ("where are levels parsed", "note:m_codec", "- `parse_level()` shifts by four"),
        ("+parse_level", "note:m_codec", "- `parse_level()` shifts by four"),
        ("getHttpResponse", "note:m_camel", "Then getHTTPResponse was slow."),
        ("http response", "note:m_camel", "Then getHTTPResponse was slow."),
        ("get_response", "note:m_camel", "Then getHTTPResponse was slow."),
        ("src/auth_check.py", "note:m_path", "See src/auth_check.py, and core.wordLists."),
        ("auth check", "note:m_path", "See src/auth_check.py, and core.wordLists."),
        ("core.wordLists", "note:m_path", "See src/auth_check.py, and core.wordLists."),
        ("word lists", "note:m_path", "See src/auth_check.py, and core.wordLists."),
        ("restore_check", "note:m_title", "title: Why restoreCheck fails"),
        ("restore", "note:m_title", "title: Why restoreCheck fails"),
    ],
)
def test_a_name_is_found_whole_and_by_its_parts_with_its_line(text: str, expected: str, excerpt: str) -> None:
    best = search(memory_workspace(NAMES).view(), text).hits[0]
    assert (best.ref, best.citation.excerpt) == (expected, excerpt)


@pytest.mark.parametrize(
    ("tags", "line"),
    [
        ("[loud, ripe]", 3),
        ("[loud, ripe]\r", 3),
        ("['a ] b', ripe]", 3),
        ("[loud, # so far\n  ripe]", 4),
        ("[\n  loud, [odd]\n  ]", None),
        ("\n  - loud\n  - ripe", 5),
        ("\n- loud\n- ripe", 5),
    ],
)
def test_a_tag_is_cited_on_its_line(tags: str, line: int | None) -> None:
    files = {"a.md": memory_text("A quince.\n", id="m_quince", tags=tags)}

    found = search(memory_workspace(files).view(), "ripe").hits

    assert [hit.citation.line_start for hit in found] == ([] if line is None else [line + 1])


WORDS = st.sampled_from(["heart", "bella", "the", "park", "murmur", "Sean", "été", "x"])
BODIES = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=5)


@given(
    st.lists(st.tuples(BODIES, st.sampled_from(["\n", "\n\n", "\r\n", "\n- "])), min_size=1, max_size=30),
    st.lists(WORDS, min_size=1, max_size=3),
    st.sampled_from(list(Unit)),
)
@settings(max_examples=examples(60))
def test_results_are_of_memories_that_hold_a_word_and_their_lines_are_the_files(
    memories: list[tuple[list[str], str]], asked: list[str], by: Unit
) -> None:
    files = {f"{at}.md": memory_text(joint.join(body), id=f"m_{at:03}") for at, (body, joint) in enumerate(memories)}
    answer = search(memory_workspace(files).view(), " ".join(asked), Wish(limit=100, by=by))
    wanted = [word for word in asked if word != "the"] or asked
    holding = {path for path, data in files.items() if any(word in data.decode().split("---\n")[-1] for word in wanted)}
    shown = {name for hit in answer.hits for name in (hit.ref, *hit.also)}
    assert shown == {f"note:m_{int(path[:-3]):03}" for path in holding}
    assert answer.total == len(holding)
    for hit in answer.hits:
        there = LineMap(files[hit.path])
        for cited in (hit.citation, *hit.more):
            assert there.excerpt(cited.line_start, cited.line_end) == cited.excerpt
        assert 0 <= hit.relevance <= 1
    relevance = [hit.relevance for hit in answer.hits]
    assert relevance == sorted(relevance, reverse=True)


COUNTING = "\n# Counting\n\nHow it is done.\n\ncount count count\n\ncounts count\n\ncount counts counts\n"
SIGNS = "\n# 分布式意识的思\n\n你好。\n\n分布式意识，分布式意识。\n\n意识的分布式。\n\n分布式的意识，意识。\n"


@pytest.mark.parametrize(("text", "typed"), [(COUNTING, "counting"), (SIGNS, "分布式意识的思")])
def test_what_holds_the_words_as_they_were_typed_is_among_what_is_shown(text: str, typed: str) -> None:
    ws = memory_workspace({"a.md": memory_text(text, id="m_a")})
    (hit,) = search(ws.view(), typed).hits
    shown = [hit.citation, *hit.more]
    assert any(typed in one.excerpt.casefold() for one in shown)
    assert len(shown) <= 3
