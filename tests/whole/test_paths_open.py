"""What a command prints as a path opens from the folder where it was run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.whole.program import Program

if TYPE_CHECKING:
    from tests.whole.program import InProcess

_PATH = re.compile(r"[^\s:()\[\]`'\",→]+\.md\b")


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> InProcess:
    program = Program(tmp_path_factory.mktemp("paths")).in_process()
    program.init()
    for path, text in (
        ("deep/Tom.md", "Tom bakes, see [[Sourdough]] and [[nobody]].\n"),
        ("other/Sourdough.md", "# Sourdough\n\nAsk [[Tom]].\n"),
        ("other/broken.md", "---\nid: m_zzzzzz1111\ntype: note\ncreated_at: 2026-01-01\n---\nHello.\n"),
        ("other/dated.md", "---\nid: m_zzzzzz2222\ntype: note\n---\nA kettle.\n"),
    ):
        (program.vault / path).parent.mkdir(exist_ok=True)
        (program.vault / path).write_text(text)
    program.ok("commit")
    file = program.vault / "other/dated.md"
    file.write_text(file.read_text() + "Two kettles.\n")
    program.ok("--json", "search", "kettle")
    return program


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("search", "sourdough"),
        ("search", "kettle"),
        ("show", "m_zzzzzz2222"),
        ("show", "--path", "m_zzzzzz2222"),
        ("links", "Sourdough"),
        ("links", "Tom"),
        ("check",),
        ("status",),
        ("log",),
        ("diff",),
        ("diff", "HEAD"),
        ("adopt",),
        ("conflicts",),
        ("why", "m_zzzzzz2222"),
        ("show", "--cite", "m_zzzzzz2222"),
    ],
    ids=" ".join,
)
def test_paths_open_from_the_folder_one_is_in(words: tuple[str, ...], vault: InProcess) -> None:
    here = vault.vault / "deep"
    done = vault.run(*words, cwd=here)
    paths = set(_PATH.findall(done.stdout + done.stderr))
    assert [path for path in paths if not (here / path).exists()] == []
    assert paths or words[0] in {"log", "conflicts", "diff"}
