"""The labels in the database: what decides who sees a file, by its number, and what was made from what."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, LiteralString, NamedTuple

from memstore.engines.blocks import decoded, encoded
from memstore.engines.database import FIELDS_OF_LABELS
from memstore.search.memory_snapshot import COLUMNS, MemoryCatalog, cell, entry_of_cells
from memstore.vault.sight import CatalogLabels, LabelsById

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from memstore.access.world import Labels
    from memstore.core.catalog import Entry
    from memstore.engines.database import Session

_ABSENT = dict.fromkeys(COLUMNS, "")


class LabelRow(NamedTuple):
    """A file with as much of its entry as decides who sees it, its class, and the digest of what decides."""

    audience: int
    digest: bytes
    entry: Entry


def label_cells(entry: Entry) -> list[bytes]:
    """Return the cells that decide who sees a file, in the order of `FIELDS_OF_LABELS`."""
    return [encoded(cell(entry, name)) for name in FIELDS_OF_LABELS]


def labels(opened: Session, vault: int) -> dict[int, LabelRow]:
    """Return the labels of all files, by number."""
    return _rows(opened, "memstore.label l WHERE vault = %(vault)s", {"vault": vault})


def of_each_class(opened: Session, vault: int) -> dict[int, LabelRow]:
    """Return the labels of one file of each class, and of what decides about it."""
    query = (
        "SELECT (SELECT number FROM memstore.label l WHERE l.vault = c.vault AND l.class = c.class LIMIT 1)"
        " FROM memstore.class c WHERE vault = %s"
    )
    return above(opened, vault, [number for (number,) in opened.execute(query, [vault]) if number is not None])


def below(opened: Session, vault: int, ids: Collection[bytes], numbers: Collection[int]) -> set[int]:
    """Return these files, those with one of these ids, and all that was made from them over any number of steps.

    `LATERAL … OFFSET 0` looks up each row by its key: joined, whole tables would be read as long as the server has no
    statistics of them, or takes some for many.
    """
    query = (
        "WITH RECURSIVE reached (id) AS (SELECT unnest(%(ids)s::bytea[]) UNION"
        " SELECT l.id FROM reached r"
        " CROSS JOIN LATERAL (SELECT number FROM memstore.edge WHERE vault = %(vault)s AND source = r.id OFFSET 0) e"
        " CROSS JOIN LATERAL (SELECT id FROM memstore.label"
        " WHERE vault = %(vault)s AND number = e.number AND id <> '' OFFSET 0) l)"
        " SELECT number FROM memstore.label WHERE vault = %(vault)s AND number = ANY (%(numbers)s)"
        " UNION SELECT l.number FROM reached r"
        " CROSS JOIN LATERAL (SELECT number FROM memstore.label WHERE vault = %(vault)s AND id = r.id OFFSET 0) l"
        " UNION SELECT e.number FROM reached r"
        " CROSS JOIN LATERAL (SELECT number FROM memstore.edge WHERE vault = %(vault)s AND source = r.id OFFSET 0) e"
    )
    values = {"vault": vault, "ids": [*ids], "numbers": [*numbers]}
    return {number for (number,) in opened.execute(query, values)}


def above(opened: Session, vault: int, numbers: Collection[int], ids: Collection[bytes] = ()) -> dict[int, LabelRow]:
    """Return the labels of files, also of those with these ids, of copies, and of all that they were made from."""
    chosen: LiteralString = (
        "WITH RECURSIVE reached (id) AS (SELECT unnest(%(ids)s::bytea[])"
        " UNION SELECT id FROM memstore.label WHERE vault = %(vault)s AND number = ANY (%(numbers)s) AND id <> ''"
        " UNION SELECT source FROM memstore.edge WHERE vault = %(vault)s AND number = ANY (%(numbers)s)"
        " UNION SELECT e.source FROM reached r"
        " CROSS JOIN LATERAL (SELECT number FROM memstore.label WHERE vault = %(vault)s AND id = r.id OFFSET 0) l"
        " CROSS JOIN LATERAL"
        " (SELECT source FROM memstore.edge WHERE vault = %(vault)s AND number = l.number OFFSET 0) e),"
        " wanted (number) AS (SELECT unnest(%(numbers)s::int[]) UNION SELECT l.number FROM reached r"
        " CROSS JOIN LATERAL (SELECT number FROM memstore.label WHERE vault = %(vault)s AND id = r.id OFFSET 0) l)"
    )
    place: LiteralString = (
        "wanted w CROSS JOIN LATERAL"
        " (SELECT * FROM memstore.label WHERE vault = %(vault)s AND number = w.number OFFSET 0) l"
    )
    return _rows(opened, place, {"vault": vault, "numbers": [*numbers], "ids": [*ids]}, chosen)


def _rows(
    opened: Session, place: LiteralString, values: dict[str, object], chosen: LiteralString = ""
) -> dict[int, LabelRow]:
    query = f"{chosen} SELECT l.number, class, digest, cells FROM {place} ORDER BY l.number"  # noqa: S608 - constants
    with opened.cursor(binary=True) as cursor:
        return {
            number: LabelRow(audience, digest, _entry(cells))
            for number, audience, digest, cells in cursor.execute(query, values)
        }


def _entry(cells: list[bytes]) -> Entry:
    return entry_of_cells(_ABSENT | dict(zip(FIELDS_OF_LABELS, map(decoded, cells), strict=True)))


class EngineLabels(LabelsById):
    """The labels of memories by id, each read with all that it was made from when it is first asked for."""

    def __init__(self, opened: Session, vault: int) -> None:
        self._opened, self._vault = opened, vault
        self._read: dict[str, CatalogLabels] = {}

    def __getitem__(self, memory_id: str) -> Labels:
        return self._with(memory_id)[memory_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def of_copies(self, memory_id: str, owner: str | None) -> Labels | None:
        """See `LabelsById`."""
        return self._with(memory_id).of_copies(memory_id, owner)

    @cached_property
    def _all(self) -> CatalogLabels:
        return CatalogLabels(MemoryCatalog([one.entry for one in labels(self._opened, self._vault).values()]))

    def _with(self, memory_id: str) -> CatalogLabels:
        if memory_id not in self._read:
            rows = above(self._opened, self._vault, (), [encoded(memory_id)]) if memory_id else {}
            entries = [one.entry for one in rows.values()]
            found = CatalogLabels(MemoryCatalog(entries))
            self._read |= {memory_id: found} | {entry.id: found for entry in entries}
        return self._read[memory_id]
