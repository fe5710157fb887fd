"""How UpdateTable adds, backfills and removes global secondary indexes."""

from __future__ import annotations

import pytest

from dynamodb_engine.errors import LimitExceeded, ResourceNotFound
from dynamodb_engine.operations import (
    DeleteGlobalSecondaryIndexAction,
    DeleteItem,
    Driver,
    Projection,
    PutItem,
    Query,
    Scan,
    UpdateTable,
)
from dynamodb_engine.operations import GlobalSecondaryIndexUpdate as IndexUpdate
from dynamodb_engine.values import AttributeValue, Item
from tests.conformance.errors import validation_error
from tests.conformance.table_requests import (
    FIVE,
    KEYS_ONLY,
    add_index,
    added,
    described,
    hashed,
    indexes,
    made,
    on_demand,
    provisioned,
    ranged,
    sorted_table,
    typed,
    wide,
)
from tests.conformance.tables import put


def removed(name: str = "by-g") -> IndexUpdate:
    """Return an update that deletes an index."""
    return IndexUpdate(delete=DeleteGlobalSecondaryIndexAction(name))


def in_index(driver: Driver, table: str, index: str = "by-g") -> list[Item]:
    """Return the contents of an index, by the table's key."""
    items = driver.execute(Scan(table, index)).items
    return sorted(items, key=lambda item: item["pk"]["S"])


def item(pk: str, **attributes: AttributeValue) -> Item:
    """Return an item with the key `pk`."""
    return {"pk": {"S": pk}, **attributes}


# The response shows the index before it is filled, with the table UPDATING.
def test_new_index_is_creating_then_active(driver: Driver) -> None:
    table = made(driver, on_demand())
    answer = driver.execute(add_index(table, added(), g="S")).table_description
    (index,) = indexes(answer)
    assert answer.table_status == "UPDATING"
    assert (index.index_status, index.backfilling) == ("CREATING", False)
    assert (index.item_count, index.index_size_bytes) == (0, 0)
    after = described(driver, table)
    (index,) = indexes(after)
    assert after.table_status == "ACTIVE"
    assert (index.index_status, index.backfilling) == ("ACTIVE", None)


def test_new_index_is_backfilled(driver: Driver) -> None:
    table = made(driver, on_demand())
    with_g = [item("1", g={"S": "x"}), item("2", g={"S": "x"}, n={"N": "2"})]
    put(driver, table, *with_g, item("3"))
    driver.execute(add_index(table, added(), g="S"))
    assert in_index(driver, table) == with_g
    query = Query(
        table,
        "by-g",
        key_condition_expression="g = :g",
        expression_attribute_values={":g": {"S": "x"}},
    )
    assert driver.execute(query).count == 2
    (index,) = indexes(described(driver, table))
    assert index.item_count == 2


# An item with an invalid index key stays in the table and out of the index.
@pytest.mark.parametrize(
    "value",
    [{"N": "1"}, {"S": ""}, {"S": "x" * 2049}, {"NULL": True}, {"SS": ["x"]}],
    ids=["number", "empty", "long", "null", "set"],
)
def test_backfill_skips_invalid_index_keys(driver: Driver, value: AttributeValue) -> None:
    table = made(driver, on_demand())
    put(driver, table, item("bad", g=value), item("good", g={"S": "x"}))
    driver.execute(add_index(table, added(), g="S"))
    assert in_index(driver, table) == [item("good", g={"S": "x"})]
    assert driver.execute(Scan(table)).count == 2
    driver.execute(DeleteItem(table, item("bad")))
    assert driver.execute(Scan(table)).count == 1


@pytest.mark.parametrize(
    ("projection", "held"),
    [
        (KEYS_ONLY, {"pk", "g"}),
        (Projection("INCLUDE", ["b", "a"]), {"pk", "g", "a", "b"}),
        (Projection("ALL"), {"pk", "g", "a", "b", "c"}),
    ],
    ids=["keys", "some", "all"],
)
def test_new_index_holds_projected_attributes(
    driver: Driver, projection: Projection, held: set[str]
) -> None:
    table = made(driver, on_demand())
    one: AttributeValue = {"S": "1"}
    put(driver, table, item("1", g=one, a=one, b=one, c=one))
    driver.execute(add_index(table, added(projection=projection), g="S"))
    (entry,) = in_index(driver, table)
    assert set(entry) == held


def test_new_index_follows_later_writes(driver: Driver) -> None:
    table = made(driver, on_demand())
    put(driver, table, item("1", g={"S": "x"}), item("2", g={"S": "x"}))
    driver.execute(add_index(table, added(), g="S"))
    put(driver, table, item("1", g={"S": "y"}), item("3", g={"S": "y"}))
    driver.execute(DeleteItem(table, item("2")))
    assert in_index(driver, table) == [item("1", g={"S": "y"}), item("3", g={"S": "y"})]
    assert "Index Key g" in validation_error(driver, PutItem(table, item("4", g={"N": "1"})))


# A new index may have multi-attribute keys as well.
def test_new_index_may_have_multi_attribute_keys(driver: Driver) -> None:
    table = made(driver, on_demand())
    one: AttributeValue = {"N": "1"}
    put(driver, table, item("1", a=one, b=one, c=one), item("2", a=one, b=one))
    keys = [*hashed("a", "b"), *ranged("c")]
    driver.execute(add_index(table, added(keys=keys), a="N", b="N", c="N"))
    assert in_index(driver, table) == [item("1", a=one, b=one, c=one)]


# Only new attributes need definitions; existing ones keep their type.
def test_attribute_definitions_are_merged(driver: Driver) -> None:
    table = made(driver, sorted_table())
    driver.execute(add_index(table, added("by-g"), g="S"))
    driver.execute(add_index(table, added("by-h", hashed("h")), h="N"))
    definitions = described(driver, table).attribute_definitions
    assert definitions == typed(g="S", h="N", pk="S", sk="S")


def test_attribute_type_in_use_cannot_change(driver: Driver) -> None:
    table = made(driver, on_demand())
    request = add_index(table, added(keys=[*hashed("g"), *ranged("pk")]), pk="N", g="S")
    assert validation_error(driver, request) == (
        "One or more parameter values were invalid: Attributes cannot be redefined. Please check "
        "that your attribute has the same type as previously defined. Existing schema: "
        "Schema:[SchemaElement: key{pk:S:HASH}] New schema: "
        "Schema:[SchemaElement: key{g:S:HASH}, SchemaElement: key{pk:N:RANGE}]"
    )
    assert described(driver, table).attribute_definitions == typed(pk="S")


def test_unused_attribute_definitions_are_dropped(driver: Driver) -> None:
    table = made(driver, provisioned())
    index = added(provisioned_throughput=FIVE)
    driver.execute(add_index(table, index, g="S", extra="N"))
    assert described(driver, table).attribute_definitions == typed(g="S", pk="S")
    request = UpdateTable(table, typed(extra="N"), deletion_protection_enabled=True)
    driver.execute(request)
    assert described(driver, table).attribute_definitions == typed(g="S", pk="S")


def test_removed_index_is_deleting_then_gone(driver: Driver) -> None:
    definitions = typed(pk="S", g="S", h="S")
    both = [wide("by-g"), wide("by-h", [*hashed("g"), *ranged("h")])]
    table = made(
        driver, on_demand(attribute_definitions=definitions, global_secondary_indexes=both)
    )
    put(driver, table, item("1", g={"S": "x"}, h={"S": "y"}))
    request = UpdateTable(table, global_secondary_index_updates=[removed("by-h")])
    answer = driver.execute(request).table_description
    assert answer.table_status == "UPDATING"
    assert [i.index_status for i in indexes(answer)] == ["ACTIVE", "DELETING"]
    after = described(driver, table)
    assert after.table_status == "ACTIVE"
    assert [i.index_name for i in indexes(after)] == ["by-g"]
    assert after.attribute_definitions == typed(g="S", pk="S")
    assert validation_error(driver, Scan(table, "by-h")).startswith(
        "The table does not have the specified index"
    )
    assert driver.execute(Scan(table)).count == driver.execute(Scan(table, "by-g")).count == 1


# Without the index, its key is an ordinary attribute and may get another type.
def test_index_can_be_recreated_with_another_key(driver: Driver) -> None:
    table = made(driver, on_demand())
    driver.execute(add_index(table, added(), g="S"))
    driver.execute(UpdateTable(table, global_secondary_index_updates=[removed()]))
    assert indexes(described(driver, table)) == []
    put(driver, table, item("1", g={"N": "1"}), item("2", g={"S": "x"}))
    driver.execute(add_index(table, added(), g="N"))
    assert in_index(driver, table) == [item("1", g={"N": "1"})]


# A rejected request changes nothing.
def test_update_is_all_or_nothing(driver: Driver) -> None:
    table = made(driver, on_demand())
    before = described(driver, table)
    request = UpdateTable(
        table,
        typed(g="S"),
        billing_mode="PAY_PER_REQUEST",
        global_secondary_index_updates=[removed("never")],
    )
    with pytest.raises(ResourceNotFound):
        driver.execute(request)
    assert described(driver, table) == before


# Unlike in CreateTable, this is LimitExceeded rather than a validation error.
def test_table_has_at_most_20_global_indexes(driver: Driver) -> None:
    twenty = [wide(f"by-{n}") for n in range(20)]
    definitions = typed(pk="S", g="S")
    table = made(
        driver, on_demand(attribute_definitions=definitions, global_secondary_indexes=twenty)
    )
    with pytest.raises(LimitExceeded) as raised:
        driver.execute(add_index(table, added(), g="S"))
    assert raised.value.message == (
        "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit "
        "of 20"
    )
