"""Markup of HTML and SVG whose texts are escaped by construction: only `element` makes markup, and it escapes texts."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote, urlsplit

from memstore.core.harmless import safe, safe_line

if TYPE_CHECKING:
    from collections.abc import Iterable

# Elements of HTML without an end tag.
_VOID = frozenset({"meta", "input", "br", "hr"})
_SURROGATE = re.compile("[\ud800-\udfff]")
# What may stand in an address as it is; anything else is percent-encoded.
_OF_ADDRESSES = "%/:?#[]@!$&'()*+,;=~-._"


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Content: TypeAlias = "Markup | str | Iterable[Content] | None"
Value = str | int | float | bool | None


def element(name: str, /, *content: Content, **attributes: Value) -> Markup:
    """Return an element with escaped content.

    Args:
        name: the name of the tag.
        content: markup, texts, which are escaped, or iterables of these; None is nothing.
        attributes: by name, where `_` stands for `-` and a last `_` is dropped; None and False leave one out, and True
            gives it no value.
    """
    given = "".join(_attribute(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    inner = "".join(_pieces(content))
    return Markup(f"<{name}{given}>" if name in _VOID else f"<{name}{given}>{inner}</{name}>")


def joined(*content: Content) -> Markup:
    """Return contents one after the other, as markup."""
    return Markup("".join(_pieces(content)))


def _pieces(content: Iterable[Content]) -> Iterable[str]:
    for one in content:
        if isinstance(one, Markup):
            yield one
        elif isinstance(one, str):
            yield escaped(one)
        elif one is not None:
            yield from _pieces(one)


def _attribute(name: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(encodable(safe_line(str(value))))}"'


def escaped(text: str) -> Markup:
    """Return a text as markup: control characters spelt out, the characters of markup as references."""
    return Markup(escape(encodable(safe(text))))


def encodable(text: str) -> str:
    """Return a text with a replacement character for each byte of it that is not UTF-8."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


# -- addresses -------------------------------------------------------------------------------------


def file_address(path: str, *, line: int | None = None) -> str:
    """Return the relative address of a file.

    No path makes an address with a scheme or a host: colons are encoded, and it never begins with a slash.
    """
    way = quote(path, errors="surrogateescape").lstrip("/")
    return f"{way}#L{line}" if line else way


def web_address(text: str) -> str | None:
    """Return the address of a page on the web; None for anything else, like `javascript:`."""
    try:
        parts = urlsplit(text)
    except ValueError:  # brackets that are no address of a host
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or not text.isprintable():
        return None
    return quote(text, safe=_OF_ADDRESSES, errors="replace")
