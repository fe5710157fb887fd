"""The values of IAM's condition keys in a request: its attributes, partition keys and options.

`dynamodb:Attributes` has the attributes that a request names: those it reads, writes, tests, or is
keyed by. As in AWS, attributes that a response returns without being named are not included, so a
policy about attributes must limit `dynamodb:Select` and `dynamodb:ReturnValues` too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from dynamodb_engine.errors import ResourceNotFound, ValidationError
from dynamodb_engine.expressions import (
    Path,
    condition_paths,
    parse_condition,
    parse_key_condition,
    parse_projection,
    parse_update,
    update_paths,
)
from dynamodb_engine.operations.partition_keys import partition_values, request_placeholders
from dynamodb_engine.operations.touches import ItemRequest, StatementRequest, written_items
from dynamodb_engine.partiql import Delete, Exists, Insert, Select, Statement, Update
from dynamodb_engine.server.guard.permissions import RequiredPermission
from dynamodb_engine.server.guard.policy import PARTITION_KEYS

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
            case "dynamodb:FullTableScan":
                value = self._is_full_scan()
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

    def _is_full_scan(self) -> str | None:
        """Return whether a SELECT of PartiQL does not name partition keys, as text."""
        request = self._permission.request
        if not isinstance(request, StatementRequest):
            return None
        return "false" if self._partition_values(0) else "true"

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
        names = [name for item in written_items(request) for name in item or ()]
    elif isinstance(request, StatementRequest):
        statement = request.bind()
        names = [] if statement is None else _statement_attributes(statement)
    else:
        names = list(_named_attributes(request))
    return tuple(dict.fromkeys(names))


def _statement_attributes(statement: Statement) -> list[str]:
    """Return the top-level attributes that a statement names, in order; some more than once."""
    named: tuple[Path, ...] = ()
    match statement:
        case Insert():
            return list(statement.item)
        case Exists(select):
            return _statement_attributes(select)
        case Select():
            named = statement.projection or ()
        case Update():
            named = update_paths(statement.actions)
        case Delete():
            pass
    return [str(path[0]) for path in (*named, *condition_paths(statement.where))]


def _named_attributes(request: ItemRequest) -> Iterator[str]:
    for key in getattr(request, "keys", None) or ():
        yield from key
    for field in _ATTRIBUTE_FIELDS:
        yield from getattr(request, field, None) or ()
    yield from (str(path[0]) for path in _expression_paths(request))


def _expression_paths(request: ItemRequest) -> Iterator[Path]:
    """Yield the paths in the request's expressions, in the order in which DynamoDB parses them."""
    placeholders = request_placeholders(request)
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
