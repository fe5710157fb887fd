"""Key conditions: their meaning for each key type, their syntax, and which are rejected."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dynamodb_engine.operations import Driver
from dynamodb_engine.values import AttributeValue, KeyType
from tests.conformance.errors import INVALID, NOT_VALID, check_not_found, validation_error
from tests.conformance.requests import binary, fill, near_drivers, number, query, text, values_of
from tests.conformance.tables import make_table, unused_name

WRONG_TYPE = f"{INVALID}Condition parameter type does not match schema type"
BAD = "Invalid KeyConditionExpression: "
UNDEFINED = f"{BAD}An expression attribute value used in expression is not defined; "


def wrong_operand(operator: str, kind: str) -> str:
    return (
        f"{BAD}Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {kind}"
    )


@pytest.fixture
def numbers(driver: Driver) -> str:
    """Create a table with the sort keys 1, 5, 10, 20, 50 and 100."""
    table = make_table(driver, pk="S", sk="N")
    fill(driver, table, [{"pk": text("p"), "sk": number(i)} for i in (100, 20, 5, 1, 50, 10)])
    return table


@pytest.fixture
def texts(driver: Driver) -> str:
    """Create a table with the sort keys a, ab, b, ba and c."""
    table = make_table(driver, pk="S", sk="S")
    fill(driver, table, [{"pk": text("p"), "sk": text(key)} for key in ("c", "ab", "b", "a", "ba")])
    return table


# Clauses may come in any order, in single parentheses, and with the value first.
@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("pk = :p", "1 5 10 20 50 100"),
        ("pk = :p AND sk = :five", "5"),
        ("pk = :p AND sk < :five", "1"),
        ("pk = :p AND sk <= :five", "1 5"),
        ("pk = :p AND sk > :five", "10 20 50 100"),
        ("pk = :p AND sk >= :five", "5 10 20 50 100"),
        ("pk = :p AND sk BETWEEN :five AND :fifty", "5 10 20 50"),
        ("pk = :p AND sk BETWEEN :five AND :five", "5"),
        ("pk = :p AND sk between :five and :fifty", "5 10 20 50"),
        ("sk > :five AND pk = :p", "10 20 50 100"),
        (":p = pk AND :five <= sk", "5 10 20 50 100"),
        ("pk = :p AND :five > sk", "1"),
        ("(pk = :p) AND (sk > :five)", "10 20 50 100"),
        ("(pk = :p AND sk > :five)", "10 20 50 100"),
        ("(pk = :p AND (sk > :five))", "10 20 50 100"),
        ("pk = :p AND (sk BETWEEN :five AND :fifty)", "5 10 20 50"),
    ],
)
def test_number_conditions_compare_values(
    driver: Driver, numbers: str, condition: str, found: str
) -> None:
    asked = query(numbers, condition, p=text("p"), five=number(5), fifty=number("5e1"))
    page = driver.execute(asked)
    assert values_of(page.items, "sk") == found.split()
    assert page.count == page.scanned_count == len(found.split())


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("begins_with(sk, :a)", "a ab"),
        ("(begins_with(sk, :a))", "a ab"),
        ("sk = :a", "a"),
        ("sk > :a", "ab b ba c"),
        ("sk >= :a", "a ab b ba c"),
        ("sk < :a", ""),
        ("sk <= :a", "a"),
    ],
)
def test_string_conditions_compare_bytes(
    driver: Driver, texts: str, condition: str, found: str
) -> None:
    page = driver.execute(query(texts, f"pk = :p AND {condition}", p=text("p"), a=text("a")))
    assert values_of(page.items, "sk") == found.split()


def test_binary_conditions_compare_unsigned_bytes(driver: Driver) -> None:
    table = make_table(driver, pk="S", sk="B")
    keys = [binary(key) for key in (b"\x01", b"\x01\x02", b"\x02", b"\xff")]
    fill(driver, table, [{"pk": text("p"), "sk": key} for key in keys])
    above = query(table, "pk = :p AND sk > :k", p=text("p"), k=keys[1])
    assert [item["sk"] for item in driver.execute(above).items] == keys[2:]
    begun = query(table, "pk = :p AND begins_with(sk, :k)", p=text("p"), k=keys[0])
    assert [item["sk"] for item in driver.execute(begun).items] == keys[:2]


def test_key_condition_accepts_name_placeholders(driver: Driver, texts: str) -> None:
    asked = replace(
        query(texts, "#p = :p AND #s = :s", p=text("p"), s=text("b")),
        expression_attribute_names={"#p": "pk", "#s": "sk"},
    )
    assert driver.execute(asked).count == 1


@dataclass(frozen=True)
class Refused:
    condition: str
    message: str
    sort: KeyType = "N"


VALUES: dict[str, AttributeValue] = {
    "s": text("x"),
    "n": number(5),
    "nine": number(9),
    "bool": {"BOOL": True},
    "empty": text(""),
}
REFUSED = [
    # Syntax of the condition.
    Refused("", f"{BAD}The expression can not be empty;"),
    Refused("((pk = :s)) AND sk = :n", f"{BAD}The expression has redundant parentheses;"),
    Refused("((pk = :s))", f"{BAD}The expression has redundant parentheses;"),
    Refused(
        "pk = :s AND sk.a = :n",
        f"{BAD}KeyConditionExpressions cannot have conditions on nested attributes",
    ),
    Refused(
        "pk = :s AND sk > :n AND sk < :nine",
        f"{BAD}KeyConditionExpressions must only contain one condition per key",
    ),
    Refused("pk = :s OR sk = :n", "Invalid operator used in KeyConditionExpression: OR"),
    Refused("NOT pk = :s", "Invalid operator used in KeyConditionExpression: NOT"),
    Refused("pk <> :s", "Invalid operator used in KeyConditionExpression: <>"),
    Refused("pk IN (:s)", "Invalid operator used in KeyConditionExpression: IN"),
    Refused("contains(pk, :s)", "Invalid operator used in KeyConditionExpression: contains"),
    Refused(
        "attribute_exists(pk)", "Invalid operator used in KeyConditionExpression: attribute_exists"
    ),
    Refused("size(pk) = :n", f"{BAD}KeyConditionExpressions cannot contain nested operations"),
    Refused(
        "pk = sk",
        "Invalid condition in KeyConditionExpression: Multiple attribute names used in one "
        "condition",
    ),
    Refused(
        "begins_with(:s, pk)",
        "Invalid condition in KeyConditionExpression: begins_with operator must have the key "
        "attribute as its first operand",
    ),
    Refused(
        "pk = :s AND :n BETWEEN sk AND :nine",
        "Invalid condition in KeyConditionExpression: BETWEEN operator must have the key attribute "
        "as its first operand",
    ),
    Refused(":s = :n", "Invalid condition in KeyConditionExpression: No key attribute specified"),
    Refused(
        "pk = :s AND sk BETWEEN :nine AND :n",
        f"{BAD}The BETWEEN operator requires upper bound to be greater than or equal to lower "
        "bound; lower bound operand: AttributeValue: {N:9}, "
        "upper bound operand: AttributeValue: {N:5}",
    ),
    # Attributes of the condition.
    Refused("sk = :n", "Query condition missed key schema element: pk"),
    Refused("a = :s", "Query condition missed key schema element: pk"),
    Refused("pk = :s AND a = :s", "Query condition missed key schema element: sk"),
    Refused(
        "pk = :s AND sk > :n AND extra = :s",
        "The number of query conditions (3) exceeds the number of key attributes defined in the "
        "schema (2)",
    ),
    Refused("pk > :s", "Query key condition not supported"),
    Refused("begins_with(pk, :s)", "Query key condition not supported"),
    # Types of the operands: types that no key can have are rejected as operands, except for
    # equality; types that this key does not have are rejected by the schema.
    Refused("pk = :s AND begins_with(sk, :n)", wrong_operand("begins_with", "N"), "S"),
    Refused("pk = :s AND begins_with(sk, :bool)", wrong_operand("begins_with", "BOOL"), "S"),
    Refused("pk = :s AND begins_with(sk, :n)", wrong_operand("begins_with", "N")),
    Refused("pk = :s AND begins_with(sk, :s)", WRONG_TYPE),
    Refused("pk = :s AND sk < :bool", wrong_operand("<", "BOOL")),
    Refused("pk = :s AND :bool >= sk", wrong_operand(">=", "BOOL")),
    Refused("pk = :s AND sk BETWEEN :bool AND :bool", wrong_operand("BETWEEN", "BOOL")),
    Refused("pk = :s AND sk = :bool", WRONG_TYPE),
    Refused("pk = :n", WRONG_TYPE),
    Refused("pk > :n", WRONG_TYPE),
    Refused("pk = :s AND sk = :s", WRONG_TYPE),
    # Key values are never empty, so empty operands are rejected.
    Refused(
        "pk = :empty",
        f"{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty string value. "
        "Key: pk",
    ),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: f"{case.condition} ({case.sort})")
def test_rejects_key_conditions_of_invalid_shape(driver: Driver, case: Refused) -> None:
    table = make_table(driver, pk="S", sk=case.sort)
    assert validation_error(driver, query(table, case.condition, **VALUES)) == case.message


# The first invalid clause decides, whether its value is missing or unusable.
@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("pk = :gone AND begins_with(sk, :n)", f"{UNDEFINED}attribute value: :gone"),
        ("begins_with(sk, :n) AND pk = :gone", wrong_operand("begins_with", "N")),
        ("pk = :s AND begins_with(sk, :n) AND sk = :gone", wrong_operand("begins_with", "N")),
        ("pk = :s AND begins_with(sk, :n) AND sk > :s", wrong_operand("begins_with", "N")),
    ],
)
@pytest.mark.parametrize("there", [True, False])
def test_clauses_are_checked_left_to_right_before_table_lookup(
    driver: Driver, condition: str, message: str, there: bool
) -> None:
    table = make_table(driver, pk="S", sk="S") if there else unused_name()
    assert validation_error(driver, query(table, condition, **VALUES)) == message


# What depends on the schema is not reported before the table is found.
@pytest.mark.parametrize("condition", ["z = :n", "pk > :s", "sk BETWEEN :n AND :nine"])
def test_condition_is_checked_against_the_key_after_table_lookup(
    driver: Driver, condition: str
) -> None:
    check_not_found(driver, query(unused_name(), condition, **VALUES))


def test_table_without_sort_key_takes_one_condition(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    assert validation_error(driver, query(table, "pk = :s AND sk = :n", **VALUES)) == (
        "The number of query conditions (2) exceeds the number of key attributes defined in the "
        "schema (1)"
    )


# ── Any condition on any keys equals filtering and sorting. ──


@dataclass(frozen=True)
class Kind:
    """A key type: which keys to try, how they are sent, and how they compare."""

    type: KeyType
    keys: st.SearchStrategy[AttributeValue]
    compared: Callable[[AttributeValue], Any]


# Few letters, so that keys are prefixes of each other; zero and the highest bytes, which byte
# orderings tend to get wrong.
KINDS = [
    Kind(
        "S",
        st.text("a\x00\x01é😀", min_size=1, max_size=4).map(text),
        lambda value: value["S"].encode(),
    ),
    Kind(
        "B",
        st.lists(st.sampled_from([0, 1, 254, 255]), min_size=1, max_size=4).map(
            lambda octets: binary(bytes(octets))
        ),
        lambda value: base64.b64decode(value["B"]),
    ),
    Kind(
        "N",
        st.tuples(st.integers(-1100, 1100), st.sampled_from([-130, -3, -1, 0, 2, 122])).map(
            lambda parts: number(f"{parts[0]}e{parts[1]}")
        ),
        lambda value: Decimal(value["N"]),
    ),
]
# The keys of one query are all bytes or all numbers, which the types cannot express.
COMPARISONS: dict[str, Callable[[Any, Any, Any], bool]] = {
    "sk = :a": lambda key, a, _: key == a,
    "sk < :a": lambda key, a, _: key < a,
    "sk <= :a": lambda key, a, _: key <= a,
    "sk > :a": lambda key, a, _: key > a,
    "sk >= :a": lambda key, a, _: key >= a,
    "sk BETWEEN :a AND :z": lambda key, a, z: a <= key <= z,
    "begins_with(sk, :a)": lambda key, a, _: key.startswith(a),
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.type)
@near_drivers
@given(data=st.data())
def test_query_equals_filtering_and_sorting(
    driver: Driver, kind: Kind, data: st.DataObject
) -> None:
    table = make_table(driver, pk="S", sk=kind.type)
    keys = data.draw(st.lists(kind.keys, max_size=25, unique_by=kind.compared))
    operand = st.one_of([kind.keys, *([st.sampled_from(keys)] if keys else [])])
    bounds = sorted((data.draw(operand), data.draw(operand)), key=kind.compared)
    condition = data.draw(
        st.sampled_from([c for c in COMPARISONS if kind.type != "N" or "begins" not in c])
    )
    forward = data.draw(st.booleans())
    fill(driver, table, [{"pk": text("p"), "sk": key} for key in keys])

    asked = query(table, f"pk = :p AND {condition}", p=text("p"), a=bounds[0], z=bounds[1])
    page = driver.execute(replace(asked, scan_index_forward=forward))

    a, z = map(kind.compared, bounds)
    wanted = [key for key in map(kind.compared, keys) if COMPARISONS[condition](key, a, z)]
    found = [kind.compared(item["sk"]) for item in page.items]
    assert found == sorted(wanted, reverse=not forward)
