"""Find an item by a unique value: the marker names its owner."""

from __future__ import annotations

from typing import TypeVar

from singletable.operations import GetItem, GetItemOutput
from singletable.retry import Steps, send
from singletable.schema import ItemKey, UniqueValue, model_of
from singletable.store.context import Context
from singletable.store.given import check_taken
from singletable.store.items import get

E = TypeVar("E")


def find(context: Context, taken: UniqueValue[E]) -> Steps[E | None]:
    """The item that has a unique value; None if nobody has it, or had it and gave it up."""
    check_taken(taken)
    model = model_of(taken.entity)
    marker = model.uniques[taken.unique]
    key = marker.asked(taken.values)
    get_marker = GetItem(context.name(model.table), key, consistent_read=True)
    got: GetItemOutput = yield from send(context.patience, get_marker)
    if got.item is None:
        return None
    owner = marker.owner(got.item)
    item = yield from get(context, ItemKey(taken.entity, owner, {}), consistent=True)
    if item is None or marker.key(item.__dict__) != key:
        return None
    return item
