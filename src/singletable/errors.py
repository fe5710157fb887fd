"""Every exception we raise.

SingleTableError
├─ AddressError                 connect() knows no driver for the address
├─ FaultsError                  faults to inject that make no sense, or that this driver cannot have
├─ CredentialsError             credentials are missing or cannot be used; says where and why
├─ DeclarationError             the schema is wrong: found before an item is touched
│  └─ UnsupportedPattern           no key can answer an access pattern
├─ StaleDocs               written documents do not say what the code says
├─ InvalidValue                 a value does not fit its field; nothing was sent
├─ ItemMismatch                 an item in the table does not fit its entity
├─ InvalidCursor                a page cursor that is not ours, or not for this query
├─ StorageError                 the database file is not ours to use, or is gone
│  └─ EngineClosed              it was closed before the call
├─ ConnectionFailed                  no answer came; `arrived` says whether the request may have
│  └─ CertificateError                 who answers there has no certificate that is trusted
├─ UnexpectedResponse                what answered is not DynamoDB
└─ OperationError               the table refused; `code` is DynamoDB's name for it
   ├─ ValidationError           the request breaks a rule of DynamoDB
   ├─ SerializationError        the request is not of the operation's shape
   ├─ ConditionFailed           carries the item as it stood
   │  ├─ AlreadyExists          there is such an item, or another has the unique value
   │  ├─ NotFound               there is no such item
   │  └─ VersionConflict        the item was written since it was read
   ├─ ResourceNotFound          no such table, index or resource
   │  └─ TableNotFound          the table that a control-plane call names
   │     └─ BackupTableNotFound  the table that a call about backups names
   ├─ ResourceInUse             the table exists already, or is being changed
   ├─ ContinuousBackupsUnavailable  a new table has no backups yet; ask again in some seconds
   ├─ AccessDenied              no policy allows it, or the resource belongs to another account
   ├─ MissingAuthenticationToken                 the request does not say who asks
   ├─ IncompleteSignature       the signature lacks a part, or a part cannot be read
   ├─ InvalidSignature          the signature is wrong, too old, or for elsewhere
   ├─ UnrecognizedClient        nobody has the access key, or it goes with another session token
   ├─ ExpiredToken              the session of the access key is over
   ├─ LimitExceeded             too many tables, indexes, tags or changes at once
   ├─ ItemCollectionTooLarge    an item collection of a table with an LSI outgrew 10 GB
   ├─ TransactionCanceled       carries one reason for each action
   ├─ TransactionConflict       another transaction has the item
   ├─ TransactionInProgress     the same client token is being worked on
   ├─ IdempotentParameterMismatch       the same client token came with another request
   ├─ Throttled                 more than a table, an index or a partition can bear; carries reasons
   │  ├─ ProvisionedThroughputExceeded  more than was provisioned
   │  └─ RequestLimitExceeded   more than the account may have
   ├─ InternalError             something broke at DynamoDB; a write may have taken effect or not
   ├─ ServiceUnavailable        DynamoDB is away for the moment
   └─ TrimmedDataAccess           the change feed no longer reaches back so far

DynamoDB's own refusals keep DynamoDB's own words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


class SingleTableError(Exception):
    """The root: whatever singletable raises on purpose is one of these."""


class AddressError(SingleTableError):
    """There is no driver for the address; the message says which addresses there are."""


class FaultsError(SingleTableError):
    """Faults cannot be injected as described; the message says which, and what to write instead."""


class CredentialsError(SingleTableError):
    """Credentials are missing or cannot be used; the message says where, why and what to do."""


class DeclarationError(SingleTableError):
    """The schema is wrong, found before an item is touched; says where, and what to write."""


class UnsupportedPattern(DeclarationError):
    """No key of the entity can answer an access pattern; says which there are, and what to add."""


class StaleDocs(SingleTableError):
    """Written documents do not say what the code says; the message has the command to run."""


class InvalidValue(SingleTableError, ValueError):
    """A value does not fit its field; nothing was sent. `place` says where: `Ballot.ranks[2]`."""

    def __init__(self, text: str, place: str = "") -> None:
        super().__init__(f"{place}: {text}" if place else text)
        self.text = text
        self.place = place


class ItemMismatch(SingleTableError):
    """An item in the table does not fit its entity. `place` says where: `Ballot.ranks[2]`."""

    def __init__(self, text: str, place: str = "") -> None:
        super().__init__(f"{place}: {text}" if place else text)
        self.text = text
        self.place = place


class InvalidCursor(SingleTableError):
    """A page cursor that was not made here, was changed, or is for another query."""


class StorageError(SingleTableError):
    """The database file cannot be used; the message says why and what to do."""


class EngineClosed(StorageError):
    """The engine was closed before this call."""


class ConnectionFailed(SingleTableError):
    """No answer came. If the request may have `arrived`, nobody knows whether a write was done."""

    def __init__(self, message: str, *, may_have_arrived: bool = False) -> None:
        super().__init__(message)
        self.may_have_arrived = may_have_arrived


class CertificateError(ConnectionFailed):
    """Who answers there has no certificate that is trusted; nothing was sent."""


class UnexpectedResponse(SingleTableError):
    """What answered is not DynamoDB: the message says what was asked, where, and what came."""


class OperationError(SingleTableError):
    """A refusal in DynamoDB's words; `code` is the exception's name at AWS.

    `request_id` is what a service far away calls the request, for its support and its logs.
    """

    code: str = "InternalServerError"
    request_id: str | None = None

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ValidationError(OperationError):
    """The request breaks one of DynamoDB's rules; nothing was changed."""

    code = "ValidationException"


class SerializationError(OperationError):
    """The request is not of the shape that the operation has."""

    code = "SerializationException"


class ConditionFailed(OperationError):
    """The condition did not hold. `item` is the item as it stood, if it was asked for.

    A store also gives it as an instance of its entity, in `current`.
    """

    code = "ConditionalCheckFailedException"

    def __init__(
        self,
        message: str = "The conditional request failed",
        item: Mapping[str, Mapping[str, object]] | None = None,
    ) -> None:
        super().__init__(message)
        self.item = item
        self.current: object = None


class AlreadyExists(ConditionFailed):
    """There is such an item already, or another has the unique value; `fields` says of what."""

    def __init__(
        self,
        message: str,
        fields: Sequence[str],
        item: Mapping[str, Mapping[str, object]] | None = None,
    ) -> None:
        super().__init__(message, item)
        self.fields = tuple(fields)


class NotFound(ConditionFailed):
    """There is no such item."""


class VersionConflict(ConditionFailed):
    """The item was written by someone else since it was read; read it again."""


class ResourceNotFound(OperationError):
    """There is no such table, index or resource."""

    code = "ResourceNotFoundException"


class TableNotFound(ResourceNotFound):
    """There is no table of that name. DynamoDB words it one way for items, another for tables."""


class BackupTableNotFound(TableNotFound):
    """There is no table of that name. DynamoDB has another name for it where backups are meant."""

    code = "TableNotFoundException"


class ResourceInUse(OperationError):
    """The table exists already, or is in a state that forbids the change."""

    code = "ResourceInUseException"


class ContinuousBackupsUnavailable(OperationError):
    """The table is so new that it has no backups yet; the same request may succeed soon."""

    code = "ContinuousBackupsUnavailableException"


class AccessDenied(OperationError):
    """No policy allows it, or the resource belongs to another account."""

    code = "AccessDeniedException"


class MissingAuthenticationToken(OperationError):
    """The request does not say who asks."""

    code = "MissingAuthenticationTokenException"

    def __init__(self, message: str = "Request is missing Authentication Token") -> None:
        super().__init__(message)


class IncompleteSignature(OperationError):
    """A part of the signature is missing, or cannot be read."""

    code = "IncompleteSignatureException"


class InvalidSignature(OperationError):
    """The signature is not that of the request, is too old, or is for another place."""

    code = "InvalidSignatureException"


class UnrecognizedClient(OperationError):
    """Nobody has the access key, or it goes with another session token."""

    code = "UnrecognizedClientException"


class ExpiredToken(OperationError):
    """The session that the access key belongs to is over."""

    code = "ExpiredTokenException"

    def __init__(
        self, message: str = "The security token included in the request is expired"
    ) -> None:
        super().__init__(message)


class LimitExceeded(OperationError):
    """More tables, indexes, tags or simultaneous changes than DynamoDB allows."""

    code = "LimitExceededException"


class ItemCollectionTooLarge(OperationError):
    """An item collection on a table with local secondary indexes outgrew its limit."""

    code = "ItemCollectionSizeLimitExceededException"


@dataclass(frozen=True, slots=True)
class CancellationReason:
    """Why one action of a transaction stopped it; `code` is "None" for an action that did not."""

    code: str = "None"
    message: str | None = None
    item: Mapping[str, Mapping[str, object]] | None = None


class TransactionCanceled(OperationError):
    """A transaction changed nothing; `reasons` has one entry for each of its actions, in order."""

    code = "TransactionCanceledException"

    def __init__(self, reasons: Sequence[CancellationReason]) -> None:
        codes = ", ".join(reason.code for reason in reasons)
        super().__init__(
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            f"[{codes}]"
        )
        self.reasons = tuple(reasons)


class TransactionConflict(OperationError):
    """Another transaction is at work on the item."""

    code = "TransactionConflictException"


class TransactionInProgress(OperationError):
    """A transaction with the same client token is still at work."""

    code = "TransactionInProgressException"


class IdempotentParameterMismatch(OperationError):
    """A client token was used again, with another request."""

    code = "IdempotentParameterMismatchException"


@dataclass(frozen=True, slots=True)
class ThrottlingReason:
    """What was exceeded, in AWS's compound words, and the ARN of the table or index it is about."""

    reason: str
    resource: str


class Throttled(OperationError):
    """The request came too fast; nothing was changed. The same request may succeed later."""

    code = "ThrottlingException"

    def __init__(self, message: str, reasons: Sequence[ThrottlingReason] = ()) -> None:
        super().__init__(message)
        self.throttling_reasons = tuple(reasons)


class ProvisionedThroughputExceeded(Throttled):
    """More units were asked for than the table or the index has provisioned."""

    code = "ProvisionedThroughputExceededException"


class RequestLimitExceeded(Throttled):
    """More units were asked for than the account may have."""

    code = "RequestLimitExceeded"


class InternalError(OperationError):
    """Something broke at DynamoDB. Whether a write took effect is not known."""

    code = "InternalServerError"

    def __init__(self, message: str = "Internal server error") -> None:
        super().__init__(message)


class ServiceUnavailable(OperationError):
    """DynamoDB is away for the moment; nothing was changed."""

    code = "ServiceUnavailable"

    def __init__(self, message: str = "DynamoDB is currently unavailable") -> None:
        super().__init__(message)


class TrimmedDataAccess(OperationError):
    """The change feed no longer holds what follows the position asked for."""

    code = "TrimmedDataAccessException"
