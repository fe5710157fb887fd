"""The key schemas of tables, asked for once and remembered for a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from singletable.errors import ResourceNotFound
from singletable.operations import AsyncDriver, DescribeTable, KeySchemaElement, TableDescription

# A table can be made anew, with another key, by a way that does not lead past the guard. So what is
# remembered is short-lived, and nothing is refused because of it: that is asked for again.
SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Keys:
    """The partition key attributes of a table, and those of its indexes."""

    table: tuple[str, ...]
    indexes: dict[str, tuple[str, ...]]


class KeySchemas:
    """What is known of the tables' keys."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._known: dict[str, tuple[float, Keys]] = {}

    def forget(self, table: str) -> None:
        """Ask again: the table is being changed."""
        self._known.pop(table, None)

    def remembered(self, tables: Iterable[str]) -> dict[str, Keys | None] | None:
        """The keys of the tables as they were a moment ago; None if one is not remembered."""
        now = self._clock()
        keys: dict[str, Keys | None] = {}
        for table in tables:
            when, known = self._known.get(table, (now - SECONDS, None))
            if known is None or not 0 <= now - when < SECONDS:
                return None
            keys[table] = known
        return keys

    async def ask(self, tables: Iterable[str], driver: AsyncDriver) -> dict[str, Keys | None]:
        """The keys of the tables as they are; None for one that is not there."""
        keys: dict[str, Keys | None] = {}
        for table in tables:
            now = self._clock()
            try:
                described = await driver.execute(DescribeTable(table))
            except ResourceNotFound:
                keys[table] = None
            else:
                known = keys[table] = _keys(described.table)
                self._known[table] = (now, known)
        return keys


def _keys(table: TableDescription) -> Keys:
    indexes = (*(table.local_secondary_indexes or ()), *(table.global_secondary_indexes or ()))
    return Keys(
        _partition(table.key_schema),
        {index.index_name: _partition(index.key_schema) for index in indexes},
    )


def _partition(schema: Iterable[KeySchemaElement]) -> tuple[str, ...]:
    return tuple(element.attribute_name for element in schema if element.key_type == "HASH")
