"""Every exception that singletable raises.

SingleTableError
├─ AddressError                    connect() has no driver for the address
├─ FaultsError                     the fault settings are invalid, or not supported by this driver
├─ CredentialsError                credentials are missing or unusable; says where and why
├─ DeclarationError                the schema is wrong; raised before any item is read or written
│  └─ UnsupportedPattern           no key or index supports an access pattern
├─ StaleDocs                       generated docs do not match the code
├─ InvalidValue                    a value does not fit its field; nothing was sent
│  └─ UnknownField                 an entity has no field of this name; says which is meant
├─ OutOfScope                      a key or request is outside the scope of the store; not sent
├─ ItemMismatch                    a stored item does not fit its entity
│  └─ DecryptionFailed             an encrypted field cannot be read: another key, or altered
├─ InvalidCursor                   a page cursor was altered, or belongs to another query
├─ ReadLimitReached                a read evaluated `max_read` items; `cursor` continues it
├─ StorageError                    the database file cannot be used
│  └─ EngineClosed                 the engine was closed before the call
├─ MigrationError                  a migration cannot go on; says why and what to do
│  ├─ MigrationLocked              another process is running this migration
│  └─ TransformFailed              rules cannot turn some items into new ones; lists them
├─ ConnectionFailed                no response; `may_have_arrived` tells if a write may be applied
│  └─ CertificateError             the server's TLS certificate is not trusted
├─ UnexpectedResponse              the response is not one that DynamoDB sends
└─ OperationError                  DynamoDB rejected the request; `code` is the AWS error code
   ├─ ValidationError              the request breaks one of DynamoDB's rules
   ├─ SerializationError           the request does not have the operation's shape
   ├─ UnknownOperation             the address does not support the operation
   ├─ ConditionFailed              the condition did not match; carries the stored item
   │  ├─ AlreadyExists             the item exists, or another item has the unique value
   │  ├─ NotFound                  the item does not exist
   │  └─ VersionConflict           the item was written since it was read
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
from datetime import datetime
from typing import TypeVar, cast

E = TypeVar("E")


class SingleTableError(Exception):
    """Base class of every error that singletable raises on purpose.

    If `outcome_unknown`, a write was applied once or not at all; otherwise it changed nothing.
    """

    outcome_unknown: bool = False


class AddressError(SingleTableError):
    """No driver handles the address; the message lists the supported addresses."""


class FaultsError(SingleTableError):
    """The fault settings are invalid; the message says which, and what to write instead."""


class CredentialsError(SingleTableError):
    """Credentials are missing or unusable; the message says where, why and what to do."""


class DeclarationError(SingleTableError):
    """The schema is wrong; the message says where, and what to write instead."""


class UnsupportedPattern(DeclarationError):
    """No key or index of the entity supports an access pattern; says which to add."""


class StaleDocs(SingleTableError):
    """Generated docs do not match the code; the message has the command that updates them."""


class InvalidValue(SingleTableError, ValueError):
    """A value does not fit its field; nothing was sent. `path` says where: `Ballot.ranks[2]`."""

    def __init__(self, text: str, path: str = "") -> None:
        super().__init__(f"{path}: {text}" if path else text)
        self.text = text
        self.path = path


class UnknownField(InvalidValue, AttributeError):
    """An entity has no field of this name; the message suggests the nearest one."""


class OutOfScope(SingleTableError):
    """A request is outside the scope of the store, and was not sent.

    `key` has the partition key of another tenant: `{"PK": {"S": "ORG#other"}}`. It is None if the
    request cannot be restricted to a scope at all, as a scan. `scope` has the values of the scope.
    """

    def __init__(
        self,
        message: str,
        *,
        key: Mapping[str, Mapping[str, object]] | None = None,
        scope: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.key = key
        self.scope = dict(scope or {})


class ItemMismatch(SingleTableError):
    """A stored item does not fit its entity. `path` says where: `Ballot.ranks[2]`.

    `key` is the item's key in the table: `{"PK": {"S": "BALLOT#7"}, …}`; None if no single item is
    the cause. A write that returns its item is applied before that is decoded: then the error says
    so, and `item` has the attributes. If the item is in a change, `position` is the sequence number
    of the change in its stream, in the `shard`, and `when` its time.
    """

    position: str | None = None
    shard: str | None = None
    when: datetime | None = None

    def __init__(
        self, text: str, path: str = "", key: Mapping[str, Mapping[str, object]] | None = None
    ) -> None:
        super().__init__(f"{path}: {text}" if path else text)
        self.text = text
        self.path = path
        self.key = key
        self.item: Mapping[str, Mapping[str, object]] | None = None

    def __str__(self) -> str:
        message = super().__str__()
        if self.key is not None:
            message += f" The item is {show_key(self.key)}."
        if self.position is not None and self.when is not None:
            shard = f" of shard {self.shard}" if self.shard else ""
            message += f" The change is {self.position}{shard}, from {self.when.isoformat()}."
        return message


class DecryptionFailed(ItemMismatch):
    """An encrypted field cannot be read; the message names the field and the id of the key."""


def show_key(key: Mapping[str, Mapping[str, object]]) -> str:
    """Return the key as text: PK='BALLOT#7', number=3."""
    return ", ".join(
        f"{name}={content}" if type_ == "N" else f"{name}={content!r}"
        for name, value in key.items()
        for type_, content in value.items()
    )


class InvalidCursor(SingleTableError):
    """A page cursor is not from this library, was altered, or belongs to another query."""


class ReadLimitReached(SingleTableError):
    """A read evaluated `max_read` items before it was complete, and `cursor` continues it.

    `count` is the number of items that count() has counted; None for other reads.
    """

    def __init__(self, max_read: int, cursor: str, count: int | None = None) -> None:
        super().__init__(
            f"The read evaluated {max_read} items (max_read), and there may be more. Continue with "
            "cursor=error.cursor, allow more, or narrow the selection."
        )
        self.max_read = max_read
        self.cursor = cursor
        self.count = count


class StorageError(SingleTableError):
    """The database file cannot be used; the message says why and what to do."""


class EngineClosed(StorageError):
    """The engine was closed before this call."""


class MigrationError(SingleTableError):
    """A migration cannot go on; the message says why and what to do."""


class MigrationLocked(MigrationError):
    """Another process is running this migration; the message says which, and until when."""


class TransformFailed(MigrationError):
    """The rules of a migration cannot turn some items into new ones, or two into the same one.

    `failures` has the key of each item and the reason.
    """

    def __init__(
        self,
        message: str,
        failures: Sequence[tuple[Mapping[str, Mapping[str, object]], str]] = (),
    ) -> None:
        super().__init__(message)
        self.failures = tuple(failures)


class ConnectionFailed(SingleTableError):
    """No response arrived. If `may_have_arrived`, a write may or may not have been applied."""

    def __init__(self, message: str, *, may_have_arrived: bool = False) -> None:
        super().__init__(message)
        self.may_have_arrived = self.outcome_unknown = may_have_arrived


class CertificateError(ConnectionFailed):
    """The server's TLS certificate is not trusted; nothing was sent."""


class UnexpectedResponse(SingleTableError):
    """The response is not one that DynamoDB sends; the message shows it, and the request."""

    outcome_unknown = True


class OperationError(SingleTableError):
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


class AlreadyExists(ConditionFailed):
    """The item exists, or another item has the unique value; `fields` names the fields.

    `key` is the key of the item that was to be written, and `item` the one in its way: of a unique
    value, the item that reserves it.
    """

    def __init__(
        self,
        message: str,
        fields: Sequence[str],
        item: Mapping[str, Mapping[str, object]] | None = None,
        *,
        key: Mapping[str, Mapping[str, object]] | None = None,
    ) -> None:
        super().__init__(message, item, key=key)
        self.fields = tuple(fields)


class NotFound(ConditionFailed):
    """The item with this `key` does not exist."""


class VersionConflict(ConditionFailed):
    """The item was written by someone else since it was read; read it again."""


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
