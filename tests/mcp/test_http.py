"""HTTP on this machine: whoever brings a token is whom it stands for, and nobody else is anybody."""

from __future__ import annotations

import asyncio
import errno
import json
import re
import signal
import socket
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal

import pytest

from memstore.access.tokens import Tokens
from memstore.files.local_state import Environment
from memstore.mcp import tools
from tests.installed import MEMSTORE, validated
from tests.mcp.serving import ENVELOPE, VERSION, sample
from tests.mcp.test_sdk import CALLS, MODES, VERSIONS, text_of
from tests.whole.program import InProcess

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

SEARCH: dict[str, Any] = {"name": "memory_search", "arguments": {"query": "Bella heart", "limit": 100}}


class Listening:
    """A server of a copy of a vault, by default the sample vault, with a token for its owner alone."""

    def __init__(self, program: InProcess, owner: str = "si:ash") -> None:
        self.program = program
        self.token = self.added(owner, "--self")
        self.process = subprocess.Popen(
            [str(MEMSTORE), "mcp", "--http", "0", "--tools", "all"],
            cwd=program.vault,
            env=program.environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr
        said = self.process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", said)
        assert found, said
        self.url, self.port = found[0], int(found[1])

    def added(self, entity: str, *words: str) -> str:
        """Return the secret of a new token."""
        [made] = self.program.json("mcp", "token", "add", entity, *words)["tokens"]
        with open(made["file"], encoding="utf-8") as file:  # noqa: PTH123
            return file.read().strip()

    def posted(self, method: str, *, token: str | None, headers: dict[str, str] | None = None, **params: object) -> Any:
        """Return status and document of a request of 2026-07-28."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": ENVELOPE}}
        known = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": method,
            **({"Mcp-Name": str(params["name"])} if "name" in params else {}),
            **({"Authorization": f"Bearer {token}"} if token else {}),
            **(headers or {}),
        }
        request = urllib.request.Request(self.url, json.dumps(body).encode(), known)  # noqa: S310 - our own address
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def ended(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(20)
        finally:
            self.process.kill()
            if self.process.stderr:
                self.process.stderr.close()


@pytest.fixture(scope="module")
def listening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    server = Listening(sample(tmp_path_factory.mktemp("served")))
    yield server
    server.ended()


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Listening]:
    """Return a server of a vault of Ann's group, in which Ben is, and Eve is not."""
    program = InProcess(tmp_path)
    program.vault.mkdir()
    program.git("init", "-q")
    program.ok("--as", "human:ann", "init", "--owner", "group:ops")
    program.ok("--as", "human:ann", "privacy", "group", "add", "group:ops", "human:ben", "--email", "ben@example.org")
    program.ok("--as", "human:ann", "add", "The pager rings at night.", "--title", "Pager")
    program.ok("--as", "human:ann", "commit")
    server = Listening(program, "human:ann")
    yield server
    server.ended()


def asked(server: Listening, token: str, tool: str, **arguments: object) -> dict[str, Any]:
    """Return the result of a tool."""
    status, answer = server.posted("tools/call", token=token, name=tool, arguments=arguments)
    assert status == 200, answer
    result: dict[str, Any] = answer["result"]
    return result


def test_twenty_clients_of_a_team_are_served_at_once_each_as_themselves(team: Listening) -> None:
    tokens = {who: team.added(who, "--self") for who in ("human:ben", "human:eve")} | {"human:ann": team.token}

    def works(number: int) -> tuple[str, str, bool, bool]:
        who = ("human:ann", "human:ben", "human:eve")[number % 3]
        made = asked(
            team, tokens[who], "memory_add", text=f"Client {number} rotates the pager.", title=f"Turn {number}"
        )
        seen = asked(team, tokens[who], "memory_search", query="pager", limit=100)
        return who, f"Client {number}", made["isError"], bool(seen["structuredContent"]["results"])

    def vanishes(number: int) -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**SEARCH, "_meta": ENVELOPE}})
        with socket.create_connection(("127.0.0.1", team.port)) as client:
            told = len(body) if number else 10_000_000  # the second is slow: its body never comes
            head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{team.port}\r\nAuthorization: Bearer {team.token}\r\n"
            client.sendall(f"{head}Content-Type: application/json\r\nContent-Length: {told}\r\n\r\n{body}".encode())

    def attacks(number: int) -> list[int]:
        bodies = (
            {"jsonrpc": "2.0"},
            {"name": "memory_add", "arguments": {"as": "human:ann"}},
            {"name": "memory_add", "arguments": {"text": "x" * 10**6}},
        )
        return [team.posted("tools/call", token=f"{team.token}{number}", **body)[0] for body in bodies]

    with (
        ThreadPoolExecutor(20) as clients,
        socket.create_connection(("127.0.0.1", team.port)) as slow,
    ):
        slow.sendall(b"POST /mcp HTTP/1.1\r\n")
        others = [clients.submit(vanishes, number) for number in range(2)]
        hostile = clients.submit(attacks, 1)
        done = [*clients.map(works, range(17))]
        assert set(hostile.result()) == {401}
        assert [one.result() for one in others] == [None, None]

    by = {"human:ann": True, "human:ben": True, "human:eve": False}
    assert [(failed, sees) for who, _, failed, sees in done] == [(not by[who], by[who]) for who, *_ in done]
    kept = {one["title"]: one for one in team.program.json("--as", "human:ann", "list", "-n", "100")["memories"]}
    assert {title for title in kept if title.startswith("Turn")} == {
        f"Turn {number}" for number in range(17) if number % 3 < 2
    }
    for number in range(17):
        if number % 3 < 2:
            text = (team.program.vault / kept[f"Turn {number}"]["path"]).read_text()
            assert f"author: {'human:ann' if number % 3 == 0 else 'human:ben'}" in text


def test_the_token_of_somebody_who_left_shows_what_a_stranger_sees(team: Listening) -> None:
    ben = team.added("human:ben", "--self")
    search = {"query": "pager", "limit": 100}
    assert paths({"result": asked(team, ben, "memory_search", **search)})
    team.program.ok("--as", "human:ann", "privacy", "group", "remove", "group:ops", "human:ben")
    assert not paths({"result": asked(team, ben, "memory_search", **search)})
    assert asked(team, ben, "memory_add", text="Still here.")["isError"]


def paths(document: dict[str, Any]) -> set[str]:
    return {hit["path"] for hit in document["result"]["structuredContent"]["results"]}


def test_a_token_says_who_asks(listening: Listening) -> None:
    owner = listening.token
    stranger, public = listening.added("human:eve", "--self"), listening.added("si:ash")
    status, answer = listening.posted("tools/call", token=owner, **SEARCH)
    assert status == 200
    assert validated(json.dumps(answer["result"]["structuredContent"]))
    seen = {token: paths(listening.posted("tools/call", token=token, **SEARCH)[1]) for token in (stranger, public)}
    assert seen[stranger] < paths(answer)
    assert seen[public] < paths(answer)


@pytest.mark.parametrize("token", [None, "", "ms_nobody", "x" * 10_000])
def test_nobody_else_is_anybody(listening: Listening, token: str | None) -> None:
    status, said = listening.posted("tools/call", token=token, **SEARCH)
    assert status == 401
    assert "Bella" not in said
    assert listening.posted("tools/list", token=listening.token)[0] == 200


def test_a_token_that_is_revoked_counts_no_more(listening: Listening) -> None:
    token = listening.added("human:max", "--self")
    assert listening.posted("tools/list", token=token)[0] == 200
    [gone] = listening.program.json("mcp", "token", "revoke", "human:max")["tokens"]
    assert listening.posted("tools/list", token=token)[0] == 401
    assert gone["id"] not in listening.program.ok("mcp", "token", "list")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_a_page_of_somebody_else_gets_nothing(listening: Listening, headers: dict[str, str], status: int) -> None:
    got, said = listening.posted("tools/call", token=listening.token, headers=headers, **SEARCH)
    assert got == status
    assert "Bella" not in str(said)


def test_a_handle_is_bound_to_its_token(listening: Listening) -> None:
    other = listening.added("si:ash", "--self")
    given: dict[str, Any] = {"name": "context", "arguments": {"action": "enter", "context": "ctx:dog_park"}}
    handle = listening.posted("tools/call", token=listening.token, **given)[1]["result"]["structuredContent"]["handle"]
    asked: dict[str, Any] = {"name": "memory_search", "arguments": {"query": "Bella", "handle": handle}}
    assert not listening.posted("tools/call", token=listening.token, **asked)[1]["result"]["isError"]
    assert listening.posted("tools/call", token=other, **asked)[1]["result"]["isError"]


def test_it_listens_on_this_machine_alone(listening: Listening) -> None:
    # All of 127.0.0.0/8 is this machine: what listens on every address is reached at each of them.
    for host, code in (("127.0.0.1", 0), ("127.0.0.2", errno.ECONNREFUSED)):
        with socket.socket(socket.AF_INET) as client:
            client.settimeout(5)
            assert client.connect_ex((host, listening.port)) == code


@pytest.mark.soak
@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_drives_every_tool(tmp_path: Path, mode: Literal["auto", "legacy"]) -> None:
    server = Listening(sample(tmp_path))

    async def work(client: Client) -> None:
        assert client.protocol_version == VERSIONS[mode]
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == [tool.name for tool in tools.CHOICES["all"]]
        ref = ""
        for name, arguments in CALLS:
            result = await client.call_tool(name, json.loads(json.dumps(arguments).replace("REF", ref)))
            assert not result.is_error, (name, text_of(result))
            document = validated(json.dumps(result.structured_content))
            ref = document["ref"] if name == "memory_add" else ref
        refused = await client.call_tool("memory_get", {"ref": "m_nobody"})
        assert text_of(refused).startswith("memstore: no memory matches")
        with pytest.raises(Exception, match="there is no tool"):
            await client.call_tool("memory_delete", {})
        [content] = (await client.read_resource("memory://brief")).contents
        assert "Quoted" in str(content)
        assert (await client.list_prompts()).prompts

    try:
        driven(server, mode, work)
    finally:
        server.process.send_signal(signal.SIGINT)
        server.process.wait(20)
        if server.process.stderr:
            server.process.stderr.close()


def driven(server: Listening, mode: Literal["auto", "legacy"], work: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {server.token}"}) as bearer:
            transport = streamable_http_client(server.url, http_client=bearer)
            async with Client(transport, mode=mode) as client:
                await work(client)

    asyncio.run(run())


# -- tokens ----------------------------------------------------------------------------------------------


def test_a_token_is_printed_nowhere_and_read_by_nobody_else(tmp_path: Path) -> None:
    program = sample(tmp_path)
    said = [program.ok("mcp", "token", *words) for words in (("add", "si:ash", "--self"), ("list",))]
    [made] = program.json("mcp", "token", "list")["tokens"]
    secret = (program.home / made["file"]).read_text().strip()
    assert len(secret) > 40
    assert not any(secret in text for text in said)
    for path in (tmp_path / "state" / "memstore" / "tokens").rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600)
    about = (program.home / made["file"]).with_suffix(".json").read_text()
    assert secret not in about
    assert made["file"] in said[1]
    assert {*made} == {"id", "entity", "context", "self", "file"}


@pytest.mark.soak(3)
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o620])
@pytest.mark.parametrize("ending", ["token", "json"])
def test_a_token_that_others_can_read_is_refused(tmp_path: Path, mode: int, ending: str) -> None:
    program = sample(tmp_path)
    made = program.json("mcp", "token", "add", "si:ash", "--self")["tokens"][0]
    secret = (program.home / made["file"]).read_text(encoding="utf-8").strip()
    tokens = Tokens(Environment(program.environment, program.vault, program.home, "tester"), program.vault)
    assert tokens.brought(secret)
    file = (program.home / made["file"]).with_suffix(f".{ending}")
    file.chmod(mode)
    assert tokens.brought(secret) is None
    said = f"others can read {file}, so this token is refused"
    done = program.run("mcp", "--http", "0")
    assert (done.returncode, said in done.stderr, f"chmod 600 {file}" in done.stderr) == (5, True, True)
    assert said in program.run("mcp", "token", "list").stderr
    file.chmod(0o600)
    assert tokens.brought(secret)
    file.chmod(mode)
    program.ok("mcp", "token", "revoke", "si:ash")
    assert not file.exists()


def test_a_token_of_an_earlier_version_with_two_audiences_is_refused(tmp_path: Path) -> None:
    program = sample(tmp_path)
    [made] = program.json("mcp", "token", "add", "si:ash", "--self")["tokens"]
    secret = (program.home / made["file"]).read_text(encoding="utf-8").strip()
    about = (program.home / made["file"]).with_suffix(".json")
    about.write_text(json.dumps({**json.loads(about.read_text()), "context": "ctx:dog_park"}))
    tokens = Tokens(Environment(program.environment, program.vault, program.home, "tester"), program.vault)
    assert tokens.brought(secret) is None
    said = f"token {made['id']} says that nobody else listens, and that ctx:dog_park does, so it is refused"
    hint = f"memstore mcp token revoke {made['id']}, and add one with --self or a context"
    done = program.run("mcp", "--http", "0")
    assert (done.returncode, said in done.stderr, f"hint: {hint}" in done.stderr) == (5, True, True)
    told = program.run("mcp", "token", "list")
    assert f"{said}; {hint}" in told.stderr
    assert told.stdout.rstrip().endswith("refused")
    program.ok("mcp", "token", "revoke", made["id"])
    assert not about.exists()


def test_what_others_could_have_written_is_no_token(tmp_path: Path) -> None:
    program = sample(tmp_path)
    env = Environment(program.environment, program.vault, program.home, "tester")
    tokens = Tokens(env, program.vault)
    made = tokens.add("si:ash", context=None, alone=True)
    secret = made.file.read_text().strip()
    assert tokens.brought(secret) == made
    assert tokens.brought(secret + "x") is None
    assert tokens.brought("\udcff") is None
    made.file.parent.chmod(0o777)
    assert tokens.brought(secret) is None
    assert "chmod 700" in program.run("mcp", "token", "add", "si:ash").stderr
    made.file.parent.chmod(0o700)
    made.file.with_suffix(".json").write_text("{")
    assert tokens.list() == ()


@pytest.mark.soak(3)
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("mcp", "--http", "0"), 2, "there are no tokens"),
        (("--as", "si:ash", "mcp", "--http", "0"), 2, "each token says who is served"),
        (("mcp", "--http", "0", "--self"), 2, "each token says who is served"),
        (("mcp", "token", "add", "nobody"), 2, "nobody"),
        (("mcp", "token", "revoke", "si:ash"), 3, "no token is called `si:ash`"),
        (("mcp", "token"), 2, "missing command"),
    ],
)
def test_what_can_not_be_served(tmp_path: Path, words: tuple[str, ...], code: int, said: str) -> None:
    done = sample(tmp_path).run(*words)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr


def test_a_port_that_is_taken_is_said(listening: Listening) -> None:
    done = listening.program.run("mcp", "--http", str(listening.port))
    assert done.returncode == 5
    assert f"can't listen on port {listening.port}" in done.stderr


def test_without_the_sdk_it_says_what_to_install(listening: Listening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("memstore.mcp.http", raising=False)  # another test may have imported it
    monkeypatch.setitem(sys.modules, "memstore.mcp.http", None)
    done = listening.program.run("mcp", "--http", "0")
    assert done.returncode == 5
    assert 'pip install "memstore-vault[mcp]"' in done.stderr
