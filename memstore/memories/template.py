"""Templates of new memories, `.memstore/templates/TYPE.md`: the beginning of a draft, and keys for new memories.

A template makes no decision about a single memory: it may not set its owner, who may see it, where it comes from or who
vouches for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memstore.core.errors import FormatError, RefusedError
from memstore.core.finding import Problem
from memstore.core.ids import MEMORY_TYPES
from memstore.core.keys import KEYS
from memstore.core.places import SETTINGS_FOLDER
from memstore.core.transaction import hint, shown
from memstore.files import fence, fence_problems, shapes, splice, strict_yaml
from memstore.files.draft import new_file
from memstore.files.shapes import is_absent
from memstore.memories.add import DEFAULT_TYPE, why_not

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memstore.core.view import View
    from memstore.files.fence import FencedText
    from memstore.files.render import Plain
    from memstore.files.strict_yaml import Frontmatter


FOLDER = f"{SETTINGS_FOLDER}/templates"
# Among the keys that memstore knows; a template may also have any keys of the person's own.
MAY_BE_SET = frozenset({
    "type", "title", "aliases", "tags", "status", "valid_from", "valid_until", "scope", "platform", "context_tags",
    "entities", "subject_ids", "belief_type", "foundational", "importance", "confidence", "claims",
})  # fmt: skip
_KNOWN = frozenset(key.name for key in KEYS)


class Template(NamedTuple):
    """A template that was read and may be used; `text` is None if it has no frontmatter, only a body."""

    path: str
    text: FencedText | None
    values: Mapping[str, Plain]
    body: str


def with_defaults(view: View, values: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the keys of a new memory, completed from its type's template.

    Raises:
        FormatError: the template can't be read.
        RefusedError: it sets a key that a template may not set.
    """
    template = _template(view, values)
    return {**(template.values if template else {}), **values}


def draft(view: View, values: Mapping[str, Plain]) -> bytes:
    """Return the beginning of a new memory's draft: its type's template, unchanged except for the given keys.

    Raises:
        FormatError: as `with_defaults`, or no key can be added to the template as it is written.
        RefusedError: as `with_defaults`.
    """
    template = _template(view, values)
    given = {"type": DEFAULT_TYPE, **values}
    if template is None:
        return new_file(given, "") + b"\n"
    if template.text is None:
        return new_file(given, template.body)
    return splice.apply_to_text(template.path, template.text, [splice.SetValue(*item) for item in given.items()])


def _template(view: View, values: Mapping[str, Plain]) -> Template | None:
    kind = values.get("type") or DEFAULT_TYPE
    if kind not in MEMORY_TYPES:
        return None  # reported by whoever reads the memory
    path = f"{FOLDER}/{kind}.md"
    data = view.own_file(path)
    return None if data is None else _read(path, data, str(kind))


def _read(path: str, data: bytes, kind: str) -> Template:
    text = fence.split(data)
    if text is None:
        try:
            return Template(path, None, {}, data.decode("utf-8-sig"))
        except UnicodeDecodeError:
            text = fence_problems.not_utf8(data)
    if isinstance(text, Problem):
        raise _unreadable(path, [text])
    front = strict_yaml.read(text.head, first_line=text.head_line)
    wrong = front.problems or [one for one in shapes.check(front, KEYS) if one.key != "type" or one.key in front.values]
    if wrong:
        raise _unreadable(path, wrong)
    values = {name: value for name, value in front.values.items() if not is_absent(value)}
    for name, value in values.items():
        _refuse(path, front, name, value, kind)
    return Template(path, text, values, text.body)


def _unreadable(path: str, problems: Sequence[Problem]) -> FormatError:
    findings = [problem.found_in(path) for problem in problems]
    return FormatError(shown(findings), hint=hint(findings))


def _refuse(path: str, front: Frontmatter, name: str, value: Plain, kind: str) -> None:
    """Raise if a template sets a key that has to be decided for each memory."""
    place = f"{path}:{front.position(name).line}"
    if name == "type" and value != kind:
        raise RefusedError(f"{place}: this is the template for {kind}, but its type is {value}", hint=f"type: {kind}")
    if (name in _KNOWN and name not in MAY_BE_SET) or why_not(name, str(value)):
        raise RefusedError(
            f"{place}: a template can't set `{name}`, which each memory states for itself",
            hint="remove the line from the template",
        )
