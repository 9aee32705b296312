"""A class name means one thing in the whole program."""

from __future__ import annotations

import ast
from collections import defaultdict

from tests.installed import ROOT


def test_no_two_classes_have_one_name() -> None:
    places = defaultdict(list)
    for path in (ROOT / "memstore").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
