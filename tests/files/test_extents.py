"""A slip of the hand is found where it is, and what was meant is data: put in its place, it makes the right line."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memstore.core.finding import Finding, Position
from memstore.files import memory_file
from memstore.files.memory_file import BrokenFile, MemoryFile
from memstore.vault import checks, references
from memstore.vault.references import Directory, RefNode
from tests.broken_vault import BROKEN
from tests.support import as_meant

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SOUND = """---
id: m_7f3k9q2x1c
type: note
title: Tea with Sean
created_at: "2026-02-01T18:04:11Z"
source: a walk
status: active
confidence: 0.8
tags: [tea, walk]
subject_ids: [human:sean]
valid_from: "2026-02-01"
access_grants:
  - si:bella
derived_from:
  - episode:m_7jb35t6cw0
witnesses:
  - {agent_id: "si:ash", attestation: confirm, witnessed_at: "2026-02-01T18:04:11Z"}
---
Sean drinks green tea.
"""
# A line that is right, as it was written, what the finding is about, and the line that is meant.
SLIPS = (
    ("title: Tea with Sean", "titel: Tea with Sean", "titel", "title: Tea with Sean"),
    ("tags: [tea, walk]", "Tags: [tea, walk]", "Tags", "tags: [tea, walk]"),
    ("tags: [tea, walk]", "'Tags': [tea, walk]", "'Tags'", "tags: [tea, walk]"),
    ("type: note", "typ: note", "typ", "type: note"),
    ("status: active", "status: actve  # for now", "actve", "status: active  # for now"),
    ("status: active", "status: Active", "Active", "status: active"),
    ("type: note", "type: nota", "nota", "type: note"),
    ("  - episode:m_7jb35t6cw0", "  - note:m_7jb35t6cw0", "note:m_7jb35t6cw0", "  - episode:m_7jb35t6cw0"),
    ("  - episode:m_7jb35t6cw0", "  - epsiode:m_7jb35t6cw0", "epsiode:m_7jb35t6cw0", '  - "episode:m_7jb35t6cw0"'),
    ("title: Tea with Sean", "title: Tea: with Sean", "Tea: with Sean", 'title: "Tea: with Sean"'),
    ("  - si:bella", "\t- si:bella", "\t", "  - si:bella"),
    ("source: a walk", 'source: "a walk', "", 'source: "a walk"'),
    ("status: active", "status:active", "", "status: active"),
    ("tags: [tea, walk]", "tags: [tea, walk", "", "tags: [tea, walk]"),
    ('valid_from: "2026-02-01"', "valid_from: 2024/5/1", "2024/5/1", 'valid_from: "2024-05-01"'),
    ('created_at: "2026-02-01T18:04:11Z"', "created_at: 2024/5/1", "2024/5/1", 'created_at: "2024-05-01T00:00:00Z"'),
    (
        "subject_ids: [human:sean]",
        "subject_ids: [si:ash, human:Sean]",
        "human:Sean",
        'subject_ids: [si:ash, "human:sean"]',
    ),
    ("subject_ids: [human:sean]", 'subject_ids: ["human: sean"]', '"human: sean"', 'subject_ids: ["human:sean"]'),
    ("confidence: 0.8", "confidence: 80%", "80%", "confidence: 0.8"),
    ("confidence: 0.8", 'confidence: "0.8"', '"0.8"', "confidence: 0.8"),
    ("subject_ids: [human:sean]", "subject_ids: human:sean", "human:sean", "subject_ids: [human:sean]"),
    ("title: Tea with Sean", "title: no", "no", 'title: "no"'),
    ("title: Tea with Sean", "title: 12", "12", 'title: "12"'),
    ("id: m_7f3k9q2x1c", "id: M_7F3K9Q2X1C", "M_7F3K9Q2X1C", 'id: "m_7f3k9q2x1c"'),
    (
        '  - {agent_id: "si:ash", attestation: confirm, witnessed_at: "2026-02-01T18:04:11Z"}',
        '  - {agent_id: "si:ash", atestation: confirm, witnessed_at: "2026-02-01T18:04:11Z"}',
        "atestation",
        '  - {agent_id: "si:ash", attestation: confirm, witnessed_at: "2026-02-01T18:04:11Z"}',
    ),
    (
        '  - {agent_id: "si:ash", attestation: confirm, witnessed_at: "2026-02-01T18:04:11Z"}',
        '  - {agent_id: "si:ash", attestation: confirmed, witnessed_at: "2026-02-01T18:04:11Z"}',
        "confirmed",
        '  - {agent_id: "si:ash", attestation: confirm, witnessed_at: "2026-02-01T18:04:11Z"}',
    ),
)


def findings(data: bytes) -> list[Finding]:
    """Return what is found in a file, where `m_7jb35t6cw0` is an episode."""
    file = memory_file.read("tea.md", data)
    if isinstance(file, BrokenFile):
        return [*file.findings]
    assert isinstance(file, MemoryFile)
    checked = checks.as_checked(file)
    directory = Directory.of([RefNode("walk.md", "episode", "m_7jb35t6cw0", {})])
    return checks.of_memory(checked, now=NOW) + references.of_memory(checked, directory)


def test_nothing_is_wrong_with_the_memory_without_slips() -> None:
    assert findings(SOUND.encode()) == []


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(("right", "wrong", "about", "meant"), SLIPS, ids=[slip[1] for slip in SLIPS])
def test_what_was_meant_stands_in_the_place_of_what_was_written(
    right: str, wrong: str, about: str, meant: str, line_end: str
) -> None:
    assert SOUND.count(f"{right}\n") == 1
    data = SOUND.replace(right, wrong).replace("\n", line_end).encode()
    finding = next(one for one in findings(data) if one.meant is not None)
    assert as_meant(data, finding) == meant
    assert finding.extent is not None
    start, end = finding.extent
    assert data.decode().split("\n")[start.line - 1][start.column - 1 : end.column - 1] == about
    assert finding.mended in (None, meant)


@pytest.mark.parametrize("name", BROKEN)
def test_a_mended_line_is_what_stands_there_with_what_was_meant(name: str) -> None:
    for finding in findings(BROKEN[name].data):
        if finding.mended is not None:
            assert as_meant(BROKEN[name].data, finding) == finding.mended


def test_a_value_that_begins_below_its_key_is_found_where_it_is() -> None:
    data = SOUND.replace("status: active", "status:\n  actve").encode()
    [finding] = findings(data)
    assert (finding.at, finding.mended) == (Position(7, 1), None)
    assert as_meant(data, finding) == "  active"


def test_a_list_in_lines_of_its_own_has_no_extent() -> None:
    [finding] = findings(SOUND.replace("title: Tea with Sean", "title:\n  - Tea").encode())
    assert (finding.at, finding.extent, finding.meant) == (Position(4, 1), None, None)


def test_the_key_of_a_memory_that_may_not_be_proposed_is_not_meant_either() -> None:
    """YAML's reader would quote `.nan`, which is no number after that either."""
    [finding] = findings(SOUND.replace("confidence: 0.8", "confidence: .nan").encode())
    assert (finding.mended, finding.meant) == (None, None)
