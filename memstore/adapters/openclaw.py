"""The tools `memory_search` and `memory_get` in the shapes of OpenClaw's, for a plugin or a script that answers them.

Paths are relative to the vault; lines are those of the files. Texts of external memories are framed as quotations, and
have `external` beside them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from memstore.core.errors import MemstoreError, UsageError
from memstore.documents.parts import external_document
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
        most, least = _number(params, "maxResults", MOST_RESULTS), _number(params, "minScore", 0.0)
        hits = vault.search(_text(params, "query"), by="passage", limit=max(1, int(most)))
    except MemstoreError as error:
        return {"results": [], "disabled": True, "unavailable": True, "error": str(error)}
    wanted = [hit for hit in hits if hit.relevance >= least]
    note_shown(vault.view(), [hit.ref for hit in wanted])
    results = [
        {
            "path": hit.citation.path,
            "startLine": hit.citation.line_start,
            "endLine": hit.citation.line_end,
            "score": round(hit.relevance, 4),
            "snippet": hit.external.framed(hit.content) if hit.external else hit.content,
            "source": "memory",
            "corpus": "memory",
            "citation": _citation(hit.citation.path, hit.citation.line_start, hit.citation.line_end),
            **external_document(hit.external),
        }
        for hit in wanted
    ]
    return {"results": results, "provider": "memstore", "citations": "on"}


def memory_get(vault: Vault, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return lines of a memory's text, counted as in its file; empty for one that is not there, or may not be seen.

    What can't be read as a request is `disabled`, with its reason.

    Args:
        vault: the vault.
        params: `path`, relative to the vault, or a ref; `from`, the first line, from 1; `lines`, how many at most.
            `nextFrom` in the answer is where to go on.
    """
    try:
        path, start, most = _text(params, "path"), _number(params, "from", 1), _number(params, "lines", MOST_LINES)
    except UsageError as error:
        return {"path": str(params.get("path", "")), "text": "", "disabled": True, "error": str(error)}
    try:
        shown = vault.show(path)
    except MemstoreError:
        return {"path": path, "text": ""}
    note_shown(vault.view(), [shown.entry.ref])
    outside = vault.view().external(shown.memory)
    body, begins = shown.memory.body.removesuffix("\n").split("\n"), shown.file.text.body_line
    first = max(begins, int(start))
    part = body[first - begins : first - begins + max(1, int(most))]
    after = first + len(part)
    more = {"truncated": True, "nextFrom": after} if after < begins + len(body) else {}
    text = "\n".join(part)
    return {
        "path": shown.entry.path,
        "text": outside.block(text) if outside else text,
        "from": first,
        "lines": len(part),
        **more,
        **external_document(outside),
    }


def _text(params: Mapping[str, Any], name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise UsageError(f"`{name}` is a text, and has to be given")
    return value


def _number(params: Mapping[str, Any], name: str, default: float) -> float:
    value = params.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UsageError(f"`{name}` is a number")
    return value


def _citation(path: str, first: int, last: int) -> str:
    return f"{path}#L{first}" if first == last else f"{path}#L{first}-L{last}"
