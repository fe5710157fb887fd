"""What UpdateItem changes and returns."""

from __future__ import annotations

import re

import pytest

from dynamodb_engine.operations import Driver, ReturnValue, UpdateItem
from dynamodb_engine.values import AttributeValue, Item
from tests.conformance.errors import INVALID, NOT_VALID, failed_condition, validation_error
from tests.conformance.tables import ada, global_index, make_indexed_table, make_table, put, stored
from tests.conformance.value_positions import KEY

INVALID_PATH = "The document path provided in the update expression is invalid for update"
NO_ATTRIBUTE = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"

VALUES: Item = {
    ":three": {"N": "3"},
    ":ten": {"N": "10"},
    ":new": {"S": "new"},
    ":map": {"M": {"c": {"S": "new"}}},
    ":empty": {"L": []},
    ":x": {"L": [{"S": "x"}]},
    ":blank": {"SS": [""]},
    ":a": {"SS": ["a"]},
    ":b": {"SS": ["b"]},
    ":ab": {"SS": ["a", "b"]},
    ":numbers": {"NS": ["2", "10"]},
    ":no_bytes": {"BS": [""]},
}


def update(
    table: str,
    expression: str,
    condition: str | None = None,
    *,
    returning: ReturnValue | None = None,
    showing: bool = False,
) -> UpdateItem:
    """Return an update of Ada's item with the VALUES that it uses."""
    used = re.findall(r":\w+", f"{expression} {condition}")
    return UpdateItem(
        table,
        KEY,
        update_expression=expression,
        condition_expression=condition,
        expression_attribute_values={alias: VALUES[alias] for alias in used} or None,
        return_values=returning,
        return_values_on_condition_check_failure="ALL_OLD" if showing else None,
    )


def _texts(*texts: str) -> AttributeValue:
    return {"L": [{"S": text} for text in texts]}


UPDATES: list[tuple[Item, str, Item]] = [
    # SET
    (ada(), "SET a = :new", ada(a={"S": "new"})),
    (ada(a={"S": "old"}, b={"N": "1"}), "SET a = :new", ada(a={"S": "new"}, b={"N": "1"})),
    (ada(n={"N": "10"}), "SET n = n + :three", ada(n={"N": "13"})),
    (ada(n={"N": "10"}), "SET n = (n - :three)", ada(n={"N": "7"})),
    (ada(), "SET n = if_not_exists(n, :ten) - :three", ada(n={"N": "7"})),
    (ada(a={"S": "old"}), "SET a = if_not_exists(a, :new)", ada(a={"S": "old"})),
    (ada(), "SET a = if_not_exists(a, :new)", ada(a={"S": "new"})),
    (ada(b={"N": "1"}), "SET a = if_not_exists(a, b)", ada(a={"N": "1"}, b={"N": "1"})),
    (ada(l=_texts("a")), "SET l = list_append(l, :x)", ada(l=_texts("a", "x"))),
    (ada(l=_texts("a")), "SET l = list_append(:x, l)", ada(l=_texts("x", "a"))),
    (ada(), "SET l = list_append(if_not_exists(l, :empty), :x)", ada(l=_texts("x"))),
    # Every right-hand side refers to the item before the update.
    (ada(a={"S": "old"}), "SET a = :new, b = a", ada(a={"S": "new"}, b={"S": "old"})),
    (ada(a={"N": "1"}, b={"N": "2"}), "SET a = b, b = a", ada(a={"N": "2"}, b={"N": "1"})),
    (ada(), "SET tags = :blank", ada(tags={"SS": [""]})),
    # SET inside documents
    (ada(m={"M": {}}), "SET m.tags = :blank", ada(m={"M": {"tags": {"SS": [""]}}})),
    (
        ada(m={"M": {"a": {"M": {"b": {"N": "1"}}}}}),
        "SET m.a.b = :new",
        ada(m={"M": {"a": {"M": {"b": {"S": "new"}}}}}),
    ),
    (ada(m={"M": {"n": {"N": "10"}}}), "SET m.n = m.n + :three", ada(m={"M": {"n": {"N": "13"}}})),
    (ada(m={"M": {}}), "SET m.child = :new", ada(m={"M": {"child": {"S": "new"}}})),
    (ada(l=_texts("a", "b")), "SET l[1] = :new", ada(l=_texts("a", "new"))),
    # Setting beyond the end of a list appends.
    (ada(l=_texts("a", "b", "c")), "SET l[5] = :new", ada(l=_texts("a", "b", "c", "new"))),
    (ada(l={"L": []}), "SET l[0] = :new", ada(l=_texts("new"))),
    # REMOVE
    (ada(a={"S": "a"}, b={"S": "b"}), "REMOVE a", ada(b={"S": "b"})),
    (ada(b={"S": "b"}), "REMOVE a", ada(b={"S": "b"})),
    (ada(m={"M": {"x": {"N": "1"}}}), "REMOVE m.y", ada(m={"M": {"x": {"N": "1"}}})),
    (
        ada(m={"M": {"x": {"N": "1"}, "y": {"N": "2"}}}),
        "REMOVE m.y",
        ada(m={"M": {"x": {"N": "1"}}}),
    ),
    (ada(l=_texts("a", "b", "c", "d")), "REMOVE l[1]", ada(l=_texts("a", "c", "d"))),
    (ada(l=_texts("a", "b")), "REMOVE l[1]", ada(l=_texts("a"))),
    # Indexes refer to the list before the update, so two removals do not shift each other.
    (ada(l=_texts("a", "b", "c", "d")), "REMOVE l[0], l[2]", ada(l=_texts("b", "d"))),
    (ada(l=_texts("a")), "REMOVE l[7]", ada(l=_texts("a"))),
    # ADD
    (ada(n={"N": "10"}), "ADD n :three", ada(n={"N": "13"})),
    (ada(), "ADD n :ten", ada(n={"N": "10"})),
    (ada(s={"SS": ["b"]}), "ADD s :ab", ada(s={"SS": ["a", "b"]})),
    (ada(), "ADD s :ab", ada(s={"SS": ["a", "b"]})),
    (ada(s={"SS": ["a"]}), "ADD s :blank", ada(s={"SS": ["", "a"]})),
    (ada(), "ADD s :blank", ada(s={"SS": [""]})),
    (ada(s={"SS": [""]}), "ADD s :blank", ada(s={"SS": [""]})),
    (ada(s={"NS": ["3"]}), "ADD s :numbers", ada(s={"NS": ["2", "3", "10"]})),
    (ada(s={"BS": ["AQ=="]}), "ADD s :no_bytes", ada(s={"BS": ["", "AQ=="]})),
    # DELETE
    (ada(s={"SS": ["a", "b", "c"]}), "DELETE s :ab", ada(s={"SS": ["c"]})),
    (ada(s={"SS": ["", "a"]}), "DELETE s :blank", ada(s={"SS": ["a"]})),
    (ada(s={"SS": ["", "a"]}), "DELETE s :a", ada(s={"SS": [""]})),
    # A set without members is removed.
    (ada(s={"SS": ["a", "b"]}), "DELETE s :ab", ada()),
    (ada(s={"SS": [""]}), "DELETE s :blank", ada()),
    (ada(), "DELETE s :a", ada()),
    (ada(s={"SS": ["a"]}), "DELETE s :b", ada(s={"SS": ["a"]})),
    # All together
    (
        ada(a={"S": "a"}, n={"N": "1"}, s={"SS": ["a", "b"]}),
        "SET b = a REMOVE a ADD n :three DELETE s :a",
        ada(b={"S": "a"}, n={"N": "4"}, s={"SS": ["b"]}),
    ),
]


@pytest.mark.parametrize(("before", "expression", "after"), UPDATES)
def test_update_changes_only_named_attributes(
    driver: Driver, before: Item, expression: str, after: Item
) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, before)
    assert driver.execute(update(table, expression)).raw_attributes is None
    assert stored(driver, table, KEY) == after


# An update creates a missing item; but there is nothing to remove from it.
@pytest.mark.parametrize(
    ("expression", "after"),
    [
        ("SET a = :new", ada(a={"S": "new"})),
        ("ADD n :ten", ada(n={"N": "10"})),
        ("ADD s :ab", ada(s={"SS": ["a", "b"]})),
        ("SET a = :new REMOVE b", ada(a={"S": "new"})),
        ("REMOVE a", None),
        ("DELETE s :a", None),
    ],
)
def test_update_creates_a_missing_item(driver: Driver, expression: str, after: Item | None) -> None:
    table = make_table(driver, pk="S")
    driver.execute(update(table, expression))
    assert stored(driver, table, KEY) == after


def test_update_that_creates_no_item_returns_none(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    assert driver.execute(update(table, "REMOVE a", returning="ALL_NEW")).attributes is None


# An update without an expression creates an item that has only the key.
def test_update_without_expression_creates_a_key_only_item(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    assert driver.execute(UpdateItem(table, KEY)).raw_attributes is None
    assert stored(driver, table, KEY) == KEY
    put(driver, table, ada(a={"S": "a"}))
    whole = driver.execute(UpdateItem(table, KEY, return_values="ALL_NEW"))
    assert whole.attributes == ada(a={"S": "a"})
    touched = driver.execute(UpdateItem(table, KEY, return_values="UPDATED_NEW"))
    assert touched.attributes is None
    assert stored(driver, table, KEY) == ada(a={"S": "a"})


BEFORE = ada(
    x={"N": "1"},
    y={"N": "2"},
    m={"M": {"a": {"S": "a"}, "keep": {"S": "keep"}}},
    l=_texts("zero", "one", "two"),
)
RETURNED: list[tuple[str, ReturnValue, Item | None]] = [
    ("SET x = :ten", "NONE", None),
    ("SET x = :ten", "ALL_OLD", BEFORE),
    ("SET x = :ten", "ALL_NEW", ada(x={"N": "10"}, y={"N": "2"}, m=BEFORE["m"], l=BEFORE["l"])),
    ("SET x = :ten", "UPDATED_OLD", {"x": {"N": "1"}}),
    ("SET x = :ten", "UPDATED_NEW", {"x": {"N": "10"}}),
    ("ADD x :ten", "UPDATED_NEW", {"x": {"N": "11"}}),
    ("SET z = :ten", "UPDATED_OLD", None),
    ("SET z = :ten", "UPDATED_NEW", {"z": {"N": "10"}}),
    # Of a document, only the changed parts, in the shape of the document.
    ("SET m.a = :new", "UPDATED_OLD", {"m": {"M": {"a": {"S": "a"}}}}),
    ("SET m.a = :new", "UPDATED_NEW", {"m": {"M": {"a": {"S": "new"}}}}),
    (
        "SET m.a = :new, m.b = :ten",
        "UPDATED_NEW",
        {"m": {"M": {"a": {"S": "new"}, "b": {"N": "10"}}}},
    ),
    ("REMOVE y", "UPDATED_OLD", {"y": {"N": "2"}}),
    ("REMOVE y", "UPDATED_NEW", None),
    ("SET x = :ten REMOVE y", "UPDATED_NEW", {"x": {"N": "10"}}),
    ("SET l[1] = :new", "UPDATED_OLD", {"l": _texts("one")}),
    ("SET l[1] = :new", "UPDATED_NEW", {"l": _texts("new")}),
    ("REMOVE l[1], l[3]", "UPDATED_OLD", {"l": _texts("one")}),
    # The paths are evaluated again in the new item, where another element may have moved up...
    ("REMOVE l[1]", "UPDATED_NEW", {"l": _texts("two")}),
    # ...and a value set beyond the end is not at the index it was set to.
    ("SET l[9] = :new", "UPDATED_NEW", None),
    # Setting the same value counts as an update.
    ("SET x = x", "UPDATED_OLD", {"x": {"N": "1"}}),
]


@pytest.mark.parametrize(("expression", "asked", "given"), RETURNED)
def test_update_returns_requested_values(
    driver: Driver, expression: str, asked: ReturnValue, given: Item | None
) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, BEFORE)
    assert driver.execute(update(table, expression, returning=asked)).attributes == given


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("ALL_OLD", None),
        ("UPDATED_OLD", None),
        ("ALL_NEW", ada(a={"S": "new"}, n={"N": "10"})),
        ("UPDATED_NEW", {"a": {"S": "new"}, "n": {"N": "10"}}),
    ],
)
def test_update_of_new_item_returns_no_old_values(
    driver: Driver, asked: ReturnValue, given: Item | None
) -> None:
    table = make_table(driver, pk="S")
    create = update(table, "SET a = :new, n = :ten", "attribute_not_exists(pk)", returning=asked)
    assert driver.execute(create).attributes == given


CONDITIONS = [
    ("a = :new", True),
    ("n = :three", False),
    ("n > :three", True),
    ("n > :ten", False),
    ("attribute_not_exists(locked)", True),
    ("attribute_not_exists(a)", False),
    ("a = :new AND n > :three", True),
    ("a = :new AND n > :ten", False),
    ("(a = :new) AND (n > :three)", True),
    ("(a = :new AND n > :three)", True),
    ("(a = :new AND (n > :three))", True),
    ("(a = :map) AND (n > :three)", False),
]


@pytest.mark.parametrize(("condition", "holds"), CONDITIONS)
def test_update_requires_its_condition(driver: Driver, condition: str, holds: bool) -> None:
    table = make_table(driver, pk="S")
    before = ada(a={"S": "new"}, n={"N": "5"})
    put(driver, table, before)
    if holds:
        driver.execute(update(table, "SET done = :ten", condition))
        assert stored(driver, table, KEY) == before | {"done": {"N": "10"}}
    else:
        refused = failed_condition(driver, update(table, "SET done = :ten", condition))
        assert refused.item is None
        assert stored(driver, table, KEY) == before


def test_failed_condition_returns_the_item_on_request(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    before = ada(a={"S": "old"}, n={"N": "5"})
    put(driver, table, before)
    asking = update(table, "SET n = :ten", "a = :new", showing=True)
    assert failed_condition(driver, asking).item == before


# A failed condition must not create the item.
@pytest.mark.parametrize(
    "condition", ["attribute_exists(pk)", "n > :three", "attribute_exists(pk) AND a = :new"]
)
def test_failed_condition_creates_no_item(driver: Driver, condition: str) -> None:
    table = make_table(driver, pk="S")
    failed_condition(driver, update(table, "ADD n :ten", condition, showing=True))
    assert stored(driver, table, KEY) is None


IMPOSSIBLE: list[tuple[Item, str, str]] = [
    (ada(), "SET a.b = :new", INVALID_PATH),
    (ada(), "SET a.b.c = :new", INVALID_PATH),
    (ada(a={"S": "text"}), "SET a.b = :new", INVALID_PATH),
    (ada(a={"M": {}}), "SET a[0] = :new", INVALID_PATH),
    (ada(a={"L": []}), "SET a.b = :new", INVALID_PATH),
    (ada(), "REMOVE a.b", INVALID_PATH),
    (ada(), "SET a = b", NO_ATTRIBUTE),
    (ada(), "SET a = a + :ten", NO_ATTRIBUTE),
    (ada(), "SET a = list_append(a, :x)", NO_ATTRIBUTE),
    (ada(a={"S": "text"}), "SET a = a + :ten", WRONG_TYPE),
    (ada(a={"S": "text"}), "SET a = list_append(a, :x)", WRONG_TYPE),
    (ada(a={"S": "text"}), "ADD a :ten", WRONG_TYPE),
    (ada(a={"NS": ["1"]}), "ADD a :ab", WRONG_TYPE),
    (ada(a={"S": "text"}), "DELETE a :ab", WRONG_TYPE),
]


@pytest.mark.parametrize(("before", "expression", "message"), IMPOSSIBLE)
def test_rejects_updates_that_do_not_fit_the_item(
    driver: Driver, before: Item, expression: str, message: str
) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, before)
    assert validation_error(driver, update(table, expression)) == message
    assert stored(driver, table, KEY) == before


# The condition is checked before errors of the update.
def test_condition_is_checked_before_the_update_is_applied(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    failed_condition(driver, update(table, "SET a.b = :new", "attribute_exists(pk)"))
    put(driver, table, ada(long={"S": "x" * 409_590}))
    failed_condition(driver, update(table, "SET a = :new", "attribute_not_exists(pk)"))
    assert validation_error(driver, update(table, "SET a = :new")) == (
        "Item size to update has exceeded the maximum allowed size"
    )


# Unlike PutItem, UpdateItem does not name the index.
@pytest.mark.parametrize(
    ("value", "kind"), [({"S": ""}, "string"), ({"B": ""}, "binary")], ids=["S", "B"]
)
def test_rejects_updating_an_index_key_to_an_empty_value(
    driver: Driver, value: AttributeValue, kind: str
) -> None:
    by_code = global_index("by_code", code="S" if kind == "string" else "B")
    table = make_table(driver, by_code, pk="S")
    message = (
        f"{NOT_VALID}The update expression attempted to update a secondary index key to a value "
        "that is not supported. The AttributeValue for a key attribute cannot contain an empty "
        f"{kind} value."
    )
    at_once = UpdateItem(
        table, KEY, update_expression="SET code = :v", expression_attribute_values={":v": value}
    )
    assert validation_error(driver, at_once) == message
    put(driver, table, ada(copied=value))
    when_evaluated = UpdateItem(table, KEY, update_expression="SET code = copied")
    assert validation_error(driver, when_evaluated) == message
    assert stored(driver, table, KEY) == ada(copied=value)


# Errors visible in the request are reported more precisely than those that depend on the item.
def test_rejects_updating_an_index_key_to_another_type(driver: Driver) -> None:
    table = make_indexed_table(driver)
    key = ada(sk={"S": "1"})
    at_once = UpdateItem(
        table,
        key,
        update_expression="SET grade = :v",
        expression_attribute_values={":v": {"N": "5"}},
    )
    assert validation_error(driver, at_once) == (
        f"{INVALID}Type mismatch for Index Key grade Expected: S Actual: N IndexName: by_grade"
    )
    put(driver, table, ada(sk={"S": "1"}, copied={"N": "5"}))
    when_evaluated = UpdateItem(table, key, update_expression="SET grade = copied")
    assert validation_error(driver, when_evaluated) == (
        "The update expression attempted to update the secondary index key to unsupported type"
    )
