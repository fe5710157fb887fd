"""Queries: page by page, from one partition or from all its shards in one order.

A query starts at the beginning or at the position of a cursor, and always knows the key to continue
after: in each shard, that of the last item it returned. All shards whose buffers are empty are
queried together. With `max_read`, they share the number of items that DynamoDB may evaluate.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from itertools import takewhile
from typing import Any, Generic, TypeVar, Unpack

from msgspec import Raw

from dynamodb_engine import expressions as ex
from dynamodb_engine.operations import PageOutput, Query
from dynamodb_engine.retry import send
from dynamodb_engine.steps import NextItems, Steps, together
from dynamodb_engine.values import Item, item_from_json, key_bytes
from singletable.errors import InvalidValue, ItemMismatch
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
from singletable.store.calls import ReadPatternLike
from singletable.store.context import Context
from singletable.store.cursors import Position
from singletable.store.decoder import (
    OnMismatch,
    check_selectable,
    check_version_projected,
    check_where,
    check_whole,
    decode_each,
    decode_item,
    decode_paths,
    is_projected,
    key_with_field,
    missing_fields,
    projected_attributes,
    upgraded_entry,
)
from singletable.store.options import QueryOptions, ReadOptions
from singletable.store.plan import key_attributes
from singletable.store.raw_decoder import raw_decoder
from singletable.store.ttl import is_expired, not_expired
from singletable.store.validation import (
    check_callback,
    check_count,
    check_is,
    check_limit,
    check_path,
    condition_node,
)
from singletable.store.writes import both, item_id

E = TypeVar("E")


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
        # How many items the next requests may evaluate; None without a bound.
        self.allowance: int | None = None


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
        max_read: int | None = None,
        on_mismatch: OnMismatch | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        all_entities: bool = False,
    ) -> None:
        check_is(Selection, selection)
        check_limit(limit)
        self.limit = limit
        self.context = context
        self.selection = selection
        self.model: Model = model_of(selection.entity)
        self.reverse = reverse
        self.consistent = consistent
        check_callback("on_mismatch", on_mismatch)
        self.on_mismatch = on_mismatch
        # Where to start, for pagination.
        self.cursor = cursor
        self.all_entities = all_entities
        # The paths to read; None for whole items.
        self.paths: ex.Projection | None = None
        # How many items to fetch beyond the number that is needed.
        self.lookahead = 0
        access = selection.access
        if consistent and access.index is not None and not access.index.local:
            raise InvalidValue(
                f"{access} is in a global index, which has only eventually consistent reads. Leave "
                "out consistent=True, or query the primary key."
            )
        self.shards = [ShardBuffer(key_query) for key_query in selection.key_queries()]
        if max_read is not None:
            check_max_read(max_read, access, len(self.shards))
        self.max_read = max_read
        # How many items may still be evaluated; None without a bound.
        self.unread = max_read
        # Whether all items in the key range are wanted, because they are of one entity.
        self.is_exclusive = all_entities or not _shares_range(access, self.model)
        # Whether a filter on the type tag finds the entity's items.
        tag = self.model.tag
        self.has_tag = tag is not None and is_projected(self.model, access.index, tag[0])
        self.where = condition_node(self.model, where)
        if self.where is not None:
            check_where(self.model, access, self.where)
        # With schema versions, a condition is tested here on items that are not current.
        self.tests_where = self.where is not None and self.model.versions.is_declared

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
        # Items between the last returned and the last fetched one were unwanted.
        return [
            self._position_key(shard.returned) if shard.items else shard.done or shard.after
            for shard in self.shards
        ]

    def opposite_positions(self) -> list[Position]:
        """Return where a query in the other direction starts to return the items before the next.

        The buffers must be filled.
        """
        return [
            self._position_key(shard.items[0])
            if shard.items
            else (None if shard.done else shard.after)
            for shard in self.shards
        ]

    @property
    def is_exhausted(self) -> bool:
        """Whether `max_read` items were evaluated, and more may follow."""
        return self.unread == 0 and any(not one.items and not one.done for one in self.shards)

    def fingerprint(self) -> list[object]:
        """Return what tells this query apart from others, for its cursors."""
        parts: list[object] = [
            self.context.table_name(self.model.table),
            self.model.name,
            self.selection.access.name,
            self.reverse,
        ]
        for shard in self.shards:
            rendered = ex.render_key_condition(shard.key_query.clauses)
            parts += [rendered.text, rendered.names, rendered.values]
        if self.where is not None:
            condition = ex.render_condition(self.where)
            parts += [condition.text, condition.names, condition.values]
        return parts

    def fill(self, limit: int | None) -> Steps[None]:
        """Fetch until every shard has an item or is at its end, or `max_read` is reached."""
        empty = [shard for shard in self.shards if not shard.items and not shard.done]
        if self.unread is not None:
            yield from self._fill_within_bound(empty, limit)
        elif len(empty) == 1:
            yield from self._fill(empty[0], limit)
        elif empty:
            yield from together([self._fill(shard, limit) for shard in empty])

    def next_items(self, limit: int | None) -> Steps[list[Item]]:
        """Return the next items in order, at most `limit`; none only at the end or the bound."""
        return [item_from_json(raw) for raw in (yield from self.next_raw_items(limit))]

    def next_raw_items(self, limit: int | None) -> Steps[list[Raw]]:
        """Return the next items as JSON; see `next_items`."""
        yield from self.fill(limit)
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
        # A shard without a buffered item could have the next one.
        return [] if self.is_exhausted else self._merge(limit)

    def count(self, limit: int | None = None) -> Steps[int]:
        """Return the number of items, up to `limit`; it is too low if `max_read` was reached."""
        total = 0
        while active := [shard for shard in self.shards if not shard.done]:
            if limit is not None and total >= limit:
                return limit
            if self.unread is not None:
                active = self._allot(active)
                if not active:
                    break
            left = None if limit is None else limit - total
            total += sum((yield from together([self._count(shard, left) for shard in active])))
            self._reclaim(active)
        return total if limit is None else min(total, limit)

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

    def _count(self, shard: ShardBuffer, limit: int | None) -> Steps[int]:
        total, request_limit = 0, limit
        while not shard.done and shard.allowance != 0 and (limit is None or total < limit):
            takes_all = self._takes_all(shard)
            query = self._query(shard, request_limit, count_only=takes_all)
            page: PageOutput = yield from send(self.context.retry_policy, query)
            if takes_all:
                total += page.count
            else:
                total += sum(
                    self._is_wanted(shard, item) and self._meets_where(item) for item in page.items
                )
            self._advance(shard, page)
            # As in `_fill`: a page may have only unwanted items.
            request_limit = None if request_limit is None else request_limit * 2
        return total

    def _fill_within_bound(self, empty: Sequence[ShardBuffer], limit: int | None) -> Steps[None]:
        while empty and (filling := self._allot(empty)):
            yield from together([self._fill(shard, limit) for shard in filling])
            self._reclaim(filling)
            empty = [shard for shard in empty if not shard.items and not shard.done]

    def _allot(self, shards: Sequence[ShardBuffer]) -> list[ShardBuffer]:
        """Divide the items that may still be evaluated; return the shards that got some."""
        share, rest = divmod(self.unread or 0, len(shards))
        for place, shard in enumerate(shards):
            shard.allowance = share + (place < rest)
        return [shard for shard in shards if shard.allowance]

    def _reclaim(self, shards: Sequence[ShardBuffer]) -> None:
        if self.unread is not None:
            self.unread = sum(shard.allowance or 0 for shard in shards)

    def _fill(self, shard: ShardBuffer, limit: int | None) -> Steps[None]:
        """Fetch pages until the buffer has an item, or to the end or the bound."""
        while not shard.items and not shard.done and shard.allowance != 0:
            yield from self._fetch(shard, limit)
            # If a page has only unwanted items, fetch a larger one.
            limit = None if limit is None else limit * 2

    def _fetch(self, shard: ShardBuffer, limit: int | None) -> Steps[None]:
        page: PageOutput = yield from send(
            self.context.retry_policy, self._query(shard, limit, count_only=False)
        )
        items = page.raw_items or []
        if not self._takes_all(shard):
            items = [raw for raw in items if self._is_returned(shard, item_from_json(raw))]
        shard.items.extend(items)
        self._advance(shard, page)

    def _advance(self, shard: ShardBuffer, page: PageOutput) -> None:
        shard.after = page.last_evaluated_key
        shard.done = page.last_evaluated_key is None
        if shard.allowance is not None:
            shard.allowance -= page.scanned_count

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
        return (
            shard.key_query.excluded is None
            and (self.is_exclusive or self.has_tag)
            and not self.tests_where
        )

    def _is_returned(self, shard: ShardBuffer, item: Item) -> bool:
        """Return whether an item is wanted, or does not fit, which is reported later."""
        try:
            return self._is_wanted(shard, item) and self._meets_where(item)
        except ItemMismatch:
            return True

    def _meets_where(self, item: Item) -> bool:
        """Return whether an item of any schema version satisfies the condition."""
        if not self.tests_where or self.where is None:
            return True
        return ex.holds(self.where, upgraded_entry(self.model, self.selection.access, item))

    def _is_wanted(self, shard: ShardBuffer, item: Item) -> bool:
        excluded = shard.key_query.excluded
        if excluded is not None:
            sort = self.selection.access.sk[0].attribute.name
            if item[sort].get("S") == excluded:
                return False
        # With a type tag the filter has already selected the entity.
        return self.is_exclusive or self.has_tag or self.model.parse_key(item) is not None

    def _filter(self) -> ex.Condition | None:
        if self.all_entities:
            return None
        where, is_current = self.where, self.model.versions.current_condition
        if where is not None and is_current is not None:
            where = ex.Or(where, ex.Not(is_current))
        condition = both(where, not_expired(self.model, self.context.clock()))
        if not self.is_exclusive and self.has_tag and self.model.tag is not None:
            attribute, tag = self.model.tag
            condition = both(
                condition, ex.Compare("=", ex.At((attribute,)), ex.Constant({"S": tag}))
            )
        return condition

    def _limit(self, shard: ShardBuffer, limit: int | None) -> int | None:
        """Return the Limit of a request, which counts items before the filter drops some."""
        if limit is None or self.where is not None:
            return shard.allowance
        wanted = limit + self.lookahead + (shard.key_query.excluded is not None)
        return wanted if shard.allowance is None else min(wanted, shard.allowance)

    def _query(self, shard: ShardBuffer, limit: int | None, *, count_only: bool) -> Query:
        rendered = ex.render_request(
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


def _shares_range(access: ResolvedKey, model: Model) -> bool:
    # A new entity, and so a new revision of the table, may share the range.
    cache_key = _shares_range, access.name, model.table.revision
    shares: bool | None = model.derived.get(cache_key)
    if shares is None:
        shares = model.derived[cache_key] = has_overlapping_range(access, model)
    return shares


def check_max_read(max_read: int, access: ResolvedKey, shards: int) -> None:
    """Raise unless `max_read` allows to read at least one item of each shard."""
    check_count("max_read", max_read)
    if max_read < shards:
        raise InvalidValue(
            f"max_read: expected at least {shards}, one item of each shard of {access}, but got "
            f"{max_read}."
        )


def create_query(
    context: Context, selection: Selection[E], **options: Unpack[QueryOptions[E]]
) -> ItemQuery[E]:
    """Return a query of whole items; raise if the index does not contain them."""
    query = ItemQuery(context, selection, **options)
    check_whole(query.model, selection.access)
    return query


def is_hydrated(pattern: ReadPatternLike[Any, Any], selection: Selection[Any]) -> bool:
    """Return whether a pattern reads the items of a selection by the keys in its index."""
    if pattern.expected.hydrate is not None:
        return pattern.expected.hydrate
    return bool(missing_fields(model_of(selection.entity), selection.access.index))


def next_instances(query: ItemQuery[E], limit: int | None) -> Steps[list[E]]:
    """Return the next instances; none at the end or the bound."""
    model, access = query.model, query.selection.access
    decode = raw_decoder(model)
    if model.versions.is_declared and projected_attributes(model, access.index) is not None:
        decode = partial(_decode_entry, model, access)
    # Continue while all items of a page are skipped: an empty result means the end.
    while items := (yield from query.next_raw_items(limit)):
        instances = decode_each(decode, items, query.on_mismatch)
        if instances:
            return instances
    return []


def _decode_entry(model: Model, access: ResolvedKey, raw: Raw) -> Any:
    return decode_item(model, upgraded_entry(model, access, item_from_json(raw)))


def next_hydrated(query: ItemQuery[E], limit: int | None) -> Steps[list[E]]:
    """Return the next instances, read from the table by the keys in the index; none at the end.

    The index is eventually consistent: items that have left the partition since are skipped.
    """
    context, model = query.context, query.model
    name = context.table_name(model.table)
    while entries := (yield from query.next_items(limit)):
        ids = [item_id(name, key_attributes(model, entry)) for entry in entries]
        keys = {id_: key_attributes(model, entry) for id_, entry in zip(ids, entries, strict=True)}
        items = yield from get_items(
            context, {name: model.table}, keys, consistent=query.consistent
        )
        now = context.clock()
        found: list[Item] = []
        for id_, entry in zip(ids, entries, strict=True):
            item = items.get(id_)
            if item is None or is_expired(model, item, now):
                continue
            if _is_still_in_partition(query, entry, item):
                found.append(item)
        instances = decode_each(partial(decode_item, model), found, query.on_mismatch)
        if instances:
            return instances
    return []


def _is_still_in_partition(query: ItemQuery[Any], entry: Item, item: Item) -> bool:
    access = query.selection.access
    if any(item.get(one.attribute.name) != entry[one.attribute.name] for one in access.pk):
        return False
    if any(one.attribute.name not in item for one in access.sk):
        return False
    if query.where is None:
        return True
    try:
        return ex.holds(query.where, query.model.versions.upgraded(item))
    except ItemMismatch:
        return True  # it is reported when it is decoded


def create_field_query(
    context: Context,
    selection: Selection[E],
    paths: Sequence[Path[Any, Any]],
    **options: Unpack[QueryOptions[E]],
) -> ItemQuery[E]:
    """Return a query that reads only some paths, and the keys to continue after."""
    query = ItemQuery(context, selection, **options)
    if not paths:
        raise InvalidValue("expected at least one field to read, but got none.")
    for path in paths:
        check_path(query.model, path, in_key=True)
    check_selectable(query.model, selection.access, paths)
    if query.model.versions.is_declared:
        # Older versions have other attributes. A projection would not cost less.
        check_version_projected(query.model, selection.access)
        return query
    projected = {
        _without_list_elements(path.document_path())
        for path in paths
        if key_with_field(query.model, selection.access, path.field) is None
    }
    projected |= {(name,) for name in query.key_names()}
    in_index = (path.field for path in paths if path.field in query.model.index_only)
    projected |= {(query.model.attribute_of(name),) for name in in_index}
    # DynamoDB rejects overlapping paths: drop paths inside another one.
    query.paths = tuple(
        sorted(
            path
            for path in projected
            if not any(path[:end] in projected for end in range(1, len(path)))
        )
    )
    return query


def create_page_query(
    context: Context,
    selection: Selection[E],
    *,
    fields: Sequence[Path[Any, Any]] | None,
    hydrate: bool,
    **options: Unpack[ReadOptions[E]],
) -> tuple[ItemQuery[E], NextItems[Any]]:
    """Return a query of whole items, hydrated items or some fields, and how to read its results."""
    if fields is not None:
        if hydrate:
            raise InvalidValue(
                "page() reads either fields=(…) or, with hydrate=True, whole items, but got both."
            )
        if not isinstance(fields, tuple | list):
            raise InvalidValue(f"fields: expected a tuple of fields, but got {fields!r}.")
        query = create_field_query(context, selection, fields, **options)
        return query, lambda limit: next_fields(query, fields, limit)
    whole = (ItemQuery if hydrate else create_query)(context, selection, **options)
    read_next = next_hydrated if hydrate else next_instances
    return whole, lambda limit: read_next(whole, limit)


def _without_list_elements(path: ex.Path) -> ex.Path:
    # A projected list element is returned in a shorter list, where its index is lost.
    return tuple(takewhile(lambda step: isinstance(step, str), path))


def next_fields(
    query: ItemQuery[Any], paths: Sequence[Path[Any, Any]], limit: int | None
) -> Steps[list[tuple[Any, ...]]]:
    """Return the values at some paths of the next items; none at the end or the bound."""
    model, access = query.model, query.selection.access
    keyed = [(path, key_with_field(model, access, path.field)) for path in paths]

    def decode(item: Item) -> tuple[Any, ...]:
        return decode_paths(model, keyed, upgraded_entry(model, access, item))

    while items := (yield from query.next_items(limit)):
        values = decode_each(decode, items, query.on_mismatch)
        if values:
            return values
    return []
