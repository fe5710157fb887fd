"""Carry out what was decided for an operation, one step at a time and without I/O of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar, cast

from singletable.errors import (
    CancellationReason,
    InternalError,
    OperationError,
    ServiceUnavailable,
    Throttled,
    TransactionCanceled,
    TransactionConflict,
    TransactionInProgress,
)
from singletable.faults.batches import (
    handed_back,
    is_refused,
    keys_handed_back,
    split_get,
    split_write,
)
from singletable.faults.decide import Decision
from singletable.faults.description import Faults
from singletable.faults.recreate import recreated
from singletable.faults.replica import Replica
from singletable.faults.scope import Occasion
from singletable.faults.stale import stale_read
from singletable.faults.steps import Steps, Wait, ask
from singletable.faults.surface import CONTROL, TRANSACTIONS, Part
from singletable.faults.tables import described
from singletable.faults.throttling import TOO_MANY_REQUESTS, throttled
from singletable.operations import BatchGetItem, BatchWriteItem, Operation, TableDescription

R = TypeVar("R")

ONGOING = "Transaction is ongoing for the item"
STILL_AT_WORK = "Transaction from previous request is still in progress"


def act(
    operation: Operation[R],
    occasion: Occasion,
    decision: Decision,
    faults: Faults,
    replica: Replica,
    clock: Callable[[], float],
) -> Steps[R]:
    """The answer to the operation, or the error that it fails with."""
    if decision.wait:
        yield Wait(decision.wait)
    match decision.fault:
        case None:
            return (yield from ask(operation))
        case "throttle":
            return (yield from _throttle(operation, occasion, decision, faults))
        case "unavailable":
            raise ServiceUnavailable
        case "internal":
            raise InternalError
        case "internal_after":
            yield from ask(operation)
            raise InternalError
        case "in_progress":
            raise TransactionInProgress(STILL_AT_WORK)
        case "conflict":
            raise _conflict(occasion, decision.parts)
        case "unprocessed":
            return (yield from _do_a_part(operation, occasion, decision.parts))
        case "stale":
            return (yield from stale_read(operation, decision.parts, faults, replica, clock))


def _throttle(
    operation: Operation[R], occasion: Occasion, decision: Decision, faults: Faults
) -> Steps[R]:
    if occasion.name in CONTROL:
        raise Throttled(TOO_MANY_REQUESTS)
    (part,) = decision.parts
    table = (yield from described([part.table])).get(part.table)
    if table is None:
        return (yield from ask(operation))
    raise throttled(faults, part, table, len(occasion.parts) if _is_transaction(occasion) else 0)


def _conflict(occasion: Occasion, parts: Iterable[Part]) -> OperationError:
    if not _is_transaction(occasion):
        return TransactionConflict(ONGOING)
    reasons = [CancellationReason()] * len(occasion.parts)
    for part in parts:
        reasons[part.place] = CancellationReason("TransactionConflict", ONGOING)
    return TransactionCanceled(reasons)


def _is_transaction(occasion: Occasion) -> bool:
    return occasion.name in TRANSACTIONS


def _do_a_part(operation: Operation[R], occasion: Occasion, left: Iterable[Part]) -> Steps[R]:
    """The answer to a batch of which some parts are handed back; the others are really done."""
    batch: object = operation
    places = {part.place for part in left}
    names = {part.table for part in occasion.parts}
    tables = yield from described(names)
    answer: object
    if not isinstance(batch, BatchGetItem | BatchWriteItem) or not _is_sound(batch, names, tables):
        answer = yield from ask(operation)
    elif isinstance(batch, BatchGetItem):
        get, keys_left = split_get(batch, places)
        answer = keys_handed_back((yield from ask(get)), keys_left)
    else:
        write, writes_left = split_write(batch, places)
        answer = handed_back((yield from ask(write)), writes_left)
    return cast(R, answer)  # Each is the answer to an operation of the same type.


def _is_sound(
    batch: BatchGetItem | BatchWriteItem, names: set[str], tables: dict[str, TableDescription]
) -> bool:
    """Whether the batch as a whole would be accepted: if not, no part of it may be done."""
    return names == set(tables) and not is_refused(batch, map(recreated, tables.values()))
