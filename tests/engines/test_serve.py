"""`memstore engine serve`: whoever brings a token is answered as by the commands, and nobody else is."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import urllib.error
import urllib.request
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import pytest

from memstore.broker.answering import SEPARATOR, Answering
from memstore.broker.served import served_vaults
from memstore.files.local_state import Environment
from tests.engines.test_engine_settings import by_both, commit, opened, put, using
from tests.git_repositories import git
from tests.hooks.test_post_receive import Pushing
from tests.installed import MEMSTORE, validated
from tests.support import memory_text
from tests.whole.hidden import NOW, OWNER, drawn
from tests.whole.program import InProcess, Program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.engine_vaults import Engine

pytestmark = pytest.mark.soak(5, together=True)

OTHER = "human:bob"
TEA = memory_text("Hot tea in the teapot.\n", id="m_0000000001", title="Tea", access_grants='["*"]')
HIDDEN = memory_text("Quetzalcoatl drinks tea.\n", id="m_0000000002", title="Quetzalcoatl")
FROM_IT = memory_text("A teacup.\n", id="m_0000000003", title="Cup", derived_from='["note:m_0000000001"]')


class Told(NamedTuple):
    """An answer: status, body, and the commits that it is of."""

    status: int
    body: bytes
    commit: str | None = None

    @property
    def document(self) -> dict[str, Any]:
        return validated(self.body.decode())


class Serving:
    """The installed program, serving some folders."""

    def __init__(self, program: Program, *folders: Path | str) -> None:
        words = [str(MEMSTORE), "engine", "serve", "--port", "0", *map(str, folders)]
        self.process = subprocess.Popen(
            words,
            cwd=program.home,
            env=program.environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr
        self.said: list[str] = []
        while not (self.said and (not self.said[-1] or self.said[-1].startswith("answering"))):
            self.said.append(self.process.stderr.readline())
        found = re.search(r"http://127\.0\.0\.1:\d+", self.said[-1])
        assert found, self.said
        self.url = found[0]

    def asked(self, verb: str, token: str | None, body: object = None, **options: object) -> Told:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        data = body if isinstance(body, bytes) else json.dumps(options).encode()
        return self.got(f"/v1/{verb}", data, headers)

    def got(self, path: str, data: bytes | None = None, headers: dict[str, str] | None = None) -> Told:
        request = urllib.request.Request(self.url + path, data, headers or {})  # noqa: S310 - our own address
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                return Told(answer.status, answer.read(), answer.headers["Memstore-Commit"])
        except urllib.error.HTTPError as error:
            return Told(error.code, error.read())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End it as a system does: what it says then is nothing, and its code 0."""
        self.process.send_signal(signal.SIGTERM)
        try:
            assert self.process.wait(30) == 0
        finally:
            self.process.kill()
            if self.process.stderr:
                self.process.stderr.close()


def secret(program: Program, entity: str, *words: str, folder: Path | None = None) -> str:
    """Return the secret of a new token."""
    vault = ("--vault", str(folder)) if folder else ()
    [made] = program.json(*vault, "mcp", "token", "add", entity, *words)["tokens"]
    with open(made["file"], encoding="utf-8") as file:  # noqa: PTH123
        return file.read().strip()


def answered_here(server: Serving) -> int:
    """Return how often the local index had to answer."""
    [told] = re.findall(r"^memstore_answered_here_total (\d+)", server.got("/metrics").body.decode(), re.MULTILINE)
    return int(told)


def made(home: Path, name: str, engine: Engine, files: dict[str, bytes]) -> InProcess:
    """Return a vault of that name, indexed in a database that the user's settings name."""
    home.mkdir(exist_ok=True)
    program = InProcess(home)
    program.init(OWNER)
    program.vault.rename(home / name)
    program.vault = home / name
    git(program.vault, "init", "-q", "-b", "main")
    put(program, files)
    commit(program)
    program.ok("engine", "index", engine.url, "--name", engine.name())
    using(program, engine.url)
    return program


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Iterator[tuple[InProcess, Serving]]:
    files = {"tea.md": TEA, "hidden.md": HIDDEN, "cup.md": FROM_IT}
    program = made(tmp_path_factory.mktemp("serving"), "notes", engine, files)
    secret(program, OWNER, "--self")
    with Serving(program, program.vault) as server:
        yield program, server


def test_whoever_brings_a_token_is_answered_as_by_the_commands(serving: tuple[InProcess, Serving]) -> None:
    program, server = serving
    owner, other = secret(program, OWNER, "--self"), secret(program, OTHER, "--self")
    asked: list[tuple[list[str], dict[str, object]]] = [
        (["search", "tea"], {"query": "tea"}),
        (["search", "tea", "--facets", "type", "-n", "1"], {"query": "tea", "facets": ["type"], "limit": 1}),
        (["search", "quetzalcoatl"], {"query": "quetzalcoatl"}),
        (["list", "--sort", "title", "-t", "note"], {"sort": "title", "type": ["note"]}),
        (["list", "--stats"], {"stats": True}),
        (["trace", "m_0000000003"], {"ref": "m_0000000003"}),
        (["trace", "m_0000000001", "--reverse"], {"ref": "m_0000000001", "reverse": True}),
        (["recall", "some tea"], {"prompt": "some tea"}),
    ]
    for token, who in ((owner, OWNER), (other, OTHER)):
        for words, options in asked:
            told = server.asked(words[0], token, **options)
            done = program.run("--as", who, "--json", *words)
            assert told.document == json.loads(done.stdout), (who, words)
            assert (told.status == 200) == (done.returncode == 0)
    tip = git(program.vault, "rev-parse", "HEAD").strip()
    assert server.asked("list", owner).commit == tip
    assert server.asked("list", other).commit is None  # it would tell of what is hidden
    assert answered_here(server) == 0
    program.ok("mcp", "token", "revoke", OTHER)
    assert server.asked("list", other).status == 401


def test_nobody_else_is_anybody(serving: tuple[InProcess, Serving]) -> None:
    program, server = serving
    owner = secret(program, OWNER, "--self")
    told = {
        server.asked("search", token, query="tea")
        for token in (None, "", "ms_nobody", "x" * 10_000, f"{owner}x", f"{owner}.", f"{owner}.ms_nobody")
    }
    told |= {server.asked("nothing", "ms_nobody"), server.asked("list", None, body=b"{")}
    assert len(told) == 1
    assert {one.status for one in told} == {401}
    assert "Quetzalcoatl" not in str(told)


def test_no_parameter_makes_somebody_another(serving: tuple[InProcess, Serving]) -> None:
    program, server = serving
    other = secret(program, OTHER, "--self")
    for name in ("as", "entity", "self", "alone", "context", "vault", "token", "queries", "bisect", "hook", "stack"):
        for verb in ("search", "list", "trace", "recall"):
            told = server.asked(verb, other, body=json.dumps({name: OWNER, "query": "tea"}).encode())
            assert told.status == 400, (verb, name)
            assert "Quetzalcoatl" not in told.body.decode()
    hidden = server.asked("trace", other, ref="m_0000000002")
    missing = server.asked("trace", other, ref="m_0000000009")
    assert (hidden.status, missing.status) == (404, 404)
    assert hidden.body.replace(b"m_0000000002", b"m_0000000009") == missing.body


@pytest.mark.parametrize(
    ("verb", "body", "status"),
    [
        ("search", b"[]", 400),
        ("search", b"{", 400),
        ("search", b'{"query": "a\\u0000b"}', 400),
        ("search", b'{"query": 5}', 400),
        ("search", b'{"query": "tea", "limit": "many"}', 400),
        ("list", b'{"sort": "chance"}', 400),
        ("show", b"{}", 404),
        ("list", b" " * 2_000_000, 413),
    ],
)
def test_what_can_not_be_answered_says_why(
    serving: tuple[InProcess, Serving], verb: str, body: bytes, status: int
) -> None:
    program, server = serving
    told = server.asked(verb, secret(program, OWNER, "--self"), body=body)
    assert (told.status, bool(told.document["error"]["message"])) == (status, True)


def test_health_and_metrics_name_nobody(serving: tuple[InProcess, Serving]) -> None:
    program, server = serving
    assert server.asked("search", secret(program, OTHER, "--self"), query="quetzalcoatl").status == 200
    assert json.loads(server.got("/health").body) == {"status": "ok"}
    told = server.got("/metrics").body.decode()
    assert re.search(r'^memstore_requests_total\{command="search",status="200"\} [1-9]', told, re.MULTILINE)
    assert not re.search(r"quetzalcoatl|bob|ash|notes", told, re.IGNORECASE)


def test_if_the_database_is_away_the_local_index_answers_and_the_server_says_so(tmp_path: Path, engine: Engine) -> None:
    program = made(tmp_path, "notes", engine, {"tea.md": TEA})
    owner = secret(program, OWNER, "--self")
    with Serving(program, program.vault) as server:
        before = server.asked("search", owner, query="tea").document
        using(program, f"postgresql://admin@/nothing?host={tmp_path}")
        assert server.asked("search", owner, query="tea").document == before
        assert answered_here(server) == 1
        assert server.process.stderr
        assert "answered by the index on this machine" in server.process.stderr.readline()


def test_what_was_pushed_to_repositories_is_searched_together(tmp_path: Path, database: str) -> None:
    program = Pushing(tmp_path)
    program.ok("engine", "init", database)
    program.ok("config", "--user", "engine.url", database)
    assert "indexed notes" in program.push()
    repository = program.home / "notes.git"
    refused = program.run("engine", "serve", str(repository))
    hint = re.search(r"memstore --vault (\S+) mcp token add", refused.stderr)
    assert hint, refused.stderr
    second = program.home / "second"
    git(program.home, "init", "-q", "-b", "main", "second")
    program.ok("init", "--owner", "human:ann", str(second))
    program.ok("--vault", str(second), "add", "Tea with lemon.", "--title", "Lemon tea")
    tokens = [secret(program, "human:ann", "--self", folder=second.parent / folder) for folder in (hint[1], "second")]
    with Serving(program, repository, second) as server:
        both = server.asked("search", SEPARATOR.join(tokens), query="tea")
        assert [(hit.get("stack"), hit["title"]) for hit in both.document["results"]] in (
            [(None, "Tea"), ("second", "Lemon tea")],
            [("second", "Lemon tea"), (None, "Tea")],
        )
        alone = [server.asked("search", token, query="tea").document["results"] for token in tokens]
        assert sorted(hit["relevance_score"] for hit in both.document["results"]) == sorted(
            hit["relevance_score"] for hits in alone for hit in hits
        )
        assert server.asked("list", SEPARATOR.join(tokens)).status == 400
        assert server.asked("search", SEPARATOR.join(tokens), query="tea", at="2026-01-01").status == 400
        program.ok("add", "Tea at dawn.", "--title", "Dawn")
        program.push()
        assert server.asked("list", tokens[0]).document["total"] == 2


def test_a_vault_that_is_pushed_later_is_found_by_a_token_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Pushing(tmp_path)
    env = Environment(program.environment, program.vault, program.home, "tester")
    folders = [str(program.vault)]
    there = Answering(env, lambda: served_vaults(env, folders))
    program.ok("init", "--owner", "human:ann", str(program.home / "second"))
    token = secret(program, "human:ann", "--self", folder=program.home / "second")
    folders.append(str(program.home / "second"))
    assert (there.reply(token, "list", b"").status, there.count) == (401, 1)
    monkeypatch.setattr("memstore.broker.answering.LOOK_AGAIN_SECONDS", 0)
    assert (there.reply(token, "list", b"").status, there.count) == (200, 2)
    folders.append(str(program.home / "nowhere"))
    assert there.reply("x", "list", b"").status == 401
    assert there.reply(token, "list", b"").status == 200


@pytest.mark.parametrize("seed", [5, 100000])
def test_what_is_hidden_makes_no_difference_here_either(
    tmp_path: Path, engine: Engine, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memstore.core.clock.SystemClock.now", lambda _: NOW)
    case = drawn(Random(seed))  # noqa: S311 - chance, not secrecy
    program = made(tmp_path / "whole", "notes", engine, case.files)
    token = secret(program, case.viewer, *(("--context", case.context) if case.context else ("--self",)))
    told = answers(program, token)
    view = opened(program, entity=case.viewer, context=case.context).view()
    seen = {view.column("path")[row] for row in view.rows}
    shown = {
        path: data for path, data in case.files.items() if path in seen or not re.match("[ab]/|broken|plain", path)
    }
    assert len(shown) < len(case.files)
    less = made(tmp_path / "less", "notes", engine, shown)
    other = secret(less, case.viewer, *(("--context", case.context) if case.context else ("--self",)))
    assert answers(less, other) == told


def answers(program: InProcess, token: str) -> list[str]:
    notices: list[str] = []
    env = Environment(program.environment, program.vault, program.home, "tester", on_notice=notices.append)
    answering = Answering(env, lambda: served_vaults(env, [str(program.vault)]))
    asked: list[tuple[str, dict[str, object]]] = [
        ("list", {"status": ["all"]}),
        ("list", {"stats": True}),
        ("search", {"query": "tea", "explain": ""}),
        ("recall", {"prompt": "tea on the lake"}),
    ]
    asked += [("search", {"query": word, "facets": ["type", "tag"]}) for word in ("tea", "heart lake", "bot")]
    asked += [("trace", {"ref": f"m_aa{kind}000000{number}"}) for kind in "ab" for number in range(4)]
    replies = [answering.reply(token, verb, json.dumps(options).encode()) for verb, options in asked]
    assert notices == []
    return [f"{json.dumps(one.document)} {one.status} {one.commits}" for one in replies]


# -- a client that ranks in the broker's blocks ----------------------------------------------------


@pytest.fixture
def client(serving: tuple[InProcess, Serving], tmp_path: Path) -> InProcess:
    """A clone of the vault that is served, whose user's settings name the broker and the owner's token."""
    program, server = serving
    there = InProcess(tmp_path)
    git(tmp_path, "clone", "-q", str(program.vault), str(there.vault))
    using(there, server.url)
    there.ok("config", "--user", "engine.token", secret(program, OWNER, "--self"))
    return there


def test_a_client_ranks_in_what_the_broker_hands_out_as_in_its_own_index(
    serving: tuple[InProcess, Serving], client: InProcess
) -> None:
    assert "ms_" not in client.ok("config", "--user")
    random, notices = Random(7), list[str]()  # noqa: S311 - chance, not secrecy
    there, here = by_both(opened(client, notices), random)
    assert there == here
    put(client, {"mint.md": memory_text("Mint tea.\n", id="m_0000000005", title="Mint"), "tea.md": TEA + b"Green.\n"})
    (client.vault / "cup.md").unlink()
    there, here = by_both(opened(client, notices), random)
    assert (there == here, notices) == (True, [])
    before = handed_to(serving[1])
    assert client.run("search", "quetzalcoatl").stderr == ""
    assert handed_to(serving[1]) > before


def handed_to(server: Serving) -> int:
    """Return how often blocks were handed out."""
    [told] = re.findall(r'command="blocks",status="200"} (\d+)', server.got("/metrics").body.decode())
    return int(told)


@pytest.mark.parametrize(
    ("url", "token", "why"),
    [
        (None, "ms_nobody", "the broker doesn't know the token (engine.token in your settings)"),
        (None, "OTHER", "only the vault's owner may be handed its index (ask the owner)"),
        ("http://127.0.0.1:1", None, "the broker doesn't answer"),
        ("http://db.example.org", None, "a broker on another machine is asked by https"),
        ("https://127.0.0.1:no", None, "is no address"),
    ],
)
def test_where_the_broker_hands_out_nothing_the_local_index_answers(
    serving: tuple[InProcess, Serving], client: InProcess, url: str | None, token: str | None, why: str
) -> None:
    program, server = serving
    using(client, url or server.url)
    if token:
        client.ok("config", "--user", "engine.token", token.replace("OTHER", secret(program, OTHER, "--self")))
    done = client.run("search", "tea")
    assert ("tea.md" in done.stdout, why in done.stderr) == (True, True), done.stderr


def test_nobody_is_handed_what_is_for_others_alone(
    serving: tuple[InProcess, Serving], engine: Engine, tmp_path: Path
) -> None:
    program, server = serving
    owner, other = secret(program, OWNER, "--self"), secret(program, OTHER, "--self")
    roots = git(program.vault, "rev-list", "--max-parents=0", "main").split()
    handed = json.loads(server.asked("index", owner, roots=roots).body)
    assert server.asked("index", owner, roots=["0" * 40]).status == 404
    assert server.asked("index", secret(program, OWNER), roots=roots).status == 403  # somebody may be listening
    refused = {server.asked("index", other, roots=some) for some in (roots, [], ["0" * 40])}
    assert [one.status for one in refused] == [403]
    asked = {"ticket": handed["ticket"], "vault": handed["vault"]}
    cells = server.asked("blocks", owner, **asked, cells=0)
    assert (cells.status, b"null" in cells.body) == (200, False)
    for wrong in (
        {"ticket": "0" * 64, "vault": handed["vault"], "cells": 0},
        asked | {"rows": ["text", "", "count(*)", None]},
        asked | {"rows": ["text", "", "counted", ["0); DROP TABLE memstore.block"]]},
        asked | {"rows": ["text", "no base64", "counted", None]},
        asked | {"terms": "é"},
        asked | {"ticket": handed["ticket"][1:], "terms": ""},
        asked,
    ):
        told = server.asked("blocks", owner, body=json.dumps(wrong).encode())
        assert told.status in (400, 503), told
    assert server.asked("blocks", None, **asked, cells=0).status == 401
    others = made(tmp_path / "o", "ours", engine, {"bobs.md": memory_text("Tea.\n", id="m_0000000008", owner=OTHER)})
    env = Environment(others.environment, others.vault, others.home, "tester")
    token = secret(others, OWNER, "--self")
    roots = git(others.vault, "rev-list", "--max-parents=0", "main").split()
    there = Answering(env, lambda: served_vaults(env, [str(others.vault)]))
    reply = there.reply(token, "index", json.dumps({"roots": roots}).encode())
    assert (reply.status, "for others alone" in str(reply.document)) == (403, True)
