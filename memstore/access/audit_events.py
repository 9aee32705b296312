"""Audit events: one act in one file, immutable, with the digests of the writer's last ones."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.core.digests import DIGEST_PREFIX
from memstore.core.short_repr import short_repr

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One act: who did it (`by`), when, what (`event`), to which ids; `prev`: digests of the writer's last events.

    `digest` is what the file says, `computed` what it should say.
    """

    path: str
    id: str
    at: str
    by: str
    event: str
    about: Mapping[str, Any]
    prev: tuple[str, ...]
    digest: str
    computed: str

    __repr__ = short_repr

    @property
    def is_sound(self) -> bool:
        """Whether the file is unchanged since it was written."""
        return self.digest == self.computed


# -- one event as a file ---------------------------------------------------------------------------


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
    """Return the event in a file; None if it holds none."""
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


# -- what events say -------------------------------------------------------------------------------


def consents_named(events: Iterable[AuditEvent]) -> frozenset[str]:
    """Return the consents, refusals and revocations that were recorded and not undone; their files must exist.

    Events within a second have no order, so they are counted: an id exists if it was recorded more often than
    withdrawn.
    """
    recorded: Counter[str] = Counter()
    for event in events:
        recorded.update({*texts_of(event.about.get("consent")), *texts_of(event.about.get("consents"))})
        recorded.subtract(texts_of(event.about.get("withdrawn")))
    return frozenset(+recorded)


def consents_taken_back(events: Iterable[AuditEvent]) -> frozenset[str]:
    """Return the consents, refusals and revocations that whoever had recorded them took back; their files are gone."""
    known = [*events]
    recorded = {(event.by, name) for event in known for name in consents_named([event])}
    back = {(event.by, name) for event in known for name in texts_of(event.about.get("withdrawn"))}
    return frozenset(name for _, name in back & recorded) - consents_named(known)


def texts_of(value: object) -> list[str]:
    """Return the texts under one key of an event: one, several or none."""
    if isinstance(value, list):
        return [text for text in value if isinstance(text, str)]
    return [value] if isinstance(value, str) else []
