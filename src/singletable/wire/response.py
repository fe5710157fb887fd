"""A result becomes a response's body, and so does an error."""

from __future__ import annotations

from msgspec import json

from singletable.errors import (
    CancellationReason,
    ConditionFailed,
    OperationError,
    SingleTableError,
    Throttled,
    TransactionCanceled,
)

_encode = json.Encoder().encode

_SERVICE = "com.amazon.coral.service#"
_MODEL = "com.amazonaws.dynamodb.v20120810#"
# Errors of the framework around DynamoDB have names of their own; the rest are in its model.
_PREFIXES = {
    "ValidationException": "com.amazon.coral.validate#",
    "ThrottlingException": "com.amazon.coral.availability#",
    **dict.fromkeys(
        (
            "SerializationException",
            "UnknownOperationException",
            "AccessDeniedException",
            "MissingAuthenticationTokenException",
            "IncompleteSignatureException",
            "InvalidSignatureException",
            "UnrecognizedClientException",
            "ExpiredTokenException",
        ),
        _SERVICE,
    ),
}
_STATUSES = {"InternalServerError": 500, "ServiceUnavailable": 503}
# Which errors spell their message with a capital is a matter of age.
_CAPITAL = frozenset(
    (
        "SerializationException",
        "AccessDeniedException",
        "TransactionCanceledException",
        "TransactionInProgressException",
    )
)


def write_result(result: object) -> bytes:
    """The body of a result; items that rest as JSON go into it as they are."""
    return _encode(result)


def write_error(error: SingleTableError) -> tuple[int, bytes]:
    """The status and the body of an error."""
    if not isinstance(error, OperationError):
        return 500, _encode({"__type": f"{_MODEL}InternalServerError", "message": str(error)})
    body: dict[str, object] = {"__type": _PREFIXES.get(error.code, _MODEL) + error.code}
    if error.message:
        body["Message" if error.code in _CAPITAL else "message"] = error.message
    if isinstance(error, ConditionFailed) and error.item is not None:
        body["Item"] = error.item
    if isinstance(error, TransactionCanceled):
        body["CancellationReasons"] = [_reason(reason) for reason in error.reasons]
    if isinstance(error, Throttled) and error.throttling_reasons:
        name = "throttlingReasons" if type(error) is Throttled else "ThrottlingReasons"
        body[name] = [
            {"reason": reason.reason, "resource": reason.resource}
            for reason in error.throttling_reasons
        ]
    return _STATUSES.get(error.code, 400), _encode(body)


def _reason(reason: CancellationReason) -> dict[str, object]:
    told: dict[str, object] = {"Code": reason.code}
    if reason.message is not None:
        told["Message"] = reason.message
    if reason.item is not None:
        told["Item"] = reason.item
    return told
