"""Short builders for items, queries and scans, and helpers that read all pages."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence

import pytest
from msgspec.structs import replace

from dynamodb_engine.operations import (
    BatchWriteItem,
    Driver,
    PageOutput,
    PutRequest,
    Query,
    Scan,
    WriteRequest,
)
from dynamodb_engine.values import AttributeValue, Item

# For property tests: running their many examples over HTTP would be slow and prove nothing more.
near_drivers = pytest.mark.parametrize("driver", ["memory", "file"], indirect=True)


def text(value: str) -> AttributeValue:
    """Return a string value."""
    return {"S": value}


def number(value: object) -> AttributeValue:
    """Return a number value."""
    return {"N": str(value)}


def binary(value: bytes) -> AttributeValue:
    """Return a binary value."""
    return {"B": base64.b64encode(value).decode()}


def query(table: str, condition: str, **values: AttributeValue) -> Query:
    """Return a query with this key condition; `:p` stands for the argument `p`."""
    return Query(
        table,
        key_condition_expression=condition,
        expression_attribute_values=mentioned(condition, values),
    )


def scan(table: str, condition: str, **values: AttributeValue) -> Scan:
    """Return a scan with this filter; `:p` stands for the argument `p`."""
    return Scan(
        table,
        filter_expression=condition,
        expression_attribute_values=mentioned(condition, values),
    )


def mentioned(
    expression: str, values: dict[str, AttributeValue]
) -> dict[str, AttributeValue] | None:
    """Return the values that the expression uses; AWS rejects unused ones."""
    aliases = set(re.findall(r":(\w+)", expression))
    return {f":{name}": value for name, value in values.items() if name in aliases} or None


def fill(driver: Driver, table: str, items: Sequence[Item]) -> None:
    """Store items with distinct keys in as few commits as possible."""
    for start in range(0, len(items), 25):
        writes = [WriteRequest(PutRequest(item)) for item in items[start : start + 25]]
        driver.execute(BatchWriteItem({table: writes}))


def pages(driver: Driver, request: Query | Scan) -> Iterator[PageOutput]:
    """Return every page, from the request's start to the end."""
    while True:
        page = driver.execute(request)
        yield page
        if page.last_evaluated_key is None:
            return
        request = replace(request, exclusive_start_key=page.last_evaluated_key)


def walk(driver: Driver, request: Query | Scan) -> list[Item]:
    """Return the items of all pages."""
    return [item for page in pages(driver, request) for item in page.items]


def values_of(items: Sequence[Item], attribute: str) -> list[str]:
    """Return one attribute of every item, without its type."""
    return [str(next(iter(item[attribute].values()))) for item in items]
