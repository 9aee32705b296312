"""Commands that only hold others together, as `memstore trust` does: what belongs to one thing stands in one place."""

from __future__ import annotations

from memstore.cli.commands import GROUPS
from memstore.cli.options import group


@group(
    "raw",
    table=GROUPS["raw"],
    default="add",
    examples=('memstore raw "Claire seemed tired today"', "memstore raw promote m_7f3 --to note"),
)
def raw() -> None:
    """Write something down as it came, and promote it later."""


@group(
    "conflicts",
    table=GROUPS["conflicts"],
    default="list",
    examples=(
        "memstore conflicts",
        "memstore conflicts --duplicates            # what says nearly the same",
        "memstore conflicts resolve m_7f3 m_abc --keep m_abc",
    ),
)
def conflicts() -> None:
    """List memories that can't both be right, or say the same, and settle that."""


@group(
    "beliefs",
    table=GROUPS["beliefs"],
    examples=("memstore beliefs consolidate", "memstore beliefs suggestions list"),
)
def beliefs() -> None:
    """Find what was learnt, decide on suggestions, and keep confidence right."""


@group(
    "share",
    table=GROUPS["share"],
    default="copy",
    examples=("memstore share --to si:max_agent ~/for-max", "memstore share load ~/for-max"),
)
def share() -> None:
    """Write a copy of what somebody else may see, and search what was shared with you."""


@group(
    "trust",
    table=GROUPS["trust"],
    default="show",
    examples=("memstore trust m_7f3", "memstore trust sign m_7f3", "memstore trust witness m_7f3 --attest confirm"),
)
def trust() -> None:
    """Show who vouches for a memory, and vouch for memories: signatures, witnesses, anchors, keys."""


@group(
    "check",
    table=GROUPS["check"],
    default="files",
    examples=("memstore check", "memstore check --fix", "memstore check orphans"),
)
def check() -> None:
    """Find what is wrong with files, refs and sources, and fix what needs no judgement."""
