"""What an operation touches: the tables it names, the items it reads or writes, and how.

Requests need not be valid: missing parts are skipped, and rejecting the request is left to the
driver that executes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from dynamodb_engine import partiql
from dynamodb_engine.expressions import Condition, conjuncts, equality
from dynamodb_engine.operations.arn import parse_arn
from dynamodb_engine.operations.base import Operation
from dynamodb_engine.operations.items import (
    BatchGetItem,
    BatchWriteItem,
    ConditionCheck,
    Delete,
    DeleteItem,
    DeleteRequest,
    Get,
    GetItem,
    KeysAndAttributes,
    Put,
    PutItem,
    PutRequest,
    Query,
    Scan,
    TransactGetItems,
    TransactWriteItems,
    Update,
    UpdateItem,
    WriteRequest,
)
from dynamodb_engine.operations.statements import (
    BatchExecuteStatement,
    BatchStatementRequest,
    ExecuteStatement,
    ExecuteTransaction,
    ParameterizedStatement,
)
from dynamodb_engine.values import Item

StatementRequest: TypeAlias = ExecuteStatement | BatchStatementRequest | ParameterizedStatement
# The part of an operation that concerns the items of one table; often the whole operation.
ItemRequest: TypeAlias = (
    PutItem
    | GetItem
    | UpdateItem
    | DeleteItem
    | Query
    | Scan
    | KeysAndAttributes
    | Get
    | Put
    | Update
    | Delete
    | ConditionCheck
    | tuple[WriteRequest, ...]
    | StatementRequest
)
Access: TypeAlias = Literal["get", "query", "scan", "put", "update", "delete", "check"]
READS: tuple[Access, ...] = ("get", "query", "scan")
WRITES: tuple[Access, ...] = ("put", "update", "delete")

ACCESS: Mapping[type, Access] = {
    GetItem: "get",
    Get: "get",
    KeysAndAttributes: "get",
    Query: "query",
    Scan: "scan",
    PutItem: "put",
    Put: "put",
    PutRequest: "put",
    UpdateItem: "update",
    Update: "update",
    DeleteItem: "delete",
    Delete: "delete",
    DeleteRequest: "delete",
    ConditionCheck: "check",
}


class Touch(NamedTuple):
    """One item that an operation reads or writes, or the page that it reads.

    `table` is a name or an ARN, as in the request. `item` is the whole item of a put, the key of
    other accesses, and empty for a page.
    """

    table: str
    access: Access
    item: Item
    request: ItemRequest


def touches(operation: Operation[Any]) -> Iterator[Touch]:
    """Yield each item of an operation in its order; nothing for operations on tables."""
    for table, request in item_requests(operation) or ():
        for access, item in accesses(request):
            yield Touch(table, access, item, request)


def item_requests(operation: Operation[Any]) -> list[tuple[str, ItemRequest]] | None:
    """Return the parts of an operation on items, each with its table; None for other operations."""
    match operation:
        case PutItem() | GetItem() | UpdateItem() | DeleteItem() | Query() | Scan():
            return [(operation.table_name, operation)]
        case BatchGetItem():
            return list((operation.request_items or {}).items())
        case BatchWriteItem():
            by_table = operation.request_items or {}
            return [(table, tuple(writes or ())) for table, writes in by_table.items()]
        case TransactGetItems():
            gets = [cast("Get | None", one.get) for one in operation.transact_items or ()]
            return [(get.table_name, get) for get in gets if get is not None]
        case TransactWriteItems():
            return [
                (part.table_name, part)
                for write in operation.transact_items or ()
                for part in (write.condition_check, write.put, write.delete, write.update)
                if part is not None
            ]
        case ExecuteStatement():
            return _statement_requests([operation])
        case BatchExecuteStatement():
            return _statement_requests(operation.statements)
        case ExecuteTransaction():
            return _statement_requests(operation.transact_statements)
        case _:
            return None


def _statement_requests(
    parts: Iterable[StatementRequest] | None,
) -> list[tuple[str, ItemRequest]]:
    return [(table, part) for part in parts or () if (table := part.table_name) is not None]


def accesses(request: ItemRequest) -> Iterator[tuple[Access, Item]]:
    """Yield the items of one part of an operation, and how each is accessed."""
    if isinstance(request, tuple):
        for write in request:
            for part in (write.put_request, write.delete_request):
                if part is not None:
                    yield ACCESS[type(part)], _item_of(part)
    elif isinstance(request, KeysAndAttributes):
        for key in request.keys or ():
            yield "get", key or {}
    elif isinstance(request, StatementRequest):
        yield _statement_access(request)
    elif (access := ACCESS.get(type(request))) is not None:
        yield access, _item_of(request)


def _statement_access(request: StatementRequest) -> tuple[Access, Item]:
    """Return the access of a statement; instead of a key, the attributes that it compares."""
    match request.bind():
        case partiql.Insert() as insert:
            return "put", insert.item
        case partiql.Update(where=where):
            return "update", _compared(where)
        case partiql.Delete(where=where):
            return "delete", _compared(where)
        case partiql.Exists(select):
            return "check", _compared(select.where)
        case partiql.Select(where=where):
            compared = _compared(where)
            return ("query" if compared else "scan"), compared
        case _:
            return "scan", {}


def _compared(where: Condition | None) -> Item:
    """Return the values that attributes must equal: of several, the first, as the engine does."""
    found = [equality(part) for part in reversed([*conjuncts(where)])]
    return dict(pair for pair in found if pair is not None)


def written_items(writes: Iterable[WriteRequest]) -> Iterator[Item]:
    """Yield the items and keys of a batch of writes."""
    return (item for _, item in accesses(tuple(writes)))


def table_names(operation: Operation[Any]) -> Iterator[str]:
    """Yield the tables that a request names, in its order, by name or ARN as they were given."""
    requests = item_requests(operation)
    if requests is None:
        name = getattr(operation, "table_name", None) or getattr(operation, "resource_arn", None)
        arn = parse_arn(named_stream(operation) or "")
        names = [name if arn is None else arn.table]
    else:
        names = [table for table, _ in requests]
    return (name for name in names if name)


def named_stream(operation: Operation[Any]) -> str | None:
    """Return the ARN of the stream that a request names, or None; an iterator starts with it."""
    iterator = getattr(operation, "shard_iterator", None) or ""
    return getattr(operation, "stream_arn", None) or iterator.partition("|")[0] or None


def _item_of(request: object) -> Item:
    return getattr(request, "item", None) or getattr(request, "key", None) or {}
