"""docs/architecture.md names files and functions that are there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
# `core/ids.py`, `tests/whole/`, `pyproject.toml`, `core/ids.py::MemoryRef`
PATH = re.compile(r"`((?:[\w.-]+/)*[\w.-]+/?)(?:::([\w.]+))?`")
PLACES = (ROOT, ROOT / "memstore")
PACKAGES = re.compile(r"^\| (`\w+/`(?:, `\w+/`)*) \|", re.MULTILINE)


def named() -> list[tuple[str, str]]:
    """Return each path on the page, with the name that is looked for in it, or an empty one."""
    found = {(path, name or "") for path, name in PATH.findall(PAGE)}
    return sorted(one for one in found if "/" in one[0] or one[0].endswith((".py", ".toml")))


@cache
def defined(file: Path) -> frozenset[str]:
    """Return what a module defines: `function`, `Class`, `Class.method`, `TABLE`."""
    names: set[str] = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        match node:
            case ast.ClassDef(name=name, body=body):
                names |= {name, *(f"{name}.{one.name}" for one in body if isinstance(one, ast.FunctionDef))}
            case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                names.add(name)
            case _:
                pass
    return frozenset(names)


@pytest.mark.soak(3)
@pytest.mark.parametrize(("path", "name"), named(), ids=lambda text: text or "-")
def test_what_is_named_is_there(path: str, name: str) -> None:
    found = [place / path for place in PLACES if (place / path).exists()]
    assert found, f"there is no {path}"
    assert not name or name in defined(found[0]), f"{path} defines no {name}"


def test_every_package_is_on_the_map() -> None:
    map_of_packages = PAGE.partition("## Map")[2].partition("\n## ")[0]
    named_there = {name.strip("`/") for row in PACKAGES.findall(map_of_packages) for name in row.split(", ")}
    assert named_there == {path.parent.name for path in (ROOT / "memstore").glob("*/__init__.py")}


def test_the_page_says_nothing_twice() -> None:
    lines = [line for line in PAGE.split("\n") if line.strip("| -:")]
    tables = {line for line in lines if line.startswith("| ") and lines.count(line) > 1}
    headings = {line for line in lines if line.startswith("#") and lines.count(line) > 1}
    assert not headings | {line for line in tables if len(line) > 60}
