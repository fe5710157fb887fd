"""An error response becomes the exception that we have for it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import DecodeError, Struct, ValidationError, field
from msgspec.json import Decoder

from singletable import errors
from singletable.errors import (
    CancellationReason,
    ConditionFailed,
    InternalError,
    OperationError,
    ResourceNotFound,
    ServiceUnavailable,
    TableNotFound,
    Throttled,
    ThrottlingReason,
    TransactionCanceled,
)
from singletable.values import Item
from singletable.wire import UnknownOperation

# Some exceptions of ours have one name at AWS: the first of a tree has it, what we tell apart not.
KINDS: Mapping[str, type[OperationError]] = {
    kind.code: kind
    for kind in (
        errors.ValidationError,
        errors.SerializationError,
        ConditionFailed,
        ResourceNotFound,
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
        TransactionCanceled,
        errors.TransactionConflict,
        errors.TransactionInProgress,
        errors.IdempotentParameterMismatch,
        Throttled,
        errors.ProvisionedThroughputExceeded,
        errors.RequestLimitExceeded,
        InternalError,
        ServiceUnavailable,
        errors.TrimmedDataAccess,
        UnknownOperation,
    )
} | {
    # Other names that AWS's front ends and other servers have for the same.
    "Throttling": Throttled,
    "ThrottledException": Throttled,
    "TooManyRequestsException": Throttled,
    "InternalFailure": InternalError,
    "InternalServerErrorException": InternalError,
    "ServiceUnavailableException": ServiceUnavailable,
    "AccessDenied": errors.AccessDenied,
    "UnknownOperation": UnknownOperation,
}
_CODES = re.compile(r"\[([A-Za-z, ]+)\]")


class _Reason(Struct, rename="pascal"):
    code: str = "None"
    message: str | None = None
    item: Item | None = None


class _Throttle(Struct):
    reason: str = ""
    resource: str = ""


class _Body(Struct):
    type: str = field(name="__type", default="")
    message: str | None = None
    capital: str | None = field(name="Message", default=None)
    item: Item | None = field(name="Item", default=None)
    reasons: list[_Reason] | None = field(name="CancellationReasons", default=None)
    throttles: list[_Throttle] | None = field(name="ThrottlingReasons", default=None)
    small: list[_Throttle] | None = field(name="throttlingReasons", default=None)


_decode = Decoder(_Body).decode


def refusal(status: int, body: bytes, named: str = "") -> OperationError | None:
    """The exception for an error response; None if it is not one of DynamoDB's.

    `named` is the name that a header gives, for bodies that have none.
    """
    try:
        told = _decode(body)
    except (DecodeError, ValidationError, UnicodeDecodeError):
        return None
    code = (told.type or named).rpartition("#")[2].partition(":")[0]
    if not code:
        return None
    message = told.message or told.capital or ""
    kind = KINDS.get(code)
    if kind is None:
        return _unknown(status, code, message)
    if issubclass(kind, TransactionCanceled):
        return TransactionCanceled(_reasons(told, message))
    if issubclass(kind, ConditionFailed):
        return ConditionFailed(message, told.item)
    if issubclass(kind, Throttled):
        listed = told.throttles or told.small or ()
        return kind(message, [ThrottlingReason(one.reason, one.resource) for one in listed])
    # DynamoDB has one name for both: what tells them apart there is the text.
    if kind is ResourceNotFound and ": Table: " in message:
        return TableNotFound(message)
    return kind(message)


def _unknown(status: int, code: str, message: str) -> OperationError:
    """A refusal that there is no class for; its name and its text are kept."""
    error = (InternalError if status >= 500 else OperationError)(message or code)
    error.code = code
    return error


def _reasons(told: _Body, message: str) -> list[CancellationReason]:
    if told.reasons is not None:
        return [CancellationReason(one.code, one.message, one.item) for one in told.reasons]
    # Older servers tell the codes in the text alone.
    found = _CODES.search(message)
    codes = found[1].split(",") if found else []
    return [CancellationReason(code.strip()) for code in codes]
