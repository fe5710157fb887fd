"""What an operation touches: tables, indexes and partitions, one part for each item or page.

Operations arrive here unchecked, so whatever may be missing is taken to be empty: a request that
makes no sense is for the driver to refuse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from singletable.faults.partitions import partition_asked, partition_of
from singletable.operations import (
    BatchGetItem,
    BatchWriteItem,
    DeleteItem,
    GetItem,
    Operation,
    Put,
    PutItem,
    Query,
    Scan,
    TableDescription,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
    arn,
    registry,
)
from singletable.values import Item

TRANSACTIONS = ("TransactGetItems", "TransactWriteItems")
# The operations of DynamoDB by name; our own never fail.
SPECS = {spec.name: spec for spec in registry.OPERATIONS.values() if spec.service == "dynamodb"}
OPERATIONS = tuple(SPECS)
ON_ITEMS = tuple(name for name, spec in SPECS.items() if spec.scope == "items")
CONTROL = tuple(name for name, spec in SPECS.items() if spec.scope != "items")
Tables: TypeAlias = Mapping[str, TableDescription]


@dataclass(frozen=True, slots=True)
class Part:
    """One item that an operation reads or writes, or the page that it asks for."""

    place: int
    table: str
    index: str | None = None
    partition: tuple[str, ...] = ()
    writes: bool = False
    consistent: bool = True
    # The global indexes that a write goes to as well, or may go to.
    feeds: tuple[str, ...] = ()


def table_name(name: str | None) -> str:
    """Return the name of a table given by name or ARN; a missing one is empty."""
    return arn.table_name(name or "")


def parts_of(operation: Operation[Any], tables: Tables) -> tuple[Part, ...]:
    """What the operation touches; partitions and indexes only of tables that are described."""
    try:
        parts = tuple(_parts(operation, tables))
        hash(parts)  # names that are no strings may be anything
    except (TypeError, AttributeError):
        return ()  # it holds what is of another type, and touches nothing: the driver says so
    return parts


def _parts(operation: Operation[Any], tables: Tables) -> Iterator[Part]:
    match operation:
        case GetItem():
            yield _read(0, operation.table_name, operation.key, operation.consistent_read, tables)
        case Query():
            name = table_name(operation.table_name)
            partition = partition_asked(tables.get(name), operation)
            yield Part(0, name, operation.index_name, partition, consistent=_consistent(operation))
        case Scan():
            name = table_name(operation.table_name)
            yield Part(0, name, operation.index_name, consistent=_consistent(operation))
        case PutItem():
            yield _write(0, operation.table_name, operation.item, tables, whole=True)
        case UpdateItem() | DeleteItem():
            yield _write(0, operation.table_name, operation.key, tables)
        case BatchGetItem():
            for place, (name, key, consistent) in enumerate(_keys_of(operation)):
                yield _read(place, name, key, consistent, tables)
        case BatchWriteItem():
            for place, (name, item, whole) in enumerate(_writes_of(operation)):
                yield _write(place, name, item, tables, whole=whole)
        case TransactGetItems():
            for place, one in enumerate(operation.transact_items or ()):
                yield _read(place, one.get.table_name, one.get.key, True, tables)
        case TransactWriteItems():
            yield from _actions(operation, tables)
        case _:
            for name in registry.table_names(operation):
                yield Part(0, table_name(name))


def _consistent(page: Query | Scan) -> bool:
    return bool(page.consistent_read)


def _keys_of(batch: BatchGetItem) -> Iterator[tuple[str, Item, bool | None]]:
    for name, wanted in (batch.request_items or {}).items():
        for key in wanted.keys or ():
            yield name, key, wanted.consistent_read


def _writes_of(batch: BatchWriteItem) -> Iterator[tuple[str, Item, bool]]:
    for name, writes in (batch.request_items or {}).items():
        for write in writes or ():
            if write.put_request is not None:
                yield name, write.put_request.item, True
            else:
                yield name, {} if write.delete_request is None else write.delete_request.key, False


def _actions(transaction: TransactWriteItems, tables: Tables) -> Iterator[Part]:
    for place, one in enumerate(transaction.transact_items or ()):
        action = one.put or one.update or one.delete or one.condition_check
        if action is None:
            yield Part(place, "", writes=True)
        elif isinstance(action, Put):
            yield _write(place, action.table_name, action.item, tables, whole=True)
        else:
            yield _write(place, action.table_name, action.key, tables)


def _read(place: int, name: str, key: Item, consistent: bool | None, tables: Tables) -> Part:
    name = table_name(name)
    return Part(place, name, None, partition_of(tables.get(name), key), consistent=bool(consistent))


def _write(place: int, name: str, item: Item, tables: Tables, *, whole: bool = False) -> Part:
    name = table_name(name)
    table = tables.get(name)
    feeds = tuple(
        index.index_name
        for index in (None if table is None else table.global_secondary_indexes) or ()
        # An item without the keys of an index is not in it; of a key alone we cannot tell.
        if not whole or all(part.attribute_name in (item or {}) for part in index.key_schema)
    )
    return Part(place, name, None, partition_of(table, item), writes=True, feeds=feeds)
