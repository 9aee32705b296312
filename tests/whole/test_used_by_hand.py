"""What a person types at a shell, and what they find then: one small habit a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.whole.program import InProcess, Program


@pytest.fixture
def vault(program: Program) -> InProcess:
    return program.in_process()


def test_a_memory_is_named_by_its_path_from_where_one_is(vault: InProcess) -> None:
    ref, file = vault.add("Bella eats at eight")
    path = file.relative_to(vault.vault).as_posix()
    for typed in (path, f"./{path}", f"../{file.parent.name}/{file.name}", file.name, str(file)):
        named = vault.run("path", typed, "--json", cwd=file.parent)
        assert f'"ref": "{ref}"' in named.stdout, (typed, named.stderr)
    assert vault.run("path", file.name).returncode == 3


@pytest.mark.parametrize(
    "words",
    [("search", "bella"), ("list",), ("log",), ("trace", "m_"), ("impact", "m_"), ("orphans",), ("audit", "show")],
)
def test_more_than_any_vault_holds_is_all(vault: InProcess, words: tuple[str, ...]) -> None:
    ref, _ = vault.add("Bella eats at eight", "-c")
    asked = [ref if word == "m_" else word for word in words]
    assert vault.ok(*asked, "-n", "9" * 30) == vault.ok(*asked)


@pytest.mark.parametrize("seconds", ["nan", "inf", "1e300", "0", "-1"])
def test_a_wait_that_no_clock_can_count_is_refused(vault: InProcess, seconds: str) -> None:
    assert vault.run("watch", "--every", seconds).returncode == 2


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
