"""Write an item where the application writes it, and carry it over to the other side.

A write takes these requests: open the marker of the item, read the item and add its image to the
marker, execute the application's request, derive the new items (read, write, read again), and close
the marker. `markers.py` says why nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from secrets import token_hex
from typing import Any

from singletable.errors import SingleTableError, TransformFailed
from singletable.migration.copy import changed_units
from singletable.migration.derivation import Derivation, Source, Unit
from singletable.migration.markers import (
    Marker,
    MarkerSlots,
    image_digest,
    marker_changes,
    marker_id,
    single_items,
)
from singletable.operations import Operation
from singletable.operations.touches import WRITES, touches
from singletable.schema import Table
from singletable.steps import Steps, together
from singletable.store.batch import get_items
from singletable.store.writes import ItemId, item_id
from singletable.values import Item, check_value, key_bytes

_MAX_ATTEMPTS = 20
_MAX_KEY_BYTES = 2048


@dataclass(frozen=True, slots=True)
class WrittenItem:
    """An item that a request writes: its table and key, and the item itself if it is put."""

    table: Table
    key: Item
    image: Item | None


def written_items(operation: Operation[Any], tables: Mapping[str, Table]) -> list[WrittenItem]:
    """Return the items of some tables that a request writes, each once.

    An item without a valid key is left out: DynamoDB rejects the request.
    """
    found: dict[str, WrittenItem] = {}
    for touch in touches(operation):
        table = tables.get(touch.table)
        if table is None or touch.access not in WRITES:
            continue
        key = _key_of(table, touch.item)
        if key is not None:
            image = touch.item if touch.access == "put" else None
            found[marker_id(touch.table, key)] = WrittenItem(table, key, image)
    return list(found.values())


def _key_of(table: Table, item: Item) -> Item | None:
    """Return the key of an item; None if DynamoDB would not accept it."""
    key: Item = {}
    for attribute in table.key_attributes:
        try:
            value = check_value(item[attribute.name])[0]
            size = len(key_bytes(value))
        except (KeyError, TypeError, ValueError, SingleTableError):
            return None
        if [*value] != [attribute.type] or not 0 < size <= _MAX_KEY_BYTES:
            return None
        key[attribute.name] = value
    return key


@dataclass(frozen=True, slots=True)
class Direction:
    """Which way changes are copied, and how each target table is derived."""

    derivations: Sequence[Derivation]
    slots: MarkerSlots
    # By their names in requests.
    tables: Mapping[str, Table]


def direction(derivations: Sequence[Derivation], slots: MarkerSlots) -> Direction:
    """Return the direction of derivations, which all have the same sources."""
    context = derivations[0].context
    tables = {context.table_name(table): table for table in derivations[0].sources}
    return Direction(derivations, slots, tables)


class DualWrite:
    """One write of the application: the markers of its items, and how they are carried over.

    Call `open` before the request is executed. Then call `finish` after a success, `cancel` after
    a rejection, and `carry_over` if the outcome is unknown: then the markers stay open, because the
    request may still be executed.
    """

    def __init__(self, direction: Direction, items: Sequence[WrittenItem]) -> None:
        self._direction = direction
        self._slots = direction.slots
        self._context = direction.derivations[0].context
        self._items = {
            marker_id(self._context.table_name(item.table), item.key): item for item in items
        }
        self._writer = token_hex(8)
        self._markers: dict[str, Marker] = {}
        # Images of which no targets were written, except by others.
        self._found: dict[str, set[str]] = {}

    def open(self) -> Steps[None]:
        """Open the markers, and add what is stored now and what is about to be stored."""
        name = self._context.table_name
        opened = yield from together(
            [
                self._slots.open(name(item.table), item.key, self._writer)
                for item in self._items.values()
            ]
        )
        self._markers = {marker.id: marker for marker in opened}
        self._found = {marker.id: set(marker.images) for marker in opened}
        keys = {item_id(name(item.table), item.key): item.key for item in self._items.values()}
        stored = yield from get_items(self._context, self._direction.tables, keys, consistent=True)
        yield from together(
            [self._add_older(id_, item, stored) for id_, item in self._items.items()]
        )

    def _add_older(self, id_: str, item: WrittenItem, stored: Mapping[ItemId, Item]) -> Steps[None]:
        older = stored.get(item_id(self._context.table_name(item.table), item.key))
        images = [image for image in (older, item.image) if image is not None]
        self._markers[id_] = yield from self._slots.add_images(self._markers[id_], images)

    def reopen(self) -> Steps[None]:
        """Open the markers again, because they may have been removed in the meantime."""
        for id_, item in self._items.items():
            table = self._context.table_name(item.table)
            before = self._markers[id_]
            marker = yield from self._slots.open(table, item.key, self._writer)
            self._markers[id_] = yield from self._slots.add_images(marker, before.images.values())

    def cancel(self) -> Steps[None]:
        """Close the markers, because nothing was changed."""
        for id_, marker in self._markers.items():
            # Images that others have left are not carried over yet.
            yield from self._slots.leave(marker, self._writer, keep=bool(self._found[id_]))

    def finish(self, *, keep: bool) -> Steps[None]:
        """Carry the items over and close the markers.

        Raises TransformFailed if a rule fails; the markers of items that fail stay, for the runner.
        """
        try:
            yield from self.carry_over(list(self._markers))
        except TransformFailed as error:
            if len(self._markers) == 1:
                yield from self._leave_all()
                raise
            yield from self._finish_each(error, keep=keep)
            raise
        yield from together([self._close(id_, keep=keep) for id_ in self._markers])

    def _finish_each(self, error: TransformFailed, *, keep: bool) -> Steps[None]:
        """Carry over the items one by one: one that fails does not hold back the others."""
        for id_, marker in self._markers.items():
            try:
                yield from self.carry_over([id_])
            except TransformFailed:
                yield from self._slots.leave(marker, self._writer, keep=True)
            else:
                yield from self._close(id_, keep=keep)

    def _leave_all(self) -> Steps[None]:
        for marker in self._markers.values():
            yield from self._slots.leave(marker, self._writer, keep=True)

    def _close(self, id_: str, *, keep: bool) -> Steps[None]:
        marker = self._markers[id_]
        changed = yield from self._slots.close(marker, self._writer, keep=keep)
        if changed is None:
            return
        # Others are changing the item, too. They may have written targets of images that only they
        # know, of states that this write has replaced.
        is_known = changed.images.keys() <= marker.images.keys()
        self._markers[id_] = changed
        if not is_known:
            yield from self.carry_over([id_])
        yield from self._slots.leave(changed, self._writer, keep=keep)

    def carry_over(self, ids: Sequence[str] | None = None) -> Steps[None]:
        """Derive the new items from the items stored now; delete those of other images."""
        ids = list(self._markers) if ids is None else ids
        for _ in range(_MAX_ATTEMPTS):
            before = {id_: set(self._markers[id_].images) for id_ in ids}
            added: dict[str, set[str]] = {id_: set() for id_ in ids}
            changes = [
                change
                for id_ in ids
                for change in marker_changes(self._markers[id_], self._direction.tables)
            ]
            for derivation in self._direction.derivations:
                units = yield from changed_units(derivation, changes)
                yield from derivation.carry_over(units, journal=partial(self._add_images, added))
            # Adding an image to a marker shows the images of others.
            if all(self._markers[id_].images.keys() <= before[id_] | added[id_] for id_ in ids):
                return

    def _add_images(
        self, added: dict[str, set[str]], sources: Mapping[Unit, Source]
    ) -> Steps[None]:
        """Add the states from which targets are about to be written to the markers."""
        for unit, source in single_items(sources):
            id_ = marker_id(self._context.table_name(unit.table), unit.key)
            if id_ in self._markers:
                self._markers[id_] = yield from self._slots.add_images(self._markers[id_], source)
                if id_ in added:
                    added[id_] |= set(map(image_digest, source))
