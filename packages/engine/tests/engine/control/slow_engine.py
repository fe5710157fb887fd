"""An engine whose changes take time, by a clock that tests advance."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import pytest

from dynamodb_engine.engine import Delays, Engine, Settings
from dynamodb_engine.errors import ResourceInUse
from dynamodb_engine.operations import (
    DescribeTable,
    DescribeTimeToLive,
    GlobalSecondaryIndexDescription,
    Operation,
    TableDescription,
)
from tools.testing.clock import Clock

R = TypeVar("R")

NOON = 1_800_000_000.0 - 1_800_000_000 % 86_400 + 43_200
DELAYS = Delays(
    create_table=10,
    update_table=20,
    delete_table=30,
    create_index=40,
    delete_index=50,
    time_to_live=60,
    kinesis_destination=70,
)


@dataclass
class SlowEngine:
    """An engine whose changes take time, and its clock."""

    engine: Engine
    clock: Clock

    def __call__(self, operation: Operation[R]) -> R:
        """Execute an operation."""
        return self.engine.execute(operation)

    def wait(self, seconds: float) -> None:
        """Advance the clock."""
        self.clock.now += seconds

    def table(self, name: str = "table") -> TableDescription:
        """Return the description of a table."""
        return self(DescribeTable(name)).table

    def indexes(self) -> list[GlobalSecondaryIndexDescription]:
        """Return the descriptions of the global secondary indexes."""
        return self.table().global_secondary_indexes or []

    def time_to_live(self) -> str:
        """Return the status of the TTL."""
        return self(DescribeTimeToLive("table")).time_to_live_description.time_to_live_status

    def conflict_message(self, operation: Operation[object]) -> str:
        """Return the message of ResourceInUse, which the operation must raise."""
        with pytest.raises(ResourceInUse) as error:
            self(operation)
        return error.value.message.removeprefix(
            "Attempt to change a resource which is still in use: "
        )


@contextmanager
def slow_engine(delays: Delays = DELAYS) -> Generator[SlowEngine]:
    """Open an engine in memory whose changes take time."""
    clock = Clock(NOON)
    with Engine.in_memory(Settings(clock=clock, delays=delays)) as engine:
        yield SlowEngine(engine, clock)
