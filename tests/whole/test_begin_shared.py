"""A vault of a group begins with what the group may see of a private one, which stays as it is."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from memstore.vault.stack_place import UnfinishedStack
from tests.git_repositories import git
from tests.installed import validated
from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.soak(5, together=True)

ANA, BEN, EVE, OPS = "human:ana", "human:ben", "human:eve", "group:ops"
PRIVATE = "knee"


def of(program: Program, name: str) -> None:
    """Have git know who somebody is."""
    for role in ("AUTHOR", "COMMITTER"):
        program.environment |= {f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": f"{name}@example.org"}


def written(program: Program, text: str, *words: str) -> str:
    """Return the path of a new memory, which is committed."""
    return program.ok("add", "-c", text, *words).splitlines()[0].partition(":")[0]


def begun(program: Program) -> dict[str, str]:
    """Make Ana's vault, with one memory for the group, and one of her own; return their paths by name."""
    program.vault.mkdir()
    program.ok("init", ".", "--owner", ANA)
    paths = {
        "knee": written(program, "The knee hurts when I run.", "--title", "Surgery on the knee"),
        "pager": written(program, "The pager rings at night.", "--title", "Pager"),
    }
    program.ok("privacy", "group", "add", OPS, BEN, "--email", "ben@example.org")
    program.ok("privacy", "grant", paths["pager"], "--to", OPS, "-c")
    return paths


@pytest.fixture
def ana(tmp_path: Path) -> InProcess:
    program = Program(tmp_path).in_process()
    of(program, "ana")
    begun(program)
    return program


WORDS = ("init", "../ops", "--owner", OPS, "--from", ".")


def plan(program: Program, code: int = 0) -> Any:
    """Return what would be done; nothing is."""
    before = everything(program.home)
    done = program.run("--json", *WORDS, "--dry-run")
    assert done.returncode == code, (done.stdout, done.stderr)
    assert everything(program.home) == before
    return validated(done.stdout)


def everything(home: Path) -> dict[str, bytes]:
    """Return the files of a home, without what is derived and kept there."""
    derived = ("cache", "state", ".git/memstore")
    places = (place for place in home.rglob("*") if place.is_file())
    return {str(place): place.read_bytes() for place in places if not any(f"/{one}" in str(place) for one in derived)}


def why(document: Any, path: str) -> str:
    [found] = [one["why"] for one in document["stays"] if one["path"] == path]
    return str(found)


def objects(folder: Path) -> bytes:
    """Return everything that a repository has: all objects, whether a ref leads to them or not."""
    return subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch"], cwd=folder, capture_output=True, check=True
    ).stdout


def test_two_people_share_what_was_meant_for_both(tmp_path: Path) -> None:
    (tmp_path / "ana").mkdir()
    (tmp_path / "ben").mkdir()
    ana, ben = Program(tmp_path / "ana"), Program(tmp_path / "ben")
    of(ana, "ana")
    of(ben, "ben")
    paths = begun(ana)
    would = ana.ok(*WORDS, "--dry-run")
    assert f"+ {paths['pager']}" in would
    assert f"- {OPS} may not see it [self-only]:\n    {paths['knee']}\n" in would
    assert "a clone has no earlier version" in would
    before = everything(ana.vault)
    did = ana.ok(*WORDS)
    assert would.partition("  it would have")[2].splitlines()[1:5] == did.partition("  it has")[2].splitlines()[1:5]
    after = everything(ana.vault)
    [event] = after.keys() - before.keys()  # the vault that was private is; the record alone is new
    assert "/audit/" in event
    assert {path: data for path, data in after.items() if path != event} == before

    ops = ana.home / "ops"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    assert git(ops, "status", "--porcelain") == ""
    assert git(ops, "rev-list", "--all", "--count").strip() == "1"
    assert ana.run("check", cwd=ops).stderr.endswith("0 errors, 0 warnings\n")
    ana.ok("privacy", "log", "verify", cwd=ops)
    git(ops, "remote", "add", "origin", str(tmp_path / "remote.git"))
    ana.ok("config", "remotes.origin", OPS, cwd=ops)
    ana.ok("sync", cwd=ops)
    ana.ok("hooks", "install", "--pre-receive", str(tmp_path / "remote.git"), "--own-settings", cwd=ops)

    git(ben.home, "clone", "-q", str(tmp_path / "remote.git"), "vault")
    assert "it isn't known who you are" in ben.run("search", "pager").stderr
    ben.ok("--as", BEN, "init")
    assert "The pager rings" in ben.ok("search", "pager")
    assert ben.ok("search", PRIVATE) == ""
    ben.ok("add", "-c", "On Sundays we sleep.", "--title", "Sundays")
    ben.ok("sync")
    ana.ok("sync", cwd=ops)
    assert "we sleep" in ana.ok("search", "Sundays", cwd=ops)
    assert ben.run("check", "--against", "HEAD~1").stderr.endswith("0 errors, 0 warnings\n")
    for folder in (ben.vault, ops, tmp_path / "remote.git"):
        assert b"pager rings" in objects(folder)
        assert PRIVATE.encode() not in objects(folder)
    ana.ok("config", "--user", "vault", str(ana.vault))
    assert "[own" in ana.ok("search", PRIVATE, cwd=ops)
    assert ana.ok("search", "pager", cwd=ops).count("rings at night") == 1


def test_the_plan_says_why_each_file_stays(ana: InProcess) -> None:
    only_ben = written(ana, "For Ben.", "--access", BEN)
    denied = written(ana, "Not for Eve.", "--access", OPS)
    ana.ok("set", denied, f"access_denies={EVE}", "-c")
    bens, conflicted = (written(ana, text, "--access", OPS) for text in ("Ben's own.", "In two ways."))
    place = ana.vault / bens
    place.write_text(place.read_text().replace("type: note", f"type: note\nowner: {BEN}"))
    place = ana.vault / conflicted
    place.write_text(place.read_text().replace("type: note", "<<<<<<< HEAD\ntype: note\n=======\ntype: raw\n>>>>>>> x"))
    found = plan(ana)
    assert OPS in why(found, only_ben)
    assert why(found, denied) == f"it is denied to {EVE}, and a shared vault is for all its members"
    assert why(found, bens) == f"it is {BEN}'s own"
    assert why(found, conflicted) == "it can't be read"
    assert len(found["taken"]) == 1
    assert found["members"] == [
        {"id": ANA, "email": "ana@example.org", "until": None},
        {"id": BEN, "email": "ben@example.org", "until": None},
    ]


def test_what_is_seen_for_a_while_stays(ana: InProcess) -> None:
    path = written(ana, "Ben's exam was hard.", "--subject", BEN)
    memory = ana.json("show", path)["ref"].partition(":")[2]
    consent = ("--from", BEN, "--to", OPS, "--scope", f"mem:{memory}")
    ana.ok("privacy", "consent", "grant", *consent, "--expires", "2d")
    ana.ok("privacy", "grant", path, "--to", OPS)
    assert why(plan(ana), path).startswith(f"{OPS} may see it until ")
    ana.ok("privacy", "consent", "grant", *consent)
    assert path in plan(ana)["taken"]


def test_a_memory_goes_without_refs_to_what_stays_and_grants_to_others(ana: InProcess) -> None:
    [hidden] = [one for one in ana.json("list")["memories"] if PRIVATE in one["title"]]
    path = written(
        ana, "The nights are long.", "--title", "Nights", "--relates-to", hidden["ref"], "--access", OPS, EVE
    )
    plain = written(ana, "The days are short.", "--title", "Days", "--access", OPS)
    [left] = plan(ana)["without"]
    assert left == {"path": path, "why": f"refs to what stays, the grants to {EVE}"}
    ana.ok(*WORDS)
    ops = ana.home / "ops"
    text = (ops / path).read_text()
    assert "The nights are long." in text
    assert hidden["ref"].partition(":")[2].encode() not in objects(ops)
    assert EVE.encode() not in objects(ops)
    assert (ops / plain).read_bytes() == (ana.vault / plain).read_bytes()
    assert ana.run("check", cwd=ops).stderr.endswith("0 errors, 0 warnings\n")


def test_what_names_something_that_stays_is_in_the_way(ana: InProcess) -> None:
    hidden = next(one["path"] for one in ana.json("list")["memories"] if PRIVATE in one["title"])
    path = written(ana, "We talked about [[Surgery on the knee]].", "--title", "Talk", "--access", OPS)
    found = plan(ana, code=1)
    assert any(path in one and "Surgery on the knee" in one for one in found["obstacles"])
    place, text = ana.vault / path, (ana.vault / path).read_text()
    place.write_text(text.replace("[[Surgery on the knee]]", hidden))
    for more in ((), ("--acknowledge",)):  # a path is never a word by chance
        done = ana.run(*WORDS, *more)
        assert done.returncode == 4
        assert "nothing was written" in done.stderr
        assert not (ana.home / "ops").exists()
    place.write_text(text.replace("[[Surgery on the knee]]", "the surgery on the knee"))
    assert ana.run(*WORDS).returncode == 4
    ana.ok(*WORDS, "--acknowledge")
    assert "the surgery on the knee" in (ana.home / "ops" / path).read_text()  # as it is in the folder


def test_a_second_run_and_other_folders_are_refused(ana: InProcess) -> None:
    ana.ok(*WORDS)
    before = everything(ana.home)
    assert "is not empty" in ana.run(*WORDS).stderr or "is in the vault" in ana.run(*WORDS).stderr
    assert "is in the vault" in ana.run("init", ".", "--owner", OPS, "--from", ".").stderr
    assert "is in the vault" in ana.run("init", "inner", "--owner", OPS, "--from", ".").stderr
    again = ana.run("init", "../more", "--owner", "group:more", "--from", "../ops")
    assert (again.returncode, "share it already" in again.stderr) == (4, True)
    assert "--from ." in ana.run("init", "--owner", OPS).stderr or "--from" in ana.run("init", "--owner", OPS).stderr
    assert everything(ana.home) == before


@pytest.mark.parametrize(
    "words",
    [
        ("init", "--from", ".", "--owner", OPS),
        ("init", "../ops", "--from", "."),
        ("init", "../ops", "--from", ".", "--owner", BEN),
        ("init", "../ops", "--from", ".", "--owner", OPS, "--notes", "own"),
        ("init", "../ops", "--owner", OPS, "--acknowledge"),
        ("init", "../ops", "--owner", OPS, "--dry-run"),
        ("init", "../ops", "--from", ".", "--undo"),
        ("init", "../ops", "--owner", OPS, "--from", ""),
    ],
)
def test_slips_are_refused(ana: InProcess, words: tuple[str, ...]) -> None:
    assert ana.run(*words).returncode == 2
    assert not (ana.home / "ops").exists()


def test_nobody_else_begins_one(ana: InProcess) -> None:
    for who in (BEN, EVE):
        done = ana.run("--as", who, *WORDS, "--dry-run")
        assert (done.returncode, done.stdout) == (4, "")
        assert "only the vault's owner may" in done.stderr


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_one_that_is_interrupted_was_never_begun(
    ana: InProcess, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise error

    before = everything(ana.home)
    with monkeypatch.context() as patched:
        patched.setattr(UnfinishedStack, "finish", interrupted)
        assert ana.run(*WORDS).returncode != 0
    assert everything(ana.home) == before
    ana.ok(*WORDS)


def test_agents_come_with_their_texts_and_what_others_wrote_may_be_pushed(ana: InProcess) -> None:
    ana.ok("privacy", "entity", "add", "si:ash", "--commit")
    entity = ana.vault / "entities/si/ash.md"
    entity.write_text(entity.read_text().replace("id: si:ash\n", "id: si:ash\ncontroller: human:ana\n"))
    for who in ("si:ash", "human:carl"):
        path = written(ana, f"{who} saw it.", "--title", f"Seen by {who}", "--access", OPS)
        place = ana.vault / path
        place.write_text(place.read_text().replace("author: human:ana", f"author: {who}"))
    ana.ok(*WORDS)
    ops = ana.home / "ops"
    assert "controller: human:ana" in (ops / "entities/si/ash.md").read_text()
    assert not (ops / "entities/human/carl.md").exists()
    git(ana.home, "init", "-q", "--bare", "-b", "main", "remote.git")
    git(ops, "remote", "add", "origin", str(ana.home / "remote.git"))
    ana.ok("config", "remotes.origin", OPS, cwd=ops)
    ana.ok("sync", cwd=ops)
    # Afterwards, not even a keeper says what others have said.
    path = written_in(ana, ops, "Carl agrees.")
    (ops / path).write_text((ops / path).read_text().replace("author: human:ana", "author: human:carl"))
    ana.ok("commit", cwd=ops)
    assert "it says that human:carl wrote it" in ana.run("sync", cwd=ops).stderr


def written_in(program: InProcess, folder: Path, text: str) -> str:
    return program.ok("add", "-c", text, cwd=folder).splitlines()[0].partition(":")[0]


def test_plain_notes_that_are_for_the_group_come_along(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    of(program, "ana")
    program.vault.mkdir()
    (program.vault / "deploy.md").write_text("# Deploy\n\nOn Tuesdays.\n")
    program.ok("init", ".", "--owner", ANA)
    program.ok("privacy", "group", "add", OPS, BEN)
    found = plan(program, code=1)
    assert why(found, "deploy.md") == f"it is a plain note, which notes_for doesn't show to {OPS}"
    assert f"no git address of {BEN} is known" in program.run(*WORDS, "--dry-run").stdout
    program.ok("config", "notes_for", OPS)
    assert plan(program)["taken"] == ["deploy.md"]
    program.ok(*WORDS)
    assert "On Tuesdays" in program.ok("--as", BEN, "search", "Tuesdays", cwd=program.home / "ops")


def test_what_is_in_a_vault_within_stays(ana: InProcess) -> None:
    inner = ana.vault / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / ".memstore").mkdir()
    (inner / ".memstore/config.toml").write_text(f'format = 1\nowner = "{BEN}"\n')
    (inner / "tea.md").write_text("---\ntype: note\nid: m_inner0000\naccess_grants: [group:ops]\n---\n\nTea.\n")
    assert why(plan(ana), "inner/tea.md") == "it lies in another vault"


def test_two_members_with_one_address_are_in_the_way(ana: InProcess) -> None:
    ana.ok("privacy", "group", "add", OPS, EVE, "--email", "Ana@example.org")
    assert plan(ana, code=1)["obstacles"] == [
        f"{ANA} and {EVE} have the same git address, Ana@example.org: it says of neither who commits"
    ]


def test_what_is_signed_stays_signed_there(ana: InProcess) -> None:
    for name in ("mine", "others"):
        key = str(ana.home / name)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        ana.ok("trust", "keys", "add", ANA if name == "mine" else EVE, f"{key}.pub")
    path = written(ana, "Backups run at noon.", "--title", "Backups", "--access", OPS)
    ana.ok("trust", "sign", path, "--key", str(ana.home / "mine"))
    ana.ok(*WORDS)
    ops = ana.home / "ops"
    assert ana.run("check", cwd=ops).stderr.endswith("0 errors, 0 warnings\n")
    assert "signature  valid" in ana.ok("trust", "show", path, cwd=ops)
    assert EVE.encode() not in objects(ops)


def test_a_folder_that_is_no_vault_is_named_as_it_was_given(ana: InProcess) -> None:
    done = ana.run("init", "../ops", "--owner", OPS, "--from", "../nowhere")
    assert done.returncode == 5
    assert "--from names ../nowhere, which does not exist" in done.stderr
