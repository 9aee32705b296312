"""What somebody does with `-c` is committed with the event that records it, whoever they are and whoever listens."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING

import memstore
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

# Each is given the refs of a note, a belief and a raw memory.
COMMANDS = (
    ("privacy", "grant", "{note}", "--to", "human:cat"),
    ("privacy", "revoke", "{note}", "--from", "human:cat"),
    ("privacy", "grant", "{note}", "--to", "human:nia"),
    ("set", "{note}", "access_grants=human:nia,human:cat"),
    ("trust", "request-witness", "{note}", "--from", "human:nia"),
    ("privacy", "generalize", "{belief}", "--text", "Every house has a colour", "--access", "*"),
    ("raw", "promote", "{raw}", "--to", "note"),
    ("trust", "sign", "{note}", "--key", "{key}"),
    ("privacy", "consent", "grant", "--from", "human:ben", "--to", "human:cat", "--scope", "{note}"),
    ("privacy", "consent", "refuse", "--from", "human:ben", "--to", "human:dan", "--scope", "{note}"),
    ("archive", "{note}"),
    ("archive", "--restore", "{note}"),
    ("trust", "quarantine", "{note}"),
    ("trust", "quarantine", "{note}", "--lift"),
    ("supersede", "{note}", "On-call starts Wednesday"),
    ("reinforce", "{belief}", "--evidence", "{seen}"),
    ("conflicts", "split", "{other}", "The oven is cold", "The oven is old"),
    ("forget", "{belief}", "--reason", "wrong", "--detach"),
)


def test_no_event_is_left_uncommitted(tmp_path: Path) -> None:
    program = InProcess(tmp_path)
    program.init("human:nia")
    git = ("git", "-C", str(program.vault))
    refs: dict[str, str] = {}

    def left() -> str:
        return subprocess.run([*git, "status", "--short"], check=True, capture_output=True, text=True).stdout

    def done(*words: str) -> str:
        out = program.ok("--as", "human:ben", *(word.format(**refs) for word in words), "-c")
        assert left() == "", words
        return out

    def made(*words: str) -> str:
        found = re.search(r"\b[a-z]+:m_\w+", done(*words, "--access", "human:nia"))
        assert found is not None
        return found[0]

    refs |= {"note": made("add", "On-call starts Monday"), "raw": made("raw", "The ferry is late again today")}
    refs |= {"belief": made("add", "The lamp is green", "-t", "belief")}
    refs |= {"other": made("add", "The oven is cold and old", "-t", "belief")}
    refs |= {"seen": made("add", "The lamp was green today", "-t", "episode"), "key": str(tmp_path / "key")}
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", refs["key"]], check=True)
    for command in COMMANDS:
        done(*command)
    (consent,) = [
        one["id"] for one in program.json("privacy", "consent", "list")["consents"] if one["grantee"] == "human:cat"
    ]
    done("privacy", "consent", "revoke", consent)
    with memstore.open_vault(program.vault, entity="human:ben") as face:
        face.archive(refs["seen"], commit=True)
        face.tag(refs["raw"], add=["ferry"], commit=True)
    assert left() == ""
    call = {"name": "memory_add", "arguments": {"text": "The oven is cold", "access_grants": ["human:nia"]}}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    lines = [{"id": 1, "method": "initialize", "params": hello}, {"id": 2, "method": "tools/call", "params": call}]
    given = "".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines)
    assert "note:m_" in program.ok("--as", "human:ben", "mcp", "--commit", stdin=given)
    assert left() == ""
    program.ok("--as", "human:ben", "context", "enter", "ctx:work")  # which has no -c
    assert re.fullmatch(r"\?\? audit/human/ben/.*\n", left())
    program.ok("--as", "human:ben", "add", "The lid is loose", "--access", "human:cat", "--acknowledge", "-c")
    assert left().count("\n") == 1
    program.ok("--as", "human:ben", "context", "leave")
    program.ok("--as", "human:ben", "commit")
    assert left() == ""
