"""Sets: no duplicates, never empty, returned in a fixed order."""

from __future__ import annotations

import pytest

from dynamodb_engine.operations import Driver, PutItem
from dynamodb_engine.values import AttributeValue
from tests.conformance.errors import ENVELOPE, INVALID, validation_error
from tests.conformance.tables import ada, make_table, put, stored, unused_name
from tests.conformance.value_positions import KEY, POSITIONS, ValuePosition


# Compare what you read with what you wrote as sets.
@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ({"SS": ["b", "ä", "a", ""]}, {"SS": ["", "a", "b", "ä"]}),
        ({"SS": ["\U0001f3b2", "\uffee"]}, {"SS": ["\uffee", "\U0001f3b2"]}),
        ({"NS": ["10", "-3", "2", "2.50"]}, {"NS": ["-3", "2", "2.5", "10"]}),
        ({"BS": ["/w==", "AQ==", ""]}, {"BS": ["", "AQ==", "/w=="]}),
    ],
)
def test_set_members_are_returned_in_order(
    driver: Driver, written: AttributeValue, kept: AttributeValue
) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, ada(set=written, within={"L": [written]}))
    assert stored(driver, table, KEY) == ada(set=kept, within={"L": [kept]})


DUPLICATES: list[tuple[AttributeValue, str, str]] = [
    (
        {"SS": ["b", "a", "b"]},
        INVALID + 'Input collection ["a", "b", "b"] contains duplicates.',
        INVALID + "Input collection [b, a, b] contains duplicates.",
    ),
    (
        {"BS": ["/w==", "AA==", "AA=="]},
        INVALID + 'Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.',
        INVALID + "Input collection [/w==, AA==, AA==]of type BS contains duplicates.",
    ),
    (
        {"NS": ["2", "1", "2"]},
        INVALID + "Input collection contains duplicates.",
        "Input collection contains duplicates",
    ),
]


# The newer validation quotes the sorted members up to the duplicate; the older quotes them as sent.
@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position.name)
def test_rejects_duplicates_at_any_depth(driver: Driver, position: ValuePosition) -> None:
    table = make_table(driver, pk="S")
    messages = [position.message(newer, older) for _, newer, older in DUPLICATES]
    for name in (table, unused_name()):
        requests = [position.request(name, value) for value, _, _ in DUPLICATES]
        assert [validation_error(driver, request) for request in requests] == messages
    assert stored(driver, table, KEY) is None


MORE_DUPLICATES: list[tuple[AttributeValue, str]] = [
    ({"SS": ["a", "a"]}, 'Input collection ["a", "a"] contains duplicates.'),
    ({"SS": ["", ""]}, 'Input collection ["", ""] contains duplicates.'),
    (
        {"SS": ["d", "c", "c", "a", "b"]},
        'Input collection ["c", "d", "c", "a", "b"] contains duplicates.',
    ),
    ({"BS": ["", ""]}, 'Input collection ["",""]of type BS contains duplicates.'),
    ({"BS": ["AQ==", "AQ=="]}, 'Input collection ["AQ==","AQ=="]of type BS contains duplicates.'),
    # Numbers are duplicates if their values are equal.
    ({"NS": ["1", "1.0"]}, "Input collection contains duplicates."),
    ({"NS": ["1", "1", "2"]}, "Input collection contains duplicates."),
]


@pytest.mark.parametrize(
    ("value", "message"), MORE_DUPLICATES, ids=[str(value) for value, _ in MORE_DUPLICATES]
)
def test_rejects_duplicate_set_members(driver: Driver, value: AttributeValue, message: str) -> None:
    table = make_table(driver, pk="S")
    refused = validation_error(driver, PutItem(table, ada(set=value)))
    assert refused == ENVELOPE + INVALID + message
