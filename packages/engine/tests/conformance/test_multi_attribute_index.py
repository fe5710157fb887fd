"""Global indexes with multi-attribute keys: order, conditions and pages."""

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

from dynamodb_engine import operations as ops
from dynamodb_engine.values import AttributeValue, Item, KeyType
from tests.conformance.errors import INVALID, NOT_VALID, validation_error
from tests.conformance.requests import (
    binary,
    fill,
    near_drivers,
    number,
    query,
    text,
    values_of,
    walk,
)
from tests.conformance.tables import put, unused_name

INDEX = "index"
WRONG_TYPE = f"{INVALID}Condition parameter type does not match schema type"


def make_table(
    driver: ops.Driver,
    partition: dict[str, KeyType],
    sort: dict[str, KeyType],
    projection: ops.Projection | None = None,
) -> str:
    """Create a table with the key `pk` and one global index."""
    name = unused_name()
    types: dict[str, KeyType] = {"pk": "S", **partition, **sort}
    schema = [
        *(ops.KeySchemaElement(attribute, "HASH") for attribute in partition),
        *(ops.KeySchemaElement(attribute, "RANGE") for attribute in sort),
    ]
    driver.execute(
        ops.CreateTable(
            name,
            [ops.AttributeDefinition(attribute, kind) for attribute, kind in types.items()],
            [ops.KeySchemaElement("pk", "HASH")],
            global_secondary_indexes=[
                ops.GlobalSecondaryIndex(INDEX, schema, projection or ops.Projection("ALL"))
            ],
            billing_mode="PAY_PER_REQUEST",
        )
    )
    return name


def ask(table: str, condition: str, **values: AttributeValue) -> ops.Query:
    """Return a query of the index."""
    return replace(query(table, condition, **values), index_name=INDEX)


SORT: dict[str, KeyType] = {"a": "S", "b": "S", "c": "S", "d": "S"}
ROWS = {
    "p1": "T live b r1",
    "p2": "T live a r2",
    "p3": "T live a r1",
    "p4": "T draft c r1",
    "p5": "F live a r0",
}


@pytest.fixture
def table(driver: ops.Driver) -> str:
    """Create a table with an index by h and then by a, b, c and d; p6 lacks c."""
    name = make_table(driver, {"h": "S"}, SORT)
    items: list[Item] = [
        {"pk": text(pk), "h": text("o1")}
        | {attribute: text(value) for attribute, value in zip(SORT, row.split(), strict=True)}
        for pk, row in ROWS.items()
    ]
    lacking: Item = {"pk": text("p6"), "h": text("o1"), "a": text("T"), "b": text("live")}
    fill(driver, name, [*items, lacking | {"d": text("r1")}])
    return name


VALUES: dict[str, AttributeValue] = {
    "h": text("o1"),
    "t": text("T"),
    "live": text("live"),
    "a": text("a"),
    "r": text("r"),
    "r1": text("r1"),
}


def test_description_lists_key_attributes_in_order(driver: ops.Driver, table: str) -> None:
    indexes = driver.execute(ops.DescribeTable(table)).table.global_secondary_indexes
    assert indexes is not None
    assert indexes[0].key_schema == [
        ops.KeySchemaElement("h", "HASH"),
        *(ops.KeySchemaElement(attribute, "RANGE") for attribute in SORT),
    ]


# Conditions on sort attributes go left to right; only the last may be a range. Their order in the
# expression does not matter.
@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("h = :h", "p5 p4 p3 p2 p1"),
        ("h = :h AND a = :t", "p4 p3 p2 p1"),
        ("h = :h AND a = :t AND b = :live", "p3 p2 p1"),
        ("b = :live AND h = :h AND a = :t", "p3 p2 p1"),
        ("h = :h AND a = :t AND b = :live AND c = :a", "p3 p2"),
        ("h = :h AND a = :t AND b = :live AND c > :a", "p1"),
        ("h = :h AND a = :t AND b = :live AND c = :a AND begins_with(d, :r)", "p3 p2"),
        ("h = :h AND a = :t AND b = :live AND c = :a AND d BETWEEN :r1 AND :r1", "p3"),
        ("h = :h AND a = :t AND b = :live AND c = :a AND d = :r1", "p3"),
        ("h = :h AND a = :t AND b < :live", "p4"),
        ("h = :h AND a < :t", "p5"),
        ("h = :h AND a >= :t", "p4 p3 p2 p1"),
    ],
)
@pytest.mark.parametrize("forward", [True, False])
def test_sort_attributes_are_matched_left_to_right(
    driver: ops.Driver, table: str, condition: str, found: str, forward: bool
) -> None:
    asked = replace(ask(table, condition, **VALUES), scan_index_forward=forward)
    keys = found.split()
    page = driver.execute(asked)
    assert values_of(page.items, "pk") == (keys if forward else keys[::-1])


def wanting(loose: str, last: str) -> str:
    return (
        f"RANGE key attributes {loose} must have equality conditions specified in the query "
        f"because a condition is present on key attribute {last}"
    )


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("h = :h AND a = :t AND c = :a", wanting("b", "c")),
        ("h = :h AND a = :t AND b > :live AND c = :a", wanting("b", "c")),
        ("h = :h AND b = :live", wanting("a", "b")),
        ("a = :t", "Query condition missed key schema element: h"),
        ("h > :h", "Query key condition not supported"),
        (
            "h = :h AND a = :t AND b = :live AND c = :a AND d = :r1 AND e = :r",
            "The number of query conditions (6) exceeds the number of key attributes defined in "
            "the schema (5)",
        ),
    ],
)
def test_rejects_gap_in_sort_key_conditions(
    driver: ops.Driver, table: str, condition: str, message: str
) -> None:
    assert validation_error(driver, ask(table, condition, **VALUES)) == message


def test_last_evaluated_key_has_every_key_attribute(driver: ops.Driver, table: str) -> None:
    asked = replace(ask(table, "h = :h AND a = :t", **VALUES), limit=2)
    page = driver.execute(asked)
    assert values_of(page.items, "pk") == ["p4", "p3"]
    last = page.last_evaluated_key
    assert last is not None
    assert sorted(last) == ["a", "b", "c", "d", "h", "pk"]
    rest = driver.execute(replace(asked, exclusive_start_key=last, limit=None))
    assert values_of(rest.items, "pk") == ["p2", "p1"]


@pytest.mark.parametrize("lacking", ["a", "d", "h", "pk"])
def test_start_key_needs_every_key_attribute(driver: ops.Driver, table: str, lacking: str) -> None:
    asked = ask(table, "h = :h AND a = :t", **VALUES)
    last = driver.execute(replace(asked, limit=1)).last_evaluated_key
    assert last is not None
    del last[lacking]
    assert validation_error(driver, replace(asked, exclusive_start_key=last)) == (
        "The provided starting key is invalid"
    )


def unequal(names: str) -> str:
    return f"HASH key attributes {names} must have equality conditions specified in the query"


# Every partition attribute is part of the partition key: all are required, and only equality is
# allowed.
@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("h = :s", unequal("i")),
        ("i = :n", unequal("h")),
        ("r = :n", unequal("h, i")),
        ("h = :s AND i > :n", unequal("i")),
        ("h = :s AND i BETWEEN :n AND :n", unequal("i")),
        (
            "h = :s AND begins_with(i, :s)",
            WRONG_TYPE,
        ),
        ("h = :n AND i = :n", WRONG_TYPE),
        ("h = :s AND r = :n", unequal("i")),
        ("h = :s AND x = :n", "Query condition missed key schema element: i"),
    ],
)
def test_every_partition_attribute_needs_equality(
    driver: ops.Driver, condition: str, message: str
) -> None:
    table = make_table(driver, {"h": "S", "i": "N"}, {"r": "N"})
    assert validation_error(driver, ask(table, condition, s=text("s"), n=number(1))) == message


# "ab" and "c" is another partition than "a" and "bc".
def test_partition_attributes_are_kept_apart(driver: ops.Driver) -> None:
    table = make_table(driver, {"h": "S", "i": "S"}, {})
    pairs = [("ab", "c"), ("a", "bc"), ("a\0", "bc"), ("a", "\0bc"), ("c", "ab")]
    fill(
        driver,
        table,
        [
            {"pk": text(str(place)), "h": text(h), "i": text(i)}
            for place, (h, i) in enumerate(pairs)
        ],
    )
    for place, (h, i) in enumerate(pairs):
        page = driver.execute(ask(table, "h = :h AND i = :i", h=text(h), i=text(i)))
        assert values_of(page.items, "pk") == [str(place)]


def test_index_has_up_to_four_partition_and_four_sort_attributes(driver: ops.Driver) -> None:
    partition: dict[str, KeyType] = {"h1": "S", "h2": "N", "h3": "B", "h4": "S"}
    sort: dict[str, KeyType] = {"r1": "N", "r2": "S", "r3": "B", "r4": "N"}
    table = make_table(driver, partition, sort)
    sample: dict[KeyType, AttributeValue] = {"S": text("s"), "N": number(7), "B": binary(b"\0")}
    item: Item = {name: sample[kind] for name, kind in (partition | sort).items()}
    put(driver, table, item | {"pk": text("p")})
    condition = " AND ".join(f"{name} = :{name}" for name in item)
    assert driver.execute(ask(table, condition, **item)).count == 1


def test_legacy_key_conditions_work_on_multi_attribute_keys(driver: ops.Driver) -> None:
    table = make_table(driver, {"h": "S", "i": "S"}, {})
    put(driver, table, {"pk": text("p"), "h": text("h"), "i": text("i")})
    asked = ops.Query(
        table,
        index_name=INDEX,
        key_conditions={
            "h": ops.Condition("EQ", [text("h")]),
            "i": ops.Condition("EQ", [text("i")]),
        },
    )
    assert driver.execute(asked).count == 1


def test_item_is_indexed_only_with_every_key_attribute(driver: ops.Driver, table: str) -> None:
    def indexed() -> list[str]:
        return sorted(values_of(walk(driver, ops.Scan(table, index_name=INDEX)), "pk"))

    assert indexed() == ["p1", "p2", "p3", "p4", "p5"]
    key: Item = {"pk": text("p6")}
    driver.execute(
        ops.UpdateItem(
            table,
            key,
            update_expression="SET c = :c",
            expression_attribute_values={":c": text("c")},
        )
    )
    assert "p6" in indexed()
    driver.execute(ops.UpdateItem(table, key, update_expression="REMOVE h"))
    assert "p6" not in indexed()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            number(1),
            f"{INVALID}Type mismatch for Index Key c Expected: S Actual: N IndexName: index",
        ),
        (
            text(""),
            f"{NOT_VALID}A value specified for a secondary index key is not supported. The "
            "AttributeValue for a key attribute cannot contain an empty string value. "
            "IndexName: index, IndexKey: c",
        ),
    ],
)
def test_every_key_attribute_must_have_its_type(
    driver: ops.Driver, table: str, value: AttributeValue, message: str
) -> None:
    assert validation_error(driver, ops.PutItem(table, {"pk": text("p"), "c": value})) == message


def test_filter_rejects_key_attributes(driver: ops.Driver, table: str) -> None:
    for attribute in ("h", "a", "d"):
        asked = ask(table, "h = :h", **VALUES)
        asked = replace(asked, filter_expression=f"attribute_exists({attribute})")
        assert validation_error(driver, asked) == (
            "Filter Expression can only contain non-primary key attributes: "
            f"Primary key attribute: {attribute}"
        )
    asked = ask(table, "h = :h", **VALUES)
    assert driver.execute(replace(asked, filter_expression="attribute_exists(pk)")).count == 5


def test_keys_only_index_holds_the_keys(driver: ops.Driver) -> None:
    table = make_table(driver, {"h": "S", "i": "S"}, {"r": "S"}, ops.Projection("KEYS_ONLY"))
    keys: Item = {"pk": text("p"), "h": text("h"), "i": text("i"), "r": text("r")}
    put(driver, table, keys | {"more": text("more")})
    assert driver.execute(ops.Scan(table, index_name=INDEX)).items == [keys]


@dataclass(frozen=True)
class Place:
    """Return the sort key of an item as Python compares it."""

    word: str
    size: Decimal
    raw: bytes

    @property
    def order(self) -> tuple[bytes, Decimal, bytes]:
        return self.word.encode(), self.size, self.raw

    @property
    def item(self) -> Item:
        return {"w": text(self.word), "n": number(self.size), "b": binary(self.raw)}


PLACES = st.builds(
    Place,
    st.text("a\x00é", min_size=1, max_size=2),
    st.sampled_from([Decimal(n) for n in ("-10", "-1", "0", "0.5", "2", "10")]),
    st.sampled_from([b"\x00", b"\x00\x00", b"\x00\xff", b"\x01", b"\xff", b"\xff\xff"]),
)
RANGES: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda key, value: key == value,
    "<": lambda key, value: key < value,
    "<=": lambda key, value: key <= value,
    ">": lambda key, value: key > value,
    ">=": lambda key, value: key >= value,
    "begins_with": lambda key, value: key.startswith(value),
}


# Attributes are compared one after the other, each by its own type, regardless of length.
@near_drivers
@given(data=st.data())
def test_entries_are_ordered_as_tuples(driver: ops.Driver, data: st.DataObject) -> None:
    table = make_table(driver, {"h": "S"}, {"w": "S", "n": "N", "b": "B"})
    places = data.draw(st.lists(PLACES, max_size=25))
    fill(
        driver,
        table,
        [
            place.item | {"pk": text(str(number_)), "h": text("h")}
            for number_, place in enumerate(places)
        ],
    )
    model = data.draw(PLACES)
    equal = data.draw(st.integers(0, 2))
    operator = data.draw(st.sampled_from([o for o in RANGES if o != "begins_with" or equal != 1]))
    forward = data.draw(st.booleans())

    names = ["w", "n", "b"]
    clauses = [f"{name} = :{name}" for name in names[:equal]]
    last = names[equal]
    clauses.append(
        f"begins_with({last}, :{last})"
        if operator == "begins_with"
        else f"{last} {operator} :{last}"
    )
    asked = ask(table, " AND ".join(["h = :h", *clauses]), h=text("h"), **model.item)
    asked = replace(asked, scan_index_forward=forward, limit=data.draw(st.sampled_from([None, 3])))

    wanted = [
        place.order
        for place in places
        if place.order[:equal] == model.order[:equal]
        and RANGES[operator](place.order[equal], model.order[equal])
    ]
    found = [
        (item["w"]["S"].encode(), Decimal(item["n"]["N"]), base64.b64decode(item["b"]["B"]))
        for item in walk(driver, asked)
    ]
    assert found == sorted(wanted, reverse=not forward)
