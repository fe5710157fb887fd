"""Run a migration: its steps, the cut-over, the rollback, and what comes after.

Every method can be interrupted at any moment and called again, by this process or another one: it
continues from the last checkpoint. A lease keeps two processes apart.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from dynamodb_engine.clocks import driver_clock
from dynamodb_engine.operations import DeleteTable, Driver
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import (
    InvalidValue,
    MigrationError,
    MigrationLocked,
    ResourceNotFound,
    SingleTableError,
    TrimmedDataAccess,
)
from singletable.migration.applied import Applied, HistoryStore
from singletable.migration.copy_step import CopyPhases
from singletable.migration.derivation import key_text
from singletable.migration.environment import (
    Environment,
    StepProgress,
    default_owner,
    migration_context,
    no_progress,
)
from singletable.migration.migrations import Migration
from singletable.migration.rate_limit import RateLimit
from singletable.migration.state import (
    LEASE_SECONDS,
    Changes,
    Lease,
    Phase,
    State,
    StateStore,
    state_key,
)
from singletable.migration.step import Step, without_table
from singletable.migration.two_addresses import Side, TwoAddressDriver, real_name
from singletable.migration.verification import Verification, VerifySettings
from singletable.schema import Table
from singletable.store.context import check_driver

R = TypeVar("R")

POLL_SECONDS = 0.5
# How long cut-over, rollback and finish wait for a process that follows the changes.
LOCK_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Status:
    """The progress of a migration, without a `phase` if it has not begun."""

    migration: str
    phase: Phase | None = None
    # The step that runs now, or runs next; all steps as text.
    step: int = 0
    steps: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    lease: Lease | None = None
    started: float | None = None
    ended: float | None = None
    changes: str | None = None
    # How many changes are not carried over yet; at most MAX_LAG are counted. None: unknown.
    lag: int | None = None
    # Items of the old tables that were written after the cut-over, by a process that still uses
    # them: these writes are in the old tables only. None: unknown, without a stream.
    stray_writes: tuple[Item, ...] | None = ()
    # For how many milliseconds writes were paused at the last cut-over or rollback.
    paused: int | None = None


class MigrationRunner:
    """Runs one migration from `source` to `target`, by default within the source.

    `tables` maps tables to their real names. `rate` limits the capacity units per second, read and
    write together. `changes` says how changes during a copy are found: in the `stream` of each old
    table, which is enabled for that time, or not at all (`none`), because nothing writes to the old
    tables. A process that was killed blocks the next one for up to `lease_seconds`. The state is in
    the table of the steps. If a later Copy has renamed that table or changed its key, pass the
    table as it was declared then: `recorded_in`.
    """

    def __init__(
        self,
        migration: Migration,
        source: Driver,
        target: Driver | None = None,
        *,
        tables: Mapping[Table, str] | None = None,
        rate: float | None = None,
        segments: int = 4,
        page_size: int | None = None,
        owner: str | None = None,
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], object] = time.sleep,
        on_progress: Callable[[StepProgress], object] | None = None,
        changes: Changes = "stream",
        lease_seconds: float = LEASE_SECONDS,
        recorded_in: Table | None = None,
    ) -> None:
        if not isinstance(migration, Migration):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidValue(f"MigrationRunner: expected a Migration(…), but got {migration!r}.")
        if not migration.name:
            raise InvalidValue(
                "MigrationRunner: the migration has no name. Its state is stored under its name: "
                'write Migration(…, name="0001_…").'
            )
        if changes not in ("stream", "none"):
            raise InvalidValue(f"changes: expected stream or none, but got {changes!r}.")
        if segments < 1:
            raise InvalidValue(f"segments: expected at least 1, but got {segments}.")
        for driver in (source, target or source):
            check_driver(driver)
        self.migration = migration
        self.state_table = migration.state_table
        self._has_one_address = target is None or target is source
        # The last step comes last, so the tables that a Copy reads are at the source.
        sides: dict[Table, Side] = {
            table: step.side_of(table) for step in migration.steps for table in step.tables
        }
        if clock is None:
            is_at_source = sides.get(self.state_table) == "source"
            clock = driver_clock(source if is_at_source else target or source)
        self.context = migration_context(sides, tables or {}, clock)
        name = self.context.table_name(self.state_table)
        recorded_in = recorded_in or self.state_table
        self.states = StateStore(
            recorded_in,
            name,
            migration.name,
            owner=owner or default_owner(),
            clock=clock,
            retry_policy=self.context.retry_policy,
            lease_seconds=lease_seconds,
        )
        self.history = HistoryStore(recorded_in, name, self.context.retry_policy)
        self._texts = [step.describe() for step in migration.steps]
        # The settings of every run; each one has a state of its own.
        self._base_environment = Environment(
            TwoAddressDriver(source, target or source),
            self.context,
            self.states,
            State("running", clock()),
            RateLimit(rate, clock),
            segments=segments,
            page_size=page_size,
            changes=changes,
            clock=clock,
            sleep=sleep,
            on_progress=on_progress or no_progress,
        )
        self._clock, self._sleep = clock, sleep

    def _send(self, steps: Steps[R]) -> R:
        """Send requests about the state, without a lease."""
        return self._base_environment.run_without_lease(steps)

    def _check_names(self) -> None:
        """Raise InvalidValue if an old table is the new one."""
        copy = self.migration.copy
        if copy is None or not self._has_one_address:
            return
        new = real_name(self.context.table_name(copy.target))
        for table in copy.sources:
            if real_name(self.context.table_name(table)) == new:
                raise InvalidValue(
                    f"MigrationRunner: {table!r} and {copy.target!r} are both the table {new!r} at "
                    "the same address. Give the new table another name, or copy to another address."
                )

    # Run

    def run(self) -> Status:
        """Run all steps; for a Copy, until the new table is complete and up to date (`ready`)."""
        self._check_names()
        self._create_state_table()
        with self._leased(start=True) as env:
            state = env.state
            state.cancel_switch()
            if state.phase == "undoing":
                self._check_steps(state)
            if state.phase in ("rolled-back", "undoing", "down"):
                state.run_again(self._texts)
                env.checkpoint()
            if state.phase in ("running", "copying", "ready"):
                self._check_steps(state)
                self._run_migration_steps(env)
        return self.status()

    def _run_migration_steps(self, env: Environment) -> None:
        for number, step in enumerate(self.migration.steps):
            if number < env.state.step:
                continue
            step.run(env)
            if step is self.migration.copy:
                return
            env.state.go_to_step(number + 1)
            env.checkpoint()
        self._finish(env)

    def _finish(self, env: Environment) -> None:
        now = self._clock()
        env.run(self.history.record(Applied(self.migration.name, now, self.migration.schema)))
        env.state.finish(now)

    # After the copy

    def follow(self, until: Callable[[], bool]) -> None:
        """Carry changes over, and after the cut-over back; stop when `until()` returns True.

        The lease is held only while there is something to carry, so that another process can cut
        over or roll back meanwhile. Ends when the migration is finished or rolled back.
        """
        phases = self._phases("follow")
        while not until():
            env = self._environment(self._require_state())
            match env.state.phase:
                case "ready" | "cut-over":
                    if env.state.phase == "cut-over":
                        phases.check_back(env)
                    if not phases.is_behind(env) or not self._carry(phases):
                        self._sleep(POLL_SECONDS)
                case "switching":
                    if not self._carry(phases):  # this succeeds if the other process was killed
                        self._sleep(POLL_SECONDS)
                case "rolled-back" | "finished":
                    return
                case _:
                    raise self._wrong_phase(env.state, "follow its changes", "ready")

    def _carry(self, phases: CopyPhases) -> bool:
        """Carry changes, unless another process holds the lease; return whether this one did."""
        try:
            with self._leased() as env:
                if env.state.phase == "switching":  # the process that was switching has ended
                    env.state.cancel_switch()
                    env.checkpoint()
                if env.state.phase in ("ready", "cut-over"):
                    phases.carry(env, back=env.state.phase == "cut-over")
        except MigrationLocked:
            return False
        return True

    def cut_over(self) -> Status:
        """Switch the app to the new table, after copying the last changes.

        Writes through SwitchingDriver wait meanwhile; `paused` of the status says how long. Other
        processes must be stopped before, and started again with the new table.
        """
        phases = self._phases("cut_over")
        with self._leased(wait=LOCK_SECONDS) as env:
            state = env.state
            if state.phase == "ready" or state.is_switching(back=False):
                phases.cut_over(env)
            elif state.phase != "cut-over":
                raise self._wrong_phase(state, "cut over", "ready")
        return self.status()

    def rollback(self, *, accept_loss: bool = False) -> Status:
        """Switch back to the old tables, after copying back the last changes.

        Raises MigrationError if changes since the cut-over cannot be carried back, unless
        `accept_loss`. The migration can be run again later: it copies everything again.
        """
        phases = self._phases("rollback")
        with self._leased(wait=LOCK_SECONDS) as env:
            state = env.state
            if state.phase == "cut-over" or state.is_switching(back=True):
                phases.roll_back(env, accept_loss=accept_loss)
            elif state.phase != "rolled-back":
                raise self._wrong_phase(state, "roll back", "cut-over")
            phases.disable_streams(env, phases.step.tables)
        return self.status()

    def finish(self, *, drop_old: bool = False, accept_loss: bool = False) -> Status:
        """End a migration with a Copy: from now on there is only the new table.

        `drop_old` deletes the old tables. Raises MigrationError if they were written after the
        cut-over, unless `accept_loss`.
        """
        phases = self._phases("finish")
        with self._leased(wait=LOCK_SECONDS) as env:
            if env.state.phase not in ("cut-over", "finished"):
                raise self._wrong_phase(env.state, "finish", "cut-over")
            stray = phases.stray_writes(env)
            if drop_old and stray is not None and stray.keys and not accept_loss:
                raise MigrationError(
                    "The old tables were written after the cut-over, such as "
                    f"{key_text(stray.keys[0])} ({len(stray.keys)} in total): some process still "
                    "uses them, and these writes are not in the new table. Stop it, and write "
                    "these items to the new table. Or drop them, too (accept_loss=True, or "
                    "--accept-loss)."
                )
            if env.state.phase == "cut-over":
                self._finish(env)
                env.checkpoint()
            kept = [phases.step.target] if drop_old else phases.step.tables
            phases.disable_streams(env, kept)
            self._carry_records(env, phases.step.sources)
            if drop_old:
                for table in phases.step.sources:
                    with suppress(ResourceNotFound):
                        env.send(DeleteTable(env.table_name(table)))
        return self.status()

    def _carry_records(self, env: Environment, tables: list[Table]) -> None:
        """Store in the new table what the old ones record about earlier migrations."""
        for table in tables:
            name = env.table_name(table)
            with suppress(ResourceNotFound):  # it was dropped, by an earlier call or by hand
                history = env.run(HistoryStore(table, name, env.context.retry_policy).read())
                for applied in history:
                    key = state_key(table, applied.name, "state")
                    env.run(self.states.adopt(applied.name, name, key))
                env.run(self.history.prepend(history))

    def _phases(self, method: str) -> CopyPhases:
        if self.migration.copy is None:
            raise MigrationError(
                f"{method}: migration {self.migration.name} has no Copy, so there are no two "
                "tables to switch between. It is finished when all its steps have run; down() "
                "undoes it."
            )
        return CopyPhases(self.migration.copy)

    def _wrong_phase(self, state: State, action: str, expected: Phase) -> MigrationError:
        return MigrationError(
            f"Migration {self.migration.name} is in phase {state.phase!r}, but to {action} it must "
            f"be in phase {expected!r}."
            + (" Run it first." if state.phase in ("running", "copying") else "")
        )

    # Undo steps

    def down(self) -> Status:
        """Undo the steps in reverse order; the phase is `undoing` until all of them are undone.

        Raises MigrationError, before anything is changed, if one of them cannot be undone.
        """
        self.steps_to_undo()
        with self._leased() as env:
            state = env.state
            if state.phase != "down":
                state.undo()
                env.checkpoint()
                while state.step:
                    self.migration.steps[state.step - 1].undo(env)
                    state.go_to_step(state.step - 1)
                    env.checkpoint()
                env.run(self.history.remove(self.migration.name))
                state.end_undo(self._clock())
        return self.status()

    def steps_to_undo(self) -> list[Step]:
        """Return the steps that down() undoes, in that order.

        Raises MigrationError if one of them cannot be undone.
        """
        if (copy := self.migration.copy) is not None:
            raise MigrationError(f"{copy.describe()} cannot be undone: {copy.irreversible}")
        state = self._require_state()
        if state.phase != "down":
            self._check_steps(state)
        # The step that runs now may have been run in part.
        begun = state.step + (state.phase in ("running", "finished"))
        steps = [*reversed(self.migration.steps[:begun])]
        for step in reversed(steps):
            if (reason := step.irreversible) is not None:
                raise MigrationError(f"{step.describe()} cannot be undone: {reason}")
        return steps

    # Status

    def status(self) -> Status:
        """Return the progress of the migration; nothing is changed."""
        try:
            state, lease = self._send(self.states.read())
        except ResourceNotFound:
            state, lease = None, None
        if state is None:
            return Status(self.migration.name, steps=tuple(self._texts))
        return Status(
            self.migration.name,
            state.phase,
            state.step,
            tuple(state.steps),
            state.counts,
            lease,
            state.started,
            state.ended,
            state.changes,
            *self._differences(state),
            state.paused,
        )

    def _differences(self, state: State) -> tuple[int | None, tuple[Item, ...] | None]:
        """Return how many changes are not copied yet, and the writes to old tables."""
        if self.migration.copy is None:
            return None, ()
        phases, env = self._phases("status"), self._environment(state)
        try:
            stray = phases.stray_writes(env)
            return phases.lag(env), None if stray is None else stray.keys
        except (ResourceNotFound, TrimmedDataAccess):
            return None, None

    @property
    def consumed_units(self) -> float:
        """The capacity units that this runner has consumed."""
        return self._base_environment.limit.consumed

    def phase(self) -> Phase | None:
        """Return the phase that is stored now; None if the migration has not begun."""
        state = self.state()
        return None if state is None else state.phase

    def environment(self) -> Environment:
        """Return an environment to read with: the stored state, or a new one, without a lease."""
        return self._environment(self.state())

    # The state

    def _create_state_table(self) -> None:
        """Create the table that has the state, if a step creates it."""
        try:
            self._send(self.states.read())
            return
        except ResourceNotFound:
            pass
        for step in self.migration.steps:
            if step.creates and self.state_table in step.tables:
                step.run(self._environment())
                return
        raise MigrationError(
            f"Table {self.state_table.name!r} does not exist. Create it, or begin the migration "
            "with CreateTable(…)."
        )

    def _environment(self, state: State | None = None) -> Environment:
        initial = State("running", self._clock(), steps=self._texts, digest=self.migration.schema)
        return replace(self._base_environment, state=state or initial)

    @contextmanager
    def _leased(self, *, start: bool = False, wait: float = 0.0) -> Generator[Environment]:
        """Take the lease, and give it up at the end; raise MigrationError without a state."""
        self._check_names()
        if not start:
            self._require_state()
        env = self._environment(self._acquire(self._environment().state, wait))
        env.renewed = self._clock()
        try:
            yield env
        except BaseException:
            # The state in memory may be ahead of what is done.
            with suppress(SingleTableError):
                stored, lease = self._send(self.states.read())
                if stored is not None and lease is not None and lease.owner == self.states.owner:
                    self._send(self.states.release(stored))
            raise
        self._send(self.states.release(env.state))

    def _acquire(self, initial: State, wait: float) -> State:
        until = self._clock() + wait
        while True:
            try:
                return self._send(self.states.acquire(initial))
            except MigrationLocked:
                if self._clock() >= until:
                    raise
                self._sleep(POLL_SECONDS)

    def state(self) -> State | None:
        """Return the state that is stored now; None if the migration has not begun."""
        try:
            return self._send(self.states.read())[0]
        except ResourceNotFound:
            return None

    def _require_state(self) -> State:
        state = self.state()
        if state is None:
            raise MigrationError(f"Migration {self.migration.name} has not begun. Run it first.")
        return state

    def _check_steps(self, state: State) -> None:
        if [*map(without_table, state.steps)] != [*map(without_table, self._texts)]:
            raise MigrationError(
                f"The steps of migration {self.migration.name} changed after it began. It began "
                f"with: {', '.join(state.steps)}. Now: {', '.join(self._texts)}. Restore them, and "
                "write new steps into a new migration."
            )


def verify(
    runner: MigrationRunner,
    *,
    sample: int | None = None,
    seed: int = 0,
    repair: bool = False,
    confirm_deletion: Callable[[int], bool] = lambda count: True,
) -> list[Verification]:
    """Verify the steps of a migration that were run, in order.

    With `sample`, at least this many items of a copy are compared, chosen at random by `seed`;
    items that should not be in the target are not found then. With `repair`, wrong items are
    written again, and items that should not be there are deleted if `confirm_deletion`, called with
    their number, returns True.
    """
    env = runner.environment()
    settings = VerifySettings(sample, seed, repair, confirm_deletion)
    reports: list[Verification] = []
    for number, step in enumerate(runner.migration.steps):
        # A copy that has begun is verified while it is the current step.
        is_begun = step is runner.migration.copy and env.state.phase != "running"
        complete = env.state.complete_steps
        if number > complete or (number == complete and not is_begun):
            break
        report = Verification(step.describe())
        step.verify(env, report, settings)
        reports.append(report)
    return reports
