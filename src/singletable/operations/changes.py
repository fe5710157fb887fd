"""Operations that DynamoDB has no name for: the change feed and the sweep of expired items."""

from __future__ import annotations

from typing import Literal

from msgspec import Raw, field

from singletable.operations.operation import Operation, Shape
from singletable.values import Item, item_from_json


class ChangeRecord(Shape, frozen=True):
    """One item written or removed. Positions grow in the order of the commits."""

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
        """The item before, decoded anew at each call; None if there was none."""
        return None if self.raw_old is None else item_from_json(self.raw_old)

    @property
    def new(self) -> Item | None:
        """The item after, decoded anew at each call; None if it was removed."""
        return None if self.raw_new is None else item_from_json(self.raw_new)


class ReadChangesOutput(Shape, frozen=True):
    """Changes in commit order; go on after `position`."""

    changes: list[ChangeRecord]
    position: int


class ReadChanges(Operation[ReadChangesOutput], frozen=True):
    """Ask for what was written after a position: 0 is the beginning, None is the present end.

    A position that the feed no longer reaches back to is refused with TrimmedDataAccess.
    """

    after: int | None = 0
    table_name: str | None = None
    limit: int = 1000


class SweepExpiredOutput(Shape, frozen=True):
    """How many items were removed; `more` if the limit stopped the sweep."""

    removed: int
    more: bool


class SweepExpired(Operation[SweepExpiredOutput], frozen=True):
    """Remove items whose time to live is over, as DynamoDB does in the background."""

    table_name: str | None = None
    limit: int = 1000
