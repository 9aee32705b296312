"""Originals are kept as they were, in parts where they are long, and their lines are those that are cited."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memstore.core.digests import blob_id
from memstore.core.places import is_memory_path, is_original_path, is_own_path
from memstore.exchange import originals
from memstore.exchange.draft import clean, one_line, plain, words
from memstore.exchange.originals import laid_out, marks, parts
from memstore.files import memory_file
from memstore.files.draft import new_file
from memstore.files.memory_file import MemoryFile
from memstore.files.passages import LineMap
from tests.files.test_json_stream import VALUES

LINES = st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), min_size=1, max_size=12)


@given(LINES, st.booleans(), st.integers(3, 40), st.data())
def test_parts_joined_are_the_original_and_marks_lead_to_its_lines(
    lines: list[bytes],
    ends: bool,  # noqa: FBT001 - hypothesis calls it
    most: int,
    data: st.DataObject,
) -> None:
    whole = b"\n".join(lines) + (b"\n" if ends else b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(originals, "MOST_PART_BYTES", most)
        kept = parts("okf", "a/b c.md", whole, blob_id=blob_id)
    assert b"".join(part.data for part in kept) == whole
    assert all(len(part.data) <= most and blob_id(part.data) == part.blob for part in kept)
    assert len({part.path for part in kept}) == len(kept)
    count = LineMap(whole).line_count
    first = data.draw(st.integers(1, count))
    last = data.draw(st.integers(first, count))
    found = b""
    by_path = {part.path: part.data for part in kept}
    for mark in marks(kept, first, last):
        place = re.fullmatch(r"file:(.+)#L(\d+)(?:-L(\d+))?@[0-9a-f]{10}", mark)
        assert place
        there = by_path[place[1]].split(b"\n")[int(place[2]) - 1 : int(place[3] or place[2])]
        found += b"".join(there)
    assert found == b"".join(whole.split(b"\n")[first - 1 : last])


@given(st.text(min_size=1, max_size=80))
def test_a_kept_original_is_no_memory_whatever_it_is_called(name: str) -> None:
    (part,) = parts("claude-code", name, b"x", blob_id=blob_id)
    assert is_original_path(part.path)
    assert is_own_path(part.path)
    assert not is_memory_path(part.path, mixed=False)
    assert not is_memory_path(part.path, mixed=True)
    assert re.fullmatch(r"imports/claude-code/[A-Za-z0-9._-]{1,60}-[0-9a-f]{10}\.original", part.path)


def test_a_folder_named_imports_may_hold_notes() -> None:
    assert is_memory_path("imports/tea.md", mixed=False)
    assert not is_own_path("imports/tea.md")
    assert not is_own_path("imports/tea.json")


@given(
    st.dictionaries(st.text(), VALUES, max_size=4), st.lists(VALUES, max_size=4) | st.dictionaries(st.text(), VALUES)
)
def test_an_object_is_laid_out_with_a_line_for_each_item(rest: dict[str, Any], items: Any) -> None:
    value = {**rest, "mapping": items}
    data, lines = laid_out(value, "mapping")
    assert json.loads(data) == value
    there = data.decode("utf-8", "surrogatepass").split("\n")
    for key, item in items.items() if isinstance(items, dict) else enumerate(items):
        line = there[lines[key] - 1].removesuffix(",")
        assert json.loads(f"{{{line}}}" if isinstance(items, dict) else f"[{line}]") in ({key: item}, [item])


@given(st.text())
def test_a_text_of_another_program_can_be_in_a_memory(text: str) -> None:
    cleaned = clean(text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]", cleaned)
    assert clean(cleaned) == cleaned


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.text(), st.text(min_size=1))
@example({"Tag": 1, "tag": 2, " tag": 3, "tag 2": 4, "ta\n": 5, "": 6}, "", "0")
def test_what_another_program_says_of_a_memory_can_be_in_its_frontmatter(
    said: dict[str, Any], title: str, body: str
) -> None:
    values: dict[str, Any] = {"type": "note", "id": "m_x", "title": one_line(title), "tags": words([title, body])}
    read = memory_file.read("x.md", new_file({**values, "okf": plain(said)}, clean(body)))
    assert isinstance(read, MemoryFile), read
    assert len(read.front.values.get("okf", {})) == len(said)
    assert read.memory.body.strip() == clean(body).strip()


def test_what_is_nested_deeply_is_a_text() -> None:
    value: Any = "x"
    for _ in range(40):
        value = [value]
    assert "[['x']]" in str(plain(value))
    assert plain(10**200) == str(10**200)
