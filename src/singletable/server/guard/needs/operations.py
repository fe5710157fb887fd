"""Which permissions each operation needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from singletable.operations import (
    BatchGetItem,
    BatchWriteItem,
    CreateTable,
    DeleteItem,
    Get,
    GetItem,
    Operation,
    PutItem,
    Query,
    Scan,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
)
from singletable.operations.registry import OPERATIONS, table_names
from singletable.server.guard.needs.need import Need, Part
from singletable.server.guard.needs.resources import NO_RESOURCE, Place

ALL, ALL_PROJECTED, SPECIFIC = "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES"
NONE, ALL_OLD = "NONE", "ALL_OLD"


def needs_of(operation: Operation[object], place: Place) -> tuple[Need, ...]:
    """Everything that must be allowed for the operation to be carried out.

    An operation that is not known here needs what nobody can be given by its name.
    """
    name = type(operation).__name__
    action = f"dynamodb:{name}"
    match operation:
        case PutItem() | UpdateItem() | DeleteItem():
            return tuple(_writes(operation, action, place))
        case GetItem():
            return (_item_need(operation, action, place, select=_selected(operation)),)
        case Query() | Scan():
            return (_page(operation, action, place),)
        case BatchGetItem() | BatchWriteItem():
            consumed = operation.return_consumed_capacity or NONE
            return tuple(
                replace(need, return_consumed_capacity=consumed)
                for need in _batch(operation, action, place)
            )
        case TransactGetItems() | TransactWriteItems():
            consumed = operation.return_consumed_capacity or NONE
            return tuple(
                replace(need, enclosing_operation=name, return_consumed_capacity=consumed)
                for need in _transaction(operation, place)
            )
        case CreateTable():
            created = Need(action, place.table(operation.table_name))
            # A table with tags is tagged as it is created, and with a policy it is given one.
            more = (
                ("dynamodb:TagResource", operation.tags),
                ("dynamodb:PutResourcePolicy", operation.resource_policy),
            )
            return (created, *(replace(created, action=one) for one, given in more if given))
        case _:
            return (_by_scope(operation, place),)


def _by_scope(operation: Operation[object], place: Place) -> Need:
    """The permission of an operation that is not about items, as the registry tells its scope."""
    spec = OPERATIONS.get(type(operation))
    if spec is None:
        return Need(f"singletable:{type(operation).__name__}", NO_RESOURCE, everywhere=True)
    table = next(table_names(operation), None)
    match spec.scope:
        case "tables":
            return Need(spec.action, place.tables)
        case "any table" if table is None:
            return Need(spec.action, place.tables, everywhere=True)
        case "account":
            return Need(spec.action, NO_RESOURCE)
        case _:
            return Need(spec.action, place.table(table))


def _item_need(
    operation: PutItem | GetItem | UpdateItem | DeleteItem,
    action: str,
    place: Place,
    *,
    select: str | None = None,
) -> Need:
    need = _need(action, operation.table_name, operation, place, select=select)
    return replace(need, return_consumed_capacity=operation.return_consumed_capacity or NONE)


def _writes(
    operation: PutItem | UpdateItem | DeleteItem, action: str, place: Place
) -> Iterator[Need]:
    need = _item_need(operation, action, place)
    yield replace(need, return_values=operation.return_values or NONE)
    # A condition that fails can give the whole item back as well, so that must be allowed too.
    if operation.return_values_on_condition_check_failure == ALL_OLD:
        yield replace(need, return_values=ALL_OLD)


def _page(operation: Query | Scan, action: str, place: Place) -> Need:
    table, index = operation.table_name, operation.index_name
    whole = ALL if index is None else ALL_PROJECTED
    select = operation.select or (SPECIFIC if _names_attributes(operation) else whole)
    need = replace(
        _need(action, table, operation, place, select=select),
        return_consumed_capacity=operation.return_consumed_capacity or NONE,
    )
    if index is None:
        return need
    return replace(need, resource=place.index(table, index), index=index)


def _batch(operation: BatchGetItem | BatchWriteItem, action: str, place: Place) -> Iterator[Need]:
    if not operation.request_items:
        yield Need(action, NO_RESOURCE)
    elif isinstance(operation, BatchGetItem):
        for table, asked in operation.request_items.items():
            yield _need(action, table, asked, place, select=_selected(asked))
    else:
        for table, writes in operation.request_items.items():
            yield _need(action, table, tuple(writes), place)


def _transaction(operation: TransactGetItems | TransactWriteItems, place: Place) -> Iterator[Need]:
    """The needs of each action; one that is missing is refused by whoever executes it."""
    if isinstance(operation, TransactGetItems):
        for reading in operation.transact_items or ():
            # On the wire the one field may be left out.
            get = cast("Get | None", reading.get)
            if get is not None:
                yield _need("dynamodb:GetItem", get.table_name, get, place, select=_selected(get))
        return
    for writing in operation.transact_items or ():
        for action, part in (
            ("dynamodb:ConditionCheckItem", writing.condition_check),
            ("dynamodb:PutItem", writing.put),
            ("dynamodb:DeleteItem", writing.delete),
            ("dynamodb:UpdateItem", writing.update),
        ):
            if part is not None:
                returned = part.return_values_on_condition_check_failure or NONE
                need = _need(action, part.table_name, part, place)
                yield replace(need, return_values=returned)


def _need(
    action: str, table: str | None, part: Part, place: Place, *, select: str | None = None
) -> Need:
    """The need of something that is about items; on the wire the table may be left out."""
    name = None if table is None else place.name(table)
    return Need(action, place.table(table), name, part=part, select=select)


def _selected(asked: object) -> str:
    return SPECIFIC if _names_attributes(asked) else ALL


def _names_attributes(asked: object) -> bool:
    """Whether a read says which attributes it wants."""
    return any(
        getattr(asked, field, None) is not None
        for field in ("projection_expression", "attributes_to_get")
    )
