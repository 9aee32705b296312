"""Run a use case again on the vault as it is by then, where somebody else wrote what it had read."""

from __future__ import annotations

from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from memstore.errors import ChangedMeanwhileError

if TYPE_CHECKING:
    from collections.abc import Callable

    from memstore.core.view import View

P = ParamSpec("P")
T = TypeVar("T")

# Under the lock nobody but an editor can be in the way, and hardly one twice.
MOST_TRIES = 4


def again_where_changed(use_case: Callable[Concatenate[View, P], T]) -> Callable[Concatenate[View, P], T]:
    """Return a use case that writes, tried again under the vault's lock where its first try came too late.

    Two programs that change one memory at once both succeed: the second does its work on what the first has left. The
    first try takes no lock while it reads, so that many who write to different files don't wait for each other.
    """

    @wraps(use_case)
    def tried(view: View, /, *args: P.args, **named: P.kwargs) -> T:
        try:
            return use_case(view, *args, **named)
        except ChangedMeanwhileError:
            pass
        with view.locked():
            for _ in range(MOST_TRIES - 2):
                with suppress(ChangedMeanwhileError):
                    return use_case(view.again(), *args, **named)
            return use_case(view.again(), *args, **named)

    return tried
