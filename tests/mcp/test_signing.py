"""An agent that has a key signs what it writes, whichever tool, hook or adapter it writes with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

import memstore
from memstore.adapters.memory_tool import MemoryTool
from memstore.mcp import tools
from tests.mcp.serving import OWNER, answered, sample, served
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.mcp.server import Server

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed")

# What a tool is called with, in a vault with the memories of `Ash`; `{}` is replaced by the ref of one.
WRITING: dict[str, dict[str, Any]] = {
    "memory_add": {"text": "Tea steeps for three minutes.", "source": "the packet"},
    "memory_raw": {"content": "It rained."},
    "memory_episode": {"objective": "Ship it", "outcome": "shipped"},
    "memory_note": {"content": "Cups are on the left."},
    "memory_belief": {"statement": "Naps help.", "confidence": 0.7},
    "memory_create_with_privacy": {"content": "Ash likes naps.", "access_grants": []},
    "memory_supersede": {"ref": "{belief}", "text": "Bella eats at nine.", "since": "2026-02-01"},
    "memory_promote": {"memory_id": "{raw}", "to": "note"},
    "memory_rearrange": {"action": "split", "ref": "{note}", "texts": ["Soap is below.", "Towels are above."]},
    "memory_edit": {"ref": "{note}", "new": "Soap and towels are above."},
    "memory_change": {"action": "tag", "ref": "{note}", "tags": ["+bath"]},
}
# What these write changes no word that is signed, or is a suggestion, which nobody signs before it is accepted.
NOTHING_TO_SIGN = {
    *("memory_evidence", "memory_conflicts", "memory_review", "memory_forget", "context", "privacy", "memory_weigh"),
    *("memory_set_privacy", "context_enter", "context_leave", "consent_grant", "consent_revoke", "memory_witness"),
    *("memory_request_witness", "memory_anchor", "memory_trust", "memory_quarantine", "vault", "entities", "consents"),
}

SUGGESTION = "m_88b2rqkrbp"


@dataclass
class Ash:
    """A vault of `OWNER`, who has a key that counts there."""

    program: InProcess
    key: Path

    def server(self, **who: Any) -> Server:
        return served(self.program, offered="all", **who)

    def state(self, ref: str) -> str:
        return str(self.program.json("trust", ref)["signature"]["state"])

    def unsigned(self) -> set[str]:
        """Return the refs of all memories whose signature doesn't count, or is missing."""
        return {one["ref"] for one in self.program.json("list", "--status", "all")["memories"]} - {
            one["ref"] for one in self.program.json("list", "--status", "all", "--min-trust", "0.2")["memories"]
        }


@pytest.fixture
def ash(tmp_path: Path) -> Ash:
    program = InProcess(tmp_path)
    program.vault.mkdir()
    program.ok("init", ".", "--owner", OWNER)
    key = tmp_path / "ash"
    made(key)
    program.ok("trust", "keys", "init", str(key))
    return Ash(program, key)


def made(key: Path) -> None:
    """Make an SSH key without a passphrase."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)


def certified(authority: Path, key: Path, *options: str, whom: str = "si:ash") -> None:
    """Have an authority certify a key with stock OpenSSH, for as long as the options say."""
    words = ["ssh-keygen", "-q", "-s", str(authority), "-I", "a session", "-n", whom, *options, f"{key}.pub"]
    subprocess.run(words, check=True)


def refs(ash: Ash) -> dict[str, str]:
    """Write what the tools change, and return the refs."""
    server = ash.server()
    return {
        "raw": answered(server, "memory_raw", content="Claire called.").document["ref"],
        "note": answered(server, "memory_note", content="Soap is below, towels are above.").document["ref"],
        "belief": answered(server, "memory_belief", statement="Bella eats at eight.").document["ref"],
    }


def test_every_tool_that_writes_is_thought_of() -> None:
    writing = {tool.name for tool in tools.CHOICES["all"] if any(map(tools.writes, tool.verbs.values()))}
    assert writing == {*WRITING, *NOTHING_TO_SIGN}


@pytest.mark.soak(2)
@pytest.mark.parametrize("tool", WRITING)
def test_whatever_a_tool_writes_is_signed(ash: Ash, tool: str) -> None:
    known = refs(ash)
    text = json.dumps(WRITING[tool])
    for name, ref in known.items():
        text = text.replace(f"{{{name}}}", ref)
    answer = answered(ash.server(), tool, **json.loads(text))
    assert ash.unsigned() == set(), answer.text
    assert "sign" not in answer.text
    for signed in ash.program.json("list", "--status", "all")["memories"]:
        assert ash.state(signed["ref"]) == "valid"


def test_what_comes_of_a_merge_is_signed(ash: Ash) -> None:
    server = ash.server()
    pair = [
        answered(server, "memory_note", content=f"The key is {word}.").document["ref"] for word in ("here", "there")
    ]
    answered(server, "memory_rearrange", action="merge", refs=pair)
    assert ash.unsigned() == set()


def test_what_comes_of_a_suggestion_is_signed(tmp_path: Path) -> None:
    program = sample(tmp_path)
    made(tmp_path / "ash")
    program.ok("trust", "keys", "add", OWNER, f"{tmp_path / 'ash'}.pub", "-c")
    program.ok("config", "--user", "signing_key", str(tmp_path / "ash"))
    ash, before = Ash(program, tmp_path / "ash"), {*program.vault.rglob("*.md")}
    server = ash.server()
    for action in ({"action": "consolidate"}, {"action": "accept", "ref": SUGGESTION}):
        answered(server, "memory_review", **action)
    new = [file for file in program.vault.rglob("*.md") if file not in before]
    assert new
    for file in new:
        ref = program.json("show", str(file.relative_to(program.vault)))["ref"]
        assert ash.state(ref) == "valid", file.read_text()


def test_a_session_is_written_down_with_a_signature(ash: Ash) -> None:
    said = {"session_id": "s1", "hook_event_name": "SessionEnd", "text": "The person said that tea is ready."}
    ash.program.ok("--as", OWNER, "--self", "raw", "--hook", stdin=json.dumps(said))
    assert len(ash.program.json("list")["memories"]) == 1
    assert ash.unsigned() == set()


def test_what_adapters_write_is_signed(ash: Ash) -> None:
    with (
        patch.dict(os.environ, ash.program.environment, clear=True),
        memstore.open_vault(ash.program.vault, track=False) as vault,
    ):
        tool = MemoryTool(vault)
        made = {"command": "create", "path": "/memories/tea.md", "file_text": "Tea is ready."}
        changed = {"command": "str_replace", "path": "/memories/tea.md", "old_str": "ready", "new_str": "cold"}
        moved = {"command": "rename", "old_path": "/memories/tea.md", "new_path": "/memories/cold.md"}
        for command in (made, changed, moved):
            answer = tool.execute(command)
            assert not answer.is_error, answer.text
            assert ash.unsigned() == set()
        from memstore.adapters.langgraph import VaultStore

        store = VaultStore(vault)
        for likes in ("noodles", "rice"):
            store.put(("users", "claire"), "food", {"likes": likes})
            assert ash.unsigned() == set()
        # A person's own program signs only where it says so.
        by_hand = vault.add("Written by a program.").ref
        signed = vault.signing().add("Signed by a program.")
        assert ash.unsigned() == {by_hand} != {signed.ref}
    with pytest.raises(memstore.MemstoreError, match="was closed"):
        vault.signing()
    assert "was closed" in tool.execute({"command": "view", "path": "/memories"}).text


def test_an_agent_does_not_sign_what_somebody_else_changed(ash: Ash) -> None:
    """Its signature does not count any more; who signs the rest of the text must have read it."""
    saved = answered(ash.server(), "memory_note", content="Pay Bob ten euros.\n\nAnd thank him.").document
    file = ash.program.vault / saved["path"]
    file.write_text(file.read_text().replace("ten euros", "ten thousand euros"))
    assert ash.state(saved["ref"]) == "stale"
    answer = answered(ash.server(), "memory_edit", ref=saved["ref"], old="thank", new="greet")
    assert ash.state(saved["ref"]) == "stale"
    assert answer.document["findings"] == []
    answered(ash.server(), "memory_trust", action="sign", ref=saved["ref"])
    assert ash.state(saved["ref"]) == "valid"


def test_whoever_edits_by_hand_is_told_that_the_signature_is_of_something_else(ash: Ash) -> None:
    ref = answered(ash.server(), "memory_note", content="Tea is ready.").document["ref"]
    done = ash.program.run("edit", ref, "Tea is cold.")
    assert done.returncode == 0, done.stderr
    assert "the signature is of what it said before [attestation-stale]" in done.stderr
    assert f"hint: memstore trust sign {ref} signs what it says now" in done.stderr
    assert ash.state(ref) == "stale"
    # What nobody signs may change.
    ash.program.ok("trust", "sign", ref)
    done = ash.program.run("set", ref, "importance=high")
    assert "signature" not in done.stderr
    assert ash.state(ref) == "valid"


def test_a_key_that_is_gone_is_told_and_loses_nothing(ash: Ash) -> None:
    server = ash.server()
    signed = answered(server, "memory_note", content="Tea is ready.").document["ref"]
    ash.key.rename(ash.key.with_name("elsewhere"))
    answer = answered(server, "memory_add", text="The key is gone.")
    ref = answer.document["ref"]
    assert ash.state(ref) == "unsigned"
    assert [one["code"] for one in answer.document["findings"]] == ["unsigned"]
    assert "notice: it was not signed: " in answer.text
    assert f"hint: memstore trust sign {ref} signs it once a key of si:ash counts" in answer.text
    answer = answered(server, "memory_edit", ref=signed, new="Tea is cold.")
    assert [one["code"] for one in answer.document["findings"]] == ["attestation-stale"]
    assert "and was not made anew: " in answer.text
    assert ash.program.run("add", "Signed or not at all.", "--sign", "always").returncode == 5
    assert "not at all" not in ash.program.ok("list")


def test_another_agent_signs_with_its_own_key(ash: Ash) -> None:
    """On one machine, each agent has the key that the settings name for it."""
    key = ash.key.with_name("pith")
    made(key)
    quiet = answered(ash.server(entity="si:pith"), "memory_add", text="Pith has no key yet.")
    assert quiet.document["findings"] == []
    assert "signature" not in (ash.program.vault / quiet.document["path"]).read_text()
    ash.program.ok("trust", "keys", "add", "si:pith", f"{key}.pub", "-c")
    told = answered(ash.server(entity="si:pith"), "memory_add", text="Pith signs with Ash's key.")
    assert "it was not signed: it was not made with a key of si:pith" in told.text
    ash.program.ok("config", "--user", "signing_keys.si:pith", str(key))
    signed = answered(ash.server(entity="si:pith"), "memory_add", text="Pith signs.").document
    assert signed["findings"] == []
    assert ash.program.json("--as", "si:pith", "trust", signed["ref"])["signature"]["state"] == "valid"
    again = answered(ash.server(), "memory_add", text="Ash signs, too.").document["ref"]
    assert ash.state(again) == "valid"
    assert ash.program.ok("config", "--user", "signing_keys.si:pith") == f"{key}\n"
    ash.program.ok("config", "--user", "--unset", "signing_keys.si:pith")
    assert ash.program.ok("config", "--user", "signing_keys.si:pith") == "\n"


def test_whoever_has_a_key_of_its_own_signs_without_a_server_too(ash: Ash) -> None:
    """An agent without a server runs commands, which are to do the same."""
    program = ash.program
    plain = program.json("add", "Sean writes by hand.")
    assert ash.state(plain["ref"]) == "unsigned"
    program.ok("config", "--user", "signing_keys.si:ash", str(ash.key))
    signed = program.json("add", "Ash runs a command.")
    assert ash.state(signed["ref"]) == "valid"
    program.ok("edit", signed["ref"], "Ash runs another.")
    assert ash.state(signed["ref"]) == "valid"
    never = program.json("add", "Not this one.", "--sign", "never")
    assert ash.state(never["ref"]) == "unsigned"
    source = program.home / "seeds.md"
    source.write_text("# A list\n\nImported, and read by nobody.\n")
    program.ok("import", "markdown", str(source.parent / "seeds.md"))
    assert ash.unsigned() >= {plain["ref"], never["ref"]}
    assert "signature" not in "".join(
        file.read_text() for file in program.vault.rglob("*.md") if "read by nobody" in file.read_text()
    )
    with patch.dict(os.environ, program.environment, clear=True), memstore.open_vault(program.vault) as vault:
        assert ash.state(str(vault.add("A program of Ash's.").ref)) == "valid"


def test_what_can_not_be_signed_is_written_all_the_same(ash: Ash) -> None:
    answer = answered(ash.server(), "memory_add", text="A letter of tomorrow: \U0001fbfa\U00038000.")
    assert ash.state(answer.document["ref"]) == "unsigned"
    assert "it was not signed: " in answer.text
