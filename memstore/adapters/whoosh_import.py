"""Importing Whoosh, which is slow unless it is helped (docs/adr/0003)."""

from __future__ import annotations

import sys
import warnings

from memstore.stand_ins import standing_in

# What Whoosh imports for a function or two, which writing an index never calls.
_UNUSED = ("urllib.request", "html", "shutil", "tempfile", "random")


def import_whoosh() -> None:
    """Import the parts of Whoosh that read and write an index.

    `whoosh.compat` imports `urllib.request` for a name that nothing here calls, and with it come `http`, `email` and
    `ssl`: half of the time that Whoosh takes to load. The same goes for others that load slowly.
    """
    if "whoosh.index" in sys.modules:
        return
    with standing_in({name: {} for name in _UNUSED}), warnings.catch_warnings():
        # Its source is from 2016: escapes and comparisons that newer Pythons warn of when they compile it.
        warnings.simplefilter("ignore")
        import whoosh.codec.whoosh3
        import whoosh.index
        import whoosh.reading  # noqa: F401
