"""Memories as resources, `memory://REF`; the brief for the start of a session; and the completion of refs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from memstore.agents.hook_events import QUOTED
from memstore.cli.output import safe_line
from memstore.conflicts.candidates import MOST_SHOWN
from memstore.conflicts.open_pairs import concerns, taken
from memstore.core.config import GLOBAL_SCOPE
from memstore.core.errors import NotFoundError, UsageError
from memstore.mcp.call import ToolAnswer, failed
from memstore.mcp.concerns import line_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memstore.mcp.server import Server

SCHEME = "memory://"
BRIEF = f"{SCHEME}brief"
TEMPLATE = f"{SCHEME}{{ref}}"

# Nobody asked for the brief with a question that external words could answer.
_OWN = "--where=source_type != external"
# The sections of the brief: heading, command, and the command's arguments.
_PARTS = (
    ("Pinned", "list", ("--where=importance = pinned", _OWN, "--limit=10")),
    ("Most certain", "list", ("--type=belief", _OWN, "--sort=confidence", "--limit=5")),
    ("Most recent", "list", (_OWN, "--limit=5")),
    ("Waiting for a decision", "beliefs suggestions list", ()),
)


def read(server: Server, uri: str) -> ToolAnswer:
    """Return a resource as its command prints it, without notes; a failure if it doesn't exist or may not be seen."""
    try:
        with server.in_time():
            return _read(server, uri)
    except Exception as error:  # noqa: BLE001 - the outermost handler of a resource
        return failed(error, given=[uri])


def _read(server: Server, uri: str) -> ToolAnswer:
    if uri == BRIEF:
        return _brief(server, server.scopes)
    if not uri.startswith(SCHEME):
        return failed(NotFoundError(f"no memory matches `{uri}`", hint=f"a resource is {TEMPLATE} or {BRIEF}"))
    answer = server.run("show", ["--", unquote(uri.removeprefix(SCHEME))])
    return answer if answer.failed else answer._replace(notes=())


def brief_of(server: Server, scopes: Sequence[str]) -> str:
    """Return the brief of some scopes, of all if none is named; empty if there is nothing to have in mind.

    Raises:
        UsageError: it can't be read.
    """
    answer = _brief(server, scopes)
    if answer.failed:
        raise UsageError(answer.lines[0].removeprefix("memstore: "))
    return answer.text if answer.text != QUOTED else ""


def _brief(server: Server, scopes: Sequence[str]) -> ToolAnswer:
    parts, is_in = [QUOTED], _in_scopes(server, scopes)
    for heading, command, words in _PARTS:
        chosen = [f"--scope={one}" for one in scopes if command == "list"]
        answer = server.run(command, [*words, *chosen])
        if answer.failed:
            return answer
        found = answer.document.get("memories")
        if found is None:
            found = [one for one in answer.document["suggestions"] if is_in(one["target"], *one["evidence"])]
        if lines := [_line(one) for one in found]:
            parts.append("\n".join((f"## {heading}", "", *lines)))
    if lines := _not_judged(server, is_in):
        parts.append("\n".join(("## Not judged yet (memory_conflicts judge, or leave it)", "", *lines)))
    return ToolAnswer(("\n\n".join(parts),), (), {})


def _not_judged(server: Server, is_in: Callable[..., bool]) -> list[str]:
    """Return a line for each pair that was left, or what went wrong: the brief is worth more than they are."""
    try:
        unjudged = taken(server.view(), is_in)[:MOST_SHOWN]
    except Exception as error:  # noqa: BLE001 - whatever it is
        return [f"- {failed(error).lines[0]}"]
    return [f"- {one.concerns} and {line_of(one)}" for one in concerns(unjudged)]


def _in_scopes(server: Server, scopes: Sequence[str]) -> Callable[..., bool]:
    """Return a function that tells whether all memories with these refs are in the scopes; None is no memory."""
    if not scopes:
        return lambda *_: True
    view = server.view()
    ids, scope_of = view.column("id"), view.column("scope")
    known = {ids[row] for row in view.rows if (scope_of[row] or GLOBAL_SCOPE) in scopes}
    return lambda *refs: all(ref is None or ref.partition(":")[2] in known for ref in refs)


def _line(memory: Mapping[str, Any]) -> str:
    """Return a memory on one line: its title, its ref or path, its creation date and its confidence."""
    held = "" if memory["confidence"] is None else f"confidence {memory['confidence']:.2f}"
    about = (memory["ref"] or memory["path"], (memory["created_at"] or "")[:10], held)
    return f"- {safe_line(memory['title'])} [{' · '.join(word for word in about if word)}]"


def completed(server: Server, begun: str) -> list[str]:
    """Return the refs of visible memories that complete the text `begun`."""
    from memstore.cli.ref_completion import complete_refs

    return [str(item.value) for item in complete_refs(server.session(), begun)]


def completed_suggestions(server: Server, begun: str) -> list[str]:
    """Return the refs of the suggestions that wait, as far as they complete the text `begun`."""
    waiting = server.run("beliefs suggestions list", []).document.get("suggestions", [])
    return [one["ref"] for one in waiting if one["ref"].startswith(begun)]
