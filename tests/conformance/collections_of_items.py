"""Item collections to read: values in one word, queries in one line, pages walked to the end."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence

import pytest
from msgspec.structs import replace

from singletable.operations import (
    BatchWriteItem,
    Driver,
    PageOutput,
    PutRequest,
    Query,
    Scan,
    WriteRequest,
)
from singletable.values import AttributeValue, Item

# For tests that make up examples by the dozen: over the wire these say no more, and take long.
near_drivers = pytest.mark.parametrize("driver", ["memory", "file"], indirect=True)


def text(value: str) -> AttributeValue:
    """A string."""
    return {"S": value}


def number(value: object) -> AttributeValue:
    """A number."""
    return {"N": str(value)}


def binary(value: bytes) -> AttributeValue:
    """Bytes."""
    return {"B": base64.b64encode(value).decode()}


def query(table: str, condition: str, **values: AttributeValue) -> Query:
    """A query by a key condition, in which `:p` stands for the argument `p`."""
    return Query(
        table,
        key_condition_expression=condition,
        expression_attribute_values=mentioned(condition, values),
    )


def scan(table: str, condition: str, **values: AttributeValue) -> Scan:
    """A scan by a filter, in which `:p` stands for the argument `p`."""
    return Scan(
        table,
        filter_expression=condition,
        expression_attribute_values=mentioned(condition, values),
    )


def mentioned(
    expression: str, values: dict[str, AttributeValue]
) -> dict[str, AttributeValue] | None:
    """The values that the expression mentions, by their aliases: AWS refuses others beside them."""
    aliases = set(re.findall(r":(\w+)", expression))
    return {f":{name}": value for name, value in values.items() if name in aliases} or None


def fill(driver: Driver, table: str, items: Sequence[Item]) -> None:
    """Store items that have different keys, with as few commits as can be."""
    for start in range(0, len(items), 25):
        writes = [WriteRequest(PutRequest(item)) for item in items[start : start + 25]]
        driver.execute(BatchWriteItem({table: writes}))


def pages(driver: Driver, request: Query | Scan) -> Iterator[PageOutput]:
    """The pages from the request's start to the end."""
    while True:
        page = driver.execute(request)
        yield page
        if page.last_evaluated_key is None:
            return
        request = replace(request, exclusive_start_key=page.last_evaluated_key)


def walk(driver: Driver, request: Query | Scan) -> list[Item]:
    """The items of all pages."""
    return [item for page in pages(driver, request) for item in page.items]


def values_of(items: Sequence[Item], attribute: str) -> list[str]:
    """What the items hold in an attribute, without the types."""
    return [str(next(iter(item[attribute].values()))) for item in items]
