"""What is under attack: an engine with a few tables, and everything it holds in one digest."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import TypeVar

from singletable.engine import Engine, Settings
from singletable.engine.storage import Execute
from singletable.operations import Operation
from singletable.wire import read_request
from tests.fuzz.corpus import target_of

R = TypeVar("R")

NOW = 1_700_000_000.0
# What is done before the attack: operations and their bodies, in order.
PREPARED = [
    (target_of(name), json.dumps(body).encode())
    for name, body in json.loads(Path(__file__).with_name("world.json").read_text())
]


def new_engine() -> Engine:
    """An engine with the tables and items of world.json; its clock stands still."""
    ids = count(1)
    engine = Engine.in_memory(Settings(clock=lambda: NOW, new_id=lambda: f"id-{next(ids)}"))
    for target, body in PREPARED:
        engine.execute(read_request(target, body))
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
    assert engine._catalog.mark() is None
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
