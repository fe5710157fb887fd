"""Connections that the server ends while they are not in use."""

from __future__ import annotations

import pytest

from drills.ledger_workload import side_table
from dynamodb_engine import DescribeTable, ListTables, PutItem, ResourceNotFound, Scan
from tools.testing.sql_servers import KINDS, open_engine, running_server

END_ALL = {
    "postgresql": "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE pid <> pg_backend_pid() AND query <> '' AND backend_type = 'client backend'",
    "mariadb": "SELECT id FROM information_schema.processlist "
    "WHERE id <> connection_id() AND db LIKE 'test%'",
}


def end_connections(kind: str) -> None:
    server = running_server(kind)
    rows = server.run(END_ALL[kind])
    if kind == "mariadb":
        for (number,) in rows:
            server.run(f"KILL {number}")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_request_uses_another_connection(kind: str) -> None:
    with open_engine(kind=kind) as engine:
        engine.execute(side_table("side"))
        end_connections(kind)
        engine.execute(PutItem("side", {"pk": {"S": "a"}}))
        end_connections(kind)
        assert len(engine.execute(Scan("side")).items or ()) == 1
        end_connections(kind)
        assert engine.execute(ListTables()).table_names == ["side"]
        end_connections(kind)
        with pytest.raises(ResourceNotFound):
            engine.execute(DescribeTable("none"))
        end_connections(kind)
        engine.execute(side_table("other"))
