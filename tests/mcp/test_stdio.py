"""The installed server, at whose pipe anything may come in, or nobody sits any more."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from resource import RUSAGE_CHILDREN, getrusage
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from memstore.mcp.stdio import SOON_SECONDS
from tests.installed import MEMSTORE
from tests.mcp.serving import ENVELOPE, Wire, sample, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.whole.program import InProcess

pytestmark = pytest.mark.soak(12, together=True)

QUESTION = "what did the vet say about Bella"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> InProcess:
    program = sample(tmp_path_factory.mktemp("served"))
    program.ok("list")
    return program


@pytest.fixture(params=[True, False], ids=["2026-07-28", "2025-11-25"])
def wire(vault: InProcess, request: pytest.FixtureRequest) -> Iterator[Wire]:
    with Wire(vault, "--self", modern=request.param) as wire:
        yield wire


def is_well(wire: Wire) -> bool:
    """Whether the server goes on."""
    return "Bella" in words_of(wire.call("memory_search", query="Bella", limit=1))


def test_one_line_is_one_message(wire: Wire) -> None:
    text = "Zwei Zeilen:\nTee \u2028 und 🐕"
    made = wire.call("memory_add", text=text)
    assert not made["isError"]
    shown = wire.call("memory_get", ref=made["structuredContent"]["ref"])
    assert shown["structuredContent"]["body"].strip() == text
    wire.call("memory_forget", action="archive", refs=[made["structuredContent"]["ref"]])


@pytest.mark.soak(3)
@pytest.mark.parametrize("line", [b"{\n", b"\xff\xfe\n", b"[[[[\n", b'"text"\n', b"[" * 200_000 + b"\n"])
def test_what_is_no_message_harms_nothing(wire: Wire, line: bytes) -> None:
    wire.send(line)
    assert wire.received()["error"]["code"] in (-32700, -32600)
    wire.send(b"\n  \r\n")
    assert is_well(wire)


def test_a_byte_order_mark_is_no_error(wire: Wire) -> None:
    wire.send(b"\xef\xbb\xbf\n")
    request = wire.request("tools/list")
    wire.send(b"\xef\xbb\xbf" + json.dumps(request).encode() + b"\n")
    assert wire.received()["id"] == request["id"]


@pytest.mark.soak(2)
def test_a_message_of_10_megabytes_is_an_answer_of_a_few_words(wire: Wire) -> None:
    answer = wire.call("memory_add", text="x" * 10_000_000)
    assert answer["isError"]
    assert len(words_of(answer)) < 1_000
    answer = wire.call("memory_search", query="y " * 5_000_000)
    assert len(words_of(answer)) < 1_000
    assert is_well(wire)


def test_a_line_without_end_is_not_kept(wire: Wire) -> None:
    for _ in range(20):
        wire.stdin.write(b"z" * 1_000_000)
    wire.send(b"\n")
    answer = wire.received()
    assert answer["id"] is None
    assert "at most 16,777,216 bytes" in answer["error"]["message"]
    assert is_well(wire)


@pytest.mark.soak(2)
def test_a_flood_is_answered_one_after_the_other(wire: Wire) -> None:
    requests = [wire.request("tools/call", name="memory_get", arguments={"ref": f"m_{n}"}) for n in range(100)]

    def send_all() -> None:
        for request in requests:
            wire.send(request)

    sender = threading.Thread(target=send_all)
    sender.start()
    assert [wire.received()["id"] for _ in requests] == [request["id"] for request in requests]
    sender.join()
    assert is_well(wire)


def test_it_ends_when_there_is_nothing_more_to_come(wire: Wire) -> None:
    assert is_well(wire)
    wire.stdin.close()
    assert wire.process.wait(20) == 0
    assert wire.stdout.read() == b""


def test_half_a_line_at_the_end_is_a_line(vault: InProcess) -> None:
    done = subprocess.run(
        [str(MEMSTORE), "mcp"],
        cwd=vault.vault,
        env=vault.environment,
        input=b'{"jsonrpc":',
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["error"]["code"] == -32700


def test_it_ends_when_nobody_reads(vault: InProcess) -> None:
    with Wire(vault, "--self") as wire:
        assert is_well(wire)
        wire.stdout.close()
        for number in range(200):
            try:
                wire.send(wire.request("tools/call", name="memory_get", arguments={"ref": f"m_{number}"}))
            except BrokenPipeError:
                break
        assert wire.process.wait(20) == 0
        assert wire.process.stderr
        assert b"Traceback" not in wire.process.stderr.read()


@pytest.mark.parametrize(("closed", "name"), [("<&-", "input"), (">&-", "output")])
def test_a_closed_stream_is_an_error_like_any_other(vault: InProcess, closed: str, name: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", str(MEMSTORE), "mcp", "--self"],
        cwd=vault.vault,
        env=vault.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, f"memstore: standard {name} is closed" in done.stderr) == (2, True), done


def test_ctrl_c_ends_it(wire: Wire) -> None:
    assert is_well(wire)
    wire.process.send_signal(signal.SIGINT)
    assert wire.process.wait(20) == 130
    assert wire.process.stderr
    assert wire.process.stderr.read().splitlines()[-1:] == [b"memstore: interrupted"]


# -- while a tool runs -------------------------------------------------------------------------------


class SlowWire(Wire):
    """A server whose `memory_add` ends only once `finish` is called."""

    def __init__(self, vault: InProcess) -> None:
        place = vault.home / "slow"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        self._armed, self._begun, self._gate = (place / name for name in ("armed", "begun", "gate"))
        wait = f"[ -e {self._armed} ] && {{ : > {self._begun}; while [ ! -e {self._gate} ]; do sleep 0.02; done; }}"
        (place / "git").write_text(f'#!/bin/sh\n{wait}\nexec {shutil.which("git")} "$@"\n')
        (place / "git").chmod(0o755)
        path = vault.environment["PATH"]
        with patch.dict(vault.environment, PATH=f"{place}:{path}"):
            super().__init__(vault, "--self", "--commit", modern=False)

    def begin(self, text: str) -> int:
        """Begin a slow call, and return its id when it runs."""
        self.arm()
        request = self.request("tools/call", name="memory_add", arguments={"text": text})
        self.send(request)
        until = time.monotonic() + 10
        while not self._begun.exists():
            assert time.monotonic() < until
            time.sleep(0.02)
        return int(request["id"])

    def arm(self) -> None:
        self._armed.touch()

    def cancel(self, number: int) -> None:
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})

    def finish(self) -> None:
        self._gate.touch()

    def __exit__(self, *_: object) -> None:
        self.finish()
        super().__exit__(*_)


@pytest.fixture
def slow(vault: InProcess) -> Iterator[SlowWire]:
    with SlowWire(vault) as slow:
        yield slow


def test_a_ping_is_answered_while_a_tool_runs(slow: SlowWire) -> None:
    number = slow.begin("Tea one")
    for _ in range(50):
        assert slow.asked("ping")["result"] == {}
    slow.finish()
    assert slow.received()["id"] == number


def test_the_answer_to_a_cancelled_call_is_not_sent(slow: SlowWire) -> None:
    running = slow.begin("Tea two")
    waiting = slow.request("tools/call", name="memory_add", arguments={"text": "Zwieback for breakfast"})
    slow.send(waiting)
    slow.cancel(running)
    slow.cancel(int(waiting["id"]))
    slow.cancel(12_345)
    slow.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}\n')
    slow.finish()
    assert "Tea two" in words_of(slow.call("memory_search", query="Tea two"))
    assert "for breakfast" not in words_of(slow.call("memory_search", query="Zwieback"))


def test_the_end_of_the_input_ends_a_call_that_was_begun_before(vault: InProcess, slow: SlowWire) -> None:
    slow.begin("Tea three")
    time.sleep(SOON_SECONDS)
    slow.stdin.close()
    assert slow.process.wait(2) == 0
    assert slow.stdout.read() == b""
    slow.finish()
    assert vault.run("check").returncode == 0


def test_the_end_of_the_input_ends_a_call_that_was_cancelled(slow: SlowWire) -> None:
    slow.cancel(slow.begin("Tea four"))
    slow.stdin.close()
    assert slow.process.wait(2) == 0


def test_who_asks_and_ends_the_input_at_once_is_answered(slow: SlowWire) -> None:
    request = slow.request("tools/call", name="memory_add", arguments={"text": "Tea five"})
    slow.arm()
    slow.send(request)
    slow.stdin.close()
    time.sleep(2 * SOON_SECONDS)
    slow.finish()
    assert slow.received()["id"] == request["id"]
    assert slow.process.wait(20) == 0


def test_ctrl_c_ends_a_call(slow: SlowWire) -> None:
    slow.begin("Tea six")
    slow.process.send_signal(signal.SIGINT)
    assert slow.process.wait(20) == 130


def ask_and_read_nothing(wire: Wire, method: str) -> None:
    """Ask for more than a pipe has room for, and then something else: an answer has 8 KB."""
    assert is_well(wire)
    for _ in range(30):
        wire.send(wire.request("tools/list"))
    time.sleep(2 * SOON_SECONDS)
    wire.send(wire.request(method))


@pytest.mark.parametrize("method", ["tools/list", "ping"])
def test_the_end_of_the_input_is_seen_while_nobody_reads_the_answers(wire: Wire, method: str) -> None:
    ask_and_read_nothing(wire, method)
    time.sleep(2 * SOON_SECONDS)
    wire.stdin.close()
    assert wire.process.wait(5) == 0


def test_a_ping_is_answered_once_somebody_reads(wire: Wire) -> None:
    ask_and_read_nothing(wire, "ping")
    ids = [wire.received()["id"] for _ in range(31)]
    assert sorted(ids) == [*range(ids[0], ids[0] + 31)]
    assert is_well(wire)


@pytest.mark.parametrize("end", ["stdin", "stdout"])
def test_a_client_that_waits_for_nothing_is_waited_for(vault: InProcess, end: str) -> None:
    (its_in, to_it), (from_it, its_out) = os.pipe(), os.pipe()
    os.set_blocking(its_in if end == "stdin" else its_out, False)
    server = subprocess.Popen(
        [str(MEMSTORE), "--self", "mcp"], cwd=vault.vault, env=vault.environment, stdin=its_in, stdout=its_out
    )
    for one in (its_in, its_out):
        os.close(one)
    with os.fdopen(to_it, "wb", 0) as asks, os.fdopen(from_it, "rb") as answers:
        time.sleep(2 * SOON_SECONDS)
        for number in range(30):
            line = {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": {"_meta": ENVELOPE}}
            asks.write(json.dumps(line).encode() + b"\n")
        time.sleep(2 * SOON_SECONDS)
        assert [json.loads(answers.readline())["id"] for _ in range(30)] == [*range(30)]
    assert server.wait(20) == 0


def test_what_is_started_meanwhile_writes_no_message(vault: InProcess) -> None:
    hook = vault.vault / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ncat\necho 'not a message'\nexit 0\n")
    hook.chmod(0o755)
    try:
        with Wire(vault, "--self", "--commit") as wire:
            made = wire.call("memory_add", text="Bella eats at noon")
            assert made["structuredContent"]["commit"]
            assert is_well(wire)
    finally:
        hook.unlink()


def test_a_vault_that_is_gone_is_an_error_like_any_other(vault: InProcess) -> None:
    with Wire(vault, "--self") as wire:
        assert is_well(wire)
        vault.vault.rename(vault.home / "elsewhere")
        try:
            answer = wire.call("memory_search", query="Bella")
            assert answer["isError"]
            assert "which does not exist" in words_of(answer)
        finally:
            (vault.home / "elsewhere").rename(vault.vault)
        assert is_well(wire)


def test_who_acts_is_fixed_when_it_starts(vault: InProcess) -> None:
    with Wire(vault, "--as", "human:sean", "--self") as wire:
        made = wire.call("memory_add", text="Sean was here")
        shown = wire.call("memory_get", ref=made["structuredContent"]["ref"])["structuredContent"]
        assert (shown["author"], shown["owner"]) == ("human:sean", "human:sean")
        assert wire.call("memory_add", text="x", **{"as": "si:ash"})["isError"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--vault", "nowhere"), "which is not a vault"),
        (("--as", "nobody"), "is not an entity id"),
        (("--context", "park"), "is not a context"),
        (("--read-only", "--commit"), "contradict each other"),
    ],
)
def test_what_can_not_be_served_is_said_before_anything_else(
    vault: InProcess, words: tuple[str, ...], said: str
) -> None:
    done = vault.run("mcp", *words, stdin="")
    assert done.returncode in (2, 5)
    assert said in done.stderr
    assert done.stdout == ""


def test_the_first_answer_takes_no_more_than_two_searches(vault: InProcess) -> None:
    def cpu_of(*words: str, stdin: bytes = b"") -> float:
        before = getrusage(RUSAGE_CHILDREN)
        subprocess.run(
            [str(MEMSTORE), *words],
            cwd=vault.vault,
            env=vault.environment,
            input=stdin,
            capture_output=True,
            check=True,
        )
        after = getrusage(RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    with Wire(vault) as wire:
        requests = [
            wire.request("server/discover"),
            wire.request("tools/call", name="memory_search", arguments={"query": QUESTION}),
        ]
    lines = b"".join(json.dumps(request).encode() + b"\n" for request in requests)
    served = min(cpu_of("mcp", "--self", stdin=lines) for _ in range(3))
    searched = min(cpu_of("search", QUESTION) for _ in range(3))
    assert served <= 2 * searched


def test_two_servers_write_at_once(vault: InProcess) -> None:
    with Wire(vault, "--self") as one, Wire(vault, "--self", modern=False) as other:
        refs = []
        for number in range(5):
            requests = [
                wire.request("tools/call", name="memory_add", arguments={"text": f"Tea {number} of {name}"})
                for wire, name in ((one, "one"), (other, "other"))
            ]
            for wire, request in zip((one, other), requests, strict=True):
                wire.send(request)
            refs += [wire.received()["result"]["structuredContent"]["ref"] for wire in (one, other)]
        assert len({*refs}) == 10
        assert not one.call("memory_forget", action="archive", refs=refs)["isError"]
