"""What a view hands out under the names that packages declare."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from memstore.core.facet import Facet, Facets
from memstore.vault.view import PARTS
from memstore.vault.workspace import DRAFTS, JOURNAL
from tests.installed import ROOT
from tests.memory_workspace import memory_workspace

NUMBER: Facet[int] = Facet("number")
WORD: Facet[str] = Facet("word")


def declared() -> dict[str, Facet[object]]:
    """Return the facets of all packages, by the names under which they are imported."""
    packages = sorted(path.parent.name for path in (ROOT / "memstore").glob("*/__init__.py"))
    found: dict[str, Facet[object]] = {}
    for package in packages:
        module = importlib.import_module(f"memstore.{package}")
        found |= {f"{package}.{name}": one for name, one in vars(module).items() if isinstance(one, Facet)}
    return found


@pytest.mark.parametrize("name", declared())
def test_a_view_hands_out_what_a_package_declares(name: str) -> None:
    memory_workspace().view().of(declared()[name])


def test_each_is_made_of_the_vault_or_of_this_machine() -> None:
    offered = {*PARTS} | {*memory_workspace().facets}
    assert {*declared().values()} <= offered


@pytest.mark.parametrize("private", [JOURNAL, DRAFTS])
def test_no_view_hands_out_what_leads_to_content_beside_it(private: Facet[object]) -> None:
    with pytest.raises(KeyError):
        memory_workspace().view().of(private)


def test_what_is_offered_is_made_once_and_when_it_is_asked_for() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(1)
        return len(made)

    facets = Facets(NUMBER.made_by(make))
    assert made == []
    assert (facets.of(NUMBER), facets.of(NUMBER)) == (1, 1)


def test_what_is_not_replaced_is_shared() -> None:
    paths: Facet[list[Path]] = Facet("paths")
    first = Facets(paths.made_by(list), WORD.made_by(lambda: "one"))
    second = first.having(WORD.made_by(lambda: "two"))
    second.of(paths).append(Path("a"))
    assert first.of(paths) == [Path("a")]
    assert (first.of(WORD), second.of(WORD)) == ("one", "two")
