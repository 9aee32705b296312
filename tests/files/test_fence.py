"""The fence: a file is a memory, plain text, or broken; never a memory whose frontmatter was overlooked."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memstore.core.finding import Problem
from memstore.files import fence
from memstore.files.fence import FencedText


def parts(data: bytes) -> FencedText:
    found = fence.split(data)
    assert isinstance(found, FencedText)
    return found


@pytest.mark.parametrize(
    ("data", "head", "body", "body_line"),
    [
        (b"---\na: b\n---\nText\n", "a: b\n", "Text\n", 4),
        (b"---\n---\n", "", "", 3),
        (b"---\na: b\n---", "a: b\n", "", 3),
        (b"---  \na: b\n--- \t\nText", "a: b\n", "Text", 4),
        (b"\xef\xbb\xbf---\r\na: b\r\n---\r\nText\r\n", "a: b\r\n", "Text\r\n", 4),
        (b"---\na: b\n---\nText\n---\nmore\n", "a: b\n", "Text\n---\nmore\n", 4),
        (b"---\na: |\n  ---\n---\nText", "a: |\n  ---\n", "Text", 5),
        (b"---\na: b\n----\n---\n", "a: b\n----\n", "", 5),
        (b"---\na: b\n---\n\n\n  Text \n\n", "a: b\n", "\n\n  Text \n\n", 4),
        (b"---\na: b\n---\n\xef\xbb\xbfText", "a: b\n", "\ufeffText", 4),
    ],
)
def test_a_file_is_taken_apart(data: bytes, head: str, body: str, body_line: int) -> None:
    found = parts(data)
    assert (found.head, found.body, found.body_line, found.head_line) == (head, body, body_line, 2)
    assert found.joined(found.head) == data


def test_the_line_end_is_the_files_own() -> None:
    assert parts(b"---\r\n---\n").newline == "\r\n"
    assert parts(b"---\n---\r\n").newline == "\n"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Text",
        b"# A heading\n",
        b"\n\nText\n---\n",
        b"----\nText\n",
        b"--- a\n",
        b"-- \nText\n---\n",
        b" - a\n - b\n",
    ],
)
def test_a_file_without_a_fence_is_plain(data: bytes) -> None:
    assert fence.split(data) is None


@pytest.mark.parametrize(
    ("data", "code", "line", "mended"),
    [
        (b"---\ntype: note\n", "fence-unclosed", 1, None),
        (b"---", "fence-unclosed", 1, None),
        (b"---\ntype: note\n ---\nText", "fence-unclosed", 3, "---"),
        (b"---\ntype: note\n----\nText", "fence-unclosed", 3, "---"),
        (b"---\r\ntype: note\r\n--\r\nText", "fence-unclosed", 3, "---"),
        (b"---\ntype: note\n...\nText", "fence-unclosed", 3, "---"),
        ("---\ntype: note\n—\nText".encode(), "fence-unclosed", 3, "---"),
        ("---\ntype: note\n—-\nText".encode(), "fence-unclosed", 3, "---"),
        (b"---\rtype: note\r---\rText", "line-end", 1, None),
        (b"\n---\ntype: note\n---\n", "fence-opening", 2, None),
        (b" ---\ntype: note\n---\n", "fence-opening", 1, "---"),
        (b"----\nid: abc\ntype: note\n---\n", "fence-opening", 1, "---"),
        (b"--\r\ntype: note\r\n--\r\n", "fence-opening", 1, "---"),
        (b"\xef\xbb\xbf\xef\xbb\xbf---\ntype: note\n---\n", "fence-opening", 1, "---"),
        ("---\ntype: note\n---\n".encode("utf-16"), "utf8-invalid", 1, None),
        (b"---\ntype: note\ntitle: \xff\n---\n", "utf8-invalid", 3, None),
        (b"---\ntype: note\n---\nText\n\xe9t\xe9\n", "utf8-invalid", 5, None),
    ],
)
def test_a_fence_that_was_meant_is_named(data: bytes, code: str, line: int, mended: str | None) -> None:
    found = fence.split(data)
    assert isinstance(found, Problem)
    assert (found.code, found.at.line, found.mended) == (code, line, mended)
    assert found.hint


def test_the_hint_says_where_the_text_begins() -> None:
    found = fence.split(b"---\ntype: note\ntags:\n  - a\n\nThe vet said so.\n")
    assert isinstance(found, Problem)
    assert "after line 4" in (found.hint or "")


def test_a_bad_byte_has_its_column() -> None:
    found = fence.split(b"---\n---\nab\xffc")
    assert isinstance(found, Problem)
    assert (found.at.line, found.at.column, "0xff" in found.text) == (3, 3, True)


@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from([b"---", b"\n", b"\r\n", b"a: b", b" ", b"\xef\xbb\xbf"])).map(b"".join)
)
@example(b"---\n---\n")
def test_the_parts_are_the_whole(data: bytes) -> None:
    found = fence.split(data)
    if isinstance(found, FencedText):
        assert found.joined(found.head) == data
        assert found.body_line == data.count(b"\n", 0, len(data) - len(found.body.encode())) + 1
    elif isinstance(found, Problem):
        assert 1 <= found.at.line <= data.count(b"\n") + 1


@pytest.mark.parametrize(
    "data",
    [
        b"<<<<<<< HEAD\n---\ntype: note\n---\nOne\n=======\n---\r\ntype: note\r\n---\r\nOne\r\n>>>>>>> side\n",
        b"\xef\xbb\xbf<<<<<<< ours\r\nText\r\n=======\r\n---\r\nid: m_7f3k9q2x1c\r\n---\r\n>>>>>>> theirs\r\n",
    ],
)
def test_a_conflict_on_line_1_hides_no_fence(data: bytes) -> None:
    found = fence.split(data)
    assert isinstance(found, Problem)
    assert (found.code, found.at.line) == ("conflict-marker", 1)
    assert b"\n---" in fence.head_of(data)
    assert fence.split(data.replace(b"---", b"...")) is None
