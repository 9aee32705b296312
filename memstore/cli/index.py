"""`memstore index`: what is derived from the vault, and lies outside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstore.cli.options import group, subcommand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.cli.session import Session
    from memstore.flows.index import Rebuilt
    from memstore.ports.search_index import IndexStatus

_MEGABYTE = 1_000_000


@group("index", examples=("memstore index status", "memstore index rebuild"))
def index() -> None:
    """See, place or rebuild the search index; every read keeps it up to date by itself."""


@subcommand(index, "status", examples=("memstore index status --json",))
def status(session: Session) -> None:
    """Show where the index lies, what is in it, and how many files have changed since."""
    from memstore.flows import index as flow

    found = flow.status(session.view())
    session.emit("index-status", document=lambda: _status_document(found), lines=lambda: _status_lines(found))


@subcommand(index, "rebuild", examples=("memstore index rebuild",))
def rebuild(session: Session) -> None:
    """Drop the index and build it anew; nothing is lost with it."""
    from memstore.flows import index as flow

    done = flow.rebuild(session.view())
    session.emit("index-rebuild", document=lambda: _rebuilt_document(done), lines=lambda: _rebuilt_lines(done))


@subcommand(index, "path", examples=("du -sh $(memstore index path)",))
def path(session: Session) -> None:
    """Print the folder in which the index lies."""
    from memstore.cli.output import harmless_path

    folder = str(session.view().index_status().folder)
    session.emit("index-path", document=lambda: {"path": folder}, lines=lambda: (harmless_path(folder),))


def _status_document(found: IndexStatus) -> dict[str, Any]:
    from memstore.model.instants import instant

    return {
        "path": str(found.folder),
        "built": found.built,
        "usable": found.usable,
        "memories": found.memories,
        "left_out": found.broken,
        "files": found.files,
        "changed": found.changed,
        "bytes": found.size,
        "generation": found.generation,
        "written_at": instant(found.written_at) if found.written_at else None,
    }


def _status_lines(found: IndexStatus) -> Iterator[str]:
    from memstore.cli.output import safe_line

    yield f"path: {safe_line(str(found.folder))}"
    if not found.usable:
        yield "not used: the folder belongs to others, or others can write into it; everything is read anew each time"
    elif not found.built:
        yield "not built yet: the next search builds it"
    else:
        left_out = f", {found.broken:,} left out: see memstore check" if found.broken else ""
        yield f"memories: {found.memories:,} of {found.files:,} files{left_out}"
        yield f"changed since: {found.changed:,} {'file' if found.changed == 1 else 'files'}"
        yield f"size: {found.size / _MEGABYTE:.1f} MB, generation {found.generation}"
        yield f"written: {found.written_at:%Y-%m-%d %H:%M:%S} UTC"


def _rebuilt_document(done: Rebuilt) -> dict[str, Any]:
    return {"path": str(done.folder), "memories": done.memories, "left_out": done.left_out}


def _rebuilt_lines(done: Rebuilt) -> Iterator[str]:
    yield f"indexed {done.memories:,} {'memory' if done.memories == 1 else 'memories'}"
