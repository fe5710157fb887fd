"""Split batch requests, and merge their outputs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.engine import Engine
from dynamodb_engine.errors import OperationError
from dynamodb_engine.retry import send_once
from dynamodb_engine.steps import Steps

T = TypeVar("T")


def describe_tables(names: Iterable[str]) -> Steps[dict[str, ops.TableDescription]]:
    """Return the descriptions of those tables that exist, by name."""
    tables: dict[str, ops.TableDescription] = {}
    for name in dict.fromkeys(names):
        try:
            tables[name] = (yield from send_once(ops.DescribeTable(name))).table
        except OperationError:
            # A missing table is reported by the request itself.
            continue
    return tables


def create_request(table: ops.TableDescription) -> ops.CreateTable:
    """Return the request that creates a table with the same keys and indexes, on demand."""
    local_indexes = [
        ops.LocalSecondaryIndex(index.index_name, index.key_schema, index.projection)
        for index in table.local_secondary_indexes or ()
    ]
    global_indexes = [
        ops.GlobalSecondaryIndex(index.index_name, index.key_schema, index.projection)
        for index in table.global_secondary_indexes or ()
    ]
    schemas = [
        table.key_schema,
        *(index.key_schema for index in local_indexes),
        *(index.key_schema for index in global_indexes),
    ]
    used = {part.attribute_name for schema in schemas for part in schema}
    return ops.CreateTable(
        table.table_name,
        # CreateTable rejects definitions of attributes that are not in a key.
        [
            definition
            for definition in table.attribute_definitions
            if definition.attribute_name in used
        ],
        table.key_schema,
        local_secondary_indexes=local_indexes or None,
        global_secondary_indexes=global_indexes or None,
        billing_mode="PAY_PER_REQUEST",
    )


def is_rejected(batch: ops.Operation[object], tables: Iterable[ops.CreateTable]) -> bool:
    """Return whether DynamoDB would reject the whole batch, so that no part may be applied.

    A batch has no conditions, so this can be tried on empty tables.
    """
    with Engine.in_memory() as engine:
        for table in tables:
            engine.execute(table)
        try:
            engine.execute(batch)
        except OperationError:
            return True
    return False


def split_get(
    batch: ops.BatchGetItem, positions: set[int]
) -> tuple[ops.BatchGetItem, ops.BatchGetItem]:
    """Return the batch without the keys at these positions, and one with only them."""
    keys = {name: request.keys for name, request in batch.request_items.items()}
    rest, selected = (
        {name: replace(batch.request_items[name], keys=part) for name, part in half.items()}
        for half in _split(keys, positions)
    )
    return replace(batch, request_items=rest), replace(batch, request_items=selected)


def split_write(
    batch: ops.BatchWriteItem, positions: set[int]
) -> tuple[ops.BatchWriteItem, ops.BatchWriteItem]:
    """Return the batch without the writes at these positions, and one with only them."""
    rest, selected = _split(batch.request_items, positions)
    return replace(batch, request_items=rest), replace(batch, request_items=selected)


def add_unprocessed_items(
    output: ops.BatchWriteItemOutput, unprocessed: ops.BatchWriteItem
) -> ops.BatchWriteItemOutput:
    """Return the output with further unprocessed writes."""
    items: dict[str, list[ops.WriteRequest]] = dict(output.unprocessed_items)
    for name, writes in unprocessed.request_items.items():
        items[name] = items.get(name, []) + writes
    return replace(output, unprocessed_items=items)


def add_unprocessed_keys(
    output: ops.BatchGetItemOutput, unprocessed: ops.BatchGetItem
) -> ops.BatchGetItemOutput:
    """Return the output with further unprocessed keys."""
    responses = {name: output.raw_responses.get(name, []) for name in unprocessed.request_items}
    return replace(
        output,
        raw_responses={**output.raw_responses, **responses},
        unprocessed_keys=_merge_keys(output.unprocessed_keys, unprocessed.request_items),
    )


def _merge_keys(
    first: dict[str, ops.KeysAndAttributes], second: dict[str, ops.KeysAndAttributes]
) -> dict[str, ops.KeysAndAttributes]:
    merged = dict(first)
    for name, request in second.items():
        keys = merged[name].keys if name in merged else []
        merged[name] = replace(request, keys=keys + request.keys)
    return merged


def _split(
    members: dict[str, list[T]], positions: set[int]
) -> tuple[dict[str, list[T]], dict[str, list[T]]]:
    rest: dict[str, list[T]] = {}
    selected: dict[str, list[T]] = {}
    position = 0
    for name, table_members in members.items():
        for member in table_members:
            half = selected if position in positions else rest
            half.setdefault(name, []).append(member)
            position += 1
    return rest, selected
