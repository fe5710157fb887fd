"""DynamoDB in Python: in memory, in a file, on PostgreSQL or MariaDB.

Everything listed here is public. Less common operations and shapes are in
`dynamodb_engine.operations`. Modules are imported when one of their names is first used, so that a
program pays only for what it uses. `make generate` writes `__init__.pyi` from this list for type
checkers.
"""

import importlib

_EXPORTS = {
    "dynamodb_engine.addresses": """
        hide_password open_engine
    """,
    "dynamodb_engine.engine": """
        AsyncEngine Delays Engine Retention Settings StreamShards
    """,
    "dynamodb_engine.errors": """
        AccessDenied AddressError BackupTableNotFound CancellationReason CertificateError
        ConditionFailed ConnectionFailed ContinuousBackupsUnavailable CredentialsError
        DuplicateItem EngineClosed EngineError ExpiredIterator ExpiredToken FaultsError
        IdempotentParameterMismatch IncompleteSignature InternalError InvalidSignature
        InvalidValue ItemCollectionTooLarge LimitExceeded MissingAuthenticationToken
        OperationError ProvisionedThroughputExceeded RequestLimitExceeded ResourceInUse
        ResourceNotFound SerializationError ServiceUnavailable StorageError TableNotFound
        Throttled ThrottlingReason TransactionCanceled TransactionConflict
        TransactionInProgress TrimmedDataAccess UnexpectedResponse UnknownOperation
        UnrecognizedClient ValidationError
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
