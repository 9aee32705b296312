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
