"""The official client drives every tool, over both eras of the protocol."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Literal

import pytest

from memstore.mcp import tools
from tests.installed import MEMSTORE, validated
from tests.mcp.serving import sample
from tests.mcp.test_tools import BELIEF, EPISODE, NOTE, OTHER

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

pytest.importorskip("mcp.client.client", reason="the official SDK is not installed", exc_type=ImportError)

from mcp import StdioServerParameters, types
from mcp.client.client import Client
from mcp.client.stdio import stdio_client

MODES: list[Literal["auto", "legacy"]] = ["auto", "legacy"]
VERSIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}

# One call of each tool, in an order in which each finds what it needs; `REF` is the memory that was added.
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("memory_search", {"query": "What did the vet say about Bella?", "limit": 3}),
    ("memory_get", {"ref": NOTE}),
    ("memory_recall", {"prompt": "Bella's heart"}),
    ("memory_add", {"text": "Bella eats at eight", "tags": ["dog"], "source": "Sean"}),
    ("memory_edit", {"ref": "REF", "old": "eight", "new": "nine"}),
    ("memory_supersede", {"ref": "REF", "text": "Bella eats at ten"}),
    ("memory_evidence", {"action": "reinforce", "ref": BELIEF, "evidence": [EPISODE]}),
    ("memory_conflicts", {"action": "resolve", "ref": NOTE, "other": OTHER, "keep": "both"}),
    ("memory_review", {"action": "consolidate"}),
    ("memory_forget", {"action": "archive", "refs": [EPISODE]}),
    ("context", {"action": "enter", "context": "ctx:dog_park"}),
    ("privacy", {"action": "explain", "ref": NOTE, "entity": "human:sean"}),
]


def driven(home: Path, mode: Literal["auto", "legacy"], work: Callable[[Client], Awaitable[None]]) -> None:
    """Let a client do its work at a server of its own."""
    program = sample(home)
    parameters = StdioServerParameters(
        command=str(MEMSTORE), args=["--vault", str(program.vault), "--self", "mcp"], env=program.environment
    )

    async def run() -> None:
        async with Client(stdio_client(parameters), mode=mode) as client:
            await work(client)

    asyncio.run(run())


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


@pytest.mark.soak
@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_drives_every_tool(tmp_path: Path, mode: Literal["auto", "legacy"]) -> None:
    import json

    async def work(client: Client) -> None:
        assert client.protocol_version == VERSIONS[mode]
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == [tool.name for tool in tools.USUAL]
        assert {name for name, _ in CALLS} == {tool.name for tool in listed.tools}
        ref = ""
        for name, arguments in CALLS:
            given = json.loads(json.dumps(arguments).replace("REF", ref))
            result = await client.call_tool(name, given)
            assert not result.is_error, (name, text_of(result))
            document = validated(json.dumps(result.structured_content))
            assert text_of(result) or name == "memory_review"
            if name == "memory_add":
                ref = document["ref"]

    driven(tmp_path, mode, work)


@pytest.mark.soak
@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_reads_and_completes(tmp_path: Path, mode: Literal["auto", "legacy"]) -> None:
    async def work(client: Client) -> None:
        listed = [str(one.uri) for one in (await client.list_resources()).resources]
        assert listed == ["memory://brief", "skill://memstore/SKILL.md"]
        [template] = (await client.list_resource_templates()).resource_templates
        for uri in ("memory://brief", f"memory://{NOTE}"):
            [content] = (await client.read_resource(uri)).contents
            assert isinstance(content, types.TextResourceContents)
            assert "Bella" in content.text or "park gate" in content.text
        for prompt in (await client.list_prompts()).prompts:
            [message] = (await client.get_prompt(prompt.name)).messages
            assert message.role == "user"
        of = types.ResourceTemplateReference(type="ref/resource", uri=template.uri_template)
        completed = await client.complete(of, {"name": "ref", "value": NOTE[:-1]})
        assert completed.completion.values == [NOTE]

    driven(tmp_path, mode, work)


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_is_told_what_is_wrong(tmp_path: Path, mode: Literal["auto", "legacy"]) -> None:
    async def work(client: Client) -> None:
        result = await client.call_tool("memory_get", {"ref": "m_nobody"})
        assert result.is_error
        assert text_of(result).startswith("memstore: no memory matches `m_nobody`\nhint: ")
        assert result.structured_content is not None
        assert result.structured_content["error"]["code"] == "not-found"
        with pytest.raises(Exception, match="there is no tool `memory_delete`"):
            await client.call_tool("memory_delete", {})

    driven(tmp_path, mode, work)
