"""Seed 004's JSON: its three forms come in and go out again, and say the same as the Markdown."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.access.entities import add_entity
from memstore.core.errors import FormatError, NotFoundError, UsageError
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.memories.memory_v01 import export_memories, import_memories
from memstore.memories.show import show_memory
from memstore.trust import statement
from memstore.trust.formats.memory_v01 import Placed, read
from memstore.trust.trust import trust_of
from tests.memory_workspace import files_of, memory_workspace
from tests.strategies import HandStyled, hand_styled_files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memstore.core.change import Skipped

AUTHOR = {"agent_id": "Babel", "platform": "clawdbot", "signature": "..."}
# The seed's two examples, and the object that its definition shows with an answer for each of its alternatives.
INSIGHT: dict[str, Any] = {
    "id": "mem_abc123",
    "version": 1,
    "content": {
        "type": "insight",
        "summary": "Memory synthesis is harder than memory storage",
        "body": "The hard problem isn't where to put memories or how to retrieve them. It's knowing WHAT to remember "
        "and HOW to write it so future-self understands.",
        "tags": ["synthesis", "memory", "core-problem"],
    },
    "provenance": {
        "author": AUTHOR,
        "created_at": "2026-02-04T16:00:00Z",
        "context": {"trigger": "Deep thinking session on memory problems", "confidence": 0.9},
    },
    "witnesses": [],
    "anchors": [],
    "trust": {"score": 0.2, "factors": {"author_reputation": 0.5, "witness_count": 0, "anchor_count": 0}},
}
ENCOUNTER: dict[str, Any] = {
    "id": "mem_def456",
    "version": 1,
    "content": {
        "type": "encounter",
        "summary": "eudaemon_0 proposed isnad chains for skill verification",
        "body": "In their post 'The supply chain attack nobody is talking about', eudaemon_0 proposed borrowing from "
        "Islamic hadith authentication — tracking who vouched for a skill, through whom, back to the author.",
        "tags": ["eudaemon_0", "isnad", "trust", "skills"],
    },
    "provenance": {
        "author": AUTHOR,
        "created_at": "2026-02-05T11:29:38Z",
        "context": {"trigger": "Reading Moltbook hot feed", "confidence": 0.95},
    },
    "witnesses": [],
    "anchors": [
        {
            "type": "moltbook_post",
            "reference": "https://moltbook.com/p/cbd6474f-8478-4894-95f1-7b104a73bcd5",
            "created_at": "2026-01-30T05:39:05Z",
            "hash": "sha256_of_post_content",
        }
    ],
    "trust": {"score": 0.6, "factors": {"author_reputation": 0.5, "witness_count": 0, "anchor_count": 1}},
}
WHOLE: dict[str, Any] = {
    "$schema": "https://anamnesis.dev/schemas/memory-v0.1.json",
    "id": "mem_uuid",
    "version": 1,
    "content": {
        "type": "insight",
        "summary": "One-line description",
        "body": "Full memory content",
        "tags": ["memory", "trust", "verification"],
    },
    "provenance": {
        "author": {"agent_id": "Babel", "platform": "moltbook", "signature": "base64_signature_of_content"},
        "created_at": "2026-02-05T16:00:00Z",
        "context": {
            "session_id": "optional_session_reference",
            "trigger": "What prompted this memory",
            "confidence": 0.85,
        },
    },
    "witnesses": [
        {
            "agent_id": "Pith",
            "witnessed_at": "2026-02-05T16:05:00Z",
            "attestation": "confirm",
            "signature": "base64_signature_of_memory_hash",
            "notes": "Optional witness comments",
        }
    ],
    "anchors": [
        {
            "type": "moltbook_post",
            "reference": "https://moltbook.com/p/post_id",
            "created_at": "2026-02-05T16:10:00Z",
            "hash": "sha256_of_anchor_content",
        }
    ],
    "lineage": {
        "supersedes": None,
        "superseded_by": None,
        "derived_from": ["mem_abc123", "mem_source_2"],
        "chain_depth": 7,
    },
    "trust": {"score": 0.75, "factors": {"witness_count": 2}, "computed_at": "2026-02-05T16:15:00Z"},
}
EXAMPLES = (INSIGHT, ENCOUNTER, WHOLE)


def placed(documents: Iterable[dict[str, Any]]) -> tuple[Placed | Skipped, ...]:
    """Return documents as they are read, from bytes as they travel."""
    return read("a.json", json.dumps([*documents]).encode())


def said(document: dict[str, Any]) -> dict[str, Any]:
    """Return what a document says, without what is computed, and without members that say nothing."""

    def present(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: kept for name, item in value.items() if (kept := present(item)) not in (None, [], {}, "")}
        return [present(item) for item in value] if isinstance(value, list) else value

    found = present({name: value for name, value in document.items() if name not in ("trust", "$schema")})
    found.get("lineage", {}).pop("chain_depth", None)
    return {name: value for name, value in found.items() if value}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example["id"]))
def test_the_seeds_examples_come_in_and_go_out_again(example: dict[str, Any]) -> None:
    ws = memory_workspace()
    (saved,) = import_memories(ws.view(), placed([example])).saved
    (out,) = export_memories(ws.view(), [saved.ref or ""])
    expected = said(example)
    assert said(out) == expected
    assert out["trust"]["factors"]["age_days"] == 0
    assert out["trust"]["level"] == "unverified"  # whatever the file claims


def test_what_a_memory_says_of_itself_lands_where_it_belongs() -> None:
    ws = memory_workspace()
    import_memories(ws.view(), placed([WHOLE, INSIGHT]))
    memory = show_memory(ws.view(), "mem_uuid").memory
    assert (memory.author, memory.platform, memory.confidence) == ("si:babel", "moltbook", 0.85)
    assert memory.title == "One-line description"
    assert memory.origin is not None
    assert (memory.origin.session_id, memory.origin.trigger) == (
        "optional_session_reference",
        "What prompted this memory",
    )
    assert memory.derived_from == ("insight:mem_abc123", "context:mem_source_2")
    assert [witness.agent_id for witness in memory.witnesses] == ["si:pith"]
    assert memory.access_grants == ()
    (out,) = export_memories(ws.view(), ["mem_uuid"])
    assert out["lineage"]["chain_depth"] == 1


def test_a_signature_that_is_none_is_kept_and_counts_for_nothing() -> None:
    ws = memory_workspace()
    import_memories(ws.view(), placed([WHOLE]))
    vouched = trust_of(ws.view(), "mem_uuid").vouched
    assert vouched.signature.state.value == "unsigned"
    assert [one.verdict.state.value for one in vouched.witnesses] == ["invalid"]
    assert "foreign_signature: base64_signature_of_content" in b"".join(files_of(ws).values()).decode()


def test_importing_twice_changes_nothing() -> None:
    ws = memory_workspace()
    import_memories(ws.view(), placed(EXAMPLES))
    before = dict(files_of(ws))
    again = import_memories(ws.view(), placed([*EXAMPLES, {**INSIGHT, "trust": {"score": 1}}]))
    assert (again.saved, len(again.known), again.different) == ((), 4, ())
    other = {**INSIGHT, "content": {**INSIGHT["content"], "body": "Storage is harder."}}
    assert import_memories(ws.view(), placed([other])).different == ("insight:mem_abc123",)
    assert files_of(ws) == before


def test_a_dry_run_writes_nothing() -> None:
    ws = memory_workspace()
    assert len(import_memories(ws.view(), placed(EXAMPLES), dry_run=True).saved) == len(EXAMPLES)
    assert files_of(ws) == {}


def test_a_handle_is_the_entity_that_has_it_as_an_alias() -> None:
    ws = memory_workspace()
    add_entity(ws.view(), "si:tower", aliases=["Babel"])
    import_memories(ws.view(), placed([INSIGHT]))
    assert show_memory(ws.view(), "mem_abc123").memory.author == "si:tower"
    assert export_memories(ws.view(), ["mem_abc123"])[0]["provenance"]["author"] == AUTHOR


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"access_grants": ["*"]}, "access_grants"),
        ({"memstore": {"access_grants": ["*"]}}, "access_grants"),
        ({"memstore": {"signature": {}}}, "place of its own"),
        ({"memstore": []}, "object"),
        ({"id": "../x"}, "../x"),
        ({"id": None}, "None"),
        ({"content": {**INSIGHT["content"], "body": 3}}, "must be a text"),
        ({"content": {**INSIGHT["content"], "type": "hunch"}}, "hunch"),
        ({"content": {**INSIGHT["content"], "tags": "one two"}}, "tags"),
        ({"content": "text"}, "content"),
        ({"provenance": {"author": {"agent_id": "B\u0430bel"}}}, "it is unknown"),  # a Cyrillic a
        ({"provenance": {"author": {"agent_id": 3}}}, "author"),
        ({"witnesses": [3]}, "witnesses"),
        ({"anchors": [{"type": "pigeon", "reference": "x"}]}, "pigeon"),
    ],
)
def test_what_could_not_be_kept_is_left_out_and_named(change: dict[str, Any], told: str) -> None:
    ws = memory_workspace()
    documents = placed([{**INSIGHT, **change}, ENCOUNTER])
    with pytest.raises(FormatError, match=told.replace(".", r"\.")):
        import_memories(ws.view(), documents, strict=True)
    with pytest.raises(FormatError):
        import_memories(ws.view(), documents[:1])
    assert files_of(ws) == {}
    done = import_memories(ws.view(), documents)
    assert [(one.where, told in one.why, one.broken) for one in done.left_out] == [("a.json:1", True, True)]
    assert [one.ref for one in done.saved] == [f"encounter:{ENCOUNTER['id']}"]


def test_what_names_a_left_out_memory_keeps_the_name_without_its_type() -> None:
    ws = memory_workspace()
    done = import_memories(ws.view(), placed([WHOLE, {**INSIGHT, "access_grants": ["*"]}]))
    assert [one.broken for one in done.left_out] == [True]
    assert show_memory(ws.view(), "mem_uuid").memory.derived_from == ("context:mem_abc123", "context:mem_source_2")


def test_two_entities_of_one_name_are_told_apart_by_people() -> None:
    ws = memory_workspace()
    add_entity(ws.view(), "si:babel", aliases=["Babel"])
    add_entity(ws.view(), "human:babel", aliases=["babel"])
    with pytest.raises(FormatError, match="human:babel or si:babel"):
        import_memories(ws.view(), placed([INSIGHT]))


@pytest.mark.parametrize("text", ["", "{", "3", "[]", "[3]", '{"a": NaN}', '{"memories": {}}', "\udcff"])
def test_a_file_that_holds_no_memories_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        import_memories(memory_workspace().view(), read("a.json", text.encode(errors="surrogateescape")))


def test_a_line_that_cannot_be_read_is_left_out() -> None:
    ws = memory_workspace()
    lines = [
        json.dumps(INSIGHT),
        "3",
        '{"id": }',
        json.dumps(ENCOUNTER).replace("platform", "\udcff", 1),
        json.dumps(WHOLE),
    ]
    done = import_memories(ws.view(), read("a.jsonl", "\n".join(lines).encode(errors="surrogateescape")))
    assert [one.where for one in done.left_out] == ["a.jsonl:2", "a.jsonl:3", "a.jsonl:4"]
    assert len(done.saved) == 2


@pytest.mark.parametrize("form", ["[{0}, {1}]", "{0}\n\n{1}\n", '{{"memories": [{0}, {1}]}}', "\ufeff[{0}, {1}]"])
def test_files_hold_a_list_or_one_a_line(form: str) -> None:
    text = form.format(json.dumps(INSIGHT), json.dumps(ENCOUNTER))
    found = read("a.json", text.encode())
    assert [one.document for one in found if isinstance(one, Placed)] == [INSIGHT, ENCOUNTER]


SUCH = {"where": "self", "a": [1, 2.5, None, True, {"b": "ü: #x"}], "": "- y", "2026-01-01": "2026-01-01"}


def with_members(whole: dict[str, Any], members: Any) -> dict[str, Any]:
    """Return a document with members that the format doesn't have, in each of its parts."""
    document: dict[str, Any] = json.loads(json.dumps(whole))
    provenance = document["provenance"]
    parts = [document, document["content"], provenance, provenance["author"], provenance["context"]]
    for part in [*parts, document.get("lineage", {}), *document["witnesses"], *document["anchors"]]:
        part.update({"x_mood": members, "self": 1, "where": 2} if part is document else {"x_mood": members})
    return document


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example["id"]))
def test_members_that_the_format_does_not_have_are_named_kept_and_given_back(example: dict[str, Any]) -> None:
    ws, document = memory_workspace(), with_members(example, SUCH)
    done = import_memories(ws.view(), placed([document]), strict=True)
    (named,) = done.unknown
    assert named.where == "a.json:1"
    parts = ("content", "provenance", "lineage", "provenance.author", "provenance.context", "witnesses", "anchors")
    names = [
        "x_mood",
        "self",
        "where",
        *(f"{part}.x_mood" for part in parts if example.get(part) or part.startswith("provenance")),
    ]
    assert named.why == f"kept as it is: {', '.join(names)}"
    (out,) = export_memories(ws.view(), [str(example["id"])])
    assert said(out) == said(document)
    elsewhere = memory_workspace()
    import_memories(elsewhere.view(), placed([out]))
    assert files_of(elsewhere) == files_of(ws)
    plain = memory_workspace()
    assert import_memories(plain.view(), placed([example])).unknown == ()


KEYS = st.text("ab: #'\"-", max_size=4) | st.sampled_from(["true", "null", "~", "1", "0x1", "1e3", "where", "self"])


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
        max_leaves=6,
    )
)  # fmt: skip
def test_any_member_comes_back_as_it_was(member: Any) -> None:
    document = with_members(WHOLE, member)
    ws = memory_workspace()
    import_memories(ws.view(), placed([document]), strict=True)
    (out,) = export_memories(ws.view(), ["mem_uuid"])
    assert out["x_mood"] == out["content"]["x_mood"] == out["anchors"][0]["x_mood"] == member
    assert out["witnesses"][0]["x_mood"] == out["provenance"]["author"]["x_mood"] == member


def test_a_later_version_is_read_as_far_as_it_is_understood() -> None:
    later = {
        **WHOLE,
        "$schema": "https://anamnesis.dev/schemas/memory-v0.2.json",
        "content": {**WHOLE["content"], "type": "hunch", "mood": "sunny"},
        "witnesses": [{**WHOLE["witnesses"][0], "attestation": "shrug"}, *WHOLE["witnesses"]],
        "anchors": [{"type": "pigeon", "ring": 7}, *WHOLE["anchors"]],
    }
    ws = memory_workspace()
    done = import_memories(ws.view(), placed([later, {**INSIGHT, "content": {**INSIGHT["content"], "type": "hunch"}}]))
    (named,) = done.unknown
    assert (named.where, named.why.split("; ")) == (
        "a.json:1",
        ["it is of memory-v0.2, and read as far as that is understood",
         "kept as it is: content.mood, content.type, witnesses, anchors"],
    )  # fmt: skip
    assert ["hunch" in one.why for one in done.left_out] == [True]  # it doesn't say that it is of another version
    memory = show_memory(ws.view(), "note:mem_uuid").memory
    assert ([one.attestation for one in memory.witnesses], len(memory.anchors)) == (["confirm"], 1)
    (out,) = export_memories(ws.view(), ["mem_uuid"])
    assert out["$schema"] == WHOLE["$schema"]
    assert out["content"] == later["content"]
    assert out["anchors"] == [WHOLE["anchors"][0], {"type": "pigeon", "ring": 7}]
    assert [one["attestation"] for one in out["witnesses"]] == ["confirm", "shrug"]
    for schema in ("https://anamnesis.dev/schemas/memory-v0.1.json", "memory-v0.0", "x", None, 3):
        assert import_memories(memory_workspace().view(), placed([{**WHOLE, "$schema": schema}])).unknown == ()


def test_what_was_kept_never_takes_the_place_of_what_is_there() -> None:
    ws = memory_workspace()
    import_memories(ws.view(), placed([with_members(WHOLE, 1)]))
    ((path, data),) = files_of(ws).items()
    for said_by_hand in (
        b"foreign_members: 3", b"foreign_members: {content: 3, lineage: [x]}", b"foreign_members: {a.b: {c: 1}}",
        b"foreign_members: {document: {id: m_other00001, access_grants: ['*']}, content: {body: x}, witnesses: {x: 1}}",
    ):  # fmt: skip
        lines = [line for line in data.splitlines() if not line.startswith(b"foreign_members")]
        lines.insert(1, said_by_hand)
        (out,) = export_memories(memory_workspace({path: b"\n".join(lines)}).view(), ["mem_uuid"])
        assert (out["id"], out["content"]["body"], "access_grants" in out) == ("mem_uuid", "Full memory content", False)


def test_ids_in_a_lineage_are_those_that_other_readers_know() -> None:
    ws = memory_workspace()
    sources = ["mem_abc123", "mem_gone", "url:https://x.org"]
    heir = {**ENCOUNTER, "lineage": {"supersedes": "mem_abc123", "derived_from": sources}}
    import_memories(ws.view(), placed([heir, INSIGHT]))
    out, _ = export_memories(ws.view(), ["mem_def456", "mem_abc123"])
    assert out["lineage"]["supersedes"] == "mem_abc123"
    assert out["lineage"]["derived_from"] == sources
    assert out["lineage"]["types"] == {"mem_abc123": "insight"}
    assert {*out["lineage"]["types"]} == {INSIGHT["id"]}
    alone = memory_workspace()
    import_memories(alone.view(), placed([out]))
    memory = show_memory(alone.view(), "mem_def456").memory
    assert (memory.supersedes, memory.derived_from) == (
        ("insight:mem_abc123",), ("insight:mem_abc123", "context:mem_gone", "url:https://x.org"),
    )  # fmt: skip


def test_a_blockchain_anchor_is_stored_and_shown_as_unchecked() -> None:
    anchor = {"type": "blockchain", "reference": "eth:0xabc", "created_at": "2026-02-05T16:10:00Z", "hash": "sha256:x"}
    ws = memory_workspace()
    import_memories(ws.view(), placed([{**WHOLE, "anchors": [anchor]}]))
    (anchored,) = trust_of(ws.view(), "mem_uuid").vouched.anchors
    assert (anchored.status.value, anchored.counts, anchored.timed) == ("unchecked", False, False)
    assert export_memories(ws.view(), ["mem_uuid"])[0]["anchors"] == [anchor]


def test_others_get_only_what_they_may_see() -> None:
    ws = memory_workspace()
    import_memories(ws.view(), placed(EXAMPLES))
    pith = memory_workspace(files_of(ws), actor="si:pith")
    assert export_memories(pith.view()) == ()
    with pytest.raises(NotFoundError):
        export_memories(pith.view(), ["mem_abc123"])
    assert len(export_memories(ws.view())) == len(EXAMPLES)
    with pytest.raises(UsageError):
        export_memories(ws.view(), [])


ATTESTED = b"""\
---
type: belief
id: m_1snad0000x
title: Memory synthesis is harder than memory storage
created_at: "2026-01-04T16:00:00Z"
author: si:babel
owner: human:sean
source: deep thinking
source_entity: si:pith
supersedes: [belief:m_0ther0000x, "note:m_0ther0000y"]
claims:
  - {subject: "memory", attribute: "hard", value: "synthesis"}
access_grants: ["*"]
confidence: 0.9
confidence_history:
  - {timestamp: "2026-01-04T16:00:00Z", op: assert, old: null, new: 0.9, by: "si:babel"}
signature: {by: "si:babel", at: "2026-01-04T16:01:00Z", content: "sha256:a", provenance: "sha256:b", sig: "U1NI"}
witnesses:
  - {agent_id: "si:pith", attestation: partial, witnessed_at: "2026-01-05T16:00:00Z", aspects: ["title"], sig: "U1NI"}
anchors:
  - {type: git_commit, reference: "0123", role: commitment, path: "a.md", blob: "45", hash: "sha256:c"}
mood: sunny
---

Text.
"""


def test_all_but_who_may_see_it_travels() -> None:
    (out,) = export_memories(memory_workspace({"a.md": ATTESTED}).view(), ["a.md"])
    elsewhere = memory_workspace()
    import_memories(elsewhere.view(), placed([out]))
    first = show_memory(memory_workspace({"a.md": ATTESTED}).view(), "m_1snad0000x").memory
    assert show_memory(elsewhere.view(), "m_1snad0000x").memory == replace(
        first, owner=None, access_grants=(), extra={"mood": "sunny", "version": 1}
    )


@given(hand_styled_files())
def test_json_and_markdown_say_the_same(styled: HandStyled) -> None:
    file = memory_file.read("a.md", styled.data)
    assert isinstance(file, MemoryFile)
    if file.memory.id is None:
        return
    ws = memory_workspace({"a.md": styled.data})
    (out,) = export_memories(ws.view(), ["a.md"])
    elsewhere = memory_workspace()
    # Through bytes, as it travels.
    import_memories(elsewhere.view(), read("a.json", json.dumps(out).encode()))
    (data,) = files_of(elsewhere).values()
    back = memory_file.read("b.md", data)
    assert isinstance(back, MemoryFile)
    assert statement.digests(back.memory) == statement.digests(file.memory)
    (again,) = export_memories(elsewhere.view(), [str(file.memory.id)])
    assert said(again) == said(out)
