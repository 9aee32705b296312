"""Look again at the pages that anchor a memory: whether they still say what the vault's copies say."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from memstore.errors import UsageError, VaultError
from memstore.flows.anchors import hash_of
from memstore.model.keys import PAGE_ANCHORS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memstore.model.memory import Memory
    from memstore.ports.pages import Pages


class Online(Enum):
    """What a page says now, compared with what it said."""

    SAME = "fetched-same"
    CHANGED = "changed"
    UNREACHABLE = "unreachable"


class Fetched(NamedTuple):
    """What became of fetching a page, and why where there is more to say."""

    status: Online
    reason: str = ""


def look_again(pages: Pages, memory: Memory) -> Mapping[int, Fetched]:
    """Return for each anchor that is a page, by its number from 0, what it says now.

    Trust stays as it is: a page may change, and commits to what it said. That is what the copy is for.
    """
    return {
        i: _fetched(pages, anchor.reference, anchor.hash)
        for i, anchor in enumerate(memory.anchors)
        if anchor.type in PAGE_ANCHORS
    }


def _fetched(pages: Pages, url: str, hashed: str | None) -> Fetched:
    try:
        found = hash_of(pages.fetch(url))
    except (UsageError, VaultError) as error:
        return Fetched(Online.UNREACHABLE, str(error))
    if found == hashed:
        return Fetched(Online.SAME)
    said = f"its sha256 is {found.partition(':')[2][:16]}… now"
    return Fetched(Online.CHANGED, said)
