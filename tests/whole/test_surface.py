"""What an outsider is told of a word that only a hidden memory has: the published corners, one by one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.installed import validated
from tests.support import memory_text
from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess

MAX = ("--as", "si:max_agent")
OWNER = "si:bella_agent"
CANARY = "quetzalcoatl"
HISTORY = (
    '[{timestamp: "2026-01-01T00:00:00Z", op: assert, old: null, new: 0.7, evidence_source: "note:m_private0006"},'
    ' {timestamp: "2026-01-02T00:00:00Z", op: support, old: 0.7, new: 0.75, evidence_source: "note:m_private0007",'
    ' weight: 0.5, roots: ["note:m_private0007"]}]'
)


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> InProcess:
    program = Program(tmp_path_factory.mktemp("surface")).in_process()
    program.vault.mkdir()
    program.ok("init", ".", "--owner", OWNER)
    files = {
        "entities/dog/bella.md": b"---\ntype: entity\nid: dog:bella\nguardians: ['human:sean']\n---\n",
        "contexts/health.yaml": b"id: ctx:health\nroster: ['human:sean']\ndefault_access: ['human:sean']\n",
        "canary.md": memory_text(
            f"Bella has {CANARY} syndrome\n", id="m_canary00001", title=CANARY, tags=f"[{CANARY}]",
            subject_ids='["dog:bella"]', access_grants='["human:sean"]',
        ),
        "pub.md": memory_text("probe word oncology once\n", id="m_pub0000001", access_grants='["*"]'),
        "lesson.md": memory_text(
            "Small dogs tire.\n", id="m_lesson00001", type="belief", access_grants='["*"]', generalized="true",
            generalization="{verdict: safe}", derived_from='["note:m_canary00001"]',
        ),
        "hidden_broken.md": f"---\ntype: note\nid: m_x\nid: m_x\n---\n{CANARY}\n".encode(),
    }  # fmt: skip
    files["named.md"] = memory_text(
        "Walks are good.\n", id="m_named000001", type="belief", access_grants='["*"]', generalized="true",
        generalization="{verdict: safe}", derived_from='["note:m_private0001"]', relates_to='["note:m_private0002"]',
        supersedes='["note:m_private0003"]', superseded_by='["note:m_private0004"]',
        processed_into='["note:m_private0005"]', confidence="0.75", confidence_history=HISTORY,
        resolved_conflicts='[{with: "note:m_private0008", conflict_type: contradiction, decision: keep}]',
    )  # fmt: skip
    files |= {
        f"private{one}.md": memory_text(
            f"oncology oncology {one}\n", id=f"m_private{one:04}", relates_to="[note:m_pub0000001]"
        )
        for one in range(17)
    }
    for name, data in files.items():
        path = program.vault / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    program.ok(
        "privacy", "consent", "grant", "--from", "human:sean", "--to", "human:tom", "--scope", "subject:dog:bella"
    )
    return program


EXPORTS = [("export", kind) for kind in ("jsonl", "markdown", "memory-v0.1", "okf", "prov")]


def told(vault: InProcess, *words: str) -> str:
    done = vault.run(*MAX, *words)
    return f"{done.returncode}\n{done.stdout}\n{done.stderr}"


def test_the_owner_finds_the_canary(vault: InProcess) -> None:
    assert "canary.md" in vault.ok("search", CANARY)


@pytest.mark.parametrize(
    "words",
    [
        ("search", "tires", "--facets", "tags"),
        ("search", "quetzalcoatI"),
        ("show", "m_lesson00001", "--json"),
        ("trace", "m_lesson00001", "--json"),
        ("trace", "m_pub0000001", "--reverse"),
        ("list", "--stats", "--json"),
        ("check", "orphans"),
        ("doctor",),
        ("status",),
        ("list", "--json", "--status", "all"),
        ("conflicts",),
        ("conflicts", "--duplicates"),
        ("conflicts", "--candidates", "--status", "all"),
        ("privacy", "audit", "--subject", "dog:bella"),
        ("privacy", "report"),
        ("context", "list"),
        ("privacy", "consent", "list"),
        ("privacy", "entity", "list"),
        ("log",),
        ("blame", "canary.md"),
        ("diff",),
        ("review",),
        ("check",),
        ("check", "hidden_broken.md"),
        ("show", "hidden_broken.md"),
        ("recall", "Bella syndrome"),
        ("beliefs", "consolidate", "--dry-run"),
        ("add", "Bella has no syndrome", "--dry-run"),
        *(
            (*words, "m_named000001", *more)
            for words in (("show",), ("why",), ("show", "--full"), ("trace",), ("trust",), *EXPORTS)
            for more in ((), ("--json",))
        ),
        ("show", "m_named000001", "--whole"),
        ("show", "--cite", "m_named000001:L1-L8"),
        ("show", "--cite", "m_named000001"),
        *((*words, "--all") for words in EXPORTS),
        ("beliefs", "recompute", "--from-episodes", "--json"),
        *(
            ("search", "walks", "--facets", key)
            for key in ("relates_to", "derived_from", "supersedes", "confidence_history", "resolved_conflicts")
        ),
    ],
    ids=" ".join,
)
def test_nothing_tells_of_the_canary(vault: InProcess, words: tuple[str, ...]) -> None:
    said = told(vault, *words)
    for hidden in (CANARY, "m_canary", "m_private", "private", "ctx:health", "human:sean", "hidden_broken.md:"):
        assert hidden not in said


@pytest.mark.parametrize(
    ("hidden", "unknown"),
    [
        (("search", CANARY), ("search", "xylophonists")),
        (("show", "m_canary00001"), ("show", "m_nowhere0001")),
        (("show", "m_can"), ("show", "m_now")),
        (("privacy", "explain", "m_canary00001"), ("privacy", "explain", "m_nowhere0001")),
        (("add", f"{CANARY} twice", "--dry-run"), ("add", "xylophonists twice", "--dry-run")),
    ],
    ids=" ".join,
)
def test_hidden_and_unknown_read_the_same(vault: InProcess, hidden: tuple[str, ...], unknown: tuple[str, ...]) -> None:
    if hidden[0] == "add":
        assert vault.run(*MAX, *hidden).stderr == vault.run(*MAX, *unknown).stderr
        return
    one, other = told(vault, *hidden), told(vault, *unknown)
    for word, neutral in zip(hidden, unknown, strict=True):
        one, other = one.replace(word, "X"), other.replace(neutral, "X")
    assert one == other


@pytest.mark.parametrize("key", ["relates_to", "derived_from", "superseded_by", "confidence_history"])
def test_no_condition_finds_a_ref_that_is_not_told(vault: InProcess, key: str) -> None:
    condition = f"{key}~m_private"
    assert "named.md" in vault.ok("list", "--where", condition)
    assert vault.ok(*MAX, "list", "--where", condition) == vault.ok(*MAX, "list", "--where", f"{key}~m_nowhere")
    assert vault.ok(*MAX, "list", "--where", f"{key}=note:m_private0002") == ""
    assert vault.json(*MAX, "search", "walks", "--where", condition)["total"] == 0


def test_the_owner_is_told_all_that_a_file_says(vault: InProcess) -> None:
    file = (vault.vault / "named.md").read_text()
    assert vault.ok("show", "m_named000001", "--whole") == file
    assert vault.ok(*MAX, "show", "m_named000001", "--whole") == "Walks are good.\n"
    assert vault.ok(*MAX, "show", "m_pub0000001", "--whole") == (vault.vault / "pub.md").read_text()
    assert "m_private0007" in vault.ok("why", "m_named000001")
    assert "m_private0001" in vault.ok("show", "--cite", "m_named000001:L1-L8")
    assert vault.json("search", "walks", "--facets", "relates_to")["facets"]


def test_nobody_gets_the_file_of_somebody_elses_memory_to_edit(vault: InProcess) -> None:
    done = vault.run(*MAX, "edit", "m_named000001", EDITOR="cat >&2")
    assert (done.returncode, done.stdout) == (4, "")
    assert "m_private" not in done.stderr


def test_counts_are_of_what_is_seen(vault: InProcess) -> None:
    found = vault.json(*MAX, "search", "onco*", "-n", "10")
    assert [hit["path"] for hit in found["results"]] == ["pub.md"]
    assert found["total"] == 1


def test_only_the_owner_learns_why(vault: InProcess) -> None:
    assert "no-grant" in vault.run("privacy", "explain", "m_canary00001", "--for", "si:max_agent").stdout


# -- what others were shown ------------------------------------------------------------------------


def test_looks_of_others_are_kept_on_this_machine_and_told_to_the_owner_alone(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.vault.mkdir()
    program.ok("init", ".", "--owner", OWNER)
    (program.vault / "pub.md").write_bytes(memory_text("probe\n", id="m_pub0000001", access_grants='["*"]'))
    (program.vault / "own.md").write_bytes(memory_text("probe probe\n", id="m_own0000001"))
    program.ok("search", "probe")
    program.ok("show", "m_own0000001")
    assert "nobody else has looked" in program.run("privacy", "log", "show", "--local").stderr
    program.run(*MAX, "search", "probe")
    program.run(*MAX, "list")
    program.run(*MAX, "show", "m_own0000001")
    program.run(*MAX, "show", "m_nowhere001")
    looks = validated(program.ok("--json", "privacy", "log", "show", "--local"))["looks"]
    assert [(one["by"], one["how"], one["shown"], one["denied"]) for one in looks] == [
        ("si:max_agent", "named", [], ["m_own0000001"]),
        ("si:max_agent", "list", ["m_pub0000001"], []),
        ("si:max_agent", "search", ["m_pub0000001"], []),
    ]
    assert len(program.ok("privacy", "log", "show", "m_own0000001", "--local").splitlines()) == 1
    assert program.run(*MAX, "audit", "show", "--local").returncode == 4
    (log,) = program.vault.rglob("access.jsonl")
    assert log.stat().st_mode & 0o777 == 0o600
    assert ".git/" in log.as_posix()
    log.write_bytes(b'{"torn\n' + log.read_bytes() + b"\xff\n[]\n")
    assert len(validated(program.ok("--json", "privacy", "log", "show", "--local"))["looks"]) == 3
    log.unlink()
    log.mkdir()
    assert program.run(*MAX, "search", "probe").returncode == 0


# -- what is the owner's to change -----------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("config", "owner", "si:max_agent"),
        ("config", "--unset", "owner"),
        ("config", "require_context", "false"),
        ("init", ".", "--owner", "si:max_agent"),
        ("hooks", "uninstall"),
        ("trust", "keys", "pin"),
    ],
    ids=" ".join,
)
def test_only_the_owner_says_how_the_vault_is_kept(vault: InProcess, words: tuple[str, ...]) -> None:
    before = {path: path.read_bytes() for path in vault.vault.rglob("*") if path.is_file()}
    assert vault.run(*MAX, *words).returncode == (2 if words[0] == "init" else 4)
    assert before == {path: path.read_bytes() for path in vault.vault.rglob("*") if path.is_file()}
    assert OWNER in vault.ok(*MAX, "config", "owner")


# -- contexts that one is not in -------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("context", "show"),
        ("context", "show", "--json"),
        ("add", "told", "--source-entity", "human:dave", "--dry-run"),
        ("add", "seen", "--dry-run"),
    ],
    ids=" ".join,
)
def test_a_context_that_one_is_not_in_reads_like_one_that_is_not_registered(
    vault: InProcess, words: tuple[str, ...]
) -> None:
    one = told(vault, "--context", "ctx:health", *words)
    other = told(vault, "--context", "ctx:nowhere", *words)
    ids = r"m_[0-9a-z]{10}|(?<=-)[0-9a-z]{4}(?=\.md)|\d{4}-\d\d-\d\dT[\d:]+Z"
    assert re.sub(ids, "", one).replace("ctx:health", "X") == re.sub(ids, "", other).replace("ctx:nowhere", "X")
    assert "human:sean" not in one
    assert "human:sean" in vault.ok("--context", "ctx:health", *words)


def test_nobody_is_told_where_a_subject_belongs_but_who_belongs_there_too(vault: InProcess) -> None:
    words = (
        "--context",
        "ctx:other",
        "add",
        "Bella",
        "--subject",
        "dog:bella",
        "--access",
        "*",
        "--acknowledge",
        "--dry-run",
    )
    assert "belongs to ctx:health" in vault.run(*words).stderr
    assert "ctx:health" not in vault.run(*MAX, *words).stderr
