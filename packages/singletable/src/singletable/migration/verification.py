"""Verify that a step did what it should, while the application reads and writes.

A step that changes items in place is run once more with a driver that reads but does not write:
what it would still write is a fault. What differs is looked at again before it is reported, because
the application may have been between two writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, TypeVar, cast

from dynamodb_engine import operations as ops
from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.operations.touches import item_requests, written_items
from dynamodb_engine.values import Item
from singletable.errors import MigrationError, TransformFailed
from singletable.migration.derivation import item_key, key_text
from singletable.migration.environment import Environment
from singletable.migration.state import State, is_state_item
from singletable.schema import Table
from singletable.store.writes import ItemId, item_id

R = TypeVar("R")
FaultKind: TypeAlias = Literal["missing", "different", "extra", "collision", "failed"]

MAX_FAULTS = 1_000
# What differs is looked at again after these seconds.
LOOKS = (0.0, 1.0, 3.0)


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """What a verification compares, and whether it repairs what differs.

    With `sample`, at least this many items of a copy are compared, chosen at random by `seed`.
    Items that should not be there are deleted if `confirm_deletion`, called with their number,
    returns True.
    """

    sample: int | None = None
    seed: int = 0
    repair: bool = False
    confirm_deletion: Callable[[int], bool] = lambda count: True


@dataclass(frozen=True, slots=True)
class Fault:
    """A difference between what is stored and what should be, with the key of an item."""

    kind: FaultKind
    key: Item
    text: str

    def __str__(self) -> str:
        return f"{key_text(self.key)}: {self.text}"


@dataclass
class Verification:
    """What the verification of a step found."""

    step: str
    # Whether there was anything to verify; if not, a note says why.
    is_checked: bool = True
    # The number of items, by entity: as they should be stored, and as they are.
    expected: Counter[str] = field(default_factory=Counter[str])
    stored: Counter[str] = field(default_factory=Counter[str])
    # The number of old items, by rule.
    sources: Counter[str] = field(default_factory=Counter[str])
    suspects: int = 0
    # Suspects that changed each time they were looked at.
    unsettled: int = 0
    faults: list[Fault] = field(default_factory=list[Fault])
    # Faults beyond the first MAX_FAULTS, and suspects that were not looked at because of these.
    more: int = 0
    unchecked: int = 0
    repaired: int = 0
    notes: list[str] = field(default_factory=list[str])

    @property
    def ok(self) -> bool:
        """Whether everything is as it should be, after repairs."""
        return len(self.faults) + self.more == self.repaired

    def add(self, fault: Fault) -> None:
        """Record a fault; after the first MAX_FAULTS only their number."""
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(fault)
        else:
            self.more += 1


Run: TypeAlias = Callable[[Environment], None]


def verify_by_running(
    env: Environment, run: Run, report: Verification, text: str, *, repair: bool
) -> None:
    """Check that running a step again would write nothing; `text` says what is wrong otherwise.

    With `repair`, what it writes is written.
    """
    if repair:
        wrong = _run_again(env, run, report, writes=True)
        report.repaired += len(wrong)
    else:
        wrong = look_again(env, report, lambda: _run_again(env, run, report, writes=False))
    for key in wrong.values():
        report.add(Fault("different", key, text))


V = TypeVar("V")


def look_again(
    env: Environment, report: Verification, find: Callable[[], dict[ItemId, V]]
) -> dict[ItemId, V]:
    """Return what `find` finds each time; the application may change an item between two looks."""
    wrong: dict[ItemId, V] | None = None
    for seconds in LOOKS:
        env.sleep(seconds)
        found = find()
        if wrong is None:
            report.suspects += len(found)
        wrong = found if wrong is None else {id_: wrong[id_] for id_ in wrong if id_ in found}
        if not wrong:
            break
    return wrong or {}


class _WriteRecorder:
    """Reads, but records the items of writes instead of writing them.

    With `writes`, only the state of the migration is not written.
    """

    def __init__(self, driver: ops.Driver, tables: dict[str, Table], *, writes: bool) -> None:
        self._driver = driver
        self._tables = tables
        self._writes = writes
        self.recorded: dict[ItemId, Item] = {}

    def execute(self, operation: ops.Operation[R], /) -> R:
        """Execute a read; record a write."""
        request: object = operation
        if not OPERATIONS[type(operation)].writes:
            return self._driver.execute(operation)
        # The state of the migration is left alone.
        if isinstance(request, ops.PutItem) and is_state_item(request.item):
            return cast(R, _no_output(operation))
        # A write whose condition fails repairs nothing.
        output = self._driver.execute(operation) if self._writes else _no_output(operation)
        self._record(operation)
        return cast(R, output)

    def _record(self, operation: ops.Operation[Any]) -> None:
        requests = [
            (name, request)
            for name, request in item_requests(operation) or ()
            if not isinstance(request, ops.ConditionCheck)
        ]
        # A replacement deletes old items and puts new ones: the old ones are wrong.
        deleted = [one for one in requests if isinstance(one[1], ops.Delete)]
        for name, request in deleted or requests:
            items: Iterator[Item]
            if isinstance(request, tuple):
                items = written_items(request)
            elif isinstance(request, ops.PutItem | ops.Put):
                items = iter((request.item,))
            else:
                items = iter((cast("Item", getattr(request, "key", {})),))
            for item in items:
                key = item_key(self._tables[name], item)
                self.recorded[item_id(name, key)] = key


def _no_output(operation: ops.Operation[Any]) -> object:
    """Return the output of a write without anything in it."""
    match operation:
        case ops.TransactWriteItems():
            return ops.TransactWriteItemsOutput()
        case ops.BatchWriteItem():
            return ops.BatchWriteItemOutput(unprocessed_items={})
        case _:
            return ops.WriteItemOutput()


def _run_again(
    env: Environment, run: Run, report: Verification, *, writes: bool
) -> dict[ItemId, Item]:
    """Run a step again, and return the keys of the items that it writes, or would write."""
    tables = {name: table for table, name in env.context.table_names.items()}
    recorder = _WriteRecorder(env.driver, tables, writes=writes)
    trial = replace(env, driver=recorder, state=State("running", started=env.state.started))
    try:
        run(trial)
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
