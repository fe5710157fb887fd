"""Rows in a database: `interface.py` says what the engine needs, each folder is one storage."""

from singletable.engine.storage.interface import (
    DescribeRow,
    Execute,
    KeyRange,
    Layout,
    Row,
    RowKey,
    RowRange,
    Rows,
)
from singletable.engine.storage.page_count import count_page
from singletable.engine.storage.sqlite.checksums import (
    DamagedData,
    check_values,
    is_intact_change,
    values_checksum,
)
from singletable.engine.storage.sqlite.connection import (
    CHANGE_COLUMNS,
    MAX_POSITION,
    TOKEN_COLUMNS,
)
from singletable.engine.storage.sqlite.database import Database, SchemaChanged
from singletable.engine.storage.sqlite.rows import SqliteLayout, SqliteRows
from singletable.engine.storage.sqlite.writer import is_disk_full

__all__ = [
    "CHANGE_COLUMNS",
    "MAX_POSITION",
    "TOKEN_COLUMNS",
    "DamagedData",
    "Database",
    "DescribeRow",
    "Execute",
    "KeyRange",
    "Layout",
    "Row",
    "RowKey",
    "RowRange",
    "Rows",
    "SchemaChanged",
    "SqliteLayout",
    "SqliteRows",
    "check_values",
    "count_page",
    "is_disk_full",
    "is_intact_change",
    "values_checksum",
]
