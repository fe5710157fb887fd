"""AttributeUpdates: what they make of an item, and which are refused."""

from __future__ import annotations

import pytest

from singletable.engine.legacy_parameters import check_update_types, parse_attribute_updates
from singletable.expressions import apply_update, creates_item
from singletable.operations import AttributeValueUpdate as Change
from singletable.values import AttributeValue, Item
from tests.engine.legacy.values import DIALECT, INVALID, NO_NUMBER, VALUES, n, refusal, s

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
def test_an_attribute_is_changed(
    before: AttributeValue | None, change: Change, after: AttributeValue | None
) -> None:
    item: Item = {} if before is None else {"a.b": before}
    update = parse_attribute_updates({"a.b": change}, DIALECT)
    check_update_types(update, item)
    assert apply_update(update, item) == ({} if after is None else {"a.b": after})


def test_several_attributes_are_changed_at_once() -> None:
    update = parse_attribute_updates(
        {"a": Change(n(1)), "b": Change(n(1), "ADD"), "c": Change(action="DELETE")}, DIALECT
    )
    item: Item = {"b": n(9), "c": s("x"), "d": s("kept")}
    assert apply_update(update, item) == {"a": n(1), "b": n(10), "d": s("kept")}


@pytest.mark.parametrize("updates", [None, {}])
def test_no_updates_change_nothing(updates: dict[str, Change] | None) -> None:
    assert parse_attribute_updates(updates, DIALECT) == ()


# To take from an item that is not there is no reason to make one.
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
def test_only_what_gives_creates_an_item(change: Change, creates: bool) -> None:
    assert creates_item(parse_attribute_updates({"a": change}, DIALECT)) is creates


NO_VALUE = INVALID + "Only DELETE action is allowed when no attribute value is specified"


@pytest.mark.parametrize(
    ("updates", "text"),
    [
        ({"a": Change()}, NO_VALUE),
        ({"a": Change(action="PUT")}, NO_VALUE),
        ({"a": Change(action="ADD")}, NO_VALUE),
        ({"a": Change(n("x"))}, NO_NUMBER + "x"),
        ({"a": Change(n("x"), "DELETE")}, NO_NUMBER + "x"),
        ({"a": Change({"SS": []}, "ADD")}, INVALID + "An string set  may not be empty"),
        ({"": Change(n(1))}, "Empty attribute name"),
        ({"a": Change(n(1)), "b": Change(), "c": Change(n("x"))}, NO_VALUE),
    ],
    ids=str,
)
def test_updates_are_refused(updates: dict[str, Change], text: str) -> None:
    assert refusal(lambda: parse_attribute_updates(updates, DIALECT)) == text


@pytest.mark.parametrize("kind", [kind for kind in VALUES if kind not in ("N", "L", *SETS)])
def test_not_every_type_can_be_added(kind: str) -> None:
    updates = {"a": Change(VALUES[kind], "ADD")}
    text = f"{INVALID}ADD action is not supported for the type {kind}"
    assert refusal(lambda: parse_attribute_updates(updates, DIALECT)) == text


@pytest.mark.parametrize("kind", [kind for kind in VALUES if kind not in SETS])
def test_only_members_of_sets_can_be_deleted(kind: str) -> None:
    updates = {"a": Change(VALUES[kind], "DELETE")}
    text = f"{INVALID}DELETE action with value is not supported for the type {kind}"
    assert refusal(lambda: parse_attribute_updates(updates, DIALECT)) == text


@pytest.mark.parametrize("there", VALUES)
@pytest.mark.parametrize("added", ["N", "L", *SETS])
def test_only_like_is_added_to_like(there: str, added: str) -> None:
    update = parse_attribute_updates({"a": Change(VALUES[added], "ADD")}, DIALECT)
    item = {"a": VALUES[there]}
    if there == added:
        check_update_types(update, item)
    else:
        assert refusal(lambda: check_update_types(update, item)) == MISMATCH


@pytest.mark.parametrize("there", VALUES)
@pytest.mark.parametrize("deleted", SETS)
def test_only_like_is_deleted_from_like(there: str, deleted: str) -> None:
    update = parse_attribute_updates({"a": Change(VALUES[deleted], "DELETE")}, DIALECT)
    item = {"a": VALUES[there]}
    if there == deleted:
        check_update_types(update, item)
    else:
        assert refusal(lambda: check_update_types(update, item)) == MISMATCH
