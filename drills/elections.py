"""Run elections in many processes through one endpoint, and kill some of them.

Run it with python -m drills.elections [--rounds N] [--clients N] [--commands N]. After each round
the log, the table and the commands that were acknowledged must agree.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from drills.client_runners import serve
from drills.elections_client import (
    KEYS,
    OPEN_ELECTION,
    PASSWORD,
    SECRET_ELECTION,
    open_service,
    open_store,
    read_events,
    read_items,
    voter_name,
)
from dynamodb_engine import AsyncEngine, Driver, Engine, Settings
from singletable import Remote
from singletable_apps.elections.entities import Electorate
from singletable_apps.elections.events import Event, check_event
from singletable_apps.elections.poll_book import PollBook
from singletable_apps.elections.projection import catch_up
from singletable_apps.elections.rebuild import rebuild
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.shared.errors import AppError

# The event type of an acknowledged command, and its marker.
Acknowledgment = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ElectionsRound:
    """The result of a round."""

    name: str
    acknowledged: int
    killed: int
    faults: list[str]


def run_rounds(
    seed: int, folder: Path, *, count: int, clients: int, commands: int, kills: int
) -> Iterator[ElectionsRound]:
    """Run the rounds, each on new tables, alternately in memory and on a file."""
    for number in range(count):
        chance = Random(f"{seed}/{number}")
        with _open_engine(folder, number) as engine, serve(AsyncEngine(engine)) as address:
            yield run_round([address], chance, (clients, commands, kills), f"round {number}")


def run_round(
    addresses: Sequence[str], chance: Random, size: tuple[int, int, int], name: str
) -> ElectionsRound:
    """Run one round with clients spread over endpoints on the same tables."""
    clients, commands, kills = size
    with Remote.at(addresses[0]) as driver:
        before = _prepare(driver, clients)
        killed = set(chance.sample(range(clients), min(kills, clients - 1)))
        processes = [
            _ClientProcess(
                addresses[client % len(addresses)],
                client,
                commands,
                chance.randrange(commands) if client in killed else None,
            )
            for client in range(clients)
        ]
        acknowledged = [command for process in processes for command in process.acknowledged()]
        faults = [
            f"client {process.number}: {error}"
            for process in processes
            if (error := process.error())
        ]
        faults += check_tables(driver, before, acknowledged, len(killed))
    return ElectionsRound(name, len(acknowledged), len(killed), faults)


class _ClientProcess:
    """A client process, read by a thread, and killed after some commands."""

    def __init__(self, address: str, number: int, commands: int, kill_after: int | None) -> None:
        self.number = number
        self._kill_after = kill_after
        self._acknowledged: list[Acknowledgment] = []
        self._errors = ""
        command = [sys.executable, "-m", "drills.elections_client"]
        self._process = subprocess.Popen(
            [*command, address, str(number), str(commands)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def acknowledged(self) -> list[Acknowledgment]:
        """Wait for the end of the process and return its acknowledged commands."""
        self._reader.join()
        return self._acknowledged

    def error(self) -> str:
        """Return the error output of a process that failed without being killed."""
        return self._errors if self._kill_after is None and self._process.returncode else ""

    def _read(self) -> None:
        if self._kill_after == 0:
            self._process.kill()
        out, errors = self._process.stdout, self._process.stderr
        if out is None or errors is None:
            raise AssertionError  # both are pipes
        for line in out:
            if not line.endswith("\n"):  # killed while printing
                break
            event_type, _, marker = line.rstrip("\n").partition("\t")
            self._acknowledged.append((event_type, marker))
            if len(self._acknowledged) == self._kill_after:
                self._process.kill()
        self._errors = errors.read()[-500:]
        self._process.wait()
        out.close()
        errors.close()


def _prepare(driver: Driver, clients: int) -> int:
    """Create the users and two elections, and return the number of events."""
    elections = open_service(driver)
    owner = elections.people.register("Owner", "owner@example.org", PASSWORD)
    for name, secret in ((OPEN_ELECTION, False), (SECRET_ELECTION, True)):
        settings = ElectionSettings(secret_ballot=secret, electorate=Electorate.ACCOUNTS)
        elections.lifecycle.create(owner, name, settings)
        elections.lifecycle.set_candidates(owner, name, ["Red", "Green", "Blue"])
        elections.lifecycle.launch(owner, name, allow_edit=True)
    for number in range(clients):
        name = voter_name(number)
        elections.people.register(name, f"voter{number}@example.org", PASSWORD)
    return len(read_events(driver))


def _open_engine(folder: Path, number: int) -> Engine:
    if number % 2 == 0:
        return Engine.in_memory()
    return Engine.on_file(folder / f"{number}.db", Settings(durable=False))


def check_tables(
    driver: Driver, before: int, acknowledged: Sequence[Acknowledgment], killed: int
) -> list[str]:
    """Return the faults after the first `before` events and all acknowledged commands.

    The log may have one more command, not acknowledged, for each killed process.
    """
    events = read_events(driver)
    faults = [*_check_chain(events), *_check_commands(events[before:], acknowledged)]
    unacknowledged = len(events) - before - len(acknowledged)
    if not 0 <= unacknowledged <= killed:
        faults.append(
            f"{len(acknowledged)} commands were acknowledged and {killed} processes killed, but "
            f"the log has {len(events) - before} new events"
        )
    try:
        store = open_store(driver)
        catch_up(store, PollBook(store, KEYS.ballot_key))
        items = read_items(driver)
        rebuild(open_store(driver), KEYS.ballot_key)
    except AppError as error:
        return [*faults, f"the table cannot be updated from the log: {error}"]
    different = set(items) ^ set(read_items(driver))
    return [*faults, *(f"rebuilding from the log gives another item: {i}" for i in different)]


def _check_chain(events: Sequence[Event]) -> list[str]:
    previous = ""
    for number, event in enumerate(events, 1):
        try:
            check_event(event, number, previous, KEYS.ballot_key)
        except AppError as error:
            return [str(error)]
        previous = event.hash
    return []


def _check_commands(events: Sequence[Event], acknowledged: Sequence[Acknowledgment]) -> list[str]:
    logged = Counter((event.event_type, marker) for event in events if (marker := _marker(event)))
    repeated = [
        f"{command} is in the log {times} times" for command, times in logged.items() if times > 1
    ]
    lost = [
        f"{command} was acknowledged, but is not in the log"
        for command in set(acknowledged) - set(logged)
        if command[1]
    ]
    return repeated + lost


def _marker(event: Event) -> str | None:
    match event.event_type:
        case "UserNameChanged":
            return str(event.event_data["new_name"])
        case "ElectionCreated":
            return str(event.event_data["name"])
        case "BallotCast":
            return event.event_data.get("confirmation")
        case _:
            return None


def main() -> int:
    """Run the drill and return the exit code: 0 if nothing was lost, repeated or torn."""
    parser = argparse.ArgumentParser(prog="python -m drills.elections", description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--commands", type=int, default=60)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"elections: {options.rounds} rounds, SEED={options.seed}", flush=True)
    acknowledged, killed, failed = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for result in run_rounds(
            options.seed,
            Path(folder),
            count=options.rounds,
            clients=options.clients,
            commands=options.commands,
            kills=options.kills,
        ):
            acknowledged += result.acknowledged
            killed += result.killed
            failed += bool(result.faults)
            for fault in result.faults[:10]:
                print(f"  {result.name} of seed {options.seed}: {fault}", flush=True)
    print(
        f"elections: {acknowledged:,} commands acknowledged by {options.clients} concurrent "
        f"processes, {killed} of which were killed; {failed} rounds failed"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
