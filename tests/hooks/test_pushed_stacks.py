"""A shared stack is pushed by git itself: to those it is for, and to nobody else; nothing else passes as one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.git_repositories import git
from tests.installed import PROGRAMS
from tests.support import memory_text
from tests.whole.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OWNER, MAX, EVE = "human:sean", "si:max", "human:eve"


class Stack:
    """A stack for Max, or for a group, and the remote that it is pushed to."""

    def __init__(self, program: Program, to: str = MAX) -> None:
        self.program = program
        self.root = program.home / "stack"
        self.remote = program.home / "remote.git"
        program.ok("share", "--to", to, str(self.root))
        git(program.home, "init", "-q", "--bare", str(self.remote))
        git(self.root, "remote", "add", "origin", "../remote.git")

    def guarded(self) -> None:
        """Install the hook here, as in a vault."""
        self.program.ok("hooks", "install", cwd=self.root)

    def served(self, *words: str) -> None:
        """Install the hook on the server."""
        self.program.ok("hooks", "install", "--pre-receive", str(self.remote), *words)

    def push(self, branch: str = "main") -> str:
        """Return what is said about a push; nothing, if it is accepted."""
        env = self.program.environment | {"PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"}
        words = ["git", "push", "-q", "origin", f"+HEAD:{branch}"]
        done = subprocess.run(words, cwd=self.root, env=env, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) == (not done.stderr), done.stderr
        return done.stderr

    def read_by(self, who: str, *, where: Path | None = None) -> None:
        """Declare who reads the remote, in git's settings."""
        git(where or self.root, "config", "remote.origin.memstoreReaders", who)

    def commit(self, path: str, text: str | bytes | None) -> None:
        """Change a file by hand, and commit it unchecked."""
        place = self.root / path
        if text is None:
            place.unlink()
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text if isinstance(text, bytes) else text.encode())
        git(self.root, "add", "-A", "-f")
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null")
        git(self.root, *who, "commit", "-q", "-m", "by hand")


def put(program: Program, path: str, body: str, **keys: str) -> None:
    place = program.vault / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(memory_text(body, **keys))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Program:
    made = Program(tmp_path_factory.mktemp("whole")).in_process()
    made.vault.mkdir()
    made.ok("init", ".", "--owner", OWNER)
    put(made, "notes/a.md", "Dogs love fetch.\n", id="m_fetch00001", title="Fetch", access_grants="['*']")
    put(made, "notes/b.md", "Short walks.\n", id="m_walks00001", title="Walks", access_grants=f"[{MAX}]",
        derived_from="\n- note:m_secret0001", generalized="false")  # fmt: skip
    put(made, "notes/c.md", "Hidden.\n", id="m_secret0001", title="A very secret garden", access_grants=f"[{MAX}]",
        access_denies=f"[{EVE}]", relates_to="\n- note:m_hidden0001")  # fmt: skip
    put(made, "notes/d.md", "Hidden.\n", id="m_hidden0001", title="Nobody may see this")
    made.git("add", "-A")
    made.git("commit", "-q", "--no-verify", "-m", "all")
    return made


@pytest.fixture
def vault(whole: Program, tmp_path: Path) -> Program:
    return whole.copied(tmp_path)


def test_a_stack_goes_to_those_it_is_for_and_to_nobody_else(vault: Program) -> None:
    stack = Stack(vault)
    stack.guarded()
    said = stack.push()
    assert "it isn't known who can read origin" in said
    assert "hint: git config remote.origin.memstoreReaders ENTITY" in said
    for audience in (EVE, f"{MAX},{EVE}", "public", "group:park"):
        stack.read_by(audience)
        said = stack.push()
        assert "the stack stack is for si:max" in said, audience
        assert "memstore share --to ENTITY DIR writes a stack for somebody else" in said
    stack.read_by("si:max, not an id")
    assert "it isn't known who can read origin" in stack.push()
    stack.read_by(MAX)
    assert stack.push() == ""
    stack.read_by("owner")
    assert stack.push("other") == ""


def test_a_server_takes_a_stack_by_the_settings_of_its_vault(vault: Program) -> None:
    stack = Stack(vault)
    stack.served()
    assert "no vault here says who reads origin" in stack.push()
    vault.ok("config", "remotes.origin", f"{MAX},{EVE}")
    said = stack.push()
    assert "the stack stack is for si:max; human:eve may not see it" in said
    assert "notes/b.md: human:eve may not see it" in said
    vault.ok("config", "remotes.origin", MAX)
    assert stack.push() == ""
    put(vault, "notes/e.md", "More.\n", id="m_fifth00001", access_grants="['*']")
    vault.ok("share", "--update", "stack")
    assert stack.push() == ""
    vault.ok("privacy", "revoke", "m_fifth00001", "--from", MAX)
    assert "notes/e.md: as it is today, si:max may not see it" in stack.push("again")


def test_a_group_reads_for_as_long_as_the_same_people_are_in_it(vault: Program) -> None:
    vault.ok("privacy", "group", "add", "group:park", MAX, EVE)
    stack = Stack(vault, "group:park")
    stack.served()
    stack.guarded()
    stack.read_by("group:park")
    vault.ok("config", "remotes.origin", "group:park")
    assert stack.push() == ""
    vault.ok("privacy", "group", "add", "group:park", "human:new")
    said = stack.push("later")
    assert "the stack stack is for group:park; human:new may not see it" in said
    assert "--update brings one up to date" in said
    vault.ok("share", "--update", "stack")
    assert stack.push("later") == ""


def test_a_server_without_a_vault_takes_stacks_for_those_it_is_read_by(vault: Program) -> None:
    stack = Stack(vault)
    stack.served("--own-settings")
    said = stack.push()
    assert "it isn't known who can read origin, to which a shared stack is pushed" in said
    assert "in the repository on the server: git config remote.origin.memstoreReaders" in said
    stack.read_by(EVE, where=stack.remote)
    assert "the stack stack is for si:max; human:eve may not see it" in stack.push()
    stack.read_by(MAX, where=stack.remote)
    assert stack.push() == ""
    put(vault, "notes/e.md", "More.\n", id="m_fifth00001", access_grants="['*']")
    vault.ok("share", "--update", "stack")
    assert stack.push() == ""
    stack.commit("notes/f.md", memory_text("Not shared.\n", id="m_sixth00001", access_grants="['*']"))
    assert "notes/f.md: it is not what memstore share writes into a stack" in stack.push()


def test_a_plain_note_goes_with_its_stack_to_those_who_see_the_notes(vault: Program) -> None:
    vault.ok("config", "notes_for", MAX)
    (vault.vault / "notes/plain.md").write_text("Just text.\n")
    stack = Stack(vault)
    stack.served()
    vault.ok("config", "remotes.origin", MAX)
    assert (stack.root / "notes/plain.md").exists()
    assert stack.push() == ""
    vault.ok("config", "notes_for", EVE)
    assert "notes/plain.md: it is a plain note, which is for the owner alone" in stack.push("again")


def _manifest(root: Path, change: Callable[[dict[str, object]], object]) -> bytes:
    said = json.loads((root / ".memstore/stack.json").read_bytes())
    change(said)
    return (json.dumps(said, ensure_ascii=False, indent=1) + "\n").encode()


@pytest.mark.soak
@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        ("notes/b.md", "---\nid: m_walks00001\n---\nThe salary.\n", "it is not as the stack's manifest says"),
        ("notes/more.md", "The salary.\n", "it is not what memstore share writes into a stack"),
        ("consents/2026/con_1.md", "The salary.\n", "it is not what memstore share writes into a stack"),
        (".memstore/config.toml", 'format = 1\nowner = "human:sean"\n# The salary\n', "it is not what memstore share"),
        (".memstore/allowed_signers", "# The salary\n", "it is not what memstore share writes into a stack"),
        (".memstore/revoked_keys", "The salary\n", "it is not what memstore share writes into a stack"),
        (".gitattributes", "* text\n", "it is not what memstore share writes into a stack"),
        ("notes/a.md", None, "it is not as the stack's manifest says"),
        (".memstore/stack.json", "{}", "is not the manifest of a shared stack"),
        (".memstore/stack.json", None, "it is not a commit of a shared stack"),
    ],
)
def test_what_a_stack_does_not_hold_by_itself_is_refused(
    vault: Program, path: str, text: str | None, told: str
) -> None:
    stack = Stack(vault)
    stack.guarded()
    stack.read_by(MAX)
    stack.commit(path, text)
    if path == ".memstore/stack.json":
        git(stack.root, "checkout", "-q", "HEAD~1", "--", path)  # so that it is a stack's own repository
    said = stack.push()
    assert told in said
    if text != "{}" and told != "it is not a commit of a shared stack":
        assert f": {path}: " in said


def test_a_manifest_says_nothing_else(vault: Program) -> None:
    stack = Stack(vault)
    stack.guarded()
    stack.read_by(MAX)
    told = {
        _manifest(stack.root, lambda said: said.update(note="The salary")): "memstore.stack/1 has no key 'note'",
        _manifest(stack.root, lambda _: None) + b" ": "it is not what memstore share writes into a stack",
    }
    for text, why in told.items():
        stack.commit(".memstore/stack.json", text)
        said = stack.push()
        assert ".memstore/stack.json: " in said
        assert why in said
        git(stack.root, "reset", "-q", "--hard", "HEAD~1")
    (stack.root / "link").symlink_to("notes/a.md")
    git(stack.root, "add", "link")
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null")
    git(stack.root, *who, "commit", "-q", "-m", "see m_h1dden0001")
    said = stack.push()
    assert "link: it is no file" in said
    assert "it names a memory that is not in the stack" in said


def test_a_manifest_opens_no_memory_of_the_vault(vault: Program) -> None:
    # Somebody puts a manifest into the vault's own branch: each of its memories is judged as ever.
    stack = Stack(vault)
    vault.ok("config", "remotes.origin", MAX)
    vault.git("remote", "add", "origin", str(stack.remote))
    shutil.copy(stack.root / ".memstore/stack.json", vault.vault / ".memstore/stack.json")
    vault.git("add", "-A", "-f")
    vault.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "with a manifest")
    (vault.vault / ".memstore/stack.json").unlink()
    env = vault.environment | {"PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"}
    words = ["git", "push", "-q", "origin", "HEAD:main"]
    done = subprocess.run(words, cwd=vault.vault, env=env, capture_output=True, text=True, check=False)
    assert "notes/d.md: si:max may not see it" in done.stderr
    assert done.returncode != 0
