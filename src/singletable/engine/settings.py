"""What whoever runs the engine may choose."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Delays:
    """Seconds that DynamoDB takes for what happens here at once; the states show meanwhile."""

    create_table: float = 0
    update_table: float = 0
    delete_table: float = 0
    create_index: float = 0
    delete_index: float = 0
    time_to_live: float = 0


@dataclass(frozen=True, slots=True)
class Retention:
    """How far back the change feed reaches: whichever bound is met first.

    The bounds are kept in steps of some dozens of changes, so the feed may reach a little further.
    """

    records: int = 10_000
    seconds: float = 24 * 60 * 60
    bytes: int = 64 * 1024 * 1024


def _new_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be chosen; the clock and the ids too, so that a test can hold them still.

    `durable` on a file: an acknowledged write survives a power cut. Without it, a power cut may
    lose the last writes, though never half of one; a crash of the process loses nothing either way.
    """

    region: str = "us-east-1"
    account: str = "123456789012"
    clock: Callable[[], float] = time.time
    new_id: Callable[[], str] = _new_id
    delays: Delays = field(default_factory=Delays)
    retention: Retention = field(default_factory=Retention)
    durable: bool = True

    def table_arn(self, table: str) -> str:
        """The resource name of a table."""
        return f"arn:aws:dynamodb:{self.region}:{self.account}:table/{table}"
