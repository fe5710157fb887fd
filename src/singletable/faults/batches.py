"""A batch in two: what is done, and what is handed back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from singletable.engine import Engine
from singletable.errors import OperationError
from singletable.operations import (
    BatchGetItem,
    BatchGetItemOutput,
    BatchWriteItem,
    BatchWriteItemOutput,
    CreateTable,
    KeysAndAttributes,
    Operation,
    WriteRequest,
)

T = TypeVar("T")


def is_refused(batch: Operation[object], tables: Iterable[CreateTable]) -> bool:
    """Whether DynamoDB refuses the batch as a whole, so that no part of it may be done.

    A batch has no conditions, so a table without items refuses what any other would.
    """
    with Engine.in_memory() as rehearsal:
        for table in tables:
            rehearsal.execute(table)
        try:
            rehearsal.execute(batch)
        except OperationError:
            return True
    return False


def split_get(batch: BatchGetItem, places: set[int]) -> tuple[BatchGetItem, BatchGetItem]:
    """The batch without the keys at these places, and one with them alone."""
    keys = {name: wanted.keys for name, wanted in batch.request_items.items()}
    rest, taken = (
        {name: replace(batch.request_items[name], keys=some) for name, some in half.items()}
        for half in _split(keys, places)
    )
    return replace(batch, request_items=rest), replace(batch, request_items=taken)


def split_write(batch: BatchWriteItem, places: set[int]) -> tuple[BatchWriteItem, BatchWriteItem]:
    """The batch without the writes at these places, and one with them alone."""
    rest, taken = _split(batch.request_items, places)
    return replace(batch, request_items=rest), replace(batch, request_items=taken)


def handed_back(written: BatchWriteItemOutput, left: BatchWriteItem) -> BatchWriteItemOutput:
    """The answer that hands back the writes that were left, besides its own."""
    unprocessed: dict[str, list[WriteRequest]] = dict(written.unprocessed_items)
    for name, writes in left.request_items.items():
        unprocessed[name] = unprocessed.get(name, []) + writes
    return replace(written, unprocessed_items=unprocessed)


def keys_handed_back(got: BatchGetItemOutput, left: BatchGetItem) -> BatchGetItemOutput:
    """The answer that hands back the keys that were left, besides its own."""
    responses = {name: got.raw_responses.get(name, []) for name in left.request_items}
    return replace(
        got,
        raw_responses={**got.raw_responses, **responses},
        unprocessed_keys=_keys_joined(got.unprocessed_keys, left.request_items),
    )


def got_together(answers: Sequence[BatchGetItemOutput]) -> BatchGetItemOutput:
    """One answer of several to parts of the same batch."""
    first, *others = answers
    for other in others:
        responses = dict(first.raw_responses)
        for name, items in other.raw_responses.items():
            responses[name] = responses.get(name, []) + items
        capacities = (first.consumed_capacity or []) + (other.consumed_capacity or [])
        unprocessed = _keys_joined(first.unprocessed_keys, other.unprocessed_keys)
        first = BatchGetItemOutput(responses, unprocessed, capacities or None)
    return first


def _keys_joined(
    some: dict[str, KeysAndAttributes], others: dict[str, KeysAndAttributes]
) -> dict[str, KeysAndAttributes]:
    joined = dict(some)
    for name, wanted in others.items():
        keys = joined[name].keys if name in joined else []
        joined[name] = replace(wanted, keys=keys + wanted.keys)
    return joined


def _split(
    members: dict[str, list[T]], places: set[int]
) -> tuple[dict[str, list[T]], dict[str, list[T]]]:
    """Members by table without those at some places, and those alone; nothing empty."""
    rest: dict[str, list[T]] = {}
    taken: dict[str, list[T]] = {}
    place = 0
    for name, some in members.items():
        for member in some:
            (taken if place in places else rest).setdefault(name, []).append(member)
            place += 1
    return rest, taken
