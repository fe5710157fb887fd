"""Collections: the items of several entities, from one query of a partition or a range of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar, Unpack

from dynamodb_engine import expressions
from dynamodb_engine.expressions import holds
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue, ItemMismatch, NotFound, ReadLimitReached
from singletable.schema import Collection, Condition, Model, ResolvedKey, Selection, model_of
from singletable.schema.fields import Attr, NestedPath
from singletable.store.context import Context
from singletable.store.decoder import check_whole, decode_each, decode_item, upgraded_entry
from singletable.store.options import CollectOptions
from singletable.store.query import ItemQuery, ShardBuffer
from singletable.store.ttl import is_expired
from singletable.store.validation import check_collection, check_is, condition_node

K = TypeVar("K", bound=Collection)
# An instance, with its entity.
_Member: TypeAlias = tuple[type, object]


class CollectionQuery(ItemQuery[Any]):
    """A query in progress for the items of a collection."""

    def __init__(
        self,
        context: Context,
        collection: type[Collection],
        selection: Selection[Any],
        **options: Unpack[CollectOptions[Any]],
    ) -> None:
        check_collection(collection)
        check_is(Selection, selection)
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
        where = options.pop("where", None)  # it tests the items of its own entity only
        super().__init__(context, self.range, **options, all_entities=True)
        self.now = context.clock()
        # Whether to drop other items when they are fetched, so that a limit counts members only.
        self.drops_early = False
        # Whether an item of a member was found, even if it could not be decoded.
        self.has_found = False
        # The condition, and the entity whose items it tests.
        self.tested, self.test = _member_condition(collection, self.members, where)

    def member(self, item: Item) -> Model | None:
        """Return the entity of an item; None if it is not part of the collection, or expired."""
        for model in self.members:
            if model.matches(item):
                if is_expired(model, item, self.now) or not self.range.includes(item):
                    return None
                if model is self.tested and not self._meets_test(model, item):
                    return None
                return model
        return None

    def _meets_test(self, model: Model, item: Item) -> bool:
        if self.test is None:
            return True
        try:
            return holds(self.test, upgraded_entry(model, self.selection.access, item))
        except ItemMismatch:
            return True  # it is reported when it is decoded

    def _takes_all(self, shard: ShardBuffer) -> bool:
        return not self.drops_early and super()._takes_all(shard)

    def _is_wanted(self, shard: ShardBuffer, item: Item) -> bool:
        if not super()._is_wanted(shard, item):
            return False
        return not self.drops_early or self.member(item) is not None


def _member_condition(
    collection: type[Collection], members: Sequence[Model], where: Condition[Any] | None
) -> tuple[Model | None, expressions.Condition | None]:
    """Return the entity that a condition tests, and the condition as an expression."""
    if where is None:
        return None, None
    if not isinstance(where, Condition):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidValue(
            f"where: expected a condition on an entity of {collection.__name__}, but got {where!r}."
        )
    for model in members:
        if all(_is_field_of(model, path) for path in where.fields):
            return model, condition_node(model, where)
    fields = ", ".join(dict.fromkeys(str(path) for path in where.fields))
    names = ", ".join(model.name for model in members)
    raise InvalidValue(
        f"where: expected a condition on one entity of {collection.__name__} ({names}), but it "
        f"tests {fields}."
    )


def _is_field_of(model: Model, path: object) -> bool:
    root = path._root if isinstance(path, NestedPath) else path  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return isinstance(root, Attr) and model.fields.get(root.name) is root


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


def collect(query: CollectionQuery, collection: type[K], limit: int | None) -> Steps[K]:
    """Return the items of a partition or range, at most `limit`, grouped into a collection."""
    query.drops_early = limit is not None
    members: list[_Member] = []
    while limit is None or len(members) < limit:
        left = None if limit is None else limit - len(members)
        more = yield from _next_members(query, left)
        if not more:
            if query.max_read is not None and query.is_exhausted:
                raise ReadLimitReached(query.max_read, None)
            break
        members += more
    place = f"the range {query.selection!r}" if query.range.is_narrowed else "the partition"
    if len(members) == limit:
        place = f"the first {limit} items of {place}"
    if not query.has_found:
        # Without any item there is no such collection, as for a key that nobody created. Items
        # without the required one are inconsistent, which is an ItemMismatch.
        for name, entity in collection.required_members().items():
            raise NotFound(
                f"{collection.__name__}.{name}: there is no {entity.__name__} in {place}."
            )
    return _group(collection, members, place)


def _next_members(query: CollectionQuery, limit: int | None) -> Steps[list[_Member]]:
    """Return the next instances with their entities; none at the end or the bound."""
    while items := (yield from query.next_items(limit)):
        found = [(model, item) for item in items if (model := query.member(item)) is not None]
        query.has_found = query.has_found or bool(found)
        decode = partial(_decode_member, query.selection.access)
        members = decode_each(decode, found, query.on_mismatch)
        if members:
            return members
    return []


def _decode_member(access: ResolvedKey, found: tuple[Model, Item]) -> _Member:
    model, item = found
    return model.entity, decode_item(model, upgraded_entry(model, access, item))


def _group(collection: type[K], members: Iterable[_Member], place: str) -> K:
    instances: dict[type, list[object]] = {entity: [] for entity in collection.entities()}
    for entity, instance in members:
        instances[entity].append(instance)
    return collection.of(instances, place)
