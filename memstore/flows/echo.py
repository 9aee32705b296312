"""Loop recognition: what was recalled and comes back as a raw memory is linked, and is no new evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memstore.flows.audience import Audience
from memstore.flows.candidates import Candidates
from memstore.flows.narrow import narrowed
from memstore.model.finding import Finding, Position
from memstore.model.finding_codes import CODES
from memstore.model.retrieval import NO_FILTERS, Sort, Unit
from memstore.rules import echo as rules
from memstore.rules import query
from memstore.rules.evidence import RECALLED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.codec.render import Plain
    from memstore.core.change import Saved
    from memstore.core.view import View

# So many of the best matches are compared with a text.
MOST_COMPARED = 20
_MOST_LINKS = 5
# Who says where a text comes from has vouched for it: then it is what they say.
_SAYS_ITS_SOURCE = ("source", "source_type", "source_entity", "derived_from", "relates_to")


class Recognised(NamedTuple):
    """The keys that a text gets which repeats memories, and a sentence that says so."""

    values: dict[str, Plain]
    told: str

    def noted(self, saved: Saved) -> Saved:
        """Return what was saved, with the sentence among its findings."""
        code = CODES["recalled-text"]
        finding = Finding(
            code=code.name, severity=code.severity, path=saved.path, at=Position(1), text=self.told,
            hint="say where it comes from if somebody said it anew: --source-entity, --source",
        )  # fmt: skip
        return replace(saved, findings=(*saved.findings, finding))


class _Known(NamedTuple):
    path: str
    text: str


def recognised(view: View, values: Mapping[str, Plain], body: str) -> Recognised | None:
    """Return what a new raw memory repeats of what the vault has; None where that is nothing.

    A text that is all an echo is made of what it repeats, and has its roots; one that says something of its own, too,
    is related to it. Texts of fewer than 8 words are echoes only with the label of a bite.
    """
    if any(values.get(key) for key in _SAYS_ITS_SOURCE):
        return None
    text, paths = rules.bites(body)
    if not paths and not rules.is_long_enough(text):
        return None
    known = _known(view, text, paths)
    named = [ref for ref, one in known.items() if one.path in paths]
    found = rules.echo(text, {ref: one.text for ref, one in known.items()}, named)
    if found.of:
        sources: list[Plain] = [*found.of[:_MOST_LINKS], RECALLED]
        return Recognised({"derived_from": sources}, f"it repeats {found.of[0]}, so it is no new evidence")
    if found.beside:
        related: list[Plain] = [*found.beside[:_MOST_LINKS]]
        return Recognised({"relates_to": related}, f"it repeats {found.beside[0]} among other things")
    return None


def _known(view: View, text: str, paths: frozenset[str]) -> dict[str, _Known]:
    """Return the memories that may have been recalled, by ref: the best matches, and those that bites name."""
    asked = query.of_prompt(text)
    if not asked.clauses:
        return {}
    audience = Audience(view)
    candidates = Candidates(audience, narrowed(audience.then, audience.rows, NO_FILTERS), asked, Unit.MEMORY)
    blocks = candidates.blocks(list(candidates.scores), Sort.RELEVANCE, lambda _: 0.0)
    path_of = audience.column("path")
    rows = [*next(blocks, [])[:MOST_COMPARED], *(row for row in candidates.scores if path_of[row] in paths)]
    files = [file for row in dict.fromkeys(rows) if (file := audience.then.opened(row)) and file.entry.ref]
    return {str(file.entry.ref): _Known(file.entry.path, f"{file.own_title}\n{file.text.body}") for file in files}
