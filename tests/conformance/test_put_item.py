"""What PutItem stores, returns and rejects."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from singletable.operations import Driver, ExpectedAttributeValue, PutItem, UpdateItem
from singletable.values import AttributeValue, Item, KeyType
from tests.conformance.errors import (
    BAD_CAPACITY,
    BAD_METRICS,
    BAD_RETURN_VALUES,
    BOGUS,
    ENVELOPE,
    INVALID,
    LEFT_OUT,
    NOT_VALID,
    check_not_found,
    failed_condition,
    validation_error,
)
from tests.conformance.tables import (
    ada,
    global_index,
    local_index,
    make_indexed_table,
    make_table,
    put,
    stored,
    unused_name,
)

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
def test_get_returns_what_was_put(driver: Driver, value: AttributeValue) -> None:
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


# All of these are rejected before the table is looked up, as parameter errors.
REFUSED: list[tuple[Callable[[str, Item], PutItem], str]] = [
    (
        lambda table, item: PutItem(
            table,
            item,
            condition_expression="attribute_exists(pk)",
            expected={"a": ExpectedAttributeValue(exists=False)},
        ),
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}",
    ),
    (
        lambda table, item: PutItem(table, item, expression_attribute_values={":five": {"N": "5"}}),
        "ExpressionAttributeValues can only be specified when using expressions",
    ),
    (
        lambda table, item: PutItem(table, item, expression_attribute_names={"#a": "a"}),
        "ExpressionAttributeNames can only be specified when using expressions",
    ),
    (
        lambda table, item: PutItem(table, item, condition_expression=""),
        "Invalid ConditionExpression: The expression can not be empty;",
    ),
    (
        lambda table, item: PutItem(
            table, item, condition_expression="((attribute_not_exists(pk)))"
        ),
        "Invalid ConditionExpression: The expression has redundant parentheses;",
    ),
    (
        lambda table, item: PutItem(
            table,
            item,
            condition_expression="contains(#a, #a)",
            expression_attribute_names={"#a": "data"},
        ),
        "Invalid ConditionExpression: The first operand must be distinct from the remaining "
        "operands for this operator or function; operator: contains, first operand: [data]",
    ),
    (
        lambda table, item: PutItem(
            table,
            item,
            condition_expression="a BETWEEN :high AND :low",
            expression_attribute_values={":high": {"N": "10"}, ":low": {"N": "1"}},
        ),
        "Invalid ConditionExpression: The BETWEEN operator requires upper bound to be greater than "
        "or equal to lower bound; lower bound operand: AttributeValue: {N:10}, "
        "upper bound operand: AttributeValue: {N:1}",
    ),
    (
        lambda table, item: PutItem(
            table, item, expected={"a": ExpectedAttributeValue(exists=True)}
        ),
        INVALID + "Value must be provided when Exists is true for Attribute: a",
    ),
    (
        lambda table, item: PutItem(
            table, item, expected={"a": ExpectedAttributeValue(comparison_operator="EQ")}
        ),
        INVALID + "Value or AttributeValueList must be used with ComparisonOperator: EQ "
        "for Attribute: a",
    ),
    (
        lambda table, item: PutItem(table, item, return_values="ALL_NEW"),
        "ReturnValues can only be ALL_OLD or NONE",
    ),
    (
        lambda table, item: PutItem(table, {**item, "": {"S": "a"}}),
        "Empty attribute name",
    ),
    (
        lambda table, item: PutItem(table, {**item, "a": {"NULL": False}}),
        INVALID + "Null attribute value types must have the value of true",
    ),
    (
        lambda table, item: PutItem(table, {**item, "a": {"S": "a", "N": "1"}}),
        "Supplied AttributeValue has more than one datatypes set, "
        "must contain exactly one of the supported datatypes",
    ),
    # The invalid number is reported before the second type.
    (
        lambda table, item: PutItem(table, {**item, "a": {"S": "a", "N": "b"}}),
        "The parameter cannot be converted to a numeric value: b",
    ),
    (
        lambda table, item: PutItem(table, {**item, "a": {}}),
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
    ),
]


@pytest.mark.parametrize(("request_for", "message"), REFUSED, ids=[text for _, text in REFUSED])
def test_invalid_requests_are_rejected_before_table_lookup(
    driver: Driver, request_for: Callable[[str, Item], PutItem], message: str
) -> None:
    for table in (make_table(driver, pk="S"), unused_name()):
        assert validation_error(driver, request_for(table, ADA)) == ENVELOPE + message


def test_missing_table_raises_resource_not_found(driver: Driver) -> None:
    check_not_found(driver, PutItem(unused_name(), ADA))
    check_not_found(driver, PutItem(unused_name(), {}))


TABLE_NAMES: list[tuple[str, str]] = [
    (LEFT_OUT, "Value null at 'tableName' failed to satisfy constraint: Member must not be null"),
    (
        "",
        "Value at 'TableName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1",
    ),
    (
        "a" * 256,
        f"Value '{'a' * 256}' at 'tableName' failed to satisfy constraint: "
        "Member must have length less than or equal to 255",
    ),
    (
        "bad table!@#",
        "Value 'bad table!@#' at 'tableName' failed to satisfy constraint: "
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    ),
]


# The table name is checked before an empty item and before enum values.
@pytest.mark.parametrize(("name", "message"), TABLE_NAMES)
def test_rejects_invalid_table_name(driver: Driver, name: str, message: str) -> None:
    assert validation_error(driver, PutItem(name, {})) == ENVELOPE + message


def test_empty_table_name_error_hides_invalid_enum_values(driver: Driver) -> None:
    assert validation_error(driver, PutItem("", {}, return_values=BOGUS)) == (
        ENVELOPE + "Value at 'TableName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    )


def test_invalid_enum_values_are_reported_together(driver: Driver) -> None:
    request = PutItem(
        unused_name(),
        ADA,
        return_consumed_capacity=BOGUS,
        return_item_collection_metrics=BOGUS,
        return_values=BOGUS,
    )
    assert validation_error(driver, request) == (
        f"3 validation errors detected: {BAD_CAPACITY}; {BAD_RETURN_VALUES}; {BAD_METRICS}"
    )
    assert validation_error(driver, PutItem(unused_name(), ADA, return_values=BOGUS)) == (
        ENVELOPE + BAD_RETURN_VALUES
    )


KEYS: list[tuple[Item, str]] = [
    ({"sk": {"S": "a"}}, INVALID + "Missing the key pk in the item"),
    ({"pk": {"S": "a"}}, INVALID + "Missing the key sk in the item"),
    (
        {"pk": {"N": "1"}, "sk": {"S": "a"}},
        INVALID + "Type mismatch for key pk expected: S actual: N",
    ),
    (
        {"pk": {"S": "a"}, "sk": {"L": []}},
        INVALID + "Type mismatch for key sk expected: S actual: L",
    ),
    (
        {"pk": {"S": ""}, "sk": {"S": "a"}},
        NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty string value. "
        "Key: pk",
    ),
    (
        {"pk": {"S": "a"}, "sk": {"S": ""}},
        NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty string value. "
        "Key: sk",
    ),
    (
        {"pk": {"S": "a" * 2049}, "sk": {"S": "a"}},
        INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes",
    ),
    (
        {"pk": {"S": "a"}, "sk": {"S": "ä" * 513}},
        INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
    ),
]


# What depends on the table is rejected with a plain message.
@pytest.mark.parametrize(("item", "message"), KEYS, ids=[text for _, text in KEYS])
def test_rejects_item_without_the_table_key(driver: Driver, item: Item, message: str) -> None:
    table = make_table(driver, pk="S", sk="S")
    assert validation_error(driver, PutItem(table, item)) == message


def test_key_may_have_its_maximum_length(driver: Driver) -> None:
    table = make_table(driver, pk="S", sk="S")
    key: Item = {"pk": {"S": "ä" * 1024}, "sk": {"S": "ä" * 512}}
    put(driver, table, key)
    assert stored(driver, table, key) == key


def test_rejects_empty_binary_key(driver: Driver) -> None:
    table = make_table(driver, pk="B")
    assert validation_error(driver, PutItem(table, {"pk": {"B": ""}})) == (
        NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty binary value. "
        "Key: pk"
    )


INDEX_KEYS: list[tuple[Item, str]] = [
    (
        {"grade": {"N": "5"}},
        INVALID + "Type mismatch for Index Key grade Expected: S Actual: N IndexName: by_grade",
    ),
    (
        {"grade": {"L": []}},
        INVALID + "Type mismatch for Index Key grade Expected: S Actual: L IndexName: by_grade",
    ),
    (
        {"year": {"BOOL": True}},
        INVALID + "Type mismatch for Index Key year Expected: S Actual: BOOL "
        "IndexName: by_grade_and_year",
    ),
    (
        {"grade": {"S": ""}},
        NOT_VALID + "A value specified for a secondary index key is not supported. "
        "The AttributeValue for a key attribute cannot contain an empty string value. "
        "IndexName: by_grade, IndexKey: grade",
    ),
]


# If an attribute is a key of several indexes, the first by name is reported.
@pytest.mark.parametrize(("extra", "message"), INDEX_KEYS, ids=[text for _, text in INDEX_KEYS])
def test_rejects_index_key_of_wrong_type(driver: Driver, extra: Item, message: str) -> None:
    table = make_indexed_table(driver)
    key: Item = {"pk": {"S": "a"}, "sk": {"S": "b"}}
    assert validation_error(driver, PutItem(table, key | extra)) == message
    assert stored(driver, table, key) is None


def test_rejects_empty_binary_index_key(driver: Driver) -> None:
    table = make_table(driver, global_index("by_hash", hash="B"), pk="S")
    assert validation_error(driver, PutItem(table, {"pk": {"S": "a"}, "hash": {"B": ""}})) == (
        NOT_VALID + "A value specified for a secondary index key is not supported. "
        "The AttributeValue for a key attribute cannot contain an empty binary value. "
        "IndexName: by_hash, IndexKey: hash"
    )


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
