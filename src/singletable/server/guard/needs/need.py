"""One permission that an operation needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from singletable.operations import (
    ConditionCheck,
    Delete,
    DeleteItem,
    Get,
    GetItem,
    KeysAndAttributes,
    Put,
    PutItem,
    Query,
    Scan,
    Update,
    UpdateItem,
    WriteRequest,
)

# What of a request is about the items of one table: the request itself, or a part of it.
Part: TypeAlias = (
    PutItem
    | GetItem
    | UpdateItem
    | DeleteItem
    | Query
    | Scan
    | KeysAndAttributes
    | Get
    | Put
    | Update
    | Delete
    | ConditionCheck
    | tuple[WriteRequest, ...]
)


@dataclass(frozen=True, slots=True)
class Need:
    """An action on a resource. What a condition may ask about is None where it does not apply.

    `everywhere` is said of an action that reaches into every table.
    """

    action: str
    resource: str
    table: str | None = None
    index: str | None = None
    part: Part | None = None
    enclosing_operation: str | None = None
    select: str | None = None
    return_values: str | None = None
    return_consumed_capacity: str | None = None
    everywhere: bool = False
