"""Folders of Markdown: Claude Code's memories, OpenClaw workspaces, basic-memory notes, OKF bundles, and any others.

Source: docs/references.md, "formats of other programs".
"""

from __future__ import annotations

import json
import posixpath
import re
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from memstore.core.change import Skipped
from memstore.core.errors import FormatError
from memstore.core.file_names import slug
from memstore.core.ids import MEMORY_TYPES
from memstore.core.keys import EXTERNAL
from memstore.core.places import FOLDER_OF_TYPE, NO_CONCEPTS, is_memory_name, is_name_on_one_line, stem_of
from memstore.core.titles import heading_text
from memstore.exchange.draft import (
    FORGOTTEN_THERE,
    LONGEST_VALUE,
    CitedLines,
    Draft,
    Exported,
    Original,
    When,
    clean,
    key_of,
    one_line,
    plain,
    sound,
    time_of,
    utf8,
    when,
    words,
)
from memstore.exchange.exporting import OWN_KEY
from memstore.exchange.records import exported_in
from memstore.files import fence, memory_file, plain_note, strict_yaml
from memstore.files.fence import FencedText
from memstore.files.links import Code
from memstore.files.memory_file import MemoryFile
from memstore.trust.formats.memory_v01 import STAYS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memstore.exchange.source import ImportSource
    from memstore.files.render import Plain

_MARKDOWN = r"(?:.*/)?[^/]+\.(?:md|markdown|mdx)"
# Keys of front matter that memories have keys of their own for.
_TAKEN_OVER = frozenset({"title", "tags", "tag", "keywords", "categories", "aliases", "alias"})


# -- Claude Code -----------------------------------------------------------------------------------


CLAUDE_CODE = "si:claude-code"
_INDEX = "MEMORY.md"
_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_PAIR = re.compile(r"^[ \t]*([A-Za-z][\w-]*):[ \t]*(.*)$", re.MULTILINE)
# The keys under which memories of it have a time, the first one that counts first.
_TIMES = ("created", "created_at", "date", "modified", "updated", "updated_at")
_LINK = re.compile(r"\]\((?:\./)?([^()\s]+\.md)\)")


def claude_code(source: ImportSource) -> Iterator[Draft | Skipped]:
    """Yield the memories of one project's folder, or of all folders named `memory` below the source."""
    below = source.matching(r".*/memory/.+\.md")
    for name in below or _markdown(source, "a folder of memories"):
        yield from sound(source.where(name), partial(_of_claude_code, source, name))


def _of_claude_code(source: ImportSource, name: str) -> Iterator[Draft | Skipped]:
    data = _read(source, name)
    project, inside = _project(source, name)
    key = f"{project}/{inside}" if project else inside
    label = f"Claude Code, {project}" if project else "Claude Code"
    if name.rpartition("/")[2] == _INDEX:
        yield from _sections(source, name, data, label=label, author=CLAUDE_CODE)
        return
    text, front = _front_matter(data)
    metadata = _map(front.get("metadata"))
    kinds = (front.get("type"), metadata.get("type"))
    kind = next((one_line(found) for found in kinds if isinstance(found, str) and found), "")
    body = text if text.strip() else one_line(front.get("description"), LONGEST_VALUE)
    if not body or _was_forgotten(name, data):
        yield Skipped(source.where(name), FORGOTTEN_THERE if body else "it has no text")
        return
    yield Draft(
        key=key_of(key, data),
        where=source.where(name),
        type="note",
        title=one_line(front.get("name")) or stem_of(name),
        body=body,
        source=label,
        source_type="told_by_agent",
        author=CLAUDE_CODE,
        made=when(*(of.get(key) for key in _TIMES for of in (metadata, front)), saved=source.saved_at(name)),
        cites=(_whole(name, data),),
        path=_path("note", slug(f"claude-code{project}", 60), inside),
        values={
            "tags": words([kind]),
            "aliases": [one_line(stem_of(name))],
            **_rest("claude_code", front, {"name"}),
        },
    )


def _project(source: ImportSource, name: str) -> tuple[str, str]:
    """Return the folder that Claude Code named after the project, empty if none is seen, and the path in its memory."""
    whole = [*source.place, *name.split("/")] if source.is_folder else source.place
    for at, (above, folder) in enumerate(pairwise(whole[:-1]), 2):
        if folder == "memory" and above.startswith("-"):
            return above, "/".join(whole[at:])
    return "", (f"/{name}".partition("/memory/")[2] or name) if source.is_folder else whole[-1]


def _front_matter(data: bytes) -> tuple[str, Mapping[str, Any]]:
    """Return a memory's text and front matter; what is not quite YAML is read by lines: `description: so: it is`."""
    text, front = plain_note.read(data)
    found = _FRONT.match(text.body) if not front else None
    if found is None:
        return text.body, front
    return text.body[found.end() :], {key: value.strip().strip("\"'") for key, value in _PAIR.findall(found[1])}


# -- OpenClaw --------------------------------------------------------------------------------------


OPENCLAW = "si:openclaw"
_CHANNELS = {"memory.md": "MEMORY.md", "user.md": "USER.md"}


def openclaw(source: ImportSource) -> Iterator[Draft | Skipped]:
    """Yield the sections of MEMORY.md and USER.md, and a raw memory for each file below `memory/`."""
    for name in _markdown(source, "a workspace"):
        yield from sound(source.where(name), partial(_of_openclaw, source, name))


def _of_openclaw(source: ImportSource, name: str) -> Iterator[Draft | Skipped]:
    channel = _CHANNELS.get(name.casefold())
    if channel is None and not name.startswith("memory/"):
        diary = name.casefold() == "dreams.md"
        yield Skipped(
            source.where(name), "it is a diary for people" if diary else "it is not one of a workspace's memory files"
        )
        return
    data = _read(source, name)
    if channel:
        yield from _sections(source, name, data, label="OpenClaw", author=OPENCLAW, channel=channel)
        return
    text, note, _ = plain_note.note(name, data)
    if not text.body.strip() or _was_forgotten(name, data):
        yield Skipped(source.where(name), "it has no text" if not text.body.strip() else FORGOTTEN_THERE)
        return
    yield Draft(
        key=key_of(name, data),
        where=source.where(name),
        type="raw",
        title=f"{note.title}",
        body=text.body,
        source="OpenClaw",
        source_type="told_by_agent",
        author=OPENCLAW,
        made=_when(source, name, note.created_at, data),
        cites=(_whole(name, data),),
        values={"channel": "session", "tags": [*note.tags], **_rest("openclaw", plain_note.read(data)[1], set())},
    )


# -- basic-memory and any other folder of notes ---------------------------------------------------


_BACKUP = re.compile(r"(?:^|/)logseq/bak/")
_CANVAS = r".*\.canvas"
# Files beside the notes that may hold a person's words, and are no Markdown.
_OTHER = r"(?!(?:.*/)?logseq/).*\.(?:org|base|edn)"


def basic_memory(source: ImportSource) -> Iterator[Draft | Skipped]:
    """Yield a note for each file, at the same relative path, which keeps links intact."""
    return _notes(source, "basic_memory", "basic-memory", names=("permalink",))


def markdown(source: ImportSource) -> Iterator[Draft | Skipped]:
    """Yield a note for each file of a folder like those of Obsidian, Logseq or zk, and for each canvas of Obsidian."""
    yield from _notes(source, "markdown", "notes", names=())
    for name in source.matching(_CANVAS):
        yield from sound(source.where(name), partial(_canvas, source, name))
    for name in source.matching(_OTHER) if source.is_folder else ():
        yield Skipped(source.where(name), "it is not Markdown")


def _notes(source: ImportSource, key: str, label: str, *, names: tuple[str, ...]) -> Iterator[Draft | Skipped]:
    base = slug(source.stem, 60) or "notes"
    for name in _markdown(source, "a folder of notes"):
        yield from sound(source.where(name), partial(_note, source, name, base, key, label, names))


def _note(
    source: ImportSource, name: str, base: str, key: str, label: str, names: tuple[str, ...]
) -> Iterator[Draft | Skipped]:
    data = _read(source, name)
    text, front = plain_note.read(data)
    is_backup = bool(_BACKUP.search(name))
    if is_backup or not text.body.strip("-*+ \t\r\n"):
        yield Skipped(source.where(name), "it is a backup of Logseq's" if is_backup else "it has no text")
        return
    exported = _exported_file(name, data)
    if exported is not None and exported.was_forgotten and key != "markdown":
        yield Skipped(source.where(name), FORGOTTEN_THERE)
        return
    note = plain_note.note(name, data)[1]
    other_names = [one_line(front.get(other)) for other in names]
    aliases: list[Plain] = [
        *dict.fromkeys(alias for alias in (*note.aliases, *other_names, one_line(stem_of(name))) if alias)
    ]
    kind = one_line(front.get("type")).casefold()
    type_ = kind if kind in MEMORY_TYPES else "note"
    yield Draft(
        key=key_of(name, data),
        where=source.where(name),
        type=type_,
        title=note.title or "",
        body=text.body,
        source=f"{label}: {name}",
        source_type="unknown",
        made=_when(source, name, note.created_at, data),
        cites=(_whole(name, data),),
        path=_path(type_, base, name),
        values={"aliases": aliases, "tags": words([*note.tags]), **_rest(key, front, {"permalink"} & {*names})},
        exported=exported if key == "markdown" else None,
    )


def _canvas(source: ImportSource, name: str) -> Iterator[Draft | Skipped]:
    """Return a note with the cards of a canvas, as a list in their order, and below it what its arrows connect."""
    data = _read(source, name)
    try:
        canvas = _map(json.loads(data or b"{}"))
    except (ValueError, RecursionError):
        yield Skipped(source.where(name), "it is not a canvas that can be read", broken=True)
        return
    cards = {one_line(card.get("id")): text for card in map(_map, _list(canvas.get("nodes"))) if (text := _card(card))}
    arrows = []
    for arrow in map(_map, _list(canvas.get("edges"))):
        ends = [
            cards.get(one_line(arrow.get(end)), "").partition("\n")[0].lstrip("# ") for end in ("fromNode", "toNode")
        ]
        if all(ends):
            arrows.append(" → ".join(filter(None, (ends[0], one_line(arrow.get("label")), ends[1]))))
    if not cards:
        yield Skipped(source.where(name), "it has no text")
        return
    yield Draft(
        key=key_of(name, data),
        where=source.where(name),
        type="note",
        title=name.rpartition("/")[2].removesuffix(".canvas"),
        body="\n\n".join([*cards.values(), "\n".join(f"- {arrow}" for arrow in arrows)]).rstrip(),
        source=f"notes: {name}",
        source_type="unknown",
        made=when(saved=source.saved_at(name)),
        cites=(_whole(name, data),),
        values={"aliases": [*dict.fromkeys(map(one_line, (name.rpartition("/")[2], name)))]},
    )


def _card(card: Mapping[str, Any]) -> str:
    """Return the text of a card of a canvas: its own, a link to its file or page, or the name of a group."""
    for key, shown in (("text", "{}"), ("file", "[[{}]]"), ("url", "<{}>"), ("label", "{}")):
        if isinstance(value := card.get(key), str) and value.strip():
            return shown.format(clean(value).strip())
    return ""


# -- Open Knowledge Format -------------------------------------------------------------------------


_TYPE = re.compile(r"^type:", re.MULTILINE)
_URL = re.compile(r"https?://\S+\Z")


def okf(source: ImportSource) -> Iterator[Draft | Skipped]:
    """Yield a memory for each concept of a bundle; a source that is a concept of the same bundle becomes a ref.

    A bundle is what somebody else wrote, so its concepts are external, and neither their files nor the originals have
    the names that it gave them (docs/adr/0038). The author named in it is only mentioned: anybody can write any name
    there.
    """
    concepts: dict[str, tuple[str, str]] = {}
    exported: dict[str, Exported | None] = {}
    for name in _markdown(source, "a bundle"):
        if name.rpartition("/")[2] in NO_CONCEPTS:
            continue
        try:
            data = _read(source, name)
            if _was_forgotten(name, data):
                yield Skipped(source.where(name), FORGOTTEN_THERE)
                continue
            concepts[name] = key_of(name, data), _concept_type(_concept(source, name, data))
        except FormatError as error:
            yield Skipped.unread(source.where(name), error)
            continue
        exported[name] = _exported_concept(data)
    for name in sorted(concepts, key=lambda name: exported[name] is None):  # others refer to what memstore exported
        data = source.data(name)
        front = _concept(source, name, data)
        made = _map(front.get("generated"))
        by = one_line(made.get("by"))
        sources = [_map(one).get("resource") for one in _list(front.get("sources"))]
        paths = [path for one in sources if (path := _in_bundle(name, one)) in concepts and path != name]
        key, kind = concepts[name]
        body = plain_note.read(data)[0].body
        is_deprecated = one_line(front.get("status")) == "deprecated"
        values: dict[str, Plain] = {
            "tags": words(front.get("tags")),
            "aliases": [*dict.fromkeys(map(one_line, (name, name.rpartition("/")[2], stem_of(name))))],
            "status": "archived" if is_deprecated else None,
            "status_reason": "deprecated in its bundle" if is_deprecated else None,
            "valid_until": _day(front.get("stale_after")),
            "okf": plain({key: value for key, value in front.items() if key not in ("title", "tags", OWN_KEY)}),
        }
        yield Draft(
            key=key,
            where=source.where(name),
            type=kind,
            title=one_line(front.get("title")) or stem_of(name),
            body=body if body.strip() else one_line(front.get("description"), LONGEST_VALUE) or stem_of(name),
            source=f"OKF: {name}, by {by}" if by else f"OKF: {name}",
            source_type=EXTERNAL,
            made=when(made.get("at"), front.get("timestamp"), saved=source.saved_at(name)),
            cites=(_whole(EXTERNAL, data),),
            derived_from=tuple(concepts[path] for path in dict.fromkeys(paths)),
            marks=tuple(f"url:{one_line(one)}" for one in sources if isinstance(one, str) and _URL.match(one)),
            values=values,
            exported=exported[name],
        )


def _exported_concept(data: bytes) -> Exported | None:
    """Return the memory that memstore says it made a concept from; None if it didn't, or that can't be read."""
    text = fence.split(data)
    if not isinstance(text, FencedText) or OWN_KEY not in text.head:
        return None
    own = strict_yaml.read(text.head, first_line=1).values.get(OWN_KEY)
    return exported_in({**own, "body": text.body}) if isinstance(own, dict) else None


def _exported_file(name: str, data: bytes) -> Exported | None:
    """Return the memory in a file that memstore exported as it was; None if the file is not a memory with an id."""
    file = memory_file.read(name, data)
    if not isinstance(file, MemoryFile) or file.memory.id is None:
        return None
    return Exported(name, {key: value for key, value in file.front.values.items() if key not in STAYS}, file.text.body)


def _was_forgotten(name: str, data: bytes) -> bool:
    """Whether a file is what is left of a memory that was forgotten in a vault."""
    exported = _exported_file(name, data)
    return exported is not None and exported.was_forgotten


def _concept(source: ImportSource, name: str, data: bytes) -> Mapping[str, Any]:
    """Return the front matter of a concept; raise `FormatError` if it is missing or has no type."""
    front = plain_note.read(data)[1]
    if not one_line(front.get("type")):
        text = data.decode()
        found = _TYPE.search(text)
        line = text.count("\n", 0, found.start()) + 1 if found else 1
        raise FormatError(
            "a concept needs front matter in YAML with a `type`",
            where=source.where(name, line),
            hint="begin it with ---, type: Reference, ---, or import the folder as `markdown`",
        )
    return front


def _concept_type(front: Mapping[str, Any]) -> str:
    kind = one_line(front.get("type")).casefold()
    return kind if kind in MEMORY_TYPES else "note"


def _in_bundle(name: str, resource: object) -> str:
    """Return the path in the bundle that a concept's source points to; empty if it points elsewhere."""
    if not isinstance(resource, str) or ":" in resource:
        return ""
    path = resource.partition("#")[0]
    return (
        path.lstrip("/") if path.startswith("/") else posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    )


def _day(value: object) -> str | None:
    at = time_of(value)
    return at[:10] if at else None


# -- shared ----------------------------------------------------------------------------------------


_HEADING = re.compile(r"^## +(\S[^\n]*)$", re.MULTILINE)


def _markdown(source: ImportSource, what: str) -> tuple[str, ...]:
    names = source.matching(_MARKDOWN)
    if not names and not source.registries:
        if source.matching(r".*\.(?:edn|sqlite)"):
            hint = "export Logseq's graph as Markdown, and name that folder"
        else:
            hint = (
                "name the folder itself"
                if source.is_folder
                else "name a folder or a ZIP archive; unpack any other first"
            )
        raise FormatError(f"there is no Markdown in {source.name}, so it is not {what}", hint=hint)
    return names


def _read(source: ImportSource, name: str) -> bytes:
    """Return the bytes of a file of text; raise `FormatError` if they are not UTF-8."""
    data = source.data(name)
    utf8(source.where(name), data)
    return data


def _when(source: ImportSource, name: str, made: str | None, data: bytes) -> When:
    """Return when a note was made: by itself, or else its file, unless it states a time that can't be read."""
    return when(made or next((said for _, said in plain_note.unread_dates(data)), None), saved=source.saved_at(name))


def _whole(name: str, data: bytes) -> CitedLines:
    return CitedLines(Original(name, data), 1, max(data.rstrip(b"\n").count(b"\n") + 1, 1))


def _sections(
    source: ImportSource, name: str, data: bytes, *, label: str, author: str, channel: str = _INDEX
) -> Iterator[Draft | Skipped]:
    """Yield a note for each section below a second-level heading; a page that only lists files is left out."""
    text = utf8(source.where(name), data).replace("\r\n", "\n")
    if _is_index(source, name, text):
        yield Skipped(source.where(name), "it lists the other files")
        return
    code = Code(text)
    headings = (found.start() for found in _HEADING.finditer(text) if found.start() not in code)
    starts = [0, *headings, len(text)]
    original = Original(name, data)
    seen: dict[str, int] = {}
    for start, end in pairwise(starts):
        part = text[start:end]
        heading = heading_text(found[1]) if (found := _HEADING.match(part)) else ""
        content = part[found.end() :] if found else re.sub(r"\A\s*# .*", "", part)
        if not content.strip():
            continue
        seen[heading] = seen.get(heading, 0) + 1
        first = text.count("\n", 0, start) + 1
        yield Draft(
            key=key_of(f"{channel}#{heading}#{seen[heading]}", part.encode()),
            where=source.where(name, first),
            type="note",
            title=heading or stem_of(name),
            body=part.strip("\n"),
            source=label,
            source_type="told_by_agent",
            author=author,
            made=when(saved=source.saved_at(name)),
            cites=(CitedLines(original, first, first + part.rstrip().count("\n")),),
            values={"channel": channel},
        )


def _is_index(source: ImportSource, name: str, text: str) -> bool:
    """Whether each line of a page is a heading, or a link to a file beside it."""
    folder = name.rpartition("/")[0]
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    links = [_LINK.search(line) for line in lines]
    return bool(lines) and all(link and posixpath.join(folder, link[1]) in source.names for link in links)


def _path(kind: str, base: str, name: str) -> str:
    """Return the path of a file in the vault: its old relative path, below the folder of its type."""
    folder, slash, last = _portable(name).rpartition("/")
    stem = last.rpartition(".")[0]
    free = last if last.endswith(".md") and is_memory_name(last, mixed=False) else f"{stem.casefold()}-page.md"
    hidden = "/." in f"/{folder}"
    return "" if hidden or not is_name_on_one_line(name) else f"{FOLDER_OF_TYPE[kind]}/{base}/{folder}{slash}{free}"


# What Windows forbids in names of files, also as whole names; it can't check a vault out that has them.
_FORBIDDEN = re.compile(r'[<>:"\\|?*]|[. ]+(?=/|\Z)')
_DEVICE = re.compile(r"(?:^|(?<=/))(con|prn|aux|nul|com\d|lpt\d)(?=[./]|\Z)", re.IGNORECASE)


def _portable(name: str) -> str:
    """Return a path with its names as every system can have them."""
    return _DEVICE.sub(r"\1-", _FORBIDDEN.sub("-", name))


def _rest(key: str, front: Mapping[str, Any], known: set[str]) -> dict[str, Plain]:
    """Return the front matter that has no key in memories, collected under one key."""
    rest = {name: value for name, value in front.items() if name not in _TAKEN_OVER | known}
    return {key: plain(rest)} if rest else {}


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []
