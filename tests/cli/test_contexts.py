"""Contexts, as a person meets them: every command says that one is active, and how to leave it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.whole.program import Program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.whole.program import InProcess


@pytest.fixture
def vault(tmp_path: Path) -> InProcess:
    program = Program(tmp_path).in_process()
    program.init("human:ann")
    program.ok("add", "Figs are in")
    return program


def said(vault: InProcess, *words: str) -> str:
    return vault.run(*words).stderr.splitlines()[0]


@pytest.mark.parametrize(
    "words", [("list",), ("search", "figs"), ("status",), ("show", "m_nothing"), ("links", "Figs")]
)
def test_every_command_says_which_context_hides_what(vault: InProcess, words: tuple[str, ...]) -> None:
    assert "memstore context leave" not in vault.run(*words).stderr
    vault.ok("context", "enter", "ctx:nowhere")
    done = vault.run(*words)
    assert done.stderr.count("in ctx:nowhere (anybody listens): memstore context leave\n") == 1
    assert vault.run(*words, "--json").stderr == "in ctx:nowhere (anybody listens): memstore context leave\n"
    assert "context leave" not in vault.run(*words, "--quiet").stderr
    vault.ok("context", "leave")
    assert "ctx:" not in vault.run(*words).stderr


def test_how_to_leave_depends_on_what_gave_the_context(vault: InProcess) -> None:
    assert said(vault, "list", "--context", "ctx:x") == "in ctx:x (anybody listens): leave out --context"
    done = vault.run("list", MEMSTORE_CONTEXT="ctx:x")
    assert done.stderr.startswith("in ctx:x (anybody listens): unset MEMSTORE_CONTEXT\n")


@pytest.mark.parametrize(
    ("participants", "listening"),
    [
        (["human:ann"], "nobody else listens"),
        (["human:bob", "dog:rex"], "human:bob listens"),
        (["human:bob", "human:cid", "human:dan"], "human:bob, human:cid and human:dan listen"),
        ([f"human:p{number}" for number in range(9)], "human:p0, human:p1, human:p2 and 6 more listen"),
    ],
)
def test_who_listens_is_named(vault: InProcess, participants: list[str], listening: str) -> None:
    vault.ok("context", "enter", "ctx:x", "--participants", *participants)
    assert said(vault, "list") == f"in ctx:x ({listening}): memstore context leave"
    assert "nobody else listens" in said(vault, "list", "--self")


def test_whoever_enters_is_told_what_registers_those_who_are_there(vault: InProcess) -> None:
    there = ["--participants", "human:bob", "dog:rex"]
    act = "memstore context add ctx:x --roster human:bob dog:rex"
    assert vault.run("context", "enter", "ctx:x", *there).stderr.endswith(f"so it grants nothing: {act}\n")
    vault.ok(*act.split()[1:])
    assert vault.run("context", "enter", "ctx:x", *there).stderr == ""
    act = "memstore context add ctx:x --roster human:cid"
    told = vault.run("context", "enter", "ctx:x", *there, "human:cid").stderr
    assert told == f"what is granted to ctx:x stays closed to human:cid: {act}\n"
    vault.ok(*act.split()[1:])
    assert vault.run("context", "enter", "ctx:x", *there, "human:cid").stderr == ""
    assert vault.run("context", "add", "ctx:x", "--open").returncode == 4
    vault.ok("context", "leave")
    vault.ok("privacy", "log", "verify")


def test_what_is_said_in_a_context_leaves_it_only_on_purpose(vault: InProcess) -> None:
    vault.ok("context", "add", "ctx:w", "--roster", "human:bob", "group:team")
    vault.ok("privacy", "group", "add", "group:team", "human:cid")
    vault.ok("context", "enter", "ctx:w", "--participants", "human:bob")
    files = vault.run("list").stdout
    for words in (["add"], ["raw"]):
        done = vault.run(*words, "Figs are out", "--access", "*", "human:bob")
        assert done.returncode == 4
        assert "it is said in ctx:w, and granted to *, outside of it" in done.stderr
    draft = "---\naccess_grants: [human:dan]\n---\nFigs are out.\n"
    assert vault.run("add", "-", stdin=draft).returncode == 4
    assert vault.run("list").stdout == files
    for number, names in enumerate((["human:bob", "ctx:w"], ["human:ann", "human:cid"], ["group:team"])):
        vault.ok("add", f"Figs {number}", "--access", *names)
    vault.ok("add", "Plums", "--access", "human:dan", "--source-entity", "human:dan")
    vault.ok("add", "Pears", "--access", "human:dan", "--consent", "human:bob")
    vault.ok("add", "Figs are out", "--access", "*", "--acknowledge")
    vault.ok("context", "leave")
    vault.ok("add", "Figs are out again", "--access", "*")


@pytest.mark.parametrize(("options", "code"), [(["--open"], 0), (["--default-access", "*"], 0), ([], 4)])
def test_where_anybody_listens_everybody_may_know(vault: InProcess, options: list[str], code: int) -> None:
    vault.ok("context", "add", "ctx:lobby", *options)
    assert vault.run("add", "Figs", "--access", "*", "--context", "ctx:lobby").returncode == code


OUT = ["*", "human:dan"]
DOORS = {
    "grant": lambda ref, to: ["privacy", "grant", ref, "--to", *to],
    "set": lambda ref, to: ["set", ref, f"access_grants={','.join(to)}"],
}


@pytest.mark.parametrize("door", DOORS)
def test_no_later_grant_leaves_the_context_unsaid(vault: InProcess, door: str) -> None:
    vault.ok("context", "add", "ctx:w", "--roster", "human:bob", "human:cid")
    ref = vault.json("add", "Figs are out", "--context", "ctx:w", "--access", "none")["ref"]
    about = vault.json("add", "Rex likes figs", "--subject", "dog:rex", "--context", "ctx:w", "--access", "none")["ref"]
    for name in OUT:
        done = vault.run(*DOORS[door](ref, ["human:bob", name]))
        assert done.returncode == 4
        assert f"{ref} was said in ctx:w, and {name} is outside of it" in done.stderr
        assert "--acknowledge" in done.stderr
    assert "access_grants" not in vault.ok("show", ref, "--full")
    vault.ok(*DOORS[door](ref, ["human:bob", "human:ann"]))
    vault.ok(*DOORS[door](ref, ["human:bob", "human:dan"]), "--acknowledge")
    vault.ok(*DOORS[door](ref, ["human:bob", "human:dan"]))
    # Whoever has a say in it is asked already, and says so for each grantee.
    vault.ok("privacy", "entity", "add", "dog:rex", "--guardian", "human:cid")
    done = vault.run(*DOORS[door](about, ["*"]))
    assert (done.returncode, "consent of" in done.stderr) == (4, True)


def test_who_was_there_may_consent_that_it_leaves_the_context(vault: InProcess) -> None:
    vault.ok("context", "add", "ctx:w", "--roster", "human:bob", "human:cid")
    ref = vault.json("add", "Figs are out", "--context", "ctx:w")["ref"]
    assert vault.run("privacy", "grant", ref, "--to", "*", "--consent", "human:bob").returncode == 4
    vault.ok("privacy", "grant", ref, "--to", "*", "--consent", "human:bob", "human:cid")


def test_what_a_hand_grants_outside_of_the_context_stands_and_is_said(vault: InProcess) -> None:
    vault.ok("context", "add", "ctx:w", "--roster", "human:bob")
    ref = vault.json("add", "Figs are out", "--context", "ctx:w", "--access", "none")["ref"]
    hand = "sed -i 's/^context:/access_grants: [\"*\", human:bob]\\ncontext:/'"
    done = vault.run("edit", ref, EDITOR=hand)
    assert done.returncode == 0
    assert "notice: it was said in ctx:w, and * is outside of it [grant-leaves-context]" in done.stderr
    act = next(line for line in done.stderr.splitlines() if "privacy revoke" in line).partition("memstore ")[2]
    vault.ok(*act.replace("'", "").split())
    assert "Figs are out" not in vault.ok("--as", "human:eve", "list")


def test_a_plan_says_that_it_leaves_the_context(vault: InProcess) -> None:
    vault.ok("context", "add", "ctx:w", "--roster", "human:bob")
    ref = vault.json("add", "Figs are out", "--context", "ctx:w", "--access", "none")["ref"]
    plan = ["privacy", "plan", ref, "--to", "human:dan", "--apply"]
    step = vault.json(*plan)["steps"][0]
    assert (step["text"], step["state"]) == ("grant to human:dan, outside of ctx:w, where it was said", "open")
    vault.ok(*step["command"].split()[1:])
    assert not vault.json(*plan)["steps"]
