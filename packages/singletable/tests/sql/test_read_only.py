"""`singletable sql` only reads: a list of statements that do more, with the rights of the owner."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable.errors import InvalidValue
from singletable.sql import open_database
from tests.sql.databases import new_address, rows_of, store_at
from tests.sql.test_views import thing_of
from tools.testing.sql_servers import running_server

# {file} is a file that must not appear. The function writes() is declared below.
ANYWHERE = [
    "delete from items_1",
    "update tables set name = 'x'",
    "insert into items_1 select * from items_1",
    "drop table tables",
    "truncate table tables",
    "create table other (a int)",
    "create table other as select 1 as a",
    "create temporary table other as select 1 as a",
    "create view other as select 1 as a",
    "select 1; drop table tables",
    "select 1; commit; drop table tables",
    "select 1) as a; drop table tables; --",
    "begin",
    "commit",
    "rollback",
    "explain analyze delete from items_1",
    "",
    "-- nothing",
]
EVIL = {
    "file": [
        "attach database '{file}' as other",
        "vacuum into '{file}'",
        "vacuum",
        "reindex",
        "analyze",
        "pragma journal_mode = delete",
        "pragma user_version = 7",
        "pragma writable_schema = on",
        "select * from pragma_journal_mode('delete')",
        "select * from pragma_table_info('tables')",
        "select load_extension('{file}')",
        "select writefile('{file}', 'x')",
        "select readfile('/etc/passwd')",
        "select edit('x', 'touch {file}')",
        "select * from fts3_tokenizer('x')",
        "create virtual table other using fts5(a)",
        "with one as (select 1) delete from items_1",
        "savepoint one",
        "select zeroblob(1000000000)",
        "select printf('%.*c', 900000000, 'x')",
    ],
    "postgresql": [
        "copy (select 1) to program 'touch {file}'",
        "copy (select 1) to '{file}'",
        "copy tables from program 'cat /dev/null'",
        "select 1 into other",
        "select * from tables for update",
        "with gone as (delete from items_1 returning 1) select * from gone",
        "with gone as (delete from items_1 returning 1) select 1",
        "do $$ begin perform 1; end $$",
        "call one()",
        "lock table tables",
        "listen one",
        "notify one",
        "prepare one as select 1",
        "execute one",
        "declare one cursor with hold for select 1",
        "set role none",
        "set session characteristics as transaction read write",
        "set transaction read write",
        "reset all",
        "discard all",
        "vacuum",
        "checkpoint",
        "load 'plpgsql'",
        "alter system set work_mem = '1MB'",
        "grant all on tables to public",
        "explain analyze select 1",
        "select pg_terminate_backend(0)",
        "select PG_TERMINATE_BACKEND (0)",
        'select "pg_terminate_backend"(0)',
        'select U&"pg_terminate\\005fbackend"(0)',
        "select pg_catalog.pg_cancel_backend(0)",
        "select pg_reload_conf()",
        "select pg_rotate_logfile()",
        "select pg_switch_wal()",
        "select pg_create_restore_point('a')",
        "select pg_promote()",
        "select pg_stat_reset()",
        "select pg_notify('a', 'b')",
        "select pg_logical_emit_message(false, 'a', 'b')",
        "select pg_create_physical_replication_slot('one')",
        "select lo_create(4711)",
        "select lo_from_bytea(4711, 'x')",
        "select lo_import('/etc/passwd', 4711)",
        "select lo_export(lo_from_bytea(4711, 'x'), '{file}')",
        "select lo_unlink(4711)",
        "select pg_read_file('/etc/passwd')",
        "select pg_read_binary_file('/etc/passwd')",
        "select * from pg_ls_dir('/')",
        "select pg_file_write('{file}', 'x', false)",
        "select nextval('numbers')",
        "select setval('numbers', 7)",
        "select set_config('transaction_read_only', 'off', false)",
        "select set_config('statement_timeout', '0', false)",
        "select pg_advisory_lock(1)",
        "select pg_try_advisory_lock(1)",
        "select pg_advisory_xact_lock_shared(1)",
        "select pg_sleep(0)",
        "select setseed(0.1)",
        "select query_to_xml('select pg_advisory_lock(1)', true, true, '')",
        "select * from dblink('', 'drop table tables') as t(a text)",
        "select writes()",
        "select count(*) filter (where writes() > 0) from tables",
        "select * from writes()",
        "select 1 limit writes()",
        "select 1 offset writes()",
        "select sum(1) over (rows writes() preceding)",
        "select 1 order by writes()",
        "select 1 where exists (select writes())",
        "select case when false then writes() else 1 end",
        "with one as (select writes()) select 1",
        "values (writes())",
        "select * from tables tablesample system (writes())",
        "select * from (values (1)) as a, lateral (select writes()) as b",
        "select 1 group by writes()",
        "select array[writes()]",
        "select (row(writes(), 1)).*",
        "select string_agg('', '' order by writes())",
        "select 1 union select writes()",
    ],
    "mariadb": [
        "select 1 into outfile '{file}'",
        "select 1 into dumpfile '{file}'",
        "select 1 INTO/**/OUTFILE '{file}'",
        "select 1 /*!into outfile '{file}'*/",
        "select 1 from (select 1) as a into /*M!100000 outfile*/ '{file}'",
        "(select 1) into outfile '{file}'",
        "select 1 union select 2 into outfile '{file}'",
        "select load_file('/etc/passwd')",
        "select `load_file` ('/etc/passwd')",
        "select load_file/**/('/etc/passwd')",
        "select get_lock('a', 1)",
        "select release_lock('a'), release_all_locks()",
        "select nextval(numbers)",
        "select next value for numbers",
        "select next/**/value/**/for numbers",
        "select setval(numbers, 7)",
        "select writes()",
        "select * from tables where writes() > 0",
        "kill 1",
        "set global max_connections = 10",
        "set @@global.max_connections = 10",
        "set session transaction read write",
        "set statement max_statement_time = 0 for delete from items_1",
        "lock tables tables write",
        "flush tables",
        "flush tables with read lock",
        "reset query cache",
        "analyze table tables",
        "analyze delete from items_1",
        "analyze format=json delete from items_1",
        "optimize table tables",
        "replace into tables select * from tables",
        "load data infile '/etc/passwd' into table tables",
        "do get_lock('a', 1)",
        "do sleep(0)",
        "call one()",
        "execute immediate 'drop table tables'",
        "prepare one from 'drop table tables'",
        "begin not atomic commit; drop table tables; end",
        "handler tables open",
        "install soname 'x'",
        "grant all on *.* to nobody",
        "backup stage start",
        "shutdown",
        "change master to master_host = 'x'",
        "xa begin 'a'",
    ],
}


# What an owner can ask for all the same.
FINE = [
    "select 1;",
    "select 1 -- one",
    "select 1, 1",
    "select name from things /* all */ order by name limit 10 offset 0",
    "select count(*), sum(number) over () from things group by number",
    "with one as (select 1 as a) select a from one union all select 2",
    "select 'copy; drop table tables' as text",
]
FINE_AT = {
    "file": ["values (1), (2)", "select random(), json_array(1), datetime('now')"],
    "postgresql": [
        "values (1), (2)",
        "select random(), now(), clock_timestamp(), gen_random_uuid()",
        "select reads(), jsonb_build_object('a', 1), to_char(now(), 'YYYY')",
        "select * from generate_series(1, 3)",
    ],
    "mariadb": ["select rand(), now(), json_object('a', 1), sleep(0)", "(select 1)"],
}
SLOW = {
    "file": "with recursive n(a) as (select 1 union all select a + 1 from n) select max(a) from n",
    "postgresql": "select count(*) from generate_series(1, 1000000000)",
    "mariadb": "select sleep(600)",
}
PREPARATIONS = {
    "postgresql": [
        "CREATE SEQUENCE {}.numbers",
        "CREATE FUNCTION {}.writes() RETURNS int LANGUAGE sql AS 'SELECT pg_notify(''a'', ''b''); "
        "SELECT 1'",
        "CREATE FUNCTION {}.reads() RETURNS int STABLE LANGUAGE sql AS 'SELECT 1'",
    ],
    "mariadb": [
        "CREATE SEQUENCE {}.numbers",
        "CREATE TABLE {}.written (a int) ENGINE=InnoDB",
        "CREATE FUNCTION {0}.writes() RETURNS int BEGIN INSERT INTO {0}.written VALUES (1); "
        "RETURN 1; END",
    ],
}


@pytest.fixture(scope="module")
def kind(address: str) -> str:
    """Create an item, a sequence and functions; return the kind of the database."""
    kind = address.partition(":")[0]
    store_at(address, lambda store: store.put(thing_of(name="a")))
    if kind in PREPARATIONS:
        current = "current_schema()" if kind == "postgresql" else "database()"
        schema = rows_of(address, f"select {current} as name")[0]["name"]
        running_server(kind).run(*(one.format(schema) for one in PREPARATIONS[kind]))
    return kind


def test_statements_that_do_more_than_read_are_rejected(
    address: str, kind: str, tmp_path: Path
) -> None:
    """The address is that of a superuser, who may do everything else."""
    for statement in (*ANYWHERE, *EVIL[kind]):
        with pytest.raises(InvalidValue):
            print(rows_of(address, statement.replace("{file}", f"{tmp_path}/new")), statement)
        assert not list(tmp_path.iterdir()), statement
    assert rows_of(address, "select name from things") == [{"name": "a"}]


def test_queries_are_answered(address: str, kind: str) -> None:
    for statement in (*FINE, *FINE_AT[kind]):
        assert rows_of(address, statement), statement


@pytest.mark.rest
def test_volatile_functions_are_named(tmp_path: Path) -> None:
    address = new_address("postgresql", tmp_path)
    store_at(address, lambda store: store.put(thing_of(name="a")))
    message = "calls pg_notify, pg_sleep, which .* STABLE or IMMUTABLE"
    with pytest.raises(InvalidValue, match=message):
        rows_of(address, "select pg_sleep(0), pg_notify(name, '') from things where random() < 2")


def test_query_has_a_deadline(address: str, kind: str) -> None:
    database = open_database(address)
    database.seconds = 0.05
    with (
        pytest.raises(InvalidValue, match=r"longer than 0\.05 seconds and was stopped"),
        database.query(SLOW[kind], [], {}) as result,
    ):
        list(result.rows)
