"""Every JSON document follows its published schema: a new command is a line in `COMMANDS`."""

from __future__ import annotations

import ast
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.installed import ROOT, SCHEMAS, validated, verb_of
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.whole.program import Program

# A memory of the sample vault with lineage, and one without an id.
REF, BARE = "m_0v70fvvcqe", "lists/tram idea.md"

# In this order, in one vault: the later ones see what the earlier ones did.
COMMANDS = (
    ["init", "."], ["config"], ["config", "auto_commit"], ["config", "auto_commit", "false"], ["doctor"], ["status"],
    ["add", "Bella eats at nine", "--tag", "dog"], ["raw", "A thought"], ["today", "Rain"], ["today"],
    ["show", BARE], ["show", "--path", BARE], ["edit", REF],
    ["set", BARE, "title=Trams"], ["tag", BARE, "+tram"], ["check", "fmt", "--check"], ["mv", BARE, "lists/trams.md"],
    ["diff"],
    ["undo"], ["adopt"], ["adopt", BARE], ["check"], ["check", "--explain", "yaml-tab"], ["commit"], ["status"],
    ["log"], ["log", REF], ["blame", REF], ["diff", REF], ["show", REF], ["list"], ["list", "-t", "belief"],
    ["search", "Bella"], ["search", "nothingofthekind"], ["list", "--stats"], ["trace", REF],
    ["trace", "--impact", REF], ["check", "orphans"],
    ["links", REF],
    ["recall", "Bella's heart"], ["recall", "zzz"], ["show", "--full", REF], ["show", "--full", BARE, "--full"],
    ["beliefs", "graduate", "--dry-run"], ["beliefs", "compress", "--dry-run"],
    ["show", "--cite", f"{REF}:L1-L2"], ["why", REF], ["why", BARE],
    ["why", REF, "--if", f"{REF}=0.4"], ["why", "m_enqj11r5df", "--profile", "seed-003"],
    ["raw", "promote", "m_x1t13naa35"], ["supersede", "m_e3zjy28q8r", "A murmur needs watching"],
    ["beliefs", "recompute", "--check"],
    ["reinforce", "m_enqj11r5df", "--evidence", REF], ["contradict", "m_enqj11r5df", "--evidence", REF, "--dry-run"],
    ["beliefs", "consolidate"], ["beliefs", "suggestions", "list"], ["beliefs", "suggestions", "show", "m_88b2rqkrbp"],
    ["beliefs", "suggestions", "accept", "m_88b2rqkrbp", "--dry-run"],
    ["beliefs", "suggestions", "reject", "m_v4zdmdmb99"],
    ["edit", "m_enqj11r5df", "--title", "Tides"], ["archive", "m_enqj11r5df"], ["archive", "--restore", "m_enqj11r5df"],
    ["conflicts", "split", "m_vm62wnm5kq", "One", "Two", "--dry-run"],
    ["conflicts", "merge", "m_dg8aa2g0zt", "m_kwydexdack", "--dry-run"],
    ["beliefs", "recompute", "--fold", "m_qcg2gvswt0", "--dry-run"], ["beliefs", "recompute", "--fold", "m_qcg2gvswt0"],
    ["check", "--against", "HEAD"], ["beliefs", "calibrate"], ["beliefs", "recompute", "--from-episodes"],
    ["beliefs", "recompute", "--check"],
    ["beliefs", "revise-from", REF],
    ["beliefs", "propagate"], ["beliefs", "propagate", REF, "--dry-run"],
    ["trust", "quarantine", REF, "--dry-run"], ["trust", "quarantine", BARE, "--reason", "No good"],
    ["list", "--status", "quarantined"],
    ["trust", "quarantine", BARE, "--lift"],
    ["import", "seeds", "README.md", "--dry-run"], ["export", "memory-v0.1", REF], ["export", "memory-v0.1", "--all"],
    *(["export", kind, REF] for kind in ("jsonl", "markdown", "okf", "prov")),
    ["import", "mem0", str(ROOT / "tests" / "exchange" / "mem0.json"), "--dry-run"],
    ["import", "memory-v0.1", str(ROOT / "tests" / "memories" / "memory-v0.1.json"), "--dry-run"],
    ["check", "fix-provenance", "--dry-run"], ["index", "status"], ["index", "rebuild"], ["index", "path"],
    ["hooks", "status"],
    ["privacy", "entity", "add", "dog:rex", "--alias", "Rex"], ["privacy", "entity", "alias", "dog:rex", "Rexy"],
    ["privacy", "entity", "list"],
    ["privacy", "entity", "guardian", "dog:rex", "human:sean", "--dry-run"],
    ["privacy", "group", "add", "group:dogs", "dog:rex"],
    ["privacy", "group", "remove", "group:dogs", "dog:rex"], ["privacy", "group", "list"],
    ["privacy", "consent", "grant", "--from", "human:sean", "--for", "dog:rex", "--to", "si:luna_agent",
    "--scope", REF],
    ["privacy", "consent", "refuse", "--from", "human:sean", "--to", "*", "--scope", "subject:dog:rex", "--dry-run"],
    ["privacy", "consent", "request", "--from", "human:sean", "--to", "si:luna_agent", "--scope", "subject:dog:rex"],
    ["privacy", "consent", "revoke", "con_7c8q9twgxk", "--by", "human:sean"], ["privacy", "consent", "list"],
    ["privacy", "delegate", "--from", "human:sean", "--to", "si:claire", "--scope", "ctx:bella_care", "--expires",
    "1y"],
    ["privacy", "log", "show"], ["privacy", "log", "verify"], ["index", "watch", "--once"],
    ["context", "add", "ctx:here", "--open"], ["context", "list"],
    ["privacy", "grant", BARE, "--to", "*", "--dry-run"], ["privacy", "revoke", REF, "--from", "si:claire"],
    ["privacy", "explain", REF, "--for", "si:claire"], ["privacy", "plan", REF, "--to", "si:claire"],
    ["privacy", "audit", "--id", REF], ["privacy", "diff"],
    ["privacy", "report"], ["context", "suggest", "Bella's heart"], ["context", "show"],
    ["context", "enter", "ctx:bella_care"], ["context", "show"], ["context", "leave"],
    ["privacy", "generalize", REF, "--check", "--text", "Regular checks help"],
    ["privacy", "generalize", BARE, "--text", "Regular rides help", "--access", "public", "--acknowledge"],
    ["forget", "m_enqj11r5df", "--detach", "--dry-run"], ["forget", "m_enqj11r5df", "--cascade"],
    ["hooks", "uninstall"], ["hooks", "install"], ["help", "exit-codes"], ["completion", "bash"], ["show", "nothing"],
    ["review"], ["--vault", ".", "mcp", "install", "codex", "--dry-run"], ["mcp", "uninstall", "codex"],
    ["export", "html"], ["export", "html", "-o", "page.html"], ["search", "--bisect", "Bella"],
    ["search", "--bisect", "--ref", REF], ["index", "watch", "--citations"],
)  # fmt: skip


@pytest.fixture
def sample(tmp_path: Path) -> InProcess:
    """Return the program with a copy of the sample vault."""
    program = InProcess(tmp_path)
    shutil.copytree(ROOT / "sample-vault", program.vault)
    return program


def test_without_a_repository_too(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    shutil.copytree(ROOT / "sample-vault", program.vault)
    for words in (["status"], ["list"], ["check"], ["log"], ["show", REF], ["doctor"]):
        validated(program.run("--json", *words).stdout)


def test_a_draft_left_without_a_text_is_answered_as_well(sample: InProcess) -> None:
    sample.ok("init", ".")
    document = validated(sample.ok("--json", "add", MEMSTORE_EDITOR="true"))
    assert (verb_of(document), document["ref"], document["path"]) == ("add", None, None)


# Documents that name what this machine has; they aren't recorded.
LOCAL = {
    "agents": ["mcp", "list"],
    "mcp-token": ["mcp", "token", "add", "si:ash", "--self"],
    "share": ["share", "../stack", "--to", "*", "--acknowledge"],
    "share-list": ["share", "--list"],
    "init": ["init", "../theirs", "--owner", "human:claire"],
    "load": ["--vault", "../theirs", "share", "load", "../stack"],
    "unload": ["--vault", "../theirs", "share", "unload", "stack"],
    "init-undo": ["init", "../theirs", "--undo", "--dry-run"],
    "init-from": ["init", "../ours", "--owner", "group:bella_care_team", "--from", ".", "--dry-run"],
    "keys-pin-host": ["trust", "keys", "pin", "--host", "example.org", "human:sean"],
    "semantic-status": ["index", "semantic", "status"],
    "semantic-off": ["index", "semantic", "off"],
}


def test_what_belongs_to_a_machine_follows_its_schema(sample: InProcess) -> None:
    sample.ok("init", ".")
    verbs = [verb_of(validated(sample.run("--json", *words).stdout)) for words in LOCAL.values()]
    assert verbs == [*LOCAL]


def emitted() -> Iterator[str]:
    """Yield the verbs that the command line answers with, where they are written out."""
    for path in (ROOT / "memstore" / "cli").glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "emit":
                verb = call.args[0]
                if isinstance(verb, ast.Constant):
                    yield str(verb.value)


def test_every_answer_has_a_schema() -> None:
    assert [verb for verb in emitted() if not (SCHEMAS / f"{verb}.schema.json").exists()] == []


def test_lines_of_a_file_are_evidence_in_what_if(program: Program) -> None:
    held = program.json("add", "Bella limps.", "--type", "belief")["ref"]
    ref, seen = program.add("She limped home.")
    path = seen.relative_to(program.vault)
    number = len(seen.read_text().splitlines())
    names = ref, f"{path}:L{number}", f"{path}:L1-L{number}"
    numbers = [program.json("why", held, "--if", f"+{text}")["numbers"] for text in names]
    assert numbers[0] == numbers[1] == numbers[2] != program.json("why", held)["numbers"]
    assert f"with {ref} for it" in program.ok("why", held, "--if", f"+{path}:L{number}")
    assert f"without {ref}" in program.ok("why", held, "--without", f"{path}:L{number}")
    assert "no number changes" in program.ok("why", held, "--without", ref)
    assert "no number changes" not in program.ok("why", held, "--if", f"+{ref}")
