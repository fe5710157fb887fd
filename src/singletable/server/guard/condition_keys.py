"""The values of IAM's condition keys in a request: its attributes, partition keys and options.

`dynamodb:Attributes` has the attributes that a request names: those it reads, writes, tests, or is
keyed by. As in AWS, attributes that a response returns without being named are not included, so a
policy about attributes must limit `dynamodb:Select` and `dynamodb:ReturnValues` too.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from singletable.errors import OperationError, ResourceNotFound, ValidationError
from singletable.expressions import (
    Path,
    Placeholders,
    condition_paths,
    parse_condition,
    parse_key_condition,
    parse_projection,
    parse_update,
    update_paths,
)
from singletable.operations import KeysAndAttributes, Put, PutItem, Query, Scan, WriteRequest
from singletable.server.guard.permissions import ItemRequest, RequiredPermission
from singletable.server.guard.policy import PARTITION_KEYS
from singletable.values import (
    AttributeValue,
    InvalidNumber,
    Item,
    canonical_number,
    check_value,
    decode_binary,
)

# Returns the partition key attributes of a table, or of one of its indexes; None if it does not
# exist.
PartitionKeyLookup: TypeAlias = Callable[[str, str | None], tuple[str, ...] | None]

# Fields with attribute names: the keys of a mapping, or the elements of a list.
_ATTRIBUTE_FIELDS = (
    "item",
    "key",
    "exclusive_start_key",
    "expected",
    "attribute_updates",
    "key_conditions",
    "query_filter",
    "scan_filter",
    "attributes_to_get",
)


class RequestConditionValues:
    """Returns the values of condition keys for one required permission, computed on demand."""

    def __init__(
        self,
        permission: RequiredPermission,
        context: Mapping[str, str],
        partition_key: PartitionKeyLookup,
    ) -> None:
        self._permission = permission
        self._context = context
        self._partition_key = partition_key
        self._attributes: tuple[str, ...] | None = None

    def __call__(self, key: str) -> Sequence[str]:
        """Return the values of a condition key; empty if the request lacks it."""
        permission = self._permission
        match key:
            case "dynamodb:Attributes":
                return self._attribute_names()
            case "dynamodb:EnclosingOperation":
                value = permission.enclosing_operation
            case "dynamodb:ReturnConsumedCapacity":
                value = permission.return_consumed_capacity
            case "dynamodb:ReturnValues":
                value = permission.return_values
            case "dynamodb:Select":
                value = permission.select
            case _ if key in PARTITION_KEYS:
                return self._partition_values(PARTITION_KEYS[key])
            case _:
                value = self._context.get(key)
        return () if value is None else (value,)

    def _attribute_names(self) -> tuple[str, ...]:
        if self._attributes is None:
            request = self._permission.request
            self._attributes = () if request is None else attribute_names(request)
        return self._attributes

    def _partition_values(self, position: int) -> tuple[str, ...]:
        permission = self._permission
        request, table = permission.request, permission.keyed_table
        if request is None or table is None:
            return ()
        attributes = self._partition_key(table, permission.index)
        if attributes is None:
            # Without the table, its keys cannot be checked. Reject the request as DynamoDB would a
            # little later, so that a table created in between is not written unchecked.
            if permission.index is not None:
                raise ValidationError(
                    f"The table does not have the specified index: {permission.index}"
                )
            raise ResourceNotFound("Requested resource not found")
        if position >= len(attributes):
            return ()
        return partition_values(request, attributes[position])


def attribute_names(request: ItemRequest) -> tuple[str, ...]:
    """Return the distinct attributes that a request names; raise on an invalid expression."""
    if isinstance(request, tuple):
        names = [name for item in _written_items(request) for name in item or ()]
    else:
        names = list(_named_attributes(request))
    return tuple(dict.fromkeys(names))


def _named_attributes(request: ItemRequest) -> Iterator[str]:
    for key in getattr(request, "keys", None) or ():
        yield from key
    for field in _ATTRIBUTE_FIELDS:
        yield from getattr(request, field, None) or ()
    yield from (str(path[0]) for path in _expression_paths(request))


def _expression_paths(request: ItemRequest) -> Iterator[Path]:
    """Yield the paths in the request's expressions, in the order in which DynamoDB parses them."""
    placeholders = _placeholders(request)
    text: str | None
    if (text := getattr(request, "key_condition_expression", None)) is not None:
        yield from ((clause.attribute,) for clause in parse_key_condition(text, placeholders))
    if (text := getattr(request, "filter_expression", None)) is not None:
        yield from condition_paths(parse_condition(text, placeholders, "FilterExpression"))
    if (text := getattr(request, "update_expression", None)) is not None:
        yield from update_paths(parse_update(text, placeholders))
    if (text := getattr(request, "condition_expression", None)) is not None:
        yield from condition_paths(parse_condition(text, placeholders))
    if (text := getattr(request, "projection_expression", None)) is not None:
        yield from parse_projection(text, placeholders)


def _placeholders(request: ItemRequest) -> Placeholders:
    """Return the names and values of a request; raise OperationError for an invalid value.

    The driver has not validated the request yet, and the parser compares values with each other.
    """
    names: dict[str, str] | None = getattr(request, "expression_attribute_names", None)
    values: dict[str, AttributeValue] | None = getattr(request, "expression_attribute_values", None)
    checked = {alias: check_value(value)[0] for alias, value in (values or {}).items()}
    return Placeholders(names, checked)


def partition_values(request: ItemRequest, attribute: str) -> tuple[str, ...]:
    """Return the distinct values of the attribute as text; none for a scan, which reads all."""
    values = [text for value in _values(request, attribute) for text in _canonical_texts(value)]
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
            yield from _item_values(_written_items(request), attribute)
        case _:
            yield from _item_values((request.key,), attribute)


def _item_values(items: Iterable[Item] | None, attribute: str) -> Iterator[AttributeValue]:
    for item in items or ():
        if item and attribute in item:
            yield item[attribute]


def _written_items(writes: Iterable[WriteRequest]) -> Iterator[Item]:
    for write in writes:
        if write.put_request is not None:
            yield write.put_request.item
        if write.delete_request is not None:
            yield write.delete_request.key


def _query_values(query: Query, attribute: str) -> Iterator[AttributeValue]:
    """Yield the values compared with the attribute; the driver rejects all but equality."""
    if query.key_condition_expression is not None:
        placeholders = _placeholders(query)
        for clause in parse_key_condition(query.key_condition_expression, placeholders):
            if clause.attribute == attribute:
                yield from clause.values
    condition = (query.key_conditions or {}).get(attribute)
    if condition is not None:
        yield from condition.attribute_value_list or ()


def _canonical_texts(value: AttributeValue) -> Iterator[str]:
    """Yield the value as text, the same for every spelling of a number or of bytes."""
    for kind, content in value.items():
        text = str(content)
        try:
            if kind == "N":
                text = canonical_number(text)
            elif kind == "B":
                text = b64encode(decode_binary(text)).decode()
        except (InvalidNumber, OperationError):
            pass  # not a valid key: the driver rejects it
        yield text
