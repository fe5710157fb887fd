"""Collections: the items of several entities, from one query of a partition or a range of it."""

from __future__ import annotations

from typing import Any, TypeVar

from singletable.errors import InvalidValue
from singletable.retry import Steps
from singletable.schema import Collection, Model, ResolvedKey, Selection, model_of
from singletable.store.context import Context
from singletable.store.decoder import check_whole, decode_item
from singletable.store.query import ItemQuery
from singletable.store.ttl import is_expired
from singletable.store.validation import check_collection, check_selection
from singletable.values import Item

K = TypeVar("K", bound=Collection)


class CollectionQuery(ItemQuery[Any]):
    """A query in progress for the items of a collection."""

    def __init__(
        self,
        context: Context,
        collection: type[Collection],
        selection: Selection[Any],
        *,
        consistent: bool = False,
    ) -> None:
        check_collection(collection)
        check_selection(selection)
        self.members = [model_of(entity) for entity in collection.entities()]
        table = model_of(selection.entity).table
        for model in self.members:
            if model.table is not table:
                raise InvalidValue(
                    f"{collection.__name__}: {model.name} is in {model.table!r}, but the partition "
                    f"is in {table!r}."
                )
            check_whole(model, selection.access)
        check_required_members(collection, selection)
        self.range = selection.all_entities()
        super().__init__(context, self.range, consistent=consistent, all_entities=True)
        self.now = context.clock()

    def member(self, item: Item) -> Model | None:
        """Return the entity of an item; None if it is not part of the collection, or expired."""
        for model in self.members:
            if model.matches(item):
                if is_expired(model, item, self.now) or not self.range.includes(item):
                    return None
                return model
        return None


def check_required_members(collection: type[Collection], selection: Selection[Any]) -> None:
    """Raise if the range of a collection never contains one of its required members."""
    range_ = selection.all_entities()
    if not range_.is_narrowed:
        return
    for name, entity in collection.required_members().items():
        model = model_of(entity)
        keys = _keys_in(selection.access, model)
        if keys and not any(map(range_.may_include, keys)):
            raise InvalidValue(
                f"{collection.__name__}.{name} is required, but no {model.name} is in the range "
                f"{selection!r}. Select a range that contains it, or declare "
                f"`{name}: {model.name} | None`."
            )


def _keys_in(access: ResolvedKey, model: Model) -> list[ResolvedKey]:
    """Return the keys of the entity in the same table or index."""
    if access.index is None:
        return [model.key]
    return [key for key in model.indexes.values() if key.index is access.index]


def collect(
    context: Context, collection: type[K], selection: Selection[Any], *, consistent: bool
) -> Steps[K]:
    """Return the items of a partition or range, grouped by entity into a collection."""
    query = CollectionQuery(context, collection, selection, consistent=consistent)
    instances: dict[type, list[object]] = {model.entity: [] for model in query.members}
    while items := (yield from query.next_items(None)):
        for item in items:
            model = query.member(item)
            if model is not None:
                instances[model.entity].append(decode_item(model, item))
    where = f"the range {selection!r}" if query.range.is_narrowed else "the partition"
    return collection.of(instances, where)
