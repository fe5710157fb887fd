"""Every exception that the engine raises.

EngineError
├─ AddressError                    connect() has no driver for the address
├─ FaultsError                     the fault settings are invalid, or not supported by this driver
├─ CredentialsError                credentials are missing or unusable; says where and why
├─ InvalidValue                    a value does not fit its field; nothing was sent
├─ StorageError                    the database file cannot be used
│  └─ EngineClosed                 the engine was closed before the call
├─ ConnectionFailed                no response; `may_have_arrived` tells if a write may be applied
│  └─ CertificateError             the server's TLS certificate is not trusted
├─ UnexpectedResponse              the response is not one that DynamoDB sends
└─ OperationError                  DynamoDB rejected the request; `code` is the AWS error code
   ├─ ValidationError              the request breaks one of DynamoDB's rules
   ├─ SerializationError           the request does not have the operation's shape
   ├─ UnknownOperation             the address does not support the operation
   ├─ ConditionFailed              the condition did not match; carries the stored item
   ├─ DuplicateItem                a PartiQL INSERT names an item that exists
   ├─ ResourceNotFound             the table, index or resource does not exist
   │  └─ TableNotFound             the table of a control-plane request does not exist
   │     └─ BackupTableNotFound    the table of a backup request does not exist
   ├─ ResourceInUse                the table already exists, or is being changed
   ├─ ContinuousBackupsUnavailable  a new table has no backups yet; retry in a few seconds
   ├─ AccessDenied                 no policy allows it, or another account owns the resource
   ├─ MissingAuthenticationToken   the request is not signed
   ├─ IncompleteSignature          a part of the signature is missing or malformed
   ├─ InvalidSignature             the signature is wrong, expired, or for another endpoint
   ├─ UnrecognizedClient           the access key is unknown, or has another session token
   ├─ ExpiredToken                 the session of the access key has expired
   ├─ LimitExceeded                too many tables, indexes, tags or simultaneous changes
   ├─ ItemCollectionTooLarge       an item collection of a table with an LSI exceeds 10 GB
   ├─ TransactionCanceled          the transaction failed; carries one reason for each action
   ├─ TransactionConflict          another transaction is writing the item
   ├─ TransactionInProgress        a transaction with the same client token is in progress
   ├─ IdempotentParameterMismatch  the client token was used with another request
   ├─ Throttled                    a table, index or partition is over capacity; carries reasons
   │  ├─ ProvisionedThroughputExceeded  over the provisioned capacity
   │  └─ RequestLimitExceeded      over the limit of the account
   ├─ InternalError                DynamoDB failed; a write may or may not have been applied
   ├─ ServiceUnavailable           DynamoDB is temporarily unavailable
   ├─ TrimmedDataAccess            the change feed or stream no longer has records of that age
   └─ ExpiredIterator              the shard iterator is older than 15 minutes

Errors that mirror DynamoDB's have DynamoDB's own messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

E = TypeVar("E")


class EngineError(Exception):
    """Base class of every error that the engine raises on purpose.

    If `outcome_unknown`, a write was applied once or not at all; otherwise it changed nothing.
    """

    outcome_unknown: bool = False


class AddressError(EngineError):
    """No driver handles the address; the message lists the supported addresses."""


class FaultsError(EngineError):
    """The fault settings are invalid; the message says which, and what to write instead."""


class CredentialsError(EngineError):
    """Credentials are missing or unusable; the message says where, why and what to do."""


class InvalidValue(EngineError, ValueError):
    """A value does not fit its field; nothing was sent. `path` says where: `Ballot.ranks[2]`."""

    def __init__(self, text: str, path: str = "") -> None:
        super().__init__(f"{path}: {text}" if path else text)
        self.text = text
        self.path = path


class StorageError(EngineError):
    """The database file cannot be used; the message says why and what to do."""


class EngineClosed(StorageError):
    """The engine was closed before this call."""


class ConnectionFailed(EngineError):
    """No response arrived. If `may_have_arrived`, a write may or may not have been applied."""

    def __init__(self, message: str, *, may_have_arrived: bool = False) -> None:
        super().__init__(message)
        self.may_have_arrived = self.outcome_unknown = may_have_arrived


class CertificateError(ConnectionFailed):
    """The server's TLS certificate is not trusted; nothing was sent."""


class UnexpectedResponse(EngineError):
    """The response is not one that DynamoDB sends; the message shows it, and the request."""

    outcome_unknown = True


class OperationError(EngineError):
    """DynamoDB rejected the request; `message` and `code` are AWS's.

    `request_id` identifies the request in the service's logs and for AWS Support.
    """

    code: str = "InternalServerError"
    request_id: str | None = None

    def __init_subclass__(cls) -> None:
        """Set the code of a direct subclass that states none: its name and "Exception"."""
        if OperationError in cls.__bases__ and "code" not in vars(cls):
            cls.code = f"{cls.__name__}Exception"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ValidationError(OperationError):
    """The request breaks one of DynamoDB's rules; nothing was changed."""

    code = "ValidationException"


class SerializationError(OperationError):
    """The request does not have the operation's shape."""

    code = "SerializationException"


class UnknownOperation(OperationError):
    """The address does not support the operation, or an option of it; nothing was changed."""

    @classmethod
    def unsupported(cls, what: str) -> UnknownOperation:
        """Return the error for something that DynamoDB has and singletable has not."""
        return cls(
            f"{what} is not supported by singletable. See “Unsupported operations” in "
            "docs/compatibility.md."
        )


class ConditionFailed(OperationError):
    """The condition did not match. `item` is the stored item, if the request asked to return it.

    A store also sets `current` to the item as an instance of its entity; `current_as` is typed. Its
    `key` is the key of the item that the failed write is about: `{"PK": {"S": "BALLOT#7"}, …}`. So
    it tells which write of a transaction failed: compare it with `Ballot.key(7).key`.
    """

    code = "ConditionalCheckFailedException"

    def __init__(
        self,
        message: str = "The conditional request failed",
        item: Mapping[str, Mapping[str, object]] | None = None,
        *,
        key: Mapping[str, Mapping[str, object]] | None = None,
    ) -> None:
        super().__init__(message)
        self.item = item
        self.key = key
        self.current: object = None

    def current_as(self, entity: type[E]) -> E | None:
        """Return the item as it was, an instance of this entity or pydantic model.

        It is None if there was no item, or the item could not be decoded. Raises InvalidValue if
        the item is of another entity.
        """
        if not isinstance(cast(object, entity), type):
            raise InvalidValue(f"current_as(…): expected an entity class, but got {entity!r}.")
        current = self.current
        if current is None:
            return None
        if isinstance(current, entity):
            return current
        name = type(current).__name__
        raise InvalidValue(
            f"current_as({entity.__name__}): the item is an instance of {name}. Write "
            f"current_as({name}), or test isinstance(error.current, {name}) where a transaction "
            "writes items of several entities."
        )


class DuplicateItem(OperationError):
    """A PartiQL INSERT names an item that exists."""


class ResourceNotFound(OperationError):
    """The table, index or resource does not exist."""


class TableNotFound(ResourceNotFound):
    """The table does not exist. DynamoDB words this differently for items and for tables."""


class BackupTableNotFound(TableNotFound):
    """The table does not exist. DynamoDB has a separate code for backup requests."""

    code = "TableNotFoundException"


class ResourceInUse(OperationError):
    """The table already exists, or its state does not allow the change."""


class ContinuousBackupsUnavailable(OperationError):
    """The table is too new to have backups; the same request may succeed soon."""


class AccessDenied(OperationError):
    """No policy allows the request, or the resource belongs to another account."""


class MissingAuthenticationToken(OperationError):
    """The request is not signed."""

    def __init__(self, message: str = "Request is missing Authentication Token") -> None:
        super().__init__(message)


class IncompleteSignature(OperationError):
    """A part of the signature is missing or malformed."""


class InvalidSignature(OperationError):
    """The signature does not match the request, has expired, or is for another endpoint."""


class UnrecognizedClient(OperationError):
    """The access key is unknown, or belongs to another session token."""


class ExpiredToken(OperationError):
    """The session of the access key has expired."""

    def __init__(
        self, message: str = "The security token included in the request is expired"
    ) -> None:
        super().__init__(message)


class LimitExceeded(OperationError):
    """The request exceeds DynamoDB's limit on tables, indexes, tags or simultaneous changes."""


class ItemCollectionTooLarge(OperationError):
    """An item collection of a table with local secondary indexes exceeds its size limit."""

    code = "ItemCollectionSizeLimitExceededException"


@dataclass(frozen=True, slots=True)
class CancellationReason:
    """Why one action canceled its transaction; `code` is "None" if this action is not the cause."""

    code: str = "None"
    message: str | None = None
    item: Mapping[str, Mapping[str, object]] | None = None


class TransactionCanceled(OperationError):
    """The transaction changed nothing; `reasons` has one entry for each action, in order."""

    def __init__(self, reasons: Sequence[CancellationReason]) -> None:
        codes = ", ".join(reason.code for reason in reasons)
        super().__init__(
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            f"[{codes}]"
        )
        self.reasons = tuple(reasons)


class TransactionConflict(OperationError):
    """Another transaction is writing the item."""


class TransactionInProgress(OperationError):
    """A transaction with the same client token is still in progress."""

    outcome_unknown = True


class IdempotentParameterMismatch(OperationError):
    """The client token was already used with a different request."""


@dataclass(frozen=True, slots=True)
class ThrottlingReason:
    """The limit that was exceeded, as AWS names it, and the ARN of the table or index."""

    reason: str
    resource: str


class Throttled(OperationError):
    """The request exceeds a rate limit; nothing was changed. Retry it later."""

    code = "ThrottlingException"

    def __init__(self, message: str, reasons: Sequence[ThrottlingReason] = ()) -> None:
        super().__init__(message)
        self.throttling_reasons = tuple(reasons)


class ProvisionedThroughputExceeded(Throttled):
    """The request exceeds the provisioned capacity of the table or index."""

    code = "ProvisionedThroughputExceededException"


class RequestLimitExceeded(Throttled):
    """The request exceeds the throughput limit of the account."""

    code = "RequestLimitExceeded"


class InternalError(OperationError):
    """DynamoDB failed. A write may or may not have been applied."""

    code = "InternalServerError"
    outcome_unknown = True

    def __init__(self, message: str = "Internal server error") -> None:
        super().__init__(message)


class ServiceUnavailable(OperationError):
    """DynamoDB is temporarily unavailable; nothing was changed."""

    code = "ServiceUnavailable"

    def __init__(self, message: str = "DynamoDB is currently unavailable") -> None:
        super().__init__(message)


class TrimmedDataAccess(OperationError):
    """The change feed or stream no longer has the records after this position."""


class ExpiredIterator(OperationError):
    """The shard iterator is older than 15 minutes."""
