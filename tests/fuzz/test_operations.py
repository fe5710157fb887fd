"""Operations made in Python: whatever a field holds, it is answered or refused, and kept apart."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from singletable.errors import SingleTableError
from singletable.operations import (
    GetItem,
    Operation,
    Put,
    PutItem,
    Query,
    Scan,
    Tag,
    TransactWriteItem,
    TransactWriteItems,
)
from tests.fuzz.oddities import Attempt, attempts
from tests.fuzz.work import bounded
from tests.fuzz.world import World

MORE = settings(max_examples=8 * settings().max_examples)
# The largest odd things are about so many bytes.
SIZE = 50_000


def execute(world: World, operation: Any) -> None:
    try:
        with bounded(SIZE):
            world.engine.execute(operation)
    except SingleTableError:
        assert not world.is_changed(), "a refused operation changed something"
    if world.is_changed():
        world.renew()


@pytest.mark.parametrize("value", [None, 5, "PutItem", object(), PutItem, Tag("a", "b"), {}])
def test_what_is_no_operation_is_refused(world: World, value: Any) -> None:
    with pytest.raises(SingleTableError):
        world.engine.execute(value)


VALUE: Any = {"N": "1"}
KEY: Any = {"n": VALUE}
# What once broke something, as only Python can write it: field by field.
ONCE: list[tuple[Operation[Any], dict[str, Any]]] = [
    (GetItem("counts", KEY), {"key": {None: VALUE}}),
    (Scan("counts"), {"exclusive_start_key": {b"n": VALUE}}),
    (GetItem("counts", KEY), {"key": {"n": {"N": 10**5000}}}),
    (
        Query("counts", key_condition_expression="n = :n"),
        {"expression_attribute_values": {b":n": VALUE}},
    ),
    (GetItem("counts", KEY), {"expression_attribute_names": {10**5000: "n"}}),
    (
        TransactWriteItems([TransactWriteItem(put=Put("counts", KEY))]),
        {"client_request_token": "\ud800"},
    ),
]


@pytest.mark.parametrize(("operation", "odd"), ONCE, ids=lambda _: "")
def test_an_operation_that_once_broke_something_is_refused(
    world: World, operation: Operation[Any], odd: dict[str, Any]
) -> None:
    with pytest.raises(SingleTableError):
        world.engine.execute(replace(operation, **odd))
    assert not world.is_changed()


@MORE
@given(attempt=attempts())
def test_an_operation_with_odd_things_in_it_is_answered(world: World, attempt: Attempt) -> None:
    execute(world, attempt.operation)
