"""A process that conducts elections: python -m drills.elections.client ADDRESS NUMBER COMMANDS.

It tells each command that was acknowledged, when it was: its kind and a mark that the log has too.
"""

from __future__ import annotations

import sys
from random import Random

from drills.elections.opening import OPEN, SECRET, service_on
from singletable import Remote
from singletable_apps.elections.service import Elections


def voter_name(number: int) -> str:
    """The name of a client's user, before it takes others."""
    return f"Voter {number}"


def conduct(elections: Elections, number: int, commands: int) -> None:
    """Cast, take other names and make elections, and tell of each."""
    chance = Random(number)
    me = elections.office.view.user(voter_name(number))
    for step in range(commands):
        mark = f"{number}/{step}"
        match chance.randrange(5):
            case 0:
                me = elections.people.rename(me, me.name, f"Voter {mark}")
                _tell("UserNameChanged", me.name)
            case 1:
                created = elections.conducting.create(me, f"Election {mark}")
                _tell("ElectionCreated", created.name)
            case 2:
                elections.voting.cast(me, SECRET, [("Red", 1)], mark)
                _tell("BallotCast", "")
            case _:
                cast = elections.voting.cast(me, OPEN, [("Green", 1), ("Blue", 2)], mark)
                _tell("BallotCast", cast.receipt["confirmation"])


def _tell(kind: str, mark: str) -> None:
    sys.stdout.write(f"{kind}\t{mark}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    address, own_number, how_many = sys.argv[1:]
    with Remote.at(address) as driver:
        conduct(service_on(driver), int(own_number), int(how_many))
