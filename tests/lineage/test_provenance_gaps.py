from __future__ import annotations

from memstore.lineage.orphans import (
    MOST_TWINS,
    SEED_STATEMENTS,
    SEED_WORDS,
    ProvenanceChange,
    is_seed_statement,
    merged,
    one_sided_promotions,
    one_sided_successions,
    same_texts,
    seed_beliefs,
    told_as_lived,
    twins_in_time,
    without_source,
)
from tests.lineage.lineage_graphs import Cells, graph, names


def told(changes: list[ProvenanceChange]) -> list[tuple[str, str, tuple[str, ...], str]]:
    return [(change.path, change.key, change.items, change.value) for change in merged(changes)]


def test_any_recorded_source_is_one() -> None:
    made: dict[str, Cells] = {
        "note:none": {"author": "si:ash"},
        "note:unknown": {"source_type": "unknown"},
        "note:source": {"source": "a walk"},
        "note:type": {"source_type": "direct_experience"},
        "note:entity": {"source_entity": "human:sean", "source_type": "unknown"},
        "note:derived": {"derived_from": "raw:gone"},
        "note:relates": {"relates_to": "raw:gone"},
        "note:evidence": {"evidence": "support raw:gone"},
        "note:tombstone": {"status": "forgotten"},
        "no id.md": {},
    }
    found = graph(made)
    assert names(found, without_source(found)) == ["no id.md", "note:none", "note:unknown"]


def test_a_promotion_recorded_on_one_side_is_recorded_on_both() -> None:
    made: dict[str, Cells] = {
        "raw:one": {"processed_into": "belief:made"},
        "belief:made": {},
        "raw:two": {},
        "note:born": {"derived_from": "raw:two"},
        "raw:both": {"processed_into": "note:done"},
        "note:done": {"derived_from": "raw:both"},
    }
    assert told(one_sided_promotions(graph(made))) == [
        ("memories/made.md", "derived_from", ("raw:one",), ""),
        ("memories/two.md", "processed_into", ("note:born",), ""),
    ]


def test_one_heir_is_a_ref_and_several_are_a_list() -> None:
    made: dict[str, Cells] = {
        "note:one": {},
        "note:heir": {"supersedes": ["note:one", "note:two"]},
        "note:two": {"status": "superseded"},
        "note:also": {"supersedes": "note:two"},
        "note:three": {"superseded_by": "note:heir", "status": "superseded"},
        "note:more": {"supersedes": "note:three"},
        "no id.md": {"supersedes": "note:one"},
    }
    assert sorted(told(one_sided_successions(graph(made)))) == [
        ("memories/one.md", "status", (), "superseded"),
        ("memories/one.md", "superseded_by", (), "note:heir"),
        ("memories/three.md", "superseded_by", ("note:more",), ""),
        ("memories/two.md", "superseded_by", ("note:also",), ""),
        ("memories/two.md", "superseded_by", ("note:heir",), ""),
    ]


def test_what_is_no_memory_yet_or_any_more_is_left_alone() -> None:
    made: dict[str, Cells] = {
        "raw:one": {"processed_into": "belief:draft"},
        "belief:draft": {"status": "draft"},
        "note:two": {"derived_from": "raw:gone"},
        "raw:tomb": {"status": "forgotten"},
        "note:three": {"derived_from": "raw:tomb"},
        "note.md": {"derived_from": "raw:one"},
    }
    assert told(one_sided_promotions(graph(made))) == []


def test_no_link_is_made_that_closes_a_circle() -> None:
    made: dict[str, Cells] = {"raw:one": {"derived_from": "note:two", "processed_into": "note:two"}, "note:two": {}}
    assert told(one_sided_promotions(graph(made))) == []


def test_seed_beliefs_are_known_by_their_statement() -> None:
    statement = "Truth is rarely binary; complexity is a feature, not a bug."
    made: dict[str, Cells] = {
        "belief:title": {"title": statement.lower()},
        "belief:body": {"title": "On truth", "source_type": "unknown", "derived_from": "raw:xxx"},
        "belief:told": {"title": statement, "source_type": "told_by_human"},
        "note:quoted": {"title": statement},
        "belief:other": {"title": "Truth is rarely binary."},
    }
    assert told(seed_beliefs(graph(made), {1: f"\n{statement}\n\nHeld since.\n"})) == [
        ("memories/body.md", "derived_from", ("kernle:seed-beliefs",), ""),
        ("memories/body.md", "source_type", (), "seed"),
        ("memories/title.md", "derived_from", ("kernle:seed-beliefs",), ""),
        ("memories/title.md", "source_type", (), "seed"),
    ]


def test_imported_seeds_are_known_by_what_is_left_of_the_import() -> None:
    mark = "kernle:seed-beliefs"
    made: dict[str, Cells] = {
        "belief:source": {"title": "Tea helps.", "source": "seed-initialization"},
        "belief:ledger": {"title": "Ask twice.", "evidence": f"assert {mark}"},
        "belief:mark": {"title": "Rest.", "derived_from": mark},
        "belief:told": {"title": "So.", "source": "seed-initialization", "source_type": "told_by_human"},
        "note:other": {"title": "No.", "source": "seed-initialization"},
        "belief:own": {"title": "No.", "source": "cli-promote"},
    }
    assert told(seed_beliefs(graph(made), {})) == [
        ("memories/ledger.md", "derived_from", (mark,), ""),
        ("memories/ledger.md", "source_type", (), "seed"),
        ("memories/mark.md", "source_type", (), "seed"),
        ("memories/source.md", "derived_from", (mark,), ""),
        ("memories/source.md", "source_type", (), "seed"),
    ]


def test_a_copy_of_a_seed_of_this_vault_is_known_by_its_text_and_title() -> None:
    same: Cells = {"title": "Tea helps.", "words": "d1"}
    made: dict[str, Cells] = {
        "belief:seed": {**same, "source_type": "seed"},
        "belief:copy": same,
        "belief:marks": same,
        "belief:other": {"title": "Tea", "words": "d1"},
        "belief:told": {**same, "source_type": "told_by_human"},
        "note:note": same,
    }
    texts = {0: "Tea helps.\n", 1: "Tea  helps.", 2: "Tea helps!", 3: "Tea helps.", 4: "Tea helps.", 5: "Tea helps."}
    assert told(seed_beliefs(graph(made), texts)) == [
        ("memories/copy.md", "derived_from", ("kernle:seed-beliefs",), ""),
        ("memories/copy.md", "source_type", (), "seed"),
    ]


def test_a_seed_word_is_left_of_a_statement_cut_short() -> None:
    for statement, word in zip(SEED_STATEMENTS, SEED_WORDS, strict=True):
        assert word in " ".join(statement.lower().split()[:4])


def test_a_statement_cut_short_is_known_by_its_beginning() -> None:
    assert is_seed_statement("I am not obligated...")
    assert is_seed_statement("Authentic relationships require honesty…")
    assert not is_seed_statement("I am not obligated to answer.")
    assert not is_seed_statement("I am…")
    assert not is_seed_statement("")


RAW: Cells = {"created_at": "2026-02-01T12:00:00Z", "words": "one"}
TEXTS = {0: "The tea\nwas cold.\n", 1: "The tea was cold.\n"}


def joined(memory: Cells, texts: dict[int, str]) -> list[tuple[str, str, tuple[str, ...], str]]:
    found = graph({"raw:rrr": RAW, "note:nnn": {"words": "one", **memory}})
    return told(same_texts(found, twins_in_time(found), texts))


def test_what_a_teller_told_was_not_lived() -> None:
    lived: Cells = {"source_type": "direct_experience"}
    made: dict[str, Cells] = {
        "note:told": {**lived, "source_entity": "vet:dr_smith"},
        "raw:words": {**lived, "source": "org:clinic"},
        "raw:walk": {**lived, "source": "a walk"},
        "raw:tomb": {**lived, "source": "org:clinic", "status": "forgotten"},
        "note:looked": {"source_type": "observation", "source_entity": "vet:dr_smith"},
        "note:older": {"source_entity": "vet:dr_smith"},
    }
    assert told(told_as_lived(graph(made), lambda entity: f"told_by_{entity[:3]}")) == [
        ("memories/told.md", "source_type", (), "told_by_vet"),
        ("memories/words.md", "source_type", (), "told_by_org"),
    ]


def test_the_same_text_within_half_an_hour_is_the_same_memory() -> None:
    assert joined({"created_at": "2026-02-01T12:30:00Z"}, TEXTS) == [
        ("memories/nnn.md", "derived_from", ("raw:rrr",), ""),
        ("memories/rrr.md", "processed_into", ("note:nnn",), ""),
    ]


def test_later_other_or_sourced_texts_are_not_joined() -> None:
    near = "2026-02-01T12:01:00Z"
    assert joined({"created_at": "2026-02-01T12:30:01Z"}, TEXTS) == []
    assert joined({"created_at": near}, {**TEXTS, 1: "The tea was hot.\n"}) == []
    assert joined({"created_at": near}, {0: "\n", 1: ""}) == []
    assert joined({"created_at": near, "derived_from": "raw:rrr"}, TEXTS) == []
    assert joined({}, TEXTS) == []


def test_texts_of_other_words_are_not_even_compared() -> None:
    made: dict[str, Cells] = {"raw:rrr": RAW, "note:nnn": {"created_at": "2026-02-01T12:01:00Z", "words": "one"}}
    assert twins_in_time(graph(made)) == [(0, 1)]
    assert twins_in_time(graph({**made, "raw:rrr": {**RAW, "words": "other"}})) == []
    assert twins_in_time(graph({name: {**cells, "words": ""} for name, cells in made.items()})) == []


def test_of_hundreds_of_the_same_moment_a_few_are_tried() -> None:
    made: dict[str, Cells] = {f"{kind}:m{n:03d}{kind}": RAW for kind in ("raw", "note") for n in range(300)}
    pairs = twins_in_time(graph(made))
    assert len(pairs) == 300 * MOST_TWINS
    assert {raw for raw, _ in pairs} == set(range(MOST_TWINS))


def test_of_two_raw_memories_the_nearer_one_is_the_source() -> None:
    made: dict[str, Cells] = {
        "raw:far": {**RAW, "created_at": "2026-02-01T11:50:00Z"},
        "raw:near": RAW,
        "note:nnn": {**RAW, "created_at": "2026-02-01T12:01:00Z"},
    }
    found = graph(made)
    changes = same_texts(found, twins_in_time(found), dict.fromkeys(range(3), "The tea was cold."))
    assert [change.items for change in changes] == [("raw:near",), ("note:nnn",)]
