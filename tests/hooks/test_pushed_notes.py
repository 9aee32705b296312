"""Pushes from a mixed vault: notes and other files are the repository's, memories are not, and stay what they were."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from memstore.vault import init
from tests.git_repositories import OWNER, git, memory, vault_in
from tests.hooks.test_push_guard import PATH, Pushing, seen

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.soak(4, together=True)

PRIVATE = "Nobody else may know this line.\nNor may anybody know that one.\n"
ID = "m_hhhhhhhhh1"


class Notes(Pushing):
    """A mixed vault with plain notes, and a remote."""

    def declare(self, audience: str, remote: str = "origin") -> None:
        """Set who reads a remote; nobody says it for an empty audience."""
        remotes = f'[remotes]\n"{remote}" = {audience}\n' if audience else ""
        self.vault.write(".memstore/config.toml", f'format = 1\nowner = "{OWNER}"\nnotes = "mixed"\n{remotes}')

    def arrives(self, *words: str) -> str:
        """Push, and return what is said."""
        done = self.push(*words)
        assert done.returncode == 0, done.stderr
        return done.stderr


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    vault = vault_in(tmp_path / "vault")
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    git(vault.root, "remote", "add", "origin", "../remote.git")
    notes = Notes(vault, tmp_path / "remote.git")
    notes.declare("")
    (vault.root / ".git/info/exclude").write_text("audit\n")
    vault.write("tea.md", "# Tea\n\nSee [[Rice]].\n")
    vault.write("LICENSE", "MIT\n")
    vault.commit("notes")
    init.install(vault.open().view())
    return notes


@pytest.mark.parametrize("audience", ["", '["public"]', '["human:bob"]'])
def test_what_git_could_push_before_goes(notes: Notes, audience: str) -> None:
    notes.declare(audience)
    (notes.root / "link.md").symlink_to("tea.md")
    git(
        notes.root, "update-index", "--add", "--cacheinfo", f"160000,{git(notes.root, 'rev-parse', 'HEAD').strip()},sub"
    )
    notes.commit("entities/tea.md", "# No registry\n")
    git(notes.root, "tag", "file", "HEAD:tea.md")
    git(notes.root, "notes", "add", "-m", "a note of git's")
    said = notes.arrives("origin", "HEAD:main", "file", "refs/notes/commits")
    assert ("it isn't known who can read origin" in said) is (audience == "")
    assert ("memstore config remotes.origin owner" in said) is (audience == "")


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("secret.md", memory(ID, PRIVATE)),
        ("shown.md", seen("m_shown00001")),
        ("entities/human/bob.md", "---\nid: human:bob\n---\n"),
        ("groups/club.yaml", "id: group:club\nmembers: []\n"),
        ("imports/chat.original", "text"),
        (".memstore/other", "text"),
        ("toml.md", f'+++\nid = "{ID}"\n+++\n\n{PRIVATE}'),
        ("odd.md", f"---\n{{ID: {ID}}}\n---\n\n{PRIVATE}"),
        ("odd.md", f"---\nid: !!str\n  {ID}\n---\n\n{PRIVATE}"),
        ("odd.md", f"\ufeff---\r\n'id' : {ID}\r\n---\r\n\r\n{PRIVATE}"),
    ],
)
def test_the_vaults_own_waits_until_it_is_said_who_reads(notes: Notes, path: str, text: str) -> None:
    notes.commit(path, text)
    said = notes.refused()
    assert "it isn't known who can read origin" in said
    assert path in said
    assert "hint: memstore config remotes.origin owner" in said
    notes.declare('["owner"]')
    notes.arrives()


def test_settings_and_what_they_record_go_unless_they_name_somebody_else(notes: Notes) -> None:
    (notes.root / ".git/info/exclude").write_text("")
    notes.program("config", "remotes.origin", "public")
    notes.vault.commit("public")
    notes.arrives()
    notes.program("config", "remotes.other", "human:eve")
    notes.vault.commit("and somebody else")
    assert ".memstore/config.toml: it is the vault's own" in notes.refused()


def without_id(notes: Notes, path: str = "secret.md") -> None:
    text = memory(ID, PRIVATE).replace(f"id: {ID}\n", "")
    notes.vault.write(path, f"{text}More.\n")


def moved(notes: Notes) -> None:
    git(notes.root, "mv", "secret.md", "other.md")
    without_id(notes, "other.md")


def linked(notes: Notes) -> None:
    (notes.root / "secret.md").unlink()
    (notes.root / "secret.md").symlink_to("tea.md")


def copied(notes: Notes) -> None:
    notes.vault.write("x.txt", (notes.root / "secret.md").read_text())


def added_again(notes: Notes) -> None:
    notes.commit("secret.md", None)
    without_id(notes)


def edited_later(notes: Notes) -> None:
    without_id(notes)
    notes.vault.commit("without its id")
    notes.arrives("--no-verify", "origin", "HEAD:main")
    notes.vault.write("secret.md", "# Harmless\n")


def merged(notes: Notes) -> None:
    git(notes.root, "switch", "-q", "-c", "side", "HEAD~1")
    notes.commit("b.md", "# B\n")
    git(notes.root, "-c", "core.hooksPath=/dev/null", "merge", "-q", "--no-commit", "--no-ff", "main")
    without_id(notes)


@pytest.mark.soak(3)
@pytest.mark.parametrize("change", [without_id, moved, linked, copied, added_again, edited_later, merged])
def test_a_memory_whose_id_was_taken_out_stays_one(notes: Notes, change: Callable[[Notes], None]) -> None:
    notes.declare('["public"]')
    notes.commit("secret.md", memory(ID, PRIVATE))
    notes.arrives("--no-verify", "origin", "HEAD:main")  # it is there already: this is about what follows
    change(notes)
    notes.vault.commit("after")
    assert "anybody else may not see it" in notes.refused("origin", "HEAD:main")


def test_a_note_of_before_it_was_adopted_goes(notes: Notes) -> None:
    old = git(notes.root, "rev-parse", "HEAD").strip()
    notes.program("adopt", "tea.md")
    notes.vault.commit("adopted")
    notes.arrives("origin", f"{old}:refs/heads/main")
    assert "tea.md: it is a memory" in notes.refused()


def test_only_taking_back_an_adoption_makes_a_memory_a_note_again(notes: Notes) -> None:
    notes.declare('["public"]')
    before = (notes.root / "tea.md").read_text()
    notes.program("adopt", "tea.md")
    notes.vault.commit("adopted")
    notes.arrives("--no-verify", "origin", "HEAD:main")
    adopted = notes.commit("tea.md", f"{before}By hand.\n")
    assert f"commit {adopted[:10]}: tea.md: it was a memory" in notes.refused()
    git(notes.root, "reset", "-q", "--hard", "HEAD~1")
    notes.program("undo")
    notes.commit("tea.md", f"{before}By undo.\n")
    notes.arrives()


@pytest.mark.parametrize("what", ["HEAD:secret.md", "HEAD^{tree}"])
def test_a_tag_at_a_memory_or_a_folder_with_one_is_refused(notes: Notes, what: str) -> None:
    notes.declare('["public"]')
    notes.commit("secret.md", memory(ID, PRIVATE))
    git(notes.root, "tag", "-a", "v1", "-m", "fine", git(notes.root, "rev-parse", what).strip())
    assert "refs/tags/v1: " in notes.refused("origin", "v1")


def test_notes_of_git_name_no_hidden_memory(notes: Notes) -> None:
    notes.declare('["public"]')
    notes.arrives()
    notes.vault.write("secret.md", memory(ID, PRIVATE, title="Salary talk"))
    git(notes.root, "notes", "add", "-m", "after the salary talk")
    assert "it has the title" in notes.refused("origin", "refs/notes/commits")


def test_of_a_group_that_owns_the_vault_each_member_reads_for_himself(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    git(vault.root, "remote", "add", "origin", "../remote.git")
    pushing = Pushing(vault, tmp_path / "remote.git")
    (vault.root / ".git/info/exclude").write_text(".memstore\ngroups\n")
    vault.write("groups/core.yaml", "id: group:core\nmembers:\n- id: human:ann\n- id: human:bob\n")
    vault.write("a.md", memory("m_anns", "The salary.\n", owner="human:ann"))
    vault.commit("Ann's")
    init.install(vault.open().view())
    for audience in ("group:core", "owner", "human:bob"):
        config = f'format = 1\nowner = "group:core"\n[remotes]\norigin = ["{audience}"]\n'
        vault.write(".memstore/config.toml", config)
        assert "a.md: " in pushing.refused()
    vault.write("a.md", memory("m_anns", "The salary.\n", owner="human:ann", access_grants='["group:core"]'))
    git(vault.root, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "--amend", "-m", "for all")
    vault.write(".memstore/config.toml", config.replace("human:bob", "group:core"))
    pushing.passes()


def test_what_a_vault_of_a_group_without_a_charter_can_not_do_is_said(tmp_path: Path) -> None:
    vault = vault_in(tmp_path / "vault")
    vault.write("groups/core.yaml", "id: group:core\nmembers:\n- id: human:ann\n")
    vault.write(".memstore/config.toml", 'format = 1\nowner = "group:core"\n')

    def said(*words: str) -> str:
        run = ["memstore", "--as", "human:ann", *words]
        env = os.environ | {"PATH": PATH}
        done = subprocess.run(run, cwd=vault.root, env=env, capture_output=True, text=True, check=False)
        return f"{done.returncode} {done.stdout}{done.stderr}"

    assert "group:core is a group without keepers: its members see what is granted to them" in said("doctor")
    assert said("config", "notes_for", "human:ann").startswith("4 ")
    said("init")
    assert "group:core, with 1 member; kept by human:ann" in said("doctor")
    for name in ("group:club", "role:vet", "topic:tea", "everybody"):
        assert said("config", "notes_for", name).startswith(f"2 memstore: notes_for can't name {name!r}")
    assert said("config", "notes_for", "human:ann,si:ash,group:core").startswith("0 ")
