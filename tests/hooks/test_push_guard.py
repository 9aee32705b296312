"""The hooks of a push, run by git itself at real pushes: what may not go is refused, however it hides in a range."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import memstore
from memstore.access import audit_events
from memstore.exchange.formats import IMPORTERS
from memstore.hooks import push_guard
from memstore.vault import init, pushed_records
from tests import forked
from tests.git_repositories import OWNER, Written, git, memory, repository, vault_in
from tests.installed import PROGRAMS

pytestmark = pytest.mark.soak(20, together=True)

BOB = "human:bob"
PATH = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
EMPTY = "0" * 40


def seen(memory_id: str, body: str = "Some text.\n", **keys: str) -> str:
    """Return a memory that Bob may see."""
    return memory(memory_id, body, **{"access_grants": f'["{BOB}"]'} | keys)


@dataclass
class Pushing:
    """A vault whose commits have memories alone, and a remote that Bob reads."""

    vault: Written
    remote: Path

    @property
    def root(self) -> Path:
        return self.vault.root

    def declare(self, audience: str, remote: str = "origin") -> None:
        """Set who reads a remote."""
        config = f'format = 1\nowner = "{OWNER}"\n[remotes]\n"{remote}" = {audience}\n'
        self.vault.write(".memstore/config.toml", config)

    def commit(self, path: str, text: str | None, message: str = "x") -> str:
        """Write a file, or delete it for None, and commit it."""
        if text is None:
            (self.root / path).unlink()
        else:
            self.vault.write(path, text)
        return self.vault.commit(message)

    def push(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Push, which may fail."""
        return subprocess.run(
            ["git", "push", "-q", *(words or ("origin", "HEAD:main"))],
            cwd=self.root,
            env=os.environ | {"PATH": PATH} | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def program(self, *words: str) -> None:
        """Run memstore as the vault's owner."""
        forked.run(("--as", OWNER, *words), self.root, os.environ | {"PATH": PATH}).check_returncode()

    def passes(self, *words: str, **environment: str) -> None:
        done = self.push(*words, **environment)
        assert (done.returncode, done.stderr) == (0, "")

    def refused(self, *words: str, **environment: str) -> str:
        """Return what is said about a push that is refused; nothing has arrived."""
        before = git(self.remote, "for-each-ref")
        done = self.push(*words, **environment)
        assert done.returncode != 0, done.stderr
        assert "memstore: nothing was pushed" in done.stderr
        assert git(self.remote, "for-each-ref") == before
        return done.stderr


def pushing_to(tmp_path: Path, object_format: str = "sha1") -> Pushing:
    vault = vault_in(tmp_path / "vault", object_format)
    git(tmp_path, "init", "-q", "--bare", f"--object-format={object_format}", "-b", "main", "remote.git")
    git(vault.root, "remote", "add", "origin", "../remote.git")
    (vault.root / ".git/info/exclude").write_text(".memstore\n")
    vault.write("a.md", seen("m_aaa", "Tea at four.\n"))
    vault.commit("first")
    init.install(vault.open().view())
    pushing = Pushing(vault, tmp_path / "remote.git")
    pushing.declare(f'["{BOB}"]')
    return pushing


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("begun")
    pushing_to(place)
    return place


@pytest.fixture
def pushing(begun: Path, tmp_path: Path) -> Pushing:
    shutil.copytree(begun, tmp_path, symlinks=True, dirs_exist_ok=True)
    return Pushing(Written(tmp_path / "vault"), tmp_path / "remote.git")


# -- remotes and their audiences -------------------------------------------------------------------


def test_what_everybody_may_see_goes(tmp_path: Path) -> None:
    pushing = pushing_to(tmp_path, "sha256")
    pushing.passes()
    pushing.commit("b.md", seen("m_bbb"), "write note:m_bbb")
    git(pushing.root, "mv", "a.md", "c.md")
    pushing.vault.commit("moved")
    git(pushing.root, "tag", "-a", "v1", "-m", "a tag")
    pushing.passes("origin", "HEAD:main", "v1", "HEAD:refs/heads/other")
    assert git(pushing.remote, "ls-tree", "-r", "--name-only", "main").split() == ["b.md", "c.md"]


def test_a_remote_that_nobody_declared_is_refused_with_the_command_that_declares_it(pushing: Pushing) -> None:
    pushing.vault.write(".memstore/config.toml", f'format = 1\nowner = "{OWNER}"\n')
    said = pushing.refused()
    assert "it isn't known who can read origin" in said
    command = "memstore config remotes.origin owner"
    assert f"hint: {command}," in said
    subprocess.run([*command.split(), "--as", OWNER], cwd=pushing.root, env=os.environ | {"PATH": PATH}, check=True)
    pushing.commit("b.md", memory("m_bbb"))
    pushing.passes()


def test_a_url_is_matched_by_its_url(pushing: Pushing) -> None:
    url = str(pushing.remote)
    assert f"memstore config remotes.{url} owner" in pushing.refused(url, "HEAD:main")  # origin's is ../remote.git
    git(pushing.root, "remote", "set-url", "origin", url)
    pushing.passes(url, "HEAD:main")
    git(pushing.root, "remote", "rename", "origin", "elsewhere")
    assert f"remotes.{url} owner" in pushing.refused(url, "HEAD:other")
    pushing.declare(f'["{BOB}"]', url)
    pushing.passes(url + "/", "HEAD:other")
    pushing.passes("elsewhere", "HEAD:third")


def test_of_two_declarations_both_must_allow_it(pushing: Pushing) -> None:
    config = pushing.root / ".memstore/config.toml"
    config.write_text(config.read_text() + '"../remote.git" = ["human:eve"]\n')
    assert "human:eve may not see it [no-grant]" in pushing.refused()


def test_a_password_in_a_url_is_not_shown(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pushing = pushing_to(tmp_path)
    line = f"HEAD {git(pushing.root, 'rev-parse', 'HEAD').strip()} refs/heads/main {EMPTY}"
    url = "https://me:secret@example.org/x.git"
    assert push_guard.main(os.environ, pushing.root, ("pre-push", url, url), [line]) == 1
    said = capfd.readouterr().err
    assert "memstore config remotes.https://example.org/x.git owner" in said
    assert "secret" not in said


def test_everything_goes_where_only_the_owner_reads(pushing: Pushing) -> None:
    (pushing.root / ".git/info/exclude").unlink()
    for audience in ('["owner"]', f'["{OWNER}"]'):
        pushing.declare(audience)
        pushing.commit("private.md", memory("m_private", f"{audience}\n"), "m_private")
        pushing.passes()


def test_the_public_is_everybody(pushing: Pushing) -> None:
    pushing.declare('["public"]')
    assert "anybody else may not see it" in pushing.refused()
    pushing.vault.write("a.md", seen("m_aaa", access_grants='["*"]'))
    git(pushing.root, "add", "a.md")
    git(pushing.root, "-c", "core.hooksPath=/dev/null", "commit", "-q", "--amend", "-m", "first")
    pushing.passes()
    pushing.commit("b.md", seen("m_bbb", access_grants='["*"]', access_denies='["human:eve"]'))
    assert "human:eve may not see it [excluded]" in pushing.refused()


def test_a_group_reads_by_all_its_members(pushing: Pushing) -> None:
    (pushing.root / ".git/info/exclude").write_text(".memstore\ngroups\n")
    pushing.declare('["group:club"]')
    group = 'id: group:club\nmembers:\n- id: human:bob\n- id: human:eve\n  from: "2999-01-01T00:00:00Z"\n'
    pushing.vault.write("groups/club.yaml", group)
    pushing.vault.write("a.md", seen("m_aaa", access_grants='["group:club", "human:bob"]'))
    git(pushing.root, "add", "a.md")
    git(pushing.root, "-c", "core.hooksPath=/dev/null", "commit", "-q", "--amend", "-m", "first")
    assert "human:eve may not see it [no-grant]" in pushing.refused()  # who joins later reads it then
    pushing.vault.write("groups/club.yaml", group.replace("2999", "2019"))
    pushing.passes()


def test_a_push_that_only_deletes_sends_nothing(pushing: Pushing) -> None:
    pushing.passes("origin", "HEAD:main", "HEAD:other")
    pushing.vault.write(".memstore/config.toml", f'format = 1\nowner = "{OWNER}"\n')
    pushing.passes("origin", ":other")


# -- what hides in a range -------------------------------------------------------------------------


def test_a_memory_that_was_shown_for_one_commit_in_the_middle(pushing: Pushing) -> None:
    pushing.passes()
    hidden = pushing.commit("b.md", memory("m_bbb", "The salary.\n"))
    shown = pushing.commit("b.md", seen("m_bbb", "The salary.\n"))
    pushing.commit("b.md", memory("m_bbb", "The salary.\n"))
    pushing.commit("b.md", None)
    said = pushing.refused()
    assert f"commit {hidden[:10]}: b.md: human:bob may not see it [self-only]" in said
    assert f"commit {shown[:10]}: b.md: by another of these commits, human:bob may not see it" in said


def test_a_memory_that_is_hidden_today_was_shown_when_it_was_committed(pushing: Pushing) -> None:
    pushing.passes()
    shown = pushing.commit("b.md", seen("m_bbb", "The salary.\n"))
    git(pushing.root, "branch", "then")
    pushing.commit("b.md", memory("m_bbb", "The salary.\n"))
    said = pushing.refused("origin", "then:main")
    assert f"commit {shown[:10]}: b.md: as it is today, human:bob may not see it [self-only]" in said
    pushing.commit("b.md", seen("m_bbb", "The salary.\n"))
    pushing.passes("origin", "then:main")
    pushing.vault.write("b.md", memory("m_bbb", "The salary.\n"))  # not committed yet, and counts
    assert "as it is today" in pushing.refused("origin", "then:new")


def test_a_memory_that_is_hidden_today_under_another_id(pushing: Pushing) -> None:
    pushing.passes()
    pushing.commit("b.md", seen("m_bbb", "Other words.\n", title="Her salary"))
    pushing.commit("b.md", seen("m_bbb", "It rose.\n", title="The salary", aliases="[pay rise]"))
    git(pushing.root, "branch", "then")
    for title in ("The salary", "Pay rise\naliases: [pay rise]"):
        pushing.vault.write("b.md", memory("m_ccc", "It rose.\n", title=title))
        said = pushing.refused("origin", "then:main")
        assert said.count("b.md: it has another id today, and human:bob may not see it") == 1, said
    pushing.vault.write("moved.md", seen("m_bbb", "It rose.\n", title="The salary"))
    pushing.passes("origin", "then:main")  # the one that was pushed is elsewhere today


def test_another_memory_at_the_place_of_one_that_is_gone_hides_nothing(pushing: Pushing) -> None:
    pushing.passes()
    pushing.commit("b.md", seen("m_bbb", "It rose.\n", title="The salary"))
    git(pushing.root, "branch", "then")
    pushing.vault.write("b.md", memory("m_ccc", "It rains.\n", title="Weather"))
    pushing.passes("origin", "then:main")


def test_what_a_merge_brings_by_itself(pushing: Pushing) -> None:
    pushing.passes()
    git(pushing.root, "switch", "-q", "-c", "side")
    pushing.commit("b.md", seen("m_bbb", "One.\n"))
    git(pushing.root, "switch", "-q", "main")
    pushing.commit("b.md", seen("m_bbb", "Two.\n"))
    git(pushing.root, "-c", "core.hooksPath=/dev/null", "merge", "-q", "-s", "ours", "--no-commit", "side")
    pushing.vault.write("b.md", memory("m_bbb", "The salary.\n"))
    merge = pushing.vault.commit("merged")
    pushing.commit("b.md", seen("m_bbb", "Two.\n"))
    said = pushing.refused()
    assert f"commit {merge[:10]}: b.md: human:bob may not see it" in said
    assert said.count("b.md") == 1


def test_what_is_in_no_tree_of_the_tip(pushing: Pushing) -> None:
    hidden = pushing.commit("b.md", memory("m_bbb", "The salary.\n"))
    pushing.commit("b.md", None)
    for words in (("origin", "HEAD:main"), ("--force", "origin", "HEAD:main"), ("origin", "HEAD:refs/notes/x")):
        assert f"commit {hidden[:10]}: b.md" in pushing.refused(*words)
    git(pushing.root, "checkout", "-q", "--orphan", "fresh")
    pushing.vault.commit("fresh")
    pushing.passes("origin", "HEAD:main")


def test_a_hidden_memory_that_was_renamed(pushing: Pushing) -> None:
    pushing.commit("b.md", memory("m_bbb", "The salary.\n"))
    git(pushing.root, "mv", "b.md", "harmless.txt")
    renamed = pushing.vault.commit("moved")
    said = pushing.refused()
    assert f"commit {renamed[:10]}: harmless.txt: it is no memory, so it is for the owner alone" in said


@pytest.mark.soak(2)
@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        ("notes/plain.md", "# No memory\n", "it is a plain note, which is for the owner alone"),
        ("broken.md", '---\ntype: note\nid: m_b\naccess_grants: ["human:bob"\n---\n', "it can't be read"),
        ("entities/human/bob.md", "---\nid: human:bob\n---\n", "it is no memory"),
        ("consents/2026/con_x.md", seen("m_bbb"), "it is no memory"),
        ("audit/human/x/2026/a.json", "{}", "it is no memory"),
        ("requests/a.md", seen("m_bbb"), "it is no memory"),
        (".hidden/a.md", seen("m_bbb"), "it is no memory"),
        ("b.md", seen("m_bbb", status="forgotten"), "nobody else may see it [forgotten]"),
        ("b.md", seen("m_bbb", derived_from='["note:m_gone"]'), "may not see it [lineage-unresolved]"),
        ("b.md", seen("m_bbb", subject_ids='["dog:bella", "human:ann"]'), "may not see it [consent-missing]"),
    ],
)
def test_what_is_for_the_owner_alone(pushing: Pushing, path: str, text: str, told: str) -> None:
    commit = pushing.commit(path, text)
    said = pushing.refused()
    assert f"commit {commit[:10]}: {path}: " in said
    assert told in said


def test_a_vault_whose_readers_may_see_all_of_it_goes_to_them(pushing: Pushing) -> None:
    (pushing.root / ".git/info/exclude").write_text("")
    pushing.program("privacy", "group", "add", "group:club", BOB, "--until", "2099-01-01")
    pushing.program("config", "notes_for", "group:club")
    pushing.program("add", "For both.", "--access", BOB)
    pushing.commit(".gitattributes", "*.md merge=memstore\n")
    pushing.commit(".memstoreignore", "drafts/\n")
    pushing.commit("plain.md", "# A plain note\n")
    pushing.passes()
    assert "groups/club.yaml" in git(pushing.remote, "ls-tree", "-r", "--name-only", "main")


@pytest.mark.soak(2)
@pytest.mark.parametrize(
    ("words", "path"),
    [
        (("privacy", "group", "add", "group:club", BOB, "human:eve"), "groups/club.yaml"),
        (("privacy", "group", "add", "group:others", OWNER), "groups/others.yaml"),
        (("privacy", "entity", "add", BOB, "--alias", "Bobby"), "entities/human/bob.md"),
        (("config", "notes_for", "human:eve"), ".memstore/config.toml"),
        (("privacy", "grant", "a.md", "--to", "human:eve"), "audit/human/tester/"),
        (("privacy", "group", "add", "group:club", BOB, "human:eve"), "audit/human/tester/"),
    ],
)
def test_records_that_name_somebody_else_do_not_go(pushing: Pushing, words: tuple[str, ...], path: str) -> None:
    (pushing.root / ".git/info/exclude").write_text("")
    pushing.program(*words)
    pushing.vault.commit("a record")
    assert f": {path}" in pushing.refused()


def test_an_event_that_names_a_hidden_memory_does_not_go(pushing: Pushing) -> None:
    (pushing.root / ".git/info/exclude").write_text("")
    pushing.commit("b.md", memory("m_bbb", "The salary.\n"))
    pushing.program("privacy", "grant", "b.md", "--to", BOB)
    pushing.program("privacy", "revoke", "b.md", "--from", BOB)
    git(pushing.root, "rm", "-q", "--cached", "b.md")
    (pushing.root / ".git/info/exclude").write_text("b.md\n")
    pushing.vault.commit("events alone")
    assert ": audit/human/tester/" in pushing.refused()


@pytest.mark.parametrize(("other", "goes"), [("m_seen", True), ("m_hidden", False)])
def test_a_verdict_goes_where_both_of_its_memories_may_be_seen(pushing: Pushing, other: str, goes: bool) -> None:  # noqa: FBT001
    (pushing.root / ".git/info/exclude").write_text("hidden.md\n")
    (pushing.root / "hidden.md").write_text(memory("m_hidden", "The salary.\n"))
    pushing.commit("seen.md", memory("m_seen", "The lamp.\n", access_grants=f"['{BOB}']"))
    pushing.program("conflicts", "judge", "a.md", other, "unrelated")
    pushing.vault.commit("a verdict")
    if goes:
        pushing.passes()
    else:
        assert ": .memstore/verdicts/" in pushing.refused()


def test_an_event_that_was_changed_does_not_go(pushing: Pushing) -> None:
    (pushing.root / ".git/info/exclude").write_text("")
    pushing.program("privacy", "group", "add", "group:club", BOB)
    [event] = (pushing.root / "audit").rglob("*.json")
    event.write_text(event.read_text().replace("group:club", "human:bob"))
    pushing.vault.commit("an event that was changed")
    assert ": audit/human/tester/" in pushing.refused()


CLUB = "id: group:club\nmembers:\n- id: human:bob\n"


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("groups/club.yaml", "keepers: [human:carla]\n"),
        ("groups/club.yaml", "note: Carla is ill\n"),
        ("groups/club.yaml", "# Carla is ill\n"),
        ("groups/carla-is-ill.yaml", ""),
        ("groups/club.yaml", None),
    ],
)
def test_a_group_says_nothing_but_who_is_in_it(pushing: Pushing, path: str, more: str | None) -> None:
    (pushing.root / ".git/info/exclude").write_text(".memstore\n")
    pushing.vault.write(path, CLUB + (more or "keepers: [human:tester]\n"))
    pushing.vault.commit("a group")
    if more is None:
        pushing.passes()
    else:
        assert f": {path}" in pushing.refused()


@pytest.mark.parametrize(
    ("reason", "goes"),
    [
        ("both hold", True),
        ("human:bob says so", True),
        ("human:carla is ill", False),
        ("as m_secretsecr says", False),
        ("see the salary of the gardener", False),
    ],
)
def test_what_a_verdict_says_is_read_before_it_goes(pushing: Pushing, reason: str, goes: bool) -> None:  # noqa: FBT001
    (pushing.root / ".git/info/exclude").write_text("hidden.md\n.memstore/config.toml\n")
    (pushing.root / "hidden.md").write_text(memory("m_hidden", "x\n", title="The salary of the gardener"))
    pushing.commit("seen.md", memory("m_seen", "The lamp.\n", access_grants=f"['{BOB}']"))
    pushing.program("conflicts", "judge", "a.md", "m_seen", "unrelated", "--reason", reason)
    pushing.vault.commit("a verdict")
    if goes:
        pushing.passes()
    else:
        pushing.refused()


@pytest.mark.parametrize(
    "said",
    [
        {"event": "carla is ill"},
        {"about": {"carla-is-ill": []}},
        {"about": {"says": "carla is ill"}},
        {"about": {"of": "carla is ill"}},
        {"about": {"group": {"carla": "ill"}}},
        {"event": "config", "about": {"carla": "-"}},
        {"event_id": "ev_carla"},
        {"prev": ("carla is ill",)},
        {},
    ],
)
def test_an_event_says_nothing_that_no_command_writes(pushing: Pushing, said: dict[str, Any]) -> None:
    (pushing.root / ".git/info/exclude").write_text(".memstore\n")
    usual = {"event_id": "ev_abcdefghjk", "at": "2026-11-29T19:00:00Z", "by": OWNER, "event": "privacy grant",
             "about": {"memory": "m_aaa", "to": [BOB]}, "prev": ()}  # fmt: skip
    path, data = audit_events.write(**(usual | said))
    pushing.commit(path, data.decode())
    if said:
        assert f": {path}" in pushing.refused()
    else:
        pushing.passes()


def test_the_words_of_every_command_are_known() -> None:
    """What a command calls itself goes with its event, so a new one is missed by nobody."""
    forms = (
        r'verb="([^"{]*)"',
        r'transaction\(f?"([^"{]*)',
        r'recorded\([\w.]*view, "([^"]*)"',
        r'append\(view, "([^"]*)"',
    )
    files = [path.read_text() for path in Path(memstore.__file__).parent.rglob("*.py")]
    found = {word for text in files for form in forms for verb in re.findall(form, text) for word in verb.split()}
    assert len(found) > 40
    assert found | IMPORTERS.keys() <= pushed_records._COMMANDS


def test_a_group_that_sees_notes_gains_nobody_by_hand(pushing: Pushing) -> None:
    (pushing.root / ".git/info/exclude").write_text("")
    pushing.program("privacy", "group", "add", "group:club", BOB)
    pushing.program("config", "notes_for", "group:club")
    pushing.vault.commit("notes for the club")
    club = pushing.root / "groups/club.yaml"
    club.write_text(f'{club.read_text()}  - {{id: "human:eve", from: "2020-01-01T00:00:00Z"}}\n')
    git(pushing.root, "add", "-A")
    done = subprocess.run(
        ["git", "commit", "-m", "x"], cwd=pushing.root, env=os.environ | {"PATH": PATH}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "this change by hand would show all plain notes to human:eve" in done.stderr


def test_links_submodules_and_files_that_are_left_out(pushing: Pushing) -> None:
    (pushing.root / "link.md").symlink_to("a.md")
    link = pushing.vault.commit("a link")
    tip = git(pushing.root, "rev-parse", "HEAD").strip()
    git(pushing.root, "update-index", "--add", "--cacheinfo", f"160000,{tip},sub.md")
    git(pushing.root, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "a submodule")
    (pushing.root / ".git/info/exclude").write_text(".memstore\n.memstoreignore\n")
    pushing.vault.write(".memstoreignore", "drafts/\n")
    git(pushing.root, "rm", "-q", "--cached", "sub.md")
    left_out = pushing.commit("drafts/b.md", seen("m_bbb"))
    said = pushing.refused()
    assert f"commit {link[:10]}: link.md: it is a link, and no memory" in said
    assert "sub.md: it is a submodule, and no memory" in said
    assert f"commit {left_out[:10]}: drafts/b.md: it is no memory" in said


def test_what_a_memory_was_made_from_counts(pushing: Pushing) -> None:
    pushing.commit("b.md", seen("m_bbb", "Made.\n", derived_from='["note:m_ccc"]'))
    pushing.vault.write("c.md", memory("m_ccc", "The salary.\n"))
    (pushing.root / ".git/info/exclude").write_text(".memstore\nc.md\n")
    assert "b.md: human:bob may not see it [lineage]" in pushing.refused()
    pushing.vault.write("c.md", seen("m_ccc", "The salary.\n"))
    pushing.passes()


def test_the_registries_of_its_own_commit_count_too(tmp_path: Path) -> None:
    pushing = pushing_to(tmp_path)
    (pushing.root / ".git/info/exclude").unlink()
    pushing.declare('["owner"]')
    pushing.commit("groups/club.yaml", "id: group:club\nmembers:\n- id: human:eve\n")
    pushing.passes()
    narrower = pushing.commit("b.md", seen("m_bbb", access_grants='["group:club"]'))
    pushing.declare(f'["{BOB}"]')
    pushing.vault.write("groups/club.yaml", "id: group:club\nmembers:\n- id: human:bob\n")
    said = pushing.refused()
    assert f"commit {narrower[:10]}: b.md: by that commit's registries, human:bob may not see it [no-grant]" in said


# -- messages and names ----------------------------------------------------------------------------


@pytest.mark.soak(2)
@pytest.mark.parametrize(
    "text", ["About the sálary  TALK", "see note:m_hidden.", "Memory-Id: m_hidden", "Evidence: note:m_7f3k9q2x1c"]
)
def test_a_message_names_no_hidden_memory(pushing: Pushing, text: str) -> None:
    pushing.vault.write("h.md", memory("m_hidden", "# The salary talk\n", title="Salary talk"))
    (pushing.root / ".git/info/exclude").write_text(".memstore\nh.md\n")
    commit = pushing.commit("b.md", seen("m_bbb"), f"Some words\n\n{text}\n")
    assert f"commit {commit[:10]}: it " in pushing.refused()
    git(pushing.root, "-c", "core.hooksPath=/dev/null", "commit", "-q", "--amend", "-m", "Memory-Id: m_bbb")
    git(pushing.root, "tag", "-a", "inner", "-m", text)
    git(pushing.root, "tag", "-a", "v1", "-m", "fine", "inner")
    assert "tag refs/tags/v1: it " in pushing.refused("origin", "v1")
    pushing.passes()


@pytest.mark.soak(2)
@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"aliases": "[Zephyrine, Gale of the west]"}, "a walk with Zephyrine"),
        ({"aliases": "[Zephyrine, Gale of the west]"}, "the gale of THE west"),
        ({"title": "秘密の話"}, "これは秘密の話です"),
        ({"title": "ความลับ"}, "นี่คือความลับของเรา"),
    ],
)
def test_a_message_has_no_name_of_a_hidden_memory(pushing: Pushing, keys: dict[str, str], text: str) -> None:
    (pushing.root / ".git/info/exclude").write_text(".memstore\nhidden.md\n")
    pushing.vault.write("hidden.md", memory("m_hidden", **keys))
    pushing.commit("b.md", seen("m_bbb"), text)
    assert "it has the title of a memory that not everyone there may see" in pushing.refused()


def test_nothing_around_the_files_names_a_hidden_memory_in_any_spelling(pushing: Pushing) -> None:
    (pushing.root / ".git/info/exclude").write_text(".memstore\nhidden.md\n")
    pushing.vault.write("hidden.md", memory("m_hidden", title="Divorce Plan Café", aliases="[Zephyrine]"))
    pushing.commit("b.md", seen("m_bbb"))
    tree = git(pushing.root, "rev-parse", "HEAD^{tree}").strip()

    def refused(message: str = "x", **environment: str) -> str:
        commit = git(pushing.root, "commit-tree", tree, "-m", message, **environment).strip()
        return pushing.refused("origin", f"{commit}:refs/heads/x")

    for message in (
        "[p](Divorce%20Plan%20Caf%C3%A9.md)",
        "Divorce&nbsp;Plan Caf&eacute;",
        "DivorcePlanCafe",
        "m%5fhidden",
    ):
        assert ": it " in refused(message)
    for role in ("AUTHOR", "COMMITTER"):
        assert "it has the title" in refused(**{f"GIT_{role}_NAME": "Divorce plan, café"})
        assert "it names a memory" in refused(**{f"GIT_{role}_EMAIL": "m_hidden@example.org"})
    git(pushing.root, "tag", "-a", "v1", "-m", "x", GIT_COMMITTER_NAME="zephyrine")
    assert "tag refs/tags/v1: it has the title" in pushing.refused("origin", "v1")
    assert "the ref refs/tags/DivorcePlanCafé: it has" in pushing.refused("origin", "HEAD:refs/tags/DivorcePlanCafé")
    empty = git(pushing.root, "mktree", stdin="").strip()
    folder = git(pushing.root, "mktree", stdin=f"040000 tree {empty}\tm_hidden\n").strip()
    commit = git(pushing.root, "commit-tree", folder, "-m", "x").strip()
    assert "m_hidden: it is a folder without files" in pushing.refused("origin", f"{commit}:refs/heads/x")
    pushing.passes()


def test_words_that_everybody_uses_are_no_title(pushing: Pushing) -> None:
    (pushing.root / ".git/info/exclude").write_text(".memstore\nh*.md\n")
    for number, title in enumerate(("Tea", "Meeting notes", "Kubernetes")):
        pushing.vault.write(f"h{number}.md", memory(f"m_hidden{number}", title=title))
    pushing.commit("b.md", seen("m_bbb"), "I had Tea with Tom, here are the meeting notes")
    pushing.passes()
    pushing.commit("c.md", seen("m_ccc"), "set up kubernetes")
    assert "it has the title" in pushing.refused()
    for number in range(3):  # whoever reads three files with that word has it anyway
        pushing.vault.write(f"d{number}.md", seen(f"m_ddd{number}", f"Kubernetes {number}\n"))
    pushing.vault.commit("more")
    pushing.passes()
    pushing.commit("c.md", seen("m_ccc", "More.\n"), "see [[Tea]]")
    assert "it has the title" in pushing.refused()


def test_the_owner_may_acknowledge_titles_and_that_is_recorded(pushing: Pushing) -> None:
    (pushing.root / ".git/info/exclude").write_text(".memstore\nhidden.md\naudit\n")
    pushing.vault.write("hidden.md", memory("m_hidden", title="Salary talk"))
    pushing.passes()
    pushing.commit("b.md", seen("m_bbb"), "as in m_hidden")
    assert "it names a memory" in pushing.refused(MEMSTORE_ACKNOWLEDGE="1")  # an id is no coincidence
    git(pushing.root, "reset", "-q", "--hard", "HEAD~1")
    pushing.commit("b.md", seen("m_bbb"), "a talk about the salary talk")
    assert "MEMSTORE_ACKNOWLEDGE=1 git push" in pushing.refused()
    assert "is for the vault's owner" in pushing.refused(MEMSTORE_ACKNOWLEDGE="1", MEMSTORE_ENTITY="si:ash")
    assert not [*(pushing.root / "audit").rglob("*.json")]
    pushing.passes(MEMSTORE_ACKNOWLEDGE="1")
    [event] = (pushing.root / "audit").rglob("*.json")
    assert '"m_hidden"' in event.read_text()
    assert '"origin"' in event.read_text()


def test_a_path_names_no_hidden_memory(pushing: Pushing) -> None:
    (pushing.root / ".git/info/exclude").write_text(".memstore\nhidden.md\n")
    pushing.vault.write("hidden.md", memory("m_hidden", title="About the salary"))
    pushing.commit("tea.md", seen("m_bbb", title="Tea"))
    pushing.passes()
    for path in ("on m_hidden.md", "about-the-salary-7f3k.md"):
        pushing.commit(path, seen("m_ccc"))
        assert f"{path}: its path reveals a memory that not everyone there may see" in pushing.refused()
        git(pushing.root, "reset", "-q", "--hard", "HEAD~1")


@pytest.mark.soak(2)
@pytest.mark.parametrize(
    ("title", "path", "refused"),
    [
        ("Divorce", "notes/2026/divorce-7f3k.md", True),
        ("Divorce", "Divorce.md", True),
        ("Divorce", "2026-11-26 divorce.md", True),
        ("Divorce", "divorce 2.md", True),
        ("Divorce", "divorce/tea.md", False),
        ("Divorce", "a divorce in films.md", False),
        ("Cat scan", "Cat scan/tea.md", True),
        ("Cat scan", "the-cat-scan-of-films.md", True),
        ("Cat scan", "cat/scan.md", False),
        ("Notes 2026", "notes/2026/tea.md", False),
        ("Cat scan", "scan.md", False),
        ("離婚", "離婚.md", True),
        ("離婚", "離婚届.md", False),
        ("秘密の話", "これは秘密の話です.md", True),
        ("Tea", "tea.md", False),  # a memory that may go has that title
    ],
)  # fmt: skip
def test_a_file_that_is_called_like_a_hidden_memory(
    pushing: Pushing,
    title: str,
    path: str,
    refused: bool,  # noqa: FBT001 - a table's column
) -> None:
    (pushing.root / ".git/info/exclude").write_text(".memstore\nhidden.md\n")
    pushing.vault.write("hidden.md", memory("m_hidden", title=title))
    pushing.commit("other.md", seen("m_bbb", title="Tea"))
    pushing.commit(path, seen("m_ccc", title="Something else"))
    if refused:
        assert f"{path}: its path reveals a memory that not everyone there may see" in pushing.refused()
    else:
        pushing.passes()


def test_a_title_that_is_a_part_of_one_that_may_go_says_nothing(pushing: Pushing) -> None:
    (pushing.root / ".git/info/exclude").write_text(".memstore\nhidden.md\n")
    pushing.vault.write("hidden.md", memory("m_hidden", title="Team meeting", aliases="[秘密の話]"))
    pushing.commit("team-meeting-monday.md", seen("m_bbb", title="Team meeting Monday"), "add Team meeting Monday")
    pushing.commit("これは秘密の話です.md", seen("m_ccc", title="これは秘密の話です"), "add これは秘密の話です")
    pushing.passes()
    pushing.commit("c.md", seen("m_ddd", title="Other"), "Meeting of the team, and the team meets")
    pushing.passes()


@pytest.mark.soak(2)
@pytest.mark.parametrize("ref", ["refs/heads/divorce", "refs/heads/x/the_divorce", "refs/tags/divorce-1"])
def test_a_ref_that_is_called_like_a_hidden_memory(pushing: Pushing, ref: str) -> None:
    (pushing.root / ".git/info/exclude").write_text(".memstore\nhidden.md\n")
    pushing.vault.write("hidden.md", memory("m_hidden", title="Divorce"))
    pushing.commit("b.md", seen("m_bbb"))
    pushing.passes()
    assert f"the ref {ref}: it has the title" in pushing.refused("origin", f"HEAD:{ref}")


def test_a_memory_that_can_not_be_read_today_or_was_forgotten_is_hidden_in_older_commits(pushing: Pushing) -> None:
    pushing.passes()
    pushing.commit("b.md", seen("m_bbb", "The salary.\n"))
    git(pushing.root, "branch", "then")
    broken, tomb = "---\ntype: note\nid: m_bbb\naccess_grants: [\n---\n", memory("m_bbb", status="forgotten")
    for today, code in ((broken, "malformed"), (tomb, "forgotten")):
        pushing.vault.write("b.md", today)
        said = pushing.refused("origin", "then:main")
        assert re.search(rf"b.md: as it is today, .* see it \[{code}\]", said), said


@pytest.mark.soak(2)
@pytest.mark.parametrize(
    "words",
    [
        ("--mirror", "origin"),
        ("--all", "origin"),
        ("--tags", "origin"),
        ("origin", "HEAD:refs/notes/x"),
        ("origin", "+HEAD:main"),
        ("origin", "refs/stash"),
    ],
)
def test_no_way_to_push_goes_round_it(pushing: Pushing, words: tuple[str, ...]) -> None:
    pushing.passes()
    pushing.commit("b.md", memory("m_bbb", "The salary.\n"))
    git(pushing.root, "tag", "light")
    pushing.vault.write("b.md", memory("m_bbb", "The salary rose.\n"))
    git(pushing.root, "stash", "-q")
    assert "b.md: human:bob may not see it" in pushing.refused(*words)


def test_notes_are_no_memories(pushing: Pushing) -> None:
    pushing.passes()
    git(pushing.root, "notes", "add", "-m", "about the salary", "HEAD")
    assert "it is no memory" in pushing.refused("origin", "refs/notes/*:refs/notes/*")


def test_each_url_of_a_remote_is_asked(pushing: Pushing, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "second.git")
    pushing.declare(f'["{BOB}"]', "../remote.git")
    git(pushing.root, "remote", "set-url", "--add", "--push", "origin", "../remote.git")
    git(pushing.root, "remote", "set-url", "--add", "--push", "origin", "../second.git")
    assert "it isn't known who can read origin" in pushing.push().stderr
    assert git(tmp_path / "second.git", "for-each-ref") == ""
    git(pushing.root, "remote", "set-url", "--delete", "--push", "origin", "../second.git")
    git(pushing.root, "config", "url.../second.git.insteadOf", "../remote.git")
    git(pushing.root, "config", "--unset-all", "remote.origin.pushurl")
    assert "it isn't known who can read origin" in pushing.push("origin", "HEAD:other").stderr
    assert git(tmp_path / "second.git", "for-each-ref") == ""


def test_a_message_about_a_memory_that_was_shown_and_is_gone_goes(pushing: Pushing) -> None:
    memory_id = "m_7f3k9q2x1c"
    pushing.commit("b.md", seen(memory_id), f"write\n\nMemory-Id: {memory_id}")
    pushing.passes()
    pushing.commit("b.md", None, f"delete\n\nMemory-Id: {memory_id}")
    pushing.passes()


def test_other_text_in_commits_and_names_of_refs(pushing: Pushing) -> None:
    pushing.vault.write("h.md", memory("m_hidden", "# The salary talk\n"))
    (pushing.root / ".git/info/exclude").write_text(".memstore\nh.md\n")
    assert "the ref refs/heads/about-m_hidden: it names" in pushing.refused("origin", "HEAD:about-m_hidden")
    raw = git(pushing.root, "cat-file", "commit", "HEAD")
    head, _, message = raw.partition("\n\n")
    for forged in (
        f"{head}\nmergetag object {EMPTY}\n the salary talk\n\n{message}",
        f"{head}\nencoding UTF-7\n\nThe sal+AGE-ry talk\n",
    ):
        commit = git(pushing.root, "hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=forged).strip()
        assert f"commit {commit[:10]}: it has the title" in pushing.refused("origin", f"{commit}:refs/heads/x")


def test_a_tag_of_a_file_or_a_folder_is_no_memory(pushing: Pushing) -> None:
    for what in ("HEAD:a.md", "HEAD^{tree}"):
        git(pushing.root, "tag", "-f", "-a", "v1", "-m", "fine", git(pushing.root, "rev-parse", what).strip())
        assert "refs/tags/v1: it points to no commit" in pushing.refused("origin", "v1")


# -- what git can be told --------------------------------------------------------------------------


def test_replacements_grafts_and_a_forged_graph_hide_nothing(pushing: Pushing) -> None:
    harmless = git(pushing.root, "rev-parse", "HEAD").strip()
    hidden = pushing.commit("b.md", memory("m_bbb", "The salary.\n"))
    tip = pushing.commit("b.md", None)
    told = f"commit {hidden[:10]}: b.md"
    git(pushing.root, "replace", hidden, harmless)
    assert told in pushing.refused()
    git(pushing.root, "replace", "-d", hidden)
    (pushing.root / ".git/info/grafts").write_text(f"{tip} {harmless}\n")
    assert told in pushing.refused()
    (pushing.root / "graft").write_text(f"{tip} {harmless}\n")
    (pushing.root / ".git/info/grafts").unlink()
    assert told in pushing.refused(GIT_GRAFT_FILE=str(pushing.root / "graft"))
    git(pushing.root, "update-ref", "refs/remotes/origin/main", tip)
    assert told in pushing.refused()  # what somebody wrote into this clone is not what the remote has


def test_the_environment_names_no_other_repository(pushing: Pushing, tmp_path: Path) -> None:
    pushing.commit("b.md", memory("m_bbb", "The salary.\n"))
    other = repository(tmp_path / "other")
    for environment in (
        {"GIT_DIR": str(pushing.root / ".git")},
        {"GIT_DIR": str(pushing.root / ".git"), "GIT_WORK_TREE": str(pushing.root)},
        {"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(other / ".git/objects")},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.worktree", "GIT_CONFIG_VALUE_0": str(other)},
        {"GIT_REPLACE_REF_BASE": "refs/heads"},
        {"GIT_NAMESPACE": "x"},
    ):
        assert "b.md: human:bob may not see it" in pushing.refused(**environment)


def test_objects_of_another_repository_are_checked_like_its_own(pushing: Pushing, tmp_path: Path) -> None:
    hidden = pushing.commit("b.md", memory("m_bbb", "The salary.\n"))
    pushing.commit("b.md", None)
    (tmp_path / "clone").mkdir()
    git(tmp_path / "clone", "clone", "-q", "--shared", str(pushing.root), ".")
    git(tmp_path / "clone", "remote", "set-url", "origin", str(pushing.remote))
    shutil.copytree(pushing.root / ".memstore", tmp_path / "clone/.memstore")
    shutil.copy(pushing.root / ".git/hooks/pre-push", tmp_path / "clone/.git/hooks/pre-push")
    clone = Pushing(vault=type(pushing.vault)(tmp_path / "clone"), remote=pushing.remote)
    assert f"commit {hidden[:10]}: b.md" in clone.refused()


def test_a_shallow_clone_is_checked_from_where_it_begins(pushing: Pushing, tmp_path: Path) -> None:
    pushing.commit("b.md", memory("m_bbb", "The salary.\n"))
    tip = pushing.commit("c.md", seen("m_ccc"))
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{pushing.root}", "clone")
    git(tmp_path / "clone", "remote", "set-url", "origin", str(pushing.remote))
    git(pushing.remote, "config", "receive.shallowUpdate", "true")
    shutil.copytree(pushing.root / ".memstore", tmp_path / "clone/.memstore")
    shutil.copy(pushing.root / ".git/hooks/pre-push", tmp_path / "clone/.git/hooks/pre-push")
    clone = Pushing(vault=type(pushing.vault)(tmp_path / "clone"), remote=pushing.remote)
    assert f"commit {tip[:10]}: b.md" in clone.refused()


def test_an_object_that_is_missing_is_no_reason_to_push(pushing: Pushing) -> None:
    pushing.commit("b.md", seen("m_bbb"))
    blob = git(pushing.root, "rev-parse", "HEAD:b.md").strip()
    (pushing.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    (pushing.root / "b.md").unlink()
    assert "it can't be read" in pushing.refused()


def test_nothing_that_the_repositories_name_is_run(pushing: Pushing, tmp_path: Path) -> None:
    sprung = tmp_path / "sprung"
    script = tmp_path / "trap.sh"
    script.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{sprung}'\ncat 2>/dev/null\n")
    script.chmod(0o755)
    hooks = tmp_path / "trap-hooks"
    hooks.mkdir()
    shutil.copy(script, hooks / "reference-transaction")
    for name in ("yaml", "memstore", "json", "re", "sitecustomize"):
        (pushing.root / f"{name}.py").write_text(f"open({str(sprung)!r}, 'w')\n")
    pushing.commit("b.md", memory("m_bbb", "The salary.\n"))
    line = f"HEAD {git(pushing.root, 'rev-parse', 'HEAD').strip()} refs/heads/main {EMPTY}\n"
    (pushing.root / ".gitattributes").write_text("*.md filter=trap diff=trap merge=trap\n")
    for key in (
        "core.fsmonitor", "core.sshCommand", "diff.external", "diff.trap.textconv", "filter.trap.clean",
        "filter.trap.smudge", "core.alternateRefsCommand", "core.pager", "uploadpack.packObjectsHook",
    ):  # fmt: skip
        git(pushing.root, "config", key, str(script))
    git(pushing.root, "config", "core.hooksPath", str(hooks))
    git(pushing.remote, "config", "core.hooksPath", str(hooks))
    sprung.unlink(missing_ok=True)
    for folder, words in (
        (pushing.root, (pushing.root / ".git/hooks/pre-push", "origin", "../remote.git")),
        (pushing.root / ".git", ("memstore", "hooks", "run", "pre-receive", "origin", str(pushing.root))),
    ):
        said = line if folder == pushing.root else f"{EMPTY} {line.split()[1]} refs/heads/main\n"
        env = os.environ | {"PATH": PATH} | ({"GIT_DIR": "."} if folder != pushing.root else {})
        done = subprocess.run(words, cwd=folder, env=env, input=said, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "b.md: human:bob may not see it" in done.stderr
        assert not sprung.exists(), sprung.read_text()


# -- branches without settings, other hooks, other people ------------------------------------------


def test_the_settings_of_another_branch_count_where_the_work_tree_has_none(tmp_path: Path) -> None:
    pushing = pushing_to(tmp_path)
    (pushing.root / ".git/info/exclude").unlink()
    pushing.vault.commit("with settings")
    git(pushing.root, "switch", "-q", "--orphan", "public")
    pushing.vault.write("b.md", seen("m_bbb"))
    pushing.vault.commit("for Bob")
    assert not (pushing.root / ".memstore").exists()
    pushing.passes()
    pushing.commit("c.md", memory("m_ccc"))
    assert "c.md: human:bob may not see it [self-only]" in pushing.refused()


def test_a_repository_without_a_vault_is_not_asked(tmp_path: Path) -> None:
    pushing = pushing_to(tmp_path)
    shutil.rmtree(pushing.root / ".memstore")
    pushing.passes()
    (pushing.root / ".git/info/exclude").unlink()
    pushing.declare('["owner"]')
    git(pushing.root, "switch", "-q", "--detach")
    pushing.vault.commit("a vault")
    shutil.rmtree(pushing.root / ".memstore")  # what is pushed does not decide about itself
    git(pushing.root, "branch", "-q", "-D", "main")
    head = git(pushing.root, "rev-parse", "HEAD").strip()
    git(pushing.root, "checkout", "-q", "--orphan", "nothing")
    git(pushing.root, "rm", "-q", "-r", "--cached", ".")
    assert "it isn't known who can read origin" in pushing.refused("origin", f"{head}:refs/heads/x")


def test_beside_another_programs_hook(pushing: Pushing) -> None:
    hook = pushing.root / ".git/hooks/pre-push"
    hook.write_text('#!/bin/sh\nmemstore hooks run pre-push "$@" || exit 1\n')
    pushing.passes()
    pushing.commit("b.md", memory("m_bbb"))
    assert "b.md: human:bob may not see it" in pushing.refused()


def test_somebody_else_is_told_nothing(pushing: Pushing) -> None:
    pushing.commit("b.md", memory("m_bbb"))
    said = pushing.refused(MEMSTORE_ENTITY="si:ash")
    assert "b.md" not in said
    assert "ask the vault's owner" in said


def test_labels_are_kept_by_blob_and_decide_anew(pushing: Pushing, tmp_path: Path) -> None:
    pushing.commit("b.md", seen("m_bbb", subject_ids='["dog:bella"]', generalized="true"))
    home = {"XDG_CACHE_HOME": str(tmp_path / "kept")}
    first = pushing.refused(**home)
    kept = next((tmp_path / "kept").rglob("labels.json"))
    assert kept.stat().st_mode & 0o077 == 0
    assert pushing.refused(**home) == first
    pushing.declare('["human:eve"]')  # another audience, the same labels
    assert "a.md: human:eve may not see it [no-grant]" in pushing.refused(**home)
    kept.write_text("{")
    assert "a.md: human:eve may not see it [no-grant]" in pushing.refused(**home)


# -- on the server ---------------------------------------------------------------------------------


def served(pushing: Pushing, vault: Path | None) -> str:
    """Install pre-receive on the remote by the one command of docs/security.md, and return what it says."""
    words = ["hooks", "install", "--pre-receive", str(pushing.remote)]
    words = ["--vault", str(vault), "--as", OWNER, *words] if vault else [*words, "--own-settings"]
    done = subprocess.run(
        ["memstore", *words],
        cwd=pushing.root.parent,
        env=os.environ | {"PATH": PATH},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def served_by_a_vault_that_is_gone(pushing: Pushing) -> None:
    """Let the hook name a folder that is no vault."""
    hook = pushing.remote / "hooks/pre-receive"
    hook.write_text(hook.read_text().replace("vault=''", f"vault='{pushing.root / 'none'}'"))


def test_the_server_checks_what_was_not_checked_before(pushing: Pushing, tmp_path: Path) -> None:
    settings = tmp_path / "settings"
    shutil.copytree(pushing.root / ".memstore", settings / ".memstore")
    served(pushing, settings)
    pushing.passes()
    hidden = pushing.commit("b.md", memory("m_bbb", "The salary.\n"))
    pushing.commit("b.md", None)
    before = git(pushing.remote, "count-objects", "-v")
    done = pushing.push("--no-verify", "origin", "HEAD:main")
    assert done.returncode != 0
    assert f"remote:   commit {hidden[:10]}: b.md: human:bob may not see it" in done.stderr
    assert git(pushing.remote, "count-objects", "-v") == before  # what was in quarantine is gone


def test_the_server_asks_its_own_commit_and_not_what_is_pushed(tmp_path: Path) -> None:
    pushing = pushing_to(tmp_path)
    (pushing.root / ".git/info/exclude").unlink()
    pushing.vault.commit("with settings for Bob")
    pushing.passes("--no-verify", "origin", "HEAD:main")
    served(pushing, None)
    pushing.declare('["owner"]')
    pushing.commit("b.md", memory("m_bbb"))
    done = pushing.push("--no-verify", "origin", "HEAD:main")
    assert "b.md: human:bob may not see it" in done.stderr
    assert done.returncode != 0


def test_what_an_empty_repository_on_a_server_lacks_is_said_when_its_hook_is_installed(tmp_path: Path) -> None:
    pushing = pushing_to(tmp_path)
    (pushing.root / ".git/info/exclude").unlink()
    unsaid = f"nothing in {pushing.remote} says who reads origin, so nothing can be pushed there"
    said = served(pushing, None)
    assert unsaid in said
    assert pushing.push("--no-verify", "origin", "HEAD:main").returncode != 0
    [line] = [line for line in said.splitlines() if "to bring the vault there" in line]
    pushing.vault.commit("with settings for Bob")
    words = shlex.split(line.rpartition("there: ")[2].replace("VAULT BRANCH:BRANCH", f"{pushing.root} main:main"))
    subprocess.run(words, check=True, capture_output=True)
    assert "who reads" not in served(pushing, None)
    pushing.commit("b.md", memory("m_bbb", access_grants='["human:bob"]'))
    pushing.passes("--no-verify", "origin", "HEAD:main")
    pushing.declare('["human:bob"]', "elsewhere")
    pushing.vault.commit("with settings for another remote")
    git(pushing.remote, "fetch", "-q", "-f", str(pushing.root), "main:main")
    assert unsaid in served(pushing, None)
    git(pushing.remote, "config", "remote.origin.memstoreReaders", "human:bob")  # as for a stack
    assert unsaid not in served(pushing, None)


def test_the_hook_of_a_server_is_installed_over_no_other(pushing: Pushing, tmp_path: Path) -> None:
    settings = tmp_path / "settings"
    shutil.copytree(pushing.root / ".memstore", settings / ".memstore")
    assert "it isn't known who can read origin" not in served(pushing, settings)
    hook = pushing.remote / "hooks/pre-receive"
    assert f"vault={settings}\n" in hook.read_text()
    (settings / ".memstore/config.toml").write_text(f'format = 1\nowner = "{OWNER}"\n')
    assert "memstore config remotes.origin owner, if only the owner does" in served(
        pushing, settings
    )  # again, and over its own
    hook.write_text("#!/bin/sh\nexit 0\n")
    env = os.environ | {"PATH": PATH}
    words = ["memstore", "--vault", str(settings), "hooks", "install", "--pre-receive", str(pushing.remote)]
    done = subprocess.run([*words, "--as", OWNER], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, hook.read_text()) == (4, "#!/bin/sh\nexit 0\n")
    line = next(line for line in done.stderr.splitlines() if "add this line" in line).partition("to it: ")[2]
    assert line == f"memstore hooks run pre-receive origin {settings} || exit 1"
    hook.write_text(f"#!/bin/sh\n{line}\n")
    assert "it isn't known who can read origin" not in pushing.push("origin", "HEAD:main").stdout
    refused = pushing.push("--no-verify", "origin", "HEAD:main").stderr
    assert "no vault here says who reads origin" in refused
    assert "a vault's folder on the server, and there: memstore config remotes.origin owner" in refused
    done = subprocess.run([*words, "--as", "human:eve"], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 4  # it is the vault's owner whose settings would count
    nowhere = subprocess.run(
        [*words[:-1], str(tmp_path / "none")], env=env, capture_output=True, text=True, check=False
    )
    assert "there is no folder" in nowhere.stderr


def test_a_server_without_settings_takes_nothing(pushing: Pushing) -> None:
    served(pushing, None)
    done = pushing.push("--no-verify", "origin", "HEAD:main")
    assert "no vault here says who reads origin" in done.stderr
    served_by_a_vault_that_is_gone(pushing)
    assert "which the hook names, is no vault" in pushing.push("origin", "HEAD:main").stderr
