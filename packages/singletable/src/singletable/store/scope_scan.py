"""Read and delete everything that is in a scope, such as all items of a tenant in a table.

If the values of the scope determine all its partitions, they are queried. Otherwise the whole table
is scanned: DynamoDB filters by the beginning of the partition key, and what it returns is compared
with the scope here. Scans have no partition key, so they are sent by the driver without a scope;
every write is checked as usual.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from dynamodb_engine import expressions as ex
from dynamodb_engine.operations import PageOutput, Query, Scan
from dynamodb_engine.retry import send
from dynamodb_engine.steps import Steps, together
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue, ItemMismatch
from singletable.schema import Table
from singletable.store.admin import check_segments
from singletable.store.batch import get_items
from singletable.store.bulk import ProgressCallback
from singletable.store.bulk_delete import BulkDelete, TableItems, Undeclared
from singletable.store.calls import CallShape, call_shape
from singletable.store.context import Context
from singletable.store.decoder import decode_item
from singletable.store.scope import ScopedContext
from singletable.store.ttl import is_expired
from singletable.store.validation import check_is
from singletable.store.writes import ItemId, item_id

# More would not fit in a filter, and parts of a table that are read together are few.
MAX_PREFIXES = 40


class ScopeScan:
    """The items of a scope, read a page of each partition or segment at a time."""

    def __init__(self, context: Context, table: Table, segments: int) -> None:
        check_is(Table, table)
        check_segments(segments)
        if not isinstance(context, ScopedContext):
            raise InvalidValue(
                'This needs a store with a scope, such as store.scoped(org="acme"). To read or '
                "delete all items of a table, use store.admin.scan() or store.admin.clear()."
            )
        self.context = context
        self.table = table
        self.name = context.table_name(table)
        found = context.scope.partitions(self.name)
        if not found:
            raise InvalidValue(
                f"No entity of {table!r} has the fields of the scope {context.scope} in its "
                "partition key, so nothing in it belongs to the scope."
            )
        keys = dict.fromkeys(key for one in found for key in one.keys)
        self.finds_markers = any(one.is_of_markers for one in found)
        self.requests: list[Query | Scan]
        if table.pk.type == "S" and all(one.keys for one in found) and len(keys) <= MAX_PREFIXES:
            self.requests = [self._query(key) for key in keys]
        else:
            self.requests = self._scans(segments, {one.prefix for one in found})

    @property
    def done(self) -> bool:
        """Whether everything was read."""
        return not self.requests

    def next_items(self) -> Steps[list[Item]]:
        """Return the items in the scope on the next pages; there may be none."""
        policy, requests = self.context.retry_policy, self.requests
        pages: list[PageOutput] = yield from together([send(policy, one) for one in requests])
        self.requests = [
            replace(request, exclusive_start_key=page.last_evaluated_key)
            for request, page in zip(requests, pages, strict=True)
            if page.last_evaluated_key is not None
        ]
        return [item for page in pages for item in page.items if self.contains(item)]

    def contains(self, item: Item) -> bool:
        """Return whether an item, or a key, is in the scope."""
        return self.context.scope.contains(self.name, item)

    def _query(self, partition: str) -> Query:
        clause = ex.KeyClause(self.table.pk.name, "=", ({"S": partition},))
        rendered = ex.render_request(key_condition=(clause,))
        return Query(
            self.name,
            consistent_read=True,
            key_condition_expression=rendered.key_condition,
            expression_attribute_names=rendered.names,
            expression_attribute_values=rendered.values,
        )

    def _scans(self, segments: int, prefixes: set[str]) -> list[Query | Scan]:
        condition: ex.Condition | None = None
        if self.table.pk.type == "S" and "" not in prefixes and len(prefixes) <= MAX_PREFIXES:
            at = ex.At((self.table.pk.name,))
            for text in sorted(prefixes):
                begins = ex.BeginsWith(at, ex.Constant({"S": text}))
                condition = begins if condition is None else ex.Or(condition, begins)
        rendered = ex.render_request(filter=condition)
        return [
            Scan(
                self.name,
                total_segments=segments if segments > 1 else None,
                segment=segment if segments > 1 else None,
                filter_expression=rendered.filter,
                expression_attribute_names=rendered.names,
                expression_attribute_values=rendered.values,
                consistent_read=True,
            )
            for segment in range(segments)
        ]

    def shape(self) -> CallShape:
        """Return the shape of a call that reads the scope."""
        return call_shape("scan_scope", *self.table.entities)


class ScopeInstances(ScopeScan):
    """The instances in a scope, without the markers of unique values and expired items."""

    def __init__(self, context: Context, table: Table, segments: int) -> None:
        super().__init__(context, table, segments)
        self._items = TableItems.of(table)

    def next_instances(self) -> Steps[list[Any]]:
        """Return the instances on the next pages; there may be none."""
        items = yield from self.next_items()
        now = self.context.clock()
        shown: list[Item] = []
        for item in items:
            model = self._items.model_of(item)
            if model is None:
                is_hidden = self._items.marker_of(item) is not None
            else:
                is_hidden = is_expired(model, item, now)
            if not is_hidden:
                shown.append(item)
        return [self._decode(item) for item in shown]

    def _decode(self, item: Item) -> Any:
        model = self._items.model_of(item)
        if model is None:
            key = {attribute.name: item[attribute.name] for attribute in self.table.key_attributes}
            raise ItemMismatch("An item of no declared entity is in the scope.", key=key)
        return decode_item(model, item)


class ScopeDelete(BulkDelete):
    """The deletion of a scope in progress.

    Markers are deleted with the items that have their values. A second scan deletes those whose
    items have expired.
    """

    def __init__(
        self,
        context: Context,
        table: Table,
        segments: int,
        undeclared: Undeclared,
        on_progress: ProgressCallback | None,
        *,
        dry_run: bool,
    ) -> None:
        self.scan = ScopeScan(context, table, segments)
        super().__init__(context, table, undeclared, on_progress, dry_run=dry_run)
        self.second_scan = (
            ScopeScan(context, table, segments) if self.scan.finds_markers and not dry_run else None
        )

    def shape(self) -> CallShape:
        """Return the shape of a call that deletes the scope."""
        return call_shape("delete_scope", *self.scan.table.entities)

    def delete_markers(self, items: Iterable[Item]) -> Steps[None]:
        """Delete markers of owners in the scope."""
        owners: dict[ItemId, Item] = {}
        markers: list[tuple[ItemId, Item]] = []
        for item in items:
            marker = None if self._items.model_of(item) else self._items.marker_of(item)
            owner = {} if marker is None else marker.owner(item)
            if owner.keys() == {*self._key_names} and self.scan.contains(owner):
                owners[item_id(self._table, owner)] = owner
                markers.append((item_id(self._table, owner), item))
        # An owner that exists was created meanwhile.
        tables = {self._table: self.scan.table}
        stored = yield from get_items(self._context, tables, owners, consistent=True)
        yield from self.delete_plain(item for owner_id, item in markers if owner_id not in stored)
