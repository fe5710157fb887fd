"""What every step of a migration needs to run: the driver, the state, the rate limit."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock
from typing import TypeVar
from uuid import uuid4

from dynamodb_engine.operations import DescribeTable, Driver, Operation, TableDescription
from dynamodb_engine.retry import RetryBudget, RetryPolicy, send
from dynamodb_engine.steps import Steps, run
from singletable.errors import MigrationLocked, ResourceNotFound, SingleTableError
from singletable.migration.rate_limit import RateLimit, RateLimitedDriver
from singletable.migration.state import Changes, State, StateStore
from singletable.migration.two_addresses import Place, Side
from singletable.schema import Table
from singletable.store.context import Context

R = TypeVar("R")

# A migration has time: it waits through throttling that an application would report.
PATIENT = RetryPolicy(max_attempts=40, max_delay=10.0, budget=RetryBudget(1_000_000))


@dataclass(frozen=True, slots=True)
class StepProgress:
    """The progress of a step. `total` stays None until it is known.

    With `done` at 0, `note` is a message that must not be missed.
    """

    step: str
    done: int
    total: int | None
    note: str = ""


def no_progress(progress: StepProgress) -> None:
    """Ignore progress."""


def default_owner() -> str:
    """Return a name for this process: where it runs, and which one it is."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"


def migration_context(
    sides: Mapping[Table, Side], names: Mapping[Table, str], clock: Callable[[], float] = time.time
) -> Context:
    """Return a store context that names tables by their places."""
    return Context(
        table_names={
            table: Place(side, names.get(table, table.name)) for table, side in sides.items()
        },
        clock=lambda: datetime.fromtimestamp(clock(), UTC),
        retry_policy=PATIENT,
    )


@dataclass
class Environment:
    """The tables and the settings of a run.

    `driver` is a TwoAddressDriver: `context` names tables by their places. `page_size` limits the
    items per page of a scan; None reads up to 1 MB.
    """

    driver: Driver
    context: Context
    states: StateStore
    state: State
    limit: RateLimit
    segments: int = 4
    page_size: int | None = None
    changes: Changes = "stream"
    # Whether the rate limit is obeyed; not while the writes of the application wait.
    is_paced: bool = True
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], object] = time.sleep
    on_progress: Callable[[StepProgress], object] = no_progress
    # When the lease was renewed last; None without a lease.
    renewed: float | None = None
    # The number of items that DynamoDB reports for a table.
    _counts: dict[Table, int] = field(default_factory=dict[Table, int], init=False, repr=False)
    _lost: MigrationLocked | None = field(default=None, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)
    _paced: Driver = field(init=False, repr=False)

    def __post_init__(self) -> None:
        leased = _LeasedDriver(self)
        limited = RateLimitedDriver(leased, self.limit, self._pause)
        self._paced = limited if self.is_paced else leased

    def run(self, steps: Steps[R]) -> R:
        """Run a generator of requests, paced by the rate limit, and keep the lease meanwhile."""
        return run(self._paced, steps, self._pause)

    def send(self, operation: Operation[R]) -> R:
        """Execute one request; wait through throttling."""
        return self.run(send(self.context.retry_policy, operation))

    def table_name(self, table: Table) -> str:
        """Return the place of a table, under which requests name it."""
        return self.context.table_name(table)

    def describe(self, table: Table) -> TableDescription | None:
        """Return the description of a table; None if it does not exist."""
        try:
            return self.send(DescribeTable(self.table_name(table))).table
        except ResourceNotFound:  # not TableNotFound: DynamoDB Local's error text differs
            return None

    def _pause(self, seconds: float) -> None:
        """Sleep in parts, so that the lease does not expire meanwhile."""
        while seconds > 0:
            part = min(seconds, self.states.lease_seconds / 4)
            self.sleep(part)
            seconds -= part
            self.keep_lease()

    def keep_lease(self) -> None:
        """Renew the lease if it is half over; raise MigrationLocked if it is lost."""
        with self._lock:
            if self._lost is not None:
                raise self._lost
            if self.renewed is None:
                return
            if self.clock() - self.renewed < self.states.lease_seconds / 2:
                return
            try:
                run(self.driver, self.states.renew(), self.sleep)
            except MigrationLocked as error:
                self._lost = error
                raise
            self.renewed = self.clock()

    def run_without_lease(self, steps: Steps[R]) -> R:
        """Run a generator of requests without keeping the lease and without the rate limit.

        For the state itself, and to correct what came too late.
        """
        return run(self.driver, steps, self.sleep)

    def run_parallel(self, pieces: Sequence[Callable[[], R]]) -> list[R]:
        """Call functions in threads of their own, and return their results in order.

        All of them end before an error is raised, so that nothing runs on after it.
        """
        if len(pieces) == 1:
            return [pieces[0]()]
        with ThreadPoolExecutor(len(pieces)) as threads:
            futures = [threads.submit(piece) for piece in pieces]
        return [future.result() for future in futures]

    def checkpoint(self) -> None:
        """Save the state, and renew the lease."""
        # Not paced: a lease that waits behind a slow rate would expire.
        run(self.driver, self.states.save(self.state), self.sleep)
        self.renewed = self.clock()

    def progress(
        self,
        step: str,
        done: int,
        total: int | None = None,
        note: str = "",
        of: Collection[Table] = (),
    ) -> None:
        """Report the progress of a step; the default total is the number of items `of` tables."""
        if self.on_progress is not no_progress:
            self.on_progress(StepProgress(step, done, total or self._item_count(of), note))

    def _item_count(self, tables: Collection[Table]) -> int | None:
        for table in tables:
            if table not in self._counts:
                with suppress(SingleTableError):
                    described = run(
                        self.driver, send(PATIENT, DescribeTable(self.table_name(table)))
                    )
                    self._counts[table] = described.table.item_count
        counts = [self._counts[table] for table in tables if table in self._counts]
        return sum(counts) if tables and len(counts) == len(tables) else None


class _LeasedDriver:
    """Keeps the lease before each request; after one thread has lost it, no other one writes."""

    def __init__(self, env: Environment) -> None:
        self._env = env

    def execute(self, operation: Operation[R], /) -> R:
        self._env.keep_lease()
        return self._env.driver.execute(operation)
