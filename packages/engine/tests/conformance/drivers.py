"""The drivers that every claim about DynamoDB runs on."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from zlib import crc32

import pytest

from dynamodb_engine.engine import Engine, Settings
from dynamodb_engine.operations import Driver
from tests.conformance.boto3_driver import WireDriver
from tools.testing.sql_servers import KINDS, SERVER, open_engine

# In memory, on a file, over HTTP through boto3, and on one of the SQL servers, in turn. `make
# test-sql` runs every test that is in memory on both of them.
DRIVERS = ("memory",) if SERVER else ("memory", "file", "wire", "server")
_number = count()


@contextmanager
def open_driver(request: pytest.FixtureRequest) -> Generator[Driver]:
    """Return a driver without tables."""
    match request.param:
        case "memory":
            with Engine.in_memory() as engine:
                yield engine
        case "file":
            folder: Path = request.getfixturevalue("folder")
            # Durability is tested elsewhere and costs time here.
            with Engine.on_file(folder / f"{next(_number)}.db", Settings(durable=False)) as engine:
                yield engine
        case "server":
            kind = KINDS[crc32(request.node.name.encode()) % len(KINDS)]
            with open_engine(kind=kind) as engine:
                yield engine
        case _:
            far_end: WireDriver = request.getfixturevalue("far_end")
            with Engine.in_memory() as engine:
                yield far_end.with_engine(engine)
