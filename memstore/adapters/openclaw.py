"""The tools `memory_search` and `memory_get` in the shapes of OpenClaw's, for a plugin or a script that answers them.

Paths are relative to the vault; lines are those of the files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.core.errors import MemstoreError
from memstore.lineage.descent import note_shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.face.vault import Vault

MOST_RESULTS = 6
MOST_LINES = 120


def memory_search(vault: Vault, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the passages that match a query, best first; a search that fails is `disabled`, with its reason.

    Args:
        vault: the vault.
        params: `query`, words as one would ask a person; `maxResults`; `minScore`, the lowest relevance, in [0, 1].
    """
    try:
        hits = vault.search(
            str(params["query"]), by="passage", limit=max(1, int(params.get("maxResults", MOST_RESULTS)))
        )
    except MemstoreError as error:
        return {"results": [], "disabled": True, "unavailable": True, "error": str(error)}
    wanted = [hit for hit in hits if hit.relevance >= float(params.get("minScore", 0.0))]
    note_shown(vault.view(), [hit.ref for hit in wanted])
    results = [
        {
            "path": hit.citation.path,
            "startLine": hit.citation.line_start,
            "endLine": hit.citation.line_end,
            "score": round(hit.relevance, 4),
            "snippet": hit.content,
            "source": "memory",
            "corpus": "memory",
            "citation": _citation(hit.citation.path, hit.citation.line_start, hit.citation.line_end),
        }
        for hit in wanted
    ]
    return {"results": results, "provider": "memstore", "citations": "on"}


def memory_get(vault: Vault, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return lines of a memory's text, counted as in its file; empty for one that is not there, or may not be seen.

    Args:
        vault: the vault.
        params: `path`, relative to the vault, or a ref; `from`, the first line, from 1; `lines`, how many at most.
            `nextFrom` in the answer is where to go on.
    """
    path = str(params["path"])
    try:
        shown = vault.show(path)
    except MemstoreError:
        return {"path": path, "text": ""}
    note_shown(vault.view(), [shown.entry.ref])
    body, begins = shown.memory.body.removesuffix("\n").split("\n"), shown.file.text.body_line
    first = max(begins, int(params.get("from", 1)))
    part = body[first - begins : first - begins + max(1, int(params.get("lines", MOST_LINES)))]
    after = first + len(part)
    more = {"truncated": True, "nextFrom": after} if after < begins + len(body) else {}
    return {"path": shown.entry.path, "text": "\n".join(part), "from": first, "lines": len(part), **more}


def _citation(path: str, first: int, last: int) -> str:
    return f"{path}#L{first}" if first == last else f"{path}#L{first}-L{last}"
