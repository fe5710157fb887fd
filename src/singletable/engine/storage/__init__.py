"""Rows in SQLite: one connection writes with group commit, readers do not wait."""

from singletable.engine.storage.connection import Execute
from singletable.engine.storage.database import Database, SchemaChanged
from singletable.engine.storage.row_range import RowRange, count_page
from singletable.engine.storage.rows import KeyRange, Row, RowKey, Rows

__all__ = [
    "Database",
    "Execute",
    "KeyRange",
    "Row",
    "RowKey",
    "RowRange",
    "Rows",
    "SchemaChanged",
    "count_page",
]
