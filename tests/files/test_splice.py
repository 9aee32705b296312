from __future__ import annotations

from functools import cache
from itertools import dropwhile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.core.errors import FormatError
from memstore.files import memory_file, splice
from memstore.files.memory_file import MemoryFile
from tests.strategies import HandStyled, entity_ids, fractions, hand_styled_files, instants, one_line_texts
from tests.support import examples

if TYPE_CHECKING:
    from memstore.files.render import Plain


def read(data: bytes) -> MemoryFile:
    file = memory_file.read("a.md", data)
    assert isinstance(file, MemoryFile), file
    return file


def fronted(head: str, body: str = "Text.\n") -> MemoryFile:
    return read(f"---\n{head}---\n{body}".encode())


def head_after(file: MemoryFile, *edits: splice.Edit) -> str:
    return read(splice.apply(file, edits)).text.head


# -- laws ----------------------------------------------------------------------------------------


@cache
def values_for(key: str) -> st.SearchStrategy[Plain]:
    by_key: dict[str, st.SearchStrategy[Plain]] = {
        "confidence": fractions(),
        "foundational": st.booleans(),
        "created_at": instants(),
        "status": st.sampled_from(("draft", "archived")),
        "owner": entity_ids(),
    }
    return by_key.get(key, one_line_texts())


KEYS = (
    "title",
    "confidence",
    "foundational",
    "created_at",
    "status",
    "owner",
    "source",
    "platform",
    "x rating",
    "🐕",
    "new key",
    "yes",
)


@given(hand_styled_files())
@settings(max_examples=examples(150))
def test_files_say_what_they_were_written_to_say(styled: HandStyled) -> None:
    file = read(styled.data)
    assert file.front.values == styled.values
    assert file.text.body.encode() == styled.body


@given(hand_styled_files(), st.data())
@settings(max_examples=examples(1000))
def test_setting_a_scalar_changes_only_that_keys_lines(styled: HandStyled, data: st.DataObject) -> None:
    file = read(styled.data)
    key = data.draw(st.sampled_from(KEYS))
    value = data.draw(values_for(key))
    after = read(splice.apply(file, [splice.SetValue(key, value)]))

    assert after.front.values == {**styled.values, key: value}
    assert after.text.body.encode() == styled.body
    assert_only_lines_changed(styled, after.data, key)


@given(hand_styled_files(), st.data())
@settings(max_examples=examples(150))
def test_lists_change_in_place(styled: HandStyled, data: st.DataObject) -> None:
    file = read(styled.data)
    key = data.draw(st.sampled_from(("tags", "aliases", "context_tags")))
    old = styled.values.get(key) or []
    gone = data.draw(st.lists(st.sampled_from(old), unique=True)) if old else []
    more = data.draw(st.lists(one_line_texts(), max_size=3, unique=True))
    after = read(splice.apply(file, [splice.RemoveItems(key, tuple(gone)), splice.AppendItems(key, tuple(more))]))

    kept = [item for item in old if item not in gone]
    assert (after.front.values.get(key) or []) == [*kept, *(item for item in more if item not in kept)]
    assert comments(after.data) >= comments(styled.data) - len(gone)
    assert_only_lines_changed(styled, after.data, key)


@given(hand_styled_files(), st.data())
@settings(max_examples=examples(150))
def test_a_list_set_anew_says_the_new_items(styled: HandStyled, data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(("tags", "aliases", "context_tags")))
    items = data.draw(st.lists(one_line_texts(), max_size=5))
    after = read(splice.apply(read(styled.data), [splice.SetValue(key, [*items])]))
    assert (after.front.values.get(key) or []) == items
    assert_only_lines_changed(styled, after.data, key)


@given(hand_styled_files(), instants(), one_line_texts())
@settings(max_examples=examples(150))
def test_a_history_grows_by_one_line(styled: HandStyled, at: str, reason: str) -> None:
    entry: dict[str, Plain] = {"timestamp": at, "op": "edit", "old": 0.5, "new": 0.85, "reason": reason}
    after = read(splice.apply(read(styled.data), [splice.AppendEntry("confidence_history", entry)]))
    assert after.front.values["confidence_history"] == [*styled.values.get("confidence_history", []), entry]
    added = [line for line in after.data.splitlines() if line not in styled.data.splitlines()]
    assert len([line for line in added if b"timestamp" in line]) == 1
    assert_only_lines_changed(styled, after.data, "confidence_history")


@given(hand_styled_files(), st.data())
@settings(max_examples=examples(150))
def test_a_key_goes_with_its_lines_alone(styled: HandStyled, data: st.DataObject) -> None:
    keys = [key for key in styled.values if key != "type"]
    key = data.draw(st.sampled_from([*keys, "not there"]))
    out = splice.apply(read(styled.data), [splice.RemoveKey(key)])
    lines = styled.data.split(b"\n")
    first, last = styled.lines.get(key, (1, 0))
    # A text above that keeps its blank lines would gain those below the key.
    without_blanks = list(dropwhile(lambda line: not line.strip(), lines[last:]))
    assert out.split(b"\n") in (lines[: first - 1] + lines[last:], lines[: first - 1] + without_blanks)


def test_a_key_below_a_text_that_keeps_its_blank_lines_goes_with_its_own() -> None:
    data = b"---\ntype: note\nx-notes: |+\n  kept\n\ntags: [tea]\n\nsource: x\n---\nTea.\n"
    out = splice.apply(read(data), [splice.RemoveKey("tags")])
    assert out == b"---\ntype: note\nx-notes: |+\n  kept\n\nsource: x\n---\nTea.\n"


@given(hand_styled_files())
@settings(max_examples=examples(100))
def test_setting_what_is_there_leaves_the_bytes_alone(styled: HandStyled) -> None:
    file = read(styled.data)
    edits: list[splice.Edit] = [splice.SetValue(key, value) for key, value in styled.values.items()]
    assert splice.apply(file, edits) == styled.data


def assert_only_lines_changed(styled: HandStyled, after: bytes, key: str) -> None:
    """Compare line by line: what is not the key's stands before and after it, byte for byte."""
    before, now = styled.data.split(b"\n"), after.split(b"\n")
    if key in styled.lines:
        first, last = styled.lines[key]
    else:
        first = (
            next(i for i, (a, b) in enumerate(zip(before, now, strict=False), 1) if a != b)
            if after != styled.data
            else 1
        )
        last = first - 1
    tail = before[last:]
    assert now[: first - 1] == before[: first - 1]
    assert now[len(now) - len(tail) :] == tail


def comments(data: bytes) -> int:
    return data.count(b"# why") + data.count(b"# a, b") + data.count(b"# between")


# -- cases ---------------------------------------------------------------------------------------

STYLED = """\
type: note # my type
tags: [a, "b"]   # tags
access_grants:   # who
  - human:sean # s
  # own
  - si:ash
confidence: 0.50
poem: |  # lit
  text
    more

# cc
multi: [
  a, # ca
  b # cb
]
folded: 'x
  y'
"""

CASES: list[tuple[splice.Edit, str, str]] = [
    (splice.SetValue("type", "belief"), "type: note # my type\n", "type: belief # my type\n"),
    (splice.SetValue("tags", ["b", "c"]), '[a, "b"]   # tags', '["b", c]   # tags'),
    (splice.AppendItems("tags", ("b", "c, d")), '[a, "b"]   #', '[a, "b", "c, d"]   #'),
    (splice.SetValue("tags", []), '[a, "b"]   #', "[]   #"),
    (splice.SetValue("tags", ["no"]), '[a, "b"]   #', '["no"]   #'),
    (splice.RemoveItems("access_grants", ("human:sean",)), "  - human:sean # s\n", ""),
    (splice.AppendItems("access_grants", ("org:x",)), "- si:ash\n", "- si:ash\n  - org:x\n"),
    (splice.SetValue("confidence", 0.6), "0.50", "0.6"),
    (splice.SetValue("confidence", 1e-7), "0.50", "1.0e-07"),
    (splice.SetValue("poem", "yes"), "|  # lit\n  text\n    more\n", '"yes"  # lit\n'),
    (splice.AppendItems("multi", ("c",)), "b # cb\n", "b, # cb\n  c\n"),
    (splice.RemoveItems("multi", ("b",)), "b # cb\n", "# cb\n"),
    (splice.SetValue("folded", "it's"), "'x\n  y'", "'it''s'"),
    (splice.SetValue("created_at", "2026-02-01T18:04:11Z"), "# tags\n", '# tags\ncreated_at: "2026-02-01T18:04:11Z"\n'),
    (splice.SetValue("valid_from", "2026-02-01"), "# tags\n", '# tags\nvalid_from: "2026-02-01"\n'),
    (splice.SetValue("mine", "2026-02-01"), "  y'\n", '  y\'\nmine: "2026-02-01"\n'),
    (splice.RemoveKey("poem"), "poem: |  # lit\n  text\n    more\n", ""),
    (
        splice.AppendEntry("confidence_history", {"timestamp": "2026-02-01T18:04:11Z", "op": "assert", "old": None}),
        "confidence: 0.50\n",
        'confidence: 0.50\nconfidence_history:\n  - {timestamp: "2026-02-01T18:04:11Z", op: assert, old: null}\n',
    ),
]


@pytest.mark.parametrize(("edit", "old", "new"), CASES)
def test_an_edit_keeps_the_style(edit: splice.Edit, old: str, new: str) -> None:
    assert old in STYLED
    assert head_after(fronted(STYLED), edit) == STYLED.replace(old, new)


@pytest.mark.parametrize("style", ["'{}'", '"{}"', "{}"])
def test_quotes_stay_as_they_were(style: str) -> None:
    file = fronted(f"type: note\ntitle: {style.format('old')}\n")
    assert head_after(file, splice.SetValue("title", "new")) == f"type: note\ntitle: {style.format('new')}\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n  - 'a' # why\n  - b\n", "\n  - 'c' # why\n  - b\n"),
        ('\n- "a" # why\n- b\n', '\n- "c" # why\n- b\n'),
        (" [ 'a' , b ] # both\n", " [ 'c' , b ] # both\n"),
    ],
)
def test_an_item_that_is_replaced_keeps_its_quotes_and_its_comment(old: str, new: str) -> None:
    assert (
        head_after(fronted(f"type: note\ntags:{old}"), splice.SetValue("tags", ["c", "b"])) == f"type: note\ntags:{new}"
    )


@pytest.mark.parametrize(
    "text", ["no", "0123", "a: b", "- x", "", " x", "x #y", "12:30", "2026-02-01", "*", "0.5", "null"]
)
def test_what_a_plain_scalar_cannot_carry_is_quoted(text: str) -> None:
    file = fronted("type: note\ntitle: old\n")
    assert head_after(file, splice.SetValue("title", text)) == f'type: note\ntitle: "{text}"\n'


FIRST = "tags:\n- a\ntype: note\n"


@pytest.mark.parametrize(
    ("head", "edit", "expected"),
    [
        ("{type: note}\n", splice.SetValue("title", "a, b"), '{type: note, title: "a, b"}\n'),
        ("{type: note, title: x}\n", splice.SetValue("type", "raw"), "{type: raw, title: x}\n"),
        ("{type: note, title: x}\n", splice.RemoveKey("title"), "{type: note}\n"),
        ("{title: x, type: note}\n", splice.RemoveKey("title"), "{type: note}\n"),
        ("{type: note, tags: [a]}\n", splice.SetValue("tags", []), "{type: note, tags: []}\n"),
        ("type: note\ntitle:   # none yet\n", splice.SetValue("title", "x"), "type: note\ntitle: x   # none yet\n"),
        (
            "type: note\nmine:\n  - a\n  -\n  - b\n",
            splice.RemoveItems("mine", (None,)),
            "type: note\nmine:\n  - a\n  - b\n",
        ),
        (
            "type: note\nmine:\n  - a\n  -  # x\n",
            splice.AppendItems("mine", ("b",)),
            "type: note\nmine:\n  - a\n  -  # x\n  - b\n",
        ),
        ("{type: note, mine}\n", splice.SetValue("mine", "x"), "{type: note, mine: x}\n"),
        ("type: note\ntags:\n", splice.AppendItems("tags", ("x",)), "type: note\ntags: [x]\n"),
        (
            "type: note\nsupersedes: note:abc\n",
            splice.AppendItems("supersedes", ("note:xyz",)),
            "type: note\nsupersedes: [note:abc, note:xyz]\n",
        ),
        (
            "type: note\nsupersedes: [note:abc]\n",
            splice.SetValue("supersedes", "note:xyz"),
            "type: note\nsupersedes: note:xyz\n",
        ),
        (
            "type: note\nclaims: []\n",
            splice.AppendEntry("claims", {"subject": "a", "attribute": "b", "value": "c"}),
            'type: note\nclaims:\n  - {subject: "a", attribute: "b", value: "c"}\n',
        ),
        (FIRST, splice.SetValue("aliases", ["x" * 50, "y" * 50]), f"{FIRST}aliases:\n- {'x' * 50}\n- {'y' * 50}\n"),
        (
            "type: note\norigin: {session_id: a}\n",
            splice.SetValue("origin", {"session_id": "b"}),
            'type: note\norigin: {session_id: "b"}\n',
        ),
    ],
)
def test_odd_layouts(head: str, edit: splice.Edit, expected: str) -> None:
    assert head_after(fronted(head), edit) == expected


def test_several_edits_are_made_in_turn() -> None:
    file = fronted("type: note\n")
    edits: list[splice.Edit] = [
        splice.SetValue("confidence", 0.8),
        splice.AppendItems("tags", ("a",)),
        splice.AppendItems("tags", ("b",)),
        splice.SetValue("confidence", 0.9),
    ]
    assert head_after(file, *edits) == "type: note\ntags: [a, b]\nconfidence: 0.9\n"


def test_what_cannot_be_spliced_is_left_to_a_person() -> None:
    with pytest.raises(FormatError, match=r"a\.md:3: `title`") as raised:
        splice.apply(fronted("type: note\ntitle: x\n"), [splice.SetValue("title", "a\x07b")])
    assert raised.value.hint


def test_values_compare_as_they_are_read() -> None:
    pairs: list[tuple[Any, Any, bool]] = [
        (1, 1.0, True),
        (True, 1, False),
        ([1], [1, 2], False),
        ({"a": 1}, {"a": 1}, True),
    ]
    assert [splice.same_value(a, b) for a, b, _ in pairs] == [same for _, _, same in pairs]
