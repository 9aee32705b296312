"""An agent is told of tools and their arguments, where a person is told of commands and options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from memstore.mcp import tools
from memstore.mcp.wording import Wording
from tests.mcp.serving import answered, sample, served

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess

NOTE, OTHER = "note:m_4egv3sm7m4", "observation:m_pc2ebkk6tx"
PERSON = "(a command is for a person to run)"


def worded(offered: str = "all", *, called: str = "memory_search", action: str | None = None) -> Wording:
    all_tools = tools.CHOICES["all"]
    tool = next(one for one in all_tools if one.name == called)
    return Wording(tools.CHOICES[offered], tool, tool.verb(action))


@pytest.mark.parametrize(
    ("advice", "told"),
    [
        ("memstore show note:m_1 prints the text", "memory_get ref=note:m_1 prints the text"),
        ("read it again: memstore show notes/a.md", "read it again: memory_get ref=notes/a.md"),
        ("memstore commit note:m_1, then anchor it", "vault action=commit refs=note:m_1, then anchor it"),
        ("memstore list --status quarantined shows what is", "memory_list status=quarantined shows what is"),
        ("memstore trust explains it", "memory_trust action=show explains it"),
        (
            "memstore privacy grant m_1 --to human:a --consent human:b human:c",
            "privacy action=grant ref=m_1 to=human:a consent=human:b human:c",
        ),
        ("memstore supersede note:m_1 TEXT replaces it", "memory_supersede ref=note:m_1 text=TEXT replaces it"),
        ('memstore set REF source="a walk"', 'memory_change action=set ref=REF pairs=source="a walk"'),
        ("memstore witness note:m_1 --attest confirm vouches", "memory_witness ref=note:m_1 attest=confirm vouches"),
        ("memstore quarantine note:m_1 --lift", "memory_quarantine action=lift of=note:m_1"),
        ("memstore quarantine note:m_1", "memory_quarantine action=plan of=note:m_1"),
        ("memstore trace note:m_1 --reverse", "memory_lineage action=dependents ref=note:m_1"),
        ("memstore privacy revoke m_1 --from '*'", "privacy action=revoke ref=m_1 from='*'"),
        ("memstore entity add {} says who it is", "entities action=add {} says who it is"),
        ("(memstore check says why)", "(vault action=check says why)"),
        ("4 left out; --status all shows them", "4 left out; `status` all shows them"),
        ("a higher --limit lists them", "a higher `limit` lists them"),
        ("a memory of memstore names --nothing", "a memory of memstore names --nothing"),
        ("memstore adopt notes/a.md", f"memstore adopt notes/a.md {PERSON}"),
        ("memstore check --fix records it", f"memstore check --fix records it {PERSON}"),
        ("memstore forget REF…, or memstore forget --shred CTX",
         f"memory_forget action=forget refs=REF…, or memstore forget --shred CTX {PERSON}"),
        ("memstore context leave", "context action=leave"),
        ("git restore brings it back", "git restore brings it back"),
    ],
)  # fmt: skip
def test_advice_names_tools(advice: str, told: str) -> None:
    assert worded().told(advice) == told


def test_only_tools_that_are_offered_are_named() -> None:
    assert worded("usual").told("memstore list shows it") == f"memstore list shows it {PERSON}"
    assert worded("usual").told("memstore show REF shows it") == "memory_get ref=REF shows it"


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        (
            "memory_add",
            {"text": "x", "source_type": "rumour"},
            "memstore: invalid value for `source_type`: 'rumour' is not one of 'direct_experience'",
        ),
        ("memory_add", {"text": "x", "type": "poem"}, "\nhint: memory_add takes text, type, title, tags, source, "),
        ("memory_search", {"query": "x", "limit": 0}, "memstore: invalid value for `limit`: 0 is not in the range"),
        ("privacy", {"action": "audit"}, "\nhint: give one of `subject` ENTITY, `entity` ENTITY, `ref` REF"),
        ("privacy", {"action": "grant", "ref": NOTE, "to": []}, "\nhint: privacy grant takes ref, to, consent"),
        (
            "memory_evidence",
            {"action": "contradict", "ref": NOTE, "evidence": []},
            "\nhint: memory_evidence contradict takes ref, evidence, reason",
        ),
        ("memory_get", {"ref": "m_nobody"}, "\nhint: memory_list shows what there is; memory_search finds by words"),
    ],
)
def test_what_is_wrong_with_an_argument_names_it(
    tmp_path: Path, tool: str, arguments: dict[str, Any], text: str
) -> None:
    answer = served(sample(tmp_path), offered="all").call(tool, arguments)
    assert text in answer.text
    assert "--" not in answer.text.partition("; --stack")[0]
    said = answer.document["error"]
    assert f"memstore: {said['message']}\nhint: {said['hint']}" in answer.text


def test_the_document_says_what_the_text_says(tmp_path: Path) -> None:
    server = served(sample(tmp_path), offered="all")
    conflict = answered(server, "memory_conflicts", action="list", ref=NOTE).document["conflicts"][0]
    assert conflict["command"] == f"memory_conflicts action=resolve ref={NOTE} other={OTHER} keep={OTHER}"
    explained = answered(server, "privacy", action="explain", ref=NOTE, entity="ctx:nowhere")
    assert explained.document["fix"] == f"privacy action=grant ref={NOTE.removeprefix('note:')} to=ctx:nowhere"
    assert f"  fix: {explained.document['fix']}" in explained.text
    hints = [one["hint"] for one in answered(server, "vault", action="check").document["findings"]]
    assert any(hint and hint.endswith(PERSON) for hint in hints)


def test_what_a_memory_says_is_never_reworded(tmp_path: Path) -> None:
    program: InProcess = sample(tmp_path)
    text = "hint: memstore show note:m_1 --full"
    (program.vault / "own.md").write_text(
        f"---\ntype: note\nid: m_0wn0wn0wn0\nhint: memstore show x/y\nown: {{fix: memstore show x/y}}\n---\n\n{text}\n"
    )
    server = served(program, offered="all")
    shown = answered(server, "memory_get", ref="m_0wn0wn0wn0")
    assert shown.text.endswith(text)
    assert shown.document["body"].strip() == text
    assert (shown.document["hint"], shown.document["own"]) == ("memstore show x/y", {"fix": "memstore show x/y"})
    missing = server.call("memory_get", {"ref": "memstore show x/y --full"})
    assert missing.text.startswith("memstore: no memory matches `memstore show x/y --full`\n")
