"""Which strings are numbers, how they are stored, and the errors for those that are not."""

from __future__ import annotations

import pytest

from dynamodb_engine.operations import (
    BatchGetItem,
    DeleteItem,
    Driver,
    GetItem,
    KeysAndAttributes,
    Operation,
    PutItem,
    Query,
    UpdateItem,
)
from dynamodb_engine.values import Item
from tests.conformance.errors import ENVELOPE, failed_condition, validation_error
from tests.conformance.tables import ada, make_table, put, stored, unused_name
from tests.conformance.value_positions import KEY, POSITIONS, ValuePosition

NOT_NUMERIC = "The parameter cannot be converted to a numeric value"
OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
UNDERFLOW = (
    "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)
TOO_MANY_DIGITS = "Attempting to store more than 38 significant digits in a Number"
LARGEST = "9." + "9" * 37 + "E+125"

WRITTEN_AND_STORED = [
    ("+5", "5"),
    ("+1.5", "1.5"),
    ("+0", "0"),
    ("-0", "0"),
    ("+0.0", "0"),
    ("0e125", "0"),
    ("+1e2", "100"),
    ("1e+2", "100"),
    ("1E2", "100"),
    ("1.5E2", "150"),
    ("1.5E+3", "1500"),
    ("+.5", "0.5"),
    (".5", "0.5"),
    ("5.", "5"),
    ("1.", "1"),
    ("1.0", "1"),
    ("3.1400", "3.14"),
    ("1.e5", "100000"),
    ("00042", "42"),
    ("0042.1200", "42.12"),
    ("+1e-2", "0.01"),
    ("1.23E10", "12300000000"),
    ("1E125", "1" + "0" * 125),
    ("1e-130", "0." + "0" * 129 + "1"),
    ("1E-38", "0." + "0" * 37 + "1"),
    (LARGEST, "9" * 38 + "0" * 88),
    ("-" + LARGEST, "-" + "9" * 38 + "0" * 88),
    ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
]


# Each number has one canonical form, without exponent or superfluous zeros.
@pytest.mark.parametrize(("written", "kept"), WRITTEN_AND_STORED)
def test_numbers_are_stored_in_canonical_form(driver: Driver, written: str, kept: str) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, ada(n={"N": written}, many={"NS": [written]}))
    assert stored(driver, table, KEY) == ada(n={"N": kept}, many={"NS": [kept]})


# Otherwise one number could be the key of two items.
def test_numeric_key_matches_any_spelling(driver: Driver) -> None:
    table = make_table(driver, pk="S", sk="N")
    put(driver, table, ada(sk={"N": "+5"}))
    assert stored(driver, table, ada(sk={"N": "5"})) == ada(sk={"N": "5"})
    assert stored(driver, table, ada(sk={"N": "0.5e1"})) == ada(sk={"N": "5"})


NOT_NUMBERS = [
    *("abc", "", "+e2", "e2", "+1+2", "1+2", "+1.2.3", "1.2.3", "++5", "+-5", "-+5", "+", "-"),
    *("1e", "1e+", ".", "1.2e3.4", "0x5", "0x10", "NaN", "Infinity", "1_000", " 5", "5 ", "1 5"),
    "1e9223372036854775808",
]
OUT_OF_RANGE = [
    ("1e126", OVERFLOW),
    ("-1e126", OVERFLOW),
    ("1e2147483647", OVERFLOW),
    ("1e2147483648", OVERFLOW),
    ("1e99999999999", OVERFLOW),
    ("-1e99999999999", OVERFLOW),
    ("1e-131", UNDERFLOW),
    ("1e-2147483648", UNDERFLOW),
    ("1e-99999999999", UNDERFLOW),
    # Zero has no magnitude, but its written exponent must be in range all the same.
    ("0e126", OVERFLOW),
    ("0e-131", UNDERFLOW),
    ("1234567890123456789012345678901234567890", TOO_MANY_DIGITS),
    ("123456789012345678901234567890123456789", TOO_MANY_DIGITS),
]


@pytest.mark.parametrize(
    ("text", "message"),
    [*((text, f"{NOT_NUMERIC}: {text}") for text in NOT_NUMBERS), *OUT_OF_RANGE],
)
def test_rejects_values_that_are_not_numbers(driver: Driver, text: str, message: str) -> None:
    table = make_table(driver, pk="S")
    assert validation_error(driver, PutItem(table, ada(n={"N": text}))) == ENVELOPE + message
    assert (
        validation_error(driver, PutItem(table, ada(n={"NS": ["1", text]}))) == ENVELOPE + message
    )
    assert stored(driver, table, KEY) is None


# Each string with the message of the newer and of the older validation.
BAD_NUMBERS = {
    "abc": (f"{NOT_NUMERIC}: abc", f"{NOT_NUMERIC}: abc"),
    # The newer validation quotes the empty string after the colon.
    "": (f"{NOT_NUMERIC}: ", NOT_NUMERIC),
    "1e126": (OVERFLOW, OVERFLOW),
    # The older validation negates the exponent in 32 bits, so its sign is wrong.
    "1e2147483647": (OVERFLOW, UNDERFLOW),
}


# The number is checked before the table, and so before it is compared with the key schema.
@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position.name)
def test_rejects_invalid_numbers_at_any_depth(driver: Driver, position: ValuePosition) -> None:
    table = make_table(driver, pk="S")
    messages = {text: position.message(*words) for text, words in BAD_NUMBERS.items()}
    for name in (table, unused_name()):
        found = {
            text: validation_error(driver, position.request(name, {"N": text})) for text in messages
        }
        assert found == messages
    assert stored(driver, table, KEY) is None


def test_rejects_invalid_numeric_keys(driver: Driver) -> None:
    table = make_table(driver, pk="N")
    huge: Item = {"pk": {"N": "1e99999999999"}}
    requests: list[tuple[Operation[object], str]] = [
        (GetItem(table, huge), ""),
        (UpdateItem(table, huge), ENVELOPE),
        (DeleteItem(table, huge), ENVELOPE),
        (BatchGetItem({table: KeysAndAttributes([huge])}), ""),
    ]
    for request, envelope in requests:
        assert validation_error(driver, request) == envelope + OVERFLOW


# All 38 digits are kept, unlike in binary floating point.
def test_numbers_compare_with_full_precision(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    item = ada(n={"NS": ["100000000000000001"]})
    put(driver, table, item)

    def if_equal(number: str) -> PutItem:
        return PutItem(
            table,
            item,
            condition_expression="n = :n",
            expression_attribute_values={":n": {"NS": [number]}},
        )

    driver.execute(if_equal("100000000000000001"))
    failed_condition(driver, if_equal("100000000000000002"))


def test_numbers_sort_by_value(driver: Driver) -> None:
    table = make_table(driver, pk="S", sk="N")
    ordered = ["-" + LARGEST, "-1.55", "-1.5", "-1E-130", "0", "1E-130", "1.5", "2", "10", "9" * 38]
    put(driver, table, *(ada(sk={"N": number}) for number in reversed(ordered)))
    page = driver.execute(
        Query(
            table,
            key_condition_expression="pk = :pk",
            expression_attribute_values={":pk": {"S": "ada"}},
        )
    )
    assert [float(item["sk"]["N"]) for item in page.items or []] == [float(n) for n in ordered]


def test_number_set_accepts_any_magnitude(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, ada(n={"NS": [LARGEST, "0", "1E-130", "-" + LARGEST]}))
    kept = stored(driver, table, KEY)
    assert kept is not None
    assert kept["n"]["NS"] == [
        "-" + "9" * 38 + "0" * 88,
        "0",
        "0." + "0" * 129 + "1",
        "9" * 38 + "0" * 88,
    ]


# A sum must be in the same range as a number that is sent; nothing overflows.
def test_rejects_sums_out_of_range(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    sums = UpdateItem(
        table,
        KEY,
        update_expression="SET n = :a + :b",
        expression_attribute_values={":a": {"N": LARGEST}, ":b": {"N": LARGEST}},
    )
    assert validation_error(driver, sums) == OVERFLOW
    assert stored(driver, table, KEY) is None
