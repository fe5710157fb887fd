"""What a request touches, and which faults can apply to it.

Requests arrive here unchecked. Missing parts count as empty: rejecting an invalid request is left
to the wrapped driver.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from dynamodb_engine.errors import OperationError
from dynamodb_engine.faults.config import OPERATIONS, SPECS, FaultKind, Faults
from dynamodb_engine.operations import (
    KeySchemaElement,
    Operation,
    Query,
    TableDescription,
    registry,
)
from dynamodb_engine.operations.arn import parse_arn
from dynamodb_engine.operations.partition_keys import canonical_key_texts, partition_values
from dynamodb_engine.operations.registry import SpecificFault
from dynamodb_engine.operations.touches import READS, Touch, table_names, touches

TRANSACTIONS = ("TransactGetItems", "TransactWriteItems", "ExecuteTransaction")
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
    spec = registry.OPERATIONS.get(type(operation))
    if spec is None or spec.scope != "items":
        for name in table_names(operation):
            yield TargetPart(0, table_name(name))
        return
    for position, touch in enumerate(touches(operation)):
        name = table_name(touch.table)
        table = tables.get(name)
        index: str | None = getattr(touch.request, "index_name", None)
        writes = spec.writes and touch.access not in READS
        yield TargetPart(
            position,
            name,
            index,
            _partition(touch, _partition_attributes(table, index)),
            writes,
            _written_indexes(touch, table) if writes else (),
        )


def _written_indexes(touch: Touch, table: TableDescription | None) -> tuple[str, ...]:
    """Return the indexes that a write updates, or may update."""
    return tuple(
        index.index_name
        for index in (None if table is None else table.global_secondary_indexes) or ()
        # A whole item is in an index if it has its keys; of a key alone we cannot tell.
        if touch.access != "put"
        or all(part.attribute_name in touch.item for part in index.key_schema)
    )


def _partition(touch: Touch, attributes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the partition key as text, for comparison with `Faults.keys`; empty if unknown."""
    if not isinstance(touch.request, Query):
        values = [touch.item[name] for name in attributes if name in touch.item]
        return tuple(text for value in values for text in canonical_key_texts(value))
    try:
        return tuple(text for name in attributes for text in partition_values(touch.request, name))
    except OperationError:
        return ()


def _partition_attributes(table: TableDescription | None, index: str | None) -> tuple[str, ...]:
    if table is None:
        return ()
    schemas: dict[str | None, list[KeySchemaElement]] = {None: table.key_schema}
    for global_index in table.global_secondary_indexes or ():
        schemas[global_index.index_name] = global_index.key_schema
    for local_index in table.local_secondary_indexes or ():
        schemas[local_index.index_name] = local_index.key_schema
    return tuple(part.attribute_name for part in schemas.get(index, ()) if part.key_type == "HASH")
