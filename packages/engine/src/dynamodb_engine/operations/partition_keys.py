"""Find the partition keys that an operation names (IAM's leading keys).

The endpoint compares them with policies, a scoped store with its scope.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import cast

from dynamodb_engine import expressions as ex
from dynamodb_engine.errors import OperationError
from dynamodb_engine.operations.items import Query
from dynamodb_engine.operations.touches import ItemRequest, StatementRequest, accesses
from dynamodb_engine.partiql import Select
from dynamodb_engine.values import (
    AttributeValue,
    InvalidNumber,
    canonical_number,
    check_value,
    decode_binary,
)


def partition_values(request: ItemRequest, attribute: str) -> tuple[str, ...]:
    """Return the distinct values of the attribute as text; none for a scan, which reads all."""
    values = [text for value in _values(request, attribute) for text in canonical_key_texts(value)]
    return tuple(dict.fromkeys(values))


def _values(request: ItemRequest, attribute: str) -> Iterator[AttributeValue]:
    if isinstance(request, Query):
        yield from _query_values(request, attribute)
    elif isinstance(request, StatementRequest) and isinstance(select := request.bind(), Select):
        yield from _pinned_values(select.where, attribute) or ()
    else:
        for _, item in accesses(request):
            if attribute in item:
                yield item[attribute]


def _pinned_values(condition: ex.Condition | None, attribute: str) -> list[AttributeValue] | None:
    """Return the values to which the condition limits the attribute, or None if it does not."""
    match condition:
        case ex.In(ex.At((name,)), options) if name == attribute:
            constants = [option.value for option in options if isinstance(option, ex.Constant)]
            return constants if len(constants) == len(options) else None
        case ex.And():
            found = (_pinned_values(part, attribute) for part in ex.conjuncts(condition))
            return next((values for values in found if values is not None), None)
        case ex.Or():
            pinned: list[AttributeValue] = []
            for part in ex.disjuncts(condition):
                if (values := _pinned_values(part, attribute)) is None:
                    return None
                pinned += values
            return pinned
        case None:
            return None
        case _:
            name, value = ex.equality(condition) or ("", {})
            return [value] if name == attribute else None


def _query_values(query: Query, attribute: str) -> Iterator[AttributeValue]:
    """Yield the values compared with the attribute; the driver rejects all but equality."""
    if query.key_condition_expression is not None:
        placeholders = request_placeholders(query)
        for clause in ex.parse_key_condition(query.key_condition_expression, placeholders):
            if clause.attribute == attribute:
                yield from clause.values
    condition = (query.key_conditions or {}).get(attribute)
    if condition is not None:
        yield from condition.attribute_value_list or ()


def request_placeholders(request: ItemRequest) -> ex.Placeholders:
    """Return the names and values of a request; raise OperationError for an invalid value.

    The driver has not validated the request yet, and the parser compares values with each other.
    """
    names: dict[str, str] | None = getattr(request, "expression_attribute_names", None)
    values: dict[str, AttributeValue] | None = getattr(request, "expression_attribute_values", None)
    checked = {alias: check_value(value)[0] for alias, value in (values or {}).items()}
    return ex.Placeholders(names, checked)


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
