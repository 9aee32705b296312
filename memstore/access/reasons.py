"""Reasons: turn the denials of the listeners into a decision, with the rule behind it and a possible remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.access.consent import MOST_TELLING, who_may_permit
from memstore.access.world import Decision
from memstore.core.memory import EVERYBODY, UNKNOWN_LISTENER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memstore.access.world import Labels, World

# The steps of the decision, in order; if several reasons deny access, the first in this order is reported.
_STEPS = (
    "malformed",
    "excluded",
    "self-only",
    "no-grant",
    "upstream",
    *MOST_TELLING,
    "lineage",
    "lineage-unresolved",
)

# The rule of privacy behind each code: 1 private by default, 2 consent, 3 subjects, 4 contexts, 5 told, 6 sharing.
RULE_OF_CODE: Mapping[str, str] = {
    **dict.fromkeys(("owner-alone", "malformed", "excluded", "self-only", "no-grant"), "1"),
    **dict.fromkeys(MOST_TELLING, "2"),
    **dict.fromkeys(("context-expired", "context-ambiguous"), "4"),
    **dict.fromkeys(("upstream", "lineage", "lineage-unresolved"), "5"),
    "granted": "6",
}

_FIX_OF_CODE: Mapping[str, str] = {
    "malformed": "memstore check",
    "lineage-unresolved": "memstore check orphans",
    "context-expired": "memstore context leave",
    "context-ambiguous": "memstore context leave",
}


@dataclass(frozen=True, slots=True)
class Denial:
    """Why one listener may not see a memory: a code, and the consents or sources that stand in the way."""

    code: str
    missing: tuple[str, ...] = ()


def verdict(world: World, labels: Labels, denials: Mapping[str, Denial]) -> Decision:
    """Return the decision about a memory from the denials of its listeners: all must pass, in whatever order."""
    if not denials:
        return Decision(allowed=True, code="granted", rule=RULE_OF_CODE["granted"])
    code = first(denial.code for denial in denials.values())
    who = tuple(sorted(name for name, denial in denials.items() if denial.code == code))
    missing = tuple(sorted({one for name in who for one in denials[name].missing}))
    return Decision(
        allowed=False,
        code=code,
        rule="3" if _concerns_subjects(code, missing) else RULE_OF_CODE[code],
        who=who,
        missing=missing,
        fix=_fix(world, labels, code, who, missing),
    )


def first(codes: Iterable[str]) -> str:
    """Return the code of the earliest step of the decision; a code that is not a step comes before all."""
    return min(codes, key=lambda code: _STEPS.index(code) if code in _STEPS else -1)


def _concerns_subjects(code: str, missing: tuple[str, ...]) -> bool:
    return code in MOST_TELLING and all(one.startswith("subject:") for one in missing)


def _fix(world: World, labels: Labels, code: str, who: tuple[str, ...], missing: tuple[str, ...]) -> str | None:
    """Return a command that could open the memory to the first listener it is closed to; None if there is none."""
    to = f"'{EVERYBODY}'" if who[0] == UNKNOWN_LISTENER else who[0]
    match code:
        case "self-only" | "no-grant":
            return f"memstore privacy grant {labels.id} --to {to}"
        case "lineage":
            made_of = " ".join(missing)
            return f"memstore privacy generalize {made_of} --text TEXT --access {to}"
        case "consent-missing" | "consent-expired" | "consent-revoked" | "delegation-self" | "delegation-invalid":
            return _consent_that_lacks(world, labels, to, missing[0])
        case _:
            return _FIX_OF_CODE.get(code)


def _consent_that_lacks(world: World, labels: Labels, to: str, missing: str) -> str:
    entity = missing.partition(":")[2]
    grantor = min(who_may_permit(world, entity), default="PERSON")
    on_behalf = "" if grantor == entity else f" --for {entity}"
    return f"memstore privacy consent grant --from {grantor} --to {to} --scope mem:{labels.id}{on_behalf}"
