"""A registry file: bytes to plain values, or to the findings that say why not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.codec import fence, shapes, splice, strict_yaml
from memstore.codec.draft import new_file
from memstore.codec.fence import BOM, FencedText, not_utf8
from memstore.codec.problem import Problem
from memstore.errors import FormatError
from memstore.model.finding import Position
from memstore.model.registry import FORMS
from memstore.rules.vault_places import RegistryKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memstore.codec.render import Plain
    from memstore.codec.strict_yaml import Frontmatter
    from memstore.model.finding import Finding


@dataclass(frozen=True, slots=True)
class RegistryFile:
    """One registry file that was read; `front` gives the places of its values. It has no body where it is all YAML."""

    path: str
    kind: RegistryKind
    values: dict[str, Any]
    front: Frontmatter
    body: str = ""


def read(path: str, kind: RegistryKind, data: bytes) -> RegistryFile | tuple[Finding, ...]:
    """Return what the registry file at `path` says, or the findings that it can't be read for."""
    parts = _yaml_of(data) if kind.suffix == ".yaml" else _parts_of(data)
    if isinstance(parts, Problem):
        return (parts.found_in(path),)
    head, first_line, body = parts
    front = strict_yaml.read(head, first_line=first_line)
    problems = front.problems or shapes.check(front, FORMS[kind].keys) or list(_lacking(front, kind))
    if problems:
        return tuple(problem.found_in(path) for problem in problems)
    return RegistryFile(path, kind, front.values, front, body)


# What makes a record one, by its type; one that lacks it may have refused anything.
_MAKES_IT_ONE = {
    "consent": ("grantee", "scope"),
    "delegation": ("grantee", "scope", "expires_at"),
    "revocation": ("revokes",),
}


def _lacking(front: Frontmatter, kind: RegistryKind) -> Iterator[Problem]:
    for key in _MAKES_IT_ONE[front.values["type"]] if kind is RegistryKind.CONSENT else ():
        if shapes.is_absent(front.values.get(key)):
            what = f"a {front.values['type']} without `{key}`"
            hint = f"add `{key}`; memstore consent writes it"
            yield Problem("value-missing", front.position("type"), what, hint, key=key)


_FENCE = b"---\n"


def written(kind: RegistryKind, values: Mapping[str, Plain], body: str = "") -> bytes:
    """Return the bytes of a new registry file that says just this; absent values are left out."""
    said = new_file(values, body)
    return said if kind.suffix != ".yaml" else said.removeprefix(_FENCE).removesuffix(_FENCE)


def edited(path: str, kind: RegistryKind, data: bytes, edits: Iterable[splice.Edit]) -> bytes:
    """Return the bytes of a registry file after edits that touch only what they must.

    Raises:
        FormatError: the file can't be read, or not be edited without touching more than was asked for.
    """
    if kind.suffix != ".yaml":
        return splice.apply_to_text(path, _fenced(path, data), edits)
    # All of it is what stands between the fences in other files.
    mark = BOM if data.startswith(BOM) else b""
    end = b"\r\n" if b"\r\n" in data else b"\n"
    bare = data.removeprefix(BOM)
    closing = b"" if bare.endswith(b"\n") or not bare else end
    fence_line = b"---" + end
    after = splice.apply_to_text(path, _fenced(path, fence_line + bare + closing + fence_line), edits)
    return mark + after.removeprefix(fence_line).removesuffix(fence_line).removesuffix(closing or b"\0")


def _fenced(path: str, data: bytes) -> FencedText:
    text = fence.split(data)
    if isinstance(text, FencedText):
        return text
    raise FormatError(f"{path} can't be read and is not touched", hint=f"memstore check {path}")


def _yaml_of(data: bytes) -> tuple[str, int, str] | Problem:
    try:
        return data.removeprefix(BOM).decode(), 1, ""
    except UnicodeDecodeError:
        return not_utf8(data)


def _parts_of(data: bytes) -> tuple[str, int, str] | Problem:
    text = fence.split(data)
    if text is None:
        return Problem(
            "fence-opening",
            Position(1),
            "a registry file without a frontmatter",
            hint="begin the file with a line ---, its keys, and another line ---",
        )
    return text if isinstance(text, Problem) else (text.head, text.head_line, text.body)
