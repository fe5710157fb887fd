"""Find the tables that a module declares or imports."""

from __future__ import annotations

from types import ModuleType
from typing import cast

from singletable.schema.fields import declared_entity
from singletable.schema.model import MODELS
from singletable.schema.table import Table


def find_tables(module: ModuleType) -> list[Table]:
    """Return the tables of a module, and the tables of its entities."""
    tables: list[Table] = []
    for value in vars(module).values():
        table = table_of(value)
        if table is not None and table not in tables:
            tables.append(table)
    return tables


def table_of(value: object) -> Table | None:
    """Return a table itself, or the table of an entity; None for other values."""
    if isinstance(value, Table):
        return value
    if not isinstance(value, type):
        return None
    model = MODELS.get(declared_entity(cast("type[object]", value)))
    return None if model is None else model.table
