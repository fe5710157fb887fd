"""Decide which fault a request gets, and apply it; both without I/O.

Rule 1. Equal faults, state and request give an equal decision.
Rule 2. Each kind of fault has its own random numbers, so adding one does not move another.
Rule 3. Only requests in scope count; others do not change the sequence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar, cast

from dynamodb_engine import errors
from dynamodb_engine.faults.batches import (
    add_unprocessed_items,
    add_unprocessed_keys,
    create_request,
    describe_tables,
    is_rejected,
    split_get,
    split_write,
)
from dynamodb_engine.faults.config import Chance, FaultKind, Faults, Next, ThrottleLimit
from dynamodb_engine.faults.targets import (
    ITEM_OPERATIONS,
    FaultTarget,
    TargetPart,
    applicable_parts,
    parts_in_scope,
)
from dynamodb_engine.operations import BatchGetItem, BatchWriteItem, Operation, TableDescription
from dynamodb_engine.retry import send_once
from dynamodb_engine.steps import Pause, Steps

R = TypeVar("R")

# DynamoDB's own texts.
ONGOING = "Transaction is ongoing for the item"
IN_PROGRESS = "Transaction from previous request is still in progress"
TOO_MANY_REQUESTS = "Rate of requests exceeds the allowed throughput."


# Decisions


@dataclass(frozen=True, slots=True)
class FaultState:
    """The number of requests in scope so far, and how often each fault was injected."""

    count: int = 0
    injected: Mapping[FaultKind, int] = field(default_factory=dict[FaultKind, int])


@dataclass(frozen=True, slots=True)
class FaultDecision:
    """The latency of a request, its fault if any, and the parts that the fault affects."""

    latency: float = 0.0
    fault: FaultKind | None = None
    parts: tuple[TargetPart, ...] = ()


def decide(
    target: FaultTarget, faults: Faults, state: FaultState
) -> tuple[FaultDecision, FaultState]:
    """Decide what happens to a request; return that and the next state."""
    if parts_in_scope(target, faults) is None:
        return FaultDecision(), state
    count = state.count + 1
    latency = faults.latency
    if faults.jitter:
        latency += faults.jitter * _random(faults, count, "latency").random()
    for kind, chance in faults.chances.items():
        injected = state.injected.get(kind, 0)
        if not chance or not _is_due(chance, faults, count, kind, injected):
            continue
        parts = applicable_parts(target, faults, kind)
        if parts is None:
            continue
        random = _random(faults, count, f"{kind} parts")
        chosen = _choose_parts(kind, parts, len(target.parts), random)
        next_state = FaultState(count, {**state.injected, kind: injected + 1})
        return FaultDecision(latency, kind, chosen), next_state
    return FaultDecision(latency), FaultState(count, state.injected)


def _is_due(chance: Chance, faults: Faults, count: int, kind: FaultKind, injected: int) -> bool:
    if isinstance(chance, Next):
        return injected < chance.times
    return _random(faults, count, kind).random() < chance


def _random(faults: Faults, count: int, purpose: str) -> Random:
    # Seeded with text, Random is the same in every process and on every machine.
    return Random(f"{faults.seed}/{count}/{purpose}")


def _choose_parts(
    kind: FaultKind, parts: tuple[TargetPart, ...], total: int, random: Random
) -> tuple[TargetPart, ...]:
    """Choose the parts that the fault affects, in the order of the request."""
    match kind:
        case "throttle":
            return tuple(random.sample(parts, min(1, len(parts))))
        case "conflict":
            chosen = random.sample(parts, random.randint(1, len(parts)))
        case "unprocessed":
            # AWS rejects a batch if it can process nothing, so something is always processed.
            chosen = random.sample(parts, random.randint(1, min(len(parts), total - 1)))
        case _:
            return parts
    return tuple(sorted(chosen, key=lambda part: part.position))


# Effects


def apply(
    operation: Operation[R],
    target: FaultTarget,
    decision: FaultDecision,
    faults: Faults,
) -> Steps[R]:
    """Return the output of the operation, or raise the error that the decision injects."""
    if decision.latency:
        yield Pause(decision.latency)
    match decision.fault:
        case None:
            return (yield from send_once(operation))
        case "throttle":
            return (yield from _throttle(operation, target, decision, faults))
        case "unavailable":
            raise errors.ServiceUnavailable
        case "internal":
            raise errors.InternalError
        case "internal_after":
            yield from send_once(operation)
            raise errors.InternalError
        case "in_progress":
            raise errors.TransactionInProgress(IN_PROGRESS)
        case "conflict":
            raise _conflict(target, decision.parts)
        case "unprocessed":
            return (yield from _process_partly(operation, target, decision.parts))


def _conflict(target: FaultTarget, parts: Iterable[TargetPart]) -> errors.OperationError:
    if not target.is_transaction:
        return errors.TransactionConflict(ONGOING)
    reasons = [errors.CancellationReason()] * len(target.parts)
    for part in parts:
        reasons[part.position] = errors.CancellationReason("TransactionConflict", ONGOING)
    return errors.TransactionCanceled(reasons)


def _process_partly(
    operation: Operation[R], target: FaultTarget, unprocessed: Iterable[TargetPart]
) -> Steps[R]:
    """Execute a batch without the given parts, and return those as unprocessed."""
    batch: object = operation
    positions = {part.position for part in unprocessed}
    names = {part.table for part in target.parts}
    tables = yield from describe_tables(names)
    output: object
    if not isinstance(batch, BatchGetItem | BatchWriteItem) or not _is_valid(batch, names, tables):
        output = yield from send_once(operation)
    elif isinstance(batch, BatchGetItem):
        get, keys = split_get(batch, positions)
        output = add_unprocessed_keys((yield from send_once(get)), keys)
    else:
        write, writes = split_write(batch, positions)
        output = add_unprocessed_items((yield from send_once(write)), writes)
    return cast(R, output)  # each is the output of an operation of the same type


def _is_valid(
    batch: BatchGetItem | BatchWriteItem, names: set[str], tables: dict[str, TableDescription]
) -> bool:
    """Return whether the whole batch would be accepted; if not, no part may be applied."""
    return names == set(tables) and not is_rejected(batch, map(create_request, tables.values()))


# Throttling. The texts are AWS's own, including its punctuation.

_TABLE_PROVISIONED = (
    "The level of configured provisioned throughput for the table was exceeded. Consider "
    "increasing your provisioning level with the UpdateTable API."
)
_INDEX_PROVISIONED = (
    "The level of configured provisioned throughput for one or more global secondary indexes of "
    "the table was exceeded. Consider increasing your provisioning level for the under-provisioned "
    "global secondary indexes with the UpdateTable API"
)
_TABLE_ON_DEMAND = (
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically "
    "scaling your table or index so please try again shortly. If exceptions persist, check if you "
    "have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
    "bp-partition-key-design.html"
)
_INDEX_ON_DEMAND = (
    "Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is "
    "automatically scaling your index so please try again shortly."
)
_MAX_ON_DEMAND = "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
_ACCOUNT_LIMIT = (
    "Throughput exceeds the current throughput limit for your account. To request a limit "
    "increase, contact AWS Support at https://aws.amazon.com/support."
)


@dataclass(frozen=True, slots=True)
class _ThrottleError:
    """An error, its message for a table and an index, and its code within a transaction."""

    error: type[errors.Throttled]
    table_message: str
    index_message: str
    reason_code: str


_PROVISIONED = _ThrottleError(
    errors.ProvisionedThroughputExceeded,
    _TABLE_PROVISIONED,
    _INDEX_PROVISIONED,
    "ProvisionedThroughputExceeded",
)
_ON_DEMAND = _ThrottleError(errors.Throttled, _TABLE_ON_DEMAND, _INDEX_ON_DEMAND, "ThrottlingError")
# For a hot key range, the error depends on the table's billing mode.
_THROTTLE_ERRORS: dict[ThrottleLimit, _ThrottleError | None] = {
    "ProvisionedThroughputExceeded": _PROVISIONED,
    "KeyRangeThroughputExceeded": None,
    "MaxOnDemandThroughputExceeded": _ThrottleError(
        errors.Throttled, _MAX_ON_DEMAND, _MAX_ON_DEMAND, "ThrottlingError"
    ),
    "AccountLimitExceeded": _ThrottleError(
        errors.RequestLimitExceeded, _ACCOUNT_LIMIT, _ACCOUNT_LIMIT, "ThrottlingError"
    ),
}


def _throttle(
    operation: Operation[R], target: FaultTarget, decision: FaultDecision, faults: Faults
) -> Steps[R]:
    if target.name not in ITEM_OPERATIONS:
        raise errors.Throttled(TOO_MANY_REQUESTS)
    (part,) = decision.parts
    table = (yield from describe_tables([part.table])).get(part.table)
    if table is None:
        return (yield from send_once(operation))
    raise _throttle_error(target, faults, part, table)


def _throttle_error(
    target: FaultTarget, faults: Faults, part: TargetPart, table: TableDescription
) -> errors.OperationError:
    summary = table.billing_mode_summary
    is_provisioned = summary is None or summary.billing_mode == "PROVISIONED"
    limit = faults.limit
    if limit is None and is_provisioned and not faults.keys:
        limit = "ProvisionedThroughputExceeded"
    limit = limit or "KeyRangeThroughputExceeded"
    template = _THROTTLE_ERRORS[limit] or (_PROVISIONED if is_provisioned else _ON_DEMAND)
    # A write is throttled by its table, or by an index that cannot keep up.
    written_index = (name for name in part.written_indexes if name in faults.indexes)
    index = part.index or next(written_index, None)
    message = template.table_message if index is None else template.index_message
    if target.is_transaction and template.error is not errors.RequestLimitExceeded:
        reasons = [errors.CancellationReason()] * len(target.parts)
        reasons[part.position] = errors.CancellationReason(template.reason_code, message)
        return errors.TransactionCanceled(reasons)
    resource = "Table" if index is None else "Index"
    arn = table.table_arn if index is None else f"{table.table_arn}/index/{index}"
    reason = f"{resource}{'Write' if part.writes else 'Read'}{limit}"
    return template.error(message, [errors.ThrottlingReason(reason, arn)])
