"""Delete many items: those of all entities in a partition or a range, with markers and counters.

The items are read consistently, a page at a time, and deleted before the next page is read. An item
with unique values or counts is deleted in a transaction that releases its markers and reduces the
counters, other items in batches. After an interruption the same call deletes what is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from dynamodb_engine.operations import DeleteRequest, WriteRequest
from dynamodb_engine.steps import Steps, together
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue, ItemMismatch
from singletable.schema import ItemKey, Model, Selection, Table, UniqueConstraint, model_of
from singletable.store.batch import MAX_BATCH_WRITES, is_batchable, write_batches
from singletable.store.bulk import (
    BulkChange,
    Progress,
    ProgressCallback,
    commit_changes,
    split_evenly,
)
from singletable.store.calls import CallShape, call_shape
from singletable.store.context import Context
from singletable.store.plan import Delete, Plan, key_attributes
from singletable.store.query import ItemQuery
from singletable.store.validation import check_callback, check_is
from singletable.store.writes import Write, item_id

# What to do with items of no declared entity.
Undeclared: TypeAlias = Literal["raise", "keep", "delete"]


@dataclass(frozen=True, slots=True)
class DeleteResult:
    """How many items were deleted, and how many of no declared entity were kept.

    The markers of unique values are not counted.
    """

    deleted: int
    kept: int


class BulkDelete:
    """The deletion of many items of a table in progress."""

    def __init__(
        self,
        context: Context,
        table: Table,
        undeclared: Undeclared,
        on_progress: ProgressCallback | None,
        *,
        dry_run: bool,
    ) -> None:
        check_callback("on_progress", on_progress)
        if undeclared not in get_args(Undeclared):
            raise InvalidValue(
                f"undeclared: expected 'raise', 'keep' or 'delete', but got {undeclared!r}."
            )
        self._context = context
        self._table = context.table_name(table)
        self._key_names = [attribute.name for attribute in table.key_attributes]
        self._undeclared = undeclared
        self._on_progress = on_progress
        self._dry_run = dry_run
        self._items = TableItems.of(table)
        self._deleted = 0
        self._kept = 0
        self.is_continued = False

    @property
    def result(self) -> DeleteResult:
        """What happened so far."""
        return DeleteResult(self._deleted, self._kept)

    def delete_items(self, items: Iterable[Item]) -> Steps[None]:
        """Delete items with their markers and counters, and report the progress."""
        # Conditions of the same counter can be merged only if they have the same time.
        now = self._context.clock()
        context = replace(self._context, clock=lambda: now)
        plain: list[Item] = []
        changes: list[BulkChange] = []
        for item in items:
            model = self._items.model_of(item)
            if model is None and self._items.marker_of(item) is not None:
                continue  # it is deleted with its owner
            if model is None and self._is_kept(item):
                self._kept += 1
            elif model is None or is_batchable(model, deletes=True):
                plain.append(item)
            else:
                changes.append(_DeletedItem(context, model, item))
        if not self._dry_run:
            yield from commit_changes(context, changes)
            # After them, because these may be the items that count them.
            yield from self.delete_plain(plain)
        self._deleted += len(plain) + len(changes)
        self.is_continued = True
        if self._on_progress is not None:
            self._on_progress(Progress(self._deleted))

    def delete_plain(self, items: Iterable[Item]) -> Steps[None]:
        """Delete items in batches, without markers and counters."""
        keys = [self._key_of(item) for item in items]
        parts = split_evenly(keys, MAX_BATCH_WRITES)
        if parts:
            yield from together([_delete_keys(self._context, self._table, part) for part in parts])

    def _key_of(self, item: Item) -> Item:
        return {name: item[name] for name in self._key_names}

    def _is_kept(self, item: Item) -> bool:
        if self._undeclared != "raise":
            return self._undeclared == "keep"
        raise ItemMismatch(
            "An item of no declared entity is among those to delete, and was not deleted. Pass "
            "undeclared='delete' to delete such items, too, or undeclared='keep' to leave them.",
            key=self._key_of(item),
        )


@dataclass(frozen=True, slots=True)
class TableItems:
    """Tell which entity of a table a stored item belongs to."""

    models: tuple[Model, ...]

    @classmethod
    def of(cls, table: Table) -> TableItems:
        """Return this for the entities of a table."""
        return cls(tuple(model_of(entity) for entity in table.entities))

    def model_of(self, item: Item) -> Model | None:
        """Return the model of an item; None for markers and items of no entity."""
        for model in self.models:
            if model.matches(item) and model.parse_key(item) is not None:
                return model
        return None

    def marker_of(self, item: Item) -> UniqueConstraint | None:
        """Return the unique constraint for which an item of no entity reserves a value."""
        markers = (marker for model in self.models for marker in model.uniques.values())
        return next((one for one in markers if one.access.parse(item) is not None), None)


class PartitionDelete(BulkDelete):
    """The deletion of a partition in progress."""

    def __init__(
        self,
        context: Context,
        selection: Selection[Any],
        undeclared: Undeclared,
        on_progress: ProgressCallback | None,
        *,
        dry_run: bool = False,
    ) -> None:
        check_is(Selection, selection)
        table = model_of(selection.entity).table
        super().__init__(context, table, undeclared, on_progress, dry_run=dry_run)
        if selection.access.index is not None:
            raise InvalidValue(
                f"{selection.access} is in an index, which is eventually consistent and may miss "
                "items. Delete a partition of the table, such as Entity.key.partition(…), or query "
                "the index and delete the items one by one."
            )
        self._selection = selection
        self._range = selection.all_entities()
        self._query = ItemQuery(context, self._range, consistent=True, all_entities=True)

    def shape(self) -> CallShape:
        """Return the shape of the call."""
        return call_shape("delete_partition", self._selection.entity)

    def delete_page(self) -> Steps[bool]:
        """Delete the items of the next page, and return whether there was one."""
        items = yield from self._query.next_items(None)
        if not items:
            return False
        yield from self.delete_items([item for item in items if self._range.includes(item)])
        return True


class _DeletedItem(BulkChange):
    """An item to delete with its markers and counters."""

    def __init__(self, context: Context, model: Model, item: Item) -> None:
        key: ItemKey[Any] = ItemKey(model.entity, key_attributes(model, item), {})
        self.change = Delete(context, key)
        self.plan = self.change.plan_stored(item)

    def resolve(self, write: Write, stored: Item | None) -> Plan | None:
        """Plan again with the item as it is now; None if it no longer exists."""
        return None if stored is None else self.change.plan_stored(stored)

    def finish(self) -> None:
        """Do nothing: the item is gone."""


def _delete_keys(context: Context, table: str, keys: Sequence[Item]) -> Steps[None]:
    """Delete items without conditions."""
    requests = {
        item_id(table, key): WriteRequest(delete_request=DeleteRequest(key)) for key in keys
    }
    yield from write_batches(context, requests)
