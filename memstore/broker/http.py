"""The broker's door: HTTP on this machine, for clients here or behind a proxy; health and metrics need no token."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio.to_thread
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from memstore.broker.answering import HANDED, OFFERED, Reply
from memstore.core.errors import LockedError, UsageError
from memstore.mcp.call import failed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from socket import socket

    from starlette.requests import Request

    from memstore.broker.answering import Answering

HOST = "127.0.0.1"
MOST_BYTES = 1024 * 1024
MOST_WAITING = 100
# What is being answered when the server is told to stop has a little longer than an answer may take.
_GRACE_SECONDS = 25
_BEARER = "bearer "
_OTHER = "other"


class Metrics:
    """Counts what was asked, by command and status: no name of a vault, a memory or a person."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[str] = Counter()  # a Counter of floats: what nobody asked for took 0 s
        self.answered_here = 0

    def note(self, verb: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests[verb, status] += 1
        self._seconds[verb] += seconds  # type: ignore[assignment]

    def note_local(self) -> None:
        """Count that the index on this machine had to answer."""
        self.answered_here += 1

    def lines(self, *, waiting: int, vaults: int) -> Iterator[str]:
        """Yield them in Prometheus' text format."""
        yield from _gauge("memstore_waiting", "gauge", "Requests that wait for their turn.", waiting)
        yield from _gauge("memstore_vaults", "gauge", "Vaults that are served.", vaults)
        told = "Views that were answered by the index on this machine, not by the database."
        yield from _gauge("memstore_answered_here_total", "counter", told, self.answered_here)
        yield from ("# HELP memstore_requests_total Requests answered.", "# TYPE memstore_requests_total counter")
        for (verb, status), count in sorted(self._requests.items()):
            yield f'memstore_requests_total{{command="{verb}",status="{status}"}} {count}'
        yield from ("# HELP memstore_request_seconds Time of requests.", "# TYPE memstore_request_seconds summary")
        for verb, seconds in sorted(self._seconds.items()):
            yield f'memstore_request_seconds_sum{{command="{verb}"}} {seconds:.6f}'
            count = sum(count for (one, _), count in self._requests.items() if one == verb)
            yield f'memstore_request_seconds_count{{command="{verb}"}} {count}'


def _gauge(name: str, kind: str, told: str, value: int) -> Iterator[str]:
    yield from (f"# HELP {name} {told}", f"# TYPE {name} {kind}", f"{name} {value}")


class Door:
    """What answers at each address.

    Args:
        answering: answers requests; one runs at a time, in a thread.
        metrics: counts them.
    """

    def __init__(self, answering: Answering, metrics: Metrics) -> None:
        self._answering, self._metrics = answering, metrics
        self._turn = anyio.CapacityLimiter(1)

    async def command(self, request: Request) -> Response:
        """Answer a command, by its name."""
        begun, verb = time.monotonic(), request.path_params["verb"]
        reply = await self._reply(request, verb)
        self._metrics.note(verb if verb in (*OFFERED, *HANDED) else _OTHER, reply.status, time.monotonic() - begun)
        headers = {"Memstore-Commit": ", ".join(reply.commits)} if reply.commits else {}
        if reply.status == 401:  # noqa: PLR2004 - of HTTP
            headers["WWW-Authenticate"] = "Bearer"
        # In ASCII: what is no Unicode in the path of a file has no other form.
        body = json.dumps(reply.document, allow_nan=False)
        return Response(body, reply.status, headers, "application/json")

    async def _reply(self, request: Request, verb: str) -> Reply:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return Reply(413, failed(UsageError(f"the body is longer than {MOST_BYTES:,} bytes")).document)
        if self._turn.statistics().tasks_waiting >= MOST_WAITING:
            return Reply(503, failed(LockedError("too many requests wait for their turn", hint="try again")).document)
        said = request.headers.get("authorization", "")
        secrets = said[len(_BEARER) :].strip() if said.lower().startswith(_BEARER) else ""
        return await anyio.to_thread.run_sync(self._answering.reply, secrets, verb, body, limiter=self._turn)

    async def health(self, _: Request) -> Response:
        """Say that requests are taken."""
        return JSONResponse({"status": "ok"})

    async def metrics(self, _: Request) -> Response:
        """Say how much was asked."""
        waiting = self._turn.statistics().tasks_waiting
        lines = self._metrics.lines(waiting=waiting, vaults=self._answering.count)
        return PlainTextResponse("".join(f"{line}\n" for line in lines), media_type="text/plain; version=0.0.4")


def serve(answering: Answering, metrics: Metrics, listening: socket) -> None:
    """Answer requests on a socket until the process is told to stop; what has begun is answered."""
    door = Door(answering, metrics)
    routes = [
        Route("/v1/{verb}", door.command, methods=["POST"]),
        Route("/health", door.health),
        Route("/metrics", door.metrics),
    ]
    config = uvicorn.Config(
        Starlette(routes=routes),
        log_level="error",
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # uvicorn raises it again at the end
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])
