"""Notes of other programs, once adopted, are used like any memory, whatever their own keys hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.installed import validated

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess

KETTLE = """\
---
type: post
author: [Bella, Sean]
status: half done
title: Kettle
tags: [tea]
---
The kettle in the hall is always on in the morning. Ada fills it.
"""
HALL = """\
---
type: [page, stub]
author: {name: Sean}
status: 3
title: Corridor
tags: [tea]
---
The kettle in the hall is off in the morning. Ada never fills it.
"""


@pytest.fixture
def vault(program: InProcess) -> InProcess:
    """Return a vault with two adopted notes that disagree, and a memory made from a hidden one."""
    for name, text in (("kettle", KETTLE), ("hall", HALL), ("plain", "A plain note on the kettle in the hall.\n")):
        (program.vault / f"{name}.md").write_text(text)
    program.ok("config", "notes", "mixed")
    program.ok("adopt", "kettle.md", "hall.md")
    return program


def _ids(program: InProcess) -> dict[str, str]:
    return {str(one["path"]): str(one["id"]) for one in program.json("list")["memories"]}


COMMANDS = [
    ("search", "kettle in the hall"),
    ("search", "kettle in the hall", "--by", "passage", "--explain"),
    ("search", "kettle", "--sort", "quality", "--facets", "tag"),
    ("search", "kettle", "--min-confidence", "0.1"),
    ("recall", "where is the kettle?"),
    ("conflicts",),
    ("conflicts", "--duplicates"),
    ("conflicts", "--candidates", "KETTLE"),
    ("conflicts", "KETTLE"),
    ("show", "KETTLE"),
    ("why", "KETTLE"),
    ("trust", "KETTLE"),
    ("trace", "KETTLE"),
    ("links", "KETTLE"),
    ("log", "KETTLE"),
    ("today",),
    ("list", "--stats"),
    ("check",),
    ("beliefs", "consolidate", "--dry-run"),
    ("beliefs", "suggestions", "list"),
    ("check", "orphans"),
    ("privacy", "audit", "--id", "KETTLE"),
    ("privacy", "explain", "KETTLE", "--for", "human:bella"),
    ("export", "memory-v0.1", "KETTLE"),
    ("edit", "KETTLE", "The kettle moved to the kitchen."),
    ("set", "KETTLE", "tags=steam"),
    ("beliefs", "revise-from", "KETTLE"),
    ("supersede", "KETTLE", "The kettle is in the kitchen now."),
    ("conflicts", "merge", "KETTLE", "HALL"),
    ("conflicts", "split", "KETTLE", "The kettle is on.", "Ada fills the kettle."),
    ("archive", "KETTLE"),
    ("forget", "KETTLE"),
    ("conflicts", "resolve", "KETTLE", "HALL", "--keep", "KETTLE"),
    ("mv", "KETTLE", "kitchen/kettle.md"),
    ("privacy", "grant", "KETTLE", "--to", "human:bella"),
    ("trust", "quarantine", "KETTLE", "--dry-run"),
    ("privacy", "generalize", "KETTLE", "--text", "Water boils.", "--access", "public", "--dry-run"),
]


@pytest.mark.soak(3)
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_takes_an_adopted_note(vault: InProcess, words: tuple[str, ...]) -> None:
    ids = _ids(vault)
    names = {"KETTLE": ids["kettle.md"], "HALL": ids["hall.md"]}
    done = vault.run(*(names.get(word, word) for word in words))
    assert done.returncode <= 1, done.stderr
    assert "unexpected" not in done.stderr
    assert "can't be read" not in done.stderr


def test_their_conflict_is_found_and_settled(vault: InProcess) -> None:
    found = validated(vault.ok("search", "kettle in the hall", "--json"))["results"]
    assert {hit["path"] for hit in found if hit["conflicts"]} == {"kettle.md", "hall.md"}
    (conflict,) = vault.json("conflicts")["conflicts"]
    vault.ok(*conflict["command"].split()[1:])
    assert vault.json("conflicts")["conflicts"] == []


def test_one_whose_sources_are_hidden_is_shared(vault: InProcess, tmp_path: Path) -> None:
    ids = _ids(vault)
    kettle = vault.vault / "kettle.md"
    kettle.write_text(kettle.read_text().replace("tags:", f'relates_to: ["note:{ids["hall.md"]}"]\ntags:'))
    vault.ok("privacy", "grant", ids["kettle.md"], "--to", "human:bella")
    vault.ok("share", "--to", "human:bella", str(tmp_path / "copy"))
    copy = (tmp_path / "copy/kettle.md").read_text()
    assert "type: post" in copy
    assert ids["hall.md"] not in copy
