"""Migrate a table while processes write to it, and kill all of them at random moments.

Run it with python -m drills.migration [--rounds N] [--seed N] [--first N]. In each round, writers
change the old table before, during and after the copy; the process that runs the migration is
killed and started again, with faults at the endpoint. Then the tables are cut over, new writers
change the new table, and every other round is rolled back. In every other round the writers run on
SwitchingDriver, and go on writing until the tables switch; in the others they are stopped before.
The auditor knows every acknowledged write: nothing may be lost, nothing may be there twice, and
`verify` must agree.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import threading
import traceback
from ast import literal_eval
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias

from msgspec.structs import replace

from drills.client_runners import serve
from drills.migration_client import (
    NAMES,
    USERS_PER_WRITER,
    Contact,
    OldUser,
    Profile,
    create_runner,
    entities_table,
    run_role,
    users_table,
)
from dynamodb_engine import AsyncEngine, Engine, Settings
from dynamodb_engine.faults import AsyncFaultyDriver, Faults
from singletable import Store
from singletable.migration import verify

Mode: TypeAlias = Literal["stopped", "live"]
# The fields of a user; None if the user does not exist.
Fields: TypeAlias = tuple[Any, ...] | None

FAULTS = Faults(
    throttle=0.02,
    unavailable=0.01,
    internal_after=0.02,
    conflict=0.01,
    unprocessed=0.05,
)


@dataclass(frozen=True, slots=True)
class MigrationRound:
    """The result of a round."""

    name: str
    writes: int
    kills: int
    faults: list[str]
    # The pauses of the cut-over and the rollback, in milliseconds.
    pauses: list[int]
    # Writes that were not acknowledged, because the tables switched before the response arrived.
    late: int


@dataclass
class Ledger:
    """What writers were acknowledged; `open` are users with a write that was not answered."""

    stored: dict[str, Fields] = field(default_factory=dict[str, Fields])
    open: dict[str, None] = field(default_factory=dict[str, None])
    # Users of which the table that was left may have a write that was not acknowledged.
    late: set[str] = field(default_factory=set[str])
    writes: int = 0

    def read_line(self, line: str) -> None:
        """Read a line of a writer."""
        kind, username, *rest = line.split(" ", 2)
        if kind == "begin":
            self.open[username] = None
        elif kind == "done":
            del self.open[username]
            self.stored[username] = literal_eval(rest[0])
            self.writes += 1
        elif kind == "refused":  # nothing was written
            self.open.pop(username, None)
        elif kind == "late":
            self.late.add(username)


# Children are forked from a process that has imported everything, which takes no time.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(
    [
        "drills.migration_client",
        "dynamodb_engine.engine",
        "dynamodb_engine.faults",
        "dynamodb_engine.server",
    ]
)


def _run_child(pipe: Connection, arguments: Sequence[str]) -> None:
    try:
        run_role(pipe.send, *arguments)
    except Exception:
        pipe.send(f"failed {traceback.format_exc()[-1500:]}")


class Child:
    """A process of the drill, read by a thread, and killed after some lines."""

    def __init__(
        self, arguments: Sequence[str], on_line: Callable[[str], None], kill_after: int | None
    ) -> None:
        self._on_line = on_line
        self._kill_after = kill_after
        self.killed = False
        self.error = ""
        self._pipe, far_end = _PROCESSES.Pipe(duplex=False)
        self._process = _PROCESSES.Process(target=_run_child, args=(far_end, arguments))
        self._process.start()
        far_end.close()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def kill(self) -> None:
        """Kill the process, and wait for its end."""
        self.killed = True
        self._process.kill()
        self._reader.join()

    def wait(self) -> bool:
        """Wait for the end, and return whether the process was not killed."""
        self._reader.join()
        return not self.killed

    def _read(self) -> None:
        with self._pipe, suppress(EOFError):  # at the end
            for number in count(1):
                line: str = self._pipe.recv()
                if line.startswith("failed "):
                    self.error = line
                    continue
                self._on_line(line)
                if number == self._kill_after:
                    self.killed = True
                    self._process.kill()
        self._process.join()
        # 255 means that another thread has read the exit code.
        if self._process.exitcode not in (0, 255) and not (self.killed or self.error):
            self.error = f"failed with exit code {self._process.exitcode}"


def run_rounds(
    seed: int,
    folder: Path,
    *,
    rounds: int,
    first: int = 0,
    writers: int = 2,
    writes: int = 60,
    kills: int = 3,
) -> Iterator[MigrationRound]:
    """Run the rounds, each on new tables: with writers that are stopped and live ones in turn."""
    for number in range(first, first + rounds):
        chance = Random(f"{seed}/{number}")
        mode: Mode = "live" if number % 2 else "stopped"
        # A throttled copy slows down so much that it never catches up with live writers.
        faulty = replace(FAULTS, throttle=0) if mode == "live" else FAULTS
        faults = faulty if number % 4 > 1 else Faults()
        with (
            _open_engine(folder, number) as engine,
            serve(AsyncFaultyDriver(AsyncEngine(engine), faults)) as address,
        ):
            one = _Round(address, engine, chance, mode, f"{seed}/{number}")
            yield one.run(f"round {number} ({mode})", writers, writes, kills)


class _Round:
    """One migration from the first write to the last check."""

    def __init__(self, address: str, engine: Engine, chance: Random, mode: Mode, seed: str) -> None:
        self.address = address
        self.store = Store(engine)  # without faults
        self.chance = chance
        self.mode = mode
        self.seed = seed
        self.ledger = Ledger()
        self.kills = 0
        self.faults: list[str] = []
        self.pauses: list[int] = []

    def run(self, name: str, writers: int, writes: int, kills: int) -> MigrationRound:
        """Run all phases, and check the tables after each."""
        store = self.store
        store.admin.create_table(users_table)
        store.admin.create_table(entities_table)
        for number in range(writers):
            for user in range(USERS_PER_WRITER // 2):
                username, fields = f"user{number}-{user}", (NAMES[0], user, None)
                store.put(OldUser(username=username, name=NAMES[0], score=user))
                self.ledger.stored[username] = fields
        # Writers on SwitchingDriver end when they are refused.
        old_writes = writes if self.mode == "stopped" else 100_000
        old = [self._writer("old-writer", number, old_writes) for number in range(writers)]
        self._run_killing("run", kills)
        self._follow_killing(kills // 2)
        if self.mode == "stopped":
            self._stop(old)
            self._run_killing("cut-over", 1)
        else:
            self._run_killing("cut-over", 1)
            self._stop(old)
        self._check("after the cut-over", old_too=False)
        self._verify("after the cut-over")
        rolls_back = self.chance.random() < 0.5
        new_writes = 100_000 if rolls_back and self.mode == "live" else writes // 2
        new = [self._writer("new-writer", number, new_writes) for number in range(writers)]
        self._follow_killing(kills // 2)
        if new_writes == writes // 2:
            self._stop(new)
        if rolls_back:
            self._run_killing("rollback", 1)
            self._stop(new)
            self._check("after the rollback", old_too=True)
            self._verify("after the rollback")
        else:
            self._check("before the end", old_too=False)
            self._run_killing("finish", 1)
            self._check("at the end", old_too=False)
        late = len(self.ledger.late)
        return MigrationRound(name, self.ledger.writes, self.kills, self.faults, self.pauses, late)

    def _writer(self, role: str, number: int, writes: int) -> Child:
        kill_after = self.chance.randrange(120) if self.chance.random() < 0.3 else None
        return Child(
            [self.address, role, self.mode, str(number), str(writes), f"{self.seed}/{role}"],
            self.ledger.read_line,
            kill_after,
        )

    def _stop(self, writers: Sequence[Child]) -> None:
        for writer in writers:
            if self.faults:  # the tables may not have switched, and it would go on
                writer.kill()
            self.kills += not writer.wait()
            if writer.error:
                self.faults.append(f"a writer {writer.error}")
                writer.error = ""

    def _run_killing(self, role: str, kills: int) -> None:
        """Run a command of the migration until it ends, and kill it some times before."""
        for attempt in range(kills + 1):
            kill_after = self.chance.randrange(1, 12) if attempt < kills else None
            process = Child([self.address, role, self.mode], self._read_pause, kill_after)
            if process.wait():
                if process.error:
                    self.faults.append(f"{role} {process.error}")
                return
            self.kills += 1

    def _read_pause(self, line: str) -> None:
        if line.startswith("paused "):
            self.pauses.append(int(line.removeprefix("paused ")))

    def _follow_killing(self, kills: int) -> None:
        for _ in range(kills + 1):
            process = Child(
                [self.address, "follow", self.mode],
                lambda line: None,
                self.chance.randrange(1, 12),
            )
            threading.Event().wait(self.chance.random())
            process.kill()
            self.kills += 1
            if process.error:
                self.faults.append(f"follow {process.error}")

    def _verify(self, when: str) -> None:
        """Compare both tables with `verify`, which must agree with the auditor."""
        for report in verify(create_runner(self.store.driver, lambda line: None)):
            self.faults += [
                f"{when}, verify: {fault}"
                for fault in report.faults
                if not any(username in str(fault) for username in self.ledger.late)
            ]

    def _check(self, when: str, *, old_too: bool) -> None:
        found = check_tables(self.store, self.ledger, old_too=old_too)
        self.faults += [f"{when}: {fault}" for fault in found]


def check_tables(store: Store, ledger: Ledger, *, old_too: bool) -> list[str]:
    """Compare the tables with what the writers were acknowledged, and return the faults."""
    faults: list[str] = []
    found: dict[str, Fields] = {
        one.username: (one.name, one.score, None) for one in store.admin.scan(Profile)
    }
    listed = {one.username: one.score for one in store.query(Profile.by_name())}
    if listed != {name: fields[1] for name, fields in found.items() if fields}:
        faults.append("the index and the table differ")
    for contact in store.admin.scan(Contact):
        fields = found.get(contact.username)
        if fields is None:
            faults.append(f"{contact.username} has a contact, but no profile")
        else:
            found[contact.username] = (*fields[:2], contact.email)
    faults += _compare("new", ledger, found)
    if old_too:
        old: dict[str, Fields] = {
            one.username: (one.name, one.score, one.email) for one in store.admin.scan(OldUser)
        }
        faults += _compare("old", ledger, old)
    return faults


def _compare(table: str, ledger: Ledger, found: dict[str, Fields]) -> Iterator[str]:
    for username in sorted(ledger.stored.keys() | found.keys()):
        expected, actual = ledger.stored.get(username), found.get(username)
        if expected == actual or (table == "old" and username in ledger.late):
            continue
        if username in ledger.open:
            # The writer was killed: its last write happened or not, and now that is decided.
            ledger.stored[username] = actual
            del ledger.open[username]
        else:
            yield f"{username} is {actual} in the {table} table, but {expected} was written"


def _open_engine(folder: Path, number: int) -> Engine:
    if number % 3:
        return Engine.in_memory()
    return Engine.on_file(folder / f"{number}.db", Settings(durable=False))


def main() -> int:
    """Run the drill and return the exit code: 0 if nothing was lost or stored twice."""
    parser = argparse.ArgumentParser(prog="python -m drills.migration", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    print(f"migration: {options.rounds} rounds, SEED={options.seed}", flush=True)
    writes = kills = failed = late = 0
    pauses: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        for result in run_rounds(
            options.seed, Path(folder), rounds=options.rounds, first=options.first
        ):
            writes, kills = writes + result.writes, kills + result.kills
            failed, late = failed + bool(result.faults), late + result.late
            pauses += result.pauses
            for fault in result.faults[:10]:
                print(f"  {result.name} of seed {options.seed}: {fault}", flush=True)
    print(
        f"migration: {writes:,} writes acknowledged during {options.rounds} migrations, {kills:,} "
        f"processes killed; {failed} rounds failed"
    )
    if pauses:
        pauses.sort()
        print(
            f"migration: writes were paused for {pauses[len(pauses) // 2]} ms (median), at most "
            f"{pauses[-1]} ms; {late} writes were answered too late to be acknowledged"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
