"""AttributeUpdates: how they change an item, and which are rejected."""

from __future__ import annotations

import pytest

from dynamodb_engine.engine.legacy_parameters import check_update_types, parse_attribute_updates
from dynamodb_engine.engine.validation import READ
from dynamodb_engine.expressions import apply_update, creates_item
from dynamodb_engine.operations import AttributeValueUpdate as Change
from dynamodb_engine.values import AttributeValue, Item
from tests.engine.legacy.parameters import INVALID, NOT_A_NUMBER, VALUES, error_of, n, s
from tools.testing.cases import every

SETS = ("SS", "NS", "BS")
MISMATCH = "Type mismatch for attribute to update"

CASES: list[tuple[AttributeValue | None, Change, AttributeValue | None]] = [
    (None, Change(n(1)), n(1)),
    (s("old"), Change(n("01.0"), "PUT"), n(1)),
    (s("old"), Change({"L": []}, "PUT"), {"L": []}),
    (n(10), Change(n(5), "ADD"), n(15)),
    (n(1), Change(n("-1.5"), "ADD"), n("-0.5")),
    (None, Change(n(5), "ADD"), n(5)),
    ({"SS": ["b"]}, Change({"SS": ["a", "b"]}, "ADD"), {"SS": ["a", "b"]}),
    ({"NS": ["1"]}, Change({"NS": ["2", "1.0"]}, "ADD"), {"NS": ["1", "2"]}),
    ({"BS": ["AQ=="]}, Change({"BS": ["AA=="]}, "ADD"), {"BS": ["AA==", "AQ=="]}),
    (None, Change({"SS": ["a"]}, "ADD"), {"SS": ["a"]}),
    ({"L": [n(1)]}, Change({"L": [s("a"), n(1)]}, "ADD"), {"L": [n(1), s("a"), n(1)]}),
    (None, Change({"L": [n(1)]}, "ADD"), {"L": [n(1)]}),
    (s("old"), Change(action="DELETE"), None),
    (None, Change(action="DELETE"), None),
    ({"SS": ["a", "b"]}, Change({"SS": ["b", "c"]}, "DELETE"), {"SS": ["a"]}),
    ({"NS": ["1", "2"]}, Change({"NS": ["2.0"]}, "DELETE"), {"NS": ["1"]}),
    # There are no empty sets.
    ({"SS": ["a"]}, Change({"SS": ["a"]}, "DELETE"), None),
    (None, Change({"SS": ["a"]}, "DELETE"), None),
]


@pytest.mark.parametrize(("before", "change", "after"), CASES, ids=str)
def test_update_changes_an_attribute(
    before: AttributeValue | None, change: Change, after: AttributeValue | None
) -> None:
    item: Item = {} if before is None else {"a.b": before}
    update = parse_attribute_updates({"a.b": change}, READ)
    check_update_types(update, item)
    assert apply_update(update, item) == ({} if after is None else {"a.b": after})


def test_updates_change_several_attributes_at_once() -> None:
    update = parse_attribute_updates(
        {"a": Change(n(1)), "b": Change(n(1), "ADD"), "c": Change(action="DELETE")}, READ
    )
    item: Item = {"b": n(9), "c": s("x"), "d": s("kept")}
    assert apply_update(update, item) == {"a": n(1), "b": n(10), "d": s("kept")}


@every("updates", [None, {}])
def test_no_updates_change_nothing(updates: dict[str, Change] | None) -> None:
    assert parse_attribute_updates(updates, READ) == ()


# Deleting from a missing item does not create it.
@pytest.mark.parametrize(
    ("change", "creates"),
    [
        (Change(n(1)), True),
        (Change(n(1), "ADD"), True),
        (Change({"L": []}, "ADD"), True),
        (Change(action="DELETE"), False),
        (Change({"SS": ["a"]}, "DELETE"), False),
    ],
    ids=str,
)
def test_only_put_and_add_create_an_item(change: Change, creates: bool) -> None:
    assert creates_item(parse_attribute_updates({"a": change}, READ)) is creates


NO_VALUE = INVALID + "Only DELETE action is allowed when no attribute value is specified"


@pytest.mark.parametrize(
    ("updates", "text"),
    [
        ({"a": Change()}, NO_VALUE),
        ({"a": Change(action="PUT")}, NO_VALUE),
        ({"a": Change(action="ADD")}, NO_VALUE),
        ({"a": Change(n("x"))}, NOT_A_NUMBER + "x"),
        ({"a": Change(n("x"), "DELETE")}, NOT_A_NUMBER + "x"),
        ({"a": Change({"SS": []}, "ADD")}, INVALID + "An string set  may not be empty"),
        ({"": Change(n(1))}, "Empty attribute name"),
        ({"a": Change(n(1)), "b": Change(), "c": Change(n("x"))}, NO_VALUE),
    ],
    ids=str,
)
def test_invalid_updates_are_rejected(updates: dict[str, Change], text: str) -> None:
    assert error_of(lambda: parse_attribute_updates(updates, READ)) == text


@every("kind", [kind for kind in VALUES if kind not in ("N", "L", *SETS)])
def test_add_rejects_unsupported_types(kind: str) -> None:
    updates = {"a": Change(VALUES[kind], "ADD")}
    text = f"{INVALID}ADD action is not supported for the type {kind}"
    assert error_of(lambda: parse_attribute_updates(updates, READ)) == text


@every("kind", [kind for kind in VALUES if kind not in SETS])
def test_delete_with_a_value_rejects_types_other_than_sets(kind: str) -> None:
    updates = {"a": Change(VALUES[kind], "DELETE")}
    text = f"{INVALID}DELETE action with value is not supported for the type {kind}"
    assert error_of(lambda: parse_attribute_updates(updates, READ)) == text


@every("current", VALUES)
@every("added", ["N", "L", *SETS])
def test_add_requires_the_type_of_the_attribute(current: str, added: str) -> None:
    update = parse_attribute_updates({"a": Change(VALUES[added], "ADD")}, READ)
    item = {"a": VALUES[current]}
    if current == added:
        check_update_types(update, item)
    else:
        assert error_of(lambda: check_update_types(update, item)) == MISMATCH


@every("current", VALUES)
@every("deleted", SETS)
def test_delete_requires_the_type_of_the_attribute(current: str, deleted: str) -> None:
    update = parse_attribute_updates({"a": Change(VALUES[deleted], "DELETE")}, READ)
    item = {"a": VALUES[current]}
    if current == deleted:
        check_update_types(update, item)
    else:
        assert error_of(lambda: check_update_types(update, item)) == MISMATCH
