"""Where a value may be empty."""

from __future__ import annotations

import pytest

from dynamodb_engine.operations import Driver, PutItem
from dynamodb_engine.values import AttributeValue
from tests.conformance.errors import ENVELOPE, INVALID, validation_error
from tests.conformance.tables import ada, make_table, put, stored, unused_name
from tests.conformance.value_positions import KEY

KEPT: list[AttributeValue] = [
    {"S": ""},
    {"B": ""},
    {"L": []},
    {"M": {}},
    {"SS": [""]},
    {"SS": ["", "a"]},
    {"BS": [""]},
    {"BS": ["", "AQ=="]},
    {"M": {"tags": {"SS": [""]}}},
    {"L": [{"SS": [""]}]},
    {"L": [{"S": ""}]},
]


# Only key values must not be empty.
@pytest.mark.parametrize("value", KEPT, ids=str)
def test_empty_values_are_stored(driver: Driver, value: AttributeValue) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, ada(value=value))
    assert stored(driver, table, KEY) == ada(value=value)


# The two spaces are DynamoDB's.
EMPTY_SETS: list[tuple[AttributeValue, str]] = [
    ({"SS": []}, INVALID + "An string set  may not be empty"),
    ({"NS": []}, INVALID + "An number set  may not be empty"),
    ({"BS": []}, INVALID + "Binary sets should not be empty"),
    ({"M": {"tags": {"SS": []}}}, INVALID + "An string set  may not be empty"),
    ({"L": [{"SS": []}]}, INVALID + "An string set  may not be empty"),
    ({"NS": [""]}, "The parameter cannot be converted to a numeric value: "),
]


@pytest.mark.parametrize(
    ("value", "message"), EMPTY_SETS, ids=[str(value) for value, _ in EMPTY_SETS]
)
def test_rejects_empty_sets(driver: Driver, value: AttributeValue, message: str) -> None:
    for table in (make_table(driver, pk="S"), unused_name()):
        assert validation_error(driver, PutItem(table, ada(value=value))) == ENVELOPE + message
