"""Determine the permissions that an operation needs: IAM actions on resources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dynamodb_engine import operations as ops
from dynamodb_engine.operations.arn import TableArns
from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.operations.touches import (
    WRITES,
    Access,
    ItemRequest,
    StatementRequest,
    accesses,
    item_requests,
    named_stream,
    table_names,
)

# The resource of a request that names none, as AWS writes it.
NO_RESOURCE = "*"
ALL, ALL_PROJECTED, SPECIFIC = "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES"
NONE, ALL_OLD = "NONE", "ALL_OLD"
_TRANSACTIONS = (ops.TransactGetItems, ops.TransactWriteItems)
# A statement that is not well formed needs no permission: it is rejected anyway.
_STATEMENTS = (ops.ExecuteStatement, ops.BatchExecuteStatement, ops.ExecuteTransaction)
_STATEMENT_ACTIONS: dict[Access, str] = {
    "put": "dynamodb:PartiQLInsert",
    "update": "dynamodb:PartiQLUpdate",
    "delete": "dynamodb:PartiQLDelete",
}
# The actions of the parts of a transaction.
_ACTIONS: dict[type, str] = {
    ops.Get: "dynamodb:GetItem",
    ops.ConditionCheck: "dynamodb:ConditionCheckItem",
    ops.Put: "dynamodb:PutItem",
    ops.Update: "dynamodb:UpdateItem",
    ops.Delete: "dynamodb:DeleteItem",
}


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
        return None if self.request is None or isinstance(self.request, ops.Scan) else self.table


def required_permissions(
    operation: ops.Operation[object], arns: TableArns
) -> tuple[RequiredPermission, ...]:
    """Return everything that a policy must allow for the operation."""
    requests = item_requests(operation)
    if requests is None:
        return tuple(_table_permissions(operation, arns))
    if not requests and not isinstance(operation, (*_TRANSACTIONS, *_STATEMENTS)):
        return (RequiredPermission(OPERATIONS[type(operation)].action, NO_RESOURCE),)
    return tuple(
        permission
        for table, request in requests
        for permission in _item_permissions(operation, table, request, arns)
    )


def _table_permissions(
    operation: ops.Operation[object], arns: TableArns
) -> Iterator[RequiredPermission]:
    permission = _scope_permission(operation, arns)
    yield permission
    if isinstance(operation, ops.CreateTable):
        # Tags and a resource policy need the permissions of their own operations too.
        if operation.tags:
            yield replace(permission, action="dynamodb:TagResource")
        if operation.resource_policy:
            yield replace(permission, action="dynamodb:PutResourcePolicy")


def _scope_permission(operation: ops.Operation[object], arns: TableArns) -> RequiredPermission:
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
        case "stream":
            return RequiredPermission(spec.action, named_stream(operation) or NO_RESOURCE)
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


def _item_permissions(
    operation: ops.Operation[object], table: str | None, request: ItemRequest, arns: TableArns
) -> Iterator[RequiredPermission]:
    """Yield what a policy must allow for one part of an operation on items."""
    spec = OPERATIONS[type(operation)]
    writes, action = spec.writes, spec.action
    is_transaction = isinstance(operation, (*_TRANSACTIONS, ops.ExecuteTransaction))
    if isinstance(request, StatementRequest):
        ((access, _),) = accesses(request)
        writes = access in WRITES
        action = _STATEMENT_ACTIONS.get(access, "dynamodb:PartiQLSelect")
    elif is_transaction:
        action = _ACTIONS[type(request)]
    name, resource = _resolve(table, action, arns)
    index: str | None = getattr(request, "index_name", None)
    capacity: str | None = getattr(operation, "return_consumed_capacity", None)
    permission = RequiredPermission(
        action,
        resource if index is None else f"{resource}/index/{index}",
        name,
        index,
        request,
        spec.name if is_transaction else None,
        None if writes else _selected(request),
        return_consumed_capacity=capacity or NONE,
    )
    if not writes or isinstance(request, tuple):
        yield permission
        return
    returned = [getattr(request, "return_values_on_condition_check_failure", None) or NONE]
    if not is_transaction:
        # A failed condition can return the whole item as well, so that must be allowed too.
        failed = [ALL_OLD] if returned == [ALL_OLD] else []
        returned = [_return_values(request) or NONE, *failed]
    for values in returned:
        yield replace(permission, return_values=values)


def _return_values(request: ItemRequest) -> str | None:
    source = request.bind() if isinstance(request, StatementRequest) else request
    field = "returning" if isinstance(request, StatementRequest) else "return_values"
    return getattr(source, field, None)


def _selected(read: ItemRequest) -> str:
    if isinstance(read, StatementRequest) and getattr(read.bind(), "projection", None) is not None:
        return SPECIFIC
    selected: str | None = getattr(read, "select", None)
    if selected:
        return selected
    fields = ("projection_expression", "attributes_to_get")
    if any(getattr(read, field, None) is not None for field in fields):
        return SPECIFIC
    return ALL if getattr(read, "index_name", None) is None else ALL_PROJECTED
