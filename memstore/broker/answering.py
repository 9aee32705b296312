"""Runs commands for whoever brings tokens; each says of which vault, and to whom it is shown."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.access.stack import Mount
from memstore.access.tokens import BearerToken, Tokens
from memstore.core.errors import (
    Exit,
    MemstoreError,
    NotFoundError,
    OutOfTimeError,
    RefusedError,
    UsageError,
    VaultError,
)
from memstore.files.config_file import read_user_config
from memstore.history import HISTORY
from memstore.mcp import tools
from memstore.mcp.call import Call, failed
from memstore.mcp.server import Budget, stop_at_odd_texts, unfinished
from memstore.mcp.tools import Tool, Verb
from memstore.search.filters import Which
from memstore.vault.composition import open_to_serve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstore.broker.served import ServedVault
    from memstore.core.view import View
    from memstore.files.local_state import Environment
    from memstore.mcp.call import ToolAnswer

_WHICH = tuple(Which.__annotations__)
# What these commands take beside: files of the server's, other forms than documents, and searches through history.
OFFERED = {
    tool.name: tool
    for tool in (
        Tool(
            "search",
            "",
            {
                "": Verb(
                    "search", (*_WHICH, "at", "also", "limit", "by", "sort", "profile", "facets", "explain"), ("query",)
                )
            },
        ),
        Tool("list", "", {"": Verb("list", (*_WHICH, "at", "sort", "limit", "stats"))}),
        Tool("trace", "", {"": Verb("trace", ("reverse", "depth", "limit", "impact", "at"), ("ref",))}),
        Tool("recall", "", {"": Verb("recall", ("budget", "profile", "also", "scope"), ("prompt",))}),
    )
}
INDEX, BLOCKS = HANDED = ("index", "blocks")  # what a client ranks in itself
LOOK_AGAIN_SECONDS = 10  # for vaults that were pushed since, so that whoever guesses tokens costs no more
SEPARATOR = "."  # between the secrets of several tokens: none has it, and it may stand in a header
_STATUS = {
    Exit.USAGE: 400,
    Exit.REFUSED: 403,
    Exit.NOT_FOUND: 404,
    Exit.VAULT: 503,
    Exit.LOCKED: 503,
    Exit.INTERRUPTED: 503,
}


class Admission(NamedTuple):
    """A vault, and who is shown it."""

    served: ServedVault
    token: BearerToken


class Reply(NamedTuple):
    """An answer: its status, as HTTP has it, the document, and the commits that it is of, if its reader sees all."""

    status: int
    document: Mapping[str, Any]
    commits: tuple[str, ...] = ()


class Answering:
    """Answers requests, one after another.

    Args:
        env: the process's environment.
        find: returns the vaults; asked again for a token that opens none of those that are known.
    """

    def __init__(self, env: Environment, find: Callable[[], Sequence[ServedVault]]) -> None:
        self._env, self._find = env, find
        self._served: Sequence[tuple[ServedVault, Tokens]] = ()
        self._look()

    @property
    def count(self) -> int:
        """How many vaults are served."""
        return len(self._served)

    def _look(self) -> None:
        self._served = [(one, Tokens(self._env, one.folder)) for one in self._find()]
        self._looked_at = time.monotonic()

    def reply(self, secrets: str, verb: str, body: bytes) -> Reply:
        """Return the answer to a request: what a command answers, or the document of an error.

        Args:
            secrets: those of tokens, with dots between them.
            verb: the command.
            body: its options, as a JSON object.
        """
        try:
            admitted = self._admitted(secrets)
            return self._reply(admitted, verb, _arguments(body)) if admitted else Reply(401, _NO_TOKEN)
        except Exception as error:  # noqa: BLE001 - the outermost handler of a request
            return _reply_of(failed(error))

    def _reply(self, admitted: Sequence[Admission], verb: str, arguments: Mapping[str, object]) -> Reply:
        if verb in HANDED:
            return self._handed(admitted, verb, arguments)
        if verb not in OFFERED:
            raise NotFoundError(f"no `{verb}` is answered here", hint=", ".join(OFFERED))
        if len(admitted) > 1 and (verb != "search" or "at" in arguments):
            raise UsageError("only search, as of now, goes over several vaults", hint="bring one token")
        with ExitStack() as held:
            for tree in {one.served.tree for one in admitted if one.served.tree}:
                held.enter_context(tree.held())
            return self._answered(admitted, OFFERED[verb], arguments)

    def _admitted(self, secrets: str) -> list[Admission]:
        """Return what each of some secrets opens; nothing if any of them opens nothing."""
        found = self._opened_by(secrets)
        if not found and time.monotonic() - self._looked_at > LOOK_AGAIN_SECONDS:
            with suppress(MemstoreError):  # those that are known go on being served
                self._look()
            found = self._opened_by(secrets)
        return found

    def _opened_by(self, secrets: str) -> list[Admission]:
        brought = dict.fromkeys(secrets.split(SEPARATOR))
        found = [
            Admission(one, token) for each in brought for one, tokens in self._served if (token := tokens.brought(each))
        ]
        return found if len(found) == len(brought) else []

    def _handed(self, admitted: Sequence[Admission], verb: str, arguments: Mapping[str, object]) -> Reply:
        """Hand out the index of a vault, or blocks of it, to a client of its owner's; it ranks in them itself."""
        from memstore.engines.far import blocks_of, handed_out

        url = read_user_config(self._env.config_file).url or ""
        if not url.startswith("postgres"):
            raise VaultError("the broker has no database", hint="on the server: memstore config --user engine.url URL")
        if verb == BLOCKS:
            return Reply(200, blocks_of(url, arguments))
        roots = arguments.get("roots")
        views = [(ws, ws.view()) for ws in (_workspace(self._env, one, any_context=False) for one in admitted)]
        if not any(view.is_owners for _, view in views):
            views[0][1].require_owner("be handed its index")
        for ws, view in views:
            history = view.of(HISTORY)
            head = history.head() if view.is_owners else None
            if head and isinstance(roots, list) and any(root in roots for root in history.roots(head)):
                with ws.elsewhere.opened() as opened:
                    return Reply(200, handed_out(opened, ws))
        raise NotFoundError("none of these tokens is for that vault", hint="memstore mcp token add, on the server")

    def _answered(self, admitted: Sequence[Admission], tool: Tool, arguments: Mapping[str, object]) -> Reply:
        views: list[View] = []
        budget = Budget(None, time.monotonic)
        env = self._env._replace(on_progress=budget)

        def opened(any_context: bool, _: str | None) -> View:  # noqa: FBT001 - as `Call` calls it
            first, *others = admitted
            mounts = [
                Mount(one.served.name, "", view=_workspace(env, one, any_context=any_context).view()) for one in others
            ]
            ws = _workspace(env, first, any_context=any_context)
            views[:] = [ws._replace(along=tuple(mounts)).view(), *(one.view for one in mounts if one.view)]
            return views[0]

        words = tools.words_of(tool, tool.verbs[""], arguments)
        call = Call(env, opened)
        call.choices.json = True
        try:
            answer = call.run(tools.context_of(tool.name), words)
        except OutOfTimeError as stop:
            answer = failed(unfinished(stop))
        return _reply_of(answer, _commits(views))


def _workspace(env: Environment, one: Admission, *, any_context: bool) -> Any:
    who = one.token
    return open_to_serve(
        env,
        vault=str(one.served.folder),
        entity=who.entity,
        context=who.context,
        alone=who.alone,
        any_context=any_context,
        track=False,
    )


def _commits(views: Sequence[View]) -> tuple[str, ...]:
    """Return the commits that are checked out, if all of these views are their owners': a commit tells of all files."""
    if not all(view.is_owners for view in views):
        return ()
    return tuple(view.of(HISTORY).head() or _NO_COMMIT for view in views)


_NO_COMMIT = "none"
_NO_TOKEN = failed(
    RefusedError(
        "without a token that is known here, nothing is answered",
        hint="on the server: memstore --vault FOLDER mcp token add ENTITY",
    )
).document


def _reply_of(answer: ToolAnswer, commits: tuple[str, ...] = ()) -> Reply:
    status = _STATUS.get(answer.document["error"]["exit"], 500) if answer.failed else 200
    return Reply(status, answer.document, commits)


def _arguments(body: bytes) -> Mapping[str, object]:
    """Return the object that a body is; an empty body has none.

    Raises:
        UsageError: it is no JSON object.
    """
    try:
        found = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise UsageError("the body is no JSON object", hint='send the command\'s options: {"query": "tea"}')
    stop_at_odd_texts(found)
    return found
