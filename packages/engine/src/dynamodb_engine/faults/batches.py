"""Split batch requests, and merge their outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.engine import Engine
from dynamodb_engine.errors import OperationError

T = TypeVar("T")


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


def merge_get_outputs(outputs: Sequence[ops.BatchGetItemOutput]) -> ops.BatchGetItemOutput:
    """Merge the outputs of several parts of one batch."""
    merged, *others = outputs
    for output in others:
        responses = dict(merged.raw_responses)
        for name, items in output.raw_responses.items():
            responses[name] = responses.get(name, []) + items
        capacities = (merged.consumed_capacity or []) + (output.consumed_capacity or [])
        unprocessed = _merge_keys(merged.unprocessed_keys, output.unprocessed_keys)
        merged = ops.BatchGetItemOutput(responses, unprocessed, capacities or None)
    return merged


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
