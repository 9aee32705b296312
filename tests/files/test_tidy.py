from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.files.tidy import tidied
from tests.strategies import HandStyled, hand_styled_files
from tests.support import examples


def read(data: bytes) -> MemoryFile:
    file = memory_file.read("a.md", data)
    assert isinstance(file, MemoryFile), file
    return file


@given(hand_styled_files())
@settings(max_examples=examples(100))
def test_no_value_no_comment_and_no_text_changes(styled: HandStyled) -> None:
    once = read(tidied(read(styled.data)))
    assert once.front.values == styled.values
    assert once.text.body.encode() == styled.body
    assert once.data.count(b"#") == styled.data.count(b"#")
    assert tidied(once) == once.data


@pytest.mark.parametrize(
    ("head", "even"),
    [
        ("type:   note  # x  \n", "type:   note  # x\n"),
        ("type  : note\ntitle : x\n", "type  : note\ntitle : x\n"),
        ("type: note\nmine:   # empty\n", "type: note\nmine:   # empty\n"),
        ("type: note\nmine: |\n  a  \n  b\n", "type: note\nmine: |\n  a  \n  b\n"),
        ("type: note\ncreated_at: 2026-02-01T00:00:00Z\n", 'type: note\ncreated_at: "2026-02-01T00:00:00Z"\n'),
        ("type: note\nvalid_from: '2026-02-01'\n", "type: note\nvalid_from: '2026-02-01'\n"),
        ("type: note\nmine: 2026-02-01\n", "type: note\nmine: 2026-02-01\n"),
        (
            "type: note\nclaims:\n- subject: a, b\n  attribute: 'x'\n  value: 0.50x\n  since: 2026-02-01\n",
            'type: note\nclaims:\n- {subject: "a, b", attribute: \'x\', value: 0.50x, since: "2026-02-01"}\n',
        ),
        (
            "type: note\nclaims: [{subject: a, attribute: b, value: c}, {subject: d, attribute: e, value: f}]\n",
            "type: note\nclaims:\n  - {subject: a, attribute: b, value: c}\n  - {subject: d, attribute: e, value: f}\n",
        ),
        (
            "type: note\nclaims:\n- subject: a # why\n  attribute: b\n  value: c\n",
            "type: note\nclaims:\n- subject: a # why\n  attribute: b\n  value: c\n",
        ),
        ("{type:   note}\n", "{type:   note}\n"),
    ],
)
def test_layouts(head: str, even: str) -> None:
    assert read(tidied(read(f"---\n{head}---\nText  \n".encode()))).text.head == even


def test_hand_styled_files_of_the_sample_vault_are_even_as_they_are() -> None:
    sample = Path(__file__).parents[2] / "sample-vault"
    files = [memory_file.read(path.name, path.read_bytes()) for path in sorted(sample.rglob("*.md"))]
    memories = [file for file in files if isinstance(file, MemoryFile)]
    assert len(memories) > 20
    assert [file.path for file in memories if tidied(file) != file.data] == []
