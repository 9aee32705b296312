"""Index the files of a commit: what differs from the commit before is read, and written in one transaction."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, LiteralString, NamedTuple

from memstore.access.policy import id_in
from memstore.core.catalog import FileKind
from memstore.core.errors import RefusedError
from memstore.engines.audiences import Audiences, state_of, steady_until
from memstore.engines.blocks import SPAN, block_of, cells, decoded, encoded, entries_in, found_in
from memstore.engines.database import become_owner
from memstore.engines.labels import above, below, label_cells, labels
from memstore.search.index import VERSION
from memstore.search.memory_snapshot import COLUMNS, MemoryCatalog
from memstore.vault.sight import CatalogLabels

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from memstore.access.world import World
    from memstore.core.catalog import Entry
    from memstore.engines.database import Session
    from memstore.engines.labels import LabelRow
    from memstore.search.memory_snapshot import Document

    # Returns the documents of files, given by path and blob, in this order; None for a file that is no text.
    Read = Callable[[Sequence[tuple[str, str]]], Iterable[Document | None]]

# Bump if what is written changes.
FORMAT = 2
# The class of files that nobody has decided about: no ticket opens it.
_UNDECIDED = -1


class IndexCommit(NamedTuple):
    """What is to be indexed: a commit of a vault.

    `roots` are the commits with which the vault's history begins, the first one last. `files` has the blobs of its
    files by path, and `since` returns those that differ from an earlier commit, None for what is gone; it returns None
    if that can't be told. The registries, without memories, decide at the time `at`, UTC. `read_as` says how files are
    read: what was read otherwise is read again.
    """

    id: str
    roots: Sequence[str]
    files: Callable[[], Mapping[str, str]]
    registries: World
    at: datetime
    since: Callable[[str], Mapping[str, str | None] | None] = lambda _: None
    read_as: str = ""


class Indexed(NamedTuple):
    """What was done: how many files were read, are gone, and changed their audience alone; and how many there are."""

    commit: str
    generation: int
    read: int
    gone: int
    moved: int
    files: int


class _Known(NamedTuple):
    """A file as it is in the database."""

    number: int
    audience: int
    path: str
    blob: str


class _Placed(NamedTuple):
    """A document, its number, and the class that it is in."""

    number: int
    audience: int
    document: Document


def index(opened: Session, name: str, commit: IndexCommit, read: Read, *, anew: bool = False) -> Indexed:
    """Index a commit of a vault; the cost follows what differs from the commit before.

    Args:
        opened: a session of somebody who may act as the owner.
        name: the name of the vault in the database.
        commit: what is indexed.
        read: reads files of this commit and of the one that is indexed so far.
        anew: forget what is indexed, and read all files.

    Raises:
        RefusedError: the name is another vault's.
    """
    with opened.transaction():
        become_owner(opened)
        vault, generation, before = _begun(opened, name, commit, anew=anew)
        known, changed = _changed(opened, vault, commit, before)
        present = [(path, blob) for path, blob in changed.items() if blob]
        found = {path: one for (path, _), one in zip(present, read(present), strict=True) if one}
        gone = [known[path] for path in changed if path in known and path not in found]
        numbers = _numbers(opened, vault, known, found)
        audiences = _relabelled(opened, vault, commit, numbers, found, gone)
        changed_numbers = {*numbers.values()}
        moved = _by_number(opened, vault, {one for one in audiences if one not in changed_numbers})
        was = [*gone, *(known[path] for path in found if path in known), *moved]
        texts = dict(zip(was, read([(one.path, one.blob) for one in was]), strict=True))
        _write(
            opened,
            vault,
            [_Placed(one.number, one.audience, document) for one, document in texts.items() if document],
            [_Placed(numbers[path], audiences[numbers[path]], document) for path, document in found.items()]
            + [_Placed(one.number, audiences[one.number], document) for one in moved if (document := texts[one])],
        )
        opened.execute("DELETE FROM memstore.ticket WHERE vault = %s", [vault])
        opened.execute(
            "UPDATE memstore.vault SET generation = %s, commit = %s WHERE vault = %s", [generation, commit.id, vault]
        )
        files = _first(opened, "SELECT count(*) FROM memstore.label WHERE vault = %s", [vault])
    return Indexed(commit.id, generation, len(found), len(gone), len(moved), files)


def _begun(opened: Session, name: str, commit: IndexCommit, *, anew: bool) -> tuple[int, int, str]:
    """Return the vault's number, its next generation, and the commit that is indexed, if any.

    Nobody else indexes it until the transaction ends.
    """
    versions = repr((FORMAT, VERSION, COLUMNS, commit.read_as))
    opened.execute(
        "INSERT INTO memstore.vault (name, origin, versions) VALUES (%s, %s, %s) ON CONFLICT (name) DO NOTHING",
        [name, commit.roots[-1], versions],
    )
    row = opened.execute(
        "SELECT vault, origin, versions, generation, commit FROM memstore.vault WHERE name = %s FOR UPDATE", [name]
    ).fetchone()
    if row is None:
        raise RefusedError(f"the vault {name} can't be written")
    vault, origin, written_as, generation, before = row
    if origin not in commit.roots and not anew:
        raise RefusedError(
            f"{name} is the name of a vault with another history",
            hint="--name for another one; --anew if this vault's history was rewritten",
        )
    if anew or written_as != versions:
        for table in ("block", "document", "label", "edge", "class"):
            opened.execute(f"DELETE FROM memstore.{table} WHERE vault = %s", [vault])  # noqa: S608 - our own names
        opened.execute(
            "UPDATE memstore.vault SET origin = %s, versions = %s WHERE vault = %s", [commit.roots[-1], versions, vault]
        )
        before = ""
    return vault, generation + 1, before


# -- what differs ----------------------------------------------------------------------------------


def _changed(
    opened: Session, vault: int, commit: IndexCommit, before: str
) -> tuple[Mapping[str, _Known], Mapping[str, str | None]]:
    """Return the files of the database in question, and the blobs of those that are otherwise now, None if gone."""
    differing = commit.since(before) if before else None
    if differing is None:
        files: Mapping[str, str | None] = commit.files()
        known = _known(opened, "WHERE vault = %s", [vault])
        differing = {path: files.get(path) for path in sorted({*files, *known})}
    else:
        paths = [encoded(path) for path in differing]
        known = _known(opened, "WHERE vault = %s AND path = ANY (%s)", [vault, paths])
    blobs = {path: one.blob for path, one in known.items()}
    return known, {path: blob for path, blob in differing.items() if blob != blobs.get(path)}


def _known(opened: Session, where: LiteralString, values: list[object]) -> dict[str, _Known]:
    blob = COLUMNS.index("blob") + 1
    query = f"SELECT number, class, path, cells[{blob}] FROM memstore.document {where}"  # noqa: S608 - our own names
    with opened.cursor(binary=True) as cursor:
        rows = cursor.execute(query, values)
        found = [_Known(number, audience, decoded(path), decoded(of)) for number, audience, path, of in rows]
    return {one.path: one for one in found}


def _by_number(opened: Session, vault: int, numbers: Collection[int]) -> list[_Known]:
    if not numbers:
        return []
    return [*_known(opened, "WHERE vault = %s AND number = ANY (%s)", [vault, [*numbers]]).values()]


def _numbers(
    opened: Session, vault: int, known: Mapping[str, _Known], documents: Mapping[str, Document]
) -> dict[str, int]:
    """Return the number of each document: that which its file has, or one behind all others."""
    free = _first(opened, "SELECT coalesce(max(number), -1) + 1 FROM memstore.document WHERE vault = %s", [vault])
    new = (path for path in documents if path not in known)
    return {path: known[path].number for path in documents if path in known} | {
        path: free + at for at, path in enumerate(new)
    }


def _first(opened: Session, query: LiteralString, values: list[object]) -> Any:
    row = opened.execute(query, values).fetchone()
    return row and row[0]


# -- who sees it -----------------------------------------------------------------------------------


def _relabelled(
    opened: Session,
    vault: int,
    commit: IndexCommit,
    numbers: Mapping[str, int],
    documents: Mapping[str, Document],
    gone: Iterable[_Known],
) -> dict[int, int]:
    """Write the labels of documents, and return the class of each of them, and of others that are in another one now.

    What decides about a memory are its labels, those of its copies, and of what it was made from: whoever has a changed
    memory above it is decided anew, and everybody if other registries, or another time, decide.
    """
    entries = {numbers[path]: document.entry for path, document in documents.items()}
    old = [*entries, *(one.number for one in gone)]
    with opened.cursor(binary=True) as cursor:
        ids = {
            one
            for (one,) in cursor.execute(
                "DELETE FROM memstore.label WHERE vault = %s AND number = ANY (%s) RETURNING id", [vault, old]
            )
        }
    opened.execute("DELETE FROM memstore.edge WHERE vault = %s AND number = ANY (%s)", [vault, old])
    ids |= {encoded(entry.id) for entry in entries.values()}
    _write_labels(opened, vault, entries)
    is_steady = _is_steady(opened, vault, commit)
    affected = below(opened, vault, ids - {b""}, old) if is_steady else _all_numbers(opened, vault)
    rows = above(opened, vault, affected) if is_steady else labels(opened, vault)
    return _decided(opened, vault, commit, affected, rows)


def _write_labels(opened: Session, vault: int, entries: Mapping[int, Entry]) -> None:
    """Write labels of files which nobody has decided about yet."""
    _copy(
        opened,
        "label (vault, number, class, digest, id, cells)",
        ("int4", "int4", "int4", "bytea", "bytea", "bytea[]"),
        ((vault, number, _UNDECIDED, b"", encoded(entry.id), label_cells(entry)) for number, entry in entries.items()),
    )
    edges = {(vault, encoded(id_in(ref)), number) for number, entry in entries.items() for ref in entry.derived_from}
    _copy(opened, "edge (vault, source, number)", ("int4", "bytea", "int4"), edges)


def _all_numbers(opened: Session, vault: int) -> set[int]:
    return {one for (one,) in opened.execute("SELECT number FROM memstore.label WHERE vault = %s", [vault])}


def _decided(
    opened: Session, vault: int, commit: IndexCommit, affected: Collection[int], rows: Mapping[int, LabelRow]
) -> dict[int, int]:
    """Decide who sees files, and note it; return the classes of those who have another one than before."""
    if not affected:
        return {}
    entries = [one.entry for one in rows.values()]
    audiences = Audiences(CatalogLabels(MemoryCatalog(entries)), commit.registries, commit.at)
    asked = [(number, row, entries[row]) for row, number in enumerate(rows) if number in affected]
    digests = {number: audiences.digest(row, entry) for number, row, entry in asked}
    of_digest = {digests[number]: (row, entry) for number, row, entry in asked}
    decided = _decided_already(opened, vault, of_digest.keys(), affected)
    new = {digest: of_digest[digest] for digest in of_digest.keys() - decided.keys()}
    memories = {digest: row for digest, (row, entry) in new.items() if entry.kind is FileKind.MEMORY}
    viewers = {**{digest: digest for digest in new}, **audiences.classes(memories)}
    classes = _classes(opened, vault, [*viewers.values()])
    decided |= {digest: classes[seen_by] for digest, seen_by in viewers.items()}
    told = {
        number: (decided[digest], digest)
        for number, digest in digests.items()
        if (decided[digest], digest) != (rows[number].audience, rows[number].digest)
    }
    with opened.cursor(binary=True) as cursor:
        cursor.execute(
            "UPDATE memstore.label l SET class = n.class, digest = n.digest"
            " FROM unnest(%s::int[], %s::int[], %s::bytea[]) AS n (number, class, digest)"
            " WHERE l.vault = %s AND l.number = n.number",
            [[*told], [audience for audience, _ in told.values()], [digest for _, digest in told.values()], vault],
        )
    return {number: audience for number, (audience, _) in told.items() if audience != rows[number].audience}


def _decided_already(
    opened: Session, vault: int, digests: Collection[bytes], affected: Collection[int]
) -> dict[bytes, int]:
    """Return the classes of digests that files have which are not in question."""
    with opened.cursor(binary=True) as cursor:
        found = cursor.execute(
            "SELECT digest, min(class), min(number) FROM memstore.label"
            " WHERE vault = %s AND digest = ANY (%s) AND class >= 0 AND number <> ALL (%s) GROUP BY digest",
            [vault, [*digests], [*affected]],
        )
        return {digest: audience for digest, audience, _ in found}


def _classes(opened: Session, vault: int, digests: Sequence[bytes]) -> dict[bytes, int]:
    """Return the class of each set of viewers, with new ones behind all others."""
    with opened.cursor(binary=True) as cursor:
        query = "SELECT digest, class FROM memstore.class WHERE vault = %s AND digest = ANY (%s)"
        known: dict[bytes, int] = dict(cursor.execute(query, [vault, [*digests]]).fetchall())
    free = _first(opened, "SELECT coalesce(max(class), -1) + 1 FROM memstore.class WHERE vault = %s", [vault])
    new = {digest: free + at for at, digest in enumerate(dict.fromkeys(digests).keys() - known.keys())}
    _copy(
        opened,
        "class (vault, class, digest)",
        ("int4", "int4", "bytea"),
        ((vault, audience, digest) for digest, audience in new.items()),
    )
    return known | new


def _is_steady(opened: Session, vault: int, commit: IndexCommit) -> bool:
    """Whether what was decided about labels still holds; note by what it will have been decided."""
    state = state_of(commit.registries)
    row = opened.execute("SELECT registries, steady_until FROM memstore.vault WHERE vault = %s", [vault]).fetchone()
    opened.execute(
        "UPDATE memstore.vault SET registries = %s, steady_until = %s WHERE vault = %s",
        [state, steady_until(commit.registries, commit.at), vault],
    )
    return row is not None and row[0] == state and (row[1] is None or commit.at < row[1])


# -- writing ---------------------------------------------------------------------------------------

_Place = tuple[str, bytes, int]  # field, term, class
_Entries = dict[int, tuple[int, bytes]]


def _write(opened: Session, vault: int, before: Iterable[_Placed], after: Iterable[_Placed]) -> None:
    """Take documents out of the blocks that they were in, and put them into those that they belong to."""
    before, after = [*before], [*after]
    last = _first(opened, "SELECT max(number) FROM memstore.document WHERE vault = %s", [vault])
    opened.execute(
        "DELETE FROM memstore.document WHERE vault = %s AND number = ANY (%s)", [vault, [one.number for one in before]]
    )
    _copy(
        opened,
        "document (vault, number, class, path, cells)",
        ("int4", "int4", "int4", "bytea", "bytea[]"),
        ((vault, one.number, one.audience, encoded(one.document.entry.path), cells(one.document)) for one in after),
    )
    out, into = _by_span(before), _by_span(after)
    for span in sorted({*out, *into}):
        _write_span(opened, vault, span, out[span], into[span], is_new=last is None or span > last // SPAN)


def _by_span(placed: Iterable[_Placed]) -> defaultdict[int, list[_Placed]]:
    found: defaultdict[int, list[_Placed]] = defaultdict(list)
    for one in placed:
        found[one.number // SPAN].append(one)
    return found


def _write_span(
    opened: Session, vault: int, span: int, before: Iterable[_Placed], after: Iterable[_Placed], *, is_new: bool
) -> None:
    """Write the blocks of a span anew which documents leave or come into; a new span has none yet."""
    taken: defaultdict[_Place, list[int]] = defaultdict(list)
    for one in before:
        for field, term, _, _ in found_in(one.document):
            taken[field, term, one.audience].append(one.number)
    put: defaultdict[_Place, _Entries] = defaultdict(dict)
    for one in after:
        for field, term, count, detail in found_in(one.document):
            put[field, term, one.audience][one.number] = (count, detail)
    blocks = defaultdict(dict) if is_new else _blocks_taken(opened, vault, span, [*{**taken, **put}])
    for place, numbers in taken.items():
        for number in numbers:
            del blocks[place][number]
    for place, entries in put.items():
        blocks[place] |= entries
    rows = ((vault, *place, span, *block_of(entries)) for place, entries in blocks.items() if entries)
    names = "block (vault, field, term, class, block, size, counted, detail)"
    _copy(opened, names, ("int4", "text", "bytea", "int4", "int4", "int4", "bytea", "bytea"), rows)


def _blocks_taken(opened: Session, vault: int, span: int, places: Sequence[_Place]) -> defaultdict[_Place, _Entries]:
    """Return blocks of a span, and delete them: they are written anew."""
    found: defaultdict[_Place, _Entries] = defaultdict(dict)
    columns = [*map(list, zip(*places, strict=True))]
    with opened.cursor(binary=True) as cursor:
        rows = cursor.execute(
            "DELETE FROM memstore.block b USING unnest(%s::text[], %s::bytea[], %s::int[]) AS w (field, term, class)"
            ' WHERE b.vault = %s AND b.field = w.field COLLATE "C" AND b.term = w.term AND b.class = w.class'
            " AND b.block = %s RETURNING b.field, b.term, b.class, counted, detail",
            [*columns, vault, span],
        )
        for field, term, audience, counted, detail in rows:
            found[field, term, audience] = entries_in(counted, detail)
    return found


def _copy(opened: Session, names: str, types: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write rows into a table, by a table of the session's: where rows have owners, PostgreSQL copies none."""
    table = names.partition(" ")[0]
    opened.execute(f"CREATE TEMP TABLE copied (LIKE memstore.{table}) ON COMMIT DROP".encode())
    with opened.cursor() as cursor, cursor.copy(b"COPY copied FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(types)
        for row in rows:
            copy.write_row(row)
    opened.execute(f"INSERT INTO memstore.{table} SELECT * FROM copied".encode())  # noqa: S608 - our own names
    opened.execute("DROP TABLE copied")
