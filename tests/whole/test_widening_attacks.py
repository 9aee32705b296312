"""What would let somebody see more, and is stopped: by hand, in two commits, by a merge, whatever brings it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.soak(6, together=True)


class Attacked(InProcess):
    """A vault of Sean's: Claire is Bella's guardian, and has told him something."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.vault.mkdir()
        self.ok("init", ".", "--owner", "human:sean")
        self.ok("privacy", "entity", "add", "human:claire")
        self.ok("privacy", "entity", "add", "dog:bella", "--guardian", "human:claire")
        self.told = self.added("Bella sleeps badly.", "--subject", "dog:bella", "--source-entity", "human:claire")
        self.plain = self.added("Walks at eight.")
        self.saved("base")

    def added(self, *words: str) -> str:
        """Add a memory, and return its path."""
        saved = self.json("add", *words)
        return str(saved["path"])

    def saved(self, message: str) -> None:
        """Commit all, which must pass."""
        self.git("add", "-A")
        self.git("commit", "-qm", message)

    def edit(self, path: str, pattern: str, becomes: str) -> None:
        """Change a file as a hand would."""
        place = self.vault / path
        before = place.read_text()
        after = re.sub(pattern, becomes, before, count=1, flags=re.MULTILINE)
        assert after != before
        place.write_text(after)

    def refused(self, *command: str) -> str:
        """Run git, which must change nothing, and return what is said."""
        head = self.git("rev-parse", "HEAD")
        done = self.attempt_git(*command)
        assert done.returncode != 0, done
        assert self.git("rev-parse", "HEAD") == head
        return done.stderr

    def refused_commit(self) -> str:
        """Stage all and commit it, in vain."""
        self.git("add", "-A")
        return self.refused("commit", "-qm", "x")

    def id_of(self, path: str) -> str:
        """Return a memory's id."""
        return str(self.json("show", path)["id"])


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    return Attacked(tmp_path_factory.mktemp("attacked"))


@pytest.fixture
def vault(made: Attacked, tmp_path: Path) -> Attacked:
    return made.copied(tmp_path)


def test_a_memory_that_was_taken_out_does_not_come_back_wider(vault: Attacked) -> None:
    before = (vault.vault / vault.told).read_text()
    vault.git("rm", "-q", vault.told)
    vault.saved("gone")
    (vault.vault / "elsewhere.md").write_text(re.sub("access_grants: .*", 'access_grants: ["*"]', before))
    assert "[grants-widened]" in vault.refused_commit()
    assert "[grants-widened]" in vault.run("check", "--against", "HEAD").stdout
    (vault.vault / "elsewhere.md").write_text(before)
    vault.saved("back as it was")


@pytest.mark.soak(2)
@pytest.mark.parametrize(
    ("path", "pattern", "becomes", "code"),
    [
        (".memstore/config.toml", "^owner = .*", 'owner = "si:ash"', "owner-changed"),
        (".memstore/config.toml", "^owner = .*", r'\g<0>\nnotes_for = ["si:ash"]', "registry-widened"),
        (".memstore/config.toml", "\\Z", '\n[remotes]\norigin = ["owner"]\n', "registry-widened"),
        ("entities/dog/bella.md", "^guardians: .*\n", "", "registry-widened"),
        ("groups/pack.yaml", "si:pith", "si:ash", "registry-widened"),
    ],
)
def test_settings_and_registries_are_not_widened_by_hand(
    vault: Attacked, path: str, pattern: str, becomes: str, code: str
) -> None:
    vault.ok("privacy", "group", "add", "group:pack", "si:pith")
    vault.ok("privacy", "grant", vault.plain, "--to", "group:pack")
    vault.saved("a group")
    vault.edit(path, pattern, becomes)
    assert f"[{code}]" in vault.refused_commit()
    assert f"[{code}]" in vault.run("check", "--against", "HEAD").stdout


def test_an_event_excuses_the_file_that_it_is_about_alone(vault: Attacked) -> None:
    vault.ok("privacy", "entity", "add", "human:max", "--guardian", "dog:bella")
    vault.edit("entities/dog/bella.md", "^guardians: .*\n", "")
    assert "[registry-widened]" in vault.refused_commit()


def test_by_command_they_are_and_the_audit_has_it(vault: Attacked) -> None:
    vault.ok("privacy", "group", "add", "group:pack", "si:pith")
    vault.ok("privacy", "grant", vault.plain, "--to", "group:pack")
    vault.saved("a group")
    vault.ok("privacy", "group", "add", "group:pack", "si:ash")
    vault.ok("privacy", "entity", "guardian", "dog:bella", "human:sean")
    vault.saved("by command")
    vault.ok("config", "owner", "human:ines")
    vault.saved("another owner")
    assert "owner=human:ines" in vault.ok("privacy", "log", "show", "--as", "human:ines")


def test_who_sees_notes_is_set_by_command_and_an_event_excuses_those_alone(vault: Attacked) -> None:
    events = len([*(vault.vault / "audit").rglob("*.json")])
    assert vault.run("config", "owner", "nobody").returncode == 2
    assert len([*(vault.vault / "audit").rglob("*.json")]) == events  # what was not set is not recorded
    vault.ok("config", "notes_for", "human:ines, si:pith")
    assert 'notes_for = ["human:ines", "si:pith"]' in (vault.vault / ".memstore" / "config.toml").read_text()
    vault.saved("by command")
    vault.ok("config", "notes_for", "human:ines")
    vault.edit(".memstore/config.toml", '"human:ines"', '"human:ines", "si:ash"')
    assert "si:ash would see all plain notes" in vault.refused_commit()


def test_who_reads_a_remote_is_set_by_command_and_an_event_excuses_that_remote_alone(vault: Attacked) -> None:
    vault.ok("config", "remotes.origin", "si:pith human:ines")
    vault.ok("config", "remotes.backup", "owner")
    vault.saved("by command")
    assert "remotes.origin=si:pith human:ines" in vault.ok("privacy", "log", "show")
    vault.ok("config", "remotes.backup", "public")
    vault.edit(".memstore/config.toml", "^origin = .*", 'origin = ["owner"]')
    said = vault.refused_commit()
    assert "after this change by hand pushes to origin would be for owner" in said
    assert "put it back; memstore config remotes.origin owner makes the change" in said
    vault.ok("config", "--unset", "remotes.origin")
    vault.saved("nothing goes there any more")


def test_audit_events_stay(vault: Attacked) -> None:
    event = next((vault.vault / "audit").rglob("*.json"))
    vault.git("rm", "-qr", "audit")
    assert "[audit-event-gone]" in vault.refused_commit()
    vault.git("reset", "-q", "--hard")
    event.write_text(event.read_text().replace("human:claire", "human:clara"))
    assert "[audit-event-gone]" in vault.refused_commit()


def test_a_consent_is_not_rewritten(vault: Attacked) -> None:
    vault.ok("privacy", "grant", vault.told, "--to", "si:ash", "--consent", "human:claire")
    vault.saved("granted")
    consent = next((vault.vault / "consents").rglob("*.md"))
    vault.edit(str(consent.relative_to(vault.vault)), "^grantee: .*", 'grantee: "*"')
    assert "[consent-changed]" in vault.refused_commit()


def test_every_grant_is_in_the_audit_or_said_not_to_be(vault: Attacked) -> None:
    shown = vault.added("For Ash.", "--access", "si:ash")
    assert f"memory={vault.id_of(shown)}  to=si:ash" in vault.ok("privacy", "log", "show")
    vault.edit(vault.plain, "^id: .*", r"\g<0>\naccess_grants: [si:ash]")
    vault.git("add", "-A")
    done = vault.attempt_git("commit", "-qm", "by hand")
    assert (done.returncode, "[grant-unrecorded]" in done.stderr) == (0, True), done
    assert "[grant-unrecorded]" in vault.ok("privacy", "log", "verify")
    assert "[grant-unrecorded]" in vault.ok("check", "--fix")
    assert "grant-unrecorded" not in vault.ok("privacy", "log", "verify")
    assert "to=si:ash" in vault.ok("privacy", "log", "show", vault.id_of(vault.plain))
    vault.saved("recorded")


def test_nobody_writes_in_another_ones_name(vault: Attacked) -> None:
    done = vault.run("add", "I hate walks.", "--owner", "si:ash")
    assert (done.returncode, "can't write a memory that belongs to si:ash" in done.stderr) == (4, True), done
    assert vault.json("--as", "si:ash", "list")["memories"] == []


# -- merges ------------------------------------------------------------------------------------------


@pytest.fixture
def united(vault: Attacked) -> Attacked:
    """Return a vault with a grant on its branch, and a new subject of the same memory on `side`."""
    vault.git("branch", "-M", "main")
    vault.git("checkout", "-qb", "side")
    vault.edit(vault.plain, "^id: .*", r"\g<0>\nsubject_ids: [dog:bella]")
    vault.saved("subject")
    vault.git("checkout", "-q", "main")
    vault.ok("privacy", "grant", vault.plain, "--to", "si:ash", "-c")
    return vault


@pytest.mark.parametrize("command", [("merge", "--no-edit", "side"), ("cherry-pick", "side")])
def test_a_grant_and_a_new_subject_are_not_united(united: Attacked, command: tuple[str, ...]) -> None:
    assert "[grants-widened]" in united.refused(*command)


def test_nor_are_they_by_a_rebase(united: Attacked) -> None:
    united.git("checkout", "-q", "side")
    done = united.attempt_git("rebase", "main")
    assert (done.returncode, "[grants-widened]" in done.stderr) == (1, True), done


def test_a_revert_brings_no_grant_back(vault: Attacked) -> None:
    vault.edit(vault.plain, "^id: .*", r"\g<0>\nsubject_ids: [dog:bella]\naccess_grants: [si:ash]")
    vault.git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "unseen")
    vault.edit(vault.plain, r"^access_grants: .*\n", "")
    vault.saved("taken back")
    assert "[grants-widened]" in vault.refused("revert", "--no-edit", "HEAD")


@pytest.mark.parametrize("strategy", ["theirs", "ours"])
def test_one_side_of_a_merge_regains_no_grant(vault: Attacked, strategy: str) -> None:
    vault.git("config", "--remove-section", "merge.memstore")  # memstore's driver takes no side
    vault.git("branch", "-M", "main")
    vault.ok("privacy", "grant", vault.plain, "--to", "si:ash", "-c")
    vault.git("checkout", "-qb", "side")
    vault.edit(vault.plain, "^access_grants: .*", r"\g<0>\ntags: [walk]")
    vault.saved("tags")
    vault.git("checkout", "-q", "main")
    vault.edit(vault.plain, "^access_grants: .*\n", "")
    vault.saved("revoked")
    if strategy == "ours":  # the other way round
        vault.git("checkout", "-q", "side")
    other = {"theirs": "side", "ours": "main"}[strategy]
    assert "[grant-regained]" in vault.refused("merge", "--no-edit", "-X", strategy, other)


def test_what_widens_nothing_is_taken_in(vault: Attacked) -> None:
    vault.git("branch", "-M", "main")
    vault.git("checkout", "-qb", "side")
    vault.added("More.")
    vault.saved("more")
    vault.git("checkout", "-q", "main")
    vault.added("Else.")
    vault.saved("else")
    vault.git("merge", "-q", "--no-edit", "side")
    vault.git("revert", "--no-edit", "-m", "1", "HEAD")
    vault.git("checkout", "-qb", "third", "side")
    vault.git("rebase", "-q", "main")
    vault.git("cherry-pick", "--allow-empty", "side")


def test_what_a_fast_forward_or_a_reset_widened_is_told_once(vault: Attacked) -> None:
    vault.git("branch", "-M", "main")
    vault.git("checkout", "-qb", "side")
    vault.edit(vault.told, "^access_grants: .*", 'access_grants: ["*"]')
    vault.git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "unseen")
    vault.git("checkout", "-q", "main")
    assert "grants-widened" not in vault.ok("check")
    assert vault.json("status")["widened"] == []
    vault.git("merge", "-q", "--ff-only", "side")
    assert [one["code"] for one in vault.json("status")["widened"]] == ["grants-widened"]
    assert "let others see more than at the last commit or check" in vault.ok("status")
    done = vault.run("check")
    assert (done.returncode, "[grants-widened]" in done.stdout) == (1, True), done
    assert "grants-widened" not in vault.ok("check")
    assert vault.json("status")["widened"] == []


def test_a_registry_file_that_cannot_be_read_or_is_none_stops_no_check(vault: Attacked) -> None:
    vault.ok("check")
    bella = (vault.vault / "entities/dog/bella.md").read_bytes()
    (vault.vault / "entities/.#bella.md").symlink_to("sean@host.1234")  # Emacs is editing
    (vault.vault / "entities/.draft.md").write_bytes(bella)
    assert vault.json("status")["widened"] == []
    vault.ok("check")
    (vault.vault / "entities/dog/bella.md").write_bytes(bella + b"x" * 9_000_000)
    assert [one["path"] for one in vault.json("status")["widened"]] == ["entities/dog/bella.md"]
    done = vault.run("check")
    assert (done.returncode, "entities/dog/bella.md has 9,0" in done.stdout) == (1, True), done


def test_what_goes_back_behind_a_later_commit_is_told_though_no_check_knows_that_commit(vault: Attacked) -> None:
    vault.ok("privacy", "grant", vault.told, "--to", "si:ash", "--consent", "human:claire", "-c")
    vault.ok("check")  # the last one before the grant is taken back
    vault.ok("privacy", "revoke", vault.told, "--from", "si:ash", "-c")
    revoked = vault.git("rev-parse", "HEAD").strip()
    assert "audit-event-gone" in vault.refused("revert", "--no-edit", revoked)
    told = {one["code"] for one in vault.json("status")["widened"]}
    assert "audit-event-gone" in told
    for _ in range(2):  # until it is back, not once
        done = vault.run("check")
        assert (done.returncode, "[audit-event-gone]" in done.stdout) == (1, True), done
    vault.git("reset", "-q", "--hard")
    vault.ok("check")


def test_the_records_of_another_branch_are_not_gone_but_those_that_a_fast_forward_took_are(vault: Attacked) -> None:
    vault.git("branch", "-M", "main")
    vault.git("branch", "older")
    vault.ok("privacy", "grant", vault.told, "--to", "si:ash", "--consent", "human:claire", "-c")
    vault.ok("check")
    vault.git("switch", "-q", "older")
    assert vault.json("status")["widened"] == []
    vault.ok("check")
    vault.git("switch", "-q", "main")
    vault.ok("check")
    vault.git("switch", "-qc", "side")
    vault.edit(vault.told, "^access_grants: .*\n", "")
    vault.git("rm", "-qr", "consents", "audit")
    vault.git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "unseen")
    vault.git("switch", "-q", "main")
    vault.ok("check")
    vault.git("merge", "-q", "--ff-only", "side")
    assert {one["code"] for one in vault.json("status")["widened"]} == {"consent-deleted", "audit-event-gone"}
    done = vault.run("check")
    assert (done.returncode, "[consent-deleted]" in done.stdout, "[audit-event-gone]" in done.stdout) == (1, True, True)


def test_a_widening_by_hand_is_told_by_the_first_check(vault: Attacked) -> None:
    vault.edit(vault.told, "^access_grants: .*", 'access_grants: ["*"]')
    assert [one["code"] for one in vault.json("status")["widened"]] == ["grants-widened"]
    done = vault.run("check")
    assert (done.returncode, done.stdout.count("[grants-widened]")) == (1, 1), done


def test_what_a_command_recorded_and_nobody_staged_is_named(vault: Attacked) -> None:
    vault.git("config", "alias.all", "commit -qam all")
    vault.ok("privacy", "grant", vault.told, "--to", "si:ash", "--consent", "human:claire")
    said = vault.refused("all")
    assert "[grants-widened]" in said
    assert said.count("hint: git add audit consents: what a command recorded there is not staged") == 2
    vault.git("add", "audit")
    assert "hint: git add consents: what a command recorded there is not staged" in vault.refused("all")
    vault.git("add", "consents")
    vault.git("all")
    vault.ok("config", "remotes.origin", "owner")
    said = vault.refused("all")
    assert ("[registry-widened]" in said, "hint: git add audit: what" in said) == (True, True)
    vault.saved("with its event")
    vault.edit(".memstore/config.toml", '"owner"', '"public"')
    assert "hint: put it back" in vault.refused("all")


@pytest.mark.parametrize("act", ["revoke", "refuse"])
def test_a_work_tree_at_an_older_commit_tells_what_was_withdrawn_since(tmp_path: Path, act: str) -> None:
    vault = Attacked(tmp_path)
    vault.ok("privacy", "grant", vault.told, "--to", "si:ash", "--consent", "human:claire")
    vault.saved("granted")
    older = vault.vault.parent / "older"
    vault.git("worktree", "add", "-q", "-b", "older", str(older))
    (consent,) = (vault.vault / "consents").rglob("*.md")
    if act == "revoke":
        vault.ok("privacy", "consent", "revoke", consent.stem, "--by", "human:claire")
    else:
        vault.ok(
            "privacy", "consent", "refuse", "--from", "human:claire", "--to", "si:ash", "--scope", "subject:dog:bella"
        )
    vault.saved("withdrawn")
    (newer,) = {*(vault.vault / "consents").rglob("*.md")} - {consent}
    said = f"{newer.relative_to(vault.vault)}:1:1: error: this refusal or revocation is committed in another work tree"
    for _ in range(2):
        done = vault.run("--vault", str(older), "check")
        assert (done.returncode, done.stdout.count(said)) == (1, 1), done
    assert newer.name in vault.ok("--vault", str(older), "status")
    assert "0 errors" in vault.run("check").stderr
    vault.git("-C", str(older), "merge", "-q", "--ff-only", vault.git("rev-parse", "HEAD").strip())
    assert vault.run("--vault", str(older), "check").returncode == 0
