"""Try the rules of a Copy on copied items, page by page.

Each new item is put into an empty copy of the new table, which rejects what DynamoDB would reject.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import cast

from dynamodb_engine.operations import DeleteItem, PutItem
from dynamodb_engine.values import Item
from singletable.errors import OperationError, SingleTableError, TransformFailed
from singletable.migration.copy import TargetOwners
from singletable.migration.derivation import Derivation, Key, Targets, Unit, item_key
from singletable.migration.derived_items import DerivedItems, DerivedUnit
from singletable.migration.environment import Environment
from singletable.migration.item_digests import ItemNames
from singletable.migration.step import CopiedTables
from singletable.migration.trial import Example, StepTrial
from singletable.schema import Table, model_of
from singletable.store.admin import decode_stored_item


class CopyTrial:
    """Calls the rules of a copy for all copied items; `trial` gets the results."""

    def __init__(
        self, derivation: Derivation, env: Environment, trial: StepTrial, examples: int
    ) -> None:
        self.env = env
        self.trial = trial
        self._target = derivation.target
        self._names = ItemNames(derivation.target)
        self._derivation = derivation
        self._owners = TargetOwners(derivation)
        self._rules = [str(rule) for rule in derivation.rules]
        self._examples: Counter[str] = Counter()
        self._max_examples = examples

    def run(self, copies: CopiedTables) -> None:
        """Derive the new items of all old ones, and remove the old ones that fail."""
        derived = DerivedItems(self.env, self._derivation)
        failed: list[DerivedUnit] = []
        for page in derived.scan():
            for one in page:
                before = self.trial.failed
                self._try(one)
                if self.trial.failed > before:
                    failed.append(one)
        for number, name in enumerate(self._rules):
            self.trial.by_rule[name] += derived.by_rule[number]
        left_out = derived.read - sum(derived.by_rule.values()) - derived.ruleless
        if left_out:
            self.trial.by_rule["left out, or markers of unique values"] = left_out
        for one in failed:
            for table, key in _keys(one):
                copies.remove(table, "source", [key])

    def _try(self, one: DerivedUnit) -> None:
        if isinstance(one.targets, TransformFailed):
            self.trial.fail(one.targets.failures)
            return
        try:
            self.env.run(self._owners.check({one.unit: one.targets}))
        except TransformFailed as error:
            self.trial.collisions.add(one.unit.key, error.failures[0][1])
        for item in one.targets.values():
            self.trial.new_items[self._names.name(item)] += 1
            if (message := self._rejection(item)) is not None:
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
            after = [_readable(self._target, item) for item in one.targets.values()]
            self.trial.examples.append(Example(rule, before, after))

    def _rejection(self, item: Item) -> str | None:
        """Put an item into the copy of the new table, and return the message if it is rejected."""
        name = self.env.table_name(self._target)
        try:
            self.env.send(PutItem(name, item))
        except OperationError as error:
            return str(error)
        self.env.send(DeleteItem(name, item_key(self._target, item)))
        return None


def _keys(one: DerivedUnit) -> Iterator[tuple[Table, Item]]:
    """Yield the table and key of each old item of a unit."""
    yield one.unit.table, one.unit.key
    # The state of a group is a list of entities.
    members = [] if isinstance(one.state, TransformFailed) else cast("list[object]", one.state)
    for member in members:
        if not isinstance(member, dict):
            model = model_of(type(member))
            yield model.table, model.key.require_attributes(vars(member))


class BackTrial:
    """Carries all new items back, on a copy of the tables, as if each had just been written.

    This is what is done with changes after the cut-over. There is a derivation for each old table.
    Items that fail are left out, and `trial` gets them.
    """

    def __init__(
        self, derivations: Sequence[Derivation], env: Environment, trial: StepTrial
    ) -> None:
        self._derivations = derivations
        self._env = env
        self._trial = trial
        # A rule that fails does so for each of the old tables.
        self._failed: set[Unit] = set()

    def run(self) -> None:
        """Carry the items back."""
        for derivation in self._derivations:
            owners, derived = TargetOwners(derivation), DerivedItems(self._env, derivation)
            for page in derived.scan():
                self._write(derivation, list(self._derived(page, owners)))
                of = derivation.sources
                self._env.progress(f"Going back to {derivation.target.name}", derived.read, of=of)
            self._trial.items = derived.read

    def _derived(
        self, page: Sequence[DerivedUnit], owners: TargetOwners
    ) -> Iterator[tuple[Unit, Targets]]:
        """Yield the units of a page with their old items; record those that fail."""
        for one in page:
            if isinstance(one.targets, TransformFailed):
                self._fail(one.unit, one.targets.failures)
                continue
            try:
                self._env.run(owners.check({one.unit: one.targets}))
            except TransformFailed as error:
                self._trial.collisions.add(one.unit.key, error.failures[0][1])
            else:
                yield one.unit, one.targets

    def _write(self, derivation: Derivation, derived: Sequence[tuple[Unit, Targets]]) -> None:
        items = {id_: item for _, targets in derived for id_, item in targets.items()}
        try:
            self._env.run(derivation.write(items))
        except OperationError as error:
            if len(derived) > 1:  # find out which ones are rejected
                for one in derived:
                    self._write(derivation, [one])
                return
            key = derived[0][0].key
            reason = f"DynamoDB rejects an old item that it goes back to: {error}"
            self._fail(derived[0][0], [(key, reason)])

    def _fail(self, unit: Unit, failures: Sequence[tuple[Key, str]]) -> None:
        if unit not in self._failed:
            self._failed.add(unit)
            self._trial.fail(failures)


def _readable(table: Table, item: Item) -> object:
    """Return the entity of an item, or its attributes if it has none."""
    try:
        return decode_stored_item(table, item) or item
    except SingleTableError:
        return item
