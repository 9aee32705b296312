"""Consequences of new rules for an older vault: reported once by a check, with what to do about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.access.audit import unrecorded_consents, unrecorded_grants
from memstore.core.finding_codes import finding_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.core.finding import Finding
    from memstore.core.view import View

# What was reported here, under this version of the rules; increase it when rules change what an old vault is worth.
_SAID, _RULES = "said-once", "1"


def said_once(view: View) -> list[Finding]:
    """Return what is reported once per copy of a vault; nothing if a check has already reported it."""
    if view.derived.last(_SAID, _RULES):
        return []
    found = [*_lower_levels(view), *_lacking_events(view)]
    view.derived.keep(_SAID, _RULES, {"codes": [one.code for one in found] or ["none"]})
    return found


def _lower_levels(view: View) -> Iterator[Finding]:
    """Yield how many memories have a lower level of trust than their number alone would give them."""
    from memstore.trust.score import TrustReader

    attested = view.column("attested")
    reader = TrustReader(view)
    held = [row for row in view.whole.rows if attested[row] and reader.of_row(row).is_held_back]
    if held:
        text = f"{_counted(len(held), 'memory has', 'memories have')} a lower level of trust than the number says"
        hint = "memstore trust REF says why; memstore sign, another's memstore witness or a stamp gives it back"
        yield finding_of("level-held-back", view.entry(held[0]).path, text, hint)


def _lacking_events(view: View) -> Iterator[Finding]:
    """Yield how many grants and consents have no audit event; a shared stack has none, since they stay at home."""
    if view.stack:
        return
    granted, consents = unrecorded_grants(view), unrecorded_consents(view)
    if granted or consents:
        shown = [file.path for file, _ in granted] + consents
        parts = [_counted(len(granted), "memory is granted to somebody", "memories are granted to somebody")] * bool(
            granted
        )
        parts += [_counted(len(consents), "consent is there", "consents are there")] * bool(consents)
        text = f"{' and '.join(parts)}, and no audit event tells of it"
        hint = "memstore check --fix --dry-run lists what it would record; memstore check --fix records it"
        yield finding_of("audit-lacks-events", shown[0], text, hint)


def _counted(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"
