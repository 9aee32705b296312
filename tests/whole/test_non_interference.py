"""Whatever somebody may not see makes no difference to anything they are told, to the last byte."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from contextlib import chdir, redirect_stderr
from dataclasses import replace
from io import StringIO
from random import Random
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memstore.core.digests import blob_id
from memstore.core.places import kind_of
from memstore.hooks import commit_msg, pre_commit, push_guard
from memstore.vault.look import SeenIndex
from memstore.vault.view import VaultView
from tests.support import examples, memory_text
from tests.whole.hidden import NOW, OWNER, PROMPT, SEEDS, WORDS, Case, Vaults, drawn, every_command, ids_and_paths
from tests.whole.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.whole.hidden import Told
    from tests.whole.program import InProcess


# So many commands for each vault: with more vaults that finds more, in the same time, than all for a few.
AT_ONCE = 40


@pytest.fixture(scope="module")
def vaults(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vaults]:
    program = Program(tmp_path_factory.mktemp("hidden"))
    program.vault.mkdir()
    program.ok("init", ".", "--owner", OWNER)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("memstore.core.clock.SystemClock.now", lambda _: NOW)
        patched.setattr("memstore.core.clock.RandomIds.memory_id", lambda _: "m_0000000000")
        yield Vaults(program.in_process())


def differences(
    vaults: Vaults,
    case: Case,
    *,
    commands: list[tuple[str, ...]] | None = None,
    random: Random | None = None,
    hidden: set[str] | None = None,
    stdin: str = PROMPT,
) -> list[tuple[Told, Told]]:
    """Return what the viewer is told otherwise where what is hidden from them is gone.

    Without `commands`, some of all that there are, drawn by chance. `hidden` are the paths of what is hidden; where it
    is not given, the view tells. `stdin` is what each command gets to read.
    """
    vaults.put(case)
    hidden = vaults.hidden(case) if hidden is None else hidden
    words = commands or []
    if random:
        words = random.sample(every_command(*ids_and_paths(case, hidden)), AT_ONCE)
    full = vaults.told(case, words, stdin=stdin)
    assert {path: data for path, data in vaults.files().items() if path in case.files} == case.files
    vaults.put_what_is_seen(case, hidden)
    return [
        (one, other) for one, other in zip(full, vaults.told(case, words, stdin=stdin), strict=True) if one != other
    ]


@settings(max_examples=examples(5), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
@example(16)  # the spelling of a word came from whichever row was first
@example(5)
@example(1175)  # a report judged a file by a copy that somebody else owns
@example(694)  # two files with one id were completed in the order of rows
@example(2198)  # a notice told of the labels of a hidden file with the id of a source
def test_what_is_hidden_makes_no_difference(vaults: Vaults, seed: int) -> None:
    assert differences(vaults, drawn(Random(seed)), random=Random(seed)) == []  # noqa: S311 - chance, not secrecy


# -- a vault of a group ----------------------------------------------------------------------------

CHARTER = {
    "groups/ops.yaml": (
        f"id: group:ops\nkeepers: ['{OWNER}']\n"
        f"members: [{{id: '{OWNER}'}}, {{id: 'human:dave'}}, {{id: 'group:inner'}}]\n"
    ).encode()
}


@pytest.fixture(scope="module")
def shared_vaults(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vaults]:
    program = Program(tmp_path_factory.mktemp("shared"))
    program.vault.mkdir()
    program.ok("--as", OWNER, "init", ".", "--owner", "group:ops")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("memstore.core.clock.SystemClock.now", lambda _: NOW)
        patched.setattr("memstore.core.clock.RandomIds.memory_id", lambda _: "m_0000000000")
        yield Vaults(program.in_process())


@settings(max_examples=examples(4), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
@example(1)
@example(2)
def test_in_a_vault_of_a_group_what_is_hidden_makes_no_difference(shared_vaults: Vaults, seed: int) -> None:
    """Outsiders, and members in a context with others; a member alone has all files, and is told of each."""
    random = Random(seed)  # noqa: S311 - chance, not secrecy
    case = drawn(random)
    context = case.context or random.choice(("ctx:park", "ctx:lobby"))
    is_member = case.viewer in (OWNER, "human:dave", "human:bob")
    case = replace(case, files=case.files | CHARTER, context=context if is_member else case.context)
    assert differences(shared_vaults, case, random=random) == []


@pytest.mark.soak(3)
@pytest.mark.parametrize("seed", range(8))
def test_the_page_is_that_of_a_vault_without_what_is_hidden(vaults: Vaults, seed: int) -> None:
    case = drawn(Random(seed))  # noqa: S311 - chance, not secrecy
    commands = [
        ("export", "html"),
        *(("trace", path, "--format", "svg") for path in sorted(case.files)[:4]),
    ]
    assert differences(vaults, case, commands=commands) == []


# -- what programs run of their own accord: an agent's hooks, git's hooks -------------------------

HEARD = ("recall", "--hook"), ("raw", "--hook"), ("raw", "--hook", "-c"), ("raw", "--hook", "--dry-run", "--json")
SPOKEN = {"user": "tea lake river boat, and the vet said heart murmur", "assistant": "Bella walks at the lake"}


def events(random: Random, transcript: str) -> dict[str, str]:
    """Return what programs hand over to their hooks, by event: prompts, the beginning and the end of a session."""
    words = " ".join(random.choices(WORDS, k=4))
    handed: dict[str, dict[str, object]] = {
        "SessionStart": {"source": "startup"},
        "sessionStart": {},  # Cursor
        "UserPromptSubmit": {"prompt": f"When is {words}?"},
        "BeforeAgent": {"prompt": words},
        "PreCompact": {"transcript_path": transcript, "trigger": "auto"},
        "SessionEnd": {"transcript_path": transcript},
        "Stop": {"last_assistant_message": f"It is {words}.", "timestamp": "2026-02-02T10:00:00Z"},
    }
    return {event: json.dumps({"hook_event_name": event, "session_id": "s1"} | more) for event, more in handed.items()}


def put_transcript(vaults: Vaults) -> str:
    turns = [{"type": who, "uuid": who, "timestamp": "2026-02-02T10:00:00Z", "message": {"role": who, "content": said}}
             for who, said in SPOKEN.items()]  # fmt: skip
    (vaults.program.home / "session.jsonl").write_text("\n".join(map(json.dumps, turns)))
    return str(vaults.program.home / "session.jsonl")


@pytest.mark.soak(2)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_hidden_makes_no_difference_to_the_hooks_of_an_agent(vaults: Vaults, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - chance, not secrecy
    case = replace(drawn(random), alone=bool(seed % 2))
    for event, handed in events(random, put_transcript(vaults)).items():
        assert differences(vaults, case, commands=[*HEARD], stdin=handed) == [], event


@pytest.mark.soak(2)
@pytest.mark.parametrize("event", ["SessionStart", "sessionStart", "UserPromptSubmit", "BeforeAgent"])
def test_without_the_filter_the_hooks_of_an_agent_leak(
    vaults: Vaults, monkeypatch: pytest.MonkeyPatch, event: str
) -> None:
    pinned = {"a/pin.md": memory_text("Quetzalcoatl walks.\n", id="m_hidden0021", importance="pinned")}
    case = Case({}, LEAKY | pinned, "human:bob", None, alone=True)
    handed = json.dumps({"hook_event_name": event, "session_id": "s1", "prompt": "Where is quetzalcoatl?"})
    assert differences(vaults, case, commands=[HEARD[0]], stdin=handed) == []
    hidden = vaults.hidden(case)
    for name, gone in FILTER.items():
        monkeypatch.setattr(VaultView, name, gone)
    leaks = [one.words for one, _ in differences(vaults, case, commands=[HEARD[0]], stdin=handed, hidden=hidden)]
    assert leaks[:1] == [HEARD[0]]


def hooked(vaults: Vaults, case: Case, seen: set[str], kept: set[str]) -> dict[str, tuple[int, str]]:
    """Return what git's hooks say to a viewer who commits and pushes, and what they write into the message.

    Args:
        vaults: a folder that no other test uses: its repository begins anew.
        case: whose vault it is; what it had before is committed.
        seen: the paths of what the viewer commits.
        kept: the paths of what else is there, and was before.
    """
    program, root = vaults.program, vaults.program.vault
    shutil.rmtree(root / ".git")
    program.git("init", "-q", "-b", "main")
    unchanged = {path: case.files[path] for path in kept}
    for files in (case.before, case.files):
        vaults._lay_out(unchanged | {path: files[path] for path in sorted(seen) if path in files})
        program.git("add", "-A")
        if files is case.before:
            program.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "before")
    message = root / ".git" / "COMMIT_EDITMSG"
    message.write_text("now\n")

    def said(hook: Callable[[], int]) -> tuple[int, str]:
        with redirect_stderr(StringIO()) as err:
            return hook(), err.getvalue()

    with patch.dict(os.environ, program.environment | {"MEMSTORE_ENTITY": case.viewer}, clear=True), chdir(root):
        told = {"pre-commit": said(lambda: pre_commit.main(os.environ, root))}
        told["commit-msg"] = said(lambda: commit_msg.main(os.environ, root, [str(message)]))
        program.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "now")
        line = f"HEAD {program.git('rev-parse', 'HEAD').strip()} refs/heads/main {'0' * 40}"
        for name in ("undeclared", "club"):
            pushed = ("pre-push", name, f"/nowhere/{name}")
            told[f"pre-push {name}"] = said(lambda: push_guard.main(os.environ, root, pushed, [line]))  # noqa: B023
    return told | {"message": (0, message.read_text())}


def differences_of_git(vaults: Vaults, case: Case) -> list[str]:
    """Return the hooks of git that say something else where what is hidden from the viewer is gone."""
    vaults.put(case)
    hidden = vaults.hidden(case)
    seen = {path for path in case.files if path.endswith(".md") and kind_of(path) is None} - hidden
    config = vaults.program.vault / ".memstore" / "config.toml"
    if "[remotes]" not in config.read_text():
        config.write_text(config.read_text() + '\n[remotes]\nclub = ["human:dave"]\n')
    own = {*case.files} - hidden - seen
    full, less = (hooked(vaults, case, seen, own | more) for more in (hidden, set[str]()))
    return [name for name, one in full.items() if one != less[name]]


@pytest.fixture
def alone(vaults: Vaults, tmp_path: Path) -> Vaults:
    return Vaults(vaults.program.copied(tmp_path))


@pytest.mark.soak(2)
@pytest.mark.parametrize("seed", range(6))
def test_what_is_hidden_makes_no_difference_to_the_hooks_of_git(alone: Vaults, seed: int) -> None:
    case = replace(drawn(Random(seed)), viewer="human:bob", context=None, alone=True)  # noqa: S311 - as above
    assert differences_of_git(alone, case) == []


@pytest.mark.soak(1)
@pytest.mark.parametrize("hook", ["pre-commit", "pre-push club"])
def test_a_hook_of_git_that_takes_somebody_for_the_owner_leaks(
    alone: Vaults, monkeypatch: pytest.MonkeyPatch, hook: str
) -> None:
    case = Case({}, LEAKY, "human:bob", None, alone=True)
    assert differences_of_git(alone, case) == []
    monkeypatch.setattr(pre_commit, "_owner", lambda _: case.viewer)
    monkeypatch.setattr(push_guard._Push, "is_owners", yes)
    assert hook in differences_of_git(alone, case)


# -- the copy that somebody gets -------------------------------------------------------------------

_LINK = re.compile(rb"\[\[\w+:(m_\w+)\]\]")


def without_links_to(hidden: set[str], case: Case) -> Case:
    """Return a case whose seen memories have no link to a hidden one, for which nothing would be shared."""
    ids = {path.rpartition("/")[2].removesuffix(".md").encode() for path in hidden}
    files = {
        path: data if path in hidden else _LINK.sub(lambda one: b"" if one[1] in ids else one[0], data)
        for path, data in case.files.items()
    }
    return replace(case, before={}, files=files)


def shared(vaults: Vaults, case: Case) -> dict[str, bytes]:
    """Return the files of a copy of what a viewer may see, and its commit; the code is in place of it if none is."""
    folder = vaults.program.home / "copy"
    shutil.rmtree(folder, ignore_errors=True)
    words = ("share", "--to", case.viewer, str(folder), "--acknowledge")
    done = vaults.program.run("--as", OWNER, "--self", *words, stdin=PROMPT)
    if done.returncode:
        return {"code": str(done.returncode).encode()}
    files = {str(place.relative_to(folder)): place for place in folder.rglob("*") if place.is_file()}
    data = {path: place.read_bytes() for path, place in files.items() if not path.startswith(".git/")}
    head = subprocess.run(["git", "-C", str(folder), "rev-parse", "HEAD"], check=True, capture_output=True).stdout
    return data | {"HEAD": head}


@pytest.mark.soak(2)
@pytest.mark.parametrize("viewer", ["human:bob", "human:dave", "si:max"])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_hidden_makes_no_difference_to_a_byte_of_a_copy(alone: Vaults, seed: int, viewer: str) -> None:
    case = replace(drawn(Random(seed)), viewer=viewer, context=None)  # noqa: S311 - as above
    alone.put(case)
    hidden = alone.hidden(case)
    case = without_links_to(hidden, case)
    alone.put(case)
    full = shared(alone, case)
    alone.put_what_is_seen(case, hidden)
    assert "HEAD" in full
    assert shared(alone, case) == full


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
    "a/river.md": memory_text("river tea walk [[hidden]]\n", id="m_open000002", **PUBLIC),
    "a/secret.md": memory_text("Tulips.\n", id="m_hidden0009", title="Secret plan", aliases="[a/open]"),
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


# -- every exit, with the filter of the one view taken away ----------------------------------------

EXITS: dict[str, tuple[str, ...]] = {
    "list": ("list",),
    "ids": ("show", "--path", "m_hid"),
    "ids that are near": ("show", "--path", "m_hiddenn0001"),
    "links: from": ("links", "m_open000001"),
    "links: to": ("links", "river", "--json"),
    "names": ("show", "secret plan"),
    "names that are near": ("show", "secrit plan"),
    "names that several have": ("show", "a/open"),
    "why a file is none": ("show", "broken.md"),
    "search": ("search", "quetzal*", "--json"),
    "facets": ("search", "tea", "--facets", "tags"),
    "lengths and frequencies": ("search", "tea", "--json"),
    "spelling": ("search", "quetzalcoatk", "--json"),
    "quality": ("search", "lake", "--json"),
    "stats": ("list", "--stats", "--json"),
    "trace": ("trace", "m_open000001", "--reverse"),
    "impact": ("trace", "--impact", "m_open000001"),
    "orphans": ("check", "orphans"),
    "report": ("export", "html"),
    "status": ("status",),
    "status: which": ("status", "--json"),
    "doctor": ("doctor",),
    "check": ("check",),
    "mv": ("mv", "m_bobs000001", "a/hidden.md", "--dry-run"),
    "conflicts": ("conflicts",),
    "dedupe": ("conflicts", "--duplicates"),
    "candidates": ("conflicts", "--candidates", "--status", "all"),
    "why": ("why", "m_hidden0004"),
    "trust": ("trust", "m_hidden0004"),
    "suggestions": ("beliefs", "suggestions", "list"),
    "consolidate": ("beliefs", "consolidate", "--dry-run"),
    "recall": ("recall", "quetzalcoatl tea"),
    "expand": ("show", "m_hidden0001", "--full"),
    "expand: links": ("show", "m_open000001", "--full"),
    "cite a path": ("show", "--cite", "a/hidden.md:L1"),
    "propagate": ("beliefs", "propagate", "--dry-run"),
    "calibrate": ("beliefs", "calibrate", "--json"),
    "import seeds": ("import", "seeds", SEEDS, "--dry-run"),
    "context suggest": ("context", "suggest", "xylophones"),
    **{f"export {kind}": ("export", kind, "--all") for kind in ("jsonl", "markdown", "memory-v0.1", "okf", "prov")},
    "rebuild": ("beliefs", "recompute", "--from-episodes"),
    "adopt": ("adopt", "--all", "--dry-run"),
    "add: conflicts": ("add", "Sean likes coffee.", "-t", "belief", "--json"),
    "cite a file": ("add", "tea", "--cite", "a/hidden.md:L1"),
    "read a file": ("add", "-F", "a/hidden.md", "--dry-run"),
    "import a file": ("import", "seeds", "a/hidden.md", "--dry-run"),
    "queries of a file": ("search", "--queries", "a/hidden.md"),
    "a request of a file": ("trust", "witness", "--request", "a/hidden.md"),
    "an answer of a file": ("trust", "witness", "m_bobs000001", "--answer", "a/hidden.md"),
    "a page of a file": (
        "trust",
        "anchor",
        "m_bobs000001",
        "--type",
        "url",
        "--reference",
        "https://e.org",
        "--snapshot",
        "a/hidden.md",
    ),
    "a key of a file": ("trust", "witness", "m_open000001", "--attest", "confirm", "--key", "a/hidden.md"),
    "a public key of a file": (
        "trust",
        "keys",
        "rotate",
        "human:bob",
        "b/m_bobs000001.md",
        "--old",
        "a/hidden.md",
        "--print",
    ),
    "a statement of a file": ("trust", "keys", "rotate", "human:bob", "b/m_bobs000001.md", "--signed", "a/hidden.md"),
    "a text of a file": ("edit", "m_bobs000001", "-F", "a/hidden.md", "--dry-run"),
    "import memories from a file": ("import", "memory-v0.1", "a/hidden.md"),
    "a folder": ("mv", "m_bobs000001", "suggestions", "--dry-run"),
    "grant": ("privacy", "grant", "m_bobs000003", "--to", "human:bob", "human:eve"),
    "ask witnesses": ("trust", "request-witness", "m_bobs000003", "--from", "human:eve"),
    "commit: copies": ("commit", "m_bobs000005"),
    "commit": ("commit", "m_bobs000004"),
    "completion": ("completion",),
    "diff": ("diff",),
    "who sees what": ("privacy", "report"),
    "the index": ("index", "status"),
}


def all_rows(view: Any) -> Sequence[int]:
    rows: Sequence[int] = view.snapshot.catalog.memories
    return rows


def yes(*_: object) -> bool:
    return True


# The filter is these three: which rows there are, whether a file that was read is one of them, and whether the one who
# looks is the owner, to whom all is there.
FILTER = {"rows": property(all_rows), "sees": yes, "is_owners": property(yes)}


@pytest.mark.soak(3)
@pytest.mark.parametrize("exit_", EXITS)
def test_without_the_filter_every_exit_leaks(vaults: Vaults, monkeypatch: pytest.MonkeyPatch, exit_: str) -> None:
    command = EXITS[exit_]
    case = Case({}, LEAKY, "human:bob", None)
    assert differences(vaults, case, commands=[command]) == []
    hidden = vaults.hidden(case)
    for name, gone in FILTER.items():
        monkeypatch.setattr(VaultView, name, gone)
    leaks = [one.words for one, _ in differences(vaults, case, commands=[command], hidden=hidden)]
    assert command in leaks


# What else in the view keeps something back; each is seen to by itself.
PARTS: dict[str, tuple[str, Any, tuple[str, ...]]] = {
    "rows": ("rows", FILTER["rows"], ("list",)),
    "a file as it is now": ("rows sees", None, ("why", "m_hidden0004")),
    "the owner's part": ("is_owners", FILTER["is_owners"], ("status",)),
    "postings": ("postings", lambda index, *asked: index._index.postings(*asked), ("search", "tea", "--json")),
    "broken files": ("broken", property(lambda view: view.snapshot.catalog.broken), ("list", "--stats", "--json")),
    "policy": ("policy", property(lambda view: view.registries._replace(memories=view.labels)),
               ("privacy", "grant", "m_bobs000003", "--to", "human:bob", "human:eve")),
    "ids": ("rows_of_id", lambda view, one: view.snapshot.catalog.rows_of_id(one), ("show", "m_hidden0001")),
    "the vault's own files": ("require_owner", yes, ("check",)),
}  # fmt: skip


@pytest.mark.soak(3)
@pytest.mark.parametrize("part", PARTS)
def test_a_leak_in_a_part_of_the_view_is_seen(vaults: Vaults, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    names, leak, command = PARTS[part]
    case = Case({}, LEAKY, "human:bob", None)
    assert differences(vaults, case, commands=[command]) == []
    hidden = vaults.hidden(case)
    for name in names.split():
        monkeypatch.setattr(SeenIndex if part == "postings" else VaultView, name, leak or FILTER[name])
    leaks = [one.words for one, _ in differences(vaults, case, commands=[command], hidden=hidden)]
    assert command in leaks


# -- a review, which needs commits -----------------------------------------------------------------

BOBS = {"owner": "human:bob", "type": "belief"}
REVIEWED: tuple[dict[str, bytes], dict[str, bytes]] = (
    {
        "tea.md": memory_text("Sean likes tea.\n", id="m_tea0000001", type="belief", confidence="0.5"),
        "open.md": memory_text("Bella is calm.\n", id="m_open000001"),
        "bob/left.md": memory_text("Bob leaves.\n", id="m_bobsleft01", **BOBS),
        "bob/moves.md": memory_text("Bob moves.\n", id="m_bobsmove01", **BOBS),
        "bob/changes.md": memory_text("Bob is unsure.\n", id="m_bobsmind01", confidence="0.5", **BOBS),
        "bob/shared.md": memory_text("Bob keeps it.\n", id="m_bobsopen01", **BOBS),
    },
    {
        "tea.md": memory_text("Sean likes tea.\n", id="m_tea0000001", type="belief", confidence="0.9"),
        "open.md": memory_text("Bella is calm.\n", id="m_open000001", access_grants='["*"]'),
        "bob/went.md": memory_text("Bob moves.\n", id="m_bobsmove01", **BOBS),
        "bob/changes.md": memory_text("Bob is sure.\n", id="m_bobsmind01", confidence="0.8", **BOBS),
        "bob/came.md": memory_text("Sean dislikes tea.\n", id="m_bobsnew001", **BOBS),
        "bob/shared.md": memory_text("Bob keeps it.\n", id="m_bobsopen01", access_grants='["human:eve"]', **BOBS),
        "bob/wrong.md": memory_text("Bob errs.\n", id="m_bobserr001", confidence="0.5", status="draft", **BOBS),
    },
)


def reviews(program: InProcess, *, without: str = "\n") -> dict[str, str]:
    """Return what the owner is told of a branch, in each format, where files below a folder were never there."""
    for words in (("init", "-q"), ("switch", "-q", "-C", "main")):
        program.git(*words)
    for files in REVIEWED:
        for old in program.vault.rglob("*.md"):
            old.unlink()
        for path, data in files.items():
            if not path.startswith(without):
                (program.vault / path).parent.mkdir(exist_ok=True)
                (program.vault / path).write_bytes(data)
        program.git("add", "-A")
        program.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "work")
        if files is REVIEWED[0]:
            program.git("switch", "-q", "-C", "work")
    said = {form: program.run("review", "--against", "main", "--output-format", form) for form in FORMS}
    return {form: re.sub(r"\b[0-9a-f]{10}([0-9a-f]{30})?\b", "COMMIT", done.stdout) for form, done in said.items()}


FORMS = ("text", "json", "github")


def test_a_review_tells_nothing_of_what_is_hidden_on_both_sides(tmp_path: Path) -> None:
    programs = []
    for name in ("full", "seen"):
        (tmp_path / name).mkdir()
        programs.append(Program(tmp_path / name).in_process())
        programs[-1].init()
    full, seen = programs
    expected = reviews(seen, without="bob/")
    assert "confidence 0.50 → 0.90" in expected["text"]
    assert reviews(full) == expected
    assert "bob" not in "".join(expected.values())
    with pytest.MonkeyPatch.context() as patched:
        for name, gone in FILTER.items():
            patched.setattr(VaultView, name, gone)
        leaks = reviews(full)
    assert all(leaks[form] != expected[form] for form in FORMS)
    assert [part for part, items in json.loads(leaks["json"]).items() if "bob/" in json.dumps(items)] == [
        "added", "changed", "removed", "moved", "numbers", "conflicts", "sight", "findings",
    ]  # fmt: skip


def test_a_memory_that_is_given_away_is_told_by_what_one_saw_of_it(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.init()
    path = program.vault / "tea.md"
    path.write_bytes(memory_text("Tea is hot.\n", id="m_tea0000001", title="Tea"))
    program.git("add", "-A")
    program.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "mine")
    path.write_bytes(memory_text("Bob's secret.\n", id="m_tea0000001", title="Quetzalcoatl", owner="human:bob"))
    program.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "his")
    for base, head, said in (("HEAD~1", "HEAD", "you can no longer see it"), ("HEAD", "HEAD~1", "not see it before")):
        done = program.run("review", head, "--against", base)
        assert done.returncode == 0
        assert f"  Tea  note:m_tea0000001  tea.md\n    {'you could ' if head != 'HEAD' else ''}{said}" in done.stdout
        assert "Quetzalcoatl" not in done.stdout
        assert "human:bob can no longer see" in done.stdout or "human:bob can now see" in done.stdout
