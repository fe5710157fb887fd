"""What GetItem returns and rejects."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from singletable.operations import Driver, GetItem
from singletable.values import AttributeValue, Item
from tests.conformance.errors import (
    BAD_CAPACITY,
    BOGUS,
    ENVELOPE,
    INVALID,
    LEFT_OUT,
    NOT_VALID,
    WRONG_KEY,
    check_not_found,
    validation_error,
)
from tests.conformance.tables import (
    ada,
    global_index,
    make_table,
    put,
    stored,
    unused_name,
)
from tests.conformance.value_positions import KEY

ONE_BEFORE_OTHER = (
    "Invalid ProjectionExpression: Two document paths overlap with each other; "
    "must remove or rewrite one of these paths; path one: {}, path two: {}"
)


@pytest.mark.parametrize("consistent", [True, False, None])
def test_get_returns_the_item_at_a_key(driver: Driver, consistent: bool | None) -> None:
    table = make_table(driver, pk="S", sk="S")
    item = ada(sk={"S": "1"}, age={"N": "36"})
    put(driver, table, item, ada(sk={"S": "2"}))
    asked = GetItem(table, ada(sk={"S": "1"}), consistent_read=consistent)
    assert driver.execute(asked).item == item


# The response for a missing item is empty; it is not an empty item.
@pytest.mark.parametrize("key", [ada(sk={"S": "2"}), {"pk": {"S": "bob"}, "sk": {"S": "1"}}])
def test_get_returns_nothing_for_a_missing_item(driver: Driver, key: Item) -> None:
    table = make_table(driver, pk="S", sk="S")
    put(driver, table, ada(sk={"S": "1"}))
    assert driver.execute(GetItem(table, key)).raw_item is None


def test_get_returns_the_largest_items_whole(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, ada(text={"S": "x" * 390_000}))
    assert stored(driver, table, KEY) == ada(text={"S": "x" * 390_000})


def _pair(number: int) -> AttributeValue:
    return {"M": {"p": {"S": f"p{number}"}, "q": {"S": f"q{number}"}}}


DOCUMENT = ada(
    a={"S": "a"},
    b={"S": "b"},
    m={"M": {"x": {"N": "1"}, "y": {"N": "2"}, "z": {"N": "3"}}},
    l={
        "L": [
            {
                "M": {
                    "a": {"S": "a0"},
                    "b": {"S": "b0"},
                    "m": {"M": {"x": {"S": "x0"}, "y": {"S": "y0"}}},
                    "n": {"L": [_pair(0), _pair(1)]},
                }
            },
            {"M": {"a": {"S": "a1"}, "b": {"S": "b1"}}},
            {"M": {"a": {"S": "a2"}, "c": {"S": "c2"}}},
        ]
    },
    few={"L": [{"S": "zero"}, {"S": "one"}, {"S": "two"}]},
)

PROJECTED: list[tuple[str, Item]] = [
    # The key is returned only if it is projected.
    ("a", {"a": {"S": "a"}}),
    ("pk", KEY),
    ("a, pk", ada(a={"S": "a"})),
    ("a, none_such", {"a": {"S": "a"}}),
    # A projection that matches nothing returns an empty item.
    ("none_such", {}),
    ("m.none_such", {}),
    ("few[7]", {}),
    ("a.b", {}),
    ("m.x", {"m": {"M": {"x": {"N": "1"}}}}),
    ("m.x, m.y", {"m": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}}),
    ("few[0]", {"few": {"L": [{"S": "zero"}]}}),
    # List elements are closed up, in the order of the list and not of the paths.
    ("few[2], few[0]", {"few": {"L": [{"S": "zero"}, {"S": "two"}]}}),
    # Paths into the same element return one element.
    ("l[0].a, l[0].b", {"l": {"L": [{"M": {"a": {"S": "a0"}, "b": {"S": "b0"}}}]}}),
    ("l[0].b, l[0].a", {"l": {"L": [{"M": {"a": {"S": "a0"}, "b": {"S": "b0"}}}]}}),
    (
        "l[0].m.x, l[0].m.y",
        {"l": {"L": [{"M": {"m": {"M": {"x": {"S": "x0"}, "y": {"S": "y0"}}}}}]}},
    ),
    (
        "l[0].a, l[0].m.x",
        {"l": {"L": [{"M": {"a": {"S": "a0"}, "m": {"M": {"x": {"S": "x0"}}}}}]}},
    ),
    ("l[0].n[0].p, l[0].n[0].q", {"l": {"L": [{"M": {"n": {"L": [_pair(0)]}}}]}}),
    (
        "l[0].n[0].p, l[0].n[1].q",
        {
            "l": {
                "L": [
                    {
                        "M": {
                            "n": {
                                "L": [
                                    {"M": {"p": {"S": "p0"}}},
                                    {"M": {"q": {"S": "q1"}}},
                                ]
                            }
                        }
                    }
                ]
            }
        },
    ),
    (
        "l[0].a, l[0].b, l[2].c",
        {
            "l": {
                "L": [
                    {"M": {"a": {"S": "a0"}, "b": {"S": "b0"}}},
                    {"M": {"c": {"S": "c2"}}},
                ]
            }
        },
    ),
]


@pytest.mark.parametrize(("projection", "item"), PROJECTED, ids=[text for text, _ in PROJECTED])
def test_projection_returns_only_requested_attributes(
    driver: Driver, projection: str, item: Item
) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, DOCUMENT)
    assert driver.execute(GetItem(table, KEY, projection_expression=projection)).item == item


def test_projection_accepts_placeholders(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, DOCUMENT)
    asked = GetItem(
        table,
        KEY,
        projection_expression="#m.#x, #few[1]",
        expression_attribute_names={"#m": "m", "#x": "x", "#few": "few"},
    )
    assert driver.execute(asked).item == {
        "m": {"M": {"x": {"N": "1"}}},
        "few": {"L": [{"S": "one"}]},
    }


def test_attributes_to_get_may_match_nothing(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, DOCUMENT)
    assert driver.execute(GetItem(table, KEY, attributes_to_get=["none_such"])).item == {}


BAD_PROJECTIONS: list[tuple[str, dict[str, str] | None, str]] = [
    (
        "!!! INVALID !!!",
        None,
        'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"',
    ),
    ("", None, "Invalid ProjectionExpression: The expression can not be empty;"),
    ("a, a", None, ONE_BEFORE_OTHER.format("[a]", "[a]")),
    ("#a, #a", {"#a": "a"}, ONE_BEFORE_OTHER.format("[a]", "[a]")),
    ("#a, #b", {"#a": "a", "#b": "a"}, ONE_BEFORE_OTHER.format("[a]", "[a]")),
    ("a, #a", {"#a": "a"}, ONE_BEFORE_OTHER.format("[a]", "[a]")),
    ("a, a.b", None, ONE_BEFORE_OTHER.format("[a]", "[a, b]")),
    ("#a, #a.#b", {"#a": "a", "#b": "b"}, ONE_BEFORE_OTHER.format("[a]", "[a, b]")),
    ("#x, #y.#b", {"#x": "a", "#y": "a", "#b": "b"}, ONE_BEFORE_OTHER.format("[a]", "[a, b]")),
    (
        "#a.#b, #x.#y",
        {"#a": "a", "#b": "b", "#x": "a", "#y": "b"},
        ONE_BEFORE_OTHER.format("[a, b]", "[a, b]"),
    ),
    ("a.b, a", None, ONE_BEFORE_OTHER.format("[a, b]", "[a]")),
    ("a, a.b.c", None, ONE_BEFORE_OTHER.format("[a]", "[a, b, c]")),
    ("l, l[0]", None, ONE_BEFORE_OTHER.format("[l]", "[l, [0]]")),
    (
        "#undef",
        None,
        "Invalid ProjectionExpression: An expression attribute name used in the document path "
        "is not defined; attribute name: #undef",
    ),
    (
        "a",
        {"#unused": "b"},
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}",
    ),
    (
        LEFT_OUT,
        {"#a": "a"},
        "ExpressionAttributeNames can only be specified when using expressions",
    ),
]


# This holds whether or not the item or the table exists.
@pytest.mark.parametrize(("projection", "names", "message"), BAD_PROJECTIONS)
def test_projection_is_parsed_before_other_checks(
    driver: Driver, projection: str, names: dict[str, str] | None, message: str
) -> None:
    for table in (make_table(driver, pk="S"), unused_name()):
        asked = GetItem(
            table, KEY, projection_expression=projection, expression_attribute_names=names
        )
        assert validation_error(driver, asked) == message


def test_rejects_conflicting_or_duplicate_projections(driver: Driver) -> None:
    both = GetItem(unused_name(), KEY, attributes_to_get=["a"], projection_expression="a")
    assert validation_error(driver, both) == (
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}"
    )
    twice = GetItem(unused_name(), KEY, attributes_to_get=["a", "b", "a"])
    assert validation_error(driver, twice) == f"{INVALID}Duplicate value in attribute name: a"


@pytest.mark.parametrize(
    ("path", "blamed"), [("pk.a", "Key: pk"), ("pk[0]", "Key: pk"), ("year.a", "IndexKey: year")]
)
def test_rejects_projection_into_a_key_attribute(driver: Driver, path: str, blamed: str) -> None:
    table = make_table(driver, global_index("by_year", year="S"), pk="S")
    asked = GetItem(
        table,
        KEY,
        projection_expression=path.replace("year", "#year"),
        expression_attribute_names={"#year": "year"} if "year" in path else None,
    )
    assert validation_error(driver, asked) == (
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
        f"allowed: {blamed}"
    )


KEYS: list[tuple[Item, str]] = [
    ({"pk": {"S": "a"}}, WRONG_KEY),
    ({}, WRONG_KEY),
    ({"pk": {"S": "a"}, "other": {"S": "b"}}, WRONG_KEY),
    ({"pk": {"S": "a"}, "sk": {"S": "b"}, "other": {"S": "b"}}, WRONG_KEY),
    ({"pk": {"N": "1"}, "sk": {"S": "b"}}, WRONG_KEY),
    ({"pk": {"S": "a"}, "sk": {"L": []}}, WRONG_KEY),
    (
        {"pk": {"S": ""}, "sk": {"S": "b"}},
        NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty string value. "
        "Key: pk",
    ),
    (
        {"pk": {"S": "a" * 2049}, "sk": {"S": "b"}},
        INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes",
    ),
    (
        {"pk": {"S": "a"}, "sk": {"S": "b" * 1025}},
        INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
    ),
]


@pytest.mark.parametrize(("key", "message"), KEYS)
def test_rejects_key_that_does_not_match_the_schema(
    driver: Driver, key: Item, message: str
) -> None:
    assert validation_error(driver, GetItem(make_table(driver, pk="S", sk="S"), key)) == message


def test_rejects_empty_binary_key(driver: Driver) -> None:
    assert validation_error(driver, GetItem(make_table(driver, pk="B"), {"pk": {"B": ""}})) == (
        NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty binary value. "
        "Key: pk"
    )


def test_missing_table_raises_resource_not_found(driver: Driver) -> None:
    check_not_found(driver, GetItem(unused_name(), KEY))
    check_not_found(driver, GetItem(unused_name(), {}))


BAD_PARAMETERS: list[tuple[Callable[[], GetItem], str]] = [
    (
        lambda: GetItem(LEFT_OUT, KEY),
        "Value null at 'tableName' failed to satisfy constraint: Member must not be null",
    ),
    (
        lambda: GetItem("x!", {}),
        "Value 'x!' at 'tableName' failed to satisfy constraint: "
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    ),
    (lambda: GetItem("absent", KEY, return_consumed_capacity=BOGUS), BAD_CAPACITY),
]


@pytest.mark.parametrize(("request_for", "message"), BAD_PARAMETERS)
def test_invalid_parameters_are_reported_first(
    driver: Driver, request_for: Callable[[], GetItem], message: str
) -> None:
    assert validation_error(driver, request_for()) == ENVELOPE + message
