"""Legacy parameters, on every operation that has them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.values import AttributeValue, Item
from tests.conformance.errors import failed_condition, validation_error
from tests.conformance.tables import make_table, put, stored

Expected = dict[str, ops.ExpectedAttributeValue]
Updates = dict[str, ops.AttributeValueUpdate]

KEY: Item = {"pk": {"S": "k"}}
A_IS_1: Expected = {"a": ops.ExpectedAttributeValue(value={"N": "1"})}
A_IS_2: Expected = {"a": ops.ExpectedAttributeValue(value={"N": "2"})}


def equal(value: AttributeValue) -> ops.Condition:
    return ops.Condition("EQ", [value])


# The three writes with Expected, each as a function of it.


def expecting_put(
    table: str, expected: Expected | None, operator: ops.ConditionalOperator | None = None
) -> ops.PutItem:
    return ops.PutItem(
        table, {**KEY, "new": {"BOOL": True}}, expected, conditional_operator=operator
    )


def expecting_update(
    table: str, expected: Expected | None, operator: ops.ConditionalOperator | None = None
) -> ops.UpdateItem:
    updates = {"new": ops.AttributeValueUpdate({"BOOL": True})}
    return ops.UpdateItem(table, KEY, updates, expected, operator)


def expecting_delete(
    table: str, expected: Expected | None, operator: ops.ConditionalOperator | None = None
) -> ops.DeleteItem:
    return ops.DeleteItem(table, KEY, expected, operator)


Write = Callable[[str, Expected | None, ops.ConditionalOperator | None], ops.Operation[object]]
WRITES: list[Write] = [expecting_put, expecting_update, expecting_delete]
every_write = pytest.mark.parametrize("write", WRITES)


@pytest.fixture
def table(driver: ops.Driver) -> str:
    """Create a table with the key pk."""
    return make_table(driver, pk="S")


# Expected


@every_write
def test_write_succeeds_if_expected_matches(driver: ops.Driver, table: str, write: Write) -> None:
    before: Item = {**KEY, "a": {"N": "1"}}
    put(driver, table, before)
    failed_condition(driver, write(table, A_IS_2, None))
    assert stored(driver, table, KEY) == before
    driver.execute(write(table, A_IS_1, None))
    assert stored(driver, table, KEY) != before


# This is how items were created only once before expressions existed.
def test_exists_false_creates_only_once(driver: ops.Driver, table: str) -> None:
    expected = {"pk": ops.ExpectedAttributeValue(exists=False)}
    driver.execute(expecting_put(table, expected))
    failed_condition(driver, expecting_put(table, expected))


# Surprises: NE matches a missing attribute and NOT_CONTAINS does not. NULL tests whether an
# attribute is missing, not whether it has the type NULL.
@pytest.mark.parametrize(
    ("asked", "met"),
    [
        (ops.ExpectedAttributeValue(comparison_operator="NULL"), True),
        (ops.ExpectedAttributeValue(comparison_operator="NOT_NULL"), False),
        (ops.ExpectedAttributeValue({"N": "1"}, comparison_operator="NE"), True),
        (ops.ExpectedAttributeValue({"N": "1"}, comparison_operator="EQ"), False),
        (ops.ExpectedAttributeValue({"N": "1"}, comparison_operator="LT"), False),
        (ops.ExpectedAttributeValue({"N": "1"}, comparison_operator="IN"), False),
        (ops.ExpectedAttributeValue({"S": ""}, comparison_operator="BEGINS_WITH"), False),
        (ops.ExpectedAttributeValue({"N": "1"}, comparison_operator="CONTAINS"), False),
        (ops.ExpectedAttributeValue({"N": "1"}, comparison_operator="NOT_CONTAINS"), False),
    ],
    ids=str,
)
def test_expected_on_a_missing_attribute(
    driver: ops.Driver, table: str, asked: ops.ExpectedAttributeValue, met: bool
) -> None:
    write = expecting_update(table, {"missing": asked})
    if met:
        driver.execute(write)
    else:
        failed_condition(driver, write)
        assert stored(driver, table, KEY) is None


@every_write
@pytest.mark.parametrize(
    ("operator", "met"), [(None, False), ("AND", False), ("OR", True)], ids=str
)
def test_expected_conditions_default_to_and(
    driver: ops.Driver,
    table: str,
    write: Write,
    operator: ops.ConditionalOperator | None,
    met: bool,
) -> None:
    put(driver, table, {**KEY, "a": {"N": "1"}, "b": {"S": "hello"}})
    expected = {
        **A_IS_2,
        "b": ops.ExpectedAttributeValue(
            comparison_operator="BEGINS_WITH", attribute_value_list=[{"S": "he"}]
        ),
    }
    if met:
        driver.execute(write(table, expected, operator))
    else:
        failed_condition(driver, write(table, expected, operator))


@every_write
def test_empty_expected_is_not_a_condition(driver: ops.Driver, table: str, write: Write) -> None:
    driver.execute(write(table, {}, None))


# AttributeUpdates


CHANGES: list[tuple[AttributeValue | None, ops.AttributeValueUpdate, AttributeValue | None]] = [
    (None, ops.AttributeValueUpdate({"S": "x"}), {"S": "x"}),
    ({"S": "x"}, ops.AttributeValueUpdate({"L": []}, "PUT"), {"L": []}),
    ({"N": "10"}, ops.AttributeValueUpdate({"N": "5"}, "ADD"), {"N": "15"}),
    (None, ops.AttributeValueUpdate({"N": "5"}, "ADD"), {"N": "5"}),
    ({"SS": ["b"]}, ops.AttributeValueUpdate({"SS": ["a"]}, "ADD"), {"SS": ["a", "b"]}),
    (None, ops.AttributeValueUpdate({"SS": ["a"]}, "ADD"), {"SS": ["a"]}),
    # No expression can do this with ADD, and AWS's manual does not mention it.
    (
        {"L": [{"N": "1"}]},
        ops.AttributeValueUpdate({"L": [{"S": "a"}]}, "ADD"),
        {"L": [{"N": "1"}, {"S": "a"}]},
    ),
    (None, ops.AttributeValueUpdate({"L": [{"S": "a"}]}, "ADD"), {"L": [{"S": "a"}]}),
    ({"S": "x"}, ops.AttributeValueUpdate(action="DELETE"), None),
    ({"SS": ["a", "b"]}, ops.AttributeValueUpdate({"SS": ["b", "c"]}, "DELETE"), {"SS": ["a"]}),
    ({"SS": ["a"]}, ops.AttributeValueUpdate({"SS": ["a"]}, "DELETE"), None),
]


@pytest.mark.parametrize(("before", "change", "after"), CHANGES, ids=str)
def test_attribute_updates_change_an_attribute(
    driver: ops.Driver,
    table: str,
    before: AttributeValue | None,
    change: ops.AttributeValueUpdate,
    after: AttributeValue | None,
) -> None:
    put(driver, table, KEY if before is None else {**KEY, "a": before})
    driver.execute(ops.UpdateItem(table, KEY, {"a": change}))
    assert stored(driver, table, KEY) == (KEY if after is None else {**KEY, "a": after})


@pytest.mark.parametrize(
    ("updates", "created"),
    [
        (None, KEY),
        ({}, KEY),
        ({"a": ops.AttributeValueUpdate({"N": "1"}, "ADD")}, {**KEY, "a": {"N": "1"}}),
        ({"a": ops.AttributeValueUpdate({"L": []}, "ADD")}, {**KEY, "a": {"L": []}}),
        # An update that only removes creates no item.
        ({"a": ops.AttributeValueUpdate(action="DELETE")}, None),
        ({"a": ops.AttributeValueUpdate({"SS": ["a"]}, "DELETE")}, None),
    ],
    ids=str,
)
def test_update_of_missing_item_creates_it(
    driver: ops.Driver, table: str, updates: Updates | None, created: Item | None
) -> None:
    driver.execute(ops.UpdateItem(table, KEY, updates))
    assert stored(driver, table, KEY) == created


def test_updated_attributes_are_the_named_ones(driver: ops.Driver, table: str) -> None:
    put(driver, table, {**KEY, "a": {"N": "1"}, "b": {"N": "2"}, "c": {"N": "3"}})
    updates: Updates = {
        "a": ops.AttributeValueUpdate({"N": "1"}, "ADD"),
        "b": ops.AttributeValueUpdate(action="DELETE"),
    }
    old = ops.UpdateItem(table, KEY, updates, return_values="UPDATED_OLD")
    assert driver.execute(old).attributes == {"a": {"N": "1"}, "b": {"N": "2"}}
    new = ops.UpdateItem(table, KEY, updates, return_values="UPDATED_NEW")
    assert driver.execute(new).attributes == {"a": {"N": "3"}}


# An expression gets another message for this. A failed condition is reported first.
@pytest.mark.parametrize(
    ("before", "change"),
    [
        ({"SS": ["1"]}, ops.AttributeValueUpdate({"NS": ["1"]}, "DELETE")),
        ({"N": "1"}, ops.AttributeValueUpdate({"NS": ["1"]}, "DELETE")),
        ({"SS": ["1"]}, ops.AttributeValueUpdate({"NS": ["1"]}, "ADD")),
        ({"SS": ["1"]}, ops.AttributeValueUpdate({"N": "1"}, "ADD")),
        ({"S": "1"}, ops.AttributeValueUpdate({"N": "1"}, "ADD")),
        ({"N": "1"}, ops.AttributeValueUpdate({"L": [{"N": "1"}]}, "ADD")),
        ({"L": [{"N": "1"}]}, ops.AttributeValueUpdate({"N": "1"}, "ADD")),
    ],
    ids=str,
)
def test_add_and_delete_need_matching_types(
    driver: ops.Driver, table: str, before: AttributeValue, change: ops.AttributeValueUpdate
) -> None:
    put(driver, table, {**KEY, "a": before})
    update = ops.UpdateItem(table, KEY, {"a": change})
    assert validation_error(driver, update) == "Type mismatch for attribute to update"
    failed_condition(driver, ops.UpdateItem(table, KEY, {"a": change}, A_IS_2))
    assert stored(driver, table, KEY) == {**KEY, "a": before}


# An update expression is also limited by its own size, and would be rejected here.
def test_update_may_fill_the_item_to_its_size_limit(driver: ops.Driver, table: str) -> None:
    padding = 409_600 - len("pk") - len("k") - len("a")
    for size, fits in ((padding, True), (padding + 1, False)):
        update = ops.UpdateItem(table, KEY, {"a": ops.AttributeValueUpdate({"S": "x" * size})})
        if fits:
            driver.execute(update)
        else:
            text = "Item size to update has exceeded the maximum allowed size"
            assert validation_error(driver, update) == text


# KeyConditions and QueryFilter


@pytest.fixture
def poems(driver: ops.Driver) -> str:
    """Create a table with a partition `p` of five items by sk, and another partition."""
    table = make_table(driver, pk="S", sk="S")
    for number, sk in enumerate(("a", "ab", "b", "c", "d")):
        item: Item = {
            "pk": {"S": "p"},
            "sk": {"S": sk},
            "n": {"N": str(number)},
            "even": {"BOOL": number % 2 == 0},
            "title": {"S": f"on {sk}"},
        }
        put(driver, table, item)
    put(driver, table, {"pk": {"S": "q"}, "sk": {"S": "a"}})
    return table


IN_P = {"pk": equal({"S": "p"})}


def sort_keys(items: list[Item]) -> list[str]:
    return [item["sk"]["S"] for item in items]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (None, "a ab b c d"),
        (equal({"S": "b"}), "b"),
        (equal({"S": "x"}), ""),
        (ops.Condition("LT", [{"S": "b"}]), "a ab"),
        (ops.Condition("LE", [{"S": "b"}]), "a ab b"),
        (ops.Condition("GT", [{"S": "b"}]), "c d"),
        (ops.Condition("GE", [{"S": "b"}]), "b c d"),
        (ops.Condition("BETWEEN", [{"S": "ab"}, {"S": "c"}]), "ab b c"),
        (ops.Condition("BEGINS_WITH", [{"S": "a"}]), "a ab"),
    ],
    ids=str,
)
def test_key_conditions_select_part_of_a_partition(
    driver: ops.Driver, poems: str, asked: ops.Condition | None, found: str
) -> None:
    conditions = IN_P if asked is None else {"sk": asked, **IN_P}
    page = driver.execute(ops.Query(poems, key_conditions=conditions))
    assert sort_keys(page.items) == found.split()
    back = driver.execute(ops.Query(poems, key_conditions=conditions, scan_index_forward=False))
    assert sort_keys(back.items) == found.split()[::-1]


# Only KeyConditions may be combined with the expressions of a query, except with
# KeyConditionExpression.
def test_key_conditions_combine_with_other_expressions(driver: ops.Driver, poems: str) -> None:
    query = ops.Query(
        poems,
        key_conditions=IN_P,
        filter_expression="n > :n",
        projection_expression="sk",
        expression_attribute_values={":n": {"N": "2"}},
    )
    assert driver.execute(query).items == [{"sk": {"S": "c"}}, {"sk": {"S": "d"}}]


# AttributesToGet

READER: Item = {
    "pk": {"S": "r"},
    "sk": {"S": "r"},
    "name": {"S": "Ada"},
    "role.of": {"S": "x"},
    "role": {"M": {"of": {"S": "y"}}},
}


def got_by_each_read(driver: ops.Driver, table: str, attributes: list[str]) -> list[Item | None]:
    """Return what GetItem, BatchGetItem, Query and Scan return for these attributes."""
    key: Item = {name: READER[name] for name in ("pk", "sk")}
    batch = ops.BatchGetItem({table: ops.KeysAndAttributes([key], attributes)})
    by_pk = {"pk": equal(READER["pk"])}
    query = ops.Query(table, attributes_to_get=attributes, key_conditions=by_pk)
    return [
        driver.execute(ops.GetItem(table, key, attributes)).item,
        *driver.execute(batch).responses[table],
        *driver.execute(query).items,
        *driver.execute(ops.Scan(table, attributes_to_get=attributes)).items,
    ]


# The key is returned only if it is named, and an item without the attributes is returned empty.
@pytest.mark.parametrize(
    ("attributes", "got"),
    [
        (["name"], {"name"}),
        (["name", "sk"], {"name", "sk"}),
        (["missing", "pk"], {"pk"}),
        (["missing"], set[str]()),
        # A dot is part of the name, and reserved words are allowed.
        (["role.of"], {"role.of"}),
        (["role"], {"role"}),
    ],
)
def test_attributes_to_get_returns_only_those(
    driver: ops.Driver, attributes: list[str], got: set[str]
) -> None:
    table = make_table(driver, pk="S", sk="S")
    put(driver, table, READER)
    wanted = {name: READER[name] for name in READER if name in got}
    assert got_by_each_read(driver, table, attributes) == [wanted] * 4
