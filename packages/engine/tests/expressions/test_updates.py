"""Applying updates, and what they cost."""

from __future__ import annotations

from copy import deepcopy

import pytest

from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions import (
    Placeholders,
    apply_update,
    creates_item,
    parse_update,
    update_cost,
    updated_attributes,
)
from dynamodb_engine.values import AttributeValue, Item
from tools.testing.cases import every

ITEM: Item = {
    "n": {"N": "10"},
    "s": {"S": "hello"},
    "l": {"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}]},
    "m": {"M": {"x": {"N": "1"}, "y": {"M": {"z": {"S": "deep"}}}, "l": {"L": [{"N": "0"}]}}},
    "ss": {"SS": ["cat", "dog"]},
    "ns": {"NS": ["2", "10"]},
    "bs": {"BS": ["fw=="]},
    "people": {"L": [{"M": {"nick": {"S": "ada"}}}, {"M": {"nick": {"S": "bob"}}}]},
}
VALUES: dict[str, AttributeValue] = {
    ":1": {"N": "1"},
    ":5": {"N": "5"},
    ":huge": {"N": "9" + "0" * 125},
    ":v": {"S": "new"},
    ":w": {"S": "newer"},
    ":x": {"S": "newest"},
    ":l": {"L": [{"S": "d"}]},
    ":none": {"L": []},
    ":blank": {"SS": [""]},
    ":dog": {"SS": ["dog"]},
    ":both": {"SS": ["cat", "dog"]},
    ":ns": {"NS": ["3", "2"]},
    ":bs": {"BS": ["gA==", "AQ=="]},
}
NO_SUCH = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
BAD_PATH = "The document path provided in the update expression is invalid for update"


def after(text: str, item: Item = ITEM) -> Item:
    """Return the updated item; check that the original is unchanged."""
    before = deepcopy(item)
    result = apply_update(parse_update(text, Placeholders(None, VALUES)), item)
    assert item == before
    return result


def changed(text: str) -> Item:
    """Return the attributes that are new or different after the update."""
    return {name: value for name, value in after(text).items() if ITEM.get(name) != value}


def texts(*values: str) -> AttributeValue:
    return {"L": [{"S": value} for value in values]}


CHANGES: list[tuple[str, Item]] = [
    ("SET a = :v", {"a": {"S": "new"}}),
    ("SET s = n", {"s": {"N": "10"}}),
    ("SET n = n + :5", {"n": {"N": "15"}}),
    ("SET n = (n - :5)", {"n": {"N": "5"}}),
    ("SET n = :5 - n", {"n": {"N": "-5"}}),
    ("SET a = if_not_exists(n, :5)", {"a": {"N": "10"}}),
    ("SET a = if_not_exists(a, :5)", {"a": {"N": "5"}}),
    ("SET a = if_not_exists(a, n)", {"a": {"N": "10"}}),
    ("SET a = if_not_exists(a, if_not_exists(b, s))", {"a": {"S": "hello"}}),
    ("SET a = if_not_exists(a, :5) + :1", {"a": {"N": "6"}}),
    ("SET l = list_append(l, :l)", {"l": texts("a", "b", "c", "d")}),
    ("SET l = list_append(:l, l)", {"l": texts("d", "a", "b", "c")}),
    ("SET a = list_append(if_not_exists(a, :none), :l)", {"a": texts("d")}),
    # Right-hand sides refer to the item before the update.
    ("SET s = :v, a = s", {"s": {"S": "new"}, "a": {"S": "hello"}}),
    ("SET a = s REMOVE s", {"a": {"S": "hello"}}),
    ("SET l[1] = :v", {"l": texts("a", "new", "c")}),
    ("SET l[1] = l[0], l[0] = l[1]", {"l": texts("b", "a", "c")}),
    # Elements beyond the end of a list are appended in the order of their indexes, without gaps.
    ("SET l[7] = :v", {"l": texts("a", "b", "c", "new")}),
    (
        "SET l[84] = :v, l[37] = :w, l[3] = :x",
        {"l": texts("a", "b", "c", "newest", "newer", "new")},
    ),
    ("REMOVE l[1]", {"l": texts("a", "c")}),
    ("REMOVE l[0], l[2]", {"l": texts("b")}),
    ("REMOVE l[0], l[1], l[2]", {"l": texts()}),
    # An index refers to the list before any element was removed.
    ("REMOVE l[0] SET l[1] = :v", {"l": texts("new", "c")}),
    ("SET l[2] = :v, l[9] = :w REMOVE l[0]", {"l": texts("b", "new", "newer")}),
    (
        "REMOVE people[0].nick SET people[1].nick = :v",
        {"people": {"L": [{"M": {}}, {"M": {"nick": {"S": "new"}}}]}},
    ),
    (
        "SET m.x = :5, m.y.z = :v, m.fresh = m.x REMOVE m.l[0]",
        {
            "m": {
                "M": {
                    "x": {"N": "5"},
                    "y": {"M": {"z": {"S": "new"}}},
                    "l": {"L": []},
                    "fresh": {"N": "1"},
                }
            }
        },
    ),
    ("SET m.l[0] = m.l[0] + :1", {"m": {"M": {**ITEM["m"]["M"], "l": {"L": [{"N": "1"}]}}}}),
    ("ADD n :5", {"n": {"N": "15"}}),
    ("ADD a :5", {"a": {"N": "5"}}),
    ("ADD a :dog", {"a": {"SS": ["dog"]}}),
    (
        "ADD m.x :5, m.hits :1",
        {"m": {"M": {**ITEM["m"]["M"], "x": {"N": "6"}, "hits": {"N": "1"}}}},
    ),
    # Sets are returned in DynamoDB's order: text and binary by bytes, numbers by value.
    ("ADD ss :blank", {"ss": {"SS": ["", "cat", "dog"]}}),
    ("ADD ns :ns", {"ns": {"NS": ["2", "3", "10"]}}),
    ("ADD bs :bs", {"bs": {"BS": ["AQ==", "fw==", "gA=="]}}),
    ("DELETE ss :dog", {"ss": {"SS": ["cat"]}}),
    ("DELETE ns :ns", {"ns": {"NS": ["10"]}}),
    ("DELETE ss :blank", {}),
    ("DELETE gone :dog", {}),
    ("REMOVE gone, m.gone, l[7]", {}),
]


@every(("text", "expected"), CHANGES)
def test_apply_update(text: str, expected: Item) -> None:
    assert changed(text) == expected


def test_remove_deletes_attributes() -> None:
    assert after("REMOVE n, s") == {k: v for k, v in ITEM.items() if k not in ("n", "s")}


# DynamoDB has no empty sets.
def test_deleting_last_member_of_a_set_removes_the_attribute() -> None:
    assert "ss" not in after("DELETE ss :both")
    assert after("DELETE m.s :dog", {"m": {"M": {"s": {"SS": ["dog"]}}}}) == {"m": {"M": {}}}
    assert after("DELETE l[0] :dog", {"l": {"L": [{"SS": ["dog"]}]}}) == {"l": {"L": []}}


@every(
    ("text", "message"),
    [
        ("SET a = gone", NO_SUCH),
        ("SET a = m.gone", NO_SUCH),
        ("SET a = l[3]", NO_SUCH),
        ("SET a = gone + :1", NO_SUCH),
        ("SET a = :1 + gone", NO_SUCH),
        ("SET a = list_append(gone, :l)", NO_SUCH),
        ("SET a = if_not_exists(gone, gone2)", NO_SUCH),
        ("SET x = :v, y = x", NO_SUCH),
        ("SET a = s + :1", WRONG_TYPE),
        ("SET a = :1 - s", WRONG_TYPE),
        ("SET a = list_append(s, :l)", WRONG_TYPE),
        ("SET a = list_append(:l, ss)", WRONG_TYPE),
        ("SET a = if_not_exists(s, :1) + :1", WRONG_TYPE),
        ("ADD s :1", WRONG_TYPE),
        ("ADD n :dog", WRONG_TYPE),
        ("ADD ns :dog", WRONG_TYPE),
        ("ADD l :dog", WRONG_TYPE),
        ("DELETE s :dog", WRONG_TYPE),
        ("DELETE ns :dog", WRONG_TYPE),
        ("SET gone.a = :v", BAD_PATH),
        ("SET s.a = :v", BAD_PATH),
        ("SET l.a = :v", BAD_PATH),
        ("SET m[0] = :v", BAD_PATH),
        ("SET gone[0] = :v", BAD_PATH),
        ("SET m.gone.a = :v", BAD_PATH),
        ("SET l[3].a = :v", BAD_PATH),
        ("REMOVE gone.a", BAD_PATH),
        ("REMOVE s[0]", BAD_PATH),
        ("REMOVE l.a", BAD_PATH),
        ("ADD gone.a :1", BAD_PATH),
        ("DELETE gone.a :dog", BAD_PATH),
        # Right-hand sides are checked before any target.
        ("SET gone.a = :v, b = gone", NO_SUCH),
        (
            "SET n = :huge + :huge",
            "Number overflow. Attempting to store a number with magnitude larger than supported "
            "range",
        ),
        # The result has 126 digits, which DynamoDB reports as an overflow.
        (
            "SET n = :huge - :1",
            "Number overflow. Attempting to store a number with magnitude larger than supported "
            "range",
        ),
    ],
)
def test_apply_update_rejects_item(text: str, message: str) -> None:
    with pytest.raises(ValidationError) as error:
        after(text)
    assert error.value.message == message


# REMOVE and DELETE alone do not create an item.
@every(
    ("text", "creates"),
    [("SET a = :v", True), ("ADD a :1", True), ("REMOVE a", False), ("DELETE a :dog", False)],
)
def test_only_set_and_add_create_an_item(text: str, creates: bool) -> None:
    update = parse_update(text, Placeholders(None, VALUES))
    assert creates_item(update) is creates


# UPDATED_OLD and UPDATED_NEW return the values at the paths of the update, before and after it. So
# an element that moved to a removed index is included, and one set beyond the end is not.
@every(
    ("text", "old", "new"),
    [
        ("SET s = :v, a = :w", {"s": {"S": "hello"}}, {"s": {"S": "new"}, "a": {"S": "newer"}}),
        ("REMOVE s", {"s": {"S": "hello"}}, {}),
        ("SET m.x = :5", {"m": {"M": {"x": {"N": "1"}}}}, {"m": {"M": {"x": {"N": "5"}}}}),
        (
            "SET m.y.z = :v, m.x = :5",
            {"m": {"M": {"y": {"M": {"z": {"S": "deep"}}}, "x": {"N": "1"}}}},
            {"m": {"M": {"y": {"M": {"z": {"S": "new"}}}, "x": {"N": "5"}}}},
        ),
        ("SET l[1] = :v", {"l": texts("b")}, {"l": texts("new")}),
        ("SET m.fresh = :v", {}, {"m": {"M": {"fresh": {"S": "new"}}}}),
        ("SET l[100] = :v", {}, {}),
        ("REMOVE l[1], l[7]", {"l": texts("b")}, {"l": texts("c")}),
        ("DELETE ss :both", {"ss": {"SS": ["cat", "dog"]}}, {}),
    ],
)
def test_updated_attributes_before_and_after(text: str, old: Item, new: Item) -> None:
    update = parse_update(text, Placeholders(None, VALUES))
    assert updated_attributes(update, ITEM) == old
    assert updated_attributes(update, apply_update(update, ITEM)) == new


PAD: AttributeValue = {"S": "x" * 100}
COST_VALUES: dict[str, AttributeValue] = {
    ":pad": PAD,
    ":one": {"N": "1"},
    ":list": {"L": [PAD]},
    ":map": {"M": {"leaf": PAD}},
    ":set": {"SS": ["x" * 500]},
}


def cost(text: str, names: dict[str, str] | None = None) -> int:
    return update_cost(parse_update(text, Placeholders(names, COST_VALUES)))


@every(
    ("text", "expected"),
    [
        ("SET b = :pad", 3 + 19 + 1 + 100),
        ("SET b = :pad, c = :pad", 3 + 2 * (19 + 1 + 100)),
        ("REMOVE r", 3 + 2),
        ("REMOVE m.yyyyyyyyyy", 3 + 1 + 1 + 4 + 10),
        ("REMOVE l[10]", 3 + 1 + 1 + 4 + 2),
        ("DELETE ss :set", 3 + 1 + 2),
        ("ADD ss :set", 3 + 19 + 2 + 500),
        ("ADD abcdefghij :one", 3 + 19 + 10 + 2),
        ("SET c = abcdefghij", 3 + 19 + 1 + 1 + 14 + 10),
        ("SET c = m.a.z", 3 + 19 + 1 + 1 + 3 * (14 + 1)),
        ("SET c = l[10]", 3 + 19 + 1 + 1 + 14 + 1 + 14 + 2),
        ("SET n = n + :one", 3 + 19 + 1 + 34 + (1 + 14 + 1) + 2),
        ("SET n = n - :one", 3 + 19 + 1 + 37 + (1 + 14 + 1) + 2),
        ("SET c = if_not_exists(c, :pad)", 3 + 19 + 1 + 39 + (1 + 14 + 1) + 100),
        ("SET l = list_append(l, :list)", 3 + 19 + 1 + 37 + (1 + 14 + 1) + (3 + 1 + 100)),
    ],
)
def test_update_cost(text: str, expected: int) -> None:
    assert cost(text) == expected


def test_cost_counts_attribute_name_not_its_placeholder() -> None:
    assert cost("SET #twelvechars = :pad", {"#twelvechars": "b"}) == cost("SET b = :pad")


def test_nested_target_costs_as_much_as_whole_attribute() -> None:
    assert cost("SET d.#leaf = :pad", {"#leaf": "leaf"}) == cost("SET d = :map")
    assert cost("SET d[0] = :pad") == cost("SET d = :list") + 1
