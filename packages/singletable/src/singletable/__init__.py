"""Declare a single-table design once; run it anywhere.

Everything listed here is public. Less common operations and shapes are in
`dynamodb_engine.operations`. Modules are imported when one of their names is first used, so that a
program pays only for what it uses. `make generate` writes `__init__.pyi` from this list for type
checkers.
"""

import importlib

# Imported eagerly: importing the module `singletable.connect` later would replace the function.
from singletable.connect import connect as connect
from singletable.connect import connect_async as connect_async

_EXPORTS = {
    "singletable.connect": """
        connect connect_async
    """,
    "dynamodb_engine.addresses": """
        hide_password
    """,
    "dynamodb_engine.engine": """
        AsyncEngine Delays Engine Retention Settings StreamShards
    """,
    "singletable.errors": """
        AccessDenied AddressError AlreadyExists BackupTableNotFound CancellationReason
        CertificateError ConditionFailed ConnectionFailed ContinuousBackupsUnavailable
        CredentialsError DeclarationError DecryptionFailed DuplicateItem EngineClosed
        ExpiredIterator ExpiredToken FaultsError IdempotentParameterMismatch
        IncompleteSignature InternalError InvalidCursor
        InvalidSignature InvalidValue ItemCollectionTooLarge ItemMismatch LimitExceeded
        MigrationError MigrationLocked MissingAuthenticationToken NotFound OperationError
        OutOfScope ProvisionedThroughputExceeded ReadLimitReached RequestLimitExceeded
        ResourceInUse ResourceNotFound SerializationError ServiceUnavailable SingleTableError
        StaleDocs StorageError TableNotFound Throttled ThrottlingReason TransactionCanceled
        TransactionConflict TransactionInProgress TransformFailed TrimmedDataAccess
        UnexpectedResponse UnknownField UnknownOperation UnrecognizedClient UnsupportedPattern
        ValidationError VersionConflict
    """,
    "dynamodb_engine.operations": """
        AsyncDriver AttributeDefinition BatchExecuteStatement BatchGetItem
        BatchStatementRequest BatchWriteItem ConditionCheck CreateTable Delete DeleteItem
        DeleteRequest DeleteTable DescribeKinesisStreamingDestination DescribeStream DescribeTable
        DisableKinesisStreamingDestination Driver EnableKinesisStreamingConfiguration
        EnableKinesisStreamingDestination ExecuteStatement
        ExecuteTransaction Get GetItem GetRecords GetShardIterator GlobalSecondaryIndex
        KeysAndAttributes KeySchemaElement ListStreams ListTables LocalSecondaryIndex
        Operation ParameterizedStatement Projection Put PutItem PutRequest Query ReadChanges
        Scan SweepExpired TimeToLiveSpecification TransactGetItem TransactGetItems
        TransactWriteItem TransactWriteItems Update UpdateItem
        UpdateKinesisStreamingConfiguration UpdateKinesisStreamingDestination UpdateTable
        UpdateTimeToLive WriteRequest
    """,
    "singletable.patterns": """
        checks clears creates CrudPatterns deletes Distribution FeedPattern FieldValues ItemCount
        loads modifies Pattern PatternCatalog per_day per_hour per_minute per_second puts Rate
        ReadPattern ScanPattern uniform updates upserts WritePattern zipf
    """,
    "singletable.remote": """
        AsyncRemote Remote
    """,
    "singletable.conflicts": """
        retry_conflicts
    """,
    "singletable.schema": """
        Attr attr Binary camel_case casefold Collection concat Condition Count created
        DeclarationWarning descending Edit Entity evolve expires Index ItemKey Key key_of LocalIndex
        ModelEntity Number ordered padded Partition pascal_case Path Provisioned repeated
        Selection sequence Shards Table TimeFormat Unique updated version
    """,
    "singletable.schema.codec": """
        Compressed Encrypted FieldCodec Json
    """,
    "singletable.schema.codec.field_codec": """
        codec
    """,
    "singletable.store": """
        Admin AsyncAdmin AsyncStore Call CallShape Change Changes CollectOptions
        DeleteResult EntityAccess LoadConflict LoadResult Observer Page parse_stream_event Progress
        QueryOptions ReadOptions SentRequest Store StreamOptions Transaction
    """,
    "dynamodb_engine.steps": """
        Steps
    """,
    "singletable.telemetry": """
        CallStats OpenTelemetryObserver PatternStats PrometheusObserver
    """,
    "dynamodb_engine.values": """
        AttributeValue Item
    """,
}
_MODULE_OF = {name: module for module, names in _EXPORTS.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
