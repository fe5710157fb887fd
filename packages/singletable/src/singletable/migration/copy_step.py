"""A Copy, and what happens in each of its phases: copying, switching, cut-over, rollback.

Until the cut-over, the old tables are authoritative, and changes are carried over to the new one.
From then on it is the new table, and changes are carried back.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from typing_extensions import override

from dynamodb_engine import operations as ops
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable import errors
from singletable.migration.change_log import ChangeLog
from singletable.migration.copy import Copier, check_empty, count_changes, derive_all
from singletable.migration.copy_comparison import CopyComparison
from singletable.migration.copy_trial import BackTrial, CopyTrial
from singletable.migration.derivation import Derivation, key_text
from singletable.migration.environment import Environment
from singletable.migration.indexes import wait_until_active
from singletable.migration.rules import (
    MergeRule,
    Rule,
    UnchangedRule,
    check_rules,
    check_table,
    source_tables,
)
from singletable.migration.scan import first_item, scan_rounds
from singletable.migration.state import PHASE_SECONDS, Changes
from singletable.migration.step import CopiedTables, Step
from singletable.migration.stray_writes import StrayWrites, find_stray_writes, uncarried_items
from singletable.migration.trial import Sample, StepTrial
from singletable.migration.two_addresses import Side, real_name
from singletable.migration.verification import Verification, VerifySettings
from singletable.schema import Table
from singletable.store.context import Context
from singletable.store.writes import item_id

CHECKED_ITEMS = 100
MAX_LAG = 10_000
VIEW_TYPE: ops.StreamViewType = "NEW_AND_OLD_IMAGES"


@dataclass(frozen=True, slots=True)
class Copy(Step):
    """Derive the items of a new table from old tables, while the old ones stay in use.

    The target may be at another address. `back` derives the old items from the new ones: after the
    cut-over it keeps the old tables up to date, so that a rollback loses nothing. An item for which
    a rule fails stops the copy, or is left out with `skip_failures`; a dry run lists all of them.
    With `if_empty` a target that has items already is an error; otherwise, new items replace those
    with the same key.
    """

    locks = (
        "Nothing while items are copied. At the cut-over, writes through SwitchingDriver wait for "
        "about a second."
    )
    changes_items = False  # the old items stay
    selects_items = False
    _irreversible = (
        "a migration with a Copy is undone with rollback(), after the cut-over. Before it, the old "
        "tables are as they were: delete the new one."
    )

    target: Table
    rules: tuple[Rule, ...]
    back: tuple[Rule, ...] = ()
    skip_failures: bool = False
    if_empty: bool = False

    def __init__(
        self,
        target: Table,
        *rules: Rule,
        back: Sequence[Rule] = (),
        skip_failures: bool = False,
        if_empty: bool = False,
    ) -> None:
        object.__setattr__(self, "skip_failures", skip_failures)
        object.__setattr__(self, "if_empty", if_empty)
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "back", tuple(back))
        check_table("Copy", target)
        check_rules("Copy", (*rules, *back))
        if not rules:
            raise errors.DeclarationError(
                "Copy(…): expected at least one rule, such as each(Old, to_new)."
            )
        if target in self.sources:
            raise errors.DeclarationError(
                f"Copy: {target!r} is both a source and the target. To change items within a "
                "table, use Rewrite(…). To copy to a table of the same name at another address, "
                "declare it twice."
            )
        for table in source_tables(self.back):
            if table is not target:
                raise errors.DeclarationError(
                    f"Copy(back=…): expected rules that read the new table, {target!r}, but one of "
                    f"them reads {table!r}, whose changes are not carried back."
                )

    @property
    def sources(self) -> list[Table]:
        """The tables that are read."""
        return source_tables(self.rules)

    # The step

    @property
    @override
    def tables(self) -> list[Table]:
        return [*self.sources, self.target]

    @property
    @override
    def read_tables(self) -> list[Table]:
        return self.sources

    @override
    def side_of(self, table: Table) -> Side:
        return "target" if table is self.target else "source"

    @override
    def describe(self) -> str:
        return f"Copy({', '.join(table.name for table in self.sources)} -> {self.target.name})"

    @override
    def run(self, env: Environment) -> None:
        CopyPhases(self).copy(env)

    @property
    @override
    def how_to_undo(self) -> str:
        if self.back:
            return "`rollback` until `finish`; `finish --drop-old` cannot be undone."
        return (
            "`rollback` until the cut-over. After it, not: without back=… the old tables are not "
            "kept up to date."
        )

    @override
    def verify(self, env: Environment, report: Verification, settings: VerifySettings) -> None:
        derivations = self.current_derivations(env)
        report.is_checked = bool(derivations)
        if env.state.phase == "finished":
            report.notes.append("Finished: the old tables are no longer kept up to date.")
        elif not derivations:
            report.notes.append(
                "After the cut-over, and without back=…, the old tables are not kept up to date."
            )
        is_back = env.state.phase == "cut-over"
        for derivation in derivations:
            comparison = CopyComparison(env, derivation, report, settings, is_back=is_back)
            if settings.sample is None:
                comparison.compare()
            else:
                comparison.compare_sample(settings.sample, settings.seed)
        if is_back and report.faults:
            with suppress(errors.ResourceNotFound, errors.TrimmedDataAccess):
                if lag := CopyPhases(self).lag(env):
                    report.notes.append(
                        f"Changes since the cut-over that are not carried back yet: {lag:,}. They "
                        "may be all that differs. Carry them back with `migration run --follow`, "
                        "and verify again."
                    )

    @property
    @override
    def restores_items(self) -> bool:
        return bool(self.back)

    @property
    @override
    def skips_failures(self) -> bool:
        return self.skip_failures

    @override
    def try_rules(self, copies: CopiedTables, trial: StepTrial, examples: int) -> None:
        env = copies.environment(original=True)
        if self.if_empty and env.state.phase == "running":  # the copy has not begun
            check_empty(env, self.target)
        copies.create(self.target, "target")
        env = copies.environment()
        derivation = Derivation(self.rules, self.target, env.context, env.context.clock())
        CopyTrial(derivation, env, trial, examples).run(copies)

    @property
    @override
    def undo_text(self) -> str:
        return f"Roll back {self.describe()}"

    @override
    def untried_undo(self, sample: Sample) -> str | None:
        if sample.is_complete or not any(
            isinstance(r, MergeRule) for r in (*self.rules, *self.back)
        ):
            return None
        return "Not tried: in a sample, the groups of merge(…) are not complete"

    @override
    def try_undo(self, copies: CopiedTables) -> StepTrial:
        trial, env = StepTrial(self.undo_text), copies.environment()
        BackTrial(self.backward(env.context, env.state.started), env, trial).run()
        return trial

    @override
    def notes(self, items: int) -> list[str]:
        return ["Until `finish --drop-old`, the items are stored twice."] if items else []

    # Derivations

    def forward(self, context: Context, started: float) -> Derivation:
        """Return the derivation of the new items."""
        moment, skips = datetime.fromtimestamp(started, UTC), self.skip_failures
        return Derivation(self.rules, self.target, context, moment, skip_failures=skips)

    def backward(self, context: Context, started: float) -> list[Derivation]:
        """Return the derivations of the old items: one for each old table."""
        sources, moment = self.sources, datetime.fromtimestamp(started, UTC)
        if len(sources) > 1 and any(isinstance(rule, UnchangedRule) for rule in self.back):
            raise errors.DeclarationError(
                "Copy(back=…): unchanged(…) does not say to which of the old tables items go back. "
                "Write each(…) rules, which return entities."
            )
        return [
            Derivation(
                self.back,
                table,
                context,
                moment,
                others=[other for other in sources if other is not table],
            )
            for table in sources
        ]

    def current_derivations(self, env: Environment) -> list[Derivation]:
        """Return how the tables that are not authoritative are derived from those that are.

        Until the cut-over the new table is derived from the old ones; then the old ones from the
        new one, if there are `back` rules. After the end, none is.
        """
        state = env.state
        if state.phase == "finished":
            return []
        if state.phase != "cut-over":
            return [self.forward(env.context, state.started)]
        return self.backward(env.context, state.started) if self.back else []


@dataclass
class CopyPhases:
    """Runs the phases of a Copy; the state of the environment has the current phase."""

    step: Copy
    # By whether changes are followed, and by side: a log remembers where it reads on.
    _logs: dict[tuple[bool, bool], ChangeLog] = field(
        default_factory=dict[tuple[bool, bool], ChangeLog], init=False
    )

    # Copying

    def copy(self, env: Environment) -> None:
        """Copy all items and carry over changes, until the phase is `ready`."""
        while True:
            if env.state.phase == "running":
                self._begin(env)
            try:
                return self._copy_all(env)
            except errors.TrimmedDataAccess as error:
                note = f"starting over, because changes are missing: {error}"
                env.progress(self.step.describe(), 0, note=note)
                self._logs.clear()
                env.state.start_over()
                env.checkpoint()

    def _begin(self, env: Environment) -> None:
        """Prepare the target, and store the position from which changes are carried over."""
        state = env.state
        self._check_places(env)
        if not state.counts.get("restarts"):
            self._check_empty(env)
            state.target_was_empty = first_item(env, self.step.target) is None
        else:
            self._delete_copies(env)
        state.changes = env.changes
        if state.changes == "stream":
            self._enable_streams(env, self.step.sources)
        state.begin_copy(env.run(self._log(env, back=False).end()))
        env.checkpoint()

    def _check_places(self, env: Environment) -> None:
        """Raise MigrationError if an old table does not exist, or is the new one."""
        for table in self.step.sources:
            name = env.table_name(table)
            try:
                env.send(ops.Scan(name, limit=1))
            except errors.ResourceNotFound:
                raise errors.MigrationError(
                    f"The old table {real_name(name)!r} does not exist at its address. "
                    "Nothing was copied. Check the address, and the name of the table."
                ) from None
            if env.run(env.states.is_in(table, name)):
                env.run(env.states.delete_item(env.states.key))
                raise errors.MigrationError(
                    f"{table!r} at the old address is the new table itself, {self.step.target!r}. "
                    "Nothing was copied. Copy to another table, or to another address."
                )

    def _check_empty(self, env: Environment) -> None:
        """Raise MigrationError if the new table has items and must not."""
        if not self.step.if_empty:
            return
        try:
            check_empty(env, self.step.target)
        except errors.MigrationError:
            env.run(env.states.delete_item(env.states.key))
            raise

    def _enable_streams(self, env: Environment, tables: Sequence[Table]) -> None:
        """Enable the streams of tables that have none; raise MigrationError if that fails."""
        on = ops.StreamSpecification(stream_enabled=True, stream_view_type=VIEW_TYPE)
        for table in tables:
            place = env.table_name(table)
            if _has_stream(wait_until_active(env, table, f"stream of {table.name}")):
                continue
            if place not in env.state.streams:
                env.state.streams.append(str(place))
                env.checkpoint()
            try:
                env.send(ops.UpdateTable(place, stream_specification=on))
            except (errors.OperationError, errors.UnexpectedResponse) as error:
                described = env.describe(table)
                if described is None or not _has_stream(described):
                    raise errors.MigrationError(
                        f"The stream of {real_name(place)!r} cannot be enabled, so writes during "
                        f"the copy would not be carried over: {error} Stop everything that writes "
                        'to the old tables until the cut-over, and pass changes="none".'
                    ) from error
            wait_until_active(env, table, f"stream of {table.name}")

    def disable_streams(self, env: Environment, tables: Sequence[Table]) -> None:
        """Disable the streams of tables that this migration has enabled."""
        for table in tables:
            place = env.table_name(table)
            if place not in env.state.streams:
                continue
            if env.describe(table) is not None and _has_stream(
                wait_until_active(env, table, f"stream of {table.name}")
            ):
                off = ops.StreamSpecification(stream_enabled=False)
                env.send(ops.UpdateTable(place, stream_specification=off))
            env.state.streams.remove(place)
            env.checkpoint()

    def _delete_copies(self, env: Environment) -> None:
        """Delete the items that an earlier copy has derived: some may have no source item now."""
        derivation = self.forward(env)
        if not env.state.target_was_empty:
            note = (
                "the new table had items before the first copy, so items that are derived no "
                "longer are not deleted. Verify the copy to find them."
            )
            env.progress(self.step.describe(), 0, note=note)
            return
        target, name = self.step.target, env.table_name(self.step.target)
        read = 0

        def delete(items: list[Item]) -> Steps[None]:
            nonlocal read
            read += len(items)
            env.progress(f"Deleting the earlier copy in {target.name}", read, of=[target])
            copies = [item for item in items if derivation.is_copy(item, env.state.derived)]
            yield from derivation.write(
                {}, {item_id(name, derivation.key_of(item)): item for item in copies}
            )

        scan_rounds(env, "delete", target, delete)

    def _copy_all(self, env: Environment) -> None:
        state = env.state
        copier = self._copier(env)
        try:
            if state.phase == "copying":
                copier.copy(lambda: self._carry_all(env, copier, back=False))
            self._carry_all(env, copier, back=False)
        except errors.TransformFailed:
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
            env.progress(self.step.describe(), 0, note=note)
        state.complete_copy()
        env.checkpoint()

    # Changes

    def carry(self, env: Environment, *, back: bool, drain: bool = False) -> None:
        """Carry all changes over or back; raise MigrationError if the log lost some."""
        try:
            self._carry_all(env, self._copier(env, back=back), back=back, drain=drain)
            if back and (stray := self.stray_writes(env)) and not stray.keys:
                env.state.position = stray.position  # these changes need not be looked at again
        except errors.TrimmedDataAccess as error:
            if back:
                raise _lost_changes(str(error)) from error
            raise errors.MigrationError(
                f"Changes of the old tables are missing: {error} Run the migration again; it "
                "starts the copy over."
            ) from error

    def _carry_all(
        self, env: Environment, copier: Copier, *, back: bool, drain: bool = False
    ) -> None:
        """Carry over all changes that the log has; with `drain`, all that were made until now."""
        state, log = env.state, copier.log
        if drain:
            log.begin_drain()
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
            if batch.is_last and (not drain or env.run(log.is_drained())):
                return

    def is_behind(self, env: Environment) -> bool:
        """Return whether there is something to carry, or the position is so old that it is lost."""
        state = env.state
        before = (state.cut_over if state.cut_over is not None else state.position) or ""
        log = self._log(env, back=state.cut_over is not None)
        try:
            return log.is_stale(before) or bool(env.run(log.read(before)).changes)
        except errors.TrimmedDataAccess:
            return True  # carrying says what is lost

    def lag(self, env: Environment) -> int | None:
        """Count the changes that wait to be carried over, up to MAX_LAG.

        Returns None if changes are not carried over: before the copy, after the end, and after the
        cut-over of a Copy without `back` rules.
        """
        state = env.state
        back = state.cut_over is not None
        if state.phase not in ("copying", "ready", "switching", "cut-over"):
            return None
        if back and not self.step.back:
            return None
        position = (state.cut_over if back else state.position) or ""
        return env.run(count_changes(self._log(env, back=back), position, MAX_LAG))

    # Cut-over and rollback

    def cut_over(self, env: Environment) -> None:
        """Switch to the new table, after carrying over the last changes."""
        changes: Changes = "none"
        if self.step.back and env.state.changes == "stream":
            changes = "stream"
            self._enable_streams(env, [self.step.target])
        back = self._log(env, back=True, changes=changes)
        position = env.run(back.end())
        self.carry(env, back=False)
        with self._switching(env) as (env, started):
            self.carry(env, back=False, drain=True)
            self._check_copies(env)
            # What was carried over meanwhile need not be carried back.
            position = env.run(back.end(position))
        log = self._log(env, back=False)
        env.state.end_switch(changes, position)
        self._end_pause(env, started, log)

    def roll_back(self, env: Environment, *, accept_loss: bool) -> None:
        """Switch back to the old tables, after carrying back the last changes."""
        if not accept_loss:
            self.check_back(env)
            self.carry(env, back=True)
        with self._switching(env) as (env, started):
            if self.step.back and env.state.changes != "none":
                try:
                    self.carry(env, back=True, drain=True)
                except errors.MigrationError as error:
                    if not accept_loss or isinstance(error, errors.MigrationLocked):
                        raise
        env.state.roll_back()
        self._end_pause(env, started, self._log(env, back=True))

    def check_back(self, env: Environment) -> None:
        """Raise MigrationError if changes cannot be carried back."""
        if not self.step.back:
            raise _lost_changes("the Copy has no back=(…) rules.")
        if env.state.changes == "none":
            raise _lost_changes('the migration was run with changes="none".')

    @contextmanager
    def _switching(self, env: Environment) -> Generator[tuple[Environment, float]]:
        """Pause the writes of every SwitchingDriver; if that fails, return to the phase before.

        Yield an environment without a rate limit, and when the pause began. Every write that is
        acknowledged from now on was executed before.
        """
        env, started = replace(env, is_paced=False), env.clock()
        env.state.begin_switch()
        env.checkpoint()
        try:
            env.sleep(PHASE_SECONDS)
            yield env, started
        except Exception:
            env.state.cancel_switch()
            env.checkpoint()
            raise

    def _end_pause(self, env: Environment, started: float, log: ChangeLog) -> None:
        """Store the phase after a switch, and remove the traces of the drain."""
        env.state.paused = max(round(1000 * (env.clock() - started)), 0)
        env.checkpoint()
        env.run(log.end_drain())

    def _check_copies(self, env: Environment) -> None:
        """Raise MigrationError if the first items of each old table are not in the new one."""
        derivation = self.forward(env)
        for table in self.step.sources:
            scan = ops.Scan(env.table_name(table), limit=CHECKED_ITEMS, consistent_read=True)
            units = [derivation.unit_of(table, item) for item in env.send(scan).items]
            sources = env.run(derivation.read([unit for unit in units if unit is not None]))
            for unit, targets in derive_all(derivation, sources).items():
                missing = env.run(derivation.missing(targets))
                if missing:
                    raise errors.MigrationError(
                        f"The new table is not complete: {key_text(missing[0])} is missing, or is "
                        f"not what is derived from {key_text(unit.key)}. The old tables are still "
                        "in use. Verify the copy, then cut over again."
                    )

    def stray_writes(self, env: Environment) -> StrayWrites | None:
        """Return which old items others wrote after the cut-over; None if that is unknown."""
        position = env.state.position or ""
        if env.state.phase != "cut-over":
            return StrayWrites((), position)
        back = self.backward(env) if self.step.back else []
        log = self._log(env, back=False, changes="stream")
        later = uncarried_items(self._log(env, back=True), env.state.cut_over or "", back)
        try:
            return env.run(find_stray_writes(log, position, self.forward(env), back, later))
        except (errors.ResourceNotFound, errors.TrimmedDataAccess):
            return None  # an old table may have been deleted by hand

    # Parts

    def forward(self, env: Environment) -> Derivation:
        """Return the derivation of the new items."""
        return self.step.forward(env.context, env.state.started)

    def backward(self, env: Environment) -> list[Derivation]:
        """Return the derivations of the old items."""
        return self.step.backward(env.context, env.state.started)

    def _copier(self, env: Environment, *, back: bool = False) -> Copier:
        derivations: Sequence[Derivation] = self.backward(env) if back else [self.forward(env)]
        return Copier(env, derivations, self._log(env, back=back), self.step.describe())

    def _log(self, env: Environment, *, back: bool, changes: Changes | None = None) -> ChangeLog:
        """Return the change log of the old tables, or of the new one."""
        is_followed = (changes or env.state.changes) != "none"
        tables = [self.step.target] if back else self.step.sources
        if (is_followed, back) not in self._logs:
            self._logs[is_followed, back] = ChangeLog(
                env.context, tables if is_followed else [], env.states.migration
            )
        return self._logs[is_followed, back]


def _has_stream(described: ops.TableDescription) -> bool:
    """Return whether a table has a stream; raise MigrationError if that lacks images."""
    stream = described.stream_specification
    if stream is None or not stream.stream_enabled:
        return False
    if stream.stream_view_type != VIEW_TYPE:
        raise errors.MigrationError(
            f"Table {described.table_name!r} has a stream with the view type "
            f"{stream.stream_view_type}, but to carry over its changes it must be {VIEW_TYPE}. "
            "When its consumers have read it, disable it: the migration enables another one."
        )
    return True


def _lost_changes(reason: str) -> errors.MigrationError:
    return errors.MigrationError(
        f"Changes of the new table since the cut-over cannot be carried back: {reason} After a "
        "rollback they would be in the new table only. To roll back nevertheless, accept the loss "
        "(accept_loss=True, or --accept-loss)."
    )
