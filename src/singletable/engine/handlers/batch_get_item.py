"""Check and run BatchGetItem."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Raw
from msgspec.structs import replace

from singletable.engine.capacity import Cost, consumed_capacity, read_units
from singletable.engine.catalog import Session
from singletable.engine.key_validation import check_scalar_keys, encode_key, projected_json
from singletable.engine.request_expressions import (
    GET,
    attributes_to_get,
    check_parameters,
    parse_expressions,
)
from singletable.engine.table import Table
from singletable.engine.validation import READ
from singletable.errors import ValidationError
from singletable.expressions import Projection
from singletable.operations import (
    BatchGetItem,
    BatchGetItemOutput,
    ConsumedCapacity,
    KeysAndAttributes,
)
from singletable.values import Item, item_to_json

MAX_KEYS = 100
MAX_RESPONSE = 16 * 1024 * 1024
DUPLICATES = "Provided list of item keys contains duplicates"


@dataclass(frozen=True, slots=True)
class TablePlan:
    """What to get from one table."""

    request: KeysAndAttributes
    keys: list[Item]
    projection: Projection | None


@dataclass(frozen=True, slots=True)
class BatchGetPlan:
    """A batch whose keys and projections are well formed."""

    request: BatchGetItem
    tables: dict[str, TablePlan]


def check(request: BatchGetItem) -> BatchGetPlan:
    """Raise ValidationError unless the request could be carried out on some tables."""
    plans: dict[str, TablePlan] = {}
    count = 0
    check_parameters(_as_one(request), GET)
    for name, wanted in request.request_items.items():
        check_parameters(wanted, GET)
        attributes = attributes_to_get(wanted.attributes_to_get)
        projection = parse_expressions(wanted, READ).projection
        keys: dict[bytes, Item] = {}
        for wanted_key in wanted.keys:
            key, _ = READ.check_item(wanted_key)
            identity = item_to_json(dict(sorted(key.items())))
            if identity in keys:
                raise ValidationError(DUPLICATES)
            keys[identity] = key
            count += 1
            if count > MAX_KEYS:
                raise ValidationError("Too many items requested for the BatchGetItem call")
        plans[name] = TablePlan(
            wanted, list(keys.values()), attributes if projection is None else projection
        )
    return BatchGetPlan(request, plans)


def _as_one(request: BatchGetItem) -> KeysAndAttributes:
    """All tables' parameters together: what one table is asked by may not meet another's."""
    tables = request.request_items.values()
    legacy = [one.attributes_to_get for one in tables if one.attributes_to_get is not None]
    expressions = [
        one.projection_expression for one in tables if one.projection_expression is not None
    ]
    return KeysAndAttributes(
        [],
        attributes_to_get=legacy[0] if legacy else None,
        projection_expression=expressions[0] if expressions else None,
    )


def run(plan: BatchGetPlan, session: Session) -> BatchGetItemOutput:
    """The items that are there; what does not fit into one response is to be asked for again."""
    tables = {name: session.table(name) for name in plan.tables}
    for name, wanted in plan.tables.items():
        for key in wanted.keys:
            encode_key(tables[name], key)
        check_scalar_keys(tables[name], wanted.projection or ())
    responses: dict[str, list[Raw]] = {}
    unprocessed: dict[str, KeysAndAttributes] = {}
    capacities: list[ConsumedCapacity] = []
    room = MAX_RESPONSE
    for name, wanted in plan.tables.items():
        items, cost, left, room = _get(session, tables[name], wanted, room)
        responses[name] = items
        if left:
            unprocessed[name] = replace(wanted.request, keys=left)
        asked = plan.request.return_consumed_capacity
        if (capacity := consumed_capacity(tables[name], cost, asked)) is not None:
            capacities.append(capacity)
    return BatchGetItemOutput(responses, unprocessed, capacities or None)


def _get(
    session: Session, table: Table, wanted: TablePlan, room: int
) -> tuple[list[Raw], Cost, list[Item], int]:
    """Items, cost, keys left for another request, and the room left in the response."""
    items: list[Raw] = []
    units = 0.0
    consistent = bool(wanted.request.consistent_read)
    for number, key in enumerate(wanted.keys):
        if room <= 0:
            return items, Cost(units), wanted.keys[number:], room
        row = table.rows.get(session.execute, table.row_key(key))
        units += read_units(0 if row is None else row.size, consistent=consistent)
        if row is None:
            continue
        room -= row.size
        projection = wanted.projection
        items.append(Raw(row.json if projection is None else projected_json(projection, row.json)))
    return items, Cost(units), [], room
