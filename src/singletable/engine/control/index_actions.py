"""What UpdateTable does with indexes: one action an index, and each a whole one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from singletable.engine.control.key_schemas import check_global_key
from singletable.engine.control.projections import check_projection
from singletable.engine.control.throughput import check_bounds
from singletable.errors import ValidationError
from singletable.operations import (
    AttributeDefinition,
    CreateGlobalSecondaryIndexAction,
    DeleteGlobalSecondaryIndexAction,
    GlobalSecondaryIndexUpdate,
    UpdateGlobalSecondaryIndexAction,
    UpdateTable,
)
from singletable.values import INVALID

Action: TypeAlias = (
    UpdateGlobalSecondaryIndexAction
    | CreateGlobalSecondaryIndexAction
    | DeleteGlobalSecondaryIndexAction
)
NO_ACTION = (
    f"{INVALID}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
    "GlobalSecondaryIndexUpdate.Delete must not be null"
)
SEVERAL_ACTIONS = (
    f"{INVALID}Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate "
    "object"
)


def actions_of(request: UpdateTable) -> list[Action]:
    """The actions, in order; raises ValidationError if one is not whole or an index has two."""
    actions = [_action(update) for update in request.global_secondary_index_updates or ()]
    seen: set[str] = set()
    for action in actions:
        if action.index_name in seen:
            raise ValidationError(
                f"{INVALID}Only one global secondary index update per index is allowed "
                f"simultaneously. Index: {action.index_name}"
            )
        seen.add(action.index_name)
    return actions


def makes_or_unmakes(action: Action) -> bool:
    """Whether an index comes or goes, rather than changes."""
    return not isinstance(action, UpdateGlobalSecondaryIndexAction)


def check_new_index(
    index: CreateGlobalSecondaryIndexAction, definitions: Sequence[AttributeDefinition] | None
) -> None:
    """Raise unless such an index can be. The definitions that the table has do not count."""
    if definitions is None:
        raise ValidationError(
            f"{INVALID}AttributeDefinitions is not specified for index: {index.index_name}"
        )
    check_global_key(index, definitions)
    check_projection(index.projection)
    if index.provisioned_throughput is not None:
        check_bounds(index.provisioned_throughput, f" for index {index.index_name}")


def _action(update: GlobalSecondaryIndexUpdate) -> Action:
    actions = [a for a in (update.update, update.create, update.delete) if a is not None]
    if not actions:
        raise ValidationError(NO_ACTION)
    if len(actions) > 1:
        raise ValidationError(SEVERAL_ACTIONS)
    return actions[0]
