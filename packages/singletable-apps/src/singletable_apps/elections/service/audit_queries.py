"""Answer SELECTs of auditors: the relations are copied into a database in memory.

A query reads what the relations show and nothing else: no password hashes, no tokens, and no
ranking of a secret ballot. It works wherever the tables are stored, and cannot change them.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime

from singletable_apps.elections.entities import User
from singletable_apps.elections.service.audit import MAX_PAGE_SIZE, RELATIONS, Audit
from singletable_apps.shared.errors import InvalidInput

MAX_SHOWN = 200
# More rows take too long to copy: the command line reads any number of them.
MAX_COPIED = 50_000
# Steps of SQLite's machine, so that the limit is the same on every computer; a second or two.
MAX_STEPS = 10_000_000
MAX_MEMORY = 200 << 20
_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}


def run_query(audit: Audit, viewer: User, sql: str) -> tuple[list[str], list[tuple[object, ...]]]:
    """Return the columns and the first rows of a SELECT over the relations that it names."""
    with closing(sqlite3.connect(":memory:")) as database:
        for name in RELATIONS:
            if name in sql.lower():
                _copy(audit, viewer, name, database)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1_000_000)
        database.executescript(f"PRAGMA temp_store = MEMORY; PRAGMA hard_heap_limit = {MAX_MEMORY}")
        database.set_authorizer(_authorize)
        database.set_progress_handler(lambda: True, MAX_STEPS)
        try:
            cursor = database.execute(sql)
            rows = cursor.fetchmany(MAX_SHOWN)
        except (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError) as error:
            raise InvalidInput({"sql": _explain(error)}) from error
        return [column for column, *_ in cursor.description or ()], rows


def _authorize(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _copy(audit: Audit, viewer: User, name: str, database: sqlite3.Connection) -> None:
    columns = [column.name for column in RELATIONS[name].columns]
    database.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
    insert = f"INSERT INTO {name} VALUES ({', '.join('?' for _ in columns)})"
    copied, cursor = 0, None
    while True:
        page = audit.relation(viewer, name, MAX_PAGE_SIZE, cursor)
        rows = [list(map(_plain, row.values())) for row in page.rows]
        database.executemany(insert, rows)
        copied, cursor = copied + len(rows), page.cursor
        if cursor is None:
            return
        if copied >= MAX_COPIED:
            message = f"{name} has more than {MAX_COPIED:,} rows. Use: singletable sql"
            raise InvalidInput({"sql": message})


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


def _explain(error: Exception) -> str:
    text = str(error)
    if text in ("interrupted", ""):  # out of steps, or out of memory
        return "This query takes too long. Add conditions, or join fewer rows."
    if text == "not authorized":
        return "Only SELECT is possible here."
    return f"{text[:1].upper()}{text[1:]}. The tables are: {', '.join(RELATIONS)}."
