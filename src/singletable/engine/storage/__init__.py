"""Rows in SQLite: one connection that writes, grouped commits, readers that do not wait."""

from singletable.engine.storage.database import Database
from singletable.engine.storage.execute import Execute
from singletable.engine.storage.page_end import count_page
from singletable.engine.storage.rows import Position, Row, Rows, Span
from singletable.engine.storage.stretch import Stretch

__all__ = ["Database", "Execute", "Position", "Row", "Rows", "Span", "Stretch", "count_page"]
