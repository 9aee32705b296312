"""What a new memory gets from where it was made: its context, who may see it, and a question where that looks odd."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memstore.flows.sessions import told_of_contexts
from memstore.model.finding import Finding, Position
from memstore.model.finding_codes import CODES
from memstore.rules.provenance import provenance_of_new

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.codec.render import Plain
    from memstore.core.change import Saved
    from memstore.core.view import View
    from memstore.model.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Inherited:
    """The keys that a new memory gets from where it was made; what to ask its writer, and what is usual."""

    values: dict[str, Plain]
    doubt: str | None = None
    usual: str | None = None

    def warned(self, saved: Saved) -> Saved:
        """Return what was saved, with the question among its findings."""
        if self.doubt is None:
            return saved
        code = CODES["shared-elsewhere"]
        finding = Finding(
            code=code.name, severity=code.severity, path=saved.path, at=Position(1), text=self.doubt, hint=self.usual
        )
        return replace(saved, findings=(*saved.findings, finding))


def inherited(view: View, values: Mapping[str, Plain], *, explicit: bool) -> Inherited:
    """Return what a new memory gets: told ones are for who told or listened, observed ones for the context.

    Args:
        view: the vault.
        values: what its writer gave.
        explicit: whether they said who may see it, if only nobody; then it stands.

    Raises:
        RefusedError: the context has expired, or is not one context.
    """
    told = _text({**values, **provenance_of_new(values)}.get("source_entity"))
    in_context = view.contexts.current() is not None
    if not in_context and (explicit or told is None):
        return Inherited(values={})
    from memstore.rules.grants import inherited_grants

    world, session = told_of_contexts(view, view.registries), view.session
    given: dict[str, Plain] = {}
    if not explicit:
        grants = inherited_grants(world, session, source_entity=told)
        given["access_grants"] = [*grants] or None
    if session.context is None:
        return Inherited(values=given)
    if not values.get("context"):
        given["context"] = session.context.id
    shared = values.get("access_grants") if explicit else given["access_grants"]
    elsewhere = _elsewhere(world, session.context.id, values.get("subject_ids")) if shared else None
    if elsewhere is None:
        return Inherited(values=given)
    subject, context = elsewhere
    doubt = f"{subject} belongs to {context}, and this is granted in {session.context.id}: did you mean to share that?"
    return Inherited(values=given, doubt=doubt, usual=_usual(view, subject, context))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _elsewhere(world: World, here: str, subjects: object) -> tuple[str, str] | None:
    """Return a subject that belongs to another context than this one, by itself or by a guardian, and that context."""
    from memstore.rules.standing import guardians_of

    known = world.contexts.get(here)
    roster = known.roster if known else ()
    for subject in subjects if isinstance(subjects, list) else ():
        names = {subject, *guardians_of(world, subject)}
        others = [name for name, context in world.contexts.items() if not names.isdisjoint(context.roster)]
        other = min(others, default=None)
        if other is not None and names.isdisjoint(roster):
            return str(subject), other
    return None


def _usual(view: View, subject: str, context: str) -> str:
    """Return a hint: what memories about the subject are mostly granted to."""
    entries = (view.entry(row) for row in view.rows)
    grants = Counter(name for entry in entries if subject in entry.subject_ids for name in entry.access_grants)
    usual = sorted(name for name, _ in grants.most_common(4)) or [context]
    return f"usual for {subject}: --access {' '.join(usual)}"
