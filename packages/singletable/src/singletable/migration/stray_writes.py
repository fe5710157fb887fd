"""Find writes to the old tables after the cut-over, by processes that still use them.

Changes that were carried back are in the change feed of the old tables, too. An old item is as
carried back if deriving its new items, and the old items of these again, gives the same item.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import TransformFailed
from singletable.migration.change_log import ChangedItem, ChangeLog
from singletable.migration.copy import changed_units, read_item, unit_or_none
from singletable.migration.derivation import Derivation, Targets
from singletable.schema import Table
from singletable.store.writes import ItemId, item_id

# How many changed items are looked at at a time.
MAX_LOOKED_AT = 1_000


@dataclass
class _ChangedOldItem:
    table: Table
    key: Item
    images: list[Item] = field(default_factory=list[Item])
    is_expired: bool = False


@dataclass(frozen=True, slots=True)
class StrayWrites:
    """The keys of old items that others wrote, among the changes up to a position."""

    keys: tuple[Item, ...]
    position: str


def find_stray_writes(
    log: ChangeLog,
    position: str,
    forward: Derivation,
    back: Sequence[Derivation],
    uncarried: Steps[set[ItemId]],
) -> Steps[StrayWrites]:
    """Return which old items changed after a position, but not by carrying back.

    `uncarried` finds the old items of changes that are not carried back yet: they may differ.
    """
    changed: dict[ItemId, _ChangedOldItem] = {}
    is_last = False
    while not is_last and len(changed) < MAX_LOOKED_AT:
        batch = yield from log.read(position)
        position, is_last = batch.position, batch.is_last
        for change in batch.changes:
            id_ = item_id(forward.context.table_name(change.table), change.key)
            one = changed.setdefault(id_, _ChangedOldItem(change.table, change.key))
            one.images += [image for image in (change.old, change.new) if image is not None]
            one.is_expired = change.expired
    stray: dict[ItemId, Item] = {}
    for id_, one in changed.items():
        if one.is_expired:
            continue
        now = yield from read_item(forward, one.table, one.key)
        expected = yield from _carried_back(forward, back, one)
        then = expected.get(id_)
        if now is not then and (now is None or then is None or not forward.is_same(now, then)):
            stray[id_] = one.key
    # Read last, so that it includes changes during the comparison.
    later = (yield from uncarried) if stray else set[ItemId]()
    keys = tuple(key for id_, key in stray.items() if id_ not in later)
    return StrayWrites(keys, position)


def uncarried_items(
    log: ChangeLog, position: str, back: Sequence[Derivation]
) -> Steps[set[ItemId]]:
    """Return the old items derived from changes after a position, or from the state before."""
    found: set[ItemId] = set()
    is_last = False
    while not is_last:
        batch = yield from log.read(position)
        position, is_last = batch.position, batch.is_last
        for derivation in back:
            with suppress(TransformFailed):
                units = yield from changed_units(derivation, batch.changes)
                current = yield from derivation.read(list(units))
                for unit, older in units.items():
                    for source in (current[unit], *older):
                        with suppress(TransformFailed):
                            found.update(derivation.targets(unit, source))
    return found


def _carried_back(
    forward: Derivation, back: Sequence[Derivation], changed: _ChangedOldItem
) -> Steps[Targets]:
    """Return the old items derived from the new items of the images of an old item."""
    found: Targets = {}
    if not back:
        return found
    new: Targets = {}
    for image in changed.images:
        unit = unit_or_none(forward, changed.table, image)
        if unit is not None:
            with suppress(TransformFailed):
                new |= forward.targets(unit, [image])
    for derivation in back:
        with suppress(TransformFailed):
            keys = [ChangedItem(forward.target, forward.key_of(item)) for item in new.values()]
            units = yield from changed_units(derivation, keys)
            sources = yield from derivation.read(list(units))
            for unit, source in sources.items():
                found |= derivation.targets(unit, source)
    return found
