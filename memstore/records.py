"""Named tuples that are made quickly: half of what Python's take goes into compiling their annotations.

A search makes some sixty classes of them before it begins (docs/adr/0005). That fields without a default come first is
left to type checkers.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 - for those who import it from here
else:

    class _Maker(type):
        """Makes what `typing.NamedTuple` makes of a class, and leaves its annotations as they are written."""

        def __new__(cls, name, bases, namespace):  # noqa: ANN001, ANN204, ARG004 - types have it from `typing`
            fields = namespace["__annotations__"]
            defaults = [namespace.pop(field) for field in fields if field in namespace]
            made = namedtuple(name, fields, defaults=defaults, module=namespace["__module__"])  # noqa: PYI024
            for key, value in namespace.items():
                setattr(made, key, value)
            return made

    NamedTuple = type.__new__(_Maker, "NamedTuple", (), {})

LONGEST_LINE = 110
_MOST_OF_A_FIELD = 40


def one_line(value: object) -> str:
    """Return a `repr` of a named tuple or a dataclass that fits on a line: what is long is cut, and so is the end.

    For values that a person looks at in Python's own prompt; `__repr__ = one_line` in a class takes it.
    """
    fields = getattr(value, "_fields", ())
    fields += tuple(name for name, field in getattr(value, "__dataclass_fields__", {}).items() if field.repr)
    shown, length = [], 0
    for name in fields:
        field = getattr(value, name)
        if field is None or field in ((), "", b"") or length > LONGEST_LINE:
            continue
        text = repr(field[:_MOST_OF_A_FIELD]) if isinstance(field, str | bytes) else repr(field)
        text = text if len(text) <= _MOST_OF_A_FIELD + 2 else text[:_MOST_OF_A_FIELD] + "…"
        shown.append(f"{name}={text}")
        length += len(shown[-1])
    line = f"{type(value).__name__}({', '.join(shown)})"
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 2]}…)"
