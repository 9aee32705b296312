"""Stand-ins for slow modules of the standard library, while something is imported that hardly uses them.

Why, and what it costs, is told in docs/adr/0010.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class _StandIn(ModuleType):
    """What a module is meanwhile: its functions import the real one when they are called.

    What is asked of it later, the real one answers.
    """

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is not self:
            return getattr(import_module(self.__name__), name)
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*args: object, **named: object) -> object:
            return getattr(import_module(self.__name__), name)(*args, **named)

        return call


@contextmanager
def standing_in(modules: Mapping[str, Mapping[str, Callable[..., object]]]) -> Iterator[None]:
    """Have stand-ins in the place of modules that were not imported yet; they are taken out again at the end.

    Args:
        modules: of each, by name, the functions that the stand-in is to have instead of the real one's.
    """
    placed = {name: _StandIn(name) for name in modules if name not in sys.modules}
    for name, stand_in in placed.items():
        vars(stand_in).update(modules[name])
    sys.modules.update(placed)
    try:
        yield
    finally:
        for name in placed:
            del sys.modules[name]
