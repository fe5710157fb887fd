"""Write the bodies of responses: results and errors."""

from __future__ import annotations

from msgspec import json

from dynamodb_engine.errors import (
    CancellationReason,
    ConditionFailed,
    EngineError,
    OperationError,
    Throttled,
    TransactionCanceled,
)

_encode = json.Encoder().encode
# Messages quote the request; keep the response short even if the request is huge.
MAX_MESSAGE = 256 * 1024

_SERVICE = "com.amazon.coral.service#"
_MODEL = "com.amazonaws.dynamodb.v20120810#"
# Errors of AWS's framework around DynamoDB have prefixes of their own; the rest are in its model.
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
# Errors whose member is "Message" and not "message", depending on their age.
_CAPITALIZED_MESSAGE = frozenset(
    (
        "SerializationException",
        "AccessDeniedException",
        "TransactionCanceledException",
        "TransactionInProgressException",
    )
)


def write_result(result: object) -> bytes:
    """Return the body of a result; items that are stored as JSON are copied as they are."""
    return _encode(result)


def write_error(error: EngineError) -> tuple[int, bytes]:
    """Return the status and the body of an error."""
    if not isinstance(error, OperationError):
        return 500, _encode({"__type": f"{_MODEL}InternalServerError", "message": str(error)})
    body: dict[str, object] = {"__type": _PREFIXES.get(error.code, _MODEL) + error.code}
    if error.message:
        name = "Message" if error.code in _CAPITALIZED_MESSAGE else "message"
        body[name] = error.message[:MAX_MESSAGE]
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
    body: dict[str, object] = {"Code": reason.code}
    if reason.message is not None:
        body["Message"] = reason.message
    if reason.item is not None:
        body["Item"] = reason.item
    return body
