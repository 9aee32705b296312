"""What a session of the database can read, whatever it asks: what its ticket opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from memstore.core.config import Config
from memstore.core.errors import ChangedMeanwhileError, NotFoundError, RefusedError, UsageError, VaultError
from memstore.engines import database
from memstore.engines.database import BROKER, OWNER, READER
from memstore.engines.tickets import LASTS_SECONDS, broker
from memstore.vault.look import LOOK
from tests.memory_workspace import memory_workspace
from tests.support import memory_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memstore.vault.workspace import Workspace
    from tests.engine_vaults import Engine

SEAN, CLAIRE, DAVE = "human:sean", "human:claire", "human:dave"
FILES = {
    "his.md": memory_text("Secret saffron tea.\n", id="m_0000000001", title="His"),
    "hers.md": memory_text("Claire has mint tea.\n", id="m_0000000002", owner=CLAIRE, title="Hers"),
    "daves.md": memory_text("Dave has black tea.\n", id="m_0000000003", access_grants=f'["{DAVE}"]'),
    "all.md": memory_text("Tea for all.\n", id="m_0000000004", access_grants='["*"]'),
    "plain.md": b"A note on ginger.\n",
}  # fmt: skip
TABLES = ("vault", "class", "label", "edge", "document", "block", "ticket")


def opened(actor: str, files: dict[str, bytes] = FILES) -> Workspace:
    return memory_workspace(files, actor=actor, config=Config(owner=SEAN))


@pytest.fixture
def name(engine: Engine) -> str:
    name = engine.name()
    engine.index(name, opened(SEAN))
    return name


def ticket(engine: Engine, name: str, actor: str) -> str:
    """Return a ticket for what somebody sees."""
    with broker(engine.url, name) as deciding:
        with engine.view(name, opened(actor)) as view:
            rows = [*view.texts]
        return deciding.ticket(deciding.classes(rows))


class Reading:
    """A session of the reader's, which anybody who gets at it can ask anything."""

    def __init__(self, url: str) -> None:
        self.session = psycopg.connect(url, user=READER)

    def rows(self, query: str, *values: object, secret: str | None = None) -> list[tuple[Any, ...]]:
        with self.session.transaction():
            if secret is not None:
                self.session.execute("SELECT set_config('memstore.ticket', %s, true)", [secret])
            return self.session.execute(query.encode(), values).fetchall()

    def titles(self, secret: str | None = None) -> set[str]:
        found = self.rows("SELECT cells[1] FROM memstore.document", secret=secret)
        return {bytes(path).decode() for (path,) in found}


@pytest.fixture
def reader(engine: Engine) -> Iterator[Reading]:
    reading = Reading(engine.url)
    yield reading
    reading.session.close()


def test_a_ticket_opens_what_its_holder_sees_and_nothing_else_does(engine: Engine, name: str, reader: Reading) -> None:
    seen = {
        SEAN: {"his.md", "daves.md", "all.md", "plain.md"},
        CLAIRE: {"hers.md", "all.md"},
        DAVE: {"daves.md", "all.md"},
        "human:eve": {"all.md"},
    }
    tickets = {who: ticket(engine, name, who) for who in seen}
    for who, files in seen.items():
        assert reader.titles(tickets[who]) == files, who
    forged = ["", "0", tickets[SEAN][:-1], tickets[SEAN].upper(), f"{tickets[CLAIRE]} {tickets[SEAN]}", "' OR 1=1 --"]
    for secret in (None, *forged):
        assert reader.titles(secret) == set(), secret
        assert reader.rows("SELECT * FROM memstore.vault", secret=secret) == []
        assert reader.rows("SELECT * FROM memstore.block", secret=secret) == []


def test_a_statement_that_was_prepared_for_one_reads_for_the_next_what_is_theirs(
    engine: Engine, name: str, reader: Reading
) -> None:
    reader.session.prepare_threshold = 0
    with reader.session.transaction():
        reader.session.execute("PREPARE asked AS SELECT cells[1] FROM memstore.document")
        reader.session.execute("SET plan_cache_mode = force_generic_plan")
    for who, count in ((SEAN, 4), (CLAIRE, 2), (SEAN, 4), (DAVE, 2)):
        assert len(reader.rows("EXECUTE asked", secret=ticket(engine, name, who))) == count
    assert reader.rows("EXECUTE asked") == []


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM memstore.ticket",
        "SELECT * FROM memstore.class",
        "SELECT * FROM memstore.open_ticket",
        "SET ROLE memstore_owner",
        "SET ROLE memstore_broker",
        "SET SESSION AUTHORIZATION memstore_owner",
        "ALTER TABLE memstore.document DISABLE ROW LEVEL SECURITY",
        "ALTER ROLE memstore_reader BYPASSRLS",
        "DROP POLICY reading ON memstore.document",
        "CREATE POLICY all_of_it ON memstore.document USING (true)",
        "CREATE OR REPLACE FUNCTION memstore.open_vault() RETURNS integer LANGUAGE sql RETURN 1",
        "CREATE TABLE memstore.mine (a int)",
        "UPDATE memstore.document SET class = 0",
        "DELETE FROM memstore.block",
        "INSERT INTO memstore.ticket VALUES ('x', 1, 1, '{0}', now() + '1 day')",
        "TRUNCATE memstore.block",
        "COPY memstore.document TO PROGRAM 'cat'",
        "GRANT memstore_owner TO memstore_reader",
        "SELECT pg_read_file('PG_VERSION')",
        "SELECT * FROM pg_statistic",
    ],
)
def test_a_reader_changes_nothing_about_who_sees_what(engine: Engine, name: str, reader: Reading, query: str) -> None:
    secret = ticket(engine, name, CLAIRE)
    with pytest.raises(psycopg.Error) as caught:
        reader.rows(query, secret=secret)
    assert isinstance(caught.value, psycopg.errors.InsufficientPrivilege)
    assert reader.titles(secret) == {"hers.md", "all.md"}


def test_row_level_security_turned_off_is_an_error_and_opens_nothing(
    engine: Engine, name: str, reader: Reading
) -> None:
    with reader.session.transaction():
        reader.session.execute("SET row_security = off")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reader.titles(ticket(engine, name, CLAIRE))


def test_an_error_speaks_of_no_hidden_row(engine: Engine, name: str, reader: Reading) -> None:
    for secret in (None, ticket(engine, name, CLAIRE)):
        for query in (
            "SELECT (convert_from(term, 'UTF8'))::int FROM memstore.block WHERE term LIKE 'saffron'::bytea",
            "SELECT 1 / (term <> 'saffron'::bytea)::int FROM memstore.block WHERE term = 'saffron'::bytea",
            "SELECT count(*) FROM memstore.block WHERE 1 / (term <> 'saffron'::bytea)::int = 1",
        ):
            reader.rows(query, secret=secret)
    with pytest.raises(psycopg.errors.DivisionByZero):  # of what one does see
        reader.rows(
            "SELECT count(*) FROM memstore.block WHERE 1 / (term <> 'mint'::bytea)::int = 1",
            secret=ticket(engine, name, CLAIRE),
        )


def test_a_plan_says_the_same_of_a_hidden_word_and_of_none(engine: Engine, name: str, reader: Reading) -> None:
    with psycopg.connect(engine.url, autocommit=True) as admin:
        admin.execute("ANALYZE")

    def plan(word: str) -> list[tuple[Any, ...]]:
        query = "EXPLAIN SELECT size FROM memstore.block WHERE field = 'text' AND term = %s"
        found = reader.rows(query, word.encode(), secret=ticket(engine, name, CLAIRE))
        return [(line.replace(word.encode().hex(), ""),) for (line,) in found]

    assert plan("saffron") == plan("nowhere")
    assert reader.rows("SELECT * FROM pg_stats WHERE schemaname = 'memstore'") == []


def test_a_ticket_is_seen_in_no_other_session(engine: Engine, name: str, reader: Reading) -> None:
    secret = ticket(engine, name, SEAN)
    with psycopg.connect(engine.url) as admin, reader.session.transaction():
        reader.session.execute("SELECT set_config('memstore.ticket', %s, true)", [secret])
        asked = str(admin.execute("SELECT query FROM pg_stat_activity").fetchall())
        assert "memstore.ticket" in asked
        assert secret not in asked
        stored = str(admin.execute("SELECT * FROM memstore.ticket").fetchall())
        assert stored != "[]"
        assert secret not in stored
    assert reader.rows("SELECT current_setting('memstore.ticket', true)") == [("",)]  # not in the next transaction


def test_a_ticket_runs_out(engine: Engine, name: str, reader: Reading) -> None:
    secret = ticket(engine, name, CLAIRE)
    assert reader.titles(secret)
    with psycopg.connect(engine.url) as admin:
        admin.execute("UPDATE memstore.ticket SET expires = expires - make_interval(secs => %s)", [LASTS_SECONDS])
    assert reader.titles(secret) == set()
    ticket(engine, name, CLAIRE)
    with psycopg.connect(engine.url) as admin:
        assert admin.execute("SELECT FROM memstore.ticket WHERE expires < now()").fetchall() == []


def test_a_ticket_opens_nothing_of_a_later_generation(engine: Engine, name: str, reader: Reading) -> None:
    with broker(engine.url, name) as deciding:
        rows = [*deciding.labels.catalog.memories]
        secret = deciding.ticket(deciding.classes(rows))
        before = reader.titles(secret)
        assert before
        engine.index(name, opened(SEAN, {"new.md": FILES["all.md"]}))
        assert reader.titles(secret) == set()
        with pytest.raises(ChangedMeanwhileError), deciding.contents(rows):
            pass


def test_where_a_class_is_seen_in_part_nothing_is_opened(engine: Engine) -> None:
    two = {f"{number}.md": memory_text("Tea.\n", id=f"m_000000000{number}") for number in range(2)}
    name = engine.name()
    engine.index(name, opened(SEAN, two))
    with broker(engine.url, name) as deciding:
        with deciding.contents([0, 1]) as found:
            assert [*found.catalog.memories] == [0, 1]
        with pytest.raises(ChangedMeanwhileError, match="who sees what has changed"), deciding.contents([0]):
            pass


def test_a_registry_that_changes_who_sees_what_is_noticed_until_it_is_indexed(engine: Engine) -> None:
    group = f"id: group:club\nmembers: [{{id: '{DAVE}'}}]\n".encode()
    files = {
        "club.md": memory_text("Tea for the club.\n", id="m_0000000001", access_grants='["group:club"]'),
        "his.md": memory_text("Tea.\n", id="m_0000000002"),
    }
    name = engine.name()
    engine.index(name, opened(SEAN, files))
    later = opened(DAVE, files | {"groups/club.yaml": group})
    with pytest.raises(ChangedMeanwhileError), engine.view(name, later):
        pass
    done = engine.index(name, later)
    assert (done.read, done.moved) == (0, 1)
    with engine.view(name, later) as view:
        assert [view.entry(row).path for row in view.texts] == ["club.md"]


def test_whoever_decides_sees_labels_and_no_content(engine: Engine, name: str) -> None:
    with psycopg.connect(engine.url, user=BROKER) as session:
        fields = {field for (field,) in session.execute("SELECT DISTINCT field FROM memstore.block")}
        assert fields == {*database.FIELDS_OF_LABELS} & fields
        assert {"owner", "id", "kind"} & fields
        assert {"text", "head", "title", "path", "text length"}.isdisjoint(fields)
        for query in (b"SELECT * FROM memstore.document", b"TABLE memstore.ticket"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), session.transaction():
                session.execute(query)


def test_every_table_has_forced_row_level_security_and_one_owner_who_does_not_log_in(engine: Engine) -> None:
    with psycopg.connect(engine.url) as admin:
        tables = admin.execute(
            "SELECT relname, relrowsecurity, relforcerowsecurity, pg_get_userbyid(relowner) FROM pg_class"
            " WHERE relnamespace = 'memstore'::regnamespace AND relkind IN ('r', 'p')"
        ).fetchall()
        assert sorted(tables) == sorted((table, True, True, OWNER) for table in TABLES)
        roles = admin.execute(
            "SELECT rolname, rolcanlogin, rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb FROM pg_roles"
            " WHERE rolname LIKE 'memstore%%'", []
        ).fetchall()  # fmt: skip
        assert sorted(roles) == [(BROKER, True, False), (OWNER, False, False), (READER, True, False)]
        owned = admin.execute("SELECT FROM pg_class WHERE pg_get_userbyid(relowner) = %s", [READER]).fetchall()
        assert owned == []
        functions = admin.execute(
            "SELECT proname, proconfig FROM pg_proc WHERE pronamespace = 'memstore'::regnamespace"
        ).fetchall()
        assert {name for name, _ in functions} == {"open_vault", "open_classes"}
        assert all("pg_temp" in str(config) for _, config in functions)


def test_a_name_in_the_readers_own_schema_changes_nothing(engine: Engine, name: str, reader: Reading) -> None:
    reader.session.execute("CREATE TEMP TABLE ticket (vault int, classes int[], generation bigint, digest bytea)")
    reader.session.execute("CREATE TEMP TABLE open_ticket AS SELECT 1 AS vault, ARRAY[0,1,2,3] AS classes")
    reader.session.commit()
    assert reader.titles() == set()
    assert reader.titles(ticket(engine, name, CLAIRE)) == {"hers.md", "all.md"}


# -- what people do wrong --------------------------------------------------------------------------


def test_init_once_status_and_drop(database: str) -> None:
    from memstore.engines import database as databases

    with pytest.raises(VaultError, match="has no index"):
        databases.indexed_vaults(database)
    databases.init(database)
    assert databases.indexed_vaults(database) == []
    with pytest.raises(RefusedError, match="already"):
        databases.init(database)
    databases.drop(database)
    with pytest.raises(VaultError, match="has no index"):
        databases.indexed_vaults(database)
    databases.init(database)


def test_who_may_not_and_what_is_not_there(engine: Engine, name: str) -> None:
    as_reader = engine.url.replace("admin@", f"{READER}@")
    with pytest.raises(RefusedError, match="may not change the index"):
        database.indexed_vaults(as_reader)
    with pytest.raises(VaultError, match="database refused"):
        database.init(as_reader.replace(engine.url.partition("?")[0].rpartition("/")[2], "template1"))
    with pytest.raises(NotFoundError), broker(engine.url, "nowhere"):
        pass
    with pytest.raises(UsageError, match="not the address"):
        database.indexed_vaults("postgresql://host/x?colour=red")
    with pytest.raises(VaultError, match="doesn't let you in"):
        database.indexed_vaults(f"postgresql://x@/x?host={engine.url.rpartition('=')[2]}/nowhere")


def test_a_name_is_one_vaults(engine: Engine, name: str) -> None:
    ws = opened(SEAN)
    with pytest.raises(RefusedError, match="another history"):
        engine.index(name, ws, origin="1" * 40)
    done = engine.index(name, ws, origin="1" * 40, anew=True)
    assert (done.generation, done.read) == (2, 5)
    with engine.view(name, ws) as view:
        assert len(view.of(LOOK).texts) == 4
