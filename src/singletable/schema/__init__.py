"""What an app declares: tables, entities and keys, with types that hold."""

from singletable.schema.access import Access
from singletable.schema.address import Address, address_of
from singletable.schema.attribute import Attr
from singletable.schema.codec import TimeForm
from singletable.schema.collection import Collection
from singletable.schema.condition import Condition
from singletable.schema.count import Count, Counted, counted_in
from singletable.schema.create import create_operation
from singletable.schema.edit import Edit
from singletable.schema.entity import Entity
from singletable.schema.entity_of import EntityOf
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
    digits,
    ordered,
    same,
)
from singletable.schema.path import Path
from singletable.schema.selection import Partition, Selection
from singletable.schema.table import Binary, Index, LocalIndex, Number, Provisioned, Table
from singletable.schema.unique import Marker, Taken, Unique
from singletable.schema.warning import DeclarationWarning

__all__ = [
    "Access",
    "Address",
    "Attr",
    "Binary",
    "Collection",
    "Condition",
    "Count",
    "Counted",
    "DeclarationWarning",
    "Edit",
    "Entity",
    "EntityOf",
    "Index",
    "IndexKey",
    "Key",
    "LocalIndex",
    "Marker",
    "Model",
    "Number",
    "Part",
    "Partition",
    "Path",
    "Provisioned",
    "Same",
    "Selection",
    "Shards",
    "Table",
    "Taken",
    "TimeForm",
    "Unique",
    "address_of",
    "attr",
    "casefold",
    "counted_in",
    "create_operation",
    "created",
    "descending",
    "digits",
    "expires",
    "lies_in",
    "model_of",
    "ordered",
    "same",
    "shares_range",
    "updated",
    "version",
]
