"""Whether the item as it stands lets a write go on."""

from __future__ import annotations

from singletable.engine.write import Stored
from singletable.errors import ConditionFailed
from singletable.expressions import Condition, holds


def check_condition(condition: Condition | None, old: Stored, return_old: str | None) -> None:
    """Raise ConditionFailed unless the condition holds for the item, or for none if there is none.

    DynamoDB tests against an empty item then: that is how attribute_not_exists(pk) creates once.
    """
    if condition is None or holds(condition, old.item or {}):
        return
    raise ConditionFailed(item=old.item if return_old == "ALL_OLD" else None)
