"""The values of a partition key attribute that a request is about."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator

from singletable.errors import OperationError
from singletable.expressions import parse_key_condition
from singletable.operations import (
    KeysAndAttributes,
    Put,
    PutItem,
    Query,
    Scan,
    WriteRequest,
)
from singletable.server.guard.needs.need import Part
from singletable.server.guard.needs.placeholders import placeholders_of
from singletable.values import AttributeValue, InvalidNumber, Item, canonical_number, decode_binary


def partition_values(part: Part, attribute: str) -> tuple[str, ...]:
    """The values of the attribute, as text and each once; none for a scan, which is about all."""
    values = [text for value in _values(part, attribute) for text in _texts(value)]
    return tuple(dict.fromkeys(values))


def _values(part: Part, attribute: str) -> Iterator[AttributeValue]:
    match part:
        case Scan():
            return
        case Query():
            yield from _of_query(part, attribute)
        case KeysAndAttributes():
            yield from _of_items(part.keys, attribute)
        case PutItem() | Put():
            yield from _of_items((part.item,), attribute)
        case tuple():
            yield from _of_items(_written(part), attribute)
        case _:
            yield from _of_items((part.key,), attribute)


def _of_items(items: Iterable[Item] | None, attribute: str) -> Iterator[AttributeValue]:
    for item in items or ():
        if item and attribute in item:
            yield item[attribute]


def _written(writes: Iterable[WriteRequest]) -> Iterator[Item]:
    for write in writes:
        if write.put_request is not None:
            yield write.put_request.item
        if write.delete_request is not None:
            yield write.delete_request.key


def _of_query(query: Query, attribute: str) -> Iterator[AttributeValue]:
    """What the attribute is compared with; whatever is not an equality is refused later."""
    if query.key_condition_expression is not None:
        placeholders = placeholders_of(query)
        for clause in parse_key_condition(query.key_condition_expression, placeholders):
            if clause.attribute == attribute:
                yield from clause.values
    condition = (query.key_conditions or {}).get(attribute)
    if condition is not None:
        yield from condition.attribute_value_list or ()


def _texts(value: AttributeValue) -> Iterator[str]:
    """The value as text: one text for one key, however its number or its bytes were written."""
    for kind, content in value.items():
        text = str(content)
        try:
            if kind == "N":
                text = canonical_number(text)
            elif kind == "B":
                text = b64encode(decode_binary(text)).decode()
        except (InvalidNumber, OperationError):
            pass  # it is no key, and whoever executes the request says so
        yield text
