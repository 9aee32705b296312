"""Importing Whoosh, which is slow unless it is helped (docs/adr/0003)."""

from __future__ import annotations

import sys
import warnings
from types import ModuleType

_UNUSED = "urllib.request"


def import_whoosh() -> None:
    """Import the parts of Whoosh that read and write an index.

    `whoosh.compat` imports `urllib.request` for a name that nothing here calls, and with it come `http`, `email` and
    `ssl`: half of the time that Whoosh takes to load. So an empty module stands there meanwhile; it is taken out
    again at once, so that whoever needs the real one gets it.
    """
    if "whoosh.index" in sys.modules:
        return
    stand_in = ModuleType(_UNUSED)
    stand_in.urlretrieve = None  # type: ignore[attr-defined]
    placed = sys.modules.setdefault(_UNUSED, stand_in) is stand_in
    try:
        with warnings.catch_warnings():
            # Its source is from 2016: escapes and comparisons that newer Pythons warn of when they compile it.
            warnings.simplefilter("ignore")
            import whoosh.codec.whoosh3
            import whoosh.index
            import whoosh.reading  # noqa: F401
    finally:
        if placed:
            sys.modules.pop(_UNUSED, None)
