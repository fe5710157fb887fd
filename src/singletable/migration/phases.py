"""What happens in each phase of a Copy: copying, ready, switching, cut-over, rolled-back.

Until the cut-over the old tables are the ones that count, and changes are carried over to the new
one. From then on it is the new table, and changes are carried back.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from singletable.errors import (
    DeclarationError,
    MigrationError,
    MigrationLocked,
    ResourceNotFound,
    TransformFailed,
    TrimmedDataAccess,
)
from singletable.migration.change_log import ChangeLog, FeedChanges, NoChanges
from singletable.migration.copy import (
    Copier,
    check_empty,
    count_changes,
    derive_all,
    is_empty,
)
from singletable.migration.derivation import Derivation, key_text
from singletable.migration.environment import Environment
from singletable.migration.markers import MarkerChanges, MarkerSlots
from singletable.migration.scan import scan_rounds
from singletable.migration.state import PHASE_SECONDS, Changes, Phase
from singletable.migration.steps import Copy, UnchangedRule, step_text
from singletable.migration.stray_writes import (
    StrayWrites,
    find_stray_writes,
    uncarried_items,
)
from singletable.migration.two_addresses import real_name
from singletable.operations import PageOutput, Scan
from singletable.retry import Steps, send
from singletable.schema import Table
from singletable.store.writes import item_id
from singletable.values import Item

CHECKED_ITEMS = 100
MAX_LAG = 10_000
# The feed keeps 10,000 changes, unless it is set otherwise. If the new table is at the same
# address, what a round writes is among them.
FEED_PAGE_ITEMS = 500
MAX_RESTARTS = 5
# How many changes of other tables are passed over before the position is stored again.
MAX_DISTANCE = 1_000


@dataclass
class CopyPhases:
    """Runs the phases of a Copy; the state of the environment has the current phase.

    `changes` says how changes are found; None takes what the addresses offer.
    """

    step: Copy
    changes: Changes | None = None
    # By the change log's kind and side. A log of markers remembers which ones it has seen.
    _logs: dict[tuple[Changes | None, bool], ChangeLog] = field(
        default_factory=dict[tuple[Changes | None, bool], ChangeLog], init=False
    )

    # Copying

    def copy(self, env: Environment) -> None:
        """Copy all items and carry over changes, until the phase is `ready`."""
        size = env.page_size or FEED_PAGE_ITEMS
        for attempt in range(MAX_RESTARTS):
            if env.state.phase == "running":
                self._begin(env)
            if env.state.changes == "feed":
                env.page_size = max(size >> attempt, 1)
            try:
                self._copy_all(env)
            except TrimmedDataAccess as error:
                note = f"starting over, because changes are missing: {error}"
                env.progress(step_text(self.step), 0, note=note)
                self.start_over(env)
                continue
            return
        raise MigrationError(
            f"The copy started over {MAX_RESTARTS} times, because the change feed lost changes "
            "before they were carried over. Keep more of them: Settings.retention, or "
            "--feed-records of the endpoint."
        )

    def start_over(self, env: Environment) -> None:
        """Forget how far the copy came."""
        state = env.state
        state.phase, state.scans = "running", {}
        state.counts = {"restarts": state.counts.get("restarts", 0) + 1}
        state.position = state.cut_over = state.changes = None
        env.checkpoint()

    def _begin(self, env: Environment) -> None:
        """Prepare the target, and store the position from which changes are carried over."""
        state = env.state
        self._check_places(env)
        changes = self._choose_changes(env)
        if not state.counts.get("restarts"):
            self._check_empty(env)
            state.target_was_empty = is_empty(env, self.step.target)
        else:
            # Nothing may write copies while they are deleted.
            self.forget_markers(env)
            self._delete_copies(env)
        state.changes = changes
        state.position = env.run(self._log(env, back=False).end())
        state.phase = "copying"
        env.checkpoint()

    def _check_places(self, env: Environment) -> None:
        """Raise MigrationError if an old table does not exist, or is the new one."""
        for table in self.step.sources:
            name = env.context.table_name(table)
            try:
                env.run(send(env.context.retry_policy, Scan(name, limit=1)))
            except ResourceNotFound:
                raise MigrationError(
                    f"The old table {real_name(name)!r} does not exist at its address. "
                    "Nothing was copied. Check the address, and the name of the table."
                ) from None
            if env.run(env.states.is_in(table, name)):
                env.run(env.states.delete_item(env.states.key))
                raise MigrationError(
                    f"{table!r} at the old address is the new table itself, {self.step.target!r}. "
                    "Nothing was copied. Copy to another table, or to another address."
                )

    def _check_empty(self, env: Environment) -> None:
        """Raise MigrationError if the new table has items and must not."""
        if not self.step.if_empty:
            return
        try:
            check_empty(env, self.step.target)
        except MigrationError:
            env.run(env.states.delete_item(env.states.key))
            raise

    def _choose_changes(self, env: Environment) -> Changes:
        if self.changes is not None:
            return self.changes
        if env.run(FeedChanges(env.context, self.step.sources).is_available()):
            return "feed"
        if env.run(env.states.has_drivers()):
            return "driver"
        raise MigrationError(
            "The address of the old tables has no change feed, so writes during the copy would not "
            "be carried over. Run the application on MigratingDriver. Or stop everything that "
            'writes to the old tables until the cut-over, and pass changes="none".'
        )

    def _delete_copies(self, env: Environment) -> None:
        """Delete the items that an earlier copy has derived: some may follow from nothing now."""
        derivation = self.forward(env)
        if not env.state.target_was_empty:
            note = (
                "the new table had items before the first copy, so items that are derived no "
                "longer are not deleted. Verify the copy to find them."
            )
            env.progress(step_text(self.step), 0, note=note)
            return
        name = env.context.table_name(self.step.target)
        read = 0

        def delete(items: list[Item]) -> Steps[None]:
            nonlocal read
            read += len(items)
            env.progress(f"Deleting the earlier copy in {self.step.target.name}", read)
            copies = [item for item in items if derivation.is_copy(item, env.state.derived)]
            yield from derivation.write(
                {}, {item_id(name, derivation.key_of(item)): item for item in copies}
            )

        scan_rounds(env, "delete", self.step.target, delete)

    def _copy_all(self, env: Environment) -> None:
        state = env.state
        copier = self._copier(env)
        # Before they know of the copy, processes write to the old tables only, without a trace.
        self._wait_for_drivers(env)

        try:
            if state.phase == "copying":
                copier.copy(lambda: self._carry_all(env, copier, back=False))
            self._carry_all(env, copier, back=False)
        except TransformFailed:
            if copier.has_collisions and state.phase == "copying":
                # The next run does not know where the items come from that are copied already, so
                # it reads them again. Otherwise it would replace one of the two by the other.
                state.scans = {}
                state.counts.pop(copier.step, None)
                env.checkpoint()
            raise
        if skipped := copier.derivations[0].skipped:
            state.counts["skipped"] = len(skipped)
            key, reason = next(iter(skipped.items()))
            note = f"{len(skipped):,} items were left out, such as {key}: {reason}"
            env.progress(step_text(self.step), 0, note=note)
        state.phase, state.scans = "ready", {}
        env.checkpoint()

    # Changes

    def carry(self, env: Environment, *, back: bool) -> None:
        """Carry all changes over or back; raise MigrationError if the log lost some."""
        try:
            self._carry_all(env, self._copier(env, back=back), back=back)
            if back and (stray := self.stray_writes(env)) and not stray.keys:
                env.state.position = stray.position  # these changes need not be looked at again
        except TrimmedDataAccess as error:
            if back:
                raise _lost_changes(str(error)) from error
            raise MigrationError(
                f"Changes of the old tables are missing: {error} Run the migration again; it "
                "starts the copy over."
            ) from error

    def _carry_all(self, env: Environment, copier: Copier, *, back: bool) -> None:
        state = env.state
        while True:
            batch = copier.carry((state.cut_over if back else state.position) or "")
            if back:
                state.cut_over = batch.position
            else:
                state.position = batch.position
            # Copies, or items that the application would have written as such before the cut-over.
            names = [one.used if back else one.derived for one in copier.derivations]
            state.derived = sorted({*state.derived}.union(*names))
            if batch.changes:
                name = "carried back" if back else "carried over"
                state.counts[name] = state.counts.get(name, 0) + len(batch.changes)
                env.progress(name, state.counts[name])
                env.checkpoint()
            if batch.is_last:
                return

    def is_behind(self, env: Environment) -> bool:
        """Return whether there is something to carry, or the position is so old that it is lost."""
        state = env.state
        before = (state.cut_over if state.cut_over is not None else state.position) or ""
        log = self._log(env, back=state.cut_over is not None)
        try:
            batch = env.run(log.read(before))
        except TrimmedDataAccess:
            return True  # carrying says what is lost
        if batch.changes:
            return True
        return before.isdigit() and int(batch.position) - int(before) > MAX_DISTANCE

    def lag(self, env: Environment, limit: int = MAX_LAG) -> int | None:
        """Return how many changes are not carried over, up to a limit; None if they never are."""
        state = env.state
        back = state.cut_over is not None
        if state.phase not in ("copying", "ready", "switching", "cut-over"):
            return None
        if back and not self.step.back:
            return None
        position = (state.cut_over if back else state.position) or ""
        return env.run(count_changes(self._log(env, back=back), position, limit))

    # Cut-over and rollback

    def cut_over(self, env: Environment) -> None:
        """Carry over the last changes, and make the new table the one that counts."""
        state = env.state
        with self._switching(env, "ready"):
            self.carry(env, back=False)
            self._check_copies(env)
            changes = self._back_changes(env)
            position = env.run(self._log(env, back=True, changes=changes).end())
        state.changes, state.cut_over = changes, position
        state.phase = "cut-over"
        env.checkpoint()

    def resume(self, env: Environment) -> None:
        """Return to the phase before, if the process that was switching has ended."""
        if env.state.phase == "switching":
            env.state.phase = "ready" if env.state.cut_over is None else "cut-over"
            env.checkpoint()

    def roll_back(self, env: Environment, *, accept_loss: bool) -> None:
        """Carry back the last changes, and make the old tables the ones that count again."""
        if not accept_loss:
            self.check_back(env)
        with self._switching(env, "cut-over"):
            if self.step.back and env.state.changes != "none":
                try:
                    self.carry(env, back=True)
                except MigrationError as error:
                    if not accept_loss or isinstance(error, MigrationLocked):
                        raise
        env.state.phase = "rolled-back"
        env.checkpoint()

    def check_back(self, env: Environment) -> None:
        """Raise MigrationError if changes cannot be carried back."""
        if not self.step.back:
            raise _lost_changes("the Copy has no back=(…) rules.")
        if env.state.changes == "none":
            raise _lost_changes(
                "its address has no change feed, and the application does not run on "
                "MigratingDriver."
            )

    @contextmanager
    def _switching(self, env: Environment, before: Phase) -> Generator[None]:
        """Hold the writes of every MigratingDriver; if that fails, return to the phase before."""
        env.state.phase = "switching"
        env.checkpoint()
        try:
            self._wait_for_drivers(env)
            env.run(self._log(env, back=before == "cut-over").settle())
            yield
        except Exception:
            env.state.phase = before
            env.checkpoint()
            raise

    def _check_copies(self, env: Environment) -> None:
        """Raise MigrationError if the first items of each old table are not in the new one."""
        derivation = self.forward(env)
        for table in self.step.sources:
            scan = Scan(env.context.table_name(table), limit=CHECKED_ITEMS, consistent_read=True)
            page: PageOutput = env.run(send(env.context.retry_policy, scan))
            units = [derivation.unit_of(table, item) for item in page.items]
            sources = env.run(derivation.read([unit for unit in units if unit is not None]))
            for unit, targets in derive_all(derivation, sources).items():
                missing = env.run(derivation.missing(targets))
                if missing:
                    raise MigrationError(
                        f"The new table is not complete: {key_text(missing[0])} is missing, or is "
                        f"not what follows from {key_text(unit.key)}. The old tables are still the "
                        "ones that count. Verify the copy, then cut over again."
                    )

    def _back_changes(self, env: Environment) -> Changes:
        """Return how changes of the new table are found after the cut-over."""
        if not self.step.back:
            return "none"
        if self.changes == "driver":
            return "driver"
        if env.run(FeedChanges(env.context, [self.step.target]).is_available()):
            return "feed"
        return "driver" if env.run(env.states.has_drivers()) else "none"

    def stray_writes(self, env: Environment) -> StrayWrites | None:
        """Return which old items others wrote after the cut-over; None if that is unknown."""
        position = env.state.position or ""
        if env.state.phase != "cut-over":
            return StrayWrites((), position)
        if not position.isdigit():
            return None
        back = self.backward(env) if self.step.back else []
        log = FeedChanges(env.context, self.step.sources)
        later = uncarried_items(self._log(env, back=True), env.state.cut_over or "", back)
        try:
            return env.run(find_stray_writes(log, position, self.forward(env), back, later))
        except (ResourceNotFound, TrimmedDataAccess):
            return None  # an old table may have been deleted by hand

    # Parts

    def forward(self, env: Environment) -> Derivation:
        """Return the derivation of the new items."""
        step = self.step
        skips = step.skip_failures
        return Derivation(step.rules, step.target, env.context, _moment(env), skip_failures=skips)

    def backward(self, env: Environment) -> list[Derivation]:
        """Return the derivations of the old items: one for each old table."""
        sources = self.step.sources
        if len(sources) > 1 and any(isinstance(rule, UnchangedRule) for rule in self.step.back):
            raise DeclarationError(
                "Copy(back=…): unchanged(…) does not say to which of the old tables items go back. "
                "Write each(…) rules, which return entities."
            )
        return [
            Derivation(
                self.step.back,
                table,
                env.context,
                _moment(env),
                others=[other for other in sources if other is not table],
            )
            for table in sources
        ]

    def _copier(self, env: Environment, *, back: bool = False) -> Copier:
        derivations: Sequence[Derivation] = self.backward(env) if back else [self.forward(env)]
        return Copier(env, derivations, self._log(env, back=back), step_text(self.step))

    def _log(self, env: Environment, *, back: bool, changes: Changes | None = None) -> ChangeLog:
        """Return the change log of the old tables, or of the new one."""
        kind = changes or env.state.changes
        tables: list[Table] = [self.step.target] if back else self.step.sources
        if (kind, back) not in self._logs:
            self._logs[kind, back] = (
                FeedChanges(env.context, tables)
                if kind == "feed"
                else MarkerChanges(self._markers(env), env.context, tables, env.clock)
                if kind == "driver"
                else NoChanges()
            )
        return self._logs[kind, back]

    def _markers(self, env: Environment) -> MarkerSlots:
        target = self.step.target
        name = env.context.table_name(target)
        return MarkerSlots(target, name, env.states.migration, env.context.retry_policy)

    def forget_markers(self, env: Environment) -> None:
        """Delete what drivers have stored, in a phase in which they store nothing."""
        if env.run(env.states.has_drivers()):
            self._wait_for_drivers(env)
            env.run(self._markers(env).delete())

    def _wait_for_drivers(self, env: Environment) -> None:
        """Wait until every MigratingDriver knows the phase."""
        # A driver that looked for the phase before the new table existed is not registered yet.
        if env.state.changes == "driver" or env.run(env.states.has_drivers()):
            env.sleep(PHASE_SECONDS)


def _lost_changes(reason: str) -> MigrationError:
    return MigrationError(
        f"Changes of the new table since the cut-over cannot be carried back: {reason} After a "
        "rollback they would be in the new table only. To roll back nevertheless, accept the loss "
        "(accept_loss=True, or --accept-loss)."
    )


def _moment(env: Environment) -> datetime:
    return datetime.fromtimestamp(env.state.started, UTC)
