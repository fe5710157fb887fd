"""Fail every system call of SQLite, run out of memory, and interrupt the engine at every call.

Run it with python -m drills.io_errors [--stride N]. A script of operations runs again and again. In
each run the n-th call of one kind fails, once or from then on, until a run has no n-th call. Then
SQLite gets a little more memory in each run, and then the n-th call in the engine is interrupted.
"""

from __future__ import annotations

import argparse
import errno
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from inspect import CO_GENERATOR
from itertools import chain, count
from pathlib import Path
from types import FrameType
from typing import TypeAlias

import apsw

from drills.disk_model import memory_folder
from drills.ledger_audit import check_integrity
from drills.system_calls import Fault, SystemCalls, replaced_system_calls
from dynamodb_engine import Engine, Settings
from dynamodb_engine.operations import (
    AttributeDefinition,
    BatchWriteItem,
    CreateGlobalSecondaryIndexAction,
    CreateTable,
    DeleteItem,
    DeleteTable,
    GetItem,
    GlobalSecondaryIndex,
    GlobalSecondaryIndexUpdate,
    KeySchemaElement,
    ListTables,
    Operation,
    Projection,
    PutItem,
    PutRequest,
    ReadChanges,
    Scan,
    SweepExpired,
    TimeToLiveSpecification,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateItem,
    UpdateTable,
    UpdateTimeToLive,
    WriteRequest,
)
from dynamodb_engine.values import Item
from singletable import StorageError

NOW = 1_800_000_000
SETTINGS = Settings(clock=lambda: NOW)
FILE = "things.db"
BATCH = 12
CODES = {
    "open": (errno.EMFILE, errno.ENOSPC),
    "pwrite": (errno.EIO, errno.ENOSPC),
    "ftruncate": (errno.EIO,),
    "fsync": (errno.EIO,),
    "pread": (errno.EIO,),
    "fstat": (errno.EIO,),
    "fcntl": (errno.EIO,),
    "unlink": (errno.EIO,),
    "openDirectory": (errno.EMFILE,),
    "mmap": (errno.ENOMEM,),
}


def _key(name: str) -> Item:
    return {"pk": {"S": name}}


def _item(name: str, size: int = 20, **attributes: int) -> Item:
    numbers: Item = {name: {"N": str(value)} for name, value in attributes.items()}
    return _key(name) | {"g": {"S": name[0]}, "text": {"S": name[-1] * size}} | numbers


def _table(name: str) -> CreateTable:
    return CreateTable(
        name,
        [AttributeDefinition("pk", "S"), AttributeDefinition("g", "S")],
        [KeySchemaElement("pk", "HASH")],
        global_secondary_indexes=[
            GlobalSecondaryIndex("by-g", [KeySchemaElement("g", "HASH")], Projection("ALL"))
        ],
        billing_mode="PAY_PER_REQUEST",
    )


def _add(name: str, amount: int) -> Update:
    return Update(
        "things",
        _key(name),
        "ADD n :amount",
        expression_attribute_values={":amount": {"N": str(amount)}},
    )


def _number(engine: Engine, name: str) -> object:
    item = engine.execute(GetItem("things", _key(name), consistent_read=True)).item
    return None if item is None else item.get("n", {}).get("N")


@dataclass(frozen=True, slots=True)
class Step:
    """A write, and a read that returns `before` without it and `after` with it."""

    name: str
    write: Operation[object]
    read: Callable[[Engine], object]
    before: object
    after: object


def _has_table(name: str) -> Callable[[Engine], object]:
    return lambda engine: name in engine.execute(ListTables()).table_names


def _number_of(*names: str) -> Callable[[Engine], object]:
    return lambda engine: [_number(engine, name) for name in names]


def _has_index(engine: Engine) -> object:
    return any(index.name == "by-n" for index in engine._catalog.tables["things"].indexes)


_BATCH = [f"batch-{number}" for number in range(BATCH)]
STEPS = (
    Step("create a table", _table("made"), _has_table("made"), False, True),
    Step("put", PutItem("things", _item("put", n=7)), _number_of("put"), [None], ["7"]),
    Step(
        "update",
        UpdateItem(
            "things",
            _key("updated"),
            update_expression="ADD n :n",
            expression_attribute_values={":n": {"N": "1"}},
        ),
        _number_of("updated"),
        ["0"],
        ["1"],
    ),
    Step(
        "transaction",
        TransactWriteItems(
            [TransactWriteItem(update=_add("from", -5)), TransactWriteItem(update=_add("to", 5))],
            client_request_token="transfer",
        ),
        _number_of("from", "to"),
        ["0", "0"],
        ["-5", "5"],
    ),
    Step(
        "batch",
        BatchWriteItem(
            {
                "things": [
                    WriteRequest(put_request=PutRequest(_item(name, 6000, n=1))) for name in _BATCH
                ]
            }
        ),
        _number_of(*_BATCH),
        [None] * BATCH,
        ["1"] * BATCH,
    ),
    Step(
        "backfill",
        UpdateTable(
            "things",
            attribute_definitions=[AttributeDefinition("n", "N")],
            global_secondary_index_updates=[
                GlobalSecondaryIndexUpdate(
                    create=CreateGlobalSecondaryIndexAction(
                        "by-n", [KeySchemaElement("n", "HASH")], Projection("KEYS_ONLY")
                    )
                )
            ],
        ),
        _has_index,
        False,
        True,
    ),
    Step("sweep", SweepExpired(), _number_of("expired"), ["0"], [None]),
    Step("delete", DeleteItem("things", _key("deleted")), _number_of("deleted"), ["0"], [None]),
    Step("delete a table", DeleteTable("dropped"), _has_table("dropped"), True, False),
)


def prepare(path: Path) -> None:
    """Create the file on which the script runs."""
    with Engine.on_file(path, SETTINGS) as engine:
        for name in ("things", "dropped"):
            engine.execute(_table(name))
        engine.execute(UpdateTimeToLive("things", TimeToLiveSpecification(True, "expires")))
        for name in ("updated", "from", "to", "deleted"):
            engine.execute(PutItem("things", _item(name, 3000, n=0)))
        engine.execute(PutItem("things", _item("expired", n=0, expires=NOW - 60)))
        for number in range(10):
            engine.execute(PutItem("dropped", _item(f"lost-{number}", 5000)))


def open_engine(path: Path) -> Engine:
    """Open the engine under test; a test can replace it with a broken one."""
    return Engine.on_file(path, SETTINGS)


# Wraps every step, to disturb it.
Disturbance: TypeAlias = Callable[[], AbstractContextManager[None]]


@dataclass
class Interruption:
    """Raise an exception at the n-th call in the engine, counted from 1.

    Python runs signal handlers when a function is entered and after a function in C has returned.
    Entering a generator does not count: Python enters it once more to close it, and then only
    prints exceptions.
    """

    number: int
    error: type[BaseException]
    count: int = 0

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Count calls while the block runs."""
        before = sys.getprofile()
        sys.setprofile(self._step)
        try:
            yield
        finally:
            sys.setprofile(before)

    def _step(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        is_counted = event == "c_return" or (event == "call" and not code.co_flags & CO_GENERATOR)
        if is_counted and "/dynamodb_engine/engine/" in code.co_filename:
            self.count += 1
            if self.count == self.number:
                raise self.error


@contextmanager
def limited_memory(spare: int) -> Iterator[None]:
    """Limit SQLite to this many more bytes than it has allocated now."""
    apsw.hard_heap_limit(apsw.memory_used() + spare)
    try:
        yield
    finally:
        apsw.hard_heap_limit(0)


def run_script(
    path: Path,
    calls: SystemCalls,
    open_engine: Callable[[Path], Engine],
    disturbance: Disturbance = nullcontext,
    expected: type[BaseException] = StorageError,
) -> tuple[set[str], list[str]]:
    """Run the steps and return the acknowledged ones and the faults found.

    A step may fail with the expected error or StorageError. The engine must then continue, and must
    read and write again after the last fault.
    """
    acknowledged: set[str] = set()
    try:
        engine = open_engine(path)
    except StorageError:
        return acknowledged, []
    faults: list[str] = []
    with engine:
        _use_the_disk_often(engine)
        calls.fail_syncs(engine._database._connection)
        for step in STEPS:
            try:
                with disturbance():
                    engine.execute(step.write)
                    acknowledged.add(step.name)
                    if step.read(engine) != step.after:
                        faults.append(f"{step.name} was acknowledged, but cannot be read")
            except (StorageError, expected):
                pass
            except Exception as error:
                faults.append(f"{step.name} raised {type(error).__name__}: {error}")
        fault, calls.fault = calls.fault, None
        try:
            engine.execute(PutItem("things", _item("last", n=0)))
            if _number(engine, "last") != "0":
                faults.append("a write on the repaired disk cannot be read")
        except Exception as error:
            faults.append(f"a write on the repaired disk raised {type(error).__name__}: {error}")
        # The files that a killed process would leave behind.
        shutil.rmtree(path.parent / "killed", ignore_errors=True)
        (path.parent / "killed").mkdir()
        for file in path.parent.glob(f"{FILE}*"):
            if not file.name.endswith("-shm"):
                shutil.copy(file, path.parent / "killed" / file.name)
        calls.fault = fault
    return acknowledged, faults


def _use_the_disk_often(engine: Engine) -> None:
    """Use a small cache, which spills during a write, and frequent checkpoints of a short log."""
    for pragma in ("cache_size = 10", "cache_spill = 10", "wal_autocheckpoint = 8"):
        engine._database._connection.pragma(*pragma.split(" = "))


def check_file(path: Path, acknowledged: set[str]) -> list[str]:
    """Return the faults in the file, opened on a working disk."""
    faults: list[str] = []
    with Engine.on_file(path, SETTINGS) as engine:
        for step in STEPS:
            found = step.read(engine)
            allowed = [step.after] if step.name in acknowledged else [step.before, step.after]
            if found not in allowed:
                faults.append(f"{step.name}: found {found}, expected {allowed}")
        items = engine.execute(Scan("things")).items or ()
        for index in engine._catalog.tables["things"].indexes:
            expected = {i["pk"]["S"] for i in items if index.key.matches(i)}
            entries = engine.execute(Scan("things", index.name)).items or ()
            if {entry["pk"]["S"] for entry in entries} != expected or len(entries) != len(expected):
                faults.append(f"index {index.name} differs from the table")
        positions = [change.position for change in engine.execute(ReadChanges(0)).changes]
        if positions != list(range(1, len(positions) + 1)):
            faults.append(f"the change feed has gaps: {positions}")
        engine.execute(PutItem("things", _item("later", n=0)))
    return faults + check_integrity(path)


def run_fault(
    folder: Path, fault: Fault, open_engine: Callable[[Path], Engine] = open_engine
) -> tuple[bool, list[str]]:
    """Run the script with a fault; return whether it was injected, and the faults found."""
    path = _copy_file(folder)
    with replaced_system_calls() as calls:
        calls.fault = fault
        acknowledged, faults = run_script(path, calls, open_engine)
    return calls.counts[fault.call] >= fault.number, faults + _check_files(path, acknowledged)


def run_disturbed(
    folder: Path, disturbance: Disturbance, expected: type[BaseException]
) -> tuple[int, list[str]]:
    """Run the script; return the number of acknowledged steps and the faults found."""
    path = _copy_file(folder)
    acknowledged, faults = run_script(path, SystemCalls(), open_engine, disturbance, expected)
    return len(acknowledged), faults + _check_files(path, acknowledged)


def _copy_file(folder: Path) -> Path:
    run = folder / "run"
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir()
    shutil.copy(folder / FILE, run / FILE)
    return run / FILE


def _check_files(path: Path, acknowledged: set[str]) -> list[str]:
    """Check the closed file, and the one that a killed process would leave behind."""
    return [
        f"{file.parent.name}: {found}"
        for file in (path, path.parent / "killed" / FILE)
        if file.exists()
        for found in check_file(file, acknowledged)
    ]


def run_memory_limits(folder: Path, step: int) -> Iterator[tuple[str, list[str]]]:
    """Run the script with more and more memory until every step is acknowledged."""
    spare = acknowledged = 0
    while acknowledged < len(STEPS):
        acknowledged, faults = run_disturbed(
            folder, partial(limited_memory, spare), expected=MemoryError
        )
        yield f"{spare} bytes of memory", faults
        spare += step


def run_interruptions(folder: Path, stride: int) -> Iterator[tuple[str, list[str]]]:
    """Interrupt the script at every `stride`-th call, alternately with Ctrl-C and an error."""
    for number in count(1, stride):
        error = (KeyboardInterrupt, MemoryError)[number // stride % 2]
        interruption = Interruption(number, error)
        _, faults = run_disturbed(folder, interruption, error)
        yield f"{error.__name__} at call {number}", faults
        if interruption.count < number:
            return


def run_faults(
    folder: Path, stride: int = 1, open_engine: Callable[[Path], Engine] = open_engine
) -> Iterator[tuple[Fault, list[str]]]:
    """Inject every fault, or every `stride`-th, and yield the results."""
    prepare(folder / FILE)
    for call, codes in CODES.items():
        for code in codes:
            # A failing lock looks like one held by another process, and SQLite would wait for it at
            # every step.
            for permanent in (False,) if call == "fcntl" else (False, True):
                number = 1
                while True:
                    fault = Fault(call, number, code, permanent)
                    happened, faults = run_fault(folder, fault, open_engine)
                    yield fault, faults
                    if not happened:
                        break
                    number += stride


def main() -> int:
    """Run the drill and return the exit code: 0 if every invariant holds."""
    parser = argparse.ArgumentParser(prog="python -m drills.io_errors", description=__doc__)
    parser.add_argument("--stride", type=int, default=1, help="run every n-th fault only")
    options = parser.parse_args()
    done: Counter[str] = Counter()
    failed = 0
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        for fault, faults in run_faults(Path(folder), options.stride):
            done[fault.call] += 1
            failed += bool(faults)
            for found in faults[:10]:
                print(f"  {fault}: {found}", flush=True)
        for name, faults in chain(
            run_memory_limits(Path(folder), 64 * options.stride),
            run_interruptions(Path(folder), 7 * options.stride),
        ):
            done[name.split(" ")[0] if "at" in name else "memory"] += 1
            failed += bool(faults)
            for found in faults[:10]:
                print(f"  {name}: {found}", flush=True)
    summary = ", ".join(f"{call} {count}" for call, count in done.items())
    print(f"io: {done.total()} faults injected ({summary}); {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
