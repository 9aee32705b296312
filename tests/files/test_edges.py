from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.files.catalog_entry import citations, cited_refs, entry_of, evidence_of
from memstore.files.memory_file import MemoryFile, read

if TYPE_CHECKING:
    from memstore.core.catalog import Entry

HEAD = """\
---
type: belief
id: m_1111111111
derived_from: [kernle:seed-beliefs]
confidence_history:
  - {timestamp: "2026-02-01T18:04:11Z", op: assert, new: 0.85, evidence_source: "kernle:seed-beliefs"}
  - {timestamp: "2026-02-01T18:04:12Z", op: support, new: 0.86, evidence_source: "episode:m_2222222222"}
  - {timestamp: "2026-02-01T18:04:13Z", op: support, new: 0.86, evidence_source: "episode:m_2222222222"}
  - {timestamp: "2026-02-01T18:04:14Z", op: contradict, new: 0.8, evidence_source: "a feeling"}
witnesses:
  - {agent_id: si:c, attestation: confirm, witnessed_at: "2026-02-01T18:04:11Z", notes: "see [[note:m_3333333333]]"}
---
"""


def entry(body: str) -> Entry:
    file = read("a.md", (HEAD + body).encode())
    assert isinstance(file, MemoryFile), file
    return entry_of(file, "0" * 40)


def test_ledger_and_witnesses_name_their_evidence_once() -> None:
    assert entry("Text.\n").evidence == (
        "assert kernle:seed-beliefs",
        "support episode:m_2222222222",
        "witness note:m_3333333333",
    )


def test_the_latest_word_of_a_source_is_the_last_within_a_second_too() -> None:
    said = [("02.5Z", "retract"), ("02Z", "support")]
    lines = [f'  - {{timestamp: "2026-02-01T18:04:{at}", op: {op}, evidence_source: "raw:m_555"}}' for at, op in said]
    file = read("a.md", "\n".join(["---", "type: belief", "confidence_history:", *lines, "---", "Text."]).encode())
    assert isinstance(file, MemoryFile), file
    assert evidence_of(file.memory) == ("support raw:m_555", "retract raw:m_555")


def test_a_body_cites_refs_with_and_without_lines() -> None:
    body = "See [[note:m_4444444444#L3-L5@abc123]], [[raw:m_555|the first one]] and [[note:m_4444444444]].\n"
    assert entry(body).cites == ("note:m_4444444444", "raw:m_555")


def test_other_links_are_no_citations() -> None:
    assert cited_refs("[[Tea]] [[m_4444444444]] [[human:sean]] [note:m_4444444444] [[note:m4]] [[note:]]") == ()


def test_citations_know_where_they_stand() -> None:
    assert list(citations("a [[raw:m_555]]\n[[raw:m_555]]")) == [("raw:m_555", 2), ("raw:m_555", 16)]
