"""What PutItem stores and returns."""

from __future__ import annotations

import pytest

from dynamodb_engine.operations import Driver, PutItem, UpdateItem
from dynamodb_engine.values import AttributeValue, Item, KeyType
from tests.conformance.errors import INVALID, failed_condition, validation_error
from tests.conformance.tables import ada, global_index, local_index, make_table, put, stored

ADA: Item = {"pk": {"S": "ada"}, "status": {"S": "active"}, "count": {"N": "5"}}


# A put is not a merge: attributes that the new item lacks are gone.
def test_put_replaces_the_whole_item(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, ADA, {"pk": {"S": "ada"}, "age": {"N": "36"}})
    assert stored(driver, table, {"pk": {"S": "ada"}}) == {"pk": {"S": "ada"}, "age": {"N": "36"}}


VALUES: list[AttributeValue] = [
    {"S": "text"},
    {"S": ""},
    {"S": "grüße, 世界, 🎲"},
    {"S": "x" * 100_000},
    {"N": "123.456"},
    {"N": "12345678901234567890123456789012345678"},
    {"B": "AAF/gP7/"},
    {"BOOL": True},
    {"BOOL": False},
    {"NULL": True},
    {"SS": ["a", "b", "c"]},
    {"NS": ["-1", "0", "2.5"]},
    {"BS": ["AA==", "AQI=", "/w=="]},
    {"L": []},
    {"M": {}},
    {"L": [{"S": "a"}, {"N": "1"}, {"BOOL": True}, {"NULL": True}, {"M": {"b": {"S": "c"}}}]},
    {"M": {"a": {"M": {"b": {"M": {"c": {"S": "deep"}}}}}}},
    {"M": {"a": {"L": [{"M": {"b": {"N": "1"}}}, {"M": {"b": {"N": "2"}}}]}}},
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: str(value)[:40])
def test_get_returns_the_item_that_was_put(driver: Driver, value: AttributeValue) -> None:
    table = make_table(driver, pk="S")
    item: Item = {"pk": {"S": "ada"}, "value": value}
    put(driver, table, item)
    assert stored(driver, table, {"pk": {"S": "ada"}}) == item


# Keys with different bytes are different items, whatever their type.
@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("B", {"B": "AQID"}, {"B": "AQIE"}),
        ("B", {"B": "AA=="}, {"B": "AAA="}),
        ("N", {"N": "42"}, {"N": "-100"}),
        ("N", {"N": "3.14"}, {"N": "3.15"}),
        ("S", {"S": "a"}, {"S": "A"}),
    ],
)
def test_keys_may_be_string_number_or_binary(
    driver: Driver, kind: KeyType, one: AttributeValue, other: AttributeValue
) -> None:
    partitioned = make_table(driver, sk=kind)
    sorted_ = make_table(driver, pk="S", sk=kind)
    put(driver, partitioned, {"sk": one, "n": {"N": "1"}}, {"sk": other, "n": {"N": "2"}})
    put(driver, sorted_, ada(sk=one, n={"N": "1"}), ada(sk=other, n={"N": "2"}))
    assert stored(driver, partitioned, {"sk": one}) == {"sk": one, "n": {"N": "1"}}
    assert stored(driver, partitioned, {"sk": other}) == {"sk": other, "n": {"N": "2"}}
    assert stored(driver, sorted_, ada(sk=one)) == ada(sk=one, n={"N": "1"})
    assert stored(driver, sorted_, ada(sk=other)) == ada(sk=other, n={"N": "2"})


def test_return_values_all_old_returns_the_old_item(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, ADA)
    new: Item = {"pk": {"S": "ada"}, "age": {"N": "36"}}
    assert driver.execute(PutItem(table, new, return_values="ALL_OLD")).attributes == ADA
    assert driver.execute(PutItem(table, new, return_values="NONE")).attributes is None
    assert driver.execute(PutItem(table, new)).attributes is None


# There was no old item, so none is returned, not even an empty one.
def test_put_of_new_item_returns_no_old_item(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    assert driver.execute(PutItem(table, ADA, return_values="ALL_OLD")).raw_attributes is None


CONDITIONS = [
    ("attribute_exists(#status)", True),
    ("attribute_not_exists(pk)", False),
    ("NOT attribute_exists(pk)", False),
    ("#count > :three", True),
    ("#count > :hundred", False),
    ("size(#status) < :hundred", True),
    ("contains(#status, :part)", True),
    ("attribute_type(#status, :string)", True),
    ("#status = :active AND #count = :five", True),
    ("#status = :other OR #count = :five", True),
    ("address.city = :london", True),
    ("attribute_exists(address.city)", True),
    ("attribute_not_exists(address.#missing)", True),
    # A missing attribute is unequal to everything and equal to nothing.
    ("#missing <> :active", True),
    ("#missing <> :active OR #count < :three", True),
    ("#missing = :active", False),
    # Single parentheses are allowed anywhere.
    ("(attribute_exists(pk)) AND (attribute_not_exists(#missing))", True),
    ("(attribute_exists(pk) AND attribute_not_exists(#missing))", True),
    ("(attribute_exists(pk) AND (attribute_not_exists(#missing)))", True),
    ("(attribute_exists(pk)) AND (#status = :other)", False),
]
CONDITION_NAMES = {"#status": "status", "#count": "count", "#missing": "missing"}
CONDITION_VALUES: Item = {
    ":three": {"N": "3"},
    ":five": {"N": "5"},
    ":hundred": {"N": "100"},
    ":active": {"S": "active"},
    ":other": {"S": "other"},
    ":part": {"S": "ctiv"},
    ":string": {"S": "S"},
    ":london": {"S": "London"},
}


def _used_in(text: str, aliases: list[str]) -> list[str]:
    return [alias for alias in aliases if alias in text]


def _conditional(table: str, item: Item, condition: str) -> PutItem:
    names = _used_in(condition, list(CONDITION_NAMES))
    values = _used_in(condition, list(CONDITION_VALUES))
    return PutItem(
        table,
        item,
        condition_expression=condition,
        expression_attribute_names={name: CONDITION_NAMES[name] for name in names} or None,
        expression_attribute_values={name: CONDITION_VALUES[name] for name in values} or None,
    )


@pytest.mark.parametrize(("condition", "holds"), CONDITIONS)
def test_condition_sees_the_item_to_be_replaced(
    driver: Driver, condition: str, holds: bool
) -> None:
    table = make_table(driver, pk="S")
    old: Item = {**ADA, "address": {"M": {"city": {"S": "London"}}}}
    put(driver, table, old)
    new: Item = {"pk": {"S": "ada"}, "new": {"BOOL": True}}
    if holds:
        driver.execute(_conditional(table, new, condition))
        assert stored(driver, table, {"pk": {"S": "ada"}}) == new
    else:
        failed_condition(driver, _conditional(table, new, condition))
        assert stored(driver, table, {"pk": {"S": "ada"}}) == old


# A missing item is treated as empty, which is how conditional creates avoid overwriting.
@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("attribute_not_exists(pk)", True),
        ("NOT attribute_exists(pk)", True),
        ("attribute_exists(pk)", False),
        ("#status <> :active", True),
        ("#status <> :active OR #count < :three", True),
        ("#status = :active", False),
        ("(attribute_not_exists(pk)) AND (attribute_not_exists(#status))", True),
    ],
)
def test_condition_sees_an_empty_item_if_none_exists(
    driver: Driver, condition: str, holds: bool
) -> None:
    table = make_table(driver, pk="S")
    if holds:
        driver.execute(_conditional(table, ADA, condition))
        assert stored(driver, table, {"pk": {"S": "ada"}}) == ADA
    else:
        failed_condition(driver, _conditional(table, ADA, condition))
        assert stored(driver, table, {"pk": {"S": "ada"}}) is None


def test_failed_condition_returns_the_item_on_request(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, ADA)
    create = PutItem(table, ADA, condition_expression="attribute_not_exists(pk)")
    assert failed_condition(driver, create).item is None
    asking = PutItem(
        table,
        ADA,
        condition_expression="attribute_not_exists(pk)",
        return_values_on_condition_check_failure="ALL_OLD",
    )
    assert failed_condition(driver, asking).item == ADA


def test_key_may_have_its_maximum_length(driver: Driver) -> None:
    table = make_table(driver, pk="S", sk="S")
    key: Item = {"pk": {"S": "ä" * 1024}, "sk": {"S": "ä" * 512}}
    put(driver, table, key)
    assert stored(driver, table, key) == key


# An index key has the same maximum length as a table key of its kind, for puts and updates.
@pytest.mark.parametrize(
    ("name", "longest", "message"),
    [
        (
            "by_code",
            2048,
            INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes",
        ),
        (
            "by_place",
            1024,
            INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
        ),
    ],
)
def test_rejects_index_key_that_is_too_long(
    driver: Driver, name: str, longest: int, message: str
) -> None:
    index = (
        global_index(name, code="S") if name == "by_code" else local_index(name, pk="S", code="S")
    )
    table = make_table(driver, index, pk="S", sk="S")
    key = ada(sk={"S": "1"})

    def update(length: int) -> UpdateItem:
        values: Item = {":v": {"S": "x" * length}}
        return UpdateItem(
            table, key, update_expression="SET code = :v", expression_attribute_values=values
        )

    too_long = ada(sk={"S": "1"}, code={"S": "x" * (longest + 1)})
    assert validation_error(driver, PutItem(table, too_long)) == message
    assert validation_error(driver, update(longest + 1)) == message
    put(driver, table, ada(sk={"S": "1"}, code={"S": "x" * longest}))
    driver.execute(update(longest))
