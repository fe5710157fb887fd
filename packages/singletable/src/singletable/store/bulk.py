"""Write many changes with few requests: transactions of up to 100 actions, several at a time.

Each change is one plan: the write of an item with its markers and counters. The counters of one
transaction are merged, so that a thousand items of one counter take eleven writes of it. Changes
that write the same item, such as a counter, are in one lane, whose transactions are sent one after
the other; lanes do not conflict, and are sent together.

If a condition fails, the transaction changed nothing. The change whose condition it was is resolved
(left out, or planned again), and the others are sent again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, cast

from dynamodb_engine.retry import TRANSIENT_CODES, send
from dynamodb_engine.steps import Steps, together
from dynamodb_engine.values import Item
from singletable.errors import CancellationReason, TransactionCanceled, TransactionConflict
from singletable.store.commit import (
    MAX_TRANSACTION_ITEMS,
    create_transaction,
    remaining_writes,
    too_many_conflicts,
)
from singletable.store.context import Context
from singletable.store.plan import Plan
from singletable.store.writes import ItemId, Write

T = TypeVar("T")

# How many requests are sent together; also the number of lanes.
PARALLEL = 8
# DynamoDB allows 4 MB. The items with the counters, whose sizes are not known, count too.
MAX_TRANSACTION_BYTES = 3 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long call has come: `done` items of `total` (None if unknown)."""

    done: int
    total: int | None = None


ProgressCallback: TypeAlias = Callable[[Progress], object]


class BulkChange(ABC):
    """One planned change, as a part of a larger transaction."""

    plan: Plan
    size = 0  # of the items to write, in bytes; at least

    @property
    def item_id(self) -> ItemId:
        """The id of the item that is changed."""
        return self.plan.writes[0].item_id

    @abstractmethod
    def resolve(self, write: Write, stored: Item | None) -> Plan | None:
        """Return a new plan after the condition of `write` failed; None to leave the change out."""

    @abstractmethod
    def finish(self) -> None:
        """Record that the change was written."""


def commit_changes(context: Context, changes: Iterable[BulkChange]) -> Steps[None]:
    """Write all changes, in transactions that are as large as possible."""
    lanes = split_lanes(list(changes))
    if lanes:
        yield from together([_commit_lane(context, lane) for lane in lanes])


def split_evenly(values: Sequence[T], least: int) -> list[Sequence[T]]:
    """Split values for requests that are sent together, into parts of at least `least` values."""
    size = max(least, -(-len(values) // PARALLEL))
    # Whole requests only.
    size += -size % least
    return [values[start : start + size] for start in range(0, len(values), size)]


def split_lanes(changes: Sequence[BulkChange]) -> list[list[BulkChange]]:
    """Distribute changes over lanes, so that no two lanes write the same item.

    There are as many as there are full transactions, because fewer commits take less time.
    """
    groups: dict[ItemId, list[int]] = {}
    for position, change in enumerate(changes):
        merged = [position]
        ids = [write.item_id for write in change.plan.writes]
        for group in {id(groups[one]): groups[one] for one in ids if one in groups}.values():
            # Extend the larger of the two, so that all of this takes little more than linear time.
            small, merged = sorted((merged, group), key=len)
            merged += small
            for member in small:
                for write in changes[member].plan.writes:
                    groups[write.item_id] = merged
        for one in ids:
            groups[one] = merged
    needed = min(PARALLEL, -(-len(groups) // MAX_TRANSACTION_ITEMS))
    lanes: list[list[int]] = [[] for _ in range(needed)]
    for group in {id(group): group for group in groups.values()}.values():
        min(lanes, key=len).extend(group)
    return [[changes[position] for position in sorted(lane)] for lane in lanes if lane]


def _commit_lane(context: Context, lane: Sequence[BulkChange]) -> Steps[None]:
    for changes in _pack(lane):
        yield from _commit(context, changes)


def _pack(lane: Sequence[BulkChange]) -> Iterator[list[BulkChange]]:
    """Yield the changes of one transaction after the other, in their order."""
    packed: list[BulkChange] = []
    ids: set[ItemId] = set()
    claimed: set[ItemId] = set()
    size = 0
    for change in lane:
        new_ids = {write.item_id for write in change.plan.writes}
        new_claimed = {write.item_id for write in change.plan.writes if write.kind != "update"}
        # Two changes of one item, or two owners of one unique value, cannot be in one transaction.
        if packed and (
            len(ids | new_ids) > MAX_TRANSACTION_ITEMS
            or size + change.size > MAX_TRANSACTION_BYTES
            or claimed & new_claimed
        ):
            yield packed
            packed, size = [], 0
            ids.clear()
            claimed.clear()
        packed.append(change)
        ids |= new_ids
        claimed |= new_claimed
        size += change.size
    if packed:
        yield packed


def _commit(context: Context, changes: list[BulkChange]) -> Steps[None]:
    """Write the changes of one transaction, without those that are left out."""
    dropped: set[ItemId] = set()
    attempt = 0
    while changes:
        writes = remaining_writes(
            [write for change in changes for write in change.plan.writes], dropped
        )
        try:
            yield from send(context.retry_policy, create_transaction(context, writes))
        except TransactionConflict:
            pass
        except TransactionCanceled as error:
            before = len(changes), len(dropped)
            changes = _resolve(changes, writes, error, dropped)
            if (len(changes), len(dropped)) != before:
                continue  # The others may succeed now; this ends when nothing is left.
        else:
            for change in changes:
                change.finish()
            return
        attempt += 1
        if attempt >= context.retry_policy.max_attempts:
            raise too_many_conflicts("A transaction", context)
        yield context.retry_policy.backoff(attempt - 1, "conflict")


def _resolve(
    changes: Sequence[BulkChange],
    writes: Sequence[Write],
    error: TransactionCanceled,
    dropped: set[ItemId],
) -> list[BulkChange]:
    """Return the changes to send again; raise if another attempt cannot succeed."""
    failed: dict[ItemId, tuple[Write, CancellationReason]] = {}
    retryable = False
    for write, reason in zip(writes, error.reasons, strict=True):
        if reason.code == "ConditionalCheckFailed":
            retryable = True
            if write.optional:
                dropped.add(write.item_id)
            else:
                failed[write.item_id] = write, reason
        elif reason.code in TRANSIENT_CODES:
            retryable = True
        elif reason.code != "None":
            raise error
    if not retryable:
        raise error
    return [change for change in changes if _is_resolved(change, failed)]


def _is_resolved(
    change: BulkChange, failed: dict[ItemId, tuple[Write, CancellationReason]]
) -> bool:
    """Return whether a change is to be sent again, after resolving its failed condition."""
    for write in change.plan.writes:
        merged, reason = failed.get(write.item_id, (None, None))
        # A counter that was merged into the put of its item is not what failed.
        if merged is None or reason is None or merged.kind != write.kind or write.optional:
            continue
        item = cast("Item | None", None if reason.item is None else dict(reason.item))
        plan = change.resolve(write, item)
        if plan is None:
            return False
        change.plan = plan
        return True
    return True
