"""Expand what came to mind: the whole memory, and what is linked with it; a compressed one with every byte it had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memstore.errors import NotFoundError
from memstore.flows.compress import whole_of
from memstore.flows.show import glance
from memstore.flows.uses import record_use
from memstore.model.ids import MemoryRef
from memstore.model.one_line import one_line

if TYPE_CHECKING:
    from memstore.codec.memory_file import MemoryFile
    from memstore.core.view import View
    from memstore.flows.show import Shown
    from memstore.model.memory import Memory

# The keys that link memories, in the order in which a card shows them.
LINKS = ("derived_from", "relates_to", "processed_into", "supersedes", "superseded_by")


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One link of a memory: the key, the ref, and title and path of what it names, None where there is none to see."""

    key: str
    ref: str
    title: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expanded:
    """A memory with its links.

    `file` has the bytes of its file, `whole` those before it was compressed, None where it never was; of a file that
    names memories which the viewer may not be told of, the bytes of its text alone.
    """

    shown: Shown
    links: tuple[Link, ...]
    file: bytes = b""
    whole: bytes | None = None

    __repr__ = one_line

    @property
    def ref(self) -> str | None:
        """The ref of the memory; None where it has no id."""
        return self.shown.entry.ref


def expand(view: View, ref: str, *, full: bool = False) -> Expanded:
    """Return all of a memory; that is a use of it.

    >>> first = raw(ws.view(), "Claire yawned at four.")
    >>> held = belief(ws.view(), "Claire tires early.", derived_from=[first.ref])
    >>> [(link.key, link.title) for link in expand(ws.view(), held.ref).links]
    [('derived_from', 'Claire yawned at four.')]

    Args:
        view: the vault.
        ref: the memory.
        full: bring back from the history what was compressed.

    Raises:
        NotFoundError: there is no such memory that the viewer may see, or the history has lost its bytes.
    """
    shown = glance(view, ref)
    whole = _whole(view, shown.memory) if full else None
    file = _shown_bytes(view, shown.file) if full else b""
    links = tuple(_links(view, shown))
    record_use(view, shown.memory.id, "expand")
    return Expanded(shown=shown, links=links, file=file, whole=whole)


def _links(view: View, shown: Shown) -> list[Link]:
    from memstore.flows.sources import entries

    found = []
    for key in LINKS:
        for ref in getattr(shown.memory, key):
            if MemoryRef.parse(ref):
                entry = next(iter(entries(view, [ref])), None)
                found.append(Link(key=key, ref=ref, title=entry and entry.title, path=entry and entry.path))
            else:
                found.append(Link(key=key, ref=ref))
    return found


def _whole(view: View, memory: Memory) -> bytes | None:
    """Return the file as it was before the memory was compressed; None where it never was."""
    kept = memory.compressed_from
    if kept is None:
        return None
    before = whole_of(view, memory)
    # Decided on the bytes that are shown: they have grants of their own.
    if before is None or not view.sees(before.memory):
        raise NotFoundError(
            f"the history has no blob {kept.blob[:10]}, of which {memory.ref} is the summary",
            hint=f"fetch the history that has commit {kept.commit[:10]}",
        )
    return _shown_bytes(view, before)


def _shown_bytes(view: View, file: MemoryFile) -> bytes:
    whole = view.shows_all(file)
    return file.data if whole else file.text.body.encode("utf-8", "surrogateescape")
