"""What an app declares: tables, entities and keys, with types that hold."""

from singletable.schema.checks import DeclarationWarning
from singletable.schema.codec import TimeFormat
from singletable.schema.collection import Collection
from singletable.schema.condition import Condition
from singletable.schema.count import Count, Counted, counted_in
from singletable.schema.entity import Entity
from singletable.schema.fields import Attr, attr, created, expires, updated, version
from singletable.schema.key_overlap import lies_in, shares_range
from singletable.schema.key_parts import (
    Part,
    Same,
    Shards,
    casefold,
    descending,
    ordered,
    padded,
    same,
)
from singletable.schema.keys import IndexKey, ItemKey, Key, key_of
from singletable.schema.model import Model, model_of
from singletable.schema.model_entity import ModelEntity
from singletable.schema.path import Edit, Path
from singletable.schema.resolved_key import Access
from singletable.schema.selection import Partition, Selection
from singletable.schema.table import (
    Binary,
    Index,
    LocalIndex,
    Number,
    Provisioned,
    Table,
    create_operation,
)
from singletable.schema.unique import Marker, Unique, UniqueValue

__all__ = [
    "Access",
    "Attr",
    "Binary",
    "Collection",
    "Condition",
    "Count",
    "Counted",
    "DeclarationWarning",
    "Edit",
    "Entity",
    "Index",
    "IndexKey",
    "ItemKey",
    "Key",
    "LocalIndex",
    "Marker",
    "Model",
    "ModelEntity",
    "Number",
    "Part",
    "Partition",
    "Path",
    "Provisioned",
    "Same",
    "Selection",
    "Shards",
    "Table",
    "TimeFormat",
    "Unique",
    "UniqueValue",
    "attr",
    "casefold",
    "counted_in",
    "create_operation",
    "created",
    "descending",
    "expires",
    "key_of",
    "lies_in",
    "model_of",
    "ordered",
    "padded",
    "same",
    "shares_range",
    "updated",
    "version",
]
