"""Answer reads that need not be consistent from a past state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from singletable.errors import ResourceNotFound
from singletable.faults.batches import got_together, split_get
from singletable.faults.description import Faults
from singletable.faults.feed import Window
from singletable.faults.replica import Replica
from singletable.faults.steps import Steps, ask
from singletable.faults.surface import Part
from singletable.faults.tables import described
from singletable.operations import BatchGetItem, BatchGetItemOutput, Operation, TableDescription

R = TypeVar("R")


def stale_read(
    operation: Operation[R],
    parts: tuple[Part, ...],
    faults: Faults,
    replica: Replica,
    clock: Callable[[], float],
) -> Steps[R]:
    """The answer as it was a while ago; as it is where there is nothing to be behind."""
    tables = yield from described(part.table for part in parts)
    parts = tuple(part for part in parts if _can_be_read(part, tables.get(part.table)))
    if not parts:
        return (yield from ask(operation))
    lag = lag_of(faults, clock())
    if not isinstance(operation, BatchGetItem):
        try:
            return (yield from replica.read(operation, tables[parts[0].table], lag))
        except ResourceNotFound:
            # The table was deleted while its copy was being brought to its place.
            return (yield from ask(operation))
    answers: list[BatchGetItemOutput] = []
    rest, _ = split_get(operation, {part.place for part in parts})
    if rest.request_items:
        answers.append((yield from ask(rest)))
    for name in dict.fromkeys(part.table for part in parts):
        _, some = split_get(operation, {part.place for part in parts if part.table == name})
        answers.append((yield from replica.read(some, tables[name], lag)))
    return cast(R, got_together(answers))  # The operation is a batch of gets, and so is this.


def lag_of(faults: Faults, now: float) -> Callable[[Window], int | None]:
    """How many of a table's last changes are not seen yet; None if the window is too narrow."""
    behind = faults.behind if faults.behind or faults.delay else 1
    seen_until = now - faults.delay

    def lag(window: Window) -> int | None:
        late = sum(1 for change in window.changes if change.when > seen_until)
        if len(window.changes) < behind or (faults.delay and late == len(window.changes)):
            return None
        return max(behind, late)

    return lag


def _can_be_read(part: Part, table: TableDescription | None) -> bool:
    """Whether the table and the index that are asked for are there; else the driver refuses."""
    if table is None or table.table_status in ("CREATING", "DELETING"):
        return False
    indexes = table.global_secondary_indexes or ()
    return not [i for i in indexes if i.index_name == part.index and i.index_status != "ACTIVE"]
