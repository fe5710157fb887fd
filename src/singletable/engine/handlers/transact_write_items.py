"""Check and run TransactWriteItems."""

from __future__ import annotations

from dataclasses import dataclass, field

from singletable.engine.capacity import Cost, consumed_capacity, read_units
from singletable.engine.catalog import Session
from singletable.engine.item_update import UpdatedItem
from singletable.engine.item_write import (
    StoredItem,
    check_condition,
    item_collection_metrics,
    load_item,
)
from singletable.engine.key_validation import EmptyKey
from singletable.engine.storage import RowKey
from singletable.engine.table import Table
from singletable.engine.transactions import (
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
from singletable.engine.validation import TRANSACTION
from singletable.errors import (
    CancellationReason,
    ConditionFailed,
    TransactionCanceled,
    ValidationError,
)
from singletable.operations import (
    ConditionCheck,
    ConsumedCapacity,
    ItemCollectionMetrics,
    TransactWriteItems,
    TransactWriteItemsOutput,
)
from singletable.values import Item

VALIDATOR = TRANSACTION
MAX_TOTAL = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TransactWritePlan:
    """A transaction whose actions are well formed."""

    request: TransactWriteItems
    actions: list[TransactAction]


@dataclass(slots=True)
class Spent:
    """What a transaction consumed on one table, and what a replay of it would."""

    table: Table
    cost: Cost = field(default_factory=Cost)
    replay: float = 0
    touched: dict[bytes, Item] = field(default_factory=dict[bytes, Item])


def check(request: TransactWriteItems) -> TransactWritePlan:
    """Raise ValidationError unless the actions could be carried out on some tables."""
    actions = [parse_action(one) for one in request.transact_items]
    # What counts is what is sent: a delete of a large item is as small as its key.
    if sum(action.size for action in actions) > MAX_TOTAL:
        raise ValidationError(f"Transaction payload size cannot exceed {MAX_TOTAL} bytes")
    return TransactWritePlan(request, actions)


def run(plan: TransactWritePlan, session: Session) -> TransactWriteItemsOutput:
    """Carry out all actions if every one can be, else none."""
    tables = [session.table(action.request.table_name) for action in plan.actions]
    token, digest = plan.request.client_request_token, b""
    if token is not None:
        digest = request_digest(plan.request)
        if (units := find_replay(session, token, digest)) is not None:
            return _replay(plan, session, units)
    olds = _load(session, plan.actions, tables)
    news = _decide(plan.actions, olds)
    spent: dict[str, Spent] = {}
    for action, old, new in zip(plan.actions, olds, news, strict=True):
        table = spent.setdefault(old.table.name, Spent(old.table))
        table.cost.add(apply_action(session, action, old, new), factor=2)
        size = max(old.size, 0 if new is None else new.size)
        table.replay += read_units(size, consistent=True) * 2
        if not isinstance(action.request, ConditionCheck):
            table.touched.setdefault(old.position.partition, action.key)
    if token is not None:
        save_token(session, token, digest, {name: table.replay for name, table in spent.items()})
    return TransactWriteItemsOutput(_capacities(plan, spent), _metrics(plan, session, spent))


def _load(session: Session, actions: list[TransactAction], tables: list[Table]) -> list[StoredItem]:
    """The items as they stand; TransactionCanceled if an action does not fit its table's keys."""
    positions: set[tuple[str, RowKey]] = set()
    olds: list[StoredItem] = []
    for place, (action, table) in enumerate(zip(actions, tables, strict=True)):
        try:
            position = action.row_key(table)
        except EmptyKey:
            raise
        except ValidationError as error:
            raise canceled_at(place, len(actions), error) from None
        old = load_item(session, table, position)
        if (table.name, position) in positions:
            raise ValidationError(DUPLICATE_ITEM)
        positions.add((table.name, position))
        olds.append(old)
    return olds


def _decide(actions: list[TransactAction], olds: list[StoredItem]) -> list[UpdatedItem | None]:
    """What every action leaves; TransactionCanceled, with all reasons, if one cannot be done."""
    reasons: list[CancellationReason] = []
    news: list[UpdatedItem | None] = []
    for action, old in zip(actions, olds, strict=True):
        asked = action.request.return_values_on_condition_check_failure
        try:
            check_condition(action.condition, old, asked)
            news.append(resulting_item(action, old))
        except ConditionFailed as error:
            reasons.append(CancellationReason("ConditionalCheckFailed", error.message, error.item))
        except EmptyKey:
            raise
        except ValidationError as error:
            reasons.append(CancellationReason("ValidationError", error.message))
        else:
            reasons.append(NO_REASON)
    if any(reason is not NO_REASON for reason in reasons):
        raise TransactionCanceled(reasons)
    return news


def _replay(
    plan: TransactWritePlan, session: Session, units: dict[str, float]
) -> TransactWriteItemsOutput:
    """The answer to a request that was carried out before: it reads, and is charged for that."""
    asked = plan.request.return_consumed_capacity
    told = [
        consumed_capacity(session.table(name), Cost(cost), asked, "read")
        for name, cost in units.items()
    ]
    return TransactWriteItemsOutput([capacity for capacity in told if capacity is not None] or None)


def _capacities(plan: TransactWritePlan, spent: dict[str, Spent]) -> list[ConsumedCapacity] | None:
    asked = plan.request.return_consumed_capacity
    told = [consumed_capacity(one.table, one.cost, asked, "write") for one in spent.values()]
    return [capacity for capacity in told if capacity is not None] or None


def _metrics(
    plan: TransactWritePlan, session: Session, spent: dict[str, Spent]
) -> dict[str, list[ItemCollectionMetrics]] | None:
    asked = plan.request.return_item_collection_metrics
    told: dict[str, list[ItemCollectionMetrics]] = {}
    for name, one in spent.items():
        metrics = [
            item_collection_metrics(session, one.table, k, asked) for k in one.touched.values()
        ]
        if known := [metric for metric in metrics if metric is not None]:
            told[name] = known
    return told or None
