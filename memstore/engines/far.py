"""An index that is read through a broker: `memstore engine serve` hands out blocks, and a client ranks in them.

Whoever is handed an index sees all that is in it, so that labels and contents are the same to them. The broker reads
in the name of a ticket, which opens one generation for a minute.
"""

from __future__ import annotations

import http.client
import json
from base64 import b64decode, b64encode
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memstore.core.errors import NotFoundError, RefusedError, UsageError, VaultError
from memstore.engines.blocks import BlockKey, decoded, encoded
from memstore.engines.engine_snapshot import COLUMNS_READ, Blocks, EngineSnapshot, SessionBlocks
from memstore.engines.tickets import reading
from memstore.vault.index_elsewhere import moment_there

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from memstore.engines.tickets import Broker
    from memstore.vault.workspace import Moment, Workspace

PATIENCE_SECONDS = 60
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_ERRORS = {403: RefusedError, 404: NotFoundError}


# -- at the broker -------------------------------------------------------------------------------


def handed_out(opened: Broker, ws: Workspace) -> dict[str, Any]:
    """Return what a client needs to read the index of a vault; raises as `Broker.of_all` does."""
    whole = opened.of_all(ws)
    return {"commit": opened.commit, "vault": whole.vault, "state": whole.state, "ticket": whole.ticket}


def blocks_of(url: str, asked: Mapping[str, object]) -> dict[str, Any]:
    """Return rows of blocks to whoever has a ticket.

    Args:
        url: the address of the database.
        asked: ticket, vault, and what is read: `rows` of a key, the `terms` with a prefix, or the `cells` of a number.

    Raises:
        UsageError: that is no question.
        ChangedMeanwhileError: the ticket opens nothing, or nothing any more.
    """
    match asked:
        case {"ticket": str(ticket), "vault": int(vault), "rows": [str(name), str(term), str(columns), spans]} if (
            columns in COLUMNS_READ and (spans is None or isinstance(spans, list))
        ):
            key = BlockKey(name, _bytes(term))
            with reading(url, ticket) as opened:
                return {"rows": [[*map(_sent, row)] for row in SessionBlocks(opened, vault).rows(key, columns, spans)]}
        case {"ticket": str(ticket), "vault": int(vault), "terms": str(prefix)}:
            with reading(url, ticket) as opened:
                return {"terms": SessionBlocks(opened, vault).terms(decoded(_bytes(prefix)))}
        case {"ticket": str(ticket), "vault": int(vault), "cells": int(number)}:
            with reading(url, ticket) as opened:
                cells = SessionBlocks(opened, vault).cells(number)
                return {"cells": cells and [*map(_sent, cells)]}
        case _:
            raise UsageError("that is no question about blocks", hint="a client of another version may ask so")


def _bytes(sent: str) -> bytes:
    try:
        return b64decode(sent, validate=True)
    except ValueError as error:
        raise UsageError("that is no question about blocks") from error


def _sent(value: bytes | int) -> str | int:
    return value if isinstance(value, int) else b64encode(value).decode()


def _received(value: str | int) -> bytes | int:
    return value if isinstance(value, int) else b64decode(value)


# -- at the client -------------------------------------------------------------------------------


class _Line:
    """A connection to a broker."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
            raise UsageError("a broker on another machine is asked by https", hint="engine.url in your settings")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        try:
            self._connection = kind(parts.hostname or "", parts.port, timeout=PATIENCE_SECONDS)
        except ValueError as error:
            raise UsageError(f"{url} is no address: {error}", hint="https://host/") from error
        self._path = f"{parts.path.rstrip('/')}/v1/"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def asked(self, verb: str, **said: object) -> dict[str, Any]:
        """Return what the broker answers.

        Raises:
            MemstoreError: it doesn't, or refuses.
        """
        try:
            self._connection.request("POST", self._path + verb, json.dumps(said), self._headers)
            answer = self._connection.getresponse()
            found = json.loads(answer.read())
        except (OSError, ValueError, http.client.HTTPException) as error:
            self.close()
            raise VaultError(f"the broker doesn't answer: {error or type(error).__name__}", hint="is it up?") from error
        if answer.status == http.client.OK and isinstance(found, dict):
            return found
        if answer.status == http.client.UNAUTHORIZED:
            raise VaultError("the broker doesn't know the token", hint="engine.token in your settings")
        told = found.get("error") if isinstance(found, dict) else None
        message = str(told["message"]) if told else f"it answers {answer.status}"
        raise _ERRORS.get(answer.status, VaultError)(f"the broker refused: {message}", hint=told and told["hint"])

    def close(self) -> None:
        self._connection.close()


class FarBlocks(Blocks):
    """The blocks that a ticket opens, asked of a broker."""

    def __init__(self, line: _Line, vault: int, ticket: str) -> None:
        super().__init__(vault)
        self._line, self._said = line, {"ticket": ticket, "vault": vault}

    def rows(self, key: BlockKey, columns: str, spans: Sequence[int] | None = None) -> Iterator[tuple[Any, ...]]:
        """See `Blocks`."""
        asked = [key.field, b64encode(key.term).decode(), columns, spans and [*spans]]
        for row in self._line.asked("blocks", **self._said, rows=asked)["rows"]:
            yield tuple(map(_received, row))

    def terms(self, prefix: str) -> list[str]:
        """See `Blocks`."""
        return [*self._line.asked("blocks", **self._said, terms=_sent(encoded(prefix)))["terms"]]

    def cells(self, number: int) -> list[bytes] | None:
        """See `Blocks`."""
        found = self._line.asked("blocks", **self._said, cells=number)["cells"]
        return found and [b64decode(one) for one in found]


class FarIndex:
    """The index of a vault, of which the reader sees all; see `index_elsewhere.IndexedThere`."""

    def __init__(self, commit: str, snapshot: EngineSnapshot) -> None:
        self.commit, self.labels = commit, snapshot

    def moment(self, ws: Workspace) -> AbstractContextManager[Moment]:
        """Return what opens all that the actor may see; raises as `contents` does."""
        return moment_there(ws, self.labels, self.contents)

    @contextmanager
    def contents(self, rows: Collection[int], but: Collection[int] = ()) -> Iterator[EngineSnapshot]:
        """Yield the same snapshot.

        Raises:
            RefusedError: who looks here sees only a part of it.
        """
        catalog = self.labels.catalog
        whole = {*catalog.memories, *catalog.plain, *catalog.broken, *catalog.sealed}
        if not whole <= {*rows, *but}:
            raise RefusedError("who looks here sees less than whom the token stands for")
        yield self.labels


@contextmanager
def far_index(url: str, token: str | None, roots: Callable[[], Sequence[str]]) -> Iterator[FarIndex]:
    """Yield the index of the vault whose history begins with one of these commits.

    Raises:
        NotFoundError: the tokens are for other vaults.
        MemstoreError: the broker doesn't answer, or refuses.
    """
    if token is None:
        raise UsageError("your settings have no token for the broker", hint="engine.token, in a file for you alone")
    line = _Line(url, token)
    try:
        told = line.asked("index", roots=[*roots()])
        yield FarIndex(told["commit"], EngineSnapshot(FarBlocks(line, told["vault"], told["ticket"]), told["state"]))
    finally:
        line.close()
