"""Ledgers for tests of rules: those of the published cases, and random ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from memstore.core.memory import LedgerLine

START = datetime(2026, 1, 1, tzinfo=UTC)


def instant(days: float) -> str:
    """Return the time so many days after `START`, as ledgers have it."""
    return (START + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def line_with(**values: Any) -> LedgerLine:
    """Return a line with these values: a strategy built of the class itself would draw the others, too."""
    return LedgerLine(**values)


def line_of(case: dict[str, Any]) -> LedgerLine:
    """Return a line of a published case."""
    return LedgerLine(
        timestamp=instant(case["t"]),
        op=case["op"],
        evidence_source=case.get("ref"),
        new=case.get("new"),
        weight=case.get("weight"),
        roots=tuple(case.get("roots", ())),
        factor=case.get("factor"),
        cap=case.get("cap"),
        precision=case.get("precision"),
        counted=tuple(case.get("counted", ())),
        source_confidence=case.get("source_confidence"),
        by=case["id"],  # the first key of canonical JSON, so that ids decide among the lines of one instant
    )


fractions = st.floats(0, 1).map(lambda x: round(x, 4))
sources = st.sampled_from([f"episode:m_{i:03}" for i in range(12)])
evidence_lines = st.builds(
    line_with,
    timestamp=st.integers(0, 900).map(instant),
    op=st.sampled_from(["support", "partial", "contradict", "retract"]),
    evidence_source=sources,
    weight=fractions,
    roots=st.lists(st.sampled_from(["s1", "s2", "s3", "s4"]), max_size=3, unique=True).map(tuple),
)
barriers = st.builds(
    line_with, timestamp=st.integers(0, 900).map(instant), op=st.sampled_from(["assert", "edit"]), new=fractions
)
ledgers = st.lists(st.one_of(evidence_lines, evidence_lines, evidence_lines, barriers), max_size=200)
