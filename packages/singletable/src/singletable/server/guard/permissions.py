"""Determine the permissions that an operation needs: IAM actions on resources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
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
from singletable.operations.arn import TableArns
from singletable.operations.partition_keys import ItemRequest
from singletable.operations.registry import OPERATIONS, table_names

# The resource of a request that names none, as AWS writes it.
NO_RESOURCE = "*"
ALL, ALL_PROJECTED, SPECIFIC = "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES"
NONE, ALL_OLD = "NONE", "ALL_OLD"


@dataclass(frozen=True, slots=True)
class RequiredPermission:
    """An action on a resource, with the values for conditions; None where they do not apply.

    `all_tables`: the action affects every table.
    """

    action: str
    resource: str
    table: str | None = None
    index: str | None = None
    request: ItemRequest | None = None
    enclosing_operation: str | None = None
    select: str | None = None
    return_values: str | None = None
    return_consumed_capacity: str | None = None
    all_tables: bool = False

    @property
    def keyed_table(self) -> str | None:
        """The table of a request that names partition keys; None for a scan or without items."""
        return None if self.request is None or isinstance(self.request, Scan) else self.table


def required_permissions(
    operation: Operation[object], arns: TableArns
) -> tuple[RequiredPermission, ...]:
    """Return everything that a policy must allow for the operation."""
    name = type(operation).__name__
    action = f"dynamodb:{name}"
    match operation:
        case PutItem() | UpdateItem() | DeleteItem():
            return tuple(_write_permissions(operation, action, arns))
        case GetItem():
            return (_item_permission(operation, action, arns, select=_selected(operation)),)
        case Query() | Scan():
            return (_page_permission(operation, action, arns),)
        case BatchGetItem() | BatchWriteItem():
            capacity = operation.return_consumed_capacity or NONE
            return tuple(
                replace(permission, return_consumed_capacity=capacity)
                for permission in _batch_permissions(operation, action, arns)
            )
        case TransactGetItems() | TransactWriteItems():
            capacity = operation.return_consumed_capacity or NONE
            return tuple(
                replace(permission, enclosing_operation=name, return_consumed_capacity=capacity)
                for permission in _transaction_permissions(operation, arns)
            )
        case CreateTable():
            _, resource = _resolve(operation.table_name, action, arns)
            create = RequiredPermission(action, resource)
            # Tags and a resource policy need the permissions of their own operations too.
            extra = (
                ("dynamodb:TagResource", operation.tags),
                ("dynamodb:PutResourcePolicy", operation.resource_policy),
            )
            return (create, *(replace(create, action=name) for name, value in extra if value))
        case _:
            return (_scope_permission(operation, arns),)


def _scope_permission(operation: Operation[object], arns: TableArns) -> RequiredPermission:
    """Return the permission of an operation that is not about items, by its scope."""
    spec = OPERATIONS.get(type(operation))
    if spec is None:
        # No policy can name this action, so only a policy that allows everything allows it.
        action = f"singletable:{type(operation).__name__}"
        return RequiredPermission(action, NO_RESOURCE, all_tables=True)
    table = next(table_names(operation), None)
    match spec.scope:
        case "tables":
            return RequiredPermission(spec.action, arns.arn("*"))
        case "any table" if table is None:
            return RequiredPermission(spec.action, arns.arn("*"), all_tables=True)
        case "account":
            return RequiredPermission(spec.action, NO_RESOURCE)
        case _ if table is not None and hasattr(operation, "resource_arn"):
            resource = arns.arn(arns.resolve_tagged(table, spec.action))
            return RequiredPermission(spec.action, resource)
        case _:
            _, resource = _resolve(table, spec.action, arns)
            return RequiredPermission(spec.action, resource)


def _resolve(table: str | None, action: str, arns: TableArns) -> tuple[str | None, str]:
    """Return the name and ARN of a table; a malformed request may have none.

    All spellings of a table resolve to one ARN, so none of them evades a policy.
    """
    if not table:
        return None, NO_RESOURCE
    name = arns.resolve(table, action)
    return name, arns.arn(name)


def _item_permission(
    operation: PutItem | GetItem | UpdateItem | DeleteItem | Query | Scan,
    action: str,
    arns: TableArns,
    *,
    select: str | None = None,
) -> RequiredPermission:
    permission = _table_permission(action, operation.table_name, operation, arns, select=select)
    capacity = operation.return_consumed_capacity or NONE
    return replace(permission, return_consumed_capacity=capacity)


def _write_permissions(
    operation: PutItem | UpdateItem | DeleteItem, action: str, arns: TableArns
) -> Iterator[RequiredPermission]:
    permission = _item_permission(operation, action, arns)
    yield replace(permission, return_values=operation.return_values or NONE)
    # A failed condition can return the whole item as well, so that must be allowed too.
    if operation.return_values_on_condition_check_failure == ALL_OLD:
        yield replace(permission, return_values=ALL_OLD)


def _page_permission(operation: Query | Scan, action: str, arns: TableArns) -> RequiredPermission:
    index = operation.index_name
    default = ALL if index is None else ALL_PROJECTED
    select = operation.select or (SPECIFIC if _names_attributes(operation) else default)
    permission = _item_permission(operation, action, arns, select=select)
    if index is None:
        return permission
    return replace(permission, resource=f"{permission.resource}/index/{index}", index=index)


def _batch_permissions(
    operation: BatchGetItem | BatchWriteItem, action: str, arns: TableArns
) -> Iterator[RequiredPermission]:
    if not operation.request_items:
        yield RequiredPermission(action, NO_RESOURCE)
    elif isinstance(operation, BatchGetItem):
        for table, keys in operation.request_items.items():
            yield _table_permission(action, table, keys, arns, select=_selected(keys))
    else:
        for table, writes in operation.request_items.items():
            yield _table_permission(action, table, tuple(writes), arns)


def _transaction_permissions(
    operation: TransactGetItems | TransactWriteItems, arns: TableArns
) -> Iterator[RequiredPermission]:
    """Yield the permission of each action; the driver rejects an empty one later."""
    if isinstance(operation, TransactGetItems):
        for read in operation.transact_items or ():
            get = cast("Get | None", read.get)  # may be missing in a malformed request
            if get is not None:
                yield _table_permission(
                    "dynamodb:GetItem", get.table_name, get, arns, select=_selected(get)
                )
        return
    for write in operation.transact_items or ():
        for action, part in (
            ("dynamodb:ConditionCheckItem", write.condition_check),
            ("dynamodb:PutItem", write.put),
            ("dynamodb:DeleteItem", write.delete),
            ("dynamodb:UpdateItem", write.update),
        ):
            if part is not None:
                permission = _table_permission(action, part.table_name, part, arns)
                returned = part.return_values_on_condition_check_failure or NONE
                yield replace(permission, return_values=returned)


def _table_permission(
    action: str,
    table: str | None,
    request: ItemRequest,
    arns: TableArns,
    *,
    select: str | None = None,
) -> RequiredPermission:
    """Return the permission for items of a table, which is None in a malformed request."""
    name, resource = _resolve(table, action, arns)
    return RequiredPermission(action, resource, name, request=request, select=select)


def _selected(read: object) -> str:
    return SPECIFIC if _names_attributes(read) else ALL


def _names_attributes(read: object) -> bool:
    """Return whether a read names the attributes to return."""
    return any(
        getattr(read, field, None) is not None
        for field in ("projection_expression", "attributes_to_get")
    )
