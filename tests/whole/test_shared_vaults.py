"""A vault of a group: its members see and write what is in it, its keepers change who that is, nobody is the group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import memstore
from memstore.access import SHARED
from memstore.access.audit_events import write
from memstore.core.errors import RefusedError
from memstore.files.local_state import Environment, vault_hash
from memstore.vault import composition
from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess

pytestmark = pytest.mark.soak(13, together=True)

ANN, BEN, EVE = "human:ann", "human:ben", "human:eve"
OPS = "group:ops"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> InProcess:
    """Return a vault of Ann and Ben, which Ann keeps and runs on this machine."""
    program = Program(tmp_path_factory.mktemp("shared")).in_process()
    program.vault.mkdir()
    program.ok("--as", ANN, "init", "--owner", OPS, "--notes", "mixed")
    program.ok("privacy", "group", "add", OPS, BEN, "--commit")
    (program.vault / "deploy.md").write_text("# Deploy\n\nWe deploy on Tuesdays.\n")
    program.git("add", "-A")
    program.git("commit", "-qm", "a note")
    program.ok("--as", BEN, "add", "The pager rings at night.", "--title", "Pager", "--commit")
    return program


@pytest.fixture
def shared(made: InProcess, tmp_path: Path) -> InProcess:
    program = made.copied(tmp_path)
    program.ok("--as", ANN, "init")  # who one is, is known for a folder
    return program


def pager(program: InProcess) -> str:
    """Return the path of the memory."""
    [path] = [one["path"] for one in program.json("list")["memories"] if one["title"] == "Pager"]
    return str(path)


def refused(program: InProcess, *words: str, code: int = 4) -> str:
    done = program.run(*words)
    assert (done.returncode, done.stdout) == (code, ""), (words, done.stdout, done.stderr)
    return done.stderr


def test_whoever_makes_it_is_its_first_keeper_and_the_group_is_its_charter(shared: InProcess) -> None:
    charter = (shared.vault / "groups/ops.yaml").read_text()
    assert "keepers: [human:ann]" in charter
    assert 'id: "human:ben"' in charter
    assert "kept by human:ann" in shared.ok("doctor")
    assert shared.git("status", "--porcelain") == ""


def test_doctor_says_what_judges_a_push(shared: InProcess) -> None:
    assert "guard" not in shared.ok("doctor")  # there is nobody to push to
    shared.git("remote", "add", "origin", "ops.git")
    told = shared.ok("--as", BEN, "doctor")
    assert "this clone's hooks judge what it commits and pushes" in told
    assert "can't be seen from a clone" in told
    assert "hooks install --pre-receive REPOSITORY" in told
    branch = shared.git("branch", "--show-current").strip()
    assert f"memstore check --against origin/{branch}" in told
    (shared.vault / ".git/hooks/pre-push").unlink()
    assert "this clone lacks pre-push, so not all" in shared.ok("doctor")
    assert "guard" not in shared.ok("--as", EVE, "doctor")


def test_members_see_its_memories_notes_and_history(shared: InProcess) -> None:
    for who in (ANN, BEN):
        assert "Tuesdays" in shared.ok("--as", who, "search", "Tuesdays")
        assert "Pager" in shared.ok("--as", who, "list")
        assert "Pager" in shared.ok("--as", who, "log")
        shared.ok("--as", who, "check")
        shared.ok("--as", who, "review", "--against", "HEAD~1")
        assert EVE not in shared.ok("--as", who, "privacy", "log", "show")


def test_a_memory_is_the_groups_and_its_author_is_the_member(shared: InProcess) -> None:
    text = (shared.vault / pager(shared)).read_text()
    assert "author: human:ben" in text
    assert "owner:" not in text
    shared.ok("--as", ANN, "set", pager(shared), "importance=high")
    shared.ok("--as", BEN, "add", "By its name.", "--owner", OPS)


@pytest.mark.parametrize("who", [EVE, "si:ash", "anon:unknown"])
def test_whoever_is_no_member_sees_nothing_and_writes_nothing(shared: InProcess, who: str) -> None:
    assert shared.ok("--as", who, "list") == ""
    assert shared.ok("--as", who, "search", "Tuesdays") == ""
    assert shared.ok("--as", who, "search", "pager") == ""
    assert shared.ok("--as", who, "privacy", "group", "list") == ""
    assert ANN not in shared.ok("--as", who, "doctor")
    assert "only the vault's owner may" in refused(shared, "--as", who, "log")
    assert "only members of group:ops write here" in refused(shared, "--as", who, "add", "Hello.")
    assert "only the vault's owner may" in refused(shared, "--as", who, "config", "timezone", "UTC")


@pytest.mark.parametrize(
    "words",
    [
        ("privacy", "group", "add", OPS, EVE),
        ("privacy", "group", "remove", OPS, ANN),
        ("privacy", "entity", "add", EVE),
        ("config", "owner", BEN),
        ("config", "notes_for", EVE),
        ("config", "remotes.origin", "public"),
        ("add", "For Eve.", "--access", EVE),
        ("add", "For all.", "--access", "*"),
        ("context", "add", "ctx:lobby", "--open"),
        ("hooks", "uninstall"),
    ],
)
def test_keepers_alone_change_who_sees_what(shared: InProcess, words: tuple[str, ...]) -> None:
    assert f"only a keeper of {OPS} may" in refused(shared, "--as", BEN, *words)
    if "remove" not in words and "uninstall" not in words and "owner" not in words:
        shared.ok("--as", ANN, *words)


@pytest.mark.parametrize("is_self_made", [False, True])
def test_a_hook_names_a_memory_to_members_alone(shared: InProcess, *, is_self_made: bool) -> None:
    path = pager(shared)
    [ref] = [one["ref"] for one in shared.json("list")["memories"] if one["path"] == path]
    shared.ok("privacy", "group", "add", "group:inner", "human:cat")
    shared.ok("privacy", "grant", path, "--to", "group:inner")
    shared.git("add", "-A")
    shared.git("commit", "-qm", "for those inside")
    inner, charter = shared.vault / "groups/inner.yaml", shared.vault / "groups/ops.yaml"
    inner.write_text(inner.read_text().replace('"human:cat"', '"human:eve"'))
    if is_self_made:
        charter.write_text(charter.read_text().replace('"human:ben"', '"human:bob"'))
    shared.git("add", "-A")
    for who, named in (("human:bob", "a memory"), (EVE, "a memory"), (BEN, ref), (ANN, ref)):
        shared.environment["MEMSTORE_ENTITY"] = who
        done = shared.attempt_git("commit", "-qm", "x")
        assert done.returncode == 1
        text = f"groups/inner.yaml:1:1: error: this change by hand would show {named} to human:eve [registry-widened]"
        assert text in done.stderr
        assert (ref in done.stderr, path in done.stderr) == (named == ref, False)


def test_a_grant_to_somebody_else_is_a_keepers(shared: InProcess) -> None:
    path = pager(shared)
    assert "only a keeper" in refused(shared, "--as", BEN, "privacy", "grant", path, "--to", EVE)
    shared.ok("--as", ANN, "privacy", "grant", path, "--to", EVE)
    assert "Pager" in shared.ok("--as", EVE, "list")


def test_nobody_is_the_group(shared: InProcess) -> None:
    for words in (("--as", OPS, "list"), ("--as", "group:others", "list")):
        assert "is a group: people and agents act" in refused(shared, *words, code=2)


def test_leaving_ends_sight_and_a_group_within_brings_members_but_no_keepers(shared: InProcess) -> None:
    shared.ok("privacy", "group", "add", "group:guests", EVE)
    assert shared.ok("--as", EVE, "list") == ""
    shared.ok("privacy", "group", "add", OPS, "group:guests")
    assert "Pager" in shared.ok("--as", EVE, "list")
    assert "only a keeper" in refused(shared, "--as", EVE, "privacy", "group", "add", OPS, "human:mallory")
    charter = shared.vault / "groups/ops.yaml"
    charter.write_text(charter.read_text().replace("[human:ann]", "[human:ann, group:guests]"))
    assert "only a keeper" in refused(shared, "--as", EVE, "privacy", "group", "add", OPS, "human:mallory")
    shared.ok("privacy", "group", "remove", OPS, BEN)
    assert shared.ok("--as", BEN, "list") == ""
    shared.ok("privacy", "group", "remove", "group:guests", EVE)
    assert shared.ok("--as", EVE, "list") == ""


def test_a_consent_that_was_committed_is_undone_and_that_is_committed(shared: InProcess) -> None:
    shared.ok("privacy", "consent", "refuse", "--from", ANN, "--to", EVE, "--scope", f"subject:{ANN}", "--commit")
    before = shared.git("rev-parse", "HEAD").strip()
    [record] = (shared.vault / "consents").rglob("*.md")
    data = record.read_bytes()
    record.unlink()
    assert "[consent-deleted]" in refused(shared, "commit")
    record.write_bytes(data)
    shared.ok("undo")
    assert not record.exists()
    shared.ok("check", "--against", "HEAD")
    shared.ok("privacy", "log", "verify")
    shared.ok("commit")
    shared.ok("review", "--against", before)
    record.write_bytes(data)
    shared.git("add", "-A")
    shared.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "again")
    record.unlink()
    shared.git("add", "-A")
    shared.git("commit", "-qm", "its maker took it back")
    shared.ok("privacy", "log", "verify")


def test_nobody_undoes_the_refusal_of_another(shared: InProcess) -> None:
    shared.ok("privacy", "consent", "refuse", "--from", ANN, "--to", EVE, "--scope", f"subject:{ANN}", "--commit")
    [record] = (shared.vault / "consents").rglob("*.md")
    path, event = write(event_id="ev_0000000000", at="2026-12-01T00:00:00Z", by=BEN, event="undo",
                        about={"withdrawn": [record.stem]}, prev=[])  # fmt: skip
    (shared.vault / path).parent.mkdir(parents=True, exist_ok=True)
    (shared.vault / path).write_bytes(event)
    record.unlink()
    assert "[consent-deleted]" in refused(shared, "--as", BEN, "commit")


def test_an_event_of_another_branch_is_not_gone_and_one_that_was_reset_is(shared: InProcess) -> None:
    shared.git("switch", "-qc", "other")
    shared.ok("privacy", "grant", pager(shared), "--to", EVE, "--commit")
    shared.ok("check")
    shared.git("switch", "-q", "-")
    shared.ok("check")
    shared.git("switch", "-q", "other")
    shared.ok("check")
    shared.git("reset", "-q", "--hard", "HEAD~1")
    assert "[audit-event-gone]" in shared.run("check").stdout


def test_a_keeper_who_left_keeps_nothing(shared: InProcess) -> None:
    assert "would have no keeper" in refused(shared, "privacy", "group", "remove", OPS, ANN)
    shared.ok("privacy", "group", "add", OPS, BEN, "--keeper")
    shared.ok("privacy", "group", "remove", OPS, ANN)
    shared.ok("--as", BEN, "privacy", "group", "add", OPS, ANN)
    assert "only a keeper" in refused(shared, "--as", ANN, "privacy", "group", "add", OPS, EVE)
    shared.ok("--as", BEN, "privacy", "group", "remove", OPS, ANN)
    assert "only the vault's owner may" in refused(shared, "--as", ANN, "privacy", "group", "add", OPS, EVE)


def test_a_private_vault_is_given_to_a_group_by_its_keeper(tmp_path: Path) -> None:
    program = Program(tmp_path).in_process()
    program.vault.mkdir()
    program.ok("init", "--owner", ANN)
    program.ok("--as", ANN, "add", "Hers so far.")
    assert f"{OPS} can't own the vault before {ANN} keeps it" in refused(program, "config", "owner", OPS, code=2)
    program.ok("privacy", "group", "add", OPS, ANN, BEN)
    assert f"privacy group add {OPS} {ANN} --keeper" in refused(program, "config", "owner", OPS, code=2)
    program.ok("privacy", "group", "add", OPS, ANN, "--keeper")
    assert program.ok("--as", BEN, "list") == ""
    told = program.run("config", "owner", OPS).stderr
    assert f"{OPS} gets all of this vault and of its history" in told
    assert f"memstore init DIR --owner {OPS} --from ." in told
    assert f"memstore config owner {ANN} takes that back" in told
    assert "Hers so far" in program.ok("--as", BEN, "list")
    program.ok("--as", ANN, "config", "owner", ANN)
    assert program.ok("--as", BEN, "list") == ""


def test_whoever_left_is_shown_nothing_by_what_stays_open(shared: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in shared.environment.items():
        monkeypatch.setenv(name, value)
    with memstore.open_vault(shared.vault, entity=BEN) as vault:
        assert "Pager" in {one.title for one in vault.list()}
        shared.ok("privacy", "group", "remove", OPS, BEN)
        assert list(vault.list()) == []
        with pytest.raises(memstore.RefusedError, match="only members"):
            vault.add("Still here.")


def test_another_name_or_a_broken_charter_opens_nothing(shared: InProcess) -> None:
    charter = shared.vault / "groups/ops.yaml"
    text = charter.read_text()
    for broken in (text.replace("group:ops", "group:other"), f"{text}x: [", text.replace("keepers", "kepers")):
        charter.write_text(broken)
        assert shared.ok("--as", BEN, "list") == ""
    charter.write_text(text)
    (shared.vault / "groups/more.yaml").write_text(f"id: group:more\nkeepers: [{EVE}]\nmembers: [{{id: '{EVE}'}}]\n")
    assert shared.ok("--as", EVE, "list") == ""


def test_what_is_narrower_by_hand_is_shown_to_nobody_new(shared: InProcess) -> None:
    path = pager(shared)
    place = shared.vault / path
    text = place.read_text()
    place.write_text(text.replace("author:", 'access_denies: ["human:ann"]\nauthor:'))
    assert "Pager" not in shared.ok("--as", ANN, "list")
    assert "Pager" in shared.ok("--as", BEN, "list")
    place.write_text(text.replace("author:", "owner: human:ben\nauthor:"))
    assert "Pager" not in shared.ok("--as", ANN, "list")
    assert "Pager" in shared.ok("--as", BEN, "list")


@pytest.mark.parametrize("line", ["owner: human:ben", 'access_denies: ["human:ann"]'])
def test_what_is_narrower_by_hand_is_an_error(shared: InProcess, line: str) -> None:
    place = shared.vault / pager(shared)
    place.write_text(place.read_text().replace("author:", f"{line}\nauthor:"))
    key = line.partition(":")[0]
    found = shared.run("--as", BEN, "check")
    assert found.returncode == 1
    assert f"error: `{key}` makes it narrower than {OPS}, whose vault this is [shared-narrower]" in found.stdout
    assert "[shared-narrower]" in shared.run("--as", BEN, "check", "--against", "HEAD").stdout
    shared.git("add", "-A")
    done = shared.attempt_git("commit", "-m", "x")
    assert done.returncode != 0
    assert "[shared-narrower]" in done.stderr
    for given in (("--access", "human:ben", "--owner", BEN), ("--owner", ANN)):
        assert refused(shared, "--as", BEN, "add", "Narrower.", *given) != ""


@pytest.mark.parametrize("line", ["owner: human:ben", 'access_denies: ["human:ann"]'])
def test_of_what_a_member_may_not_see_the_checks_say_its_path_alone(shared: InProcess, line: str) -> None:
    path = pager(shared)
    place = shared.vault / path
    kept = place.read_text()
    secret = f"{line}\naccess_grants: [human:zoe]\nderived_from: [note:m_secretsecr]\ntags: [ill, ill]\nauthor:"
    place.write_text(kept.replace("author:", secret))
    told = f"{path}: error: it is narrower than {OPS}, whose vault this is [shared-narrower]"
    shared.git("add", "-A")
    for words in ((), ("--against", "HEAD"), ("--staged",)):
        found = shared.run("--as", ANN, "check", *words)
        assert found.returncode == 1
        assert told in found.stdout.replace(":1:1:", ":")
        assert [one for one in found.stdout.splitlines() if one.startswith(path)] == [found.stdout.splitlines()[0]]
        for word in ("secretsecr", "ill", "human:ben", "access_denies", "human:ann"):
            assert word not in found.stdout + found.stderr
    assert "zoe" not in shared.run("--as", ANN, "privacy", "log", "verify").stdout
    assert "zoe" in shared.run("--as", BEN, "privacy", "log", "verify").stdout
    before = place.read_bytes()
    assert "ill" not in shared.run("--as", ANN, "check", "--fix").stdout
    assert place.read_bytes() == before
    assert "secretsecr" in shared.run("--as", BEN, "check").stdout
    place.write_text(kept)
    assert "shared-narrower" not in shared.ok("--as", ANN, "check")


def test_what_is_private_goes_to_a_vault_of_ones_own(shared: InProcess) -> None:
    said = shared.run("--as", ANN, "add", "For all.")
    assert f"for all members of {OPS}; --private writes to a vault of your own" in said.stderr + said.stdout
    assert "your settings name no vault of your own" in refused(shared, "add", "My own.", "--private", code=2)
    own = shared.home / "own"
    shared.ok("init", str(own), "--owner", ANN)
    shared.ok("config", "--user", "vault", str(own))
    shared.ok("add", "My own secret tea.", "--private")
    assert shared.ok("--as", BEN, "search", "secret tea") == ""
    assert "secret tea" in shared.ok("--vault", str(own), "--as", ANN, "search", "secret tea")
    assert list((own / "notes").rglob("*secret-tea*.md"))
    before = files_with(own, b"tea", b"My own")
    for words in (("--as", "si:ash"), ("--as", BEN), ("--vault", str(own), "--as", BEN)):
        denied = refused(shared, *words, "add", "My own.", "--private", code=2)
        assert f"the vault {own} is {ANN}'s, so nothing in it is for {words[-1]} alone" in denied
    assert files_with(own, b"tea", b"My own") == before
    shared.ok("--vault", str(own), "--as", ANN, "add", "My own cup.", "--private")
    shared.ok("config", "--user", "vault", str(shared.vault))
    assert "your vault is a group's, too" in refused(shared, "add", "My own.", "--private", code=2)


@pytest.fixture
def own(shared: InProcess) -> Path:
    """Return Ann's own vault, which the settings of this machine's user name, with one memory in it."""
    folder = shared.home / "own"
    shared.ok("init", str(folder), "--owner", ANN)
    shared.ok("config", "--user", "vault", str(folder))
    shared.ok("add", "My own secret tea.", "--title", "Tea", "--private")
    return folder


def own_id(program: InProcess, own: Path) -> str:
    [ref] = [one["ref"] for one in program.json("--vault", str(own), "--as", ANN, "list")["memories"]]
    return str(ref).partition(":")[2]


def files_with(folder: Path, *words: bytes) -> list[str]:
    """Return the files in a folder and below that have any of these words, git's objects among them as they are."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return [str(file) for file in files if any(word in file.read_bytes() for word in words)]


def test_ones_own_vault_is_searched_along(shared: InProcess, own: Path) -> None:
    shared.ok("add", "Tea is served in the lobby.", "--title", "Lobby")
    [ours, mine] = sorted(shared.json("search", "tea")["results"], key=lambda hit: "stack" in hit)
    assert (ours["title"], mine["title"]) == ("Lobby", "Tea")
    assert (mine["stack"], mine["path"][:16]) == ("own", "stack:own/notes/")
    told = shared.ok("search", "secret")
    assert "[own · note" in told
    said = shared.ok("show", mine["path"])
    assert "[own]" in said
    assert "My own secret tea." in said
    assert "My own secret tea." in shared.ok("show", "--cite", mine["path"])
    assert "in your own vault, which is only read here" in refused(
        shared, "set", mine["ref"], "importance=high", code=3
    )
    before = shared.git("status", "--porcelain")
    assert "stack:own/notes/" in shared.ok("recall", "secret tea")
    assert "My own" not in shared.ok("list") + before + shared.ok("privacy", "log", "show")


def test_hits_of_ones_own_vault_are_ranked_with_the_shared_ones(shared: InProcess, own: Path) -> None:
    shared.ok("add", "In the long list of all that is in the lobby there is a lamp, a chair, and also some tea.")
    shared.ok("add", "Green tea.", "--title", "Green tea", "--private")
    hits = shared.json("search", "green tea")["results"]
    assert hits[0]["stack"] == "own"
    assert [hit["relevance_score"] for hit in hits] == sorted((hit["relevance_score"] for hit in hits), reverse=True)
    assert not all("stack" in hit for hit in hits)


@pytest.mark.parametrize(
    "words",
    [
        ("--as", BEN),
        ("--as", "si:ash"),
        ("--as", EVE),
        ("--as", ANN, "--context", "ctx:lobby"),
        ("--as", ANN, "--context", "ctx:lobby", "--self"),
        ("--as", ANN, "--context", "ctx:ann"),
    ],
)
def test_nobody_else_hears_of_ones_own_vault(shared: InProcess, own: Path, words: tuple[str, ...]) -> None:
    shared.ok("context", "add", "ctx:lobby", "--open")
    shared.ok("context", "add", "ctx:ann", "--roster", ANN)
    assert "secret tea" in shared.ok("search", "secret tea")
    name = own_id(shared, own)
    for asked in (("search", "secret tea"), ("show", name), ("show", "stack:own/notes"), ("recall", "secret tea")):
        there = shared.run(*words, *asked)
        shared.ok("config", "--user", "--unset", "vault")
        assert (there.returncode, there.stdout, there.stderr) == (
            (without := shared.run(*words, *asked)).returncode,
            without.stdout,
            without.stderr,
        )
        shared.ok("config", "--user", "vault", str(own))


def test_a_server_and_the_past_have_nothing_of_ones_own_vault(
    shared: InProcess, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in shared.environment.items():
        monkeypatch.setenv(name, value)
    there = str(shared.vault)
    env = Environment.of_process()
    assert composition.open_workspace(env, vault=there, entity=ANN).view().of(SHARED).own is not None
    for alone in (False, True):
        served = composition.open_to_serve(env, vault=there, entity=ANN, alone=alone).view().of(SHARED)
        assert (served.own, [*served.beside]) == (None, [])
    shared.git("add", "-A")
    assert shared.ok("search", "secret tea", "--at", "HEAD") == ""
    assert "secret tea" not in shared.ok("recall", "--hook", stdin="secret tea")


def test_only_a_vault_that_is_ones_own_is_searched_along(shared: InProcess, own: Path) -> None:
    shared.ok("--vault", str(own), "--as", ANN, "context", "add", "ctx:tea", "--open")
    settings = own / ".memstore/config.toml"
    text = settings.read_text()
    for other in (text.replace(ANN, BEN), text.replace(f'owner = "{ANN}"', "")):
        assert other != text
        settings.write_text(other)
        assert shared.ok("search", "secret tea") == ""
    settings.write_text("owner = [")
    done = shared.run("search", "pager")
    assert "your own vault can't be read" in done.stderr
    assert "pager rings" in done.stdout
    assert "own vault" not in shared.run("--as", BEN, "search", "pager").stderr
    settings.write_text(text)
    shared.ok("--vault", str(own), "--as", ANN, "context", "enter", "ctx:tea")
    assert shared.ok("search", "secret tea") == ""
    shared.ok("--vault", str(own), "--as", ANN, "context", "leave")
    assert "secret tea" in shared.ok("search", "secret tea")


def test_no_stack_is_loaded_as_ones_own(shared: InProcess, own: Path) -> None:
    shared.ok("--vault", str(own), "--as", ANN, "privacy", "grant", own_id(shared, own), "--to", BEN)
    stack = str(shared.home / "stack")
    shared.ok("--vault", str(own), "--as", ANN, "share", "--to", BEN, stack)
    loading = ("--as", BEN, "share", "load", stack, "--name")
    assert "own stands for your own vault" in refused(shared, *loading, "own", code=2)
    shared.ok(*loading, "ann")
    assert "secret tea" in shared.ok("--as", BEN, "search", "secret tea")


def test_nothing_of_ones_own_vault_is_in_the_shared_one(shared: InProcess, own: Path) -> None:
    for words in (("search", "secret tea"), ("show", own_id(shared, own)), ("recall", "secret tea"), ("check",)):
        shared.run(*words)
    shared.run("add", "Named.", "--derived-from", own_id(shared, own))
    kept = [file for file in files_with(shared.home, b"secret", own_id(shared, own).encode()) if str(own) not in file]
    digest = vault_hash(own)
    assert [file for file in kept if digest not in file] == []


def test_nothing_names_what_is_in_ones_own_vault(shared: InProcess, own: Path) -> None:
    private, path = own_id(shared, own), pager(shared)
    (shared.home / "draft.md").write_text(f"---\nderived_from: [note:{private}]\n---\nNamed.\n")
    for words in (
        ("add", "Named.", "--derived-from", private),
        ("add", "Named.", "--derived-from", f"note:{private}"),
        ("add", "Named.", "--relates-to", private),
        ("add", f"See [[note:{private}#L1]]."),
        ("add", f"See {private}."),
        ("add", "-F", str(shared.home / "draft.md")),
        ("add", "Named.", "--derived-from", "stack:own/notes/tea.md"),
        ("set", path, f"relates_to=note:{private}"),
        ("supersede", path, f"As in [[{private}]]."),
    ):
        before = shared.git("status", "--porcelain")
        assert "is in your own vault, and nothing in the vault of group:ops may name it" in refused(shared, *words)
        assert shared.git("status", "--porcelain") == before
        said = shared.run("--as", BEN, *words)
        assert "own vault" not in said.stdout + said.stderr
        shared.git("checkout", "-q", ".")
        shared.git("clean", "-qfd")
    shared.ok("add", "Named to myself.", "--private", "--relates-to", private)


def test_no_record_names_what_is_in_ones_own_vault(shared: InProcess, own: Path) -> None:
    private = own_id(shared, own)
    shared.ok("add", "The pager is silent at night.", "--title", "Silent", "--commit")
    one, other = (memory["ref"] for memory in shared.json("list")["memories"] if memory["title"] in ("Pager", "Silent"))
    for words in (
        ("conflicts", "judge", one, other, "contradicts", "--reason", f"see note:{private}"),
        ("privacy", "consent", "grant", "--from", ANN, "--to", EVE, "--scope", one, "--reason", f"as in {private}"),
        ("privacy", "entity", "add", EVE, "--note", f"See [[note:{private}]]."),
        ("archive", one, "--commit", "--reason", f"as in note:{private}"),
        ("commit", "-m", f"as in note:{private}"),
    ):
        before = shared.git("status", "--porcelain")
        assert f"{private} is in your own vault, and nothing in the vault of group:ops may name it" in refused(
            shared, *words
        )
        assert shared.git("status", "--porcelain") == before
        assert "own vault" not in shared.run("--as", BEN, *words).stderr
        shared.git("add", "-A")
        shared.git("reset", "-q", "--hard")


def test_no_commit_names_what_is_in_ones_own_vault(shared: InProcess, own: Path) -> None:
    private = own_id(shared, own)
    for path, text in {
        "notes/by-hand.md": f"---\ntype: note\nid: m_0123456789\n---\n\nAs in [[note:{private}]].\n",
        "plan.md": f"# Plan\n\nAs in {private}.\n",
        f"{pager(shared)}": (shared.vault / pager(shared)).read_text() + f"\nAs in {private}.\n",
    }.items():
        place = shared.vault / path
        before = place.read_bytes() if place.exists() else None
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
        assert f"{private} is in your own vault, and everybody" in refused(shared, "commit"), path
        assert f"{private} is in your own vault" in shared.run("check", "--against", "HEAD").stdout
        assert "own vault" not in shared.run("--as", BEN, "check", "--against", "HEAD").stdout
        place.write_bytes(before) if before else place.unlink()
    (shared.vault / "plan.md").write_text(f"# Plan\n\nAs in {private}.\n")
    shared.ok("--as", BEN, "commit")  # he can't know
    shared.git("mv", "plan.md", "plans.md")
    (shared.vault / "plans.md").write_text(f"# Plans\n\nAs in {private}.\n")
    shared.ok("commit")  # it was there already


def test_check_finds_private_names_for_whom_they_are_private(shared: InProcess, own: Path) -> None:
    private, place = own_id(shared, own), shared.vault / pager(shared)
    place.write_text(place.read_text() + f"\nSee [[note:{private}]], note:m_0000000000 and note:tuesday.\n")
    line = place.read_text().count("\n")
    found = shared.run("check")
    assert found.returncode == 1
    assert f"{pager(shared)}:{line}:1: error: note:{private} is in your own vault" in found.stdout
    assert found.stdout.count("[shared-private]") == 1
    assert "shared-private" not in shared.run("--as", BEN, "check").stdout
    shared.ok("set", pager(shared), "importance=high")  # it is there already


def test_in_a_context_everybody_listens_for_himself(shared: InProcess) -> None:
    shared.ok("context", "add", "ctx:lobby", "--open")
    assert shared.ok("--as", BEN, "--context", "ctx:lobby", "--self", "list") == ""
    assert "others listen" in refused(shared, "--as", BEN, "--context", "ctx:lobby", "--self", "log")
    shared.ok("context", "add", "ctx:standup", "--roster", ANN, BEN)
    assert "Pager" in shared.ok("--as", BEN, "--context", "ctx:standup", "list")


def test_a_clone_asks_who_one_is(shared: InProcess) -> None:
    clone = shared.home / "clone"
    shared.git("clone", "-q", ".", str(clone))
    done = shared.run("list", cwd=clone)
    assert done.returncode == 2
    assert "it isn't known who you are in this vault, which is group:ops's" in done.stderr
    assert "hint: memstore --as human:" in done.stderr
    shared.ok("--as", BEN, "init", cwd=clone)
    assert "Pager" in shared.ok("list", cwd=clone)
    assert "only a keeper" in shared.run("privacy", "group", "add", OPS, EVE, cwd=clone).stderr
    assert "Pager" in shared.ok("list")  # Ann's own folder


def test_a_vault_of_a_group_without_a_charter_gets_one_from_a_member(shared: InProcess) -> None:
    charter = shared.vault / "groups/ops.yaml"
    charter.write_text(charter.read_text().replace("keepers: [human:ann]\n", ""))
    assert shared.ok("--as", BEN, "list") == ""
    assert "is no member of group:ops" in refused(shared, "--as", EVE, "init")
    shared.ok("--as", BEN, "init")
    assert "kept by human:ben" in shared.ok("--as", BEN, "doctor")


def test_a_group_among_the_keepers_counts_for_nothing(shared: InProcess) -> None:
    charter = shared.vault / "groups/ops.yaml"
    charter.write_text(charter.read_text().replace("keepers: [human:ann]", 'keepers: ["group:guests"]  # ours'))
    assert "is a group without keepers" in shared.ok("--as", BEN, "doctor")
    shared.ok("--as", BEN, "init")
    assert 'keepers: ["group:guests", human:ben]  # ours' in charter.read_text()
    assert "kept by human:ben" in shared.ok("--as", BEN, "doctor")
    assert "would have no keeper" in refused(shared, "--as", BEN, "privacy", "group", "remove", OPS, BEN)


def test_where_a_context_is_required_a_keeper_at_a_terminal_needs_none(shared: InProcess) -> None:
    shared.ok("--as", ANN, "config", "require_context", "true")
    env = Environment(variables={}, folder=shared.vault, home=shared.home, login="x", at_terminal=True)
    assert composition.open_workspace(env, entity=ANN).actor == ANN
    for who in (BEN, EVE):
        with pytest.raises(RefusedError) as caught:
            composition.open_workspace(env, entity=who)
        assert "only a keeper, at a terminal, needs none" in str(caught.value.hint)
    assert "only in a context" in refused(shared, "--as", ANN, "list")


def test_what_both_vaults_say_keeps_its_better_place_in_recall(shared: InProcess, own: Path) -> None:
    for text in ("The ferry leaves at nine from pier four.", "Ferry tickets cost nine pounds.", "A ferry has a bar."):
        shared.ok("add", text)
    asked = "When does the ferry leave from pier four at nine?"
    first = shared.json("recall", asked)["memories"][0]["text"]
    for text in ("The ferry at nine leaves pier four early.", "The ferry leaves at nine from pier four."):
        shared.ok("add", text, "--private")
    assert first in [one["text"] for one in shared.json("recall", asked)["memories"]]
