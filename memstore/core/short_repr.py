"""One-line representations of values for Python's interactive prompt."""

from __future__ import annotations

LONGEST_LINE = 110
_MOST_OF_A_FIELD = 40


def short_repr(value: object) -> str:
    """Return a `repr` of a named tuple or a dataclass that fits on a line; long fields and the end are cut.

    For values that people look at in Python's interactive prompt; a class uses it with `__repr__ = short_repr`.
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
