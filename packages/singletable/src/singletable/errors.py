"""Every exception that singletable raises: those of the engine, and its own.

SingleTableError, which is the engine's EngineError
├─ …                               the errors of dynamodb_engine.errors, for example:
├─ InvalidValue                    a value does not fit its field; nothing was sent
│  └─ UnknownField                 an entity has no field of this name; says which is meant
├─ ConditionFailed                 the condition did not match; carries the stored item
│  ├─ AlreadyExists                the item exists, or another item has the unique value
│  ├─ NotFound                     the item does not exist
│  └─ VersionConflict              the item was written since it was read
├─ DeclarationError                the schema is wrong; raised before any item is read or written
│  └─ UnsupportedPattern           no key or index supports an access pattern
├─ StaleDocs                       generated docs do not match the code
├─ OutOfScope                      a key or request is outside the scope of the store; not sent
├─ ItemMismatch                    a stored item does not fit its entity
│  └─ DecryptionFailed             an encrypted field cannot be read: another key, or altered
├─ InvalidCursor                   a page cursor was altered, or belongs to another query
├─ ReadLimitReached                a read evaluated `max_read` items; `cursor` continues it
└─ MigrationError                  a migration cannot go on; says why and what to do
   ├─ MigrationLocked              another process is running this migration
   └─ TransformFailed              rules cannot turn some items into new ones; lists them
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from dynamodb_engine.errors import AccessDenied as AccessDenied
from dynamodb_engine.errors import AddressError as AddressError
from dynamodb_engine.errors import BackupTableNotFound as BackupTableNotFound
from dynamodb_engine.errors import CancellationReason as CancellationReason
from dynamodb_engine.errors import CertificateError as CertificateError
from dynamodb_engine.errors import ConditionFailed as ConditionFailed
from dynamodb_engine.errors import ConnectionFailed as ConnectionFailed
from dynamodb_engine.errors import ContinuousBackupsUnavailable as ContinuousBackupsUnavailable
from dynamodb_engine.errors import CredentialsError as CredentialsError
from dynamodb_engine.errors import DuplicateItem as DuplicateItem
from dynamodb_engine.errors import EngineClosed as EngineClosed
from dynamodb_engine.errors import EngineError
from dynamodb_engine.errors import ExpiredIterator as ExpiredIterator
from dynamodb_engine.errors import ExpiredToken as ExpiredToken
from dynamodb_engine.errors import FaultsError as FaultsError
from dynamodb_engine.errors import IdempotentParameterMismatch as IdempotentParameterMismatch
from dynamodb_engine.errors import IncompleteSignature as IncompleteSignature
from dynamodb_engine.errors import InternalError as InternalError
from dynamodb_engine.errors import InvalidSignature as InvalidSignature
from dynamodb_engine.errors import InvalidValue as InvalidValue
from dynamodb_engine.errors import ItemCollectionTooLarge as ItemCollectionTooLarge
from dynamodb_engine.errors import LimitExceeded as LimitExceeded
from dynamodb_engine.errors import MissingAuthenticationToken as MissingAuthenticationToken
from dynamodb_engine.errors import OperationError as OperationError
from dynamodb_engine.errors import ProvisionedThroughputExceeded as ProvisionedThroughputExceeded
from dynamodb_engine.errors import RequestLimitExceeded as RequestLimitExceeded
from dynamodb_engine.errors import ResourceInUse as ResourceInUse
from dynamodb_engine.errors import ResourceNotFound as ResourceNotFound
from dynamodb_engine.errors import SerializationError as SerializationError
from dynamodb_engine.errors import ServiceUnavailable as ServiceUnavailable
from dynamodb_engine.errors import StorageError as StorageError
from dynamodb_engine.errors import TableNotFound as TableNotFound
from dynamodb_engine.errors import Throttled as Throttled
from dynamodb_engine.errors import ThrottlingReason as ThrottlingReason
from dynamodb_engine.errors import TransactionCanceled as TransactionCanceled
from dynamodb_engine.errors import TransactionConflict as TransactionConflict
from dynamodb_engine.errors import TransactionInProgress as TransactionInProgress
from dynamodb_engine.errors import TrimmedDataAccess as TrimmedDataAccess
from dynamodb_engine.errors import UnexpectedResponse as UnexpectedResponse
from dynamodb_engine.errors import UnknownOperation as UnknownOperation
from dynamodb_engine.errors import UnrecognizedClient as UnrecognizedClient
from dynamodb_engine.errors import ValidationError as ValidationError

# The engine calls it EngineError: `except SingleTableError` catches all errors of both.
SingleTableError = EngineError


class DeclarationError(SingleTableError):
    """The schema is wrong; the message says where, and what to write instead."""


class UnsupportedPattern(DeclarationError):
    """No key or index of the entity supports an access pattern; says which to add."""


class StaleDocs(SingleTableError):
    """Generated docs do not match the code; the message has the command that updates them."""


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

    `cursor` is None after collect(), which cannot be continued. `count` is the number of items that
    count() has counted; None for other reads.
    """

    def __init__(self, max_read: int, cursor: str | None, count: int | None = None) -> None:
        remedies = "allow more, or narrow the selection."
        if cursor is not None:
            remedies = f"continue with cursor=error.cursor, {remedies}"
        super().__init__(
            f"The read evaluated {max_read} items (max_read), and there may be more; {remedies}"
        )
        self.max_read = max_read
        self.cursor = cursor
        self.count = count


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
