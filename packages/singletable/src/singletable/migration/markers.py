"""Markers of items that are being changed: the change log of tables without a change feed.

While an old item is changed through a `MigratingDriver`, it has a marker: which writers are at
work, and the images that the item may have or have had. Markers are attributes of a fixed number of
state items of the target table, the slots. So opening one is a single unconditional update, all of
them can be read by key, and none needs a table or an index of its own.

What must hold, and why nothing is lost:

1. A marker is opened before its item is written, and closed after the item is carried over. After a
   crash it stays open, and the runner carries the item over.
2. A write to the target of a marked item is derived from an image in its marker: every image is
   added before its targets are written. The first writer adds the image that it reads after it has
   opened the marker, which is the one that was copied last. So every process that carries the item
   over knows all targets that may have to be deleted.
3. A writer closes its marker on the condition that no other writer has changed it. Otherwise it
   first carries the item over again, with the images of the others.
4. The marker ends with its last writer. But while a scan runs, it stays until the runner has
   carried the item over: a page that was read before the change may be written after it. And a page
   leaves out items that have a marker.
"""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import cast
from zlib import compress, decompress

from singletable.errors import (
    ConditionFailed,
    TrimmedDataAccess,
    ValidationError,
)
from singletable.migration.change_log import ChangeBatch, ChangedItem
from singletable.migration.derivation import Source, Unit
from singletable.migration.state import persist, state_key
from singletable.operations import DeleteItem, PutItem, UpdateItem, WriteItemOutput
from singletable.retry import RetryPolicy
from singletable.schema import Table
from singletable.schema.table import STATE_ATTRIBUTE
from singletable.steps import Pause, Steps, together
from singletable.store.batch import get_items
from singletable.store.context import Context
from singletable.store.writes import item_id
from singletable.values import AttributeValue, Item, item_from_json, item_to_json

SLOTS = 64
# A writer that has not finished after this time is presumed dead.
GRACE_SECONDS = 30.0
_SETTLE_PAUSE = 0.05
_MAX_SETTLE_PAUSE = 2.0
_OVERFLOW = "overflow"
_MAX_ATTEMPTS = 5
_COMPRESSED_FROM = 1_000


@dataclass(frozen=True, slots=True)
class Marker:
    """An item that is being changed.

    `revision` is another one after each change of the marker.
    """

    id: str
    table: str
    key: Item
    revision: str = ""
    writers: frozenset[str] = frozenset()
    # By digest.
    images: Mapping[str, Item] = field(default_factory=dict[str, Item])

    @property
    def attributes(self) -> list[str]:
        """The names of the attributes of the slot that belong to the marker."""
        return [
            f"key:{self.id}",
            f"revision:{self.id}",
            *(f"writer:{self.id}:{writer}" for writer in self.writers),
            *(f"image:{self.id}:{digest}" for digest in self.images),
        ]


def marker_id(table: str, key: Item) -> str:
    """Return the id of the marker of an item."""
    name, parts = item_id(table, key)
    digest = hashlib.sha256(name.encode())
    for part in parts:
        digest.update(len(part).to_bytes(4, "big") + part)
    return digest.hexdigest()[:20]


class MarkerSlots:
    """Opens, changes, closes and reads the markers of one migration.

    `table` is the target of the copy, `table_name` its name for requests.
    """

    def __init__(
        self,
        table: Table,
        table_name: str,
        migration: str,
        policy: RetryPolicy | None = None,
    ) -> None:
        self._table = table
        self._table_name = table_name
        self._migration = migration
        self._policy = policy or RetryPolicy()
        self._keys = [state_key(table, migration, "changes", str(slot)) for slot in range(SLOTS)]

    def open(self, table: str, key: Item, writer: str) -> Steps[Marker]:
        """Open the marker of an item for a writer, and return it."""
        id_ = marker_id(table, key)
        located = item_to_json({"table": {"S": str(table)}, "key": {"M": key}}).decode()
        changes: dict[str, AttributeValue] = {
            f"key:{id_}": {"S": located},
            f"writer:{id_}:{writer}": {"BOOL": True},
        }
        slot = yield from self._set(id_, changes)
        return _markers(slot).get(id_) or Marker(id_, table, key, "", frozenset((writer,)))

    def add_images(self, marker: Marker, images: Iterable[Item]) -> Steps[Marker]:
        """Add images of the item, unless the marker has them, and return the marker."""
        added = {digest: image for image in images if (digest := image_digest(image))}
        missing = added.keys() - marker.images.keys()
        if not missing:
            return marker
        changes: dict[str, AttributeValue] = {
            f"image:{marker.id}:{digest}": _packed(added[digest]) for digest in missing
        }
        slot = yield from self._set(marker.id, changes)
        return _markers(slot).get(marker.id, marker)

    def close(self, marker: Marker, writer: str, *, keep: bool) -> Steps[Marker | None]:
        """Remove a writer if the marker has not changed since; else return the marker as it is.

        Its last writer removes the marker, unless `keep`.
        """
        is_last = marker.writers <= {writer} and not keep
        names = marker.attributes if is_last else [f"writer:{marker.id}:{writer}"]
        try:
            yield from self._remove(marker, names)
        except ConditionFailed as error:
            found = _markers(cast(Item, error.item or {})).get(marker.id)
            return None if found is None or writer not in found.writers else found
        return None

    def leave(self, marker: Marker, writer: str, *, keep: bool) -> Steps[None]:
        """Remove a writer in any case, and the marker if it was the last one, unless `keep`."""
        slot = yield from self._update(marker.id, remove=[f"writer:{marker.id}:{writer}"])
        found = _markers(slot).get(marker.id)
        if found is not None and not found.writers and not keep:
            yield from self.remove(found)

    def remove(self, marker: Marker) -> Steps[bool]:
        """Remove a marker, unless it has changed; return whether it is removed."""
        try:
            yield from self._remove(marker, marker.attributes)
        except ConditionFailed:
            return False
        return True

    def read(self) -> Steps[dict[str, Marker]]:
        """Return all markers by id; raise TrimmedDataAccess if there were too many."""
        context = Context(retry_policy=self._policy)
        keys = {item_id(self._table_name, key): key for key in self._keys}
        slots = yield from get_items(
            context, {self._table_name: self._table}, keys, consistent=True
        )
        if any(_OVERFLOW in slot for slot in slots.values()):
            raise TrimmedDataAccess(
                "More items changed than there is room for markers, because the migration was not "
                "run for a long time."
            )
        found: dict[str, Marker] = {}
        for slot in slots.values():
            found |= _markers(slot)
        return found

    def delete(self) -> Steps[None]:
        """Delete all slots, at the end of the migration."""
        for key in self._keys:
            yield from persist(self._policy, DeleteItem(self._table_name, key))

    def _slot_key(self, id_: str) -> Item:
        return self._keys[int(id_[:8], 16) % SLOTS]

    def _set(self, id_: str, changes: Mapping[str, AttributeValue]) -> Steps[Item]:
        revision: Mapping[str, AttributeValue] = {f"revision:{id_}": {"S": token_hex(8)}}
        return (yield from self._update(id_, {**changes, **revision}))

    def _remove(self, marker: Marker, names: Sequence[str]) -> Steps[None]:
        yield from self._update(marker.id, remove=names, revision=marker.revision)

    def _update(
        self,
        id_: str,
        changes: Mapping[str, AttributeValue] | None = None,
        remove: Sequence[str] = (),
        revision: str | None = None,
    ) -> Steps[Item]:
        """Change attributes of a slot, and return the slot."""
        sets: Item = {STATE_ATTRIBUTE: {"S": self._migration}, **(changes or {})}
        numbers = {name: number for number, name in enumerate([*sets, *remove])}
        text = "SET " + ", ".join(f"#{numbers[name]} = :{numbers[name]}" for name in sets)
        if remove:
            text += " REMOVE " + ", ".join(f"#{numbers[name]}" for name in remove)
        names = {f"#{number}": name for name, number in numbers.items()}
        values: Item = {f":{numbers[name]}": value for name, value in sets.items()}
        if revision is not None:
            names["#revision"] = f"revision:{id_}"
            values[":revision"] = {"S": revision}
        update = UpdateItem(
            self._table_name,
            self._slot_key(id_),
            update_expression=text,
            condition_expression=None if revision is None else "#revision = :revision",
            expression_attribute_names=names,
            expression_attribute_values=values,
            return_values="ALL_NEW",
            return_values_on_condition_check_failure="ALL_OLD",
        )
        try:
            output: WriteItemOutput = yield from persist(self._policy, update, _MAX_ATTEMPTS)
        except ValidationError as error:
            if "size" not in error.message:
                raise
            yield from self._overflow(id_)
            return {}
        return output.attributes or {}

    def _overflow(self, id_: str) -> Steps[None]:
        """Give up a slot that is full: the copy must start again, but the application goes on."""
        slot: Item = {
            **self._slot_key(id_),
            STATE_ATTRIBUTE: {"S": self._migration},
            _OVERFLOW: {"BOOL": True},
        }
        yield from persist(self._policy, PutItem(self._table_name, slot))


def image_digest(image: Item) -> str:
    """Return the id of an image within its marker."""
    return hashlib.sha256(item_to_json(dict(sorted(image.items())))).hexdigest()[:20]


def _packed(image: Item) -> AttributeValue:
    """Return an image as an attribute; a slot has room for 400 KB."""
    json = item_to_json(image)
    if len(json) < _COMPRESSED_FROM:
        return {"S": json.decode()}
    return {"B": b64encode(compress(json)).decode()}


def _unpacked(value: AttributeValue) -> Item:
    if "B" in value:
        return item_from_json(decompress(b64decode(value["B"])))
    return item_from_json(str(value.get("S")).encode())


def _markers(slot: Item) -> dict[str, Marker]:
    """Return the markers in a slot."""
    parts: dict[str, dict[str, list[tuple[str, AttributeValue]]]] = {}
    for name, value in slot.items():
        kind, _, rest = name.partition(":")
        if kind in ("key", "revision", "writer", "image"):
            id_, _, detail = rest.partition(":")
            parts.setdefault(id_, {}).setdefault(kind, []).append((detail, value))
    markers: dict[str, Marker] = {}
    for id_, kinds in parts.items():
        if "key" not in kinds or "revision" not in kinds:
            continue
        located = item_from_json(str(kinds["key"][0][1].get("S")).encode())
        markers[id_] = Marker(
            id_,
            str(located["table"].get("S")),
            located["key"]["M"],
            str(kinds["revision"][0][1].get("S")),
            frozenset(writer for writer, _ in kinds.get("writer", [])),
            {digest: _unpacked(value) for digest, value in kinds.get("image", [])},
        )
    return markers


class MarkerChanges:
    """The change log of a copy that MigratingDrivers write.

    Only the process that holds the lease of the migration reads it. `tables` are the tables
    that are authoritative: the old ones before the cut-over, the new one after it.
    """

    def __init__(
        self,
        slots: MarkerSlots,
        context: Context,
        tables: Sequence[Table],
        clock: Callable[[], float],
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._slots = slots
        self._tables = {context.table_name(table): table for table in tables}
        self._context = context
        self._clock = clock
        self._grace = grace_seconds
        # When this process first saw a writer. Clocks of other processes are not relied on.
        self._seen: dict[str, float] = {}
        # The markers of the batch that was read last.
        self._read: dict[str, Marker] = {}

    def end(self) -> Steps[str]:
        """Return the only position: markers are removed when they are carried over."""
        yield from ()
        return ""

    def read(self, position: str) -> Steps[ChangeBatch]:
        """Return the items with markers, once per image; not those that writers are at work on."""
        found = yield from self._own_markers()
        self._read = {
            marker.id: marker for marker in found if all(map(self._is_dead, marker.writers))
        }
        changes = [
            change
            for marker in self._read.values()
            for change in marker_changes(marker, self._tables)
        ]
        return ChangeBatch(changes, position)

    def complete(self, batch: ChangeBatch) -> Steps[None]:
        """Remove the markers of a batch, unless they have changed."""
        finished, self._read = self._read, {}
        yield from together([self._slots.remove(marker) for marker in finished.values()])

    def journal(self, sources: Mapping[Unit, Source]) -> Steps[None]:
        """Add the states from which targets are about to be written to the markers."""
        for unit, source in single_items(sources):
            id_ = marker_id(self._context.table_name(unit.table), unit.key)
            marker = self._read.get(id_)
            if marker is not None:
                self._read[id_] = yield from self._slots.add_images(marker, source)

    def without_markers(self, table: Table, items: list[Item]) -> Steps[list[Item]]:
        """Return the items of a page that have no marker; the others are in the log."""
        markers = yield from self._slots.read()
        name = self._context.table_name(table)
        keys = [one.name for one in table.key_attributes]
        return [
            item
            for item in items
            if marker_id(name, {key: item[key] for key in keys}) not in markers
        ]

    def settle(self) -> Steps[None]:
        """Wait until no writer is at work; no new ones begin while the phase is `switching`."""
        pause = _SETTLE_PAUSE
        while True:
            try:
                found = yield from self._own_markers()
            except TrimmedDataAccess:
                return  # reading the changes says what to do
            if all(self._is_dead(writer) for marker in found for writer in marker.writers):
                return
            yield Pause(pause, "progress")
            pause = min(2 * pause, _MAX_SETTLE_PAUSE)

    def _own_markers(self) -> Steps[list[Marker]]:
        markers = yield from self._slots.read()
        found = [marker for marker in markers.values() if marker.table in self._tables]
        now = self._clock()
        writers = {writer for marker in found for writer in marker.writers}
        self._seen = {writer: self._seen.get(writer, now) for writer in writers}
        return found

    def _is_dead(self, writer: str) -> bool:
        return self._clock() - self._seen.get(writer, self._clock()) >= self._grace


def single_items(sources: Mapping[Unit, Source]) -> Iterator[tuple[Unit, list[Item]]]:
    """Yield the units of one item that is stored; the keys of what a group becomes are fixed."""
    for unit, source in sources.items():
        if source and isinstance(source[0], dict):
            yield unit, source


def marker_changes(marker: Marker, tables: Mapping[str, Table]) -> list[ChangedItem]:
    """Return an item with a marker as changes, one for each image."""
    table = tables[marker.table]
    if not marker.images:
        return [ChangedItem(table, marker.key)]
    return [ChangedItem(table, marker.key, image) for image in marker.images.values()]
