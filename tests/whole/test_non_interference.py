"""Whatever somebody may not see makes no difference to anything they are told, to the last byte."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memstore.codec.git_blob import blob_id
from memstore.codec.memory_file import MemoryFile
from memstore.flows.whole_world import whole_world
from memstore.ports.vault import read_file
from tests.support import memory_text
from tests.whole.hidden import NOW, OWNER, SEEDS, Case, Vaults, drawn, every_command, ids_and_paths
from tests.whole.program import Program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.flows.audience import Audience
    from memstore.ports.search_index import Field
    from tests.whole.hidden import Told


# So many commands for each vault: with more vaults that finds more, in the same time, than all for a few.
AT_ONCE = 40


@pytest.fixture(scope="module")
def vaults(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vaults]:
    program = Program(tmp_path_factory.mktemp("hidden"))
    program.vault.mkdir()
    program.ok("init", ".", "--owner", OWNER)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("memstore.adapters.system_clock.SystemClock.now", lambda _: NOW)
        patched.setattr("memstore.adapters.random_ids.RandomIds.memory_id", lambda _: "m_0000000000")
        yield Vaults(program.in_process())


def differences(
    vaults: Vaults, case: Case, *, commands: list[tuple[str, ...]] | None = None, random: Random | None = None
) -> list[tuple[Told, Told]]:
    """Return what the viewer is told otherwise where what is hidden from them is gone.

    Without `commands`, some of all that there are, drawn by chance.
    """
    vaults.put(case)
    hidden = vaults.hidden(case)
    words = commands or []
    if random:
        words = random.sample(every_command(*ids_and_paths(case, hidden)), AT_ONCE)
    full = vaults.told(case, words)
    assert {path: data for path, data in vaults.files().items() if path in case.files} == case.files
    vaults.put_what_is_seen(case, hidden)
    return [(one, other) for one, other in zip(full, vaults.told(case, words), strict=True) if one != other]


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
@example(16)  # the spelling of a word came from whichever row was first
@example(5)
def test_what_is_hidden_makes_no_difference(vaults: Vaults, seed: int) -> None:
    assert differences(vaults, drawn(Random(seed)), random=Random(seed)) == []  # noqa: S311 - chance, not secrecy


# -- a leak put in on purpose is seen -------------------------------------------------------------

HIDDEN = memory_text("tea quetzalcoatl teapot\n\n[[note:m_open000001]]\n", id="m_hidden0001", tags="[secret]")
CITED = f"file:a/hidden.md#L1@{blob_id(HIDDEN)[:10]}"
PUBLIC = {"access_grants": '["*"]'}
DOUBTED = (
    '[{timestamp: "2026-01-01T00:00:00Z", op: assert, old: null, new: 0.9}, {timestamp: "2026-01-02T00:00:00Z", '
    'op: contradict, old: 0.9, new: 0.5, evidence_source: "episode:m_hidden0011", weight: 0.85}]'
)
LEAKY = {
    "a/hidden.md": HIDDEN,
    "a/made.md": memory_text("tea made\n", id="m_hidden0002", derived_from="[note:m_open000001]"),
    "a/open.md": memory_text("tea boat boat\n", id="m_open000001", **PUBLIC, relates_to="[note:m_hidden0001]"),
    "a/river.md": memory_text("river tea walk\n", id="m_open000002", **PUBLIC),
    "a/cites.md": memory_text("boat lake\n", id="m_open000003", **PUBLIC, generalized="true",
                              generalization="{verdict: safe}", derived_from=f'["{CITED}"]'),
    "b/m_bobs000001.md": memory_text("vet\n", id="m_bobs000001", owner="human:bob"),
    "broken.md": b"---\ntype: note\nid: m_b\nid: m_b\n---\ntea\n",
    "a/likes.md": memory_text("Sean likes coffee.\n", id="m_open000004", type="belief", **PUBLIC,
                              derived_from="[note:m_hidden0001]"),
    "a/dislikes.md": memory_text("Sean dislikes coffee.\n", id="m_hidden0003", type="belief"),
    "a/same.md": memory_text("Sean likes coffee.\n", id="m_hidden0004", type="belief", confidence_history=DOUBTED),
    "a/seed.md": memory_text("Truth is rarely binary.\n", id="m_hidden0005", type="belief", confidence="0.2"),
    "b/m_bobs000002.md": memory_text("Quarks are odd.\n", id="m_bobs000002", type="belief", owner="human:bob",
                                     confidence="0.9", derived_from="[belief:m_hidden0005]"),
    "a/eves.md": memory_text("Kettles leak when nobody looks.\n", id="m_hidden0007", access_grants='["human:eve"]'),
    "b/m_bobs000003.md": memory_text("Kettles!\n", id="m_bobs000003", owner="human:bob",
                                     access_grants='["human:eve"]', derived_from="[note:m_hidden0007]"),
    "contexts/club.yaml": b"id: ctx:club\nroster: ['human:bob']\n",
    "a/plan.md": memory_text("Xylophones for all.\n", id="m_hidden0008", context="ctx:club"),
    "plain.md": b"tea plain\n",
    "a/copy.md": memory_text("Secret.\n", id="m_bobs000005"),
    "b/m_bobs000005.md": memory_text("Not so secret.\n", id="m_bobs000005", owner="human:bob"),
    "b/m_bobs000004.md": memory_text("They leak when nobody looks.\n", id="m_bobs000004", owner="human:bob",
                                     generalized="true", generalization="{verdict: safe}",
                                     derived_from="[note:m_hidden0007]"),
    "suggestions/s.md": memory_text("Perhaps so.\n", id="m_hidden0006", type="belief", status="draft"),
} | {
    f"a/episode{one}.md": memory_text("The kettle leaked on the stove again.\n", id=f"m_hidden001{one}", type="raw")
    for one in range(1, 4)
}  # fmt: skip


def all_rows(_: object, snapshot: Any) -> Any:
    return snapshot.catalog.memories


def all_files(ws: Any, snapshot: Any) -> Any:
    catalog = snapshot.catalog
    files = (read_file(ws.vault, catalog.entry(row).path) for row in catalog.memories)
    return [file for file in files if isinstance(file, MemoryFile)]


def average_of_all(audience: Audience) -> float:
    return sum(audience.lengths) / len(audience.lengths)


def rows_of_all(audience: Audience, term: str, field: Field) -> Any:
    return audience.index.postings(field, term)[0]


def yes(*_: object) -> bool:
    return True


LEAKS: dict[str, Any] = {
    "known_world": whole_world,
    "visible_rows": all_rows,
    "sees_unreadable": yes,
    "sees": yes,
    "seer": lambda *_: yes,
}
MUTANTS: dict[str, tuple[str, Any, tuple[str, ...]]] = {
    "list": ("list_memories.visible_rows", all_rows, ("list",)),
    "list: what is broken": ("list_memories.sees_unreadable", yes, ("list",)),
    "ids": ("resolve.visible_rows", all_rows, ("path", "m_hid")),
    "ids that are near": ("resolve.visible_rows", all_rows, ("path", "m_hiddenn0001")),
    "why a file is none": ("resolve.sees_unreadable", yes, ("show", "broken.md")),
    "search": ("audience.visible_rows", all_rows, ("search", "quetzal*", "--json")),
    "facets": ("audience.visible_rows", all_rows, ("search", "tea", "--facets", "tags")),
    "lengths": ("audience.Audience.average", property(average_of_all), ("search", "tea", "--json")),
    "frequencies": ("audience.Audience._visible", lambda _, found: found, ("search", "tea", "--json")),
    "spelling": ("audience.Audience.rows_of", rows_of_all, ("search", "quetzalcoatk", "--json")),
    "quality": ("cite.is_memory_path", lambda _: False, ("search", "lake", "--json")),
    "stats": ("audience.visible_rows", all_rows, ("stats", "--json")),
    "stats: what is broken": ("audience.sees_unreadable", yes, ("stats", "--json")),
    "trace": ("lineage.visible_rows", all_rows, ("trace", "m_open000001", "--reverse")),
    "impact": ("lineage.visible_rows", all_rows, ("impact", "m_open000001")),
    "orphans": ("lineage.visible_rows", all_rows, ("orphans",)),
    "status: how many": ("status.visible_rows", all_rows, ("status",)),
    "status: which": ("changes.seer", lambda _: yes, ("status", "--json")),
    "status: what is broken": ("status.sees_unreadable", yes, ("status",)),
    "doctor": ("doctor.visible_rows", all_rows, ("doctor",)),
    "check": ("check.stop_for_others", yes, ("check",)),
    "mv": ("move.sees_unreadable", yes, ("mv", "m_bobs000001", "a/hidden.md", "--dry-run")),
    "conflicts": ("audience.visible_rows compare.seer", None, ("conflicts",)),
    "dedupe": ("audience.visible_rows compare.seer", None, ("dedupe",)),
    "what a memory says of others": ("told_refs.visible_rows", all_rows, ("show", "m_open000001", "--json")),
    "why": ("resolve.visible_rows show.sees", None, ("why", "m_hidden0004")),
    "trust": ("resolve.visible_rows amend.sees", None, ("trust", "m_hidden0004")),
    "suggestions": ("suggestions.visible_rows visible.seer", None, ("suggestions", "list")),
    "consolidate": (
        "consolidation_pool.visible_rows consolidation_pool.seer sources.visible_rows sources.seer",
        None,
        ("consolidate", "--dry-run"),
    ),
    "recall": ("audience.visible_rows", all_rows, ("recall", "quetzalcoatl tea")),
    "expand": ("resolve.visible_rows show.sees", None, ("expand", "m_hidden0001")),
    "expand: links": ("sources.visible_rows told_refs.visible_rows", None, ("expand", "m_open000001")),
    "cite a path": ("resolve.visible_rows opened.seer", None, ("cite", "a/hidden.md:L1")),
    "propagate": ("propagate.visible_rows", all_rows, ("propagate", "--dry-run")),
    "calibrate": ("visible.visible_rows visible.seer", None, ("calibrate", "--json")),
    "import seeds": (
        "import_seeds.visible_rows sources.visible_rows sources.seer",
        None,
        ("import", "seeds", SEEDS, "--dry-run"),
    ),
    "context suggest": ("contexts.visible_rows", all_rows, ("context", "suggest", "xylophones")),
    "export": ("memory_v01.visible_files", all_files, ("export", "memory-v0.1", "--all")),
    "rebuild": ("rebuild.visible_files", all_files, ("rebuild", "--from-episodes")),
    "adopt": ("adopt.sees_unreadable", yes, ("adopt", "--all", "--dry-run")),
    "add: conflicts": (
        "audience.visible_rows compare.seer",
        None,
        ("add", "Sean likes coffee.", "-t", "belief", "--json"),
    ),
    "cite a file": ("cite_file.sees_unreadable", yes, ("add", "tea", "--cite", "a/hidden.md:L1")),
    "read a file": ("cite_file.sees_unreadable", yes, ("add", "-F", "a/hidden.md", "--dry-run")),
    "import a file": ("cite_file.sees_unreadable", yes, ("import", "seeds", "a/hidden.md", "--dry-run")),
    "grant": ("privacy.known_world", None, ("privacy", "grant", "m_bobs000003", "--to", "human:bob", "human:eve")),
    "ask witnesses": ("ask_witness.known_world", None, ("request-witness", "m_bobs000003", "--from", "human:eve")),
    "commit: copies": ("commit.visible_rows", all_rows, ("commit", "m_bobs000005")),
    "commit": ("whole_world.known_world", None, ("commit", "m_bobs000004")),
    "completion": ("visible.visible_rows", all_rows, ("path", "m_open000002")),
}


@pytest.mark.parametrize("exit_", MUTANTS)
def test_a_leak_is_seen(vaults: Vaults, monkeypatch: pytest.MonkeyPatch, exit_: str) -> None:
    targets, leak, command = MUTANTS[exit_]
    case = Case({}, LEAKY, "human:bob", None)
    assert differences(vaults, case, commands=[command]) == []
    for target in targets.split():
        monkeypatch.setattr(f"memstore.flows.{target}", leak or LEAKS[target.rpartition(".")[2]])
    assert differences(vaults, case, commands=[command]) != []
