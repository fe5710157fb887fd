"""Convert operations to a peer's JSON and back.

A peer is an implementation of DynamoDB that others wrote. It is a `Driver` like ours, so that a
test written for a driver runs on it too.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol, TypeAlias, TypeVar, cast

import msgspec
from msgspec.structs import fields, replace

from dynamodb_engine.errors import (
    CancellationReason,
    ConditionFailed,
    OperationError,
    TransactionCanceled,
)
from dynamodb_engine.operations import (
    BatchExecuteStatementOutput,
    BatchStatementResponse,
    ChangeRecord,
    Driver,
    ExecuteTransactionOutput,
    ItemResponse,
    Operation,
    ReadChangesOutput,
    TransactGetItemsOutput,
)
from dynamodb_engine.operations.registry import OPERATIONS

R = TypeVar("R")
Json: TypeAlias = dict[str, Any]

# Older servers lack members that DynamoDB has since added to table descriptions.
_ADDED_SINCE: Json = {
    "DeletionProtectionEnabled": False,
    "ItemCount": 0,
    "TableId": "",
    "TableSizeBytes": 0,
}
_INDEX_ADDED_SINCE: Json = {"IndexArn": "", "IndexSizeBytes": 0, "ItemCount": 0}
_UNITS_ADDED_SINCE: Json = {
    "NumberOfDecreasesToday": 0,
    "ReadCapacityUnits": 0,
    "WriteCapacityUnits": 0,
}
# Results that list parts with items: the member, our field, the type of a part.
_WITH_RAW_PARTS: dict[type, tuple[str, str, type]] = {
    TransactGetItemsOutput: ("Responses", "responses", ItemResponse),
    ExecuteTransactionOutput: ("Responses", "responses", ItemResponse),
    BatchExecuteStatementOutput: ("Responses", "responses", BatchStatementResponse),
    ReadChangesOutput: ("Changes", "changes", ChangeRecord),
}


class Peer(Driver, Protocol):
    """A third-party driver, and its name in the lists of compared features.

    `survives`: its tables are still there after it failed on a read.
    """

    name: str
    survives: bool


class PeerFailed(Exception):
    """The peer died, hung or sent an invalid response, which says nothing about our engine."""


def request_of(operation: Operation[R]) -> tuple[str, Json]:
    """Return the operation's AWS name and its JSON."""
    return type(operation).__name__, cast(Json, msgspec.to_builtins(operation))


def result_of(operation: Operation[R], answer: Json) -> R:
    """Return the peer's response as the operation's result."""
    result = OPERATIONS[type(operation)].output
    for part in ("Table", "TableDescription"):
        if "TableName" in answer.get(part, {}):
            answer = {**answer, part: _described_fully(answer[part])}
    try:
        return cast(R, _built(result, answer))
    except msgspec.ValidationError as error:
        raise PeerFailed(
            f"{type(operation).__name__} was answered with {answer}: {error}"
        ) from None


def refusal_of(code: str, body: Mapping[str, Any]) -> OperationError:
    """Return the exception that we raise for the peer's error."""
    message = str(body.get("message") or body.get("Message") or "")
    kind = _KINDS.get(code)
    if kind is None:
        raise PeerFailed(f"{code}: {message}")
    if kind is ConditionFailed:
        return ConditionFailed(message, body.get("Item"))
    if kind is TransactionCanceled:
        return TransactionCanceled(
            [
                CancellationReason(
                    reason.get("Code", "None"), reason.get("Message"), reason.get("Item")
                )
                for reason in body.get("CancellationReasons", [])
            ]
        )
    return kind(message)


def as_map(value: Any) -> Json | None:
    """Return the value if it is a JSON object."""
    return cast(Json, value) if isinstance(value, dict) else None


def as_list(value: Any) -> list[Any] | None:
    """Return the value if it is a JSON array."""
    return cast("list[object]", value) if isinstance(value, list) else None


def each(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return the JSON with the function applied to every member, or itself if it has none."""
    if (pairs := as_map(value)) is not None:
        return {name: change(member) for name, member in pairs.items()}
    if (members := as_list(value)) is not None:
        return [change(member) for member in members]
    return value


def with_bytes(value: Any) -> Any:
    """Return the JSON with bytes in place of base64, as boto3 expects."""
    pairs = as_map(value) or {}
    if isinstance(text := pairs.get("B"), str) and len(pairs) == 1:
        return {"B": base64.b64decode(text)}
    if (members := as_list(pairs.get("BS"))) is not None and len(pairs) == 1:
        return {"BS": [base64.b64decode(member) for member in members]}
    return each(value, with_bytes)


def with_text(value: Any) -> Any:
    """Return boto3's response in our form: base64 for bytes and seconds for times."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return value.timestamp()
    return each(value, with_text)


def _built(kind: type[Any], answer: Json) -> Any:
    """Return the JSON as a result; msgspec cannot decode optional `Raw` fields."""
    raws = {
        field.encode_name: field.name for field in fields(kind) if field.type == msgspec.Raw | None
    }
    rest = {name: value for name, value in answer.items() if name not in raws}
    member, field_name, part = _WITH_RAW_PARTS.get(kind, ("", "", kind))
    listed: list[Json] = rest.get(member, [])
    if listed:
        rest[member] = []
    built = msgspec.json.decode(msgspec.json.encode(rest), type=kind)
    parts: Json = {
        raws[name]: msgspec.Raw(msgspec.json.encode(answer[name]))
        for name in raws
        if name in answer
    }
    if listed:
        parts[field_name] = [_built(part, one) for one in listed]
    return replace(built, **parts)


def _described_fully(table: Json) -> Json:
    full = _with_units(_ADDED_SINCE | table)
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if kind in full:
            full[kind] = [_with_units(_INDEX_ADDED_SINCE | index) for index in full[kind]]
    return full


def _with_units(described: Json) -> Json:
    units = _UNITS_ADDED_SINCE | described.get("ProvisionedThroughput", {})
    return described | {"ProvisionedThroughput": units}


def _kinds(root: type[OperationError]) -> dict[str, type[OperationError]]:
    # Errors that share a code are distinguished by us, not by DynamoDB.
    found = {root.code: root} if "code" in vars(root) else {}
    for kind in root.__subclasses__():
        found |= _kinds(kind)
    return found


_KINDS = _kinds(OperationError)
