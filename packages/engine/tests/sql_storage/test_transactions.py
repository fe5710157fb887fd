"""Transactions that the server ends, and statements that fail after COMMIT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pymysql
import pytest

from drills.concurrency_clients import TABLE, count, create_table, get, value_of
from dynamodb_engine import DeleteTable, ListTables, ReadChanges, Settings
from dynamodb_engine.engine.server_engine import ServerEngine
from dynamodb_engine.engine.storage.server import ServerDatabase
from dynamodb_engine.engine.storage.server.dialect import ResultRows, Statement
from dynamodb_engine.engine.storage.server.mariadb import MariaDB
from tools.testing.sql_servers import KINDS, new_address

pytestmark = pytest.mark.skipif("mariadb" not in KINDS, reason="another server is tested")


class Interfering(MariaDB):
    """Rolls the next transaction back before its last statements, or fails the next DROP."""

    is_rolling_back = is_failing_drop = False

    def run(self, connection: Any, statements: Sequence[Statement]) -> list[ResultRows]:
        """Run the statements, with the interference."""
        texts = [sql for sql, _ in statements]
        if self.is_failing_drop and texts[0].startswith("DROP"):
            self.is_failing_drop = False
            raise pymysql.OperationalError(2013, "Lost connection to MySQL server during query")
        if self.is_rolling_back and "COMMIT" in texts:
            self.is_rolling_back = False
            place = texts.index("COMMIT") - 1
            changed = [*statements[:place], ("ROLLBACK", ()), *statements[place:]]
            results = super().run(connection, changed)
            return results[:place] + results[place + 1 :]
        return super().run(connection, statements)


def open_with(dialect: Interfering) -> ServerEngine:
    engine = ServerEngine(ServerDatabase(dialect, new_address("mariadb")), Settings())
    engine.execute(create_table())
    return engine


# Galera does this if another node commits first, and executes the rest of the statements.
def test_transaction_that_galera_rolled_back_is_repeated() -> None:
    dialect = Interfering()
    dialect.use_galera()
    with open_with(dialect) as engine:
        engine.execute(count("counter"))
        dialect.is_rolling_back = True
        assert value_of(engine.execute(count("counter")).attributes) == 2
        assert value_of(engine.execute(get("counter")).item) == 2
        assert not dialect.is_rolling_back
        positions = [change.position for change in engine.execute(ReadChanges(after=0)).changes]
        assert positions == [1, 2]


def test_deleted_table_is_not_deleted_again_if_dropping_its_rows_fails() -> None:
    dialect = Interfering()
    with open_with(dialect) as engine:
        dialect.is_failing_drop = True
        assert engine.execute(DeleteTable(TABLE)).table_description.table_name == TABLE
        assert not dialect.is_failing_drop
        assert engine.execute(ListTables()).table_names == []
