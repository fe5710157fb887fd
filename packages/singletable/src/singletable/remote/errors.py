"""Convert error responses and connection failures into exceptions."""

from __future__ import annotations

import errno
import re
import socket
import ssl
from collections.abc import Mapping
from typing import Any

from msgspec import DecodeError, Struct, field
from msgspec.json import Decoder

from dynamodb_engine.operations import Operation, ReadChanges, SweepExpired
from dynamodb_engine.operations.registry import is_write
from dynamodb_engine.values import Item
from singletable import errors
from singletable.remote.address import ConnectionOptions
from singletable.remote.config import Proxy, RemoteEndpoint, ResolvedConfig

# Some of our exceptions share one name on AWS; the base class of those is listed here.
ERROR_TYPES: Mapping[str, type[errors.OperationError]] = {
    error.code: error
    for error in (
        errors.ValidationError,
        errors.SerializationError,
        errors.ConditionFailed,
        errors.DuplicateItem,
        errors.ResourceNotFound,
        errors.BackupTableNotFound,
        errors.ResourceInUse,
        errors.ContinuousBackupsUnavailable,
        errors.AccessDenied,
        errors.MissingAuthenticationToken,
        errors.IncompleteSignature,
        errors.InvalidSignature,
        errors.UnrecognizedClient,
        errors.ExpiredToken,
        errors.LimitExceeded,
        errors.ItemCollectionTooLarge,
        errors.TransactionCanceled,
        errors.TransactionConflict,
        errors.TransactionInProgress,
        errors.IdempotentParameterMismatch,
        errors.Throttled,
        errors.ProvisionedThroughputExceeded,
        errors.RequestLimitExceeded,
        errors.InternalError,
        errors.ServiceUnavailable,
        errors.TrimmedDataAccess,
        errors.ExpiredIterator,
        errors.UnknownOperation,
    )
} | {
    # Aliases of AWS's front ends and of other servers.
    "Throttling": errors.Throttled,
    "ThrottledException": errors.Throttled,
    "TooManyRequestsException": errors.Throttled,
    "InternalFailure": errors.InternalError,
    "InternalServerErrorException": errors.InternalError,
    "ServiceUnavailableException": errors.ServiceUnavailable,
    "AccessDenied": errors.AccessDenied,
    "UnknownOperation": errors.UnknownOperation,
}
_REASONS_IN_MESSAGE = re.compile(r"\[([A-Za-z, ]+)\]")
_ALTERNATIVES: dict[type[Operation[Any]], str] = {
    ReadChanges: "Enable a stream and follow it with store.stream(…), or in a function with "
    "parse_stream_event(event, …).",
    SweepExpired: "DynamoDB removes expired items by itself, and a store never returns them.",
}


# Error responses


class _Reason(Struct, rename="pascal"):
    code: str = "None"
    message: str | None = None
    item: Item | None = None


class _ThrottlingReason(Struct):
    reason: str = ""
    resource: str = ""


class _ErrorBody(Struct):
    type: str = field(name="__type", default="")
    message: str | None = None
    capitalized_message: str | None = field(name="Message", default=None)
    item: Item | None = field(name="Item", default=None)
    reasons: list[_Reason] | None = field(name="CancellationReasons", default=None)
    throttling: list[_ThrottlingReason] | None = field(name="ThrottlingReasons", default=None)
    lower_throttling: list[_ThrottlingReason] | None = field(name="throttlingReasons", default=None)


_decode_body = Decoder(_ErrorBody).decode


def parse_error(status: int, body: bytes, header: str = "") -> errors.OperationError | None:
    """Return the exception for an error response, or None if DynamoDB did not send it.

    `header` is the error type from a header, for bodies without one.
    """
    try:
        error = _decode_body(body)
    except (DecodeError, RecursionError, UnicodeDecodeError):
        return None
    code = (error.type or header).rpartition("#")[2].partition(":")[0]
    if not code:
        return None
    message = error.message or error.capitalized_message or ""
    error_type = ERROR_TYPES.get(code)
    if error_type is None:
        return _unknown_error(status, code, message)
    if issubclass(error_type, errors.TransactionCanceled):
        return errors.TransactionCanceled(_cancellation_reasons(error, message))
    if issubclass(error_type, errors.ConditionFailed):
        return errors.ConditionFailed(message, error.item)
    if issubclass(error_type, errors.Throttled):
        reasons = error.throttling or error.lower_throttling or ()
        return error_type(message, [errors.ThrottlingReason(r.reason, r.resource) for r in reasons])
    # DynamoDB uses one code for all missing resources; the message distinguishes tables.
    if error_type is errors.ResourceNotFound and ": Table: " in message:
        return errors.TableNotFound(message)
    return error_type(message)


def _unknown_error(status: int, code: str, message: str) -> errors.OperationError:
    error = (errors.InternalError if status >= 500 else errors.OperationError)(message or code)
    error.code = code
    return error


def _cancellation_reasons(error: _ErrorBody, message: str) -> list[errors.CancellationReason]:
    if error.reasons is not None:
        return [errors.CancellationReason(r.code, r.message, r.item) for r in error.reasons]
    # Older servers list the codes in the message only.
    match = _REASONS_IN_MESSAGE.search(message)
    codes = match[1].split(",") if match else []
    return [errors.CancellationReason(code.strip()) for code in codes]


def unsupported_operation(
    endpoint: RemoteEndpoint, operation: Operation[Any], message: str = ""
) -> errors.UnknownOperation:
    """Return the error for an operation that the server does not have, or not with its options.

    `message` is the server's.
    """
    name = type(operation).__name__
    alternative = _ALTERNATIVES.get(type(operation))
    if alternative is None and message:
        return errors.UnknownOperation(message)
    if alternative is None:
        return errors.UnknownOperation(f"The server at {endpoint} does not support {name}.")
    return errors.UnknownOperation(
        f"{name} is an operation of singletable's own engine, and {endpoint} does not support it. "
        f"{alternative}"
    )


# Connection failures


class ConnectionLost(Exception):
    """The connection ended before the response was complete.

    `arrived`: the server may have received the request. `started`: a part of the response came.
    """

    def __init__(
        self, reason: str, *, arrived: bool, started: bool = False, timed_out: bool = False
    ) -> None:
        super().__init__(reason)
        self.arrived = arrived
        self.started = started
        self.timed_out = timed_out


def response_timeout(timeout: float, *, started: bool) -> ConnectionLost:
    """Return the error for a response that did not come in time."""
    reason = f"no response within {timeout:g} s"
    return ConnectionLost(reason, arrived=True, started=started, timed_out=True)


def broken_connection(reason: object, *, started: bool) -> ConnectionLost:
    """Return the error for a connection that broke after the request was sent."""
    return ConnectionLost(f"the connection broke ({reason})", arrived=True, started=started)


def invalid_http(error: Exception) -> ConnectionLost:
    """Return the error for bytes that are not an HTTP response."""
    return ConnectionLost(f"the response is not HTTP ({error})", arrived=True, started=True)


def may_resend(operation: Operation[Any], lost: ConnectionLost, *, reused: bool) -> bool:
    """Return whether to resend the request immediately on a new connection.

    A server may close an idle connection while a request is on its way, so losing a reused
    connection is no reason to back off. A write that may have arrived is left to the retry policy,
    which must know that it may have been applied.
    """
    if not reused or lost.started or lost.timed_out:
        return False
    return not lost.arrived or not is_write(operation)


def no_response(
    endpoint: RemoteEndpoint, operation: Operation[Any], lost: ConnectionLost
) -> errors.ConnectionFailed:
    """Return the error for a request that lost its connection."""
    message = f"{type(operation).__name__} at {endpoint} failed: {lost}."
    if lost.arrived and is_write(operation):
        message += " The write may or may not have been applied: read the item to find out."
    if lost.timed_out:
        message += " Increase the address option 'timeout' to wait longer."
    return errors.ConnectionFailed(message, may_have_arrived=lost.arrived)


def cannot_connect(config: ResolvedConfig, error: Exception) -> errors.ConnectionFailed:
    """Return the error for a connection that could not be opened."""
    target = str(config.endpoint)
    if config.proxy is not None:
        target += f" through {config.proxy}"
    match error:
        case ssl.SSLCertVerificationError():
            return errors.CertificateError(
                f"The certificate of {target} is not trusted: {error.verify_message}. If your own "
                "certificate authority signed it, set AWS_CA_BUNDLE to its certificates."
            )
        case ssl.SSLError():
            return errors.ConnectionFailed(
                f"TLS handshake with {target} failed: {error.reason or error}. If the server does "
                "not use TLS, use a dynamodb+http:// address."
            )
        case socket.gaierror():
            return errors.ConnectionFailed(
                f"Cannot resolve the host of {target}: {error.strerror}. Check its spelling."
            )
        # If asyncio tried several addresses of a host, its error lists all of them as text.
        case OSError() if f"[Errno {errno.ECONNREFUSED}]" in str(error):
            return errors.ConnectionFailed(
                f"Connection refused by {target}. Check that the server is running on that port."
            )
        case TimeoutError():
            return errors.ConnectionFailed(
                f"Connecting to {target} timed out. Check that this network can reach it, or "
                "increase the address option 'connect_timeout'."
            )
        case _:
            return errors.ConnectionFailed(f"Cannot connect to {target}: {error}.")


def check_tunnel(status: int, config: ResolvedConfig, proxy: Proxy) -> None:
    """Raise ConnectionFailed unless the proxy opened the tunnel."""
    if not 200 <= status < 300:
        raise errors.ConnectionFailed(
            f"{proxy} rejected the connection to {config.endpoint} with status {status}. Check "
            "HTTPS_PROXY, or add the host to NO_PROXY."
        )


def pool_exhausted(options: ConnectionOptions) -> errors.ConnectionFailed:
    """Return the error for a request that found no free connection in time."""
    return errors.ConnectionFailed(
        f"All {options.connections} connections are in use, and none became free within "
        f"{options.timeout:g} s. Increase the address option 'connections'."
    )


def driver_closed() -> errors.EngineClosed:
    """Return the error for a request after close()."""
    return errors.EngineClosed("The driver is closed. Open another with connect().")
