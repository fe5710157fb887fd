"""Declarations: tables, entities, keys and constraints, with types that checkers verify."""

from singletable.schema.checks import DeclarationWarning
from singletable.schema.codec import TimeFormat
from singletable.schema.collection import Collection
from singletable.schema.condition import Condition
from singletable.schema.count import Count, Counter, counters_of
from singletable.schema.entity import Entity
from singletable.schema.fields import Attr, attr, created, expires, sequence, updated, version
from singletable.schema.key_overlap import (
    entities_in_range,
    has_overlapping_range,
    may_share_partition,
)
from singletable.schema.key_parts import (
    KeyPart,
    RepeatedPart,
    Shards,
    casefold,
    concat,
    descending,
    ordered,
    padded,
    repeated,
)
from singletable.schema.keys import IndexKey, ItemKey, Key, key_of
from singletable.schema.model import Model, model_of
from singletable.schema.model_entity import ModelEntity
from singletable.schema.module_tables import find_tables, table_of
from singletable.schema.patch import evolve
from singletable.schema.path import Edit, Path
from singletable.schema.resolved_key import ResolvedKey
from singletable.schema.selection import EntitiesSelection, Partition, Selection
from singletable.schema.table import (
    Binary,
    Index,
    LocalIndex,
    Number,
    Provisioned,
    Table,
    camel_case,
    create_operation,
    pascal_case,
)
from singletable.schema.table_description import read_table, table_from_description
from singletable.schema.unique import Unique, UniqueConstraint, UniqueValue

__all__ = [
    "Attr",
    "Binary",
    "Collection",
    "Condition",
    "Count",
    "Counter",
    "DeclarationWarning",
    "Edit",
    "EntitiesSelection",
    "Entity",
    "Index",
    "IndexKey",
    "ItemKey",
    "Key",
    "KeyPart",
    "LocalIndex",
    "Model",
    "ModelEntity",
    "Number",
    "Partition",
    "Path",
    "Provisioned",
    "RepeatedPart",
    "ResolvedKey",
    "Selection",
    "Shards",
    "Table",
    "TimeFormat",
    "Unique",
    "UniqueConstraint",
    "UniqueValue",
    "attr",
    "camel_case",
    "casefold",
    "concat",
    "counters_of",
    "create_operation",
    "created",
    "descending",
    "entities_in_range",
    "evolve",
    "expires",
    "find_tables",
    "has_overlapping_range",
    "key_of",
    "may_share_partition",
    "model_of",
    "ordered",
    "padded",
    "pascal_case",
    "read_table",
    "repeated",
    "sequence",
    "table_from_description",
    "table_of",
    "updated",
    "version",
]
