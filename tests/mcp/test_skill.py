"""The one skill: what it is made of, and how the server serves it."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from memstore.agents.skill import URI, skill
from memstore.mcp import tools
from memstore.mcp.protocol import INVALID_PARAMS, Conversation
from tests.mcp.serving import ENVELOPE, sample, served

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    return Conversation(served(sample(tmp_path)))


def asked(conversation: Conversation, method: str, **params: object) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": ENVELOPE}}
    answer = conversation.answer(message)
    assert answer is not None
    return answer


def test_the_skill_follows_its_specification() -> None:
    text = skill().decode()
    front = yaml.safe_load(text.split("---\n")[1])
    assert front.keys() == {"name", "description"}
    assert front["name"] == URI.split("/")[2]
    assert 100 < len(front["description"]) <= 1024
    assert len(text.splitlines()) <= 120


def test_every_tool_that_it_names_is_offered() -> None:
    named = set(re.findall(r"`(memory_\w+)`", skill().decode()))
    assert named <= {tool.name for tool in tools.CHOICES["usual"]}
    assert len(named) >= 8


def test_it_says_that_forgetting_is_for_good() -> None:
    assert "Nothing is deleted" not in skill().decode()
    assert "what you forget can't" in skill().decode()


def test_it_is_declared_listed_and_read(conversation: Conversation) -> None:
    about = asked(conversation, "server/discover")["result"]
    assert about["capabilities"]["extensions"] == {"io.modelcontextprotocol/skills": {}}
    listed = asked(conversation, "skills/list")["result"]
    assert (listed["resultType"], listed["cacheScope"]) == ("complete", "private")
    (one,) = listed["skills"]
    got = asked(conversation, "skills/get", uri=URI)["result"]
    assert got["skill"] == one
    assert isinstance(got["ttlMs"], int)
    assert one["frontmatter"] == yaml.safe_load(skill().decode().split("---\n")[1])
    read = asked(conversation, "resources/read", uri=one["uri"])["result"]["contents"][0]
    data = read["text"].encode()
    assert one["resources"] == [
        {"uri": URI, "digest": f"sha256:{hashlib.sha256(data).hexdigest()}", "size": len(data)},
    ]
    resources = asked(conversation, "resources/list")["result"]["resources"]
    assert [each["name"] for each in resources] == ["brief", "memstore"]


@pytest.mark.parametrize("uri", ["skill://memstore", "skill://other/SKILL.md", "memory://brief", ""])
def test_no_other_skill_is_there(conversation: Conversation, uri: str) -> None:
    assert asked(conversation, "skills/get", uri=uri)["error"]["code"] == INVALID_PARAMS
    if uri.startswith("skill"):
        assert asked(conversation, "resources/read", uri=uri)["error"]["code"] == INVALID_PARAMS


def test_whoever_may_see_nothing_may_read_the_skill(tmp_path: Path) -> None:
    other = Conversation(served(sample(tmp_path), entity="si:nobody", alone=False))
    assert asked(other, "resources/read", uri=URI)["result"]["contents"][0]["text"] == skill().decode()
