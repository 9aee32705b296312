"""Texts that quote a very long argument: only its beginning is repeated, as nobody wants to read all of it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# A text of up to `WHOLE` characters, such as any file's name, is repeated as it is, so that a hint can be copied; of a
# longer one the first `QUOTED` are.
WHOLE = 255
QUOTED = 100


def shortened(text: str, given: Iterable[str]) -> str:
    """Return a text in which of each long argument, and of each long part of it, only the beginning is left.

    It is looked for as a whole, as the key or the value of `key=value`, as either part of `type:id`, as a name in a
    path, without needless blanks, and as `repr` writes it: errors quote any of these.

    Args:
        text: what is reported.
        given: the arguments of the call.
    """
    if len(text) <= WHOLE:
        return text
    forms = {
        form
        for word in given
        if len(word) > WHOLE
        for part in _parts(word)
        for form in (part, repr(part)[1:-1], " ".join(part.split()))
    }
    for form in sorted(forms, key=len, reverse=True):
        if len(form) > WHOLE:
            text = text.replace(form, f"{form[:QUOTED]}…")
    return text


def _parts(word: str) -> Iterator[str]:
    yield word.strip()
    for sign in ("=", ":"):
        yield from (part.strip() for part in (*word.partition(sign), *word.rpartition(sign)))
    yield from word.split("/")


def texts_in(value: object) -> Iterator[str]:
    """Yield the texts and paths in the arguments of a call, and their names."""
    match value:
        case str():
            yield value
        case dict():
            for name, item in value.items():
                yield from (*texts_in(name), *texts_in(item))
        case list() | tuple() | set() | frozenset():
            for item in value:
                yield from texts_in(item)
        case _ if hasattr(value, "__fspath__"):
            yield str(value)
