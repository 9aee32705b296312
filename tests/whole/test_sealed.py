"""Sealed memories: used like others by whoever has a key, not there for anybody else, and never lost."""

from __future__ import annotations

import re
import shutil
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from memstore.beliefs.graduate import graduate
from memstore.beliefs.pool import gather
from memstore.files.age_file import is_sealed, recipients
from tests.canary import planted_in
from tests.installed import validated
from tests.memory_workspace import memory_workspace
from tests.support import Reversing, memory_text, reversed_as_sealed
from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.memory_vault import MemoryVault

pytestmark = pytest.mark.soak(15, together=True)

ANN, BOB, CAT = "human:ann", "human:bob", "human:cat"
CANARY, TITLE = "quetzalcoatlus", "Under the stairs"
PLAIN = f"The {CANARY} key lies under the third stair.\n"


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with SSH keys by name; `locked` needs a passphrase."""
    folder = tmp_path_factory.mktemp("keys")
    for name, phrase in (("ann", ""), ("bob", ""), ("cat", ""), ("locked", "correct horse")):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-C", name, "-f", str(folder / name)]
        subprocess.run(words, check=True)
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, keys: Path) -> Path:
    """Return a home with a vault: one memory for Ann and Bob, one for Ann alone, one for Cat."""
    home = tmp_path_factory.mktemp("ann")
    ann = InProcess(home)
    ann.vault.mkdir()
    ann.git("init", "-q")
    ann.ok("init", ".", "--owner", ANN)
    ann.ok("trust", "keys", "init", str(keys / "ann"))
    ann.ok("trust", "keys", "add", BOB, str(keys / "bob.pub"), "-c")
    note = ann.json("add", PLAIN, "--title", TITLE, "--tag", "house")["path"]
    ann.ok("privacy", "grant", note, "--to", BOB)
    ann.ok("add", "Tea at four.", "--title", "Tea", "--access", CAT)
    ann.ok("commit")
    return home


@pytest.fixture
def ann(made: Path, tmp_path: Path) -> InProcess:
    home = tmp_path / "ann"
    shutil.copytree(made, home, symlinks=True)
    return InProcess(home)


def clone_of(ann: Program, home: Path, key: Path | None, entity: str) -> InProcess:
    """Return somebody else's clone, on another machine as it were."""
    home.mkdir()
    other = InProcess(home)
    subprocess.run(["git", "clone", "-q", str(ann.vault), str(other.vault)], check=True, env=other.environment)
    other.vault.exists()
    other.ok("config", "--user", "entity", entity)
    if key:
        other.ok("config", "--user", "signing_key", str(key))
    return other


@pytest.fixture
def bob(ann: InProcess, keys: Path, tmp_path: Path) -> InProcess:
    """Return Bob's clone of the vault in which the memory is sealed."""
    ann.ok("privacy", "seal", memory(ann), "-c")
    return clone_of(ann, tmp_path / "bob", keys / "bob", BOB)


def memory(program: Program) -> str:
    """Return the id of the memory under the stairs."""
    return next(str(one["id"]) for one in program.json("list")["memories"] if one["title"] == TITLE)


def sealed_file(program: Program) -> Path:
    (found,) = program.vault.rglob("*.md.age")
    return found


def everything_of(folder: Path) -> Iterator[tuple[Path, bytes]]:
    for place in folder.rglob("*"):
        if place.is_file() and not place.is_symlink():
            yield place, place.read_bytes()


def findings(program: Program, *words: str) -> set[tuple[str, str]]:
    done = program.run("--json", "check", *words)
    document = validated(done.stdout)
    return {(one["path"], one["code"]) for one in (*document["findings"], *document["notices"])}


# -- seal and unseal ---------------------------------------------------------------------------------


def test_a_sealed_memory_is_used_like_any_other_and_comes_back_byte_for_byte(ann: InProcess) -> None:
    name = memory(ann)
    (plain,) = ann.vault.glob("notes/*/under-*.md")
    before = plain.read_bytes()
    done = ann.run("--json", "privacy", "seal", name)
    assert done.returncode == 0, done.stderr
    document = validated(done.stdout)
    assert document["sealed"][0]["readers"] == [ANN, BOB]
    assert document["sealed"][0]["in_history"]
    place = sealed_file(ann)
    assert place.parent == plain.parent
    assert place.name.removesuffix(".md.age") in name
    assert not plain.exists()
    assert is_sealed(place.read_bytes())
    assert len(recipients(place.read_bytes()).tags) == 2
    assert ann.found(CANARY) == {str(place.relative_to(ann.vault))}
    assert CANARY in ann.ok("show", name)
    for words in (
        ("why", name),
        ("trace", name),
        ("links", name),
        ("log", name),
        ("show", "--path", name),
        ("list", "--stats"),
    ):
        ann.ok(*words)
    assert {code for _, code in findings(ann)} <= {"level-held-back"}
    validated(ann.ok("--json", "privacy", "unseal", name))
    back = place.with_name(place.name.removesuffix(".age"))
    assert back.read_bytes() == before
    assert not place.exists()
    ann.ok("undo")
    assert is_sealed(place.read_bytes())
    assert not back.exists()


def test_a_dry_run_writes_nothing_and_an_undone_seal_leaves_the_file_as_it_was(ann: InProcess) -> None:
    name = memory(ann)
    before = {path: data for path, data in everything_of(ann.vault) if ".git" not in path.parts}
    told = ann.run("privacy", "seal", name, "--dry-run")
    assert f"would be sealed for {ANN}, {BOB}" in told.stdout
    assert "commits still have the plain text" in told.stderr
    assert before == {path: data for path, data in everything_of(ann.vault) if ".git" not in path.parts}
    ann.ok("privacy", "seal", name)
    shown = ann.ok("undo", "--dry-run")
    assert all(line.isprintable() for line in shown.splitlines())
    assert "age-encryption" not in shown
    said = [line[1:] for line in shown.splitlines() if CANARY in line]
    assert [line[0] for line in shown.splitlines() if CANARY in line] == ["+", "-"]
    assert len({*said}) == 1
    assert ann.json("undo", "--dry-run")["diff"].splitlines() == shown.splitlines()
    ann.ok("undo")
    after = {path: data for path, data in everything_of(ann.vault) if not {".git", "audit"} & {*path.parts}}
    assert after == {path: data for path, data in before.items() if "audit" not in path.parts}


def test_of_what_no_key_opens_an_undo_shows_that_it_is_sealed(ann: InProcess, tmp_path: Path) -> None:
    name = memory(ann)
    ann.ok("privacy", "seal", name)
    sealed = sealed_file(ann).relative_to(ann.vault).as_posix()
    ann.ok("config", "--user", "signing_key", str(tmp_path / "none"))
    shown = ann.run("undo", "--dry-run").stdout
    assert f"-{sealed} is sealed, and no key here opens it" in shown
    assert "age-encryption" not in shown


def test_what_was_judged_of_a_memory_does_not_stay_in_plain_text_when_it_is_sealed(ann: InProcess) -> None:
    one, other = (ann.json("add", f"{CANARY} {text}")["ref"] for text in ("sleeps.", "wakes."))
    ann.ok("conflicts", "judge", one, other, "contradicts", "--reason", f"a {CANARY} is either")
    ann.ok("privacy", "seal", one)
    assert not [*ann.vault.glob(".memstore/verdicts/*/*.md")]
    assert "verdicts" not in ann.json("why", other)
    ann.ok("undo")
    assert [*ann.vault.glob(".memstore/verdicts/*/*.md")]


def test_a_tombstone_is_not_sealed(ann: InProcess) -> None:
    name = memory(ann)
    ann.ok("forget", name)
    done = ann.run("privacy", "seal", name)
    assert (done.returncode, "was forgotten: nothing is left to seal" in done.stderr) == (4, True)
    assert not [*ann.vault.rglob("*.age")]


def test_a_memory_for_everybody_or_for_somebody_without_a_key_is_not_sealed(ann: InProcess, keys: Path) -> None:
    tea = next(one["id"] for one in ann.json("list")["memories"] if one["title"] == "Tea")
    refused = ann.run("privacy", "seal", tea)
    assert refused.returncode == 4
    assert f"{CAT} has no ssh-ed25519 key" in refused.stderr
    assert f"memstore trust keys add {CAT}" in refused.stderr
    assert not [*ann.vault.rglob("*.age")]
    name = memory(ann)
    ann.ok("privacy", "grant", name, "--to", "*")
    assert "everybody may see it" in ann.run("privacy", "seal", name).stderr
    ann.ok("trust", "keys", "add", CAT, str(keys / "cat.pub"), "-c")
    ann.ok("privacy", "seal", tea)


def test_without_the_library_the_error_says_how_to_get_it(ann: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    name = memory(ann)
    monkeypatch.setitem(__import__("sys").modules, "pyrage", None)
    done = ann.run("privacy", "seal", name)
    assert done.returncode == 5
    assert "pip install 'memstore-vault[seal]'" in done.stderr
    assert "Traceback" not in done.stderr
    assert CANARY in ann.ok("show", name)


@pytest.mark.parametrize("own_id", ["", "stairs"])
def test_what_an_editor_left_of_a_sealed_memory_is_told(ann: InProcess, own_id: str) -> None:
    name = own_id or memory(ann)
    if own_id:
        (ann.vault / "own.md").write_bytes(memory_text(PLAIN, id=own_id, owner=ANN))
        ann.ok("commit")
    ann.ok("privacy", "seal", name)
    cut_off = 'chmod +w "$1"; echo more >> "$1"; exit 1'
    ann.run("edit", name, EDITOR=f"sh -c '{cut_off}' -")
    (draft,) = ann.home.rglob("drafts/*.md")
    plain = draft.read_bytes().removesuffix(b"more\n")
    assert CANARY.encode() in plain
    told = f"{draft} is a draft that an editor left, and is the plain text of "
    for fix in ((), ("--fix",)):  # what was written there is nowhere else
        assert told in ann.run("doctor", *fix).stdout
    draft.write_bytes(plain)
    assert told in ann.run("doctor").stdout
    assert f"deleted {draft}" in ann.run("doctor", "--fix").stdout
    assert not draft.exists()


# -- for whoever has a key ---------------------------------------------------------------------------


def test_whoever_it_is_granted_to_reads_it_and_it_is_not_there_for_anybody_else(
    ann: InProcess, bob: InProcess, keys: Path, tmp_path: Path
) -> None:
    name = memory(ann)
    assert bob.found(CANARY)
    assert CANARY in bob.ok("show", name)
    for key, entity in ((None, BOB), (keys / "cat", BOB), (keys / "locked", BOB), (None, ANN), (keys / "cat", CAT)):
        other = clone_of(ann, tmp_path / f"{key and key.name}-{entity[6:]}", key, entity)
        unknown = other.run("show", "m_0000000000")
        hidden = other.run("show", name)
        assert (hidden.returncode, hidden.stdout) == (unknown.returncode, unknown.stdout)
        assert hidden.stderr.replace(name, "m_0000000000") == unknown.stderr
        assert not other.found(CANARY)
        assert name not in other.ok("list", "--json")
        said = other.ok("--json", "status")
        assert name not in said
        assert validated(said)["sealed"] == (1 if entity == ANN else 0)
        cached = [path for path, data in everything_of(other.home) if CANARY.encode() in data.lower()]
        assert not [path for path in cached if ".git" not in path.parts]


LOOKS = (
    ("list", "--status", "all", "--json"), ("search", CANARY), ("search", "tea key stair", "--json"),
    ("list", "--stats", "--json"), ("recall", "where is the key"), ("conflicts",), ("check", "orphans", "--json"),
    ("links", "TEA"),
    ("trace", "TEA"), ("show", "TEA", "--json"), ("why", "TEA"), ("privacy", "audit"), ("show", "--path", TITLE),
    ("export", "memory-v0.1", "--all"), ("beliefs", "suggestions"), ("trust", "TEA"), ("show", "SEALED"),
    ("edit", "SEALED", "x"),
    ("list", "tag:house"),
)  # fmt: skip


# What is exported says when.
NOW = re.compile(rf"{datetime.now(UTC).year}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@pytest.mark.parametrize("entity", [ANN, CAT])
def test_without_a_key_everything_answers_as_if_the_file_were_not_there(
    ann: InProcess, bob: InProcess, tmp_path: Path, entity: str
) -> None:
    other = clone_of(ann, tmp_path / "there", None, entity)
    tea = next(str(one["id"]) for one in ann.json("list")["memories"] if one["title"] == "Tea")
    sealed = sealed_file(other)
    names = {"TEA": tea, "SEALED": str(sealed.relative_to(other.vault))}

    def answers() -> list[tuple[int, str, str]]:
        done = (other.run(*(names.get(word, word) for word in words), MEMSTORE_NO_USAGE="1") for words in LOOKS)
        return [(one.returncode, NOW.sub("now", one.stdout), one.stderr) for one in done]

    there = answers()
    sealed.unlink()
    assert there == answers()
    assert any(tea in out for _, out, _ in there)


def test_the_text_lies_only_in_the_holders_own_cache_and_git_has_none_of_it(ann: InProcess) -> None:
    ref = ann.json("add", f"A second {CANARY} is in the attic.", "--title", "Attic")["ref"]
    ann.ok("privacy", "seal", ref.partition(":")[2])
    ann.ok("commit")
    ann.found(CANARY)
    ann.ok("edit", ref.partition(":")[2], f"The second {CANARY} moved to the cellar.", "-c")
    assert "Attic" not in ann.git("log", "--format=%B", "-2")
    listed = ann.git("ls-files").split()
    assert not [path for path in listed if b"attic" in (ann.vault / path).read_bytes().lower()]
    cached = [path for path, data in everything_of(ann.home / "cache") if b"attic" in data.lower()]
    assert cached
    for path in cached:
        folder = next(up for up in path.parents if up.parent.name == "memstore")
        assert not stat.S_IMODE(folder.stat().st_mode) & 0o077


def test_another_key_in_the_same_cache_sees_nothing_of_what_the_first_one_opened(ann: InProcess, keys: Path) -> None:
    ann.ok("privacy", "seal", memory(ann))
    ann.ok("index", "rebuild")
    assert ann.found(CANARY)
    ann.ok("config", "--user", "signing_key", str(keys / "cat"))
    assert not ann.found(CANARY)
    assert not [path for path, data in everything_of(ann.home / "cache") if CANARY.encode() in data]
    ann.ok("config", "--user", "signing_key", str(keys / "ann"))
    assert ann.found(CANARY)


def test_a_change_is_sealed_for_whoever_may_see_it_by_then(ann: InProcess, bob: InProcess, keys: Path) -> None:
    name = memory(ann)
    ann.ok("edit", name, f"The {CANARY} key was moved.", "-c")
    ann.ok("set", name, "importance=high", "-c")
    ann.ok("tag", name, "keys", "-c")
    bob.git("pull", "-q")
    assert "was moved" in bob.ok("show", name)
    done = ann.run("privacy", "revoke", name, "--from", BOB, "-c")
    assert "copies that they had before stay readable" in done.stderr
    assert len(recipients(sealed_file(ann).read_bytes()).tags) == 1
    bob.git("pull", "-q")
    assert not bob.found(CANARY)
    refused = ann.run("privacy", "grant", name, "--to", CAT)
    assert refused.returncode == 4
    assert f"memstore trust keys add {CAT}" in refused.stderr
    ann.ok("trust", "keys", "add", CAT, str(keys / "cat.pub"), "-c")
    ann.ok("privacy", "grant", name, "--to", CAT, "-c")
    assert len(recipients(sealed_file(ann).read_bytes()).tags) == 2


def test_a_plain_memory_made_from_a_sealed_one_is_warned_of(ann: InProcess) -> None:
    name = memory(ann)
    ann.ok("privacy", "seal", name)
    for words in (("add", "The stair creaks.", "--derived-from", f"note:{name}"), ("supersede", name, "It is gone.")):
        assert "sealed-source" in ann.run(*words).stderr
    assert "sealed-source" not in ann.run("add", "Tea again.").stderr


BY_FUNCTIONS = """
import memstore

with memstore.open_vault(".") as vault:
    (note,) = vault.list(tag="house")
    planned = vault.access.seal(note, dry_run=True)
    sealed = vault.access.seal([note], commit=True)
    assert planned.commit is None and planned.memories[0].readers == sealed.memories[0].readers
    print(sealed.commit is not None, *sealed.memories[0].readers, sealed.memories[0].path.endswith(".md.age"))
    print(vault.search("third stair")[0].title, vault.access.unseal(sealed.memories[0].ref).memories[0].was)
"""


def test_programs_seal_and_unseal(ann: InProcess) -> None:
    command = [sys.executable, "-c", BY_FUNCTIONS]
    done = subprocess.run(command, cwd=ann.vault, env=ann.environment, capture_output=True, text=True, check=False)
    assert (done.stdout.count(f"{TITLE} notes/2026/"), done.stderr) == (1, "")
    assert done.stdout.startswith(f"True {ANN} {BOB} True\n")
    assert CANARY in ann.ok("show", TITLE)


def test_a_vault_without_git_seals_too(tmp_path: Path, keys: Path) -> None:
    ann = InProcess(tmp_path)
    ann.vault.mkdir()
    ann.ok("init", ".", "--owner", ANN)
    shutil.rmtree(ann.vault / ".git")
    ann.ok("config", "--user", "signing_key", str(keys / "ann"))
    ann.ok("trust", "keys", "add", ANN, str(keys / "ann.pub"))
    ref = ann.json("add", PLAIN, "--title", TITLE)["ref"].partition(":")[2]
    before = {path: data for path, data in everything_of(ann.vault) if "audit" not in path.parts}
    ann.ok("privacy", "seal", ref)
    assert ann.found(CANARY)
    ann.ok("privacy", "unseal", ref)
    ann.ok("undo")
    ann.ok("privacy", "unseal", ref)
    after = {path: data for path, data in everything_of(ann.vault) if "audit" not in path.parts}
    assert sorted(after.values()) == sorted(before.values())


def test_a_moved_sealed_file_keeps_its_bytes_and_its_ending(ann: InProcess) -> None:
    name = memory(ann)
    ann.ok("privacy", "seal", name, "-c")
    stored = sealed_file(ann).read_bytes()
    ann.ok("mv", name, "house/", "-c")
    assert sealed_file(ann).parent.name == "house"
    assert sealed_file(ann).read_bytes() == stored
    assert "mv keeps the ending" in ann.run("mv", name, "house/stairs.md").stderr
    assert CANARY in ann.ok("show", name)


def test_check_says_who_can_open_it_and_may_not_and_who_may_and_can_not(ann: InProcess, keys: Path) -> None:
    name = memory(ann)
    ann.ok("privacy", "group", "add", "group:family", BOB)
    ann.ok("privacy", "revoke", name, "--from", BOB)
    ann.ok("privacy", "grant", name, "--to", "group:family")
    ann.ok("privacy", "seal", name)
    path = str(sealed_file(ann).relative_to(ann.vault))
    ann.ok("trust", "keys", "add", CAT, str(keys / "cat.pub"), "-c")
    ann.ok("privacy", "group", "add", "group:family", CAT) if ann.run(
        "privacy", "group", "join", "group:family", CAT
    ).returncode else None
    assert (path, "sealed-narrower") in findings(ann)
    ann.ok("privacy", "seal", name)
    assert path not in {path for path, code in findings(ann) if code.startswith("sealed")}
    ann.ok("trust", "keys", "revoke", CAT, "-c")
    assert (path, "sealed-wider") in findings(ann)


def test_nothing_of_a_sealed_memory_goes_into_suggestions_or_pages_of_its_own_accord() -> None:
    old = {"importance": "pinned", "confidence": "0.99", "created_at": '"2020-01-01T00:00:00Z"'}
    open_files = {
        f"{kind}.md": memory_text("Bella likes tea.\n", id=f"m_{kind}00001", type=kind, **old)
        for kind in ("belief", "note")
    }
    ws = memory_workspace(open_files)
    vault = cast("MemoryVault", ws.vault)
    vault.opener = Reversing()
    for kind in ("belief", "note"):
        text = memory_text(PLAIN, id=f"m_sealed{kind}", type=kind, **old)
        vault.create(f"{kind}s/seal.md.age", reversed_as_sealed(text))
    assert len([*ws.view().memories()]) == 4
    assert [*gather(ws.view(), until="2030-01-01T00:00:00Z").files] == ["belief:m_belief00001"]
    pages = "".join(page.diff for page in graduate(ws.view(), dry_run=True))
    assert "m_note00001" in pages
    assert "m_sealed" not in pages


def test_after_a_rotation_the_old_key_opens_until_all_is_sealed_anew(ann: InProcess, keys: Path) -> None:
    name = memory(ann)
    ann.ok("privacy", "seal", name, "-c")
    ann.ok("trust", "keys", "rotate", ANN, str(keys / "cat"), "-c")
    ann.ok("config", "--user", "signing_key", str(keys / "cat"))
    assert not ann.found(CANARY)
    former = ann.home / "config/memstore/sealing-keys/former"
    former.parent.mkdir()
    shutil.copy(keys / "ann", former)
    assert ann.found(CANARY)
    path = str(sealed_file(ann).relative_to(ann.vault))
    assert {(path, "sealed-wider"), (path, "sealed-narrower")} <= findings(ann)
    ann.ok("privacy", "seal", name, "-c")
    former.unlink()
    assert ann.found(CANARY)
    assert not [one for one in findings(ann) if one[1].startswith("sealed")]


def test_each_key_of_a_person_opens_what_is_sealed_for_them(
    ann: InProcess, bob: InProcess, keys: Path, tmp_path: Path
) -> None:
    name = memory(ann)
    laptop = keys / "cat"  # nobody else's in this vault
    path = str(sealed_file(ann).relative_to(ann.vault))
    before = sealed_file(ann).read_bytes()
    ann.ok("trust", "keys", "add", BOB, f"{laptop}.pub", "-c")
    assert not clone_of(ann, tmp_path / "early", laptop, BOB).found(CANARY)
    assert not [one for one in findings(ann) if one[1].startswith("sealed")]  # Bob can open it, with one of his keys
    ann.ok("privacy", "seal", name, "-c")
    assert len(recipients(sealed_file(ann).read_bytes()).tags) == len(recipients(before).tags) + 1
    assert clone_of(ann, tmp_path / "laptop", laptop, BOB).found(CANARY)
    bob.git("pull", "-q")
    assert bob.found(CANARY)
    *_, newest = (one["fingerprint"] for one in ann.json("trust", "keys", "list")["keys"] if BOB in one["entities"])
    ann.ok("trust", "keys", "revoke", newest, "-c")
    assert (path, "sealed-wider") in findings(ann)
    ann.ok("privacy", "seal", name, "-c")
    assert not clone_of(ann, tmp_path / "lost", laptop, BOB).found(CANARY)
    bob.git("pull", "-q")
    assert bob.found(CANARY)


# -- what goes wrong ---------------------------------------------------------------------------------


def damaged(data: bytes) -> dict[str, bytes]:
    return {
        "cut off": data[:-20],
        "cut in its header": data[:60],
        "a flipped bit": data[:-5] + bytes([data[-5] ^ 1]) + data[-4:],
        "a flipped bit in its header": data.replace(b"\n--- ", b"\n--- A", 1),
        "empty": b"",
        "plain text": b"---\ntype: note\nid: m_7f3k9q2x1c\n---\n\nNo secret.\n",
        "noise": bytes(range(256)) * 4,
    }


@pytest.mark.soak(2)
@pytest.mark.parametrize("how", damaged(b"x" * 200))
def test_a_damaged_file_is_a_finding_and_all_else_goes_on(ann: InProcess, how: str) -> None:
    name = memory(ann)
    ann.ok("privacy", "seal", name, "-c")
    place = sealed_file(ann)
    whole = place.read_bytes()
    place.write_bytes(damaged(whole)[how])
    path = str(place.relative_to(ann.vault))
    assert (path, "sealed-damaged") in findings(ann)
    assert "Traceback" not in ann.run("check").stderr
    assert ann.found("tea")
    assert not ann.found(CANARY)
    assert ann.run("show", name).returncode == 3
    ann.git("add", "-A")
    assert (path, "sealed-damaged") in findings(ann, "--staged")
    ann.git("checkout", "HEAD", "--", path)
    assert place.read_bytes() == whole
    assert CANARY in ann.ok("show", name)


def test_a_sealed_file_that_was_renamed_or_holds_another_memory_is_found(ann: InProcess) -> None:
    name = memory(ann)
    ann.ok("privacy", "seal", name)
    place = sealed_file(ann)
    other = place.with_name("stairs.md.age")
    place.rename(other)
    assert (str(other.relative_to(ann.vault)), "sealed-name") in findings(ann)
    assert CANARY in ann.ok("show", name)
    tea = next(one["id"] for one in ann.json("list")["memories"] if one["title"] == "Tea")
    ann.ok("privacy", "revoke", tea, "--from", CAT)
    ann.ok("privacy", "seal", tea)
    second = next(one for one in ann.vault.rglob("*.md.age") if one != other)
    second.write_bytes(other.read_bytes())
    codes = {code for path, code in findings(ann) if path == str(second.relative_to(ann.vault))}
    assert {"sealed-name", "id-duplicate"} <= codes


def test_a_sealed_file_and_a_version_in_plain_text_are_told_to_be_one_memory(ann: InProcess) -> None:
    name = memory(ann)
    plain = ann.vault / ann.json("show", name)["path"]
    before = plain.read_bytes()
    ann.ok("privacy", "seal", name, "-c")
    plain.write_bytes(before)  # as after a merge of a branch that changed it before it was sealed there
    sealed = str(sealed_file(ann).relative_to(ann.vault))
    for words in (("check",), ("check", "--staged")):
        ann.git("add", "-A")
        told = ann.run(*words).stdout
        assert "[id-duplicate]" in told
        assert f"compare them with memstore show {sealed}" in told
        assert "adopt" not in told


def test_a_sealed_file_that_lost_its_ending_is_no_note_and_is_not_committed(ann: InProcess) -> None:
    name = memory(ann)
    ann.ok("privacy", "seal", name, "-c")
    place = sealed_file(ann)
    renamed = place.rename(place.with_name("stairs.md"))
    path = str(renamed.relative_to(ann.vault))
    assert (path, "sealed-damaged") in findings(ann)
    assert "stairs.md.age" in ann.run("check").stdout
    assert path not in [one["path"] for one in ann.json("list")["memories"]]
    ann.git("add", "-A")
    assert ann.run("check", "--staged").returncode == 1
    ann.git("mv", path, f"{path}.age")
    assert CANARY in ann.ok("show", name)


def test_a_sealed_file_that_lost_half_of_its_ending_is_told_and_not_committed(ann: InProcess) -> None:
    name = memory(ann)
    ann.ok("privacy", "seal", name, "-c")
    place = sealed_file(ann)
    other = place.with_name("stairs.age")
    other.write_bytes(b"somebody else's file")
    renamed = place.rename(place.with_name(place.name.replace(".md.age", ".age")))
    path, was = (str(one.relative_to(ann.vault)) for one in (renamed, place))
    assert (path, "sealed-damaged") in findings(ann)
    assert f"git mv {path} {was}" in ann.run("check").stdout
    assert ann.json("status")["broken"] == [path]
    ann.git("add", "-A")
    assert (path, "sealed-damaged") in findings(ann, "--staged")
    assert (path, "sealed-damaged") in findings(ann)
    ann.git("mv", path, was)
    assert CANARY in ann.ok("show", name)
    assert ann.json("status")["broken"] == []


def test_a_plain_copy_beside_a_sealed_file_is_found_and_not_committed(ann: InProcess) -> None:
    name = memory(ann)
    ann.ok("privacy", "seal", name, "-c")
    copy = sealed_file(ann).with_suffix("")
    copy.write_bytes(b"---\ntype: note\nid: " + name.encode() + b"\n---\n\n" + PLAIN.encode())
    path = str(copy.relative_to(ann.vault))
    assert (path, "sealed-beside-plain") in findings(ann)
    ann.git("add", "-A")
    assert (path, "sealed-beside-plain") in findings(ann, "--staged")


def test_without_a_key_a_staged_file_passes_unless_it_is_for_more_keys(
    ann: InProcess, bob: InProcess, keys: Path, tmp_path: Path
) -> None:
    name = memory(ann)
    cat = clone_of(ann, tmp_path / "cat", None, ANN)
    ann.ok("edit", name, f"The {CANARY} key is gone.", "-c")
    shutil.copy(sealed_file(ann), sealed_file(cat))
    cat.git("add", "-A")
    assert not [one for one in findings(cat, "--staged") if "sealed" in one[1]]
    ann.ok("trust", "keys", "add", CAT, str(keys / "cat.pub"), "-c")
    ann.ok("privacy", "grant", name, "--to", CAT, "-c")
    shutil.copy(sealed_file(ann), sealed_file(cat))
    cat.git("add", "-A")
    path = str(sealed_file(cat).relative_to(cat.vault))
    assert (path, "sealed-wider") in findings(cat, "--staged")
    sealed_file(cat).write_bytes(sealed_file(cat).read_bytes()[:100])
    cat.ok("hooks", "install")
    for code in ("sealed-wider", "sealed-damaged"):
        said = cat.attempt_git("commit", "-qm", "x").stderr
        assert f"{path}:1:1: error: " in said
        assert f"[{code}]" in said
        assert not [one for one in (ANN, BOB, CAT, name, TITLE, CANARY) if one in said]
        cat.git("add", "-A")


def test_a_key_with_a_passphrase_or_a_lost_one_can_not_seal_and_nothing_is_written(ann: InProcess, keys: Path) -> None:
    name = memory(ann)
    for key in ("locked", "cat", "none"):
        ann.ok("config", "--user", "signing_key", str(keys / key))
        refused = ann.run("privacy", "seal", name)
        assert refused.returncode == 5, refused.stderr
        assert "nothing was written" in refused.stderr
        assert "Traceback" not in refused.stderr
        assert not [*ann.vault.rglob("*.age")]


def test_the_key_of_an_agent_opens_what_is_sealed_for_it(tmp_path: Path, keys: Path) -> None:
    ann = InProcess(tmp_path)
    ann.vault.mkdir()
    ann.git("init", "-q")
    ann.ok("init", ".", "--owner", "si:ash")
    ann.ok("trust", "keys", "add", "si:ash", str(keys / "bob.pub"), "-c")
    ann.ok("config", "--user", "signing_keys.si:ash", str(keys / "bob"))
    made = ann.json("--as", "si:ash", "--self", "add", PLAIN, "--title", TITLE)["ref"]
    ann.ok("--as", "si:ash", "--self", "privacy", "seal", made, "-c")
    for named in (None, keys / "ann"):  # whether or not the person has a key of their own
        if named:
            ann.ok("config", "--user", "signing_key", str(named))
        assert CANARY in ann.ok("--as", "si:ash", "--self", "show", made)
        assert ann.json("--as", "si:ash", "--self", "search", CANARY)["total"] == 1


def test_check_says_what_is_wrong_with_the_key_that_opens_nothing(ann: InProcess) -> None:
    ann.ok("privacy", "seal", memory(ann))
    ann.ok("config", "--user", "signing_key", str(ann.home / "nowhere"))
    told = ann.run("check").stdout
    assert "[sealed-unread]" in told
    assert f"your settings name the key {ann.home / 'nowhere'}, which can't be read: No such file" in told


def test_in_a_mixed_vault_encrypted_files_of_others_are_left_alone(tmp_path: Path, keys: Path) -> None:
    ann = InProcess(tmp_path)
    ann.vault.mkdir()
    ann.git("init", "-q")
    armoured = ann.vault / "diary.md.age"
    armoured.write_text("-----BEGIN AGE ENCRYPTED FILE-----\nabc\n-----END AGE ENCRYPTED FILE-----\n")
    (ann.vault / "diary.md").write_text("# Diary\n\nNothing yet.\n")
    ann.ok("init", ".", "--owner", ANN)
    ann.ok("hooks", "install")
    ann.ok("trust", "keys", "init", str(keys / "ann"))
    ann.git("add", "-A")
    ann.git("commit", "-q", "-m", "Notes of another program")
    assert not [one for one in findings(ann) if one[1].startswith("sealed") and one[1] != "sealed-unread"]
    ref = ann.json("add", PLAIN, "--title", TITLE)["ref"].partition(":")[2]
    ann.ok("privacy", "seal", ref, "-c")
    assert ann.found(CANARY)
    assert ann.json("status")["sealed"] == 1
    assert ann.found("diary") == {"diary.md"}


def test_a_witness_may_write_into_a_sealed_memory_that_they_can_open(ann: InProcess, bob: InProcess) -> None:
    name = memory(ann)
    bob.ok("trust", "witness", name, "--attest", "confirm", "-c")
    ann.git("pull", "-q", str(bob.vault), "main")
    assert BOB in ann.ok("trust", name)
    assert len(recipients(sealed_file(ann).read_bytes()).tags) == 2


def test_a_forgotten_sealed_memory_leaves_no_sealed_version_in_a_purged_clone(ann: InProcess, tmp_path: Path) -> None:
    name = memory(ann)
    ann.ok("privacy", "seal", name, "-c")
    ann.ok("edit", name, f"The {CANARY} key was moved.", "-c")
    ann.ok("forget", name, "-c")
    assert not [*ann.vault.rglob("*.md.age")]
    assert not [path for path, data in everything_of(ann.vault / ".git/memstore") if CANARY.encode() in data]
    done = validated(ann.ok("--json", "forget", name, "--purge", str(tmp_path / "clean")))
    assert done["removed"] >= 3
    assert done["still"] == []
    objects = ["git", "cat-file", "--batch-all-objects", "--batch"]
    told = subprocess.run(objects, cwd=tmp_path / "clean", env=ann.environment, capture_output=True, check=True).stdout
    assert b"age-encryption.org" not in told
    assert CANARY.encode() not in told


@pytest.mark.parametrize("context", [None, "ctx:care"])
def test_the_plain_text_from_before_sealing_is_nowhere_in_a_purged_clone(
    ann: InProcess, tmp_path: Path, context: str | None
) -> None:
    name = memory(ann)
    ann.ok("edit", name, f"The {CANARY} key was moved.", "-c")
    (ann.vault / "MEMORY.md").write_text(f"- The {CANARY} key [[note:{name}]]\n- Tea [[note:m_tea0000000]]\n")
    ann.git("add", "-A")
    ann.git("commit", "-qm", f"wip: {TITLE}: The {CANARY} key was moved.", "--no-verify")
    ann.git("tag", "-a", "v1", "-m", f"The {CANARY} key was moved.")
    ann.git("branch", "side")
    request = ann.json("privacy", "consent", "request", "--from", BOB, "--to", CAT, "--scope", f"mem:{name}")["path"]
    ann.ok("commit")
    clean = tmp_path / "clean"
    not_yet = ann.run("forget", name, "--purge", str(clean))
    assert (not_yet.returncode, f"memstore privacy seal {name} -c" in not_yet.stderr) == (4, True)
    other = ann.json("add", f"A {CANARY} to be forgotten.", "-c")["ref"].partition(":")[2]
    if context:
        ann.ok("context", "add", context, "--roster", ANN, BOB, "-c")
    done = ann.run("privacy", "seal", name, *(["--context", context] if context else []))
    assert f"memstore forget {name} --purge DIR writes a clone without it" in done.stderr
    assert "not committed yet" in ann.run("forget", name, "--purge", str(clean)).stderr
    ann.ok("forget", other)
    ann.ok("commit")
    ann.ok("edit", name, f"The {CANARY} key is back.", "-c")
    refused = ann.run("forget", name, "--purge", str(clean))
    assert (refused.returncode, "the branch side has a memory in plain text" in refused.stderr) == (4, True)
    assert not clean.exists()
    ann.git("branch", "-D", "side")
    before = ann.git("for-each-ref")

    document = validated(ann.ok("--json", "forget", name, other, "--purge", str(clean)))
    assert document["still"] == []
    assert planted_in(clean, CANARY) == []
    objects = ["git", "cat-file", "--batch-all-objects", "--batch"]
    told = subprocess.run(objects, cwd=clean, env=ann.environment, capture_output=True, check=True).stdout
    assert CANARY.encode() not in told
    assert TITLE.encode() not in told
    assert told.count(b"age-encryption.org") == 2  # both sealed versions
    assert (clean / request).exists()
    assert ann.git("for-each-ref") == before  # the original is only read

    assert f"The {CANARY} key is back." in ann.ok("show", name, cwd=clean)
    assert f"The {CANARY} key was moved." in ann.ok("show", name, "--at", "HEAD~1", cwd=clean)
    assert name in ann.ok("search", CANARY, "--json", cwd=clean)
    assert planted_in(clean, CANARY) == []  # what the search indexed is in the holder's own cache
    ann.ok("check", cwd=clean)


# -- git ---------------------------------------------------------------------------------------------


@pytest.fixture
def branches(ann: InProcess) -> tuple[InProcess, str]:
    name = memory(ann)
    ann.ok("hooks", "install")
    ann.ok("privacy", "seal", name)
    ann.ok("commit")
    ann.git("checkout", "-q", "-b", "other")
    ann.ok("tag", name, "theirs", "-c")
    ann.git("checkout", "-q", "main")
    return ann, name


def test_two_sealed_versions_are_merged_for_whoever_holds_a_key(branches: tuple[InProcess, str]) -> None:
    ann, name = branches
    ann.ok("edit", name, f"The {CANARY} key is ours.", "-c")
    ann.git("merge", "-q", "-m", "Merge", "other")
    assert is_sealed(sealed_file(ann).read_bytes())
    shown = ann.ok("show", name)
    assert "is ours" in shown
    assert "theirs" in shown
    assert len(recipients(sealed_file(ann).read_bytes()).tags) == 2


def test_a_conflict_of_sealed_versions_keeps_both(branches: tuple[InProcess, str]) -> None:
    ann, name = branches
    ann.git("checkout", "-q", "other")
    ann.ok("edit", name, f"The {CANARY} key is theirs.", "-c")
    ann.git("checkout", "-q", "main")
    ann.ok("edit", name, f"The {CANARY} key is ours.", "-c")
    done = ann.attempt_git("merge", "-q", "-m", "Merge", "other")
    assert done.returncode != 0
    assert "git keeps both" in done.stderr
    assert "is ours" in ann.ok("show", name)
    assert not [path for path, data in everything_of(ann.vault) if ".git" not in path.parts and CANARY.encode() in data]
    path = str(sealed_file(ann).relative_to(ann.vault))
    assert ann.json("status")["unmerged"] == [path]
    told = ann.ok("status")
    assert "all committed" not in told
    assert path in told
    assert (path, "unmerged") in findings(ann)
    assert f"git checkout --theirs {path}" in ann.run("check").stdout
    ann.git("checkout", "--theirs", path)
    assert "is theirs" in ann.ok("show", name)
    ann.git("add", path)
    assert ann.json("status")["unmerged"] == []
    assert (path, "unmerged") not in findings(ann)


def test_a_remote_gets_sealed_files_only_if_all_its_readers_may_see_them(ann: InProcess, tmp_path: Path) -> None:
    ann.ok("hooks", "install")
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "there")], check=True)
    ann.git("remote", "add", "there", str(tmp_path / "there"))
    ann.git("checkout", "-q", "--orphan", "fresh")
    ref = ann.json("add", f"A {CANARY} for two.", "--title", "Two", "--access", BOB)["ref"].partition(":")[2]
    ann.ok("privacy", "seal", ref)
    place = next(one for one in ann.vault.rglob("*.md.age"))
    ann.git("rm", "-rfq", "--cached", ".")
    ann.git("add", str(place))
    ann.git("commit", "-q", "--no-verify", "-m", "Sealed")
    ann.ok("config", "remotes.there", CAT)
    refused = ann.attempt_git("push", "there", "fresh")
    assert refused.returncode != 0
    assert f"{CAT} may not see it" in refused.stderr
    ann.ok("config", "remotes.there", BOB)
    assert ann.attempt_git("push", "there", "fresh").returncode == 0
    ann.git("commit", "-q", "--no-verify", "--amend", "-m", "Again")
    ann.ok("config", "--user", "--unset", "signing_key")
    refused = ann.attempt_git("push", "there", "+fresh")
    assert refused.returncode != 0
    assert "no key here opens it" in refused.stderr


def test_a_shared_stack_has_the_sealed_files_of_its_recipient_alone(ann: InProcess, keys: Path, tmp_path: Path) -> None:
    name = memory(ann)
    ann.ok("privacy", "seal", name, "-c")
    ann.ok("share", "--to", BOB, str(tmp_path / "for-bob"))
    ann.ok("share", "--to", CAT, str(tmp_path / "for-cat"))
    assert [one.name for one in (tmp_path / "for-bob").rglob("*.md.age")] == [sealed_file(ann).name]
    assert not [*(tmp_path / "for-cat").rglob("*.md.age")]
    assert not [path for path, data in everything_of(tmp_path / "for-bob") if CANARY.encode() in data]
    (tmp_path / "bob/vault").mkdir(parents=True)
    bob = InProcess(tmp_path / "bob")  # in a vault of his own: a clone of Ann's is hers, and nobody loads their own
    bob.ok("init", ".", "--owner", BOB)
    bob.ok("config", "--user", "signing_key", str(keys / "bob"))
    assert not bob.found(CANARY)
    bob.ok("share", "load", str(tmp_path / "for-bob"))
    assert CANARY in bob.ok("search", CANARY)
    assert ann.json("share", "--list")["stacks"]
    assert name not in bob.ok("list", "--json")


# -- for a context alone -----------------------------------------------------------------------------


@pytest.fixture
def care(ann: InProcess) -> tuple[InProcess, str, Path]:
    name = memory(ann)
    ann.ok("context", "add", "ctx:care", "--roster", ANN, BOB)
    done = ann.run("--json", "privacy", "seal", name, "--context", "ctx:care", "-c")
    assert done.returncode == 0, done.stderr
    document = validated(done.stdout)
    return ann, name, Path(document["key"])


def test_what_is_sealed_for_a_context_is_read_by_whoever_has_its_key(
    care: tuple[InProcess, str, Path], keys: Path, tmp_path: Path
) -> None:
    ann, name, key = care
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert not key.is_relative_to(ann.vault)
    assert recipients(sealed_file(ann).read_bytes()) == (frozenset(), 1)
    assert not [path for path, data in everything_of(ann.vault) if b"AGE-SECRET-KEY" in data]
    bob = clone_of(ann, tmp_path / "bob", keys / "bob", BOB)
    assert not bob.found(CANARY)
    there = bob.home / "config/memstore/sealing-keys" / key.name
    there.parent.mkdir()
    shutil.copy(key, there)
    assert bob.found(CANARY)
    ann.ok("edit", name, f"The {CANARY} key is for carers.", "-c")
    assert recipients(sealed_file(ann).read_bytes()).is_context
    bob.git("pull", "-q")
    assert "carers" in bob.ok("show", name)
    ann.ok("undo")
    ann.ok("privacy", "unseal", name)
    ann.ok("undo")
    assert recipients(sealed_file(ann).read_bytes()).is_context


def test_undoing_a_seal_for_a_context_leaves_its_key_to_be_shredded(ann: InProcess) -> None:
    name = memory(ann)
    ann.ok("context", "add", "ctx:care", "--roster", ANN)
    ann.ok("privacy", "seal", name, "--context", "ctx:care", "-c")
    ann.ok("undo")
    assert not [*ann.vault.rglob("*.md.age")]
    (key,) = (ann.home / "config/memstore/sealing-keys").iterdir()
    assert key.name.removesuffix(".key") in (ann.vault / "contexts/care.yaml").read_text()
    ann.ok("forget", "--shred", "ctx:care")
    assert not key.exists()
    assert ann.found(CANARY)


def test_a_contexts_key_is_committed_with_what_is_sealed_for_it(ann: InProcess) -> None:
    name = memory(ann)
    ann.ok("context", "add", "ctx:care", "--roster", ANN, "-c")
    ann.ok("privacy", "seal", name, "--context", "ctx:care")
    ann.ok("undo")
    ann.ok("privacy", "seal", name, "--context", "ctx:care", "-c")
    assert "sealing_key" in ann.git("show", "HEAD:contexts/care.yaml")
    context = ann.vault / "contexts/care.yaml"
    context.write_text(text := context.read_text() + "# whoever cares\n")
    ann.ok("undo")  # the comment is no part of the sealing
    assert context.read_text() == text


def test_undoing_a_seal_for_a_context_twice_seals_it_again(ann: InProcess) -> None:
    name = memory(ann)
    ann.ok("context", "add", "ctx:care", "--roster", ANN, "-c")
    ann.ok("privacy", "seal", name, "--context", "ctx:care")
    before = sealed_file(ann).read_bytes()
    ann.ok("undo")
    assert not [*ann.vault.rglob("*.md.age")]
    ann.ok("undo")
    assert sealed_file(ann).read_bytes() == before
    assert ann.found(CANARY)
    ann.ok("forget", "--shred", "ctx:care", "-c")
    assert not ann.found(CANARY)


def test_shredding_destroys_the_key_and_leaves_tombstones(care: tuple[InProcess, str, Path], tmp_path: Path) -> None:
    ann, name, key = care
    backup = sealed_file(ann).read_bytes()
    told = ann.run("forget", "--shred", "ctx:care", "--dry-run")
    assert name in told.stdout
    assert "would be destroyed" in told.stdout
    assert key.exists()
    assert ann.found(CANARY)
    document = validated(ann.ok("--json", "forget", "--shred", "ctx:care", "--dry-run"))
    assert ([one["ref"] for one in document["forgotten"]], document["key"]) == ([f"note:{name}"], str(key))
    done = ann.run("forget", "--shred", "ctx:care", "-c")
    assert done.returncode == 0, done.stderr
    assert "copies of the key" in done.stderr
    assert not key.exists()
    assert not ann.found(CANARY)
    assert not [*ann.vault.rglob("*.md.age")]
    kept = [path for path, data in everything_of(ann.home) if CANARY.encode() in data]
    assert not [path for path in kept if "objects" not in path.parts]
    restored = ann.vault / "notes/again.md.age"
    restored.parent.mkdir(exist_ok=True)
    restored.write_bytes(backup)
    assert not ann.found(CANARY)
    assert ann.json("status")["sealed"] == 1
    assert "has no sealing key" in ann.run("forget", "--shred", "ctx:care").stderr
    assert ann.run("undo").returncode != 0 or not ann.found(CANARY)


def test_a_shredding_that_was_interrupted_is_finished_by_the_next_command(
    care: tuple[InProcess, str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _, key = care
    with monkeypatch.context() as patched:
        patched.setattr("memstore.trust.seal_keys.SealKeys.destroy_context_key", interrupted)
        assert ann.run("forget", "--shred", "ctx:care").returncode == 130
    assert key.exists()
    assert not ann.found(CANARY)
    assert not key.exists()
    assert "has no sealing key" in ann.run("forget", "--shred", "ctx:care").stderr


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_what_was_sealed_for_people_before_is_not_said_to_be_unreadable(ann: InProcess) -> None:
    name = memory(ann)
    ann.ok("privacy", "seal", name, "-c")
    ann.ok("context", "add", "ctx:care")
    ann.ok("privacy", "seal", name, "--context", "ctx:care", "-c")
    told = ann.run("forget", "--shred", "ctx:care", "--dry-run").stderr
    assert "in any version that was sealed for it" in told
    told = ann.run("forget", "--shred", "ctx:care", "-c").stderr
    assert "in any version that was sealed for it" in told
    assert f"or sealed for people's keys; memstore forget {name} --purge DIR writes a clone without them" in told


def test_a_context_that_is_misspelt_is_told_what_a_context_looks_like(ann: InProcess) -> None:
    name = memory(ann)
    for words in (("privacy", "seal", name, "--context", "care"), ("forget", "--shred", "care")):
        done = ann.run(*words)
        assert (done.returncode, "write it like ctx:care" in done.stderr) == (2, True), done.stderr
    assert "memstore context add ctx:care" in ann.run("privacy", "seal", name, "--context", "ctx:care").stderr
    done = ann.run("forget", "--shred", "ctx:care")
    assert (done.returncode, "memstore context list" in done.stderr) == (3, True)


def test_shredding_is_refused_where_something_rests_on_it_or_the_key_is_elsewhere(
    care: tuple[InProcess, str, Path],
) -> None:
    ann, name, key = care
    ann.ok("add", "The stair creaks.", "--derived-from", f"note:{name}", "--access", ANN)
    refused = ann.run("forget", "--shred", "ctx:care")
    assert refused.returncode == 4
    assert "--detach" in refused.stderr
    assert key.exists()
    moved = key.rename(key.with_suffix(".away"))
    refused = ann.run("forget", "--shred", "ctx:care", "--detach")
    assert refused.returncode == 4
    assert str(key) in refused.stderr
    moved.rename(key)
    ann.ok("forget", "--shred", "ctx:care", "--detach")
    assert not key.exists()


def test_a_vault_without_sealed_files_loads_none_of_this(ann: InProcess) -> None:
    code = (
        "import sys; from memstore.cli.main import main; main(['search', 'tea']);"
        "print([n for n in sys.modules if 'pyrage' in n or 'seal' in n])"
    )
    words = [shutil.which("python", path=ann.environment["PATH"]) or "python", "-c", code]
    done = subprocess.run(words, cwd=ann.vault, env=ann.environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
