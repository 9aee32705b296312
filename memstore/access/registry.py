"""Registry files: entities, groups, contexts, consents; their keys, and a strict reader.

They are not memories: entities, consents and requests are Markdown with frontmatter, groups and contexts are plain
YAML.
Reading returns plain values, or the findings that say why the file can't be read.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memstore.core.conflict import VERDICTS, WITHDRAWN
from memstore.core.errors import FormatError
from memstore.core.finding import Position, Problem
from memstore.core.keys import SIGNATURE_KEYS, Key, Shape
from memstore.core.places import BETWEEN_IDS, RegistryKind
from memstore.files import fence, shapes, strict_yaml
from memstore.files.fence import BOM, FencedText
from memstore.files.fence_problems import not_utf8

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memstore.core.finding import Finding
    from memstore.files.render import Plain
    from memstore.files.splice import Edit
    from memstore.files.strict_yaml import Frontmatter


ENTITY_KINDS = ("person", "agent", "professional", "organisation", "ward", "topic", "artefact")
CONSENT_TYPES = ("consent", "delegation", "revocation")
EFFECTS = ("permit", "deny")
# Kept among the requests for consent, but asks for an attestation.
WITNESS_REQUEST = "witness-request"
METHODS = ("asserted", "quoted", "signed")


def _required_key(name: str, shape: Shape, choices: tuple[str, ...] = ()) -> Key:
    return Key(name, shape, choices, required=True)


MEMBER_KEYS = (_required_key("id", Shape.ENTITY), Key("from", Shape.DAY), Key("until", Shape.DAY))
ENTITY_KEYS = (
    _required_key("type", Shape.CHOICE, ("entity",)),
    _required_key("id", Shape.ENTITY),
    Key("kind", Shape.CHOICE, ENTITY_KINDS),
    Key("aliases", Shape.LINES),
    Key("email", Shape.LINE),
    Key("roles", Shape.ENTITIES),
    Key("guardians", Shape.ENTITIES),
    Key("controller", Shape.ENTITY),
    Key("sponsor", Shape.ENTITY),
)
GROUP_KEYS = (
    _required_key("id", Shape.ENTITY),
    Key("keepers", Shape.ENTITIES),
    Key("members", Shape.ENTRIES, entry=MEMBER_KEYS),
)
CONTEXT_KEYS = (
    _required_key("id", Shape.CONTEXT),
    Key("roster", Shape.ENTITIES),
    Key("open", Shape.FLAG),
    Key("roles", Shape.ROLES),
    Key("default_access", Shape.GRANTS),
    Key("sealing_key", Shape.LINE),
)
CONSENT_KEYS = (
    _required_key("type", Shape.CHOICE, CONSENT_TYPES),
    _required_key("id", Shape.MEMORY_ID),
    Key("effect", Shape.CHOICE, EFFECTS),
    _required_key("grantor", Shape.ENTITY),
    Key("on_behalf_of", Shape.ENTITY),
    Key("grantee", Shape.GRANTEE),
    Key("scope", Shape.SAY_SCOPE),
    Key("revokes", Shape.MEMORY_ID),
    _required_key("granted_at", Shape.INSTANT),
    Key("expires_at", Shape.INSTANT),
    Key("reason", Shape.LINE),
    Key("method", Shape.CHOICE, METHODS),
    Key("evidence", Shape.LINE),
    Key("signature", Shape.ENTRY, entry=SIGNATURE_KEYS),
)
REQUEST_KEYS = (
    _required_key("type", Shape.CHOICE, ("request", WITNESS_REQUEST)),
    _required_key("id", Shape.MEMORY_ID),
    Key("grantor", Shape.ENTITY),
    Key("on_behalf_of", Shape.ENTITY),
    Key("grantee", Shape.GRANTEE),
    Key("scope", Shape.LINE),
    Key("requested_at", Shape.INSTANT),
    Key("requested_by", Shape.ENTITY),
    Key("reason", Shape.LINE),
    # Only for a request for witnesses: the text they are to read, and its digests.
    Key("ref", Shape.REF),
    Key("asked", Shape.ENTITIES),
    Key("content", Shape.LINE),
    Key("content_digest", Shape.LINE),
    Key("provenance", Shape.LINE),
    Key("provenance_digest", Shape.LINE),
)
VERDICT_SIDE_KEYS = (
    _required_key("ref", Shape.REF),
    Key("lines", Shape.LINE),
    Key("blob", Shape.LINE),
    Key("digest", Shape.LINE),
)
VERDICT_KEYS = (
    _required_key("type", Shape.CHOICE, ("verdict",)),
    _required_key("id", Shape.MEMORY_ID),
    _required_key("verdict", Shape.CHOICE, (*VERDICTS, WITHDRAWN)),
    Key("judged", Shape.ENTRIES, entry=VERDICT_SIDE_KEYS, required=True),
    _required_key("judged_by", Shape.ENTITY),
    Key("model", Shape.LINE),
    _required_key("judged_at", Shape.INSTANT),
    Key("reason", Shape.LINE),
    Key("withdraws", Shape.MEMORY_ID),
)


@dataclass(frozen=True, slots=True)
class RegistryForm:
    """How files of one kind are written: their keys, and the namespace that file names omit.

    `namespace` is empty if the path contains it (entities) or ids have none (consents, requests).
    """

    keys: tuple[Key, ...]
    namespace: str = ""


FORMS = {
    RegistryKind.ENTITY: RegistryForm(ENTITY_KEYS),
    RegistryKind.GROUP: RegistryForm(GROUP_KEYS, "group"),
    RegistryKind.CONTEXT: RegistryForm(CONTEXT_KEYS, "ctx"),
    RegistryKind.CONSENT: RegistryForm(CONSENT_KEYS),
    RegistryKind.REQUEST: RegistryForm(REQUEST_KEYS),
    RegistryKind.VERDICT: RegistryForm(VERDICT_KEYS),
}


def expected_id(path: str, kind: RegistryKind) -> str:
    """Return the id that a registry file's path implies."""
    names = path.removesuffix(kind.suffix).split("/")
    if kind is RegistryKind.ENTITY:
        return ":".join(names[-2:])
    namespace = FORMS[kind].namespace
    return f"{namespace}:{names[-1]}" if namespace else names[-1].rpartition(BETWEEN_IDS)[2]


def is_named(registry_id: str, path: str, kind: RegistryKind) -> bool:
    """Whether an id is the one that a registry file's path implies; organisations are stored as groups are."""
    named = expected_id(path, kind)
    return registry_id == named or (kind is RegistryKind.GROUP and registry_id == f"org:{named.partition(':')[2]}")


def path_of(registry_id: str, kind: RegistryKind, *, year: str = "") -> str:
    """Return the path of the registry file for an id; consents and requests are filed by year of writing."""
    name = registry_id.replace(":", "/") if kind is RegistryKind.ENTITY else registry_id.rpartition(":")[2]
    return "/".join(part for part in (kind.value, year, f"{name}{kind.suffix}") if part)


# -- reading and writing one file ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RegistryFile:
    """A registry file that was read; `front` has the positions of its values. A pure YAML file has no body."""

    path: str
    kind: RegistryKind
    values: dict[str, Any]
    front: Frontmatter
    body: str = ""


def read(path: str, kind: RegistryKind, data: bytes) -> RegistryFile | tuple[Finding, ...]:
    """Return the contents of the registry file at `path`, or the findings that say why it can't be read."""
    parts = _yaml_of(data) if kind.suffix == ".yaml" else _parts_of(data)
    if isinstance(parts, Problem):
        return (parts.found_in(path),)
    head, first_line, body = parts
    front = strict_yaml.read(head, first_line=first_line)
    problems = front.problems or shapes.check(front, FORMS[kind].keys) or list(_missing_keys(front, kind))
    if problems:
        return tuple(problem.found_in(path) for problem in problems)
    return RegistryFile(path, kind, front.values, front, body)


# The keys that each type of record requires; a record without them may have refused anything.
_MAKES_IT_ONE = {
    "consent": ("grantee", "scope"),
    "delegation": ("grantee", "scope", "expires_at"),
    "revocation": ("revokes",),
}


def _missing_keys(front: Frontmatter, kind: RegistryKind) -> Iterator[Problem]:
    for key in _MAKES_IT_ONE[front.values["type"]] if kind is RegistryKind.CONSENT else ():
        if shapes.is_absent(front.values.get(key)):
            what = f"a {front.values['type']} without `{key}`"
            hint = f"add `{key}`; `memstore privacy consent` writes it"
            yield Problem("value-missing", front.position("type"), what, hint, key=key)


_FENCE = b"---\n"


def written(kind: RegistryKind, values: Mapping[str, Plain], body: str = "") -> bytes:
    """Return the bytes of a new registry file with these values; absent values are left out."""
    from memstore.files.draft import new_file

    said = new_file(values, body)
    return said if kind.suffix != ".yaml" else said.removeprefix(_FENCE).removesuffix(_FENCE)


def edited(path: str, kind: RegistryKind, data: bytes, edits: Iterable[Edit]) -> bytes:
    """Return the bytes of a registry file after edits that touch only what they must.

    Raises:
        FormatError: the file can't be read, or can't be edited without touching more than was asked for.
    """
    from memstore.files import splice

    if kind.suffix != ".yaml":
        return splice.apply_to_text(path, _fenced(path, data), edits)
    # The whole file corresponds to the part between the fences in other files.
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
    raise FormatError(f"{path} can't be read, so it was not changed", hint=f"memstore check {shlex.quote(path)}")


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
            "a registry file without frontmatter",
            hint="begin the file with a line ---, its keys and another line ---",
        )
    return text if isinstance(text, Problem) else (text.head, text.head_line, text.body)
