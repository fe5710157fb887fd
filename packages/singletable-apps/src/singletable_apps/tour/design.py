"""A design of the tour as data: its tables, sample items, and the steps to show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import time
from typing import Any, TypeVar

from singletable.errors import OperationError
from singletable.operations import ConsumedCapacity, Driver, Operation
from singletable.schema import Table
from singletable.store import Call, SentRequest, Store

R = TypeVar("R")


class TourClock:
    """Returns the real time plus the skipped time."""

    def __init__(self) -> None:
        self._skipped = 0.0

    def __call__(self) -> float:
        """Return the seconds since the epoch."""
        return time() + self._skipped

    def now(self) -> datetime:
        """Return the time without microseconds, as TTL attributes store it."""
        return datetime.fromtimestamp(int(self()), UTC)

    def skip(self, duration: timedelta) -> None:
        """Let this much time pass."""
        self._skipped += duration.total_seconds()


class TourSession:
    """The store of the tour, the requests of the current step, and the results of earlier ones."""

    def __init__(self, driver: Driver, clock: TourClock) -> None:
        self.clock = clock
        self.store = Store(driver, clock=clock.now, observers=[self._observe])
        self.requests: list[SentRequest] = []
        # The result of each step by its title.
        self.results: dict[str, Any] = {}

    def _observe(self, call: Call) -> None:
        self.requests += call.requests

    def send(self, operation: Operation[R]) -> R:
        """Send an operation that the store has no method for."""
        try:
            output = self.store.driver.execute(operation)
        except OperationError as error:
            self.requests.append(SentRequest(operation, (), error))
            raise
        consumed: ConsumedCapacity | None = getattr(output, "consumed_capacity", None)
        self.requests.append(SentRequest(operation, () if consumed is None else (consumed,)))
        return output


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One access pattern: its title and notation in the document, and the call that runs it.

    `columns` are the fields to show of each returned item. A `rejected` step is one that DynamoDB
    rejects, and its error is what it shows. `after` is how much time passes before it.
    """

    title: str
    document: str
    call: Callable[[TourSession], object]
    columns: Sequence[str] = ()
    note: str = ""
    rejected: bool = False
    after: timedelta = timedelta()


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """The design of one document. `items` returns sample entities; TTLs count from its argument."""

    title: str
    description: str
    tables: Sequence[Table]
    items: Callable[[datetime], Sequence[object]]
    steps: Sequence[Step]
