"""Tables: with or without sort key, keys of all types, indexes of all kinds."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from hypothesis import strategies as st

from dynamodb_engine.operations import (
    AttributeDefinition,
    CreateTable,
    GlobalSecondaryIndex,
    KeySchemaElement,
    LocalSecondaryIndex,
    Projection,
)
from dynamodb_engine.values import AttributeValue, Item, KeyType
from tests.differential.features import Feature
from tests.differential.strategies.universe import (
    Features,
    attributes,
    extra_attributes,
    key_values,
    often,
)

# One table at a time, under one name.
NAME = "table"


@dataclass(frozen=True)
class Keys:
    """The key of a table or an index, as attribute names."""

    partition: str
    sort: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """The partition key, and the sort key if there is one."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)


@dataclass(frozen=True)
class Index:
    """An index to query."""

    name: str
    keys: Keys
    projection: Projection
    is_global: bool


@dataclass(frozen=True)
class Table:
    """A table to query: the types of its key attributes, and the few values they take."""

    keys: Keys
    types: dict[str, KeyType]
    pools: dict[str, list[AttributeValue]] = field(default_factory=dict[str, list[AttributeValue]])
    indexes: tuple[Index, ...] = ()

    @property
    def creation(self) -> CreateTable:
        """The operation that creates the table."""
        local = [
            LocalSecondaryIndex(index.name, _schema(index.keys), index.projection)
            for index in self.indexes
            if not index.is_global
        ]
        everywhere = [
            GlobalSecondaryIndex(index.name, _schema(index.keys), index.projection)
            for index in self.indexes
            if index.is_global
        ]
        return CreateTable(
            NAME,
            [AttributeDefinition(name, kind) for name, kind in self.types.items()],
            _schema(self.keys),
            local_secondary_indexes=local or None,
            global_secondary_indexes=everywhere or None,
            billing_mode="PAY_PER_REQUEST",
        )


@st.composite
def tables(draw: st.DrawFn, features: Features) -> Table:
    """Draw a table."""
    kinds = _key_types(features)
    types: dict[str, KeyType] = {"pk": draw(kinds)}
    sort = draw(st.sampled_from((None, "sk", "sk")))
    if sort is not None:
        types[sort] = draw(kinds)
    indexes: list[Index] = []
    if sort is not None and Feature.LOCAL_INDEXES in features and draw(st.booleans()):
        types["la"] = draw(kinds)
        indexes.append(Index("local", Keys("pk", "la"), draw(_projections(features)), False))
    if Feature.GLOBAL_INDEXES in features and draw(st.booleans()):
        types["ga"] = draw(kinds)
        other = draw(st.sampled_from((None, "gb", "pk")))
        if other == "gb":
            types["gb"] = draw(kinds)
        indexes.append(Index("global", Keys("ga", other), draw(_projections(features)), True))
    pools = {
        name: draw(st.lists(key_values(kind, features), min_size=1, max_size=4))
        for name, kind in types.items()
    }
    return Table(Keys("pk", sort), types, pools, tuple(indexes))


def draw_key_value(draw: st.DrawFn, table: Table, name: str) -> AttributeValue:
    """Draw a value for the key attribute."""
    return draw(st.sampled_from(table.pools[name]))


def draw_key(draw: st.DrawFn, table: Table) -> Item:
    """Draw a key of the table."""
    return {name: draw_key_value(draw, table, name) for name in table.keys.names}


def draw_item(draw: st.DrawFn, table: Table, features: Features) -> Item:
    """Draw an item of the table; it is in an index if it has the index's key."""
    item = draw_key(draw, table)
    for name in table.types:
        if name not in item and draw(often):
            item[name] = draw_key_value(draw, table, name)
    return item | draw(extra_attributes(features))


@st.composite
def keys(draw: st.DrawFn, table: Table) -> Item:
    """Draw a key of the table."""
    return draw_key(draw, table)


@st.composite
def items(draw: st.DrawFn, table: Table, features: Features) -> Item:
    """Draw an item of the table."""
    return draw_item(draw, table, features)


@st.composite
def contents(draw: st.DrawFn, table: Table, features: Features) -> list[Item]:
    """Draw the initial items."""
    return [draw_item(draw, table, features) for _ in range(draw(st.integers(0, 6)))]


@cache
def _key_types(features: Features) -> st.SearchStrategy[KeyType]:
    kinds: list[tuple[KeyType, Feature]] = [
        ("S", Feature.STRING_KEYS),
        ("N", Feature.NUMBER_KEYS),
        ("B", Feature.BINARY_KEYS),
    ]
    return st.sampled_from([kind for kind, feature in kinds if feature in features])


@cache
def _projections(features: Features) -> st.SearchStrategy[Projection]:
    whole: list[Literal["ALL", "KEYS_ONLY"]] = ["ALL", "KEYS_ONLY"]
    names = st.lists(attributes(features), min_size=1, max_size=3, unique=True)
    return st.one_of(
        st.sampled_from(whole).map(Projection),
        names.map(lambda names: Projection("INCLUDE", names)),
    )


def _schema(keys: Keys) -> list[KeySchemaElement]:
    schema = [KeySchemaElement(keys.partition, "HASH")]
    if keys.sort is not None:
        schema.append(KeySchemaElement(keys.sort, "RANGE"))
    return schema
