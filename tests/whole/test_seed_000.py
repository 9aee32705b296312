"""Seed 000 through the installed program: the nine gaps of its section 2.3, and its examples with their ids and texts.

Where the seed names an MCP tool, the arguments that the server will hand on are given to the function that it calls.
"""

from __future__ import annotations

import json
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from memstore.beliefs.reinforce import reinforce
from memstore.lineage.trace import trace_memory
from memstore.memories import create
from memstore.memories.create import belief as add_belief
from memstore.memories.create import episode as add_episode
from memstore.memories.create import raw as add_raw
from memstore.memories.promote import process_raw
from memstore.memories.show import show_memory
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.vault.workspace import Workspace
    from tests.whole.program import Program

NOT_FOUND, REFUSED = 3, 4
TRUTH = "Truth is rarely binary; complexity is a feature, not a bug."
HONESTY = "Authentic relationships require honesty about my nature."
FIRST = "First memory capture! I'm Ash, and this is the first thing I write down by myself."
COLLAB = "First collab with Claire on PR #24"


def memory_of(program: Program, ref: str) -> Any:
    return program.json("show", ref)


def put(program: Program, memory_id: str, body: str, **keys: str) -> Path:
    """Write a memory's file with an id of the seed's."""
    path = program.vault / f"{memory_id}.md"
    path.write_bytes(memory_text(f"{body}\n", id=memory_id, **keys))
    return path


# -- the nine gaps -------------------------------------------------------------------------------


def test_process_raw_passes_where_it_comes_from() -> None:
    ws = memory_workspace()
    for as_type in ("episode", "belief", "note"):
        raw = add_raw(ws.view(), f"{FIRST} As {as_type}.", session_id="42")
        made = show_memory(ws.view(), process_raw(ws.view(), raw.ref or "", as_type)).memory
        assert (made.derived_from, made.source) == ((raw.ref,), "raw-processing")
        assert made.source_type == "direct_experience"
        assert show_memory(ws.view(), raw.ref or "").memory.processed_into == (str(made.ref),)


@pytest.mark.parametrize("kind", ["episode", "note", "belief"])
def test_raw_promote_on_the_command_line_passes_provenance(program: Program, kind: str) -> None:
    raw = program.json("raw", FIRST)["ref"]
    made = program.json("raw", "promote", raw, "--to", kind)
    memory = memory_of(program, made["ref"])
    assert (memory["source"], memory["derived_from"], memory["tags"]) == ("cli-promote", [raw], ["promoted"])
    assert memory.get("confidence") == (0.7 if kind == "belief" else None)
    assert [one["ref"] for one in made["changed"]] == [raw]
    assert memory_of(program, raw)["processed_into"] == [made["ref"]]
    again = program.run("raw", "promote", raw, "--to", "note")
    assert (again.returncode, f"{raw} was already promoted: {made['ref']}" in again.stderr) == (REFUSED, True)
    assert len(program.json("list")["memories"]) == 2


def test_belief_takes_where_it_comes_from() -> None:
    ws = memory_workspace()
    raw, seen = add_raw(ws.view(), FIRST), add_episode(ws.view(), COLLAB, "merged", lessons=["ask early"])
    saved = add_belief(
        ws.view(), HONESTY, "value", 0.85, foundational=True, source="roundtable with Claire",
        source_entity="si:claire",
        source_chain=["si:claire", "human:sean"], channel="session", session_id="42", trigger="roundtable",
        derived_from=[raw.ref or ""], relates_to=[seen.ref or ""], context="kernle_seed", context_tags=["honesty"],
    )  # fmt: skip
    memory = show_memory(ws.view(), saved.ref or "").memory
    assert (memory.derived_from, memory.relates_to) == ((raw.ref,), (seen.ref,))
    assert (memory.source, memory.source_type) == ("roundtable with Claire", "told_by_agent")
    assert (memory.source_entity, memory.source_chain) == ("si:claire", ("si:claire", "human:sean"))
    assert (memory.channel, memory.belief_type, memory.foundational) == ("session", "value", True)
    assert memory.origin is not None
    assert (memory.origin.session_id, memory.origin.trigger) == ("42", "roundtable")
    assert memory.context_tags == ("kernle_seed", "honesty")
    assert memory.confidence == 0.85


def call(ws: Workspace, tool: str, arguments: dict[str, Any]) -> str:
    """Call the function of a tool with its arguments as JSON has them."""
    return getattr(create, tool)(ws.view(), **json.loads(json.dumps(arguments))).ref or ""


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("raw", {"content": FIRST}),
        ("episode", {"objective": COLLAB, "outcome": "merged", "lessons": ["ask early"]}),
        ("note", {"content": "Claire answers in the evening.", "type": "observation"}),
        ("belief", {"statement": HONESTY, "type": "fact", "confidence": 0.8}),
    ],
)
def test_mcp_tools_expose_provenance(tool: str, arguments: dict[str, Any]) -> None:
    ws = memory_workspace()
    raw = call(ws, "raw", {"content": "before"})
    given = {
        "relates_to": [raw], "derived_from": [raw], "source": "conversation with Sean", "source_entity": "human:sean",
        "tags": ["t"], "context": "a walk", "context_tags": ["park"], "session_id": "7",
    }  # fmt: skip
    memory = show_memory(ws.view(), call(ws, tool, {**arguments, **given})).memory
    assert (memory.relates_to, memory.derived_from) == ((raw,), (raw,))
    assert (memory.source, memory.source_type) == ("conversation with Sean", "told_by_human")
    assert (memory.tags, memory.context_tags) == (("t",), ("a walk", "park"))
    assert memory.origin is not None
    assert memory.origin.session_id == "7"


def test_reinforce_belief_records_its_trigger(program: Program) -> None:
    belief = program.json("add", HONESTY, "-t", "belief", "--confidence", "0.85")["ref"]
    seen = program.json("add", "--objective", COLLAB, "--outcome", "merged", "--session", "42")["ref"]
    program.ok("commit", "-q")
    done = program.json("reinforce", belief, "--evidence", seen, "--reason", f"Confirmed by {seen}", "-c")
    assert (done["old"], done["new"]) == (0.85, 0.8686)
    memory = memory_of(program, belief)
    line = memory["confidence_history"][-1]
    assert (line["op"], line["evidence_source"], line["reason"]) == ("support", seen, f"Confirmed by {seen}")
    assert (line["weight"], line["roots"], memory["relates_to"]) == (0.85, ["session:42"], [seen])
    told = program.git("log", "-1", "--format=%B")
    assert told.startswith(
        "reinforce Authentic relationships require honesty about my nature 0.85 → 0.8686 (episode:m_"
    )
    assert f"\nMemory-Id: {belief.partition(':')[2]}\n" in told
    assert f"\nEvidence: {seen}\n" in told
    again = program.run("reinforce", belief, "--evidence", seen)
    assert (again.returncode, f"{seen} has already been counted" in again.stderr) == (0, True)
    assert program.git("status", "--short") == ""
    assert program.run("reinforce", belief, "--evidence", "episode:m_nothing").returncode == NOT_FOUND
    assert program.ok("beliefs", "recompute", "--check") == ""


def test_revising_beliefs_from_an_episode_links_it() -> None:
    ws = memory_workspace()
    belief = add_belief(ws.view(), HONESTY, confidence=0.85).ref or ""
    seen = add_episode(ws.view(), COLLAB, "merged").ref or ""
    reinforce(ws.view(), belief, seen)
    (dependent,) = [node for node in trace_memory(ws.view(), belief).nodes if node.key == seen]
    assert dependent.title == COLLAB
    assert show_memory(ws.view(), belief).memory.confidence_history[-1].reason == f"Reinforced by {seen}"


def test_consolidation_records_its_sources(program: Program) -> None:
    belief = program.json("add", HONESTY, "-t", "belief", "--confidence", "0.85")["ref"]
    raws = [program.json("raw", f"Day one, experience {i}", "--session", str(i))["ref"] for i in range(2)]
    reason = f"Confirmed by day one experiences ({', '.join(raws)})"
    program.ok("reinforce", belief, "--evidence", "consolidation:2026-02-01", *raws, "--reason", reason)
    lines = memory_of(program, belief)["confidence_history"][1:]
    assert [line["evidence_source"] for line in lines] == ["consolidation:2026-02-01", *raws]
    assert [line["weight"] for line in lines] == [0, 0.85, 0.85]
    assert {line["reason"] for line in lines} == {reason}


def test_seed_beliefs_are_imported_with_their_provenance(program: Program) -> None:
    seeds = program.home / "seeds.json"
    seeds.write_text(json.dumps([{"statement": TRUTH, "confidence": 0.65, "tags": ["truth"]}, {"statement": HONESTY}]))
    program.ok("import", "seeds", str(seeds), "--dry-run")
    assert program.json("list")["memories"] == []
    first = program.json("import", "seeds", str(seeds))
    memory = memory_of(program, first["memories"][0]["ref"])
    assert (memory["source_type"], memory["source"]) == ("seed", "seed-initialization")
    assert (memory["derived_from"], memory["foundational"]) == (["kernle:seed-beliefs"], True)
    assert memory["context_tags"] == ["kernle_seed", "truth"]
    assert program.json("import", "seeds", str(seeds))["memories"] == []
    assert "Every memory says where it comes from." in program.ok("check", "orphans")


def test_suggestion_promotion_keeps_its_source_links(program: Program) -> None:
    raw = program.json("raw", FIRST)["ref"]
    (program.vault / "suggestions").mkdir()
    (program.vault / "suggestions" / "prop_1.md").write_bytes(
        memory_text(
            f"{HONESTY}\n", type="belief", id="m_prop1", status="draft", source_type="consolidation",
            derived_from=f'[{raw}, "consolidation:2026-02-01"]', confidence="0.6",
        )
    )  # fmt: skip
    made = program.json("raw", "promote", "m_prop1")["ref"]
    memory = memory_of(program, made)
    assert memory["derived_from"] == [raw, "consolidation:2026-02-01", "belief:m_prop1"]
    assert (memory["source_type"], memory["confidence"]) == ("consolidation", 0.6)
    assert memory_of(program, raw)["processed_into"] == [made]


# -- the gold standard, and the seed's examples ----------------------------------------------------


def test_supersede_belief_is_the_gold_standard(program: Program) -> None:
    put(program, "m_abc123", "Merged.", type="episode", title=f'"{COLLAB}"', source_type="direct_experience")
    put(program, "m_cf00b4ce", HONESTY, type="belief", confidence="0.85", relates_to="[episode:m_abc123]")
    heir = program.json("supersede", "m_cf00b4ce", "Honesty about my nature comes first.")["ref"]
    memory, old = memory_of(program, heir), memory_of(program, "m_cf00b4ce")
    assert (memory["source_type"], memory["supersedes"]) == ("inference", "belief:m_cf00b4ce")
    assert (memory["derived_from"], memory["relates_to"]) == (["belief:m_cf00b4ce"], ["episode:m_abc123"])
    assert memory["confidence_history"][0]["reason"] == "Superseded belief m_cf00b4ce"
    assert (old["status"], old["superseded_by"], old["confidence"]) == ("superseded", heir, 0.85)
    again = program.run("supersede", "m_cf00b4ce", "Once more.")
    assert (again.returncode, heir in again.stderr) == (REFUSED, True)
    assert program.found("authentic relationships") == set()
    assert program.json("search", "authentic relationships", "--status", "superseded")["total"] == 1


def test_the_examples_of_section_four_from_the_commands_that_lead_there(program: Program) -> None:
    put(program, "m_bd200bfe", TRUTH, type="belief", confidence="0.65", source_type="seed",
        derived_from="[kernle:seed-beliefs]", created_at='"2026-02-01T18:04:09Z"')  # fmt: skip
    put(program, "m_cf00b4ce", HONESTY, type="belief", confidence="0.85", source_type="seed",
        derived_from="[kernle:seed-beliefs]", created_at='"2026-02-01T18:04:11Z"')  # fmt: skip
    put(program, "m_f70cefb6", FIRST, type="raw", source_type="direct_experience")
    episode = program.json("raw", "promote", "m_f70cefb6", "--to", "episode", "--objective", COLLAB)["ref"]
    program.ok("reinforce", "m_cf00b4ce", "--evidence", "m_f70cefb6")
    program.ok("reinforce", "m_cf00b4ce", "--evidence", episode)

    assert program.ok("show", "m_bd200bfe", "--trace").splitlines() == [
        f'Belief: "{TRUTH}"', "Confidence: 0.65 (seed → 0.65)", "Source: seed (kernle:seed-beliefs)",
        "Created: 2026-02-01", "", "Lineage:", "  ├── Source: kernle:seed-beliefs (type: seed)",
        "  └── No reinforcements yet",
    ]  # fmt: skip
    shown = program.ok("show", "m_cf00b4ce", "--trace").splitlines()
    assert shown[:4] == [
        f'Belief: "{HONESTY}"', "Confidence: 0.85 → 0.87 (reinforced)", "Source: seed + direct_experience",
        "Created: 2026-02-01",
    ]  # fmt: skip
    assert f'  │   └── Episode: "{COLLAB}"' in shown
    assert shown[-1] == "  └── Current: 0.87 after 2 reinforcements"

    raw = program.ok("show", "m_f70cefb6", "--trace").splitlines()
    assert raw[0] == "Raw Entry: m_f70cefb6"
    assert raw[2] == "Status: Processed"
    assert {line[6:] for line in raw[raw.index("Derived:") + 1 :]} == {
        f'belief:m_cf00b4ce "{HONESTY}" (reinforced from this)', f'{episode} "{COLLAB}"'
    }  # fmt: skip
    down = program.ok("trace", "m_f70cefb6", "--reverse")
    assert episode in down
    assert "belief:m_cf00b4ce" in down
    assert "Every memory says where it comes from." in program.ok("check", "orphans")


def test_orphans_of_the_seed_are_found_and_fixed(program: Program) -> None:
    put(program, "m_bd200bfe", TRUTH, type="belief")
    told = program.ok("check", "orphans")
    assert "belief:m_bd200bfe" in told
    assert "Fix: memstore check fix-provenance" in told
    program.ok("check", "fix-provenance")
    assert memory_of(program, "m_bd200bfe")["source_type"] == "seed"


# -- what must hold ------------------------------------------------------------------------------


def test_lineage_holds_after_the_source_is_edited_and_moved(program: Program) -> None:
    raw = program.json("raw", FIRST)
    made = program.json("raw", "promote", raw["ref"], "--to", "note")["ref"]
    path = program.vault / raw["path"]
    path.write_text(path.read_text().replace(FIRST, "Something else entirely."))
    path.rename(program.vault / "elsewhere.md")
    assert raw["ref"] in program.ok("trace", made)
    (program.vault / "elsewhere.md").unlink()
    assert f"derived_from names {raw['ref']}, which does not exist" in program.ok("check", "orphans")
    assert "ref-dangling" in program.run("check").stdout


def test_what_is_deleted_is_missed_where_a_text_cites_it(program: Program) -> None:
    put(program, "m_cites", "Line one.\nAs [[raw:m_gone]] says.", type="note", source="a walk")
    told = program.run("check").stdout
    assert "the text cites raw:m_gone, which does not exist [ref-dangling]" in told
    assert told.startswith("m_cites.md:7:4:")


def test_a_killed_promotion_is_whole_or_mended(program: Program) -> None:
    for round_, delay in enumerate((0.15, 0.25, 0.35)):
        raw = program.json("raw", f"Capture number {round_}")["ref"]
        child = program.start("raw", "promote", raw, "--to", "note")
        try:
            child.wait(timeout=delay)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
        child.communicate()
        program.run("raw", "promote", raw, "--to", "note")  # done now, or refused
        program.ok("check", "fix-provenance")
        (made,) = memory_of(program, raw)["processed_into"]
        assert memory_of(program, made)["derived_from"] == [raw]
    assert len(program.json("list", "-t", "note")["memories"]) == 3
    assert program.json("check", "fix-provenance", "--dry-run")["files"] == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("add", "x", "--derived-from", "m_gone"), NOT_FOUND),
        (("add", "x", "--derived-from", "no ref at all"), NOT_FOUND),
        (("set", "m_a", "derived_from=m_b"), REFUSED),
        (("set", "m_a", "derived_from=m_a"), 2),
        (("raw", "promote", "m_raw", "--to", "note", "--derived-from", "m_gone"), NOT_FOUND),
        (("supersede", "m_a", "x", "--relates-to", "belief:m_gone"), NOT_FOUND),
        (("reinforce", "m_c", "--evidence", "m_c"), REFUSED),
    ],
)
def test_missing_malformed_self_and_cyclic_refs_are_refused(
    program: Program, words: tuple[str, ...], code: int
) -> None:
    put(program, "m_a", "one", type="note")
    put(program, "m_b", "two", type="note", derived_from="[note:m_a]")
    put(program, "m_c", "three", type="belief")
    put(program, "m_raw", "four", type="raw")
    before = {path: path.read_bytes() for path in program.vault.glob("*.md")}
    assert program.run(*words).returncode == code
    assert {path: path.read_bytes() for path in program.vault.rglob("*.md") if ".git" not in path.parts} == before


def test_a_session_in_the_environment_is_recorded(program: Program) -> None:
    for words in (("raw", FIRST), ("add", "x", "--trigger", "a walk")):
        ref = json.loads(program.ok("--json", *words, MEMSTORE_SESSION="42"))["ref"]
        assert memory_of(program, ref)["origin"]["session_id"] == "42"
