"""Whether an item or a key fits a table's key schema, in DynamoDB's order and words."""

from __future__ import annotations

from singletable.engine.table import KeyAttribute, Table
from singletable.errors import ValidationError
from singletable.values import INVALID, AttributeValue, Item, key_bytes, type_of

NOT_VALID = "One or more parameter values are not valid. "
NO_MATCH = "The provided key element does not match the schema"
MAX_PARTITION_KEY = 2048
MAX_SORT_KEY = 1024


class EmptyKey(ValidationError):
    """A key attribute is empty: refused as such, also in a transaction, which is not cancelled."""


def check_key(table: Table, key: Item) -> None:
    """Raise unless the key has exactly the table's key attributes, each of its type."""
    attributes = table.key.attributes
    if len(key) != len(attributes):
        raise ValidationError(NO_MATCH)
    for attribute in attributes:
        value = key.get(attribute.name)
        if value is None or attribute.type not in value:
            raise ValidationError(NO_MATCH)
        _check_content(table, attribute, value)


def check_item_keys(table: Table, item: Item) -> None:
    """Raise unless the item has the table's key, and nothing amiss in what are keys of indexes."""
    for attribute in table.key.attributes:
        value = item.get(attribute.name)
        if value is None:
            raise ValidationError(f"{INVALID}Missing the key {attribute.name} in the item")
        if attribute.type not in value:
            raise ValidationError(
                f"{INVALID}Type mismatch for key {attribute.name} expected: {attribute.type} "
                f"actual: {type_of(value)}"
            )
        _check_content(table, attribute, value)
    check_index_keys(table, item)


def check_index_keys(table: Table, item: Item) -> None:
    """Raise if an attribute that is the key of an index cannot be one."""
    for name, (attribute, index) in table.index_keys.items():
        value = item.get(name)
        if value is None:
            continue
        check_index_key_type(attribute, index, type_of(value))
        if (empty := emptiness(value)) is not None:
            raise EmptyKey(
                f"{NOT_VALID}A value specified for a secondary index key is not supported. The "
                f"AttributeValue for a key attribute cannot contain an empty {empty} value. "
                f"IndexName: {index}, IndexKey: {name}"
            )
        check_index_key_size(table, attribute, value)


def check_index_key_type(attribute: KeyAttribute, index: str, actual: str) -> None:
    """Raise unless a value of this type can be the key that the index declares."""
    if attribute.type != actual:
        raise ValidationError(
            f"{INVALID}Type mismatch for Index Key {attribute.name} Expected: {attribute.type} "
            f"Actual: {actual} IndexName: {index}"
        )


def emptiness(value: AttributeValue) -> str | None:
    """ "string" or "binary" if the value is an empty one, which no key may be."""
    if value.get("S") == "":
        return "string"
    return "binary" if value.get("B") == "" else None


def _check_content(table: Table, attribute: KeyAttribute, value: AttributeValue) -> None:
    if (empty := emptiness(value)) is not None:
        raise EmptyKey(
            f"{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty {empty} "
            f"value. Key: {attribute.name}"
        )
    if attribute is table.key.partition[0]:
        _check_partition_size(value)
    else:
        _check_sort_size(value)


def check_index_key_size(table: Table, attribute: KeyAttribute, value: AttributeValue) -> None:
    """Raise if the value is longer than a key of some index may be."""
    if _size(value) <= MAX_SORT_KEY:
        return
    for index in table.indexes:
        if attribute in index.key.sort:
            _check_sort_size(value)
        elif attribute in index.key.partition:
            _check_partition_size(value)


def _check_partition_size(value: AttributeValue) -> None:
    if _size(value) > MAX_PARTITION_KEY:
        # The missing space is DynamoDB's.
        raise ValidationError(
            f"{INVALID}Size of hashkey has exceeded the maximum size limit of"
            f"{MAX_PARTITION_KEY} bytes"
        )


def _check_sort_size(value: AttributeValue) -> None:
    if _size(value) > MAX_SORT_KEY:
        raise ValidationError(
            f"{INVALID}Aggregated size of all range keys has exceeded the size limit of "
            f"{MAX_SORT_KEY} bytes"
        )


def _size(value: AttributeValue) -> int:
    return 0 if "N" in value else len(key_bytes(value))
