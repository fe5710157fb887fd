"""The engine under attack: prepared tables, and a digest that shows whether they changed."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from dynamodb_engine.engine import Delays, Engine, Settings
from dynamodb_engine.engine.storage import Execute
from dynamodb_engine.errors import EngineError
from dynamodb_engine.operations import Operation
from dynamodb_engine.wire import read_request, write_error, write_result
from tools.testing.fuzz.call_budget import limit_calls
from tools.testing.fuzz.valid_requests import target_of

R = TypeVar("R")

NOW = 1_700_000_000.0
# Changes take a minute, so that some of them are pending.
MINUTE = 60.0
DELAYS = Delays(MINUTE, MINUTE, MINUTE, MINUTE, MINUTE, MINUTE)


def _read(name: str) -> list[Operation[Any]]:
    """Return the operations in a file."""
    entries = json.loads(Path(__file__).resolve().with_name(name).read_text())
    return [read_request(target_of(name), json.dumps(body).encode()) for name, body in entries]


# Operations that were complete long before the attack, and those that are pending.
PREPARED = _read("prepared.json")
PENDING = _read("pending.json")


def new_engine() -> Engine:
    """Return an engine with tables and items in every state; its clock stands still."""
    ids = count(1)
    times = [NOW - 2 * MINUTE * (len(PREPARED) - done) for done in range(len(PREPARED))]
    now = [NOW]
    engine = Engine.in_memory(
        Settings(clock=lambda: now[0], new_id=lambda: f"id-{next(ids)}", delays=DELAYS)
    )
    for time, operation in zip(times, PREPARED, strict=True):
        now[0] = time
        engine.execute(operation)
    now[0] = NOW
    for operation in PENDING:
        engine.execute(operation)
    return engine


def digest(engine: Engine) -> str:
    """Return a digest of every stored row: tables, indexes, tags, tokens and the change feed."""

    def read(execute: Execute) -> str:
        digest = sha256()
        for (name,) in list(execute("SELECT name FROM sqlite_schema WHERE type = 'table'")):
            if name == "log_id":  # random
                continue
            digest.update(f"{name}\n".encode())
            for row in execute(f"SELECT * FROM {name} ORDER BY 1"):
                digest.update(repr(row).encode())
        return digest.hexdigest()

    # No uncommitted change is left in memory.
    assert engine._catalog.draft is engine._catalog.tables
    return engine._database.read(read) + "".join(sorted(engine._catalog.tables))


class Sandbox:
    """An engine that is recreated after a change: every request starts from the same state."""

    def __init__(self) -> None:
        self.engine = new_engine()
        self.untouched = digest(self.engine)

    async def execute(self, operation: Operation[R], /) -> R:
        """Execute an operation on the current engine, as an async driver does."""
        return self.engine.execute(operation)

    def is_changed(self) -> bool:
        """Return whether anything differs from the prepared state."""
        return digest(self.engine) != self.untouched

    def reset(self) -> None:
        """Recreate the engine with the prepared state."""
        self.engine.close()
        self.engine = new_engine()


def send(sandbox: Sandbox, target: str, body: bytes) -> EngineError | None:
    """Send a request as the endpoint does, and return its error, or None.

    Whatever comes, the response is JSON, the work is limited, and an error changes nothing.
    """
    try:
        with limit_calls(len(body)):
            result = sandbox.engine.execute(read_request(target, body))
            response = write_result(result)
    except EngineError as error:
        status, response = write_error(error)
        assert status == 400
        assert isinstance(json.loads(response), dict)
        assert not sandbox.is_changed(), "a rejected request changed something"
        return error
    assert isinstance(json.loads(response), dict)
    if sandbox.is_changed():
        sandbox.reset()
    return None
