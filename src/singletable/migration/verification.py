"""Verify that a migration did what it should, while the application reads and writes.

A copy is compared with its source. A step that changes items in place is run once more with a
driver that reads but does not write: what it would still write is a fault. What differs is looked
at again before it is reported, because the application may have been between two writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar, cast

from singletable.errors import MigrationError, ResourceNotFound, TransformFailed
from singletable.migration.copy_comparison import LOOKS, CopyComparison, Fault, Verification
from singletable.migration.environment import Environment
from singletable.migration.runner import STEPS, MigrationRunner
from singletable.migration.scan import scan_pages
from singletable.migration.state import State, is_state_item
from singletable.migration.steps import (
    AddCount,
    AddIndex,
    AddUnique,
    Backfill,
    Copy,
    CreateTable,
    DropIndex,
    DropTable,
    Rewrite,
    Step,
    step_text,
)
from singletable.operations import (
    BatchWriteItem,
    BatchWriteItemOutput,
    ConditionCheck,
    Delete,
    DescribeTable,
    Driver,
    Operation,
    Put,
    PutItem,
    TableDescription,
    TransactWriteItems,
    TransactWriteItemsOutput,
    WriteItemOutput,
)
from singletable.operations.partition_keys import item_requests, written_items
from singletable.operations.registry import OPERATIONS
from singletable.retry import send
from singletable.schema import Table, model_of
from singletable.schema.unique import RELEASED
from singletable.store.batch import get_items
from singletable.store.decoder import decode_fields
from singletable.store.writes import ItemId, item_id
from singletable.values import Item

R = TypeVar("R")


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
    reports: list[Verification] = []
    for number, step in enumerate(runner.migration.steps):
        if number > env.state.step or env.state.phase == "down":
            break
        if number == env.state.step and (
            not isinstance(step, Copy) or env.state.phase == "running"
        ):
            break
        report = Verification(step_text(step))
        reports.append(report)
        if isinstance(step, Copy):
            _verify_copy(runner, env, report, sample, seed, repair, confirm_deletion)
        elif isinstance(step, CreateTable | DropTable | DropIndex):
            _verify_table(env, step, report)
        elif isinstance(step, AddIndex):
            _verify_index(env, step, report)
        else:
            _verify_in_place(env, step, report, repair=repair)
            if isinstance(step, AddUnique):
                _verify_owners(env, step, report)
    return reports


# Copies


def _verify_copy(
    runner: MigrationRunner,
    env: Environment,
    report: Verification,
    sample: int | None,
    seed: int,
    repair: bool,
    confirm_deletion: Callable[[int], bool],
) -> None:
    if env.state.phase == "finished":
        report.is_checked = False
        report.notes.append("Finished: the old tables are no longer kept up to date.")
        return
    derivations = runner.derivations(env)
    if not derivations:
        report.is_checked = False
        report.notes.append(
            "After the cut-over, and without back=…, the old tables are not kept up to date."
        )
    for derivation in derivations:
        comparison = CopyComparison(
            env,
            derivation,
            report,
            repair=repair,
            confirm_deletion=confirm_deletion,
            is_back=env.state.phase == "cut-over",
        )
        if sample is None:
            comparison.compare()
        else:
            comparison.compare_sample(sample, seed)


# Tables and indexes


def _describe(env: Environment, table: Table) -> TableDescription | None:
    describe = DescribeTable(env.context.table_name(table))
    try:
        return env.run(send(env.context.retry_policy, describe)).table
    except ResourceNotFound:
        return None


def _verify_table(
    env: Environment, step: CreateTable | DropTable | DropIndex, report: Verification
) -> None:
    described = _describe(env, step.table)
    name = step.table.name
    match step:
        case CreateTable():
            if described is None:
                report.add(Fault("missing", {}, f"table {name} does not exist"))
        case DropTable():
            if described is not None:
                report.add(Fault("extra", {}, f"table {name} exists"))
        case DropIndex():
            indexes = [] if described is None else described.global_secondary_indexes or []
            if step.index in [one.index_name for one in indexes]:
                report.add(Fault("extra", {}, f"index {step.index} of {name} exists"))


def _verify_index(env: Environment, step: AddIndex, report: Verification) -> None:
    """Check that an index is active, and that the items are in it that have its keys."""
    described = _describe(env, step.table)
    indexes = [] if described is None else described.global_secondary_indexes or []
    status = {one.index_name: one.index_status for one in indexes}.get(step.index)
    if status != "ACTIVE":
        state = "does not exist" if status is None else f"is {status}"
        report.add(Fault("missing", {}, f"index {step.index} of {step.table.name} {state}"))
        return
    name = f"{step.table.name}.{step.index}"
    wrong: dict[ItemId, Fault] | None = None
    # An index is eventually consistent.
    for seconds in LOOKS:
        env.sleep(seconds)
        found = _index_faults(env, step, report, name)
        wrong = found if wrong is None else {id_: found[id_] for id_ in wrong if id_ in found}
        if not wrong:
            return
        report.suspects += len(wrong) if seconds == LOOKS[0] else 0
    for fault in (wrong or {}).values():
        report.add(fault)


def _index_faults(
    env: Environment, step: AddIndex, report: Verification, name: str
) -> dict[ItemId, Fault]:
    index = next(one for one in step.table.indexes if one.name == step.index)
    keys = [*index.pk, *index.sk]
    expected: dict[ItemId, Item] = {}
    for page in scan_pages(env, step.table):
        for item in page:
            if all(one.type in item.get(one.name, {}) for one in keys):
                expected.update(_keyed(env, step.table, item))
    report.expected[name] = len(expected)
    report.stored[name] = 0
    faults: dict[ItemId, Fault] = {}
    for page in scan_pages(env, step.table, index=step.index):
        report.stored[name] += len(page)
        for entry in page:
            ((id_, key),) = _keyed(env, step.table, entry).items()
            if expected.pop(id_, None) is None:
                text = f"is in index {step.index}, but does not belong there"
                faults[id_] = Fault("extra", key, text)
    for id_, key in expected.items():
        faults[id_] = Fault("missing", key, f"is not in index {step.index}")
    return faults


def _keyed(env: Environment, table: Table, item: Item) -> dict[ItemId, Item]:
    key = {one.name: item[one.name] for one in table.key_attributes}
    return {item_id(env.context.table_name(table), key): key}


# Steps in place


class _WriteRecorder:
    """Reads, but records the items of writes instead of writing them.

    With `writes`, only the state of the migration is not written.
    """

    def __init__(self, driver: Driver, tables: dict[str, Table], *, writes: bool) -> None:
        self._driver = driver
        self._tables = tables
        self._writes = writes
        self.recorded: dict[ItemId, Item] = {}

    def execute(self, operation: Operation[R], /) -> R:
        """Execute a read; record a write."""
        request: object = operation
        if not OPERATIONS[type(operation)].writes:
            return self._driver.execute(operation)
        # The state of the migration is left alone.
        if not (isinstance(request, PutItem) and is_state_item(request.item)):
            self._record(operation)
            if self._writes:
                return self._driver.execute(operation)
        return cast(R, _no_output(operation))

    def _record(self, operation: Operation[Any]) -> None:
        requests = [
            (name, request)
            for name, request in item_requests(operation) or ()
            if not isinstance(request, ConditionCheck)
        ]
        # A replacement deletes old items and puts new ones: the old ones are wrong.
        deleted = [one for one in requests if isinstance(one[1], Delete)]
        for name, request in deleted or requests:
            items: Iterator[Item]
            if isinstance(request, tuple):
                items = written_items(request)
            elif isinstance(request, PutItem | Put):
                items = iter((request.item,))
            else:
                items = iter((cast("Item", getattr(request, "key", {})),))
            for item in items:
                names = [one.name for one in self._tables[name].key_attributes]
                key = {one: item[one] for one in names}
                self.recorded[item_id(name, key)] = key


def _no_output(operation: Operation[Any]) -> object:
    """Return the output of a write without anything in it."""
    match operation:
        case TransactWriteItems():
            return TransactWriteItemsOutput()
        case BatchWriteItem():
            return BatchWriteItemOutput(unprocessed_items={})
        case _:
            return WriteItemOutput()


_FAULTY: dict[type, str] = {
    Backfill: "is not stored as it would be written now",
    AddUnique: "is a marker that is missing, or names another owner",
    AddCount: "has a number that is not the count of its items",
    Rewrite: "would still be replaced",
}


def _verify_in_place(env: Environment, step: Step, report: Verification, *, repair: bool) -> None:
    """Check that running the step again would write nothing."""
    if repair:
        repaired = _run_again(env, step, report, writes=True)
        for key in repaired.values():
            report.add(Fault("different", key, _FAULTY[type(step)]))
        report.repaired += len(repaired)
        return
    wrong: dict[ItemId, Item] | None = None
    for seconds in LOOKS:
        env.sleep(seconds)
        found = _run_again(env, step, report, writes=False)
        if wrong is None:
            report.suspects += len(found)
        wrong = found if wrong is None else {id_: wrong[id_] for id_ in wrong if id_ in found}
        if not wrong:
            break
    for key in (wrong or {}).values():
        report.add(Fault("different", key, _FAULTY[type(step)]))
    if wrong and isinstance(step, Backfill) and step.transform is not None:
        report.notes.append(
            "The transform would change these items. If it changes an item each time, such as "
            "adding to a number, it cannot be verified, and a run that was interrupted may have "
            "applied it twice."
        )


def _run_again(
    env: Environment, step: Step, report: Verification, *, writes: bool
) -> dict[ItemId, Item]:
    """Run the step, and return the keys of the items that it writes, or would write."""
    tables = {name: table for table, name in env.context.table_names.items()}
    recorder = _WriteRecorder(env.driver, tables, writes=writes)
    trial = replace(env, driver=recorder, state=State("running", started=env.state.started))
    try:
        STEPS[type(step)][0](step, trial)
    except TransformFailed as error:
        for key, reason in error.failures:
            fault = Fault("failed", cast("Item", key), reason)
            if fault not in report.faults:
                report.add(fault)
    except MigrationError:
        # The numbers of AddCount are counted until they are right, which they never are here.
        if writes or not recorder.recorded:
            raise
    return recorder.recorded


def _verify_owners(env: Environment, step: AddUnique, report: Verification) -> None:
    """Check that each marker belongs to an item that has its value."""
    suspects: dict[ItemId, Item] = {}
    model = model_of(step.entity)
    for page in scan_pages(env, model.table):
        suspects |= _orphans(env, step, page, report)
    report.suspects += len(suspects)
    name = env.context.table_name(model.table)
    for seconds in LOOKS:
        if suspects:
            env.sleep(seconds)
            stored = env.run(get_items(env.context, {name: model.table}, suspects, consistent=True))
            suspects = _orphans(env, step, list(stored.values()))
    for key in suspects.values():
        report.add(Fault("extra", key, "is a marker, but its owner does not have its value"))


def _orphans(
    env: Environment, step: AddUnique, items: list[Item], report: Verification | None = None
) -> dict[ItemId, Item]:
    """Return the keys of markers with an owner that does not have the value."""
    model = model_of(step.entity)
    constraint = model.uniques[step.unique]
    name = env.context.table_name(model.table)
    markers: dict[ItemId, tuple[Item, ItemId]] = {}
    owners: dict[ItemId, Item] = {}
    for item in items:
        owner = constraint.owner(item)
        if set(owner) != {one.name for one in model.table.key_attributes}:
            continue
        if constraint.access.parse(item) is None or RELEASED in item:
            continue
        ((id_, key),) = _keyed(env, model.table, item).items()
        markers[id_] = key, item_id(name, owner)
        owners[item_id(name, owner)] = owner
    if report is not None:
        report.stored[f"{model.name}.{step.unique}"] += len(markers)
    stored = env.run(get_items(env.context, {name: model.table}, owners, consistent=True))
    orphans: dict[ItemId, Item] = {}
    for id_, (key, owner_id) in markers.items():
        holder = stored.get(owner_id)
        value = None
        if holder is not None and model.matches(holder):
            value = constraint.key(decode_fields(model, holder, constraint.fields))
        if value is None or item_id(name, value) != id_:
            orphans[id_] = key
    return orphans
