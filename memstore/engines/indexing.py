"""Index the files of a commit: what differs from the commit before is read, and written in one transaction."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, LiteralString, NamedTuple

from memstore.core.catalog import FileKind
from memstore.core.errors import RefusedError
from memstore.engines.audiences import Audiences, state_of, steady_until
from memstore.engines.blocks import SPAN, BlockKey, block_of, cells, decoded, entries_in, found_in
from memstore.engines.database import FIELDS_OF_LABELS, become_owner
from memstore.search.index import VERSION
from memstore.search.memory_snapshot import COLUMNS, MemoryCatalog, entry_of_cells
from memstore.vault.sight import CatalogLabels

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from memstore.access.world import World
    from memstore.core.catalog import Entry
    from memstore.engines.database import Session
    from memstore.search.memory_snapshot import Document

    # Returns the documents of files, given by path and blob, in this order; None for a file that is no text.
    Read = Callable[[Sequence[tuple[str, str]]], Iterable[Document | None]]

# Bump if what `blocks` writes changes.
FORMAT = 1
_FETCHED = ("path", "blob", *FIELDS_OF_LABELS)


class IndexCommit(NamedTuple):
    """What is to be indexed: a commit of a vault, with the blobs of its files by path.

    `roots` are the commits with which the vault's history begins, the first one last. The registries, without memories,
    decide at the time `at`, UTC.
    """

    id: str
    roots: Sequence[str]
    files: Mapping[str, str]
    registries: World
    at: datetime


class Indexed(NamedTuple):
    """What was done: how many files were read, are gone, and changed their audience alone; and how many there are."""

    commit: str
    generation: int
    read: int
    gone: int
    moved: int
    files: int


class _Known(NamedTuple):
    """A file as it is in the database, with as much of its entry as decides who sees it."""

    number: int
    audience: int
    entry: Entry


class _Placed(NamedTuple):
    """A document, its number, and the class that it is in."""

    number: int
    audience: int
    document: Document


def index(opened: Session, name: str, commit: IndexCommit, read: Read, *, anew: bool = False) -> Indexed:
    """Index a commit of a vault.

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
        vault, generation = _begun(opened, name, commit, anew=anew)
        known = _known(opened, vault)
        changed = [(path, blob) for path, blob in sorted(commit.files.items()) if _blob(known.get(path)) != blob]
        found = dict(zip((path for path, _ in changed), read(changed), strict=True))
        documents = {path: document for path, document in found.items() if document}
        files = commit.files.keys() - (found.keys() - documents.keys())
        gone = known.keys() - files
        audiences = _audiences(opened, vault, commit, _entries(files, known, documents))
        moved = [
            path
            for path, audience in audiences.items()
            if path in known and path not in documents and known[path].audience != audience
        ]
        old = [path for path in (*sorted(gone), *moved, *documents) if path in known]
        was = zip(old, read([(path, known[path].entry.blob) for path in old]), strict=True)
        before = {path: document for path, document in was if document}
        free = max((one.number for one in known.values()), default=-1) + 1
        numbers = {path: one.number for path, one in known.items()}
        numbers |= {path: free + at for at, path in enumerate(path for path in documents if path not in known)}
        _write(
            opened,
            vault,
            [_Placed(known[path].number, known[path].audience, document) for path, document in before.items()],
            [
                _Placed(numbers[path], audiences[path], documents.get(path) or before[path])
                for path in (*documents, *moved)
            ],
        )
        opened.execute("DELETE FROM memstore.ticket WHERE vault = %s", [vault])
        opened.execute(
            "UPDATE memstore.vault SET generation = %s, commit = %s WHERE vault = %s", [generation, commit.id, vault]
        )
    return Indexed(commit.id, generation, len(documents), len(gone), len(moved), len(files))


def _begun(opened: Session, name: str, commit: IndexCommit, *, anew: bool) -> tuple[int, int]:
    """Return the vault's number, and its next generation; nobody else indexes it until the transaction ends."""
    versions = repr((FORMAT, VERSION, COLUMNS))
    opened.execute(
        "INSERT INTO memstore.vault (name, origin, versions) VALUES (%s, %s, %s) ON CONFLICT (name) DO NOTHING",
        [name, commit.roots[-1], versions],
    )
    row = opened.execute(
        "SELECT vault, origin, versions, generation FROM memstore.vault WHERE name = %s FOR UPDATE", [name]
    ).fetchone()
    if row is None:
        raise RefusedError(f"the vault {name} can't be written")
    vault, origin, written_as, generation = row
    if origin not in commit.roots and not anew:
        raise RefusedError(
            f"{name} is the name of a vault with another history",
            hint="--name for another one; --anew if this vault's history was rewritten",
        )
    if anew or written_as != versions:
        for table in ("block", "document", "labels", "class"):
            opened.execute(f"DELETE FROM memstore.{table} WHERE vault = %s", [vault])  # noqa: S608 - our own names
        opened.execute(
            "UPDATE memstore.vault SET origin = %s, versions = %s WHERE vault = %s", [commit.roots[-1], versions, vault]
        )
    return vault, generation + 1


def _known(opened: Session, vault: int) -> dict[str, _Known]:
    wanted = ", ".join(f"cells[{COLUMNS.index(name) + 1}]" for name in _FETCHED)
    query = f"SELECT number, class, {wanted} FROM memstore.document WHERE vault = %s"  # noqa: S608 - our own names
    empty = dict.fromkeys(COLUMNS, "")
    found = {}
    with opened.cursor(binary=True) as cursor:
        for number, audience, *values in cursor.execute(query, [vault]):
            named = zip(_FETCHED, map(decoded, values), strict=True)
            entry = entry_of_cells({**empty, **dict(named)})
            found[entry.path] = _Known(number, audience, entry)
    return found


def _blob(known: _Known | None) -> str | None:
    return known.entry.blob if known else None


def _entries(files: Collection[str], known: Mapping[str, _Known], documents: Mapping[str, Document]) -> list[Entry]:
    """Return the entries of files, those that are known with their labels alone."""
    return [documents[path].entry if path in documents else known[path].entry for path in sorted(files)]


def _audiences(opened: Session, vault: int, commit: IndexCommit, entries: Sequence[Entry]) -> dict[str, int]:
    """Return the class of each file, by path; what other registries or another time decided is decided anew."""
    audiences = Audiences(CatalogLabels(MemoryCatalog(entries)), commit.registries, commit.at)
    rows = {entry.path: (audiences.digest(row, entry), row) for row, entry in enumerate(entries)}
    if not _is_steady(opened, vault, commit):
        opened.execute("DELETE FROM memstore.labels WHERE vault = %s", [vault])
    known = _by_digest(opened, "SELECT digest, class FROM memstore.labels WHERE vault = %s", vault)
    new = {digest: row for digest, row in rows.values() if digest not in known}
    memories = {digest: row for digest, row in new.items() if entries[row].kind is FileKind.MEMORY}
    viewers = {**{digest: digest for digest in new}, **audiences.classes(memories)}
    classes = _by_digest(opened, "SELECT digest, class FROM memstore.class WHERE vault = %s", vault)
    free = max(classes.values(), default=-1) + 1
    added = {seen_by: free + at for at, seen_by in enumerate(dict.fromkeys(viewers.values()).keys() - classes.keys())}
    classes |= added
    known |= {digest: classes[seen_by] for digest, seen_by in viewers.items()}
    with opened.cursor(binary=True) as cursor:
        cursor.executemany(
            "INSERT INTO memstore.class (vault, class, digest) VALUES (%s, %s, %s)",
            [(vault, audience, digest) for digest, audience in added.items()],
        )
    _copy(
        opened,
        "labels (vault, digest, class)",
        ("int4", "bytea", "int4"),
        ((vault, digest, known[digest]) for digest in new),
    )
    return {path: known[digest] for path, (digest, _) in rows.items()}


def _is_steady(opened: Session, vault: int, commit: IndexCommit) -> bool:
    """Whether what was decided about labels still holds; note by what it will have been decided."""
    state = state_of(commit.registries)
    row = opened.execute("SELECT registries, steady_until FROM memstore.vault WHERE vault = %s", [vault]).fetchone()
    opened.execute(
        "UPDATE memstore.vault SET registries = %s, steady_until = %s WHERE vault = %s",
        [state, steady_until(commit.registries, commit.at), vault],
    )
    return row is not None and row[0] == state and (row[1] is None or commit.at < row[1])


def _by_digest(opened: Session, query: LiteralString, vault: int) -> dict[bytes, int]:
    with opened.cursor(binary=True) as cursor:
        return dict(cursor.execute(query, [vault]).fetchall())


# -- writing ---------------------------------------------------------------------------------------

_Place = tuple[BlockKey, int]
_Entries = dict[int, tuple[int, bytes]]


def _write(opened: Session, vault: int, before: Iterable[_Placed], after: Iterable[_Placed]) -> None:
    """Take documents out of the blocks that they were in, and put them into those that they belong to."""
    before, after = [*before], [*after]
    opened.execute(
        "DELETE FROM memstore.document WHERE vault = %s AND number = ANY (%s)", [vault, [one.number for one in before]]
    )
    rows = ((vault, one.number, one.audience, cells(one.document)) for one in after)
    _copy(opened, "document (vault, number, class, cells)", ("int4", "int4", "int4", "bytea[]"), rows)
    out, into = _by_span(before), _by_span(after)
    for span in sorted({*out, *into}):
        _write_span(opened, vault, span, out[span], into[span])


def _by_span(placed: Iterable[_Placed]) -> defaultdict[int, list[_Placed]]:
    found: defaultdict[int, list[_Placed]] = defaultdict(list)
    for one in placed:
        found[one.number // SPAN].append(one)
    return found


def _write_span(opened: Session, vault: int, span: int, before: Iterable[_Placed], after: Iterable[_Placed]) -> None:
    taken: defaultdict[_Place, list[int]] = defaultdict(list)
    for one in before:
        for key, _, _ in found_in(one.document):
            taken[key, one.audience].append(one.number)
    put: defaultdict[_Place, _Entries] = defaultdict(dict)
    for one in after:
        for key, count, detail in found_in(one.document):
            put[key, one.audience][one.number] = (count, detail)
    blocks = _blocks_taken(opened, vault, span, [*{**taken, **put}])
    for place, numbers in taken.items():
        for number in numbers:
            del blocks[place][number]
    for place, entries in put.items():
        blocks[place] |= entries
    rows = (
        (vault, key.field, key.term, audience, span, *block_of(entries))
        for (key, audience), entries in blocks.items()
        if entries
    )
    names = "block (vault, field, term, class, block, size, counted, detail)"
    _copy(opened, names, ("int4", "text", "bytea", "int4", "int4", "int4", "bytea", "bytea"), rows)


def _blocks_taken(opened: Session, vault: int, span: int, places: Sequence[_Place]) -> defaultdict[_Place, _Entries]:
    """Return blocks of a span, and delete them: they are written anew."""
    found: defaultdict[_Place, _Entries] = defaultdict(dict)
    columns = [key.field for key, _ in places], [key.term for key, _ in places], [audience for _, audience in places]
    with opened.cursor(binary=True) as cursor:
        rows = cursor.execute(
            "DELETE FROM memstore.block b USING unnest(%s::text[], %s::bytea[], %s::int[]) AS w (field, term, class)"
            ' WHERE b.vault = %s AND b.field = w.field COLLATE "C" AND b.term = w.term AND b.class = w.class'
            " AND b.block = %s RETURNING b.field, b.term, b.class, counted, detail",
            [*columns, vault, span],
        )
        for field, term, audience, counted, detail in rows:
            found[BlockKey(field, term), audience] = entries_in(counted, detail)
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
