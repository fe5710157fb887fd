"""The driver of an application during a copy: it pauses writes while the tables switch.

Requests on tables of the copy obey the phase in the migration's state, which is read at most every
PHASE_SECONDS; all others pass. The old version of the application uses the old tables, and the new
one uses the new table.

A write is acknowledged only if its response arrives within PHASE_SECONDS after a phase was read
that allows it. The runner waits for that time after it has set `switching`, and reads the stream to
its end afterwards. So it carries over every write that was acknowledged. If the response is late,
because the process stood still or the network was slow, the phase is read again; if the tables have
switched meanwhile, the caller gets an error with an unknown outcome.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeVar

from dynamodb_engine.cancellation import explain
from dynamodb_engine.clocks import elapsed
from dynamodb_engine.operations import AsyncDriver, Driver, Operation
from dynamodb_engine.operations.arn import parse_arn
from dynamodb_engine.operations.registry import OPERATIONS, is_write
from dynamodb_engine.operations.touches import table_names
from dynamodb_engine.retry import RetryingDriver, unwrap_retries
from dynamodb_engine.steps import Pause, Steps, run, run_async
from singletable import errors
from singletable.migration.copy_step import Copy
from singletable.migration.migrations import Migration
from singletable.migration.rules import UnchangedRule
from singletable.migration.state import PHASE_SECONDS, Phase, StateStore
from singletable.migration.two_addresses import Side
from singletable.schema import Table
from singletable.store.context import check_async_driver, check_driver, create_context

R = TypeVar("R")

# How long a write waits while the phase is `switching`, and how often it looks again.
HOLD_SECONDS = 30.0
HOLD_PAUSE = 0.05

# Whether the old tables and the new one may be read and written. While the phase is `switching`,
# writes wait. The old tables are read after the cut-over only if `back` rules keep them up to date.
_ACCESS: Mapping[Phase | None, Mapping[Side, str]] = {
    None: {"source": "rw", "target": "rw"},
    "running": {"source": "rw", "target": ""},
    "copying": {"source": "rw", "target": ""},
    "ready": {"source": "rw", "target": "r"},
    "switching": {"source": "r", "target": "r"},
    "cut-over": {"source": "r", "target": "rw"},
    "finished": {"source": "", "target": "rw"},
    "rolled-back": {"source": "rw", "target": ""},
    "undoing": {"source": "rw", "target": ""},
    "down": {"source": "rw", "target": ""},
}


@dataclass(frozen=True, slots=True)
class _View:
    """The phase of the migration, and when it was read."""

    phase: Phase | None = None
    read_at: float = float("-inf")


class _Gate:
    """Which side a request goes to, and when: without I/O."""

    def __init__(
        self,
        migration: Migration,
        tables: Mapping[Table, str] | None,
        side: Side | None,
        clock: Callable[[], float],
    ) -> None:
        self._copy = _checked_copy(migration)
        sources, target, rules = self._copy.sources, self._copy.target, self._copy.rules
        names = create_context(tables).table_name
        self._name = migration.name
        self._side: Side | None = side
        self._clock = clock
        self._old, self._new = {names(one) for one in sources}, {names(target)}
        # A name of both sides means the old table before the cut-over, and the new one after it.
        is_identity = all(isinstance(rule, UnchangedRule) for rule in rules)
        if side is None and self._old & self._new and not is_identity:
            raise errors.InvalidValue(
                f"SwitchingDriver: an old table and the new one are both named "
                f"{min(self._new)!r}. Say which one the application means: side='source' for its "
                "old version, side='target' for its new one."
            )
        self._states = StateStore(target, names(target), self._name, owner="", clock=clock)
        self._view = _View()

    def admit(self, operation: Operation[Any]) -> Steps[Side]:
        """Return the side of a request when it may be sent; raise MigrationError if it may not."""
        names = {_table_name(name) for name in table_names(operation)}
        old, new = bool(names & self._old), bool(names & self._new)
        spec = OPERATIONS.get(type(operation))
        if not (old or new) or spec is None or spec.scope != "items":
            return "target" if new and not old else "source"
        if old and new and not names & self._old & self._new:
            raise errors.MigrationError(
                f"{type(operation).__name__} uses {', '.join(sorted(names))}, tables on both "
                f"sides of migration {self._name}. Send one request for each side."
            )
        writes, held = is_write(operation), 0.0
        while True:
            phase = yield from self._phase()
            side: Side = "source" if old else "target"
            if old and new and phase in ("cut-over", "finished"):
                side = "target"
            if old and new and self._side is not None:
                side = self._side
            access = _ACCESS[phase][side]
            if phase == "cut-over" and side == "source" and not self._copy.back:
                access = ""
            if ("w" if writes else "r") in access:
                return side
            if phase != "switching":
                raise self._refused(phase, side, operation)
            if held >= HOLD_SECONDS:
                raise errors.ServiceUnavailable(
                    f"Migration {self._name} is switching to other tables for more than "
                    f"{HOLD_SECONDS:.0f} seconds, and writes wait for it. Nothing was written. "
                    "Try again; if this persists, look at `singletable migration status`."
                )
            held += HOLD_PAUSE
            yield Pause(HOLD_PAUSE, "progress")

    def confirm(self, operation: Operation[Any], side: Side) -> Steps[None]:
        """Raise InternalError if the tables have switched while a write was executed."""
        try:
            if not is_write(operation) or (yield from self.admit(operation)) == side:
                return
        except (errors.MigrationError, errors.ServiceUnavailable):
            pass
        raise self._unknown(operation, "switched")

    def explain_cancellation(
        self, canceled: asyncio.CancelledError, operation: Operation[Any]
    ) -> None:
        """Say that the outcome of a write is unknown, because it was not confirmed."""
        if is_write(operation):
            explain(canceled, self._unknown(operation, "may have switched"))

    def _unknown(self, operation: Operation[Any], what: str) -> errors.InternalError:
        return errors.InternalError(
            f"The tables of migration {self._name} {what} while {type(operation).__name__} was "
            "executed. The write may or may not have been applied. Read the item to find out."
        )

    def _phase(self) -> Steps[Phase | None]:
        view, read_at = self._view, self._clock()
        if read_at - view.read_at < (HOLD_PAUSE if view.phase == "switching" else PHASE_SECONDS):
            return view.phase
        try:
            state, _ = yield from self._states.read()
        except errors.ResourceNotFound:
            state = None  # the new table is not created yet
        self._view = _View(None if state is None else state.phase, read_at)
        return self._view.phase

    def _refused(
        self, phase: Phase | None, side: Side, operation: Operation[Any]
    ) -> errors.MigrationError:
        kind, reason = "an old table", "The new table is in use now: deploy the new version."
        if side == "target":
            kind, reason = "the new table", "The old tables are in use. Cut over first."
        return errors.MigrationError(
            f"Migration {self._name} is in phase {phase}, so {type(operation).__name__} on "
            f"{', '.join(sorted(set(table_names(operation))))}, {kind}, is refused. {reason}"
        )


class SwitchingDriver(RetryingDriver):
    """Executes the requests of an application while a Copy migrates its tables.

    Writes pass, wait while the tables switch, and are refused for tables that are not in use any
    more, or not yet. `source` is the application's driver, `target` the one of the new table, if
    that is at another address. `tables` maps tables to their real names, as for a store. `side` is
    necessary if an old table and the new one have the same name, and items are transformed.
    """

    def __init__(
        self,
        source: Driver,
        target: Driver | None = None,
        *,
        migration: Migration,
        tables: Mapping[Table, str] | None = None,
        side: Side | None = None,
        clock: Callable[[], float] = elapsed,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        check_driver(source)
        check_driver(target or source)
        self._gate, self._sleep = _Gate(migration, tables, side, clock), sleep
        self._drivers: dict[Side, Driver] = {"source": source, "target": target or source}
        self._states = unwrap_retries(target or source)
        self.inner = copy(self)
        self.inner._drivers = {name: unwrap_retries(one) for name, one in self._drivers.items()}
        self.inner.inner = self.inner

    def execute(self, operation: Operation[R], /) -> R:
        """Execute a request when the phase of the migration allows it."""
        side = run(self._states, self._gate.admit(operation), self._sleep)
        output = self._drivers[side].execute(operation)
        run(self._states, self._gate.confirm(operation, side), self._sleep)
        return output


class AsyncSwitchingDriver(RetryingDriver):
    """Executes the requests of an application while a Copy migrates its tables, without blocking.

    Its arguments are those of SwitchingDriver.
    """

    def __init__(
        self,
        source: AsyncDriver,
        target: AsyncDriver | None = None,
        *,
        migration: Migration,
        tables: Mapping[Table, str] | None = None,
        side: Side | None = None,
        clock: Callable[[], float] = elapsed,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        check_async_driver(source)
        check_async_driver(target or source)
        self._gate, self._sleep = _Gate(migration, tables, side, clock), sleep
        self._drivers: dict[Side, AsyncDriver] = {"source": source, "target": target or source}
        self._states = unwrap_retries(target or source)
        self.inner = copy(self)
        self.inner._drivers = {name: unwrap_retries(one) for name, one in self._drivers.items()}
        self.inner.inner = self.inner

    async def execute(self, operation: Operation[R], /) -> R:
        """Execute a request when the phase of the migration allows it."""
        side = await run_async(self._states, self._gate.admit(operation), self._sleep)
        try:
            output = await self._drivers[side].execute(operation)
            await run_async(self._states, self._gate.confirm(operation, side), self._sleep)
        except asyncio.CancelledError as canceled:
            self._gate.explain_cancellation(canceled, operation)
            raise
        return output


def _table_name(name: str) -> str:
    """Return the name of a table that may be named by its ARN."""
    arn = parse_arn(name)
    return name if arn is None else arn.table or name


def _checked_copy(migration: Migration) -> Copy:
    """Return the copy of a migration; raise unless it has one, and a name."""
    if not isinstance(migration, Migration):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.InvalidValue(f"SwitchingDriver: expected a Migration, but got {migration!r}.")
    if migration.copy is None:
        raise errors.InvalidValue(
            "SwitchingDriver: expected a migration with a Copy as its last step. Other steps "
            "change items in place, and need no driver."
        )
    if not migration.name:
        raise errors.InvalidValue(
            "SwitchingDriver: the migration has no name, under which its state is stored. Write "
            'Migration(…, name="0001_…"), as for its runner.'
        )
    return migration.copy
