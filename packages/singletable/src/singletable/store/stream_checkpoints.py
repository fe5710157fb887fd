"""Checkpoints of a stream's consumer: how far each shard was read, and which worker reads it.

Each shard has an item in a table of the user, and so has each worker. The worker of a shard has a
lease: a time until which nobody else reads the shard. It is extended with every checkpoint.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dynamodb_engine import operations as ops
from dynamodb_engine.retry import send
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import AttributeValue, Item
from singletable.errors import ConditionFailed, InvalidValue, OperationError
from singletable.schema import Table
from singletable.store.context import Context

WORKER = "worker#"
_ATTEMPTS = 3
_NAMES = {"#owner": "Owner", "#until": "Until"}
_MINE = "#owner = :me"
_FREE = f"attribute_not_exists(#until) OR #until < :now OR {_MINE}"


@dataclass(frozen=True, slots=True)
class ShardState:
    """How far a shard was read: after a sequence number, or to its end.

    `caught_up` is the time up to which its records were read.
    """

    after: str | None = None
    ended: bool = False
    caught_up: float = 0
    owner: str | None = None
    until: float = 0


class Checkpoints:
    """The states of the shards, by name. Without a table they are in memory."""

    def __init__(
        self, context: Context, table: Table | None, name: str, worker: str, lease: float
    ) -> None:
        self._context = context
        self._table = table
        self._partition: AttributeValue = {"S": f"stream#{name}"}
        self.worker = worker
        self.lease = lease
        self.states: dict[str, ShardState] = {}
        if table is not None and (
            table.sk is None or {a.type for a in table.key_attributes} != {"S"}
        ):
            raise InvalidValue(
                f"checkpoints: expected a table with a partition key and a sort key that are "
                f"strings, but {table.name!r} has another key."
            )

    @property
    def now(self) -> float:
        """The time in seconds."""
        return self._context.clock().timestamp()

    def state(self, shard: str) -> ShardState:
        """Return the stored state of a shard, or an empty one."""
        return self.states.get(shard, ShardState())

    def has_lease(self, shard: str, seconds: float = 0) -> bool:
        """Return whether this worker has the lease of the shard, for so long at least."""
        state = self.state(shard)
        return state.owner == self.worker and state.until - self.now > seconds

    def is_held(self, shard: str) -> bool:
        """Return whether this worker need not take the lease of the shard now."""
        return self._table is None or self.has_lease(shard, self.lease / 2)

    def is_taken(self, shard: str) -> bool:
        """Return whether another worker has the lease of the shard."""
        state = self.state(shard)
        return state.owner not in (None, self.worker) and state.until >= self.now

    def load(self) -> Steps[None]:
        """Read the states of all shards and workers, and announce this worker to the others."""
        if self._table is None:
            return
        if not self.is_held(f"{WORKER}{self.worker}"):
            yield from self.take(f"{WORKER}{self.worker}")
        self.states, start = {}, None
        while True:
            output: ops.PageOutput = yield from send(self._context.retry_policy, self._query(start))
            for item in output.items or ():
                shard = item[self._sort_key]["S"]
                self.states[shard] = _state_of(item)
            start = output.last_evaluated_key
            if start is None:
                return

    def workers(self) -> int:
        """Return how many workers are running."""
        running = {
            state.owner
            for shard, state in self.states.items()
            if shard.startswith(WORKER) and state.until >= self.now
        }
        return len(running | {self.worker})

    def take(self, shard: str) -> Steps[bool]:
        """Take the lease, and read the state of the shard again; return False if it is taken."""
        return (yield from self._update(shard, _FREE))

    def save(self, shard: str, state: ShardState) -> Steps[bool]:
        """Store a state and extend the lease; return False if another worker has the shard."""
        return (yield from self._update(shard, _MINE, state))

    def release(self, shard: str) -> Steps[None]:
        """End the lease of this worker."""
        yield from self._update(shard, _MINE, until=0)

    def forget(self, shard: str) -> Steps[None]:
        """Delete the state of a shard that no longer exists, or of a worker."""
        self.states.pop(shard, None)
        if self._table is not None:
            name = self._context.table_name(self._table)
            yield from send(self._context.retry_policy, ops.DeleteItem(name, self._key(shard)))

    def _update(
        self,
        shard: str,
        condition: str,
        state: ShardState | None = None,
        until: float | None = None,
    ) -> Steps[bool]:
        until = self.now + self.lease if until is None else until
        known = replace(state or self.state(shard), owner=self.worker, until=until)
        if self._table is None:
            self.states[shard] = known
            return True
        update = ops.UpdateItem(
            self._context.table_name(self._table),
            self._key(shard),
            update_expression="SET #owner = :me, #until = :until" + _assignments(state),
            condition_expression=condition,
            expression_attribute_names={**_NAMES, **_names(state)},
            expression_attribute_values={
                ":me": {"S": self.worker},
                ":until": {"N": repr(until)},
                **({":now": {"N": repr(self.now)}} if ":now" in condition else {}),
                **_values(state),
            },
            return_values="ALL_NEW",
        )
        try:
            output: ops.WriteItemOutput = yield from self._repeat(update)
        except ConditionFailed:
            return False
        self.states[shard] = _state_of(output.attributes or {})
        return True

    def _repeat(self, update: ops.UpdateItem) -> Steps[Any]:
        """Send an update, again if its outcome is unknown: doing the same twice is fine."""
        operation: ops.Operation[Any] = update
        for _ in range(_ATTEMPTS - 1):
            try:
                return (yield from send(self._context.retry_policy, operation))
            except OperationError as error:
                if not error.outcome_unknown:
                    raise
        return (yield from send(self._context.retry_policy, operation))

    @property
    def _sort_key(self) -> str:
        assert self._table is not None
        assert self._table.sk is not None
        return self._table.sk.name

    def _key(self, shard: str) -> Item:
        assert self._table is not None
        return {self._table.pk.name: self._partition, self._sort_key: {"S": shard}}

    def _query(self, start: Item | None) -> ops.Query:
        assert self._table is not None
        return ops.Query(
            self._context.table_name(self._table),
            key_condition_expression="#pk = :pk",
            expression_attribute_names={"#pk": self._table.pk.name},
            expression_attribute_values={":pk": self._partition},
            exclusive_start_key=start,
            consistent_read=True,
        )


def _values(state: ShardState | None) -> Item:
    if state is None:
        return {}
    values: Item = {":ended": {"BOOL": state.ended}, ":caught_up": {"N": repr(state.caught_up)}}
    return values if state.after is None else {**values, ":after": {"S": state.after}}


def _names(state: ShardState | None) -> dict[str, str]:
    names = {":ended": "Ended", ":caught_up": "CaughtUp", ":after": "After"}
    return {f"#{value[1:]}": names[value] for value in _values(state)}


def _assignments(state: ShardState | None) -> str:
    return "".join(f", #{value[1:]} = {value}" for value in _values(state))


def _state_of(item: Item) -> ShardState:
    empty: AttributeValue = {}
    return ShardState(
        after=item.get("After", empty).get("S"),
        ended=item.get("Ended", empty).get("BOOL", False),
        caught_up=float(item.get("CaughtUp", empty).get("N", 0)),
        owner=item.get("Owner", empty).get("S"),
        until=float(item.get("Until", empty).get("N", 0)),
    )
