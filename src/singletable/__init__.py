"""Declare a single-table design once; run it anywhere.

This is the one door: what is listed here is public, and stays. Less common operations and shapes
are in `singletable.operations`. A room is entered when something in it is first asked for, so that
a program pays at its start for what it uses.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

# At once: a room that is entered later takes its own name, and this one's is that of a function.
from singletable.connect import connect, connect_async

if TYPE_CHECKING:
    from singletable.documents import check_documents
    from singletable.engine import AsyncEngine, Delays, Engine, Retention, Settings
    from singletable.errors import (
        AccessDenied,
        AddressError,
        AlreadyExists,
        BackupTableNotFound,
        CancellationReason,
        ConditionFailed,
        ContinuousBackupsUnavailable,
        CredentialsError,
        CursorRefused,
        DeclarationError,
        EngineClosed,
        ExpiredToken,
        FaultsError,
        IdempotencyMismatch,
        IncompleteSignature,
        InternalError,
        InvalidSignature,
        InvalidValue,
        ItemCollectionTooLarge,
        ItemMismatch,
        LimitExceeded,
        NotFound,
        NotSigned,
        OperationError,
        PositionTrimmed,
        ProvisionedThroughputExceeded,
        RequestLimitExceeded,
        ResourceInUse,
        ResourceNotFound,
        SerializationError,
        ServiceUnavailable,
        SingleTableError,
        StaleDocuments,
        StorageError,
        StrangeAnswer,
        TableNotFound,
        Throttled,
        ThrottlingReason,
        TransactionCanceled,
        TransactionConflict,
        TransactionInProgress,
        Unreachable,
        UnrecognizedClient,
        UnservedPattern,
        Untrusted,
        ValidationError,
        VersionConflict,
    )
    from singletable.operations import (
        AsyncDriver,
        AttributeDefinition,
        BatchGetItem,
        BatchWriteItem,
        ConditionCheck,
        CreateTable,
        Delete,
        DeleteItem,
        DeleteRequest,
        DeleteTable,
        DescribeTable,
        Driver,
        Get,
        GetItem,
        GlobalSecondaryIndex,
        KeysAndAttributes,
        KeySchemaElement,
        ListTables,
        LocalSecondaryIndex,
        Operation,
        Projection,
        Put,
        PutItem,
        PutRequest,
        Query,
        ReadChanges,
        Scan,
        SweepExpired,
        TimeToLiveSpecification,
        TransactGetItem,
        TransactGetItems,
        TransactWriteItem,
        TransactWriteItems,
        Update,
        UpdateItem,
        UpdateTable,
        UpdateTimeToLive,
        WriteRequest,
    )
    from singletable.patterns import (
        Catalogue,
        FeedPattern,
        Pattern,
        Rate,
        ReadPattern,
        ScanPattern,
        WritePattern,
        checks,
        creates,
        deletes,
        per_day,
        per_hour,
        per_minute,
        per_second,
        puts,
        updates,
    )
    from singletable.remote import AsyncRemote, Remote
    from singletable.schema import (
        Address,
        Attr,
        Binary,
        Collection,
        Condition,
        Count,
        DeclarationWarning,
        Edit,
        Entity,
        EntityOf,
        Index,
        Key,
        LocalIndex,
        Number,
        Partition,
        Path,
        Provisioned,
        Selection,
        Shards,
        Table,
        TimeForm,
        Unique,
        address_of,
        attr,
        casefold,
        created,
        descending,
        digits,
        expires,
        ordered,
        same,
        updated,
        version,
    )
    from singletable.store import (
        Admin,
        AsyncAdmin,
        AsyncStore,
        Call,
        ChangeOf,
        ChangesOf,
        Observer,
        PageOf,
        Question,
        Sent,
        Store,
        Touch,
        Transaction,
        changes_in,
    )
    from singletable.telemetry import OpenTelemetryObserver, PrometheusObserver, Tally
    from singletable.values import AttributeValue, Item

__all__ = [
    "AccessDenied",
    "Address",
    "AddressError",
    "Admin",
    "AlreadyExists",
    "AsyncAdmin",
    "AsyncDriver",
    "AsyncEngine",
    "AsyncRemote",
    "AsyncStore",
    "Attr",
    "AttributeDefinition",
    "AttributeValue",
    "BackupTableNotFound",
    "BatchGetItem",
    "BatchWriteItem",
    "Binary",
    "Call",
    "CancellationReason",
    "Catalogue",
    "ChangeOf",
    "ChangesOf",
    "Collection",
    "Condition",
    "ConditionCheck",
    "ConditionFailed",
    "ContinuousBackupsUnavailable",
    "Count",
    "CreateTable",
    "CredentialsError",
    "CursorRefused",
    "DeclarationError",
    "DeclarationWarning",
    "Delays",
    "Delete",
    "DeleteItem",
    "DeleteRequest",
    "DeleteTable",
    "DescribeTable",
    "Driver",
    "Edit",
    "Engine",
    "EngineClosed",
    "Entity",
    "EntityOf",
    "ExpiredToken",
    "FaultsError",
    "FeedPattern",
    "Get",
    "GetItem",
    "GlobalSecondaryIndex",
    "IdempotencyMismatch",
    "IncompleteSignature",
    "Index",
    "InternalError",
    "InvalidSignature",
    "InvalidValue",
    "Item",
    "ItemCollectionTooLarge",
    "ItemMismatch",
    "Key",
    "KeySchemaElement",
    "KeysAndAttributes",
    "LimitExceeded",
    "ListTables",
    "LocalIndex",
    "LocalSecondaryIndex",
    "NotFound",
    "NotSigned",
    "Number",
    "Observer",
    "OpenTelemetryObserver",
    "Operation",
    "OperationError",
    "PageOf",
    "Partition",
    "Path",
    "Pattern",
    "PositionTrimmed",
    "Projection",
    "PrometheusObserver",
    "Provisioned",
    "ProvisionedThroughputExceeded",
    "Put",
    "PutItem",
    "PutRequest",
    "Query",
    "Question",
    "Rate",
    "ReadChanges",
    "ReadPattern",
    "Remote",
    "RequestLimitExceeded",
    "ResourceInUse",
    "ResourceNotFound",
    "Retention",
    "Scan",
    "ScanPattern",
    "Selection",
    "Sent",
    "SerializationError",
    "ServiceUnavailable",
    "Settings",
    "Shards",
    "SingleTableError",
    "StaleDocuments",
    "StorageError",
    "Store",
    "StrangeAnswer",
    "SweepExpired",
    "Table",
    "TableNotFound",
    "Tally",
    "Throttled",
    "ThrottlingReason",
    "TimeForm",
    "TimeToLiveSpecification",
    "Touch",
    "TransactGetItem",
    "TransactGetItems",
    "TransactWriteItem",
    "TransactWriteItems",
    "Transaction",
    "TransactionCanceled",
    "TransactionConflict",
    "TransactionInProgress",
    "Unique",
    "Unreachable",
    "UnrecognizedClient",
    "UnservedPattern",
    "Untrusted",
    "Update",
    "UpdateItem",
    "UpdateTable",
    "UpdateTimeToLive",
    "ValidationError",
    "VersionConflict",
    "WritePattern",
    "WriteRequest",
    "address_of",
    "attr",
    "casefold",
    "changes_in",
    "check_documents",
    "checks",
    "connect",
    "connect_async",
    "created",
    "creates",
    "deletes",
    "descending",
    "digits",
    "expires",
    "ordered",
    "per_day",
    "per_hour",
    "per_minute",
    "per_second",
    "puts",
    "same",
    "updated",
    "updates",
    "version",
]

_ROOMS = {
    "singletable.connect": """
        connect connect_async
    """,
    "singletable.documents": """
        check_documents
    """,
    "singletable.engine": """
        AsyncEngine Delays Engine Retention Settings
    """,
    "singletable.errors": """
        AccessDenied AddressError AlreadyExists BackupTableNotFound CancellationReason
        ConditionFailed ContinuousBackupsUnavailable CredentialsError CursorRefused
        DeclarationError EngineClosed ExpiredToken FaultsError IdempotencyMismatch
        IncompleteSignature InternalError InvalidSignature InvalidValue ItemCollectionTooLarge
        ItemMismatch LimitExceeded NotFound NotSigned
        OperationError PositionTrimmed ProvisionedThroughputExceeded RequestLimitExceeded
        ResourceInUse ResourceNotFound SerializationError ServiceUnavailable
        SingleTableError StaleDocuments StorageError StrangeAnswer TableNotFound Throttled
        ThrottlingReason TransactionCanceled TransactionConflict TransactionInProgress
        Unreachable UnrecognizedClient UnservedPattern Untrusted ValidationError VersionConflict
    """,
    "singletable.operations": """
        AsyncDriver AttributeDefinition BatchGetItem BatchWriteItem ConditionCheck
        CreateTable Delete DeleteItem DeleteRequest DeleteTable DescribeTable Driver Get
        GetItem GlobalSecondaryIndex KeysAndAttributes KeySchemaElement ListTables
        LocalSecondaryIndex Operation Projection Put PutItem PutRequest Query ReadChanges
        Scan SweepExpired TimeToLiveSpecification TransactGetItem TransactGetItems
        TransactWriteItem TransactWriteItems Update UpdateItem UpdateTable UpdateTimeToLive
        WriteRequest
    """,
    "singletable.remote": """
        AsyncRemote Remote
    """,
    "singletable.patterns": """
        Catalogue FeedPattern Pattern Rate ReadPattern ScanPattern WritePattern checks creates
        deletes per_day per_hour per_minute per_second puts updates
    """,
    "singletable.schema": """
        Address Attr Binary Collection Condition Count DeclarationWarning Edit Entity EntityOf
        Index Key LocalIndex Number Partition Path Provisioned Selection Shards Table TimeForm
        Unique address_of attr casefold created descending digits expires ordered same
        updated version
    """,
    "singletable.store": """
        Admin AsyncAdmin AsyncStore Call ChangeOf ChangesOf Observer PageOf Question Sent Store
        Touch Transaction changes_in
    """,
    "singletable.telemetry": """
        OpenTelemetryObserver PrometheusObserver Tally
    """,
    "singletable.values": """
        AttributeValue Item
    """,
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """What is public, fetched from its room."""
    room = _ROOM_OF.get(name)
    if room is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(room), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What is public."""
    return sorted(__all__)
