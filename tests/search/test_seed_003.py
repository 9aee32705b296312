"""The fifteen tests that seed 003 names, by those names, on whole vaults."""

from __future__ import annotations

import json
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memstore.core.config import QualityProfile
from memstore.core.digests import blob_id
from memstore.core.errors import UsageError
from memstore.core.keys import CHANNELS, RELIABILITY, SOURCE_TYPES
from memstore.documents.search import answer_document, hit_document
from memstore.files.passages import LineMap
from memstore.memories.create import note
from memstore.memories.search import Wish, search
from memstore.memories.show import show_memory
from memstore.search.clauses import Filters
from memstore.search.quality import BASE_OF_CHANNEL
from memstore.search.retrieval import Hit, Sort, Unit
from memstore.search.uses import uses_of
from tests.installed import validated
from tests.memory_workspace import files_of, memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from memstore.search.retrieval import Answer
    from memstore.vault.workspace import Workspace

CASES = json.loads((Path(__file__).parents[1] / "cases" / "beliefs.json").read_text())
TODAY = "2026-02-01T12:00:00Z"  # when the clock of the tests begins
DAYS_AGO = {0: TODAY, 30: "2026-01-02T12:00:00Z", 60: "2025-12-03T12:00:00Z", -30: "2026-03-03T12:00:00Z"}
SOURCE = b"# Chat\n\nUser: tea, please, in the morning.\n"
CITED = f"[file:chat.txt#L3-L3@{blob_id(SOURCE)}]"


def vault(**memories: dict[str, str]) -> Workspace:
    """Return a vault with a memory about tea for each name, made today unless it says otherwise."""
    files = {
        f"{name}.md": memory_text("User prefers tea.\n", **{"id": f"m_{name}", "created_at": f'"{TODAY}"'} | keys)
        for name, keys in memories.items()
    }
    return memory_workspace(files | {"chat.txt": SOURCE})


def qualities(ws: Workspace, **how: Any) -> dict[str, float]:
    """Return the quality of each memory that a search for tea finds, by name."""
    hits = search(ws.view(), "tea", Wish(limit=50, **how)).hits
    return {(hit.ref or "").partition("m_")[2]: hit.quality for hit in hits}


def quality_of(**keys: str) -> float:
    return qualities(vault(one=keys))["one"]


def document(answer: Answer) -> dict[str, Any]:
    """Return an answer as `--json` prints it."""
    return validated(json.dumps({"schema": "memstore.search/1", **answer_document(answer)}))


# -- confidence: quality here --------------------------------------------------------------------


@pytest.mark.parametrize("profile", QualityProfile)
@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"confidence": "0.0"},
        {"confidence": "1.0", "derived_from": CITED},
        {"channel": "USER.md", "created_at": '"9999-12-31T23:59:59Z"'},
        {"channel": "fallback", "created_at": '"0001-01-01T00:00:00Z"'},
        {"created_at": '""'},
    ],
)
def test_confidence_bounds(keys: dict[str, str], profile: QualityProfile) -> None:
    ws = vault(one=keys)
    for _ in range(12):  # used as often as it may count
        show_memory(ws.view(), "m_one")
    assert 0 <= qualities(ws, profile=profile)["one"] <= 1


@pytest.mark.parametrize(
    ("kind", "weights"), [("channel", BASE_OF_CHANNEL), ("source_type", RELIABILITY)], ids=["channel", "source_type"]
)
def test_source_type_confidence_weights(kind: str, weights: dict[str, float]) -> None:
    ws = vault(**{f"n{at}": {kind: name} for at, name in enumerate(weights)})
    expected = [0.5 * weight + 0.3 for weight in weights.values()]
    assert [qualities(ws)[f"n{at}"] for at in range(len(weights))] == pytest.approx(expected, abs=1e-4)
    assert len(weights) == len(CHANNELS if kind == "channel" else SOURCE_TYPES)


def test_source_type_confidence_weights_yield_to_what_is_held() -> None:
    assert quality_of(channel="USER.md", source_type="inference") == pytest.approx(0.8, abs=1e-4)
    assert quality_of(channel="USER.md", confidence="0.2") == pytest.approx(0.4, abs=1e-4)


@pytest.mark.parametrize(("days", "left"), [(0, 1.0), (30, 0.3679), (60, 0.1353), (-30, 1.0)])
@pytest.mark.parametrize("profile", QualityProfile)
def test_recency_decay_affects_confidence(days: int, left: float, profile: QualityProfile) -> None:
    found = qualities(vault(one={"channel": "USER.md", "created_at": f'"{DAYS_AGO[days]}"'}), profile=profile)["one"]
    assert found == pytest.approx(0.5 + 0.3 * left, abs=1e-4)


@pytest.mark.parametrize(("uses", "bonus"), [(0, 0.0), (1, 0.0347), (3, 0.0693), (7, 0.1), (40, 0.1)])
def test_access_frequency_boost(uses: int, bonus: float) -> None:
    ws = vault(one={"channel": "session"}, other={"channel": "session"})
    for _ in range(uses):
        show_memory(ws.view(), "m_one")
    found = qualities(ws)
    assert found["one"] - found["other"] == pytest.approx(bonus, abs=1e-3)
    literal = qualities(ws, profile=QualityProfile.SEED_003)
    assert literal["one"] - literal["other"] == pytest.approx(bonus / 10, abs=1e-4)


@pytest.mark.parametrize(
    ("source", "bonus"),
    [
        (CITED, 0.05),
        ("[]", 0.0),
        ("[file:chat.txt]", 0.0),
        (f"[file:chat.txt#L3-L3@{'0' * 40}]", 0.0),  # the file is another now
        (f"[file:gone.txt#L3-L3@{blob_id(SOURCE)}]", 0.0),
    ],
    ids=["stands", "none", "no lines", "changed", "gone"],
)
def test_citation_metadata_bonus(source: str, bonus: float) -> None:
    found = quality_of(channel="MEMORY.md", derived_from=source)
    assert found == pytest.approx(0.475 + 0.3 + bonus, abs=1e-4)


# -- fallback ------------------------------------------------------------------------------------


@pytest.mark.parametrize("least", [0.81, 0.9, 1.0])
def test_fallback_when_no_results(least: float) -> None:
    answer = search(vault(one={"channel": "USER.md"}, other={}).view(), "tea", min_confidence=least)
    assert {hit.ref for hit in answer.hits} == {"note:m_one", "note:m_other"}
    assert answer.fallback is not None


@pytest.mark.parametrize("asked", ["coffee", '+"tea please"'])
@pytest.mark.parametrize("least", [0.0, 0.9])
def test_fallback_when_nothing_matches(asked: str, least: float) -> None:
    told = document(search(vault(one={}).view(), asked, min_confidence=least))
    assert told["results"] == []
    assert told["fallback"] == {"used": True, "reason": "nothing matches, whatever its confidence"}
    assert document(search(vault(one={}).view(), asked))["fallback"] == {"used": False, "reason": None}


@pytest.mark.parametrize("least", [None, 0.0, 0.5, 0.8])
def test_no_fallback_with_results(least: float | None) -> None:
    answer = search(vault(one={"channel": "USER.md"}).view(), "tea", min_confidence=least)
    assert [hit.ref for hit in answer.hits] == ["note:m_one"]
    assert answer.fallback is None
    assert document(answer)["fallback"] == {"used": False, "reason": None}


@pytest.mark.parametrize(
    ("channel", "least", "reason", "quality"),
    [
        ("session", 0.95, "no result reaches confidence 0.95; these are the best below it, up to 0.72", 0.725),
        ("inferred", 0.6, "no result reaches confidence 0.6; these are the best below it, up to 0.55", 0.55),
        ("USER.md", 1.0, "no result reaches confidence 1; these are the best below it, up to 0.80", 0.8),
        ("USER.md", 0.79, None, 0.8),
        ("fallback", 0.0, None, 0.5),
    ],
)
def test_fallback_transparency(channel: str, least: float, reason: str | None, quality: float) -> None:
    told = document(search(vault(one={"channel": channel}).view(), "tea", min_confidence=least))
    assert told["fallback"] == {"used": reason is not None, "reason": reason}
    assert [result["confidence"] for result in told["results"]] == [pytest.approx(quality, abs=1e-4)]


# -- search --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "excerpt"),
    [
        ("\nRain again.\n\nUser prefers tea\nin the morning.\n\nMore rain.\n", "User prefers tea\nin the morning."),
        ("\r\n# Drinks\r\n\r\n- milk\r\n- green tea\r\n", "- green tea"),
        ("\n| what | when |\n|---|---|\n| tea | eight |\n", "| tea | eight |"),
        ("\nNo newline at the end, tea", "No newline at the end, tea"),
        ("\n茶 is tea.\n", "茶 is tea."),
    ],
)
def test_search_with_citations_of_any_lines(body: str, excerpt: str) -> None:
    data = b"---\ntype: note\nid: m_one\n---\n" + body.encode()
    (told,) = document(search(memory_workspace({"one.md": data}).view(), "tea"))["results"]
    cited = told["citation"]
    assert LineMap(data).excerpt(cited["line_start"], cited["line_end"]) == cited["excerpt"]
    assert cited["excerpt"].replace("\r", "") == excerpt
    assert (cited["path"], cited["version_hash"]) == ("one.md", blob_id(data))


def test_search_with_citations() -> None:
    ws = vault(one={"channel": "MEMORY.md", "derived_from": CITED}, other={})
    told = document(search(ws.view(), "tea"))
    assert told["citations"] == "auto"
    for result in told["results"]:
        data = files_of(ws)[result["path"]]
        cited = result["citation"]
        assert LineMap(data).excerpt(cited["line_start"], cited["line_end"]) == cited["excerpt"] == "User prefers tea."
        assert (cited["path"], cited["version_hash"]) == (result["path"], blob_id(data))
    assert told["results"][0]["content"] == "User prefers tea."


@pytest.mark.parametrize(
    ("quality", "relevance", "combined"),
    [*(tuple(case.values()) for case in CASES["combined_score"]), (0.0, 1.0, 0.0), (1.0, 1.0, 1.0)],
)
def test_confidence_in_search_results(quality: float, relevance: float, combined: float) -> None:
    hit = search(vault(one={"confidence": "0.9", "channel": "session"}).view(), "tea").hits[0]
    found = hit_document(hit)
    assert found["confidence"] == pytest.approx(0.5 * 0.9 + 0.3, abs=1e-4)
    assert (found["held_confidence"], found["source_type"], found["channel"]) == (0.9, "unknown", "session")
    assert found["combined_score"] == pytest.approx(found["confidence"] * found["relevance_score"], abs=1e-4)
    found = hit_document(hit._replace(quality=quality, relevance=relevance))
    assert found["combined_score"] == pytest.approx(combined, abs=CASES["constants"]["tolerance"])


def test_confidence_in_search_results_orders_them_when_asked_to() -> None:
    files = {
        "weak.md": memory_text(
            "Tea, tea and tea.\n", id="m_weak", confidence="0.1", created_at='"2020-01-01T00:00:00Z"'
        ),
        "sure.md": memory_text("Tea with milk.\n", id="m_sure", confidence="1.0", created_at=f'"{TODAY}"'),
    }
    ws = memory_workspace(files)
    by_relevance = [hit.ref for hit in search(ws.view(), "tea").hits]
    by_quality = search(ws.view(), "tea", Wish(sort=Sort.QUALITY)).hits
    assert by_relevance == ["note:m_weak", "note:m_sure"]
    assert [hit.ref for hit in by_quality] == by_relevance[::-1]
    assert by_quality[0].combined > by_quality[1].combined


@pytest.mark.parametrize("least", [0.0, 0.3, 0.5, 0.7, 0.8])
def test_min_confidence_filtering(least: float) -> None:
    ws = vault(
        memory={"channel": "MEMORY.md", "derived_from": CITED}, chat={"channel": "session"},
        guess={"channel": "inferred"}, old={"created_at": '"2020-01-01T00:00:00Z"'},
    )  # fmt: skip
    every = qualities(ws)
    found = qualities(ws, filters=Filters(min_confidence=least))
    assert found == {name: quality for name, quality in every.items() if quality >= least}
    assert "memory" in found  # fresh, cited, of MEMORY.md: 0.825
    assert len(search(ws.view(), "tea", min_confidence=least, max_results=1).hits) == 1


@pytest.mark.parametrize("least", [nan, -0.1, 1.1])
def test_min_confidence_filtering_refuses_what_is_none(least: float) -> None:
    with pytest.raises(UsageError, match="is not a valid confidence"):
        search(vault().view(), "tea", min_confidence=least)
    with pytest.raises(UsageError, match="max_results"):
        search(vault().view(), "tea", max_results=0)


# -- and what it promises ------------------------------------------------------------------------


def test_searching_a_thousand_times_changes_nothing() -> None:
    ws = vault(one={"confidence": "0.7"}, other={})
    before, first = dict(files_of(ws)), _timeless(search(ws.view(), "tea", min_confidence=0.6).hits)
    for _ in range(1000):
        last = search(ws.view(), "tea", min_confidence=0.6).hits
    assert files_of(ws) == before
    assert uses_of(ws.view()) == {}
    assert _timeless(last) == first


def _timeless(hits: tuple[Hit, ...]) -> list[Hit]:
    """Return hits without what the hours that pass on the tests' clock make of them."""
    return [hit._replace(quality=0.0, relevance=round(hit.relevance, 3)) for hit in hits]


# -- conflicts -----------------------------------------------------------------------------------


def opinions(first: dict[str, str], second: dict[str, str]) -> Workspace:
    """Return a vault with two memories, each with its text under the key `text`."""
    files = {}
    for name, keys in (("one", first), ("two", second)):
        said = {"id": f"m_{name}", "created_at": f'"{TODAY}"', "channel": "session"} | keys
        files[f"{name}.md"] = memory_text(said.pop("text") + "\n", **said)
    return memory_workspace(files)


def in_conflict(ws: Workspace, query: str, wish: Wish | None = None) -> list[tuple[str, float, float]]:
    """Return kind, penalty and quality of each result that conflicts with another."""
    results = document(search(ws.view(), query, wish))["results"]
    return [
        (told["conflict_type"], told["penalty"], round(one["confidence"], 2))
        for one in results
        for told in one["conflicts"]
    ]


@pytest.mark.parametrize(
    ("one", "two", "query"),
    [
        ("User likes tea.", "User dislikes tea.", "tea"),
        ("Python is good.", "Python is not good.", "python"),
        ("Bella loves the park.", "Bella hates the park.", "bella"),
    ],
)
def test_contradiction_detection(one: str, two: str, query: str) -> None:
    ws = opinions({"text": one}, {"text": two})
    assert in_conflict(ws, query) == [("contradiction", -0.3, 0.42)] * 2
    literal = Wish(profile=QualityProfile.SEED_003)  # the letter of its formula takes nothing for conflicts
    assert in_conflict(ws, query, literal) == [("contradiction", -0.3, 0.72)] * 2
    assert show_memory(ws.view(), "m_one").quality == pytest.approx(0.425, abs=1e-3)
    assert [found.refs for found in show_memory(ws.view(), "m_two").conflicts] == [("note:m_two", "note:m_one")]


def test_contradiction_detection_costs_the_surer_side_half() -> None:
    ws = opinions({"text": "User likes tea.", "confidence": "0.9"}, {"text": "User dislikes tea.", "confidence": "0.5"})
    assert sorted(in_conflict(ws, "tea")) == [("contradiction", -0.3, 0.25), ("contradiction", -0.15, 0.6)]


@pytest.mark.parametrize(
    ("one", "two"),
    [("The house has 3 rooms.", "The house has 4 rooms."), ("The car is blue.", "The car is green.")],
)
def test_temporal_conflict_detection(one: str, two: str) -> None:
    ws = opinions({"text": one, "created_at": f'"{DAYS_AGO[30]}"'}, {"text": two})
    assert [found[:2] for found in in_conflict(ws, "house car")] == [("temporal", -0.15)] * 2


@pytest.mark.parametrize("source", ["[file:chat.md]", "[file:chat.md#L1-L2]"])
def test_same_source_path_no_conflict(source: str) -> None:
    likes, dislikes = {"text": "User likes tea."}, {"text": "User dislikes tea."}
    assert len(in_conflict(opinions(likes, dislikes), "tea")) == 2
    assert in_conflict(opinions(likes | {"derived_from": source}, dislikes | {"derived_from": source}), "tea") == []


@pytest.mark.parametrize(
    ("text", "kinds"), [("User dislikes tea.", ["contradiction"]), ("User likes milk.", []), ("User likes tea.", [])]
)
def test_add_memory_returns_conflicts(text: str, kinds: list[str]) -> None:
    ws = opinions({"text": "User likes tea."}, {"text": "The car is blue."})
    saved = note(ws.view(), text)
    assert [found.conflict_type.value for found in saved.conflicts] == kinds


# -- conflicts count before anything is left out or put in order -----------------------------------


def rivals(**more: dict[str, str]) -> Workspace:
    """Return a vault in which two memories about tea contradict each other, and with more."""
    files = {}
    for name, keys in ({"likes": {"text": "User likes tea."}, "not": {"text": "User dislikes tea."}} | more).items():
        said = {"id": f"m_{name}", "created_at": f'"{TODAY}"', "channel": "session"} | keys
        files[f"{name}.md"] = memory_text(said.pop("text") + "\n", **said)
    return memory_workspace(files)


@pytest.mark.parametrize("limit", [1, 10])
def test_min_confidence_counts_conflicts_and_falls_back(limit: int) -> None:
    answer = search(rivals().view(), "tea", min_confidence=0.5, max_results=limit)
    assert answer.fallback == "no result reaches confidence 0.5; these are the best below it, up to 0.42"
    assert [round(hit.quality, 2) for hit in answer.hits] == [0.42, 0.42][:limit]


@pytest.mark.parametrize("limit", [1, 2, 10])
def test_min_confidence_leaves_room_for_what_is_not_contested(limit: int) -> None:
    ws = rivals(milk={"text": "Milk goes well with green tea, says everybody in the long queue at the market."})
    answer = search(ws.view(), "tea", min_confidence=0.5, max_results=limit)
    assert [hit.ref for hit in answer.hits] == ["note:m_milk"]
    assert answer.fallback is None


def test_the_order_by_quality_counts_conflicts_with_results_further_down() -> None:
    ws = rivals(milk={"text": "Green tea goes well with milk.", "channel": "heartbeat"})
    assert search(ws.view(), "tea").hits[0].ref != "note:m_milk"
    assert search(ws.view(), "tea", Wish(sort=Sort.QUALITY, limit=1)).hits[0].ref == "note:m_milk"


def test_passages_of_one_memory_are_one_voice() -> None:
    ws = rivals(often={"text": "User hates tea.\n\nTea it is."})
    hits = search(ws.view(), "tea", Wish(by=Unit.PASSAGE)).hits
    likes = next(hit for hit in hits if hit.ref == "note:m_likes")
    assert sorted(found.refs[1] for found in likes.conflicts) == ["note:m_not", "note:m_often"]
