"""Memory files: any bytes are a memory, plain or broken, and nothing is read of a broken one."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memstore.core import titles
from memstore.core.catalog import FileKind
from memstore.core.finding import Position
from memstore.core.memory import Memory, Origin
from memstore.files import fence, memory_file
from memstore.files.memory_file import BrokenFile, MemoryFile, PlainFile
from tests.support import examples

WHOLE = b"""---
type: belief
id: m_7f3k9q2x1c
title: Tea
aliases: [chai]
tags: [tea, "no"]
created_at: "2026-02-01T18:04:11Z"
supersedes: belief:m_abc123wxyz
superseded_by:
  - belief:m_bbbbbbbbbb
access_grants: ["public", human:sean]
upstream_grants:
  - [human:sean, public]
generalized: true
confidence: 0.50
origin: {session_id: "42"}
confidence_history:
  - {timestamp: "2026-02-01T18:04:11Z", op: assert, old: null, new: 0.5, roots: ["session:42"], by: "si:ash"}
resolved_conflicts:
  - {with: "belief:m_abc123wxyz", conflict_type: temporal, decision: keep}
mood: {weather: [grey, 3]}
---

 The body, unstripped.
"""


def read(data: bytes) -> MemoryFile:
    found = memory_file.read("a.md", data)
    assert isinstance(found, MemoryFile)
    return found


def test_a_whole_memory_is_read() -> None:
    memory = read(WHOLE).memory
    assert str(memory.ref) == "belief:m_7f3k9q2x1c"
    assert (memory.supersedes, memory.superseded_by) == (("belief:m_abc123wxyz",), ("belief:m_bbbbbbbbbb",))
    assert (memory.access_grants, memory.upstream_grants) == (("*", "human:sean"), (("human:sean", "*"),))
    assert (memory.confidence, memory.generalized, memory.origin) == (0.5, True, Origin(session_id="42"))
    assert (memory.confidence_history[0].roots, memory.confidence_history[0].old) == (("session:42",), None)
    assert memory.resolved_conflicts[0].with_ == "belief:m_abc123wxyz"
    assert memory.extra == {"mood": {"weather": ["grey", 3]}}
    assert memory.body == "\n The body, unstripped.\n"


def test_a_file_without_a_fence_is_plain_and_keeps_its_bytes() -> None:
    file = memory_file.read("a.md", b"# Tea\n")
    assert isinstance(file, PlainFile)
    assert (file.data, file.memory.title, file.memory.body) == (b"# Tea\n", "Tea", "# Tea\n")


@pytest.mark.parametrize(
    "head", ["title: no type", "type: note\ntags: a b", "type: note\nconfidence: 2", "type: note\norigin: {x: 1}"]
)
def test_a_file_whose_values_have_wrong_shapes_is_broken_and_keeps_its_bytes(head: str) -> None:
    data = f"---\n{head}\n---\nTea.\n".encode()
    found = memory_file.read("a.md", data)
    assert isinstance(found, BrokenFile)
    assert (found.path, found.data, len(found.findings)) == ("a.md", data, 1)


def test_a_file_whose_fence_is_not_closed_is_broken_and_keeps_its_bytes() -> None:
    data = b"---\ntype: note\nTea.\n"
    found = memory_file.read("a.md", data)
    assert isinstance(found, BrokenFile)
    assert (found.path, found.data, [finding.code for finding in found.findings]) == ("a.md", data, ["fence-unclosed"])


def test_a_file_of_which_no_byte_can_be_had_says_so_on_its_first_line() -> None:
    found = memory_file.unreadable("a.md", "permission denied")
    assert (found.data, [(one.code, one.path, one.at, one.text) for one in found.findings]) == (
        b"", [("file-unreadable", "a.md", Position(1), "permission denied")],
    )  # fmt: skip


def test_a_number_is_a_float_however_it_is_written() -> None:
    memory = read(
        b'---\ntype: belief\nconfidence: 1\nconfidence_history:\n  - {timestamp: "2026-02-01T00:00:00Z", op: support,'
        b" evidence_source: raw:m_abc, weight: 1}\n---\n"
    ).memory
    assert [type(number) for number in (memory.confidence, memory.confidence_history[0].weight)] == [float, float]


@pytest.mark.parametrize("head", ["type: note", "type: note\nid:\ntags: []\ntitle: ''\naccess_grants: null\nstatus: ~"])
def test_null_empty_text_and_empty_list_mean_absent(head: str) -> None:
    assert read(f"---\n{head}\n---\n".encode()).memory == Memory(type="note")


def test_line_ends_and_a_mark_in_front_change_nothing_that_is_read() -> None:
    windows = b"\xef\xbb\xbf" + WHOLE.replace(b"\n", b"\r\n")
    assert (
        read(windows).memory
        == read(WHOLE.replace(b"unstripped.\n", b"unstripped.\r\n").replace(b"\n\n ", b"\n\r\n ")).memory
    )


def test_a_file_may_be_as_large_as_the_limit_and_no_larger() -> None:
    data = b"---\ntype: note\n---\n"
    fits = data + b"a" * (fence.MOST_BYTES - len(data))
    assert isinstance(memory_file.read("a.md", fits), MemoryFile)
    found = memory_file.read("a.md", fits + b"a")
    assert isinstance(found, BrokenFile)
    assert [(finding.code, finding.at) for finding in found.findings] == [("file-too-large", Position(1))]
    assert found.data == b""


@pytest.mark.parametrize(
    "head",
    [
        b"a: " + b"[" * 400_000,
        b"? " * 400_000,
        b"- " * 400_000,
        b"\0" * 1_000_000,
        b"\t" * 1_000_000,
        b"a: 1" + b"_1" * 400_000 + b"x",
        b"title: x" + b" " * 1_000_000 + b"y",
        b"access_grants: " + b" " * 400_000 + b"human:sean",
        b"<<<<<<<\n" * 100_000,
        b"a: &a [" + b"*a," * 100_000 + b"]",
        b"".join(b"k%d: 1\n" % i for i in range(30_000)),
        b'a: "' + b"\n" * 300_000,
    ],
    ids=lambda head: repr(head[:12]),
)
def test_hostile_files_are_told_off_and_cost_little(head: bytes) -> None:
    found = memory_file.read("a.md", b"---\ntype: note\n" + head + b"\n---\n")
    if isinstance(found, BrokenFile):
        assert 0 < len(found.findings) <= 60
        assert sum(len(f"{f.text}{f.hint}{f.mended}") for f in found.findings) < 100_000


@pytest.mark.parametrize(
    ("line", "code", "hint"),
    [
        (b"confidence: .nan", "yaml-ambiguous", "write a number like 0.85"),
        (b"confidence: high: 0.9", "yaml-syntax", "write a number like 0.85"),
        (b"confidence: a\tb", "yaml-tab", "write a number like 0.85"),
        (b"id: no", "yaml-ambiguous", "use 3 to 64 lower-case letters, digits, - and _, like m_7f3k9q2x1c"),
        (b'id: "a', "yaml-syntax", "use 3 to 64 lower-case letters, digits, - and _, like m_7f3k9q2x1c"),
        (b"status: - active", "yaml-syntax", "did you mean active?"),
        (b"status: @a", "yaml-syntax", "choose one of active, draft"),
        (b"access_grants: .nan", "yaml-ambiguous", ""),
        (b"access_grants: {a", "yaml-syntax", ""),
    ],
)
def test_no_line_is_proposed_that_would_be_wrong_as_well(line: bytes, code: str, hint: str) -> None:
    found = memory_file.read("a.md", b"---\ntype: belief\n" + line + b"\n---\nHot.\n")
    assert isinstance(found, BrokenFile)
    (finding,) = found.findings
    assert (finding.code, finding.mended) == (code, None)
    assert finding.hint is not None
    assert finding.hint.startswith(hint)


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("# Tea #\n\nIt is hot.", "Tea"),
        ("It is hot. It is good.", "It is hot."),
        ("- **Tea** is `hot`\n- no", "Tea is hot"),
        ("word " * 40, "word word word word word word word word word word word word word word word word…"),
        ("\n\n", ""),
        ("We ran at six. She was quick.\n\n## Outcome\n\nquick\n", "We ran at six."),
        ("## Outcome\n\nquick. Again.\n\n## Lessons\n\n- run early", "quick."),
        ("Text.\n\n# Later", "Later"),
        ("## Lessons", ""),
        ("_Call_ load_memory_file, **not** `load_file`.", "Call load_memory_file, not load_file."),
        ("2*3*4 is 24, and 2 * 3 is 6", "2*3*4 is 24, and 2 * 3 is 6"),
    ],
)
def test_a_title_is_found_in_the_body(body: str, title: str) -> None:
    assert titles.title_of(Memory(type="note", body=body)).startswith(title[:70])
    assert len(titles.default_title(body)) <= titles.LONGEST_DEFAULT_TITLE
    assert titles.title_of(Memory(type="note", title="Own", body=body)) == "Own"


_pieces = st.sampled_from([
    b"---\n", b"---\n", b"type: note\n", b"id: m_7f3k9q2x1c\n", b"tags: ", b"[a, b]\n", b"access_grants:\n",
    b"  - human:sean\n", b"*\n", b"\r\n", b"\n", b"\xff", b"\0", b"\xef\xbb\xbf", b"text ", b"confidence: 0.5\n",
    b"<<<<<<< a\n", b": ", b'"', b"\t",
])  # fmt: skip


@given(st.one_of(st.binary(max_size=80), st.lists(_pieces, max_size=14).map(b"".join)))
@example(b"version https://git-lfs.github.com/spec/v1\n")
@settings(max_examples=examples(500))
def test_any_bytes_are_a_memory_plain_or_broken(data: bytes) -> None:
    for found in (memory_file.read("a.md", data), memory_file.read("a.md", b"---\n" + data)):
        match found:
            case MemoryFile():
                assert found.text.joined(found.text.head) == found.data
                assert found.memory.type
            case BrokenFile():
                assert found.findings
                # What a filter of git has not checked out is no error of the file.
                is_stored = memory_file.is_stored_form(found.data)
                assert all(f.is_error is not is_stored and f.path == "a.md" and f.hint for f in found.findings)
                assert not hasattr(found, "memory")
            case PlainFile():
                assert not data.startswith(b"---\n")


@given(st.binary(max_size=40))
def test_a_file_with_a_fence_is_never_plain(rest: bytes) -> None:
    assert not isinstance(memory_file.read("a.md", b"---\n" + rest), PlainFile)


def test_the_kinds_are_those_of_the_catalogue() -> None:
    assert {kind.value for kind in FileKind} == {"memory", "broken", "plain", "sealed"}
