"""Secondary indexes hold exactly the items that have their keys, after any sequence of writes."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine import operations as ops
from dynamodb_engine.values import AttributeValue, Item
from tests.conformance.requests import binary, near_drivers, number, text, walk
from tests.conformance.tables import unused_name


@dataclass(frozen=True)
class Kept:
    """An index of the table below: its key in addition to the table's, and its projection."""

    name: str
    key: tuple[str, ...]
    held: tuple[str, ...] | None


INDEXES = [
    Kept("local_all", ("pk", "a"), None),
    Kept("local_some", ("pk", "b"), ("x",)),
    Kept("local_keys", ("pk", "a"), ()),
    Kept("global_all", ("a",), None),
    Kept("global_some", ("b", "a"), ("x",)),
    Kept("global_keys", ("a", "sk"), ()),
]


def make_projecting_table(driver: ops.Driver) -> str:
    """Create a table with local and global indexes of every projection."""
    name = unused_name()
    driver.execute(
        ops.CreateTable(
            name,
            [
                ops.AttributeDefinition("pk", "S"),
                ops.AttributeDefinition("sk", "N"),
                ops.AttributeDefinition("a", "S"),
                ops.AttributeDefinition("b", "B"),
            ],
            [ops.KeySchemaElement("pk", "HASH"), ops.KeySchemaElement("sk", "RANGE")],
            local_secondary_indexes=[
                ops.LocalSecondaryIndex(index.name, _schema(index), _projection(index))
                for index in INDEXES
                if index.name.startswith("local")
            ],
            global_secondary_indexes=[
                ops.GlobalSecondaryIndex(index.name, _schema(index), _projection(index))
                for index in INDEXES
                if index.name.startswith("global")
            ],
            billing_mode="PAY_PER_REQUEST",
        )
    )
    return name


def _schema(index: Kept) -> list[ops.KeySchemaElement]:
    partition, *sort = index.key
    return [
        ops.KeySchemaElement(partition, "HASH"),
        *(ops.KeySchemaElement(name, "RANGE") for name in sort),
    ]


def _projection(index: Kept) -> ops.Projection:
    if index.held is None:
        return ops.Projection("ALL")
    return (
        ops.Projection("INCLUDE", list(index.held)) if index.held else ops.Projection("KEYS_ONLY")
    )


KEYS = st.fixed_dictionaries(
    {
        "pk": st.sampled_from([text("p"), text("q")]),
        "sk": st.sampled_from([number(1), number(2)]),
    }
)
CHOICES: dict[str, list[AttributeValue]] = {
    "a": [text("1"), text("2")],
    "b": [binary(b"\x00"), binary(b"\xff")],
    "x": [number(1), number(2)],
    "y": [text("y")],
}
ATTRIBUTES = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) for name, values in CHOICES.items()}
)


@st.composite
def writes(draw: st.DrawFn, table: str) -> ops.Operation[object]:
    """Generate any write of one item, alone or in a transaction."""
    key, attributes = draw(KEYS), draw(ATTRIBUTES)
    alone = draw(st.booleans())
    kind = draw(st.sampled_from(["put", "delete", "set", "remove"]))
    if kind == "put":
        item = key | attributes
        action = ops.TransactWriteItem(put=ops.Put(table, item))
        return ops.PutItem(table, item) if alone else ops.TransactWriteItems([action])
    if kind == "delete" or not attributes:
        action = ops.TransactWriteItem(delete=ops.Delete(table, key))
        return ops.DeleteItem(table, key) if alone else ops.TransactWriteItems([action])
    values = None
    expression = "REMOVE " + ", ".join(attributes)
    if kind == "set":
        expression = "SET " + ", ".join(f"{name} = :{name}" for name in attributes)
        values = {f":{name}": value for name, value in attributes.items()}
    if alone:
        return ops.UpdateItem(
            table, key, update_expression=expression, expression_attribute_values=values
        )
    update = ops.Update(table, key, expression, expression_attribute_values=values)
    return ops.TransactWriteItems([ops.TransactWriteItem(update=update)])


def _key(item: Item) -> str:
    """Return the key, whatever the order of the attributes is."""
    return f"{item['pk']} {item['sk']}"


# Entries appear, move, change and vanish with the items; after any sequence of writes, an index
# holds exactly the items that have its keys.
@near_drivers
@given(data=st.data())
def test_index_follows_every_write(driver: ops.Driver, data: st.DataObject) -> None:
    table = make_projecting_table(driver)
    for write in data.draw(st.lists(writes(table), max_size=20)):
        driver.execute(write)
    items = walk(driver, ops.Scan(table))
    for index in INDEXES:
        names = {"pk", "sk", *index.key, *(index.held or ())}
        wanted = [
            item
            if index.held is None
            else {name: value for name, value in item.items() if name in names}
            for item in items
            if set(index.key) <= set(item)
        ]
        found = walk(driver, ops.Scan(table, index_name=index.name))
        assert sorted(found, key=_key) == sorted(wanted, key=_key), index.name
