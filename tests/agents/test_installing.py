"""`memstore mcp install` and `uninstall`, as a person calls them, in a home of their own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from memstore.agents.hosts import HOSTS
from memstore.agents.skill import skill
from tests.installed import MEMSTORE, validated
from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from pathlib import Path

NAMES = tuple(HOSTS)
MINE = '{\n    "apiKey": "sk-secret", // mine\n    "hooks": {"Stop": []}\n}'


@pytest.fixture
def program(tmp_path: Path) -> InProcess:
    made = InProcess(tmp_path)
    made.init("si:ash")
    made.environment["XDG_CONFIG_HOME"] = str(made.home / ".config")
    return made


def install(program: Program, name: str, *words: str) -> str:
    return program.ok("--vault", str(program.vault), "--as", "si:ash", "--self", "mcp", "install", name, *words)


def files(home: Path) -> dict[str, tuple[bytes, int] | None]:
    """Return what lies in a home, with permissions, beside the vault and memstore's own state."""
    kept = ("vault", "state", "cache", "gitconfig")
    return {
        path.relative_to(home).as_posix(): (path.read_bytes(), path.stat().st_mode) if path.is_file() else None
        for path in sorted(home.rglob("*"))
        if path.relative_to(home).parts[0] not in kept
    }


@pytest.mark.parametrize("name", NAMES)
def test_uninstalling_leaves_nothing(program: InProcess, name: str) -> None:
    before = files(program.home)
    shown = install(program, name, "--dry-run")
    assert files(program.home) == before
    assert install(program, name) == shown
    after = files(program.home)
    assert after != before
    assert install(program, name) == ""
    assert files(program.home) == after
    program.ok("mcp", "uninstall", name)
    assert files(program.home) == before
    assert "not set up" in program.run("mcp", "uninstall", name).stderr


@pytest.mark.parametrize("name", NAMES)
def test_what_others_keep_there_stays_to_the_byte(program: InProcess, name: str) -> None:
    host = HOSTS[name]
    for path in {host.servers, host.hooks or host.servers}:
        place = program.home / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("# mine\n[a]\nb = 1" if path.endswith("toml") else MINE)
        place.chmod(0o640)
    (program.home / host.skills / "other").mkdir(parents=True)
    before = files(program.home)
    shown = install(program, name)
    assert "sk-secret" not in shown
    assert "+" in shown
    assert all(
        mode == 0o100640
        for path, found in files(program.home).items()
        if found and "SKILL" not in path
        for mode in [found[1]]
    )
    assert "sk-secret" not in program.ok("mcp", "uninstall", name)
    assert files(program.home) == before


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_everything_is_pinned_and_runs_from_anywhere(program: InProcess, name: str) -> None:
    install(program, name)
    host, root = HOSTS[name], str(program.vault)
    text = (program.home / host.servers).read_text()
    servers: Any = tomllib.loads(text) if host.servers.endswith("toml") else json.loads(text)
    for key in host.servers_at:
        servers = servers[key]
    entry = servers["memstore"]
    words = entry["command"] if name == "opencode" else [entry["command"], *entry["args"]]
    assert words == [str(MEMSTORE), "--vault", root, "--as", "si:ash", "--self", "mcp"]
    assert (program.home / host.skills / "memstore" / "SKILL.md").read_bytes() == skill()
    if host.hooks is None:
        return
    hooks = json.loads((program.home / host.hooks).read_text())["hooks"]
    hostile = program.home / "hostile"
    (hostile / ".memstore").mkdir(parents=True)
    (hostile / ".memstore" / "config.toml").write_text("this is broken")
    for event, known in hooks.items():
        for one in known:
            (command,) = one.get("hooks", [one])
            words = shlex.split(command["command"])
            assert words[:6] == [str(MEMSTORE), "--vault", root, "--as", "si:ash", "--self"]
            done = subprocess.run(
                ["sh", "-c", command["command"]], cwd=hostile, env=program.environment, check=False,
                input=json.dumps({"hook_event_name": event, "prompt": "hello"}), capture_output=True, text=True,
            )  # fmt: skip
            assert (done.returncode, done.stderr) == (0, ""), (event, done.stderr)


def test_a_vault_has_to_be_named(program: InProcess) -> None:
    done = program.run("mcp", "install", "codex")
    assert done.returncode == 2
    assert "none was named" in done.stderr
    assert "--vault DIR" in done.stderr
    assert not (program.home / ".codex").exists()
    program.ok("mcp", "install", "codex", "--dry-run", MEMSTORE_VAULT=str(program.vault))


@pytest.mark.soak(3)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("folder", ["my$NOTES", "my${NOTES}", "my{env:NOTES}", "US$ 5", "pay$"])
def test_no_program_is_led_to_another_vault_by_a_variable(program: InProcess, name: str, folder: str) -> None:
    place = program.home / folder
    place.mkdir()
    program.ok("init", str(place), "--owner", "si:ash")
    before = files(program.home)
    done = program.run("--vault", str(place), "--as", "si:ash", "--self", "mcp", "install", name)
    forms = {"codex": (), "zed": (), "opencode": ("{env:",), "gemini": ("${", "$N"), "copilot": ("${", "$N")}
    is_expanded = any(form in folder for form in forms.get(name, ("${",)))
    assert done.returncode == (2 if is_expanded else 0)
    assert ("environment variable" in done.stderr) == is_expanded
    assert (files(program.home) == before) == is_expanded


def test_a_member_that_is_written_before_ours_stays(program: InProcess) -> None:
    install(program, "gemini")
    place = program.home / ".gemini" / "settings.json"
    place.write_text(place.read_text().replace("{", '{\n  "theme": "x", // mine', 1))
    program.ok("mcp", "uninstall", "gemini")
    assert "memstore" not in place.read_text()
    assert '"theme": "x"' in place.read_text()
    assert "// mine" in place.read_text()
    install(program, "gemini")  # it can be read, so it can be added to
    assert not (program.ok("mcp", "uninstall", "gemini") and "memstore" in place.read_text())


def test_a_line_in_our_table_does_not_move_into_the_one_above(program: InProcess) -> None:
    place = program.home / ".codex" / "config.toml"
    place.parent.mkdir()
    mine = '[mcp_servers.other]\ncommand = "y" # mine\n'
    place.write_text(mine)
    install(program, "codex")
    later = '\n[tui]\ntheme = "dark"\n'
    place.write_text(place.read_text() + 'env = { TOKEN = "secret" }\n' + later)
    program.ok("mcp", "uninstall", "codex")
    assert tomllib.loads(place.read_text()) == {"mcp_servers": {"other": {"command": "y"}}, "tui": {"theme": "dark"}}
    assert mine.strip() in place.read_text()


def test_a_file_that_we_made_goes_also_if_our_entry_was_edited(program: InProcess) -> None:
    install(program, "openclaw")
    place = program.home / ".openclaw" / "openclaw.json"
    place.write_text(place.read_text().replace('"memstore": {', '"memstore": {\n        "env": {"A": "1"},'))
    program.ok("mcp", "uninstall", "openclaw")
    assert not place.parent.exists()


def test_two_answers_to_who_listens_are_refused(program: InProcess) -> None:
    who = ("--vault", str(program.vault), "--self", "--context", "ctx:park")
    for words in (("mcp", "install", "codex"), ("mcp",), ("mcp", "token", "add", "si:ash")):
        done = program.run(*who, *words)
        assert done.returncode == 2
        assert "--self says that nobody else listens, and ctx:park that others do" in done.stderr
        assert "leave out" in done.stderr
    done = program.run("--self", "mcp", "token", "add", "si:ash", MEMSTORE_CONTEXT="ctx:park")
    assert (done.returncode, "MEMSTORE_CONTEXT" in done.stderr) == (2, True)
    assert program.json("mcp", "token", "list")["tokens"] == []
    assert not (program.home / ".codex").exists()


def test_who_listens_is_pinned_too(program: InProcess) -> None:
    words = ("--vault", str(program.vault), "--context", "ctx:park", "mcp", "install", "gemini")
    assert "--context" in program.ok(*words)
    assert "only what everybody may see" in program.run("--vault", ".", "mcp", "install", "gemini").stderr
    assert "--context" not in (program.home / ".gemini" / "settings.json").read_text()
    program.ok("mcp", "uninstall", "gemini")
    assert not (program.home / ".gemini").exists()


def test_broken_settings_are_refused_and_nothing_is_written(program: InProcess) -> None:
    broken = program.home / ".claude" / "settings.json"
    broken.parent.mkdir()
    broken.write_text('{\n  "a": 1\n  "b": 2\n}\n')
    before = files(program.home)
    for words in (("install",), ("install", "--dry-run"), ("uninstall",)):
        done = program.run("--vault", ".", "mcp", words[0], "claude-code", *words[1:])
        assert done.returncode == 5
        assert f"{broken}:3:3: this is not JSON: a comma or }} is expected; nothing was written" in done.stderr
        assert files(program.home) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_list_of_servers_is_refused_with_its_line(program: InProcess, name: str) -> None:
    place = program.home / HOSTS[name].servers
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("[a]\nb = 1\nc = = 2\n" if place.suffix == ".toml" else '{\n  // mine\n  "a": 1 "b": 2\n}\n')
    before = files(program.home)
    for word in ("install", "uninstall"):
        done = program.run("--vault", ".", "mcp", word, name)
        assert done.returncode == 5
        assert ("line 3" if place.suffix == ".toml" else f"{place}:3:10: ") in done.stderr
        assert files(program.home) == before


def test_a_list_of_servers_of_the_newer_form_is_kept_to(program: InProcess) -> None:
    place = program.home / ".config" / "opencode" / "opencode.jsonc"
    place.parent.mkdir(parents=True)
    other = '"other": {"type": "local", "command": ["x"]}'
    for mine, path in (
        (f'{{"mcp": {{ // two\n "servers": {{{other}}}}}}}\n', ("mcp", "servers")),
        ('{"mcp": {"servers": {}}}\n', ("mcp", "servers")),
        (f'{{"mcp": {{{other}}}}}\n', ("mcp",)),
        ('{"mcp": {"servers": {"type": "local", "command": ["a server of that name"]}}}\n', ("mcp",)),
    ):
        place.write_text(mine)
        install(program, "opencode")
        found: Any = json.loads(place.read_text().replace("// two", ""))
        for key in path:
            found = found[key]
        assert found["memstore"]["command"][-1] == "mcp"
        assert install(program, "opencode") == ""
        program.ok("mcp", "uninstall", "opencode")
        assert place.read_text() == mine
        assert not place.with_name("opencode.json").exists()


@pytest.mark.parametrize(("first", "second"), [("codex", "zed"), ("zed", "codex"), ("vscode", "copilot")])
def test_a_skill_that_two_programs_read_stays_until_both_are_undone(
    program: InProcess, first: str, second: str
) -> None:
    before, place = files(program.home), program.home / HOSTS[first].skills / "memstore" / "SKILL.md"
    for last, earlier in ((second, first), (first, second)):
        install(program, first)
        install(program, second)
        assert f"{place} stays for {HOSTS[last].title}" in program.run("mcp", "uninstall", earlier).stderr
        assert "stays" not in program.run("mcp", "uninstall", earlier).stderr
        assert place.read_bytes() == skill()
        assert install(program, last) == ""
        program.ok("mcp", "uninstall", last)
        assert files(program.home) == before


def test_the_list_says_what_each_program_is_shown(program: InProcess) -> None:
    assert "no program is set up" in program.run("mcp", "list").stderr
    for name in NAMES:
        install(program, name)
    listed = program.json("mcp", "list")["programs"]
    assert [
        (one["agent"], one["vault"], one["entity"], one["self"], one["context"], one["problem"]) for one in listed
    ] == [(name, str(program.vault), "si:ash", True, None, None) for name in NAMES]
    assert [one["file"] for one in listed] == [str(program.home / HOSTS[name].servers) for name in NAMES]
    program.ok("--vault", ".", "--as", "si:max", "--context", "ctx:park", "mcp", "install", "zed")
    line = f"zed: {program.vault} as si:max, ctx:park ({program.home / HOSTS['zed'].servers})"
    assert line in program.ok("mcp", "list").splitlines()
    project = program.home / "work/acme"
    project.mkdir(parents=True)
    (scope,) = {
        one["scope"] for one in json.loads(program.run("--json", "mcp", "list", cwd=project).stdout)["programs"]
    }
    assert scope.startswith("project:acme-")
    assert f", here {scope} (" in program.run("mcp", "list", cwd=project).stdout


def test_the_list_says_what_is_wrong(program: InProcess) -> None:
    for name in ("cursor", "codex", "vscode"):
        install(program, name)
    broken = program.home / HOSTS["cursor"].servers
    broken.write_text('{\n  "a": 1 "b": 2\n}\n')
    (program.home / ".gemini").mkdir()
    (program.home / HOSTS["gemini"].servers).write_text("{")  # not ours to tell
    moved = program.home / HOSTS["vscode"].servers
    moved.write_text(moved.read_text().replace(str(MEMSTORE), "/gone/memstore"))
    place = program.home / HOSTS["codex"].servers
    place.write_text(place.read_text().replace(f'"{program.vault}"', '"/gone/notes"'))
    done = program.run("mcp", "list")
    assert done.returncode == 0
    assert f"cursor: {broken}:2:10: this is not JSON" in done.stderr
    assert "vscode: there is no program at /gone/memstore" in done.stderr
    assert "codex: there is no vault at /gone/notes" in done.stderr
    assert "gemini" not in done.stdout + done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["codex", "vscode"]


@pytest.mark.parametrize(
    ("command", "vault", "problem"),
    [
        ("/" + "a" * 300 + "/memstore", "/x", "File name too long"),
        (str(MEMSTORE), "/" + "a" * 300, "File name too long"),
        ("/x\0/memstore", "/x", "there is no program at /x<U+0000>/memstore"),
        (str(MEMSTORE), "/x\ud800", "there is no vault at /x"),
        (str(MEMSTORE), "/x\x1b[2J\nzed: all is well", "there is no vault at /x<U+001B>[2J zed: all is well"),
        ("/x\x1b[2J\nzed: all is well/memstore", "/x", "no program at /x<U+001B>[2J zed: all is well/memstore"),
        (str(MEMSTORE), None, "nothing follows --vault, so it names no vault"),
        (str(MEMSTORE), "notes", "--vault notes depends on the folder"),
        (str(MEMSTORE), "~/notes", "there is no vault at ~/notes"),
    ],
)
def test_one_bad_entry_does_not_end_the_list(program: InProcess, command: str, vault: str | None, problem: str) -> None:
    install(program, "cursor")
    place = program.home / HOSTS["vscode"].servers
    place.parent.mkdir(parents=True)
    words = [*(["--vault", vault] if vault else ["--vault"]), "mcp"]
    place.write_text(json.dumps({"servers": {"memstore": {"command": command, "args": words}}}))
    done = program.run("mcp", "list")
    assert (done.returncode, f"cursor: {program.vault} as si:ash" in done.stdout) == (0, True)
    [told] = done.stderr.splitlines()
    assert told.startswith("vscode: ")
    assert problem in told
    assert "\x1b" not in done.stdout
    assert [one["problem"] is None for one in program.json("mcp", "list")["programs"]] == [True, False]


def test_a_relative_vault_is_told_wherever_the_list_is_asked_for(program: InProcess) -> None:
    place = program.home / HOSTS["vscode"].servers
    place.parent.mkdir(parents=True)
    entry = {"command": str(MEMSTORE), "args": ["--vault", program.vault.name, "mcp"]}
    place.write_text(json.dumps({"servers": {"memstore": entry}}))
    assert "write its whole path" in program.run("mcp", "list", cwd=program.vault.parent).stderr


def test_a_server_of_that_name_that_was_set_up_by_hand_is_not_listed(program: InProcess) -> None:
    place = program.home / HOSTS["zed"].servers
    place.parent.mkdir(parents=True)
    for entry in ('{"command": "memstore", "args": ["mcp"]}', '{"command": ["/x/memstore", 1], "args": 2}', "[]"):
        place.write_text('{"context_servers": {"memstore": ' + entry + "}}")
        assert program.ok("mcp", "list") == ""


def test_a_repository_gets_a_scope(program: InProcess) -> None:
    folder = program.home / "acme"
    (folder / "src").mkdir(parents=True)
    program.git("init", "-q", str(folder))
    words = ("--vault", str(program.vault), "--as", "si:ash", "--self", "mcp", "install", "codex", "--scope")
    failed = program.run(*words, "acme", cwd=folder)
    assert (failed.returncode, (program.home / ".codex").exists()) == (2, False)
    assert "has the scope global or project:NAME" in failed.stderr
    for more, is_set in ((("--dry-run",), False), ((), True)):
        done = program.run(*words, "project:acme", *more, cwd=folder / "src")
        assert (done.returncode, f"scopes.{folder} = project:acme" in done.stderr) == (0, True)
        assert ("project:acme" in program.ok("config", "--user", "scopes")) is is_set
    said = program.run(*words, "project:other", cwd=folder).stderr
    assert f"scopes.{folder} = project:other\nCodex: everything else is set up already\n" in said
    assert program.ok("config", "--user", f"scopes.{folder}") == "project:other\n"


def test_a_settings_file_that_got_its_other_name_is_still_ours(program: InProcess) -> None:
    install(program, "opencode")
    first = program.home / HOSTS["opencode"].servers
    second = first.with_suffix(".jsonc")
    first.rename(second)
    first.write_text('{"theme": "x"}\n')
    listed = f"opencode: {program.vault} as si:ash, nobody else listens ({second})\n"
    assert program.ok("mcp", "list") == listed
    assert install(program, "opencode") == ""
    program.ok("--vault", ".", "--as", "si:max", "--self", "mcp", "install", "opencode")
    assert (first.read_text(), "si:max" in second.read_text()) == ('{"theme": "x"}\n', True)
    first.write_text("{")
    assert program.ok("mcp", "list") == listed.replace("si:ash", "si:max")
    first.write_text('{"theme": "x"}\n')
    program.ok("mcp", "uninstall", "opencode")
    assert "memstore" not in second.read_text()
    assert first.read_text() == '{"theme": "x"}\n'
    assert "no program is set up" in program.run("mcp", "list").stderr


def test_a_server_in_both_files_goes_from_both(program: InProcess) -> None:
    install(program, "opencode")
    first = program.home / HOSTS["opencode"].servers
    second = first.with_suffix(".jsonc")
    second.write_bytes(first.read_bytes())
    program.ok("mcp", "uninstall", "opencode")
    assert not first.exists()
    assert "memstore" not in second.read_text()


@pytest.mark.parametrize(
    "record",
    [
        b"null", b"{}", b"[1]", b"\xff\0", b"[" * 100_000, b'{"files": []}', b'{"files": {}, "folders": [1]}',
        b'{"files": {}, "folders": ["/x\\u0000", "\\ud800"], "skill": 1}', b'{"files": {"F": 1}, "folders": []}',
        b'{"files": {"F": {"pieces": 1, "made": true}}, "folders": []}', b'{"files": {}, "folders": null}',
        b'{"files": {"F": {"pieces": [1], "made": true}}, "folders": []}', b'{"files": {"F": {}}, "folders": []}',
    ],
    ids=range(13),
)  # fmt: skip
def test_a_record_that_somebody_changed_is_in_nobodys_way(program: InProcess, record: bytes) -> None:
    install(program, "codex")
    install(program, "zed")  # reads the same skill
    place = program.home / HOSTS["zed"].servers
    [kept] = program.home.rglob("agents/zed.json")
    kept.write_bytes(record.replace(b'"F"', json.dumps(str(place)).encode()))
    assert "zed: " in program.ok("mcp", "list")
    program.ok("mcp", "uninstall", "codex")
    install(program, "zed")
    kept.write_bytes(record.replace(b'"F"', json.dumps(str(place)).encode()))
    program.ok("mcp", "uninstall", "zed")
    assert "memstore" not in (place.read_text() if place.exists() else "")
    assert not kept.exists()


def test_a_link_stays_a_link(program: InProcess) -> None:
    real = program.home / "dotfiles" / "mcp.json"
    real.parent.mkdir()
    real.write_text("{}\n")
    link = program.home / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(real)
    install(program, "cursor")
    assert link.is_symlink()
    assert "memstore" in real.read_text()
    program.ok("mcp", "uninstall", "cursor")
    assert link.is_symlink()
    assert real.read_text() == "{}\n"


def test_read_only_settings_are_refused(program: InProcess) -> None:
    place = program.home / ".cursor" / "mcp.json"
    place.parent.mkdir()
    place.write_text("{}\n")
    place.chmod(0o444)
    before = files(program.home)
    done = program.run("--vault", ".", "mcp", "install", "cursor")
    assert done.returncode == 4
    assert f"{place} is read-only; nothing was written" in done.stderr
    assert files(program.home) == before


def test_a_skill_that_somebody_wrote_stays(program: InProcess) -> None:
    place = program.home / ".openclaw" / "skills" / "memstore" / "SKILL.md"
    place.parent.mkdir(parents=True)
    place.write_text("mine\n")
    done = program.run("--vault", ".", "mcp", "install", "openclaw")
    assert done.returncode == 4
    assert files(program.home)[".openclaw/skills/memstore/SKILL.md"] == (b"mine\n", 0o100644)
    place.unlink()
    install(program, "openclaw")
    place.write_text("mine again\n")
    done = program.run("mcp", "uninstall", "openclaw")
    assert "it stays" in done.stderr
    assert [path for path, found in files(program.home).items() if found] == [".openclaw/skills/memstore/SKILL.md"]


def test_another_identity_replaces_the_first(program: InProcess) -> None:
    install(program, "claude-code")
    program.ok("--vault", ".", "--as", "si:max", "mcp", "install", "claude-code")
    for path in (".claude.json", ".claude/settings.json"):
        text = (program.home / path).read_text()
        assert "si:max" in text
        assert "si:ash" not in text
    program.ok("mcp", "uninstall", "claude-code")
    assert files(program.home) == {}


def test_a_folder_of_settings_elsewhere(program: InProcess) -> None:
    program.environment |= {
        "CLAUDE_CONFIG_DIR": str(program.home / "claude"),
        "CODEX_HOME": str(program.home / "codex"),
        "COPILOT_HOME": str(program.home / "copilot"),
        "XDG_CONFIG_HOME": str(program.home / "xdg"),
    }
    for name in ("claude-code", "codex", "copilot", "opencode"):
        program.ok("--vault", ".", "mcp", "install", name)
    assert {path for path, found in files(program.home).items() if found} == {
        "claude/.claude.json", "claude/settings.json", "claude/skills/memstore/SKILL.md",
        "codex/config.toml", "codex/hooks.json", ".agents/skills/memstore/SKILL.md",
        "copilot/mcp-config.json", "copilot/skills/memstore/SKILL.md",
        "xdg/opencode/opencode.json", "xdg/opencode/skills/memstore/SKILL.md",
    }  # fmt: skip


def test_a_relative_base_folder_counts_for_nothing(program: InProcess) -> None:
    program.environment["XDG_CONFIG_HOME"] = "relative"  # as the XDG base directory specification says
    for name in ("opencode", "zed", "vscode"):
        install(program, name)
        assert (program.home / HOSTS[name].servers).exists()


def test_a_later_file_that_cannot_be_written_undoes_the_earlier(program: InProcess) -> None:
    (program.home / ".cursor").mkdir()
    (program.home / ".cursor" / "hooks.json").mkdir()
    before = files(program.home)
    done = program.run("--vault", ".", "mcp", "install", "cursor")
    assert done.returncode == 5
    assert "nothing was written" in done.stderr
    assert files(program.home) == before


def test_the_document_follows_its_schema(program: InProcess) -> None:
    made = validated(program.ok("--json", "--vault", ".", "mcp", "install", "codex"))
    assert [one["change"] for one in made["files"]] == ["created"] * 3
    assert made["files"][0]["path"] == os.fspath(program.home / ".codex" / "config.toml")
    assert validated(program.ok("--json", "mcp", "uninstall", "codex"))["dry_run"] is False
