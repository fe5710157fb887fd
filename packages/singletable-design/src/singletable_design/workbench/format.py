"""The file format of NoSQL Workbench for DynamoDB data models (version 3.0).

An attribute has one type in the whole table. Items are in the facets if there are any, and in the
table otherwise. A key has one or two attributes. The format has no local indexes, no
multi-attribute index keys and no TTL attribute.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from dynamodb_engine.values import AttributeType, Item, KeyType


class AttributeEntry(Struct, rename="pascal"):
    """An attribute and its type."""

    attribute_name: str
    attribute_type: AttributeType


class KeyEntry(Struct, rename="pascal"):
    """A key attribute and its type."""

    attribute_name: str
    attribute_type: KeyType


class KeyAttributes(Struct, rename="pascal", omit_defaults=True):
    """The key of a table or of an index."""

    partition_key: KeyEntry
    sort_key: KeyEntry | None = None


class IndexProjection(Struct, rename="pascal", omit_defaults=True):
    """The projection of an index."""

    projection_type: Literal["ALL", "KEYS_ONLY", "INCLUDE"]
    non_key_attributes: list[str] | None = None


class GlobalIndex(Struct, rename="pascal"):
    """A global secondary index."""

    index_name: str
    key_attributes: KeyAttributes
    projection: IndexProjection = field(default_factory=lambda: IndexProjection("ALL"))


class KeyAlias(Struct, rename="pascal", omit_defaults=True):
    """The names of the key columns in a facet; any text."""

    partition_key_alias: str
    sort_key_alias: str | None = None


class TableFacet(Struct, rename="pascal"):
    """A view of some items and their attributes."""

    facet_name: str
    key_attribute_alias: KeyAlias | None = None
    table_data: list[Item] = []
    non_key_attributes: list[str] = []
    data_access: dict[str, object] = field(default_factory=lambda: {"MySql": dict[str, object]()})


class Throughput(Struct, rename="pascal"):
    """Provisioned capacity units per second."""

    read_capacity_units: int
    write_capacity_units: int


class CapacitySettings(Struct, rename="pascal"):
    """The provisioned capacity of a table."""

    provisioned_throughput: Throughput


class DataTable(Struct, rename="pascal", omit_defaults=True):
    """A table of the model."""

    table_name: str
    key_attributes: KeyAttributes
    non_key_attributes: list[AttributeEntry] = []
    table_facets: list[TableFacet] = []
    global_secondary_indexes: list[GlobalIndex] = []
    table_data: list[Item] = []
    data_access: dict[str, object] = {}
    sample_data_formats: dict[str, list[str]] = {}
    billing_mode: Literal["PROVISIONED", "PAY_PER_REQUEST"] | None = None
    provisioned_capacity_settings: CapacitySettings | None = None


class Metadata(Struct, rename="pascal"):
    """The author, dates and description of the model."""

    author: str = ""
    date_created: str = ""
    date_last_modified: str = ""
    description: str = ""
    aws_service: str = field(name="AWSService", default="Amazon DynamoDB")
    version: str = "3.0"


class DataModel(Struct, rename="pascal"):
    """A data model: the content of the file."""

    model_name: str
    data_model: list[DataTable]
    model_metadata: Metadata = field(default_factory=Metadata)
