"""Whatever a client may not be shown makes no difference to any tool, to the last byte."""

from __future__ import annotations

import json
import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memstore.core.places import kind_of
from memstore.mcp import resources, tools
from memstore.mcp.call import ToolAnswer
from memstore.vault.view import VaultView
from tests.mcp.serving import served
from tests.support import examples
from tests.whole.hidden import NOW, OWNER, Case, Vaults, drawn, ids_and_paths
from tests.whole.program import Program
from tests.whole.test_non_interference import FILTER, LEAKY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.mcp.server import Server

Calls = list[tuple[str, dict[str, Any]]]
COMPLETION = "completion"
# Of the tools that `--tools all` adds, the one that goes by what memories were derived from.
QUARANTINE = "memory_quarantine"
_BY_CHANCE = re.compile(r"\b[0-9a-f]{40}\b|\bh_[\w-]{20,}")


@pytest.fixture(scope="module")
def vaults(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vaults]:
    program = Program(tmp_path_factory.mktemp("hidden"))
    program.vault.mkdir()
    program.ok("init", ".", "--owner", OWNER)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("memstore.core.clock.SystemClock.now", lambda _: NOW)
        patched.setattr("memstore.core.clock.RandomIds.memory_id", lambda _: "m_0000000000")
        yield Vaults(program.in_process())


def calls(ids: list[str], paths: list[str]) -> Calls:
    """Return calls of every tool in every way, at these memories, hidden ones among them."""
    last = ids[-1]
    named = [
        one
        for ref in (*ids, *paths, ids[0][:-2], f"note:{ids[0]}")
        for one in (
            ("memory_get", {"ref": ref}),
            ("memory_get", {"ref": ref, "full": True}),
            ("memory_edit", {"ref": ref, "old": "tea", "new": "TEA"}),
            ("memory_edit", {"ref": ref, "new": "tea", "version": "0" * 40}),
            ("memory_supersede", {"ref": ref, "text": "tea now"}),
            ("memory_evidence", {"action": "reinforce", "ref": ref, "evidence": [last]}),
            ("memory_evidence", {"action": "contradict", "ref": last, "evidence": [ref]}),
            ("memory_conflicts", {"action": "list", "ref": ref}),
            ("memory_conflicts", {"action": "resolve", "ref": last, "other": ref, "keep": "both"}),
            ("memory_review", {"action": "show", "ref": ref}),
            ("memory_review", {"action": "accept", "ref": ref}),
            ("memory_review", {"action": "reject", "ref": ref}),
            ("memory_forget", {"action": "archive", "refs": [last, ref]}),
            ("memory_forget", {"action": "restore", "refs": [ref]}),
            ("memory_add", {"text": f"see [[{ref}]]", "relates_to": [ref]}),
            ("memory_add", {"text": "tea", "derived_from": [ref]}),
            ("memory_search", {"query": ref}),
            ("memory_search", {"query": "tea", "where": [f"derived_from~{ref}"]}),
            ("memory_recall", {"prompt": f"tea {ref}"}),
            ("privacy", {"action": "grant", "ref": ref, "to": ["human:eve"]}),
            ("privacy", {"action": "revoke", "ref": ref, "from": ["human:bob"]}),
            ("privacy", {"action": "explain", "ref": ref, "entity": "human:eve"}),
            ("privacy", {"action": "audit", "ref": ref}),
            ("memory_note", {"content": "tea", "context": ref}),
            ("memory_expand", {"memory_id": ref}),
            ("privacy_audit", {"memory_id": ref}),
            ("privacy_audit", {"stack": ref}),
            ("memory_quarantine", {"action": "plan", "of": ref}),
            ("memory_quarantine", {"action": "quarantine", "of": ref, "reason": "odd"}),
            ("memory_quarantine", {"action": "lift", "of": ref}),
            (f"memory://{ref}", {}),
            (COMPLETION, {"value": ref[:-1]}),
        )
    ]
    return [
        *named,
        ("memory://brief", {}),
        (COMPLETION, {"value": ""}),
        (COMPLETION, {"value": "note:m_"}),
        ("memory_search", {"query": "tea", "status": ["all"]}),
        ("memory_search", {"query": "quetzalcoatl teapto"}),
        ("memory_recall", {"prompt": "walking hearts at the lake"}),
        ("memory_add", {"text": "Bella likes tea.", "type": "belief", "confidence": 0.9}),
        ("memory_add", {"text": "tea lake", "subject_ids": ["dog:bella"], "access_grants": ["*"]}),
        ("memory_conflicts", {"action": "list"}),
        ("memory_conflicts", {"action": "list", "duplicates": True}),
        ("memory_review", {"action": "list"}),
        ("memory_review", {"action": "consolidate"}),
        ("context", {"action": "enter", "context": "ctx:park"}),
        ("context", {"action": "leave", "handle": "h_nothing"}),
        ("context", {"action": "show"}),
        ("context", {"action": "list"}),
        ("context", {"action": "suggest", "text": "tea lake river xylophones"}),
        ("privacy", {"action": "audit", "subject": "dog:bella"}),
        ("privacy", {"action": "audit", "entity": "*"}),
        *(
            ("memory_quarantine", {"action": "plan", "of": who})
            for who in ("human:bob", "vet:smith", "https://tea.example")
        ),
        ("memory_quarantine", {"action": "quarantine", "of": "human:bob"}),
    ]


def server_of(vaults: Vaults, case: Case, *, alone: bool) -> Server:
    who: dict[str, Any] = {"alone": alone and not case.context, "context": case.context}
    return served(vaults.program, entity=case.viewer, track=False, offered="all", **who)


def hidden_from(vaults: Vaults, case: Case, *, alone: bool) -> set[str]:
    view = server_of(vaults, case, alone=alone).view()
    paths = view.column("path")
    seen = {paths[row] for row in view.rows}
    return {path for path in case.files if path.endswith(".md") and kind_of(path) is None} - seen


def _answered(server: Server, tool: str, arguments: dict[str, Any]) -> ToolAnswer:
    if tool == COMPLETION:
        return ToolAnswer(tuple(resources.completed(server, arguments["value"])), (), {})
    return resources.read(server, tool) if tool.startswith("memory://") else server.call(tool, arguments)


def told(vaults: Vaults, case: Case, made: Calls, *, alone: bool) -> list[tuple[object, ...]]:
    """Return what each call answers and writes; that is taken back before the next."""
    before, answers = vaults.files(), []
    for tool, arguments in made:
        answer = _answered(server_of(vaults, case, alone=alone), tool, arguments)
        after = vaults.files()
        names = sorted({*before, *after})
        wrote = tuple((name, after.get(name)) for name in names if before.get(name) != after.get(name))
        said = (answer.text, json.dumps(answer.document, sort_keys=True))
        answers.append((tool, arguments, answer.failed, *(_BY_CHANCE.sub("-", one) for one in said), wrote))
        vaults._take_back(before, wrote)
    return answers


def differences(
    vaults: Vaults, case: Case, made: Calls, *, alone: bool, hidden: set[str] | None = None
) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls that are answered otherwise where what is hidden is gone."""
    vaults.put(case)
    hidden = hidden_from(vaults, case, alone=alone) if hidden is None else hidden
    full = told(vaults, case, made, alone=alone)
    vaults.put_what_is_seen(case, hidden)
    less = told(vaults, case, made, alone=alone)
    return [call for call, one, other in zip(made, full, less, strict=True) if one != other]


@settings(max_examples=examples(4), deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32), alone=st.booleans())
@example(seed=5, alone=False)
@example(seed=100000, alone=False)  # two files with one id
def test_what_is_hidden_makes_no_difference_to_any_tool(vaults: Vaults, *, seed: int, alone: bool) -> None:
    random = Random(seed)  # noqa: S311 - chance, not secrecy
    case = drawn(random)
    vaults.put(case)
    hidden = hidden_from(vaults, case, alone=alone)
    every = calls(*ids_and_paths(case, hidden))
    assert {*tools.TOOLS, QUARANTINE, COMPLETION, "memory://brief"} <= {tool for tool, _ in every}
    assert differences(vaults, case, random.sample(every, 50), alone=alone, hidden=hidden) == []


# For somebody else, and for the owner who may be overheard.
@pytest.mark.soak
@pytest.mark.parametrize(("viewer", "alone"), [("human:bob", True), ("human:bob", False), (OWNER, False)])
def test_a_vault_full_of_traps_gives_nothing_away(vaults: Vaults, viewer: str, *, alone: bool) -> None:
    case = Case({}, LEAKY, viewer, None)
    ids, paths = ["m_hidden0001", "m_bobs000001"], ["a/hidden.md", "a/open.md"]
    assert differences(vaults, case, calls(ids, paths), alone=alone) == []


LEAKING = sorted({*tools.TOOLS, QUARANTINE, COMPLETION, "memory://brief", "memory://m_hidden0001"} - {"context"})


@pytest.mark.soak(3)
@pytest.mark.parametrize("tool", LEAKING)
def test_without_the_filter_every_tool_leaks(vaults: Vaults, monkeypatch: pytest.MonkeyPatch, tool: str) -> None:
    case = Case({}, LEAKY, "human:bob", None)
    vaults.put(case)
    hidden = hidden_from(vaults, case, alone=True)
    ids, paths = ["m_hidden0001", "m_bobs000001"], ["a/hidden.md", "a/open.md"]
    for name, gone in FILTER.items():
        monkeypatch.setattr(VaultView, name, gone)
    made = [call for call in calls(ids, paths) if call[0] == tool]
    assert differences(vaults, case, made, alone=True, hidden=hidden)
