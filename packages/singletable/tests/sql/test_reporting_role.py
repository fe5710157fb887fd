"""The role for reports, created as docs/guide/sql.md says: it reads its views and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import psycopg
import pymysql
import pytest

from singletable import Store, connect
from singletable.errors import InvalidValue
from singletable.sql import open_database, views_of
from tools.testing.markdown import blocks
from tools.testing.sql_servers import KINDS, running_server

pytestmark = pytest.mark.rest
PAGE = Path(__file__).parents[4] / "docs/guide/sql.md"
PASSWORD = "secret ✓"
FORBIDDEN = (
    *("SELECT * FROM customer_interests", "SELECT * FROM items_1", "SELECT * FROM tables"),
    *("SELECT * FROM changes", "SELECT * FROM tokens", "DELETE FROM items_1"),
    *("DELETE FROM orders", "UPDATE customers SET city = 'Rome'", "DROP VIEW orders"),
    *("INSERT INTO storage VALUES (2)", "CREATE TABLE mine (a int)", "DROP TABLE items_1"),
)
NO_QUERIES = {
    "postgresql": (
        *("COPY orders TO STDOUT", "COPY (SELECT 1) TO PROGRAM 'true'", "SELECT 1; COMMIT"),
        *("EXPLAIN ANALYZE SELECT 1", "SET ROLE none", "SELECT lo_import('/etc/passwd')"),
        *("SELECT pg_read_file('/etc/passwd')", "SELECT pg_reload_conf()"),
        "WITH gone AS (DELETE FROM items_1 RETURNING 1) SELECT 1",
    ),
    "mysql": (
        *("SELECT 1 INTO OUTFILE '/tmp/x'", "SELECT load_file('/etc/passwd')", "SELECT 1; COMMIT"),
        *("SET GLOBAL max_connections = 10", "KILL 1", "DO sleep(0)"),
    ),
}
NO_QUERIES["mariadb"] = NO_QUERIES["mysql"]
TEMPORARY_FUNCTION = "CREATE FUNCTION pg_temp.one() RETURNS int LANGUAGE sql AS 'SELECT 1'"


def run(address: str, statements: list[str]) -> None:
    """Run statements with the driver alone."""
    with closing(open_connection(address)) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def open_connection(address: str) -> Any:
    """Open a connection of the driver."""
    if address.startswith("postgresql:"):
        return psycopg.connect(address, autocommit=True)
    url = urlsplit(address)
    password, socket = unquote(url.password or "").encode(), url.query.removeprefix("socket=")
    return pymysql.connect(
        user=url.username, password=password, database="votes", unix_socket=socket
    )


@pytest.fixture(params=KINDS)
def role(request: pytest.FixtureRequest) -> Iterator[str]:
    """Create a database with an order, and the role as the page says; return its address."""
    server = running_server(request.param)
    is_postgresql = server.kind == "postgresql"
    server.run("CREATE DATABASE votes")
    owner = server.address("public" if is_postgresql else "votes").replace("/postgres?", "/votes?")
    texts = list(blocks(PAGE))
    page: dict[str, Any] = {"__name__": __name__}
    orders = next(block.text for block in texts if block.language == "python")
    exec(compile(orders, "orders.py", "exec", dont_inherit=True), page)
    sales = page["sales"]
    with connect(owner) as driver:
        store = Store(driver)
        store.admin.create_table(sales)
        store.put(page["Order"](customer="Ada", number=1, placed=date(2026, 1, 1), lines=[]))
    open_database(owner).create_views(views_of([sales]), {sales: "sales"})
    created = [block.text for block in texts if block.language == "sql"][not is_postgresql]
    run(owner, [one for one in created.replace("…", PASSWORD).split(";\n") if one])
    yield re.sub("//(postgres|root)@", f"//reporting:{quote(PASSWORD)}@", owner)
    server.run(f"DROP DATABASE votes{' WITH (FORCE)' if is_postgresql else ''}")
    server.run(f"DROP {'ROLE' if is_postgresql else 'USER'} reporting")


def test_role_reads_its_views_and_nothing_else(role: str) -> None:
    with open_database(f"{role}&timeout=5").query(
        "SELECT customer, number FROM orders", [], {}
    ) as result:
        assert [tuple(row) for row in result.rows] == [("Ada", 1)]
    run(role, ["SELECT * FROM customers", "SELECT * FROM order_lines"])
    with pytest.raises(InvalidValue):
        open_database(role).query("SELECT * FROM items_1", [], {}).__enter__()
    # Without the right to temporary views, functions are not checked: the role has no rights.
    for statement in (*FORBIDDEN, *NO_QUERIES[role.partition(":")[0]]):
        with pytest.raises(InvalidValue):
            open_database(role).query(statement, [], {}).__enter__()
    # The role can change its own default, but that gives it no right.
    writable = ["SET default_transaction_read_only = off"] if role.startswith("postgresql") else []
    for statement in FORBIDDEN:
        denied = "denied|must be owner|cannot delete|cannot update"
        with pytest.raises((psycopg.Error, pymysql.MySQLError), match=denied):
            run(role, [*writable, statement])
    if writable:
        for temporary in ("CREATE TEMP TABLE mine (a int)", TEMPORARY_FUNCTION):
            with pytest.raises(psycopg.Error, match="permission denied"):
                run(role, [*writable, temporary])
