"""Decode responses into the outputs of operations; items stay raw JSON until they are read."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias, TypeVar, cast
from zlib import crc32

from msgspec import DecodeError, Raw, Struct, ValidationError
from msgspec.json import Decoder, decode, encode

from dynamodb_engine import operations as ops
from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.values import Item
from dynamodb_engine.wire.requests import DECODER_LOCK
from singletable.errors import (
    ConnectionFailed,
    InternalError,
    SingleTableError,
    UnexpectedResponse,
    UnknownOperation,
)
from singletable.remote.config import RemoteEndpoint
from singletable.remote.errors import parse_error, unsupported_operation
from singletable.remote.http import Response

R = TypeVar("R")
Json: TypeAlias = dict[str, Any]

_MAX_EXCERPT = 200
_ZLIB_WINDOW_BITS = {b"gzip": 31, b"deflate": 15}
_NULL = Raw(b"null")


def decode_response(endpoint: RemoteEndpoint, operation: ops.Operation[R], response: Response) -> R:
    """Return the output, or raise the error that the response contains."""
    body = _decode_body(endpoint, response)
    if response.status != 200:
        raise _error(endpoint, operation, response, body)
    try:
        return cast(R, decode_output(type(operation), body))
    except (DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise _unexpected(endpoint, operation, response, body, str(error)) from None


def _decode_body(endpoint: RemoteEndpoint, response: Response) -> bytes:
    """Verify the checksum and decompress."""
    body = response.body
    checksum = response.headers.get(b"x-amz-crc32")
    if checksum is not None and checksum != str(crc32(body)).encode():
        raise ConnectionFailed(
            f"The response of {endpoint} is corrupt: its checksum is {crc32(body)}, but "
            f"{checksum.decode('latin-1')} was expected.",
            may_have_arrived=True,
        )
    encoding = response.headers.get(b"content-encoding", b"identity").lower()
    if encoding not in _ZLIB_WINDOW_BITS:
        return body
    try:
        return zlib.decompress(body, _ZLIB_WINDOW_BITS[encoding])
    except zlib.error as error:
        raise ConnectionFailed(
            f"Cannot decompress the response of {endpoint}: {error}.", may_have_arrived=True
        ) from None


def _error(
    endpoint: RemoteEndpoint, operation: ops.Operation[object], response: Response, body: bytes
) -> SingleTableError:
    header = response.headers.get(b"x-amzn-errortype", b"").decode("latin-1")
    error = parse_error(response.status, body, header)
    if error is None and response.status >= 500:
        # A gateway in front of DynamoDB could not reach it, or timed out.
        error = InternalError(_describe(endpoint, operation, response, body))
    if error is None:
        return _unexpected(endpoint, operation, response, body)
    if isinstance(error, UnknownOperation):
        error = unsupported_operation(endpoint, operation, error.message)
    request_id = response.headers.get(b"x-amzn-requestid")
    error.request_id = None if request_id is None else request_id.decode("latin-1")
    return error


def _unexpected(
    endpoint: RemoteEndpoint,
    operation: ops.Operation[object],
    response: Response,
    body: bytes,
    reason: str = "",
) -> UnexpectedResponse:
    return UnexpectedResponse(
        f"{_describe(endpoint, operation, response, body)}{reason and f' ({reason})'}. This is not "
        "DynamoDB. Check the host and port, and whether a proxy or a login page is in between."
    )


def _describe(
    endpoint: RemoteEndpoint, operation: ops.Operation[object], response: Response, body: bytes
) -> str:
    content_type = response.headers.get(b"content-type", b"no content type").decode("latin-1")
    excerpt = body[:_MAX_EXCERPT].decode("utf-8", "replace").strip()
    return (
        f"{type(operation).__name__} at {endpoint} returned status {response.status}, "
        f"{content_type}: {excerpt!r}{'…' if len(body) > _MAX_EXCERPT else ''}"
    )


def decode_output(operation: type[ops.Operation[Any]], body: bytes) -> Any:
    """Decode the output of an operation; raise ValidationError or DecodeError if it is invalid."""
    decoder = _decoder(operation)
    try:
        return decoder(body or b"{}")  # TagResource returns an empty body
    except ValidationError:
        # Rare, so it may be slow: older servers leave out fields that DynamoDB added later.
        return decoder(encode(_fill_missing_fields(decode(body or b"{}"))))


@cache
def _decoder(operation: type[ops.Operation[Any]]) -> Callable[[bytes], Any]:
    output = OPERATIONS[operation].output
    with DECODER_LOCK:
        return _CUSTOM_DECODERS.get(output) or Decoder(output).decode


# Outputs with optional items. msgspec cannot decode `Raw | None`, so these are decoded into structs
# with a default of null and then converted.


class _WriteItemBody(Struct, rename="pascal"):
    attributes: Raw = _NULL
    consumed_capacity: ops.ConsumedCapacity | None = None
    item_collection_metrics: ops.ItemCollectionMetrics | None = None


class _GetItemBody(Struct, rename="pascal"):
    item: Raw = _NULL
    consumed_capacity: ops.ConsumedCapacity | None = None


class _ItemResponseBody(Struct, rename="pascal"):
    item: Raw = _NULL


class _TransactGetItemsBody(Struct, rename="pascal"):
    responses: list[_ItemResponseBody]
    consumed_capacity: list[ops.ConsumedCapacity] | None = None


class _BatchStatementResponseBody(Struct, rename="pascal"):
    error: ops.BatchStatementError | None = None
    table_name: str | None = None
    item: Raw = _NULL


class _BatchExecuteStatementBody(Struct, rename="pascal"):
    responses: list[_BatchStatementResponseBody]
    consumed_capacity: list[ops.ConsumedCapacity] | None = None


class _ChangeRecordBody(Struct, rename="pascal"):
    position: int
    table_name: str
    kind: Any
    when: float
    keys: Item
    expired: bool = False
    old: Raw = _NULL
    new: Raw = _NULL


class _ReadChangesBody(Struct, rename="pascal"):
    changes: list[_ChangeRecordBody]
    position: int


_decode_write_item = Decoder(_WriteItemBody).decode
_decode_get_item = Decoder(_GetItemBody).decode
_decode_transact_get_items = Decoder(_TransactGetItemsBody).decode
_decode_batch_statements = Decoder(_BatchExecuteStatementBody).decode
_decode_read_changes = Decoder(_ReadChangesBody).decode


def _optional(raw: Raw) -> Raw | None:
    return None if raw == _NULL else raw


def _write_item_output(data: bytes) -> ops.WriteItemOutput:
    body = _decode_write_item(data)
    return ops.WriteItemOutput(
        _optional(body.attributes), body.consumed_capacity, body.item_collection_metrics
    )


def _get_item_output(data: bytes) -> ops.GetItemOutput:
    body = _decode_get_item(data)
    return ops.GetItemOutput(_optional(body.item), body.consumed_capacity)


def _transact_get_items_output(data: bytes) -> ops.TransactGetItemsOutput:
    body = _decode_transact_get_items(data)
    responses = [ops.ItemResponse(_optional(response.item)) for response in body.responses]
    return ops.TransactGetItemsOutput(responses, body.consumed_capacity)


def _execute_transaction_output(data: bytes) -> ops.ExecuteTransactionOutput:
    output = _transact_get_items_output(data)
    return ops.ExecuteTransactionOutput(output.responses, output.consumed_capacity)


def _batch_execute_statement_output(data: bytes) -> ops.BatchExecuteStatementOutput:
    body = _decode_batch_statements(data)
    responses = [
        ops.BatchStatementResponse(response.error, response.table_name, _optional(response.item))
        for response in body.responses
    ]
    return ops.BatchExecuteStatementOutput(responses, body.consumed_capacity)


def _read_changes_output(data: bytes) -> ops.ReadChangesOutput:
    body = _decode_read_changes(data)
    changes = [
        ops.ChangeRecord(
            change.position,
            change.table_name,
            change.kind,
            change.when,
            change.keys,
            change.expired,
            _optional(change.old),
            _optional(change.new),
        )
        for change in body.changes
    ]
    return ops.ReadChangesOutput(changes, body.position)


_CUSTOM_DECODERS: dict[type, Callable[[bytes], Any]] = {
    ops.WriteItemOutput: _write_item_output,
    ops.GetItemOutput: _get_item_output,
    ops.TransactGetItemsOutput: _transact_get_items_output,
    ops.ExecuteTransactionOutput: _execute_transaction_output,
    ops.BatchExecuteStatementOutput: _batch_execute_statement_output,
    ops.ReadChangesOutput: _read_changes_output,
}


# Compatibility with older servers: defaults of fields that they leave out.

_OUTPUT_DEFAULTS: Json = {"Responses": {}, "UnprocessedKeys": {}, "UnprocessedItems": {}}
_TABLE_DEFAULTS: Json = {
    "CreationDateTime": 0.0,
    "DeletionProtectionEnabled": False,
    "ItemCount": 0,
    "TableArn": "",
    "TableId": "",
    "TableSizeBytes": 0,
}
_INDEX_DEFAULTS: Json = {"IndexArn": "", "IndexSizeBytes": 0, "ItemCount": 0}
_THROUGHPUT_DEFAULTS: Json = {
    "NumberOfDecreasesToday": 0,
    "ReadCapacityUnits": 0,
    "WriteCapacityUnits": 0,
}


def _fill_missing_fields(output: object) -> object:
    if not isinstance(output, dict):
        return output
    filled = _OUTPUT_DEFAULTS | cast(Json, output)
    for name in ("Table", "TableDescription"):
        if isinstance(filled.get(name), dict):
            filled[name] = _fill_table(filled[name])
    return filled


def _fill_table(table: Json) -> Json:
    filled = _fill_throughput(_TABLE_DEFAULTS | table)
    for name in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if name in filled:
            filled[name] = [_fill_throughput(_INDEX_DEFAULTS | index) for index in filled[name]]
    return filled


def _fill_throughput(description: Json) -> Json:
    throughput = _THROUGHPUT_DEFAULTS | description.get("ProvisionedThroughput", {})
    return description | {"ProvisionedThroughput": throughput}
