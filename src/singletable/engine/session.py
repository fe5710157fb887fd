"""What a handler works with: the tables, the rows, the clock, the settings."""

from __future__ import annotations

from msgspec import Struct

from singletable.engine.catalog import Catalog, described, named
from singletable.engine.settings import Settings
from singletable.engine.storage import Execute
from singletable.engine.table import Table


class Session(Struct):
    """One request's view of the database, at one moment; the writer's sees its own changes."""

    execute: Execute
    catalog: Catalog
    tables: dict[str, Table]
    settings: Settings
    now: float

    def table(self, name: str) -> Table:
        """The table that items can be read from and written to."""
        return named(self.tables, name, self.now)

    def described(self, name: str) -> Table:
        """The table in whatever state it is."""
        return described(self.tables, name, self.now)
