"""What somebody tries who wants to see, or to let others see, what nobody consented to: by hand, by git, by names."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.whole.attacked import Victim, victims
from tests.whole.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.soak(10, together=True)

WIDE = 'access_grants: ["*"]'


@pytest.fixture(scope="module")
def copied() -> Callable[[Path], Victim]:
    return victims()


@pytest.fixture
def vault(copied: Callable[[Path], Victim], tmp_path: Path) -> Victim:
    return copied(tmp_path / "home")


def widen(vault: Victim, path: str) -> None:
    """Grant a memory to everybody by hand."""
    if "access_grants" in vault.text(path):
        vault.edit(path, "^access_grants: .*", WIDE)
    else:
        vault.edit(path, "^id: .*", rf"\g<0>\n{WIDE}")


# -- by git ------------------------------------------------------------------------------------------


def test_a_patch_that_git_applies_without_hooks_is_told(vault: Victim) -> None:
    vault.git("checkout", "-qb", "side")
    widen(vault, vault.told)
    vault.unseen()
    vault.git("format-patch", "-1", "-o", "..")
    vault.git("checkout", "-q", "main")
    vault.git("am", "-q", *map(str, vault.home.glob("*.patch")))
    assert "grants-widened" in {one["code"] for one in vault.json("status")["widened"]}
    assert "grants-widened" in vault.codes()


def test_a_commit_of_named_files_is_judged_by_what_it_commits(vault: Victim) -> None:
    vault.git("add", "-A")
    widen(vault, vault.told)
    assert "[grants-widened]" in vault.refused("commit", "-qm", "x", vault.told)
    assert "[grants-widened]" in vault.refused("commit", "-qm", "x", "--only", vault.told)


@pytest.mark.parametrize("how", ["--assume-unchanged", "--skip-worktree"])
def test_a_change_that_git_is_told_to_overlook_is_seen(how: str, vault: Victim) -> None:
    vault.git("update-index", how, vault.told)
    widen(vault, vault.told)
    assert "grants-widened" in vault.codes()
    assert "grants-widened" in vault.codes("check", "--against", "HEAD")


def test_a_replaced_commit_is_not_believed(vault: Victim) -> None:
    vault.git("checkout", "-qb", "side")
    widen(vault, vault.told)
    vault.unseen()
    vault.git("checkout", "-q", "main")
    vault.git("replace", "main", "side")
    widen(vault, vault.told)
    assert "[grants-widened]" in vault.refused_commit()


def test_an_amended_commit_is_judged_too(vault: Victim) -> None:
    widen(vault, vault.told)
    vault.git("add", "-A")
    assert "[grants-widened]" in vault.refused("commit", "--amend", "--no-edit", "-q")


def test_a_second_work_tree_has_the_same_hooks(vault: Victim) -> None:
    vault.git("worktree", "add", "-q", "../other", "-b", "other")
    place = vault.home / "other" / vault.told
    place.write_text(re.sub("access_grants: .*", WIDE, place.read_text()))
    done = vault.attempt_git("-C", "../other", "commit", "-qam", "x")
    assert (done.returncode, "[grants-widened]" in done.stderr) == (1, True), done


def test_a_vault_within_the_vault_is_told(vault: Victim) -> None:
    vault.write("notes/.memstore/config.toml", 'format = 1\nowner = "si:ash"\n')
    assert "[vault-inside]" in vault.refused_commit()
    assert "vault-inside" in vault.codes()


@pytest.mark.parametrize("settings", ["", 'format = 1\nowner = "human:claire"\n'])
def test_a_vault_within_the_vault_takes_no_file_out_of_it(settings: str, vault: Victim) -> None:
    vault.write(".git/info/exclude", "notes/.memstore/\n")
    vault.write("notes/.memstore/config.toml", settings)
    widen(vault, vault.told)
    assert "[grants-widened]" in vault.refused_commit()


def test_what_is_ignored_from_now_on_opens_nothing(vault: Victim) -> None:
    vault.ok("privacy", "grant", vault.told, "--to", "si:ash", "--consent", "human:claire", "-c")
    vault.ok("privacy", "consent", "refuse", "--from", "human:claire", "--to", "si:ash", "--scope", "subject:dog:bella")
    vault.saved("granted and refused")
    assert vault.told not in vault.seen_by("si:ash")
    for line in ("consents/", "entities/", "**/con_*", "audit/"):
        vault.write(".memstoreignore", f"{line}\n")
        assert vault.told not in vault.seen_by("si:ash"), line


# -- by hand -----------------------------------------------------------------------------------------


def test_whoever_is_no_longer_denied_is_told(vault: Victim) -> None:
    vault.ok("privacy", "grant", vault.plain, "--to", "*")
    vault.ok("privacy", "revoke", vault.plain, "--from", "si:ash")
    vault.saved("denied")
    vault.edit(vault.plain, "^access_denies: .*\n", "")
    vault.git("add", "-A")
    done = vault.attempt_git("commit", "-qm", "by hand")
    assert "[grant-unrecorded]" in done.stderr, done


def test_a_grant_that_was_revoked_and_comes_back_by_hand_is_told(vault: Victim) -> None:
    vault.ok("privacy", "revoke", vault.shown, "--from", "si:ash")
    vault.saved("revoked")
    vault.edit(vault.shown, "^access_grants: .*", "access_grants: [si:ash]")
    vault.git("add", "-A")
    assert "[grant-unrecorded]" in vault.attempt_git("commit", "-qm", "by hand").stderr
    vault.ok("privacy", "revoke", vault.shown, "--from", "si:ash")
    vault.ok("undo")
    vault.ok("check", "--fix")
    assert "grant-unrecorded" not in vault.ok("privacy", "log", "verify")


def test_who_is_named_as_a_source_and_granted_at_once_is_told(vault: Victim) -> None:
    vault.edit(vault.plain, "^id: .*", r"\g<0>\nsource_entity: si:ash\naccess_grants: [si:ash]")
    vault.git("add", "-A")
    done = vault.attempt_git("commit", "-qm", "by hand")
    assert "[grant-unrecorded]" in done.stderr, done


CONSENT = """---
type: consent
id: con_0000000001
grantor: human:claire
grantee: si:ash
scope: subject:dog:bella
granted_at: "2026-01-01T00:00:00Z"
method: asserted
---
"""


def test_a_consent_written_by_hand_is_told(vault: Victim) -> None:
    vault.write("consents/2026/con_0000000001.md", CONSENT)
    vault.git("add", "-A")
    done = vault.attempt_git("commit", "-qm", "by hand")
    assert "[consent-unrecorded]" in done.stderr, done
    assert "[consent-unrecorded]" in vault.ok("privacy", "log", "verify")


def test_a_consent_and_its_grant_by_hand_in_one_commit_are_told(vault: Victim) -> None:
    vault.write(
        "consents/2026/con_0000000001.md", CONSENT.replace("subject:dog:bella", f"mem:{vault.id_of(vault.told)}")
    )
    vault.edit(vault.told, "^access_grants: .*", "access_grants: [human:claire, si:ash]")
    vault.git("add", "-A")
    said = vault.attempt_git("commit", "-qm", "by hand").stderr
    assert "[consent-unrecorded]" in said
    assert "[grant-unrecorded]" in said


def test_a_hand_edit_beside_a_command_on_the_same_file_is_no_part_of_it(vault: Victim) -> None:
    vault.ok("privacy", "group", "add", "group:pack", "si:pith")
    vault.ok("privacy", "grant", vault.plain, "--to", "group:pack")
    vault.saved("a group")
    vault.ok("privacy", "group", "add", "group:pack", "si:moss")
    vault.edit("groups/pack.yaml", "si:moss", "si:ash")
    assert "[registry-widened]" in vault.refused_commit()


def test_commands_one_after_the_other_on_one_file_pass(vault: Victim) -> None:
    vault.ok("privacy", "group", "add", "group:pack", "si:pith")
    vault.ok("privacy", "grant", vault.plain, "--to", "group:pack")
    vault.saved("a group")
    vault.ok("privacy", "group", "add", "group:pack", "si:moss")
    vault.ok("privacy", "group", "add", "group:pack", "si:ash")
    vault.ok("privacy", "group", "remove", "group:pack", "si:moss")
    vault.saved("two more, one less")


@pytest.mark.parametrize("path", ["entities/dog/bella.md", "entities/human/claire.md"])
def test_an_entity_whose_file_is_taken_away_lets_nobody_in(path: str, vault: Victim) -> None:
    vault.ok("privacy", "grant", vault.told, "--to", "si:ash", "--consent", "human:claire", "-c")
    vault.ok("privacy", "consent", "refuse", "--from", "human:claire", "--to", "si:ash", "--scope", "subject:dog:bella")
    vault.saved("granted and refused")
    vault.git("rm", "-q", path)
    before = vault.seen_by("si:ash")
    assert vault.told not in before
    if path == "entities/dog/bella.md":
        assert "[registry-widened]" in vault.refused_commit()


def test_a_ward_without_a_guardian_is_not_spoken_for_by_anybody(vault: Victim) -> None:
    vault.ok("privacy", "entity", "add", "dog:max")
    about = vault.added("Max limps.", "--subject", "dog:max")
    done = vault.run("privacy", "grant", about, "--to", "si:ash", "--consent", "human:stranger")
    said = done.stdout + done.stderr
    assert "dog:max has no guardian" in said, done


def test_a_consent_that_was_committed_and_is_gone_goes_on_being_told(vault: Victim) -> None:
    vault.ok("privacy", "grant", vault.told, "--to", "si:ash", "--consent", "human:claire")
    vault.saved("granted")
    consent = next((vault.vault / "consents").rglob("*.md"))
    consent.unlink()
    vault.unseen("gone")
    assert "consent-deleted" in vault.codes("privacy", "log", "verify")
    vault.run("check")
    assert "consent-deleted" in vault.codes("check")


@pytest.mark.soak
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("contexts/park.yaml", "id: ctx:park\nopen: true\n"),
        ("contexts/park.yaml", "id: ctx:park\nroster: [human:sean, si:ash]\n"),
        ("contexts/park.yaml", "id: ctx:park\nroster: [human:sean]\nroles: {si:ash: [role:friend]}\n"),
        ("entities/si/ash.md", "---\ntype: entity\nid: si:ash\nroles: [role:friend]\n---\n"),
        ("groups/inner.yaml", "id: group:inner\nmembers: [{id: si:ash}]\n"),
        ("groups/pack.yaml", "id: group:pack\nmembers: [{id: group:inner}, {id: si:ash}]\n"),
    ],
)
def test_no_registry_file_is_widened_by_hand(path: str, text: str, vault: Victim) -> None:
    vault.ok("context", "add", "ctx:park", "--roster", "human:sean")
    vault.ok("privacy", "group", "add", "group:pack", "group:inner")
    vault.ok("privacy", "group", "add", "group:inner", "si:pith")
    for to in ("ctx:park", "role:friend", "group:pack"):
        vault.ok("privacy", "grant", vault.plain, "--to", to)
    vault.saved("granted to many")
    vault.write(path, text)
    assert "[registry-widened]" in vault.refused_commit()


# -- by form -----------------------------------------------------------------------------------------


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    "keys",
    [
        "access_grants: &a ['*']\n",
        "x: &a {access_grants: ['*']}\n<<: *a\n",
        "access_grants: []\naccess_grants: ['*']\n",
        "access_grants:\n- '*'\n- [nested]\n",
        "access_grants: !!python/tuple ['*']\n",
        "access_grants: ['human:*', 'group:*', 'si:']\n",
        "? access_grants\n: ['*', 5]\n",
        "access_grants: ['*']\nаccess_denies: [si:ash]\naccess_denies: 'si:ash\n",
    ],
)
def test_no_form_of_yaml_opens_what_it_should_not(keys: str, vault: Victim) -> None:
    vault.write("odd.md", f"---\ntype: note\nid: m_oddoddoddo\n{keys}---\nOdd.\n")
    assert "odd.md" not in vault.seen_by("si:ash")
    assert vault.found_by("check", "odd.md")


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    "who",
    ["HUMAN:SEAN", "human:sean ", "human:sean\n", "human:seаn", "human:sean,si:ash", "human:", "*", "?", "public"],
)
def test_nobody_is_the_owner_by_a_name_that_looks_alike(who: str, vault: Victim) -> None:
    done = vault.run("--as", who, "list")
    assert (done.returncode, vault.plain in done.stdout) in ((2, False), (0, False)), done


def test_an_alias_opens_nothing(vault: Victim) -> None:
    vault.write("entities/si/ash.md", "---\ntype: entity\nid: si:ash\naliases: ['human:sean', 'Sean']\n---\n")
    assert vault.seen_by("si:ash") == {vault.shown}
    vault.write("entities/si/ash.md", "---\ntype: entity\nid: human:sean\n---\n")
    assert vault.seen_by("si:ash") <= {vault.shown}


def test_a_link_to_a_hidden_memory_shows_nothing(vault: Victim) -> None:
    (vault.vault / "mine.md").symlink_to(vault.told)
    (vault.vault / "folder").symlink_to("notes")
    assert vault.seen_by("si:ash") == {vault.shown}
    for path in ("mine.md", f"folder/{vault.told.partition('/')[2]}", f"./{vault.told}", vault.told.upper()):
        done = vault.run("--as", "si:ash", "show", path)
        assert (done.returncode, "Bella" in done.stdout + done.stderr) == (3, False), done


def test_a_time_that_cannot_be_read_ends_a_membership(vault: Victim) -> None:
    vault.ok("privacy", "grant", vault.plain, "--to", "group:pack")
    for until in ("soon", "2026-13-45", "9999999-01-01", "'2026-01-01T00:00:00+99:00'"):
        vault.write("groups/pack.yaml", f"id: group:pack\nmembers: [{{id: si:ash, until: {until}}}]\n")
        assert vault.plain not in vault.seen_by("si:ash"), until


def test_signs_that_drive_a_terminal_do_not_reach_it(vault: Victim) -> None:
    evil = "\\e]0;owned\\a\\e[2J\\u202e"
    vault.write("evil.md", f'---\ntype: note\nid: m_evilevilev\ntitle: "{evil}"\naccess_grants: ["*"]\n---\nx\n')
    for words in (
        ("list",),
        ("show", "m_evilevilev"),
        ("check",),
        ("status",),
        ("privacy", "report"),
        ("links", "evil.md"),
    ):
        done = vault.run(*words)
        assert not {"\x1b", "\x07", "\u202e"} & {*(done.stdout + done.stderr)}, words


# -- what a person is told ----------------------------------------------------------------------------


def test_a_grant_to_somebody_unknown_is_noted(vault: Victim) -> None:
    done = vault.run("privacy", "grant", vault.plain, "--to", "si:asch")
    assert (done.returncode, "si:asch" in done.stderr) == (0, True), done
    assert "nothing else here names si:asch" in done.stderr
    done = vault.run("privacy", "grant", vault.plain, "--to", "human:claire", "si:ash")
    assert "nothing else" not in done.stderr


def test_what_the_owner_sees_is_told_by_an_audit(vault: Victim) -> None:
    assert vault.plain in vault.ok("privacy", "audit", "--entity", "human:sean")


def test_what_an_old_vault_lacks_is_told_once_with_what_would_be_recorded(vault: Victim) -> None:
    shutil.rmtree(vault.home / "cache")
    vault.write("consents/2026/con_0000000001.md", CONSENT)
    vault.edit(vault.plain, "^id: .*", r"\g<0>\naccess_grants: [si:ash]")
    vault.unseen("of an earlier version")
    said = "1 memory is granted to somebody and 1 consent is there, and no audit event tells of it"
    assert said in vault.ok("check")
    assert said not in vault.ok("check")
    planned = vault.ok("check", "--fix", "--dry-run")
    assert f"would fix {vault.plain}:" in planned
    assert "would fix consents/2026/con_0000000001.md:" in planned
    assert vault.git("status", "--porcelain") == ""
    assert "would fix" not in vault.ok("check", "--fix")
    assert "unrecorded" not in vault.ok("privacy", "log", "verify")
    assert vault.json("check", "--fix", "--dry-run")["fixed"] == []


def test_a_hook_that_is_told_who_looks_tells_nothing_of_others_files(vault: Victim) -> None:
    widen(vault, vault.told)
    vault.write("ash.md", "---\ntype: note\nid: m_ashashasha\nowner: si:ash\nconfidence: 7\n---\nMine.\n")
    vault.write("mine.md", "---\ntype: belief\nid: m_ashashashb\nowner: si:ash\ntitle: A\nstatus: odd\n---\nMine.\n")
    vault.git("add", "-A")
    for said in (
        Program.run(vault, "--as", "si:ash", "hooks", "run", "pre-commit"),
        Program.run(vault, "hooks", "run", "pre-commit", MEMSTORE_ENTITY="si:ash"),
    ):
        assert said.returncode == 1
        assert "Bella" not in said.stderr
        assert vault.told not in said.stderr
        assert "for the vault's owner: memstore check --staged" in said.stderr
    assert vault.told in Program.run(vault, "hooks", "run", "pre-commit").stderr
