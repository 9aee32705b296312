"""Secrets in texts, by the forms that are known: keys of services, tokens, private keys, passwords in URLs.

The forms are data, in `secret_forms.toml`. What is found is named by its form and its line, never by its words.
"""

from __future__ import annotations

import math
import pkgutil
import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FORMS = "secret_forms.toml"

# What stands in examples in place of a secret: one sign all the way, a variable, a word that says what belongs there.
_PLACEHOLDER = re.compile(
    r"[xX*._\-#…]*|[$%{<\[(].*|.*[}>]|\.\.\..*|(?:my|your|the|some|a)?[-_]?(?:user)?"
    r"(?:pass(?:word|wd|phrase)?|pw|pwd|secret|token|key|changeme|example)[-_]?(?:here)?",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"[A-Za-z]{2,8}[-_.]")


class _Form(NamedTuple):
    name: str
    near: tuple[str, ...]
    pattern: str
    least_entropy: float


class Secret(NamedTuple):
    """What looks like a secret in a text: its form, its place in characters, and its line, from 1."""

    form: str
    start: int
    end: int
    line: int

    @property
    def mask(self) -> str:
        """What stands in its place."""
        return f"[secret: {self.form}]"


@cache
def forms() -> tuple[_Form, ...]:
    """Return the known forms, the most special ones first."""
    import tomllib

    data = pkgutil.get_data(__package__, FORMS) or b""
    return tuple(
        _Form(one["name"], tuple(one["near"]), one["pattern"], one.get("least_entropy", 0.0))
        for one in tomllib.loads(data.decode())["form"]
    )


def secrets_in(text: str) -> tuple[Secret, ...]:
    """Return what looks like a secret in a text, in the order of the text; nothing overlaps. Takes linear time."""
    found: list[tuple[int, int, str]] = []
    for form in forms():
        if not any(near in text for near in form.near):
            continue
        for match in re.finditer(form.pattern, text):
            group = 1 if match.re.groups else 0
            if not _is_example(match[group], form):
                found.append((*match.span(group), form.name))
    return _apart(text, found) if found else ()


def masked(text: str, secrets: Sequence[Secret] | None = None) -> str:
    """Return a text with its secrets masked, and as many line breaks as before."""
    parts, at = [], 0
    for one in secrets_in(text) if secrets is None else secrets:
        parts += [text[at : one.start], one.mask, "\n" * text.count("\n", one.start, one.end)]
        at = one.end
    return "".join([*parts, text[at:]])


def masks_in(text: str) -> Iterator[tuple[str, int]]:
    """Yield the form of each mask in a text, and its line, from 1."""
    for number, line in enumerate(text.split("\n"), 1) if "[secret: " in text else ():
        for form in forms():
            if f"[secret: {form.name}]" in line:
                yield form.name, number


def _is_example(secret: str, form: _Form) -> bool:
    tail = _PREFIX.sub("", secret, count=3)
    if _PLACEHOLDER.fullmatch(tail):
        return True
    return bool(form.least_entropy) and _entropy(tail) < form.least_entropy


def _entropy(text: str) -> float:
    """Return the entropy of the signs of a text, in bits a sign."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts) if text else 0.0


def _apart(text: str, found: list[tuple[int, int, str]]) -> tuple[Secret, ...]:
    """Return secrets without those that begin in another one, with their lines."""
    secrets: list[Secret] = []
    line, at = 1, 0
    # `sorted` keeps the order of the forms for secrets that begin at the same place.
    for start, end, form in sorted(found, key=lambda one: one[0]):
        if secrets and start < secrets[-1].end:
            if end > secrets[-1].end:
                secrets[-1] = secrets[-1]._replace(end=end)
            continue
        line, at = line + text.count("\n", at, start), start
        secrets.append(Secret(form, start, end, line))
    return tuple(secrets)
