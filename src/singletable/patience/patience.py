"""How often a request is sent, and how long the waits between are."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from singletable.errors import InvalidValue
from singletable.patience.quota import Quota
from singletable.patience.steps import Pause, Reason


@dataclass(frozen=True, slots=True)
class Patience:
    """Sent so often in all; each wait has a random length, up to one that doubles each time.

    Whoever was throttled may wait for longer at first: `throttled_wait` in place of `first_wait`.
    """

    attempts: int = 10
    first_wait: float = 0.02
    longest_wait: float = 2.0
    throttled_wait: float | None = None
    quota: Quota = field(default_factory=Quota, compare=False)

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise InvalidValue(f"attempts: expected at least 1, but got {self.attempts}.")

    def allows(self, attempt: int) -> bool:
        """Whether another may follow an attempt, counted from 0; then it is paid for."""
        return attempt + 1 < self.attempts and self.quota.spend()

    def pause(self, attempt: int, reason: Reason, *, throttled: bool = False) -> Pause:
        """A wait of random length, which may be longer each time: those who met part again."""
        first = self.throttled_wait if throttled and self.throttled_wait else self.first_wait
        longest = min(self.longest_wait, first * 2**attempt)
        return Pause(random.uniform(0, longest), reason)
