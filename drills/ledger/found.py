"""What is found in an engine: everything, read through its public face."""

from __future__ import annotations

from dataclasses import dataclass

from drills.ledger.actions import TABLE
from singletable import DescribeTable, Engine, Item, ListTables, ReadChanges, Scan
from singletable.operations import ChangeRecord


@dataclass(frozen=True, slots=True)
class Found:
    """The tables by name, the ledger's items and index entries by key, and the feed."""

    tables: frozenset[str]
    items: dict[str, Item]
    whole: dict[str, Item]
    keys: dict[str, Item]
    count: int
    changes: list[ChangeRecord]


def found_in(engine: Engine) -> Found:
    """Everything there is."""
    tables = _tables(engine)
    if TABLE not in tables:
        return Found(tables, {}, {}, {}, 0, _changes(engine))
    return Found(
        tables,
        _scan(engine),
        _scan(engine, "whole"),
        _scan(engine, "keys"),
        engine.execute(DescribeTable(TABLE)).table.item_count or 0,
        _changes(engine),
    )


def _tables(engine: Engine) -> frozenset[str]:
    names: list[str] = []
    while True:
        page = engine.execute(ListTables(exclusive_start_table_name=names[-1] if names else None))
        names += page.table_names
        if page.last_evaluated_table_name is None:
            return frozenset(names)


def _scan(engine: Engine, index: str | None = None) -> dict[str, Item]:
    items: dict[str, Item] = {}
    start: Item | None = None
    while True:
        page = engine.execute(Scan(TABLE, index_name=index, exclusive_start_key=start))
        for item in page.items or ():
            assert item["pk"]["S"] not in items, "an item was given twice"
            items[item["pk"]["S"]] = item
        start = page.last_evaluated_key
        if start is None:
            return items


def _changes(engine: Engine) -> list[ChangeRecord]:
    changes: list[ChangeRecord] = []
    while True:
        page = engine.execute(ReadChanges(after=changes[-1].position if changes else 0))
        if not page.changes:
            return changes
        changes += page.changes
