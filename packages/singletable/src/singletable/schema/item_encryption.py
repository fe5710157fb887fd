"""Encrypt and decrypt the encrypted fields of items, given their primary key.

`ciphers` are those of an entity, by attribute. An encrypted value that a write does not pass
through here stays `Unsealed`, and cannot be sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

from dynamodb_engine.expressions import Action, Constant, IfNotExists, Set
from dynamodb_engine.values import AttributeValue, Item
from singletable.schema.codec.encryption import Encrypted, Unsealed
from singletable.schema.fields import Attr

# The encrypted fields of an entity, by attribute.
EncryptedFields: TypeAlias = Mapping[str, Attr[Any]]


def encrypted_fields(fields: Mapping[str, Attr[Any]]) -> EncryptedFields:
    """Return the fields that are encrypted."""
    return {one.attribute: one for one in fields.values() if one.codec().cipher is not None}


def seal_item(fields: EncryptedFields, item: Item, key: Item) -> None:
    """Encrypt the fields of an item that has this key."""
    for attribute in fields:
        if attribute in item:
            item[attribute] = _seal(fields, attribute, item[attribute], key)


def seal_action(fields: EncryptedFields, action: Action, key: Item) -> Action:
    """Return the action of an update with encrypted values, for the item with this key."""
    match action:
        case Set((str(attribute),), Constant(value)) if attribute in fields:
            return Set(action.path, Constant(_seal(fields, attribute, value, key)))
        case Set((str(attribute),), IfNotExists(path, Constant(value))) if attribute in fields:
            constant = Constant(_seal(fields, attribute, value, key))
            return Set(action.path, IfNotExists(path, constant))
        case _:
            return action


def open_item(fields: EncryptedFields, item: Item, key: Item) -> Item:
    """Return the item with its fields decrypted, as the codecs of the fields read them."""
    opened = dict(item)
    for attribute, field in fields.items():
        content: object = item.get(attribute, {}).get("B")
        if isinstance(content, str):
            value = _cipher(field).open(content, attribute, key, str(field))
            opened[attribute] = cast(AttributeValue, {"B": Unsealed(value)})
    return opened


def _seal(
    fields: EncryptedFields, attribute: str, value: AttributeValue, key: Item
) -> AttributeValue:
    content: object = value.get("B")
    if not isinstance(content, Unsealed):
        return value
    return _cipher(fields[attribute]).seal(content.value, attribute, key)


def _cipher(field: Attr[Any]) -> Encrypted:
    return cast(Encrypted, field.codec().cipher)
