"""Filters of queries and scans: which items match, and how many were examined."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dynamodb_engine.operations import Condition, ConditionalOperator, Driver, Query, Scan
from dynamodb_engine.values import AttributeValue, Item
from tests.conformance.requests import binary, fill, mentioned, number, query, scan, text, values_of
from tests.conformance.tables import global_index, make_table, put

TRUE: AttributeValue = {"BOOL": True}
PEOPLE: dict[str, Item] = {
    "ada": {
        "nick": text("Ada"),
        "born": number(1815),
        "tags": {"SS": ["math", "poetry"]},
        "home": {"M": {"city": text("London"), "rooms": number(3)}},
        "notes": {"L": [text("first"), number(2)]},
        "secret": binary(b"\x01\x02\x03"),
    },
    "bob": {"nick": text("Bob"), "born": number(1990), "tags": {"SS": ["math"]}, "active": TRUE},
    "eve": {
        "nick": text("é𝄞"),
        "born": number(2000),
        "notes": {"L": []},
        "nothing": {"NULL": True},
    },
    "mallory": {"nick": text("Mallory"), "codes": {"NS": ["1", "2"]}, "secret": binary(b"\xff")},
}
VALUES: dict[str, AttributeValue] = {
    "ada": text("Ada"),
    "a": text("a"),
    "m": text("math"),
    "london": text("London"),
    "first": text("first"),
    "n1": number(1),
    "n2": number(2),
    "n3": number(3),
    "n7": number(7),
    "early": number(1900),
    "late": number(1995),
    "true": TRUE,
    "s": text("S"),
    "raw": binary(b"\x01"),
    "low": binary(b"\x02"),
    "high": binary(b"\xff\xff"),
    "tags": {"SS": ["poetry", "math"]},
    "empty": text(""),
}
BY_PARTITION = {"pk": Condition("EQ", [text("p")])}


@pytest.fixture
def people(driver: Driver) -> str:
    """Create a table whose partition `p` holds the people, with an index of them all."""
    table = make_table(driver, global_index("everybody", pk="S"), pk="S", sk="S")
    fill(
        driver,
        table,
        [{"pk": text("p"), "sk": text(name)} | person for name, person in PEOPLE.items()],
    )
    return table


@pytest.mark.parametrize(
    ("condition", "passing"),
    [
        ("nick = :ada", "ada"),
        ("nick <> :ada", "bob eve mallory"),
        # A missing attribute is unequal to everything, and neither greater nor less.
        ("born <> :late", "ada bob eve mallory"),
        ("born < :late", "ada bob"),
        ("born >= :late", "eve"),
        ("NOT born < :late", "eve mallory"),
        ("born BETWEEN :early AND :late", "bob"),
        ("nick IN (:ada, :m)", "ada"),
        ("nick <= :ada", "ada"),
        ("begins_with(nick, :ada)", "ada"),
        ("contains(nick, :a)", "ada mallory"),
        ("contains(tags, :m)", "ada bob"),
        ("NOT contains(tags, :m)", "eve mallory"),
        ("contains(notes, :n2)", "ada"),
        ("contains(codes, :n1)", "mallory"),
        ("attribute_exists(notes)", "ada eve"),
        ("attribute_not_exists(born)", "mallory"),
        ("attribute_exists(nothing)", "eve"),
        ("attribute_type(nick, :s)", "ada bob eve mallory"),
        ("attribute_type(born, :s)", ""),
        ("home.city = :london", "ada"),
        ("notes[0] = :first", "ada"),
        ("notes[9] = :first", ""),
        ("active = :true", "bob"),
        # Sets are equal regardless of order.
        ("tags = :tags", "ada"),
        ("tags <> :tags", "bob eve mallory"),
        # The size of a string is its number of UTF-16 units: é is one, 𝄞 two.
        ("size(nick) = :n3", "ada bob eve"),
        ("size(nick) > :n3", "mallory"),
        ("size(secret) = :n3", "ada"),
        ("size(notes) = :n2", "ada"),
        ("size(home) = :n2", "ada"),
        ("size(tags) = :n1", "bob"),
        ("size(born) > :n1", ""),
        ("size(absent) < :n1", ""),
        ("secret > :raw", "ada mallory"),
        ("begins_with(secret, :raw)", "ada"),
        ("secret BETWEEN :low AND :high", "mallory"),
        ("nick = :ada OR born > :late", "ada eve"),
        ("nick = :ada AND born > :late", ""),
        ("nick = :ada OR active = :true AND born < :early", "ada"),
        ("(nick = :ada) OR (active = :true)", "ada bob"),
        ("(nick = :ada OR active = :true)", "ada bob"),
        ("(nick = :ada OR (active = :true))", "ada bob"),
        ("(attribute_exists(born)) AND ((nick = :ada) OR (active = :true))", "ada bob"),
        ("(attribute_exists(born)) AND (NOT (nick = :ada))", "bob eve"),
        ("contains(nick, :empty)", "ada bob eve mallory"),
    ],
)
def test_filter_returns_matching_items(
    driver: Driver, people: str, condition: str, passing: str
) -> None:
    partition = replace(
        query(people, "pk = :p"),
        filter_expression=condition,
        expression_attribute_values=(mentioned(condition, VALUES) or {}) | {":p": text("p")},
    )
    for asked in (
        scan(people, condition, **VALUES),
        partition,
        replace(partition, index_name="everybody"),
    ):
        page = driver.execute(asked)
        assert sorted(values_of(page.items, "sk")) == passing.split()
        assert (page.count, page.scanned_count) == (len(passing.split()), 4)


# The empty string is a member like any other: it is only in sets that contain it.
def test_contains_finds_empty_string_in_sets(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, {"pk": text("with"), "t": {"SS": ["", "a"]}})
    put(driver, table, {"pk": text("without"), "t": {"SS": ["a", "b"]}})
    page = driver.execute(scan(table, "contains(t, :empty)", empty=text("")))
    assert values_of(page.items, "pk") == ["with"]


# The filter sees the whole item, not only the projected attributes.
def test_filter_sees_attributes_outside_the_projection(driver: Driver, people: str) -> None:
    asked = replace(scan(people, "born < :early", **VALUES), projection_expression="nick")
    assert driver.execute(asked).items == [{"nick": text("Ada")}]


@pytest.mark.parametrize(
    ("conditions", "operator", "passing"),
    [
        ({}, None, "ada bob eve mallory"),
        ({"born": Condition("EQ", [number("1815.0")])}, None, "ada"),
        ({"born": Condition("NE", [text("1815")])}, None, "ada bob eve mallory"),
        ({"born": Condition("IN", [number(1815), number(2000)])}, None, "ada eve"),
        ({"nick": Condition("CONTAINS", [text("o")])}, None, "bob mallory"),
        ({"active": Condition("EQ", [TRUE])}, None, "bob"),
        ({"active": Condition("NE", [TRUE])}, None, "ada eve mallory"),
        ({"born": Condition("GT", [number(1900)])}, None, "bob eve"),
        ({"nick": Condition("BEGINS_WITH", [text("A")])}, None, "ada"),
        ({"born": Condition("BETWEEN", [number(1815), number(1990)])}, None, "ada bob"),
        ({"nick": Condition("IN", [text("Ada"), text("Bob")])}, None, "ada bob"),
        ({"born": Condition("NULL")}, None, "mallory"),
        ({"nothing": Condition("NOT_NULL")}, None, "eve"),
        # Unlike in an expression, a missing attribute does not match.
        ({"tags": Condition("NOT_CONTAINS", [text("poetry")])}, None, "bob"),
        (
            {"born": Condition("GT", [number(1900)]), "active": Condition("NULL")},
            None,
            "eve",
        ),
        (
            {"born": Condition("GT", [number(1900)]), "active": Condition("NULL")},
            "AND",
            "eve",
        ),
        (
            {"born": Condition("GT", [number(1900)]), "active": Condition("NULL")},
            "OR",
            "ada bob eve mallory",
        ),
    ],
)
def test_legacy_filter_returns_matching_items(
    driver: Driver,
    people: str,
    conditions: dict[str, Condition],
    operator: ConditionalOperator | None,
    passing: str,
) -> None:
    for asked in (
        Scan(people, scan_filter=conditions, conditional_operator=operator),
        Query(
            people,
            key_conditions=BY_PARTITION,
            query_filter=conditions,
            conditional_operator=operator,
        ),
    ):
        page = driver.execute(asked)
        assert sorted(values_of(page.items, "sk")) == passing.split()
        assert (page.count, page.scanned_count) == (len(passing.split()), 4)


# Unlike QueryFilter, ScanFilter may use the key.
def test_legacy_scan_filter_may_use_the_key(driver: Driver, people: str) -> None:
    in_partition = {**BY_PARTITION, "sk": Condition("GT", [text("bob")])}
    page = driver.execute(Scan(people, scan_filter=in_partition))
    assert sorted(values_of(page.items, "sk")) == ["eve", "mallory"]
    assert page.scanned_count == 4
