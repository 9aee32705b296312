"""Reads who may see a file out of many versions of files: what is equal in them is read once.

Versions share most lines of their frontmatter. A key with its value, on one line or with a list below, means the same
in every file, so each distinct one is read and checked once; only frontmatters of plain lines are taken apart like that
(`files.plain_lines`). Everything else is left to the reader of whole files.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from memstore.access.policy import labels_of
from memstore.access.world import BlobLabels, Labels
from memstore.core.catalog import FileKind
from memstore.core.keys import KEY_BY_NAME, KEYS, Shape
from memstore.core.memory import Generalization
from memstore.core.titles import default_title, title_by_heading, title_of
from memstore.files import fence, memory_file, plain_lines, plain_note, shapes
from memstore.files.memory_file import BrokenFile, PlainFile, SealedFile
from memstore.files.strict_yaml import MOST_NODES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_REQUIRED = frozenset(key.name for key in KEYS if key.required)
_LABELS = Labels._fields
_ONE_LINE = frozenset(key.name for key in KEYS if key.shape is Shape.LINE)
_DECISIVE = _REQUIRED | {*_LABELS}
# A key of the outermost map: everything else begins with a blank, a dash or a sign.
_ID_LINE = re.compile(rb"^[\"']?id[\"']?[ \t]*:[ \t]*[\"']?([A-Za-z0-9_-]+)", re.MULTILINE)
_BEFORE_KEY = re.compile(r"\n(?=[a-z])")
_HEADING_LINE = re.compile(rb"(?:[ \t]*\r?\n)*( {0,3}#[^\n]*)")  # at the beginning of a body


class _Pair(NamedTuple):
    """A key of a frontmatter, and its value, as sound."""

    name: str
    value: Any


class _Front(NamedTuple):
    """What a frontmatter says: its title if it has one, its aliases, and its labels."""

    title: str | None
    aliases: Sequence[str]
    labels: Labels


class LabelReader:
    """Reads versions of files.

    Args:
        mixed: whether the vault holds notes of other programs.
    """

    def __init__(self, *, mixed: bool) -> None:
        self._mixed = mixed
        self._pairs: dict[str, _Pair | None] = {}
        self._labels: dict[tuple[str | None, ...], Labels] = {}
        self._fronts: dict[bytes, _Front | None] = {}
        self._decisive: dict[str, str] = {}  # the lines that say who may see it
        self._titles: dict[bytes, str | None] = {}  # by heading

    def read(self, path: str, data: bytes) -> BlobLabels:
        """Return what the file at a path says of who may see it."""
        plainly = self._plainly(path, data)
        if plainly is not None:
            return plainly
        match memory_file.read(path, data, mixed=self._mixed):
            case BrokenFile():
                found = _ID_LINE.search(fence.head_of(data))
                labels = Labels(id=found[1].decode(), malformed=True) if found else None
                return BlobLabels(FileKind.BROKEN, (), labels)
            case SealedFile():
                return BlobLabels(FileKind.SEALED)
            case PlainFile():
                return BlobLabels(FileKind.PLAIN)
            case file:
                names = (title_of(file.memory), *file.memory.aliases)
                return BlobLabels(FileKind.MEMORY, names, labels_of(file.memory))

    def _plainly(self, path: str, data: bytes) -> BlobLabels | None:
        """Return the same for a memory with a frontmatter of plain and sound lines; None for anything else."""
        span = fence.span(data) if len(data) <= fence.MOST_BYTES else None
        if span is None or not (data.isascii() or _is_utf8(data)):
            return None
        if self._mixed and plain_note.is_registry(path, data):
            return None
        head = data[span.head : span.closing]
        if head not in self._fronts:
            is_memory = not self._mixed or plain_note.means_to_be_memory(data)
            self._fronts[head] = self._front(head.decode()) if is_memory else None
        front = self._fronts[head]
        if front is None:
            return None
        names = (front.title or self._default_title(data, span.body), *front.aliases)
        return BlobLabels(FileKind.MEMORY, names, front.labels)

    def _default_title(self, data: bytes, body: int) -> str:
        """Return the default title of a body; if it begins with a heading, nothing more is read."""
        if found := _HEADING_LINE.match(data, body):
            if found[1] not in self._titles:
                self._titles[found[1]] = title_by_heading(found[1].decode())
            if title := self._titles[found[1]]:
                return title
        return default_title(data[body:].decode())

    def _front(self, head: str) -> _Front | None:
        """Return what a frontmatter says; None if its lines are not plain or not sound."""
        if len(head) > MOST_NODES:
            return None
        lines = _BEFORE_KEY.split(head.removesuffix("\n"))
        pairs = [*map(self._pairs.get, lines)]
        if None in pairs:
            pairs = [self._pair(line) for line in lines]
        values: dict[str, Any] = dict(filter(None, pairs))
        if len(values) < len(lines) or not values.keys() >= _REQUIRED:
            return None
        key = tuple(map(self._decisive.get, lines))
        if key not in self._labels:
            decisive = {name: value for name, value in values.items() if name in _DECISIVE}
            self._labels[key] = labels_of(memory_file.memory_of(decisive, ""))
        aliases = values.get("aliases")
        return _Front(values.get("title"), [aliases] if isinstance(aliases, str) else aliases or (), self._labels[key])

    def _pair(self, line: str) -> _Pair | None:
        """Return what a key's lines say; None if they are not plain or not sound."""
        if line not in self._pairs:
            pair = self._pairs[line] = _pair(line)
            if pair and pair.name in _DECISIVE:
                self._decisive[line] = line
        return self._pairs[line]


def _pair(line: str) -> _Pair | None:
    quoted = plain_lines.quoted(line)
    if quoted and quoted[0] in _ONE_LINE:  # as titles, of which hardly two are alike
        return _Pair(*quoted)
    front = plain_lines.read(line, first_line=1)
    if front is None or len(front.values) != 1:
        return None
    [(name, value)] = front.values.items()
    key = KEY_BY_NAME.get(name)
    return _Pair(name, value) if key is None or not shapes.check(front, (key,)) else None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


# -- what was read, as a document --------------------------------------------------------------------


_DEFAULTS = Labels(id="")


def document_of(found: Sequence[tuple[str, BlobLabels]]) -> dict[str, Any]:
    """Return the labels of blobs as a JSON document; most versions of a file have the same labels."""
    known = {id(one.labels): one.labels for _, one in found if one.labels}
    numbers = {name: i for i, name in enumerate(known, 1)}
    blobs = {blob: [one.kind.value, one.names, numbers.get(id(one.labels), 0)] for blob, one in found}
    return {"labels": [_packed(one) for one in known.values()], "blobs": blobs}


def labels_in(document: Mapping[str, Any]) -> dict[str, BlobLabels]:
    """Return the labels of blobs in a document.

    Raises:
        ValueError, KeyError, TypeError, AttributeError, IndexError: the document is another one.
    """
    labels = [None, *(_unpacked(values) for values in document["labels"])]
    cells = document["blobs"].items()
    return {blob: BlobLabels(FileKind(kind), tuple(names), labels[i]) for blob, (kind, names, i) in cells}


def _packed(labels: Labels) -> dict[str, Any]:
    values = {name: value for name in _LABELS if (value := getattr(labels, name)) != getattr(_DEFAULTS, name)}
    if labels.generalization:
        values["generalization"] = labels.generalization._asdict()
    return values


def _unpacked(values: dict[str, Any]) -> Labels:
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    if "upstream_grants" in lists:
        lists["upstream_grants"] = tuple(map(tuple, lists["upstream_grants"]))
    if given := values.get("generalization"):
        values["generalization"] = Generalization(**given | {"checks": tuple(given["checks"])})
    return Labels(**values | {"id": values.get("id", "")} | lists)
