"""What other programs keep and get: `vault.exchange`."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Unpack

from memstore.core.errors import UsageError
from memstore.core.transaction import Saving
from memstore.exchange.exporting import files, okf, prov, records
from memstore.face import given
from memstore.face.brief import brief
from memstore.face.forward import Forward, Part

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.core.view import View
    from memstore.exchange.source import ImportSource
    from memstore.memories.incoming import Imported


@brief
class VaultExchange(Part):
    """Memories of other programs, and for them: `vault.exchange.import_from("chatgpt", "export.zip")`.

    The named memories are exported, or, without names, all that the entity may see.
    """

    records = Forward(records)
    markdown = Forward(files)
    okf = Forward(okf)
    prov = Forward(prov)

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

        given.only(saving, Saving.__annotations__, "import_from")
        if format not in IMPORTERS:
            raise UsageError(f"there is no format `{format}`", hint=f"it is one of {', '.join(sorted(IMPORTERS))}")
        view = self._view()
        with self._source(view, path) as source:
            return import_from(view, format, IMPORTERS[format], source, own=own, user=user, strict=strict, **saving)

    def import_records(self, path: str | Path, *, strict: bool = False, **saving: Unpack[Saving]) -> Imported:
        """Write memories that `memstore export jsonl` wrote, with their ids and histories; `strict` as above."""
        from memstore.exchange.records import import_records

        given.only(saving, Saving.__annotations__, "import_records")
        view = self._view()
        with self._source(view, path) as source:
            return import_records(view, source, strict=strict, **saving)

    @staticmethod
    def _source(view: View, path: str | Path) -> closing[ImportSource]:
        from memstore.exchange.importing import open_source

        return closing(open_source(view, given.place(path), str(path)))
