"""What a person types at a shell, and what they find then: one small habit a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.installed import validated
from tests.support import shut

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess, Program


@pytest.fixture
def vault(program: Program) -> InProcess:
    return program.in_process()


def test_a_memory_is_named_by_its_path_from_where_one_is(vault: InProcess) -> None:
    ref, file = vault.add("Bella eats at eight")
    path = file.relative_to(vault.vault).as_posix()
    for typed in (path, f"./{path}", f"../{file.parent.name}/{file.name}", file.name, str(file)):
        named = vault.run("show", "--path", typed, "--json", cwd=file.parent)
        assert f'"ref": "{ref}"' in named.stdout, (typed, named.stderr)
    assert vault.run("show", "--path", file.name).returncode == 3


@pytest.mark.parametrize(
    "words",
    [
        ("search", "bella"),
        ("list",),
        ("log",),
        ("trace", "m_"),
        ("trace", "--impact", "m_"),
        ("check", "orphans"),
        ("privacy", "log", "show"),
    ],
)
def test_more_than_any_vault_holds_is_all(vault: InProcess, words: tuple[str, ...]) -> None:
    ref, _ = vault.add("Bella eats at eight", "-c")
    asked = [ref if word == "m_" else word for word in words]
    assert vault.ok(*asked, "-n", "9" * 30) == vault.ok(*asked)


@pytest.mark.parametrize("seconds", ["nan", "inf", "1e300", "0", "-1"])
def test_a_wait_that_no_clock_can_count_is_refused(vault: InProcess, seconds: str) -> None:
    assert vault.run("index", "watch", "--every", seconds).returncode == 2


def test_the_help_that_is_named_is_that_of_the_command(vault: InProcess) -> None:
    for command, more in (
        ("archive", ["m_x", "--reason"]),
        ("conflicts split", ["m_x", "one"]),
        ("trust keys add", ["si:ash"]),
        ("log", ["-n"]),
    ):
        told = vault.run(*command.split(), *more).stderr
        assert f"hint: see `memstore {command} --help`" in told, told
    assert "hint: see `memstore trust show --help`" in vault.run("trust").stderr


def test_a_condition_on_a_key_that_nothing_has_names_the_nearest(vault: InProcess) -> None:
    vault.add("Bella eats at eight", "--set", "mood=good")
    for words in (["list", "--where", "titel ~ bella"], ["search", "bella", "--where", "titel exists"]):
        assert "did you mean title?" in vault.run(*words).stderr
    for words in (["list", "--where", "mood = bad"], ["list", "--where", "titel missing"], ["list", "--tag", "x"]):
        assert "did you mean" not in vault.run(*words).stderr


def test_another_programs_note_is_told_as_one_to_adopt(vault: InProcess) -> None:
    (vault.vault / "obsidian.md").write_text("---\ntags: [project]\naliases: \n---\n# A note\n")
    (vault.vault / "slip.md").write_text("---\ntype: nota\n---\nA note.\n")
    status = vault.json("status")
    assert (status["untyped"], status["broken"]) == (["obsidian.md"], ["slip.md"])
    adoptable = vault.json("adopt")
    assert [one["path"] for one in adoptable["adoptable"]] == ["obsidian.md"]
    assert [one["path"] for one in adoptable["findings"]] == ["slip.md"]


def test_nothing_is_told_as_nothing(vault: InProcess) -> None:
    for words, told in (
        (["log"], "no memory is committed yet"),
        (["diff"], "no difference"),
        (["list"], "no memories"),
    ):
        done = vault.run(*words)
        assert (done.returncode, done.stdout, done.stderr.strip()) == (0, "", told)
        assert vault.run(*words, "-q").stderr == ""
    ref, _ = vault.add("Bella eats at eight")
    assert vault.run("log", ref).stderr == "it is not committed yet\n"


@pytest.mark.parametrize("text", ["- buy milk", "---\ntype: note\n---\nMilk.\n", "-5 degrees"])
def test_a_text_that_begins_with_a_dash_is_told_where_it_stands(vault: InProcess, text: str) -> None:
    done = vault.run("add", text)
    assert (done.returncode, "last, after all options and --" in done.stderr) == (2, True), done.stderr
    assert "did you mean --" in vault.run("add", "x", "--tga", "y").stderr
    vault.ok("add", "--tag", "errand", "--", text)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["edit", "m_x", "--text", "y"], "TEXT takes no option: memstore edit [OPTIONS] REF [TEXT|-]"),
        (["add", "--text", "y"], "TEXT takes no option: memstore add [OPTIONS] [TEXT|-]"),
        (["list", "--stat"], "did you mean --stats?"),
        (["share", "--path", "y"], "see `memstore share copy --help`"),
        (["search", "tea", "--roles", "y"], "see `memstore search --help`"),
        (["search", "tea", "--json-lines"], "did you mean --jsonl?"),
        (["privacy", "audit", "--source-entity", "human:sean"], "did you mean --entity?"),
        (["search", "tea", "--contxt", "ctx:a"], "did you mean --context?"),
        (["add", "x", "--tga", "y"], "did you mean --tag?"),
    ],
)
def test_an_option_is_suggested_only_if_it_was_meant(vault: InProcess, words: list[str], hint: str) -> None:
    done = vault.run(*words)
    assert (done.returncode, done.stderr.splitlines()[1:]) == (2, [f"hint: {hint}"])


def unmerged(vault: InProcess, command: str) -> Path:
    """Return a memory that two branches changed in the same line, in the midst of putting them together."""
    _, file = vault.add("Bella eats at eight", "-c")
    path = file.relative_to(vault.vault).as_posix()
    vault.git("switch", "-qc", "other")
    vault.ok("set", path, "title=one", "-c")
    vault.git("switch", "-q", "-")
    vault.ok("set", path, "title=two", "-c")
    with pytest.raises(AssertionError, match="CONFLICT"):
        vault.git(command, "other")
    return file


@pytest.mark.soak(2)
@pytest.mark.parametrize("command", ["merge", "rebase", "cherry-pick"])
def test_what_could_not_be_committed_is_not_written_first(vault: InProcess, command: str) -> None:
    unmerged(vault, command)
    head = vault.git("rev-parse", "HEAD")
    for words in (
        ("add", "once", "-c"),
        ("raw", "twice", "-c"),
        ("commit",),
        ("privacy", "entity", "add", "dog:bella", "-c"),
    ):
        done = vault.run(*words)
        assert (done.returncode, "in progress" in done.stderr) == (5, True), (words, done)
    assert vault.git("rev-parse", "HEAD") == head
    assert vault.json("list")["total"] == 0
    assert not (vault.vault / "entities").exists()
    vault.ok("add", "without -c it is no matter")


def test_a_lock_of_git_is_told_before_anything_is_written(vault: InProcess) -> None:
    lock = vault.vault / ".git" / "index.lock"
    lock.touch()
    done = vault.run("add", "Bella eats at eight", "-c")
    assert (done.returncode, str(lock) in done.stderr) == (6, True)
    assert vault.json("list")["total"] == 0
    lock.unlink()
    vault.ok("add", "Bella eats at eight", "-c")


def test_what_a_hook_hands_over_is_written_where_it_cannot_be_committed(vault: InProcess) -> None:
    vault.ok("config", "auto_commit", "true")
    (vault.vault / ".git" / "index.lock").touch()
    vault.ok("raw", "--hook", stdin="The session went well.")
    assert [memory["title"] for memory in vault.json("list")["memories"]] == ["The session went well."]


def test_what_fails_after_writing_says_that_it_is_written(vault: InProcess) -> None:
    _, file = vault.add("Bella eats at eight", "-c")
    (vault.vault / "copy.md").write_bytes(file.read_bytes())
    done = vault.run("set", "copy.md", "importance=high", "-c")
    assert done.returncode == 4
    assert "written, but not committed" in done.stderr
    assert b"importance: high" in (vault.vault / "copy.md").read_bytes()


def test_what_git_ignores_is_told_not_to_be_committed(vault: InProcess) -> None:
    (vault.vault / ".gitignore").write_text("private/\n")
    note = vault.vault / "private" / "tea.md"
    note.parent.mkdir()
    note.write_text("Tea before mail.\n")
    for words in (("adopt", "private/tea.md", "-c"), ("set", "private/tea.md", "importance=low", "-c")):
        done = vault.run(*words)
        assert (done.returncode, "not committed: git ignores private/tea.md" in done.stderr) == (0, True), done
    assert "not committed" not in vault.run("set", "private/tea.md", "importance=high").stderr


def test_what_belongs_to_the_vault_is_committed_where_all_is(vault: InProcess) -> None:
    vault.ok("config", "auto_commit", "true")
    assert vault.json("privacy", "entity", "add", "dog:bella")["commit"] == vault.git("rev-parse", "HEAD").strip()


@pytest.mark.parametrize("name", ["diary", "diary/tea.md"])
def test_what_cannot_be_read_is_told_and_never_committed_as_deleted(
    vault: InProcess, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    vault.add("Bella eats at eight")
    ref, _ = vault.add("Tea before mail")
    vault.ok("mv", ref, "diary/tea.md")
    vault.ok("commit")
    head = vault.git("rev-parse", "HEAD")
    with monkeypatch.context() as patch:
        shut(patch, vault.vault / name)
        status = vault.json("status")
        assert (status["uncommitted"], status["broken"]) == ([], [name])
        assert "1 file left out" in vault.run("list").stderr
        checked = vault.run("check")
        assert (checked.returncode, f"{name}:1:1: error: can't read" in checked.stdout) == (1, True), checked
        vault.ok("commit")
        assert vault.run("adopt", "--all").returncode == 1
    assert vault.git("rev-parse", "HEAD") == head
    assert vault.json("list")["total"] == 2
    assert vault.json("status")["broken"] == []


@pytest.mark.parametrize("how", ["ignored", "linked"])
def test_what_is_no_memory_any_more_stays_in_the_repository(vault: InProcess, how: str) -> None:
    ref, _ = vault.add("Tea before mail")
    vault.ok("mv", ref, "diary/tea.md")
    vault.ok("commit")
    place = vault.vault / "diary" / "tea.md"
    if how == "ignored":
        (vault.vault / ".memstoreignore").write_text("diary/\n")
    else:
        place.rename(vault.vault / "diary" / "kept.txt")
        place.symlink_to("kept.txt")
    assert vault.json("list")["total"] == 0
    assert vault.json("status")["uncommitted"] == []
    vault.ok("commit")
    assert vault.git("ls-files", "diary") == "diary/tea.md\n"


def test_what_a_sparse_checkout_leaves_out_is_not_deleted(vault: InProcess) -> None:
    tea, file = vault.add("Tea before mail")
    vault.ok("mv", tea, "diary/tea.md")
    vault.ok("privacy", "entity", "add", "dog:bella")
    vault.add("Bella eats at eight")
    vault.ok("commit")
    head = vault.git("rev-parse", "HEAD")
    vault.git("status")  # git then knows that the files are as committed, and may take them away
    vault.git("sparse-checkout", "set", "--cone", ".memstore", "notes")
    assert not (vault.vault / "diary").exists()
    assert not (vault.vault / "entities").exists()
    status = vault.json("status")
    assert (status["uncommitted"], status["own_files"]) == ([], [])
    assert vault.run("diff").stderr == "no difference\n"
    vault.ok("commit")
    assert vault.git("rev-parse", "HEAD") == head
    file.parent.joinpath("more.md").write_text("---\ntype: note\n---\nRain.\n")
    vault.ok("adopt", "--all", "-c")
    vault.git("sparse-checkout", "disable")
    assert vault.json("list")["total"] == 3
    (vault.vault / "diary" / "tea.md").unlink()
    assert [each["verb"] for each in vault.json("status")["uncommitted"]] == ["delete"]


def test_a_ref_to_what_a_sparse_checkout_leaves_out_does_not_dangle(vault: InProcess) -> None:
    tea, _ = vault.add("Tea before mail")
    vault.ok("mv", tea, "diary/tea.md")
    _, file = vault.add("So tea is early", "--derived-from", tea)
    file.write_text(file.read_text() + f"\nSee [[{tea}]], [[diary/tea]], [[note:m_gone000001]] and [[gone]].\n")
    vault.ok("commit")
    vault.git("status")
    before = vault.run("check", "--strict").stdout
    vault.git("sparse-checkout", "set", "--cone", ".memstore", "notes")
    assert not (vault.vault / "diary").exists()
    assert vault.run("check", "--strict").stdout == before
    assert (before.count("[ref-dangling]"), before.count("leads to no note")) == (1, 1)
    assert tea not in vault.ok("check", "orphans")
    ref = vault.json("list")["memories"][0]["ref"]
    said = vault.ok("links", ref)
    assert (said.count("not checked out: diary/tea.md"), said.count("leads nowhere")) == (2, 2), said
    found = [link.get("not_checked_out") for link in validated(vault.ok("--json", "links", ref))["outgoing"]]
    assert found == ["diary/tea.md", "diary/tea.md", None, None]
    said = vault.ok("trace", ref)
    assert f"{tea} (not checked out)" in said
    assert "Ungrounded" not in said
    states = {node["key"]: node["state"] for node in validated(vault.ok("--json", "trace", ref))["nodes"]}
    assert states[tea] == "not-checked-out"
    assert "not checked out" in vault.ok("trace", ref, "--format", "dot")


def test_a_vault_that_a_sparse_checkout_leaves_out_is_told_to_be_one(vault: InProcess) -> None:
    vault.add("Bella eats at eight")
    vault.ok("commit")
    vault.git("status")
    vault.git("sparse-checkout", "set", "--cone", "notes")
    assert not (vault.vault / ".memstore").exists()
    done = vault.run("list")
    assert done.returncode == 5
    assert "hint: if a sparse checkout leaves it out: git sparse-checkout add .memstore; otherwise" in done.stderr
    vault.git("sparse-checkout", "add", ".memstore")
    assert vault.json("list")["total"] == 1


def test_a_link_to_a_memory_is_no_second_one(vault: InProcess) -> None:
    _, file = vault.add("Bella eats at eight")
    link = vault.vault / "food.md"
    link.symlink_to(file)
    assert [each["path"] for each in vault.json("list")["memories"]] == [file.relative_to(vault.vault).as_posix()]
    vault.ok("commit")
    assert "food.md" not in vault.git("ls-files")
    vault.git("add", "food.md")
    vault.git("commit", "-qm", "a link", "--no-verify")
    vault.ok("set", str(link.readlink()), "importance=high", "-c")
    assert vault.git("ls-files", "-s", "food.md").startswith("120000 ")
    assert link.is_symlink()


NOTED = "nothing else here names human:clare [grantee-unknown]"


def test_a_grant_to_somebody_whom_nothing_names_is_noted_at_every_door(vault: InProcess, tmp_path: Path) -> None:
    vault.ok("privacy", "entity", "add", "human:claire")
    ref, _ = vault.add("Bella eats at eight")
    script = tmp_path / "editor"
    script.write_text(
        '#!/bin/sh\nsed -i \'0,/^---$/s//---\\naccess_grants: ["human:clare"]/\' "$1"\necho Tea >> "$1"\n'
    )
    script.chmod(0o755)
    editor = str(script)
    whole = tmp_path / "whole.md"
    whole.write_text('---\ntype: note\naccess_grants: ["human:clare"]\n---\nTea at two.\n')
    doors = [
        ("add", "Tea at four", "--access", "human:clare"),
        ("raw", "Tea at five", "--access", "human:clare"),
        ("privacy", "generalize", ref, "--text", "Old dogs like regular meals", "--access", "human:clare"),
        ("set", ref, "access_grants=human:clare"),
        ("supersede", ref, "Bella eats at nine", "--access", "human:clare"),
        ("add", "-t", "note"),
        ("edit", ref),
        ("add", "-F", str(whole)),
    ]
    for words in doors:
        done = vault.run(*words, "--dry-run", MEMSTORE_EDITOR=editor)
        assert NOTED in done.stderr, (words, done.stderr)
        assert done.stderr.count("memstore privacy entity add human:clare says who it is") == 1
    for words in doors[:5]:
        named = [word.replace("clare", "claire") for word in words]
        assert "nothing else" not in vault.run(*named, "--dry-run").stderr
    assert NOTED in vault.run(*doors[2]).stderr
    assert "nothing else" not in vault.run(*doors[0]).stderr  # another memory names them


UNGUARDED = "dog:max has no guardian, so anybody's word counts"


def test_a_consent_for_a_ward_without_a_guardian_is_noted_at_every_door(vault: InProcess) -> None:
    vault.ok("privacy", "entity", "add", "dog:max")
    ref, _ = vault.add("Max limps", "--subject", "dog:max")
    told = ("--access", "si:ash", "--consent", "human:dan")
    doors = [
        ("add", "Max eats at four", "--subject", "dog:max", *told),
        ("raw", "Max eats at five", "--subject", "dog:max", *told),
        ("supersede", ref, "Max limps less", *told),
        ("privacy", "grant", ref, "--to", "si:ash", "--consent", "human:dan"),
        ("privacy", "consent", "grant", "--from", "human:dan", "--for", "dog:max", "--to", "si:ash", "--scope", ref),
        ("privacy", "consent", "grant", "--from", "human:dan", "--to", "si:ash", "--scope", "subject:dog:max"),
    ]
    for words in doors:
        said = vault.run(*words, "--dry-run").stderr
        assert said.count(UNGUARDED) == 1, (words, said)
        assert said.count("memstore privacy entity guardian dog:max PERSON names one") == 1, (words, said)
    vault.ok("privacy", "entity", "guardian", "dog:max", "human:dan")
    for words in doors:
        assert UNGUARDED not in vault.run(*words, "--dry-run").stderr, words
    vault.ok("privacy", "entity", "guardian", "--remove", "dog:max", "human:dan")
    for words in doors[:2]:
        assert UNGUARDED not in vault.run("--as", "human:eve", *words, "--dry-run").stderr, words


def test_the_log_of_a_memory_whose_deletion_is_committed_is_found_by_its_id(vault: InProcess) -> None:
    ref, file = vault.add("Bella eats at eight", "-c")
    vault.ok("mv", ref, "notes/meals.md", "-c")
    gone, name = vault.vault / "notes/meals.md", ref.rpartition(":")[2]
    gone.unlink()
    vault.git("commit", "-q", "-a", "-m", "gone")
    gone.write_text("---\ntype: note\nid: m_other00001\n---\nTea at four.\n")
    vault.ok("commit")
    assert not file.exists()
    for named in (ref, name):
        verbs = [line["verb"] for line in vault.json("log", named)["entries"]]
        assert verbs == ["delete", "move", "add"], verbs
    for other in ("belief:" + name, "m_neverwas00"):
        assert vault.run("log", other).returncode == 3
    hidden, unknown = (vault.run("--as", "human:eve", "log", one) for one in (name, "m_neverwas00"))
    assert (hidden.returncode, hidden.stdout, hidden.stderr) == (unknown.returncode, unknown.stdout, unknown.stderr)
