"""Load many items of any entities, again and again until all are stored.

The items of a window are read first, consistently. An item that is stored already, exactly as it
would be written, is skipped; one that differs is a conflict. The rest is written: in transactions
that require that it is still absent, with its markers and counters, or in batches if its entity has
none of these. So a load needs no record of how far it came, and counts nothing twice.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Sequence, Sized
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from msgspec import structs

from dynamodb_engine.expressions import Constant, Set, apply_update, value_at
from dynamodb_engine.operations import PutRequest, WriteRequest
from dynamodb_engine.steps import Steps, together
from dynamodb_engine.values import AttributeValue, Item, check_item, item_to_json
from singletable.errors import AlreadyExists, ConditionFailed, InvalidValue, ItemMismatch
from singletable.schema import Attr, ItemKey, Model, Table, counters_of, key_of
from singletable.store import batch, bulk
from singletable.store.calls import CallShape, call_shape
from singletable.store.context import Context
from singletable.store.decoder import decode_fields
from singletable.store.items import apply_stamps
from singletable.store.plan import Create, Plan
from singletable.store.ttl import is_expired
from singletable.store.validation import check_callback, check_number, model_of_item
from singletable.store.write_errors import already_exists
from singletable.store.writes import ItemId, Write

# How many items are in memory: those of 400 KB each take 160 MB.
WINDOW = 400

# What an async store accepts; `tools.sync` makes it Items for the other.
Items: TypeAlias = Iterable[object]
AsyncItems: TypeAlias = Iterable[object] | AsyncIterable[object]

_STAMPS = ("version", "created", "updated")


@dataclass(frozen=True, slots=True)
class LoadResult:
    """How many items were written, were stored already, and were not written because of others."""

    written: int
    skipped: int
    conflicts: int


@dataclass(frozen=True, slots=True)
class LoadConflict:
    """An item that was not written, and why.

    `error` is AlreadyExists if another item has its key or its unique value, and NotFound if the
    item that counts it does not exist.
    """

    item: object
    key: ItemKey[Any]
    error: ConditionFailed


ConflictCallback: TypeAlias = Callable[[LoadConflict], object]


class BulkLoad:
    """A load in progress: the items of the current window, and the result so far."""

    def __init__(
        self,
        context: Context,
        items: object,
        on_progress: bulk.ProgressCallback | None,
        on_conflict: ConflictCallback | None,
    ) -> None:
        check_callback("on_progress", on_progress)
        check_callback("on_conflict", on_conflict)
        self._context = context
        self._total = len(items) if isinstance(items, Sized) else None
        self._on_progress = on_progress
        self._on_conflict = on_conflict
        self._window: list[object] = []
        # Whether items are read even if their transaction would find out that they are stored.
        self._reads_all = True
        self._counts = {"written": 0, "skipped": 0, "conflict": 0}

    def add(self, item: object) -> bool:
        """Add an item to the window, and return whether the window is full."""
        self._window.append(item)
        return len(self._window) >= WINDOW

    @property
    def result(self) -> LoadResult:
        """What happened so far."""
        return LoadResult(
            self._counts["written"], self._counts["skipped"], self._counts["conflict"]
        )

    @property
    def is_continued(self) -> bool:
        """Whether a window was written before this one."""
        return self._done > 0

    @property
    def _done(self) -> int:
        return sum(self._counts.values())

    def shape(self) -> CallShape:
        """Return the shape of the call for the current window."""
        return call_shape("bulk_load", *self._window)

    def write(self) -> Steps[None]:
        """Write the items of the window, and report the progress."""
        # Conditions of the same counter can be merged only if they have the same time.
        now = self._context.clock()
        context = replace(self._context, clock=lambda: now)
        loaded = [
            _check_item(context, item, self._done + position)
            for position, item in enumerate(self._window)
        ]
        self._window = []
        unknown = [one for one in loaded if self._reads_all or one.is_batchable]
        stored = yield from _read(context, unknown)
        plain: dict[ItemId, _LoadedItem] = {}
        changes: list[bulk.BulkChange] = []
        for one in loaded:
            one.on_conflict = self._on_conflict
            if not one.is_batchable:
                if one.examine(stored.get(one.id)):
                    changes.append(one)
            # Batches have no conditions, so equal keys are found here.
            elif one.id in plain:
                one.examine(plain[one.id].plan.writes[0].item)
            elif one.examine(stored.get(one.id)):
                plain[one.id] = one
        pieces = [
            _write_plain(context, part)
            for part in bulk.split_evenly([*plain.values()], batch.MAX_BATCH_WRITES)
        ]
        if changes:
            pieces.append(bulk.commit_changes(context, changes))
        if pieces:
            yield from together(pieces)
        for one in loaded:
            self._counts[one.outcome] += 1
        self._reads_all = any(one.outcome != "written" for one in loaded)
        if self._on_progress is not None and loaded:
            self._on_progress(bulk.Progress(self._done, self._total))


class _LoadedItem(bulk.BulkChange):
    """An item to load, and its result."""

    def __init__(self, context: Context, model: Model, item: Any) -> None:
        self.context = context
        self.model = model
        self.item = item
        self.plan = self._plan()
        self.id = self.plan.writes[0].item_id
        # As JSON an item is larger than it counts, but that is computed much faster.
        self.size = sum([len(item_to_json(write.item or {})) for write in self.plan.writes])
        self.is_batchable = batch.is_batchable(model)
        self.on_conflict: ConflictCallback | None = None
        self.outcome: Literal["written", "skipped", "conflict"] = "written"

    @property
    def key(self) -> ItemKey[Any]:
        """The key of the item."""
        return key_of(self.item)

    def examine(self, stored: Item | None) -> bool:
        """Return whether the item is to be written, given the item that is stored."""
        if stored is None or is_expired(self.model, stored, self.context.clock()):
            return True
        stored = self.model.versions.upgraded(stored)
        different = self._differences(stored)
        if not different:
            self.outcome = "skipped"
            self.item.__dict__.update(_stored_stamps(self.model, self.item, stored))
            return False
        error = already_exists(self.model, self.key, self.context.clock())(stored)
        self._report(
            _differs(error, self.key, different) if isinstance(error, AlreadyExists) else error
        )
        return False

    def resolve(self, write: Write, stored: Item | None) -> Plan | None:
        """Return the plan if the item may still be written; report a conflict if not."""
        if write.item_id != self.id:
            self._report(write.error(stored))
            return None
        return self.plan if self.examine(stored) else None

    def finish(self) -> None:
        """Set the fields that the store sets."""
        apply_stamps(self.item, self.plan)

    def _plan(self) -> Plan:
        """Plan the write; counters start at zero, because the counted items are loaded too."""
        plan = Create(self.context, self.model, self.item, keep_stamps=True).plan()
        put, *side_writes = plan.writes
        item = _reset_counters(self.model, put.item or {})
        if item is put.item:
            return plan
        return structs.replace(plan, writes=[structs.replace(put, item=item), *side_writes])

    def _differences(self, stored: Item) -> list[str]:
        """Return the fields in which the stored item differs from the one to write."""
        model = self.model
        try:
            stamps = _stored_stamps(model, self.item, stored)
            expected = model.item({**self.item.__dict__, **stamps})
        except (InvalidValue, ItemMismatch):
            return ["its type"]
        expected = _copy_counters(model, expected, stored)
        expected, stored = check_item(expected)[0], check_item(stored)[0]
        expected, stored = model.decrypted(expected), model.decrypted(stored)
        fields = {field.attribute: field for field in model.fields.values()}
        random = random_attributes(model)
        different: list[str] = []
        for name in sorted(expected.keys() | stored.keys()):
            if name in random or expected.get(name) == stored.get(name):
                continue
            field = fields.get(name)
            if field is None or not _decode_equal(field, expected.get(name), stored.get(name)):
                different.append(name if field is None else field.name)
        return different

    def _report(self, error: ConditionFailed) -> None:
        self.outcome = "conflict"
        if self.on_conflict is None:
            error.add_note(
                f"This is the item {self.key} of a bulk_load(), and was not written. Pass "
                "on_conflict=… to go on with the others. You can repeat the load: items that are "
                "stored already are skipped."
            )
            raise error
        self.on_conflict(LoadConflict(self.item, self.key, error))


def _check_item(context: Context, item: object, position: int) -> _LoadedItem:
    """Return the item to load; raise InvalidValue, with its position, if it cannot be stored."""
    try:
        model = model_of_item(item)
        check_number(model, item)
        for _, field in _missing_stamps(model, item):
            if field.name in model.key.fields:
                raise InvalidValue(
                    f"{field} is in the key of {model.name} and has no value. The time of the load "
                    "would be in its key, so a repeated load would store the item twice. Assign "
                    f"it: item.{field.name} = …."
                )
        return _LoadedItem(context, model, item)
    except InvalidValue as error:
        error.add_note(
            f"This is items[{position}] of a bulk_load(). Items before it may be written. Correct "
            "it and repeat the load: items that are stored already are skipped."
        )
        raise


def _read(context: Context, loaded: Sequence[_LoadedItem]) -> Steps[dict[ItemId, Item]]:
    """Return the stored items with the keys of those to load."""
    tables: dict[str, Table] = {one.id[0]: one.model.table for one in loaded}
    keys = [*{one.id: one.plan.writes[0].key for one in loaded}.items()]
    if not keys:
        return {}
    found = yield from together(
        [
            batch.get_items(context, tables, dict(part), consistent=True)
            for part in bulk.split_evenly(keys, batch.MAX_BATCH_GETS)
        ]
    )
    return {id_: item for part in found for id_, item in part.items()}


def _write_plain(context: Context, items: Sequence[_LoadedItem]) -> Steps[None]:
    """Write items without conditions."""
    requests = {one.id: WriteRequest(PutRequest(one.plan.writes[0].item or {})) for one in items}
    yield from batch.write_batches(context, requests)
    for one in items:
        one.finish()


def _missing_stamps(model: Model, item: Any) -> list[tuple[str, Attr[Any]]]:
    """Return the fields that the store sets and that have no value in the item."""
    return [
        (role, field)
        for role, field in model.roles.items()
        if role in _STAMPS and not item.__dict__.get(field.name)
    ]


def _stored_stamps(model: Model, item: Any, stored: Item) -> dict[str, object]:
    """Return the stamps of a stored item: its version and timestamps."""
    names = [field.name for _, field in _missing_stamps(model, item)]
    return decode_fields(model, stored, names) if names else {}


def _reset_counters(model: Model, item: Item) -> Item:
    """Return the item with all its counters at zero; the last number of a sequence is kept."""
    for counter in counters_of(model.entity, sequences=False):
        path = counter.document_path()
        if value_at(path, item) is not None:
            item = apply_update((Set(path, Constant({"N": "0"})),), item)
    return item


def _copy_counters(model: Model, item: Item, stored: Item) -> Item:
    """Return the item with the counters of the stored one, which may have counted since."""
    for counter in counters_of(model.entity):
        path = counter.document_path()
        count = value_at(path, stored)
        has_parent = len(path) == 1 or value_at(path[:-1], item) is not None
        if count is not None and has_parent:
            item = apply_update((Set(path, Constant(count)),), item)
    return item


def random_attributes(model: Model) -> set[str]:
    """Return the index keys with a random shard, which are never the same again."""
    return {
        name
        for access in model.indexes.values()
        if access.shards is not None and access.shards.by is None
        for name in access.dedicated_attributes
    }


def _decode_equal(
    field: Attr[Any], expected: AttributeValue | None, stored: AttributeValue | None
) -> bool:
    """Return whether two encodings are of one value, such as two encryptions of it."""
    if expected is None or stored is None:
        return False
    codec = field.codec()
    try:
        return bool(codec.decode(expected) == codec.decode(stored))
    except ItemMismatch:
        return False


def _differs(error: AlreadyExists, key: object, different: Sequence[str]) -> AlreadyExists:
    """Return the error with the fields in which the stored item differs."""
    differs = AlreadyExists(
        f"{key} already exists, and differs in {', '.join(different)}.",
        error.fields,
        error.item,
        key=error.key,
    )
    differs.current = error.current
    return differs
