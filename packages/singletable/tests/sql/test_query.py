"""`singletable sql`: the database rejects everything but queries, and files may be in use."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from dynamodb_engine.engine.file_backup import back_up_file
from dynamodb_engine.engine.file_check import check_file
from singletable import connect
from singletable.errors import InvalidValue, StorageError, TableNotFound
from singletable.sql import open_database, views_of
from tests.sql.databases import rows_of, store_at, things
from tests.sql.test_views import thing_of
from tools.testing.commands import Run
from tools.testing.processes import start_script

APP = "tests.sql.databases"
USED = """
e = Engine.on_file(path); print("ready", flush=True); sys.stdin.read()
"""


@pytest.fixture(autouse=True, scope="module")
def _stored_thing(address: str) -> None:
    store_at(address, lambda store: store.put(thing_of(name="a")))


@pytest.mark.parametrize(
    "statement",
    [
        "delete from items_1",
        "delete from things",
        "update tables set name = 'x'",
        "drop table tables",
        "create table other (a int)",
        "create view other as select 1",
        "commit",
        "",
        "begin not atomic commit; drop table tables; end",
        "set session transaction read write",
    ],
)
def test_statements_that_are_no_queries_are_rejected(address: str, statement: str) -> None:
    with pytest.raises(InvalidValue, match=r"only reads|syntax error"):
        rows_of(address, statement)
    assert rows_of(address, "select name from things") == [{"name": "a"}]


@pytest.mark.parametrize("second", ["select 2", "delete from items_1", "commit; drop table tables"])
def test_second_statement_is_rejected(address: str, second: str) -> None:
    with pytest.raises(InvalidValue, match=r"several|multiple|syntax|only reads"):
        rows_of(address, f"select 1; {second}")
    assert rows_of(address, "select name from things") == [{"name": "a"}]


def test_errors_say_what_is_wrong(address: str) -> None:
    with pytest.raises(InvalidValue, match=r"thing.* Did you mean things\? Views: things, thing_"):
        rows_of(address, "select * from thing")
    with pytest.raises(InvalidValue, match="nam"):
        rows_of(address, "select nam from things")
    with pytest.raises(InvalidValue, match=r"rejected the query: .*syntax"):
        rows_of(address, "select from where")


def test_query_may_have_its_own_common_table_expressions(address: str) -> None:
    sql = "with named as (select name from things) select count(*) as n from named"
    assert rows_of(address, sql) == [{"n": 1}]
    sql = """WITH RECURSIVE counted(n) as (select 1 union all select n + 1 from counted where n < 3)
        select max(n) as n, max(name) as name from counted cross join things"""
    assert rows_of(address, sql) == [{"n": 3, "name": "a"}]


def test_created_views_can_be_replaced_and_dropped(address: str) -> None:
    views, names = views_of([things]), {things: "things"}
    database = open_database(address)
    for _ in range(2):
        assert database.create_views(views, names) == views
    with database.query("select name from things", [], {}) as result:
        assert list(result.rows) == [("a",)]
    database.drop_views(views)
    with pytest.raises(InvalidValue), database.query("select name from things", [], {}):
        pass


def test_missing_tables_are_reported(address: str) -> None:
    with pytest.raises(TableNotFound, match="There is no table other"):
        open_database(address).create_views(views_of([things]), {things: "other"})
    assert_no_views = pytest.raises(InvalidValue, match="things")
    with (
        assert_no_views,
        open_database(address).query("select * from things", views_of([things]), {things: "other"}),
    ):
        pass


# Files


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "votes.db"
    store_at(f"file:{path}", lambda store: store.put(thing_of(name="a")))
    return path


def test_file_in_use_is_read_but_gets_no_views(file: Path) -> None:
    engine = start_script(USED, file)
    try:
        assert engine.stdout is not None
        engine.stdout.readline()
        assert rows_of(f"file:{file}", "select name from things") == [{"name": "a"}]
        with pytest.raises(StorageError, match="open in another engine"):
            open_database(f"file:{file}").create_views(views_of([things]), {things: "things"})
    finally:
        engine.communicate()


def test_file_with_views_is_intact_and_usable(run: Run, file: Path) -> None:
    code, out, _ = run("sql", APP, f"file:{file}", "--views", "create")
    assert code == 0
    assert "parts (thing, number, position, color, name)" in out
    assert not check_file(file).problems
    back_up_file(file, Path(f"{file}.copy"))
    with sqlite3.connect(f"file:{file}.copy?mode=ro", uri=True) as copy:
        assert copy.execute("select name, moment from things").fetchall() == [
            ("a", "2026-11-15T05:00:00.000000Z")
        ]
    store_at(f"file:{file}", lambda store: store.put(thing_of(name="b")))
    assert len(rows_of(f"file:{file}", "select name from things")) == 2
    with connect(f"file:{file}"), pytest.raises(StorageError, match="in this process"):
        rows_of(f"file:{file}", "select name from things")
    assert run("sql", APP, f"file:{file}", "--views", "drop")[:2] == (0, "Dropped 9 views.\n")


def test_rows_are_printed_as_table_csv_and_json(run: Run, file: Path) -> None:
    query = ("sql", APP, f"file:{file}", "select name, number, amount, level from things")
    assert run(*query)[1].split() == [
        "1",
        "row",
        "name",
        "number",
        "amount",
        "level",
        "a",
        "1",
        "1",
    ]
    assert run(*query, "--format", "csv")[1] == "name,number,amount,level\na,1,1,\n"
    rows = json.loads(run(*query, "--format", "json")[1])
    assert rows == [{"name": "a", "number": 1, "amount": 1, "level": None}]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((APP, "file:missing.db", "select 1"), "does not exist"),
        ((APP, "memory:", "select 1"), "There is no SQL database at 'memory:'"),
        ((APP, "dynamodb:", "select 1"), "singletable copy"),
        (("no.such.module", "file:missing.db", "select 1"), "There is no module"),
        ((APP, "file:missing.db", "--views", "create"), "does not exist"),
        ((APP, "file:missing.db", "--views", "drop"), "There is no file"),
        ((APP, "file:missing.db"), "Pass either a query or --views."),
    ],
)
def test_wrong_arguments_are_rejected(run: Run, arguments: tuple[str, ...], message: str) -> None:
    assert message in run.rejected("sql", *arguments)
