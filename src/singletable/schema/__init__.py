"""What an app declares: tables, entities and keys, with types that hold."""

from singletable.schema.access import Access
from singletable.schema.address import ItemKey, key_of
from singletable.schema.attribute import Attr
from singletable.schema.codec import TimeFormat
from singletable.schema.collection import Collection
from singletable.schema.condition import Condition
from singletable.schema.count import Count, Counted, counted_in
from singletable.schema.create import create_operation
from singletable.schema.edit import Edit
from singletable.schema.entity import Entity
from singletable.schema.entity_of import ModelEntity
from singletable.schema.field import attr, created, expires, updated, version
from singletable.schema.key import IndexKey, Key
from singletable.schema.model import Model, model_of
from singletable.schema.overlap import lies_in, shares_range
from singletable.schema.part import (
    Part,
    Same,
    Shards,
    casefold,
    descending,
    ordered,
    padded,
    same,
)
from singletable.schema.path import Path
from singletable.schema.selection import Partition, Selection
from singletable.schema.table import Binary, Index, LocalIndex, Number, Provisioned, Table
from singletable.schema.unique import Marker, Unique, UniqueValue
from singletable.schema.warning import DeclarationWarning

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
