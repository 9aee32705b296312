"""Regular expressions that are compiled when they are first used.

Compiling all that the modules of a search have takes longer than its answer.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, AnyStr, Generic, cast

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` would, for a module that many commands load and few use."""
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))


@contextmanager
def compiled_when_used() -> Iterator[None]:
    """Have the patterns of modules that are imported meanwhile compiled when they are first used.

    For libraries whose patterns take longer to compile than all that is asked of them takes.
    """
    compile_ = re.compile
    re.compile = cast("Any", pattern)
    try:
        yield
    finally:
        re.compile = compile_


class _Pattern(Generic[AnyStr]):
    def __init__(self, text: AnyStr, flags: int) -> None:
        self._text: AnyStr = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, value)
        return value
