"""Answer SELECTs of auditors: the relations are copied, and another process queries the copy.

A query reads what the relations show and nothing else: no password hashes, no tokens, and no
ranking of a secret ballot. It works wherever the tables are stored, and cannot change them.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from datetime import datetime
from itertools import islice
from typing import Any, TypeAlias

from singletable_apps.elections.entities import User
from singletable_apps.elections.service import audit_worker
from singletable_apps.elections.service.audit import RELATIONS, Audit
from singletable_apps.shared.errors import Busy, InvalidInput

MAX_SHOWN = 200
# More rows take too long to copy: the command line reads any number of them.
MAX_COPIED = 50_000
# The system ends a query after some processor time; this is for one that gets none.
DEADLINE_SECONDS = 20
MAX_AT_ONCE = 2
Cell: TypeAlias = str | int | float | None
_free = threading.BoundedSemaphore(MAX_AT_ONCE)


def run_query(audit: Audit, viewer: User, sql: str) -> tuple[list[str], list[list[Cell]]]:
    """Return the columns and the first rows of a SELECT over the relations that it names."""
    if not _free.acquire(timeout=1):
        raise Busy("Other queries are running. Try again in some seconds.")
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            named = [name for name in RELATIONS if name in sql.lower()]
            for name in named:
                _copy(audit, viewer, name, database)
            data = database.serialize() if named else b""
        return _run(data, sql)
    finally:
        _free.release()


def _run(data: bytes, sql: str) -> tuple[list[str], list[list[Cell]]]:
    request = {"sql": sql, "rows": MAX_SHOWN, "seconds": audit_worker.MAX_SECONDS}
    try:
        ran = subprocess.run(
            [sys.executable, "-I", "-S", audit_worker.__file__],
            input=json.dumps(request).encode() + b"\n" + data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            timeout=DEADLINE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InvalidInput({"sql": _explain("")}) from None
    # It was ended by the system, or ran out of memory.
    answer: dict[str, Any] = json.loads(ran.stdout) if ran.returncode == 0 else {"error": ""}
    if "error" in answer:
        raise InvalidInput({"sql": _explain(answer["error"])})
    return answer["columns"], answer["rows"]


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
    database.commit()


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


def _explain(text: str) -> str:
    text = text.removesuffix(".")
    if text in ("interrupted", ""):  # out of steps, time or memory
        return "This query takes too long. Add conditions, or join fewer rows."
    if text == audit_worker.TOO_LARGE:
        return "The result is too large. Select fewer columns or rows."
    if text == "not authorized":
        return "Only SELECT is possible here."
    _, is_function, name = text.partition("not authorized to use function: ")
    if is_function:
        return f"The function {name} is not available here."
    return f"{text[:1].upper()}{text[1:]}. The tables are: {', '.join(RELATIONS)}."
