"""Handle TransactGetItems."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Raw

from dynamodb_engine.engine.capacity import Cost, consumed_capacities, read_units
from dynamodb_engine.engine.catalog import Session, Unfinished
from dynamodb_engine.engine.key_validation import EmptyKey, check_scalar_keys, encode_key
from dynamodb_engine.engine.request_expressions import parse_expressions, project_json
from dynamodb_engine.engine.storage import Row, RowKey
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.transactions import DUPLICATE_ITEM, canceled_at
from dynamodb_engine.engine.validation import TRANSACTION
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions import Projection
from dynamodb_engine.operations import Get, ItemResponse, TransactGetItems, TransactGetItemsOutput
from dynamodb_engine.values import Item

VALIDATOR = TRANSACTION


@dataclass(frozen=True, slots=True)
class TransactGetPlan:
    """A transaction with validated keys and projections."""

    request: TransactGetItems
    gets: list[tuple[Get, Item, Projection | None]]


def check(request: TransactGetItems) -> TransactGetPlan:
    """Raise ValidationError if the request is invalid for every table."""
    gets: list[tuple[Get, Item, Projection | None]] = []
    for part in request.transact_items:
        projection = parse_expressions(part.get, TRANSACTION).projection
        gets.append((part.get, TRANSACTION.check_item(part.get.key)[0], projection))
    return TransactGetPlan(request, gets)


def run(plan: TransactGetPlan, session: Session) -> Unfinished[TransactGetItemsOutput]:
    """Return all items of one snapshot, in the order of the request."""
    tables = [session.table(get.table_name) for get, _, _ in plan.gets]
    keys = _row_keys(plan, tables)
    costs: dict[str, tuple[Table, Cost]] = {}
    rows: list[tuple[Row | None, Projection | None]] = []
    found = session.get_rows(list(zip(tables, keys, strict=True)))
    for (_, _, projection), table, row in zip(plan.gets, tables, found, strict=True):
        _, cost = costs.setdefault(table.name, (table, Cost()))
        cost.table += 2 * read_units(0 if row is None else row.size, consistent=True)
        rows.append((row, projection))
    detail = plan.request.return_consumed_capacity
    capacities = consumed_capacities(costs.values(), detail, "read")

    def finish() -> TransactGetItemsOutput:
        responses = [ItemResponse(_item_json(row, projection)) for row, projection in rows]
        return TransactGetItemsOutput(responses, capacities)

    return Unfinished(finish, sum(row.size for row, projection in rows if row and projection))


def _item_json(row: Row | None, projection: Projection | None) -> Raw | None:
    """Return the projected item; a transaction omits an empty result, where a get returns `{}`."""
    if row is None:
        return None
    json = row.json if projection is None else project_json(projection, row.json)
    return None if json == b"{}" else Raw(json)


def _row_keys(plan: TransactGetPlan, tables: list[Table]) -> list[RowKey]:
    """Return the row keys; raise TransactionCanceled if a key does not match its table."""
    keys: list[tuple[str, RowKey]] = []
    for number, ((_, key, projection), table) in enumerate(zip(plan.gets, tables, strict=True)):
        try:
            row_key = encode_key(table, key)
            check_scalar_keys(table, projection or ())
        except EmptyKey:
            raise
        except ValidationError as error:
            raise canceled_at(number, len(plan.gets), error) from None
        keys.append((table.name, row_key))
    if len(set(keys)) < len(keys):
        raise ValidationError(DUPLICATE_ITEM)
    return [key for _, key in keys]
