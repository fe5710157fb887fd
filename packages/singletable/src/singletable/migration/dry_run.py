"""Try a migration on the items that there are, without writing anything to the tables.

A Copy is tried page by page: its rules are called for each item, and each new item is put into an
empty table in memory, which rejects what DynamoDB would reject. Steps that change items in place
are run on a copy of their tables in this process.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import cast

from singletable.engine import Engine
from singletable.errors import OperationError, SingleTableError, TransformFailed
from singletable.migration.copy import TargetOwners, check_empty
from singletable.migration.derivation import Derivation, Key, Targets, entities_of
from singletable.migration.derived_items import DerivedItems, DerivedUnit, rule_name
from singletable.migration.environment import Environment, StepProgress
from singletable.migration.item_digests import ItemNames
from singletable.migration.rehearsal import Rehearsal, side_of
from singletable.migration.runner import MigrationRunner
from singletable.migration.scan import scan_pages
from singletable.migration.steps import (
    AddIndex,
    AddUnique,
    Copy,
    CreateTable,
    DropIndex,
    DropTable,
    EachRule,
    Migration,
    Rewrite,
    Step,
    step_tables,
    step_text,
)
from singletable.operations import DeleteTable, Driver, PutItem
from singletable.schema import Table, create_operation, model_of
from singletable.store.admin import decode_stored_item
from singletable.store.decoder import decode_item
from singletable.store.plan import key_attributes
from singletable.store.writes import ItemId, item_id
from singletable.values import Item

MAX_KEYS = 10
# How many items of a table are compared to find examples of what a step changes.
MAX_COMPARED = 2_000
# How many new items the table in memory takes before it is emptied.
MAX_TRIED = 5_000


@dataclass
class FailedItems:
    """Items that fail in the same way: how many, and the keys and reasons of the first ones."""

    count: int = 0
    keys: list[Key] = field(default_factory=list[Key])
    reasons: list[str] = field(default_factory=list[str])

    def add(self, key: Key, reason: str) -> None:
        """Add an item."""
        self.count += 1
        if len(self.keys) < MAX_KEYS:
            self.keys.append(key)
            self.reasons.append(reason)


@dataclass(frozen=True, slots=True)
class Example:
    """Old items and the new ones that follow from them: entities, or attributes.

    Of an item that is changed in place, only its key and the attributes that change.
    """

    rule: str
    before: list[object]
    after: list[object]


@dataclass
class StepTrial:
    """What a step would do."""

    step: str
    items: int = 0
    # The number of old items by rule, and of new items by entity.
    by_rule: Counter[str] = field(default_factory=Counter[str])
    new_items: Counter[str] = field(default_factory=Counter[str])
    examples: list[Example] = field(default_factory=list[Example])
    # Items that fail, by reason; and items with the same new item as another.
    failures: dict[str, FailedItems] = field(default_factory=dict[str, FailedItems])
    collisions: FailedItems = field(default_factory=FailedItems)
    notes: list[str] = field(default_factory=list[str])

    @property
    def failed(self) -> int:
        """The number of items that fail."""
        return self.collisions.count + sum(one.count for one in self.failures.values())

    def fail(self, failures: Iterable[tuple[Key, str]]) -> None:
        """Record items that fail."""
        for key, reason in failures:
            self.failures.setdefault(reason, FailedItems()).add(key, reason)


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a migration would do."""

    migration: str
    steps: tuple[StepTrial, ...]

    @property
    def ok(self) -> bool:
        """Whether no item fails."""
        return not any(step.failed for step in self.steps)


def dry_run(
    migration: Migration,
    source: Driver,
    target: Driver | None = None,
    *,
    tables: Mapping[Table, str] | None = None,
    limit: int | None = None,
    examples: int = 3,
    segments: int = 4,
    page_size: int | None = None,
    clock: Callable[[], float] = time.time,
    on_progress: Callable[[StepProgress], object] | None = None,
) -> DryRun:
    """Return what a migration would do, from all items or from the first `limit` of each table."""
    with Rehearsal(
        source,
        target,
        tables=tables,
        segments=segments,
        page_size=page_size,
        clock=clock,
        on_progress=on_progress,
    ) as rehearsal:
        trials: list[StepTrial] = []
        drivers = (source, target)
        for number, step in enumerate(migration.steps):
            trial = StepTrial(step_text(step))
            trials.append(trial)
            if isinstance(step, CreateTable | DropTable | DropIndex):
                continue
            if not isinstance(step, Copy):
                _try_in_place(migration, number, rehearsal, trial, limit, examples)
                # A Copy reads what the steps before it have written.
                drivers = rehearsal.copied("target"), target
                continue
            runner = MigrationRunner(
                migration,
                drivers[0],
                drivers[1],
                tables=tables,
                segments=segments,
                page_size=page_size,
                clock=clock,
                on_progress=on_progress,
            )
            env = runner.environment()
            if step.if_empty and runner.phase() is None:
                check_empty(env, step.target)
            _CopyTrial(step, env, trial, examples).run(limit)
        return DryRun(migration.name, tuple(trials))


# Copies


class _CopyTrial:
    """Calls the rules of a copy for all items."""

    def __init__(self, step: Copy, env: Environment, trial: StepTrial, examples: int) -> None:
        self.env = env
        self.trial = trial
        self._target = step.target
        self._names = ItemNames(step.target)
        self._derivation = Derivation(step.rules, step.target, env.context, env.context.clock())
        self._owners = TargetOwners(self._derivation)
        self._rules = [rule_name(rule) for rule in step.rules]
        self._examples: Counter[str] = Counter()
        self._max_examples = examples

    def run(self, limit: int | None) -> None:
        derived = DerivedItems(self.env, self._derivation)
        with Engine.in_memory() as engine:
            tried = TriedItems(engine, self._target)
            for page in derived.derive(self._pages(limit)):
                for one in page:
                    self._try(one, tried)
        self.trial.items = derived.read
        for number, name in enumerate(self._rules):
            self.trial.by_rule[name] += derived.by_rule[number]
        left_out = derived.read - sum(derived.by_rule.values()) - derived.ruleless
        if left_out:
            self.trial.by_rule["left out, or markers of unique values"] = left_out

    def _pages(self, limit: int | None) -> Iterator[tuple[Table, list[Item]]]:
        for table in self._derivation.sources:
            rest = limit
            for page in scan_pages(self.env, table):
                yield table, page[:rest]
                if rest is not None:
                    rest -= len(page)
                    if rest <= 0:
                        break

    def _try(self, one: DerivedUnit, tried: TriedItems) -> None:
        if isinstance(one.targets, TransformFailed):
            self.trial.fail(one.targets.failures)
            return
        try:
            self.env.run(self._owners.check({one.unit: one.targets}))
        except TransformFailed as error:
            self.trial.collisions.add(one.unit.key, error.failures[0][1])
        for item in one.targets.values():
            self.trial.new_items[self._names.name(item)] += 1
            if (message := tried.rejection(item)) is not None:
                self.trial.fail([(one.unit.key, f"DynamoDB rejects a new item: {message}")])
        rule = self._rules[one.unit.rule]
        if self._examples[rule] < self._max_examples:
            self._examples[rule] += 1
            state = cast("list[object]", one.state)
            # The state of a group is a list of entities.
            before = [
                _readable(one.unit.table, cast("Item", item)) if isinstance(item, dict) else item
                for item in state
            ]
            self.trial.examples.append(Example(rule, before, self._after(one.targets)))

    def _after(self, targets: Targets) -> list[object]:
        return [_readable(self._target, item) for item in targets.values()]


class TriedItems:
    """A table in memory that rejects items as DynamoDB would."""

    def __init__(self, engine: Engine, table: Table) -> None:
        self._engine = engine
        self._table = table
        self._count = 0
        engine.execute(create_operation(table))

    def rejection(self, item: Item) -> str | None:
        """Put an item, and return the message if it is rejected."""
        if self._count >= MAX_TRIED:
            self._engine.execute(DeleteTable(self._table.name))
            self._engine.execute(create_operation(self._table))
            self._count = 0
        self._count += 1
        try:
            self._engine.execute(PutItem(self._table.name, item))
        except OperationError as error:
            return str(error)
        return None


# Steps in place


def _try_in_place(
    migration: Migration,
    number: int,
    rehearsal: Rehearsal,
    trial: StepTrial,
    limit: int | None,
    examples: int,
) -> None:
    step = migration.steps[number]
    before: dict[ItemId, Item] = {}
    for table in step_tables(step):
        loaded = rehearsal.load(table, side_of(step, table), limit)
        if loaded is None:
            continue
        trial.items += loaded.items
        before |= _first_items(rehearsal, step, table)
    done = rehearsal.run(migration, number)
    trial.fail(done.failures)
    trial.notes.append(f"{done.write_units:,.0f} write units")
    if isinstance(step, AddIndex | AddUnique):
        return  # no item is changed; markers are added
    if isinstance(step, Rewrite):
        trial.examples += islice(_rewritten(step, before.values(), done.failures), examples)
        return
    for table in step_tables(step):
        failed = {item_id(table.name, key) for key, _ in done.failures}
        after = _first_items(rehearsal, step, table)
        for id_, item in before.items():
            if id_ in failed or after.get(id_, item) == item:
                continue
            trial.examples.append(_changed(step, table, item, after[id_]))
            if len(trial.examples) == examples:
                return


def _rewritten(
    step: Rewrite, items: Iterable[Item], failures: list[tuple[Item, str]]
) -> Iterator[Example]:
    """Yield old items with what the functions of a Rewrite return for them."""
    failed = [key for key, _ in failures]
    rules = [rule for rule in step.rules if isinstance(rule, EachRule)]
    for item in items:
        for rule in rules:
            model = model_of(rule.entity)
            if not model.matches(item) or model.parse_key(item) is None:
                continue
            if key_attributes(model, item) not in failed:
                old = decode_item(model, item)
                yield Example(rule_name(rule), [old], entities_of(rule.function(old)))
            break


def _changed(step: Step, table: Table, before: Item, after: Item) -> Example:
    """Return the key of an item and the attributes that change, as they are stored."""
    shown = {one.name for one in table.key_attributes}
    shown |= {name for name in before | after if before.get(name) != after.get(name)}
    old, new = (
        {name: value for name, value in item.items() if name in shown} for item in (before, after)
    )
    return Example(step_text(step), [old], [new])


def _first_items(rehearsal: Rehearsal, step: Step, table: Table) -> dict[ItemId, Item]:
    items: dict[ItemId, Item] = {}
    for item in islice(rehearsal.items(table, side_of(step, table)), MAX_COMPARED):
        key = {one.name: item[one.name] for one in table.key_attributes}
        items[item_id(table.name, key)] = item
    return items


def _readable(table: Table, item: Item) -> object:
    """Return the entity of an item, or its attributes if it has none."""
    try:
        return decode_stored_item(table, item) or item
    except SingleTableError:
        return item
