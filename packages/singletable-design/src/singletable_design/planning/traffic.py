"""Calls of declared access patterns, as an application makes them, on a population of sample items.

Keys are drawn by the distributions of their values. Reads and updates use items of the population,
which are never deleted. Creates use new keys, and deletes delete what was created before. If that
is not enough, a call is prepared: for example, an item is created in order to be deleted. What a
call needs besides is also prepared, such as the version of an item to replace. Preparation is not
part of the pattern, and is done with another store.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias, cast

from singletable.errors import InvalidValue
from singletable.patterns import (
    FeedPattern,
    Pattern,
    PatternCatalog,
    ReadPattern,
    ScanPattern,
    WritePattern,
)
from singletable.patterns.estimate import (
    editable_fields,
    includes_defaults,
    keys_only_fields,
    rewritten_fields,
)
from singletable.patterns.requests import hydration
from singletable.schema import (
    Edit,
    ItemKey,
    Partition,
    ResolvedKey,
    Selection,
    UniqueValue,
    entities_in_range,
    evolve,
    key_of,
    may_share_partition,
    model_of,
)
from singletable.store import AsyncStore, EntityAccess
from singletable.store.batch import is_batchable
from singletable.store.decoder import missing_fields, projected_attributes
from singletable_design.planning.call_values import PatternArguments, changed_value, toggled_index
from singletable_design.planning.population import EntityPopulation, Population, Slot

Action: TypeAlias = Callable[[AsyncStore], Awaitable[object]]
# A write of a store or of a transaction, which have the same methods.
Step: TypeAlias = Callable[[Any], Any]
# Created items are kept for deletes; more than this many are deleted.
MAX_CREATED = 1_000
# DynamoDB accepts this many items in a transaction.
_MAX_TRANSACTION = 100
_SINGLE_WRITES = ("create", "put", "modify", "update", "upsert", "delete")


@dataclass(slots=True)
class PlannedCall:
    """One call of a pattern: what to prepare, the call itself, and what to repair after it."""

    pattern: Pattern
    run: Action
    preparations: list[Action] = field(default_factory=list[Action])
    repairs: list[Action] = field(default_factory=list[Action])

    async def prepare(self, store: AsyncStore) -> None:
        """Do what the call depends on; use a store that no units are counted for."""
        for action in self.preparations:
            await action(store)

    async def repair(self, store: AsyncStore) -> None:
        """Restore what other calls depend on, after the call."""
        for action in self.repairs:
            await action(store)


class Traffic:
    """Generates calls of the patterns of some catalogs; the same ones for the same seed.

    `impossible` says why calls of a pattern cannot be generated, by its id.
    """

    def __init__(
        self,
        catalogs: Sequence[PatternCatalog],
        population: Population,
        make_random: Callable[[str], random.Random] = random.Random,
    ) -> None:
        self.population = population
        self.patterns: dict[str, Pattern] = {}
        self.impossible: dict[str, str] = {}
        self._arguments: dict[str, PatternArguments] = {}
        self._random: dict[str, random.Random] = {}
        self._state = _State(population)
        for catalog in catalogs:
            for pattern in catalog:
                reason = self._reason(pattern)
                if reason is None:
                    self.patterns[pattern.id] = pattern
                    self._random[pattern.id] = make_random(f"{population.seed}/{pattern.id}")
                else:
                    self.impossible[pattern.id] = reason

    def _reason(self, pattern: Pattern) -> str | None:
        """Return why calls of a pattern cannot be generated, or None."""
        for access in pattern.accesses:
            problem = self.population.problems.get(access.entity)
            if problem is not None:
                return problem
        if isinstance(pattern, ReadPattern):
            try:
                arguments = PatternArguments(pattern, self.population)
                arguments.draw(random.Random(self.population.seed))
            except (InvalidValue, TypeError, OverflowError) as error:
                return f"no sample values for its parameters: {error}"
            self._arguments[pattern.id] = arguments
        return None

    def call(self, pattern_id: str) -> PlannedCall:
        """Return the next call of a pattern."""
        pattern, rng = self.patterns[pattern_id], self._random[pattern_id]
        match pattern:
            case ReadPattern():
                return PlannedCall(pattern, self._read(pattern, rng))
            case ScanPattern():
                return PlannedCall(pattern, _scan(pattern))
            case FeedPattern():
                return PlannedCall(pattern, _follow(pattern))
            case WritePattern():
                return _WriteCall(pattern, self._state, rng).planned()

    async def delete_created(self, store: AsyncStore) -> int:
        """Delete what calls have created, so that the population is left; return how many."""
        created = [key for items in self._state.created.values() for _, key in items]
        for key in created:
            await store.delete(key)
        self._state = _State(self.population)
        return len(created)

    def _read(self, pattern: ReadPattern[Any, Any], rng: random.Random) -> Action:
        arguments, expected = self._arguments[pattern.id], pattern.expected
        if isinstance(pattern.sample, ItemKey):
            keys: dict[ItemKey[Any], None] = {}
            for _ in range(max(expected.items, 1) * 10):
                keys[pattern(*arguments.draw(rng))] = None
                if len(keys) == max(expected.items, 1):
                    break
            if len(keys) == 1:
                (key,) = keys
                return lambda store: store.get(key, consistent=expected.consistent)
            return lambda store: store.get_many(list(keys), consistent=expected.consistent)
        target: Any = pattern(*arguments.draw(rng))
        if isinstance(pattern.sample, UniqueValue):
            return lambda store: store.find(target)
        if pattern.collection is not None:
            collection = pattern.collection
            return lambda store: store.collect(collection, target, consistent=expected.consistent)
        return lambda store: _query(store, pattern, target)


async def _query(
    store: AsyncStore, pattern: ReadPattern[Any, Any], selection: Selection[Any]
) -> None:
    """Read as many items as the pattern declares, or the fields that an index has."""
    model, expected = model_of(selection.entity), pattern.expected
    # Each shard would be read up to the limit; and items of other entities in many small pages.
    in_range = entities_in_range(selection.access, model, selection.values)
    is_single = len(selection.key_queries()) == 1 and len(in_range) == 1
    limit = max(expected.items_read, 1) if is_single else None
    items: Any
    if hydration(pattern):
        items = store.hydrate(selection, limit=limit)
    elif missing_fields(model, selection.access.index):
        projected = projected_attributes(model, selection.access.index) or set()
        keys = {*model.key.fields, *selection.access.fields}
        paths = [
            one
            for name, one in model.fields.items()
            if one.attribute in projected or (not one.stored and name in keys)
        ]
        if not paths:  # the entries have keys only
            await store.count(selection)
            return
        items = cast("Any", store).select(selection, *paths, limit=limit)
    else:
        items = store.query(selection, limit=limit, consistent=expected.consistent)
    async for _ in items:
        pass


def _scan(pattern: ScanPattern) -> Action:
    async def scan(store: AsyncStore) -> None:
        async for _ in store.admin.scan(cast("type[object]", pattern.accesses[0].entity)):
            pass

    return scan


def _follow(pattern: FeedPattern) -> Action:
    entities = [access.entity for access in pattern.accesses]
    return lambda store: store.changes(*entities, after=None, limit=100)


class _State:
    """What the calls so far have created, and the latest values of fields with few values."""

    def __init__(self, population: Population) -> None:
        self.population = population
        self.created: dict[type, deque[tuple[Slot, ItemKey[Any]]]] = {}
        self.changes = 0
        self._free: dict[tuple[type, Slot | None], list[int]] = {}
        self._most: dict[tuple[type, Slot | None], int] = {}
        self._numbers: dict[type, int] = {}
        self._values: dict[tuple[type, Slot], dict[str, object]] = {}
        self._inside: dict[str, bool] = {}

    def new_slot(self, population: EntityPopulation, parent: Slot | None) -> Slot | None:
        """Return a free place under a parent, or None if it cannot have more items."""
        place = population.model.entity, parent
        # A sequence does not use a number again.
        if self._free.get(place) and population.model.sequence is None:
            k = self._free[place].pop()
        else:
            k = self._most.get(place, _stored(population, parent)) + 1
            most = population.most_per_parent
            if most is not None and k > most:
                return self._orphan(population)
            self._most[place] = k
        return Slot(parent, k, self.next_number(population))

    def _orphan(self, population: EntityPopulation) -> Slot | None:
        """Return a place under a parent that does not exist, or None if it must exist."""
        parent, model = population.parent, population.model
        if parent is None or model.counts or model.sequence:
            return None
        number = self.next_number(parent)
        above = None if parent.parent is None else parent.parent.slot(0)
        return Slot(Slot(above, number, number), 1, self.next_number(population))

    def next_number(self, population: EntityPopulation) -> int:
        """Return a number that no item of an entity has yet."""
        entity = population.model.entity
        self._numbers[entity] = self._numbers.get(entity, population.total) + 1
        return self._numbers[entity]

    def add(self, population: EntityPopulation, slot: Slot, key: ItemKey[Any]) -> None:
        """Remember an item that was created, for deletes."""
        self.created.setdefault(population.model.entity, deque()).append((slot, key))

    def release(self, population: EntityPopulation, slot: Slot) -> None:
        """Remember that an item was deleted, so that its place is free."""
        self._free.setdefault((population.model.entity, slot.parent), []).append(slot.k)

    def toggle(self, name: str) -> bool:
        """Return True for every other call with a name, the first one included."""
        self._inside[name] = not self._inside.get(name, False)
        return self._inside[name]

    def current(self, population: EntityPopulation, slot: Slot) -> dict[str, object]:
        """Return the latest values of an item, as far as calls have changed them."""
        return self._values.setdefault((population.model.entity, slot), {})


def _stored(population: EntityPopulation, parent: Slot | None) -> int:
    """Return how many items of the population a parent has."""
    if parent is None:
        return population.total
    assert population.parent is not None
    is_stored = parent.number <= population.parent.total
    return len(population.children_of(parent.number - 1)) if is_stored else 0


class _WriteCall:
    """One call of a write pattern: its effects are about the same parents."""

    def __init__(self, pattern: WritePattern, state: _State, rng: random.Random) -> None:
        self._pattern = pattern
        self._state = state
        self._population = state.population
        self._rng = rng
        self._slots: dict[type, Slot] = {}
        self._used: set[tuple[type, Slot]] = set()
        self._preparations: list[Action] = []
        self._repairs: list[Action] = []
        self._done: list[Callable[[], None]] = []

    def planned(self) -> PlannedCall:
        effects, items = self._pattern.accesses, max(self._pattern.expected.items, 1)
        match effects:
            case (EntityAccess(kind="load", entity=entity),):
                action = self._load(self._population[entity], items)
            case (EntityAccess(kind="clear", entity=entity),):
                action = self._clear(self._population[entity], items)
            case (EntityAccess(kind=kind) as effect,) if items == 1 and kind in _SINGLE_WRITES:
                action = self._step(effect)
            case (EntityAccess(kind="delete", entity=entity),):
                action = self._delete_many(self._population[entity], items)
            case (EntityAccess(kind="put", entity=entity),) if is_batchable(model_of(entity)):
                action = self._put_many(self._population[entity], items)
            case (EntityAccess(kind="modify") as effect,):
                action = self._one_by_one([self._step(effect) for _ in range(items)])
            case _:
                action = self._transaction(effects, items)
        done = self._done

        async def run(store: AsyncStore) -> None:
            await action(store)
            for one in done:
                one()

        return PlannedCall(self._pattern, run, self._preparations, self._repairs)

    def _transaction(self, effects: Sequence[EntityAccess], items: int) -> Action:
        additions: list[Step] = []
        # The items are divided among the effects; each writes at least one.
        for at in range(max(items, len(effects))):
            effect = effects[at % len(effects)]
            used = sum(entity is effect.entity for entity, _ in self._used)
            if at < len(effects) or used < self._population[effect.entity].total:
                additions.append(self._step(effect))
        pattern = self._pattern

        async def commit(store: AsyncStore) -> None:
            for start in range(0, len(additions), _MAX_TRANSACTION):
                async with store.transaction(pattern=pattern) as transaction:
                    for add in additions[start : start + _MAX_TRANSACTION]:
                        add(transaction)

        return commit

    def _step(self, effect: EntityAccess) -> Step:
        """Return one write, which a store performs or a transaction collects."""
        population = self._population[effect.entity]
        match effect.kind:
            case "create":
                instance = self._new_instance(population)
                return lambda target: target.create(instance)
            case "put":
                make = self._replacement(population)
                return lambda target: target.put(make())
            case "modify":
                slot = self._existing(population)
                modified, changes = population.item_key(slot), self._changes(population, slot)
                return lambda store: store.modify(modified, partial(evolve, **changes))
            case "update" | "upsert":
                key, edits = self._edits(population, effect)
                if effect.kind == "update":
                    return lambda target: target.update(key, *edits)
                missing = _required_edits(population, edits)
                return lambda target: target.upsert(key, *edits, on_create=missing)
            case "delete":
                key_to_delete = self._deletable(population)
                return lambda target: target.delete(key_to_delete())
            case _:
                checked = population.item_key(self._existing(population))
                return lambda tx: tx.check(checked)

    def _parent(self, population: EntityPopulation) -> Slot | None:
        """Return the parent of the call's items, drawn once."""
        parent = population.parent
        if parent is None:
            return None
        if parent.model.entity not in self._slots:
            self._place(parent, self._draw(parent))
        return self._slots[parent.model.entity]

    def _place(self, population: EntityPopulation, slot: Slot) -> None:
        """Use a slot and its parents for the rest of the call."""
        place: Slot | None = slot
        owner: EntityPopulation | None = population
        while owner is not None and place is not None:
            self._slots.setdefault(owner.model.entity, place)
            place, owner = place.parent, owner.parent

    def _draw(self, population: EntityPopulation) -> Slot:
        """Draw an item of the population, of the parents that the call uses."""
        skew = self._pattern.expected.skew
        parent = population.parent
        if parent is not None:
            above = self._slots.get(parent.model.entity)
            if above is None and any(one.model.entity in self._slots for one in _above(parent)):
                above = self._draw(parent)
            if above is not None and above.number <= parent.total:
                children = population.children_of(above.number - 1)
                if children:
                    return population.slot(children[int(self._rng.random() * len(children))])
        return population.slot(population.draw(self._rng, skew))

    def _existing(self, population: EntityPopulation) -> Slot:
        """Return an item of the population that the call does not use yet."""
        entity = population.model.entity
        # The parent of what the call writes, for example to check that it exists.
        placed = self._slots.get(entity)
        is_stored = placed is not None and placed.number <= population.total
        slot = placed if placed is not None and is_stored else self._draw(population)
        for _ in range(50):
            if (entity, slot) not in self._used:
                break
            slot = population.slot(population.draw(self._rng, self._pattern.expected.skew))
        self._used.add((entity, slot))
        self._place(population, slot)
        return slot

    def _new_instance(self, population: EntityPopulation) -> Any:
        """Return an item with a new key; it is deleted before if there can be no other."""
        state, entity = self._state, population.model.entity
        slot = state.new_slot(population, self._parent(population))
        if slot is None:
            slot = self._existing(population)
            key = population.item_key(slot)
            self._preparations.append(lambda store: store.delete(key))
            return population.instance(population.values(slot))
        self._used.add((entity, slot))
        self._slots[entity] = slot
        values = population.values(slot) | _initial_values(population)
        sequence = population.model.sequence
        if sequence is not None:
            values[sequence.name] = None
        instance = population.instance(values)
        self._done.append(lambda: state.add(population, slot, key_of(instance)))
        created = state.created.get(entity)
        if created and len(created) > max(MAX_CREATED, population.total):
            old, old_key = created.popleft()
            state.release(population, old)
            self._preparations.append(lambda store: store.delete(old_key))
        return instance

    def _deletable(self, population: EntityPopulation) -> Callable[[], ItemKey[Any]]:
        """Return the key of an item that may be deleted; create the item first if needed."""
        state, created = self._state, self._state.created.get(population.model.entity)
        fixed = any(one.model.entity in self._slots for one in _above(population))
        if created and not fixed:
            slot, key = created.popleft()
            self._done.append(lambda: state.release(population, slot))
            return lambda: key
        parent = self._parent(population)
        slot_or_none = state.new_slot(population, parent)
        if slot_or_none is None:
            slot = self._existing(population)
            instance = population.instance(population.values(slot))
            self._repairs.append(lambda store: store.bulk_load([instance]))
            return lambda: population.item_key(slot)
        slot = slot_or_none
        self._used.add((population.model.entity, slot))
        self._done.append(lambda: state.release(population, slot))
        make = self._numbered(population, slot)
        self._preparations.append(lambda store: store.bulk_load([make()]))
        return lambda: key_of(make())

    def _numbered(self, population: EntityPopulation, slot: Slot) -> Callable[[], Any]:
        """Return a function that returns a new item; a number of a sequence is taken before."""
        values, sequence = population.values(slot), population.model.sequence
        if sequence is None:
            return lambda: population.instance(values)
        numbers: dict[str, object] = {}

        async def take(store: AsyncStore) -> None:
            instance = population.instance(values | {sequence.name: None})
            await store.create(instance)
            numbers[sequence.name] = getattr(instance, sequence.name)
            await store.delete(key_of(instance))

        self._preparations.append(take)
        return lambda: population.instance(values | numbers)

    def _replacement(self, population: EntityPopulation) -> Callable[[], Any]:
        """Return a function that returns an existing item with other values."""
        if not editable_fields(population.model):  # it would be written as it is
            instance = self._new_instance(population)
            return lambda: instance
        slot = self._existing(population)
        key, changes = population.item_key(slot), self._changes(population, slot)
        if "version" not in population.model.roles:
            values = population.values(slot) | self._state.current(population, slot)
            return lambda: population.instance(values)
        found: list[Any] = []

        async def read(store: AsyncStore) -> None:
            found.append(await store.get(key, consistent=True))

        self._preparations.append(read)
        return lambda: evolve(found[-1], **changes)

    def _changes(self, population: EntityPopulation, slot: Slot) -> dict[str, object]:
        """Return new values for the fields that are in no key and no condition."""
        model = population.model
        names = rewritten_fields(model)
        # The keys of entries that have keys only change for half of the items.
        if self._state.toggle(model.name):
            names += [one for one in editable_fields(model) if one in keys_only_fields(model)]
        return self._new_values(population, slot, list(dict.fromkeys(names)))

    def _edits(
        self, population: EntityPopulation, effect: EntityAccess
    ) -> tuple[ItemKey[Any], list[Edit[Any]]]:
        declared = effect.edited_fields
        toggled = toggled_index(population, declared)
        slot = self._existing(population) if toggled is None else self._toggled(population, toggled)
        if declared:
            names = [one for one in editable_fields(population.model) if one in declared]
            changes = self._new_values(population, slot, names)
        else:
            changes = self._changes(population, slot)
        fields = population.model.fields
        edits = [fields[name].set(value) for name, value in changes.items()]
        return population.item_key(slot), edits

    def _toggled(self, population: EntityPopulation, key: ResolvedKey) -> Slot:
        """Return an item that is to enter or leave an index, in turns, so that its share stays."""
        state, entity = self._state, population.model.entity
        wanted = state.toggle(str(key))
        slot = self._existing(population)
        for _ in range(50):
            values = population.short_values(slot) | state.current(population, slot)
            if population.is_in_index(key, values) == wanted:
                break
            other = population.slot(population.draw(self._rng, self._pattern.expected.skew))
            slot = slot if (entity, other) in self._used else other
        self._used.add((entity, slot))
        return slot

    def _new_values(
        self, population: EntityPopulation, slot: Slot, names: Sequence[str]
    ) -> dict[str, object]:
        state = self._state
        state.changes += 1
        values: Mapping[str, object] = population.values(slot) | state.current(population, slot)
        changes = {
            name: changed_value(population, name, names, values, state.changes, self._rng)
            for name in names
        }
        state.current(population, slot).update(changes)
        return changes

    def _put_many(self, population: EntityPopulation, items: int) -> Action:
        makers = [self._replacement(population) for _ in range(min(items, population.total))]
        return lambda store: store.put_many([make() for make in makers])

    def _one_by_one(self, actions: Sequence[Action]) -> Action:
        async def run(store: AsyncStore) -> None:
            for action in actions:
                await action(store)

        return run

    def _delete_many(self, population: EntityPopulation, items: int) -> Action:
        makers = [self._deletable(population) for _ in range(items)]

        async def delete(store: AsyncStore) -> None:
            keys = [make() for make in makers]
            if is_batchable(population.model, deletes=True):
                await store.delete_many(keys)
                return
            for key in keys:
                await store.delete(key)

        return delete

    def _load(self, population: EntityPopulation, items: int) -> Action:
        makers: list[Callable[[], Any]] = []
        for _ in range(items):
            self._slots.clear()
            slot = self._state.new_slot(population, self._parent(population))
            if slot is not None:
                make = self._numbered(population, slot)
                self._add_later(population, slot, make)
                makers.append(make)
        return lambda store: store.bulk_load([make() for make in makers])

    def _add_later(self, population: EntityPopulation, slot: Slot, make: Callable[[], Any]) -> None:
        self._done.append(lambda: self._state.add(population, slot, key_of(make())))

    def _clear(self, population: EntityPopulation, items: int) -> Action:
        """Fill a new partition with items of all entities that share it, and delete it."""
        model, state = population.model, self._state
        number = state.next_number(population)
        values = [population.field_value(name, 1_000_000 + number) for name in model.key.pk_fields]
        members = [
            self._population[entity]
            for entity in self._population.entities
            if entity in model.table.entities
            and may_share_partition(model.key, model_of(entity))
            and len(model_of(entity).key.pk_fields) == len(values)
            and entity not in self._population.problems
        ]
        total = sum(one.total for one in members)
        instances: list[Any] = []
        for member in members:
            single = not member.model.key.sk_fields
            count = 1 if single else max(round(items * member.total / total), 1)
            pk = dict(zip(member.model.key.pk_fields, values, strict=True))
            for k in range(1, count + 1):
                parent = None if member.parent is None else member.parent.slot(0)
                slot = Slot(parent, k, state.next_number(member))
                instances.append(member.instance(member.values(slot) | pk))
        self._preparations.append(lambda store: store.bulk_load(instances))
        partition: Any = Partition[Any, Any].of(model.entity, model.key, tuple(values))
        return lambda store: store.delete_partition(partition)


def _required_edits(population: EntityPopulation, edits: Sequence[Edit[Any]]) -> list[Edit[Any]]:
    """Return edits of the other fields that a new item needs."""
    fields, edited = population.model.fields, {edit.field for edit in edits}
    values = population.short_values(population.slot(0))
    return [
        fields[name].set(values[name])
        for name in editable_fields(population.model)
        if name not in edited and fields[name].default is None and not fields[name].codec().optional
    ]


def _initial_values(population: EntityPopulation) -> dict[str, object]:
    """Return the default values of fields that decide whether a new item is in an index."""
    model = population.model
    tested = {
        path[0]
        for key in model.indexes.values()
        if includes_defaults(model, key)
        for path in key.condition_paths
    }
    return {
        name: one.default()
        for name, one in model.fields.items()
        if one.attribute in tested and one.default is not None and name not in model.key.fields
    }


def _above(population: EntityPopulation) -> list[EntityPopulation]:
    """Return the parent, its parent, and so on."""
    found: list[EntityPopulation] = []
    parent = population.parent
    while parent is not None:
        found.append(parent)
        parent = parent.parent
    return found
