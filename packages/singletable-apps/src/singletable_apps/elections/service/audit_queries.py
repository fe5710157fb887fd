"""Answer SELECTs of auditors: the relations are copied into a database in memory.

A query reads what the relations show and nothing else: no password hashes, no tokens, and no
ranking of a secret ballot. It works wherever the tables are stored, and cannot change them.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime
from itertools import islice
from typing import TypeAlias

from singletable_apps.elections.entities import User
from singletable_apps.elections.service.audit import RELATIONS, Audit
from singletable_apps.shared.errors import InvalidInput

MAX_SHOWN = 200
# More rows take too long to copy: the command line reads any number of them.
MAX_COPIED = 50_000
# Steps of SQLite's machine, so that the limit is the same on every computer; a second or two.
MAX_STEPS = 10_000_000
MAX_MEMORY = 200 << 20
Cell: TypeAlias = str | int | float | None
_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}


def run_query(audit: Audit, viewer: User, sql: str) -> tuple[list[str], list[list[Cell]]]:
    """Return the columns and the first rows of a SELECT over the relations that it names."""
    with closing(sqlite3.connect(":memory:")) as database:
        for name in RELATIONS:
            if name in sql.lower():
                _copy(audit, viewer, name, database)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1_000_000)
        database.executescript(f"PRAGMA temp_store = MEMORY; PRAGMA hard_heap_limit = {MAX_MEMORY}")
        database.set_authorizer(
            lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
        )
        database.set_progress_handler(lambda: True, MAX_STEPS)
        try:
            cursor = database.execute(sql)
            rows = [
                [cell.hex() if isinstance(cell, bytes) else cell for cell in row]
                for row in cursor.fetchmany(MAX_SHOWN)
            ]
        except (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError) as error:
            raise InvalidInput({"sql": _explain(error)}) from error
        return [column for column, *_ in cursor.description or ()], rows


def _copy(audit: Audit, viewer: User, name: str, database: sqlite3.Connection) -> None:
    columns = RELATIONS[name].columns
    database.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
    insert = f"INSERT INTO {name} VALUES ({', '.join('?' for _ in columns)})"
    rows = audit.relation(viewer, name)
    database.executemany(
        insert, (list(map(_plain, row.values())) for row in islice(rows, MAX_COPIED))
    )
    if next(rows, None) is not None:
        message = f"{name} has more than {MAX_COPIED:,} rows. Use: singletable sql"
        raise InvalidInput({"sql": message})


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


def _explain(error: Exception) -> str:
    text = str(error).removesuffix(".")
    if text in ("interrupted", ""):  # out of steps, or out of memory
        return "This query takes too long. Add conditions, or join fewer rows."
    if text == "not authorized":
        return "Only SELECT is possible here."
    return f"{text[:1].upper()}{text[1:]}. The tables are: {', '.join(RELATIONS)}."
