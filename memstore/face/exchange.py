"""What other programs keep and get: `vault.exchange`."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, Unpack

from memstore.core.errors import UsageError
from memstore.core.transaction import Saving
from memstore.face import given
from memstore.face.brief import brief

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memstore.core.view import View
    from memstore.exchange.importing import Imported
    from memstore.exchange.source import ImportSource
    from memstore.face.given import Names
    from memstore.memories.incoming import ImportedMemories


@brief
class VaultExchange:
    """Memories of other programs, and for them: `vault.exchange.import_from("chatgpt", "export.zip")`.

    `import_from`, `import_records`; `records`, `markdown`, `okf`, `prov`. The named memories are exported, or,
    without names, all that the entity may see.
    """

    def __init__(self, view: Callable[[], View]) -> None:
        self._view = view

    def import_from(
        self,
        format: str,  # noqa: A002 - as it is called
        path: str | Path,
        *,
        own: bool = False,
        user: str | None = None,
        strict: bool = False,
        **saving: Unpack[Saving],
    ) -> Imported:
        """Write those memories of another program that are not here yet; for the vault's owner alone.

        Args:
            format: as for `memstore import`, like "chatgpt" or "claude-code".
            path: a file, a folder or a ZIP archive.
            own: memories that memstore exported there were yours, and come back as they were.
            user: the one user of the source whose memories come in, as yours; otherwise all, with users as subjects.
            strict: write nothing if any record can't be read; otherwise it is named in `left_out`.
            saving: `dry_run` and `commit`.

        Raises:
            UsageError: there is no such format.
            FormatError: the source does not have it, or with `strict` not in all records; nothing was written.
        """
        from memstore.exchange.formats import IMPORTERS
        from memstore.exchange.importing import import_from

        given.only(saving, Saving, "import_from")
        if format not in IMPORTERS:
            raise UsageError(f"there is no format `{format}`", hint=f"it is one of {', '.join(sorted(IMPORTERS))}")
        view = self._view()
        with self._source(view, path) as source:
            return import_from(view, format, IMPORTERS[format], source, own=own, user=user, strict=strict, **saving)

    def import_records(self, path: str | Path, **saving: Unpack[Saving]) -> ImportedMemories:
        """Write memories that `memstore export jsonl` wrote, with their ids and histories."""
        from memstore.exchange.records import import_records

        given.only(saving, Saving, "import_records")
        view = self._view()
        with self._source(view, path) as source:
            return import_records(view, source, **saving)

    @staticmethod
    def _source(view: View, path: str | Path) -> closing[ImportSource]:
        from memstore.exchange.importing import open_source

        return closing(open_source(view, given.place(path), str(path)))

    def records(self, memories: Names | None = None) -> Iterator[dict[str, Any]]:
        """Yield memories as `memstore export jsonl` writes them: path, frontmatter and body."""
        from memstore.exchange.exporting import records

        return records(self._view(), _refs(memories), everything=memories is None)

    def markdown(self, memories: Names | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield memories as files, each a path and its bytes."""
        from memstore.exchange.exporting import files

        return files(self._view(), _refs(memories), everything=memories is None)

    def okf(self, memories: Names | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield the files of a bundle in the Open Knowledge Format, each a path and its bytes."""
        from memstore.exchange.exporting import okf

        return okf(self._view(), _refs(memories), everything=memories is None)

    def prov(self, memories: Names | None = None) -> dict[str, Any]:
        """Return where memories come from, as W3C PROV-JSON."""
        from memstore.exchange.exporting import prov

        return prov(self._view(), _refs(memories), everything=memories is None)


def _refs(memories: Names | None) -> list[str]:
    return [] if memories is None else given.refs_of(memories)
