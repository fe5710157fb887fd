"""The file of a data model, as NoSQL Workbench for DynamoDB reads and writes it (version 3.0).

An attribute has one type in the whole table. Items stand in the facets if there are any, and in the
table otherwise. The keys of a table or an index are one attribute, or two; there is no place for
local indexes, for keys of several attributes, or for the attribute by which items expire.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from singletable.values import AttributeType, Item, KeyType


class Named(Struct, rename="pascal"):
    """An attribute and its type."""

    attribute_name: str
    attribute_type: AttributeType


class KeyNamed(Struct, rename="pascal"):
    """A key attribute and its type."""

    attribute_name: str
    attribute_type: KeyType


class Keys(Struct, rename="pascal", omit_defaults=True):
    """The key of a table or of an index."""

    partition_key: KeyNamed
    sort_key: KeyNamed | None = None


class Projected(Struct, rename="pascal", omit_defaults=True):
    """Which attributes an index carries."""

    projection_type: Literal["ALL", "KEYS_ONLY", "INCLUDE"]
    non_key_attributes: list[str] | None = None


class GlobalIndex(Struct, rename="pascal"):
    """A global secondary index."""

    index_name: str
    key_attributes: Keys
    projection: Projected = field(default_factory=lambda: Projected("ALL"))


class Alias(Struct, rename="pascal", omit_defaults=True):
    """What the keys are called in a facet: any text, shown above their columns."""

    partition_key_alias: str
    sort_key_alias: str | None = None


class TableFacet(Struct, rename="pascal"):
    """A view of some items: what they are, and which attributes they have."""

    facet_name: str
    key_attribute_alias: Alias | None = None
    table_data: list[Item] = []
    non_key_attributes: list[str] = []
    data_access: dict[str, object] = field(default_factory=lambda: {"MySql": dict[str, object]()})


class Throughput(Struct, rename="pascal"):
    """Capacity units a second that are reserved."""

    read_capacity_units: int
    write_capacity_units: int


class Provisioning(Struct, rename="pascal"):
    """What a table has reserved."""

    provisioned_throughput: Throughput


class DataTable(Struct, rename="pascal", omit_defaults=True):
    """A table of the model."""

    table_name: str
    key_attributes: Keys
    non_key_attributes: list[Named] = []
    table_facets: list[TableFacet] = []
    global_secondary_indexes: list[GlobalIndex] = []
    table_data: list[Item] = []
    data_access: dict[str, object] = {}
    sample_data_formats: dict[str, list[str]] = {}
    billing_mode: Literal["PROVISIONED", "PAY_PER_REQUEST"] | None = None
    provisioned_capacity_settings: Provisioning | None = None


class Metadata(Struct, rename="pascal"):
    """Who made the model, when and what for."""

    author: str = ""
    date_created: str = ""
    date_last_modified: str = ""
    description: str = ""
    aws_service: str = field(name="AWSService", default="Amazon DynamoDB")
    version: str = "3.0"


class DataModel(Struct, rename="pascal"):
    """A data model: what the file holds."""

    model_name: str
    data_model: list[DataTable]
    model_metadata: Metadata = field(default_factory=Metadata)
