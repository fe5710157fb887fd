"""The body of an answer becomes the operation's result, with its items left as they came."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from msgspec import Raw, Struct, ValidationError
from msgspec.json import Decoder, decode, encode

from singletable.operations import (
    ChangeRecord,
    ConsumedCapacity,
    GetItemOutput,
    ItemCollectionMetrics,
    ItemResponse,
    Operation,
    ReadChangesOutput,
    TransactGetItemsOutput,
    WriteItemOutput,
)
from singletable.operations.registry import OPERATIONS
from singletable.remote.older import completed
from singletable.values import Item

_NONE = Raw(b"null")

# msgspec decodes no `Raw | None`. So results that may lack an item are decoded to these, in which
# an item that is not there is JSON's null, and then made.


class _Written(Struct, rename="pascal"):
    attributes: Raw = _NONE
    consumed_capacity: ConsumedCapacity | None = None
    item_collection_metrics: ItemCollectionMetrics | None = None


class _Got(Struct, rename="pascal"):
    item: Raw = _NONE
    consumed_capacity: ConsumedCapacity | None = None


class _Response(Struct, rename="pascal"):
    item: Raw = _NONE


class _Read(Struct, rename="pascal"):
    responses: list[_Response]
    consumed_capacity: list[ConsumedCapacity] | None = None


class _Change(Struct, rename="pascal"):
    position: int
    table_name: str
    kind: Any
    when: float
    keys: Item
    expired: bool = False
    old: Raw = _NONE
    new: Raw = _NONE


class _Changes(Struct, rename="pascal"):
    changes: list[_Change]
    position: int


def _there(raw: Raw) -> Raw | None:
    return None if raw == _NONE else raw


def _item_written(body: bytes) -> WriteItemOutput:
    it = _written(body)
    return WriteItemOutput(_there(it.attributes), it.consumed_capacity, it.item_collection_metrics)


def _item_got(body: bytes) -> GetItemOutput:
    it = _got(body)
    return GetItemOutput(_there(it.item), it.consumed_capacity)


def _transaction_read(body: bytes) -> TransactGetItemsOutput:
    it = _read(body)
    return TransactGetItemsOutput(
        [ItemResponse(_there(one.item)) for one in it.responses], it.consumed_capacity
    )


def _changes_read(body: bytes) -> ReadChangesOutput:
    it = _changes(body)
    return ReadChangesOutput(
        [
            ChangeRecord(
                one.position,
                one.table_name,
                one.kind,
                one.when,
                one.keys,
                one.expired,
                _there(one.old),
                _there(one.new),
            )
            for one in it.changes
        ],
        it.position,
    )


_written = Decoder(_Written).decode
_got = Decoder(_Got).decode
_read = Decoder(_Read).decode
_changes = Decoder(_Changes).decode
_BY_HAND: dict[type, Callable[[bytes], Any]] = {
    WriteItemOutput: _item_written,
    GetItemOutput: _item_got,
    TransactGetItemsOutput: _transaction_read,
    ReadChangesOutput: _changes_read,
}


def read_result(operation: type[Operation[Any]], body: bytes) -> Any:
    """The result of an operation; a ValidationError or a DecodeError if the body holds none."""
    read = _reader(operation)
    try:
        return read(body or b"{}")  # tagging is answered with nothing at all
    except ValidationError:
        # Rare, so it may be slow: an older server may lack what DynamoDB has added since.
        return read(encode(completed(decode(body or b"{}"))))


@cache
def _reader(operation: type[Operation[Any]]) -> Callable[[bytes], Any]:
    result = OPERATIONS[operation].output
    return _BY_HAND.get(result) or Decoder(result).decode
