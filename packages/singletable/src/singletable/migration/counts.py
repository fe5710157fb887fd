"""Fill a new count field of parents, while the app keeps counting.

An application that declares the count changes the number and the items in one transaction, so the
two differ by a constant until it is corrected. The numbers are read before the items are counted,
and set only if they have not changed since. As items may come and go unnoticed meanwhile, each
number that was set is counted again, until a count confirms it. A parent that changes all the time
is counted with a query, if its items share a partition: that takes a moment, and not a scan.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from typing_extensions import override

from dynamodb_engine.expressions import Constant, Exists, Set, value_at
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import MigrationError
from singletable.migration.derivation import key_text
from singletable.migration.environment import Environment
from singletable.migration.live_table import EntityStep, Failures, decode_values, scan_in_place
from singletable.migration.rules import check_member
from singletable.schema import Counter, ItemKey, Model, Partition, Table, model_of
from singletable.store.batch import get_items
from singletable.store.bulk import BulkChange, commit_changes
from singletable.store.plan import Plan, key_attributes
from singletable.store.query import ItemQuery
from singletable.store.ttl import is_expired
from singletable.store.write_errors import caller_condition_failed
from singletable.store.writes import ItemId, Write, both, item_id, same_value

MAX_SCANS = 5
MAX_QUERIES = 20
MAX_SHOWN_PARENTS = 20


@dataclass(frozen=True, slots=True)
class AddCount(EntityStep):
    """Count the existing items of an entity into the number that its Count declares."""

    _undone_by = "`down` leaves the numbers as they are."
    _fault = "has a number that is not the count of its items"

    entity: type[Any]
    count: str

    def __post_init__(self) -> None:
        EntityStep.__post_init__(self)
        check_member("AddCount", self.entity, self.count, model_of(self.entity).counts)

    @property
    @override
    def tables(self) -> list[Table]:
        model = model_of(self.entity)
        parent = model_of(model.counts[self.count].entity)
        return list(dict.fromkeys([model.table, parent.table]))

    @override
    def run(self, env: Environment) -> None:
        count = _CountedEntity(self, env)
        before = count.read_all()
        tally = count.scan(None)
        waiting = count.set_numbers(before, tally.numbers) | count.report_orphans(tally, before)
        for _ in range(1 if count.shares_partition else MAX_SCANS):
            if not waiting:
                return
            before = env.run(count.read(waiting))
            waiting = count.set_numbers(before, count.scan(waiting).numbers)
        busy = {id_: key for id_, key in waiting.items() if not count.set_by_query(id_, key)}
        if busy:
            keys = sorted(map(key_text, busy.values()))
            more = ", …" if len(keys) > MAX_SHOWN_PARENTS else ""
            raise MigrationError(
                f"{count.text}: {len(keys)} of its parents changed whenever they were counted: "
                f"{', '.join(keys[:MAX_SHOWN_PARENTS])}{more}. All others are set. Run again when "
                "these change less often."
            )

    def undo(self, env: Environment) -> None:
        """Leave the numbers: code that does not declare the count ignores them."""


@dataclass
class _Tally:
    """How many items were found, by parent; and one item of each parent."""

    numbers: Tally[ItemId] = field(default_factory=Tally[ItemId])
    parents: dict[ItemId, Item] = field(default_factory=dict[ItemId, Item])
    examples: dict[ItemId, Item] = field(default_factory=dict[ItemId, Item])


class _CountedEntity:
    """The items that are counted, and their parents."""

    def __init__(self, step: AddCount, env: Environment) -> None:
        self.env = env
        self.model: Model = model_of(step.entity)
        self.counter: Counter = self.model.counts[step.count]
        self.parent: Model = model_of(self.counter.entity)
        self.path = self.counter.path.document_path()
        self.text = f"AddCount {self.model.name}.{step.count}"
        self.table = env.table_name(self.parent.table)

    @property
    def shares_partition(self) -> bool:
        """Whether all items of a parent are in one partition of the table."""
        access, parent = self.model.key, self.parent.key
        is_recoverable = set(parent.parameters) <= parent.recoverable_fields
        return is_recoverable and set(access.pk_fields) <= set(self.counter.fields)

    # Read the numbers

    def read_all(self) -> dict[ItemId, Item]:
        """Return all parents as they are stored."""
        found: dict[ItemId, Item] = {}

        def read(items: list[Item]) -> Steps[int]:
            found.update(self._parents(items))
            return 0
            yield

        self._scan("read the numbers", self.parent, read, Failures(self.text))
        return found

    def read(self, parents: Mapping[ItemId, Item]) -> Steps[dict[ItemId, Item]]:
        """Return some parents as they are stored."""
        keys = {id_: key_attributes(self.parent, item) for id_, item in parents.items()}
        items = yield from get_items(
            self.env.context, {self.table: self.parent.table}, keys, consistent=True
        )
        return self._parents([*items.values()])

    def _parents(self, items: list[Item]) -> dict[ItemId, Item]:
        """Return the parents among the items, without what does not matter here."""
        now = self.env.context.clock()
        top = str(self.path[0])
        found: dict[ItemId, Item] = {}
        for item in items:
            if not self.parent.matches(item) or is_expired(self.parent, item, now):
                continue
            key = key_attributes(self.parent, item)
            number = {top: item[top]} if top in item else {}
            found[item_id(self.table, key)] = {**key, **number}
        return found

    # Count the items

    def scan(self, only: Collection[ItemId] | None) -> _Tally:
        """Count the items of all parents, or of some."""
        tally, lock, failures = _Tally(), Lock(), Failures(self.text)

        def count(items: list[Item]) -> Steps[int]:
            for item in items:
                parent = self._parent_of(item, failures)
                if parent is None:
                    continue
                id_ = item_id(self.table, parent)
                if only is None or id_ in only:
                    with lock:
                        tally.numbers[id_] += 1
                        tally.parents.setdefault(id_, parent)
                        tally.examples.setdefault(id_, key_attributes(self.model, item))
            return 0
            yield

        self._scan("count", self.model, count, failures)
        return tally

    def _parent_of(self, item: Item, failures: Failures) -> Item | None:
        """Return the key of the parent that counts an item; None if it is not counted."""
        if not self.model.matches(item):
            return None
        try:
            values = self.counter.values(decode_values(self.model, item))
            if any(value is None for value in values):
                return None
            return ItemKey[Any].of(self.counter.entity, values).key
        except Exception as error:
            failures.add_error(key_attributes(self.model, item), error)
            return None

    def _scan(self, what: str, model: Model, handle: Any, failures: Failures) -> None:
        name = f"{self.text}, {what}"
        scan_in_place(self.env, name, model.table, handle, failures, writes=False)

    def report_orphans(self, tally: _Tally, before: Mapping[ItemId, Item]) -> dict[ItemId, Item]:
        """Report items without a parent; return the parents that were created meanwhile."""
        unknown = {id_: key for id_, key in tally.parents.items() if id_ not in before}
        new = self.env.run(self.read(unknown))
        orphans = [id_ for id_ in unknown if id_ not in new]
        if orphans:
            number = sum(tally.numbers[id_] for id_ in orphans)
            example = tally.examples[orphans[0]]
            noun = "item has" if number == 1 else "items have"
            note = (
                f"{number} {self.model.name} {noun} no {self.parent.name}, such as "
                f"{key_text(example)}"
            )
            self.env.progress(self.text, 0, note=note)
            self.env.state.counts[f"{self.model.name} items without {self.parent.name}"] = number
        return {id_: unknown[id_] for id_ in new}

    # Set the numbers

    def set_numbers(
        self, before: Mapping[ItemId, Item], counted: Mapping[ItemId, int]
    ) -> dict[ItemId, Item]:
        """Set the numbers that are wrong; return the keys of parents to count again."""
        after = self.env.run(self.read(before))
        changes: list[_SetNumber] = []
        again: dict[ItemId, Item] = {}
        for id_, item in before.items():
            key = key_attributes(self.parent, item)
            if id_ not in after:
                continue  # the parent was deleted
            number = value_at(self.path, item)
            if number == value_at(self.path, after[id_]):
                correct = {"N": str(counted.get(id_, 0))}
                if number == correct:
                    continue
                self._check_settable(item, key)
                changes.append(_SetNumber(self._set(key, item, correct)))
            again[id_] = key
        self.env.run(commit_changes(self.env.context, changes))
        return again

    def set_by_query(self, id_: ItemId, key: Item) -> bool:
        """Count the items of one parent in their partition, and return whether it is confirmed."""
        if not self.shares_partition:
            return False
        for _ in range(MAX_QUERIES):
            before = self.env.run(self.read({id_: key}))
            if not before:
                return True  # it was deleted
            number = self.env.run(self._query(key))
            if not self.set_numbers(before, {id_: number}):
                return True
        return False

    def _query(self, parent: Item) -> Steps[int]:
        """Return how many items a parent has."""
        access = self.model.key
        values = self.parent.key.parse(parent) or {}
        names = zip(self.counter.fields, self.parent.key.parameters, strict=True)
        by_field = {own: values[other] for own, other in names}
        partition = Partition[Any].of(
            self.model.entity, access, tuple(by_field[name] for name in access.pk_fields)
        )
        query: ItemQuery[Any] = ItemQuery(self.env.context, partition, consistent=True)
        number = 0
        failures = Failures(self.text)
        while items := (yield from query.next_items(None)):
            number += sum(self._parent_of(item, failures) == parent for item in items)
        failures.raise_if_any()
        return number

    def _check_settable(self, item: Item, key: Item) -> None:
        if len(self.path) > 1 and value_at(self.path[:-1], item) is None:
            raise MigrationError(
                f"{self.text}: {key_text(key)} has no {'.'.join(map(str, self.path[:-1]))} in "
                f"which to count. Write it with Backfill({self.parent.name}) before."
            )

    def _set(self, key: Item, item: Item, number: Any) -> Plan:
        unchanged = both(Exists((self.parent.table.pk.name,)), same_value(self.path, item))
        update = Write(
            "update",
            self.table,
            key,
            caller_condition_failed(self.parent, key),
            actions=(Set(self.path, Constant(number)),),
            guard=unchanged,
        )
        return Plan([update], {})


class _SetNumber(BulkChange):
    """A number to set, if it is still the one that was read."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def resolve(self, write: Write, stored: Item | None) -> Plan | None:
        """Leave the number alone: its items are counted again."""
        return None

    def finish(self) -> None:
        """Do nothing: the number is confirmed by another count."""
