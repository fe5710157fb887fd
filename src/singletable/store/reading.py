"""Queries: page after page, from one partition or from all shards of it in one order.

A reading begins where a cursor says, or at the beginning, and knows at each moment the key after
which it would go on: that of the last item it gave out, in each shard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from singletable import expressions
from singletable.errors import InvalidValue
from singletable.expressions import (
    Aliases,
    At,
    Compare,
    Literally,
    render_condition,
    render_key_condition,
    render_projection,
)
from singletable.operations import Page, Query
from singletable.schema import Condition, Model, Selection, model_of, shares_range
from singletable.schema.selection import Asked
from singletable.store.alive import alive
from singletable.store.context import Context
from singletable.store.steps import Steps
from singletable.store.write import both
from singletable.values import Item, key_bytes

E = TypeVar("E")


class Stream:
    """The items of one shard, from a position on."""

    def __init__(self, asked: Asked, after: Item | None = None, *, done: bool = False) -> None:
        self.asked = asked
        # The key after which to go on, once all that was fetched is given out.
        self.after = after
        self.fetched: list[Item] = []
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
        paths: expressions.Projection | None = None,
        several: bool = False,
    ) -> None:
        self.context = context
        self.selection = selection
        self.model: Model = model_of(selection.entity)
        self.reverse = reverse
        self.consistent = consistent
        self.paths = paths
        access = selection.access
        if consistent and access.index is not None and not access.index.local:
            raise InvalidValue(
                f"{access} is in a global index, which DynamoDB reads eventually. Leave out "
                "consistent=True, or query the primary key."
            )
        self.streams = [Stream(one) for one in selection.asked()]
        # Whether no items of other entities lie between, or those of several are asked for.
        self.alone = several or not shares_range(access, self.model)
        self.where = None if where is None else where.node()
        self.filter = None if several else self._filter()

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
        for stream in self.streams:
            while not stream.fetched and not stream.done:
                yield from self._fetch(stream, most)
        if len(self.streams) == 1:
            (stream,) = self.streams
            taken = stream.fetched if most is None else stream.fetched[:most]
            stream.fetched = stream.fetched[len(taken) :]
            if taken:
                stream.given = self.key_of(taken[-1])
            return taken
        return self._merged(most)

    def count(self) -> Steps[int]:
        """How many items there are, on all pages."""
        total = 0
        for stream in self.streams:
            while not stream.done:
                page = yield self._query(stream, None, counting=self._countable(stream))
                total += self._counted(stream, page)
                stream.after = page.last_evaluated_key
                stream.done = page.last_evaluated_key is None
        return total

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

    def _fetch(self, stream: Stream, most: int | None) -> Steps[None]:
        page: Page = yield self._query(stream, most, counting=False)
        stream.fetched = [item for item in page.items if self._wanted(stream, item)]
        stream.after = page.last_evaluated_key
        stream.done = page.last_evaluated_key is None

    def _merged(self, most: int | None) -> list[Item]:
        """Items of several shards in one order, for as long as each shard has one to compare."""
        taken: list[Item] = []
        while most is None or len(taken) < most:
            if any(not stream.fetched and not stream.done for stream in self.streams):
                break
            open_ = [stream for stream in self.streams if stream.fetched]
            if not open_:
                break
            pick = max if self.reverse else min
            stream = pick(open_, key=lambda one: self._order(one.fetched[0]))
            item = stream.fetched.pop(0)
            stream.given = self.key_of(item)
            taken.append(item)
        return taken

    def _order(self, item: Item) -> tuple[bytes, ...]:
        columns = self.selection.access.sk
        sort = [key_bytes(item[column.attribute.name]) for column in columns]
        table = [key_bytes(item[one.name]) for one in self.model.table.key_attributes]
        return (*sort, *table)

    def _wanted(self, stream: Stream, item: Item) -> bool:
        unwanted = stream.asked.unwanted
        if unwanted is not None:
            sort = self.selection.access.sk[0].attribute.name
            if item[sort].get("S") == unwanted:
                return False
        return self.alone or self.model.matches(item)

    def _countable(self, stream: Stream) -> bool:
        """Whether the number alone tells, or each item must be looked at."""
        return stream.asked.unwanted is None and (self.alone or self.model.tag is not None)

    def _counted(self, stream: Stream, page: Page) -> int:
        if self._countable(stream):
            return page.count
        return sum(self._wanted(stream, item) for item in page.items)

    def _filter(self) -> expressions.Condition | None:
        whole = both(self.where, alive(self.model, self.context.clock()))
        if not self.alone and self.model.tag is not None:
            attribute, tag = self.model.tag
            whole = both(whole, Compare("=", At((attribute,)), Literally({"S": tag})))
        return whole

    def _query(self, stream: Stream, most: int | None, *, counting: bool) -> Query:
        aliases = Aliases()
        condition = render_key_condition(stream.asked.clauses, aliases).text
        filter_ = None if self.filter is None else render_condition(self.filter, aliases).text
        projection = None
        if self.paths is not None and not counting:
            projection = render_projection(self.paths, aliases).text
        index = self.selection.access.index
        exact = self.filter is None and self.alone and stream.asked.unwanted is None
        return Query(
            self.context.name(self.model.table),
            index_name=None if index is None else index.name,
            select="COUNT" if counting else None,
            # With a filter the limit would count what is read, not what is found.
            limit=most if exact else None,
            consistent_read=self.consistent or None,
            scan_index_forward=False if self.reverse else None,
            exclusive_start_key=stream.after,
            projection_expression=projection,
            filter_expression=filter_,
            key_condition_expression=condition,
            expression_attribute_names=aliases.names or None,
            expression_attribute_values=aliases.values or None,
        )


def projected(model: Model, selection: Selection[Any]) -> None:
    """Refuse to make whole items of what an index has only in part."""
    index = selection.access.index
    if index is None or index.projects == "ALL":
        return
    has = set(() if index.projects == "KEYS_ONLY" else index.projects)
    has |= {one.name for one in (*model.table.key_attributes, *index.pk, *index.sk)}
    lacking = [
        name for name, field in model.fields.items() if field.stored and field.attribute not in has
    ]
    if lacking:
        raise InvalidValue(
            f"{selection.access}: {index!r} does not hold {', '.join(lacking)}, so it cannot give "
            f"whole items of {model.name}. Ask for the fields it has with pick(), or for the items "
            "themselves with fetch()."
        )
