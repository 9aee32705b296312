"""What the quality of a memory is made of, gathered from its file, the log of uses and what it cites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memstore.search import quality

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from memstore.search.opened import Opened
    from memstore.search.quality import QualityGrounds
    from memstore.search.ranker import Audience
    from memstore.search.uses import Use


def grounds_of(audience: Audience, file: Opened, uses: Mapping[str, Sequence[Use]], now: datetime) -> QualityGrounds:
    """Return what the quality of a memory is made of at `now`, UTC.

    Args:
        audience: what the one who looks may see.
        file: the memory, read.
        uses: the uses that count, by id; those of the memory are among them.
        now: UTC.
    """
    entry = file.entry
    return quality.grounds(
        confidence=float(entry.confidence) if entry.confidence else None,
        channel=entry.channel,
        source_type=entry.source_type,
        made_at=audience.then.made_at(entry.path, entry.created_at),
        uses=[use.at for use in uses.get(entry.id, ())],
        cites=_cites(audience, file),
        now=now,
    )


def _cites(audience: Audience, file: Opened) -> bool:
    """Whether a memory cites lines that still stand."""
    marks_in_text = "[[" in file.text.body and "@" in file.text.body
    if not marks_in_text and not any(source.startswith("file:") for source in file.entry.derived_from):
        return False  # most cite nothing, and need not wait for what follows citations to be loaded
    from memstore.search.citations import cites_standing_lines

    return cites_standing_lines(audience, file)
