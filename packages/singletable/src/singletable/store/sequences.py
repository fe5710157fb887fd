"""Numbers of a sequence: `create` takes the next one of the parent before it writes the item.

The number is taken in a request of its own, so it is never used twice, and is lost if the create
then fails. It is taken once for each call: after a conflict the item is planned with the same one.
"""

from __future__ import annotations

from typing import Any, TypeVar, cast

from dynamodb_engine.expressions import Action, Add, Constant, IfNotExists, Set, Sum
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import ConditionFailed, NotFound
from singletable.schema import Condition, Counter, ItemKey, Model
from singletable.store.commit import commit
from singletable.store.context import Context
from singletable.store.plan import Create, Plan
from singletable.store.ttl import item_exists
from singletable.store.writes import Write

E = TypeVar("E")


def take_number(context: Context, model: Model, item: E, if_: Condition[E] | None) -> Steps[E]:
    """Return a copy of the item with the next number of its parent; raise NotFound without one."""
    sequence = model.sequence
    assert sequence is not None
    # Nothing is taken for an item that cannot be written.
    write = Create(context, model, _numbered(sequence, item, 1), if_).plan().writes[0]
    context.check_scope(write.table, [write.key])
    number = yield from _NextNumber(context, model, sequence, parent_key(sequence, item)).take()
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


class _NextNumber:
    """Add one to the last number of a parent."""

    def __init__(
        self, context: Context, model: Model, sequence: Counter, key: ItemKey[Any]
    ) -> None:
        self.context = context
        self.model = model
        self.sequence = sequence
        self.key = key
        self.field = key.model.fields[sequence.path.field]

    def prepare(self) -> Steps[Plan]:
        """Plan the update."""
        yield from ()
        default = 0 if self.field.default is None else self.field.default()
        write = Write(
            "update",
            self.context.table_name(self.key.model.table),
            self.key.key,
            self._missing,
            actions=(_increment(self.sequence, default),),
            condition=item_exists(self.key.model, self.context.clock()),
        )
        return Plan([write], {})

    def _missing(self, item: Item | None) -> ConditionFailed:
        return NotFound(
            f"{self.key}, which numbers {self.model.name} items, does not exist.", key=self.key.key
        )

    def take(self) -> Steps[int]:
        """Write the number, and return it."""
        _, output = yield from commit(self.context, self, "UPDATED_NEW")
        attributes = {} if output is None else output.attributes or {}
        return cast(int, self.field.codec().decode(attributes[self.field.attribute]))


def _increment(sequence: Counter, default: object) -> Action:
    path = sequence.path.document_path()
    if not default:
        return Add(path, {"N": "1"})
    # A parent that is older than its number starts with the default, as when it is read.
    start = IfNotExists(path, Constant(sequence.path.codec().encode(default)))
    return Set(path, Sum("+", start, Constant({"N": "1"})))
