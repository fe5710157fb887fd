"""Views are barriers: a role that may read one of them sees no other items, whatever it asks.

Each query here reads other items through a plain view, whose conditions the server evaluates after
those of the query: by warnings, variables, notices, errors, or because the clock is a setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pymysql
import pytest

from singletable import Attr, Entity, Key, Store, Table, attr, connect, expires
from singletable.sql import open_database, views_of
from singletable.sql.dialects import MARIADB, POSTGRESQL, Dialect
from tools.testing.sql_servers import KINDS, Server, running_server

pytestmark = pytest.mark.rest

people = Table("people", ttl="until")
# Neither a number nor an XML document nor a regular expression.
SECRET = "<SECRET-2,500,000 (("
NAMES = {people: "people"}


class Customer(Entity, table=people):
    """An entity that is identified by its key, whose conditions take long."""

    name: Attr[str] = attr()
    note: Attr[str] = attr()
    tags: Attr[list[str]] = attr(factory=list)
    until: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("CUSTOMER", name), sk="CUSTOMER")


class Salary(Entity, table=people):
    """Has an attribute with the name of a column of customers."""

    name: Attr[str] = attr()
    note: Attr[str] = attr(hidden=True)
    tags: Attr[list[str]] = attr(factory=list)
    key = Key(pk=("SALARY", name), sk="SALARY")


@dataclass
class Role:
    """A role that may read the views, and plain ones with the prefix `plain_`."""

    server: Server
    database: str
    name: str

    def messages(self, statements: Sequence[str]) -> str:
        """Return everything that the server says about the statements."""
        return (
            self._ask_postgresql(statements)
            if self.server.kind == "postgresql"
            else self._ask_mariadb(statements)
        )

    def _ask_postgresql(self, statements: Sequence[str]) -> str:
        address = self.server.address(self.database).replace("postgres@", f"{self.name}@")
        messages: list[str] = []
        with closing(psycopg.connect(address, autocommit=True)) as connection:
            connection.add_notice_handler(lambda one: messages.append(str(one.message_primary)))
            for statement in statements:
                try:
                    cursor = connection.execute(statement.encode())
                    messages.append(str(cursor.fetchall() if cursor.description else ""))
                except psycopg.Error as error:
                    messages.append(str(error))
        return "\n".join(messages)

    def _ask_mariadb(self, statements: Sequence[str]) -> str:
        socket = str(self.server.folder / "1/socket")
        connection: Any = pymysql.connect(
            user=self.name, database=self.database, unix_socket=socket
        )
        messages: list[str] = []
        with closing(connection), connection.cursor() as cursor:
            for statement in statements:
                for asked in (statement, "SHOW WARNINGS"):
                    try:
                        cursor.execute(asked)
                        messages.append(str(cursor.fetchall()))
                    except pymysql.MySQLError as error:
                        messages.append(str(error))
        return "\n".join(messages)


@pytest.fixture(scope="module", params=KINDS)
def role(request: pytest.FixtureRequest) -> Iterator[Role]:
    """Create the views where plain ones with the same names exist, as older versions did."""
    server = running_server(request.param)
    database = server.create()
    role = Role(server, database, f"reader_of_{database}")
    address = server.address(database)
    with connect(address) as driver:
        store = Store(driver)
        store.admin.create_table(people)
        old = datetime.now(UTC) - timedelta(days=1)
        store.put(Customer(name="Ada", note="1", tags=["a"]))
        store.put(Customer(name="Old EXPIRED", note=SECRET, until=old))
        store.put(Salary(name=f"Bob {SECRET}", note=SECRET, tags=[SECRET]))
    views = [one for one in views_of([people]) if one.model.name == "Customer"]
    is_postgresql = server.kind == "postgresql"
    dialect: Dialect = POSTGRESQL if is_postgresql else MARIADB
    use = f"SET search_path = {database}" if is_postgresql else f"USE {database}"
    create = f"CREATE {'ROLE' if is_postgresql else 'USER'} {role.name}"
    server.run(create + (" LOGIN" if is_postgresql else ""))
    if is_postgresql:
        server.run(f"GRANT USAGE ON SCHEMA {database} TO {role.name}")
    for view in views:
        plain = view.select(dialect, "items_1").replace("SYSDATE()", "")
        for name in (view.name, f"plain_{view.name}"):
            grant = f"GRANT SELECT ON {database}.{name} TO {role.name}"
            server.run(use, f"CREATE VIEW {name} AS {plain}", grant)
    open_database(address).create_views(views, NAMES)
    yield role
    if is_postgresql:
        server.run(f"DROP SCHEMA {database} CASCADE", f"DROP OWNED BY {role.name}")
    server.run(f"DROP {'ROLE' if is_postgresql else 'USER'} {role.name}")


def function(body: str) -> str:
    """Return the statement that creates a function which the planner calls first."""
    return (
        "CREATE FUNCTION pg_temp.leak(a text) RETURNS boolean LANGUAGE plpgsql "
        f"COST 0.0000001 AS $$ BEGIN IF length(a) > 3 THEN {body}; END IF; RETURN true; END $$"
    )


LEAKED = "SELECT name FROM {view} WHERE pg_temp.leak(note)"
# What a plain view reveals, and the statements.
POSTGRESQL_LEAKS = [
    ("SECRET", function("RAISE NOTICE '%', a"), LEAKED),
    ("SECRET", function("RAISE WARNING '%', a"), "SELECT count(*) FROM {view} AS v, "
     "LATERAL (SELECT v.note OFFSET 0) AS w WHERE pg_temp.leak(v.note)"),
    ("SECRET", function("PERFORM a::int"), LEAKED),
    ("SECRET", function("PERFORM a::date"), LEAKED),
    ("type json", function("PERFORM a::json"), LEAKED),
    ("SECRET", function("PERFORM current_setting(a)"), LEAKED),
    ("SECRET", function("PERFORM set_config('leak.seen', concat(current_setting('leak.seen', "
     "true), a), false)"), LEAKED, "SHOW leak.seen"),
    ("division by zero", function("PERFORM 1 / (length(a) - 20)"), LEAKED),
    ("invalid regular expression", function("PERFORM '' ~ a"), LEAKED),
    ("SECRET", "SET default_transaction_read_only = off", function("RAISE NOTICE '%', a"), LEAKED),
    ("SECRET", function("RAISE NOTICE '%', a"),
     "SELECT a.name FROM {view} AS a JOIN {view} AS b ON pg_temp.leak(b.note)"),
    ("SECRET", function("RAISE NOTICE '%', a"),
     "SELECT position FROM {members} WHERE pg_temp.leak(name)"),
]  # fmt: skip
MARIADB_LEAKS = [
    ("SECRET", "SELECT * FROM {view} WHERE note + 0 > 5"),
    ("SECRET", "SELECT * FROM {view} WHERE note > 5"),
    ("SECRET", "SELECT * FROM {view} WHERE if(length(note) > 3, @x := note, 1)", "SELECT @x"),
    ("SECRET", "SELECT a.name FROM {view} AS a JOIN {view} AS b ON b.note + 0 > 5"),
    ("SECRET", "SELECT * FROM {view} WHERE name LIKE 'Bob%' AND CAST(note AS INT) > 0"),
    ("SECRET", "SELECT * FROM {view} WHERE CAST(note AS DATETIME) > 0"),
    ("SECRET", "SELECT count(*) FROM {view} WHERE (SELECT count(*) WHERE note + 0 > 5) >= 0"),
    ("SECRET", "SET optimizer_switch = 'derived_merge=on,condition_pushdown_for_derived=on'",
     "SELECT * FROM {view} WHERE note + 0 > 5"),
    ("Division by 0", "SELECT * FROM {view} WHERE 5 DIV (char_length(note) - 20) > 0"),
    ("Incorrect XML value", "SELECT * FROM {view} WHERE extractvalue(note, '/a') = 'a'"),
    ("Incorrect XML value", "SELECT * FROM {view} WHERE updatexml(note, '/a', 'a') = 'a'"),
    ("SECRET", "SELECT position FROM {members} WHERE name + 0 > 5"),
    ("EXPIRED", "SET timestamp = 1", "SELECT name FROM {view}"),
]  # fmt: skip


def test_conditions_see_only_the_rows_of_a_view(role: Role) -> None:
    leaks = POSTGRESQL_LEAKS if role.server.kind == "postgresql" else MARIADB_LEAKS
    for marker, *statements in leaks:
        plain, barrier = (
            role.messages([one.replace("{view}", view).replace("{members}", members)
                           for one in statements])
            for view, members in (
                ("plain_customers", "plain_customer_tags"),
                ("customers", "customer_tags"),
            )
        )  # fmt: skip
        assert marker in plain, statements
        assert marker not in barrier, (statements, barrier)
        assert "SECRET" not in barrier, (statements, barrier)
        assert "denied" not in barrier, (statements, barrier)


def test_created_views_say_that_they_are_barriers(role: Role) -> None:
    if role.server.kind == "postgresql":
        wanted = "SELECT relname FROM pg_class WHERE relnamespace = '{}'::regnamespace AND " \
            "relkind = 'v' AND reloptions::text LIKE '%security_barrier%'"  # fmt: skip
    else:
        wanted = (
            "SELECT table_name FROM information_schema.views WHERE table_schema = '{}' AND "
            "algorithm = 'TEMPTABLE' AND view_definition LIKE '%limit 18446744073709551615'"
        )
    names = {name for (name,) in role.server.run(wanted.format(role.database))}
    assert names == {"customers", "customer_tags"}
