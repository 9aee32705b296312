"""A vault may come from anybody, its `.git/config` and attributes with it: nothing that they name is ever run."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from memstore.core.errors import Exit
from memstore.history.git_history import GitHistory

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import Program

VERBS = (
    ("status",), ("log",), ("log", "REF"), ("blame", "REF"), ("diff",), ("diff", "REF", "HEAD~1"), ("list",),
    ("show", "REF", "--at", "HEAD"), ("search", "kettle", "--at", "HEAD"), ("search", "kettle"), ("check",),
    ("doctor",), ("hooks", "status"), ("hooks", "install"), ("trust", "REF"), ("trust", "keys", "list"),
    ("tag", "REF", "+word"), ("commit",), ("undo",),
    ("check", "--staged"), ("commit",), ("trust", "anchor", "REF"), ("trust", "REF"), ("check",),
)  # fmt: skip


@pytest.fixture
def trap(program: Program) -> Path:
    """Set traps wherever git would run a program; return the file that appears when one of them snaps."""
    sprung = program.home / "sprung"
    script = program.vault / "trap.sh"
    script.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{sprung}'\ncat 2>/dev/null\nexit 0\n")
    script.chmod(0o755)
    hooks = program.vault / "trap-hooks"
    hooks.mkdir()
    for name in (
        "pre-commit",
        "commit-msg",
        "post-commit",
        "reference-transaction",
        "post-index-change",
        "prepare-commit-msg",
    ):
        (hooks / name).write_bytes(script.read_bytes())
        (hooks / name).chmod(0o755)
    (program.vault / ".gitattributes").write_text("*.md filter=trap diff=trap merge=trap\n*.md -text ident\n")
    for key in (
        "core.fsmonitor", "core.editor", "core.pager", "core.sshCommand", "core.askPass", "core.gitProxy",
        "diff.external", "diff.trap.command", "diff.trap.textconv", "filter.trap.clean", "filter.trap.smudge",
        "filter.trap.process", "merge.trap.driver", "gpg.program", "gpg.ssh.program", "credential.helper",
        "trailer.x.command", "trailer.x.cmd", "sequence.editor", "alias.log", "alias.rev-parse", "pager.log",
        "interactive.diffFilter",
    ):  # fmt: skip
        program.git("config", key, str(script))
    for key, value in {
        "core.hooksPath": "trap-hooks", "commit.gpgSign": "true", "log.showSignature": "true",
        "filter.trap.required": "true",
        "extensions.partialClone": "origin", "remote.origin.url": f"ext::{script} %S", "remote.origin.promisor": "true",
        "protocol.ext.allow": "always", "core.alternateRefsCommand": str(script),
        "uploadpack.packObjectsHook": str(script),
        "grep.fullName": "false", "grep.lineNumber": "true", "color.ui": "always",
        "diff.mnemonicPrefix": "true", "status.short": "true", "core.quotePath": "false",
    }.items():  # fmt: skip
        program.git("config", key, value)
    sprung.unlink(missing_ok=True)  # git config itself may have asked the file monitor
    return sprung


def note(program: Program) -> tuple[str, Path]:
    """Write a memory by hand; return its ref and its file."""
    path = program.vault / "kettle.md"
    path.write_text("---\ntype: note\nid: m_kettle\n---\nThe kettle sings\n")
    return "note:m_kettle", path


def test_no_verb_runs_what_the_repository_names(program: Program, trap: Path) -> None:
    ref, path = note(program)
    refused = program.run("commit")
    assert refused.returncode == Exit.REFUSED, refused.stderr
    assert "the filter trap" in refused.stderr
    named = program.vault / ".gitattributes"
    trapped = named.read_text()
    named.write_text(trapped.replace("filter=trap ", ""))
    program.ok("commit")
    path.write_text(path.read_text().replace("sings", "hums"))
    program.ok("commit", "-m", "hums")
    named.write_text(trapped)
    path.write_text(path.read_text().replace("hums", "is quiet"))
    for words in VERBS:
        done = program.run(*(ref if word == "REF" else word for word in words))
        assert not trap.exists(), (words, trap.read_text())
        assert done.returncode != Exit.BUG, (words, done.stderr)


def test_an_object_that_is_missing_is_not_fetched(program: Program, trap: Path) -> None:
    _, path = note(program)
    named = program.vault / ".gitattributes"
    named.write_text(named.read_text().replace("filter=trap ", ""))
    program.ok("commit")
    history = GitHistory(program.vault, program.environment | {"PATH": os.environ["PATH"]})
    blob = history.files_at("HEAD")[path.relative_to(program.vault).as_posix()]
    (program.vault / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert history.blobs([blob]) == {}
    assert not trap.exists()


def test_modules_in_the_vault_are_not_imported_by_the_hook(program: Program) -> None:
    sprung = program.home / "sprung"
    for name in ("yaml", "memstore", "json", "re", "sitecustomize"):
        (program.vault / f"{name}.py").write_text(f"open({str(sprung)!r}, 'w')\n")
    note(program)
    program.git("add", "-A")
    program.git("commit", "-m", "with modules")
    assert "Memory-Id:" in program.git("log", "-1", "--format=%B")
    assert not sprung.exists()


def test_the_trap_is_one(program: Program, trap: Path) -> None:
    note(program)
    subprocess.run(
        ["git", "add", "kettle.md"], cwd=program.vault, env=program.environment, check=False, capture_output=True
    )
    assert trap.exists()
