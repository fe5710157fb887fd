"""What changed in a table since a position, so that a copy can be kept up to date.

The engine has a change feed with the item before and after each change. Elsewhere, the application
writes markers: see `MigratingDriver`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from singletable.errors import OperationError, TrimmedDataAccess, UnexpectedResponse
from singletable.migration.derivation import Source, Unit
from singletable.migration.state import is_state_item
from singletable.operations import ChangeRecord, ReadChanges, ReadChangesOutput
from singletable.retry import send
from singletable.schema import Table
from singletable.steps import Steps
from singletable.store.context import Context
from singletable.values import Item

# Codes with which other servers answer an operation that they do not know.
_UNKNOWN_OPERATION = ("UnknownOperationException", "ValidationException", "SerializationException")
FEED_PAGE = 1000


@dataclass(frozen=True, slots=True)
class ChangedItem:
    """An item that changed, with its images before and after as far as the log has them."""

    table: Table
    key: Item
    old: Item | None = None
    new: Item | None = None
    # Whether it was removed because it had expired.
    expired: bool = False


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """Changes in the order in which they happened; read on after `position`.

    `is_last` means that the log had no further changes when it was read.
    """

    changes: list[ChangedItem]
    position: str
    is_last: bool = True


class ChangeLog(Protocol):
    """The changes of some tables."""

    def end(self) -> Steps[str]:
        """Return the position after the last change."""
        ...

    def read(self, position: str) -> Steps[ChangeBatch]:
        """Return the changes after a position; raise TrimmedDataAccess if they are gone."""
        ...

    def complete(self, batch: ChangeBatch) -> Steps[None]:
        """Forget the changes of a batch, because they are carried over."""
        ...

    # What a log needs that other processes write. They write targets, too.

    def without_markers(self, table: Table, items: list[Item]) -> Steps[list[Item]]:
        """Return the items of a page that no other process is changing now."""
        ...

    def journal(self, sources: Mapping[Unit, Source]) -> Steps[None]:
        """Store the states from which targets are about to be written."""
        ...

    def settle(self) -> Steps[None]:
        """Wait until no other process is changing an item."""
        ...


class _WithoutWriters:
    """The parts of a log that no other process writes."""

    def complete(self, batch: ChangeBatch) -> Steps[None]:
        """Do nothing: the changes need not be forgotten."""
        yield from ()

    def without_markers(self, table: Table, items: list[Item]) -> Steps[list[Item]]:
        """Return all items."""
        yield from ()
        return items

    def journal(self, sources: Mapping[Unit, Source]) -> Steps[None]:
        """Do nothing: the log has all states."""
        yield from ()

    def settle(self) -> Steps[None]:
        """Do nothing: only this process writes targets."""
        yield from ()


class FeedChanges(_WithoutWriters):
    """The change feed of our engine, embedded or over HTTP. All tables are on one side."""

    def __init__(self, context: Context, tables: Sequence[Table], page: int = FEED_PAGE) -> None:
        self._context = context
        self._tables = list(tables)
        self._page = page

    def end(self) -> Steps[str]:
        """Return the position of the newest change."""
        output = yield from self._read(None, self._tables[0])
        return str(output.position)

    def read(self, position: str) -> Steps[ChangeBatch]:
        """Return the changes after a position, those of all tables in one order."""
        after = int(position)
        newest = int((yield from self.end()))
        if newest < after:
            raise TrimmedDataAccess(
                f"The change feed ends at position {newest}, but was read up to {after} before: "
                "it is another feed."
            )
        found: list[tuple[ChangeRecord, Table]] = []
        positions: list[int] = []
        is_last = True
        for table in self._tables:
            output = yield from self._read(after, table)
            found += [(record, table) for record in output.changes]
            positions.append(output.position)
            is_last = is_last and len(output.changes) < self._page
        # The tables are read one after another: later ones may have newer changes, whose
        # predecessors in the others are not read yet.
        upto = min(positions)
        found.sort(key=lambda one: one[0].position)
        changes = [
            ChangedItem(table, record.keys, record.old, record.new, record.expired)
            for record, table in found
            # The migration's own items change all the time.
            if record.position <= upto and not is_state_item(record.new or record.old or {})
        ]
        return ChangeBatch(changes, str(upto), is_last)

    def is_available(self) -> Steps[bool]:
        """Return whether the driver has a change feed: our engine and our endpoint have one."""
        try:
            yield from self.end()
        except OperationError as error:
            if error.code not in _UNKNOWN_OPERATION:
                raise
            return False
        except UnexpectedResponse:
            return False
        return True

    def _read(self, after: int | None, table: Table) -> Steps[ReadChangesOutput]:
        request = ReadChanges(after, self._context.table_name(table), self._page)
        return (yield from send(self._context.retry_policy, request))


class NoChanges(_WithoutWriters):
    """The log of tables that nothing writes to while they are copied."""

    def end(self) -> Steps[str]:
        """Return the only position."""
        yield from ()
        return ""

    def read(self, position: str) -> Steps[ChangeBatch]:
        """Return no changes."""
        yield from ()
        return ChangeBatch([], position)
