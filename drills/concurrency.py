"""Run many clients at once and check serializability.

Run it with python -m drills.concurrency [--rounds N] [--seed N]. The same clients run in threads,
in tasks and over HTTP, in memory and on files.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from drills.client_runners import RUNNERS, Client, run_sequentially
from drills.concurrency_clients import (
    TABLE,
    ConcurrentHistory,
    create_table,
    random_client,
    read_lists,
)
from drills.serializability import check_history
from dynamodb_engine import Engine, Settings
from dynamodb_engine.operations import (
    BatchGetItem,
    DeleteTable,
    DescribeTable,
    GetItem,
    KeysAndAttributes,
    ListTables,
    Operation,
    PutItem,
    Query,
    Scan,
)
from dynamodb_engine.values import Item
from singletable import ResourceNotFound

CLIENTS = 8
# By default Python switches threads so rarely that clients hardly overlap.
SWITCH_INTERVAL = 1e-5
_ITEM: Item = {"pk": {"S": "a"}, "sk": {"S": "b"}}


@dataclass(frozen=True, slots=True)
class ConcurrencyRound:
    """The result of a round."""

    name: str
    kind: str
    operations: int
    faults: list[str]


_STORAGES: dict[str, Callable[[Path], Engine]] = {
    "memory": lambda path: Engine.in_memory(),
    "durable file": lambda path: Engine.on_file(path),
    "file": lambda path: Engine.on_file(path, Settings(durable=False)),
}


def run_rounds(seed: int, folder: Path, rounds: int, steps: int = 40) -> Iterator[ConcurrencyRound]:
    """Run the rounds, each with a runner and a storage that the seed chooses."""
    with frequent_switches():
        for number in range(rounds):
            chance = Random(f"{seed}/{number}")
            runner = list(RUNNERS)[number % len(RUNNERS)]
            storage = chance.choice(list(_STORAGES))
            with _STORAGES[storage](folder / f"{number}.db") as engine:
                history = _run_round(seed * 1_000_003 + number, engine, runner, steps)
            operations = len(history.operations) + len(history.transactions)
            name = f"round {number} of seed {seed}"
            yield ConcurrencyRound(name, f"{runner}/{storage}", operations, check_history(history))


@contextmanager
def frequent_switches() -> Iterator[None]:
    """Make Python switch threads often, so that clients overlap."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def _run_round(seed: int, engine: Engine, runner: str, steps: int) -> ConcurrentHistory:
    history = ConcurrentHistory()
    engine.execute(create_table())
    RUNNERS[runner](engine, random_clients(seed, steps, history))
    run_sequentially(engine, [read_lists(history)])
    return history


def run_table_changes(engine: Engine, turns: int) -> list[str]:
    """Create and drop a table while threads and tasks read it, and return unexpected errors.

    A reader may find a table in the catalog that the file no longer has, or does not have yet.
    """
    done = threading.Event()
    unexpected: list[str] = []
    reads: list[Operation[object]] = [
        Scan(TABLE),
        GetItem(TABLE, _ITEM),
        Query(
            TABLE,
            key_condition_expression="pk = :pk",
            expression_attribute_values={":pk": _ITEM["pk"]},
        ),
        DescribeTable(TABLE),
        ListTables(),
        BatchGetItem({TABLE: KeysAndAttributes([_ITEM])}),
    ]

    def execute(operation: Operation[object]) -> None:
        while not done.is_set():
            with _recorded(operation, unexpected):
                engine.execute(operation)

    async def execute_async(operation: Operation[object]) -> None:
        while not done.is_set():
            with _recorded(operation, unexpected):
                await engine.execute_async(operation)
            await asyncio.sleep(0)

    async def execute_all() -> None:
        await asyncio.gather(*map(execute_async, reads))

    readers = [threading.Thread(target=execute, args=[read]) for read in reads]
    readers.append(threading.Thread(target=lambda: asyncio.run(execute_all())))
    for reader in readers:
        reader.start()
    try:
        for _ in range(turns):
            engine.execute(create_table())
            engine.execute(PutItem(TABLE, _ITEM))
            engine.execute(DeleteTable(TABLE))
    finally:
        done.set()
        for reader in readers:
            reader.join()
    return unexpected


@contextmanager
def _recorded(operation: Operation[object], unexpected: list[str]) -> Iterator[None]:
    """Collect the errors of a read, except ResourceNotFound."""
    try:
        yield
    except ResourceNotFound:
        pass
    except Exception as error:
        unexpected.append(f"{type(operation).__name__}: {type(error).__name__}: {error}")


def random_clients(seed: int, steps: int, history: ConcurrentHistory) -> list[Client]:
    """Return the clients of one round."""
    return [random_client(seed, number, steps, history) for number in range(CLIENTS)]


def main() -> int:
    """Run the drill and return the exit code: 0 if every history is serializable."""
    parser = argparse.ArgumentParser(prog="python -m drills.concurrency", description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"concurrency: {options.rounds} histories, SEED={options.seed}", flush=True)
    operations = failed = 0
    kinds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for result in run_rounds(options.seed, Path(folder), options.rounds):
            operations += result.operations
            kinds[result.kind] += 1
            failed += bool(result.faults)
            for fault in result.faults[:10]:
                print(f"  {result.name} ({result.kind}): {fault}", flush=True)
        with frequent_switches(), Engine.on_file(Path(folder) / "tables.db") as engine:
            errors = run_table_changes(engine, 20 * options.rounds)
    for error in errors[:10]:
        print(f"  tables that come and go: {error}", flush=True)
    summary = ", ".join(f"{kind} {times}" for kind, times in sorted(kinds.items()))
    print(f"concurrency: {operations} operations checked ({summary}); {failed} histories failed")
    return 1 if failed or errors else 0


if __name__ == "__main__":
    sys.exit(main())
