"""Rows in SQLite: one connection writes with group commit, readers do not wait."""

from singletable.engine.storage.checksums import (
    DamagedData,
    check_values,
    is_intact_change,
    values_checksum,
)
from singletable.engine.storage.connection import (
    CHANGE_COLUMNS,
    MAX_POSITION,
    TOKEN_COLUMNS,
    Execute,
)
from singletable.engine.storage.database import Database, SchemaChanged
from singletable.engine.storage.row_range import RowRange, count_page
from singletable.engine.storage.rows import KeyRange, Row, RowKey, Rows
from singletable.engine.storage.writer import is_disk_full

__all__ = [
    "CHANGE_COLUMNS",
    "MAX_POSITION",
    "TOKEN_COLUMNS",
    "DamagedData",
    "Database",
    "Execute",
    "KeyRange",
    "Row",
    "RowKey",
    "RowRange",
    "Rows",
    "SchemaChanged",
    "check_values",
    "count_page",
    "is_disk_full",
    "is_intact_change",
    "values_checksum",
]
