"""What BatchGetItem returns and rejects."""

from __future__ import annotations

import pytest

from singletable.operations import BatchGetItem, Driver, KeysAndAttributes
from singletable.values import Item
from tests.conformance.errors import (
    BAD_CAPACITY,
    BOGUS,
    ENVELOPE,
    NOT_VALID,
    WRONG_KEY,
    check_not_found,
    validation_error,
)
from tests.conformance.tables import ada, make_table, put, unused_name
from tests.conformance.value_positions import KEY

OVERLAP = (
    "Invalid ProjectionExpression: Two document paths overlap with each other; "
    "must remove or rewrite one of these paths; path one: {}, path two: {}"
)
BAD_NAME = (
    'Value \'{"bad!name":{"Keys":[{"pk":{"S":"ada"}}]}}\' at \'requestItems\' failed to satisfy '
    "constraint: Map keys must satisfy constraint: "
    "[Member must have length less than or equal to 255, "
    "Member must have length greater than or equal to 3, "
    "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]"
)


def _keys(*names: str) -> list[Item]:
    return [{"pk": {"S": name}} for name in names]


# The order is undefined.
def _names(items: list[Item]) -> set[str]:
    return {item["pk"]["S"] for item in items}


def test_batch_get_reads_several_tables(driver: Driver) -> None:
    one, other = make_table(driver, pk="S"), make_table(driver, pk="S")
    put(driver, one, *_keys("ada", "bob"))
    put(driver, other, *_keys("eve"))
    got = driver.execute(
        BatchGetItem(
            {
                one: KeysAndAttributes(_keys("ada", "bob")),
                other: KeysAndAttributes(_keys("eve"), consistent_read=True),
            }
        )
    )
    assert _names(got.responses[one]) == {"ada", "bob"}
    assert got.responses[other] == _keys("eve")
    assert got.unprocessed_keys == {}
    assert got.consumed_capacity is None


# Missing items are omitted; a table without results still has its empty list.
def test_missing_items_are_omitted(driver: Driver) -> None:
    one, other = make_table(driver, pk="S"), make_table(driver, pk="S")
    put(driver, one, *_keys("ada"))
    got = driver.execute(
        BatchGetItem(
            {
                one: KeysAndAttributes(_keys("nobody", "ada")),
                other: KeysAndAttributes(_keys("nobody")),
            }
        )
    )
    assert got.responses == {one: _keys("ada"), other: []}
    assert got.unprocessed_keys == {}


PROJECTED: list[tuple[str, Item]] = [
    ("a, c", {"a": {"N": "1"}, "c": {"N": "3"}}),
    ("none_such", {}),
    ("m.x, m.y", {"m": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}}),
    ("l[0].x, l[0].y", {"l": {"L": [{"M": {"x": {"N": "1"}, "y": {"N": "2"}}}]}}),
    ("few[0], few[1]", {"few": {"L": [{"S": "zero"}, {"S": "one"}]}}),
]


@pytest.mark.parametrize(("projection", "item"), PROJECTED, ids=[text for text, _ in PROJECTED])
def test_projection_returns_only_requested_attributes(
    driver: Driver, projection: str, item: Item
) -> None:
    table = make_table(driver, pk="S")
    put(
        driver,
        table,
        ada(
            a={"N": "1"},
            b={"N": "2"},
            c={"N": "3"},
            m={"M": {"x": {"N": "1"}, "y": {"N": "2"}, "z": {"N": "3"}}},
            l={"L": [{"M": {"x": {"N": "1"}, "y": {"N": "2"}, "z": {"N": "3"}}}]},
            few={"L": [{"S": "zero"}, {"S": "one"}, {"S": "two"}]},
        ),
    )
    wanted = KeysAndAttributes([KEY], projection_expression=projection)
    assert driver.execute(BatchGetItem({table: wanted})).responses == {table: [item]}


def test_rejects_more_than_100_keys(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    hundred = _keys(*map(str, range(100)))
    assert driver.execute(BatchGetItem({table: KeysAndAttributes(hundred)})).responses == {
        table: []
    }
    more = KeysAndAttributes([*hundred, KEY])
    assert validation_error(driver, BatchGetItem({table: more})) == (
        f"1 validation error detected: Value at 'RequestItems.{table}.member.Keys' failed to "
        "satisfy constraint: Member must have length less than or equal to 100"
    )


# The limit applies to the request as a whole, and to each table as well.
def test_rejects_more_than_100_keys_across_tables(driver: Driver) -> None:
    tables = [make_table(driver, pk="S"), make_table(driver, pk="S")]
    keys = KeysAndAttributes(_keys(*map(str, range(51))))
    assert validation_error(driver, BatchGetItem(dict.fromkeys(tables, keys))) == (
        "Too many items requested for the BatchGetItem call"
    )


# A response holds 16 MB; the rest comes back unprocessed, as it was requested.
def test_keys_beyond_16_megabytes_come_back_unprocessed(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    keys = _keys(*map(str, range(50)))
    put(driver, table, *(ada(text={"S": "x" * 390_000}) | key for key in keys))
    wanted = KeysAndAttributes(keys, consistent_read=True, projection_expression="pk")
    got = driver.execute(BatchGetItem({table: wanted}))
    left = got.unprocessed_keys[table]
    assert 0 < len(left.keys) < 50
    assert (left.consistent_read, left.projection_expression) == (True, "pk")
    again = driver.execute(BatchGetItem(got.unprocessed_keys))
    assert again.unprocessed_keys == {}
    both = [*got.responses[table], *again.responses[table]]
    assert len(both) == 50
    assert _names(both) == _names(keys)


def test_rejects_empty_batch_get(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    assert validation_error(driver, BatchGetItem({})) == (
        "1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    )
    assert validation_error(driver, BatchGetItem({table: KeysAndAttributes([])})) == (
        f"1 validation error detected: Value at 'RequestItems.{table}.member.Keys' failed to "
        "satisfy constraint: Member must have length greater than or equal to 1"
    )


def test_missing_table_raises_resource_not_found(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    wanted = KeysAndAttributes([KEY])
    check_not_found(driver, BatchGetItem({table: wanted, unused_name(): wanted}))
    check_not_found(driver, BatchGetItem({unused_name(): KeysAndAttributes([{}])}))


# Numeric keys are compared by value, so one key can be written in two ways.
@pytest.mark.parametrize("again", ["1", "1.0"])
def test_rejects_duplicate_keys(driver: Driver, again: str) -> None:
    for table in (make_table(driver, pk="N"), unused_name()):
        wanted = KeysAndAttributes([{"pk": {"N": "1"}}, {"pk": {"N": again}}])
        assert validation_error(driver, BatchGetItem({table: wanted})) == (
            "Provided list of item keys contains duplicates"
        )


@pytest.mark.parametrize("key", [ada(sk={"N": "1"}), KEY, {}, ada(sk={"S": "1"}, extra={"S": "2"})])
def test_rejects_key_that_does_not_match_the_schema(driver: Driver, key: Item) -> None:
    table = make_table(driver, pk="S", sk="S")
    assert validation_error(driver, BatchGetItem({table: KeysAndAttributes([key])})) == WRONG_KEY


def test_rejects_empty_binary_key(driver: Driver) -> None:
    table = make_table(driver, pk="B")
    wanted = KeysAndAttributes([{"pk": {"B": ""}}])
    assert validation_error(driver, BatchGetItem({table: wanted})) == (
        NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty binary value. "
        "Key: pk"
    )


MIXTURE = (
    "Can not use both expression and non-expression parameters in the same request: "
    "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}"
)


def test_rejects_attributes_to_get_with_projection_expression(driver: Driver) -> None:
    both = KeysAndAttributes([KEY], attributes_to_get=["a"], projection_expression="a")
    assert validation_error(driver, BatchGetItem({unused_name(): both})) == MIXTURE


# Legacy parameters and expressions cannot be mixed anywhere in the request.
def test_rejects_mixing_legacy_and_expressions_across_tables(driver: Driver) -> None:
    one, other = make_table(driver, pk="S"), make_table(driver, pk="S")
    legacy = KeysAndAttributes([KEY], attributes_to_get=["a"])
    expression = KeysAndAttributes([KEY], projection_expression="a")
    assert validation_error(driver, BatchGetItem({one: expression, other: legacy})) == MIXTURE
    assert validation_error(driver, BatchGetItem({one: legacy, other: expression})) == MIXTURE


# One invalid table rejects the request, even if no item would be found.
@pytest.mark.parametrize(
    ("projection", "names", "message"),
    [
        ("a, a", None, OVERLAP.format("[a]", "[a]")),
        ("#a, #b", {"#a": "a", "#b": "a"}, OVERLAP.format("[a]", "[a]")),
        ("a, a.b", None, OVERLAP.format("[a]", "[a, b]")),
        (
            "#a.#b, #x.#y",
            {"#a": "a", "#b": "b", "#x": "a", "#y": "b"},
            OVERLAP.format("[a, b]", "[a, b]"),
        ),
    ],
)
def test_projection_is_parsed_before_other_checks(
    driver: Driver, projection: str, names: dict[str, str] | None, message: str
) -> None:
    clean = KeysAndAttributes([KEY], projection_expression="a, b")
    bad = KeysAndAttributes(
        [KEY], projection_expression=projection, expression_attribute_names=names
    )
    table = make_table(driver, pk="S")
    assert validation_error(driver, BatchGetItem({table: bad})) == message
    assert validation_error(driver, BatchGetItem({table: clean, unused_name(): bad})) == message


def test_invalid_parameters_are_reported_first_and_together(driver: Driver) -> None:
    absent = BatchGetItem({unused_name(): KeysAndAttributes([KEY])}, BOGUS)
    assert validation_error(driver, absent) == ENVELOPE + BAD_CAPACITY
    bad_name = {"bad!name": KeysAndAttributes([KEY])}
    assert validation_error(driver, BatchGetItem(bad_name)) == ENVELOPE + BAD_NAME
    assert validation_error(driver, BatchGetItem(bad_name, BOGUS)) == (
        f"2 validation errors detected: {BAD_NAME}; {BAD_CAPACITY}"
    )
