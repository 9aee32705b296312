"""Sessions with the database, by role, and the schema: made, described, dropped.

Roles belong to the whole server; whoever runs it gives them passwords. `OWNER` can't log in: who indexes is a member.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString, NamedTuple

from memstore.core.errors import RefusedError, UsageError, VaultError
from memstore.vault.sight import COLUMNS as LABELS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

    Session = psycopg.Connection[tuple[Any, ...]]

OWNER, BROKER, READER = "memstore_owner", "memstore_broker", "memstore_reader"
NEWEST_REQUIRED = 150000
PATIENCE_SECONDS = 10  # until a server has to answer, unless the URL says otherwise
# What decides who sees a memory, and by what it is known.
FIELDS_OF_LABELS = (*LABELS, "id", "kind", "blob")


class IndexedVault(NamedTuple):
    """A vault in the database: its name, the commit that is indexed, and how many files and audiences that has."""

    name: str
    commit: str
    generation: int
    files: int
    audiences: int


class SchemaMade(NamedTuple):
    """A schema that was made, and the roles that didn't exist before."""

    roles: tuple[str, ...]


class SchemaDropped(NamedTuple):
    """A schema that was deleted, and the names of the vaults that were indexed in it."""

    vaults: tuple[str, ...]


@contextmanager
def session(url: str, *, role: str | None = None) -> Iterator[Session]:
    """Yield a session with a database, in a transaction that is committed at the end.

    Args:
        url: where it is, `postgresql://host/name`; a password is better kept in libpq's password file.
        role: who logs in, instead of the user in the URL.

    Raises:
        UsageError: psycopg is not installed, or the URL is none.
        VaultError: the database doesn't answer, or refuses.
    """
    with errors_told(), connected(url, role=role) as opened:
        yield opened


def connected(url: str, *, role: str | None = None) -> Session:
    """Return a session that stays open until it is closed; raises as `session` does."""
    _require_psycopg()
    import psycopg

    how: dict[str, Any] = {"user": role} if role else {}
    try:
        told = {"connect_timeout": PATIENCE_SECONDS} | psycopg.conninfo.conninfo_to_dict(url) | how
        opened = psycopg.connect(**told)
    except psycopg.ProgrammingError as error:
        raise UsageError(
            f"not the address of a database: {_first_line(error)}", hint="postgresql://host/name"
        ) from error
    except psycopg.Error as error:
        raise VaultError(
            f"the database doesn't let {role or 'you'} in: {_first_line(error)}",
            hint="is the server up, and is there a password for this role in ~/.pgpass?",
        ) from error
    if opened.info.server_version < NEWEST_REQUIRED:
        opened.close()
        raise VaultError("the server is older than PostgreSQL 15", hint="use a newer one")
    opened.execute("SET jit = off")  # queries look up rows by their keys, and compiling one takes longer
    opened.commit()
    return opened


@contextmanager
def errors_told() -> Iterator[None]:
    """Raise what the database refuses as an error of ours; `UsageError` if psycopg is not installed."""
    _require_psycopg()
    import psycopg

    try:
        yield
    except psycopg.errors.UndefinedTable as error:
        raise VaultError("the database has no index of memstore's", hint="memstore engine init URL") from error
    except psycopg.Error as error:
        raise VaultError(
            f"the database refused: {_first_line(error)}", hint="try again; the server's log says more"
        ) from error


def _require_psycopg() -> None:
    try:
        import psycopg  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise UsageError(
            "the library psycopg is not installed", hint='pip install "memstore-vault[postgres]"'
        ) from error


def init(url: str) -> SchemaMade:
    """Make the schema, and the roles that don't exist yet.

    Raises:
        RefusedError: there is a schema of this name already.
    """
    with session(url) as opened:
        if _schema_in(opened):
            raise RefusedError(
                "the database already has memstore's schema", hint="memstore engine drop URL deletes it for good"
            )
        there = {role for (role,) in opened.execute("SELECT rolname FROM pg_roles")}
        made = {OWNER: "NOLOGIN", BROKER: "LOGIN", READER: "LOGIN"}
        for role in made.keys() - there:
            opened.execute(_sql(f"CREATE ROLE {role} {made[role]}"))
        opened.execute(_sql(f"GRANT {OWNER} TO CURRENT_USER"))
        opened.execute(
            _sql(f'GRANT CREATE ON DATABASE "{opened.info.dbname.replace(chr(34), chr(34) * 2)}" TO {OWNER}')
        )
        become_owner(opened)
        schema = (Path(__file__).parent / "schema.sql").read_text(encoding="utf-8")
        names = ", ".join(f"'{name}'" for name in FIELDS_OF_LABELS)
        opened.execute(_sql(schema.replace("{labels}", f"ARRAY[{names}]")))
    return SchemaMade(tuple(role for role in made if role not in there))


def drop(url: str) -> SchemaDropped:
    """Delete the schema with all that is indexed; the roles stay, since other databases may have them, too."""
    names = tuple(one.name for one in indexed_vaults(url))
    with session(url) as opened:
        become_owner(opened)
        opened.execute("DROP SCHEMA memstore CASCADE")
    return SchemaDropped(names)


def indexed_vaults(url: str) -> list[IndexedVault]:
    """Return the vaults that the database has, by name."""
    with session(url) as opened:
        become_owner(opened)
        found = opened.execute(
            "SELECT name, commit, generation,"
            " (SELECT count(*) FROM memstore.document d WHERE d.vault = v.vault),"
            " (SELECT count(DISTINCT class) FROM memstore.document d WHERE d.vault = v.vault)"
            " FROM memstore.vault v ORDER BY name"
        )
        return [IndexedVault(*row) for row in found]


def become_owner(opened: Session) -> None:
    """Act as the owner of the schema until the end of the transaction.

    Raises:
        RefusedError: the session's role may not.
    """
    import psycopg

    try:
        opened.execute(_sql(f"SET LOCAL ROLE {OWNER}"))
    except psycopg.errors.InvalidParameterValue as error:
        raise VaultError("the database has no index of memstore's", hint="memstore engine init URL") from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise RefusedError(
            f"{opened.info.user} may not change the index", hint=f"GRANT {OWNER} TO {opened.info.user}"
        ) from error


def has_schema(url: str) -> bool:
    """Return whether a database has memstore's schema."""
    with session(url) as opened:
        return _schema_in(opened)


def _schema_in(opened: Session) -> bool:
    return opened.execute("SELECT FROM pg_namespace WHERE nspname = 'memstore'").fetchone() is not None


def _sql(text: str) -> LiteralString:
    """Return a statement that consists of constants of this package."""
    return text


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
