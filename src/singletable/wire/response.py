"""A result becomes a response's body, and so does an error."""

from __future__ import annotations

from typing import Any

from msgspec import json

from singletable.errors import (
    CancellationReason,
    ConditionFailed,
    OperationError,
    SingleTableError,
    TransactionCanceled,
)

_encode = json.Encoder().encode

_SERVICE = "com.amazon.coral.service#"
_MODEL = "com.amazonaws.dynamodb.v20120810#"
# Errors of the framework around DynamoDB have names of their own; the rest are in its model.
_PREFIXES = {
    "ValidationException": "com.amazon.coral.validate#",
    "SerializationException": _SERVICE,
    "UnknownOperationException": _SERVICE,
    "AccessDeniedException": _SERVICE,
    "InternalServerError": _MODEL,
}


def write_result(result: object) -> bytes:
    """The body of a result; items that rest as JSON go into it as they are."""
    return _encode(result)


def write_error(error: SingleTableError) -> tuple[int, bytes]:
    """The status and the body of an error."""
    if not isinstance(error, OperationError):
        return 500, _encode({"__type": f"{_MODEL}InternalServerError", "message": str(error)})
    body: dict[str, Any] = {"__type": _PREFIXES.get(error.code, _MODEL) + error.code}
    if error.message:
        capital = error.code in ("SerializationException", "AccessDeniedException")
        body["Message" if capital else "message"] = error.message
    if isinstance(error, ConditionFailed) and error.item is not None:
        body["Item"] = error.item
    if isinstance(error, TransactionCanceled):
        # Members of this one error are spelt with a capital M.
        body["Message"] = body.pop("message")
        body["CancellationReasons"] = [_reason(reason) for reason in error.reasons]
    return 500 if error.code == "InternalServerError" else 400, _encode(body)


def _reason(reason: CancellationReason) -> dict[str, object]:
    told: dict[str, object] = {"Code": reason.code}
    if reason.message is not None:
        told["Message"] = reason.message
    if reason.item is not None:
        told["Item"] = reason.item
    return told
