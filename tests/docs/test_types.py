"""The page on types has all of them, each with an example that is a memory of it; together they are a sound vault."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memstore.core.ids import MEMORY_TYPES
from memstore.core.keys import USUAL_KEYS
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from tests.installed import ROOT
from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "docs" / "types.md").read_text(encoding="utf-8")
# A section's heading, what stands above its example, and the example.
EXAMPLES = re.findall(r"^## (\w+)\n\n(.+?)\n\n```markdown\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_every_type_has_its_section_and_its_line_in_the_table() -> None:
    assert tuple(name for name, _, _ in EXAMPLES) == MEMORY_TYPES
    assert tuple(re.findall(r"\| \[(\w+)\]\(#\1\) \|$", PAGE, re.MULTILINE)) == MEMORY_TYPES


def test_the_table_has_the_keys_that_each_type_usually_says() -> None:
    rows = re.findall(r"^\|[^|]+\|([^|]*)\| \[(\w+)\]\(#\2\) \|$", PAGE, re.MULTILINE)
    said = {kind: tuple(re.findall(r"`(\w+)`", keys)) for keys, kind in rows}
    assert {kind: keys for kind, keys in said.items() if keys} == USUAL_KEYS
    assert set(said) == set(MEMORY_TYPES)


def test_the_examples_have_those_keys() -> None:
    for name, _, text in EXAMPLES:
        usual = USUAL_KEYS.get(name)
        assert usual is None or any(f"\n{key}: " in text for key in usual), name


def test_every_example_is_read_as_a_memory_of_its_type() -> None:
    for name, _, text in EXAMPLES:
        file = memory_file.read(f"{name}.md", text.encode())
        assert isinstance(file, MemoryFile), file
        assert file.memory.type == name
        assert file.memory.body.strip()


def test_the_examples_are_a_vault_with_nothing_wrong(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.init()
    for name, _, text in EXAMPLES:
        (program.vault / f"{name}.md").write_text(text, encoding="utf-8")
    assert program.json("check")["findings"] == []
    assert program.json("list")["total"] == len(MEMORY_TYPES)
    assert "Rest instead of walks" in program.ok("trace", "m_be11efres0")
