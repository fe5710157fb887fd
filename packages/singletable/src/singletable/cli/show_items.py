"""Read a table partition by partition up to a limit, and classify its items."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from dynamodb_engine.operations import Driver, PageOutput, Query, Scan, TableDescription
from dynamodb_engine.values import AttributeValue, Item, content_of, key_bytes, parse_number
from singletable.cli.app_loader import load_tables
from singletable.cli.output import format_value
from singletable.errors import DeclarationError, InvalidValue, ItemMismatch
from singletable.schema import Model, Table, model_of

# The number of items in memory at a time; a larger partition is shown in several chunks.
CHUNK_SIZE = 1000
# Attributes that many designs use as a type tag.
_TYPE_TAGS = (
    "entity_type",
    "entityType",
    "entity",
    "_type",
    "_et",
    "__edb_e__",
    "__typename",
    "type",
    "Type",
)
_CONSTANT = re.compile(r"[A-Za-z_][A-Za-z_-]*")


@dataclass(frozen=True, slots=True)
class TableKey:
    """The key attributes of a table: the partition key, its type, and the sort key if any."""

    pk: str
    pk_type: str
    sk: str | None

    @classmethod
    def from_description(cls, table: TableDescription) -> TableKey:
        """Return the key of a described table."""
        types = {d.attribute_name: d.attribute_type for d in table.attribute_definitions}
        names = {element.key_type: element.attribute_name for element in table.key_schema}
        pk = names["HASH"]
        return cls(pk, types[pk], names.get("RANGE"))


class TableReader:
    """Reads a table, or some of its partitions, up to a limit."""

    def __init__(
        self, driver: Driver, table: TableDescription, partitions: Sequence[str], limit: int
    ) -> None:
        self.driver = driver
        self.table = table
        self.key = TableKey.from_description(table)
        self.partitions = [_parse_key(self.key, text) for text in partitions]
        self.limit = limit
        # The number of items and read units so far.
        self.count = 0
        self.units = 0.0
        # The first item after the limit.
        self.next_item: Item | None = None

    def chunks(self) -> Iterator[list[Item]]:
        """Yield the items of one partition after the other, large partitions in chunks."""
        chunk: list[Item] = []
        for item in self._items():
            if chunk and (item[self.key.pk] != chunk[0][self.key.pk] or len(chunk) == CHUNK_SIZE):
                yield self._sorted(chunk)
                chunk = []
            chunk.append(item)
        if chunk:
            yield self._sorted(chunk)

    def is_cut_off(self, chunk: list[Item]) -> bool:
        """Return whether the limit was reached within the partition of this chunk."""
        return self.next_item is not None and self.next_item[self.key.pk] == chunk[0][self.key.pk]

    def _sorted(self, chunk: list[Item]) -> list[Item]:
        sk = self.key.sk
        return chunk if sk is None else sorted(chunk, key=lambda item: key_bytes(item[sk]))

    def _items(self) -> Iterator[Item]:
        for page in self._pages():
            if page.consumed_capacity is not None:
                self.units += page.consumed_capacity.capacity_units
            for item in page.items:
                if self.count == self.limit:
                    self.next_item = item
                    return
                self.count += 1
                yield item

    def _pages(self) -> Iterator[PageOutput]:
        whole_table: list[AttributeValue | None] = [None]
        for partition in self.partitions or whole_table:
            after: Item | None = None
            while True:
                page = self.driver.execute(self._request(partition, after))
                yield page
                after = page.last_evaluated_key
                if after is None:
                    break

    def _request(self, partition: AttributeValue | None, after: Item | None) -> Query | Scan:
        # One more than the limit tells whether there are more.
        limit = min(self.limit - self.count + 1, CHUNK_SIZE)
        if partition is None:
            return Scan(
                self.table.table_name,
                limit=limit,
                exclusive_start_key=after,
                return_consumed_capacity="TOTAL",
            )
        return Query(
            self.table.table_name,
            limit=limit,
            exclusive_start_key=after,
            return_consumed_capacity="TOTAL",
            key_condition_expression="#pk = :pk",
            expression_attribute_names={"#pk": self.key.pk},
            expression_attribute_values={":pk": partition},
        )


def _parse_key(key: TableKey, text: str) -> AttributeValue:
    """Parse a partition key from the command line; binary keys are in base64."""
    try:
        if key.pk_type == "N":
            parse_number(text)
            return {"N": text}
        if key.pk_type == "B":
            b64decode(text, validate=True)
            return {"B": text}
    except (ValueError, binascii.Error):
        expected = "a number" if key.pk_type == "N" else "base64"
        raise InvalidValue(f"{key.pk}: expected {expected}, but got {text!r}.") from None
    return {"S": text}


@dataclass(frozen=True, slots=True)
class ClassifiedItem:
    """The kind of an item, its fields as text, and its problem, if any."""

    kind: str
    fields: Sequence[tuple[str, str]]
    problem: str = ""


class Classifier(Protocol):
    """Classifies items."""

    def classify(self, item: Item) -> ClassifiedItem:
        """Return the kind of an item and its fields that are not in the key."""
        ...


class DeclaredClassifier:
    """Classifies items by the declaration of their table."""

    def __init__(self, table: Table) -> None:
        self._models = [model_of(entity) for entity in table.entities]
        self._keys = {attribute.name for attribute in table.all_key_attributes()}

    @classmethod
    def from_app(cls, app: str, name: str) -> DeclaredClassifier:
        """Use the table that `app` selects (`shop.entities:orders`), or the one of this name."""
        tables = load_tables(app)
        matching = tables if ":" in app else [table for table in tables if table.name == name]
        if not matching:
            names = ", ".join(table.name for table in tables)
            raise DeclarationError(
                f"{app} declares no table {name!r}; it declares {names}. If one of them has this "
                f"name here, select it: --app {app}:VARIABLE."
            )
        return cls(matching[0])

    def classify(self, item: Item) -> ClassifiedItem:
        """Return the entity with decoded fields, or stored attributes if none matches."""
        for model in self._models:
            if model.parse_key(item) is not None and model.matches(item):
                return self._decode(model, item)
        for model in self._models:
            for marker in model.uniques.values():
                if marker.access.parse(item) is not None:
                    return ClassifiedItem(f"{model.name}.{marker.name}", self._attributes(item))
        return ClassifiedItem("?", self._attributes(item), "matches no declared entity")

    def _decode(self, model: Model, item: Item) -> ClassifiedItem:
        try:
            values = cast("dict[str, object]", vars(model.instance(item)))
        except ItemMismatch as mismatch:
            return ClassifiedItem(model.name, self._attributes(item), str(mismatch))
        hidden = {*model.key.fields, "_unknown"}
        fields = [
            (name, "<encrypted>" if field.attribute in model.encrypted else str(values[name]))
            for name, field in model.fields.items()
            if name not in hidden and values.get(name) is not None
        ]
        return ClassifiedItem(model.name, fields)

    def _attributes(self, item: Item) -> list[tuple[str, str]]:
        return [(name, format_value(v)) for name, v in item.items() if name not in self._keys]


class GuessingClassifier:
    """Classifies items by their type tag or by the constants in their keys."""

    def __init__(self, table: TableDescription) -> None:
        self._key = TableKey.from_description(table)
        self._hidden = {definition.attribute_name for definition in table.attribute_definitions}

    def classify(self, item: Item) -> ClassifiedItem:
        """Return the guessed kind with the stored attributes."""
        tag = next((name for name in _TYPE_TAGS if "S" in item.get(name, {})), None)
        hidden = self._hidden if tag is None else {*self._hidden, tag}
        fields = [(name, format_value(v)) for name, v in item.items() if name not in hidden]
        return ClassifiedItem(self._key_kind(item) if tag is None else item[tag]["S"], fields)

    def _key_kind(self, item: Item) -> str:
        sort = None if self._key.sk is None else item[self._key.sk]
        own = "#".join(_constants(sort)) if sort is not None else ""
        return own or "#".join(_constants(item[self._key.pk])) or "item"


def _constants(value: AttributeValue) -> Iterator[str]:
    """Yield the parts of a key that look like constants."""
    parts = re.split("[#|:/]", str(content_of(value))) if "S" in value else []
    for at, part in enumerate(parts):
        # An uppercase name is a constant if something follows it, or if it is the whole key.
        followed = at + 1 < len(parts) or len(parts) == 1
        if followed and _CONSTANT.fullmatch(part) and part.upper() == part:
            yield part
