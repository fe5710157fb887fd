"""Introspection declares every item unchanged, or reports it as unmatched."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamodb_engine import operations as ops
from singletable import AttributeValue, Index, Item, Number, Store, Table, connect, key_of
from singletable.schema import Model, model_of
from singletable_design.introspection import Introspection, TableSample, introspect
from tests.introspection.designs import TABLES, plain_text, random_items, tricky_text
from tests.introspection.foreign_tables import FOREIGN_TABLES, ForeignTable


def models_of(result: Introspection) -> list[Model]:
    """Execute the generated source and return the models it declares."""
    name = "generated source"
    names: dict[str, object] = {"__name__": name}
    exec(compile(result.source, name, "exec", dont_inherit=True), names)
    tables = [value for value in names.values() if isinstance(value, Table)]
    return [model_of(entity) for table in tables for entity in table.entities]


def is_declared(models: Sequence[Model], item: Item) -> bool:
    """Return whether exactly one model matches the item and encodes it unchanged."""
    matching = [model for model in models if model.matches(item)]
    if len(matching) != 1:
        return False
    instance: object = matching[0].instance(item)
    return matching[0].item(vars(instance)) == item


def unmatched_items(result: Introspection) -> list[Item]:
    """Return the items of the first table that match no entity."""
    return [item for group in result.tables[0].unmatched for item in group.items]


@pytest.mark.filterwarnings("ignore::singletable.schema.DeclarationWarning")
@pytest.mark.parametrize("texts", [plain_text, tricky_text])
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.rest) for seed in range(2, 8))]
)
def test_items_of_a_store_are_declared_or_reported(
    table: Table, seed: int, texts: Callable[[random.Random], str]
) -> None:
    items = random_items(table, seed, texts)
    result = introspect([TableSample(table, items)])
    models, unmatched = models_of(result), unmatched_items(result)
    assert not [item for item in items if item not in unmatched and not is_declared(models, item)]
    assert bool(unmatched) == ("UNMATCHED" in result.source)
    if texts is plain_text:
        assert not unmatched, result.source


every_foreign_table = pytest.mark.parametrize(
    "foreign", FOREIGN_TABLES.values(), ids=FOREIGN_TABLES
)


@every_foreign_table
def test_source_has_the_expected_lines(foreign: ForeignTable) -> None:
    source = introspect([TableSample(foreign.table, foreign.items)]).source
    unwrapped = " ".join(source.replace("\n#", " ").split())
    for line in foreign.lines:
        assert " ".join(line.removeprefix("# ").split()) in unwrapped, source


# A declaration must never write an item under another key, or lose an attribute.
@every_foreign_table
def test_matched_items_are_encoded_unchanged(foreign: ForeignTable) -> None:
    result = introspect([TableSample(foreign.table, foreign.items)])
    models, unmatched = models_of(result), unmatched_items(result)
    assert len(unmatched) == foreign.unmatched, result.source
    for item in foreign.items:
        if item not in unmatched and "owner_PK" not in item:
            without_null = {name: value for name, value in item.items() if "NULL" not in value}
            assert is_declared(models, without_null), result.source


def test_source_says_that_the_sample_is_incomplete() -> None:
    shop = FOREIGN_TABLES["shop"]
    source = introspect([TableSample(shop.table, shop.items, complete=False)]).source
    assert "# Only 3 items of 'shop' were read; there are more." in source


# No entity declares a marker; the store writes it with its owner.
def test_markers_are_written_with_their_owners() -> None:
    markers = FOREIGN_TABLES["markers"]
    (user,) = models_of(introspect([TableSample(markers.table, markers.items)]))
    store = Store(connect("memory:"))
    store.admin.create_table(user.table)
    for item in markers.items:
        if user.matches(item):
            store.create(user.instance(item))
    written = store.driver.execute(ops.Scan("markers")).items or []
    assert sorted(written, key=str) == sorted(markers.items, key=str)


@pytest.mark.parametrize("name", ["several separators", "fixed text in a part"])
def test_existing_table_is_read_and_written_back_unchanged(name: str) -> None:
    foreign = FOREIGN_TABLES[name]
    models = models_of(introspect([TableSample(foreign.table, foreign.items)]))
    store = Store(connect("memory:"))
    store.admin.create_table(models[0].table)
    for item in foreign.items:
        store.driver.execute(ops.PutItem(foreign.table.name, item))
    for model in models:
        for instance in store.admin.scan(model.entity):
            assert store.get(key_of(instance)) == instance
            store.delete(key_of(instance))
            store.put(instance)
    written = store.driver.execute(ops.Scan(foreign.table.name)).items or []
    assert len(written) == len(foreign.items)
    assert all(item in written for item in foreign.items)


ANY_TABLE = (
    Table("plain"),
    Table("alone", pk="user_id", sk=None),
    Table("numbered", pk="device", sk=Number("at"), ttl="ttl"),
    Table("indexed", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK"), Index("status", pk="name")]),
)
NAMES = st.sampled_from(
    ["id", "name", "type", "entity_type", "version", "ttl", "createdAt", "class", "key", "list",
     "set", "a b", "ü", "_x", "1", "attr", "Attr", "self", "None", "GSI1PK", "GSI1SK", '"', "date"]
)  # fmt: skip
PARTS = st.sampled_from(
    ["USER", "METADATA", "ada", "bob", "1", "007", "a b", "$", "$23", "", "x:y", "ü", "Go", "true",
     "2024-01-15T10:30:00Z", "2024-01-15", "123e4567-e89b-12d3-a456-426614174000", '"""', "\n"]
)  # fmt: skip
KEYS = st.builds(
    str.join, st.sampled_from("##|:/"), st.lists(PARTS, min_size=1, max_size=5)
).filter(bool)


def _attribute_value(value: object, kind: str) -> AttributeValue:
    return {kind: value}  # type: ignore[misc]


SCALARS: st.SearchStrategy[AttributeValue] = st.one_of(
    PARTS.map(lambda text: _attribute_value(text, "S")),
    st.sampled_from(["0", "1", "42", "-7", "1.5", "1700000000"]).map(
        lambda number: _attribute_value(number, "N")
    ),
    st.booleans().map(lambda value: _attribute_value(value, "BOOL")),
    st.just(_attribute_value("AA==", "B")),
    st.sampled_from([["a"], ["a", "b"]]).map(lambda texts: _attribute_value(texts, "SS")),
    st.just(_attribute_value(["1", "2"], "NS")),
)
VALUES: st.SearchStrategy[AttributeValue] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda members: _attribute_value(members, "L")),
        st.dictionaries(NAMES, inner, max_size=3).map(
            lambda members: _attribute_value(members, "M")
        ),
    ),
    max_leaves=5,
)


@st.composite
def valid_items(draw: st.DrawFn, table: Table) -> list[Item]:
    """Draw items that DynamoDB would accept in the table."""
    drawn: dict[str, Item] = {}
    typed = {attribute.name: attribute.type for attribute in table.all_key_attributes()}
    keys = [attribute.name for attribute in table.key_attributes]
    for _ in range(draw(st.integers(0, 12))):
        item = dict(draw(st.dictionaries(NAMES, VALUES, max_size=6)))
        for name, kind in typed.items():
            if name in item or name in keys:
                text = draw(KEYS) if kind == "S" else str(draw(st.integers(0, 50)))
                item[name] = _attribute_value(text, kind)
        drawn[str([item[name] for name in keys])] = item
    return list(drawn.values())


@pytest.mark.rest
@settings(max_examples=2 * settings().max_examples)
@given(st.data())
def test_any_items_are_declared_or_reported(data: st.DataObject) -> None:
    table = data.draw(st.sampled_from(ANY_TABLE))
    items = data.draw(valid_items(table))
    result = introspect([TableSample(table, items)])
    models, unmatched = models_of(result), unmatched_items(result)
    for item in items:
        assert item in unmatched or is_declared(models, item), result.source


# Values are texts of an application's users. This took minutes.
def test_long_text_like_an_email_address_is_read_in_linear_time() -> None:
    keys: Item = {"PK": {"S": "USER#1"}, "SK": {"S": "USER#1"}}
    item: Item = {**keys, "text": {"S": f"a@{'.' * 200_000} "}}
    assert "text: Attr[str]" in introspect([TableSample(Table("texts"), [item])]).source
