"""The state of a migration: its phases, and the items of its state table that store it.

Each state item has a partition of its own, so that reading it needs only its key, whatever the type
of the table's key and with or without a sort key. The state is one JSON document. A runner holds a
lease on it; every change of the state is written on the condition that the lease is still its own.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Literal, TypeAlias, TypeVar

import msgspec

from dynamodb_engine.operations import DeleteItem, GetItem, Operation, PutItem, UpdateItem
from dynamodb_engine.retry import RetryPolicy, send
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import AttributeValue, Item
from singletable.errors import (
    ConditionFailed,
    ConnectionFailed,
    InternalError,
    MigrationError,
    MigrationLocked,
    TransactionConflict,
)
from singletable.schema import Table
from singletable.schema.table import STATE_ATTRIBUTE

R = TypeVar("R")

LEASE_SECONDS = 30.0
# A SwitchingDriver acknowledges no write with a view of the phase that is older than this. So after
# `switching` was set for that time, no further write to the side that is left is acknowledged.
PHASE_SECONDS = 0.5
_MAX_ATTEMPTS = 20

# `running`: steps before a copy, or without one. Until the cut-over the old tables are
# authoritative, and changes are copied to the new one; from then on it is the new table.
# `undoing`: some steps may be undone, in part or wholly, but not all of them; then it is `down`.
Phase: TypeAlias = Literal[
    "running",
    "copying",
    "ready",
    "switching",
    "cut-over",
    "rolled-back",
    "finished",
    "undoing",
    "down",
]

# From which phases a migration comes into a phase.
_BEFORE: Mapping[Phase, tuple[Phase, ...]] = {
    "running": ("running", "copying", "ready", "rolled-back", "undoing", "down"),
    "copying": ("running",),
    "ready": ("copying", "ready", "switching"),
    "switching": ("ready", "cut-over", "switching"),
    "cut-over": ("switching",),
    "rolled-back": ("switching",),
    "finished": ("running", "cut-over"),
    "undoing": ("running", "finished"),
    "down": ("undoing",),
}

# How changes are found: in the streams of the tables, or not, because nothing writes to them.
Changes: TypeAlias = Literal["stream", "none"]


def persist(policy: RetryPolicy, write: Operation[R]) -> Steps[R]:
    """Send a write of state that may be applied twice, until its outcome is known.

    It is sent again after errors that leave the outcome open, and after conflicts.
    """
    for attempt in range(_MAX_ATTEMPTS):
        try:
            return (yield from send(policy, write))
        except (InternalError, ConnectionFailed, TransactionConflict):
            if attempt + 1 == _MAX_ATTEMPTS:
                raise
            yield policy.backoff(attempt, "unavailable")
    raise AssertionError  # the last attempt raises


def read_state_item(policy: RetryPolicy, table_name: str, key: Item) -> Steps[Item | None]:
    """Return a state item, read consistently."""
    output = yield from send(policy, GetItem(table_name, key, consistent_read=True))
    return output.item


def is_state_item(item: Item) -> bool:
    """Return whether an item belongs to a migration, and not to the application."""
    return STATE_ATTRIBUTE in item


def state_key(table: Table, *names: str) -> Item:
    """Return the key of a state item; a number is derived from the name by hashing."""
    name = ":".join(("singletable", "migration", *names))
    key: dict[str, AttributeValue] = {}
    for attribute in table.key_attributes:
        if attribute.type == "S":
            key[attribute.name] = {"S": name}
        elif attribute.type == "B":
            key[attribute.name] = {"B": b64encode(name.encode()).decode()}
        else:
            digest = hashlib.sha256(name.encode()).digest()
            key[attribute.name] = {"N": str(-(int.from_bytes(digest[:14], "big") + 1))}
    return key


class Segment(msgspec.Struct, omit_defaults=True):
    """The progress of a segment of a scan: the key to continue after, or that it is done."""

    after: Item | None = None
    done: bool = False


class State(msgspec.Struct, omit_defaults=True):
    """The state of one migration. Its methods are the only ones that change the phase."""

    phase: Phase
    started: float
    # The step that runs now, and its progress: scans by name ("users", "verify"), and numbers.
    step: int = 0
    scans: dict[str, list[Segment]] = {}
    counts: dict[str, int] = {}
    # The position in the change log of the source up to which changes are carried over.
    position: str | None = None
    # The position in the change log of the target up to which changes are carried back. It is
    # set at the cut-over.
    cut_over: str | None = None
    ended: float | None = None
    # Whether changes are carried over, and from the cut-over on, back. Earlier versions also stored
    # "feed" and "driver".
    changes: Changes | Literal["feed", "driver"] | None = None
    # The places of the tables whose streams this migration has enabled.
    streams: list[str] = []
    # For how many milliseconds writes were paused at the last switch.
    paused: int | None = None
    # Whether the target had no items when the copy began, so that all its items are copies.
    target_was_empty: bool = False
    # The names of the entities that were derived, so that a copy that starts over can delete them.
    derived: list[str] = []
    digest: str | None = None
    steps: list[str] = []

    def _enter(self, phase: Phase) -> None:
        assert self.phase in _BEFORE[phase], f"{self.phase} -> {phase}"
        self.phase = phase

    # Steps

    def go_to_step(self, number: int) -> None:
        """Go on with another step, or end before it when steps are undone."""
        self.step, self.scans = number, {}

    def run_again(self, steps: list[str]) -> None:
        """Run the steps again after a rollback, or after some were undone."""
        if self.phase == "rolled-back":
            self.step = 0
            self.start_over()
        else:
            self.go_to_step(self.complete_steps)
            self._enter("running")
        self.steps, self.ended = steps, None

    def undo(self) -> None:
        """Begin to undo the steps, of which the one that runs now may have been run in part."""
        if self.phase in ("running", "finished"):
            self._enter("undoing")
            self.go_to_step(min(self.step + 1, len(self.steps)))
            self.ended = None

    def end_undo(self, now: float) -> None:
        """Record that all steps are undone."""
        self._enter("down")
        self.ended = now

    @property
    def complete_steps(self) -> int:
        """How many steps have run and are not undone, not even in part."""
        return max(self.step - 1, 0) if self.phase == "undoing" else self.step

    def finish(self, now: float) -> None:
        """Record that all steps have run."""
        self._enter("finished")
        self.ended, self.scans = now, {}

    # A copy

    def start_over(self) -> None:
        """Forget the progress of the copy."""
        self._enter("running")
        self.scans = {}
        self.counts = {"restarts": self.counts.get("restarts", 0) + 1}
        self.position = self.cut_over = self.changes = None

    def begin_copy(self, position: str) -> None:
        """Begin to copy, with the changes after a position of the change log."""
        self._enter("copying")
        self.position = position

    def complete_copy(self) -> None:
        """Record that the new table is complete and up to date."""
        self._enter("ready")
        self.scans = {}

    def begin_switch(self) -> None:
        """Stop the writes of every SwitchingDriver, to cut over or to roll back."""
        self._enter("switching")

    def cancel_switch(self) -> None:
        """Return to the phase before the switch, if there is one."""
        if self.phase == "switching":
            self._enter("ready" if self.cut_over is None else "cut-over")

    def end_switch(self, changes: Changes, position: str) -> None:
        """Cut over: from now on, changes of the new table after a position are copied back."""
        self._enter("cut-over")
        self.changes, self.cut_over = changes, position

    def roll_back(self) -> None:
        """Switch back to the old tables."""
        self._enter("rolled-back")

    def is_switching(self, *, back: bool) -> bool:
        """Return whether a cut-over, or a rollback, was interrupted."""
        return self.phase == "switching" and (self.cut_over is not None) == back


class Lease(msgspec.Struct, frozen=True):
    """The lease of the process that runs a migration, and its end."""

    owner: str
    until: float


# A condition expression, and the values in it.
Condition: TypeAlias = tuple[str, dict[str, AttributeValue]]

_decode_state = msgspec.json.Decoder(State).decode
_encode = msgspec.json.Encoder().encode


class StateStore:
    """Reads and writes the state of one migration; `table_name` is the name for requests."""

    def __init__(
        self,
        table: Table,
        table_name: str,
        migration: str,
        *,
        owner: str,
        clock: Callable[[], float],
        retry_policy: RetryPolicy | None = None,
        lease_seconds: float = LEASE_SECONDS,
    ) -> None:
        self.table = table
        self.table_name = table_name
        self.migration = migration
        self.owner = owner
        self.clock = clock
        self.lease_seconds = lease_seconds
        self._policy = retry_policy or RetryPolicy()
        self.key = state_key(table, migration, "state")
        self._own_lease: Condition = "lease_owner = :own", {":own": {"S": owner}}

    def read(self) -> Steps[tuple[State | None, Lease | None]]:
        """Read the state and the lease consistently. Return None for a missing one."""
        item = yield from read_state_item(self._policy, self.table_name, self.key)
        if item is None:
            return None, None
        lease = None
        if "lease_owner" in item:
            lease = Lease(str(item["lease_owner"].get("S")), float(item["lease_until"]["N"]))
        try:
            state = _decode_state(str(item["state"].get("S")))
            if state.phase == "down" and state.ended is None:
                state.phase = "undoing"  # earlier versions had no such phase
            return state, lease
        except (KeyError, msgspec.DecodeError) as error:
            raise MigrationError(
                f"The state of migration {self.migration} in {self.table_name!r} cannot be read: "
                f"{error}. It was altered, or written by a newer version of singletable."
            ) from None

    def acquire(self, initial: State) -> Steps[State]:
        """Take the lease and return the state. The first state of a migration is `initial`.

        Raises MigrationLocked if another runner holds the lease.
        """
        for _ in range(_MAX_ATTEMPTS):
            state, lease = yield from self.read()
            now = self.clock()
            if lease is not None and lease.owner != self.owner and lease.until > now:
                raise MigrationLocked(
                    f"Migration {self.migration} is being run by {lease.owner}, which holds its "
                    f"lease for {lease.until - now:.0f} more seconds. Wait until it ends. If that "
                    "process was killed, run the command again when the lease has expired."
                )
            taken = initial if state is None else state
            try:
                yield from self._put(taken, _unchanged_lease(state, lease))
            except ConditionFailed:
                continue  # another runner was faster, or this one already has it: read again
            return taken
        raise MigrationError(f"The lease of migration {self.migration} cannot be taken.")

    def save(self, state: State) -> Steps[None]:
        """Write the state and renew the lease; raise MigrationLocked if the lease was lost."""
        try:
            yield from self._put(state, self._own_lease)
        except ConditionFailed:
            raise self._lost() from None

    def is_in(self, table: Table, table_name: str) -> Steps[bool]:
        """Return whether another name or address means the table that has the state."""
        if table.key_attributes != self.table.key_attributes:
            return False
        item = yield from read_state_item(self._policy, table_name, self.key)
        return item is not None and item.get("lease_owner") == {"S": self.owner}

    def adopt(self, migration: str, table_name: str, key: Item) -> Steps[None]:
        """Copy the state of an earlier migration from an old table, unless it is here."""
        found = yield from read_state_item(self._policy, table_name, key)
        if found is None:
            return
        left_out = {*key, "lease_owner", "lease_until"}
        item: Item = {name: value for name, value in found.items() if name not in left_out}
        put = PutItem(
            self.table_name,
            {**item, **state_key(self.table, migration, "state")},
            condition_expression=f"attribute_not_exists({STATE_ATTRIBUTE})",
        )
        with suppress(ConditionFailed):
            yield from persist(self._policy, put)

    def renew(self) -> Steps[None]:
        """Renew the lease, and nothing else; raise MigrationLocked if the lease was lost."""
        update = UpdateItem(
            self.table_name,
            self.key,
            update_expression="SET lease_until = :until",
            condition_expression="lease_owner = :own",
            expression_attribute_values={
                ":own": {"S": self.owner},
                ":until": {"N": repr(self.clock() + self.lease_seconds)},
            },
        )
        try:
            yield from persist(self._policy, update)
        except ConditionFailed:
            raise self._lost() from None

    def _lost(self) -> MigrationLocked:
        return MigrationLocked(
            f"Another process took over migration {self.migration}, because the lease of "
            f"{self.owner} was not renewed in time. Nothing is lost: that process continues from "
            "the last checkpoint."
        )

    def release(self, state: State) -> Steps[None]:
        """Write the state and give up the lease."""
        yield from self.save(state)
        with suppress(ConditionFailed):  # it has expired already
            yield from self._put(state, self._own_lease, held=False)

    def delete_item(self, key: Item) -> Steps[None]:
        """Delete a state item."""
        yield from persist(self._policy, DeleteItem(self.table_name, key))

    def _put(self, state: State, condition: Condition, *, held: bool = True) -> Steps[None]:
        item: Item = {
            **self.key,
            STATE_ATTRIBUTE: {"S": self.migration},
            "state": {"S": _encode(state).decode()},
        }
        if held:
            item["lease_owner"] = {"S": self.owner}
            item["lease_until"] = {"N": repr(self.clock() + self.lease_seconds)}
        text, values = condition
        put = PutItem(
            self.table_name,
            item,
            condition_expression=text,
            expression_attribute_values=values or None,
        )
        yield from persist(self._policy, put)


def _unchanged_lease(state: State | None, lease: Lease | None) -> Condition:
    """Return the condition that no other runner has taken the lease since it was read."""
    if state is None:
        return f"attribute_not_exists({STATE_ATTRIBUTE})", {}
    if lease is None:
        return "attribute_not_exists(lease_owner)", {}
    condition = "lease_owner = :owner AND lease_until = :until"
    return condition, {":owner": {"S": lease.owner}, ":until": {"N": repr(lease.until)}}
