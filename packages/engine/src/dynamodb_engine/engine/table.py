"""Tables and indexes as handlers use them: key schemas, row keys, projections and rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

from msgspec import json

from dynamodb_engine.engine.storage import Layout, RowKey, Rows
from dynamodb_engine.engine.table_record import IndexRecord, TableRecord
from dynamodb_engine.operations import KeySchemaElement
from dynamodb_engine.values import (
    AttributeValue,
    Item,
    KeyType,
    encode_key_part,
    key_bytes,
    number_from_bytes,
    split_key_parts,
)


@dataclass(frozen=True, slots=True)
class KeyAttribute:
    """An attribute of a key, and its declared type."""

    name: str
    type: KeyType


@dataclass(frozen=True)
class KeySchema:
    """Partition and sort attributes: a table has one and at most one, a GSI up to four of each."""

    partition: tuple[KeyAttribute, ...]
    sort: tuple[KeyAttribute, ...]

    @cached_property
    def attributes(self) -> tuple[KeyAttribute, ...]:
        """Return all key attributes in schema order."""
        return self.partition + self.sort

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of all key attributes in schema order."""
        return tuple(attribute.name for attribute in self.attributes)

    @cached_property
    def kinds(self) -> tuple[tuple[str, KeyType], ...]:
        """Return the names and types of all key attributes."""
        return tuple((attribute.name, attribute.type) for attribute in self.attributes)

    def matches(self, item: Item) -> bool:
        """Return whether the item has every key attribute with its type."""
        for attribute in self.attributes:
            value = item.get(attribute.name)
            if value is None or attribute.type not in value:
                return False
        return True


def encode_partition(
    hash_partition: Callable[[bytes], bytes], values: list[AttributeValue]
) -> bytes:
    """Return the partition bytes of a row key for the values of the partition attributes."""
    if len(values) == 1:
        return hash_partition(key_bytes(values[0]))
    return hash_partition(b"".join([encode_key_part(key_bytes(value)) for value in values]))


@dataclass(frozen=True)
class Index:
    """A secondary index: a table of projected items that the writes of its table update."""

    name: str
    is_global: bool
    key: KeySchema
    projected_attributes: frozenset[str] | None  # None: all
    rows: Rows
    record: IndexRecord
    table_key: KeySchema = field(repr=False)
    layout: Layout = field(repr=False)

    @cached_property
    def page_key(self) -> tuple[KeyAttribute, ...]:
        """Return the attributes that identify an entry: the table's key and the index's."""
        own = [a for a in self.key.attributes if a.name not in self.table_key.names]
        return (*self.table_key.attributes, *own)

    @cached_property
    def _text_names(self) -> tuple[str, ...]:
        """Return the names of the attributes of a row key if all are text, with one partition."""
        attributes = (*self.key.attributes, *self.table_key.attributes)
        if (
            self.layout.shortens_keys
            or len(self.key.partition) > 1
            or any(a.type != "S" for a in attributes)
        ):
            return ()
        return tuple(a.name for a in attributes)

    def row_key(self, item: Item) -> RowKey:
        """Return the row key of the item's entry: the index's key, then the table's."""
        if self._text_names:
            first, *texts = [item[name]["S"] for name in self._text_names]
            # Encoding texts together is faster; it works if there is nothing to escape.
            text = "\0\0".join(texts)
            if text.count("\0") == 2 * len(texts) - 2:
                return RowKey(self.layout.hash_partition(first.encode()), text.encode() + b"\0\0")
        partition = [item[a.name] for a in self.key.partition]
        return RowKey(
            encode_partition(self.layout.hash_partition, partition),
            _join_parts(item, self.key.sort)
            + self.layout.shorten(_join_parts(item, self.table_key.attributes)),
        )

    def project(self, item: Item) -> Item:
        """Return the projected attributes of the item."""
        if self.projected_attributes is None:
            return item
        return {name: value for name, value in item.items() if name in self.projected_attributes}


@dataclass(frozen=True)
class Table:
    """A table: its key, its indexes, and access to its rows."""

    name: str
    key: KeySchema
    indexes: tuple[Index, ...]
    rows: Rows
    record: TableRecord
    layout: Layout
    arn: str | None = field(default=None, compare=False)  # as a request gave it

    @property
    def page_key(self) -> tuple[KeyAttribute, ...]:
        """Return the attributes that identify an item."""
        return self.key.attributes

    @cached_property
    def partition_key(self) -> KeyAttribute:
        """Return the partition key."""
        return self.key.partition[0]

    @cached_property
    def sort_key(self) -> KeyAttribute | None:
        """Return the sort key, or None."""
        return self.key.sort[0] if self.key.sort else None

    @cached_property
    def key_names_json(self) -> bytes:
        """Return the names of the key attributes as the change feed stores them."""
        return json.encode(self.key.names)

    @cached_property
    def ttl_attribute(self) -> str | None:
        """Return the TTL attribute, or None if TTL is disabled."""
        ttl = self.record.time_to_live
        return ttl.attribute if ttl is not None and ttl.enabled else None

    @cached_property
    def has_local_indexes(self) -> bool:
        """Return whether the table has local secondary indexes, and so item collections."""
        return any(not index.is_global for index in self.indexes)

    @cached_property
    def index_keys(self) -> dict[str, tuple[KeyAttribute, str]]:
        """Return the attributes that are index keys, each with the first such index by name."""
        keys: dict[str, tuple[KeyAttribute, str]] = {}
        for index in sorted(self.indexes, key=lambda index: index.name):
            for attribute in index.key.attributes:
                if attribute.name not in self.key.names:
                    keys.setdefault(attribute.name, (attribute, index.name))
        return keys

    @cached_property
    def multi_attribute_indexes(self) -> tuple[Index, ...]:
        """Return the indexes with more than one attribute of a kind in their keys."""
        return tuple(i for i in self.indexes if max(len(i.key.partition), len(i.key.sort)) > 1)

    def row_key(self, item: Item) -> RowKey:
        """Return the row key of the item."""
        sort = self.sort_key
        return RowKey(
            self.layout.hash_partition(key_bytes(item[self.partition_key.name])),
            b"" if sort is None else key_bytes(item[sort.name]),
        )

    def describe_row(self, key: RowKey) -> str:
        """Return the place of a row as text for errors."""
        return _describe_row(f"table '{self.name}'", self.key, (), *key)

    def expires_at(self, item: Item) -> int | None:
        """Return the timestamp when the item expires, or None."""
        if self.ttl_attribute is None:
            return None
        seconds, _, fraction = item.get(self.ttl_attribute, {}).get("N", "").partition(".")
        # Within what SQLite sorts as integers; the rest of a second is as good as all of it.
        if not seconds.isdigit() or len(seconds) > 18:
            return None
        return int(seconds) + bool(fraction)


def build_table(record: TableRecord, layout: Layout) -> Table:
    """Build the table of a record, without indexes that are being deleted."""
    types: dict[str, KeyType] = {
        d.attribute_name: d.attribute_type for d in record.attribute_definitions
    }
    key = _key_schema(record.key_schema, types)
    indexes = [
        _index(record, index, is_global, key, types, layout)
        for is_global, records in ((False, record.local_indexes), (True, record.global_indexes))
        for index in records
        if index.deleted_by is None
    ]
    describe = partial(_describe_row, f"table '{record.name}'", key, ())
    rows = layout.rows(f"items_{record.number}", describe)
    return Table(record.name, key, tuple(indexes), rows, record, layout)


def _index(
    table: TableRecord,
    record: IndexRecord,
    is_global: bool,
    table_key: KeySchema,
    types: dict[str, KeyType],
    layout: Layout,
) -> Index:
    key = _key_schema(record.key_schema, types)
    projected = None
    if record.projection.projection_type != "ALL":
        extra = record.projection.non_key_attributes or ()
        projected = frozenset((*table_key.names, *key.names, *extra))
    label = f"index '{record.name}' of table '{table.name}'"
    describe = partial(_describe_row, label, key, table_key.attributes)
    name = f"index_{table.number}_{record.number}"
    rows = layout.rows(name, describe)
    return Index(record.name, is_global, key, projected, rows, record, table_key, layout)


def _join_parts(item: Item, attributes: tuple[KeyAttribute, ...]) -> bytes:
    """Return the bytes of several key attributes, which sort like their values."""
    return b"".join([encode_key_part(key_bytes(item[a.name])) for a in attributes])


def _key_schema(elements: list[KeySchemaElement], types: dict[str, KeyType]) -> KeySchema:
    def attributes(kind: str) -> tuple[KeyAttribute, ...]:
        return tuple(
            KeyAttribute(element.attribute_name, types[element.attribute_name])
            for element in elements
            if element.key_type == kind
        )

    return KeySchema(attributes("HASH"), attributes("RANGE"))


def _describe_row(
    place: str, key: KeySchema, table_key: tuple[KeyAttribute, ...], partition: bytes, sort: bytes
) -> str:
    """Return the place of a row as text. In an index the sort key ends with the table's key."""
    # The partition bytes start with a hash.
    text = f"partition key {_values_text(key.partition, partition, 4, len(key.partition) > 1)}"
    if sort:
        text += f" and sort key {_values_text(key.sort + table_key, sort, 0, bool(table_key))}"
    return f"The item with {text} in {place}"


def _values_text(
    attributes: tuple[KeyAttribute, ...], key: bytes, start: int, is_joined: bool
) -> str:
    try:
        parts = split_key_parts(key[start:]) if is_joined else [key[start:]]
        return ", ".join(
            number_from_bytes(part) if attribute.type == "N" else _text(part)
            for attribute, part in zip(attributes, parts, strict=True)
        )
    except (TypeError, ValueError):  # the key itself is damaged
        return _text(key)


def _text(key: object) -> str:
    return repr(key.decode(errors="backslashreplace") if isinstance(key, bytes) else key)
