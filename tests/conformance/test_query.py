"""Query: one partition in sort key order, its cost, and which errors come first."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from singletable.operations import Condition, Driver, Query
from singletable.values import AttributeValue
from tests.conformance.errors import (
    BAD_CAPACITY,
    BOGUS,
    ENVELOPE,
    check_not_found,
    validation_error,
)
from tests.conformance.requests import binary, fill, number, query, text, values_of
from tests.conformance.tables import make_indexed_table, make_table, put, unused_name


@pytest.fixture
def table(driver: Driver) -> str:
    """Create a table whose partition `p` holds a to e, with one item in another partition."""
    name = make_table(driver, pk="S", sk="S")
    fill(driver, name, [{"pk": text("p"), "sk": text(letter)} for letter in "daceb"])
    put(driver, name, {"pk": text("other"), "sk": text("a")})
    return name


def test_query_returns_one_partition_in_order(driver: Driver, table: str) -> None:
    page = driver.execute(replace(query(table, "pk = :p", p=text("p")), consistent_read=True))
    assert values_of(page.items, "sk") == ["a", "b", "c", "d", "e"]
    assert (page.count, page.scanned_count, page.last_evaluated_key) == (5, 5, None)


@pytest.mark.parametrize(("forward", "order"), [(None, "abcde"), (True, "abcde"), (False, "edcba")])
def test_scan_index_forward_false_reverses_the_order(
    driver: Driver, table: str, forward: bool | None, order: str
) -> None:
    asked = replace(query(table, "pk = :p", p=text("p")), scan_index_forward=forward)
    assert values_of(driver.execute(asked).items, "sk") == list(order)


# Callers iterate over Items without checking that it is present.
def test_empty_partition_returns_an_empty_list(driver: Driver, table: str) -> None:
    page = driver.execute(query(table, "pk = :p", p=text("nobody")))
    assert page.raw_items == []
    assert (page.count, page.scanned_count, page.last_evaluated_key) == (0, 0, None)


def test_table_without_sort_key_can_be_queried(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, {"pk": text("p"), "a": number(1)}, {"pk": text("q")})
    asked = query(table, "pk = :p", p=text("p"))
    assert driver.execute(asked).items == [{"pk": text("p"), "a": number(1)}]


# Keys are compared by value: 1.0 is 1.
def test_numeric_partition_key_matches_any_spelling(driver: Driver) -> None:
    table = make_table(driver, pk="N")
    put(driver, table, {"pk": number("100")})
    for spelling in ("100", "100.0", "1e2", "+100", "0100"):
        assert driver.execute(query(table, "pk = :p", p=number(spelling))).count == 1


# Strings sort by their UTF-8 bytes, in which an emoji comes after every letter; in UTF-16, which
# Java and JavaScript compare, it would come before U+FFFD.
def test_strings_sort_by_utf8_bytes(driver: Driver) -> None:
    table = make_table(driver, pk="S", sk="S")
    order = ["A", "Z", "a", "é", "ﬀ", "\ufffd", "😀"]
    fill(driver, table, [{"pk": text("p"), "sk": text(key)} for key in reversed(order)])
    page = driver.execute(query(table, "pk = :p", p=text("p")))
    assert values_of(page.items, "sk") == order


def test_numeric_sort_keys_sort_by_value(driver: Driver) -> None:
    table = make_table(driver, pk="S", sk="N")
    order = ["-100", "-5", "-1", "0", "1", "5", "10", "100"]
    fill(driver, table, [{"pk": text("p"), "sk": number(key)} for key in sorted(order)])
    page = driver.execute(query(table, "pk = :p", p=text("p")))
    assert values_of(page.items, "sk") == order


def test_binary_sorts_by_unsigned_bytes(driver: Driver) -> None:
    table = make_table(driver, pk="S", sk="B")
    order = [b"\x01", b"\x01\x02", b"\x02", b"\xff"]
    fill(driver, table, [{"pk": text("p"), "sk": binary(key)} for key in reversed(order)])
    asked = query(table, "pk = :p", p=text("p"))
    keys = [binary(key) for key in order]
    assert [item["sk"] for item in driver.execute(asked).items] == keys
    turned = replace(asked, scan_index_forward=False)
    assert [item["sk"] for item in driver.execute(turned).items] == keys[::-1]


def test_query_of_missing_table_raises_resource_not_found(driver: Driver) -> None:
    check_not_found(driver, query(unused_name(), "pk = :p", p=text("p")))


def test_query_needs_a_key_condition(driver: Driver, table: str) -> None:
    assert validation_error(driver, Query(table)) == (
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
        "request."
    )


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            Query("t", select=BOGUS),
            "Value 'BOGUS' at 'select' failed to satisfy constraint: Member must satisfy enum "
            "value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
        ),
        (
            Query("t", limit=0),
            "Value at 'Limit' failed to satisfy constraint: Member must have value greater than or "
            "equal to 1",
        ),
        (Query("t", return_consumed_capacity=BOGUS), BAD_CAPACITY),
    ],
    ids=["select", "limit", "capacity"],
)
def test_parameters_are_checked_first(driver: Driver, request_: Query, message: str) -> None:
    assert validation_error(driver, request_) == ENVELOPE + message


def test_errors_of_several_parameters_are_reported_together(driver: Driver) -> None:
    told = validation_error(driver, Query("t", return_consumed_capacity=BOGUS, select=BOGUS))
    assert told.startswith("2 validation errors detected: ")
    assert "'returnConsumedCapacity'" in told
    assert "'select'" in told


# Only this error is reported alone, without the prefix, and for an unknown enum value.
def test_invalid_conditional_operator_is_reported_alone(driver: Driver) -> None:
    asked = Query(
        unused_name(),
        key_conditions={"pk": Condition("EQ", [text("p")])},
        query_filter={"b": Condition("NULL"), "c": Condition("NULL")},
        conditional_operator=BOGUS,
        select=BOGUS,
    )
    assert validation_error(driver, asked) == (
        "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"
    )


OVERLAP = (
    "Invalid ProjectionExpression: Two document paths overlap with each other; must remove or "
    "rewrite one of these paths; path one: [a], path two: "
)


# Expressions are validated whether or not an item exists.
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"expression_attribute_names": {"#unused": "a"}},
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}",
        ),
        (
            {"filter_expression": "#missing = :p"},
            "Invalid FilterExpression: An expression attribute name used in the document path is "
            "not defined; attribute name: #missing",
        ),
        ({"projection_expression": "a, a"}, OVERLAP + "[a]"),
        (
            {
                "projection_expression": "#a, #b",
                "expression_attribute_names": {"#a": "a", "#b": "a"},
            },
            OVERLAP + "[a]",
        ),
        ({"projection_expression": "a, a.b"}, OVERLAP + "[a, b]"),
        (
            {"projection_expression": "sk.a"},
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
            "allowed: Key: sk",
        ),
        ({"index_name": "nowhere"}, "The table does not have the specified index: nowhere"),
    ],
)
@pytest.mark.parametrize("partition", ["p", "nobody"])
def test_invalid_query_is_rejected_before_reading(
    driver: Driver, table: str, partition: str, changes: dict[str, object], message: str
) -> None:
    asked = replace(query(table, "pk = :p", p=text(partition)), **changes)
    assert validation_error(driver, asked) == message


# With every expression broken, the error shows which is parsed first.
def test_key_condition_is_parsed_before_filter_and_projection(driver: Driver) -> None:
    asked = Query(
        unused_name(),
        key_condition_expression="",
        filter_expression="",
        projection_expression="",
    )
    empty = "The expression can not be empty;"
    assert validation_error(driver, asked) == f"Invalid KeyConditionExpression: {empty}"
    asked = replace(
        asked, key_condition_expression="a = :a", expression_attribute_values={":a": text("a")}
    )
    assert validation_error(driver, asked) == f"Invalid FilterExpression: {empty}"
    asked = replace(asked, filter_expression=None)
    assert validation_error(driver, asked) == f"Invalid ProjectionExpression: {empty}"


# A key condition is first parsed as any condition; its shape is checked after everything else is
# parsed.
def test_key_condition_shape_is_checked_last(driver: Driver) -> None:
    asked = replace(
        query(unused_name(), "attribute_type(a, :n)", n=text("N")),
        filter_expression="",
        projection_expression="",
        expression_attribute_names={"#unused": "a"},
    )
    empty = "The expression can not be empty;"
    assert validation_error(driver, asked) == f"Invalid FilterExpression: {empty}"
    asked = replace(asked, filter_expression="a > b")
    assert validation_error(driver, asked) == f"Invalid ProjectionExpression: {empty}"
    asked = replace(asked, projection_expression=None)
    assert "unused in expressions: keys: {#unused}" in validation_error(driver, asked)
    asked = replace(asked, expression_attribute_names=None)
    assert validation_error(driver, asked) == (
        "Invalid operator used in KeyConditionExpression: attribute_type"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {
                "key_condition_expression": "pk = :p",
                "attributes_to_get": ["a"],
                "query_filter": {"a": Condition("NULL")},
            },
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {AttributesToGet, QueryFilter} "
            "Expression parameters: {KeyConditionExpression}",
        ),
        (
            {
                "key_condition_expression": "pk = :p",
                "key_conditions": {"pk": Condition("EQ", [text("p")])},
            },
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {KeyConditions} "
            "Expression parameters: {KeyConditionExpression}",
        ),
        (
            {"expression_attribute_names": {"#a": "a"}},
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
        (
            {"expression_attribute_values": {":a": text("a")}},
            "ExpressionAttributeValues can only be specified when using expressions: "
            "FilterExpression and KeyConditionExpression are null",
        ),
        (
            {
                "key_conditions": {"pk": Condition("EQ", [text("p")])},
                "attributes_to_get": ["a"] * 2,
            },
            "One or more parameter values were invalid: Duplicate value in attribute name: a",
        ),
    ],
)
def test_conflicting_parameters_are_rejected_before_table_lookup(
    driver: Driver, changes: dict[str, object], message: str
) -> None:
    assert validation_error(driver, replace(Query(unused_name()), **changes)) == message


FILTER = {"query_filter": {"a": Condition("BETWEEN", [text("a")])}}
TWICE = {"attributes_to_get": ["a", "a"]}
START = {"exclusive_start_key": {"pk": number("abc")}}
COUNT = {"select": "COUNT", "attributes_to_get": ["a"]}
KEYS = {"key_conditions": {"pk": Condition("EQ")}}


# Requests with two errors: which one AWS reports before it looks up the table.
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (KEYS | FILTER | {"projection_expression": "a"}, "Can not use both"),
        (KEYS | FILTER | TWICE, "for the BETWEEN ComparisonOperator"),
        (KEYS | TWICE | START, "Duplicate value in attribute name"),
        (START, "cannot be converted to a numeric value"),
        (COUNT, "Either the KeyConditions or KeyConditionExpression"),
        (KEYS | COUNT, "Cannot specify the AttributesToGet"),
        ({"select": "SPECIFIC_ATTRIBUTES", "key_condition_expression": ""}, "Must specify"),
        (KEYS, "for the EQ ComparisonOperator"),
    ],
)
def test_checks_without_table_follow_aws_order(
    driver: Driver, changes: dict[str, object], told: str
) -> None:
    assert told in validation_error(driver, replace(Query(unused_name()), **changes))


# The only combination AWS allows: the key by the legacy parameter, the filter by an expression.
def test_key_conditions_combine_with_a_filter_expression(driver: Driver, table: str) -> None:
    asked = Query(
        table,
        key_conditions={"pk": Condition("EQ", [text("p")])},
        filter_expression="attribute_not_exists(a)",
    )
    assert driver.execute(asked).count == 5


SMALL = {"pk": text("p"), "sk": text("a")}


@pytest.mark.parametrize(("consistent", "units"), [(None, 0.5), (False, 0.5), (True, 1.0)])
def test_eventually_consistent_read_costs_half(
    driver: Driver, table: str, consistent: bool | None, units: float
) -> None:
    asked = replace(
        query(table, "pk = :p AND sk = :a", p=text("p"), a=text("a")),
        consistent_read=consistent,
        return_consumed_capacity="INDEXES",
    )
    consumed = driver.execute(asked).consumed_capacity
    assert consumed is not None
    assert (consumed.table_name, consumed.capacity_units) == (table, units)
    assert consumed.table is not None
    assert consumed.table.capacity_units == units
    # Only transactions report read and write units separately.
    assert consumed.read_capacity_units is None
    assert consumed.table.read_capacity_units is None
    assert consumed.global_secondary_indexes is None


def test_total_capacity_has_no_breakdown(driver: Driver, table: str) -> None:
    asked = replace(query(table, "pk = :p", p=text("p")), return_consumed_capacity="TOTAL")
    consumed = driver.execute(asked).consumed_capacity
    assert consumed is not None
    assert (consumed.table_name, consumed.capacity_units, consumed.table) == (table, 0.5, None)


@pytest.mark.parametrize("asked_for", [None, "NONE"])
def test_capacity_is_returned_only_on_request(driver: Driver, table: str, asked_for: str) -> None:
    asked = replace(query(table, "pk = :p", p=text("p")), return_consumed_capacity=asked_for)
    assert driver.execute(asked).consumed_capacity is None


def test_global_index_query_is_charged_to_the_index(driver: Driver) -> None:
    table = make_indexed_table(driver)
    put(driver, table, SMALL | {"grade": text("g")})
    asked = replace(
        query(table, "grade = :g", g=text("g")),
        index_name="by_grade",
        return_consumed_capacity="INDEXES",
    )
    consumed = driver.execute(asked).consumed_capacity
    assert consumed is not None
    assert consumed.table is not None
    assert consumed.global_secondary_indexes is not None
    assert consumed.global_secondary_indexes["by_grade"].capacity_units == 0.5
    assert (consumed.table.capacity_units, consumed.capacity_units) == (0, 0.5)


# A filtered query pays for what is read, not for what is returned.
@pytest.mark.parametrize(
    ("changes", "values"),
    [
        ({}, {}),
        ({"filter_expression": "sort = :v"}, {":v": number(1)}),
        ({"filter_expression": "sort = :v"}, {":v": number(9)}),
        ({"projection_expression": "sk"}, {}),
        ({"filter_expression": "sort = :v", "projection_expression": "sk"}, {":v": number(1)}),
        ({"select": "COUNT"}, {}),
    ],
)
def test_cost_counts_items_before_filtering(
    driver: Driver, changes: dict[str, object], values: dict[str, AttributeValue]
) -> None:
    table = make_table(driver, pk="S", sk="S")
    fill(
        driver,
        table,
        [
            {"pk": text("p"), "sk": text(str(i)), "sort": number(i), "pad": text("x" * 1500)}
            for i in range(6)
        ],
    )
    asked = replace(
        query(table, "pk = :p", p=text("p")), return_consumed_capacity="TOTAL", **changes
    )
    asked = replace(asked, expression_attribute_values={":p": text("p")} | values)
    consumed = driver.execute(asked).consumed_capacity
    assert consumed is not None
    assert consumed.capacity_units == 1.5
