"""That a protocol is a port with two implementations and one suite, or is there because packages import one way."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.installed import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent


class Port(NamedTuple):
    """The suite of a protocol in this folder, and the classes that it runs on."""

    suite: str
    implementations: tuple[str, ...]


PORTS = {
    "files.vault.VaultFiles": Port(
        "test_vault.py", ("memstore.files.disk_vault.DiskVault", "tests.memory_vault.MemoryVault")
    ),
    "core.change.Journal": Port(
        "test_journal.py", ("memstore.files.disk_journal.DiskJournal", "tests.memory_workspace.LastOperation")
    ),
    "search.facets.Ranker": Port(
        "test_ranker.py", ("memstore.search.ranker.IndexRanker", "tests.contracts.scan_ranker.ScanRanker")
    ),
    "search.library.Library": Port(
        "test_library.py", ("memstore.search.disk_library.DiskLibrary", "tests.memory_workspace.ReadingLibrary")
    ),
    "search.library.Snapshot": Port(
        "test_snapshot.py",
        ("memstore.search.memory_snapshot.MemorySnapshot", "memstore.search.layered_snapshot.LayeredSnapshot"),
    ),
    "search.library.Catalog": Port(
        "test_snapshot.py",
        ("memstore.search.memory_snapshot.MemoryCatalog", "memstore.search.layered_snapshot.LayeredCatalog"),
    ),
    "search.library.SearchIndex": Port(
        "test_snapshot.py",
        ("memstore.search.memory_snapshot.MemoryIndex", "memstore.search.layered_snapshot.LayeredIndex"),
    ),
    "search.facets.UsageLog": Port(
        "test_usage.py", ("memstore.search.local_state.DiskUsage", "tests.memory_workspace.ListedUses")
    ),
    "access.local_state.ContextState": Port(
        "test_local_state.py", ("memstore.access.local_state.ContextFile", "memstore.access.local_state.CallContext")
    ),
    "beliefs.run_record.RunRecord": Port(
        "test_local_state.py", ("memstore.beliefs.run_record.DiskRuns", "tests.memory_state.LastRun")
    ),
    "search.facets.VectorStore": Port(
        "test_local_state.py", ("memstore.search.embedder.DiskVectors", "tests.memory_state.KeptVectors")
    ),
    "trust.signatures.Signatures": Port(
        "test_signatures.py", ("memstore.trust.signatures.SshSignatures", "tests.memory_state.KeysInMemory")
    ),
    "search.facets.Embedder": Port(
        "test_embedder.py", ("memstore.search.embedder.OnnxEmbedder", "tests.embedders.HashedTrigrams")
    ),
    "conflicts.inference.NliModel": Port(
        "test_nli_model.py", ("memstore.conflicts.nli_model.OnnxNli", "tests.nli_models.ListedContradictions")
    ),
    "conflicts.model_judges.PairJudge": Port(
        "test_pair_judge.py",
        ("memstore.conflicts.model_judges.LlmJudge", "memstore.conflicts.model_judges.NliJudge"),
    ),
    "beliefs.wording.Synthesizer": Port(
        "test_synthesizer.py",
        ("memstore.beliefs.synthesizers.SynthesizerCommand", "memstore.beliefs.synthesizers.ModelSynthesizer"),
    ),
    "core.clock.Clock": Port("test_clock.py", ("memstore.core.clock.SystemClock", "tests.support.TickClock")),
    "core.clock.IdSource": Port("test_clock.py", ("memstore.core.clock.RandomIds", "tests.support.CountingIds")),
}

# No ports: what each is there for.
OTHERS = {
    "core.view.View": "use cases name it, and may not import the implementation (docs/adr/0025)",
    "core.view.Whole": "as View",
    "core.view.Transaction": "as View",
    "access.facets.Rights": "as View",
    "access.facets.SharedStacks": "as View",
    "access.facets.SealedFiles": "as View",
    "files.facets.NamedFiles": "as View",
    "history.facets.WorkTree": "as View",
    "search.facets.VisibleIndex": "as View",
    "files.vault.Opener": "files come before trust, whose keys open what they read (docs/adr/0025)",
    "search.reranker.ConflictsAmong": "search comes before conflicts, which compares its hits (docs/adr/0025)",
    "vault.index_elsewhere.IndexedThere": "vault comes before engines, which have it (docs/adr/0060)",
    "core.named.HasRef": "any value that has a ref: memories, hits, what was saved",
}


def protocols() -> Iterator[str]:
    for path in sorted((ROOT / "memstore").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and any(ast.unparse(base).startswith("Protocol") for base in node.bases):
                yield ".".join([*path.relative_to(ROOT / "memstore").with_suffix("").parts, node.name])


def named(dotted: str) -> type:
    module, _, name = dotted.rpartition(".")
    found: type = getattr(importlib.import_module(module), name)
    return found


def members(of: type) -> set[str]:
    """Return the names that a protocol asks for."""
    return {name for name in {*vars(of), *of.__annotations__} if not name.startswith("_")}


def test_every_protocol_has_a_suite_or_a_reason() -> None:
    assert sorted(protocols()) == sorted([*PORTS, *OTHERS])


@pytest.mark.parametrize("protocol", PORTS)
def test_two_implementations_have_all_that_the_protocol_asks_for(protocol: str) -> None:
    port = PORTS[protocol]
    first, second = (named(each) for each in port.implementations)
    assert first is not second
    wanted = members(named(f"memstore.{protocol}"))
    assert wanted
    for one in (first, second):
        text = Path(importlib.import_module(one.__module__).__file__ or "").read_text(encoding="utf-8")
        assert [name for name in wanted if not hasattr(one, name) and f"self.{name} = " not in text] == []


@pytest.mark.parametrize("suite", sorted({port.suite for port in PORTS.values()}))
def test_a_suite_calls_all_that_its_protocols_ask_for(suite: str) -> None:
    text = (HERE / suite).read_text(encoding="utf-8")
    for protocol, port in PORTS.items():
        if port.suite == suite:
            wanted = members(named(f"memstore.{protocol}"))
            assert [name for name in sorted(wanted) if f".{name}" not in text] == [], protocol
