"""Administration: create tables, scan them, and clear them.

Items are read as they are stored: markers of unique values, items of no entity, and expired items
are among them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from dynamodb_engine import operations as ops
from dynamodb_engine.expressions import render_projection
from dynamodb_engine.retry import send
from dynamodb_engine.steps import Pause, Steps, together
from dynamodb_engine.values import Item
from singletable import errors
from singletable.schema import ItemKey, Table, create_operation, model_of
from singletable.schema.unique import OWNER, UniqueConstraint
from singletable.store import validation
from singletable.store.batch import write_batches
from singletable.store.context import Context
from singletable.store.cursors import CursorSealer
from singletable.store.decoder import decode_item
from singletable.store.pagination import Page
from singletable.store.ttl import is_expired
from singletable.store.writes import ItemId, item_id

# The highest TotalSegments that DynamoDB accepts.
MAX_SEGMENTS = 1_000_000
POLL_INTERVAL = 0.5
MAX_POLLS = 120


def create_table(context: Context, table: Table, *, if_missing: bool) -> Steps[bool]:
    """Create the declared table, and return whether it is new."""
    validation.check_is(Table, table)
    name = context.table_name(table)
    try:
        yield from send(context.retry_policy, create_operation(table, name))
    except errors.ResourceInUse:
        if not if_missing:
            raise
        _check_indexes(table, (yield from _wait_until_active(context, name)))
        return False
    yield from _wait_until_active(context, name)
    if table.ttl is not None:
        ttl = ops.TimeToLiveSpecification(enabled=True, attribute_name=table.ttl)
        yield from send(context.retry_policy, ops.UpdateTimeToLive(name, ttl))
    return True


def _wait_until_active(context: Context, name: str) -> Steps[ops.TableDescription]:
    for _ in range(MAX_POLLS):
        try:
            output: ops.DescribeTableOutput = yield from send(
                context.retry_policy, ops.DescribeTable(name)
            )
        except errors.TableNotFound:
            # DescribeTable is eventually consistent: a new table may be missing at first.
            pass
        else:
            if output.table.table_status == "ACTIVE":
                return output.table
        yield Pause(POLL_INTERVAL, "progress")
    raise errors.ServiceUnavailable(
        f"Table {name!r} is not active after {MAX_POLLS * POLL_INTERVAL:.0f} seconds. It was "
        "requested and may still become active; its TTL is not enabled."
    )


def _check_indexes(table: Table, existing: ops.TableDescription) -> None:
    """Raise DeclarationError if the existing table lacks a declared index."""
    indexes = (
        *(existing.global_secondary_indexes or ()),
        *(existing.local_secondary_indexes or ()),
    )
    missing = {each.name for each in table.indexes} - {each.index_name for each in indexes}
    if missing:
        raise errors.DeclarationError(
            f"Table {existing.table_name!r} exists without the declared index "
            f"{', '.join(map(repr, sorted(missing)))}. `singletable table check` shows all "
            "differences, and the migration step AddIndex adds a global index."
        )


def check_segments(segments: int) -> None:
    """Raise InvalidValue unless DynamoDB accepts the number of segments of a scan."""
    validation.check_count("segments", segments)
    if segments > MAX_SEGMENTS:
        raise errors.InvalidValue(
            f"segments: expected at most {MAX_SEGMENTS:,}, but got {segments}."
        )


class EntityScan:
    """A scan in progress for the items of one entity, in segments that are read together.

    At most one page of each segment is in memory.
    """

    def __init__(self, context: Context, entity: type, segments: int) -> None:
        check_segments(segments)
        (self.model,) = validation.models_of([entity])
        self.context = context
        self.segments = segments
        # The key to continue after, for each segment that is not at its end.
        self.positions: dict[int, Item | None] = dict.fromkeys(range(segments))

    @property
    def done(self) -> bool:
        """Whether all segments are at their end."""
        return not self.positions

    def next_instances(self) -> Steps[list[Any]]:
        """Return the instances on the next page of each segment; there may be none."""
        segments = list(self.positions)
        pages = yield from together([self._next_page(segment) for segment in segments])
        now = self.context.clock()
        return [
            decode_item(self.model, item)
            for page in pages
            for item in page.items
            if self.model.matches(item) and not is_expired(self.model, item, now)
        ]

    def _next_page(self, segment: int) -> Steps[ops.PageOutput]:
        in_segments = self.segments > 1
        scan = ops.Scan(
            self.context.table_name(self.model.table),
            exclusive_start_key=self.positions[segment],
            total_segments=self.segments if in_segments else None,
            segment=segment if in_segments else None,
        )
        page: ops.PageOutput = yield from send(self.context.retry_policy, scan)
        if page.last_evaluated_key is None:
            del self.positions[segment]
        else:
            self.positions[segment] = page.last_evaluated_key
        return page


def items_page(context: Context, table: Table, size: int, cursor: str | None) -> Steps[Page[Item]]:
    """Return one page of stored items, starting at the cursor."""
    validation.check_is(Table, table)
    validation.check_count("size", size)
    name = context.table_name(table)
    sealer = CursorSealer.of(context.cursor_secret, [name])
    after = None if cursor is None else cast("Item", sealer.open(cursor)[0][0])
    items: list[Item] = []
    # One more item shows whether this is the last page.
    while len(items) <= size:
        scan = ops.Scan(name, limit=size + 1 - len(items), exclusive_start_key=after)
        page: ops.PageOutput = yield from send(context.retry_policy, scan)
        items += page.items
        after = page.last_evaluated_key
        if after is None:
            break
    if len(items) <= size:
        return Page(items, None)
    last = items[size - 1]
    key = {one.name: last[one.name] for one in table.key_attributes}
    return Page(items[:size], sealer.seal([key]))


def decode_stored_item(table: Table, item: Item) -> object | None:
    """Return the instance of a stored item; None for markers and items of no entity."""
    validation.check_is(Table, table)
    validation.check_is(dict, item)
    for model in map(model_of, table.entities):
        if model.matches(item) and model.parse_key(item) is not None:
            return cast("object", decode_item(model, item))
    return None


@dataclass(frozen=True, slots=True)
class TableClearing:
    """Delete all items of a table, except some items and the markers of their unique values."""

    context: Context
    table: Table
    kept: frozenset[ItemId]
    markers: tuple[UniqueConstraint, ...]

    @classmethod
    def create(cls, context: Context, table: Table, keep: Iterable[ItemKey[Any]]) -> TableClearing:
        """Check that the keys are in the table, and return the clearing."""
        validation.check_is(Table, table)
        keys = validation.check_keys(keep)
        name = context.table_name(table)
        for key in keys:
            if context.table_name(key.model.table) != name:
                raise errors.InvalidValue(
                    f"keep: {key!r} is in {key.model.table!r}, but the table to clear is {table!r}."
                )
        models = {key.entity: key.model for key in keys}.values()
        return cls(
            context,
            table,
            frozenset(item_id(name, key.key) for key in keys),
            tuple(marker for model in models for marker in model.uniques.values()),
        )

    def clear_page(self, after: Item | None) -> Steps[tuple[int, Item | None]]:
        """Delete the items of the next page; return how many, and the key to continue after."""
        table = self.context.table_name(self.table)
        names = [one.name for one in self.table.key_attributes]
        owners = [f"{OWNER}{name}" for name in names] if self.markers else []
        projection = render_projection(tuple((name,) for name in [*names, *owners]))
        scan = ops.Scan(
            table,
            exclusive_start_key=after,
            projection_expression=projection.text,
            expression_attribute_names=projection.names or None,
            consistent_read=True,
        )
        page: ops.PageOutput = yield from send(self.context.retry_policy, scan)
        deletes: dict[ItemId, ops.WriteRequest] = {}
        for item in page.items:
            key = {name: item[name] for name in names}
            id_ = item_id(table, key)
            if id_ not in self.kept and not self._is_marker_of_kept(item):
                deletes[id_] = ops.WriteRequest(delete_request=ops.DeleteRequest(key))
        yield from write_batches(self.context, deletes)
        return len(deletes), page.last_evaluated_key

    def _is_marker_of_kept(self, item: Item) -> bool:
        """Return whether an item is the marker of a kept item's unique value."""
        if all(marker.access.parse(item) is None for marker in self.markers):
            return False
        keys = self.table.key_attributes
        owner = {one.name: item.get(f"{OWNER}{one.name}", {}) for one in keys}
        has_owner = all(one.type in owner[one.name] for one in keys)
        return has_owner and item_id(self.context.table_name(self.table), owner) in self.kept
