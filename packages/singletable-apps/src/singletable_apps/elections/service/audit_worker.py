"""A SELECT of an auditor, in a process of its own that the operating system ends in time.

The limits of SQLite are not enough: it asks about them between its steps, and one call of LIKE can
take hours. The service starts this file as a script; it needs nothing but the standard library.
"""

from __future__ import annotations

import json
import resource
import sqlite3
import sys
from collections.abc import Mapping

# Steps of SQLite's machine, so that most long queries end at the same step on every computer.
MAX_STEPS = 10_000_000
# Seconds of processor time, for what is not counted as steps.
MAX_SECONDS = 2
MAX_MEMORY = 200 << 20
MAX_CELL = 1_000_000
MAX_RESULT = 5_000_000
TOO_LARGE = "result too large"
# Beside the memory of SQLite: Python itself, and the result.
PYTHON_MEMORY = 200 << 20
ACTIONS = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_FUNCTION_NAMES = (
    "abs avg char coalesce count cume_dist current_date current_time current_timestamp date "
    "datetime dense_rank first_value glob group_concat hex ifnull iif instr json "
    "json_array_length json_extract json_type json_valid julianday lag last_value lead length "
    "like lower ltrim max min nth_value ntile nullif percent_rank rank replace round "
    "row_number rtrim sign strftime substr substring sum time total trim typeof unicode upper "
    "-> ->>"
)
FUNCTIONS = frozenset(_FUNCTION_NAMES.split())


def main() -> None:
    """Read a query and a database from the standard input, and write the result as JSON."""
    request = json.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read()
    seconds = int(request["seconds"])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    memory = MAX_MEMORY + PYTHON_MEMORY + 2 * len(data)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        answer = run(data, str(request["sql"]), int(request["rows"]))
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        answer = {"error": str(error)}
    except MemoryError:
        answer = {"error": ""}
    sys.stdout.write(json.dumps(answer))


def run(data: bytes, sql: str, most: int) -> Mapping[str, object]:
    """Return the columns and the first rows of a SELECT."""
    database = sqlite3.connect(":memory:")
    if data:
        database.deserialize(data)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_CELL)
    database.executescript(f"PRAGMA temp_store = MEMORY; PRAGMA hard_heap_limit = {MAX_MEMORY}")
    # SQLite declares these tables when they are first used, which the authorizer would reject.
    database.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')")
    database.set_authorizer(_authorize)
    database.set_progress_handler(lambda: True, MAX_STEPS)
    cursor = database.execute(sql)
    rows: list[list[object]] = []
    size = 0
    while len(rows) < most and (row := cursor.fetchone()) is not None:
        rows.append([cell.hex() if isinstance(cell, bytes) else cell for cell in row])
        size += sum(len(str(cell)) for cell in rows[-1])
        if size > MAX_RESULT:
            raise ValueError(TOO_LARGE)
    return {"columns": [column for column, *_ in cursor.description or ()], "rows": rows}


def _authorize(action: int, _: str | None, name: str | None, *__: str | None) -> int:
    is_unknown = action == sqlite3.SQLITE_FUNCTION and str(name).lower() not in FUNCTIONS
    return sqlite3.SQLITE_DENY if action not in ACTIONS or is_unknown else sqlite3.SQLITE_OK


if __name__ == "__main__":
    main()
