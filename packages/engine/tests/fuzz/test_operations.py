"""Operations created in Python: whatever their fields contain, they succeed or are rejected."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from dynamodb_engine.errors import EngineError
from dynamodb_engine.operations import (
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
from tests.fuzz.odd_operations import OddOperation, odd_operations
from tools.testing.fuzz.call_budget import limit_calls
from tools.testing.fuzz.sandbox import Sandbox

MORE = settings(max_examples=8 * settings().max_examples)
# About the size in bytes of the largest odd values.
SIZE = 50_000


def execute(sandbox: Sandbox, operation: Any) -> None:
    try:
        with limit_calls(SIZE):
            sandbox.engine.execute(operation)
    except EngineError:
        assert not sandbox.is_changed(), "a rejected operation changed something"
    if sandbox.is_changed():
        sandbox.reset()


@pytest.mark.parametrize("value", [None, 5, "PutItem", object(), PutItem, Tag("a", "b"), {}])
def test_other_values_are_rejected(sandbox: Sandbox, value: Any) -> None:
    with pytest.raises(EngineError):
        sandbox.engine.execute(value)


VALUE: Any = {"N": "1"}
KEY: Any = {"n": VALUE}
# Operations that once broke something and that only Python code can create: by field.
REGRESSIONS: list[tuple[Operation[Any], dict[str, Any]]] = [
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


@pytest.mark.parametrize(("operation", "fields"), REGRESSIONS, ids=lambda _: "")
def test_recorded_operation_is_rejected(
    sandbox: Sandbox, operation: Operation[Any], fields: dict[str, Any]
) -> None:
    with pytest.raises(EngineError):
        sandbox.engine.execute(replace(operation, **fields))
    assert not sandbox.is_changed()


@MORE
@given(odd=odd_operations())
def test_odd_operation_is_answered(sandbox: Sandbox, odd: OddOperation) -> None:
    execute(sandbox, odd.operation)
