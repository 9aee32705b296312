"""What is signed: the same for every layout of a file, another for every other meaning."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.errors import FormatError
from memstore.core.memory import Memory, Signature, Witness
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.trust import statement
from memstore.trust import statement as canonical
from memstore.trust.statement import Digests

HEAD = """\
type: insight
id: m_synth3s1s0
title: Memory synthesis is harder than memory storage
tags: [synthesis, memory, core-problem]
aliases:
  - the hard problem
claims:
  - {subject: "memory", attribute: "hard part", value: "synthesis"}
  - {subject: "memory", attribute: "easy part", value: "storage", since: "2026-02-04"}
valid_from: "2026-02-04"
created_at: "2026-02-04T16:00:00Z"
source: "a deep thinking session"
source_type: inference
source_entity: si:babel
subject_ids: [si:babel, topic:memory]
derived_from:
  - raw:m_f70cefb6ab
  - "context:Deep thinking"
supersedes: insight:m_mc80me9tcm
author: si:babel
platform: clawdbot
origin: {session_id: "s-42", trigger: "Deep thinking session on memory problems"}
confidence: 0.9
"""
BODY = "The hard problem isn't where to put memories.\n\n    It's knowing *what* to remember — caf\u00e9.\n"


def memory_of(text: str | bytes) -> Memory:
    data = text if isinstance(text, bytes) else text.encode()
    file = memory_file.read("memory.md", data)
    assert isinstance(file, MemoryFile), file
    return file.memory


def digests(head: str = HEAD, body: str = BODY) -> Digests:
    return canonical.digests(memory_of(f"---\n{head}---\n{body}"))


WHOLE = digests()


def test_the_profile_is_frozen() -> None:
    """Golden vectors: once they differ, every signature in the world is stale."""
    assert canonical.canonical_json(canonical.content_of(memory_of(f"---\n{HEAD}---\n{BODY}"))).decode() == (
        '{"aliases":["the hard problem"],"body":"The hard problem isn\'t where to put memories.\\n\\n'
        "    It's knowing *what* to remember — caf\u00e9.\\n\","
        '"claims":[{"attribute":"easy part","since":"2026-02-04","subject":"memory","value":"storage"},'
        '{"attribute":"hard part","subject":"memory","value":"synthesis"}],'
        '"tags":["core-problem","memory","synthesis"],"title":"Memory synthesis is harder than memory storage",'
        '"type":"insight","valid_from":"2026-02-04"}'
    )
    assert digests() == Digests(
        content="sha256:ca147374b7d1d9f67780377dcea84b1dfe04aa891cf61af49df3f1777c9aa4d3",
        provenance="sha256:63501ed6100a8d33a70f8d3d3dc731ee4abc8f8639698d6afd30e1ff7e233da1",
    )
    assert canonical.digests(Memory(type="raw", body="x")) == Digests(
        content="sha256:f27a69ef8f47918a863fd13f2867e6325486720b58f5ed6d05fff8d2bfc64a02",
        provenance="sha256:2ae704b4fec5d88fc7a196338805d3c32faa48d3b9d08558904774dd2dd16f6a",
    )


def edited(*changes: tuple[str, str]) -> str:
    """Return the head with each text replaced by another; one that isn't there is a slip in the test."""
    head = HEAD
    for old, new in changes:
        assert old in head, old
        head = head.replace(old, new)
    return head


# Hand edits that change no meaning: a name, the head, the body.
HARMLESS: list[tuple[str, str, str]] = [
    ("keys in another order", "platform: clawdbot\n" + edited(("platform: clawdbot\n", "")), BODY),
    ("a comment above", "# mine\n" + HEAD, BODY),
    ("a comment behind", edited(("platform: clawdbot", "platform: clawdbot  # the bot")), BODY),
    ("single quotes", edited(('"2026-02-04T16:00:00Z"', "'2026-02-04T16:00:00Z'")), BODY),
    ("no quotes", edited(('source: "a deep thinking session"', "source: a deep thinking session")), BODY),
    ("quotes where none were", edited(("source_type: inference", 'source_type: "inference"')), BODY),
    ("an escape", edited(('"a deep', '"\\x61 deep')), BODY),
    ("a list in lines", edited(("[synthesis, memory, core-problem]", "\n- synthesis\n- memory\n- core-problem")), BODY),
    ("a list in brackets", edited(("\n  - the hard problem", " [the hard problem]")), BODY),
    ("tags in another order", edited(("[synthesis, memory,", "[memory, synthesis,")), BODY),
    ("a tag twice", edited(("[synthesis, memory,", "[synthesis, memory, memory,")), BODY),
    ("subjects in another order", edited(("[si:babel, topic:memory]", "[topic:memory, si:babel]")), BODY),
    (
        "keys of a claim in another order",
        edited(('subject: "memory", attribute: "hard part"', 'attribute: "hard part", subject: "memory"')),
        BODY,
    ),
    ("more room between", edited(("type: insight", "type:    insight  "), ("claims:", "\nclaims:")), BODY),
    (
        "an origin in lines",
        edited(
            (
                '{session_id: "s-42", trigger: "Deep thinking session on memory problems"}',
                "\n  session_id: s-42\n  trigger: Deep thinking session on memory problems",
            )
        ),
        BODY,
    ),
    ("a list of one heir", edited(("supersedes: insight:m_mc80me9tcm", "supersedes: [insight:m_mc80me9tcm]")), BODY),
    ("an empty list", HEAD + "relates_to: []\n", BODY),
    ("null", HEAD + "valid_until: null\nsource_chain: ~\n", BODY),
    ("an empty text", HEAD + 'valid_until: ""\n', BODY),
    ("confidence", edited(("confidence: 0.9", "confidence: 0.5")), BODY),
    ("history", HEAD + 'confidence_history:\n  - {timestamp: "2026-02-04T16:00:00Z", op: assert, new: 0.9}\n', BODY),
    ("status", HEAD + "status: superseded\nsuperseded_by: insight:m_0000000001\n", BODY),
    ("grants", HEAD + 'access_grants: ["*"]\nimportance: high\n', BODY),
    (
        "a witness",
        HEAD + 'witnesses:\n  - {agent_id: "si:pith", attestation: confirm, witnessed_at: "2026-02-05T16:00:00Z"}\n',
        BODY,
    ),
    ("an anchor", HEAD + 'anchors:\n  - {type: url, reference: "https://example.org"}\n', BODY),
    ("a key of one's own", HEAD + "mood: curious\n", BODY),
    ("CRLF", HEAD.replace("\n", "\r\n"), BODY.replace("\n", "\r\n")),
    ("trailing blanks", HEAD, BODY.replace("\n", "  \t\n")),
    ("blank lines around", HEAD, "\n\n" + BODY + "\n \n\n"),
    ("no newline at the end", HEAD, BODY.rstrip("\n")),
    ("a decomposed letter", HEAD, BODY.replace("\u00e9", "e\u0301")),
]


@pytest.mark.parametrize(("head", "body"), [case[1:] for case in HARMLESS], ids=[case[0] for case in HARMLESS])
def test_a_harmless_edit_keeps_both_digests(head: str, body: str) -> None:
    assert digests(head, body) == WHOLE


def test_a_byte_order_mark_keeps_both_digests() -> None:
    assert canonical.digests(memory_of(b"\xef\xbb\xbf" + f"---\n{HEAD}---\n{BODY}".encode())) == WHOLE


CONTENT: list[tuple[str, str, str]] = [
    ("type", edited(("type: insight", "type: decision")), BODY),
    ("title", edited(("harder than", "easier than")), BODY),
    ("no title", edited(("title: Memory synthesis is harder than memory storage\n", "")), BODY),
    ("a tag more", edited(("[synthesis,", "[synthesis, trust,")), BODY),
    ("an alias less", edited(("aliases:\n  - the hard problem\n", "")), BODY),
    ("a claim's value", edited(('value: "storage"', 'value: "retrieval"')), BODY),
    ("a claim's time", edited((', since: "2026-02-04"', "")), BODY),
    ("when it began", edited(('valid_from: "2026-02-04"', 'valid_from: "2026-02-05"')), BODY),
    ("when it ended", HEAD + 'valid_until: "2026-03-01"\n', BODY),
    ("a word", HEAD, BODY.replace("isn't", "is")),
    ("the left side", HEAD, BODY.replace("    It's", "  It's")),
    ("a blank line", HEAD, BODY.replace("\n\n", "\n")),
    ("case", HEAD, BODY.replace("The", "the")),
    ("a look-alike", HEAD, BODY.replace("memories", "mem\u043eries")),
    ("a zero-width space", HEAD, BODY.replace("memories", "mem\u200bories")),
    ("no text", HEAD, ""),
]
PROVENANCE: list[tuple[str, str]] = [
    ("id", edited(("id: m_synth3s1s0", "id: m_synth3s1s1"))),
    ("time", edited(("16:00:00Z", "16:00:01Z"))),
    ("source", edited(("a deep thinking", "a shallow thinking"))),
    ("source type", edited(("source_type: inference", "source_type: observation"))),
    ("who told", edited(("source_entity: si:babel\n", ""))),
    ("a subject", edited(("[si:babel, topic:memory]", "[si:babel]"))),
    ("a source more", edited(("derived_from:\n", "derived_from:\n  - raw:m_0000000001\n"))),
    ("what it superseded", edited(("supersedes: insight:m_mc80me9tcm\n", ""))),
    ("author", edited(("author: si:babel", "author: si:bable"))),
    ("platform", edited(("platform: clawdbot", "platform: moltbook"))),
    ("a session", edited(('session_id: "s-42", ', ""))),
    (
        "a field moved to another",
        edited(
            ('source: "a deep thinking session"\n', ""), ("platform: clawdbot", "platform: a deep thinking session")
        ),
    ),
]


@pytest.mark.parametrize(("head", "body"), [case[1:] for case in CONTENT], ids=[case[0] for case in CONTENT])
def test_another_content_is_told_from_another_provenance(head: str, body: str) -> None:
    found = digests(head, body)
    assert found.content != WHOLE.content
    assert found.provenance == WHOLE.provenance


@pytest.mark.parametrize("head", [case[1] for case in PROVENANCE], ids=[case[0] for case in PROVENANCE])
def test_another_provenance_is_told_from_another_content(head: str) -> None:
    found = digests(head)
    assert found.provenance != WHOLE.provenance
    assert found.content == WHOLE.content


def test_a_character_that_unicode_has_not_assigned_is_refused() -> None:
    with pytest.raises(FormatError, match="U\\+0378"):
        canonical.digests(Memory(type="raw", body="what is \u0378?"))


def test_digests_of_two_sections_never_meet() -> None:
    empty = canonical.digests(Memory(type="", body=""))
    assert empty.content != empty.provenance


@given(st.lists(st.text("ab \t\n\r\u00e9", max_size=20), max_size=5))
def test_a_canonical_body_is_its_own_canonical_body(parts: list[str]) -> None:
    once = canonical.canonical_body("\n".join(parts))
    assert canonical.canonical_body(once) == once
    assert once == "" or (once.endswith("\n") and not once.endswith("\n\n"))


@given(st.lists(st.text("abc\u00e9", min_size=1, max_size=3), max_size=6))
def test_the_order_of_a_set_is_no_meaning(tags: list[str]) -> None:
    texts = tuple(tags)
    memory = Memory(type="note", tags=texts)
    assert canonical.digests(memory) == canonical.digests(replace(memory, tags=tuple(reversed(texts)) + texts))


@given(st.integers(0, 700), st.binary(max_size=3))
def test_whatever_bytes_are_changed_nothing_breaks(at: int, put: bytes) -> None:
    data = f"---\n{HEAD}---\n{BODY}".encode()
    file = memory_file.read("memory.md", data[:at] + put + data[at + len(put) :])
    if isinstance(file, MemoryFile):
        try:
            found = canonical.digests(file.memory)
        except FormatError:
            return
        assert all(len(digest) == len(WHOLE.content) for digest in found)


SIGNED = Signature(by="si:babel", at="2026-02-04T16:00:00Z", content=WHOLE.content, provenance=WHOLE.provenance, sig="")
WITNESS = Witness(
    agent_id="si:pith",
    attestation="partial",
    witnessed_at="2026-02-05T16:05:00Z",
    content=WHOLE.content,
    provenance=WHOLE.provenance,
    aspects=("title",),
    notes="I was there.",
)


def test_a_statement_is_one_of_in_toto() -> None:
    said = json.loads(statement.payload(statement.by_witness("m_synth3s1s0", WITNESS)))
    assert said == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {"name": "m_synth3s1s0#content", "digest": {"sha256": WHOLE.content.removeprefix("sha256:")}},
            {"name": "m_synth3s1s0#provenance", "digest": {"sha256": WHOLE.provenance.removeprefix("sha256:")}},
        ],
        "predicateType": "https://memstore.dev/attestation/witness/v1",
        "predicate": {
            "agent": "si:pith",
            "at": "2026-02-05T16:05:00Z",
            "attestation": "partial",
            "aspects": ["title"],
            "notes": "I was there.",
            "c14n": "memstore.c14n/1",
        },
    }


def test_what_an_entry_leaves_out_is_not_in_its_statement() -> None:
    said = json.loads(statement.payload(statement.by_author("m_synth3s1s0", SIGNED)))
    assert said["predicate"] == {"agent": "si:babel", "at": "2026-02-04T16:00:00Z", "c14n": "memstore.c14n/1"}
    assert said["predicateType"] == "https://memstore.dev/attestation/author/v1"


def test_what_is_signed_is_the_encoding_of_dsse() -> None:
    body = statement.payload(statement.by_author("m_synth3s1s0", SIGNED))
    assert statement.message(statement.by_author("m_synth3s1s0", SIGNED)) == (
        b"DSSEv1 28 application/vnd.in-toto+json %d " % len(body) + body
    )


@pytest.mark.parametrize(
    "other",
    [
        WITNESS._replace(attestation="confirm"),
        WITNESS._replace(agent_id="si:pitch"),
        WITNESS._replace(witnessed_at="2026-02-05T16:05:01Z"),
        WITNESS._replace(aspects=()),
        WITNESS._replace(notes=None),
        WITNESS._replace(content=WHOLE.provenance),
    ],
)
def test_every_word_of_an_entry_is_signed(other: Witness) -> None:
    assert statement.message(statement.by_witness("m_synth3s1s0", other)) != statement.message(
        statement.by_witness("m_synth3s1s0", WITNESS)
    )
    assert statement.message(statement.by_witness("m_0000000001", WITNESS)) != statement.message(
        statement.by_witness("m_synth3s1s0", WITNESS)
    )
