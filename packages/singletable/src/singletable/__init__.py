"""Declare a single-table design once; run it anywhere.

These are the names that most programs need. All errors are in `singletable.errors`, and all
operations and shapes of DynamoDB in `dynamodb_engine`; `singletable.store`, `.patterns`, `.schema`
and `.telemetry` have the types that few programs name. A module is imported when one of its names
is first used, so that a program pays only for what it uses. `make generate` writes `__init__.pyi`
from this list for type checkers.
"""

import importlib

# Imported eagerly: importing the module `singletable.connect` later would replace the function.
from singletable.connect import connect as connect
from singletable.connect import connect_async as connect_async

_EXPORTS = {
    "singletable.connect": """
        connect connect_async
    """,
    "dynamodb_engine.engine": """
        AsyncEngine Engine
    """,
    "singletable.errors": """
        AccessDenied AddressError AlreadyExists ConditionFailed ConnectionFailed CredentialsError
        DeclarationError DecryptionFailed InternalError InvalidCursor InvalidValue ItemMismatch
        MigrationError NotFound OperationError OutOfScope ReadLimitReached ResourceNotFound
        ServiceUnavailable SingleTableError StorageError TableNotFound Throttled
        TransactionConflict UnsupportedPattern ValidationError VersionConflict
    """,
    "dynamodb_engine.operations": """
        AsyncDriver BatchGetItem BatchWriteItem CreateTable DeleteItem DeleteTable DescribeTable
        Driver ExecuteStatement GetItem ListTables Operation PutItem Query Scan TransactGetItems
        TransactWriteItems UpdateItem
    """,
    "singletable.patterns": """
        checks clears creates CrudPatterns deletes ItemCount loads modifies Pattern PatternCatalog
        per_day per_hour per_minute per_second puts uniform updates upserts WritePattern zipf
    """,
    "singletable.remote": """
        AsyncRemote Remote
    """,
    "singletable.conflicts": """
        retry_conflicts
    """,
    "singletable.schema": """
        Attr attr Binary camel_case casefold Collection concat Condition Count created descending
        Edit Entity evolve expires Index ItemKey Key key_of LocalIndex ModelEntity Number ordered
        padded Partition pascal_case Path Provisioned repeated Selection sequence Shards Table
        TimeFormat Unique updated version
    """,
    "singletable.schema.codec": """
        Compressed Encrypted FieldCodec Json
    """,
    "singletable.schema.codec.field_codec": """
        codec
    """,
    "singletable.store": """
        AsyncStore Call Change Changes DeleteResult EntityAccess Observer Page parse_stream_event
        Progress QueryOptions ReadOptions SentRequest Store Transaction
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
