"""Operations that DynamoDB does not have: read the change feed, and remove expired items."""

from __future__ import annotations

from typing import Literal

from msgspec import Raw, field

from dynamodb_engine.operations.base import Operation, Shape
from dynamodb_engine.values import Item, item_from_json

__all__ = ["ChangeRecord", "ReadChanges", "ReadChangesOutput", "SweepExpired", "SweepExpiredOutput"]


class ChangeRecord(Shape, frozen=True):
    """An item that was written or removed. Positions grow in the order of the commits."""

    position: int
    table_name: str
    kind: Literal["INSERT", "MODIFY", "REMOVE"]
    when: float
    keys: Item
    expired: bool = False
    raw_old: Raw | None = field(name="Old", default=None)
    raw_new: Raw | None = field(name="New", default=None)

    @property
    def old(self) -> Item | None:
        """The item before the change, decoded at each call; None if it was inserted."""
        return None if self.raw_old is None else item_from_json(self.raw_old)

    @property
    def new(self) -> Item | None:
        """The item after the change, decoded at each call; None if it was removed."""
        return None if self.raw_new is None else item_from_json(self.raw_new)


class ReadChangesOutput(Shape, frozen=True):
    """Changes in commit order; continue after `position`."""

    changes: list[ChangeRecord]
    position: int


class ReadChanges(Operation[ReadChangesOutput], frozen=True):
    """Read the changes after a position: 0 is the beginning of the feed, None its end.

    TrimmedDataAccess is raised if the feed no longer has the changes after that position.
    """

    after: int | None = 0
    table_name: str | None = None
    limit: int = 1000


class SweepExpiredOutput(Shape, frozen=True):
    """How many items were removed; `more` if the limit or damaged items call for another sweep."""

    removed: int
    more: bool


class SweepExpired(Operation[SweepExpiredOutput], frozen=True):
    """Remove expired items, as DynamoDB does in the background.

    Damaged items are kept. A sweep that finds nothing else raises a StorageError.
    """

    table_name: str | None = None
    limit: int = 1000
