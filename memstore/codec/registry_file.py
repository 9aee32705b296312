"""A registry file: bytes to plain values, or to the findings that say why not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.codec import fence, shapes, strict_yaml
from memstore.codec.fence import BOM, not_utf8
from memstore.codec.problem import Problem
from memstore.model.finding import Position
from memstore.model.registry import FORMS, RegistryKind

if TYPE_CHECKING:
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
    parts = _yaml_of(data) if FORMS[kind].suffix == ".yaml" else _parts_of(data)
    if isinstance(parts, Problem):
        return (parts.found_in(path),)
    head, first_line, body = parts
    front = strict_yaml.read(head, first_line=first_line)
    problems = front.problems or shapes.check(front, FORMS[kind].keys)
    if problems:
        return tuple(problem.found_in(path) for problem in problems)
    return RegistryFile(path, kind, front.values, front, body)


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
