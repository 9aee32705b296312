from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from memstore.cli.key_options import OFFERED
from memstore.core.keys import KEYS
from memstore.files import memory_file
from memstore.files.memory_file import MemoryFile
from memstore.memories.template import MAY_BE_SET
from tests.installed import ROOT
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

REFUSED, VAULT = 4, 5
BELIEF = """\
---
type: belief
confidence: 0.50   # until something speaks for it
tags: [mine]
source:
stage: seedling
---

Because …
"""


@pytest.fixture
def here(tmp_path: Path) -> InProcess:
    program = InProcess(tmp_path)
    program.init()
    return program


def put(here: InProcess, text: str | bytes, kind: str = "belief") -> None:
    path = here.vault / ".memstore" / "templates" / f"{kind}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def made(here: InProcess, *words: str, **environment: str) -> MemoryFile:
    path = here.json("add", *words, **environment)["path"]
    file = memory_file.read(path, (here.vault / path).read_bytes())
    assert isinstance(file, MemoryFile)
    return file


def test_a_memory_gets_the_keys_that_were_not_given(here: InProcess) -> None:
    put(here, BELIEF)
    file = made(here, "Tea is best green", "-t", "belief")
    assert (file.memory.confidence, file.memory.tags, file.front.values["stage"]) == (0.5, ("mine",), "seedling")
    assert file.memory.confidence_history[0].new == 0.5
    assert file.memory.body.strip() == "Tea is best green"
    assert "source" not in file.front.values
    file = made(here, "Coffee is best black", "-t", "belief", "--tag", "coffee", "--confidence", "0.9")
    assert (file.memory.confidence, file.memory.tags) == (0.9, ("coffee",))


def test_other_memories_get_nothing(here: InProcess) -> None:
    put(here, BELIEF)
    put(here, BELIEF.replace("belief", "raw"), "raw")
    assert made(here, "A note").memory.tags == ()
    path = json.loads(
        here.ok("--json", "add", "-", "-t", "belief", stdin="---\ntype: belief\n---\nWith keys of its own\n")
    )["path"]
    assert "mine" not in (here.vault / path).read_text()
    path = here.json("raw", "as it came")["path"]
    assert "mine" not in (here.vault / path).read_text()


def test_a_draft_begins_with_the_template_byte_for_byte(here: InProcess, tmp_path: Path) -> None:
    put(here, BELIEF)
    seen = tmp_path / "seen"
    editor = f'sh -c \'grep -v "^# memstore" "$0" > {seen}; echo green >> "$0"\''
    file = made(here, "-t", "belief", "--title", "Tea", EDITOR=editor)
    assert seen.read_text() == BELIEF.replace("\nconf", "\ntitle: Tea\nconf", 1)
    assert file.memory.body == "\nBecause …\ngreen\n"
    assert "\nconfidence: 0.50   # until something speaks for it\n" in file.text.head


def test_a_template_may_be_a_body_alone(here: InProcess) -> None:
    put(here, "What happened:\n\nWhat came of it:\n", "episode")
    file = made(here, "-t", "episode", EDITOR="sh -c 'echo rain >> \"$0\"'")
    assert file.memory.body == "\nWhat happened:\n\nWhat came of it:\nrain\n"
    assert made(here, "It rained", "-t", "episode").memory.body == "\nIt rained\n"


def test_a_draft_left_as_the_template_has_it_adds_nothing(here: InProcess) -> None:
    put(here, BELIEF)
    assert here.json("add", "-t", "belief", EDITOR="true")["path"] is None


def test_the_documents_list_what_a_template_may_set() -> None:
    section = (ROOT / "docs" / "format.md").read_text().partition("## Templates")[2].partition("\n## Links")[0]
    listed = section.partition("It may set")[2].partition("and keys of your own")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == MAY_BE_SET - {"type"}


def test_options_give_every_key_that_a_template_may_set() -> None:
    assert {key.name for key in OFFERED} >= MAY_BE_SET


@pytest.mark.parametrize("name", sorted({key.name for key in KEYS} - MAY_BE_SET))
def test_no_template_says_whose_a_memory_is_who_sees_it_or_where_it_is_from(here: InProcess, name: str) -> None:
    value = {
        "access_grants": "['*']", "access_denies": "['*']", "consent_grants": "['human:sean']", "context": "ctx:family",
        "created_at": '"2026-01-01T00:00:00Z"', "owner": "human:sean", "author": "human:sean", "id": "m_7f3k9q2x1c",
        "source_entity": "human:sean", "source_type": "observation", "channel": "session", "generalized": "true",
        "source_chain": "['human:sean']", "upstream_grants": "[['human:sean']]", "proposes": "create",
        "generalization": "{verdict: safe}", "derived_from": "['url:https://example.org']",
        "resolved_conflicts": "[{with: 'note:m_1234', conflict_type: x, decision: keep}]",
        "confidence_history": "[{timestamp: '2026-01-01T00:00:00Z', op: assert, new: 0.5}]",
        "quarantine": "{of: 'note:m_7f3k9q2x1c', at: '2026-01-01T00:00:00Z'}",
        "anchors": "[{type: url, reference: x}]", "compressed_from": "{commit: x, blob: x}",
        "keeps_secret": "true",
        "signature": "{by: 'human:sean', at: '2026-01-01T00:00:00Z', content: x, provenance: x, sig: x}",
        "witnesses": "[{agent_id: 'si:a', attestation: confirm, witnessed_at: '2026-01-01T00:00:00Z'}]",
        "resolutions": "[{by: 'si:a', outcome: upheld, at: '2026-01-01T00:00:00Z', content: x, provenance: x, sig: x}]",
        "origin": "{trigger: x}", "relates_to": "['note:m_1234']", "processed_into": "['note:m_1234']",
        "supersedes": "note:m_1234", "superseded_by": "note:m_1234",
    }.get(name, "x")  # fmt: skip
    put(here, f"---\ntags: [a]\n{name}: {value}\n---\n", "note")
    for words in (("add", "text"), ("add",)):
        done = here.run(*words, EDITOR="false")
        assert (done.returncode, done.stdout) == (REFUSED, ""), done.stderr
        assert done.stderr.startswith(f"memstore: .memstore/templates/note.md:3: a template can't set `{name}`")
    assert here.json("list")["total"] == 0


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("---\ntags: [a]\ntype: episode\n---\n", REFUSED, "note.md:3: this is the template for note"),
        ("---\ntags: [a]\nstatus: forgotten\n---\n", REFUSED, "note.md:3: a template can't set `status`"),
        ("---\ntags: [a]\nconfidence: 7\n---\n", VAULT, "note.md:3:1: error: "),
        ("---\ntags: [a]\ntitle: a: b\n---\n", VAULT, "note.md:3:8: error: "),
        ("---\ntags: [a]\n", VAULT, "note.md:1:1: error: "),
        (b"words \xff\n", VAULT, "note.md:1:7: error: "),
    ],
    ids=str,
)
def test_what_is_wrong_with_a_template_is_told_with_its_line(
    here: InProcess, text: str | bytes, code: int, place: str
) -> None:
    put(here, text, "note")
    done = here.run("add", "text")
    assert (done.returncode, done.stdout) == (code, "")
    assert f".memstore/templates/{place}" in done.stderr


def test_templates_are_files_of_the_vault_and_no_memories(here: InProcess) -> None:
    put(here, BELIEF)
    assert here.json("check")["findings"] == []
    here.ok("commit")
    assert ".memstore/templates/belief.md" in here.git("ls-files")
    assert here.json("list")["total"] == 0
