"""Some items of a table, read to draft from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from singletable.drafting.described import declared
from singletable.operations import DescribeTable, DescribeTimeToLive, Driver, Scan
from singletable.schema import Table
from singletable.values import AttributeType, Item

# DynamoDB's pages end at a megabyte anyway; small ones let progress be seen.
PAGE = 250


@dataclass(frozen=True, slots=True)
class Told:
    """Items that somebody has named, and the templates of their keys if these are known too.

    A template is written as it is shown: `POLL#{poll_id}`. Where there are no items, `attributes`
    tells the types that theirs would have.
    """

    name: str
    items: Sequence[Item]
    pk: str | None = None
    sk: str | None = None
    attributes: Mapping[str, AttributeType] = field(default_factory=dict[str, AttributeType])


@dataclass(frozen=True, slots=True)
class Sample:
    """A table as it would be declared, and some of its items."""

    table: Table
    items: Sequence[Item]
    # Whether these are all items there are.
    whole: bool = True
    told: Sequence[Told] = ()


def read_sample(
    driver: Driver, table: str, most: int, on_read: Callable[[int], None] = lambda _: None
) -> Sample:
    """Describe the table and scan it up to so many items; `on_read` is told how many there are."""
    described = driver.execute(DescribeTable(table)).table
    life = driver.execute(DescribeTimeToLive(table)).time_to_live_description
    enabled = life.time_to_live_status in ("ENABLED", "ENABLING")
    items: list[Item] = []
    after: Item | None = None
    while len(items) < most:
        limit = min(PAGE, most - len(items))
        page = driver.execute(Scan(table, limit=limit, exclusive_start_key=after))
        items += page.items or []
        on_read(len(items))
        after = page.last_evaluated_key
        if after is None:
            break
    ttl = life.attribute_name if enabled else None
    return Sample(declared(described, ttl), items, whole=after is None)
