"""An audit event: one file, written once, says what was done with access in ids alone, and names what was before.

Each event holds its own digest, and those of the latest events of the same writer; so none can be changed or taken out
unnoticed, but for the last ones, which commits name (`Audit-Head`).
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from memstore.codec.git_blob import DIGEST_PREFIX
from memstore.model.audit import AuditEvent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

AUDIT_FOLDER = "audit"
SCHEMA = "memstore.audit-event/1"


def folder_of(writer: str) -> str:
    """Return the folder of a writer's events, with a slash at its end."""
    return f"{AUDIT_FOLDER}/{writer.replace(':', '/')}/"


def write(
    *, event_id: str, at: str, by: str, event: str, about: Mapping[str, Any], prev: Sequence[str]
) -> tuple[str, bytes]:
    """Return the path and the bytes of a new event; `at` is RFC 3339 in UTC."""
    said = {"schema": SCHEMA, "id": event_id, "at": at, "by": by, "event": event, "about": about, "prev": [*prev]}
    told = json.dumps({**said, "digest": _digest(said)}, ensure_ascii=False, indent=2) + "\n"
    time = at.replace("-", "").replace(":", "")
    return f"{folder_of(by)}{at[:4]}/{time}-{event_id}.json", told.encode()


def read(path: str, data: bytes) -> AuditEvent | None:
    """Return the event that a file holds; None where it holds none."""
    try:
        said = json.loads(data)
        digest = said.pop("digest")
        fields = {name: said[name] for name in ("id", "at", "by", "event")}
        prev, about = tuple(said["prev"]), {**said["about"]}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not all(isinstance(text, str) for text in (*fields.values(), *prev, digest)) or said.get("schema") != SCHEMA:
        return None
    return AuditEvent(path=path, **fields, about=about, prev=prev, digest=digest, computed=_digest(said))


def _digest(said: Mapping[str, Any]) -> str:
    told = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return DIGEST_PREFIX + hashlib.sha256(told.encode(errors="surrogatepass")).hexdigest()
