"""Messages are for people: what code needs to know of an error or a finding stands beside its text."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tests.installed import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

MODULES = sorted((ROOT / "memstore").rglob("*.py"))
# How a text is taken apart or looked into. To cut lines, blanks or a capital for the screen asks nothing of it.
TAKES_APART = frozenset({"startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition"})
LOOKS_INTO = frozenset({"find", "index", "search", "match", "fullmatch", "findall", "finditer", "replace"})
FINDINGS = frozenset({"finding", "problem", "failure", "slip"})
# The parser of the standard library says where it stopped in its text alone; so does pyrage, that a file is for others.
MAY_PARSE = {
    "toml_advice.py": {"_PLACE.search(str(error))"},
    "seal_keys.py": {"_FOR_OTHERS not in str(error)"},
}


def parsed(tree: ast.Module) -> Iterator[str]:
    """Yield where the text of an error or a finding is asked for anything but to be shown."""
    errors = {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=of, attr=verb), args=args) if verb in TAKES_APART | LOOKS_INTO:
                asked = [of, *args]
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
                asked = [left, right]
            case _:
                continue
        if any(_is_message(one, errors | {"error"}) for one in asked):
            yield ast.unparse(node)


def _is_message(node: ast.expr, errors: set[str]) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=name)]):
            return name in errors
        case ast.Attribute(value=ast.Name(id=name), attr="message" | "text" | "hint" | "said"):
            return name in errors | FINDINGS
    return False


def test_no_code_asks_a_message_what_it_is_about() -> None:
    asked = ((path.name, {*parsed(ast.parse(path.read_text(encoding="utf-8")))}) for path in MODULES)
    assert sorted((name, found) for name, found in asked if found) == sorted(MAY_PARSE.items())


@pytest.mark.parametrize(
    "code",
    [
        'key = next(key for key in KEYS if finding.text.startswith(f"`{key}` "))',
        'if "overwrite" in slip.said: pass',
        "try: pass\nexcept OSError as why: place = re.search('L[0-9]+', str(why))",
        'text = str(error).replace("; nothing was written", "")',
    ],
)
def test_one_that_does_would_be_seen(code: str) -> None:
    assert list(parsed(ast.parse(code)))
