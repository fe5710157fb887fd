"""The writes that a transaction has planned, which its next changes see as if they were stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import dropwhile

from msgspec.structs import replace

from dynamodb_engine.expressions import Action, Constant, Remove, Set, update_paths
from dynamodb_engine.operations import GetItem, GetItemOutput
from dynamodb_engine.retry import RetryPolicy, send
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item, check_item
from singletable.errors import ConditionFailed
from singletable.store.writes import (
    ItemId,
    Write,
    apply_write,
    both,
    item_id,
    merge_in_order,
    same_value,
    tested_paths,
)


class PendingWrites:
    """The planned writes of each item, and the items that were read to plan them."""

    def __init__(self) -> None:
        self._writes: dict[ItemId, list[Write]] = {}
        self._stored: dict[ItemId, Item | None] = {}

    def clear(self) -> None:
        """Forget everything, to plan the transaction again."""
        self._writes.clear()
        self._stored.clear()

    def add(self, writes: Iterable[Write]) -> None:
        """Add the writes of the next change."""
        for write in writes:
            self._writes.setdefault(write.item_id, []).append(write)

    def read(self, policy: RetryPolicy, table: str, key: Item) -> Steps[Item | None]:
        """Return the item as the writes so far leave it; raise the error of one that fails."""
        id_ = item_id(table, key)
        item = yield from self._read_stored(policy, id_, key)
        if id_ in self._writes:
            for write in _ordered(self._writes[id_], item):
                item = apply_write(write, item)
        return item

    def merge(self, policy: RetryPolicy) -> Steps[list[Write]]:
        """Return one write for each item; read the item if that depends on it."""
        merged: list[Write] = []
        for id_, writes in self._writes.items():
            if len(writes) == 1:
                merged += writes
                continue
            try:
                one = merge_in_order(writes)
            except ConditionFailed:
                one = None  # the stored item decides which one fails first
            if one is None:
                stored = yield from self._read_stored(policy, id_, writes[0].key)
                one = _merge_into(stored, writes)
            merged.append(one)
        return merged

    def _read_stored(self, policy: RetryPolicy, id_: ItemId, key: Item) -> Steps[Item | None]:
        if id_ not in self._stored:
            get = GetItem(id_[0], key, consistent_read=True)
            output: GetItemOutput = yield from send(policy, get)
            # In canonical form, as conditions are tested here.
            self._stored[id_] = None if output.item is None else check_item(output.item)[0]
        return self._stored[id_]


def _ordered(writes: Sequence[Write], stored: Item | None) -> Sequence[Write]:
    """Return the writes in their order, but create an item before others are counted in it."""
    if stored is not None:
        return writes
    rest = list(dropwhile(lambda write: write.counts, writes))
    counts = writes[: len(writes) - len(rest)]
    return [rest[0], *counts, *rest[1:]] if rest else []


def _merge_into(stored: Item | None, writes: Sequence[Write]) -> Write:
    """Return one write with the same result, guarded by the values that the writes depend on."""
    new = stored
    names = {next(iter(writes[0].key))}
    for write in _ordered(writes, stored):
        new = apply_write(write, new)
        if stored is not None:
            paths = (*tested_paths(write), *update_paths(write.actions))
            names |= {str(path[0]) for path in paths}
    guard = None
    for name in sorted(names):
        guard = both(guard, same_value((name,), stored or {}))
    write = replace(writes[-1], item=None, actions=(), condition=None, guard=guard, optional=False)
    if new is None:
        return replace(write, kind="check" if stored is None else "delete")
    if stored is None or any(one.kind in ("put", "delete") for one in writes):
        return replace(write, kind="put", item=new)
    actions: list[Action] = [
        Set((name,), Constant(value)) for name, value in new.items() if stored.get(name) != value
    ]
    actions += [Remove((name,)) for name in stored if name not in new]
    return replace(write, kind="update" if actions else "check", actions=tuple(actions))
