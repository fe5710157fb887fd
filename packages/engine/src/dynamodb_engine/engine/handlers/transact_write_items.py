"""Handle TransactWriteItems."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import thread_time

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.capacity import Cost, consumed_capacities, read_units
from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.item_update import NewItem
from dynamodb_engine.engine.item_write import (
    StoredItem,
    check_condition,
    load_item,
    metrics_by_table,
)
from dynamodb_engine.engine.key_validation import EmptyKey
from dynamodb_engine.engine.storage import RowKey
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.transactions import (
    DUPLICATE_ITEM,
    NO_REASON,
    TransactAction,
    apply_action,
    canceled_at,
    find_replay,
    parse_action,
    request_digest,
    resulting_item,
    save_token,
)
from dynamodb_engine.engine.validation import TRANSACTION
from dynamodb_engine.errors import (
    CancellationReason,
    ConditionFailed,
    TransactionCanceled,
    ValidationError,
)
from dynamodb_engine.values import Item

VALIDATOR = TRANSACTION
MAX_TOTAL = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TransactWritePlan:
    """A transaction with validated actions."""

    request: ops.TransactWriteItems
    actions: list[TransactAction]


@dataclass(slots=True)
class TableUsage:
    """The units that a transaction consumed on one table, and that a replay would consume."""

    table: Table
    cost: Cost = field(default_factory=Cost)
    replay_units: float = 0
    written: dict[bytes, Item] = field(default_factory=dict[bytes, Item])


def check(request: ops.TransactWriteItems) -> TransactWritePlan:
    """Raise ValidationError if the request is invalid for every table."""
    return plan_of(request, [parse_action(part) for part in request.transact_items])


def plan_of(request: ops.TransactWriteItems, actions: list[TransactAction]) -> TransactWritePlan:
    """Return the plan; raise ValidationError if its items have more than 4 MB together."""
    # The size of the request counts: the delete of a large item is as small as its key.
    if (size := sum(action.size for action in actions)) > MAX_TOTAL:
        text = "Transaction payload size cannot exceed 4MB. Payload Size: "
        raise ValidationError(f"{text}: {text}{size}")  # AWS says it twice
    return TransactWritePlan(request, actions)


def places(plan: TransactWritePlan, session: Session) -> list[tuple[Table, RowKey]]:
    """Return the places of all items; the storage locks the token as well."""
    actions = [(session.table(action.request.table_name), action) for action in plan.actions]
    return [(table, action.row_key(table)) for table, action in actions]


def run(plan: TransactWritePlan, session: Session) -> ops.TransactWriteItemsOutput:
    """Apply all actions, or none if one of them fails."""
    tables = [session.table(action.request.table_name) for action in plan.actions]
    token, digest = plan.request.client_request_token, b""
    if token is not None:
        digest = request_digest(plan.request)
        if (units := find_replay(session, token, digest)) is not None:
            return _replay_output(plan, session, units)
    usages = _apply_actions(session, plan.actions, _load_items(session, plan.actions, tables))
    if token is not None:
        replay_units = {name: usage.replay_units for name, usage in usages.items()}
        save_token(session, token, digest, replay_units)
    request = plan.request
    costs = [(usage.table, usage.cost) for usage in usages.values()]
    written = {name: (usage.table, usage.written.values()) for name, usage in usages.items()}
    return ops.TransactWriteItemsOutput(
        consumed_capacities(costs, request.return_consumed_capacity, "write"),
        metrics_by_table(session, written, request.return_item_collection_metrics),
    )


def _load_items(
    session: Session, actions: list[TransactAction], tables: list[Table]
) -> list[StoredItem]:
    """Return the stored items; raise TransactionCanceled if an action does not match its table."""
    keys: set[tuple[str, RowKey]] = set()
    olds: list[StoredItem] = []
    for number, (action, table) in enumerate(zip(actions, tables, strict=True)):
        try:
            key = action.row_key(table)
        except EmptyKey:
            raise
        except ValidationError as error:
            raise canceled_at(number, len(actions), error) from None
        old = load_item(session, table, key)
        if (table.name, key) in keys:
            raise ValidationError(DUPLICATE_ITEM)
        keys.add((table.name, key))
        olds.append(old)
    return olds


def _apply_actions(
    session: Session, actions: list[TransactAction], olds: list[StoredItem]
) -> dict[str, TableUsage]:
    """Apply the actions and return the usage by table.

    Raise TransactionCanceled with all reasons if one fails; the writer then undoes the others. Only
    one item is decoded at a time, because it takes far more memory than its JSON.
    """
    usages: dict[str, TableUsage] = {}
    reasons: list[CancellationReason] = []
    is_canceled = False
    returned = 0  # bytes
    limit = session.settings.max_transaction_seconds
    end = None if limit is None else thread_time() + limit
    for action, old in zip(actions, olds, strict=True):
        if end is not None and thread_time() > end:
            raise ValidationError(
                f"The transaction takes more than {limit:g} s of processor time. Nothing was "
                "changed. Use several transactions, smaller items or shorter expressions."
            )
        return_old = action.request.return_values_on_condition_check_failure
        try:
            check_condition(action.condition, old, return_old)
            new = resulting_item(action, old)
        except ConditionFailed as error:
            returned += 0 if error.item is None else old.size
            item = error.item if returned <= MAX_TOTAL else None
            reasons.append(CancellationReason("ConditionalCheckFailed", error.message, item))
        except EmptyKey:
            raise
        except ValidationError as error:
            reasons.append(CancellationReason("ValidationError", error.message))
        else:
            reasons.append(NO_REASON)
            if not is_canceled:
                usage = usages.setdefault(old.table.name, TableUsage(old.table))
                _apply(session, action, old, new, usage)
        is_canceled = is_canceled or reasons[-1] is not NO_REASON
        old.decoded = None
    if is_canceled:
        raise TransactionCanceled(reasons)
    return usages


def _apply(
    session: Session,
    action: TransactAction,
    old: StoredItem,
    new: NewItem | None,
    usage: TableUsage,
) -> None:
    usage.cost.add(apply_action(session, action, old, new), factor=2)
    size = max(old.size, 0 if new is None else new.size)
    usage.replay_units += read_units(size, consistent=True) * 2
    if not isinstance(action.request, ops.ConditionCheck):
        usage.written.setdefault(old.key.partition, action.key)


def _replay_output(
    plan: TransactWritePlan, session: Session, units: dict[str, float]
) -> ops.TransactWriteItemsOutput:
    """Return the output of a repeated request, which only reads and is charged for that."""
    costs = [(session.table(name), Cost(cost)) for name, cost in units.items()]
    detail = plan.request.return_consumed_capacity
    return ops.TransactWriteItemsOutput(consumed_capacities(costs, detail, "read"))
