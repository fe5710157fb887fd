"""Check and run TransactWriteItems."""

from __future__ import annotations

from dataclasses import dataclass, field

from singletable.engine.actions import Action, action_of, carry_out, outcome
from singletable.engine.cancellation import NOTHING, TWICE, canceled_at
from singletable.engine.capacity import Cost, consumed, read_units
from singletable.engine.condition import check_condition
from singletable.engine.dialect import TRANSACTION
from singletable.engine.keys import EmptyKey
from singletable.engine.results import collection_metrics
from singletable.engine.session import Session
from singletable.engine.storage import Position
from singletable.engine.table import Table
from singletable.engine.tokens import digest_of, remember, replayed
from singletable.engine.update import Updated
from singletable.engine.write import Stored, stored_at
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

DIALECT = TRANSACTION
MAX_TOTAL = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TransactWritePlan:
    """A transaction whose actions are well formed."""

    request: TransactWriteItems
    actions: list[Action]


@dataclass(slots=True)
class Spent:
    """What a transaction consumed on one table, and what a replay of it would."""

    table: Table
    cost: Cost = field(default_factory=Cost)
    replay: float = 0
    touched: dict[bytes, Item] = field(default_factory=dict[bytes, Item])


def check(request: TransactWriteItems) -> TransactWritePlan:
    """Raise ValidationError unless the actions could be carried out on some tables."""
    actions = [action_of(one) for one in request.transact_items]
    # What counts is what is sent: a delete of a large item is as small as its key.
    if sum(action.size for action in actions) > MAX_TOTAL:
        raise ValidationError(f"Transaction payload size cannot exceed {MAX_TOTAL} bytes")
    return TransactWritePlan(request, actions)


def run(plan: TransactWritePlan, session: Session) -> TransactWriteItemsOutput:
    """Carry out all actions if every one can be, else none."""
    tables = [session.table(action.request.table_name) for action in plan.actions]
    token, digest = plan.request.client_request_token, b""
    if token is not None:
        digest = digest_of(plan.request)
        if (units := replayed(session, token, digest)) is not None:
            return _replay(plan, session, units)
    olds = _load(session, plan.actions, tables)
    news = _decide(plan.actions, olds)
    spent: dict[str, Spent] = {}
    for action, old, new in zip(plan.actions, olds, news, strict=True):
        table = spent.setdefault(old.table.name, Spent(old.table))
        table.cost.add(carry_out(session, action, old, new), factor=2)
        size = max(old.size, 0 if new is None else new.size)
        table.replay += read_units(size, consistent=True) * 2
        if not isinstance(action.request, ConditionCheck):
            table.touched.setdefault(old.position.partition, action.key)
    if token is not None:
        remember(session, token, digest, {name: table.replay for name, table in spent.items()})
    return TransactWriteItemsOutput(_capacities(plan, spent), _metrics(plan, session, spent))


def _load(session: Session, actions: list[Action], tables: list[Table]) -> list[Stored]:
    """The items as they stand; TransactionCanceled if an action does not fit its table's keys."""
    positions: set[tuple[str, Position]] = set()
    olds: list[Stored] = []
    for place, (action, table) in enumerate(zip(actions, tables, strict=True)):
        try:
            position = action.position(table)
        except EmptyKey:
            raise
        except ValidationError as error:
            raise canceled_at(place, len(actions), error) from None
        old = stored_at(session, table, position)
        if (table.name, position) in positions:
            raise ValidationError(TWICE)
        positions.add((table.name, position))
        olds.append(old)
    return olds


def _decide(actions: list[Action], olds: list[Stored]) -> list[Updated | None]:
    """What every action leaves; TransactionCanceled, with all reasons, if one cannot be done."""
    reasons: list[CancellationReason] = []
    news: list[Updated | None] = []
    for action, old in zip(actions, olds, strict=True):
        asked = action.request.return_values_on_condition_check_failure
        try:
            check_condition(action.condition, old, asked)
            news.append(outcome(action, old))
        except ConditionFailed as error:
            reasons.append(CancellationReason("ConditionalCheckFailed", error.message, error.item))
        except EmptyKey:
            raise
        except ValidationError as error:
            reasons.append(CancellationReason("ValidationError", error.message))
        else:
            reasons.append(NOTHING)
    if any(reason is not NOTHING for reason in reasons):
        raise TransactionCanceled(reasons)
    return news


def _replay(
    plan: TransactWritePlan, session: Session, units: dict[str, float]
) -> TransactWriteItemsOutput:
    """The answer to a request that was carried out before: it reads, and is charged for that."""
    asked = plan.request.return_consumed_capacity
    told = [
        consumed(session.table(name), Cost(cost), asked, "read") for name, cost in units.items()
    ]
    return TransactWriteItemsOutput([capacity for capacity in told if capacity is not None] or None)


def _capacities(plan: TransactWritePlan, spent: dict[str, Spent]) -> list[ConsumedCapacity] | None:
    asked = plan.request.return_consumed_capacity
    told = [consumed(one.table, one.cost, asked, "write") for one in spent.values()]
    return [capacity for capacity in told if capacity is not None] or None


def _metrics(
    plan: TransactWritePlan, session: Session, spent: dict[str, Spent]
) -> dict[str, list[ItemCollectionMetrics]] | None:
    asked = plan.request.return_item_collection_metrics
    told: dict[str, list[ItemCollectionMetrics]] = {}
    for name, one in spent.items():
        metrics = [collection_metrics(session, one.table, k, asked) for k in one.touched.values()]
        if known := [metric for metric in metrics if metric is not None]:
            told[name] = known
    return told or None
