"""The one door: what `singletable` exports is a list, and changes only on purpose."""

from __future__ import annotations

import inspect

import singletable
from singletable import errors

PUBLIC = """
    AccessDenied Address AddressError Admin AlreadyExists AsyncAdmin AsyncDriver AsyncEngine
    AsyncRemote AsyncStore Attr AttributeDefinition AttributeValue BackupTableNotFound BatchGetItem
    BatchWriteItem Binary Call CancellationReason Catalogue ChangeOf ChangesOf Collection Condition
    ConditionCheck ConditionFailed ContinuousBackupsUnavailable Count CreateTable
    CredentialsError CursorRefused
    DeclarationError DeclarationWarning Delays Delete DeleteItem DeleteRequest DeleteTable
    DescribeTable Driver Edit Engine EngineClosed Entity EntityOf ExpiredToken FaultsError
    FeedPattern Get GetItem GlobalSecondaryIndex IdempotencyMismatch IncompleteSignature Index
    InternalError InvalidSignature InvalidValue Item ItemCollectionTooLarge ItemMismatch Key
    KeySchemaElement KeysAndAttributes LimitExceeded ListTables LocalIndex LocalSecondaryIndex
    NotFound NotSigned Number Observer OpenTelemetryObserver Operation OperationError PageOf
    Partition Path Pattern PositionTrimmed Projection PrometheusObserver Provisioned
    ProvisionedThroughputExceeded Put PutItem PutRequest Query Question Rate ReadChanges
    ReadPattern Remote RequestLimitExceeded ResourceInUse ResourceNotFound Retention Scan
    ScanPattern Selection Sent SerializationError ServiceUnavailable Settings Shards
    SingleTableError StaleDocuments StorageError Store StrangeAnswer SweepExpired Table
    TableNotFound Tally Throttled ThrottlingReason TimeForm TimeToLiveSpecification Touch
    TransactGetItem TransactGetItems TransactWriteItem TransactWriteItems Transaction
    TransactionCanceled TransactionConflict TransactionInProgress Unique Unreachable
    UnrecognizedClient UnservedPattern Untrusted Update UpdateItem UpdateTable UpdateTimeToLive
    ValidationError VersionConflict WritePattern WriteRequest address_of attr casefold
    changes_in check_documents checks connect connect_async created creates deletes descending
    digits expires ordered per_day per_hour per_minute per_second puts same updated updates
    version
""".split()  # noqa: SIM905 (a page of names reads better than a page of quotes)


# A name that appears here is a promise to users; one that goes breaks their programs.
def test_what_is_public_is_this_list() -> None:
    assert sorted(singletable.__all__) == sorted(PUBLIC)


def test_what_is_listed_is_there() -> None:
    assert not [name for name in singletable.__all__ if not hasattr(singletable, name)]


# Whoever catches an error should not have to look for the room it comes from.
def test_every_error_is_exported() -> None:
    ours = {
        name
        for name, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, errors.SingleTableError)
    }
    assert ours <= set(singletable.__all__)


# The tree at the top of the file is how readers learn what may be caught.
def test_the_error_tree_is_drawn_in_full() -> None:
    drawn = errors.__doc__ or ""
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, errors.SingleTableError):
            assert f"{name} " in drawn or f"{name}\n" in drawn, f"{name} is not in the tree"
