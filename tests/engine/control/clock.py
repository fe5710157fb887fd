"""An engine whose time passes only when it is told to."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import pytest

from singletable.engine import Delays, Engine, Settings
from singletable.errors import ResourceInUse
from singletable.operations import (
    DescribeTable,
    DescribeTimeToLive,
    GlobalSecondaryIndexDescription,
    Operation,
    TableDescription,
)

R = TypeVar("R")

NOON = 1_800_000_000.0 - 1_800_000_000 % 86_400 + 43_200
DELAYS = Delays(
    create_table=10,
    update_table=20,
    delete_table=30,
    create_index=40,
    delete_index=50,
    time_to_live=60,
)


@dataclass
class Slow:
    """An engine that takes as long as AWS would, by a clock of ours."""

    engine: Engine
    now: float = NOON

    def __call__(self, operation: Operation[R]) -> R:
        """The answer."""
        return self.engine.execute(operation)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    def table(self, name: str = "table") -> TableDescription:
        """The table as it stands."""
        return self(DescribeTable(name)).table

    def indexes(self) -> list[GlobalSecondaryIndexDescription]:
        """The table's global secondary indexes as they stand."""
        return self.table().global_secondary_indexes or []

    def time_to_live(self) -> str:
        """The state of the table's time to live."""
        return self(DescribeTimeToLive("table")).time_to_live_description.time_to_live_status

    def in_use(self, operation: Operation[object]) -> str:
        """What is said to whoever must wait."""
        with pytest.raises(ResourceInUse) as refused:
            self(operation)
        return refused.value.message.removeprefix(
            "Attempt to change a resource which is still in use: "
        )


@contextmanager
def slow_engine(delays: Delays = DELAYS) -> Generator[Slow]:
    """An engine in memory whose time is ours."""
    settings = Settings(clock=lambda: slow.now, delays=delays)
    with Engine.in_memory(settings) as engine:
        slow = Slow(engine)
        yield slow
