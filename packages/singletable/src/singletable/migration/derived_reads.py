"""Read items of a new table that is not complete yet, by deriving them from the old items."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from singletable.errors import MigrationError
from singletable.expressions import Placeholders, parse_projection, project
from singletable.migration.derivation import Derivation, key_text
from singletable.operations import (
    BatchGetItem,
    BatchGetItemOutput,
    Get,
    GetItem,
    GetItemOutput,
    ItemResponse,
    KeysAndAttributes,
    Operation,
    TransactGetItems,
    TransactGetItemsOutput,
)
from singletable.schema import ItemKey
from singletable.steps import Steps
from singletable.store.batch import get_items
from singletable.store.writes import item_id
from singletable.values import Item, item_to_json

Locate = Callable[[Item], Iterable[ItemKey[Any]]]
Send = Callable[[Operation[Any]], Steps[Any]]


def derived_read(
    operation: Operation[Any], derivation: Derivation, locate: Locate | None, send: Send
) -> Steps[Any]:
    """Return the output of a get as if the copy were complete.

    `locate` returns the keys of the old items from which a new item is derived. Without it, items
    that are in the new table are returned; if one is not, MigrationError is raised, because it may
    not be copied yet.
    """
    name = derivation.context.table_name(derivation.target)

    def derive(key: Item, request: GetItem | Get | KeysAndAttributes) -> Steps[Raw | None]:
        if locate is None:
            output: GetItemOutput = yield from send(GetItem(name, key, consistent_read=True))
            found = output.item
            if found is None:
                raise MigrationError(
                    f"{key_text(key)} is not in the new table, and may not be copied yet. Wait "
                    "until the copy is ready, or say from which old items it is derived: "
                    "MigratingDriver(locate=…)."
                )
        else:
            found = yield from derive_item(derivation, locate, key)
        return None if found is None else Raw(item_to_json(_projected(request, found)))

    match operation:
        case GetItem():
            return GetItemOutput((yield from derive(operation.key, operation)))
        case BatchGetItem():
            rest = {table: keys for table, keys in operation.request_items.items() if table != name}
            output = BatchGetItemOutput({}, {})
            if rest:
                output = yield from send(replace(operation, request_items=rest))
            wanted = operation.request_items[name]
            raws: list[Raw] = []
            for key in wanted.keys:
                raw = yield from derive(key, wanted)
                raws += [] if raw is None else [raw]
            return replace(output, raw_responses={**output.raw_responses, name: raws})
        case TransactGetItems():
            responses: list[ItemResponse] = []
            for read in operation.transact_items:
                if read.get.table_name == name:
                    responses.append(ItemResponse((yield from derive(read.get.key, read.get))))
                    continue
                one = yield from send(replace(operation, transact_items=[read]))
                responses += one.responses
            return TransactGetItemsOutput(responses)
        case _:
            raise AssertionError(f"a get was expected: {operation}")


def derive_item(derivation: Derivation, locate: Locate, key: Item) -> Steps[Item | None]:
    """Return the new item with a key, derived from what is stored in the old tables now."""
    context = derivation.context
    places = list(locate(key))
    tables = {context.table_name(place.model.table): place.model.table for place in places}
    keys = {
        item_id(context.table_name(place.model.table), place.key): place.key for place in places
    }
    stored = yield from get_items(context, tables, keys, consistent=True)
    units = {
        unit: None
        for (name, _), item in stored.items()
        if (unit := derivation.unit_of(tables[name], item)) is not None
    }
    sources = yield from derivation.read(list(units))
    wanted = item_id(context.table_name(derivation.target), key)
    for unit in units:
        item = derivation.targets(unit, sources[unit]).get(wanted)
        if item is not None:
            return item
    return None


def _projected(request: GetItem | Get | KeysAndAttributes, item: Item) -> Item:
    names: list[str] | None = getattr(request, "attributes_to_get", None)
    if names is not None:
        return {name: item[name] for name in names if name in item}
    if request.projection_expression is None:
        return item
    placeholders = Placeholders(request.expression_attribute_names, None)
    return project(parse_projection(request.projection_expression, placeholders), item)
