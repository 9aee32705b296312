"""Importing Whoosh, which is slow unless it is helped (docs/adr/0003)."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from memstore.codec import digests

if TYPE_CHECKING:
    from collections.abc import Callable

# What Whoosh imports for a function or two that reading an index never calls.
_UNUSED = ("urllib.request", "html", "shutil", "tempfile", "random", "hashlib")


class _StandIn(ModuleType):
    """A module whose functions import the real one when they are called."""

    def __getattr__(self, name: str) -> Callable[..., object]:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*args: object, **named: object) -> object:
            found: Callable[..., object] = getattr(import_module(self.__name__), name)
            return found(*args, **named)

        return call


def import_whoosh() -> None:
    """Import the parts of Whoosh that read and write an index.

    `whoosh.compat` imports `urllib.request` for a name that nothing here calls, and with it come `http`, `email` and
    `ssl`: half of the time that Whoosh takes to load. So something else stands there meanwhile; it is taken out again
    at once, so that whoever needs the real one gets it. The same goes for others that load slowly.
    """
    if "whoosh.index" in sys.modules:
        return
    placed = [name for name in _UNUSED if name not in sys.modules]
    stand_ins = {name: _StandIn(name) for name in placed}
    if "hashlib" in placed:
        vars(stand_ins["hashlib"])["md5"] = digests.maker("md5")  # by which terms are found
    sys.modules.update(stand_ins)
    try:
        with warnings.catch_warnings():
            # Its source is from 2016: escapes and comparisons that newer Pythons warn of when they compile it.
            warnings.simplefilter("ignore")
            import whoosh.codec.whoosh3
            import whoosh.index
            import whoosh.reading  # noqa: F401
    finally:
        for name in placed:
            del sys.modules[name]
