"""Errors of the Python face are as short as those of the command line: they don't repeat a long argument whole."""

from __future__ import annotations

from functools import wraps
from inspect import isfunction
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from memstore.core.brevity import shortened, texts_in
from memstore.core.errors import MemstoreError

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")


def brief(face: type[C]) -> type[C]:
    """Return a class whose public methods raise errors that repeat of a long argument only its beginning."""
    for name, member in [*vars(face).items()]:
        if isfunction(member) and not name.startswith("_"):
            setattr(face, name, briefly(member))
    return face


def briefly(call: Callable[P, R]) -> Callable[P, R]:
    """Return a function whose errors repeat of a long argument only its beginning."""

    @wraps(call)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return call(*args, **kwargs)
        except MemstoreError as error:
            given = [*texts_in((args, kwargs))]
            error.message = shortened(error.message, given)
            error.hint = error.hint and shortened(error.hint, given)
            error.args = (error.message,)
            raise

    return called
