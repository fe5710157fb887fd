"""Check items and keys against a table's key schema, in DynamoDB's order and words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dynamodb_engine.engine.storage import RowKey
from dynamodb_engine.engine.table import Index, KeyAttribute, Table
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions import Path
from dynamodb_engine.values import INVALID, AttributeValue, Item, key_bytes, type_of

NOT_VALID = "One or more parameter values are not valid. "
NO_MATCH = "The provided key element does not match the schema"
MAX_PARTITION_KEY = 2048
MAX_SORT_KEY = 1024


class EmptyKey(ValidationError):
    """A key attribute is empty: a transaction raises this error itself and is not canceled."""


def encode_key(table: Table, key: Item) -> RowKey:
    """Return the row key of a key; raise unless it has exactly the table's key attributes."""
    partition, sort = table.partition_key, table.sort_key
    if len(key) != (1 if sort is None else 2):
        raise ValidationError(NO_MATCH)
    value = key.get(partition.name)
    if value is None or partition.type not in value:
        raise ValidationError(NO_MATCH)
    encoded = _partition_bytes(table, partition, value)
    if sort is None:
        return RowKey(encoded, b"")
    value = key.get(sort.name)
    if value is None or sort.type not in value:
        raise ValidationError(NO_MATCH)
    return RowKey(encoded, _sort_bytes(sort, value))


def encode_item_key(table: Table, item: Item) -> RowKey:
    """Return the row key of an item; raise unless it has the table's key and valid index keys."""
    partition, sort = table.partition_key, table.sort_key
    encoded = _partition_bytes(table, partition, _key_value(partition, item))
    encoded_sort = b"" if sort is None else _sort_bytes(sort, _key_value(sort, item))
    if table.index_keys:
        check_index_keys(table, item)
    return RowKey(encoded, encoded_sort)


def _key_value(attribute: KeyAttribute, item: Item) -> AttributeValue:
    value = item.get(attribute.name)
    if value is None:
        raise ValidationError(f"{INVALID}Missing the key {attribute.name} in the item")
    if attribute.type not in value:
        raise ValidationError(
            f"{INVALID}Type mismatch for key {attribute.name} expected: {attribute.type} "
            f"actual: {type_of(value)}"
        )
    return value


def check_index_keys(table: Table, item: Item) -> None:
    """Raise if an index key attribute of the item has an invalid type, value or size."""
    for name, (attribute, index) in table.index_keys.items():
        value = item.get(name)
        if value is None:
            continue
        # Most are short texts: a character takes up to four bytes.
        if attribute.type == "S" and 0 < len(value.get("S", "")) <= MAX_SORT_KEY // 4:
            continue
        check_index_key_type(attribute, index, type_of(value))
        if (empty := empty_type(value)) is not None:
            raise EmptyKey(
                f"{NOT_VALID}A value specified for a secondary index key is not supported. The "
                f"AttributeValue for a key attribute cannot contain an empty {empty} value. "
                f"IndexName: {index}, IndexKey: {name}"
            )
        check_index_key_size(table, attribute, value)
    check_total_key_sizes(table, item)


def check_total_key_sizes(table: Table, item: Item) -> None:
    """Raise if the attributes of a key with several of them are too long together."""
    for index in table.multi_attribute_indexes:
        if index.key.matches(item):
            if _total_size(index.key.partition, item) > MAX_PARTITION_KEY:
                raise _partition_too_long()
            if _total_size(index.key.sort, item) > MAX_SORT_KEY:
                raise _sort_too_long()


def _total_size(attributes: Iterable[KeyAttribute], item: Item) -> int:
    return sum(len(key_bytes(item[attribute.name])) for attribute in attributes)


def has_valid_keys(index: Index, item: Item) -> bool:
    """Return whether the item belongs in the index."""
    for name, kind in index.key.kinds:
        value = item.get(name)
        if value is None or kind not in value:
            return False
        # Most are short: a key has at most four attributes, and a character up to four bytes.
        text: Any = value[kind]
        if not text or text[MAX_SORT_KEY // 16 :]:
            return (
                index.key.matches(item)
                and _are_valid(index.key.partition, item, MAX_PARTITION_KEY)
                and _are_valid(index.key.sort, item, MAX_SORT_KEY)
            )
    return True


def _are_valid(attributes: tuple[KeyAttribute, ...], item: Item, limit: int) -> bool:
    # Written before it was a key, a value may be empty, or all together too long for one.
    values = [item[attribute.name] for attribute in attributes]
    size = sum(len(key_bytes(value)) for value in values)
    return size <= limit and all(empty_type(value) is None for value in values)


def check_index_key_type(attribute: KeyAttribute, index: str, actual: str) -> None:
    """Raise unless the type is the one that the index declares."""
    if attribute.type != actual:
        raise ValidationError(
            f"{INVALID}Type mismatch for Index Key {attribute.name} Expected: {attribute.type} "
            f"Actual: {actual} IndexName: {index}"
        )


def empty_type(value: AttributeValue) -> str | None:
    """Return "string" or "binary" if the value is empty, which is invalid as a key; or None."""
    if value.get("S") == "":
        return "string"
    return "binary" if value.get("B") == "" else None


def check_index_key_size(table: Table, attribute: KeyAttribute, value: AttributeValue) -> None:
    """Raise if the value is too long as a key of an index."""
    size = len(key_bytes(value))
    if size <= MAX_SORT_KEY:
        return
    for index in table.indexes:
        if attribute in index.key.sort:
            raise _sort_too_long()
        if attribute in index.key.partition and size > MAX_PARTITION_KEY:
            raise _partition_too_long()


def _partition_bytes(table: Table, attribute: KeyAttribute, value: AttributeValue) -> bytes:
    key = value["S"].encode() if attribute.type == "S" else key_bytes(value)
    if not key:
        raise _empty_key(attribute, value)
    if len(key) > MAX_PARTITION_KEY:
        raise _partition_too_long()
    return table.layout.hash_partition(key)


def _sort_bytes(attribute: KeyAttribute, value: AttributeValue) -> bytes:
    key = value["S"].encode() if attribute.type == "S" else key_bytes(value)
    if not key:
        raise _empty_key(attribute, value)
    if len(key) > MAX_SORT_KEY:
        raise _sort_too_long()
    return key


def _empty_key(attribute: KeyAttribute, value: AttributeValue) -> EmptyKey:
    return EmptyKey(
        f"{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty "
        f"{empty_type(value)} value. Key: {attribute.name}"
    )


def _partition_too_long() -> ValidationError:
    # The missing space is DynamoDB's.
    return ValidationError(
        f"{INVALID}Size of hashkey has exceeded the maximum size limit of{MAX_PARTITION_KEY} bytes"
    )


def _sort_too_long() -> ValidationError:
    return ValidationError(
        f"{INVALID}Aggregated size of all range keys has exceeded the size limit of "
        f"{MAX_SORT_KEY} bytes"
    )


def check_scalar_keys(table: Table, paths: Iterable[Path]) -> None:
    """Raise if a path leads into a key attribute, because keys are scalars."""
    nested = [path[0] for path in paths if len(path) > 1]
    if not nested:
        return
    for kind, names in (("Key", table.key.names), ("IndexKey", tuple(table.index_keys))):
        for name in names:
            if name in nested:
                raise ValidationError(
                    "Key attributes must be scalars; list random access '[]' and map lookup '.' "
                    f"are not allowed: {kind}: {name}"
                )
