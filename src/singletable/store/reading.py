"""Queries: page after page, from one partition or from all shards of it in one order.

A reading begins where a cursor says, or at the beginning, and knows at each moment the key after
which it would go on: that of the last item it gave out, in each shard. Shards do not wait for each
other: all that have nothing left to give are asked together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Generic, TypeVar

from singletable import expressions
from singletable.errors import InvalidValue
from singletable.expressions import (
    Aliases,
    At,
    Compare,
    Constant,
    render_condition,
    render_key_condition,
    render_projection,
)
from singletable.operations import PageOutput, Query
from singletable.retry import Steps, send, together
from singletable.schema import (
    Condition,
    Model,
    ResolvedKey,
    Selection,
    has_overlapping_range,
    model_of,
)
from singletable.schema.selection import KeyQuery
from singletable.store.context import Context
from singletable.store.projected import check_where, holds_attribute
from singletable.store.ttl import alive
from singletable.store.validation import check_selection, node_of
from singletable.store.writes import both
from singletable.values import Item, key_bytes

E = TypeVar("E")


class Stream:
    """The items of one shard, from a position on."""

    def __init__(self, asked: KeyQuery, after: Item | None = None, *, done: bool = False) -> None:
        self.asked = asked
        # The key after which to go on, once all that was fetched is given out.
        self.after = after
        self.fetched: deque[Item] = deque()
        # The key of the last item that was given out.
        self.given = after
        self.done = done


class Reading(Generic[E]):
    """A query under way."""

    def __init__(
        self,
        context: Context,
        selection: Selection[E],
        where: Condition[E] | None = None,
        *,
        reverse: bool = False,
        consistent: bool = False,
        several: bool = False,
    ) -> None:
        check_selection(selection)
        self.context = context
        self.selection = selection
        self.model: Model = model_of(selection.entity)
        self.reverse = reverse
        self.consistent = consistent
        self.several = several
        # The places that are read; None for whole items.
        self.paths: expressions.Projection | None = None
        # How many items more than it is asked for a query brings along.
        self.ahead = 0
        access = selection.access
        if consistent and access.index is not None and not access.index.local:
            raise InvalidValue(
                f"{access} is in a global index, which DynamoDB reads eventually. Leave out "
                "consistent=True, or query the primary key."
            )
        self.streams = [Stream(one) for one in selection.key_queries()]
        # Whether no items of other entities lie between, or those of several are asked for.
        self.alone = several or not _shares_range(access, self.model)
        # Whether the type tag, where the index has it, tells the entity's own items.
        tag = self.model.tag
        self.by_tag = tag is not None and holds_attribute(self.model, access.index, tag[0])
        self.where = node_of(self.model, where)
        if self.where is not None:
            check_where(self.model, access, self.where)

    def go_to(self, positions: Sequence[Item | bool | None]) -> None:
        """Go on where another reading of the same query stood."""
        self.streams = [
            Stream(
                stream.asked,
                None if isinstance(position, bool) else position,
                done=position is True,
            )
            for stream, position in zip(self.streams, positions, strict=True)
        ]

    def positions(self) -> list[Item | bool | None]:
        """Where each shard would go on: after a key, from the beginning, or not at all."""
        return [
            True if stream.done and not stream.fetched else stream.given for stream in self.streams
        ]

    def next_items(self, most: int | None) -> Steps[list[Item]]:
        """The next items in order, at least one unless there are no more; at most so many."""
        empty = [stream for stream in self.streams if not stream.fetched and not stream.done]
        if len(empty) == 1:
            yield from self._fill(empty[0], most)
        elif empty:
            yield from together([self._fill(stream, most) for stream in empty])
        if len(self.streams) == 1:
            (stream,) = self.streams
            fetched = stream.fetched
            if most is None or most >= len(fetched):
                taken = list(fetched)
                fetched.clear()
            else:
                taken = [fetched.popleft() for _ in range(most)]
            if taken:
                stream.given = self.key_of(taken[-1])
            return taken
        return self._merged(most)

    def count(self) -> Steps[int]:
        """How many items there are, on all pages."""
        return sum((yield from together([self._count(stream) for stream in self.streams])))

    def key_of(self, item: Item) -> Item:
        """The key after which a query that ended with this item would go on."""
        return {name: item[name] for name in self.key_names()}

    def key_names(self) -> list[str]:
        """The attributes of the table's key, and of the index's."""
        index = self.selection.access.index
        attributes = [*self.model.table.key_attributes]
        if index is not None:
            attributes += [*index.pk, *index.sk]
        return list(dict.fromkeys(attribute.name for attribute in attributes))

    def _count(self, stream: Stream) -> Steps[int]:
        total = 0
        while not stream.done:
            query = self._query(stream, None, counting=self._countable(stream))
            page: PageOutput = yield from send(self.context.retry_policy, query)
            total += self._counted(stream, page)
            stream.after = page.last_evaluated_key
            stream.done = page.last_evaluated_key is None
        return total

    def _fill(self, stream: Stream, most: int | None) -> Steps[None]:
        """Fetch until there is an item to give out, or the end."""
        while not stream.fetched and not stream.done:
            yield from self._fetch(stream, most)
            # Whoever finds only what is not wanted looks further each time.
            most = None if most is None else most * 2

    def _fetch(self, stream: Stream, most: int | None) -> Steps[None]:
        page: PageOutput = yield from send(
            self.context.retry_policy, self._query(stream, most, counting=False)
        )
        if self._countable(stream):
            stream.fetched.extend(page.items)
        else:
            stream.fetched.extend(item for item in page.items if self._wanted(stream, item))
        stream.after = page.last_evaluated_key
        stream.done = page.last_evaluated_key is None

    def _merged(self, most: int | None) -> list[Item]:
        """Items of several shards in one order, for as long as each shard has one to compare."""
        taken: list[Item] = []
        pick = max if self.reverse else min
        heads = {
            stream: self._order(stream.fetched[0]) for stream in self.streams if stream.fetched
        }
        while heads and (most is None or len(taken) < most):
            stream = pick(heads, key=lambda one: heads[one])
            item = stream.fetched.popleft()
            stream.given = self.key_of(item)
            taken.append(item)
            if stream.fetched:
                heads[stream] = self._order(stream.fetched[0])
            elif stream.done:
                del heads[stream]
            else:
                break
        return taken

    def _order(self, item: Item) -> tuple[bytes, ...]:
        columns = self.selection.access.sk
        sort = [key_bytes(item[column.attribute.name]) for column in columns]
        table = [key_bytes(item[one.name]) for one in self.model.table.key_attributes]
        return (*sort, *table)

    def _wanted(self, stream: Stream, item: Item) -> bool:
        unwanted = stream.asked.excluded
        if unwanted is not None:
            sort = self.selection.access.sk[0].attribute.name
            if item[sort].get("S") == unwanted:
                return False
        # The filter has seen to the type tag.
        return self.alone or self.by_tag or self.model.key.parse(item) is not None

    def _countable(self, stream: Stream) -> bool:
        """Whether all that a query finds is wanted, or each item must be looked at."""
        return stream.asked.excluded is None and (self.alone or self.by_tag)

    def _counted(self, stream: Stream, page: PageOutput) -> int:
        if self._countable(stream):
            return page.count
        return sum(self._wanted(stream, item) for item in page.items)

    def _filter(self) -> expressions.Condition | None:
        if self.several:
            return None
        whole = both(self.where, alive(self.model, self.context.clock()))
        if not self.alone and self.by_tag and self.model.tag is not None:
            attribute, tag = self.model.tag
            whole = both(whole, Compare("=", At((attribute,)), Constant({"S": tag})))
        return whole

    def _limit(self, stream: Stream, most: int | None) -> int | None:
        """How many items to look at; with a condition nobody knows how many will meet it."""
        if most is None or self.where is not None:
            return None
        return most + self.ahead + (stream.asked.excluded is not None)

    def _query(self, stream: Stream, most: int | None, *, counting: bool) -> Query:
        aliases = Aliases()
        condition = render_key_condition(stream.asked.clauses, aliases).text
        filter_ = self._filter()
        filtered = None if filter_ is None else render_condition(filter_, aliases).text
        projection = None
        if self.paths is not None and not counting:
            projection = render_projection(self.paths, aliases).text
        index = self.selection.access.index
        return Query(
            self.context.table_name(self.model.table),
            index_name=None if index is None else index.name,
            select="COUNT" if counting else None,
            limit=self._limit(stream, most),
            consistent_read=self.consistent or None,
            scan_index_forward=False if self.reverse else None,
            exclusive_start_key=stream.after,
            projection_expression=projection,
            filter_expression=filtered,
            key_condition_expression=condition,
            expression_attribute_names=aliases.names or None,
            expression_attribute_values=aliases.values or None,
        )


# Whether a key shares its range, for as many entities as its table had then; an entity and its
# keys are never given up, so their identity will do.
_SHARES: dict[tuple[int, int], bool] = {}


def _shares_range(access: ResolvedKey, model: Model) -> bool:
    asked = id(access), len(model.table.entities)
    found = _SHARES.get(asked)
    if found is None:
        found = _SHARES[asked] = has_overlapping_range(access, model)
    return found
