"""The checks of `singletable.testing` on PostgreSQL and MariaDB."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dynamodb_engine.engine.server_engine import ServerEngine
from dynamodb_engine.testing.storage_suite import CHECKS, Open
from tools.testing.sql_servers import KINDS, new_address, open_engine


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_storage_keeps_its_promises(kind: str, check: Callable[[Open], None]) -> None:
    address = new_address(kind)
    check(lambda: ServerEngine.at(address))


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_forgotten_tables_are_dropped(kind: str) -> None:
    with open_engine(kind=kind) as engine:
        schema = engine.database_name
        columns = "(hash integer)"
        engine.server.run(
            f"CREATE TABLE {schema}.items_77 {columns}",
            f"CREATE TABLE {schema}.index_77_1 {columns}",
        )
        ServerEngine.at(engine.server.address(schema)).close()
        left = engine.server.run(
            "SELECT table_name FROM information_schema.tables WHERE "
            f"table_schema = '{schema}' AND table_name LIKE '%77%'"
        )
        assert left == []
