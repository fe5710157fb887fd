"""What a request touches, and which faults can apply to it.

Requests arrive here unchecked. Missing parts count as empty: rejecting an invalid request is left
to the wrapped driver.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from singletable.errors import OperationError
from singletable.expressions import Placeholders, parse_key_condition
from singletable.faults.config import OPERATIONS, SPECS, FaultKind, Faults
from singletable.operations import (
    BatchGetItem,
    BatchWriteItem,
    DeleteItem,
    GetItem,
    KeySchemaElement,
    Operation,
    Put,
    PutItem,
    Query,
    Scan,
    TableDescription,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
    registry,
)
from singletable.operations.arn import parse_arn
from singletable.operations.registry import SpecificFault
from singletable.values import AttributeValue, InvalidNumber, Item, canonical_number, check_value

TRANSACTIONS = ("TransactGetItems", "TransactWriteItems")
ITEM_OPERATIONS = tuple(name for name, spec in SPECS.items() if spec.scope == "items")
Tables: TypeAlias = Mapping[str, TableDescription]


def _operations_with(fault: SpecificFault) -> tuple[str, ...]:
    return tuple(name for name, spec in SPECS.items() if fault in spec.faults)


# The operations that can have each fault on AWS.
APPLICABLE: dict[FaultKind, tuple[str, ...]] = {
    "throttle": OPERATIONS,
    "unavailable": OPERATIONS,
    "internal": OPERATIONS,
    "internal_after": tuple(name for name, spec in SPECS.items() if spec.writes),
    "in_progress": _operations_with("in_progress"),
    "conflict": _operations_with("conflict"),
    "unprocessed": _operations_with("unprocessed"),
    "stale": _operations_with("stale"),
}


@dataclass(frozen=True, slots=True)
class TargetPart:
    """One item that a request reads or writes, or the page that it reads.

    `written_indexes` are the global indexes that a write updates, or may update.
    """

    position: int
    table: str
    index: str | None = None
    partition: tuple[str, ...] = ()
    writes: bool = False
    consistent: bool = True
    written_indexes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FaultTarget:
    """A request as faults see it: the name of its operation, and what it touches."""

    name: str
    parts: tuple[TargetPart, ...]
    has_client_token: bool = False

    @property
    def is_transaction(self) -> bool:
        """Whether the operation is a transaction."""
        return self.name in TRANSACTIONS


def describe_target(operation: Operation[Any], tables: Tables) -> FaultTarget:
    """Describe what a request touches; partitions and indexes only of the given tables."""
    has_client_token = getattr(operation, "client_request_token", None) is not None
    return FaultTarget(type(operation).__name__, target_parts(operation, tables), has_client_token)


def is_selected(operation: Operation[Any], faults: Faults) -> bool:
    """Return whether faults apply to this operation; to our own operations they never do."""
    return type(operation).__name__ in (faults.operations or ITEM_OPERATIONS)


def parts_in_scope(target: FaultTarget, faults: Faults) -> tuple[TargetPart, ...] | None:
    """Return the parts that faults select, or None if the request is out of scope."""
    if target.name not in (faults.operations or ITEM_OPERATIONS):
        return None
    parts = tuple(part for part in target.parts if _is_in_scope(part, faults))
    is_restricted = faults.tables or faults.indexes or faults.keys
    return None if is_restricted and not parts else parts


def applicable_parts(
    target: FaultTarget, faults: Faults, kind: FaultKind
) -> tuple[TargetPart, ...] | None:
    """Return the parts that a fault of this kind can apply to, or None if it cannot."""
    parts = parts_in_scope(target, faults)
    if parts is None or target.name not in APPLICABLE[kind]:
        return None
    if faults.indexes and kind != "throttle":
        # A slow index throttles writes to its table; other faults of a write are the table's.
        parts = tuple(part for part in parts if not part.writes)
    match kind:
        case "stale":
            parts = tuple(part for part in parts if not part.consistent)
        case "unprocessed" if len(target.parts) < 2:
            return None
        case "in_progress" if not target.has_client_token:
            return None
        case _:
            pass
    # A request that names no table, such as ListTables, has no parts.
    return parts if parts or target.name not in ITEM_OPERATIONS else None


def _is_in_scope(part: TargetPart, faults: Faults) -> bool:
    tables = tuple(table_name(name) for name in faults.tables)
    if tables and part.table not in tables:
        return False
    if faults.indexes and not {part.index, *part.written_indexes}.intersection(faults.indexes):
        return False
    return not faults.keys or bool(set(part.partition).intersection(faults.keys))


# The parts of a request


def table_name(name: str | None) -> str:
    """Return the name of a table given by name or ARN; a missing one is empty."""
    arn = parse_arn(name or "")
    return (arn and arn.table) or name or ""


def target_parts(operation: Operation[Any], tables: Tables) -> tuple[TargetPart, ...]:
    """Return the parts of a request; none if it contains values of other types."""
    try:
        parts = tuple(_parts(operation, tables))
        hash(parts)  # raises TypeError if a name is unhashable
    except (TypeError, AttributeError):
        return ()
    return parts


def _parts(operation: Operation[Any], tables: Tables) -> Iterator[TargetPart]:
    match operation:
        case GetItem():
            yield _read(0, operation.table_name, operation.key, operation.consistent_read, tables)
        case Query() | Scan():
            name = table_name(operation.table_name)
            partition: tuple[str, ...] = ()
            if isinstance(operation, Query):
                partition = _queried_partition(tables.get(name), operation)
            consistent = bool(operation.consistent_read)
            yield TargetPart(0, name, operation.index_name, partition, consistent=consistent)
        case PutItem():
            yield _write(0, operation.table_name, operation.item, tables, is_whole=True)
        case UpdateItem() | DeleteItem():
            yield _write(0, operation.table_name, operation.key, tables)
        case BatchGetItem():
            for position, (name, key, consistent_read) in enumerate(_batch_keys(operation)):
                yield _read(position, name, key, consistent_read, tables)
        case BatchWriteItem():
            for position, (name, item, is_whole) in enumerate(_batch_writes(operation)):
                yield _write(position, name, item, tables, is_whole=is_whole)
        case TransactGetItems():
            for position, read in enumerate(operation.transact_items or ()):
                yield _read(position, read.get.table_name, read.get.key, True, tables)
        case TransactWriteItems():
            yield from _transaction_parts(operation, tables)
        case _:
            for name in registry.table_names(operation):
                yield TargetPart(0, table_name(name))


def _batch_keys(batch: BatchGetItem) -> Iterator[tuple[str, Item, bool | None]]:
    for name, request in (batch.request_items or {}).items():
        for key in request.keys or ():
            yield name, key, request.consistent_read


def _batch_writes(batch: BatchWriteItem) -> Iterator[tuple[str, Item, bool]]:
    for name, writes in (batch.request_items or {}).items():
        for write in writes or ():
            if write.put_request is not None:
                yield name, write.put_request.item, True
            else:
                yield name, {} if write.delete_request is None else write.delete_request.key, False


def _transaction_parts(transaction: TransactWriteItems, tables: Tables) -> Iterator[TargetPart]:
    for position, write in enumerate(transaction.transact_items or ()):
        action = write.put or write.update or write.delete or write.condition_check
        if action is None:
            yield TargetPart(position, "", writes=True)
        elif isinstance(action, Put):
            yield _write(position, action.table_name, action.item, tables, is_whole=True)
        else:
            yield _write(position, action.table_name, action.key, tables)


def _read(
    position: int, name: str, key: Item, consistent: bool | None, tables: Tables
) -> TargetPart:
    name = table_name(name)
    partition = _item_partition(tables.get(name), key)
    return TargetPart(position, name, None, partition, consistent=bool(consistent))


def _write(
    position: int, name: str, item: Item, tables: Tables, *, is_whole: bool = False
) -> TargetPart:
    name = table_name(name)
    table = tables.get(name)
    indexes = tuple(
        index.index_name
        for index in (None if table is None else table.global_secondary_indexes) or ()
        # A whole item is in an index if it has its keys; of a key alone we cannot tell.
        if not is_whole or all(part.attribute_name in (item or {}) for part in index.key_schema)
    )
    partition = _item_partition(table, item)
    return TargetPart(position, name, None, partition, writes=True, written_indexes=indexes)


# Partition keys, as text for comparison with `Faults.keys`


def _item_partition(table: TableDescription | None, item: Item) -> tuple[str, ...]:
    """Return the partition key of an item or key; empty if the table or the key is unknown."""
    names = _partition_attributes(table, None)
    return _texts(item[name] for name in names if name in (item or {}))


def _queried_partition(table: TableDescription | None, query: Query) -> tuple[str, ...]:
    """Return the partition key that a query reads; empty if it is unknown."""
    values = _equality_conditions(query)
    names = _partition_attributes(table, query.index_name)
    return _texts(values[name] for name in names if name in values)


def _partition_attributes(table: TableDescription | None, index: str | None) -> tuple[str, ...]:
    if table is None:
        return ()
    schemas: dict[str | None, list[KeySchemaElement]] = {None: table.key_schema}
    for global_index in table.global_secondary_indexes or ():
        schemas[global_index.index_name] = global_index.key_schema
    for local_index in table.local_secondary_indexes or ():
        schemas[local_index.index_name] = local_index.key_schema
    return tuple(part.attribute_name for part in schemas.get(index, ()) if part.key_type == "HASH")


def _equality_conditions(query: Query) -> dict[str, AttributeValue]:
    """Return the values that key attributes must equal."""
    if query.key_condition_expression is None:
        return {
            name: condition.attribute_value_list[0]
            for name, condition in (query.key_conditions or {}).items()
            if condition.comparison_operator == "EQ" and condition.attribute_value_list
        }
    names, values = query.expression_attribute_names, query.expression_attribute_values
    try:
        placeholders = Placeholders.checked(names, values, _canonical)
        clauses = parse_key_condition(query.key_condition_expression, placeholders)
    except OperationError:
        return {}
    return {clause.attribute: clause.values[0] for clause in clauses if clause.comparator == "="}


def _canonical(alias: str, value: AttributeValue) -> AttributeValue:
    return check_value(value)[0]


def _texts(values: Iterable[AttributeValue]) -> tuple[str, ...]:
    return tuple(_text(value) for value in values)


def _text(value: AttributeValue) -> str:
    if "N" in value:
        try:
            return canonical_number(value["N"])
        except InvalidNumber:
            return value["N"]
    return value.get("S") or value.get("B") or ""
