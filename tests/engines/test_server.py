"""The tests' own PostgreSQL."""

from __future__ import annotations

import psycopg


def test_each_test_has_an_empty_database_of_a_server_that_is_new_enough(database: str) -> None:
    with psycopg.connect(database) as session:
        assert session.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)
        assert session.info.server_version >= 150000
        assert session.execute("SHOW listen_addresses").fetchone() == ("",)
