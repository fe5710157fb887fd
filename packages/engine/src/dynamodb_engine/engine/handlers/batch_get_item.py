"""Handle BatchGetItem."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.capacity import Cost, consumed_capacities, read_units
from dynamodb_engine.engine.catalog import Session, Unfinished
from dynamodb_engine.engine.key_validation import check_scalar_keys, encode_key
from dynamodb_engine.engine.legacy_parameters import parse_attributes_to_get
from dynamodb_engine.engine.request_expressions import (
    GET_PARAMETERS,
    check_parameters,
    parse_expressions,
    project_all,
)
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.validation import READ
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions import Projection
from dynamodb_engine.values import Item, item_to_json

MAX_KEYS = 100
MAX_RESPONSE = 16 * 1024 * 1024
DUPLICATES = "Provided list of item keys contains duplicates"


@dataclass(frozen=True, slots=True)
class TableGetPlan:
    """The keys to get from one table."""

    request: ops.KeysAndAttributes
    keys: list[Item]
    projection: Projection | None


@dataclass(frozen=True, slots=True)
class BatchGetPlan:
    """A batch with validated keys and projections."""

    request: ops.BatchGetItem
    tables: dict[str, TableGetPlan]


def check(request: ops.BatchGetItem) -> BatchGetPlan:
    """Raise ValidationError if the request is invalid for every table."""
    plans: dict[str, TableGetPlan] = {}
    count = 0
    check_parameters(_combine(request), GET_PARAMETERS)
    for name, part in request.request_items.items():
        check_parameters(part, GET_PARAMETERS)
        attributes = parse_attributes_to_get(part.attributes_to_get)
        projection = parse_expressions(part, READ).projection
        keys: dict[bytes, Item] = {}
        for part_key in part.keys:
            key, _ = READ.check_item(part_key)
            identity = item_to_json(dict(sorted(key.items())))
            if identity in keys:
                raise ValidationError(DUPLICATES)
            keys[identity] = key
            count += 1
            if count > MAX_KEYS:
                raise ValidationError("Too many items requested for the BatchGetItem call")
        plans[name] = TableGetPlan(
            part, list(keys.values()), attributes if projection is None else projection
        )
    return BatchGetPlan(request, plans)


def _combine(request: ops.BatchGetItem) -> ops.KeysAndAttributes:
    """Combine the tables' parameters: expressions and legacy ones exclude each other in a batch."""
    parts = request.request_items.values()
    legacy = [part.attributes_to_get for part in parts if part.attributes_to_get is not None]
    expressions = [
        part.projection_expression for part in parts if part.projection_expression is not None
    ]
    return ops.KeysAndAttributes(
        [],
        attributes_to_get=legacy[0] if legacy else None,
        projection_expression=expressions[0] if expressions else None,
    )


def run(plan: BatchGetPlan, session: Session) -> Unfinished[ops.BatchGetItemOutput]:
    """Return the items that exist; keys beyond the response size are returned as unprocessed."""
    tables = {name: session.table(name) for name in plan.tables}
    for name, part in plan.tables.items():
        for key in part.keys:
            encode_key(tables[name], key)
        check_scalar_keys(tables[name], part.projection or ())
    found: dict[str, list[bytes]] = {}
    unprocessed: dict[str, ops.KeysAndAttributes] = {}
    costs: list[tuple[Table, Cost]] = []
    room = MAX_RESPONSE
    for name, part in plan.tables.items():
        items, cost, unprocessed_keys, room = _get_items(session, tables[name], part, room)
        found[name] = items
        if unprocessed_keys:
            unprocessed[name] = replace(part.request, keys=unprocessed_keys)
        costs.append((tables[name], cost))
    capacities = consumed_capacities(costs, plan.request.return_consumed_capacity)

    def finish() -> ops.BatchGetItemOutput:
        responses = {
            name: project_all(plan.tables[name].projection, items) for name, items in found.items()
        }
        return ops.BatchGetItemOutput(responses, unprocessed, capacities)

    projected = [items for name, items in found.items() if plan.tables[name].projection]
    return Unfinished(finish, sum(len(json) for items in projected for json in items))


def _get_items(
    session: Session, table: Table, part: TableGetPlan, room: int
) -> tuple[list[bytes], Cost, list[Item], int]:
    """Return the items, the cost, the unprocessed keys, and the room left in the response."""
    items: list[bytes] = []
    units = 0.0
    consistent = bool(part.request.consistent_read)
    rows = session.get_rows([(table, table.row_key(key)) for key in part.keys])
    for number in range(len(part.keys)):
        if room <= 0:
            return items, Cost(units), part.keys[number:], room
        row = next(rows)
        units += read_units(0 if row is None else row.size, consistent=consistent)
        if row is None:
            continue
        room -= row.size
        items.append(row.json)
    return items, Cost(units), [], room
