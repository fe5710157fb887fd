"""Samples of tables: their description as a declaration, and some of their items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dynamodb_engine.operations import Driver, Scan
from dynamodb_engine.values import Item
from singletable.schema import Table, read_table
from singletable.schema.table import STATE_ATTRIBUTE

# Pages of DynamoDB may have a megabyte; small ones let us report progress.
PAGE_SIZE = 250


@dataclass(frozen=True, slots=True)
class TableSample:
    """A table and some of its items; `complete` if these are all of them."""

    table: Table
    items: Sequence[Item]
    complete: bool = True


def read_sample(
    driver: Driver, table: str, limit: int, on_progress: Callable[[int], None] = lambda _: None
) -> TableSample:
    """Describe the table and scan up to `limit` items; report their number to `on_progress`."""
    _, declared = read_table(driver, table)
    items: list[Item] = []
    after: Item | None = None
    while len(items) < limit:
        size = min(PAGE_SIZE, limit - len(items))
        page = driver.execute(Scan(table, limit=size, exclusive_start_key=after))
        items += [item for item in page.items if STATE_ATTRIBUTE not in item]
        on_progress(len(items))
        after = page.last_evaluated_key
        if after is None:
            break
    return TableSample(declared, items, complete=after is None)
