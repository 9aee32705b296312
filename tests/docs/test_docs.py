"""The documents say what the code says."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import click
import pytest

from memstore.cli.group import GLOBAL_OPTIONS
from memstore.core.errors import Exit
from memstore.core.finding_codes import CODES
from memstore.core.keys import KEYS
from tests.docs import generate

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
# The functions whose first or second word is the code of a finding.
_MAKERS = {"Problem", "Finding", "finding", "report", "_refuse", "error", "warning", "_registry_finding"}


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_generated_parts_are_up_to_date(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert generate.written(text) == text, "run `poe docs`"


@pytest.mark.parametrize(
    "path",
    [ROOT / "README.md", *(path for path in PAGES if path.stem != "CHANGELOG")],  # each release has the same headings
    ids=lambda path: path.stem,
)
def test_no_page_has_a_heading_twice(path: Path) -> None:
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#{1,6} .+", text, re.MULTILINE)
    assert [one for one, count in Counter(headings).items() if count > 1] == []


@pytest.mark.parametrize("name", sorted(generate.PARTS))
def test_every_part_stands_on_one_page(name: str) -> None:
    marker = f"<!-- {name}: written by poe docs -->"
    assert [path.stem for path in PAGES if marker in path.read_text(encoding="utf-8")].__len__() == 1


def test_every_code_of_a_finding_is_explained() -> None:
    assert re.findall(r"^### `([a-z0-9-]+)`$", page("findings"), re.MULTILINE) == list(CODES)


def codes_in_the_code() -> dict[str, str]:
    """Return every text with the form of a code that is handed to something that makes findings, with its module."""
    found: dict[str, str] = {}
    for path in (ROOT / "memstore").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and _name(call.func) in _MAKERS:
                words = [*call.args[:2], *[keyword.value for keyword in call.keywords if keyword.arg == "code"]]
                found |= {
                    str(word.value): path.name
                    for word in words
                    if isinstance(word, ast.Constant) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", str(word.value))
                }
    return found


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def test_codes_that_are_used_are_in_the_table() -> None:
    used = codes_in_the_code()
    assert {code: module for code, module in used.items() if code not in CODES} == {}
    assert len(used) > 20


def test_codes_in_the_table_are_used() -> None:
    text = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "memstore").rglob("*.py")
        if path.name != "finding_codes.py"
    )
    assert [code for code in CODES if f'"{code}"' not in text] == []


def test_every_exit_code_is_listed() -> None:
    listed = re.findall(r"^\| (\d+) \| (\w+) \|", page("exit-codes"), re.MULTILINE)
    assert listed == [(str(int(code)), code.name) for code in Exit]


def test_every_key_is_listed() -> None:
    text = page("format")
    assert [key.name for key in KEYS if f"| `{key.name}` |" not in text] == []


def test_every_command_and_option_is_explained() -> None:
    text = page("commands")
    for _, name, command in generate.commands():
        assert re.search(rf"^### `memstore {re.escape(name)}[ `]", text, re.MULTILINE)
        assert command.help
        for param in command.params:
            if isinstance(param, click.Option):
                assert param.help, (name, param.opts)
                assert param.opts[0] in text
    assert all(option.opts[0] in text for option in GLOBAL_OPTIONS)


def test_links_between_pages_lead_somewhere() -> None:
    links = [
        (path, target)
        for path in [*PAGES, *(ROOT / "docs" / "adr").glob("*.md"), ROOT / "schemas" / "README.md"]
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    ]
    assert links
    assert [(path.name, target) for path, target in links if not (path.parent / target).exists()] == []


def test_every_decision_that_is_named_exists() -> None:
    known = {path.name[:4] for path in (ROOT / "docs" / "adr").glob("*.md")}
    for folder in ("memstore", "tests", "benchmarks", "docs", "hooks"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".md", ".toml", ".css", ".js"):
                text = path.read_text(encoding="utf-8")
                named = {
                    number.zfill(4) for pair in re.findall(r"\bADRs? (\d+)|\badr/(\d{4})", text) for number in pair
                }
                assert named - known <= {"0000"}, path
