"""Make the face's methods of use cases: `grant = Forward(grant_access)` is a whole method.

A use case's signature is the method's, except for the view, which is taken at each call; its docstring is what `help`
shows (docs/adr/0048). What a program gets wrong is found here for all of them, by the annotations of the signature.
"""

from __future__ import annotations

import inspect
import re
from functools import wraps
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from memstore.core.transaction import Saving
from memstore.face import given
from memstore.face.brief import briefly

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memstore.core.view import View

P = ParamSpec("P")
R = TypeVar("R")

# What an argument must be, by its annotation. Names of memories are read by the view.
CHECKS: Mapping[str, Callable[[str, Any], object]] = {
    "str": given.text_of,
    "str | None": given.text_or_none,
    "Sequence[str]": given.items,
    "tuple[str, str]": given.items,
    "OneOrMore": given.one_or_more,
    "int | None": given.most,
}
_EXAMPLE = re.compile(r"\n *>>> .*(?:\n *\S.*)*\n")
_ABOUT_THE_VIEW = re.compile(r"(?m)^ *view: .*\n(?: {12,}.*\n)*")
_NO_ARGUMENTS = re.compile(r"\n *Args:\n(?=\s*(?:Raises:|$))")


class Part:
    """A group of methods of a vault, like `vault.access`.

    Args:
        view: takes a view of the vault as it is now.
    """

    def __init__(self, view: Callable[[], View]) -> None:
        self._view = view


class Forward(Generic[P, R]):
    """The method of a `Part` that calls a use case.

    Args:
        use_case: takes a view first.
    """

    def __init__(self, use_case: Callable[Concatenate[View, P], R]) -> None:
        self.use_case: Callable[..., R] = use_case
        self._method = self.use_case

    def __set_name__(self, owner: type[Part], name: str) -> None:
        self._method = _method(self.use_case, owner, name)

    @overload
    def __get__(self, part: None, owner: type[Part]) -> Callable[Concatenate[Part, P], R]: ...
    @overload
    def __get__(self, part: Part, owner: type[Part]) -> Callable[P, R]: ...
    def __get__(self, part: Part | None, owner: type[Part]) -> Callable[..., R]:
        return self._method if part is None else MethodType(self._method, part)


def arguments_of(use_case: Callable[..., object]) -> dict[str, str]:
    """Return the annotation of each argument but the view, as it is written; those of a `TypedDict` one by one."""
    found: dict[str, str] = {}
    for one in [*inspect.signature(use_case).parameters.values()][1:]:
        if one.kind is one.VAR_KEYWORD:
            known = {"Saving": Saving, **inspect.unwrap(use_case).__globals__}
            options = known[str(one.annotation).removeprefix("Unpack[").removesuffix("]")]
            found |= {name: getattr(kind, "__forward_arg__", kind) for name, kind in options.__annotations__.items()}
        else:
            found[one.name] = one.annotation
    return found


def _method(use_case: Callable[..., R], owner: type[Part], name: str) -> Callable[..., R]:
    """Return the method of a class that calls a use case."""
    written = arguments_of(use_case)
    whole = inspect.signature(use_case)
    _, *others = whole.parameters.values()
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = whole.replace(parameters=[itself, *others])

    def checked(argument: str, value: object) -> object:
        check = CHECKS.get(written[argument])
        return check(argument, value) if check else value

    @wraps(use_case)
    def method(part: Part, *args: Any, **named: Any) -> R:
        given.only(named, written, name)
        signature.bind(part, *args, **named)
        values = [checked(argument, value) for argument, value in zip(written, args, strict=False)]
        return use_case(part._view(), *values, **{one: checked(one, value) for one, value in named.items()})  # noqa: SLF001

    method.__name__, method.__qualname__, method.__module__ = name, f"{owner.__qualname__}.{name}", owner.__module__
    method.__doc__ = _NO_ARGUMENTS.sub("", _ABOUT_THE_VIEW.sub("", _EXAMPLE.sub("", use_case.__doc__ or "")))
    method.__signature__ = signature  # type: ignore[attr-defined]
    return briefly(method)
