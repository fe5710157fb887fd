"""A process that runs elections: python -m drills.elections_client ADDRESS NUMBER COMMANDS.

It prints each command when it is acknowledged: its event type, and a marker that the log has too.
"""

from __future__ import annotations

import json
import sys
from random import Random

from singletable import Driver, Remote, Store
from singletable_apps.elections.entities import votes
from singletable_apps.elections.events import Event
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.proofs.keys import BallotKey, Signer
from singletable_apps.elections.service import TABLES, Elections, open_elections
from singletable_apps.shared.accounts import Passwords

KEYS = Keys(BallotKey(b"ballots." * 4), Signer(b"signing." * 4), b"tokens.." * 4)
PASSWORD = "lantern copper river"
OPEN_ELECTION = "Colors"
SECRET_ELECTION = "Secret colors"


def open_service(driver: Driver) -> Elections:
    """Open the service, with password hashing that is fast rather than safe."""
    return open_elections(driver, KEYS, passwords=Passwords(memory_kib=64, passes=1))


def open_store(driver: Driver) -> Store:
    """Open the tables of the service."""
    return Store(driver, tables=TABLES, cursor_secret=KEYS.secret)


def read_items(driver: Driver) -> list[str]:
    """Return all items of the table as text, sorted."""
    store, items, cursor = open_store(driver), list[str](), None
    while True:
        page = store.admin.items(votes, 1000, cursor=cursor)
        items += [json.dumps(item, sort_keys=True) for item in page.items]
        cursor = page.cursor
        if cursor is None:
            return sorted(items)


def read_events(driver: Driver) -> list[Event]:
    """Return the event log, oldest first."""
    return list(open_store(driver).query(Event.key.partition(), consistent=True))


def voter_name(number: int) -> str:
    """Return the first name of a client's user."""
    return f"Voter {number}"


def run_commands(elections: Elections, number: int, commands: int) -> None:
    """Cast ballots, rename the user and create elections, and print each command."""
    chance = Random(number)
    me = elections.context.read.get_user(voter_name(number))
    for step in range(commands):
        marker = f"{number}/{step}"
        match chance.randrange(5):
            case 0:
                me = elections.people.rename(me, me.name, f"Voter {marker}")
                _print_command("UserNameChanged", me.name)
            case 1:
                created = elections.lifecycle.create(me, f"Election {marker}")
                _print_command("ElectionCreated", created.name)
            case 2:
                elections.voting.cast(me, SECRET_ELECTION, [("Red", 1)], marker)
                _print_command("BallotCast", "")
            case _:
                ranking = [("Green", 1), ("Blue", 2)]
                cast = elections.voting.cast(me, OPEN_ELECTION, ranking, marker)
                _print_command("BallotCast", cast.receipt["confirmation"])


def _print_command(event_type: str, marker: str) -> None:
    sys.stdout.write(f"{event_type}\t{marker}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    address, own_number, how_many = sys.argv[1:]
    with Remote.at(address) as driver:
        run_commands(open_service(driver), int(own_number), int(how_many))
