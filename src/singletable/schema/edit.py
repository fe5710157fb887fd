"""One change to an item: what an update is made of."""

from __future__ import annotations

from typing import Generic, TypeVar

from singletable import expressions

E = TypeVar("E")


class Edit(Generic[E]):
    """A change to a field of entity E; made with `Ballot.rank.set(1)` and its like."""

    __slots__ = ("action", "field", "shown")

    def __init__(self, field: str, shown: str, action: expressions.Action) -> None:
        self.field = field
        self.shown = shown
        self.action = action

    def __repr__(self) -> str:
        return f"Edit({self.shown}, {self.action})"
