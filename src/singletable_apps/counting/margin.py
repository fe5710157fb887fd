"""How many ballots would have to be different for somebody else to win, or to share the win."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Margin:
    """At least so many ballots, and at most so many if that is known; and why it is so.

    Fewer than `at_least` ballots cannot change who wins, however they are changed. `at_most` is a
    number that could. Where the two are equal the margin is exact.
    """

    at_least: int
    at_most: int | None
    why: str
    kind: Literal["exact", "bound"] = "bound"

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", "exact" if self.at_least == self.at_most else "bound")
