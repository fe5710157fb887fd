"""The same writes leave the same stream records in our engine and in DynamoDB Local."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import get_args

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.engine import Engine
from dynamodb_engine.errors import TransactionCanceled, ValidationError
from dynamodb_engine.operations import Driver
from dynamodb_engine.values import AttributeValue, Item
from tests.conformance.requests import number, text
from tests.conformance.streams import make_streamed, records_of
from tests.conformance.table_requests import sorted_table
from tests.differential.local_peer import local as local

pytestmark = pytest.mark.rest
SEVEN: AttributeValue = {"L": [{"N": "7"}]}


def writes(table: str, random: Random) -> Iterator[ops.Operation[object]]:
    """Yield random writes of a few items; some of them change nothing, or fail."""
    for _ in range(60):
        key: Item = {"pk": text(random.choice("abc")), "sk": text(random.choice("xy"))}
        value = number(random.choice(["1", "2", "300", "-4"]))
        match random.randrange(5):
            case 0:
                yield ops.PutItem(table, key | {"n": value, "l": SEVEN})
            case 1:
                yield ops.DeleteItem(table, key)
            case 2:
                request = ops.WriteRequest(ops.PutRequest(key | {"n": value}))
                yield ops.BatchWriteItem({table: [request]})
            case 3:
                yield ops.UpdateItem(
                    table,
                    key,
                    update_expression=random.choice(["SET n = :v", "ADD n :v", "REMOVE n, l"]),
                    expression_attribute_values={":v": value},
                )
            case _:
                put = ops.Put(
                    table,
                    key | {"t": value},
                    condition_expression="attribute_not_exists(t) OR t < :v",
                    expression_attribute_values={":v": value},
                )
                yield ops.TransactWriteItems([ops.TransactWriteItem(put=put)])


def streamed(driver: Driver, view: ops.StreamViewType, seed: int) -> dict[str, list[object]]:
    """Return what the records say, in order per item."""
    request = sorted_table(stream_specification=ops.StreamSpecification(True, view))
    arn = make_streamed(driver, request)
    for write in writes(request.table_name, Random(seed)):
        # Adding to what is not there, and conditions that fail.
        with suppress(ValidationError, TransactionCanceled):
            driver.execute(write)
    found: dict[str, list[object]] = {}
    for record in records_of(driver, arn):
        change = record.dynamodb
        found.setdefault(str(sorted(change.keys.items())), []).append(
            (
                record.event_name,
                record.event_version,
                change.new_image,
                change.old_image,
                change.size_bytes,
                change.stream_view_type,
            )
        )
    return found


@pytest.mark.parametrize("view", get_args(ops.StreamViewType))
@pytest.mark.parametrize("seed", range(3))
def test_records_are_the_same(local: Driver, view: ops.StreamViewType, seed: int) -> None:
    with Engine.in_memory() as engine:
        ours = streamed(engine, view, seed)
    assert ours == streamed(local, view, seed)
    assert sum(map(len, ours.values())) > 20
