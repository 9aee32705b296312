"""Each tool says, writes and refuses what its command does."""

from __future__ import annotations

import json
import shlex
import shutil
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.core.errors import UsageError
from memstore.mcp import tools
from memstore.mcp.concerns import HOW_TO_JUDGE
from memstore.mcp.server import WriteRules
from tests.installed import validated
from tests.mcp.serving import OWNER, answered, sample, served
from tests.whole.hidden import NOW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.whole.program import InProcess

NOTE, BELIEF, EPISODE = "note:m_4egv3sm7m4", "belief:m_cf00b4ce7k", "episode:m_rzfkqb5443"
OTHER = "observation:m_pc2ebkk6tx"
PROMPT = "What did the vet say about Bella's heart?"

# What an agent calls, and what a person types for the same.
READING: list[tuple[str, dict[str, Any], str]] = [
    ("memory_search", {"query": PROMPT, "limit": 2}, f"search -n 2 {shlex.quote(PROMPT)}"),
    ("memory_search", {"query": "park -gate", "type": ["note", "belief"], "tag": ["dog-park"]},
     "search 'park -gate' -t note -t belief --tag dog-park"),
    ("memory_search", {"query": "quxbar"}, "search quxbar"),
    ("memory_search", {"query": "Bella", "min_confidence": 0.9, "since": "2026", "status": ["all"]},
     "search Bella --min-confidence 0.9 --since 2026 --status all"),
    ("memory_search", {"query": "Bella", "where": ["confidence >= 0.5"], "until": None},
     "search Bella --where 'confidence >= 0.5'"),
    ("memory_search", {"query": "Bella", "since": "soon"}, "search Bella --since soon"),
    ("memory_search", {"query": "Bella", "limit": 0}, "search Bella -n 0"),
    ("memory_get", {"ref": NOTE}, f"show {NOTE}"),
    ("memory_get", {"ref": NOTE, "full": True}, f"show {NOTE} --full"),
    ("memory_get", {"ref": NOTE, "full": False, "at": "HEAD"}, f"show {NOTE} --at HEAD"),
    ("memory_get", {"ref": "m_nobody"}, "show m_nobody"),
    ("memory_get", {"ref": "--self"}, "show -- --self"),
    ("memory_recall", {"prompt": PROMPT}, f"recall {shlex.quote(PROMPT)}"),
    ("memory_recall", {"prompt": PROMPT, "budget": 40}, f"recall {shlex.quote(PROMPT)} --budget 40"),
    ("memory_recall", {"prompt": " "}, "recall ' '"),
    ("memory_conflicts", {"action": "list"}, "conflicts"),
    ("memory_conflicts", {"action": "list", "ref": NOTE}, f"conflicts {NOTE}"),
    ("memory_conflicts", {"action": "list", "duplicates": True}, "conflicts --duplicates"),
    ("memory_review", {"action": "list"}, "beliefs suggestions list"),
    ("memory_review", {"action": "show", "ref": "m_nobody"}, "beliefs suggestions show m_nobody"),
    ("context", {"action": "show"}, "context show"),
    ("context", {"action": "list"}, "context list"),
    ("context", {"action": "suggest", "text": "How is Bella's heart?"}, "context suggest \"How is Bella's heart?\""),
    ("privacy", {"action": "explain", "ref": NOTE, "entity": "human:sean"}, f"privacy explain {NOTE} --for human:sean"),
    ("privacy", {"action": "explain", "ref": NOTE, "entity": "x:y", "in": "ctx:park"},
     f"privacy explain {NOTE} --for x:y --in ctx:park"),
    ("privacy", {"action": "audit", "ref": NOTE}, f"privacy audit --id {NOTE}"),
    ("privacy", {"action": "audit", "subject": "dog:bella"}, "privacy audit --subject dog:bella"),
    ("privacy", {"action": "audit", "entity": "*"}, "privacy audit --entity '*'"),
    ("privacy", {"action": "audit"}, "privacy audit"),
    ("memory_expand", {"memory_id": NOTE}, f"show {NOTE} --full"),
    ("context_list", {}, "context list"),
    ("privacy_audit", {"memory_id": NOTE}, f"privacy audit --id {NOTE}"),
    ("privacy_audit", {"entity": "*", "stack": "nowhere"}, "privacy audit --entity '*' --stack nowhere"),
    ("memory_trust", {"memory_id": NOTE}, f"trust {NOTE}"),
    ("memory_trust", {"action": "show", "memory_id": NOTE}, f"trust {NOTE}"),
    ("memory_list", {"type": ["belief"], "limit": 3, "sort": "confidence"}, "list -t belief -n 3 --sort confidence"),
    ("memory_lineage", {"action": "sources", "ref": BELIEF, "depth": 2}, f"trace {BELIEF} --depth 2"),
    ("memory_lineage", {"action": "dependents", "ref": NOTE}, f"trace {NOTE} --reverse"),
    ("memory_lineage", {"action": "impact", "ref": NOTE}, f"trace --impact {NOTE}"),
    ("memory_lineage", {"action": "links", "ref": NOTE}, f"links {NOTE}"),
    ("memory_quarantine", {"action": "plan", "of": NOTE}, f"trust quarantine {NOTE} --dry-run"),
    ("memory_why", {"ref": BELIEF}, f"why {BELIEF}"),
    ("memory_cite", {"citation": f"{NOTE}:L16-L17"}, f"show --cite {NOTE}:L16-L17"),
    ("memory_weigh", {"action": "calibrate"}, "beliefs calibrate"),
    ("memory_weigh", {"action": "revise", "episode": EPISODE}, f"beliefs revise-from {EPISODE}"),
    ("vault", {"action": "status"}, "status"),
    ("vault", {"action": "stats"}, "list --stats"),
    ("vault", {"action": "check"}, "check"),
    ("vault", {"action": "log", "ref": NOTE, "limit": 2}, f"log {NOTE} -n 2"),
    ("vault", {"action": "blame", "ref": NOTE}, f"blame {NOTE}"),
    ("vault", {"action": "diff", "ref": NOTE, "old": "HEAD"}, f"diff {NOTE} HEAD"),
    ("entities", {"action": "list"}, "privacy entity list"),
    ("entities", {"action": "groups"}, "privacy group list"),
    ("consents", {"action": "list"}, "privacy consent list"),
]  # fmt: skip
WRITING: list[tuple[str, dict[str, Any], str]] = [
    ("memory_add", {"text": "Bella eats at eight"}, "add 'Bella eats at eight'"),
    ("memory_add", {"text": "-"}, "add -- -"),
    ("memory_add", {"text": "Bella is afraid of thunder", "type": "belief", "title": "Thunder", "tags": ["dog", "fear"],
                    "confidence": 0.7, "source": "Sean", "source_type": "told_by_human", "source_entity": "human:sean",
                    "derived_from": [NOTE, "url:https://example.org"], "relates_to": [EPISODE],
                    "subject_ids": ["dog:bella"], "created_at": "2026-02-03T10:00+01:00"},
     f"""add 'Bella is afraid of thunder' -t belief --title Thunder --tag dog fear --confidence 0.7 --source Sean
     --created-at 2026-02-03T10:00+01:00
     --source-type told_by_human --source-entity human:sean --derived-from {NOTE} url:https://example.org
     --relates-to {EPISODE} --subject dog:bella"""),
    ("memory_add", {"text": "x", "access_grants": ["*"]}, "add x --access '*'"),
    ("memory_add", {"text": "x", "source_entity": "human:sean", "access_grants": []},
     "add x --source-entity human:sean --access none"),
    ("memory_add", {"text": "x", "derived_from": ["m_nobody"]}, "add x --derived-from m_nobody"),
    ("memory_add", {"text": "x", "type": "poem"}, "add x -t poem"),
    ("memory_add", {"text": " "}, "add ' '"),
    ("memory_edit", {"ref": NOTE, "old": "north gate", "new": "south gate"},
     f"edit {NOTE} 'south gate' --old 'north gate'"),
    ("memory_edit", {"ref": NOTE, "old": "nowhere", "new": "x"}, f"edit {NOTE} x --old nowhere"),
    ("memory_edit", {"ref": NOTE, "new": "All new", "title": "New", "version": "0" * 40},
     f"edit {NOTE} 'All new' --title New --version {'0' * 40}"),
    ("memory_edit", {"ref": NOTE, "new": "All new", "title": "New"}, f"edit {NOTE} 'All new' --title New"),
    ("memory_supersede", {"ref": NOTE, "text": "It closes at ten", "reason": "A new sign", "since": "2026-02",
                          "confidence": 1, "source": "sign", "derived_from": [EPISODE]},
     f"""supersede {NOTE} 'It closes at ten' --reason 'A new sign' --since 2026-02 --confidence 1 --source sign
     --derived-from {EPISODE}"""),
    ("memory_evidence", {"action": "reinforce", "ref": BELIEF, "evidence": [EPISODE], "reason": "Again"},
     f"reinforce {BELIEF} --evidence {EPISODE} --reason Again"),
    ("memory_evidence", {"action": "reinforce", "ref": BELIEF, "evidence": [EPISODE], "partial": True},
     f"reinforce {BELIEF} --evidence {EPISODE} --partial"),
    ("memory_evidence", {"action": "contradict", "ref": BELIEF, "evidence": [EPISODE, NOTE]},
     f"contradict {BELIEF} --evidence {EPISODE} {NOTE}"),
    ("memory_evidence", {"action": "contradict", "ref": BELIEF, "evidence": []}, f"contradict {BELIEF}"),
    ("memory_conflicts", {"action": "resolve", "ref": NOTE, "other": OTHER, "keep": "both", "reason": "Summer"},
     f"conflicts resolve {NOTE} {OTHER} --keep both --reason Summer"),
    ("memory_conflicts", {"action": "judge", "ref": NOTE, "others": [OTHER], "verdict": "narrows", "reason": "Summer"},
     f"conflicts judge {NOTE} {OTHER} narrows --reason Summer"),
    ("memory_review", {"action": "consolidate"}, "beliefs consolidate --apply"),
    ("memory_review", {"action": "consolidate", "dry_run": True}, "beliefs consolidate --apply --dry-run"),
    ("memory_review", {"action": "accept", "ref": NOTE}, f"beliefs suggestions accept {NOTE}"),
    ("memory_review", {"action": "reject", "ref": NOTE,
    "reason": "no"}, f"beliefs suggestions reject {NOTE} --reason no"),
    ("memory_forget", {"action": "archive", "refs": [NOTE, EPISODE], "reason": "Old"},
     f"archive {NOTE} {EPISODE} --reason Old"),
    ("memory_forget", {"action": "restore", "refs": [NOTE]}, f"archive --restore {NOTE}"),
    ("memory_forget", {"action": "forget", "refs": [EPISODE], "detach": True}, f"forget {EPISODE} --detach"),
    ("privacy", {"action": "grant", "ref": EPISODE, "to": ["human:eve"], "consent": ["human:sean"]},
     f"privacy grant {EPISODE} --to human:eve --consent human:sean"),
    ("privacy", {"action": "grant", "ref": NOTE, "to": ["human:eve"]}, f"privacy grant {NOTE} --to human:eve"),
    ("privacy", {"action": "revoke", "ref": NOTE, "from": ["*"]}, f"privacy revoke {NOTE} --from '*'"),
    ("privacy", {"action": "request", "ref": EPISODE, "ask": "human:sean", "entity": "si:max", "reason": "walks"},
     f"privacy consent request --from human:sean --to si:max --scope {EPISODE} --reason walks"),
    ("memory_raw", {"content": "It rained", "tags": ["weather"]}, "add 'It rained' -t raw --tag weather"),
    ("memory_episode", {"objective": "Ship it", "outcome": "shipped", "lessons": ["ask early", "ask twice"],
                        "source": "the talk", "context": "kernle seed", "context_tags": ["work"]},
     """add -t episode --objective 'Ship it' --outcome shipped --lesson 'ask early' 'ask twice' --source 'the talk'
     --context-tag 'kernle seed' work"""),
    ("memory_note", {"content": "A note", "title": "Title", "relates_to": [NOTE]},
     f"add 'A note' -t note --title Title --relates-to {NOTE}"),
    ("memory_belief", {"statement": "Tea is hot", "confidence": 0.8, "type": "fact", "context": "tea"},
     "add 'Tea is hot' -t belief --confidence 0.8 --belief-type fact --context-tag tea"),
    ("memory_promote", {"memory_id": EPISODE, "to": "note"}, f"raw promote {EPISODE} --to note"),
    ("memory_create_with_privacy", {"content": "She is calm", "subject_ids": ["dog:bella"],
                                    "access_grants": ["human:eve"], "consent_grants": ["human:sean"],
                                    "access_denies": ["human:bob"]},
     "add 'She is calm' --subject dog:bella --access human:eve --consent human:sean --deny human:bob"),
    ("memory_set_privacy", {"action": "grant", "memory_id": NOTE, "to": ["human:eve"], "consent": ["human:sean"]},
     f"privacy grant {NOTE} --to human:eve --consent human:sean"),
    ("memory_set_privacy", {"action": "revoke", "memory_id": NOTE, "from": ["*"]}, f"privacy revoke {NOTE} --from '*'"),
    ("consent_grant", {"grantor": "human:sean", "grantee": "si:vet", "scope": "subject:dog:bella", "expires": "30d"},
     "privacy consent grant --from human:sean --to si:vet --scope subject:dog:bella --expires 30d"),
    ("consent_revoke", {"consent_id": "con_nothing", "reason": "no"}, "privacy consent revoke con_nothing --reason no"),
    ("memory_trust", {"action": "sign", "memory_id": NOTE}, f"trust sign {NOTE}"),
    ("memory_witness", {"memory_id": OTHER, "attest": "confirm"}, f"trust witness {OTHER} --attest confirm"),
    ("memory_witness", {}, "trust witness"),
    ("memory_witness", {"memory_id": "req_0000000000"}, "trust witness req_0000000000"),
    ("memory_request_witness", {"memory_id": NOTE,
    "from": ["human:eve"]}, f"trust request-witness {NOTE} --from human:eve"),
    ("memory_anchor", {"memory_id": NOTE}, f"trust anchor {NOTE}"),
    ("memory_change", {"action": "set", "ref": NOTE, "pairs": ["importance=high", "scope="]},
     f"set {NOTE} importance=high scope="),
    ("memory_change", {"action": "tag", "ref": NOTE, "tags": ["+gate", "-dog-park"]}, f"tag {NOTE} +gate -dog-park"),
    ("memory_change", {"action": "move", "ref": NOTE, "path": "parks/"}, f"mv {NOTE} parks/"),
    ("memory_rearrange", {"action": "split", "ref": BELIEF, "texts": ["One", "Two"], "reason": "Both"},
     f"conflicts split {BELIEF} One Two --reason Both"),
    ("memory_rearrange", {"action": "merge", "refs": [NOTE, OTHER]}, f"conflicts merge {NOTE} {OTHER}"),
    ("memory_quarantine", {"action": "quarantine", "of": NOTE,
    "reason": "odd"}, f"trust quarantine {NOTE} --reason odd"),
    ("memory_quarantine", {"action": "lift", "of": NOTE, "dry_run": True}, f"trust quarantine {NOTE} --lift --dry-run"),
    ("memory_weigh", {"action": "propagate", "apply": True}, "beliefs propagate --apply"),
    ("vault", {"action": "commit", "refs": [NOTE], "message": "m"}, f"commit {NOTE} -m m"),
    ("vault", {"action": "undo"}, "undo"),
    ("entities", {"action": "add", "entity": "dog:rex", "aliases": ["Rex"], "guardians": ["human:max"]},
     "privacy entity add dog:rex --alias Rex --guardian human:max"),
    ("entities", {"action": "join", "group": "group:new", "members": ["human:max"]},
    "privacy group add group:new human:max"),
    ("entities", {"action": "part", "group": "group:new", "members": ["human:max"]},
     "privacy group remove group:new human:max"),
    ("consents", {"action": "refuse", "from": "human:sean", "to": "*", "scope": "subject:dog:bella"},
     "privacy consent refuse --from human:sean --to '*' --scope subject:dog:bella"),
    ("consents", {"action": "request", "from": "human:sean", "to": "*", "scope": "subject:dog:bella"},
     "privacy consent request --from human:sean --to '*' --scope subject:dog:bella"),
]  # fmt: skip
ALL = tools.CHOICES["all"]


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> InProcess:
    program = sample(tmp_path_factory.mktemp("served"))
    program.run("list")
    program.run("check")  # what it says only once has been said
    return program


@pytest.fixture
def _steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let time stand still, and chance give one id."""
    monkeypatch.setattr("memstore.core.clock.SystemClock.now", lambda _: NOW)
    monkeypatch.setattr("memstore.core.clock.RandomIds.memory_id", lambda _: "m_0000000000")
    monkeypatch.setattr("memstore.core.clock.RandomIds.event_id", lambda _: "0000000000", raising=False)


@pytest.fixture(scope="module")
def kept(vault: InProcess, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the vault as it was."""
    return Path(shutil.copytree(vault.vault, tmp_path_factory.mktemp("kept") / "vault"))


@pytest.fixture
def apart(vault: InProcess, kept: Path) -> Iterator[InProcess]:
    """Return the vault, to be written into: it is put back afterwards."""
    yield vault
    _put_back(kept, vault.vault)


def _put_back(kept: Path, place: Path) -> None:
    """Make a folder what its copy is; what is the same in both isn't touched, and so isn't indexed again."""
    for path in sorted(place.rglob("*"), reverse=True):
        if not (kept / path.relative_to(place)).exists():
            path.rmdir() if path.is_dir() else path.unlink()
    for path in sorted(kept.rglob("*")):
        there = place / path.relative_to(kept)
        if path.is_dir():
            there.mkdir(exist_ok=True)
        elif not there.exists() or there.read_bytes() != path.read_bytes():
            shutil.copy2(path, there)


def contents(place: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(place).parts
    }


@pytest.mark.soak(2)
@pytest.mark.usefixtures("_steady")
@pytest.mark.parametrize(("tool", "arguments", "line"), READING, ids=lambda one: one if isinstance(one, str) else "")
def test_a_tool_that_reads_says_what_its_command_says(
    vault: InProcess, tool: str, arguments: dict[str, Any], line: str
) -> None:
    before = contents(vault.vault)
    answer = served(vault, track=False, offered="all").call(tool, arguments)
    words = ["--as", OWNER, "--self", "--no-track", *shlex.split(line)]
    text, document = vault.run(*words), vault.run("--json", *words)
    assert answer.failed == (text.returncode != 0)
    assert answer.text == (text.stdout + text.stderr).removesuffix("\n")
    assert answer.document == validated(document.stdout)
    assert contents(vault.vault) == before


@pytest.mark.soak(3)
@pytest.mark.usefixtures("_steady")
@pytest.mark.parametrize(("tool", "arguments", "line"), WRITING, ids=lambda one: one if isinstance(one, str) else "")
def test_a_tool_that_writes_does_what_its_command_does(
    apart: InProcess, kept: Path, tool: str, arguments: dict[str, Any], line: str
) -> None:
    answer = served(apart, offered="all").call(tool, arguments)
    wrote = contents(apart.vault)
    _put_back(kept, apart.vault)
    text = apart.run("--as", OWNER, "--self", *shlex.split(line), stdin="-")
    assert contents(apart.vault) == wrote
    assert answer.failed == (text.returncode != 0)
    said, _, _ = answer.text.partition(f"\n{HOW_TO_JUDGE}")  # an agent is told besides what may concern it
    assert said == (text.stdout + text.stderr).removesuffix("\n")
    assert validated(json.dumps(answer.document)) == answer.document


def test_every_verb_of_every_tool_is_called_here() -> None:
    called = {(tool, arguments.get("action", "")) for tool, arguments, _ in [*READING, *WRITING]}
    known = {(tool.name, action) for tool in ALL for action in tool.verbs}
    # What enters and leaves contexts has handles beside: `test_contexts.py`.
    entering = {("context", "enter"), ("context", "leave"), ("context_enter", ""), ("context_leave", "")}
    assert known - called == entering


# Files lie where the server runs: what a client may read of them is not the vault's to say.
OF_FILES = frozenset({"file", "cite", "queries", "key", "request", "answer", "snapshot", "proof", "signed", "old_key"})


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_every_argument_of_a_tool_is_one_of_its_commands(tool: tools.Tool) -> None:
    for verb in tool.verbs.values():
        ctx = tools.context_of(verb.command)
        own = {str(param.name): param for param in ctx.command.params}
        named = {verb.renamed.get(name, name) for name in verb.arguments}
        assert named - {*own} <= {tools.HANDLE}
        assert {*verb.renamed} <= {*verb.arguments}
        assert OF_FILES.isdisjoint(named)
        assert not any(isinstance(own[name].type, click.Path) for name in named - {tools.HANDLE, "path"})
    assert {*tool.words} <= {name for verb in tool.verbs.values() for name in verb.arguments}
    kinds = [tools.listed(tool._replace(verbs={"": verb}))["inputSchema"]["properties"] for verb in tool.verbs.values()]
    for name in {*chain(*kinds)}:
        assert len({json.dumps(one[name]) for one in kinds if name in one}) == 1


# -- the listing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("choice", "count", "most"), [("usual", 12, 8), ("seeds", 30, 24), ("all", 41, 24)])
def test_the_listing_is_short_and_says_what_must_be_given(choice: str, count: int, most: int) -> None:
    listed = [tools.listed(tool) for tool in tools.CHOICES[choice]]
    assert len({tool["name"] for tool in listed}) == count
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"tools": listed, "resultType": "complete", "ttlMs": 3_600_000}}
    assert len(json.dumps(answer, separators=(",", ":"), ensure_ascii=False).encode()) <= most * 1024
    for tool in listed:
        schema = tool["inputSchema"]
        assert {*schema.get("required", ())} <= {*schema["properties"]}
        assert "outputSchema" not in tool
        assert all("type" in one for one in schema["properties"].values())


def test_what_only_plans_is_offered_where_nothing_is_written() -> None:
    kept = {tool.name: [*tool.verbs] for tool in tools.offered(ALL, read_only=True)}
    assert kept["memory_quarantine"] == ["plan"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_get", {"ref": 5000 * "x"}),
        ("memory_get", {"ref": f"note:{5000 * 'x'}"}),
        ("memory_get", {5000 * "x": "y"}),
        ("memory_forget", {"action": 5000 * "x"}),
        ("memory_change", {"action": "set", "ref": NOTE, "pairs": [5000 * "x"]}),
        ("memory_cite", {"citation": f"{5000 * 'x'}:L3"}),
    ],
)
def test_an_error_does_not_repeat_a_long_argument(vault: InProcess, tool: str, arguments: dict[str, Any]) -> None:
    answer = served(vault, offered="all").call(tool, arguments)
    assert answer.failed
    assert max(len(answer.text), len(json.dumps(answer.document))) < 900


@pytest.mark.parametrize("path", [f"{300 * 'x'}.md", f"{300 * 'é'}/a.md", f"{'/'.join(30 * ['x' * 200])}.md"])
@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_memory_does_not_move_to_a_name_that_is_too_long(
    vault: InProcess, path: str, options: tuple[str, ...]
) -> None:
    before = contents(vault.vault)
    answer = served(vault, offered="all").call("memory_change", {"action": "move", "ref": NOTE, "path": path})
    done = vault.run("--as", OWNER, "--self", "mv", NOTE, path, *options)
    assert answer.failed
    assert answer.text == done.stderr.removesuffix("\n")
    assert str(vault.vault) not in answer.text
    assert "hint: give a " in answer.text
    assert done.returncode == (5 if path.count("/") > 1 else 2)
    assert contents(vault.vault) == before


def test_a_list_fits_into_a_context_window(vault: InProcess) -> None:
    server = served(vault, offered="all")
    answer = answered(server, "memory_list")
    total = answer.document["total"]
    assert total > tools.MOST_LISTED == len(answer.document["memories"])
    assert (
        answer.text.splitlines()[tools.MOST_LISTED] == f"{total - tools.MOST_LISTED} more; a higher --limit lists them"
    )
    assert len(answered(server, "memory_list", limit=total).document["memories"]) == total
    assert "higher" not in answered(server, "memory_list", limit=total).text


# Each with another value is in conflict with itself alone.
FACTS = (
    *("The kettle costs {} euros.", "The cellar has {} steps.", "Bella weighs {} kilos.", "The choir has {} singers."),
    *("The lake is {} metres deep.", "The lease runs for {} years.", "The recipe needs {} eggs."),
    *(
        "The hall holds {} guests.",
        "The fence is {} feet long.",
        "The loaf weighs {} grams.",
        "The ferry has {} decks.",
    ),
    *(
        "The crew has {} sailors.",
        "The oven is {} degrees hot.",
        "The toll is {} dollars.",
        "The pool is {} yards wide.",
    ),
    *("The battery lasts {} hours.", "The orchard has {} pear trees.", "The sack holds {} pounds of rice."),
)


def test_a_memory_with_many_conflicts_names_the_gravest_and_where_the_others_are(apart: InProcess) -> None:
    for fact in FACTS:
        apart.json("add", fact.format(10))
    answer = answered(served(apart), "memory_add", text=" ".join(fact.format(9) for fact in FACTS))
    found = answer.document["conflicts"]
    assert len(found) >= 10
    assert answer.text.count("hint: memstore ") == 3
    assert f"… and {len(found) - 3} more: memstore conflicts {answer.document['ref']}" in answer.text
    assert all(one["command"] in answer.text for one in found[:3])


def test_conflicts_are_listed_fifty_at_a_time(apart: InProcess) -> None:
    for fact in FACTS:
        for value in (10, 11, 12):
            apart.json("add", fact.format(value))
    answer = answered(served(apart), "memory_conflicts", action="list")
    assert len(answer.document["conflicts"]) == tools.MOST_LISTED
    assert f"{answer.document['left_out']:,} more; a higher --limit lists them" in answer.notes
    whole = validated(apart.ok("--json", "conflicts"))
    assert answer.document["left_out"] == len(whole["conflicts"]) - tools.MOST_LISTED > 0
    assert whole["left_out"] == 0
    few = answered(served(apart), "memory_conflicts", action="list", limit=2)
    assert few.document["conflicts"] == whole["conflicts"][:2]


def test_what_only_reads_says_so_and_is_all_that_is_left_where_nothing_may_be_written(vault: InProcess) -> None:
    server = served(vault, rules=WriteRules(read_only=True))
    left = {tool.name: [*tool.verbs] for tool in server.tools}
    assert left == {
        "memory_search": [""],
        "memory_get": [""],
        "memory_recall": [""],
        "memory_conflicts": ["list"],
        "memory_review": ["list", "show"],
        "context": ["show", "list", "suggest"],
        "privacy": ["explain", "audit"],
    }
    destroys = {tool.name for tool in tools.TOOLS.values() if tools.listed(tool)["annotations"].get("destructiveHint")}
    assert destroys == {"memory_forget"}
    reads = {tool.name for tool in tools.USUAL if tools.listed(tool)["annotations"].get("readOnlyHint")}
    assert reads == {"memory_search", "memory_get", "memory_recall"}
    before, server = contents(vault.vault), served(vault, rules=WriteRules(read_only=True), offered="all")
    for tool, arguments, _ in WRITING:
        answer = server.call(tool, arguments)
        assert answer.failed
        assert answer.document["error"]["code"] == "refused"
    assert server.call("context", {"action": "enter", "context": "ctx:park"}).failed
    assert contents(vault.vault) == before


def test_with_commit_each_change_is_one(apart: InProcess) -> None:
    server = served(apart, rules=WriteRules(commit=True))
    answer = answered(server, "memory_add", text="Bella eats at nine")
    assert answer.document["commit"] == apart.git("rev-parse", "HEAD").strip()
    answered(server, "memory_search", query="Bella")
    answered(server, "memory_review", action="consolidate", dry_run=True)
    assert apart.git("rev-list", "--count", "HEAD").strip() == "2"


# -- what is no call ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("memory_search", {}, "memory_search needs `query`"),
        ("memory_search", {"query": 7}, "`query` is a text"),
        ("memory_search", {"query": "x", "limit": "seven"}, "`limit` is a whole number"),
        ("memory_search", {"query": "x", "limit": True}, "`limit` is a whole number"),
        ("memory_search", {"query": "x", "limit": 1.5}, "`limit` is a whole number"),
        ("memory_search", {"query": "x", "limit": "1.5"}, "`limit` is a whole number"),
        ("memory_search", {"query": "x", "limit": "007"}, "`limit` is a whole number"),
        ("memory_search", {"query": "x", "limit": "true"}, "`limit` is a whole number"),
        ("memory_search", {"query": "x", "limit": 1e999}, "`limit` is a whole number"),
        ("memory_search", {"query": "x", "limit": ""}, "`limit` is a whole number"),
        ("memory_search", {"query": "x", "tag": ""}, "`tag` is a list of texts"),
        ("memory_search", {"query": "x", "tag": '["dog", "cat"]'}, "`tag` is a list of texts"),
        ("memory_search", {"query": "x", "tag": 7}, "`tag` is a list of texts"),
        ("memory_add", {"text": "x", "access_grants": ""}, "`access_grants` is a list of texts"),
        ("memory_add", {"text": "x", "access_grants": "[]"}, "`access_grants` is a list of texts"),
        ("memory_search", {"query": "x", "tag": ["dog", 1]}, "`tag` is a list of texts"),
        ("memory_search", {"query": "x", "min_confidence": "half"}, "`min_confidence` is a number"),
        ("memory_search", {"query": "x", "min_confidence": "NaN"}, "`min_confidence` is a number"),
        ("memory_search", {"query": "x", "queries": "/etc/passwd"}, "memory_search takes no `queries`"),
        ("memory_get", {"ref": NOTE, "full": "yes"}, "`full` is true or false"),
        ("memory_get", {"ref": NOTE, "full": 1}, "`full` is true or false"),
        ("memory_get", {"ref": NOTE, "full": "1"}, "`full` is true or false"),
        ("memory_get", {"ref": "a\0b"}, "a text has a character"),
        ("memory_get", {"ref": "\ud800"}, "a text has a character"),
        ("memory_add", {"text": "x", "file": "/etc/passwd"}, "memory_add takes no `file`"),
        ("memory_add", {"text": "x", "entity": "human:sean"}, "memory_add takes no `entity`"),
        ("memory_review", {"action": "delete"}, "memory_review does not do 'delete'"),
        ("memory_review", {"action": ["list"]}, "memory_review does not do"),
        ("memory_search", {"query": "tea", "action": ["list"]}, "memory_search takes no `action`"),
        ("memory_search", {"query": "tea", "action": []}, "memory_search takes no `action`"),
        ("memory_review", {"action": "show"}, "memory_review show needs `ref`"),
        ("memory_review", {"action": "list", "ref": NOTE}, "memory_review list takes no `ref`"),
        ("memory_search", {"query": "x", "handle": 7}, "`handle` is a text"),
        ("memory_search", {"query": "x", "handle": "h_nothing"}, "that handle is unknown"),
    ],
)
def test_what_can_not_be_meant_is_an_error_that_says_what_to_do(
    vault: InProcess, tool: str, arguments: dict[str, Any], said: str
) -> None:
    answer = served(vault).call(tool, arguments)
    assert answer.failed
    assert answer.text.startswith(f"memstore: {said}")
    assert "\nhint: " in answer.text
    error = validated(json.dumps(answer.document))["error"]
    assert error["message"].startswith(said)
    assert error["code"] in ("usage", "refused")


@pytest.mark.parametrize(
    ("tool", "given", "meant"),
    [
        ("memory_search", {"query": "Bella", "limit": 2.0}, {"query": "Bella", "limit": 2}),
        ("memory_search", {"query": "Bella", "limit": "2"}, {"query": "Bella", "limit": 2}),
        ("memory_search", {"query": "Bella", "limit": "2.0"}, {"query": "Bella", "limit": 2}),
        ("memory_search", {"query": "7", "tag": "dog"}, {"query": "7", "tag": ["dog"]}),
        ("memory_search", {"query": "x", "tag": "7"}, {"query": "x", "tag": ["7"]}),
        ("memory_search", {"query": "x", "min_confidence": "0.5"}, {"query": "x", "min_confidence": 0.5}),
        ("memory_get", {"ref": NOTE, "full": "true"}, {"ref": NOTE, "full": True}),
        ("memory_get", {"ref": NOTE, "full": "false"}, {"ref": NOTE}),
    ],
)
def test_an_argument_is_read_as_the_only_thing_that_it_can_mean(
    tool: str, given: dict[str, Any], meant: dict[str, Any]
) -> None:
    one = tools.TOOLS[tool]
    verb = one.verb(None)
    assert tools.words_of(one, verb, given) == tools.words_of(one, verb, meant)


def test_a_text_is_nothing_but_a_text(apart: InProcess) -> None:
    text = "---\ntype: note\naccess_grants: ['*']\n---\nRead me."
    for given_text in (text, "\ufeff" + text, "+++\ntitle = 1\n+++\nx"):
        made = answered(served(apart), "memory_add", text=given_text).document
        shown = answered(served(apart), "memory_get", ref=made["ref"]).document
        assert shown["access_grants"] == []
        assert shown["body"].strip("\n") == given_text.removeprefix("\ufeff")
        assert shown["type"] == "note"


def test_a_version_is_compared_before_anything_is_replaced(apart: InProcess) -> None:
    server = served(apart)
    version = answered(server, "memory_get", ref=NOTE).document["revision"]
    answered(server, "memory_edit", ref=NOTE, old="north gate", new="south gate", version=version)
    second = server.call("memory_edit", {"ref": NOTE, "old": "south gate", "new": "east gate", "version": version})
    assert second.document["error"]["code"] == "changed-meanwhile"
    assert "south gate" in answered(server, "memory_get", ref=NOTE).text


@given(st.text(min_size=1, max_size=20).filter(lambda text: "\0" not in text))
def test_no_text_is_taken_for_an_option(text: str) -> None:
    search, add = (tools.TOOLS[name] for name in ("memory_search", "memory_add"))
    try:
        words = tools.words_of(search, search.verb(None), {"query": text, "tag": [text], "since": text})
    except UsageError:  # half a character
        return
    ctx = tools.context_of("search")
    with ctx.scope():
        ctx.command.parse_args(ctx, words)
    said = ctx.params
    assert (" ".join(said["query"]), said["tag"], said["since"]) == (text, (text,), text)
    ctx = tools.context_of("add")
    with ctx.scope():
        ctx.command.parse_args(ctx, tools.words_of(add, add.verb(None), {"text": text, "tags": [text, text]}))
    assert ctx.params["text"] == text
    assert ctx.params["tags"] == (text, text)


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_a_memory_and_a_text_have_two_words_each_and_every_tool_takes_either(tool: tools.Tool) -> None:
    lists = {name for name, one in tools.listed(tool)["inputSchema"]["properties"].items() if one["type"] == "array"}
    pairs = {"memory_id": "ref", "ref": "memory_id", "content": "text", "text": "content"}
    for verb in tool.verbs.values():
        needed = {name: ["x"] if name in lists else "x" for name in verb.needs}
        for said in pairs.keys() & {*verb.arguments}:
            given, other = {**needed, said: "it"}, pairs[said]
            in_other_words = {**needed, other: "it"}
            in_other_words.pop(said, None)
            assert tools.words_of(tool, verb, in_other_words) == tools.words_of(tool, verb, given)
            with pytest.raises(UsageError, match=f"takes no `{other}`"):
                tools.words_of(tool, verb, {**given, other: "it"})


@pytest.mark.parametrize("tool", ["memory_episode", "memory_note", "memory_belief"])
def test_a_context_in_which_others_listen_is_entered_and_not_written_down(vault: InProcess, tool: str) -> None:
    said = {"memory_episode": "objective", "memory_note": "content", "memory_belief": "statement"}[tool]
    answer = served(vault, offered="seeds").call(tool, {said: "It rained", "context": "ctx:park"})
    assert answer.text == (
        'memstore: "ctx:park" is a context, not what was going on\n'
        "hint: enter it with context_enter, and give the handle"
    )


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    "tool", [tool for tool in tools.CHOICES["all"] if len(tool.verbs) > 1], ids=lambda one: one.name
)
def test_without_an_action_nothing_is_written(vault: InProcess, tool: tools.Tool) -> None:
    """Who leaves out `action` may have meant any: evidence against a belief must not be recorded as evidence for it."""
    first = next(iter(tool.verbs.values()))
    before = contents(vault.vault)
    given = {"ref": BELIEF, "evidence": [EPISODE], "refs": [EPISODE], "to": ["*"]}
    answer = served(vault, offered="all").call(tool.name, {key: given[key] for key in first.needs if key in given})
    if tools.writes(first):
        actions = ", ".join(tool.verbs)
        assert (answer.failed, answer.text) == (
            True, f"memstore: {tool.name} needs `action`\nhint: action is one of {actions}",
        )  # fmt: skip
    assert contents(vault.vault) == before


@pytest.mark.parametrize(("tool", "action"), [("context", "leave"), ("context_leave", None)])
def test_a_handle_that_is_needed_is_named_as_what_is_taken(vault: InProcess, tool: str, action: str | None) -> None:
    answer = served(vault, offered="all").call(tool, {**({"action": action} if action else {}), "of": "x"})
    assert answer.text.endswith("hint: it takes handle")
