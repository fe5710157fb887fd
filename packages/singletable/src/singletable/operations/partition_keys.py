"""Find the partition keys that an operation names (IAM's leading keys).

The endpoint compares them with policies, a scoped store with its scope.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, cast

from singletable.errors import OperationError
from singletable.expressions import Placeholders, parse_key_condition
from singletable.operations.base import Operation
from singletable.operations.items import (
    BatchGetItem,
    BatchWriteItem,
    ConditionCheck,
    Delete,
    DeleteItem,
    Get,
    GetItem,
    KeysAndAttributes,
    Put,
    PutItem,
    Query,
    Scan,
    TransactGetItems,
    TransactWriteItems,
    Update,
    UpdateItem,
    WriteRequest,
)
from singletable.values import (
    AttributeValue,
    InvalidNumber,
    Item,
    canonical_number,
    check_value,
    decode_binary,
)

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
)


def item_requests(operation: Operation[Any]) -> list[tuple[str, ItemRequest]] | None:
    """Return the parts of an operation on items, each with its table; None for other operations."""
    match operation:
        case PutItem() | GetItem() | UpdateItem() | DeleteItem() | Query() | Scan():
            return [(operation.table_name, operation)]
        case BatchGetItem():
            return list(operation.request_items.items())
        case BatchWriteItem():
            return [(table, tuple(writes)) for table, writes in operation.request_items.items()]
        case TransactGetItems():
            return [(one.get.table_name, one.get) for one in operation.transact_items]
        case TransactWriteItems():
            return [
                (part.table_name, part)
                for write in operation.transact_items
                for part in (write.condition_check, write.put, write.delete, write.update)
                if part is not None
            ]
        case _:
            return None


def partition_values(request: ItemRequest, attribute: str) -> tuple[str, ...]:
    """Return the distinct values of the attribute as text; none for a scan, which reads all."""
    values = [text for value in _values(request, attribute) for text in canonical_key_texts(value)]
    return tuple(dict.fromkeys(values))


def _values(request: ItemRequest, attribute: str) -> Iterator[AttributeValue]:
    match request:
        case Scan():
            return
        case Query():
            yield from _query_values(request, attribute)
        case KeysAndAttributes():
            yield from _item_values(request.keys, attribute)
        case PutItem() | Put():
            yield from _item_values((request.item,), attribute)
        case tuple():
            yield from _item_values(written_items(request), attribute)
        case _:
            yield from _item_values((request.key,), attribute)


def _item_values(items: Iterable[Item] | None, attribute: str) -> Iterator[AttributeValue]:
    for item in items or ():
        if item and attribute in item:
            yield item[attribute]


def written_items(writes: Iterable[WriteRequest]) -> Iterator[Item]:
    """Yield the items and keys of a batch of writes."""
    for write in writes:
        if write.put_request is not None:
            yield write.put_request.item
        if write.delete_request is not None:
            yield write.delete_request.key


def _query_values(query: Query, attribute: str) -> Iterator[AttributeValue]:
    """Yield the values compared with the attribute; the driver rejects all but equality."""
    if query.key_condition_expression is not None:
        placeholders = request_placeholders(query)
        for clause in parse_key_condition(query.key_condition_expression, placeholders):
            if clause.attribute == attribute:
                yield from clause.values
    condition = (query.key_conditions or {}).get(attribute)
    if condition is not None:
        yield from condition.attribute_value_list or ()


def request_placeholders(request: ItemRequest) -> Placeholders:
    """Return the names and values of a request; raise OperationError for an invalid value.

    The driver has not validated the request yet, and the parser compares values with each other.
    """
    names: dict[str, str] | None = getattr(request, "expression_attribute_names", None)
    values: dict[str, AttributeValue] | None = getattr(request, "expression_attribute_values", None)
    checked = {alias: check_value(value)[0] for alias, value in (values or {}).items()}
    return Placeholders(names, checked)


def canonical_key_texts(value: AttributeValue) -> Iterator[str]:
    """Yield the value as text, the same for every spelling of a number or of bytes."""
    for kind, content in cast("dict[str, object]", value).items():
        text = str(content)
        try:
            if kind == "N":
                text = canonical_number(text)
            elif kind == "B":
                text = b64encode(decode_binary(text)).decode()
        except (InvalidNumber, OperationError):
            pass  # not a valid key: the driver rejects it
        yield text
