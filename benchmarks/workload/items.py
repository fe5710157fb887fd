"""The items: about 250 bytes each, four attributes, a thousand partitions."""

from __future__ import annotations

from singletable import Item

PARTITIONS = 1_000
_NAME = "x" * 200


def partition_of(number: int) -> str:
    """The partition key of an item that is known by its number."""
    return f"USER#{number % PARTITIONS}"


def sort_of(number: int) -> str:
    """The sort key of an item that is known by its number; they sort as the numbers do."""
    return f"SKILL#{number:09}"


def key_of(number: int) -> Item:
    """The key of an item that is known by its number."""
    return key(partition_of(number), sort_of(number))


def item_of(number: int) -> Item:
    """An item that is known by its number."""
    return item(partition_of(number), sort_of(number), str(number))


def key(partition: str, sort: str) -> Item:
    """A key."""
    return {"PK": {"S": partition}, "SK": {"S": sort}}


def item(partition: str, sort: str, years: str) -> Item:
    """An item."""
    return {
        "PK": {"S": partition},
        "SK": {"S": sort},
        "name": {"S": _NAME},
        "years": {"N": years},
    }
