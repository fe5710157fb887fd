"""What the database file looks like, and which version of it this is."""

from __future__ import annotations

from singletable.engine.storage.execute import Execute
from singletable.errors import StorageError

# "singletb" in a field that SQLite keeps for applications to know their files by.
APPLICATION_ID = 0x736E6774
VERSION = 2

_TABLES = (
    # A table's description as JSON; `number` names its rows, so that a name may be used again.
    "CREATE TABLE tables (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, record BLOB)",
    # What was written, in commit order. The newest change is never removed, so that SQLite, which
    # numbers a row by the largest there is, uses no position twice. `keys` names the key.
    """CREATE TABLE changes (
        position INTEGER PRIMARY KEY, number INTEGER NOT NULL, name TEXT NOT NULL,
        moment REAL NOT NULL, expired INTEGER NOT NULL, keys BLOB NOT NULL, old BLOB, new BLOB)""",
    # How many bytes each block of changes holds, up to a position, so that the feed can be bounded.
    "CREATE TABLE change_blocks (position INTEGER PRIMARY KEY, bytes INTEGER NOT NULL)",
    # Client tokens of transactions, kept for ten minutes.
    "CREATE TABLE tokens (token TEXT PRIMARY KEY, request BLOB, moment REAL, result BLOB)",
    "CREATE INDEX tokens_by_moment ON tokens (moment)",
)


def is_ours(execute: Execute) -> bool:
    """Whether the database is ours already; StorageError if it is not and is not empty either."""
    ((application, version),) = execute(
        "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version"
    )
    ((objects,),) = execute("SELECT count(*) FROM sqlite_schema")
    if application == APPLICATION_ID:
        if version != VERSION:
            raise StorageError(
                f"The file has format {version}, and this release of singletable reads format "
                f"{VERSION}. Use the release that wrote it."
            )
        return True
    if objects or application:
        raise StorageError(
            "The file is an SQLite database of another program. Give the path of a new file."
        )
    return False


def lay_out(execute: Execute) -> None:
    """Make a new database ours; one that is stays as it is."""
    if is_ours(execute):
        return
    execute("BEGIN IMMEDIATE")
    execute(f"PRAGMA application_id = {APPLICATION_ID}")
    execute(f"PRAGMA user_version = {VERSION}")
    for statement in _TABLES:
        execute(statement)
    execute("COMMIT")
