"""Take over seed beliefs, with their provenance (seed 000, 3.7)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.core.again import again_where_changed
from memstore.flows.add import new_memory
from memstore.flows.save import save_all
from memstore.flows.sources import loader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memstore.codec.render import Plain
    from memstore.codec.seeds import Seed
    from memstore.core.change import Edit, Saved
    from memstore.core.view import View

SOURCE = "seed-initialization"
MARK = "kernle:seed-beliefs"
CONTEXT = "kernle_seed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSeeds:
    """What became of seed beliefs: those that were written, and the refs of those that are there already."""

    saved: tuple[Saved, ...]
    known: tuple[str, ...]


@again_where_changed
def import_seeds(view: View, seeds: Sequence[Seed], *, dry_run: bool = False, commit: bool = False) -> ImportedSeeds:
    """Write seed beliefs; one whose statement is that of a belief in the vault, whatever its status, is left out.

    Args:
        view: the vault.
        seeds: what is believed from the start.
        dry_run: write nothing, and return what would be.
        commit: commit them, too.

    Raises:
        UsageError: a confidence is not in [0, 1], or a tag is no word.
    """
    held = dict(_held(view))
    edits: list[Edit] = []
    known: list[str] = []
    for seed in seeds:
        words = _words(seed.statement)
        if words not in held:
            edits.append(_new(view, seed))
            held[words] = ""
        elif held[words]:
            known.append(held[words])
    saved = save_all(view, edits, verb="import seeds", dry_run=dry_run, commit=commit)
    return ImportedSeeds(saved=saved, known=tuple(known))


def _held(view: View) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the statement of every belief that the actor may see, with its ref."""
    load = loader(view)
    types = view.column("type")
    for row in view.rows:
        ref = view.entry(row).ref if types[row] == "belief" else None
        memory = load(ref) if ref else None
        if ref and memory:
            yield _words(memory.body), ref


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a text's first paragraph, which is what a belief states."""
    return tuple(re.findall(r"\w+", text.strip().split("\n\n", 1)[0].casefold()))


def _new(view: View, seed: Seed) -> Edit:
    values: dict[str, Plain] = {
        "type": "belief",
        "source": SOURCE,
        "source_type": "seed",
        "derived_from": [MARK],
        "context_tags": list(dict.fromkeys([CONTEXT, *seed.tags])),
        "foundational": True,
    }
    if seed.confidence is not None:
        values["confidence"] = round(float(seed.confidence), 4)
    return new_memory(view, values, seed.statement, ground={"evidence_source": MARK, "reason": "seed"})
