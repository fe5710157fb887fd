"""What is under attack: an engine with a few tables, and everything it holds in one digest."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from singletable.engine import Delays, Engine, Settings
from singletable.engine.storage import Execute
from singletable.operations import Operation
from singletable.wire import read_request
from tests.fuzz.corpus import target_of

R = TypeVar("R")

NOW = 1_700_000_000.0
# What DynamoDB takes its time for takes a minute here, so that some of it can be under way.
MINUTE = 60.0
DELAYS = Delays(MINUTE, MINUTE, MINUTE, MINUTE, MINUTE, MINUTE)


def _read(name: str) -> list[Operation[Any]]:
    """The operations in a file, in order."""
    told = json.loads(Path(__file__).with_name(name).read_text())
    return [read_request(target_of(each), json.dumps(body).encode()) for each, body in told]


# What is done long before the attack, and what is under way when it comes.
PREPARED = _read("world.json")
UNDER_WAY = _read("under_way.json")


def new_engine() -> Engine:
    """An engine with tables and items in every state; its clock stands still."""
    ids = count(1)
    moments = [NOW - 2 * MINUTE * (len(PREPARED) - done) for done in range(len(PREPARED))]
    now = [NOW]
    engine = Engine.in_memory(
        Settings(clock=lambda: now[0], new_id=lambda: f"id-{next(ids)}", delays=DELAYS)
    )
    for moment, operation in zip(moments, PREPARED, strict=True):
        now[0] = moment
        engine.execute(operation)
    now[0] = NOW
    for operation in UNDER_WAY:
        engine.execute(operation)
    return engine


def digest(engine: Engine) -> str:
    """Every row that the engine keeps: tables, indexes, tags, tokens, the feed and its position."""

    def read(execute: Execute) -> str:
        told = sha256()
        for (name,) in list(execute("SELECT name FROM sqlite_schema WHERE type = 'table'")):
            told.update(f"{name}\n".encode())
            for row in execute(f"SELECT * FROM {name} ORDER BY 1"):
                told.update(repr(row).encode())
        return told.hexdigest()

    # What is in memory beside the rows must be what the rows say.
    assert engine._catalog.snapshot() is None
    return engine._database.read(read) + "".join(sorted(engine._catalog.tables))


class World:
    """An engine that is made anew once a request has changed it, so that all meet the same."""

    def __init__(self) -> None:
        self.engine = new_engine()
        self.untouched = digest(self.engine)

    async def execute(self, operation: Operation[R], /) -> R:
        """Execute as a driver for an event loop, on whichever engine there is now."""
        return self.engine.execute(operation)

    def is_changed(self) -> bool:
        """Whether anything differs from what was prepared."""
        return digest(self.engine) != self.untouched

    def renew(self) -> None:
        """Begin again with what was prepared."""
        self.engine.close()
        self.engine = new_engine()
