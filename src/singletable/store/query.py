"""Queries: page by page, from one partition or from all its shards in one order.

A query starts at the beginning or at the position of a cursor, and always knows the key to continue
after: in each shard, that of the last item it returned. All shards whose buffers are empty are
queried together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Generic, TypeVar

from msgspec import Raw

from singletable import expressions
from singletable.errors import InvalidValue
from singletable.expressions import (
    At,
    Compare,
    Constant,
    holds,
    render_request,
)
from singletable.operations import PageOutput, Query
from singletable.retry import Steps, send, together
from singletable.schema import (
    Condition,
    Model,
    Path,
    ResolvedKey,
    Selection,
    has_overlapping_range,
    model_of,
)
from singletable.schema.selection import KeyQuery
from singletable.store.batch import get_items
from singletable.store.context import Context
from singletable.store.decoder import (
    check_selectable,
    check_where,
    check_whole,
    decode_item,
    decode_paths,
    is_projected,
    key_with_field,
)
from singletable.store.plan import key_attributes
from singletable.store.raw_decoder import raw_decoder
from singletable.store.ttl import is_expired, not_expired
from singletable.store.validation import (
    check_path,
    check_selection,
    condition_node,
)
from singletable.store.writes import both, item_id
from singletable.values import Item, item_from_json, key_bytes

E = TypeVar("E")

# Where to continue a shard: after a key, from the beginning (None), or not at all (True).
Position = Item | bool | None


class ShardBuffer:
    """Items of one shard that were fetched but not returned yet."""

    def __init__(
        self, key_query: KeyQuery, after: Item | None = None, *, done: bool = False
    ) -> None:
        self.key_query = key_query
        # The key after which to fetch the next page.
        self.after = after
        self.items: deque[Raw] = deque()
        # The last item that was returned; before that, the key to start after.
        self.returned: Raw | Item | None = after
        self.done = done


class ItemQuery(Generic[E]):
    """A query in progress."""

    def __init__(
        self,
        context: Context,
        selection: Selection[E],
        where: Condition[E] | None = None,
        *,
        reverse: bool = False,
        consistent: bool = False,
        all_entities: bool = False,
    ) -> None:
        check_selection(selection)
        self.context = context
        self.selection = selection
        self.model: Model = model_of(selection.entity)
        self.reverse = reverse
        self.consistent = consistent
        self.all_entities = all_entities
        # The paths to read; None for whole items.
        self.paths: expressions.Projection | None = None
        # How many items to fetch beyond the number that is needed.
        self.lookahead = 0
        access = selection.access
        if consistent and access.index is not None and not access.index.local:
            raise InvalidValue(
                f"{access} is in a global index, which has only eventually consistent reads. Leave "
                "out consistent=True, or query the primary key."
            )
        self.shards = [ShardBuffer(key_query) for key_query in selection.key_queries()]
        # Whether all items in the key range are wanted, because they are of one entity.
        self.is_exclusive = all_entities or not _shares_range(access, self.model)
        # Whether a filter on the type tag finds the entity's items.
        tag = self.model.tag
        self.has_tag = tag is not None and is_projected(self.model, access.index, tag[0])
        self.where = condition_node(self.model, where)
        if self.where is not None:
            check_where(self.model, access, self.where)

    def seek(self, positions: Sequence[Position]) -> None:
        """Continue at the positions of an earlier query."""
        self.shards = [
            ShardBuffer(
                shard.key_query,
                None if isinstance(position, bool) else position,
                done=position is True,
            )
            for shard, position in zip(self.shards, positions, strict=True)
        ]

    def positions(self) -> list[Position]:
        """Return where to continue each shard."""
        return [
            True if shard.done and not shard.items else self._position_key(shard.returned)
            for shard in self.shards
        ]

    def next_items(self, limit: int | None) -> Steps[list[Item]]:
        """Return the next items in order, at most `limit`; none only at the end."""
        return [item_from_json(raw) for raw in (yield from self.next_raw_items(limit))]

    def next_raw_items(self, limit: int | None) -> Steps[list[Raw]]:
        """Return the next items as JSON, in order, at most `limit`; none only at the end."""
        empty = [shard for shard in self.shards if not shard.items and not shard.done]
        if len(empty) == 1:
            yield from self._fill(empty[0], limit)
        elif empty:
            yield from together([self._fill(shard, limit) for shard in empty])
        if len(self.shards) == 1:
            (shard,) = self.shards
            buffer = shard.items
            if limit is None or limit >= len(buffer):
                items = list(buffer)
                buffer.clear()
            else:
                items = [buffer.popleft() for _ in range(limit)]
            if items:
                shard.returned = items[-1]
            return items
        return self._merge(limit)

    def count(self) -> Steps[int]:
        """Return the number of items on all pages."""
        return sum((yield from together([self._count(shard) for shard in self.shards])))

    def key_names(self) -> list[str]:
        """Return the key attributes of the table and of the index."""
        index = self.selection.access.index
        attributes = [*self.model.table.key_attributes]
        if index is not None:
            attributes += [*index.pk, *index.sk]
        return list(dict.fromkeys(attribute.name for attribute in attributes))

    def _position_key(self, returned: Raw | Item | None) -> Item | None:
        if not isinstance(returned, Raw):
            return returned
        item = item_from_json(returned)
        return {name: item[name] for name in self.key_names()}

    def _count(self, shard: ShardBuffer) -> Steps[int]:
        total = 0
        while not shard.done:
            takes_all = self._takes_all(shard)
            query = self._query(shard, None, count_only=takes_all)
            page: PageOutput = yield from send(self.context.retry_policy, query)
            if takes_all:
                total += page.count
            else:
                total += sum(self._is_wanted(shard, item) for item in page.items)
            shard.after = page.last_evaluated_key
            shard.done = page.last_evaluated_key is None
        return total

    def _fill(self, shard: ShardBuffer, limit: int | None) -> Steps[None]:
        """Fetch pages until the buffer has an item, or to the end."""
        while not shard.items and not shard.done:
            yield from self._fetch(shard, limit)
            # If a page has only unwanted items, fetch a larger one.
            limit = None if limit is None else limit * 2

    def _fetch(self, shard: ShardBuffer, limit: int | None) -> Steps[None]:
        page: PageOutput = yield from send(
            self.context.retry_policy, self._query(shard, limit, count_only=False)
        )
        items = page.raw_items or []
        if not self._takes_all(shard):
            items = [raw for raw in items if self._is_wanted(shard, item_from_json(raw))]
        shard.items.extend(items)
        shard.after = page.last_evaluated_key
        shard.done = page.last_evaluated_key is None

    def _merge(self, limit: int | None) -> list[Raw]:
        """Return items of all shards in one order, until a buffer is empty and must be filled."""
        items: list[Raw] = []
        choose = max if self.reverse else min
        heads = {shard: self._sort_key(shard.items[0]) for shard in self.shards if shard.items}
        while heads and (limit is None or len(items) < limit):
            shard = choose(heads, key=lambda one: heads[one])
            item = shard.items.popleft()
            shard.returned = item
            items.append(item)
            if shard.items:
                heads[shard] = self._sort_key(shard.items[0])
            elif shard.done:
                del heads[shard]
            else:
                break
        return items

    def _sort_key(self, raw: Raw) -> tuple[bytes, ...]:
        item = item_from_json(raw)
        columns = self.selection.access.sk
        sort = [key_bytes(item[column.attribute.name]) for column in columns]
        table = [key_bytes(item[one.name]) for one in self.model.table.key_attributes]
        return (*sort, *table)

    def _takes_all(self, shard: ShardBuffer) -> bool:
        """Return whether all items that a query returns are wanted."""
        return shard.key_query.excluded is None and (self.is_exclusive or self.has_tag)

    def _is_wanted(self, shard: ShardBuffer, item: Item) -> bool:
        excluded = shard.key_query.excluded
        if excluded is not None:
            sort = self.selection.access.sk[0].attribute.name
            if item[sort].get("S") == excluded:
                return False
        # With a type tag the filter has already selected the entity.
        return self.is_exclusive or self.has_tag or self.model.key.parse(item) is not None

    def _filter(self) -> expressions.Condition | None:
        if self.all_entities:
            return None
        condition = both(self.where, not_expired(self.model, self.context.clock()))
        if not self.is_exclusive and self.has_tag and self.model.tag is not None:
            attribute, tag = self.model.tag
            condition = both(condition, Compare("=", At((attribute,)), Constant({"S": tag})))
        return condition

    def _limit(self, shard: ShardBuffer, limit: int | None) -> int | None:
        """Return the Limit of a request; None with a filter, which may drop any number of items."""
        if limit is None or self.where is not None:
            return None
        return limit + self.lookahead + (shard.key_query.excluded is not None)

    def _query(self, shard: ShardBuffer, limit: int | None, *, count_only: bool) -> Query:
        rendered = render_request(
            key_condition=shard.key_query.clauses,
            filter=self._filter(),
            projection=None if count_only else self.paths,
        )
        index = self.selection.access.index
        return Query(
            self.context.table_name(self.model.table),
            index_name=None if index is None else index.name,
            select="COUNT" if count_only else None,
            limit=self._limit(shard, limit),
            consistent_read=self.consistent or None,
            scan_index_forward=False if self.reverse else None,
            exclusive_start_key=shard.after,
            projection_expression=rendered.projection,
            filter_expression=rendered.filter,
            key_condition_expression=rendered.key_condition,
            expression_attribute_names=rendered.names,
            expression_attribute_values=rendered.values,
        )


# Cached by the identity of the key, which lives as long as its entity, and by the number of
# entities in the table, because a new entity may share the range.
_SHARED_RANGES: dict[tuple[int, int], bool] = {}


def _shares_range(access: ResolvedKey, model: Model) -> bool:
    cache_key = id(access), len(model.table.entities)
    shared = _SHARED_RANGES.get(cache_key)
    if shared is None:
        shared = _SHARED_RANGES[cache_key] = has_overlapping_range(access, model)
    return shared


def create_query(
    context: Context,
    selection: Selection[E],
    where: Condition[E] | None,
    *,
    reverse: bool,
    consistent: bool,
) -> ItemQuery[E]:
    """Return a query of whole items; raise if the index does not contain them."""
    query = ItemQuery(context, selection, where, reverse=reverse, consistent=consistent)
    check_whole(query.model, selection.access)
    return query


def next_instances(query: ItemQuery[E], limit: int | None) -> Steps[list[E]]:
    """Return the next instances; none at the end."""
    decode = raw_decoder(query.model)
    return [decode(raw) for raw in (yield from query.next_raw_items(limit))]


def next_hydrated(query: ItemQuery[E], limit: int | None) -> Steps[list[E]]:
    """Return the next instances, read from the table by the keys in the index; none at the end.

    The index is eventually consistent: items that have left the partition since are skipped.
    """
    context, model = query.context, query.model
    name = context.table_name(model.table)
    # Continue while all items of a page are skipped: an empty result means the end.
    while entries := (yield from query.next_items(limit)):
        ids = [item_id(name, key_attributes(model, entry)) for entry in entries]
        keys = {id_: key_attributes(model, entry) for id_, entry in zip(ids, entries, strict=True)}
        items = yield from get_items(context, {name: model.table}, keys, consistent=False)
        now = context.clock()
        instances: list[Any] = []
        for id_, entry in zip(ids, entries, strict=True):
            item = items.get(id_)
            if item is None or is_expired(model, item, now):
                continue
            if _is_still_in_partition(query, entry, item):
                instances.append(decode_item(model, item))
        if instances:
            return instances
    return []


def _is_still_in_partition(query: ItemQuery[Any], entry: Item, item: Item) -> bool:
    access = query.selection.access
    if any(item.get(one.attribute.name) != entry[one.attribute.name] for one in access.pk):
        return False
    if any(one.attribute.name not in item for one in access.sk):
        return False
    return query.where is None or holds(query.where, item)


def create_field_query(
    context: Context,
    selection: Selection[E],
    paths: Sequence[Path[Any, Any]],
    where: Condition[E] | None,
    *,
    reverse: bool,
) -> ItemQuery[E]:
    """Return a query that reads only some paths, and the keys to continue after."""
    query = ItemQuery(context, selection, where, reverse=reverse)
    if not paths:
        raise InvalidValue("select() expects at least one field.")
    for path in paths:
        check_path(query.model, path, in_key=True)
    check_selectable(query.model, selection.access, paths)
    projected = {
        _without_list_elements(path.document_path())
        for path in paths
        if key_with_field(query.model, selection.access, path.field) is None
    }
    projected |= {(name,) for name in query.key_names()}
    # DynamoDB rejects paths that overlap: drop those inside of another.
    query.paths = tuple(
        sorted(
            path
            for path in projected
            if not any(path[:end] in projected for end in range(1, len(path)))
        )
    )
    return query


def _without_list_elements(path: expressions.Path) -> expressions.Path:
    # A projected list element is returned in a shorter list, where its index is lost.
    return tuple(takewhile(lambda step: isinstance(step, str), path))


def next_fields(
    query: ItemQuery[Any], paths: Sequence[Path[Any, Any]], limit: int | None
) -> Steps[list[tuple[Any, ...]]]:
    """Return the values at some paths of the next items; none at the end."""
    items = yield from query.next_items(limit)
    model, access = query.model, query.selection.access
    keyed = [(path, key_with_field(model, access, path.field)) for path in paths]
    return [decode_paths(model, keyed, item) for item in items]
