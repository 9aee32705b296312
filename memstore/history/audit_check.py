"""The check that no audit event was changed or removed: the events themselves, and what commits say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.access.audit import (
    Verified,
    anchored,
    consent_unrecorded,
    consents_gone,
    consents_lost,
    events_in,
    grant_unrecorded,
    unrecorded_consents,
    unrecorded_grants,
    verify,
)
from memstore.history import HISTORY

if TYPE_CHECKING:
    from collections.abc import Collection

    from memstore.core.view import View


def verify_audit(view: View) -> Verified:
    """Return whether every audit event is unchanged, and none that another event or a commit names is missing.

    Missing consent files that the current commit or an event names are reported as well; so are, as warnings, grants
    and consents that no event records.

    Raises:
        RefusedError: somebody other than the vault's owner asks.
    """
    view.require_owner()
    events, unreadable = events_in(view)
    messages: dict[str, str] = {}
    committed: Collection[str] = ()
    history = view.of(HISTORY)
    if history.repository is not None and (head := history.head()):
        messages = {commit.id: commit.message for commit in history.commits()}
        committed = history.own_files_at(head)
    findings = verify(events, unreadable, anchored(messages))
    gone = consents_gone(committed, view.whole.registry_files, lambda: events) or consents_lost(view)
    grants = (grant_unrecorded(file, names) for file, names in unrecorded_grants(view))
    told = (consent_unrecorded(path) for path in unrecorded_consents(view))
    return Verified(events=len(events) + len(unreadable), findings=(*findings, *gone, *grants, *told))
