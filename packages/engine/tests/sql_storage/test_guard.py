"""What the guard of an endpoint costs on a SQL server, where a count reads the rows."""

from __future__ import annotations

import asyncio

import pytest

from drills.ledger_workload import side_table
from dynamodb_engine import AsyncEngine, DescribeTable, GetItem
from dynamodb_engine.engine.server_engine import ServerEngine
from dynamodb_engine.engine.storage import Execute
from dynamodb_engine.engine.storage.server import ServerRows
from dynamodb_engine.errors import AccessDenied
from dynamodb_engine.server.guard import Credential, Guard
from dynamodb_engine.server.guard.policy_document import read_policy
from tests.server.guard.policies import policy, statement
from tools.testing.sql_servers import KINDS, new_address

OWN = policy(statement(Condition={"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "ada"}}))


@pytest.mark.parametrize("kind", KINDS)
def test_guard_executes_no_counting_statement(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    guard = Guard([Credential("ada", "AKIAADA", "secret", policy=read_policy(OWN, {}))])
    (ada,) = guard.identities
    address, counted, count_rows = new_address(kind), list[str](), ServerRows.count

    def count(rows: ServerRows, execute: Execute) -> tuple[int, int]:
        counted.append(rows.name)
        return count_rows(rows, execute)

    with ServerEngine.at(address) as engine, ServerEngine.at(address) as other:
        # The other process does not know the table yet.
        other.execute(side_table("side"))
        monkeypatch.setattr(ServerRows, "count", count)
        driver = AsyncEngine(engine)
        asyncio.run(guard.authorize(ada, GetItem("side", {"pk": {"S": "ada"}}), driver))
        with pytest.raises(AccessDenied):
            asyncio.run(guard.authorize(ada, GetItem("side", {"pk": {"S": "bob"}}), driver))
        assert not counted
        engine.execute(DescribeTable("side"))
        assert counted
