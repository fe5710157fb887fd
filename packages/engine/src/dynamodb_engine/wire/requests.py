"""Read requests from their target header and body, and write them."""

from __future__ import annotations

import re
from functools import cache
from threading import Lock
from typing import Any, cast

from msgspec import DecodeError, json

from dynamodb_engine.errors import (
    EngineError,
    OperationError,
    SerializationError,
    UnknownOperation,
    ValidationError,
)
from dynamodb_engine.operations import CreateTable, Operation, UpdateTable
from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.wire.lenient import read_structure

VERSION = "DynamoDB_20120810"
# Our own operations have a version of their own, so that no client takes them for AWS's.
_VERSIONS = {
    "dynamodb": VERSION,
    "dynamodbstreams": "DynamoDBStreams_20120810",
    "singletable": "SingleTable_1",
}

TARGETS: dict[str, type[Operation[Any]]] = {
    f"{_VERSIONS[spec.service]}.{spec.name}": spec.request for spec in OPERATIONS.values()
}
_TARGET_OF = {operation: target for target, operation in TARGETS.items()}

# Members of objects and elements of lists in a request. Decoding them blocks everything else, for
# at most 0.3 s. An item of 400 KB has up to 820,000: empty strings in a list.
MAX_VALUES = 900_000
_VALUE_STARTS = b"[{,"
_OTHER_BYTES = bytes(set(range(256)) - set(_VALUE_STARTS))
_SLICE = 10_000
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?+'
_MATCH_SLICE = re.compile(
    rb'(?:[^"\[{,]*+(?:%b[^"\[{,]*+)*+[\[{,]){%d}' % (_STRING, _SLICE), re.DOTALL
).match

_NAMED = re.compile(r"DynamoDB(?:Streams)?_20120810\.([A-Z][A-Za-z]{1,63})").fullmatch
# Members of AWS's requests that ours do not have. To ignore them would say that they are in effect.
UNSUPPORTED_MEMBERS: dict[type[Operation[Any]], tuple[str, ...]] = {
    CreateTable: ("GlobalTableSourceArn", "GlobalTableSettingsReplicationMode", "VectorIndexes"),
    UpdateTable: (
        "ReplicaUpdates",
        "MultiRegionConsistency",
        "GlobalTableWitnessUpdates",
        "GlobalTableSettingsReplicationMode",
        "DisassociationProtectionEnabled",
        "VectorIndexUpdates",
    ),
}

_encode = json.Encoder().encode
# Two threads that create decoders of the same new struct at once make msgspec crash the process.
DECODER_LOCK = Lock()
# Raised for a body that is not JSON, is nested too deeply, or is not UTF-8.
_UNREADABLE = (DecodeError, RecursionError, UnicodeDecodeError)


def read_request(target: str, body: bytes) -> Operation[Any]:
    """Return the requested operation; raise SerializationError if the body does not fit it.

    Raise ValidationError if it contains `MAX_VALUES` values or more.
    """
    if len(body) > MAX_VALUES:
        _check_value_count(body)
    if target not in TARGETS:
        raise _unreadable(body) or unknown_operation(target)
    if TARGETS[target] in UNSUPPORTED_MEMBERS:
        _check_members(TARGETS[target], body)
    try:
        return cast("Operation[Any]", _decoder(target).decode(body))
    except DecodeError:
        # Rare, so it may be slow: find the error, or read the body as leniently as AWS does.
        return _read_leniently(target, body)
    except (RecursionError, UnicodeDecodeError):
        raise SerializationError("") from None


def _check_value_count(body: bytes) -> None:
    if len(body.translate(None, _OTHER_BYTES)) <= MAX_VALUES:
        return
    # Strings may contain these bytes too: remove them first. Other threads can run in between.
    end = 0
    for _ in range(0, MAX_VALUES, _SLICE):
        found = _MATCH_SLICE(body, end)
        if found is None:
            return
        end = found.end()
    raise ValidationError(
        f"The request contains {MAX_VALUES:,} values or more. Send fewer items at a time."
    )


@cache
def _decoder(target: str) -> json.Decoder[Any]:
    # Decoders are created on first use: building all of them takes long.
    with DECODER_LOCK:
        return json.Decoder(TARGETS[target])


def _read_leniently(target: str, body: bytes) -> Operation[Any]:
    try:
        raw = json.decode(body)
        if not isinstance(raw, dict):
            raise SerializationError("")
        return cast("Operation[Any]", read_structure(TARGETS[target], cast("dict[str, Any]", raw)))
    except _UNREADABLE:
        raise SerializationError("") from None


def _unreadable(body: bytes) -> OperationError | None:
    # AWS rejects a body that is not JSON before it looks at the target.
    try:
        if body:
            json.decode(body)
    except _UNREADABLE:
        return SerializationError("")
    return None


def unknown_operation(target: str) -> UnknownOperation:
    """Return the error for a target header that does not name a supported operation.

    AWS has no message for a target that it does not know. It knows most of these names, now or
    soon, so that the message says who does not support it.
    """
    named = _NAMED(target)
    return UnknownOperation("") if named is None else UnknownOperation.unsupported(named[1])


def _check_members(operation: type[Operation[Any]], body: bytes) -> None:
    """Raise UnknownOperation if the request has a member that would be ignored."""
    try:
        raw = json.decode(body)
    except _UNREADABLE:
        return  # reported when the request is decoded
    if not isinstance(raw, dict):
        return
    for member in UNSUPPORTED_MEMBERS[operation]:
        if cast("dict[str, Any]", raw).get(member) is not None:
            raise UnknownOperation.unsupported(f"{member} of {operation.__name__}")


def write_request(operation: Operation[Any]) -> tuple[str, bytes]:
    """Return the target header and the body of a request."""
    try:
        target = _TARGET_OF[type(operation)]
    except KeyError:
        kind = type(operation).__name__
        raise EngineError(f"Expected an operation such as PutItem, but got {kind}.") from None
    return target, _encode(operation)
