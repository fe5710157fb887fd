"""All items of a table deleted, but for some that are kept with the markers of their values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from singletable.errors import InvalidValue
from singletable.expressions import render_projection
from singletable.operations import DeleteRequest, PageOutput, Scan, WriteRequest
from singletable.retry import Steps, send
from singletable.schema import ItemKey, Table
from singletable.schema.unique import OWNER, Marker
from singletable.store.batch import write_all
from singletable.store.context import Context
from singletable.store.given import addresses_of, check_table
from singletable.store.write import Place, place_of
from singletable.values import Item


@dataclass(frozen=True, slots=True)
class Clearing:
    """What is to be deleted: all but what is at these places, and the markers of it."""

    context: Context
    table: Table
    kept: frozenset[Place]
    markers: tuple[Marker, ...]

    @classmethod
    def of(cls, context: Context, table: Table, keep: Iterable[ItemKey[Any]]) -> Clearing:
        """The clearing of a table, but for some addresses in it."""
        check_table(table)
        kept = addresses_of(keep)
        for address in kept:
            if context.name(address.model.table) != context.name(table):
                raise InvalidValue(
                    f"keep: {address!r} is in {address.model.table!r}, and {table!r} is to be "
                    "cleared. Name addresses of that table alone."
                )
        models = {address.entity: address.model for address in kept}.values()
        return cls(
            context,
            table,
            frozenset(place_of(context.name(table), address.key) for address in kept),
            tuple(marker for model in models for marker in model.uniques.values()),
        )

    def some(self, after: Item | None) -> Steps[tuple[int, Item | None]]:
        """Delete what the next page of a scan finds: how many, and where to go on."""
        name = self.context.name(self.table)
        names = [one.name for one in self.table.key_attributes]
        asked = [*names, *(f"{OWNER}{one}" for one in names)] if self.markers else names
        keys_only = render_projection(tuple((one,) for one in asked))
        scan = Scan(
            name,
            exclusive_start_key=after,
            projection_expression=keys_only.text,
            expression_attribute_names=keys_only.names or None,
            # What was written a moment ago is to go, too.
            consistent_read=True,
        )
        page: PageOutput = yield from send(self.context.patience, scan)
        deletes: dict[Place, WriteRequest] = {}
        for item in page.items:
            key = {one: item[one] for one in names}
            place = place_of(name, key)
            if place not in self.kept and not self._is_marker_of_kept(item):
                deletes[place] = WriteRequest(delete_request=DeleteRequest(key))
        yield from write_all(self.context, deletes)
        return len(deletes), page.last_evaluated_key

    def _is_marker_of_kept(self, item: Item) -> bool:
        """Whether an item says that a value is taken by an item that is kept."""
        if all(marker.access.parse(item) is None for marker in self.markers):
            return False
        keys = self.table.key_attributes
        owner = {one.name: item.get(f"{OWNER}{one.name}", {}) for one in keys}
        named = all(one.type in owner[one.name] for one in keys)
        return named and place_of(self.context.name(self.table), owner) in self.kept
