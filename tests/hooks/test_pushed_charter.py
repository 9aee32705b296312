"""Pushes to a shared vault, by git itself: what whoever made a commit may not do is refused."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.git_repositories import git, memory
from tests.team import ANN, BEN, EVE, OPS, REFUSED, Team, begin

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.soak(8, together=True)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Team:
    return begin(tmp_path_factory.mktemp("team"))


@pytest.fixture
def team(begun: Team, tmp_path: Path) -> Team:
    return begun.copied(tmp_path)


def test_members_push_what_they_made(team: Team) -> None:
    team.memstore(BEN, "add", "Ben was there.", "--commit")
    team.write(BEN, "plain.md", "# A plain note\n")
    team.commit(BEN)
    team.passes(BEN)
    team.ok(ANN, "git", "pull", "-q", "--rebase", "origin", "main")
    team.memstore(ANN, "privacy", "group", "add", OPS, EVE, "--email", "eve@example.org", "--commit")
    team.passes(ANN)
    team.ok(EVE, "git", "pull", "-q", "origin", "main")
    team.memstore(EVE, "add", "Eve is in.", "--commit")
    team.passes(EVE)
    assert "Eve is in" in git(team.remote, "log", "-p", "main")


def test_a_first_push_of_what_was_made_before_the_charter_was_committed(tmp_path: Path) -> None:
    team = Team(tmp_path)
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    team.clone(ANN).mkdir()
    git(team.clone(ANN), "init", "-q", "-b", "main")
    shutil.copytree(team.clone(ANN), team.clone(EVE))
    team.write(EVE, "old.md", "# Of before\n")
    team.commit(EVE, "somebody whom the vault doesn't know")
    team.ok(ANN, "git", "pull", "-q", "../eve", "main")
    team.memstore(ANN, "init", "--owner", OPS)
    team.memstore(ANN, "add", "Before the charter.", "--commit")
    team.memstore(ANN, "privacy", "group", "add", OPS, BEN, "--commit")  # before her own entity is committed
    team.memstore(ANN, "add", "After it.", "--commit")
    team.memstore(ANN, "commit")
    team.ok(ANN, "git", "remote", "add", "origin", "../remote.git")
    said = team.run(ANN, "git", "push", "-q", "origin", "HEAD:main").stderr
    assert f"hint: memstore config remotes.origin {OPS}, if only its members do;" in said
    team.memstore(ANN, "config", "remotes.origin", OPS)
    team.memstore(ANN, "commit")
    team.passes(ANN)


def test_a_member_changes_what_another_wrote_moves_it_and_takes_it_back(team: Team) -> None:
    [path] = (team.clone(BEN) / "notes").rglob("pager*.md")
    path.write_text(path.read_text() + "Twice.\n")
    team.commit(BEN, "edited")
    path.rename(path.with_name("elsewhere.md"))
    team.commit(BEN, "moved")
    path.with_name("elsewhere.md").unlink()
    team.commit(BEN, "gone")
    team.ok(BEN, "git", "-c", "core.hooksPath=/dev/null", "revert", "-n", "HEAD")
    team.commit(BEN, "reverted")
    team.passes(BEN)


CHARTER = "groups/ops.yaml"


def self_made_member(team: Team) -> tuple[str, str]:
    charter = team.clone(EVE) / CHARTER
    charter.write_text(f'{charter.read_text()}  - {{id: "{EVE}", from: "2020-01-01T00:00:00Z"}}\n')
    team.write(EVE, "entities/human/eve.md", f"---\ntype: entity\nid: {EVE}\nemail: eve@example.org\n---\n")
    team.commit(EVE)
    return EVE, "doesn't know whose address eve@example.org is"


def self_made_keeper(team: Team) -> tuple[str, str]:
    charter = team.clone(BEN) / CHARTER
    charter.write_text(charter.read_text().replace(f"[{ANN}]", f"[{ANN}, {BEN}]"))
    team.commit(BEN)
    return BEN, f"{CHARTER}: {BEN} is no keeper"


def keeper_in_two_steps(team: Team) -> tuple[str, str]:
    _, said = self_made_keeper(team)
    team.write(BEN, "groups/more.yaml", "id: group:more\nmembers: []\n")
    team.commit(BEN)
    return BEN, said


def forged_author(team: Team) -> tuple[str, str]:
    text = "---\ntype: note\nid: m_forged00001\nauthor: human:ann\n---\nAnn never said that.\n"
    team.write(BEN, "notes/forged.md", text)
    team.commit(BEN)
    return BEN, "it says that human:ann wrote it, and ben@example.org is human:ben's"


def forged_author_in_two_steps(team: Team) -> tuple[str, str]:
    team.write(BEN, "notes/forged.md", "---\ntype: note\nid: m_forged00001\n---\nAnn never said that.\n")
    team.commit(BEN)
    return forged_author(team)


def forged_author_after_all(team: Team) -> tuple[str, str]:
    """A memory without an author, which was gone in between."""
    team.write(BEN, "notes/forged.md", "---\ntype: note\nid: m_forged00001\n---\nAnn never said that.\n")
    team.commit(BEN)
    (team.clone(BEN) / "notes/forged.md").unlink()
    team.commit(BEN)
    return forged_author(team)


def vault_inside(team: Team) -> tuple[str, str]:
    team.write(BEN, "sub/.memstore/config.toml", f'owner = "{BEN}"\n')
    team.commit(BEN)
    return BEN, "sub/.memstore/config.toml: it would make a folder here a vault of its own"


def vault_inside_by_a_keeper(team: Team) -> tuple[str, str]:
    _, said = vault_inside(team)
    words = ("pull", "-q", "--no-rebase", "--no-ff", "../ben", "main")
    team.ok(ANN, "git", "-c", "core.hooksPath=/dev/null", *words)
    return ANN, said


def forged_act(team: Team) -> tuple[str, str]:
    done = team.run(BEN, "env", f"MEMSTORE_ENTITY={ANN}", "memstore", "config", "notes_for", EVE)
    assert done.returncode == 0, done.stderr
    team.commit(BEN)
    return BEN, "it records an act of human:ann"


def amended_audit(team: Team) -> tuple[str, str]:
    event = next(path for path in (team.clone(ANN) / "audit").rglob("*.json") if BEN in path.read_text())
    event.write_text(event.read_text().replace(BEN, EVE))
    team.commit(ANN)
    return ANN, "it is a recorded audit event, which nobody changes"


def forged_verdict(team: Team) -> tuple[str, str]:
    judged(team, BEN, MEMSTORE_ENTITY=ANN)
    return BEN, "it records an act of human:ann"


def amended_verdict(team: Team) -> tuple[str, str]:
    judged(team, ANN)
    team.passes(ANN)
    team.ok(BEN, "git", "pull", "-q", "origin", "main")
    [verdict] = (team.clone(BEN) / ".memstore/verdicts").rglob("*.md")
    verdict.write_text(verdict.read_text().replace("same", "unrelated").replace(ANN, BEN))
    team.commit(BEN)
    return BEN, "it is a verdict, which nobody changes"


def dropped_verdict(team: Team) -> tuple[str, str]:
    judged(team, ANN)
    team.passes(ANN)
    team.ok(BEN, "git", "pull", "-q", "origin", "main")
    shutil.rmtree(team.clone(BEN) / ".memstore/verdicts")
    team.commit(BEN)
    return BEN, "it records an act of human:ann"


def verdict_merged_away(team: Team) -> tuple[str, str]:
    judged(team, ANN)
    team.passes(ANN)
    team.commit(BEN)
    merged_with_older_files(team, BEN)
    return BEN, "it records an act of human:ann, which nobody changes"


def refusal(team: Team) -> Path:
    """Let Ann refuse something and push that; return the record in Ben's clone."""
    words = ("--from", ANN, "--to", EVE, "--scope", f"subject:{ANN}", "--commit")
    team.memstore(ANN, "privacy", "consent", "refuse", *words)
    team.passes(ANN)
    team.commit(BEN, "beside")
    team.ok(BEN, "git", "pull", "-q", "--rebase", "origin", "main")
    [record] = (team.clone(BEN) / "consents").rglob("*.md")
    return record


def amended_refusal(team: Team) -> tuple[str, str]:
    record = refusal(team)
    record.write_text(record.read_text().replace("effect: deny", "effect: permit"))
    team.commit(BEN)
    return BEN, "it is a consent, which nobody changes"


def dropped_refusal(team: Team) -> tuple[str, str]:
    refusal(team).unlink()
    team.commit(BEN)
    return BEN, "it is a consent, which nobody changes"


def refusal_merged_away(team: Team) -> tuple[str, str]:
    refusal(team)
    team.ok(BEN, "git", "reset", "-q", "--hard", "origin/main~1")
    team.commit(BEN)
    merged_with_older_files(team, BEN)
    return BEN, "it records an act of human:ann, which nobody changes"


def consent_of_another(team: Team) -> tuple[str, str]:
    team.memstore(BEN, "privacy", "consent", "grant", "--from", BEN, "--to", EVE, "--scope", f"subject:{ANN}")
    [record] = (team.clone(BEN) / "consents").rglob("*.md")
    record.write_text(record.read_text().replace(f"grantor: {BEN}", f"grantor: {ANN}\non_behalf_of: {BEN}"))
    team.commit(BEN)
    return BEN, f"{record.name}: it records an act of human:ann"


def request_of_another(team: Team) -> tuple[str, str]:
    team.memstore(BEN, "privacy", "consent", "request", "--from", EVE, "--to", BEN, "--scope", f"subject:{EVE}")
    [request] = (team.clone(BEN) / "requests").rglob("*.md")
    request.write_text(request.read_text().replace(f"requested_by: {BEN}", f"requested_by: {ANN}"))
    team.commit(BEN)
    return BEN, "it records an act of human:ann"


def act_by_the_author_line(team: Team) -> tuple[str, str]:
    team.ok(BEN, "env", f"MEMSTORE_ENTITY={ANN}", "memstore", "config", "notes_for", BEN)
    team.ok(BEN, "git", "checkout", "-q", ".memstore")
    team.ok(BEN, "git", "add", "-A")
    words = ("commit", "-q", "-m", "x", "--author", "Ann <ann@example.org>")
    team.ok(BEN, "git", "-c", "core.hooksPath=/dev/null", *words)
    return BEN, "it records an act of human:ann, and ben@example.org is human:ben's"


def judged(team: Team, who: str, **environment: str) -> None:
    """Add a memory, and judge that it says the same as Ann's."""
    team.memstore(who, "add", "The pager is loud at night.", "--title", "Loud", "-c")
    words = [f"{name}={value}" for name, value in environment.items()]
    team.ok(who, "env", *words, "memstore", "conflicts", "judge", "Loud", "Pager", "same")
    team.commit(who)


def dropped_audit(team: Team) -> tuple[str, str]:
    shutil.rmtree(team.clone(BEN) / "audit")
    team.commit(BEN)
    return BEN, "it is a recorded audit event, which nobody changes"


def group_in_group(team: Team) -> tuple[str, str]:
    team.write(BEN, "groups/guests.yaml", f"id: group:guests\nmembers: [{{id: '{EVE}'}}]\n")
    team.commit(BEN)
    return BEN, f"groups/guests.yaml: {BEN} is no keeper"


def renamed_group(team: Team) -> tuple[str, str]:
    settings = team.clone(BEN) / ".memstore/config.toml"
    settings.write_text(settings.read_text().replace(OPS, "group:mine"))
    team.write(BEN, "groups/mine.yaml", f"id: group:mine\nkeepers: [{BEN}]\nmembers: [{{id: '{BEN}'}}]\n")
    team.commit(BEN)
    return BEN, f".memstore/config.toml: {BEN} is no keeper"


def own_history(team: Team) -> tuple[str, str]:
    """A clone that lies: a history of its own, in which Eve keeps the vault."""
    team.ok(EVE, "git", "checkout", "-q", "--orphan", "mine")
    charter = team.clone(EVE) / CHARTER
    charter.write_text(f"id: {OPS}\nkeepers: [{EVE}]\nmembers: [{{id: '{EVE}'}}]\n")
    team.write(EVE, "entities/human/eve.md", f"---\ntype: entity\nid: {EVE}\nemail: eve@example.org\n---\n")
    team.commit(EVE)
    return EVE, "doesn't know whose address eve@example.org is"


def forged_beside_the_vault(team: Team) -> tuple[str, str]:
    """A history without a vault, with a memory that Ann is said to have written."""
    team.ok(BEN, "git", "checkout", "-q", "--orphan", "beside")
    team.ok(BEN, "git", "rm", "-rqf", ".")
    team.write(BEN, "forged.md", "---\ntype: note\nid: m_forged00001\nauthor: human:ann\n---\nNever said.\n")
    team.commit(BEN)
    team.ok(BEN, "git", "-c", "core.hooksPath=/dev/null", "merge", "-q", "--allow-unrelated-histories", "-m", "m",
            "origin/main")  # fmt: skip
    return BEN, "forged.md: it says that human:ann wrote it"


def plain_files_beside_the_vault(team: Team) -> tuple[str, str]:
    team.ok(EVE, "git", "checkout", "-q", "--orphan", "beside")
    team.ok(EVE, "git", "rm", "-rqf", ".")
    team.write(EVE, "tea.md", "# Tea\n")
    team.commit(EVE)
    return EVE, "doesn't know whose address eve@example.org is"


def narrower(team: Team) -> tuple[str, str]:
    team.write(BEN, "notes/mine.md", f"---\ntype: note\nid: m_mine0000001\nowner: {BEN}\n---\nMine.\n")
    team.commit(BEN)
    return BEN, "may not see it"


def shared_with_another(team: Team) -> tuple[str, str]:
    [path] = (team.clone(BEN) / "notes").rglob("pager*.md")
    path.write_text(path.read_text().replace("author:", f'access_grants: ["{EVE}"]\nauthor:'))
    team.commit(BEN)
    return BEN, f"it is granted to {EVE}, and keepers alone share what is here"


def by_an_agent(team: Team) -> tuple[str, str]:
    team.memstore(ANN, "privacy", "group", "add", OPS, "si:ash", "--email", "ash@example.org", "--commit")
    team.passes(ANN)
    shutil.copytree(team.clone(ANN), team.clone("si:ash"))
    team.commit("si:ash", "an agent's")
    return "si:ash", "is an agent: it pushes to refs/heads/propose/NAME"


@pytest.mark.soak(4)
@pytest.mark.parametrize(
    "attack",
    [
        self_made_member, self_made_keeper, keeper_in_two_steps, forged_author, forged_act, amended_audit,
        dropped_audit, group_in_group, renamed_group, own_history, forged_beside_the_vault, narrower,
        shared_with_another, by_an_agent,
        forged_verdict, amended_verdict, dropped_verdict, verdict_merged_away,
        amended_refusal, dropped_refusal, refusal_merged_away, consent_of_another,
        request_of_another, act_by_the_author_line, forged_author_in_two_steps, forged_author_after_all, vault_inside,
        vault_inside_by_a_keeper, plain_files_beside_the_vault,
    ],
)  # fmt: skip
def test_what_is_not_ones_to_change_is_refused(team: Team, attack: Callable[[Team], tuple[str, str]]) -> None:
    who, said = attack(team)
    target = (
        ("origin", "HEAD:refs/heads/other")
        if attack in (own_history, plain_files_beside_the_vault)
        else ("origin", "HEAD:main")
    )
    assert said in team.refused(who, *target)


def test_members_record_what_they_say_and_keepers_what_others_say(team: Team) -> None:
    words = ("--to", EVE, "--scope", f"subject:{BEN}", "--commit")
    team.memstore(BEN, "privacy", "consent", "refuse", "--from", BEN, *words)
    team.passes(BEN)
    [record] = (team.clone(BEN) / "consents").rglob("*.md")
    team.memstore(BEN, "privacy", "consent", "revoke", record.stem, "--commit")
    team.passes(BEN)
    team.ok(ANN, "git", "pull", "-q", "origin", "main")
    team.memstore(ANN, "privacy", "consent", "grant", "--from", BEN, *words)
    team.passes(ANN)
    team.passes(ANN)


def test_a_merge_brings_what_keepers_did_and_nothing_back(team: Team) -> None:
    """What a keeper granted and moved is in a merge of the same memory; what she took back stays taken back."""
    [path] = (team.clone(ANN) / "notes").rglob("pager*.md")
    team.memstore(ANN, "privacy", "grant", str(path), "--to", EVE, "--commit")
    team.memstore(ANN, "mv", "Pager", "notes/night.md", "--commit")
    team.passes(ANN)
    merged_with_tag(team, "day")
    team.passes(BEN)
    team.ok(ANN, "git", "pull", "-q", "origin", "main")
    team.memstore(ANN, "privacy", "revoke", "notes/night.md", "--from", EVE, "--commit")
    team.passes(ANN)
    team.commit(BEN, "beside")
    assert f"refs/heads/main: notes/night.md: it would be granted to {EVE} again" in merged_with_older_files(team, BEN)
    team.ok(BEN, "git", "reset", "-q", "--hard", "HEAD~1")
    merged_with_tag(team, "night")
    team.passes(BEN)
    assert EVE not in git(team.remote, "show", "main:notes/night.md")


def test_a_grant_that_was_taken_back_on_a_copy_of_its_branch_stays_taken_back(team: Team) -> None:
    """As after a rebase of a branch that somebody had merged: neither side of the merge took anything back."""
    [path] = (team.clone(ANN) / "notes").rglob("pager*.md")
    team.ok(ANN, "git", "switch", "-q", "-c", "copied")
    team.memstore(ANN, "privacy", "grant", str(path), "--to", EVE, "--commit")
    team.commit(BEN, "beside")
    team.ok(BEN, "git", "pull", "-q", "--no-rebase", "--no-edit", "../ann", "copied")
    team.ok(ANN, "git", "switch", "-q", "main")
    team.commit(ANN, "something else")
    team.ok(ANN, "git", "cherry-pick", "copied")
    team.memstore(ANN, "privacy", "revoke", str(path), "--from", EVE, "--commit")
    team.passes(ANN)
    merge = ("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    assert f"it is granted to {EVE} again" in team.run(BEN, "git", *merge).stderr
    team.ok(BEN, "git", "merge", "--abort")
    team.ok(BEN, "git", "-c", "core.hooksPath=/dev/null", *merge)
    assert f"it would be granted to {EVE} again" in team.refused(BEN)


def merged_with_tag(team: Team, tag: str) -> None:
    """Let Ben tag the memory, while others changed it, and merge that."""
    team.memstore(BEN, "tag", "Pager", f"+{tag}", "--commit")
    team.ok(BEN, "git", "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")


def test_a_member_merges_a_branch_on_which_a_keeper_changed_the_charter(team: Team) -> None:
    team.ok(ANN, "git", "switch", "-q", "-c", "guests")
    team.memstore(ANN, "privacy", "group", "add", "group:guests", EVE, "--commit")
    team.passes(ANN, "origin", "guests")
    team.commit(BEN, "beside")
    team.ok(BEN, "git", "fetch", "-q")
    team.ok(BEN, "git", "merge", "-q", "--no-edit", "origin/guests")
    team.passes(BEN)


def test_a_verdict_is_taken_back_by_whoever_judged_it(team: Team) -> None:
    judged(team, BEN)
    team.passes(BEN)
    shutil.rmtree(team.clone(BEN) / ".memstore/verdicts")
    team.commit(BEN)
    team.passes(BEN)
    judged(team, BEN)
    team.passes(BEN)
    team.ok(ANN, "git", "pull", "-q", "origin", "main")
    shutil.rmtree(team.clone(ANN) / ".memstore/verdicts")
    team.commit(ANN, "a keeper")
    team.passes(ANN)


def test_a_proposal_goes_along_with_main_and_a_new_branch_after_somebody_left(team: Team) -> None:
    by_an_agent(team)
    team.ok(ANN, "git", "fetch", "-q", "../ash", "main:refs/heads/propose/x")
    team.commit(ANN, "beside")
    team.passes(ANN, "origin", "HEAD:main", "propose/x")
    team.ok(BEN, "git", "pull", "-q", "origin", "main")
    team.memstore(BEN, "add", "Ben was there.", "--commit")
    team.passes(BEN)
    team.ok(ANN, "git", "pull", "-q", "origin", "main")
    team.memstore(ANN, "privacy", "group", "remove", OPS, BEN, "--commit")
    team.passes(ANN, "origin", "HEAD:main", "HEAD:refs/heads/release")


def test_a_refusal_is_undone_by_whoever_refused_on_a_branch_that_another_merges(team: Team) -> None:
    refusal(team)
    team.ok(ANN, "git", "switch", "-q", "-c", "undone")
    team.memstore(ANN, "undo")
    team.memstore(ANN, "commit")
    team.passes(ANN, "origin", "undone")
    team.ok(BEN, "git", "fetch", "-q")
    team.ok(BEN, "git", "merge", "-q", "--no-edit", "origin/undone")
    team.passes(BEN)
    assert "consents/" not in git(team.remote, "ls-tree", "-r", "--name-only", "main")


def test_somebody_who_left_pushes_nothing_and_is_not_brought_back(team: Team) -> None:
    before = (team.clone(ANN) / CHARTER).read_text()
    team.commit(BEN, "of before he left")
    team.memstore(ANN, "privacy", "group", "remove", OPS, BEN, "--commit")
    team.passes(ANN)
    assert f"{BEN} is no member" in team.refused(BEN, "origin", "HEAD:refs/heads/other")
    assert CHARTER in merged_with_older_files(team, BEN)
    team.ok(BEN, "git", "reset", "-q", "--hard", "origin/main")
    team.write(BEN, CHARTER, before)
    team.commit(BEN, "replayed")
    assert f"{BEN} is no member" in team.refused(BEN)


def test_a_keeper_whose_line_was_deleted_by_hand_pushes_nothing(team: Team) -> None:
    charter = team.clone(ANN) / CHARTER
    before = charter.read_text()
    team.memstore(ANN, "privacy", "group", "add", OPS, EVE, "--keeper", "--email", "eve@example.org", "--commit")
    team.passes(ANN)
    team.ok(EVE, "git", "pull", "-q", "origin", "main")
    team.commit(EVE, "of before she left")
    charter.write_text(before)
    team.commit(ANN, "by hand")
    team.passes(ANN)
    assert f"{EVE} is no member" in team.refused(EVE, "origin", "HEAD:refs/heads/other")
    assert f"{EVE} is no member" in merged_with_older_files(team, EVE)


def test_somebody_who_left_a_group_in_the_group_pushes_nothing(team: Team) -> None:
    team.memstore(ANN, "privacy", "group", "add", "group:sub", EVE, "--email", "eve@example.org", "--commit")
    team.memstore(ANN, "privacy", "group", "add", OPS, "group:sub", "--commit")
    team.passes(ANN)
    team.ok(EVE, "git", "pull", "-q", "origin", "main")
    team.memstore(EVE, "add", "Eve is in.", "--commit")
    team.passes(EVE)
    team.commit(EVE, "of before she left")
    team.ok(ANN, "git", "pull", "-q", "origin", "main")
    team.memstore(ANN, "privacy", "group", "remove", "group:sub", EVE, "--commit")
    team.passes(ANN)
    assert f"{EVE} is no member" in team.refused(EVE, "origin", "HEAD:refs/heads/other")
    assert f"{EVE} is no member" in merged_with_older_files(team, EVE)


def test_whoever_joins_is_pushed_with_what_they_wrote(team: Team) -> None:
    team.memstore(ANN, "privacy", "group", "add", OPS, EVE, "--keeper", "--email", "eve@example.org", "--commit")
    team.ok(EVE, "git", "pull", "-q", "../ann", "main")
    team.memstore(EVE, "privacy", "group", "add", "group:sub", "si:ash", "--email", "ash@example.org", "--commit")
    team.memstore(EVE, "add", "Eve is in.", "--commit")
    team.passes(EVE)


def merged_with_older_files(team: Team, who: str) -> str:
    """Merge main with nothing of it taken, and push that; return what the server says."""
    team.ok(who, "git", "fetch", "-q")
    team.ok(who, "git", "-c", "core.hooksPath=/dev/null", "merge", "-q", "-s", "ours", "-m", "m", "origin/main")
    return team.refused(who)


def test_a_merge_brings_no_older_charter(team: Team) -> None:
    team.commit(BEN, "beside")
    team.memstore(ANN, "privacy", "group", "add", OPS, EVE, "--email", "eve@example.org")
    team.memstore(ANN, "privacy", "group", "remove", OPS, EVE, "--commit")
    team.passes(ANN)
    said = merged_with_older_files(team, BEN)
    assert f"refs/heads/main: {CHARTER}: it would be as it was before a keeper changed it" in said
    assert "refs/heads/main: audit/" in said


def test_history_is_not_rewound(team: Team) -> None:
    team.memstore(BEN, "add", "One more.", "--commit")
    team.passes(BEN)
    team.ok(BEN, "git", "reset", "-q", "--hard", "HEAD~1")
    team.commit(BEN, "instead")
    assert "it would take back commits that others have" in team.refused(BEN, "-f", "origin", "HEAD:main")
    assert "refs/heads/main would be gone" in team.refused(BEN, "origin", ":main")
    team.passes(BEN, "origin", "HEAD:refs/heads/propose/x")
    team.commit(BEN, "otherwise")
    team.ok(BEN, "git", "commit", "-q", "--amend", "--allow-empty", "-m", "and again")
    team.passes(BEN, "-f", "origin", "HEAD:refs/heads/propose/x")
    team.passes(BEN, "origin", ":propose/x")


def test_what_an_agent_proposed_is_judged_again_where_it_goes_to_main(team: Team) -> None:
    who, said = by_an_agent(team)
    team.passes(who, "origin", "HEAD:refs/heads/propose/x")
    for detour in ("+HEAD~1:refs/heads/propose/x", ":refs/heads/propose/x", "HEAD:refs/heads/propose/y"):
        assert said in team.refused(who, "origin", "HEAD:main", detour)
    assert said in team.refused(who, "origin", "HEAD:refs/heads/other")
    team.passes(who, "origin", "+HEAD~1:refs/heads/propose/x", "HEAD:refs/heads/propose/y")


def test_a_new_branch_and_a_tag_go_after_one_of_their_authors_left(team: Team) -> None:
    team.memstore(BEN, "add", "Ben was there.", "--commit")
    team.passes(BEN)
    team.ok(ANN, "git", "pull", "-q", "origin", "main")
    team.memstore(ANN, "privacy", "group", "remove", OPS, BEN, "--commit")
    team.passes(ANN)
    team.passes(ANN, "origin", "HEAD:refs/heads/release")
    team.ok(ANN, "git", "tag", "-a", "v1", "-m", "The first")
    team.passes(ANN, "origin", "v1")
    team.commit(BEN, "of after")
    assert f"{BEN} is no member" in team.refused(BEN, "origin", "HEAD:refs/heads/other")


def test_a_keeper_merges_what_an_outsider_made(team: Team) -> None:
    team.write(EVE, "tea.md", "# Tea\n")
    team.commit(EVE, "a fork's")
    team.refused(EVE)
    team.ok(BEN, "git", "pull", "-q", "--no-rebase", "--no-ff", "../eve", "main")
    assert "doesn't know whose address eve@example.org is" in team.refused(BEN)
    team.ok(ANN, "git", "pull", "-q", "--no-rebase", "--no-ff", "../eve", "main")
    team.passes(ANN)


def test_ones_own_hook_says_it_first(team: Team) -> None:
    self_made_keeper(team)
    done = team.run(BEN, "git", "push", "-q", "origin", "HEAD:main")
    assert done.returncode != 0
    assert REFUSED in done.stderr
    assert "memstore privacy group add GROUP ENTITY --email ADDRESS" in done.stderr


def test_nobody_adds_himself_says_the_commit(team: Team) -> None:
    charter = team.clone(BEN) / CHARTER
    for text, said in (
        (f'{charter.read_text()}  - {{id: "{EVE}", from: "2020-01-01T00:00:00Z"}}\n', f"{EVE} a member of {OPS}"),
        (charter.read_text().replace(f"[{ANN}]", f"[{ANN}, {BEN}]"), f"{BEN} a keeper of {OPS}"),
    ):
        charter.write_text(text)
        team.ok(BEN, "git", "add", "-A")
        done = team.run(BEN, "git", "commit", "-m", "x")
        assert done.returncode != 0
        assert f"this change by hand would make {said}" in done.stderr
        assert said in team.run(BEN, "memstore", "check", "--against", "HEAD").stdout


def test_a_keeper_may_acknowledge_titles_and_a_member_may_not(team: Team) -> None:
    for who in (ANN, BEN):
        (team.clone(who) / ".git/info/exclude").write_text("hidden.md\n")
        team.write(who, "hidden.md", memory("m_hidden", title="Salary talk", owner="human:carla"))
        team.commit(who, "a talk about the salary talk")
    done = team.run(BEN, "env", "MEMSTORE_ACKNOWLEDGE=1", "git", "push", "-q", "origin", "HEAD:main")
    assert done.returncode != 0
    assert f"is for a keeper of {OPS}, where the vault is checked out" in done.stderr
    assert "MEMSTORE_ACKNOWLEDGE=1 git push" in team.run(ANN, "git", "push", "-q", "origin", "HEAD:main").stderr
    team.ok(ANN, "env", "MEMSTORE_ACKNOWLEDGE=1", "git", "push", "-q", "origin", "HEAD:main")
    assert any('"m_hidden"' in one.read_text() for one in (team.clone(ANN) / "audit/human/ann").rglob("*.json"))
