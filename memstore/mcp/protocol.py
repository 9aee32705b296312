"""JSON-RPC messages of the Model Context Protocol, in both of its eras, translated to and from calls of the server.

Since 2026-07-28, each request names its protocol version and there is no handshake; up to 2025-11-25, a connection
begins with `initialize`. Each request is answered in its own era, even if one connection mixes both.
"""

from __future__ import annotations

import json
from math import ceil
from typing import TYPE_CHECKING, Any

from memstore.agents import skill
from memstore.mcp import resources
from memstore.mcp.prompts import PROMPTS, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstore.mcp.prompts import Prompt
    from memstore.mcp.server import Server

MODERN = ("2026-07-28",)
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")

# Error codes of JSON-RPC, and of MCP 2026-07-28.
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
UNSUPPORTED_VERSION = -32022

_META = "io.modelcontextprotocol/"
_VERSION, _CAPABILITIES, _SERVER = f"{_META}protocolVersion", f"{_META}clientCapabilities", f"{_META}serverInfo"
_SKILLS = f"{_META}skills"  # the extension that serves skills, SEP-2640
_HOUR_MS = 3_600_000
_NO_RESOURCE = -32002  # up to 2025-11-25; later versions use INVALID_PARAMS
_MARKDOWN = "text/markdown"
_MOST_VALUES = 100

Json = dict[str, Any]


class ProtocolError(Exception):
    """A problem with a message, as a JSON-RPC error: code, message and data."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Conversation:
    """The messages of one connection.

    Args:
        server: the server that answers.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._version: str | None = None  # negotiated by `initialize`
        self.notify: Callable[[bytes], object] | None = None  # sends a notification, where that is possible

    def answered(self, line: bytes) -> bytes | None:
        """Return the answer to a line, as a line without its line feed; None if no answer is due."""
        message = parsed(line)
        if isinstance(message, ProtocolError):
            return refused(message)
        return self.answered_message(message)

    def answered_message(self, message: object) -> bytes | None:
        """Return the answer to a message that was parsed, as `answered` does."""
        if isinstance(message, list) and self._version == "2025-03-26":  # the one version with batches
            answers = [answer for one in message if (answer := self.answer(one)) is not None]
            return _message_bytes(answers) if answers else None
        answer = self.answer(message)
        return None if answer is None else _message_bytes(answer)

    def answer(self, message: object) -> Json | None:
        """Return the answer to a message; None for a notification, and for a response, since nothing was requested."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return _error(None, ProtocolError(INVALID_REQUEST, "a message is a JSON-RPC 2.0 object"))
        number = message.get("id", 0)
        if isinstance(number, bool) or not isinstance(number, str | int):
            return _error(None, ProtocolError(INVALID_REQUEST, "an id is a text or a whole number"))
        if ("method" in message and "id" not in message) or "result" in message or "error" in message:
            return None
        try:
            return {"jsonrpc": "2.0", "id": number, "result": self._result(message)}
        except ProtocolError as error:
            return _error(number if "id" in message else None, error)

    def _result(self, request: Json) -> Json:
        method, params = request.get("method"), request.get("params", {})
        if not isinstance(method, str):
            raise ProtocolError(INVALID_REQUEST, "a request names its method")
        if not isinstance(params, dict):
            raise ProtocolError(INVALID_PARAMS, "params is an object")
        return self._modern(method, params) if _has_envelope(params) else self._legacy(method, params)

    # -- the two eras ---------------------------------------------------------------------------------

    def _modern(self, method: str, params: Json) -> Json:
        meta = params["_meta"]
        version = meta[_VERSION]
        if not isinstance(version, str) or not isinstance(meta.get(_CAPABILITIES), dict):
            raise ProtocolError(INVALID_PARAMS, f"params._meta needs {_VERSION} and {_CAPABILITIES}")
        if version not in MODERN:
            data = {"supported": [*MODERN, *HANDSHAKE], "requested": version}
            raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
        if method == "server/discover":
            about = self._about()
            about["capabilities"] = {**about["capabilities"], "extensions": {_SKILLS: {}}}
            result: Json = {"supportedVersions": [*MODERN, *HANDSHAKE], **about, **_kept_for(_HOUR_MS)}
        else:
            make, kept_ms = self._method(method)
            result = {**make(params), **({} if kept_ms is None else _kept_for(kept_ms))}
        return {"resultType": "complete", **result, "_meta": {_SERVER: _server_info()}}

    def _legacy(self, method: str, params: Json) -> Json:
        if method == "initialize":
            wanted = params.get("protocolVersion")
            self._version = wanted if wanted in HANDSHAKE else HANDSHAKE[-1]
            return {"protocolVersion": self._version, "serverInfo": _server_info(), **self._about()}
        if method == "ping":
            return {}
        if self._version is None:
            need = (
                f"{_VERSION} and {_CAPABILITIES} in params._meta (2026-07-28), or `initialize` first (up to 2025-11-25)"
            )
            raise ProtocolError(INVALID_PARAMS, f"this request has no protocol version: it needs {need}")
        return self._method(method)[0](params)

    def _about(self) -> Json:
        capabilities: Json = {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}
        return {"capabilities": capabilities, "instructions": self._server.instructions}

    def result(self, method: str, params: Json) -> Json:
        """Return the bare result of a method, without message envelope or era-specific fields.

        Raises:
            ProtocolError: the request can't be served.
        """
        return self._method(method)[0](params)

    def _method(self, method: str) -> tuple[Callable[[Json], Json], int | None]:
        """Return the handler of a method, and how many milliseconds a client may cache its result; None for never."""
        methods: Mapping[str, tuple[Callable[[Json], Json], int | None]] = {
            "tools/list": (self._tools, _HOUR_MS),
            "tools/call": (self._call, None),
            "resources/list": (self._resources, _HOUR_MS),
            "resources/templates/list": (self._templates, _HOUR_MS),
            "resources/read": (self._read, 0),
            "skills/list": (self._skills, _HOUR_MS),
            "skills/get": (self._skill, _HOUR_MS),
            "prompts/list": (self._prompts, _HOUR_MS),
            "prompts/get": (self._prompt, None),
            "completion/complete": (self._completions, None),
        }
        if method not in methods:
            raise ProtocolError(METHOD_NOT_FOUND, f"there is no method `{method}` here", method)
        return methods[method]

    # -- tools -----------------------------------------------------------------------------------------

    def _tools(self, _: Json) -> Json:
        from memstore.mcp.tools import listed

        return {"tools": [listed(tool) for tool in self._server.tools]}

    def _call(self, params: Json) -> Json:
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str) or not self._server.has(name):
            raise ProtocolError(INVALID_PARAMS, f"there is no tool `{name}` here; tools/list lists them")
        if arguments is not None and not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, "arguments is an object")
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        if self.notify and isinstance(token, str | int) and not isinstance(token, bool):
            self._server.on_progress = _Progress(self.notify, token)
        try:
            answer = self._server.call(name, arguments or {})
        finally:
            self._server.on_progress = None
        return {
            "content": [{"type": "text", "text": answer.text}],
            "structuredContent": answer.document,
            "isError": answer.failed,
        }

    # -- resources, prompts, completions ---------------------------------------------------------------

    def _resources(self, _: Json) -> Json:
        about = "What to have in mind when a session begins: what is pinned, believed, new, and waiting."
        brief = {"uri": resources.BRIEF, "name": "brief", "description": about, "mimeType": _MARKDOWN}
        return {"resources": [brief, {"uri": skill.URI, **skill.frontmatter(), "mimeType": _MARKDOWN}]}

    def _templates(self, _: Json) -> Json:
        about = "One memory, by its ref: its keys, its numbers, its text."
        template = {"uriTemplate": resources.TEMPLATE, "name": "memory", "description": about, "mimeType": "text/plain"}
        return {"resourceTemplates": [template]}

    def _read(self, params: Json) -> Json:
        uri = _text(params, "uri")
        if uri == skill.URI:
            return {"contents": [{"uri": uri, "mimeType": _MARKDOWN, "text": skill.skill().decode()}]}
        answer = resources.read(self._server, uri)
        if answer.failed:
            code = INVALID_PARAMS if _has_envelope(params) else _NO_RESOURCE
            raise ProtocolError(code, answer.text, {"uri": uri, **answer.document})
        kind = _MARKDOWN if uri == resources.BRIEF else "text/plain"
        return {"contents": [{"uri": uri, "mimeType": kind, "text": answer.text}]}

    def _skills(self, _: Json) -> Json:
        return {"skills": [skill.entry()]}

    def _skill(self, params: Json) -> Json:
        uri = _text(params, "uri")
        if uri != skill.URI:
            raise ProtocolError(INVALID_PARAMS, f"there is no skill `{uri}` here; skills/list lists them", {"uri": uri})
        return {"skill": skill.entry()}

    @property
    def _offered_prompts(self) -> Mapping[str, Prompt]:
        """The prompts; each ends in something that is written, so there are none where nothing may be."""
        return {} if self._server.rules.read_only else PROMPTS

    def _prompts(self, _: Json) -> Json:
        listed = [
            {
                "name": name,
                "description": one.about,
                "arguments": [{"name": one.argument, "description": one.about_argument}],
            }
            for name, one in self._offered_prompts.items()
        ]
        return {"prompts": listed}

    def _prompt(self, params: Json) -> Json:
        prompt = self._prompt_of(params)
        given = params.get("arguments") or {}
        if not isinstance(given, dict) or not {*given} <= {prompt.argument}:
            raise ProtocolError(INVALID_PARAMS, f"this prompt takes `{prompt.argument}` and nothing else")
        value = None if prompt.argument not in given else _text(given, prompt.argument)
        message = {"role": "user", "content": {"type": "text", "text": text_of(prompt, value)}}
        return {"description": prompt.about, "messages": [message]}

    def _prompt_of(self, params: Json) -> Prompt:
        name, offered = _text(params, "name"), self._offered_prompts
        if name not in offered:
            raise ProtocolError(INVALID_PARAMS, f"there is no prompt `{name}` here; prompts/list lists them")
        return offered[name]

    def _completions(self, params: Json) -> Json:
        of, argument = params.get("ref"), params.get("argument")
        if not isinstance(of, dict) or not isinstance(argument, dict):
            raise ProtocolError(INVALID_PARAMS, "a completion has `ref` and `argument`")
        name, begun = _text(argument, "name"), _text(argument, "value")
        if of.get("type") == "ref/prompt":
            is_ref, complete = self._prompt_of(of).argument == name == "ref", resources.completed_suggestions
        elif of.get("type") == "ref/resource" and of.get("uri") == resources.TEMPLATE:
            is_ref, complete = name == "ref", resources.completed
        else:
            raise ProtocolError(INVALID_PARAMS, f"there is nothing to complete but prompts and {resources.TEMPLATE}")
        found = complete(self._server, begun) if is_ref else []
        return {"completion": {"values": found[:_MOST_VALUES], "hasMore": len(found) > _MOST_VALUES}}


class _Progress:
    """Tells a client how far a call is: what it does, and a number that grows by one with each piece of work.

    How many files there are is not told, as some of them may be hidden.

    Args:
        notify: sends a notification.
        token: the client's name for the call.
    """

    def __init__(self, notify: Callable[[bytes], object], token: str | int) -> None:
        self._notify, self._token = notify, token
        self._work, self._before, self._told = "", 0, 0.0

    def __call__(self, work: str, done: int, count: int) -> None:
        """Tell it, if there is more than was told before."""
        share = round(done / count, 2) if count else 1.0
        if work != self._work or self._before + share < self._told:
            self._work, self._before = work, ceil(self._told)
        if self._before + share > self._told:
            self._told = self._before + share
            params = {"progressToken": self._token, "progress": self._told, "message": work}
            self._notify(_message_bytes({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))


def _text(params: Json, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise ProtocolError(INVALID_PARAMS, f"`{name}` is a text, and has to be given")
    return value


def parsed(line: bytes) -> object:
    """Return the message in a line, or what is wrong with it."""
    try:
        return json.loads(line.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        return ProtocolError(PARSE_ERROR, f"this line is not JSON: {error}")


def refused(error: ProtocolError) -> bytes:
    """Return the answer to a line in which there is no message."""
    return _message_bytes(_error(None, error))


def too_long(most: int) -> bytes:
    """Return the answer to a line that has more than `most` bytes."""
    return refused(ProtocolError(INVALID_REQUEST, f"a message has at most {most:,} bytes"))


def _has_envelope(params: Json) -> bool:
    meta = params.get("_meta")
    return isinstance(meta, dict) and _VERSION in meta


def _kept_for(milliseconds: int) -> Json:
    """Return the fields that say how long a client may cache a result, for itself only."""
    return {"ttlMs": milliseconds, "cacheScope": "private"}


def _server_info() -> Json:
    from memstore import __version__

    return {"name": "memstore", "version": __version__}


def _error(number: str | int | None, error: ProtocolError) -> Json:
    data = {} if error.data is None else {"data": error.data}
    return {"jsonrpc": "2.0", "id": number, "error": {"code": error.code, "message": error.message, **data}}


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not a number")


def _message_bytes(answer: object) -> bytes:
    text = json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:  # a file name may contain bytes that are not UTF-8
        return json.dumps(answer, separators=(",", ":")).encode()
