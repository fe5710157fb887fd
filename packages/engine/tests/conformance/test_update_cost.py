"""Maximum size of an update: DynamoDB measures the statement as well as the resulting item.

An update is refused if its statement counts more than 409,600 bytes, even if the item that it makes
is smaller. Key, condition and untouched attributes are not counted; every clause costs something
beyond its names and values.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from dynamodb_engine.operations import Driver, UpdateItem
from dynamodb_engine.values import AttributeValue, Item
from tests.conformance.errors import validation_error
from tests.conformance.tables import make_table, put, stored

LIMIT = 409_600
TOO_LARGE = "Item size to update has exceeded the maximum allowed size"
# The statement itself, and `SET b = :pad` without the padding.
STATEMENT = 3
SET_B = 19 + 1
KEY: Item = {"pk": {"S": "K"}}
KEY_SIZE = 3
ONE: AttributeValue = {"N": "1"}
LIST: AttributeValue = {"L": [{"N": "0"}] * 11}


@dataclass(frozen=True)
class Clause:
    """Return an update that sets `b` to padding and contains another clause of this many bytes."""

    text: str
    cost: int
    before: Item = field(default_factory=dict[str, AttributeValue])
    values: Item = field(default_factory=dict[str, AttributeValue])


CLAUSES = [
    Clause("SET b = :pad", 0),
    Clause("SET b = :pad, c = :one", 19 + 1 + 2, values={":one": ONE}),
    Clause("SET b = :pad, abcdefghij = :one", 19 + 10 + 2, values={":one": ONE}),
    # A value is charged wherever it is used.
    Clause("SET b = :pad, c = :s, d = :s", 2 * (20 + 50), values={":s": {"S": "x" * 50}}),
    Clause("SET b = :pad, c = :m", 20 + 7, values={":m": {"M": {"ab": {"S": "c"}}}}),
    # Reading a path costs the path; the value found there is free.
    Clause("SET b = :pad, c = abcdefghij", 20 + 1 + 24, {"abcdefghij": ONE}),
    Clause("SET b = :pad, c = d", 20 + 1 + 15, {"d": {"S": "xxxxx"}}),
    Clause("SET b = :pad, c = m.z", 20 + 1 + 2 * 15, {"m": {"M": {"z": ONE}}}),
    Clause("SET b = :pad, c = m.a.z", 20 + 1 + 3 * 15, {"m": {"M": {"a": {"M": {"z": ONE}}}}}),
    Clause("SET b = :pad, c = l[10]", 20 + 1 + 15 + 16, {"l": LIST}),
    # Functions and sums
    Clause("SET b = :pad, n = n + :one", 20 + 34 + 16 + 2, {"n": ONE}, {":one": ONE}),
    Clause("SET b = :pad, n = n - :one", 20 + 37 + 16 + 2, {"n": ONE}, {":one": ONE}),
    Clause(
        "SET b = :pad, c = if_not_exists(c, :m)",
        20 + 39 + 16 + 7,
        values={":m": {"M": {"ab": {"S": "c"}}}},
    ),
    Clause("SET b = :pad, c = if_not_exists(c, :one)", 20 + 39 + 16 + 2, {"c": ONE}, {":one": ONE}),
    Clause(
        "SET b = :pad, l = list_append(l, :new)",
        20 + 37 + 16 + 6,
        {"l": {"L": []}},
        {":new": {"L": [ONE]}},
    ),
    Clause(
        "SET b = :pad, c = list_append(:x, :y)",
        20 + 37 + 6 + 6,
        values={":x": {"L": [ONE]}, ":y": {"L": [ONE]}},
    ),
    # ADD is charged like SET; for a set, only the added members count.
    Clause("SET b = :pad ADD abcdefghij :one", 19 + 10 + 2, values={":one": ONE}),
    Clause(
        "SET b = :pad ADD ss :new",
        19 + 2 + 500,
        {"ss": {"SS": ["a"]}},
        {":new": {"SS": ["x" * 500]}},
    ),
    # Removing costs the path, and nothing for the named values.
    Clause("SET b = :pad REMOVE r", 1 + 1),
    Clause("SET b = :pad REMOVE abcdefghij", 1 + 10, {"abcdefghij": ONE}),
    Clause("SET b = :pad REMOVE m.yyyyyyyyyy", 1 + 1 + 4 + 10, {"m": {"M": {}}}),
    Clause("SET b = :pad REMOVE abcdefghij[1]", 1 + 10 + 4 + 1, {"abcdefghij": {"L": [ONE]}}),
    Clause("SET b = :pad REMOVE l[10]", 1 + 1 + 4 + 2, {"l": {"L": []}}),
    Clause(
        "SET b = :pad DELETE abcdefghij :rm",
        1 + 10,
        {"abcdefghij": {"SS": ["a"]}},
        {":rm": {"SS": ["a" * 500]}},
    ),
    Clause("SET b = :pad DELETE ss :rm", 1 + 2, {"ss": {"SS": ["a"]}}, {":rm": {"SS": ["a"]}}),
]


def _padded(
    table: str, expression: str, length: int, *, key: Item = KEY, values: Item | None = None
) -> UpdateItem:
    return UpdateItem(
        table,
        key,
        update_expression=expression,
        expression_attribute_values={":pad": {"S": "x" * length}, **(values or {})},
    )


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.text)
def test_update_clause_cost_in_bytes(driver: Driver, clause: Clause) -> None:
    table = make_table(driver, pk="S")
    before = KEY | clause.before
    put(driver, table, before)
    room = LIMIT - STATEMENT - SET_B - clause.cost
    over = _padded(table, clause.text, room + 1, values=clause.values)
    assert validation_error(driver, over) == TOO_LARGE
    assert stored(driver, table, KEY) == before
    driver.execute(_padded(table, clause.text, room, values=clause.values))


# A placeholder costs as much as the name it stands for.
def test_placeholder_costs_the_name_it_stands_for(driver: Driver) -> None:
    table = make_table(driver, pk="S")

    def aliased(length: int) -> UpdateItem:
        return UpdateItem(
            table,
            KEY,
            update_expression="SET #twelve_chars = :pad",
            expression_attribute_names={"#twelve_chars": "b"},
            expression_attribute_values={":pad": {"S": "x" * length}},
        )

    room = LIMIT - STATEMENT - SET_B
    assert validation_error(driver, aliased(room + 1)) == TOO_LARGE
    driver.execute(aliased(room))


# A step into a map costs as much as the map around the value; a step into a list costs one byte
# more.
@pytest.mark.parametrize(
    ("before", "expression", "cost"),
    [
        ({"d": {"M": {}}}, "SET d.leaf = :pad", 19 + 1 + 4 + 4),
        ({"d": {"L": []}}, "SET d[0] = :pad", 19 + 1 + 4 + 1),
    ],
)
def test_document_path_costs_its_steps(
    driver: Driver, before: Item, expression: str, cost: int
) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, KEY | before)
    room = LIMIT - STATEMENT - cost
    assert validation_error(driver, _padded(table, expression, room + 1)) == TOO_LARGE
    driver.execute(_padded(table, expression, room))


def test_document_cost_is_the_sum_of_its_parts(driver: Driver) -> None:
    table = make_table(driver, pk="S")

    def update(document: AttributeValue) -> UpdateItem:
        return UpdateItem(
            table,
            KEY,
            update_expression="SET d = :d",
            expression_attribute_values={":d": document},
        )

    room = LIMIT - STATEMENT - (19 + 1 + 3 + 1 + 4)
    assert validation_error(driver, update({"M": {"leaf": {"S": "x" * (room + 1)}}})) == TOO_LARGE
    driver.execute(update({"M": {"leaf": {"S": "x" * room}}}))
    room = LIMIT - STATEMENT - (19 + 1 + 3 + 1)
    assert validation_error(driver, update({"L": [{"S": "x" * (room + 1)}]})) == TOO_LARGE
    driver.execute(update({"L": [{"S": "x" * room}]}))


# The key is not part of the statement; with a long key, the item size is the tighter limit.
@pytest.mark.parametrize("length", [22, 100, 1024])
def test_long_key_leaves_room_for_the_largest_item(driver: Driver, length: int) -> None:
    table = make_table(driver, pk="S")
    key: Item = {"pk": {"S": "k" * length}}
    room = LIMIT - len("pk") - length - len("b")
    assert validation_error(driver, _padded(table, "SET b = :pad", room + 1, key=key)) == TOO_LARGE
    driver.execute(_padded(table, "SET b = :pad", room, key=key))


@pytest.mark.parametrize("untouched", [11, 100])
def test_untouched_attributes_are_not_charged(driver: Driver, untouched: int) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, {**KEY, "u": {"S": "u" * (untouched - 1)}})
    item_room = LIMIT - KEY_SIZE - untouched - len("b")
    room = min(LIMIT - STATEMENT - SET_B, item_room)
    assert validation_error(driver, _padded(table, "SET b = :pad", room + 1)) == TOO_LARGE
    driver.execute(_padded(table, "SET b = :pad", room))


# The statement is measured before anything is read, whether or not the condition holds or the value
# would be used.
@pytest.mark.parametrize("condition", [None, "attribute_exists(c)", "attribute_not_exists(c)"])
def test_statement_size_is_checked_before_the_condition(
    driver: Driver, condition: str | None
) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, KEY | {"c": ONE})
    request = UpdateItem(
        table,
        KEY,
        update_expression="SET c = if_not_exists(c, :huge)",
        condition_expression=condition,
        expression_attribute_values={":huge": {"S": "x" * 409_700}},
    )
    assert validation_error(driver, request) == TOO_LARGE
    assert stored(driver, table, KEY) == KEY | {"c": ONE}
