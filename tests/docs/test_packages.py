"""Each package that memstore depends on has work here, and the page says which; one that can't do it says why."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Any

import frontmatter
import pytest

from memstore.exchange.exporting import files, okf
from memstore.files import fence, plain_note, strict_yaml
from tests.installed import ROOT
from tests.memory_workspace import memory_workspace

PAGE = ROOT / "docs" / "adr" / "0052-what-each-package-is-for.md"
# Where the name of a package is not the name that programs import.
MODULES = {"GitPython": "git", "PyYAML": "yaml", "ruamel.yaml": "ruamel", "Whoosh": "whoosh"}
BELIEFS = ROOT / "sample-vault" / "memories" / "belief"
MEMORIES = {path.name: path.read_bytes() for path in sorted(BELIEFS.rglob("*.md"))}


def required() -> list[str]:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    return [line.partition(">=")[0] for line in declared]


@cache
def imported() -> set[str]:
    """Return the packages that memstore's modules import, at the top or later."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "memstore").rglob("*.py"))
    return {name for text in texts for name in re.findall(r"(?m)^ *(?:from|import) (\w+)", text)}


@pytest.mark.parametrize("package", required())
def test_a_package_that_is_required_is_imported_and_the_page_says_for_what(package: str) -> None:
    assert MODULES.get(package, package) in imported()
    assert f"| {package} |" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("country: no", False),
        ("code: 0123", 83),
        ("begins: 12:30", 750),
    ],
)
def test_python_frontmatter_guesses_what_a_note_does_not_say(line: str, given: object) -> None:
    data = f"---\n{line}\n---\nText.\n".encode()
    name = line.partition(":")[0]
    assert frontmatter.loads(data.decode()).metadata[name] == given
    said = plain_note.read(data)[1].get(name)
    assert said != given


def test_python_frontmatter_fails_at_a_note_that_is_only_nearly_yaml() -> None:
    data = b"---\ntitle: so: it is\n---\nText.\n"
    with pytest.raises(Exception, match="mapping values"):
        frontmatter.loads(data.decode())
    assert b"Text." in plain_note.read(data)[0].body.encode()


def test_python_frontmatter_moves_the_lines_that_are_cited() -> None:
    said = "---\ntitle: x\n---\n\n    code\n\n- tea\n\n"
    assert frontmatter.loads(said).content == "code\n\n- tea"
    assert plain_note.read(said.encode())[0].body == "\n    code\n\n- tea\n\n"


def test_python_frontmatter_writes_no_memory_as_it_was() -> None:
    texts = [data.decode() for data in MEMORIES.values()]
    assert len(texts) > 10
    assert [text for text in texts if frontmatter.dumps(frontmatter.loads(text)) == text] == []


@pytest.mark.parametrize("exported", [files, okf])
def test_python_frontmatter_reads_whatever_is_exported_as_markdown(exported: Any) -> None:
    view = memory_workspace(MEMORIES).view()
    found = dict(exported(view))
    assert len(found) > 10
    for path, data in found.items():
        post = frontmatter.loads(data.decode())
        said = fence.split(data)
        assert isinstance(said, fence.FencedText), path
        assert post.metadata == strict_yaml.read(said.head, first_line=1).values, path
        assert post.content == said.body.strip(), path
