"""Numbers of a sequence: `create` takes the next one of the parent before it writes the item.

The number is taken in a request of its own, so it is never used twice, and is lost if the create
then fails. It is taken once for each call: after a conflict the item is planned with the same one.
"""

from __future__ import annotations

from typing import Any, TypeVar, cast

from singletable.errors import ConditionFailed, InvalidValue, NotFound
from singletable.expressions import Action, Add, Constant, IfNotExists, Set, Sum
from singletable.retry import Steps
from singletable.schema import Condition, Counter, ItemKey, Model, model_of
from singletable.store.commit import commit
from singletable.store.context import Context
from singletable.store.plan import Plan, plan_create
from singletable.store.ttl import item_exists
from singletable.store.writes import Write
from singletable.values import Item

E = TypeVar("E")


def lacks_number(model: Model, item: object) -> bool:
    """Return whether the item is to be numbered when it is created."""
    return model.sequence is not None and item.__dict__.get(model.sequence.name) is None


def check_number(model: Model, item: object) -> None:
    """Raise InvalidValue if the item has no number yet, which only a create assigns."""
    if model.sequence is not None and lacks_number(model, item):
        name = model.sequence.name
        raise InvalidValue(
            f"{model.fields[name]} has no value: only create() assigns the next number. To write "
            f"an item from elsewhere, assign its number: item.{name} = …."
        )


def take_number(context: Context, model: Model, item: E, if_: Condition[E] | None) -> Steps[E]:
    """Return a copy of the item with the next number of its parent; raise NotFound without one."""
    sequence = model.sequence
    assert sequence is not None
    # Nothing is taken for an item that cannot be written.
    write = plan_create(context, model, _numbered(sequence, item, 1), if_).writes[0]
    context.check_scope(write.table, [write.key])
    number = yield from _next_number(context, model, sequence, parent_key(sequence, item))
    return _numbered(sequence, item, number)


def parent_key(sequence: Counter, item: object) -> ItemKey[Any]:
    """Return the key of the item that has the last number."""
    return ItemKey[Any].of(sequence.entity, sequence.values(item.__dict__))


def set_number(model: Model, item: object, numbered: object) -> None:
    """Set the number of an item that was created."""
    if model.sequence is not None:
        item.__dict__[model.sequence.name] = numbered.__dict__[model.sequence.name]


def _numbered(sequence: Counter, item: E, number: int) -> E:
    copy = object.__new__(type(item))
    vars(copy).update({**vars(item), sequence.name: number})
    return copy


def _next_number(
    context: Context, model: Model, sequence: Counter, key: ItemKey[Any]
) -> Steps[int]:
    """Add one to the last number of the parent, and return it."""
    parent = model_of(sequence.entity)
    field = parent.fields[sequence.path.field]

    def missing(item: Item | None) -> ConditionFailed:
        return NotFound(f"{key}, which numbers {model.name} items, does not exist.")

    def planner() -> Steps[Plan]:
        yield from ()
        write = Write(
            "update",
            context.table_name(parent.table),
            key.key,
            missing,
            actions=(_increment(sequence, 0 if field.default is None else field.default()),),
            condition=item_exists(parent, context.clock()),
        )
        return Plan([write], {})

    _, output = yield from commit(context, planner, "UPDATED_NEW")
    attributes = {} if output is None else output.attributes or {}
    return cast(int, field.codec().decode(attributes[field.attribute]))


def _increment(sequence: Counter, default: object) -> Action:
    path = sequence.path.document_path()
    if not default:
        return Add(path, {"N": "1"})
    # A parent that is older than its number starts with the default, as when it is read.
    start = IfNotExists(path, Constant(sequence.path.codec().encode(default)))
    return Set(path, Sum("+", start, Constant({"N": "1"})))
