"""The one door: what `singletable` exports is a list, and changes only on purpose."""

from __future__ import annotations

import inspect

import singletable
from singletable import errors

PUBLIC = """
    AccessDenied AddressError AsyncDriver AsyncEngine AttributeDefinition AttributeValue
    BatchGetItem BatchWriteItem CancellationReason ConditionCheck ConditionFailed CreateTable
    CredentialsError DeclarationError Delays Delete DeleteItem DeleteRequest DeleteTable
    DescribeTable Driver Engine EngineClosed ExpiredToken FaultsError Get GetItem
    GlobalSecondaryIndex IdempotencyMismatch IncompleteSignature InternalError InvalidSignature
    InvalidValue Item ItemCollectionTooLarge ItemMismatch KeySchemaElement KeysAndAttributes
    LimitExceeded ListTables LocalSecondaryIndex NotSigned Operation OperationError
    PositionTrimmed Projection ProvisionedThroughputExceeded Put PutItem PutRequest Query
    ReadChanges RequestLimitExceeded ResourceInUse ResourceNotFound Retention Scan
    SerializationError ServiceUnavailable Settings SingleTableError StorageError SweepExpired
    TableNotFound Throttled ThrottlingReason TimeToLiveSpecification TransactGetItem
    TransactGetItems TransactWriteItem TransactWriteItems TransactionCanceled
    TransactionConflict TransactionInProgress UnrecognizedClient Update UpdateItem UpdateTable
    UpdateTimeToLive ValidationError WriteRequest connect connect_async
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
