"""Sample items of an entity, of a given size, to measure items and index entries.

A sample has an example value for every field. Text and binary fields that are in no key are
lengthened alike until the item has its size, so that an index entry has the size that follows from
its projection.
"""

from __future__ import annotations

import types
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, NewType, Union, cast, get_args, get_origin

import msgspec

from dynamodb_engine.values import Item, item_size
from singletable.errors import InvalidValue
from singletable.schema import Index, Model, ResolvedKey, model_of
from singletable.schema.codec.compression import Compressed
from singletable.schema.codec.encryption import Unsealed
from singletable.schema.examples import example_value, field_labels
from singletable.store.decoder import projected_attributes

# The store adds the index keys; DynamoDB counts names and values of all attributes.
_FILLER = "x"
# The header with the id of the key, the nonce and the tag of an encrypted value.
_ENCRYPTION_OVERHEAD = 40


def sample_values(model: Model, *, size: int | None = None) -> dict[str, object]:
    """Return a value for each field; text and binary fields in no key are lengthened to a size."""
    labels = field_labels(column for key in keys_of(model) for column in key.columns)
    values: dict[str, object] = {}
    for name, field in model.fields.items():
        try:
            values[name] = example_value(field.annotation, labels.get(name, name), 1)
        except TypeError:  # there is no example of such a type
            values[name] = None
    if size is not None:
        lengthen(model, values, size - item_size(sample_item(model, values)))
    return values


def sample_item(model: Model, values: Mapping[str, object]) -> Item:
    """Return the item of some values, with its keys in all indexes, sparse ones too."""
    item = dict(model.codec.encode(values))
    if model.tag is not None:
        item[model.tag[0]] = {"S": model.tag[1]}
    model.versions.stamp(item)
    for key in (model.key, *model.indexes.values()):
        try:
            item.update(key.attributes(values) or {})
        except InvalidValue:  # the example does not fit the key
            continue
    for attribute in model.encrypted.keys() & item.keys():
        content: object = item[attribute].get("B")
        if isinstance(content, Unsealed):  # of the size that it has encrypted, without its key
            size = len(msgspec.json.encode(content.value)) + _ENCRYPTION_OVERHEAD
            item[attribute] = {"B": b64encode(bytes(size)).decode()}
    return item


def entry_size(entity: type, index: Index | None, size: int) -> int:
    """Return the bytes that an item of `size` bytes takes in an index, or in its table."""
    model = model_of(entity)
    projected = projected_attributes(model, index)
    return (
        size
        if projected is None
        else min(size, _projected_size(entity, frozenset(projected), size))
    )


@lru_cache(maxsize=1024)
def _projected_size(entity: type, projected: frozenset[str], size: int) -> int:
    model = model_of(entity)
    item = sample_item(model, sample_values(model, size=size))
    return item_size({name: value for name, value in item.items() if name in projected})


def keys_of(model: Model) -> Sequence[ResolvedKey]:
    """Return all keys of an entity: the primary key, index keys and markers of unique values."""
    markers = (unique.access for unique in model.uniques.values())
    return (model.key, *model.indexes.values(), *markers)


def lengthen(model: Model, values: dict[str, object], missing: int) -> bool:
    """Add `missing` bytes to texts, binaries, lists of texts and maps that are in no key.

    The fields of a count are in the key of another item. Returns whether there are such fields.
    """
    in_keys = {name for key in keys_of(model) for name in key.fields}
    in_keys |= {name for count in model.counts.values() for name in count.fields}
    tested = {path[0] for key in model.indexes.values() for path in key.condition_paths}
    names = [
        name
        for name, field in model.fields.items()
        if name not in in_keys
        and field.attribute not in tested
        and field.role is None
        and not isinstance(field.field_codec, Compressed)
        and longer_value(values[name], field.annotation, 1) is not None
    ]
    if missing > 0:
        for at, name in enumerate(names):
            more = (missing * (at + 1)) // len(names) - (missing * at) // len(names)
            values[name] = longer_value(values[name], model.fields[name].annotation, more)
    return bool(names)


def longer_value(value: object, kind: Any, more: int) -> object | None:
    """Return a value that takes `more` bytes more; None if values of this type cannot be longer."""
    kind = plain_type(kind)
    if kind is str and isinstance(value, str):
        return value + _FILLER * more
    if kind is bytes and isinstance(value, bytes):
        return value + _FILLER.encode() * more
    if get_origin(kind) is list and isinstance(value, list) and value:
        first: object
        first, *rest = cast("list[object]", value)
        longer = longer_value(first, get_args(kind)[0], more)
        return None if longer is None else [longer, *rest]
    if get_origin(kind) is dict and isinstance(value, dict) and value:
        (name, inner), *others = cast("dict[str, object]", value).items()
        return {name + _FILLER * more: inner} | dict(others)
    return None


def plain_type(kind: Any) -> Any:
    """Return the type behind Annotated, NewType and `| None`."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return plain_type(arguments[0])
    if isinstance(kind, NewType):
        return plain_type(kind.__supertype__)
    if origin in (Union, types.UnionType):
        return plain_type(next(one for one in arguments if one is not type(None)))
    return kind
