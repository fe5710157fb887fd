"""The settings of an engine."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from dynamodb_engine.operations.arn import TableArns


@dataclass(frozen=True, slots=True)
class Delays:
    """Seconds that control operations seem to take, as on AWS.

    The engine applies them at once, but DescribeTable shows the intermediate state for that long.
    """

    create_table: float = 0
    update_table: float = 0
    delete_table: float = 0
    create_index: float = 0
    delete_index: float = 0
    time_to_live: float = 0
    kinesis_destination: float = 0


@dataclass(frozen=True, slots=True)
class Retention:
    """How many changes the change feed keeps: up to the first of these limits.

    The feed is trimmed in blocks, so it may keep some dozens of changes more, or 3 % more on a
    SQL server. While a table has a stream, or changes are delivered to a Kinesis destination, the
    feed keeps the changes of the last 24 hours, from the start of the stream or the destination on,
    however many they are.
    """

    records: int = 10_000
    seconds: float = 24 * 60 * 60
    bytes: int = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class StreamShards:
    """How many shards a stream of DynamoDB Streams has.

    A stream starts with `first` open shards. After `records` changes of its table, they are closed,
    and each is split in two; it has one successor if there would be more than `most`.
    """

    first: int = 2
    most: int = 4
    records: int = 100_000


def _new_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an engine; tests can replace the clock and the ids.

    On a SQL server, the default is the clock of the server, which all processes share.
    `durable` applies to files: an acknowledged write survives a power cut. Without it, a power cut
    may lose the last writes, though never part of one; a crash of the process loses nothing either
    way. A transaction that takes more than `max_transaction_seconds` of processor time is rejected,
    because other writes wait for it. Changes of tables with a Kinesis streaming destination are
    delivered to files in `kinesis_folder`; without it, to nobody.
    """

    region: str = "us-east-1"
    account: str = "123456789012"
    clock: Callable[[], float] = time.time
    new_id: Callable[[], str] = _new_id
    delays: Delays = field(default_factory=Delays)
    retention: Retention = field(default_factory=Retention)
    stream_shards: StreamShards = field(default_factory=StreamShards)
    durable: bool = True
    max_transaction_seconds: float | None = None
    kinesis_folder: Path | None = None

    def table_arn(self, table: str) -> str:
        """Return the ARN of a table."""
        return self.arns.arn(table)

    @property
    def arns(self) -> TableArns:
        """The table ARNs of this account and region."""
        return TableArns(self.region, self.account)


class ControlClock:
    """A clock that never goes backward, driven by one that can be set back.

    After that, time continues from the latest time seen until the other clock has caught up: an
    ACTIVE table stays ACTIVE, and a pending change still completes after its delay.
    """

    __slots__ = ("_ahead", "_latest")

    def __init__(self) -> None:
        self._latest = 0.0
        self._ahead = 0.0

    def advance(self, now: float) -> float:
        """Return the time when the clock shows `now`."""
        if now >= self._latest:
            self._latest, self._ahead = now, 0.0
            return now
        time = now + self._ahead
        if time < self._latest:
            # Less than a second: threads arrived out of order, and the clock was not set back.
            if time < self._latest - 1:
                self._ahead = self._latest - now
            return self._latest
        self._latest = time
        return time
